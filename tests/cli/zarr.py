#!/usr/bin/env python3
"""zarr.py - chunked stores: what .zarr files hold, read by code that shares nothing with sinpos, and by Zarr itself.

    zarr.py --sinpos PATH [--brief] [--zarrita FOLDER]

Each array is written as .raw, and as .zarr of both versions in chunks of several sizes. The description must be that of the
specification, there must be no other file than the chunks, and chunks put together must be the bytes of the .raw; what pads
them is zero. Debian's python3-zarr reads version 2 (zarr from 3 on, where it is installed, reads both), zarrita of npm
version 3: FOLDER is where `npm install zarrita` was run.
"""
import argparse
import itertools
import json
import math
import os
import pathlib
import shlex
import shutil
import subprocess
import sys
import tempfile

EMULATOR = shlex.split(os.environ.get("MESON_EXE_WRAPPER", ""))  # of another processor, or none
PYTHON = "/usr/bin/python3"  # the system's, which has NumPy and Zarr
# Words of a command, the shape of its array, its types.
ALL, F32, F64 = ("f64", "f32", "f16", "bf16"), ("f32",), ("f64",)
ARRAYS = (
    ("table --dim 6 --length 11", (11, 6), ALL),
    ("table --dim 8 --length 1", (1, 8), ALL),
    ("table --dim 300 --length 3 --start -1", (3, 300), ALL),
    ("add zeros.npy", (2, 3, 5, 4), F32),
    ("kernel --dim 8 --offsets 0:9 --limit 50", (9,), F64),
)
TYPES = {"f64": ("<f8", "float64", 8), "f32": ("<f4", "float32", 4), "f16": ("<f2", "float16", 2), "bf16": (None, "bfloat16", 2)}
CHUNKS, FEW_CHUNKS = ("1", "20", "96", "1k", None), ("20", "1k", None)
READ = """
import sys, zarr
for path in sys.argv[1:]:
    array = zarr.open(path, mode="r")
    sys.stdout.buffer.write(len(array[...].tobytes()).to_bytes(8, "little") + array[...].tobytes())
"""


class Wrong(Exception):
    """What is not as it must be."""


def need(fine, why):
    if not fine:
        raise Wrong(why)


def described(folder, version, names):
    """Shape, shape of a chunk, and the file of a chunk by its indices."""
    dtype, data_type, _ = names
    text = json.loads((folder / (".zarray" if version == 2 else "zarr.json")).read_text())
    if version == 2:
        want = {"zarr_format": 2, "shape": text["shape"], "chunks": text["chunks"], "dtype": dtype, "compressor": None,
                "fill_value": 0.0, "order": "C", "filters": None}
        need(text == want, f"the description is {text}")
        return text["shape"], text["chunks"], lambda index: ".".join(map(str, index))
    grid = text["chunk_grid"]["configuration"]["chunk_shape"]
    want = {"zarr_format": 3, "node_type": "array", "shape": text["shape"], "data_type": data_type, "fill_value": 0.0,
            "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": grid}},
            "chunk_key_encoding": {"name": "default", "configuration": {"separator": "."}},
            "codecs": [{"name": "bytes", "configuration": {"endian": "little"}}]}
    need(text == want, f"the description is {text}")
    return text["shape"], grid, lambda index: ".".join(["c", *map(str, index)])


