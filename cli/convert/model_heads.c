/* model_heads.c - how many heads a model has, and which of its tensors hold the rows of q and k. */
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array_file.h"
#include "array_pieces.h"
#include "convert.h"
#include "no_memory.h"
#include "words.h"

#define KEY_BYTES 200

/* -------------------------------------------------------------------------------------------------- names */

/* How the projections of q are called; of k the same with k for q. What follows the point is the part. */
static const char *const projections[] = {"q_proj.", "attn_q.", ".wq."};
static const char *const key_projections[] = {"k_proj.", "attn_k.", ".wk."};
static const char *const norms[] = {"q_norm.", "q_layernorm."};
static const char *const key_norms[] = {"k_norm.", "k_layernorm."};
/* Other parts of a model, with heads of their own. */
static const char *const elsewhere[] = {"vision", "visual", "audio", "cross_attn", "crossattn"};
static const char *const fused[] = {"qkv", "query_key_value", "c_attn", "Wqkv", "in_proj_weight"};

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

/* What stands after the first of the words that is in the name; NULL where none is. */
static const char *after_any(const char *name, const char *const *words, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const char *found = strstr(name, words[i]);
        if (found != NULL)
            return found + strlen(words[i]);
    }
    return NULL;
}

static bool is_elsewhere(const char *name)
{
    return after_any(name, elsewhere, COUNT(elsewhere)) != NULL;
}

