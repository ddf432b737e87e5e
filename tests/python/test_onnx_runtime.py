"""The graphs in ONNX Runtime, at every level of its optimisation, and in onnx's own evaluator: as exact as they say."""
import numpy as np
import pytest

import sinpos

onnx = pytest.importorskip("onnx")
import sinpos.onnx  # noqa: E402

try:  # first: ONNX Runtime may share onnx's library, and adds operators that the evaluator does not expect
    from onnx.reference import ReferenceEvaluator
except ImportError:
    ReferenceEvaluator = None
try:
    import onnxruntime
except ImportError:
    onnxruntime = None

if onnxruntime is None and ReferenceEvaluator is None:
    pytest.skip("no onnxruntime here, and an onnx without an evaluator: test_onnx.py has an interpreter",
                allow_module_level=True)
needs_runtime = pytest.mark.skipif(onnxruntime is None, reason="no onnxruntime here: test_onnx.py has an interpreter")
needs_reference = pytest.mark.skipif(ReferenceEvaluator is None, reason="this onnx has no reference evaluator")
rounds_bfloat16 = tuple(map(int, onnx.__version__.split(".")[:2])) >= (1, 20)
LEVELS = ["ORT_DISABLE_ALL", "ORT_ENABLE_BASIC", "ORT_ENABLE_EXTENDED", "ORT_ENABLE_ALL"]
NUMPY = {"float64": np.float64, "float32": np.float32, "float16": np.float16, "bfloat16": np.float32}


def plain(model):
    """bfloat16 at the ends of the graph, which NumPy has not, as float32."""
    for info in model.graph.input:
        if info.type.tensor_type.elem_type == onnx.TensorProto.BFLOAT16:
            short = info.name + "_bfloat16"
            for node in model.graph.node:
                node.input[:] = [short if name == info.name else name for name in node.input]
            model.graph.node.insert(0, onnx.helper.make_node("Cast", [info.name], [short], to=onnx.TensorProto.BFLOAT16))
            info.type.tensor_type.elem_type = onnx.TensorProto.FLOAT
    output = model.graph.output[0]
    if output.type.tensor_type.elem_type == onnx.TensorProto.BFLOAT16:
        model.graph.node.append(onnx.helper.make_node("Cast", [output.name], ["plain"], to=onnx.TensorProto.FLOAT))
        output.name, output.type.tensor_type.elem_type = "plain", onnx.TensorProto.FLOAT
    return model


def session(model, level="ORT_ENABLE_ALL"):
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = getattr(onnxruntime.GraphOptimizationLevel, level)
    options.log_severity_level, options.intra_op_num_threads = 4, 1
    return onnxruntime.InferenceSession(plain(model).SerializeToString(), options, providers=["CPUExecutionProvider"])


def positions_below(largest, n=400):
    rng = np.random.default_rng(3)
    return np.concatenate([[0, 1, largest, -largest, largest - 1], rng.integers(-largest, largest, n)])


ENCODINGS = [
    {"dim": 512}, {"dim": 7, "odd": "zero"}, {"dim": 1, "odd": "zero"}, {"dim": 8, "amplitude": 3.0, "phase": -20.5},
    {"dim": 30, "layout": "halves", "order": "cos-sin", "divisor": 14}, {"dim": 8, "phase_turns": 0.125},
    {"theta": [-1.0, 0.0, 3.0, 1e-9]}, {"schedule": "octave", "dim": 6}, {"convention": "whisper", "dim": 64},
]
TYPES = [("float64", "float64"), ("float64", "float32"), ("float64", "float16"), ("float64", "bfloat16"),
         ("float32", "float32"), ("float32", "float16"), ("float32", "bfloat16")]


@needs_runtime
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("kind, dtype", TYPES)
def test_error_is_within_the_bound(kind, dtype, level):
    """Positions far beyond those of the doc_string too, with the bound for them."""
    for words in ENCODINGS:
        enc = sinpos.Encoding(**words)
        run = session(sinpos.onnx.model(enc, kind, dtype=dtype), level)
        for largest in (2**10, 2**20, 2**31, 2**40, 2**62):
            positions = positions_below(largest)
            got = run.run(None, {"positions": positions})[0]
            assert got.dtype == NUMPY[dtype] and got.shape == (*positions.shape, enc.dim)
            error = np.abs(got - enc(positions, dtype="float64")).max()
            assert error <= sinpos.onnx.error_bound(enc, kind, largest, dtype), (words, largest)


@needs_runtime
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("dtype", ["float64", "float32", "float16", "bfloat16"])
def test_table_has_the_bytes(dtype, level):
    enc = sinpos.Encoding(dim=20)
    for start in (0, -5, 10**12):
        run = session(sinpos.onnx.model(enc, "table", length=40, start=start, dtype=dtype, shape=("a", "b")), level)
        positions = np.array([[0, 3], [34, 1]]) + start
        got, = run.run(None, {"positions": positions})
        if dtype == "bfloat16":
            want = (enc(positions, dtype="bfloat16_bits").astype(np.uint32) << 16).view(np.float32)
        else:
            want = enc(positions, dtype=dtype)
        assert got.tobytes() == want.tobytes()
        with pytest.raises(Exception, match="out of data bounds"):
            run.run(None, {"positions": np.array([[start + 40]])})


