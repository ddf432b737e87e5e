#include "model_config.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "words.h"

static int complain(const struct model_config *c, int outcome, const char *hint, const char *why, ...)
    __attribute__((format(printf, 4, 5)));

static int complain(const struct model_config *c, int outcome, const char *hint, const char *why, ...)
{
    va_list arguments;
    va_start(arguments, why);
    vsnprintf(c->report->why, sizeof c->report->why, why, arguments);
    va_end(arguments);
    snprintf(c->report->hint, sizeof c->report->hint, "%s", hint);
    c->report->about[0] = '\0';
    return outcome;
}

static int complain_config(const struct model_config *c, const char *hint, const char *why)
{
    return complain(c, CONFIG_FILE, hint, "%s", why);
}

static const config_value *unless_null(const config_value *value)
{
    return config_is(value, CONFIG_NULL) ? NULL : value;
}

/* The first of the names, separated by blanks, that the language model's part states; NULL stands for none. */
static const config_value *stated(const struct model_config *c, const char *names)
{
    for (; *names != '\0'; names += strcspn(names, " "), names += *names == ' ') {
        char name[64];
        snprintf(name, sizeof name, "%.*s", (int)strcspn(names, " "), names);
        const config_value *value = unless_null(config_get(c->text, name));
        value = value != NULL ? value : unless_null(config_get(config_get(c->text, "attn_config"), name));
        value = value != NULL ? value : unless_null(config_get(c->all, name));
        if (value != NULL)
            return value;
    }
    return NULL;
}

/* The old name wins over the new one, and a block without anything in it is none. */
static const config_value *rope_block(const struct model_config *c)
{
    const config_value *const places[] = {c->text, config_get(c->text, "attn_config"), c->all};
    static const char *const names[] = {"rope_scaling", "rope_parameters"};
    for (size_t k = 0; k < 2 * sizeof places / sizeof places[0]; k++) {
        const config_value *block = config_get(places[k / 2], names[k % 2]);
        if (config_members(block) > 0)
            return block;
    }
    return NULL;
}

/* One may hold another. */
static const config_value *text_part(const config_value *all)
{
    static const char *const names[] = {"thinker_config", "text_config", "language_config", "llm_config",
                                        "global_config"};
    enum { DEPTH = 4, NAMES = sizeof names / sizeof names[0] };
    const config_value *part = all;
    for (size_t k = 0; k < DEPTH * NAMES; k++) {
        const config_value *inner = config_get(part, names[k % NAMES]);
        part = config_is(inner, CONFIG_OBJECT) ? inner : part;
    }
    return part;
}

static double number_or(const config_value *value, double otherwise)
{
    return config_is(value, CONFIG_NUMBER) ? config_number(value) : otherwise;
}

/* ---------------------------------------------------------------------------------------------------------- layers */

static const char *const full = "full_attention", *const sliding = "sliding_attention";

/* Does layer i have rotary positions? For models that list those without them. */
static bool layer_turns(const struct model_config *c, size_t i)
{
    const config_value *list = stated(c, "no_rope_layers");
    const double every = number_or(stated(c, "no_rope_layer_interval"), 4);
    return config_size(list) > 0 ? number_or(config_at(list, i), 1) != 0 : fmod((double)i + 1, every) != 0;
}

/* The kind of layer i; of models that list those without rotary positions also where the file does not say. */
static const char *layer_kind(const struct model_config *c, size_t i)
{
    const char *kind = config_text(config_at(stated(c, "layer_types"), i));
    if (kind != NULL || c->model == NULL || c->model->unrotated != UNROTATED_LISTED)
        return kind;
    if (strncmp(c->type, "llama4", 6) == 0)
        return layer_turns(c, i) ? "chunked_attention" : full;
    const bool has_window =
        config_is(stated(c, "use_sliding_window"), CONFIG_TRUE) && stated(c, "sliding_window") != NULL;
    return has_window && !layer_turns(c, i) ? sliding : full;
}

static size_t count_layers(const struct model_config *c)
{
    const double n = number_or(stated(c, "num_hidden_layers num_layers n_layers"), 48);
    return n >= 1 && n < 1e6 ? (size_t)n : 48;
}

static bool any_layer_turns(const struct model_config *c, const char *kind)
{
    for (size_t i = 0; i < count_layers(c); i++)
        if (strcmp(layer_kind(c, i), kind) == 0 && layer_turns(c, i))
            return true;
    return false;
}

