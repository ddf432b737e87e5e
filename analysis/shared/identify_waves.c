/*
 * identify_waves.c - a sine wave in one column.
 *
 * x(r - 1) + x(r + 1) = 2 cos(theta) x(r) gives the frequency roughly, whatever amplitude and phase are; least squares in
 * the middle rows, then in more and more of them, refine it.
 */
#include "identify_waves.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Rows of the first least squares, and its steps for each number of rows. */
#define FIRST_ROWS 16
#define STEPS 4

/* Sines, cosines, the derivative by the frequency, and the offset. */
enum { SINE, COSINE, SLOPE, OFFSET, NUMBERS };

/* Solves symmetric equations of the first n numbers by elimination; false where they are singular. */
static bool solve(double a[NUMBERS][NUMBERS], double *b, size_t n)
{
    for (size_t j = 0; j < n; j++) {
        if (!(a[j][j] > 0))
            return false;
        for (size_t k = 0; k < n; k++) {
            const double factor = k == j ? 0 : a[k][j] / a[j][j];
            for (size_t l = 0; l < n; l++)
                a[k][l] -= factor * a[j][l];
            b[k] -= factor * b[j];
        }
    }
    for (size_t j = 0; j < n; j++)
        b[j] /= a[j][j];
    return true;
}

/* cos(theta) from the recurrence; an offset makes its sums those of a line. */
static double recurrence(const double *x, size_t n, bool has_offset)
{
    double sum_x = 0, sum_y = 0, xx = 0, xy = 0, count = 0;
    for (size_t r = 1; r + 1 < n; r++) {
        const double y = x[r - 1] + x[r + 1];
        if (isnan(y + x[r]))
            continue;
        sum_x += x[r];
        sum_y += y;
        xx += x[r] * x[r];
        xy += x[r] * y;
        count++;
    }
    if (has_offset && count > 0) {
        xx -= sum_x * sum_x / count;
        xy -= sum_x * sum_y / count;
    }
    return xx > 0 ? xy / xx / 2 : NAN;
}

typedef struct fit {
    double sine, cosine, offset; /* at rows that are counted from the middle */
    double theta;
    double variance;     /* of the elements, from the residuals */
    double theta_factor; /* of it, for the variance of theta */
} fit;

static bool step(fit *f, const double *x, size_t n, double middle, bool has_offset)
{
    const size_t m = has_offset ? NUMBERS : NUMBERS - 1;
    double a[NUMBERS][NUMBERS] = {{0}}, b[NUMBERS] = {0}, inverse[NUMBERS][NUMBERS], unit[NUMBERS] = {0};
    double squares = 0, count = 0;
    for (size_t r = 0; r < n; r++) {
        const double at = (double)r - middle, s = sin(f->theta * at), c = cos(f->theta * at);
        const double part[NUMBERS] = {s, c, at * (f->sine * c - f->cosine * s), 1};
        const double off = x[r] - f->sine * s - f->cosine * c - f->offset;
        if (isnan(x[r]))
            continue;
        for (size_t j = 0; j < m; j++) {
            b[j] += part[j] * off;
            for (size_t k = 0; k < m; k++)
                a[j][k] += part[j] * part[k];
        }
        squares += off * off;
        count++;
    }
    memcpy(inverse, a, sizeof a);
    unit[SLOPE] = 1;
    if (count < NUMBERS + 1)
        return false;
    if (a[SLOPE][SLOPE] == 0) { /* no amplitude yet: sines and cosines alone */
        a[SLOPE][SLOPE] = 1;
        inverse[SLOPE][SLOPE] = 1;
    }
    if (!solve(a, b, m) || !solve(inverse, unit, m))
        return false;
    f->sine += b[SINE];
    f->cosine += b[COSINE];
    f->offset += has_offset ? b[OFFSET] : 0;
    f->theta += b[SLOPE];
    f->variance = squares / count;
    f->theta_factor = unit[SLOPE];
    return f->theta > 0 && f->theta < 4;
}

/* The middle rows first. */
static bool refine(fit *f, const double *x, size_t n, bool has_offset)
{
    for (size_t rows = FIRST_ROWS < n ? FIRST_ROWS : n;; rows = 2 * rows < n ? 2 * rows : n) {
        const size_t first = (n - rows) / 2;
        const double middle = (double)(n - 1) / 2 - (double)first;
        for (int k = 0; k < STEPS; k++)
            if (!step(f, x + first, rows, middle, has_offset))
                return false;
        if (rows == n)
            return true;
    }
}

id_wave id_wave_find(const double *x, size_t n, bool has_offset)
{
    id_wave wave = {.residual = INFINITY, .far_outside = INFINITY};
    const double cosine = recurrence(x, n, has_offset), middle = (double)(n - 1) / 2;
    fit f = {.theta = acos(fmax(-1, fmin(1, cosine)))};
    if (isnan(cosine) || !(f.theta > 0) || !refine(&f, x, n, has_offset))
        return wave;
    const double amplitude = hypot(f.sine, f.cosine);
    double far = 0;
    for (size_t r = 0; r < n; r++) {
        const double at = f.theta * ((double)r - middle);
        far = fmax(far, fabs(x[r] - f.sine * sin(at) - f.cosine * cos(at) - f.offset)); /* fmax leaves NaN out */
    }
    wave.theta = f.theta;
    wave.amplitude = amplitude;
    wave.phase = atan2(f.cosine, f.sine) - f.theta * middle;
    wave.offset = f.offset;
    wave.error = sqrt(f.variance * fmax(f.theta_factor, 0));
    wave.residual = amplitude > 0 ? sqrt(f.variance) / amplitude : INFINITY;
    wave.far_outside = amplitude > 0 ? far / amplitude : INFINITY;
    return wave;
}

