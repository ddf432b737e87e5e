#!/usr/bin/env python3
"""bases.py - the published bases: b*, the smallest base that passes, and b**, from which on all pass, with their proofs.

    bases.py [--sinpos PATH] [--run "mpirun -n 64 sinpos-mpi"] [--seconds N] [--publish]
    bases.py --sample SEED | --verify [--sinpos PATH] [--cost C]

Makes the cells of CONTEXTS and DIMS that docs/bases.json and build/bases lack, the cheapest first, each with its
certificate; a cell that was stopped goes on. --seconds: for so long. --run: all at once, on the ranks of MPI. --publish
joins what is there to docs/bases.json, as many certificates as fit into 1 MB, and writes the table of docs/bases.md.

--verify proves the certificates of docs/bases.json again, in ball arithmetic (`sinpos base --verify`, which shares no code with
the search); --sample some of them, chosen by the seed. --cost: those with L D up to C.
"""
import argparse
import json
import pathlib
import random
import re
import shlex
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDER, DATA, TABLE = ROOT / "build" / "bases", ROOT / "docs" / "bases.json", ROOT / "docs" / "bases.md"
DIMS = (64, 96, 128, 256)
CONTEXTS = tuple(1 << k for k in range(10, 21))
MOST_BYTES = 1_000_000
STEPS = re.compile(r'(?:,\n  "steps_before": \d+)?,\n  "steps": \[.*\]\n}', re.S)


def read(text):
    """Certificates of a file, with the steps that they share: (text without steps, query and claims, steps)."""
    listed = text.lstrip().startswith("[")
    parts = re.split(r"(?<=\n}),\n", text.strip()[2:-2]) if listed else [text.strip()]
    found, before = [], []
    for part in parts:
        values = json.loads(part, parse_float=str)
        steps = before[:values.get("steps_before", 0)] + [tuple(map(str, step)) for step in values["steps"]]
        found.append((STEPS.sub("", part.strip()), values, steps))
        before = steps
    return found


def go_on_from(before, steps):
    """What fails for a context fails for longer ones: the steps of the one before, then those that reach further."""
    end = float(before[-1][0]) if before else 1.0
    return before + [step for step in steps if float(step[0]) > end]


def write(certificates):
    parts, before = [], []
    for head, _, steps in certificates:
        n = len(before) if steps[:len(before)] == before else 0
        rest = [f"[{end}, {offset}]" for end, offset in steps[n:]]
        lines = ",\n    ".join(", ".join(rest[i:i + 5]) for i in range(0, len(rest), 5))
        shared = f',\n  "steps_before": {n}' if n else ""
        parts.append(head + shared + ',\n  "steps": [' + (f"\n    {lines}\n  ]" if rest else "]") + "\n}")
        before = steps
    return "[\n" + ",\n".join(parts) + "\n]\n"


def cells():
    """What is there, by dim and context; those of one dim share their steps."""
    found = {}
    for path in (DATA, *FOLDER.glob("*.json")):
        for certificate in read(path.read_text()):
            found[2 * certificate[1]["tones"], certificate[1]["context"]] = certificate
    joined = {}
    for dim in DIMS:
        before = []
        for context in CONTEXTS:
            if (dim, context) in found:
                head, values, steps = found[dim, context]
                before = go_on_from(before, steps)
                joined[dim, context] = head, values, before
    return joined


