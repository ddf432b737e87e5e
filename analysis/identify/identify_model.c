/* identify_model.c - the exact rows of what was found. */
#include "boundary.h"
#include "elements.h"
#include "identify.h"
#include "sinpos_conventions.h"

/* ---------------------------------------------------------------------------------------------- columns */

/* Does the column hold a coordinate, in all of the sample but a few rows? */
static bool is_raw(const sinpos_identity *identity, const id_sample *sample, size_t column, size_t axis, double unit)
{
    size_t agree = 0, n = 0;
    for (size_t i = 0; i < sample->n; i++) {
        const double p = id_position(identity, sample->row[i], axis) * unit, x = sample->x[i * sample->dim + column];
        agree += fabs(x - p) <= 1e-4 * (fabs(p) + 1e-2) + 4 * sample->unit;
        n += !isnan(x);
    }
    return n > 0 && agree * 5 >= n * 4;
}

/* Listed frequencies and positions have any unit: that of a coordinate at the farthest position. */
static double any_unit(const sinpos_identity *identity, const id_sample *sample, size_t column)
{
    double farthest = 0, unit = NAN;
    for (size_t i = 0; i < sample->n && identity->positions != NULL && identity->axis[0].law == SINPOS_LAW_LIST; i++) {
        const double p = id_position(identity, sample->row[i], 0);
        unit = fabs(p) > farthest ? sample->x[i * sample->dim + column] / p : unit;
        farthest = fmax(farthest, fabs(p));
    }
    return unit;
}

/* Raw coordinates show the unit of the positions: change it to theirs. */
static bool find_raw_unit(sinpos_identity *identity, const id_sample *sample, size_t first)
{
    const double any = any_unit(identity, sample, first), scale = identity->axis[0].scale;
    const double units[] = {1,         TWO_PI / 2,         TWO_PI,         2 / TWO_PI, 1 / TWO_PI, scale,
                            1 / scale, 2 * scale / TWO_PI, scale / TWO_PI, any};
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        bool all = true;
        for (size_t a = 0; a < identity->n_axes && all; a++)
            all = is_raw(identity, sample, first + a, a, units[i]);
        if (!all)
            continue;
        for (size_t a = 0; a < identity->n_axes; a++) {
            sinpos_identity_axis *axis = &identity->axis[a];
            for (size_t k = 0; k < axis->n_frequencies && units[i] == any; k++)
                axis->theta[k] /= any; /* a list has no scale of its own */
            axis->scale = units[i] == any ? axis->scale : id_simple_angle(axis->scale / units[i], 1e-15 * axis->scale);
            axis->start *= units[i];
            axis->step *= units[i];
        }
        for (size_t k = 0; identity->positions != NULL && k < identity->n * identity->n_axes; k++)
            identity->positions[k] *= units[i];
        return true;
    }
    return false;
}

void id_name_columns(sinpos_identity *identity, const id_fit *fit, const id_sample *sample)
{
    const size_t before = fit->layout.first, after = identity->dim - before - fit->layout.width;
    if (before == identity->n_axes && find_raw_unit(identity, sample, 0))
        identity->n_raw_first = before;
    if (after == identity->n_axes && find_raw_unit(identity, sample, before + fit->layout.width)) {
        identity->n_raw_last = after;
    } else {
        identity->n_pad = after;
        const double value = after > 0 ? id_constant(sample, identity->dim - 1) : 0;
        identity->pad_value = isnan(value) ? sample->x[identity->dim - 1] : value;
    }
    identity->n_unknown = before - identity->n_raw_first;
    for (size_t j = identity->dim - identity->n_pad; j < identity->dim; j++)
        identity->n_unknown += isnan(id_constant(sample, j));
}

/* ------------------------------------------------------------------------------------------------- plan */

/* A first frequency of many digits may be where indices do not begin with 0, but with a multiple of 1/2. */
static void name_shift(sinpos_identity_axis *axis)
{
    const size_t digits = id_digits(axis->scale);
    if (axis->law != SINPOS_LAW_GEOMETRIC || digits < 6 || !(axis->scale > 0) || !(fabs(log(axis->base)) > 0))
        return;
    const double unit = axis->divisor / log(axis->base), exact = -log(axis->scale) * unit;
    const double shift = nearbyint(2 * exact) / 2, error = 5 * pow(10, 1 - (double)digits) * fabs(unit);
    if (shift != 0 && fabs(shift) <= 4 && fabs(exact - shift) <= fmin(error, 1e-3)) {
        axis->shift = shift;
        axis->scale = pow(axis->base, -shift / axis->divisor);
    }
}

