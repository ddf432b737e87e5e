#!/usr/bin/env python3
"""ranks.py - sinpos-mpi: the bytes of sinpos for any number of ranks, one error line, and jobs that are killed go on.

    ranks.py --sinpos PATH --mpi PATH [--mpirun PATH] [--brief] [--kills N] [--seed N] [--only NAME]

Each command of COMMANDS runs on 1, 2, 3 and 5 ranks, and its file must be that of sinpos. With --resume it is killed at N random
moments: kill -9 of a rank or of all, SIGINT or SIGTERM of mpirun; the next command, on another number of ranks or by sinpos
itself, must end with the same bytes.
"""
import argparse
import hashlib
import os
import pathlib
import random
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import turns

SKIPPED = 77
TIMEOUT_S = 120
RANKS = (1, 2, 3, 5)
INPUTS = """
table --dim 1024 --length 5000 --base 50 -o in.npy
table --dim 64 --length 900 --base 50 -o a.npy
table --dim 64 --length 700 -o b.npy
table --dim 64 --length 800 --arithmetic float32-exp -o c.safetensors
"""
COMMANDS = """
table: table --dim 1024 --length 10000 -o out.npy
table-bf16: table --dim 1023 --length 9000 --type bf16 -o out.gguf
add: add in.npy --start 7 -o out.safetensors --tensor t
audit: audit a.npy b.npy c.safetensors in.npy --json -o out.json
separate: separate --dim 16 --length 1500 --json -o out.json
separate-table: separate --table --dims 8,16 --lengths 64,512 -o out.txt
base: base --context 40,90,160 --dims 16,20,32 -o out.json
identify: identify a.npy b.npy c.safetensors in.npy --json -o out.json
"""
BRIEF = ("table", "audit", "base")
RESUMED = ("table", "add", "audit", "base")
# What is wrong, and how it ends: exit code and what the line says.
BAD = """
2 --dim 0: must be a whole number: table --dim 0 -o x.npy
2 cannot be written by several processes: table --dim 8 --length 4 -o x.csv
2 takes elements in their order: table --dim 8 --length 4 --hash
2 is no work for several processes: plot spectrum -o x.svg
2 standard input: cannot be read: add - -o x.npy
3 no such file or directory: audit a.npy missing.npy
3 no such file or directory: table --dim 8 --length 4 -o nowhere/x.npy
2 keeps what is done beside the output: audit a.npy --resume
"""


def commands():
    for line in COMMANDS.strip().splitlines():
        name, words = line.split(": ", 1)
        yield name, shlex.split(words)


