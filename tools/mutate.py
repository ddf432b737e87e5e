#!/usr/bin/env python3
"""mutate.py: plants the deliberate faults of tests/mutants/*.toml, one at a time, and says which test finds each.

    tools/mutate.py                       those that are new or changed since found.json; of a whole tree, hours on two cores
    tools/mutate.py --only tie src/plan.c those whose name or file contains one of these words, tried again
    tools/mutate.py --check               only: does each fault fit the sources?
    tools/mutate.py --document            writes what tests/mutants/found.json holds into docs/testing.md

Each core works in a copy of the tree with a build of its own, build/mutate/N. A fault is compiled into it; then the tests run,
those that cover the file first, and of them those of `make check`, until one fails. What passes them all is tried once more with the address and undefined behaviour sanitizers. Exit code 1: a fault survived that nothing explains.
"""
import argparse
import collections
import concurrent.futures
import dataclasses
import hashlib
import json
import os
import pathlib
import queue
import re
import resource
import shutil
import signal
import subprocess
import sys
import textwrap
import time

try:
    import tomllib
except ModuleNotFoundError:  # Python 3.10
    import tomli as tomllib

ROOT = pathlib.Path(__file__).resolve().parent.parent
TOP = ROOT / "build/mutate"
RESULTS = ROOT / "tests/mutants/found.json"  # kept with the sources: a run takes hours
DOCUMENT = ROOT / "docs/testing.md"
JOBS = len(os.sched_getaffinity(0))
MEMORY = 12 << 30  # of address space, for a fault that asks for ever more
SKIPPED = 77
NO_TESTS = 5  # pytest's exit code where a file skips itself
CHUNK = 8  # tests whose programs are linked together
TIERS = ("quick", "ordinary")
# The suites that cover a folder; what survives `make check` is tried by these.
CORE = {"api", "unit", "property", "fault", "oracle", "golden", "cross", "fuzz", "catalogue", "codegen", "emulated"}
COVER = {"src": CORE, "src/exact": CORE, "src/kernels": CORE - {"catalogue"}, "src/conventions": CORE,
         "analysis": {"analysis", "cli", "fault"},
         "formats": {"formats", "cli", "fuzz", "fault"}, "cli": {"cli", "fault", "mpi"}, "plot": {"cli"}, "report": {"cli"},
         "advise": {"cli"}, "common": {"cli", "fuzz"},
         "python": {"python"}}
FIELDS = {"name", "file", "old", "new", "why", "where", "promise", "equivalent"}


@dataclasses.dataclass(frozen=True)
class Fault:
    name: str
    file: str
    old: str
    new: str
    why: str
    where: str = ""  # "aarch64": seen on that processor only
    promise: str = ""  # of include/sinpos.h
    equivalent: str = ""  # why no test can find it

    def digest(self):
        return hashlib.sha256("\0".join((self.file, self.old, self.new, self.where)).encode()).hexdigest()[:16]

    def folder(self):
        parts = pathlib.PurePath(self.file).parts
        return "/".join(parts[:2]) if parts[0] == "src" and len(parts) > 2 else parts[0]


class Wrong(Exception):
    """A fault that does not compile."""


class Broken(Exception):
    """A tree that does not build, or whose tests fail, without a fault."""


def load():
    faults, problems = [], []
    for path in sorted((ROOT / "tests/mutants").glob("*.toml")):
        for row in tomllib.loads(path.read_text(encoding="utf-8"))["fault"]:
            unknown = set(row) - FIELDS
            if unknown or not {"name", "file", "old", "new", "why"} <= set(row):
                problems.append(f"{path.name}: {row.get('name')}: fields {sorted(set(row))}")
                continue
            fault = Fault(**row)
            if any(fault.name == other.name for other in faults):
                problems.append(f"{path.name}: two faults are named {fault.name}")
            faults.append(fault)
            source = ROOT / fault.file
            found = source.read_text(encoding="utf-8").count(fault.old) if source.exists() else 0
            if found != 1 or fault.old == fault.new:
                problems.append(f"{path.name}: {fault.name}: `old` is {found} times in {fault.file}; it must be there once")
    return faults, problems


# ------------------------------------------------------------------------------------------------------ The copies

def sources():
    listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT,
                            stdout=subprocess.PIPE, check=True).stdout.decode()
    return [name for name in listed.split("\0") if name and (ROOT / name).is_file()]


