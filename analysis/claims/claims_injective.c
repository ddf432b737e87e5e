/* Do two positions share a row? Bit by bit for the rows there are, by number theory for the real numbers. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "claims.h"
#include "compensated.h"
#include "seeded.h"

enum { MOST_ELEMENTS = 1 << 26, N_NEAR = 8, PIECE_ELEMENTS = 1 << 18, KEPT_PAIRS = 1 << 12, FURTHER = 1 << 16 };

/* -------------------------------------------------------------------------------------------- equal rows */

typedef struct row_mark {
    uint64_t hash, row;
    double projection; /* on a seeded direction: equal and near rows stand side by side */
} row_mark;

static int by_hash(const void *a, const void *b)
{
    const row_mark *x = a, *y = b;
    return x->hash != y->hash ? (x->hash < y->hash ? -1 : 1) : x->row < y->row ? -1 : x->row > y->row;
}

static int by_projection(const void *a, const void *b)
{
    const row_mark *x = a, *y = b;
    return x->projection != y->projection ? (x->projection < y->projection ? -1 : 1)
           : x->row < y->row              ? -1
                                          : x->row > y->row;
}

/* A pair of rows by number, and their distance. */
typedef struct pair {
    uint64_t earlier, later;
    double distance;
} pair;

typedef struct injective {
    row_mark *mark;      /* (n_marks) */
    size_t n_marks;      /* rows looked at: the first ones */
    double *direction;   /* (dim) */
    double *two;         /* (2, dim) */
    uint64_t collisions; /* rows that stood before */
    pair first;          /* of them */
    pair nearest;
    size_t further;      /* positions among which equal rows were looked for, exact ones */
    bool collides_later; /* there: first is the pair */
    blocks memory;
} injective;

static void mark_row(const claims *c, const injective *j, const double *row, row_mark *mark)
{
    uint64_t hash = 0;
    for (size_t i = 0; i < c->dim; i++) {
        const double x = row[i] + 0.0; /* no -0 */
        uint64_t bits;
        memcpy(&bits, &x, sizeof bits);
        hash = (hash ^ bits) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 29;
    }
    mark->hash = hash;
    mark->projection = compensated_dot(row, j->direction, c->dim);
}

static sinpos_status mark_rows(const claims *c, injective *j)
{
    const size_t piece = PIECE_ELEMENTS / c->dim + 1;
    OWNED double *rows = malloc(piece * c->dim * sizeof *rows);
    sinpos_status status = rows == NULL ? SINPOS_E_MEMORY : SINPOS_OK;
    for (size_t first = 0; first < j->n_marks && status == SINPOS_OK; first += piece) {
        const size_t n = j->n_marks - first < piece ? j->n_marks - first : piece;
        status = claims_read(c, first, n, rows);
        for (size_t i = 0; i < n && status == SINPOS_OK; i++) {
            j->mark[first + i].row = first + i;
            mark_row(c, j, rows + i * c->dim, &j->mark[first + i]);
        }
    }
    return status;
}

static sinpos_status injective_make(injective *j, const claims *c)
{
    const size_t affordable = MOST_ELEMENTS / c->dim + 2;
    *j = (injective){.n_marks = c->input->n < affordable ? c->input->n : affordable, .nearest = {0, 0, INFINITY}};
    j->mark = blocks_take(&j->memory, j->n_marks, sizeof *j->mark);
    j->direction = blocks_take(&j->memory, c->dim, sizeof(double));
    j->two = blocks_take(&j->memory, 2 * c->dim, sizeof(double));
    if (j->memory.has_failed)
        return SINPOS_E_MEMORY;
    for (size_t i = 0; i < c->dim; i++)
        j->direction[i] = seeded_uniform(c->input->seed, 61, i);
    return mark_rows(c, j);
}

