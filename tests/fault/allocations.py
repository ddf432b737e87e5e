#!/usr/bin/env python3
"""allocations.py - runs commands whose memory fails, and looks at how they end.

    allocations.py --sinpos PATH --library PATH --data DIR [--runs N] [--seed N] [--jobs N] [--brief]

For each command of COMMANDS the n-th request for memory fails (one), or all from the n-th on (gone): every n where
there are few, else the first request from each place of the program, or --runs of them, chosen by the seed. The
command must then end in one of two ways: with 3, an error of one line and its hint, no new file, and old ones as they
were; or as it ends with memory, with the same bytes. failing_memory.c makes the requests fail. --only NAME --at N
--mode one runs one of them again, and --trace shows where the request came from.
"""
import argparse
import concurrent.futures
import os
import pathlib
import random
import re
import shlex
import shutil
import signal
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "cli"))
import run as cases
import turns  # in the folder that run.py adds

SKIPPED = 77
TIMEOUT_S = 60  # as in failing_memory.c
MODES = ("one", "gone")
AT_ONCE = 40  # runs of a process
HEAD, PLACES, RUN, MOST_RUNS = struct.Struct("9q"), struct.Struct("8000q"), struct.Struct("3q"), 1000  # struct fault
OLD = b"what was there before\n"
ENOUGH_FOR_ALL_BUT_OPENBLAS = 100 << 20

# Made once, by the helpers of ../cli/run.py.
INPUTS = """
npy rows.npy <f4 (1,8) 1,2,3,4,5,6,7,8
npy theta.npy <f8 (4,) 1,0.5,0.25,0.125
npy positions.npy <i8 (3,) 5,6,9
npy words.npy <f4 (4,4) 1,1,0,0,-1,-1,0,0,1,-1,0,0,-1,1,0,0
npy signs.npy <f8 (4,4) -1,0,0,0,0,1,0,0,0,0,-1,0,0,0,0,1
copy whisper_sinusoids__c384_rows1496_1499.npy
copy diffusers_timestep__default_d16.npy
copy nerf_pytorch__L4_log_input__exact.npy
copy configs/llama_3_1_8b.json
copy configs/qwen2_vl_7b.json
copy configs/phi3_longrope.json
text parameters.json '{"channels":8,"length":5}'
text positions.json [[0,1],[2,3]]
model model.gguf general.architecture:llama llama.attention.head_count:4 llama.attention.head_count_kv:2 bias=1
model model.safetensors type=F16
model folder type=BF16 bias=1 norm=1 model_type:llama num_attention_heads:4 num_key_value_heads:2 rope_theta:500000.0
split-gguf split 2
sinpos table --dim 8 --length 12 -o table.npy --quiet
sinpos table --dim 8 --length 12 -o table.safetensors --quiet
sinpos table --dim 8 --length 12 -o table.gguf --quiet
sinpos table --dim 8 --length 12 -o table.raw --quiet
sinpos table --dim 8 --length 12 --layout halves --type bf16 -o halves.safetensors --quiet
sinpos table --dim 8 --length 20 --arithmetic float32-pow -o pow.npy --quiet
sinpos base --context 30 --dim 16 -o certificate.json --quiet
"""

