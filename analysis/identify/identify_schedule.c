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

/* ----------------------------------------------------------------------------------------- rounded frequencies */

/* Frequencies that are asked for; what the arithmetic of float32 makes of one is so near, relative. */
#define LEAST_ROUNDED 4
#define SINGLE_ERROR 0x1p-22

/* Of a type with fewer bits: to the last one, or where float32 decided a tie, and known so well. */
#define TIE_ROOM 1.02
#define KNOWN_TO 0x1p-20

/* Digits of a base that is not usual, and of a scale. */
#define ROUNDED_DIGITS 4

/* Least ln of the ratio of the extreme frequencies. */
#define LEAST_SPAN 0.05

double id_rounded_theta(const id_rounded_law *law, size_t i)
{
    return id_to_bits(law->scale * pow(law->base, -(double)i / law->divisor), law->bits);
}

static bool follows(const id_rounded_law *law, const double *theta, size_t n, double reach)
{
    for (size_t i = 0; i < n; i++) {
        const double formula = law->scale * pow(law->base, -(double)i / law->divisor), off = fabs(theta[i] - formula);
        const double known = KNOWN_TO * theta[i] + reach, half_unit = ldexp(1, ilogb(theta[i]) - law->bits);
        const bool is_on_grid = fabs(theta[i] - id_to_bits(theta[i], law->bits)) <= known;
        if (law->bits == 24 ? off > SINGLE_ERROR * formula + reach : !is_on_grid || off > TIE_ROOM * half_unit + known)
            return false;
    }
    return true;
}

/* ln(theta_i) = first - slope i, and four standard errors of both. */
typedef struct line {
    double first, slope, first_error, slope_error;
} line;

/* By least squares of frequencies that err by `unit`, relative, and by reach. False where one is not positive. */
static bool line_through(line *l, const double *theta, size_t n, double unit, double reach)
{
    double w = 0, wi = 0, wy = 0, wii = 0, wiy = 0;
    for (size_t i = 0; i < n; i++) {
        if (!(theta[i] > 0))
            return false;
        const double k = (double)i, y = log(theta[i]), error = hypot(unit, reach / theta[i]);
        const double weight = 1 / (error * error);
        w += weight;
        wi += weight * k;
        wy += weight * y;
        wii += weight * k * k;
        wiy += weight * k * y;
    }
    const double middle = wi / w, spread = wii - wi * middle;
    l->slope = -(wiy - middle * wy) / spread;
    l->first = wy / w + l->slope * middle;
    l->slope_error = 4 / sqrt(spread);
    l->first_error = 4 * sqrt(1 / w + middle * middle / spread);
    return spread > 0 && l->slope * (double)(n - 1) > LEAST_SPAN;
}

static bool try_law(id_rounded_law *law, const double *theta, size_t n, double reach, id_rounded_law own)
{
    if (law->bits == 0 && own.base > 1 && own.divisor > 0 && follows(&own, theta, n, reach))
        *law = own;
    return law->bits != 0;
}

void id_find_rounded_law(id_rounded_law *law, const double *theta, size_t n, size_t n_columns, double reach)
{
    static const int types[] = {24, 11, 8};
    *law = (id_rounded_law){0};
    for (size_t t = 0; t < sizeof types / sizeof types[0] && n >= LEAST_ROUNDED && law->bits == 0; t++) {
        line l;
        if (!line_through(&l, theta, n, ldexp(1, -types[t]), reach))
            return;
        const double m = (double)n, divisors[] = {m, m - 1, (double)n_columns / 2, (double)n_columns};
        const double scale = id_nice(exp(l.first), l.first_error * exp(l.first));
        id_rounded_law own = {.scale = scale, .bits = types[t]};
        if (id_digits(scale) > ROUNDED_DIGITS)
            continue;
        for (size_t i = 0; i < sizeof usual_bases / sizeof usual_bases[0]; i++) {
            const double exact = log(usual_bases[i]) / l.slope;
            own.base = usual_bases[i];
            own.divisor = nearbyint(2 * exact) / 2;
            if (fabs(exact - own.divisor) <= exact * l.slope_error / l.slope && try_law(law, theta, n, reach, own))
                break;
        }
        for (size_t d = 0; d < sizeof divisors / sizeof divisors[0]; d++) {
            own.divisor = divisors[d];
            own.base = id_nice(exp(l.slope * own.divisor), exp(l.slope * own.divisor) * own.divisor * l.slope_error);
            if (id_digits(own.base) <= ROUNDED_DIGITS)
                (void)try_law(law, theta, n, reach, own);
        }
    }
}
