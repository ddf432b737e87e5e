#!/usr/bin/env python3
"""Every convention against the code of its source.

    conventions.py --sinpos PROGRAM --data FOLDER [--only WORD] [--all]

Makes each case of FOLDER/index.json and of sources.py by its convention in float64, and compares it with the exact
values, to within 1e-11; prints the largest difference of each. Then every row of the catalogue must expand with its
defaults or refuse in one line, and have a case. --all also prints what is right. Exit 1: something is wrong."""
import argparse
import array
import ast
import collections
import json
import math
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))
import rotary_sources  # noqa: E402, F401: adds to the cases of sources
import sources  # noqa: E402
import turns  # noqa: E402

TOLERANCE = 1e-11
FORMATS = {"<f8": "d", "<f4": "f", "<i8": "q"}


def read_npy(path):
    data = pathlib.Path(path).read_bytes()
    assert data[:6] == b"\x93NUMPY", path
    size, start = (struct.unpack("<H", data[8:10])[0], 10) if data[6] == 1 else (struct.unpack("<I", data[8:12])[0], 12)
    header = ast.literal_eval(data[start:start + size].decode())
    assert not header["fortran_order"]
    n = math.prod(header["shape"])
    values = array.array(FORMATS[header["descr"]])
    values.frombytes(data[start + size:start + size + n * values.itemsize])
    if sys.byteorder != "little":
        values.byteswap()
    return list(header["shape"]), values


def flattened(nested):
    """Shape and elements of a nested list."""
    shape = []
    level = nested
    while isinstance(level, list):
        shape.append(len(level))
        level = level[0]
    for _ in shape[1:]:
        nested = [x for part in nested for x in part]
    return shape, [float(x) for x in nested]


def difference(a, b):
    """Largest absolute difference; NaN is NaN's equal, and further than anything from a number."""
    worst = 0.0
    for x, y in zip(a, b):
        if math.isnan(x) != math.isnan(y):
            return math.inf
        if not math.isnan(x):
            worst = max(worst, abs(x - y))
    return worst


def write_npy(path, shape, values):
    header = "{'descr': '<f8', 'fortran_order': False, 'shape': (%s), }" % "".join("%d," % n for n in shape)
    header += " " * (-(len(header) + 11) % 64) + "\n"
    path.write_bytes(b"\x93NUMPY\x01\0" + struct.pack("<H", len(header)) + header.encode() +
                     struct.pack("<%dd" % len(values), *values))


class Runner:
    def __init__(self, sinpos, folder, every):
        self.sinpos, self.folder, self.every = sinpos, pathlib.Path(folder), every
        self.bad = 0
        self.covered = collections.Counter()

    def run(self, convention, request):
        """The program's result: (shape, values), or its message."""
        ask, out = self.folder / "request.json", self.folder / "out.npy"
        out.unlink(missing_ok=True)
        ask.write_text(json.dumps(request))
        words = ["table"]
        done = subprocess.run([self.sinpos, *words, "--convention", convention, "--parameters", str(ask), "--type",
                               "f64", "-o", str(out)], capture_output=True, text=True)
        return read_npy(out) if done.returncode == 0 else (done.returncode, done.stderr.strip())

    def rotate(self, convention, request, shape):
        """The same for `sinpos rotate`, with the input that the cases were made with."""
        source, ask, out = self.folder / "in.npy", self.folder / "request.json", self.folder / "out.npy"
        n = math.prod(shape)
        write_npy(source, shape, [((37 * k + 11) % 64 - 32) / 16 for k in range(n)])
        out.unlink(missing_ok=True)
        ask.write_text(json.dumps(request))
        done = subprocess.run([self.sinpos, "rotate", str(source), "--convention", convention, "--parameters", str(ask),
                               "-o", str(out)], capture_output=True, text=True)
        return read_npy(out) if done.returncode == 0 else (done.returncode, done.stderr.strip())

    def say(self, is_right, name, text):
        self.bad += not is_right
        if self.every or not is_right:
            print("%s %s: %s" % ("ok    " if is_right else "not ok", name, text), flush=True)

    def compare(self, convention, name, got, shape, want):
        self.covered[convention] += 1
        if not isinstance(got[0], list):
            self.say(False, name, "exit %s, %s" % got)
        elif got[0] != shape:
            self.say(False, name, "shape %s, not %s" % (got[0], shape))
        else:
            worst = difference(got[1], want)
            self.say(worst <= TOLERANCE, name, "%.1e" % worst)

    def golden(self, entry, data):
        request = dict(entry["parameters"], output=entry["output"])
        if entry["positions"] is not None:
            request["positions"] = entry["positions"]
        shape, want = read_npy(data / entry["exact_file"])
        if entry["output"] == "rotated":
            got = self.rotate(entry["convention"], request, shape)
        else:
            got = self.run(entry["convention"], request)
        self.compare(entry["convention"], entry["file"][:-4], got, shape, want)

    def source(self, number, convention, parameters, positions, expected):
        request = dict(parameters, **({} if positions is None else {"positions": positions}))
        shape, want = flattened(expected)
        short = json.dumps(request)
        is_rotated = request.get("output") == "rotated"
        got = self.rotate(convention, request, shape) if is_rotated else self.run(convention, request)
        self.compare(convention, "%s #%d %s" % (convention, number, short[:100]), got, shape, want)

    def refusal(self, convention, parameters, word):
        got = self.run(convention, parameters)
        name = "%s %s" % (convention, json.dumps(parameters))
        fine = got[0] == 2 and word in got[1].splitlines()[0]
        self.say(fine, name, "refused" if fine else "not refused: %s" % (got,))

    def default(self, convention):
        """With nothing given: first rows, which are finite, or one line that says what is wanting."""
        done = subprocess.run([self.sinpos, "table", "--convention", convention, "--type", "f64"], capture_output=True,
                              text=True)
        fine = not re.search(r"\b(nan|inf)\b", done.stdout) if done.returncode == 0 else \
            done.returncode == 2 and done.stderr.startswith("sinpos: ") and len(done.stderr.splitlines()) <= 2
        self.say(fine, convention + " by default", (done.stdout.splitlines() + [done.stderr.strip()])[0])


