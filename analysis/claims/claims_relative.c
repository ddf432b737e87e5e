/* Products and distances of rows that depend on the offset alone: what makes these encodings relative. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "claims.h"
#include "compensated.h"
#include "seeded.h"

/* --------------------------------------------------------------------------------- relative, scale-invariant */

/*
 * What rounding allows of a product of rows with square norm2: (2u + u^2) sum |x y| from the elements, 2^-52 from adding,
 * 1e-15 g(0) from g.
 */
static double product_bound_of(const claims *c, double norm2)
{
    const double u = c->unit, elements = (2 * u + u * u) * norm2;
    return elements + (0x1p-52 * (1 + u) * (1 + u) + 1e-15) * norm2 + 2 * c->tiny * sqrt((double)c->dim * norm2);
}

/* Of a distance: each row is within u |p| + tiny sqrt(dim) of the real one; 1e-14 from the distance it should be. */
static double distance_bound_of(const claims *c, double norm2)
{
    return (2 * c->unit + 2e-14) * sqrt(norm2) + 2 * c->tiny * sqrt((double)c->dim);
}

static double product_bound(const claims *c)
{
    return product_bound_of(c, c->norm2);
}

/* The length of n numbers that round to ones with that mean square sum: within u of itself and tiny sqrt(n), and adding. */
static double length_before_rounding(const claims *c, double square, size_t n)
{
    const double adding = 1 + (double)c->kept.n_rows * 0x1p-53;
    return (sqrt(square) * adding + c->tiny * sqrt((double)n)) / (1 - c->unit);
}

/* Of the complete columns of the rows, whatever was stated. */
static double own_norm2(const claims *c)
{
    const double length = length_before_rounding(c, c->size2, 2 * c->complete.n);
    return length * length;
}

/* Of a product held against g in the size of the rows, which is known as well as the square of one row. */
static double own_product_bound(const claims *c)
{
    const double norm2 = own_norm2(c);
    return 2 * product_bound_of(c, norm2) + (double)c->kept.n_rows * 0x1p-53 * norm2;
}

/* Errors of a number of two rows, over all hops and rows; of whole rows, and of the complete tones alone. */
typedef struct pair_errors {
    double whole, complete;
    double spread;       /* of the complete tones: half of what rows differ by at one offset, at most */
    int64_t k, position; /* of the worst pair, whole */
} pair_errors;

/* How the number of two rows is held against the stated one. */
typedef struct pairing {
    bool distance;
    double scale; /* of what was stated */
} pairing;

/* What the other columns add to a product, or to a square of a distance. */
static double other_part(const claims *c, const double *x, const double *y, bool distance)
{
    double sum = 0;
    for (size_t j = 0; j < c->dim; j++)
        if (c->is_other[j])
            sum += distance ? (x[j] - y[j]) * (x[j] - y[j]) : x[j] * y[j];
    return sum;
}

/* Returns the number of the complete tones. */
static double take_pair(const claims *c, const pairing *p, size_t h, size_t i, pair_errors *e)
{
    const bool distance = p->distance;
    const double *x = claims_row(c, i), *y = claims_row(c, i - c->hops[h].back);
    const double want = p->scale * (distance ? c->distance[h] : c->g[h]);
    const double got = distance ? compensated_distance(x, y, c->dim) : compensated_dot(x, y, c->dim);
    const double error = fabs(got - want);
    if (!(error <= e->whole) && e->whole == e->whole) {
        e->whole = worse(e->whole, error);
        e->k = c->hops[h].k;
        e->position = claims_position(c, i);
    }
    if (c->n_other == 0) {
        e->complete = e->whole;
        return got;
    }
    const double other = other_part(c, x, y, distance);
    const double rest = distance ? sqrt(fmax(got * got - other, 0)) : got - other;
    e->complete = worse(e->complete, fabs(rest - want));
    return rest;
}

static void take_hop(const claims *c, const pairing *p, size_t h, pair_errors *e)
{
    double least = INFINITY, most = -INFINITY;
    for (size_t i = 0; i < c->kept.n_rows; i++) {
        if (!hop_fits(c, &c->hops[h], i))
            continue;
        const double got = take_pair(c, p, h, i, e);
        most = worse(most, got);
        least = -worse(-least, -got);
    }
    if (!(most < least))
        e->spread = worse(e->spread, (most - least) / 2);
}

