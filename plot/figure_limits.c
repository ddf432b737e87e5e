/* Figures of what an encoding can and cannot do: errors of common arithmetic, separation, bases. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "catalogue.h"

enum {
    DIMS = 5,
    LENGTHS_MOST = 800,
    SEPARATION_MOST = 10000000,
    BLOCK = 1 << 14,
    BASES = 600,
    ISLAND = 60,
    CONTEXT_MOST = 1 << 20,
    SEARCH_MOST = 600000
};

/* Whole numbers from least to most, so many for each doubling and no two alike. Returns how many. */
static size_t spread(uint64_t least, uint64_t most, double per_doubling, uint64_t *out, size_t room)
{
    size_t n = 0;
    for (size_t i = 0; n + 1 < room; i++) {
        const double real = (double)least * exp2((double)i / per_doubling);
        if (!(real < (double)most))
            break;
        const uint64_t whole = (uint64_t)llround(real);
        if (n == 0 || whole > out[n - 1])
            out[n++] = whole;
    }
    if (n == 0 || out[n - 1] < most)
        out[n++] = most;
    return n;
}

static sinpos_status refuse_start(struct figure *figure, const struct figure_request *request, uint64_t most)
{
    if (request->positions[0] != 0 || request->step != 1 || request->rows->n < 2 || request->rows->n > most)
        return figure_refuse(figure, "the positions must be 0, 1, ..., and 2 to %llu of them",
                             (unsigned long long)most);
    return SINPOS_OK;
}

/* ---------------------------------------------------------------------------------------------------- error */

static void label_error(struct figure *figure, const struct figure_request *request)
{
    figure->x.is_log = figure->y.is_log = true;
    figure->y.low = 1e-8;
    figure->y.high = 4;
    figure->legend_below = true;
    figure_mark_add(figure, MARK_HORIZONTAL, 0.62, 0x1p-9, "half a unit of bfloat16 below 1");
    figure_mark_add(figure, MARK_HORIZONTAL, 0.99, 0x1p-25, "exact, rounded once to float32");
    figure->marks[0].colour = 7;
    figure->marks[1].colour = 6;
    FIGURE_TEXT(figure->title, "Largest error of the cosine over all positions below P");
    FIGURE_TEXT(figure->subtitle, "%s", WORDS_OF(request));
    FIGURE_TEXT(figure->columns_note, "P (positions); the largest |error of the cosine| over all positions below P and "
                                      "all tones (absolute), for each way of computing the angle");
    figure_axes(figure, "P, number of positions", "largest error of the cosine");
}

/* With the best known of those who do so. */
static const char *const recipe_labels[SINPOS_N_RECIPES] = {
    [SINPOS_RECIPE_F32_POW] = "float32 pow (Llama)",
    [SINPOS_RECIPE_F32_EXP] = "float32 exp (fairseq)",
    [SINPOS_RECIPE_F32_RATIO_POW] = "float32 ratio, pow (ggml, CUDA)",
    [SINPOS_RECIPE_F32_REPEATED] = "float32 ratio, product (ggml)",
    [SINPOS_RECIPE_F32_THETA] = "float32 theta",
    [SINPOS_RECIPE_F16_THETA] = "float16 theta",
    [SINPOS_RECIPE_BF16_THETA] = "bfloat16 theta",
    [SINPOS_RECIPE_BF16_POSITIONS] = "bfloat16 positions",
};

