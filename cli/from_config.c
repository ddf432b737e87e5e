#include "from_config.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array_file.h"
#include "commands.h"
#include "encoding.h"
#include "model_types.h"
#include "parameters_json.h"
#include "spelling.h"

#ifdef SINPOS_HAVE_JANSSON
#include <jansson.h>
#include <sys/stat.h>

#define PATH_BYTES 4096

/* -------------------------------------------------------------------------------------------------------- the file */

struct config {
    char path[PATH_BYTES];
    json_t *all;
    json_t *text; /* the language model's part of it, or all of it */
    json_t *rope; /* rope_parameters or rope_scaling of the layers asked for; NULL if there is none */
    bool by_kind; /* the file has such a block for each kind of layers */
    const char *type;
    const struct model_type *model; /* NULL: unknown */
    const char *layers;             /* their kind */
    bool is_sliding;                /* layers that see a window only */
};

static int complain_config(const struct config *c, const char *hint, const char *why)
{
    return complain(EXIT_FILE, hint, c->path, "%s", why);
}

static json_t *unless_null(json_t *value)
{
    return json_is_null(value) ? NULL : value;
}

/* The first of the names, separated by blanks, that the language model's part states; NULL stands for none. */
static json_t *stated(const struct config *c, const char *names)
{
    for (; *names != '\0'; names += strcspn(names, " "), names += *names == ' ') {
        char name[64];
        snprintf(name, sizeof name, "%.*s", (int)strcspn(names, " "), names);
        json_t *value = unless_null(json_object_get(c->text, name));
        value = value != NULL ? value : unless_null(json_object_get(json_object_get(c->text, "attn_config"), name));
        value = value != NULL ? value : unless_null(json_object_get(c->all, name));
        if (value != NULL) {
            return value;
        }
    }
    return NULL;
}

/* The old name wins over the new one, and a block without anything in it is none. */
static json_t *rope_block(const struct config *c)
{
    json_t *const places[] = {c->text, json_object_get(c->text, "attn_config"), c->all};
    static const char *const names[] = {"rope_scaling", "rope_parameters"};
    for (size_t k = 0; k < 2 * sizeof places / sizeof places[0]; k++) {
        json_t *block = json_object_get(places[k / 2], names[k % 2]);
        if (json_object_size(block) > 0) {
            return block;
        }
    }
    return NULL;
}

/* One may hold another. */
static json_t *text_part(json_t *all)
{
    static const char *const names[] = {"thinker_config", "text_config", "language_config", "llm_config",
                                        "global_config"};
    enum { DEPTH = 4, NAMES = sizeof names / sizeof names[0] };
    json_t *part = all;
    for (size_t k = 0; k < DEPTH * NAMES; k++) {
        json_t *inner = json_object_get(part, names[k % NAMES]);
        part = json_is_object(inner) ? inner : part;
    }
    return part;
}

static double number_or(json_t *value, double otherwise)
{
    return json_is_number(value) ? json_number_value(value) : otherwise;
}

/* ---------------------------------------------------------------------------------------------------------- layers */

static const char *const full = "full_attention", *const sliding = "sliding_attention";

/* Does layer i have rotary positions? For models that list those without them. */
static bool layer_turns(const struct config *c, size_t i)
{
    const json_t *list = stated(c, "no_rope_layers");
    const double every = number_or(stated(c, "no_rope_layer_interval"), 4);
    return json_array_size(list) > 0 ? number_or(json_array_get(list, i), 1) != 0 : fmod((double)i + 1, every) != 0;
}

/* The kind of layer i; of models that list those without rotary positions also where the file does not say. */
static const char *layer_kind(const struct config *c, size_t i)
{
    const char *kind = json_string_value(json_array_get(stated(c, "layer_types"), i));
    if (kind != NULL || c->model == NULL || c->model->unrotated != UNROTATED_LISTED) {
        return kind;
    }
    if (strncmp(c->type, "llama4", 6) == 0) {
        return layer_turns(c, i) ? "chunked_attention" : full;
    }
    const bool has_window = json_is_true(stated(c, "use_sliding_window")) && stated(c, "sliding_window") != NULL;
    return has_window && !layer_turns(c, i) ? sliding : full;
}

