#include "from_config.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array_file.h"
#include "parameters_json.h"
#include "spelling.h"

#ifdef SINPOS_HAVE_JANSSON
#include <jansson.h>
#include <sys/stat.h>

#define PATH_BYTES 4096

/* What a model_type leaves unsaid; the defaults of its configuration class. */
struct model {
    const char *types; /* separated by blanks */
    const char *convention;
    double partial;       /* where the file states none; 0: all columns */
    double theta;         /* 0: 10000 */
    double local;         /* theta of layers that see a window only, which are not scaled; 0: as the others */
    double head;          /* columns of a head where the file states none; 0: hidden / heads */
    double hidden, heads; /* 0: the file states them */
};

static const struct model models[] = {
    {.types = "gptj codegen", .convention = "hf_gptj_rope"},
    {.types = "gpt_neox gpt_neox_japanese", .convention = "hf_gpt_neox_rope", .partial = 0.25},
    {.types = "roformer", .convention = "hf_roformer_rope"},
    {.types = "esm", .convention = "esm2_rotary"},
    {.types = "nanochat", .convention = "nanochat_rope"},
    {.types = "glm glm4", .convention = "hf_cohere_rope", .partial = 0.5, .head = 128},
    {.types = "cohere cohere2", .convention = "hf_cohere_rope"},
    {.types = "ernie4_5 ernie4_5_moe", .convention = "hf_cohere_rope", .theta = 500000},
    {.types = "deepseek_v3", .convention = "hf_deepseek_v3_rope"},
    {.types = "deepseek_v2", .convention = "hf_llama4_rope"},
    {.types = "llama4 llama4_text", .convention = "hf_llama4_rope", .theta = 500000},
    {.types = "qwen2_vl qwen2_vl_text qwen2_5_vl qwen2_5_vl_text qwen2_5_omni qwen2_5_omni_text qwen2_5_omni_thinker",
     .convention = "hf_qwen2vl_mrope",
     .theta = 1000000},
    {.types = "qwen3_vl qwen3_vl_text qwen3_vl_moe qwen3_vl_moe_text qwen3_5 qwen3_5_text qwen3_5_moe qwen3_5_moe_text",
     .convention = "hf_qwen3vl_imrope",
     .theta = 5000000},
    {.types = "glm4v glm4v_text", .convention = "hf_glm4v_mrope"},
    {.types = "ernie4_5_vl ernie4_5_vl_moe ernie4_5_vl_moe_text", .convention = "hf_ernie45vl_rope", .theta = 500000},
    {.types = "phi nemotron persimmon glm4_moe", .convention = "hf_rope", .partial = 0.5},
    {.types = "stablelm", .convention = "hf_rope", .partial = 0.25},
    {.types = "gemma3 gemma3_text gemma3n gemma3n_text",
     .convention = "hf_rope",
     .theta = 1000000,
     .local = 10000,
     .head = 256},
    {.types = "gemma gemma2", .convention = "hf_rope", .head = 256},
    {.types = "mixtral", .convention = "hf_rope", .theta = 1000000, .hidden = 4096, .heads = 32},
    {.types = "gpt_oss", .convention = "hf_rope", .theta = 150000, .head = 64},
    {.types = "qwen3", .convention = "hf_rope", .head = 128},
    {.types = "llama mistral qwen2", .convention = "hf_rope", .hidden = 4096, .heads = 32},
    {.types = "falcon olmo olmo2 phi3", .convention = "hf_rope"},
};

static const struct model *model_of(const char *type)
{
    for (size_t k = 0; k < sizeof models / sizeof models[0]; k++) {
        if (list_has_word(models[k].types, type)) {
            return &models[k];
        }
    }
    return NULL;
}

/* -------------------------------------------------------------------------------------------------------- the file */

struct config {
    char path[PATH_BYTES];
    json_t *all;
    json_t *text; /* the language model's part of it, or all of it */
    json_t *rope; /* rope_parameters or rope_scaling of the layers asked for; NULL if there is none */
    const char *type;
    const struct model *model; /* NULL: unknown */
    bool is_sliding;           /* layers that see a window only */
};

static int complain_config(const struct config *c, const char *hint, const char *why)
{
    return complain(EXIT_FILE, hint, c->path, "%s", why);
}

/* The first of the names, separated by blanks, that the language model's part states; NULL stands for none. */
static json_t *stated(const struct config *c, const char *names)
{
    for (; *names != '\0'; names += strcspn(names, " "), names += *names == ' ') {
        char name[64];
        snprintf(name, sizeof name, "%.*s", (int)strcspn(names, " "), names);
        json_t *value = json_object_get(c->text, name);
        value = value == NULL || json_is_null(value) ? json_object_get(c->all, name) : value;
        if (value != NULL && !json_is_null(value)) {
            return value;
        }
    }
    return NULL;
}

/* One may hold another. */
static json_t *text_part(json_t *all)
{
    static const char *const names[] = {"thinker_config", "text_config", "language_config", "llm_config"};
    enum { DEPTH = 4, NAMES = sizeof names / sizeof names[0] };
    json_t *part = all;
    for (size_t k = 0; k < DEPTH * NAMES; k++) {
        json_t *inner = json_object_get(part, names[k % NAMES]);
        part = json_is_object(inner) ? inner : part;
    }
    return part;
}

