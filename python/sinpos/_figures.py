"""The numbers of a figure, and what the command line says of how it draws them."""
from __future__ import annotations

from typing import Any, Dict, List, NamedTuple, Optional, Tuple, Union

import numpy as np

from . import _core
from ._arrays import Array, Progress, called, number, numbers as as_numbers, row_count, whole
from ._encoding import Encoding, refuse_other
from ._stated import Stated, consecutive, spec_words

Offsets = Union[range, Array]


class Series(NamedTuple):
    """A column of the numbers that is drawn against the first; a band lies between it and the next one."""

    column: int
    label: str  #: "" stays out of the legend
    style: str  #: "line", "dashed", "dotted", "sparse" (dots far apart), "points", "line points" or "band"
    colour: int
    every: int  #: points at every so manieth row
    is_thick: bool
    is_steps: bool  #: a value holds from its row to the next


class Mark(NamedTuple):
    """A straight line or a point with a label."""

    kind: str  #: "vertical", "horizontal" or "point"
    x: float  #: of a horizontal line where its label stands, 0 to 1
    y: float
    label: str
    colour: int


class Matrix(NamedTuple):
    """Cells that are drawn as colours."""

    row_at: Array  #: (rows,) coordinates on the y axis, in equal steps
    column_at: Array  #: (columns,) on the x axis
    cells: Array  #: (rows, columns)
    label: str
    map: str  #: "diverging" or "sequential"
    low: float
    high: float
    is_square: bool
    rows_alternate: bool  #: between sine and cosine
    columns_alternate: bool


class Figure(NamedTuple):
    """The numbers of a figure, and how the command line draws them, as :func:`numbers` gives them.

    name, title, subtitle, legend
        words. ``note`` says what the columns are, and in which units.
    x, y, x_range, y_range
        axes: label, is_log, is_whole, is_reversed; and their ends.
    columns
        ``(rows,)`` each, by name; the first is that of the x axis. Empty for a matrix.
    series, marks
        which columns are lines or points; what is pointed out.
    matrix
        cells with the values of their rows and columns, or None.

    >>> import sinpos.plot
    >>> sinpos.plot.numbers("kernel", sinpos.Encoding(dim=8), offsets=range(3)).columns["offset"].tolist()
    [0.0, 1.0, 2.0]
    """

    name: str
    title: str
    subtitle: str
    note: str
    x: Dict[str, Any]
    y: Dict[str, Any]
    x_range: Tuple[float, float]
    y_range: Tuple[float, float]
    legend: str
    columns: Dict[str, Array]
    series: List[Series]
    marks: List[Mark]
    matrix: Optional[Matrix]


def names() -> List[str]:
    """The figures there are, by the command line's names.

    >>> import sinpos.plot
    >>> sinpos.plot.names()[:3]
    ['waves', 'heatmap', 'distance']
    """
    return [row[0] for row in _core.figures()]


def _usual_offsets(text: Optional[str]) -> Offsets:
    if text is None:
        return range(1)
    first, colon, last = text.partition(":")
    return range(int(first), int(last)) if colon else np.array([int(part) for part in text.split(",")])


def _offset_rows(offsets: Any) -> Tuple[int, Any]:
    if isinstance(offsets, range) and offsets.step == 1:
        return len(offsets), offsets.start
    array = np.atleast_1d(as_numbers(offsets, "offsets"))
    return 0, np.ascontiguousarray(array.reshape(-1))


def _matrix_of(found: Optional[Dict[str, Any]]) -> Optional[Matrix]:
    if found is None:
        return None
    rows, columns = np.frombuffer(found["row_at"]), np.frombuffer(found["column_at"])
    cells = np.frombuffer(found["cells"]).reshape(len(rows), len(columns))
    words = {name: found[name] for name in Matrix._fields if name not in ("row_at", "column_at", "cells")}
    return Matrix(rows, columns, cells, **words)


def _figure_of(found: Dict[str, Any]) -> Figure:
    columns: Dict[str, Array] = {}
    for name, values in found.pop("columns"):
        columns[name if name not in columns else f"{name} ({len(columns)})"] = np.frombuffer(values)
    series, marks = [Series(*row) for row in found.pop("series")], [Mark(*row) for row in found.pop("marks")]
    return Figure(columns=columns, series=series, marks=marks, matrix=_matrix_of(found.pop("matrix")), **found)


def numbers(name: str, encoding: Optional[Encoding] = None, *, length: Optional[int] = None, start: float = 0,
            step: float = 1, offsets: Optional[Offsets] = None, context: Optional[int] = None, threads: int = 0,
            progress: Progress = None) -> Figure:
    """The numbers of a figure, as ``sinpos plot --data`` has them.

    name
        one of :func:`names`.
    length, start, step
        positions, where the figure asks for them.
    offsets
        a range, or ``(n,)`` integers or reals.
    context
        positions that a model reads at once.

    What is left out is what the command line takes. Raises as the head of this module says.

    >>> import sinpos.plot
    >>> figure = sinpos.plot.numbers("wavelengths", context=4096)
    >>> figure.title, list(figure.columns)[:2]
    ('Wavelength of each tone against the context', ['tone', 'theta'])
    """
    entry = next((row for row in _core.figures() if row[0] == name), None)
    if entry is None:
        raise ValueError(f"{name}: no figure has this name\nhint: they are {', '.join(names())}")
    enc = Encoding(dim=entry[2]) if encoding is None else encoding
    refuse_other(enc, f"numbers({name!r}, encoding, ...)")
    context = entry[5] if context is None else whole(context, "context", 0)
    n = entry[3] or 1 if length is None else row_count(length) or 0
    first, by = number(start, "start"), number(step, "step")
    impl = enc._impl
    n_offsets, at = _offset_rows(_usual_offsets(entry[4]) if offsets is None else offsets)
    words = spec_words(impl.words) if isinstance(impl, Stated) else None
    found = _core.figure(name, enc._plan_for(f"the figure {name!r}"), words, enc.convention, n, consecutive(n, first, by),
                         float(by), n_offsets, at, context, whole(threads, "threads", 0), called(progress))
    return _figure_of(found)