def copy_tree(place):
    """The sources as they are now; files that did not change keep their times."""
    wanted = set(sources())
    for name in wanted:
        to = place / name
        data = (ROOT / name).read_bytes()
        if not to.exists() or to.read_bytes() != data:
            to.parent.mkdir(parents=True, exist_ok=True)
            to.write_bytes(data)
            shutil.copymode(ROOT / name, to)
    for path in list(place.rglob("*")):
        if path.is_file() and str(path.relative_to(place)) not in wanted:
            path.unlink()


@dataclasses.dataclass
class Test:
    name: str
    suites: set
    command: list
    environment: dict
    folder: pathlib.Path
    timeout: float
    targets: list
    seconds: float = 0


BUILD = Test("the build", {"quick"}, [], {}, ROOT, 0, [])  # what generates sources checks them


def limits():
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    os.setsid()


class Variant:
    """A build of a copy of the tree."""
    OPTIONS = {
        "gcc": ("gcc", ["-Dtests=enabled", "-Dwerror=false"]),
        "asan": ("clang", ["-Dwerror=false", "-Db_sanitize=address,undefined", "-Db_lundef=false", "-Doptimization=0"]),
        "aarch64": ("", ["-Dwerror=false", "--cross-file", "tools/cross/aarch64.ini"]),
    }

    def __init__(self, tree, name):
        self.name, self.tree, self.build = name, tree, tree.parent / name
        compiler, self.options = self.OPTIONS[name]
        cache = "ccache " if shutil.which("ccache") else ""
        self.environment = {**os.environ, "MALLOC_PERTURB_": "165", **({"CC": cache + compiler} if compiler else {})}
        self.tests = None
        self.said = ""  # by the last test, at its end

    def run(self, *command):
        with open(self.build.with_suffix(".log"), "ab") as log:
            return subprocess.run([str(word) for word in command], cwd=self.tree, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                  env=self.environment, check=False).returncode == 0

    def ninja(self, *targets):
        return self.run("ninja", "-C", self.build, "-j", 1, *targets)

    def set_up(self):
        """Configured, built, and its tests known, with how long each takes and that it passes."""
        if self.tests is not None:
            return
        python = ["-Dpython=enabled"] if self.name == "gcc" and sys.version_info >= (3, 11) else []
        known = ["--reconfigure"] if (self.build / "build.ninja").exists() else []
        if not self.run("meson", "setup", *known, self.build, *self.options, *python) or not self.ninja():
            raise Broken(f"the tree does not build as it is: {self.build}.log")
        times = self.build.with_suffix(".times.json")
        known = json.loads(times.read_text()) if times.exists() else {}
        tests = self.list_tests()
        for test in tests:
            if test.name not in known:
                began = time.monotonic()
                verdict = self.verdict(test, test.timeout * 5)
                if verdict == "fails":
                    raise Broken(f"the test {test.name} fails without a fault, in {self.build}:\n{self.said}")
                known[test.name] = time.monotonic() - began if verdict == "passes" else None
                times.write_text(json.dumps(known, indent=1))
            test.seconds = known[test.name]
        self.tests = [test for test in tests if test.seconds is not None]

    def list_tests(self):
        def introspect(what):
            done = subprocess.run(["meson", "introspect", self.build, what], stdout=subprocess.PIPE, check=True)
            return json.loads(done.stdout)

        files = {target["id"]: target["filename"] for target in introspect("--targets")}
        tests = []
        for test in introspect("--tests"):
            suites = {name.split(":", 1)[-1] for name in test["suite"]}
            if {"long", "full", "install"} & suites or (self.name == "aarch64" and "emulated" not in suites):
                continue
            if self.name == "asan" and "quick" not in suites:
                continue
            if test["name"].startswith(("mutants", "promises", "format")):
                continue  # they read the sources, not what these do
            targets = [os.path.relpath(file, self.build) for target in test["depends"] for file in files[target]]
            tests.append(Test(test["name"], suites, test["cmd"], test["env"], pathlib.Path(test["workdir"] or self.build),
                              test["timeout"] or 600, targets))
        return tests

    def verdict(self, test, seconds):
        """"passes", "fails" or "skipped"; a test that does not end fails."""
        command = [word if os.path.isabs(word) or not (self.build / word).exists() else str(self.build / word)
                   for word in test.command[:1]] + test.command[1:]
        if self.name == "aarch64":
            command = ["qemu-aarch64", "-L", "/usr/aarch64-linux-gnu", *command]
        environment = {**self.environment, **test.environment}
        if "python" in test.suites:
            del environment["MALLOC_PERTURB_"]  # it writes arrays of gigabytes before the call that is timed does
        child = subprocess.Popen(command, cwd=test.folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                 stderr=subprocess.STDOUT, env=environment,
                                 preexec_fn=os.setsid if self.name == "asan" else limits)
        try:
            out, _ = child.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            out = b""
        try:
            os.killpg(child.pid, signal.SIGKILL)  # what it began and left running
        except ProcessLookupError:
            pass
        child.wait()
        self.said = out.decode(errors="replace")[-1000:]
        if child.returncode == SKIPPED or (child.returncode == NO_TESTS and "python" in test.suites):
            return "skipped"
        return "passes" if child.returncode == 0 and not re.search(rb"^not ok", out, re.MULTILINE) else "fails"

    def order(self, fault, before):
        """The tests to try: the quick ones that cover the file, the others that do, the other quick ones. Of each, the one that
        found the fault before, then those named like the file, then the quickest."""
        words = set(re.findall(r"[a-z0-9]+", fault.file)) - {"c", "h", "src", "inc"}
        cover = COVER.get(fault.folder(), set())

        def rank(test):
            tier = next((i for i, tier in enumerate(TIERS) if tier in test.suites), len(TIERS))
            alike = len(words & set(re.findall(r"[a-z0-9]+", test.name + " " + " ".join(test.suites))))
            return not cover & test.suites, tier, test.name != before, -alike, test.seconds

        others = {"quick"} if self.name == "gcc" else set()
        return sorted((test for test in self.tests if (cover | others) & test.suites), key=rank)

    def find(self, fault, before):
        """The first test that fails, or None."""
        tests = self.order(fault, before)
        while tests:
            size = 1 if before and tests[0].name == before else CHUNK
            chunk, tests = tests[:size], tests[size:]
            targets = sorted({target for test in chunk for target in test.targets})
            if targets and not self.ninja(*targets):
                if fault.folder() == "gen":
                    return BUILD
                raise Wrong(f"{fault.name} does not compile: {self.build}.log")
            for test in chunk:
                if self.verdict(test, 20 + 10 * test.seconds) == "fails":
                    return test
        return None


