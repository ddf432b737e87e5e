"""docs/migration.md: the page's own blocks run, and agree to the differences that it states.

    python3 tests/python/test_migration.py      prints the page's tables as this machine measures them
"""
import os
import pathlib
import re
from math import ceil, floor, log10

import numpy as np
import pytest

ROOT = pathlib.Path(os.environ.get("SINPOS_SOURCE") or pathlib.Path(__file__).resolve().parents[2])
PAGE = ROOT / "docs" / "migration.md"
OFF = 1e-4


class Entry:
    """A heading of the page with its lines before, its lines after, and rows (call, and what is measured of it)."""

    def __init__(self, title, text):
        self.title = title
        blocks = re.findall(r"^```python (before|after)\n(.*?)^```$", text, re.M | re.S)
        self.code = {kind: code for kind, code in blocks}
        assert len(blocks) == len(self.code), f"{title}: a block stands twice"
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


@pytest.mark.parametrize("entry", entries(), ids=lambda e: e.title)
def test_entry(entry):
    pytest.importorskip("torch")
    assert set(entry.code) == {"before", "after"} and entry.rows
    before, after = entry.run("before"), entry.run("after")
    for text, *stated, row in entry.rows:
        *got, first = measure(before, after, text)
        for number, word in zip(got, stated, strict=True):
            most = float(word.replace(" ", ""))
            assert most / 4 <= number <= most, (text, got, first)
        if row == "any":
            continue
        if row == "none":
            assert first is None, (text, first)
        else:
            assert first is not None and 0.75 <= (first + 1) / (int(row) + 1) <= 1.34, (text, first)


def test_there_are_ten():
    assert len({entry.title.split(".")[0].split(",")[0].rstrip("ab") for entry in entries()}) >= 10


def upward(x, digits):
    """x with so many digits, rounded away from zero."""
    unit = 10.0 ** (floor(log10(x)) - digits + 1) if x > 0 else 1.0
    return f"{ceil(x / unit * (1 - 1e-12)) * unit:.{digits}g}".replace("e-0", "e-")


if __name__ == "__main__":
    for one in entries():
        print(one.title)
        names_before, names_after = one.run("before"), one.run("after")
        for line in one.rows:
            d, u, n, f = measure(names_before, names_after, line[0])
            percent = ceil(n) if n >= 10 else upward(n, 2)
            print(f"| `{line[0]}` | {upward(d, 2)} | {u} | {percent}% | {'none' if f is None else f} |")
