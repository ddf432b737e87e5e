/* runtimes.c - which runtimes would make other bytes of the same model. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model.h"

enum { MOST_ROWS = 4096 };
#define SAME 1e-6 /* definitions that differ by less, relative, are one */

/* Cosines and sines of sampled positions, (n, d/2, 2). */
struct sample {
    struct recipe_rows rows;
    size_t n;         /* elements */
    float *reference; /* what the others are compared with */
    float *values;
    double *exact;
    bool is_published; /* the reference has the roundings of its source */
};

struct runtime {
    const char *id, *name;
    void (*state)(struct recipe *recipe, const struct model *model, config_value *items);
};

/* ------------------------------------------------------------------------------------------------------- the models */

static bool has_rule(const struct model *model, const char *rule)
{
    return strcmp(model->rule, rule) == 0;
}

static double factor_of(const struct model *model)
{
    return model->factor > 0 ? model->factor : model->original > 0 ? model->claimed / model->original : 1;
}

static bool is_long(const struct model *model)
{
    return (double)model->subject->context > model->original;
}

/* What both name alike; MLX-LM keeps it in an object. */
#define NESTED "scaling_config."

static const char *const truncate_value[] = {NESTED "truncate", NULL};
static const char *const yarn_values[] = {NESTED "beta_fast",      NESTED "beta_slow",        NESTED "mscale",
                                          NESTED "mscale_all_dim", NESTED "attention_factor", NULL};
static const char *const llama3_values[] = {NESTED "low_freq_factor", NESTED "high_freq_factor", NULL};
static const char *const longrope_values[] = {NESTED "short_factor", NESTED "long_factor", NULL};

static void copy_values(struct recipe *recipe, const struct model *model, const char *const *names, bool is_nested)
{
    for (; *names != NULL; names++) {
        const char *plain = *names + strlen(NESTED);
        const config_value value = recipe_value(&model->recipe, plain);
        if (value.kind != CONFIG_NULL)
            recipe_set(recipe, is_nested ? *names : plain, value);
    }
}

static void state_vllm(struct recipe *recipe, const struct model *model, config_value *items)
{
    const bool is_deepseek = recipe_value(&model->recipe, "mscale").kind == CONFIG_NUMBER;
    (void)items;
    *recipe = (struct recipe){.convention = "vllm_rope"};
    recipe_number(recipe, "rotary_dim", 2 * (double)model->n);
    recipe_number(recipe, "base", model->base);
    if (has_rule(model, "default"))
        return;
    recipe_text(recipe, "scaling",
                has_rule(model, "dynamic")               ? "dynamic_ntk"
                : has_rule(model, "yarn") && is_deepseek ? "deepseek_yarn"
                                                         : model->rule);
    if (!has_rule(model, "longrope"))
        recipe_number(recipe, "scaling_factor", factor_of(model));
    if (has_rule(model, "yarn") || has_rule(model, "dynamic"))
        recipe_number(recipe, "max_position", model->original);
    if (has_rule(model, "yarn"))
        copy_values(recipe, model, yarn_values, false);
    if (has_rule(model, "yarn"))
        copy_values(recipe, model, truncate_value, false);
    if (has_rule(model, "llama3")) {
        recipe_number(recipe, "orig_max_position", model->original);
        copy_values(recipe, model, llama3_values, false);
    }
    if (has_rule(model, "longrope")) {
        recipe_number(recipe, "original_max_position_embeddings", model->original);
        recipe_number(recipe, "max_position_embeddings", model->claimed);
        recipe_number(recipe, "max_model_len", (double)model->subject->context);
        copy_values(recipe, model, longrope_values, false);
    }
}

/* llama.cpp keeps divisors of frequencies beside the weights, in float32. */
static void state_divisors(struct recipe *recipe, const struct model *model, config_value *items)
{
    const config_value longer = recipe_value(&model->recipe, is_long(model) ? "long_factor" : "short_factor");
    for (size_t i = 0; i < model->n; i++) {
        const bool is_listed = longer.kind == CONFIG_LIST && i < longer.n;
        items[i] = config_of_number(
            (double)(float)(is_listed ? config_number(&longer.items[i]) : model->plain[i] / model->theta[i]));
    }
    recipe_set(recipe, "freq_factors", (config_value){.kind = CONFIG_LIST, .n = model->n, .items = items});
}

