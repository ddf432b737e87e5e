#include "model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model_config.h"
#include "plan_tones.h"
#include "spec_of_plan.h"

#define NEAR 1e-9 /* of doubles that would be the same, were they not rounded */

/* What leaves out the scaling of frequencies, of conventions that have such a parameter. */
static void leave_unscaled(struct recipe *recipe)
{
    static const char *const ones[] = {"scaling_factor", "scale_factor", "rope_factor", "freq_scale", "scale"};
    static const char *const words[] = {"rope_type", "scaling"};
    for (size_t k = 0; k < sizeof words / sizeof words[0]; k++)
        if (recipe_takes(recipe, words[k]))
            recipe_text(recipe, words[k], "default");
    for (size_t k = 0; k < sizeof ones / sizeof ones[0]; k++)
        if (recipe_takes(recipe, ones[k]))
            recipe_number(recipe, ones[k], 1);
    if (recipe_takes(recipe, "use_scaled"))
        recipe_set(recipe, "use_scaled", (config_value){.kind = CONFIG_FALSE});
    if (recipe_takes(recipe, "ext"))
        recipe_number(recipe, "ext", 0);
}

static void state(struct model *model)
{
    const struct advice_subject *subject = model->subject;
    model->recipe =
        (struct recipe){.convention = subject->convention, .stated = subject->parameters, .words = subject->words};
    const config_value rule = recipe_value(&model->recipe, "rope_type");
    model->rule = rule.kind == CONFIG_TEXT ? rule.text : "default";
    model->factor = recipe_number_of(&model->recipe, "factor", 0);
    model->unscaled = model->recipe;
    leave_unscaled(&model->unscaled);
    const bool depends = strcmp(model->rule, "dynamic") == 0 || strcmp(model->rule, "longrope") == 0;
    if (depends && recipe_takes(&model->recipe, "seq_len"))
        recipe_number(&model->recipe, "seq_len", (double)subject->context);
}

/* Of a configuration, also where the convention has no parameter for it. */
static double claimed_by(const struct advice_subject *subject)
{
    struct model_config config;
    struct config_report report;
    const bool is_read =
        subject->config != NULL && model_config_open(&config, subject->config, subject->layers, &report) == CONFIG_DONE;
    return is_read ? (double)model_config_context(&config) : 0;
}

static void find_lengths(struct model *model)
{
    const struct recipe *recipe = &model->recipe;
    static const char *const claims[] = {"max_position_embeddings", "num_pos", "num_positions"};
    model->claimed = claimed_by(model->subject);
    for (size_t k = 0; k < sizeof claims / sizeof claims[0] && model->claimed == 0; k++)
        model->claimed = config_number(config_get(recipe->stated, claims[k]));
    const double original = config_number(config_get(recipe->stated, "original_max_position_embeddings"));
    model->original = original > 0 ? original : model->claimed;
    model->trained = model->subject->trained > 0                           ? model->subject->trained
                     : original > 0 && strcmp(model->rule, "default") != 0 ? original
                                                                           : model->claimed;
}

/* ------------------------------------------------------------------------------------------------------ frequencies */

/* Of frequencies base^(-i / n): the base that is stated, where it is that. */
static void find_base(struct model *model)
{
    const sinpos_convention *convention = sinpos_convention_find(model->recipe.convention);
    const size_t n = model->n;
    double base = n < 2 ? 0 : pow(model->plain[1], -(double)n);
    for (size_t i = 0; i < n && base > 0; i++)
        if (!(base > 1) || fabs(model->plain[i] * pow(base, (double)i / (double)n) - 1) > NEAR)
            base = 0;
    const double whole = round(base);
    model->base = fabs(base - whole) <= NEAR * whole ? whole : base;
    for (size_t k = 0; k < sinpos_convention_parameters(convention) && base > 0; k++) {
        const char *name = sinpos_convention_parameter(convention, k, "name");
        const double stated = recipe_number_of(&model->recipe, name, 0);
        if (strcmp(sinpos_convention_parameter(convention, k, "role"), "base") == 0 &&
            fabs(stated - base) <= NEAR * base)
            model->base = stated;
    }
}

