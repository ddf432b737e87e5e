#!/usr/bin/env python3
"""arrows.py SOURCE BUILD: which folder uses which, and which files use each other, from includes and symbols.

The folders of the top are those of TOP. A folder may use itself and those that MAY lists. Files of one library that use
each other's functions, directly or through others, are a circle; CIRCLES lists the known ones. Prints TAP."""
import collections
import pathlib
import re
import subprocess
import sys

CORE = {"src", "src/exact", "src/kernels"}
PUBLIC = {"include", "include/sinpos_analysis"}
ANYONE = ("common/owned.h", "common/is_missing.h")  # which every folder but the core may include
MAY = {
    "include": {"include/sinpos_analysis"},
    "include/sinpos_analysis": {"include"},
    "src": CORE | PUBLIC,
    "src/exact": CORE | PUBLIC,
    "src/kernels": CORE | PUBLIC,
    "src/conventions": CORE | PUBLIC,
    "formats": PUBLIC | {"src"},
    "analysis/shared": PUBLIC | {"src"},
    "analysis/curves": PUBLIC | CORE | {"analysis/shared"},
    "analysis/bases": PUBLIC | {"src", "analysis/shared", "analysis/curves"},
    "analysis/separation": PUBLIC | {"src", "analysis/shared", "analysis/curves"},
    "analysis/structure": PUBLIC | {"src", "analysis/shared", "analysis/curves"},
    "analysis/identify": PUBLIC | {"src", "analysis/shared"},
    "analysis/recognise": PUBLIC | {"src", "analysis/shared", "analysis/identify"},
    "analysis/diff": PUBLIC | {"src", "analysis/shared", "analysis/identify"},
    "analysis/claims": PUBLIC | {"src", "analysis/shared", "analysis/curves", "analysis/bases", "analysis/separation",
                                 "analysis/structure"},
    "common": PUBLIC,
    "plot": PUBLIC | {"common"},
    "bench": PUBLIC,
    "advise": PUBLIC | {"common", "plot"},
    "python": PUBLIC | {"common", "plot", "advise"},
}
# In the command line each folder may use those before it.
_below = PUBLIC | {"common"}
for _name in ("cli/terminal", "cli/options", "cli/io", "cli/jobs", "cli/encoding", "cli/difference", "cli"):
    MAY[_name] = set(_below)
    _below.add(_name)
for _name in ("commands", "explore", "advise", "audit", "identify", "diff", "base", "convert", "report"):
    MAY[f"cli/{_name}"] = _below | {"plot", "bench", "advise"}
MAY["cli/diff"] = MAY["cli/diff"] | {"cli/identify"}  # its commands
PROGRAMS = {"libsinpos_inside.a": "src", "libsinpos_analysis_inside.a": "analysis", "libsinpos_formats_inside.a": "formats", "sinpos": "cli"}
TOP = {"advise", "analysis", "bench", "cli", "common", "conventions", "docs", "examples", "formats", "gen", "include", "plot", "python",
       "src", "tests", "tools", "web"}
CIRCLES = {"libsinpos_analysis_inside.a": ["identify_identify_fit.c.o identify_identify_tones.c.o"]}


def components(edges):
    """Tarjan's strongly connected components with more than one node."""
    index, low, stack, on, out = {}, {}, [], set(), []

    def visit(node):
        index[node] = low[node] = len(index)
        stack.append(node)
        on.add(node)
        for other in sorted(edges.get(node, ())):
            if other not in index:
                visit(other)
                low[node] = min(low[node], low[other])
            elif other in on:
                low[node] = min(low[node], index[other])
        if low[node] == index[node]:
            part = []
            while not part or part[-1] != node:
                part.append(stack.pop())
                on.discard(part[-1])
            if len(part) > 1:
                out.append(sorted(part))

    sys.setrecursionlimit(10000)
    for node in sorted(edges):
        if node not in index:
            visit(node)
    return out


def includes(source):
    """(file, included file), both relative to the root."""
    files = {}
    for folder in MAY:
        for path in (source / folder).glob("*.[ch]*"):
            if path.suffix in (".c", ".h", ".inc"):
                files[path.relative_to(source)] = path
    by_name = collections.defaultdict(list)
    for path in files:
        by_name[path.name].append(path)
    for path in files:
        for name in re.findall(r'^#include "([^"]+)"', files[path].read_text(), re.M):
            found = by_name.get(pathlib.PurePath(name).name, [])
            if not found:
                continue  # generated
            beside = [other for other in found if other.parent == path.parent]
            near = beside or [other for other in found if str(other.parent) in MAY[str(path.parent)]] or found
            yield path, near[0]


def symbols(folder):
    """(object, object whose function it uses) of each program or library, without what comes from elsewhere."""
    defined, used = {}, collections.defaultdict(set)
    done = subprocess.run(["nm", "-A", *sorted(folder.rglob("*.o"))], capture_output=True, text=True, check=True)
    for line in done.stdout.splitlines():
        path, (kind, name) = pathlib.PurePath(line.partition(":")[0]).name, line.split()[-2:]
        if kind in "TDRB":
            defined[name] = path
        elif kind == "U":
            used[path].add(name)
    edges = collections.defaultdict(set)
    for path, names in used.items():
        edges[path] = {defined[name] for name in names if defined.get(name, path) != path}
    return edges


def main():
    source, build = map(pathlib.Path, sys.argv[1:3])
    wrong = []
    arrows = list(includes(source))
    for a, b in arrows:
        if a.parent != b.parent and str(b.parent) not in MAY[str(a.parent)] and (str(b) not in ANYONE or str(a.parent) in CORE):
            wrong.append(f"{a} includes {b}: {a.parent} may not use {b.parent}")
    results = [(not wrong and len(arrows) > 500, f"{len(arrows)} includes go where they may", wrong)]
    edges = collections.defaultdict(set)
    for a, b in arrows:
        edges[str(a)].add(str(b))
    found = components(edges)
    results.append((not found, "no circle of includes", [" ".join(part) for part in found]))
    for program, folder in PROGRAMS.items():
        edges = collections.defaultdict(set)
        for place in (build / folder).glob(program + ".p"):
            edges.update(symbols(place))
        found = [" ".join(part) for part in components(edges)]
        fine = len(edges) > 10 and found == CIRCLES.get(program, [])
        results.append((fine, f"{program}: {len(edges)} files, {len(found)} circles", found))
    kept = subprocess.run(["git", "-C", source, "ls-files"], capture_output=True, text=True, check=False)
    if kept.returncode == 0:  # not where the sources came without their history
        found = {name.split("/")[0] for name in kept.stdout.split() if "/" in name and not name.startswith(".")}
        results.append((found == TOP, "the folders of the top", sorted(found ^ TOP)))
    print(f"1..{len(results)}")
    for k, (fine, name, details) in enumerate(results, 1):
        print(f"{'' if fine else 'not '}ok {k} - {name}", *(f"# {line}" for line in details), sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
