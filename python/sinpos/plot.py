"""The figures of the command line with matplotlib: each function returns the Axes, for you to change.

>>> import matplotlib
>>> matplotlib.use("Agg")
>>> import sinpos, sinpos.plot
>>> ax = sinpos.plot.kernel(sinpos.Encoding(dim=128))
>>> ax.get_xlabel()
'offset k'
>>> ax.figure.savefig("/dev/null", format="png")

Which positions, offsets or context is said as for :func:`numbers`. All of them take the same words after their own:

ax
    where to draw; otherwise a new figure is made, 9 by 6 inches (7 by 6 for squares). Colours follow its ground, light or
    dark. Among other axes give the figure ``layout="constrained"``, or titles and legends will not have room.
title
    instead of the title that says what is drawn. It stands left, above a line in grey: to change it later say
    ``ax.set_title("...", loc="left", pad=22)``.
threads
    0: all processors.
progress
    called with the part done, 0 to 1, by figures that take long. Ctrl-C stops the work.

Where no encoding is given it is that of the documents' figures. All numbers come from the C library; :func:`numbers` has
them without a picture. Raises ValueError for encodings with other columns than sines and cosines of one coordinate,
and for what makes no picture.
"""
from __future__ import annotations

from typing import Any, Callable, Dict, List, NamedTuple, Optional, Tuple, Union

import numpy as np

from . import _core
from ._arrays import Array, called, numbers as as_numbers, whole
from ._encoding import Encoding, _length, _number, refuse_other
from ._stated import Stated, consecutive, spec_words

__all__ = ["Figure", "base", "decay", "decay_log", "distance", "distance_law", "draw", "error", "gram", "heatmap", "kernel",
           "names", "near_far", "numbers", "separation", "spectrum", "wavelengths", "waves"]

Axes = Any  # matplotlib.axes.Axes, which brings no types
Offsets = Union[range, Array]
Progress = Optional[Callable[[float], Any]]

_BLACK = "#000000"
_DASHES: Dict[str, Any] = {"dashed": (0, (5, 3)), "dotted": (0, (1.5, 2))}


class Series(NamedTuple):
    """A column of the numbers that is drawn against the first; a band lies between it and the next one."""

    column: int
    label: str  #: "" stays out of the legend
    style: str  #: "line", "dashed", "dotted", "points", "line points" or "band"
    colour: int
    every: int  #: points at every so manieth row
    is_thick: bool


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


# ---------------------------------------------------------------------------------------------------- numbers


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
    return Matrix(rows, columns, cells, found["label"], found["map"], found["low"], found["high"], found["is_square"])


def _figure_of(found: Dict[str, Any]) -> Figure:
    columns: Dict[str, Array] = {name: np.frombuffer(values) for name, values in found.pop("columns")}
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
        raise ValueError(f"{name}: there is no figure of that name\nhint: they are {', '.join(names())}")
    enc = Encoding(dim=entry[2]) if encoding is None else encoding
    refuse_other(enc, f"numbers({name!r}, encoding, ...)")
    context = entry[5] if context is None else whole(context, "context", 0)
    n = entry[3] or 1 if length is None else _length(length) or 0
    first, by = _number(start, "start"), _number(step, "step")
    impl = enc._impl
    n_offsets, at = _offset_rows(_usual_offsets(entry[4]) if offsets is None else offsets)
    words = spec_words(impl.words) if isinstance(impl, Stated) else None
    found = _core.figure(name, enc._plan_for(f"the figure {name!r}"), words, enc.convention, n, consecutive(n, first, by),
                         float(by), n_offsets, at, context, whole(threads, "threads", 0), called(progress))
    return _figure_of(found)


# ---------------------------------------------------------------------------------------------------- drawing


class _Look(NamedTuple):
    """Colours that are read on the ground of the axes, light or dark."""

    ink: str
    muted: str
    pale: str
    black: str

    def line(self, number: int) -> str:
        colours = _core.colours()["lines"]
        colour = colours[number % len(colours)]
        return self.black if colour == _BLACK else colour


_ON_LIGHT, _ON_DARK = _Look("#333333", "#666666", "#dddddd", _BLACK), _Look("#dddddd", "#aaaaaa", "#404040", "#ffffff")


def _look_of(ax: Axes) -> _Look:
    from matplotlib import rcParams  # type: ignore
    from matplotlib.colors import to_rgba  # type: ignore

    grounds = [to_rgba(c) for c in (ax.get_facecolor(), ax.figure.get_facecolor())]
    ground = next((c for c in grounds if c[3] > 0.5), None)
    if ground is None:  # transparent: it will lie on what the text is meant for
        ground = tuple(1 - c for c in to_rgba(rcParams["text.color"])[:3])
    return _ON_DARK if 0.299 * ground[0] + 0.587 * ground[1] + 0.114 * ground[2] < 0.5 else _ON_LIGHT


