/* convert.h - what the parts of sinpos convert share. */
#pragma once

#include "beside_weights.h"
#include "options.h"

/* Is this the name of a rotary pairing, half or pair? */
bool is_pairing(const char *name);

/* Is this the name of a convention, or of one with parameters: NAME:KEY=VALUE,KEY=VALUE? */
bool is_convention(const char *name);

/* source[i] receives the column of --from that holds what column i of --to holds; both are conventions. */
void convert_named_columns(const struct options *options, size_t dim, size_t n_rows, size_t *source);

/* The rows of q and k in a model. */
void convert_model(const struct options *options);

/* How the heads of q, k and v follow each other in one tensor. */
enum fused {
    FUSED_NOT,
    FUSED_PARTS, /* all of q, all of k, all of v */
    FUSED_GROUPS /* for each head of k: the heads of q that share it, k, v */
};

enum head_role { HEAD_QUERY, HEAD_KEY, HEAD_VALUE };

/* A tensor whose rows move. */
struct moved_tensor {
    size_t tensor; /* number in the model */
    enum fused fused;
    bool is_key;  /* of k; else of q; where they are not fused */
    bool is_norm; /* weights of a norm over the columns of a head, or of all heads */
    bool is_bias;
    size_t n_rows;
    size_t row_bytes;
    double *before; /* (n_rows): its rows times a seeded vector; of a bias or a norm its elements */
    double *after;  /* the same of what was written */
};

struct model_change {
    const struct options *options;
    sinpos_model *model;
    bool to_pair;
    size_t n_heads, n_kv_heads;
    size_t head_dim;   /* rows of a head */
    size_t rotary_dim; /* of them rotated, from the first */
    struct moved_tensor *moved;
    size_t n_moved, moved_room;
    bool has_stand_ins;           /* some rows are of a type that cannot be read */
    double base;                  /* of the rotation in the proof */
    bool to_folder;               /* what is written is a folder, and what lies beside the weights goes along */
    struct beside_weights beside; /* of a folder */
    sinpos_rewriter *whole;       /* the one file that is written, complete, until it gets its name */
};

/* model_heads.c: finds the heads and the tensors; sorted as they lie in the files. */
void model_find_rows(struct model_change *change);

/* Of which projection a head is; the first is head 0. */
enum head_role role_of_head(const struct model_change *change, const struct moved_tensor *moved, size_t head);

/* Row of the old head that becomes row r of the new one. */
size_t moved_row(const struct model_change *change, size_t r);

/*
 * model_scores.c: n rows as they are in the file, times the seeded vector of queries or of keys; values receives n.
 */
void rows_times_seeded(const struct model_change *change, const struct moved_tensor *moved, bool is_key, size_t n,
                       const unsigned char *rows, double *values);

struct score_check {
    size_t n_layers;   /* with both q and k */
    double largest;    /* score */
    double scale;      /* largest |q| |k| / sqrt(head) */
    double difference; /* of the scores by the old weights and by the new ones */
    double without;    /* what it would be had the weights stayed as they were */
};

/* Attention scores by the old and by the new weights. */
struct score_check scores_compare(const struct model_change *change);
