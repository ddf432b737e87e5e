/* diff_match.c - columns of B from those of its partners: which, with which sign, factor and constant. */
#include "diff.h"

/* Numbers that a median is taken of. */
#define MOST_RATIOS 4096
/* Squared, of a column with its partner, that says which sign it has. */
#define SURE_CORRELATION 0.8

/* Rows that columns of rounded angles are looked for in, and part of the elements that makes other columns needless. */
#define ROUGH_ROWS 64
#define LEAST_ROUGH 0.5

/* Columns that are looked for first. */
#define PROBED_COLUMNS 16

sinpos_status diff_match_make(diff_job *job, diff_match *match)
{
    *match = (diff_match){.factor = 1};
    match->column = blocks_take(&job->memory, job->b.dim, sizeof *match->column);
    match->sign = blocks_take(&job->memory, job->b.dim, sizeof *match->sign);
    return blocks_status(&job->memory);
}

static void copy_match(diff_match *to, const diff_match *from, size_t dim)
{
    ptrdiff_t *column = to->column;
    signed char *sign = to->sign;
    *to = *from;
    to->column = column;
    to->sign = sign;
    memcpy(column, from->column, dim * sizeof *column);
    memcpy(sign, from->sign, dim * sizeof *sign);
}

static int by_size(const void *one, const void *other)
{
    const double a = *(const double *)one, b = *(const double *)other;
    return (a > b) - (a < b);
}

static double unit_of(const diff_job *job)
{
    const double a = type_unit(job->a.holds), b = type_unit(job->b.holds);
    return a > b ? a : b;
}

/* ----------------------------------------------------------------------------------------- one match */

/* The sign of most of a column; about the means, where a constant is added, of columns that show one. */
static void find_signs(const diff_job *job, diff_match *m, bool is_centred)
{
    const size_t da = job->a.dim, db = job->b.dim;
    for (size_t j = 0; j < db; j++) {
        double product = 0, mean_a = 0, mean_b = 0, square_a = 0, square_b = 0, n = 0;
        for (size_t i = 0; i < job->sample.n && m->column[j] >= 0; i++) {
            const double a = job->partner[i * da + (size_t)m->column[j]], b = job->sample.x[i * db + j];
            if (isnan(a) || isnan(b))
                continue;
            product += a * b;
            square_a += a * a;
            square_b += b * b;
            mean_a += a;
            mean_b += b;
            n += 1;
        }
        if (is_centred && n > 0) {
            product -= mean_a * mean_b / n;
            square_a -= mean_a * mean_a / n;
            square_b -= mean_b * mean_b / n;
            product = product * product > SURE_CORRELATION * square_a * square_b ? product : 0;
        }
        m->sign[j] = product < 0 ? -1 : 1;
    }
}

/* The median of the ratios, or of the differences; what occurs most is near it where most agree. */
static double median(const diff_job *job, const diff_match *m, bool is_ratio)
{
    const size_t da = job->a.dim, db = job->b.dim, all = job->sample.n * db, every = all / MOST_RATIOS + 1;
    double list[MOST_RATIOS];
    size_t n = 0;
    for (size_t k = 0; k < all && n < MOST_RATIOS; k += every + (every > 1 && (k / every) % 2)) {
        const size_t i = k / db, j = k % db;
        const double b = job->sample.x[k], a = m->column[j] < 0 ? NAN : job->partner[i * da + (size_t)m->column[j]];
        if (isnan(a) || isnan(b) || b == 0 || (is_ratio && fabs(a) < 1e-3))
            continue;
        list[n++] = is_ratio ? b / (m->sign[j] * a) : b - m->sign[j] * a;
    }
    qsort(list, n, sizeof *list, by_size);
    return n == 0 ? (is_ratio ? 1 : 0) : list[n / 2];
}

static void measure(const diff_job *job, diff_match *m)
{
    const size_t da = job->a.dim, db = job->b.dim;
    const double unit = 4 * unit_of(job);
    size_t n = 0, near = 0, rough = 0, dropped = 0;
    for (size_t i = 0; i < job->sample.n; i++)
        for (size_t j = 0; j < db; j++) {
            const double b = job->sample.x[i * db + j], *a = job->partner + i * da;
            if (m->column[j] < 0 || isnan(a[m->column[j]])) {
                n += m->column[j] < 0;
                continue;
            }
            const double want = diff_made(m, a, j), error = fabs(b - want);
            const double size = fabs(b) + fabs(want) + fabs(m->constant);
            n++;
            near += error <= unit * size + 1e-300;
            rough += error <= 0.05 * fabs(m->factor);
            dropped += b == 0 && error > unit * size + 1e-300;
        }
    m->dropped = n == 0 ? 0 : (double)dropped / (double)n;
    m->near = n == dropped ? 0 : (double)near / (double)(n - dropped);
    m->rough = n == dropped ? 0 : (double)rough / (double)(n - dropped);
}

