"""sinpos.torch on PyTorch 2: torch.compile, torch.export, torch.func, fake tensors."""
import copy
import io
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import warnings

import pytest

torch = pytest.importorskip("torch")
if not hasattr(torch, "compile"):
    pytest.skip("torch.compile, torch.export and torch.func are of PyTorch 2", allow_module_level=True)

import torch._dynamo  # noqa: E402
import torch.nn.functional as F  # noqa: E402
from torch import nn  # noqa: E402
from torch._dynamo.testing import CompileCounterWithBackend  # noqa: E402
from torch.func import functional_call, grad, hessian, jacfwd, jacrev, jvp, vmap  # noqa: E402

from sinpos.torch import AddPositions, RotaryEmbedding, SinusoidalEmbedding  # noqa: E402

operators = torch.ops.sinpos


def has_inductor():
    """Does a kernel of inductor compile here? It needs a C++ compiler and PyTorch's headers."""
    source = "import torch; assert torch.compile(lambda x: x.sin() + 1)(torch.ones(3)).shape == (3,)"
    if shutil.which("c++") is None and shutil.which("g++") is None:
        return False
    with tempfile.TemporaryDirectory() as folder:
        words = {**os.environ, "TORCHINDUCTOR_CACHE_DIR": folder}
        return subprocess.run([sys.executable, "-c", source], env=words, capture_output=True).returncode == 0


BACKENDS = ["eager", "aot_eager", pytest.param("inductor", marks=pytest.mark.skipif(
    not has_inductor(), reason="inductor compiles nothing here: no C++ compiler, or no headers of PyTorch"))]


@pytest.fixture(autouse=True)
def fresh():
    torch._dynamo.reset()
    torch.manual_seed(0)


def compiled(module, backend, **words):
    """The module compiled without a graph break, and what counts how often."""
    counter = CompileCounterWithBackend(backend)
    return torch.compile(module, backend=counter, fullgraph=True, **words), counter


def own(args):
    return [a.detach().clone().requires_grad_(a.requires_grad) if isinstance(a, torch.Tensor) else a for a in args]


def results(call, parameters, args):
    """The output, and the gradients by parameters and arguments."""
    args = own(args)
    output = call(*args)
    inputs = [t for t in [*parameters, *args] if isinstance(t, torch.Tensor) and t.requires_grad]
    if not output.requires_grad:
        return [output]
    weights = torch.cos(torch.arange(output.numel(), dtype=output.dtype)).reshape(output.shape)
    return [output, *torch.autograd.grad((output * weights).sum(), inputs)]


def check_same(module, backend, many_args, n_graphs=2, exact=True, **words):
    """The bytes of the module itself, by no more graphs than those for the first call and for all others."""
    fast, counter = compiled(module, backend, **words)
    parameters = list(module.parameters()) if isinstance(module, nn.Module) else []
    for args in many_args:
        for got, want in zip(results(fast, parameters, args), results(module, parameters, args)):
            assert torch.equal(got, want) if exact else torch.allclose(got, want, rtol=1e-5, atol=1e-6)
    assert counter.frame_count <= n_graphs
    return counter


LENGTHS = (3, 1, 7, 12, 5)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("learnable", [False, True])
class TestCompiled:
    def test_encodings(self, backend, learnable):
        module = SinusoidalEmbedding(8, learnable=learnable)
        # 3, 1, 7, ...: a length of one is another graph
        check_same(module, backend, [(torch.arange(n),) for n in LENGTHS], 3)
        check_same(module, backend, [(torch.arange(n),) for n in LENGTHS], 3, dynamic=True)
        times = [(torch.rand(2, n, dtype=torch.float64).requires_grad_(),) for n in LENGTHS]
        # sums of what the C library has rounded once are the compiler's, in another order
        check_same(module, backend, times, 3, exact=backend != "inductor")

    @pytest.mark.parametrize("wants_grad", [False, True])
    @pytest.mark.parametrize("inplace", [False, True])
    def test_sums(self, backend, learnable, inplace, wants_grad):
        module = AddPositions(8, learnable=learnable, inplace=inplace)
        x = [torch.randn(2, n, 8, requires_grad=wants_grad) for n in LENGTHS]
        check_same(module, backend, [(t,) for t in x], 3, exact=backend != "inductor" or not learnable)

    def test_rotations(self, backend, learnable):
        module = RotaryEmbedding(8, learnable=learnable)
        q = [torch.randn(2, 4, n, 8, requires_grad=True) for n in LENGTHS]
        check_same(module, backend, [(t,) for t in q], 3, exact=backend != "inductor" or not learnable)

    def test_a_loop_that_decodes(self, backend, learnable):
        """One token at a time: start is a number that grows, a tensor, or positions; two graphs at most."""
        add, rope = AddPositions(8, learnable=learnable), RotaryEmbedding(8, learnable=learnable)
        embed = SinusoidalEmbedding(8, learnable=learnable)
        x, q, steps = torch.randn(2, 1, 8), torch.randn(2, 4, 1, 8), range(9)
        with torch.no_grad():
            check_same(lambda x, s: add(x, start=s), backend, [(x, s) for s in steps])
            check_same(lambda q, s: rope(q, start=s), backend, [(q, s) for s in steps])
            check_same(embed, backend, [(s,) for s in steps])
            check_same(lambda x, s: add(x, start=s), backend, [(x, torch.tensor(s)) for s in steps], 1)
            check_same(lambda q, s: rope(q, start=s), backend, [(q, torch.tensor(s)) for s in steps], 1)
            check_same(lambda q, p: rope(q, positions=p), backend, [(q, torch.tensor([s])) for s in steps], 1)


