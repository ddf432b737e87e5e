/* Figures of what an encoding can and cannot do: errors of common arithmetic, separation, bases. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "catalogue.h"

enum {
    DIMS = 5,
    LENGTHS_MOST = 200,
    SEPARATION_MOST = 10000000,
    BLOCK = 1 << 14,
    BASES = 600,
    CONTEXT_MOST = 1 << 20,
    SEARCH_MOST = 600000
};

/* Whole numbers from least to most, so many for each doubling and no two alike. Returns how many. */
static size_t spread(uint64_t least, uint64_t most, double per_doubling, uint64_t *out, size_t room)
{
    size_t n = 0;
    for (size_t i = 0; n + 1 < room; i++) {
        const double real = (double)least * exp2((double)i / per_doubling);
        if (!(real < (double)most)) {
            break;
        }
        const uint64_t whole = (uint64_t)llround(real);
        if (n == 0 || whole > out[n - 1]) {
            out[n++] = whole;
        }
    }
    if (n == 0 || out[n - 1] < most) {
        out[n++] = most;
    }
    return n;
}

static sinpos_status refuse_start(struct figure *figure, const struct figure_request *request, uint64_t most)
{
    if (request->positions[0] != 0 || request->step != 1 || request->rows->n < 2 || request->rows->n > most) {
        figure_text(figure->why, sizeof figure->why, "the positions must be 0, 1, ..., and 2 to %llu of them",
                    (unsigned long long)most);
        return SINPOS_E_VALUE;
    }
    return SINPOS_OK;
}

/* ---------------------------------------------------------------------------------------------------- error */

static void label_error(struct figure *figure, const struct figure_request *request)
{
    char words[FIGURE_TITLE];
    figure->x.is_log = figure->y.is_log = true;
    figure->y.low = 1e-8;
    figure->y.high = 4;
    figure->legend_below = true;
    figure_mark_add(figure, MARK_HORIZONTAL, 0.62, 0x1p-9, "half a unit of bfloat16 below 1");
    figure_mark_add(figure, MARK_HORIZONTAL, 0.99, 0x1p-25, "exact, rounded once to float32");
    figure->marks[0].colour = 7;
    figure->marks[1].colour = 6;
    figure_text(figure->title, sizeof figure->title, "Largest error of the cosine over all positions below P");
    figure_text(figure->subtitle, sizeof figure->subtitle, "%s", request_words(request, words));
    figure_text(
        figure->columns_note, sizeof figure->columns_note,
        "P (positions); the largest |error of the cosine| over all positions below P and all tones (absolute), for "
        "each way of computing the angle");
    figure_text(figure->x.label, sizeof figure->x.label, "P, number of positions");
    figure_text(figure->y.label, sizeof figure->y.label, "largest error of the cosine");
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
    if (status != SINPOS_OK) {
        return status;
    }
    const bool is_geometric = request->spec->schedule == SINPOS_GEOMETRIC && request->spec->n_factor == 0;
    for (size_t i = 0; i < SINPOS_N_RECIPES; i++) {
        if (is_geometric ? i != SINPOS_RECIPE_F32_THETA : i >= SINPOS_RECIPE_F32_THETA) {
            applies[n++] = i;
        }
    }
    const size_t n_below = spread(2, request->rows->n, 6, below, LENGTHS_MOST);
    status = figure_lines(figure, n_below, n + 1);
    for (size_t j = 0; status == SINPOS_OK && j < n; j++) {
        const sinpos_recipe recipe = (sinpos_recipe)applies[j];
        status = sinpos_recipe_errors(request->spec, recipe, below, n_below, figure->columns[1 + j].values,
                                      request->threads, request->progress, request->progress_context);
        figure_column_name(figure, 1 + j, "%s", sinpos_recipe_name(recipe));
        figure_series_add(figure, 1 + j, "%s", recipe_labels[recipe])->style =
            recipe == SINPOS_RECIPE_F32_EXP ? SERIES_DASHED : SERIES_LINE;
    }
    figure_column_name(figure, 0, "positions");
    for (size_t i = 0; status == SINPOS_OK && i < n_below; i++) {
        figure->columns[0].values[i] = (double)below[i];
    }
    label_error(figure, request);
    return status;
}

/* ----------------------------------------------------------------------------------------------- separation */

