"""Rotary: what sources compute, written down from their own lines, to 50 digits. Adds to the cases of sources.py."""
import itertools

from exact import PI, cos, exp, log, number, power, sin
from sources import case, grid, refuse

HALF = number("0.5")


def whole(x):
    """floor of a Decimal"""
    return int(x) - (x < int(x))


def ceiling(x):
    return -whole(-x)


# ------------------------------------------------------------------------------------------------------ frequencies

def inv_freq(dim, base=10000):
    return [1 / power(base, number(2 * i) / dim) for i in range(dim // 2)]


def wavelength(w):
    return 2 * PI / w


def llama3(freqs, factor, low, high, context):
    """Meta's apply_scaling: three cases by wavelength."""
    new = []
    for w in freqs:
        if wavelength(w) < number(context) / number(high):
            new.append(w)
        elif wavelength(w) > number(context) / number(low):
            new.append(w / number(factor))
        else:
            smooth = (context / wavelength(w) - number(low)) / (number(high) - number(low))
            new.append((1 - smooth) * w / number(factor) + smooth * w)
    return new


def correction(turns, dim, base, context):
    return dim * log(number(context) / (number(turns) * 2 * PI)) / (2 * log(base))


def correction_range(dim, base, context, fast=32, slow=1, truncate=True, last=None):
    low, high = correction(fast, dim, base, context), correction(slow, dim, base, context)
    if truncate:
        low, high = number(whole(low)), number(ceiling(high))
    low, high = max(low, number(0)), min(high, number(dim - 1 if last is None else last))
    return low, high + number("0.001") if low == high else high


def ramp(i, low, high):
    return min(max((i - low) / (high - low), number(0)), number(1))


def yarn(dim, base, context, factor, share=1, **bounds):
    """Interpolated and extrapolated frequencies, mixed by a mask."""
    low, high = correction_range(dim, base, context, **bounds)
    mixed = []
    for i, w in enumerate(inv_freq(dim, base)):
        mask = (1 - ramp(i, low, high)) * number(share)
        mixed.append(w / number(factor) * (1 - mask) + w * mask)
    return mixed


def yarn_scale(factor, mscale=1):
    return number(1) if factor <= 1 else number("0.1") * number(mscale) * log(factor) + 1


# ------------------------------------------------------------------------------------------------- tables, rotation

def angles(positions, freqs):
    return [[number(p) * w for w in freqs] for p in positions]


def twice(row, pairing, block=None):
    """Each value twice; halves lie within blocks of so many values."""
    if pairing != "half":
        return [x for x in row for _ in range(2)]
    n = block or max(len(row), 1)
    return [x for k in range(0, len(row), n) for x in 2 * row[k:k + n]]


def cos_sin(rows, pairing, scale=1, block=None):
    return [[twice([number(scale) * f(t) for t in row], pairing, block) for row in rows] for f in (cos, sin)]


def sin_cos(rows, pairing):
    return cos_sin(rows, pairing)[::-1]


def beside(rows, pairing):
    both = sin_cos(rows, pairing)
    return [s + c for s, c in zip(*both)]


def cis(rows):
    return [[[cos(t), sin(t)] for t in row] for row in rows]


def turned(rows, pairing, width=None, first=0, scale=1, sign=1, result=None, block=None):
    """The input of all cases, rotated row by row."""
    out = []
    for r, row in enumerate(rows):
        n = len(row)
        m = block or n
        d = 2 * n if width is None else width
        x = [number(((37 * (r * d + j) + 11) % 64 - 32)) / 16 for j in range(d)]
        y = list(x)
        for i, t in enumerate(row):
            in_halves = (i + i // m * m, i + i // m * m + m)
            a, b = in_halves if pairing == "half" else (2 * i, 2 * i + 1)
            to = in_halves if (result or pairing) == "half" else (a, b)
            c, s = number(scale) * cos(t), number(scale) * sign * sin(t)
            u, v = x[first + a], x[first + b]
            y[first + to[0]], y[first + to[1]] = u * c - v * s, v * c + u * s
        out.append(y)
    return out


def rotated(convention, parameters, rows, pairing, positions=None, **how):
    case(convention, dict(parameters, output="rotated"), turned(rows, pairing, **how), positions)


def linspace(start, stop, n):
    return [number(start) + (number(stop) - number(start)) * k / max(n - 1, 1) for k in range(n)]


P = [0, 1, 5, 17, 1000]
THW = [[0, 0, 0], [1, 0, 2], [2, 3, 1], [7, 9, 8]]

# --------------------------------------------------------------------------------------------- Llama and its family

for name, base in (("llama_reference_rope", 10000), ("llama_reference_rope", 500000)):
    case(name, {"dim": 12, "end": 4, "theta": base}, cis(angles(range(4), inv_freq(12, base))))
    rotated(name, {"dim": 12, "theta": base, "positions": P}, angles(P, inv_freq(12, base)), "pair")
case("llama_reference_rope", {"dim": 32, "end": 3, "theta": 500000, "use_scaled": True},
     cis(angles(range(3), llama3(inv_freq(32, 500000), 8, 1, 4, 8192))))
refuse("llama_reference_rope", "even", dim=7)

for rope in ({"rope_type": "default"}, {"rope_type": "linear", "factor": 2.5},
             {"rope_type": "dynamic", "factor": 4.0, "max_position_embeddings": 2048, "seq_len": 100},
             {"rope_type": "dynamic", "factor": 4.0, "max_position_embeddings": 2048, "seq_len": 5000}):
    base = number(10000)
    if rope["rope_type"] == "dynamic":
        base *= power(4 * number(max(rope["seq_len"], 2048)) / 2048 - 3, number(24) / 22)
    freqs = [w / number(rope["factor"]) if rope["rope_type"] == "linear" else w for w in inv_freq(24, base)]
    case("hf_rope", dict(rope, head_dim=24, output="inv_freq"), freqs)
    case("hf_rope", dict(rope, head_dim=24, positions=P), cos_sin(angles(P, freqs), "half"))
    case("hf_rope", dict(rope, head_dim=24, positions=P, attention_scaling=0.5),
         cos_sin(angles(P, freqs), "half", HALF))
for dim, rope, scale in (
        (48, {"beta_fast": 16, "beta_slow": 2}, yarn_scale(8)),
        (48, {"truncate": False}, yarn_scale(8)),
        (48, {"attention_factor": 1.25}, number("1.25")),
        (48, {"mscale": 0.5, "mscale_all_dim": 2.0}, yarn_scale(8, 0.5) / yarn_scale(8, 2)),
        (48, {"mscale": 0.5}, yarn_scale(8)),
        (8, {}, yarn_scale(8))):
    freqs = yarn(dim, 10000, 2048, 8, fast=rope.get("beta_fast", 32), slow=rope.get("beta_slow", 1),
                 truncate=rope.get("truncate", True))
    ask = dict(rope, rope_type="yarn", head_dim=dim, factor=8.0, original_max_position_embeddings=2048, positions=P)
    case("hf_rope", ask, cos_sin(angles(P, freqs), "half", scale))
case("hf_rope", {"rope_type": "yarn", "head_dim": 32, "factor": None, "max_position_embeddings": 16384,
                 "original_max_position_embeddings": 4096, "positions": P},
     cos_sin(angles(P, yarn(32, 10000, 4096, 4)), "half", yarn_scale(4)))
SHORT, LONG = [1, 1.5, 2, 2.5], [1, 3, 9, 27.5]
for length, factors in ((None, SHORT), (4096, SHORT), (4097, LONG)):
    ask = {"rope_type": "longrope", "head_dim": 8, "seq_len": length, "short_factor": SHORT, "long_factor": LONG,
           "max_position_embeddings": 16384, "original_max_position_embeddings": 4096, "positions": P}
    freqs = [w / number(f) for w, f in zip(inv_freq(8), factors)]
    scale = (1 + log(4) / log(4096)).sqrt()
    case("hf_rope", ask, cos_sin(angles(P, freqs), "half", scale))
    case("hf_rope", dict(ask, factor=1.0), cos_sin(angles(P, freqs), "half"))
    case("hf_rope", dict(ask, attention_factor=2.0), cos_sin(angles(P, freqs), "half", 2))
    case("hf_rope", dict(ask, short_mscale=1.5, long_mscale=1.25),
         cos_sin(angles(P, freqs), "half", number("1.25" if factors is LONG else "1.5")))
case("hf_rope", {"rope_type": "llama3", "head_dim": 64, "rope_theta": 500000.0, "factor": 32.0, "low_freq_factor": 1.0,
                 "high_freq_factor": 4.0, "original_max_position_embeddings": 8192, "output": "inv_freq"},
     llama3(inv_freq(64, 500000), 32, 1, 4, 8192))
SCOUT = {"low_freq_factor": 1.0, "high_freq_factor": 1.0}  # nothing lies between the bounds
case("hf_rope", dict(SCOUT, rope_type="llama3", head_dim=64, rope_theta=500000.0, factor=16.0, output="inv_freq",
                     original_max_position_embeddings=8192), llama3(inv_freq(64, 500000), 16, 1, 1, 8192))
for partial, factor in ((0.5, 1), (0.25, 4)):
    n = int(partial * 32 // 2)
    freqs = [w / factor if i < n else number(0) for i, w in enumerate(inv_freq(32, 1000000))]
    case("hf_rope", {"rope_type": "proportional", "head_dim": 32, "rope_theta": 1e6, "partial_rotary_factor": partial,
                     "factor": float(factor), "positions": P}, cos_sin(angles(P, freqs), "half"))
rotated("hf_rope", {"head_dim": 20, "partial_rotary_factor": 0.4, "positions": P}, angles(P, inv_freq(8)), "half",
        width=20)
case("hf_rope", {"head_dim": 20, "partial_rotary_factor": 0.4, "positions": P}, cos_sin(angles(P, inv_freq(8)), "half"))
# An odd share of a head: torch.arange(0, 7, 2) has four numbers, so eight columns turn.
ODD = [1 / power(10000, number(2 * i) / 7) for i in range(4)]
ask = {"head_dim": 20, "partial_rotary_factor": 0.35, "positions": P}
case("hf_rope", ask, cos_sin(angles(P, ODD), "half"))
rotated("hf_rope", ask, angles(P, ODD), "half", width=20)
rotated("hf_glm_rope", ask, angles(P, ODD), "pair", width=20)
rotated("hf_gpt_neox_rope", dict(ask, rotary_pct=0.5), angles(P, ODD), "half", width=20)
rotated("hf_deepseek_v4_rope", ask, angles(P, ODD), "pair", width=20, first=12)
for rope, freqs in (({"rope_type": "linear", "factor": 4.0}, [w / 4 for w in ODD]),
                    ({"rope_type": "llama3", "factor": 4.0, "original_max_position_embeddings": 64},
                     llama3(ODD, 4, 1, 4, 64)),
                    ({"rope_type": "dynamic", "factor": 2.0, "max_position_embeddings": 64, "seq_len": 128},
                     [power(10000 * power(3, number(7) / 5), number(-2 * i) / 7) for i in range(4)]),
                    ({"rope_type": "longrope", "short_factor": [1, 2, 3, 4], "long_factor": [1, 2, 3, 4], "factor": 1.0},
                     [w / f for w, f in zip(ODD, [1, 2, 3, 4])])):
    case("hf_rope", dict(ask, **rope), cos_sin(angles(P, freqs), "half"))
refuse("hf_rope", "yarn", head_dim=20, partial_rotary_factor=0.35, rope_type="yarn", factor=4.0)
refuse("hf_rope", "short_factor", head_dim=20, partial_rotary_factor=0.35, rope_type="longrope", short_factor=[1, 2, 3],
       long_factor=[1, 2, 3])
refuse("hf_gpt_neox_rope", "even", head_dim=7, rotary_pct=1.0)
block = {"type": "linear", "factor": 2.0, "rope_theta": 500.0}
for name in ("rope_parameters", "rope_scaling"):
    case("hf_rope", {"head_dim": 8, "output": "inv_freq", name: block}, [w / 2 for w in inv_freq(8, 500)])
    case("hf_rope", {"head_dim": 8, "output": "inv_freq", name: None}, inv_freq(8))
refuse("hf_rope", "rope_scaling.color", rope_scaling={"color": 1})
refuse("hf_rope", "rope_type", rope_type="spiral")
refuse("hf_rope", "factor", rope_type="linear")
refuse("hf_rope", "even", head_dim=7)
refuse("hf_rope", "short_factor", rope_type="longrope", head_dim=8)
refuse("hf_rope", "short_factor", rope_type="longrope", head_dim=8, short_factor=[1.0], long_factor=[1.0])

BATCH = [[0, 1, 2], [5, 17, 1000]]
rows = angles([p for row in BATCH for p in row], inv_freq(8))
case("hf_rope", {"head_dim": 8, "positions": BATCH},
     [[part[:3], part[3:]] for part in cos_sin(rows, "half")])
for name, ask, pairing in (("hf_rope", {"head_dim": 8, "positions": BATCH}, "half"),
                           ("onnx_rotary", {"rotary_embedding_dim": 8, "position_ids": BATCH}, "half"),
                           ("torchtune_rope", {"dim": 8, "input_pos": BATCH}, "pair")):
    result = turned(rows, pairing)
    case(name, dict(ask, output="rotated"), [result[:3], result[3:]])
rotated("hf_cohere_rope", {"head_dim": 8, "rope_theta": 500.0, "positions": P}, angles(P, inv_freq(8, 500)), "pair")
rotated("hf_glm_rope", {"head_dim": 16, "partial_rotary_factor": 0.5, "positions": P}, angles(P, inv_freq(8)), "pair",
        width=16)
for name, copies in (("hf_cohere_rope", "pair"), ("hf_ernie45_rope", "half"), ("hf_deepseek_v3_rope", "half")):
    case(name, {"head_dim": 8, "positions": P, "output": "cos_sin"}, cos_sin(angles(P, inv_freq(8)), copies))
for name in ("hf_gptj_rope", "hf_roformer_rope"):
    case(name, {"dim": 8, "positions": P, "output": "table"},
         [[f(t) for f in (sin, cos) for t in row] for row in angles(P, inv_freq(8))])
rotated("hf_moonshine_rope", {"head_dim": 20, "positions": P}, angles(P, inv_freq(18)), "pair", width=20)
rotated("hf_helium_rope", {"head_dim": 8, "positions": P}, angles(P, inv_freq(8, 100000)), "pair")
# Each cosine once.
for name, pairing, ask in (("hf_gpt_oss_rope", "half", {"head_dim": 8}),
                           ("hf_openai_privacy_filter_rope", "pair", {"head_dim": 8}),
                           ("hf_deepseek_v4_rope", "pair", {"head_dim": 16, "rotary_dim": 8})):
    once = [[[f(t) for t in row] for row in angles(P, inv_freq(8))] for f in (cos, sin)]
    case(name, dict(ask, positions=P, output="cos_sin"), once)
    case(name, dict(ask, positions=P, output="sin_cos"), once[::-1])
    rotated(name, dict(ask, positions=P), angles(P, inv_freq(8)), pairing, width=ask["head_dim"],
            first=ask["head_dim"] - 8)
rotated("hf_ernie45_rope", {"dim": 8, "positions": P}, angles(P, inv_freq(8)), "pair")
rotated("hf_deepseek_v3_rope", {"head_dim": 16, "positions": P}, angles(P, inv_freq(16)), "pair", result="half")
rotated("hf_deepseek_v3_rope", {"dim": 8, "positions": P, "rope_type": "yarn", "factor": 40.0, "mscale": 1.0,
                                "mscale_all_dim": 1.0, "original_max_position_embeddings": 4096},
        angles(P, yarn(8, 10000, 4096, 40)), "pair", result="half")
for length in (4096, 4097):
    freqs = yarn(16, 10000, 4096, 40) if length > 4096 else inv_freq(16)
    case("deepseek_reference_rope", {"qk_rope_head_dim": 16, "max_seq_len": length, "positions": P},
         cis(angles(P, freqs)))
rotated("hf_glm_rope", {"rotary_dim": 8, "head_dim": 16, "positions": P}, angles(P, inv_freq(8)), "pair", width=16)
rotated("hf_glm_rope", {"head_dim": 16, "positions": P}, angles(P, inv_freq(8)), "pair", width=16)
rotated("hf_stablelm_rope", {"head_dim": 16, "positions": P}, angles(P, inv_freq(4)), "half", width=16)
rotated("hf_gptneox_rotary", {"rotary_dim": 8, "head_dim": 16, "positions": P}, angles(P, inv_freq(8)), "half", width=16)
rotated("hf_deepseek_v3_rope", {"qk_rope_head_dim": 8, "positions": P}, angles(P, inv_freq(8)), "pair", result="half")
rotated("hf_gpt_neox_rope", {"head_dim": 16, "rotary_pct": 0.25, "positions": P}, angles(P, inv_freq(4)), "half",
        width=16)
rotated("hf_gpt_neox_rope", {"head_dim": 16, "partial_rotary_factor": 0.5, "rope_theta": 500, "positions": P},
        angles(P, inv_freq(8, 500)), "half", width=16)
rotated("hf_gptj_rope", {"dim": 8, "head_dim": 12, "positions": P}, angles(P, inv_freq(8)), "pair", width=12)
rotated("hf_codegen_rope", {"rotary_dim": 8, "positions": P}, angles(P, inv_freq(8)), "pair")
rotated("hf_roformer_rope", {"dim": 6, "positions": P}, angles(P, inv_freq(6)), "pair")
case("hf_llama4_rope", {"head_dim": 16, "rope_theta": 500000.0, "positions": P, "rope_type": "llama3", "factor": 16.0,
                        "low_freq_factor": 1.0, "high_freq_factor": 1.5, "original_max_position_embeddings": 8192},
     cis(angles(P, llama3(inv_freq(16, 500000), 16, 1, number("1.5"), 8192))))
rotated("modded_nanogpt_rope", {"head_dim": 16, "positions": P},
        angles(P, [power(1024, number(-i) / 3) for i in range(4)] + [number(0)] * 4), "half", sign=-1)
refuse("modded_nanogpt_rope", "4", head_dim=4)
for name in ("nanochat_rope", "nanochat"):
    rotated(name, {"head_dim": 8, "positions": P}, angles(P, inv_freq(8)), "half", sign=-1)


def gpt_oss(dim, base, context, factor, alpha=1, beta=32):
    d_half = number(dim) / 2
    low = d_half * log(context / (beta * 2 * PI)) / log(base)
    high = d_half * log(context / (alpha * 2 * PI)) / log(base)
    freqs = []
    for i in range(dim // 2):
        freq = power(base, number(2 * i) / dim)
        mask = 1 - ramp(i, low, high)
        freqs.append(1 / (number(factor) * freq) * (1 - mask) + 1 / freq * mask)
    return freqs


rotated("gpt_oss_rope", {"head_dim": 64, "positions": P[:2]}, angles(P[:2], gpt_oss(64, 150000, 4096, 32)), "half",
        scale=yarn_scale(32))
rotated("gpt_oss_rope", {"head_dim": 8, "scaling_factor": 1.0, "positions": P}, angles(P, inv_freq(8, 150000)), "half")

# ---------------------------------------------------------------------------------------------- several coordinates

def by_sections(sections):
    return [a for a, n in enumerate(sections) for _ in range(n)]


def dealt(n, sections):
    axes = [0] * n
    for a in (1, 2):
        for i in range(a, 3 * sections[a], 3):
            if i < n:
                axes[i] = a
    return axes


def mixed(positions, freqs, axes):
    return [[number(p[a]) * w for w, a in zip(freqs, axes)] for p in positions]


for name, pairing, axes in (("hf_qwen2vl_mrope", "half", by_sections([2, 4, 2])),
                            ("hf_glm4v_mrope", "pair", by_sections([2, 4, 2])),
                            ("hf_qwen3vl_imrope", "half", dealt(8, [2, 4, 2])),
                            ("vllm_mrope", "half", by_sections([2, 4, 2]))):
    width, where = ("rotary_dim", "positions") if name[0] == "v" else ("head_dim", "positions_thw")
    ask = {width: 16, "mrope_section": [2, 4, 2], where: THW}
    rotated(name, ask, mixed(THW, inv_freq(16), axes), pairing)
    case(name, dict(ask, output="cos_sin"), cos_sin(mixed(THW, inv_freq(16), axes), "half"))
    case(name, {width: 16, "mrope_section": [2, 4, 2], "positions": P, "output": "cos_sin"},
         cos_sin(angles(P, inv_freq(16)), "half"))
case("vllm_mrope", {"rotary_dim": 16, "mrope_section": [4, 2, 2], "positions": THW, "mrope_interleaved": True,
                    "output": "angles"}, [twice(row, "half") for row in mixed(THW, inv_freq(16), dealt(8, [4, 2, 2]))])
for name in ("hf_ernie45vl_rope", "vllm_ernie45_vl_rope"):
    axes = [1 + i % 2 for i in range(6)] + [0, 0]
    case(name, {"head_dim": 16, "mrope_section": [3, 3, 2], "positions_thw": THW},
         cos_sin(mixed(THW, inv_freq(16), axes), "pair"))
for merge in (1, 2):
    cells = [(y + a, x + b) for y in range(0, 4, merge) for x in range(0, 2, merge) for a in range(merge)
             for b in range(merge)]
    ladder = inv_freq(8)
    case("hf_qwen2vl_vision_rope", {"grid": [4, 2], "head_dim": 16, "spatial_merge_size": merge},
         cos_sin([[y * w for w in ladder] + [x * w for w in ladder] for y, x in cells], "half"))

def merged(sizes, merge):
    """Row and column of each patch, in the order of Qwen2-VL's processor: per image, frame and block."""
    return [(y + a, x + b) for t, h, w in sizes for _ in range(t) for y in range(0, h, merge)
            for x in range(0, w, merge) for a in range(merge) for b in range(merge)]


for sizes, merge in (([[1, 4, 2]], None), ([[2, 2, 4], [1, 4, 2]], 2), ([[1, 3, 3], [3, 1, 2]], 1)):
    ask = {"grid_thw": sizes, "head_dim": 16}
    if merge is not None:
        ask["spatial_merge_size"] = merge
    case("hf_qwen2vl_vision_rope", ask,
         cos_sin([[y * w for w in inv_freq(8)] + [x * w for w in inv_freq(8)] for y, x in merged(sizes, merge or 2)], "half"))
refuse("hf_qwen2vl_vision_rope", "grids", grid_thw=[[1, 3, 3]])
everything = inv_freq(16)
pixtral = [[y * w for w in everything[::2]] + [x * w for w in everything[1::2]] for y, x in grid(3, 3)]
case("hf_pixtral_rope", {"head_dim": 16, "image_size": 48, "patch_size": 16}, cos_sin(pixtral, "half"))
case("hf_pixtral_rope", {"head_dim": 16, "grid": [3, 3]}, cos_sin(pixtral, "half"))
case("hf_pixtral_rope", {"dim": 16, "positions": [list(c) for c in grid(3, 3)]}, cos_sin(pixtral, "half"))
case("hf_pixtral_rope", {"head_dim": 16, "image_size": 64, "patch_size": 16, "positions": [0, 3, 4, 15]},
     cos_sin([[y * w for w in everything[::2]] + [x * w for w in everything[1::2]]
              for y, x in ((0, 0), (0, 3), (1, 0), (3, 3))], "half"))
case("mistral_vision_rope", {"dim": 16, "height": 3, "width": 3}, cis(pixtral))
LLAMA4 = [[(x + 1) * w for w in inv_freq(8)] + [(y + 1) * w for w in inv_freq(8)] for y, x in grid(2, 2)] + [[0] * 8]
for name in ("hf_llama4_vision_rope", "vllm_llama4_vision_rope"):
    case(name, {"image_size": 28, "patch_size": 14, "hidden_size": 32, "num_attention_heads": 2}, cis(LLAMA4))
case("torchtune_vision_rope", {"patch_size": 2, "tile_size": 4, "dim": 16}, cis(LLAMA4))
case("torchtune_vision_rope", {"patch_size": 2, "tile_size": 4, "dim": 16, "append_cls_token": False},
     cis(LLAMA4[-1:] + LLAMA4[:-1]))
case("hf_sam2_rope", {"dim": 16, "end_x": 3, "end_y": 2},
     cis([[x * w for w in inv_freq(8)] + [y * w for w in inv_freq(8)] for y, x in grid(2, 3)]))
axes_dim = [2, 4, 6]
IDS = [[0, 0, 0], [1, 2, 3], [5, 0, 9]]
flux = [[number(p) * w for p, d in zip(row, axes_dim) for w in inv_freq(d, 500)] for row in IDS]
case("flux_rope", {"ids": IDS, "axes_dim": axes_dim, "theta": 500},
     [[[[cos(t), -sin(t)], [sin(t), cos(t)]] for t in row] for row in flux])
case("diffusers_flux_pos_embed", {"ids": IDS, "axes_dim": axes_dim, "theta": 500, "output": "cos_sin"},
     cos_sin(flux, "pair"))


def dinov3(h, w, by, periods):
    rows = []
    for y, x in grid(h, w):
        sizes = {"separate": (h, w), "max": (max(h, w),) * 2, "min": (min(h, w),) * 2}[by]
        at = [2 * ((k + HALF) / n) - 1 for k, n in zip((y, x), sizes)]
        rows.append([2 * PI * c / p for c in at for p in periods])
    return rows


PERIODS = [power(100, number(2 * i) / 8) for i in range(4)]
for by in ("separate", "max", "min"):
    case("dinov3_rope", {"embed_dim": 32, "num_heads": 2, "H": 2, "W": 3, "normalize_coords": by},
         sin_cos(dinov3(2, 3, by, PERIODS), "half"))
    case("timm_dinov3_rope", {"dim": 16, "feat_shape": [2, 3], "normalize_coords": by},
         beside(dinov3(2, 3, by, PERIODS), "half"))
case("dinov3_rope",
     {"embed_dim": 32, "num_heads": 2, "H": 2, "W": 2, "base": None, "min_period": 0.5, "max_period": 90.0},
     sin_cos(dinov3(2, 2, "separate", [HALF * power(180, e) for e in linspace(0, 1, 4)]), "half"))
case("timm_dinov3_rope", {"dim": 16, "feat_shape": [2, 2], "min_period": 0.5, "max_period": 90.0, "rotate_half": False},
     beside(dinov3(2, 2, "separate", [HALF * power(180, e) for e in linspace(0, 1, 4)]), "pair"))
for ask in ({"head_dim": 16, "num_patches_h": 2, "num_patches_w": 3},
            {"hidden_size": 32, "num_attention_heads": 2, "H": 2, "W": 3}):
    case("hf_dinov3_rope", ask, cos_sin(dinov3(2, 3, "separate", PERIODS), "half"))
refuse("dinov3_rope", "exclude", base=100, min_period=1, max_period=2)
refuse("dinov3_rope", "multiple", embed_dim=36, num_heads=2)

# ------------------------------------------------------------------------------------------------------------- timm


def timm(bands, h, w, in_pixels, ref=None, offset=0, xy=False):
    shape = [w, h] if xy else [h, w]
    t = [linspace(-1, 1, s) if in_pixels and s > 1 else [number(-1)] if in_pixels
         else [k + number(offset) for k in range(s)] for s in shape]
    if ref is not None:
        ref = ref[::-1] if xy else ref
        t = [[x / f * r for x in part] for part, f, r in zip(t, shape, ref)]
    cells = [(t[0][x], t[1][y]) for y, x in grid(h, w)] if xy else [(t[0][y], t[1][x]) for y, x in grid(h, w)]
    return [[c * b for c in cell for b in bands] for cell in cells]


def pixel_bands(n, res, even=False):
    steps = linspace(1, number(res) / 2, n) if even else [power(2, e) for e in linspace(0, log(res) / log(2) - 1, n)]
    return [s * PI for s in steps]


def language_bands(n, temperature=10000):
    return [1 / power(temperature, number(i) / n) for i in range(n)]


for ask, rows in (({}, timm(pixel_bands(4, 224), 2, 3, True)),
                  ({"linear_bands": True, "max_res": 10}, timm(pixel_bands(4, 10, True), 2, 3, True)),
                  ({"ref_feat_shape": [4, 4]}, timm(pixel_bands(4, 224), 2, 3, True, [4, 4])),
                  ({"in_pixels": False, "temperature": 100}, timm(language_bands(4, 100), 2, 3, False)),
                  ({"in_pixels": False, "grid_offset": 0.5, "ref_feat_shape": [7, 5]},
                   timm(language_bands(4), 2, 3, False, [7, 5], 0.5)),
                  ({"in_pixels": False, "grid_indexing": "xy", "ref_feat_shape": [7, 5]},
                   timm(language_bands(4), 2, 3, False, [7, 5], 0, True))):
    case("timm_rotary", dict(ask, dim=16, feat_shape=[2, 3]), sin_cos(rows, "pair"))
    case("timm_rotary_cat", dict(ask, dim=16, feat_shape=[2, 3]), beside(rows, "pair"))
case("timm_rotary", {"dim": 16, "feat_shape": [1, 2]}, sin_cos(timm(pixel_bands(4, 224), 1, 2, True), "pair"))
case("timm_rotary_mrope", {"dim": 12, "mrope_section": [2, 2, 2], "grid": [2, 2], "temperature": 100},
     beside(mixed([(0, y, x) for y, x in grid(2, 2)], inv_freq(12, 100), dealt(6, [2, 2, 2])), "half"))

# ------------------------------------------------------------------------------------------------------------- vLLM


def vllm(rows, scale=1):
    return [[number(scale) * f(t) for f in (cos, sin) for t in row] for row in rows]


for ask, freqs, scale in (
        ({"max_position": 5, "base": 500.0}, inv_freq(16, 500), 1),
        ({"max_position": 5, "scaling_factor": 4.0, "scaling": "linear"}, [w / 4 for w in inv_freq(16)], 1),
        ({"max_position": 5, "scaling_factors": [4.0]}, [w / 4 for w in inv_freq(16)], 1),
        ({"max_position": 5, "scaling_factor": 3.0, "scaling": "dynamic_ntk"},
         inv_freq(16, 10000 * power(7, number(16) / 14)), 1),
        ({"max_position": 5, "scaling_alpha": 1000.0}, inv_freq(16, 10000 * power(1000, number(16) / 14)), 1),
        ({"scaling_factor": 4.0, "mixed_b": None}, [w / power(4, number(2) / 16) for w in inv_freq(16, 40000)], 1),
        ({"scaling_factor": 4.0, "mixed_b": 0.625},
         [w / exp(log(4) / power(8, "0.625") * power(m + 1, "0.625")) for m, w in enumerate(inv_freq(16))], 1),
        ({"max_position": 2048, "scaling_factor": 4.0, "scaling": "yarn"}, yarn(16, 10000, 2048, 4), yarn_scale(4)),
        ({"max_position": 2048, "scaling_factor": 4.0, "extrapolation_factor": 0.5, "attn_factor": 2.0,
          "beta_fast": 16},
         yarn(16, 10000, 2048, 4, 0.5, fast=16), 2 * yarn_scale(4)),
        ({"max_position": 2048, "scaling_factor": 4.0, "mscale": 0.5, "mscale_all_dim": 2.0},
         yarn(16, 10000, 2048, 4), yarn_scale(4, 0.5) / yarn_scale(4, 2)),
        ({"max_position": 2048, "scaling_factor": 4.0, "mscale": 0.5}, yarn(16, 10000, 2048, 4), yarn_scale(4, 0.5)),
        ({"max_position": 8192, "scaling_factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
          "orig_max_position": 4096}, llama3(inv_freq(16), 8, 1, 4, 4096), 1),
        ({"max_position": 8192, "scaling_factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
          "original_max_position_embeddings": 4096}, llama3(inv_freq(16), 8, 1, 4, 4096), 1),
        (dict(SCOUT, max_position=8192, scaling_factor=8.0), llama3(inv_freq(16), 8, 1, 1, 8192), 1),
        ({"max_position": 16384, "original_max_position_embeddings": 4096, "short_factor": SHORT + SHORT,
          "long_factor": LONG + LONG}, [w / number(f) for w, f in zip(inv_freq(16), SHORT + SHORT)],
         (1 + log(4) / log(4096)).sqrt()),
        ({"max_position": 16384, "original_max_position_embeddings": 4096, "short_factor": SHORT + SHORT,
          "long_factor": LONG + LONG, "max_model_len": 8192, "long_mscale": 1.5},
         [w / number(f) for w, f in zip(inv_freq(16), LONG + LONG)], number("1.5"))):
    case("vllm_rope", dict(ask, rotary_dim=16), vllm(angles(P, freqs), scale), P)
case("vllm_rope", {"rotary_dim": 16, "mrope_section": [2, 4, 2]},
     vllm(mixed(THW, inv_freq(16), by_sections([2, 4, 2]))), THW)
case("vllm_rope", {"rotary_dim": 16, "mrope_section": [4, 2, 2], "mrope_interleaved": True},
     vllm(mixed(THW, inv_freq(16), dealt(8, [4, 2, 2]))), THW)
case("vllm_rope", {"rotary_dim": 8, "max_position": 3}, vllm(angles(range(3), inv_freq(8))))
ask = {"rotary_dim": 8, "max_position": 3, "scaling_factor": 2.0}
for name in ("vllm_linear_rope", "vllm_linear_scaling_rope"):
    case(name, ask, vllm(angles(range(6), [w / 2 for w in inv_freq(8)])))
case("vllm_yarn_rope", ask, vllm(angles(range(6), yarn(8, 10000, 3, 2)), yarn_scale(2)))
for name in ("vllm_telechat3_rope", "telechat3"):
    case(name, ask, vllm(angles(range(6), yarn(8, 10000, 3, 2)), 1 + number("0.07") * log(2)))
case("telechat3", dict(ask, attn_factor=1.5, extrapolation_factor=0.5),
     vllm(angles(range(6), yarn(8, 10000, 3, 2, 0.5)), (1 + number("0.07") * log(2)) * number("1.5")))
case("telechat3", dict(ask, scaling_factor=0.5), vllm(angles(range(2), yarn(8, 10000, 3, 0.5))))
case("vllm_yarn_rope", dict(ask, scaling="ntk"),
     vllm(angles(range(6), [w / power(2, number(1) / 4) for w in inv_freq(8, 20000)])))
refuse("vllm_longrope", "original", rotary_dim=8)
refuse("vllm_rope", "one", rotary_dim=8, scaling_factors=[1.0, 4.0])
refuse("vllm_dynamic_ntk_alpha", "scaling_alpha", rotary_dim=8)
case("vllm_rope", {"rotary_dim": 8, "max_position": 3, "scaling_factor": 2.0, "scaling": "linear"},
     vllm(angles(range(6), [w / 2 for w in inv_freq(8)])))
rotated("vllm_rope", {"rotary_dim": 8, "head_size": 12, "is_neox_style": False}, angles(P, inv_freq(8)), "pair", P,
        width=12)
refuse("vllm_rope", "scaling", scaling="spiral")
refuse("vllm_rope", "dynamic_ntk, ntk, yarn", scaling_factor=4.0)
refuse("vllm_rope", "dynamic_ntk, ntk, yarn", scaling_factor=4.0, max_position=4096)

# ------------------------------------------------------------------------------------------------------------- ggml


def ggml(positions, n_dims, base=10000, scale=1, ext=0, factors=None, fast=32, slow=1, context=0, n=None, ladder=None):
    rows = []
    low, high = correction_range(n_dims, base, context, fast, slow) if ext else (number(0), number(1))
    for p in positions:
        row = []
        for i in range(n_dims // 2 if n is None else n):
            step = i if ladder is None else ladder[i]
            at = p[i] if isinstance(p, list) else p
            extrap = number(at) * power(base, -number(2 * step) / n_dims) / number(1 if factors is None else factors[i])
            interp = number(scale) * extrap
            mix = (1 - min(number(1), max(number(0), (i - low) / max(number("0.001"), high - low)))) * number(ext)
            row.append(interp * (1 - mix) + extrap * mix)
        rows.append(row)
    return rows


FF = [1, 2, 4.5, 8]
for ask, rows, pairing, how in (
        ({"mode": 0, "n_dims": 8, "ne0": 12}, ggml(P, 8), "pair", {"width": 12}),
        ({"mode": 2, "n_dims": 8, "ff": FF}, ggml(P, 8, factors=FF), "half", {}),
        ({"mode": 2, "n_dims": 8, "freq_factors": FF, "freq_base": 500.0, "freq_scale": 0.5},
         ggml(P, 8, 500, 0.5, factors=FF), "half", {}),
        ({"mode": 2, "n_dims": 8, "ne0": 12, "n_offs": 4}, ggml(P, 8), "half", {"width": 12, "first": 4}),
        ({"mode": 0, "n_dims": 8, "attn": 1.5, "scale": 0.25}, ggml(P, 8, scale=0.25), "pair",
         {"scale": number("1.5")}),
        ({"mode": 2, "n_dims": 32, "scale": 0.25, "ext": 0.5, "attn": 2.0, "bf": 16.0, "bs": 2.0, "nco": 2048},
         ggml(P, 32, scale=0.25, ext=0.5, fast=16, slow=2, context=2048), "half",
         {"scale": 2 * (1 + number("0.1") * log(4))}),
        ({"mode": 0, "n_dims": 32, "freq_scale": 0.25, "ext_factor": 1.0, "n_ctx_orig": 4096},
         ggml(P, 32, scale=0.25, ext=1, context=4096), "pair", {"scale": 1 + number("0.1") * log(4)})):
    rotated("ggml_rope", dict(ask, positions=P), rows, pairing, **how)
FOUR = [[0, 1, 2, 7], [0, 0, 3, 9], [0, 2, 1, 8], [0, 5, 5, 6]]     # a row for each coordinate
FLAT = [x for row in FOUR for x in row]


def ggml_axes(n, sections, dealt_out):
    axes, total = [], sum(sections)
    for i in range(n):
        k = i % total
        if dealt_out:
            axes.append(1 if k % 3 == 1 and k < 3 * sections[1] else 2 if k % 3 == 2 and k < 3 * sections[2]
                        else 0 if k % 3 == 0 and k < 3 * sections[0] else 3)
        else:
            axes.append(0 if k < sections[0] else 1 if k < sections[0] + sections[1]
                        else 2 if k < sum(sections[:3]) else 3)
    return axes


def four(axes):
    return [[FOUR[a][t] for a in axes] for t in range(4)]


for sections in ([4, 2, 2, 0], [2, 2, 2, 2], [2, 1, 1, 0]):
    for mode in (8, 40):
        axes = ggml_axes(8, sections, mode == 40)
        rotated("ggml_rope", {"mode": mode, "n_dims": 16, "ne0": 18, "positions": FLAT, "sec": sections},
                ggml(four(axes), 16), "half", width=18)
rotated("ggml_rope", {"mode": 24, "n_dims": 8, "ne0": 16, "positions": FLAT, "sections": [4, 4, 0, 0]},
        ggml(four([0] * 4 + [1] * 4), 8, n=8, ladder=[0, 1, 2, 3] * 2), "half")
rotated("ggml_rope", {"mode": 24, "n_dims": 8, "positions": FLAT, "sections": [2, 2, 2, 2]},
        ggml(four([0, 0, 1, 1, 2, 2, 3, 3]), 8, n=8, ladder=[0, 1] * 4), "half")
refuse("ggml_rope", "mode", mode=3)
refuse("ggml_rope", "sections", mode=8, positions=FLAT)

# -------------------------------------------------------------------------------------------------------------- MLX

for ask, freqs, positions, pairing in (
        ({"dims": 8, "traditional": True}, inv_freq(8), P, "pair"),
        ({"dims": 8, "base": 500.0, "scale": 0.5, "offset": 3}, inv_freq(8, 500), [(p + 3) * HALF for p in P], "half"),
        ({"dims": 8, "base": None, "freqs": [1, 2.5, 4, 8]}, [1 / number(x) for x in (1, 2.5, 4, 8)], P, "half")):
    rotated("mlx_rope", ask, angles(positions, freqs), pairing, P)
rotated("mlx_rope_traditional", {"dims": 8}, angles(P, inv_freq(8)), "pair", P)
rotated("mlx_rope", {"dims": 8, "head_dim": 12}, angles(P, inv_freq(8)), "half", P, width=12)


def periods(dims, base):
    return [power(base, number(2 * i) / dims) for i in range(dims // 2)]


def mlx_llama3(dims, base, factor, low, high, context):
    stored = []
    for p in periods(dims, base):
        wave = 2 * PI * p
        long, medium = wave > number(context) / low, number(context) / high < wave < number(context) / low
        p = p * factor if long else p
        if medium:
            smooth = (context / wave - low) / (high - low)
            p = p / ((1 - smooth) / factor + smooth)
        stored.append(p)
    return [1 / p for p in stored]


def mlx_yarn(dims, base, context, factor):
    low, high = correction_range(dims, base, context)
    stored = []
    for i, extra in enumerate(periods(dims, base)):
        inter, mask = factor * extra, 1 - ramp(i, low, high)
        stored.append(inter * extra / (inter * mask + extra * (1 - mask)))
    return [1 / p for p in stored]


case("mlx_lm_rope", {"dims": 32, "base": 500000.0, "scaling_config": {"factor": 16.0}},
     mlx_llama3(32, 500000, number(16), number(1), number(4), 8192))
for ask, scale in (({}, yarn_scale(8)), ({"mscale": 0.5, "mscale_all_dim": 2.0}, yarn_scale(8, 0.5) / yarn_scale(8, 2)),
                   ({"attention_factor": 1.5}, number("1.5"))):
    ask = dict(ask, dims=32, scaling_factor=8.0, original_max_position_embeddings=2048)
    case("mlx_lm_rope", ask, mlx_yarn(32, 10000, 2048, number(8)))
    rotated("mlx_lm_yarn", ask, angles(P, mlx_yarn(32, 10000, 2048, number(8))), "half", P, scale=scale)
case("mlx_lm_rope", {"dims": 32, "scaling_config": {"rope_type": "yarn", "factor": 8.0, "beta_fast": 16,
                                                    "original_max_position_embeddings": 512, "mscale": 0.5}},
     [1 / p for p in [1 / w for w in yarn(32, 10000, 512, 8, fast=16)]])
case("mlx_lm_rope", {"dims": 16, "scaling_config": None}, inv_freq(16))
case("mlx_lm_rope", {"dims": 16, "scaling_config": {"type": "proportional", "partial_rotary_factor": 0.25}},
     [w if i < 2 else number(0) for i, w in enumerate(inv_freq(16))])
case("mlx_lm_rope", {"dims": 8, "long_factor": 2.0}, [w / 2 for w in inv_freq(8)])
rotated("mlx_lm_longrope", {"dims": 8, "long_factor": LONG, "long_mscale": 1.25},
        angles(P, [w / number(f) for w, f in zip(inv_freq(8), LONG)]), "half", P, scale=number("1.25"))
case("mlx_lm_rope", {"dims": 16, "rotated_dims": 4, "factor": 2.0},
     [w / 2 if i < 2 else number(0) for i, w in enumerate(inv_freq(16))])

# ------------------------------------------------------------------------------------------------- Keras, torch, ...

for ask, freqs, scale in (
        ({"rope_type": "dynamic", "scaling_factor": 3.0}, [w / power(3, number(16) / 14) for w in inv_freq(16)], 1),
        ({"rope_type": "yarn", "scaling_factor": 8.0, "original_max_position_embeddings": 2048, "beta_fast": 16},
         yarn(16, 10000, 2048, 8, truncate=False, fast=16, last=7), yarn_scale(8)),
        ({"rope_type": "yarn", "scaling_factor": 8.0, "truncate": True}, yarn(16, 10000, 4096, 8, last=7),
         yarn_scale(8)),
        ({"max_wavelength": 500}, inv_freq(16, 500), 1)):
    rotated("keras_rotary", dict(ask, dim=16, start_index=2), angles([p + 2 for p in P], freqs), "half", P, scale=scale)
for ask, at, scale in (({"truncate": True, "scaling_factor": 8.0}, [0, 7, 64, 64], yarn_scale(8)),
                       ({"truncate": False, "scaling_factor": 0.5}, [0, 7, 64, 900],
                        1 + log(HALF) / 10)):  # positions stop at the context; no lower bound of the amplitude
    context, f = 64, number(str(ask["scaling_factor"]))
    low, high = correction(32, 8, 10000, context), correction(1, 8, 10000, context)
    low, high = max(number(whole(low)) if ask["truncate"] else low, 0), min(
        number(ceiling(high)) if ask["truncate"] else high, number(3))
    span = max(high - low, number("0.001"))
    masks = [1 - min(max((i - low) / span, number(0)), number(1)) for i in range(4)]
    case("keras_rotary", dict(ask, dim=8, rope_type="yarn", original_max_position_embeddings=context, output="cos_sin"),
         cos_sin(angles(at, [w / f * (1 - m) + w * m for w, m in zip(inv_freq(8), masks)]), "half", scale),
         [0, 7, 64, 900])
case("keras_rotary", {"dim": 2, "rope_type": "dynamic", "scaling_factor": 3.0, "output": "cos_sin"},
     cos_sin(angles([0, 5], [number(1) / 9]), "half"), [0, 5])
case("keras_rotary", {"dim": 4, "rope_type": "default", "scaling_factor": 3.0, "output": "cos_sin"},
     cos_sin(angles([0, 5], inv_freq(4)), "half"), [0, 5])
refuse("keras_rotary", "rope_type", rope_type="ntk")
for interleaved, pairing in ((0, "half"), (1, "pair")):
    rotated("onnx_rotary", {"interleaved": interleaved, "rotary_embedding_dim": 8, "head_dim": 12, "position_ids": P},
            angles(P, inv_freq(8)), pairing, width=12)
rotated("onnx_rotary", {"interleaved": 1, "rotary_embedding_dim": 0, "position_ids": P}, angles(P, inv_freq(12)), "pair")
rotated("esm2_rotary", {"dim": 12}, angles(P, inv_freq(12)), "half", P)
case("fairseq2_rotary_table", {"encoding_dim": 6, "max_seq_len": 3, "theta": 500},
     [[[0, 0]] * 3] + cis(angles(range(3), inv_freq(6, 500))))
rotated("torchtune_rope", {"dim": 8, "max_seq_len": 64, "input_pos": None}, angles(range(3), inv_freq(8)), "pair")
rotated("esm2_rope", {"dim": 8, "seq_len": 3, "offset": 2}, angles((2, 3, 4), inv_freq(8)), "half")
rotated("torchtune_rope", {"dim": 8, "base": 500000, "input_pos": P}, angles(P, inv_freq(8, 500000)), "pair")
rotated("torchtune_llama3_scaled_rope", {"dim": 32, "input_pos": P},
        angles(P, llama3(inv_freq(32), 8, 1, 4, 8192)), "pair")
rotated("torchtune_llama3_scaled_rope", {"dim": 32, "base": 500000, "input_pos": P},
        angles(P, llama3(inv_freq(32, 500000), 8, 1, 4, 8192)), "pair")
rotated("torchtune_phi3_rope", {"dim": 8, "input_pos": P}, angles(P, inv_freq(8)), "half")
rotated("torchtune_gemma_rope", {"dim": 8, "input_pos": P}, angles(P, inv_freq(8)), "pair")
rotated("torchtune_qwen2_rope", {"dim": 8, "input_pos": P}, angles(P, inv_freq(8, 1000000)), "half")
rotated("x_transformers_rotary", {"dim": 8, "interpolation_factor": 2.0, "base_rescale_factor": 3.0, "head_dim": 12},
        angles(P, [w / 2 for w in inv_freq(8, 10000 * power(3, number(8) / 6))]), "pair", P, width=12)
refuse("x_transformers_rotary", "less", interpolation_factor=0.5)
for ask, freqs, step in (({"freqs_for": "lang", "theta": 500}, inv_freq(8, 500), 1),
                         ({"freqs_for": "pixel", "max_freq": 12}, [x * PI for x in linspace(1, 6, 4)], 1),
                         ({"freqs_for": "constant", "num_freqs": 3}, [number(1)] * 3, 1),
                         ({"custom_freqs": [0.5, 2]}, [HALF, number(2)], 1),
                         ({"custom_freqs": [0.5, 2], "freqs_for": "pixel"}, [HALF, number(2)], 1),
                         ({"interpolate_factor": 4.0}, inv_freq(8), 4)):
    at = [number(p + 2) / step for p in P]
    rotated("rotary_embedding_torch", dict(ask, dim=8, offset=2), angles(at, freqs), "pair", P)
    if step == 1:
        t = [linspace(-1, 1, n) if ask.get("freqs_for") == "pixel" else range(n) for n in (2, 3)]
        case("rotary_embedding_torch", dict(ask, dim=8, dims=[2, 3], output="angles"),
             [twice([number(a) * w for a in cell for w in freqs], "pair") for cell in itertools.product(*t)])
        moved = [[x + number(o) for x in axis] for axis, o in zip(t, ("7", "-0.5"))]
        case("rotary_embedding_torch", dict(ask, dim=8, dims=[2, 3], offsets=[7, -0.5], output="angles"),
             [twice([a * w for a in cell for w in freqs], "pair") for cell in itertools.product(*moved)])
case("rotary_embedding_torch", {"dim": 7, "output": "angles"},
     [twice(row, "pair") for row in angles([0, 3], [1 / power(10000, number(2 * i) / 7) for i in range(3)])], [0, 3])
rotated("rotary_embedding_torch_pixel", {"dim": 8, "max_freq": 12}, angles(P, [x * PI for x in linspace(1, 6, 4)]),
        "pair", P)
refuse("rotary_embedding_torch", "dim", dim=2)
refuse("rotary_embedding_torch", "offsets", dims=[2, 3], offsets=[1])
refuse("rotary_embedding_torch", "offsets", offsets=[1])
refuse("x_transformers_rotary", "dim", dim=2)
rotated("rotary_embedding_torch", {"dim": 8, "start_index": 2, "head_dim": 12}, angles(P, inv_freq(8)), "pair", P,
        width=12, first=2)

# -------------------------------------------------------------------------------------------------------- diffusers

pos = [0, 0.5, 2.25, 31]
for ask, pairing in (({"use_real": True}, "pair"), ({"use_real": True, "repeat_interleave_real": False}, "half")):
    case("diffusers_rotary_1d", dict(ask, dim=8, pos=pos, theta=500.0), cos_sin(angles(pos, inv_freq(8, 500)), pairing))
case("diffusers_rotary_1d", {"dim": 8, "pos": 3, "linear_factor": 2.0, "ntk_factor": 3.0},
     cis(angles(range(3), [w / 2 for w in inv_freq(8, 30000)])))
for unbind, pairing in ((-1, "pair"), (-2, "half")):
    rotated("diffusers_apply_rotary", {"dim": 8, "pos": pos, "use_real_unbind_dim": unbind}, angles(pos, inv_freq(8)),
            pairing)


def without_end(start, stop, n):
    return linspace(start, number(stop) * (n - 1) / n, n)


rows = [[x * w for w in inv_freq(4)] + [y * w for w in inv_freq(4)]
        for y in without_end(1, 5, 2) for x in without_end(2, 9, 3)]
case("diffusers_rotary_2d", {"embed_dim": 8, "crops_coords": [[1, 2], [5, 9]], "grid_size": [2, 3]},
     cos_sin(rows, "pair"))
case("diffusers_rotary_2d", {"embed_dim": 8, "crops_coords": [[1, 2], [5, 9]], "grid_size": [2, 3], "use_real": False},
     cis(rows))


def video(ts, ys, xs, theta=10000):
    return [[t * w for w in inv_freq(4, theta)] + [y * w for w in inv_freq(6, theta)] + [x * w for w in inv_freq(6,
                                                                                                                 theta)]
            for t in ts for y in ys for x in xs]


case("diffusers_rotary_3d", {"embed_dim": 16, "crops_coords": [[1, 2], [5, 9]], "grid_size": [2, 3], "temporal_size": 2,
                             "theta": 500},
     cos_sin(video(without_end(0, 2, 2), without_end(1, 5, 2), without_end(2, 9, 3), 500), "pair"))
case("diffusers_rotary_3d", {"embed_dim": 16, "crops_coords": None, "grid_size": [2, 3], "temporal_size": 2,
                             "grid_type": "slice", "max_size": [4, 4]},
                             cos_sin(video(range(2), range(2), range(3)), "pair"))
case("diffusers_rotary_lumina", {"embed_dim": 8, "len_h": 2, "len_w": 3, "linear_factor": 2.0},
     cis([[c * w / 2 for w in inv_freq(4) for c in cell] for cell in grid(2, 3)]))

# --------------------------------------------------------------------------------------------------------- TeleChat3

case("hf_rope", {"rope_type": "telechat3-yarn", "head_dim": 8, "factor": 4.0, "original_max_position_embeddings": 64},
     cos_sin(angles([0, 1, 200], yarn(8, 10000, 64, 4)), "half", 1 + number("0.07") * log(4)), [0, 1, 200])

# ---------------------------------------------------------------------------------------------------- Music Flamingo


def windows_and_frames(rows, seq_len, step, freqs, theta):
    """Angles of window w and frame j: w / theta, then 2 pi j / theta, times -2 pi seconds."""
    return [[-2 * PI * number(step) * (w * seq_len + j) * g * f for g in (number(w) / theta, 2 * PI * j / theta) for f in freqs]
            for w, j in rows]


case("hf_musicflamingo_rope", {"head_dim": 10, "rope_theta": 100, "windows": 2, "seq_len": 3, "partial_rotary_factor": 0.4},
     cos_sin(windows_and_frames(itertools.product(range(2), range(3)), 3, "0.04", inv_freq(4, 100), 100), "pair"))
case("hf_musicflamingo_rope", {"head_dim": 8, "seq_len": 6, "partial_rotary_factor": 0.5, "audio_frame_step": 0.25},
     cos_sin(windows_and_frames([(1, 5), (3, 0)], 6, 1, inv_freq(4, 1200), 1200), "pair"), [[11, 55], [54, 0]])
refuse("hf_musicflamingo_rope", "even", head_dim=15)
refuse("hf_musicflamingo_rope", "1/2", head_dim=8, partial_rotary_factor=0.75)
refuse("hf_musicflamingo_rope", "seq_len", rope_theta=500)

# ---------------------------------------------------------------------------------------------- vision towers, films

def cells(*points, ladders):
    """Rows of angles: of each point, coordinate after coordinate with its ladder."""
    return [[number(p) * w for p, ladder in zip(point, ladders) for w in ladder] for point in points]


for name in ("hf_gemma4_vision_rope", "hf_kimi_k25_vision_rope"):
    refuse(name, "multiple of 4", head_dim=18)
rows = cells((3, 0.5), (-1, -1), ladders=2 * [inv_freq(4, 100)])
case("hf_gemma4_vision_rope", {"head_dim": 8, "position_ids": [[3, 0.5], [-1, -1]]}, cos_sin(rows, "half", block=2))
case("hf_gemma4_vision_rope", {"head_dim": 8}, cos_sin(rows, "half", block=2), [[3, 0.5], [-1, -1]])
rows = cells(*[(t, t * 2 + 1) for t in range(2)], ladders=2 * [inv_freq(4)])
case("hf_kimi_k25_vision_rope", {"head_dim": 8, "position_ids": [[0, 1], [1, 3]], "output": "angles"},
     [twice([row[k] for k in (0, 2, 1, 3)], "half") for row in rows])
case("hf_kimi_k25_vision_rope", {"head_dim": 8, "grid_thw": [[2, 1, 2]]},
     cos_sin([[number(x) * w if a == 0 else 0 * w for w in inv_freq(4) for a in range(2)] for x in (0, 1, 0, 1)], "half"))
refuse("hf_kimi_k25_time", "even", hidden_size=7)

for width in (8, 10, 16):
    refuse("diffusers_allegro_rope", "multiple of 6", embed_dim=width)
rows = cells(*itertools.product(range(2), without_end(1, 5, 2), without_end(2, 9, 3)), ladders=3 * [inv_freq(4)])
case("diffusers_allegro_rope", {"embed_dim": 12, "crops_coords": [[1, 2], [5, 9]], "grid_size": [2, 3], "temporal_size": 2},
     cos_sin(rows, "half", block=2))

for width in (4, 23):
    refuse("diffusers_ltx_rope", "at least 6", dim=width)
ltx = [[PI / 2 * power(10000, number(k)) * (2 * g - 1) for k in range(2) for g in cell] for cell in grid(1, 2, 2)]
case("diffusers_ltx_rope", {"dim": 16, "num_frames": 1, "height": 2, "width": 2},
     cos_sin([[number(0)] * 2 + row for row in ltx], "pair"))
refuse("diffusers_ltx2_rope", "interleaved", rope_type="half")
refuse("diffusers_ltx2_rope", "video", modality="sound")
refuse("diffusers_ltx2_rope", "even", dim=21)
refuse("diffusers_ltx2_rope", "even", dim=4)
refuse("diffusers_ltx2_rope", "head", rope_type="split", dim=48)
seconds = [number(t) / 10 - 1 for t in (0, 1.5)]
case("diffusers_ltx2_rope", {"dim": 8, "modality": "audio", "coords": [0, 1.5], "shift": 7},
     cos_sin([[PI / 2 * power(10000, number(k) / 3) * t for k in range(4)] for t in seconds], "pair"))

for width in (10, 21):
    refuse("diffusers_cosmos_rope", "at least 12", hidden_size=width)
refuse("diffusers_cosmos_rope", "max_size", width=258)
for width in (3, 5):
    refuse("hf_minimax_m3_vision_rope", "at least 6", head_dim=width)
refuse("hf_minimax_m3_vision_rope", "spatial_merge_size", grid=[1, 3, 4], spatial_merge_size=2)
case("hf_minimax_m3_vision_rope", {"head_dim": 7, "grid": [1, 2, 2]},
     cos_sin(cells(*grid(1, 2, 2), ladders=3 * [inv_freq(2)]), "half"))
for width in (16, 48):
    refuse("llava_onevision2_table", "multiple of 32", head_dim=width)

refuse("vllm_openpangu_rope", "mrope_section", rotary_dim=8)
refuse("vllm_openpangu_rope", "add up", rotary_dim=8, mrope_section=[1, 1, 1])
refuse("vllm_openpangu_rope", "two or three", rotary_dim=8, mrope_section=[1, 1, 1, 1])
refuse("vllm_openpangu_rope", "time", rotary_dim=8, mrope_section=[0, 2, 2])
refuse("vllm_openpangu_rope", "0 or more", rotary_dim=8, mrope_section=[6, -1, -1])
refuse("vllm_openpangu_rope", "whole", rotary_dim=8, mrope_section=[1.5, 2.5])
# by hand: 0 and 1 in turn, then what is left of 1
rows = [[number((p, q)[a]) * w for a, w in zip([0, 1, 0, 1, 1, 1], inv_freq(12))] for p, q in ((1, 2), (3, 50))]
rotated("vllm_openpangu_rope", {"rotary_dim": 12, "mrope_section": [2, 4], "positions": [[1, 2], [3, 50]]}, rows, "half")