@pytest.mark.parametrize("backend", BACKENDS)
def test_dimensions_marked_dynamic(backend):
    for module, shape, axis in ((AddPositions(8), (2, 6, 8), 1), (RotaryEmbedding(8), (2, 4, 6, 8), 2)):
        fast, counter = compiled(module, backend)
        first = torch.randn(shape)
        torch._dynamo.mark_dynamic(first, axis)
        assert torch.equal(fast(first), module(first))
        for n in (2, 9, 100):
            x = torch.randn(shape[:axis] + (n,) + shape[axis + 1:])
            assert torch.equal(fast(x), module(x))
        assert counter.frame_count == 1


@pytest.mark.parametrize("backend", BACKENDS)
def test_what_is_written_in_place(backend):
    """x itself changes, as without a compiler."""
    for write in (AddPositions(8, inplace=True), RotaryEmbedding(8).rotate_):
        fast, _ = compiled(write, backend)
        for n, start in ((3, 1), (5, 2), (6, 3)):
            x = torch.randn(2, n, 8)
            mine, theirs = x.clone(), x.clone()
            got = fast(mine, start=start)
            assert torch.equal(got, write(theirs, start=start)) and torch.equal(mine, theirs)
            assert not torch.equal(mine, x)


@pytest.mark.parametrize("backend", BACKENDS)
def test_other_calls(backend):
    embed, rope = SinusoidalEmbedding(8), RotaryEmbedding(8)
    check_same(embed.table, backend, [(n,) for n in (4, 5, 9)])
    check_same(embed, backend, [([1, 2.5],)])
    check_same(embed, backend, [(0.1,)])
    check_same(lambda n: torch.cat(rope.cos_sin(n)), backend, [(n,) for n in (4, 5, 9)])
    dynamic = RotaryEmbedding(8, "hf_rope", rope_type="dynamic", factor=2.0, max_position_embeddings=64)
    check_same(dynamic, backend, [(torch.randn(1, 1, n, 8),) for n in (4, 8, 64)])
    words = dict(rope_type="longrope", factor=4.0, original_max_position_embeddings=16, short_factor=[1.0] * 4,
                 long_factor=[1.0, 2.0, 3.0, 4.0])
    check_same(RotaryEmbedding(8, "hf_rope", **words), backend, [(torch.randn(1, 1, n, 8),) for n in (4, 8, 17, 99)], 3)


@pytest.mark.parametrize("backend", BACKENDS)
def test_types_and_autocast(backend):
    x = torch.randn(1, 4000, 8)
    modules = AddPositions(8), RotaryEmbedding(8)
    for dtype in (torch.float16, torch.bfloat16, torch.float64):
        for module in modules:
            check_same(module, backend, [(x.to(dtype),)])
    for module in modules:
        fast, _ = compiled(module, backend)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            assert torch.equal(fast(x), module(x))
    embed = SinusoidalEmbedding(8)
    fast, _ = compiled(embed, backend)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        assert torch.equal(fast(torch.arange(4000)), embed.table(4000))


