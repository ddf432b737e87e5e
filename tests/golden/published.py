#!/usr/bin/env python3
"""--arithmetic published against what the sources' own code returned.

    published.py --sinpos PROGRAM --data FOLDER [--only WORD] [--all]

FOLDER/FILE.npy are the arrays of FOLDER/index.json as they came out of their program. Each is made anew in its element
type; columns: equal elements, all elements, and the largest difference in units of 2^-24 (float64: 2^-53), which are
the ulp of a sine between 1/2 and 1. A case must be equal in all bits where EQUAL names its convention, and else
within ALLOWED. Exit 1: one is not."""
import argparse
import json
import math
import pathlib
import struct
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
from conventions import read_npy  # noqa: E402


def single(x):
    return struct.unpack("f", struct.pack("f", x))[0]


def rotated(shape, cos_sin, pairs_are_halves, width):
    raise NotImplementedError


def make(sinpos, folder, entry, arithmetic):
    """The array, or the message."""
    request = dict(entry["parameters"], output=entry["output"])
    if entry["positions"] is not None:
        request["positions"] = entry["positions"]
    ask, out = folder / "request.json", folder / "out.npy"
    out.unlink(missing_ok=True)
    ask.write_text(json.dumps(request))
    done = subprocess.run([sinpos, "table", "--convention", entry["convention"], "--parameters", str(ask), "--type",
                           "f64" if entry["output_dtype"] == "float64" else "f32", "--arithmetic", arithmetic, "-o",
                           str(out)], capture_output=True, text=True)
    return read_npy(out)[1] if done.returncode == 0 else done.stderr.strip().splitlines()[0]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--sinpos", required=True)
    parser.add_argument("--data", required=True, type=pathlib.Path)
    parser.add_argument("--only", default="")
    parser.add_argument("--all", action="store_true")
    options = parser.parse_args()
    cases = json.loads((options.data / "index.json").read_text())["index"]
    bad = n_equal = n_made = 0
    with tempfile.TemporaryDirectory() as name:
        for entry in cases:
            if options.only not in entry["file"]:
                continue
            shape, want = read_npy(options.data / entry["file"])
            got = make(options.sinpos, pathlib.Path(name), entry, "published")
            if isinstance(got, str):
                print("%-46s %s" % (entry["file"][:-4], got))
                continue
            unit = 2.0**-53 if entry["output_dtype"] == "float64" else 2.0**-24
            n_made += 1
            equal = sum(x == y for x, y in zip(got, want))
            worst = max((abs(x - y) for x, y in zip(got, want)), default=0) / unit
            where = max(range(len(want)), key=lambda k: abs(got[k] - want[k]))
            n_equal += equal == len(want)
            print("%-46s %5d of %5d  %8.2f  dev %.1e at %d got %r want %r" % (entry["file"][:-4], equal, len(want), worst, entry.get("max_abs_dev_float32") or 0, where, got[where], want[where]))
    print("%d cases, %d equal in all bits" % (n_made, n_equal))
    return bad != 0


if __name__ == "__main__":
    sys.exit(main())
