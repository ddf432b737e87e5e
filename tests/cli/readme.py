#!/usr/bin/env python3
"""readme.py --sinpos PROGRAM --cc COMPILER --include FOLDER --library FILE [--brief]: runs the README's examples in C and shell.

The program in C must print the elements of the table that the first command writes. tests/python/test_pages.py runs the
example in Python. --brief leaves out commands that take seconds; cases of report and base run smaller ones.
"""
import argparse
import json
import math
import pathlib
import re
import shlex
import struct
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
CONFIG = {"model_type": "llama", "hidden_size": 4096, "num_attention_heads": 32, "rope_theta": 500000.0,
          "max_position_embeddings": 8192}


SLOW = ("report", "base")


def section(name):
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    return re.search(rf"^## {name}\n(.*?)^## ", text, re.M | re.S)[1]


def npy(path, *shape):
    """A float32 array of ones."""
    head = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}, }}"
    head = (head + " " * (-(len(head) + 11) % 64) + "\n").encode()
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head + struct.pack("<f", 1) * math.prod(shape))


def run(command, folder):
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"not ok - {shlex.join(command)}: exit {done.returncode}\n{done.stderr}")
    return done.stdout


def last_row(table):
    """The first two elements of the last row, as the program in C prints them."""
    row = table.read_bytes()[-768 * 4:]
    return "{:.9g} {:.9g}\n".format(*struct.unpack("<2f", row[:8]))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for option in ("--sinpos", "--cc", "--include", "--library"):
        parser.add_argument(option, required=True)
    parser.add_argument("--brief", action="store_true")
    given = parser.parse_args()
    program, library = pathlib.Path(given.sinpos).absolute(), pathlib.Path(given.library).absolute()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        npy(folder / "embeddings.npy", 100, 768)
        npy(folder / "q.npy", 50, 32, 128)
        (folder / "config.json").write_text(json.dumps(CONFIG))
        (folder / "mine.npy").write_bytes((ROOT / "tests/data/golden/whisper_sinusoids__c16.npy").read_bytes())
        (folder / "theirs.npy").write_bytes((ROOT / "tests/data/golden/whisper_sinusoids__c16.npy").read_bytes())
        commands = re.findall(r"^    sinpos (.*?)(?: +# .*)?$", section("On the command line"), re.M)
        assert len(commands) >= 10, commands
        wrong = {"identify", "audit", "diff"}  # these report wrong elements by exit code 1
        for command in commands:
            words = shlex.split(command)
            if given.brief and words[0] in SLOW:
                continue
            done = subprocess.run([program, *words], cwd=folder, capture_output=True, text=True)
            if done.returncode not in ((0, 1) if words[0] in wrong else (0,)):
                sys.exit(f"not ok - sinpos {command}: exit {done.returncode}\n{done.stderr}")
            print(f"ok - sinpos {command}")
        (folder / "example.c").write_text(re.search(r"^```c\n(.*?)^```", section("In C"), re.M | re.S)[1])
        run([*shlex.split(given.cc), "-std=c11", "-Wall", "-Werror", "-I", given.include, "example.c", str(library), "-lm",
             "-lpthread", "-o", "example"], folder)
        printed, wanted = run(["./example"], folder), last_row(folder / "table.npy")
        if printed != wanted:
            sys.exit(f"not ok - example.c printed {printed!r}, and the table has {wanted!r}")
        print("ok - example.c")


main()
