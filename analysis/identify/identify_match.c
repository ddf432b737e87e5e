/*
 * identify_match.c - columns, one by one, as waves of one encoding.
 *
 * Each column of consecutive rows is fitted by a sine wave. Those that turn far enough have a frequency; these follow a
 * formula, or are listed. The phases give the position of the first row. Then every column, slow ones too, is compared
 * with the sine and the cosine of the frequencies that its neighbours lead one to expect.
 */
#include "identify_match.h"

#include "elements.h"
#include "identify_waves.h"

/* Consecutive rows, by the number of columns. */
#define MOST_ROWS 192
#define LEAST_ROWS 24
#define SOME_ELEMENTS ((size_t)1 << 19)
#define BLOCKS 3
#define SIZES 3 /* then half and a quarter as many rows: other rows may not belong */

#define LEAST_WAVES 3

/* Radians that a column must turn in these rows, without and with an offset, and how near to a wave it must be. */
#define LEAST_TURN 1.5
#define LEAST_TURN_OFFSET 4
#define MOST_RESIDUAL 0.1
#define MOST_ERROR 0.01 /* of theta, relative */

/* Zeros in place of elements: part of them, and of the columns that have some. */
#define LEAST_DROPPED 0.01
#define MOST_DROPPED 0.7
#define DROPPED_COLUMNS 0.8

/* Of frequencies that are one, and of steps of a formula. */
#define SAME_THETA 1e-4
#define SAME_STEP 0.03
#define LEAST_PART 0.8

/* Of residuals that fit. */
#define TIMES_RESIDUAL 8

/* Positions that are tried for the first row: by a turn of the slowest wave, so far, so many. */
#define MOST_START 0x1p20
#define MOST_TURNS 4000
#define NEAR_PHASE 0.06
#define SURE_PHASE 0.004

/* Rows; a start as near as this is found by phases alone. */
#define NEAR_START 512

/* A start in less doubt than this, in rows, is taken for a whole number. */
#define MOST_WHOLE 0.3

/* With an offset residuals must be so much smaller. */
#define BETTER_WITH 8

/* Angles of float32 code, relative. */
#define SINGLE_ANGLE 0x1p-23

/* Frequencies that no known rule changes, and rules that are looked at whole. */
#define FAST_TONES 4
#define MOST_SCALINGS 24

/* Radians at most that may be in doubt. */
#define MOST_DOUBT 0.01

/* Standard errors by which a column is negated. */
#define SURE_SIGN 6

/* Of offsets and amplitudes that are one. */
#define SAME_LEVEL 1e-3

typedef struct block {
    size_t n, dim, first; /* rows, and the first of them */
    double *x;            /* (dim, n) */
    double *spread;       /* (dim) standard deviation of each column */
    id_wave *waves;       /* (dim) */
    bool *is_used;        /* (dim) a wave whose frequency is known */
    bool has_offset;
    size_t n_used;
    double residual; /* typical of those that are used */
    double unit;
    double *sines, *cosines; /* (n_tones, n) */
    double *zeros;           /* (n) */
    double *room;            /* (2 n) */
} block;

/* ---------------------------------------------------------------------------------------------------- waves */

static size_t block_rows(const id_view *view)
{
    const size_t fit = SOME_ELEMENTS / view->dim, most = fit > MOST_ROWS ? MOST_ROWS : fit;
    const size_t n = most < LEAST_ROWS ? LEAST_ROWS : most;
    return n < view->n ? n : view->n;
}

static sinpos_status read_block(block *b, const id_view *view, double *row, void *room)
{
    for (size_t r = 0; r < b->n; r++) {
        const sinpos_status status = id_view_read(view, b->first + r, 1, room);
        if (status != SINPOS_OK)
            return status;
        widen(row, room, view->type, b->dim);
        for (size_t j = 0; j < b->dim; j++)
            b->x[j * b->n + r] = isfinite(row[j]) ? row[j] : NAN;
    }
    return SINPOS_OK;
}

static size_t zeros_of_row(const block *b, size_t r)
{
    size_t n = 0;
    for (size_t j = 0; j < b->dim; j++)
        n += b->x[j * b->n + r] == 0;
    return n;
}

