/*
 * identify_formula.c - the numbers of a formula, so that it makes every element again.
 *
 * Of an exact table each element leaves room for small changes of amplitude, scale, slope (ln(base) / divisor) and
 * start. Least squares come near to the numbers; then they move until they are in the room of every element, and each is
 * rounded to as few digits as keep it there. The rows that are made decide: numbers that were named stay unless others
 * make fewer wrong elements.
 */
#include "elements.h"
#include "identify_room.h"

/* Rows from which the numbers are found, from the first of the sample to the last; then those with wrong elements. */
#define SOME_ROWS 64
#define FEWEST_ROWS 8
#define SOME_ELEMENTS ((size_t)1 << 17)
#define TIMES_WRONG 3 /* with those of wrong elements */
#define ROWS_AT_ONCE 16

/* Steps of least squares. Each squares the error. */
#define MOST_STEPS 6

/* Least part of the elements that numbers which are near the right ones make to within their room. */
#define LEAST_NEAR 0.9

/* A little room for elements that are 0, in usual halves. */
#define LEAST_HALF 1e-6

/* From the fastest frequency to the slowest. */
#define MOST_OCTAVES 500

/* What makes so many times fewer wrong elements is the better formula. */
#define BETTER 4

/* Bases of coordinates that are one, by their logarithms; and a whole number of frequencies. */
#define SAME_BASE 1e-3
#define SAME_SHIFT 0.01

/* A start as near as this to a whole number may be it. */
#define NEAR_WHOLE 1e-3

/* What a number may change while the others move along, in standard errors. */
#define FAR 30

/* A scale of so few digits, or pi times one, is preferred to longer ones. */
#define TURN_DIGITS 3

/* Decimals of 1 to 17 digits, and doubles beside the nearest one. */
#define MOST_CANDIDATES 27

typedef struct numbers {
    double amplitude, scale, base, divisor, start;
} numbers;

typedef struct search {
    sinpos_identity *identity;
    const id_sample *sample;
    sinpos_type type; /* whose numbers the elements are */
    void *row;        /* room for one row */
    double *exact;    /* likewise */
    size_t *rows, n_rows, some_rows;
    double shift[ID_MOST_AXES], divisor[ID_MOST_AXES], scale[ID_MOST_AXES]; /* the last two: of those of the first */
    bool has_formula;                                                       /* else the amplitude alone is free */
    double near;   /* elements are made if they are as near as this, where some were dropped; else 0 */
    bool is_fixed; /* several coordinates, a grid or listed positions: rows stay as they are */
    id_room room;
} search;

static numbers numbers_of(const sinpos_identity *identity)
{
    const sinpos_identity_axis *axis = &identity->axis[0];
    return (numbers){identity->amplitude, axis->scale, axis->base, axis->divisor, axis->start};
}

static sinpos_status take(search *s, const numbers *own)
{
    s->identity->amplitude = own->amplitude;
    for (size_t a = 0; a < s->identity->n_axes; a++) {
        sinpos_identity_axis *axis = &s->identity->axis[a];
        axis->start = s->is_fixed ? axis->start : own->start;
        if (!s->has_formula)
            continue;
        axis->base = own->base;
        axis->divisor = own->divisor * s->divisor[a];
        axis->shift = s->shift[a]; /* a plan before may have named another one */
        axis->scale = axis->shift != 0 ? pow(axis->base, -axis->shift / axis->divisor) : own->scale * s->scale[a];
    }
    return s->has_formula ? id_make_plan(s->identity, s->sample) : id_plan_again(s->identity);
}

/* False where there is no more room for it, or it is there. */
static bool add_wrong_row(search *s, size_t i)
{
    bool is_new = s->n_rows < TIMES_WRONG * s->some_rows;
    for (size_t k = 0; k < s->n_rows; k++)
        is_new = is_new && s->rows[k] != i;
    if (is_new)
        s->rows[s->n_rows++] = i;
    return is_new;
}

