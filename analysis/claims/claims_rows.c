/* The rows that claims are decided by, and the plain numbers of pairs of rows. */
#include <math.h>
#include <stdlib.h>

#include "claims_rows.h"
#include "compensated.h"
#include "elements.h"

enum { KEPT_ELEMENTS = 1 << 23, KEPT_ROWS = 16, MANY_RUNS = 8 };

/* ---------------------------------------------------------------------------------------------- elements */

static sinpos_status read_made(const claims *c, size_t row, size_t n, double *out)
{
    const size_t most = ((size_t)1 << 16) / c->dim + 1, piece = n < most ? n : most;
    const size_t bytes = sinpos_type_bytes(c->input->type) * c->dim;
    OWNED char *made = malloc(piece * bytes);
    sinpos_status status = made == NULL ? SINPOS_E_MEMORY : SINPOS_OK;
    for (size_t done = 0; done < n && status == SINPOS_OK; done += piece) {
        const size_t some = n - done < piece ? n - done : piece;
        const sinpos_rows rows = {
            .struct_size = sizeof rows, .n = some, .first = c->input->first + (int64_t)(row + done)};
        status = sinpos_run(c->input->plan, SINPOS_FILL, &rows, c->input->type, made, c->dim,
                            some == 1 ? 1 : c->input->n_threads);
        for (size_t i = 0; i < some && status == SINPOS_OK; i++)
            status = sinpos_widen(c->input->type, made + i * bytes, c->dim, out + (done + i) * c->dim);
    }
    return status;
}

sinpos_status claims_read(const claims *c, size_t row, size_t n, double *out)
{
    const sinpos_check_input *input = c->input;
    if (input->table == NULL)
        return read_made(c, row, n, out);
    const char *from = (const char *)input->table + row * input->ld_table * sinpos_type_bytes(input->type);
    const size_t stride = input->ld_table * sinpos_type_bytes(input->type);
    sinpos_status status = SINPOS_OK;
    for (size_t i = 0; i < n && status == SINPOS_OK; i++)
        status = sinpos_widen(input->type, from + i * stride, c->dim, out + i * c->dim);
    return status;
}

/* ---------------------------------------------------------------------------------------------- choosing */

static void choose_rows(claims *c)
{
    const size_t n = c->input->n;
    size_t most = KEPT_ELEMENTS / c->dim;
    most = most < KEPT_ROWS ? KEPT_ROWS : most;
    c->kept = (sinpos_check_rows){n, 1, n, 0};
    if (n > most) {
        const size_t runs = most >= 8 * MANY_RUNS ? MANY_RUNS : 2;
        c->kept = (sinpos_check_rows){most / runs * runs, runs, most / runs, (n - most / runs) / (runs - 1)};
    }
}

static void add_hop(claims *c, size_t k, size_t back, bool crosses)
{
    for (size_t i = 0; i < c->n_hops; i++)
        if (c->hops[i].back == back && c->hops[i].crosses == crosses)
            return;
    c->hops[c->n_hops++] = (hop){(int64_t)k, back, crosses};
}

/* 0, 1, 2, 4, ... and the longest in a run; from one run to the next and to the last. */
static void choose_hops(claims *c)
{
    const sinpos_check_rows *kept = &c->kept;
    add_hop(c, 0, 0, false);
    for (size_t k = 1; k < kept->run && k <= kept->run / 2 + 1; k *= 2)
        add_hop(c, k, k, false);
    if (kept->run > 1)
        add_hop(c, kept->run - 1, kept->run - 1, false);
    for (size_t runs = 1; runs < kept->n_runs; runs = runs < kept->n_runs - 1 ? kept->n_runs - 1 : kept->n_runs)
        add_hop(c, runs * kept->stride, runs * kept->run, true);
}

/* Inner product and distance of two rows of complete tones, by the plan that the claims have: sin(k theta / 2) is at k / 2. */
static sinpos_status find_curves(claims *c)
{
    const size_t n = c->complete.n;
    OWNED double *row = malloc((2 * n + 1) * sizeof *row);
    sinpos_status status = row == NULL ? SINPOS_E_MEMORY : SINPOS_OK;
    for (size_t i = 0; i < c->n_hops && status == SINPOS_OK; i++) {
        const double half = (double)c->hops[i].k / 2;
        const sinpos_rows at = {.struct_size = sizeof at, .n = 1, .reals = &half};
        if (n == 0 || half == 0) {
            c->g[i] = c->g0;
            continue;
        }
        status = claims_angles(c, c->hops[i].k, row);
        c->g[i] = status == SINPOS_OK ? compensated_dot(c->complete.weight, row + n, n) : NAN;
        if (status == SINPOS_OK)
            status = sinpos_run(c->angles, SINPOS_FILL, &at, SINPOS_F64, row, 2 * n, 1);
        c->distance[i] = status == SINPOS_OK ? 2 * sqrt(compensated_squares(c->complete.weight, row, n)) : NAN;
    }
    return status;
}

/* ----------------------------------------------------------------------------------------------- opening */

static sinpos_status take_tones(claims *c)
{
    sinpos_status status = tones_read(&c->memory, c->input->plan, &c->tone, &c->n_tones);
    if (status == SINPOS_OK)
        status = tones_of_plan(&c->complete, c->input->plan);
    if (status == SINPOS_OK && c->input->n > 1) /* of one row nobody asks for angles */
        status = tones_plan(&c->angles, c->complete.tone, NULL, c->complete.n, 1, SINPOS_F64);
    for (size_t i = 0; status == SINPOS_OK && i < c->n_tones; i++) {
        c->norm2 += c->tone[i].amplitude * c->tone[i].amplitude;
        c->amplitude = fmax(c->amplitude, fabs(c->tone[i].amplitude));
    }
    for (size_t i = 0; status == SINPOS_OK && i < c->complete.n; i++)
        c->g0 += c->complete.weight[i];
    return status == SINPOS_OK && !isfinite(4 * c->g0) ? SINPOS_E_OVERFLOW : status;
}

