"""Small models that measure what the literature says of trained position encodings.

    python3 -m sinpos.lab list
    python3 -m sinpos.lab run order text --seeds 5 --budget 30
    python3 -m sinpos.lab report

Needs PyTorch (1.13 or 2.x) to run experiments; list and report work without it. A run is one experiment with one
encoding, one seed and its settings, and becomes one line of JSON in the results file. _plan.py states what is run and
what decides each sentence; _report.py writes docs/lab.md from results files alone.
"""