/* Elements that the numbers do not make to the last bit, up to more than `most`. Rows that have some are added, if asked. */
static sinpos_status count_wrong(search *s, const numbers *own, size_t most, bool adds_rows, size_t *wrong)
{
    const size_t dim = s->sample->dim;
    sinpos_status status = id_ask(s->sample->table);
    status = status != SINPOS_OK ? status : take(s, own);
    size_t n_added = 0;
    *wrong = 0;
    for (size_t i = 0; i < s->sample->n && *wrong <= most && status == SINPOS_OK; i++) {
        const size_t before = *wrong;
        status = sinpos_identity_rows_as_found(s->identity, s->sample->row[i], 1, s->type, s->row, 1);
        if (status == SINPOS_OK)
            widen(s->exact, s->row, s->type, dim);
        for (size_t j = 0; j < dim && status == SINPOS_OK; j++)
            *wrong += s->near > 0 ? fabs(s->exact[j] - s->sample->raw[i * dim + j]) > s->near &&
                                        !isnan(s->sample->x[i * dim + j])
                                  : s->exact[j] != s->sample->raw[i * dim + j];
        if (adds_rows && *wrong > before && n_added < ROWS_AT_ONCE)
            n_added += add_wrong_row(s, i);
    }
    return status;
}

/* ------------------------------------------------------------------------------------------------- elements */

/* Of one column of a row of the sample, whose position is p. */
static id_element element_of(const search *s, size_t i, size_t tone, bool is_sine)
{
    const sinpos_identity *identity = s->identity;
    const sinpos_identity_axis *axis = &identity->axis[identity->tone_axis[tone]];
    const double p = id_position(identity, s->sample->row[i], identity->tone_axis[tone]);
    const size_t column = (size_t)(is_sine ? identity->sin_column[tone] : identity->cos_column[tone]);
    const double index = ((double)identity->tone_index[tone] + axis->shift) / s->divisor[identity->tone_axis[tone]];
    const double theta = axis->theta[identity->tone_index[tone]];
    const double angle = theta * p, made = s->exact[column], x = s->sample->x[i * s->sample->dim + column];
    const double by_angle = identity->amplitude * (is_sine ? cos(angle) : -sin(angle));
    const id_interval half = id_half_units(x, s->sample->unit, identity->type);
    const double raw = s->sample->raw[i * s->sample->dim + column], again = identity->column_offset == NULL ? 0 : 1;
    const double divided = identity->dropped > 0 ? ID_DIVIDED * half.high : 0;
    const double least = LEAST_HALF * (x == 0 ? s->room.usual : half.high);
    const double error = 0x1p-53 * fabs(made) + least + again * s->sample->unit * fabs(raw) + divided;
    return (id_element){
        .slope = {made, axis->shift != 0 ? 0 : by_angle * angle, -by_angle * angle * index, by_angle * theta},
        .low = x - made - (x > 0 ? half.low : half.high) - error,
        .high = x - made + (x > 0 ? half.high : half.low) + error};
}

static sinpos_status add_row(search *s, size_t i)
{
    const sinpos_identity *identity = s->identity;
    const sinpos_status status = sinpos_identity_rows(identity, s->sample->row[i], 1, SINPOS_F64, s->exact, 1);
    for (size_t k = 0; k < 2 * identity->n_tones && status == SINPOS_OK; k++) {
        const ptrdiff_t column = k % 2 == 0 ? identity->sin_column[k / 2] : identity->cos_column[k / 2];
        if (column != SINPOS_NO_COLUMN && !isnan(s->sample->x[i * s->sample->dim + (size_t)column]))
            s->room.elements[s->room.n++] = element_of(s, i, k / 2, k % 2 == 0);
    }
    return status;
}

/* The room of the elements of all rows, around the numbers. */
static sinpos_status find_elements(search *s, const numbers *now)
{
    sinpos_status status = id_ask(s->sample->table);
    status = status != SINPOS_OK ? status : take(s, now);
    s->room.n = 0;
    for (size_t k = 0; k < s->n_rows && status == SINPOS_OK; k++)
        if (!id_is_zero_row(s->identity, s->sample->row[s->rows[k]]))
            status = add_row(s, s->rows[k]);
    return status;
}