def make(arguments):
    FOLDER.mkdir(parents=True, exist_ok=True)
    there = cells()
    missing = sorted(((dim, context) for dim in DIMS for context in CONTEXTS if (dim, context) not in there),
                     key=lambda cell: cell[1] * cell[0] ** 2)
    if arguments.run and missing:
        dims = ",".join(str(dim) for dim in DIMS if any(cell[0] == dim for cell in missing))
        contexts = ",".join(str(context) for context in CONTEXTS if any(cell[1] == context for cell in missing))
        return subprocess.run(shlex.split(arguments.run) + ["base", "--dims", dims, "--context", contexts, "--resume", "-o",
                                                            str(FOLDER / "all.json")]).returncode
    end = time.monotonic() + arguments.seconds if arguments.seconds else None
    for dim, context in missing:
        words = [arguments.sinpos, "base", "--dim", str(dim), "--context", str(context), "--resume", "--quiet", "-o",
                 str(FOLDER / f"{dim}-{context}.json")]
        print(f"dim {dim}, context {context}", flush=True)
        process = subprocess.Popen(words, stdout=subprocess.DEVNULL)
        try:
            code = process.wait(None if end is None else max(1, end - time.monotonic()))
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGINT)
            process.wait()
            print(f"stopped after {arguments.seconds} s; the same command goes on")
            return 0
        if code != 0:
            return code
    return 0


def publish():
    there = cells()
    kept = []
    for cell in sorted(there, key=lambda cell: cell[::-1]):  # by context
        more = sorted(kept + [cell])
        if len(write([there[cell] for cell in more])) < MOST_BYTES:
            kept = more
    DATA.write_text(write([there[cell] for cell in sorted(kept)]))
    lines = ["| L | " + " | ".join(f"b*, D {dim} | b**" for dim in DIMS) + " |",
             "| ---: |" + " ---: | ---: |" * len(DIMS)]
    for context in CONTEXTS:
        row = []
        for dim in DIMS:
            if (dim, context) not in there:
                row += ["missing", "missing"]
                continue
            values = there[dim, context][1]
            mark = "" if (dim, context) in kept else " +"
            row += [f'{float(values["base_upper"]):.11g}{mark}', f'{float(values["robust_upper"]) * (1 + 5e-10):.10g}']
        lines.append(f"| {context} | " + " | ".join(row) + " |")
    text = TABLE.read_text()
    TABLE.write_text(re.sub(r"(?<=<!-- bases -->\n).*(?=<!-- /bases -->)", "\n".join(lines) + "\n", text, flags=re.S))
    print(f"{DATA.relative_to(ROOT)}: {len(kept)} certificates, {DATA.stat().st_size} bytes; {len(there)} of "
          f"{len(DIMS) * len(CONTEXTS)} cells in {TABLE.relative_to(ROOT)}")
    return 0


def verify(arguments):
    certificates = [c for c in read(DATA.read_text()) if c[1]["context"] * 2 * c[1]["tones"] <= arguments.cost]
    if arguments.sample is not None:
        certificates = random.Random(arguments.sample).sample(certificates, 3)
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "sample.json"
        path.write_text(write(certificates))
        done = subprocess.run([arguments.sinpos, "base", "--verify", str(path), "--json"], capture_output=True, text=True)
        results = json.loads(done.stdout or "{}").get("results", [])
        head, values, steps = certificates[0]
        path.write_text(write([(head, values, [(end, "1") for end, _ in steps])]))  # and a wrong one: g(1) > 0
        wrong = subprocess.run([arguments.sinpos, "base", "--verify", str(path), "--json"], capture_output=True, text=True)
    shown = ", ".join(f"D {2 * c[1]['tones']} L {c[1]['context']}" for c in certificates)
    print(f"{shown}: {sum(result['proved'] for result in results)} of {len(certificates)} proved")
    print(done.stderr, end="")
    return 0 if done.returncode == 0 and len(results) == len(certificates) and wrong.returncode != 0 else 1


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sinpos", default=str(ROOT / "build" / "release" / "cli" / "sinpos"))
    parser.add_argument("--run", help="what runs sinpos-mpi, such as 'mpirun -n 64 sinpos-mpi'")
    parser.add_argument("--seconds", type=float)
    parser.add_argument("--publish", action="store_true")
    parser.add_argument("--sample", type=int, metavar="SEED")
    parser.add_argument("--verify", action="store_true")
    parser.add_argument("--cost", type=float, default=float("inf"))
    arguments = parser.parse_args()
    if arguments.verify or arguments.sample is not None:
        return verify(arguments)
    return (0 if arguments.publish else make(arguments)) or publish()


if __name__ == "__main__":
    sys.exit(main())
