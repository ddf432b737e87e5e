#!/usr/bin/env python3
"""test.py [--all] [STAGE...]: the tests, in stages; some stages run at once. tools/test.sh installs what is missing first.

Without --all the samples of docs/testing.md, about 12 minutes on two cores; with --all everything but the suite "long".
Builds, logs (NAME.log) and counts stay in build/test. The last line is "N passed, N failed[, N skipped]".
"""
import argparse
import concurrent.futures
import contextlib
import dataclasses
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import zlib

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tests/support"))
import count
import turns

ROOT = pathlib.Path(__file__).resolve().parent.parent
TOP = ROOT / "build/test"
JOBS = len(os.sched_getaffinity(0))
AT_ONCE = 3 if JOBS < 8 else 4  # while one configures, links or waits, the others use the cores
PYTHON = "/usr/bin/python3"  # the system's, which has NumPy and PyTorch; another may come first on the PATH
STAGE_TURNS = 5
TURNS = STAGE_TURNS * turns.TURNS  # of stages and of cases
SLOWEST = 10
FAILED_LINES = 12
SHARED_MEMORY, SHARED_MEMORY_LEAST = "/dev/shm", 8 << 30
SKIPPED = 77  # the exit code of a test that could not run


@dataclasses.dataclass(frozen=True)
class Build:
    """A folder of build/test, as Meson sets it up."""
    name: str
    options: tuple = ()
    compiler: str = "gcc"
    needs: tuple = ()  # programs


SANITIZER = ("-Db_lundef=false", "-Doptimization=0")
LINES = "-Dc_args=-gline-tables-only"  # of the source, for what a sanitizer prints
GCC = Build("gcc", ("-Dtests=enabled",))
CLANG = Build("clang", compiler="clang", needs=("clang",))
O0 = Build("O0", ("-Doptimization=0",))
# What is undefined ends a program by a signal, whose stack the address sanitizer prints: texts of what went wrong would double
# the time that a program takes to start.
ASAN = Build("asan", ("-Db_sanitize=address,undefined", *SANITIZER, LINES + " -fsanitize-trap=undefined",
                      f"-Dpython={'enabled' if sys.version_info >= (3, 11) else 'disabled'}"), "clang", ("clang",))
TSAN = Build("tsan", ("-Db_sanitize=thread", *SANITIZER, LINES), "clang", ("clang",))
MSAN = Build("msan", ("-Db_sanitize=memory", *SANITIZER, LINES, "-Doracle=disabled", "-Dsafetensors=disabled"), "clang", ("clang",))
AARCH64 = Build("aarch64", ("--cross-file", "tools/cross/aarch64.ini"),
                needs=("aarch64-linux-gnu-gcc", "qemu-aarch64"))
S390X = Build("s390x", ("--cross-file", "tools/cross/s390x.ini"), needs=("s390x-linux-gnu-gcc", "qemu-s390x"))
MINGW = Build("mingw", ("--cross-file", "tools/cross/mingw.ini"), needs=("x86_64-w64-mingw32-gcc", "/usr/lib/wine/wine64"))


@dataclasses.dataclass
class Stage:
    """Tests of a build: those in one of the suites, and in none of the left-out ones."""
    name: str
    what: str
    build: Build
    suites: str = ""  # of any suite where empty
    without: str = ""
    times: int = 3  # of the time that a test may take: stages share the cores
    wrapper: str = ""
    environment: dict = dataclasses.field(default_factory=dict)
    needs: tuple = ()
    builds: tuple = ()  # further targets
    also: tuple = ()  # builds with a target each
    run: object = None  # instead of Meson's tests
    turns: str = ""  # of these suites one test in turns.TURNS runs
    processes: int = JOBS
    stage_turns: tuple = tuple(range(STAGE_TURNS))  # in which `make test` runs the stage
    promises: bool = False  # each test that a promise names must have run and asserted something
    counts: list = None
    processor_seconds: float = 0  # of all processes
    built: float = 0  # of them, when the tests begin
    tests: list = dataclasses.field(default_factory=list)  # (seconds, name)

    def log(self):
        return TOP / f"{self.name}.log"


