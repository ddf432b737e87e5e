"""docs/migration.md: the page's own blocks run, and agree to the differences that it states.

    python3 tests/python/test_migration.py          prints the page's tables as this machine measures them
    python3 tests/python/test_migration.py LOG...   the ranges over several such prints: the tables as they stand on the page
    python3 tests/python/test_migration.py --bytes  what the lines after must give: tests/data/python/migration.json
"""
import hashlib
import json
import os
import pathlib
import re
import sys
from math import ceil, floor, log10

import numpy as np
import pytest

ROOT = pathlib.Path(os.environ.get("SINPOS_SOURCE") or pathlib.Path(__file__).resolve().parents[2])
PAGE = ROOT / "docs" / "migration.md"
BYTES = ROOT / "tests" / "data" / "python" / "migration.json"
OFF = 1e-4


class Entry:
    """A heading of the page with its lines before, its lines after, and rows (call, and what is measured of it)."""

    def __init__(self, title, text):
        self.title = title
        blocks = re.findall(r"^```python (before|after)\n(.*?)^```$", text, re.M | re.S)
        self.code = {kind: code for kind, code in blocks}
        assert len(blocks) == len(self.code), f"{title}: a block occurs twice"
        self.rows = re.findall(r"^\| `([^|]+)` \| ([^|]+) \| ([^|]+) \| ([^|]+)% \| ([^|]+) \|$", text, re.M)

    def run(self, kind):
        names = {}
        exec(compile(self.code[kind], f"{PAGE.name}, {self.title}, {kind}", "exec"), names)
        return names


def entries():
    parts = re.split(r"^##+ (.*)$", PAGE.read_text(), flags=re.M)
    found = [Entry(title, text) for title, text in zip(parts[1::2], parts[2::2])]
    found = [entry for entry in found if entry.code]
    for earlier, entry in zip(found, found[1:]):
        entry.code.setdefault("before", earlier.code["before"])
    return found


def arrays(value):
    """What a call returned, as NumPy arrays."""
    if isinstance(value, (tuple, list)):
        return [array for item in value for array in arrays(item)]
    return [value.detach().numpy() if hasattr(value, "detach") else np.asarray(value)]


def call(names, text):
    import torch
    torch.manual_seed(1)
    return arrays(eval(text, {"torch": torch, **names}))


def measure(before, after, text):
    """The largest difference; in ulp, where elements are 1/2 or more; percent that differ; first row off by more than OFF."""
    difference, ulp, differ, size, first = 0.0, 0.0, 0, 0, None
    for theirs, ours in zip(call(before, text), call(after, text), strict=True):
        assert theirs.shape == ours.shape and theirs.dtype == ours.dtype, (theirs.shape, ours.shape, ours.dtype)
        apart = np.abs(theirs.astype(np.float64) - ours)
        difference = max(difference, float(apart.max()))
        ulp = max(ulp, float(np.max((apart / np.spacing(np.abs(ours)))[np.abs(ours) >= 0.5], initial=0)))
        differ, size = differ + np.count_nonzero(apart), size + apart.size
        off = (apart > OFF).reshape(-1, apart.shape[-1]).any(axis=1)
        if off.any():
            first = min(int(off.argmax()), first if first is not None else len(off))
    return difference, round(ulp), 100 * differ / size, first


def bytes_of(entry):
    """A hash of what the lines after give, for each row."""
    hashes, names = {}, entry.run("after")
    for text, *_ in entry.rows:
        found = hashlib.sha256()
        for array in call(names, text):
            found.update(f"{array.dtype.name} {array.shape} ".encode() + np.ascontiguousarray(array).tobytes())
        hashes[text] = found.hexdigest()
    return hashes


@pytest.mark.parametrize("entry", entries(), ids=lambda e: e.title)
def test_bytes_after(entry):
    """The same on every version of Python, NumPy and PyTorch: an element off by one step fails here."""
    pytest.importorskip("torch")
    assert bytes_of(entry) == json.loads(BYTES.read_text())[entry.title]


def is_within(word, stated):
    """stated: a figure, or the two ends between which it is, each written as figures are."""
    ends = [float(end) for end in stated.split(" to ")]
    return ends[0] <= float(word) <= ends[-1]


@pytest.mark.parametrize("entry", entries(), ids=lambda e: e.title)
def test_entry(entry):
    torch = pytest.importorskip("torch")
    if torch.backends.mkl.is_available():
        pytest.skip("this PyTorch takes sines from MKL: the page's figures are of its own kernels")
    assert set(entry.code) == {"before", "after"} and entry.rows
    before, after = entry.run("before"), entry.run("after")
    for text, *stated, row in entry.rows:
        *got, first = figures(before, after, text)
        assert all(map(is_within, got, stated)), (text, got, stated)
        if row in ("any", "none"):
            assert row == "any" or first == "none", (text, first)
        else:
            assert first != "none" and is_within(first, row), (text, first)


def test_there_are_ten():
    assert len({entry.title.split(".")[0].split(",")[0].rstrip("ab") for entry in entries()}) >= 10


def upward(x, digits):
    """x with so many digits, rounded away from zero."""
    unit = 10.0 ** (floor(log10(x)) - digits + 1) if x > 0 else 1.0
    return f"{ceil(x / unit * (1 - 1e-12)) * unit:.{digits}g}".replace("e-0", "e-")


def figures(before, after, text):
    """A row of the page's tables, as words."""
    difference, ulp, differ, first = measure(before, after, text)
    percent = str(ceil(differ)) if differ >= 10 else upward(differ, 2)
    return upward(difference, 2), str(ulp), percent, "none" if first is None else str(first)


def print_tables():
    for one in entries():
        print(one.title)
        before, after = one.run("before"), one.run("after")
        for text, *_ in one.rows:
            difference, ulp, percent, first = figures(before, after, text)
            print(f"| `{text}` | {difference} | {ulp} | {percent}% | {first} |")


def range_of(words):
    if len(set(words)) == 1:
        return words[0]
    low, high = min(words, key=float), max(words, key=float)
    return f"{low} to {high}"


def print_ranges(paths):
    """Lines that are alike in all prints, and ranges of the columns of those that are not."""
    for lines in zip(*(pathlib.Path(path).read_text().splitlines() for path in paths), strict=True):
        cells = [line.strip("| ").replace("%", "").split(" | ") for line in lines]
        text, *columns = (list(column) for column in zip(*cells, strict=True))
        assert len(set(text)) == 1, text
        ranges = [range_of(column) for column in columns]
        print(f"| {text[0]} | {ranges[0]} | {ranges[1]} | {ranges[2]}% | {ranges[3]} |" if ranges else text[0])


if __name__ == "__main__":
    if sys.argv[1:] == ["--bytes"]:
        print(json.dumps({one.title: bytes_of(one) for one in entries()}, indent=1))
    elif sys.argv[1:]:
        print_ranges(sys.argv[1:])
    else:
        print_tables()
