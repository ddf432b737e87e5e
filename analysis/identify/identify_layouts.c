/* identify_layouts.c - ways to pair the columns, and to share the pairs among coordinates. */
#include "identify.h"

/* Rows and pairs on which circles are tried. */
#define CIRCLE_ROWS 16
#define CIRCLE_TONES 128

/* Pairs at either end that are always tried: they may be coordinates themselves. */
#define ENDS 4

/* Columns before or after the waves. */
#define MOST_BESIDE 6

/* Frequencies of a coordinate where not all have equally many. */
#define LEAST_DEALT 4

/* Typical deviation of squares beyond which there is no circle. */
#define FARTHEST 0.6

typedef enum pairing { PAIR_INTERLEAVED, PAIR_HALVES, PAIR_BLOCKS, PAIR_GROUPS } pairing;
typedef enum sharing {
    SHARE_NONE,
    SHARE_BLOCKS,
    SHARE_CYCLE,
    SHARE_TWICE_HALVES,
    SHARE_TWICE_PAIRS,
    SHARE_TWICE_HALVES_CYCLE,
    SHARE_TWICE_PAIRS_CYCLE
} sharing;

/* Widths of the axes: of w columns, or cut off there. A numerator over 48, rounded up to an even number. */
typedef struct recipe {
    sinpos_nest nest;
    pairing pairing;
    sharing sharing;
    size_t n_axes;
    size_t parts[ID_MOST_AXES];
} recipe;

static const recipe recipes[] = {
    {SINPOS_NEST_AFC, PAIR_INTERLEAVED, SHARE_NONE, 1, {48}},
    {SINPOS_NEST_ACF, PAIR_HALVES, SHARE_NONE, 1, {48}},
    {SINPOS_NEST_ACF, PAIR_HALVES, SHARE_TWICE_PAIRS, 1, {48}},
    {SINPOS_NEST_ACF, PAIR_HALVES, SHARE_TWICE_HALVES, 1, {48}},
    {SINPOS_NEST_ACF, PAIR_HALVES, SHARE_TWICE_PAIRS, 2, {24, 24}},
    {SINPOS_NEST_ACF, PAIR_HALVES, SHARE_TWICE_HALVES, 2, {24, 24}},
    {SINPOS_NEST_ACF, PAIR_HALVES, SHARE_TWICE_PAIRS, 3, {12, 18, 18}},
    {SINPOS_NEST_ACF, PAIR_HALVES, SHARE_TWICE_HALVES, 3, {12, 18, 18}},
    {SINPOS_NEST_ACF, PAIR_HALVES, SHARE_TWICE_PAIRS, 3, {16, 16, 16}},
    {SINPOS_NEST_ACF, PAIR_HALVES, SHARE_TWICE_HALVES, 3, {16, 16, 16}},
    {SINPOS_NEST_CFA, PAIR_HALVES, SHARE_TWICE_PAIRS_CYCLE, 2, {24, 24}},
    {SINPOS_NEST_CFA, PAIR_HALVES, SHARE_TWICE_HALVES_CYCLE, 2, {24, 24}},
    {SINPOS_NEST_CFA, PAIR_HALVES, SHARE_TWICE_PAIRS_CYCLE, 3, {16, 16, 16}},
    {SINPOS_NEST_CFA, PAIR_HALVES, SHARE_TWICE_HALVES_CYCLE, 3, {16, 16, 16}},
    {SINPOS_NEST_ACF, PAIR_BLOCKS, SHARE_BLOCKS, 2, {24, 24}},
    {SINPOS_NEST_AFC, PAIR_INTERLEAVED, SHARE_BLOCKS, 2, {24, 24}},
    {SINPOS_NEST_CAF, PAIR_HALVES, SHARE_BLOCKS, 2, {24, 24}},
    {SINPOS_NEST_FCA, PAIR_GROUPS, SHARE_CYCLE, 2, {24, 24}},
    {SINPOS_NEST_CFA, PAIR_HALVES, SHARE_CYCLE, 2, {24, 24}},
    {SINPOS_NEST_FAC, PAIR_INTERLEAVED, SHARE_CYCLE, 2, {24, 24}},
    {SINPOS_NEST_ACF, PAIR_BLOCKS, SHARE_BLOCKS, 3, {16, 16, 16}},
    {SINPOS_NEST_AFC, PAIR_INTERLEAVED, SHARE_BLOCKS, 3, {16, 16, 16}},
    {SINPOS_NEST_CAF, PAIR_HALVES, SHARE_BLOCKS, 3, {16, 16, 16}},
    {SINPOS_NEST_FCA, PAIR_GROUPS, SHARE_CYCLE, 3, {16, 16, 16}},
    {SINPOS_NEST_CFA, PAIR_HALVES, SHARE_CYCLE, 3, {16, 16, 16}},
    {SINPOS_NEST_FAC, PAIR_INTERLEAVED, SHARE_CYCLE, 3, {16, 16, 16}},
    {SINPOS_NEST_ACF, PAIR_BLOCKS, SHARE_BLOCKS, 3, {12, 18, 18}},
    {SINPOS_NEST_ACF, PAIR_BLOCKS, SHARE_BLOCKS, 3, {24, 12, 12}},
    {SINPOS_NEST_AFC, PAIR_INTERLEAVED, SHARE_BLOCKS, 3, {12, 18, 18}},
    {SINPOS_NEST_AFC, PAIR_INTERLEAVED, SHARE_BLOCKS, 3, {24, 12, 12}},
    {SINPOS_NEST_AFC, PAIR_INTERLEAVED, SHARE_BLOCKS, 3, {6, 21, 21}},
    {SINPOS_NEST_ACF, PAIR_BLOCKS, SHARE_BLOCKS, 4, {12, 12, 12, 12}},
    {SINPOS_NEST_AFC, PAIR_INTERLEAVED, SHARE_BLOCKS, 4, {12, 12, 12, 12}},
    {SINPOS_NEST_CAF, PAIR_HALVES, SHARE_BLOCKS, 4, {12, 12, 12, 12}},
    {SINPOS_NEST_FCA, PAIR_GROUPS, SHARE_CYCLE, 4, {12, 12, 12, 12}},
    {SINPOS_NEST_CFA, PAIR_HALVES, SHARE_CYCLE, 4, {12, 12, 12, 12}},
};

