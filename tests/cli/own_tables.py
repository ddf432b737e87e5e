#!/usr/bin/env python3
"""own_tables.py --sinpos PROGRAM [--brief]: 'sinpos audit' finds the parameters of every convention's own tables by their shape.

Tables of several widths, lengths, grids and outputs are written, then audited by the name, and the grid or output, alone:
each must be exact. --brief: every tenth of them. --identify N: of the tables that conventions make by default 'sinpos identify'
names N at least; those that it does not are printed.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import turns

ASKED = ([], ["--dim", "24"], ["--dim", "48"], ["--dim", "64"], ["--dim", "48", "--length", "5"],
         ["--dim", "48", "--length", "196"], ["--dim", "48", "--grid", "3x5"], ["--dim", "48", "--grid", "4x6x2"],
         ["--grid", "7x7"], ["--set", "output=cos_sin"], ["--dim", "32", "--length", "9", "--set", "output=cis"])


def run(sinpos, *arguments):
    return subprocess.run([sinpos, *arguments], capture_output=True, text=True, env={**os.environ, "LC_ALL": "C"})


def audited(sinpos, path, name, asked):
    """'' for an exact table, None where the convention makes none of this shape, else what went wrong."""
    if run(sinpos, "table", "--convention", name, *asked, "-o", path).returncode != 0:
        return None
    told = asked[-2:] if "--grid" in asked or "--set" in asked else []  # no shape shows them
    done = run(sinpos, "audit", path, "--convention", name, *told)
    os.remove(path)
    if "holds no elements" in done.stderr:
        return None
    return "" if done.returncode == 0 else (done.stderr or done.stdout).splitlines()[0]


def identified(sinpos, path, name, asked):
    """The table as identify names it: '' with this convention; None where the convention makes no table so."""
    if run(sinpos, "table", "--convention", name, *asked, "-o", path).returncode != 0:
        return None
    done = run(sinpos, "identify", path, "--json")
    os.remove(path)
    if done.returncode > 1:
        return None
    found = json.loads(done.stdout)
    if not found["sinusoidal"]:
        return "no encoding"
    if name in found["conventions"] and found["unexplained"] == 0 and not found["parts"]:
        return ""
    return f"{found['unexplained']} unexplained, {len(found['parts'])} parts, {' '.join(found['conventions'][:3]) or 'no name'}"


def identify_all(sinpos, catalogue, least):
    jobs = [(c["name"], asked) for c in catalogue for asked in ([], ["--set", "output=cos_sin"])]
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        found = list(pool.map(lambda job: identified(sinpos, str(pathlib.Path(folder, f"{job[0]}_{len(job[1])}.npy")), *job), jobs))
    for (name, asked), what in zip(jobs, found):
        if what:
            print(f"# {name} {' '.join(asked)}: {what}")
    named = found.count("")
    print(f"{'ok' if named >= least else 'not ok'} 1 - {named} of {len(found) - found.count(None)} tables are named\n1..1")
    return named < least


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sinpos", required=True)
    parser.add_argument("--brief", action="store_true")
    parser.add_argument("--identify", type=int, metavar="N")
    options = parser.parse_args()
    catalogue = json.loads(run(options.sinpos, "conventions", "--json").stdout)["conventions"]
    if options.identify is not None:
        return identify_all(options.sinpos, catalogue, options.identify)
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        jobs = turns.mine([(c["name"], k, asked) for c in catalogue for k, asked in enumerate(ASKED)][::10 if options.brief else 1])
        found = list(pool.map(lambda job: audited(options.sinpos, str(pathlib.Path(folder, f"{job[0]}_{job[1]}.npy")), job[0],
                                                  job[2]), jobs))
    n = failed = made = 0
    for (name, k, asked), wrong in zip(jobs, found):
        if wrong is None:
            continue
        made += 1
        if wrong:
            failed += 1
            n += 1
            print(f"not ok {n} - {name} {' '.join(asked)}: {wrong}")
    n += 1
    enough = made > len(jobs) // 3
    print(f"{'ok' if enough else 'not ok'} {n} - {made} tables of {len(catalogue)} conventions, {failed} not found by their shape")
    print(f"1..{n}")
    return 1 if failed or not enough else 0


if __name__ == "__main__":
    sys.exit(main())
