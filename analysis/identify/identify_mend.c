/*
 * identify_mend.c - encodings that something was done to, or that are part of an array.
 *
 * Where a table is no encoding, or one only by a list of exceptions, its columns are matched one by one. Columns and rows
 * that do not match are left out: the others are a table of their own, and so are they.
 */
#include "identify_mend.h"
#include "elements.h"

/* Part of the matched elements of a row that must be near. */
#define LEAST_NEAR 0.8

/* A frequency so many times that of the column before may be the first of another table. */
#define JUMP 4

/* Of frequencies that are one, and the part of those after a split that may be such. */
#define SAME_THETA 1e-3
#define MOST_SAME 0.6

/* Splits that are tried. */
#define MOST_SPLITS 6

/* Parts that are looked at for what lies on circles, beyond what other proposals take. */
#define MOST_IN_CIRCLES 6

/* Signs by slow tones that are tried. */
#define MOST_SIGNS 3

/* Columns that are negated are looked for so often. */
#define MOST_SIGN_ROUNDS 3

/* ------------------------------------------------------------------------------------------------- rows */

typedef struct judge {
    const id_match *match;
    const id_view *view;
    void *raw;
    double *x;
} judge;

/* Does the row hold what was matched? Rows of zeros are padding. */
static sinpos_status is_row_near(const judge *g, size_t row, bool *is_near)
{
    const sinpos_status status = id_view_read(g->view, row, 1, g->raw);
    bool is_zero = true;
    if (status != SINPOS_OK)
        return status;
    widen(g->x, g->raw, g->view->type, g->view->dim);
    for (size_t j = 0; j < g->view->dim; j++)
        is_zero = is_zero && g->x[j] == 0;
    *is_near = is_zero || id_match_row(g->match, g->x, row) >= LEAST_NEAR;
    return SINPOS_OK;
}

/* The last row that is near, from `near`, which is, towards `far`. */
static sinpos_status find_end(const judge *g, size_t near, size_t far, size_t *end)
{
    bool is_near = false;
    sinpos_status status = is_row_near(g, far, &is_near);
    near = is_near ? far : near;
    while (status == SINPOS_OK && near != far && near + 1 != far && far + 1 != near) {
        const size_t at = far > near ? near + (far - near) / 2 : near - (near - far) / 2;
        status = is_row_near(g, at, &is_near);
        if (is_near)
            near = at;
        else
            far = at;
    }
    *end = near;
    return status;
}

static sinpos_status find_rows(const id_match *match, const id_view *view, size_t *first, size_t *last)
{
    judge g = {match, view, malloc(view->dim * sizeof(double)), malloc(view->dim * sizeof(double))};
    sinpos_status status = g.raw == NULL || g.x == NULL ? SINPOS_E_MEMORY : SINPOS_OK;
    status = status != SINPOS_OK ? status : find_end(&g, match->first_row + match->n_rows / 2, 0, first);
    status = status != SINPOS_OK ? status : find_end(&g, match->first_row + match->n_rows / 2, view->n - 1, last);
    free(g.raw);
    free(g.x);
    return status;
}

/* ---------------------------------------------------------------------------------------------- mending */

static size_t count_pairs(const sinpos_identity *identity)
{
    size_t n = 0;
    for (size_t k = 0; k < identity->n_tones; k++)
        n += identity->sin_column[k] != SINPOS_NO_COLUMN && identity->cos_column[k] != SINPOS_NO_COLUMN;
    return n;
}

/* Sines and cosines of the same frequencies are one table, not two. */
static bool are_halves(const sinpos_identity *one, const sinpos_identity *other)
{
    const bool is_same = fabs(id_theta_of(one, false) - id_theta_of(other, false)) <= 1e-3 * id_theta_of(one, false) &&
                         fabs(id_theta_of(one, true) - id_theta_of(other, true)) <= 0.1 * id_theta_of(one, true);
    return is_same && (count_pairs(one) == 0 || count_pairs(other) == 0);
}

