/*
 * conventions.c - the catalogue: every convention as data. Fields are explained in sinpos_conventions.h, formulas in
 * docs/architecture.md, and each row is tested against the code of its source in tests/golden.
 */
#include <string.h>

#include "sinpos_conventions.h"

/*
 * Hugging Face's rope blocks (modeling_rope_utils.py), shared by the models that read them: dimensions d that turn,
 * base b, YaRN's ramp from lo over span, amplitude amp.
 */
#define HF_ROPE_PARAMETERS                                                                                             \
    {"head_dim", "128", "dim", "columns of a head"}, {"rope_theta", "10000", "base", "> 0"},                           \
        {"rope_type", "\"default\"", "", "default linear dynamic yarn longrope llama3 proportional"},                  \
        {"partial_rotary_factor", "null", "", "share of head_dim that turns; null: all"},                              \
        {"max_position_embeddings", "2048", "", "context after scaling"},                                              \
        {"original_max_position_embeddings", "null", "", "context before scaling; null: the same"},                    \
        {"factor", "null", "", "of scaling; null: ratio of the contexts (yarn, longrope)"},                            \
        {"seq_len", "null", "", "present length (dynamic, longrope)"},                                                 \
        {"attention_scaling", "null", "amplitude", "amplitude; null: by the rule of rope_type"},                       \
        {"attention_factor", "null", "", "amplitude of yarn and longrope; null: by their rule"},                       \
        {"beta_fast", "null", "", "yarn: turns in the context, upper; null: 32"},                                      \
        {"beta_slow", "null", "", "yarn: turns in the context, lower; null: 1"},                                       \
        {"mscale", "null", "", "yarn: amplitude of DeepSeek"}, {"mscale_all_dim", "null", "", "yarn: its divisor"},    \
        {"truncate", "true", "", "yarn: bounds of the ramp are whole"},                                                \
        {"short_factor", "null", "", "longrope: divisor of each frequency up to the original context"},                \
        {"long_factor", "null", "", "longrope: and beyond it"},                                                        \
        {"low_freq_factor", "1", "", "llama3: turns in the context, lower"},                                           \
    {                                                                                                                  \
        "high_freq_factor", "4", "", "llama3: turns in the context, upper"                                             \
    }

#define HF_ROPE_LET                                                                                                    \
    "part = partial_rotary_factor == null ? 1 : partial_rotary_factor; "                                               \
    "d = rope_type == 'proportional' ? head_dim : floor(head_dim * part + 2^-30); "                                    \
    "L = max_position_embeddings; "                                                                                    \
    "L0 = original_max_position_embeddings == null ? L : original_max_position_embeddings; "                           \
    "f = factor != null ? factor : rope_type == 'yarn' or rope_type == 'longrope' ? L / L0 : 1; "                      \
    "b = rope_type == 'dynamic' ? rope_theta * (f * max(seq_len == null ? L : seq_len, L) / L - (f - 1))^(d / (d - "   \
    "2)) "                                                                                                             \
    ": rope_theta; "                                                                                                   \
    "low = rope_type == 'yarn' ? d * log(L0 / ((beta_fast ? beta_fast : 32) * 2 * pi)) / (2 * log(b)) : 0; "           \
    "high = rope_type == 'yarn' ? d * log(L0 / ((beta_slow ? beta_slow : 1) * 2 * pi)) / (2 * log(b)) : 1; "           \
    "lo = max(truncate ? floor(low) : low, 0); hi = min(truncate ? ceil(high) : high, d - 1); "                        \
    "span = lo == hi ? 1 / 1000 : hi - lo; "                                                                           \
    "k = f > 1 ? log(f) / 10 : 0; "                                                                                    \
    "ext = seq_len != null and seq_len > L0 ? long_factor : short_factor; "                                            \
    "amp = attention_scaling != null ? attention_scaling : "                                                           \
    "attention_factor != null and (rope_type == 'yarn' or rope_type == 'longrope') ? attention_factor : "              \
    "rope_type == 'yarn' ? (mscale and mscale_all_dim ? (1 + mscale * k) / (1 + mscale_all_dim * k) : 1 + k) : "       \
    "rope_type == 'longrope' and f > 1 ? sqrt(1 + log(f) / log(L0)) : 1"

#define HF_ROPE_THETA                                                                                                  \
    "rope_type == 'linear' ? b^(-2 * i / d) / f : "                                                                    \
    "rope_type == 'yarn' ? b^(-2 * i / d) * (1 - (1 - 1 / f) * min(max((i - lo) / span, 0), 1)) : "                    \
    "rope_type == 'longrope' ? b^(-2 * i / d) / ext[i] : "                                                             \
    "rope_type == 'llama3' ? b^(-2 * i / d) * (1 / f + (1 - 1 / f) * min(max((L0 * b^(-2 * i / d) / (2 * pi) "         \
    "- low_freq_factor) / (high_freq_factor - low_freq_factor), 0), 1)) : "                                            \
    "rope_type == 'proportional' ? (i < floor(part * d / 2 + 2^-30) ? b^(-2 * i / d) / f : 0) : "                      \
    "b^(-2 * i / d)"

#define HF_ROPE_REFUSE                                                                                                 \
    "d % 2 == 1 => head_dim times partial_rotary_factor must be even; "                                                \
    "not (rope_type == 'default' or rope_type == 'linear' or rope_type == 'dynamic' or rope_type == 'yarn' or "        \
    "rope_type == 'longrope' or rope_type == 'llama3' or rope_type == 'proportional') => rope_type must be default, "  \
    "linear, dynamic, yarn, longrope, llama3 or proportional; "                                                        \
    "factor == null and (rope_type == 'linear' or rope_type == 'dynamic' or rope_type == 'llama3') => factor must be " \
    "given for this rope_type; "                                                                                       \
    "rope_type == 'llama3' and low_freq_factor == high_freq_factor => low_freq_factor and high_freq_factor must "      \
    "differ; "                                                                                                         \
    "rope_type == 'longrope' and (short_factor == null or long_factor == null) => short_factor and long_factor must "  \
    "be given for longrope; "                                                                                          \
    "rope_type == 'longrope' and (len(short_factor) != d / 2 or len(long_factor) != d / 2) => short_factor and "       \
    "long_factor must have a number for each frequency"

#define HF_ROPE_PUBLISHED                                                                                              \
    "rope_type == 'default' ? f32(1) / f32(b)^(f32(2 * i) / f32(d)) : "                                                \
    "rope_type == 'linear' ? f32(1) / f32(b)^(f32(2 * i) / f32(d)) / f32(f) : "                                        \
    "rope_type == 'dynamic' ? f32(1) / f32(b)^(f32(2 * i) / f32(d)) : null"

#define TRANSFORMERS "huggingface/transformers"
#define TIMM "huggingface/pytorch-image-models"
#define DIFFUSERS "huggingface/diffusers"
#define TORCHTUNE "pytorch/torchtune"

#define HF_POSITIONS                                                                                                   \
    {                                                                                                                  \
        "positions", "null", "positions", "list of positions"                                                          \
    }

/* One position serves all three coordinates of a text. */
#define THW_COORDINATES "G == 3 => g0, g1, g2; G == 1 => g0, g0, g0"

/* What llama3 scaling multiplies a frequency by. */
#define LLAMA3_FACTOR(factor, context, frequency)                                                                      \
    "(1 / " factor " + (1 - 1 / " factor ") * min(max((" context " * " frequency " / (2 * pi) - low_freq_factor) / "   \
    "(high_freq_factor - low_freq_factor), 0), 1))"

/* timm: both coordinates of a cell in the order of grid_indexing; rows are row by row of feat_shape in any case. */
#define TIMM_ROTARY_PARAMETERS                                                                                         \
    {"feat_shape", "[14, 14]", "grid", "height, width"}, {"dim", "64", "dim", "columns of a head"},                    \
        {"bands", "null", "", "frequencies in place of a rule"}, {"max_res", "224", "", "in pixels: of the finest"},   \
        {"temperature", "10000", "base", "as language: > 0"}, {"linear_bands", "false", "", "in pixels: even steps"},  \
        {"in_pixels", "true", "", "half turns over (-1, 1); false: as language"},                                      \
        {"ref_feat_shape", "null", "", "grid that coordinates are stretched to"},                                      \
        {"grid_offset", "0", "", "as language: added to the indices"},                                                 \
    {                                                                                                                  \
        "grid_indexing", "\"ij\"", "", "ij: height first, xy: width first"                                             \
    }

#define TIMM_ROTARY_LET                                                                                                \
    "size = feat_shape; is_xy = grid_indexing == 'xy'; nf = bands != null ? len(bands) : floor(dim / 4); "             \
    "ref = ref_feat_shape; h = size[0]; w = size[1]; "                                                                 \
    "kh = (in_pixels ? (h == 1 ? 0 : 2 / (h - 1)) : 1) * (ref == null ? 1 : ref[0] / h); "                             \
    "kw = (in_pixels ? (w == 1 ? 0 : 2 / (w - 1)) : 1) * (ref == null ? 1 : ref[1] / w); "                             \
    "sh = (in_pixels ? -1 : grid_offset) * (ref == null ? 1 : ref[0] / h); "                                           \
    "sw = (in_pixels ? -1 : grid_offset) * (ref == null ? 1 : ref[1] / w)"

#define TIMM_ROTARY_REFUSE                                                                                             \
    "len(feat_shape) != 2 => feat_shape must be height and width; "                                                    \
    "not (grid_indexing == 'ij' or grid_indexing == 'xy') => grid_indexing must be ij or xy"

#define TIMM_ROTARY_COORDINATES "is_xy => kw * g1 + sw, kh * g0 + sh; 1 => kh * g0 + sh, kw * g1 + sw"

#define TIMM_ROTARY_TURNS                                                                                              \
    "bands != null or not in_pixels ? null : linear_bands ? (1 + i * (max_res / 2 - 1) / max(nf - 1, 1)) / 2 : "       \
    "(max_res / 2)^(i / max(nf - 1, 1)) / 2"

