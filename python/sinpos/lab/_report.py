"""docs/lab.md and its figures, from results files alone: the same bytes for the same results."""
from __future__ import annotations

import math
import os
import pathlib
from typing import Dict, List, Sequence

from . import _plan as plan
from ._figures import PICTURES, draw, of_part
from ._statistics import estimate
from ._store import Result, missing
from ._verdicts import Decided, Judged, ceiling, judge

_HEAD = """\
# The laboratory
What the documents say of trained models, measured with small ones. `make lab` trains them; this page is
`python3 -m sinpos.lab report`, written from the results file alone. Everything here is true of these models, sizes and
tasks, and of nothing else: one or two layers, 48 to 96 columns, seconds of training.
"""

_HOW = """\
## Run it
    make lab                                   # what the verdicts need, below 90 minutes; writes build/lab/lab.md
    make lab LAB='order text --budget 10'      # two experiments, 10 minutes; says what it left out
    python3 -m sinpos.lab list --encodings all
    python3 -m sinpos.lab run --encodings all --seeds 10 --results all.jsonl
    python3 -m sinpos.lab report --results all.jsonl --out docs/lab.md

A run is one experiment with one encoding, one seed and its settings, and one line of the results file; what is there is
not trained again. An interrupted run leaves no line. `report` merges several files.

On many machines, with Dask (Debian: python3-distributed): the workers train and return lines, and this client appends
them. What a worker that died was training is trained again by another. On clusters without Dask, `examples/lab/slurm.sh`
is an array of Slurm whose tasks write a file each.

    dask-scheduler                                          # on one machine
    dask-worker tcp://HOST:8786 --nworkers 4 --nthreads 1   # on each
    python3 -m sinpos.lab run --scheduler tcp://HOST:8786

Runs are reproducible on one machine: seeds are in the lines, and each model trains on one thread. Another processor or
another PyTorch rounds otherwise, and small differences grow while a model learns.
"""


def _number(value: float) -> str:
    return f"{value:.4g}" if math.isfinite(value) else ("inf" if value > 0 else "-inf")


def _p(value: float) -> str:
    return "< 0.0001" if value < 0.0001 else f"{value:.4f}"


def _verdict_row(decided: Decided) -> str:
    found, contrast = decided.estimate, decided.contrast
    claims = contrast.claims.replace("|", "\\|")
    if found is None:
        return f"| {claims} | {_number(contrast.margin)} | {decided.n} | | | | | {decided.verdict} |"
    return (f"| {claims} | {_number(contrast.margin)} | {decided.n} | {_number(found.mean)} | {_number(found.low)} "
            f"to {_number(found.high)} | {_number(found.effect)} | {_p(decided.adjusted)} | {decided.verdict} |")


def _ceilings(judged: Judged, results: Sequence[Result]) -> List[str]:
    """What no result could have supported, because its numbers are near 1."""
    found = [(d.contrast, ceiling(d.contrast, results)) for d in judged.decided]
    return [line for contrast, mean in found if mean is not None for line in (
        f"At the ceiling: \"{contrast.claims}\" cannot be decided here, because {_number(mean)} of 1 leaves no room for "
        f"{_number(contrast.margin)}.", "")]


def _sentence(judged: Judged, results: Sequence[Result]) -> List[str]:
    sentence = judged.sentence
    return [f"### {sentence.name}: {judged.verdict}", f"> {sentence.text}", "", f"Source: {sentence.source}.", "",
            "| claim | margin | pairs | mean | 95 % interval | effect size | adjusted p | verdict |",
            "| --- | ---: | ---: | ---: | --- | ---: | ---: | --- |"] + [_verdict_row(d) for d in judged.decided] + [""] + _ceilings(judged, results)


def _cell(values: Sequence[float]) -> str:
    if len(values) < 2:
        return _number(values[0]) if values else ""
    found = estimate(values)
    return f"{_number(found.mean)} ± {_number(found.high - found.mean)}"


_MOST_COLUMNS = 8
_SHOWN: Dict[str, Sequence[str]] = {
    "order": ("reverse", "baseline_reverse", "token_back", "baseline_token_back", "later", "baseline_later"),
    "length": ("digits_trained", "digits_40", "digits_80", "whole_20", "whole_40"),
    "text": ("loss_within", "loss_beyond", "words_norm", "positions_norm", "words_mean_correlation",
             "positions_mean_correlation", "h_diagonal_ratio", "split_difference", "attention_word_word",
             "attention_word_position", "attention_position_word", "attention_position_position", "one_tone_share"),
    "theta": ("loss_within", "loss_beyond", "theta_moved_octaves", "theta_moved_most_octaves"),
    "adding": ("word_before", "position_before", "word_after", "position_after", "task"),
    "far": ("loss_exact_0", "loss_exact_1000000", "loss_float32_1000000", "loss_bfloat16_1000", "loss_bfloat16_10000"),
    "distance": ("distance_linear", "distance_hidden", "shift_linear", "shift_hidden", "shift_beyond_linear",
                 "shift_beyond_hidden"),
}


