/*
 * identify_narrow.c - arrays whose elements are all numbers of a 16-bit type, kept in a wider one: NumPy has no bfloat16.
 * They are looked at as what they are. And arrays of integers times a number: what they differ by from an encoding is no
 * noise.
 */
#include "elements.h"
#include "identify.h"

/* Elements that other types seldom share with the narrow ones, so many and such a part of all. */
#define LEAST_TELLING 64
#define TELLING_PART 0.25

/* Bits of a number that tells something: 0, powers of two and their small multiples are in every type. */
#define TELLING_BITS 4

static size_t count_telling(const double *x, size_t n)
{
    size_t telling = 0;
    for (size_t i = 0; i < n; i++)
        telling += isfinite(x[i]) && id_to_bits(x[i], TELLING_BITS) != x[i];
    return telling;
}

/* Types that hold the elements of some rows: of all of a small array, of those that are compared of a large one. */
static sinpos_status look(const sinpos_table *table, size_t n, unsigned *types, size_t *telling, size_t *looked)
{
    const size_t dim = table->shape[table->n_dims - 1], n_blocks = id_compared_blocks(n, dim, false);
    const size_t fit = ((size_t)1 << 16) / dim + 1, piece = fit < n ? fit : n;
    void *raw = malloc(piece * dim * sinpos_type_bytes(table->type));
    double *x = malloc(piece * dim * sizeof *x);
    sinpos_status status = raw == NULL || x == NULL ? SINPOS_E_MEMORY : SINPOS_OK;
    for (size_t k = 0; k < n_blocks && (*types & (SINPOS_F16 | SINPOS_BF16)) != 0 && status == SINPOS_OK; k++) {
        size_t first, last;
        id_compared_block(n, dim, n_blocks, k, &first, &last);
        for (; first < last && status == SINPOS_OK; first += piece) {
            const size_t some = last - first < piece ? last - first : piece;
            status = table->read(table->context, first, some, raw);
            if (status != SINPOS_OK)
                break;
            widen(x, raw, table->type, some * dim);
            *types = types_that_hold(x, some * dim, *types);
            *telling += count_telling(x, some * dim);
            *looked += some * dim;
        }
    }
    free(raw);
    free(x);
    return status;
}

static sinpos_status read_narrow(void *context, size_t first, size_t n, void *rows)
{
    const id_narrow *own = context;
    const size_t count = n * own->wide->shape[own->wide->n_dims - 1];
    void *raw = malloc(count * sinpos_type_bytes(own->wide->type));
    double *x = malloc(count * sizeof *x);
    sinpos_status status = raw == NULL || x == NULL ? SINPOS_E_MEMORY : SINPOS_OK;
    status = status != SINPOS_OK ? status : own->wide->read(own->wide->context, first, n, raw);
    if (status == SINPOS_OK) {
        widen(x, raw, own->wide->type, count);
        narrow(rows, x, own->table.type, count);
    }
    free(raw);
    free(x);
    return status;
}

sinpos_status id_narrow_table(id_narrow *own, const sinpos_table *table)
{
    unsigned types = SINPOS_F64 | SINPOS_F32 | SINPOS_F16 | SINPOS_BF16;
    size_t n = 1, telling = 0, looked = 0;
    *own = (id_narrow){.wide = table, .table = *table};
    if (sinpos_type_bytes(table->type) <= 2)
        return SINPOS_OK;
    for (size_t i = 0; i + 1 < table->n_dims; i++)
        n *= table->shape[i];
    const sinpos_status status = look(table, n, &types, &telling, &looked);
    const sinpos_type type = narrowest_type(table->type, types);
    if (status == SINPOS_OK && sinpos_type_bytes(type) == 2 && telling >= LEAST_TELLING &&
        (double)telling >= TELLING_PART * (double)looked) {
        own->table.type = type;
        own->table.read = read_narrow;
        own->table.context = own;
    }
    return status;
}

/* ---------------------------------------------------------------------------------------------- multiples */

/* Elements that are looked at, and sizes that they may have, each on average so often; how near to a multiple they are. */
#define MOST_ELEMENTS ((size_t)1 << 16)
#define MOST_SIZES 4096
#define LEAST_TIMES 8
#define NEAR_MULTIPLE 1e-4

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The step of ascending sizes that are all multiples of it; 0 where there is none, or too many or too few. */
static double step_of(const double *size, size_t n)
{
    double step = INFINITY, last = 0;
    size_t sizes = 1;
    for (size_t i = 0; i < n; i++) {
        const double gap = size[i] - last;
        if (gap > NEAR_MULTIPLE * size[n - 1] / MOST_SIZES) {
            step = fmin(step, gap);
            sizes++;
            last = size[i];
        }
    }
    if (sizes < 4 || sizes > MOST_SIZES || n < LEAST_TIMES * sizes)
        return 0;
    step = size[n - 1] / nearbyint(size[n - 1] / step); /* the largest knows it best */
    for (size_t i = 0; i < n; i++)
        if (!(fabs(size[i] / step - nearbyint(size[i] / step)) <= NEAR_MULTIPLE * (1 + size[i] / step)))
            return 0;
    return step;
}

sinpos_status id_find_step(const sinpos_table *table, double *step)
{
    const size_t dim = table->shape[table->n_dims - 1];
    size_t n = 1;
    *step = 0;
    for (size_t i = 0; i + 1 < table->n_dims; i++)
        n *= table->shape[i];
    n = n > MOST_ELEMENTS / dim + 1 ? MOST_ELEMENTS / dim + 1 : n;
    void *raw = malloc(n * dim * sinpos_type_bytes(table->type));
    double *x = malloc(n * dim * sizeof *x);
    sinpos_status status = raw == NULL || x == NULL ? SINPOS_E_MEMORY : table->read(table->context, 0, n, raw);
    if (status == SINPOS_OK) {
        bool is_finite = true;
        widen(x, raw, table->type, n * dim);
        for (size_t i = 0; i < n * dim; i++) {
            is_finite = is_finite && isfinite(x[i]);
            x[i] = fabs(x[i]);
        }
        if (is_finite) {
            qsort(x, n * dim, sizeof *x, by_size);
            *step = step_of(x, n * dim);
        }
    }
    free(raw);
    free(x);
    return status;
}
