"""What callers see: shapes, errors, copies, documentation."""
import ast
import copy
import doctest
import importlib
import importlib.metadata
import importlib.util
import inspect
import json
import os
import pathlib
import pickle
import re
import shutil
import subprocess
import sys
import warnings

import numpy as np
import pytest

import sinpos
import sinpos._analysis
import sinpos._catalogue
import sinpos._encoding
import sinpos._files
import sinpos._results

HERE = pathlib.Path(__file__).resolve().parent


@pytest.mark.parametrize("module", [sinpos, sinpos._analysis, sinpos._catalogue, sinpos._encoding, sinpos._files,
                                    sinpos._results],
                         ids=lambda m: m.__name__)
def test_examples(module):
    assert doctest.testmod(module).failed == 0


ENCODINGS = [
    {}, {"dim": 768}, {"dim": 6, "theta": [1.0, 0.5, 0.25]}, {"dim": 80, "convention": "whisper"},
    {"convention": "hf_rope", "dim": 64}, {"dim": 64, "layout": "halves", "order": "cos-sin", "divisor": 31},
    {"convention": "mae", "embed_dim": 32, "grid_size": 3},
    {"dim": 64, "convention": "mlx_lm_rope", "scaling_config": {"rope_type": "linear", "factor": 8}},
    {"dim": 64, "convention": "hf_rope", "rope_scaling": {"type": "longrope", "short_factor": [1.1] * 32, "long_factor": [3] * 32},
     "max_position_embeddings": 64, "original_max_position_embeddings": 16},
]


@pytest.mark.parametrize("words", ENCODINGS, ids=str)
def test_value(words):
    enc, same = sinpos.Encoding(**words), sinpos.Encoding(**words)
    assert enc == same and hash(enc) == hash(same) and enc != sinpos.Encoding(dim=2)
    for other in (pickle.loads(pickle.dumps(enc)), copy.copy(enc), copy.deepcopy(enc)):
        assert other == enc and repr(other) == repr(enc)
    assert eval(repr(enc), {"Encoding": sinpos.Encoding}) == enc
    with pytest.raises(AttributeError):
        enc.dim = 3


def test_version():
    """One version: the header's, the library's, the package's metadata where it is installed."""
    header = (pathlib.Path(__file__).parents[2] / "include" / "sinpos.h").read_text()
    assert f'#define SINPOS_VERSION "{sinpos.__version__}"' in header
    try:
        assert importlib.metadata.version("sinpos") == sinpos.__version__
    except importlib.metadata.PackageNotFoundError:
        pass


def mypy(*arguments, cwd):
    """MYPY_CACHE_DIR keeps what is known of NumPy, which takes minutes to read the first time."""
    command = ["mypy"] if shutil.which("mypy") else [sys.executable, "-m", "mypy"]
    if command[0] != "mypy" and importlib.util.find_spec("mypy") is None:
        pytest.skip("no mypy here")
    cache = [] if "MYPY_CACHE_DIR" in os.environ else ["--cache-dir=/dev/null"]
    done = subprocess.run([*command, "--strict", *cache, *map(str, arguments)], cwd=cwd, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


WITHOUT_TORCH = ["--config-file", HERE / "mypy_numpy.ini"]


@pytest.mark.heavy
def test_types():
    """What `import sinpos` loads, and calls of it."""
    mypy(*WITHOUT_TORCH, "sinpos/__init__.py", HERE / "usage.py", cwd=HERE.parents[1] / "python")


def test_types_of_the_modules_for_pytorch():
    """The whole package; of PyTorch mypy reads for a minute the first time."""
    if os.environ.get("SINPOS_TEST_SIZE") == "small":
        pytest.skip("make test-all does it")
    pytest.importorskip("torch")
    mypy("sinpos", HERE / "usage_torch.py", cwd=HERE.parents[1] / "python")


def returns_any(path):
    """Functions without an underscore that return Any, and say no reason beside their name."""
    lines = path.read_text().splitlines()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.FunctionDef) and not re.match("_(?!_)", node.name) and node.returns is not None:
            head = lines[node.lineno - 1:node.body[0].lineno]
            if ast.unparse(node.returns).strip("'") == "Any" and not any("# Any: " in line for line in head):
                yield f"{path.name}:{node.lineno}: {node.name}"


def test_precise_types():
    files = list((HERE.parents[1] / "python" / "sinpos").rglob("*.py"))
    assert len(files) > 15 and [found for path in files for found in returns_any(path)] == []


