/*
 * identify_scaling.c - frequencies that were slowed down to stretch a context: YaRN and Llama 3.
 *
 * Both leave fast tones as they are, divide slow ones by a factor and go from one to the other in between: YaRN evenly in
 * the index, between 32 and 1 turns in the context (Peng et al. 2023, arXiv 2309.00071), Llama 3 evenly in the turns
 * themselves, between 4 and 1.
 */
#include "identify.h"

/* Relative deviation of a frequency that its angles would not show, at the least. */
#define LEAST_DEVIATION 1e-6

/* The same, where the fastest tones are known one by one. */
#define FAST_ERROR 1e-5

typedef struct scaling {
    sinpos_scaling kind;
    double base, factor, context;
    bool truncate;
} scaling;

/* What models have. */
static const double usual_bases[] = {1e4, 5e5, 1e6, 1.5e5, 1e5, 1e7, 5e6};
static const double usual_factors[] = {2, 4, 8, 16, 32, 40, 64};
static const double usual_contexts[] = {8192,    4096, 32768, 131072, 2048, 16384, 65536, 262144, 524288,
                                        1048576, 1024, 512,   256,    128,  64,    32,    16,     8};
enum {
    N_BASES = sizeof usual_bases / sizeof usual_bases[0],
    N_FACTORS = sizeof usual_factors / sizeof usual_factors[0],
    N_CONTEXTS = sizeof usual_contexts / sizeof usual_contexts[0],
    N_RULES = 3
};

/* Llama 3's; YaRN's with whole numbers of tones, and without. */
static scaling rule_of(size_t rule, double base, double factor, double context)
{
    const sinpos_scaling kind = rule == 0 ? SINPOS_SCALING_LLAMA3 : SINPOS_SCALING_YARN;
    return (scaling){kind, base, factor, context, rule == 1};
}

static double clamp(double x)
{
    return x < 0 ? 0 : x > 1 ? 1 : x;
}

static double yarn_share(const scaling *s, size_t m, size_t i)
{
    const double n = (double)m, low = n * log(s->context / (32 * TWO_PI)) / log(s->base);
    const double high = n * log(s->context / TWO_PI) / log(s->base);
    const double from = fmax(s->truncate ? floor(low) : low, 0), to = fmin(s->truncate ? ceil(high) : high, 2 * n - 1);
    return clamp(((double)i - from) / (from == to ? 1e-3 : to - from));
}

static double scaled_theta(const scaling *s, size_t m, size_t i)
{
    const double theta = pow(s->base, -(double)i / (double)m);
    const double slow =
        s->kind == SINPOS_SCALING_YARN ? yarn_share(s, m, i) : 1 - clamp((s->context * theta / TWO_PI - 1) / 3);
    return theta * (1 - (1 - 1 / s->factor) * slow);
}

/* Is any tone slower than without it? The slowest one is, if there is one. */
static bool slows(const scaling *s, size_t m)
{
    return scaled_theta(s, m, m - 1) < pow(s->base, -(double)(m - 1) / (double)m) * (1 - LEAST_DEVIATION);
}

/* Largest deviation, in units of what is allowed; beyond 1 it does not fit. The first tone is never slowed down. */
static double deviation(const scaling *s, const double *theta, size_t m, double reach)
{
    double most = 0;
    for (size_t i = 0; i < m && most <= 1; i++) {
        const double want = theta[0] * scaled_theta(s, m, i), allowed = LEAST_DEVIATION * fabs(want) + reach;
        most = fmax(most, fabs(theta[i] - want) / allowed);
    }
    return most;
}

/* Known contexts and factors, and the factor that the slowest tone gives. */
static bool search(scaling *best, double base, const double *theta, size_t m, double reach)
{
    const double ratio = theta[0] * pow(base, -(double)(m - 1) / (double)m) / theta[m - 1];
    const double told = id_simple(ratio, 1e-4 * ratio);
    double least = 1;
    for (size_t c = 0; c < N_CONTEXTS; c++) {
        for (size_t f = 0; f <= N_FACTORS; f++) {
            const double factor = f == 0 ? told : usual_factors[f - 1];
            for (size_t k = 0; k < N_RULES; k++) {
                const scaling s = rule_of(k, base, factor, usual_contexts[c]);
                const double own = factor > 1 && slows(&s, m) ? deviation(&s, theta, m, reach) : 2;
                if (own < 0.999 * least) {
                    least = own;
                    *best = s;
                }
            }
        }
    }
    return least < 1;
}

bool id_known_scaling(size_t k, const double *fast, size_t n_fast, double *theta, size_t m)
{
    const size_t rule = k % N_RULES, f = k / N_RULES % N_FACTORS, c = k / N_RULES / N_FACTORS % N_CONTEXTS;
    const size_t b = k / N_RULES / N_FACTORS / N_CONTEXTS;
    if (b >= N_BASES)
        return false;
    const scaling s = rule_of(rule, usual_bases[b], usual_factors[f], usual_contexts[c]);
    theta[0] = NAN;
    if (!slows(&s, m))
        return true;
    for (size_t i = 0; i < n_fast; i++)
        if (!(fabs(fast[i] - scaled_theta(&s, m, i)) <= FAST_ERROR * fast[i]))
            return true;
    for (size_t i = 0; i < m; i++)
        theta[i] = scaled_theta(&s, m, i);
    return true;
}

bool id_name_scaling(sinpos_identity *identity, sinpos_identity_axis *axis, double reach)
{
    const size_t m = axis->n_frequencies;
    scaling s = {.factor = 1};
    bool is_found = false;
    if (m < 4 || !(axis->theta[m - 1] > 0) || (axis->base > 0 && axis->divisor != (double)m))
        return false;
    if (axis->base > 1)
        is_found = search(&s, axis->base, axis->theta, m, reach);
    for (size_t i = 0; axis->base == 0 && i < N_BASES && !is_found; i++)
        is_found = search(&s, usual_bases[i], axis->theta, m, reach);
    if (is_found) {
        axis->base = s.base;
        axis->divisor = (double)m;
        const double first = axis->theta[0];
        for (size_t i = 0; i < m; i++)
            axis->theta[i] = first * scaled_theta(&s, m, i);
        identity->scaling = s.kind;
        identity->scaling_factor = s.factor;
        identity->scaling_context = s.context;
        identity->scaling_truncate = s.truncate;
    }
    return is_found;
}
