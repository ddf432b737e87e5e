#!/usr/bin/env python3
"""limits.py - runs commands under limits of the system, and looks at how they end.

    limits.py --sinpos PATH --data DIR [--brief] [--only NAME] [--mib N] [--threads N]

The commands of allocations.py, and some that are large, run under a limit of memory (ulimit -v), from the least under which
`sinpos --version` starts, and as a user who may start no thread, one, or two (prlimit --nproc). Each must end with 3, an error
of one line and its hint, and no new file; or as it ends without the limit, with the same bytes, where reports may leave out
what needs OpenBLAS. Limits grow until two in a row are enough for all. --only NAME with --mib or --threads runs one of them again.
"""
import argparse
import concurrent.futures
import os
import pathlib
import random
import re
import resource
import shlex
import shutil
import subprocess
import sys
import tempfile

import allocations
import turns
from allocations import OLD, Ending, cases

KIB, MIB = 1 << 10, 1 << 20
MIBS = [0, 1, 2, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 300, 350, 400, 450, 500, 600, 800]
BRIEF_MIBS = [1, 16, 64]
ENOUGH = 2  # limits in a row under which a command does all its work: larger ones change nothing
WITHOUT_OPENBLAS_MIB = 250  # it needs 288 with one thread
FIRST_USER = random.SystemRandom().randrange(20000, 60000)  # need not exist; the kernel counts those of all containers
TIMEOUT_S = 150

LARGE = """
check-large: check --dim 512 --length 1024
check-jumps: check --dim 1024 --length 64 linear covariance
structure-large: structure --dim 768 --length 512
structure-many: structure --dim 512 --length 1024 --threads 4
identify-large: identify ../in/large.npy
audit-large: audit ../in/large.npy
convert-large: convert ../in/large.npy --from interleaved --to halves -o out.npy
base-large: base --context 512 --dim 256
separate-large: separate --dim 64 --length 20000 --method hashes
"""
BRIEF = ("version", "table-safetensors", "convert-safetensors", "kernel-continuum", "check-large", "structure-drawn")
BRIEF_THREADS = ("check-some", "structure-drawn", "separate-threads", "identify-npy")


class Place:
    """A folder, and a user of its own."""

    def __init__(self, arguments, root, number):
        self.arguments, self.folder, self.user = arguments, root / f"run{number}", FIRST_USER + number
        self.environment = {name: value for name, value in os.environ.items()
                            if not name.endswith("_NUM_THREADS")}
        self.environment["LC_ALL"] = "C"

    def run(self, words, bytes_limit=0, n_threads=None):
        """bytes_limit 0: none. n_threads: how many can be started beside the first; None: any number."""
        out = self.folder / "0"
        shutil.rmtree(out, ignore_errors=True)
        allocations.Place.make_folder(out, words)
        for path in [out, *out.iterdir()]:
            path.chmod(0o777)
        identity = {}
        if n_threads is not None and os.geteuid() == 0:
            identity = {"user": self.user, "group": self.user, "extra_groups": []}

        def limit():
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            if bytes_limit:
                resource.setrlimit(resource.RLIMIT_AS, (bytes_limit, bytes_limit))
            if n_threads is not None:
                resource.setrlimit(resource.RLIMIT_NPROC, (n_threads + 1, n_threads + 1))

        try:
            done = subprocess.run([self.arguments.sinpos] + words, cwd=out, env=self.environment, preexec_fn=limit,
                                  stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                  timeout=TIMEOUT_S, **identity)
        except subprocess.TimeoutExpired as late:
            return Ending(-14, late.stdout or b"", late.stderr or b"", {})
        return Ending(done.returncode, done.stdout, done.stderr, allocations.files_below(out))


def judge(name, ending, references):
    why = allocations.judge(name, ending, references)
    if not why and allocations.OPENBLAS.search(ending.text()):
        return "OpenBLAS prints a line of its own"
    return why