static size_t count_layers(const struct config *c)
{
    const double n = number_or(stated(c, "num_hidden_layers num_layers n_layers"), 48);
    return n >= 1 && n < 1e6 ? (size_t)n : 48;
}

static bool any_layer_turns(const struct config *c, const char *kind)
{
    for (size_t i = 0; i < count_layers(c); i++) {
        if (strcmp(layer_kind(c, i), kind) == 0 && layer_turns(c, i)) {
            return true;
        }
    }
    return false;
}

static bool kind_turns(const struct config *c, const char *kind)
{
    switch (c->model == NULL ? UNROTATED_NONE : c->model->unrotated) {
    case UNROTATED_LISTED: return any_layer_turns(c, kind);
    case UNROTATED_FULL: return strcmp(kind, full) != 0;
    case UNROTATED_FULL_BESIDE:
        return strcmp(kind, full) != 0 || json_is_null(json_object_get(c->text, "sliding_window"));
    case UNROTATED_NONE: break;
    }
    return true;
}

static int complain_unrotated(const struct config *c, const char *why)
{
    return complain(EXIT_USAGE, "without --layers those are meant that have them", c->path, "%s", why);
}

/* --layers N: the kind of layer N, counted from 0. */
static int choose_layer(struct config *c, const char *number)
{
    char why[160];
    const size_t i = (size_t)strtoull(number, NULL, 10);
    c->layers = layer_kind(c, i);
    if (i >= count_layers(c) || c->layers == NULL) {
        snprintf(why, sizeof why, "it does not tell of which type layer %.20s is", number);
        return complain_config(c, "name the type: full_attention or sliding_attention", why);
    }
    const bool is_listed = c->model != NULL && c->model->unrotated == UNROTATED_LISTED;
    if (is_listed ? layer_turns(c, i) : kind_turns(c, c->layers)) {
        return EXIT_DONE;
    }
    snprintf(why, sizeof why, "layer %.20s has no rotary positions", number);
    return complain_unrotated(c, why);
}

/* The kind that is asked for; else the first with rotary positions, where full attention is the usual one. */
static int choose_kind(struct config *c, const char *asked)
{
    static const char *const kinds[] = {"full_attention", "sliding_attention", "chunked_attention"};
    const char *const global = asked != NULL && strcmp(asked, "global") == 0 ? full : asked;
    char why[160];
    c->layers = global != NULL && strcmp(global, "local") == 0 ? sliding : global;
    if (asked != NULL && asked[0] >= '0' && asked[0] <= '9') {
        return choose_layer(c, asked);
    }
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0] && c->layers == NULL; k++) {
        c->layers = kind_turns(c, kinds[k]) ? kinds[k] : NULL;
    }
    if (c->layers == NULL) {
        return complain_unrotated(c, "none of its layers has rotary positions");
    }
    if (!kind_turns(c, c->layers)) {
        snprintf(why, sizeof why, "layers of type %.60s have no rotary positions", c->layers);
        return complain_unrotated(c, why);
    }
    return EXIT_DONE;
}

static bool is_deepseek_v4(const struct config *c)
{
    return strcmp(c->type, "deepseek_v4") == 0;
}

/* DeepSeek V4 has two blocks: that of layers which compress, and the main one. */
static bool is_compressed(const struct config *c)
{
    return is_deepseek_v4(c) && (strncmp(c->layers, "compress", 8) == 0 || strstr(c->layers, "_compressed_") != NULL);
}

static bool has_blocks(json_t *rope)
{
    const char *name;
    json_t *value;
    json_object_foreach(rope, name, value)
    {
        if (json_is_object(value)) {
            return true;
        }
    }
    return false;
}

