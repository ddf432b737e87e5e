#include "build.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

sinpos_status sinpos_parameters_create(sinpos_parameters **out)
{
    BOUNDARY;
    if (out == NULL)
        return SINPOS_E_NULL;
    *out = calloc(1, sizeof **out);
    return *out == NULL ? SINPOS_E_MEMORY : SINPOS_OK;
}

static void parameter_free(parameter *p)
{
    free(p->name);
    free(p->text);
    free(p->items);
}

void sinpos_parameters_destroy(sinpos_parameters *p)
{
    BOUNDARY;
    for (size_t k = 0; p != NULL && k < p->n; k++)
        parameter_free(&p->all[k]);
    if (p != NULL)
        free(p->all);
    free(p);
}

bool is_override(const char *name)
{
    return strncmp(name, "override.", strlen("override.")) == 0;
}

const parameter *parameters_find(const sinpos_parameters *p, const char *name)
{
    for (size_t k = 0; p != NULL && k < p->n; k++)
        if (strcmp(p->all[k].name, name) == 0)
            return &p->all[k];
    return NULL;
}

static bool make_room(sinpos_parameters *p)
{
    if (p->n < p->n_room)
        return true;
    const size_t room = p->n_room == 0 ? 16 : 2 * p->n_room;
    parameter *more = realloc(p->all, room * sizeof *more);
    if (more == NULL)
        return false;
    p->all = more;
    p->n_room = room;
    return true;
}

/* Takes what new owns, also on failure. */
static sinpos_status put(sinpos_parameters *p, const char *name, parameter new)
{
    const size_t n_name = strlen(name) + 1;
    new.v.g = -1;
    new.name = malloc(n_name);
    if (new.name == NULL || !make_room(p)) {
        parameter_free(&new);
        return SINPOS_E_MEMORY;
    }
    memcpy(new.name, name, n_name);
    parameter *old = (parameter *)parameters_find(p, name);
    if (old != NULL) {
        parameter_free(old);
        *old = new;
    } else {
        p->all[p->n++] = new;
    }
    return SINPOS_OK;
}

sinpos_status sinpos_parameters_set_null(sinpos_parameters *p, const char *name)
{
    BOUNDARY;
    return p == NULL || name == NULL ? SINPOS_E_NULL : put(p, name, (parameter){.v.kind = VALUE_NULL});
}

sinpos_status sinpos_parameters_set_flag(sinpos_parameters *p, const char *name, int flag)
{
    BOUNDARY;
    return sinpos_parameters_set_number(p, name, flag != 0);
}

sinpos_status sinpos_parameters_set_number(sinpos_parameters *p, const char *name, double x)
{
    BOUNDARY;
    parameter new = {.v.kind = VALUE_NUMBER};
    if (p == NULL || name == NULL)
        return SINPOS_E_NULL;
    real_set(&new.v.number, x);
    return isfinite(x) ? put(p, name, new) : SINPOS_E_VALUE;
}

sinpos_status sinpos_parameters_set_text(sinpos_parameters *p, const char *name, const char *text)
{
    BOUNDARY;
    if (p == NULL || name == NULL || text == NULL)
        return SINPOS_E_NULL;
    const size_t n = strlen(text);
    parameter new = {.text = malloc(n + 1), .v = {.kind = VALUE_TEXT, .n_text = n}};
    if (new.text == NULL)
        return SINPOS_E_MEMORY;
    memcpy(new.text, text, n + 1);
    new.v.text = new.text;
    return put(p, name, new);
}