#define N_RECIPES (sizeof recipes / sizeof recipes[0])

void id_layout_free(id_layout *layout)
{
    free(layout->sin_column);
    free(layout->cos_column);
    free(layout->axis);
    free(layout->index);
    *layout = (id_layout){0};
}

sinpos_status id_layout_make(id_layout *layout, size_t n)
{
    layout->sin_column = calloc(n + 1, sizeof *layout->sin_column);
    layout->cos_column = calloc(n + 1, sizeof *layout->cos_column);
    layout->axis = calloc(n + 1, sizeof *layout->axis);
    layout->index = calloc(n + 1, sizeof *layout->index);
    const bool all = layout->sin_column && layout->cos_column && layout->axis && layout->index;
    return all ? SINPOS_OK : SINPOS_E_MEMORY;
}

/* Columns of a tone's two components; those at `width` or beyond are cut off. */
static void set_columns(id_layout *layout, size_t tone, size_t first, size_t second)
{
    const ptrdiff_t one = first < layout->width ? (ptrdiff_t)(layout->first + first) : SINPOS_NO_COLUMN;
    const ptrdiff_t two = second < layout->width ? (ptrdiff_t)(layout->first + second) : SINPOS_NO_COLUMN;
    layout->sin_column[tone] = layout->cos_first ? two : one;
    layout->cos_column[tone] = layout->cos_first ? one : two;
}

/* Even widths of the axes that w columns come from; false where this makes no sense. */
static bool is_in_pairs(const recipe *r)
{
    return r->sharing == SHARE_TWICE_PAIRS || r->sharing == SHARE_TWICE_PAIRS_CYCLE;
}