/* Of rope_parameters by kinds of layers the one that is asked for. */
static int choose_layers(struct config *c, const char *asked)
{
    int code = choose_kind(c, asked);
    if (code != EXIT_DONE) {
        return code;
    }
    void *first = json_object_iter(c->rope);
    c->is_sliding = strcmp(c->layers, sliding) == 0;
    c->by_kind = has_blocks(c->rope);
    if (!c->by_kind) {
        return EXIT_DONE;
    }
    json_t *rope = json_object_get(c->rope, !is_deepseek_v4(c) ? c->layers : is_compressed(c) ? "compress" : "main");
    rope = rope == NULL && asked == NULL ? json_object_iter_value(first) : rope;
    if (json_is_null(rope)) {
        return complain_unrotated(c, "these layers have no rotary positions");
    }
    if (!json_is_object(rope)) {
        char why[160], hint[200] = "it has";
        snprintf(why, sizeof why, "it has no rope parameters for layers of type %.60s", c->layers);
        for (void *at = first; at != NULL && strlen(hint) < 120; at = json_object_iter_next(c->rope, at)) {
            snprintf(hint + strlen(hint), sizeof hint - strlen(hint), " %.40s", json_object_iter_key(at));
        }
        return complain_config(c, hint, why);
    }
    c->rope = rope;
    return EXIT_DONE;
}

/* The folder of a model stands for its config.json. */
static void set_path(struct config *c, const char *given)
{
    const size_t n = strlen(given);
    struct stat there;
    const bool is_folder = stat(given, &there) == 0 && S_ISDIR(there.st_mode);
    snprintf(c->path, sizeof c->path, "%.4000s%s%s", given, is_folder && n > 0 && given[n - 1] != '/' ? "/" : "",
             is_folder ? "config.json" : "");
}

static int config_load(struct config *c, const struct options *options)
{
    char *text;
    json_error_t error;
    *c = (struct config){.layers = full};
    set_path(c, options->given[OPTION_FROM_CONFIG]);
    int code = text_file_load(c->path, &text);
    if (code != EXIT_DONE) {
        return code;
    }
    c->all = json_loads(text, JSON_DECODE_ANY, &error);
    free(text);
    if (c->all == NULL) {
        return complain(EXIT_FILE, "--from-config reads the config.json of a model", c->path, "line %d: %s", error.line,
                        error.text);
    }
    if (!json_is_object(c->all)) {
        return complain_config(c, "--from-config reads the config.json of a model", "is no JSON object");
    }
    c->text = text_part(c->all);
    c->rope = rope_block(c);
    c->type = json_string_value(stated(c, "model_type"));
    c->model = c->type == NULL ? NULL : model_type_find(c->type);
    c->type = c->type == NULL ? "" : c->type;
    return choose_layers(c, options->given[OPTION_LAYERS]);
}

static const char *convention_of(const struct config *c)
{
    if (c->model == NULL || (c->model->may_be_half && json_is_false(stated(c, "rope_interleave original_rope")))) {
        return "hf_rope";
    }
    return c->model->convention;
}

/* Whether the whole model goes without. */
static int check_rotary(const struct config *c)
{
    const char *word = json_string_value(stated(c, "position_embedding_type"));
    const bool other =
        word != NULL && (list_has_word("alibi nope", word) || (c->model != NULL && c->model->rotary_word != NULL &&
                                                               strcmp(word, c->model->rotary_word) != 0));
    if (other || json_is_true(stated(c, "alibi use_alibi"))) {
        return complain(EXIT_USAGE, "it has positions of another kind", c->path, "it has no rotary positions");
    }
    if (c->model == NULL && c->rope == NULL &&
        stated(c, "rope_theta rotary_dim rotary_pct rotary_emb_base partial_rotary_factor global_rope_theta "
                  "rope_ratio") == NULL) {
        return complain(EXIT_USAGE, "rope_parameters, rope_scaling or rope_theta would tell of them", c->path,
                        "it states no rotary positions");
    }
    return EXIT_DONE;
}

