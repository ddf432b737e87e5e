/*
 * identify_angles.c - tables of which all is in bfloat16 or float16: frequencies, positions, their products and sines.
 *
 * At position 1 the angle is the frequency, a number of the type. The numbers near the angle that is read there are tried
 * until one makes the elements of its tone in all rows. What it makes must differ from what the unrounded product makes.
 */
#include "elements.h"
#include "identify.h"

#define BITS_BF16 8
#define BITS_F16 11

/* Rows that are looked at, from the first on; numbers on either side of the angle that are tried. */
#define MOST_ROWS 256
#define MOST_STEPS 6

/* Elements that only the rounded product makes, and the part of all that it makes. */
#define LEAST_TELLING 24
#define LEAST_MADE 0.97

/* Half a unit of the smallest float16. */
#define SMALLEST 0x1p-25

/* What the amplitude may be off by, as the layout has it. */
#define AMPLITUDE_ERROR 0.02

typedef struct made {
    size_t all, made, telling, told; /* elements; of them made; not made by the product as it is, and of them made */
} made;

typedef struct trial {
    const id_sample *sample;
    const id_layout *layout;
    size_t n; /* rows */
    sinpos_type type;
    int bits;
    double start;
    made total;
} trial;

static bool is_near(const trial *t, double x, double want)
{
    return fabs(x - want) <= ldexp(fabs(want), -t->bits) * (1 + 1e-6) + SMALLEST;
}

static void add_element(const trial *t, ptrdiff_t column, size_t i, double rounded, double exact, made *m)
{
    const double x = column == SINPOS_NO_COLUMN ? NAN : t->sample->x[i * t->sample->dim + (size_t)column];
    if (isnan(x))
        return;
    const bool is_made = is_near(t, x, rounded), is_telling = !is_near(t, rounded, exact);
    m->all++;
    m->made += is_made;
    m->telling += is_telling;
    m->told += is_telling && is_made;
}

static made try_theta(const trial *t, size_t tone, double theta)
{
    made m = {0};
    for (size_t i = 0; i < t->n; i++) {
        const double p = t->start + (double)t->sample->row[i];
        const double exact = p * theta, rounded = round_to(round_to(p, t->type) * theta, t->type);
        add_element(t, t->layout->sin_column[tone], i, sin(rounded), sin(exact), &m);
        add_element(t, t->layout->cos_column[tone], i, cos(rounded), cos(exact), &m);
    }
    return m;
}

/* The number of the type that makes most elements of a tone, from its angle at position 1; 0 where none makes enough. */
static double find_theta(trial *t, size_t tone, size_t row_of_one)
{
    const double *x = t->sample->x + row_of_one * t->sample->dim;
    const ptrdiff_t s = t->layout->sin_column[tone], c = t->layout->cos_column[tone];
    if (s == SINPOS_NO_COLUMN || c == SINPOS_NO_COLUMN)
        return 0;
    const double read = round_to(atan2(x[s], x[c]), t->type);
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
    t->total.all += most.all;
    t->total.made += most.made;
    t->total.telling += most.telling;
    t->total.told += most.told;
    return (double)most.made < LEAST_MADE * (double)most.all ? 0 : best;
}

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

/* Frequencies and positions of one layout; rounded_to stays 0 where they do not make it. */
static sinpos_status fit_layout(id_fit *fit, const id_sample *sample, int bits, size_t start)
{
    const size_t m = fit->layout.n_frequencies[0], row_of_one = 1 - start;
    trial t = {
        .sample = sample, .layout = &fit->layout, .type = sample->table->type, .bits = bits, .start = (double)start};
    bool has_all = true;
    t.n = sample->n < MOST_ROWS ? sample->n : MOST_ROWS;
    fit->n_rows = t.n;
    fit->at = calloc(t.n, sizeof *fit->at);
    fit->p[0] = malloc(t.n * sizeof *fit->p[0]);
    fit->theta[0] = malloc(m * sizeof *fit->theta[0]);
    if (fit->at == NULL || fit->p[0] == NULL || fit->theta[0] == NULL)
        return SINPOS_E_MEMORY;
    for (size_t i = 0; i < t.n; i++) {
        fit->at[i] = i;
        fit->p[0][i] = t.start + (double)sample->row[i];
    }
    for (size_t k = 0; k < fit->layout.n_tones && has_all; k++) {
        fit->theta[0][fit->layout.index[k]] = find_theta(&t, k, row_of_one);
        has_all = fit->theta[0][fit->layout.index[k]] > 0;
    }
    if (has_all && is_made(&t.total)) {
        keep_law(fit, bits);
        fit->rounded_to = bits;
        fit->has_rounded_angles = true;
        fit->rounded_start = t.start;
        fit->bits = (double)t.total.telling;
        fit->error = sample->unit;
    }
    return SINPOS_OK;
}

/* 0 where the first row is position 0, whose sines and cosines are 0 and 1 in any arithmetic. */
static size_t start_of(const id_sample *sample)
{
    for (size_t j = 0; j < sample->dim; j++)
        if (sample->x[j] != 0 && sample->x[j] != 1)
            return 1;
    return 0;
}

sinpos_status id_fit_angles(id_fit *best, const id_sample *sample)
{
    const int bits = sample->table->type == SINPOS_BF16 ? BITS_BF16 : sample->table->type == SINPOS_F16 ? BITS_F16 : 0;
    id_layout *layouts = NULL;
    size_t n = 0;
    *best = (id_fit){0};
    if (bits == 0 || sample->n < 2 || sample->row[0] != 0 || sample->row[1] != 1 || sample->unit != ldexp(1, -bits))
        return SINPOS_OK;
    sinpos_status status = id_layouts(sample, false, &layouts, &n);
    for (size_t i = 0; i < n && status == SINPOS_OK && best->rounded_to == 0; i++) {
        if (layouts[i].n_axes != 1 || layouts[i].width + id_zero_columns(sample) != sample->dim ||
            fabs(layouts[i].amplitude - 1) > AMPLITUDE_ERROR)
            continue;
        id_fit_free(best);
        *best = (id_fit){.layout = layouts[i], .flat = sample->flat};
        layouts[i] = (id_layout){0};
        status = fit_layout(best, sample, bits, start_of(sample));
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
