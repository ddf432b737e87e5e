#!/usr/bin/env python3
"""amalgamate.py OUT CATALOGUE [DEPENDENCIES]: writes OUT/sinpos.c, the whole library in one file to vendor, and its headers.

CATALOGUE is the C file that catalogue.py made of conventions/*.toml: who vendors the result needs no Python.

It compiles with one bare line, "cc -O2 -c sinpos.c": what src/meson.build says with flags is said here with pragmas.
Each source becomes a section. What only the core may call becomes static, and a name that two sections define gets the
section's name as an ending.
"""
import collections
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SOURCE = ROOT / "src"

# Kernels by instruction set: the processor, and the options of the compiler. Scalar stands first: it runs anywhere.
ISAS = {
    "scalar": (None, None),
    "avx2": ("__x86_64__", "avx2,fma,f16c"),
    "avx512": ("__x86_64__", "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c"),
    "avx512_bf16": ("__x86_64__", "avx512bf16,avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c"),
    "neon": ("__aarch64__", None),
}
# System headers that only one processor has.
PROCESSOR = {"immintrin.h": "__x86_64__", "xmmintrin.h": "__x86_64__", "emmintrin.h": "__x86_64__",
             "cpuid.h": "__x86_64__", "x86intrin.h": "__x86_64__", "arm_neon.h": "__aarch64__"}

HEADERS = ("sinpos.h", "sinpos_conventions.h")

TOP = """/*
 * sinpos {version} in one file, made by gen/amalgamate.py. Put it, sinpos.h and sinpos_conventions.h into your project and compile it with
 *
 *     cc -O2 -c sinpos.c          gcc 12, clang 14 or newer; link with -lm -lpthread
 *
 * Its bytes are those of the library, whatever the optimisation.
 *
{license}
 */
#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE /* sched_getaffinity() */
#endif
#ifdef __FAST_MATH__
#error "fast-math changes the bits: compile this file without it"
#endif

/* No contraction of a * b + c. (clang overrules this with -ffp-contract=fast: leave that away for this file.) */
#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wunused-function"
#pragma clang diagnostic ignored "-Wpass-failed"
#else
#pragma GCC push_options
#pragma GCC optimize("fp-contract=off", "no-math-errno")
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#endif
"""

BOTTOM = """
#if defined(__clang__)
#pragma clang diagnostic pop
#else
#pragma GCC diagnostic pop
#pragma GCC pop_options
#endif
"""

KERNEL = """#if !defined(__clang__)
#pragma GCC push_options
#if defined(__OPTIMIZE__)
#pragma GCC optimize("O3")
#endif
#endif
{text}
#if !defined(__clang__)
#pragma GCC pop_options
#endif
"""

TARGET = """#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("{flags}"))), apply_to = function)
#else
#pragma GCC target("{flags}")
#endif
{text}
#if defined(__clang__)
#pragma clang attribute pop
#endif
"""

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]+(?:"([^"]+)"|<([^>]+)>)[^\n]*\n', re.MULTILINE)
FEATURE = re.compile(r"^#define (_\w+_SOURCE)\b[^\n]*\n", re.MULTILINE)
FLAGS_GUARD = re.compile(r'^#if !?defined[^\n]*\n#error "build this file[^\n]*\n#endif\n', re.MULTILINE)
CALL = re.compile(r"^[A-Z][A-Z_]*\((\w+)[^;{}\n]*\)$", re.MULTILINE)  # a macro that makes a definition of its argument
TOKEN = re.compile(
    r"(?P<skip>\s+|//[^\n]*|/\*.*?\*/|^[ \t]*#(?:[^\n]*\\\n)*[^\n]*\n|" + CALL.pattern.replace("(\\w+)", "\\w+") + ")"
    r'|"(?:\\.|[^"\\\n])*"' r"|'(?:\\.|[^'\\\n])*'|[A-Za-z_]\w*|\.?\d(?:[eEpP][-+]|[\w.])*|->|.",
    re.DOTALL | re.MULTILINE)
NAME = re.compile(r"[A-Za-z_]\w*$")
ONCE = "#pragma once\n"
ATTRIBUTES = {"__attribute__", "vector_size", "sizeof", "ALIGNED", "_Alignas", "_Static_assert", "__extension__", "format", "printf"}