static pair_errors find_errors(const claims *c, bool distance, double scale)
{
    const pairing p = {distance, scale};
    pair_errors e = {0};
    for (size_t h = 0; h < c->n_hops; h++)
        take_hop(c, &p, h, &e);
    return e;
}

/* A claim about pairs of rows, as stated and in the size that the rows have. */
typedef struct pairs {
    const char *what, *note;
    pair_errors stated, own;
    double bound, own_bound, spread_bound;
    double ratio; /* of the rows to what was stated */
} pairs;

/*
 * Rows that are a multiple of those stated: their own size is known as well as one row, so that the error of an element
 * counts twice.
 */
static void find_pairs(const claims *c, bool distance, pairs *p)
{
    const double norm2 = own_norm2(c), tiny = c->tiny * sqrt((double)c->dim);
    p->ratio = c->g0 > 0 ? sqrt(c->size2 / c->g0) : NAN;
    p->bound = distance ? distance_bound_of(c, c->norm2) : product_bound(c);
    p->spread_bound = distance ? distance_bound_of(c, norm2) : product_bound_of(c, norm2);
    const double adding = (double)c->kept.n_rows * 0x1p-53;
    p->own_bound = distance ? p->spread_bound + (2 * c->unit + adding) * sqrt(norm2) + 2 * tiny : own_product_bound(c);
    p->stated = find_errors(c, distance, 1);
    p->own = find_errors(c, distance, distance ? p->ratio : p->ratio * p->ratio);
}

static void say_pairs(const claims *c, sinpos_claim_result *r, const pairs *p)
{
    const pair_errors *e = &p->stated;
    const char *what = p->what;
    const double bound = p->bound;
    const bool is_finite = isfinite(p->own_bound) && c->size2 > 0;
    if (c->kept.n_rows < 2)
        claim_say(r, NAN, bound, SINPOS_DOES_NOT_APPLY, "two rows are needed");
    else if (c->complete.n == 0)
        claim_say(r, e->whole, bound, SINPOS_DOES_NOT_HOLD, "no tone has both sine and cosine");
    else if (e->whole <= bound)
        claim_say(r, e->whole, bound, SINPOS_HOLDS, "%s depends on the offset alone, up to rounding%s", what, p->note);
    else if (e->complete <= bound && c->complete.n < c->n_tones)
        claim_say(r, e->whole, bound, SINPOS_HOLDS_ONLY_IF,
                  "the column of the tone that lacks its other half is left out: the error is then %.2g", e->complete);
    else if (is_finite && p->own.whole <= p->own_bound)
        claim_say(r, p->own.whole, p->own_bound, SINPOS_HOLDS,
                  "%s depends on the offset alone; the rows are %.6g times those stated%s", what, p->ratio, p->note);
    else if (is_finite && p->own.complete <= p->own_bound && c->complete.n < c->n_tones)
        claim_say(r, p->own.whole, p->own_bound, SINPOS_HOLDS_ONLY_IF,
                  "the column of the tone that lacks its other half is left out; the rows are %.6g times those stated",
                  p->ratio);
    else if (is_finite && e->spread <= p->spread_bound && c->complete.n == c->n_tones)
        claim_say(r, e->whole, bound, SINPOS_DOES_NOT_HOLD,
                  "%s depends on the offset alone, but is not what was stated: off by %.3g at offset %lld", what,
                  e->whole, (long long)e->k);
    else
        claim_say(r, e->whole, bound, SINPOS_DOES_NOT_HOLD,
                  "%s is off by %.3g at position %lld and offset %lld, beyond what rounding explains", what, e->whole,
                  (long long)e->position, (long long)e->k);
    claim_detail(r, "error_complete_tones", e->complete);
    claim_detail(r, "spread_over_positions", e->spread);
    claim_detail(r, "size_to_the_stated", p->ratio);
    claim_detail(r, "error_in_that_size", p->own.whole);
    claim_detail(r, "offsets", (double)c->n_hops);
    claim_detail(r, "rows", (double)c->kept.n_rows);
}

sinpos_status claim_relative(claims *c, sinpos_claim_result *r)
{
    pairs p = {.what = "<p_m, p_n>", .note = ""};
    find_pairs(c, false, &p);
    say_pairs(c, r, &p);
    claim_detail(r, "g_0", c->g0);
    return SINPOS_OK;
}

