"""python3 -m sinpos.lab list | run [EXPERIMENT...] | report"""
from __future__ import annotations

import argparse
import importlib.util
import signal
import sys
from typing import Dict, List, NoReturn, Optional, Sequence, Tuple

from . import _plan as plan
from ._store import Run, Store, missing, read

_USAGE, _INPUT_OUTPUT = 2, 3
_RESULTS = "build/lab/results.jsonl"


def fail(what: str, why: str, hint: str, status: int = _USAGE) -> NoReturn:
    """One line, a hint, and the end."""
    print(f"sinpos.lab: {what}: {why}\nhint: {hint}", file=sys.stderr)
    raise SystemExit(status)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python3 -m sinpos.lab", description="Train small models with position encodings, and "
                                     "decide what documents say of them.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="list | run | report")
    listing = commands.add_parser("list", help="print experiments, their runs and their encodings")
    running = commands.add_parser("run", help="train what is missing in the results file")
    running.add_argument("experiments", nargs="*", metavar="EXPERIMENT", help="all, if none is named")
    running.add_argument("--budget", type=float, metavar="MINUTES", help="begin no run that would end later")
    running.add_argument("--device", default="cpu", help="of PyTorch: cpu, cuda, ... (cpu)")
    running.add_argument("--jobs", type=int, metavar="N", help="processes (one for each core; 1 for other devices than cpu)")
    running.add_argument("--part", metavar="I/N", help="only every N-th run from the I-th on: one task of an array")
    running.add_argument("--scheduler", metavar="ADDRESS", help="tcp://HOST:PORT of a Dask scheduler, whose workers train")
    for one in (listing, running):
        one.add_argument("--encodings", metavar="A,B", help="instead of those that the contrasts need; all: every one")
        one.add_argument("--seeds", type=int, default=plan.SEEDS, metavar="N", help=f"how many ({plan.SEEDS})")
    running.add_argument("--results", default=_RESULTS, metavar="FILE", help=f"that runs are appended to ({_RESULTS})")
    reporting = commands.add_parser("report", help="write the page and its figures from results files")
    reporting.add_argument("--results", nargs="+", default=[_RESULTS], metavar="FILE", help=f"merged ({_RESULTS})")
    reporting.add_argument("--out", default="docs/lab.md", metavar="FILE", help="figures go into images/ beside it (docs/lab.md)")
    return parser


def _runs(options: argparse.Namespace) -> List[Run]:
    experiments = getattr(options, "experiments", [])
    for name in experiments:
        if name not in plan.ABOUT:
            fail(name, "no experiment has this name", "experiments: " + ", ".join(plan.ABOUT))
    if options.seeds < 1:
        fail(f"--seeds {options.seeds}", "must be 1 or more", "--seeds 5")
    encodings = options.encodings.split(",") if options.encodings else None
    known = {name for part in plan.PARTS.values() for name in part.primary + part.further}
    for name in encodings or []:
        if name != "all" and name not in known:
            fail(name, "no encoding has this name", "encodings: " + ", ".join(sorted(known)))
    runs = plan.planned(experiments, options.seeds, encodings)
    if not runs:
        fail(options.encodings, "none of these experiments has it", "python3 -m sinpos.lab list --encodings all")
    return runs


def _list(options: argparse.Namespace) -> None:
    runs = _runs(options)
    for name, about in plan.ABOUT.items():
        own = [run for run in runs if run.experiment == name]
        minutes = sum(plan.seconds_of(run) for run in own) / 60
        names = ", ".join(dict.fromkeys(run.encoding for run in own))
        print(f"{name:9} {len(own):3} runs {minutes:3.0f} min  {about}: {names}")
    minutes = sum(map(plan.seconds_of, runs)) / 60
    print(f"{len(runs)} runs, {minutes:.0f} minutes of one core", file=sys.stderr)


def _part(text: Optional[str]) -> Tuple[int, int]:
    if text is None:
        return 1, 1
    index, _, count = text.partition("/")
    if not (index.isdigit() and count.isdigit() and 1 <= int(index) <= int(count)):
        fail(f"--part {text}", "must be I/N with 1 <= I <= N", "--part 3/10")
    return int(index), int(count)


def _without_lacking(runs: Sequence[Run]) -> List[Run]:
    from ._work import lacking

    reasons = lacking(list(dict.fromkeys(run.experiment for run in runs)))
    for name, reason in reasons.items():
        print(f"skipped: {name}: {reason}", file=sys.stderr)
    return [run for run in runs if run.experiment not in reasons]


def _counts(runs: Sequence[Run]) -> str:
    counts: Dict[str, int] = {}
    for run in runs:
        counts[run.experiment] = counts.get(run.experiment, 0) + 1
    return ", ".join(f"{n} of {name}" for name, n in counts.items())


def _check_run(options: argparse.Namespace) -> None:
    if importlib.util.find_spec("torch") is None:
        fail("run", "PyTorch is missing", "install python3-torch (Debian) or torch (1.13 or newer); list and report need none")
    if options.scheduler and importlib.util.find_spec("distributed") is None:
        fail("--scheduler", "Dask is missing", "install python3-distributed (Debian) or distributed", _USAGE)
    if options.jobs is not None and options.jobs < 1:
        fail(f"--jobs {options.jobs}", "must be 1 or more", "--jobs 2")
    if options.budget is not None and not options.budget > 0:
        fail(f"--budget {options.budget:g}", "must be above 0", "--budget 10")


def _run(options: argparse.Namespace) -> None:
    _check_run(options)
    part = _part(options.part)
    from ._work import Options, default_jobs, do_all, parts_of

    store = Store(options.results)
    wanted = list(parts_of(_without_lacking(_runs(options)), part))
    runs = missing(wanted, store.results())
    print(f"{len(wanted)} runs, seeds {plan.FIRST_SEED} to {plan.FIRST_SEED + options.seeds - 1}; {len(wanted) - len(runs)} are in {store.path}", file=sys.stderr)
    jobs = options.jobs or default_jobs(options.device)
    budget = None if options.budget is None else 60 * options.budget
    before = signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))  # as Ctrl-C: workers end too
    try:
        left_out = do_all(runs, store, Options(options.device, jobs, options.scheduler, budget),
                          lambda line: print(line, file=sys.stderr, flush=True))
    finally:
        signal.signal(signal.SIGTERM, before)
    if left_out:
        print(f"left out by --budget {options.budget:g}: {_counts(left_out)}", file=sys.stderr)


def _report(options: argparse.Namespace) -> None:
    from ._report import write

    for path in write(read(options.results), options.out):
        print(path)


def main(arguments: Optional[Sequence[str]] = None) -> None:
    """The command as typed."""
    options = _parser().parse_args(arguments)
    try:
        {"list": _list, "run": _run, "report": _report}[options.command](options)
    except OSError as error:
        fail(error.filename or options.command, error.strerror or str(error), "python3 -m sinpos.lab --help", _INPUT_OUTPUT)
    except (RuntimeError, ValueError) as error:
        fail(options.command, str(error), "python3 -m sinpos.lab --help", _INPUT_OUTPUT)
    except KeyboardInterrupt:
        print("interrupted: what has ended is in the results file", file=sys.stderr)
        raise SystemExit(130) from None


if __name__ == "__main__":
    main()