# NAME: words. Files that are read lie in ../in, and what is written begins with out.
COMMANDS = """
version: --version
help: help table
unknown: tabel
table-npy: table --dim 8 --length 4 -o out.npy
table-safetensors: table --dim 8 --length 4 --type bf16 -o out.safetensors
table-gguf: table --dim 8 --length 4 --type f16 -o out.gguf
table-csv: table --dim 8 --length 4 --type f64 -o out.csv
table-h: table --dim 8 --length 4 -o out.h
table-raw: table --dim 8 --length 4 -o out.raw
table-zarr: table --dim 8 --length 12 -o out.zarr --chunk 100
table-zarr3: table --dim 8 --length 3 --type bf16 -o out.zarr --zarr 3
table-stdout: table --dim 8 --length 4 -o - --quiet
table-hash: table --dim 8 --length 4 --hash --json
table-positions: table --dim 8 --positions ../in/positions.npy -o out.npy
table-list: table --dim 8 --positions 0,5,7.25 --columns 0:4,-1x2 -o out.npy
table-columns: table --dim 8 --length 4 --columns cos-cos --negate 0,2 -o out.npy
table-json: table --dim 8 --positions ../in/positions.json -o out.npy
table-grid: table --dim 8 --grid 2x3 -o out.npy
table-theta: table --schedule explicit --theta ../in/theta.npy --length 4 -o out.npy
table-published: table --convention whisper_sinusoids --parameters ../in/parameters.json --arithmetic published -o out.npy
table-named: table --convention detr_sine --set num_pos_feats=4 --grid 2x2 -o out.npy
table-config: table --from-config ../in/qwen2_vl_7b.json --length 2 --set output=cos_sin -o out.npy
table-longrope: table --from-config ../in/phi3_longrope.json --length 2 --set output=inv_freq -o out.csv
table-folder: table --from-config ../in/folder --dim 8 --length 3 -o out.npy
table-resume: table --dim 8 --length 12 -o out.npy --resume --quiet
add-npy: add ../in/table.npy -o out.npy
add-resume: add ../in/table.npy -o out.gguf --resume
add-safetensors: add ../in/table.safetensors -o out.safetensors --json
add-gguf: add ../in/table.gguf -o out.gguf
add-raw: add ../in/table.raw --dim 8 --type f32 -o out.raw
rotate-npy: rotate ../in/rows.npy -o out.npy
rotate-named: rotate ../in/rows.npy -o out.npy --convention mlx_rope --set traditional=true
rotate-published: rotate ../in/rows.npy -o out.npy --arithmetic published --from-config ../in/llama_3_1_8b.json --set head_dim=8
audit-npy: audit ../in/table.npy ../in/table.safetensors
audit-json: audit ../in/pow.npy --json
audit-resume: audit ../in/pow.npy ../in/table.npy -o out.txt --resume
audit-negate: audit ../in/table.npy --negate 3 --tolerance 4
audit-named: audit ../in/diffusers_timestep__default_d16.npy --convention diffusers_timestep --set embedding_dim=16 --positions 0,1,7.5,250,999
identify-npy: identify ../in/table.npy
identify-json: identify ../in/halves.safetensors --json
identify-published: identify ../in/pow.npy
identify-named: identify ../in/whisper_sinusoids__c384_rows1496_1499.npy
identify-nerf: identify ../in/nerf_pytorch__L4_log_input__exact.npy
identify-nothing: identify ../in/rows.npy
identify-files: identify ../in/table.npy ../in/rows.npy --json -o out.json
diff-npy: diff ../in/table.npy ../in/halves.safetensors
diff-named: diff vaswani ../in/table.npy --json
diff-rotated: diff ../in/table.npy ../in/halves.safetensors --rotated
convert-columns: convert ../in/table.npy --from interleaved --to halves -o out.npy
convert-named: convert ../in/table.npy --from whisper_sinusoids --to fairseq_sinusoidal -o out.npy
convert-gguf: convert ../in/model.gguf --from half --to pair -o out.gguf
convert-safetensors: convert ../in/model.safetensors --from half --to pair --heads 4 --kv-heads 2 -o out.safetensors --json
convert-folder: convert ../in/folder --from half --to pair -o out
convert-split: convert ../in/split-00001-of-00002.gguf --from half --to pair -o out
check-some: check definition relative linear covariance --dim 8 --length 16
check-table: check --table ../in/table.npy definition relative --json
check-all: check --dim 4 --length 8
check-injective: check injective --dim 8 --length 64 --explain
kernel-text: kernel --dim 8 --limit 50
kernel-file: kernel --dim 8 --offsets 0:40 --limit 50 -o out.npy
kernel-named: kernel --convention whisper_sinusoids --dim 16 --offsets 0:4 --limit 50
kernel-continuum: kernel --dim 8 --offsets 8,128 --limit 50 --json
kernel-expression: kernel --continuum exp(-t) --offsets 2 --limit 4 --json
kernel-schedules: kernel --schedules t,10000^-t --offsets 1,16
base-search: base --context 30 --dim 16
base-file: base --context 30 --dim 16 -o out.json --threads 2
base-verify: base --verify ../in/certificate.json
base-resume: base --context 20,30 --dim 16 -o out.json --resume
base-one: base --context 30 --dim 16 --base 100 --json
base-lengths: base --lengths --context 64 --train 16 --dim 16 --base 100
base-config: base --from-config ../in/phi3_longrope.json --context 30 --json
base-convention: base --convention whisper --set channels=16 --context 30 -o out.json
advise-config: advise ../in/phi3_longrope.json --context 40 --json
advise-options: advise --dim 8 --base 50 --train 16 --context 40
separate-offsets: separate --dim 8 --length 64
separate-resume: separate --dim 8 --length 64 -o out.txt --resume --quiet
separate-hashes: separate --dim 8 --length 64 --method hashes --json
separate-rounded: separate --dim 7 --length 40 --type bf16 --rounded --nearest 3
separate-files: separate --dim 2 --length 80000 --type f16 --method hashes --memory 1M --temporary .
separate-named: separate --convention whisper_sinusoids --dim 16 --length 40
separate-table: separate --table --dims 2,4 --lengths 8,16 --bases 100
distance-text: distance --dim 8 --offsets 1,2,4
distance-file: distance --dim 8 --length 6 -o out.npy --json
structure-drawn: structure --dim 4 --length 16 --threads 1
structure-threads: structure --dim 4 --length 16 --threads 2 --json
structure-files: structure --words ../in/words.npy --H ../in/signs.npy --length 8
structure-query: structure --words ../in/words.npy --wq ../in/words.npy --wk ../in/signs.npy --length 8
plot-text: plot waves --dim 8 --length 16
plot-kernel: plot kernel --dim 8 --offsets 0:32 --data out.csv
plot-heatmap: plot heatmap --dim 6 --length 8 --data out.csv --script out.gp
plot-base: plot base --context 30 --dim 8 --data out.csv --script out.gp
plot-decay: plot decay --dim 8 --data out.csv
plot-distance: plot distance --dim 8 --length 6 --data out.csv
plot-law: plot distance-law --dim 8 --offsets 1:40 --data out.csv
plot-spectrum: plot spectrum --dim 4 --length 16 --data out.csv
plot-near-far: plot near-far --dim 8 --text
plot-separation: plot separation --dim 8 --length 50 --data out.csv
plot-error: plot error --dim 4 --length 16 --data out.csv
plot-gram: plot gram --dim 8 --length 8 --text
plot-matrix: plot heatmap --dim 4 --length 4 -o out.svg
plot-picture: plot wavelengths --dim 8 -o out.svg
report-folder: report -o out --dim 4 --length 8 --context 8 --date 2026-01-01
report-compare: report -o out --dim 4 --length 8 --compare base=100 base=1000 --date 2026-01-01 --json
conventions-list: conventions
conventions-one: conventions hf_rope --json
"""

