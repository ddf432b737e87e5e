"""Documentation that stands in the code: every public name says what it is, shows it, and names its arguments and errors."""
import importlib
import importlib.util
import inspect
import re

import pytest

MODULES = {"sinpos": None, "sinpos.onnx": "onnx", "sinpos.plot": "matplotlib"}
TOLD_ONCE = {"threads"}  # by Encoding.table
# Told once, by the head of the module and by numbers().
WORDS_OF_PLOTS = {"encoding", "ax", "title", "look", "length", "start", "step", "offsets", "context", "progress"}


def public(name):
    """(name, object) of what a module offers, and of what its classes do."""
    module = importlib.import_module(name)
    names = getattr(module, "__all__", None) or [n for n, o in vars(module).items()
                                                 if n[0] != "_" and getattr(o, "__module__", None) == name]
    for own in names:
        thing = getattr(module, own)
        if not callable(thing):
            continue
        yield f"{name}.{own}", thing
        for inner, member in vars(thing).items() if inspect.isclass(thing) else ():
            if (inner == "__call__" or inner[0] != "_") and (isinstance(member, property) or inspect.isfunction(member)):
                yield f"{name}.{own}.{inner}", member


def everything():
    return [(name, thing) for module, needed in MODULES.items() if needed is None or importlib.util.find_spec(needed)
            for name, thing in public(module)]


def arguments(thing):
    """Parameters of a function, fields of a result."""
    if isinstance(thing, property):
        return set()
    if inspect.isclass(thing):
        return set(getattr(thing, "_fields", None) or getattr(thing, "__dataclass_fields__", ()))
    return set(inspect.signature(thing).parameters) - {"self"}


@pytest.mark.parametrize("name, thing", everything(), ids=[name for name, _ in everything()])
def test_docstring(name, thing):
    text = vars(thing)["__doc__"] if inspect.isclass(thing) else thing.__doc__
    assert text and re.match(r"\S.*[.:;?)\"]", text.splitlines()[0]), "a first line that says what it is"
    assert ">>> " in text, "an example"
    words = arguments(thing) - TOLD_ONCE - (WORDS_OF_PLOTS if name.startswith("sinpos.plot.") else set())
    if re.search(r"rguments (and errors )?as|errors as|take the same words", text):
        return
    missing = {word for word in words if not re.search(rf"\b{re.escape(word)}\b", text)}
    assert not missing, f"{missing} stand in the signature alone"
    if words and not inspect.isclass(thing) and not name.startswith("sinpos.plot."):
        assert re.search(r"\bRaises\b|\brrors\b", text), "the errors"
