/*
 * Rotation of queries and keys with the roundings of somebody's code: cosines and sines as replayed, then
 * u cos - v sin and v cos + u sin, both products and the sum rounded.
 */
#include <string.h>

#include "build.h"

bool turning_read(const char *words, turning *t)
{
    *t = is_blank(words)                  ? TURNING_UNKNOWN
         : strcmp(words, "x") == 0        ? TURNING_X
         : strcmp(words, "f32") == 0      ? TURNING_F32
         : strcmp(words, "x, f32") == 0   ? TURNING_X_F32
         : strcmp(words, "f32, f64") == 0 ? TURNING_F32_F64
                                          : TURNING_NONE;
    return *t != TURNING_NONE;
}

/* The columns are pairs of a sine and a cosine, frequency after frequency. */
static bool are_pairs(const sinpos_replay *r)
{
    bool ok = r->n_columns % 2 == 0;
    for (size_t k = 0; ok && k < r->n_columns; k += 2) {
        ok = r->columns[k].component == 0 && r->columns[k + 1].component == 1 &&
             r->columns[k].voice == r->columns[k + 1].voice;
    }
    return ok;
}

sinpos_status replay_turns(const sinpos_replay *r, sinpos_direction direction, sinpos_type type)
{
    if (r == NULL || direction == SINPOS_INVERSE || !are_pairs(r))
        return SINPOS_E_UNSUPPORTED;
    const bool is_any = r->turns == TURNING_X || r->turns == TURNING_F32 || r->turns == TURNING_F32_F64;
    const bool is_narrow = r->turns == TURNING_X_F32 && type != SINPOS_F64; /* float32 times float64 is neither */
    return is_any || is_narrow || type == SINPOS_F32 ? SINPOS_OK : SINPOS_E_TYPE;
}

typedef struct rotation_call {
    const sinpos_replay *r;
    sinpos_type type, table, product;
    double sign; /* of the sines */
    size_t n_heads, bytes, ld_row, ld_head;
    char *x;
} rotation_call;

static double factor(const rotation_call *j, const replay_column *c, const double *values)
{
    const double x = values[3 * c->voice + (size_t)c->component];
    return round_double(c->negated ? -x : x, j->table);
}

static void turn_pair(const rotation_call *j, char *row, size_t u_column, size_t v_column, double cosine, double sine)
{
    for (size_t h = 0; h < j->n_heads; h++, row += j->ld_head * j->bytes) {
        const double u = round_double(load_element(row, u_column, j->type), j->product);
        const double v = round_double(load_element(row, v_column, j->type), j->product);
        const double uc = round_double(u * cosine, j->product), vs = round_double(v * sine, j->product);
        const double vc = round_double(v * cosine, j->product), us = round_double(u * sine, j->product);
        store_element(row, u_column, round_double(round_double(uc - vs, j->product), j->type), j->type);
        store_element(row, v_column, round_double(round_double(vc + us, j->product), j->type), j->type);
    }
}

static void turn_row(void *context, size_t row, const double *values)
{
    const rotation_call *j = context;
    for (size_t k = 0; k < j->r->n_columns; k += 2) {
        const replay_column *s = &j->r->columns[k], *c = &j->r->columns[k + 1];
        turn_pair(j, j->x + row * j->ld_row * j->bytes, c->column, s->column, factor(j, c, values),
                  j->sign * factor(j, s, values));
    }
}

void replay_rotate_rows(const sinpos_replay *r, replay_room *room, const sinpos_rows *rows, size_t first,
                        sinpos_direction direction, size_t n_heads, sinpos_type type, void *x, size_t ld_row,
                        size_t ld_head)
{
    const bool in_type = r->turns == TURNING_X || r->turns == TURNING_UNKNOWN;
    const bool is_f64 = r->turns == TURNING_F32_F64;
    rotation_call j = {.r = r,
                       .type = type,
                       .table = r->turns == TURNING_F32 || is_f64 ? SINPOS_F32 : type,
                       .product = is_f64    ? SINPOS_F64
                                  : in_type ? type
                                            : SINPOS_F32,
                       .sign = direction == SINPOS_FORWARD ? 1 : -1,
                       .n_heads = n_heads,
                       .bytes = sinpos_type_bytes(type),
                       .ld_row = ld_row,
                       .ld_head = ld_head,
                       .x = x};
    replay_each(room, rows, first, turn_row, &j);
}

sinpos_status sinpos_replay_rotate(const sinpos_replay *r, const sinpos_rows *given, sinpos_direction direction,
                                   size_t n_heads, sinpos_type type, void *x, size_t ld_row, size_t ld_head,
                                   size_t n_threads)
{
    BOUNDARY;
    sinpos_rows own;
    const sinpos_rows *rows = &own;
    sinpos_status status = r == NULL ? SINPOS_E_NULL : rows_read(&own, given);
    if (status == SINPOS_OK && ((unsigned)direction > SINPOS_TRANSPOSE || n_threads > MAX_THREADS))
        status = SINPOS_E_VALUE;
    if (status != SINPOS_OK || sinpos_type_bytes(type) == 0)
        return status != SINPOS_OK ? status : SINPOS_E_TYPE;
    status = replay_turns(r, direction, type);
    if (status != SINPOS_OK || rows->n == 0 || n_heads == 0)
        return status;
    if (!heads_apart(r->dim, rows->n, n_heads, ld_row, ld_head, sinpos_type_bytes(type)))
        return SINPOS_E_SHAPE;
    status = x == NULL ? SINPOS_E_NULL : replay_check(r, rows);
    if (status != SINPOS_OK)
        return status;
    replay_room *room = replay_room_create(r->v, rows->n, n_threads);
    if (room == NULL)
        return SINPOS_E_MEMORY;
    replay_rotate_rows(r, room, rows, 0, direction, n_heads, type, x, ld_row, ld_head);
    replay_room_destroy(room);
    return SINPOS_OK;
}