def private_names(path):
    """What a file uses of PyTorch under a name with one underscore."""
    owners = {"torch", "nn", "autograd", "_autograd", "forward_ad", "symbolic_helper", "_C", "module", "above"}
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Attribute) and re.match("_(?!_)", node.attr):
            owner = ast.unparse(node.value)
            if owner.split(".")[0] in owners and owner.split(".")[-1] != "self" and not owner.startswith("module._own"):
                yield f"{owner}.{node.attr}"
            elif owner in ("super()", "base") and node.attr in ("_apply", "_load_from_state_dict", "_call_impl"):
                yield f"{owner}.{node.attr}"
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and re.match(r"torch(\.\w+)*\._\w+", node.value):
            yield node.value
        if isinstance(node, ast.Call) and ast.unparse(node.func) in ("getattr", "hasattr") and len(node.args) > 1:
            name = ast.unparse(node.args[1]).strip("'")
            if re.match("_(?!_)", name) and ast.unparse(node.args[0]).split(".")[0] in owners:
                yield f"{ast.unparse(node.args[0])}.{name}"


def test_private_names_of_pytorch_stand_in_one_file():
    """And each with the versions it was tried on."""
    folder = HERE.parents[1] / "python" / "sinpos"
    others = [path for path in folder.rglob("*.py") if path.name != "_private.py"]
    own = {"module._own_name"}
    assert {path.name: found for path in others if (found := set(private_names(path)) - own)} == {}
    text = (folder / "torch" / "_private.py").read_text()
    listed = re.findall(r"^\| (\S*_\S+)", text, re.M)
    for name in set(private_names(folder / "torch" / "_private.py")):
        last = name.rpartition(".")[2]
        rows = [line for line in text.splitlines() if line.startswith("| ") and last in line]
        assert last == "_C" or last == "_functorch" or (rows and all("2.6.0" in row or "with _" in row for row in rows)), name
    assert len(listed) > 10


@pytest.mark.heavy
def test_types_of_the_installed_package(tmp_path):
    """py.typed is there: mypy finds the types where Python finds the package."""
    try:
        importlib.metadata.version("sinpos")
    except importlib.metadata.PackageNotFoundError:
        pytest.skip("sinpos is not installed here")
    mypy(*WITHOUT_TORCH, "--python-executable", sys.executable, HERE / "usage.py", cwd=tmp_path)


@pytest.mark.parametrize("words", [w for w in ENCODINGS if "convention" in w], ids=str)
def test_audit_of_its_own_table(words):
    """Grids too, whose rows have two coordinates."""
    enc = sinpos.Encoding(**words)
    table = enc.table(None if enc.axes > 1 else 9)
    assert sinpos.audit(table, enc) and sinpos.audit(table, enc).elements == table.size
    table.flat[-1] += 1
    assert sinpos.audit(table, enc).wrong == 1


SCALINGS = [{"rope_type": "dynamic", "factor": 2.0}, {"rope_type": "linear", "factor": 4}, {"rope_type": "yarn", "factor": 4.0},
            {"rope_type": "longrope", "short_factor": [1.0] * 32, "long_factor": [2.5] * 32, "original_max_position_embeddings": 16}]


@pytest.mark.parametrize("scaling", SCALINGS, ids=lambda s: s["rope_type"])
@pytest.mark.parametrize("block", ["rope_scaling", "rope_parameters"])
def test_a_block_of_a_configuration_is_its_words(block, scaling):
    """As configurations of models have them, old and new, in whatever order."""
    flat = sinpos.Encoding(64, "hf_rope", max_position_embeddings=32, **scaling)
    old = {"type" if k == "rope_type" else k: v for k, v in reversed(scaling.items())}
    for words in (scaling, old, {**old, **scaling}):
        enc = sinpos.Encoding(64, "hf_rope", **{block: words}, max_position_embeddings=32)
        assert enc == flat and repr(enc) == repr(flat)
    with pytest.raises(ValueError, match="two values"):
        sinpos.Encoding(64, "hf_rope", **{block: scaling}, rope_type="llama3")
    assert sinpos.Encoding(64, "hf_rope", **{block: None}) == sinpos.Encoding(64, "hf_rope")


def test_parameters_are_words_again():
    scaled = sinpos.Encoding(128, "hf_rope", rope_type="yarn", factor=4, rope_theta=1e6, beta_fast=32.5)
    words = scaled.parameters
    assert words == {"dim": 128, "rope_type": "yarn", "factor": 4, "rope_theta": 1000000, "beta_fast": 32.5}
    assert type(words["dim"]) is type(words["rope_theta"]) is int
    assert sinpos.Encoding(convention=scaled.convention, **words) == scaled


def test_tables_of_another_byte_order():
    enc = sinpos.Encoding(dim=16)
    for dtype in ("float64", "float32", "float16"):
        table = enc.table(50, dtype=dtype)
        swapped = table.astype(table.dtype.newbyteorder())
        assert sinpos.audit(swapped, enc)
        assert sinpos.identify(swapped).encoding == enc
    assert sinpos.check(enc, "relative", length=50, dtype="float16", table=swapped)[0].verdict == "holds"