/*
 * Part of the elements that are 0, where these are in nearly all columns; they are then left out. Rows that are mostly 0
 * are no dropout's: sines of position 0, padding.
 */
static double drop_zeros(block *b)
{
    size_t zeros = 0, columns = 0;
    for (size_t r = 0; r < b->n; r++) {
        const size_t n = zeros_of_row(b, r);
        zeros += (double)n > MOST_DROPPED * (double)b->dim ? 0 : n;
    }
    for (size_t j = 0; j < b->dim; j++) {
        size_t n = 0;
        for (size_t r = 0; r < b->n; r++)
            n += b->x[j * b->n + r] == 0;
        columns += n > 0;
    }
    const double share = (double)zeros / ((double)b->n * (double)b->dim);
    if (share < LEAST_DROPPED || share > MOST_DROPPED || (double)columns < DROPPED_COLUMNS * (double)b->dim)
        return 0;
    for (size_t i = 0; i < b->n * b->dim; i++)
        b->x[i] = b->x[i] == 0 ? NAN : b->x[i];
    return share;
}

static void find_waves(block *b, bool has_offset)
{
    const double turn = has_offset ? LEAST_TURN_OFFSET : LEAST_TURN;
    b->has_offset = has_offset;
    b->n_used = 0;
    for (size_t j = 0; j < b->dim; j++) {
        double slope, level;
        b->spread[j] = id_wave_level(b->x + j * b->n, b->zeros, b->n, true, &slope, &level) + 1e-300;
        const id_wave wave = b->waves[j] = id_wave_find(b->x + j * b->n, b->n, has_offset);
        b->is_used[j] =
            wave.residual < MOST_RESIDUAL && wave.theta * (double)b->n > turn && wave.error < MOST_ERROR * wave.theta;
        b->n_used += b->is_used[j];
    }
}

/* ------------------------------------------------------------------------------------------------ frequencies */

static int by_theta(const void *a, const void *b)
{
    const double one = *(const double *)a, other = *(const double *)b;
    return (one < other) - (one > other);
}

/* Frequencies of the waves, fast to slow, each once, and how sure they are: 1 / error^2, relative. */
static size_t list_theta(const block *b, double *theta, double *weight)
{
    size_t n = 0, kept = 0;
    double most = 0;
    for (size_t j = 0; j < b->dim; j++) {
        if (b->is_used[j]) {
            theta[n++] = b->waves[j].theta;
            most = fmax(most, b->waves[j].error / b->waves[j].theta);
        }
    }
    qsort(theta, n, sizeof *theta, by_theta);
    for (size_t i = 0; i < n; i++)
        if (kept == 0 || theta[kept - 1] - theta[i] > (SAME_THETA + 4 * most) * theta[i])
            theta[kept++] = theta[i];
    memset(weight, 0, kept * sizeof *weight);
    for (size_t j = 0; j < b->dim; j++) {
        size_t i = 0;
        const double own = b->waves[j].theta, error = b->waves[j].error / own + b->unit / (double)b->n;
        while (b->is_used[j] && i + 1 < kept && fabs(theta[i + 1] - own) < fabs(theta[i] - own))
            i++;
        if (b->is_used[j] && 1 / (error * error) > weight[i]) {
            weight[i] = 1 / (error * error);
            theta[i] = own;
        }
    }
    return kept;
}

/* Do most frequencies follow a formula? Then theta becomes that of `m` tones. */
static bool find_formula(id_match *match, size_t n, size_t m, const double *weight, double *room)
{
    double *theta = match->theta, w = 0, wi = 0, wy = 0, wii = 0, wiy = 0;
    size_t count = 0;
    if (n < 3)
        return false;
    for (size_t i = 0; i + 1 < n; i++)
        room[i] = log(theta[i] / theta[i + 1]);
    const double step = id_median(room, n - 1);
    for (size_t i = 0; i < n; i++) {
        const double y = log(theta[i]), exact = (log(theta[0]) - y) / step, at = nearbyint(exact);
        if (fabs(exact - at) > SAME_STEP)
            continue;
        w += weight[i];
        wi += weight[i] * at;
        wy += weight[i] * y;
        wii += weight[i] * at * at;
        wiy += weight[i] * at * y;
        count++;
    }
    const double spread = wii - wi * wi / w;
    if ((double)count < LEAST_PART * (double)n || !(spread > 0))
        return false;
    match->slope = -(wiy - wi * wy / w) / spread;
    match->slope_error = 3 / sqrt(spread);
    const double first = wy / w + match->slope * wi / w;
    match->theta_error = 3 * sqrt(1 / w + wi * wi / (w * w) / spread);
    for (size_t i = 0; i < m; i++)
        theta[i] = exp(first - match->slope * (double)i);
    return true;
}

