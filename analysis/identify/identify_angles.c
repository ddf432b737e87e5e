/*
 * identify_angles.c - angles in bfloat16 or float16: products of frequencies and positions that are such numbers too.
 *
 * Sines of sixteen bits: at position 1 the angle is the frequency, a number of the type. The numbers near the angle
 * that is read there are tried until one makes the elements of its tone in all rows.
 *
 * Sines in float32 show angles below half a turn to the last bit. Where these are numbers of the type, each start
 * is tried: it gives the frequency of the slowest tone, which has no turns. With a start that makes the angles of that
 * tone, each number of the type is tried as the frequency of each other tone.
 *
 * Of both, what rounded products make must differ from what the products as they are would make.
 */
#include "elements.h"
#include "identify.h"

/* Rows that are looked at, from the first on; numbers on either side of the angle that are tried. */
#define MOST_ROWS 256
#define MOST_STEPS 6

/* Elements that only the rounded product makes, and the part of all that it makes. */
#define LEAST_TELLING 24
#define LEAST_MADE 0.97

/* Half a unit of the smallest float16. */
#define SMALLEST 0x1p-25

/* What the amplitude of sines of sixteen bits may be off by, as the layout has it. */
#define AMPLITUDE_ERROR 0.02

/* Sines in float32 and angles that are read of them are so many units near, relative. */
#define READ_UNITS 8

/* Part of these angles that are numbers of the type: those below half a turn. By chance it is one in 500 at most. */
#define LEAST_NUMBERS 0.04

/* Angles of so few bits are in any table. */
#define FEW_BITS 4

/* Rows that are asked whether their angles are such numbers; one in so many may be missed. */
#define READ_ROWS 64
#define MISSED_ROWS 32

/* The last position, and starts that are tried on all tones. */
#define MOST_POSITION 65504
#define MOST_STARTS 64

/* Numbers of the type that are tried as a frequency lie between these powers of two. */
#define LEAST_EXPONENT (-26)
#define MOST_EXPONENT 2

typedef struct made {
    size_t all, made, telling, told; /* elements; of them made; not made by the product as it is, and of them made */
} made;

typedef struct trial {
    const id_sample *sample;
    const id_layout *layout;
    size_t n;         /* rows */
    sinpos_type type; /* of the angles */
    int bits;
    double near, least; /* errors of elements, relative and absolute */
    double amplitude, start;
    made total;
} trial;

static bool is_near(const trial *t, double x, double want)
{
    return fabs(x - want) <= t->near * fabs(want) + t->least;
}

static double position_at(const trial *t, size_t i)
{
    return t->start + (double)t->sample->row[i];
}

static double angle_at(const trial *t, size_t i, double theta)
{
    return round_to(round_to(position_at(t, i), t->type) * theta, t->type);
}

/* Of a tone in a row; NaN where a column is missing. */
static double read_angle(const trial *t, size_t tone, size_t i)
{
    const double *x = t->sample->x + i * t->sample->dim;
    const ptrdiff_t s = t->layout->sin_column[tone], c = t->layout->cos_column[tone];
    return s == SINPOS_NO_COLUMN || c == SINPOS_NO_COLUMN ? NAN : atan2(x[s], x[c]);
}

static void add_element(const trial *t, ptrdiff_t column, size_t i, double rounded, double exact, made *m)
{
    const double x = column == SINPOS_NO_COLUMN ? NAN : t->sample->x[i * t->sample->dim + (size_t)column];
    if (isnan(x))
        return;
    const bool is_made = is_near(t, x, t->amplitude * rounded), is_telling = !is_near(t, rounded, exact);
    m->all++;
    m->made += is_made;
    m->telling += is_telling;
    m->told += is_telling && is_made;
}

static made try_theta(const trial *t, size_t tone, double theta)
{
    made m = {0};
    for (size_t i = 0; i < t->n; i++) {
        const double exact = position_at(t, i) * theta, rounded = angle_at(t, i, theta);
        add_element(t, t->layout->sin_column[tone], i, sin(rounded), sin(exact), &m);
        add_element(t, t->layout->cos_column[tone], i, cos(rounded), cos(exact), &m);
    }
    return m;
}

