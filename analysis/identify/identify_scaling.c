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

typedef struct scaling {
    sinpos_scaling kind;
    double base, factor, context;
    bool truncate;
} scaling;

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
    static const double contexts[] = {8192,    4096, 32768, 131072, 2048, 16384, 65536, 262144, 524288,
                                      1048576, 1024, 512,   256,    128,  64,    32,    16,     8};
    const double told = theta[0] * pow(base, -(double)(m - 1) / (double)m) / theta[m - 1];
    const double factors[] = {id_simple(told, 1e-4 * told), 2, 4, 8, 16, 32, 40, 64};
    double least = 1;
    for (size_t c = 0; c < sizeof contexts / sizeof contexts[0]; c++) {
        for (size_t f = 0; f < sizeof factors / sizeof factors[0]; f++) {
            for (int k = 0; k < 3; k++) {
                const scaling s = {.kind = k == 0 ? SINPOS_SCALING_LLAMA3 : SINPOS_SCALING_YARN,
                                   .base = base,
                                   .factor = factors[f],
                                   .context = contexts[c],
                                   .truncate = k == 1};
                const double own = factors[f] > 1 ? deviation(&s, theta, m, reach) : 2;
                if (own < 0.999 * least) {
                    least = own;
                    *best = s;
                }
            }
        }
    }
    return least < 1;
}

bool id_name_scaling(sinpos_identity *identity, sinpos_identity_axis *axis, double reach)
{
    static const double usual[] = {1e4, 5e5, 1e6, 1.5e5, 1e5, 1e7, 5e6};
    const size_t m = axis->n_frequencies;
    scaling s = {.factor = 1};
    bool is_found = false;
    if (m < 4 || !(axis->theta[m - 1] > 0) || (axis->base > 0 && axis->divisor != (double)m))
        return false;
    if (axis->base > 1)
        is_found = search(&s, axis->base, axis->theta, m, reach);
    for (size_t i = 0; axis->base == 0 && i < sizeof usual / sizeof usual[0] && !is_found; i++)
        is_found = search(&s, usual[i], axis->theta, m, reach);
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