/* Of a formula rounded to a type with few bits, the tones that are too slow to be waves here follow. */
static bool find_rounded(id_match *match, const block *b, size_t n, size_t m)
{
    id_rounded_law law;
    double reach = b->unit;
    for (size_t j = 0; j < b->dim; j++)
        reach = fmax(reach, b->is_used[j] ? 4 * b->waves[j].error : 0);
    id_find_rounded_law(&law, match->theta, n, m, reach);
    if (law.bits == 0 || law.bits == 24)
        return false;
    for (size_t i = 0; i < m; i++)
        match->theta[i] = id_rounded_theta(&law, i);
    return true;
}

/* ------------------------------------------------------------------------------------------------------ start */

/* How far the phase is from that of a sine or cosine, of either sign, that begins at `start`. */
static double off_phase(const id_wave *wave, double start)
{
    return id_wrap(4 * (wave->phase - wave->theta * start)) / 4;
}

/* How near a phase must be: no nearer than it is known. */
static double near_phase(const id_wave *wave, double start)
{
    return fmin(NEAR_PHASE, SURE_PHASE + TIMES_RESIDUAL * wave->residual) + 4 * wave->error * fabs(start);
}

/* Part of the waves whose phase fits. */
static double score(const block *b, double start)
{
    size_t near = 0;
    for (size_t j = 0; j < b->dim; j++)
        near += b->is_used[j] && fabs(off_phase(&b->waves[j], start)) < near_phase(&b->waves[j], start);
    return b->n_used == 0 ? 0 : (double)near / (double)b->n_used;
}

/* From phases that fit to the start that fits best. */
static double refine_start(const block *b, double start)
{
    double up = 0, down = 0;
    for (size_t j = 0; j < b->dim; j++) {
        const id_wave *wave = &b->waves[j];
        const double off = b->is_used[j] ? off_phase(wave, start) : 0;
        if (b->is_used[j] && fabs(off) < NEAR_PHASE) {
            const double weight =
                1 / (wave->residual * wave->residual + wave->error * wave->error * start * start + 1e-30);
            up += weight * wave->theta * off;
            down += weight * wave->theta * wave->theta;
        }
    }
    return down > 0 ? start + up / down : start;
}

static void try_start(const block *b, double start, double *best, double *most)
{
    if (!(fabs(start) <= MOST_START) || score(b, start) < LEAST_PART)
        return;
    double refined = refine_start(b, start);
    refined = fabs(refined - nearbyint(refined)) < 0.02 ? nearbyint(refined) : refined;
    const double share = score(b, refined), near = 0.01;
    const double own = fabs(refined - (double)b->first), other = fabs(*best - (double)b->first);
    if (share > *most + near || (share > *most - near && own < other)) {
        *best = refined;
        *most = share;
    }
}

/* Position of the first row of the block, in rows; NaN if none fits most of the phases. */
static double find_start(const block *b)
{
    const id_wave *slow = NULL;
    double best = INFINITY, most = 0;
    for (size_t j = 0; j < b->dim; j++)
        if (b->is_used[j] && (slow == NULL || b->waves[j].theta < slow->theta))
            slow = &b->waves[j];
    if (slow == NULL)
        return NAN;
    try_start(b, (double)b->first, &best, &most);
    try_start(b, (double)b->first + 1, &best, &most);
    const double turn = TWO_PI / 4 / slow->theta;
    for (long k = 0; k < MOST_TURNS && (double)k * turn <= MOST_START && most < 1; k++) {
        try_start(b, slow->phase / slow->theta + (double)k * turn, &best, &most);
        try_start(b, slow->phase / slow->theta - (double)(k + 1) * turn, &best, &most);
    }
    return most >= LEAST_PART ? best : NAN;
}

