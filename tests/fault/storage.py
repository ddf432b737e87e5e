#!/usr/bin/env python3
"""storage.py - runs commands whose files fail, call by call, and looks at how they end.

    storage.py --sinpos PATH --library PATH --data DIR [--brief] [--jobs N] [--only NAME] [--mode MODE] [--at N]

The commands of allocations.py. Each call by which one reaches a file (failing_storage.c) fails: with EIO, and every second one
with ENOSPC (and so do all writes behind it), with EINTR, or it moves half of its bytes, or the folder of the output is moved
away before it; --brief takes one of these four for each call. EINTR and short calls must change nothing, but for an open(),
rename() or mkdir() that EINTR ends. The others end in one of two ways: with 3, an error of one line and its hint, no new file,
and old ones as they were; or with the same bytes. With --resume FILE.part and FILE.journal may stay, and the command given
again ends well.
"""
import argparse
import collections
import concurrent.futures
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

import allocations
import turns
from allocations import Ending, cases

EIO, ENOSPC, EINTR = "5", "28+", "4"
MODES = (EIO, ENOSPC, EINTR, "short", "vanish")
BRIEF = ("table-npy", "table-link", "table-zarr", "table-resume", "add-resume", "convert-safetensors", "base-resume", "audit-resume", "separate-files",
         "plot-matrix", "convert-empty")
# Long ones get these modes alone: under --brief, and always.
BRIEF_MODES = {"convert-empty": (EIO,)}
FEW_MODES = dict.fromkeys(("report-compare", "report-empty", "report-earlier"), (EIO,))  # the others: report-folder
# Beside those of allocations.py: a file that the disk begins to take early, and folders that are there, empty or with a
# report that had more files.
COMMANDS = allocations.COMMANDS + """table-long: table --dim 512 --length 1200 -o out.raw
table-link: table --dim 4 --length 8 -o link.npy
convert-empty: convert ../in/folder --from half --to pair -o empty
report-empty: report -o empty --dim 4 --length 8 --context 8 --date 2026-01-01
report-earlier: report -o earlier --dim 4 --length 8 --context 8 --date 2026-01-01
"""
INPUTS = allocations.INPUTS + """sinpos report -o report --dim 4 --length 8 --compare base=100 base=1000 --date 2026-01-01
"""
AFTERWARDS = allocations.AFTERWARDS + ("report-earlier",)
TIMEOUT_S = 120
MAY_BE_INTERRUPTED = ("open", "rename", "mkdir", "mkstemp", "unlink", "opendir")
# No system call of theirs ends so.
NEVER_INTERRUPTED = ("stat", "lstat", "fstat", "access", "realpath", "fchmod", "lseek", "readdir", "rmdir", "sync_file_range",
                     "tmpfile", "fflush")
# The long reports and pictures write many files alike: this many calls of each name.
MOST_ALIKE = 12


class Place:
    """A folder for one process at a time."""

    def __init__(self, arguments, root, number):
        self.arguments, self.folder, self.inputs = arguments, root / f"run{number}", root / "in"
        self.log = root / f"log{number}"
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith("LD_")}
        self.environment.update(LC_ALL="C", OPENBLAS_NUM_THREADS="1")

    def begin(self, words):
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir()
        (self.folder / "in").symlink_to(self.inputs)
        allocations.Place.make_folder(self.folder / "0", words)
        for path in (self.folder / "0").iterdir():
            path.chmod(0o640)  # which files that are replaced hand down
        if "empty" in words:
            (self.folder / "0" / "empty").mkdir()
        if "link.npy" in words:
            (self.folder / "0" / "link.npy").rename(self.folder / "0" / "behind.npy")
            (self.folder / "0" / "link.npy").symlink_to("behind.npy")
        if "earlier" in words:
            shutil.copytree(self.inputs / "report", self.folder / "0" / "earlier")
        self.before = allocations.files_below(self.folder / "0")

    def run(self, words, fault="log 0", again=False):
        if not again:
            self.begin(words)
        self.log.unlink(missing_ok=True)
        out = self.folder / "0"
        if fault.startswith("vanish"):  # by a path that leads there no more
            words = [str(out / word) if before in ("-o", "--data", "--script") and word != "-" else word
                     for before, word in zip([""] + words, words)]
        # Inputs count as well; where the output's folder vanishes they are those of a relative path.
        # A file for the report without a name lies in the output's folder, so that it counts.
        environment = dict(self.environment, TMPDIR=str(out), LD_PRELOAD=str(self.arguments.library), SINPOS_STORAGE=fault,
                           SINPOS_STORAGE_ROOT=str(out), SINPOS_STORAGE_LOG=str(self.log))
        done = subprocess.run([self.arguments.sinpos] + words, cwd=out, env=environment, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=TIMEOUT_S)
        gone = self.folder / "0.gone"
        stdout, stderr = (text.replace(str(out).encode() + b"/", b"") for text in (done.stdout, done.stderr))
        ending = Ending(done.returncode, stdout, stderr,
                        allocations.files_below(gone if gone.exists() else out))
        ending.modes = {str(path.relative_to(out)): path.stat().st_mode & 0o777 for path in out.rglob("*") if path.is_file()}
        ending.before = self.before
        ending.calls = self.log.read_text().splitlines() if self.log.exists() else []
        return ending


