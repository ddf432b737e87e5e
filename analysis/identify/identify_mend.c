/*
 * identify_mend.c - encodings that something was done to, or that are part of an array.
 *
 * Where a table is no encoding, or one only by a list of exceptions, its columns are matched one by one. Columns and rows
 * that do not match are left out: the others are a table of their own, and so are they. Of two explanations that cover as
 * much of the array the simpler one is kept.
 */
#include "identify_mend.h"
#include "elements.h"

/* Columns that may be a table of their own. */
#define LEAST_COLUMNS 3

/* Part of the matched elements of a row that must be near. */
#define LEAST_NEAR 0.8

/* Errors beyond this part of the amplitude, that no arithmetic makes, are not explained. */
#define FAR_OFF 0.05

/* Part of the elements that an arithmetic makes that is right. */
#define SURE_SHARE 0.99

/* Part of an array that an explanation must cover. */
#define LEAST_COVERED 0.5

/* A difference of what two explanations cover that decides. */
#define COVERS_MORE 0.02

/* A frequency so many times that of the column before may be the first of another table. */
#define JUMP 4

/* Of frequencies that are one, and the part of those after a split that may be such. */
#define SAME_THETA 1e-3
#define MOST_SAME 0.6

/* Splits that are tried. */
#define MOST_SPLITS 6

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
                      memcmp(one->theta, other->theta, one->n_frequencies * sizeof *one->theta) == 0;
            for (size_t i = 0; i < identity->n && is_copy; i++)
                is_copy = id_position(identity, i, a) == id_position(identity, i, b);
        }
        n += is_copy;
    }
    return n;
}

/* Lists and exceptions that the explanation needs. */
static size_t complexity(const sinpos_identity *identity)
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
        n += identity->others[i]->is_copy ? 0 : 1 + complexity(identity->others[i]);
    return n + (identity->columns != NULL) + 2 * (identity->n_unknown > 0);
}

bool id_is_plain(const sinpos_identity *identity)
{
    return identity->is_sinusoidal && complexity(identity) == 0 && explained(identity) == elements_of(identity);
}

/* Every element, by one formula, of positions that may be listed: nothing is to be mended. */
static bool is_exact(const sinpos_identity *identity)
{
    return identity->is_sinusoidal && identity->total.wrong == 0 && identity->n_axes == 1 &&
           identity->axis[0].law == SINPOS_LAW_GEOMETRIC && explained(identity) == elements_of(identity);
}

/* Keeps the better one, frees the other. */
static void choose(sinpos_identity **identity, sinpos_identity *other, double all)
{
    const double more = (explained(other) - explained(*identity)) / all;
    const bool is_simpler = complexity(other) < complexity(*identity);
    const bool covers = other->is_sinusoidal && explained(other) >= LEAST_COVERED * all;
    const bool is_better =
        covers && (!(*identity)->is_sinusoidal || more > COVERS_MORE || (more > -COVERS_MORE && is_simpler));
    sinpos_identity_destroy(is_better ? *identity : other);
    *identity = is_better ? other : *identity;
}

/* The same, unless there is no other one or something failed. */
sinpos_status id_choose_if(sinpos_identity **identity, sinpos_identity *other, const id_view *view,
                           sinpos_status status)
{
    if (status == SINPOS_OK && other != NULL)
        choose(identity, other, (double)view->n * (double)view->dim);
    else
        sinpos_identity_destroy(other);
    return status;
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
                        .work = way->work};
    p->shape[0] = p->n;
    p->shape[1] = p->n_columns;
    p->table = (sinpos_table){2, p->shape, p->view->type, read_part, p};
    *out = NULL;
    if (p->n < 1 || p->n_columns < 2 || *way->left == 0)
        return SINPOS_OK;
    --*way->left;
    sinpos_status status = id_identify(out, &p->table, &own);
    status = status != SINPOS_OK ? status : id_mend(out, &p->table, &own);
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

static double theta_of(const sinpos_identity *identity, bool slowest)
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
           theta_of(other, false) < theta_of(identity, true);
}