/* By index; of one index by angle, so that the order is the same everywhere. */
static int by_index(const void *a, const void *b)
{
    const id_steady *one = a, *other = b;
    return one->index != other->index ? (one->index > other->index) - (one->index < other->index)
                                      : (one->angle > other->angle) - (one->angle < other->angle);
}

/* The waves of a formula with their angles in the middle of the rows, fast to slow. */
static size_t list_steady(const id_match *match, const block *b, id_steady *tone)
{
    size_t n = 0;
    for (size_t j = 0; j < b->dim; j++) {
        const id_wave *wave = &b->waves[j];
        const double exact = b->is_used[j] ? log(match->theta[0] / wave->theta) / match->slope : NAN;
        if (!(fabs(exact - nearbyint(exact)) <= SAME_STEP))
            continue;
        tone[n++] = (id_steady){.index = nearbyint(exact),
                                .angle = wave->phase + wave->theta * (double)(b->n - 1) / 2,
                                .angle_error = wave->residual * sqrt(2 / (double)b->n) + 1e-15,
                                .step = wave->theta,
                                .step_error = wave->error + 1e-15};
    }
    qsort(tone, n, sizeof *tone, by_index);
    return n;
}

/*
 * The start of a formula, however far away, which then has its numbers from it; else the one that most phases fit.
 * Whether a column is a sine or a cosine, and its sign, are unknown: turns are quarters.
 */
static double find_far_start(id_match *match, const block *b, id_steady *tone, double *room)
{
    const double near = find_start(b), middle = (double)(b->n - 1) / 2;
    if (!match->is_formula || fabs(near) < NEAR_START)
        return near;
    const size_t n = list_steady(match, b, tone);
    const id_start start = id_find_start(tone, n, TWO_PI / 4, middle, room);
    if (!(start.bits > 0))
        return near;
    const bool is_one = fabs(match->theta[0] - 1) <= match->theta_error;
    const double about = start.angle / (is_one ? 1 : match->theta[0]) - middle, whole = nearbyint(about);
    const double doubt = is_one ? NEAR_PHASE : NEAR_PHASE + match->theta_error * fabs(about);
    const bool is_whole = doubt < MOST_WHOLE && fabs(about - whole) <= doubt;
    const double position = is_whole ? whole : about, first = is_one ? 1 : start.angle / (position + middle);
    match->theta_error = is_one || is_whole ? NEAR_PHASE / fabs(start.angle) : match->theta_error;
    match->slope = start.slope;
    match->slope_error = start.slope_error;
    for (size_t i = 0; i < match->n_tones; i++)
        match->theta[i] = first * exp(-match->slope * (double)i);
    return position;
}

/* ---------------------------------------------------------------------------------------------------- columns */

typedef struct candidate {
    ptrdiff_t index;
    bool is_sine;
} candidate;

static void make_tones(const id_match *match, block *b, double start)
{
    for (size_t i = 0; i < match->n_tones; i++) {
        for (size_t r = 0; r < b->n; r++) {
            const double angle = match->theta[i] * (start + (double)r);
            b->sines[i * b->n + r] = sin(angle);
            b->cosines[i * b->n + r] = cos(angle);
        }
    }
}