# Commands that take long; they get this part of the runs.
PARTS = {"report-folder": 12, "report-compare": 60, "identify-named": 8, "identify-nerf": 3, "plot-decay": 12,
         "plot-picture": 3, "plot-matrix": 4, "structure-drawn": 6, "structure-threads": 6, "structure-files": 6,
         "structure-query": 6}
BRIEF = ("version", "table-npy", "table-zarr", "table-safetensors", "table-published", "table-config", "add-gguf", "rotate-named",
         "audit-npy", "identify-nothing", "convert-columns", "convert-safetensors", "check-some", "kernel-text",
         "kernel-expression", "base-file", "base-one", "separate-table", "distance-file", "plot-heatmap")
# Without memory for its buffers the linear algebra is left out, and the report says so (docs/errors.md).
WITHOUT_OPENBLAS = ("structure", "check", "report")
# These go on after a file is whole: the copy of a model is read again, or another file follows. Whole files may stay.
AFTERWARDS = ("convert-gguf", "convert-safetensors", "convert-folder", "convert-split", "plot-heatmap", "plot-base")
# It prints a line before it calls exit(1).
OPENBLAS = re.compile("OpenBLAS: malloc failed")
LACKING = re.compile(rb"was built without|this build has no|is not on the PATH")
# Seconds in talk, and what else differs from run to run.
TIMES = re.compile(rb'in [0-9.e+-]+ s, [0-9.]+ [a-zA-Z]+/s|"[a-z_]*(seconds|gb_per_s)": [0-9.e+-]+')


