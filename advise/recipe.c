#include "recipe.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parameter_value.h"
#include "plan_tones.h"

/* ---------------------------------------------------------------------------------------------------------- values */

void recipe_set(struct recipe *recipe, const char *name, config_value value)
{
    if (value.kind != CONFIG_NONE && recipe->n_more < RECIPE_SETTINGS)
        recipe->more[recipe->n_more++] = (struct recipe_setting){name, value};
}

void recipe_number(struct recipe *recipe, const char *name, double number)
{
    recipe_set(recipe, name, config_of_number(number));
}

void recipe_text(struct recipe *recipe, const char *name, const char *text)
{
    recipe_set(recipe, name, config_of_text(text));
}

/* The field of the parameter with that name; NULL: there is none. */
static const char *parameter_field(const struct recipe *recipe, const char *name, const char *field)
{
    const sinpos_convention *convention = sinpos_convention_find(recipe->convention);
    for (size_t k = 0; k < sinpos_convention_parameters(convention); k++)
        if (strcmp(sinpos_convention_parameter(convention, k, "name"), name) == 0)
            return sinpos_convention_parameter(convention, k, field);
    return NULL;
}

bool recipe_takes(const struct recipe *recipe, const char *name)
{
    return recipe->convention != NULL && parameter_field(recipe, name, "name") != NULL;
}

bool recipe_is_rotary(const struct recipe *recipe)
{
    return recipe->convention != NULL &&
           sinpos_convention_text(sinpos_convention_find(recipe->convention), "pairing") != NULL;
}

config_value recipe_value(const struct recipe *recipe, const char *name)
{
    for (size_t k = recipe->n_more; k-- > 0;)
        if (strcmp(recipe->more[k].name, name) == 0)
            return recipe->more[k].value;
    const config_value *stated = config_get(recipe->stated, name);
    const char *fallback = recipe->convention == NULL ? NULL : parameter_field(recipe, name, "default");
    char *end = NULL;
    if (stated != NULL || fallback == NULL)
        return config_copy(stated);
    const double number = strtod(fallback, &end);
    return end == fallback || *end != '\0' ? config_copy(NULL) : config_of_number(number);
}

double recipe_number_of(const struct recipe *recipe, const char *name, double otherwise)
{
    const config_value value = recipe_value(recipe, name);
    return value.kind == CONFIG_NUMBER ? value.number : otherwise;
}

/* ---------------------------------------------------------------------------------------------------------- making */

static sinpos_status set_one(sinpos_parameters *parameters, const char *name, const config_value *value)
{
    const char *why;
    return parameters_set_value(parameters, name, value, &why);
}

static sinpos_status set_stated(sinpos_parameters *parameters, const struct recipe *recipe)
{
    sinpos_status status = SINPOS_OK;
    for (size_t k = 0; k < config_members(recipe->stated) && status == SINPOS_OK; k++)
        status = set_one(parameters, recipe->stated->names[k], &recipe->stated->items[k]);
    for (size_t k = 0; k < recipe->n_more && status == SINPOS_OK; k++)
        status = set_one(parameters, recipe->more[k].name, &recipe->more[k].value);
    return status;
}

static const char *positions_name(const sinpos_convention *convention)
{
    for (size_t k = 0; k < sinpos_convention_parameters(convention); k++)
        if (strcmp(sinpos_convention_parameter(convention, k, "role"), "positions") == 0)
            return sinpos_convention_parameter(convention, k, "name");
    return "positions";
}

static sinpos_status set_rows(sinpos_parameters *parameters, const struct recipe *recipe,
                              const struct recipe_rows *rows)
{
    const char *name = positions_name(sinpos_convention_find(recipe->convention));
    double *positions = rows->n > SIZE_MAX / sizeof *positions ? NULL : malloc(rows->n * sizeof *positions);
    if (positions == NULL)
        return SINPOS_E_MEMORY;
    for (size_t i = 0; i < rows->n; i++)
        positions[i] = (double)(rows->first + i * rows->step);
    const sinpos_status status = sinpos_parameters_set_list(parameters, name, positions, 1, &rows->n);
    free(positions);
    return status;
}

static sinpos_status set_text(sinpos_parameters *parameters, const char *name, const char *text, sinpos_status status)
{
    return status != SINPOS_OK || text == NULL ? status : sinpos_parameters_set_text(parameters, name, text);
}

