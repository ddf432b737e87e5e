"""bfloat16 as ml_dtypes has it: the type in, the type out, and the bytes of "bfloat16_bits" everywhere."""
import copy
import pickle

import numpy as np
import pytest

import sinpos

ml_dtypes = pytest.importorskip("ml_dtypes", reason="no ml_dtypes here: bfloat16 is uint16, which the other tests cover")
BF16 = ml_dtypes.bfloat16
ENC = sinpos.Encoding(dim=16)
BITS = ENC.table(50, dtype="bfloat16_bits")


def bits_of(array):
    assert array.dtype == BF16, array.dtype
    return np.ascontiguousarray(array).view(np.uint16)


def rows(shape=(2, 50, 16), seed=5):
    return np.random.default_rng(seed).standard_normal(shape).astype(BF16)


@pytest.mark.parametrize("dtype", ["bfloat16", "bf16", BF16, np.dtype(BF16)], ids=str)
def test_tables(dtype):
    assert np.array_equal(bits_of(ENC.table(50, dtype=dtype)), BITS)
    assert np.array_equal(bits_of(ENC(np.arange(50), dtype=dtype)), BITS)
    assert bits_of(ENC.gradient([0.5, 3], dtype=dtype)).tolist() == ENC.gradient([0.5, 3], dtype="bfloat16_bits").tolist()
    named = sinpos.Encoding(80, "whisper")
    assert np.array_equal(bits_of(named.table(30, dtype=dtype)), named.table(30, dtype="bfloat16_bits"))


def test_table_is_the_exact_value_rounded_once():
    """ml_dtypes rounds float64 by way of float32: an element that it has otherwise is a tie made by that."""
    exact = sinpos.Encoding(dim=64).table(20000, dtype="float64")
    mantissa, exponent = np.frexp(exact)
    once = np.ldexp(np.rint(mantissa * 256), exponent - 8)
    assert np.array_equal(sinpos.Encoding(dim=64).table(20000, dtype=BF16).astype(np.float64), once)


def test_out():
    for words in ({}, {"dtype": "bfloat16"}, {"dtype": BF16}):
        out = np.full((50, 16), np.nan, BF16)
        assert ENC.table(50, out=out, **words) is out and np.array_equal(bits_of(out), BITS)
    bits = np.zeros((50, 16), np.uint16)
    assert ENC.table(50, out=bits, dtype=BF16) is bits and np.array_equal(bits, BITS)
    wide = np.zeros((50, 32), BF16)
    ENC.table(50, out=wide[:, :16])
    assert np.array_equal(bits_of(wide[:, :16]), BITS) and not wide[:, 16:].astype(bool).any()


WORK = {
    "add_": lambda x, **words: ENC.add_(x, start=3, **words),
    "add_ at positions": lambda x, **words: ENC.add_(x, positions=np.linspace(0, 1e6, 50), **words),
    "rotate_": lambda x, **words: ENC.rotate_(x, start=3, **words),
    "rotate_ back": lambda x, **words: ENC.rotate_(x, start=3, inverse=True, **words),
    "rotate_ transposed": lambda x, **words: ENC.rotate_(x, start=3, transpose=True, **words),
    "shift_": lambda x, **words: ENC.shift_(x[0], 7, **words),
}


@pytest.mark.parametrize("what", WORK)
def test_in_place(what):
    x = rows()
    bits = x.view(np.uint16).copy()
    WORK[what](bits, dtype="bfloat16")
    given = x.copy()
    WORK[what](x)
    assert np.array_equal(bits_of(x), bits) and not np.array_equal(bits_of(given), bits)
    apart = np.zeros((2, 50, 24), BF16)
    apart[..., :16] = given
    WORK[what](apart[..., :16])
    assert np.array_equal(bits_of(apart[..., :16]), bits) and not apart[..., 16:].astype(bool).any()


def test_add_is_the_sum_with_the_table():
    x = rows()
    total = x.astype(np.float32) + BITS.view(BF16).astype(np.float32)
    assert np.array_equal(bits_of(ENC.add_(x)), bits_of(total.astype(BF16)))


@pytest.mark.parametrize("call, words", [
    (lambda: ENC.table(50, out=np.zeros((50, 16), BF16), dtype="float32"), "holds bfloat16, not float32"),
    (lambda: ENC.table(50, out=np.zeros((50, 16), np.float32), dtype=BF16), "holds float32, not bfloat16"),
    (lambda: ENC.table(50, dtype=ml_dtypes.float8_e4m3fn), "not .*float8_e4m3fn"),
    (lambda: ENC.add_(np.ones((5, 16), ml_dtypes.float8_e5m2)), "not float8_e5m2"),
    (lambda: ENC.add_(np.ones((5, 16), "V2")), "bits of bfloat16"),
    (lambda: sinpos.save("a.safetensors", np.ones(3, ml_dtypes.int4)), "int4"),
    (lambda: sinpos.save("a.safetensors", np.ones(3, BF16), dtype="float32"), "holds bfloat16, not float32"),
], ids=range(7))
def test_refused(call, words):
    with pytest.raises(TypeError, match=words):
        call()


