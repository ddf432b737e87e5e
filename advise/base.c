/* base.c - the base against those whose g(k) stays at 0 or above over the context. */
#include <math.h>

#include "model.h"

/* Longer contexts ask for a search that takes too long: those with at most so many cosines of one base. */
#define SEARCHED ((size_t)1 << 21)
#define ROBUST_EFFORT ((uint64_t)1 << 22) /* as sinpos base */

static sinpos_status add_sign(struct model *model)
{
    const struct advice_subject *subject = model->subject;
    int64_t offset = 0;
    double g = 0;
    if (model->plan == NULL || model->n_axes > 1)
        return SINPOS_OK;
    const sinpos_status status =
        sinpos_kernel_first_negative(model->plan, (int64_t)subject->context, &offset, &g, subject->n_threads,
                                     subject->progress, subject->progress_context);
    if (status != SINPOS_OK)
        return status == SINPOS_E_UNSUPPORTED ? SINPOS_OK : status;
    struct advice_fact *fact = fact_add(model->advice, offset > 0 ? (double)offset : NAN, "base.sign");
    fact_value(fact, "first_negative", offset > 0 ? (double)offset : NAN);
    fact_value(fact, "g", offset > 0 ? g : NAN);
    if (offset > 0)
        fact_say(model->advice, fact,
                 "From %lld positions apart on, a token can be drawn away from one like itself: "
                 "g(k), the sum of cos(k theta_i), falls below 0 there.",
                 (long long)offset);
    else
        fact_say(model->advice, fact,
                 "A token is drawn to one like itself at every distance below %zu: g(k), the sum "
                 "of cos(k theta_i), stays at 0 or above.",
                 subject->context);
    struct text_buffer command = command_begin("kernel", &model->recipe);
    buffer_format(&command, " --offsets 1 --continuum none --limit %zu", subject->context);
    fact_command(model->advice, fact, &command);
    return SINPOS_OK;
}

static struct text_buffer search_command(const struct model *model, size_t context)
{
    struct text_buffer command = {NULL, 0, 0, false};
    buffer_format(&command, "sinpos base --context %zu --dim %zu", context, 2 * model->n);
    return command;
}

static void add_smallest(struct model *model, const sinpos_base_certificate *c)
{
    const size_t wanted = model->subject->context, context = c->query.context;
    struct advice_fact *fact = fact_add(model->advice, c->base_upper, "base");
    fact_value(fact, "base", model->base);
    fact_value(fact, "smallest", c->base_upper);
    fact_value(fact, "context", (double)context);
    if (context < wanted)
        fact_say(model->advice, fact,
                 "The base is %.12g; already %zu positions need at least %.6g, and %zu need more, "
                 "for g(k) to stay at 0 or above (searched, not proved).",
                 model->base, context, c->base_upper, wanted);
    else
        fact_say(model->advice, fact,
                 "The base is %.12g; %zu positions need at least %.6g for g(k) to stay at 0 or "
                 "above (searched, not proved).",
                 model->base, context, c->base_upper);
    struct text_buffer command = search_command(model, context);
    fact_command(model->advice, fact, &command);
}

static void add_robust(struct model *model, const sinpos_base_certificate *c)
{
    const double robust = c->robust.upper;
    struct advice_fact *fact = fact_add(model->advice, robust, "base.robust");
    fact_value(fact, "base", model->base);
    fact_value(fact, "robust", robust);
    fact_value(fact, "context", (double)c->query.context);
    fact_say(model->advice, fact, "Every base from %.6g on passes for %zu positions", robust, c->query.context);
    fact_say(model->advice, fact, model->base < robust ? "; %.12g is below that." : "; %.12g is one of them.",
             model->base);
    struct text_buffer command = search_command(model, c->query.context);
    fact_command(model->advice, fact, &command);
}

static sinpos_status search(struct model *model, sinpos_base_certificate *c)
{
    const struct advice_subject *subject = model->subject;
    sinpos_status status = sinpos_base_search(c, subject->n_threads, subject->progress, subject->progress_context);
    if (status == SINPOS_OK && c->outcome == SINPOS_BASE_FOUND) {
        add_smallest(model, c);
        status =
            sinpos_base_robust_find(c, ROBUST_EFFORT, subject->n_threads, subject->progress, subject->progress_context);
        if (status == SINPOS_OK && c->robust.upper > 0)
            add_robust(model, c);
    }
    return status;
}

sinpos_status advise_base(struct model *model)
{
    const size_t wanted = model->subject->context, most = SEARCHED / model->n;
    const sinpos_base_query query = {
        .context = wanted < most ? wanted : most, .n_tones = model->n, .divisor = (double)model->n, .scale = 1};
    sinpos_base_certificate c;
    sinpos_status status = add_sign(model);
    if (status != SINPOS_OK || model->base == 0 || sinpos_base_begin(&c, &query) != SINPOS_OK)
        return status;
    status = search(model, &c);
    sinpos_base_free(&c);
    return status;
}
