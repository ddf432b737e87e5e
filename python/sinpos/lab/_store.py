"""Runs, and the file of their results: one JSON line a run, appended whole, never changed."""
from __future__ import annotations

import fcntl
import json
import os
import pathlib
from typing import Any, Dict, Iterable, List, NamedTuple, Optional, Tuple

Settings = Dict[str, Any]
Key = Tuple[str, str, int, str]


class Run(NamedTuple):
    """One model to be trained and measured."""

    experiment: str
    encoding: str
    seed: int
    settings: Settings

    def key(self) -> Key:
        """What makes two runs the same run."""
        return self.experiment, self.encoding, self.seed, canonical(self.settings)


class Result(NamedTuple):
    """What a run gave: numbers by name, lists of numbers by name, and what it took."""

    run: Run
    metrics: Dict[str, float]
    curves: Dict[str, List[float]]
    notes: Dict[str, str]
    seconds: float  #: of one processor core
    machine: str


def canonical(settings: Settings) -> str:
    """The same text for the same settings."""
    return json.dumps(settings, sort_keys=True, separators=(",", ":"))


def rounded(number: float) -> float:
    """Six digits: what a file needs, and what a report prints."""
    return float(f"{number:.6g}")


def line_of(result: Result) -> str:
    """The result as a line of JSON, without its end."""
    run = result.run
    return json.dumps({
        "experiment": run.experiment, "encoding": run.encoding, "seed": run.seed, "settings": run.settings,
        "metrics": {name: rounded(value) for name, value in result.metrics.items()},
        "curves": {name: [rounded(value) for value in values] for name, values in result.curves.items()},
        "notes": result.notes, "seconds": round(result.seconds, 1), "machine": result.machine,
    }, separators=(",", ":"))


def result_of(line: str) -> Result:
    """The result that line_of() wrote. Raises ValueError for another line."""
    try:
        words = json.loads(line)
        run = Run(words["experiment"], words["encoding"], int(words["seed"]), dict(words["settings"]))
        return Result(run, dict(words["metrics"]), dict(words["curves"]), dict(words["notes"]), float(words["seconds"]),
                      words["machine"])
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"not a line of results: {error}") from None


def whole_lines(data: bytes) -> bytes:
    """Without what a kill during a write left after the last whole line."""
    return data[:data.rfind(b"\n") + 1]


def read(paths: Iterable[str]) -> List[Result]:
    """The results of these files, each run once, in the order of their keys.

    Raises OSError, and ValueError with file and line where a whole line is not a result.
    """
    found: Dict[Key, Result] = {}
    for path in paths:
        for number, line in enumerate(whole_lines(pathlib.Path(path).read_bytes()).decode().splitlines(), 1):
            try:
                result = result_of(line)
            except ValueError as error:
                raise ValueError(f"{path}, line {number}: {error}") from None
            found.setdefault(result.run.key(), result)
    return [found[key] for key in sorted(found)]


class Store:
    """A results file that runs are appended to; several programs may share it."""

    def __init__(self, path: str) -> None:
        self.path = path
        os.makedirs(os.path.dirname(path) or ".", exist_ok=True)

    def results(self) -> List[Result]:
        """What is in the file; nothing, where there is no file."""
        return read([self.path]) if os.path.exists(self.path) else []

    def append(self, result: Result) -> bool:
        """Append a result as one whole line, on disk when this returns; False if that run is there already."""
        with open(self.path, "a+b") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            file.seek(0)
            data = file.read()
            kept = whole_lines(data)
            if len(kept) < len(data):
                file.truncate(len(kept))
            known = {result_of(line).run.key() for line in kept.decode().splitlines()}
            if result.run.key() in known:
                return False
            os.write(file.fileno(), (line_of(result) + "\n").encode())
            os.fsync(file.fileno())
            return True


def missing(runs: Iterable[Run], results: Iterable[Result]) -> List[Run]:
    """The runs without a result."""
    known = {result.run.key() for result in results}
    return [run for run in runs if run.key() not in known]


def machine_name(threads: Optional[int] = None) -> str:
    """Processor and cores, for the report."""
    model = "unknown processor"
    try:
        lines = pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        model = next(line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        pass
    return f"{model}, {threads or len(os.sched_getaffinity(0))} cores"
