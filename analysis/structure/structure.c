/* What the moments of words and of positions say of their sum. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "boundary.h"
#include "linear.h"
#include "moments.h"

/* ----------------------------------------------------------------------------------------------- covariance */

static size_t histogram_bin(double correlation)
{
    const double place = floor((correlation + 1) * (SINPOS_HISTOGRAM_BINS / 2.0));
    return place < 0 ? 0 : place > SINPOS_HISTOGRAM_BINS - 1 ? SINPOS_HISTOGRAM_BINS - 1 : (size_t)place;
}

/* Sums over the elements off the diagonal, columns of variance 0 left out of the correlations. */
typedef struct off_diagonal {
    double sizes, squares;               /* of covariances */
    double correlations, correlations_2; /* sizes and squares */
    size_t n, n_correlations, n_dominant;
} off_diagonal;

/* A variance that is nothing but rounding of the mean's square. */
static bool is_constant(double variance, double mean)
{
    return variance <= 16 * DBL_EPSILON * DBL_EPSILON * mean * mean;
}

static void take_correlation(off_diagonal *o, sinpos_covariance_result *r, size_t i, size_t j, double correlation)
{
    const double size = fabs(correlation);
    o->correlations += size;
    o->correlations_2 += size * size;
    o->n_correlations++;
    r->histogram[histogram_bin(correlation)]++;
    if (size > r->largest_correlation) {
        r->largest_correlation = size;
        r->largest_i = i < j ? i : j;
        r->largest_j = i < j ? j : i;
    }
}

static void take_row(const double *c, const double *mean, size_t dim, size_t i, off_diagonal *o,
                     sinpos_covariance_result *r)
{
    const double own = c[i * dim + i];
    double row = 0;
    for (size_t j = 0; j < dim; j++) {
        const double value = c[i * dim + j], other = c[j * dim + j];
        if (i == j)
            continue;
        row += fabs(value);
        o->squares += value * value;
        o->n++;
        if (j > i && !is_constant(own, mean[i]) && !is_constant(other, mean[j]))
            take_correlation(o, r, i, j, value / sqrt(own) / sqrt(other));
    }
    o->sizes += row;
    o->n_dominant += own > row;
}

/* Cosines of columns: of the second moments about 0. */
static void take_cosines(const double *c, const double *mean, size_t dim, sinpos_covariance_result *r)
{
    double squares = 0;
    size_t n = 0;
    for (size_t i = 0; i < dim; i++) {
        const double own = c[i * dim + i] + mean[i] * mean[i];
        for (size_t j = i + 1; j < dim; j++) {
            const double other = c[j * dim + j] + mean[j] * mean[j];
            if (own <= 0 || other <= 0)
                continue;
            const double cosine = fabs(c[i * dim + j] + mean[i] * mean[j]) / sqrt(own) / sqrt(other);
            r->largest_cosine = fmin(fmax(r->largest_cosine, cosine), 1);
            squares += cosine * cosine;
            n++;
        }
    }
    r->rms_cosine = n == 0 ? 0 : sqrt(squares / (double)n);
}

static void fill_covariance(const sinpos_moments *m, const double *c, const double *mean, sinpos_covariance_result *r)
{
    const size_t dim = m->dim;
    off_diagonal o = {0};
    double diagonal = 0, diagonal_2 = 0, centre = 0;
    for (size_t i = 0; i < dim; i++) {
        take_row(c, mean, dim, i, &o, r);
        diagonal += c[i * dim + i];
        diagonal_2 += c[i * dim + i] * c[i * dim + i];
        centre += mean[i] * mean[i];
        r->n_constant += is_constant(c[i * dim + i], mean[i]);
    }
    r->n = m->n;
    r->dim = dim;
    r->mean_norm = m->norm_sum / (double)m->n;
    r->rms_norm = sqrt(diagonal + centre);
    r->norm_of_mean = sqrt(centre);
    r->diagonal_share = diagonal_2 / (diagonal_2 + o.squares);
    r->diagonal_ratio = diagonal / (double)dim / (o.sizes / (double)o.n);
    r->dominant_share = (double)o.n_dominant / (double)dim;
    r->mean_correlation = o.n_correlations == 0 ? 0 : o.correlations / (double)o.n_correlations;
    r->rms_correlation = o.n_correlations == 0 ? 0 : sqrt(o.correlations_2 / (double)o.n_correlations);
    take_cosines(c, mean, dim, r);
}

