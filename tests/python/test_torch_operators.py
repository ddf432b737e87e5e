"""sinpos.torch: operators, gradients, shapes, types, tracing."""
import io

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from hypothesis import given, settings  # noqa: E402
from hypothesis import strategies as st  # noqa: E402
from torch import nn  # noqa: E402
from torch.autograd import gradcheck, gradgradcheck  # noqa: E402

import sinpos  # noqa: E402
from sinpos.torch import AddPositions, RotaryEmbedding, SinusoidalEmbedding  # noqa: E402

TYPES = [torch.float64, torch.float32, torch.float16, torch.bfloat16]
NAMES = {torch.float64: "float64", torch.float32: "float32", torch.float16: "float16", torch.bfloat16: "bfloat16_bits"}
FEW = settings(max_examples=40, deadline=None)


def bits(x):
    """The bytes of a tensor."""
    x = x.detach().contiguous()
    return (x.view(torch.int16) if x.dtype is torch.bfloat16 else x).numpy().tobytes()


def exact(encoding, positions, dtype):
    return encoding(np.asarray(positions), dtype=NAMES[dtype]).tobytes()


# ------------------------------------------------------------------------------------------------ values


@FEW
@given(dim=st.integers(1, 33), dtype=st.sampled_from(TYPES),
       shape=st.sampled_from([(), (0,), (1,), (5,), (2, 3), (2, 0, 3)]),
       kind=st.sampled_from([torch.int64, torch.int32, torch.uint8, torch.float64, torch.float32, torch.float16]),
       layout=st.sampled_from(["interleaved", "halves"]), seed=st.integers(0, 99))
def test_encode_gives_the_bytes_of_the_library(dim, dtype, shape, kind, layout, seed):
    torch.manual_seed(seed)
    positions = (torch.rand(shape, dtype=torch.float64) * 200).to(kind)
    got = SinusoidalEmbedding(dim, layout=layout, dtype=dtype)(positions)
    assert got.shape == positions.shape + (dim,) and got.dtype is dtype
    assert bits(got) == exact(sinpos.Encoding(dim, layout=layout), positions.numpy(), dtype)


@pytest.mark.parametrize("name", ["whisper", "diffusers_timestep", "t2t_timing_1d", "hf_m2m100", "nerf_pytorch",
                                  "edm_positional"])
def test_conventions_give_the_bytes_of_the_library(name):
    module = SinusoidalEmbedding(None, name)
    shape = (3,) if module.encoding.axes == 1 else (3, module.encoding.axes)
    positions = torch.arange(1, 1 + int(np.prod(shape))).reshape(shape)
    assert bits(module(positions)) == exact(module.encoding, positions.numpy(), torch.float32)


@pytest.mark.parametrize("dtype", TYPES)
def test_positions_beyond_every_table(dtype):
    far = torch.tensor([2**62 + 1, -(2**40), 10**15])
    assert bits(SinusoidalEmbedding(64, dtype=dtype)(far)) == exact(sinpos.Encoding(64), far.numpy(), dtype)


def test_numbers_and_lists_are_positions():
    module = SinusoidalEmbedding(8)
    assert module(3).shape == (8,) and module([1, 2]).shape == (2, 8)
    assert torch.equal(module(3), module(torch.tensor(3)))
    assert torch.equal(module(0.1), module(torch.tensor(0.1, dtype=torch.float64)))


@pytest.mark.parametrize("wrong, error", [(torch.tensor([True]), TypeError), (torch.tensor([1j]), TypeError),
                                          (torch.tensor([float("nan")]), ValueError),
                                          (torch.tensor([1e30]), OverflowError)])
def test_positions_that_are_none(wrong, error):
    with pytest.raises(error):
        SinusoidalEmbedding(8)(wrong)


def test_strided_positions():
    positions = torch.arange(40).reshape(5, 8).t()[::2]
    module = SinusoidalEmbedding(6)
    assert not positions.is_contiguous()
    assert torch.equal(module(positions), module(positions.contiguous()))