def test_claims_take_thresholds_and_words():
    enc = sinpos.Encoding(dim=16)
    by_id = {claim.id: claim for claim in sinpos.claims()}
    assert by_id["decay"].threshold == 0.5 and by_id["relative"].threshold is None
    assert [name for name, claim in by_id.items() if claim.takes_words] == ["covariance", "additive", "attention"]
    decay, relative = sinpos.check(enc, "decay", "relative", length=200)
    assert (decay.threshold, decay.threshold_origin, relative.threshold_origin) == (0.5, "chosen", "derived")
    assert (decay.rows, decay.columns) == (200, 16)
    given = sinpos.check(enc, "decay", length=200, thresholds={"decay": 0.01})[0]
    assert (given.threshold, given.threshold_origin, given.verdict) == (0.01, "given", "does not hold")
    words = np.random.default_rng(1).standard_normal((64, 16)) @ np.ones((16, 16))
    for own in (words, words.astype("float32"), words.tolist()):
        assert sinpos.check(enc, "covariance", length=200, words=own)[0].value == 0


def test_tensors_are_read():
    """Of any type, wanting gradients or not, as models hold them."""
    torch = pytest.importorskip("torch")
    enc = sinpos.Encoding(dim=16)
    exact = torch.from_numpy(enc.table(50))
    for tensor in (exact, exact.bfloat16(), exact.half().t().contiguous().t(), torch.nn.Parameter(exact)):
        found = sinpos.identify(tensor)
        assert found.encoding == enc and found.wrong == 0
        assert sinpos.audit(tensor, enc)
        assert sinpos.check(enc, "relative", length=50, table=tensor)[0].verdict == "holds"
    assert sinpos.audit(exact.bfloat16().float(), enc).wrong > 500


def test_tensors_as_positions_and_as_arrays():
    torch = pytest.importorskip("torch")
    enc = sinpos.Encoding(dim=16)
    for dtype in (torch.int32, torch.bfloat16, torch.float16, torch.float64):
        assert np.array_equal(enc(torch.tensor([3, 5]).to(dtype)), enc([3, 5]))
    x = torch.zeros(4, 16)
    with pytest.raises(TypeError, match=r"not Tensor\nhint: its numpy\(\) shares its memory"):
        enc.add_(x)
    enc.add_(x.numpy())
    assert np.array_equal(x.numpy(), enc.table(4))


@pytest.mark.parametrize("words", [
    {"dim": 10, "base": 100, "shift": 0.5}, {"dim": 6, "order": "cos-sin", "shift": 0.5}, {"dim": 16, "shift": 1, "divisor": 7},
    {"dim": 8, "scale": 0.7, "layout": "halves"}, {"dim": 64, "shift": 0.5, "amplitude": 0.5}], ids=str)
def test_identify_finds_the_words(words):
    found = sinpos.identify(sinpos.Encoding(**words).table(64))
    assert found.encoding == sinpos.Encoding(**words) and found.wrong == 0


def test_identify_one_row():
    enc = sinpos.Encoding(dim=64)
    for position in (5, 7.25, 900):
        found = sinpos.identify(enc([position]))
        assert (found.encoding, found.start, found.step) == (enc, position, 1)
        assert np.array_equal(found.encoding.table(1, found.start), enc([position]))
    found = sinpos.identify(enc([3, 9, 4, 100, 7]))
    assert (found.start, found.step, found.info["positions"]) == (3, 0, [3, 9, 4, 100, 7])


IN_SHAPES = {
    "(1, n, d)": lambda t: t[None], "(n, 1, d)": lambda t: t[:, None], "blocks": lambda t: np.stack([t, t, t]),
    "columns first": lambda t: t.T, "columns in two dimensions": lambda t: t.reshape(40, 32, 2)}


@pytest.mark.parametrize("shape", IN_SHAPES)
def test_audit_takes_what_identify_takes(shape):
    """And exact() gives it back in its shape."""
    enc = sinpos.Encoding(dim=64)
    table = np.ascontiguousarray(IN_SHAPES[shape](enc.table(40, start=3)))
    assert np.array_equal(sinpos.identify(table).exact(), table)
    assert sinpos.audit(table, enc, start=3) and sinpos.audit(table, enc, positions=np.arange(3, 43))
    table.flat[-1] += 1
    assert sinpos.audit(table, enc, start=3).first_wrong == tuple(size - 1 for size in table.shape)
    with pytest.raises(ValueError, match="table has shape"):
        sinpos.audit(table, sinpos.Encoding(dim=62), start=3)


