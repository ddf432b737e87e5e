/* M_k: the matrix that takes the encoding of p to the encoding of p + k. */
#include <math.h>
#include <string.h>

#include "internal.h"
#include "kernel_error.h"

/* One tone's rotation as double-doubles. */
typedef struct turn {
    double sine[2], cosine[2];
    bool known; /* the double-doubles are good */
} turn;

static sinpos_status check_shift(const sinpos_plan *plan, int64_t k, size_t n, sinpos_type type, const void *x,
                                 size_t ld)
{
    if (plan == NULL)
        return SINPOS_E_NULL;
    if (sinpos_type_bytes(type) == 0 || !(plan->types & (unsigned)type))
        return SINPOS_E_TYPE;
    sinpos_status status = check_array(n, plan->dim, ld, sinpos_type_bytes(type));
    if (status != SINPOS_OK)
        return status;
    if (plan->n_axes != 1)
        return SINPOS_E_AXES;
    for (size_t i = 0; i < plan->n_tones; i++)
        if (plan->tones[i].sin_column == SINPOS_NO_COLUMN || plan->tones[i].cos_column == SINPOS_NO_COLUMN)
            return SINPOS_E_COLUMNS;
    if (k == INT64_MIN)
        return SINPOS_E_RANGE;
    return x == NULL && n > 0 ? SINPOS_E_NULL : SINPOS_OK;
}

sinpos_status sinpos_shift_matrix(const sinpos_plan *plan, int64_t k, sinpos_type type, void *out, size_t ld_out)
{
    BOUNDARY;
    const sinpos_status status = check_shift(plan, k, plan == NULL ? 0 : plan->dim, type, out, ld_out);
    if (status != SINPOS_OK)
        return status;
    const size_t bytes = sinpos_type_bytes(type);
    for (size_t i = 0; i < plan->dim; i++)
        memset((char *)out + i * ld_out * bytes, 0, plan->dim * bytes);
    for (size_t i = 0; i < plan->n_padded; i++) {
        if (plan->tone_of[i] == UINT32_MAX)
            continue;
        const sinpos_tone *t = &plan->tones[plan->tone_of[i]];
        const size_t s = (size_t)t->sin_column, c = (size_t)t->cos_column;
        const double cosine = element_rotate(plan, i, k, 1, 0, type);
        store_element(out, s * ld_out + s, cosine, type);
        store_element(out, c * ld_out + c, cosine, type);
        store_element(out, s * ld_out + c, element_rotate(plan, i, k, 0, 1, type), type);
        store_element(out, c * ld_out + s, element_rotate(plan, i, k, 0, -1, type), type);
    }
    return SINPOS_OK;
}

#ifdef SINPOS_KERNEL_ERROR
static void err_shift(const sinpos_plan *plan, size_t padded, int64_t k, bool cosine, double bound, double *sum,
                      double *low)
{
    const kernel_result r = {ERROR_SHIFT_DD, plan, padded, {.integer = k}, cosine, bound, *sum, low};
    if (sinpos_internal_kernel_error != NULL)
        *sum = sinpos_internal_kernel_error(&r);
}
#endif

/* The elements of a pair that is shifted. */
typedef struct shifted {
    const sinpos_plan *plan;
    size_t padded;
    int64_t k;
    sinpos_type type;
    const turn *by;
} shifted;

/* RN(u cosine + v sine) where the double-double decides; the error of both factors is below 2^-74. */
static bool combine(const shifted *x, bool cosine_column, double u, double v, double *result)
{
    const double *const cosine = x->by->cosine, sine[2] = {cosine_column ? -x->by->sine[0] : x->by->sine[0],
                                                           cosine_column ? -x->by->sine[1] : x->by->sine[1]};
    const double a = u * cosine[0], b = v * sine[0], size = fabs(a) + fabs(b);
    if (!(size > 0x1p-900 && size < 0x1p1000))
        return false;
    double sum = a + b;
    const double part = sum - a, lost = (a - (sum - part)) + (b - part);
    double low = lost + (fma(u, cosine[0], -a) + fma(v, sine[0], -b) + (u * cosine[1] + v * sine[1]));
    const double error = (fabs(u) + fabs(v)) * SHIFT_DD_BOUND;
    ERR(err_shift(x->plan, x->padded, x->k, cosine_column, error, &sum, &low));
    const double first = round_sum(sum, low - error, x->type), second = round_sum(sum, low + error, x->type);
    *result = second;
    return memcmp(&first, &second, sizeof first) == 0;
}

static double rotated(const shifted *x, bool cosine_column, double u, double v)
{
    double result;
    if (!isfinite(u) || !isfinite(v))
        return NAN;
    if (x->by->known && forced_rung() == 0 && combine(x, cosine_column, u, v, &result))
        return result;
    return element_rotate(x->plan, x->padded, x->k, u, cosine_column ? -v : v, x->type);
}

static void shift_row(const sinpos_plan *plan, int64_t k, const turn *turns, size_t first, size_t count,
                      sinpos_type type, char *row)
{
    for (size_t i = 0; i < count; i++) {
        if (plan->tone_of[first + i] == UINT32_MAX)
            continue;
        const sinpos_tone *t = &plan->tones[plan->tone_of[first + i]];
        const size_t s = (size_t)t->sin_column, c = (size_t)t->cos_column;
        const double xs = load_element(row, s, type), xc = load_element(row, c, type);
        const shifted x = {plan, first + i, k, type, &turns[i]};
        store_element(row, s, rotated(&x, false, xs, xc), type);
        store_element(row, c, rotated(&x, true, xc, xs), type);
    }
}

sinpos_status sinpos_shift(const sinpos_plan *plan, int64_t k, size_t n, sinpos_type type, void *x, size_t ld_x)
{
    BOUNDARY;
    const sinpos_status status = check_shift(plan, k, n, type, x, ld_x);
    if (status != SINPOS_OK || n == 0)
        return status;
    turn turns[CHUNK];
    for (size_t first = 0; first < plan->n_padded; first += CHUNK) {
        const size_t left = plan->n_padded - first, count = left < CHUNK ? left : CHUNK;
        for (size_t i = 0; i < count; i++)
            if (plan->tone_of[first + i] != UINT32_MAX)
                turns[i].known = element_sincos(plan, first + i, k, turns[i].sine, turns[i].cosine);
        for (size_t i = 0; i < n; i++)
            shift_row(plan, k, turns, first, count, type, (char *)x + i * ld_x * sinpos_type_bytes(type));
    }
    return SINPOS_OK;
}
