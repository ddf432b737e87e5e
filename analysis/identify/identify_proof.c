/*
 * identify_proof.c - does what was named make the elements?
 *
 * The rows that were compared are made again: exactly, with each arithmetic that was named, and with those of the sources
 * of conventions. Single elements that are far off, no more than a few of a row or a column, are altered, and so are a few
 * whole rows; what else differs is not explained, and an arithmetic that leaves less of it is named first.
 */
#include "elements.h"
#include "identify_mend.h"
#include "sinpos_conventions.h"

#include <stdio.h>

/* Elements of an array that is made at once where it has no rows of its own. */
#define MOST_AT_ONCE ((size_t)1 << 22)

/* An altered element is off by more than so many units; where others differ too, by so much of the amplitude. */
#define APART_UNITS 16
#define FAR 0.25
#define GAP 0.0625 /* and the others by no more than this part of that */

/* Of a row or a column so many may be altered, or this part; of all elements likewise. */
#define FEW 2
#define FEW_OF_ALL 8
#define SOME_ROWS 16
#define PART_OF_LINE 0.25
#define PART_OF_ALL 0.02

/* Beyond that a row of a range is altered as a whole: so many of all at most. Another may have another position, and a
 * column another frequency. */
#define PART_OF_ROWS 0.0625

/* Of noise the errors of neighbouring rows have nothing to do with each other: this part of them at most. */
#define MOST_ALIKE 0.4

/* Their sum is so many times what it is on average at most. */
#define MOST_TO_ONE_SIDE 6

/* Noise is hardly ever so many times its standard deviation; where this part of the elements is, it is none. */
#define TIMES_NOISE 6
#define MOST_BEYOND 0.08

/* What makes rows: NULL and NULL make them exactly. */
typedef struct maker {
    const char *name; /* of an arithmetic */
    const sinpos_identity_convention *convention;
    sinpos_replay *replay;
    char *whole;   /* the array as the convention makes it */
    bool is_named; /* else some rows show whether all are worth it */
} maker;

/* Elements that may be altered. */
typedef struct outliers {
    uint64_t n, n_in_rows; /* those in rows that are altered as a whole among them */
    size_t whole_rows;
    size_t *of_column; /* (dim) those outside such rows */
    bool are_few;
    sinpos_identity_box box;
    sinpos_identity_element list[SINPOS_IDENTITY_LISTED];
} outliers;

typedef struct tally {
    uint64_t off;
    outliers apart, far;
    double most;                   /* error of those that are not far */
    double squares, products, sum; /* of errors, of those of a row and the next */
    uint64_t beyond;               /* elements with larger errors than noise has */
} tally;

typedef struct proof {
    sinpos_identity *part;
    const sinpos_table *table;
    id_view view;
    bool all_rows;
    size_t piece;
    char *row, *got, *want, *replayed; /* a row of the view; pieces of rows of the part */
    double *x, *y, *positions;
    size_t *apart, *far;              /* (dim) outliers of each column */
    bool *is_off, *is_apart, *is_far; /* (dim) of one row */
    double *before;                   /* (dim) errors of the row before */
    blocks memory;
} proof;

/* ------------------------------------------------------------------------------------------------- making */

static size_t place_of(const proof *p, size_t i, size_t j)
{
    const size_t own = p->table->shape[p->table->n_dims - 1];
    switch (p->part->view) {
    case SINPOS_VIEW_SIDE_BY_SIDE: return (j / own * p->part->n + i) * own + j % own;
    case SINPOS_VIEW_CHANNEL_FIRST: return j * p->part->n + i;
    default: return i * p->part->dim + j;
    }
}

static sinpos_status make_replayed(const proof *p, const maker *m, size_t first, size_t n)
{
    const sinpos_identity *part = p->part;
    const size_t size = sinpos_type_bytes(part->type);
    for (size_t i = 0; i < n * part->n_axes; i++)
        p->positions[i] = id_position(part, first + i / part->n_axes, i % part->n_axes);
    const sinpos_rows rows = {.struct_size = sizeof rows, .n = n, .reals = p->positions};
    const sinpos_status status =
        sinpos_replay_run(m->replay, SINPOS_FILL, &rows, part->type, p->replayed, part->dim, 1);
    for (size_t k = 0; k < 2 * part->n_tones && status == SINPOS_OK; k++) {
        const ptrdiff_t j = k % 2 == 0 ? part->sin_column[k / 2] : part->cos_column[k / 2];
        for (size_t i = 0; i < n && j != SINPOS_NO_COLUMN; i++) {
            const size_t at = (i * part->dim + (size_t)j) * size;
            if (!id_is_zero_row(part, first + i))
                memcpy(p->want + at, p->replayed + at, size);
        }
    }
    return status;
}