@pytest.mark.parametrize("dtype, unit", [("float64", 2.0**-52), ("float32", 2.0**-23), ("float16", 2.0**-10)])
@pytest.mark.parametrize("amplitude, power", [(1, 1), (-3, 2), (0.5, 0.5), (0, 1)])
def test_audit_relative_to_the_amplitude(dtype, unit, amplitude, power):
    """Beside a zero too, where steps of the type are tiny; power is that of 2 below the amplitude."""
    enc = sinpos.Encoding(dim=8, amplitude=amplitude)
    table = enc.table(5, dtype=dtype)
    exact = sinpos.audit(table, enc)
    assert exact and exact.max_amplitude_ulp <= 0.5
    table[0, 0] = 8 * unit
    result = sinpos.audit(table, enc)
    assert result.max_ulp > 1000 and result.max_abs_error == 8 * unit
    assert result.max_relative_error == 8 * unit / (abs(amplitude) or 1)
    assert result.max_amplitude_ulp == 8 / power


def test_audit_of_frequencies_has_no_amplitude():
    enc = sinpos.Encoding(convention="hf_rope", dim=64, output="inv_freq")
    result = sinpos.audit(enc.table(), enc)
    assert result and np.isnan([result.max_relative_error, result.max_amplitude_ulp]).all()


def test_audit_as_the_command(tmp_path):
    """The numbers of both, with an amplitude that is no power of 2."""
    table = sinpos.Encoding(dim=8, amplitude=-3).table(40).astype(np.float16).astype(np.float32)
    np.save(tmp_path / "t.npy", table)
    done = subprocess.run([os.environ["SINPOS_CLI"], "audit", tmp_path / "t.npy", "--amplitude", "-3", "--json"], capture_output=True)
    told, result = json.loads(done.stdout), sinpos.audit(table, sinpos.Encoding(dim=8, amplitude=-3))
    names = ("elements", "wrong", "max_ulp", "max_abs_error", "max_relative_error", "max_amplitude_ulp")
    assert done.returncode == 1 and told["amplitude"] == 3
    assert [told[name] for name in names] == [getattr(result, name) for name in names]
    found = sinpos.identify(table)
    assert found.info["max_relative_error"] == found.max_abs_error / abs(found.info["amplitude"]) > 0


@pytest.mark.parametrize("name, words, length", [("whisper", {"dim": 48}, 40), ("vaswani", {"dim": 64}, 40), ("mae", {}, None),
                                                 ("hf_rope", {"dim": 64}, 40), ("hf_detr", {}, None), ("hf_phi", {"dim": 128}, 9)])
def test_audit_by_a_name(name, words, length):
    table = sinpos.Encoding(convention=name, **words).table(length)
    assert sinpos.audit(table, name) and sinpos.audit(table[None], name)
    table.flat[5] += 1
    assert sinpos.audit(table, name).wrong == 1
    with pytest.raises(ValueError, match="no convention has this name"):
        sinpos.audit(table, name + "s0")


@pytest.mark.heavy
def test_the_first_answers_of_migration():
    """identify(pe.numpy()) and audit(pe.numpy(), ...) of the module of entry 1, whose pe has shape (1, n, d)."""
    pytest.importorskip("torch")
    page = (pathlib.Path(os.environ.get("SINPOS_SOURCE") or HERE.parents[1]) / "docs" / "migration.md").read_text()
    names = {}
    exec(page.split("```python before\n")[1].split("```")[0], names)
    pe = names["PositionalEncoding"](512).pe
    calls = [line.split("#")[0].strip() for line in page.splitlines() if line.startswith("    sinpos.identify(pe")]
    calls += [part for part in page.split("`") if part.startswith("sinpos.audit(pe")]
    found, audited = [eval(call, {"sinpos": sinpos, "pe": pe}) for call in calls]
    assert found.encoding == sinpos.Encoding(512) and found.exact().shape == pe.shape
    assert 0 < audited.wrong == found.wrong and audited.elements == pe.numel()


def test_one_start_for_each_sequence():
    enc, starts = sinpos.Encoding(dim=8), [5, 0, 10**12]
    x = enc.add_(np.zeros((3, 4, 8), np.float32), start=starts)
    assert all(np.array_equal(x[i], enc.table(4, start)) for i, start in enumerate(starts))
    q = np.ones((3, 2, 4, 8), np.float32)
    want = np.stack([enc.rotate_(q[i].copy(), start=start) for i, start in enumerate(starts)])
    assert np.array_equal(enc.rotate_(q.copy(), start=np.array(starts)), want)
    for wrong, error in (([1, 2], ValueError), ([0.5, 1, 2], TypeError)):
        with pytest.raises(error, match="start"):
            enc.rotate_(q, start=wrong)