sinpos_status figure_error(struct figure *figure, const struct figure_request *request)
{
    uint64_t below[LENGTHS_MOST];
    size_t applies[SINPOS_N_RECIPES], n = 0;
    sinpos_status status = refuse_start(figure, request, SEPARATION_MOST);
    if (status != SINPOS_OK)
        return status;
    const bool is_geometric = request->spec->schedule == SINPOS_GEOMETRIC && request->spec->n_factor == 0;
    for (size_t i = 0; i < SINPOS_N_RECIPES; i++)
        if (is_geometric ? i != SINPOS_RECIPE_F32_THETA : i >= SINPOS_RECIPE_F32_THETA)
            applies[n++] = i;
    const size_t n_below = spread(2, request->rows->n, 24, below, LENGTHS_MOST);
    status = figure_lines(figure, n_below, n + 1);
    for (size_t j = 0; status == SINPOS_OK && j < n; j++) {
        const sinpos_recipe recipe = (sinpos_recipe)applies[j];
        status = sinpos_recipe_errors(request->spec, recipe, below, n_below, figure->columns[1 + j].values,
                                      request->threads, request->progress, request->progress_context);
        figure_column_name(figure, 1 + j, "%s", sinpos_recipe_name(recipe));
        figure_series_add(figure, 1 + j, "%s", recipe_labels[recipe]);
    }
    figure_column_name(figure, 0, "positions");
    for (size_t i = 0; status == SINPOS_OK && i < n_below; i++)
        figure->columns[0].values[i] = (double)below[i];
    label_error(figure, request);
    return status;
}

/* ----------------------------------------------------------------------------------------------- separation */

/* From so many positions on the smallest distance of two of them is this, up to the next step. */
struct step {
    uint64_t positions;
    double least;
};

struct steps {
    struct step *list;
    size_t n, room;
};

static sinpos_status add_step(struct steps *steps, uint64_t positions, double least)
{
    if (steps->n == steps->room) {
        const size_t room = steps->room == 0 ? 64 : 2 * steps->room;
        struct step *list = realloc(steps->list, room * sizeof *list);
        if (list == NULL)
            return SINPOS_E_MEMORY;
        steps->list = list;
        steps->room = room;
    }
    steps->list[steps->n++] = (struct step){positions, least};
    return SINPOS_OK;
}

/* Offsets from 1 on, up to length - 1, each compared with the nearest before it. */
static sinpos_status find_steps(struct steps *steps, const sinpos_plan *plan, uint64_t length, size_t threads)
{
    OWNED double *block = calloc(BLOCK, sizeof *block);
    double least = INFINITY;
    sinpos_status status = block == NULL ? SINPOS_E_MEMORY : SINPOS_OK;
    for (uint64_t next = 1; status == SINPOS_OK && next < length; next += BLOCK) {
        const size_t count = length - next < BLOCK ? (size_t)(length - next) : BLOCK;
        const sinpos_rows offsets = {.struct_size = sizeof offsets, .n = count, .first = (int64_t)next};
        status = sinpos_distance_values(plan, &offsets, block, threads);
        for (size_t j = 0; status == SINPOS_OK && j < count; j++) {
            if (block[j] < least || steps->n == 0) {
                least = block[j];
                status = add_step(steps, next + j + 1, least);
            }
        }
    }
    return status;
}

static int compare_lengths(const void *a, const void *b)
{
    const uint64_t first = *(const uint64_t *)a, second = *(const uint64_t *)b;
    return (first > second) - (first < second);
}

/* Some lengths in equal ratios, and all at which a curve steps down, ascending and no two alike. Returns how many. */
static size_t choose_lengths(const struct steps *steps, size_t n_dims, uint64_t most, uint64_t **out)
{
    size_t n = LENGTHS_MOST, used = 1;
    for (size_t j = 0; j < n_dims; j++)
        n += steps[j].n;
    uint64_t *all = calloc(n, sizeof *all);
    *out = all;
    if (all == NULL)
        return 0;
    n = spread(2, most, 8, all, LENGTHS_MOST);
    for (size_t j = 0; j < n_dims; j++)
        for (size_t i = 0; i < steps[j].n; i++)
            all[n++] = steps[j].list[i].positions;
    qsort(all, n, sizeof *all, compare_lengths);
    for (size_t i = 1; i < n; i++)
        if (all[i] > all[used - 1])
            all[used++] = all[i];
    return used;
}

static void fill_steps(double *out, const uint64_t *lengths, size_t n, const struct steps *steps)
{
    size_t at = 0;
    for (size_t i = 0; i < n; i++) {
        while (at + 1 < steps->n && steps->list[at + 1].positions <= lengths[i])
            at++;
        out[i] = steps->list[at].least;
    }
}