static sinpos_status make_rows(const proof *p, const maker *m, size_t first, size_t n)
{
    const sinpos_identity *part = p->part;
    const size_t size = sinpos_type_bytes(part->type);
    sinpos_status status = SINPOS_OK;
    if (m->whole == NULL)
        status = sinpos_identity_rows(part, first, n, part->type, p->want, 1);
    for (size_t i = 0; i < n && m->whole != NULL; i++)
        for (size_t j = 0; j < part->dim; j++)
            memcpy(p->want + (i * part->dim + j) * size, m->whole + place_of(p, first + i, j) * size, size);
    if (status == SINPOS_OK && m->replay != NULL)
        status = make_replayed(p, m, first, n);
    if (status == SINPOS_OK)
        id_damage_rows(part, first, n, part->type, p->want);
    return status;
}

static sinpos_status read_rows(const proof *p, size_t first, size_t n)
{
    const sinpos_identity *part = p->part;
    const size_t size = sinpos_type_bytes(part->type);
    sinpos_status status = SINPOS_OK;
    for (size_t i = 0; i < n && status == SINPOS_OK; i++) {
        status = id_view_read(&p->view, part->first_row + first + i, 1, p->row);
        for (size_t j = 0; j < part->dim && status == SINPOS_OK; j++)
            memcpy(p->got + (i * part->dim + j) * size, p->row + (part->columns == NULL ? j : part->columns[j]) * size,
                   size);
    }
    return status;
}

/* ------------------------------------------------------------------------------------------------ counting */

static bool are_few(size_t n, size_t all)
{
    return n <= FEW || (double)n <= PART_OF_LINE * (double)all;
}

static void note(outliers *o, size_t row, size_t column, double got, double want)
{
    sinpos_identity_box *box = &o->box;
    if (o->n == 0)
        *box = (sinpos_identity_box){row, row, column, column};
    box->first_row = row < box->first_row ? row : box->first_row;
    box->last_row = row > box->last_row ? row : box->last_row;
    box->first_column = column < box->first_column ? column : box->first_column;
    box->last_column = column > box->last_column ? column : box->last_column;
    if (o->n < SINPOS_IDENTITY_LISTED)
        o->list[o->n] = (sinpos_identity_element){row, column, got, want};
    o->n++;
}

/*
 * Of a row that is altered as a whole all that is off is, however little. Of several coordinates each may have another
 * position there.
 */
static void note_row(outliers *o, const sinpos_identity *part, const bool *is_one, const bool *is_off, size_t row,
                     const double *x, const double *y)
{
    const size_t dim = part->dim;
    size_t n = 0;
    for (size_t j = 0; j < dim; j++)
        n += is_one[j];
    const bool is_whole = !are_few(n, dim / part->n_axes), *is_altered = is_whole ? is_off : is_one;
    o->whole_rows += is_whole;
    for (size_t j = 0; j < dim && n > 0; j++) {
        if (is_altered[j])
            note(o, row, j, x[j], y[j]);
        o->n_in_rows += is_altered[j] && is_whole;
        o->of_column[j] += is_altered[j] && !is_whole;
    }
}

static void count_row(const proof *p, size_t row, const double *x, const double *y, tally *t)
{
    const sinpos_identity *part = p->part;
    const double size = fabs(part->amplitude), unit = type_unit(part->type) * size;
    const double near = part->dropped > 0 ? ID_DROPPED_UNITS * unit : 0;
    for (size_t j = 0; j < part->dim; j++) {
        const double error = x[j] - y[j], off = fabs(error);
        const bool is_usual = off <= TIMES_NOISE * part->noise; /* a row of something else is no noise */
        t->squares += is_usual ? error * error : 0;
        t->beyond += !is_usual;
        t->products += is_usual ? error * p->before[j] : 0;
        t->sum += is_usual ? error : 0;
        p->before[j] = is_usual ? error : 0;
        p->is_off[j] = !(off <= near || (part->dropped > 0 && x[j] == 0));
        p->is_apart[j] = p->is_off[j] && !(off <= APART_UNITS * unit);
        p->is_far[j] = p->is_off[j] && !(off <= FAR * size);
        t->off += p->is_off[j];
        t->most = p->is_off[j] && !p->is_far[j] ? fmax(t->most, off) : t->most;
    }
    note_row(&t->apart, part, p->is_apart, p->is_off, row, x, y);
    note_row(&t->far, part, p->is_far, p->is_off, row, x, y);
}