def test_positions():
    for values in (np.arange(50).astype(BF16), [BF16(k) for k in range(50)]):
        assert np.array_equal(ENC(values), ENC.table(50))
    assert np.array_equal(ENC(BF16(1.5)), ENC(1.5))
    assert np.array_equal(ENC.kernel(np.arange(3).astype(BF16)), ENC.kernel(range(3)))


def test_audit_and_identify():
    table = ENC.table(50, dtype=BF16)
    for words in ({}, {"dtype": "bfloat16"}, {"dtype": BF16}):
        assert sinpos.audit(table, ENC, **words) == sinpos.audit(BITS, ENC, dtype="bfloat16")
        assert sinpos.audit(table, ENC, **words)
        found = sinpos.identify(table, **words)
        assert found.encoding == ENC and found.wrong == 0
        assert np.array_equal(bits_of(found.exact(BF16)), BITS)
    table[7, 3] = np.nextafter(table[7, 3], BF16(2))
    result = sinpos.audit(table, ENC)
    assert (result.wrong, result.max_ulp, result.first_wrong) == (1, 1, (7, 3))
    table[7, 3] = np.nan
    assert sinpos.audit(table, ENC).max_ulp is None


def test_analysis():
    table = ENC.table(50, dtype=BF16)
    of_type = sinpos.check(ENC, "relative", length=50, dtype=BF16)
    assert of_type == sinpos.check(ENC, "relative", length=50, table=table)
    assert of_type == sinpos.check(ENC, "relative", length=50, table=BITS)
    assert of_type != sinpos.check(ENC, "relative", length=50)
    assert ENC.separation(300, dtype=BF16) == ENC.separation(300, dtype="bfloat16_bits") != ENC.separation(300)
    turn = sinpos.Encoding(dim=2)
    n = turn.distinct(30000, dtype=BF16)
    assert n == turn.distinct(30000, dtype="bfloat16_bits") and n.n < 30000
    assert n.n == len(np.unique(turn.table(30000, dtype=BF16).view(np.uint32)))


@pytest.mark.parametrize("mmap", [False, True])
def test_safetensors(tmp_path, mmap):
    table = ENC.table(50, dtype=BF16)
    files = [tmp_path / f"{k}.safetensors" for k in range(4)]
    sinpos.save(files[0], table)
    sinpos.save(files[1], table, dtype=BF16)
    sinpos.save(files[2], BITS, dtype="bfloat16")
    ENC.save(files[3], 50, dtype=BF16)
    assert len({file.read_bytes() for file in files}) == 1
    assert np.array_equal(bits_of(sinpos.load(files[0], mmap=mmap)), BITS)
    sinpos.save(files[0], {"a": table, "b": table.T, "c": table[::2, ::3]})
    assert np.array_equal(bits_of(sinpos.load(files[0], "b", mmap=mmap)), BITS.T)
    assert np.array_equal(bits_of(sinpos.load(files[0], "c", mmap=mmap)), BITS[::2, ::3])


def test_npy(tmp_path):
    """NumPy writes bfloat16 as two bytes of anything; what is read is not guessed."""
    file = tmp_path / "a.npy"
    for call in (lambda: sinpos.save(file, ENC.table(50, dtype=BF16)), lambda: ENC.save(file, 50, dtype=BF16)):
        with pytest.raises(ValueError, match="cannot hold bfloat16"):
            call()
    assert not file.exists()
    np.save(file, ENC.table(50, dtype=BF16))
    with pytest.raises(ValueError, match="V2'\nhint: .*view.ml_dtypes.bfloat16"):
        sinpos.load(file)
    void = np.load(file)
    assert void.dtype == "V2"
    for call in (lambda: sinpos.audit(void, ENC), lambda: sinpos.identify(void)):
        with pytest.raises(TypeError, match='void16: say dtype="bfloat16"'):
            call()
    assert sinpos.audit(void, ENC, dtype="bfloat16") and sinpos.identify(void, dtype=BF16).encoding == ENC
    assert np.array_equal(bits_of(void.view(BF16)), BITS)
    assert np.array_equal(ENC.add_(void.copy(), dtype=BF16).view(np.uint16), bits_of(ENC.add_(void.view(BF16))))


def test_copies():
    table = ENC.table(50, dtype=BF16)
    for other in (copy.deepcopy(table), pickle.loads(pickle.dumps(table))):
        assert np.array_equal(bits_of(other), BITS)