sinpos_status id_formula_theta(sinpos_identity_axis *axis)
{
    free(axis->theta);
    axis->theta = malloc((axis->n_frequencies + 1) * sizeof *axis->theta);
    if (axis->theta == NULL)
        return SINPOS_E_MEMORY;
    for (size_t i = 0; i < axis->n_frequencies; i++) {
        const double k = (double)i;
        axis->theta[i] = axis->scale * (axis->law == SINPOS_LAW_GEOMETRIC ? pow(axis->base, -k / axis->divisor)
                                                                          : 1 + axis->increment * k);
    }
    return SINPOS_OK;
}

static sinpos_status make_theta(sinpos_identity_axis *axis)
{
    if (axis->law == SINPOS_LAW_LIST) { /* the first is the unit of the positions, as in a formula */
        const double first = axis->theta[0] * axis->scale, simple = id_simple(first, 2e-7 * fabs(first));
        const bool is_simple = axis->base > 0 && id_digits(simple) <= 4;
        const double factor = is_simple ? simple / axis->theta[0] : axis->scale;
        for (size_t i = 0; i < axis->n_frequencies; i++)
            axis->theta[i] *= factor;
        axis->scale = axis->theta[0];
        return SINPOS_OK;
    }
    return id_formula_theta(axis);
}

/* base^(index / divisor) where that is a whole number, or one by one; else 0. Only whole divisors are looked at. */
static double whole_power(double base, double index, double divisor)
{
    const double size = base < 1 ? 1 / base : base;
    double q = divisor, r = index;
    while (r != 0) { /* q becomes the common divisor */
        const double rest = fmod(q, r);
        q = r;
        r = rest;
    }
    const double roots = divisor / q, times = index / q, root = nearbyint(pow(size, 1 / roots));
    double power = 1, all = 1;
    if (!(root >= 2)) /* of which no power gets anywhere */
        return 0;
    for (double k = 0; k < roots && all < 0x1p53; k++)
        all *= root;
    for (double k = 0; k < times && power < 0x1p53; k++)
        power *= root;
    const bool is_whole = divisor == nearbyint(divisor) && index == nearbyint(index) && index >= 0 && all == size;
    return !is_whole || power >= 0x1p53 ? 0 : base < 1 ? 1 / power : power;
}

/* Its frequency in turns: as a rational number where it is one, which elements that are 0 need. */
static void put_turns(sinpos_tone *tone, double turns, double factor)
{
    const double power = tone->schedule == SINPOS_GEOMETRIC ? whole_power(tone->base, tone->index, tone->divisor) : 0;
    tone->in_turns = 1;
    tone->factor = factor;
    if (tone->schedule == SINPOS_GEOMETRIC && power == 0) {
        tone->scale = turns;
        return;
    }
    tone->scale = 1;
    tone->value = turns;
    if (tone->schedule == SINPOS_GEOMETRIC) {
        tone->schedule = SINPOS_EXPLICIT;
        tone->value *= power < 1 ? 1 / power : 1;
        tone->factor *= power < 1 ? 1 : power;
    }
}

sinpos_tone id_make_tone(const sinpos_identity *identity, size_t k)
{
    const sinpos_identity_axis *axis = &identity->axis[identity->tone_axis[k]];
    const size_t i = identity->tone_index[k];
    double turns, factor;
    sinpos_tone tone = SINPOS_TONE_INIT;
    tone.value = axis->theta[i];
    tone.amplitude = identity->amplitude;
    tone.axis = identity->tone_axis[k];
    tone.sin_column = identity->sin_column[k];
    tone.cos_column = identity->cos_column[k];
    if (axis->law == SINPOS_LAW_GEOMETRIC) {
        tone.schedule = SINPOS_GEOMETRIC;
        tone.base = axis->base;
        tone.index = (double)i + axis->shift;
        tone.divisor = axis->divisor;
        tone.scale = axis->shift != 0 ? 1 : axis->scale;
        if (axis->shift == 0 && id_is_turn(axis->scale, ID_SCALE_DIGITS, &turns, &factor))
            put_turns(&tone, turns, factor);
    } else if (id_is_turn(tone.value, ID_LISTED_DIGITS, &turns, &factor)) {
        put_turns(&tone, turns, factor);
    }
    return tone;
}

sinpos_status id_plan_again(sinpos_identity *identity)
{
    sinpos_tone *list = calloc(identity->n_tones + 1, sizeof *list);
    if (list == NULL)
        return SINPOS_E_MEMORY;
    for (size_t a = 0; a < identity->n_axes; a++)
        identity->axis[a].has_turns = 0;
    for (size_t k = 0; k < identity->n_tones; k++) {
        list[k] = id_make_tone(identity, k);
        identity->axis[identity->tone_axis[k]].has_turns |= list[k].in_turns;
    }
    sinpos_plan_destroy(identity->plan);
    const sinpos_status status =
        sinpos_plan_create_tones(&identity->plan, identity->dim, identity->n_axes, list, identity->n_tones, 0, NULL);
    free(list);
    return status;
}