def read(folder, version, names):
    """The elements in row order; and how many chunks there are."""
    size = names[2]
    shape, chunk, name = described(folder, version, names)
    out = bytearray(math.prod(shape) * size)
    strides = [math.prod(shape[k + 1:]) * size for k in range(len(shape))]
    files = {".zarray" if version == 2 else "zarr.json"}
    for index in itertools.product(*(range(-(-n // c)) for n, c in zip(shape, chunk))):
        files.add(name(index))
        data = (folder / name(index)).read_bytes()
        need(len(data) == math.prod(chunk) * size, f"{name(index)} has {len(data)} bytes")
        for number, place in enumerate(itertools.product(*map(range, chunk))):
            element = data[number * size:(number + 1) * size]
            whole = [i * c + k for i, c, k in zip(index, chunk, place)]
            if all(at < n for at, n in zip(whole, shape)):
                at = sum(k * stride for k, stride in zip(whole, strides))
                out[at:at + size] = element
            else:
                need(not any(element), f"{name(index)} is padded with what is not zero")
    need({path.name for path in folder.iterdir()} == files, f"other files: {sorted(os.listdir(folder))}")
    return bytes(out), chunk, len(files) - 1


def answers(words, paths):
    """What another program read, array by array; None where it cannot."""
    done = subprocess.run([*words, *map(str, paths)], capture_output=True, check=False)
    if done.returncode != 0:
        print(done.stderr.decode(errors="replace")[-2000:])
        raise Wrong(f"{words[0]}: exit code {done.returncode}")
    at = 0
    for _ in paths:
        n = int.from_bytes(done.stdout[at:at + 8], "little")
        yield done.stdout[at + 8:at + 8 + n]
        at += 8 + n


def version_of_zarr():
    done = subprocess.run([PYTHON, "-c", "import zarr; print(zarr.__version__.split('.')[0])"], capture_output=True, check=False)
    return int(done.stdout) if done.returncode == 0 else 0


def put_zeros(path, shape):
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}, }}\n".encode()
    path.write_bytes(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + bytes(4 * math.prod(shape)))


class Test:
    def __init__(self, sinpos, folder):
        self.sinpos, self.folder = sinpos, folder
        self.stores = {2: [], 3: []}  # (folder, type, bytes)
        self.n = 0

    def make(self, words, name):
        done = subprocess.run([*EMULATOR, self.sinpos, *words, "-o", name, "--quiet"], cwd=self.folder, capture_output=True,
                              check=False)
        need(done.returncode == 0, f"{' '.join(words)} -o {name}: {done.stderr.decode()}")
        return self.folder / name

    def array(self, words, kind, shape, chunks):
        words = [*words, "--type", kind] if words[0] == "table" else words
        raw = self.make(words, "whole.raw").read_bytes()
        for version, chunk in itertools.product((2, 3), chunks):
            if kind == "bf16" and version == 2:
                continue
            store = self.make([*words, "--zarr", str(version), *(["--chunk", chunk] if chunk else [])], f"a{self.n}.zarr")
            got, grid, n_chunks = read(store, version, TYPES[kind])
            need(got == raw, f"{store.name}: other elements, in chunks of {grid}")
            need(described(store, version, TYPES[kind])[0] == list(shape), "another shape")
            if chunk is None:
                need(n_chunks == 1, f"{n_chunks} chunks of so little")
            elif chunk.isdigit():
                need(math.prod(grid) * TYPES[kind][2] <= max(int(chunk), TYPES[kind][2]), f"chunks of {grid} for {chunk} bytes")
            self.stores[version].append((store, kind, raw))
            self.n += 1

    def others(self, who, version, words, kinds):
        stores = [(store, raw) for store, kind, raw in self.stores[version] if kind in kinds]
        for (store, raw), got in zip(stores, answers(words, [store for store, _ in stores])):
            need(got == raw, f"{who} reads other elements of {store.name}")
        print(f"{who}: {len(stores)} stores of version {version}, the same elements")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sinpos", required=True, type=lambda path: str(pathlib.Path(path).resolve()))
    parser.add_argument("--brief", action="store_true", help="each array in one type, each type in some")
    parser.add_argument("--zarrita", type=lambda path: pathlib.Path(path).resolve(), help="where npm put it")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="sinpos-zarr-") as folder:
        test = Test(arguments.sinpos, pathlib.Path(folder))
        put_zeros(test.folder / "zeros.npy", ARRAYS[3][1])
        for number, (words, shape, kinds) in enumerate(ARRAYS):
            for kind in kinds if not arguments.brief else [kinds[number % len(kinds)]]:
                test.array(words.split(), kind, shape, FEW_CHUNKS if arguments.brief else CHUNKS)
        print(f"{test.n} stores read")
        zarr = version_of_zarr()
        if zarr > 0:
            test.others(f"zarr {zarr}", 2, [PYTHON, "-c", READ], ("f64", "f32", "f16"))
        else:
            print("left out: Zarr for Python (python3-zarr) is not installed")
        if zarr >= 3:
            test.others(f"zarr {zarr}", 3, [PYTHON, "-c", READ], ("f64", "f32", "f16"))
        if arguments.zarrita is not None:
            script = shutil.copy(pathlib.Path(__file__).with_name("zarrita.mjs"), arguments.zarrita)
            for version in (2, 3):
                test.others("zarrita", version, ["node", script], ("f64", "f32"))
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Wrong as wrong:
        print(f"wrong: {wrong}")
        sys.exit(1)
