"""What sources compute, written down from their own lines: cases of conventions that have no array in tests/data/golden,
and of widths and switches that the arrays do not have. Elements are computed to 50 digits."""
import itertools

from exact import PI, cos, exp, log, number, power, sin

CASES = []     # (convention, parameters, positions, expected nested list)
REFUSALS = []  # (convention, parameters, word of the message)


def case(convention, parameters, expected, positions=None):
    CASES.append((convention, parameters, positions, expected))


def refuse(convention, word="", **parameters):
    REFUSALS.append((convention, parameters, word))


# ------------------------------------------------------------------------------------------------ building blocks

def shifted(n, base=10000, shift=1, first=1):
    """first * base^(-i / (n - shift))"""
    return [first * power(base, number(-i) / (n - number(shift))) for i in range(n)]


def by_width(width, base=10000):
    """1 / base^(arange(0, width, 2) / width)"""
    return [1 / power(base, number(2 * i) / width) for i in range((width + 1) // 2)]


def sines(p, omega):
    return [sin(number(p) * w) for w in omega]


def cosines(p, omega):
    return [cos(number(p) * w) for w in omega]


def halves(p, omega, cos_first=False):
    return cosines(p, omega) + sines(p, omega) if cos_first else sines(p, omega) + cosines(p, omega)


def interleaved(p, omega):
    return [x for pair in zip(sines(p, omega), cosines(p, omega)) for x in pair]


def padded(row, width):
    return (row + [0] * width)[:width]


def grid(*sizes):
    return itertools.product(*map(range, sizes))


def nested(rows, *sizes):
    """rows, seen as an array with these leading sizes"""
    for size in reversed(sizes[1:]):
        rows = [rows[k:k + size] for k in range(0, len(rows), size)]
    return rows


def channel_first(rows, height, width):
    return [[[rows[y * width + x][c] for x in range(width)] for y in range(height)] for c in range(len(rows[0]))]


TIMES = [0, 1, 7.5, 250, 999]

# ----------------------------------------------------------------------------- the paper, Tensor2Tensor, one axis

case("vaswani", {"dim": 7, "length": 5, "base": 500},
     [padded(interleaved(p, by_width(7, 500)), 7) for p in range(5)])
case("vaswani", {"dim": 4, "length": 3, "start": -2}, [interleaved(p, by_width(4)) for p in (-2, -1, 0)])
for channels in (1, 2, 3, 9):
    n = channels // 2
    case("t2t_timing_1d", {"length": 4, "channels": channels, "start_index": 2},
         [padded(halves(p, [power(10000, number(-i) / max(n - 1, 1)) for i in range(n)]), channels)
          for p in range(2, 6)])
case("t2t_timing_nd", {"shape": [2, 3, 11], "min_timescale": 2.0, "max_timescale": 100.0},
     nested([padded(halves(y, shifted(2, 50, 1, 2)) + halves(x, shifted(2, 50, 1, 2)), 11) for y, x in grid(2, 3)], 2, 3))
case("t2t_timing_given_position", {"position": [0.25, 3.5, 100], "channels": 7, "min_timescale": 0.5},
     [padded(halves(p, shifted(3, 20000, 1, number(0.5))), 7) for p in (0.25, 3.5, 100)])
for name, shape in (("t2t_timing_nd", [2, 3, 5]), ("t2t_timing_nd", [4, 3])):
    refuse(name, shape=shape)
refuse("t2t_timing_given_position", position=[1.0], channels=3)
for name, width, length in (("annotated_transformer", "d_model", "max_len"), ("pytorch_tutorial", "d_model", "max_len"),
                            ("espnet_pe", "d_model", "max_len"), ("espnet_scaled_pe", "d_model", "max_len"),
                            ("diffusers_sinusoidal_pe", "embed_dim", "max_seq_length"),
                            ("hf_speecht5_scaled", "dim", "max_len"), ("onmtpy", "dim", "max_len"),
                            ("hf_florence2", "embed_dim", "max_seq_len")):
    case(name, {width: 10, length: 4}, [interleaved(p, by_width(10)) for p in range(4)])
    refuse(name, "even", **{width: 7, length: 4})
case("annotated_transformer", {"d_model": 1, "max_len": 3}, [[sin(p)] for p in range(3)])
case("onmtpy", {"dim": 8, "enc_type": "SinusoidalConcat", "max_len": 3}, [halves(p, shifted(4)) for p in range(3)])
refuse("onmtpy", "enc_type", enc_type="Rotary")
for name in ("hf_speecht5_scaled", "espnet_scaled_pe"):
    width = "dim" if name[0] == "h" else "d_model"
    case(name, {width: 6, "max_len": 3, "alpha": 0.75},
         [[number(0.75) * x for x in interleaved(p, by_width(6))] for p in range(3)])

refuse("vaswani", "whole", dim=1.5)
refuse("transformer_xl", "whole", demb=2.5)

# ------------------------------------------------------------------------------------ tables with a row for padding

FAIRSEQ = [("fairseq_sinusoidal", "num_embeddings", 0), ("hf_m2m100", "num_positions", 2),
           ("hf_nllb_moe", "num_positions", 2), ("hf_speech2text", "num_positions", 2),
           ("hf_speecht5", "num_positions", 2), ("hf_xglm", "num_positions", 2), ("hf_kosmos2", "num_positions", 2),
           ("hf_seamless_m4t", "num_positions", 2), ("hf_trocr", "num_positions", 0), ("hf_fsmt", "num_positions", 0)]


def fairseq(p, width, padding):
    return [0] * width if p == padding else padded(halves(p, shifted(width // 2)), width)


for name, length, more in FAIRSEQ:
    for width, padding in ((9, 1), (8, 0), (6, None)):
        case(name, {length: 5, "embedding_dim": width, "padding_idx": padding},
             [fairseq(p, width, padding) for p in range(5 + more)])
    case(name, {length: 3, "embedding_dim": 1, "padding_idx": 1}, [[0]] * (3 + more))
    refuse(name, "3", embedding_dim=3)
TOKENS = [[5, 7, 1, 9], [1, 3, 2, 8]]


def counted(row, padding, past=0):
    seen = [sum(t != padding for t in row[:k + 1]) for k in range(len(row))]
    return [padding if t == padding else n + past + padding for t, n in zip(row, seen)]


case("fairseq_sinusoidal", {"embedding_dim": 6, "padding_idx": 1, "tokens": TOKENS},
     [[fairseq(p, 6, 1) for p in counted(row, 1)] for row in TOKENS])
case("hf_fsmt", {"embedding_dim": 6, "padding_idx": 1, "input": TOKENS},
     [[fairseq(p, 6, 1) for p in counted(row, 1)] for row in TOKENS])
for name in ("hf_m2m100", "hf_nllb_moe", "hf_speech2text", "hf_kosmos2", "hf_seamless_m4t", "hf_speecht5", "hf_trocr"):
    case(name, {"embedding_dim": 6, "padding_idx": 1, "tokens": TOKENS, "past_key_values_length": 2},
         [[fairseq(p, 6, 1) for p in counted(row, 1, 2)] for row in TOKENS])
    case(name, {"embedding_dim": 6, "padding_idx": 1, "input_ids": TOKENS},
         [[fairseq(p, 6, 1) for p in counted(row, 1)] for row in TOKENS])
case("hf_xglm", {"embedding_dim": 8, "padding_idx": 1, "position_ids": [[0, 1, 2], [4, 5, 6]],
                 "past_key_values_length": 4},
     [[fairseq(p + 2, 8, 1) for p in row] for row in ([0, 1, 2], [4, 5, 6])])
for name in ("hf_wav2vec2_conformer", "hf_wav2vec2_bert", "hf_seamless_m4t_rel"):
    case(name, {"hidden_size": 1, "T": 2, "max_len": 9}, [[sin(p)] for p in (1, 0, -1)])
case("espnet_rel_pe", {"d_model": 1, "T": 2, "dropout_rate": 0.1}, [[sin(p)] for p in (1, 0, -1)])
refuse("ldm_timestep", "repeat_only", repeat_only=True)
refuse("hf_xlnet", "bi_data", bi_data=True)
refuse("x_transformers_scaled_sinusoidal", "one", seq_start_pos=[1, 2])
case("esm_sinusoidal", {"embed_dim": 7, "padding_idx": 1, "tokens": TOKENS},
     [[fairseq(1 if t == 1 else k + 2, 7, 1) for k, t in enumerate(row)] for row in TOKENS])
case("esm_sinusoidal", {"embed_dim": 6, "padding_idx": 1}, [fairseq(p, 6, 1) for p in (2, 3, 1, 1)], [2, 3, 1, 1])

# ------------------------------------------------------------------------------ whisper, time steps of diffusion

for name in ("whisper_sinusoids", "hf_whisper", "hf_qwen_omni_audio"):
    case(name, {"length": 4, "channels": 6, "max_timescale": 500}, [halves(p, shifted(3, 500)) for p in range(4)])
    refuse(name, "even", length=4, channels=5)
    refuse(name, "zero", length=4, channels=2)
case("hf_qwen_omni_sinus", {"dim": 7, "scale": 100, "hidden_states": [0.5, 1]},
     [halves(p * 100, shifted(3)) for p in (0.5, 1)])
for width, flip, shift in ((7, True, 0), (6, False, 0.5), (1, False, 1), (1, False, 0), (2, True, 0), (3, False, 0), (8, True, 1)):
    case("diffusers_timestep", {"timesteps": TIMES, "embedding_dim": width, "flip_sin_to_cos": flip,
                                "downscale_freq_shift": shift, "scale": 2, "max_period": 100},
         [padded(halves(2 * number(t), shifted(width // 2, 100, shift), flip), width) for t in TIMES])
refuse("diffusers_timestep", "half", embedding_dim=2)
refuse("diffusers_timestep", "half", embedding_dim=8, downscale_freq_shift=4)
case("diffusers_sincos_1d", {"embed_dim": 6, "pos": [0, 1.5], "flip_sin_to_cos": True},
     [halves(p, shifted(3, 10000, 0), True) for p in (0, 1.5)])
refuse("diffusers_sincos_1d", "even", embed_dim=5, pos=[0])
for name, x, width in (("guided_diffusion_timestep", "timesteps", "dim"), ("ldm_timestep", "timesteps", "dim"),
                       ("ggml_timestep_embedding", "timesteps", "dim")):
    for dim in (2, 3, 9):
        case(name, {x: TIMES, width: dim, "max_period": 1000},
             [padded(halves(t, shifted(dim // 2, 1000, 0), True), dim) for t in TIMES])
case("ggml_timestep_embedding", {"timesteps": TIMES, "dim": 1, "max_period": 10000}, [[0]] * 5)
refuse("guided_diffusion_timestep", "no columns", timesteps=[1], dim=1)
case("flux_timestep", {"t": [0, 0.5, 1], "dim": 5, "max_period": 100, "time_factor": 10.0},
     [padded(halves(10 * number(t), shifted(2, 100, 0), True), 5) for t in (0, 0.5, 1)])
for endpoint in (False, True):
    case("edm_positional", {"num_channels": 7, "max_positions": 500, "endpoint": endpoint, "x": TIMES},
         [halves(t, shifted(3, 500, int(endpoint)), True) for t in TIMES])
refuse("edm_positional", "zero", num_channels=2, endpoint=True)
for name in ("ddpm_timestep", "ldm_get_timestep_embedding"):
    for width in (1, 4, 7):
        case(name, {"timesteps": TIMES, "embedding_dim": width},
             [padded(halves(t, shifted(width // 2)), width) for t in TIMES])
    refuse(name, "zero", timesteps=[1], embedding_dim=2)
case("ddpt_sinusoidal_posemb", {"dim": 7, "theta": 100, "x": TIMES}, [halves(t, shifted(3, 100)) for t in TIMES])
refuse("ddpt_sinusoidal_posemb", "zero", dim=3, x=[1])
W = [0.5, -1.25, 2.0]
for use_log in (False, True):
    for flip in (False, True):
        case("diffusers_gaussian_fourier", {"weight": W, "log": use_log, "flip_sin_to_cos": flip, "x": [0.25, 1.0, 2.5]},
             [halves(log(x) if use_log else x, [2 * PI * number(w) for w in W], flip) for x in (0.25, 1.0, 2.5)])
case("edm_fourier", {"freqs": W, "x": [0.75, 3]}, [halves(x, [2 * PI * number(w) for w in W], True) for x in (0.75, 3)])
case("diffusers_gligen_fourier", {"embed_dim": 3, "box": [[0.25, 0.5, 0.75, 1.0]]},
     [[f(power(100, number(i) / 3) * number(x)) for i in range(3) for f in (sin, cos) for x in (0.25, 0.5, 0.75, 1.0)]])
BOXES = [[[0.25, 0.5, 0.75, 1.0], [0.0, 0.125, 0.5, 0.625]], [[0.5, 0.5, 1.0, 1.0], [0.0, 0.0, 0.0, 0.0]]]
for boxes in (BOXES[:1], BOXES):
    rows = [[[f(power(100, number(i) / 2) * number(x)) for i in range(2) for f in (sin, cos) for x in box]
             for box in batch] for batch in boxes]
    case("diffusers_gligen_fourier", {"embed_dim": 2, "box": boxes}, rows[0] if len(boxes) == 1 else rows)

# ------------------------------------------------------------------------------------------------ grids, diffusers


def two(a, b, width, base=10000, shift=0):
    """halves of a, then halves of b"""
    omega = shifted(width // 4, base, shift)
    return halves(a, omega) + halves(b, omega)


case("diffusers_sincos_1d", {"embed_dim": 4, "pos": [[0.5, 3], [100, 2]]},
     [halves(p, shifted(2, shift=0)) for p in (0.5, 3, 100, 2)])
case("diffusers_sincos_2d", {"embed_dim": 8, "grid_size": [2, 5], "cls_token": True, "extra_tokens": 2,
                             "interpolation_scale": 2.0, "base_size": 3},
     [[0] * 8] * 2 + [two(number(x) / (number(5) / 3) / 2, number(y) / (number(2) / 3) / 2, 8) for y, x in grid(2, 5)])
case("diffusers_sincos_2d", {"embed_dim": 4, "grid_size": 3},
     [two(number(x) * 16 / 3, number(y) * 16 / 3, 4) for y, x in grid(3, 3)])
case("diffusers_sincos_3d", {"embed_dim": 16, "spatial_size": [3, 2], "temporal_size": 2,
                             "spatial_interpolation_scale": 1.5, "temporal_interpolation_scale": 2.0},
     nested([halves(number(t) / 2, shifted(2, shift=0)) + halves(number(x) / number(1.5), shifted(3, shift=0)) +
             halves(number(y) / number(1.5), shifted(3, shift=0)) for t, y, x in grid(2, 2, 3)], 2, 6))
refuse("diffusers_sincos_2d", "4", embed_dim=6)
case("mae_2d", {"embed_dim": 8, "grid_size": 2, "cls_token": True},
     [[0] * 8] + [two(x, y, 8) for y, x in grid(2, 2)])
refuse("mae_2d", "4", embed_dim=10)
case("mocov3_2d", {"h": 2, "w": 3, "embed_dim": 8, "temperature": 500.0},
     [[0] * 8] + [two(x, y, 8, 500) for x, y in grid(3, 2)])
for name, width in (("big_vision_sincos2d", "width"), ("vitpytorch_sincos2d", "dim")):
    case(name, {"h": 2, "w": 3, width: 12, "temperature": 100}, [two(x, y, 12, 100, 1) for y, x in grid(2, 3)])
    refuse(name, "NaN", h=2, w=3, **{width: 4})
case("vitpytorch_sincos3d", {"patches": [1, 2, 3, 2, 15], "temperature": 100},
     [padded(halves(x, shifted(2, 100)) + halves(y, shifted(2, 100)) + halves(t, shifted(2, 100)), 15)
      for t, y, x in grid(2, 3, 2)])
for name in ("hf_rt_detr", "hf_d_fine"):
    case(name, {"width": 3, "height": 2, "embed_dim": 8, "temperature": 100.0},
         [two(y, x, 8, 100) for y, x in grid(2, 3)])
case("rt_detr_original", {"w": 3, "h": 2, "embed_dim": 8}, [two(x, y, 8) for x, y in grid(3, 2)])
case("hf_aimv2_sincos2d", {"height": 3, "width": 2, "embed_dim": 8, "temperature": 50.0},
     [two(x, y, 8, 50) for y, x in grid(3, 2)])
for channels, sizes in ((7, [3]), (10, [2, 3]), (9, [2, 2]), (7, [2, 3, 2]), (20, [2, 1, 2])):
    block = 2 * -(-channels // (2 if len(sizes) == 1 else 2 * len(sizes)))
    case("tatp22", {"channels": channels, "shape": sizes},
         nested([padded([x for p in g for x in interleaved(p, by_width(block))], channels) for g in grid(*sizes)], *sizes))
for sizes, width, uniform in (([2, 3], 10, False), ([2, 2, 2], 14, False), ([2, 2, 2], 16, True)):
    blocks = [-(-width // 4)] * 2 if len(sizes) == 2 else [-(-width // 6)] * 3 if uniform else \
        [-(-width // 4), -(-width // 8), -(-width // 8)]
    case("fairseq2_sinusoidal_nd", {"grid": sizes, "encoding_dim": width, "uniform_power": uniform},
         nested([padded([x for p, n in zip(g, blocks) for x in halves(p, shifted(n, shift=0))], width)
                 for g in grid(*sizes)], *sizes))
for reverse, inner in itertools.product((False, True), repeat=2):
    omega = shifted(3, 100, 0)
    case("timm_sincos2d", {"feat_shape": [2, 3], "dim": 12, "temperature": 100.0, "reverse_coord": reverse,
                           "interleave_sin_cos": inner},
         [halves(a, omega) + halves(b, omega) if inner else
          sines(a, omega) + sines(b, omega) + cosines(a, omega) + cosines(b, omega)
          for a, b in (grid(3, 2) if reverse else grid(2, 3))])
for linear, include in itertools.product((False, True), repeat=2):
    last = 112 if linear else log(224) / log(2) - 1
    bands = [PI * (1 + (number(last) - 1) * i / 3 if linear else power(2, last * i / 3)) for i in range(4)]
    rows = [[2 * number(y) - 1, number(x) - 1] for y, x in grid(2, 3)]
    case("timm_fourier", {"feat_shape": [2, 3], "num_bands": 4, "linear_bands": linear, "include_grid": include},
         [(r if include else []) + [f(p * w) for f in (sin, cos) for p in r for w in bands] for r in rows])
case("timm_fourier", {"feat_shape": [2, 1, 3], "num_bands": 2, "linear_bands": True, "max_res": 8},
     [[f(p * PI * w) for f in (sin, cos) for p in (2 * t - 1, -1, x - 1) for w in (1, 4)]
      for t, _, x in grid(2, 1, 3)])
case("timm_fourier", {"feat_shape": [2, 3], "num_bands": 2, "in_pixels": False, "grid_indexing": "xy",
                      "ref_feat_shape": [4, 9], "include_grid": True, "temperature": 100.0, "dtype": "float32"},
     [[3 * x, 2 * y] + [f(p * w) for f in (sin, cos) for p in (3 * x, 2 * y) for w in shifted(2, 100, 0)]
      for y, x in grid(2, 3)])
case("timm_fourier", {"feat_shape": [3], "num_bands": 2, "in_pixels": False, "grid_offset": 0.25, "temperature": 100.0},
     [[f((p + number(0.25)) * w) for f in (sin, cos) for w in shifted(2, 100, 0)] for p in range(3)])

# ------------------------------------------------------------------------------------------------ DETR and others


def counts(mask, valid):
    """(y, x, last y, last x) of each cell"""
    height, width = len(mask), len(mask[0])
    one = [[int(v == valid) for v in row] for row in mask]
    for y, x in grid(height, width):
        yield (sum(one[k][x] for k in range(y + 1)), sum(one[y][:x + 1]),
               sum(one[k][x] for k in range(height)), sum(one[y]))


MASK = [[1, 1, 1, 0], [1, 1, 0, 0], [1, 1, 1, 1]]
HOLES = [[1 - v for v in row] for row in MASK]
EPS = number("1e-6")


def per_axis(y, x, width, ty, tx=None):
    return interleaved(y, by_width(width, ty)) + interleaved(x, by_width(width, tx or ty))


plain = [per_axis(y, x, 6, 20) for y, x, _, _ in counts(HOLES, 0)]
normal = [per_axis(2 * PI * y / (ly + EPS), 2 * PI * x / (lx + EPS), 6, 20) for y, x, ly, lx in counts(MASK, 1)]
half = [per_axis(2 * PI * (y - number(0.5)) / (ly + EPS), 2 * PI * (x - number(0.5)) / (lx + EPS), 6, 20)
        for y, x, ly, lx in counts(MASK, 1)]
case("detr_sine", {"num_pos_feats": 6, "temperature": 20, "mask": HOLES}, [channel_first(plain, 3, 4)])
case("detr_sine", {"num_pos_feats": 6, "temperature": 20, "normalize": True, "mask": HOLES}, [channel_first(normal, 3, 4)])
case("detr_sine", {"num_pos_feats": 6, "temperature": 20, "normalize": True},
     [per_axis(0.5, 2, 6, 20), per_axis(1, 0.25, 6, 20)], [[0.5, 2], [1, 0.25]])
case("hf_maskformer_sine", {"num_pos_feats": 6, "temperature": 20, "normalize": True, "mask": HOLES},
     [channel_first(normal, 3, 4)])
case("hf_detr", {"num_position_features": 6, "temperature": 20, "normalize": True, "mask": MASK}, normal)
case("hf_detr", {"num_pos_feats": 6, "temperature": 20, "normalize": True, "mask": MASK}, normal)
case("hf_deformable_detr", {"num_position_features": 6, "temperature": 20, "normalize": True, "mask": MASK},
     half)
case("hf_grounding_dino_mask", {"d_model": 12, "positional_embedding_temperature": 20, "mask": MASK},
     [channel_first(normal, 3, 4)])
two_t = [per_axis(2 * PI * y / (ly + EPS), 2 * PI * x / (lx + EPS), 6, 20, 50) for y, x, ly, lx in counts(MASK, 1)]
case("hf_dab_detr", {"hidden_size": 12, "temperature_height": 20, "temperature_width": 50, "mask": MASK},
     channel_first(two_t, 3, 4))
case("detr_sine", {"num_pos_feats": 6, "temperature": 20, "mask": [HOLES]}, [channel_first(plain, 3, 4)])
refuse("detr_sine", "one mask", mask=[HOLES, HOLES])
refuse("mae_2d", "square", grid_size=[2, 3])
refuse("detr_sine", "normalize", mask=HOLES, scale=3.0)
refuse("detr_sine", "even", num_pos_feats=5, mask=HOLES)
BOXES = [[0.125, 0.5, 0.75, 1.0], [0.0, 0.25, 0.375, 0.875]]


def box(values, width, temperature=10000):
    return [x for v in values for x in interleaved(2 * PI * number(v), by_width(width, temperature))]


case("hf_conditional_detr_gen_sine", {"d_model": 8, "pos_tensor": [r[:2] for r in BOXES]},
     [box([r[1], r[0]], 4) for r in BOXES])
case("hf_conditional_detr_gen_sine", {"d_model": 9, "pos_tensor": [r[:2] for r in BOXES]},
     [box([r[1], r[0]], 4) for r in BOXES])
case("hf_dab_detr_gen_sine", {"hidden_size": 8, "pos_tensor": BOXES}, [box([r[1], r[0], r[2], r[3]], 4) for r in BOXES])
for exchange in (False, True):
    case("hf_grounding_dino", {"num_pos_feats": 4, "temperature": 20, "exchange_xy": exchange, "pos_tensor": BOXES},
         [box([r[1], r[0], r[2], r[3]] if exchange else r, 4, 20) for r in BOXES])
    case("hf_grounding_dino", {"num_pos_feats": 4, "exchange_xy": exchange, "pos_tensor": [r[:2] for r in BOXES]},
         [box([r[1], r[0]] if exchange else r[:2], 4) for r in BOXES])
for dim in (16, 7):
    h = dim // 2
    case("hf_sam2_1d_sine", {"pos": [0, 2.5, 7], "dim": dim, "temperature": 100},
         [halves(p, [power(100, number(-2 * (i // 2)) / h) for i in range(h)]) for p in (0, 2.5, 7)])
MATRIX = [[0.5, -1.25, 2.0], [0.25, 1.0, -0.75]]


def sam(x, y):
    angle = [2 * PI * (number(x) * number(a) + number(y) * number(b)) for a, b in zip(*MATRIX)]
    return [sin(t) for t in angle] + [cos(t) for t in angle]


case("sam_random_fourier", {"positional_encoding_gaussian_matrix": MATRIX, "size": [2, 3]},
     channel_first([sam(2 * (number(x) + number(0.5)) / 3 - 1, number(y) + number(0.5) - 1)
                    for y, x in grid(2, 3)], 2, 3))
case("sam_random_fourier", {"positional_encoding_gaussian_matrix": MATRIX, "coords": [[0.25, 0.5], [1.0, 0.0]]},
     [sam(-0.5, 0), sam(1, -1)])

# ---------------------------------------------------------------------------------------------- relative positions

for name in ("transformer_xl", "hf_transfo_xl"):
    for width in (1, 2, 3, 7):
        case(name, {"demb": width, "pos_seq": [3, 0, -2]}, [halves(p, by_width(width)) for p in (3, 0, -2)])
for name in ("xlnet_relative", "hf_xlnet"):
    for kind, clamp, width in (("bi", -1, 4), ("uni", 2, 5), ("bi", 2, 6)):
        seq = range(5, -3 if kind == "bi" else -1, -1)
        case(name, {"qlen": 3, "klen": 5, "d_model": width, "clamp_len": clamp, "attn_type": kind},
             [halves(max(min(p, clamp), -clamp) if clamp > 0 else p, by_width(width)) for p in seq])
case("hf_bros", {"dim": 5, "bbox": [0.25, 1.5]}, [halves(0.25, by_width(5)) + halves(1.5, by_width(5))])
case("hf_zoedepth", {"sequence_length": 3, "embedding_dim": 5}, [halves(p, by_width(5)) for p in range(3)])
for width in (7, 8):
    case("hf_ctrl", {"position": 4, "d_model_size": width}, [halves(p, by_width(width))[:width] for p in range(4)])
for name in ("hf_wav2vec2_conformer", "hf_wav2vec2_bert", "hf_seamless_m4t_rel", "hf_parakeet_rel", "espnet_rel_pe"):
    width = "d_model" if name[0] == "e" else "hidden_size"
    case(name, {width: 6, "T": 3}, [interleaved(p, by_width(6)) for p in (2, 1, 0, -1, -2)])
case("hf_parakeet_rel", {"hidden_size": 5, "T": 2}, [interleaved(p, by_width(5)) for p in (1, 0, -1)])
refuse("hf_wav2vec2_conformer", "even", hidden_size=5, T=2)
funnel = [(sines(p, by_width(6)), cosines(p, by_width(6))) for p in range(3)]
case("hf_funnel_factorized", {"d_model": 6, "seq_len": 3, "attention_type": "factorized"},
     [[s + s for s, c in funnel], [c + c for s, c in funnel], [c + s for s, c in funnel],
      [[-x for x in s] + c for s, c in funnel]])

# --------------------------------------------------------------------------------------------- coordinates in space

POINTS = [[0.125, -0.5, 0.75], [1.0, 0.25, -1.0]]


def numbers(r):
    return [number(v) for v in r]


for name in ("nerf_tf", "nerf_pytorch"):
    for logs, include, bands, last in ((True, True, 3, 5), (False, False, 4, 3), (True, False, 1, 0)):
        step = [number(last) * i / max(bands - 1, 1) for i in range(bands)]
        omega = [power(2, s) for s in step] if logs else \
            [1 + number(2 ** last - 1) * i / max(bands - 1, 1) for i in range(bands)]
        case(name, {"include_input": include, "num_freqs": bands, "max_freq_log2": last, "log_sampling": logs, "x": POINTS},
             [(numbers(r) if include else []) + [f(w * v) for w in omega for f in (sin, cos) for v in numbers(r)]
              for r in POINTS])
for include in (False, True):
    omega = [2 * PI * power(2, -1 + number(i) * 3 / 2) for i in range(3)]
    case("nerfstudio_nerf", {"num_frequencies": 3, "min_freq_exp": -1.0, "max_freq_exp": 2.0, "include_input": include,
                             "x": POINTS},
         [[f(w * v) for f in (sin, cos) for v in numbers(r) for w in omega] + (numbers(r) if include else [])
          for r in POINTS])
    case("mipnerf_pos_enc", {"x": POINTS, "min_deg": 1, "max_deg": 4, "append_identity": include},
         [(numbers(r) if include else []) + [f(2 ** k * v) for f in (sin, cos) for k in range(1, 4) for v in numbers(r)]
          for r in POINTS])
case("tcnn_frequency", {"n_frequencies": 3, "n_dims": 2, "pad": 3, "x": [r[:2] for r in POINTS]},
     [[f(PI * 2 ** k * number(v)) for v in r[:2] for k in range(3) for f in (sin, cos)] + [1] * 3 for r in POINTS])
for concat, sine in itertools.product((False, True), repeat=2):
    bands = [[PI * (1 + (number(res) / 2 - 1) * i / 2) for i in range(3)] for res in (8, 5)]
    case("hf_perceiver_fourier", {"pos": [r[:2] for r in POINTS], "num_bands": 3, "max_resolution": [8, 5],
                                  "concat_pos": concat, "sine_only": sine},
         [(numbers(r[:2]) if concat else []) + [f(number(v) * w) for f in ((sin,) if sine else (sin, cos))
                                                for v, b in zip(r, bands) for w in b] for r in POINTS])
bands = [PI * (1 + number(3) * i / 3) for i in range(4)]
case("lucidrains_perceiver", {"x": [0.25, -1.0], "max_freq": 8, "num_bands": 4},
     [halves(v, bands) + [number(v)] for v in (0.25, -1.0)])
case("lucidrains_perceiver", {"x": [[0.25, -1.0], [0.5, 0.0]], "max_freq": 8, "num_bands": 4},
     [[halves(v, bands) + [number(v)] for v in r] for r in ([0.25, -1.0], [0.5, 0.0])])
W4, B4 = [0.5, -1.25, 2.0, 0.0625], [0.125, 0.75, -0.5, 0.25]
case("protenix_af3_fourier", {"w": W4, "b": B4, "t": [0.5, -2]},
     [[cos(2 * PI * (number(w) * number(t) + number(b))) for w, b in zip(W4, B4)] for t in (0.5, -2)])
case("alphafold3_noise", {"w": W4, "b": B4, "t": [0.5, 40]},
     [[cos(2 * PI * (number(w) * log(t) / 4 + number(b))) for w, b in zip(W4, B4)] for t in (0.5, 40)])

# --------------------------------------------------------------------------------------------------- other libraries

for hidden in (7, 1):
    case("keras_sine", {"seq_len": 3, "hidden": hidden, "start_index": 5, "max_wavelength": 100},
         [padded(interleaved(p, by_width(hidden, 100)), hidden) for p in range(5, 8)])
for first, scale, turns in ((True, 0.25, False), (False, None, True)):
    omega = [(2 * PI if turns else 1) * 3 * power(number(0.01) / 3, number(i) / 2) for i in range(3)]
    amplitude = number(scale) if scale else (number(2) / 6).sqrt()
    case("mlx_sinusoidal", {"dims": 6, "min_freq": 0.01, "max_freq": 3.0, "scale": scale, "cos_first": first,
                            "full_turns": turns, "x": [0, 1.5, 20]},
         [[amplitude * v for v in halves(p, omega, first)] for p in (0, 1.5, 20)])
case("mlx_sinusoidal", {"dims": 2, "x": [0.5]}, [[sin(0.5), cos(0.5)]])
refuse("mlx_sinusoidal", "even", dims=3, x=[0.5])
case("x_transformers_scaled_sinusoidal", {"dim": 6, "theta": 100, "seq_len": 3, "offset": 4},
     [[v / number(6).sqrt() for v in halves(p, shifted(3, 100, 0))] for p in range(4, 7)])
refuse("x_transformers_scaled_sinusoidal", "even", dim=5)
for name in ("hf_marian", "hf_pegasus", "hf_roformer", "hf_informer", "hf_autoformer"):
    for width in (8, 7, 1):
        case(name, {"num_positions": 4, "embedding_dim": width},
             [(sines(p, by_width(width)) + cosines(p, by_width(width)))[:width] for p in range(4)])
for name in ("hf_xlm", "hf_flaubert"):
    for width in (6, 5):
        case(name, {"n_pos": 4, "dim": width}, [interleaved(p, by_width(width))[:width] for p in range(4)])
case("hf_videomae", {"n_position": 3, "d_hid": 6}, [interleaved(p, by_width(6)) for p in range(3)])
for width in (7, 1):
    case("hf_musicgen", {"num_positions": 3, "embedding_dim": width},
         [padded(halves(p, shifted(width // 2), True), width) for p in range(3)])
case("hf_pegasus_x", {"embed_dim": 6, "max_scale": 100.0, "past_key_values_length": 3, "seq_len": 2},
     [halves(p, shifted(3, 100)) for p in (3, 4)])
refuse("hf_pegasus_x", "even", embed_dim=5)
case("onmttf", {"depth": 6}, [halves(p + 1, shifted(3)) for p in range(3)], [0, 1, 2])
case("ctranslate2", {"max_time": 3, "depth": 7}, [halves(p + 1, shifted(3)) for p in range(3)])
for width in (3, 5, 6, 9):
    m, d = width // 2, number(width) / 2 - 1
    omega = [power(10000, -(j % m) / d) for j in range(width)]
    case("marian_nmt_cpp", {"rows": 3, "dim": width, "start": 2},
         [[(sin if j < m else cos)(number(p) * w) for j, w in enumerate(omega)] for p in (2, 3, 4)])
case("marian_nmt_cpp", {"dim": 3}, [[sin(p), cos(p), cos(p)] for p in (0.5, 7)], [0.5, 7])
for width in (1, 2):
    refuse("marian_nmt_cpp", "zero", dim=width)
case("flax_sinusoidal_init", {"max_len": 3, "d_feature": 7, "min_scale": 2.0},
     [padded(halves(p, shifted(3, 5000, 1, 2)), 7) for p in range(3)])
case("fairseq2_sinusoidal", {"encoding_dim": 6, "max_seq_len": 2}, [[0] * 6] + [halves(p, shifted(3)) for p in (0, 1)])
case("fairseq2_sinusoidal", {"encoding_dim": 6, "max_seq_len": 2, "legacy_pad_idx": 1},
     [[0] * 6] + [halves(p, shifted(3)) for p in (2, 3)])
case("tfmodels_relative", {"hidden_size": 7, "min_timescale": 2.0, "max_timescale": 100.0, "length": 3},
     [halves(p, shifted(3, 50, 1, 2)) for p in range(3)])
for width in (8, 7):
    case("caffe2_sinusoid", {"embedding_size": width, "alpha": 100.0, "amplitude": 0.5, "positions": [1, 2, 50]},
         [[number(0.5) * (sin, cos)[k % 2](p / power(100, number(k) / width)) for k in range(width)] for p in (1, 2, 50)])

# ------------------------------------------------------------------------------- times and numbers: audio, robots

refuse("ddpt_learned_sinusoidal", "twice", weights=[0.5, 0.25], dim=6)
refuse("openpi_timestep", "even", embedding_dim=7)
refuse("openpi_timestep_pytorch", "even", dimension=7)
refuse("hf_pi0_timestep", "even", hidden_size=7)
for width in (2, 6):
    periods = [number("0.004") * power(1000, number(i) / max(width // 2 - 1, 1)) for i in range(width // 2)]
    case("openpi_timestep", {"embedding_dim": width, "pos": [0, 0.001, 0.984375]},
         [halves(t, [2 * PI / period for period in periods]) for t in (0, 0.001, 0.984375)])
refuse("stable_audio_expo", "no columns", dim=1)
for width in (2, 7):
    turns = [number("0.25") * power(40, number(i) / max(width // 2 - 1, 1)) for i in range(width // 2)]
    case("stable_audio_expo", {"dim": width, "t": [0, 0.5, -3], "min_freq": 0.25, "max_freq": 10},
         [halves(t, [2 * PI * turn for turn in turns], True) for t in (0, 0.5, -3)])

# -------------------------------------------------------------------------------------------------- polar coordinates

refuse("pope", "one head", dim=4, bias=[0.0, -1.0])
case("pope", {"dim": 3, "pos_or_seq_len": [0, 5, -2], "offset": 1, "theta": 100},
     [[f(p * power(100, number(-j) / 3)) for j in range(3) for f in (cos, sin)] for p in (1, 6, -1)])
case("x_transformers_pope", {"dim": 2, "bias": [-1.5, 3.0], "seq_len": 4},
     [[f(p * power(10000, number(-j) / 2) + b) for f in (cos, sin) for j, b in ((0, number("-1.5")), (1, 0))] for p in range(4)])

# ---------------------------------------------------------------------------------------------- relations of two boxes

refuse("hf_pp_doclayout_relation", "even", relation_bias_embed_dim=7)
refuse("hf_pp_doclayout_relation", "x_min", bbox=[[1, 2]])
refuse("hf_pp_doclayout_relation", "x_min", bbox=[1, 2, 3, 4])
case("hf_pp_doclayout_relation", {"relation_bias_embed_dim": 2, "relation_bias_scale": 10},
     [[f(10 * number(x)) for x in row for f in (sin, cos)] for row in ((0, 0.5, -1, 3), (2, 0, 0, 0.25))],
     [[0, 0.5, -1, 3], [2, 0, 0, 0.25]])
