#!/usr/bin/env python3
"""catalogue.py OUT FILE...: writes OUT, the catalogue of conventions as C, from conventions/*.toml.

Every file is a family: tables of conventions in the order of the catalogue, and `functions` that formulas of all files
may call. conventions/README.md explains the keys. What is wrong is said with file, convention and key.
"""
import pathlib
import re
import sys

try:
    import tomllib
except ImportError:  # before Python 3.11
    import tomli as tomllib

# Keys that are texts, formulas as a rule; in the order of sinpos_conventions.h.
TEXTS = ("summary", "repository", "path", "function", "weaknesses", "apart", "positions", "length", "start", "step",
         "zero_rows_first", "zero_row", "still_rows_first", "still_rows_last", "count", "turns", "theta", "phase",
         "phase_turns", "amplitude", "mixed", "nest", "components", "raw", "width", "pad", "channel_first", "pairing",
         "block", "axis", "rotary_first", "head_width", "sign", "result", "copies", "beside", "output", "published_theta",
         "published_angle", "published_element", "published_product")
PROSE = ("summary", "repository", "path", "function", "weaknesses", "apart")
WORDS = ("nest", "components", "raw", "pairing", "result", "copies", "output", "published_product")
LISTS = ("grid", "shape")
OWN = ("aliases", "variants", "summary", "like", "without", "where")  # not inherited
TABLES = ("parameters", "let", "refuse")  # of which a child adds to its parent's
OTHERS = (*TABLES, "aliases", "variants", "coordinates", "like", "without")
FORMULAS = {*TEXTS, *LISTS, "let", "refuse", "coordinates"} - {*PROSE}
ROLES = ("", "dim", "base", "length", "start", "positions", "grid", "tokens", "frequencies", "amplitude", "step")


class Wrong(Exception):
    """A stanza that cannot be compiled; where, and why."""


# ------------------------------------------------------------------------------------------------------- Inheritance

def inherit(parent, child):
    """What the child says replaces what the parent says, in its place; what is new comes after. A parameter also replaces
    the one that has its role, sizes of grids aside."""
    result = {**parent, **child}
    for key in ("let", "refuse"):
        result[key] = {**parent.get(key, {}), **child.get(key, {})}
    kept, own = parent.get("parameters", {}), child.get("parameters", {})
    by_role = {row["role"]: name for name, row in own.items() if row.get("role", "grid") != "grid"}
    heirs = {name: name if name in own else by_role.get(row.get("role"), name) for name, row in kept.items()}
    result["parameters"] = {**{heirs[name]: row for name, row in kept.items()}, **own}
    return result


def drop(where, table, keys):
    """The table without these keys; "let.x" is one name of a table."""
    table = {**table, **{key: dict(table.get(key, {})) for key in TABLES}}
    for key in keys:
        outer, _, name = key.partition(".")
        place = table[outer] if name and outer in table else table
        if not place.pop(name or outer, None):
            raise Wrong(f"{where}: without: the parent has no {key}")
    return table


def read(files):
    """(stanzas by name, with where they stand; names of those that are forms; functions by name)"""
    stanzas, forms, functions = {}, set(), {}
    for path in files:
        try:
            data = tomllib.loads(pathlib.Path(path).read_text(encoding="utf-8"))
        except tomllib.TOMLDecodeError as error:
            raise Wrong(f"{path}: {error}") from None
        for name, body in data.pop("functions", {}).items():
            match = re.fullmatch(r"(\w+)\(([\w, ]+)\)", name)
            if match is None:
                raise Wrong(f"{path}: functions: {name}: must be name(a, b)")
            functions[match[1]] = (match[2].replace(",", " ").split(), body, path)
        own_forms = data.pop("forms", {})
        forms.update(own_forms)
        for name, stanza in [*own_forms.items(), *data.items()]:
            if name in stanzas:
                raise Wrong(f"{path}: {name}: is in the catalogue twice")
            for key, kind, what in (("aliases", str, "text"), *((key, dict, "table") for key in TABLES)):
                if not isinstance(stanza.get(key, kind()), kind):
                    raise Wrong(f"{path}: {name}: {key}: must be a {what}")
            stanzas[name] = {**stanza, "where": f"{path}: {name}"}
    return stanzas, forms, functions