def _table(name: str, results: Sequence[Result]) -> List[str]:
    part, found = plan.PARTS[name], of_part(name, results)
    if not found:
        return []
    settings = ", ".join(f"{key} {value}" for key, value in sorted(part.settings.items()))
    lines = [f"**{name}**: {settings}.", ""]
    shown = _SHOWN[part.experiment]
    for first in range(0, len(shown), _MOST_COLUMNS):
        columns = shown[first:first + _MOST_COLUMNS]
        lines += ["| encoding | seeds | " + " | ".join(columns) + " |", "| --- | ---: |" + " ---: |" * len(columns)]
        for encoding, rows in found.items():
            cells = [_cell([r.metrics[c] for r in rows if c in r.metrics]) for c in columns]
            lines.append(f"| {encoding} | {len(rows)} | " + " | ".join(cells) + " |")
        lines.append("")
    return lines


def _pictures(experiment: str, drawn: Dict[str, str]) -> List[str]:
    return [line for picture in PICTURES if picture.name in drawn and plan.PARTS[picture.part].experiment == experiment
            for line in (f"![{picture.title}]({drawn[picture.name]})", "")]


def _words_of(experiment: str, results: Sequence[Result]) -> List[str]:
    """What identify says of the rows, each answer once."""
    own = [r for r in results if r.run.experiment == experiment]
    lines = []
    for encoding in sorted({r.run.encoding for r in own if "identify" in r.notes}):
        found = sorted({r.notes["identify"] for r in own if r.run.encoding == encoding and "identify" in r.notes})
        first = found[0] + (" ...]" if found[0].count("[") > found[0].count("]") else "")  # notes are cut
        lines.append(f"- {encoding}: {first}" + (f" (and {len(found) - 1} other answers)" if len(found) > 1 else ""))
    return ["What `sinpos.identify` says of the rows after training:", "", *lines, ""] if lines else []


def _experiment(name: str, results: Sequence[Result], judged: Sequence[Judged], drawn: Dict[str, str]) -> List[str]:
    own = [r for r in results if r.run.experiment == name]
    seconds = sum(r.seconds for r in own)
    lines = [f"## {name}", plan.ABOUT[name] + ".", "",
             f"`python3 -m sinpos.lab run {name}`: {len(own)} runs here, {seconds / 60:.1f} minutes of one core.", ""]
    for sentence in judged:
        if sentence.sentence.experiment == name:
            lines += _sentence(sentence, results)
    for part in plan.PARTS:
        if plan.PARTS[part].experiment == name:
            lines += _table(part, results)
    return lines + _pictures(name, drawn) + _words_of(name, results)


def _summary(judged: Sequence[Judged]) -> List[str]:
    return ["## Verdicts", "| sentence | experiment | verdict |", "| --- | --- | --- |",
            *(f"| \"{j.sentence.text}\" ({j.sentence.source}) | {j.sentence.experiment} | {j.verdict} |" for j in judged), ""]


def _what_ran(results: Sequence[Result]) -> List[str]:
    machines = sorted({r.machine for r in results})
    seconds = sum(r.seconds for r in results)
    texts = sorted({r.notes["text"] for r in results if "text" in r.notes})
    versions = sorted({r.notes["torch"] for r in results if "torch" in r.notes})
    planned = plan.planned([], plan.SEEDS)
    absent = len(missing(planned, results))
    return ["## What ran", f"{len(results)} runs, {seconds / 60:.1f} minutes of one core, on: {'; '.join(machines) or 'nothing'}.",
            f"Of the {len(planned)} runs that the contrasts need, {absent or 'none'} {'is' if absent < 2 else 'are'} missing.",
            *([f"PyTorch {', '.join(versions)}."] if versions else []), *(f"Text: {text}." for text in texts), "", "± is half of the 95 % interval over seeds.", "",
            "## The rule", "It was written down before the runs (`python/sinpos/lab/_plan.py`), but for its last paragraph.", "", plan.RULE, "", _HOW]


def text_of(results: Sequence[Result], drawn: Dict[str, str]) -> str:
    """The page; drawn: figures by name, as the page links them."""
    judged = judge(results)
    lines = [_HEAD, *_summary(judged), *_what_ran(results)]
    for name in plan.ABOUT:
        lines += _experiment(name, results, judged, drawn)
    return "\n".join(lines).rstrip() + "\n"


def write(results: Sequence[Result], path: str) -> List[str]:
    """Write the page and its figures, those into images/ beside it; return their paths."""
    page = pathlib.Path(path)
    images = page.parent / "images"
    os.makedirs(images, exist_ok=True)
    drawn, written = {}, [str(page)]
    for picture in PICTURES:
        figure = draw(picture, results)
        if figure is not None:
            name = f"lab-{picture.name}.svg"
            (images / name).write_text(figure, encoding="utf-8")
            drawn[picture.name] = f"images/{name}"
            written.append(str(images / name))
    page.write_text(text_of(results, drawn), encoding="utf-8")
    return written