# ------------------------------------------------------------------------------------------------ gradients


@pytest.mark.parametrize("layout", ["interleaved", "halves"])
@pytest.mark.parametrize("dim", [2, 8, 7])
def test_gradients_by_positions_and_theta(dim, layout):
    module = SinusoidalEmbedding(dim, layout=layout, learnable=True, dtype=torch.float64, amplitude=1.5, phase=0.25)
    positions = torch.tensor([[0.0, 0.3], [-2.5, 7.0]], dtype=torch.float64, requires_grad=True)

    def run(p, theta):
        return torch.ops.sinpos.encode(p, theta, module._text, torch.float64)

    theta = module.theta.detach().clone().requires_grad_()
    assert gradcheck(run, (positions, theta))
    if dim % 2 == 0:
        assert gradgradcheck(run, (positions, theta))


def test_a_derivative_of_a_derivative_of_an_odd_width_is_refused():
    positions = torch.tensor([0.5], requires_grad=True)
    first, = torch.autograd.grad(SinusoidalEmbedding(4)(positions).sum(), positions, create_graph=True)
    assert torch.autograd.grad(first.sum(), positions)[0].shape == (1,)
    with pytest.raises(NotImplementedError, match="odd width"):
        torch.autograd.grad(SinusoidalEmbedding(3)(positions).sum(), positions, create_graph=True)


