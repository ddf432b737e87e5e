#!/usr/bin/env python3
"""mistakes.py CATALOGUE_PY: what is wrong in conventions/*.toml is reported with its file, convention and key."""
import pathlib
import subprocess
import sys
import tempfile

GOOD = """
[functions]
"half(x)" = "x / 2"
"turn(x, i)" = "half(x) * i"

[one]
summary = "s"
count = "half({dim})"
theta = "10000^(-i / n)"
nest = "afc"
coordinates = ["g0"]
refuse."{dim} % 2 == 1" = "{dim} must be even"
parameters.dim = { default = 8, role = "dim", means = "columns" }
let.h = "half({dim})"

[two]
like = "one"
without = ["refuse", "let.h"]
theta = "turn(1, i)"

[forms.halves]
nest = "acf"
width = "{dim}"

[heir]
like = ["one", "halves"]
parameters.columns = { default = 8, role = "dim", means = "columns" }
"""

# What is replaced, by what, and what must be said.
MISTAKES = [
    ('theta = "10000^(-i / n)"', 'theta = "10000^(-i / n"', "one: theta: ')' is missing"),
    ('theta = "10000^(-i / n)"', 'theta = "10000 i"', "one: theta: unexpected 'i'"),
    ('theta = "10000^(-i / n)"', 'theta = "10000 $ i"', "one: theta: unexpected '$ i'"),
    ('theta = "10000^(-i / n)"', 'theta = "1 +"', "one: theta: something is missing"),
    ('theta = "10000^(-i / n)"', 'theta = "n ? 1"', "one: theta: ':' is missing"),
    ('theta = "10000^(-i / n)"', 'theta = 3', "one: theta: must be a text"),
    ('theta = "10000^(-i / n)"', 'theat = "1"', "one: theat: unknown key"),
    ('count = "half({dim})"', 'count = "third(dim)"', "one: count: there is no function third()"),
    ('count = "half({dim})"', 'count = "half(dim, 2)"', "one: count: half() takes 1 arguments, not 2"),
    ('coordinates = ["g0"]', 'coordinates = ["g0", "g1)"]', "one: coordinates: unexpected ')'"),
    ('coordinates = ["g0"]', 'coordinates."G ==" = ["g0"]', "one: coordinates: something is missing"),
    ('refuse."{dim} % 2 == 1"', 'refuse."dim % 2 == "', "one: refuse: something is missing"),
    ('refuse."{dim} % 2 == 1" = "{dim} must be even"', 'refuse = [{ if = "1", say = "no" }]', "one: refuse: must be a table"),
    ('role = "dim"', 'role = "width"', "one: parameters.dim: role must be one of"),
    (', means = "columns"', "", "one: parameters.dim: has means"),
    ('let.h = "half({dim})"', 'let.h = "half dim"', "one: let.h: unexpected 'dim'"),
    ('like = "one"', 'like = "three"', "two: like: there is no convention three"),
    ('like = "one"', 'like = "two"', "two: like: there is no convention two"),
    ('"let.h"', '"let.g"', "two: without: the parent has no let.g"),
    ('width = "{dim}"', 'width = "{base}"', "heir: width: no parameter has the role base"),
    ('"halves"]', '"half"]', "heir: like: there is no convention half"),
    ('"half(x)"', '"half"', "functions: half: must be name(a, b)"),
    ('"half(x) * i"', '"half(x) * p"', "functions: turn: p must be an argument of turn()"),
    ('"half(x) * i"', '"half(x * i"', "functions: turn: ')' is missing"),
    ('summary = "s"', 'aliases = ["other"]', "one: aliases: must be a text"),
    ("[two]", "[one]", "catalogue"),
    ('summary = "s"', "summary = s", "catalogue"),
]


def run(script, text, folder):
    source, out = folder / "family.toml", folder / "out.c"
    out.unlink(missing_ok=True)
    source.write_text(text, encoding="utf-8")
    done = subprocess.run([sys.executable, script, out, source], capture_output=True, text=True, check=False)
    return done.returncode, done.stderr, out.exists()


def main(script):
    failed = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        cases = [("", "", None), *MISTAKES]
        print(f"1..{len(cases)}")
        for number, (old, new, said) in enumerate(cases, 1):
            assert old in GOOD
            code, errors, written = run(script, GOOD.replace(old, new, 1), folder)
            ok = (code, errors, written) == (0, "", True) if said is None else \
                code == 1 and not written and said in errors and ("family.toml" in errors) and errors.count("\n") == 1
            failed += not ok
            print(f"{'ok' if ok else 'not ok'} {number} - {said or 'a good file'}")
            if not ok:
                print(f"# exit {code}: {errors}")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