static sinpos_status find_other_columns(claims *c)
{
    c->is_other = blocks_take(&c->memory, c->dim, sizeof *c->is_other);
    if (c->is_other == NULL)
        return SINPOS_E_MEMORY;
    for (size_t j = 0; j < c->dim; j++)
        c->is_other[j] = true;
    for (size_t i = 0; i < c->complete.n; i++)
        c->is_other[sin_column(c, i)] = c->is_other[cos_column(c, i)] = false;
    c->n_other = c->dim - 2 * c->complete.n;
    return SINPOS_OK;
}

static void set_rounding(claims *c)
{
    c->unit = type_unit(c->input->type);
    c->tiny = fmax(ldexp(1, type_facts_of(c->input->type).least_exponent - 1), 0x1p-1074);
}

static sinpos_status read_kept(claims *c)
{
    const sinpos_check_rows *kept = &c->kept;
    c->rows = blocks_take(&c->memory, kept->n_rows, c->dim * sizeof(double));
    sinpos_status status = c->rows == NULL ? SINPOS_E_MEMORY : SINPOS_OK;
    for (size_t run = 0; run < kept->n_runs && status == SINPOS_OK; run++)
        status = claims_read(c, run * kept->stride, kept->run, c->rows + run * kept->run * c->dim);
    for (size_t i = 0; status == SINPOS_OK && i < kept->n_rows * c->dim; i++)
        c->n_not_finite += !isfinite(c->rows[i]);
    return status;
}

/* Sizes that the rows have, whatever was stated. */
static sinpos_status find_sizes(claims *c)
{
    const size_t n = c->complete.n;
    c->own = blocks_take(&c->memory, n, sizeof *c->own);
    if (c->own == NULL)
        return SINPOS_E_MEMORY;
    for (size_t i = 0; i < c->kept.n_rows; i++) {
        const double *row = claims_row(c, i);
        for (size_t j = 0; j < n; j++) {
            const double s = row[sin_column(c, j)], k = row[cos_column(c, j)];
            c->own[j] += s * s + k * k;
        }
        for (size_t j = 0; j < c->dim; j++)
            c->most = worse(c->most, fabs(row[j]));
    }
    for (size_t j = 0; j < n; j++)
        c->size2 += c->own[j] /= (double)c->kept.n_rows;
    return SINPOS_OK;
}

static sinpos_status check_input(const sinpos_check_input *input)
{
    const size_t dim = sinpos_plan_dim(input->plan), bytes = sinpos_type_bytes(input->type);
    if (bytes == 0)
        return SINPOS_E_TYPE;
    if (sinpos_plan_axes(input->plan) != 1)
        return SINPOS_E_AXES;
    if (input->n_threads > 1024)
        return SINPOS_E_VALUE;
    if (input->n == 0)
        return SINPOS_E_SHAPE;
    if (input->table != NULL && (input->ld_table < dim || input->n > SIZE_MAX / bytes / input->ld_table))
        return SINPOS_E_SHAPE;
    const bool fits = input->first > INT64_MIN && input->n - 1 <= INT64_MAX &&
                      (input->first <= 0 || (uint64_t)INT64_MAX - (uint64_t)input->first >= input->n - 1);
    return fits ? SINPOS_OK : SINPOS_E_RANGE;
}

sinpos_status claims_open(claims *c, const sinpos_check_input *input)
{
    *c = (claims){.input = input};
    sinpos_status status = check_input(input);
    if (status != SINPOS_OK)
        return status;
    c->dim = sinpos_plan_dim(input->plan);
    set_rounding(c);
    choose_rows(c);
    status = take_tones(c);
    choose_hops(c);
    if (status == SINPOS_OK)
        status = find_other_columns(c);
    if (status == SINPOS_OK)
        status = find_curves(c);
    if (status == SINPOS_OK)
        status = read_kept(c);
    return status == SINPOS_OK ? find_sizes(c) : status;
}

void claims_close(claims *c)
{
    tones_free(&c->complete);
    sinpos_plan_destroy(c->angles);
    blocks_free(&c->memory);
}

size_t claims_choose_columns(const claims *c, size_t most_tones, size_t *column)
{
    const size_t n = c->complete.n, chosen = n < most_tones ? n : most_tones;
    for (size_t i = 0; i < chosen; i++) {
        const size_t j = (size_t)((double)i * (double)n / (double)chosen);
        column[2 * i] = sin_column(c, j);
        column[2 * i + 1] = cos_column(c, j);
    }
    return 2 * chosen;
}

sinpos_status claims_gather(const claims *c, size_t n, size_t n_columns, const size_t *column, double **out)
{
    *out = malloc((n * n_columns + 1) * sizeof **out);
    if (*out == NULL)
        return SINPOS_E_MEMORY;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n_columns; j++)
            (*out)[i * n_columns + j] = claims_row(c, i)[column[j]];
    return SINPOS_OK;
}

sinpos_status claims_angles(const claims *c, int64_t k, double *out)
{
    return c->complete.n == 0 ? SINPOS_OK : sinpos_fill(c->angles, k, 1, SINPOS_F64, out, 2 * c->complete.n);
}
