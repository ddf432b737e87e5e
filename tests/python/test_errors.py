"""Wrong calls as people make them: each error names the argument, says what is wrong with it and, where it can, what to do."""
import numpy as np
import pytest

import sinpos
from sinpos import Encoding

ENC, ODD, WHISPER = Encoding(dim=8), Encoding(dim=7), Encoding(dim=80, convention="whisper")
ROPE = Encoding(convention="hf_rope", head_dim=8)
REPLAYED = Encoding(convention="hf_rope", head_dim=8, arithmetic="published")
MAE = Encoding(convention="mae", embed_dim=32, grid_size=3)
X = np.zeros((4, 8), np.float32)
FIXED = X.copy()
FIXED.flags.writeable = False

DEFINITIONS = [
    ('Encoding("whisper")', TypeError, r"""dim must be an integer, not str\nhint: convention='whisper'"""),
    ("Encoding(True)", TypeError, "dim must be an integer, not bool"),
    ("Encoding(8.0)", TypeError, "dim must be an integer, not float"),
    ("Encoding(8, base=10**400)", OverflowError, "base is beyond"),
    ("Encoding(64, 'hf_rope', rope_theta=2**53 + 1)", OverflowError, r"rope_theta: 9007199254740993 is beyond 2\^53, and a double cannot hold it"),
    ("Encoding(64, 'hf_rope', rope_theta=np.int64(2**63 - 1))", OverflowError, "a double cannot hold it"),
    ("Encoding(64, 'hf_rope', rope_theta=[1, 2**53 + 1])", OverflowError, "rope_theta: 9007199254740993 is beyond"),
    ("Encoding(64, 'hf_rope', rope_theta=np.array([2**63 - 1]))", OverflowError, "rope_theta: 9223372036854775807 is"),
    ("Encoding(8, base=np.ones(3))", TypeError, "base must be one number, not ndarray"),
    ("Encoding(d_model=8)", TypeError, r"unknown word 'd_model'.*\nhint: say dim$"),
    ("Encoding(8, max_len=5000)", TypeError, r"\nhint: leave it out: there is no longest position$"),
    ("Encoding(8, max_timescale=5000)", TypeError, r"\nhint: say base$"),
    ("Encoding(8, Bse=10)", TypeError, r"unknown word 'Bse'.*\nhint: did you mean base\?"),
    ("Encoding(8, grid_size=10)", TypeError, r"\nhint: Encoding\(dim, convention="),
    ("Encoding(8, layout=['halves'])", TypeError, "layout must be text, not list"),
    ("Encoding(8, schedule='linear')", ValueError, "geometric, power, octave, turns or explicit, not 'linear'"),
    ("Encoding(8, schedule='turns')", ValueError, "'turns' needs theta, a list of 4 frequencies for dim 8"),
    ("Encoding(8, theta=[1, 2])", ValueError, "theta must hold 4 numbers, one for each frequency of dim 8, not 2"),
    ("Encoding(7, odd='zero', theta=[1, 2])", ValueError, "theta must hold 3 numbers"),
    ("Encoding(8, factor=[1, 2])", ValueError, "factor must hold 4 numbers"),
    ("Encoding(theta=[])", ValueError, "theta .* empty"),
    ("Encoding(4, theta=['a', 'b'])", TypeError, "theta must be .*, not text"),
    ("Encoding(8, arithmetic='published')", ValueError, "hint: name the convention"),
    ("Encoding(8, arithmetic='float32-pov')", ValueError, r"'float32-pov': .*\nhint: did you mean float32-pow\?"),
    ("Encoding(8, arithmetic=3)", TypeError, "arithmetic must be text, not int"),
    ("Encoding(8, convention='')", ValueError, "'': no convention has this name"),
    ("Encoding(8, convention=3)", TypeError, "convention must be the name of a convention, not int"),
    ("Encoding(convention='marian')", ValueError, "did you mean hf_marian .as in Transformers. or marian_nmt_cpp"),
    ("Encoding(convention='rope')", ValueError, "did you mean .*hf_rope"),
    ("Encoding(convention='x' * 500)", ValueError, "^x{80}: no convention"),
    ("Encoding(convention='hf_rope', head_dim=-8)", ValueError, "head_dim must not be negative; it is -8"),
    ("Encoding(80, 'whisper', channels=64)", ValueError, "calls its dim channels, and two values"),
    ("Encoding(80, 'whisper', max_timscale=1)", ValueError, r"'max_timscale'; it has length, .*\nhint: did you mean max_timescale"),
]
ROWS = [
    ("ENC.table('10')", TypeError, "length must be an integer, not str"),
    ("ENC.table(True)", TypeError, "length must be an integer, not bool"),
    ("ENC.table([0, 1])", TypeError, r"length must be an integer, not list\nhint: .*encoding\(positions\)"),
    ("ENC.table(2**62)", ValueError, r"shape \(4611686018427387904, 8\) is larger than any"),
    ("ENC.table(3, start=2**63)", OverflowError, "start must be below"),
    ("ENC.table(3, dtype='float8')", TypeError, "dtype must be float64, .*, not 'float8'"),
    ("ENC.table(3, dtype='float')", TypeError, "say which"),
    ("ENC.table(3, dtype='>f4')", TypeError, "dtype must be"),
    ("ENC.table(3, dtype=[1])", TypeError, r"dtype must be .*, not \[1\]"),
    ("ENC.table(3, dtype=3)", TypeError, "dtype must be .*, not 3"),
    ("ENC.table(4, out=FIXED)", ValueError, "out is read-only"),
    ("ENC.table(4, out=X.astype('>f4'))", TypeError, "out holds >f4, the byte order"),
    ("ENC.table(3, threads=1.5)", TypeError, "threads must be an integer, not float"),
    ("MAE.table(5)", ValueError, r"mae_2d has 2 coordinates and rows of its own\nhint: leave length"),
    ("ENC(None)", TypeError, "positions must be .*, not NoneType"),
    ("ENC([1, None])", TypeError, "positions must be .*, not NoneType"),
    ("ENC(['1'])", TypeError, "positions must be .*, not text"),
    ("ENC({1, 2})", TypeError, "positions must be .*, not set"),
    ("ENC(i for i in range(3))", TypeError, "positions must be .*, not generator"),
    ("ENC([1, [2, 3]])", (TypeError, ValueError), "positions .*list"),
    ("ENC(float('inf'))", ValueError, "a position is not finite$"),
    ("MAE(3)", ValueError, r"positions must have shape \(..., 2\)"),
    ("ENC.gradient(1, wrt=['theta'])", ValueError, "wrt must be positions or theta"),
    ("Encoding(8, arithmetic='float32-pow').gradient(1)", ValueError, "roundings have no derivatives"),
    ("ENC.save('/nowhere/pe.npy', 3)", FileNotFoundError, "'/nowhere/pe.npy'"),
]
WORK = [
    ("ENC.add_(FIXED)", ValueError, "x is read-only"),
    ("ENC.add_(np.zeros((4, 9), np.float32))", ValueError, "9 columns, and the encoding 8"),
    ("ENC.add_(X, 0, [0, 1, 2, 3])", ValueError, "start or positions, not both"),
    ("MAE.add_(np.zeros((9, 32), np.float32), start=1)", ValueError, r"give positions \(..., n, 2\), not start"),
    ("ENC.rotate_(X, start=1.5)", TypeError, "start must be an integer, not float"),
    ("WHISPER.rotate_(np.zeros((4, 80)))", ValueError, "whisper_sinusoids is not rotary"),
    ("ENC.rotate_(np.zeros((4, 7)))", ValueError, "a head has 7 columns, and 8 are to be rotated"),
    ("ENC.rotate_(np.zeros((2, 4, 7)), axis=-3)", ValueError, "a head has 7 columns, and 8 are to be rotated"),
    ("ROPE.rotate_(np.zeros((4, 7)))", ValueError, "a head has 7 columns, and 8 are to be rotated"),
    ("REPLAYED.rotate_(np.zeros((4, 7), np.float32))", ValueError, "a head has 7 columns, and 8 are to be rotated"),
    ("ENC.shift('1')", TypeError, "k must be an integer, not str"),
    ("ENC.shift(2**63)", OverflowError, "k must be below"),
    ("ODD.shift(1)", ValueError, r"Encoding\(dim=7\) lacks a column of one\nhint: take an even dim"),
    ("ODD.shift_(np.zeros((2, 7)), 1)", ValueError, "lacks a column"),
    ("MAE.shift(1)", ValueError, "shift needs sines .* one coordinate"),
    ("Encoding(convention='nerf').shift(1)", ValueError, "shift needs sines .* other columns"),
]
ANALYSIS = [
    ("ENC.kernel('a')", TypeError, "offsets must be .*, not text"),
    ("ENC.kernel([1, np.nan])", ValueError, "an offset is not finite$"),
    ("MAE.kernel([1])", ValueError, "kernel needs sines .* one coordinate"),
    ("ENC.kernel_first_negative(-1)", ValueError, "limit must not be negative"),
    ("ENC.kernel_first_negative(progress=3)", TypeError, "progress must be a function"),
    ("ENC.distance_matrix(-1)", ValueError, "n must not be negative"),
    ("ENC.separation(100, count=0)", ValueError, "count must be 1 or more, not 0"),
    ("ENC.separation(100, count=4097)", ValueError, "count must be at most 4096"),
    ("ENC.separation('a')", TypeError, "n must be an integer, not str"),
    ("ENC.distinct(10, dtype=None)", TypeError, "dtype must be"),
    ("sinpos.check(ENC, length=0)", ValueError, "length must be 1 or more, not 0"),
    ("sinpos.check(ENC, ['relative'])", TypeError, "a claim must be given by its name, not list"),
    ("sinpos.check(ENC, thresholds={'relative': 0.1})", ValueError, "relative: its threshold is not a choice: it follows"),
    ("sinpos.check(ENC, thresholds={'decay': -1})", ValueError, "'decay'] must be a number, 0 or more, not -1"),
    ("sinpos.check(ENC, thresholds={'decya': 1})", ValueError, "decya: no such claim"),
    ("sinpos.check(ENC, words=np.zeros((4, 3)))", ValueError, "words must have shape"),
    ("sinpos.check(ENC, words=np.zeros((4, 8), int))", TypeError, "words holds int64, not floating-point numbers"),
    ("sinpos.check('whisper')", TypeError, "encoding must be an Encoding, not str"),
    ("sinpos.audit(ENC, X)", TypeError, r"encoding must be an Encoding, not ndarray: audit\(table, encoding\)"),
    ("sinpos.audit(X, ENC, start=1, positions=[0, 1, 2, 3])", ValueError, "not both"),
    ("sinpos.audit(np.float32(1), ENC)", ValueError, r"table must have shape \(n, dim\)"),
    ("sinpos.identify(np.zeros((0, 8)))", ValueError, r"shape \(0, 8\)"),
    ("sinpos.identify(np.zeros((4, 8), int))", TypeError, "table must hold .*, not int64"),
    ("sinpos.base_for_context('a')", TypeError, "context must be an integer, not str"),
    ("sinpos.base_for_context(100, dim='8')", TypeError, "dim must be an integer, not str"),
    ("sinpos.base_for_context(100, dim=0)", ValueError, "dim must be 2 or more, not 0"),
]


@pytest.mark.parametrize("call, error, words", DEFINITIONS + ROWS + WORK + ANALYSIS, ids=lambda p: p if isinstance(p, str) else "")
def test_wrong_call(call, error, words):
    with pytest.raises(error, match=words):
        eval(call)


def test_tables_that_are_read_may_be_read_only():
    table = ENC.table(64)
    table.flags.writeable = False
    assert sinpos.audit(table, ENC) and sinpos.identify(table).encoding == ENC
    assert sinpos.check(ENC, "relative", table=table)[0].verdict == "holds"
