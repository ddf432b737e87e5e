"""The configuration of a model, as a file, a folder or a dict: which encoding it states."""
from __future__ import annotations

import contextlib
import json
import os
import re
import warnings
from typing import Any, Dict, Iterator, NamedTuple, Optional, Protocol, Tuple, Union

import numpy as np

from . import _core
from ._catalogue import Convention, convention as find_convention



class _Config(Protocol):
    """A configuration of Transformers."""

    def to_dict(self) -> Dict[str, Any]: ...


Source = Union[str, "os.PathLike[str]", Dict[str, Any], _Config]


class StatedByConfig(NamedTuple):
    what: str  # as errors call the configuration
    convention: str
    parameters: Dict[str, Any]

    @contextlib.contextmanager
    def blamed(self) -> Iterator[None]:
        """Values that the convention refuses are those of the configuration."""
        try:
            yield
        except (ValueError, OverflowError) as error:
            hint = "" if "\nhint:" in str(error) else "\nhint: parameters given to from_config() replace those of the configuration"
            raise type(error)(f"{self.what}: {error}{hint}") from None


def _file(path: str) -> Tuple[str, Any]:
    where = os.path.join(path, "config.json") if os.path.isdir(path) else path
    with open(where, encoding="utf-8") as file:
        try:
            return where, json.load(file)
        except ValueError as error:
            raise ValueError(f"{where}: {error}\nhint: from_config() reads the config.json of a model") from None


def read_config(source: Any) -> Tuple[str, Dict[str, Any]]:
    """What errors call it, and the configuration."""
    what, config = "the configuration", source
    if isinstance(source, (str, os.PathLike)):
        what, config = _file(os.fspath(source))
    elif not isinstance(source, dict) and callable(getattr(source, "to_dict", None)):
        config = source.to_dict()  # a configuration of Transformers
    elif not isinstance(source, dict):
        raise TypeError(f"from_config() takes the path of a config.json, of a model's folder, or a dict, not {type(source).__name__}")
    if not isinstance(config, dict):
        raise ValueError(f"{what}: is not a JSON object\nhint: from_config() reads the config.json of a model")
    return what, config


def _in_python(text: str) -> str:
    """The command line's words as Python's."""
    named = re.sub(r"^--convention (\S+)$", r"convention='\1'", text.replace("--from-config", "from_config()"))
    return re.sub(r"--([a-z]+)", r"\1=", named)


def _own(convention: Convention, name: str) -> Any:
    """The default of a parameter."""
    return next((json.loads(p.default) for p in convention.parameters if p.name == name and p.default is not None), None)


def _replaced(convention: Convention, stated: Dict[str, Any], given: Dict[str, Any]) -> Dict[str, Any]:
    """What is stated, but for parameters that the caller gives, by name or role; what has its default is left out."""
    roles = {p.name: p.role for p in convention.parameters}
    words: Dict[str, Any] = {}
    for name, value in stated.items():
        word = "dim" if roles.get(name) == "dim" else name
        is_given = name in given or (roles.get(name) in ("dim", "base") and roles[name] in given)
        if not is_given and (word == "dim" or value != _own(convention, name)):
            words[word] = np.asarray(value) if isinstance(value, list) else value
    return {**words, **given}


def stated_by(source: Any, layers: Union[str, int, None], strict: bool, convention: Optional[str],
              given: Dict[str, Any]) -> StatedByConfig:
    """The convention and its parameters: the rules are those of the command line, in C."""
    what, config = read_config(source)
    if convention is not None:
        find_convention(convention)
    name, stated, assumed, about, why, hint = _core.model_config(
        config, None if layers is None else str(layers), convention, bool(strict), "dim" in given)
    if why:
        raise ValueError(f"{_in_python(about) or what}: {_in_python(why)}\nhint: {_in_python(hint)}")
    if assumed:
        warnings.warn(f"{what}: {_in_python(assumed)}", stacklevel=3)
    assert name is not None
    return StatedByConfig(what, name, _replaced(find_convention(name), stated, given))
