#!/usr/bin/env python3
"""resume.py - kills commands that were given --resume, wherever they are, and looks at what the next one makes of it.

    resume.py --sinpos PATH --library PATH [--brief] [--kills N] [--seed N] [--only NAME] [--at N]

1. kill -9 at each call by which the command reaches a file (failing_storage.c), before it, in the middle of a write, and
   behind it. 2. At N random moments, again and again until the command ends. 3. Blocks, journals, requests and inputs that
were changed meanwhile, a second command at the same time, signals, a full disk. Always the next command must end well, with
the bytes of one that nobody stopped, and must write no block that the journal lists; or refuse and leave the files alone.
"""
import argparse
import json
import os
import pathlib
import random
import re
import resource
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
OLD = b"what was there before"
# Blocks of up to 8 MiB.
INPUTS = """
table --dim 1024 --length 5000 --base 50 -o in.npy
table --dim 64 --length 900 --base 50 -o a.npy
table --dim 64 --length 700 -o b.npy
table --dim 64 --length 800 --arithmetic float32-exp -o c.npy
"""
COMMANDS = """
table: table --dim 1024 --length 6150 -o out.npy
table-hash: table --dim 1023 --length 9000 --type bf16 --threads 2 --hash -o out.gguf
table-raw: table --dim 1024 --start 7 --step 3 --length 4200 -o out.raw --json
add: add in.npy --start 7 -o out.safetensors --tensor t
add-in-place: add in.npy -o in.npy
audit: audit a.npy b.npy c.npy --json -o out.json
separate: separate --dim 16 --length 1500 --json -o out.json
separate-table: separate --table --dims 8,16 --lengths 64,512 -o out.txt
base: base --context 40,90,60 --dims 16,20 -o out.json
"""
BRIEF = ("table-hash", "add-in-place", "audit", "base")
TIMES = re.compile(rb"in [0-9.e+-]+ s, [0-9.]+ [a-zA-Z]+/s|\"(seconds|gb_per_s)\": [0-9.e+-]+|resumed: [0-9]+|, of [0-9.]+")
LOOKS = re.compile(r"(l|f)?stat|access|realpath|lseek|read ")  # they change nothing: a kill beside them is one beside another call
LISTED = re.compile(rb"(\+?)([0-9]+) [0-9a-f]{16}(?: ([0-9]+))?\n")


def listed_in(text):
    """Numbers of the blocks that a journal lists, and where the record of each begins."""
    at, blocks = text.find(b"\nend ") + 5, {}
    at = text.find(b"\n", at) + 1 if at > 4 else len(text)
    while at < len(text):
        line = LISTED.match(text, at)
        if line is None:
            break
        end = line.end() + (int(line[3]) + 1 if line[3] else 0)
        if end > len(text):
            break
        if not line[1]:
            blocks.setdefault(int(line[2]), line.end())
        at = end
    return blocks


class Place:
    """A folder, and what runs in it."""

    def __init__(self, arguments, root):
        self.arguments, self.root, self.folder = arguments, root, root / "run"
        self.log = root / "log"

    def begin(self, words):
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir()
        for path in (self.root / "in").iterdir():  # what the command does not name stays as it is
            (shutil.copy2 if path.name in words else os.link)(path, self.folder / path.name)
        self.out = self.folder / words[words.index("-o") + 1]
        self.part, self.journal = (self.out.with_name(self.out.name + end) for end in (".part", ".journal"))
        if not self.out.exists():
            self.out.write_bytes(OLD)

    def start(self, words, fault="log 0", **more):
        self.log.unlink(missing_ok=True)
        environment = {**os.environ, "LD_PRELOAD": str(self.arguments.library), "SINPOS_STORAGE": fault, "LC_ALL": "C",
                       "SINPOS_STORAGE_ROOT": str(self.folder), "SINPOS_STORAGE_LOG": str(self.log)}
        return subprocess.Popen([self.arguments.sinpos] + words, cwd=self.folder, env=environment, stdout=subprocess.PIPE,
                                stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, **more)

    def run(self, words, fault="log 0", **more):
        process = self.start(words, fault, **more)
        out, err = process.communicate(timeout=TIMEOUT_S)
        calls = self.log.read_text().splitlines() if self.log.exists() else []
        return process.returncode, out, err, calls

    def names(self):
        return sorted(path.name for path in self.folder.iterdir())

    def n_listed(self):
        """Blocks whose line is whole."""
        if not self.journal.exists():
            return None
        return len(listed_in(self.journal.read_bytes()))

    def files(self):
        return {path.name: path.read_bytes() for path in self.folder.iterdir()}