sinpos_status claim_scale_invariant(claims *c, sinpos_claim_result *r)
{
    pairs p = {.what = "|p_t - p_(t+k)|", .note = ": translation invariance, as nothing is scaled"};
    find_pairs(c, true, &p);
    say_pairs(c, r, &p);
    if (c->n_hops > 2 && c->hops[2].k == 2) /* 1 if scaling the positions kept distances */
        claim_detail(r, "distance_2_over_distance_1", c->distance[2] / c->distance[1]);
    return SINPOS_OK;
}

/* --------------------------------------------------------------------------------------------- order-free */

enum { N_ORDERS = 6 };

static void shuffle(size_t *order, size_t n, uint64_t seed)
{
    for (size_t i = n; i > 1; i--) {
        const size_t j = (size_t)(seeded_bits(seed, 11, i) % i), kept = order[j];
        order[j] = order[i - 1];
        order[i - 1] = kept;
    }
}

/* The columns of complete tones: interleaved or halves, sine or cosine first, shuffled, or as they are. */
static void make_order(const claims *c, size_t which, size_t *order)
{
    const size_t n = c->complete.n;
    for (size_t i = 0; i < n; i++) {
        const bool is_cos_first = which % 2 == 1;
        const size_t first = is_cos_first ? cos_column(c, i) : sin_column(c, i);
        const size_t second = is_cos_first ? sin_column(c, i) : cos_column(c, i);
        order[which / 2 == 0 ? 2 * i : i] = first;
        order[which / 2 == 0 ? 2 * i + 1 : n + i] = second;
    }
    if (which / 2 == 2)
        shuffle(order, 2 * n, c->input->seed + which);
}

static void gather(const double *row, const size_t *order, size_t n, double *out)
{
    for (size_t j = 0; j < n; j++)
        out[j] = row[order[j]];
}

/* Largest error of products of rows in order a with rows in order b, against a multiple of g. */
static double order_error(const claims *c, double scale, const size_t *a, const size_t *b, double *x)
{
    const size_t m = 2 * c->complete.n;
    double error = 0;
    for (size_t h = 0; h<c->n_hops; h += c->n_hops> 3 ? c->n_hops / 3 : 1)
        for (size_t i = 0; i < c->kept.n_rows; i++) {
            if (!hop_fits(c, &c->hops[h], i))
                continue;
            gather(claims_row(c, i), a, m, x);
            gather(claims_row(c, i - c->hops[h].back), b, m, x + m);
            error = worse(error, fabs(compensated_dot(x, x + m, m) - scale * c->g[h]));
        }
    return error;
}

typedef struct orders {
    double stated, own, mixed; /* errors: against g, against g in the size of the rows, of two orders */
    double ratio2;
} orders;

static sinpos_status find_orders(const claims *c, orders *o)
{
    const size_t m = 2 * c->complete.n;
    OWNED size_t *order = calloc(N_ORDERS * m + 1, sizeof *order);
    OWNED double *x = calloc(2 * m + 1, sizeof *x);
    const sinpos_status status = order == NULL || x == NULL ? SINPOS_E_MEMORY : SINPOS_OK;
    *o = (orders){.ratio2 = c->g0 > 0 ? c->size2 / c->g0 : NAN};
    for (size_t i = 0; i < N_ORDERS && status == SINPOS_OK; i++) {
        size_t *own = order + i * m;
        make_order(c, i, own);
        o->stated = worse(o->stated, order_error(c, 1, own, own, x));
        o->own = worse(o->own, order_error(c, o->ratio2, own, own, x));
    }
    if (status == SINPOS_OK)
        o->mixed = order_error(c, 1, order, order + m, x);
    return status;
}

sinpos_status claim_order_free(claims *c, sinpos_claim_result *r)
{
    orders o;
    const double bound = product_bound(c), own_bound = own_product_bound(c);
    if (c->complete.n == 0 || c->kept.n_rows < 2) {
        claim_say(r, NAN, bound, SINPOS_DOES_NOT_APPLY, "two rows and a tone with sine and cosine are needed");
        return SINPOS_OK;
    }
    const sinpos_status status = find_orders(c, &o);
    if (o.stated <= bound)
        claim_say(r, o.stated, bound, SINPOS_HOLDS,
                  "g is the same in %d orders of the columns; two rows in different orders are off by %.3g", N_ORDERS,
                  o.mixed);
    else if (o.own <= own_bound && isfinite(own_bound))
        claim_say(r, o.own, own_bound, SINPOS_HOLDS,
                  "products are the same in %d orders of the columns; the rows are %.6g times those stated", N_ORDERS,
                  sqrt(o.ratio2));
    else
        claim_say(r, o.stated, bound, SINPOS_DOES_NOT_HOLD,
                  "in some order of the columns the products are not g(m - n)");
    claim_detail(r, "orders", N_ORDERS);
    claim_detail(r, "error_mixed_orders", o.mixed);
    return status;
}

