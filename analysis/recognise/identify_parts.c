/*
 * identify_parts.c - explanations against each other, and parts of an array as tables of their own.
 *
 * Of two explanations that cover as much of the array the simpler one is kept.
 */
#include "identify_mend.h"

/* Errors beyond this part of the amplitude, that no arithmetic makes, are not explained. */
#define FAR_OFF 0.05

/* Part of the elements that an arithmetic makes that is right. */
#define SURE_SHARE 0.99

/*
 * An explanation must cover more than this part of an array: among six waves of a transform three are in proportion. Sines
 * and cosines of so many frequencies, all exact, are no chance.
 */
#define LEAST_COVERED 0.5
#define SURE_TONES 3
#define SURE_COVERED 0.2

/* As many lists and exceptions as this, which do not make every element, give way to what makes all. */
#define COMPLEX 4

/* A difference of what two explanations cover that decides. */
#define COVERS_MORE 0.02

/* ----------------------------------------------------------------------------------------- explanations */

static double elements_of(const sinpos_identity *identity)
{
    return (double)identity->n * (double)identity->dim;
}

/* Elements that are explained, of this part and of the others. */
static double explained(const sinpos_identity *identity)
{
    double sum = 0;
    for (size_t i = 0; i < identity->n_others; i++)
        sum += explained(identity->others[i]);
    if (!identity->is_sinusoidal)
        return sum;
    const bool is_off = identity->total.max_abs_error > FAR_OFF * identity->amplitude && identity->noise == 0 &&
                        (identity->arithmetic[0] == '\0' || identity->arithmetic_share < SURE_SHARE);
    const double compared = fmax(1, (double)identity->total.elements);
    const double off = is_off ? (double)identity->total.wrong : (double)identity->n_altered;
    const double unknown = (double)identity->n * (double)identity->n_unknown;
    return sum + fmax(0, elements_of(identity) * (1 - fmin(1, off / compared)) - unknown);
}

/* Coordinates that have the frequencies and positions of one before: copies of its columns. */
static size_t count_copied_axes(const sinpos_identity *identity)
{
    size_t n = 0;
    for (size_t a = 1; a < identity->n_axes; a++) {
        bool is_copy = false;
        for (size_t b = 0; b < a && !is_copy; b++) {
            const sinpos_identity_axis *one = &identity->axis[a], *other = &identity->axis[b];
            is_copy = one->n_frequencies == other->n_frequencies &&
                      (one->n_frequencies == 0 ||
                       memcmp(one->theta, other->theta, one->n_frequencies * sizeof *one->theta) == 0);
            for (size_t i = 0; i < identity->n && is_copy; i++)
                is_copy = id_position(identity, i, a) == id_position(identity, i, b);
        }
        n += is_copy;
    }
    return n;
}

/* Lists and exceptions that the explanation needs. */
size_t id_complexity(const sinpos_identity *identity)
{
    const sinpos_identity_axis *axis = &identity->axis[0];
    const bool is_list =
        identity->n_axes == 1 && axis->law == SINPOS_LAW_LIST && identity->scaling == SINPOS_SCALING_NONE;
    const size_t line = identity->dim < identity->rows_compared ? identity->dim : identity->rows_compared;
    const bool is_altered = 2 * identity->n_altered > line; /* as many as half of a row or a column */
    size_t n = 4 * is_list + 4 * (identity->positions != NULL) + 8 * (identity->noise > 0) + 2 * is_altered;
    n += 4 * count_copied_axes(identity) + (identity->nest == SINPOS_NEST_PERMUTED) +
         (identity->column_factor != NULL) + (identity->dropped > 0);
    for (size_t i = 0; i < identity->n_others; i++)
        n += identity->others[i]->is_copy ? 0 : 1 + id_complexity(identity->others[i]);
    return n + (identity->columns != NULL) + 2 * (identity->n_unknown > 0);
}

bool id_is_plain(const sinpos_identity *identity)
{
    return identity->is_sinusoidal && id_complexity(identity) == 0 && explained(identity) == elements_of(identity);
}

/* The same, of elements that were dropped, columns that were negated, and a constant. */
bool id_is_undone(const sinpos_identity *identity)
{
    const size_t n = (identity->column_factor != NULL) + (identity->dropped > 0);
    return identity->is_sinusoidal && id_complexity(identity) == n && !id_has_levels(identity) &&
           explained(identity) == elements_of(identity);
}

/*
 * Every element, by one formula, of positions that may be listed, or by a convention of positions that are not: nothing is
 * to be mended.
 */