sinpos_status id_make_plan(sinpos_identity *identity, const id_sample *sample)
{
    sinpos_status status = SINPOS_OK;
    for (size_t a = 0; a < identity->n_axes && status == SINPOS_OK; a++) {
        name_shift(&identity->axis[a]);
        status = make_theta(&identity->axis[a]);
    }
    status = status != SINPOS_OK ? status : id_settle_frequencies(identity, sample);
    return status != SINPOS_OK ? status : id_plan_again(identity);
}

/* ------------------------------------------------------------------------------------------------- rows */

/* One element of a type, from a double; narrow types from a float that is exact enough for coordinates. */
static void put(void *out, sinpos_type type, size_t at, double value)
{
    const float single = (float)value;
    uint32_t bits;
    uint16_t narrow;
    memcpy(&bits, &single, sizeof bits);
    switch (type) {
    case SINPOS_F64: memcpy((char *)out + 8 * at, &value, 8); return;
    case SINPOS_F32: memcpy((char *)out + 4 * at, &single, 4); return;
    case SINPOS_BF16: narrow = (uint16_t)((bits + 0x7FFF + (bits >> 16 & 1)) >> 16); break;
    default: { /* float16: its unit is 2^-10 of the power of two, at least 2^-24 */
        int exponent;
        const double size = fabs(value);
        frexp(size, &exponent);
        const double unit = ldexp(1, exponent - 11 < -24 ? -24 : exponent - 11);
        const double rounded = nearbyint(size / unit) * unit;
        frexp(rounded, &exponent);
        narrow = (uint16_t)(rounded < 0x1p-14 ? rounded * 0x1p24
                                              : (exponent + 14) * 1024 + (ldexp(rounded, 11 - exponent) - 1024));
        narrow = rounded >= 65520 ? 0x7C00 : narrow;
        narrow |= signbit(value) ? 0x8000 : 0;
    }
    }
    memcpy((char *)out + 2 * at, &narrow, 2);
}

static void put_others(const sinpos_identity *identity, size_t first, size_t n, sinpos_type type, void *out)
{
    const size_t size = sinpos_type_bytes(type), dim = identity->dim, end = identity->first_column + identity->width;
    for (size_t i = 0; i < n; i++) {
        if (id_is_zero_row(identity, first + i)) {
            memset((char *)out + i * dim * size, 0, dim * size);
            continue;
        }
        for (size_t a = 0; a < identity->n_raw_first; a++)
            put(out, type, i * dim + a, id_position(identity, first + i, a));
        for (size_t a = 0; a < identity->n_raw_last; a++)
            put(out, type, i * dim + end + a, id_position(identity, first + i, a));
        for (size_t j = 0; j < identity->n_pad && identity->pad_value != 0; j++)
            put(out, type, i * dim + end + j, identity->pad_value);
    }
}

static bool is_integer_range(const sinpos_identity *identity)
{
    const sinpos_identity_axis *axis = &identity->axis[0];
    return identity->n_axes == 1 && identity->positions == NULL && axis->size == 0 && axis->step == 1 &&
           axis->start == nearbyint(axis->start) && fabs(axis->start) < 0x1p53;
}

bool id_has_levels(const sinpos_identity *identity)
{
    for (size_t j = 0; identity->column_factor != NULL && j < identity->dim; j++)
        if (fabs(identity->column_factor[j]) != 1)
            return true;
    return false;
}

sinpos_status id_encoding_positions(const sinpos_encoding *encoding, size_t first, size_t n, sinpos_type type,
                                    void *out, size_t dim, size_t n_threads)
{
    sinpos_rows rows = SINPOS_ROWS_INIT;
    const sinpos_status status = sinpos_encoding_positions(encoding, first, n, &rows);
    return status != SINPOS_OK
               ? status
               : sinpos_run(sinpos_encoding_plan(encoding), SINPOS_FILL, &rows, type, out, dim, n_threads);
}

