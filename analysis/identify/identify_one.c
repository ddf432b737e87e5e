/* identify_one.c - one table as one encoding: looks at it in every way, and keeps the best explanation. */
#include "identify_mend.h"

/* Evidence that is asked for beyond what was chosen to fit, and the largest typical error, per amplitude. */
#define LEAST_BITS 20
#define MOST_ERROR 0.25

/* The same of much evidence for one coordinate in even steps: there is much noise. */
#define MUCH_BITS 50
#define MOST_NOISY_ERROR 0.45

/* Least ln of the ratio of the extreme frequencies. */
#define LEAST_SPAN 0.05

/* A typical error, per amplitude, that no wrong layout has. */
#define SETTLED_ERROR 1e-3

/* Part of the elements that may be far from what the explanation makes. */
#define MOST_FAR 0.1

/* Part of the elements that an arithmetic makes, where its errors are those of the table. */
#define LEAST_REPLAYED 0.99
#define MANY_ALTERED 0.02

/* Positions beyond this are far away; with them no more of the elements may be wrong. */
#define FAR_AWAY 0x1p20
#define MOST_WRONG 0.5

/* Rows that are off by this, per amplitude, and by so many times what the fitted rows are, are not explained. */
#define LEAST_OFF 0.05
#define FAR_WORSE 1000

/* Errors of exact doubles, per amplitude: parts of a turn are looked for. */
#define TURN_ERROR 1e-9

/* How often positions and the formula are settled in turn. */
#define MOST_SETTLINGS 3

/* Angles that a layout may look at in search of turns, where work is limited: what encodings take at most. */
#define LEAST_SHARE ((size_t)1 << 20)

/* Angles of matched waves are known to so many units. */
#define NEAR_UNITS 4

typedef struct found {
    id_view view;
    id_sample sample;
    id_fit fit;
    bool is_set, is_matched; /* by columns: positions are known */
    size_t *work;            /* of proposals */
} found;

static void found_free(found *f)
{
    id_sample_free(&f->sample);
    id_fit_free(&f->fit);
    free(f->view.data);
    *f = (found){0};
}

static double most_error(const id_fit *fit)
{
    const bool is_sure = fit->bits - fit->beside > MUCH_BITS && fit->is_steady && fit->layout.n_axes == 1 &&
                         fit->guess[0].family == ID_GEOMETRIC && fit->n_free[0] == 0;
    return is_sure ? MOST_NOISY_ERROR : MOST_ERROR;
}

/* Frequencies must differ, and so must rows. */
static bool is_good(const id_fit *fit, const id_sample *sample)
{
    bool differ = sample->n == 1 || fit->n_rows > 1;
    for (size_t a = 0; a < fit->layout.n_axes; a++) {
        const size_t m = fit->layout.n_frequencies[a];
        differ = differ && (m == 1 || fit->guess[a].family == ID_FREE || fit->n_free[a] > 0 ||
                            fabs(fit->guess[a].slope) * (double)(m - 1) > LEAST_SPAN);
    }
    return differ && fit->bits - fit->beside > LEAST_BITS && fit->error < most_error(fit);
}

/* One coordinate in even steps explains all columns: nothing simpler can come. */
static bool is_settled(const found *f)
{
    const id_fit *fit = &f->fit;
    return f->is_set && fit->is_steady && fit->layout.n_axes == 1 &&
           fit->layout.width + id_zero_columns(&f->sample) == f->sample.dim && fit->n_free[0] == 0 &&
           fit->guess[0].family == ID_GEOMETRIC && fit->noise == 0 && fit->error < SETTLED_ERROR &&
           is_good(fit, &f->sample);
}

/* Takes the fit over if so many bits more speak for it. */
static void prefer(found *f, id_fit *fit, double margin)
{
    if (f->is_set && !(fit->bits > f->fit.bits + margin)) {
        id_fit_free(fit);
        return;
    }
    id_fit_free(&f->fit);
    f->fit = *fit;
    f->is_set = true;
}

