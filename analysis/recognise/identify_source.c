/*
 * identify_source.c - what no fit explains may be a table that the source of a convention makes by default: of the width
 * and length of the array, on the grid that its rows show.
 */
#include "elements.h"
#include "identify_mend.h"
#include "identify_trial.h"

/* Rows that are looked at for a grid, and elements of them. */
#define GRID_ROWS ((size_t)1 << 16)
#define GRID_ELEMENTS ((size_t)1 << 24)

/* Angles that code rounded make elements differ by so much. */
#define TOLERANCE 0x1p-7

/* Elements that are neither about 0 nor about 1 in size and come out near, of which each is some bits of evidence. */
#define LEAST_ELEMENTS 16

/* Rows that show which column is which tone, and how near. */
#define MATCHED_ROWS 8
#define MATCH_ERROR 1e-6

/* What is smaller has little that could speak for one convention. */
#define LEAST_ROWS 4
#define LEAST_COLUMNS 12

/* The squares of a row, by how much they differ in sum, relative, and per column. */
#define UNEVEN 0x1p-8
#define LEAST_LENGTH 0.125

/* Altered elements, of all. */
#define MOST_FAR 0.1

/* ------------------------------------------------------------------------------------------------------ grids */

/* How often the rows run through a grid: sizes, the slowest first. 1 axis: they need not. */
typedef struct grid {
    size_t n_axes, size[3];
} grid;

/* Part of the columns that stay after `before` rows and not after one that return after `rows`. */
static double returning(const char *data, const id_view *view, size_t before, size_t rows)
{
    const size_t size = sinpos_type_bytes(view->type), bytes = view->dim * size;
    size_t n = 0, same = 0;
    for (size_t j = 0; j < view->dim; j++) {
        const char *first = data + j * size;
        if (memcmp(first, first + before * bytes, size) == 0)
            continue;
        if (before > 1 && memcmp(first, first + bytes, size) != 0)
            continue;
        n++;
        same += memcmp(first, first + rows * bytes, size) == 0;
    }
    return n == 0 ? 0 : (double)same / (double)n;
}

/* The number of rows after which most columns that had changed after `step` are again what they were; 0 for none. */
static size_t find_period(const char *data, const id_view *view, size_t rows, size_t step)
{
    for (size_t at = 2 * step; at < rows; at += step)
        if (view->n % at == 0 && returning(data, view, step, at) > 0.5)
            return at;
    return 0;
}

static sinpos_status find_grids(const id_view *view, grid *grids, size_t *n)
{
    const size_t fit = GRID_ELEMENTS / view->dim, some = fit < GRID_ROWS ? fit : GRID_ROWS;
    const size_t rows = view->n < some ? view->n : some;
    *n = 0;
    grids[(*n)++] = (grid){1, {view->n}};
    if (rows < 4)
        return SINPOS_OK;
    char *data = malloc(rows * view->dim * sinpos_type_bytes(view->type));
    const sinpos_status status = data == NULL ? SINPOS_E_MEMORY : id_view_read(view, 0, rows, data);
    const size_t inner = status == SINPOS_OK ? find_period(data, view, rows, 1) : 0;
    const size_t middle = inner > 0 ? find_period(data, view, rows, inner) : 0;
    if (inner > 0) {
        grids[(*n)++] = (grid){2, {view->n / inner, inner}};
        grids[(*n)++] =
            middle > 0 ? (grid){3, {view->n / middle, middle / inner, inner}} : (grid){3, {1, view->n / inner, inner}};
    }
    free(data);
    return status;
}

/* Rows on the grid, as the parameters of conventions need them. */
static void take_grid(sinpos_identity *identity, const grid *own)
{
    const size_t pairs = identity->dim / (identity->view == SINPOS_VIEW_SIDE_BY_SIDE ? 4 : 2);
    size_t stride = identity->n;
    identity->n_axes = own->n_axes;
    for (size_t a = 0; a < own->n_axes; a++) {
        stride /= own->size[a];
        identity->axis[a] = (sinpos_identity_axis){.law = SINPOS_LAW_GEOMETRIC,
                                                   .n_frequencies = pairs / own->n_axes,
                                                   .scale = 1,
                                                   .base = 10000,
                                                   .divisor = (double)(pairs / own->n_axes),
                                                   .step = 1,
                                                   .size = own->n_axes > 1 ? own->size[a] : 0,
                                                   .stride = own->n_axes > 1 ? stride : 0};
    }
}