class Worker:
    """A copy of the tree, and its builds."""

    def __init__(self, number, native):
        self.native = native
        self.place = TOP / str(number)
        self.tree = self.place / "tree"
        self.tree.mkdir(parents=True, exist_ok=True)
        copy_tree(self.tree)
        self.variants = {name: Variant(self.tree, name) for name in Variant.OPTIONS}

    def try_fault(self, fault, before):
        path = self.tree / fault.file
        plain = path.read_text(encoding="utf-8")
        began = time.monotonic()
        names = ["aarch64"] if fault.where == "aarch64" else ["gcc"] if fault.folder() == "python" or self.native else ["gcc", "asan"]
        result = {"digest": fault.digest(), "found": None}
        try:
            for name in names:
                variant = self.variants[name]
                variant.set_up()
                path.write_text(plain.replace(fault.old, fault.new), encoding="utf-8")
                test = variant.find(fault, before)
                path.write_text(plain, encoding="utf-8")
                if test is not None:
                    tier = next((tier for tier in TIERS if tier in test.suites), "ordinary")
                    result.update(found=test.name, by=tier if name == "gcc" else name)
                    break
        finally:
            path.write_text(plain, encoding="utf-8")
        return result, time.monotonic() - began


# --------------------------------------------------------------------------------------------------------- Reports

def write(results):
    """One line for each fault, so that a change shows what changed."""
    lines = (f"{json.dumps(name)}: {json.dumps(results[name])}" for name in sorted(results))
    RESULTS.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def outcome(fault, result):
    if result["found"] is not None:
        return result["by"]
    return "equivalent" if fault.equivalent else "survived"


COLUMNS = ("quick", "ordinary", "asan", "aarch64", "equivalent", "survived")
HEADINGS = ("`make check`", "`make test`, gcc", "sanitizers", "aarch64", "explained", "survived")


