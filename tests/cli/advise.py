#!/usr/bin/env python3
"""advise.py --sinpos PATH --data DIR [--brief]: runs every command that sinpos advise prints, and looks for its number in the output.

A command is run as it is printed, by sh, in a folder that has the configuration and with sinpos in the PATH. Its number is
that of `value`, to the digits that the output shows. Prints TAP.
"""
import argparse
import concurrent.futures
import json
import math
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import turns

NUMBER = re.compile(r"(?<![\w.])[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
FIRST = {"context", "base.sign", "float32_angles", "bfloat16_positions", "float16_positions", "bfloat16_table", "collisions"}
RULES = {f"scaling.{rule}{far}" for rule in ("linear", "ntk", "dynamic", "yarn", "llama3") for far in ("", ".far")}
RUNTIMES = {f"runtime.{name}" for name in ("hf", "ggml", "vllm", "mlx")}
LAST = {"unfinished_tones", "unfinished_tones.context", "base", "base.robust"}
ALL = FIRST | LAST | RULES | RUNTIMES | {"scaling.longrope"}

# words, ids that must be there, (id, value or name of a value, number) that must hold
CASES = [
    ("llama_3_1_8b.json --context 16384", ALL | {"ignored.max_position_embeddings"},
     [("context", "ratio", 2), ("unfinished_tones", "value", 29), ("unfinished_tones", "first", 35),
      ("bfloat16_positions", "value", 257), ("float16_positions", "value", 2049), ("runtime.vllm", "other_elements", 0),
      ("collisions", "value", 16384), ("scaling.linear", "value", 0.5), ("scaling.linear.far", "value", 0),
      ("scaling.ntk.far", "value", 28)]),
    ("llama_1_7b.json --context 4096", ALL | {"ignored.max_position_embeddings"},
     [("context", "trained", 2048), ("base.sign", "value", 1707), ("base", "value", 26952.339228),
      ("base.robust", "value", 58789.504)]),
    ("qwen2_5_7b_yarn.json --context 2048 --train 512", ALL - {"base.sign"},
     [("context", "factor", 4), ("runtime.vllm", "other_elements", 0), ("runtime.ggml", "same_definition", 1)]),
    ("phi3_longrope.json --context 8192", ALL | {"scaling.longrope.far"},
     [("context", "trained", 4096), ("runtime.mlx", "same_definition", 1)]),
    ("pythia_160m.json --context 4096", ALL | {"ignored.rotary_pct"}, [("unfinished_tones", "tones", 8)]),
    ("deepseek_v3.json --context 8192", ALL | {"ignored.rope_scaling.factor"}, [("runtime.ggml", "same_definition", 1)]),
    ("gpt_oss_20b.json --context 8192", ALL, [("runtime.vllm", "same_definition", 1), ("runtime.ggml", "same_definition", 0)]),
    ("gemma_3_27b.json --layers sliding_attention --context 2048 --train 1024", ALL | {"ignored.rope_scaling"},
     [("base", "base", 10000)]),
    ("gemma_3_27b.json --context 2048", FIRST | RUNTIMES, [("context", "trained", None), ("context", "wanted", 2048)]),
    ("qwen2_vl_7b.json --context 2048 --train 1024", {"context", "unfinished_tones", "base", "float32_angles"}, []),
    ("--dim 16 --base 100 --train 64 --context 256", FIRST | LAST | RULES, [("unfinished_tones", "value", 3)]),
    ("--convention hf_rope --dim 64 --base 500 --set rope_type=linear --set factor=4 --context 1024 --train 256",
     ALL, [("runtime.ggml", "same_definition", 1)]),
    ("--dim 2 --context 4096", {"context", "collisions"}, [("collisions", "value", 1014)]),
    ("twice.json --context 1024", {"ignored.rope_scaling.original_max_position_embeddings", "ignored.rope_scaling.finetuned"},
     [("context", "trained", 256), ("ignored.rope_scaling.original_max_position_embeddings", "stated", 512)]),
]
TWICE = {"model_type": "llama", "head_dim": 32, "rope_theta": 1000, "max_position_embeddings": 1024,
         "original_max_position_embeddings": 256,
         "rope_scaling": {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 512, "finetuned": True}}


def numbers(text):
    return [match.group() for match in NUMBER.finditer(text)]


def shows(text, value):
    """Is the number there, to the digits that are printed?"""
    for word in numbers(text):
        digits = len(re.sub(r"[eE].*", "", word).replace(".", "").lstrip("-+0"))
        if float(word) == value or (digits >= 3 and math.isclose(float(word), value, rel_tol=0.51 * 10.0 ** (1 - digits))):
            return True
    return value == 0 and "every one of" in text


def run(command, folder, env):
    return subprocess.run(["sh", "-c", command], cwd=folder, env=env, text=True, capture_output=True, timeout=600)


def judge_fact(fact, folder, env, seen):
    """What is wrong with a fact; None: nothing."""
    if set(fact) != {"id", "value", "values", "sentence", "command"} or not fact["sentence"].endswith((".", ")")):
        return f"not a fact: {fact}"
    if fact["command"] not in seen:
        seen[fact["command"]] = run(fact["command"], folder, env)
    done = seen[fact["command"]]
    if done.returncode not in (0, 1) or done.stderr:
        return f"{fact['command']}\nends with {done.returncode}: {done.stderr}"
    if fact["value"] is not None and not shows(done.stdout, fact["value"]):
        return f"{fact['command']}\ndoes not show {fact['value']} but\n{done.stdout[:3000]}"
    rounded = None if fact["value"] is None else float(f"{fact['value']:.3g}")
    spoken = fact["value"] is None or shows(fact["sentence"], fact["value"]) or rounded in map(float, numbers(fact["sentence"]))
    return None if spoken else f"the sentence does not say {fact['value']}: {fact['sentence']}"


def judge(words, ids, holds, folder, env, with_commands):
    """What is wrong with the advice, and with what its commands print; an empty list: nothing."""
    done = run(f"sinpos advise {words} --json", folder, env)
    if done.returncode != 0 or done.stderr:
        return [f"ends with {done.returncode}: {done.stderr}"]
    facts, seen = json.loads(done.stdout)["facts"], {}
    by_id = {fact["id"]: fact for fact in facts}
    wrong = [f"there is no {name}" for name in sorted(ids - set(by_id))]
    wrong += ["ids are not unique"] * (len(by_id) != len(facts))
    for name, key, number in holds:
        fact = by_id.get(name, {"value": None, "values": {}})
        got = fact["value"] if key == "value" else fact["values"].get(key)
        if got != number and not (got and number and math.isclose(got, number, rel_tol=1e-7)):
            wrong.append(f"{name} has {key} {got}, not {number}")
    return wrong + [text for text in (judge_fact(fact, folder, env, seen) for fact in facts if with_commands) if text]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--sinpos", required=True, type=pathlib.Path)
    parser.add_argument("--data", required=True, type=pathlib.Path)
    parser.add_argument("--brief", action="store_true", help="the commands of every third case")
    options = parser.parse_args()
    env = {**os.environ, "PATH": f"{options.sinpos.resolve().parent}:{os.environ['PATH']}", "LC_ALL": "C"}
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for path in options.data.parent.glob("configs/*.json"):
            shutil.copy(path, folder)
        (pathlib.Path(folder) / "twice.json").write_text(json.dumps(TWICE))
        chosen = CASES if not options.brief else CASES[1::3] if turns.turn() is None else turns.mine(CASES)
        print(f"1..{len(CASES)}", flush=True)
        for k, case in enumerate(CASES):
            words = case[0]
            wrong = judge(*case, folder, env, case in chosen)
            failed += bool(wrong)
            print(f"{'not ' * bool(wrong)}ok {k + 1} - sinpos advise {words}", flush=True)
            for text in wrong:
                print("# " + text.replace("\n", "\n# "), flush=True)
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
