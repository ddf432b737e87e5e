/* identify_schedule.c - frequencies as a formula that people write. */
#include "identify.h"

/* In the order in which they are preferred where the table does not decide. */
static const double usual_bases[] = {1e4, 5e5, 1e6, 100, 1e3, 1e5, 2, 10, 20, 50, 500, 200, 250, 1e7, 5e6, 2e4, 5e4, 4};

/* What a base costs that is not usual. Through two frequencies goes a formula always; it has few digits if it is meant. */
#define ANY_COST 20
#define MOST_DIGITS 4

typedef struct pick {
    double base, divisor;
    double cost;
} pick;

/* What a divisor costs; infinite for one that no formula has. m frequencies, w columns. */
static double divisor_cost(double divisor, double m, double w)
{
    const double usual[] = {m, m - 1, w / 2, (w - 1) / 2, m - 0.5, floor(w / 2), 1};
    for (size_t i = 0; i < sizeof usual / sizeof usual[0]; i++)
        if (divisor == usual[i] && divisor > 0)
            return (double)i / 4;
    return divisor >= 0.5 && divisor <= 2 * w ? 4 + fabs(divisor - m) / m : INFINITY;
}

/* Bases that are usual, with a divisor that is a multiple of 1/2. */
static void pick_usual(pick *best, double slope, double error, double m, double w)
{
    for (size_t i = 0; i < sizeof usual_bases / sizeof usual_bases[0]; i++) {
        const double exact = log(usual_bases[i]) / slope;
        const bool is_part = fabs(exact - w / 2) <= exact * (error / slope + 1e-13);
        const double divisor = is_part ? w / 2 : nearbyint(2 * exact) / 2; /* a third of the columns, in turn */
        const double cost = (double)i / 2 + divisor_cost(divisor, m, w);
        if (fabs(exact - divisor) <= exact * (error / slope + 1e-13) && cost < best->cost)
            *best = (pick){usual_bases[i], divisor, cost};
    }
}

/* Any base with few digits. */
static void pick_any(pick *best, double slope, double error, double m, double w)
{
    const double divisors[] = {m, m - 1, w / 2, 1};
    for (size_t i = 0; i < sizeof divisors / sizeof divisors[0]; i++) {
        const double base = exp(slope * divisors[i]), nice = id_nice(base, base * (divisors[i] * error + 1e-15));
        const double cost = ANY_COST + 3 * (double)id_digits(nice) + (double)i;
        if (divisors[i] > 0 && isfinite(base) && nice > 1 && cost < best->cost)
            *best = (pick){nice, divisors[i], cost};
    }
}

bool id_is_usual(const id_guess *guess, double slope_error, size_t m)
{
    const double slope = fabs(guess->slope), divisors[] = {(double)m, (double)m - 1, (double)m - 0.5, 1};
    for (size_t i = 0; i < sizeof usual_bases / sizeof usual_bases[0]; i++) {
        for (size_t k = 0; k < sizeof divisors / sizeof divisors[0]; k++) {
            const double off = fabs(slope * divisors[k] - log(usual_bases[i]));
            if (off <= fmin(slope_error, 1e-3) * divisors[k] + 1e-6)
                return guess->family == ID_GEOMETRIC;
        }
    }
    return false;
}

void id_name_law(sinpos_identity_axis *axis, const id_fit *fit, size_t a, double width)
{
    const double rounding = fit->error < 1e-12 ? 1e-14 : 5e-7; /* of the frequencies, each for itself */
    const double slope = fit->guess[a].slope, size = fabs(slope);
    const double m = (double)fit->layout.n_frequencies[a], w = width;
    const double error = fit->slope_error[a] + rounding / fmax(1, m - 1);
    axis->n_frequencies = fit->layout.n_frequencies[a];
    axis->scale = 1;
    axis->base = 10000;
    axis->divisor = m;
    axis->law = fit->n_free[a] > 0                     ? SINPOS_LAW_LIST
                : fit->guess[a].family == ID_GEOMETRIC ? SINPOS_LAW_GEOMETRIC
                : fit->guess[a].family == ID_LINEAR    ? SINPOS_LAW_LINEAR
                                                       : SINPOS_LAW_LIST;
    if (fit->guess[a].family == ID_FREE) {
        axis->base = axis->divisor = 0;
    } else if (fit->guess[a].family == ID_LINEAR) {
        axis->increment = id_simple(slope, error);
    } else if (fit->guess[a].family == ID_GEOMETRIC && m > 1) {
        pick best = {exp(size), 1, 100};
        pick_usual(&best, size, error, m, w);
        pick_any(&best, size, error, m, w);
        axis->base = slope > 0 ? best.base : 1 / best.base;
        axis->divisor = best.divisor;
        if (m == 2 && best.cost >= ANY_COST && id_digits(best.base) > MOST_DIGITS) {
            axis->law = SINPOS_LAW_LIST;
            axis->base = axis->divisor = 0;
        }
    }
}