/* Which columns pair is nowhere in the file: of a model that is not known it is assumed. */
static int tell_assumption(const struct config *c, const struct options *options)
{
    char what[120];
    snprintf(what, sizeof what, c->type[0] == '\0' ? "it states no model_type" : "model_type %.60s is not known",
             c->type);
    if (options->given[OPTION_STRICT] != NULL) {
        return complain(EXIT_USAGE,
                        "--convention says which columns pair: hf_rope j and j + n, hf_cohere_rope 2j and 2j + 1",
                        c->path, "%s, and so not which columns pair", what);
    }
    warn(c->path, "%s; assumed: columns j and j + n pair, as in hf_rope (--convention says otherwise)", what);
    return EXIT_DONE;
}

int from_config_convention(struct options *options)
{
    struct config c;
    int code = config_load(&c, options);
    code = code == EXIT_DONE ? check_rotary(&c) : code;
    if (code == EXIT_DONE && options->given[OPTION_CONVENTION] == NULL && c.model == NULL) {
        code = tell_assumption(&c, options);
    }
    if (code == EXIT_DONE && options->given[OPTION_CONVENTION] == NULL) {
        options->given[OPTION_CONVENTION] = convention_of(&c);
    } else if (code == EXIT_DONE &&
               sinpos_convention_text(sinpos_convention_find(options->given[OPTION_CONVENTION]), "pairing") == NULL) {
        code = complain_option(options, OPTION_CONVENTION, "leave --convention out: the file tells which it is",
                               "is not rotary, and a config.json tells of rotary positions");
    }
    json_decref(c.all);
    return code;
}

/* ------------------------------------------------------------------------------------------------------- parameters */

static const char *const context_names = "max_position_embeddings n_positions max_seq_len seq_length";

/* A field of the rope block, or of the file. */
static json_t *rope_field(const struct config *c, const char *name)
{
    json_t *value = unless_null(json_object_get(c->rope, name));
    return value == NULL ? stated(c, name) : value;
}

static json_t *head_dim(const struct config *c)
{
    json_t *direct = c->is_sliding ? NULL : stated(c, "global_head_dim");
    direct =
        direct != NULL
            ? direct
            : stated(c, is_deepseek_v4(c) ? "head_dim" : "qk_rope_head_dim head_dim attention_head_size kv_channels");
    if (direct != NULL) {
        return json_incref(direct);
    }
    const struct model_type none = {0}, *usual = c->model == NULL ? &none : c->model;
    if (usual->head > 0) {
        return json_real(usual->head);
    }
    const double hidden = number_or(stated(c, "hidden_size n_embd d_model"), usual->hidden);
    const double heads =
        number_or(stated(c, "num_attention_heads encoder_num_attention_heads n_head n_heads"), usual->heads);
    return hidden > 0 && heads > 0 ? json_real(floor(hidden / heads)) : NULL;
}

/* Of one block for all layers, the theta of those that see a window stands beside it. */
static bool is_local(const struct config *c)
{
    return c->is_sliding && !c->by_kind &&
           (stated(c, "rope_local_base_freq") != NULL || (c->model != NULL && c->model->local > 0));
}

/* Such a block is not for layers that see a window, nor for those of DeepSeek V4 that do not compress. */
static bool is_plain(const struct config *c)
{
    const bool is_window =
        c->is_sliding && (stated(c, "rope_local_base_freq") != NULL || (c->model != NULL && c->model->window_is_plain));
    return !c->by_kind && (is_window || (is_deepseek_v4(c) && !is_compressed(c)));
}

static json_t *rope_theta(const struct config *c)
{
    const double usual = c->model == NULL ? 0 : is_local(c) ? c->model->local : c->model->theta;
    const double otherwise = is_compressed(c) ? 160000 : usual > 0 ? usual : 10000;
    json_t *value = is_local(c)                       ? stated(c, "rope_local_base_freq local_rope_theta")
                    : is_compressed(c) && !c->by_kind ? stated(c, "compress_rope_theta")
                                                      : rope_field(c, "rope_theta");
    if (value == NULL && !is_local(c) && !is_compressed(c)) {
        value = stated(c, "global_rope_theta rotary_emb_base");
    }
    const double ratio = value == NULL ? number_or(stated(c, "rope_ratio"), 1) : 1;
    return value != NULL ? json_incref(value) : json_real(otherwise * ratio);
}

