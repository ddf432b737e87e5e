#!/usr/bin/env python3
"""identify-study.py [--count N] [--slice N] [--seed S] [--jobs N] [--kind KIND] [--program PATH]: what identify says of generated arrays, counted.

Encodings with no, one or two changes, and arrays that are no encoding, N of each (default 20000). A line of JSON for each
array goes to build/identify-study/, a file for each slice; a slice that is there is not run again, so a study that was
stopped goes on where it was. The summary is printed from the lines. Exits with 1 where anything wrong was said.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAM = ROOT / "build/check/tests/analysis/analysis_identify_generated"
LINES = ROOT / "build/identify-study"
VERDICTS = ("right", "abstained", "open", "wrong")


def run_slice(program, kind, seed, first, count):
    """Its lines, once: an interrupted slice leaves a file of another name."""
    done = LINES / f"{kind}-{seed}-{first:06}-{count}.jsonl"
    if done.exists():
        return done
    part = done.with_suffix(".part")
    with open(part, "w", encoding="utf-8") as out:
        words = [program, "--lines", "--seed", str(seed), "--first", str(first), "--count", str(count)]
        subprocess.run(words + (["--none"] if kind == "none" else []), stdout=out, stderr=subprocess.DEVNULL, check=False)
    rows = [line for line in part.read_text(encoding="utf-8").splitlines() if line.startswith("{")]
    if len(rows) != count:
        raise RuntimeError(f"{part}: {len(rows)} of {count} arrays: run {' '.join(map(str, words))}")
    part.rename(done)
    return done


def read_lines(files):
    for path in files:
        for line in path.read_text(encoding="utf-8").splitlines():
            if line.startswith("{"):
                yield json.loads(line)


def names_of(row):
    """The rows of the summary that an array belongs to."""
    yield "all"
    yield ("two changes", "one change", "unchanged")[2 - len(row["changes"])]
    yield ("formula" if row["source"] == "formula" else "catalogue") + (", unchanged" if not row["changes"] else "")
    if len(row["changes"]) == 1:
        yield row["changes"][0] + ", alone"
    for change in row["changes"]:
        yield change


def print_table(groups):
    print(f"{'':28}{'arrays':>8}{'right':>8}{'abstained':>11}{'open':>6}{'wrong':>7}{'mean s':>8}{'worst s':>9}")
    for name in sorted(groups, key=lambda n: (n != "all", n)):
        rows = groups[name]
        count = collections.Counter(row["verdict"] for row in rows)
        seconds = [row["seconds"] for row in rows]
        print(f"{name:28}{len(rows):8}{count['right']:8}{count['abstained']:11}{count['open']:6}{count['wrong']:7}"
              f"{sum(seconds) / len(seconds):8.2f}{max(seconds):9.2f}")


def print_reasons(rows, most):
    reasons = collections.Counter((row["verdict"], row["why"]) for row in rows if row["verdict"] != "right")
    examples = {}
    for row in rows:
        examples.setdefault((row["verdict"], row["why"]), row["case"])
    for (verdict, why), n in reasons.most_common(most):
        print(f"{n:6} {verdict}: {why} (case {examples[verdict, why]})")


def print_bar(rows):
    """Abstentions where the generator shows that the nearest alternative, another base, makes other elements."""
    shown = [row for row in rows if row["differs"]]
    abstained = sum(row["verdict"] == "abstained" for row in shown)
    print(f"a base 0.1 % off makes other elements in {len(shown)} of {len(rows)}; of these {abstained} abstained, "
          f"{100 * abstained / max(len(shown), 1):.1f} %")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=20000, help="arrays of each kind (default 20000)")
    parser.add_argument("--slice", type=int, default=500, help="arrays of a slice (default 500)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--program", default=PROGRAM, help="of another build")
    parser.add_argument("--kind", choices=("encodings", "none"), help="one of the two kinds alone")
    options = parser.parse_args()
    LINES.mkdir(parents=True, exist_ok=True)
    is_wrong = False
    for kind in (options.kind,) if options.kind else ("encodings", "none"):
        firsts = range(0, options.count, options.slice)
        sizes = [min(options.slice, options.count - first) for first in firsts]
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            files = list(pool.map(lambda s, k=kind: run_slice(options.program, k, options.seed, *s), zip(firsts, sizes)))
        rows = list(read_lines(files))
        groups = collections.defaultdict(list)
        for row in rows:
            for name in names_of(row) if kind == "encodings" else ("all", row["why"]):
                groups[name].append(row)
        print(f"\n{kind}, seed {options.seed}: {len(rows)} arrays")
        print_table(groups)
        print_reasons(rows, 40)
        if kind == "encodings":
            print_bar(rows)
        is_wrong = is_wrong or any(row["verdict"] == "wrong" for row in rows)
    return 1 if is_wrong else 0


if __name__ == "__main__":
    sys.exit(main())
