/*
 * identify_left.c - what an explanation leaves of an array, looked at again.
 *
 * Columns that no part holds, in rows between which the same parts lie, may be a table that was not reached before:
 * they are looked at with work of their own. Or they belong to a part beside them that has taken too few columns: those
 * inside of it and next to it are looked at together with it. What makes every element is kept.
 */
#include "identify_mend.h"

/* Bands of rows that are looked at, and parts and angles that each may take. */
#define MOST_BANDS 4
#define MOST_PARTS_LEFT 4

/* Parts that may be in a band. */
#define MOST_IN_BAND 4

/* Rows first .. first + n - 1, and which of their columns no part holds. */
typedef struct band {
    size_t first, n;
    bool *is_left; /* (dim) */
    size_t n_left;
} band;

static size_t count_parts(const sinpos_identity *identity)
{
    return 1 + identity->n_others;
}

static sinpos_identity **part_at(sinpos_identity **identity, size_t i)
{
    return i == 0 ? identity : &(*identity)->others[i - 1];
}

static size_t column_of(const sinpos_identity *part, size_t j)
{
    return part->columns == NULL ? j : part->columns[j];
}

static bool holds_row(const sinpos_identity *part, size_t row)
{
    return row >= part->first_row && row < part->first_row + part->n;
}

/* Rows from `first` on up to the next one in which a part begins or ends. */
static void find_band(band *b, sinpos_identity **identity, const id_view *view, size_t first)
{
    size_t end = view->n;
    for (size_t j = 0; j < view->dim; j++)
        b->is_left[j] = true;
    for (size_t i = 0; i < count_parts(*identity); i++) {
        const sinpos_identity *part = *part_at(identity, i);
        const size_t begin = part->first_row, after = begin + part->n;
        end = begin > first && begin < end ? begin : end;
        end = after > first && after < end ? after : end;
        for (size_t j = 0; j < part->dim && holds_row(part, first); j++)
            b->is_left[column_of(part, j)] = false;
    }
    b->first = first;
    b->n = end - first;
    b->n_left = 0;
    for (size_t j = 0; j < view->dim; j++)
        b->n_left += b->is_left[j];
}

/* Every element by one formula or list, but for single ones that are far off. */
static bool is_found(const sinpos_identity *identity)
{
    return identity->is_sinusoidal && identity->noise == 0 && identity->n_unknown == 0 && identity->n_others == 0 &&
           (id_is_made(identity) || identity->total.wrong == identity->n_altered);
}

/* Slow frequencies beside fast ones are no other encoding: see is_continued() of identify_parts.c. */
static bool is_slower(sinpos_identity **identity, const sinpos_identity *other)
{
    for (size_t i = 0; i < count_parts(*identity); i++) {
        const sinpos_identity *part = *part_at(identity, i);
        if (part->first_row == other->first_row && part->n == other->n &&
            id_theta_of(other, false) < id_theta_of(part, true))
            return true;
    }
    return false;
}

/* What no part holds as a table of its own. */
static sinpos_status try_alone(sinpos_identity **identity, const id_view *view, const band *b, size_t *columns,
                               const id_way *way)
{
    id_part own = {.view = view, .first = b->first, .n = b->n, .columns = columns};
    sinpos_identity *other = NULL;
    for (size_t j = 0; j < view->dim; j++)
        if (b->is_left[j])
            columns[own.n_columns++] = j;
    if (own.n_columns < ID_LEAST_COLUMNS)
        return SINPOS_OK;
    const sinpos_status status = id_identify_part(&other, &own, way);
    if (status == SINPOS_OK && other != NULL && id_is_made(other) && !is_slower(identity, other))
        return id_join(*identity, other);
    sinpos_identity_destroy(other);
    return status;
}

/* No parts of parts. */
static sinpos_status leave(sinpos_identity **identity, const sinpos_table *table, const id_way *way)
{
    (void)identity, (void)table, (void)way;
    return SINPOS_OK;
}

