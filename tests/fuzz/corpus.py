#!/usr/bin/env python3
"""corpus.py FOLDER: writes the named inputs of fuzz_gguf, fuzz_index and fuzz_formula, good and hostile, into FOLDER/gguf ..."""
import argparse
import json
import pathlib
import struct
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
from model_files import attention, gguf, text, weights

PAIR = [("a", "F32", (2, 3), weights("F32", (2, 3), 1)), ("b", "F16", (4,), weights("F16", (4,), 2))]
LLAMA = [("general.architecture", "llama"), ("llama.rope.freq_base", 5e5), ("llama.attention.head_count", 4)]


def nested(depth):
    item = [1]
    for _ in range(depth):
        item = [item]
    return item


def named(name):
    return [(name,) + PAIR[0][1:]]


def array_head(kind, n):
    """A key with an array of which only the head is there."""
    return text("key") + struct.pack("<IIQ", 9, kind, n)


def bare(body, n_tensors=0, n_keys=1):
    return b"GGUF" + struct.pack("<IQQ", 3, n_tensors, n_keys) + body


def tensor(n_dims, sizes, kind=0, offset=0):
    return bare(text("a") + struct.pack("<I", n_dims) + struct.pack(f"<{len(sizes)}Q", *sizes) +
                struct.pack("<IQ", kind, offset) + bytes(64), 1, 0)


def gguf_inputs():
    whole = gguf(LLAMA, PAIR)
    every = [("u8", ("u8", 200)), ("i8", ("i8", -3)), ("u16", ("u16", 65535)), ("i16", ("i16", -2)), ("i32", ("i32", -7)),
             ("u64", ("u64", 2**64 - 1)), ("i64", ("i64", -2**63)), ("f64", ("f64", 0.1)), ("yes", True), ("text", "x"),
             ("none", []), ("sections", [16, 24, 24, 0]), ("tokens", ["a", "", "b"]), ("nested", [[1], [2, 3]])]
    return {
        "two_tensors": whole,
        "one_tensor": gguf(LLAMA, PAIR[:1]),
        "version_2": gguf(LLAMA, PAIR, version=2),
        "version_1": gguf(LLAMA, PAIR, version=1),
        "version_4": gguf(LLAMA, PAIR, version=4),
        "big_endian": gguf(LLAMA, PAIR, endian=">"),
        "every_value": gguf(every, PAIR),
        "attention_q8_0": gguf(LLAMA, attention(1, 32, 4, 2, 1, "Q8_0", "gguf")),
        "unknown_type": gguf(LLAMA, [("odd", "T99", (5,), bytes(5))] + PAIR),
        "alignment_64": gguf(LLAMA + [("general.alignment", 64)], PAIR, alignment=64),
        "alignment_0": gguf(LLAMA + [("general.alignment", 0)], PAIR),
        "alignment_33": gguf(LLAMA + [("general.alignment", 33)], PAIR),
        "alignment_text": gguf(LLAMA + [("general.alignment", "32")], PAIR),
        "alignment_broken": gguf(LLAMA, PAIR, offsets=[0, 24]),
        "no_tensors": gguf(LLAMA, []),
        "no_keys": gguf([], PAIR),
        "empty": b"",
        "only_magic": b"GGUF",
        "no_magic": b"GGML" + whole[4:],
        "cut_in_metadata": whole[:60],
        "cut_in_tensors": whole[:150],
        "cut_in_data": whole[:-40],
        "count_of_keys_huge": gguf(LLAMA, PAIR, n_keys=2**63),
        "count_of_tensors_huge": gguf(LLAMA, PAIR, n_tensors=2**64 - 1),
        "key_longer_than_file": bare(struct.pack("<Q", 2**40) + bytes(16)),
        "key_with_escape": gguf([("a\x1b[2J", 1)], PAIR),
        "key_twice": gguf(LLAMA + LLAMA[:1], PAIR),
        "key_empty": gguf([("", 1)], PAIR),
        "text_longer_than_file": bare(text("key") + struct.pack("<IQ", 8, 2**62)),
        "value_of_unknown_type": bare(text("key") + struct.pack("<IQ", 77, 0)),
        "array_huge": bare(array_head(4, 2**61)),
        "array_of_texts_huge": bare(array_head(8, 2**61 + 1)),
        "array_of_unknown_type": bare(array_head(55, 1)),
        "nested_deep": gguf([("deep", nested(40))], PAIR),
        "name_with_zero": gguf(LLAMA, named(b"a\0b")),
        "name_with_escape": gguf(LLAMA, named("a\x1b[31m")),
        "name_no_utf_8": gguf(LLAMA, named(b"a\xc3")),
        "name_overlong": gguf(LLAMA, named(b"a\xe0\x80\x80")),
        "name_with_c1_control": gguf(LLAMA, named("a\x9b2J")),
        "name_of_accents": gguf(LLAMA, named("\u00e9\u20ac\U0001f600")),
        "name_twice": gguf(LLAMA, [PAIR[0], PAIR[0]]),
        "offsets_overlap": gguf(LLAMA, PAIR, offsets=[0, 0]),
        "offsets_backwards": gguf(LLAMA, PAIR, offsets=[32, 0]),
        "offset_beyond_file": gguf(LLAMA, PAIR, offsets=[0, 2**40]),
        "offset_wraps": gguf(LLAMA, PAIR, offsets=[0, 2**64 - 32]),
        "shape_product_overflows": tensor(4, [2**33] * 4),
        "shape_negative": tensor(2, [2**64 - 1, 1]),
        "shape_too_many": tensor(5, [1] * 5),
        "shape_none": tensor(0, []),
        "shape_zero": tensor(2, [0, 2**62]),
        "blocks_broken": tensor(2, [31, 2], kind=2),
    }