static bool kind_turns(const struct model_config *c, const char *kind)
{
    switch (c->model == NULL ? UNROTATED_NONE : c->model->unrotated) {
    case UNROTATED_LISTED: return any_layer_turns(c, kind);
    case UNROTATED_FULL: return strcmp(kind, full) != 0;
    case UNROTATED_FULL_BESIDE:
        return strcmp(kind, full) != 0 || config_is(config_get(c->text, "sliding_window"), CONFIG_NULL);
    case UNROTATED_NONE: break;
    }
    return true;
}

static int complain_unrotated(const struct model_config *c, const char *why)
{
    return complain(c, CONFIG_USAGE, "without --layers, the layers that have them are used", "%s", why);
}

/* --layers N: the kind of layer N, counted from 0. */
static int choose_layer(struct model_config *c, const char *number)
{
    char why[160];
    const size_t i = (size_t)strtoull(number, NULL, 10);
    c->layers = layer_kind(c, i);
    if (i >= count_layers(c) || c->layers == NULL) {
        snprintf(why, sizeof why, "it does not say of which type layer %.20s is", number);
        return complain_config(c, "name the type: full_attention or sliding_attention", why);
    }
    const bool is_listed = c->model != NULL && c->model->unrotated == UNROTATED_LISTED;
    if (is_listed ? layer_turns(c, i) : kind_turns(c, c->layers))
        return CONFIG_DONE;
    snprintf(why, sizeof why, "layer %.20s has no rotary positions", number);
    return complain_unrotated(c, why);
}

/* The kind that is asked for; else the first with rotary positions, where full attention is the usual one. */
static int choose_kind(struct model_config *c, const char *asked)
{
    static const char *const kinds[] = {"full_attention", "sliding_attention", "chunked_attention"};
    const char *const global = asked != NULL && strcmp(asked, "global") == 0 ? full : asked;
    char why[160];
    c->layers = global != NULL && strcmp(global, "local") == 0 ? sliding : global;
    if (asked != NULL && asked[0] >= '0' && asked[0] <= '9')
        return choose_layer(c, asked);
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0] && c->layers == NULL; k++)
        c->layers = kind_turns(c, kinds[k]) ? kinds[k] : NULL;
    if (c->layers == NULL)
        return complain_unrotated(c, "none of its layers has rotary positions");
    if (!kind_turns(c, c->layers)) {
        snprintf(why, sizeof why, "layers of type %.60s have no rotary positions", c->layers);
        return complain_unrotated(c, why);
    }
    return CONFIG_DONE;
}

static bool is_deepseek_v4(const struct model_config *c)
{
    return strcmp(c->type, "deepseek_v4") == 0;
}

/* DeepSeek V4 has two blocks: that of layers which compress, and the main one. */
static bool is_compressed(const struct model_config *c)
{
    return is_deepseek_v4(c) && (strncmp(c->layers, "compress", 8) == 0 || strstr(c->layers, "_compressed_") != NULL);
}

static bool has_blocks(const config_value *rope)
{
    for (size_t k = 0; k < config_members(rope); k++) {
        const config_value *value = &rope->items[k];
        if (config_is(value, CONFIG_OBJECT))
            return true;
    }
    return false;
}

/* Of rope_parameters by kinds of layers the one that is asked for. */
static int choose_layers(struct model_config *c, const char *asked)
{
    int code = choose_kind(c, asked);
    if (code != CONFIG_DONE)
        return code;
    const config_value *first = config_members(c->rope) > 0 ? &c->rope->items[0] : NULL;
    c->is_sliding = strcmp(c->layers, sliding) == 0;
    c->by_kind = has_blocks(c->rope);
    if (!c->by_kind)
        return CONFIG_DONE;
    const config_value *rope = config_get(c->rope, !is_deepseek_v4(c) ? c->layers
                                                   : is_compressed(c) ? "compress"
                                                                      : "main");
    rope = rope == NULL && asked == NULL ? first : rope;
    if (config_is(rope, CONFIG_NULL))
        return complain_unrotated(c, "these layers have no rotary positions");
    if (!config_is(rope, CONFIG_OBJECT)) {
        char why[160], hint[200] = "it has";
        snprintf(why, sizeof why, "it has no rope parameters for layers of type %.60s", c->layers);
        for (size_t k = 0; k < config_members(c->rope) && strlen(hint) < 120; k++)
            snprintf(hint + strlen(hint), sizeof hint - strlen(hint), " %.40s", c->rope->names[k]);
        return complain_config(c, hint, why);
    }
    c->rope = rope;
    return CONFIG_DONE;
}

