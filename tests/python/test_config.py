"""Encodings from the configurations of models: the same bytes, and the same refusals, as the command line."""
import json
import os
import pathlib
import re
import shlex
import subprocess
import warnings

import numpy as np
import pytest

import sinpos
from test_bytes import CLI, cli_hash, hash_of

TESTS = pathlib.Path(__file__).resolve().parents[1]
FILES = sorted((TESTS / "data" / "configs").glob("*.json"))


def inline():
    """The configurations that the command line's own cases write, and with which --layers they are asked."""
    texts, asked = {}, []
    for line in (TESTS / "cli" / "cases" / "encoding" / "from_config.case").read_text().splitlines():
        made = re.match(r"\$ text (\S+\.json) (.*)$", line)
        if made:
            texts[made.group(1)] = shlex.split(made.group(2))[0]
        used = re.match(r"\$ sinpos (?:table|rotate) .*--from-config (\S+\.json)", line)
        if used and used.group(1) in texts:
            layers = re.search(r"--layers (\S+)", line)
            asked.append((texts[used.group(1)], layers and layers.group(1), "--strict" in line))
    return sorted(set(asked), key=str)


def table_of(source, length, **words):
    """The hash, or None where Python refuses."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            enc = sinpos.Encoding.from_config(source, **words)
            assert eval(repr(enc), {"Encoding": sinpos.Encoding}) == enc
            return hash_of(enc.table(length))
        except ValueError:
            return None


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
@pytest.mark.parametrize("length", [3, 5000])
def test_files(path, length):
    mine = table_of(path, length)
    assert mine == cli_hash("--from-config", str(path), "--length", str(length))
    assert mine == table_of(json.loads(path.read_text()), length) == table_of(str(path), length)


@pytest.mark.parametrize("text, layers, strict", inline(), ids=lambda x: str(x)[:60])
def test_as_the_command_line(text, layers, strict, tmp_path):
    """Kinds of layers, unknown types, refusals."""
    path = tmp_path / "config.json"
    path.write_text(text)
    options = (["--layers", layers] if layers else []) + (["--strict"] if strict else [])
    done = subprocess.run([CLI, "table", "--hash", "--length", "40", "--from-config", tmp_path, *options], capture_output=True, text=True)
    try:
        config = json.loads(text)
    except ValueError:
        config = None
    mine = table_of(tmp_path, 40, layers=layers, strict=strict)
    assert mine == (done.stdout.strip() if done.returncode == 0 else None), done.stderr
    if isinstance(config, dict):
        assert mine == table_of(config, 40, layers=layers, strict=strict)
    if done.returncode != 0:
        with pytest.raises(ValueError) as caught:
            sinpos.Encoding.from_config(tmp_path, layers=layers, strict=strict).table(40)
        assert "--" not in str(caught.value) and "hint:" in str(caught.value)


LONG = {"model_type": "phi3", "hidden_size": 32, "num_attention_heads": 4, "max_position_embeddings": 131072,
        "original_max_position_embeddings": 4096,
        "rope_scaling": {"type": "longrope", "short_factor": [1.0, 1.1, 1.2, 1.3], "long_factor": [1.0, 2.0, 3.0, 4.0]}}
DYNAMIC = {"model_type": "llama", "head_dim": 8, "max_position_embeddings": 16, "rope_scaling": {"type": "dynamic", "factor": 2.0}}


@pytest.mark.parametrize("config", [LONG, DYNAMIC], ids=["longrope", "dynamic"])
def test_the_length_is_followed(config, tmp_path):
    """Every way to the rows takes the length of the sequence that ends behind the last position."""
    path = tmp_path / "config.json"
    path.write_text(json.dumps(config))
    enc = sinpos.Encoding.from_config(path)
    for start, length in ((0, 3), (0, 4096), (0, 4097), (4096, 2), (5, 20)):
        want = cli_hash("--from-config", str(path), "--start", str(start), "--length", str(length))
        positions = np.arange(start, start + length)
        fixed = sinpos.Encoding.from_config(config, seq_len=start + length)
        assert want == hash_of(enc.table(length, start)) == hash_of(enc(positions)) == hash_of(fixed.table(length, start))
        np.save(tmp_path / "q.npy", np.linspace(-1, 1, length * 8, dtype=np.float32).reshape(length, 8))
        subprocess.run([CLI, "rotate", "q.npy", "--from-config", "config.json", "--start", str(start), "-o", "out.npy", "--quiet"],
                       cwd=tmp_path, check=True)
        q, turned = np.load(tmp_path / "q.npy"), np.load(tmp_path / "out.npy")
        assert np.array_equal(enc.rotate_(q.copy(), start=start), turned)
        assert np.array_equal(enc.rotate_(q.copy(), positions=positions), turned)
        assert np.array_equal(fixed.rotate_(q.copy(), start=start), turned)
    own = enc.table()
    assert own.shape[1] == config["max_position_embeddings"] and np.array_equal(own, enc.table(own.shape[1]))
    enc.save(tmp_path / "t.npy", 5000)
    assert np.array_equal(np.load(tmp_path / "t.npy"), enc.table(5000))
    assert hash_of(enc.table(5000)[..., :4, :]) != hash_of(enc.table(4))


@pytest.mark.parametrize("config", [LONG, DYNAMIC], ids=["longrope", "dynamic"])
def test_torch_follows_the_same_length(config):
    torch = pytest.importorskip("torch")
    from sinpos.torch import RotaryEmbedding

    enc = sinpos.Encoding.from_config(config)
    rope = RotaryEmbedding.from_config(config)
    assert rope.encoding == enc and rope.layout == "halves"
    for n in (3, 30, 5000):
        q = torch.linspace(-1, 1, 2 * n * 8).reshape(1, 2, n, 8)
        assert np.array_equal(rope(q).numpy(), enc.rotate_(q.numpy().copy()))
        cos, sin = rope.cos_sin(n)
        assert np.array_equal(torch.stack([cos, sin]).numpy(), enc.table(n))


SCALED = [{"rope_type": "yarn", "factor": 4.0}, {"rope_type": "dynamic", "factor": 2.0}, {"rope_type": "llama3", "factor": 8.0,
          "low_freq_factor": 1.0, "high_freq_factor": 4.0, "original_max_position_embeddings": 16}]


@pytest.mark.parametrize("block", SCALED, ids=lambda b: b["rope_type"])
def test_what_is_true_of_a_model(block, tmp_path):
    """Curves and separations of scaled frequencies, as the command line has them."""
    config = {"model_type": "llama", "head_dim": 64, "max_position_embeddings": 16, "rope_scaling": block}
    (tmp_path / "config.json").write_text(json.dumps(config))
    enc = sinpos.Encoding.from_config(config)
    done = subprocess.run([CLI, "kernel", "--from-config", tmp_path, "--offsets", "0,1,9", "--json", "--continuum", "none"],
                          capture_output=True, text=True, check=True)
    assert np.allclose(enc.kernel([0, 1, 9]), json.loads(done.stdout)["g"], rtol=1e-14)
    assert enc.separation(20)[0].distance > 0 and enc.distance([0])[0] == 0 and enc.distinct(20).n == 20
    assert sinpos.check(enc, "relative", length=64)[0].verdict


def test_a_graph_needs_the_length():
    pytest.importorskip("onnx")
    import sinpos.onnx

    with pytest.raises(ValueError, match="hint: .*seq_len"):
        sinpos.onnx.rotary_graph(sinpos.Encoding.from_config(DYNAMIC))
    assert sinpos.onnx.rotary_graph(sinpos.Encoding.from_config(DYNAMIC, seq_len=40)).nodes


def test_values_of_a_caller_come_first():
    config = {"model_type": "llama", "hidden_size": 4096, "num_attention_heads": 32, "rope_theta": 500000.0}
    made = sinpos.Encoding.from_config
    assert made(config) == sinpos.Encoding(128, "hf_rope", rope_theta=500000)
    assert made(config, dim=64) == sinpos.Encoding(64, "hf_rope", rope_theta=500000)
    assert made(config, base=20000) == sinpos.Encoding(128, "hf_rope", base=20000)
    assert made(config, rope_type="linear", factor=4) == sinpos.Encoding(128, "hf_rope", rope_theta=500000, rope_type="linear", factor=4)
    assert made(config, convention="hf_cohere_rope").convention == "hf_cohere_rope"


class Config:
    """As Transformers has it."""

    def to_dict(self):
        return {"model_type": "llama", "head_dim": 64, "id2label": {0: "a", 1: "b"}, "dtype": object(), "eos": (1, 2), "x": float("nan"),
                "rope_theta": 1e6, "odd": "\0", "far": 2**80, "\ud800": 3}


def test_what_transformers_hands_out():
    assert sinpos.Encoding.from_config(Config()) == sinpos.Encoding(64, "hf_rope", rope_theta=1e6)


def test_an_unknown_type_warns():
    config = {"model_type": "strange", "head_dim": 8, "rope_theta": 10000}
    with pytest.warns(UserWarning, match="model_type strange is not known; assumed: columns j and j . n pair") as caught:
        sinpos.Encoding.from_config(config)
    assert caught[0].filename == __file__
    with pytest.raises(ValueError, match="so which columns pair is unknown\nhint: convention="):
        sinpos.Encoding.from_config(config, strict=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sinpos.Encoding.from_config(config, convention="hf_cohere_rope")


def nested(depth):
    config = {"model_type": "llama"}
    for _ in range(depth):
        config = {"a": config}
    return config


@pytest.mark.parametrize("source, kind, words", [
    (3, TypeError, "path of a config.json"), ([], TypeError, "path of a config.json"), ("nowhere.json", FileNotFoundError, "nowhere"),
    ({}, ValueError, "states no rotary positions"), ({"model_type": "falcon", "alibi": True}, ValueError, "no rotary positions"),
    ({"model_type": "llama", "head_dim": 8, "rope_theta": "x"}, ValueError, "rope_theta is not what it should be"),
    ({"model_type": "llama", "head_dim": 8, "rope_theta": 2**53 + 1}, ValueError, "beyond 2.53"),
    ({"model_type": "llama", "head_dim": 8, "rope_theta": 2**80}, ValueError, "beyond 2.53"),
    ({"model_type": "llama", "head_dim": 4, "rope_scaling": {"type": "longrope", "short_factor": [1, 2**53 + 1], "long_factor": [1, 1]}},
     ValueError, "short_factor has a whole number beyond"),
    ({"model_type": "llama", "head_dim": {}}, ValueError, "head_dim is not"), ({"model_type": "llama", "head_dim": object()}, ValueError, "head_dim is not"),
    ({"model_type": "llama", "head_dim": float("inf")}, ValueError, "dim|head_dim"), (nested(300), ValueError, "nested"),
    ({"model_type": "llama", "head_dim": 8, "rope_scaling": {"type": "longrope", "short_factor": ["a"], "long_factor": [1]}}, ValueError, "short_factor")])
def test_refusals(source, kind, words):
    with pytest.raises(kind, match=words):
        sinpos.Encoding.from_config(source).table(3)


def test_a_file_that_is_no_configuration(tmp_path):
    for text, words in (("[1]", "is not a JSON object"), ("{", "config.json: Expecting"), ("\xff", "config.json")):
        (tmp_path / "config.json").write_text(text)
        with pytest.raises(ValueError, match=words):
            sinpos.Encoding.from_config(tmp_path)
    config = {"model_type": "llama"}
    config["itself"] = config
    with pytest.raises(ValueError, match="nested"):
        sinpos.Encoding.from_config(config)
    assert os.listdir(tmp_path) == ["config.json"]


def test_a_convention_that_is_not_rotary():
    with pytest.raises(ValueError, match="convention='whisper': is not rotary.*\nhint: leave convention= out"):
        sinpos.Encoding.from_config({"model_type": "llama"}, convention="whisper")
