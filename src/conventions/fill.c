/* Rows of an encoding. */
#include <stdlib.h>
#include <string.h>

#include "build.h"

/* ------------------------------------------------------------------------------------------- what is not a sine or cosine */

/* scale * x + shift, rounded once (from 106 bits). */
static double linear_value(const sinpos_encoding *e, const raw_column *raw, size_t row, sinpos_type type)
{
    wide sum;
    double parts[2];
    wide_zero(&sum);
    wide_add_product(&sum, 1, raw->shift);
    for (size_t k = 0; k < raw->n_parts; k++) {
        const size_t at = row * e->n_x + raw->first + k;
        const double x = e->integers != NULL ? (double)e->integers[at]
                         : e->reals != NULL  ? e->reals[at]
                                             : (double)(e->first + (int64_t)row);
        wide_add_product(&sum, x, raw->scale);
    }
    wide_to_doubles(REAL_LIMBS, &sum, parts, 2);
    return round_sum(parts[0], parts[1], type);
}

sinpos_status sinpos_encoding_coordinates(const sinpos_encoding *e, size_t first, size_t n, double *out)
{
    BOUNDARY;
    if (e == NULL || (out == NULL && n > 0))
        return SINPOS_E_NULL;
    if (first > e->n_core + e->n_still || n > e->n_core + e->n_still - first)
        return SINPOS_E_RANGE;
    for (size_t i = 0; i < n; i++)
        for (size_t a = 0; a < e->info.n_axes; a++)
            out[i * e->info.n_axes + a] = linear_value(e, &e->axes[a], first + i, SINPOS_F64);
    return SINPOS_OK;
}

static void put_linear(const sinpos_encoding *e, size_t row, size_t n, sinpos_type type, void *out, size_t ld,
                       bool adds)
{
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < e->n_raw; k++) {
            const size_t at = i * ld + e->raw[k].column;
            double item = linear_value(e, &e->raw[k], row + i, type);
            item = adds ? round_sum(load_element(out, at, type), item, type) : item;
            store_element(out, at, item, type);
        }
    }
}

static void put_constants(const sinpos_encoding *e, sinpos_type type, void *out, bool adds)
{
    for (size_t k = 0; k < e->info.n_columns; k++) {
        double item = round_sum(e->constants[2 * k], e->constants[2 * k + 1], type);
        item = adds ? round_sum(load_element(out, k, type), item, type) : item;
        store_element(out, k, item, type);
    }
}

/* ----------------------------------------------------------------------------------------------------- rows of a plane */

typedef struct fill_call {
    const sinpos_encoding *e;
    const sinpos_plan *plan;
    const sinpos_replay *replay; /* in place of the plan, if not NULL */
    replay_room *room;           /* of the replay */
    sinpos_operation operation;
    sinpos_type type;
    char *out;
    size_t ld, n_columns, n_threads;
} fill_call;

static void zero_rows(const fill_call *j, char *out, size_t n)
{
    const size_t bytes = sinpos_type_bytes(j->type);
    for (size_t i = 0; i < n && j->operation == SINPOS_FILL; i++)
        memset(out + i * j->ld * bytes, 0, j->n_columns * bytes);
}

/* Rows row .. row + n - 1 of those that have coordinates. */
static sinpos_status core_rows(const fill_call *j, char *out, size_t row, size_t n)
{
    const sinpos_encoding *e = j->e;
    sinpos_rows rows = SINPOS_ROWS_INIT;
    sinpos_status status = sinpos_encoding_positions(e, row, n, &rows);
    if (status == SINPOS_OK && j->replay != NULL)
        replay_rows(j->replay, j->room, j->operation, &rows, row, j->type, out, j->ld);
    else if (status == SINPOS_OK && j->plan != NULL)
        status = sinpos_run(j->plan, j->operation, &rows, j->type, out, j->ld, j->n_threads);
    if (status == SINPOS_OK && e->n_raw > 0)
        put_linear(e, row, n, j->type, out, j->ld, j->operation == SINPOS_ADD);
    return status;
}

/* As core_rows(), but rows that are zero by definition are left out. */
static sinpos_status marked_rows(const fill_call *j, char *out, size_t row, size_t n)
{
    const sinpos_encoding *e = j->e;
    const size_t bytes = sinpos_type_bytes(j->type);
    for (size_t done = 0; done < n;) {
        size_t run = 0;
        while (done + run < n && !(row + done + run < e->n_core && e->is_zero[row + done + run]))
            run++;
        const sinpos_status status = core_rows(j, out + done * j->ld * bytes, row + done, run);
        if (status != SINPOS_OK)
            return status;
        done += run;
        if (done < n) {
            zero_rows(j, out + done * j->ld * bytes, 1);
            done++;
        }
    }
    return SINPOS_OK;
}

/* Rows of one plane, those of zeros included. */
static sinpos_status plane_rows(const fill_call *j, size_t row, size_t n)
{
    const sinpos_encoding *e = j->e;
    const size_t bytes = sinpos_type_bytes(j->type);
    const size_t left = row < e->n_zero_first ? e->n_zero_first - row : 0, zeros = left < n ? left : n;
    zero_rows(j, j->out, zeros);
    if (zeros == n)
        return SINPOS_OK;
    char *out = j->out + zeros * j->ld * bytes;
    const size_t first = row + zeros - e->n_zero_first;
    return e->is_zero == NULL ? core_rows(j, out, first, n - zeros) : marked_rows(j, out, first, n - zeros);
}