/* Of limited work each of the layouts that are left has its share: wrong ones, which come first, would spend it all. */
static sinpos_status fit_with_share(found *f, id_fit *fit, id_layout *layout, size_t n_left)
{
    const size_t all = f->work == NULL ? 0 : *f->work, even = all / n_left;
    const size_t given = even > LEAST_SHARE ? even : all < LEAST_SHARE ? all : LEAST_SHARE;
    size_t left = given;
    f->sample.work = f->work == NULL ? NULL : &left;
    const sinpos_status status = id_fit_layout(fit, &f->sample, layout);
    f->sample.work = f->work;
    if (f->work != NULL)
        *f->work -= given - left;
    return status;
}

/* The best of all layouts, or of those of rotary tables. */
static sinpos_status try_layouts(found *f, bool only_twice)
{
    id_layout *layouts = NULL;
    size_t n = 0;
    sinpos_status status = id_layouts(&f->sample, only_twice, &layouts, &n);
    for (size_t i = 0; i < n && status == SINPOS_OK && !is_settled(f); i++) {
        id_fit fit;
        status = id_ask(f->view.table);
        status = status != SINPOS_OK ? status : fit_with_share(f, &fit, &layouts[i], n - i);
        if (status != SINPOS_OK)
            break;
        prefer(f, &fit, 1);
    }
    for (size_t i = 0; i < n; i++)
        id_layout_free(&layouts[i]);
    free(layouts);
    return status;
}

/* Angles of sixteen bits, or rows that repeat as rounded positions do, where this explains the columns. */
static sinpos_status try_rounded(found *f)
{
    id_fit fit;
    sinpos_status status = id_fit_angles(&fit, &f->sample);
    if (status == SINPOS_OK && fit.rounded_to == 0) {
        id_fit_free(&fit);
        status = id_fit_rounded(&fit, &f->sample);
    }
    if (status == SINPOS_OK && fit.rounded_to > 0 && is_good(&fit, &f->sample))
        prefer(f, &fit, 0);
    else if (status == SINPOS_OK)
        id_fit_free(&fit);
    return status;
}

static sinpos_status try_permuted(found *f)
{
    id_layout layout = {0};
    id_fit fit;
    sinpos_status status = id_layout_permuted(&f->sample, &layout);
    if (status != SINPOS_OK || layout.n_tones == 0) {
        id_layout_free(&layout);
        return status;
    }
    status = id_fit_layout(&fit, &f->sample, &layout);
    if (status != SINPOS_OK)
        return status;
    fit.bits -= 2 * (double)fit.layout.n_tones * log2((double)f->sample.dim);
    prefer(f, &fit, 0);
    return SINPOS_OK;
}

/* Cosines or sines alone. */
static sinpos_status try_alone(found *f)
{
    sinpos_status status = SINPOS_OK;
    bool is_found = false;
    for (int is_sine = 0; is_sine < 2 && !is_found && status == SINPOS_OK; is_sine++) {
        id_fit fit;
        status = id_fit_alone(&fit, &f->sample, is_sine);
        is_found = status == SINPOS_OK && fit.is_alone && is_good(&fit, &f->sample);
        if (is_found)
            prefer(f, &fit, 0);
        else
            id_fit_free(&fit);
    }
    return status;
}

static sinpos_status try_view(found *f, const sinpos_table *table, sinpos_view kind, bool is_found)
{
    bool is_possible = false;
    sinpos_status status = id_view_make(&f->view, table, kind, &is_possible);
    if (status != SINPOS_OK || !is_possible)
        return status;
    status = id_sample_take(&f->sample, &f->view);
    f->sample.work = f->work;
    if (status == SINPOS_OK && f->sample.n > 0) {
        status = try_rounded(f);
        if (status == SINPOS_OK && !f->is_set) /* rows may hold two tables, one below the other */
            status = try_layouts(f, kind == SINPOS_VIEW_SIDE_BY_SIDE && is_found);
        if (status == SINPOS_OK && !(f->is_set && is_good(&f->fit, &f->sample)) && kind == SINPOS_VIEW_ROWS)
            status = try_permuted(f);
        if (status == SINPOS_OK && !(f->is_set && is_good(&f->fit, &f->sample)) && kind == SINPOS_VIEW_ROWS)
            status = try_alone(f);
        if (status == SINPOS_OK && f->is_set)
            status = id_merge_axes(&f->fit, &f->sample);
    }
    return status;
}

