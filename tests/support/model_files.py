"""model_files.py - .gguf and .safetensors files for tests, made by the formats' descriptions and none of sinpos's code.

    gguf([("general.architecture", "llama"), ("llama.rope.freq_base", 1e4)], [("blk.0.attn_q.weight", "F32", (8, 8), data)])

Shapes are row-major. A value is a str, bool, int (uint32), float (float32), a list of them, or (TYPE, value) with a
type of its own. What is hostile is made by changing the bytes, or with the named options.
"""
import argparse
import json
import pathlib
import random
import re
import struct

VALUE_TYPES = {"u8": (0, "B"), "i8": (1, "b"), "u16": (2, "H"), "i16": (3, "h"), "u32": (4, "I"), "i32": (5, "i"),
               "f32": (6, "f"), "bool": (7, "?"), "u64": (10, "Q"), "i64": (11, "q"), "f64": (12, "d")}
TENSOR_TYPES = {"F32": (0, 1, 4), "F16": (1, 1, 2), "Q4_0": (2, 32, 18), "Q8_0": (8, 32, 34), "Q4_K": (12, 256, 144),
                "I8": (24, 1, 1), "I32": (26, 1, 4), "F64": (28, 1, 8), "BF16": (30, 1, 2), "T99": (99, 1, 1)}
DTYPES = {"F64": 8, "F32": 4, "F16": 2, "BF16": 2, "I64": 8, "I32": 4, "U8": 1, "BOOL": 1, "F8_E4M3": 1}


def text(value):
    data = value if isinstance(value, bytes) else value.encode()
    return struct.pack("<Q", len(data)) + data


def type_of(value):
    return "bool" if isinstance(value, bool) else "u32" if isinstance(value, int) else "f32"


def value(item):
    """Type number and bytes of a value."""
    if isinstance(item, tuple):
        number, letter = VALUE_TYPES[item[0]]
        return number, struct.pack("<" + letter, item[1])
    if isinstance(item, (str, bytes)):
        return 8, text(item)
    if isinstance(item, list):
        parts = [value(part) for part in item]
        number = parts[0][0] if parts else 4
        return 9, struct.pack("<IQ", number, len(item)) + b"".join(data for _, data in parts)
    return value((type_of(item), item))


def count(shape):
    n = 1
    for size in shape:
        n *= size
    return n


def gguf(metadata, tensors, version=3, alignment=32, n_tensors=None, n_keys=None, offsets=None, endian="<"):
    head = b"GGUF" + struct.pack(endian + "I", version)
    head += struct.pack("<QQ", len(tensors) if n_tensors is None else n_tensors,
                        len(metadata) if n_keys is None else n_keys)
    for key, item in metadata:
        number, data = value(item)
        head += text(key) + struct.pack("<I", number) + data
    head, body = bytearray(head), bytearray()
    for i, (name, kind, shape, data) in enumerate(tensors):
        number = TENSOR_TYPES[kind][0]
        offset = len(body) if offsets is None or offsets[i] is None else offsets[i]
        head += text(name) + struct.pack("<I", len(shape)) + b"".join(struct.pack("<Q", n) for n in reversed(shape))
        head += struct.pack("<IQ", number, offset)
        body += data + b"\0" * (-len(data) % alignment)
    return bytes(head + b"\0" * (-len(head) % alignment) + body)


def gguf_bytes(kind, shape):
    _, block, size = TENSOR_TYPES[kind]
    return count(shape) // block * size


def safetensors(tensors, metadata=None):
    head, body = {}, bytearray()
    if metadata is not None:
        head["__metadata__"] = metadata
    for name, kind, shape, data in tensors:
        head[name] = {"dtype": kind, "shape": list(shape), "data_offsets": [len(body), len(body) + len(data)]}
        body += data
    packed = json.dumps(head).encode()
    packed += b" " * (-len(packed) % 8)
    return bytes(struct.pack("<Q", len(packed)) + packed + body)


def weights(kind, shape, seed):
    """Seeded elements: normal for floats, any bytes for the rest."""
    stream = random.Random(f"{seed} {kind} {shape}")
    n = count(shape)
    letter = {"F32": "f", "F16": "e", "F64": "d"}.get(kind)
    if letter is not None:
        return struct.pack(f"<{n}{letter}", *(stream.gauss(0, 1) for _ in range(n)))
    if kind == "BF16":
        return b"".join(struct.pack("<f", stream.gauss(0, 1))[2:] for _ in range(n))
    size = gguf_bytes(kind, shape) if kind in TENSOR_TYPES else n * DTYPES[kind]
    return bytes(stream.randrange(256) for _ in range(size))


def attention(layers, hidden, head, heads, kv_heads, kind, style, bias=False, norm=False, seed=1):
    """The tensors of attention layers, and an embedding: names of Hugging Face ("hf") or of GGML ("gguf")."""
    names = {"hf": ("model.layers.{}.self_attn.{}_proj.{}", "model.layers.{}.self_attn.{}_norm.weight",
                    "model.embed_tokens.weight"),
             "gguf": ("blk.{}.attn_{}.{}", "blk.{}.attn_{}_norm.weight", "token_embd.weight")}[style]
    floats = kind if kind in ("F32", "F16", "BF16", "F64") else "F32"
    tensors = [(names[2], floats, (10, hidden), weights(floats, (10, hidden), seed))]
    for layer in range(layers):
        for what, n in (("q", heads), ("k", kv_heads), ("v", kv_heads)):
            shape = (n * head, hidden)
            tensors.append((names[0].format(layer, what, "weight"), kind, shape,
                            weights(kind, shape, f"{seed} {layer} {what}")))
            if bias:
                tensors.append((names[0].format(layer, what, "bias"), floats, shape[:1],
                                weights(floats, shape[:1], f"{seed} {layer} {what} bias")))
            if norm and what != "v":
                tensors.append((names[1].format(layer, what), floats, (head,),
                                weights(floats, (head,), f"{seed} {layer} {what} norm")))
    return tensors


