"""sinpos.advise() says what the command says, of files, dicts, configurations and encodings."""
import json
import os
import pathlib
import subprocess

import numpy as np
import pytest
import sinpos

SOURCE = pathlib.Path(os.environ.get("SINPOS_SOURCE") or pathlib.Path(__file__).resolve().parents[2])
CONFIGS = SOURCE / "tests" / "data" / "configs"


def by_command(*words):
    done = subprocess.run([os.environ["SINPOS_CLI"], "advise", *map(str, words), "--json"], capture_output=True, text=True,
                          check=True)
    return json.loads(done.stdout)["facts"]


def plain(facts):
    return [fact._asdict() for fact in facts]


@pytest.mark.parametrize("name", ["llama_3_1_8b", "qwen2_5_7b_yarn", "phi3_longrope", "pythia_160m", "deepseek_v3"])
def test_file_is_the_commands(name):
    path = CONFIGS / f"{name}.json"
    facts = sinpos.advise(path, 2048, trained=512)
    assert plain(facts) == by_command(path, "--context", 2048, "--train", 512)
    assert facts["context"].values["ratio"] == 4


def test_layers_and_folder(tmp_path):
    path = CONFIGS / "gemma_3_27b.json"
    facts = sinpos.advise(str(path), 1024, layers="sliding_attention", trained=256)
    assert plain(facts) == by_command(path, "--context", 1024, "--train", 256, "--layers", "sliding_attention")
    (tmp_path / "config.json").write_text(path.read_text())
    assert [f[:3] for f in sinpos.advise(tmp_path, 1024, layers="sliding_attention", trained=256)] == [f[:3] for f in facts]


def test_dict_is_the_file():
    config = json.loads((CONFIGS / "llama_3_1_8b.json").read_text())
    before = json.dumps(config)
    facts, of_file = sinpos.advise(config, 16384), sinpos.advise(CONFIGS / "llama_3_1_8b.json", 16384)
    assert [f[:4] for f in facts] == [f[:4] for f in of_file] and json.dumps(config) == before
    assert all("--from-config" not in fact.command for fact in facts)


def test_encoding_is_the_options():
    facts = sinpos.advise(sinpos.Encoding(dim=16, base=100.0), 256, trained=64)
    assert plain(facts) == by_command("--dim", 16, "--base", 100, "--train", 64, "--context", 256)
    named = sinpos.Encoding(dim=64, convention="hf_rope", base=500, rope_type="linear", factor=4)
    facts = sinpos.advise(named, 1024, trained=256)
    said = by_command("--convention", "hf_rope", "--dim", 64, "--base", 500, "--set", "rope_type=linear", "--set", "factor=4",
                      "--train", 256, "--context", 1024)
    assert [f[:4] for f in facts] == [tuple(fact.values())[:4] for fact in said]


def test_commands_of_a_dict_run():
    facts = sinpos.advise({"model_type": "llama", "head_dim": 16, "rope_theta": 100, "max_position_embeddings": 64}, 128)
    cli = pathlib.Path(os.environ["SINPOS_CLI"]).parent
    for fact in facts:
        done = subprocess.run(["sh", "-c", fact.command], capture_output=True, text=True, cwd="/tmp",
                              env={**os.environ, "PATH": f"{cli}:{os.environ['PATH']}"}, check=False)
        assert done.returncode in (0, 1) and not done.stderr, fact


@pytest.mark.parametrize("call, error, words", [
    (lambda: sinpos.advise(sinpos.Encoding(dim=8), 1), ValueError, "context must be 2 or more"),
    (lambda: sinpos.advise(sinpos.Encoding(dim=8), 1 << 27), ValueError, r"context must be 2\^26 or less"),
    (lambda: sinpos.advise(sinpos.Encoding(dim=8), 64, trained=-1), ValueError, "trained must be above 0"),
    (lambda: sinpos.advise(sinpos.Encoding(dim=8, phase=1.0), 64), ValueError, "not by phase"),
    (lambda: sinpos.advise({"model_type": "bert"}, 64), ValueError, "no rotary positions"),
    (lambda: sinpos.advise("/nowhere/config.json", 64), OSError, "nowhere"),
    (lambda: sinpos.advise(7, 64), TypeError, "config.json"),
])
def test_errors(call, error, words):
    with pytest.raises(error, match=words):
        call()


def test_progress_stops():
    with pytest.raises(ZeroDivisionError):
        sinpos.advise(sinpos.Encoding(dim=128), 8192, progress=lambda part: 1 / 0)


def test_ids_and_text():
    facts = sinpos.advise(sinpos.Encoding(dim=16, base=100.0), 256, trained=64)
    assert isinstance(facts, tuple) and "base" in facts and "none" not in facts and facts[0] in facts
    assert str(facts[0]) in str(facts) and facts[:2] == (facts[0], facts[1])
    with pytest.raises(KeyError):
        facts["none"]
    assert np.isclose(facts["scaling.linear"].value, 0.75)