/* Two tables side by side, split before a column. */
static sinpos_status try_split(sinpos_identity **identity, const id_view *view, size_t at, size_t *columns,
                               const id_way *way)
{
    id_part left = {.view = view, .n = view->n, .columns = columns, .n_columns = at};
    id_part right = {.view = view, .n = view->n, .columns = columns + at, .n_columns = view->dim - at};
    sinpos_identity *other = NULL, *beside = NULL;
    for (size_t j = 0; j < view->dim; j++)
        columns[j] = j;
    sinpos_status status = id_identify_part(&other, &left, way);
    if (status == SINPOS_OK && other != NULL && other->is_sinusoidal && id_complexity(other) <= 1)
        status = id_identify_part(&beside, &right, way);
    if (status == SINPOS_OK && beside != NULL && beside->is_sinusoidal && id_complexity(beside) <= 1 &&
        !are_halves(other, beside)) {
        status = id_join(other, beside);
        beside = NULL;
    }
    sinpos_identity_destroy(beside);
    return id_choose_if(identity, other, view, status);
}

/* Do most columns from `at` on have the frequencies of those before? They are then cosines after sines, or copies. */
static bool is_repeated(const id_match *match, size_t at)
{
    size_t n = 0, same = 0;
    for (size_t j = at; j < match->dim; j++) {
        size_t i = 0;
        while (i < at && !(fabs(match->wave_theta[i] - match->wave_theta[j]) <= SAME_THETA * match->wave_theta[j]))
            i++;
        n += match->wave_theta[j] > 0;
        same += match->wave_theta[j] > 0 && i < at;
    }
    return (double)same > MOST_SAME * (double)n;
}

/* Where a fast column follows slow ones another table may begin. */
static sinpos_status try_splits(sinpos_identity **identity, const id_match *match, const id_view *view, size_t *columns,
                                const id_way *way)
{
    size_t at[MOST_SPLITS], n = 0;
    double before = 0;
    for (size_t j = 0; j + 2 <= view->dim && n < MOST_SPLITS; j++) {
        const double now = match->wave_theta[j];
        if (now > JUMP * before && j >= 2 && before > 0 && !is_repeated(match, j))
            at[n++] = j;
        before = now > 0 ? now : before;
    }
    if (view->dim % 2 == 0 && n < MOST_SPLITS && !is_repeated(match, view->dim / 2))
        at[n++] = view->dim / 2;
    sinpos_status status = SINPOS_OK;
    for (size_t i = 0; i < n && status == SINPOS_OK && !id_is_plain(*identity) && (*identity)->n_others == 0; i++)
        status = try_split(identity, view, at[i], columns, way);
    return status;
}

/* The first explanation without the rows and columns that it leaves far off. */
static sinpos_status leave_out(sinpos_identity **identity, const id_view *view, size_t *columns, const id_way *way)
{
    size_t first = 0, last = 0, n_own = 0;
    sinpos_identity *other = NULL;
    if ((*identity)->plan == NULL || !id_is_whole(*identity, view) ||
        ((*identity)->n_altered == 0 && !((*identity)->is_sinusoidal && (*identity)->n_unknown > 0)) ||
        (*identity)->noise > 0 || way->depth >= ID_MOST_DEPTH)
        return SINPOS_OK;
    bool *is_own = malloc(view->dim * sizeof *is_own);
    sinpos_status status = is_own == NULL ? SINPOS_E_MEMORY : id_find_off(*identity, view, &first, &last, is_own);
    const size_t waves = (*identity)->first_column, end = waves + (*identity)->width;
    for (size_t j = 0; j < view->dim && status == SINPOS_OK; j++) {
        is_own[j] = is_own[j] && ((*identity)->n_unknown == 0 || (j >= waves && j < end));
        n_own += is_own[j];
    }
    const bool is_part = first > 0 || last + 1 < view->n || n_own < view->dim;
    if (status == SINPOS_OK && is_part && n_own >= ID_LEAST_COLUMNS && last - first + 1 >= ID_LEAST_ROWS)
        status = id_mend_part(&other, is_own, view, first, last, columns, way);
    free(is_own);
    return id_choose_if(identity, other, view, status);
}