/* How the column is that wave, by the residual. */
static id_column compare(const id_match *match, const block *b, size_t j, candidate c)
{
    id_column own = {.index = SINPOS_NO_COLUMN, .residual = INFINITY};
    if (c.index < 0 || (size_t)c.index >= match->n_tones)
        return own;
    const double *wave = (c.is_sine ? b->sines : b->cosines) + (size_t)c.index * b->n, *x = b->x + j * b->n;
    double squares = 0, along = 0, size = 0, count = 0, amplitude, offset;
    own = (id_column){.index = c.index, .is_sine = c.is_sine, .factor = 1};
    if (match->has_levels) {
        own.residual = id_wave_level(x, wave, b->n, true, &amplitude, &offset) / hypot(b->spread[j], amplitude);
        own.factor = amplitude / match->amplitude;
        own.offset = offset;
        return own;
    }
    for (size_t r = 0; r < b->n; r++) {
        along += isnan(x[r]) ? 0 : x[r] * wave[r];
        size += isnan(x[r]) ? 0 : wave[r] * wave[r];
    }
    const double error = fmax(match->residual, b->unit) * match->amplitude * sqrt(size);
    own.factor = along < -SURE_SIGN * error ? -1 : 1;
    for (size_t r = 0; r < b->n; r++) {
        const double off = x[r] - own.factor * match->amplitude * wave[r];
        squares += isnan(x[r]) ? 0 : off * off;
        count += !isnan(x[r]);
    }
    own.residual = count > 0 ? sqrt(squares / count) / match->amplitude : INFINITY;
    return own;
}

/* What is in doubt of an angle: float32 code rounds it and its frequency, and a formula goes on to slow tones. */
static double doubt(const id_match *match, const block *b, ptrdiff_t index)
{
    if (index < 0 || match->has_levels)
        return 0;
    const double first = match->start + (double)b->first, far = fmax(fabs(first), fabs(first + (double)b->n));
    const double error = match->is_formula ? match->theta_error + match->slope_error * (double)index : 0;
    return fmin((error + SINGLE_ANGLE) * match->theta[index] * far, MOST_DOUBT);
}

/* The first of those that fit about as well as the best. */
static void choose(id_match *match, const block *b, size_t j, const candidate *list, size_t n, double most)
{
    id_column made[8], best = {.index = SINPOS_NO_COLUMN, .residual = INFINITY};
    double least = INFINITY;
    for (size_t i = 0; i < n; i++) {
        made[i] = compare(match, b, j, list[i]);
        least = fmin(least, made[i].residual);
    }
    for (size_t i = n; i-- > 0;)
        best = made[i].residual <= 2 * least + b->unit ? made[i] : best;
    if (best.residual <= most + doubt(match, b, best.index) &&
        (best.index != match->column[j].index || match->column[j].index < 0)) {
        match->n_matched += match->column[j].index < 0;
        match->column[j] = best;
    }
}

/* Columns whose frequency is known. */
static void match_known(id_match *match, const block *b, double most)
{
    for (size_t j = 0; j < b->dim; j++) {
        size_t near = 0;
        if (!b->is_used[j])
            continue;
        for (size_t i = 1; i < match->n_tones; i++)
            near = fabs(log(match->theta[i] / b->waves[j].theta)) < fabs(log(match->theta[near] / b->waves[j].theta))
                       ? i
                       : near;
        const candidate list[] = {{(ptrdiff_t)near, true}, {(ptrdiff_t)near, false}};
        choose(match, b, j, list, 2, most);
    }
}

static candidate neighbour(const id_match *match, ptrdiff_t j, ptrdiff_t step, bool other)
{
    if (j < 0 || (size_t)j >= match->dim || match->column[j].index < 0)
        return (candidate){SINPOS_NO_COLUMN, false};
    return (candidate){match->column[j].index + step, match->column[j].is_sine != other};
}

/* Slow columns, from those before them or, the other way, after them. */
static void match_slow(id_match *match, const block *b, ptrdiff_t way, double most)
{
    for (size_t k = 0; k < b->dim; k++) {
        const ptrdiff_t j = way > 0 ? (ptrdiff_t)k : (ptrdiff_t)(b->dim - 1 - k);
        const candidate one = neighbour(match, j - way, 0, false), two = neighbour(match, j - 2 * way, 0, false);
        const bool in_turn = one.index >= 0 && two.index >= 0 && one.is_sine != two.is_sine;
        const candidate by_two = neighbour(match, j - 2 * way, way, false);
        const candidate by_one = neighbour(match, j - way, way, false);
        const candidate list[] = {in_turn ? by_two : by_one, in_turn ? by_one : by_two,
                                  neighbour(match, j - way, 0, true), neighbour(match, j - way, way, true),
                                  neighbour(match, j - way, 0, false)};
        if (match->column[j].index < 0)
            choose(match, b, (size_t)j, list, sizeof list / sizeof list[0], most);
    }
}