/* ------------------------------------------------------------------------------------------------- numbers */

static numbers changed(const numbers *now, const double *change)
{
    return (numbers){now->amplitude + now->amplitude * change[ID_AMPLITUDE], now->scale + now->scale * change[ID_SCALE],
                     now->base + now->base * expm1(change[ID_SLOPE] * now->divisor), now->divisor,
                     now->start + change[ID_START]};
}

static bool is_usable(double x)
{
    return x > 0x1p-100 && x < 0x1p100;
}

/* No frequency may be too small for a plan. */
static bool is_possible(const search *s, const numbers *own)
{
    const double turns = (double)s->identity->axis[0].n_frequencies / own->divisor;
    if (!s->has_formula)
        return is_usable(own->amplitude);
    return is_usable(own->amplitude) && is_usable(own->scale) && is_usable(own->base) && fabs(own->start) < 0x1p62 &&
           fabs(log2(own->base) * turns) < MOST_OCTAVES;
}

/* How far off an element may be because the free numbers lie between two doubles. */
static double between_doubles(const search *s, const id_element *e, const numbers *now)
{
    const double size[ID_NUMBERS] = {1, 1, 1 / now->divisor, now->start};
    double sum = 0;
    for (int j = 0; j < ID_NUMBERS; j++)
        sum += id_room_is_free(&s->room, j) ? fabs(e->slope[j] * size[j]) * 0x1p-53 : 0;
    return sum;
}

/* From numbers that are near. *share: part of the elements that are in their room in the end, or a little beyond. */
static sinpos_status approach(search *s, numbers *now, double *share)
{
    const double none[ID_NUMBERS] = {0};
    sinpos_status status = find_elements(s, now);
    size_t near = 0;
    for (int step = 0; step < MOST_STEPS && status == SINPOS_OK && is_possible(s, now); step++) {
        double change[ID_NUMBERS] = {0};
        id_room_least_squares(&s->room, id_room_far(&s->room, none), change);
        id_room_least_squares(&s->room, id_room_far(&s->room, change), change);
        *now = changed(now, change);
        status = is_possible(s, now) ? find_elements(s, now) : SINPOS_OK;
    }
    for (size_t i = 0; i < s->room.n && is_possible(s, now); i++) {
        const id_element *e = &s->room.elements[i];
        near += id_room_distance(&s->room, e, none) <=
                1.5 + between_doubles(s, e, now) / fmax((e->high - e->low) / 2, s->room.usual);
    }
    *share = s->room.n == 0 ? 0 : (double)near / (double)s->room.n;
    return status;
}

/* --------------------------------------------------------------------------------------------------- search */

static size_t start_rows(search *s)
{
    const size_t n = s->sample->n < s->some_rows ? s->sample->n : s->some_rows;
    for (size_t k = 0; k < n; k++)
        s->rows[k] = n == 1 ? 0 : k * (s->sample->n - 1) / (n - 1);
    return n;
}

/* Into the room of the elements of all rows of the sample, as far as that goes: rows with wrong elements are added. */
static sinpos_status settle(search *s, numbers *now, size_t *wrong)
{
    sinpos_status status = count_wrong(s, now, SIZE_MAX, false, wrong);
    for (size_t before = 0; *wrong > 0 && before != s->n_rows && status == SINPOS_OK;) {
        double change[ID_NUMBERS] = {0};
        status = find_elements(s, now);
        id_room_move_inside(&s->room, change);
        const numbers moved = changed(now, change);
        if (status != SINPOS_OK || !is_possible(s, &moved))
            break;
        *now = moved;
        before = s->n_rows;
        status = count_wrong(s, now, SIZE_MAX, true, wrong);
    }
    return status;
}

