"""The definitions that the library knows by name."""
from __future__ import annotations

import re
from typing import Any, Dict, List, NamedTuple, Tuple

from . import _core


class Parameter(NamedTuple):
    """A parameter of a convention, by the name its source gives it.

    default
        as JSON; None where a value is required.
    role
        the general word that sets it ("dim", "base", "length", ...), or "".
    meaning
        unit and range.

    >>> import sinpos
    >>> sinpos.convention("whisper").parameters[1]._asdict()
    {'name': 'channels', 'default': '384', 'role': 'dim', 'meaning': 'columns'}
    """

    name: str
    default: "str | None"
    role: str
    meaning: str


class Convention(NamedTuple):
    """A published definition: who computes what, where, and in which formulas. Printed, it is a page for people.

    name, summary, aliases
        what it is called, and what it is.
    source
        repository, path and function.
    parameters
        a :class:`Parameter` each.
    formulas
        text by the name of the field, as docs/conventions.md explains them.
    weaknesses
        of the published code, or "".
    apart
        why it is not a function of the coordinates alone, or None.
    rows
        what its rows are made of where no positions are given: "own", its own parameters (a grid, boxes); "length",
        a number of consecutive positions; "list", a list with a default; "given", nothing.
    called
        the alias that found it where that has defaults of its own, which ``parameters`` then show; else the name.

    >>> import sinpos
    >>> sinpos.convention("vaswani").formulas["theta"]
    'base^(-2 * i / dim)'
    >>> sinpos.convention("vaswani").rows
    'length'
    >>> sinpos.convention("hf_phi").called, sinpos.convention("hf_llama").called
    ('hf_phi', 'hf_rope')
    """

    name: str
    summary: str
    aliases: Tuple[str, ...]
    source: str
    parameters: Tuple[Parameter, ...]
    formulas: Dict[str, str]
    weaknesses: str
    apart: "str | None"
    rows: str
    called: str

    def __str__(self) -> str:
        lines = [f"{self.called}: {self.summary}", f"  source: {self.source}"]
        for p in self.parameters:
            default = "required" if p.default is None else p.default
            lines.append(f"  {p.name} = {default}  {p.meaning}")
        return "\n".join(lines)


class Arithmetic(NamedTuple):
    """Roundings of common code that the library replays: name, aliases, and who computes so.

    >>> import sinpos
    >>> sinpos.arithmetics()[0].name
    'float32-pow'
    """

    name: str
    aliases: Tuple[str, ...]
    who: str


def _essence(name: str) -> str:
    """What counts of a name."""
    return re.sub("[_-]", "", name.lower()).replace("rotary", "rope")


def _variant(text: str, name: str) -> Tuple[str, Dict[str, str]]:
    """The alias of that name that has defaults of its own, and these as JSON; of "alias alias: parameter = value; ..."."""
    for part in filter(str.strip, text.split(";")):
        aliases, _, value = part.partition(":")
        for alias in aliases.split():
            if _essence(alias) == _essence(name):
                parameter, _, default = value.partition("=")
                return alias, {parameter.strip(): default.strip().replace("'", '"')}
    return "", {}


def _convention_of(row: Dict[str, Any], name: str = "") -> Convention:
    source = ", ".join(part for part in (row["repository"], row["path"], row["function"]) if part)
    alias, defaults = _variant(row["variants"], name)
    return Convention(row["name"], row["summary"], tuple(row["aliases"].split()), source,
                      tuple(Parameter(n, defaults.get(n, d), r, m) for n, d, r, m in row["parameters"]), row["formulas"],
                      row["weaknesses"], row["apart"], ("own", "length", "list", "given")[row["rows"]], alias or row["name"])


def conventions() -> List[Convention]:
    """All named conventions, in the order of docs/conventions.md.

    >>> import sinpos
    >>> len(sinpos.conventions()) > 150
    True
    >>> sinpos.conventions()[0].name
    'vaswani'
    """
    return [_convention_of(row) for row in _core.conventions()]


def _other_than_a_name(value: Any) -> str:
    """The hint for what other modules take in second place."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return ""
    if value < 1:
        return f"\nhint: dropout has a name: sinpos.torch.AddPositions(dim, dropout={value})"
    return f"\nhint: dim alone is needed, there is no longest position: {value} rows are Encoding(dim).table({value})"


def convention(name: str) -> Convention:
    """The convention of a name or alias; case, underscores and hyphens do not count.

    Raises ValueError for an unknown name, with those that are near.

    >>> import sinpos
    >>> [p.name for p in sinpos.convention("whisper").parameters]
    ['length', 'channels', 'max_timescale']
    """
    if not isinstance(name, str):
        raise TypeError(f"convention must be the name of a convention, not {type(name).__name__}{_other_than_a_name(name)}")
    row = _core.convention(name)
    if row is None:
        near = _core.convention_near(name)
        hint = "sinpos.conventions() lists them" if near is None else f"did you mean {near}?"
        raise ValueError(f"{name[:80] or repr(name)}: no convention has this name\nhint: {hint}")
    return _convention_of(row, name)


def arithmetics() -> List[Arithmetic]:
    """The roundings of common code that have a name: what ``arithmetic=`` takes beside "exact" and "published".

    >>> import sinpos
    >>> "float32-pow" in [a.name for a in sinpos.arithmetics()]
    True
    """
    return [Arithmetic(n, tuple((a or "").split()), w or "") for n, a, w in _core.arithmetics()]