# Set apart: nothing can be made.
APART = {"espnet_layer", "hf_patchtst", "mipnerf_integrated_pos_enc", "hf_vjepa2_rope", "x_transformers_xpos",
         "vllm_fope", "timm_rotary_mixed", "diffusers_ernie_image_rope", "hf_hunyuan_vl_rope", "diffusers_mochi_rope",
         "hf_lightglue_rope"}
# Set apart, and NaN in its source, which is not made.
NOT_A_NUMBER = {"caffe2_sinusoid__d4_pos0_is_nan.npy"}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--sinpos", required=True)
    parser.add_argument("--data", required=True, type=pathlib.Path)
    parser.add_argument("--only", default="")
    parser.add_argument("--all", action="store_true")
    options = parser.parse_args()
    index = json.loads((options.data / "index.json").read_text())["index"]
    with tempfile.TemporaryDirectory() as folder:
        runner = Runner(options.sinpos, folder, options.all)
        for entry in in_turn(index, lambda entry: entry["convention"]):
            apart = not entry["fits"] and entry["convention"] in APART
            if options.only in entry["convention"] and not apart and entry["file"] not in NOT_A_NUMBER:
                runner.golden(entry, options.data)
        for number, (convention, parameters, positions, expected) in in_turn(enumerate(sources.CASES), lambda case: case[1][0]):
            if options.only in convention:
                runner.source(number, convention, parameters, positions, expected)
        for convention, parameters, word in sources.REFUSALS:
            if options.only in convention:
                runner.refusal(convention, parameters, word)
        rows = catalogue(options.sinpos)
        names = [row["name"] for row in rows]
        for word, n in collections.Counter(w for row in rows for w in words_of(row)).items():
            if n > 1:
                runner.say(False, word, "a name of %d conventions" % n)
        for name in names:
            if options.only in name:
                runner.default(name)
                runner.say(runner.covered[name] > 0 or name in APART, name, "%d cases" % runner.covered[name])
        print("%d cases of %d conventions, %d wrong" % (sum(runner.covered.values()), len(names), runner.bad))
        return runner.bad > 0


def in_turn(cases, convention_of):
    """The first case of each convention, and of the others those whose turn it is."""
    first, others, seen = [], [], set()
    for case in cases:
        (others if convention_of(case) in seen else first).append(case)
        seen.add(convention_of(case))
    return first + turns.mine(others)


def catalogue(sinpos):
    done = subprocess.run([sinpos, "conventions", "--json"], capture_output=True, text=True)
    return json.loads(done.stdout)["conventions"] if done.returncode == 0 else []


def words_of(row):
    """Its names, without what does not count in a name."""
    return {word.lower().replace("_", "").replace("-", "").replace("rotary", "rope") for word in [row["name"], *row["aliases"].split()]}


if __name__ == "__main__":
    sys.exit(main())
