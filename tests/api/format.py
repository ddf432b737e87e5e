#!/usr/bin/env python3
"""format.py SOURCE: C is laid out as .clang-format says, braces too. Exits 77 without clang-format 14."""
import pathlib
import re
import shutil
import subprocess
import sys

FOLDERS = ("src", "analysis", "formats", "common", "plot", "advise", "bench", "cli", "python", "examples", "tests")
PRINTED = {"colour_maps.h", "lab_verdicts.h", "polynomials.h", "wide_constants.h"}  # by gen/; the public headers align comments by hand


def main():
    source = pathlib.Path(sys.argv[1])
    tool = next((name for name in ("clang-format-14", "clang-format") if shutil.which(name)), None)
    version = subprocess.run([tool, "--version"], capture_output=True, text=True).stdout if tool else ""
    if not re.search(r"version 14\.", version):
        print(f"skipped: needs clang-format 14, found {version.strip() or 'none'}")
        return 77
    files = [path for folder in FOLDERS for path in sorted((source / folder).rglob("*.*"))
             if path.suffix in (".c", ".h", ".inc") and path.name not in PRINTED]
    done = subprocess.run([tool, "--dry-run", "-Werror", f"--style=file:{source / '.clang-format'}", *files],
                          capture_output=True, text=True)
    wrong = sorted(set(re.findall(r"^(\S+?):\d+:\d+: error", done.stderr, re.M)))
    for path in wrong:
        print(f"{path}: run clang-format -i on it")
    if done.returncode != 0 and not wrong:
        print(done.stderr)
    print(f"{len(files)} files, {len(wrong)} laid out otherwise")
    return 1 if done.returncode != 0 or len(files) < 300 else 0


if __name__ == "__main__":
    sys.exit(main())
