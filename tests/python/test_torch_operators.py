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


def test_second_derivatives_of_an_odd_width():
    """By the same argument twice they need no more than the column; by both, its partner, which is refused."""
    module = SinusoidalEmbedding(3, learnable=True, dtype=torch.float64)
    positions = torch.tensor([0.5, 7.25], dtype=torch.float64, requires_grad=True)
    theta = module.theta.detach().clone().requires_grad_()
    for k, given in ((0, (positions, theta.detach())), (1, (positions.detach(), theta))):
        first, = torch.autograd.grad(torch.ops.sinpos.encode(*given, module._text, torch.float64).sum(), given[k],
                                     create_graph=True)
        assert gradcheck(lambda p, t: torch.ops.sinpos.derivative(p, t, module._text, torch.float64, 2 + k), given)
        assert torch.autograd.grad(first.sum(), given[k])[0].shape == given[k].shape
    first, = torch.autograd.grad(module(positions).sum(), positions, create_graph=True)
    with pytest.raises(NotImplementedError, match="odd width"):
        first.sum().backward()


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


# ------------------------------------------------------------------------------------------------ forward mode


def both_modes(run, *inputs):
    inputs = tuple(t.detach().clone().requires_grad_() for t in inputs)
    return gradcheck(run, inputs, check_forward_ad=True) and gradgradcheck(run, inputs)


@pytest.mark.parametrize("name, shape", [(None, (2, 3)), ("diffusers_sincos_2d", (3, 2))])
def test_tangents_of_encodings(name, shape):
    words = {"amplitude": 1.5, "phase": 0.25} if name is None else {}
    module = SinusoidalEmbedding(8, name, dtype=torch.float64, learnable=True, **words)
    positions, theta = torch.rand(shape, dtype=torch.float64), module.theta
    assert both_modes(lambda p, t: torch.ops.sinpos.encode(p, t, module._text, torch.float64), positions, theta)
    for by in (2, 3):
        run = lambda p, t: torch.ops.sinpos.derivative(p, t, module._text, torch.float64, by)  # noqa: E731
        assert both_modes(run, positions, theta)


@pytest.mark.parametrize("axis", [-2, -3])
def test_tangents_of_sums(axis):
    module = AddPositions(6, axis=axis, amplitude=1.5)
    x = torch.rand(2, 3, 6, dtype=torch.float64)
    n = x.shape[axis]
    for positions in (torch.rand(n, dtype=torch.float64), torch.rand(x.shape[-5 - axis], n, dtype=torch.float64)):
        assert both_modes(lambda x, p: torch.ops.sinpos.add(x, p, 0, module._text, axis), x, positions)
        assert both_modes(module, x, positions)
    assert both_modes(lambda x: module(x, start=3), x)


@pytest.mark.parametrize("axis", [-2, -3])
@pytest.mark.parametrize("direction", [0, 2])
def test_tangents_of_rotations(axis, direction):
    module = RotaryEmbedding(4, axis=axis, learnable=True, amplitude=1.25, dtype=torch.float64)
    x = torch.rand(2, 3, 2, 6, dtype=torch.float64)
    for shape in ((x.shape[axis],), (2, x.shape[axis])):
        run = lambda x, p, t: torch.ops.sinpos.rotate(x, p, t, 0, module._text, axis, direction)  # noqa: E731
        assert both_modes(run, x, torch.rand(shape, dtype=torch.float64), module.theta)
    run = lambda x, t: torch.ops.sinpos.rotate(x, None, t, 5, module._text, axis, direction)  # noqa: E731
    assert both_modes(run, x, module.theta)


@pytest.mark.parametrize("module", [AddPositions(8), AddPositions(8, inplace=True), RotaryEmbedding(8),
                                    SinusoidalEmbedding(8), RotaryEmbedding(8, learnable=True)])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_tangents_in_modules(module, dtype):
    """What is linear in x has the tangent of a second call; positions have that of the derivative."""
    forward_ad = torch.autograd.forward_ad
    x, t = torch.rand(3, 8).to(dtype), torch.rand(3, 8).to(dtype)
    with torch.no_grad(), forward_ad.dual_level():
        value, tangent = forward_ad.unpack_dual(module(forward_ad.make_dual(x, t)))
        if isinstance(module, AddPositions):
            want = t
        elif isinstance(module, RotaryEmbedding):
            want = module(t)
        else:
            exact = torch.ops.sinpos.derivative(x, None, module._text, torch.float32, 2)
            want = exact * t.float()[..., None]
        assert torch.equal(value, module(x)) and torch.equal(tangent, want)


def test_inverse_rotation_in_both_modes():
    module = RotaryEmbedding(4, amplitude=2.0)
    x = torch.rand(3, 4, dtype=torch.float64)
    inverse = lambda x: torch.ops.sinpos.rotate(x, None, None, 5, module._text, -2, 1)  # noqa: E731
    with torch.autograd.forward_ad.dual_level():
        dual = inverse(torch.autograd.forward_ad.make_dual(x, 2 * x))
        tangent = torch.autograd.forward_ad.unpack_dual(dual).tangent
    assert torch.allclose(tangent, 2 * inverse(x))
    with pytest.raises(NotImplementedError, match="inverse"):
        inverse(x.requires_grad_()).sum().backward()


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