/* The dim asked for, and up to DIMS - 1 around it where the frequencies are a formula. */
static size_t choose_dims(const sinpos_spec *spec, size_t dims[DIMS])
{
    const bool is_formula = spec->schedule != SINPOS_TURNS && spec->schedule != SINPOS_EXPLICIT && spec->n_factor == 0;
    size_t n = 0;
    for (int shift = -2; shift <= 2; shift++) {
        const size_t dim = shift < 0 ? spec->dim >> -shift : spec->dim << shift;
        if (shift == 0 || (is_formula && dim >= 2 && dim % 2 == 0))
            dims[n++] = dim;
    }
    return n;
}

/* A distance of 0 has no place on a log axis: the legend says from where on rows are equal. */
static struct figure_series *add_separation(struct figure *figure, size_t column, size_t dim, const struct steps *steps)
{
    const struct step *last = &steps->list[steps->n - 1];
    if (last->least == 0) {
        return figure_series_add(figure, column, "dim %zu: equal rows from n = %llu on", dim,
                                 (unsigned long long)last->positions);
    }
    return figure_series_add(figure, column, "dim %zu", dim);
}

static bool has_equal_rows(const struct figure *figure)
{
    for (size_t j = 1; j < figure->n_columns; j++)
        if (figure->columns[j].values[figure->n_rows - 1] == 0)
            return true;
    return false;
}

static void label_separation(struct figure *figure, const struct figure_request *request)
{
    char words[FIGURE_TITLE];
    sinpos_spec spec = *request->spec;
    double low, high;
    figure->x.is_log = figure->y.is_log = true;
    figure->legend_low = figure->legend_left = !has_equal_rows(figure);
    if (has_equal_rows(figure)) { /* room below for the step to 0 */
        figure_range_y(figure, &low, &high);
        figure->y.low = low / 4;
    }
    figure_column_name(figure, 0, "positions");
    FIGURE_TEXT(figure->title, "Smallest distance of two positions below n");
    const char *rest = strstr(encoding_words(&spec, words), ", ");
    FIGURE_TEXT(figure->subtitle, "%s; exact rows", rest == NULL ? "" : rest + 2);
    FIGURE_TEXT(figure->columns_note, "n (positions); the smallest Euclidean distance of two different positions below "
                                      "n (pure number), for each dim");
    figure_axes(figure, "n, number of positions", "smallest distance");
}

static sinpos_status find_all_steps(struct steps *steps, const size_t *dims, size_t n,
                                    const struct figure_request *request)
{
    sinpos_status status = SINPOS_OK;
    for (size_t j = 0; status == SINPOS_OK && j < n; j++) {
        sinpos_spec spec = *request->spec;
        OWNED_PLAN sinpos_plan *plan = NULL;
        spec.dim = dims[j];
        status = sinpos_plan_create(&plan, &spec);
        if (status == SINPOS_OK)
            status = find_steps(&steps[j], plan, request->rows->n, request->threads);
    }
    return status;
}

static sinpos_status draw_steps(struct figure *figure, const struct steps *steps, const size_t *dims, size_t n,
                                const struct figure_request *request)
{
    OWNED uint64_t *lengths = NULL;
    const size_t n_lengths = choose_lengths(steps, n, request->rows->n, &lengths);
    const sinpos_status status = lengths == NULL ? SINPOS_E_MEMORY : figure_lines(figure, n_lengths, n + 1);
    for (size_t i = 0; status == SINPOS_OK && i < n_lengths; i++)
        figure->columns[0].values[i] = (double)lengths[i];
    for (size_t j = 0; status == SINPOS_OK && j < n; j++) {
        fill_steps(figure->columns[1 + j].values, lengths, n_lengths, &steps[j]);
        figure_column_name(figure, 1 + j, "dim %zu", dims[j]);
        struct figure_series *series = add_separation(figure, 1 + j, dims[j], &steps[j]);
        series->is_thick = dims[j] == request->spec->dim;
        series->is_steps = true;
    }
    return status;
}