def read(path):
    return path.read_text(encoding="utf-8")


def declarations(text):
    """The declarations outside of braces: (offset, their tokens, function bodies left out)."""
    depth, start, tokens = 0, None, []
    for match in TOKEN.finditer(text):
        if match["skip"]:
            continue
        token = match[0]
        start = match.start() if start is None else start
        is_body = token == "{" and depth == 0 and tokens[-1:] == [")"]
        tokens += [token] if depth == 0 or "enum" in tokens[:2] else []
        depth += (token == "{") - (token == "}")
        if is_body:
            tokens[-1] = "BODY"
        if depth == 0 and (token == ";" or token == "}" and "BODY" in tokens):
            yield start, tokens
            start, tokens = None, []


def defined(tokens):
    """The names that a declaration gives to something."""
    names = set()
    for i, token in enumerate(tokens[:-1]):
        if token in ("struct", "union", "enum") and tokens[i + 2: i + 3] == ["{"] and NAME.match(tokens[i + 1]):
            names.add(tokens[i + 1])
    if "enum" in tokens[:2]:
        inside = tokens[tokens.index("{") + 1: tokens.index("}")] if "}" in tokens else []
        names.update(t for i, t in enumerate(inside) if NAME.match(t) and (i == 0 or inside[i - 1] == ","))
        tokens = tokens[tokens.index("}"):] if "}" in tokens else tokens
    for i, token in enumerate(tokens[:-1]):
        follows = tokens[i + 1]
        if NAME.match(token) and token not in ATTRIBUTES and follows in ("(", "=", "[", ";", ","):
            names.add(token)
            break
    return names


def definitions(text, only_static=False):
    return {name for _, tokens in declarations(text) if not only_static or {"static", "ALWAYS_INLINE"} & set(tokens)
            or tokens[0] in ("typedef", "enum", "struct") for name in defined(tokens)} | set(CALL.findall(text))


def static_functions(text):
    return {name for _, tokens in declarations(text) if tokens[0] == "static" and "BODY" in tokens for name in defined(tokens)}


def make_static(text, wanted):
    """Prefixes "static" to the declarations for which wanted(tokens) holds."""
    for start, tokens in reversed(list(declarations(text))):
        if wanted(tokens):
            rest = text[start:]
            text = text[:start] + "static " + (rest[len("extern "):] if rest.startswith("extern ") else rest)
    return text


def is_private(tokens):
    """Declared in a header of the core, and not a type or already static."""
    if tokens[0] in ("typedef", "static", "ALWAYS_INLINE", "_Static_assert", "__extension__"):
        return False
    return not (tokens[0] in ("struct", "union", "enum") and ("{" in tokens or len(tokens) == 3))


def is_object(tokens):
    return tokens[0] == "extern" and "(" not in tokens


def rename(text, names, ending):
    """Gives names the ending, members of structures aside."""
    out, before = [], ""
    for match in TOKEN.finditer(text):
        token = match[0]
        if match["skip"]:
            if token.lstrip().startswith("#") or CALL.match(token):
                token = re.sub(r"(?<![.\w])[A-Za-z_]\w*", lambda m: m[0] + ending if m[0] in names else m[0], token)
            out.append(token)
            continue
        out.append(token + ending if token in names and before not in (".", "->") else token)
        before = token
    return "".join(out)


class Amalgamation:
    def __init__(self):
        self.seen, self.read, self.shared = set(), [], ""
        self.features, self.system = {}, {}
        self.objects = set()  # names and types of what is "extern" in a header

    def expand(self, path):
        """A file with its local includes in place. System headers, and headers that come once, go to the top of everything."""
        self.read.append(path)
        text = FLAGS_GUARD.sub("", read(path))
        for name in FEATURE.findall(text):
            self.features[name] = True
        return INCLUDE.sub(lambda match: self.include(match, path.parent), FEATURE.sub("", text))

    def include(self, match, beside):
        local, system = match.groups()
        if system:
            self.system[system] = PROCESSOR.get(system)
            return ""
        if local in HEADERS:
            return ""
        path = next((folder / local for folder in (beside, SOURCE, SOURCE / "conventions") if (folder / local).is_file()), None)
        if path is None:
            raise SystemExit(f"sinpos: {beside / local}: not found")
        path = path.resolve()
        text = self.expand(path) if path not in self.seen else ""
        if ONCE not in text:
            return text
        text = text.replace(ONCE, "", 1)
        if path.name.startswith("vector_"):
            return text
        self.seen.add(path)
        for _, tokens in declarations(text):
            self.objects |= {t for t in tokens[1:] if NAME.match(t)} if is_object(tokens) else set()
        self.shared += make_static(text, is_private)
        return ""

    def section(self, path):
        text = self.expand(path)
        return make_static(text, lambda t: "=" in t and is_private(t) and self.objects & set(t[:t.index("=")]) - {"const"})