/* Rows first .. last - 1. */
static sinpos_status count_rows(const proof *p, const maker *m, size_t first, size_t last, tally *t)
{
    const size_t dim = p->part->dim;
    sinpos_status status = SINPOS_OK;
    for (; first < last && status == SINPOS_OK; first += p->piece) {
        const size_t n = last - first < p->piece ? last - first : p->piece;
        status = read_rows(p, first, n);
        status = status != SINPOS_OK ? status : make_rows(p, m, first, n);
        if (status != SINPOS_OK)
            return status;
        widen(p->x, p->got, p->part->type, n * dim);
        widen(p->y, p->want, p->part->type, n * dim);
        for (size_t i = 0; i < n; i++)
            if (memcmp(p->x + i * dim, p->y + i * dim, dim * sizeof *p->x) != 0)
                count_row(p, first + i, p->x + i * dim, p->y + i * dim, t);
    }
    return status;
}

static void begin_tally(const proof *p, tally *t)
{
    const size_t dim = p->part->dim;
    *t = (tally){.apart = {.of_column = p->apart}, .far = {.of_column = p->far}};
    memset(p->apart, 0, dim * sizeof *p->apart);
    memset(p->far, 0, dim * sizeof *p->far);
    memset(p->before, 0, dim * sizeof *p->before);
}

/* Few of each column and of each row that is not altered as a whole, few such rows, and few of all others. */
static void judge(outliers *o, const sinpos_identity *part)
{
    const bool is_range = part->n_axes == 1 && part->positions == NULL;
    o->are_few = (double)o->whole_rows <= (is_range ? PART_OF_ROWS * (double)part->rows_compared : 0) &&
                 (double)(o->n - o->n_in_rows) <= fmax(FEW_OF_ALL, PART_OF_ALL * (double)part->total.elements);
    for (size_t j = 0; j < part->dim && o->are_few; j++)
        o->are_few = are_few(o->of_column[j], part->rows_compared);
}

static sinpos_status count(const proof *p, const maker *m, tally *t)
{
    const sinpos_identity *part = p->part;
    const size_t n = id_compared_blocks(part->n, part->dim, p->all_rows);
    sinpos_status status = SINPOS_OK;
    begin_tally(p, t);
    for (size_t k = 0; k < n && status == SINPOS_OK; k++) {
        size_t first, last;
        id_compared_block(part->n, part->dim, n, k, &first, &last);
        status = count_rows(p, m, first, last, t);
    }
    judge(&t->apart, part);
    judge(&t->far, part);
    return status;
}

/* Elements that differ and are not altered; which are, is written down. */
static uint64_t take(sinpos_identity *part, const tally *t)
{
    const bool is_exact = t->off == t->apart.n && t->apart.are_few;
    const bool is_apart = t->most <= GAP * FAR * fabs(part->amplitude);
    const bool has_altered = is_exact || (t->far.are_few && is_apart && part->noise == 0);
    const outliers *altered = is_exact ? &t->apart : &t->far;
    part->n_altered = has_altered ? altered->n : 0;
    part->altered_box = altered->box;
    memcpy(part->altered, altered->list, sizeof part->altered);
    return t->off - part->n_altered;
}

/* ------------------------------------------------------------------------------------------------ the makers */

static sinpos_status make_whole(const proof *p, maker *m)
{
    const sinpos_encoding_info *info = sinpos_encoding_info_get(m->convention->source);
    if (info->n_rows > MOST_AT_ONCE / info->n_columns || info->n_rows * info->n_columns != p->part->n * p->part->dim)
        return SINPOS_OK;
    m->whole = malloc(info->n_rows * info->n_columns * sinpos_type_bytes(p->part->type) + 1);
    return m->whole == NULL ? SINPOS_E_MEMORY
                            : sinpos_encoding_fill(m->convention->source, 0, info->n_rows, p->part->type, m->whole,
                                                   info->n_columns, 1);
}

/* False in *is_made where the arithmetic does not apply. */
static sinpos_status begin(const proof *p, maker *m, bool *is_made)
{
    sinpos_status status = SINPOS_OK;
    if (m->convention != NULL)
        status = make_whole(p, m);
    else if (m->name != NULL)
        status = sinpos_replay_create(&m->replay, p->part->plan, m->name);
    *is_made = status == SINPOS_OK && (m->convention == NULL || m->whole != NULL);
    return status == SINPOS_E_MEMORY ? status : SINPOS_OK;
}

