#!/usr/bin/env python3
"""run.py - runs command-line tests: scripts with the output and the exit code that they must give.

    run.py --sinpos PATH --data DIR [--update] CASE ...

A case is a text file. "# " begins a comment, "$ " a command; below it stand the lines that it must print, indented by
two blanks for standard output and by "! " for standard error, and "[N]" for an exit code other than 0. {*} in such a
line stands for any text. --update rewrites what is below the commands; read the difference before you commit it.

Commands do not run in a shell: words are split as a shell would, and the first word is sinpos or one of the helpers below,
each of which says what it does. Every case begins in an empty folder.
"""
import argparse
import base64
import html.parser
import json
import os
import pathlib
import re
import resource
import shlex
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
import xml.dom.minidom
import zlib

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import drawings
import model_files

TIMEOUT_S = 60 * float(os.environ.get("SINPOS_TEST_PATIENCE", "1"))  # other tests use the processors
EMULATOR = shlex.split(os.environ.get("MESON_EXE_WRAPPER", ""))  # of another processor, or none


class Failed(Exception):
    """A helper could not do what it was asked."""


class Skip(Exception):
    """This machine cannot run the command."""


class Result:
    def __init__(self, stdout=b"", stderr=b"", code=0):
        self.stdout, self.stderr, self.code = stdout, stderr, code


class Page(html.parser.HTMLParser):
    """What stands in a page, and what is wrong with it."""
    HEADINGS = {"h1", "h2", "h3", "h4"}
    VOID = {"br", "meta", "link", "img", "input", "hr", "wbr"}

    def __init__(self, folder):
        super().__init__(convert_charrefs=True)
        self.folder, self.open, self.ids, self.anchors = folder, [], [], []
        self.problems, self.headings, self.counts, self.text = [], [], {}, []
        self.captions, self.heading = 0, False

    def wrong(self, what):
        self.problems.append(f"line {self.getpos()[0]}: {what}")

    def address(self, tag, value):
        if value.startswith("#"):
            self.anchors.append(value[1:])
        elif value.startswith("data:"):
            if tag != "image" or not value.startswith("data:image/png;base64,"):
                self.wrong(f"{tag} with {value[:30]}")
            else:
                self.image(value[len("data:image/png;base64,"):])
        elif ":" in value or value.startswith("/") or not (self.folder / value).is_file():
            self.wrong(f"{tag} leads to {value}")

    def image(self, text):
        """A picture is PNG to the last bit: its Base64, its chunks, its rows."""
        try:
            data = base64.b64decode(text, validate=True)
            if base64.b64encode(data).decode() != text:
                raise ValueError("Base64 that ends otherwise")
            at, chunks = 8, []
            while at < len(data):
                length, = struct.unpack(">I", data[at:at + 4])
                kind, body = data[at + 4:at + 8], data[at + 8:at + 8 + length]
                if struct.unpack(">I", data[at + 8 + length:at + 12 + length])[0] != zlib.crc32(kind + body):
                    raise ValueError(f"a wrong sum of {kind}")
                chunks.append((kind, body))
                at += 12 + length
            width, height = struct.unpack(">II", chunks[0][1][:8])
            rows = zlib.decompress(b"".join(body for kind, body in chunks if kind == b"IDAT"))
            if data[:8] != b"\x89PNG\r\n\x1a\n" or chunks[-1] != (b"IEND", b"") or len(rows) != (width + 1) * height:
                raise ValueError("no whole picture")
        except (ValueError, struct.error, zlib.error, IndexError) as error:
            self.wrong(f"an image with {error}")

    def handle_starttag(self, tag, attrs):
        values = dict(attrs)
        self.counts[tag] = self.counts.get(tag, 0) + 1
        if len(values) != len(attrs):
            self.wrong(f"{tag} has an attribute twice")
        for name, value in attrs:
            if name in ("href", "src", "xlink:href", "action", "data", "poster", "srcset"):
                self.address(tag, value)
            elif name == "style" or name.startswith("on"):
                self.wrong(f"{tag} has {name}")
        if "id" in values:
            self.ids.append(values["id"])
        if tag == "th" and values.get("scope") not in ("col", "row"):
            self.wrong("th without scope")
        if tag == "svg" and "viewBox" in values and not (values.get("aria-label") or values.get("aria-hidden")):
            self.wrong("svg without a label")
        if tag == "caption":
            self.captions += 1
        if tag in ("script", "iframe", "object", "embed", "img", "form"):
            self.wrong(f"{tag} in a page that needs none")
        if tag in self.HEADINGS:
            self.heading = True
            self.headings.append((int(tag[1]), ""))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if tag not in self.VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        if not self.open or self.open[-1] != tag:
            self.wrong(f"</{tag}> where {self.open[-1:]} is open")
        else:
            self.open.pop()
        self.heading = self.heading and tag not in self.HEADINGS

    def handle_data(self, data):
        if self.heading:
            self.headings[-1] = (self.headings[-1][0], self.headings[-1][1] + data)
        if "style" in self.open and ("@import" in data or "url(" in data or "http" in data):
            self.wrong("the style sheet loads something")
        if "style" not in self.open:
            self.text.append(data)

    def finish(self, source):
        self.close()
        levels = [level for level, _ in self.headings]
        if self.open:
            self.wrong(f"not closed: {self.open}")
        if levels[:1] != [1] or levels.count(1) != 1 or any(b > a + 1 for a, b in zip(levels, levels[1:])):
            self.wrong(f"headings in disorder: {levels}")
        if len(set(self.ids)) != len(self.ids):
            self.wrong("an id occurs twice")
        for anchor in self.anchors:
            if anchor not in self.ids:
                self.wrong(f"no #{anchor}")
        if self.captions != self.counts.get("table", 0):
            self.wrong("a table has no caption")
        if 'lang="en"' not in source or self.counts.get("title") != 1 or not source.startswith("<!DOCTYPE html>"):
            self.wrong("no language, title or document type")


