/* diff_numbers.c - factors and constants as somebody writes them: those that make most elements of the sample. */
#include "diff.h"

#define MOST_DIGITS 9

/* x to so many significant digits. */
double diff_to_digits(double x, int digits)
{
    if (x == 0 || !isfinite(x))
        return x;
    const int places = digits - 1 - (int)floor(log10(fabs(x)));
    const double power = pow(10, abs(places));
    return places >= 0 ? nearbyint(x * power) / power : nearbyint(x / power) * power;
}

static void add(double x, double value, double error, double *out, size_t *n)
{
    if (fabs(value - x) > error)
        return;
    out[(*n)++] = value;
    if ((double)(float)value != value)
        out[(*n)++] = (double)(float)value;
}

size_t diff_likely_numbers(double x, double error, double out[DIFF_LIKELY])
{
    const double part = 1 / x;
    size_t n = 0;
    add(x, sqrt(nearbyint(x * x)), error, out, &n);
    add(x, 1 / sqrt(nearbyint(part * part)), error, out, &n);
    for (int digits = 1; digits <= MOST_DIGITS; digits++) {
        const double near_part = diff_to_digits(part, digits);
        add(x, diff_to_digits(x, digits), error, out, &n);
        add(x, 1 / near_part, error, out, &n);
        add(x, 1 / (double)(float)near_part, error, out, &n);
    }
    out[n++] = x;
    return n;
}

/* Tries each number in place of *number. */
static void settle(const diff_job *job, const diff_source *source, diff_match *match, double *number, double error)
{
    double list[DIFF_LIKELY];
    const double before = *number;
    const size_t n = diff_likely_numbers(before, error, list);
    uint64_t least = UINT64_MAX;
    double best = before;
    for (size_t k = 0; k < n && least > 0; k++) {
        *number = list[k];
        const uint64_t wrong = diff_score_sample(job, source, match).wrong;
        if (wrong < least) {
            least = wrong;
            best = list[k];
        }
    }
    *number = best;
}

void diff_settle_numbers(const diff_job *job, const diff_source *source, diff_match *match)
{
    const double unit =
        type_unit(job->b.holds) > type_unit(job->a.holds) ? type_unit(job->b.holds) : type_unit(job->a.holds);
    if (match->factor != 1)
        settle(job, source, match, &match->factor, 8 * unit * match->factor);
    if (match->constant != 0)
        settle(job, source, match, &match->constant, 8 * unit * (1 + fabs(match->constant)));
}