static const sinpos_convention catalogue[] = {
    /* ---------------------------------------------------------------------------- Added or concatenated, one axis */
    {
        .name = "vaswani",
        .aliases = "attention_is_all_you_need",
        .summary = "the paper: interleaved, theta_i = base^(-2i/dim)",
        .repository = "arXiv:1706.03762",
        .path = "section 3.5",
        .function = "positional encoding",
        .weaknesses = "",
        .parameters = {{"dim", "512", "dim", "columns"},
                       {"base", "10000", "base", "> 0"},
                       {"length", "4096", "length", "rows"},
                       {"start", "0", "start", "first position"}},
        .length = "length",
        .start = "start",
        .count = "ceil(dim / 2)",
        .theta = "base^(-2 * i / dim)",
        .nest = "afc",
        .width = "dim",
    },
    {
        .name = "t2t_timing_1d",
        .aliases = "tensor2tensor get_timing_signal_1d",
        .summary = "Tensor2Tensor: halves, the last frequency exactly min_timescale^2 / max_timescale at the far end",
        .repository = "tensorflow/tensor2tensor",
        .path = "tensor2tensor/layers/common_attention.py",
        .function = "get_timing_signal_1d",
        .weaknesses = "min_timescale multiplies the frequency: 2 makes the fastest tone twice as fast, not half.",
        .parameters = {{"length", "4096", "length", "rows"},
                       {"channels", "512", "dim", "columns"},
                       {"min_timescale", "1", "", "> 0"},
                       {"max_timescale", "10000", "base", "> 0"},
                       {"start_index", "0", "start", "first position"}},
        .length = "length",
        .start = "start_index",
        .count = "floor(channels / 2)",
        .theta = "min_timescale * (max_timescale / min_timescale)^(-i / max(n - 1, 1))",
        .nest = "acf",
        .width = "channels",
    },
    {
        .name = "diffusers_timestep",
        .aliases = "get_timestep_embedding",
        .summary = "diffusers time steps: halves, any shift of the divisor, cosine first if flipped",
        .repository = "huggingface/diffusers",
        .path = "src/diffusers/models/embeddings.py",
        .function = "get_timestep_embedding",
        .weaknesses = "The default shift 1 is not the paper's schedule; one frequency with shift 1 divides by zero.",
        .parameters = {{"timesteps", "[0]", "positions", "real numbers"},
                       {"embedding_dim", "320", "dim", "columns"},
                       {"flip_sin_to_cos", "false", "", "cosines first"},
                       {"downscale_freq_shift", "1", "", "real, not half the width"},
                       {"scale", "1", "", "factor on the angle"},
                       {"max_period", "10000", "base", "> 0"}},
        .let = "h = floor(embedding_dim / 2)",
        .refuse = "h == downscale_freq_shift and h > 0 => downscale_freq_shift must not be half of embedding_dim: the "
                  "source divides 0 by 0 there and returns NaN",
        .positions = "timesteps",
        .count = "h",
        .theta = "scale * max_period^(-i / (h - downscale_freq_shift))",
        .nest = "acf",
        .components = "flip_sin_to_cos ? 'cs' : 'sc'",
        .width = "embedding_dim",
        .published_theta = "exp(f32(-log(max_period) * f32(i)) / f32(h - downscale_freq_shift))",
        .published_angle = "f32(scale) * (f32(p) * theta)",
    },
    /* ---------------------------------------------------------------------------------------- Several coordinates */
    {
        .name = "t2t_timing_nd",
        .aliases = "add_timing_signal_nd",
        .summary = "Tensor2Tensor, any number of axes: halves per axis, left-over channels zero",
        .repository = "tensorflow/tensor2tensor",
        .path = "tensor2tensor/layers/common_attention.py",
        .function = "add_timing_signal_nd",
        .weaknesses = "Unlike the 1-D function it divides 0 by 0 where an axis has one frequency.",
        .parameters = {{"shape", NULL, "grid", "sizes of the grid, then channels"},
                       {"min_timescale", "1", "", "> 0"},
                       {"max_timescale", "10000", "base", "> 0"}},
        .let = "axes = len(shape) - 1; channels = shape[axes]; per_axis = floor(channels / (2 * axes))",
        .refuse = "per_axis == 1 => shape must leave more than one frequency per axis: the source divides 0 by 0 there",
        .grid = "slice(shape, 0, axes)",
        .count = "per_axis",
        .theta = "min_timescale * (max_timescale / min_timescale)^(-i / (n - 1))",
        .nest = "acf",
        .width = "channels",
        .shape = "grid",
    },
    /* ----------------------------------------------------------------------------------------------------- Rotary */
    {
        .name = "llama_reference_rope",
        .aliases = "llama_reference_cis llama_rope precompute_freqs_cis mistral_reference_rope",
        .summary = "Meta's Llama: adjacent pairs as complex numbers; use_scaled as in Llama 3.1",
        .repository = "meta-llama/llama3",
        .path = "llama/model.py",
        .function = "precompute_freqs_cis, apply_rotary_emb",
        .weaknesses = "Checkpoints for Hugging Face have the rows of q and k permuted to halves.",
        .parameters = {{"positions", "null", "positions", "list of positions; null: end rows"},
                       {"dim", "128", "dim", "columns of q and k"},
                       {"end", "2048", "length", "rows"},
                       {"theta", "10000", "base", "> 0"},
                       {"use_scaled", "false", "", "Llama 3.1's longer context"},
                       {"scale_factor", "8", "", "with use_scaled: divisor of the lowest frequencies"},
                       {"low_freq_factor", "1", "", "turns in old_context_len, lower"},
                       {"high_freq_factor", "4", "", "turns in old_context_len, upper"},
                       {"old_context_len", "8192", "", "context before scaling"}},
        .refuse = "dim % 2 == 1 => dim must be even",
        .positions = "positions",
        .length = "end",
        .count = "dim / 2",
        .theta = "theta^(-2 * i / dim) * (use_scaled ? " LLAMA3_FACTOR("scale_factor", "old_context_len",
                                                                       "theta^(-2 * i / dim)") " : 1)",
        .nest = "afc",
        .components = "cs",
        .width = "dim",
        .pairing = "pair",
        .output = "cis",
        .published_theta = "use_scaled ? null : f32(1) / f32(theta)^(f32(2 * i) / f32(dim))",
        .published_angle = "f32(p) * theta",
    },
    {
        .name = "hf_rope",
        .aliases =
            "hf_rope_inv_freq hf_rope_cos_sin hf_rope_rotated hf_llama_rope hf_llama hf_mistral hf_qwen2 hf_qwen3 "
            "hf_phi hf_phi3 hf_gemma hf_gemma2 hf_gemma3 hf_gemma4 hf_olmo hf_stablelm hf_starcoder2 hf_falcon "
            "hf_persimmon hf_gpt_oss hf_smollm3 hf_granite hf_mixtral modeling_rope_utils",
        .summary = "Hugging Face, Llama and its family: halves, with every scaling of modeling_rope_utils",
        .repository = TRANSFORMERS,
        .path = "src/transformers/modeling_rope_utils.py; src/transformers/models/llama/modeling_llama.py",
        .function = "ROPE_INIT_FUNCTIONS, LlamaRotaryEmbedding, apply_rotary_pos_emb",
        .weaknesses =
            "Angles are float32 products: off by 2e-4 at position 10000. dynamic and longrope change all rows "
            "with the length of the sequence, so keys in a cache go stale.",
        .parameters = {HF_POSITIONS, HF_ROPE_PARAMETERS},
        .let = HF_ROPE_LET,
        .refuse = HF_ROPE_REFUSE,
        .positions = "positions",
        .length = "max_position_embeddings",
        .count = "d / 2",
        .theta = HF_ROPE_THETA,
        .amplitude = "amp",
        .nest = "caf",
        .components = "cs",
        .width = "d",
        .pairing = "half",
        .head_width = "head_dim",
        .output = "cos_sin",
        .published_theta = HF_ROPE_PUBLISHED,
        .published_angle = "f32(p) * theta",
    },
    {
        .name = "hf_cohere_rope",
        .aliases =
            "hf_cohere hf_cohere2_rope hf_ernie45_rope hf_ernie4_5_rope hf_ernie45 hf_ernie4_5 hf_glm_rope hf_glm "
            "hf_glm4_rope hf_glm4",
        .summary = "Hugging Face Cohere, Ernie 4.5, GLM: adjacent pairs, GLM the first part of the head only",
        .repository = TRANSFORMERS,
        .path = "src/transformers/models/cohere/modeling_cohere.py; "
                "src/transformers/models/ernie4_5/modeling_ernie4_5.py; src/transformers/models/glm/modeling_glm.py",
        .function = "apply_rotary_pos_emb",
        .weaknesses = "Pairs that are neighbours, in a library where nearly all others are halves.",
        .parameters = {HF_POSITIONS, HF_ROPE_PARAMETERS},
        .let = HF_ROPE_LET,
        .refuse = HF_ROPE_REFUSE,
        .positions = "positions",
        .length = "max_position_embeddings",
        .count = "d / 2",
        .theta = HF_ROPE_THETA,
        .amplitude = "amp",
        .nest = "afc",
        .components = "cs",
        .width = "d",
        .pairing = "pair",
        .head_width = "head_dim",
        .output = "rotated",
        .published_theta = HF_ROPE_PUBLISHED,
        .published_angle = "f32(p) * theta",
    },
    {
        .name = "hf_deepseek_v3_rope",
        .aliases =
            "hf_deepseek_v3 hf_deepseek_v2 hf_deepseek hf_deepseek_rope deepseek_v3_rope hf_deepseek_v3_interleave",
        .summary = "DeepSeek-V3 in Hugging Face: adjacent pairs read, the result left in halves",
        .repository = TRANSFORMERS,
        .path = "src/transformers/models/deepseek_v3/modeling_deepseek_v3.py",
        .function = "apply_rotary_pos_emb_interleave",
        .weaknesses = "The result is permuted against its input: scores are right only if q and k both went this way.",
        .parameters = {HF_POSITIONS, HF_ROPE_PARAMETERS},
        .let = HF_ROPE_LET,
        .refuse = HF_ROPE_REFUSE,
        .positions = "positions",
        .length = "max_position_embeddings",
        .count = "d / 2",
        .theta = HF_ROPE_THETA,
        .amplitude = "amp",
        .nest = "caf",
        .components = "cs",
        .width = "d",
        .pairing = "pair",
        .head_width = "head_dim",
        .result = "'half'",
        .output = "rotated",
        .published_theta = HF_ROPE_PUBLISHED,
        .published_angle = "f32(p) * theta",
    },
    {
        .name = "deepseek_reference_rope",
        .aliases = "deepseek_v3_reference_rope deepseek_v3_precompute_freqs_cis",
        .summary = "DeepSeek's own V3 code: adjacent pairs as complex numbers, YaRN beyond the original length",
        .repository = "deepseek-ai/DeepSeek-V3",
        .path = "inference/model.py",
        .function = "precompute_freqs_cis, apply_rotary_emb",
        .weaknesses = "The amplitude of YaRN is in the scale of the scores, not in the table.",
        .parameters = {{"positions", "null", "positions", "list of positions; null: max_seq_len rows"},
                       {"qk_rope_head_dim", "64", "dim", "columns that turn"},
                       {"max_seq_len", "16384", "length", "rows; YaRN if more than original_seq_len"},
                       {"rope_theta", "10000", "base", "> 0"},
                       {"original_seq_len", "4096", "", "context before scaling"},
                       {"rope_factor", "40", "", "of scaling"},
                       {"beta_fast", "32", "", "turns in the context, upper"},
                       {"beta_slow", "1", "", "turns in the context, lower"}},
        .let = "d = qk_rope_head_dim; scaled = max_seq_len > original_seq_len; "
               "lo = max(floor(d * log(original_seq_len / (beta_fast * 2 * pi)) / (2 * log(rope_theta))), 0); "
               "hi = min(ceil(d * log(original_seq_len / (beta_slow * 2 * pi)) / (2 * log(rope_theta))), d - 1); "
               "span = lo == hi ? 1 / 1000 : hi - lo",
        .refuse = "d % 2 == 1 => qk_rope_head_dim must be even",
        .positions = "positions",
        .length = "max_seq_len",
        .count = "d / 2",
        .theta = "rope_theta^(-2 * i / d) * (scaled ? 1 - (1 - 1 / rope_factor) * min(max((i - lo) / span, 0), 1) : 1)",
        .nest = "afc",
        .components = "cs",
        .width = "d",
        .pairing = "pair",
        .output = "cis",
    },
    {
        .name = "hf_gpt_neox_rope",
        .aliases = "hf_gpt_neox gpt_neox_rope hf_gptneox_rope hf_pythia_rope",
        .summary = "GPT-NeoX and Pythia: halves of the first quarter of each head",
        .repository = TRANSFORMERS,
        .path = "src/transformers/models/gpt_neox/modeling_gpt_neox.py",
        .function = "GPTNeoXRotaryEmbedding, apply_rotary_pos_emb",
        .weaknesses = "rotary_pct of a head whose share is odd loses a column to rounding down.",
        .parameters = {HF_POSITIONS,
                       {"head_dim", "64", "dim", "columns of a head"},
                       {"rotary_pct", "0.25", "", "share of head_dim that turns"},
                       {"rotary_ndims", "null", "", "columns that turn; null: by rotary_pct"},
                       {"rotary_emb_base", "10000", "base", "> 0"},
                       {"partial_rotary_factor", "null", "", "newer name of rotary_pct"},
                       {"rope_theta", "null", "", "newer name of rotary_emb_base"}},
        .let = "b = rope_theta == null ? rotary_emb_base : rope_theta; "
               "d = rotary_ndims != null ? rotary_ndims : "
               "floor(head_dim * (partial_rotary_factor == null ? rotary_pct : partial_rotary_factor) + 2^-30)",
        .refuse = "d % 2 == 1 => head_dim times rotary_pct must be even",
        .positions = "positions",
        .count = "d / 2",
        .theta = "b^(-2 * i / d)",
        .nest = "caf",
        .components = "cs",
        .width = "d",
        .pairing = "half",
        .head_width = "head_dim",
        .output = "rotated",
        .published_theta = "f32(1) / f32(b)^(f32(2 * i) / f32(d))",
        .published_angle = "f32(p) * theta",
    },
    {
        .name = "hf_gptj_rope",
        .aliases = "hf_gptj gptj_rope hf_gpt_j_rope hf_codegen_rope hf_codegen",
        .summary = "GPT-J and CodeGen: adjacent pairs of the first rotary_dim columns, base 10000",
        .repository = TRANSFORMERS,
        .path = "src/transformers/models/gptj/modeling_gptj.py",
        .function = "create_sinusoidal_positions, apply_rotary_pos_emb",
        .weaknesses = "The table is sines then cosines in halves, while the pairs are neighbours.",
        .parameters = {HF_POSITIONS,
                       {"dim", "64", "dim", "columns that turn"},
                       {"num_pos", "2048", "length", "rows"},
                       {"head_dim", "null", "", "columns of a head; null: dim"}},
        .let = "d = dim",
        .refuse = "d % 2 == 1 => dim must be even",
        .positions = "positions",
        .length = "num_pos",
        .count = "d / 2",
        .theta = "10000^(-2 * i / d)",
        .nest = "acf",
        .width = "d",
        .pairing = "pair",
        .head_width = "head_dim == null ? d : max(head_dim, d)",
        .output = "rotated",
        .published_theta = "f32(1) / f32(10000)^(f32(2 * i) / f32(d))",
        .published_angle = "f32(p) * theta",
    },
    {
        .name = "hf_roformer_rope",
        .aliases = "hf_roformer_rotary roformer_rope",
        .summary = "RoFormer: adjacent pairs, from a float64 table",
        .repository = TRANSFORMERS,
        .path = "src/transformers/models/roformer/modeling_roformer.py",
        .function = "RoFormerSinusoidalPositionalEmbedding, apply_rotary_position_embeddings",
        .weaknesses = "The table is sines then cosines in halves, while the pairs are neighbours.",
        .parameters = {HF_POSITIONS,
                       {"dim", "64", "dim", "columns of a head"},
                       {"num_positions", "1536", "length", "rows"}},
        .refuse = "dim % 2 == 1 => dim must be even",
        .positions = "positions",
        .length = "num_positions",
        .count = "dim / 2",
        .theta = "10000^(-2 * i / dim)",
        .nest = "acf",
        .width = "dim",
        .pairing = "pair",
        .output = "rotated",
    },
    {
        .name = "hf_qwen2vl_mrope",
        .aliases = "hf_qwen2vl hf_qwen2_vl_mrope hf_qwen2_vl hf_qwen2_5_vl hf_qwen25vl_mrope hf_qwen2_5_omni_mrope",
        .summary = "Qwen2-VL text: halves, frequencies in sections driven by time, height, width",
        .repository = TRANSFORMERS,
        .path = "src/transformers/models/qwen2_vl/modeling_qwen2_vl.py",
        .function = "apply_multimodal_rotary_pos_emb",
        .weaknesses = "Height and width get the middle and low frequencies only, which small grids hardly turn.",
        .parameters = {{"positions_thw", "null", "positions", "(n, 3): time, height, width"},
                       {"positions", "null", "", "(n): the same for all three"},
                       {"mrope_section", "[16, 24, 24]", "", "frequencies of time, height, width"},
                       HF_ROPE_PARAMETERS},
        .let = HF_ROPE_LET,
        .refuse = HF_ROPE_REFUSE
        "; sum(mrope_section) != d / 2 => mrope_section must add up to half of the columns that turn",
        .positions = "positions_thw == null ? positions : positions_thw",
        .length = "max_position_embeddings",
        .coordinates = THW_COORDINATES,
        .count = "d / 2",
        .axis = "i < mrope_section[0] ? 0 : i < mrope_section[0] + mrope_section[1] ? 1 : 2",
        .theta = HF_ROPE_THETA,
        .amplitude = "amp",
        .nest = "caf",
        .components = "cs",
        .width = "d",
        .pairing = "half",
        .head_width = "head_dim",
        .output = "rotated",
        .published_theta = HF_ROPE_PUBLISHED,
        .published_angle = "f32(p) * theta",
    },
    {
        .name = "hf_glm4v_mrope",
        .aliases = "hf_glm4v_rope hf_glm4v hf_glm_4v_mrope",
        .summary = "GLM-4V text: as Qwen2-VL, with adjacent pairs",
        .repository = TRANSFORMERS,
        .path = "src/transformers/models/glm4v/modeling_glm4v.py",
        .function = "apply_multimodal_rotary_pos_emb",
        .weaknesses = "",
        .parameters = {{"positions_thw", "null", "positions", "(n, 3): time, height, width"},
                       {"positions", "null", "", "(n): the same for all three"},
                       {"mrope_section", "[8, 12, 12]", "", "frequencies of time, height, width"},
                       HF_ROPE_PARAMETERS},
        .let = HF_ROPE_LET,
        .refuse = HF_ROPE_REFUSE
        "; sum(mrope_section) != d / 2 => mrope_section must add up to half of the columns that turn",
        .positions = "positions_thw == null ? positions : positions_thw",
        .length = "max_position_embeddings",
        .coordinates = THW_COORDINATES,
        .count = "d / 2",
        .axis = "i < mrope_section[0] ? 0 : i < mrope_section[0] + mrope_section[1] ? 1 : 2",
        .theta = HF_ROPE_THETA,
        .amplitude = "amp",
        .nest = "afc",
        .components = "cs",
        .width = "d",
        .pairing = "pair",
        .head_width = "head_dim",
        .output = "rotated",
    },
    {
        .name = "hf_qwen3vl_imrope",
        .aliases = "hf_qwen3vl hf_qwen3_vl hf_qwen3vl_mrope hf_qwen3_vl_imrope hf_qwen3_5_imrope",
        .summary = "Qwen3-VL text: halves, frequencies dealt to time, height, width in turn",
        .repository = TRANSFORMERS,
        .path = "src/transformers/models/qwen3_vl/modeling_qwen3_vl.py",
        .function = "Qwen3VLTextRotaryEmbedding, apply_interleaved_mrope",
        .weaknesses = "Sections that are not equal are not kept exactly: what does not fit stays with time.",
        .parameters = {{"positions_thw", "null", "positions", "(n, 3): time, height, width"},
                       {"positions", "null", "", "(n): the same for all three"},
                       {"mrope_section", "[24, 20, 20]", "", "frequencies of time, height, width"},
                       HF_ROPE_PARAMETERS},
        .let = HF_ROPE_LET,
        .refuse = HF_ROPE_REFUSE,
        .positions = "positions_thw == null ? positions : positions_thw",
        .length = "max_position_embeddings",
        .coordinates = THW_COORDINATES,
        .count = "d / 2",
        .axis = "i % 3 == 1 and i < 3 * mrope_section[1] ? 1 : i % 3 == 2 and i < 3 * mrope_section[2] ? 2 : 0",
        .theta = HF_ROPE_THETA,
        .amplitude = "amp",
        .nest = "caf",
        .components = "cs",
        .width = "d",
        .pairing = "half",
        .head_width = "head_dim",
        .output = "cos_sin",
        .published_theta = HF_ROPE_PUBLISHED,
        .published_angle = "f32(p) * theta",
    },
    {
        .name = "hf_ernie45vl_rope",
        .aliases = "hf_ernie45vl hf_ernie4_5_vl hf_ernie45_vl_rope hf_ernie4_5_vl_moe_rope vllm_ernie45_vl_rope",
        .summary = "Ernie 4.5 VL text: adjacent pairs, height and width alternate, time has the lowest frequencies",
        .repository = TRANSFORMERS,
        .path = "src/transformers/models/ernie4_5_vl_moe/modeling_ernie4_5_vl_moe.py",
        .function = "Ernie4_5_VL_MoeTextRotaryEmbedding",
        .weaknesses = "The order of the sections is height, width, time, unlike Qwen's.",
        .parameters = {{"positions_thw", "null", "positions", "(n, 3): time, height, width"},
                       {"positions", "null", "", "(n): the same for all three"},
                       {"mrope_section_hwt", "[22, 22, 20]", "", "frequencies of height, width, time"},
                       {"mrope_section", "null", "", "another name of mrope_section_hwt"},
                       HF_ROPE_PARAMETERS},
        .let = HF_ROPE_LET "; section = mrope_section == null ? mrope_section_hwt : mrope_section",
        .refuse = HF_ROPE_REFUSE,
        .positions = "positions_thw == null ? positions : positions_thw",
        .length = "max_position_embeddings",
        .coordinates = THW_COORDINATES,
        .count = "d / 2",
        .axis = "i >= d / 2 - section[2] ? 0 : 1 + i % 2",
        .theta = HF_ROPE_THETA,
        .amplitude = "amp",
        .nest = "afc",
        .components = "cs",
        .width = "d",
        .pairing = "pair",
        .head_width = "head_dim",
        .output = "cos_sin",
        .published_theta = HF_ROPE_PUBLISHED,
        .published_angle = "f32(p) * theta",
    },
    {
        .name = "hf_qwen2vl_vision_rope",
        .aliases = "hf_qwen2_vl_vision_rope hf_qwen2vl_vision hf_qwen2_5_vl_vision_rope hf_qwen25vl_vision_rope "
                   "hf_qwen3vl_vision_rope hf_qwen3_vl_vision_rope",
        .summary = "Qwen2-VL vision: halves, the ladder restarted for height and for width",
        .repository = TRANSFORMERS,
        .path = "src/transformers/models/qwen2_vl/modeling_qwen2_vl.py",
        .function = "VisionRotaryEmbedding, rot_pos_emb, apply_rotary_pos_emb_vision",
        .weaknesses = "In the model rows come in blocks of spatial_merge_size squared, not row by row.",
        .parameters = {{"grid", "[16, 16]", "grid", "height, width in patches"},
                       {"head_dim", "80", "dim", "columns of a head"},
                       {"theta", "10000", "base", "> 0"},
                       {"spatial_merge_size", "1", "", "side of the blocks that rows come in; 1: row by row"}},
        .let = "m = spatial_merge_size; h = grid[0]; w = grid[1]",
        .refuse = "head_dim % 4 != 0 => head_dim must be a multiple of 4; "
                  "h % m != 0 or w % m != 0 => the grid must be a multiple of spatial_merge_size",
        .grid = "h / m, w / m, m, m",
        .coordinates = "m == 1 => g0, g1; 1 => m * g0 + g2, m * g1 + g3",
        .count = "head_dim / 4",
        .theta = "theta^(-4 * i / head_dim)",
        .nest = "caf",
        .components = "cs",
        .width = "head_dim",
        .pairing = "half",
        .output = "cos_sin",
        .published_theta = "f32(1) / f32(theta)^(f32(4 * i) / f32(head_dim))",
        .published_angle = "f32(p) * theta",
    },
    {
        .name = "hf_pixtral_rope",
        .aliases = "hf_pixtral pixtral_rope hf_mistral3_vision_rope",
        .summary = "Pixtral: halves, one ladder dealt to height (even) and width (odd)",
        .repository = TRANSFORMERS,
        .path = "src/transformers/models/pixtral/modeling_pixtral.py",
        .function = "PixtralRotaryEmbedding",
        .weaknesses = "Height turns faster than width, by theta^(2 / head_dim).",
        .parameters = {{"positions", "null", "positions", "(n, 2): row, column"},
                       {"grid", "null", "grid", "height, width in patches; null: by image_size"},
                       {"head_dim", "64", "dim", "columns of a head"},
                       {"rope_theta", "10000", "base", "> 0"},
                       {"image_size", "1024", "", "pixels"},
                       {"patch_size", "16", "", "pixels"}},
        .let = "d = head_dim; side = floor(image_size / patch_size)",
        .refuse = "d % 4 != 0 => head_dim must be a multiple of 4",
        .positions = "positions",
        .grid = "grid == null ? [side, side] : grid",
        .count = "d / 4",
        .theta = "rope_theta^(-2 * (2 * i + a) / d)",
        .nest = "caf",
        .components = "cs",
        .width = "d",
        .pairing = "half",
        .output = "cos_sin",
        .published_theta = "f32(1) / f32(rope_theta)^(f32(2 * (2 * i + a)) / f32(d))",
        .published_angle = "f32(p) * theta",
    },
    {
        .name = "mistral_vision_rope",
        .aliases = "pixtral_reference_rope precompute_freqs_cis_2d",
        .summary = "Mistral's own Pixtral: adjacent pairs, one ladder dealt to height and width",
        .repository = "mistralai/mistral-inference",
        .path = "src/mistral_inference/rope.py",
        .function = "precompute_freqs_cis_2d",
        .weaknesses = "Height turns faster than width, by theta^(2 / dim).",
        .parameters = {{"positions", "null", "positions", "(n, 2): row, column"},
                       {"dim", "64", "dim", "columns of a head"},
                       {"height", "64", "", "patches"},
                       {"width", "64", "", "patches"},
                       {"theta", "10000", "base", "> 0"}},
        .refuse = "dim % 4 != 0 => dim must be a multiple of 4",
        .positions = "positions",
        .grid = "height, width",
        .count = "dim / 4",
        .theta = "theta^(-2 * (2 * i + a) / dim)",
        .nest = "afc",
        .components = "cs",
        .width = "dim",
        .pairing = "pair",
        .output = "cis",
    },
    {
        .name = "hf_llama4_vision_rope",
        .aliases = "hf_llama4_vision llama4_vision_rope llama4_vision vllm_llama4_vision_rope",
        .summary =
            "Llama 4 vision: adjacent pairs, columns then rows of the grid from 1 on, the class token last and still",
        .repository = TRANSFORMERS,
        .path = "src/transformers/models/llama4/modeling_llama4.py",
        .function = "Llama4VisionRotaryEmbedding, vision_apply_rotary_emb",
        .weaknesses = "Positions start at 1, so that the still class token differs from the first patch.",
        .parameters = {{"image_size", "336", "", "pixels"},
                       {"patch_size", "14", "", "pixels"},
                       {"hidden_size", "1408", "", "of the model"},
                       {"num_attention_heads", "16", "", "heads"},
                       {"head_dim", "null", "dim", "columns of a head; null: hidden_size / num_attention_heads"},
                       {"rope_theta", "10000", "base", "> 0"},
                       {"grid", "null", "grid", "height, width in patches; null: by image_size"}},
        .let = "d = head_dim == null ? floor(hidden_size / num_attention_heads) : head_dim; "
               "side = floor(image_size / patch_size); h = floor(d / 2)",
        .refuse = "d % 4 != 0 => a head must have a multiple of 4 columns",
        .grid = "grid == null ? [side, side] : grid",
        .coordinates = "g1 + 1, g0 + 1",
        .still_rows_last = "1",
        .count = "h / 2",
        .theta = "rope_theta^(-2 * i / h)",
        .nest = "afc",
        .components = "cs",
        .width = "d",
        .pairing = "pair",
        .output = "cis",
        .published_theta = "f32(1) / f32(rope_theta)^(f32(2 * i) / f32(h))",
        .published_angle = "f32(p) * theta",
    },
    {
        .name = "hf_llama4_rope",
        .aliases = "hf_llama4 hf_llama4_text hf_llama4_text_rope",
        .summary = "Llama 4 text: adjacent pairs as complex numbers, scaled as Llama 3",
        .repository = TRANSFORMERS,
        .path = "src/transformers/models/llama4/modeling_llama4.py",
        .function = "Llama4TextRotaryEmbedding, apply_rotary_emb",
        .weaknesses = "Every fourth layer has no positions at all.",
        .parameters = {HF_POSITIONS, HF_ROPE_PARAMETERS},
        .let = HF_ROPE_LET,
        .refuse = HF_ROPE_REFUSE,
        .positions = "positions",
        .length = "max_position_embeddings",
        .count = "d / 2",
        .theta = HF_ROPE_THETA,
        .amplitude = "amp",
        .nest = "afc",
        .components = "cs",
        .width = "d",
        .pairing = "pair",
        .head_width = "head_dim",
        .output = "cis",
        .published_theta = HF_ROPE_PUBLISHED,
        .published_angle = "f32(p) * theta",
    },
    {
        .name = "hf_sam2_rope",
        .aliases = "sam2_rope hf_sam2_video_rope compute_axial_cis hf_sam2_vision_rope hf_sam2_video_vision_rope",
        .summary = "SAM 2 memory attention: adjacent pairs, columns of the grid then rows",
        .repository = TRANSFORMERS,
        .path = "src/transformers/models/sam2_video/modeling_sam2_video.py; sam2/modeling/position_encoding.py",
        .function = "Sam2VideoVisionRotaryEmbedding, compute_axial_cis",
        .weaknesses = "",
        .parameters = {{"dim", "64", "dim", "columns of a head"},
                       {"end_x", "64", "", "columns of the grid"},
                       {"end_y", "64", "", "rows of the grid"},
                       {"theta", "10000", "base", "> 0"}},
        .let = "d = dim; b = theta",
        .refuse = "d % 4 != 0 => dim must be a multiple of 4",
        .grid = "end_y, end_x",
        .coordinates = "g1, g0",
        .count = "d / 4",
        .theta = "b^(-4 * i / d)",
        .nest = "afc",
        .components = "cs",
        .width = "d",
        .pairing = "pair",
        .output = "cis",
        .published_theta = "f32(1) / f32(b)^(f32(4 * i) / f32(d))",
        .published_angle = "f32(p) * theta",
    },
    {
        .name = "hf_dinov3_rope",
        .aliases = "hf_dinov3 hf_dinov3_vit_rope hf_dinov3_vit",
        .summary = "DINOv3 in Hugging Face: halves, centres of patches in (-1, 1), height then width",
        .repository = TRANSFORMERS,
        .path = "src/transformers/models/dinov3_vit/modeling_dinov3_vit.py",
        .function = "DINOv3ViTRopePositionEmbedding",
        .weaknesses = "Positions depend on the size of the grid: a patch has other angles in a larger image.",
        .parameters = {{"head_dim", "64", "dim", "columns of a head"},
                       {"rope_theta", "100", "base", "> 0"},
                       {"num_patches_h", "14", "", "rows of the grid"},
                       {"num_patches_w", "14", "", "columns of the grid"}},
        .refuse = "head_dim % 4 != 0 => head_dim must be a multiple of 4",
        .grid = "num_patches_h, num_patches_w",
        .coordinates = "2 * (g0 + 1 / 2) / size0 - 1, 2 * (g1 + 1 / 2) / size1 - 1",
        .count = "head_dim / 4",
        .turns = "rope_theta^(-4 * i / head_dim)",
        .nest = "caf",
        .components = "cs",
        .width = "head_dim",
        .pairing = "half",
        .output = "cos_sin",
    },
    {
        .name = "dinov3_rope",
        .aliases = "dinov3 RopePositionEmbedding",
        .summary = "DINOv3: halves, centres of patches in (-1, 1), whole turns over periods; sines first",
        .repository = "facebookresearch/dinov3",
        .path = "dinov3/layers/rope_position_encoding.py",
        .function = "RopePositionEmbedding",
        .weaknesses = "The released weights keep the periods in bfloat16, so their angles differ from these.",
        .parameters = {{"embed_dim", "768", "", "columns of all heads"},
                       {"num_heads", "12", "", "heads"},
                       {"base", "null", "base", "of the periods; null: 100 unless both periods are given"},
                       {"min_period", "null", "", "shortest period"},
                       {"max_period", "null", "", "longest period"},
                       {"normalize_coords", "\"separate\"", "", "separate, max, min: by which size of the grid"},
                       {"H", "14", "", "rows of the grid"},
                       {"W", "14", "", "columns of the grid"}},
        .let = "d = floor(embed_dim / num_heads); by_periods = min_period != null and max_period != null; "
               "b = base == null ? 100 : base; "
               "nh = normalize_coords == 'max' ? max(H, W) : normalize_coords == 'min' ? min(H, W) : H; "
               "nw = normalize_coords == 'max' ? max(H, W) : normalize_coords == 'min' ? min(H, W) : W",
        .refuse = "embed_dim % (4 * num_heads) != 0 => embed_dim must be a multiple of 4 num_heads; "
                  "base != null and by_periods => base and both periods exclude each other; "
                  "not (normalize_coords == 'separate' or normalize_coords == 'max' or normalize_coords == 'min') => "
                  "normalize_coords must be separate, max or min",
        .grid = "H, W",
        .coordinates = "2 * (g0 + 1 / 2) / nh - 1, 2 * (g1 + 1 / 2) / nw - 1",
        .count = "d / 4",
        .turns = "by_periods ? 1 / (min_period * (max_period / min_period)^(i / max(n - 1, 1))) : b^(-4 * i / d)",
        .nest = "caf",
        .width = "d",
        .pairing = "half",
        .output = "sin_cos",
    },
    {
        .name = "nanochat_rope",
        .aliases = "nanochat nanogpt_speedrun_rope modded_nanogpt_rope",
        .summary = "nanochat: halves, the angle negated",
        .repository = "karpathy/nanochat",
        .path = "nanochat/gpt.py",
        .function = "_precompute_rotary_embeddings, apply_rotary_emb",
        .weaknesses = "Turns the other way: scores are the same, but a table of another code does not fit its weights.",
        .parameters = {HF_POSITIONS,
                       {"head_dim", "128", "dim", "columns of a head"},
                       {"seq_len", "10240", "length", "rows"},
                       {"base", "10000", "base", "> 0"}},
        .let = "d = head_dim",
        .refuse = "d % 2 == 1 => head_dim must be even",
        .positions = "positions",
        .length = "seq_len",
        .count = "d / 2",
        .theta = "base^(-2 * i / d)",
        .nest = "caf",
        .components = "cs",
        .width = "d",
        .pairing = "half",
        .sign = "-1",
        .output = "rotated",
        .published_theta = "f32(1) / f32(base)^(f32(2 * i) / f32(d))",
        .published_angle = "f32(p) * theta",
    },
    {
        .name = "gpt_oss_rope",
        .aliases = "gpt_oss_reference_rope openai_gpt_oss_rope",
        .summary = "gpt-oss: halves, YaRN with bounds that are not rounded",
        .repository = "openai/gpt-oss",
        .path = "gpt_oss/torch/model.py",
        .function = "RotaryEmbedding",
        .weaknesses = "Its bounds differ from those of YaRN elsewhere, which rounds them outwards.",
        .parameters = {HF_POSITIONS,
                       {"head_dim", "64", "dim", "columns of a head"},
                       {"base", "150000", "base", "> 0"},
                       {"initial_context_length", "4096", "", "context before scaling"},
                       {"scaling_factor", "32", "", "of scaling; 1: none"},
                       {"ntk_alpha", "1", "", "turns in the context, lower"},
                       {"ntk_beta", "32", "", "turns in the context, upper"}},
        .let = "d = head_dim; f = scaling_factor; "
               "lo = d / 2 * log(initial_context_length / (ntk_beta * 2 * pi)) / log(base); "
               "hi = d / 2 * log(initial_context_length / (ntk_alpha * 2 * pi)) / log(base)",
        .refuse = "d % 2 == 1 => head_dim must be even; "
                  "f > 1 and not (0 < lo and lo < hi and hi < d / 2 - 1) => the bounds of YaRN must lie within the "
                  "frequencies, as the source asserts",
        .positions = "positions",
        .count = "d / 2",
        .theta = "base^(-2 * i / d) * (f > 1 ? 1 - (1 - 1 / f) * min(max((i - lo) / (hi - lo), 0), 1) : 1)",
        .amplitude = "f > 1 ? 1 + log(f) / 10 : 1",
        .nest = "caf",
        .components = "cs",
        .width = "d",
        .pairing = "half",
        .output = "rotated",
    },
    {
        .name = "vllm_rope",
        .aliases =
            "vllm_rotary vllm_rotary_embedding vllm_linear_scaling_rope vllm_dynamic_ntk_scaling_rope "
            "vllm_dynamic_ntk_alpha_rope vllm_ntk_scaling_rope vllm_yarn_scaling_rope vllm_deepseek_scaling_rope "
            "vllm_llama3_rope vllm_phi3_long_rope_scaled_rope",
        .summary = "vLLM: a cache of cosines, then sines; all its scalings",
        .repository = "vllm-project/vllm",
        .path = "vllm/model_executor/layers/rotary_embedding",
        .function = "RotaryEmbedding and its scaled kinds; scaling names one, else the parameters tell",
        .weaknesses =
            "The cache is cast to the type of the model. dynamic_ntk does not depend on the length that there "
            "is: it always stands at scaling_factor times the context. A scaling_factor alone is taken for "
            "yarn where max_position exceeds 2 pi, else for dynamic_ntk: scaling says which.",
        .parameters = {{"rotary_dim", "128", "dim", "columns that turn"},
                       {"head_size", "null", "", "columns of a head; null: rotary_dim"},
                       {"max_position", "null", "", "context before scaling; null: max_position_embeddings"},
                       {"max_position_embeddings", "2048", "", "the same"},
                       {"base", "10000", "base", "> 0"},
                       {"is_neox_style", "true", "", "halves; false: adjacent pairs"},
                       {"scaling", "null", "",
                        "default linear dynamic_ntk dynamic_ntk_alpha ntk yarn deepseek_yarn llama3 longrope"},
                       {"scaling_factor", "null", "", "of scaling; a list: linear"},
                       {"scaling_factors", "null", "", "of linear scaling"},
                       {"scaling_alpha", "null", "", "dynamic_ntk_alpha"},
                       {"mixed_b", "null", "", "ntk: exponent of the mixed kind; null: fixed"},
                       {"extrapolation_factor", "null", "", "yarn: share of the ramp; null: 1"},
                       {"attn_factor", "null", "", "yarn: factor on the amplitude; null: 1"},
                       {"attention_factor", "null", "", "yarn: the amplitude itself"},
                       {"beta_fast", "32", "", "yarn: turns in the context, upper"},
                       {"beta_slow", "1", "", "yarn: turns in the context, lower"},
                       {"truncate", "true", "", "yarn: bounds of the ramp are whole"},
                       {"mscale", "null", "", "deepseek_yarn: amplitude; null: 1"},
                       {"mscale_all_dim", "null", "", "deepseek_yarn: its divisor; null: 0"},
                       {"low_freq_factor", "null", "", "llama3: turns in the context, lower"},
                       {"high_freq_factor", "null", "", "llama3: turns in the context, upper"},
                       {"orig_max_position", "null", "", "llama3: context before scaling"},
                       {"original_max_position_embeddings", "null", "", "longrope: context before scaling"},
                       {"short_factor", "null", "", "longrope: divisors up to the original context"},
                       {"long_factor", "null", "", "longrope: and beyond it"},
                       {"short_mscale", "null", "", "longrope: amplitude up to the original context"},
                       {"long_mscale", "null", "", "longrope: and beyond it"},
                       {"max_model_len", "null", "", "longrope: long if beyond the original context; null: short"}},
        .let = "d = rotary_dim; L = max_position == null ? max_position_embeddings : max_position; "
               "given_factor = scaling_factors != null ? scaling_factors : scaling_factor; "
               "f = given_factor == null ? 1 : is_list(given_factor) ? given_factor[0] : given_factor; "
               "kind = scaling != null ? scaling : short_factor != null or long_factor != null ? 'longrope' : "
               "low_freq_factor != null or high_freq_factor != null ? 'llama3' : "
               "scaling_alpha != null ? 'dynamic_ntk_alpha' : "
               "mscale != null or mscale_all_dim != null ? 'deepseek_yarn' : given_factor == null ? 'default' : "
               "is_list(given_factor) or scaling_factors != null ? 'linear' : "
               "mixed_b != null or max_position == null ? 'ntk' : "
               "extrapolation_factor != null or attn_factor != null or attention_factor != null or L > 2 * pi ? 'yarn' "
               ": 'dynamic_ntk'; "
               "is_yarn = kind == 'yarn' or kind == 'deepseek_yarn'; "
               "low = is_yarn ? d * log(L / (beta_fast * 2 * pi)) / (2 * log(base)) : 0; "
               "high = is_yarn ? d * log(L / (beta_slow * 2 * pi)) / (2 * log(base)) : 1; "
               "lo = max(truncate ? floor(low) : low, 0); hi = min(truncate ? ceil(high) : high, d - 1); "
               "span = lo == hi ? 1 / 1000 : hi - lo; "
               "share = extrapolation_factor == null ? 1 : extrapolation_factor; "
               "k = f > 1 ? log(f) / 10 : 0; attn = attn_factor == null ? 1 : attn_factor; "
               "b = kind == 'dynamic_ntk' ? base * (f * f - f + 1)^(d / (d - 2)) : "
               "kind == 'dynamic_ntk_alpha' ? base * scaling_alpha^(d / (d - 2)) : base; "
               "low_turns = low_freq_factor == null ? 1 : low_freq_factor; "
               "high_turns = high_freq_factor == null ? 4 : high_freq_factor; "
               "L0 = kind == 'longrope' ? original_max_position_embeddings : "
               "orig_max_position != null ? orig_max_position : L; "
               "is_long = max_model_len != null and L0 != null and max_model_len > L0; "
               "ext = short_factor == null or is_long ? long_factor : short_factor; "
               "longrope_scale = kind == 'longrope' and L > L0 ? sqrt(1 + log(L / L0) / log(L0)) : 1; "
               "amp = kind == 'yarn' ? (attention_factor != null ? attention_factor : 1 + k) * attn : "
               "kind == 'deepseek_yarn' ? (1 + (mscale == null ? 1 : mscale) * k) / "
               "(1 + (mscale_all_dim == null ? 0 : mscale_all_dim) * k) * attn : "
               "kind == 'longrope' ? (is_long ? (long_mscale == null ? longrope_scale : long_mscale) : "
               "(short_mscale == null ? longrope_scale : short_mscale)) : 1",
        .refuse =
            "d % 2 == 1 => rotary_dim must be even; "
            "not (kind == 'default' or kind == 'linear' or kind == 'dynamic_ntk' or kind == 'dynamic_ntk_alpha' or "
            "kind == 'ntk' or is_yarn or kind == 'llama3' or kind == 'longrope') => scaling must be default, linear, "
            "dynamic_ntk, dynamic_ntk_alpha, ntk, yarn, deepseek_yarn, llama3 or longrope; "
            "kind == 'llama3' and low_turns == high_turns => low_freq_factor and high_freq_factor must differ; "
            "kind == 'longrope' and not is_neox_style => longrope is for is_neox_style alone; "
            "kind == 'longrope' and len(ext) != d / 2 => short_factor and long_factor must have a number for each "
            "frequency",
        .length = "kind == 'default' or kind == 'dynamic_ntk_alpha' or kind == 'llama3' or kind == 'longrope' ? L : "
                  "ceil(L * f)",
        .count = "d / 2",
        .theta = "kind == 'linear' ? b^(-2 * i / d) / f : "
                 "kind == 'ntk' ? (mixed_b == null ? (b * f)^(-2 * i / d) / f^(2 / d) : "
                 "b^(-2 * i / d) / exp(log(f) * ((i + 1) / (d / 2))^mixed_b)) : "
                 "is_yarn ? b^(-2 * i / d) * (1 / f + (1 - 1 / f) * (1 - min(max((i - lo) / span, 0), 1)) * share) : "
                 "kind == 'llama3' ? b^(-2 * i / d) * (1 / f + (1 - 1 / f) * min(max((L0 * b^(-2 * i / d) / (2 * pi) - "
                 "low_turns) / (high_turns - low_turns), 0), 1)) : "
                 "kind == 'longrope' ? b^(-2 * i / d) / ext[i] : b^(-2 * i / d)",
        .amplitude = "amp",
        .nest = "acf",
        .components = "cs",
        .width = "d",
        .pairing = "is_neox_style ? 'half' : 'pair'",
        .head_width = "head_size == null ? d : head_size",
        .output = "table",
        .published_theta = "kind == 'default' ? f32(1) / f32(b)^(f32(2 * i) / f32(d)) : null",
        .published_angle = "f32(p) * theta",
    },
    {
        .name = "vllm_mrope",
        .aliases = "vllm_mrope_rope vllm_mrotary_embedding",
        .summary = "vLLM, several coordinates: sections or dealt in turn",
        .repository = "vllm-project/vllm",
        .path = "vllm/model_executor/layers/rotary_embedding/mrope.py",
        .function = "MRotaryEmbedding",
        .weaknesses = "The cache is cast to the type of the model.",
        .parameters = {{"positions", "null", "positions", "(n, 3): time, height, width; (n): the same for all"},
                       {"rotary_dim", "128", "dim", "columns that turn"},
                       {"head_size", "null", "", "columns of a head; null: rotary_dim"},
                       {"max_position", "2048", "length", "rows"},
                       {"base", "10000", "base", "> 0"},
                       {"is_neox_style", "true", "", "halves; false: adjacent pairs"},
                       {"mrope_section", "[16, 24, 24]", "", "frequencies of time, height, width"},
                       {"mrope_interleaved", "false", "", "frequencies dealt in turn"}},
        .let = "d = rotary_dim; s = mrope_section",
        .refuse =
            "d % 2 == 1 => rotary_dim must be even; sum(s) != d / 2 => mrope_section must add up to rotary_dim / 2",
        .positions = "positions",
        .length = "max_position",
        .coordinates = THW_COORDINATES,
        .count = "d / 2",
        .axis = "mrope_interleaved ? (i % 3 == 1 and i < 3 * s[1] ? 1 : i % 3 == 2 and i < 3 * s[2] ? 2 : 0) : "
                "i < s[0] ? 0 : i < s[0] + s[1] ? 1 : 2",
        .theta = "base^(-2 * i / d)",
        .nest = "caf",
        .components = "cs",
        .width = "d",
        .pairing = "is_neox_style ? 'half' : 'pair'",
        .head_width = "head_size == null ? d : head_size",
        .output = "rotated",
        .published_theta = "f32(1) / f32(base)^(f32(2 * i) / f32(d))",
        .published_angle = "f32(p) * theta",
    },
    {
        .name = "ggml_rope",
        .aliases = "ggml_rope_ext ggml_rope_multi llama_cpp_rope",
        .summary = "ggml and llama.cpp: modes 0 pairs, 2 halves, 8 sections, 24 vision, 40 dealt in turn; YaRN",
        .repository = "ggml-org/ggml",
        .path = "src/ggml-cpu/ops.cpp",
        .function = "ggml_rope_ext, ggml_rope_multi",
        .weaknesses =
            "The angle is a float32 product repeated from frequency to frequency: off by 2e-4 at position 10000. "
            "Which mode a model needs stands in no field of a GGUF file.",
        .parameters = {{"positions", "null", "positions", "whole numbers; from mode 8 on 4 n of them, t.. h.. w.. e.."},
                       {"mode", "0", "", "0, 2, 8, 24, 40"},
                       {"n_dims", "64", "dim", "columns that turn; vision: half the head"},
                       {"ne0", "null", "", "columns of a head; null: those that turn"},
                       {"n_offs", "0", "", "first column that turns"},
                       {"sec", "null", "", "sections: frequencies of the four coordinates"},
                       {"sections", "null", "", "the same"},
                       {"ff", "null", "", "freq_factors: divisor of each frequency"},
                       {"freq_factors", "null", "", "the same"},
                       {"base", "10000", "base", "freq_base"},
                       {"freq_base", "null", "", "the same"},
                       {"scale", "1", "", "freq_scale: factor on the angle"},
                       {"freq_scale", "null", "", "the same"},
                       {"ext", "0", "", "ext_factor: share of YaRN's ramp; 0: no YaRN"},
                       {"ext_factor", "null", "", "the same"},
                       {"attn", "1", "amplitude", "attn_factor: amplitude"},
                       {"attn_factor", "null", "", "the same"},
                       {"bf", "32", "", "beta_fast: turns in the context, upper"},
                       {"beta_fast", "null", "", "the same"},
                       {"bs", "1", "", "beta_slow: turns in the context, lower"},
                       {"beta_slow", "null", "", "the same"},
                       {"nco", "0", "", "n_ctx_orig: context before scaling"},
                       {"n_ctx_orig", "null", "", "the same"}},
        .let = "d = n_dims; s = sections != null ? sections : sec; q = freq_factors != null ? freq_factors : ff; "
               "b = freq_base == null ? base : freq_base; fs = freq_scale == null ? scale : freq_scale; "
               "share = ext_factor == null ? ext : ext_factor; m = attn_factor == null ? attn : attn_factor; "
               "fast = beta_fast == null ? bf : beta_fast; slow = beta_slow == null ? bs : beta_slow; "
               "L0 = n_ctx_orig == null ? nco : n_ctx_orig; is_vision = mode == 24; is_multi = mode >= 8; "
               "nf = is_vision ? d : d / 2; "
               "lo = share == 0 ? 0 : max(floor(d * log(L0 / (fast * 2 * pi)) / (2 * log(b))), 0); "
               "hi = share == 0 ? 1 : min(ceil(d * log(L0 / (slow * 2 * pi)) / (2 * log(b))), d - 1); "
               "span = max(hi - lo, 1 / 1000); "
               "all = s == null ? 1 : s[0] + s[1] + s[2] + s[3]",
        .refuse =
            "not (mode == 0 or mode == 2 or mode == 8 or mode == 24 or mode == 40) => mode must be 0, 2, 8, 24 or 40; "
            "d % 2 == 1 => n_dims must be even; "
            "is_multi and s == null => sections must be given for this mode; "
            "is_multi and all == 0 => sections must not all be 0; "
            "is_vision and ne0 != null and ne0 != 2 * d => n_dims must be half of ne0 in mode 24; "
            "share != 0 and L0 <= 0 => n_ctx_orig must be given with ext_factor; "
            "q != null and len(q) < nf => freq_factors must have a number for each frequency",
        .positions = "is_multi and positions != null and dims(positions) == 1 ? columns(positions, 4) : positions",
        .coordinates = "is_multi and G == 4 => g0, g1, g2, g3; is_multi and G == 3 => g0, g1, g2, 0; "
                       "is_multi and G == 1 => g0, g0, g0, 0; G == 1 => g0",
        .count = "nf",
        .axis = "not is_multi ? 0 : mode == 40 ? (i % all % 3 == 1 and i % all < 3 * s[1] ? 1 : "
                "i % all % 3 == 2 and i % all < 3 * s[2] ? 2 : i % all % 3 == 0 and i % all < 3 * s[0] ? 0 : 3) : "
                "i % all < s[0] ? 0 : i % all < s[0] + s[1] ? 1 : i % all < s[0] + s[1] + s[2] ? 2 : 3",
        .theta = "b^(-2 * (not is_vision ? i : i % all < s[0] ? i % all : i % all < s[0] + s[1] ? i % all - s[0] : "
                 "i % all < s[0] + s[1] + s[2] ? i % all - s[0] - s[1] : i % all - s[0] - s[1] - s[2]) / d) / "
                 "(q == null ? 1 : q[i]) * (share == 0 ? fs : "
                 "fs + (1 - fs) * (1 - min(max((i - lo) / span, 0), 1)) * share)",
        .amplitude = "share == 0 ? m : m * (1 - log(fs) / 10)",
        .nest = "caf",
        .components = "cs",
        .width = "2 * nf",
        .pairing = "mode == 0 ? 'pair' : 'half'",
        .rotary_first = "n_offs",
        .head_width = "ne0 == null ? n_offs + 2 * nf : ne0",
        .output = "rotated",
    },
    {
        .name = "mlx_rope",
        .aliases = "mlx_fast_rope mlx_rope_traditional",
        .summary = "MLX: halves, or adjacent pairs if traditional, of the first dims columns",
        .repository = "ml-explore/mlx",
        .path = "mlx/fast.cpp",
        .function = "fast::rope",
        .weaknesses = "freqs are periods over 2 pi, not frequencies.",
        .parameters = {{"dims", "64", "dim", "columns that turn"},
                       {"traditional", "false", "", "adjacent pairs"},
                       {"base", "10000", "base", "> 0; null with freqs"},
                       {"scale", "1", "", "factor on positions"},
                       {"offset", "0", "start", "added to positions"},
                       {"freqs", "null", "", "reciprocal of each frequency, in place of base"},
                       {"head_dim", "null", "", "columns of a head; null: dims"}},
        .refuse = "dims % 2 == 1 => dims must be even; freqs != null and len(freqs) != dims / 2 => freqs must have a "
                  "number for each pair; base == null and freqs == null => base or freqs must be given",
        .coordinates = "(g0 + offset) * scale",
        .count = "dims / 2",
        .theta = "freqs != null ? 1 / freqs[i] : base^(-2 * i / dims)",
        .nest = "caf",
        .components = "cs",
        .width = "dims",
        .pairing = "traditional ? 'pair' : 'half'",
        .head_width = "head_dim == null ? dims : head_dim",
        .output = "rotated",
        .published_theta = "freqs != null ? f32(1) / f32(freqs[i]) : exp(f32(-i) * f32(log(base) / (dims / 2)))",
        .published_angle = "f32(p) * theta",
    },
    {
        .name = "mlx_lm_rope",
        .aliases =
            "mlx_lm_rope_inv_freq mlx_lm mlx_lm_llama3_rope mlx_lm_su_scaled_rope mlx_lm_yarn_rope mlx_lm_longrope "
            "mlx_lm_yarn",
        .summary = "MLX-LM: llama3, longrope, YaRN, proportional, linear; told by the parameters or rope_type",
        .repository = "ml-explore/mlx-lm",
        .path = "mlx_lm/models/rope_utils.py",
        .function = "initialize_rope, Llama3RoPE, SuScaledRoPE, YarnRoPE, ProportionalRoPE",
        .weaknesses = "Keeps periods, not frequencies, and scales x, not the table. longrope always takes long_factor.",
        .parameters = {{"dims", "64", "dim", "columns that turn"},
                       {"base", "10000", "base", "> 0"},
                       {"traditional", "false", "", "adjacent pairs"},
                       {"rope_type", "null", "",
                        "default linear llama3 longrope yarn proportional; null: told by the rest"},
                       {"scaling_config.rope_type", "null", "", "the same"},
                       {"scaling_config.type", "null", "", "the same"},
                       {"max_position_embeddings", "131072", "", "context after scaling"},
                       {"original_max_position_embeddings", "4096", "", "context before scaling"},
                       {"short_factor", "null", "", "not used by the source"},
                       {"long_factor", "null", "", "longrope: divisor of each frequency, or of all"},
                       {"short_mscale", "null", "", "not used by the source"},
                       {"long_mscale", "null", "", "longrope: amplitude"},
                       {"scaling_factor", "null", "", "yarn, linear, proportional: of scaling"},
                       {"beta_fast", "32", "", "yarn: turns in the context, upper"},
                       {"beta_slow", "1", "", "yarn: turns in the context, lower"},
                       {"mscale", "1", "", "yarn: amplitude"},
                       {"mscale_all_dim", "0", "", "yarn: its divisor"},
                       {"attention_factor", "null", "", "yarn: the amplitude itself"},
                       {"rotated_dims", "null", "", "proportional: columns that turn"},
                       {"factor", "null", "", "proportional, linear: of scaling"},
                       {"scaling_config.factor", "null", "", "llama3: of scaling"},
                       {"scaling_config.low_freq_factor", "1", "", "llama3: turns in the context, lower"},
                       {"scaling_config.high_freq_factor", "4", "", "llama3: turns in the context, upper"},
                       {"scaling_config.original_max_position_embeddings", "8192", "",
                        "llama3: context before scaling"}},
        .let = "d = dims; L0 = original_max_position_embeddings; "
               "kind = rope_type != null ? rope_type : "
               "scaling_config.rope_type != null ? scaling_config.rope_type : "
               "scaling_config.type != null ? scaling_config.type : long_factor != null ? 'longrope' : "
               "rotated_dims != null ? 'proportional' : scaling_factor != null ? 'yarn' : "
               "scaling_config.factor != null ? 'llama3' : factor != null ? 'linear' : 'default'; "
               "f = scaling_config.factor != null ? scaling_config.factor : scaling_factor != null ? scaling_factor : "
               "factor != null ? factor : 1; "
               "is_yarn = kind == 'yarn' or kind == 'deepseek_yarn'; "
               "lo = is_yarn ? max(floor(d * log(L0 / (beta_fast * 2 * pi)) / (2 * log(base))), 0) : 0; "
               "hi = is_yarn ? min(ceil(d * log(L0 / (beta_slow * 2 * pi)) / (2 * log(base))), d - 1) : 1; "
               "span = lo == hi ? 1 / 1000 : hi - lo; k = f > 1 ? log(f) / 10 : 0; "
               "ratio = max_position_embeddings / L0; "
               "Lc = scaling_config.original_max_position_embeddings; lt = scaling_config.low_freq_factor; "
               "ht = scaling_config.high_freq_factor",
        .refuse =
            "d % 2 == 1 => dims must be even; "
            "not (kind == 'default' or kind == 'linear' or kind == 'llama3' or kind == 'longrope' or is_yarn or "
            "kind == 'proportional' or kind == 'mrope') => rope_type must be default, linear, llama3, longrope, yarn "
            "or proportional; "
            "kind == 'longrope' and long_factor == null => long_factor must be given; "
            "kind == 'longrope' and is_list(long_factor) and len(long_factor) != d / 2 => long_factor must have a "
            "number for each frequency; "
            "kind == 'llama3' and lt == ht => low_freq_factor and high_freq_factor must differ",
        .length = "original_max_position_embeddings",
        .count = "d / 2",
        .theta = "kind == 'linear' ? base^(-2 * i / d) / f : "
                 "kind == 'llama3' ? base^(-2 * i / d) * (1 / f + (1 - 1 / f) * min(max((Lc * base^(-2 * i / d) / (2 * "
                 "pi) - "
                 "lt) / (ht - lt), 0), 1)) : "
                 "kind == 'longrope' ? base^(-2 * i / d) / (is_list(long_factor) ? long_factor[i] : long_factor) : "
                 "is_yarn ? base^(-2 * i / d) * (1 - (1 - 1 / f) * min(max((i - lo) / span, 0), 1)) : "
                 "kind == 'proportional' and rotated_dims != null and i >= rotated_dims / 2 ? 0 : "
                 "kind == 'proportional' ? base^(-2 * i / d) / f : base^(-2 * i / d)",
        .amplitude =
            "kind == 'longrope' ? (long_mscale ? long_mscale : ratio > 1 ? sqrt(1 + log(ratio) / log(L0)) : 1) : "
            "is_yarn ? (attention_factor != null ? attention_factor : (1 + mscale * k) / (1 + mscale_all_dim * k)) "
            ": 1",
        .nest = "caf",
        .components = "cs",
        .width = "d",
        .pairing = "traditional ? 'pair' : 'half'",
        .output = "inv_freq",
    },
    {
        .name = "keras_rotary",
        .aliases = "keras_hub_rotary keras_nlp_rotary keras_rotary_embedding",
        .summary = "KerasHub: halves; linear, dynamic, YaRN",
        .repository = "keras-team/keras-hub",
        .path = "keras_hub/src/layers/modeling/rotary_embedding.py",
        .function = "RotaryEmbedding",
        .weaknesses =
            "dynamic divides all frequencies, which is not what others call dynamic. Tables are in the compute "
            "type of the layer: positions beyond 256 are wrong with bfloat16.",
        .parameters = {{"dim", "64", "dim", "columns of a head"},
                       {"max_wavelength", "10000", "base", "> 0"},
                       {"scaling_factor", "1", "", "of scaling"},
                       {"rope_type", "\"linear\"", "", "linear dynamic yarn"},
                       {"start_index", "0", "start", "added to positions"},
                       {"beta_fast", "32", "", "yarn: turns in the context, upper"},
                       {"beta_slow", "1", "", "yarn: turns in the context, lower"},
                       {"original_max_position_embeddings", "4096", "", "yarn: context before scaling"},
                       {"truncate", "false", "", "yarn: bounds of the ramp are whole"},
                       {"sequence_axis", "1", "", "of no effect here"},
                       {"feature_axis", "-1", "", "of no effect here"}},
        .let = "d = dim; b = max_wavelength; f = scaling_factor; L0 = original_max_position_embeddings; "
               "low = rope_type == 'yarn' ? d * log(L0 / (beta_fast * 2 * pi)) / (2 * log(b)) : 0; "
               "high = rope_type == 'yarn' ? d * log(L0 / (beta_slow * 2 * pi)) / (2 * log(b)) : 1; "
               "lo = max(truncate ? floor(low) : low, 0); hi = min(truncate ? ceil(high) : high, d / 2 - 1); "
               "span = lo == hi ? 1 / 1000 : hi - lo",
        .refuse =
            "d % 2 == 1 => dim must be even; "
            "not (rope_type == 'linear' or rope_type == 'dynamic' or rope_type == 'yarn') => rope_type must be linear, "
            "dynamic or yarn",
        .coordinates = "g0 + start_index",
        .count = "d / 2",
        .theta = "rope_type == 'yarn' ? b^(-2 * i / d) * (1 - (1 - 1 / f) * min(max((i - lo) / span, 0), 1)) : "
                 "rope_type == 'dynamic' ? b^(-2 * i / d) / f^(d / (d - 2)) : b^(-2 * i / d) / f",
        .amplitude = "rope_type == 'yarn' and f > 1 ? 1 + log(f) / 10 : 1",
        .nest = "caf",
        .components = "cs",
        .width = "d",
        .pairing = "half",
        .output = "rotated",
        .published_theta = "rope_type == 'linear' ? f32(1) / f32(b)^(f32(2 * i) / f32(d)) : null",
        .published_angle = "f32(f32(p) / f32(f)) * theta",
    },
    {
        .name = "onnx_rotary",
        .aliases = "onnx_rotary_embedding onnx_rope RotaryEmbedding-23",
        .summary = "ONNX RotaryEmbedding-23: halves, or adjacent pairs if interleaved, of the first columns",
        .repository = "onnx/onnx",
        .path = "onnx/reference/ops/op_rotary_embedding.py",
        .function = "rotary_embedding",
        .weaknesses = "The caches are inputs: the operator states no frequencies. Here they are those of base 10000.",
        .parameters = {{"position_ids", "null", "positions", "list of positions"},
                       {"interleaved", "0", "", "1: adjacent pairs"},
                       {"rotary_embedding_dim", "0", "dim", "columns that turn; 0: all of head_size"},
                       {"head_size", "64", "", "columns of a head, where rotary_embedding_dim is 0"},
                       {"head_dim", "null", "", "columns of a head; null: those that turn"},
                       {"num_heads", "0", "", "of no effect here"},
                       {"base", "10000", "base", "of the caches"}},
        .let = "d = rotary_embedding_dim == 0 ? (head_dim == null ? head_size : head_dim) : rotary_embedding_dim",
        .refuse = "d % 2 == 1 => rotary_embedding_dim must be even",
        .positions = "position_ids",
        .count = "d / 2",
        .theta = "base^(-2 * i / d)",
        .nest = "caf",
        .components = "cs",
        .width = "d",
        .pairing = "interleaved ? 'pair' : 'half'",
        .head_width = "head_dim == null ? d : max(head_dim, d)",
        .output = "rotated",
    },
    {
        .name = "esm2_rotary",
        .aliases = "esm2_rope hf_esm_rotary hf_esm_rope hf_wav2vec2_conformer_rotary",
        .summary = "ESM-2: halves, base 10000",
        .repository = "facebookresearch/esm",
        .path = "esm/rotary_embedding.py",
        .function = "RotaryEmbedding",
        .weaknesses = "",
        .parameters = {HF_POSITIONS,
                       {"dim", "64", "dim", "columns of a head"},
                       {"base", "10000", "base", "> 0; fixed in the source"}},
        .refuse = "dim % 2 == 1 => dim must be even",
        .positions = "positions",
        .count = "dim / 2",
        .theta = "base^(-2 * i / dim)",
        .nest = "caf",
        .components = "cs",
        .width = "dim",
        .pairing = "half",
        .output = "rotated",
        .published_theta = "f32(1) / f32(base)^(f32(2 * i) / f32(dim))",
        .published_angle = "f32(p) * theta",
    },
    {
        .name = "fairseq2_rotary_table",
        .aliases = "fairseq2_rotary fairseq2_rope",
        .summary = "fairseq2: adjacent pairs as complex numbers, row 0 for padding",
        .repository = "facebookresearch/fairseq2",
        .path = "src/fairseq2/nn/position_encoder.py",
        .function = "RotaryEncoder, ReferenceRotaryEncoder",
        .weaknesses = "Row 0 is all zeros, so padding is erased, not left alone; position p is row p + 1.",
        .parameters = {{"encoding_dim", "64", "dim", "columns of a head"},
                       {"max_seq_len", "1024", "length", "rows, the one for padding not counted"},
                       {"theta", "10000", "base", "> 0"}},
        .refuse = "encoding_dim % 2 == 1 => encoding_dim must be even",
        .length = "max_seq_len",
        .zero_rows_first = "1",
        .count = "encoding_dim / 2",
        .theta = "theta^(-2 * i / encoding_dim)",
        .nest = "afc",
        .components = "cs",
        .width = "encoding_dim",
        .pairing = "pair",
        .output = "cis",
        .published_theta = "f32(1) / f32(theta)^(f32(2 * i) / f32(encoding_dim))",
        .published_angle = "f32(p) * theta",
    },
    {
        .name = "torchtune_rope",
        .aliases = "torchtune_rotary torchtune_llama3_scaled_rope torchtune_llama3_rope torchtune_scaled_rope "
                   "torchtune_rope_scaled torchtune_llama3_1_rope",
        .summary = "torchtune: adjacent pairs; with scale_factor as Llama 3.1",
        .repository = TORCHTUNE,
        .path = "torchtune/modules/position_embeddings.py; torchtune/models/llama3_1/_position_embeddings.py",
        .function = "RotaryPositionalEmbeddings, Llama3ScaledRoPE",
        .weaknesses = "Positions beyond max_seq_len - 1 are an error.",
        .parameters = {{"input_pos", "null", "positions", "list of positions; null: max_seq_len rows"},
                       {"dim", "128", "dim", "columns of a head"},
                       {"max_seq_len", "4096", "length", "rows"},
                       {"base", "10000", "base", "> 0; 500000 with Llama 3"},
                       {"scale_factor", "null", "",
                        "Llama 3.1: divisor of the lowest frequencies, 8; null: not scaled"},
                       {"low_freq_factor", "1", "", "turns in old_context_len, lower"},
                       {"high_freq_factor", "4", "", "turns in old_context_len, upper"},
                       {"old_context_len", "8192", "", "context before scaling"}},
        .refuse = "dim % 2 == 1 => dim must be even; "
                  "low_freq_factor == high_freq_factor => low_freq_factor and high_freq_factor must differ",
        .positions = "input_pos",
        .length = "max_seq_len",
        .count = "dim / 2",
        .theta = "base^(-2 * i / dim) * (scale_factor == null ? 1 : " LLAMA3_FACTOR("scale_factor", "old_context_len",
                                                                                    "base^(-2 * i / dim)") ")",
        .nest = "afc",
        .components = "cs",
        .width = "dim",
        .pairing = "pair",
        .output = "rotated",
        .published_theta = "scale_factor != null ? null : f32(1) / f32(base)^(f32(2 * i) / f32(dim))",
        .published_angle = "f32(p) * theta",
    },
    {
        .name = "torchtune_qwen2_rope",
        .aliases = "torchtune_phi3_rope torchtune_gemma_rope",
        .summary = "torchtune, Qwen 2 and Phi 3: halves",
        .repository = TORCHTUNE,
        .path = "torchtune/models/qwen2/_positional_embeddings.py; torchtune/models/phi3/_position_embeddings.py",
        .function = "Qwen2RotaryPositionalEmbeddings, Phi3RotaryPositionalEmbeddings",
        .weaknesses = "Base 1000000 with Qwen 2, 10000 with Phi 3.",
        .parameters = {{"input_pos", "null", "positions", "list of positions; null: max_seq_len rows"},
                       {"dim", "128", "dim", "columns of a head"},
                       {"max_seq_len", "4096", "length", "rows"},
                       {"base", "1000000", "base", "> 0"}},
        .refuse = "dim % 2 == 1 => dim must be even",
        .positions = "input_pos",
        .length = "max_seq_len",
        .count = "dim / 2",
        .theta = "base^(-2 * i / dim)",
        .nest = "caf",
        .components = "cs",
        .width = "dim",
        .pairing = "half",
        .output = "rotated",
        .published_theta = "f32(1) / f32(base)^(f32(2 * i) / f32(dim))",
        .published_angle = "f32(p) * theta",
    },
    {
        .name = "torchtune_vision_rope",
        .aliases = "torchtune_vision_rotary",
        .summary = "torchtune vision: adjacent pairs, columns then rows of the tile from 1 on, the class token still",
        .repository = TORCHTUNE,
        .path = "torchtune/modules/position_embeddings.py",
        .function = "VisionRotaryPositionalEmbeddings",
        .weaknesses = "Positions start at 1, so that the still class token differs from the first patch.",
        .parameters = {{"patch_size", "14", "", "pixels"},
                       {"tile_size", "336", "", "pixels"},
                       {"max_num_tiles", "1", "", "of no effect: every tile is the same"},
                       {"dim", "88", "dim", "columns of a head"},
                       {"base", "10000", "base", "> 0"},
                       {"append_cls_token", "true", "", "the class token is the last row; else the first"}},
        .let = "side = floor(tile_size / patch_size)",
        .refuse =
            "dim % 4 != 0 => dim must be a multiple of 4; "
            "not append_cls_token => append_cls_token must be true: for the other order move the last row to the front",
        .grid = "side, side",
        .coordinates = "g1 + 1, g0 + 1",
        .still_rows_last = "1",
        .count = "dim / 4",
        .theta = "base^(-4 * i / dim)",
        .nest = "afc",
        .components = "cs",
        .width = "dim",
        .pairing = "pair",
        .output = "cis",
        .published_theta = "f32(1) / f32(base)^(f32(4 * i) / f32(dim))",
        .published_angle = "f32(p) * theta",
    },
    {
        .name = "x_transformers_rotary",
        .aliases = "x_transformers_rope",
        .summary = "x-transformers: adjacent pairs, interpolated or with a rescaled base",
        .repository = "lucidrains/x-transformers",
        .path = "x_transformers/x_transformers.py",
        .function = "RotaryEmbedding, apply_rotary_pos_emb",
        .weaknesses = "",
        .parameters = {HF_POSITIONS,
                       {"dim", "64", "dim", "columns that turn, 32 at least in the models"},
                       {"base", "10000", "base", "> 0"},
                       {"interpolation_factor", "1", "", "divisor of the angle, >= 1"},
                       {"base_rescale_factor", "1", "", "base times this^(dim / (dim - 2))"},
                       {"use_xpos", "false", "", "see x_transformers_xpos"},
                       {"scale_base", "512", "", "of xpos"},
                       {"head_dim", "null", "", "columns of a head; null: dim"}},
        .let = "b = base_rescale_factor == 1 ? base : base * base_rescale_factor^(dim / (dim - 2))",
        .refuse = "dim % 2 == 1 => dim must be even; "
                  "interpolation_factor < 1 => interpolation_factor must not be less than 1; "
                  "use_xpos => use_xpos depends on the length of the sequence: x_transformers_xpos says how",
        .positions = "positions",
        .count = "dim / 2",
        .theta = "b^(-2 * i / dim) / interpolation_factor",
        .nest = "afc",
        .components = "cs",
        .width = "dim",
        .pairing = "pair",
        .head_width = "head_dim == null ? dim : head_dim",
        .output = "rotated",
        .published_theta = "f32(1) / f32(b)^(f32(2 * i) / f32(dim))",
        .published_angle = "f32(f32(p) * theta) / f32(interpolation_factor)",
    },
    {
        .name = "rotary_embedding_torch",
        .aliases = "rotary_embedding_torch_lang rotary_embedding_torch_pixel rotary_embedding_torch_constant "
                   "rotary_embedding_torch_axial",
        .summary = "rotary-embedding-torch: adjacent pairs; lang, pixel or constant frequencies; axial over dims",
        .repository = "lucidrains/rotary-embedding-torch",
        .path = "rotary_embedding_torch/rotary_embedding_torch.py",
        .function = "RotaryEmbedding.rotate_queries_or_keys, get_axial_freqs, apply_rotary_emb",
        .weaknesses = "get_axial_freqs takes neither offset nor interpolate_factor.",
        .parameters = {{"dim", "64", "dim", "columns that turn, of each axis"},
                       {"custom_freqs", "null", "", "frequencies in place of a rule"},
                       {"freqs_for", "\"lang\"", "", "lang pixel constant"},
                       {"theta", "10000", "base", "lang: > 0"},
                       {"max_freq", "10", "", "pixel: highest frequency is max_freq / 2 half turns"},
                       {"num_freqs", "1", "", "constant: how many"},
                       {"interpolate_factor", "1", "", "divisor of positions, >= 1"},
                       {"theta_rescale_factor", "1", "", "theta times this^(dim / (dim - 2))"},
                       {"offset", "0", "start", "added to positions"},
                       {"dims", "null", "grid", "sizes of the axes: get_axial_freqs; null: one sequence"},
                       {"start_index", "0", "", "first column that turns"},
                       {"head_dim", "null", "", "columns of a head; null: those that turn"},
                       {"use_xpos", "false", "", "see x_transformers_xpos"}},
        .let = "b = theta_rescale_factor == 1 ? theta : theta * theta_rescale_factor^(dim / (dim - 2)); "
               "is_grid = dims != null; is_pixel = freqs_for == 'pixel' and custom_freqs == null; "
               "nf = custom_freqs != null ? len(custom_freqs) : freqs_for == 'constant' ? num_freqs : floor(dim / 2); "
               "n_axes = is_grid ? len(dims) : 1",
        .refuse =
            "dim % 2 == 1 and freqs_for == 'lang' => dim must be even; "
            "interpolate_factor < 1 => interpolate_factor must not be less than 1; "
            "not (freqs_for == 'lang' or freqs_for == 'pixel' or freqs_for == 'constant') => freqs_for must be lang, "
            "pixel or constant; "
            "use_xpos => use_xpos depends on the length of the sequence: x_transformers_xpos says how",
        .grid = "dims",
        .count = "nf",
        .turns = "is_pixel ? (1 + i * (max_freq / 2 - 1) / max(n - 1, 1)) / 2 * "
                 "(is_grid ? (dims[a] == 1 ? 1 : 2 / (dims[a] - 1)) : 1 / interpolate_factor) : null",
        .theta = "(custom_freqs != null ? custom_freqs[i] : freqs_for == 'constant' ? 1 : b^(-2 * i / dim)) / "
                 "(is_grid ? 1 : interpolate_factor)",
        .phase_turns = "not is_pixel ? 0 : (1 + i * (max_freq / 2 - 1) / max(n - 1, 1)) / 2 * "
                       "(is_grid ? -1 : offset / interpolate_factor)",
        .phase = "is_pixel or is_grid or offset == 0 ? 0 : offset * "
                 "(custom_freqs != null ? custom_freqs[i] : freqs_for == 'constant' ? 1 : b^(-2 * i / dim)) / "
                 "interpolate_factor",
        .nest = "afc",
        .components = "cs",
        .width = "2 * nf * n_axes",
        .pairing = "pair",
        .rotary_first = "start_index",
        .head_width = "head_dim == null ? start_index + 2 * nf * n_axes : head_dim",
        .output = "angles",
    },
    {
        .name = "timm_rotary",
        .aliases = "timm_rope timm_rotary_pixel timm_rotary_lang timm_rotary_language build_rotary_pos_embed",
        .summary = "timm: adjacent pairs over a grid; in pixels, or as language",
        .repository = TIMM,
        .path = "timm/layers/pos_embed_sincos.py",
        .function = "build_rotary_pos_embed, RotaryEmbedding",
        .weaknesses = "In pixels a patch has other angles in a larger image.",
        .parameters = {TIMM_ROTARY_PARAMETERS},
        .let = TIMM_ROTARY_LET,
        .refuse = TIMM_ROTARY_REFUSE,
        .grid = "size[0], size[1]",
        .coordinates = TIMM_ROTARY_COORDINATES,
        .count = "nf",
        .turns = TIMM_ROTARY_TURNS,
        .theta = "bands != null ? bands[i] : temperature^(-i / max(nf, 1))",
        .nest = "caf",
        .width = "4 * nf",
        .pairing = "pair",
        .output = "sin_cos",
    },
    {
        .name = "timm_rotary_cat",
        .aliases = "timm_rope_cat RotaryEmbeddingCat",
        .summary = "timm: the same with sines and cosines side by side",
        .repository = TIMM,
        .path = "timm/layers/pos_embed_sincos.py",
        .function = "RotaryEmbeddingCat, apply_rot_embed_cat",
        .weaknesses = "In pixels a patch has other angles in a larger image.",
        .parameters = {TIMM_ROTARY_PARAMETERS},
        .let = TIMM_ROTARY_LET,
        .refuse = TIMM_ROTARY_REFUSE,
        .grid = "size[0], size[1]",
        .coordinates = TIMM_ROTARY_COORDINATES,
        .count = "nf",
        .turns = TIMM_ROTARY_TURNS,
        .theta = "bands != null ? bands[i] : temperature^(-i / max(nf, 1))",
        .nest = "caf",
        .width = "4 * nf",
        .pairing = "pair",
        .beside = "1",
        .output = "sin_cos",
    },
    {
        .name = "timm_rotary_mrope",
        .aliases = "timm_mrope RotaryEmbeddingMRope",
        .summary = "timm: halves, frequencies dealt to time (still), height, width",
        .repository = TIMM,
        .path = "timm/layers/pos_embed_sincos.py",
        .function = "RotaryEmbeddingMRope",
        .weaknesses = "A third of the columns does not turn.",
        .parameters = {{"dim", "64", "dim", "columns of a head"},
                       {"mrope_section", "[8, 12, 12]", "", "frequencies of time, height, width"},
                       {"temperature", "10000", "base", "> 0"},
                       {"grid", "[16, 16]", "grid", "height, width"}},
        .let = "s = mrope_section",
        .refuse = "dim % 2 == 1 => dim must be even; sum(s) != dim / 2 => mrope_section must add up to dim / 2",
        .grid = "grid",
        .coordinates = "0, g0, g1",
        .count = "dim / 2",
        .axis = "i % 3 == 1 and i < 3 * s[1] ? 1 : i % 3 == 2 and i < 3 * s[2] ? 2 : 0",
        .theta = "temperature^(-2 * i / dim)",
        .nest = "caf",
        .width = "dim",
        .pairing = "half",
        .beside = "1",
        .output = "sin_cos",
        .published_theta = "f32(1) / f32(temperature)^(f32(2 * i) / f32(dim))",
        .published_angle = "f32(p) * theta",
    },
    {
        .name = "timm_dinov3_rope",
        .aliases = "timm_dinov3 timm_rotary_dinov3 RotaryEmbeddingDinoV3",
        .summary = "timm's DINOv3: halves, or pairs, sines and cosines side by side",
        .repository = TIMM,
        .path = "timm/layers/pos_embed_sincos.py",
        .function = "RotaryEmbeddingDinoV3",
        .weaknesses = "Periods are not stored, so they are not the bfloat16 ones of the released weights.",
        .parameters = {{"dim", "64", "dim", "columns of a head"},
                       {"temperature", "100", "base", "of the periods"},
                       {"min_period", "null", "", "shortest period"},
                       {"max_period", "null", "", "longest period"},
                       {"feat_shape", "[14, 14]", "grid", "height, width"},
                       {"normalize_coords", "\"separate\"", "", "separate, max, min"},
                       {"grid_offset", "0", "", "added to the indices"},
                       {"grid_indexing", "\"ij\"", "", "of no effect on the rows: ij, xy"},
                       {"rotate_half", "true", "", "halves; false: adjacent pairs"}},
        .let = "H = feat_shape[0]; W = feat_shape[1]; by_periods = min_period != null and max_period != null; "
               "nh = normalize_coords == 'max' ? max(H, W) : normalize_coords == 'min' ? min(H, W) : H; "
               "nw = normalize_coords == 'max' ? max(H, W) : normalize_coords == 'min' ? min(H, W) : W",
        .refuse = "dim % 4 != 0 => dim must be a multiple of 4; "
                  "not (normalize_coords == 'separate' or normalize_coords == 'max' or normalize_coords == 'min') => "
                  "normalize_coords must be separate, max or min",
        .grid = "H, W",
        .coordinates = "2 * (g0 + 1 / 2 + grid_offset) / nh - 1, 2 * (g1 + 1 / 2 + grid_offset) / nw - 1",
        .count = "dim / 4",
        .turns = "by_periods ? 1 / (min_period * (max_period / min_period)^(i / max(n - 1, 1))) : "
                 "temperature^(-4 * i / dim)",
        .nest = "caf",
        .width = "dim",
        .pairing = "rotate_half ? 'half' : 'pair'",
        .beside = "1",
        .output = "sin_cos",
    },
    {
        .name = "diffusers_rotary_1d",
        .aliases = "diffusers_rope_1d get_1d_rotary_pos_embed",
        .summary = "diffusers, one axis: complex, or cosines and sines twice, in pairs or in halves",
        .repository = DIFFUSERS,
        .path = "src/diffusers/models/embeddings.py",
        .function = "get_1d_rotary_pos_embed",
        .weaknesses = "Whether the table is for pairs or for halves depends on repeat_interleave_real.",
        .parameters = {{"pos", "null", "positions", "positions, or how many"},
                       {"dim", "64", "dim", "columns of a head"},
                       {"theta", "10000", "base", "> 0"},
                       {"use_real", "false", "", "cosines and sines, not complex numbers"},
                       {"linear_factor", "1", "", "divisor of the frequencies"},
                       {"ntk_factor", "1", "", "factor on theta"},
                       {"repeat_interleave_real", "true", "", "each twice in a row; false: the list twice"},
                       {"freqs_dtype", "null", "", "of no effect here"}},
        .refuse = "dim % 2 == 1 => dim must be even",
        .positions = "pos",
        .count = "dim / 2",
        .theta = "(theta * ntk_factor)^(-2 * i / dim) / linear_factor",
        .nest = "afc",
        .components = "cs",
        .width = "dim",
        .pairing = "use_real and not repeat_interleave_real ? 'half' : 'pair'",
        .output = "use_real ? 'cos_sin' : 'cis'",
        .published_theta = "f32(f32(1) / f32(theta * ntk_factor)^(f32(2 * i) / f32(dim))) / f32(linear_factor)",
        .published_angle = "f32(p) * theta",
    },
    {
        .name = "diffusers_rotary_2d",
        .aliases = "diffusers_rope_2d get_2d_rotary_pos_embed",
        .summary = "diffusers, two axes: columns of the grid first, positions from a crop without its end",
        .repository = DIFFUSERS,
        .path = "src/diffusers/models/embeddings.py",
        .function = "get_2d_rotary_pos_embed",
        .weaknesses = "What it calls h encodes the column.",
        .parameters = {{"embed_dim", "64", "dim", "columns of a head"},
                       {"crops_coords", "[[0, 0], [16, 16]]", "", "first row and column, and those after the last"},
                       {"grid_size", "[16, 16]", "grid", "height, width"},
                       {"use_real", "true", "", "cosines and sines, not complex numbers"},
                       {"theta", "10000", "base", "> 0; fixed in the source"},
                       {"output_type", "\"pt\"", "", "of no effect: np, pt"}},
        .let = "H = grid_size[0]; W = grid_size[1]; h0 = crops_coords[0][0]; w0 = crops_coords[0][1]; "
               "h1 = crops_coords[1][0]; w1 = crops_coords[1][1]",
        .refuse = "embed_dim % 4 != 0 => embed_dim must be a multiple of 4",
        .grid = "H, W",
        .coordinates =
            "w0 + (w1 * (W - 1) / W - w0) * g1 / max(W - 1, 1), h0 + (h1 * (H - 1) / H - h0) * g0 / max(H - 1, 1)",
        .count = "embed_dim / 4",
        .theta = "theta^(-4 * i / embed_dim)",
        .nest = "afc",
        .components = "cs",
        .width = "embed_dim",
        .pairing = "pair",
        .output = "use_real ? 'cos_sin' : 'cis'",
    },
    {
        .name = "diffusers_rotary_3d",
        .aliases = "diffusers_rope_3d get_3d_rotary_pos_embed diffusers_cogvideox_rope",
        .summary = "diffusers, video: time a quarter of the columns, height and width three eighths each",
        .repository = DIFFUSERS,
        .path = "src/diffusers/models/embeddings.py",
        .function = "get_3d_rotary_pos_embed",
        .weaknesses = "A head width that is no multiple of 16 leaves blocks of odd width.",
        .parameters = {{"embed_dim", "64", "dim", "columns of a head"},
                       {"crops_coords", "null", "", "linspace: first row and column, and those after the last"},
                       {"grid_size", "[30, 45]", "grid", "height, width"},
                       {"temporal_size", "13", "", "frames"},
                       {"theta", "10000", "base", "> 0"},
                       {"use_real", "true", "", "of no effect here"},
                       {"grid_type", "\"linspace\"", "", "linspace over the crop, or slice: whole numbers"},
                       {"max_size", "null", "", "slice: of the grid that is cut"}},
        .let = "T = temporal_size; H = grid_size[0]; W = grid_size[1]; by_crop = grid_type == 'linspace'; "
               "h0 = by_crop ? crops_coords[0][0] : 0; w0 = by_crop ? crops_coords[0][1] : 0; "
               "h1 = by_crop ? crops_coords[1][0] : H; w1 = by_crop ? crops_coords[1][1] : W; "
               "dt = floor(embed_dim / 4); ds = 3 * floor(embed_dim / 8)",
        .refuse = "dt % 2 == 1 or ds % 2 == 1 => embed_dim must leave even widths for time, height and width; "
                  "not (grid_type == 'linspace' or grid_type == 'slice') => grid_type must be linspace or slice",
        .grid = "T, H, W",
        .coordinates =
            "g0, h0 + (h1 * (H - 1) / H - h0) * g1 / max(H - 1, 1), w0 + (w1 * (W - 1) / W - w0) * g2 / max(W - 1, 1)",
        .count = "a == 0 ? dt / 2 : ds / 2",
        .theta = "theta^(-2 * i / (a == 0 ? dt : ds))",
        .nest = "afc",
        .components = "cs",
        .width = "dt + 2 * ds",
        .pairing = "pair",
        .output = "cos_sin",
    },
    {
        .name = "diffusers_rotary_lumina",
        .aliases = "get_2d_rotary_pos_embed_lumina diffusers_rope_lumina",
        .summary = "diffusers, Lumina: adjacent pairs that listen to rows and columns of the grid in turn",
        .repository = DIFFUSERS,
        .path = "src/diffusers/models/embeddings.py",
        .function = "get_2d_rotary_pos_embed_lumina",
        .weaknesses = "",
        .parameters = {{"embed_dim", "64", "dim", "columns of a head"},
                       {"len_h", "64", "", "rows of the grid"},
                       {"len_w", "64", "", "columns of the grid"},
                       {"theta", "10000", "base", "> 0; fixed in the source"},
                       {"linear_factor", "1", "", "divisor of the frequencies"},
                       {"ntk_factor", "1", "", "factor on theta"}},
        .refuse = "embed_dim % 4 != 0 => embed_dim must be a multiple of 4",
        .grid = "len_h, len_w",
        .count = "embed_dim / 2",
        .axis = "i % 2",
        .theta = "(theta * ntk_factor)^(-4 * floor(i / 2) / embed_dim) / linear_factor",
        .nest = "afc",
        .components = "cs",
        .width = "embed_dim",
        .pairing = "pair",
        .output = "cis",
    },
    {
        .name = "diffusers_apply_rotary",
        .aliases = "diffusers_apply_rotary_emb",
        .summary = "diffusers, application: adjacent pairs (-1) or halves (-2)",
        .repository = DIFFUSERS,
        .path = "src/diffusers/models/embeddings.py",
        .function = "apply_rotary_emb",
        .weaknesses = "The wrong use_real_unbind_dim for a table raises no error.",
        .parameters = {{"pos", "null", "positions", "positions, or how many"},
                       {"dim", "64", "dim", "columns of a head"},
                       {"theta", "10000", "base", "> 0"},
                       {"use_real", "true", "", "of no effect on the result"},
                       {"use_real_unbind_dim", "-1", "", "-1 adjacent pairs, -2 halves"},
                       {"linear_factor", "1", "", "divisor of the frequencies"},
                       {"ntk_factor", "1", "", "factor on theta"}},
        .refuse =
            "dim % 2 == 1 => dim must be even; "
            "not (use_real_unbind_dim == -1 or use_real_unbind_dim == -2) => use_real_unbind_dim must be -1 or -2",
        .positions = "pos",
        .count = "dim / 2",
        .theta = "(theta * ntk_factor)^(-2 * i / dim) / linear_factor",
        .nest = "afc",
        .components = "cs",
        .width = "dim",
        .pairing = "use_real_unbind_dim == -1 ? 'pair' : 'half'",
        .output = "rotated",
    },
    {
        .name = "flux_rope",
        .aliases = "flux_rope_nd flux_embednd diffusers_flux_rope diffusers_flux_pos_embed",
        .summary = "FLUX: adjacent pairs as 2 x 2 matrices, an own ladder for each axis of axes_dim",
        .repository = "black-forest-labs/flux",
        .path = "src/flux/math.py; src/flux/modules/layers.py",
        .function = "rope, EmbedND, apply_rope",
        .weaknesses = "Angles are float64, the matrices float32.",
        .parameters = {{"ids", NULL, "positions", "(n, axes)"},
                       {"axes_dim", "[16, 56, 56]", "", "columns of each axis"},
                       {"theta", "10000", "base", "> 0"}},
        .positions = "ids",
        .count = "axes_dim[a] / 2",
        .theta = "theta^(-2 * i / axes_dim[a])",
        .nest = "afc",
        .components = "cs",
        .width = "sum(axes_dim)",
        .pairing = "pair",
        .output = "matrix",
    },
    {
        .name = "x_transformers_xpos",
        .aliases = "xpos x_transformers_rotary_xpos rotary_embedding_torch_xpos",
        .summary = "xpos: rotary with an amplitude that grows with q's position and shrinks with k's",
        .repository = "lucidrains/x-transformers",
        .path = "x_transformers/x_transformers.py",
        .function = "RotaryEmbedding(use_xpos = True)",
        .weaknesses = "Amplitudes depend on the length of the sequence.",
        .apart =
            "row t of T is x_transformers_rotary times zeta_i^((t - floor(T / 2)) / scale_base) for q, its reciprocal "
            "for k, zeta_i = (2 i + 0.4 dim) / (1.4 dim): an amplitude of the position and of the length",
    },
    {
        .name = "hf_vjepa2_rope",
        .aliases = "hf_vjepa2 vjepa2_rope",
        .summary = "V-JEPA 2: angles in halves on adjacent pairs",
        .repository = TRANSFORMERS,
        .path = "src/transformers/models/vjepa2/modeling_vjepa2.py",
        .function = "rotate_queries_or_keys",
        .weaknesses = "Not a rotation: lengths and scores change with the position.",
        .apart =
            "column j is x_j cos(p w_(j mod d/2)) + r_j sin(p w_(j mod d/2)) with r the adjacent pair turned: the two "
            "columns of a pair have two frequencies, so that it is no rotation; its angles are those of hf_rope",
    },
    {
        .name = "vllm_fope",
        .aliases = "fope vllm_fourier_rope",
        .summary = "FoPE: learned mixtures of frequencies",
        .repository = "vllm-project/vllm",
        .path = "vllm/model_executor/layers/rotary_embedding/fope.py",
        .function = "FourierRotaryEmbedding",
        .weaknesses = "",
        .apart =
            "each column is a learned combination of cosines, and of sines, of all frequencies: it needs the matrices "
            "of the model",
    },
    {
        .name = "timm_rotary_mixed",
        .aliases = "rope_vit_mixed RotaryEmbeddingMixed",
        .summary = "timm and rope-vit, mixed: learned frequencies that listen to both coordinates",
        .repository = TIMM,
        .path = "timm/layers/pos_embed_sincos.py",
        .function = "RotaryEmbeddingMixed",
        .weaknesses = "Angles of every block and head differ.",
        .apart = "frequencies are learned, from a random start, for every block and head",
    },
};

size_t sinpos_conventions_count(void)
{
    return sizeof catalogue / sizeof catalogue[0];
}

const sinpos_convention *sinpos_convention_at(size_t i)
{
    return i < sinpos_conventions_count() ? &catalogue[i] : NULL;
}

/* Is name one of the words of list? */
static int has_word(const char *list, const char *name)
{
    const size_t length = strlen(name);
    for (const char *at = list; at != NULL && *at != '\0'; at += strcspn(at, " "), at += *at == ' ') {
        if (strcspn(at, " ") == length && memcmp(at, name, length) == 0) {
            return 1;
        }
    }
    return 0;
}

const sinpos_convention *sinpos_convention_find(const char *name)
{
    for (size_t i = 0; name != NULL && *name != '\0' && i < sinpos_conventions_count(); i++) {
        if (strcmp(catalogue[i].name, name) == 0 || has_word(catalogue[i].aliases, name)) {
            return &catalogue[i];
        }
    }
    return NULL;
}