class Block(nn.Module):
    """A Transformer of one layer, with everything."""

    def __init__(self, learnable=False):
        super().__init__()
        self.words = nn.Embedding(50, 16)
        self.add = AddPositions(16, learnable=learnable, dropout=0.1)
        self.clock = SinusoidalEmbedding(16, learnable=learnable)
        self.rope = RotaryEmbedding(8, learnable=learnable)
        self.qkv, self.out, self.norm = nn.Linear(16, 48), nn.Linear(16, 16), nn.LayerNorm(16)

    def forward(self, ids, times):
        x = self.add(self.words(ids)) + self.clock(times)
        b, n, d = x.shape
        qkv = self.qkv(self.norm(x)).reshape(b, n, 3, 2, 8).permute(2, 0, 3, 1, 4)
        q, k = self.rope(qkv[0], qkv[1])
        y = F.scaled_dot_product_attention(q, k, qkv[2], is_causal=True)
        return self.out(y.transpose(1, 2).reshape(b, n, d)) + x


def inputs(n):
    return torch.randint(50, (2, n)), torch.rand(2, n)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("learnable", [False, True])
def test_a_transformer(backend, learnable):
    model = Block(learnable).eval()
    check_same(model, backend, [inputs(n) for n in (6, 9, 31)], exact=backend == "eager")


# ------------------------------------------------------------------------------------------------ graphs that are kept


def test_the_example_of_the_page():
    root = pathlib.Path(os.environ.get("SINPOS_SOURCE") or pathlib.Path(__file__).resolve().parents[2])
    block, = re.findall(r"^```python\n(import io, torch\n.*?)^```", (root / "docs" / "python.md").read_text(), re.M | re.S)
    counts = torch._dynamo.utils.counters
    counts.clear()
    exec(block, {"__name__": "page"})
    assert counts["stats"]["unique_graphs"] <= 3


@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize("learnable", [False, True])
def test_exported_programs(learnable, strict):
    model = Block(learnable).eval()
    n = torch.export.Dim("n", min=2, max=1000)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", module="torch.*")
        program = torch.export.export(model, inputs(7), dynamic_shapes={"ids": {1: n}, "times": {1: n}}, strict=strict)
        file = io.BytesIO()
        torch.export.save(program, file)
        file.seek(0)
        loaded = torch.export.load(file)
        decomposed = program.run_decompositions()
    names = [str(node.target) for node in program.graph.nodes]
    assert sum("sinpos.encode" in name for name in names) == (2 if learnable else 1)
    assert sum("sinpos.rotate" in name for name in names) == 2
    for n in (2, 5, 300):
        given = inputs(n)
        assert torch.equal(program.module()(*given), model(*given))
        assert torch.equal(loaded.module()(*given), model(*given))
        assert torch.allclose(decomposed.module()(*given), model(*given), atol=1e-6)


def test_exported_start():
    """The first position may be an argument of the program."""
    class Step(nn.Module):
        def __init__(self):
            super().__init__()
            self.rope, self.add = RotaryEmbedding(8), AddPositions(8)

        def forward(self, x, start):
            return self.rope(self.add(x, start=start), start=start)

    x = torch.randn(2, 3, 8)
    model = Step()
    program = torch.export.export(model, (x, torch.tensor(5)))
    for start in (0, 1, 10**6):
        assert torch.equal(program.module()(x, torch.tensor(start)), model(x, start))


OPERATORS = {
    "encode": lambda x, p, theta, text, rotary: (operators.encode, (p, theta, text, x.dtype)),
    "encode integers": lambda x, p, theta, text, rotary: (operators.encode, (torch.arange(3), None, text, x.dtype)),
    "by position": lambda x, p, theta, text, rotary: (operators.derivative, (p, theta, text, x.dtype, 2)),
    "by theta": lambda x, p, theta, text, rotary: (operators.derivative, (p, theta, text, x.dtype, 3)),
    "add": lambda x, p, theta, text, rotary: (operators.add, (x, p, 0, text, -2)),
    "add first": lambda x, p, theta, text, rotary: (operators.add, (x.transpose(0, 1), None, 5, text, -3)),
    "add in place": lambda x, p, theta, text, rotary: (operators.add_, (x.detach().clone(), None, 5, text, -2)),
    "rotate": lambda x, p, theta, text, rotary: (operators.rotate, (x[:, None], p, theta, 0, rotary, -2, 0)),
    "rotate back": lambda x, p, theta, text, rotary: (operators.rotate, (x[:, None], None, None, 5, rotary, -2, 2)),
    "invert": lambda x, p, theta, text, rotary: (operators.rotate, (x[:, None].detach(), None, None, 5, rotary, -2, 1)),
    "rotate in place": lambda x, p, theta, text, rotary: (
        operators.rotate_, (x[:, None].detach().clone(), p.detach(), None, 0, rotary, -2, 0)),
}