/* Sines and cosines of the same angles: rows are equally long, and not short. */
static sinpos_status has_even_rows(const id_view *view, bool *has)
{
    double *x = malloc((view->dim + 1) * sizeof *x), least = INFINITY, most = 0;
    sinpos_status status = x == NULL ? SINPOS_E_MEMORY : SINPOS_OK;
    for (size_t i = 0; i < ID_TRIAL_ROWS && status == SINPOS_OK; i++) {
        double sum = 0;
        status = id_read_row(view, id_trial_row(i, ID_TRIAL_ROWS, view->n), x);
        for (size_t j = 0; j < view->dim && status == SINPOS_OK; j++)
            sum += x[j] * x[j];
        least = fmin(least, sum);
        most = isfinite(sum) ? fmax(most, sum) : INFINITY;
    }
    free(x);
    *has = view->n >= LEAST_ROWS && view->dim >= LEAST_COLUMNS && most - least <= UNEVEN * most &&
           most >= LEAST_LENGTH * (double)view->dim;
    return status;
}

/* --------------------------------------------------------------------------------------------------- searching */

/* Of the convention: as the array lies? */
static bool may_fit(id_trial *s)
{
    const sinpos_convention *c = s->convention;
    const bool is_table = s->identity->view == SINPOS_VIEW_ROWS || s->identity->view == SINPOS_VIEW_CHANNEL_FIRST;
    const bool is_rotary = sinpos_convention_text(c, "pairing") != NULL;
    s->are_rotary = is_rotary && is_table && !id_is_literal(sinpos_convention_text(c, "output"), "table");
    return (is_rotary || is_table) && (sinpos_convention_text(c, "apart") == NULL || id_mask_of(c) != NULL);
}

/* The best one so far, by the errors that it leaves. */
typedef struct best {
    sinpos_encoding *encoding;
    const sinpos_convention *convention;
    grid grid;
    int cos_first;
    double sum;
} best;

/* Takes the encoding over where it is nearer than any before. */
static sinpos_status judge(id_trial *s, best *found, const grid *own)
{
    sinpos_parameters *parameters = NULL;
    sinpos_encoding *encoding = NULL;
    id_misses m = {0};
    sinpos_status status = sinpos_parameters_create(&parameters);
    status = status != SINPOS_OK ? status : id_trial_set(s, parameters);
    status = status != SINPOS_OK ? status
                                 : sinpos_encoding_create(&encoding, sinpos_convention_name(s->convention), parameters,
                                                          SINPOS_F64 | (unsigned)s->table->type, NULL);
    sinpos_parameters_destroy(parameters);
    const bool has_rows = status == SINPOS_OK && id_trial_has_view(s, encoding);
    s->identity->encoding = encoding;
    status = has_rows ? id_trial_misses(s, s->view, &m) : status;
    s->identity->encoding = NULL;
    const bool is_good = has_rows && (double)m.far <= MOST_FAR * (double)m.elements && m.varied >= LEAST_ELEMENTS;
    const bool is_better = found->encoding == NULL || m.sum < found->sum ||
                           (m.sum == found->sum && sinpos_encoding_info_get(encoding)->n_axes == own->n_axes &&
                            found->grid.n_axes != own->n_axes);
    if (status == SINPOS_OK && is_good && is_better) {
        sinpos_encoding_destroy(found->encoding);
        *found = (best){encoding, s->convention, *own, s->identity->cos_first, m.sum};
    } else {
        sinpos_encoding_destroy(encoding);
    }
    return status == SINPOS_E_MEMORY ? status : SINPOS_OK;
}

static sinpos_status search_all(id_trial *s, best *found, const grid *own)
{
    sinpos_status status = id_ask(s->table);
    for (size_t i = 0; i < sinpos_conventions_count() && status == SINPOS_OK; i++) {
        bool fits = false;
        s->convention = sinpos_convention_at(i);
        if (may_fit(s) && id_trial_list(s))
            status = id_trial_run(s, &fits);
        status = status == SINPOS_OK && fits ? judge(s, found, own) : status;
    }
    return status;
}

/* -------------------------------------------------------------------------------------------------- writing down */