@pytest.mark.parametrize("kind", [list, np.array, "tensor"])
def test_positions_from_mask(kind):
    if kind == "tensor":
        kind = pytest.importorskip("torch").tensor
    mask = kind([[0, 0, 1, 1], [1, 1, 1, 0], [0, 0, 0, 0]])
    assert sinpos.positions_from_mask(mask).tolist() == [[0, 0, 0, 1], [0, 1, 2, 0], [0, 0, 0, 0]]
    tokens = [[1, 1, 7, 8], [7, 8, 9, 1], [1, 1, 1, 1]]
    rows = sinpos.positions_from_mask(kind(tokens) != 1 if kind is not list else np.array(tokens) != 1, padding_idx=1)
    assert rows.tolist() == [[1, 1, 2, 3], [2, 3, 4, 1], [1, 1, 1, 1]]
    with pytest.raises(TypeError, match="mask"):
        sinpos.positions_from_mask(["a"])


def test_theta_that_is_no_number_is_named():
    with pytest.raises(ValueError, match="theta holds NaN, at index 1"):
        sinpos.Encoding(theta=[1, np.nan])


def test_identify_without_words():
    table = sinpos.Encoding(dim=64).table(300)
    for other in (table.T, table[:, np.random.default_rng(1).permutation(64)]):
        found = sinpos.identify(other)
        assert found and found.encoding is None and "None" not in str(found) and np.array_equal(found.exact(), other)


def test_positions_in_the_memory_that_is_written():
    enc = sinpos.Encoding(dim=8)
    shared = np.arange(512.0)
    expected = enc(shared[:64].copy(), dtype="float64")
    assert np.array_equal(enc(shared[:64], out=shared.reshape(64, 8)), expected)
    for work in (enc.add_, enc.rotate_):
        x = np.arange(400.0).reshape(50, 8)
        positions = x.reshape(-1)[200:250]
        expected = work(x.copy(), positions=positions.copy())
        assert np.array_equal(work(x, positions=positions), expected)


def test_reasons():
    """Each error says what is wrong, and of what."""
    enc = sinpos.Encoding(dim=8)
    assert np.array_equal(enc(np.array([1, 2**62], object)), enc([1, 2**62]))
    for call, error, words in [
            (lambda: sinpos.Encoding(dim=2**64), ValueError, "dim must be between"),
            (lambda: enc.table(1, threads=2**70), OverflowError, "threads is too large"),
            (lambda: enc(np.array([1, 2**63], object)), OverflowError, "position"),
            (lambda: sinpos.Encoding(convention="mae", embed_dim=2**40, grid_size=2), ValueError, "too many")]:
        with pytest.raises(error, match=words):
            call()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(OverflowError):
            enc.table(3, step=1e308)


def test_core_takes_one_element_type():
    """A set of types would be told of in as many results as it has members."""
    plan, core = sinpos.Encoding(dim=8).plan, sinpos._core
    for wrong in (0, core.F64 | core.BF16, 16, -1, 2**32 + 1):
        for function in (core.collisions, core.separation_rounded):
            with pytest.raises(TypeError, match="element type"):
                function(plan, 0, 10, wrong, 1, None)
    assert core.collisions(plan, 0, 10, core.BF16, 1, None)[0] == 10


def test_core_refuses_words_that_are_no_tuple():
    with pytest.raises(TypeError, match="tuple"):
        sinpos._core.figure("kernel", sinpos.Encoding(dim=8).plan, {}, None, 8, 0, 1.0, 3, 0, 0, 1, None)


@pytest.mark.parametrize("figure", ["heatmap", "gram", "kernel", "waves"])
@pytest.mark.parametrize("dim", [-1, 0, 4, 16, -2**63, 2**63 - 1])
def test_core_refuses_words_of_another_plan(figure, dim):
    words = (dim, 0, 0, 0, 0, 0, 1e4, 1, 1, 0, 0, 1, 1, 0, 0, None, None)
    with pytest.raises(ValueError, match="dim must be|those of another"):
        sinpos._core.figure(figure, sinpos.Encoding(dim=8).plan, words, "", 8, 0, 1.0, 3, 0, 0, 1, None)


def test_core_refuses_what_has_no_truth():
    """An error of the argument is raised, not left behind for the next call."""
    table, neither = sinpos.Encoding(dim=8).table(20), np.zeros((2, 2))
    with pytest.raises(ValueError, match="truth"):
        sinpos._core.identify(table, neither, 1)


class Named(sinpos.Encoding):
    """With a method and a value of its own."""

    def __init__(self, dim, label):
        super().__init__(dim)
        object.__setattr__(self, "label", label)