SMALL = {"SINPOS_TEST_SIZE": "small"}
# Threads of OpenBLAS and PyTorch spin while they wait, and tests keep every core busy.
ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}


def stages(everything):
    """In the order in which they begin: those that keep one core busy for long first."""
    small = {} if everything else SMALL
    # What analysis computes in full takes hours without optimisation; of the samples compiling it would take longer.
    asan = dataclasses.replace(ASAN, options=tuple("-Doptimization=1" if option == "-Doptimization=0" else option
                                                   for option in ASAN.options)) if everything else ASAN
    # the tests look at the stack after a return, and undefined behaviour ends a test
    options = {"ASAN_OPTIONS": "detect_stack_use_after_return=1:handle_sigill=1:exitcode=98"}
    elsewhere = [
        Stage("s390x", "a big-endian processor under qemu: the core, and files of the command line", S390X,
              "emulated byte_order", "full", 5, environment=SMALL),
        Stage("mingw", "the core on Windows, under wine", MINGW, "golden cross", "", 5,
              environment={"WINEDEBUG": "-all", "WINEPREFIX": str(TOP / "wine")}),
    ]
    return [
        # In full it is the longest, and half of its tests wait for other programs.
        Stage("gcc", "everything, gcc", GCC, without="" if everything else "full", times=6 if everything else 3,
              processes=2 * JOBS if everything else JOBS, promises=True, turns="" if everything else "heavy"),
        Stage("asan", "address and undefined behaviour, clang", asan, "quick fuzz cli analysis fault",
              "" if everything else "full heavy bounds", 6 if everything else 3, environment={**options, **small},
              turns="" if everything else "cli api fault fuzz analysis"),
        Stage("aarch64", "aarch64 under qemu, cross-compiled", AARCH64,
              "emulated foreign codegen examples" if everything else "emulated codegen examples", "full", 5,
              environment=small, stage_turns=(1, 2, 4)),  # web, and the three of turn 3, take the time of two
        Stage("web", "the explorer: the C code as WebAssembly, and the page in a browser", GCC, builds=("cli/sinpos",),
              run=explorer if everything else explorer_briefly, needs=("clang", "wasm-ld", "node", "npm"), stage_turns=(0,)),
        Stage("python-asan", "the Python extension, address and undefined behaviour", asan,
              builds=("python/sinpos/_core.abi3.so",), also=((GCC, "cli/sinpos"),), environment=small,
              run=python_sanitized, stage_turns=(3,)),
        Stage("valgrind", "valgrind, up to avx2 (it does not know AVX-512)", GCC,
              "valgrind slow_valgrind" if everything else "valgrind", "full", 15 if everything else 5,
              "valgrind -q --error-exitcode=9 --leak-check=full", SMALL, ("valgrind",), stage_turns=(3,)),
        Stage("O0", "golden and cross, gcc -O0", O0, "golden emulated", "full" if everything else "full ordinary", stage_turns=(3,)),
        Stage("tsan", "threads, clang", TSAN, "thread", "full", environment=small, stage_turns=(2,)),
        # Clang 14's sanitizer takes a permutation of AVX-512 to read the lanes that it does not choose; readers of files
        # are left out because it does not know the fstat of newer C libraries.
        Stage("msan", "uninitialised memory up to avx2, clang", MSAN, "unit property", "full",
              environment={"SINPOS_ISA": "avx2", **small}, stage_turns=(2,)),
        # An x86-64 of 2008: an instruction that leaked out of its kernel ends the program.
        Stage("nehalem", "an x86-64 without AVX and FMA, under qemu", GCC, "emulated", "full", 5,
              "qemu-x86_64 -cpu Nehalem", {}, ("qemu-x86_64",), stage_turns=(1, 4)),
        Stage("python", "the Python package: a wheel in an empty environment", GCC, builds=("cli/sinpos",),
              environment=small, run=python_package),
        Stage("clang", "golden, cross, oracle and units, clang", CLANG,
              "quick golden cross cli analysis" if everything else "quick golden",
              "full once" if everything else "full cli analysis fuzz fault catalogue erring",
              environment=small, stage_turns=(1, 4)),
        *(elsewhere if everything else []),
    ]


