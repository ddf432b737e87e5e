/* The columns as signals: frequencies found back, spectra. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "claims.h"
#include "seeded.h"
#include "two_pi.h"

/* To -pi .. pi. */
static double wrap(double angle)
{
    return remainder(angle, TWO_PI);
}

/* ------------------------------------------------------------------------------------------------- waves */

/* For every complete tone, sum over rows of z(m + lag) conj z(m), z = cosine + i sine: 2 n doubles. */
static void add_products(const claims *c, size_t lag, double *sum)
{
    const size_t n = c->complete.n;
    memset(sum, 0, 2 * n * sizeof *sum);
    for (size_t i = lag; i < c->kept.run; i++) {
        const double *to = claims_row(c, i), *from = claims_row(c, i - lag);
        for (size_t j = 0; j < n; j++) {
            const size_t s = sin_column(c, j), k = cos_column(c, j);
            sum[j] += to[k] * from[k] + to[s] * from[s];
            sum[n + j] += to[s] * from[k] - to[k] * from[s];
        }
    }
}

static size_t longest_lag(const claims *c)
{
    size_t lag = 1;
    while (2 * lag <= c->kept.run / 2)
        lag *= 2;
    return lag;
}

/*
 * Angle per row of each complete tone, in -pi .. pi, from the rows alone: from the phase over one row, then over 2, 4, ...
 * rows, each time on the branch that the last estimate chooses.
 */
sinpos_status claims_find_turns(claims *c)
{
    const size_t n = c->complete.n, last = longest_lag(c);
    if (c->turns != NULL)
        return SINPOS_OK;
    OWNED double *sum = malloc((2 * n + 1) * sizeof *sum);
    c->turns = blocks_take(&c->memory, n, sizeof *c->turns);
    for (size_t lag = 1; lag <= last && sum != NULL && c->turns != NULL; lag *= 2) {
        add_products(c, lag, sum);
        for (size_t j = 0; j < n; j++) {
            const double expected = c->turns[j] * (double)lag;
            c->turns[j] = (expected + wrap(atan2(sum[n + j], sum[j]) - expected)) / (double)lag;
        }
    }
    return sum == NULL || c->turns == NULL ? SINPOS_E_MEMORY : SINPOS_OK;
}

/* A phase over lag rows is right within 2u + u^2 of rounded elements and run 2^-53 of the sum, and so on for tiny. */
double claims_turns_bound(const claims *c)
{
    double least = INFINITY;
    for (size_t j = 0; j < c->complete.n; j++)
        least = fmin(least, sqrt(c->own[j]) * (1 - c->unit) - 2 * c->tiny);
    if (!(least > 0))
        return NAN; /* a tone that vanishes in rounding has no angle */
    const double u = c->unit + 1.5 * c->tiny / least;
    const double phase = 2 * u + u * u + (double)(c->kept.run + 8) * 0x1p-53;
    return 1.01 * phase / (double)longest_lag(c) + 0x1p-49;
}

double claims_turns_error(const claims *c, const double *one, size_t *worst)
{
    double error = 0;
    *worst = 0;
    for (size_t j = 0; j < c->complete.n; j++) {
        const double angle = atan2(one[j], one[c->complete.n + j]);
        const double own = fabs(fabs(wrap(c->turns[j])) - fabs(angle));
        *worst = own <= error || error != error ? *worst : j;
        error = worse(error, own);
    }
    return error;
}

size_t claims_turns_backwards(const claims *c, const double *one)
{
    size_t n = 0;
    for (size_t j = 0; j < c->complete.n; j++) {
        const double angle = atan2(one[j], one[c->complete.n + j]);
        n += fabs(wrap(c->turns[j] + angle)) < fabs(wrap(c->turns[j] - angle));
    }
    return n;
}