/* Positions of the convention: on the grid that was seen, or listed. */
static sinpos_status take_positions(sinpos_identity *identity, const grid *own)
{
    const size_t n = identity->n, axes = sinpos_encoding_info_get(identity->encoding)->n_axes;
    double *p = malloc((n * axes + 1) * sizeof *p);
    sinpos_status status = p == NULL ? SINPOS_E_MEMORY : sinpos_encoding_coordinates(identity->encoding, 0, n, p);
    bool is_grid = status == SINPOS_OK && own->n_axes == axes;
    size_t stride = n;
    for (size_t a = 0; a < axes && is_grid; a++) {
        sinpos_identity_axis *axis = &identity->axis[a];
        axis->size = axes > 1 ? own->size[a] : 0;
        axis->stride = axes > 1 ? stride /= own->size[a] : 0;
        axis->start = p[a];
        axis->step = axes == 1 ? (n > 1 ? p[1] - p[0] : 1) : own->size[a] > 1 ? p[axis->stride * axes + a] - p[a] : 0;
        for (size_t i = 0; i < n && is_grid; i++)
            is_grid = fabs(id_position(identity, i, a) - p[i * axes + a]) <= 1e-12 * (1 + fabs(p[i * axes + a]));
    }
    for (size_t a = 0; a < axes && !is_grid; a++)
        identity->axis[a].size = identity->axis[a].stride = 0;
    if (is_grid)
        free(p);
    else
        identity->positions = p;
    return status;
}

/* Position i of the plan on an axis. */
static double plan_position(const sinpos_rows *rows, size_t i, size_t axes, size_t axis)
{
    return rows->reals != NULL      ? rows->reals[i * axes + axis]
           : rows->integers != NULL ? (double)rows->integers[i * axes + axis]
                                    : (double)(rows->first + (int64_t)i);
}

/* Frequencies of the plan in the units of the convention's coordinates: by how far two rows are apart in both. */
static sinpos_status change_units(const sinpos_identity *identity, const sinpos_tone *list, double *theta, size_t n)
{
    sinpos_rows rows = SINPOS_ROWS_INIT;
    double factor[SINPOS_IDENTITY_AXES];
    const sinpos_status status = sinpos_encoding_positions(identity->encoding, 0, identity->n, &rows);
    for (size_t a = 0; a < identity->n_axes && status == SINPOS_OK; a++) {
        const double p = plan_position(&rows, 0, identity->n_axes, a), x = id_position(identity, 0, a);
        size_t i = 1;
        while (i < identity->n && id_position(identity, i, a) == x)
            i++;
        factor[a] = i < identity->n
                        ? (plan_position(&rows, i, identity->n_axes, a) - p) / (id_position(identity, i, a) - x)
                        : 1;
    }
    for (size_t k = 0; k < n && status == SINPOS_OK; k++)
        theta[k] *= factor[list[k].axis];
    return status;
}

/* Frequencies of each axis in the order of the tones; which tone is which of them. */
static bool take_frequencies(sinpos_identity *identity, const sinpos_tone *list, const double *theta, size_t n,
                             size_t *index)
{
    for (size_t k = 0; k < n; k++) {
        if (list[k].amplitude != list[0].amplitude)
            return false;
        sinpos_identity_axis *axis = &identity->axis[list[k].axis];
        index[k] = axis->n_frequencies;
        axis->theta[axis->n_frequencies++] = theta[k];
    }
    identity->amplitude = n > 0 ? list[0].amplitude : 1;
    return true;
}

/* Which tone, and which part of it, is column j? k or n + k; of several that which fewest columns are; 2 n for none. */
static size_t part_of(const sinpos_identity *identity, const double *rows, const double *waves, const size_t *times,
                      size_t n, size_t j)
{
    size_t found = 2 * n;
    for (size_t part = 0; part < 2 * n; part++) {
        double off = 0;
        for (size_t i = 0; i < MATCHED_ROWS && off <= MATCH_ERROR; i++)
            off = fmax(off, fabs(rows[i * identity->dim + j] - identity->amplitude * waves[i * 2 * n + part]));
        if (off <= MATCH_ERROR && (found == 2 * n || times[part] < times[found]))
            found = part;
    }
    return found;
}