class Missing(Exception):
    """What a stage needs and does not find: it is skipped."""


def run(stage, *command, check=True, cwd=ROOT, **environment):
    """A command whose output goes to the stage's log."""
    with open(stage.log(), "ab") as log:
        log.write(("$ " + " ".join(map(str, command)) + "\n").encode())
        log.flush()
        child = subprocess.Popen([str(word) for word in command], cwd=cwd, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT,
                                 env={**os.environ, "SINPOS_TEST_PATIENCE": str(stage.times), **stage.environment, **environment})
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    stage.processor_seconds += used.ru_utime + used.ru_stime
    if check and child.returncode != 0:
        raise RuntimeError(f"exit code {child.returncode}: {' '.join(map(str, command))}")
    return child.returncode


def need(*programs):
    for program in programs:
        if shutil.which(program) is None:
            raise Missing(f"no {program}")


def need_modules(*names):
    for name in names:
        if subprocess.run([PYTHON, "-c", f"import {name}"], capture_output=True, check=False).returncode != 0:
            raise Missing(f"no {name} for {PYTHON}")


# --------------------------------------------------------------------------------------------------------- Builds

def introspect(folder, what):
    return json.loads((folder / f"meson-info/intro-{what}.json").read_text(encoding="utf-8"))


def cached(compiler):
    """A clean clone compiles what the other compilers make once: there ccache would cost an eighth more."""
    is_once = "CI" in os.environ and compiler != "gcc"
    return f"ccache {compiler}" if shutil.which("ccache") and not is_once else compiler


configured = set()  # folders, in this run


def configure(stage, build):
    """A folder that cannot be brought up to date, of other versions or of a half-done setup, is set up anew."""
    folder = TOP / build.name
    compiler = {} if "--cross-file" in build.options else {"CC": cached(build.compiler)}
    if "-Db_lundef=false" in build.options and shutil.which("ld.gold"):
        compiler["CC_LD"] = "gold"  # links what sanitizers add in half the time
    has_setup = (folder / "build.ninja").exists()
    if folder not in configured and has_setup:
        has_setup = run(stage, "meson", "setup", "--reconfigure", folder, *build.options, check=False, **compiler) == 0
    if not has_setup:
        shutil.rmtree(folder, ignore_errors=True)
        run(stage, "meson", "setup", folder, *build.options, **compiler)
    configured.add(folder)
    return folder


def turn_of_commit():
    """A clone of the same commit repeats what failed."""
    commit = subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, check=False).stdout
    return zlib.crc32(commit) % TURNS


def whole(tests):
    """Without samples whose full size runs too. Oracles have another seed in each."""
    names = {re.sub(r"_full_\d+$", "_full", test["name"]) for test in tests}

    def is_sample(test):
        name = test["name"].removesuffix("_brief")
        return name + "_full" in names or (name != test["name"] and name in names)

    return [test for test in tests if not is_sample(test) or any(name.endswith(":oracle") for name in test["suite"])]


def chosen(stage, folder):
    """The tests of a stage, by name, and the files that they need."""
    suites, without = set(stage.suites.split()), {"long", *stage.without.split()}
    targets = {t["id"]: t["filename"] for t in introspect(folder, "targets")}
    always, by_turns, files = [], [], set(stage.builds)
    for test in [] if stage.run else introspect(folder, "tests"):
        of = {name.split(":", 1)[-1] for name in test["suite"]}
        if (not suites or suites & of) and not without & of:
            (by_turns if of & set(stage.turns.split()) else always).append(test)
    tests = whole(always + turns.mine(by_turns))
    for test in tests:
        files.update(os.path.relpath(file, folder) for target in test["depends"] for file in targets[target])
    return [test["name"] for test in tests], sorted(files)