sinpos_status sinpos_parameters_set_list(sinpos_parameters *p, const char *name, const double *values, size_t n_dims,
                                         const size_t *shape)
{
    BOUNDARY;
    size_t n = 1;
    if (p == NULL || name == NULL || shape == NULL)
        return SINPOS_E_NULL;
    if (n_dims == 0 || n_dims > LIST_DIMS)
        return SINPOS_E_SHAPE;
    parameter new = {.v = {.kind = VALUE_LIST, .n_dims = n_dims}};
    for (size_t k = 0; k < n_dims; k++) {
        if (shape[k] != 0 && n > SIZE_MAX / 16 / shape[k])
            return SINPOS_E_SHAPE;
        n *= shape[k];
        new.v.shape[k] = shape[k];
    }
    if (values == NULL && n > 0)
        return SINPOS_E_NULL;
    for (size_t k = 0; k < n; k++)
        if (!isfinite(values[k]))
            return SINPOS_E_VALUE;
    new.items = malloc(n * sizeof *values + 1);
    if (new.items == NULL)
        return SINPOS_E_MEMORY;
    if (n > 0)
        memcpy(new.items, values, n * sizeof *values);
    new.v.items = new.items;
    return put(p, name, new);
}

/* -------------------------------------------------------------------------------------------------------- binding */

bool is_one_of(const char *list, const char *word)
{
    const size_t n = strlen(word);
    for (const char *at = list; *at != '\0'; at += strcspn(at, " "), at += *at == ' ')
        if (strcspn(at, " ") == n && memcmp(at, word, n) == 0)
            return true;
    return false;
}

/* Usual words for parameters of a role, or of a name. */
static const char *const usual[][2] = {
    {"dim", "dim dims d_model d_model_size d_hid depth channels num_channels embed_dim embedding_dim embedding_size "
            "encoding_dim head_dim head_size rotary_dim qk_rope_head_dim hidden hidden_size d_feature demb n_embd "
            "num_pos_feats num_position_features"},
    {"base", "base theta rope_theta rope_base rotary_emb_base freq_base temperature max_wavelength max_timescale "
             "max_scale max_period"},
    {"length", "length n rows seq_len seq_length sequence_length max_len max_seq_len max_seq_length max_position "
               "max_positions max_source_positions max_time num_positions n_positions n_pos n_position "
               "num_embeddings end"},
    {"positions",
     "positions position pos position_ids pos_seq positions_hw input_pos timesteps t x ids bbox box coords "
     "pos_tensor"},
    {"start", "start start_index start_pos offset past_key_values_length"},
    {"frequencies", "frequencies freqs weight weights w matrix table gaussian_matrix"},
    {"tokens", "tokens input_ids input"},
    {"grid", "grid grid_size feat_shape shape size"},
    {"partial_rotary_factor", "rotary_pct"},
    {"padding_idx", "pad_idx pad_token_id"},
    {"legacy_pad_idx", "_legacy_pad_idx"},
};

/* The one parameter of that role or name; NULL if there are none or several. */
static const convention_parameter *of_role(const sinpos_convention *convention, const char *role)
{
    const convention_parameter *found = NULL;
    const size_t n = sinpos_convention_parameters(convention);
    for (size_t k = 0; k < n; k++) {
        const convention_parameter *p = &convention->parameters[k];
        if (strcmp(p->role, role) == 0 || strcmp(p->name, role) == 0) {
            if (found != NULL)
                return NULL;
            found = p;
        }
    }
    return found;
}

/* A size of the grid by another of the words for it. */
static const convention_parameter *by_grid_word(const sinpos_convention *convention, const char *word)
{
    static const char *const sizes[] = {"h height H num_patches_h", "w width W num_patches_w"};
    const size_t n = sinpos_convention_parameters(convention);
    for (size_t k = 0; k < n; k++) {
        const convention_parameter *p = &convention->parameters[k];
        for (size_t row = 0; row < 2 && strcmp(p->role, "grid") == 0; row++)
            if (is_one_of(sizes[row], word) && is_one_of(sizes[row], p->name))
                return p;
    }
    return NULL;
}

static const convention_parameter *by_usual_word(const sinpos_convention *convention, const char *word)
{
    const convention_parameter *found = by_grid_word(convention, word);
    for (size_t row = 0; row < sizeof usual / sizeof usual[0] && found == NULL; row++)
        found = is_one_of(usual[row][1], word) ? of_role(convention, usual[row][0]) : NULL;
    return found;
}