/* Room for one mean and some matrices. */
typedef struct matrices {
    double *mean;  /* (dim) */
    double *at[5]; /* (dim, dim) */
    blocks memory;
} matrices;

static sinpos_status matrices_make(matrices *m, size_t dim, size_t n)
{
    *m = (matrices){0};
    m->mean = blocks_take(&m->memory, dim, sizeof(double));
    for (size_t i = 0; i < n; i++)
        m->at[i] = blocks_take(&m->memory, dim, dim * sizeof(double));
    return blocks_all(&m->memory);
}

sinpos_status sinpos_covariance(const sinpos_moments *m, sinpos_covariance_result *result)
{
    BOUNDARY;
    matrices work;
    if (m == NULL || result == NULL)
        return SINPOS_E_NULL;
    if (m->n == 0)
        return SINPOS_E_VALUE;
    const sinpos_status status = matrices_make(&work, m->dim, 1);
    if (status != SINPOS_OK)
        return status;
    sinpos_covariance_result found = {0};
    const sinpos_status read = sinpos_moments_read(m, work.mean, work.at[0]);
    if (read == SINPOS_OK) {
        fill_covariance(m, work.at[0], work.mean, &found);
        *result = found;
    }
    blocks_free(&work.memory);
    return read;
}

/* ---------------------------------------------------------------------------------------------------- spans */

/* values ascending, as from linear_eigen(); negative ones are rounding. */
static size_t dimensions_for(const double *values, size_t dim, double share)
{
    double total = 0, sum = 0;
    for (size_t i = 0; i < dim; i++)
        total += fmax(values[i], 0);
    for (size_t n = 0; n < dim; n++) {
        if (sum >= share * total)
            return n;
        sum += fmax(values[dim - 1 - n], 0);
    }
    return dim;
}

static size_t numerical_rank(const double *values, size_t dim)
{
    size_t rank = 0;
    for (size_t i = 0; i < dim; i++)
        rank += values[i] > (double)dim * DBL_EPSILON * values[dim - 1];
    return rank;
}

static void fill_rank(const double *values, size_t dim, sinpos_rank_result *r)
{
    double total = 0, squares = 0, entropy = 0;
    for (size_t i = 0; i < dim; i++) {
        total += fmax(values[i], 0);
        squares += values[i] > 0 ? values[i] * values[i] : 0;
    }
    for (size_t i = 0; i < dim; i++)
        if (values[i] > 0)
            entropy -= values[i] / total * log(values[i] / total);
    r->rank = numerical_rank(values, dim);
    r->dims_90 = dimensions_for(values, dim, 0.9);
    r->dims_99 = dimensions_for(values, dim, 0.99);
    r->dims_999 = dimensions_for(values, dim, 0.999);
    r->entropy_rank = total > 0 ? exp(entropy) : 0;
    r->participation = squares > 0 ? total * total / squares : 0;
    r->largest_share = total > 0 ? values[dim - 1] / total : 0;
}

sinpos_status sinpos_rank(const sinpos_moments *m, int centred, double *values, sinpos_rank_result *result)
{
    BOUNDARY;
    matrices work;
    if (m == NULL || result == NULL)
        return SINPOS_E_NULL;
    if (m->n == 0)
        return SINPOS_E_VALUE;
    sinpos_status status = matrices_make(&work, m->dim, 2);
    if (status != SINPOS_OK)
        return status;
    status = centred ? sinpos_moments_read(m, work.mean, work.at[0]) : moments_second(m, work.mean, work.at[0]);
    RELEASED_BY(linear_end) const int kept = linear_begin(m->n_threads);
    status = status == SINPOS_OK ? linear_eigen(work.at[0], m->dim, work.at[1]) : status;
    if (status == SINPOS_OK) {
        fill_rank(work.at[1], m->dim, result);
        for (size_t i = 0; i < m->dim && values != NULL; i++)
            values[i] = fmax(work.at[1][m->dim - 1 - i], 0);
    }
    blocks_free(&work.memory);
    return status;
}

