"""Why two arrays are not the same encoding."""
from __future__ import annotations

from typing import Any, List, NamedTuple, Optional, Tuple, Union

import numpy as np

from . import _core
from ._analysis import _laid_out, _settled
from ._arrays import Array, given, whole
from ._encoding import Encoding


class Cause(NamedTuple):
    """One reason why B is not A, as :func:`diff` finds it. Printed, it is one sentence.

    kind
        "layout", "order", "base", "divisor", "frequencies", "start", "step", "scale", "sign", "constant", "dropout",
        "angles", "positions", "type", "permutation", "columns", "stacked", "length", "noise" or "unrelated".
    a, b
        what A and B have: numbers, or words; None where there is no such thing.
    rows
        first and last row of B that it concerns.
    columns
        of B that it concerns, None for all; of "permutation" and "columns" the column of A that each column of B is, or None.
    text
        the sentence.

    >>> import sinpos
    >>> print(sinpos.diff(sinpos.Encoding(8).table(64), sinpos.Encoding(8, layout="halves").table(64)).causes[0])
    B is A in halves
    """

    kind: str
    a: Union[float, str, None]
    b: Union[float, str, None]
    rows: Tuple[int, int]
    columns: Optional[List[Optional[int]]]
    text: str

    def __str__(self) -> str:
        return self.text


class Difference(NamedTuple):
    """What :func:`diff` finds. It is true if the arrays differ.

    same
        type, shape and all elements are equal.
    causes
        exactly those that apply.
    elements
        of B that were compared with what A and the causes make.
    wrong, max_abs_error
        how many of them the causes do not explain, and how far off these are.

    >>> import sinpos
    >>> found = sinpos.diff(sinpos.Encoding(8).table(64), sinpos.Encoding(8, base=500000).table(64))
    >>> found.same, found.wrong, [(cause.kind, cause.a, cause.b) for cause in found.causes]
    (False, 0, [('base', 10000.0, 500000.0)])
    """

    same: bool
    causes: Tuple[Cause, ...]
    elements: int
    wrong: int
    max_abs_error: float

    def __bool__(self) -> bool:
        """Do the arrays differ?"""
        return not self.same

    def __str__(self) -> str:
        if self.same:
            return "the same: all elements are equal"
        why = "; ".join(map(str, self.causes)) or "no cause found"
        return f"{why}; {self.wrong} of {self.elements} elements are not explained"


def diff(a: Any, b: Any, *, rotated: bool = False, input: Any = None, heads: int = 1, dtype: Any = None,
         threads: int = 0) -> Difference:
    """Are two arrays the same encoding, and if not, why?

    a, b
        ``(..., n, dim)``: float64, float32, float16 or bfloat16; arrays or tensors, which are only read. One of them may be
        an :class:`Encoding` or the name of a convention, which then has the shape and type of the other.
    rotated
        a and b are queries or keys after rotation, ``(..., n, dim)``, or ``(..., n, heads, dim)`` with ``heads``.
    input
        with rotated: what both were before, if it is known.
    dtype
        "bfloat16" where arrays hold bits as uint16.

    Raises ValueError and TypeError for what is not a table. Equal to ``sinpos diff``.

    >>> import sinpos
    >>> table = sinpos.Encoding(dim=64).table(200)
    >>> print(sinpos.diff(table, table * 8))
    B is A times 8; 0 of 12800 elements are not explained
    >>> bool(sinpos.diff("vaswani", table))
    False
    """
    sides = [a, b]
    stated = [isinstance(side, (str, Encoding)) for side in sides]
    if all(stated):
        raise ValueError("one of the two must be an array, which gives the shape")
    for k in (0, 1):
        if stated[k]:
            sides[k] = _like(sides[k], sides[1 - k], dtype, threads)
    tables = [_table(side, dtype, name) for side, name in zip(sides, "ab")]
    if not rotated:
        if input is not None or heads != 1:
            raise ValueError("input and heads are of rotated queries or keys: diff(..., rotated=True)")
        return _difference(_core.diff(tables[0], tables[1], threads))
    before = None if input is None else _table(input, dtype, "input")
    n_heads = whole(heads, "heads", 1)
    shape = tables[0].shape
    if any(other.shape != shape for other in tables[1:] + ([] if before is None else [before])):
        raise ValueError("rotated arrays must have one shape")
    if shape[-1] % 2 or (n_heads > 1 and (len(shape) < 3 or shape[-2] != n_heads)):
        raise ValueError(f"rotated arrays must have shape (..., n, heads, d) with an even d, not {shape}")
    positions = shape[-3] if n_heads > 1 else shape[-2]
    return _difference(_core.diff_rotated(tables[0], tables[1], before, positions, n_heads, threads))


def _table(side: Any, dtype: Any, name: str) -> Array:
    array, bits = given(side, dtype, name)
    if array.ndim < 2 or array.size == 0:
        raise ValueError(f"{name} must have two dimensions or more, rows and columns, not shape {array.shape}")
    return np.ascontiguousarray(bits)


def _like(encoding: Union[str, Encoding], other: Any, dtype: Any, threads: int) -> Array:
    """The table of an encoding in the shape and type of the other array."""
    array, bits = given(other, dtype, "b")
    kind = "bfloat16_bits" if bits.dtype == np.uint16 else bits.dtype.name
    _, made = _settled(encoding, array.shape, 0, 1, None)
    return _laid_out(made(kind, threads), array.shape)


def _difference(row: Tuple[bool, List[Tuple[Any, ...]], int, int, float]) -> Difference:
    same, causes, elements, wrong, error = row
    return Difference(same, tuple(Cause(*cause) for cause in causes), elements, wrong, error)
