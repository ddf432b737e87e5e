#!/usr/bin/env python3
"""model_types.py --sinpos PROGRAM: a head is rotated by the config.json of each type of model, as the model's code does.

The three ways are written out here in float64; PAIRS, MOVED and HALVES name the types of each, LAST those whose last
columns turn.
"""
import argparse
import json
import math
import pathlib
import struct
import subprocess
import sys
import tempfile

MOVED = """deepseek_v3 deepseek_v32 axk1 axk2 glm4_moe_lite glm_moe_dsa longcat_flash mistral4 youtu kimi_k2""".split()
PAIRS = """deepseek_v2 llama4_text cohere cohere2 cohere2_moe ernie4_5 ernie4_5_moe glm glm4 chatglm helium
moonshine moonshine_streaming blt blt_patcher openai_privacy_filter glm4v_text glm_ocr glm_ocr_text
ernie4_5_vl_moe_text""".split()
LAST = ["deepseek_v4"]
HALVES = """llama mistral mixtral qwen2 qwen3 gemma gemma2 gemma3_text gemma4_text phi phi3 phimoe olmo olmo2 olmo3 stablelm
falcon persimmon nemotron granite starcoder2 smollm3 exaone4 gpt_oss gpt_neox glm4_moe dbrx modernbert minicpm3
qwen2_vl qwen3_vl_text""".split()
INTERLEAVE_STATED = ["deepseek_v3", "axk1", "glm4_moe_lite", "mistral4", "youtu"]
THETA, HEAD, POSITIONS = 100.0, 16, [3, 50]


def turned(head, position, way):
    """The columns that turn, one head."""
    n = len(head)
    first = range(0, n, 2) if way != "half" else range(n // 2)
    result = list(head)
    for i, j in enumerate(first):
        k = j + 1 if way != "half" else j + n // 2
        angle = position * THETA ** (-2 * i / n)
        a = head[j] * math.cos(angle) - head[k] * math.sin(angle)
        b = head[k] * math.cos(angle) + head[j] * math.sin(angle)
        places = (i, i + n // 2) if way == "moved" else (j, k)
        result[places[0]], result[places[1]] = a, b
    return result


def npy(path, rows):
    header = f"{{'descr': '<f8', 'fortran_order': False, 'shape': ({len(rows)}, {len(rows[0])}), }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    values = [value for row in rows for value in row]
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode()
                     + struct.pack(f"<{len(values)}d", *values))


def numbers(path, width):
    data = path.read_bytes()
    at = 10 + struct.unpack("<H", data[8:10])[0]
    values = struct.unpack(f"<{(len(data) - at) // 8}d", data[at:])
    return [values[i:i + width] for i in range(0, len(values), width)]


def failure(sinpos, folder, config, way, first=0, n=HEAD):
    """'' if `sinpos rotate` agrees, and without a word."""
    rows = [[math.sin(7 * r + c) for c in range(HEAD)] for r in range(len(POSITIONS))]
    npy(folder / "q.npy", rows)
    (folder / "config.json").write_text(json.dumps(config))
    done = subprocess.run([sinpos, "rotate", "q.npy", "--from-config", "config.json", "--positions",
                           ",".join(map(str, POSITIONS)), "-o", "r.npy", "--quiet"], cwd=folder, capture_output=True, text=True)
    if done.returncode != 0 or done.stderr != "":
        return done.stderr.strip()
    wanted = [row[:first] + turned(row[first:first + n], p, way) + row[first + n:] for row, p in zip(rows, POSITIONS)]
    got = numbers(folder / "r.npy", HEAD)
    worst = max(abs(a - b) for row, other in zip(wanted, got) for a, b in zip(row, other))
    return "" if worst < 1e-12 else f"off by {worst:.3g}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sinpos", required=True)
    sinpos = str(pathlib.Path(parser.parse_args().sinpos).resolve())
    wrong, n_types = [], 0
    sections = {"mrope_section": [4, 2, 2], "type": "default"}
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for way, types in (("moved", MOVED), ("pair", PAIRS), ("half", HALVES)):
            for model_type in types:
                config = {"model_type": model_type, "head_dim": HEAD, "rope_theta": THETA, "global_rope_theta": THETA,
                          "partial_rotary_factor": 1.0}
                config |= {"rope_scaling": sections} if "vl" in model_type or "4v" in model_type or "ocr" in model_type else {}
                config |= {"qk_rope_head_dim": HEAD} if way == "moved" else {}
                n_types += 1
                wrong += [f"{model_type}: {why}" for why in [failure(sinpos, folder, config, way)] if why]
                if model_type in INTERLEAVE_STATED:
                    why = failure(sinpos, folder, config | {"rope_interleave": False}, "half")
                    wrong += [f"{model_type}, rope_interleave false: {why}"] if why else []
        for model_type in LAST:
            config = {"model_type": model_type, "head_dim": HEAD, "qk_rope_head_dim": 4, "rope_theta": THETA}
            n_types += 1
            wrong += [f"{model_type}: {why}" for why in [failure(sinpos, folder, config, "pair", HEAD - 4, 4)] if why]
    print("\n".join(wrong) if wrong else f"{n_types} types of models turn as they should")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