class Ending:
    """How a command ended: exit code (negative: a signal), what it printed, and the files it left."""

    def __init__(self, code, stdout, stderr, files):
        self.code, self.stdout, self.stderr, self.files = code, stdout, cases.PROGRESS.sub(b"", stderr), files

    def text(self):
        return self.stderr.decode("utf-8", "replace")

    def same(self, other):
        return (self.code, self.files) == (other.code, other.files) and \
            all(TIMES.sub(b"", own) == TIMES.sub(b"", its)
                for own, its in ((self.stdout, other.stdout), (self.stderr, other.stderr)))


def files_below(folder):
    paths = {str(path.relative_to(folder)): path for path in folder.rglob("*")}
    return {name: path.read_bytes() for name, path in paths.items() if path.is_file()} | \
        {name + "/": b"" for name, path in paths.items() if path.is_dir()}


class Place:
    """Folders for one process at a time."""

    def __init__(self, arguments, root, number):
        self.arguments, self.folder, self.inputs = arguments, root / f"run{number}", root / "in"
        self.fault = root / f"fault{number}"
        self.fault.write_bytes(bytes(HEAD.size + PLACES.size + MOST_RUNS * RUN.size))
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith("LD_")}
        self.environment.update(LD_PRELOAD=str(arguments.library), SINPOS_FAULT=str(self.fault), LC_ALL="C",
                                OPENBLAS_NUM_THREADS=os.environ.get("OPENBLAS_NUM_THREADS", "2"))

    @staticmethod
    def make_folder(folder, words):
        folder.mkdir()
        for before, word in zip(words, words[1:]):
            if before in ("-o", "--data", "--script") and "." in word and not word.endswith(".zarr"):
                (folder / word).write_bytes(OLD)

    def start(self, words, folder, head, runs=()):
        """Runs the program; returns what struct fault holds then: head and the rest."""
        with open(self.fault, "r+b") as file:
            file.write(HEAD.pack(*head))
            file.seek(PLACES.size, os.SEEK_CUR)
            file.write(b"".join(RUN.pack(first, last, 0) for first, last in runs))
        done = subprocess.run([self.arguments.sinpos] + words, cwd=folder, env=self.environment,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              timeout=TIMEOUT_S * max(1, len(runs)))
        data = self.fault.read_bytes()
        return done, HEAD.unpack_from(data), data[HEAD.size:]

    def run(self, words, largest=0, is_listed=False):
        """With memory; but none for more than the largest bytes at once, if there is a largest."""
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir()
        (self.folder / "in").symlink_to(self.inputs)
        self.make_folder(self.folder / "0", words)
        done, head, rest = self.start(words, self.folder / "0", (0, 0, 0, largest, 0, 0, is_listed, 0, 0))
        ending = Ending(done.returncode, done.stdout, done.stderr, files_below(self.folder / "0"))
        ending.n_requests, ending.places = head[0], PLACES.unpack_from(rest)[:head[7]]
        return ending

    def without_memory(self, words, runs):
        """An ending for each of the runs, (first, last) of the requests that fail."""
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir()
        (self.folder / "in").symlink_to(self.inputs)
        for k in range(len(runs)):
            self.make_folder(self.folder / str(k), words)
        done, _, rest = self.start(words, self.folder, (0, 0, 0, 0, self.arguments.trace, 0, 0, 0, len(runs)), runs)
        if done.returncode != 0:
            raise RuntimeError(f"failing_memory.c ended with {done.returncode}: {done.stderr}")
        for k in range(len(runs)):
            status = RUN.unpack_from(rest, PLACES.size + k * RUN.size)[2]
            yield Ending(os.waitstatus_to_exitcode(status), (self.folder / f"{k}.out").read_bytes(),
                         (self.folder / f"{k}.err").read_bytes(), files_below(self.folder / str(k)))