/* The newest of its names. */
static json_t *rope_type(const struct config *c)
{
    const char *type = json_string_value(json_object_get(c->rope, "rope_type"));
    type = type != NULL ? type : json_string_value(json_object_get(c->rope, "type"));
    if (type == NULL || strcmp(type, "mrope") == 0 || is_plain(c)) {
        type = "default";
    } else if (strcmp(type, "su") == 0 || (strcmp(type, "yarn") == 0 && strcmp(c->type, "phi3") == 0)) {
        type = "longrope"; /* its earlier names */
    } else if (strstr(type, "yarn") != NULL) {
        type = "yarn";
    }
    return json_string(type);
}

static json_t *partial(const struct config *c)
{
    json_t *value = rope_field(c, "partial_rotary_factor");
    value = value != NULL ? value : stated(c, "rotary_pct rope_pct");
    const bool is_latent = stated(c, "qk_rope_head_dim") != NULL; /* that width turns as a whole */
    if (is_latent || (value == NULL && (c->model == NULL || c->model->partial == 0))) {
        return json_null();
    }
    return value != NULL ? json_incref(value) : json_real(c->model->partial);
}

/* What stands beside the block wins over what is in it, unless there is a block for each kind of layers. */
static json_t *original_context(const struct config *c)
{
    json_t *within = unless_null(json_object_get(c->rope, "original_max_position_embeddings"));
    json_t *beside = c->by_kind ? NULL : stated(c, "original_max_position_embeddings");
    if (beside == NULL && !c->by_kind && c->model != NULL && c->model->original > 0) {
        return json_real(c->model->original);
    }
    return json_incref(beside != NULL ? beside : within);
}

static json_t *rotary_columns(const struct config *c)
{
    json_t *value = stated(c, "rotary_dim");
    return json_is_number(value) ? json_incref(value) : head_dim(c);
}

/* A value for the parameter, owned by the caller; NULL: the file states none. */
static json_t *value_of(const struct config *c, const char *name)
{
    if (strcmp(name, "head_dim") == 0) {
        return head_dim(c);
    }
    if (strcmp(name, "dim") == 0) {
        return rotary_columns(c);
    }
    if (strcmp(name, "rotary_dim") == 0 && is_deepseek_v4(c)) {
        return json_incref(stated(c, "qk_rope_head_dim"));
    }
    if (strcmp(name, "attention_factor") == 0 && is_deepseek_v4(c) && json_object_get(c->rope, name) == NULL) {
        return json_integer(1);
    }
    if (strcmp(name, "rope_theta") == 0 || strcmp(name, "rotary_emb_base") == 0 || strcmp(name, "base") == 0) {
        return rope_theta(c);
    }
    if (strcmp(name, "rope_type") == 0) {
        return rope_type(c);
    }
    if (strcmp(name, "partial_rotary_factor") == 0) {
        return partial(c);
    }
    if (strcmp(name, "max_position_embeddings") == 0 || strcmp(name, "num_pos") == 0 ||
        strcmp(name, "num_positions") == 0) {
        return json_incref(stated(c, context_names));
    }
    if (strcmp(name, "original_max_position_embeddings") == 0) {
        return original_context(c);
    }
    static const char *const plain[] = {"factor",           "attention_factor", "beta_fast",   "beta_slow",
                                        "mscale",           "mscale_all_dim",   "truncate",    "short_factor",
                                        "long_factor",      "short_mscale",     "long_mscale", "low_freq_factor",
                                        "high_freq_factor", "mrope_section"};
    for (size_t k = 0; k < sizeof plain / sizeof plain[0]; k++) {
        if (strcmp(name, plain[k]) == 0) {
            return json_incref(json_object_get(c->rope, name));
        }
    }
    return NULL;
}