/* ------------------------------------------------------------------------------------------------- linear */

/*
 * Both elements within u R + tiny of the real ones, |cos| |s| + |sin| |c| <= R; four roundings of doubles. R is the largest
 * radius of a tone in the rows, which M_k keeps, whatever was stated.
 */
static double linear_bound(const claims *c)
{
    double radius = 0;
    for (size_t j = 0; j < c->complete.n; j++)
        radius = worse(radius, length_before_rounding(c, c->own[j], 2));
    return (2 * c->unit + 0x1p-50) * radius + 3 * c->tiny;
}

/* max over rows of |M_k p(t) - p(t + k)|. */
static double shift_error(const claims *c, const hop *h, const double *angles)
{
    const size_t n = c->complete.n;
    double error = 0;
    for (size_t i = 0; i < c->kept.n_rows; i++) {
        if (!hop_fits(c, h, i))
            continue;
        const double *to = claims_row(c, i), *from = claims_row(c, i - h->back);
        for (size_t j = 0; j < n; j++) {
            const size_t s = sin_column(c, j), k = cos_column(c, j);
            const double sine = from[s] * angles[n + j] + from[k] * angles[j];
            const double cosine = from[k] * angles[n + j] - from[s] * angles[j];
            error = worse(error, worse(fabs(sine - to[s]), fabs(cosine - to[k])));
        }
    }
    return error;
}

/* The blocks of M_1 that fit the rows best: how far from those of the tones, and how far from orthogonal. */
static void fit_blocks(const claims *c, const double *angles, double *off, double *not_orthogonal)
{
    const size_t n = c->complete.n, run = c->kept.run;
    *off = *not_orthogonal = 0;
    for (size_t j = 0; j < n && run > 1; j++) {
        const size_t s = sin_column(c, j), k = cos_column(c, j);
        double along = 0, across = 0, size = 0;
        for (size_t i = 1; i < run; i++) {
            const double *to = claims_row(c, i), *from = claims_row(c, i - 1);
            along += to[s] * from[s] + to[k] * from[k];
            across += to[s] * from[k] - to[k] * from[s];
            size += from[s] * from[s] + from[k] * from[k];
        }
        *off = worse(*off, hypot(along / size - angles[n + j], across / size - angles[j]));
        *not_orthogonal = worse(*not_orthogonal, fabs(hypot(along, across) / size - 1));
    }
}

/* max |M_j M_k - M_(j+k)| over the blocks; sums have 2 n elements each. */
static double product_error(size_t n, const double *a, const double *b, const double *sum)
{
    double error = 0;
    for (size_t j = 0; j < n; j++) {
        const double cosine = a[n + j] * b[n + j] - a[j] * b[j], sine = a[j] * b[n + j] + a[n + j] * b[j];
        error = worse(error, worse(fabs(cosine - sum[n + j]), fabs(sine - sum[j])));
    }
    return error;
}

/* Share of the variance of the rows that straight lines in t leave over. */
static double not_straight(const claims *c)
{
    const size_t n = c->kept.run;
    const double middle = ((double)n - 1) / 2, spread = (double)n * ((double)n * (double)n - 1) / 12;
    double left = 0, whole = 0;
    for (size_t j = 0; j < c->dim; j++) {
        double mean = 0, slope = 0, variance = 0;
        for (size_t i = 0; i < n; i++)
            mean += claims_row(c, i)[j] / (double)n;
        for (size_t i = 0; i < n; i++) {
            const double x = claims_row(c, i)[j] - mean;
            slope += x * ((double)i - middle);
            variance += x * x;
        }
        whole += variance;
        left += n > 1 ? variance - slope * slope / spread : variance;
    }
    return left / whole;
}

static sinpos_status linear_details(const claims *c, double *work, sinpos_claim_result *r)
{
    const size_t n = c->complete.n;
    double *one = work, *k = work + 2 * n, *sum = work + 4 * n, off, not_orthogonal;
    double products = 0;
    sinpos_status status = claims_angles(c, 1, one);
    for (size_t h = 0; h < c->n_hops && status == SINPOS_OK; h++) {
        if (c->hops[h].k == INT64_MAX)
            continue;
        status = claims_angles(c, c->hops[h].k, k);
        if (status == SINPOS_OK)
            status = claims_angles(c, c->hops[h].k + 1, sum);
        products = worse(products, product_error(n, one, k, sum));
    }
    fit_blocks(c, one, &off, &not_orthogonal);
    claim_detail(r, "product_of_shifts_error", products);
    claim_detail(r, "fitted_blocks_error", off);
    claim_detail(r, "fitted_blocks_not_orthogonal", not_orthogonal);
    claim_detail(r, "variance_left_by_straight_lines_in_t", not_straight(c));
    return status;
}