def resolved(name, stanzas, below=()):
    """A stanza with what it inherits."""
    stanza, table = stanzas[name], {}
    likes = stanza.get("like", [])
    for like in [likes] if isinstance(likes, str) else likes:
        if like not in stanzas or like in (*below, name):
            raise Wrong(f"{stanza['where']}: like: there is no convention {like} to inherit from")
        parent = resolved(like, stanzas, (*below, name))
        table = inherit(table, {key: value for key, value in parent.items() if key not in OWN})
    return inherit(drop(stanza["where"], table, stanza.get("without", [])), stanza)


def complete(table):
    """With what goes without saying, and the names of parameters for {dim}, {base} and other roles."""
    names = {row.get("role", ""): name for name, row in reversed(table["parameters"].items())}
    for role in {*names} - {*ROLES}:
        raise Wrong(f"{table['where']}: parameters.{names[role]}: role must be one of {', '.join(filter(None, ROLES))}")
    if "positions" in names:
        table.setdefault("positions", names["positions"])
    if "length" in names and "count" in table and "grid" not in table:
        table.setdefault("length", names["length"])
    if "published_theta" in table:
        table.setdefault("published_angle", "f32(p) * theta")

    def named(key, value):
        if isinstance(value, list):
            return [named(key, one) for one in value]
        if isinstance(value, dict):
            return {named(key, name): named(key, one) for name, one in value.items()}
        for role in re.findall(r"\{(\w+)\}", value) if isinstance(value, str) else []:
            if role not in names:
                raise Wrong(f"{table['where']}: {key}: no parameter has the role {role}")
            value = value.replace(f"{{{role}}}", names[role])
        return value
    return {key: named(key, value) if key in FORMULAS else value for key, value in table.items()}


# ------------------------------------------------------------------------------------------------------------ Formulas

TOKEN = re.compile(r"\s*(?:(?P<number>\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+)|(?P<text>'[^']*'|\"[^\"]*\")|(?P<name>[A-Za-z_][\w.]*)"
                   r"|(?P<sign>==|!=|<=|>=|[-+*/%^()\[\],?:<>]))")
BUILT_IN = set("""floor ceil round min max abs sqrt exp log log2 len dims sum prod slice is_list columns token_positions token_columns
    mask_cells grid_cells dealt f64 f32 f16 bf16 torch_exp torch_pow sin cos pow repeat linspace where_less""".split())


class Formula:
    """The grammar of src/conventions/formula_parse.c: it says whether a text is a formula, and what it calls."""

    def __init__(self, text, functions):
        self.tokens, at = [], 0
        while text[at:].strip():
            match = TOKEN.match(text, at)
            if match is None:
                raise ValueError(f"unexpected '{text[at:].strip()[:20]}'")
            self.tokens.append((match.lastgroup, match[match.lastgroup]))
            at = match.end()
        self.functions, self.calls, self.at = functions, [], 0
        self.expression()
        if self.at < len(self.tokens):
            raise ValueError(f"unexpected '{self.tokens[self.at][1]}'")

    def takes(self, *signs):
        if self.at < len(self.tokens) and self.tokens[self.at][0] in ("sign", "name") and self.tokens[self.at][1] in signs:
            self.at += 1
            return True
        return False

    def needs(self, sign):
        if not self.takes(sign):
            raise ValueError(f"'{sign}' is missing")

    def chain(self, signs, operand):
        operand()
        while self.takes(*signs):
            operand()

    def expression(self):
        self.chain(("or",), lambda: self.chain(("and",), self.negation))
        if self.takes("?"):
            self.expression()
            self.needs(":")
            self.expression()

    def negation(self):
        if self.takes("not"):
            self.negation()
            return
        self.sum()
        if self.takes("==", "!=", "<=", ">=", "<", ">"):
            self.sum()

    def sum(self):
        self.chain(("+", "-"), lambda: self.chain(("*", "/", "%"), self.unary))

    def unary(self):
        if self.takes("-"):
            self.unary()
            return
        self.primary()
        while self.takes("["):
            self.expression()
            self.needs("]")
        if self.takes("^"):
            self.unary()

    def primary(self):
        if self.takes("("):
            self.expression()
            self.needs(")")
        elif self.takes("["):
            if not self.takes("]"):
                self.chain((",",), self.expression)
                self.needs("]")
        elif self.at == len(self.tokens) or self.tokens[self.at][0] == "sign":
            raise ValueError("something is missing")
        else:
            kind, text = self.tokens[self.at]
            self.at += 1
            if kind == "name" and self.takes("("):
                self.call(text)

    def call(self, name):
        n, first = 0, True
        while first or self.takes(","):
            self.expression()
            n, first = n + 1, False
        self.needs(")")
        if name in self.functions:
            if n != len(self.functions[name][0]):
                raise ValueError(f"{name}() takes {len(self.functions[name][0])} arguments, not {n}")
            self.calls.append(name)
        elif name not in BUILT_IN:
            raise ValueError(f"there is no function {name}()")