static double trace(const double *a, size_t dim)
{
    double sum = 0;
    for (size_t i = 0; i < dim; i++)
        sum += a[i * dim + i];
    return sum;
}

/* One side of an overlap: its second moments, and a basis of its span in rows. */
typedef struct span {
    double *second;  /* (dim, dim) */
    double *vectors; /* (dim, dim): eigenvectors, the largest last */
    double *values;  /* (dim) ascending */
    double *basis;   /* the last n rows of vectors */
    size_t n;
    blocks memory;
} span;

static sinpos_status span_make(span *s, const sinpos_moments *m, double share)
{
    const size_t dim = m->dim;
    s->second = blocks_take(&s->memory, dim, dim * sizeof(double));
    s->vectors = blocks_take(&s->memory, dim, dim * sizeof(double));
    s->values = blocks_take(&s->memory, dim, sizeof(double));
    if (s->memory.has_failed)
        return SINPOS_E_MEMORY;
    sinpos_status status = moments_second(m, s->values, s->second);
    if (status == SINPOS_OK) {
        memcpy(s->vectors, s->second, dim * dim * sizeof(double));
        status = linear_eigen(s->vectors, dim, s->values);
    }
    if (status != SINPOS_OK)
        return status;
    const size_t rank = numerical_rank(s->values, dim),
                 wanted = share < 1 ? dimensions_for(s->values, dim, share) : dim;
    s->n = wanted < rank ? wanted : rank;
    s->basis = s->vectors + (dim - s->n) * dim;
    return s->n == 0 ? SINPOS_E_VALUE : SINPOS_OK;
}

/* Part of the energy of second that lies in the span of n orthonormal rows. */
static double energy_inside(const double *second, const double *basis, size_t n, size_t dim, double *work)
{
    linear_product(n, dim, dim, 1, (linear_matrix){basis, dim, false}, (linear_matrix){second, dim, false}, 0, work,
                   dim);
    return linear_dot(work, basis, n * dim) / trace(second, dim);
}

static sinpos_status fill_overlap(const span *words, const span *positions, size_t dim, double *angles,
                                  sinpos_overlap_result *r)
{
    const size_t least = words->n < positions->n ? words->n : positions->n;
    const size_t most = words->n < positions->n ? positions->n : words->n;
    RELEASED_BY(blocks_free) blocks memory = {0};
    double *work = blocks_take(&memory, dim, dim * sizeof *work), *cosines = blocks_take(&memory, dim, sizeof *cosines);
    sinpos_status status = blocks_status(&memory);
    if (status == SINPOS_OK) {
        r->words_in_positions = energy_inside(words->second, positions->basis, positions->n, dim, work);
        r->positions_in_words = energy_inside(positions->second, words->basis, words->n, dim, work);
        linear_product(words->n, positions->n, dim, 1, (linear_matrix){words->basis, dim, false},
                       (linear_matrix){positions->basis, dim, true}, 0, work, positions->n);
        status = linear_singular(work, words->n, positions->n, cosines);
    }
    for (size_t i = 0; i < least && status == SINPOS_OK; i++) {
        const double cosine = fmin(cosines[i], 1);
        const double angle = acos(cosine);
        r->overlap += cosine * cosine / (double)least;
        r->mean_angle_rad += angle / (double)least;
        r->smallest_angle_rad = i == 0 ? angle : r->smallest_angle_rad;
        r->largest_angle_rad = angle;
        if (angles != NULL)
            angles[i] = angle;
    }
    r->words_dims = words->n;
    r->positions_dims = positions->n;
    r->n_angles = least;
    r->overlap_random = (double)most / (double)dim;
    r->words_in_positions_random = (double)positions->n / (double)dim;
    r->positions_in_words_random = (double)words->n / (double)dim;
    return status;
}

