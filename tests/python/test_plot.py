"""Figures: the numbers are the command line's, and matplotlib draws them all."""
import csv
import doctest
import io
import os
import subprocess
import warnings

import numpy as np
import pytest

import sinpos

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402
import sinpos.plot  # noqa: E402

CLI = os.environ["SINPOS_CLI"]
SMALL = os.environ.get("SINPOS_TEST_SIZE") == "small"
NEEDS_FLINT = ("decay", "decay-log")


def cli_data(name, *options):
    """Title line, names of the columns, numbers."""
    done = subprocess.run([CLI, "plot", name, "--data", "-", "--quiet", *options], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    rows = list(csv.reader(lines[3:]))
    return lines[0], rows[0], np.array([[float(x or "nan") for x in row] for row in rows[1:]])


def ours_data(figure):
    if figure.matrix is None:
        return list(figure.columns), np.column_stack(list(figure.columns.values()))
    m = figure.matrix
    return [float(x) for x in m.column_at], np.column_stack([m.row_at, m.cells])


SOME = [("waves", {}, []), ("heatmap", {"length": 20}, ["--length", "20"]), ("distance", {"length": 50}, ["--length", "50"]),
        ("distance-law", {}, []), ("kernel", {"offsets": range(0, 300)}, ["--offsets", "0:300"]),
        ("spectrum", {"length": 64}, ["--length", "64"]),
        ("gram", {"length": 100, "start": 3}, ["--length", "100", "--start", "3"]),
        ("wavelengths", {"context": 512}, ["--context", "512"]), ("near-far", {"offsets": [1, 2.5]}, ["--offsets", "1,2.5"]),
        ("separation", {"length": 2000}, ["--length", "2000"]), ("base", {"context": 64}, ["--context", "64"]),
        ("error", {"length": 512}, ["--length", "512"])]


def check_same(name, words, options, encoding=None):
    figure = sinpos.plot.numbers(name, encoding, **words)
    title, names, values = cli_data(name, *options)
    ours, our_values = ours_data(figure)
    assert title == f"# {figure.title}" + (f"; {figure.subtitle}" if figure.subtitle else "")
    assert (ours == names) if figure.matrix is None else (ours == [float(x) for x in names[1:]])
    assert np.array_equal(our_values, values, equal_nan=True)


@pytest.mark.parametrize("name,words,options", SOME, ids=lambda x: x if isinstance(x, str) else "")
def test_numbers_are_the_command_lines(name, words, options):
    check_same(name, words, options)


def test_other_encodings():
    check_same("kernel", {}, ["--dim", "64", "--base", "500", "--offsets", "0:4097"],
               sinpos.Encoding(dim=64, base=500))
    check_same("wavelengths", {}, ["--schedule", "power", "--dim", "32", "--layout", "halves"],
               sinpos.Encoding(schedule="power", dim=32, layout="halves"))
    check_same("waves", {}, ["--convention", "whisper", "--set", "channels=64", "--length", "100"],
               sinpos.Encoding(convention="whisper", channels=64))


def test_all_are_known():
    assert {row[0] for row in SOME} | set(NEEDS_FLINT) == set(sinpos.plot.names())
    for name in sinpos.plot.names():
        assert callable(getattr(sinpos.plot, name.replace("-", "_")))


@pytest.mark.parametrize("name,words,options", SOME, ids=lambda x: x if isinstance(x, str) else "")
def test_drawn(name, words, options):
    function = getattr(sinpos.plot, name.replace("-", "_"))
    ax = function(**words)
    figure = sinpos.plot.numbers(name, **words)
    assert isinstance(ax, matplotlib.axes.Axes) and ax.get_title(loc="left") == figure.title
    assert ax.get_xlabel() == figure.x["label"] and ax.get_ylabel() == figure.y["label"]
    assert sorted(ax.get_xlim()) == pytest.approx(sorted(figure.x_range))
    assert sorted(ax.get_ylim()) == pytest.approx(sorted(figure.y_range))
    if figure.matrix is not None:
        assert np.array_equal(ax.images[0].get_array(), figure.matrix.cells)
    else:
        drawn = [line.get_label() for line in ax.lines] + [band.get_label() for band in ax.collections]
        assert all((series.label or "_nolegend_") in drawn for series in figure.series)
    with io.BytesIO() as picture, warnings.catch_warnings():
        warnings.simplefilter("error")
        ax.figure.savefig(picture, format="png", dpi=40)
        assert picture.tell() > 2000
    plt.close(ax.figure)


def test_an_offset_twice():
    figure = sinpos.plot.numbers("near-far", offsets=[1, 1])
    assert list(figure.columns) == ["tones", "offset 1", "offset 1 (2)"]


def test_the_callers_axes():
    fig, axes = plt.subplots(1, 2)
    mine = sinpos.plot.waves(sinpos.Encoding(dim=2), 10, ax=axes[1], title="mine")
    assert mine is axes[1] and mine.get_title(loc="left") == "mine" and not axes[0].lines
    plt.close(fig)


def by_name(name):
    return getattr(sinpos.plot, name.replace("-", "_"))


def pixels(fig, line):
    """How many pixels have the line's colour, except for those that its neighbours blend with it."""
    fig.canvas.draw()
    picture = np.asarray(fig.canvas.buffer_rgba())[..., :3].astype(int)
    colour = np.round(255 * np.array(matplotlib.colors.to_rgb(line.get_color()))).astype(int)
    return int((np.abs(picture - colour).sum(axis=2) < 12).sum())


@pytest.mark.parametrize("name,words", [("error", {"length": 16384}), ("error", {"length": 512}), ("near-far", {"offsets": [1, -1, 1]}),
                                        ("decay", {"encoding": sinpos.Encoding(dim=512)}), ("decay", {}), ("decay-log", {}),
                                        ("spectrum", {"length": 256}), ("separation", {"length": 2000}), ("wavelengths", {})][::2 if SMALL else 1],
                         ids=lambda x: x if isinstance(x, str) else "")
def test_no_curve_hides_another(name, words):
    """Of every curve a fifth is seen, in the picture with all of them, of what is seen of it alone."""
    try:
        ax = by_name(name)(**words)
    except NotImplementedError:
        pytest.skip("needs FLINT")
    ax.figure.set_size_inches(9, 6)
    ax.get_legend().remove()
    lines = [line for line in ax.lines if not line.get_label().startswith("_")]
    together = [pixels(ax.figure, line) for line in lines]
    for line, seen in zip(lines, together):
        for other in ax.lines:
            other.set_visible(other is line)
        assert seen > 0.2 * pixels(ax.figure, line) > 0, line.get_label()
    plt.close(ax.figure)


def test_steps_are_steps():
    ax = sinpos.plot.separation(sinpos.Encoding(dim=2), 1000)
    assert {line.get_drawstyle() for line in ax.lines} == {"steps-post"}
    x, y = ax.lines[0].get_data()
    assert y[list(x).index(711)] < 1e-4 < y[list(x).index(711) - 1]
    plt.close(ax.figure)


@pytest.mark.parametrize("n_turns", [0.1, 0.7, 1, 2.5, 50])
def test_a_unit_wave_has_amplitude_1(n_turns):
    theta = 2 * np.pi * n_turns / 256
    omega, amplitude = sinpos.plot.numbers("spectrum", sinpos.Encoding(theta=[theta]), length=256).columns.values()
    assert amplitude.max() == pytest.approx(1, abs=1e-9)
    assert amplitude[np.argmin(np.abs(omega - theta))] == pytest.approx(1, abs=1e-9)


@pytest.mark.parametrize("context,dim", [(4096, 128), (300, 16), (64, 8), (4096, 8)])
def test_the_smallest_good_base_is_good_as_drawn(context, dim):
    figure = sinpos.plot.numbers("base", sinpos.Encoding(dim=dim), context=context)
    mark = next(mark for mark in figure.marks if mark.label.startswith("smallest good base"))
    bases, least = list(figure.columns.values())[:2]
    assert np.interp(mark.x, bases, least) > -1e-9 and bases[0] < mark.x < bases[-1]
    assert least[np.searchsorted(bases, mark.x) - 1] < 0


def words_around(ax):
    """Boxes of what stands around the axes, and of the axes, in pixels."""
    texts = [ax.title, ax._left_title, ax.xaxis.label, ax.yaxis.label, *ax.texts]
    texts += ax.get_legend().get_texts() if ax.get_legend() else []
    return {text.get_text(): text.get_window_extent() for text in texts if text.get_text()}


PANELS = [("constrained", 1), (None, 0), ("tight", 0), (None, 1), ("constrained", 0)]


@pytest.mark.heavy
@pytest.mark.parametrize("layout,half", PANELS[:1 if SMALL else None])
def test_small_panels_have_room_for_words(layout, half):
    fig, axes = plt.subplots(2, 3, figsize=(7.5, 5), layout=layout)
    for ax, (name, words, _) in zip(axes.flat, SOME[half::2]):
        by_name(name)(ax=ax, **words)
    fig.canvas.draw()
    width, height = fig.bbox.width, fig.bbox.height
    panels = []
    for ax in axes.flat:
        for text, box in words_around(ax).items():
            assert box.x0 > -1 and box.y0 > -1 and box.x1 < width + 1 and box.y1 < height + 1, text
        for title in (ax._left_title, *[note for note in ax.texts if note.get_gid()]):
            assert title.get_window_extent().x1 <= ax.get_window_extent().x1 + 0.08 * width, title.get_text()
        assert ax.yaxis.label.get_window_extent().height < 1.25 * ax.get_window_extent().height
        panels.append(ax.get_tightbbox())
    for i, one in enumerate(panels):
        for other in panels[:i]:
            across = min(one.x1, other.x1) - max(one.x0, other.x0)
            down = min(one.y1, other.y1) - max(one.y0, other.y0)
            assert min(across, down) < 3
    plt.close(fig)


def test_small_heat_maps_have_no_stripes():
    fig, axes = plt.subplots(1, 3, figsize=(7.5, 2.5))
    sinpos.plot.heatmap(ax=axes[0])
    drawn = axes[0].images[0].get_array()
    assert drawn.shape[0] == 100 and drawn.shape[1] < 128  # sine and cosine side by side differ by 1
    assert np.abs(np.diff(drawn[:, -10:], axis=1)).max() < 0.1 and "mean of" in axes[0].texts[-1].get_text().replace("\n", " ")
    cells = sinpos.plot.numbers("heatmap").matrix.cells
    assert drawn[50, -1] == pytest.approx(cells[50, 2 * (drawn.shape[1] - 1) * 64 // drawn.shape[1]:].mean(), abs=1e-3)
    plt.close(fig)


def test_figures_that_others_lay_out():
    fig, (left, right) = plt.subplots(1, 2, figsize=(8, 3))
    fig.subplots_adjust(left=0.4)
    sinpos.plot.kernel(ax=right)
    sinpos.plot.gram(ax=left, length=20)
    assert left.get_position().x0 > 0.39
    fig.tight_layout()  # can still be said
    inset = fig.add_axes((0.7, 0.6, 0.2, 0.2))
    sinpos.plot.waves(sinpos.Encoding(dim=2), 10, ax=inset)
    assert inset.get_position().bounds == pytest.approx((0.7, 0.6, 0.2, 0.2))
    plt.close(fig)


def legend_of(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def test_two_curves_on_one_axes():
    short, long = sinpos.Encoding(dim=32, base=100), sinpos.Encoding(dim=32)
    ax = sinpos.plot.kernel(short, range(100), label="short", color="navy")
    assert sinpos.plot.kernel(long, range(200), ax=ax, label="long", color=(1, 0, 0)) is ax
    curves = {line.get_label(): line for line in ax.lines if not line.get_label().startswith("_")}
    assert list(curves) == ["short", "long"] and curves["short"].get_color() == "navy"
    assert matplotlib.colors.to_rgb(curves["long"].get_color()) == (1, 0, 0)
    assert any(text.startswith("short: largest |g|") for text in legend_of(ax))
    assert ax.get_xlim()[1] >= 199 and ax.get_title(loc="left").startswith("g(k)")
    assert not [note for note in ax.texts if note.get_gid() == "sinpos subtitle"]
    plt.close(ax.figure)


def test_two_encodings_are_told_apart_without_a_word():
    ax = sinpos.plot.distance_law(sinpos.Encoding(dim=32))
    sinpos.plot.distance_law(sinpos.Encoding(dim=64), ax=ax)
    assert [text.split(":")[0] for text in legend_of(ax)] == ["dim 32, base 10000"] * 2 + ["dim 64, base 10000"] * 2
    colours = [line.get_color() for line in ax.lines]
    assert len(set(colours)) == len(colours)
    plt.close(ax.figure)


def test_the_same_curve_twice_is_seen_twice():
    ax = sinpos.plot.kernel(sinpos.Encoding(dim=32), range(50), label="pairs")
    sinpos.plot.kernel(sinpos.Encoding(dim=32, layout="halves"), range(50), ax=ax, label="halves")
    styles = [line.get_linestyle() for line in ax.lines if line.get_label() in ("pairs", "halves")]
    assert styles == ["-", "--"]
    plt.close(ax.figure)


def test_labels_and_colours_of_several_curves():
    ax = sinpos.plot.waves(sinpos.Encoding(dim=4), 20, label="mine", color=["red", "green", "blue", "black"])
    assert legend_of(ax)[0] == "mine: column 0: sine, period 6.283"
    assert {line.get_color() for line in ax.lines} == {"red", "green", "blue", "black"}
    ax = sinpos.plot.waves(sinpos.Encoding(dim=4), 20, color="0.3")
    assert {line.get_color() for line in ax.lines} == {"0.3"}
    for error, words in ((ValueError, {"color": ["red", "green"]}), (ValueError, {"color": "nocolour"}),
                         (TypeError, {"label": 3})):
        with pytest.raises(error, match="label|color"):
            sinpos.plot.waves(sinpos.Encoding(dim=4), 20, ax=ax, **words)
    with pytest.raises(TypeError, match="heatmap has no curves"):
        sinpos.plot.heatmap(length=9, label="mine")
    plt.close("all")


def brightness(colour):
    return sum(matplotlib.colors.to_rgb(colour)) / 3


@pytest.mark.parametrize("style", ["default", "dark_background", "transparent"])
@pytest.mark.parametrize("name,words", [("error", {"length": 64}), ("wavelengths", {}), ("gram", {"length": 20})])
def test_colours_are_read_on_the_ground(name, words, style):
    looks = {"text.color": "w", "axes.facecolor": "none", "figure.facecolor": "none"} if style == "transparent" else style
    with plt.style.context(looks):
        ax = getattr(sinpos.plot, name)(**words)
        plt.close(ax.figure)
    drawn = [ax.xaxis.label.get_color(), ax.spines["left"].get_edgecolor(), ax.xaxis.get_ticklabels()[0].get_color()]
    drawn += [line.get_color() for line in ax.lines] + [note.get_color() for note in ax.texts]
    drawn += [text.get_color() for text in (ax.get_legend().get_texts() if ax.get_legend() else [])]
    drawn += [bar.yaxis.label.get_color() for bar in ax.figure.axes[1:]]
    if style == "default":
        assert max(map(brightness, drawn)) < 0.7
    else:
        assert min(map(brightness, drawn)) > 0.25


def test_legends_below_have_the_width_of_their_axes():
    fig, axes = plt.subplots(1, 3, figsize=(12, 4))
    narrow, wide = (sinpos.plot.waves(ax=ax).get_legend() for ax in (axes[0], None))
    assert narrow._ncols < wide._ncols
    plt.close("all")


def test_squares_have_square_room():
    square, wide = (f(length=9).figure.get_size_inches() for f in (sinpos.plot.gram, sinpos.plot.heatmap))
    assert square[0] < wide[0] and square[1] == wide[1]
    plt.close("all")


@pytest.mark.parametrize("name", NEEDS_FLINT)
def test_needs_flint(name):
    try:
        figure = sinpos.plot.numbers(name, offsets=[1, 2, 5])
    except NotImplementedError as error:
        assert "FLINT" in str(error)
        return
    assert len(figure.series) == 7


def test_refused():
    for error, call in ((ValueError, lambda: sinpos.plot.numbers("other")),
                        (ValueError, lambda: sinpos.plot.distance(length=3000)),
                        (ValueError, lambda: sinpos.plot.distance(length=0)),
                        (ValueError, lambda: sinpos.plot.kernel(offsets=[])),
                        (ValueError, lambda: sinpos.plot.base(sinpos.Encoding(theta=[1.0, 0.5]))),
                        (OverflowError, lambda: sinpos.plot.kernel(offsets=[float("inf")])),
                        (TypeError, lambda: sinpos.plot.waves(wrong=3)),
                        (TypeError, lambda: sinpos.plot.waves("whisper")),
                        (TypeError, lambda: sinpos.plot.waves(ax=3)),
                        (TypeError, lambda: sinpos.plot.waves(progress=3)),
                        (TypeError, lambda: sinpos.plot.wavelengths(context="a")),
                        (TypeError, lambda: sinpos.plot.draw("waves")),
                        (ValueError, lambda: sinpos.plot.waves(sinpos.Encoding(convention="mae", embed_dim=32, grid_size=3)))):
        with pytest.raises(error):
            call()


def test_progress_and_stop():
    seen = []
    sinpos.plot.numbers("base", context=64, progress=seen.append)
    assert seen and seen[-1] == 1.0

    def stop(done):
        raise KeyError("enough")
    with pytest.raises(KeyError):
        sinpos.plot.numbers("base", context=64, progress=stop)


@pytest.mark.heavy
def test_examples():
    assert doctest.testmod(sinpos.plot).failed == 0
    assert doctest.testmod(sinpos._figures).failed == 0
    plt.close("all")