/* Columns that were matched one by one, with what was done to them undone. */
static sinpos_status look_matched(found *f, const sinpos_table *table, const id_match *match)
{
    bool is_possible = false;
    sinpos_status status = id_view_make(&f->view, table, SINPOS_VIEW_ROWS, &is_possible);
    f->view.match = match;
    status = status != SINPOS_OK ? status : id_sample_take(&f->sample, &f->view);
    f->sample.work = f->work;
    if (status != SINPOS_OK || f->sample.n == 0)
        return status;
    status = try_layouts(f, false);
    if (status != SINPOS_OK || is_settled(f))
        return status;
    if (match->is_layout)
        return f->is_set && is_good(&f->fit, &f->sample) ? SINPOS_OK : try_permuted(f);
    id_fit fit;
    status = id_fit_match(&fit, &f->sample, match);
    if (status != SINPOS_OK)
        return status;
    id_fit_free(&f->fit);
    f->fit = fit;
    f->is_set = f->is_matched = true;
    return SINPOS_OK;
}

/* Two tables or short rows of an inner dimension are looked at in any case, other ways only if rows decide nothing. */
static bool is_worth(const sinpos_table *table, sinpos_view kind, bool is_found)
{
    const size_t *shape = table->shape, dims = table->n_dims;
    size_t begin = 0;
    while (begin + 2 < dims && shape[begin] == 1)
        begin++;
    switch (kind) {
    case SINPOS_VIEW_ROWS: return true;
    case SINPOS_VIEW_SIDE_BY_SIDE: return dims - begin >= 3 && shape[begin] == 2;
    case SINPOS_VIEW_INNER: return dims - begin >= 3 && shape[dims - 1] <= 4;
    case SINPOS_VIEW_CHANNEL_FIRST: return !is_found;
    }
    return false;
}

/* A part of an array is rows of columns. */
static sinpos_status look(found *best, const sinpos_table *table, bool is_part)
{
    const int last = is_part ? SINPOS_VIEW_ROWS : SINPOS_VIEW_CHANNEL_FIRST;
    sinpos_status status = SINPOS_OK;
    for (int kind = SINPOS_VIEW_ROWS; kind <= last && status == SINPOS_OK; kind++) {
        found other = {.work = best->work};
        const bool is_found = best->is_set && is_good(&best->fit, &best->sample);
        if (!is_worth(table, (sinpos_view)kind, is_found))
            continue;
        status = try_view(&other, table, (sinpos_view)kind, is_found);
        if (status == SINPOS_OK && other.is_set && (!best->is_set || other.fit.bits > best->fit.bits)) {
            found_free(best);
            *best = other;
        } else if (status == SINPOS_OK && kind == SINPOS_VIEW_ROWS) {
            *best = other; /* to say something of what is not an encoding */
        } else {
            found_free(&other);
        }
    }
    return status;
}

/* ---------------------------------------------------------------------------------------------- writing down */

static void take_layout(sinpos_identity *identity, id_layout *layout)
{
    identity->nest = layout->nest;
    identity->cos_first = layout->cos_first;
    identity->is_twice = layout->is_twice;
    identity->is_twice_side_by_side = layout->is_twice && layout->index[1] == 0;
    identity->first_column = layout->first;
    identity->width = layout->width;
    identity->n_axes = layout->n_axes;
    identity->n_tones = layout->n_tones;
    identity->sin_column = layout->sin_column;
    identity->cos_column = layout->cos_column;
    identity->tone_axis = layout->axis;
    identity->tone_index = layout->index;
}

/* 1, sqrt(2/D), 1/sqrt(D), or a short decimal. */
static double name_amplitude(double amplitude, size_t dim, double error)
{
    const double d = (double)dim, usual[] = {1, sqrt(2 / d), 1 / sqrt(d), sqrt(d)};
    for (size_t i = 0; i < sizeof usual / sizeof usual[0]; i++)
        if (fabs(amplitude - usual[i]) <= usual[i] * error)
            return usual[i];
    return id_simple(amplitude, amplitude * error);
}