sinpos_status figure_separation(struct figure *figure, const struct figure_request *request)
{
    size_t dims[DIMS];
    struct steps steps[DIMS] = {{.list = NULL}};
    sinpos_status status = refuse_start(figure, request, SEPARATION_MOST);
    if (status != SINPOS_OK)
        return status;
    const size_t n = choose_dims(request->spec, dims);
    status = find_all_steps(steps, dims, n, request);
    status = status == SINPOS_OK ? draw_steps(figure, steps, dims, n, request) : status;
    for (size_t j = 0; j < n; j++)
        free(steps[j].list);
    if (status == SINPOS_OK)
        label_separation(figure, request);
    return status;
}

/* ---------------------------------------------------------------------------------------------------- base */

/* min over k < L of g(k) / g(0). */
static sinpos_status least_g(const sinpos_plan *plan, size_t context, double *block, double *least, size_t threads)
{
    double at_zero = 0;
    *least = INFINITY;
    for (size_t first = 0; first < context; first += BLOCK) {
        const size_t n = context - first < BLOCK ? context - first : BLOCK;
        const sinpos_rows offsets = {.struct_size = sizeof offsets, .n = n, .first = (int64_t)first};
        const sinpos_status status = sinpos_kernel_values(plan, &offsets, block, threads);
        if (status != SINPOS_OK)
            return status;
        at_zero = first == 0 ? block[0] : at_zero;
        for (size_t i = 0; i < n; i++)
            *least = block[i] < *least ? block[i] : *least;
    }
    *least = at_zero > 0 ? *least / at_zero : 0;
    return SINPOS_OK;
}

/* The smallest base that passes, known or by search, not by the grid; NAN where that takes long or does not apply. */
static sinpos_status smallest_good(const struct figure_request *request, double *base)
{
    if (request->smallest_base > 0) {
        *base = request->smallest_base;
        return SINPOS_OK;
    }
    const sinpos_spec *spec = request->spec;
    const size_t n_tones = spec->dim / 2;
    const sinpos_base_query query = {
        .context = request->context,
        .n_tones = n_tones,
        .shift = spec->shift,
        .divisor = spec->divisor != 0 ? spec->divisor : (double)spec->dim / 2,
        .scale = spec->scale,
    };
    RELEASED_BY(sinpos_base_free) sinpos_base_certificate found = {0};
    const bool is_quick = request->context <= SEARCH_MOST / (n_tones + 1) && spec->dim % 2 == 0;
    *base = NAN;
    if (!is_quick || spec->base_divisor != 1 || spec->n_factor > 0 || sinpos_base_begin(&found, &query) != SINPOS_OK)
        return SINPOS_OK;
    const sinpos_status status = sinpos_base_search(&found, request->threads, NULL, NULL);
    if (status == SINPOS_OK && found.outcome == SINPOS_BASE_FOUND)
        *base = found.base_upper;
    return status == SINPOS_E_MEMORY ? status : SINPOS_OK;
}

static void label_base(struct figure *figure, const struct figure_request *request, double first_good, double smallest)
{
    char words[FIGURE_TITLE];
    figure_column_name(figure, 0, "base");
    figure_column_name(figure, 1, "least g");
    figure_column_name(figure, 2, "good");
    figure_column_name(figure, 3, "zero");
    struct figure_series *good = figure_series_add(figure, 2, "good: g(k) ≥ 0 for all k < %zu", request->context);
    good->style = SERIES_BAND;
    good->colour = 2;
    figure_series_add(figure, 1, "least g(k) / g(0) over k < %zu", request->context)->colour = 0;
    figure->x.is_log = true;
    figure->legend_left = true;
    figure_mark_add(figure, MARK_HORIZONTAL, 0, 0, "%s", "");
    figure->marks[0].colour = 6;
    if (isfinite(smallest)) {
        figure_mark_add(figure, MARK_VERTICAL, smallest, 0, "smallest good base: %.8g", smallest);
        figure->marks[1].colour = 1;
    } else if (isfinite(first_good)) {
        figure_mark_add(figure, MARK_VERTICAL, first_good, 0, "first good one drawn: %.0f", first_good);
        figure->marks[1].colour = 1;
    }
    const char *rest = strstr(encoding_words(request->spec, words), ", base ");
    rest = rest == NULL ? "" : strstr(rest + 1, ", ");
    FIGURE_TEXT(figure->title, "Good and bad bases for a context of %zu", request->context);
    FIGURE_TEXT(figure->subtitle, "dim %zu%s; %zu bases, islands between them stay unseen", request->spec->dim,
                rest == NULL ? "" : rest, figure->n_rows);
    FIGURE_TEXT(figure->columns_note,
                "base; least g(k)/g(0) over 0 <= k < %zu (pure number); the same where it is not negative; zero",
                request->context);
    figure_axes(figure, "base b", "least g(k) / g(0)");
}

