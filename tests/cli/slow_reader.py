#!/usr/bin/env python3
"""slow_reader.py --sinpos PROGRAM: what long work prints where standard error is not a terminal. 23 seconds, mostly asleep.

A table goes to a reader that takes 22 seconds for it: a line every ten seconds, with the time that is left, and none with --quiet.
"""
import argparse
import re
import subprocess
import sys
import time

ROWS = 1 << 18
SECONDS, BYTES = 22, 64 * ROWS * 4


def run(sinpos, *more):
    process = subprocess.Popen([sinpos, "table", "--dim", "64", "--length", str(ROWS), "-o", "-", *more], stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=False)
    taken = 0
    began = time.monotonic()
    while piece := process.stdout.read(1 << 20):
        taken += len(piece)
        time.sleep(max(0.0, began + SECONDS * taken / BYTES - time.monotonic()))
    return process.stderr.read().decode(), process.wait(), taken


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sinpos", required=True)
    sinpos = parser.parse_args().sinpos
    text, code, taken = run(sinpos, "--type", "f32")
    lines = [line for line in text.splitlines() if re.fullmatch(r".*: \d+ % after \d+ s(, \d+:\d\d left)?", line)]
    good = code == 0 and taken > BYTES and len(lines) == 2 and all("left" in line for line in lines) and "\r" not in text
    print(f"{'ok' if good else 'not ok'} 1 - a line every ten seconds: {lines}")
    quiet = run(sinpos, "--quiet")[0]
    print(f"{'ok' if quiet == '' else 'not ok'} 2 - none with --quiet: {quiet!r}")
    print("1..2")
    return 0 if good and quiet == "" else 1


if __name__ == "__main__":
    sys.exit(main())
