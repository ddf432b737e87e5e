"""sinpos.torch: modules as parts of models."""
import copy
import doctest
import importlib
import io
import math
import pickle
import warnings

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from hypothesis import given, settings  # noqa: E402
from hypothesis import strategies as st  # noqa: E402
from torch import nn  # noqa: E402

import sinpos  # noqa: E402
from sinpos.torch import AddPositions, RotaryEmbedding, SinusoidalEmbedding  # noqa: E402

TYPES = [torch.float64, torch.float32, torch.float16, torch.bfloat16]
FEW = settings(max_examples=40, deadline=None)


@pytest.mark.parametrize("name", ["", "._embedding", "._operators", "._rotary", "._tones"])
def test_examples(name):
    assert doctest.testmod(importlib.import_module("sinpos.torch" + name)).failed == 0


# ------------------------------------------------------------------------------------------------ SinusoidalEmbedding


def test_the_module_of_the_tutorial():
    """A table of max_pos rows, indexed by time steps: ours has no max_pos, and takes real time steps."""
    steps = torch.tensor([0, 5, 99])
    table = SinusoidalEmbedding(16).table(100)
    x = torch.zeros(3, 16, 4, 4)
    embed = SinusoidalEmbedding(16)
    assert torch.equal(embed(steps, like=x)[:, :, None, None], table[steps][:, :, None, None])
    assert embed(torch.tensor([0.5, 1e9]), like=x.half()).dtype is torch.float16


@pytest.mark.parametrize("dtype", TYPES)
def test_element_types_follow_to(dtype):
    module = nn.Sequential(SinusoidalEmbedding(8, learnable=True)).to(dtype)
    assert module(torch.arange(3)).dtype is dtype and module[0].dtype is dtype
    assert module[0].theta.dtype is torch.float64
    assert torch.equal(module[0].theta.detach(), torch.from_numpy(sinpos.Encoding(8).frequencies))


def test_modules_made_without_memory():
    model = nn.Sequential(SinusoidalEmbedding(8, learnable=True, device="meta", dtype=torch.float16))
    assert model[0].theta.is_meta
    model.to_empty(device="cpu")
    assert torch.equal(model[0].theta.detach(), torch.from_numpy(sinpos.Encoding(8).frequencies))
    assert torch.equal(model(torch.arange(3)), SinusoidalEmbedding(8, dtype=torch.float16)(torch.arange(3)))


def test_theta_keeps_its_gradient_under_half():
    module = SinusoidalEmbedding(8, learnable=True)
    module(torch.arange(3)).sum().backward()
    grad = module.theta.grad.clone()
    module.half()
    assert torch.equal(module.theta.grad, grad)


def test_training_moves_theta_towards_another_base():
    torch.manual_seed(0)
    truth = SinusoidalEmbedding(8, base=100.0)(torch.arange(50))
    module = SinusoidalEmbedding(8, base=120.0, learnable=True)
    optimizer = torch.optim.Adam(module.parameters(), lr=1e-3)
    losses = []
    for _ in range(200):
        optimizer.zero_grad()
        loss = (module(torch.arange(50)) - truth).square().mean()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    assert losses[-1] < losses[0] / 20


def test_theta_may_be_float32():
    module = SinusoidalEmbedding(8, learnable=True, theta_dtype=torch.float32)
    assert module.theta.dtype is torch.float32 and module.double().theta.dtype is torch.float32
    with pytest.raises(TypeError):
        SinusoidalEmbedding(8, learnable=True, theta_dtype=torch.float16)
    with pytest.raises(NotImplementedError):
        SinusoidalEmbedding(8, "fairseq_sinusoidal", learnable=True)


def saved(what, **words):
    """What torch.load() makes of what torch.save() wrote."""
    file = io.BytesIO()
    torch.save(what, file)
    file.seek(0)
    return torch.load(file, **words)


@pytest.mark.parametrize("learnable", [False, True])
@pytest.mark.parametrize("make", [SinusoidalEmbedding, AddPositions, RotaryEmbedding])
def test_copies(make, learnable):
    module = make(8, learnable=learnable, dtype=torch.float16)
    x = torch.rand(2, 3, 8) if make is not SinusoidalEmbedding else torch.arange(3)
    words = {"weights_only": False} if torch.__version__ >= "2" else {}  # a module is more than weights
    for other in (copy.deepcopy(module), pickle.loads(pickle.dumps(module)), saved(module, **words)):
        assert torch.equal(other(x), module(x)) and repr(other) == repr(module)
        assert not any(other.load_state_dict(module.state_dict()))
    other = make(8, learnable=learnable, dtype=torch.float16, base=100)
    assert not any(other.load_state_dict(saved(module.state_dict(), weights_only=True)))
    assert torch.equal(other(x), module(x)) or not learnable


# ------------------------------------------------------------------------------------------------ state_dict


class Former(nn.Module):
    def __init__(self, key="pe"):
        super().__init__()
        self.register_buffer(key, SinusoidalEmbedding(8).table(20)[None])
        self.out = nn.Linear(8, 2)


