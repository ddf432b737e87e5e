#!/usr/bin/env python3
"""The Python package against PyTorch and NumPy: ratios from neighbouring runs, and the bars. Above 1 sinpos is faster.

    bench/python.py [--json] [--quick] [--threads N] [--cpu-time] [NAME...]

Both sides do the same thing in the same process, in turn: what is done in place is compared with what is done in place, and sums use a
table that was made beforehand. The ratio is that of the best times, and next to it the
median of the pairs' ratios. One thread unless said. --cpu-time counts the processor's time, for machines that others use
too. Ends with 1 where a bar is missed.
"""
import argparse
import json
import math
import os
import statistics
import subprocess
import sys
import time

for library in ("OMP", "MKL", "OPENBLAS"):
    os.environ.setdefault(library + "_NUM_THREADS", "1")

import numpy as np  # noqa: E402

import sinpos  # noqa: E402

try:
    import torch
    from torch import nn
except ImportError:
    torch = None

ROWS, DIM = 32768, 1024
ENCODING = sinpos.Encoding(dim=DIM)


# ---------------------------------------------------------------------------------------------------- the usual lines


def torch_table(n, d):
    pe = torch.zeros(n, d)
    position = torch.arange(0, n, dtype=torch.float).unsqueeze(1)
    div_term = torch.exp(torch.arange(0, d, 2).float() * (-math.log(10000.0) / d))
    pe[:, 0::2] = torch.sin(position * div_term)
    pe[:, 1::2] = torch.cos(position * div_term)
    return pe


def numpy_table(n, d):
    pe = np.zeros((n, d), np.float32)
    position = np.arange(n, dtype=np.float32)[:, None]
    div_term = np.exp(np.arange(0, d, 2, dtype=np.float32) * np.float32(-math.log(10000.0) / d))
    pe[:, 0::2] = np.sin(position * div_term)
    pe[:, 1::2] = np.cos(position * div_term)
    return pe


def stored_module():
    class Stored(nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("pe", torch_table(4096, DIM))

        def forward(self, positions):
            return self.pe[positions]

    return Stored()


# ---------------------------------------------------------------------------------------------------- measuring


clock = time.perf_counter


def seconds(call, repeats):
    start = clock()
    for _ in range(repeats):
        call()
    return (clock() - start) / repeats


def compare(ours, theirs, pairs, repeats=1):
    """Best times of both, the ratio of these, and the median of the ratios of neighbours."""
    ours(), theirs()
    times = []
    for k in range(pairs):
        first, second = (ours, theirs) if k % 2 == 0 else (theirs, ours)
        a, b = seconds(first, repeats), seconds(second, repeats)
        times.append((a, b) if k % 2 == 0 else (b, a))
    best = [min(column) for column in zip(*times)]
    return best[0], best[1], statistics.median(b / a for a, b in times)


def python_seconds(lines):
    program = f"import numpy; from time import {clock.__name__} as clock; s = clock(); {lines}; print(clock() - s)"
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}  # as an installed package has it
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, env=environment)
    return float(done.stdout)


# ---------------------------------------------------------------------------------------------------- the list


def table_cases(quick, threads):
    rows = ROWS // 4 if quick else ROWS
    out = np.empty((rows, DIM), np.float32)
    kept = {}

    def fresh():
        kept["ours"] = ENCODING.table(rows, threads=threads)

    def in_place():
        ENCODING.table(rows, out=out, threads=threads)

    def zeros():
        kept["theirs"] = np.empty((rows, DIM), np.float32)
        kept["theirs"].fill(0)

    def usual_numpy():
        kept["theirs"] = numpy_table(rows, DIM)

    def usual_torch():
        kept["theirs"] = torch_table(rows, DIM)

    if torch is not None:
        yield f"table {rows} x {DIM}, into an array", "PyTorch, the usual lines", in_place, usual_torch, None if quick else 25, 7, 1
        yield f"table {rows} x {DIM}, a new array", "PyTorch, the usual lines", fresh, usual_torch, None, 5, 1
    yield f"table {rows} x {DIM}, a new array", "NumPy, a new array of zeros", fresh, zeros, None, 7, 1
    yield f"table {rows} x {DIM}, into an array", "NumPy, the usual lines", in_place, usual_numpy, None, 3, 1


SHAPES = [((8, 4096, DIM), 1), ((32, 512, DIM), 2), ((1, 2048, DIM), 20), ((1, 128, DIM), 200), ((1, 1, DIM), 2000)]