def complaint_of(ending):
    """Why the lines on standard error are no error of one line and its hint; empty if they are."""
    lines = [line for line in ending.text().splitlines() if not OPENBLAS.match(line) and not line.startswith("resumed: ")]
    if len(lines) == 2 and lines[0].startswith("sinpos: ") and lines[1].startswith("hint: "):
        return ""
    return "standard error is not an error of one line and its hint"


def judge(name, ending, references):
    """Empty, or what is wrong."""
    if any(ending.same(reference) for reference in references):
        return ""
    reference = references[0]
    if ending.code == -signal.SIGALRM:
        return f"no end after {TIMEOUT_S} s"
    if ending.code != 3:
        return f"exit code {ending.code}" if ending.code != reference.code else "other bytes than with memory"
    if complaint_of(ending):
        return complaint_of(ending)
    left = {file: data for file, data in ending.files.items() if data != OLD}
    if name.endswith("-resume"):  # goes on with these
        left = {file: data for file, data in left.items() if not file.endswith((".part", ".journal"))}
    if name in AFTERWARDS:
        left = {file: data for file, data in left.items() if reference.files.get(file) != data}
    if left:
        return "leaves " + ", ".join(left)
    if not reference.stdout.startswith(ending.stdout):
        return "prints what it does not print with memory"
    return ""