def test_subclasses_stay_what_they_are():
    enc = Named(8, "left")
    for other in (pickle.loads(pickle.dumps(enc)), copy.copy(enc), copy.deepcopy(enc)):
        assert type(other) is Named and other == enc and other.label == "left"
    assert repr(enc) == "Named(dim=8)"


POINTS = [("nerf", 3, 63), ("nerfstudio_nerf", 3, 60), ("mipnerf_pos_enc", 3, 27), ("diffusers_gligen_fourier", 4, 64),
          ("hf_grounding_dino", 2, 256), ("hf_perceiver_fourier", 2, 258), ("timm_fourier", 2, 256)]


@pytest.mark.parametrize("name, axes, dim", POINTS)
def test_points(name, axes, dim):
    """The source's list, or its grid, says how many coordinates a point has; one array of points is a call."""
    enc = sinpos.Encoding(convention=name)
    assert (enc.axes, enc.dim) == (axes, dim)
    points = np.linspace(-1, 1, 10 * axes).reshape(2, 5, axes)
    rows = enc(points, dtype="float64")
    assert rows.shape == (2, 5, dim)
    listed = next((p.name for p in sinpos.convention(name).parameters if p.role == "positions"), None)
    if listed is not None:
        same = sinpos.Encoding(convention=name, **{listed: points.reshape(10, axes)})
        assert np.array_equal(same.table(dtype="float64").reshape(rows.shape), rows)
        one = sinpos.Encoding(convention=name, **{listed: [[0.5]]})
        assert one.axes == 1 and one([0.1, 0.2, 0.3]).shape == (3, one.dim)
    with pytest.raises(ValueError, match=rf"shape \(\.\.\., {axes}\)"):
        enc(np.zeros((2, axes + 1)))


@pytest.mark.parametrize("name, words, axes", [
    ("flux_rope", {}, 3), ("flux_rope", {"axes_dim": [16, 24]}, 2), ("diffusers_flux_rope", {"axes_dim": [8] * 9}, 9),
    ("rotary_embedding_torch", {"dims": [4, 5, 6]}, 3), ("rotary_embedding_torch", {}, 1)])
def test_lists_say_how_many_coordinates(name, words, axes):
    enc = sinpos.Encoding(convention=name, **words)
    assert enc.axes == axes
    positions = np.ones((5, axes)) if axes > 1 else np.ones(5)
    q = np.ones((2, 5, enc.dim), np.float32)
    assert not (enc.rotate_(q, positions=positions) == 1).all() and len(enc(positions)) == 5
    with pytest.raises(ValueError, match="positions"):
        enc.rotate_(q, positions=np.ones((5, axes + 1)))


def test_a_grid_alone():
    """Rows that are made of their grid, and of nothing else."""
    enc = sinpos.Encoding(64, "hf_dinov3_rope", num_patches_h=3, num_patches_w=2)
    q = np.ones((2, 6, 64), np.float32)
    cos, sin = enc.table()
    enc.rotate_(q)
    assert np.allclose(q, cos + np.concatenate([-sin[:, 32:], sin[:, :32]], axis=-1), atol=1e-6)
    for call in (lambda: enc(np.zeros((6, 2))), lambda: enc.rotate_(q, positions=np.zeros((6, 2)))):
        with pytest.raises(ValueError, match="grid"):
            call()


def test_width_of_tables():
    """dim is the width of what table() makes, where rows are vectors."""
    for convention in sinpos.conventions()[1:]:
        try:
            enc = sinpos.Encoding(convention=convention.name)
            made = enc._impl.natural(None, 0, 1)
        except ValueError:
            continue
        info = made.info
        if info["output"] == "table" and not info["is_channel_first"] and info["shape"][-1] == info["n_columns"]:
            assert enc.dim == info["n_columns"], convention.name


FAMILIES = ["llama", "Llama-2", "llama3", "yarn", "longrope", "ntk", "gptj", "GPT-J", "diffusers", "marian", "rope", "rotary", "sinusoidal",
            "transformer"]


@pytest.mark.parametrize("word, told", [
    ("llama", "hf_llama .*llama_reference_rope"), ("llama3", "hf_rope with rope_type llama3"), ("yarn", "hf_rope with rope_type yarn"),
    ("gptj", "hf_gptj_rope"), ("GPT-J", "hf_gptj"), ("diffusers", "diffusers_timestep"), ("marian", "hf_marian"), ("rope", "hf_rope"),
    ("sinusoidal", "vaswani")])
def test_guessed_names(word, told):
    with pytest.raises(ValueError, match=f"did you mean .*{told}"):
        sinpos.Encoding(64, word)


