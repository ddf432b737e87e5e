#!/usr/bin/env python3
"""conventions-doc.py SINPOS [--check FILE]: prints docs/conventions.md, made from what the program knows.

With --check compares it with FILE and prints the first line that differs.
"""
import ast
import json
import struct
import subprocess
import sys
import textwrap

LAYOUTS = {
    ("afc", "sc"): "sin cos sin cos ...",
    ("afc", "cs"): "cos sin cos sin ...",
    ("acf", "sc"): "sines, cosines",
    ("acf", "cs"): "cosines, sines",
    ("fca", "sc"): "per frequency: sines, cosines of all axes",
    ("caf", "sc"): "sines of all axes, cosines of all axes",
    ("cfa", "sc"): "sines by frequency, cosines by frequency",
    ("cfa", "cs"): "cosines by frequency, sines by frequency",
    ("acf", "c"): "cosines only",
    ("afc", "c"): "cosines only",
}

HEAD = """\
# Conventions: who computes what

Every definition of a sinusoidal or rotary position encoding that sinpos knows by name: {n} of them. This page is made from the
catalogue that the program itself uses (`tools/conventions-doc.py`), each was compared with what the code of its source returns, and
a test compares this page with the program.

    sinpos conventions                       # a line for each
    sinpos conventions whisper_sinusoids     # one of them: parameters, formulas, weaknesses
    sinpos table --convention whisper_sinusoids --set length=1500 --set channels=384 -o table.npy
    sinpos identify table.npy                # which of them made this array, and how wrong is it?

Names may be written with any case, and with hyphens for underscores; other names for the same thing are found too.

## How to recognise one

`sinpos identify FILE` does all of this. By eye, on the first rows of a table of position 0, 1, 2, ...:

| look at | if you see | it is |
| --- | --- | --- |
| row of position 0 | 0 1 0 1 ... | sines and cosines side by side (interleaved) |
| | 0 0 ... 1 1 ... | halves, sines first |
| | 1 1 ... 0 0 ... | halves, cosines first |
| | all zeros | a padding row; positions begin after it |
| | 0.84 0.54 ..., no exact zeros | positions begin at 1 |
| row of position 1, last pair | sine = 1e-4 exactly | the last frequency is 1/base: divisor h - 1 ("shift 1": Tensor2Tensor, fairseq, whisper, DDPM) |
| | sine = 1e-4 b^(2/D), about 1.0746e-4 for D = 256 | the paper's divisor D/2 ("shift 0") |
| last column | 0 in every row | an odd width, padded |
| two columns that are equal | far apart by D/2 | cosines or sines of a rotary table, for half pairing |
| | side by side | a rotary table for adjacent pairs, or SAM 2's table |
| largest element | sqrt(2/D), D^-0.5 | MLX; x-transformers |
| columns that repeat over rows of a grid | first half changes with the column | width comes first: MAE, diffusers 2-D, whatever the variable names say |

## How to convert

Two conventions that differ only in the order of columns are one permutation apart: `sinpos convert IN --from C1 --to C2 -o OUT`. Weights
of q and k for half pairing and for adjacent pairs differ by a permutation of rows: `sinpos convert MODEL --from half --to pair -o OUT`. Two that differ in the
schedule (h - 1 against D/2) or in where positions begin cannot be converted: make the other table, and train again or live with the difference.

## As published

What is made is exact unless `--arithmetic` says otherwise: `--arithmetic published` replays the roundings of the source, step by step, so
that a model trained with its table can be served with that very table. Fields named "published" below are those steps;
[arithmetic.md](arithmetic.md) explains them, and what a replay cannot know.
"""


def run(program, *arguments):
    done = subprocess.run([program, *arguments], capture_output=True, text=True)
    return done.stdout.strip() if done.returncode == 0 else None


def one_line(formula):
    return " ".join(formula.split())


def role(convention, name):
    return [p["name"] for p in convention["parameters"] if p["role"] == name]


def layout(convention):
    d = convention["definition"]
    if "pairing" in d:
        words = {"half": "pairs j, j + n", "pair": "pairs 2j, 2j + 1"}
        pairs = words.get(d["pairing"].strip("'"), "`" + d["pairing"] + "`")
        return pairs + (" within blocks" if "pairs in blocks of" in d else "")
    key = (d.get("nesting", "afc"), d.get("components", "sc"))
    return LAYOUTS.get(key, ", ".join("`" + k + "`" for k in key))


def frequency(convention):
    d = convention["definition"]
    parts = []
    if "theta_i in turns" in d:
        parts.append("2 pi × `" + d["theta_i in turns"] + "`")
    if "theta_i" in d:
        parts.append("`" + d["theta_i"] + "`")
    return one_line(" or ".join(parts)).replace("|", "\\|")


def first_position(convention):
    d = convention["definition"]
    if "positions" in d and "length" not in d and "grid" not in d:
        return "given"
    if "grid" in d:
        return "grid"
    return "`" + d.get("start", "0") + "`"


