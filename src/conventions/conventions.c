/*
 * conventions.c - the catalogue: every convention as data. Fields are explained in sinpos_conventions.h, formulas in
 * docs/architecture.md, and each row is tested against the code of its source in tests/golden.
 */
#include <string.h>

#include "sinpos_conventions.h"

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
        .aliases = "llama_reference_cis precompute_freqs_cis",
        .summary = "Meta's Llama: adjacent pairs as complex numbers",
        .repository = "meta-llama/llama3",
        .path = "llama/model.py",
        .function = "precompute_freqs_cis, apply_rotary_emb",
        .weaknesses = "Checkpoints for Hugging Face have the rows of q and k permuted to halves.",
        .parameters = {{"dim", "128", "dim", "columns of q and k"},
                       {"end", "2048", "length", "rows"},
                       {"theta", "10000", "base", "> 0"}},
        .refuse = "dim % 2 == 1 => dim must be even",
        .length = "end",
        .count = "dim / 2",
        .theta = "theta^(-2 * i / dim)",
        .nest = "afc",
        .components = "cs",
        .pairing = "pair",
        .output = "cis",
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