locks = {}  # of builds


def make(stage, build, targets=None):
    """A build with these targets, or with those of the stage's tests. Stages that share a build wait for each other."""
    need(*build.needs)
    with locks.setdefault(build.name, threading.Lock()):
        folder = configure(stage, build)
        names, files = chosen(stage, folder) if targets is None else ([], targets)
        run(stage, "ninja", "-C", folder, "-j", JOBS, *files)
    return folder, names


def prepare(stage):
    need(*stage.needs)
    for build, target in stage.also:
        make(stage, build, [target])
    return make(stage, stage.build)


# --------------------------------------------------------------------------------------------------------- Tests

def meson_tests(stage, folder, names):
    """Meson's own runner, whose report count.py reads."""
    if not names:
        raise RuntimeError("the build has no test of these suites")
    for old in (folder / "meson-logs").glob(f"{stage.name}*.json"):
        old.unlink()
    wrapper = ["--wrapper", stage.wrapper] if stage.wrapper else []
    run(stage, "meson", "test", "-C", folder, "--no-rebuild", "--logbase", stage.name, "--print-errorlogs", "-t", stage.times,
        "--num-processes", stage.processes, *wrapper, *names, check=False)
    reports = list((folder / "meson-logs").glob(f"{stage.name}*.json"))
    for report in reports:
        tests = count.meson_tests(report)
        stage.tests += [(test["duration"], count.short(test)) for test in tests]
        missing = set(names) - {count.short(test) for test in tests}
        if missing:
            raise RuntimeError(f"did not run: {' '.join(sorted(missing))}")
    return reports


def pytest_files(stage, python, files, prefix=(), **environment):
    """A pytest for each file, as many at once as there are cores."""
    reports = TOP / stage.name / "pytest"
    shutil.rmtree(reports, ignore_errors=True)
    reports.mkdir(parents=True)

    def one(file):
        report = reports / f"{file.stem}.xml"
        status = run(stage, *prefix, python, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--junitxml={report}", file,
                     check=False, cwd=ROOT / "tests/python", **environment)
        if not report.exists():
            raise RuntimeError(f"{file.name} ended early, with exit code {status}")
        return report

    order = sorted(files, key=lambda file: (file.stem not in SLOW_PYTHON, file))
    with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
        done = list(pool.map(one, order))
    stage.tests += [(count.pytest_seconds(report), report.stem) for report in done]
    return done


SLOW_PYTHON = ("test_interface", "test_bytes", "test_resources", "test_interrupt")


def python_package(stage, folder, _):
    """As people get it: a wheel, installed where nothing else of sinpos is, and tested from there."""
    need_modules("mesonpy", "venv", "pip", "numpy", "pytest", "hypothesis")
    place = TOP / "python"
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir()
    # As deep as the other stages' builds, so that ccache finds what they compiled; anew, which this file would prevent.
    shutil.rmtree(TOP / "wheel", ignore_errors=True)
    (ROOT / ".mesonpy-native-file.ini").unlink(missing_ok=True)
    run(stage, PYTHON, "-m", "pip", "wheel", ".", "--no-build-isolation", "--no-deps", "--no-index", "-w", place / "wheel",
        f"--config-settings=builddir={TOP / 'wheel'}", CC=cached("gcc"))
    run(stage, PYTHON, "-m", "venv", "--system-site-packages", place / "venv")
    python = place / "venv/bin/python"
    run(stage, python, "-m", "pip", "install", "--no-index", "--no-deps", *(place / "wheel").glob("sinpos-*.whl"))
    return pytest_files(stage, python, (ROOT / "tests/python").glob("test_*.py"), SINPOS_CLI=str(folder / "cli/sinpos"),
                        MYPY_CACHE_DIR=str(TOP / "mypy"))  # what mypy knows of NumPy


