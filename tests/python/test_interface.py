"""What callers see: shapes, errors, copies, documentation."""
import copy
import doctest
import pickle

import numpy as np
import pytest

import sinpos
import sinpos._catalogue
import sinpos._encoding
import sinpos._files


@pytest.mark.parametrize("module", [sinpos, sinpos._catalogue, sinpos._encoding, sinpos._files],
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