def index_inputs():
    places = {"one.a": "1.safetensors", "one.b": "1.safetensors", "two.a": "2.safetensors", "two.b": "2.safetensors"}

    def index(**more):
        return json.dumps({"metadata": {"total_size": 32}, "weight_map": {**places, **more}}).encode()

    config = {"num_attention_heads": 8, "rope_theta": 1e4, "use_cache": True, "name": "x", "none": None,
              "rope_scaling": {"rope_type": "yarn", "short_factor": [1.0, 2.0]}, "layer_types": ["a", "b"]}
    return {
        "two_files": index(),
        "one_file": json.dumps({"weight_map": {"two.a": "2.safetensors"}}).encode(),
        "config": json.dumps(config).encode(),
        "config_deep": b'{"a":' * 30 + b"1" + b"}" * 30,
        "empty": b"",
        "no_object": b"[1,2]",
        "no_map": b'{"metadata":{}}',
        "map_is_list": b'{"weight_map":["a"]}',
        "map_is_empty": b'{"weight_map":{}}',
        "shard_is_number": index(x=7),
        "shard_is_missing": index(x="3.safetensors"),
        "shard_lacks_tensor": index(**{"one.a": "2.safetensors"}),
        "shard_above": index(x="../1.safetensors"),
        "shard_absolute": index(x="/etc/passwd"),
        "shard_backslash": index(x="..\\\\1.safetensors"),
        "shard_is_folder": index(x="."),
        "shard_of_other_ending": index(x="input.index.json"),
        "shard_with_escape": index(x="\x1b[2J.safetensors"),
        "name_twice": b'{"weight_map":{"one.a":"1.safetensors","one.a":"1.safetensors"}}',
        "name_empty": index(**{"": "1.safetensors"}),
        "no_json": b"weight_map: yes",
        "no_utf_8": b'{"weight_map":{"\xff":"1.safetensors"}}',
        "brackets": b'{"a":[' + b"[]," * 3000 + b"[]]}",
        "deep": b"[" * 5000,
        "cut": index()[:40],
    }


def formula_inputs():
    texts = {
        "arithmetic": "floor(x / 2) * 2^(1/3) - [1, 2][0] % 7 + sqrt(2) * exp(-1) / log(3)",
        "lists": "slice(rows, 0, 1)[0][2] + len(empty) + sum(list) + columns(list, 2)[2][1]",
        "choices": "word == 'half' and none == null ? g0 * 2 + 1 : not (i >= 3) or g1 < 2 ? 1 : 0",
        "masks": "mask_cells(rows, 1)[1][2][3] + token_positions(list, 0)[1] + token_columns(rows, 1)[0][0]",
        "deep": "(" * 200 + "1" + ")" * 200,
        "lists_deep": "[" * 30 + "1" + "]" * 30,
        "ragged": "[[1, 2], [3, 4, 5], 6]",
        "power_huge": "2^(2^(2^(2^(2^2))))",
        "power_of_fraction": "(1/3)^9007199254740991 + 10000^(1/9007199254740991)",
        "digits": "0." + "0" * 400 + "1e-400",
        "exponent_cut": "1e",
        "index_of_nothing": "empty[0]",
        "columns_of_nothing": "columns(empty, 64)",
        "text_cut": "'half",
        "arguments": "max(1, 2, 3, 4, 5)",
        "no_number": "none + word",
        "divided_by_zero": "1 / (x - 10000)",
        "no_utf_8": "\udcff\udcfe",
    }
    inputs = {name: b"=" + text.encode(errors="surrogateescape") for name, text in texts.items()}
    for first in range(0, 160, 8):
        inputs[f"defaults_{first}"] = b"".join(bytes([k, 0]) for k in range(first, first + 4))
        numbers = [bytes([k, 1 + 4 * 3]) + b"".join(bytes([name, 5, 0, 2 * size]) for name, size in ((0, 8), (2, 4), (4, 3)))
                   for k in range(first + 4, first + 8)]
        inputs[f"numbers_{first}"] = b"".join(numbers)
    return inputs


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition(": ")[2])
    parser.add_argument("folder", type=pathlib.Path)
    top = parser.parse_args().folder
    for folder, inputs in (("gguf", gguf_inputs()), ("index", index_inputs()), ("formula", formula_inputs())):
        path = top / folder
        path.mkdir(parents=True, exist_ok=True)
        for name, data in inputs.items():
            (path / name).write_bytes(data)


if __name__ == "__main__":
    main()
