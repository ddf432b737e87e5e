"""torch.onnx.export of models with modules of sinpos.torch: the graphs of sinpos.onnx, run by ONNX Runtime where it is."""
import importlib.util
import io
import subprocess
import sys
import warnings

import numpy as np
import pytest

import sinpos

torch = pytest.importorskip("torch")
if int(torch.__version__.split(".")[0]) < 2:
    pytest.skip("the exporter of Debian's PyTorch 1.13 ends the process once onnx is loaded", allow_module_level=True)
onnx = pytest.importorskip("onnx")
import sinpos.onnx  # noqa: E402
from sinpos.torch import AddPositions, RotaryEmbedding, SinusoidalEmbedding  # noqa: E402

# Where libraries of the system are shared, PyTorch, onnx's checker and ONNX Runtime do not always bear one another.
APART = """
import sys
import numpy, onnx
model = onnx.load(sys.argv[1])
onnx.checker.check_model(model)
assert {node.domain for node in model.graph.node} <= {"", "ai.onnx"}
if len(sys.argv) > 2:
    import onnxruntime
    session = onnxruntime.InferenceSession(sys.argv[1], providers=["CPUExecutionProvider"])
    for path in sys.argv[2:]:
        with numpy.load(path) as given:
            got, = session.run(None, dict(given))
        numpy.save(path + ".npy", got)
"""


def run_apart(*paths):
    done = subprocess.run([sys.executable, "-c", APART, *map(str, paths)], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-2000:]


def exported(model, *inputs, dynamic=None):
    """The bytes of the model's file."""
    file = io.BytesIO()
    names = [f"in{k}" for k in range(len(inputs))]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(model.eval(), inputs, file, opset_version=13, input_names=names,
                          dynamic_axes=dict(zip(names, dynamic or [])), dynamo=False)
    return file.getvalue()


class Model(torch.nn.Module):
    """What a model does with all three."""

    def __init__(self):
        super().__init__()
        self.add = AddPositions(16)
        self.project = torch.nn.Linear(16, 32)
        self.rope = RotaryEmbedding(16, "hf_rope")
        self.clock = SinusoidalEmbedding(16, "diffusers_timestep")

    def forward(self, x, time):
        y = self.project(self.add(x) + self.clock(time)[:, None])
        return self.rope(y.unflatten(-1, (2, 16)).transpose(1, 2), start=5)


CASES = {
    "embedding": (SinusoidalEmbedding(16), lambda n: [torch.arange(3 * n).reshape(3, n) * 1000]),
    "real positions": (SinusoidalEmbedding(16), lambda n: [torch.linspace(0, 1000, 3 * n).reshape(3, n)]),
    "add": (AddPositions(16), lambda n: [torch.randn(3, n, 16)]),
    "add, rows first": (AddPositions(16, axis=-3), lambda n: [torch.randn(n, 3, 16)]),
    "rotate": (RotaryEmbedding(16, "hf_rope"), lambda n: [torch.randn(2, 3, n, 16)]),
    "rotate, heads last": (RotaryEmbedding(16, "llama_reference_rope", axis=-3), lambda n: [torch.randn(2, n, 3, 16)]),
    "model": (Model(), lambda n: [torch.randn(3, n, 16), torch.tensor([1, 500, 999])]),
}
ROWS = {"add, rows first": 0, "rotate": 2}


@pytest.mark.parametrize("what", CASES)
@pytest.mark.parametrize("kind", ["float64", "float32"])
def test_export(tmp_path, what, kind):
    model, inputs = CASES[what]
    if what == "real positions" and kind == "float32":
        pytest.skip("this kind takes whole positions")
    torch.manual_seed(1)
    sinpos.onnx.use_in_torch_export(kind)
    dynamic = [{ROWS.get(what, 1): "n"}]
    path = tmp_path / "model.onnx"
    path.write_bytes(exported(model, *inputs(4), dynamic=dynamic))
    if importlib.util.find_spec("onnxruntime") is None:
        run_apart(path)
        pytest.skip("exported and checked; no onnxruntime here to run it")
    given = {tmp_path / f"{n}.npz": inputs(n) for n in (4, 100)}
    for file, tensors in given.items():
        np.savez(file, **{f"in{k}": x.numpy() for k, x in enumerate(tensors)})
    run_apart(path, *given)
    for file, tensors in given.items():
        with torch.no_grad():
            want = model(*tensors).numpy()
        got = np.load(f"{file}.npy")
        assert got.dtype == want.dtype and got.shape == want.shape
        assert np.abs(got - want).max() < 2e-6


@pytest.mark.parametrize("model, inputs", [
    (SinusoidalEmbedding(16, learnable=True), (torch.arange(5),)),
    (SinusoidalEmbedding(16, "fairseq", padding_idx=1), (torch.arange(5),)),
], ids=["learnable", "padding"])
def test_no_graph(model, inputs):
    sinpos.onnx.use_in_torch_export()
    with pytest.raises(Exception, match="cannot be exported|write its table"):
        exported(model, *inputs)


def test_refused():
    with pytest.raises(ValueError, match="kind must be"):
        sinpos.onnx.use_in_torch_export("table")