/* Sign, factor and constant for these columns. */
static void fit(const diff_job *job, diff_match *m)
{
    const double unit = unit_of(job);
    m->constant = 0;
    find_signs(job, m, false);
    m->factor = median(job, m, true);
    m->factor = !isfinite(m->factor) || m->factor == 0 || fabs(m->factor - 1) <= 8 * unit ? 1 : m->factor;
    measure(job, m);
    if (m->near >= DIFF_NEAR)
        return;
    const double factor = m->factor, near = m->near, rough = m->rough, dropped = m->dropped;
    m->factor = 1;
    find_signs(job, m, true);
    m->constant = median(job, m, false);
    measure(job, m);
    if (m->near >= DIFF_NEAR || m->near > near + 0.3)
        return;
    m->factor = fabs(factor - 1) < 0.05 ? 1 : factor; /* known roughly */
    m->constant = 0;
    m->near = near;
    m->rough = rough;
    m->dropped = dropped;
    find_signs(job, m, false);
}

/* ------------------------------------------------------------------------------------------ named columns */

/* Which column holds a component of a tone; -1 for none. The last of an odd width that is not of a tone stays. */
static ptrdiff_t place(diff_form form, size_t dim, bool is_zero_last, size_t tone, bool is_cos)
{
    const size_t m = is_zero_last ? dim / 2 : (dim + 1) / 2, width = is_zero_last ? 2 * m : dim;
    const size_t second = is_cos != form.is_cos_first;
    const size_t at = !form.is_halves ? 2 * tone + second : second * m + tone;
    return at >= width || (second == 1 && form.is_halves && at >= width) ? -1 : (ptrdiff_t)at;
}

/* False where the forms leave a column without a partner. */
static bool name_columns(diff_match *m, size_t dim, diff_form from, diff_form to, bool is_zero_last)
{
    const size_t n = is_zero_last ? dim / 2 : (dim + 1) / 2;
    for (size_t j = 0; j < dim; j++)
        m->column[j] = -1;
    for (size_t k = 0; k < 2 * n; k++) {
        const ptrdiff_t a = place(from, dim, is_zero_last, k / 2, k % 2),
                        b = place(to, dim, is_zero_last, k / 2, k % 2);
        if ((a < 0) != (b < 0))
            return false;
        if (b >= 0)
            m->column[b] = a;
    }
    if (is_zero_last)
        m->column[dim - 1] = (ptrdiff_t)dim - 1;
    for (size_t j = 0; j < dim; j++)
        if (m->column[j] < 0)
            return false;
    return true;
}

static bool is_as_it_was(const diff_match *m, size_t dim)
{
    for (size_t j = 0; j < dim; j++)
        if (m->column[j] != (ptrdiff_t)j)
            return false;
    return true;
}

/* The forms that A may have: that of its definition where it is known. */
static bool may_have_form(const diff_job *job, diff_form form)
{
    const sinpos_identity *identity = job->a.identity;
    if (identity == NULL || !identity->is_sinusoidal || identity->nest > SINPOS_NEST_ACF)
        return true;
    return form.is_halves == (identity->nest == SINPOS_NEST_ACF) && form.is_cos_first == (identity->cos_first != 0);
}

static bool try_forms(const diff_job *job, diff_match *trial, diff_match *best, diff_form from, diff_form to)
{
    const size_t dim = job->b.dim;
    for (int is_zero = 0; is_zero <= (int)(dim % 2); is_zero++) {
        trial->how = DIFF_NAMED;
        trial->from = from;
        trial->to = to;
        if (!name_columns(trial, dim, from, to, is_zero) || is_as_it_was(trial, dim))
            continue;
        fit(job, trial);
        if (trial->near >= DIFF_NEAR || (best->near < DIFF_NEAR && trial->rough > best->rough + 0.02))
            copy_match(best, trial, dim);
        if (best->near >= DIFF_NEAR)
            return true;
    }
    return false;
}

/* Layout alone, order alone, both. */
static bool try_names(const diff_job *job, diff_match *trial, diff_match *best)
{
    for (int change = 1; change < 4; change++)
        for (int form = 0; form < 4; form++) {
            const diff_form from = {form & 1, form >> 1}, to = {(form ^ change) & 1, ((form ^ change) >> 1) != 0};
            if (may_have_form(job, from) && try_forms(job, trial, best, from, to))
                return true;
        }
    return false;
}

/* ------------------------------------------------------------------------------------- columns by content */

/*
 * How many rows of column j of B are column c of the partners to the last bit? -1 where they are not even near; stops as
 * soon as they cannot be.
 */