static sinpos_status measure_pair(const claims *c, injective *j, uint64_t a, uint64_t b, double *distance)
{
    sinpos_status status = claims_read(c, (size_t)a, 1, j->two);
    if (status == SINPOS_OK)
        status = claims_read(c, (size_t)b, 1, j->two + c->dim);
    *distance = compensated_distance(j->two, j->two + c->dim, c->dim);
    if (status == SINPOS_OK && *distance < j->nearest.distance)
        j->nearest = (pair){a < b ? a : b, a < b ? b : a, *distance};
    return status;
}

/* Rows of one hash are equal only if their elements are. */
static sinpos_status find_equal(const claims *c, injective *j)
{
    sinpos_status status = SINPOS_OK;
    qsort(j->mark, j->n_marks, sizeof *j->mark, by_hash);
    for (size_t first = 0, i = 1; i < j->n_marks && status == SINPOS_OK; i++) {
        first = j->mark[i].hash == j->mark[i - 1].hash ? first : i;
        if (first == i)
            continue;
        double distance;
        status = measure_pair(c, j, j->mark[first].row, j->mark[i].row, &distance);
        const bool is_equal = status == SINPOS_OK && memcmp(j->two, j->two + c->dim, c->dim * sizeof(double)) == 0;
        if ((is_equal || distance == 0) && (j->collisions++ == 0 || j->mark[i].row < j->first.later))
            j->first = (pair){j->mark[first].row, j->mark[i].row, 0};
    }
    return status;
}

/* ------------------------------------------------------------------------------------------ nearest rows */

static sinpos_status try_projected(const claims *c, injective *j)
{
    sinpos_status status = SINPOS_OK;
    const size_t most = j->n_marks < KEPT_PAIRS ? j->n_marks : KEPT_PAIRS;
    qsort(j->mark, j->n_marks, sizeof *j->mark, by_projection);
    for (size_t i = 1; i < most && status == SINPOS_OK; i++) {
        const size_t at = (size_t)((double)i * (double)j->n_marks / (double)most);
        double distance;
        status = measure_pair(c, j, j->mark[at - 1].row, j->mark[at].row, &distance);
    }
    return status;
}

/* Every pair of kept rows at one of the offsets with the smallest stated distances. */
static void try_offset(const claims *c, injective *j, size_t k)
{
    const size_t run = c->kept.run;
    for (size_t i = 0; i < c->kept.n_rows; i++) {
        if (i % run < k)
            continue;
        const double distance = compensated_distance(claims_row(c, i), claims_row(c, i - k), c->dim);
        if (distance < j->nearest.distance) {
            const uint64_t later = i / run * c->kept.stride + i % run;
            j->nearest = (pair){later - k, later, distance};
        }
    }
}

static sinpos_status try_offsets(const claims *c, injective *j)
{
    sinpos_near near[N_NEAR];
    size_t n_near = N_NEAR;
    if (c->kept.run < 2 || c->complete.n == 0)
        return SINPOS_OK;
    const sinpos_status status =
        sinpos_separation(c->input->plan, c->input->first, c->kept.run, near, &n_near, c->input->n_threads, NULL, NULL);
    for (size_t i = 0; i < n_near && status == SINPOS_OK; i++)
        try_offset(c, j, (size_t)near[i].offset);
    return status == SINPOS_E_UNSUPPORTED || status == SINPOS_E_RANGE ? SINPOS_OK : status;
}

/* Beyond the rows: the first position whose row stood before, once rounded to the type; exact rows only. */
static sinpos_status look_further(const claims *c, injective *j)
{
    sinpos_distinct distinct;
    sinpos_collisions_options options = SINPOS_COLLISIONS_OPTIONS_INIT;
    const bool fits = c->input->first < INT64_MAX / 4;
    j->further = c->input->n;
    if (c->input->table != NULL || j->collisions > 0 || !fits || c->input->n >= FURTHER)
        return SINPOS_OK;
    options.method = SINPOS_DISTINCT_OFFSETS;
    options.n_threads = c->input->n_threads;
    const sinpos_status status =
        sinpos_collisions(c->input->plan, c->input->first, FURTHER, (unsigned)c->input->type, &options, &distinct);
    if (status == SINPOS_OK) {
        j->further = FURTHER;
        j->collides_later = distinct.has_collision;
        j->first =
            (pair){(uint64_t)(distinct.earlier - c->input->first), (uint64_t)(distinct.later - c->input->first), 0};
    }
    return status == SINPOS_E_UNSUPPORTED ? SINPOS_OK : status;
}

