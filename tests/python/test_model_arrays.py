"""Cosines, sines and rotated heads by --from-config, against the formulas of the models' code, written out in NumPy."""
import json
import os
import subprocess

import numpy as np
import pytest

CLI = os.environ["SINPOS_CLI"]
POSITIONS = [0, 1, 17, 1000]
PLACES = [[0, 0, 0], [5, 5, 5], [6, 7, 9], [6, 8, 40]]  # text, text, two patches: time, height, width


def inv_freq(dim, base):
    return base ** (-np.arange(0, dim, 2) / dim)


def angles(config):
    text = config.get("text_config", config.get("global_config", config))
    rope = text.get("rope_parameters", text)
    heads = text.get("num_attention_heads", text.get("encoder_num_attention_heads"))
    head = text.get("head_dim", text["hidden_size"] // heads)
    dim = int(head * rope.get("partial_rotary_factor", 1.0))
    freqs = inv_freq(dim, rope["rope_theta"])
    if "mrope_section" not in rope:
        return np.outer(POSITIONS, freqs), head
    by_axis = np.array(PLACES).T[:, :, None] * freqs  # (3, n, dim / 2)
    chunks = np.split(by_axis, np.cumsum(rope["mrope_section"])[:-1], axis=-1)
    return np.concatenate([chunk[i % 3] for i, chunk in enumerate(chunks)], axis=-1), head


def rotate_half(x):
    return np.concatenate([-x[..., x.shape[-1] // 2:], x[..., :x.shape[-1] // 2]], axis=-1)


def rotate_pairs(x):
    return np.stack([-x[..., 1::2], x[..., 0::2]], axis=-1).reshape(x.shape)


def halves_for_pairs(freqs, x):
    """GLM, Helium, Moonshine, GLM-OCR: a table in halves, of which the first is repeated for adjacent pairs."""
    cos, sin = (np.concatenate([f(freqs), f(freqs)], axis=-1) for f in (np.cos, np.sin))
    c, s = (np.repeat(t[..., :t.shape[-1] // 2], 2, axis=-1) for t in (cos, sin))
    turned = x[..., :c.shape[-1]]
    return cos, sin, np.concatenate([turned * c + rotate_pairs(turned) * s, x[..., c.shape[-1]:]], axis=-1)


def repeated(freqs, x):
    """BLT: each angle beside its copy."""
    cos, sin = (f(np.repeat(freqs, 2, axis=-1)) for f in (np.cos, np.sin))
    return cos, sin, x * cos + rotate_pairs(x) * sin


def once_in_halves(freqs, x):
    """gpt-oss: cos and sin have as many columns as there are pairs."""
    a, b = np.split(x, 2, axis=-1)
    cos, sin = np.cos(freqs), np.sin(freqs)
    return cos, sin, np.concatenate([a * cos - b * sin, b * cos + a * sin], axis=-1)


def once_in_pairs(freqs, x):
    """OpenAI's privacy filter, which is gpt-oss with adjacent pairs."""
    a, b = x[..., ::2], x[..., 1::2]
    cos, sin = np.cos(freqs), np.sin(freqs)
    return cos, sin, np.stack([a * cos - b * sin, b * cos + a * sin], axis=-1).reshape(x.shape)


def once_at_the_end(freqs, x):
    """DeepSeek V4: the last columns of a head turn."""
    cos, sin = np.cos(freqs), np.sin(freqs)
    c, s = np.repeat(cos, 2, axis=-1), np.repeat(sin, 2, axis=-1)
    rest, turned = x[..., :-c.shape[-1]], x[..., -c.shape[-1]:]
    return cos, sin, np.concatenate([rest, turned * c + rotate_pairs(turned) * s], axis=-1)


def halves(freqs, x):
    """StableLM, with an odd share: torch.arange(0, 7, 2) makes four frequencies, so that eight columns turn."""
    cos, sin = (np.concatenate([f(freqs), f(freqs)], axis=-1) for f in (np.cos, np.sin))
    n = cos.shape[-1]
    return cos, sin, np.concatenate([x[..., :n] * cos + rotate_half(x[..., :n]) * sin, x[..., n:]], axis=-1)


MODELS = {
    "helium": (halves_for_pairs, {"hidden_size": 2560, "num_attention_heads": 20, "head_dim": 128, "rope_theta": 100000.0}),
    "moonshine tiny": (halves_for_pairs, {"hidden_size": 288, "encoder_num_attention_heads": 8, "rope_theta": 10000.0,
                                          "partial_rotary_factor": 0.9}),
    "moonshine base": (halves_for_pairs, {"hidden_size": 416, "encoder_num_attention_heads": 8, "rope_theta": 10000.0,
                                          "partial_rotary_factor": 0.62}),
    "moonshine_streaming": (halves_for_pairs, {"hidden_size": 320, "num_attention_heads": 8, "rope_parameters": {
        "rope_type": "default", "rope_theta": 10000.0, "partial_rotary_factor": 0.8}}),
    "blt": (repeated, {"patcher_config": {"hidden_size": 768, "num_attention_heads": 12, "rope_theta": 10000.0},
                       "global_config": {"model_type": "blt_global_transformer", "hidden_size": 2048,
                                         "num_attention_heads": 16, "rope_theta": 500000.0}}),
    "blt_patcher": (repeated, {"hidden_size": 768, "num_attention_heads": 12, "rope_theta": 10000.0}),
    "glm_ocr": (halves_for_pairs, {"text_config": {
        "model_type": "glm_ocr_text", "hidden_size": 1536, "num_attention_heads": 16, "head_dim": 128,
        "rope_parameters": {"rope_type": "default", "mrope_section": [16, 24, 24], "partial_rotary_factor": 1.0,
                            "rope_theta": 10000}}}),
    "glm4v": (halves_for_pairs, {"text_config": {
        "model_type": "glm4v_text", "hidden_size": 4096, "num_attention_heads": 32,
        "rope_parameters": {"rope_type": "default", "mrope_section": [8, 12, 12], "partial_rotary_factor": 0.5,
                            "rope_theta": 10000}}}),
    "gpt_oss": (once_in_halves, {"hidden_size": 2880, "head_dim": 64, "num_attention_heads": 64, "rope_theta": 150000}),
    "openai_privacy_filter": (once_in_pairs, {"hidden_size": 640, "head_dim": 64, "num_attention_heads": 14,
                                              "rope_parameters": {"rope_type": "default", "rope_theta": 150000}}),
    "deepseek_v4": (once_at_the_end, {"hidden_size": 4096, "head_dim": 512, "num_attention_heads": 64,
                                      "qk_rope_head_dim": 64, "partial_rotary_factor": 0.125, "rope_theta": 10000}),
    "stablelm": (halves, {"hidden_size": 80, "num_attention_heads": 4, "rope_theta": 10000, "partial_rotary_factor": 0.35}),
}


@pytest.mark.parametrize("model", MODELS)
def test_arrays_of_a_model(model, tmp_path):
    formula, config = MODELS[model]
    freqs, head = angles(config)
    x = np.sin(np.arange(len(POSITIONS) * head, dtype=float)).reshape(len(POSITIONS), head)
    (tmp_path / "config.json").write_text(json.dumps(dict(config, model_type=model.split()[0])))
    np.save(tmp_path / "x.npy", x)
    rope = config.get("text_config", config).get("rope_parameters", {})
    at = json.dumps(PLACES if "mrope_section" in rope else POSITIONS)
    for command in (["table", "--type", "f64", "-o", "table.npy"], ["rotate", "x.npy", "-o", "turned.npy"]):
        done = subprocess.run([CLI, *command, "--from-config", "config.json", "--positions", at, "--quiet"], cwd=tmp_path,
                              capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (0, "")
    cos, sin, turned = formula(freqs, x)
    assert np.load(tmp_path / "table.npy").shape == (2, *cos.shape)
    assert np.allclose(np.load(tmp_path / "table.npy"), [cos, sin], rtol=0, atol=1e-11)
    assert np.allclose(np.load(tmp_path / "turned.npy"), turned, rtol=0, atol=1e-11)