def _new_axes(is_square: bool) -> Axes:
    import matplotlib.pyplot as plt  # type: ignore

    return plt.subplots(figsize=(7, 6) if is_square else (9, 6), layout="constrained")[1]


def _draw_series(ax: Axes, figure: Figure, series: Series) -> None:
    columns = list(figure.columns.values())
    x, y, colour = columns[0], columns[series.column], _look_of(ax).line(series.colour)
    label = series.label or "_nolegend_"
    if series.style == "band":
        ax.fill_between(x, y, columns[series.column + 1], color=colour, alpha=0.18, linewidth=0, label=label)
        return
    has_points, has_line = "points" in series.style, series.style != "points"
    size = (5 if series.is_thick else 3.5) if series.style == "points" else 3
    ax.plot(x[::series.every], y[::series.every], color=colour, label=label,
            linewidth=(2.2 if series.is_thick else 1.4) if has_line else 0, linestyle=_DASHES.get(series.style, "-"),
            marker="o" if has_points else "", markersize=size, markeredgewidth=0)


def _draw_mark(ax: Axes, figure: Figure, mark: Mark) -> None:
    colour = _look_of(ax).line(mark.colour)
    look = {"color": colour, "linewidth": 0.9, "linestyle": (0, (4, 4)), "zorder": 1}
    text = {"textcoords": "offset points", "color": colour, "fontsize": 9, "annotation_clip": True,
            "in_layout": False}
    if mark.kind == "point":
        ax.plot([mark.x], [mark.y], "o", color=look["color"], markersize=5)
        ax.annotate(mark.label, (mark.x, mark.y), (5, 5), **text)
    elif mark.kind == "vertical":
        ax.axvline(mark.x, **look)
        is_left = ax.transLimits.transform(ax.transScale.transform((mark.x, figure.y_range[1])))[0] < 0.6
        ax.annotate(mark.label, (mark.x, 0.04), (5 if is_left else -5, 0), ha="left" if is_left else "right",
                    xycoords=("data", "axes fraction"), **text)
    else:
        ax.axhline(mark.y, **look)
        where = "left" if mark.x < 0.34 else "center" if mark.x < 0.67 else "right"
        ax.annotate(mark.label, (mark.x or 0.01, mark.y), (0, 4), ha=where, xycoords=("axes fraction", "data"), **text)


def _draw_legend(ax: Axes, figure: Figure) -> None:
    labels = ax.get_legend_handles_labels()[1]
    if not labels:
        return
    look = _look_of(ax)
    if figure.legend == "below":
        from matplotlib.transforms import offset_copy  # type: ignore

        wide = ax.get_window_extent().width / ax.figure.dpi * 14  # letters beside each other, or so
        columns = max(1, min(len(labels), 4, int(wide / (8 + max(map(len, labels))))))
        ax.legend(loc="upper left", bbox_to_anchor=(0, 0), ncol=columns, frameon=False, fontsize=9, borderaxespad=0,
                  bbox_transform=offset_copy(ax.transAxes, ax.figure, x=-8, y=-36, units="points"), labelcolor=look.ink)
    else:
        ax.legend(loc=figure.legend, fontsize=9, framealpha=0.85, edgecolor=look.pale, fancybox=False,
                  labelcolor=look.ink)


def _draw_lines(ax: Axes, figure: Figure) -> None:
    for series in figure.series:
        _draw_series(ax, figure, series)
    ax.grid(True, color=_look_of(ax).pale, linewidth=0.7)
    ax.set_axisbelow(True)


def _draw_matrix(ax: Axes, figure: Figure, matrix: Matrix) -> None:
    from matplotlib.colors import LinearSegmentedColormap

    colours = LinearSegmentedColormap.from_list("sinpos_" + matrix.map, _core.colours()[matrix.map])
    image = ax.imshow(matrix.cells, cmap=colours, vmin=matrix.low, vmax=matrix.high, origin="lower",
                      extent=(*figure.x_range, *figure.y_range), aspect="equal" if matrix.is_square else "auto",
                      interpolation="nearest" if max(matrix.cells.shape) <= 512 else "antialiased")
    bar = ax.figure.colorbar(image, ax=ax, label=matrix.label, pad=0.02)
    bar.outline.set_visible(False)
    bar.ax.tick_params(colors=_look_of(ax).ink)
    bar.ax.yaxis.label.set_color(_look_of(ax).ink)