/* --------------------------------------------------------------------------------------- in real numbers */

typedef enum arithmetic_kind {
    RATIONAL, /* turns per position */
    IRRATIONAL,
    UNKNOWN
} arithmetic_kind;

/* Denominator of the turns per position; NaN where it is not a power of two. */
static double denominator(const sinpos_tone *t)
{
    int exponent;
    const double product = t->value * t->scale;
    if (product == 0)
        return 1;
    if (fma(t->value, t->scale, -product) != 0 || fabs(frexp(t->factor, &exponent)) != 0.5)
        return NAN;
    double fraction = frexp(product / t->factor, &exponent); /* in 1/2 .. 1 */
    while (fraction != rint(fraction)) {
        fraction *= 2;
        exponent--;
    }
    return exponent >= 0 ? 1 : ldexp(1, -exponent);
}

/*
 * A frequency in radians is algebraic, and irrational in turns unless it is 0, since pi is transcendental. One in turns is
 * rational if it is explicit; powers of 2 with exponents that are no whole numbers are not.
 */
static arithmetic_kind kind_of(const sinpos_tone *t, double *q)
{
    *q = 1;
    if (t->scale == 0 || (t->schedule == SINPOS_EXPLICIT && t->value == 0) ||
        (t->schedule == SINPOS_POWER && t->exponent > 0 && t->index + t->shift == t->divisor))
        return RATIONAL;
    if (!t->in_turns)
        return IRRATIONAL;
    if (t->schedule == SINPOS_EXPLICIT) {
        *q = denominator(t);
        return RATIONAL;
    }
    const double exponent = (t->index + t->shift) / t->divisor;
    const bool is_root = t->schedule == SINPOS_GEOMETRIC && t->base == 2 && t->base_divisor == 1 &&
                         exponent != rint(exponent) && exponent * t->divisor == t->index + t->shift;
    return is_root ? IRRATIONAL : UNKNOWN;
}

/* The column that keeps all integers apart, or the common period. */
typedef struct theory {
    bool is_injective, is_known;
    size_t column;
    double period; /* all tones rational: rows repeat after so many positions; NaN where that is not known */
} theory;

/*
 * One column of a tone is the same at a and b also where their angles are mirror images: (m + n) theta + 2 phase is an odd
 * multiple of pi for a sine, an even one for a cosine. The algebraic part of that is 0, so that the part in turns decides;
 * with no phase in radians it is then m + n that is 0.
 */
static bool has_mirror(const claims *c, const sinpos_tone *t)
{
    const double halves = 4 * t->phase_turns - (t->sin_column != SINPOS_NO_COLUMN);
    const bool may_mirror = t->in_turns || halves / 2 == rint(halves / 2);
    return may_mirror && !(!t->in_turns && t->phase == 0 && c->input->first >= 0);
}

static theory find_theory(const claims *c)
{
    theory t = {false, true, 0, 1};
    for (size_t i = 0; i < c->n_tones; i++) {
        const sinpos_tone *tone = &c->tone[i];
        double q;
        if (tone->amplitude == 0)
            continue;
        const bool is_half = tone->sin_column == SINPOS_NO_COLUMN || tone->cos_column == SINPOS_NO_COLUMN;
        const arithmetic_kind kind = kind_of(tone, &q);
        if (is_half && (kind != IRRATIONAL || has_mirror(c, tone))) {
            t.is_known = t.is_known && c->complete.n > 0;
            continue;
        }
        if (kind == IRRATIONAL && !t.is_injective) {
            t.is_injective = true;
            t.column = (size_t)(tone->sin_column != SINPOS_NO_COLUMN ? tone->sin_column : tone->cos_column);
        }
        t.is_known = t.is_known && kind != UNKNOWN;
        t.period = worse(t.period, q); /* of powers of two the largest is the least common multiple */
    }
    return t;
}