class Test:
    def __init__(self, arguments, root):
        self.arguments, self.root, self.folder = arguments, root, root / "run"
        self.n, self.wrong = 0, []

    def expect(self, what, is_right, detail=b""):
        self.n += 1
        if not is_right:
            self.wrong.append(f"{what}: {detail!r}"[:900])

    def begin(self):
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir()
        for path in (self.root / "in").iterdir():
            shutil.copy2(path, self.folder / path.name)

    def names(self):
        return sorted(path.name for path in self.folder.iterdir())

    def start(self, n, words):
        """On n ranks; 0: sinpos itself."""
        environment = {**os.environ, "LC_ALL": "C", "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                       "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_mpi_yield_when_idle": "1",
                       "OMPI_MCA_hwloc_base_binding_policy": "none", "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
                       "OMPI_MCA_btl_vader_backing_directory": str(self.root)}  # which ranks that are killed leave full
        # mpirun of Open MPI 4.1 reads freed memory when a rank aborts: only the ranks get memory that is overwritten.
        perturbed = f"MALLOC_PERTURB_={environment.pop('MALLOC_PERTURB_', '0')}"
        before = [self.arguments.mpirun, "-n", str(n), "env", perturbed, self.arguments.mpi] if n else [self.arguments.sinpos]
        return subprocess.Popen(before + words, cwd=self.folder, env=environment, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)

    def run(self, n, words):
        process = self.start(n, words)
        try:
            out, err = process.communicate(timeout=TIMEOUT_S)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            out, err = process.communicate()
            return None, out, err + b"no end"
        return process.returncode, out, err

    def output(self, words):
        return (self.folder / words[words.index("-o") + 1]).read_bytes()

    def reference(self, words):
        self.begin()
        code, _, err = self.run(0, words)
        self.expect(f"{words}: sinpos ends well", code in (0, 1), err)
        return code, self.output(words), self.names()

    def same_bytes(self, name, words, reference):
        code, whole, names = reference
        for n in RANKS if not self.arguments.brief or name == "table" else RANKS[2:3]:
            self.begin()
            got, _, err = self.run(n, words)
            self.expect(f"{name} on {n} ranks: exit code {code}", got == code, err)
            if got == code:
                self.expect(f"{name} on {n} ranks: the bytes of sinpos", self.output(words) == whole)
                self.expect(f"{name} on {n} ranks: leaves nothing", self.names() == names, self.names())
        print(f"{name}: {len(whole)} bytes, {hashlib.sha256(whole).hexdigest()[:16]}", flush=True)

    def bad(self):
        lines = [line.split(" ", 1) for line in BAD.strip().splitlines()]
        for code, rest in lines[1::4] if self.arguments.brief else lines:
            why, words = rest.rsplit(": ", 1)
            self.begin()
            before = self.names()
            got, out, err = self.run(3, shlex.split(words))
            said = re.findall(rb"^sinpos: .*\n|^hint: .*\n", err, re.M)
            self.expect(f"{words}: ends with {code}", got == int(code), err)
            self.expect(f"{words}: one line and its hint", len(said) == 2 and why.encode() in said[0], err)
            self.expect(f"{words}: leaves nothing", self.names() == before and out == b"", self.names())

    def ranks_of(self, process):
        """Processes that run sinpos-mpi below mpirun."""
        try:
            listed = subprocess.run(["ps", "-o", "pid=,args=", "--ppid", str(process.pid)], capture_output=True, text=True).stdout
        except OSError:
            return []
        return [int(line.split()[0]) for line in listed.splitlines() if self.arguments.mpi in line]

    def kill(self, process, generator):
        way = generator.choice(("rank", "rank", "all", "SIGINT", "SIGTERM"))
        try:
            ranks = self.ranks_of(process)
            if way == "rank" and ranks:
                os.kill(generator.choice(ranks), signal.SIGKILL)
            elif way == "SIGINT":
                process.send_signal(signal.SIGINT)
            elif way == "SIGTERM":
                process.terminate()
            else:
                for rank in ranks:
                    os.kill(rank, signal.SIGKILL)
                process.kill()
        except ProcessLookupError:
            pass
        try:
            return way, process.communicate(timeout=TIMEOUT_S)[1]
        except subprocess.TimeoutExpired:  # mpirun itself does not always notice
            for rank in self.ranks_of(process):
                os.kill(rank, signal.SIGKILL)
            process.kill()
            return way + ", and mpirun", process.communicate()[1]

    def killed(self, name, words, reference, generator, n_kills):
        code, whole, names = reference
        self.begin()
        began = time.monotonic()
        self.run(2, words + ["--resume"])
        duration, n = time.monotonic() - began, 0
        while n < n_kills:
            self.begin()
            n_kept, way = 0, "none"
            for _ in range(3):
                process = self.start(generator.choice(RANKS), words + ["--resume"])
                time.sleep(generator.uniform(0, 1.1 * duration))
                if process.poll() is not None:
                    way = f"ended by itself: {process.returncode} {process.communicate()[1]}"
                    break
                way, err = self.kill(process, generator)
                n += 1
                kept = re.search(rb"resumed: ([0-9]+) of", err)
                if kept and self.output_is(words, whole) is False:
                    self.expect(f"{name}: kill {n} ({way}): keeps what was kept", int(kept[1]) >= n_kept, err)
                    n_kept = int(kept[1])
            time.sleep(0.05)
            self.expect(f"{name}: after kill {n} ({way}): no half file", self.output_is(words, whole) is not None,
                        self.difference(words, whole))
            got, _, err = self.run(generator.choice((0,) + RANKS), words + ["--resume"])
            self.expect(f"{name}: after kill {n}: ends well", got == code and b"resumed: " in err, err)
            self.expect(f"{name}: after kill {n}: the same bytes", self.output_is(words, whole) is True)
            self.expect(f"{name}: after kill {n}: leaves nothing", self.names() == names, self.names())

    def difference(self, words, whole):
        path = self.folder / words[words.index("-o") + 1]
        got = path.read_bytes() if path.exists() else b""
        return len(got), next((i for i, (a, b) in enumerate(zip(got, whole)) if a != b), None), self.names()

    def output_is(self, words, whole):
        """True: whole; False: not there; None: something else."""
        path = self.folder / words[words.index("-o") + 1]
        return False if not path.exists() else True if path.read_bytes() == whole else None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sinpos", required=True, type=lambda path: str(pathlib.Path(path).resolve()))
    parser.add_argument("--mpi", type=lambda path: str(pathlib.Path(path).resolve()), help="sinpos-mpi; without it nothing runs")
    parser.add_argument("--mpirun", default="mpirun")
    parser.add_argument("--brief", action="store_true", help="some commands only")
    parser.add_argument("--kills", type=int, default=200, help="at random moments")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 30))
    parser.add_argument("--only", help="a regular expression for the names of commands")
    arguments = parser.parse_args()
    if arguments.mpi is None or shutil.which(arguments.mpirun) is None:
        print("skipped: there is no sinpos-mpi, or no mpirun")
        return SKIPPED
    print(f"seed {arguments.seed}", flush=True)
    generator = random.Random(arguments.seed)
    with tempfile.TemporaryDirectory(prefix="sinpos-mpi-") as folder:
        root = pathlib.Path(folder)
        (root / "in").mkdir()
        for line in INPUTS.strip().splitlines():
            subprocess.run([arguments.sinpos] + line.split() + ["--quiet"], cwd=root / "in", check=True)
        test = Test(arguments, root)
        chosen = [(name, words) for name, words in commands()
                  if (re.fullmatch(arguments.only, name) if arguments.only else not arguments.brief or name in BRIEF)]
        resumed = [name for name, _ in chosen if name in RESUMED]
        for name, words in chosen if arguments.only else turns.mine(chosen):
            reference = test.reference(words)
            test.same_bytes(name, words, reference)
            if name in resumed and not (arguments.brief and name != "table"):
                test.killed(name, words, reference, generator,
                            arguments.kills if arguments.brief else -(-arguments.kills // len(resumed)))
        if not arguments.only:
            test.bad()
    print("\n".join(test.wrong))
    print(f"seed {arguments.seed}: {test.n} checks, {len(test.wrong)} wrong")
    return 1 if test.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
