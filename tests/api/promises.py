#!/usr/bin/env python3
"""promises.py ROOT: every [Pn] of the headers stands in some test, and every function has Returns, Cost and Source.

Also: each function is in tests/api/symbols.txt or is of another library, and each header names no function twice.
"""
import pathlib
import re
import sys

COMMENT = re.compile(r"/\*(.*?)\*/", re.DOTALL)
FUNCTION = re.compile(r"SINPOS_API\b[^;{]*?\b(sinpos_\w+)\s*\(")


def groups(text):
    """(comment, [functions declared after it, before the next comment])"""
    text = re.sub(r"^\s*#.*?(?<!\\)$", "", text, flags=re.MULTILINE)
    marks = list(COMMENT.finditer(text))
    for mark, following in zip(marks, marks[1:] + [None]):
        end = following.start() if following else len(text)
        yield mark[1], FUNCTION.findall(text[mark.end():end])


def check_header(path):
    """The problems of one header, and the names of its functions."""
    problems, names = [], []
    for comment, functions in groups(path.read_text(encoding="utf-8")):
        for name in functions:
            if name in names:
                problems.append(f"{path.name}: {name} is declared twice")
            names.append(name)
            if f"{name}()" not in comment:
                problems.append(f"{path.name}: the comment above {name} does not name it")
            for field in ("Returns", "Cost", "Source", "Since"):
                if not re.search(rf"\b{field}\b", comment):
                    problems.append(f"{path.name}: {name} has no {field}")
    if not names:
        problems.append(f"{path.name}: no function found")
    return problems, names


def check_promises(root, header):
    promised = set(re.findall(r"\[P\d+\]", header.read_text(encoding="utf-8")))
    tested = set()
    for path in (root / "tests").rglob("*"):
        if path.suffix in {".c", ".h", ".sh", ".py"} and path.name != "promises.py":
            tested |= set(re.findall(r"\[P\d+\]", path.read_text(encoding="utf-8", errors="replace")))
    problems = [f"{tag} stands in no test" for tag in sorted(promised - tested)]
    problems += [f"{tag} stands in a test and is promised nowhere" for tag in sorted(tested - promised)]
    return problems + ([] if promised else [f"{header.name} promises nothing"])


def main():
    root = pathlib.Path(sys.argv[1])
    problems = check_promises(root, root / "include/sinpos.h")
    declared = {}
    for header in sorted((root / "include").glob("*.h")):
        found, names = check_header(header)
        problems += found
        library = header.name.replace("sinpos_conventions", "sinpos")  # part of the core's library
        symbols = root / "tests/api" / library.replace("sinpos", "symbols").replace(".h", ".txt")
        if symbols.exists():
            declared.setdefault(symbols, set()).update(names)
    for symbols, names in declared.items():
        listed = set(re.findall(r"^sinpos_\w+$", symbols.read_text(), re.MULTILINE))
        problems += [f"{n} is not in {symbols.name}" for n in sorted(names - listed)]
        problems += [f"{n} is in {symbols.name}, not in the headers" for n in sorted(listed - names)]
    for problem in problems:
        print("not ok -", problem)
    if not problems:
        print("ok 1 - every promise is tested, every function is described")
    return 1 if problems else 0


sys.exit(main())