/* Columns: a tone that several columns hold is there as often. False where one holds none. */
static sinpos_status take_columns(sinpos_identity *identity, const sinpos_tone *list, const double *theta, size_t n,
                                  const size_t *index, bool *is_known)
{
    const size_t dim = identity->dim, room = dim + 1;
    double *rows = malloc(MATCHED_ROWS * room * sizeof *rows),
           *waves = malloc(MATCHED_ROWS * (2 * n + 1) * sizeof *waves);
    size_t *times = calloc(2 * n + 1, sizeof *times);
    sinpos_status status = rows == NULL || waves == NULL || times == NULL ? SINPOS_E_MEMORY : SINPOS_OK;
    for (size_t i = 0; i < MATCHED_ROWS && status == SINPOS_OK; i++) {
        const size_t row = id_trial_row(i, MATCHED_ROWS, identity->n);
        status = sinpos_identity_rows_as_found(identity, row, 1, SINPOS_F64, rows + i * dim, 1);
        for (size_t k = 0; k < n; k++) {
            const double angle = theta[k] * id_position(identity, row, list[k].axis);
            waves[i * 2 * n + k] = sin(angle);
            waves[i * 2 * n + n + k] = cos(angle);
        }
    }
    identity->sin_column = malloc(room * sizeof *identity->sin_column);
    identity->cos_column = malloc(room * sizeof *identity->cos_column);
    identity->tone_axis = malloc(room * sizeof *identity->tone_axis);
    identity->tone_index = malloc(room * sizeof *identity->tone_index);
    if (identity->sin_column == NULL || identity->cos_column == NULL || identity->tone_axis == NULL ||
        identity->tone_index == NULL)
        status = SINPOS_E_MEMORY;
    *is_known = status == SINPOS_OK;
    for (size_t j = 0; j < dim && *is_known; j++) {
        const size_t part = part_of(identity, rows, waves, times, n, j), k = part % n, time = times[part]++;
        *is_known = part < 2 * n;
        size_t own = 0; /* the pair of this tone that has yet no such column */
        for (size_t seen = 0; own < identity->n_tones; own++) {
            const bool is_tone = identity->tone_axis[own] == list[k].axis && identity->tone_index[own] == index[k];
            if (is_tone && seen++ == time)
                break;
        }
        if (own == identity->n_tones && *is_known) {
            identity->sin_column[own] = identity->cos_column[own] = SINPOS_NO_COLUMN;
            identity->tone_axis[own] = list[k].axis;
            identity->tone_index[own] = index[k];
            identity->n_tones++;
        }
        if (*is_known)
            *(part < n ? &identity->sin_column[own] : &identity->cos_column[own]) = (ptrdiff_t)j;
    }
    free(rows);
    free(waves);
    free(times);
    return status;
}

/* What the plan of the convention says, in the words of an identity; false where these have none for it. */
static sinpos_status take_plan(sinpos_identity *identity, const grid *own, bool *is_known)
{
    const sinpos_encoding_info *info = sinpos_encoding_info_get(identity->encoding);
    const sinpos_plan *plan = sinpos_encoding_plan(identity->encoding);
    size_t n = 0;
    sinpos_status status = sinpos_plan_theta(plan, NULL, 0, &n);
    sinpos_tone *list = calloc(n + 1, sizeof *list);
    double *theta = malloc((n + 1) * sizeof *theta);
    size_t *index = malloc((n + 1) * sizeof *index);
    *is_known = n > 0 && info->n_axes <= SINPOS_IDENTITY_AXES && sinpos_plan_axes(plan) == info->n_axes &&
                info->n_positions == identity->n && info->n_raw_columns == 0 && info->n_zero_rows == 0;
    status = list == NULL || theta == NULL || index == NULL ? SINPOS_E_MEMORY : status;
    identity->n_axes = *is_known ? info->n_axes : 0;
    for (size_t a = 0; a < identity->n_axes && status == SINPOS_OK; a++) {
        identity->axis[a] = (sinpos_identity_axis){
            .law = SINPOS_LAW_LIST, .scale = 1, .step = 1, .theta = malloc((n + 1) * sizeof(double))};
        status = identity->axis[a].theta == NULL ? SINPOS_E_MEMORY : status;
    }
    if (status == SINPOS_OK && *is_known) {
        status = sinpos_plan_theta(plan, theta, n, &n);
        status = status != SINPOS_OK ? status : sinpos_plan_tones(plan, list, n, &n);
        status = status != SINPOS_OK ? status : take_positions(identity, own);
        status = status != SINPOS_OK ? status : change_units(identity, list, theta, n);
        *is_known = status == SINPOS_OK && take_frequencies(identity, list, theta, n, index);
    }
    if (status == SINPOS_OK && *is_known)
        status = take_columns(identity, list, theta, n, index, is_known);
    free(list);
    free(theta);
    free(index);
    identity->nest = SINPOS_NEST_PERMUTED;
    identity->width = identity->dim;
    return status == SINPOS_OK && *is_known ? id_plan_again(identity) : status;
}

/* Its own arithmetic, where elements are not the exact ones. */
static sinpos_status replay(id_trial *s)
{
    sinpos_parameters *parameters = NULL;
    if (s->identity->total.wrong == 0)
        return SINPOS_OK;
    sinpos_status status = sinpos_parameters_create(&parameters);
    status = status != SINPOS_OK ? status : id_trial_set(s, parameters);
    status = status != SINPOS_OK ? status : id_replay(s->identity, &s->identity->conventions[0], parameters, s->table);
    sinpos_parameters_destroy(parameters);
    return status;
}