/* ggml multiplies the amplitude by that of YaRN itself. */
static void state_ggml_yarn(struct recipe *recipe, const struct model *model, double factor)
{
    const double more = model->amplitude / (1 + 0.1 * log(factor));
    recipe_number(recipe, "ext_factor", 1);
    recipe_number(recipe, "n_ctx_orig", model->original);
    recipe_number(recipe, "beta_fast", recipe_number_of(&model->recipe, "beta_fast", 32));
    recipe_number(recipe, "beta_slow", recipe_number_of(&model->recipe, "beta_slow", 1));
    if (fabs(more - 1) > SAME)
        recipe_number(recipe, "attn_factor", more);
}

static void state_ggml(struct recipe *recipe, const struct model *model, config_value *items)
{
    const char *pairing = sinpos_convention_text(sinpos_convention_find(model->recipe.convention), "pairing");
    const double factor = factor_of(model);
    *recipe = (struct recipe){.convention = "ggml_rope"};
    recipe_number(recipe, "n_dims", 2 * (double)model->n);
    recipe_number(recipe, "base", model->base);
    recipe_number(recipe, "mode", pairing != NULL && strstr(pairing, "half") != NULL ? 2 : 0);
    if (has_rule(model, "linear") || has_rule(model, "yarn"))
        recipe_number(recipe, "freq_scale", 1 / factor);
    if (has_rule(model, "yarn"))
        state_ggml_yarn(recipe, model, factor);
    if (has_rule(model, "llama3") || has_rule(model, "longrope"))
        state_divisors(recipe, model, items);
    if (has_rule(model, "longrope"))
        recipe_number(recipe, "attn_factor", model->amplitude);
}

static void state_mlx(struct recipe *recipe, const struct model *model, config_value *items)
{
    (void)items;
    *recipe = (struct recipe){.convention = "mlx_lm_rope"};
    recipe_number(recipe, "dims", 2 * (double)model->n);
    recipe_number(recipe, "base", model->base);
    if (has_rule(model, "default"))
        return;
    recipe_text(recipe, "rope_type", model->rule);
    if (!has_rule(model, "longrope"))
        recipe_number(recipe, "scaling_config.factor", factor_of(model));
    if (has_rule(model, "longrope")) {
        recipe_number(recipe, "original_max_position_embeddings", model->original);
        recipe_number(recipe, "max_position_embeddings", model->claimed);
    } else if (!has_rule(model, "linear")) {
        recipe_number(recipe, "scaling_config.original_max_position_embeddings", model->original);
    }
    if (has_rule(model, "yarn"))
        copy_values(recipe, model, yarn_values, true);
    if (has_rule(model, "llama3"))
        copy_values(recipe, model, llama3_values, true);
    if (has_rule(model, "longrope"))
        copy_values(recipe, model, longrope_values, true);
}

static const struct runtime runtimes[] = {
    {"ggml", "ggml (llama.cpp)", state_ggml}, {"vllm", "vLLM", state_vllm}, {"mlx", "MLX-LM", state_mlx}};

/* -------------------------------------------------------------------------------------------------------- the bytes */

static sinpos_status fill(const struct recipe *recipe, const struct sample *sample, const char *arithmetic,
                          sinpos_type type, void *out, size_t n_threads)
{
    sinpos_encoding *encoding;
    sinpos_status status = recipe_make(&encoding, recipe, &sample->rows, "cis", arithmetic, NULL);
    if (status != SINPOS_OK)
        return status;
    const sinpos_encoding_info *info = sinpos_encoding_info_get(encoding);
    status = info->n_rows * info->n_columns != sample->n
                 ? SINPOS_E_SHAPE
                 : sinpos_encoding_fill(encoding, 0, info->n_rows, type, out, info->n_columns, n_threads);
    sinpos_encoding_destroy(encoding);
    return status;
}

static double exact_error(const struct sample *s, const float *values)
{
    double most = 0;
    for (size_t j = 0; j < s->n; j++)
        most = fmax(most, fabs((double)values[j] - s->exact[j]));
    return most;
}