/* What the angles leave in doubt of a frequency. */
static double list_reach(const id_fit *fit, size_t a)
{
    double farthest = 0;
    for (size_t i = 0; i < fit->n_rows; i++)
        farthest = fmax(farthest, fabs(fit->p[a][i]));
    return farthest > 0 ? 4 * fit->error / farthest : 0;
}

/* Frequencies with few digits are meant, or else those that float32 has, if that is so of all of them. */
static void name_digits(double *theta, size_t m, double reach, double most)
{
    bool are_nice = true, are_single = true;
    for (size_t i = 0; i < m; i++) {
        const double near = fmin(reach + 1e-15, most * fabs(theta[i]));
        are_nice = are_nice && id_digits(id_simple(theta[i], near)) <= 6;
        are_single = are_single && fabs(theta[i] - (double)(float)theta[i]) <= near;
    }
    for (size_t i = 0; i < m && (are_nice || are_single); i++) {
        const double near = fmin(reach + 1e-15, most * fabs(theta[i]));
        theta[i] = are_nice ? id_simple(theta[i], near) : (double)(float)theta[i];
    }
}

/* Those that follow the formula follow it exactly; others may be it divided by a simple number. */
static void name_divided(sinpos_identity_axis *axis, const id_fit *fit, size_t a, double reach)
{
    for (size_t i = 0; i < axis->n_frequencies; i++) {
        const double formula = pow(axis->base, -(double)i / axis->divisor), theta = axis->theta[i];
        const double ratio = formula / theta, near = reach / fabs(theta) + 1e-7;
        const double simple = isfinite(ratio) ? id_simple(ratio, ratio * fmin(near, 1e-5)) : 1;
        if (fit->guess[a].family == ID_GEOMETRIC && theta == exp(-fit->guess[a].slope * (double)i))
            axis->theta[i] = formula;
        else if (theta != 0 && id_digits(simple) <= 4)
            axis->theta[i] = formula / simple;
    }
}

/* A formula of which all frequencies are simple parts, where none was found to follow it. */
static void find_divided(sinpos_identity_axis *axis, double reach)
{
    static const double usual[] = {1e4, 5e5, 1e6};
    const size_t m = axis->n_frequencies;
    for (size_t b = 0; b < sizeof usual / sizeof usual[0] && m >= 4; b++) {
        bool all = true;
        for (size_t i = 0; i < m && all; i++) {
            const double ratio = axis->theta[0] * pow(usual[b], -(double)i / (double)m) / axis->theta[i];
            const double near = reach / fabs(axis->theta[i]) + 1e-7;
            all = isfinite(ratio) && ratio > 0 && near < 1e-4 && id_digits(id_simple(ratio, ratio * near)) <= 3;
        }
        if (all) {
            axis->base = usual[b];
            axis->divisor = (double)m;
            return;
        }
    }
}

/* Multiples of a part of 1, none of them by chance. */
static bool find_parts(double *theta, size_t m, double reach)
{
    for (size_t parts = 1; parts <= 4 * m; parts++) {
        const double q = (double)parts;
        double surprise = 0;
        size_t i = 0;
        for (; i < m && fabs(theta[i] * q - nearbyint(theta[i] * q)) <= reach * q; i++)
            surprise -= log2(fmin(1, 2 * (reach + 1e-15) * q));
        if (i == m && surprise > LEAST_BITS) {
            for (i = 0; i < m; i++)
                theta[i] = nearbyint(theta[i] * q) / q;
            return true;
        }
    }
    return false;
}

static void name_list(sinpos_identity *identity, sinpos_identity_axis *axis, const id_fit *fit, size_t a)
{
    const double reach = list_reach(fit, a);
    if (id_name_scaling(identity, axis, reach)) {
        const double usual = 1 + log(identity->scaling_factor) / 10; /* of YaRN */
        identity->amplitude = fabs(identity->amplitude - usual) < 1e-5 ? usual : identity->amplitude;
        return;
    }
    if (axis->base == 0 && find_parts(axis->theta, axis->n_frequencies, reach))
        return;
    if (axis->base == 0)
        find_divided(axis, reach);
    if (axis->base > 0)
        name_divided(axis, fit, a, reach);
    else
        name_digits(axis->theta, axis->n_frequencies, reach, fit->error < 1e-12 ? 1e-13 : 2e-7);
}