/* The smallest distance of offsets 1 .. length - 1 for each length, ascending. */
static sinpos_status smallest_distances(const sinpos_plan *plan, const uint64_t *lengths, size_t n, double *out,
                                        size_t threads)
{
    double *block = calloc(BLOCK, sizeof *block), least = INFINITY;
    sinpos_status status = block == NULL ? SINPOS_E_MEMORY : SINPOS_OK;
    uint64_t next = 1;
    for (size_t i = 0; status == SINPOS_OK && i < n; i++) {
        while (status == SINPOS_OK && next < lengths[i]) {
            const size_t count = lengths[i] - next < BLOCK ? (size_t)(lengths[i] - next) : BLOCK;
            const sinpos_rows offsets = {.struct_size = sizeof offsets, .n = count, .first = (int64_t)next};
            status = sinpos_distance_values(plan, &offsets, block, threads);
            for (size_t j = 0; status == SINPOS_OK && j < count; j++) {
                least = block[j] < least ? block[j] : least;
            }
            next += count;
        }
        out[i] = least;
    }
    free(block);
    return status;
}

/* The dim asked for, and up to DIMS - 1 around it where the frequencies are a formula. */
static size_t choose_dims(const sinpos_spec *spec, size_t dims[DIMS])
{
    const bool is_formula = spec->schedule != SINPOS_TURNS && spec->schedule != SINPOS_EXPLICIT && spec->n_factor == 0;
    size_t n = 0;
    for (int shift = -2; shift <= 2; shift++) {
        const size_t dim = shift < 0 ? spec->dim >> -shift : spec->dim << shift;
        if (shift == 0 || (is_formula && dim >= 2 && dim % 2 == 0)) {
            dims[n++] = dim;
        }
    }
    return n;
}

/* A distance of 0 has no place on a log axis: the legend tells from where on rows are equal. */
static struct figure_series *add_separation(struct figure *figure, size_t column, size_t dim, const uint64_t *lengths)
{
    const double *values = figure->columns[column].values;
    for (size_t i = 0; i < figure->n_rows; i++) {
        if (values[i] == 0) {
            return figure_series_add(figure, column, "dim %zu: equal rows from n = %llu on or before", dim,
                                     (unsigned long long)lengths[i]);
        }
    }
    return figure_series_add(figure, column, "dim %zu", dim);
}

static void label_separation(struct figure *figure, const struct figure_request *request)
{
    char words[FIGURE_TITLE];
    sinpos_spec spec = *request->spec;
    figure->x.is_log = figure->y.is_log = true;
    figure->legend_low = figure->legend_left = true;
    figure_column_name(figure, 0, "positions");
    figure_text(figure->title, sizeof figure->title, "Smallest distance of two positions below n");
    const char *rest = strstr(encoding_words(&spec, words), ", ");
    figure_text(figure->subtitle, sizeof figure->subtitle, "%s; exact rows", rest == NULL ? "" : rest + 2);
    figure_text(
        figure->columns_note, sizeof figure->columns_note,
        "n (positions); the smallest Euclidean distance of two different positions below n (pure number), for each "
        "dim");
    figure_text(figure->x.label, sizeof figure->x.label, "n, number of positions");
    figure_text(figure->y.label, sizeof figure->y.label, "smallest distance");
}

sinpos_status figure_separation(struct figure *figure, const struct figure_request *request)
{
    uint64_t lengths[LENGTHS_MOST];
    size_t dims[DIMS];
    sinpos_status status = refuse_start(figure, request, SEPARATION_MOST);
    if (status != SINPOS_OK) {
        return status;
    }
    const size_t n = choose_dims(request->spec, dims),
                 n_lengths = spread(2, request->rows->n, 8, lengths, LENGTHS_MOST);
    status = figure_lines(figure, n_lengths, n + 1);
    for (size_t j = 0; status == SINPOS_OK && j < n; j++) {
        sinpos_spec spec = *request->spec;
        sinpos_plan *plan;
        spec.dim = dims[j];
        status = sinpos_plan_create(&plan, &spec);
        if (status == SINPOS_OK) {
            status = smallest_distances(plan, lengths, n_lengths, figure->columns[1 + j].values, request->threads);
            sinpos_plan_destroy(plan);
        }
        figure_column_name(figure, 1 + j, "dim %zu", dims[j]);
        add_separation(figure, 1 + j, dims[j], lengths)->is_thick = dims[j] == request->spec->dim;
    }
    for (size_t i = 0; status == SINPOS_OK && i < n_lengths; i++) {
        figure->columns[0].values[i] = (double)lengths[i];
    }
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
        if (status != SINPOS_OK) {
            return status;
        }
        at_zero = first == 0 ? block[0] : at_zero;
        for (size_t i = 0; i < n; i++) {
            *least = block[i] < *least ? block[i] : *least;
        }
    }
    *least = at_zero > 0 ? *least / at_zero : 0;
    return SINPOS_OK;
}