static void say_waves(const claims *c, sinpos_claim_result *r, const double *one)
{
    const size_t n = c->complete.n;
    size_t worst;
    const double bound = claims_turns_bound(c), error = claims_turns_error(c, one, &worst);
    double slowest = INFINITY, fastest = 0;
    for (size_t j = 0; j < n; j++) {
        slowest = fmin(slowest, fabs(c->turns[j]));
        fastest = fmax(fastest, fabs(c->turns[j]));
    }
    const size_t backwards = claims_turns_backwards(c, one);
    if (error <= bound && backwards > 0)
        claim_say(r, error, bound, SINPOS_HOLDS,
                  "the frequencies found back are those stated; %zu of %zu turn backwards, as with sine and cosine "
                  "exchanged",
                  backwards, n);
    else if (error <= bound)
        claim_say(r, error, bound, SINPOS_HOLDS, "the frequencies found back in the rows are those stated");
    else
        claim_say(r, error, bound, SINPOS_DOES_NOT_HOLD, "column %zu has not the frequency stated, off by %.3g",
                  sin_column(c, worst), error);
    claim_looked_at(r, c->kept.run, c->dim);
    claim_detail(r, "tones", (double)n);
    claim_detail(r, "fastest_found_rad", fastest);
    claim_detail(r, "slowest_found_rad", slowest);
    claim_detail(r, "tones_that_turn_backwards", (double)backwards);
}

sinpos_status claim_waves(claims *c, sinpos_claim_result *r)
{
    const size_t n = c->complete.n;
    OWNED double *one = malloc(2 * n * sizeof *one);
    sinpos_status status = one == NULL ? SINPOS_E_MEMORY : claims_find_turns(c);
    if (status == SINPOS_OK)
        status = claims_angles(c, 1, one);
    if (status == SINPOS_OK)
        say_waves(c, r, one);
    return status;
}

/* ----------------------------------------------------------------------------------------------- fourier */

enum { MOST_SPECTRUM = 1 << 14, SPECTRA_ELEMENTS = 1 << 22 };

/* In place, n a power of two: sum z[m] exp(-2 pi i m j / n). roots holds exp(-2 pi i j / n) for j < n / 2. */
static void transform(double *re, double *im, size_t n, const double *roots)
{
    for (size_t i = 1, j = 0; i < n; i++) {
        size_t bit = n >> 1;
        for (; j & bit; bit >>= 1)
            j ^= bit;
        j ^= bit;
        if (i < j) {
            const double a = re[i], b = im[i];
            re[i] = re[j], im[i] = im[j];
            re[j] = a, im[j] = b;
        }
    }
    for (size_t half = 1; half < n; half *= 2)
        for (size_t first = 0; first < n; first += 2 * half)
            for (size_t j = 0; j < half; j++) {
                const double wr = roots[j * (n / half)], wi = roots[j * (n / half) + 1];
                double *a = re + first + j, *b = im + first + j;
                const double x = a[half] * wr - b[half] * wi, y = a[half] * wi + b[half] * wr;
                a[half] = a[0] - x, b[half] = b[0] - y;
                a[0] += x, b[0] += y;
            }
}

typedef struct spectra {
    size_t n_rows, n_bins; /* n_bins is a power of two and at least 2 n_rows */
    double *window, *roots, *re, *im;
    double *one; /* angles of one row */
    blocks memory;
} spectra;

static sinpos_status spectra_make(spectra *s, const claims *c)
{
    *s = (spectra){.n_rows = c->kept.run < MOST_SPECTRUM ? c->kept.run : MOST_SPECTRUM, .n_bins = 1};
    while (s->n_bins < 2 * s->n_rows)
        s->n_bins *= 2;
    s->window = blocks_take(&s->memory, s->n_rows, sizeof(double));
    s->roots = blocks_take(&s->memory, s->n_bins, sizeof(double));
    s->re = blocks_take(&s->memory, s->n_bins, sizeof(double));
    s->im = blocks_take(&s->memory, s->n_bins, sizeof(double));
    s->one = blocks_take(&s->memory, 2 * c->complete.n, sizeof(double));
    if (s->memory.has_failed)
        return SINPOS_E_MEMORY;
    for (size_t i = 0; i < s->n_rows; i++)
        s->window[i] = 0.5 - 0.5 * cos(TWO_PI * ((double)i + 0.5) / (double)s->n_rows);
    for (size_t j = 0; j < s->n_bins / 2; j++) {
        s->roots[2 * j] = cos(TWO_PI * (double)j / (double)s->n_bins);
        s->roots[2 * j + 1] = -sin(TWO_PI * (double)j / (double)s->n_bins);
    }
    return claims_angles(c, 1, s->one);
}