static sinpos_status write_down(sinpos_identity *identity, found *f)
{
    take_layout(identity, &f->fit.layout);
    const double error = 2 * f->fit.error + 4 * f->sample.unit;
    const double without_noise = 1 - 2 * f->fit.noise * f->fit.noise; /* which makes squares larger */
    identity->amplitude = name_amplitude(f->fit.layout.amplitude * sqrt(fmax(without_noise, 0.5)), f->view.dim,
                                         fmin(error, fmax(0.01, f->fit.noise * f->fit.noise)));
    for (size_t a = 0; a < identity->n_axes; a++) {
        sinpos_identity_axis *axis = &identity->axis[a];
        id_name_law(axis, &f->fit, a,
                    f->fit.layout.axis_width[a] > 0 ? f->fit.layout.axis_width[a] : (double)f->fit.layout.width);
        if (axis->law == SINPOS_LAW_LIST) {
            axis->theta = f->fit.theta[a];
            f->fit.theta[a] = NULL;
            name_list(identity, axis, &f->fit, a);
        }
    }
    identity->noise = f->fit.noise;
    return SINPOS_OK;
}

/* Does an arithmetic make elements that seem altered, so many that chance did not spare the replayed rows? */
static bool is_replayed(const sinpos_identity *identity)
{
    return (double)identity->n_altered > MANY_ALTERED * (double)identity->total.elements &&
           identity->arithmetic[0] != '\0' && identity->arithmetic_share >= LEAST_REPLAYED;
}

/* Positions far away explain any phases: then most elements must be made. */
static bool is_far_away(const sinpos_identity *identity)
{
    return identity->n_axes == 1 && identity->positions == NULL && fabs(identity->axis[0].start) > FAR_AWAY &&
           identity->noise == 0 && identity->arithmetic[0] == '\0' &&
           (double)identity->total.wrong > MOST_WRONG * (double)identity->total.elements;
}

/* Several coordinates, or positions one by one, come near to much: a quarter of the elements is none of it. */
static bool is_loose(const sinpos_identity *identity, double off)
{
    return (identity->n_axes > 1 || identity->positions != NULL) && identity->noise == 0 &&
           identity->arithmetic[0] == '\0' && off > LEAST_OFF;
}

/* Many elements are elsewhere, or most are far off, or the fit does not hold with the numbers that were named. */
static bool is_refuted(const sinpos_identity *identity, const id_fit *fit)
{
    const double off = identity->residual / identity->amplitude;
    return (double)identity->n_altered > MOST_FAR * (double)identity->total.elements || off > most_error(fit) ||
           is_far_away(identity) || is_loose(identity, off) || (off > LEAST_OFF && off > FAR_WORSE * fit->error);
}

/* Positions of the rows, and a scale that changes no angle by much. */
static sinpos_status name_rows(sinpos_identity *identity, found *f)
{
    const id_match *match = f->view.match;
    if (!f->is_matched)
        return id_name_rows(identity, &f->fit, &f->sample, &f->view);
    const double angle = NEAR_UNITS * f->sample.unit, far = fabs(match->start) + (double)f->view.n;
    id_name_known_rows(identity, &f->sample, match->start, match->theta[0],
                       fmin(match->theta[0] * (match->theta_error + angle), angle / far));
    return SINPOS_OK;
}

/* With the rows of a convention, which explain errors that were an arithmetic's before. */
static sinpos_status compare_again(sinpos_identity *identity, found *f, const id_way *way)
{
    identity->rows_compared = 0;
    identity->n_altered = 0;
    identity->worst_row = identity->worst_column = 0;
    identity->arithmetic_also[0] = '\0';
    identity->published = NULL;
    identity->residual = 0;
    const sinpos_status status = id_verify(identity, &f->view, way->all_rows, way->n_threads);
    identity->arithmetic = identity->total.wrong == 0 ? "exact: each element rounded once" : "";
    identity->arithmetic_share = 1;
    return status;
}