static sinpos_status refuse_base(struct figure *figure, const struct figure_request *request)
{
    if (request->spec->schedule != SINPOS_GEOMETRIC)
        return figure_refuse(figure, "only a geometric schedule has a base");
    if (request->context < 2 || request->context > CONTEXT_MOST)
        return figure_refuse(figure, "the context must be 2 to %d", CONTEXT_MOST);
    return SINPOS_OK;
}

/* As many bases as some seconds allow. */
static size_t how_many_bases(const struct figure_request *request)
{
    const double n = 4e8 / ((double)request->context * (double)request->spec->dim);
    return n > BASES ? BASES : n < 60 ? 60 : (size_t)n;
}

/*
 * Bases in equal ratios around the context, ascending; beside the smallest good one it has many, as far as to the next
 * on both sides, so that the curve shows the island on which it lies.
 */
static sinpos_status choose_bases(const struct figure_request *request, size_t n, double smallest, double *out)
{
    double low = (double)request->context / 16, high = (double)request->context * 1024;
    if (isfinite(smallest)) {
        low = fmin(low, smallest / 4);
        high = fmax(high, smallest * 4);
    }
    sinpos_status status = equal_ratios(low, high, n - (isfinite(smallest) ? ISLAND : 0), out);
    if (status == SINPOS_OK && isfinite(smallest)) {
        const double ratio = out[1] / out[0];
        double *island = out + n - ISLAND;
        status = equal_ratios(smallest / ratio, smallest * ratio, ISLAND - 1, island);
        island[ISLAND - 1] = smallest;
        qsort(out, n, sizeof *out, compare_doubles);
    }
    return status;
}

static sinpos_status fill_base(struct figure *figure, const struct figure_request *request, double *first_good)
{
    const double *bases = figure->columns[0].values;
    OWNED double *block = calloc(BLOCK, sizeof *block);
    sinpos_status status = block == NULL ? SINPOS_E_MEMORY : SINPOS_OK;
    *first_good = INFINITY;
    for (size_t i = 0; status == SINPOS_OK && i < figure->n_rows; i++) {
        sinpos_spec spec = *request->spec;
        OWNED_PLAN sinpos_plan *plan = NULL;
        double least = 0;
        spec.base = bases[i] * spec.base_divisor;
        status = sinpos_plan_create(&plan, &spec);
        if (status != SINPOS_OK)
            break;
        status = least_g(plan, request->context, block, &least, request->threads);
        figure->columns[1].values[i] = least;
        figure->columns[2].values[i] = least >= 0 ? least : 0;
        *first_good = least >= 0 ? fmin(*first_good, bases[i]) : *first_good;
        if (request->progress != NULL &&
            request->progress(request->progress_context, (double)(i + 1) / (double)figure->n_rows) != 0)
            status = SINPOS_E_STOPPED;
    }
    return status;
}

sinpos_status figure_base(struct figure *figure, const struct figure_request *request)
{
    double first_good = INFINITY, smallest = NAN;
    sinpos_status status = refuse_base(figure, request);
    status = status == SINPOS_OK ? smallest_good(request, &smallest) : status;
    if (status != SINPOS_OK)
        return status;
    const size_t n = how_many_bases(request) + (isfinite(smallest) ? ISLAND : 0);
    status = figure_lines(figure, n, 4);
    status = status == SINPOS_OK ? choose_bases(request, n, smallest, figure->columns[0].values) : status;
    status = status == SINPOS_OK ? fill_base(figure, request, &first_good) : status;
    if (status == SINPOS_OK)
        label_base(figure, request, first_good, smallest);
    return status;
}