def undefine(text):
    """#undef for the macros of a section."""
    names = dict.fromkeys(re.findall(r"^[ \t]*#[ \t]*define[ \t]+(\w+)", text, re.MULTILINE))
    return "".join(f"#undef {name}\n" for name in names)


def kernel_section(isa, text, shared):
    processor, flags = ISAS[isa]
    names = {n for n in definitions(text) if n not in shared and not n.endswith("_" + isa)}
    text = rename(text, names, "_" + isa)
    text = text.strip() + "\n" + undefine(text)
    if flags:
        text = TARGET.replace("{flags}", flags).replace("{text}", text)
    text = KERNEL.replace("{text}", text)
    return f"#if defined({processor})\n{text}#endif\n" if processor else text


def title(name):
    return f"\n/* {'-' * (110 - len(name))} {name} */\n\n"


def main():
    if len(sys.argv) not in (3, 4):
        raise SystemExit("usage: amalgamate.py OUT CATALOGUE [DEPENDENCIES]")
    out = pathlib.Path(sys.argv[1])
    header = read(ROOT / "include" / "sinpos.h")
    whole = Amalgamation()

    folders = (SOURCE, SOURCE / "exact", SOURCE / "conventions")
    sources = [*(path for folder in folders for path in sorted(folder.glob("*.c"))), pathlib.Path(sys.argv[2])]
    sections = {path.stem: whole.section(path) for path in sources}
    kernels = {isa: whole.section(SOURCE / "kernels" / f"kernels_{isa}.c") for isa in ISAS}

    shared_names = definitions(whole.shared)
    owners = collections.Counter(name for text in sections.values() for name in definitions(text, only_static=True))
    parts = [title("shared"), whole.shared]
    for isa, text in kernels.items():
        parts += [title("kernels_" + isa), kernel_section(isa, text, shared_names)]
    for name, text in sections.items():
        common = {n for n in definitions(text, only_static=True) if owners[n] > 1 and n not in shared_names}
        common |= {n for n in static_functions(text) if n in shared_names}
        text = rename(text, common, "_" + name)
        parts += [title(name), text.strip() + "\n", undefine(text)]

    top = TOP.format(version=re.search(r'SINPOS_VERSION "(.*)"', header)[1],
                     license="\n".join(f" * {line}".rstrip() for line in read(ROOT / "LICENSE").splitlines()))
    feature_lines = "".join(f"#ifndef {name}\n#define {name}\n#endif\n" for name in whole.features)
    system = "".join(f"#include <{name}>\n" if processor is None else
                     f"#if defined({processor})\n#include <{name}>\n#endif\n"
                     for name, processor in sorted(whole.system.items(), key=lambda item: (item[1] or "", item[0])))
    included = "".join(f'#include "{name}"\n' for name in HEADERS)
    text = top + "\n" + feature_lines + system + "\n" + included + "".join(parts) + BOTTOM
    (out / "sinpos.c").write_text(re.sub(r"\n{3,}", "\n\n", text), encoding="utf-8")
    for name in HEADERS:
        (out / name).write_text(read(ROOT / "include" / name), encoding="utf-8")
    if len(sys.argv) == 4:  # what Ninja must watch
        watched = " ".join(str(path).replace(" ", "\\ ") for path in dict.fromkeys(whole.read))
        pathlib.Path(sys.argv[3]).write_text(f"{out / 'sinpos.c'}: {watched}\n", encoding="utf-8")


main()