/* Columns in any order: of all waves of the formula the nearest. */
static void match_any(id_match *match, const block *b, double most)
{
    for (size_t j = 0; j < b->dim && !match->has_levels; j++) {
        id_column best = {.index = SINPOS_NO_COLUMN, .residual = INFINITY};
        for (size_t k = 0; k < 2 * match->n_tones && match->column[j].index < 0; k++) {
            const id_column made = compare(match, b, j, (candidate){(ptrdiff_t)(k / 2), k % 2 == 0});
            best = made.residual < best.residual ? made : best;
        }
        if (best.residual <= most + doubt(match, b, best.index)) {
            match->n_matched++;
            match->column[j] = best;
        }
    }
}

/* All columns, with the frequencies as they are. */
static void match_all(id_match *match, block *b, double start, double most)
{
    const double offset = match->dim > 0 ? match->column[0].offset : 0;
    match->n_matched = 0;
    for (size_t j = 0; j < b->dim; j++)
        match->column[j] = (id_column){.index = SINPOS_NO_COLUMN, .factor = 1};
    make_tones(match, b, start);
    match_known(match, b, most);
    match_slow(match, b, 1, most);
    match_slow(match, b, -1, most);
    match_any(match, b, most);
    for (size_t j = 0; j < b->dim && !match->has_levels; j++)
        match->column[j].offset = offset;
}

/* -------------------------------------------------------------------------------------------- scaled frequencies */

/* Is the last element of the column that of some tone, of either sign? */
static bool is_some_tone(const id_match *match, const block *b, size_t j, double start, double most)
{
    const double x = fabs(b->x[j * b->n + b->n - 1]) / match->amplitude;
    for (size_t i = 0; i < match->n_tones; i++) {
        const double angle = match->theta[i] * (start + (double)(b->n - 1)), near = most + SINGLE_ANGLE * fabs(angle);
        if (fabs(fabs(cos(angle)) - x) <= 2 * near || fabs(fabs(sin(angle)) - x) <= 2 * near)
            return true;
    }
    return isnan(x);
}

/* Of all columns that are not matched yet? */
static bool may_fit(const id_match *match, const block *b, double start, double most)
{
    for (size_t j = 0; j < b->dim; j++)
        if (match->column[j].index < 0 && !is_some_tone(match, b, j, start, most))
            return false;
    return true;
}

/*
 * Slow columns that have no wave, or that the formula does not make, may have been slowed down by a known rule, which gives
 * their frequencies from the fastest ones. The rule that makes most columns is kept.
 */
static void try_scalings(id_match *match, block *b, double start, double most, id_match *spare)
{
    const size_t n_tones[] = {b->dim, b->dim / 2};
    double fast[FAST_TONES];
    size_t left = MOST_SCALINGS;
    if (match->n_tones < FAST_TONES)
        return;
    memcpy(fast, match->theta, sizeof fast);
    for (size_t t = 0; t < sizeof n_tones / sizeof n_tones[0]; t++) {
        for (size_t k = 0; n_tones[t] >= FAST_TONES && left > 0 && match->n_matched < b->dim; k++) {
            id_match own = *match;
            own.theta = spare->theta;
            own.column = spare->column;
            own.n_tones = n_tones[t];
            own.is_formula = false;
            if (!id_known_scaling(k, fast, FAST_TONES, own.theta, own.n_tones))
                break;
            memcpy(own.column, match->column, b->dim * sizeof *own.column);
            if (isnan(own.theta[0]) || !may_fit(&own, b, start, most))
                continue;
            left--;
            match_all(&own, b, start, most);
            if (own.n_matched > match->n_matched) {
                spare->theta = match->theta;
                spare->column = match->column;
                *match = own;
            }
        }
    }
}

static double median_of_used(const block *b, double (*of)(const id_wave *), double *room)
{
    size_t n = 0;
    for (size_t j = 0; j < b->dim; j++)
        if (b->is_used[j])
            room[n++] = of(&b->waves[j]);
    return id_median(room, n);
}

static double wave_amplitude(const id_wave *wave)
{
    return wave->amplitude;
}

static double wave_residual(const id_wave *wave)
{
    return wave->residual;
}