static ptrdiff_t agreement(const diff_job *job, size_t j, size_t c, const diff_match *m, int sign)
{
    const size_t da = job->a.dim, db = job->b.dim, n = job->sample.n;
    const double unit = 4 * unit_of(job);
    const sinpos_type type = type_unit(job->a.holds) > type_unit(job->b.holds) ? job->a.holds : job->b.holds;
    const double slack = m->constant != 0 ? 1e-13 : 1e-300; /* it is a mean */
    size_t off = 0, seen = 0, equal = 0;
    for (size_t i = 0; i < n; i++) {
        const double a = job->partner[i * da + c] * m->factor * sign + m->constant, b = job->sample.x[i * db + j];
        if (isnan(a) || (b == 0 && a != 0))
            continue;
        const bool is_off = !(fabs(a - b) <= unit * (fabs(a) + fabs(b) + fabs(m->constant)) + slack);
        seen++;
        off += is_off;
        equal += !is_off && round_to(a, type) == round_to(b, type);
        if (off > 2 && (off * 2 > seen || off * 10 > n)) /* most columns end here, after three rows */
            return -1;
    }
    return seen > 0 && off * 10 <= seen ? (ptrdiff_t)equal : -1;
}

/* The nearest column where angles are rounded: the sum of errors, each at most 0.1, over a few rows decides. */
static ptrdiff_t nearest(const diff_job *job, size_t j, const diff_match *m, const bool *is_used)
{
    const size_t da = job->a.dim, db = job->b.dim, step = job->sample.n / ROUGH_ROWS + 1;
    double least = 0.05 * (double)(job->sample.n / step + 1);
    ptrdiff_t best = -1;
    for (size_t c = 0; c < da; c++) {
        double sum = is_used[c] ? 1e-9 : 0;
        for (size_t i = 0; i < job->sample.n && sum < least; i += step) {
            const double off = fabs(job->partner[i * da + c] * m->factor - job->sample.x[i * db + j]);
            sum += off < 0.1 ? off : 0.1;
        }
        if (sum < least) {
            least = sum;
            best = (ptrdiff_t)c;
        }
    }
    return best;
}

/* The column that agrees best; of equals the same one, then one that no other column of B is, then any. */
static ptrdiff_t look_for(const diff_job *job, size_t j, const diff_match *m, const bool *is_used, int sign)
{
    ptrdiff_t best = -1, best_rank = -1;
    for (size_t c = 0; c < job->a.dim; c++) {
        const ptrdiff_t equal = agreement(job, j, c, m, sign), rank = 4 * equal + 2 * !is_used[c] + (c == j);
        if (equal >= 0 && rank > best_rank) {
            best = (ptrdiff_t)c;
            best_rank = rank;
        }
    }
    return best;
}

static double mean(const double *x, size_t n, bool is_square)
{
    double sum = 0, seen = 0;
    for (size_t i = 0; i < n; i++) {
        sum += isnan(x[i]) ? 0 : is_square ? x[i] * x[i] : x[i];
        seen += !isnan(x[i]);
    }
    return seen > 0 ? sum / seen : 0;
}

/* Do enough of a few columns have a partner? The others are then worth the search. */
static bool some_are_found(const diff_job *job, const diff_match *trial, bool *is_used, bool is_rough)
{
    const size_t db = job->b.dim, n = db < PROBED_COLUMNS ? db : PROBED_COLUMNS;
    size_t found = 0;
    memset(is_used, 0, job->a.dim * sizeof *is_used);
    for (size_t k = 0; k < n; k++) {
        const size_t j = k * db / n;
        found += is_rough ? nearest(job, j, trial, is_used) >= 0
                          : look_for(job, j, trial, is_used, 1) >= 0 || look_for(job, j, trial, is_used, -1) >= 0;
    }
    return found * 4 >= n;
}

/* Columns of B that `keep` does not name are looked for among all those of A. */
static bool look_for_all(const diff_job *job, diff_match *trial, const bool *keep, bool *is_used, bool is_rough)
{
    const size_t da = job->a.dim, db = job->b.dim;
    size_t found = 0;
    bool is_one_to_one = da == db;
    if (keep == NULL && !some_are_found(job, trial, is_used, is_rough))
        return false;
    memset(is_used, 0, da * sizeof *is_used);
    for (size_t j = 0; j < db; j++)
        if (keep != NULL && keep[j])
            is_used[trial->column[j]] = true;
    for (size_t j = 0; j < db; j++) {
        if (keep == NULL || !keep[j]) {
            trial->column[j] = is_rough ? nearest(job, j, trial, is_used) : look_for(job, j, trial, is_used, 1);
            if (trial->column[j] < 0 && !is_rough)
                trial->column[j] = look_for(job, j, trial, is_used, -1);
            is_one_to_one = is_one_to_one && trial->column[j] >= 0 && !is_used[trial->column[j]];
            if (trial->column[j] >= 0)
                is_used[trial->column[j]] = true;
        }
        found += trial->column[j] >= 0;
    }
    trial->how = is_one_to_one ? DIFF_PERMUTED : DIFF_CHOSEN;
    return found * 2 >= db;
}