/* Listed positions, then the numbers of the formula for them, in turn. */
static sinpos_status settle_list(sinpos_identity *identity, found *f)
{
    sinpos_status status = SINPOS_OK;
    bool has_changed = identity->positions != NULL;
    for (int turn = 0; turn < MOST_SETTLINGS && has_changed && status == SINPOS_OK; turn++) {
        status = id_settle_positions(identity, &f->view, f->sample.unit + f->fit.noise, &has_changed);
        identity->residual = has_changed ? 0 : identity->residual; /* it is measured again from the rows */
        status = status != SINPOS_OK || !has_changed ? status : id_settle_formula(identity, &f->sample);
    }
    return status != SINPOS_OK ? status : id_settle_lists(identity, &f->sample);
}

/* Listed positions of doubles may be parts of a turn: what is exact so is no sum of radians. */
static sinpos_status try_turns(sinpos_identity *identity, found *f)
{
    const size_t n = identity->n * identity->n_axes;
    const sinpos_identity before = *identity;
    bool has_changed;
    if (identity->positions == NULL || identity->type != SINPOS_F64 || f->sample.unit > 0x1p-53 ||
        f->fit.error > TURN_ERROR || identity->noise > 0)
        return SINPOS_OK;
    for (size_t a = 0; a < identity->n_axes; a++)
        if (identity->axis[a].law != SINPOS_LAW_GEOMETRIC || identity->axis[a].scale != 1)
            return SINPOS_OK;
    sinpos_status status = id_verify(identity, &f->view, false, 1);
    const uint64_t wrong = identity->total.wrong;
    double *old = malloc((n + 1) * sizeof *old);
    status = old == NULL ? SINPOS_E_MEMORY : status;
    for (size_t i = 0; i < n && old != NULL; i++) {
        old[i] = identity->positions[i];
        identity->positions[i] = old[i] / TWO_PI;
    }
    for (int is_back = 0; is_back < 2 && wrong > 0 && status == SINPOS_OK; is_back++) {
        const bool is_worse = is_back == 1 && identity->total.wrong >= wrong;
        if (is_back == 1 && !is_worse)
            break;
        for (size_t a = 0; a < identity->n_axes; a++)
            identity->axis[a].scale = is_back ? 1 : TWO_PI;
        if (is_back == 1)
            memcpy(identity->positions, old, n * sizeof *old);
        status = id_make_plan(identity, &f->sample);
        if (status == SINPOS_OK && is_back == 0)
            status = id_settle_positions(identity, &f->view, f->sample.unit, &has_changed);
        if (status == SINPOS_OK && is_back == 0)
            status = id_verify(identity, &f->view, false, 1);
    }
    if (wrong == 0 && old != NULL)
        memcpy(identity->positions, old, n * sizeof *old);
    free(old);
    identity->rows_compared = before.rows_compared;
    identity->n_altered = before.n_altered;
    identity->n_zero = before.n_zero;
    return status;
}