@pytest.mark.parametrize("dtype", [torch.float64, torch.bfloat16])
@pytest.mark.parametrize("name", OPERATORS)
def test_operators_are_what_they_say(name, dtype):
    if not hasattr(torch.library, "opcheck"):
        pytest.skip("torch.library.opcheck is of PyTorch 2.4")
    module = SinusoidalEmbedding(8, learnable=True)
    x = torch.rand(2, 5, 8).to(dtype).requires_grad_()
    positions = torch.rand(2, 5, dtype=torch.float64, requires_grad=True)
    operator, args = OPERATORS[name](x, positions, module.theta, module._text, RotaryEmbedding(8)._text)
    torch.library.opcheck(operator, args)


# ------------------------------------------------------------------------------------------------ torch.func


def test_gradients_by_torch_func():
    embed = SinusoidalEmbedding(6, dtype=torch.float64)
    p = torch.rand(3, dtype=torch.float64)
    want = torch.autograd.functional.jacobian(embed, p)
    assert torch.equal(jacrev(embed)(p), want) and torch.equal(jacfwd(embed)(p), want)
    assert torch.allclose(grad(lambda p: embed(p).sum())(p), want.sum((0, 1)))
    value, tangent = jvp(embed, (p,), (torch.ones_like(p),))
    assert torch.equal(value, embed(p)) and torch.allclose(tangent, want.sum(-1))
    curved = lambda p: embed(p).pow(3).sum()  # noqa: E731
    second = torch.autograd.functional.hessian(curved, p)
    assert torch.allclose(hessian(curved)(p), second) and torch.allclose(jacrev(jacrev(curved))(p), second)
    assert torch.allclose(jacfwd(jacfwd(curved))(p), second) and torch.allclose(jacrev(jacfwd(curved))(p), second)
    third = jacfwd(jacfwd(jacfwd(curved)))(p)
    assert torch.allclose(third, jacrev(jacrev(jacrev(curved)))(p)) and third.abs().max() > 0.1


@pytest.mark.parametrize("make", [SinusoidalEmbedding, AddPositions, RotaryEmbedding])
def test_gradients_by_theta_of_a_functional_call(make):
    module = make(6, learnable=True, dtype=torch.float64)
    x = torch.rand(2, 5, 6, dtype=torch.float64) if make is not SinusoidalEmbedding else torch.rand(5).double()
    run = lambda theta: functional_call(module, {"theta": theta}, (x,))  # noqa: E731
    loss = lambda theta: run(theta).pow(3).sum()  # noqa: E731
    theta = module.theta.detach()
    want = torch.autograd.functional.jacobian(run, theta)
    assert torch.allclose(jacrev(run)(theta), want) and torch.allclose(jacfwd(run)(theta), want)
    module.theta.grad = None
    module(x).pow(3).sum().backward()
    assert torch.allclose(grad(loss)(theta), module.theta.grad)
    several = torch.stack([theta, 2 * theta, 3 * theta])
    assert torch.equal(vmap(run)(several), torch.stack([run(t) for t in several]))
    assert torch.allclose(vmap(grad(loss))(several), torch.stack([grad(loss)(t) for t in several]))
    assert torch.allclose(hessian(loss)(theta), torch.autograd.functional.hessian(loss, theta))


@pytest.mark.parametrize("in_dim", [0, 1, -1])
def test_batches_of_positions(in_dim):
    """A batch is one call, and its rows are those of a loop."""
    p = torch.rand(3, 4, dtype=torch.float64)
    embed, grid = SinusoidalEmbedding(6), SinusoidalEmbedding(8, "diffusers_sincos_2d")
    pairs = torch.rand(3, 2, 2, dtype=torch.float64)
    for call, given in ((embed, p), (grid, pairs.movedim(0, in_dim) if in_dim else pairs)):
        got = vmap(call, in_dims=in_dim)(given)
        assert torch.equal(got, torch.stack([call(row) for row in given.unbind(in_dim)]))
    assert torch.equal(vmap(vmap(embed))(p), embed(p))