/* The part is an encoding; so may be what is beside it. */
static sinpos_status add_part(sinpos_identity *identity, id_part *p, const id_way *way)
{
    sinpos_identity *other = NULL;
    if (p->n_columns < LEAST_COLUMNS || p->n < ID_LEAST_ROWS)
        return SINPOS_OK;
    const sinpos_status status = id_identify_part(&other, p, way);
    if (status == SINPOS_OK && is_continued(identity, other))
        identity->is_sinusoidal = 0;
    else if (status == SINPOS_OK)
        return id_join(identity, other);
    sinpos_identity_destroy(other);
    return status;
}

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
    const bool is_same = fabs(theta_of(one, false) - theta_of(other, false)) <= 1e-3 * theta_of(one, false) &&
                         fabs(theta_of(one, true) - theta_of(other, true)) <= 0.1 * theta_of(one, true);
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
    if (status == SINPOS_OK && other != NULL && other->is_sinusoidal && complexity(other) <= 1)
        status = id_identify_part(&beside, &right, way);
    if (status == SINPOS_OK && beside != NULL && beside->is_sinusoidal && complexity(beside) <= 1 &&
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
    if ((*identity)->plan == NULL || (*identity)->view != SINPOS_VIEW_ROWS ||
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
    if (status == SINPOS_OK && is_part && n_own >= LEAST_COLUMNS && last - first + 1 >= ID_LEAST_ROWS)
        status = id_mend_part(&other, is_own, view, first, last, columns, way);
    free(is_own);
    return id_choose_if(identity, other, view, status);
}

static sinpos_status try_undone(sinpos_identity **identity, const sinpos_table *table, const id_match *undo,
                                const id_view *view, const id_way *way)
{
    const id_way own = {undo, way->all_rows, way->n_threads, way->depth, way->left, way->work};
    sinpos_identity *other = NULL;
    const sinpos_status status = id_identify(&other, table, &own);
    if (status == SINPOS_OK)
        choose(identity, other, (double)view->n * (double)view->dim);
    else
        sinpos_identity_destroy(other);
    return status;
}

/* A constant, then signs: what is undone is identified as any table is. */
static sinpos_status undo(sinpos_identity **identity, const sinpos_table *table, const id_view *view, const id_way *way)
{
    id_match own;
    bool is_proposed;
    sinpos_status status = id_undo_constant(&own, view, &is_proposed);
    if (status == SINPOS_OK && is_proposed)
        status = try_undone(identity, table, &own, view, way);
    blocks_free(&own.memory);
    if (status != SINPOS_OK || id_is_plain(*identity))
        return status;
    status = id_undo_signs(&own, *identity, view, &is_proposed);
    if (status == SINPOS_OK && is_proposed)
        status = try_undone(identity, table, &own, view, way);
    blocks_free(&own.memory);
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
    const bool is_matched = match->n_matched >= LEAST_COLUMNS;
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

sinpos_status id_mend(sinpos_identity **identity, const sinpos_table *table, const id_way *way)
{
    id_view view;
    id_match match = {0};
    bool is_possible = false;
    if ((id_is_plain(*identity) || is_exact(*identity)) && !id_is_rising(*identity))
        return SINPOS_OK;
    sinpos_status status = id_view_make(&view, table, SINPOS_VIEW_ROWS, &is_possible);
    if (status != SINPOS_OK || !is_possible)
        return status;
    size_t *columns = malloc((2 * view.dim + 2) * sizeof *columns);
    status = columns == NULL ? SINPOS_E_MEMORY : SINPOS_OK;
    if (status == SINPOS_OK && id_is_rising(*identity)) {
        status = id_try_orders(identity, &view, columns, way);
        if (status != SINPOS_OK || id_is_plain(*identity) || is_exact(*identity)) {
            free(columns);
            return status;
        }
    }
    status = status != SINPOS_OK ? status : id_try_copies(identity, &view, columns, way);
    status = status != SINPOS_OK || id_is_plain(*identity) ? status : undo(identity, table, &view, way);
    status = status != SINPOS_OK || id_is_plain(*identity) ? status : leave_out(identity, &view, columns, way);
    if (status != SINPOS_OK || id_is_plain(*identity) || ((*identity)->n_others > 0 && (*identity)->is_sinusoidal)) {
        free(columns);
        return status;
    }
    status = id_match_columns(&match, &view);
    if (status == SINPOS_OK && match.n_waves >= LEAST_COLUMNS)
        status = mend(identity, table, &view, &match, columns, way);
    if (status == SINPOS_OK)
        status = id_try_orders(identity, &view, columns, way);
    if (status == SINPOS_OK && !(*identity)->is_sinusoidal)
        status = id_try_rows(identity, &view, columns, way);
    free(columns);
    blocks_free(&match.memory);
    return status;
}