/* Takes the columns of an explanation and its parts out. Does it hold rows first .. last? */
static bool take_out(const sinpos_identity *identity, size_t first, size_t last, bool *is_left)
{
    bool holds = identity->first_row <= first && identity->first_row + identity->n > last;
    for (size_t j = 0; j < identity->dim; j++)
        is_left[identity->columns == NULL ? j : identity->columns[j]] = false;
    for (size_t i = 0; i < identity->n_others; i++)
        holds = take_out(identity->others[i], first, last, is_left) || holds;
    return holds;
}

/* Do pairs lie on one circle of which the explanation leaves something out? */
static sinpos_status is_more(const sinpos_identity *identity, const id_view *view, size_t first, size_t last,
                             const bool *is_own, bool *is)
{
    size_t n_own = 0, n_left = 0;
    bool *is_left = malloc(view->dim * sizeof *is_left);
    if (is_left == NULL)
        return SINPOS_E_MEMORY;
    memcpy(is_left, is_own, view->dim * sizeof *is_left);
    const bool holds = identity->is_sinusoidal && take_out(identity, first, last, is_left);
    for (size_t j = 0; j < view->dim; j++) {
        n_own += is_own[j];
        n_left += is_left[j];
    }
    free(is_left);
    const bool is_part = n_own < view->dim || first > 0 || last + 1 < view->n;
    *is = is_part && n_own >= ID_LEAST_COLUMNS && last - first + 1 >= ID_LEAST_ROWS && (n_left > 0 || !holds);
    return SINPOS_OK;
}

/* The columns and rows whose pairs lie on one circle. */
static sinpos_status leave_circles(sinpos_identity **identity, const id_view *view, bool are_moved, size_t *columns,
                                   const id_way *way)
{
    size_t first = 0, last = 0, left = MOST_IN_CIRCLES, work = ID_MOST_WORK;
    bool is = false;
    id_way own_way = *way;
    own_way.left = way->depth == 0 ? &left : way->left;
    own_way.work = way->depth == 0 ? &work : way->work;
    sinpos_identity *other = NULL;
    const bool is_other_view = (*identity)->is_sinusoidal && (*identity)->view != SINPOS_VIEW_ROWS;
    if ((id_is_covered(*identity, view) && (*identity)->n_altered == 0) || is_other_view || way->depth >= ID_MOST_DEPTH)
        return SINPOS_OK;
    bool *is_own = malloc(view->dim * sizeof *is_own);
    sinpos_status status = is_own == NULL ? SINPOS_E_MEMORY : id_find_circles(view, are_moved, &first, &last, is_own);
    status = status == SINPOS_OK ? is_more(*identity, view, first, last, is_own, &is) : status;
    if (status == SINPOS_OK && is)
        status = id_mend_part(&other, is_own, view, first, last, columns, &own_way);
    free(is_own);
    return id_choose_if_sure(identity, other, view, status);
}

/* Every element of one formula or of an undone one, or several parts. */
static bool is_enough(const sinpos_identity *identity)
{
    return id_is_undone(identity) || (identity->is_sinusoidal && identity->n_others > 0);
}

/* Two tables side by side, by where pairs on circles end. */
static sinpos_status split_circles(sinpos_identity **identity, const id_view *view, size_t *columns, const id_way *way)
{
    size_t cut[MOST_SPLITS], n = 0, left = MOST_IN_CIRCLES, work = ID_MOST_WORK;
    id_way own_way = *way;
    own_way.left = way->depth == 0 ? &left : way->left;
    own_way.work = way->depth == 0 ? &work : way->work;
    sinpos_status status = way->depth < ID_MOST_DEPTH ? id_find_cuts(view, MOST_SPLITS, cut, &n) : SINPOS_OK;
    for (size_t i = 0; i < n && status == SINPOS_OK && !(is_enough(*identity) && id_is_made(*identity)); i++)
        status = try_split(identity, view, cut[i], columns, &own_way);
    return status;
}

static sinpos_status try_undone(sinpos_identity **identity, const sinpos_table *table, const id_match *undo,
                                const id_view *view, const id_way *way)
{
    const id_way own = {undo, way->all_rows, way->n_threads, way->depth, way->left, way->work, way->mend};
    sinpos_identity *other = NULL;
    const sinpos_status status = id_identify(&other, table, &own);
    if (status == SINPOS_OK)
        id_choose(identity, other, (double)view->n * (double)view->dim);
    else
        sinpos_identity_destroy(other);
    return status;
}

