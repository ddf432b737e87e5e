/* identify_verify.c - rows against the exact ones: all of them, or blocks of rows from beginning to end. */
#include "elements.h"
#include "identify.h"

/* Elements that are compared at a time. */
#define PIECE_ELEMENTS ((size_t)1 << 18)

/* Of larger tables so many elements are compared, or so many rows if that is more, in blocks of consecutive rows. */
#define SAMPLED_ELEMENTS ((size_t)1 << 22)
#define SAMPLED_ROWS 512
#define SAMPLED_BLOCKS 64

/* Rows from which the typical error is taken. */
#define SPREAD_ROWS 24

/* No roundings make an element differ by so much, per amplitude: it is altered. */
#define FARTHEST 0.5

typedef struct verify {
    sinpos_identity *identity;
    const id_view *view;
    double far_flat, far_angle; /* an element is altered beyond far_flat + far_angle |angle| */
    double farthest;            /* or beyond this */
    double fastest[ID_MOST_AXES];
    char *got, *want;
    uint64_t n_dropped; /* elements that are 0 in place of what they should be */
    double worst;
    size_t n_threads;
} verify;

static double value_of(const verify *v, const char *data, size_t i)
{
    double x;
    widen(&x, data + i * sinpos_type_bytes(v->view->type), v->view->type, 1);
    return x;
}

static uint64_t bits_of(const char *element, size_t size)
{
    uint64_t wide = 0;
    uint32_t single = 0;
    uint16_t half = 0;
    memcpy(size == 8 ? (void *)&wide : size == 4 ? (void *)&single : (void *)&half, element, size);
    return wide | single | half;
}

/* Place on the number line of the type: neighbours differ by 1. */
static int64_t place_of(const verify *v, const char *data, size_t i)
{
    const size_t size = sinpos_type_bytes(v->view->type);
    uint64_t bits = bits_of(data + i * size, size);
    const uint64_t sign = bits >> (8 * size - 1);
    bits &= ~((uint64_t)1 << (8 * size - 1));
    return sign ? -(int64_t)bits : (int64_t)bits;
}

static double far_in_row(const verify *v, size_t row)
{
    double angle = 0;
    for (size_t a = 0; a < v->identity->n_axes; a++)
        angle = fmax(angle, fabs(id_position(v->identity, row, a)) * v->fastest[a]);
    return fmin(v->far_flat + v->far_angle * angle, v->farthest);
}

static void note_altered(verify *v, size_t row, size_t column, double got, double want)
{
    sinpos_identity *identity = v->identity;
    if (identity->n_altered < SINPOS_IDENTITY_LISTED)
        identity->altered[identity->n_altered] = (sinpos_identity_element){row, column, got, want};
    identity->n_altered++;
}

static void take_error(sinpos_identity_errors *errors, uint64_t ulp, double error)
{
    errors->wrong += ulp > 0;
    errors->max_ulp = ulp > errors->max_ulp ? ulp : errors->max_ulp;
    errors->max_abs_error = error > errors->max_abs_error ? error : errors->max_abs_error;
}

static void compare_row(verify *v, size_t row, size_t at, sinpos_identity_errors *errors)
{
    const size_t dim = v->identity->dim;
    const double far = far_in_row(v, row);
    for (size_t j = 0; j < dim; j++) {
        const size_t i = at * dim + j;
        const int64_t a = place_of(v, v->got, i), b = place_of(v, v->want, i);
        if (a == b)
            continue;
        const double got = value_of(v, v->got, i), want = value_of(v, v->want, i);
        if (v->identity->dropped > 0 && got == 0) {
            v->n_dropped++;
            continue;
        }
        const bool is_number = isfinite(got);
        const double error = is_number ? fabs(got - want) : INFINITY;
        take_error(errors, is_number ? (a > b ? (uint64_t)a - (uint64_t)b : (uint64_t)b - (uint64_t)a) : UINT64_MAX,
                   error);
        if (error > v->worst) {
            v->worst = error;
            v->identity->worst_row = row;
            v->identity->worst_column = j;
        }
        if (!(error <= far))
            note_altered(v, row, j, got, want);
    }
}