static bool begins(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

/* Whose code says how q, k and v follow each other in a tensor of that name. */
struct fused_model {
    const char *types; /* model_type of config.json, separated by blanks; NULL: a .gguf */
    const char *name;
    enum fused layout;
};

static const struct fused_model fused_models[] = {
    {NULL, "attn_qkv.", FUSED_PARTS},
    {"phi3 phi3_v phi4mm", "qkv_proj.", FUSED_PARTS},
    {"qwen", "c_attn.", FUSED_PARTS},
    {"modernbert", "Wqkv.", FUSED_PARTS},
    {"gpt_neox", "query_key_value.", FUSED_GROUPS},
    {"internlm2", "wqkv.", FUSED_GROUPS},
};

enum part { PART_NONE, PART_ROWS, PART_STAYS, PART_UNKNOWN };

/* What a part of a projection has to do with its rows. */
static enum part part_of(const char *part, const sinpos_tensor *tensor)
{
    const sinpos_array *array = &tensor->array;
    size_t n = 1;
    for (size_t i = 0; i < array->n_dims; i++)
        n = array->shape[i] == 1 ? n : 2;
    const bool is_per_row = array->n_dims == 1 || (array->n_dims == 2 && array->shape[1] == 1);
    if (strcmp(part, "weight") == 0 || strcmp(part, "bias") == 0 || begins(part, "lora_B"))
        return PART_ROWS;
    if (begins(part, "lora_A") || strcmp(part, "input_scale") == 0)
        return PART_STAYS;
    if (strcmp(part, "weight_scale") == 0)
        return n == 1 ? PART_STAYS : is_per_row ? PART_ROWS : PART_UNKNOWN;
    return PART_UNKNOWN;
}

/* Is the name one of a list of patterns with commas between them? */
static bool is_listed(const char *list, const char *name)
{
    char pattern[KEY_BYTES];
    for (const char *at = list; at != NULL;) {
        const char *comma = strchr(at, ',');
        const size_t length = comma == NULL ? strlen(at) : (size_t)(comma - at);
        snprintf(pattern, sizeof pattern, "%.*s", length < sizeof pattern ? (int)length : 0, at);
        if (fnmatch(pattern, name, 0) == 0)
            return true;
        at = comma == NULL ? NULL : comma + 1;
    }
    return false;
}

/* Queries or keys, by the letter in the name: 1 for keys, 0 for queries, -1 where that is not to be seen. */
static int key_or_query(const char *name)
{
    static const char *const keys[] = {"k_proj", "attn_k", ".wk", "k_norm", "k_layernorm", "key"};
    static const char *const queries[] = {"q_proj", "attn_q", ".wq", "q_norm", "q_layernorm", "query"};
    if (after_any(name, keys, COUNT(keys)) != NULL)
        return 1;
    return after_any(name, queries, COUNT(queries)) != NULL ? 0 : -1;
}

/* ----------------------------------------------------------------------------------------------- metadata */

static const sinpos_metadata *ask(const struct model_change *change, const char *prefix, const char *name)
{
    char key[KEY_BYTES];
    snprintf(key, sizeof key, "%.80s%s", prefix, name);
    return sinpos_model_metadata(change->model, key);
}

/* A number of config.json, or of the language model in it. */
static const sinpos_metadata *ask_config(const struct model_change *change, const char *name)
{
    static const char *const places[] = {"config.", "config.text_config.", "config.rope_parameters.",
                                         "config.text_config.rope_parameters."};
    for (size_t i = 0; i < COUNT(places); i++) {
        const sinpos_metadata *value = ask(change, places[i], name);
        if (value != NULL)
            return value;
    }
    return NULL;
}

static const sinpos_metadata *ask_gguf(const struct model_change *change, const char *name)
{
    const sinpos_metadata *architecture = sinpos_model_metadata(change->model, "general.architecture");
    return architecture == NULL || architecture->text == NULL ? NULL : ask(change, architecture->text, name);
}

/* The real number behind a name of .gguf or of config.json; 0 where there is none. One for all layers also as a list. */
static double number_of(const struct model_change *change, const char *gguf, const char *config)
{
    const sinpos_metadata *value = ask_gguf(change, gguf);
    value = value == NULL ? ask_config(change, config) : value;
    if (value == NULL)
        return 0;
    if (value->kind != SINPOS_METADATA_NUMBERS)
        return value->real;
    for (size_t i = 1; i < value->n; i++)
        if (value->numbers[i] != value->numbers[0])
            return 0;
    return value->n == 0 ? 0 : value->numbers[0];
}

static size_t count_of(const struct model_change *change, const char *gguf, const char *config)
{
    const double number = number_of(change, gguf, config);
    return number >= 1 && number <= 1e6 ? (size_t)number : 0;
}

static const char *model_type(const struct model_change *change)
{
    const sinpos_metadata *type = sinpos_model_metadata(change->model, "config.model_type");
    return type == NULL || type->text == NULL ? "" : type->text;
}

static void find_heads(struct model_change *change)
{
    const struct options *options = change->options;
    change->n_heads =
        options->heads > 0 ? options->heads : count_of(change, ".attention.head_count", "num_attention_heads");
    change->n_kv_heads =
        options->kv_heads > 0 ? options->kv_heads : count_of(change, ".attention.head_count_kv", "num_key_value_heads");
    if (change->n_heads == 0) {
        fail(EXIT_USAGE, "say --heads H, and --kv-heads K where keys have fewer", "--heads",
             "is needed: neither the model nor its config.json states it");
    }
    if (change->n_kv_heads == 0)
        change->n_kv_heads = change->n_heads;
    change->base = number_of(change, ".rope.freq_base", "rope_theta");
    change->base = change->base > 1 ? change->base : 10000;
}

static size_t find_rotary(const struct model_change *change)
{
    const size_t said = count_of(change, ".rope.dimension_count", "rotary_dim");
    double part = number_of(change, "?", "partial_rotary_factor");
    part = part > 0 ? part : number_of(change, "?", "rotary_pct");
    part = part == 0 && strcmp(model_type(change), "gpt_neox") == 0 ? 0.25 : part; /* its class's default */
    if (change->options->rotary_dim > 0)
        return change->options->rotary_dim;
    if (said > 0)
        return said;
    return part > 0 && part <= 1 ? (size_t)((double)change->head_dim * part) : change->head_dim;
}

/* ------------------------------------------------------------------------------------------------ tensors */

static noreturn void refuse_tensor(const char *name, const char *hint, const char *why)
{
    fail(EXIT_FILE, hint, name, "%s", why);
}

/* *part receives what follows the name. FUSED_NOT: the model's code is not known to have such a tensor. */
static enum fused fused_layout(const struct model_change *change, const char *name, const char **part)
{
    const bool is_gguf = sinpos_model_metadata(change->model, "general.architecture") != NULL;
    for (size_t k = 0; k < COUNT(fused_models); k++) {
        const struct fused_model *model = &fused_models[k];
        const bool is_one = model->types == NULL ? is_gguf : list_has_word(model->types, model_type(change));
        *part = is_one ? after_any(name, &model->name, 1) : NULL;
        if (*part != NULL)
            return model->layout;
    }
    return FUSED_NOT;
}

static void add_moved(struct model_change *change, size_t i, bool is_key, bool is_norm)
{
    const sinpos_tensor *tensor = sinpos_model_tensor(change->model, i);
    const sinpos_array *array = &tensor->array;
    change->moved = memory_grow(change->moved, change->n_moved, &change->moved_room, sizeof *change->moved);
    size_t n_rows = array->n_dims == 0 ? 0 : array->shape[0];
    n_rows = is_norm && array->n_dims == 2 ? n_rows * array->shape[1] : n_rows;
    if (n_rows == 0 || array->n_dims > 2 || tensor->bytes == 0)
        refuse_tensor(tensor->name, "choose others with --tensors", "has no rows, or more than two dimensions");
    if (tensor->bytes % n_rows != 0) {
        refuse_tensor(tensor->name, "convert it to a type whose rows are whole bytes",
                      "has rows that are not a whole number of bytes");
    }
    change->moved[change->n_moved++] = (struct moved_tensor){.tensor = i,
                                                             .is_key = is_key,
                                                             .is_norm = is_norm,
                                                             .is_bias = !is_norm && array->n_dims == 1,
                                                             .n_rows = n_rows,
                                                             .row_bytes = (size_t)(tensor->bytes / n_rows)};
    change->has_stand_ins = change->has_stand_ins || !is_float(array->element);
}

static void add_fused(struct model_change *change, size_t i, enum fused layout, const char *part)
{
    const sinpos_tensor *tensor = sinpos_model_tensor(change->model, i);
    const enum part kind = part_of(part, tensor);
    if (kind == PART_UNKNOWN) {
        refuse_tensor(tensor->name, "only weights and biases whose rows lie one after the other can be moved",
                      "belongs to a projection of q, k and v, and how its rows lie is not known");
    }
    if (kind == PART_ROWS) {
        add_moved(change, i, false, false);
        change->moved[change->n_moved - 1].fused = layout;
    }
}

static noreturn void refuse_fused(const char *name)
{
    refuse_tensor(name, "split it into q, k and v first",
                  "is q, k and v in one tensor, of which sinpos does not know the order");
}

/* By the usual names. */
static void take_by_name(struct model_change *change, size_t i)
{
    const sinpos_tensor *tensor = sinpos_model_tensor(change->model, i);
    const char *query = after_any(tensor->name, projections, COUNT(projections));
    const char *key = after_any(tensor->name, key_projections, COUNT(key_projections));
    const char *part = query != NULL ? query : key;
    if (is_elsewhere(tensor->name))
        return;
    const char *rest;
    const enum fused layout = fused_layout(change, tensor->name, &rest);
    const enum part kind = part == NULL ? PART_NONE : part_of(part, tensor);
    const bool is_norm = after_any(tensor->name, norms, COUNT(norms)) != NULL;
    const bool is_key_norm = after_any(tensor->name, key_norms, COUNT(key_norms)) != NULL;
    if (layout != FUSED_NOT) {
        add_fused(change, i, layout, rest);
    } else if (kind == PART_UNKNOWN) {
        refuse_tensor(tensor->name, "only weights and biases whose rows lie one after the other can be moved",
                      "belongs to a projection of q or k, and how its rows lie is not known");
    } else if (kind == PART_ROWS) {
        add_moved(change, i, query == NULL, false);
    } else if (kind == PART_NONE && (is_norm || is_key_norm)) {
        add_moved(change, i, is_key_norm, true);
    }
}

/* By the patterns of --tensors. */
static void take_by_pattern(struct model_change *change, size_t i, const char *patterns)
{
    const char *name = sinpos_model_tensor(change->model, i)->name;
    if (!is_listed(patterns, name))
        return;
    const char *rest;
    const enum fused layout = fused_layout(change, name, &rest);
    if (layout != FUSED_NOT) {
        add_fused(change, i, layout, rest);
        return;
    }
    if (after_any(name, fused, COUNT(fused)) != NULL)
        refuse_fused(name);
    const int is_key = key_or_query(name);
    if (is_key < 0 && change->n_heads != change->n_kv_heads) {
        refuse_tensor(name, "convert queries and keys one after the other, with --heads alone",
                      "has a name that does not say whether it belongs to queries or to keys");
    }
    const bool is_norm = ends_with(name, "norm.weight") || ends_with(name, "norm.bias");
    add_moved(change, i, is_key > 0, is_norm);
}

static noreturn void fail_none(const struct model_change *change)
{
    for (size_t i = 0; i < sinpos_model_tensors(change->model); i++) {
        const char *name = sinpos_model_tensor(change->model, i)->name;
        if (!is_elsewhere(name) && after_any(name, fused, COUNT(fused)) != NULL)
            refuse_fused(name);
    }
    fail(EXIT_FILE, "choose them with --tensors 'GLOB,...'", change->options->operands[0],
         change->options->given[OPTION_TENSORS] != NULL ? "holds no tensor that --tensors names"
                                                        : "holds no projection of q or k by its usual name");
}

static int compare_places(const void *a, const void *b, const sinpos_model *model)
{
    const sinpos_tensor *s = sinpos_model_tensor(model, ((const struct moved_tensor *)a)->tensor);
    const sinpos_tensor *t = sinpos_model_tensor(model, ((const struct moved_tensor *)b)->tensor);
    if (s->file != t->file)
        return s->file < t->file ? -1 : 1;
    return s->offset < t->offset ? -1 : s->offset > t->offset;
}

/* As they lie in the files, which is nearly the order they come in. */
static void sort_moved(struct model_change *change)
{
    for (size_t i = 1; i < change->n_moved; i++) {
        const struct moved_tensor moved = change->moved[i];
        size_t k = i;
        for (; k > 0 && compare_places(&change->moved[k - 1], &moved, change->model) > 0; k--)
            change->moved[k] = change->moved[k - 1];
        change->moved[k] = moved;
    }
}

static bool has_groups(const struct model_change *change)
{
    for (size_t i = 0; i < change->n_moved; i++)
        if (change->moved[i].fused == FUSED_GROUPS)
            return true;
    return false;
}

static const struct moved_tensor *first_projection(const struct model_change *change)
{
    for (size_t i = 0; i < change->n_moved; i++)
        if (!change->moved[i].is_norm)
            return &change->moved[i];
    return NULL;
}

static size_t heads_of(const struct model_change *change, const struct moved_tensor *moved)
{
    const size_t all = change->n_heads + 2 * change->n_kv_heads;
    return moved->fused != FUSED_NOT ? all : moved->is_key ? change->n_kv_heads : change->n_heads;
}

/* Rows of a head, those of them that are rotated, and whether every tensor has whole heads. */
static void check_heads(struct model_change *change)
{
    const struct moved_tensor *first = first_projection(change);
    const size_t said = count_of(change, ".attention.key_length", "head_dim");
    if (first == NULL)
        fail_none(change);
    const size_t n_first = heads_of(change, first);
    change->head_dim = said > 0 && change->options->heads == 0 ? said : first->n_rows / n_first;
    for (size_t i = 0; i < change->n_moved; i++) {
        const struct moved_tensor *moved = &change->moved[i];
        const size_t n = heads_of(change, moved);
        const bool is_whole = change->head_dim > 0 && (moved->is_norm ? moved->n_rows % change->head_dim == 0
                                                                      : moved->n_rows == n * change->head_dim);
        if (!is_whole) {
            fail(EXIT_FILE, "check --heads and --kv-heads, or choose tensors with --tensors",
                 sinpos_model_tensor(change->model, moved->tensor)->name,
                 "has %zu rows, which are not %zu heads of %zu", moved->n_rows,
                 moved->is_norm ? moved->n_rows / (change->head_dim + !change->head_dim) : n, change->head_dim);
        }
    }
    if (has_groups(change) && change->n_heads % change->n_kv_heads != 0) {
        fail(EXIT_USAGE, "check --heads and --kv-heads", "--kv-heads",
             "%zu heads of queries are not shared evenly by %zu of keys", change->n_heads, change->n_kv_heads);
    }
    change->rotary_dim = find_rotary(change);
    if (change->rotary_dim < 2 || change->rotary_dim % 2 != 0 || change->rotary_dim > change->head_dim) {
        char what[60];
        snprintf(what, sizeof what, "--rotary-dim %zu", change->rotary_dim);
        fail(EXIT_USAGE, "say --rotary-dim R", what, "must be even, and at most the %zu rows of a head",
             change->head_dim);
    }
}

void model_find_rows(struct model_change *change)
{
    const char *patterns = change->options->given[OPTION_TENSORS];
    find_heads(change);
    for (size_t i = 0; i < sinpos_model_tensors(change->model); i++)
        if (patterns == NULL)
            take_by_name(change, i);
        else
            take_by_pattern(change, i, patterns);
    if (change->n_moved == 0)
        fail_none(change);
    sort_moved(change);
    check_heads(change);
}

bool is_pairing(const char *name)
{
    return strcmp(name, "half") == 0 || strcmp(name, "pair") == 0;
}

size_t moved_row(const struct model_change *change, size_t r)
{
    const size_t half = change->rotary_dim / 2;
    if (r >= change->rotary_dim)
        return r;
    if (change->to_pair)
        return r % 2 == 0 ? r / 2 : r / 2 + half;
    return r < half ? 2 * r : 2 * (r - half) + 1;
}

enum head_role role_of_head(const struct model_change *change, const struct moved_tensor *moved, size_t head)
{
    const size_t n = change->n_heads, n_kv = change->n_kv_heads, group = n / n_kv;
    size_t in_group = head % (group + 2);
    switch (moved->fused) {
    case FUSED_PARTS: return head < n ? HEAD_QUERY : head < n + n_kv ? HEAD_KEY : HEAD_VALUE;
    case FUSED_GROUPS: return in_group < group ? HEAD_QUERY : in_group == group ? HEAD_KEY : HEAD_VALUE;
    case FUSED_NOT: break;
    }
    return moved->is_key ? HEAD_KEY : HEAD_QUERY;
}