static sinpos_status check_pair(const sinpos_moments *words, const sinpos_moments *positions, const void *result)
{
    if (words == NULL || positions == NULL || result == NULL)
        return SINPOS_E_NULL;
    if (words->dim != positions->dim)
        return SINPOS_E_SHAPE;
    return words->n == 0 || positions->n == 0 ? SINPOS_E_VALUE : SINPOS_OK;
}

sinpos_status sinpos_overlap(const sinpos_moments *words, const sinpos_moments *positions, double share,
                             double *angles_rad, sinpos_overlap_result *result)
{
    BOUNDARY;
    span a = {0}, b = {0};
    sinpos_overlap_result found = {0};
    sinpos_status status = check_pair(words, positions, result);
    if (status == SINPOS_OK && !(share > 0 && share <= 1))
        status = SINPOS_E_VALUE;
    if (status != SINPOS_OK)
        return status;
    RELEASED_BY(linear_end) const int kept = linear_begin(words->n_threads);
    status = span_make(&a, words, share);
    status = status == SINPOS_OK ? span_make(&b, positions, share) : status;
    status = status == SINPOS_OK ? fill_overlap(&a, &b, words->dim, angles_rad, &found) : status;
    blocks_free(&a.memory);
    blocks_free(&b.memory);
    if (status == SINPOS_OK)
        *result = found;
    return status;
}

/* ------------------------------------------------------------------------------------------------- recovery */

/* map = words' covariance times the pseudo-inverse of the sum's; vectors and values of the sum are overwritten. */
static void make_map(const double *words, double *vectors, const double *values, size_t dim, double *work, double *map)
{
    const double least = (double)dim * DBL_EPSILON * values[dim - 1];
    const linear_matrix v = {vectors, dim, false}, v_transposed = {vectors, dim, true}, scaled = {work, dim, false};
    linear_product(dim, dim, dim, 1, (linear_matrix){words, dim, false}, v_transposed, 0, work, dim);
    for (size_t i = 0; i < dim; i++)
        for (size_t j = 0; j < dim; j++)
            work[i * dim + j] = values[j] > least && values[j] > 0 ? work[i * dim + j] / values[j] : 0;
    linear_product(dim, dim, dim, 1, scaled, v, 0, map, dim);
}

static sinpos_status recover(const sinpos_moments *words, const sinpos_moments *positions, matrices *work,
                             sinpos_recovery_result *r)
{
    const size_t dim = words->dim;
    double *c_words = work->at[0], *c_positions = work->at[1], *vectors = work->at[2], *map = work->at[3];
    sinpos_status status = sinpos_moments_read(words, NULL, c_words);
    status = status == SINPOS_OK ? sinpos_moments_read(positions, NULL, c_positions) : status;
    if (status != SINPOS_OK)
        return status;
    for (size_t i = 0; i < dim * dim; i++)
        vectors[i] = c_words[i] + c_positions[i];
    status = linear_eigen(vectors, dim, work->mean);
    if (status != SINPOS_OK)
        return status;
    make_map(c_words, vectors, work->mean, dim, work->at[4], map);
    const double error = linear_dot(map, c_positions, dim * dim);
    r->words_variance = trace(c_words, dim);
    r->positions_variance = trace(c_positions, dim);
    r->error_variance = fmax(error, 0);
    r->words_r2 = 1 - r->error_variance / r->words_variance;
    r->positions_r2 = 1 - r->error_variance / r->positions_variance;
    return SINPOS_OK;
}