static const char *convention_of(const struct model_config *c)
{
    if (c->model == NULL ||
        (c->model->may_be_half && config_is(stated(c, "rope_interleave original_rope"), CONFIG_FALSE)))
        return "hf_rope";
    return c->model->convention;
}

/* Whether the whole model goes without. */
static int check_rotary(const struct model_config *c)
{
    const char *word = config_text(stated(c, "position_embedding_type"));
    const bool other =
        word != NULL && (list_has_word("alibi nope", word) || (c->model != NULL && c->model->rotary_word != NULL &&
                                                               strcmp(word, c->model->rotary_word) != 0));
    if (other || config_is(stated(c, "alibi use_alibi"), CONFIG_TRUE))
        return complain(c, CONFIG_USAGE, "it has positions of another kind", "it has no rotary positions");
    if (c->model == NULL && c->rope == NULL &&
        stated(c, "rope_theta rotary_dim rotary_pct rotary_emb_base partial_rotary_factor global_rope_theta "
                  "rope_ratio") == NULL) {
        return complain(c, CONFIG_USAGE, "rope_parameters, rope_scaling or rope_theta state them",
                        "it states no rotary positions");
    }
    return CONFIG_DONE;
}

/* ------------------------------------------------------------------------------------------------------- parameters */

static const char *const context_names = "max_position_embeddings n_positions max_seq_len seq_length";

/* A field of the rope block, or of the file. */
static const config_value *rope_field(const struct model_config *c, const char *name)
{
    const config_value *value = unless_null(config_get(c->rope, name));
    return value == NULL ? stated(c, name) : value;
}

static config_value head_dim(const struct model_config *c)
{
    const config_value *direct = c->is_sliding ? NULL : stated(c, "global_head_dim");
    direct =
        direct != NULL
            ? direct
            : stated(c, is_deepseek_v4(c) ? "head_dim" : "qk_rope_head_dim head_dim attention_head_size kv_channels");
    if (direct != NULL)
        return config_copy(direct);
    const struct model_type none = {0}, *usual = c->model == NULL ? &none : c->model;
    if (usual->head > 0)
        return config_of_number(usual->head);
    const double hidden = number_or(stated(c, "hidden_size n_embd d_model"), usual->hidden);
    const double heads =
        number_or(stated(c, "num_attention_heads encoder_num_attention_heads n_head n_heads"), usual->heads);
    return hidden > 0 && heads > 0 ? config_of_number(floor(hidden / heads)) : config_copy(NULL);
}

/* Of one block for all layers, the theta of those that see a window stands beside it. */
static bool is_local(const struct model_config *c)
{
    return c->is_sliding && !c->by_kind &&
           (stated(c, "rope_local_base_freq") != NULL || (c->model != NULL && c->model->local > 0));
}

/* Such a block is not for layers that see a window, nor for those of DeepSeek V4 that do not compress. */
static bool is_plain(const struct model_config *c)
{
    const bool is_window =
        c->is_sliding && (stated(c, "rope_local_base_freq") != NULL || (c->model != NULL && c->model->window_is_plain));
    return !c->by_kind && (is_window || (is_deepseek_v4(c) && !is_compressed(c)));
}

static config_value rope_theta(const struct model_config *c)
{
    const double usual = c->model == NULL ? 0 : is_local(c) ? c->model->local : c->model->theta;
    const double otherwise = is_compressed(c) ? 160000 : usual > 0 ? usual : 10000;
    const config_value *value = is_local(c)                       ? stated(c, "rope_local_base_freq local_rope_theta")
                                : is_compressed(c) && !c->by_kind ? stated(c, "compress_rope_theta")
                                                                  : rope_field(c, "rope_theta");
    if (value == NULL && !is_local(c) && !is_compressed(c))
        value = stated(c, "global_rope_theta rotary_emb_base");
    const double ratio = value == NULL ? number_or(stated(c, "rope_ratio"), 1) : 1;
    return value != NULL ? config_copy(value) : config_of_number(otherwise * ratio);
}