/* ------------------------------------------------------------------------------------------- single elements */

/* Typical deviations that a wave does not have, and parts of its size; one element in so many at most. */
#define FAR_TIMES 16
#define FAR_PART 0.02
#define LEAST_BETWEEN 16

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* NaN where there is none; reorders them. */
static double middle_of(double *x, size_t n)
{
    qsort(x, n, sizeof *x, by_value);
    return n == 0 ? NAN : x[n / 2];
}

/* cos(theta) by the middle of what rows say of it one by one; an offset cancels. */
static double robust_cosine(const double *x, size_t n, double *room)
{
    size_t k = 0;
    for (size_t r = 1; r + 2 < n; r++)
        if (!isnan(x[r + 1] - x[r]))
            room[k++] = fabs(x[r + 1] - x[r]);
    const double size = middle_of(room, k);
    k = 0;
    for (size_t r = 1; r + 2 < n; r++) {
        const double change = x[r + 1] - x[r], ratio = (x[r + 2] - x[r + 1] + x[r] - x[r - 1]) / (2 * change);
        if (fabs(change) >= size && isfinite(ratio))
            room[k++] = ratio;
    }
    return middle_of(room, k);
}

/* What x(r - 1) - 2 cos(theta) x(r) + x(r + 1) has beyond what it has typically. Returns what is far; 0: nothing is known. */
static double deviations(const double *x, size_t n, double *room, double *off)
{
    const double cosine = robust_cosine(x, n, room);
    size_t k = 0, m = 0;
    for (size_t r = 1; r + 1 < n; r++) {
        off[r] = x[r - 1] + x[r + 1] - 2 * cosine * x[r];
        if (!isnan(off[r]))
            room[k++] = off[r];
    }
    const double typical = middle_of(room, k);
    for (size_t r = 1; r + 1 < n; r++) {
        off[r] -= typical;
        if (!isnan(off[r]))
            room[m++] = fabs(off[r]);
    }
    const double spread = middle_of(room, m);
    for (size_t r = k = 0; r < n; r++)
        if (!isnan(x[r]))
            room[k++] = fabs(x[r]);
    const double far = fmax(FAR_TIMES * spread, FAR_PART * middle_of(room, k));
    return isfinite(far) ? far : 0;
}

static bool are_equal(double a, double b, double far)
{
    return fabs(a) > far && fabs(a - b) <= far + 0.1 * fabs(a);
}

/* An element that is off by d is so in the equation of its row, -2 cos(theta) times, and in those before and after. */
static bool is_single(const double *off, size_t n, size_t r, double far)
{
    if (r == 0)
        return fabs(off[1]) > far && fabs(off[2]) <= far;
    if (r + 1 == n)
        return fabs(off[n - 2]) > far && fabs(off[n - 3]) <= far;
    if (r == 1)
        return fabs(off[2]) > far && fabs(off[3]) <= far;
    if (r + 2 == n)
        return fabs(off[n - 3]) > far && fabs(off[n - 4]) <= far;
    return are_equal(off[r - 1], off[r + 1], far);
}

void id_wave_clean(double *x, size_t n, double *room)
{
    double *off = room + n;
    if (n < LEAST_BETWEEN)
        return;
    const double far = deviations(x, n, room, off);
    size_t count = 0;
    for (size_t r = 0; r < n && far > 0; r++)
        count += is_single(off, n, r, far);
    if (count > n / LEAST_BETWEEN + 1)
        return;
    for (size_t r = 0; r < n && count > 0; r++)
        if (is_single(off, n, r, far))
            x[r] = NAN;
}

double id_wave_level(const double *x, const double *wave, size_t n, bool has_offset, double *amplitude, double *offset)
{
    double sum_w = 0, sum_x = 0, ww = 0, wx = 0, count = 0, squares = 0;
    for (size_t r = 0; r < n; r++) {
        if (isnan(x[r]))
            continue;
        sum_w += wave[r];
        sum_x += x[r];
        count++;
    }
    const double mean_w = has_offset ? sum_w / count : 0, mean_x = has_offset ? sum_x / count : 0;
    for (size_t r = 0; r < n; r++) {
        if (isnan(x[r]))
            continue;
        ww += (wave[r] - mean_w) * (wave[r] - mean_w);
        wx += (wave[r] - mean_w) * (x[r] - mean_x);
    }
    *amplitude = ww > 0 ? wx / ww : 0;
    *offset = mean_x - *amplitude * mean_w;
    for (size_t r = 0; r < n; r++) {
        const double off = x[r] - *amplitude * wave[r] - *offset;
        squares += isnan(x[r]) ? 0 : off * off;
    }
    return count > 0 ? sqrt(squares / count) : INFINITY;
}