class Test:
    def __init__(self, arguments, root):
        self.arguments, self.place = arguments, Place(arguments, root)
        self.n = 0
        self.wrong = []

    def expect(self, what, is_right, detail=b""):
        self.n += 1
        if not is_right:
            self.wrong.append(f"{what}: {detail!r}"[:900])
        return is_right

    def reference(self, words):
        """Of the same command that nobody stops: bytes, standard output, names, calls."""
        self.place.begin(words)
        code, out, err, calls = self.place.run(words + ["--resume"])
        self.expect(f"{words}: ends well", code in (0, 1), err)
        self.code = code
        whole = self.place.out.read_bytes()
        n_blocks = int(re.search(rb"resumed: 0 of ([0-9]+) blocks\n", err)[1])
        names = self.place.names()
        self.place.begin(words)
        code, plain, _, _ = self.place.run(words)
        self.expect(f"{words}: the same bytes without --resume", self.place.out.read_bytes() == whole)
        self.expect(f"{words}: the same report", TIMES.sub(b"", plain) == TIMES.sub(b"", out), out)
        self.before = (self.place.root / "in" / words[1]).read_bytes() if words[-1] == words[1] else OLD
        return whole, TIMES.sub(b"", out), names, calls, n_blocks

    def go_on(self, what, words, reference, n_least=0):
        """The command again, after it was killed: it must end well."""
        whole, report, names, first_calls, n_blocks = reference
        place = self.place
        has_part = any(call.startswith("pwrite") for call in first_calls)
        written = "pwrite" if has_part else f"write {place.journal.name}"
        n_others = sum(call.startswith(written) for call in first_calls) - n_blocks  # the header, and what fills up the end
        self.expect(f"{what}: the file is old or whole", place.out.read_bytes() in (self.before, whole))
        listed = place.n_listed()
        is_new = has_part and not place.part.exists() and listed != n_blocks # renamed, and the journal is gone too; or not begun
        code, out, err, calls = place.run(words + ["--resume"])
        kept = re.search(rb"resumed: ([0-9]+) of ([0-9]+) blocks\n", err)
        n_written = sum(call.startswith(written) for call in calls)
        self.expect(f"{what}: ends well", code == self.code and kept is not None, err)
        n_kept = int(kept[1]) if kept else -1
        self.expect(f"{what}: keeps what is listed", n_kept == (listed or 0) and n_kept >= n_least, err)
        if has_part:
            is_right = n_written == n_blocks - n_kept + n_others or (n_kept == n_blocks and n_written == 0)
        else:  # a head, unless it was there, and of searches some states
            n_states = 2 * (n_blocks - n_kept) if words[0] == "base" else 0
            is_right = n_blocks - n_kept <= n_written <= n_blocks - n_kept + 1 + n_states
        self.expect(f"{what}: makes only the others", is_right, calls)
        in_place_again = self.before != OLD and is_new and listed is None
        if not in_place_again: # of an array that was changed already another command begins
            self.expect(f"{what}: the same bytes", place.out.read_bytes() == whole)
            self.expect(f"{what}: the same report", TIMES.sub(b"", out) == report, out)
        self.expect(f"{what}: leaves nothing", place.names() == names, place.names())

    def at_each_call(self, name, words, reference):
        n_calls, is_brief = len(reference[3]), self.arguments.brief
        changing = [n for n, call in enumerate(reference[3], 1) if not LOOKS.match(call)]
        for i, n in enumerate([self.arguments.at] if self.arguments.at else changing[::2 if is_brief else 1]):
            for mode in ("kill", "after") if not is_brief else ("kill", "after")[i % 2:][:1]:
                call = reference[3][n - 1]
                what = f"{name}: {mode} at call {n} of {n_calls}, {call}"
                self.place.begin(words)
                code, _, err, _ = self.place.run(words + ["--resume"], f"{mode} {n}")
                if not self.expect(f"{what}: is killed", code == -signal.SIGKILL, err):
                    continue
                is_over = mode == "after" and call.startswith("unlink") or call.startswith("close") and ".journal" in call
                if is_over:
                    self.expect(f"{what}: is whole", self.place.out.read_bytes() == reference[0])
                    continue
                self.go_on(what, words, reference)

    def at_random(self, name, words, reference, generator, n_kills):
        """Until n_kills of them came before the end."""
        began = time.monotonic()
        self.place.begin(words)
        self.place.run(words + ["--resume"])
        duration, n = time.monotonic() - began, 0
        while n < n_kills:
            self.place.begin(words)
            n_kept = 0
            while n < n_kills:
                process = self.place.start(words + ["--resume"])
                try:
                    process.wait(generator.uniform(0, 1.1 * duration))
                except subprocess.TimeoutExpired:
                    pass
                process.kill()
                process.communicate()
                if process.returncode != -signal.SIGKILL:
                    break
                n += 1
                listed = self.place.n_listed()
                if listed is None and self.place.out.read_bytes() == reference[0]:
                    break
                self.expect(f"{name}: kill {n}: loses no block", (listed or 0) >= n_kept, listed)
                n_kept = listed or 0
            if process.returncode == self.code or self.place.out.read_bytes() == reference[0] and not self.place.journal.exists():
                self.expect(f"{name}: ends well", self.place.out.read_bytes() == reference[0])
            else:
                self.go_on(f"{name}: after kill {n}", words, reference)

    # ------------------------------------------------------------------------------------------- what was changed

    def stopped(self, words, n_blocks=2):
        """A folder in which the command was killed before it wrote a third block."""
        self.place.begin(words)
        _, _, _, calls = self.place.run(words + ["--resume"])
        writes = [i for i, call in enumerate(calls) if call == f"write {self.place.journal.name}"]
        at = writes[3 * n_blocks if words[0] == "base" else n_blocks] + 2  # a search writes its state twice
        self.place.begin(words)
        code, _, err, _ = self.place.run(words + ["--resume"], f"kill {at}")
        self.expect(f"{words}: is stopped after {n_blocks} blocks",
                    code == -signal.SIGKILL and self.place.n_listed() == n_blocks, err)

    def damaged(self, name, words, reference, generator):
        whole, n_blocks = reference[0], reference[4]
        for what in ("bit", "shorter", "empty", "gone", "zeros"):
            self.stopped(words)
            data = bytearray(self.place.part.read_bytes())
            at = (8 << 20) + 5000  # in the second block
            if what == "bit":
                data[at] ^= 1 << generator.randrange(8)
            elif what == "zeros":
                data[at:at + 4096] = bytes(4096)
            self.place.part.write_bytes(data[:at] if what == "shorter" else b"" if what == "empty" else data)
            if what == "gone":
                self.place.part.unlink()
            n_left = 0 if what in ("empty", "gone") else 1
            code, _, err, calls = self.place.run(words + ["--resume"])
            self.expect(f"{name}: a part with {what}: ends well", code == 0, err)
            self.expect(f"{name}: a part with {what}: found", f"resumed: {n_left} of {n_blocks} blocks\n".encode() in err and
                        b"sinpos: warning: " in err, err)
            self.expect(f"{name}: a part with {what}: the same bytes", self.place.out.read_bytes() == whole)

    def torn_line(self, name, words):
        """What a kill left of a line is cut off: else the next line would be joined to it, and its block be lost."""
        calls = None
        for fault in ("log 0", None):
            self.stopped(words, 1)
            with open(self.place.journal, "ab") as journal:
                journal.write(b"3 0123")
            first = calls.index(f"write {self.place.journal.name}") + 1 if calls else 0
            calls = self.place.run(words + ["--resume"], fault or f"after {first}")[3]
        self.expect(f"{name}: a torn line: loses no block", self.place.n_listed() == 2, self.place.journal.read_bytes()[-60:])

    def damaged_records(self, name, words, reference, generator):
        """One bit of what a block found is not believed."""
        self.stopped(words)
        text = bytearray(self.place.journal.read_bytes())
        begins = sorted(listed_in(text).values())
        text[begins[0] + generator.randrange(20)] ^= 1
        self.place.journal.write_bytes(text)
        code, out, err, _ = self.place.run(words + ["--resume"])
        self.expect(f"{name}: a damaged record: ends well", code in (0, 1) and self.place.out.read_bytes() == reference[0], err)
        self.expect(f"{name}: a damaged record: found", f"resumed: 1 of {reference[4]} blocks\n".encode() in err and
                    b"1 record is damaged; made again\n" in err, err)

    def bad_journals(self, name, words, reference, generator, n_trials):
        """Any bit of a journal, and any length: never other bytes, never a lost file."""
        for trial in range(n_trials):
            self.stopped(words)
            text = bytearray(self.place.journal.read_bytes())
            at = generator.randrange(len(text))
            if trial % 3 == 2:
                text = text[:at]
            else:
                text[at] ^= 1 << generator.randrange(8)
            self.place.journal.write_bytes(text)
            before = self.place.files()
            code, _, err, _ = self.place.run(words + ["--resume"])
            what = f"{name}: a journal with byte {at} " + ("and on gone" if trial % 3 == 2 else "changed")
            if code == self.code:
                self.expect(f"{what}: the same bytes", self.place.out.read_bytes() == reference[0])
                self.expect(f"{what}: leaves nothing", self.place.names() == reference[2])
            else:
                self.expect(f"{what}: is refused", code in (2, 3) and err.count(b"\n") == 2, err)
                self.expect(f"{what}: the files stay", self.place.files() == before)

    def refused(self, what, words, code, line):
        before = self.place.files()
        got, _, err, _ = self.place.run(words)
        self.expect(f"{what}: is refused", got == code and line in err and err.count(b"\n") == 2, err)
        self.expect(f"{what}: the files stay", self.place.files() == before)

    def other_requests(self):
        words = shlex.split("table --dim 1024 --length 6150 -o out.npy --resume")
        self.stopped(words[:-1])
        for more, line in (("--base 500", b"option --base 500"), ("--type f16", b"begun without 'option --type f16'"),
                           ("--length 5", b"it has 'option --length 6150', and this one 'option --length 5'")):
            self.refused(more, words + more.split(), 2, line)
        code, _, err, _ = self.place.run(words + ["--threads", "2", "--isa", "scalar", "--json", "--hash"])
        self.expect("what changes no byte", code == 0 and b"resumed: 2 of 4" in err, err)
        words = shlex.split("table --convention vaswani --set dim=1024 --length 6150 -o out.npy --resume")
        self.stopped(words[:-1])
        words[words.index("dim=1024")] = "dim=1022"
        self.refused("another --set", words, 2, b"it has 'option --set dim=1024'")
        words = shlex.split("table --dim 1024 --positions p.json -o out.npy --resume")
        positions = list(range(0, 12300, 2))
        (self.place.root / "in" / "p.json").write_text(json.dumps(positions))
        self.stopped(words[:-1], 1)
        (self.place.folder / "p.json").write_text(json.dumps([1] + positions[1:]))
        self.refused("another file of positions", words, 3, b"a file that the options name has changed")
        (self.place.root / "in" / "p.json").unlink()
        words = shlex.split("add in.npy -o out.npy --resume")
        self.stopped(words[:-1])
        os.utime(self.place.folder / "in.npy")
        self.refused("an input that changed", words, 3, b"input in.npy")
        words = shlex.split(dict(commands())["audit"]) + ["--resume"]
        self.stopped(words[:-1])
        self.refused("another tolerance", words + ["--tolerance", "4"], 2, b"begun without 'option --tolerance 4'")
        self.refused("one array less", [word for word in words if word != "b.npy"], 3, b"input")
        os.utime(self.place.folder / "b.npy")
        self.refused("an array that changed", words, 3, b"input b.npy")
        words = shlex.split(dict(commands())["base"]) + ["--resume"]
        self.stopped(words[:-1])
        words[words.index("16,20")] = "16,22"
        self.refused("other dims", words, 2, b"it has 'option --dims 16,20'")

    def changed_behind_the_rename(self):
        """The journal is still there: what it lists was made of another input."""
        words = shlex.split("add in.npy -o out.npy --resume")
        self.place.begin(words)
        calls = self.place.run(words)[3]
        self.place.begin(words)
        self.place.run(words, f"after {calls.index('rename out.npy') + 1}")
        self.expect("killed behind the rename", self.place.journal.exists() and not self.place.part.exists())
        os.utime(self.place.folder / "in.npy")
        self.refused("an input that changed behind the rename", words, 3, b"input in.npy")

    def strangers(self):
        words = shlex.split("table --dim 8 --length 4 -o out.npy --resume")
        for name, text, line in (("out.npy.journal", b"my diary\n", b"is not a journal of sinpos"),
                                 ("out.npy.part", b"part of something else", b"no journal says what it holds")):
            self.place.begin(words)
            (self.place.folder / name).write_bytes(text)
            self.refused(name, words, 3, line)
        self.place.begin(words)
        (self.place.folder / "out.npy.part").symlink_to("in.npy")
        before = self.place.files()
        code, _, err, _ = self.place.run(words)
        self.expect("a part that is a link", code == 3 and self.place.files() == before, err)

    def at_once(self):
        words = shlex.split("table --dim 1024 --length 6150 -o out.npy --resume")
        self.place.begin(words)
        first = self.place.start(words)
        while self.place.n_listed() in (None, 0) and first.poll() is None:
            time.sleep(0.001)
        first.send_signal(signal.SIGSTOP)
        try:
            code, _, err, _ = self.place.run(words)
        finally:
            first.send_signal(signal.SIGCONT)
        first.communicate(timeout=TIMEOUT_S)
        self.expect("two at once", first.returncode == 0 and
                    (code == 3 and b"another sinpos is at work on this output\n" in err and err.count(b"\n") == 2), err)

    def ends_by_signal_or_full_disk(self, reference):
        words = shlex.split(dict(commands())["table"]) + ["--resume"]
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            self.place.begin(words)
            process = self.place.start(words, preexec_fn=lambda n=number: signal.signal(n, signal.SIG_DFL))
            while self.place.n_listed() in (None, 0) and process.poll() is None:
                time.sleep(0.001)
            process.send_signal(number)
            err = process.communicate(timeout=TIMEOUT_S)[1]
            if process.returncode != 0:  # else it came too late
                self.expect(f"signal {number}", process.returncode == -number and
                            b"hint: the same command with --resume goes on\n" in err, err)
                self.go_on(f"after signal {number}", words[:-1], reference, 1)
        self.place.begin(words)
        size = 10 << 20
        calls = self.place.run(words)[3]
        line = [n for n, call in enumerate(calls) if call.startswith("write out.npy.journal")][1]
        block = next(n for n, call in enumerate(calls) if n > line and call.startswith("pwrite"))
        for n_listed, call in ((0, line + 1), (1, block + 1)):  # the line of the first block, and the second block
            self.place.begin(words)
            code, _, err, _ = self.place.run(words, f"28+ {call}")
            self.expect("a full disk", code == 3 and
                        b"no space left on device\nhint: make room; the same command with --resume goes on\n" in err, err)
            self.go_on("after a full disk", words[:-1], reference, n_listed)
        code, _, err, _ = self.place.run(words, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size)))
        self.expect("no room at the beginning", code == 3 and err.count(b"\n") == 2, err)


