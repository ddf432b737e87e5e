#!/usr/bin/env python3
"""promises.py ROOT [--build FOLDER [--partial]] [--log FILE]: what the headers promise is tested.

The headers: every function has Returns, Cost, Source and Since, is named once, and is in symbols.txt.
The promises [Pn] of sinpos.h: each has tests in promises.toml, and a deliberate fault in tests/mutants.
--build: the tests that are named there exist in a build by Meson, and their programs have those cases. --partial: the build
lacks cmocka or MPFR, and so tests.
--log: Meson's testlog.json. Each promise was tested in that run: every case made assertions, every program comparisons.
"""
import argparse
import json
import os
import pathlib
import re
import subprocess
import sys

try:
    import tomllib
except ImportError:
    print("1..0 # SKIP tomllib came with Python 3.11")
    sys.exit(77)

COMMENT = re.compile(r"/\*(.*?)\*/", re.DOTALL)
FUNCTION = re.compile(r"SINPOS_API\b[^;{]*?\b(sinpos_\w+)\s*\(")
DECLARATION = re.compile(r"SINPOS_API\b[^;{]*?\b(sinpos_\w+)\s*\(([^;]*)\)\s*;")
TAG = re.compile(r"\[(P\d+)\]")
CORE = ("sinpos.h", "sinpos_conventions.h")


def groups(text):
    """(comment, [functions declared after it, before the next comment])"""
    text = re.sub(r"^\s*#.*?(?<!\\)$", "", text, flags=re.MULTILINE)
    marks = list(COMMENT.finditer(text))
    for mark, following in zip(marks, marks[1:] + [None]):
        end = following.start() if following else len(text)
        yield mark[1], FUNCTION.findall(text[mark.end():end])


def check_header(root, path):
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
    for example in re.findall(r"Example: *([\w/.]+?)\.?\s", path.read_text(encoding="utf-8")):
        if not (root / example).exists():
            problems.append(f"{path.name}: there is no {example}")
    if not names and path.parent.name == "include":
        problems.append(f"{path.name}: no function found")
    return problems, names


def check_headers(root):
    problems, declared = [], {}
    for header in sorted((root / "include").rglob("*.h")):
        found, names = check_header(root, header)
        problems += found
        is_part = header.parent.name == "sinpos_analysis"
        library = "sinpos_analysis.h" if is_part else header.name.replace("sinpos_conventions", "sinpos")  # in the core
        symbols = root / "tests/api" / library.replace("sinpos", "symbols").replace(".h", ".txt")
        if symbols.exists():
            declared.setdefault(symbols, set()).update(names)
    for symbols, names in declared.items():
        listed = set(re.findall(r"^sinpos_\w+$", symbols.read_text(), re.MULTILINE))
        problems += [f"{n} is not in {symbols.name}" for n in sorted(names - listed)]
        problems += [f"{n} is in {symbols.name}, not in the headers" for n in sorted(listed - names)]
    return problems


def check_boundaries(root):
    """Every function of the headers begins with BOUNDARY, in every file that defines it."""
    problems, defined = [], set()
    declared = {function for header in (root / "include").rglob("*.h")
                for function, _ in DECLARATION.findall(COMMENT.sub("", header.read_text(encoding="utf-8")))}
    for path in [path for folder in ("src", "analysis", "formats") for path in (root / folder).rglob("*.c")]:
        text = path.read_text(encoding="utf-8")
        for function, first in re.findall(r"^(?!static)[\w *]*?\b(sinpos_\w+)\([^;{}]*\)\n\{\n *(.*)$", text, re.MULTILINE):
            if function in declared:
                defined.add(function)
                if first != "BOUNDARY;":
                    problems.append(f"{path.name}: {function}() does not begin with BOUNDARY")
    return problems + [f"{function} is defined nowhere" for function in sorted(declared - defined)]


def function_sets(root):
    """The functions that stand for {every}, {writing} and {work}."""
    sets = {"every": set(), "writing": set(), "work": set(), "analysis": set(), "formats": set()}
    for library in ("analysis", "formats"):
        for header in [root / f"include/sinpos_{library}.h", *(root / f"include/sinpos_{library}").glob("*.h")]:
            text = COMMENT.sub("", header.read_text(encoding="utf-8"))
            sets[library] |= {function for function, _ in DECLARATION.findall(text)}
    for name in CORE:
        text = COMMENT.sub("", (root / "include" / name).read_text(encoding="utf-8"))
        for function, parameters in DECLARATION.findall(text):
            sets["every"].add(function)
            if re.search(r"\b(void|double) \*(out|x)\b", parameters):
                sets["writing"].add(function)
            if name == "sinpos.h" and re.search(r"\bvoid \*(out|x)\b", parameters):
                sets["work"].add(function)
    return sets


