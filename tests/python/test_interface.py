"""What callers see: shapes, errors, copies, documentation."""
import copy
import doctest
import importlib.metadata
import pathlib
import pickle
import shutil
import subprocess

import numpy as np
import pytest

import sinpos
import sinpos._analysis
import sinpos._catalogue
import sinpos._encoding
import sinpos._files


@pytest.mark.parametrize("module", [sinpos, sinpos._analysis, sinpos._catalogue, sinpos._encoding, sinpos._files],
                         ids=lambda m: m.__name__)
def test_examples(module):
    assert doctest.testmod(module).failed == 0


ENCODINGS = [
    {}, {"dim": 768}, {"dim": 6, "theta": [1.0, 0.5, 0.25]}, {"dim": 80, "convention": "whisper"},
    {"convention": "hf_rope", "dim": 64}, {"dim": 64, "layout": "halves", "order": "cos-sin", "divisor": 31},
    {"convention": "mae", "embed_dim": 32, "grid_size": 3},
]


@pytest.mark.parametrize("words", ENCODINGS, ids=str)
def test_value(words):
    enc, same = sinpos.Encoding(**words), sinpos.Encoding(**words)
    assert enc == same and hash(enc) == hash(same) and enc != sinpos.Encoding(dim=2)
    for other in (pickle.loads(pickle.dumps(enc)), copy.copy(enc), copy.deepcopy(enc)):
        assert other == enc and repr(other) == repr(enc)
    assert eval(repr(enc), {"Encoding": sinpos.Encoding}) == enc
    with pytest.raises(AttributeError):
        enc.dim = 3


def test_version():
    """One version: the header's, the library's, the package's metadata where it is installed."""
    header = (pathlib.Path(__file__).parents[2] / "include" / "sinpos.h").read_text()
    assert f'#define SINPOS_VERSION "{sinpos.__version__}"' in header
    try:
        assert importlib.metadata.version("sinpos") == sinpos.__version__
    except importlib.metadata.PackageNotFoundError:
        pass


def test_types():
    """mypy --strict accepts what `import sinpos` loads; over torch and matplotlib it takes minutes: `mypy --strict sinpos`."""
    if shutil.which("mypy") is None:
        pytest.skip("no mypy here")
    folder = pathlib.Path(__file__).parents[2] / "python"
    done = subprocess.run(["mypy", "--strict", "--cache-dir=/dev/null", "sinpos/__init__.py"], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("words", [w for w in ENCODINGS if "convention" in w], ids=str)
def test_audit_of_its_own_table(words):
    """Grids too, whose rows have two coordinates."""
    enc = sinpos.Encoding(**words)
    table = enc.table(None if enc.axes > 1 else 9)
    assert sinpos.audit(table, enc) and sinpos.audit(table, enc).elements == table.size
    table.flat[-1] += 1
    assert sinpos.audit(table, enc).wrong == 1
