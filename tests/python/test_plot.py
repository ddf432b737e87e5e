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


def test_the_callers_axes():
    fig, axes = plt.subplots(1, 2)
    mine = sinpos.plot.waves(sinpos.Encoding(dim=2), 10, ax=axes[1], title="mine")
    assert mine is axes[1] and mine.get_title(loc="left") == "mine" and not axes[0].lines
    plt.close(fig)


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


def test_examples():
    assert doctest.testmod(sinpos.plot).failed == 0
    plt.close("all")