static bool is_twice(const recipe *r)
{
    return is_in_pairs(r) || r->sharing == SHARE_TWICE_HALVES || r->sharing == SHARE_TWICE_HALVES_CYCLE;
}

/* Coordinates in turn; the last ones may have a frequency less. */
static bool is_cycle(const recipe *r)
{
    return r->sharing == SHARE_CYCLE || r->sharing == SHARE_TWICE_PAIRS_CYCLE || r->sharing == SHARE_TWICE_HALVES_CYCLE;
}

static bool axis_widths(const recipe *r, size_t all, size_t widths[ID_MOST_AXES])
{
    const size_t w = is_twice(r) && r->n_axes > 1 ? all / 2 : all;
    size_t sum = 0;
    if (is_cycle(r) && r->pairing != PAIR_GROUPS && w >= 2 * LEAST_DEALT * r->n_axes) {
        for (size_t a = 0; a < r->n_axes; a++)
            widths[a] = 2 * ((w / 2 + r->n_axes - 1 - a) / r->n_axes);
        return true;
    }
    for (size_t a = 0; a < r->n_axes; a++) {
        widths[a] = r->n_axes == 1 ? w : 2 * ((w * r->parts[a] + 95) / 96);
        if (sum >= w || widths[a] == 0)
            return false;
        sum += widths[a];
    }
    const bool must_fill = r->pairing == PAIR_GROUPS || r->pairing == PAIR_HALVES || is_cycle(r);
    return r->n_axes == 1 || sum == w || (sum > w && !must_fill);
}

static void pair_columns(id_layout *layout, const recipe *r, const size_t widths[ID_MOST_AXES])
{
    const size_t n = layout->n_tones, half = (layout->width + 1) / 2;
    size_t tone = 0, begin = 0;
    switch (r->pairing) {
    case PAIR_INTERLEAVED:
        for (tone = 0; tone < n; tone++)
            set_columns(layout, tone, 2 * tone, 2 * tone + 1);
        break;
    case PAIR_HALVES:
        for (tone = 0; tone < n; tone++)
            set_columns(layout, tone, tone, half + tone);
        break;
    case PAIR_GROUPS:
        for (tone = 0; tone < n; tone++) {
            const size_t group = tone / r->n_axes, a = tone % r->n_axes;
            set_columns(layout, tone, 2 * r->n_axes * group + a, 2 * r->n_axes * group + r->n_axes + a);
        }
        break;
    case PAIR_BLOCKS:
        for (size_t a = 0; a < r->n_axes; a++) {
            for (size_t i = 0; i < widths[a] / 2; i++)
                set_columns(layout, tone++, begin + i, begin + widths[a] / 2 + i);
            begin += widths[a];
        }
        break;
    }
}

static void share_tones(id_layout *layout, const recipe *r, const size_t widths[ID_MOST_AXES])
{
    size_t a = 0, begin = 0;
    for (size_t k = 0; k < layout->n_tones; k++) {
        const size_t tone = is_in_pairs(r) ? k / 2 : is_twice(r) ? k % (layout->n_tones / 2) : k;
        size_t axis = 0, index = tone;
        if (tone == 0)
            a = begin = 0;
        if (is_cycle(r)) {
            axis = tone % r->n_axes;
            index = tone / r->n_axes;
        } else if (r->n_axes > 1) {
            while (tone >= begin + widths[a] / 2)
                begin += widths[a++] / 2;
            axis = a;
            index = tone - begin;
        }
        layout->axis[k] = axis;
        layout->index[k] = index;
        layout->n_frequencies[axis] = index + 1 > layout->n_frequencies[axis] ? index + 1 : layout->n_frequencies[axis];
    }
}

/* False where a recipe has nothing to say about these columns. */
static bool is_possible(const recipe *r, size_t width)
{
    return width >= (r->n_axes == 1 ? 2 : 2 * r->n_axes) &&
           !(is_twice(r) && width % (is_cycle(r) ? 4 : 4 * r->n_axes) != 0) && !(r->n_axes > 1 && width % 2 != 0);
}