@needs_runtime
@pytest.mark.parametrize("kind", ["float64", "float32"])
def test_shapes(kind):
    enc = sinpos.Encoding(dim=20)
    for shape in ((), (0,), (1,), (3, 4), (2, 0, 3), (2, 3, 4)):
        positions = np.random.default_rng(0).integers(-10**6, 10**6, shape)
        got, = session(sinpos.onnx.model(enc, kind, shape=[f"n{k}" for k in range(len(shape))])).run(
            None, {"positions": positions})
        assert got.shape == (*shape, 20)
        assert np.abs(got - enc(positions, dtype="float64")).max(initial=0) <= sinpos.onnx.error_bound(enc, kind)


@needs_runtime
def test_real_positions():
    enc, real = sinpos.Encoding(dim=32), np.linspace(-1000, 1000, 77)
    for dtype in ("float64", "float32"):
        got, = session(sinpos.onnx.model(enc, positions_dtype=dtype)).run(None, {"positions": real.astype(dtype)})
        error = np.abs(got - enc(real.astype(dtype), dtype="float64")).max()
        assert error <= sinpos.onnx.error_bound(enc, "float64", 1000)


ROTARY = [({"dim": 16}, 16), ({"dim": 16, "layout": "halves"}, 16), ({"dim": 16, "convention": "hf_rope"}, 24),
          ({"dim": 16, "convention": "hf_rope", "rope_type": "yarn", "factor": 4, "max_position_embeddings": 8192}, 16)]


def rotation_errors(enc, width, run, dtype, shape):
    """|error| of the rotated q, over the length of each pair."""
    rng = np.random.default_rng(1)
    q = rng.standard_normal((2, 3, 5, width))
    q = (np.round(q * 64) / 64).astype(NUMPY[dtype])  # numbers of all these types
    positions = rng.integers(-10**6, 10**6, shape)
    got = run({"q": q, "positions": positions}).astype(np.float64)
    where = np.broadcast_to(positions, (2, 3, 5))
    want = np.stack([[enc.rotate_(q[b, h].astype(np.float64), positions=where[b, h], partial=True) for h in range(3)]
                     for b in range(2)])
    assert np.array_equal(got[..., 16:], q[..., 16:])
    first, second = np.array([tone[:2] for tone in enc.rotation_plan.tones()]).T
    lengths = np.hypot(q[..., first], q[..., second]).astype(np.float64)
    errors = np.abs(got - want)
    return np.maximum(errors[..., first], errors[..., second]) / lengths


@needs_runtime
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("words, width", ROTARY, ids=str)
@pytest.mark.parametrize("kind, dtype", TYPES)
def test_rotation(kind, dtype, words, width, level):
    enc = sinpos.Encoding(**words)
    for shape in ((5,), (2, 1, 5)):
        model = sinpos.onnx.rotary_model(enc, kind, width=width, dtype=dtype, positions_shape=shape)
        bound = sinpos.onnx.rotary_error_bound(enc, kind, dtype=dtype)
        assert f"error at most {bound:.3g} times the length" in model.doc_string
        run = session(model, level)
        errors = rotation_errors(enc, width, lambda inputs: run.run(None, inputs)[0], dtype, shape)
        assert errors.max() <= bound


@needs_runtime
def test_later_opsets():
    """The graph carried to what exporters write today."""
    enc, positions = sinpos.Encoding(dim=64), positions_below(2**20)
    newest = min(onnx.defs.onnx_opset_version(), 21)
    for kind in ("float64", "float32"):
        want, = session(sinpos.onnx.model(enc, kind)).run(None, {"positions": positions})
        for opset in range(14, newest + 1):
            model = onnx.version_converter.convert_version(sinpos.onnx.model(enc, kind), opset)
            assert model.opset_import[0].version == opset
            got, = session(model).run(None, {"positions": positions})
            assert got.tobytes() == want.tobytes()


@needs_reference
@pytest.mark.parametrize("kind, dtype", [*TYPES, ("table", "float32"), ("table", "bfloat16")])
def test_reference_evaluator(kind, dtype):
    if dtype == "bfloat16" and not rounds_bfloat16:
        pytest.skip("the evaluator of onnx 1.17 cuts numbers off at bfloat16, where the operator rounds")
    enc = sinpos.Encoding(dim=20, amplitude=1.5)
    model = sinpos.onnx.model(enc, kind, dtype=dtype, length=40 if kind == "table" else None)
    positions = np.arange(40) if kind == "table" else positions_below(2**20)
    got, = ReferenceEvaluator(plain(model)).run(None, {"positions": positions})
    error = np.abs(got.astype(np.float64) - enc(positions, dtype="float64")).max()
    assert error <= sinpos.onnx.error_bound(enc, kind, 2**20, dtype)


@needs_reference
@pytest.mark.parametrize("kind, dtype", TYPES)
def test_rotation_by_the_reference_evaluator(kind, dtype):
    if dtype == "bfloat16" and not rounds_bfloat16:
        pytest.skip("the evaluator of onnx 1.17 cuts numbers off at bfloat16, where the operator rounds")
    for words, width in ROTARY:
        enc = sinpos.Encoding(**words)
        run = ReferenceEvaluator(plain(sinpos.onnx.rotary_model(enc, kind, width=width, dtype=dtype)))
        errors = rotation_errors(enc, width, lambda inputs: run.run(None, inputs)[0], dtype, (5,))
        assert errors.max() <= sinpos.onnx.rotary_error_bound(enc, kind, dtype=dtype)