/* The columns of a part, those that are left between them, and those next to it on either side, if asked. */
static size_t choose_columns(const band *b, const id_view *view, const sinpos_identity *part, bool before, bool after,
                             size_t *columns)
{
    size_t first = view->dim, last = 0, n = 0;
    for (size_t j = 0; j < part->dim; j++) {
        first = column_of(part, j) < first ? column_of(part, j) : first;
        last = column_of(part, j) > last ? column_of(part, j) : last;
    }
    while (before && first > 0 && b->is_left[first - 1])
        first--;
    while (after && last + 1 < view->dim && b->is_left[last + 1])
        last++;
    for (size_t j = first; j <= last; j++) {
        bool is_own = b->is_left[j];
        for (size_t k = 0; k < part->dim && !is_own; k++)
            is_own = column_of(part, k) == j;
        if (is_own)
            columns[n++] = j;
    }
    return n;
}

static void replace(sinpos_identity **identity, size_t i, sinpos_identity *other)
{
    sinpos_identity **at = part_at(identity, i), *old = *at;
    if (i == 0) {
        other->others = old->others;
        other->n_others = old->n_others;
        old->others = NULL;
        old->n_others = 0;
    }
    *at = other;
    sinpos_identity_destroy(old);
}

/* A part with columns that are left, in place of the part. */
static sinpos_status try_with(sinpos_identity **identity, const id_view *view, const band *b, size_t i, size_t *columns,
                              const id_way *way, bool *is_done)
{
    id_way own_way = *way;
    sinpos_status status = SINPOS_OK;
    size_t last = 0;
    own_way.mend = leave;
    for (int k = 0; k < 4 && status == SINPOS_OK && !*is_done; k++) {
        const sinpos_identity *part = *part_at(identity, i);
        id_part own = {.view = view, .first = b->first, .n = b->n, .columns = columns};
        sinpos_identity *other = NULL;
        size_t left = 1;
        own_way.left = &left;
        own.n_columns = choose_columns(b, view, part, k / 2 == 1, k % 2 == 1, columns);
        if (own.n_columns == part->dim || own.n_columns == last)
            continue;
        last = own.n_columns;
        status = id_identify_part(&other, &own, &own_way);
        *is_done = status == SINPOS_OK && other != NULL && is_found(other) && other->dim == own.n_columns;
        if (*is_done)
            replace(identity, i, other);
        else
            sinpos_identity_destroy(other);
    }
    return status;
}

static sinpos_status try_band(sinpos_identity **identity, const id_view *view, const band *b, size_t *columns,
                              const id_way *way)
{
    size_t left = MOST_PARTS_LEFT, work = ID_MOST_WORK;
    id_way own_way = *way;
    bool is_done = false;
    own_way.left = &left;
    own_way.work = &work;
    sinpos_status status = SINPOS_OK;
    for (size_t i = 0; i < count_parts(*identity) && i < MOST_IN_BAND && status == SINPOS_OK && !is_done; i++) {
        const sinpos_identity *part = *part_at(identity, i);
        if (part->first_row == b->first && part->n == b->n)
            status = try_with(identity, view, b, i, columns, &own_way, &is_done);
    }
    return status != SINPOS_OK || is_done ? status : try_alone(identity, view, b, columns, &own_way);
}

sinpos_status id_try_left(sinpos_identity **identity, const id_view *view, size_t *columns, const id_way *way)
{
    sinpos_status status = SINPOS_OK;
    band b = {.is_left = malloc((view->dim + 1) * sizeof *b.is_left)};
    if (b.is_left == NULL)
        return SINPOS_E_MEMORY;
    size_t n = 0;
    for (size_t first = 0; first < view->n && n < MOST_BANDS && status == SINPOS_OK; first += b.n) {
        find_band(&b, identity, view, first);
        if (b.n_left < 2 || b.n < ID_LEAST_ROWS)
            continue;
        n++;
        status = try_band(identity, view, &b, columns, way);
    }
    free(b.is_left);
    return status;
}