def test_gradients_are_exact_element_by_element():
    module = SinusoidalEmbedding(8, learnable=True)
    positions = torch.tensor([1000.25])
    want = module.encoding.gradient(positions.double().numpy(), "theta", dtype="float32")[0]
    for column in range(8):
        module.theta.grad = None
        module(positions)[0, column].backward()
        assert module.theta.grad[column // 2].item() == want[column]
        assert np.count_nonzero(module.theta.grad.numpy()) == 1


def test_several_coordinates_have_gradients():
    module = SinusoidalEmbedding(8, "diffusers_sincos_2d")
    positions = torch.rand(3, 2, dtype=torch.float64, requires_grad=True)

    def run(p):
        return torch.ops.sinpos.encode(p, None, module._text, torch.float64)

    assert gradcheck(run, (positions,)) and gradgradcheck(run, (positions,))


@pytest.mark.parametrize("axis", [-2, -3])
@pytest.mark.parametrize("layout", ["halves", "interleaved"])
def test_gradients_of_rotation(axis, layout):
    module = RotaryEmbedding(4, layout=layout, axis=axis, learnable=True, dtype=torch.float64, amplitude=1.25)
    x = torch.rand(2, 3, 2, 6, dtype=torch.float64, requires_grad=True)
    positions = torch.rand(2, x.shape[axis], dtype=torch.float64, requires_grad=True)
    theta = module.theta.detach().clone().requires_grad_()

    def run(x, p, theta):
        return torch.ops.sinpos.rotate(x, p, theta, 0, module._text, axis, 0)

    assert gradcheck(run, (x, positions, theta))
    assert gradgradcheck(run, (x, positions, theta))
    shared = torch.rand(x.shape[axis], dtype=torch.float64, requires_grad=True)
    assert gradcheck(run, (x, shared, theta))
    assert gradcheck(lambda x, theta: torch.ops.sinpos.rotate(x, None, theta, 5, module._text, axis, 0), (x, theta))


@pytest.mark.parametrize("axis", [-2, -3])
def test_gradients_of_sums(axis):
    module = AddPositions(6, axis=axis, learnable=True, dtype=torch.float64)
    x = torch.rand(2, 3, 6, dtype=torch.float64, requires_grad=True)
    assert gradcheck(module, (x,))
    plain = AddPositions(6, axis=axis)
    assert gradcheck(plain, (x,))
    positions = torch.rand(2 if axis == -3 else 3, dtype=torch.float64, requires_grad=True)
    assert gradcheck(plain, (x, positions))
    module(x).sum().backward()
    assert module.theta.grad.shape == (3,)


# ------------------------------------------------------------------------------------------------ who watches


def test_meta_tensors_give_shapes():
    ids = torch.arange(6, device="meta").reshape(2, 3)
    assert SinusoidalEmbedding(8, dtype=torch.float16)(ids).shape == (2, 3, 8)
    assert SinusoidalEmbedding(8)(ids).device.type == "meta"
    x = torch.empty(2, 3, 8, device="meta", dtype=torch.bfloat16)
    assert AddPositions(8)(x).shape == x.shape and AddPositions(8)(x).dtype is torch.bfloat16
    assert RotaryEmbedding(8)(x)[..., 0].shape == (2, 3)
    with pytest.raises(ValueError):
        AddPositions(9)(x)
    on_meta = SinusoidalEmbedding(8, device="meta", learnable=True)
    assert on_meta(torch.arange(3)).device.type == "meta"


@pytest.mark.parametrize("learnable", [False, True])
def test_traced_modules_follow_their_inputs(learnable):
    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.embed = SinusoidalEmbedding(8, learnable=learnable)
            self.add = AddPositions(8, learnable=learnable)
            self.rope = RotaryEmbedding(8, learnable=learnable)

        def forward(self, ids, x):
            return self.rope(self.add(x) + self.embed(ids))

    model = Model()
    traced = torch.jit.trace(model, (torch.arange(3), torch.rand(1, 3, 8)))
    assert "sinpos::encode" in str(traced.inlined_graph) and "sinpos::rotate" in str(traced.inlined_graph)
    file = io.BytesIO()
    torch.jit.save(traced, file)
    file.seek(0)
    loaded = torch.jit.load(file)
    for n in (1, 7):
        ids, x = torch.arange(n) + 100, torch.rand(2, n, 8)
        assert torch.equal(loaded(ids, x), model(ids, x))


def test_symbolic_traces_hold_the_operators():
    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.embed, self.add, self.rope = SinusoidalEmbedding(8), AddPositions(8), RotaryEmbedding(8)

        def forward(self, ids, x):
            return self.rope(self.add(x)) + self.embed(ids)

    model = Model()
    traced = torch.fx.symbolic_trace(model)
    assert sum("sinpos" in str(node.target) for node in traced.graph.nodes) == 3
    ids, x = torch.arange(5), torch.rand(2, 5, 8)
    assert torch.equal(traced(ids, x), model(ids, x))


def test_operators_are_seen_by_a_dispatch_mode():
    mode = pytest.importorskip("torch.utils._python_dispatch").TorchDispatchMode
    seen = []

    class Watch(mode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            seen.append(str(func))
            return func(*args, **(kwargs or {}))

    with Watch():
        SinusoidalEmbedding(8)(torch.arange(3))
    assert any("sinpos.encode" in name for name in seen)


def test_autocast_leaves_angles_alone():
    q = torch.rand(1, 2, 4000, 8)
    learnable = SinusoidalEmbedding(8, learnable=True)
    want = (SinusoidalEmbedding(8)(torch.arange(4000)), RotaryEmbedding(8)(q), AddPositions(8)(q))
    with torch.autocast("cpu", dtype=torch.bfloat16):
        got = (SinusoidalEmbedding(8)(torch.arange(4000)), RotaryEmbedding(8)(q), AddPositions(8)(q))
        learned = learnable(torch.arange(4000))
        learned.sum().backward()
    assert all(torch.equal(a, b) and a.dtype is torch.float32 for a, b in zip(got, want))
    assert torch.allclose(learned, want[0], atol=1e-6) and learnable.theta.grad.dtype is torch.float64


def test_no_dispatcher_and_dispatcher_agree():
    ids, x = torch.arange(5), torch.rand(2, 5, 8)
    text = SinusoidalEmbedding(8)._text
    assert torch.equal(SinusoidalEmbedding(8)(ids), torch.ops.sinpos.encode(ids, None, text, torch.float32))
    assert torch.equal(AddPositions(8)(x), torch.ops.sinpos.add(x, None, 0, text, -2))