static int set_json(sinpos_parameters *parameters, const char *name, const json_t *value)
{
    char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(17));
    const size_t room = strlen(name) + (text == NULL ? 0 : strlen(text)) + 2;
    char *setting = text == NULL ? NULL : malloc(room);
    int code = EXIT_DONE;
    if (setting == NULL) {
        code = complain_memory();
    } else {
        snprintf(setting, room, "%s=%s", name, text);
        code = parameters_from_setting(parameters, setting);
    }
    free(text);
    free(setting);
    return code;
}

static int set_parameter(sinpos_parameters *parameters, const struct config *c, const struct options *options,
                         const char *name)
{
    json_t *value = value_of(c, name);
    if (value == NULL && (strcmp(name, "head_dim") == 0 || strcmp(name, "dim") == 0) &&
        options->given[OPTION_DIM] == NULL) {
        return complain_config(c, "--dim states it", "it states no head_dim, nor hidden_size and num_attention_heads");
    }
    if (value != NULL && json_is_string(value) != (strcmp(name, "rope_type") == 0)) {
        char why[120];
        snprintf(why, sizeof why, "%s is not what it should be", name);
        json_decref(value);
        return complain_config(c, "it must be as the model's code takes it", why);
    }
    const int code = value == NULL ? EXIT_DONE : set_json(parameters, name, value);
    json_decref(value);
    return code;
}

/* A table is of the cosines and sines that the source holds: sines first in one array, or two arrays. */
static int set_table(sinpos_parameters *parameters, const sinpos_convention *convention)
{
    const char *output = sinpos_convention_text(convention, "output");
    const char *components = sinpos_convention_text(convention, "components");
    if (output == NULL || strcmp(output, "rotated") != 0) {
        return EXIT_DONE;
    }
    const bool is_one = components != NULL && strcmp(components, "sc") == 0;
    const sinpos_status status = sinpos_parameters_set_text(parameters, "output", is_one ? "table" : "cos_sin");
    return status == SINPOS_OK ? EXIT_DONE : complain_status(status);
}

/* Another name of the base would win over the one that --base sets. */
static bool is_second_base(const sinpos_convention *convention, size_t k)
{
    return strcmp(sinpos_convention_parameter(convention, k, "name"), "rope_theta") == 0 &&
           strcmp(sinpos_convention_parameter(convention, k, "role"), "base") != 0;
}

int from_config_parameters(sinpos_parameters *parameters, const struct options *options)
{
    const sinpos_convention *convention = sinpos_convention_find(options->given[OPTION_CONVENTION]);
    const bool is_table = (options->command->bit & (COMMAND_TABLE | COMMAND_AUDIT)) != 0;
    struct config c;
    int code = config_load(&c, options);
    code = code == EXIT_DONE && is_table ? set_table(parameters, convention) : code;
    for (size_t k = 0; k < sinpos_convention_parameters(convention) && code == EXIT_DONE; k++) {
        const char *name = sinpos_convention_parameter(convention, k, "name");
        code = is_second_base(convention, k) ? EXIT_DONE : set_parameter(parameters, &c, options, name);
    }
    json_decref(c.all);
    return code;
}

size_t from_config_context(const struct options *options)
{
    struct config c = {0};
    double n = 0;
    if (options->given[OPTION_FROM_CONFIG] != NULL && config_load(&c, options) == EXIT_DONE) {
        n = number_or(stated(&c, context_names), 0);
    }
    json_decref(c.all);
    return n >= 1 && n < 0x1p52 ? (size_t)n : 0;
}

#else

static int no_json(void)
{
    return complain(EXIT_USAGE, "build it with Jansson", "--from-config", "this build reads no JSON");
}

int from_config_convention(struct options *options)
{
    (void)options;
    return no_json();
}

int from_config_parameters(sinpos_parameters *parameters, const struct options *options)
{
    (void)parameters;
    (void)options;
    return no_json();
}

size_t from_config_context(const struct options *options)
{
    (void)options;
    return 0;
}

#endif
