"""What the operators need to know of an encoding, found by the text that stands for it in a graph."""
from __future__ import annotations

import functools
import json
from typing import Any, Dict, List, Optional, Sequence, Tuple

import numpy as np
import torch
from torch import Tensor

from .. import _core
from .._arrays import refuse_nan
from .._encoding import Encoding

_RETUNED_KEPT = 8
MOST_KEPT_ROWS = 33  #: a block of rows: as many as the C library makes at a time


_LENGTH = ', "seq_len": '


def text_of(encoding: Encoding, rotary: bool = False) -> str:
    """The encoding as text: what a graph holds, and what finds the tones again wherever the graph goes."""
    words = {"rotary": rotary, "convention": encoding.convention, **encoding.parameters}
    return json.dumps(words, default=np.ndarray.tolist)


def text_before_length(encoding: Encoding) -> str:
    """text_of() a rotary encoding but for the length of the sequence and the brace behind it, which end the text."""
    words = {"rotary": True, "convention": encoding.convention, **encoding.parameters}
    words.pop("seq_len", None)
    return json.dumps(words, default=np.ndarray.tolist)[:-1] + _LENGTH


class Tones:
    """The tones of an encoding: their plan, and which columns are theirs."""

    def __init__(self, encoding: Encoding, rotary: bool) -> None:
        self.encoding, self.rotary = encoding, rotary
        self.plan = encoding.rotation_plan if rotary else encoding.plan if encoding.is_direct else None
        self.dim: int = encoding.dim if self.plan is None else self.plan.dim
        self.n_axes: int = encoding.axes
        self._start()

    def _start(self) -> None:
        self._retuned: Dict[bytes, "_core.Plan"] = {}
        self._factors: Optional[Tuple[Tuple[Any, ...], "_core.Factors"]] = None
        self._places: Optional[Tuple[List[int], List[int], List[int], List[float]]] = None

    def at_length(self, seq_len: float) -> Optional["Tones"]:
        """The same for another length of the sequence: a plan alone is made, and encoding stays that of the first. None
        where rotation takes more than a plan."""
        named: Any = self.encoding._impl
        plan = named.rotation_plan_with(seq_len=float(seq_len))
        if plan is None:
            return None
        made = Tones.__new__(Tones)
        made.encoding, made.rotary, made.n_axes = self.encoding, self.rotary, self.n_axes
        made.plan, made.dim = plan, plan.dim
        made._start()
        return made

    def the_plan(self) -> "_core.Plan":
        if self.plan is None:
            raise NotImplementedError(f"{self.encoding!r} takes more than tones: it has no gradients by theta and "
                                      "positions, and no cos_sin()")
        return self.plan

    def theta(self) -> Tensor:
        """(n_tones,) float64: radians per unit of position, each rounded once."""
        plan = self.the_plan()
        theta = np.empty(plan.n_tones)
        plan.theta(theta)
        return torch.tensor(theta, device="cpu")

    def plan_for(self, theta: Optional[Tensor]) -> "_core.Plan":
        """The plan, or that of the same columns with other frequencies; the last few are kept."""
        plan = self.the_plan()
        if theta is None:
            return plan
        numbers = theta.detach().to("cpu", torch.float64).contiguous().numpy()
        if numbers.shape != (plan.n_tones,):
            raise ValueError(f"theta must have shape ({plan.n_tones},), not {numbers.shape}")
        key = numbers.tobytes()
        found = self._retuned.get(key)
        if found is None:
            refuse_nan("theta", numbers)
            found = plan.with_theta(numbers)
            while len(self._retuned) >= _RETUNED_KEPT:
                self._retuned.pop(next(iter(self._retuned)), None)
            self._retuned[key] = found
        return found

    def factors(self, key: Tuple[int, int, int, Any], kind: int, positions: int) -> "_core.Factors":
        """Those of the rows at hand, which q, k and all layers share; the last are kept. key: element type, rows, direction,
        and what tells their positions."""
        kept = self._factors
        if kept is None or kept[0] != key:
            kept = self._factors = (key, self.the_plan().factors(*key[:3], kind, positions))
        return kept[1]

    def _tuples(self) -> List[Tuple[Any, ...]]:
        tuples: List[Tuple[Any, ...]] = list(self.the_plan().tones())
        if not all(t[6] for t in tuples):
            raise NotImplementedError(f"{self.encoding!r} has tones that depend on several coordinates at once: it has "
                                      "no gradients by theta and positions")
        return tuples

    def places(self) -> Tuple[Tensor, Tensor, Tensor, Tensor]:
        """For each column, (dim,): its tone (n_tones: none), its coordinate, the column with the other component of its
        tone (-1: none), and the sign with which that is the derivative by the angle (0: no tone).

        Made again by each call, as what is made while a graph is recorded is not a tensor afterwards."""
        if self._places is None:
            self._places = self._columns()
        tone, axis, other, sign = self._places
        return (torch.tensor(tone, device="cpu"), torch.tensor(axis, device="cpu"), torch.tensor(other, device="cpu"),
                torch.tensor(sign, dtype=torch.float64, device="cpu"))

    def _columns(self) -> Tuple[List[int], List[int], List[int], List[float]]:
        tuples = self._tuples()
        tone, axis = [len(tuples)] * self.dim, [0] * self.dim
        other, sign = list(range(self.dim)), [0.0] * self.dim
        for k, (s, c, a, *_) in enumerate(tuples):
            for column, partner, factor in ((s, c, 1.0), (c, s, -1.0)):
                if column >= 0:
                    tone[column], axis[column], other[column], sign[column] = k, a, partner, factor
        return tone, axis, other, sign

    @property
    def lacks_partners(self) -> bool:
        """Is there a sine without its cosine, or the reverse?"""
        if self._places is None:
            self._places = self._columns()
        return min(self._places[2]) < 0


_FIRST_KEPT = 64
_first_of: Dict[str, Tones] = {}  # rotary tones by their text before the length that ends it


@functools.lru_cache(maxsize=256)
def tones_of(text: str) -> Tones:
    """The tones of a text that text_of() wrote, or text_before_length() with what it leaves out."""
    family, _, end = text.rpartition(_LENGTH)
    digits = end[:-1] if end.endswith("}") else ""
    seq_len = int(digits) if digits.isdecimal() and len(digits) < 16 else 0
    first = _first_of.get(family) if seq_len > 0 else None
    made = None if first is None or first.plan is None else first.at_length(seq_len)
    if made is None:
        words: Dict[str, Any] = json.loads(text)
        made = Tones(Encoding(**{name: word for name, word in words.items() if name != "rotary"}), words["rotary"])
        if seq_len > 0 and made.rotary:
            if len(_first_of) >= _FIRST_KEPT:
                _first_of.clear()
            _first_of[family] = made
    return made


def lead_of(shape: Sequence[Any], n_axes: int) -> Tuple[Any, ...]:
    """The shape of positions without their coordinates."""
    if n_axes == 1:
        return tuple(shape)
    if len(shape) == 0 or shape[-1] != n_axes:
        raise ValueError(f"positions must have shape (..., {n_axes}): this encoding has {n_axes} coordinates")
    return tuple(shape[:-1])