LOOPS = re.compile(r"[ianAcrpx]|[gp]\d+|size\d+|theta|angle")


def check_function(name, arguments, body):
    """What depends on the frequency or the row is an argument, so that a formula shows what it depends on."""
    for word in re.findall(r"[A-Za-z_]\w*", body):
        if LOOPS.fullmatch(word) and word not in arguments:
            raise ValueError(f"{word} must be an argument of {name}()")


def called(text, functions, known):
    """The functions that a formula calls, and those that these call; innermost first."""
    for name in Formula(text, functions).calls:
        if name not in known:
            called(functions[name][1], functions, known)
            known.append(name)
    return known


# ------------------------------------------------------------------------------------------------------------------- C

def quoted(text):
    if text is None:
        return "NULL"
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


def default_text(value):
    """As the language of formulas has it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return f'"{value}"'
    if isinstance(value, list):
        return "[" + ", ".join(map(default_text, value)) + "]"
    return repr(value)


class Stanza:
    """A convention as it will stand in C."""

    def __init__(self, name, table, functions):
        self.name, self.table, self.functions, self.calls = name, table, functions, []
        self.where = table["where"]
        unknown = set(table) - {*TEXTS, *LISTS, *OTHERS, "where"}
        if unknown:
            raise Wrong(f"{self.where}: {sorted(unknown)[0]}: unknown key")

    def wrong(self, key, why):
        raise Wrong(f"{self.where}: {key}: {why}")

    def formula(self, key, text):
        if not isinstance(text, str):
            self.wrong(key, f"must be a text, not {text!r}")
        try:
            called(text, self.functions, self.calls)
        except ValueError as error:
            self.wrong(key, f"{error}, in the formula {text!r}")
        return text.strip()

    def text(self, key):
        value = self.table.get(key)
        if value is None or key in PROSE:
            return value
        is_word = key in WORDS and re.fullmatch(r"[a-z0-9_, ]*", value)
        return value if is_word else self.formula(key, value)

    def list_of(self, key):
        value = self.table.get(key, [])
        return [self.formula(key, one) for one in ([value] if isinstance(value, str) else value) if key == "grid" or one not in ("*", "grid")]

    def coordinates(self):
        """[(condition or None, formulas)]; none for '*', all coordinates there are."""
        value = self.table.get("coordinates", "*")
        if value == "*":
            return []
        if isinstance(value, list):
            return [(None, [self.formula("coordinates", one) for one in value])]
        return [(self.formula("coordinates", "1" if condition == "else" else condition),
                 [self.formula("coordinates", one) for one in formulas]) for condition, formulas in value.items()]

    def parameters(self):
        rows = []
        for name, row in self.table.get("parameters", {}).items():
            key = f"parameters.{name}"
            if set(row) - {"default", "optional", "role", "means"} or "means" not in row:
                self.wrong(key, "has means, and may have default, optional and role")
            fallback = default_text(row["default"]) if "default" in row else "null" if row.get("optional") else None
            rows.append((name, fallback, row.get("role", ""), row["means"]))
        return rows

    def variants(self):
        rows = []
        for names, values in self.table.get("variants", {}).items():
            rows += [(names, parameter, default_text(value)) for parameter, value in values.items()]
        return rows


def joined(stanza):
    """What the lists are as one text each, for those who read the catalogue."""
    table = stanza.table
    coordinates = stanza.coordinates()
    lists = {key: table[key] if isinstance(table[key], str) else ", ".join(table[key]) for key in LISTS if key in table}
    return {
        "aliases": " ".join(table.get("aliases", "").split()) or None,
        "variants": "; ".join(f"{names}: {name} = {value}" for names, name, value in stanza.variants()) or None,
        "let": "; ".join(f"{name} = {formula.strip()}" for name, formula in table.get("let", {}).items()) or None,
        "refuse": "; ".join(f"{condition} => {text}" for condition, text in table.get("refuse", {}).items()) or None,
        "coordinates": "; ".join((f"{condition} => " if condition else "") + ", ".join(formulas)
                                 for condition, formulas in coordinates) or table.get("coordinates"),
        **lists,
    }


def array(name, kind, rows, end="{0}"):
    lines = [f"static const {kind} {name}[] = {{"]
    lines += ["    {" + ", ".join(quoted(one) if not isinstance(one, tuple) else one[0] for one in row) + "}," for row in rows]
    return [*lines, f"    {end},", "};"]


def strings(name, texts):
    return [f"static const char *const {name}[] = {{" + ", ".join(map(quoted, texts)) + ", NULL};"]


def compile_one(stanza):
    """(arrays, initializer)"""
    name, table, arrays, fields = stanza.name, stanza.table, [], [("name", quoted(stanza.name))]
    lets = [(key, stanza.formula(f"let.{key}", text)) for key, text in table.get("let", {}).items()]
    refusals = [(stanza.formula("refuse", condition), text) for condition, text in table.get("refuse", {}).items()]
    fields += [(key, quoted(text)) for key in TEXTS if (text := stanza.text(key)) is not None]
    fields += [(key, quoted(text)) for key, text in joined(stanza).items() if text is not None]

    def add(field, kind, rows):
        if rows:
            arrays.extend(array(f"{name}_{field}", kind, rows))
            fields.append((field, f"{name}_{field}"))
    add("parameters", "convention_parameter", stanza.parameters())
    add("lets", "convention_let", lets)
    add("refusals", "convention_refusal", refusals)
    add("defaults", "convention_default", stanza.variants())
    sets = []
    for k, (condition, formulas) in enumerate(stanza.coordinates()):
        arrays.extend(strings(f"{name}_coordinates_{k}", formulas))
        sets.append((condition or "", (f"{name}_coordinates_{k}",)))
    add("coordinate_sets", "convention_coordinates", sets)
    for key in LISTS:
        if formulas := stanza.list_of(key):
            arrays.extend(strings(f"{name}_{key}_sizes", formulas))
            fields.append((f"{key}_sizes", f"{name}_{key}_sizes"))
    rows = [(one, (f"{one}_arguments",), (str(len(stanza.functions[one][0])),), stanza.functions[one][1].strip())
            for one in stanza.calls]
    add("functions", "formula_function", rows)
    if stanza.calls:
        fields.append(("calls", quoted("; ".join(f"{one}({', '.join(stanza.functions[one][0])}) = "
                                                 f"{stanza.functions[one][1].strip()}" for one in stanza.calls))))
    return arrays, "    {\n" + "".join(f"        .{field} = {value},\n" for field, value in fields) + "    },"


def compile_all(files):
    stanzas, forms, functions = read(files)
    conventions = {name: complete(resolved(name, stanzas)) for name in stanzas if name not in forms}
    arrays, rows = [], []
    for name, (arguments, body, path) in functions.items():
        try:
            called(body, functions, [])
            check_function(name, arguments, body)
        except ValueError as error:
            raise Wrong(f"{path}: functions: {name}: {error}, in the formula {body!r}") from None
        arrays += strings(f"{name}_arguments", arguments)
    for name, table in conventions.items():
        own, row = compile_one(Stanza(name, table, functions))
        arrays += ["", *own]
        rows.append(row)
    return "\n".join(["/* Made by gen/catalogue.py from the tables in conventions/: change those. */", '#include "catalogue.h"', "", *arrays,
                      "", "const sinpos_convention convention_catalogue[] = {", *rows, "};", "",
                      "const size_t n_conventions = sizeof convention_catalogue / sizeof convention_catalogue[0];", ""])


def main(out, *files):
    try:
        text = compile_all(files)
    except Wrong as error:
        sys.exit(f"catalogue.py: {error}")
    pathlib.Path(out).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