@pytest.mark.parametrize("key", ["pe", "weight", "embeddings", "pos_table"])
def test_checkpoints_with_the_table_load(key):
    class Model(nn.Module):
        def __init__(self, part):
            super().__init__()
            self.position = part

    class Table(nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer(key, SinusoidalEmbedding(8).table(20)[None])

    former = Model(Table()).state_dict()
    for learnable in (False, True):
        model = Model(SinusoidalEmbedding(8, learnable=learnable))
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert not any(model.load_state_dict(former))
        if learnable:
            with pytest.raises(RuntimeError, match="Missing key.*position.theta"):
                model.load_state_dict({})
        else:
            assert not any(model.load_state_dict({})), "and without"
        assert list(model.state_dict()) == (["position.theta"] if learnable else [])
        assert not any(Model(SinusoidalEmbedding(8, learnable=learnable)).load_state_dict(model.state_dict()))


def test_tables_under_names_that_nobody_foresaw():
    module = AddPositions(8)
    assert not any(module.load_state_dict({"sine_table": SinusoidalEmbedding(8).table(100)[None]}))
    for other in (SinusoidalEmbedding(8, layout="halves").table(100), torch.zeros(8, 8), torch.ones(8)):
        with pytest.raises(RuntimeError, match="Unexpected"):
            module.load_state_dict({"sine_table": other})


def test_a_module_in_place_of_a_buffer():
    """model.pe was a buffer, and is a module of that name."""
    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.pe = AddPositions(8)
            self.out = nn.Linear(8, 2)

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert not any(Model().load_state_dict(Former().state_dict()))
        assert not any(Model().load_state_dict(Model().state_dict()))
    told = [str(w.message) for w in caught if w.category is UserWarning]
    assert len(told) == (1 if torch.__version__ >= "2" else 0), told  # which cannot look at the table
    assert all("pe in the checkpoint is dropped" in words for words in told)
    assert all(copy.deepcopy(Model()).load_state_dict({"other": torch.ones(1)}, strict=False))


def others_of(module):
    """Tensors that a checkpoint may hold where a module of 8 columns and base 10000 stands, and what is told of them."""
    exact = sinpos.Encoding(8)
    late = SinusoidalEmbedding(8).table(9000)
    late[8000:, 3] += 0.1
    if isinstance(module, RotaryEmbedding):
        angles = torch.arange(20)[:, None] * RotaryEmbedding(8, base=500000).frequencies()
        return {"inv_freq": 1 / 500000 ** (torch.arange(4) / 4), "freqs": torch.ones(3),
                "freqs_cis": torch.polar(torch.ones(20, 4), angles.float()),
                "cos_cached": RotaryEmbedding(8, base=10100).cos_sin(200)[0], "sin_cached": RotaryEmbedding(16).cos_sin(20)[1]}
    return {"pe": SinusoidalEmbedding(16).table(20), "weight": SinusoidalEmbedding(8, "fairseq_sinusoidal").table(64),
            "pos_table": SinusoidalEmbedding(8, layout="halves").table(20)[None], "table": late,
            "emb": SinusoidalEmbedding(8, base=10001).table(5000), "encoding": torch.full((5, 8), torch.nan),
            "inv_freq": torch.from_numpy(exact.frequencies) * 1.001, "div_term": torch.ones(7)}


@pytest.mark.parametrize("make", [SinusoidalEmbedding, AddPositions, RotaryEmbedding])
def test_checkpoints_of_another_encoding_are_errors(make):
    for key, other in others_of(make(8)).items():
        with pytest.raises(RuntimeError, match=f"{key} in the checkpoint is not that of .*: .*(differ|columns|frequencies)"):
            make(8).load_state_dict({key: other}, strict=False)
        with pytest.warns(UserWarning, match=f"{key} in the checkpoint is not that of"):
            assert not any(make(8, other_tables="warn").load_state_dict({key: other}))
    with pytest.raises(RuntimeError, match="Unexpected"):
        make(8).load_state_dict({"something": torch.zeros(3)})
    with pytest.raises(ValueError, match="other_tables"):
        make(8, other_tables="drop")


@pytest.mark.parametrize("dtype", TYPES)
def test_frequencies_and_caches_of_former_modules_load(dtype):
    """As float32 arithmetic makes them, and as half precision stores them."""
    theta = 1 / 10000 ** (torch.arange(0, 8, 2).float() / 8)
    angles = torch.arange(8192).float()[:, None] * theta
    turned = torch.cat((angles, angles), -1)
    rotary = {"inv_freq": theta.to(dtype), "cos_cached": turned.cos()[None, None].to(dtype), "sin_cached": turned.sin().to(dtype),
              "freqs_cis": torch.polar(torch.ones_like(angles), angles)}
    table = torch.stack((angles.sin(), angles.cos()), -1).flatten(-2)
    for make, state in ((RotaryEmbedding, rotary), (SinusoidalEmbedding, {"pe": table[None].to(dtype), "div_term": theta.to(dtype),
                                                                          "_float_tensor": torch.zeros(1)})):
        for learnable in (False, True):
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                assert not any(make(8, learnable=learnable).load_state_dict(state))


def test_trained_theta_is_restored():
    module, other = (SinusoidalEmbedding(8, learnable=True) for _ in range(2))
    with torch.no_grad():
        module.theta.mul_(1.1)
    other.load_state_dict(module.state_dict())
    assert torch.equal(other(torch.arange(9)), module(torch.arange(9)))
    assert not torch.equal(other(torch.arange(9)), SinusoidalEmbedding(8)(torch.arange(9)))


# ------------------------------------------------------------------------------------------------ AddPositions


@FEW
@given(dtype=st.sampled_from(TYPES), axis=st.sampled_from([-2, -3]), start=st.sampled_from([0, 7, 10**12]),
       strided=st.booleans(), inplace=st.booleans(), shape=st.sampled_from([(2, 3), (1, 5), (0, 3), (3, 0), (2, 2, 3)]))
def test_sums_are_those_with_a_table(dtype, axis, start, strided, inplace, shape):
    x = torch.randn(shape + (16,)).to(dtype)[..., ::2] if strided else torch.randn(shape + (8,)).to(dtype)
    n = x.shape[axis]
    table = SinusoidalEmbedding(8, dtype=dtype)(torch.arange(start, start + n))
    want = x + (table if axis == -2 else table[:, None])
    module = AddPositions(8, axis=axis, inplace=inplace)
    before = x.clone()
    got = module(x, start=start)
    assert torch.equal(got, want) and got.dtype is dtype and got.shape == x.shape
    assert inplace or torch.equal(x, before)
    again = module(before.clone(), torch.arange(start, start + n))
    assert torch.equal(again, want)


def test_positions_of_each_row():
    x, positions = torch.zeros(2, 3, 8), torch.tensor([[0, 0, 1], [5, 6, 7]])
    assert torch.equal(AddPositions(8)(x, positions), SinusoidalEmbedding(8)(positions))
    turned = AddPositions(8, axis=-3)(x.transpose(0, 1), positions)
    assert torch.equal(turned, SinusoidalEmbedding(8)(positions).transpose(0, 1))
    with pytest.raises(ValueError):
        AddPositions(8)(x, torch.arange(4))
    with pytest.raises(ValueError):
        AddPositions(8)(x, positions, start=3)
    with pytest.raises(ValueError):
        AddPositions(9)(x)


def test_in_place_only_where_autograd_permits():
    module = AddPositions(8, inplace=True)
    x = torch.zeros(3, 8)
    assert module(x).data_ptr() == x.data_ptr()
    leaf = torch.zeros(3, 8, requires_grad=True)
    module(leaf).sum().backward()
    assert torch.equal(leaf.grad, torch.ones(3, 8)) and not leaf.detach().any()


def test_dropout_is_of_training():
    module = AddPositions(8, dropout=0.5)
    x = torch.ones(100, 8)
    assert (module(x) == 0).any() and not (module.eval()(x) == 0).any()


# ------------------------------------------------------------------------------------------------ RotaryEmbedding


def rotate_half(x):
    half = x.shape[-1] // 2
    return torch.cat((-x[..., half:], x[..., :half]), dim=-1)


SCALED = [
    {}, {"rope_type": "linear", "factor": 4.0}, {"rope_type": "dynamic", "factor": 2.0},
    {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 512},
    {"rope_type": "llama3", "factor": 8.0, "original_max_position_embeddings": 512},
    {"rope_type": "longrope", "factor": 4.0, "original_max_position_embeddings": 512, "short_factor": [1.0] * 16,
     "long_factor": [1.0 + i / 4 for i in range(16)]},
    {"partial_rotary_factor": 0.5}, {"rope_type": "proportional", "partial_rotary_factor": 0.5, "factor": 2.0},
]


@pytest.mark.parametrize("words", SCALED, ids=lambda w: w.get("rope_type", "default"))
@pytest.mark.parametrize("n", [10, 3000])
def test_rotation_is_that_of_rotate_half(words, n):
    rope = RotaryEmbedding(32, "hf_rope", dtype=torch.float64, **words)
    q, k = torch.randn(2, 4, n, 32, dtype=torch.float64), torch.randn(2, 1, n, 32, dtype=torch.float64)
    cos, sin = rope.cos_sin(n)
    width = cos.shape[-1]
    for x, got in zip((q, k), rope(q, k)):
        turned = x[..., :width] * cos + rotate_half(x[..., :width]) * sin
        assert torch.allclose(got, torch.cat((turned, x[..., width:]), -1), atol=1e-13)
    assert rope.layout == "halves"


@pytest.mark.parametrize("words", SCALED[1:2] + SCALED[3:5], ids=lambda w: w["rope_type"])
def test_scaled_frequencies_can_be_learned(words):
    rope = RotaryEmbedding(32, "hf_rope", learnable=True, dtype=torch.float64, **words)
    plain = RotaryEmbedding(32, "hf_rope", dtype=torch.float64, **words)
    x, positions = torch.randn(1, 2, 5, 32, dtype=torch.float64), torch.rand(5, dtype=torch.float64, requires_grad=True)
    got = rope(x, positions=positions)
    assert torch.allclose(got, plain(x, positions=positions), atol=1e-14)
    got.square().sum().backward()
    assert rope.theta.grad.shape == (16,) and positions.grad.shape == (5,)
    assert positions.grad.abs().max() < 1e-9, "rotation keeps lengths"


def test_frequencies_follow_the_length_where_the_rule_says_so():
    rope = RotaryEmbedding(32, "hf_rope", rope_type="dynamic", factor=2.0, max_position_embeddings=100)
    plain = RotaryEmbedding(32, "hf_rope")
    x = torch.randn(1, 1, 100, 32)
    long = torch.randn(1, 1, 300, 32)
    assert torch.equal(rope(x), plain(x)) and not torch.equal(rope(long), plain(long))
    fixed = RotaryEmbedding(32, "hf_rope", rope_type="dynamic", factor=2.0, max_position_embeddings=100, seq_len=300)
    assert torch.equal(rope(long), fixed(long)) and torch.equal(rope(x, seq_len=300), fixed(x))
    assert torch.equal(rope(x, positions=torch.arange(200, 300)), fixed(x, start=200))
    with pytest.raises(ValueError):
        fixed(x, seq_len=5)
    with pytest.raises(ValueError):
        RotaryEmbedding(32, "hf_rope", rope_type="dynamic", factor=2.0, learnable=True)


@FEW
@given(dtype=st.sampled_from(TYPES), axis=st.sampled_from([-2, -3]), layout=st.sampled_from(["halves", "interleaved"]),
       start=st.sampled_from([0, 5, 10**9]), strided=st.booleans(),
       shape=st.sampled_from([(2, 3, 4), (1, 1, 1), (2, 0, 3), (2, 3, 0), (2, 2, 3, 2)]))
def test_rotation_has_the_bytes_of_the_library(dtype, axis, layout, start, strided, shape):
    x = torch.randn(shape[:-1] + (2 * shape[-1], 8)).to(dtype)
    x = x[..., ::2, :] if strided else x[..., :shape[-1], :].contiguous()
    rope = RotaryEmbedding(8, layout=layout, axis=axis)
    want = x.clone(memory_format=torch.contiguous_format)
    view = want.view(torch.int16).numpy().view(np.uint16) if dtype is torch.bfloat16 else want.numpy()
    rope.encoding.rotate_(view, start=start, axis=axis, dtype="bfloat16" if dtype is torch.bfloat16 else None)
    before = x.clone()
    assert torch.equal(rope(x, start=start), want) and torch.equal(x, before)
    positions = torch.arange(start, start + x.shape[axis])
    assert torch.equal(rope(x, positions=positions), want)
    each = positions.expand(x.shape[:-3] + positions.shape)
    assert torch.equal(rope(x, positions=each), want)
    if strided or dtype is torch.float64:
        assert rope.rotate_(x, start=start) is x and torch.equal(x, want)


@pytest.mark.parametrize("layout", [None, "halves", "interleaved"])
def test_rotation_by_the_usual_lines(layout):
    """rotate_half, or rotate_every_two, in float64."""
    rope = RotaryEmbedding(8, layout=layout)
    assert rope.layout == (layout or "halves") and f"layout='{rope.layout}'" in repr(rope)
    x = torch.randn(2, 5, 8, dtype=torch.float64)
    angles = torch.arange(5.0, dtype=torch.float64)[:, None] * rope.frequencies()
    if rope.layout == "halves":
        cos, sin = (torch.cat((f, f), -1) for f in (angles.cos(), angles.sin()))
        other = torch.cat((-x[..., 4:], x[..., :4]), -1)
    else:
        cos, sin = (f.repeat_interleave(2, -1) for f in (angles.cos(), angles.sin()))
        other = torch.stack((-x[..., 1::2], x[..., ::2]), -1).flatten(-2)
    assert torch.allclose(rope(x), x * cos + other * sin, atol=1e-14)


def test_representation():
    assert repr(RotaryEmbedding(8, axis=-3)) == "RotaryEmbedding(dim=8, layout='halves', axis=-3, dtype=float32)"
    assert "layout='interleaved'" in repr(RotaryEmbedding(8, "hf_gptj"))
    assert repr(AddPositions(8)) == "AddPositions(dim=8)"
    assert repr(AddPositions(8, axis=-3, inplace=True, dropout=0.1, learnable=True)) == (
        "AddPositions(dim=8, axis=-3, inplace=True, dropout=0.1, learnable=True)")


def test_rotation_in_place():
    rope, x = RotaryEmbedding(8), torch.randn(2, 3, 8)
    with pytest.raises(RuntimeError):
        rope.rotate_(x.clone().requires_grad_())
    with pytest.raises(ValueError):
        rope.rotate_(torch.randn(2, 3, 16)[..., ::2])
    assert torch.allclose(rope.rotate_(rope(x, start=9), start=9, inverse=True), x, atol=1e-6)


@pytest.mark.parametrize("name, words, shape", [
    ("hf_qwen2vl_mrope", {}, (5, 3)), ("hf_gptj_rope", {}, (5,)), ("hf_deepseek_v3_rope", {}, (5,)),
    ("ggml_rope", {}, (5,)), ("diffusers_rotary_2d", {}, (5, 2)), ("hf_pixtral_rope", {}, (5, 2)),
    ("timm_rotary", {}, (5, 2)),
])
def test_rotary_conventions(name, words, shape):
    rope = RotaryEmbedding(None, name, dtype=torch.float64, **words)
    positions = torch.arange(int(np.prod(shape))).reshape(shape)
    x = torch.randn(1, 2, 5, rope.encoding.dim, dtype=torch.float64)
    want = x.clone()
    rope.encoding.rotate_(want.numpy(), positions=positions.numpy())
    assert torch.equal(rope(x, positions=positions), want)
    small = x[..., :1, :].clone().requires_grad_()
    grad = torch.randn_like(small)
    rope(small, positions=positions[:1]).backward(grad)
    turned = rope(small.detach(), positions=positions[:1])
    assert torch.allclose((small.grad * small.detach()).sum(), (grad * turned).sum())  # <R' g, x> = <g, R x>


def test_shapes_that_do_not_fit():
    with pytest.raises(ValueError, match="axis"):
        RotaryEmbedding(8, axis=-3)(torch.zeros(3, 8))
    with pytest.raises(ValueError, match="columns"):
        RotaryEmbedding(8)(torch.zeros(1, 3, 6))
    with pytest.raises(ValueError, match="positions"):
        RotaryEmbedding(8)(torch.zeros(1, 1, 3, 8), positions=torch.arange(4))
    with pytest.raises(ValueError, match="finite"):
        RotaryEmbedding(8)(torch.zeros(1, 1, 1, 8), positions=torch.tensor([float("inf")]))
    with pytest.raises(TypeError):
        RotaryEmbedding(8)(torch.zeros(1, 3, 8, dtype=torch.int32))


def test_a_convention_that_is_not_rotary():
    with pytest.raises((NotImplementedError, ValueError)):
        RotaryEmbedding(64, "whisper")


# ------------------------------------------------------------------------------------------------ what autograd knows


@pytest.mark.parametrize("write", [AddPositions(8, inplace=True), RotaryEmbedding(8).rotate_])
def test_what_autograd_saved_is_not_changed_behind_its_back(write):
    weight, x = torch.ones(8, requires_grad=True), torch.ones(3, 8)
    total = (weight * x).sum()
    write(x)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        total.backward()
    write(torch.ones(0, 8))
    with torch.inference_mode():
        x = torch.ones(3, 8)
        write(x)
    kept = x.clone()
    with pytest.raises(RuntimeError, match="[Ii]nference"):
        write(x)
    assert torch.equal(x, kept)


def test_writes_refuse_tangents():
    """What has tangents is not written; what has none is."""
    forward_ad = torch.autograd.forward_ad
    with forward_ad.dual_level():
        dual = forward_ad.make_dual(torch.ones(3, 8), torch.ones(3, 8))
        with pytest.raises(RuntimeError):
            RotaryEmbedding(8).rotate_(dual)
        plain = torch.ones(3, 8)
        assert torch.equal(RotaryEmbedding(8).rotate_(plain), RotaryEmbedding(8)(torch.ones(3, 8)))
        assert not torch.equal(plain, torch.ones(3, 8))


def test_batches_of_gradients():
    x = torch.randn(2, 3, 8, dtype=torch.float64)
    jacobian = torch.autograd.functional.jacobian
    rope = RotaryEmbedding(8)
    assert torch.equal(jacobian(rope, x, vectorize=True), jacobian(rope, x))


def test_numbers_in_lists_are_taken_as_they_are():
    embed = SinusoidalEmbedding(8, dtype=torch.float64)
    assert torch.equal(embed([0.1, 7]), embed(torch.tensor([0.1, 7], dtype=torch.float64)))
    assert torch.equal(embed((2**53 + 1,)), embed(torch.tensor([2**53 + 1])))
    assert torch.equal(embed(np.array([200], np.uint16)), embed([200]))
    frozen = np.arange(3.0)
    frozen.flags.writeable = False
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert embed(frozen).shape == (3, 8) and embed([]).shape == (0, 8)
    for wrong, error in ([[2**70], OverflowError], [None, TypeError], ["a", TypeError], [[True], TypeError]):
        with pytest.raises(error):
            embed(wrong)


def test_first_rows():
    x = torch.ones(3, 8)
    for module in (AddPositions(8), AddPositions(8, learnable=True), RotaryEmbedding(8), RotaryEmbedding(8).rotate_):
        assert torch.equal(module(x.clone(), start=torch.tensor(3)), module(x.clone(), start=3))
        with pytest.raises(TypeError, match="start must be an integer"):
            module(x.clone(), start=1.5)
    with pytest.raises(ValueError, match="no axis"):
        AddPositions(8, inplace=True)(torch.tensor(1.0))


def test_caches_of_rotary_checkpoints():
    rope = RotaryEmbedding(8)
    cos, sin = rope.cos_sin(70)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        rope.load_state_dict({"inv_freq": rope.frequencies(), "cos_cached": cos[None, None], "sin_cached": sin[None, None]})
        rope.load_state_dict({"cos_cached": cos[:, :4], "sin_cached": sin[:, :4]})  # a column for each frequency
    for key, stored in (("emb", torch.ones(70, 8)), ("cos_cached", cos.to_sparse())):
        with pytest.warns(UserWarning, match=f"{key} in the checkpoint is dropped, .* not known"):
            rope.load_state_dict({key: stored})


def test_derivative_by_nothing_known():
    with pytest.raises(ValueError, match="by must be"):
        torch.ops.sinpos.derivative(torch.arange(2), None, SinusoidalEmbedding(8)._text, torch.float32, 1)


@pytest.mark.parametrize("block", ["rope_scaling", "rope_parameters"])
@pytest.mark.parametrize("scaling", [
    {"rope_type": "dynamic", "factor": 2.0},
    {"rope_type": "longrope", "short_factor": [1.0] * 32, "long_factor": [4.0] * 32, "original_max_position_embeddings": 16}],
    ids=lambda s: s["rope_type"])
def test_scaling_in_a_block_follows_the_length(scaling, block):
    q = torch.randn(1, 2, 64, 64)
    flat = RotaryEmbedding(64, "hf_rope", max_position_embeddings=16, **scaling)
    in_block = RotaryEmbedding(64, "hf_rope", max_position_embeddings=16, **{block: scaling})
    assert torch.equal(in_block(q), flat(q)) and repr(in_block) == repr(flat)
    long = RotaryEmbedding(64, "hf_rope", max_position_embeddings=16, seq_len=64, **scaling)
    assert torch.equal(in_block(q), long(q)) and not torch.equal(in_block(q)[:, :, :16], in_block(q[:, :, :16]))


@pytest.mark.parametrize("kind", [list, np.array, torch.tensor])
def test_positions_and_starts_of_any_kind(kind):
    x, q = torch.zeros(2, 3, 8), torch.randn(2, 4, 3, 8)
    add, rope = AddPositions(8), RotaryEmbedding(8)
    for rows in ([4, 0, 9], [[1, 2, 3], [7, 8, 9]], [0.5, 1, 2.25]):
        exact = torch.tensor(rows, dtype=torch.float64)
        assert torch.equal(add(x, kind(rows)), add(x, exact)) or kind is torch.tensor
        assert torch.equal(rope(q, positions=kind(rows)), rope(q, positions=exact))
        assert torch.equal(rope.rotate_(q.clone(), kind(rows)), rope(q, positions=exact))
        assert torch.equal(rope.cos_sin(kind(rows))[1], rope.cos_sin(exact)[1])
    starts = [5, 10**9]
    each = [(add(x[i:i + 1], start=start), rope(q[i:i + 1], start=start)) for i, start in enumerate(starts)]
    assert torch.equal(add(x, start=kind(starts)), torch.cat([a for a, _ in each]))
    assert torch.equal(rope(q, start=kind(starts)), torch.cat([r for _, r in each]))
    assert torch.equal(AddPositions(8, axis=-3)(x.transpose(0, 1), start=kind(starts)).transpose(0, 1), add(x, start=kind(starts)))
    for call in (lambda: add(x, start=kind([0.5, 1.5])), lambda: rope(q, start=kind([0.5, 1.5]))):
        with pytest.raises(TypeError, match="start must"):
            call()
    with pytest.raises(ValueError, match="not both"):
        add(x, [0, 1, 2], start=kind(starts))


@pytest.mark.parametrize("make", [SinusoidalEmbedding, RotaryEmbedding])
def test_nan_in_theta_is_told(make):
    module = make(8, learnable=True)
    with torch.no_grad():
        module.theta[2] = torch.nan
    with pytest.raises(ValueError, match="theta holds NaN, at index 2"):
        module(torch.arange(3.0) if make is SinusoidalEmbedding else torch.ones(3, 8))


@pytest.mark.parametrize("axis", [-2, -3])
@pytest.mark.parametrize("words", [{}, {"convention": "hf_rope", "rope_type": "dynamic", "factor": 2.0, "max_position_embeddings": 4}],
                         ids=["plain", "dynamic"])
def test_fewer_queries_than_keys_are_the_last(axis, words):
    """As a cache of keys with the newest queries has them."""
    rope, q, k = RotaryEmbedding(8, axis=axis, **words), torch.randn(2, 6, 6, 8), torch.randn(2, 6, 6, 8)
    for n in (1, 3, 6):
        last = q.narrow(axis, 6 - n, n)
        for given in ({}, {"start": 7}, {"positions": torch.tensor([3, 1, 4, 1, 5, 9])}, {"positions": torch.arange(12).reshape(2, 6)},
                      {"start": [2, 30]}):
            all_q, all_k = rope(q, k, **given)
            some_q, some_k = rope(last, k, **given)
            assert torch.equal(some_k, all_k) and torch.equal(some_q, all_q.narrow(axis, 6 - n, n))
    with pytest.raises(ValueError, match="q has 6 rows and k 2"):
        rope(q, k.narrow(axis, 0, 2))


def test_a_part_of_a_head_is_turned_on_request_alone():
    q = torch.randn(1, 2, 5, 64)
    for make in (lambda **w: RotaryEmbedding(32, **w), lambda **w: RotaryEmbedding(32, "hf_rope", **w)):
        with pytest.raises(ValueError, match="a head has 64 columns.*\n.*partial=True"):
            make()(q)
        with pytest.raises(ValueError, match="a head has 64 columns"):
            make().rotate_(q.clone())
        with pytest.raises(ValueError, match="a head has 64 columns"):
            make().encoding.rotate_(q.numpy().copy())
        rope = make(partial=True)
        turned = rope(q)
        assert torch.equal(turned[..., 32:], q[..., 32:]) and torch.equal(turned[..., :32], make()(q[..., :32]))
        assert np.array_equal(rope.encoding.rotate_(q.numpy().copy(), partial=True), turned.numpy())
        assert "partial=True" in repr(rope)
    assert torch.equal(RotaryEmbedding(64, "hf_phi")(q)[..., 32:], q[..., 32:])


@pytest.mark.parametrize("word, told", [("position_ids", "say positions"), ("offset", "say start"), ("whatever", "help")])
def test_guessed_words_of_calls(word, told):
    for module in (AddPositions(8), RotaryEmbedding(8)):
        with pytest.raises(TypeError, match=f"hint: {told}"):
            module(torch.ones(1, 3, 8), **{word: 3})
    with pytest.raises(TypeError, match=f"hint: {told}"):
        RotaryEmbedding(8).rotate_(torch.ones(1, 3, 8), **{word: 3})


def test_guessed_words_of_modules():
    for call, told in ((lambda: SinusoidalEmbedding(64, 5000), r"table\(5000\)"), (lambda: AddPositions(64, 0.1), "dropout=0.1"),
                       (lambda: AddPositions(64, batch_first=True), "axis=-2"), (lambda: AddPositions(d_model=64), "say dim"),
                       (lambda: SinusoidalEmbedding(8).table(3, offset=2), "say start"), (lambda: RotaryEmbedding(8).cos_sin(3, dtype="fp16"), "help"),
                       (lambda: RotaryEmbedding(64, max_position_embeddings=4096), "no longest position")):
        with pytest.raises(TypeError, match=f"hint: .*{told}"):
            call()


POSITIONS = torch.arange(512)
LOSSES = {
    "grow": lambda rows: -rows.sum(), "shrink": lambda rows: rows.sum(),
    "fit": lambda rows: (rows - torch.from_numpy(sinpos.Encoding(64, base=500).table(512))).square().mean(),
}


def trained(module, loss, steps=100, lr=3e-3):
    """By which factor Adam changes the frequencies."""
    first = module.frequencies()
    optimizer = torch.optim.Adam(module.parameters(), lr=lr)
    for _ in range(steps):
        optimizer.zero_grad()
        loss(module(POSITIONS)).backward()
        optimizer.step()
    return module.frequencies() / first


@pytest.mark.parametrize("loss", LOSSES.values(), ids=LOSSES)
def test_log_frequencies_keep_their_scale(loss):
    """Steps of one size multiply each frequency by about as much; theta itself loses the lowest ones."""
    ratio = trained(SinusoidalEmbedding(64, learnable="log"), loss)
    assert ratio[-1] != 1 and (ratio < math.exp(0.3)).all() and (ratio > math.exp(-0.3)).all()
    ratio = trained(SinusoidalEmbedding(64, learnable=True), loss)
    assert ratio[-1] > 10 or ratio[-1] < 0


@pytest.mark.parametrize("make, x", [
    (SinusoidalEmbedding, torch.arange(5)), (AddPositions, torch.ones(2, 5, 8)), (RotaryEmbedding, torch.ones(1, 2, 5, 8))])
def test_log_frequencies_everywhere(make, x):
    """The same rows as from theta, and gradients by the chain rule."""
    kinds = {kind: make(8, learnable=kind, dtype=torch.float64) for kind in (False, True, "log")}
    rows = {kind: module(x.double() if x.is_floating_point() else x) for kind, module in kinds.items()}
    weights = torch.linspace(-1, 1, rows[True].numel(), dtype=torch.float64).reshape(rows[True].shape)
    assert torch.allclose(rows["log"], rows[True], atol=1e-13) and torch.allclose(rows[False], rows[True], atol=1e-13)
    for kind in (True, "log"):
        (rows[kind] * weights).sum().backward()
    log = kinds["log"]
    assert [name for name, _ in log.named_parameters()] == ["log2_theta"] and log.is_learnable and 'learnable="log"' in repr(log)
    assert torch.allclose(log.log2_theta.grad, kinds[True].theta.grad * log.frequencies() * math.log(2), rtol=1e-9)
    assert log.half().log2_theta.dtype is torch.float64
    assert torch.equal(copy.deepcopy(log).frequencies(), log.frequencies())
    assert torch.equal(pickle.loads(pickle.dumps(log)).frequencies(), log.frequencies())


def test_log_frequencies_keep_signs_and_zeros():
    module = SinusoidalEmbedding(theta=[1.0, -0.5, 0.0], learnable="log", dtype=torch.float64)
    assert torch.allclose(module.frequencies(), torch.tensor([1.0, -0.5, 0.0], dtype=torch.float64), atol=0, rtol=1e-15)
    module(torch.arange(4)).square().sum().backward()
    assert module.log2_theta.grad[2] == 0
    meta = nn.Sequential(SinusoidalEmbedding(theta=[1.0, -0.5, 0.0], learnable="log", device="meta")).to_empty(device="cpu")
    assert torch.equal(meta[0].frequencies(), module.frequencies())


def test_checkpoints_of_theta_and_its_logarithm():
    linear, log = SinusoidalEmbedding(8, learnable=True), SinusoidalEmbedding(8, learnable="log")
    with torch.no_grad():
        linear.theta.mul_(1.25)
    log.load_state_dict(linear.state_dict())
    assert torch.allclose(log.frequencies(), linear.frequencies(), rtol=1e-15)
    other = SinusoidalEmbedding(8, learnable=True)
    other.load_state_dict(log.state_dict())
    assert torch.allclose(other.frequencies(), linear.frequencies(), rtol=1e-15)
    flipped = {"theta": -linear.theta.detach()}
    with pytest.raises(RuntimeError, match="other signs"):
        log.load_state_dict(flipped)
    with pytest.raises(RuntimeError, match="log2_theta"):
        SinusoidalEmbedding(8, learnable="log").load_state_dict({})
    SinusoidalEmbedding(8, learnable="log").load_state_dict({"pe": SinusoidalEmbedding(8).table(100)})


@pytest.mark.parametrize("learnable", ["yes", "linear", 3, None])
def test_learnable_is_one_of_three(learnable):
    if learnable is None:
        assert not SinusoidalEmbedding(8, learnable=learnable or False).is_learnable
        return
    with pytest.raises(ValueError, match='learnable must be True, False or "log"'):
        SinusoidalEmbedding(8, learnable=learnable)


class Scaled(nn.Module):
    """As SpeechT5 and ESPnet have it: x + alpha * pe, with a stored table."""

    def __init__(self, dim, length):
        super().__init__()
        self.register_buffer("pe", torch.from_numpy(sinpos.Encoding(dim).table(length))[None])
        self.alpha = nn.Parameter(torch.tensor(1.0))

    def forward(self, x):
        return x + self.alpha * self.pe[:, :x.shape[1]]


def test_a_learnable_amplitude():
    """The same sums and gradients as the usual module's; its checkpoint loads."""
    usual, mine = Scaled(16, 50), AddPositions(16, alpha=1.0)
    with torch.no_grad():
        usual.alpha.fill_(0.75)
    mine.load_state_dict(usual.state_dict())
    assert mine.alpha == 0.75 and "alpha=1.0" in repr(mine)
    x = torch.randn(3, 7, 16, generator=torch.Generator().manual_seed(1))
    for start in (x, x.clone().requires_grad_()):
        got, want = mine(start), usual(start)
        assert torch.equal(got, want)
    grads = torch.autograd.grad(got.square().sum(), [mine.alpha, start])
    wants = torch.autograd.grad(want.square().sum(), [usual.alpha, start])
    assert all(torch.allclose(a, b) for a, b in zip(grads, wants))


@pytest.mark.parametrize("axis", [-2, -3])
@pytest.mark.parametrize("learnable", [False, True, "log"])
def test_gradients_of_the_amplitude(axis, learnable):
    module = AddPositions(6, alpha=0.5, axis=axis, learnable=learnable, dtype=torch.float64)
    x = torch.randn(2, 3, 6, dtype=torch.float64, requires_grad=True)

    assert module.alpha.dtype is torch.float64
    assert torch.autograd.gradcheck(lambda x, alpha: module(x), (x, module.alpha))
    positions = torch.rand(3 if axis == -2 else 2, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(lambda p: module(x.detach(), positions=p), (positions,))


def test_an_amplitude_that_trains():
    """Rows of half the size are found."""
    module = AddPositions(16, alpha=1.0)
    optimizer = torch.optim.SGD(module.parameters(), lr=0.5)
    want = 0.5 * torch.from_numpy(sinpos.Encoding(16).table(20))
    for _ in range(50):
        optimizer.zero_grad()
        (module(torch.zeros(1, 20, 16)) - want).square().mean().backward()
        optimizer.step()
    assert abs(float(module.alpha) - 0.5) < 1e-3


def test_an_amplitude_moves_and_starts_again():
    module = nn.Sequential(AddPositions(8, alpha=0.25, device="meta")).to_empty(device="cpu")
    assert float(module[0].alpha) == 0.25
    assert module.half()[0].alpha.dtype is torch.float16 and module(torch.ones(1, 3, 8).half()).dtype is torch.float16
    with pytest.raises(RuntimeError, match="alpha"):
        module[0].load_state_dict({})
    with pytest.raises(ValueError, match="alpha must be"):
        AddPositions(8, alpha=float("nan"))


# ------------------------------------------------------------------------------------------------ batches, factors


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.float16, torch.bfloat16])
@pytest.mark.parametrize("axis", [-2, -3])
def test_sums_of_batches_are_those_of_single_rows(dtype, axis):
    add, table = AddPositions(20, axis=axis), SinusoidalEmbedding(20, dtype=dtype)
    x = torch.randn(2, 5, 3, 20).to(dtype)
    n = x.shape[axis]
    for start, positions in ((0, None), (7, None), (0, torch.tensor([3, -1, 9, 9, 1000])[:n]), (0, torch.arange(n)[None] + 2)):
        rows = table(torch.arange(start, start + n) if positions is None else positions.reshape(-1))
        expected = x + (rows if axis == -2 else rows[:, None])
        for same in (x, x.transpose(0, 1).contiguous().transpose(0, 1)):
            assert torch.equal(add(same, positions, start=start), expected)
        written = x.clone()
        assert AddPositions(20, axis=axis, inplace=True)(written, positions, start=start) is written
        assert torch.equal(written, expected)
    assert add(x[:0]).shape == (0, 5, 3, 20)


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.float16, torch.bfloat16])
@pytest.mark.parametrize("axis", [-2, -3])
def test_kept_factors_follow_what_is_rotated(dtype, axis):
    """Calls that differ in one thing: none takes the factors of another."""
    rope = RotaryEmbedding(16, axis=axis, partial=True)
    x, few = torch.randn(2, 5, 3, 24).to(dtype), torch.randn(1, 40, 40, 16).to(dtype)

    def alone(x, start):
        turned, one = x.clone(), RotaryEmbedding(16, axis=axis, partial=True)
        for k in range(x.shape[axis]):
            row = x.narrow(axis, k, 1).contiguous()
            turned.narrow(axis, k, 1).copy_(one(row, positions=torch.tensor([float(start + k)], dtype=torch.float64)))
        return turned

    for start in (0, 6, 6, 0):
        for same in (x, x.to(torch.float32 if dtype is not torch.float32 else torch.float64), x[:1]):
            assert torch.equal(rope(same, start=start), alone(same, start))
        assert torch.equal(rope(x, positions=torch.arange(start, start + x.shape[axis])), alone(x, start))
    assert torch.equal(rope(few, start=3), alone(few, 3))
    if dtype is torch.float64:
        there = rope.rotate_(x.clone(), start=6)
        assert torch.allclose(rope.rotate_(there.clone(), start=6, inverse=True), x, atol=1e-14)
        assert torch.equal(rope(x, start=6), there)