/* 0 where it makes too few elements of its tone. */
static double keep_theta(trial *t, double theta, const made *own)
{
    t->total.all += own->all;
    t->total.made += own->made;
    t->total.telling += own->telling;
    t->total.told += own->told;
    return (double)own->made < LEAST_MADE * (double)own->all ? 0 : theta;
}

/* ------------------------------------------------------------------------------------- sines of sixteen bits */

/* The number of the type that makes most elements of a tone, from its angle at position 1; 0 where too few. */
static double find_theta(trial *t, size_t tone)
{
    const double read = round_to(read_angle(t, tone, t->start == 0 ? 1 : 0), t->type);
    if (!(read > 0))
        return 0;
    const double unit = ldexp(1, ilogb(read) + 1 - t->bits);
    double best = 0;
    made most = {0};
    for (int k = -MOST_STEPS; k <= MOST_STEPS; k++) {
        const double theta = round_to(read + k * unit, t->type);
        const made own = try_theta(t, tone, theta);
        if (theta > 0 && own.made > most.made) {
            most = own;
            best = theta;
        }
    }
    return keep_theta(t, best, &most);
}

/* 0 where the first row is position 0, whose sines and cosines are 0 and 1 in any arithmetic. */
static size_t start_of(const id_sample *sample)
{
    for (size_t j = 0; j < sample->dim; j++)
        if (sample->x[j] != 0 && sample->x[j] != 1)
            return 1;
    return 0;
}

/* ------------------------------------------------------------------------------------------ sines in float32 */

/* Are enough angles of the first rows numbers of the type? The other column of a pair is so far from the first. */
static bool are_numbers(const id_sample *sample, size_t step, size_t other, bool cos_first, sinpos_type type)
{
    const double near = READ_UNITS * sample->unit;
    size_t all = 0, numbers = 0;
    for (size_t i = 0; i < sample->n && i < READ_ROWS; i++) {
        for (size_t k = 0; k < sample->dim / 2; k++) {
            const double *x = sample->x + i * sample->dim + step * k;
            const double angle = cos_first ? atan2(x[other], x[0]) : atan2(x[0], x[other]);
            const bool is_telling = fabs(id_to_bits(angle, FEW_BITS) - angle) > near * fabs(angle);
            all += is_telling;
            numbers += is_telling && fabs(round_to(angle, type) - angle) <= near * fabs(angle);
        }
    }
    return numbers >= LEAST_TELLING && (double)numbers >= LEAST_NUMBERS * (double)all;
}

/* The types of which that is so, columns taken as neighbours and as halves, either first. */
static unsigned types_of_angles(const id_sample *sample)
{
    unsigned types = 0;
    for (int k = 0; k < 8; k++) {
        const sinpos_type type = k % 2 == 0 ? SINPOS_BF16 : SINPOS_F16;
        const size_t step = k / 2 % 2 == 0 ? 2 : 1, other = step == 2 ? 1 : sample->dim / 2;
        if ((types & type) == 0 && are_numbers(sample, step, other, k >= 4, type))
            types |= type;
    }
    return types;
}

static void read_angles(const trial *t, size_t tone, double *read)
{
    for (size_t i = 0; i < t->n; i++)
        read[i] = read_angle(t, tone, i);
}

/* How many of the angles that were read a frequency makes; 0 once it misses more than one, and one in so many rows. */
static size_t count_angles(const trial *t, const double *read, double theta)
{
    const double near = READ_UNITS * t->sample->unit;
    size_t off = 0;
    for (size_t i = 0; i < t->n; i++) {
        const double angle = angle_at(t, i, theta), error = fabs(id_wrap(angle - read[i]));
        off += !(error <= near * fmin(1, fabs(angle)));
        if (off > 1 + i / MISSED_ROWS)
            return 0;
    }
    return t->n - off;
}

