"""sinpos.diff: why two arrays are not the same encoding."""
import numpy as np
import pytest

import sinpos

TABLE = sinpos.Encoding(64).table(300)


def kinds(found):
    return [cause.kind for cause in found.causes]


@pytest.mark.parametrize("words, start, step, want", [
    ({"layout": "halves"}, 0, 1, [("layout", "interleaved", "halves")]), ({"order": "cos-sin"}, 0, 1, [("order", "sin-cos", "cos-sin")]),
    ({"base": 500000}, 0, 1, [("base", 10000, 500000)]), ({"divisor": 31}, 0, 1, [("divisor", 32, 31)]),
    ({}, 1, 1, [("start", 0, 1)]), ({}, 0, 3, [("step", 1, 3)]), ({"amplitude": 8}, 0, 1, [("scale", 1, 8)]),
    ({"base": 700, "layout": "halves"}, 0, 1, [("layout", "interleaved", "halves"), ("base", 10000, 700)])], ids=str)
def test_numbers(words, start, step, want):
    found = sinpos.diff(TABLE, sinpos.Encoding(64, **words).table(300, start, step))
    assert found and [(c.kind, c.a, c.b) for c in found.causes] == want and found.wrong == 0


def test_elements():
    assert not sinpos.diff(TABLE, TABLE.copy()) and str(sinpos.diff(TABLE, TABLE)).startswith("the same")
    negated = TABLE.copy()
    negated[:, 6] *= -1
    found = sinpos.diff(TABLE, negated)
    assert kinds(found) == ["sign"] and found.causes[0].columns == [6] and found.wrong == 0
    order = np.random.default_rng(1).permutation(64)
    moved = sinpos.diff(TABLE, TABLE[:, order])
    assert kinds(moved) == ["permutation"] and moved.causes[0].columns == list(order)
    twice = sinpos.diff(TABLE, np.concatenate([TABLE, TABLE]))
    assert kinds(twice) == ["stacked"] and twice.causes[0].rows == (300, 599)
    assert kinds(sinpos.diff(TABLE, TABLE.astype(np.float16))) == ["type"]
    assert kinds(sinpos.diff(TABLE, np.random.default_rng(2).normal(size=TABLE.shape))) == ["unrelated", ]


def test_corrupted_elements_remain():
    wrong = TABLE.copy()
    wrong[3, 5] = 7
    found = sinpos.diff(TABLE, wrong)
    assert (found.same, found.causes, found.wrong) == (False, (), 1) and found.max_abs_error > 6


def test_names_and_bfloat16():
    assert not sinpos.diff("vaswani", TABLE) and not sinpos.diff(TABLE, sinpos.Encoding(64))
    bits = sinpos.Encoding(64).table(300, dtype="bfloat16_bits")
    found = sinpos.diff(TABLE, bits.astype(np.uint32).__lshift__(16).view(np.float32))
    assert [(c.kind, c.a, c.b) for c in found.causes] == [("type", "float32", "bfloat16")]


def test_rotated():
    enc, x = sinpos.Encoding(64, layout="halves"), np.random.default_rng(3).normal(size=(2, 100, 64)).astype(np.float32)
    a, b = enc.rotate_(x.copy()), enc.rotate_(x.copy(), start=1)
    for words in ({}, {"input": x}):
        found = sinpos.diff(a, b, rotated=True, **words)
        assert kinds(found) == ["start"] and str(found.causes[0]) == "B is A rotated one position further"
    other = sinpos.Encoding(64, layout="interleaved").rotate_(x.copy())
    found = sinpos.diff(a, other, rotated=True, input=x)
    assert [(c.kind, c.a, c.b) for c in found.causes] == [("layout", "halves", "interleaved")]


@pytest.mark.parametrize("call, what", [
    (lambda: sinpos.diff("vaswani", "rope"), "one of the two"), (lambda: sinpos.diff(TABLE, TABLE[0]), "two dimensions"),
    (lambda: sinpos.diff(TABLE, TABLE, heads=2), "rotated"), (lambda: sinpos.diff(TABLE, TABLE[:9], rotated=True), "one shape")])
def test_refusals(call, what):
    with pytest.raises(ValueError, match=what):
        call()


def test_noise_is_no_definition() -> None:
    """What made B before noise came to it makes A as well; that is no reason why they differ."""
    noisy = (TABLE + np.random.default_rng(3).normal(scale=0.003, size=TABLE.shape)).astype(np.float32)
    to_noisy, from_noisy = sinpos.diff(TABLE, noisy), sinpos.diff(noisy, TABLE)
    assert kinds(to_noisy) == kinds(from_noisy) == ["noise"]
    assert abs(to_noisy.causes[0].b - 0.003) < 0.0003 and abs(from_noisy.causes[0].a - 0.003) < 0.0003
    assert to_noisy.wrong > TABLE.size * 0.99 and from_noisy.wrong == 0