/* A constant, then signs. */
static sinpos_status undo_columns(sinpos_identity **identity, const sinpos_table *table, const id_match *dropped,
                                  const id_view *view, const id_way *way)
{
    id_match own;
    bool is_proposed;
    sinpos_status status = id_undo_constant(&own, dropped, view, &is_proposed);
    if (status == SINPOS_OK && is_proposed)
        status = try_undone(identity, table, &own, view, way);
    blocks_free(&own.memory);
    if (status != SINPOS_OK || id_is_undone(*identity))
        return status;
    if (!(*identity)->is_sinusoidal) {
        status = id_undo_first_signs(&own, view, &is_proposed);
        if (status == SINPOS_OK && is_proposed)
            status = try_undone(identity, table, &own, view, way);
        blocks_free(&own.memory);
        if (status != SINPOS_OK || id_is_undone(*identity))
            return status;
    }
    is_proposed = true;
    for (size_t k = 0; k < MOST_SIGNS && is_proposed && status == SINPOS_OK && !id_is_undone(*identity); k++) {
        status = id_undo_slow_signs(&own, view, k, &is_proposed);
        if (status == SINPOS_OK && is_proposed)
            status = try_undone(identity, table, &own, view, way);
        blocks_free(&own.memory);
    }
    if (status != SINPOS_OK || id_is_undone(*identity))
        return status;
    /* Signs that are known show others: of columns that turn little in these rows. */
    const sinpos_identity *before = NULL;
    for (size_t k = 0; k < MOST_SIGN_ROUNDS && *identity != before && status == SINPOS_OK && !id_is_undone(*identity);
         k++) {
        before = *identity;
        status = id_undo_signs(&own, (*identity)->dropped > 0 ? dropped : NULL, *identity, view, &is_proposed);
        if (status == SINPOS_OK && is_proposed)
            status = try_undone(identity, table, &own, view, way);
        blocks_free(&own.memory);
    }
    return status;
}

/* Dropout, a constant, then signs: what is undone is identified as any table is. */
static sinpos_status undo(sinpos_identity **identity, const sinpos_table *table, const id_view *view, const id_way *way)
{
    id_match dropped;
    bool is_proposed;
    sinpos_status status = id_undo_dropout(&dropped, view, &is_proposed);
    if (status == SINPOS_OK && is_proposed)
        status = try_undone(identity, table, &dropped, view, way);
    if (status == SINPOS_OK && !id_is_undone(*identity))
        status = undo_columns(identity, table, is_proposed ? &dropped : NULL, view, way);
    blocks_free(&dropped.memory);
    return status;
}

/* The matched columns and rows. */
static sinpos_status mend_matched(sinpos_identity **identity, const id_match *match, const id_view *view, size_t first,
                                  size_t last, size_t *columns, const id_way *way)
{
    sinpos_identity *other = NULL;
    bool *is_own = malloc(view->dim * sizeof *is_own);
    if (is_own == NULL)
        return SINPOS_E_MEMORY;
    for (size_t j = 0; j < view->dim; j++)
        is_own[j] = match->column[j].index >= 0;
    const sinpos_status status = id_mend_part(&other, is_own, view, first, last, columns, way);
    free(is_own);
    return id_choose_if(identity, other, view, status);
}

static sinpos_status mend(sinpos_identity **identity, const sinpos_table *table, const id_view *view, id_match *match,
                          size_t *columns, const id_way *way)
{
    size_t first = 0, last = view->n - 1;
    const bool is_matched = match->n_matched >= ID_LEAST_COLUMNS;
    sinpos_status status = is_matched ? find_rows(match, view, &first, &last) : SINPOS_OK;
    const bool is_whole = match->n_matched == view->dim && first == 0 && last == view->n - 1;
    if (status == SINPOS_OK && is_whole)
        status = try_undone(identity, table, match, view, way);
    if (status == SINPOS_OK && way->depth < ID_MOST_DEPTH && !id_is_plain(*identity) &&
        !(is_whole && match->is_formula))
        status = try_splits(identity, match, view, columns, way);
    if (status != SINPOS_OK || is_whole || !is_matched || (*identity)->n_others > 0 || way->depth >= ID_MOST_DEPTH)
        return status;
    return mend_matched(identity, match, view, first, last, columns, way);
}