static double largest(const double *x, size_t n)
{
    double most = 0;
    for (size_t i = 0; i < n; i++)
        most = fabs(x[i]) > most ? fabs(x[i]) : most;
    return most;
}

static sinpos_status try_content(const diff_job *job, diff_match *trial, diff_match *best)
{
    const size_t da = job->a.dim, db = job->b.dim, n = job->sample.n;
    bool *is_used = malloc(da * sizeof *is_used);
    if (is_used == NULL)
        return SINPOS_E_MEMORY;
    const double a = mean(job->partner, n * da, true), b = mean(job->sample.x, n * db, true);
    const double most_a = largest(job->partner, n * da), most_b = largest(job->sample.x, n * db);
    const double factors[] = {1, a > 0 && b > 0 ? sqrt(b / a) : 1, 1, most_a > 0 && most_b > 0 ? most_b / most_a : 1};
    const double constant = mean(job->sample.x, n * db, false) - mean(job->partner, n * da, false);
    for (int k = 0; k < 4 && best->near < DIFF_NEAR; k++) {
        trial->factor = factors[k];
        trial->constant = k == 2 ? constant : 0;
        if (!look_for_all(job, trial, NULL, is_used, false))
            continue;
        fit(job, trial);
        if (trial->how == DIFF_CHOSEN && da == db && trial->near < DIFF_NEAR)
            continue;
        size_t known = 0;
        for (size_t j = 0; j < db; j++)
            known += trial->column[j] >= 0;
        if (trial->near * (double)db >= DIFF_NEAR * (double)known)
            copy_match(best, trial, db);
    }
    trial->factor = most_a > 0 && most_b > 0 ? most_b / most_a : 1;
    trial->constant = 0;
    if (best->near < DIFF_NEAR && best->rough < LEAST_ROUGH && look_for_all(job, trial, NULL, is_used, true)) {
        fit(job, trial);
        if (trial->rough > best->rough)
            copy_match(best, trial, db);
    }
    free(is_used);
    return SINPOS_OK;
}

/* ------------------------------------------------------------------------------------------------ repair */

static bool column_agrees(const diff_job *job, const diff_match *m, size_t j)
{
    const size_t da = job->a.dim, db = job->b.dim;
    const double unit = 8 * unit_of(job);
    size_t seen = 0, near = 0;
    for (size_t i = 0; i < job->sample.n; i++) {
        const double *a = job->partner + i * da, b = job->sample.x[i * db + j];
        if (m->column[j] < 0 || isnan(a[m->column[j]]) || b == 0)
            continue;
        const double want = diff_made(m, a, j);
        seen++;
        near += fabs(b - want) <= unit * (fabs(b) + fabs(want) + fabs(m->constant)) + 1e-300;
    }
    return seen == 0 || near * 2 >= seen;
}

/* A few columns that disagree may have changed places. */
static sinpos_status repair(diff_job *job, diff_match *trial, diff_match *best)
{
    const size_t da = job->a.dim, db = job->b.dim;
    bool *keep = malloc((db + da) * sizeof *keep);
    size_t wrong = 0;
    if (keep == NULL)
        return SINPOS_E_MEMORY;
    for (size_t j = 0; j < db; j++) {
        keep[j] = column_agrees(job, best, j);
        wrong += !keep[j];
    }
    if (wrong > 0 && da == db && best->constant == 0) {
        copy_match(trial, best, db);
        look_for_all(job, trial, keep, keep + db, false);
        if (trial->how == DIFF_PERMUTED) {
            fit(job, trial);
            if (trial->near > best->near)
                copy_match(best, trial, db);
        }
    }
    free(keep);
    return SINPOS_OK;
}

sinpos_status diff_match_find(diff_job *job, diff_match *best)
{
    diff_match trial;
    sinpos_status status = diff_match_make(job, &trial);
    if (status != SINPOS_OK)
        return status;
    best->near = best->rough = -1;
    if (job->a.dim == job->b.dim) {
        for (size_t j = 0; j < job->b.dim; j++)
            best->column[j] = (ptrdiff_t)j;
        best->how = DIFF_SAME_COLUMNS;
        fit(job, best);
        if (best->near < DIFF_NEAR)
            status = diff_identify(&job->a, job->n_threads); /* its own layout is known */
        if (best->near < DIFF_NEAR && status == SINPOS_OK)
            try_names(job, &trial, best);
    }
    if (best->near < DIFF_NEAR && status == SINPOS_OK)
        status = try_content(job, &trial, best);
    return status == SINPOS_OK && best->near >= DIFF_NEAR && best->near < 1 ? repair(job, &trial, best) : status;
}