static double wave_offset(const id_wave *wave)
{
    return wave->offset;
}

/* Do most of the waves have one amplitude and one offset? The offset is then taken away. */
static bool have_one_level(id_match *match, block *b, double *room)
{
    const double middle = b->has_offset ? median_of_used(b, wave_offset, room) : 0;
    const double offset = id_nice(middle, 4 * fmax(match->residual, b->unit) * match->amplitude);
    size_t same = 0;
    for (size_t j = 0; j < b->dim; j++) {
        const double near = (SAME_LEVEL + 8 * match->residual) * match->amplitude;
        same += b->is_used[j] && fabs(b->waves[j].amplitude - match->amplitude) <= near &&
                fabs(b->waves[j].offset - offset) <= near;
    }
    if ((double)same < LEAST_PART * (double)b->n_used)
        return false;
    b->unit *= 1 + fabs(offset) / match->amplitude;
    for (size_t i = 0; i < b->dim * b->n && offset != 0; i++)
        b->x[i] -= offset;
    for (size_t j = 0; j < b->dim; j++)
        match->column[j].offset = offset;
    return true;
}

/* ------------------------------------------------------------------------------------------------ the whole */

static sinpos_status match_block(id_match *match, block *b, double *weight, double *room, id_steady *tone,
                                 id_match *spare)
{
    const size_t n = list_theta(b, match->theta, weight);
    match->residual = median_of_used(b, wave_residual, room);
    match->amplitude = median_of_used(b, wave_amplitude, room);
    const bool is_rounded = find_rounded(match, b, n, b->dim);
    match->is_formula = !is_rounded && find_formula(match, n, b->dim, weight, room);
    match->n_tones = is_rounded || match->is_formula ? b->dim : n;
    const double start = find_far_start(match, b, tone, room);
    if (isnan(start))
        return SINPOS_OK;
    match->start = start - (double)b->first + 0.0; /* no -0 */
    match->first_row = b->first;
    match->n_rows = b->n;
    for (size_t j = 0; j < b->dim; j++)
        match->column[j] = (id_column){.index = SINPOS_NO_COLUMN, .factor = 1};
    match->has_levels = !have_one_level(match, b, room);
    const double most = TIMES_RESIDUAL * fmax(match->residual, fmax(b->unit, 0x1p-40));
    match_all(match, b, start, most);
    if (!match->has_levels)
        try_scalings(match, b, start, most, spare);
    return SINPOS_OK;
}

/* More columns, or nearly as many without what disturbed the others: rows that do not belong. */
static bool is_better(const block *own, const block *best)
{
    const bool is_clean = own->residual * BETTER_WITH < fmax(best->residual, best->unit) &&
                          (double)own->n_used >= LEAST_PART * (double)best->n_used;
    return is_clean || (own->n_used > best->n_used && !(best->residual * BETTER_WITH < fmax(own->residual, own->unit)));
}

static sinpos_status find_block(id_match *match, block *best, const id_view *view, block *room, double *row, void *raw)
{
    const size_t all = best->n;
    const bool is_whole = view->n == all;
    bool is_first = true;
    for (size_t k = is_whole ? BLOCKS - 1 : 0; k < SIZES * BLOCKS; k++) {
        block own = *room;
        own.n = all >> k / BLOCKS;
        own.first = (view->n - own.n) * (k % BLOCKS) / (BLOCKS - 1);
        if (k >= BLOCKS && own.n < LEAST_ROWS)
            break;
        const sinpos_status status = read_block(&own, view, row, raw);
        if (status != SINPOS_OK)
            return status;
        const double dropped = drop_zeros(&own);
        for (size_t j = 0; j < own.dim; j++)
            id_wave_clean(own.x + j * own.n, own.n, own.room);
        find_waves(&own, true);
        const double with = own.n_used == 0 ? INFINITY : median_of_used(&own, wave_residual, row);
        const size_t n_with = own.n_used;
        find_waves(&own, false);
        const double without = own.n_used == 0 ? INFINITY : median_of_used(&own, wave_residual, row);
        if (n_with >= 2 * own.n_used || (2 * n_with > own.n_used && without > BETTER_WITH * fmax(with, own.unit)))
            find_waves(&own, true);
        own.residual = own.n_used == 0 ? INFINITY : median_of_used(&own, wave_residual, row);
        if (is_first || is_better(&own, best)) {
            is_first = false;
            *room = *best;
            *best = own;
            match->dropped = dropped;
        }
    }
    return SINPOS_OK;
}