/* The newest of its names. */
static config_value rope_type(const struct model_config *c)
{
    const char *type = config_text(config_get(c->rope, "rope_type"));
    type = type != NULL ? type : config_text(config_get(c->rope, "type"));
    if (type == NULL || strcmp(type, "mrope") == 0 || is_plain(c))
        type = "default";
    else if (strcmp(type, "su") == 0 || (strcmp(type, "yarn") == 0 && strcmp(c->type, "phi3") == 0))
        type = "longrope"; /* its earlier names */
    else if (strstr(type, "yarn") != NULL && strcmp(type, "telechat3-yarn") != 0)
        type = "yarn";
    return config_of_text(type);
}

static config_value partial(const struct model_config *c)
{
    const config_value *value = rope_field(c, "partial_rotary_factor");
    value = value != NULL ? value : stated(c, "rotary_pct rope_pct");
    const bool is_latent = stated(c, "qk_rope_head_dim") != NULL; /* that width turns as a whole */
    if (is_latent || (value == NULL && (c->model == NULL || c->model->partial == 0)))
        return config_of_null();
    return value != NULL ? config_copy(value) : config_of_number(c->model->partial);
}

/* What stands beside the block wins over what is in it, unless there is a block for each kind of layers. */
static config_value original_context(const struct model_config *c)
{
    const config_value *within = unless_null(config_get(c->rope, "original_max_position_embeddings"));
    const config_value *beside = c->by_kind ? NULL : stated(c, "original_max_position_embeddings");
    if (beside == NULL && !c->by_kind && c->model != NULL && c->model->original > 0)
        return config_of_number(c->model->original);
    return config_copy(beside != NULL ? beside : within);
}

static config_value rotary_columns(const struct model_config *c)
{
    const config_value *value = stated(c, "rotary_dim");
    return config_is(value, CONFIG_NUMBER) ? config_copy(value) : head_dim(c);
}

/* A value for the parameter, owned by the caller; NULL: the file states none. */
static config_value value_of(const struct model_config *c, const char *name)
{
    if (strcmp(name, "head_dim") == 0)
        return head_dim(c);
    if (strcmp(name, "dim") == 0)
        return rotary_columns(c);
    if (strcmp(name, "rotary_dim") == 0 && is_deepseek_v4(c))
        return config_copy(stated(c, "qk_rope_head_dim"));
    if (strcmp(name, "attention_factor") == 0 && is_deepseek_v4(c) && config_get(c->rope, name) == NULL)
        return config_of_number(1);
    if (strcmp(name, "rope_theta") == 0 || strcmp(name, "rotary_emb_base") == 0 || strcmp(name, "base") == 0)
        return rope_theta(c);
    if (strcmp(name, "rope_type") == 0)
        return rope_type(c);
    if (strcmp(name, "partial_rotary_factor") == 0)
        return partial(c);
    if (strcmp(name, "max_position_embeddings") == 0 || strcmp(name, "num_pos") == 0 ||
        strcmp(name, "num_positions") == 0)
        return config_copy(stated(c, context_names));
    if (strcmp(name, "original_max_position_embeddings") == 0)
        return original_context(c);
    static const char *const plain[] = {"factor",           "attention_factor", "beta_fast",   "beta_slow",
                                        "mscale",           "mscale_all_dim",   "truncate",    "short_factor",
                                        "long_factor",      "short_mscale",     "long_mscale", "low_freq_factor",
                                        "high_freq_factor", "mrope_section"};
    for (size_t k = 0; k < sizeof plain / sizeof plain[0]; k++)
        if (strcmp(name, plain[k]) == 0)
            return config_copy(config_get(c->rope, name));
    return config_copy(NULL);
}

/* -------------------------------------------------------------------------------------------------------- answers */

int model_config_open(struct model_config *c, const config_value *all, const char *layers, struct config_report *report)
{
    *c = (struct model_config){.all = all, .layers = full, .report = report};
    *report = (struct config_report){.why = ""};
    if (!config_is(all, CONFIG_OBJECT))
        return complain_config(c, "--from-config reads the config.json of a model", "is not a JSON object");
    c->text = text_part(c->all);
    c->rope = rope_block(c);
    c->type = config_text(stated(c, "model_type"));
    c->model = c->type == NULL ? NULL : model_type_find(c->type);
    c->type = c->type == NULL ? "" : c->type;
    return choose_layers(c, layers);
}