static void say_linear(const claims *c, sinpos_claim_result *r, double error, int64_t k)
{
    const double bound = linear_bound(c);
    if (c->kept.n_rows < 2)
        claim_say(r, NAN, bound, SINPOS_DOES_NOT_APPLY, "two rows are needed");
    else if (c->complete.n == 0)
        claim_say(r, NAN, bound, SINPOS_DOES_NOT_HOLD, "no tone has both sine and cosine, so that no M_k exists");
    else if (!(error <= bound))
        claim_say(r, error, bound, SINPOS_DOES_NOT_HOLD, "M_k p(t) misses p(t+k) at k = %lld, beyond rounding",
                  (long long)k);
    else if (c->complete.n < c->n_tones)
        claim_say(r, error, bound, SINPOS_HOLDS_ONLY_IF,
                  "the column of the tone that lacks its other half is left out: it has no M_k");
    else
        claim_say(r, error, bound, SINPOS_HOLDS, "M_k p(t) = p(t+k) for all t: rotations, linear in p though not in t");
}

sinpos_status claim_linear(claims *c, sinpos_claim_result *r)
{
    const size_t n = c->complete.n;
    OWNED double *work = calloc(6 * n + 1, sizeof *work);
    double error = 0;
    int64_t worst = 0;
    sinpos_status status = work == NULL ? SINPOS_E_MEMORY : SINPOS_OK;
    for (size_t h = 1; h < c->n_hops && status == SINPOS_OK; h += 2) {
        status = claims_angles(c, c->hops[h].k, work);
        const double own = shift_error(c, &c->hops[h], work);
        if (!(own <= error) && error == error)
            worst = c->hops[h].k;
        error = worse(error, own);
    }
    say_linear(c, r, error, worst);
    if (status == SINPOS_OK && c->n_hops > 1)
        status = linear_details(c, work, r);
    return status;
}

/* --------------------------------------------------------------------------------------------------- both */

/* How badly one half alone fails, as parts of the rows' |p|^2, of sqrt(2) |p| and of the radius of a tone. */
typedef struct half_failure {
    double product, distance, shift;
} half_failure;

typedef struct range {
    double least, most;
} range;

static void widen(range *r, double x)
{
    r->least = fmin(r->least, x);
    r->most = fmax(r->most, x);
}

static double half_dot(const double *x, const double *y, size_t n, bool distance)
{
    return distance ? compensated_distance(x, y, n) : compensated_dot(x, y, n);
}

/* Half of what products (or distances) at one offset spread by over the rows: no function of the offset is nearer. */
static double half_spread(const claims *c, const double *half, const hop *h, bool distance)
{
    const size_t n = c->complete.n;
    range r = {INFINITY, -INFINITY};
    for (size_t i = 0; i < c->kept.n_rows; i++)
        if (hop_fits(c, h, i))
            widen(&r, half_dot(half + i * n, half + (i - h->back) * n, n, distance));
    return r.most >= r.least ? (r.most - r.least) / 2 : 0;
}

/*
 * Root mean square of x(t+k) - a x(t), with the best a, of the tone that is worst, in parts of its radius. sums has
 * room for 3 n numbers: of x(t+k) x(t), x(t)^2 and x(t+k)^2.
 */
static double half_shift(const claims *c, const double *half, const hop *h, double *sums)
{
    const size_t n = c->complete.n;
    double worst = 0;
    size_t rows = 0;
    memset(sums, 0, 3 * n * sizeof *sums);
    for (size_t i = 0; i < c->kept.n_rows; i++) {
        if (!hop_fits(c, h, i))
            continue;
        const double *to = half + i * n, *from = half + (i - h->back) * n;
        for (size_t j = 0; j < n; j++) {
            sums[j] += to[j] * from[j];
            sums[n + j] += from[j] * from[j];
            sums[2 * n + j] += to[j] * to[j];
        }
        rows++;
    }
    for (size_t j = 0; j < n && rows > 0; j++) {
        const double cross = sums[j], from2 = sums[n + j], to2 = sums[2 * n + j];
        const double left = from2 > 0 ? to2 - cross * cross / from2 : to2;
        if (c->own[j] > 0)
            worst = fmax(worst, sqrt(fmax(left, 0) / (double)rows / c->own[j]));
    }
    return worst;
}