bool id_is_exact(const sinpos_identity *identity)
{
    const bool is_formula = identity->n_axes == 1 && identity->axis[0].law == SINPOS_LAW_GEOMETRIC;
    const bool is_named = identity->n_conventions > 0 && identity->positions == NULL;
    return identity->is_sinusoidal && identity->total.wrong == 0 && (is_formula || is_named) &&
           explained(identity) == elements_of(identity);
}

bool id_is_covered(const sinpos_identity *identity, const id_view *view)
{
    return identity->is_sinusoidal && explained(identity) >= (1 - COVERS_MORE) * (double)view->n * (double)view->dim;
}

bool id_is_made(const sinpos_identity *identity)
{
    bool is = identity->total.wrong == 0 || (identity->arithmetic[0] != '\0' && identity->arithmetic_share == 1);
    for (size_t i = 0; i < identity->n_others; i++)
        is = is && id_is_made(identity->others[i]);
    return is && identity->is_sinusoidal && identity->noise == 0;
}

bool id_is_near(const sinpos_identity *identity)
{
    return identity->is_sinusoidal && !id_is_made(identity) && identity->noise == 0 &&
           2 * identity->total.wrong > identity->total.elements &&
           (identity->arithmetic[0] == '\0' || identity->arithmetic_share < SURE_SHARE);
}

/* All elements of a formula's sines and cosines. */
static bool is_sure(const sinpos_identity *identity)
{
    size_t n = 0;
    for (size_t k = 0; k < identity->n_tones; k++)
        n += identity->sin_column[k] != SINPOS_NO_COLUMN && identity->cos_column[k] != SINPOS_NO_COLUMN;
    return id_is_made(identity) && identity->dropped == 0 && n >= SURE_TONES && n == identity->n_tones &&
           identity->axis[0].law == SINPOS_LAW_GEOMETRIC;
}

/* Keeps the better one, if it covers so large a part, and frees the other. */
static void choose(sinpos_identity **identity, sinpos_identity *other, double all, double least)
{
    const double more = (explained(other) - explained(*identity)) / all;
    const bool is_list = id_complexity(*identity) >= COMPLEX && !id_is_made(*identity);
    const bool is_simpler =
        id_complexity(other) < id_complexity(*identity) || ((is_list || id_is_near(*identity)) && id_is_made(other));
    const bool covers = other->is_sinusoidal && explained(other) > least * all;
    const bool is_better =
        covers && (!(*identity)->is_sinusoidal || more > COVERS_MORE || (more > -COVERS_MORE && is_simpler));
    sinpos_identity_destroy(is_better ? *identity : other);
    *identity = is_better ? other : *identity;
}

void id_choose(sinpos_identity **identity, sinpos_identity *other, double all)
{
    choose(identity, other, all, LEAST_COVERED);
}

sinpos_status id_choose_if(sinpos_identity **identity, sinpos_identity *other, const id_view *view,
                           sinpos_status status)
{
    if (status == SINPOS_OK && other != NULL)
        id_choose(identity, other, (double)view->n * (double)view->dim);
    else
        sinpos_identity_destroy(other);
    return status;
}

sinpos_status id_choose_if_sure(sinpos_identity **identity, sinpos_identity *other, const id_view *view,
                                sinpos_status status)
{
    if (status == SINPOS_OK && other != NULL && is_sure(other))
        choose(identity, other, (double)view->n * (double)view->dim, SURE_COVERED);
    else
        return id_choose_if(identity, other, view, status);
    return SINPOS_OK;
}

/* ------------------------------------------------------------------------------------------------ parts */

static sinpos_status read_part(void *context, size_t first, size_t n, void *rows)
{
    const id_part *p = context;
    const size_t size = sinpos_type_bytes(p->view->type);
    char *row = malloc(p->view->dim * size), *to = rows;
    sinpos_status status = row == NULL ? SINPOS_E_MEMORY : SINPOS_OK;
    for (size_t i = 0; i < n && status == SINPOS_OK; i++) {
        status = id_view_read(p->view, p->first + first + i, 1, row);
        for (size_t j = 0; j < p->n_columns; j++, to += size)
            memcpy(to, row + p->columns[j] * size, size);
    }
    free(row);
    return status;
}

/* The columns of the array that are those of the part, and rows likewise. */
static sinpos_status place_part(sinpos_identity *identity, const id_part *p)
{
    size_t *columns = malloc(identity->dim * sizeof *columns);
    if (columns == NULL)
        return SINPOS_E_MEMORY;
    for (size_t j = 0; j < identity->dim; j++)
        columns[j] = p->columns[identity->columns == NULL ? j : identity->columns[j]];
    free(identity->columns);
    identity->columns = columns;
    size_t in_order = 0;
    while (in_order < identity->dim && columns[in_order] == in_order)
        in_order++;
    if (in_order == p->view->dim) {
        free(identity->columns);
        identity->columns = NULL;
    }
    identity->first_row += p->first;
    sinpos_status status = SINPOS_OK;
    for (size_t i = 0; i < identity->n_others && status == SINPOS_OK; i++)
        status = place_part(identity->others[i], p);
    return status;
}