def judge(name, mode, call, ending, reference):
    """Empty, or what is wrong."""
    if ending.same(reference):
        return "" if mode == "vanish" or ending.modes == reference.modes else f"other permissions: {ending.modes}"
    kind = call.split()[0].removesuffix("64")
    if mode == "short" or (mode == EINTR and kind not in MAY_BE_INTERRUPTED):
        return f"another end: exit code {ending.code}"
    if (kind == "unlink" or mode == "vanish") and "-resume" in name:  # an empty journal stays, and a warning says so
        ending.files = {file: data for file, data in ending.files.items() if not (file.endswith(".journal") and data == b"")}
        ending.stderr = re.sub(rb"sinpos: warning: [^\n]*cannot be removed[^\n]*\n", b"", ending.stderr)
        if ending.same(reference):
            return ""
    if ending.code != 3:
        return f"exit code {ending.code}, or other bytes" if ending.code == reference.code else f"exit code {ending.code}"
    if allocations.complaint_of(ending):
        return allocations.complaint_of(ending)
    if mode == EIO and b"input/output error" not in ending.stderr.lower():
        return "the error does not say what failed"
    left = {file: data for file, data in ending.files.items() if ending.before.get(file) != data}
    if "-resume" in name:
        left = {file: data for file, data in left.items() if not file.endswith((".part", ".journal"))}
    if mode == "vanish":  # docs/formats.md: the unfinished file is where the folder is
        left = {file: data for file, data in left.items() if "/.sinpos-" not in "/" + file and not file.endswith("/")}
    if name in AFTERWARDS or b"folder cannot be synced" in ending.stderr or kind == "unlink" or mode == "vanish":
        left = {file: data for file, data in left.items() if reference.files.get(file) != data}
    if left:
        return "leaves " + ", ".join(left)
    printed, whole = (allocations.TIMES.sub(b"", text) for text in (ending.stdout, reference.stdout))
    return "" if whole.startswith(printed) else "prints what it does not print elsewhere"