static sinpos_status make(id_layout *layout, const recipe *r, size_t first, size_t width, bool cos_first)
{
    size_t widths[ID_MOST_AXES] = {0}, n = 0;
    *layout = (id_layout){.nest = r->nest,
                          .cos_first = cos_first,
                          .first = first,
                          .width = width,
                          .n_axes = r->n_axes,
                          .is_twice = is_twice(r)};
    if (!is_possible(r, width) || !axis_widths(r, width, widths))
        return SINPOS_OK;
    for (size_t a = 0; a < r->n_axes; a++) {
        layout->axis_width[a] =
            is_cycle(r) ? (double)(is_twice(r) ? width / 2 : width) / (double)r->n_axes : (double)widths[a];
        n += r->n_axes == 1 ? (widths[a] + 1) / 2 : widths[a] / 2;
    }
    n = is_twice(r) && r->n_axes > 1 ? 2 * n : n;
    layout->n_tones = n;
    if (id_layout_make(layout, n) != SINPOS_OK) {
        id_layout_free(layout);
        return SINPOS_E_MEMORY;
    }
    pair_columns(layout, r, widths);
    share_tones(layout, r, widths);
    return SINPOS_OK;
}

/* ---------------------------------------------------------------------------------------------- circles */

/* Has each column a partner, except for the one that is left over of an odd width? */
static bool is_whole(const id_layout *layout)
{
    size_t n = layout->width % 2;
    for (size_t k = 0; k < layout->n_tones; k++)
        n += layout->sin_column[k] >= 0 && layout->cos_column[k] >= 0 ? 2 : 0;
    return n == layout->width;
}

bool id_has_one_pair(const id_layout *layout)
{
    const bool is_two = layout->n_axes == 1 && layout->n_tones == 2 && layout->n_frequencies[0] == 2;
    return is_two && (layout->sin_column[1] < 0) != (layout->cos_column[1] < 0);
}

/* Typical deviation of pairs from one circle, in rows spread over the sample. */
static sinpos_status measure(id_layout *layout, const id_sample *sample)
{
    const size_t rows = sample->n < CIRCLE_ROWS ? sample->n : CIRCLE_ROWS;
    const size_t every = layout->n_tones / CIRCLE_TONES | 1; /* odd, so that both of two kinds in turn are met */
    double *square = malloc((layout->n_tones * rows + 1) * sizeof *square);
    size_t n = 0;
    if (square == NULL)
        return SINPOS_E_MEMORY;
    for (size_t r = 0; r < rows; r++) {
        const double *x = sample->x + (r * sample->n / rows) * sample->dim;
        for (size_t k = 0; k < layout->n_tones; k += k < ENDS || k + every + ENDS > layout->n_tones ? 1 : every) {
            if (layout->sin_column[k] >= 0 && layout->cos_column[k] >= 0) {
                const double s = x[layout->sin_column[k]], c = x[layout->cos_column[k]];
                square[n] = s * s + c * c;
                n += !isnan(square[n]); /* what is unknown says nothing */
            }
        }
    }
    const double middle = id_median(square, n);
    layout->circle = layout->worst = INFINITY;
    if (n > 0 && middle > 0 && isfinite(middle)) {
        for (size_t i = 0; i < n; i++)
            square[i] = fabs(square[i] / middle - 1);
        layout->circle = id_select(square, n, n * 4 / 5);
        layout->worst = is_whole(layout) ? id_largest(square, n) : INFINITY;
        layout->amplitude = sqrt(middle);
    }
    free(square);
    return SINPOS_OK;
}

/* ----------------------------------------------------------------------------------------------- listing */

typedef struct window {
    size_t first, width;
} window;

double id_constant(const id_sample *sample, size_t column)
{
    double value = NAN;
    for (size_t i = 0; i < sample->n; i++) {
        const double x = sample->x[i * sample->dim + column];
        if (!isnan(value) && !isnan(x) && x != value)
            return NAN;
        value = isnan(x) ? value : x;
    }
    return value;
}

