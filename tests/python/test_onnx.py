"""ONNX graphs: valid, and as exact as they say. Evaluated by a small interpreter in NumPy, for onnx 1.12 has none."""
import doctest

import numpy as np
import pytest

import sinpos

onnx = pytest.importorskip("onnx")
import sinpos.onnx  # noqa: E402
from onnx import numpy_helper  # noqa: E402

CASTS = {1: np.float32, 7: np.int64, 10: np.float16, 11: np.float64}


def toward_zero(a, b):
    return (np.sign(a) * (np.abs(a) // b)).astype(np.int64)


OPERATORS = {
    "Add": lambda a, b: a + b, "Sub": lambda a, b: a - b, "Mul": lambda a, b: a * b, "Mod": np.mod, "Div": toward_zero,
    "Sin": np.sin, "Cos": np.cos, "Identity": lambda a: a,
    "Cast": lambda a, to: a.astype(CASTS[to]), "Concat": lambda *a, axis: np.concatenate(a, axis),
    "Gather": lambda a, i, axis: np.take(a, i, axis), "Unsqueeze": lambda a, axes: np.expand_dims(a, tuple(axes)),
}


def elements(tensor):
    if tensor.data_type == onnx.TensorProto.BFLOAT16:
        return np.frombuffer(tensor.raw_data, "<u2").reshape(tensor.dims)
    return numpy_helper.to_array(tensor)


def run(model, **inputs):
    onnx.checker.check_model(model, full_check=True)
    values = {**inputs, **{t.name: elements(t) for t in model.graph.initializer}}
    with np.errstate(over="raise"):
        for node in model.graph.node:
            assert not (node.op_type == "Cos" and values[node.input[0]].dtype == np.float64), "not in ONNX Runtime"
            attributes = {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute}
            got = OPERATORS[node.op_type](*(values[name] for name in node.input), **attributes)
            want = {values[name].dtype for name in node.input if node.op_type in ("Add", "Sub", "Mul", "Div", "Mod")}
            assert len(want) <= 1 and (not want or got.dtype == want.pop()), node
            values[node.output[0]] = got
    return values[model.graph.output[0].name]


def test_examples():
    assert doctest.testmod(sinpos.onnx).failed == 0


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16", "bfloat16"])
def test_table_has_the_bytes(dtype):
    enc = sinpos.Encoding(dim=20)
    word = "bfloat16_bits" if dtype == "bfloat16" else dtype
    for start in (0, -5):
        model = sinpos.onnx.model(enc, "table", length=40, start=start, dtype=dtype)
        positions = np.array([[0, 3], [34, 1]])
        assert run(model, positions=positions).tobytes() == enc(positions, dtype=word).tobytes()


def test_table_of_any_convention():
    enc = sinpos.Encoding(convention="fairseq", dim=16)
    assert not enc.is_direct
    model = sinpos.onnx.model(enc, "table", length=30)
    assert run(model, positions=np.arange(30)).tobytes() == enc.table(30).tobytes()
    with pytest.raises(ValueError, match="table"):
        sinpos.onnx.model(enc)


ENCODINGS = [
    {"dim": 64}, {"dim": 7}, {"dim": 7, "odd": "zero"}, {"dim": 1, "odd": "zero"}, {"dim": 30, "layout": "halves"},
    {"dim": 30, "layout": "halves", "order": "cos-sin", "divisor": 14}, {"dim": 8, "amplitude": 3.0, "phase": -20.5},
    {"dim": 8, "phase_turns": 0.125}, {"theta": [-1.0, 0.0, 3.0, 1e-9]}, {"schedule": "octave", "dim": 6},
    {"convention": "whisper", "dim": 64}, {"convention": "ddpm", "dim": 64},
]
RANGES = [2**10, 2**20, 2**31]


def positions_below(largest, n=500):
    rng = np.random.default_rng(3)
    ends = np.array([0, 1, largest, -largest, largest - 1])
    return np.concatenate([ends, rng.integers(-largest, largest, n)])


@pytest.mark.parametrize("kind", ["float64", "float32"])
@pytest.mark.parametrize("words", ENCODINGS, ids=str)
def test_error_is_within_the_bound(words, kind):
    enc = sinpos.Encoding(**words)
    for largest in RANGES:
        positions = positions_below(largest)
        got = run(sinpos.onnx.model(enc, kind, largest=largest), positions=positions)
        assert got.dtype == np.float32 and got.shape == positions.shape + (enc.dim,)
        result = sinpos.audit(got, enc, positions=positions)
        assert result.max_abs_error <= sinpos.onnx.error_bound(enc, kind, largest)


def test_every_convention():
    """Whatever is a function of the position alone."""
    n = 0
    for name in (c.name for c in sinpos.conventions()):
        try:
            enc = sinpos.Encoding(convention=name)
            models = [(kind, sinpos.onnx.model(enc, kind, shape=("n", enc.axes)[:min(enc.axes, 2)]))
                      for kind in ("float64", "float32")]
        except ValueError:
            continue
        n += 1
        positions = np.random.default_rng(7).integers(0, 2**20, (40, enc.axes) if enc.axes > 1 else 40)
        for kind, model in models:
            error = np.abs(run(model, positions=positions) - enc(positions, dtype="float64")).max()
            assert error <= sinpos.onnx.error_bound(enc, kind), name
    assert n > 70


def test_figures_that_are_told():
    """The bounds are near what is measured, and the usual graph is as wrong as the documentation says."""
    enc = sinpos.Encoding(dim=512)
    positions = positions_below(2**20, 3000)
    for kind, most in (("float64", 3.1e-8), ("float32", 1.5e-7)):
        got = run(sinpos.onnx.model(enc, kind), positions=positions)
        result = sinpos.audit(got, enc, positions=positions)
        assert result.max_abs_error < most
    p = np.arange(10**6 - 1000, 10**6, dtype=np.float32)[:, None]
    usual = np.sin(p * enc.frequencies.astype(np.float32))
    exact = enc(np.arange(10**6 - 1000, 10**6), dtype="float64")[:, ::2]
    assert 0.05 < np.abs(usual - exact).max() < 0.07


def test_real_positions_and_other_types():
    enc = sinpos.Encoding(dim=32)
    real = np.linspace(-1000, 1000, 77).reshape(7, 11)
    for dtype in ("float64", "float32", "float16"):
        model = sinpos.onnx.model(enc, dtype=dtype, positions_dtype="float64", shape=("b", "n"))
        result = sinpos.audit(run(model, positions=real).reshape(77, 32), enc, positions=real.reshape(77))
        assert result.max_abs_error <= sinpos.onnx.error_bound(enc, "float64", 1000, dtype)
    single = real.astype(np.float32)
    got = run(sinpos.onnx.model(enc, positions_dtype="float32", shape=("b", "n")), positions=single)
    assert np.abs(got - enc(single, dtype="float64")).max() < 1e-7


ROTARY = [({"dim": 16}, 16), ({"dim": 16, "layout": "interleaved"}, 16), ({"dim": 16, "convention": "hf_rope"}, 24)]


@pytest.mark.parametrize("words,width", ROTARY, ids=str)
@pytest.mark.parametrize("kind", ["float64", "float32"])
def test_rotation(words, width, kind):
    enc = sinpos.Encoding(**words)
    rng = np.random.default_rng(1)
    q = rng.standard_normal((2, 3, 5, width)).astype(np.float32)
    for positions in (rng.integers(0, 10**6, 5), rng.integers(0, 10**6, (2, 1, 5))):
        model = sinpos.onnx.rotary_model(enc, kind, width=width, positions_shape=positions.shape)
        got = run(model, q=q, positions=positions)
        broadcast = np.broadcast_to(positions, (2, 3, 5))
        want = np.stack([[enc.rotate_(q[b, h].copy(), positions=broadcast[b, h], partial=True) for h in range(3)]
                         for b in range(2)])
        assert np.abs(got - want).max() < 2e-6 and np.array_equal(got[..., 16:], q[..., 16:])


def test_graph_joins_another():
    """Two parts with different prefixes in one graph."""
    enc = sinpos.Encoding(dim=8)
    first = sinpos.onnx.graph(enc, "float32", output="a", prefix="one_")
    second = sinpos.onnx.graph(enc, "table", length=9, output="b", prefix="two_")
    make = onnx.helper.make_tensor_value_info
    joined = onnx.helper.make_graph(
        [*first.nodes, *second.nodes, onnx.helper.make_node("Sub", ["a", "b"], ["c"])], "g",
        [make("positions", onnx.TensorProto.INT64, ["n"])], [make("c", onnx.TensorProto.FLOAT, ["n", 8])],
        [*first.initializers, *second.initializers])
    model = onnx.helper.make_model(joined, opset_imports=[onnx.helper.make_opsetid("", 13)])
    assert np.abs(run(model, positions=np.arange(9))).max() < 1.5e-7


@pytest.mark.parametrize("words", [{"kind": "other"}, {"kind": "float32", "dtype": "float64"},
                                   {"kind": "float32", "positions_dtype": "float32"}, {"kind": "table"},
                                   {"kind": "float64", "length": 4}], ids=str)
def test_refused(words):
    with pytest.raises(ValueError):
        sinpos.onnx.model(sinpos.Encoding(dim=8), **words)


@pytest.mark.parametrize("function", [sinpos.onnx.graph, sinpos.onnx.model, sinpos.onnx.rotary_graph, sinpos.onnx.rotary_model,
                                      lambda encoding: sinpos.onnx.error_bound(encoding, "float64")])
def test_what_is_no_encoding(function):
    with pytest.raises(TypeError, match="encoding must be an Encoding, not str"):
        function("whisper")


@pytest.mark.parametrize("kind, dtype", [("float64", "float64")] + [
    (kind, dtype) for kind in ("float64", "float32") for dtype in ("float32", "float16", "bfloat16")])
def test_rotary_bound_covers_every_rounding(kind, dtype):
    """Sines and cosines that err by all they may, and every rounding of u cos - v sin at its worst: for the worst u, v, angle."""
    rope, waves = sinpos.Encoding(dim=64, convention="hf_rope"), sinpos.Encoding(dim=64)
    work = dtype if dtype == "float64" else "float32"
    rounding = {"float64": 2.0**-53, "float32": 2.0**-24}[work]
    last = {"float16": 2.0**-11, "bfloat16": 2.0**-8}.get(dtype, 0)
    turn = np.linspace(0, 2 * np.pi, 721)
    u, v = np.cos(turn)[:, None], np.sin(turn)[:, None]
    cosine, sine = np.cos(turn), np.sin(turn)
    for largest in (1, 2**20):
        wave = sinpos.onnx.error_bound(waves, kind, largest, work)
        worst = (wave * (abs(u) + abs(v)) + rounding * (abs(u * cosine) + abs(v * sine) + abs(u * cosine - v * sine))).max() + last
        assert worst <= sinpos.onnx.rotary_error_bound(rope, kind, largest, dtype) <= 3 * worst
