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
    dark. Among other axes letters are smaller and words are broken, so that titles and legends have room; where the
    figure has no layout of its own (``layout="constrained"``), the axes are moved within their place.
    What was drawn there before stays: two curves on one axes differ by label and colour.
title
    instead of the title that says what is drawn. It stands left, above a line in grey: to change it later say
    ``ax.set_title("...", loc="left", pad=22)``.
label
    of the curve in the legend; of several curves it stands before the label of each. On axes that have a curve of
    another encoding it is the encoding, unless given.
color
    of the curve, as matplotlib has them; of several curves one for all, or a list with one for each.
threads
    0: all processors.
progress
    called with the part done, 0 to 1, by figures that take long. Ctrl-C stops the work.

Where no encoding is given it is that of the documents' figures. All numbers come from the C library; :func:`numbers` has
them without a picture. Raises ValueError for encodings with other columns than sines and cosines of one coordinate,
and for what makes no picture.
"""
from __future__ import annotations

import textwrap
import weakref
from typing import Any, Dict, List, NamedTuple, Optional, Tuple

import numpy as np

from . import _core
from ._arrays import Array
from ._encoding import Encoding
from ._figures import Figure, Mark, Matrix, Offsets, Series, names, numbers

__all__ = ["Figure", "base", "decay", "decay_log", "distance", "distance_law", "draw", "error", "gram", "heatmap", "kernel",
           "names", "near_far", "numbers", "separation", "spectrum", "wavelengths", "waves"]

Axes = Any  # matplotlib.axes.Axes, which brings no types

_BLACK = "#000000"
_DASHES: Dict[str, Any] = {"dashed": (0, (5, 4.5)), "dotted": (0, (1.5, 2.5)), "sparse": (0, (1.5, 7))}


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


class _Place(NamedTuple):
    """The part of a figure that is for one axes with its words: ends as parts of the figure; sizes in points."""

    left: float
    right: float
    bottom: float
    top: float
    width: float
    height: float
    can_move: bool  #: no layout will make room for the words

    @property
    def scale(self) -> float:
        """Of letters and lines: 1 from 6 by 4 inches on."""
        part = min(1.0, self.width / 432, self.height / 288)
        return max(0.5, float(part ** 0.6))


def _share(sizes: Array, first: int, last: int, low: float, high: float) -> Tuple[float, float]:
    """Of rows or columns of axes that share what is between low and high as their sizes do."""
    whole_size = float(np.sum(sizes))
    ends = [low + (high - low) * float(np.sum(sizes[:k])) / whole_size for k in (first, last)]
    return ends[0], ends[1]


def _place_of(ax: Axes) -> _Place:
    from matplotlib import rcParams
    from matplotlib.gridspec import GridSpec  # type: ignore

    fig, spec = ax.figure, ax.get_subplotspec() if hasattr(ax, "get_subplotspec") else None
    if spec is None:
        own = ax.get_position()
        across, up = (own.x0, own.x1), (own.y0, own.y1)
    else:
        grid, rows, columns = spec.get_gridspec(), spec.rowspan, spec.colspan
        bottoms, tops, lefts, rights = grid.get_grid_positions(fig)

        def edge(side: str, at: float, whole: float) -> float:
            """The margins of a figure are for words, unless someone set them."""
            is_usual = isinstance(grid, GridSpec) and abs(at - rcParams["figure.subplot." + side]) < 1e-6
            return whole if is_usual else float(at)

        top = 0.93 if getattr(fig, "_suptitle", None) is not None else 1
        across = _share(rights - lefts, columns.start, columns.stop, edge("left", lefts[0], 0), edge("right", rights[-1], 1))
        up = _share((tops - bottoms)[::-1], len(tops) - rows.stop, len(tops) - rows.start,
                    edge("bottom", bottoms[-1], 0), edge("top", tops[0], top))
    points = 72 / fig.dpi
    return _Place(*across, *up, (across[1] - across[0]) * fig.bbox.width * points, (up[1] - up[0]) * fig.bbox.height * points,
                  spec is not None and fig.get_layout_engine() is None)


def _broken(text: str, points: float, size: float) -> str:
    """In lines of at most so many points, as letters of that size need them, or nearly."""
    letters = max(8, int(points / (0.56 * size)))
    return "\n".join(textwrap.wrap(text, letters, break_long_words=False)) or text


class _Words:
    """Sizes and widths of the words around an axes, in points."""

    def __init__(self, ax: Axes, place: _Place, is_matrix: bool) -> None:
        from matplotlib import rcParams
        from matplotlib.font_manager import FontProperties  # type: ignore

        def size(name: str) -> float:
            points: float = FontProperties(size=rcParams[name]).get_size_in_points()
            return points * place.scale

        self.scale, self.place = place.scale, place
        self.title, self.subtitle, self.legend = 12 * place.scale, 9.5 * place.scale, 9 * place.scale
        self.label, self.tics = size("axes.labelsize"), size("xtick.labelsize")
        self.width = place.width - 5 * self.tics - (6 * self.tics if is_matrix else 0)
        self.height = place.height - 8 * self.tics


# What was drawn on axes: where words differ, each has its own in the legend.
class _Before:
    def __init__(self, words: str, label: Optional[str], color: Any, curves: List[Tuple[Any, Series]]) -> None:
        self.words, self.label, self.color, self.curves = words, label, color, curves


_before: "weakref.WeakKeyDictionary[Axes, List[_Before]]" = weakref.WeakKeyDictionary()


def _is_main(series: Series) -> bool:
    return series.style != "band" and series.label != ""


def _labelled(figure: Figure, series: Series, label: Optional[str]) -> str:
    if series.label == "":
        return "_nolegend_"
    if label is None:
        return series.label
    is_alone = sum(map(_is_main, figure.series)) == 1
    return label if is_alone and _is_main(series) else f"{label}: {series.label}"


def _colours_of(figure: Figure, color: Any, look: _Look, shift: int) -> Dict[int, Any]:
    """For each number of a colour in the figure what it is on these axes."""
    from matplotlib.colors import is_color_like

    numbers = [series.colour for series in figure.series if _is_main(series)]
    every = {k: look.line(k + shift) for k in {series.colour for series in figure.series}}
    if color is None:
        return every
    if is_color_like(color):
        return {k: color for k in every}
    colors = list(color) if isinstance(color, (list, tuple, np.ndarray)) else [color]
    wrong = [c for c in colors if not is_color_like(c)]
    if wrong:
        raise ValueError(f"color: {wrong[0]!r} is not a colour\nhint: a name, '#0072b2' or (red, green, blue)")
    if len(colors) != len(numbers):
        raise ValueError(f"color: {len(colors)} colours for {len(numbers)} curves\nhint: give one for all, or one for each")
    return {**every, **dict(zip(numbers, colors))}


def _is_drawn(ax: Axes, x: Array, y: Array) -> bool:
    """Is there a curve already, of another drawing, with the same numbers?"""
    return any(len(line.get_xdata()) == len(x) and np.array_equal(line.get_xdata(), x)
               and np.allclose(line.get_ydata(), y, rtol=1e-3, atol=1e-12, equal_nan=True) for line in ax.lines)


def _draw_series(ax: Axes, figure: Figure, series: Series, label: str, colour: Any, thin: float) -> Any:
    columns = list(figure.columns.values())
    x, y = columns[0][::series.every], columns[series.column][::series.every]
    if series.style == "band":
        return ax.fill_between(columns[0], columns[series.column], columns[series.column + 1], color=colour, alpha=0.18,
                               linewidth=0, label=label)
    has_points, has_line = "points" in series.style, series.style != "points"
    size = (5 if series.is_thick else 3.5) if series.style == "points" else 3
    style = "dashed" if series.style == "line" and _is_drawn(ax, x, y) else series.style
    return ax.plot(x, y, color=colour, label=label, linestyle=_DASHES.get(style, "-"),
                   linewidth=(2.2 if series.is_thick else 1.4) * thin if has_line else 0,
                   drawstyle="steps-post" if series.is_steps else "default",
                   marker="o" if has_points else "", markersize=size * thin, markeredgewidth=0)[0]


def _draw_mark(ax: Axes, figure: Figure, mark: Mark, words: _Words, colour: Any, n_before: int) -> None:
    look = {"color": colour, "linewidth": 0.9, "linestyle": (0, (4, 4)), "zorder": 1}
    text = {"textcoords": "offset points", "color": colour, "fontsize": words.legend, "annotation_clip": True,
            "in_layout": False, "gid": "sinpos mark"}
    if mark.kind == "point":
        ax.plot([mark.x], [mark.y], "o", color=look["color"], markersize=5)
        ax.annotate(mark.label, (mark.x, mark.y), (5, 5), **text)
    elif mark.kind == "vertical":
        ax.axvline(mark.x, **look)
        at = ax.transLimits.transform(ax.transScale.transform((mark.x, ax.get_ylim()[1])))[0]
        is_left = at < 0.6
        label = _broken(mark.label, words.width * (1 - at if is_left else at) - 5, words.legend)
        ax.annotate(label, (mark.x, 0.04 + 0.08 * n_before), (5 if is_left else -5, 0), ha="left" if is_left else "right",
                    xycoords=("data", "axes fraction"), **text)
    else:
        ax.axhline(mark.y, **look)
        label = _broken(mark.label, 0.95 * words.width, words.legend)
        x = mark.x if len(mark.label) * 0.56 * words.legend < 0.6 * words.width else 0
        where = "left" if x < 0.34 else "center" if x < 0.67 else "right"
        ax.annotate(label, (x or 0.01, mark.y), (0, 2 + 2 * words.scale), ha=where, xycoords=("axes fraction", "data"), **text)


def _legend_size(labels: List[str], words: _Words) -> Tuple[float, int]:
    """Letters and columns of a legend below: smaller ones where it would take more than a quarter of the place."""
    longest = max(map(len, labels))
    for size in (words.legend, 0.9 * words.legend, 0.8 * words.legend):
        columns = max(1, min(len(labels), 4, int(words.width / ((4.5 + 0.53 * longest) * size))))
        if -(-len(labels) // columns) * 1.5 * size < 0.25 * words.place.height:
            break
    return size, columns


def _draw_legend(ax: Axes, figure: Figure, words: _Words) -> None:
    handles, labels = ax.get_legend_handles_labels()
    if not labels:
        return
    look = _look_of(ax)
    more = {"fontsize": words.legend, "labelcolor": look.ink, "handlelength": 2 if words.scale > 0.8 else 1.5}
    if figure.legend == "below" or words.scale < 0.75:  # inside of small axes it would cover the curves
        from matplotlib.transforms import offset_copy  # type: ignore

        size, columns = _legend_size(labels, words)
        labels = [_broken(label, words.width - 3 * size, size) for label in labels]
        more["fontsize"] = size
        lines = ax.get_xlabel().count("\n") + 1
        below = 14 + (1.6 if figure.x["is_log"] else 1.2) * words.tics + 1.25 * lines * words.label
        ax.legend(handles, labels, loc="upper left", bbox_to_anchor=(0, 0), ncol=columns, frameon=False, borderaxespad=0,
                  bbox_transform=offset_copy(ax.transAxes, ax.figure, x=-8, y=-below, units="points"), **more)
    else:
        labels = [_broken(label, 0.6 * words.width, words.legend) for label in labels]
        ax.legend(handles, labels, loc=figure.legend, framealpha=0.85, edgecolor=look.pale, fancybox=False, **more)


def _draw_lines(ax: Axes, figure: Figure, words: _Words, label: Optional[str], color: Any) -> None:
    before = _before.setdefault(ax, [])
    own_words = figure.subtitle.partition(";")[0]
    if any(drawn.words != own_words for drawn in before):
        label = own_words if label is None else label
        for drawn in before:
            if drawn.label is None:
                drawn.label = drawn.words
                for artist, series in drawn.curves:
                    artist.set_label(_labelled(figure, series, drawn.words))
    shift = sum(max(2, sum(_is_main(series) for _, series in drawn.curves)) for drawn in before)
    colours = _colours_of(figure, color, _look_of(ax), shift)
    curves = [(_draw_series(ax, figure, series, _labelled(figure, series, label), colours[series.colour], words.scale ** 0.5),
               series) for series in figure.series]
    before.append(_Before(own_words, label, color if shift == 0 else next(iter(colours.values()), None), curves))
    ax.grid(True, color=_look_of(ax).pale, linewidth=0.7)
    ax.set_axisbelow(True)


def _draw_marks(ax: Axes, figure: Figure, words: _Words) -> None:
    """Of curves that came later in the colour of these, and none twice."""
    look, before = _look_of(ax), _before.get(ax, [])
    color = before[-1].color if before else None
    for mark in figure.marks:
        is_own = mark.kind != "horizontal" and color is not None and len(figure.series) <= 2
        if mark.kind == "horizontal" and len(before) > 1:
            continue
        _draw_mark(ax, figure, mark, words, color if is_own else look.line(mark.colour), max(0, len(before) - 1))


def _means(cells: Array, pixels: float) -> Array:
    """Of sine and cosine columns that have no room for 3 pixels each: means of even numbers of them, which make no stripes."""
    n, in_one = cells.shape[1], 2
    if n <= pixels / 3:
        return cells
    while n > pixels / 1.5 * in_one:
        in_one += 2
    n_drawn = -(-n // in_one)
    starts = np.arange(n_drawn) * n // n_drawn // 2 * 2
    means: Array = np.add.reduceat(cells, starts, axis=1) / np.diff(np.append(starts, n))
    return means


def _fit_cells(figure: Figure, matrix: Matrix, ax: Axes, words: _Words) -> Tuple[Figure, Array]:
    """The cells that are drawn; the subtitle says where they are means."""
    pixels, cells = ax.figure.dpi / 72, matrix.cells
    cells = _means(cells, words.width * pixels) if matrix.columns_alternate else cells
    cells = _means(cells.T, words.height * pixels).T if matrix.rows_alternate else cells
    in_one = matrix.cells.size / cells.size
    if in_one == 1:
        return figure, cells
    about = "" if in_one == int(in_one) else "about "
    return figure._replace(subtitle=f"{figure.subtitle}; each colour is the mean of {about}{in_one:.0f} cells"), cells


def _draw_matrix(ax: Axes, figure: Figure, matrix: Matrix, cells: Array, words: _Words) -> Axes:
    from matplotlib.colors import LinearSegmentedColormap

    colours = LinearSegmentedColormap.from_list("sinpos_" + matrix.map, _core.colours()[matrix.map])
    image = ax.imshow(cells, cmap=colours, vmin=matrix.low, vmax=matrix.high, origin="lower",
                      extent=(*figure.x_range, *figure.y_range), aspect="equal" if matrix.is_square else "auto",
                      interpolation="antialiased")
    bar = ax.figure.colorbar(image, ax=ax, pad=0.02)
    bar.set_label(_broken(matrix.label, words.height, words.label), size=words.label)
    bar.outline.set_visible(False)
    bar.ax.tick_params(colors=_look_of(ax).ink, labelsize=words.tics)
    bar.ax.yaxis.label.set_color(_look_of(ax).ink)
    return bar.ax


def _joined(own: Tuple[float, float], before: Optional[Tuple[float, float]]) -> Tuple[float, float]:
    return own if before is None else (min(own[0], *before), max(own[1], *before))


def _set_axes(ax: Axes, figure: Figure, words: _Words, limits: Optional[Tuple[Any, Any]]) -> None:
    from matplotlib.ticker import MaxNLocator, ScalarFormatter  # type: ignore

    ink = _look_of(ax).ink
    for axis, own, ends, room in (("x", figure.x, figure.x_range, words.width), ("y", figure.y, figure.y_range, words.height)):
        getattr(ax, f"set_{axis}label")(_broken(own["label"], room, words.label), color=ink, fontsize=words.label)
        ends = _joined(ends, None if limits is None else limits["xy".index(axis)])
        if own["is_log"]:
            getattr(ax, f"set_{axis}scale")("log")
            if ends[1] < 10 * ends[0]:  # less than a decade: 2 and 3, not 2 x 10^0
                getattr(ax, f"{axis}axis").set_minor_formatter(ScalarFormatter())
        elif own["is_whole"]:
            most = max(2, min(8, int(room / (4 * words.tics))))
            getattr(ax, f"{axis}axis").set_major_locator(MaxNLocator(most, steps=[1, 2, 4, 5, 8, 10], integer=True))
        getattr(ax, f"set_{axis}lim")(ends[::-1] if own["is_reversed"] else ends)
    ax.tick_params(which="both", colors=ink, labelsize=words.tics)
    ax.spines[["top", "right"]].set_visible(False)
    ax.spines[["left", "bottom"]].set_color(ink)


class _Title(NamedTuple):
    title: str
    subtitle: str
    words: _Words


_titles: "weakref.WeakKeyDictionary[Axes, _Title]" = weakref.WeakKeyDictionary()


def _choose_title(ax: Axes, figure: Figure, title: Optional[str], words: _Words) -> _Title:
    """Of several drawings on one axes the first title, and nothing below it that holds for one of them alone."""
    before = _before.get(ax, [])
    if len(before) < 2 or ax not in _titles:
        return _Title(figure.title if title is None else title, figure.subtitle, words)
    is_same = {drawn.words for drawn in before} == {before[0].words}
    return _Title(_titles[ax].title if title is None else title, _titles[ax].subtitle if is_same else "", words)


def _write_title(ax: Axes, width: float) -> None:
    """In lines of that width; the subtitle stands in grey below the title."""
    title, subtitle, words = _titles[ax]
    for note in [note for note in ax.texts if note.get_gid() == "sinpos subtitle"]:
        note.remove()
    subtitle = _broken(subtitle, width, words.subtitle) if subtitle else ""
    lines = subtitle.count("\n") + 1 if subtitle else 0
    ax.set_title(_broken(title, width, 1.03 * words.title), loc="left", fontsize=words.title,
                 pad=6 + 1.35 * words.subtitle * lines + (3 if lines else 0))
    if subtitle:
        ax.annotate(subtitle, (0, 1), (0, 7), xycoords="axes fraction", textcoords="offset points", fontsize=words.subtitle,
                    color=_look_of(ax).muted, gid="sinpos subtitle")


def _hold_words(ax: Axes) -> None:
    """Labels of axes and marks within the axes: broken where they are longer, and marks moved."""
    own, points = ax.get_window_extent(), 72 / ax.figure.dpi
    for label, long, room in ((ax.xaxis.label, ax.xaxis.label.get_window_extent().width, own.width),
                              (ax.yaxis.label, ax.yaxis.label.get_window_extent().height, own.height)):
        if long > 1.1 * room:
            label.set_text(_broken(label.get_text().replace("\n", " "), room * points, label.get_fontsize()))
    for note in [note for note in ax.texts if note.get_gid() == "sinpos mark"]:
        if note.get_window_extent().width > own.width:
            note.set_text(_broken(note.get_text(), own.width * points, 1.1 * note.get_fontsize()))
        box = note.get_window_extent()
        shift = min(0, own.x1 - box.x1) + max(0, own.x0 - box.x0)
        note.xyann = (note.xyann[0] + shift * points, note.xyann[1])


def _settle(fig: Any) -> None:
    """The layout says how wide axes become; each that is drawn changes those beside it."""
    for _ in range(2):
        fig.get_layout_engine().execute(fig)
        for ax in fig.axes:
            if ax in _titles:
                _write_title(ax, min(_titles[ax].words.width, ax.get_window_extent().width * 72 / fig.dpi))
                _hold_words(ax)


def _make_room(ax: Axes, place: _Place, bar: Optional[Axes]) -> None:
    """Where no layout does it: axes and bar, with all their words, in the place of the axes."""
    from matplotlib.transforms import Bbox

    fig = ax.figure
    moved = [ax] if bar is None else [ax, bar]
    to_figure = fig.transSubfigure.inverted()
    whole = Bbox.union([one.get_tightbbox() for one in moved]).transformed(to_figure)
    boxes = [one.get_position() for one in moved]
    inner = Bbox.union(boxes)
    edge_x, edge_y = (4 * place.scale * fig.dpi / 72 / side for side in (fig.bbox.width, fig.bbox.height))
    x0, x1 = place.left + edge_x + inner.x0 - whole.x0, place.right - edge_x - (whole.x1 - inner.x1)
    y0, y1 = place.bottom + edge_y + inner.y0 - whole.y0, place.top - edge_y - (whole.y1 - inner.y1)
    if x1 - x0 < 0.2 * (place.right - place.left) or y1 - y0 < 0.2 * (place.top - place.bottom):
        return
    for one, box in zip(moved, boxes):
        left, right = (x0 + (x - inner.x0) / inner.width * (x1 - x0) for x in (box.x0, box.x1))
        low, high = (y0 + (y - inner.y0) / inner.height * (y1 - y0) for y in (box.y0, box.y1))
        one.set_position((left, low, right - left, high - low))
        one.set_in_layout(True)


def draw(figure: Figure, ax: Axes = None, *, title: Optional[str] = None, label: Optional[str] = None,
         color: Any = None) -> Axes:
    """Draw what :func:`numbers` gave, and return the Axes.

    ax, title, label, color
        as the head of this module says.

    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> import sinpos.plot
    >>> figure = sinpos.plot.numbers("waves")
    >>> len(sinpos.plot.draw(figure, title="Four columns").lines) >= 4
    True
    """
    if not isinstance(figure, Figure):
        raise TypeError(f"figure must be what numbers() gives, not {type(figure).__name__}")
    if label is not None and not isinstance(label, str):
        raise TypeError(f"label must be text, not {type(label).__name__}")
    if figure.matrix is not None and (label is not None or color is not None):
        raise TypeError(f"{figure.name} has no curves: label and color are for curves only\nhint: leave them out")
    if ax is not None and not hasattr(ax, "get_facecolor"):
        raise TypeError(f"ax must be matplotlib's Axes, not {type(ax).__name__}")
    _colours_of(figure, color, _ON_LIGHT, 0)  # before anything is drawn
    ax = _new_axes(figure.matrix is not None and figure.matrix.is_square) if ax is None else ax
    place, bar = _place_of(ax), None
    words = _Words(ax, place, figure.matrix is not None)
    limits = (ax.get_xlim(), ax.get_ylim()) if _before.get(ax) else None
    matrix = figure.matrix
    if matrix is not None:
        figure, cells = _fit_cells(figure, matrix, ax, words)
        bar = _draw_matrix(ax, figure, matrix, cells, words)
    else:
        _draw_lines(ax, figure, words, label, color)
    _set_axes(ax, figure, words, limits)
    _draw_marks(ax, figure, words)
    _draw_legend(ax, figure, words)
    _titles[ax] = _choose_title(ax, figure, title, words)
    _write_title(ax, words.width)
    if ax.figure.get_layout_engine() is not None:
        _settle(ax.figure.figure)
    elif place.can_move:
        _make_room(ax, place, bar)
        _hold_words(ax)
        _make_room(ax, place, bar)  # tics and lines of words are others now
    _hold_words(ax)
    return ax


def _drawn(name: str, encoding: Optional[Encoding], ax: Axes, title: Optional[str], look: Dict[str, Any],
           **words: Any) -> Axes:
    unknown = set(look) - {"threads", "progress", "label", "color"}
    if unknown:
        raise TypeError(f"unknown word {unknown.pop()!r}: ax, title, label, color, threads and progress are known")
    curve = {word: look.pop(word, None) for word in ("label", "color")}
    return draw(numbers(name, encoding, **words, **look), ax, title=title, **curve)


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
    """Which tones separate near and far positions; up to 8 offsets.

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