/* The number of the type that makes most angles of a tone; 0 where none makes enough. */
static double find_any_theta(trial *t, size_t tone)
{
    double read[MOST_ROWS], best = 0;
    size_t most = 0;
    read_angles(t, tone, read);
    for (int exponent = LEAST_EXPONENT; exponent < MOST_EXPONENT; exponent++) {
        for (long k = 1L << (t->bits - 1); k < 1L << t->bits; k++) {
            const double theta = ldexp((double)k, exponent + 1 - t->bits);
            const size_t own = round_to(theta, t->type) == theta ? count_angles(t, read, theta) : 0;
            best = own > most ? theta : best;
            most = own > most ? own : most;
        }
    }
    const made own = try_theta(t, tone, best);
    return most == 0 ? 0 : keep_theta(t, best, &own);
}

/* The tone whose largest angle is smallest: it is the slowest, or has turned. */
static size_t slowest_tone(const trial *t)
{
    double least = INFINITY;
    size_t slowest = 0;
    for (size_t k = 0; k < t->layout->n_tones; k++) {
        double most = isnan(read_angle(t, k, 0)) ? INFINITY : 0;
        for (size_t i = 0; i < t->n; i++)
            most = fmax(most, fabs(read_angle(t, k, i)));
        slowest = most < least ? k : slowest;
        least = fmin(least, most);
    }
    return slowest;
}

/* Does a number of the type near the last angle over its position make those of all rows? */
static bool is_start(const trial *t, const double *read, size_t last)
{
    const double theta = round_to(read[last] / round_to(position_at(t, last), t->type), t->type);
    const double unit = theta > 0 ? ldexp(1, ilogb(theta) + 1 - t->bits) : 0;
    for (int k = -1; k <= 1 && theta > 0; k++)
        if (count_angles(t, read, round_to(theta + k * unit, t->type)) > 0)
            return true;
    return false;
}

/* Starts with which the slowest tone has its angles, ascending. */
static size_t find_starts(trial *t, double *starts)
{
    const size_t last = t->n - 1;
    double read[MOST_ROWS];
    size_t n = 0;
    read_angles(t, slowest_tone(t), read);
    for (t->start = 0; position_at(t, last) <= MOST_POSITION && n < MOST_STARTS; t->start++)
        if (is_start(t, read, last))
            starts[n++] = t->start;
    return n;
}

/* ------------------------------------------------------------------------------------------------ one layout */

static bool is_made(const made *m)
{
    return m->telling >= LEAST_TELLING && (double)m->told >= LEAST_MADE * (double)m->telling;
}

/* The formula that the frequencies follow, or a list of them. */
static void keep_law(id_fit *fit, int bits)
{
    const size_t n = fit->layout.n_frequencies[0];
    id_rounded_law law;
    id_find_rounded_law(&law, fit->theta[0], n, fit->layout.width, 0);
    fit->guess[0] = (id_guess){.family = ID_FREE};
    if (law.bits == bits && law.scale == 1) {
        fit->guess[0] = (id_guess){.family = ID_GEOMETRIC, .slope = log(law.base) / law.divisor};
        fit->law = law;
    }
}

static bool is_narrow(const id_sample *sample)
{
    return sinpos_type_bytes(sample->table->type) == 2;
}

/* Frequencies with one start; rounded_to stays 0 where they do not make the rows. */
static void try_start(id_fit *fit, trial *t)
{
    bool has_all = true;
    t->total = (made){0};
    for (size_t k = 0; k < fit->layout.n_tones && has_all; k++) {
        double *theta = &fit->theta[0][fit->layout.index[k]];
        *theta = is_narrow(t->sample) ? find_theta(t, k) : find_any_theta(t, k);
        has_all = *theta > 0;
    }
    if (!has_all || !is_made(&t->total))
        return;
    for (size_t i = 0; i < t->n; i++) {
        fit->at[i] = i;
        fit->p[0][i] = position_at(t, i);
    }
    keep_law(fit, t->bits);
    fit->rounded_to = t->bits;
    fit->has_rounded_angles = true;
    fit->rounded_start = t->start;
    fit->bits = (double)t->total.telling;
    fit->error = t->sample->unit;
}

