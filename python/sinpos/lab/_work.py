"""Runs on this machine or on many: workers return lines, and only the caller appends them."""
from __future__ import annotations

import concurrent.futures
import importlib
import multiprocessing
import os
import threading
import time
from typing import Any, Callable, Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple

from ._plan import seconds_of
from ._store import Result, Run, Store, line_of, machine_name, result_of

#: Modules of the experiments, each with run(encoding, seed, settings, device).
MODULES = {"order": "_order", "length": "_length", "text": "_text", "theta": "_text", "adding": "_adding", "far": "_far",
           "distance": "_distance"}
_one_at_a_time = threading.Lock()  # PyTorch draws from one generator

Say = Callable[[str], None]


def lacking(experiments: Sequence[str]) -> Dict[str, str]:
    """Experiments that cannot run here, and why."""
    from ._corpus import lacking as text_lacking

    reason = text_lacking()
    needs_text = {"text", "theta"} if reason else set()
    return {name: reason for name in experiments if name in needs_text and reason}


def perform(run: Run, device: str) -> str:
    """Train and measure, on one thread; return the line of the result."""
    import torch

    torch.set_num_threads(1)
    module: Any = importlib.import_module("." + MODULES[run.experiment], __package__)
    with _one_at_a_time:
        began = time.process_time()
        outcome = module.run(run.encoding, run.seed, dict(run.settings), device)
        seconds = time.process_time() - began
    notes = {**outcome.notes, "torch": torch.__version__.partition("+")[0]}
    if device != "cpu":
        notes["device"] = str(torch.cuda.get_device_name(device)) if device.startswith("cuda") else device
    return line_of(Result(run, outcome.metrics, outcome.curves, notes, seconds, machine_name()))


class Options(NamedTuple):
    """How runs are done."""

    device: str = "cpu"
    jobs: int = 1
    scheduler: Optional[str] = None
    budget: Optional[float] = None  #: seconds


class Clock:
    """What a run takes here: the plan's seconds, corrected by what was measured."""

    def __init__(self, jobs: int) -> None:
        self.began, self.jobs = time.monotonic(), jobs
        self.planned, self.n_done = 0.0, 0

    def done(self, run: Run) -> None:
        """A run has ended."""
        self.planned += seconds_of(run)
        self.n_done += 1

    def passed(self) -> float:
        """Seconds since the beginning."""
        return time.monotonic() - self.began

    def left(self, runs: Sequence[Run]) -> float:
        """Seconds that these runs will take."""
        factor = self.passed() * self.jobs / self.planned if self.n_done >= self.jobs else 1.0
        return factor * sum(seconds_of(run) for run in runs) / self.jobs


class Local:
    """Processes of this machine, each with one thread."""

    def __init__(self, jobs: int, device: str) -> None:
        self.device = device
        context = multiprocessing.get_context("spawn")
        self.pool = concurrent.futures.ProcessPoolExecutor(jobs, context, initializer=_ignore_interrupts)

    def submit(self, run: Run) -> "concurrent.futures.Future[str]":
        """Begin a run."""
        return self.pool.submit(perform, run, self.device)

    def next_done(self, pending: Sequence[Any]) -> "concurrent.futures.Future[str]":
        """One that has ended."""
        return next(iter(concurrent.futures.wait(pending, return_when=concurrent.futures.FIRST_COMPLETED).done))

    def close(self) -> None:
        """End it; what is being trained is given up."""
        children = list(multiprocessing.active_children())
        self.pool.shutdown(wait=False, cancel_futures=True)
        for child in children:
            child.terminate()


def _ignore_interrupts() -> None:
    """Ctrl-C ends the caller, which ends the workers."""
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)


class Many:
    """Workers of a Dask scheduler; runs of a worker that died are done again by another."""

    def __init__(self, address: str, device: str) -> None:
        distributed: Any = importlib.import_module("distributed")
        self.client, self.device, self.wait = distributed.Client(address), device, distributed.wait

    def n_workers(self) -> int:
        """Threads of all workers, at least one."""
        return max(1, sum(int(n) for n in self.client.nthreads().values()))

    def submit(self, run: Run) -> Any:  # Any: a future of Dask, which brings no types
        """Begin a run."""
        return self.client.submit(perform, run, self.device, pure=False)

    def next_done(self, pending: Sequence[Any]) -> Any:  # Any: as above
        """One that has ended."""
        return next(iter(self.wait(list(pending), return_when="FIRST_COMPLETED").done))

    def close(self) -> None:
        """Leave the scheduler; it forgets what this client asked for."""
        self.client.close()


def chosen_within(runs: Sequence[Run], clock: Clock, budget: Optional[float]) -> Tuple[List[Run], List[Run]]:
    """As many runs from the first on as the budget has time for, and those that are left out."""
    if budget is None:
        return list(runs), []
    n = 0
    while n < len(runs) and clock.passed() + clock.left(runs[:n + 1]) <= budget:
        n += 1
    return list(runs[:n]), list(runs[n:])


def do_all(runs: Sequence[Run], store: Store, options: Options, say: Say) -> List[Run]:
    """Do these runs and append their results as they come; return those that the budget left out.

    Raises RuntimeError where a run fails, with the run's name; what came before is in the file.
    """
    backend: Any = Many(options.scheduler, options.device) if options.scheduler else Local(options.jobs, options.device)
    jobs = backend.n_workers() if options.scheduler else options.jobs
    clock = Clock(jobs)
    waiting = list(runs)
    pending: Dict[Any, Run] = {}
    n_done = 0
    try:
        while True:
            going = list(pending.values())
            allowed = len(chosen_within(going + waiting, clock, options.budget)[0]) - len(going)
            while waiting and allowed > 0 and len(pending) < jobs:
                run = waiting.pop(0)
                pending[backend.submit(run)] = run
                allowed -= 1
            if not pending:
                return waiting
            future = backend.next_done(list(pending))
            run = pending.pop(future)
            result = _result(future, run)
            store.append(result)
            clock.done(run)
            n_done += 1
            within = chosen_within(list(pending.values()) + waiting, clock, options.budget)[0]
            say(f"{n_done}/{n_done + len(within)}  {name_of(run)}: {result.seconds:.0f} s; about {spoken(clock.left(within))} left")
    finally:
        backend.close()


def _result(future: Any, run: Run) -> Result:
    try:
        return result_of(future.result())
    except Exception as error:
        raise RuntimeError(f"{name_of(run)}: {type(error).__name__}: {error}") from error


def name_of(run: Run) -> str:
    """In words."""
    extras = [str(run.settings[key]) for key in ("task", "model") if run.settings.get(key, "transformer") != "transformer"]
    width = [f"width {run.settings['width']}"] if run.experiment == "adding" else []
    return " ".join([run.experiment, *extras, *width, run.encoding, f"seed {run.seed}"])


def spoken(seconds: float) -> str:
    """A time as people say it."""
    return f"{seconds:.0f} s" if seconds < 90 else f"{seconds / 60:.0f} min"


def parts_of(runs: Sequence[Run], part: Tuple[int, int]) -> Iterator[Run]:
    """Every count-th run from the index-th on, counted from 1: what one task of an array does."""
    index, count = part
    return (run for i, run in enumerate(runs) if i % count == index - 1)


def default_jobs(device: str) -> int:
    """A process for each core; one alone for an accelerator."""
    return len(os.sched_getaffinity(0)) if device == "cpu" else 1