static void add_rows(struct text_buffer *command, const struct sample *s)
{
    buffer_text(command, " --set output=cis");
    command_rows(command, &s->rows);
}

static struct text_buffer compare_command(const struct model *model, const struct sample *s,
                                          const struct recipe *recipe, const char *arithmetic, const char *reference)
{
    struct text_buffer command = command_begin("table", recipe);
    add_rows(&command, s);
    buffer_format(&command, " --length %zu%s --quiet -o - | sinpos audit -", s->rows.n, arithmetic);
    recipe_words(&command, &model->recipe);
    add_rows(&command, s);
    buffer_text(&command, reference);
    return command;
}

static void say_rows(struct model *model, struct advice_fact *fact, const struct sample *s)
{
    if (s->rows.step > 1)
        fact_say(model->advice, fact, " (looked at: one position in %zu)", s->rows.step);
    fact_say(model->advice, fact, ".");
}

/* The reference against the exact values. */
static void add_reference(struct model *model, const struct sample *s)
{
    const double error = exact_error(s, s->reference);
    struct advice_fact *fact = fact_add(model->advice, error, "runtime.hf");
    fact_value(fact, "max_abs_error", error);
    fact_value(fact, "rows", (double)s->rows.n);
    fact_value(fact, "step", (double)s->rows.step);
    fact_say(model->advice, fact,
             "Hugging Face computes angles in float32: below %zu its cosines and sines are off "
             "by up to %.3g",
             model->subject->context, error);
    say_rows(model, fact, s);
    struct text_buffer command = compare_command(model, s, &model->recipe, " --arithmetic published", "");
    fact_command(model->advice, fact, &command);
}

static sinpos_status is_same(bool *same, const struct model *model, const struct recipe *recipe)
{
    double *theta, amplitude;
    size_t n;
    const sinpos_status status = recipe_tones(&theta, &n, &amplitude, recipe, NULL);
    *same = status == SINPOS_OK && n == model->n && fabs(amplitude - model->amplitude) <= SAME;
    for (size_t i = 0; i < n && *same; i++)
        *same = fabs(theta[i] - model->theta[i]) <= SAME * model->theta[i];
    free(theta);
    return status;
}

struct difference {
    size_t other;
    double most;
};

static struct difference compare(const struct sample *s)
{
    struct difference d = {0, 0};
    for (size_t j = 0; j < s->n; j++) {
        d.other += memcmp(&s->values[j], &s->reference[j], sizeof s->values[j]) != 0;
        d.most = fmax(d.most, fabs((double)s->values[j] - (double)s->reference[j]));
    }
    return d;
}

static void say_difference(struct model *model, struct advice_fact *fact, const struct runtime *runtime,
                           const struct sample *s, const struct difference *d, bool same)
{
    const char *than = s->is_published ? "Hugging Face" : "the exact table";
    if (d->other == 0) {
        fact_say(model->advice, fact, "%s makes the same bytes as %s: all %zu that were compared", runtime->name, than,
                 s->n);
        say_rows(model, fact, s);
        return;
    }
    fact_say(model->advice, fact, "%s makes other bytes than %s: %.3g %% of the elements differ, by up to %.3g",
             runtime->name, than, 100 * (double)d->other / (double)s->n, d->most);
    say_rows(model, fact, s);
    fact_say(model->advice, fact,
             same ? " Only the roundings differ, not the frequencies."
                  : " Its frequencies or its amplitude are others: that is no rounding.");
}

static void add_runtime(struct model *model, const struct runtime *runtime, const struct recipe *recipe,
                        const struct sample *s, bool is_published, bool same)
{
    const struct difference d = compare(s);
    struct advice_fact *fact = fact_add(model->advice, d.other == 0 ? (double)s->n : d.most, "runtime.%s", runtime->id);
    fact_value(fact, "other_elements", (double)d.other);
    fact_value(fact, "elements", (double)s->n);
    fact_value(fact, "max_abs_difference", d.most);
    fact_value(fact, "max_abs_error", exact_error(s, s->values));
    fact_value(fact, "rows", (double)s->rows.n);
    fact_value(fact, "step", (double)s->rows.step);
    fact_value(fact, "same_definition", same);
    say_difference(model, fact, runtime, s, &d, same);
    if (!is_published)
        fact_say(model->advice, fact, " (Its own roundings are not recorded; exact values stand for it.)");
    struct text_buffer command = compare_command(model, s, recipe, is_published ? " --arithmetic published" : "",
                                                 s->is_published ? " --arithmetic published" : "");
    fact_command(model->advice, fact, &command);
}