/* Of rope_parameters by kinds of layers the one that is asked for; full_attention unless told. */
static int choose_layers(struct config *c, const char *layers)
{
    void *first = json_object_iter(c->rope);
    const char *wanted = layers == NULL ? "full_attention" : layers;
    c->is_sliding = layers != NULL && strcmp(layers, "sliding_attention") == 0;
    if (c->rope == NULL || first == NULL || !json_is_object(json_object_iter_value(first))) {
        return EXIT_DONE;
    }
    json_t *rope = json_object_get(c->rope, wanted);
    if (!json_is_object(rope)) {
        char why[160], hint[200] = "it has";
        snprintf(why, sizeof why, "it has no rope parameters for layers of type %.60s", wanted);
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
    *c = (struct config){.is_sliding = false};
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
    c->rope = stated(c, "rope_parameters rope_scaling");
    c->rope = json_is_object(c->rope) ? c->rope : NULL;
    c->type = json_string_value(stated(c, "model_type"));
    c->model = c->type == NULL ? NULL : model_of(c->type);
    c->type = c->type == NULL ? "" : c->type;
    return choose_layers(c, options->given[OPTION_LAYERS]);
}

static const char *convention_of(const struct config *c)
{
    if (strcmp(c->type, "deepseek_v3") == 0 && json_is_false(stated(c, "rope_interleave"))) {
        return "hf_rope";
    }
    return c->model == NULL ? "hf_rope" : c->model->convention;
}

int from_config_convention(struct options *options)
{
    struct config c;
    int code = config_load(&c, options);
    if (code == EXIT_DONE && c.model == NULL && c.rope == NULL &&
        stated(&c, "rope_theta rotary_dim rotary_pct rotary_emb_base partial_rotary_factor") == NULL) {
        code = complain_config(&c, "rope_parameters, rope_scaling or rope_theta would tell of them",
                               "it states no rotary positions");
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

static double number_or(json_t *value, double otherwise)
{
    return json_is_number(value) ? json_number_value(value) : otherwise;
}

/* A field of the rope block, or of the file. */
static json_t *rope_field(const struct config *c, const char *names)
{
    json_t *value = c->rope == NULL ? NULL : json_object_get(c->rope, names);
    return value == NULL || json_is_null(value) ? stated(c, names) : value;
}

static json_t *head_dim(const struct config *c)
{
    json_t *direct = c->is_sliding ? NULL : stated(c, "global_head_dim");
    direct = direct != NULL ? direct : stated(c, "qk_rope_head_dim head_dim attention_head_size kv_channels");
    if (direct != NULL) {
        return json_incref(direct);
    }
    const struct model none = {0}, *usual = c->model == NULL ? &none : c->model;
    if (usual->head > 0) {
        return json_real(usual->head);
    }
    const double hidden = number_or(stated(c, "hidden_size n_embd d_model"), usual->hidden);
    const double heads = number_or(stated(c, "num_attention_heads n_head n_heads"), usual->heads);
    return hidden > 0 && heads > 0 ? json_real(floor(hidden / heads)) : NULL;
}

/* Gemma 3 states the window's theta beside the block, which is not for the window. */
static bool is_local(const struct config *c)
{
    return c->is_sliding && (stated(c, "rope_local_base_freq") != NULL || (c->model != NULL && c->model->local > 0)) &&
           (c->rope == NULL || json_object_get(c->rope, "rope_theta") == NULL);
}

static json_t *rope_theta(const struct config *c)
{
    const double otherwise = c->model == NULL ? 0 : is_local(c) ? c->model->local : c->model->theta;
    json_t *value = is_local(c) ? stated(c, "rope_local_base_freq") : rope_field(c, "rope_theta");
    value = value != NULL || is_local(c) ? value : stated(c, "rotary_emb_base");
    return value != NULL ? json_incref(value) : json_real(otherwise > 0 ? otherwise : 10000);
}

/* The newest of its names. */
static json_t *rope_type(const struct config *c)
{
    const char *type = c->rope == NULL ? NULL : json_string_value(json_object_get(c->rope, "rope_type"));
    type = type != NULL || c->rope == NULL ? type : json_string_value(json_object_get(c->rope, "type"));
    if (type == NULL || strcmp(type, "mrope") == 0 || is_local(c)) {
        type = "default";
    } else if (strcmp(type, "su") == 0) {
        type = "longrope";
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
    if (strcmp(name, "rope_theta") == 0 || strcmp(name, "base") == 0) {
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
        return json_incref(stated(c, "max_position_embeddings n_positions max_seq_len"));
    }
    static const char *const plain[] = {"original_max_position_embeddings",
                                        "factor",
                                        "attention_factor",
                                        "beta_fast",
                                        "beta_slow",
                                        "mscale",
                                        "mscale_all_dim",
                                        "truncate",
                                        "short_factor",
                                        "long_factor",
                                        "low_freq_factor",
                                        "high_freq_factor",
                                        "mrope_section"};
    for (size_t k = 0; k < sizeof plain / sizeof plain[0]; k++) {
        if (strcmp(name, plain[k]) == 0) {
            json_t *value = c->rope == NULL ? NULL : json_object_get(c->rope, name);
            const bool beside = strcmp(name, "original_max_position_embeddings") == 0;
            return json_incref(value == NULL && beside ? stated(c, name) : value);
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

int from_config_parameters(sinpos_parameters *parameters, const struct options *options)
{
    const sinpos_convention *convention = sinpos_convention_find(options->given[OPTION_CONVENTION]);
    struct config c;
    int code = config_load(&c, options);
    for (size_t k = 0; k < sinpos_convention_parameters(convention) && code == EXIT_DONE; k++) {
        code = set_parameter(parameters, &c, options, sinpos_convention_parameter(convention, k, "name"));
    }
    json_decref(c.all);
    return code;
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

#endif