/* Which columns pair is nowhere in the file: of a model that is not known it is assumed. */
static int note_assumption(const struct model_config *c, bool is_strict)
{
    char what[120];
    snprintf(what, sizeof what, c->type[0] == '\0' ? "it states no model_type" : "model_type %.60s is not known",
             c->type);
    if (is_strict) {
        return complain(c, CONFIG_USAGE,
                        "--convention says which columns pair: hf_rope j and j + n, hf_cohere_rope 2j and 2j + 1",
                        "%s, so which columns pair is unknown", what);
    }
    snprintf(c->report->assumed, sizeof c->report->assumed,
             "%s; assumed: columns j and j + n pair, as in hf_rope (--convention says otherwise)", what);
    return CONFIG_DONE;
}

static int check_convention(const struct model_config *c, const char *given)
{
    if (sinpos_convention_text(sinpos_convention_find(given), "pairing") != NULL)
        return CONFIG_DONE;
    complain(c, CONFIG_USAGE, "leave --convention out: the file says which it is",
             "is not rotary; a config.json states rotary positions");
    snprintf(c->report->about, sizeof c->report->about, "--convention %.60s", given);
    return CONFIG_USAGE;
}

int model_config_convention(const struct model_config *c, const char *given, bool is_strict, const char **convention)
{
    int code = check_rotary(c);
    if (code != CONFIG_DONE)
        return code;
    *convention = given != NULL ? given : convention_of(c);
    if (given != NULL)
        return check_convention(c, given);
    return c->model == NULL ? note_assumption(c, is_strict) : CONFIG_DONE;
}

/* A text for rope_type alone; else a number, a list of numbers, a truth value, null. */
static bool is_suitable(const config_value *value, bool is_type)
{
    if (is_type || value->kind == CONFIG_TEXT)
        return is_type && value->kind == CONFIG_TEXT;
    for (size_t i = 0; value->kind == CONFIG_LIST && i < value->n; i++)
        if (!config_is(&value->items[i], CONFIG_NUMBER))
            return false;
    return value->kind != CONFIG_OBJECT && value->kind != CONFIG_OTHER;
}

/* Is there a whole number that no double holds? */
static bool is_rounded(const config_value *value)
{
    bool any = value->is_rounded;
    for (size_t i = 0; value->kind == CONFIG_LIST && i < value->n; i++)
        any = any || value->items[i].is_rounded;
    return any;
}

int model_config_parameter(const struct model_config *c, const char *name, bool has_width, config_value *value)
{
    char why[120];
    *value = value_of(c, name);
    if (value->kind == CONFIG_NONE && !has_width && list_has_word("head_dim dim", name))
        return complain_config(c, "--dim states it", "it states no head_dim, nor hidden_size and num_attention_heads");
    if (value->kind != CONFIG_NONE && !is_suitable(value, strcmp(name, "rope_type") == 0)) {
        snprintf(why, sizeof why, "%s is not what it should be", name);
        return complain_config(c, "it must be as the model's code takes it", why);
    }
    if (is_rounded(value)) {
        snprintf(why, sizeof why, "%s has a whole number beyond 2^53 that a double cannot hold", name);
        return complain_config(c, "conventions take whole numbers up to 2^53", why);
    }
    return CONFIG_DONE;
}

bool model_config_is_second_base(const sinpos_convention *convention, size_t k)
{
    return strcmp(sinpos_convention_parameter(convention, k, "name"), "rope_theta") == 0 &&
           strcmp(sinpos_convention_parameter(convention, k, "role"), "base") != 0;
}

size_t model_config_context(const struct model_config *c)
{
    const double n = number_or(stated(c, context_names), 0);
    return n >= 1 && n < 0x1p52 ? (size_t)n : 0;
}

const char *model_config_output(const sinpos_convention *convention)
{
    const char *output = sinpos_convention_text(convention, "output");
    const char *components = sinpos_convention_text(convention, "components");
    if (output == NULL || strcmp(output, "rotated") != 0)
        return NULL;
    return components != NULL && strcmp(components, "sc") == 0 ? "table" : "cos_sin";
}