def _set_axes(ax: Axes, figure: Figure) -> None:
    from matplotlib.ticker import MaxNLocator, ScalarFormatter  # type: ignore

    ink = _look_of(ax).ink
    for axis, own, ends in (("x", figure.x, figure.x_range), ("y", figure.y, figure.y_range)):
        getattr(ax, f"set_{axis}label")(own["label"], color=ink)
        if own["is_log"]:
            getattr(ax, f"set_{axis}scale")("log")
            if ends[1] < 10 * ends[0]:  # less than a decade: 2 and 3, not 2 x 10^0
                getattr(ax, f"{axis}axis").set_minor_formatter(ScalarFormatter())
        elif own["is_whole"]:
            getattr(ax, f"{axis}axis").set_major_locator(MaxNLocator(8, steps=[1, 2, 4, 5, 8, 10], integer=True))
        getattr(ax, f"set_{axis}lim")(ends[::-1] if own["is_reversed"] else ends)
    ax.tick_params(which="both", colors=ink)
    ax.spines[["top", "right"]].set_visible(False)
    ax.spines[["left", "bottom"]].set_color(ink)


def draw(figure: Figure, ax: Axes = None, *, title: Optional[str] = None) -> Axes:
    """Draw what :func:`numbers` gave, and return the Axes.

    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> import sinpos.plot
    >>> figure = sinpos.plot.numbers("waves")
    >>> len(sinpos.plot.draw(figure, title="Four columns").lines) >= 4
    True
    """
    if not isinstance(figure, Figure):
        raise TypeError(f"figure must be what numbers() gives, not {type(figure).__name__}")
    ax = _new_axes(figure.matrix is not None and figure.matrix.is_square) if ax is None else ax
    if not hasattr(ax, "get_facecolor"):
        raise TypeError(f"ax must be matplotlib's Axes, not {type(ax).__name__}")
    if figure.matrix is not None:
        _draw_matrix(ax, figure, figure.matrix)
    else:
        _draw_lines(ax, figure)
    _set_axes(ax, figure)
    for mark in figure.marks:
        _draw_mark(ax, figure, mark)
    _draw_legend(ax, figure)
    ax.set_title(figure.title if title is None else title, loc="left", fontsize=12, pad=22 if figure.subtitle else 6)
    if figure.subtitle:
        ax.annotate(figure.subtitle, (0, 1), (0, 7), xycoords="axes fraction", textcoords="offset points", fontsize=9.5,
                    color=_look_of(ax).muted)
    return ax


def _drawn(name: str, encoding: Optional[Encoding], ax: Axes, title: Optional[str], look: Dict[str, Any],
           **words: Any) -> Axes:
    unknown = set(look) - {"threads", "progress"}
    if unknown:
        raise TypeError(f"unknown word {unknown.pop()!r}: ax, title, threads and progress are known")
    return draw(numbers(name, encoding, **words, **look), ax, title=title)


# ---------------------------------------------------------------------------------------------------- figures


def waves(encoding: Optional[Encoding] = None, length: int = 100, start: float = 0, step: float = 1, *, ax: Axes = None,
          title: Optional[str] = None, **look: Any) -> Axes:
    """Columns of the table against the position: all of a narrow one, else some sines.

    >>> import sinpos.plot
    >>> ax = sinpos.plot.waves(sinpos.Encoding(dim=8), 50)
    """
    return _drawn("waves", encoding, ax, title, look, length=length, start=start, step=step)


def heatmap(encoding: Optional[Encoding] = None, length: int = 100, start: float = 0, step: float = 1, *, ax: Axes = None,
            title: Optional[str] = None, **look: Any) -> Axes:
    """The table as colours, positions by columns; at most 2^22 cells.

    >>> import sinpos.plot
    >>> ax = sinpos.plot.heatmap(sinpos.Encoding(dim=32), 64)
    """
    return _drawn("heatmap", encoding, ax, title, look, length=length, start=start, step=step)


def distance(encoding: Optional[Encoding] = None, length: int = 1000, *, step: float = 1, ax: Axes = None,
             title: Optional[str] = None, **look: Any) -> Axes:
    """Euclidean distance of every two of up to 2048 positions, as colours.

    >>> import sinpos.plot
    >>> ax = sinpos.plot.distance(sinpos.Encoding(dim=32), 100)
    """
    return _drawn("distance", encoding, ax, title, look, length=length, step=step)


def distance_law(encoding: Optional[Encoding] = None, offsets: Optional[Offsets] = None, *, ax: Axes = None,
                 title: Optional[str] = None, **look: Any) -> Axes:
    """Distance of two positions against their offset, beside the logarithmic law. Source: docs/mathematics.md.

    >>> import sinpos.plot
    >>> ax = sinpos.plot.distance_law(sinpos.Encoding(dim=64), range(1, 200))
    """
    return _drawn("distance-law", encoding, ax, title, look, offsets=offsets)