sinpos_status sinpos_recovery(const sinpos_moments *words, const sinpos_moments *positions, double *map,
                              sinpos_recovery_result *result)
{
    BOUNDARY;
    matrices work;
    sinpos_recovery_result found = {0};
    sinpos_status status = check_pair(words, positions, result);
    if (status != SINPOS_OK)
        return status;
    status = matrices_make(&work, words->dim, 5);
    if (status != SINPOS_OK)
        return status;
    RELEASED_BY(linear_end) const int kept = linear_begin(words->n_threads);
    status = recover(words, positions, &work, &found);
    if (status == SINPOS_OK) {
        *result = found;
        if (map != NULL)
            memcpy(map, work.at[3], words->dim * words->dim * sizeof *map);
    }
    blocks_free(&work.memory);
    return status;
}

/* ------------------------------------------------------------------------------------------ attention terms */

/* One of the two parts, x: M_x, M_x W, W M_x, and W C_x. */
typedef struct part {
    double *mean, *second, *left, *right, *right_centred;
    blocks memory;
} part;

static sinpos_status part_make(part *p, const sinpos_moments *m, const double *w, size_t ld)
{
    const size_t dim = m->dim, size = dim * dim * sizeof(double);
    const linear_matrix weights = {w, ld, false};
    double **const matrix[] = {&p->second, &p->left, &p->right, &p->right_centred};
    p->mean = blocks_take(&p->memory, dim, sizeof(double));
    for (size_t i = 0; i < 4; i++)
        *matrix[i] = blocks_take(&p->memory, 1, size);
    if (p->memory.has_failed)
        return SINPOS_E_MEMORY;
    sinpos_status status = sinpos_moments_read(m, NULL, p->second);
    if (status != SINPOS_OK)
        return status;
    const linear_matrix second = {p->second, dim, false};
    if (w == NULL)
        memcpy(p->right_centred, p->second, size);
    else
        linear_product(dim, dim, dim, 1, weights, second, 0, p->right_centred, dim);
    status = moments_second(m, p->mean, p->second);
    if (w == NULL) {
        memcpy(p->left, p->second, size);
        memcpy(p->right, p->second, size);
    } else {
        linear_product(dim, dim, dim, 1, second, weights, 0, p->left, dim);
        linear_product(dim, dim, dim, 1, weights, second, 0, p->right, dim);
    }
    return status;
}

static void fill_terms(const part *words, const part *positions, size_t dim, sinpos_attention_result *r)
{
    const part *const left[4] = {words, words, positions, positions};
    const part *const right[4] = {words, positions, words, positions};
    double total = 0, visible = 0;
    for (size_t k = 0; k < 4; k++) {
        r->mean_square[k] = fmax(linear_dot(left[k]->left, right[k]->right, dim * dim), 0);
        r->visible[k] = fmax(linear_dot(left[k]->left, right[k]->right_centred, dim * dim), 0);
        total += r->mean_square[k];
        visible += r->visible[k];
    }
    for (size_t k = 0; k < 4; k++) {
        r->share[k] = r->mean_square[k] / total;
        r->visible_share[k] = r->visible[k] / visible;
    }
}

sinpos_status sinpos_attention_terms(const sinpos_moments *words, const sinpos_moments *positions, const double *w,
                                     size_t ld_w, sinpos_attention_result *result)
{
    BOUNDARY;
    part a = {0}, b = {0};
    sinpos_status status = check_pair(words, positions, result);
    if (status != SINPOS_OK)
        return status;
    if (w != NULL && (ld_w < words->dim || ld_w >= LINEAR_MOST))
        return SINPOS_E_SHAPE;
    if (w != NULL && !rows_are_within(w, words->dim, words->dim, ld_w))
        return SINPOS_E_VALUE;
    RELEASED_BY(linear_end) const int kept = linear_begin(words->n_threads);
    status = part_make(&a, words, w, ld_w);
    status = status == SINPOS_OK ? part_make(&b, positions, w, ld_w) : status;
    if (status == SINPOS_OK)
        fill_terms(&a, &b, words->dim, result);
    blocks_free(&a.memory);
    blocks_free(&b.memory);
    return status;
}
