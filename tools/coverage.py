#!/usr/bin/env python3
"""coverage.py REPORT.json [PATTERN]: lines that were reached, by folder, from what gcovr found; below 95 % it fails.

With a pattern the lines of the files that match and were not reached are listed.
"""
import collections
import json
import pathlib
import re
import sys

LEAST = 0.95
ROOT = pathlib.Path(__file__).resolve().parent.parent
# Code of processors that this machine may not be.
OTHER_PROCESSORS = ("avx512", "neon")


def main():
    report = json.loads(pathlib.Path(sys.argv[1]).read_text())
    pattern = sys.argv[2] if len(sys.argv) > 2 else None
    folders, missed = collections.defaultdict(lambda: [0, 0]), {}
    for file in report["files"]:
        name, counts = file["file"], collections.Counter()
        if any(word in name for word in OTHER_PROCESSORS):
            continue
        for line in file["lines"]:
            if not line.get("gcovr/noncode"):
                counts[line["line_number"]] += line["count"]
        zero = sorted(number for number, count in counts.items() if count == 0)
        folder = "src" if name.startswith("src/") else "formats"
        folders[folder][0] += len(counts) - len(zero)
        folders[folder][1] += len(counts)
        if zero:
            missed[name] = (zero, len(counts))
    for name, (zero, of) in sorted(missed.items(), key=lambda item: -len(item[1][0])):
        print(f"{name}: {of - len(zero)} of {of} lines")
        if pattern is not None and re.search(pattern, name):
            text = (ROOT / name).read_text().splitlines()
            print(*(f"  {number:5} {text[number - 1]}" for number in zero), sep="\n")
    for folder, (reached, of) in sorted(folders.items()):
        print(f"{folder}/: {reached} of {of} lines, {reached / of:.1%}")
    return 0 if folders and all(reached >= LEAST * of for reached, of in folders.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