def chosen(reference, n_runs, generator):
    """Numbers of requests: all, or the first from each place, or some of those; and a few of the others."""
    if reference.n_requests <= n_runs:
        return list(range(1, reference.n_requests + 1))
    n_others = max(1, n_runs // 8)
    others = generator.sample(range(1, reference.n_requests + 1), n_others)
    places = reference.places
    if len(places) > n_runs - n_others:
        places = generator.sample(places, n_runs - n_others)
    return sorted(set(places) | set(others))


class Test:
    def __init__(self, arguments, root):
        self.arguments, self.root = arguments, root
        self.places = [Place(arguments, root, i) for i in range(arguments.jobs)]
        self.free = list(self.places)
        self.n_runs = self.n_survived = 0
        self.wrong = []

    def at_place(self, *what, **fault):
        place = self.free.pop()
        try:
            return place.run(*what, **fault)
        finally:
            self.free.append(place)

    def plan(self, name, words):
        """References, and the runs to do: (name, words, references, mode, n)."""
        references = [self.at_place(words, is_listed=True)]
        again = self.at_place(words)
        if references[0].code == 3 and LACKING.search(references[0].stderr):
            print(f"left out: {name}: " + references[0].text().splitlines()[0])
            return []
        if not again.same(references[0]) or references[0].code not in ((2,) if name == "unknown" else (0, 1)):
            self.wrong.append(f"{name}: with memory: exit code {references[0].code}, or two runs differ\n" +
                              references[0].text())
            return []
        if name.split("-")[0] in WITHOUT_OPENBLAS:
            references.append(self.at_place(words, largest=ENOUGH_FOR_ALL_BUT_OPENBLAS))
        generator = random.Random(f"{self.arguments.seed} {name}")
        n_runs = max(2, self.arguments.runs // 2 // PARTS.get(name, 1))
        runs = [(mode, n) for mode in MODES if self.arguments.mode in (None, mode)
                for n in ((self.arguments.at,) if self.arguments.at else chosen(references[0], n_runs, generator))]
        return [(name, words, references, runs[i:i + AT_ONCE]) for i in range(0, len(runs), AT_ONCE)]

    def some(self, name, words, references, runs):
        place = self.free.pop()
        try:
            endings = place.without_memory(words, [(n, n if mode == "one" else 1 << 62) for mode, n in runs])
            for (mode, n), ending in zip(runs, endings):
                self.look(name, references, mode, n, ending)
        finally:
            self.free.append(place)

    def look(self, name, references, mode, n, ending):
        why = judge(name, ending, references)
        self.n_runs += 1
        self.n_survived += why == "" and ending.code != 3
        lines = "".join(f"    {line[:200]}\n" for line in ending.text().splitlines())
        if why:
            self.wrong.append(f"{name}: request {n} of {references[0].n_requests} fails ({mode}): {why}\n{lines}"
                              f"  again: {self.arguments.again} --only {name} --mode {mode} --at {n} --trace\n")
        elif self.arguments.trace:
            print(f"{name}: request {n} fails ({mode}): {ending.code}\n{lines}")


def commands(only, is_brief):
    for line in COMMANDS.strip().splitlines():
        name, words = line.split(": ", 1)
        if (not only or re.fullmatch(only, name)) and (not is_brief or name in BRIEF):
            yield name, shlex.split(words)


def missing(arguments):
    """Why nothing can be run; empty if it can."""
    if arguments.library is None:
        return "a sanitizer has a malloc of its own, and LD_PRELOAD would take its place"
    done = subprocess.run([arguments.sinpos, "--version"], capture_output=True, text=True,
                          env={**os.environ, "LD_PRELOAD": str(arguments.library), "SINPOS_FAULT": "/nonexistent"})
    return "" if done.returncode == 125 else "LD_PRELOAD has no effect on this system"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sinpos", required=True, type=lambda path: str(pathlib.Path(path).resolve()))
    parser.add_argument("--library", help="what failing_memory.c is built to; without it nothing runs",
                        type=lambda path: pathlib.Path(path).resolve())
    parser.add_argument("--data", required=True, type=lambda path: pathlib.Path(path).resolve())
    parser.add_argument("--runs", type=int, default=60, help="runs of a command")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--only", help="a regular expression for the names of commands")
    parser.add_argument("--mode", choices=MODES)
    parser.add_argument("--at", type=int)
    parser.add_argument("--trace", action="store_true")
    parser.add_argument("--brief", action="store_true", help="some commands only")
    arguments = parser.parse_args()
    arguments.again = f"{sys.argv[0]} --sinpos {arguments.sinpos} --library {arguments.library} --data {arguments.data}"
    why = missing(arguments)
    if why:
        print("skipped: " + why)
        return SKIPPED
    with tempfile.TemporaryDirectory(prefix="sinpos-fault-") as folder:
        root = pathlib.Path(folder)
        (root / "in").mkdir()
        session = cases.Session(arguments.sinpos, arguments.data, root / "in")
        for line in INPUTS.strip().splitlines():
            if session.run(line).code != 0:
                print("cannot make an input: " + line)
                return 1
        test = Test(arguments, root)
        with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
            chosen = list(commands(arguments.only, arguments.brief))
            plans = list(pool.map(lambda command: test.plan(*command), chosen if arguments.only else turns.mine(chosen)))
            list(pool.map(lambda part: test.some(*part), [part for plan in plans for part in plan]))
    for text in sorted(test.wrong):
        print(text)
    print(f"seed {arguments.seed}: {len(plans)} commands, {test.n_runs} runs without memory, {test.n_survived} of them "
          f"survived, {len(test.wrong)} ended wrongly")
    return 1 if test.wrong or test.n_runs == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