/* Starts with which the layout is to be tried; of sines of sixteen bits the one that the first row shows. */
static size_t propose_starts(trial *t, double *starts)
{
    if (!is_narrow(t->sample))
        return find_starts(t, starts);
    starts[0] = (double)start_of(t->sample);
    return fabs(t->layout->amplitude - 1) <= AMPLITUDE_ERROR ? 1 : 0;
}

/* With angles of one type. */
static sinpos_status try_type(id_fit *fit, const id_sample *sample, sinpos_type type)
{
    const int bits = type == SINPOS_BF16 ? 8 : 11;
    const bool narrow = is_narrow(sample);
    trial t = {.sample = sample, .layout = &fit->layout, .n = fit->n_rows, .type = type, .bits = bits};
    double starts[MOST_STARTS];
    t.near = narrow ? ldexp(1 + 1e-6, -bits) : READ_UNITS * sample->unit;
    t.least = narrow ? SMALLEST : 0;
    t.amplitude = narrow ? 1 : fit->layout.amplitude;
    sinpos_status status = SINPOS_OK;
    const size_t n = propose_starts(&t, starts);
    for (size_t k = 0; k < n && fit->rounded_to == 0 && status == SINPOS_OK; k++) {
        t.start = starts[k];
        try_start(fit, &t);
        status = id_ask(sample->table);
    }
    return status;
}

/* Frequencies and positions of one layout; rounded_to stays 0 where they do not make it. */
static sinpos_status fit_layout(id_fit *fit, const id_sample *sample, unsigned types)
{
    static const sinpos_type all[] = {SINPOS_BF16, SINPOS_F16};
    fit->n_rows = sample->n < MOST_ROWS ? sample->n : MOST_ROWS;
    fit->at = calloc(fit->n_rows, sizeof *fit->at);
    fit->p[0] = malloc(fit->n_rows * sizeof *fit->p[0]);
    fit->theta[0] = malloc(fit->layout.n_frequencies[0] * sizeof *fit->theta[0]);
    sinpos_status status = fit->at == NULL || fit->p[0] == NULL || fit->theta[0] == NULL ? SINPOS_E_MEMORY : SINPOS_OK;
    for (size_t k = 0; k < sizeof all / sizeof all[0] && status == SINPOS_OK && fit->rounded_to == 0; k++)
        status = (types & all[k]) != 0 ? try_type(fit, sample, all[k]) : SINPOS_OK;
    return status;
}

/* Types that the angles may have: that of elements of sixteen bits, or those whose numbers are read of float32. */
static unsigned possible_types(const id_sample *sample)
{
    if (sample->n < 2 || sample->row[0] != 0 || sample->row[1] != 1)
        return 0;
    if (is_narrow(sample))
        return sample->unit == type_unit(sample->table->type) ? sample->table->type : 0;
    return sample->unit == type_unit(SINPOS_F32) ? types_of_angles(sample) : 0;
}

sinpos_status id_fit_angles(id_fit *best, const id_sample *sample)
{
    const unsigned types = possible_types(sample);
    id_layout *layouts = NULL;
    size_t n = 0;
    *best = (id_fit){0};
    sinpos_status status = types == 0 ? SINPOS_OK : id_layouts(sample, false, &layouts, &n);
    for (size_t i = 0; i < n && status == SINPOS_OK && best->rounded_to == 0; i++) {
        if (layouts[i].n_axes != 1 || layouts[i].width + id_zero_columns(sample) != sample->dim)
            continue;
        id_fit_free(best);
        *best = (id_fit){.layout = layouts[i], .flat = sample->flat};
        layouts[i] = (id_layout){0};
        status = fit_layout(best, sample, types);
    }
    for (size_t i = 0; i < n; i++)
        id_layout_free(&layouts[i]);
    free(layouts);
    if (status != SINPOS_OK)
        id_fit_free(best);
    return status;
}

sinpos_status id_settle_angles(sinpos_identity *identity, const id_fit *fit, const id_sample *sample)
{
    if (fit->guess[0].family == ID_GEOMETRIC) {
        identity->axis[0].base = fit->law.base;
        identity->axis[0].divisor = fit->law.divisor;
    }
    return id_make_plan(identity, sample);
}