static sinpos_status all_planes(const fill_call *j, size_t first, size_t n)
{
    const sinpos_encoding *e = j->e;
    const size_t n_positions = e->info.n_positions, bytes = sinpos_type_bytes(j->type);
    for (size_t done = 0; done < n;) {
        const size_t plane = (first + done) / n_positions, row = (first + done) % n_positions;
        const size_t left = n_positions - row, part = left < n - done ? left : n - done;
        fill_call own = *j;
        own.plan = e->planes[plane] != NULL ? e->planes[plane] : e->info.output == SINPOS_OUTPUT_TABLE ? e->plan : NULL;
        own.replay = e->v == NULL                            ? NULL
                     : e->replays[plane] != NULL             ? e->replays[plane]
                     : e->info.output == SINPOS_OUTPUT_TABLE ? e->replay
                                                             : NULL;
        own.out = j->out + done * j->ld * bytes;
        const sinpos_status status = plane_rows(&own, row, part);
        if (status != SINPOS_OK)
            return status;
        done += part;
    }
    return SINPOS_OK;
}

/* ------------------------------------------------------------------------------------------------ columns before the grid */

static void add_or_store(const fill_call *j, size_t at, const void *from, size_t k)
{
    double item = load_element(from, k, j->type);
    if (j->operation == SINPOS_ADD)
        item = round_sum(load_element(j->out, at, j->type), item, j->type);
    store_element(j->out, at, item, j->type);
}

/* Rows are columns of the table, which is made a few positions at a time. */
static sinpos_status transposed(const fill_call *j, size_t first, size_t n)
{
    enum { POSITIONS = 256 };
    const sinpos_encoding *e = j->e;
    const size_t width = e->info.n_rows, bytes = sinpos_type_bytes(j->type);
    if (width > SIZE_MAX / bytes / POSITIONS)
        return SINPOS_E_SHAPE;
    char *table = malloc(width * bytes * POSITIONS);
    if (table == NULL)
        return SINPOS_E_MEMORY;
    sinpos_status status = SINPOS_OK;
    for (size_t p = 0; p < e->info.n_positions && status == SINPOS_OK; p += POSITIONS) {
        const size_t left = e->info.n_positions - p, part = left < POSITIONS ? left : POSITIONS;
        const fill_call own = {.e = e,
                               .plan = e->plan,
                               .replay = e->replay,
                               .room = j->room,
                               .operation = SINPOS_FILL,
                               .type = j->type,
                               .out = table,
                               .ld = width,
                               .n_columns = width,
                               .n_threads = j->n_threads};
        status = plane_rows(&own, p, part);
        for (size_t i = 0; i < n && status == SINPOS_OK; i++)
            for (size_t k = 0; k < part; k++)
                add_or_store(j, i * j->ld + p + k, table, k * width + first + i);
    }
    free(table);
    return status;
}

/* ---------------------------------------------------------------------------------------------------------------- calls */

static sinpos_status run(const sinpos_encoding *e, sinpos_operation operation, size_t first, size_t n, sinpos_type type,
                         void *out, size_t ld, size_t n_threads)
{
    if (e == NULL || (out == NULL && n > 0))
        return SINPOS_E_NULL;
    const bool is_rotated = e->info.output == SINPOS_OUTPUT_ROTATED;
    if (is_rotated && operation != SINPOS_FILL)
        return SINPOS_E_UNSUPPORTED;
    if (n_threads > MAX_THREADS)
        return SINPOS_E_VALUE;
    sinpos_status status = check_type(e->plan, type);
    status = status != SINPOS_OK ? status : check_array(n, e->info.n_columns, ld, sinpos_type_bytes(type));
    if (status != SINPOS_OK)
        return status;
    if (first > e->info.n_rows || n > e->info.n_rows - first)
        return SINPOS_E_RANGE;
    fill_call j = {.e = e,
                   .operation = operation,
                   .type = type,
                   .out = out,
                   .ld = ld,
                   .n_columns = e->info.n_columns,
                   .n_threads = n_threads};
    if (n == 0 || e->info.n_columns == 0)
        return SINPOS_OK;
    if (is_rotated)
        return fill_rotated(e, first, n, type, out, ld, n_threads);
    if (e->v != NULL &&
        (j.room = replay_room_create(e->v, e->channel_first ? e->info.n_positions : n, n_threads)) == NULL)
        return SINPOS_E_MEMORY;
    if (e->constants != NULL)
        put_constants(e, type, out, operation == SINPOS_ADD);
    else
        status = e->channel_first ? transposed(&j, first, n) : all_planes(&j, first, n);
    replay_room_destroy(j.room);
    return status;
}

sinpos_status sinpos_encoding_fill(const sinpos_encoding *e, size_t first, size_t n, sinpos_type type, void *out,
                                   size_t ld_out, size_t n_threads)
{
    BOUNDARY;
    return run(e, SINPOS_FILL, first, n, type, out, ld_out, n_threads);
}

sinpos_status sinpos_encoding_add(const sinpos_encoding *e, size_t first, size_t n, sinpos_type type, void *x,
                                  size_t ld_x, size_t n_threads)
{
    BOUNDARY;
    return run(e, SINPOS_ADD, first, n, type, x, ld_x, n_threads);
}