def commands():
    for line in COMMANDS.strip().splitlines():
        yield tuple(line.split(": ", 1))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sinpos", required=True, type=lambda path: str(pathlib.Path(path).resolve()))
    parser.add_argument("--library", help="what failing_storage.c is built to; without it nothing runs",
                        type=lambda path: pathlib.Path(path).resolve())
    parser.add_argument("--brief", action="store_true", help="some commands only")
    parser.add_argument("--kills", type=int, default=200, help="at random moments")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 30))
    parser.add_argument("--only", help="a regular expression for the names of commands")
    parser.add_argument("--at", type=int, help="only this call")
    arguments = parser.parse_args()
    if arguments.library is None:
        print("skipped: a sanitizer has calls of its own, and LD_PRELOAD would take their place")
        return SKIPPED
    print(f"seed {arguments.seed}", flush=True)
    generator = random.Random(arguments.seed)
    with tempfile.TemporaryDirectory(prefix="sinpos-resume-") as folder:
        root = pathlib.Path(folder)
        (root / "in").mkdir()
        for line in INPUTS.strip().splitlines():
            subprocess.run([arguments.sinpos] + line.split() + ["--quiet"], cwd=root / "in", check=True)
        test = Test(arguments, root)
        chosen = [(name, shlex.split(line)) for name, line in commands()
                  if (re.fullmatch(arguments.only, name) if arguments.only else not arguments.brief or name in BRIEF)]
        for name, words in chosen if arguments.only else turns.mine(chosen):
            reference = test.reference(words)
            test.at_each_call(name, words, reference)
            if not arguments.at:
                test.at_random(name, words, reference, generator, -(-arguments.kills // len(chosen)))
        if not arguments.at and not arguments.only:
            words = shlex.split(dict(commands())["table"])
            reference = test.reference(words)
            test.damaged("table", words, reference, generator)
            test.torn_line("table", words)
            test.bad_journals("table", words, reference, generator, 4 if arguments.brief else 60)
            for name in ("audit",) if arguments.brief else ("separate", "base", "audit"):
                words = shlex.split(dict(commands())[name])
                records = test.reference(words)
                test.damaged_records(name, words, records, generator)
                test.bad_journals(name, words, records, generator, 6 if arguments.brief else 60)
            words = shlex.split(dict(commands())["table"])
            test.code = 0
            test.other_requests()
            test.changed_behind_the_rename()
            test.strangers()
            test.at_once()
            test.ends_by_signal_or_full_disk(reference)
    print("\n".join(test.wrong))
    print(f"seed {arguments.seed}: {test.n} checks, {len(test.wrong)} wrong")
    return 1 if test.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