/* Arguments of sources that say where and in which type to compute, or act in training alone: they change no value. */
static bool is_of_no_effect(const char *name)
{
    return is_one_of("device dtype output_type dropout dropout_rate dropout_p init_size shift_coords jitter_coords "
                     "rescale_coords learned_freq seq_before_head_dim cache_if_possible cache_max_seq_len input_dims "
                     "attn_implementation freqs_init_fn",
                     name);
}

static const convention_parameter *parameter_named(const sinpos_convention *convention, const char *name)
{
    const size_t n = sinpos_convention_parameters(convention);
    for (size_t k = 0; k < n; k++)
        if (strcmp(convention->parameters[k].name, name) == 0)
            return &convention->parameters[k];
    return NULL;
}

/* By its own name, in the rope block of a configuration too, or by a usual word. */
static const convention_parameter *parameter_known(const sinpos_convention *convention, const char *name)
{
    static const char *const blocks[] = {"rope_parameters.", "rope_scaling."};
    const convention_parameter *p = parameter_named(convention, name);
    for (size_t k = 0; p == NULL && k < sizeof blocks / sizeof blocks[0]; k++) {
        const size_t n = strlen(blocks[k]);
        const char *inner = strncmp(name, blocks[k], n) == 0 ? name + n : "";
        p = parameter_named(convention, strcmp(inner, "type") == 0 ? "rope_type" : inner);
    }
    return p != NULL ? p : by_usual_word(convention, name);
}

bool parameter_is_known(const sinpos_convention *convention, const char *name)
{
    return parameter_known(convention, name) != NULL;
}

static bool is_usual_word(const char *role, const char *word)
{
    for (size_t row = 0; row < sizeof usual / sizeof usual[0]; row++)
        if (strcmp(usual[row][0], role) == 0)
            return is_one_of(usual[row][1], word);
    return false;
}

const parameter *parameters_of_rows(const sinpos_parameters *given, const sinpos_convention *convention,
                                    const char *name)
{
    const parameter *found = parameters_find(given, name);
    for (size_t k = 0; given != NULL && found == NULL && k < given->n; k++) {
        const char *word = given->all[k].name;
        const bool is_other = is_usual_word(name, word) && !parameter_is_known(convention, word);
        found = is_other ? &given->all[k] : NULL;
    }
    return found;
}

/* A null for a whole object of parameters. */
static bool is_no_object(const sinpos_convention *convention, const parameter *given)
{
    const size_t n = sinpos_convention_parameters(convention), n_name = strlen(given->name);
    for (size_t k = 0; given->v.kind == VALUE_NULL && k < n; k++) {
        const char *name = convention->parameters[k].name;
        if (strncmp(name, given->name, n_name) == 0 && name[n_name] == '.')
            return true;
    }
    return given->v.kind == VALUE_NULL && parameter_named(convention, "rope_type") != NULL &&
           is_one_of("rope_parameters rope_scaling", given->name);
}

static bool list_names(scope *s, const sinpos_convention *convention, const char *wrong)
{
    char names[200] = "";
    const size_t n = sinpos_convention_parameters(convention);
    for (size_t k = 0; k < n; k++) {
        const size_t used = strlen(names), more = strlen(convention->parameters[k].name) + 2;
        if (used + more + sizeof ", ..." > sizeof names) {
            strcat(names, ", ...");
            break;
        }
        snprintf(names + used, sizeof names - used, "%s%s", k > 0 ? ", " : "", convention->parameters[k].name);
    }
    return scope_fail_about(s, SINPOS_E_NAME, wrong, "%.60s has no parameter '%.40s'; it has %s", convention->name,
                            wrong, names);
}