static sinpos_status try_maker(const proof *p, maker *m, tally *t, bool *is_made)
{
    sinpos_status status = begin(p, m, is_made);
    if (status == SINPOS_OK && *is_made && !m->is_named) {
        begin_tally(p, t);
        status = count_rows(p, m, 0, p->part->n < SOME_ROWS ? p->part->n : SOME_ROWS, t);
        *is_made = status == SINPOS_OK && t->off <= FEW_OF_ALL;
    }
    if (status == SINPOS_OK && *is_made)
        status = count(p, m, t);
    *is_made = *is_made && status == SINPOS_OK;
    sinpos_replay_destroy(m->replay);
    free(m->whole);
    m->replay = NULL;
    m->whole = NULL;
    return status == SINPOS_E_MEMORY || status == SINPOS_E_STOPPED ? status : SINPOS_OK;
}

/* Those that make every element, with the first of them as the arithmetic. */
static void name_maker(sinpos_identity *part, const maker *m, size_t n_before)
{
    if (n_before > 0) {
        id_add_also(part, m->name);
        return;
    }
    part->arithmetic_also[0] = '\0';
    part->arithmetic_share = part->arithmetic_equal = 1;
    part->published = m->convention;
    if (m->convention != NULL)
        snprintf(part->arithmetic_name, sizeof part->arithmetic_name, "as published by %s", m->name);
    part->arithmetic =
        m->convention != NULL ? part->arithmetic_name : sinpos_arithmetic_text(sinpos_arithmetic_find(m->name), "name");
}

/* All others; those that round positions come last. */
static size_t add_recipes(maker *list, size_t n, size_t most, bool rounds)
{
    const size_t before = n;
    for (size_t i = 0; i < sinpos_arithmetics_count() && n < most; i++) {
        const char *name = sinpos_arithmetic_text(sinpos_arithmetic_at(i), "name");
        bool is_new = (strstr(name, "positions") != NULL) == rounds;
        for (size_t k = 0; k < before && is_new; k++)
            is_new = list[k].convention != NULL || strcmp(list[k].name, name) != 0;
        if (is_new)
            list[n++] = (maker){.name = name};
    }
    return rounds ? n : add_recipes(list, n, most, true);
}

/* Arithmetics that were named, then the conventions whose sources were replayed: at most so many. */
static size_t list_makers(const sinpos_identity *part, maker *list, size_t most, char names[400])
{
    size_t n = 0;
    char *rest = NULL;
    snprintf(names, 400, "%s; %s", part->arithmetic, part->arithmetic_also);
    if (part->published != NULL)
        list[n++] = (maker){.name = part->published->name, .convention = part->published, .is_named = true};
    for (char *name = strtok_r(names, ";", &rest); name != NULL && n < most; name = strtok_r(NULL, ";", &rest)) {
        name += *name == ' ';
        if (sinpos_arithmetic_find(name) != NULL)
            list[n++] = (maker){.name = name, .is_named = true};
    }
    for (size_t i = 0; i < part->n_conventions && n < most; i++)
        if (part->conventions[i].source != NULL && &part->conventions[i] != part->published)
            list[n++] =
                (maker){.name = part->conventions[i].name, .convention = &part->conventions[i], .is_named = true};
    return add_recipes(list, n, most, false);
}

/* Errors of rounded angles grow with the angle. */
static bool is_noise(const sinpos_identity *part, const tally *t)
{
    return (double)t->beyond <= MOST_BEYOND * (double)part->total.elements &&
           fabs(t->products) <= MOST_ALIKE * t->squares && fabs(t->sum) <= MOST_TO_ONE_SIDE * sqrt(t->squares);
}