class Session:
    """One case: a folder, and the commands that run in it."""

    def __init__(self, sinpos, data, folder):
        self.sinpos, self.data, self.folder = sinpos, data, folder
        self.ran = set()  # the commands, each of which is looked at for leaks

    def path(self, name):
        return self.folder / name

    def run(self, line):
        words = shlex.split(line)
        helper = getattr(self, "do_" + words[0].replace("-", "_"), None)
        if helper is None:
            raise Failed(f"no such helper: {words[0]}")
        return helper(words[1:]) or Result()

    # ------------------------------------------------------------------------------------------ sinpos

    def start(self, words, **more):
        environment = {k: v for k, v in os.environ.items() if not k.startswith("SINPOS")}
        # A search for leaks takes as long as the rest of most commands: in small sizes one for each command of a case.
        if os.environ.get("SINPOS_TEST_SIZE") == "small" and words[:1] != [] and words[0] in self.ran:
            environment["ASAN_OPTIONS"] = environment.get("ASAN_OPTIONS", "") + ":detect_leaks=0"
        self.ran.update(words[:1])
        return subprocess.Popen(EMULATOR + [self.sinpos] + words, cwd=self.folder, stdin=more.pop("stdin", subprocess.DEVNULL),
                                stdout=more.pop("stdout", subprocess.PIPE), stderr=subprocess.PIPE,
                                env=more.pop("env", environment), **more)

    def finish(self, process):
        try:
            stdout, stderr = process.communicate(timeout=TIMEOUT_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            raise Failed(f"still running after {TIMEOUT_S} s")
        return Result(stdout or b"", stderr, process.returncode)

    def do_sinpos(self, words):
        """sinpos ARGUMENTS: the program under test."""
        return self.finish(self.start(words))

    def do_head(self, words):
        """head N sinpos ...: reads N bytes of its output, shows them as hex, and closes the pipe."""
        process = self.start(words[2:])
        start = process.stdout.read(int(words[0]))
        process.stdout.close()
        stderr = process.stderr.read()
        process.stderr.close()
        return Result(start.hex().encode() + b"\n", stderr, process.wait(TIMEOUT_S))

    def do_to(self, words):
        """to FILE sinpos ...: standard output goes to a file."""
        with open(self.path(words[0]), "wb") as file:
            return self.finish(self.start(words[2:], stdout=file))

    def do_from(self, words):
        """from FILE sinpos ...: standard input comes through a pipe."""
        process = self.start(words[2:], stdin=subprocess.PIPE)
        try:
            stdout, stderr = process.communicate(self.path(words[0]).read_bytes(), timeout=TIMEOUT_S)
        except subprocess.TimeoutExpired:
            process.kill()
            raise Failed("still running")
        return Result(stdout, stderr, process.returncode)

    def do_redirect(self, words):
        """redirect FILE sinpos ...: standard input is the file."""
        with open(self.path(words[0]), "rb") as file:
            return self.finish(self.start(words[2:], stdin=file))

    def do_limit(self, words):
        """limit KIND MB sinpos ...: with a limit on address space (as) or on the size of files (fsize)."""
        kind = {"as": resource.RLIMIT_AS, "fsize": resource.RLIMIT_FSIZE}[words[0]]
        limit = int(float(words[1]) * 2**20)
        return self.finish(self.start(words[3:], preexec_fn=lambda: resource.setrlimit(kind, (limit, limit))))

    def do_repeated(self, words):
        """repeated TEXT N sinpos ...: {} is the text N times; the command has a second of processor time."""
        text = words[0] * int(words[1])
        return self.finish(self.start([word.replace("{}", text) for word in words[3:]],
                                      preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (1, 1))))

    def do_closed(self, words):
        """closed FD sinpos ...: with that standard stream closed."""
        return self.finish(self.start(words[2:], preexec_fn=lambda: os.close(int(words[0]))))

    def do_nobody(self, words):
        """nobody sinpos ...: without the rights of root."""
        def drop():
            if os.geteuid() == 0:
                os.setgroups([])
                os.setgid(65534)
                os.setuid(65534)
        try:
            return self.finish(self.start(words[1:], preexec_fn=drop))
        except (PermissionError, subprocess.SubprocessError):
            raise Skip("cannot run the program as another user")

    def do_pathless(self, words):
        """pathless sinpos ...: with the folder of the case alone on the PATH, so that no other program is found."""
        return self.finish(self.start(words[1:], env={"PATH": str(self.folder)}))

    def do_with(self, words):
        """with PROGRAM COMMAND: the command, which needs the program; skipped where that is missing."""
        if shutil.which(words[0]) is None:
            raise Skip(f"no {words[0]}")
        return getattr(self, "do_" + words[1].replace("-", "_"))(words[2:])

    def do_gnuplot(self, words):
        """gnuplot FILE: draws what the source says."""
        return self.finish(subprocess.Popen(["gnuplot", "-d", words[0]], cwd=self.folder, stdout=subprocess.PIPE,
                                            stderr=subprocess.PIPE))

    def do_interrupt(self, words):
        """interrupt SIGNAL sinpos ...: sends the signal once the unfinished file has grown."""
        number = getattr(signal, "SIG" + words[0])
        # whoever began the tests, nohup or a shell's background, may ignore it
        process = self.start(words[2:], preexec_fn=lambda: signal.signal(number, signal.SIG_DFL))
        deadline = time.monotonic() + TIMEOUT_S
        while not any(path.stat().st_size > 0 for path in self.folder.glob(".sinpos-*")):
            if process.poll() is not None or time.monotonic() > deadline:
                process.kill()
                raise Failed("ended before it could be interrupted: " + process.communicate()[1].decode())
            time.sleep(0.005)
        process.send_signal(number)
        return self.finish(process)

    def do_synced(self, words):
        """synced FOLDER sinpos ...: is the folder synced to the disk?"""
        folder, trace = self.path(words[0]).resolve(), self.path("trace")
        environment = {**os.environ, "ASAN_OPTIONS": "detect_leaks=0"}  # which traces too
        try:
            result = subprocess.run(["strace", "-f", "-y", "-e", "trace=fsync", "-o", trace, self.sinpos] + words[2:],
                                    cwd=self.folder, capture_output=True, timeout=TIMEOUT_S, env=environment)
            calls = trace.read_text()
        except OSError:
            raise Skip("strace does not run here")
        trace.unlink()
        if "fsync(" not in calls:
            raise Skip("strace cannot trace here")
        return Result(b"%s: %s\n" % (words[0].encode(), b"yes" if f"<{folder}>) = 0" in calls else b"no"),
                      result.stderr, result.returncode)

    def do_shrinking(self, words):
        """shrinking FILE N sinpos ...: cuts the file to N bytes while the program has it open; makes it whole again.

        A program that was faster than the cut runs again, as does one that had not even seen the size."""
        path = self.path(words[0]).resolve()
        whole = path.read_bytes()
        for _ in range(40):
            process = self.start(words[3:])
            opened = pathlib.Path(f"/proc/{process.pid}/fd")
            try:
                while process.poll() is None and path not in [link.resolve() for link in opened.iterdir()]:
                    time.sleep(0.0005)
            except FileNotFoundError:  # a file was closed, or the program ended, meanwhile
                pass
            time.sleep(0.01)
            os.truncate(path, int(words[1]))
            result = self.finish(process)
            path.write_bytes(whole)
            if result.code not in (0, 1) and b" where more must follow" in result.stderr:
                break
        return result

    # ------------------------------------------------------------------------------------ making files

    def do_copy(self, words):
        """copy NAME: brings a file of the data folder, or of one beside it, here."""
        own = self.data / words[0]
        shutil.copy(own if own.exists() else self.data.parent / words[0], self.folder)

    def do_as_float32(self, words):
        """as-float32 TYPE COLUMNS FROM TO: elements of bfloat16 or float16 without a header, as .npy of float32."""
        data, columns = self.path(words[2]).read_bytes(), int(words[1])
        if words[0] == "float16":
            values = struct.pack(f"<{len(data) // 2}f", *struct.unpack(f"<{len(data) // 2}e", data))
        else:
            values = b"".join(b"\0\0" + data[i:i + 2] for i in range(0, len(data), 2))
        header = "{'descr': '<f4', 'fortran_order': False, 'shape': (%d, %d), }" % (len(data) // 2 // columns, columns)
        header += " " * (-(len(header) + 11) % 64) + "\n"
        self.path(words[3]).write_bytes(b"\x93NUMPY\1\0" + struct.pack("<H", len(header)) + header.encode() + values)

    def do_npy(self, words):
        """npy FILE DESCR SHAPE [VALUES] [key=value ...]: an array, of zeros unless VALUES (1,2,nan) are given.

        version=2.0, order=True, header=TEXT in place of the dict, length=N in place of the header's length, cut=N
        bytes off the end, more=N bytes added, sparse=1."""
        options = dict(word.split("=", 1) for word in words[3:] if "=" in word)
        values = [word for word in words[3:] if "=" not in word]
        shape = tuple(int(n) for n in words[2].strip("()").split(",") if n.strip())
        text = options.get("header") or "{'descr': '%s', 'fortran_order': %s, 'shape': %r, }" % (
            words[1], options.get("order", "False"), shape)
        major, minor = (int(n) for n in options.get("version", "1.0").split("."))
        size_bytes = 2 if major == 1 else 4
        text = text.encode().decode("unicode_escape").encode("latin-1")
        text += b" " * (-(len(text) + 9 + size_bytes) % 64) + b"\n"
        head = b"\x93NUMPY" + bytes([major, minor])
        head += int(options.get("length", len(text))).to_bytes(size_bytes, "little") + text
        count = 1
        for n in shape:
            count *= n
        with open(self.path(words[0]), "wb") as file:
            if "sparse" in options:
                file.write(head)
                file.truncate(len(head) + count * int(words[1][2:]))
                return
            body = head + self.elements(words[1], count, values[0] if values else None)
            body = body[: len(body) - int(options.get("cut", 0))] + b"\0" * int(options.get("more", 0))
            file.write(body)

    @staticmethod
    def elements(descr, count, values):
        code = {"f8": "d", "f4": "f", "f2": "e", "i8": "q", "i4": "i", "i2": "h", "i1": "b", "u8": "Q", "u1": "B"}
        letter = code.get(descr[1:], "B")
        if values is None:
            return bytes(count * struct.calcsize(letter))
        number = float if letter in "dfe" else int
        packed = [number(value) for value in values.split(",")]
        return struct.pack((">" if descr[0] == ">" else "<") + str(len(packed)) + letter, *packed)

    def do_safetensors(self, words):
        """safetensors FILE HEADER N [length=L] [hex=DATA]: a header as it is, and N bytes of data."""
        options = dict(word.split("=", 1) for word in words[3:])
        header = words[1].encode().decode("unicode_escape").encode("latin-1")
        data = bytes.fromhex(options["hex"]) if "hex" in options else bytes(int(words[2]))
        length = int(options.get("length", len(header)))
        self.path(words[0]).write_bytes(length.to_bytes(8, "little") + header + data)

    def do_input(self, words):
        """input KIND NAME FILE: a named input of a fuzzer, of tests/fuzz/corpus/KIND."""
        corpus = pathlib.Path(__file__).resolve().parent.parent / "fuzz" / "corpus"
        shutil.copy(corpus / words[0] / words[1], self.path(words[2]))

    def do_model(self, words):
        """model PATH [layers=2 hidden=16 head=8 heads=4 kv=2 type=F32 bias=0 norm=0 style=hf fuse=NAME order=parts|groups]
        [KEY:VALUE ...]

        Attention weights as .gguf (keys go into its metadata), .safetensors, or a folder with two of them, an index
        and a config.json (of the keys)."""
        options = {"layers": 2, "hidden": 16, "head": 8, "heads": 4, "kv": 2, "type": "F32", "bias": 0, "norm": 0}
        options.update(word.split("=", 1) for word in words[1:] if "=" in word)
        keys = dict(word.split(":", 1) for word in words[1:] if "=" not in word)
        keys = {key: json.loads(value) if value[:1] in "0123456789-[{" else value for key, value in keys.items()}
        path = self.path(words[0])
        tensors = model_files.attention(
            *(int(options[name]) for name in ("layers", "hidden", "head", "heads", "kv")), options["type"],
            options.get("style", "gguf" if path.suffix == ".gguf" else "hf"), options["bias"] != 0, options["norm"] != 0)
        if "fuse" in options:
            tensors = model_files.fused(tensors, options["fuse"], options.get("order", "parts"), int(options["heads"]),
                                        int(options["kv"]))
        if path.suffix == ".gguf":
            path.write_bytes(model_files.gguf(list(keys.items()), tensors))
        elif path.suffix == ".safetensors":
            path.write_bytes(model_files.safetensors(tensors, {"format": "pt"}))
        else:
            self.model_folder(path, tensors, keys)

    def do_gguf_parts(self, words):
        """gguf-parts NAME N: NAME-00001-of-0000N.gguf and so on, with a tensor t1, t2, ... of one row of its number each."""
        n = int(words[1])
        for i in range(1, n + 1):
            keys = [("split.no", ("u16", i - 1)), ("split.count", ("u16", n)), ("split.tensors.count", ("i32", n))]
            row = struct.pack("<2f", i, i)
            part = model_files.gguf(([("general.architecture", "llama")] if i == 1 else []) + keys,
                                    [(f"t{i}", "F32", (1, 2), row)])
            self.path(f"{words[0]}-{i:05}-of-{n:05}.gguf").write_bytes(part)

    def do_split_gguf(self, words):
        """split-gguf NAME N: attention weights of N layers, a part for each."""
        n = int(words[1])
        tensors = model_files.attention(n, 16, 8, 4, 2, "F16", "gguf")
        keys = [("general.architecture", "llama"), ("llama.attention.head_count", 4),
                ("llama.attention.head_count_kv", 2)]
        for i in range(n):
            part = [tensor for tensor in tensors if tensor[0].startswith(f"blk.{i}.")]
            self.path(f"{words[0]}-{i + 1:05}-of-{n:05}.gguf").write_bytes(
                model_files.gguf((keys if i == 0 else []) + [("split.count", ("u16", n))], part))

    def do_remove(self, words):
        """remove FILE"""
        self.path(words[0]).unlink()

    @staticmethod
    def model_folder(path, tensors, keys):
        path.mkdir()
        places, half = {}, len(tensors) // 2
        for i, part in enumerate((tensors[:half], tensors[half:]), 1):
            name = f"model-0000{i}-of-00002.safetensors"
            (path / name).write_bytes(model_files.safetensors(part, {"format": "pt"}))
            places.update({tensor[0]: name for tensor in part})
        (path / "model.safetensors.index.json").write_text(json.dumps({"metadata": {}, "weight_map": places}))
        if keys:
            (path / "config.json").write_text(json.dumps(keys))

    def do_bytes(self, words):
        """bytes FILE HEX: a file of these bytes."""
        self.path(words[0]).write_bytes(bytes.fromhex("".join(words[1:])))

    def do_text(self, words):
        """text FILE TEXT: a file of this text; \\n begins a new line."""
        self.path(words[0]).write_text(words[1].replace("\\n", "\n"))

    def do_certificates(self, words):
        """certificates FILE N STEPS: N of 'sinpos base', all but the first of which take so many steps from the one before."""
        start = ('{"format": "sinpos base certificate 1", "context": 9, "tones": 1, "shift": 0, "divisor": 1, "scale": 1, '
                 '"constant": 0, "outcome": "open", "base_lower": 1, "base_upper": 0, "violated_at": 0, "robust_upper": 0, '
                 '"robust_lower": 0, "robust_violated_at": 0, "pool": [], "since_scan": 0, "reference": 0, ')
        count, steps = map(int, words[1:])
        first = start + '"steps": [' + ",".join(["[2,1]"] * steps) + "]}"
        self.path(words[0]).write_text("[" + ",".join([first] + [f'{start}"steps_before": {steps}, "steps": []}}'] * (count - 1))
                                       + "]")

    def do_edit(self, words):
        """edit FILE OLD NEW: replaces the first OLD, which must be there."""
        text = self.path(words[0]).read_text()
        if words[1] not in text:
            raise Failed(f"{words[1]} is not in {words[0]}")
        self.path(words[0]).write_text(text.replace(words[1], words[2], 1))

    def do_mkdir(self, words):
        """mkdir NAME [MODE]"""
        self.path(words[0]).mkdir()
        if len(words) > 1:
            self.path(words[0]).chmod(int(words[1], 8))

    def do_chmod(self, words):
        """chmod MODE NAME"""
        self.path(words[1]).chmod(int(words[0], 8))

    def do_symlink(self, words):
        """symlink TARGET NAME"""
        self.path(words[1]).symlink_to(words[0])

    # ------------------------------------------------------------------------------------- looking at files

    def do_ls(self, words):
        """ls [FOLDER [PATTERN]]: names and sizes, hidden ones too."""
        folder = self.path(words[0]) if words else self.folder
        lines = []
        for path in sorted(folder.glob(words[1]) if len(words) > 1 else folder.iterdir()):
            kind = " -> " + os.readlink(path) if path.is_symlink() else "/" if path.is_dir() else ""
            size = "" if path.is_dir() or path.is_symlink() else f" {path.stat().st_size}"
            lines.append(path.name + kind + size)
        return Result("".join(line + "\n" for line in lines).encode())

    def do_cat(self, words):
        """cat FILE"""
        return Result(self.path(words[0]).read_bytes())

    def do_hex(self, words):
        """hex FILE [FROM]: bytes as hex, 32 a line."""
        data = self.path(words[0]).read_bytes()[int(words[1]) if len(words) > 1 else 0:]
        rows = [data[i:i + 32].hex() for i in range(0, len(data), 32)]
        return Result("".join(row + "\n" for row in rows).encode())

    def do_same(self, words):
        """same A B [SKIP_A SKIP_B]: are the bytes of two files the same, headers apart?"""
        a, b = (self.path(word).read_bytes() for word in words[:2])
        skip = [int(word) for word in words[2:]] or [0, 0]
        return Result(code=0 if a[skip[0]:] == b[skip[1]:] else 1)

    def do_picture(self, words):
        """picture FILE: its kind and size, and the titles of .svg; fails where it is neither .png, .svg nor .pdf."""
        data = self.path(words[0]).read_bytes()
        if data[:8] == b"\x89PNG\r\n\x1a\n":
            text = "png %dx%d" % struct.unpack(">II", data[16:24])
        elif data[:5] == b"%PDF-":
            streams = re.findall(rb"stream\r?\n(.*?)endstream", data, re.DOTALL)  # where newer writers put it, compressed
            unpacked = b"".join(zlib.decompressobj().decompress(part) for part in streams if part[:1] == b"x")
            box = re.search(rb"/MediaBox\s*\[\s*0 0 ([0-9.]+) ([0-9.]+)\s*\]", data + unpacked)
            text = "pdf %sx%s" % (box[1].decode(), box[2].decode())
        else:
            whole = xml.dom.minidom.parseString(data).documentElement
            text = f"{whole.tagName} {whole.getAttribute('width')}x{whole.getAttribute('height')}"
            words = [f"\n{node.tagName}: {''.join(child.data for child in node.childNodes)}"
                     for name in ("title", "desc") for node in whole.getElementsByTagName(name)]
            text += "".join(dict.fromkeys(words))
        return Result(text.encode() + b"\n")

    def do_csv(self, words):
        """csv FILE ROW COLUMN ...: numbers of a file with a head of comments and names; rows count from 0."""
        rows = [line.split(",") for line in self.path(words[0]).read_text().splitlines() if line[:1] != "#"]
        lines = []
        for row, column in zip(map(int, words[1::2]), map(int, words[2::2])):
            if row + 1 >= len(rows) or column >= len(rows[0]):
                raise Failed(f"{len(rows) - 1} rows and {len(rows[0])} columns only")
            lines.append(f"{rows[0][column]} = {float(rows[1 + row][column]):.10g}\n")
        return Result(f"{len(rows) - 1} rows, {len(rows[0])} columns\n{''.join(lines)}".encode())

    def do_row(self, words):
        """row FILE VALUE COLUMN ...: of the row whose first number is nearest to VALUE."""
        rows = [line.split(",") for line in self.path(words[0]).read_text().splitlines() if line[:1] != "#"]
        own = min(rows[1:], key=lambda row: abs(float(row[0]) - float(words[1])))
        return Result("".join(f"{rows[0][int(j)]} = {float(own[int(j)]):.10g}\n" for j in words[2:]).encode())

    def do_range(self, words):
        """range FILE: the least and the largest number of each column."""
        rows = [line.split(",") for line in self.path(words[0]).read_text().splitlines() if line[:1] != "#"]
        lines = []
        for j, name in enumerate(rows[0]):
            values = [float(row[j]) for row in rows[1:] if row[j]]
            lines.append(f"{name}: {min(values):.10g} to {max(values):.10g}\n")
        return Result("".join(lines).encode())

    def do_lines(self, words):
        """lines FILE TEXT: the lines of a file in which the text stands."""
        return Result("".join(line + "\n" for line in self.path(words[0]).read_text().splitlines()
                              if words[1] in line).encode())

    def page_of(self, name):
        path = self.path(name)
        source = path.read_text(encoding="utf-8")
        page = Page(path.parent)
        page.feed(source)
        page.finish(source)
        return page

    def do_page(self, words):
        """page FILE: sections, tables and figures of a page; fails where it is not well formed, or needs the network."""
        page = self.page_of(words[0])
        if page.problems:
            raise Failed("; ".join(page.problems[:5]))
        lines = [f"{'  ' * (level - 1)}{text}\n" for level, text in page.headings]
        lines.append(f"{page.counts.get('table', 0)} tables, {page.counts.get('figure', 0)} figures\n")
        return Result("".join(lines).encode())

    def do_shows(self, words):
        """shows FILE TEXT ...: is each text to be read on the page?"""
        text = " ".join("".join(self.page_of(words[0]).text).split())
        return Result("".join(f"{word}: {'yes' if word in text else 'NO'}\n" for word in words[1:]).encode())

    def do_drawings(self, words):
        """drawings PAGE: how wide they are, for wide screens and for phones; fails where a text leaves one."""
        source = self.path(words[0]).read_text(encoding="utf-8")
        figures = re.findall(r"<figure>.*?</figure>", source, re.S)
        widths = {False: set(), True: set()}
        for drawing in (drawing for figure in figures for drawing in drawings.drawings_of(figure)):
            widths[drawings.is_narrow(drawing)].add(drawings.size_of(drawing)[0])
            outside = [text.says for text in drawings.texts_of(drawing) if text.is_outside()]
            if outside:
                raise Failed(f"outside of '{drawing.getAttribute('aria-label')}': {outside}")
        style = source[source.index("<style>"):source.index("</style>")]
        if any("drawing" in rule and "min-width" in rule for rule in style.split("}")):
            raise Failed("the style sheet makes drawings wider than screens")
        return Result(f"wide: {sorted(widths[False])}\nphone: {sorted(widths[True])}\n".encode())

    def do_scales(self, words):
        """scales PAGE FILE.csv: numbers of the y axis and of the colours, in each drawing with these numbers."""
        figure = drawings.figure_of(self.path(words[0]).read_text(encoding="utf-8"), words[1])
        return Result("".join(f"{' '.join(axis)} | {' '.join(colours)}\n" for axis, colours in
                              map(drawings.scale_of, drawings.drawings_of(figure))).encode())

    def do_stripes(self, words):
        """stripes PAGE FILE.csv: how far colours of columns side by side differ at the right, of 255."""
        lines = []
        figure = drawings.figure_of(self.path(words[0]).read_text(encoding="utf-8"), words[1])
        for drawing in drawings.drawings_of(figure):
            cells, width, height = drawings.image_of(drawing)
            lines.append(f"{len(cells)} x {len(cells[0])} cells of {height:.1f} x {width:.1f}, "
                         f"stripes of {drawings.stripes(cells)}\n")
        return Result("".join(lines).encode())

    def do_mode(self, words):
        """mode FILE: its permissions."""
        return Result(b"%o\n" % (self.path(words[0]).stat().st_mode & 0o7777))

    def do_json(self, words):
        """json KEY ... sinpos ...: the named members of the JSON object that it prints, A.B for members of members."""
        at = words.index("sinpos")
        result = self.do_sinpos(words[at + 1:])
        whole = json.loads(result.stdout)
        lines = []
        for key in words[:at]:
            value = whole
            for part in key.split("."):
                value = value[int(part)] if isinstance(value, list) else value[part]
            lines.append(f"{key} = {json.dumps(value)}\n")
        return Result("".join(lines).encode(), result.stderr, result.code)

    def do_csv_floats(self, words):
        """csv-floats FILE.csv FILE.npy: does every decimal read back as the float64 of the array?"""
        header = 128
        text = self.path(words[0]).read_text().replace("\n", ",").rstrip(",").split(",")
        values = struct.unpack(f"<{len(text)}d", self.path(words[1]).read_bytes()[header:])
        wrong = sum(struct.pack("<d", float(a)) != struct.pack("<d", b) for a, b in zip(text, values))
        longer = sum(len(a) > len(repr(b)) for a, b in zip(text, values))
        return Result(f"{len(text)} decimals, {wrong} wrong, {longer} longer than need be\n".encode())

    def do_compile(self, words):
        """compile FILE.c: with the C compiler and warnings as errors, then runs it."""
        compiler = shutil.which(os.environ.get("CC", "cc").split()[0])
        if compiler is None:
            raise Skip("no C compiler")
        made = subprocess.run([compiler, "-std=c11", "-Wall", "-Wextra", "-Werror", "-I.", "-o", "a.out", words[0]],
                              cwd=self.folder, capture_output=True)
        if made.returncode != 0:
            return Result(made.stdout, made.stderr, made.returncode)
        return self.finish(subprocess.Popen(EMULATOR + [self.folder / "a.out"], stdout=subprocess.PIPE, stderr=subprocess.PIPE))


# --------------------------------------------------------------------------------------------- cases

class Step:
    def __init__(self, line, number):
        self.line, self.number, self.expected = line, number, []


def parse(text):
    """A list of comments and blank lines, as they are, and of steps."""
    parts = []
    for number, line in enumerate(text.removesuffix("\n").split("\n"), 1):
        if line.startswith("$ "):
            parts.append(Step(line[2:], number))
        elif line == "" or line.startswith("#"):
            parts.append(line)
        elif line.startswith(("  ", "!", "[")) and parts and isinstance(parts[-1], Step):
            parts[-1].expected.append(line)
        else:
            raise SystemExit(f"line {number} is not a comment, a command or an output: {line}")
    return parts


# What long work prints every ten seconds: whether it is that long depends on the machine.
PROGRESS = re.compile(rb"^.+: \d+ % after \d+ s(, \S+ left)?\n", re.M)


def shown(result, folder):
    """What a command did, as it stands in a case."""
    lines = []
    for mark, data in (("  ", result.stdout), ("! ", PROGRESS.sub(b"", result.stderr))):
        text = data.decode("utf-8", "backslashreplace").replace(str(folder), "{folder}")
        lines += [mark + line for line in text.splitlines()]
    if result.code != 0:
        lines.append(f"[{result.code}]")
    return lines


def fits(expected, got):
    pattern = ".*".join(re.escape(part) for part in expected.rstrip(" ").split("{*}"))
    return re.fullmatch(pattern, got.rstrip(" ")) is not None


def same(expected, got):
    return len(expected) == len(got) and all(fits(e, g) for e, g in zip(expected, got))


def merge(expected, got):
    """The new output, with the old lines that still fit it kept for their {*}."""
    return [next((e for e in expected if "{*}" in e and fits(e, line)), line) for line in got]


def run_case(path, arguments):
    """Returns the number of failed steps."""
    parts = parse(path.read_text())
    failures = skips = 0
    folder = pathlib.Path(tempfile.mkdtemp(prefix="sinpos-cli-")).resolve()
    folder.chmod(0o755)
    try:
        session = Session(arguments.sinpos, arguments.data, folder)
        for step in (part for part in parts if isinstance(part, Step)):
            try:
                got = shown(session.run(step.line), folder)
            except Skip as why:
                print(f"{path.name}:{step.number}: skipped, {why}")
                skips += 1
                continue
            except (Failed, OSError, ValueError, KeyError) as why:
                got = [f"[failed: {why}]"]
            if arguments.update:
                step.expected = merge(step.expected, got)
            elif not same(step.expected, got):
                failures += 1
                print(f"{path.name}:{step.number}: $ {step.line}")
                print("".join(f"  wanted {line}\n" for line in step.expected), end="")
                print("".join(f"  got    {line}\n" for line in got), end="")
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    if arguments.update:
        lines = []
        for part in parts:
            lines += ["$ " + part.line] + part.expected if isinstance(part, Step) else [part]
        path.write_text("\n".join(lines).rstrip("\n") + "\n")
    if failures > 0:
        print(f"again: {sys.argv[0]} --sinpos {arguments.sinpos} --data {arguments.data} {path}")
    return failures


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--sinpos", required=True, type=lambda text: str(pathlib.Path(text).resolve()))
    parser.add_argument("--data", required=True, type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("--update", action="store_true")
    parser.add_argument("cases", nargs="+", type=pathlib.Path)
    arguments = parser.parse_args()
    os.umask(0o022)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)  # under nohup it is ignored, and so it would be by all that is run here
    failures = sum(run_case(path, arguments) for path in arguments.cases)
    return 1 if failures > 0 else 0


if __name__ == "__main__":
    sys.exit(main())