sinpos_status recipe_make(sinpos_encoding **out, const struct recipe *recipe, const struct recipe_rows *rows,
                          const char *output, const char *arithmetic, sinpos_error *error)
{
    sinpos_parameters *parameters;
    *out = NULL;
    sinpos_status status = sinpos_parameters_create(&parameters);
    if (status != SINPOS_OK)
        return status;
    status = set_stated(parameters, recipe);
    status = status == SINPOS_OK ? set_rows(parameters, recipe, rows) : status;
    status = set_text(parameters, "output", output, status);
    status = set_text(parameters, "arithmetic", arithmetic, status);
    if (status == SINPOS_OK)
        status = sinpos_encoding_create(out, recipe->convention, parameters, 0, error);
    sinpos_parameters_destroy(parameters);
    return status;
}

static int falling(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x > y ? -1 : x < y;
}

sinpos_status plan_frequencies(double **theta, size_t *n, double *amplitude, const sinpos_plan *plan)
{
    struct plan_tones list;
    const sinpos_status status = plan_tones_take(&list, plan);
    *n = 0;
    *theta = NULL;
    *amplitude = 1;
    if (status == SINPOS_OK) {
        *amplitude = list.n > 0 ? list.tones[0].amplitude : 1;
        for (size_t k = 0; k < list.n; k++) {
            list.theta[*n] = fabs(list.theta[k]);
            *n += list.theta[k] != 0;
        }
        qsort(list.theta, *n, sizeof *list.theta, falling);
        *theta = list.theta;
        list.theta = NULL;
    }
    plan_tones_free(&list);
    return status;
}

sinpos_status recipe_tones(double **theta, size_t *n, double *amplitude, const struct recipe *recipe,
                           sinpos_error *error)
{
    static const struct recipe_rows one = {1, 1, 1};
    sinpos_encoding *encoding;
    *theta = NULL;
    *n = 0;
    sinpos_status status = recipe_make(&encoding, recipe, &one, NULL, NULL, error);
    if (status == SINPOS_OK)
        status = plan_frequencies(theta, n, amplitude, sinpos_encoding_plan(encoding));
    sinpos_encoding_destroy(encoding);
    return status;
}

/* ----------------------------------------------------------------------------------------------------------- words */

static void add_value(struct text_buffer *out, const config_value *value)
{
    switch (value->kind) {
    case CONFIG_NUMBER: buffer_number(out, value->number, true); break;
    case CONFIG_TEXT: buffer_text(out, value->text); break;
    case CONFIG_LIST:
        for (size_t i = 0; i < value->n; i++) {
            buffer_text(out, i == 0 ? "[" : ",");
            add_value(out, &value->items[i]);
        }
        buffer_text(out, "]");
        break;
    default: buffer_text(out, value->kind == CONFIG_TRUE ? "true" : value->kind == CONFIG_FALSE ? "false" : "null");
    }
}

static void add_setting(struct text_buffer *out, const struct recipe *recipe, const char *name,
                        const config_value *value)
{
    struct text_buffer word = {NULL, 0, 0, false};
    const char *role = parameter_field(recipe, name, "role");
    const bool is_plain = value->kind == CONFIG_NUMBER && role != NULL &&
                          (strcmp(role, "dim") == 0 || strcmp(role, "base") == 0) && recipe->words == NULL;
    buffer_format(out, is_plain ? " --%s " : " --set ", role);
    if (!is_plain)
        buffer_format(&word, "%s=", name);
    add_value(&word, value);
    buffer_shell_word(out, buffer_string(&word));
    out->is_broken = out->is_broken || word.is_broken;
    buffer_free(&word);
}

void recipe_words(struct text_buffer *out, const struct recipe *recipe)
{
    if (recipe->words != NULL)
        buffer_format(out, "%s%s", recipe->words[0] == '\0' ? "" : " ", recipe->words);
    else
        buffer_format(out, " --convention %s", recipe->convention);
    for (size_t k = 0; k < config_members(recipe->stated) && recipe->words == NULL; k++)
        if (recipe->stated->items[k].kind != CONFIG_NULL)
            add_setting(out, recipe, recipe->stated->names[k], &recipe->stated->items[k]);
    for (size_t k = 0; k < recipe->n_more; k++)
        add_setting(out, recipe, recipe->more[k].name, &recipe->more[k].value);
}