class Test:
    def __init__(self, arguments, root):
        self.arguments, self.root = arguments, root
        self.free = [Place(arguments, root, i) for i in range(arguments.jobs)]
        self.n_runs = self.n_survived = 0
        self.wrong = []
        self.base = self.least()

    def least(self):
        """The least limit under which the program is loaded and runs."""
        low, high = 0, 4096 * MIB
        while high - low > 256 * KIB:
            middle = (low + high) // 2
            low, high = (low, middle) if self.free[0].run(["--version"], middle).code == 0 else (middle, high)
        return high

    def one(self, name, words, mibs, threads):
        place = self.free.pop()
        try:
            references = [place.run(words)]
            if references[0].code == 3 and allocations.LACKING.search(references[0].stderr):
                print(f"left out: {name}: " + references[0].text().splitlines()[0])
                return
            if references[0].code not in ((2,) if name == "unknown" else (0, 1)):
                self.wrong.append(f"{name}: without a limit: exit code {references[0].code}\n" + references[0].text())
                return
            if name.split("-")[0] in allocations.WITHOUT_OPENBLAS:
                references.append(place.run(words, self.base + WITHOUT_OPENBLAS_MIB * MIB))
            enough = 0
            for mib in mibs:
                ending = place.run(words, self.base + mib * MIB)
                self.look(name, references, f"--mib {mib}", ending)
                enough = enough + 1 if ending.same(references[0]) else 0
                if enough == ENOUGH:
                    break
            for n in threads:
                self.look(name, references, f"--threads {n}", place.run(words, n_threads=n))
        finally:
            self.free.append(place)

    def look(self, name, references, limit, ending):
        why = judge(name, ending, references)
        self.n_runs += 1
        self.n_survived += why == "" and ending.code != 3
        lines = "".join(f"    {line[:200]}\n" for line in ending.text().splitlines())
        if why:
            self.wrong.append(f"{name}: {limit}: {why}\n{lines}"
                              f"  again: {self.arguments.again} --only {name} {limit}\n")
        elif self.arguments.mib is not None or self.arguments.threads is not None:
            print(f"{name}: {limit}: {ending.code}\n{lines}")


def commands():
    for line in (allocations.COMMANDS.strip() + LARGE).strip().splitlines():
        name, words = line.split(": ", 1)
        yield name, shlex.split(words)


def chosen(arguments, can_switch):
    """(name, words, limits of memory, limits of threads)"""
    for name, words in commands():
        mibs, threads = MIBS, [0, 1, 2]
        if arguments.brief:
            mibs = BRIEF_MIBS if name in BRIEF else []
            threads = [0] if name in BRIEF_THREADS else []
        if arguments.mib is not None or arguments.threads is not None:
            mibs = [] if arguments.mib is None else [arguments.mib]
            threads = [] if arguments.threads is None else [arguments.threads]
        if (not arguments.only or re.fullmatch(arguments.only, name)) and (mibs or threads):
            yield name, words, mibs, threads if can_switch else []


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sinpos", required=True, type=lambda path: str(pathlib.Path(path).resolve()))
    parser.add_argument("--data", required=True, type=lambda path: pathlib.Path(path).resolve())
    parser.add_argument("--sanitized", action="store_true", help="nothing runs")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--brief", action="store_true", help="some commands and limits only")
    parser.add_argument("--only", help="a regular expression for the names of commands")
    parser.add_argument("--mib", type=int)
    parser.add_argument("--threads", type=int)
    arguments = parser.parse_args()
    arguments.again = f"{sys.argv[0]} --sinpos {arguments.sinpos} --data {arguments.data}"
    if arguments.sanitized:
        print("skipped: a sanitizer needs more address space than any limit would leave")
        return allocations.SKIPPED
    with tempfile.TemporaryDirectory(prefix="sinpos-limits-") as folder:
        root = pathlib.Path(folder)
        root.chmod(0o755)
        (root / "in").mkdir()
        session = cases.Session(arguments.sinpos, arguments.data, root / "in")
        for line in allocations.INPUTS.strip().splitlines() + \
                ["sinpos table --dim 512 --length 40000 -o large.npy --quiet"]:
            if session.run(line).code != 0:
                print("cannot make an input: " + line)
                return 1
        for i in range(arguments.jobs):
            (root / f"run{i}").mkdir()
            (root / f"run{i}" / "in").symlink_to(root / "in")
        test = Test(arguments, root)
        can_switch = True
        try:
            why = test.free[0].run(["--version"], n_threads=0)
            can_switch = why.code == 0
        except OSError as error: # no right to become another user
            why, can_switch = error, False
        if not can_switch:
            print("left out: limits of threads: the program cannot be run as another user")
        with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
            limited = list(chosen(arguments, can_switch))
            list(pool.map(lambda command: test.one(*command), limited if arguments.only else turns.mine(limited)))
    for text in sorted(test.wrong):
        print(text)
    print(f"{test.n_runs} runs under limits, {test.n_survived} of them did all their work, {len(test.wrong)} ended wrongly; "
          f"the program needs {test.base >> 20} MiB to start")
    return 1 if test.wrong or test.n_runs == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