/* -------------------------------------------------------------------------------------------------- all of it */

static long long position_of(const claims *c, uint64_t row)
{
    return (long long)(c->input->first + (int64_t)row);
}

static void say_injective(const claims *c, sinpos_claim_result *r, const injective *j, const theory *t)
{
    const double d = j->nearest.distance;
    const char *which = j->n_marks < c->input->n ? "the first" : "all";
    if (j->collisions > 0)
        claim_say(r, 0, 0, SINPOS_DOES_NOT_HOLD,
                  "positions %lld and %lld share a row, to the last bit; %llu of %s %zu rows stood before",
                  position_of(c, j->first.earlier), position_of(c, j->first.later), (unsigned long long)j->collisions,
                  which, j->n_marks);
    else if (c->n_not_finite > 0)
        claim_say(r, d, 0, SINPOS_DOES_NOT_HOLD, "%zu elements of the rows are not finite", c->n_not_finite);
    else if (j->collides_later)
        claim_say(r, d, 0, SINPOS_HOLDS_ONLY_IF,
                  "positions are below %lld, whose row is that of %lld in this type; these differ by %.2g at least",
                  position_of(c, j->first.later), position_of(c, j->first.earlier), d);
    else if (t->is_injective)
        claim_say(
            r, d, 0, SINPOS_HOLDS,
            "%s %zu rows differ, by %.2g at least; in real numbers all rows do, as theta is algebraic and pi is not",
            which, j->n_marks, d);
    else if (t->is_known && t->period == t->period)
        claim_say(r, d, 0, SINPOS_HOLDS_ONLY_IF,
                  "positions are less than %.0f apart: the frequencies are rational turns", t->period);
    else
        claim_say(r, d, 0, SINPOS_HOLDS_ONLY_IF, "positions are among %s %zu: %s", which, j->n_marks,
                  t->is_known ? "the frequencies are rational turns, and rows repeat"
                              : "whether rows repeat beyond is not known");
    claim_detail(r, "rows_looked_at", (double)j->n_marks);
    claim_detail(r, "rows_that_stood_before", (double)j->collisions);
    claim_detail(r, "smallest_distance_found", d);
    claim_detail(r, "between_position", (double)position_of(c, j->nearest.earlier));
    claim_detail(r, "and_position", (double)position_of(c, j->nearest.later));
    claim_detail(r, "positions_searched_for_equal_rows", (double)j->further);
    claim_detail(r, "first_position_with_an_earlier_row",
                 j->collisions > 0 || j->collides_later ? (double)position_of(c, j->first.later) : NAN);
    claim_detail(r, "column_that_never_repeats", t->is_injective ? (double)t->column : NAN);
    claim_detail(r, "period_of_rational_turns", t->is_injective || !t->is_known ? NAN : t->period);
}

sinpos_status claim_injective(claims *c, sinpos_claim_result *r)
{
    injective j;
    const theory t = find_theory(c);
    sinpos_status status = injective_make(&j, c);
    if (status == SINPOS_OK)
        status = find_equal(c, &j);
    if (status == SINPOS_OK)
        status = try_projected(c, &j);
    if (status == SINPOS_OK)
        status = try_offsets(c, &j);
    if (status == SINPOS_OK)
        status = look_further(c, &j);
    if (status == SINPOS_OK)
        say_injective(c, r, &j, &t);
    blocks_free(&j.memory);
    return status;
}