static void add_refusal(struct model *model, const struct runtime *runtime, const struct recipe *recipe)
{
    struct advice_fact *fact = fact_add(model->advice, NAN, "runtime.%s", runtime->id);
    fact_say(model->advice, fact, "%s does not take %s scaling.", runtime->name, model->rule);
    struct text_buffer command = {NULL, 0, 0, false};
    buffer_format(&command, "sinpos conventions %s", recipe->convention);
    fact_command(model->advice, fact, &command);
}

static sinpos_status try_runtime(struct model *model, const struct runtime *runtime, const struct sample *s,
                                 config_value *items)
{
    struct recipe recipe;
    bool same = false, is_published = true;
    const size_t n_threads = model->subject->n_threads;
    runtime->state(&recipe, model, items);
    sinpos_status status = is_same(&same, model, &recipe);
    if (status == SINPOS_OK)
        status = fill(&recipe, s, "published", SINPOS_F32, s->values, n_threads);
    if (status == SINPOS_E_UNSUPPORTED || status == SINPOS_E_VALUE) {
        is_published = false;
        status = fill(&recipe, s, NULL, SINPOS_F32, s->values, n_threads);
    }
    if (status == SINPOS_OK)
        add_runtime(model, runtime, &recipe, s, is_published, same);
    else if (status != SINPOS_E_MEMORY)
        add_refusal(model, runtime, &recipe);
    return status == SINPOS_E_MEMORY ? status : SINPOS_OK;
}

/* All positions of the context, or some of them up to the last. */
static struct recipe_rows sampled(size_t context)
{
    const size_t step = (context + MOST_ROWS - 1) / MOST_ROWS, first = (context - 1) % step;
    return (struct recipe_rows){first, step, (context - 1 - first) / step + 1};
}

static sinpos_status fill_reference(struct model *model, struct sample *s)
{
    const size_t n_threads = model->subject->n_threads;
    sinpos_status status = fill(&model->recipe, s, NULL, SINPOS_F64, s->exact, n_threads);
    if (status == SINPOS_OK)
        status = fill(&model->recipe, s, "published", SINPOS_F32, s->reference, n_threads);
    s->is_published = status == SINPOS_OK && strncmp(model->recipe.convention, "hf_", 3) == 0;
    if (s->is_published)
        add_reference(model, s);
    else if (status != SINPOS_E_MEMORY)
        status = fill(&model->recipe, s, NULL, SINPOS_F32, s->reference, n_threads);
    return status;
}

sinpos_status advise_runtimes(struct model *model)
{
    const bool is_known = recipe_takes(&model->recipe, "rope_type") || !model_is_scaled(model);
    struct sample s = {.rows = sampled(model->subject->context)};
    s.n = s.rows.n * 2 * model->n;
    if (!recipe_is_rotary(&model->recipe) || model->base == 0 || model->n_axes > 1 || !is_known)
        return SINPOS_OK;
    config_value *items = calloc(model->n + 1, sizeof *items);
    s.reference = malloc(s.n * sizeof *s.reference);
    s.values = malloc(s.n * sizeof *s.values);
    s.exact = malloc(s.n * sizeof *s.exact);
    sinpos_status status = items == NULL || s.reference == NULL || s.values == NULL || s.exact == NULL
                               ? SINPOS_E_MEMORY
                               : fill_reference(model, &s);
    for (size_t k = 0; k < sizeof runtimes / sizeof runtimes[0] && status == SINPOS_OK; k++)
        status = try_runtime(model, &runtimes[k], &s, items);
    free(items);
    free(s.reference);
    free(s.values);
    free(s.exact);
    return status == SINPOS_E_MEMORY ? status : SINPOS_OK;
}