/* The same for float32, where a whole row is looked at in one sweep; rows with anything far take the way above. */
static void compare_row_f32(verify *v, size_t row, size_t at, sinpos_identity_errors *errors)
{
    const size_t dim = v->identity->dim;
    const float *got = (const float *)(const void *)v->got + at * dim;
    const float *want = (const float *)(const void *)v->want + at * dim;
    float largest = 0;
    int32_t ulp = 0, wrong = 0, odd = 0;
    for (size_t j = 0; j < dim; j++) {
        int32_t a, b;
        memcpy(&a, &got[j], sizeof a);
        memcpy(&b, &want[j], sizeof b);
        const float error = fabsf(got[j] - want[j]);
        const int32_t gap = a > b ? (int32_t)((uint32_t)a - (uint32_t)b) : (int32_t)((uint32_t)b - (uint32_t)a);
        largest = error > largest ? error : largest;
        odd |= (int32_t)((uint32_t)a ^ (uint32_t)b) | ((a & INT32_MAX) > 0x7F000000 ? INT32_MIN : 0);
        ulp = gap > ulp ? gap : ulp;
        wrong += gap != 0;
    }
    if (odd < 0 || (double)largest > v->worst || (double)largest > far_in_row(v, row)) {
        compare_row(v, row, at, errors);
        return;
    }
    errors->wrong += (uint64_t)wrong;
    errors->max_ulp = (uint64_t)ulp > errors->max_ulp ? (uint64_t)ulp : errors->max_ulp;
    errors->max_abs_error = (double)largest > errors->max_abs_error ? (double)largest : errors->max_abs_error;
}

static sinpos_identity_errors *range_of(sinpos_identity *identity, size_t row)
{
    for (size_t i = 0; i < identity->n_ranges; i++)
        if (row <= identity->range[i].last_row)
            return &identity->range[i];
    return &identity->range[identity->n_ranges - 1];
}

static bool is_all_zero(const char *data, size_t bytes)
{
    return bytes == 0 || (data[0] == 0 && memcmp(data, data + 1, bytes - 1) == 0);
}

static void note_zero(sinpos_identity *identity, size_t row)
{
    if (identity->n_zero < SINPOS_IDENTITY_LISTED)
        identity->zero[identity->n_zero] = row;
    identity->n_zero++;
}

static void compare_piece(verify *v, size_t first, size_t n)
{
    const size_t bytes = v->identity->dim * sinpos_type_bytes(v->view->type);
    for (size_t i = 0; i < n; i++) {
        sinpos_identity_errors *errors = range_of(v->identity, first + i);
        const char *got = v->got + i * bytes, *want = v->want + i * bytes;
        errors->elements += v->identity->dim;
        if (memcmp(got, want, bytes) == 0)
            continue;
        if (is_all_zero(got, bytes) && !id_is_zero_row(v->identity, first + i)) {
            note_zero(v->identity, first + i); /* the sample did not show it */
            continue;
        }
        if (v->view->type == SINPOS_F32 && v->identity->dropped == 0)
            compare_row_f32(v, first + i, i, errors);
        else
            compare_row(v, first + i, i, errors);
    }
}

/* ------------------------------------------------------------------------------------------------ limits */

/* Errors of the sample: what is usual, as noise of one size or as roundings that grow with the angle. */
static sinpos_status find_limits(verify *v, const id_view *view, double unit, double noise)
{
    const sinpos_identity *identity = v->identity;
    const size_t n = identity->n < 256 ? identity->n : 256,
                 some = n * identity->dim > PIECE_ELEMENTS * 4 ? PIECE_ELEMENTS * 4 / identity->dim + 1 : n;
    const size_t count = some * identity->dim;
    double *x = malloc((count + 1) * sizeof *x), *exact = malloc((count + 1) * sizeof *exact);
    void *rows = malloc(count * sinpos_type_bytes(view->type) + 1);
    sinpos_status status = x == NULL || exact == NULL || rows == NULL ? SINPOS_E_MEMORY : SINPOS_OK;
    status = status != SINPOS_OK ? status : id_view_read(view, 0, some, rows);
    status = status != SINPOS_OK ? status
                                 : sinpos_identity_rows_as_found(identity, 0, some, SINPOS_F64, exact, v->n_threads);
    if (status == SINPOS_OK) {
        size_t used = 0;
        widen(x, rows, view->type, count);
        for (size_t i = 0; i < count; i++) {
            const double error = fabs(x[i] - exact[i]), far = noise > 0 ? 1 : far_in_row(v, i / identity->dim);
            const bool is_dropped = identity->dropped > 0 && x[i] == 0;
            if (isfinite(error) && !is_dropped && !(noise > 0 && fabs(exact[i]) == 0))
                x[used++] = error / far;
        }
        const double usual = used == 0   ? 0
                             : noise > 0 ? 1.4826 * id_median(x, used)
                                         : id_select(x, used, used * 19 / 20);
        v->identity->noise = noise > 0 ? usual : 0;
        /* Roundings of known code are within some hundred units, or some thousandths where positions are rounded. */
        const double most = 4096 * fmax(1, 0x1p-24 / unit), bounded = 16 * fmax(fmin(usual, most), 1);
        v->far_angle = noise > 0 ? 0 : bounded * v->far_angle;
        v->far_flat = noise > 0 ? fmax(6 * usual, 32 * unit) : bounded * v->far_flat;
    }
    free(x);
    free(exact);
    free(rows);
    return status;
}