def last_columns(program, arguments):
    """The last column of a float64 table, and the number of columns; None where the program refuses."""
    done = subprocess.run([program, *arguments, "-o", "-", "--quiet"], capture_output=True)
    if done.returncode != 0:
        return None
    header_bytes = 10 + struct.unpack("<H", done.stdout[8:10])[0]
    shape = ast.literal_eval(done.stdout[10:header_bytes].decode().strip())["shape"]
    data = done.stdout[header_bytes:]
    values = struct.unpack("<%dd" % (len(data) // 8), data)
    return values[shape[-1] - 1 :: shape[-1]], shape[-1]


def width_policy(program, convention):
    """What an odd width does, seen by asking for one."""
    if not role(convention, "dim") or role(convention, "grid") or "pairing" in convention["definition"]:
        return ""
    arguments = ["table", "--convention", convention["name"], "--dim", "15", "--type", "f64"]
    arguments += ["--length", "3"] if role(convention, "length") else ["--positions", "1,2,3"]
    answer = last_columns(program, arguments)
    if answer is None:
        return "refused"
    column, width = answer
    if width != 15:
        return "one column %s" % ("more" if width > 15 else "less")
    if len(set(column)) == 1:
        return "last column %g" % column[0]
    is_single = convention["definition"].get("components") in ("s", "c")
    return "" if is_single else "last column without a partner"


def signature(program, convention):
    """Bytes of a small table, the same for conventions that agree."""
    if not role(convention, "dim") or role(convention, "grid") or convention["apart"]:
        return None
    arguments = ["table", "--convention", convention["name"], "--dim", "16", "--type", "f64", "--hash"]
    if "pairing" in convention["definition"]:
        arguments += ["--set", 'output="cis"']
    for places in (["--length", "6"], ["--positions", "0,1,2,3,4,5"]):
        answer = run(program, *arguments, *places)
        if answer is not None:
            return answer, "pairing" in convention["definition"]
    return None


def same_bytes(program, conventions):
    groups = {}
    for c in conventions:
        key = signature(program, c)
        if key is not None:
            groups.setdefault(key, []).append(c)
    lines = ["## Who agrees with whom", "",
             "Conventions whose encodings of positions 0 to 5 in 16 columns, everything else left at its default, are the same bytes.",
             "Tables first, then rotations (their angles; how they pair columns stands in the table below).", "",
             "| columns | frequencies | conventions |", "| --- | --- | --- |"]
    for (_, rotary), members in sorted(groups.items(), key=lambda g: (g[0][1], -len(g[1]), g[1][0]["name"])):
        what = "rotary" if rotary else layout(members[0])
        names = ", ".join("[%s](#%s)" % (c["name"], c["name"]) for c in members)
        lines.append("| %s | %s | %s |" % (what, frequency(members[0]), names))
    return lines


def table_of_all(program, conventions):
    lines = ["## All of them", "",
             "Frequencies are in radians per unit of position; i counts them from 0 (per axis, a), n is their number, A the number of axes.", "",
             "| convention | of | columns | frequencies | positions | odd width |", "| --- | --- | --- | --- | --- | --- |"]
    for c in conventions:
        lines.append("| [%s](#%s) | %s | %s | %s | %s | %s |" % (
            c["name"], c["name"], c["repository"], layout(c), frequency(c), first_position(c), width_policy(program, c)))
    return lines


def default_text(p):
    return "needed" if p["default"] is None and "default" not in p else json.dumps(p["default"])


def section(c):
    lines = ["### " + c["name"], "", c["summary"] + ".", ""]
    lines.append("Source: %s, `%s`, %s." % (c["repository"], c["path"], c["function"]))
    if c["aliases"]:
        lines.append("Also found as " + ", ".join(c["aliases"].split()) + ".")
    lines.append("")
    if c["parameters"]:
        lines += ["| parameter | default | meaning |", "| --- | --- | --- |"]
        for p in c["parameters"]:
            general = " (`--%s`)" % p["role"] if p["role"] else ""
            lines.append("| %s | %s | %s%s |" % (p["name"], default_text(p), p["meaning"].replace("|", "\\|"), general))
        lines.append("")
    if c["definition"]:
        lines += ["| field | formula |", "| --- | --- |"]
        for name, text in c["definition"].items():
            lines.append("| %s | `%s` |" % (name, one_line(text).replace("|", "\\|")))
        lines.append("")
    if c["weaknesses"]:
        lines += ["Weaknesses: " + c["weaknesses"], ""]
    if c["apart"]:
        lines += ["Needs more than positions: " + c["apart"], ""]
    return lines


def wrapped(lines):
    """Prose in lines of at most 120 columns; tables, headings and commands stay."""
    done, prose = [], []
    for line in lines + [""]:
        if line and not line.startswith(("|", "#", "    ")):
            prose.append(line)
            continue
        done += textwrap.wrap(" ".join(prose), 120, break_long_words=False, break_on_hyphens=False) + [line]
        prose = []
    return done


def page(program):
    conventions = json.loads(run(program, "conventions", "--json"))["conventions"]
    lines = HEAD.format(n=len(conventions)).split("\n")
    lines += same_bytes(program, conventions) + [""]
    lines += table_of_all(program, conventions) + [""]
    lines += ["## One by one", ""]
    for c in conventions:
        lines += section(c)
    return "\n".join(line.rstrip() for line in wrapped(lines)).rstrip() + "\n"


def main():
    program = sys.argv[1]
    text = page(program)
    if "--check" not in sys.argv:
        sys.stdout.write(text)
        return 0
    with open(sys.argv[sys.argv.index("--check") + 1], encoding="utf-8") as file:
        kept = file.read()
    if kept == text:
        print("ok 1 - the page is what the program knows")
        return 0
    for number, (a, b) in enumerate(zip(kept.split("\n"), text.split("\n")), 1):
        if a != b:
            print("not ok 1 - line %d is\n%s\nand should be\n%s" % (number, a, b))
            break
    else:
        print("not ok 1 - lengths differ")
    print("python3 tools/conventions-doc.py build/release/cli/sinpos > docs/conventions.md")
    return 1


if __name__ == "__main__":
    sys.exit(main())