/* Puts the spectrum of cosine + i sine of tone j into re and im. */
static void find_spectrum(const claims *c, spectra *s, size_t j)
{
    memset(s->re, 0, s->n_bins * sizeof(double));
    memset(s->im, 0, s->n_bins * sizeof(double));
    for (size_t i = 0; i < s->n_rows; i++) {
        s->re[i] = s->window[i] * claims_row(c, i)[cos_column(c, j)];
        s->im[i] = s->window[i] * claims_row(c, i)[sin_column(c, j)];
    }
    transform(s->re, s->im, s->n_bins, s->roots);
}

/* Its energy that lies more than two bins away from a frequency, as a part; and how far its peak is. */
static double spectrum_leak(const spectra *s, double angle, double *peak_off)
{
    double whole = 0, inside = 0, most = -1;
    for (size_t b = 0; b < s->n_bins; b++) {
        const double energy = s->re[b] * s->re[b] + s->im[b] * s->im[b];
        const double off = fabs(wrap(TWO_PI * (double)b / (double)s->n_bins - angle));
        whole += energy;
        inside += off <= 2 * TWO_PI / (double)s->n_rows * (1 + 1e-12) ? energy : 0;
        *peak_off = energy > most ? off : *peak_off;
        most = fmax(most, energy);
    }
    return 1 - inside / whole;
}

typedef struct fourier {
    size_t fits, slow, without; /* tones: whose period fits, whose does not, that fit and have no peak where stated */
    size_t bad_column;
    double leak, peak_off;
} fourier;

static void take_spectrum(const claims *c, spectra *s, size_t j, double bound, fourier *f)
{
    const double angle = atan2(s->one[j], s->one[c->complete.n + j]);
    double peak_off = 0, mirror_off = 0;
    find_spectrum(c, s, j);
    double leak = spectrum_leak(s, angle, &peak_off);
    const double mirror_leak = spectrum_leak(s, -angle, &mirror_off);
    if (mirror_leak < leak) { /* exchanged columns, or rows backwards: exp(-i m theta) is the same tone */
        leak = mirror_leak;
        peak_off = mirror_off;
    }
    f->fits++;
    if (!(leak <= bound && peak_off <= TWO_PI / (double)s->n_bins)) {
        f->bad_column = f->without == 0 ? sin_column(c, j) : f->bad_column;
        f->without++;
    }
    f->leak = worse(f->leak, leak);
    f->peak_off = worse(f->peak_off, peak_off);
}

/* --------------------------------------------------------------------------- columns that are the same */

typedef struct signature {
    uint64_t hash;
    size_t tone;
} signature;

static int compare_signatures(const void *a, const void *b)
{
    const signature *x = a, *y = b;
    return x->hash < y->hash ? -1 : x->hash > y->hash ? 1 : x->tone < y->tone ? -1 : x->tone > y->tone;
}

static bool same_columns(const claims *c, size_t a, size_t b)
{
    for (size_t i = 0; i < c->kept.n_rows; i++) {
        const double *row = claims_row(c, i);
        if (row[sin_column(c, a)] != row[sin_column(c, b)] || row[cos_column(c, a)] != row[cos_column(c, b)])
            return false;
    }
    return true;
}

static void sign_tones(const claims *c, signature *s)
{
    const size_t n = c->complete.n;
    for (size_t j = 0; j < n; j++)
        s[j] = (signature){0, j};
    for (size_t i = 0; i < c->kept.n_rows; i++)
        for (size_t j = 0; j < n; j++) {
            const double pair[2] = {claims_row(c, i)[sin_column(c, j)] + 0.0, claims_row(c, i)[cos_column(c, j)] + 0.0};
            uint64_t bits[2];
            memcpy(bits, pair, sizeof bits);
            s[j].hash = seeded_bits(s[j].hash ^ bits[0], bits[1], i);
        }
}