def python_sanitized(stage, folder, _):
    """What is quick of the extension's tests, and random calls."""
    need_modules("numpy", "pytest", "hypothesis")
    files = [ROOT / f"tests/python/test_{name}.py" for name in ("fuzz", "work", "files")]
    return pytest_files(stage, PYTHON, files, ("bash", ROOT / "tools/python-asan.sh"), SINPOS_ASAN_BUILD=str(folder),
                        SINPOS_CLI=str(TOP / "gcc/cli/sinpos"), SINPOS_FUZZ_CALLS="4000" if "SINPOS_TEST_SIZE" in stage.environment else "10000")


def explorer_briefly(stage, folder, names):
    return explorer(stage, folder, names, "--brief")


def explorer(stage, folder, _, *size):
    """The page is built from scratch but for what ccache and npm remember; its tests print TAP."""
    if not os.path.exists("/usr/include/wasm32-wasi/stdio.h"):
        raise Missing("no C library for WebAssembly (wasi-libc)")
    if run(stage, "bash", "tools/web.sh", "--tests", check=False, SINPOS_NO_DEPS="1") != 0:
        tail = stage.log().read_text(encoding="utf-8", errors="replace")[-2000:]
        if "cannot be installed" in tail:
            raise Missing("npm could not install the packages of web/package-lock.json")
        raise RuntimeError("the page cannot be built")
    stage.built = stage.processor_seconds
    report = TOP / "web.json"
    with open(report, "w", encoding="utf-8") as file:
        for name in ("bytes", "browser"):
            began, output = time.monotonic(), TOP / f"web-{name}.tap"
            with open(output, "w", encoding="utf-8") as tap:
                words = ["node", f"tests/web/{name}.mjs", "--sinpos", str(folder / "cli/sinpos"), *size]
                child = subprocess.Popen(words, cwd=ROOT, stdout=tap, stderr=subprocess.STDOUT)
                _, status, used = os.wait4(child.pid, 0)
                child.returncode = os.waitstatus_to_exitcode(status)
            stage.processor_seconds += used.ru_utime + used.ru_stime
            seconds = time.monotonic() - began
            stage.tests.append((seconds, f"web_{name}"))
            json.dump({"name": f"web_{name}", "stdout": output.read_text(encoding="utf-8"), "stderr": "", "command": words,
                       "result": "OK" if child.returncode == 0 else "FAIL", "duration": seconds}, file)
            file.write("\n")
    return [report]


# -------------------------------------------------------------------------------------------------------- Running

def run_stage(stage):
    """Leaves the stage's counts; nothing that goes wrong in it ends the others."""
    stage.log().write_bytes(b"")
    try:
        folder, names = prepare(stage)
        stage.built = stage.processor_seconds
        reports = stage.run(stage, folder, names) if stage.run else meson_tests(stage, folder, names)
        with open(stage.log(), "a", encoding="utf-8") as log:
            stage.counts = count.total(reports, log)
        if stage.promises:
            status = run(stage, sys.executable, "tests/api/promises.py", ".", "--log", *reports, check=False)
            stage.counts[0 if status == 0 else 2 if status == SKIPPED else 1] += 1
            if status not in (0, SKIPPED):
                with open(stage.log(), "a", encoding="utf-8") as log:
                    log.write("failed: promises: the lines before this one\n")
    except Missing as missing:
        stage.counts = [0, 0, 1]
        with open(stage.log(), "a", encoding="utf-8") as log:
            log.write(f"skipped: {missing}\n")
    except Exception as error:  # pylint: disable=broad-except
        stage.counts = [0, 1, 0]
        with open(stage.log(), "a", encoding="utf-8") as log:
            log.write(f"the stage ended early: {error}\n")
    return stage


def failures(stage):
    """The lines that name what failed, each with the end of what it printed."""
    lines = stage.log().read_text(encoding="utf-8", errors="replace").splitlines()
    starts = [n for n, line in enumerate(lines) if line.startswith(("failed: ", "the stage ended early: "))]
    for start, end in zip(starts, [*starts[1:], len(lines)]):
        said = [line for line in lines[start + 1:end] if line.strip() and not line.startswith("skipped: ")]
        yield [f"{stage.name}: {lines[start]}", *("    " + line for line in said[-FAILED_LINES:])]