static void set_ranges(sinpos_identity *identity)
{
    const size_t n = identity->n, ranges = n < SINPOS_IDENTITY_RANGES ? n : SINPOS_IDENTITY_RANGES;
    identity->n_ranges = ranges;
    for (size_t i = 0; i < ranges; i++) {
        identity->range[i] =
            (sinpos_identity_errors){.first_row = n / ranges * i + n % ranges * i / ranges,
                                     .last_row = n / ranges * (i + 1) + n % ranges * (i + 1) / ranges - 1};
    }
}

static void sum_ranges(sinpos_identity *identity)
{
    sinpos_identity_errors *total = &identity->total;
    const double size = identity->amplitude == 0 ? 1 : fabs(identity->amplitude);
    *total = (sinpos_identity_errors){.first_row = 0, .last_row = identity->n - 1};
    for (size_t i = 0; i < identity->n_ranges; i++) {
        sinpos_identity_errors *range = &identity->range[i];
        range->max_relative_error = range->max_abs_error / size;
        total->elements += range->elements;
        total->wrong += range->wrong;
        total->max_ulp = range->max_ulp > total->max_ulp ? range->max_ulp : total->max_ulp;
        total->max_abs_error = fmax(total->max_abs_error, range->max_abs_error);
    }
    total->max_relative_error = total->max_abs_error / size;
}

/* The errors were taken against rounded rows; where they are largest, the exact row decides. */
static sinpos_status exact_errors(verify *v)
{
    sinpos_identity *identity = v->identity;
    double *exact = malloc((identity->dim + 1) * sizeof *exact);
    sinpos_status status = exact == NULL ? SINPOS_E_MEMORY : SINPOS_OK;
    const size_t size = sinpos_type_bytes(v->view->type);
    for (size_t i = 0; i < identity->n_ranges && status == SINPOS_OK; i++) {
        sinpos_identity_errors *range = &identity->range[i];
        const size_t row = range == range_of(identity, identity->worst_row) ? identity->worst_row : range->last_row;
        status = id_view_read(v->view, row, 1, v->got);
        status = status != SINPOS_OK ? status : sinpos_identity_rows_as_found(identity, row, 1, SINPOS_F64, exact, 1);
        for (size_t j = 0; j < identity->dim && status == SINPOS_OK; j++) {
            double x;
            widen(&x, v->got + j * size, v->view->type, 1);
            if (identity->dropped > 0 && x == 0)
                continue;
            if (isfinite(x) && range->wrong == 0)
                range->max_abs_error = fmax(range->max_abs_error, fabs(x - exact[j]));
            else if (isfinite(x) && row == identity->worst_row && j == identity->worst_column)
                range->max_abs_error = fabs(x - exact[j]);
        }
    }
    free(exact);
    return status;
}

/* Rows first .. last - 1. */
static sinpos_status compare_rows(verify *v, size_t first, size_t last, size_t piece)
{
    sinpos_status status = SINPOS_OK;
    for (; first < last && status == SINPOS_OK; first += piece) {
        const size_t n = last - first < piece ? last - first : piece;
        status = id_view_read(v->view, first, n, v->got);
        status = status != SINPOS_OK
                     ? status
                     : sinpos_identity_rows_as_found(v->identity, first, n, v->view->type, v->want, v->n_threads);
        if (status == SINPOS_OK) {
            compare_piece(v, first, n);
            v->identity->rows_compared += n;
        }
    }
    return status;
}