/* How many tones have the columns of another, to the last bit; and one pair of them. */
sinpos_status claims_count_twins(const claims *c, size_t *twins, size_t pair[2])
{
    const size_t n = c->complete.n;
    OWNED signature *s = calloc(n + 1, sizeof *s);
    *twins = 0;
    if (s == NULL)
        return SINPOS_E_MEMORY;
    sign_tones(c, s);
    qsort(s, n, sizeof *s, compare_signatures);
    for (size_t j = 1; j < n; j++)
        if (s[j].hash == s[j - 1].hash && same_columns(c, s[j].tone, s[j - 1].tone)) {
            pair[0] = s[j - 1].tone;
            pair[1] = s[j].tone;
            (*twins)++;
        }
    return SINPOS_OK;
}

static void say_fourier(const claims *c, sinpos_claim_result *r, const fourier *f, size_t n_rows, size_t twins,
                        const size_t pair[2], double bound)
{
    const double leak = f->fits == 0 ? NAN : f->leak;
    if (twins > 0)
        claim_say(r, NAN, bound, SINPOS_DOES_NOT_HOLD, "%zu %s: columns %zu and %zu are the same in every row", twins,
                  twins == 1 ? "tone is a copy of another" : "tones are copies of others", sin_column(c, pair[0]),
                  sin_column(c, pair[1]));
    else if (f->without > 0)
        claim_say(r, leak, bound, SINPOS_DOES_NOT_HOLD, "%zu of %zu tones %s no single peak at theta_i, as column %zu",
                  f->without, f->fits, f->without == 1 ? "has" : "have", f->bad_column);
    else if (f->fits == 0)
        claim_say(r, leak, bound, SINPOS_DOES_NOT_APPLY, "no period fits into %zu rows", c->kept.run);
    else
        claim_say(r, leak, bound, SINPOS_HOLDS,
                  "one peak each at theta_i for %zu tone%s; %zu %s slower than the sequence", f->fits,
                  f->fits == 1 ? "" : "s", f->slow, f->slow == 1 ? "is" : "are");
    claim_looked_at(r, n_rows, 2 * (f->fits + f->slow));
    claim_detail(r, "tones_with_peak", (double)(f->fits - f->without));
    claim_detail(r, "tones_without_peak", (double)f->without);
    claim_detail(r, "tones_slower_than_sequence", (double)f->slow);
    claim_detail(r, "largest_peak_error_rad", f->peak_off);
    claim_detail(r, "tones_that_are_copies", (double)twins);
}

/* Every tone, or evenly many of them where there are more than time for. */
static sinpos_status find_spectra(const claims *c, spectra *s, double bound, fourier *f)
{
    const size_t n = c->complete.n, affordable = SPECTRA_ELEMENTS / s->n_bins + 1;
    const size_t step = n / affordable + 1;
    size_t n_theta;
    double *theta = blocks_take(&s->memory, n, sizeof *theta);
    const sinpos_status status = theta == NULL ? SINPOS_E_MEMORY : sinpos_plan_theta(c->angles, theta, n, &n_theta);
    for (size_t j = 0; j < n && status == SINPOS_OK; j += step)
        if (fabs(theta[j]) * (double)s->n_rows >= TWO_PI) /* a whole turn fits into the rows */
            take_spectrum(c, s, j, bound, f);
        else
            f->slow++;
    return status;
}

sinpos_status claim_fourier(claims *c, sinpos_claim_result *r)
{
    fourier f = {0};
    spectra s = {0};
    size_t twins = 0, pair[2] = {0, 0};
    /* a Hann window leaves the part chosen beyond two bins, from 8 rows on; rounded elements add to it */
    const double noise = sqrt(c->chosen) + 2 * c->unit, bound = c->is_given ? c->chosen : noise * noise;
    sinpos_status status = spectra_make(&s, c);
    if (status == SINPOS_OK)
        status = find_spectra(c, &s, bound, &f);
    if (status == SINPOS_OK)
        status = claims_count_twins(c, &twins, pair);
    if (status == SINPOS_OK)
        say_fourier(c, r, &f, s.n_rows, twins, pair, bound);
    blocks_free(&s.memory);
    return status;
}