static sinpos_status explain(sinpos_identity *identity, found *f, const sinpos_table *table, const id_way *way)
{
    const bool is_all = way->depth == 0 && way->match == NULL; /* of an array as a source makes it */
    sinpos_status status = name_rows(identity, f);
    if (status == SINPOS_OK && way->match != NULL)
        status = id_name_changes(identity, way->match);
    if (status == SINPOS_OK) {
        id_name_columns(identity, &f->fit, &f->sample);
        status = id_make_plan(identity, &f->sample);
        status = status != SINPOS_OK         ? status
                 : f->fit.has_rounded_angles ? id_settle_angles(identity, &f->fit, &f->sample)
                 : f->fit.rounded_to > 0     ? id_settle_rounded(identity, &f->fit, &f->sample)
                                             : id_settle_formula(identity, &f->sample);
        if (status == SINPOS_E_SPEC || status == SINPOS_E_OVERFLOW) { /* numbers that no table has */
            identity->is_sinusoidal = 0;
            return SINPOS_OK;
        }
    }
    status = status != SINPOS_OK ? status : settle_list(identity, f);
    status = status != SINPOS_OK ? status : try_turns(identity, f);
    status = status != SINPOS_OK ? status : id_verify(identity, &f->view, way->all_rows, way->n_threads);
    if (id_has_levels(identity))
        identity->n_altered = 0; /* their numbers are known less exactly than elements */
    status = status != SINPOS_OK ? status : id_name_arithmetic(identity, &f->sample);
    status = status != SINPOS_OK ? status : id_list_instead(identity, &f->sample, &f->view);
    status = status != SINPOS_OK ? status : id_formula_instead(identity, &f->sample, &f->view);
    status = status != SINPOS_OK ? status : id_base_instead(identity, &f->sample, &f->view);
    if (status == SINPOS_OK && is_replayed(identity)) {
        identity->n_altered = 0;
    } else if (status == SINPOS_OK && is_refuted(identity, &f->fit)) {
        identity->is_sinusoidal = 0;
        return SINPOS_OK;
    }
    status = status != SINPOS_OK ? status : id_name_conventions(identity, table, &f->view, is_all);
    if (status != SINPOS_OK || identity->encoding == NULL)
        return status;
    status = compare_again(identity, f, way);
    return status != SINPOS_OK ? status : id_name_conventions(identity, table, &f->view, is_all);
}

static sinpos_status finish(sinpos_identity *identity, found *f, const sinpos_table *table, const id_way *way)
{
    identity->view = f->view.kind;
    identity->n = f->view.n;
    identity->dim = f->view.dim;
    identity->rows_looked_at = f->sample.n_looked;
    identity->arithmetic = "";
    identity->bits = f->is_set ? f->fit.bits - f->fit.beside : -INFINITY;
    identity->residual = f->is_set ? f->fit.error * f->fit.layout.amplitude : INFINITY;
    if (!f->is_set)
        return SINPOS_OK;
    identity->is_sinusoidal = is_good(&f->fit, &f->sample);
    if (!identity->is_sinusoidal) {
        identity->nest = f->fit.layout.nest;
        identity->cos_first = f->fit.layout.cos_first;
        identity->n_axes = f->fit.layout.n_axes;
        return SINPOS_OK;
    }
    /* theta may move to the identity: positions are read first. */
    double *theta[ID_MOST_AXES];
    for (size_t a = 0; a < f->fit.layout.n_axes; a++) {
        const size_t m = f->fit.layout.n_frequencies[a];
        theta[a] = malloc((m + 1) * sizeof(double));
        if (theta[a] != NULL)
            memcpy(theta[a], f->fit.theta[a], m * sizeof(double));
    }
    sinpos_status status = write_down(identity, f);
    for (size_t a = 0; a < f->fit.layout.n_axes; a++) {
        if (f->fit.theta[a] == NULL)
            f->fit.theta[a] = theta[a];
        else
            free(theta[a]);
        status = f->fit.theta[a] == NULL ? SINPOS_E_MEMORY : status;
    }
    status = status != SINPOS_OK ? status : explain(identity, f, table, way);
    f->fit.layout = (id_layout){0}; /* now the identity's */
    return status;
}

/* One table as one encoding: the best of all ways to look at it. */
sinpos_status id_identify(sinpos_identity **out, const sinpos_table *table, const id_way *way)
{
    found best = {.work = way->depth > 0 || way->match != NULL ? way->work : NULL};
    sinpos_identity *identity = calloc(1, sizeof *identity);
    if (identity == NULL)
        return SINPOS_E_MEMORY;
    identity->type = table->type;
    sinpos_status status =
        way->match == NULL ? look(&best, table, way->depth > 0) : look_matched(&best, table, way->match);
    status = status != SINPOS_OK ? status : finish(identity, &best, table, way);
    found_free(&best);
    if (status != SINPOS_OK) {
        sinpos_identity_destroy(identity);
        return status;
    }
    *out = identity;
    return SINPOS_OK;
}