sinpos_status id_identify_part(sinpos_identity **out, id_part *p, const id_way *way)
{
    const id_way own = {.all_rows = way->all_rows,
                        .n_threads = way->n_threads,
                        .depth = way->depth + 1,
                        .left = way->left,
                        .work = way->work,
                        .mend = way->mend};
    p->shape[0] = p->n;
    p->shape[1] = p->n_columns;
    p->table = (sinpos_table){2, p->shape, p->view->type, read_part, p};
    *out = NULL;
    if (p->n < 1 || p->n_columns < 2 || *way->left == 0)
        return SINPOS_OK;
    --*way->left;
    sinpos_status status = id_identify(out, &p->table, &own);
    status = status != SINPOS_OK ? status : way->mend(out, &p->table, &own);
    if (status != SINPOS_OK)
        return status;
    (*out)->is_sinusoidal = (*out)->is_sinusoidal && (*out)->view == SINPOS_VIEW_ROWS;
    return (*out)->is_sinusoidal ? place_part(*out, p) : SINPOS_OK;
}

/* Takes what is an encoding in. */
sinpos_status id_join(sinpos_identity *identity, sinpos_identity *other)
{
    const size_t n = identity->n_others;
    if (other == NULL || !other->is_sinusoidal) {
        sinpos_identity_destroy(other);
        return SINPOS_OK;
    }
    sinpos_identity **others = realloc(identity->others, (n + 1 + other->n_others) * sizeof(sinpos_identity *));
    if (others == NULL) {
        sinpos_identity_destroy(other);
        return SINPOS_E_MEMORY;
    }
    identity->others = others;
    others[identity->n_others++] = other;
    for (size_t i = 0; i < other->n_others; i++)
        others[identity->n_others++] = other->others[i];
    other->n_others = 0;
    return SINPOS_OK;
}

double id_theta_of(const sinpos_identity *identity, bool slowest)
{
    const sinpos_identity_axis *axis = &identity->axis[0];
    return fabs(axis->theta[slowest ? axis->n_frequencies - 1 : 0]);
}

/*
 * Slow frequencies beside the fast ones of the same rows are no other encoding: they were slowed down, by a rule that was
 * not found. Then neither part is one.
 */
static bool is_continued(const sinpos_identity *identity, const sinpos_identity *other)
{
    return other != NULL && other->is_sinusoidal && other->columns != NULL && other->first_row == identity->first_row &&
           id_theta_of(other, false) < id_theta_of(identity, true);
}

/* The part is an encoding; so may be what is beside it. */
static sinpos_status add_part(sinpos_identity *identity, id_part *p, const id_way *way)
{
    sinpos_identity *other = NULL;
    if (p->n_columns < ID_LEAST_COLUMNS || p->n < ID_LEAST_ROWS)
        return SINPOS_OK;
    const sinpos_status status = id_identify_part(&other, p, way);
    if (status == SINPOS_OK && is_continued(identity, other))
        identity->is_sinusoidal = 0;
    else if (status == SINPOS_OK)
        return id_join(identity, other);
    sinpos_identity_destroy(other);
    return status;
}

/* ------------------------------------------------------------------------------------- columns and rows */

/* Some columns and rows as one table; then the other columns, and the rows before and after. */
sinpos_status id_mend_part(sinpos_identity **out, const bool *is_own, const id_view *view, size_t first, size_t last,
                           size_t *columns, const id_way *way)
{
    id_part own = {.view = view, .first = first, .n = last - first + 1, .columns = columns}, beside = own;
    id_part before = {.view = view, .n = first, .columns = columns + view->dim, .n_columns = view->dim}, after = before;
    sinpos_status status;
    for (size_t j = 0; j < view->dim; j++)
        if (is_own[j])
            columns[own.n_columns++] = j;
    beside.columns = columns + own.n_columns;
    for (size_t j = 0; j < view->dim; j++) {
        if (!is_own[j])
            beside.columns[beside.n_columns++] = j;
        before.columns[j] = j;
    }
    after.first = last + 1;
    after.n = view->n - last - 1;
    status = id_identify_part(out, &own, way);
    if (status != SINPOS_OK || *out == NULL || !(*out)->is_sinusoidal)
        return status;
    status = add_part(*out, &beside, way);
    status = status != SINPOS_OK ? status : add_part(*out, &before, way);
    return status != SINPOS_OK ? status : add_part(*out, &after, way);
}