static double *number_at(numbers *now, int j)
{
    double *const at[ID_NUMBERS] = {&now->amplitude, &now->scale, &now->base, &now->start};
    return at[j];
}

/* The decimal with k digits near the middle of what is left; beyond 17 digits the doubles around it. */
static double candidate(double middle, int k)
{
    const double away = (double)((k - 16) / 2) * 0x1p-52 * middle;
    return k <= 17 ? id_rounded(middle, k) : middle + (k % 2 == 0 ? away : -away);
}

/* The base with the fewest digits of those that make the fewest elements wrong. */
static sinpos_status shorten(search *s, numbers *now, size_t *wrong)
{
    sinpos_status status = find_elements(s, now);
    const id_interval room = id_room_for(&s->room, ID_SLOPE);
    const bool is_known = isfinite(room.low + room.high) && room.low <= room.high;
    const double unit = now->base * now->divisor,
                 middle = now->base + (is_known ? unit * (room.low + room.high) / 2 : 0);
    const double reach = (is_known ? unit * (room.high - room.low) / 2 : 0) + 0x1p-49 * middle;
    numbers best = *now;
    double last = NAN;
    *wrong = SIZE_MAX;
    for (int k = 1; k <= MOST_CANDIDATES && *wrong > 0 && status == SINPOS_OK; k++) {
        numbers other = *now;
        size_t made;
        other.base = candidate(middle, k);
        if (other.base == last || fabs(other.base - middle) > reach || !is_possible(s, &other))
            continue;
        last = other.base;
        status = count_wrong(s, &other, *wrong, false, &made);
        best = made < *wrong ? other : best;
        *wrong = made < *wrong ? made : *wrong;
    }
    *now = best;
    return status;
}

/* pi times a number or a ratio of so many digits; NaN where there is none. */
static double part_of_turn(double x, double reach, int digits)
{
    const double ratio = id_simple(x / (TWO_PI / 2), reach / (TWO_PI / 2));
    const bool is_short = id_digits(ratio) <= (size_t)digits || id_ratio_digits(ratio) <= (size_t)digits;
    return is_short ? ratio * (TWO_PI / 2) : NAN;
}

/* A number that is not the base with few digits: those that are free move along. It is then no longer free. */
static sinpos_status fix(search *s, numbers *now, int j, size_t *wrong)
{
    double metric[ID_NUMBERS][ID_NUMBERS];
    sinpos_status status = find_elements(s, now);
    id_room_metric(&s->room, metric);
    const double x = *number_at(now, j), reach = FAR * sqrt(metric[j][j]) * (j == ID_START ? 1 : x) + 0x1p-50 * fabs(x);
    double last = NAN;
    bool is_done = false;
    s->room.free &= ~(1u << j);
    for (int k = 1; k <= 17 + TURN_DIGITS && !is_done && status == SINPOS_OK; k++) {
        numbers other = *now;
        size_t made;
        const bool is_turn = k > TURN_DIGITS && k <= 2 * TURN_DIGITS;
        const double nice =
            is_turn ? part_of_turn(x, reach, k - TURN_DIGITS) : id_rounded(x, k <= TURN_DIGITS ? k : k - TURN_DIGITS);
        *number_at(&other, j) = nice;
        if ((is_turn && j != ID_SCALE) || nice == last || fabs(nice - x) > reach || !is_possible(s, &other))
            continue;
        last = nice;
        status = settle(s, &other, &made);
        is_done = status == SINPOS_OK && made <= *wrong;
        *now = is_done ? other : *now;
        *wrong = is_done ? made : *wrong;
    }
    return status;
}