def expand(cases, sets):
    for case in cases:
        word = re.search(r"\{(\w+)\}", case)
        if word is None:
            yield case
        else:
            yield from (case.replace(word[0], function) for function in sorted(sets[word[1]]))


def read_promises(root):
    """{promise: {test: [case, ...] or None}}"""
    sets = function_sets(root)
    problems = [f"no function for {{{name}}}" for name, functions in sets.items() if not functions]
    tests = tomllib.loads((root / "tests/api/promises.toml").read_text(encoding="utf-8"))
    promises = {promise: {test: None if cases == "comparisons" else list(expand(cases, sets))
                          for test, cases in named.items()} for promise, named in tests.items()}
    promised = set(TAG.findall((root / "include/sinpos.h").read_text(encoding="utf-8")))
    problems += [f"{p} has no test in promises.toml" for p in sorted(promised - {p for p, t in promises.items() if t})]
    problems += [f"{p} is in promises.toml and is promised nowhere" for p in sorted(set(promises) - promised)]
    problems += [f"{p}: {test} has no cases" for p, named in promises.items() for test, cases in named.items()
                 if cases == []]
    for path in (root / "tests").rglob("*"):
        if path.suffix in {".c", ".h", ".sh", ".py"}:
            tags = set(TAG.findall(path.read_text(encoding="utf-8", errors="replace")))
            problems += [f"{path.name} speaks of {tag}, which is promised nowhere" for tag in sorted(tags - promised)]
    return problems + ([] if promised else ["sinpos.h promises nothing"]), promises


def check_faults(root, promises):
    with_fault = set()
    for path in (root / "tests/mutants").glob("*.toml"):
        faults = tomllib.loads(path.read_text(encoding="utf-8")).get("fault", [])
        with_fault |= {fault["promise"] for fault in faults if "promise" in fault}
    return [f"{p} has no deliberate fault in tests/mutants" for p in sorted(set(promises) - with_fault)]


def cases_of(command):
    environment = dict(os.environ, SINPOS_LIST_CASES="1")
    run = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60)
    return set(run.stdout.splitlines()) if run.returncode == 0 else set()


def check_build(promises, folder, is_partial):
    """Do the tests and their cases exist?"""
    tests = json.loads((folder / "meson-info/intro-tests.json").read_text(encoding="utf-8"))
    programs = {test["name"]: test["cmd"] for test in tests}
    named = {test for tests in promises.values() for test, cases in tests.items() if cases is not None}
    known = {test: cases_of(programs[test]) for test in named & set(programs)}
    problems = []
    for promise, tests in promises.items():
        for test, cases in tests.items():
            if test in programs:
                problems += [f"{promise}: {test} has no case '{c}'" for c in cases or () if c not in known[test]]
            elif not is_partial:
                problems.append(f"{promise}: no test is named {test}")
    return problems


def read_log(path):
    """{test: (result, {case: assertions}, comparisons)}"""
    tests = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        entry = json.loads(line)
        output = entry.get("stdout", "") or ""
        counts = {name: int(n) for name, n in re.findall(r"^# (.+): (\d+) assertions$", output, re.MULTILINE)}
        comparisons = re.findall(r"^# (\d+) comparisons$", output, re.MULTILINE)
        tests[entry["name"].split(" / ")[-1]] = entry["result"], counts, sum(map(int, comparisons))
    return tests


def check_log(promises, tests):
    """Did they run and assert something?"""
    problems, ran = [], {}
    for promise, named in promises.items():
        ran[promise] = 0
        for test, cases in named.items():
            if test not in tests or tests[test][0] == "SKIP":
                continue
            result, counts, comparisons = tests[test]
            if result != "OK":
                problems.append(f"{promise}: {test}: {result}")
            elif cases is None and comparisons == 0:
                problems.append(f"{promise}: {test} compared nothing")
            else:
                problems += [f"{promise}: {test}: case '{c}' asserted nothing" for c in cases or () if not counts.get(c)]
                ran[promise] += 1 if cases is None else sum(c in counts for c in cases)
    problems += [f"{promise}: nothing was tested in this run" for promise, n in ran.items() if n == 0]
    return problems, ", ".join(f"{promise} by {n}" for promise, n in ran.items())


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("--build", type=pathlib.Path)
    parser.add_argument("--partial", action="store_true")
    parser.add_argument("--log", type=pathlib.Path)
    options = parser.parse_args()
    problems, promises = read_promises(options.root)
    said = "every promise has tests, every function is described"
    if options.log:
        found, said = check_log(promises, read_log(options.log))
        problems += found
        said = f"every promise was tested: {said}"
    else:
        problems += check_headers(options.root) + check_faults(options.root, promises) + check_boundaries(options.root)
        if options.build:
            problems += check_build(promises, options.build, options.partial)
    for problem in problems:
        print("not ok -", problem)
    if not problems:
        print("ok 1 -", said)
    return 1 if problems else 0


sys.exit(main())
