#!/usr/bin/env python3
"""Adds an array that a source's own code returned to tests/data/golden.

    add_case.py CASE.py

CASE.py stays outside the repository, as it runs the code of others. It defines

    entry = {"convention": "mine", "case": "d8", "parameters": {"width": 8, "rows": 5},
             "repo": "me/mine@COMMIT", "path": "mine.py", "function": "encode"}
    def source():  # what that code returned: a PyTorch or NumPy array
    def exact():   # the same elements as a nested list: tests/support/exact.py and tests/golden/sources.py have functions

`entry` may also have positions, output (table), identify (false), fits (true) and how. Writes both arrays and the line
of index.json, replacing a case of the same name, and prints how far the two are apart. Exit 1: further than
--tolerance."""
import argparse
import json
import pathlib
import runpy
import sys

import numpy

HERE = pathlib.Path(__file__).resolve().parent
DATA = HERE.parent / "data" / "golden"
sys.path[:0] = [str(HERE), str(HERE.parent / "support")]
from conventions import flattened  # noqa: E402

FIRST = {"case": None, "file": None, "exact_file": None, "shape": None, "output": "table", "fits": True,
         "identify": False, "parameters": None, "positions": None, "coords": None}
LAST = {"how": "the source's own code, executed"}


def arrays(case):
    """What the source returned, and the exact elements in its shape."""
    got = numpy.asarray(case["source"]())
    shape, elements = flattened(case["exact"]())
    if shape != list(got.shape):
        sys.exit("exact() has shape %s, the source returned %s" % (shape, list(got.shape)))
    return got, numpy.array(elements).reshape(shape)


def line_of(entry, got, exact):
    name = "%s__%s" % (entry["convention"], entry["case"])
    done = {"convention": entry["convention"], **FIRST, **entry, "file": name + ".npy",
            "exact_file": name + "__exact.npy", "shape": list(got.shape)}
    done = {**done, **{key: entry.get(key, value) for key, value in LAST.items()}}
    done["dtype_computed"] = done["output_dtype"] = str(got.dtype)
    done["max_abs_dev_float32"] = float(abs(got.astype(float) - exact).max())
    return {key: value for key, value in done.items() if key != "coords" or value is not None}


def write(done, got, exact):
    numpy.save(DATA / done["file"], got)
    numpy.save(DATA / done["exact_file"], exact)
    index = DATA / "index.json"
    lines = index.read_text().split("\n")
    first, last = lines.index('"index": ['), lines.index("]")
    cases = {json.loads(line.rstrip(","))["file"]: line for line in lines[first + 1:last]}
    cases[done["file"]] = json.dumps(done, ensure_ascii=False)
    lines[first + 1:last] = ",\n".join(line.rstrip(",") for line in cases.values()).split("\n")
    index.write_text("\n".join(lines))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("case", metavar="CASE.py")
    parser.add_argument("--tolerance", type=float, default=1e-4)
    options = parser.parse_args()
    case = runpy.run_path(options.case)
    got, exact = arrays(case)
    done = line_of(case["entry"], got, exact)
    if not done["max_abs_dev_float32"] <= options.tolerance:
        sys.exit("the source and exact() differ by %.2g; nothing is written" % done["max_abs_dev_float32"])
    write(done, got, exact)
    print("%s: %s, the source is off by at most %.2g" % (done["file"], done["shape"], done["max_abs_dev_float32"]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