@pytest.mark.parametrize("word", FAMILIES)
def test_guessed_names_exist(word):
    """What a hint names can be had, and the command line gives the same one."""
    with pytest.raises(ValueError) as caught:
        sinpos.Encoding(64, word)
    guess = re.search(r"did you mean (.*)\?$", str(caught.value)).group(1)
    parameters = {p.name for name in ("hf_rope", "llama_reference_rope", "vllm_rope") for p in sinpos.convention(name).parameters}
    for name in re.findall(r"\b\w+_\w+\b", guess):
        assert name in parameters or sinpos.convention(name)
    done = subprocess.run([os.environ["SINPOS_CLI"], "table", "--convention", word], capture_output=True, text=True)
    assert done.returncode == 2 and f"did you mean {guess}?" in done.stderr


@pytest.mark.parametrize("word, value, told", [
    ("theta", 10000, "base=10000"), ("d_model", 64, "dim"), ("max_len", 5000, "no longest position"), ("position_ids", [1], "the call"),
    ("offset", 3, "start="), ("batch_first", True, "axis=-3"), ("dropout", 0.1, "AddPositions"), ("length", 10, "table"),
    ("dtype", "fp16", "table"), ("hidden_size", 64, "say dim"), ("rope_theta", 1e6, "say base"), ("device", "cpu", "sinpos.torch")])
def test_guessed_words(word, value, told):
    with pytest.raises((TypeError, ValueError), match=f"hint: .*{told}"):
        sinpos.Encoding(**{word: value})


@pytest.mark.parametrize("word, told", [("dtype", "table"), ("dropout", "AddPositions"), ("device", "sinpos.torch"), ("batch_first", "axis=-3")])
def test_guessed_words_with_a_convention(word, told):
    """Sources have some of them; here they are ignored by nobody."""
    with pytest.raises((TypeError, ValueError), match=f"hint: .*{told}"):
        sinpos.Encoding(64, "hf_rope", **{word: "float16"})


def test_words_of_sources_with_a_convention():
    """What is usual for a parameter is that parameter."""
    want = sinpos.Encoding(32, "hf_rope", rope_theta=500000).frequencies
    for words in ({"theta": 500000}, {"base": 500000}, {"rope_base": 500000}):
        assert np.array_equal(sinpos.Encoding(convention="hf_rope", d_model=32, **words).frequencies, want)
    assert np.array_equal(sinpos.Encoding(8, "whisper", max_len=5).table(), sinpos.Encoding(8, "whisper").table(5))


@pytest.mark.parametrize("call, word, value, told", [
    ("table", "offset", 3, "start"), ("table", "max_len", 3, "length"), ("table", "dtpye", "f4", "did you mean dtype"),
    ("__call__", "position_ids", [1], "positions"), ("gradient", "timesteps", [1], "positions"), ("gradient", "by", "theta", "wrt"),
    ("add_", "position_ids", [1], "positions"), ("add_", "offset", 3, "start"), ("add_", "input", 3, "say x"),
    ("rotate_", "position_ids", [1], "positions"), ("rotate_", "start_pos", 3, "start"), ("rotate_", "query", 3, "say q"),
    ("save", "offset", 3, "start"), ("kernel", "nonsense", 3, "help")])
def test_guessed_words_of_calls(call, word, value, told):
    with pytest.raises(TypeError, match=rf"Encoding\.{call}\(\) has no word '{word}'\nhint: .*{told}"):
        getattr(sinpos.Encoding(8), call)(**{word: value})


def test_calls_keep_their_signatures():
    for name in ("table", "add_", "rotate_", "__call__"):
        method = getattr(sinpos.Encoding, name)
        assert "threads" in inspect.signature(method).parameters and method.__doc__ and method.__name__ == name


def test_guessed_second_arguments():
    for value, told in ((5000, r"table\(5000\)"), (0.1, r"dropout=0\.1")):
        with pytest.raises(TypeError, match=f"hint: .*{told}"):
            sinpos.Encoding(64, value)


def spelled(kind):
    """float64, float32 or float16 as people write it."""
    names = [kind, "fp" + kind[5:], "f" + kind[5:], {"float64": "double", "float32": "single", "float16": "half"}[kind]]
    dtypes = [np.dtype(kind), getattr(np, kind)]
    torch = sys.modules.get("torch")
    return names + dtypes + ([] if torch is None else [getattr(torch, kind), "torch." + kind])


def kinds_of(function):
    """Its parameters that are element types."""
    return [name for name in inspect.signature(function).parameters if name in ("dtype", "theta_dtype", "positions_dtype")]


def public_functions(module):
    for name in module.__all__ if hasattr(module, "__all__") else [n for n in vars(module) if not n.startswith("_")]:
        item = getattr(module, name)
        if inspect.isclass(item) and item.__module__.startswith("sinpos"):
            yield f"{name}", item
            for own, method in vars(item).items():
                if inspect.isfunction(method) and (not own.startswith("_") or own == "__call__"):
                    yield f"{name}.{own}", method
        elif inspect.isfunction(item) and item.__module__.startswith("sinpos"):
            yield name, item


