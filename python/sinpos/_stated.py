"""Encodings that are stated in general words: a schedule of frequencies, a layout of columns."""
from __future__ import annotations

from typing import Any, Callable, Dict, NamedTuple, Optional, Tuple, Union

import numpy as np

from . import _core
from ._arrays import Array, Positions, empty, numbers

_SCHEDULES = {"geometric": 0, "power": 1, "octave": 2, "turns": 3, "explicit": 4}
_LAYOUTS = {"interleaved": 0, "halves": 1}
_ORDERS = {"sin-cos": 0, "cos-sin": 1}
_ODD = {"truncate": 0, "zero": 1}

#: General words and their defaults.
DEFAULTS: Dict[str, Any] = {
    "dim": 512, "base": 10000.0, "base_divisor": 1.0, "schedule": "geometric", "exponent": 1.0, "shift": 0.0,
    "divisor": None, "scale": 1.0, "layout": "interleaved", "order": "sin-cos", "odd": "truncate", "amplitude": 1.0,
    "phase": 0.0, "phase_turns": 0.0, "theta": None, "factor": None, "arithmetic": "exact",
}


def _choice(words: Dict[str, Any], name: str, choices: Dict[str, int]) -> int:
    value = words[name]
    if value not in choices:
        raise ValueError(f"{name} must be {' or '.join(choices)}, not {value!r}")
    return choices[value]


def _real(name: str, value: Any) -> float:
    if isinstance(value, (bool, str)) or not hasattr(value, "__float__"):
        raise TypeError(f"{name} must be a number, not {type(value).__name__}")
    return float(value)


def _frequencies(name: str, value: Any) -> Array:
    array = np.array(np.asarray(numbers(value, name), np.float64))
    if array.ndim != 1:
        raise ValueError(f"{name} must have shape (n,), not {array.shape}")
    array.flags.writeable = False
    return array


def settle(given: Dict[str, Any]) -> Dict[str, Any]:
    """What was given, as the types it must have; what has its default is left out."""
    words: Dict[str, Any] = {}
    for name, value in given.items():
        if value is None:
            continue
        if name in ("theta", "factor"):
            words[name] = _frequencies(name, value)
        elif isinstance(DEFAULTS[name], float) or name == "divisor":
            words[name] = _real(name, value)
        elif name == "dim":
            words[name] = _dim(value)
        else:
            words[name] = str(value)
    if "theta" in words:
        words.setdefault("schedule", "explicit")
        words.setdefault("dim", 2 * len(words["theta"]))
    words.setdefault("dim", DEFAULTS["dim"])
    kept = ("dim", "theta", "factor")
    return {k: words[k] for k in DEFAULTS if k in words and (k in kept or words[k] != DEFAULTS[k])}


def _dim(value: Any) -> int:
    if not hasattr(value, "__index__"):
        raise TypeError(f"dim must be an integer, not {type(value).__name__}")
    dim = int(value.__index__())
    if not 1 <= dim <= 2**31:
        raise ValueError("dim must be between 1 and 2^31")
    return dim


def spec_words(words: Dict[str, Any]) -> Tuple[Any, ...]:
    """The arguments of a Plan."""
    all_words = {**DEFAULTS, **words}
    if all_words["divisor"] == 0:
        raise ValueError("divisor must not be zero")
    return (
        all_words["dim"], _choice(all_words, "schedule", _SCHEDULES), _choice(all_words, "layout", _LAYOUTS),
        _choice(all_words, "order", _ORDERS), _choice(all_words, "odd", _ODD), 0, all_words["base"],
        all_words["base_divisor"], all_words["exponent"], all_words["shift"], all_words["divisor"] or 0.0,
        all_words["scale"], all_words["amplitude"], all_words["phase"], all_words["phase_turns"], all_words["theta"],
        all_words["factor"])


def make_plan(words: Dict[str, Any]) -> "_core.Plan":
    return _core.Plan(*spec_words(words))