/* The base with few digits, for each usual divisor, and the shortest of these. */
static sinpos_status shorten_base(search *s, numbers *now, size_t *wrong)
{
    const double m = (double)s->identity->axis[0].n_frequencies, w = (double)s->identity->width;
    const double divisors[] = {now->divisor, m, m - 1, w / 2, (w - 1) / 2, 1};
    sinpos_status status = SINPOS_OK;
    numbers best = *now;
    size_t digits = SIZE_MAX;
    for (size_t d = 0; d < sizeof divisors / sizeof divisors[0] && status == SINPOS_OK; d++) {
        numbers other = *now;
        size_t made;
        bool is_new = divisors[d] > 0 && (d < 3 || s->identity->n_axes == 1);
        for (size_t e = 0; e < d; e++)
            is_new = is_new && divisors[e] != divisors[d];
        if (!is_new)
            continue;
        other.divisor = divisors[d];
        other.base = now->base * pow(now->base, (divisors[d] - now->divisor) / now->divisor);
        status = shorten(s, &other, &made);
        if (status == SINPOS_OK && (made < *wrong || (made == *wrong && id_digits(other.base) < digits))) {
            best = other;
            *wrong = made;
            digits = id_digits(other.base);
        }
    }
    *now = best;
    return status;
}

static sinpos_status shorten_all(search *s, numbers *now, size_t *wrong)
{
    sinpos_status status = SINPOS_OK;
    for (int j = 0; j < ID_NUMBERS && status == SINPOS_OK; j++)
        if (j != ID_SLOPE && id_room_is_free(&s->room, j))
            status = fix(s, now, j, wrong);
    return status != SINPOS_OK || !s->has_formula ? status : shorten_base(s, now, wrong);
}

/* Part of the elements that the best numbers of a free set make, nearly; *now becomes these. */
static sinpos_status begin(search *s, unsigned free, numbers *now, double *share)
{
    s->room.free = free;
    s->n_rows = start_rows(s);
    return approach(s, now, share);
}

/* With some numbers free: *best and *wrong become what makes fewer elements wrong. */
static sinpos_status try_free(search *s, unsigned free, const numbers *from, numbers *best, size_t *wrong)
{
    numbers now = *from;
    double share;
    size_t made = SIZE_MAX;
    sinpos_status status = begin(s, free, &now, &share);
    if (status != SINPOS_OK || share < LEAST_NEAR)
        return status;
    status = settle(s, &now, &made);
    status = status != SINPOS_OK ? status : shorten_all(s, &now, &made);
    if (status == SINPOS_OK && BETTER * made < *wrong) {
        *best = now;
        *wrong = made;
    }
    return status;
}

/* Are elements outside their room that are not altered, or most of all? */
static bool is_off(const search *s)
{
    const double none[ID_NUMBERS] = {0};
    size_t n_out = 0, n_near = 0;
    for (size_t i = 0; i < s->room.n; i++) {
        const bool is_out = s->room.elements[i].low > 0 || s->room.elements[i].high < 0;
        n_out += is_out;
        n_near += is_out && id_room_distance(&s->room, &s->room.elements[i], none) <= ID_ALTERED;
    }
    return n_near > 0 || 4 * n_out > s->room.n;
}

static sinpos_status find_numbers(search *s)
{
    enum { A = 1 << ID_AMPLITUDE, C = 1 << ID_SCALE, B = 1 << ID_SLOPE, P = 1 << ID_START };
    static const unsigned sets[] = {B, A, B | A, C, B | C, B | C | P, B | A | C, B | A | C | P};
    const numbers named = numbers_of(s->identity);
    const double whole = nearbyint(named.start);
    numbers best = named, any = named;
    double share = 0;
    size_t wrong;
    s->n_rows = start_rows(s);
    sinpos_status status = count_wrong(s, &named, SIZE_MAX, true, &wrong);
    if (status == SINPOS_OK && wrong > 0)
        status = find_elements(s, &named);
    const unsigned may = !s->has_formula ? A : s->is_fixed ? A | B | C : A | B | C | P;
    if (status == SINPOS_OK && wrong > 0 && is_off(s))
        status = begin(s, may, &any, &share);
    for (size_t i = 0; i < sizeof sets / sizeof sets[0] && wrong > 0 && share >= LEAST_NEAR && status == SINPOS_OK;
         i++) {
        numbers from = named;
        if ((sets[i] & ~may) != 0)
            continue;
        if (!s->is_fixed && (sets[i] & P) == 0 && fabs(whole - named.start) < NEAR_WHOLE)
            from.start = whole;
        status = try_free(s, sets[i], &from, &best, &wrong);
    }
    return status != SINPOS_OK ? status : take(s, &best);
}