@pytest.mark.parametrize("axis", [-2, -3])
def test_batches_of_rows(axis):
    shape = (3, 2, 4, 5, 8)
    x = torch.rand(shape)
    n = shape[axis]
    add, rope = AddPositions(8, axis=axis), RotaryEmbedding(8, axis=axis)
    each = torch.rand(shape[0], n, dtype=torch.float64)
    for module in (add, rope):
        assert torch.equal(vmap(module)(x), module(x))
        assert torch.equal(vmap(module, in_dims=1)(x), torch.stack([module(t) for t in x.unbind(1)]))
        for given in (x, x[0]):
            call = lambda x, p: module(x, positions=p)  # noqa: E731
            rows = given if given is x else x[:1].expand(shape)
            got = vmap(call, in_dims=(0 if given is x else None, 0))(given, each)
            assert torch.equal(got, torch.stack([call(t, p) for t, p in zip(rows, each)]))
    bare = torch.rand(3, 5, 8)
    if axis == -2:
        rows = torch.arange(15).reshape(3, 5)
        got = vmap(lambda x, p: rope(x, positions=p))(bare, rows)
        assert torch.equal(got, torch.stack([rope(x, positions=p) for x, p in zip(bare, rows)]))
    loss = lambda x: rope(x).pow(3).sum()  # noqa: E731
    x = torch.rand(3, 2, 4, 5, 8, dtype=torch.float64)
    assert torch.allclose(vmap(grad(loss))(x), grad(loss)(x))


def test_gradients_of_each_sample():
    model = Block(True).eval()
    weights = {k: v.detach() for k, v in model.named_parameters()}

    def loss(weights, ids, times):
        return functional_call(model, weights, (ids[None], times[None])).pow(2).sum()

    ids, times = inputs(5)
    got = vmap(grad(loss), in_dims=(None, 0, 0))(weights, ids, times)
    for i in range(2):
        want = grad(loss)(weights, ids[i], times[i])
        assert all(torch.allclose(got[k][i], want[k], rtol=1e-4, atol=1e-5) for k in want)
    assert got["clock.theta"].abs().max() > 0


def test_inplace_modules_leave_transformed_tensors_alone():
    module, x = AddPositions(8, inplace=True), torch.rand(3, 5, 8)
    before = x.clone()
    assert torch.equal(vmap(module)(x), AddPositions(8)(x))
    assert torch.equal(jvp(module, (x,), (x,))[1], x) and torch.equal(x, before)


def test_no_gradients_where_none_are_asked_for():
    embed = SinusoidalEmbedding(6, dtype=torch.float64)
    p = torch.rand(3, dtype=torch.float64)

    def half(p):
        with torch.no_grad():
            still = embed(p)
        return (embed(p) * still).sum()

    assert torch.allclose(grad(half)(p), torch.func.vjp(embed, p)[1](embed(p))[0])
    with torch.no_grad():
        assert grad(lambda p: embed(p).sum())(p).abs().max() > 0


# ------------------------------------------------------------------------------------------------ tensors without memory


def test_fake_tensors():
    """Shapes, and nothing that outlives the mode."""
    with torch._subclasses.fake_tensor.FakeTensorMode():
        model = Block(True)
        assert model(*inputs(7)).shape == (2, 7, 16)
        assert model.clock(3).shape == (16,) and model.clock([1.5, 2]).shape == (2, 16)
        assert model.rope.rotate_(torch.rand(1, 2, 3, 8)).shape == (1, 2, 3, 8)
        assert model.rope.cos_sin(5)[1].shape == (5, 8)
        model(*inputs(7)).sum().backward()
        assert model.clock.theta.grad.shape == (8,)
    real = Block(True)
    real(*inputs(7)).sum().backward()
    assert type(real.clock.theta.grad) is torch.Tensor and real.clock.theta.grad.abs().sum() > 0


@pytest.mark.parametrize("learnable", [False, True])
def test_models_made_on_meta(learnable):
    source = Block(learnable).eval()
    with torch.device("meta"):
        model = Block(learnable).eval()
    assert all(p.is_meta for p in model.parameters())
    given = inputs(6)
    filled = copy.deepcopy(model).to_empty(device="cpu")
    assert not any(filled.load_state_dict(source.state_dict()))
    assert torch.equal(filled(*given), source(*given))
    assert not any(model.load_state_dict(source.state_dict(), assign=True))
    assert torch.equal(model(*given), source(*given)) and model.clock(3).device.type == "cpu"
    if learnable:
        assert model.clock.theta.requires_grad
        former = {k.replace("theta", "inv_freq"): v for k, v in source.state_dict().items()}
        with torch.device("meta"):
            model = Block(True).eval()
        assert not any(model.load_state_dict(former, assign=True))
        assert torch.equal(model(*given), source(*given))