static sinpos_status mend_view(sinpos_identity **identity, const sinpos_table *table, const id_view *view,
                               bool is_rising, size_t *columns, const id_way *way)
{
    id_match match = {0};
    sinpos_status status = is_rising ? id_try_orders(identity, view, columns, way) : SINPOS_OK;
    if (status != SINPOS_OK || id_is_plain(*identity) || id_is_exact(*identity))
        return status;
    status = id_try_copies(identity, view, columns, way);
    status = status != SINPOS_OK || id_is_plain(*identity) ? status : undo(identity, table, view, way);
    status = status != SINPOS_OK || id_is_undone(*identity) ? status : leave_out(identity, view, columns, way);
    status = status != SINPOS_OK || is_enough(*identity) ? status : leave_circles(identity, view, true, columns, way);
    if (status != SINPOS_OK || is_enough(*identity))
        return status;
    status = id_match_columns(&match, view);
    if (status == SINPOS_OK && match.n_waves >= ID_LEAST_COLUMNS)
        status = mend(identity, table, view, &match, columns, way);
    if (status == SINPOS_OK)
        status = id_try_orders(identity, view, columns, way);
    if (status == SINPOS_OK)
        status = leave_circles(identity, view, false, columns, way);
    if (status == SINPOS_OK && !id_is_covered(*identity, view))
        status = id_try_rows(identity, view, columns, way);
    blocks_free(&match.memory);
    return status;
}

/* A constant that is small beside the amplitude leaves an encoding of another amplitude, which makes few elements. */
static sinpos_status undo_small_constant(sinpos_identity **identity, const sinpos_table *table, const id_view *view,
                                         const id_way *way)
{
    id_match own;
    bool is_proposed = false;
    sinpos_status status = id_undo_constant(&own, NULL, view, &is_proposed);
    if (status == SINPOS_OK && is_proposed)
        status = try_undone(identity, table, &own, view, way);
    blocks_free(&own.memory);
    return status;
}

/* Sines or cosines alone at listed positions, all of them near: no waves go on from row to row that show more. */
static bool is_alone(const sinpos_identity *identity, const id_view *view)
{
    return identity->is_sinusoidal && identity->positions != NULL && count_pairs(identity) == 0 &&
           identity->n_altered == 0 && id_is_whole(identity, view) && id_is_covered(identity, view);
}

sinpos_status id_mend(sinpos_identity **identity, const sinpos_table *table, const id_way *way)
{
    id_view view;
    bool is_possible = false, is_rising;
    sinpos_status status = id_is_rising(*identity, &is_rising);
    const bool is_done = id_is_plain(*identity) || id_is_exact(*identity);
    if (status != SINPOS_OK || (is_done && !is_rising && id_is_made(*identity)))
        return status;
    status = id_view_make(&view, table, SINPOS_VIEW_ROWS, &is_possible);
    if (status != SINPOS_OK || !is_possible || is_alone(*identity, &view))
        return status;
    size_t *columns = malloc((2 * view.dim + 2) * sizeof *columns);
    status = columns == NULL ? SINPOS_E_MEMORY : SINPOS_OK;
    if (status == SINPOS_OK && (!is_done || is_rising))
        status = mend_view(identity, table, &view, is_rising, columns, way);
    else if (status == SINPOS_OK && id_is_near(*identity))
        status = undo_small_constant(identity, table, &view, way);
    if (status == SINPOS_OK && !(is_enough(*identity) && id_is_made(*identity)))
        status = split_circles(identity, &view, columns, way);
    if (status == SINPOS_OK && way->depth == 0 && (*identity)->is_sinusoidal && (*identity)->view == SINPOS_VIEW_ROWS)
        status = id_try_left(identity, &view, columns, way);
    free(columns);
    return status;
}
