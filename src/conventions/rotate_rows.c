/* Rotation of the rows of queries and keys by an encoding, exact or replayed. */
#include <stdlib.h>
#include <string.h>

#include "build.h"

typedef struct block {
    const sinpos_encoding *e;
    sinpos_direction direction;
    size_t n_heads, bytes; /* of an element */
    sinpos_type type;
    char *x;
    size_t ld_row, ld_head, n_threads;
    char *head;        /* room for one, where the result has another order than the input */
    replay_room *room; /* where the encoding is replayed */
} block;

static char *head_at(const block *b, size_t row, size_t head)
{
    return b->x + (row * b->ld_row + head * b->ld_head + b->e->rotary_first) * b->bytes;
}

/* Neighbours to halves of their block, or back. */
static void permute_head(const block *b, char *head, bool to_halves)
{
    const size_t n = b->e->rotary_pairs, m = b->e->rotary_block, bytes = b->bytes;
    memcpy(b->head, head, 2 * n * bytes);
    for (size_t j = 0; j < n; j++) {
        for (size_t half = 0; half < 2; half++) {
            const size_t pair = 2 * j + half, apart = j + j / m * m + half * m;
            memcpy(head + (to_halves ? apart : pair) * bytes, b->head + (to_halves ? pair : apart) * bytes, bytes);
        }
    }
}

static void permute(const block *b, size_t n, bool to_halves)
{
    for (size_t i = 0; i < n; i++)
        for (size_t h = 0; h < b->n_heads; h++)
            permute_head(b, head_at(b, i, h), to_halves);
}

static bool is_zero_row(const sinpos_encoding *e, size_t row)
{
    return row < e->n_zero_first ||
           (e->is_zero != NULL && row - e->n_zero_first < e->n_core && e->is_zero[row - e->n_zero_first]);
}

static void erase(const block *b, size_t i)
{
    for (size_t h = 0; h < b->n_heads; h++)
        memset(head_at(b, i, h), 0, 2 * b->e->rotary_pairs * b->bytes);
}

/* Rows i .. i + n - 1 of x at positions first .. first + n - 1, none of which is zero. */
static sinpos_status rotate_run(const block *b, size_t i, size_t first, size_t n)
{
    const sinpos_encoding *e = b->e;
    sinpos_rows rows = SINPOS_ROWS_INIT;
    const sinpos_status status = sinpos_encoding_positions(e, first - e->n_zero_first, n, &rows);
    char *const x = b->x + i * b->ld_row * b->bytes;
    if (status == SINPOS_OK && e->v == NULL)
        return sinpos_rotate(e->plan, &rows, b->direction, b->n_heads, b->type, x, b->ld_row, b->ld_head, b->n_threads);
    if (status == SINPOS_OK) {
        replay_rotate_rows(e->replay, b->room, &rows, first - e->n_zero_first, b->direction, b->n_heads, b->type, x,
                           b->ld_row, b->ld_head);
    }
    return status;
}

static sinpos_status rotate_all(const block *b, size_t first, size_t n)
{
    for (size_t done = 0; done < n;) {
        size_t run = 0;
        while (done + run < n && !is_zero_row(b->e, first + done + run))
            run++;
        const sinpos_status status = run == 0 ? SINPOS_OK : rotate_run(b, done, first + done, run);
        if (status != SINPOS_OK)
            return status;
        done += run;
        if (done < n)
            erase(b, done++);
    }
    return SINPOS_OK;
}

/* Where neighbours are rotated and the result stands in halves they are moved afterwards, or before it is undone. */
static sinpos_status rotate(const block *b, size_t first, size_t n)
{
    const bool moves = b->e->result_is_half, is_forward = b->direction == SINPOS_FORWARD;
    if (moves && !is_forward)
        permute(b, n, false);
    const sinpos_status status = rotate_all(b, first, n);
    if (moves && is_forward)
        permute(b, n, true);
    return status;
}

