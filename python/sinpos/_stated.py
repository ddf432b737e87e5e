"""Encodings that are stated in general words: a schedule of frequencies, a layout of columns."""
from __future__ import annotations

import difflib
import functools
from typing import Any, Callable, Dict, Iterable, NamedTuple, Optional, Sequence, Tuple, Union

import numpy as np

from . import _core
from ._arrays import Array, Positions, empty, numbers, refuse_nan, whole

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


def nearest(word: str, words: Iterable[str], else_see: str) -> str:
    """The hint for a word that is none of these."""
    by_small = {known.lower(): known for known in words}
    near = difflib.get_close_matches(word.lower(), list(by_small), 1, 0.7)
    return f"hint: did you mean {by_small[near[0]]}?" if near else f"hint: {else_see}"


#: Words of other code, by the word that is meant here.
_MEANT = {
    "dim": "d_model embed_dim embedding_dim hidden_size num_hiddens head_dim channels",
    "base": "theta_base rope_theta max_period max_timescale temperature",
    "length": "max_len max_length max_seq_len max_position_embeddings n_position n_positions num_positions seq_len n rows",
    "positions": "position_ids position pos timesteps ids",
    "start": "offset start_pos first past_key_values_length",
    "dtype": "type output_type precision",
    "q": "query x",
    "k": "key",
    "x": "q input inputs embeddings",
    "wrt": "by",
    "axis": "batch_first seq_dim",
}
_MEANT_BY = {other: own for own, others in _MEANT.items() for other in others.split()}

#: Where a word is said that an encoding does not have.
_ELSEWHERE = {
    "length": "it goes to table(length)",
    "positions": "they go to the call, encoding(positions), and to add_() and rotate_()",
    "start": "say start=, in table(), add_(), rotate_(), or the call of a module",
    "batch_first": "say axis=-2 for x (batch, n, dim), axis=-3 for (n, batch, dim), in sinpos.torch.AddPositions",
    "dtype": "it goes to table(), to the call, or to a module of sinpos.torch",
    **dict.fromkeys(("dropout", "dropout_p", "dropout_rate", "p"), "sinpos.torch.AddPositions(dim, dropout=...) has it"),
    "device": "the modules of sinpos.torch have it",
}
_LONGEST = "leave it out: there is no longest position"


def elsewhere(word: str) -> Optional[str]:
    """What to do with a word that an encoding does not have; None where nothing is known of it."""
    meant = _MEANT_BY.get(word, word)
    if word.startswith(("max_", "n_position", "num_positions")) and meant == "length":
        return _LONGEST
    return _ELSEWHERE.get(word) or _ELSEWHERE.get(meant) or (f"say {meant}" if meant in DEFAULTS and meant != word else None)


def said_here(word: str) -> str:
    """The hint for what is not a general word: other code's name of one, or one that is nearly it."""
    known = elsewhere(word)
    if known is not None:
        return f"hint: {known}"
    return nearest(word, DEFAULTS, "Encoding(dim, convention=\"...\") takes those of the convention")


def refuse_others(others: Iterable[str], call: str, own: Sequence[str]) -> None:
    """Of words that a call does not have; own are those that it has."""
    for word in others:
        meant = _MEANT_BY.get(word)
        hint = f"hint: say {meant}" if meant in own else nearest(word, own, f"help(sinpos.{call}) lists its words")
        raise TypeError(f"{call}() has no word {word!r}\n{hint}")


def _choice(words: Dict[str, Any], name: str, choices: Dict[str, int]) -> int:
    value = words[name]
    if value not in choices:
        *firsts, last = choices
        raise ValueError(f"{name} must be {', '.join(firsts)} or {last}, not {value!r}")
    return choices[value]


def _real(name: str, value: Any) -> float:
    if isinstance(value, (bool, str)) or not hasattr(value, "__float__"):
        raise TypeError(f"{name} must be a number, not {type(value).__name__}")
    try:
        return float(value)
    except OverflowError:
        raise OverflowError(f"{name} is beyond the numbers of float64") from None
    except (TypeError, ValueError):
        raise TypeError(f"{name} must be one number, not {type(value).__name__}") from None


