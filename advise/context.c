/* context.c - lengths: trained against wanted, and tones that never complete a turn. */
#include <math.h>
#include <string.h>

#include "model.h"

/* "sinpos base --lengths ..." where the frequencies are those of a base, else the numbers of a figure. */
static struct text_buffer lengths_command(const struct model *model)
{
    struct text_buffer command = command_begin(model->base > 0 ? "base --lengths" : "plot wavelengths", &model->recipe);
    buffer_format(&command, " --context %zu", model->subject->context);
    if (model->base > 0 && model->trained > 0) {
        buffer_text(&command, " --train ");
        buffer_number(&command, model->trained, true);
    }
    buffer_text(&command, model->base > 0 ? " --json" : " --data -");
    return command;
}

static void say_ratio(struct model *model, struct advice_fact *fact)
{
    const double ratio = model_ratio(model);
    fact_say(model->advice, fact, "The model was trained on %.15g positions; ", model->trained);
    if (ratio <= 1)
        fact_say(model->advice, fact, "%zu lie within them.", model->subject->context);
    else
        fact_say(model->advice, fact, "%zu is %.4g times as far.", model->subject->context, ratio);
}

static void say_claim(struct model *model, struct advice_fact *fact)
{
    const bool is_scaled = strcmp(model->rule, "default") != 0;
    if (is_scaled && model->factor > 0)
        fact_say(model->advice, fact, " It has %s scaling by %.4g", model->rule, model->factor);
    else if (is_scaled)
        fact_say(model->advice, fact, " It has %s scaling", model->rule);
    if (is_scaled && model->claimed > model->trained)
        fact_say(model->advice, fact, ", which is to reach %.15g positions", model->claimed);
    fact_say(model->advice, fact, is_scaled ? "." : "");
}

static void add_context(struct model *model)
{
    const bool is_known = model->trained > 0;
    struct advice_fact *fact =
        fact_add(model->advice, is_known ? model->trained : (double)model->subject->context, "context");
    fact_value(fact, "trained", is_known ? model->trained : NAN);
    fact_value(fact, "claimed", model->claimed > 0 ? model->claimed : NAN);
    fact_value(fact, "wanted", (double)model->subject->context);
    fact_value(fact, "ratio", is_known ? model_ratio(model) : NAN);
    fact_value(fact, "factor", model->factor > 0 ? model->factor : NAN);
    if (is_known)
        say_ratio(model, fact);
    else
        fact_say(model->advice, fact,
                 "How many positions it was trained on is not stated (--train T states it); %zu "
                 "are wanted.",
                 model->subject->context);
    say_claim(model, fact);
    struct text_buffer command = lengths_command(model);
    fact_command(model->advice, fact, &command);
}

/* Without scaling: what training showed. */
static void add_unfinished(struct model *model)
{
    const size_t n = model->n;
    const double context = (double)model->subject->context;
    const size_t seen = count_unfinished(model->plain, n, model->trained);
    const size_t wanted = count_unfinished(model->plain, n, context);
    struct advice_fact *fact = fact_add(model->advice, (double)seen, "unfinished_tones");
    fact_value(fact, "tones", (double)n);
    fact_value(fact, "within_trained", (double)seen);
    fact_value(fact, "first", seen > 0 ? (double)(n - seen) : NAN);
    fact_value(fact, "within_context", (double)wanted);
    fact_value(fact, "first_in_context", wanted > 0 ? (double)(n - wanted) : NAN);
    if (seen == 0)
        fact_say(model->advice, fact,
                 "All %zu tones (0 exceptions) complete a turn within %.15g positions: training "
                 "showed every angle.",
                 n, model->trained);
    else
        fact_say(model->advice, fact,
                 "%zu of %zu tones, from tone %zu on, never complete a turn within %.15g "
                 "positions",
                 seen, n, n - seen, model->trained);
    if (seen > 0 && context > model->trained)
        fact_say(model->advice, fact,
                 ": unless they are slowed down, positions beyond show angles that training "
                 "never did.");
    else if (seen > 0)
        fact_say(model->advice, fact, ".");
    struct text_buffer command = lengths_command(model);
    fact_command(model->advice, fact, &command);
}

/* As they are in use at the context. */
static void add_unfinished_in_context(struct model *model)
{
    const size_t n = model->n, wanted = count_unfinished(model->theta, n, (double)model->subject->context);
    struct advice_fact *fact = fact_add(model->advice, (double)wanted, "unfinished_tones.context");
    fact_value(fact, "tones", (double)n);
    fact_value(fact, "first", wanted > 0 ? (double)(n - wanted) : NAN);
    const char *how = model_is_scaled(model) ? ", as they are scaled," : "";
    if (wanted > 0)
        fact_say(
            model->advice, fact,
            "%zu of %zu tones%s do not complete a turn within %zu positions: from tone %zu on, which turns once in "
            "%.0f.",
            wanted, n, how, model->subject->context, n - wanted, 6.283185307179586 / model->theta[n - wanted]);
    else
        fact_say(model->advice, fact, "All %zu tones%s complete a turn within %zu positions: 0 do not.", n, how,
                 model->subject->context);
    struct text_buffer command = command_begin("plot wavelengths", &model->recipe);
    buffer_format(&command, " --context %zu --data - | grep -c ,,", model->subject->context);
    fact_command(model->advice, fact, &command);
}

sinpos_status advise_context(struct model *model)
{
    add_context(model);
    if (model->trained > 0 && model->base > 0)
        add_unfinished(model);
    if (model->n_axes == 1)
        add_unfinished_in_context(model);
    return SINPOS_OK;
}