def with_types(kind, folder):
    """By name: calls that take element types, as functions of the words for these. Arrays that they write or read are of that kind."""
    enc, rope = sinpos.Encoding(8), sinpos.Encoding(8, "hf_rope")
    table, q = enc.table(20, dtype=kind), np.ones((1, 2, 3, 8), kind)
    calls = {
        "Encoding.table": lambda **w: enc.table(3, **w), "Encoding.__call__": lambda **w: enc([1.5], **w),
        "Encoding.gradient": lambda **w: enc.gradient([1.5], **w), "Encoding.save": lambda **w: enc.save(folder / "t.npy", 9, **w),
        "Encoding.add_": lambda **w: enc.add_(table.copy(), **w), "Encoding.rotate_": lambda **w: rope.rotate_(q.copy(), **w),
        "Encoding.shift": lambda **w: enc.shift(5, **w), "Encoding.shift_": lambda **w: enc.shift_(table.copy(), 5, **w),
        "Encoding.separation": lambda **w: enc.separation(20, **w), "Encoding.distinct": lambda **w: enc.distinct(20, **w),
        "Identification.exact": lambda **w: sinpos.identify(table).exact(**w), "identify": lambda **w: sinpos.identify(table, **w),
        "identify_frequencies": lambda **w: sinpos.identify_frequencies(table[0], **w), "diff": lambda **w: sinpos.diff(table, table, **w),
        "audit": lambda **w: sinpos.audit(table, enc, **w), "check": lambda **w: sinpos.check(enc, "definition", length=20, **w),
        "save": lambda **w: sinpos.save(folder / "t.npy", table, **w),
    }
    if importlib.util.find_spec("onnx") is not None:
        import sinpos.onnx as onnx

        calls.update({
            "graph": lambda **w: onnx.graph(enc, **w), "model": lambda **w: onnx.model(enc, **w),
            "rotary_graph": lambda **w: onnx.rotary_graph(rope, **w), "rotary_model": lambda **w: onnx.rotary_model(rope, **w),
            "error_bound": lambda **w: onnx.error_bound(enc, "float64", **w),
            "rotary_error_bound": lambda **w: onnx.rotary_error_bound(rope, "float64", **w)})
    if importlib.util.find_spec("torch") is not None:
        import sinpos.torch as modules

        calls.update({name: lambda kind=getattr(modules, name), **w: kind(8, learnable=True, **w)
                      for name in ("SinusoidalEmbedding", "AddPositions", "RotaryEmbedding")})
    return calls


@pytest.mark.parametrize("kind", ["float64", "float32", "float16"])
def test_element_types_by_any_name(kind, tmp_path):
    """Everything public that takes an element type takes all its names."""
    modules = [sinpos] + [importlib.import_module("sinpos." + name) for name in ("onnx", "torch") if importlib.util.find_spec(name)]
    calls, seen = with_types(kind, tmp_path), set()
    for name, function in (pair for module in modules for pair in public_functions(module)):
        for parameter in kinds_of(function) if not name.endswith("Finding") else []:
            seen.add(name)
            if (parameter, kind) in (("theta_dtype", "float16"), ("positions_dtype", "float16")):
                continue
            integers = ["int64", "long", np.int64, np.dtype("int64")] if parameter == "positions_dtype" else []
            for dtype in spelled(kind) + integers:
                calls[name](**{parameter: dtype})
    assert seen == set(calls)


def test_bfloat16_by_any_name():
    enc = sinpos.Encoding(8)
    torch = pytest.importorskip("torch")
    from sinpos.torch import SinusoidalEmbedding

    for dtype in ("bf16", "bfloat16", torch.bfloat16, "torch.bfloat16"):
        assert enc.table(3, dtype=dtype).tobytes() == enc.table(3, dtype="bfloat16").tobytes()
        assert SinusoidalEmbedding(8, dtype=dtype).dtype is torch.bfloat16
    for kind in ("float64", "float32", "float16"):
        for dtype in spelled(kind):
            assert enc.table(3, dtype=dtype).dtype == kind and SinusoidalEmbedding(8, dtype=dtype).dtype is getattr(torch, kind)


def test_exact_in_every_type():
    """An identified table is made again in any type, with one rounding."""
    found = sinpos.identify(sinpos.Encoding(16).table(40))
    for dtype in ("float64", "float32", "float16", "bfloat16_bits"):
        assert np.array_equal(found.exact(dtype), sinpos.Encoding(16).table(40, dtype=dtype))