def _word(name: str, value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{name} must be text, not {type(value).__name__}")
    return str(value)


def _frequencies(name: str, value: Any) -> Array:
    array = np.array(np.asarray(numbers(value, name), np.float64))
    if array.ndim != 1:
        hint = f"\nhint: the base is said by base={array:g}" if name == "theta" and array.ndim == 0 else ""
        raise ValueError(f"{name} must have shape (n,), a frequency for each tone, not {array.shape}{hint}")
    refuse_nan(name, array)
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
            words[name] = _word(name, value)
    if "theta" in words:
        if len(words["theta"]) == 0:
            raise ValueError("theta is empty: give at least one frequency")
        words.setdefault("schedule", "explicit")
        words.setdefault("dim", 2 * len(words["theta"]))
    words.setdefault("dim", DEFAULTS["dim"])
    kept = ("dim", "theta", "factor", "layout")  # a layout that is given is that of rotations too
    return {k: words[k] for k in DEFAULTS if k in words and (k in kept or words[k] != DEFAULTS[k])}


def _dim(value: Any) -> int:
    if isinstance(value, str) and _core.convention(value) is not None:
        raise TypeError(f"dim must be an integer, not str\nhint: convention={value!r} names a definition")
    try:
        dim = whole(value, "dim")
    except OverflowError:
        dim = 0
    if not 1 <= dim <= 2**31:
        raise ValueError("dim must be between 1 and 2^31")
    return dim


def _refuse_lists(words: Dict[str, Any]) -> None:
    """Lists of frequencies have one number for each tone."""
    dim = words["dim"]
    n = dim // 2 if words["odd"] == "zero" else dim - dim // 2
    if words["schedule"] in ("turns", "explicit") and words["theta"] is None:
        raise ValueError(f"schedule {words['schedule']!r} needs theta, a list of {n} frequencies for dim {dim}")
    for name in ("theta", "factor"):
        if words[name] is not None and len(words[name]) != n:
            raise ValueError(f"{name} must hold {n} numbers, one for each frequency of dim {dim}, not {len(words[name])}")


def _replay(plan: "_core.Plan", arithmetic: str) -> "_core.Replay":
    try:
        return _core.Replay(plan, arithmetic)
    except ValueError as error:
        if arithmetic == "published":
            raise ValueError("arithmetic 'published' is that of a convention's source\n"
                             "hint: name the convention: convention=\"vaswani\", ...") from None
        known = _core.arithmetics()
        names = [word for name, aliases, _ in known for word in [name, *(aliases or "").split()]]
        if arithmetic in names:
            raise
        raise ValueError(f"arithmetic {arithmetic!r}: {str(error).splitlines()[0]}\n"
                         + nearest(arithmetic, ["exact", *names], "sinpos.arithmetics() lists them")) from None


def spec_words(words: Dict[str, Any]) -> Tuple[Any, ...]:
    """The arguments of a Plan."""
    all_words = {**DEFAULTS, **words}
    if all_words["divisor"] == 0:
        raise ValueError("divisor must not be zero")
    _refuse_lists(all_words)
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
    follows = False
    output = "table"

    def __init__(self, given: Dict[str, Any]) -> None:
        self.words = settle(given)
        self.plan = make_plan(self.words)
        self.dim = self.plan.dim
        self._rotation: Union["_core.Plan", "_core.Replay", None] = None
        arithmetic = self.words.get("arithmetic", "exact")
        self._replay = None if arithmetic == "exact" else _replay(self.plan, arithmetic)
        self.is_direct = self._replay is None
        self.worker: Union["_core.Plan", "_core.Replay"] = self.plan if self._replay is None else self._replay

    def analysed(self) -> Optional["_core.Plan"]:
        return self.plan

    def key(self) -> Tuple[Any, ...]:
        return ("stated",) + tuple(sorted((k, v.tobytes() if isinstance(v, np.ndarray) else v)
                                          for k, v in self.words.items()))

    def pieces(self, length: Optional[int], start: Any, step: Any) -> Pieces:
        if length is None:
            raise ValueError("length is needed: how many positions")
        positions = functools.lru_cache(maxsize=1)(functools.partial(consecutive, length, start, step))

        def fill(out: Array, first: int, threads: int) -> None:
            rows = positions()
            here = rows + first if isinstance(rows, int) else rows[first:first + len(out)]
            self.worker.run(_core.FILL, out, here, threads)

        return Pieces(((length, self.dim), length, self.dim), fill)

    def at(self, operation: int, positions: Positions, shape: Tuple[int, ...], dtype: Any, out: Any, threads: int) -> Array:
        if self._replay is not None and operation != _core.FILL:
            raise ValueError(f"roundings have no derivatives: leave arithmetic={self.words['arithmetic']!r} out")
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
            raise OverflowError("the last position is not below 2^63 in size")
        return int(start) + int(step) * np.arange(n, dtype=np.int64)
    with np.errstate(over="ignore", invalid="ignore"):
        return np.float64(start) + np.float64(step) * np.arange(n, dtype=np.float64)