def kernel(encoding: Optional[Encoding] = None, offsets: Optional[Offsets] = None, *, ax: Axes = None,
           title: Optional[str] = None, **look: Any) -> Axes:
    """g(k), the product of two positions k apart, with its envelope and the first offset at which it is negative.

    >>> import sinpos.plot
    >>> ax = sinpos.plot.kernel(sinpos.Encoding(dim=64), range(500))
    """
    return _drawn("kernel", encoding, ax, title, look, offsets=offsets)


def decay(encoding: Optional[Encoding] = None, offsets: Optional[Offsets] = None, *, ax: Axes = None,
          title: Optional[str] = None, **look: Any) -> Axes:
    """Decay of g for several schedules. NotImplementedError where sinpos was built without FLINT, as a wheel is.

    Source: Su et al. 2021, arXiv:2104.09864, section 3.4.3.

    >>> import sinpos.plot
    >>> ax = sinpos.plot.decay(offsets=[1, 10, 100])  # doctest: +SKIP
    """
    return _drawn("decay", encoding, ax, title, look, offsets=offsets)


def decay_log(encoding: Optional[Encoding] = None, offsets: Optional[Offsets] = None, *, ax: Axes = None,
              title: Optional[str] = None, **look: Any) -> Axes:
    """The same far out, on a log axis; offsets above 0.

    >>> import sinpos.plot
    >>> ax = sinpos.plot.decay_log(offsets=[1, 10, 100])  # doctest: +SKIP
    """
    return _drawn("decay-log", encoding, ax, title, look, offsets=offsets)


def spectrum(encoding: Optional[Encoding] = None, length: int = 1024, *, ax: Axes = None, title: Optional[str] = None,
             **look: Any) -> Axes:
    """Spectra of columns, with their frequencies; 8 to 16384 positions.

    >>> import sinpos.plot
    >>> ax = sinpos.plot.spectrum(sinpos.Encoding(dim=32), 256)
    """
    return _drawn("spectrum", encoding, ax, title, look, length=length)


def gram(encoding: Optional[Encoding] = None, length: int = 1000, start: float = 0, step: float = 1, *, ax: Axes = None,
         title: Optional[str] = None, **look: Any) -> Axes:
    """Products of the columns, as colours; at most 1024 columns.

    >>> import sinpos.plot
    >>> ax = sinpos.plot.gram(sinpos.Encoding(dim=32), 100)
    """
    return _drawn("gram", encoding, ax, title, look, length=length, start=start, step=step)


def wavelengths(encoding: Optional[Encoding] = None, context: int = 4096, *, ax: Axes = None,
                title: Optional[str] = None, **look: Any) -> Axes:
    """Wavelength of each tone against the positions that a model reads at once.

    >>> import sinpos.plot
    >>> ax = sinpos.plot.wavelengths(sinpos.Encoding(dim=64), 4096)
    """
    return _drawn("wavelengths", encoding, ax, title, look, context=context)


def near_far(encoding: Optional[Encoding] = None, offsets: Optional[Offsets] = None, *, ax: Axes = None,
             title: Optional[str] = None, **look: Any) -> Axes:
    """Which tones tell near and far positions apart; up to 8 offsets.

    >>> import sinpos.plot
    >>> ax = sinpos.plot.near_far(sinpos.Encoding(dim=64), [1, 100])
    """
    return _drawn("near-far", encoding, ax, title, look, offsets=offsets)


def separation(encoding: Optional[Encoding] = None, length: int = 100000, *, ax: Axes = None,
               title: Optional[str] = None, **look: Any) -> Axes:
    """Smallest distance of two positions below n, for several dims around the encoding's.

    >>> import sinpos.plot
    >>> ax = sinpos.plot.separation(sinpos.Encoding(dim=32), 1000)
    """
    return _drawn("separation", encoding, ax, title, look, length=length)


def base(encoding: Optional[Encoding] = None, context: int = 4096, *, ax: Axes = None, title: Optional[str] = None,
         **look: Any) -> Axes:
    """Good and bad bases for a context. Source: Xu et al. 2024, arXiv:2405.14591, for the question.

    >>> import sinpos.plot
    >>> ax = sinpos.plot.base(sinpos.Encoding(dim=32), 256)
    """
    return _drawn("base", encoding, ax, title, look, context=context)


def error(encoding: Optional[Encoding] = None, length: int = 131072, *, ax: Axes = None, title: Optional[str] = None,
          **look: Any) -> Axes:
    """Error of common arithmetic against the number of positions.

    >>> import sinpos.plot
    >>> ax = sinpos.plot.error(sinpos.Encoding(dim=16), 100)
    """
    return _drawn("error", encoding, ax, title, look, length=length)
