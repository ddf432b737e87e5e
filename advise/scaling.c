/* scaling.c - what the usual rules for longer contexts would do to near and to far positions. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model.h"

#define TURN 6.283185307179586
#define MORE 1.000001 /* an angle beyond this share of those of training is a new one */

struct rule {
    const char *id, *name;
};

static const struct rule rules[] = {{"linear", "Linear scaling"},   {"ntk", "NTK-aware scaling"},
                                    {"dynamic", "Dynamic scaling"}, {"yarn", "YaRN"},
                                    {"llama3", "Llama 3 scaling"},  {"longrope", "LongRoPE"}};

/* Without scaling, as the rules take it. */
static struct recipe unscaled(const struct model *model, const char *convention)
{
    struct recipe recipe = {.convention = convention};
    const bool is_hf = strcmp(convention, "hf_rope") == 0;
    recipe_number(&recipe, is_hf ? "head_dim" : "rotary_dim", 2 * (double)model->n);
    recipe_number(&recipe, is_hf ? "rope_theta" : "base", model->base);
    return recipe;
}

/* The divisors of longrope are found by search: they are those that are stated, where some are. */
static bool state_longrope(struct recipe *recipe, const struct model *model)
{
    const config_value shorter = recipe_value(&model->recipe, "short_factor");
    const config_value longer = recipe_value(&model->recipe, "long_factor");
    if (shorter.kind != CONFIG_LIST || longer.kind != CONFIG_LIST || shorter.n != model->n || longer.n != model->n)
        return false;
    recipe_set(recipe, "short_factor", shorter);
    recipe_set(recipe, "long_factor", longer);
    recipe_number(recipe, "max_position_embeddings", (double)model->subject->context);
    return true;
}

/* By the ratio of the contexts. False: it needs more than the model states. */
static bool scaled(struct recipe *recipe, const struct model *model, const char *id)
{
    const double ratio = model_ratio(model), context = (double)model->subject->context;
    const bool is_longrope = strcmp(id, "longrope") == 0, is_dynamic = strcmp(id, "dynamic") == 0;
    *recipe = unscaled(model, strcmp(id, "ntk") == 0 ? "vllm_rope" : "hf_rope");
    if (strcmp(id, "ntk") == 0) {
        recipe_text(recipe, "scaling", "dynamic_ntk_alpha");
        recipe_number(recipe, "scaling_alpha", ratio);
        return true;
    }
    recipe_text(recipe, "rope_type", id);
    if (!is_longrope)
        recipe_number(recipe, "factor", ratio);
    if (is_dynamic)
        recipe_number(recipe, "max_position_embeddings", model->trained);
    else if (strcmp(id, "linear") != 0)
        recipe_number(recipe, "original_max_position_embeddings", model->trained);
    if (is_dynamic || is_longrope)
        recipe_number(recipe, "seq_len", context);
    return !is_longrope || state_longrope(recipe, model);
}

static double largest_change(const double *a, const double *b, size_t n)
{
    double most = 0;
    for (size_t i = 0; i < n; i++)
        most = fmax(most, fabs(a[i] - b[i]));
    return most;
}

/* Tones with angles that training, in which they never turned once, did not show. */
static size_t count_unseen(const struct model *model, const double *theta)
{
    size_t count = 0;
    for (size_t i = 0; i < model->n; i++) {
        const double seen = model->plain[i] * model->trained;
        count += seen < TURN && theta[i] * (double)model->subject->context > seen * MORE;
    }
    return count;
}