/* Of a text all coordinates of a token are one number. */
static sinpos_status make_one_axis(struct model *model, const sinpos_plan *plan)
{
    struct plan_tones list;
    sinpos_status status = plan_tones_take(&list, plan);
    for (size_t k = 0; status == SINPOS_OK && k < list.n; k++) {
        list.tones[k].axis = 0;
        status = list.tones[k].more != NULL && list.tones[k].more->n_listens > 0 ? SINPOS_E_UNSUPPORTED : SINPOS_OK;
    }
    if (status == SINPOS_OK)
        status = sinpos_plan_create_tones(&model->own_rows, sinpos_plan_dim(plan), 1, list.tones, list.n, 0, NULL);
    plan_tones_free(&list);
    return status == SINPOS_E_UNSUPPORTED ? SINPOS_OK : status;
}

static sinpos_status make_plain(struct model *model)
{
    sinpos_plan *plain;
    const unsigned types = SINPOS_F64 | SINPOS_F32 | SINPOS_BF16;
    model->plan = model->rows;
    if (model->rows == NULL)
        return SINPOS_OK;
    if (!plain_plan(model->rows, types, &plain))
        return SINPOS_E_MEMORY;
    model->own_plan = plain;
    model->plan = plain != NULL ? plain : model->rows;
    return SINPOS_OK;
}

static sinpos_status take_convention(struct model *model, sinpos_error *error)
{
    const struct recipe_rows last = {model->subject->context - 1, 1, 1};
    double ignored;
    size_t n;
    sinpos_status status = recipe_make(&model->encoding, &model->recipe, &last, NULL, NULL, error);
    if (status != SINPOS_OK)
        return status;
    const sinpos_plan *plan = sinpos_encoding_plan(model->encoding);
    model->n_axes = sinpos_plan_axes(plan);
    status = model->n_axes > 1 ? make_one_axis(model, plan) : SINPOS_OK;
    model->rows = model->n_axes > 1 ? model->own_rows : plan;
    if (status == SINPOS_OK)
        status = plan_frequencies(&model->theta, &model->n, &model->amplitude, plan);
    if (status == SINPOS_OK)
        status = recipe_tones(&model->plain, &n, &ignored, &model->unscaled, error);
    if (status == SINPOS_OK && n != model->n)
        status = SINPOS_E_UNSUPPORTED;
    return status;
}

static sinpos_status take_plan(struct model *model)
{
    double ignored;
    size_t n;
    model->rows = model->subject->plan;
    model->n_axes = sinpos_plan_axes(model->rows);
    const sinpos_status status = plan_frequencies(&model->theta, &model->n, &model->amplitude, model->rows);
    return status == SINPOS_OK ? plan_frequencies(&model->plain, &n, &ignored, model->rows) : status;
}

sinpos_status model_open(struct model *model, sinpos_error *error)
{
    state(model);
    find_lengths(model);
    sinpos_status status = model->subject->convention != NULL ? take_convention(model, error) : take_plan(model);
    status = status == SINPOS_OK ? make_plain(model) : status;
    if (status == SINPOS_OK && model->n == 0)
        status = SINPOS_E_UNSUPPORTED;
    if (status == SINPOS_OK)
        find_base(model);
    return status;
}

void model_close(struct model *model)
{
    free(model->theta);
    free(model->plain);
    sinpos_plan_destroy(model->own_plan);
    sinpos_plan_destroy(model->own_rows);
    sinpos_encoding_destroy(model->encoding);
}

bool model_is_scaled(const struct model *model)
{
    for (size_t i = 0; i < model->n; i++)
        if (model->theta[i] != model->plain[i])
            return true;
    return false;
}

double model_ratio(const struct model *model)
{
    return model->trained > 0 ? (double)model->subject->context / model->trained : 0;
}

size_t count_unfinished(const double *theta, size_t n, double positions)
{
    size_t count = 0;
    for (size_t i = 0; i < n; i++)
        count += theta[i] * positions < 6.283185307179586;
    return count;
}

/* ------------------------------------------------------------------------------------------------------- commands */

struct text_buffer command_begin(const char *what, const struct recipe *recipe)
{
    struct text_buffer command = {NULL, 0, 0, false};
    buffer_format(&command, "sinpos %s", what);
    recipe_words(&command, recipe);
    return command;
}

void command_rows(struct text_buffer *command, const struct recipe_rows *rows)
{
    if (rows->first > 0)
        buffer_format(command, " --start %zu", rows->first);
    if (rows->step > 1)
        buffer_format(command, " --step %zu", rows->step);
}