def fused(tensors, name, order, heads, kv_heads):
    """The same with q, k and v of each layer in one tensor: all of each, or for each head of k its q, k and v."""
    result, parts = [], {}
    for tensor in tensors:
        match = re.fullmatch(r"(.*\.)(?:attn_)?([qkv])(?:_proj)?\.(weight|bias)", tensor[0])
        if match is None:
            result.append(tensor)
            continue
        mine = parts.setdefault((match[1], match[3]), {})
        mine[match[2]] = tensor
        if len(mine) < 3:
            continue
        bytes_of = {what: [part[3][i * len(part[3]) // n:(i + 1) * len(part[3]) // n] for i in range(n)]
                    for what, n, part in (("q", heads, mine["q"]), ("k", kv_heads, mine["k"]), ("v", kv_heads, mine["v"]))}
        group = heads // kv_heads
        ordered = [bytes_of["q"] + bytes_of["k"] + bytes_of["v"]] if order == "parts" else [
            bytes_of["q"][g * group:(g + 1) * group] + [bytes_of["k"][g], bytes_of["v"][g]] for g in range(kv_heads)]
        shape = (sum(part[2][0] for part in mine.values()),) + mine["q"][2][1:]
        result.append((f"{match[1]}{name}.{match[3]}", tensor[1], shape, b"".join(b"".join(one) for one in ordered)))
    return result


def extreme_values():
    """The least and the largest number of every type."""
    keys = []
    for kind, (_, letter) in VALUE_TYPES.items():
        bits = 8 * struct.calcsize(letter)
        least, most = (-2**(bits - 1), 2**(bits - 1) - 1) if letter.islower() else (0, 2**bits - 1)
        least, most = {"f32": (-1.5, 2.0**100), "f64": (-2.5, 1e300), "bool": (False, True)}.get(kind, (least, most))
        keys += [(f"least.{kind}", (kind, least)), (f"most.{kind}", (kind, most))]
    return keys


def small_models(folder):
    """The files of tests/data/models: python3 tests/support/model_files.py tests/data/models"""
    (folder / "sharded").mkdir(parents=True, exist_ok=True)
    values = [k + 0.5 for k in range(6)]
    floats = {"F32": struct.pack("<6f", *values), "F64": struct.pack("<6d", *values), "F16": struct.pack("<6e", *values),
              "BF16": b"".join(struct.pack("<f", x)[2:] for x in values)}
    keys = [("general.architecture", "llama"), ("llama.rope.freq_base", 5e5), ("llama.rope.dimension_count", 128),
            ("llama.rope.dimension_sections", [16, 24, 24]), ("tokenizer.ggml.tokens", ["a", "b"]),
            ("negative", ("i16", -5)), ("flag", True)]
    tensors = [(kind.lower(), kind, (2, 3), floats[kind]) for kind in ("F32", "F64", "BF16")]
    tensors += [("unknown", "T99", (5,), bytes(5)), ("quantised", "Q4_K", (2, 256), weights("Q4_K", (2, 256), 1))]
    (folder / "small.gguf").write_bytes(gguf(keys, tensors))
    one = [("f32", "F32", (2, 3), floats["F32"])]
    (folder / "values.gguf").write_bytes(gguf(extreme_values() + [("nested", [[[["deep"]]]])], one))
    (folder / "nested_five_deep.gguf").write_bytes(gguf([("nested", [[[[["deep"]]]]])], one))
    (folder / "between_alignments.gguf").write_bytes(
        gguf([("general.alignment", 64)], one + [("f64", "F64", (2, 3), floats["F64"])], alignment=64, offsets=[0, 32]))
    for count in (1, 2, 3):
        for i in (1, 2):
            part = gguf([("split.count", ("u16", count))], [(f"t{i}", "F32", (2, 3), floats["F32"])])
            (folder / f"said_{count}-0000{i}-of-00002.gguf").write_bytes(part)
    parts = [[("f16", "F16", (2, 3), floats["F16"]), ("left", "F32", (2, 3), floats["F32"])],
             [("f32", "F32", (2, 3), floats["F32"]), ("f8", "F8_E4M3", (2, 3), bytes(6))]]
    for i, part in enumerate(parts, 1):
        name = f"model-0000{i}-of-00002.safetensors"
        (folder / "sharded" / name).write_bytes(safetensors(part, {"format": "pt"}))
    places = {"f32": "model-00002-of-00002.safetensors", "f8": "model-00002-of-00002.safetensors",
              "f16": "model-00001-of-00002.safetensors"}
    config = {"rope_theta": 1e6, "text_config": {"num_attention_heads": 8}, "rope_scaling": {"short_factor": [1, 2.5]}}
    (folder / "sharded/model.safetensors.index.json").write_text(json.dumps({"weight_map": places}))
    (folder / "sharded/config.json").write_text(json.dumps(config))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="writes small models for tests")
    parser.add_argument("folder", type=pathlib.Path)
    small_models(parser.parse_args().folder)