static void add_near(struct model *model, const struct rule *rule, const struct recipe *recipe, const double *theta,
                     double amplitude)
{
    const size_t n = model->n;
    const double change = largest_change(theta, model->plain, n);
    struct advice_fact *fact = fact_add(model->advice, change, "scaling.%s", rule->id);
    fact_value(fact, "near", change);
    fact_value(fact, "factor", model_ratio(model));
    fact_value(fact, "fastest", theta[0]);
    fact_value(fact, "slowest", theta[n - 1]);
    fact_value(fact, "amplitude", amplitude);
    fact_say(model->advice, fact,
             "%s by %.4g, near: from one position to the next an angle changes by up to %.3g rad from what was trained",
             rule->name, model_ratio(model), change);
    if (theta[0] != model->plain[0])
        fact_say(model->advice, fact, "; the fastest tone turns %.3g rad, not %.3g", theta[0], model->plain[0]);
    fact_say(model->advice, fact, ".");
    const struct recipe plain = unscaled(model, "hf_rope");
    struct text_buffer command = command_begin("table", recipe);
    buffer_text(&command, " --set output=inv_freq --type f64 --quiet -o - | sinpos audit -");
    recipe_words(&command, &plain);
    buffer_text(&command, " --set output=inv_freq");
    fact_command(model->advice, fact, &command);
}

static void add_far(struct model *model, const struct rule *rule, const struct recipe *recipe, const double *theta)
{
    const size_t unseen = count_unseen(model, theta), n = model->n, context = model->subject->context;
    struct advice_fact *fact = fact_add(model->advice, (double)unseen, "scaling.%s.far", rule->id);
    fact_value(fact, "unseen", (double)unseen);
    fact_value(fact, "tones", (double)n);
    fact_value(fact, "slowest_turns", theta[n - 1] * (double)context / TURN);
    fact_say(model->advice, fact,
             "%s by %.4g, far: up to %zu positions apart, %zu of %zu tones reach angles that "
             "training never showed.",
             rule->name, model_ratio(model), context, unseen, n);
    struct text_buffer command = command_begin("plot wavelengths", recipe);
    buffer_format(&command, " --context %zu --data - | awk -F, '$1 ~ /^[0-9]/ { seen = ", context);
    buffer_number(&command, model->base, true);
    buffer_format(&command, "^(-$1 / %zu) * ", n);
    buffer_number(&command, model->trained, true);
    buffer_format(&command, "; if (seen < %.16g && $2 * %zu > seen * %.7g) n++ } END { print n + 0 }'", TURN, context,
                  MORE);
    fact_command(model->advice, fact, &command);
}

/* longrope where no divisors are stated: all that its rule says is the amplitude. */
static void add_amplitude(struct model *model, const struct rule *rule)
{
    const double ratio = model_ratio(model), amplitude = sqrt(1 + log(ratio) / log(model->trained));
    struct advice_fact *fact = fact_add(model->advice, amplitude, "scaling.%s", rule->id);
    fact_value(fact, "amplitude", amplitude);
    fact_value(fact, "factor", ratio);
    fact_value(fact, "divisors", (double)model->n);
    fact_say(model->advice, fact,
             "%s by %.4g divides each of the %zu frequencies by a number that is found by search, "
             "and the model states none; its amplitude would be %.4g.",
             rule->name, ratio, model->n, amplitude);
    struct text_buffer command = {NULL, 0, 0, false};
    buffer_text(&command, "awk 'BEGIN { print sqrt(1 + log(");
    buffer_number(&command, ratio, true);
    buffer_text(&command, ") / log(");
    buffer_number(&command, model->trained, true);
    buffer_text(&command, ")) }'");
    fact_command(model->advice, fact, &command);
}

static sinpos_status add_rule(struct model *model, const struct rule *rule)
{
    struct recipe recipe;
    double *theta, amplitude;
    size_t n;
    if (!scaled(&recipe, model, rule->id)) {
        if (model->trained > 1)
            add_amplitude(model, rule);
        return SINPOS_OK;
    }
    const sinpos_status status = recipe_tones(&theta, &n, &amplitude, &recipe, NULL);
    if (status == SINPOS_OK && n == model->n) {
        add_near(model, rule, &recipe, theta, amplitude);
        add_far(model, rule, &recipe, theta);
    }
    free(theta);
    return status == SINPOS_E_MEMORY ? status : SINPOS_OK;
}

sinpos_status advise_scaling(struct model *model)
{
    sinpos_status status = SINPOS_OK;
    if (model->base == 0 || model_ratio(model) <= 1)
        return status;
    for (size_t k = 0; k < sizeof rules / sizeof rules[0] && status == SINPOS_OK; k++)
        status = add_rule(model, &rules[k]);
    return status;
}