/* The rows of the convention: of one table, of two that lie side by side, or of one whose columns come first. */
static sinpos_status encoding_rows(const sinpos_identity *identity, size_t first, size_t n, sinpos_type type, void *out,
                                   size_t n_threads)
{
    const size_t columns = sinpos_encoding_info_get(identity->encoding)->n_columns;
    sinpos_status status = SINPOS_OK;
    if (identity->view == SINPOS_VIEW_CHANNEL_FIRST)
        return id_encoding_positions(identity->encoding, first, n, type, out, identity->dim, n_threads);
    for (size_t j = 0; j < identity->dim && status == SINPOS_OK; j += columns)
        status = sinpos_encoding_fill(identity->encoding, first + j / columns * identity->n, n, type,
                                      (char *)out + j * sinpos_type_bytes(type), identity->dim, n_threads);
    return status;
}

/* The exact rows, checked. */
static sinpos_status exact_rows(const sinpos_identity *identity, size_t first, size_t n, sinpos_type type, void *out,
                                size_t n_threads)
{
    sinpos_rows rows = {.struct_size = sizeof rows, .n = n};
    double *reals = NULL;
    if (identity == NULL || (out == NULL && n > 0))
        return SINPOS_E_NULL;
    if (first > identity->n || n > identity->n - first)
        return SINPOS_E_RANGE;
    if (identity->encoding != NULL)
        return encoding_rows(identity, first, n, type, out, n_threads);
    if (identity->plan == NULL)
        return SINPOS_E_VALUE;
    if (is_integer_range(identity)) {
        rows.first = (int64_t)identity->axis[0].start + (int64_t)first;
    } else {
        reals = malloc((n * identity->n_axes + 1) * sizeof *reals);
        if (reals == NULL)
            return SINPOS_E_MEMORY;
        for (size_t i = 0; i < n * identity->n_axes; i++)
            reals[i] = id_position(identity, first + i / identity->n_axes, i % identity->n_axes);
        rows.reals = reals;
    }
    const sinpos_status status = sinpos_run(identity->plan, SINPOS_FILL, &rows, type, out, identity->dim, n_threads);
    free(reals);
    if (status == SINPOS_OK && (identity->n_zero > 0 || identity->n_raw_first + identity->n_raw_last > 0 ||
                                (identity->n_pad > 0 && identity->pad_value != 0)))
        put_others(identity, first, n, type, out);
    return status;
}

/* An element, multiplied and added to as code does that works in the type. */
static void damage(const sinpos_identity *identity, size_t column, sinpos_type type, void *out, size_t at)
{
    const char *element = (const char *)out + at * sinpos_type_bytes(type);
    double x, offset, rounded;
    widen(&x, element, type, 1);
    put(out, type, at, x * identity->column_factor[column]);
    if (identity->column_offset == NULL)
        return;
    put(&rounded, type, 0, identity->column_offset[column]);
    widen(&offset, &rounded, type, 1);
    widen(&x, element, type, 1);
    put(out, type, at, x + offset);
}

void id_damage_rows(const sinpos_identity *identity, size_t first, size_t n, sinpos_type type, void *rows)
{
    for (size_t i = 0; i < n * identity->dim && identity->column_factor != NULL; i++)
        if (!id_is_zero_row(identity, first + i / identity->dim))
            damage(identity, i % identity->dim, type, rows, i);
}

sinpos_status sinpos_identity_rows(const sinpos_identity *identity, size_t first, size_t n, sinpos_type type, void *out,
                                   size_t n_threads)
{
    BOUNDARY;
    return exact_rows(identity, first, n, type, out, n_threads);
}

sinpos_status sinpos_identity_rows_as_found(const sinpos_identity *identity, size_t first, size_t n, sinpos_type type,
                                            void *out, size_t n_threads)
{
    BOUNDARY;
    const sinpos_status status = exact_rows(identity, first, n, type, out, n_threads);
    if (status == SINPOS_OK)
        id_damage_rows(identity, first, n, type, out);
    return status;
}

void sinpos_identity_destroy(sinpos_identity *identity)
{
    BOUNDARY;
    if (identity == NULL)
        return;
    for (size_t a = 0; a < SINPOS_IDENTITY_AXES; a++)
        free(identity->axis[a].theta);
    free(identity->sin_column);
    free(identity->cos_column);
    free(identity->tone_axis);
    free(identity->tone_index);
    free(identity->positions);
    free(identity->column_factor);
    free(identity->column_offset);
    free(identity->columns);
    free(identity->defects);
    for (size_t i = 0; i < identity->n_others; i++)
        sinpos_identity_destroy(identity->others[i]);
    free(identity->others);
    for (size_t i = 0; i < identity->n_conventions; i++) {
        free(identity->conventions[i].settings);
        sinpos_encoding_destroy(identity->conventions[i].source);
    }
    free(identity->conventions);
    sinpos_plan_destroy(identity->plan);
    sinpos_encoding_destroy(identity->encoding);
    free(identity);
}