def table(faults, results):
    folders = collections.defaultdict(collections.Counter)
    for fault in faults:
        if fault.name in results:
            folders[fault.folder()][outcome(fault, results[fault.name])] += 1
    lines = ["| folder | faults | " + " | ".join(HEADINGS) + " |", "| --- |" + " ---: |" * (len(COLUMNS) + 1)]
    total = sum(folders.values(), collections.Counter())
    for folder, row in [*sorted(folders.items()), ("all", total)]:
        lines.append(f"| {folder if folder == 'all' else f'`{folder}`'} | {sum(row.values())} | " +
                     " | ".join(str(row[name]) for name in COLUMNS) + " |")
    return lines


def remaining(faults, results):
    """What no test finds, with why."""
    lines = []
    for fault in faults:
        if fault.name in results and results[fault.name]["found"] is None:
            text = f"- `{fault.name}` ({fault.file}): {fault.equivalent or 'survived. ' + fault.why}"
            lines += textwrap.wrap(text, 120, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)
    return lines


def document(faults, results):
    lines = [*table(faults, results), "", *remaining(faults, results)]
    text = DOCUMENT.read_text(encoding="utf-8")
    begin, end = "<!-- mutants -->", "<!-- /mutants -->"
    head, rest = text.split(begin)
    DOCUMENT.write_text(head + begin + "\n" + "\n".join(lines).rstrip() + "\n" + end + rest.split(end)[1], encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", metavar="WORD")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--native", action="store_true", help="without sanitizers, which take minutes for each survivor")
    parser.add_argument("--document", action="store_true")
    parser.add_argument("--jobs", type=int, default=JOBS)
    arguments = parser.parse_args()
    faults, problems = load()
    for problem in problems:
        print("not ok -", problem)
    if problems or arguments.check:
        print(f"{len(faults)} faults, {len(problems)} problems")
        return 1 if problems or not faults else 0
    TOP.mkdir(parents=True, exist_ok=True)
    signal.signal(signal.SIGINT, signal.default_int_handler)  # which a shell's & leaves ignored, and tests send
    known = {fault.name: fault for fault in faults}
    results = {name: result for name, result in (json.loads(RESULTS.read_text()) if RESULTS.exists() else {}).items()
               if name in known and result["digest"] == known[name].digest()}
    if arguments.document:
        document(faults, results)
        return 0
    chosen = [fault for fault in faults
              if any(word in fault.name or word in fault.file for word in arguments.only)] if arguments.only else [
                  fault for fault in faults if fault.name not in results]
    if arguments.only and not chosen:
        parser.error(f"no fault's name or file contains {' or '.join(arguments.only)}")
    if not chosen:
        print(f"each of {len(faults)} faults was tried as it is: tests/mutants/found.json")
        return 0
    workers = queue.Queue()
    for number in range(min(arguments.jobs, len(chosen))):
        workers.put(Worker(number, arguments.native))

    def attempt(fault):
        worker = workers.get()
        try:
            return fault, *worker.try_fault(fault, results.get(fault.name, {}).get("found")), None
        except Wrong as wrong:
            return fault, None, 0, wrong
        finally:
            workers.put(worker)

    wrong = survived = 0
    with concurrent.futures.ThreadPoolExecutor(workers.qsize()) as pool:
        waiting = [pool.submit(attempt, fault) for fault in chosen]
        for number, done in enumerate(concurrent.futures.as_completed(waiting), 1):
            try:
                fault, result, seconds, problem = done.result()
            except Broken as broken:
                for other in waiting:
                    other.cancel()
                print(f"mutate.py: {broken}", file=sys.stderr)
                return 1
            if problem is not None:
                wrong += 1
                print(f"[{number}/{len(chosen)}] {fault.name}: {problem}", flush=True)
                continue
            results[fault.name] = result
            write(results)
            said = outcome(fault, result)
            survived += said == "survived"
            print(f"[{number}/{len(chosen)}] {fault.file}: {fault.name}: " +
                  (f"found by {result['found']} ({said})" if result["found"] else said.upper()) +
                  f", {seconds:.0f} s", flush=True)
    print("", *table(faults, results), "", *remaining(faults, results), sep="\n")
    return 1 if survived or wrong else 0


if __name__ == "__main__":
    sys.exit(main())
