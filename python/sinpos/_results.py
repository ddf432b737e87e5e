"""What the methods of Encoding return, and how values are printed."""
from __future__ import annotations

from typing import Any, NamedTuple, Optional

import numpy as np

_SHOWN = 256  # numbers of a list that repr() shows in full


def plain(value: Any) -> Any:  # Any: the value, or an int
    """An integer where the value is one."""
    if isinstance(value, dict):
        return {name: plain(inner) for name, inner in value.items()}
    return int(value) if isinstance(value, float) and abs(value) < 1e15 and value == int(value) else value


def shown(value: Any) -> str:
    if isinstance(value, np.ndarray):
        if value.size > _SHOWN:
            return np.array2string(value, separator=", ", threshold=6).replace("\n", "")
        value = value.tolist()
    if isinstance(value, list):
        return "[" + ", ".join(map(shown, value)) + "]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{name!r}: {shown(inner)}" for name, inner in value.items()) + "}"
    return repr(plain(value))


class Near(NamedTuple):
    """Two positions that are near each other, as :meth:`Encoding.separation` returns them.

    distance
        Euclidean distance of their rows.
    offset
        later - earlier.
    earlier, later
        the positions.

    >>> import sinpos
    >>> sinpos.Encoding(dim=32).separation(100)[0]._replace(distance=1.172)
    Near(distance=1.172, offset=1, earlier=0, later=1)
    """

    distance: float
    offset: int
    earlier: int
    later: int


class Distinct(NamedTuple):
    """How many rows differ in their bits, as :meth:`Encoding.distinct` returns it.

    n
        different rows.
    earlier, later
        the first two positions with the same row; None where all differ.

    >>> import sinpos
    >>> sinpos.Encoding(dim=2).distinct(10**5, dtype="bfloat16").n
    8052
    """

    n: int
    earlier: Optional[int]
    later: Optional[int]