static size_t sampled_rows(size_t dim)
{
    const size_t some = SAMPLED_ELEMENTS / dim;
    return some > SAMPLED_ROWS ? some : SAMPLED_ROWS;
}

size_t id_compared_blocks(size_t n, size_t dim, bool all_rows)
{
    return all_rows || n <= sampled_rows(dim) ? 1 : SAMPLED_BLOCKS;
}

/* The first block begins with the first row, the last one ends with the last, the others lie evenly between. */
void id_compared_block(size_t n, size_t dim, size_t n_blocks, size_t k, size_t *first, size_t *last)
{
    const size_t block = n_blocks == 1 ? n : sampled_rows(dim) / n_blocks, end = n - block, gaps = n_blocks - 1;
    *first = gaps == 0 ? 0 : end / gaps * k + end % gaps * k / gaps;
    *last = *first + block;
}

/* What is typical over rows from the first to the last; those that frequencies were found from are mostly near ones. */
static sinpos_status spread_error(verify *v)
{
    sinpos_identity *identity = v->identity;
    const size_t dim = identity->dim, n = identity->n < SPREAD_ROWS ? identity->n : SPREAD_ROWS;
    double *off = malloc((n * dim + 1) * sizeof *off), *exact = malloc((dim + 1) * sizeof *exact);
    sinpos_status status = off == NULL || exact == NULL ? SINPOS_E_MEMORY : SINPOS_OK;
    size_t used = 0;
    for (size_t i = 0; i < n && status == SINPOS_OK; i++) {
        const size_t row = n == 1 ? 0 : i * (identity->n - 1) / (n - 1);
        status = id_view_read(v->view, row, 1, v->got);
        status = status != SINPOS_OK ? status : sinpos_identity_rows_as_found(identity, row, 1, SINPOS_F64, exact, 1);
        for (size_t j = 0; j < dim && status == SINPOS_OK; j++) {
            const double x = value_of(v, v->got, j), error = fabs(x - exact[j]);
            if (isfinite(error) && !(identity->dropped > 0 && x == 0))
                off[used++] = error;
        }
    }
    if (status == SINPOS_OK && used > 0)
        identity->residual = fmax(identity->residual, id_select(off, used, (3 * used - 1) / 4));
    free(off);
    free(exact);
    return status;
}

sinpos_status id_verify(sinpos_identity *identity, const id_view *view, bool all_rows, size_t n_threads)
{
    const size_t bytes = view->dim * sinpos_type_bytes(view->type), fit = PIECE_ELEMENTS / view->dim + 1;
    const size_t piece = fit < view->n ? fit : view->n;
    const double unit = view->type == SINPOS_F64 ? 0x1p-53 : view->type == SINPOS_F32 ? 0x1p-24 : 0x1p-9;
    verify v = {.identity = identity, .view = view, .n_threads = n_threads};
    v.far_flat = unit * identity->amplitude;
    v.farthest = identity->noise > 0 ? INFINITY : FARTHEST * identity->amplitude;
    v.far_angle = fmin(unit, 0x1p-24) * identity->amplitude;
    for (size_t a = 0; a < identity->n_axes; a++)
        for (size_t i = 0; i < identity->axis[a].n_frequencies; i++)
            v.fastest[a] = fmax(v.fastest[a], fabs(identity->axis[a].theta[i]));
    set_ranges(identity);
    v.got = malloc(piece * bytes + 1);
    v.want = malloc(piece * bytes + 1);
    sinpos_status status = v.got == NULL || v.want == NULL ? SINPOS_E_MEMORY : SINPOS_OK;
    status = status != SINPOS_OK ? status : find_limits(&v, view, unit, identity->noise);
    const size_t n_blocks = id_compared_blocks(view->n, view->dim, all_rows);
    for (size_t k = 0; k < n_blocks && status == SINPOS_OK; k++) {
        size_t first, last;
        id_compared_block(view->n, view->dim, n_blocks, k, &first, &last);
        status = compare_rows(&v, first, last, piece);
    }
    status = status != SINPOS_OK ? status : exact_errors(&v);
    status = status != SINPOS_OK ? status : spread_error(&v);
    sum_ranges(identity);
    if (status == SINPOS_OK && v.n_dropped == 0)
        identity->dropped = 0; /* every 0 is one that the table has */
    free(v.got);
    free(v.want);
    return status;
}