/* The smallest base that passes, by search, not by the grid; NAN where that takes long or does not apply. */
static sinpos_status smallest_good(const struct figure_request *request, double *base)
{
    const sinpos_spec *spec = request->spec;
    const size_t n_tones = spec->dim / 2;
    const sinpos_base_query query = {
        .context = request->context,
        .n_tones = n_tones,
        .shift = spec->shift,
        .divisor = spec->divisor != 0 ? spec->divisor : (double)spec->dim / 2,
        .scale = spec->scale,
    };
    sinpos_base_certificate found;
    const bool is_quick = request->context <= SEARCH_MOST / (n_tones + 1) && spec->dim % 2 == 0;
    *base = NAN;
    if (!is_quick || spec->base_divisor != 1 || spec->n_factor > 0 || sinpos_base_begin(&found, &query) != SINPOS_OK) {
        return SINPOS_OK;
    }
    const sinpos_status status = sinpos_base_search(&found, request->threads, NULL, NULL);
    if (status == SINPOS_OK && found.outcome == SINPOS_BASE_FOUND) {
        *base = found.base_upper;
    }
    sinpos_base_free(&found);
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
        figure_mark_add(figure, MARK_VERTICAL, smallest, 0, "smallest good base: %.9g", smallest);
        figure->marks[1].colour = 1;
    } else if (isfinite(first_good)) {
        figure_mark_add(figure, MARK_VERTICAL, first_good, 0, "first good one drawn: %.0f", first_good);
        figure->marks[1].colour = 1;
    }
    const char *rest = strstr(encoding_words(request->spec, words), ", base ");
    rest = rest == NULL ? "" : strstr(rest + 1, ", ");
    figure_text(figure->title, sizeof figure->title, "Good and bad bases for a context of %zu", request->context);
    figure_text(figure->subtitle, sizeof figure->subtitle,
                "dim %zu%s; %zu bases in equal ratios, islands between them stay unseen", request->spec->dim,
                rest == NULL ? "" : rest, figure->n_rows);
    figure_text(figure->columns_note, sizeof figure->columns_note,
                "base; least g(k)/g(0) over 0 <= k < %zu (pure number); the same where it is not negative; zero",
                request->context);
    figure_text(figure->x.label, sizeof figure->x.label, "base b");
    figure_text(figure->y.label, sizeof figure->y.label, "least g(k) / g(0)");
}

static sinpos_status refuse_base(struct figure *figure, const struct figure_request *request)
{
    if (request->spec->schedule != SINPOS_GEOMETRIC) {
        figure_text(figure->why, sizeof figure->why, "only a geometric schedule has a base");
    } else if (request->context < 2 || request->context > CONTEXT_MOST) {
        figure_text(figure->why, sizeof figure->why, "the context must be 2 to %d", CONTEXT_MOST);
    } else {
        return SINPOS_OK;
    }
    return SINPOS_E_VALUE;
}

/* As many bases as some seconds allow. */
static size_t how_many_bases(const struct figure_request *request)
{
    const double n = 4e8 / ((double)request->context * (double)request->spec->dim);
    return n > BASES ? BASES : n < 60 ? 60 : (size_t)n;
}

sinpos_status figure_base(struct figure *figure, const struct figure_request *request)
{
    double first_good = INFINITY, smallest = NAN, *block = NULL;
    sinpos_status status = refuse_base(figure, request);
    if (status != SINPOS_OK) {
        return status;
    }
    const size_t n = how_many_bases(request);
    status = figure_lines(figure, n, 4);
    if (status == SINPOS_OK) {
        status =
            equal_ratios((double)request->context / 16, (double)request->context * 1024, n, figure->columns[0].values);
    }
    if (status == SINPOS_OK && (block = calloc(BLOCK, sizeof *block)) == NULL) {
        status = SINPOS_E_MEMORY;
    }
    for (size_t i = 0; status == SINPOS_OK && i < n; i++) {
        sinpos_spec spec = *request->spec;
        sinpos_plan *plan;
        double least = 0;
        spec.base = figure->columns[0].values[i] * spec.base_divisor;
        status = sinpos_plan_create(&plan, &spec);
        if (status != SINPOS_OK) {
            break;
        }
        status = least_g(plan, request->context, block, &least, request->threads);
        sinpos_plan_destroy(plan);
        figure->columns[1].values[i] = least;
        figure->columns[2].values[i] = least >= 0 ? least : 0;
        first_good = least >= 0 ? fmin(first_good, figure->columns[0].values[i]) : first_good;
        if (request->progress != NULL &&
            request->progress(request->progress_context, (double)(i + 1) / (double)n) != 0) {
            status = SINPOS_E_STOPPED;
        }
    }
    free(block);
    if (status == SINPOS_OK) {
        status = smallest_good(request, &smallest);
        label_base(figure, request, first_good, smallest);
    }
    return status;
}