/* Where a coordinate begins at a later frequency of the first one's formula; 0 where it does not. */
static double shift_of(const sinpos_identity *identity, size_t a)
{
    const sinpos_identity_axis *axis = &identity->axis[a], *first = &identity->axis[0];
    const double exact = -log(axis->scale / first->scale) * first->divisor / log(first->base);
    const bool is_later = a > 0 && axis->shift == 0 && fabs(exact) > 0.5 && fabs(exact - nearbyint(exact)) < SAME_SHIFT;
    return is_later ? nearbyint(exact) * axis->divisor / first->divisor : axis->shift;
}

/* The same for all coordinates, as far as each knows it. */
static bool has_one_formula(const sinpos_identity *identity)
{
    const sinpos_identity_axis *first = &identity->axis[0];
    bool has_one = first->base > 0 && first->base != 1 && first->n_frequencies > 1;
    for (size_t a = 0; a < identity->n_axes; a++) {
        const sinpos_identity_axis *axis = &identity->axis[a];
        has_one = has_one && axis->law == SINPOS_LAW_GEOMETRIC && axis->base > 0 &&
                  fabs(log(axis->base / first->base)) <= SAME_BASE * fabs(log(first->base)) && axis->scale != 0;
    }
    return has_one;
}

sinpos_status id_settle_formula(sinpos_identity *identity, const id_sample *sample)
{
    const sinpos_identity_axis *axis = &identity->axis[0];
    if (identity->noise > 0 || id_has_levels(identity) || sample->n == 0)
        return SINPOS_OK;
    search s = {.identity = identity, .sample = sample, .has_formula = has_one_formula(identity)};
    for (size_t a = 0; a < identity->n_axes; a++) {
        s.shift[a] = s.has_formula ? shift_of(identity, a) : 0;
        s.divisor[a] = s.has_formula ? identity->axis[a].divisor / axis->divisor : 1;
        s.scale[a] = identity->axis[a].scale / axis->scale;
    }
    s.is_fixed = identity->n_axes > 1 || identity->positions != NULL || axis->size > 0;
    s.type = sample->unit > type_unit(identity->type) ? SINPOS_F32 : identity->type;
    s.room.usual = sample->unit * identity->amplitude / 2;
    s.near = identity->dropped > 0 ? ID_DROPPED_UNITS * sample->unit * fabs(identity->amplitude) : 0;
    const size_t per_row = 2 * identity->n_tones, fit = SOME_ELEMENTS / per_row;
    s.some_rows = fit > SOME_ROWS ? SOME_ROWS : fit < FEWEST_ROWS ? FEWEST_ROWS : fit;
    const size_t most = TIMES_WRONG * s.some_rows;
    s.row = malloc(sample->dim * sizeof(double));
    s.exact = malloc(sample->dim * sizeof *s.exact);
    s.rows = malloc(most * sizeof *s.rows);
    s.room.elements = malloc(per_row * most * sizeof *s.room.elements);
    s.room.distances = malloc(per_row * most * sizeof *s.room.distances);
    s.room.pulling = malloc(per_row * most * sizeof *s.room.pulling);
    const bool has_memory = s.row != NULL && s.exact != NULL && s.rows != NULL && s.room.elements != NULL &&
                            s.room.distances != NULL && s.room.pulling != NULL;
    const sinpos_status status = has_memory ? find_numbers(&s) : SINPOS_E_MEMORY;
    free(s.row);
    free(s.exact);
    free(s.rows);
    free(s.room.elements);
    free(s.room.distances);
    free(s.room.pulling);
    return status;
}