class Test:
    def __init__(self, arguments, root):
        self.arguments = arguments
        self.free = [Place(arguments, root, i) for i in range(arguments.jobs)]
        self.n_runs = self.n_survived = 0
        self.wrong = []

    def chosen(self, calls, mode):
        """Numbers of calls, from 1."""
        if self.arguments.at:
            yield self.arguments.at
            return
        seen = collections.Counter()
        for n, call in enumerate(calls, 1):
            kind = re.sub(r"[0-9]+", "", call)
            seen[kind.split()[0]] += 1
            if mode == "short" and not re.match("p?(read|write)", kind):
                continue
            if mode == EINTR and kind.split()[0] in NEVER_INTERRUPTED:
                continue
            if kind.startswith("unlink") and pathlib.PurePath(kind.split()[1]).name.lstrip(".").startswith("sinpos-"):
                continue  # what removes an unfinished file, or one without a name, is itself what is asked for
            if seen[kind.split()[0]] <= MOST_ALIKE:
                yield n

    def one(self, name, words):
        place = self.free.pop()
        try:
            reference = place.run(words)
            if reference.code == 3 and allocations.LACKING.search(reference.stderr):
                print(f"left out: {name}: " + reference.text().splitlines()[0])
                return
            if reference.code not in (0, 1) or not place.run(words).same(reference):
                self.wrong.append(f"{name}: without a fault: exit code {reference.code}, or two runs differ\n{reference.text()}")
                print(self.wrong[-1], flush=True)
                return
            modes = FEW_MODES.get(name, MODES)
            modes = BRIEF_MODES.get(name, modes) if self.arguments.brief else modes
            for mode in modes:
                if self.arguments.mode not in (None, mode):
                    continue
                if mode == "vanish" and "-o" not in words:
                    continue
                for n in self.chosen(reference.calls, mode):
                    turns_of = len(MODES) - 1 if self.arguments.brief else 2
                    if mode != EIO and not self.arguments.at and (n + MODES.index(mode)) % turns_of != 0:
                        continue  # a call fails with EIO, and in one or two of the other ways, which take turns
                    self.look(place, name, words, mode, n, reference)
            print(f"{name}: {len(reference.calls)} calls", flush=True)
        finally:
            self.free.append(place)

    def look(self, place, name, words, mode, n, reference):
        ending = place.run(words, f"{mode} {n}")
        call = ending.calls[n - 1] if len(ending.calls) >= n else "none"
        why = judge(name, mode, call, ending, reference) if call != "none" else ""
        self.n_runs += 1
        self.n_survived += why == "" and ending.code != 3
        if not why and "--resume" in words and mode != "vanish" and ending.code == 3:
            again = place.run(words, again=True)
            if (again.code, again.files) != (reference.code, reference.files):
                why, ending = "the command given again does not go on", again
        lines = "".join(f"    {line[:200]}\n" for line in ending.text().splitlines())
        if why:
            self.wrong.append(f"{name}: {mode} at call {n}, {call}: {why}\n{lines}"
                              f"  again: {self.arguments.again} --only {name} --mode {mode} --at {n}\n")
            print(self.wrong[-1], flush=True)
        elif self.arguments.at:
            print(f"{name}: {mode} at call {n}, {call}: {ending.code}\n{lines}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sinpos", required=True, type=lambda path: str(pathlib.Path(path).resolve()))
    parser.add_argument("--library", help="what failing_storage.c is built to; without it nothing runs",
                        type=lambda path: pathlib.Path(path).resolve())
    parser.add_argument("--data", required=True, type=lambda path: pathlib.Path(path).resolve())
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--brief", action="store_true", help="some commands only")
    parser.add_argument("--only", help="a regular expression for the names of commands")
    parser.add_argument("--mode", choices=MODES)
    parser.add_argument("--at", type=int)
    arguments = parser.parse_args()
    arguments.again = f"{sys.argv[0]} --sinpos {arguments.sinpos} --library {arguments.library} --data {arguments.data}"
    if arguments.library is None:
        print("skipped: a sanitizer has calls of its own, and LD_PRELOAD would take their place")
        return allocations.SKIPPED
    with tempfile.TemporaryDirectory(prefix="sinpos-storage-") as folder:
        root = pathlib.Path(folder)
        (root / "in").mkdir()
        session = cases.Session(arguments.sinpos, arguments.data, root / "in")
        for line in INPUTS.strip().splitlines():
            if session.run(line).code != 0:
                print("cannot make an input: " + line)
                return 1
        test = Test(arguments, root)
        chosen = [(name, shlex.split(words)) for name, words in
                  (line.split(": ", 1) for line in COMMANDS.strip().splitlines())
                  if name != "unknown" and
                  (re.fullmatch(arguments.only, name) if arguments.only else not arguments.brief or name in BRIEF)]
        chosen = chosen if arguments.only else turns.mine(chosen)
        with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
            list(pool.map(lambda command: test.one(*command), chosen))
    print(f"{len(chosen)} commands, {test.n_runs} calls that failed, {test.n_survived} of them survived, "
          f"{len(test.wrong)} ended wrongly")
    return 1 if test.wrong or test.n_runs == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