static void keep_half(const claims *c, bool cosines, double *half)
{
    const size_t n = c->complete.n;
    for (size_t i = 0; i < c->kept.n_rows; i++)
        for (size_t j = 0; j < n; j++)
            half[i * n + j] = claims_row(c, i)[cosines ? cos_column(c, j) : sin_column(c, j)];
}

static half_failure find_failure(const claims *c, bool cosines, double *half, double *sums)
{
    half_failure f = {0, 0, 0};
    keep_half(c, cosines, half);
    for (size_t h = 1; h < c->n_hops; h += 3) {
        f.product = fmax(f.product, half_spread(c, half, &c->hops[h], false) / c->size2);
        f.distance = fmax(f.distance, half_spread(c, half, &c->hops[h], true) / sqrt(2 * c->size2));
    }
    for (size_t h = 0; h < c->n_hops; h += 1 + c->n_hops / 4)
        f.shift = fmax(f.shift, half_shift(c, half, &c->hops[c->n_hops - 1 - h], sums));
    return f;
}

static double least_failure(const half_failure *f)
{
    return fmin(f->product, fmin(f->distance, f->shift));
}

static void say_both(const claims *c, sinpos_claim_result *r, const half_failure *sines, const half_failure *cosines,
                     double together)
{
    const double norm2 = own_norm2(c), product = product_bound_of(c, norm2);
    const double bound =
        fmax(product / norm2, fmax(distance_bound_of(c, norm2) / sqrt(2 * norm2), 2 * c->unit + 0x1p-50));
    const double value = fmin(least_failure(sines), least_failure(cosines));
    if (!(together <= product) || !isfinite(product) || c->size2 == 0)
        claim_say(r, value, bound, SINPOS_DOES_NOT_HOLD, "not even both together make products that depend on m - n");
    else if (value > bound)
        claim_say(r, value, bound, SINPOS_HOLDS,
                  "without cosines products spread by %.2g of |p|^2, without sines by %.2g; together by no more than "
                  "rounding",
                  sines->product, cosines->product);
    else
        claim_say(r, value, bound, SINPOS_DOES_NOT_HOLD, "one half alone does it for these frequencies and positions");
    claim_detail(r, "sines_alone_product", sines->product);
    claim_detail(r, "sines_alone_distance", sines->distance);
    claim_detail(r, "sines_alone_shift", sines->shift);
    claim_detail(r, "cosines_alone_product", cosines->product);
    claim_detail(r, "cosines_alone_distance", cosines->distance);
    claim_detail(r, "cosines_alone_shift", cosines->shift);
    claim_detail(r, "together_product_spread", together / c->size2);
}

sinpos_status claim_both(claims *c, sinpos_claim_result *r)
{
    if (c->complete.n == 0 || c->g0 == 0 || c->kept.run < 16) {
        claim_say(r, NAN, NAN, c->complete.n == 0 ? SINPOS_DOES_NOT_HOLD : SINPOS_DOES_NOT_APPLY,
                  c->complete.n == 0 ? "no tone has both sine and cosine"
                                     : "sixteen rows and a tone that is not zero are needed");
        return SINPOS_OK;
    }
    OWNED double *half = malloc((c->kept.n_rows + 3) * c->complete.n * sizeof *half);
    if (half == NULL)
        return SINPOS_E_MEMORY;
    double *sums = half + c->kept.n_rows * c->complete.n;
    const pair_errors e = find_errors(c, false, 1);
    const half_failure sines = find_failure(c, false, half, sums), cosines = find_failure(c, true, half, sums);
    say_both(c, r, &sines, &cosines, e.spread);
    return SINPOS_OK;
}

sinpos_status claims_sines_spread(const claims *c, double *spread)
{
    OWNED double *half = malloc((c->kept.n_rows * c->complete.n + 1) * sizeof *half);
    *spread = 0;
    if (half == NULL)
        return SINPOS_E_MEMORY;
    keep_half(c, false, half);
    for (size_t h = 1; h < c->n_hops; h += 3)
        *spread = fmax(*spread, half_spread(c, half, &c->hops[h], false) / c->size2);
    return SINPOS_OK;
}