/* All that could be refused, before anything moves. */
static sinpos_status check(const block *b, size_t first, size_t n)
{
    const sinpos_encoding *e = b->e;
    const size_t n_positions = e->info.n_positions;
    if (e->info.head_width == 0)
        return SINPOS_E_UNSUPPORTED;
    sinpos_status status = e->v != NULL ? replay_turns(e->replay, b->direction, b->type) : SINPOS_OK;
    if (status != SINPOS_OK)
        return status;
    if ((unsigned)b->direction > SINPOS_TRANSPOSE || b->n_threads > MAX_THREADS)
        return SINPOS_E_VALUE;
    if (n > 0 && b->n_heads > 0 && !heads_apart(e->info.head_width, n, b->n_heads, b->ld_row, b->ld_head, b->bytes))
        return SINPOS_E_SHAPE;
    if (first > n_positions || n > n_positions - first)
        return SINPOS_E_RANGE;
    bool any_zero = false, divides = false;
    for (size_t i = first; i < first + n && !any_zero; i++)
        any_zero = is_zero_row(e, i);
    status = check_pairs(e->plan, b->direction, &divides);
    return any_zero && b->direction == SINPOS_INVERSE ? SINPOS_E_VALUE : status;
}

/* Checks, and takes the memory that is needed: after SINPOS_OK rotate() does not fail. */
static sinpos_status prepare(block *b, size_t first, size_t n)
{
    const sinpos_encoding *e = b->e;
    sinpos_status status = check_type(e->plan, b->type);
    status = status != SINPOS_OK ? status : check(b, first, n);
    if (status != SINPOS_OK)
        return status;
    b->head = e->result_is_half ? malloc(2 * e->rotary_pairs * b->bytes + 1) : NULL;
    b->room = e->v != NULL ? replay_room_create(e->v, n, b->n_threads) : NULL;
    return (b->head == NULL && e->result_is_half) || (b->room == NULL && e->v != NULL) ? SINPOS_E_MEMORY : SINPOS_OK;
}

static void release(block *b)
{
    free(b->head);
    replay_room_destroy(b->room);
}

sinpos_status sinpos_encoding_rotate(const sinpos_encoding *e, size_t first, size_t n, sinpos_direction direction,
                                     size_t n_heads, sinpos_type type, void *x, size_t ld_row, size_t ld_head,
                                     size_t n_threads)
{
    BOUNDARY;
    if (e == NULL || (x == NULL && n > 0 && n_heads > 0))
        return SINPOS_E_NULL;
    block b = {.e = e,
               .direction = direction,
               .n_heads = n_heads,
               .bytes = sinpos_type_bytes(type),
               .type = type,
               .x = x,
               .ld_row = ld_row,
               .ld_head = ld_head,
               .n_threads = n_threads};
    sinpos_status status = prepare(&b, first, n);
    if (status == SINPOS_OK && n_heads > 0)
        status = rotate(&b, first, n);
    release(&b);
    return status;
}

/* x[r, j] = ((37 (r d + j) + 11) mod 64 - 32) / 16: numbers that every type holds. */
sinpos_status fill_rotated(const sinpos_encoding *e, size_t first, size_t n, sinpos_type type, void *out, size_t ld,
                           size_t n_threads)
{
    const size_t d = e->info.n_columns;
    block b = {.e = e,
               .direction = SINPOS_FORWARD,
               .n_heads = 1,
               .bytes = sinpos_type_bytes(type),
               .type = type,
               .x = out,
               .ld_row = ld,
               .ld_head = d,
               .n_threads = n_threads};
    sinpos_status status = prepare(&b, first, n);
    for (size_t i = 0; i < n && status == SINPOS_OK; i++) {
        for (size_t j = 0; j < d; j++) {
            const size_t k = (37 * (((first + i) % 64) * (d % 64) + j) + 11) % 64;
            store_element(out, i * ld + j, ((double)k - 32) / 16, type);
        }
    }
    if (status == SINPOS_OK)
        status = rotate(&b, first, n);
    release(&b);
    return status;
}
