/* identify_sample.c - some rows of a table as doubles. */
#include "elements.h"
#include "identify_match.h"

/* First rows that are looked at, as elements; and rows of the middle and of the end, if the table is longer. */
#define FIRST_ELEMENTS ((size_t)1 << 20)
#define LATER_ROWS 32

/* The type whose numbers all elements are, where it is a coarser one: a table made in float32 and kept as float64. */
static double unit_of_values(const id_sample *sample)
{
    double unit = sample->unit;
    bool fits = unit < 0x1p-24;
    for (size_t i = 0; i < sample->n * sample->dim && fits; i++)
        fits = (double)(float)sample->x[i] == sample->x[i];
    return fits && sample->n > 0 ? 0x1p-24 : unit;
}

typedef enum row_kind { ROW_ZERO, ROW_USABLE, ROW_NOT_FINITE } row_kind;

static row_kind look(const double *x, size_t dim)
{
    row_kind kind = ROW_ZERO;
    for (size_t j = 0; j < dim; j++) {
        if (!isfinite(x[j]))
            return ROW_NOT_FINITE;
        kind = x[j] != 0 ? ROW_USABLE : kind;
    }
    return kind;
}

/* What was done to the columns, undone; elements that were dropped are unknown. */
void id_repair(const id_match *match, sinpos_type type, double *x)
{
    if (match == NULL)
        return;
    for (size_t j = 0; j < match->dim; j++) {
        const id_column *column = &match->column[j];
        const bool is_dropped = match->dropped > 0 && x[j] == 0 && !column->is_zero;
        x[j] = is_dropped ? NAN : (x[j] - round_to(column->offset, type)) / column->factor;
    }
}

/* Rows first .. first + n - 1. */
static sinpos_status take_rows(id_sample *sample, const id_view *view, size_t first, size_t n, void *room)
{
    const sinpos_status status = id_view_read(view, first, n, room);
    if (status != SINPOS_OK)
        return status;
    double *x = sample->x + sample->n * sample->dim;
    for (size_t i = 0; i < n; i++) {
        widen(x, (const char *)room + i * sample->dim * sinpos_type_bytes(view->type), view->type, sample->dim);
        sample->n_looked++;
        const row_kind kind = look(x, sample->dim);
        if (kind == ROW_USABLE && view->match != NULL)
            memcpy(sample->raw + sample->n * sample->dim, x, sample->dim * sizeof *x);
        if (kind == ROW_USABLE && view->match != NULL)
            id_repair(view->match, view->type, x);
        if (kind == ROW_USABLE) {
            sample->row[sample->n++] = first + i;
            x += sample->dim;
        } else if (kind == ROW_ZERO) {
            sample->zero[sample->n_zero++] = first + i;
        }
    }
    return SINPOS_OK;
}

sinpos_status id_ask(const sinpos_table *table)
{
    void *row = malloc(table->shape[table->n_dims - 1] * sinpos_type_bytes(table->type));
    const sinpos_status status = row == NULL ? SINPOS_E_MEMORY : table->read(table->context, 0, 1, row);
    free(row);
    return status;
}

sinpos_status id_sample_take(id_sample *sample, const id_view *view)
{
    const size_t fit = FIRST_ELEMENTS / view->dim, least = fit < 64 ? 64 : fit, most = least > 4096 ? 4096 : least;
    const size_t first = view->n <= most + 2 * LATER_ROWS ? view->n : most;
    const size_t n = first == view->n ? first : first + 2 * LATER_ROWS;
    *sample = (id_sample){.dim = view->dim, .n_all = view->n, .unit = type_unit(view->type), .table = view->table};
    if (view->dim > SIZE_MAX / sizeof(double) / n)
        return SINPOS_E_SHAPE;
    sample->row = blocks_take(&sample->memory, n, sizeof *sample->row);
    sample->zero = blocks_take(&sample->memory, n, sizeof *sample->zero);
    sample->x = blocks_take(&sample->memory, n, view->dim * sizeof *sample->x);
    sample->raw = view->match == NULL ? sample->x : blocks_take(&sample->memory, n, view->dim * sizeof *sample->raw);
    void *room = malloc(first * view->dim * sinpos_type_bytes(view->type));
    sinpos_status status = SINPOS_E_MEMORY;
    if (room != NULL && !sample->memory.has_failed) {
        status = take_rows(sample, view, 0, first, room);
        if (status == SINPOS_OK && first < view->n) {
            status = take_rows(sample, view, (first + view->n) / 2 - LATER_ROWS / 2, LATER_ROWS, room);
            status = status != SINPOS_OK ? status : take_rows(sample, view, view->n - LATER_ROWS, LATER_ROWS, room);
        }
    }
    free(room);
    if (status == SINPOS_OK && view->match == NULL)
        sample->unit = unit_of_values(sample);
    for (size_t j = 0; view->match != NULL && j < view->dim; j++)
        if (view->match->column[j].offset != 0)
            sample->flat = 4 * sample->unit;
    return status;
}

void id_sample_free(id_sample *sample)
{
    blocks_free(&sample->memory);
    *sample = (id_sample){0};
}
