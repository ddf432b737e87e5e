/* model_types.h - which columns the models on Hugging Face pair, and what their configurations leave unsaid. */
#pragma once

#include <stdbool.h>

/* Which layers of a model have no rotary positions. */
enum unrotated {
    UNROTATED_NONE,
    UNROTATED_LISTED,      /* by no_rope_layers, or every no_rope_layer_interval-th */
    UNROTATED_FULL,        /* those of full attention */
    UNROTATED_FULL_BESIDE, /* those of full attention, where others see a window */
};

/* Numbers are the defaults of the model's configuration class. */
struct model_type {
    const char *types;      /* values of model_type, separated by blanks */
    const char *convention; /* decides the pairing */
    const char *source;     /* the code that rotates q and k; NULL: TYPE/modeling_TYPE.py in Transformers */
    double partial;         /* share of a head that turns, where the file states none; 0: all columns */
    double theta;           /* 0: 10000 */
    double local;           /* theta of layers that see a window; 0: as the others */
    bool window_is_plain;   /* layers that see a window are not scaled */
    bool may_be_half;       /* rope_interleave false means halves */
    enum unrotated unrotated;
    const char *rotary_word; /* what position_embedding_type must be, where it may be something else; NULL: may not */
    double head;             /* columns of a head where the file states none; 0: hidden / heads */
    double hidden, heads;    /* 0: the file states them */
    double original;         /* original_max_position_embeddings; 0: it has no default */
};

/* NULL: not known. */
const struct model_type *model_type_find(const char *type);