def test_no_table_beyond_a_block_is_kept():
    import sys
    from sinpos.torch._tones import MOST_KEPT_ROWS, tones_of
    rope = RotaryEmbedding(64)
    rope(torch.zeros(1, 2, MOST_KEPT_ROWS, 64), start=1)
    kept = tones_of(rope._text)._factors
    assert kept is not None and kept[0][1] == MOST_KEPT_ROWS
    rope(torch.zeros(1, 2, MOST_KEPT_ROWS + 1, 64), start=1)
    assert tones_of(rope._text)._factors is kept
    add = AddPositions(64)
    before = {name: sys.getsizeof(value) for name, value in vars(add).items()}
    add(torch.zeros(8, 512, 64))
    assert {name: sys.getsizeof(value) for name, value in vars(add).items()} == before


@pytest.mark.parametrize("words", [{"rope_type": "dynamic", "factor": 4, "max_position_embeddings": 64},
                                   {"rope_type": "longrope", "max_position_embeddings": 128, "short_factor": [1.5] * 16,
                                    "original_max_position_embeddings": 32, "long_factor": [4.0] * 16}])
def test_a_further_length_is_that_of_its_own_encoding(words):
    from sinpos.torch._tones import tones_of
    rope = RotaryEmbedding(32, "hf_rope", **words)
    for seq_len in (0, 20, 40, 65, 100, 1000, 100):
        tones = tones_of(rope._lengths.text(seq_len))
        own = sinpos.Encoding(32, "hf_rope", **words, seq_len=max(seq_len, 1)).rotation_plan
        assert own is not None and tones.plan is not None
        found, expected = np.empty(16), np.empty(16)
        tones.plan.theta(found), own.theta(expected)
        assert (found == expected).all()
        assert tones.plan.tones() == own.tones()