/* The identity of the best one. */
static sinpos_status write_down(id_trial *s, best *found, const id_way *way, bool *is_known)
{
    sinpos_identity *identity = s->identity;
    id_facts facts;
    bool fits = false;
    take_grid(identity, &found->grid); /* as it was when it fitted */
    identity->cos_first = found->cos_first;
    s->convention = found->convention;
    id_facts_make(&facts, identity, s->table);
    s->facts = &facts;
    s->n_listed = 0;
    sinpos_status status = may_fit(s) && id_trial_list(s) ? id_trial_run(s, &fits) : SINPOS_OK;
    status = status == SINPOS_OK && fits ? id_trial_note(s) : status;
    *is_known = fits && status == SINPOS_OK;
    if (!*is_known)
        return status;
    identity->conventions[0].is_exact = 1;
    identity->encoding = found->encoding;
    found->encoding = NULL;
    identity->total = (sinpos_identity_errors){0};
    status = take_plan(identity, &found->grid, is_known);
    if (status != SINPOS_OK || !*is_known)
        return status;
    identity->is_sinusoidal = 1;
    status = id_verify(identity, s->view, way->all_rows, way->n_threads);
    identity->arithmetic = identity->total.wrong == 0 ? "exact: each element rounded once" : "";
    identity->arithmetic_share = 1;
    status = status != SINPOS_OK ? status : replay(s);
    return status != SINPOS_OK ? status : id_name_conventions(identity, s->table, s->view, true);
}

/* In one view of the array. */
static sinpos_status try_view(sinpos_identity **identity, const id_view *view, const id_way *way)
{
    id_facts facts;
    best found = {0};
    grid grids[3];
    size_t n_grids = 0;
    bool is_known = false;
    sinpos_identity *other = calloc(1, sizeof *other);
    id_trial *s = calloc(1, sizeof *s);
    sinpos_status status = other == NULL || s == NULL ? SINPOS_E_MEMORY : find_grids(view, grids, &n_grids);
    if (status == SINPOS_OK) {
        s->facts = &facts;
        s->identity = other;
        s->table = view->table;
        s->view = view;
        *other = (sinpos_identity){.type = view->type, .view = view->kind, .n = view->n, .dim = view->dim};
        other->rows_looked_at = view->n;
        other->bits = -(double)LEAST_ELEMENTS * log2(TOLERANCE);
        other->amplitude = 1;
        other->arithmetic = "";
        other->total = (sinpos_identity_errors){.elements = view->n * view->dim, .wrong = view->n * view->dim};
        s->tolerance = TOLERANCE;
        s->far = 4 * TOLERANCE;
        s->has_short = s->are_defaults = s->is_alone = true;
    }
    for (size_t g = 0; g < n_grids && status == SINPOS_OK; g++) {
        for (int cos_first = 0; cos_first < (view->kind == SINPOS_VIEW_SIDE_BY_SIDE ? 2 : 1); cos_first++) {
            take_grid(other, &grids[g]);
            other->cos_first = cos_first;
            id_facts_make(&facts, other, view->table);
            s->n_listed = 0;
            status = status != SINPOS_OK ? status : search_all(s, &found, &grids[g]);
        }
    }
    if (status == SINPOS_OK && found.encoding != NULL)
        status = write_down(s, &found, way, &is_known);
    sinpos_encoding_destroy(found.encoding);
    free(s);
    if (status == SINPOS_OK && is_known) {
        sinpos_identity_destroy(*identity);
        *identity = other;
    } else {
        sinpos_identity_destroy(other);
    }
    return status;
}

sinpos_status id_try_sources(sinpos_identity **identity, const sinpos_table *table, const id_way *way)
{
    sinpos_status status = SINPOS_OK;
    for (int kind = SINPOS_VIEW_ROWS; kind <= SINPOS_VIEW_CHANNEL_FIRST && status == SINPOS_OK; kind++) {
        id_view view = {0};
        bool is_possible = false;
        if ((*identity)->is_sinusoidal)
            break;
        status = id_view_make(&view, table, (sinpos_view)kind, &is_possible);
        if (status == SINPOS_OK && is_possible)
            status = has_even_rows(&view, &is_possible);
        if (status == SINPOS_OK && is_possible)
            status = try_view(identity, &view, way);
        free(view.data);
    }
    return status;
}