def report(stage, seconds, number, of):
    passed, failed, skipped = stage.counts
    print(f"{seconds:4.0f} s [{number:2}/{of}] {stage.name:<12} {stage.what:<54} {passed:5} passed {failed:3} failed {skipped:3} skipped"
          f"   processors: {stage.built:3.0f} s to build, {stage.processor_seconds - stage.built:3.0f} s to test", flush=True)
    lines = stage.log().read_text(encoding="utf-8", errors="replace").splitlines()
    for line in lines:
        if line.startswith("skipped: "):
            print("    " + line[:150], flush=True)
    if failed:
        print(f"---- the end of {stage.log().relative_to(ROOT)}:", *lines[-80:], "----", sep="\n", flush=True)


@contextlib.contextmanager
def temporary_files():
    """In memory where there is much of it: tests write thousands of small files, and each waits for the disk."""
    if "TMPDIR" in os.environ or not os.path.isdir(SHARED_MEMORY) or shutil.disk_usage(SHARED_MEMORY).free < SHARED_MEMORY_LEAST:
        yield
        return
    with tempfile.TemporaryDirectory(prefix="sinpos-test-", dir=SHARED_MEMORY) as folder:
        os.environ["TMPDIR"] = folder
        yield


def run_stages(run_these, began):
    names = ", ".join(stage.name for stage in run_these)
    print(f"stages, {min(AT_ONCE, len(run_these))} at once, on {JOBS} cores: {names}", flush=True)
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        waiting = [pool.submit(run_stage, stage) for stage in run_these]
        for number, done in enumerate(concurrent.futures.as_completed(waiting), 1):
            report(done.result(), time.monotonic() - began, number, len(run_these))
    slowest = sorted(((seconds, name, stage.name) for stage in run_these for seconds, name in stage.tests), reverse=True)
    print("the slowest tests: " + ", ".join(f"{name} ({stage}) {seconds:.0f} s" for seconds, name, stage in slowest[:SLOWEST]))
    for stage in run_these:  # again, as the end of a long output is what people see
        for lines in failures(stage) if stage.counts[1] else []:
            print(*lines, sep="\n")
    passed, failed, skipped = (sum(column) for column in zip(*(stage.counts for stage in run_these)))
    print(f"all stages: {time.monotonic() - began:.0f} s, {sum(stage.processor_seconds for stage in run_these):.0f} s of processors")
    print(f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
    return 1 if failed or not passed else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("stage", nargs="*")
    arguments = parser.parse_args()
    run_these = stages(arguments.all)
    if not arguments.all:
        os.environ.update(ONE_THREAD)
        os.environ.setdefault("SINPOS_TEST_TURN", str(turn_of_commit()))
    unknown = set(arguments.stage) - {stage.name for stage in run_these}
    if unknown:
        parser.error(f"no stage {' '.join(sorted(unknown))}; stages: {' '.join(stage.name for stage in run_these)}")
    if arguments.stage:
        run_these = [stage for stage in run_these if stage.name in arguments.stage]
    elif not arguments.all:
        turn = int(os.environ["SINPOS_TEST_TURN"])
        others = [stage.name for stage in run_these if turn % STAGE_TURNS not in stage.stage_turns]
        print(f"turn {turn} of 0 to {TURNS - 1} (SINPOS_TEST_TURN); other commits run: {', '.join(others)}", flush=True)
        run_these = [stage for stage in run_these if stage.name not in others]
    TOP.mkdir(parents=True, exist_ok=True)
    signal.signal(signal.SIGINT, signal.default_int_handler)  # which a shell's & leaves ignored, and tests send
    began = time.monotonic()
    with temporary_files():
        return run_stages(run_these, began)


if __name__ == "__main__":
    sys.exit(main())