/* Does a formula of the convention ask whether this parameter is a list? */
static bool takes_lists(const sinpos_convention *c, const char *name)
{
    const char *const formulas[] = {c->let, c->positions, c->grid, c->theta, c->calls};
    char asked[64];
    snprintf(asked, sizeof asked, "is_list(%.48s)", name);
    for (size_t k = 0; k < sizeof formulas / sizeof formulas[0]; k++)
        if (formulas[k] != NULL && strstr(formulas[k], asked) != NULL)
            return true;
    return false;
}

/* A parameter is a number where its default is one; columns are counted. */
static bool is_of_its_kind(scope *s, const sinpos_convention *c, const convention_parameter *p)
{
    const value *v = scope_find(s, p->name, strlen(p->name));
    const bool is_number = p->fallback != NULL && strchr("0123456789-.tf", p->fallback[0]) != NULL;
    const bool is_size = is_one_of("dim base length start", p->role);
    if (is_number && (v->kind == VALUE_TEXT || (v->kind == VALUE_NULL && is_size) ||
                      (v->kind == VALUE_LIST && !takes_lists(c, p->name)))) {
        return scope_fail_about(s, SINPOS_E_VALUE, p->name, "%s must be %s", p->name,
                                strchr("tf", p->fallback[0]) != NULL ? "true or false" : "a number");
    }
    const double x = strcmp(p->role, "dim") == 0 && v->kind == VALUE_NUMBER ? real_to_double(&v->number) : 0;
    if (x < 0)
        return scope_fail_about(s, SINPOS_E_VALUE, p->name, "%s must not be negative; it is %.15g", p->name, x);
    return x == floor(x) ||
           scope_fail_about(s, SINPOS_E_VALUE, p->name, "%s must be a whole number, not %.15g", p->name, x);
}

static bool bind_formula(scope *s, const char *name, const char *formula)
{
    value v;
    return formula_value(s, formula, strlen(formula), &v) && scope_bind(s, name, strlen(name), &v);
}

static bool bind_defaults(scope *s, const sinpos_convention *convention, const char *name)
{
    const size_t n = sinpos_convention_parameters(convention);
    for (size_t k = 0; k < n; k++) {
        const convention_parameter *p = &convention->parameters[k];
        if (p->fallback != NULL && !bind_formula(s, p->name, p->fallback))
            return false;
    }
    for (const convention_default *d = convention->defaults; d != NULL && d->names != NULL; d++)
        if (convention_is_named(d->names, name) && !bind_formula(s, d->parameter, d->formula))
            return false;
    return true;
}

bool parameters_bind(scope *s, const sinpos_convention *convention, const char *convention_name,
                     const sinpos_parameters *given)
{
    const size_t n = sinpos_convention_parameters(convention);
    if (!bind_defaults(s, convention, convention_name))
        return false;
    for (size_t k = 0; given != NULL && k < given->n; k++) {
        const char *name = given->all[k].name;
        const convention_parameter *p = parameter_named(convention, name);
        const bool is_known = is_one_of("positions output arithmetic", name) || is_override(name);
        p = p != NULL || is_known ? p : parameter_known(convention, name);
        const bool is_of_rows =
            is_usual_word("length", name) || is_usual_word("start", name) || is_one_of("step", name);
        if (p == NULL && (is_known || is_of_rows || is_of_no_effect(name) || is_no_object(convention, &given->all[k])))
            continue; /* rows, output and arithmetic, whatever the convention */
        if (p == NULL)
            return list_names(s, convention, name);
        if (!scope_bind(s, p->name, strlen(p->name), &given->all[k].v))
            return false;
    }
    for (size_t k = 0; k < n; k++) {
        const char *name = convention->parameters[k].name;
        if (scope_find(s, name, strlen(name)) == NULL) {
            return scope_fail_about(s, SINPOS_E_VALUE, name, "%s needs a value for %s: %s", convention->name, name,
                                    convention->parameters[k].meaning);
        }
        if (!is_of_its_kind(s, convention, &convention->parameters[k]))
            return false;
    }
    return true;
}