def add_shapes(quick):
    for shape, repeats in SHAPES:
        shape = (shape[0] // 4, *shape[1:]) if quick and shape[0] > 1 else shape
        yield shape, repeats, " x ".join(map(str, shape))


def add_cases(quick, threads):
    """In place against in place, the table made beforehand."""
    for shape, repeats, words in add_shapes(quick):
        x, pe = np.zeros(shape, np.float32), ENCODING.table(shape[-2])
        yield (f"add_ to {words}", "NumPy, np.add(x, pe, out=x)", lambda x=x: ENCODING.add_(x, threads=threads),
               lambda x=x, pe=pe: np.add(x, pe, out=x), None, 9, repeats)
        if torch is not None:
            tx, tpe = torch.zeros(shape), torch.from_numpy(pe)
            yield (f"add_ to {words}", "PyTorch, x.add_(pe)", lambda x=x: ENCODING.add_(x, threads=threads),
                   lambda tx=tx, tpe=tpe: tx.add_(tpe), None, 9, repeats)


MODULE_DIM = 768
MODULE_SHAPES = [((8, 512), 4, 0.95), ((32, 512), 2, 0.95), ((8, 2048), 2, 0.95), ((1, 512), 50, 0.4), ((8, 1), 1000, 0.4),
                 ((1, 1), 2000, 0.4)]


def usual_module(inplace, dtype):
    class Usual(nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("pe", torch_table(4096, MODULE_DIM)[None].to(dtype))

        def forward(self, x):
            pe = self.pe[:, :x.size(1)]
            return x.add_(pe) if inplace else x + pe

    return Usual()


def sum_cases(quick, threads):
    """Module against module, the table made beforehand: a new tensor against a new tensor, in place against in place."""
    if torch is None:
        return
    import sinpos.torch

    with torch.no_grad():
        for (batch, n), repeats, bar in MODULE_SHAPES:
            for dtype in (torch.float32, torch.bfloat16):
                words = f"{batch} x {n} x {MODULE_DIM}, {str(dtype).replace('torch.', '')}"
                x = torch.zeros(batch, n, MODULE_DIM, dtype=dtype)
                for inplace, what, against in ((False, "AddPositions", "x + self.pe[:, :n]"),
                                               (True, "AddPositions, inplace", "x.add_(self.pe[:, :n])")):
                    ours, theirs = sinpos.torch.AddPositions(MODULE_DIM, inplace=inplace), usual_module(inplace, dtype)
                    yield (f"{what}, {words}", against, lambda x=x, ours=ours: ours(x), lambda x=x, theirs=theirs: theirs(x),
                           bar, 9, repeats)


def module_cases(quick, threads):
    if torch is None:
        return
    import sinpos.torch

    ours, theirs = sinpos.torch.SinusoidalEmbedding(DIM), stored_module()
    with torch.no_grad():
        one, step = torch.tensor([1234]), torch.tensor(1234)
        yield ("one position, module, tensor (1,)", "a stored table in a module", lambda: ours(one), lambda: theirs(one), 1,
               15, 2000)
        # a tensor without dimensions gives a view of the table: nothing is copied
        yield ("one position, module, tensor ()", "a view of a stored table", lambda: ours(step), lambda: theirs(step),
               None, 15, 2000)


GROUPS = {"table": table_cases, "add": add_cases, "sum": sum_cases, "module": module_cases}


def row(what, against, ours, theirs, bar, pairs, repeats):
    a, b, median = compare(ours, theirs, pairs, repeats)
    return {"what": what, "against": against, "seconds": a, "their_seconds": b, "ratio": b / a, "median_ratio": median,
            "bar": bar, "holds": bar is None or b / a >= bar}


def import_row(runs):
    took = min(python_seconds("import sinpos") for _ in range(runs))
    return {"what": "import sinpos", "against": "NumPy imported before", "seconds": took, "their_seconds": None,
            "ratio": None, "median_ratio": None, "bar": 0.05, "holds": took < 0.05}


def shown_time(value):
    if value is None:
        return ""
    for unit, size in (("s", 1.0), ("ms", 1e-3)):
        if value >= size:
            return f"{value / size:.3g} {unit}"
    return f"{value / 1e-6:.3g} us"


def print_rows(rows):
    print(f"{'sinpos, one thread unless said':58} {'time':>9}  {'compared with':28} {'time':>9} {'ratio':>7} {'median':>7}  bar")
    for r in rows:
        ratio = "" if r["ratio"] is None else f"{r['ratio']:.2f}"
        median = "" if r["median_ratio"] is None else f"{r['median_ratio']:.2f}"
        limit = "" if r["bar"] is None else f"< {shown_time(r['bar'])}" if r["ratio"] is None else f">= {r['bar']}"
        verdict = "" if r["bar"] is None else "  holds" if r["holds"] else "  MISSED"
        print(f"{r['what']:58} {shown_time(r['seconds']):>9}  {r['against']:28} {shown_time(r['their_seconds']):>9} "
              f"{ratio:>7} {median:>7}  {limit}{verdict}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="which: " + ", ".join([*GROUPS, "import"]))
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--quick", action="store_true", help="a quarter of the rows")
    parser.add_argument("--threads", type=int, default=1, help="of both sides (1)")
    parser.add_argument("--cpu-time", action="store_true", help="count the processor's time; one thread")
    options = parser.parse_args()
    global clock
    clock = time.process_time if options.cpu_time else time.perf_counter
    if options.cpu_time and options.threads != 1:
        parser.error("--cpu-time adds up what threads use: it goes with one")
    unknown = set(options.names) - {*GROUPS, "import"}
    if unknown:
        parser.error(f"{unknown.pop()}: no such group")
    if torch is not None:
        torch.set_num_threads(options.threads)
    chosen = options.names or [*GROUPS, "import"]
    rows = [row(*case) for name in GROUPS if name in chosen for case in GROUPS[name](options.quick, options.threads)]
    rows += [import_row(7)] if "import" in chosen else []
    versions = {"sinpos": sinpos.__version__, "isa": sinpos.isa(), "numpy": np.__version__,
                "torch": None if torch is None else torch.__version__, "threads": options.threads,
                "clock": clock.__name__}
    if options.json:
        print(json.dumps({"versions": versions, "rows": rows}, indent=2))
    else:
        print(", ".join(f"{key} {value}" for key, value in versions.items()))
        print_rows(rows)
    return 0 if all(r["holds"] for r in rows) else 1


sys.exit(main())
