/* What formulas of the literature say of a base, a training length and a context. */
#include <math.h>
#include <string.h>

#include "base_tones.h"
#include "boundary.h"
#include "two_pi.h"

static double theta_of(const sinpos_base_query *q, double base, size_t i)
{
    return q->scale * pow(base, -((double)i + q->shift) / q->divisor);
}

/* How much of its frequency YaRN leaves a tone that turns so often within the training length. */
static double kept_part(double turns, double alpha, double beta)
{
    return turns <= alpha ? 0 : turns >= beta ? 1 : (turns - alpha) / (beta - alpha);
}

static void count_tone(sinpos_base_lengths *l, const sinpos_tone_length *tone, double train, double context)
{
    l->n_within_train += tone->period <= train;
    l->n_within_context += tone->period <= context;
    l->n_kept += tone->kept == 1;
    l->n_interpolated += tone->kept == 0;
    l->n_blended += tone->kept > 0 && tone->kept < 1;
    l->shortest = fmin(l->shortest, tone->period);
    l->longest = fmax(l->longest, tone->period);
    const double half = sin(TWO_PI / tone->period / 4);
    l->interpolation_worst += 2 * half * half;
}

static void set_bases(sinpos_base_lengths *l, const sinpos_base_query *q, double base, double train)
{
    const double context = (double)q->context;
    l->factor = context / train;
    l->interpolation_published = (double)q->n_tones / (16 * log(base));
    l->ntk_base = q->divisor > 1 ? base * pow(l->factor, q->divisor / (q->divisor - 1)) : 0;
    const double first_beyond = ((double)l->n_within_train + q->shift) / q->divisor,
                 turns = context * q->scale / TWO_PI;
    l->extrapolation_base = first_beyond > 0 && turns > 1 ? pow(turns, 1 / first_beyond) : 0;
    l->attention_factor = l->factor > 1 ? 0.1 * log(l->factor) + 1 : 1;
}

sinpos_status sinpos_base_lengths_at(const sinpos_base_query *query, double base, double train, double alpha,
                                     double beta, sinpos_base_lengths *lengths, sinpos_tone_length *each)
{
    BOUNDARY;
    if (query == NULL || lengths == NULL)
        return SINPOS_E_NULL;
    if (base_query_check(query) != SINPOS_OK || !(base > 1) || !(base <= SINPOS_BASE_MAX) || !(train >= 1) ||
        !(train <= 0x1p53) || !(alpha > 0) || !(beta > alpha) || !isfinite(beta))
        return SINPOS_E_VALUE;
    memset(lengths, 0, sizeof *lengths);
    lengths->shortest = INFINITY;
    for (size_t i = 0; i < query->n_tones; i++) {
        const double theta = theta_of(query, base, i), turns = train * theta / TWO_PI;
        const double kept = kept_part(turns, alpha, beta);
        const double factor = (double)query->context / train;
        const double yarn = factor > 1 ? theta * (kept + (1 - kept) / factor) : theta;
        const sinpos_tone_length tone = {TWO_PI / theta, turns, kept, TWO_PI / yarn};
        count_tone(lengths, &tone, train, (double)query->context);
        if (each != NULL)
            each[i] = tone;
    }
    set_bases(lengths, query, base, train);
    return SINPOS_OK;
}