class Pieces(NamedTuple):
    """A table that is made some rows at a time."""

    size: Tuple[Tuple[int, ...], int, int]  #: shape, rows, columns
    fill: Callable[[Array, int, int], None]  #: out (n, columns), first row, threads


class Stated:
    """An encoding by general words."""

    n_axes = 1

    def __init__(self, given: Dict[str, Any]) -> None:
        self.words = settle(given)
        self.plan = make_plan(self.words)
        self.dim = self.plan.dim
        self._rotation: Union["_core.Plan", "_core.Replay", None] = None
        arithmetic = self.words.get("arithmetic", "exact")
        self._replay = None if arithmetic == "exact" else _core.Replay(self.plan, arithmetic)
        self.is_direct = self._replay is None
        self.worker: Union["_core.Plan", "_core.Replay"] = self.plan if self._replay is None else self._replay

    def analysed(self) -> Optional["_core.Plan"]:
        return self.plan

    def key(self) -> Tuple[Any, ...]:
        return ("stated",) + tuple(sorted((k, v.tobytes() if isinstance(v, np.ndarray) else v)
                                          for k, v in self.words.items()))

    def table(self, length: Optional[int], start: Any, step: Any, dtype: Any, out: Any, threads: int) -> Array:
        if length is None:
            raise ValueError("length is needed: how many positions")
        array, bits = empty((length, self.dim), dtype, out)
        self.worker.run(_core.FILL, bits, consecutive(length, start, step), threads)
        return array

    def pieces(self, length: Optional[int], start: Any, step: Any) -> Pieces:
        if length is None:
            raise ValueError("length is needed: how many positions")
        rows = consecutive(length, start, step)

        def fill(out: Array, first: int, threads: int) -> None:
            here = rows + first if isinstance(rows, int) else rows[first:first + len(out)]
            self.worker.run(_core.FILL, out, here, threads)

        return Pieces(((length, self.dim), length, self.dim), fill)

    def at(self, operation: int, positions: Positions, shape: Tuple[int, ...], dtype: Any, out: Any, threads: int) -> Array:
        array, bits = empty(shape + (self.dim,), dtype, out)
        self.worker.run(operation, bits, positions, threads)
        return array

    def add(self, bits: Array, positions: Positions, threads: int) -> None:
        self.worker.run(_core.ADD, bits, positions, threads)

    def add_start(self, bits: Array, start: Any, threads: int) -> None:
        n = bits.shape[-2] if bits.ndim > 1 else 1
        self.worker.run(_core.ADD, bits, consecutive(n, start, 1), threads)

    def _rotor(self) -> Union["_core.Plan", "_core.Replay"]:
        if self._rotation is None:
            plan = make_plan({"layout": "halves", **self.words, "order": "cos-sin", "odd": "zero"})
            self._rotation = plan if self._replay is None else _core.Replay(plan, self.words["arithmetic"])
        return self._rotation

    def rotation_plan(self) -> Optional["_core.Plan"]:
        rotor = self._rotor()
        return rotor if isinstance(rotor, _core.Plan) else None

    def rotate(self, bits: Array, positions: Positions, direction: int, axis: int, threads: int) -> None:
        self._rotor().rotate(bits, positions, direction, axis, threads)

    def rotate_start(self, bits: Array, start: int, direction: int, axis: int, threads: int) -> None:
        self.rotate(bits, start, direction, axis, threads)


def consecutive(n: int, start: Any, step: Any) -> Positions:
    """start, start + step, ...: the first alone where they are consecutive integers, else the list."""
    if isinstance(start, (int, np.integer)) and isinstance(step, (int, np.integer)):
        if step == 1:
            return int(start)
        last = int(start) + max(n - 1, 0) * int(step)
        if max(abs(last), abs(int(start))) >= 2**63:
            raise OverflowError(_core.strerror(5))
        return int(start) + int(step) * np.arange(n, dtype=np.int64)
    with np.errstate(over="ignore", invalid="ignore"):
        return np.float64(start) + np.float64(step) * np.arange(n, dtype=np.float64)