static bool make_block(block *b, blocks *memory, const id_view *view)
{
    *b = (block){.n = block_rows(view), .dim = view->dim, .unit = type_unit(view->type)};
    b->x = blocks_take(memory, b->n, b->dim * sizeof *b->x);
    b->waves = blocks_take(memory, b->dim, sizeof *b->waves);
    b->is_used = blocks_take(memory, b->dim, sizeof *b->is_used);
    b->spread = blocks_take(memory, b->dim, sizeof *b->spread);
    b->zeros = blocks_take(memory, b->n, sizeof *b->zeros);
    b->room = blocks_take(memory, b->n, 2 * sizeof *b->room);
    return b->room != NULL && b->x != NULL && b->waves != NULL && b->is_used != NULL && b->spread != NULL &&
           b->zeros != NULL;
}

sinpos_status id_match_columns(id_match *match, const id_view *view)
{
    blocks memory = {0};
    block best, other;
    *match = (id_match){.dim = view->dim};
    id_match spare = *match;
    if (view->n < LEAST_ROWS)
        return SINPOS_OK;
    const bool has_blocks = make_block(&best, &memory, view) && make_block(&other, &memory, view);
    double *room = blocks_take(&memory, view->dim + 1, sizeof *room);
    double *weight = blocks_take(&memory, view->dim + 1, sizeof *weight);
    id_steady *tone = blocks_take(&memory, view->dim + 1, sizeof *tone);
    void *raw = blocks_take(&memory, view->dim, sizeof(double));
    match->theta = blocks_take(&match->memory, view->dim, sizeof *match->theta);
    match->column = blocks_take(&match->memory, view->dim, sizeof *match->column);
    spare.theta = blocks_take(&match->memory, view->dim, sizeof *match->theta);
    spare.column = blocks_take(&match->memory, view->dim, sizeof *match->column);
    match->wave_theta = blocks_take(&match->memory, view->dim, sizeof *match->wave_theta);
    sinpos_status status = has_blocks && room != NULL && weight != NULL && tone != NULL && raw != NULL
                               ? blocks_status(&match->memory)
                               : SINPOS_E_MEMORY;
    status = status != SINPOS_OK ? status : find_block(match, &best, view, &other, room, raw);
    match->n_waves = best.n_used;
    for (size_t j = 0; j < view->dim && status == SINPOS_OK; j++)
        match->wave_theta[j] = best.is_used[j] ? best.waves[j].theta : 0;
    if (status == SINPOS_OK && best.n_used >= LEAST_WAVES) {
        best.sines = blocks_take(&memory, view->dim, best.n * sizeof *best.sines);
        best.cosines = blocks_take(&memory, view->dim, best.n * sizeof *best.cosines);
        status = blocks_status(&memory);
        status = status != SINPOS_OK ? status : match_block(match, &best, weight, room, tone, &spare);
    }
    blocks_free(&memory);
    return status;
}

double id_match_element(const id_match *match, size_t row, size_t column)
{
    const id_column *own = &match->column[column];
    const double angle = own->index < 0 ? 0 : match->theta[own->index] * (match->start + (double)row);
    const double wave = own->index < 0 ? 0 : own->is_sine ? sin(angle) : cos(angle);
    return own->factor * match->amplitude * wave + own->offset;
}

double id_match_row(const id_match *match, const double *x, size_t row)
{
    size_t near = 0, all = 0;
    for (size_t j = 0; j < match->dim; j++) {
        const double own = id_match_element(match, row, j);
        if (match->column[j].index < 0 || (match->dropped > 0 && x[j] == 0))
            continue;
        all++;
        near += fabs(x[j] - own) <= 0.05 * fabs(match->column[j].factor) * match->amplitude + 16 * match->residual;
    }
    return all == 0 ? 0 : (double)near / (double)all;
}
