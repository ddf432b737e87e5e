"""What a longer context does to a model's positions."""
from __future__ import annotations

import os
import shlex
from typing import Any, Dict, Iterator, NamedTuple, Optional, Tuple, Union

import numpy as np

from . import _core
from ._arrays import Progress, called, whole
from ._catalogue import convention as find_convention
from ._config import Source, read_config, stated_by
from ._encoding import Encoding

_MOST_CONTEXT = 1 << 26  # ADVICE_MAX_CONTEXT


class Fact(NamedTuple):
    """One thing that :func:`advise` says.

    id
        a stable key: "context", "unfinished_tones", "base", "scaling.yarn", "runtime.ggml", "ignored.FIELD", ...
    value
        the number that the command shows; None where there is none.
    values
        further numbers by name.
    sentence
        what it means.
    command
        of the command line: it shows the value.

    >>> import sinpos
    >>> sinpos.advise(sinpos.Encoding(dim=16, base=100.0), 256, trained=64)["context"].value
    64.0
    """

    id: str
    value: Optional[float]
    values: Dict[str, Optional[float]]
    sentence: str
    command: str

    def __str__(self) -> str:
        return f"{self.sentence}\n    {self.command}"


class Advice(Tuple[Fact, ...]):
    """The facts of :func:`advise`, important ones first: a tuple that also takes ids.

    >>> import sinpos
    >>> facts = sinpos.advise(sinpos.Encoding(dim=16, base=100.0), 256, trained=64)
    >>> facts[0] == facts["context"], "no such fact" in facts
    (True, False)
    """

    def __getitem__(self, key: Any) -> Any:  # Any: an id, or what a tuple takes; a Fact, or a tuple of them
        if not isinstance(key, str):
            return super().__getitem__(key)
        for fact in self:
            if fact.id == key:
                return fact
        raise KeyError(key)

    def __contains__(self, key: object) -> bool:
        return any(fact.id == key for fact in self) if isinstance(key, str) else super().__contains__(key)

    def __str__(self) -> str:
        return "\n\n".join(map(str, self))


def _words_of(options: Dict[str, Any]) -> str:
    return " ".join(f"--{name} {shlex.quote(str(value))}" for name, value in options.items() if value is not None)


class _Stated(NamedTuple):
    """The first arguments of _core.advise()."""

    convention: Optional[str]
    plan: Optional["_core.Plan"]
    config: Optional[Dict[str, Any]]
    stated: Optional[Dict[str, Any]]
    layers: Optional[str]
    words: Optional[str]
    path: Optional[str]
    more: str


def _of_config(source: Source, layers: Union[str, int, None]) -> _Stated:
    what, config = read_config(source)
    name = stated_by(source, layers, False, None, {}).convention
    kind = None if layers is None else str(layers)
    more = _words_of({"layers": kind})
    if not isinstance(source, (str, os.PathLike)):
        return _Stated(name, None, config, None, kind, None, None, more)
    return _Stated(name, None, config, None, kind, _words_of({"from-config": what, "layers": kind}), what, more)


def _of_encoding(encoding: Encoding) -> _Stated:
    given = encoding.parameters
    if encoding.convention is None:
        other = sorted(set(given) - {"dim", "base", "layout", "order"})
        if other:
            raise ValueError(f"advise() takes an encoding by dim and base, or by a convention, not by {', '.join(other)}")
        words = _words_of({"dim": given["dim"], "base": given.get("base")})
        return _Stated(None, encoding.plan, None, None, None, words, None, words)
    own = {p.role: p.name for p in find_convention(encoding.convention).parameters if p.role in ("dim", "base")}
    stated = {own.get(name, name): value.tolist() if isinstance(value, np.ndarray) else value
              for name, value in given.items()}
    return _Stated(encoding.convention, None, None, stated, None, None, None, "")


def advise(source: Union[Encoding, Source], context: int, *, layers: Union[str, int, None] = None,
           trained: Optional[float] = None, threads: int = 0, progress: Progress = None) -> Advice:
    """What a context asks of a model's positions: facts, each with a number, a sentence, and the command that shows it.

    source
        the path of a config.json or of a model's folder, a dict, a configuration of Transformers; or an
        :class:`Encoding`, by its dim and base or by a convention.
    context
        how many positions the model is to read: 2 to 2^26.
    layers
        which kind of layers, as for :meth:`Encoding.from_config`.
    trained
        positions in training; as the configuration says unless given.
    progress
        called with the part done. Ctrl-C stops the work.

    Raises ValueError for an unsupported model or encoding, OSError for an unreadable file. docs/advice.md
    lists the facts.

    >>> import sinpos
    >>> facts = sinpos.advise({"model_type": "llama", "head_dim": 16, "max_position_embeddings": 64}, 256)
    >>> facts["context"].sentence
    'The model was trained on 64 positions; 256 is 4 times as far.'
    >>> facts["scaling.linear"].value
    0.75
    """
    n = whole(context, "context", 2)
    if n > _MOST_CONTEXT:
        raise ValueError(f"context must be 2^26 or less, not {n}")
    if trained is not None and not 0 < trained < float("inf"):
        raise ValueError(f"trained must be above 0, not {trained}")
    stated = _of_encoding(source) if isinstance(source, Encoding) else _of_config(source, layers)
    return Advice(Fact(*row) for row in _core.advise(*stated, n, trained or 0.0, threads, called(progress)))