static sinpos_status prove_named(proof *p)
{
    enum { MOST = 36 };
    maker list[MOST];
    char names[400];
    tally t;
    bool is_made;
    sinpos_identity *part = p->part;
    const size_t n = list_makers(part, list, MOST, names);
    size_t n_named = 0;
    sinpos_status status = try_maker(p, &(maker){.is_named = true}, &t, &is_made);
    if (status == SINPOS_OK && !is_noise(part, &t))
        part->noise = 0;
    part->unexplained = status == SINPOS_OK ? take(part, &t) : 0;
    const uint64_t off_exact = status == SINPOS_OK ? t.off : 0;
    uint64_t off_named = UINT64_MAX; /* least of those that were named before */
    if (part->unexplained == 0) {
        part->arithmetic = "exact: each element rounded once";
        part->arithmetic_also[0] = '\0';
        part->arithmetic_share = 1;
        part->published = NULL;
    }
    for (size_t i = 0; i < n && status == SINPOS_OK && (part->unexplained > 0 || n_named > 0); i++) {
        status = try_maker(p, &list[i], &t, &is_made);
        if (status != SINPOS_OK || !is_made || (n_named > 0 && !list[i].is_named))
            continue;
        sinpos_identity before = *part;
        const uint64_t left = take(part, &t);
        off_named = list[i].is_named && t.off < off_named ? t.off : off_named;
        if (left == 0) {
            name_maker(part, &list[i], n_named++);
        } else if (left >= before.unexplained) {
            memcpy(part->altered, before.altered, sizeof part->altered);
            part->altered_box = before.altered_box;
            part->n_altered = before.n_altered;
        }
        part->unexplained = left < part->unexplained ? left : part->unexplained;
    }
    if (part->unexplained > 0 && off_named != UINT64_MAX && off_named >= off_exact) { /* it explains nothing */
        part->arithmetic = "";
        part->arithmetic_also[0] = '\0';
        part->arithmetic_share = 1;
        part->published = NULL;
    }
    return status;
}

/* Where every element is made, conventions that make most of them are none. */
static void drop_near(sinpos_identity *part)
{
    size_t n = 0;
    const sinpos_identity_convention *published = part->published;
    for (size_t i = 0; i < part->n_conventions; i++) {
        sinpos_identity_convention own = part->conventions[i];
        if (own.is_exact || own.published_equal == 1) {
            part->published = published == &part->conventions[i] ? &part->conventions[n] : part->published;
            part->conventions[n++] = own;
            continue;
        }
        part->published = published == &part->conventions[i] ? NULL : part->published;
        free(own.settings);
        sinpos_encoding_destroy(own.source);
    }
    part->n_conventions = n;
}

/* ------------------------------------------------------------------------------------------------ the whole */

static sinpos_status make_room(proof *p)
{
    const size_t fit = ((size_t)1 << 16) / p->part->dim + 1, piece = fit < p->part->n ? fit : p->part->n;
    const size_t count = piece * p->part->dim;
    p->piece = piece;
    p->row = blocks_take(&p->memory, p->view.dim, sizeof(double));
    p->got = blocks_take(&p->memory, count, sizeof(double));
    p->want = blocks_take(&p->memory, count, sizeof(double));
    p->replayed = blocks_take(&p->memory, count, sizeof(double));
    p->x = blocks_take(&p->memory, count, sizeof *p->x);
    p->y = blocks_take(&p->memory, count, sizeof *p->y);
    p->positions = blocks_take(&p->memory, piece * p->part->n_axes + 1, sizeof *p->positions);
    p->apart = blocks_take(&p->memory, p->part->dim, sizeof *p->apart);
    p->far = blocks_take(&p->memory, p->part->dim, sizeof *p->far);
    p->is_off = blocks_take(&p->memory, p->part->dim, sizeof *p->is_off);
    p->is_apart = blocks_take(&p->memory, p->part->dim, sizeof *p->is_apart);
    p->is_far = blocks_take(&p->memory, p->part->dim, sizeof *p->is_far);
    p->before = blocks_take(&p->memory, p->part->dim, sizeof *p->before);
    return blocks_status(&p->memory);
}

static sinpos_status prove_part(sinpos_identity *part, const sinpos_table *table, bool all_rows)
{
    proof p = {.part = part, .table = table, .all_rows = all_rows};
    bool is_possible = false;
    part->unexplained = 0;
    if (!part->is_sinusoidal || part->total.wrong == 0)
        return SINPOS_OK;
    sinpos_status status = id_view_make(&p.view, table, part->view, &is_possible);
    status = status != SINPOS_OK ? status : make_room(&p);
    status = status != SINPOS_OK ? status : prove_named(&p);
    if (status == SINPOS_OK && part->unexplained == 0)
        drop_near(part);
    blocks_free(&p.memory);
    free(p.view.data);
    return status;
}

sinpos_status id_prove(sinpos_identity *identity, const sinpos_table *table, bool all_rows)
{
    sinpos_status status = prove_part(identity, table, all_rows);
    for (size_t i = 0; i < identity->n_others && status == SINPOS_OK; i++)
        status = prove_part(identity->others[i], table, all_rows);
    return status;
}