/* Columns at the end that all have one value, 0 or 1. */
static size_t padding(const id_sample *sample)
{
    size_t n = 0;
    const double value = id_constant(sample, sample->dim - 1);
    while (n < sample->dim && (value == 0 || value == 1) && id_constant(sample, sample->dim - 1 - n) == value)
        n++;
    return n;
}

size_t id_zero_columns(const id_sample *sample)
{
    return sample->n > 1 && id_constant(sample, sample->dim - 1) == 0 ? padding(sample) : 0;
}

/* Which columns may hold waves: all, all but padding (first where it is 0: no sine is), all but raw coordinates. */
static size_t list_windows(const id_sample *sample, window windows[16])
{
    const size_t dim = sample->dim, pad = padding(sample), zeros = id_zero_columns(sample);
    size_t n = 0;
    if (zeros > 0 && zeros < dim)
        windows[n++] = (window){0, dim - zeros};
    windows[n++] = (window){0, dim};
    for (size_t k = 1; k <= pad && k < 5; k++)
        if (k != zeros)
            windows[n++] = (window){0, dim - k};
    if (pad >= 5 && pad < dim && pad != zeros)
        windows[n++] = (window){0, dim - pad};
    for (size_t k = 1; k <= MOST_BESIDE && pad == 0 && k + 2 <= dim; k++) {
        windows[n++] = (window){k, dim - k};
        windows[n++] = (window){0, dim - k};
    }
    return n;
}

static bool is_near(double best, double circle, double unit)
{
    return circle < FARTHEST && circle <= 30 * best + 64 * unit;
}

/*
 * Where all columns are in pairs on the circle, to leave some of them out explains less; all but the last one, where it
 * has no partner: it may be a coordinate.
 */
static void drop_far(id_layout *layouts, size_t *n, size_t dim, double unit)
{
    double best = INFINITY;
    size_t kept = 0;
    bool is_full = false;
    for (size_t i = 0; i < *n; i++)
        best = fmin(best, layouts[i].circle);
    for (size_t i = 0; i < *n; i++)
        is_full = is_full || (layouts[i].width == dim && is_near(best, layouts[i].worst, unit));
    for (size_t i = 0; i < *n; i++) {
        const bool is_wide = layouts[i].first == 0 && layouts[i].width >= dim - dim % 2;
        if (is_near(best, layouts[i].circle, unit) && (is_wide || !is_full))
            layouts[kept++] = layouts[i];
        else
            id_layout_free(&layouts[i]);
    }
    *n = kept;
}

sinpos_status id_layouts(const id_sample *sample, bool only_twice, id_layout **layouts, size_t *n_layouts)
{
    window windows[16];
    const size_t n_windows = list_windows(sample, windows);
    id_layout *list = calloc(n_windows * N_RECIPES * 2, sizeof *list);
    size_t n = 0;
    sinpos_status status = list == NULL ? SINPOS_E_MEMORY : SINPOS_OK;
    for (size_t w = 0; w < n_windows && status == SINPOS_OK; w++) {
        for (size_t i = 0; i < 2 * N_RECIPES && status == SINPOS_OK; i++) {
            if (only_twice && !is_twice(&recipes[i / 2]))
                continue;
            const bool is_exchanged = i % 2 == 1; /* the circles are those of the layout before */
            status = make(&list[n], &recipes[i / 2], windows[w].first, windows[w].width, is_exchanged);
            if (status != SINPOS_OK || list[n].n_tones == 0)
                continue;
            if (is_exchanged) {
                list[n].circle = list[n - 1].circle;
                list[n].worst = list[n - 1].worst;
                list[n].amplitude = list[n - 1].amplitude;
            } else {
                status = measure(&list[n], sample);
            }
            n++;
        }
    }
    if (status == SINPOS_OK)
        drop_far(list, &n, sample->dim, sample->unit);
    *layouts = list;
    *n_layouts = n;
    return status;
}
