/* identify_trial.c - does a convention with these values make the array? */
#include "identify_trial.h"
#include "elements.h"

/* Combinations of parameters that are tried. */
#define MOST_TRIED 96
#define MOST_TRIED_ALONE 48

/* So near, relative, are all positions to numbers of float32 where that is what they are, by how little chance. */
#define NEAR_SINGLE_F64 1e-12
#define NEAR_SINGLE 1e-10
#define LEAST_SINGLE_BITS 20

/* Off by so much, per amplitude, an element was altered. */
#define ALTERED 0.05

/* Sines and cosines of small angles are so near to 0 and 1. */
#define PLAIN 0x1p-4

/* Rows of zeros that are looked at. */
#define CHECKED_ZEROS 8

/* ------------------------------------------------------------------------------------------------- setting */

/* Number i of the rows that are compared, of n. */
size_t id_trial_row(size_t i, size_t rows, size_t n)
{
    return rows == 1 ? 0 : i * (n - 1) / (rows - 1);
}

/* Positions of doubles are known to their last digits. */
static double unit_error(const id_trial *s, double angle)
{
    return s->identity->type == SINPOS_F64 ? 0x1p-51 * fabs(angle) : 1e-12 * (1 + fabs(angle));
}

static double position_in_units(const id_trial *s, const id_value *value, size_t row, size_t column)
{
    const sinpos_identity *identity = s->identity;
    const size_t a = value->exchanged && column < 2 ? 1 - column : column;
    const double angle = id_position(identity, row, a) * identity->axis[a].scale;
    const double unit = value->unit == ID_OWN_UNIT ? s->own_unit : value->unit;
    return unit == 1 ? angle - value->shift : id_simple(angle / unit, unit_error(s, angle) / unit);
}

static size_t listed_rows(const id_trial *s)
{
    return s->is_at_zero ? 1 : s->is_brief ? ID_TRIAL_ROWS : s->identity->n;
}

/* Times are numbers of float32 in most code: if all of these are near such, they are such. */
static void round_to_singles(const id_trial *s, double *list, size_t n)
{
    const double near = s->identity->type == SINPOS_F64 ? NEAR_SINGLE_F64 : NEAR_SINGLE;
    double bits = 0;
    for (size_t i = 0; i < n; i++) {
        if (!(fabs(list[i] - (double)(float)list[i]) <= near * fabs(list[i])))
            return;
        bits += id_has_digits(list[i], ID_POSITION_DIGITS) ? 0 : -log2(near * 0x1p24);
    }
    for (size_t i = 0; i < n && bits > LEAST_SINGLE_BITS; i++)
        list[i] = id_has_digits(list[i], ID_POSITION_DIGITS) ? list[i] : (double)(float)list[i];
}

/* Positions of the rows in units, (listed_rows(), n_axes), for free(); NULL without memory. */
double *id_trial_positions(const id_trial *s, const id_value *value)
{
    const sinpos_identity *identity = s->identity;
    const size_t n = listed_rows(s), axes = identity->n_axes;
    double *list = malloc((n * axes + 1) * sizeof *list);
    for (size_t i = 0; i < n * axes && list != NULL; i++) {
        const size_t row = s->is_brief ? id_trial_row(i / axes, n, identity->n) : i / axes;
        list[i] = s->is_at_zero ? 0 : position_in_units(s, value, row, i % axes);
    }
    if (list != NULL && value->unit != 1)
        round_to_singles(s, list, n * axes);
    return list;
}

/* Nobody writes other positions in such units. */
static bool are_short(const id_trial *s, const id_value *value, const double *list)
{
    bool are = true;
    for (size_t i = 0; i < listed_rows(s) * s->identity->n_axes && are; i++)
        are = value->unit == 1 || !s->has_short || id_has_digits(list[i], ID_POSITION_DIGITS);
    return are;
}

static bool is_listed(const id_trial *s, const id_listed *l, const id_value *value, double unit)
{
    return l->unit == unit && l->shift == value->shift && l->exchanged == value->exchanged &&
           l->is_brief == s->is_brief;
}

/* Few positions, which are wanted in the same units again and again; NULL without memory. */
static const id_listed *few_positions(id_trial *s, const id_value *value)
{
    const double unit = value->unit == ID_OWN_UNIT ? s->own_unit : value->unit;
    for (size_t k = 0; k < s->n_listed && k < ID_MOST_LISTED; k++)
        if (is_listed(s, &s->listed[k], value, unit))
            return &s->listed[k];
    double *list = id_trial_positions(s, value);
    if (list == NULL)
        return NULL;
    id_listed *l = &s->listed[s->n_listed++ % ID_MOST_LISTED];
    *l = (id_listed){unit, value->shift, value->exchanged, s->is_brief, are_short(s, value, list), {0}};
    memcpy(l->list, list, listed_rows(s) * s->identity->n_axes * sizeof *list);
    free(list);
    return l;
}

/* (n, n_axes) or (n). */
static sinpos_status set_positions(id_trial *s, sinpos_parameters *parameters, const char *name, const id_value *value)
{
    const size_t n = listed_rows(s), axes = s->identity->n_axes, shape[] = {n, axes};
    const bool are_few = n <= ID_MANY_POSITIONS && !s->is_at_zero;
    const id_listed *few = are_few ? few_positions(s, value) : NULL;
    double *all = are_few ? NULL : id_trial_positions(s, value);
    const double *list = few != NULL ? few->list : all;
    if (list == NULL)
        return SINPOS_E_MEMORY;
    const bool are = few != NULL ? few->are_short : are_short(s, value, list);
    const sinpos_status status =
        are ? sinpos_parameters_set_list(parameters, name, list, axes == 1 ? 1 : 2, shape) : SINPOS_E_VALUE;
    free(all);
    return status;
}

/* What the frequencies are divided by. */
static sinpos_status set_divisors(const id_trial *s, sinpos_parameters *parameters, const char *name)
{
    const sinpos_identity_axis *axis = &s->identity->axis[0];
    const size_t shape[] = {axis->n_frequencies};
    double *list = malloc((axis->n_frequencies + 1) * sizeof *list);
    if (list == NULL)
        return SINPOS_E_MEMORY;
    for (size_t i = 0; i < axis->n_frequencies; i++)
        list[i] = id_divisor(axis, i);
    const sinpos_status status = sinpos_parameters_set_list(parameters, name, list, 1, shape);
    free(list);
    return status;
}

static sinpos_status set_mask(sinpos_parameters *parameters, const char *name, const id_value *value)
{
    const size_t shape[] = {(size_t)value->sizes[0], (size_t)value->sizes[1]}, n = shape[0] * shape[1];
    double *cells = malloc((n + 1) * sizeof *cells);
    for (size_t i = 0; i < n && cells != NULL; i++)
        cells[i] = value->number;
    const sinpos_status status =
        cells == NULL ? SINPOS_E_MEMORY : sinpos_parameters_set_list(parameters, name, cells, 2, shape);
    free(cells);
    return status;
}

static sinpos_status set_value(id_trial *s, sinpos_parameters *parameters, const char *name, const id_value *value)
{
    const size_t shape[] = {value->n_sizes};
    switch (value->kind) {
    case ID_NUMBER: return sinpos_parameters_set_number(parameters, name, value->number);
    case ID_SIZES: return sinpos_parameters_set_list(parameters, name, value->sizes, 1, shape);
    case ID_POSITIONS: return set_positions(s, parameters, name, value);
    case ID_DIVISORS: return set_divisors(s, parameters, name);
    case ID_MASK: return set_mask(parameters, name, value);
    case ID_WORD: break;
    }
    if (value->word == NULL)
        return SINPOS_OK; /* the default */
    const bool is_flag = strcmp(value->word, "true") == 0 || strcmp(value->word, "false") == 0;
    return is_flag ? sinpos_parameters_set_flag(parameters, name, strcmp(value->word, "true") == 0)
                   : sinpos_parameters_set_text(parameters, name, value->word);
}

/* What the source returns is asked for as the array is: two tables, pairs, or as it stands. */
const char *id_trial_output(const id_trial *s)
{
    const sinpos_convention *convention = s->convention;
    if (sinpos_convention_text(convention, "pairing") == NULL)
        return NULL;
    switch (s->identity->view) {
    case SINPOS_VIEW_SIDE_BY_SIDE: return s->identity->cos_first ? "cos_sin" : "sin_cos";
    case SINPOS_VIEW_INNER:
        return s->table->shape[s->table->n_dims - 1] == 2 && s->table->n_dims == 4 ? "matrix" : "cis";
    default: return s->are_rotary ? "table" : NULL;
    }
}

sinpos_status id_trial_set(id_trial *s, sinpos_parameters *parameters)
{
    const char *output = id_trial_output(s);
    sinpos_status status = SINPOS_OK;
    for (size_t i = 0; i < s->n_parameters && status == SINPOS_OK; i++) {
        if (s->n_values[i] > 0) {
            status = set_value(s, parameters, sinpos_convention_parameter(s->convention, i, "name"),
                               &s->value[i][s->chosen[i]]);
        }
    }
    if (status == SINPOS_OK && s->positions_outside > 0) {
        const id_value outside = {
            .kind = ID_POSITIONS, .unit = 1, .shift = s->positions_outside == 2 ? s->facts->start : 0};
        status = set_positions(s, parameters, "positions", &outside);
    }
    return status == SINPOS_OK && output != NULL ? sinpos_parameters_set_text(parameters, "output", output) : status;
}

/* ------------------------------------------------------------------------------------------------ comparing */

/* Rows of an encoding: where its columns come first those of positions, as one of columns costs as much as all. */
typedef struct encoding_rows {
    const sinpos_encoding *encoding;
    bool are_positions;
    size_t n, columns;
} encoding_rows;

static encoding_rows rows_of(const id_trial *s, const sinpos_encoding *encoding)
{
    const sinpos_identity *identity = s->identity;
    const sinpos_encoding_info *info = sinpos_encoding_info_get(encoding);
    const bool are_positions = identity->view == SINPOS_VIEW_CHANNEL_FIRST && info->is_channel_first &&
                               info->n_positions == identity->n && info->n_rows == identity->dim &&
                               info->n_zero_rows == 0 && info->n_raw_columns == 0;
    return are_positions ? (encoding_rows){encoding, true, info->n_positions, info->n_rows}
                         : (encoding_rows){encoding, false, info->n_rows, info->n_columns};
}

static sinpos_status fill_row(const encoding_rows *rows, size_t row, sinpos_type type, void *out)
{
    return rows->are_positions ? id_encoding_positions(rows->encoding, row, 1, type, out, rows->columns, 1)
                               : sinpos_encoding_fill(rows->encoding, row, 1, type, out, rows->columns, 1);
}

/* The same of the array. */
static sinpos_status read_row(const id_trial *s, const encoding_rows *rows, size_t row, void *out)
{
    const size_t many = rows->columns / s->table->shape[s->table->n_dims - 1];
    return rows->are_positions ? id_view_read(s->view, row, 1, out)
                               : s->table->read(s->table->context, row * many, many, out);
}

/* Of as many elements, if all positions were listed? Some conventions have rows for other reasons than positions. */
static bool may_be_whole(const id_trial *s, const sinpos_encoding_info *info)
{
    return info->n_rows % ID_TRIAL_ROWS != 0 || info->n_rows / ID_TRIAL_ROWS * info->n_columns == s->identity->dim;
}

/* Has the encoding as many elements as the array, in whole rows of it? */
static bool has_shape(const id_trial *s, const sinpos_encoding *encoding)
{
    const encoding_rows all = rows_of(s, encoding);
    const size_t last = s->table->shape[s->table->n_dims - 1], total = s->identity->n * s->identity->dim;
    if (s->is_brief)
        return may_be_whole(s, sinpos_encoding_info_get(encoding));
    return (all.are_positions || all.columns % last == 0) && all.n <= SIZE_MAX / all.columns &&
           all.n * all.columns == total;
}

/* A row as it should be where a formula says so, else that of the array. */
static sinpos_status read_wanted(const id_trial *s, const encoding_rows *rows, size_t row, sinpos_type type, void *out)
{
    const size_t many = rows->columns / s->table->shape[s->table->n_dims - 1];
    return s->is_defined ? sinpos_identity_rows(s->identity, row * many, many, type, out, 1)
                         : read_row(s, rows, row, out);
}

/* Is every element of these rows the convention's, too; to the rounding of the type, where the table is not exact? */
static sinpos_status compare_exactly(const id_trial *s, const sinpos_encoding *encoding, bool *fits)
{
    const sinpos_identity *identity = s->identity;
    const double unit = identity->type == SINPOS_F64 ? 0x1p-50 : identity->type == SINPOS_F32 ? 0x1p-22 : 0x1p-7;
    const double near = identity->total.wrong > 0 ? unit * fabs(identity->amplitude) : 0;
    const encoding_rows all = rows_of(s, encoding);
    const size_t columns = all.columns, many = columns / s->table->shape[s->table->n_dims - 1];
    const size_t most = ID_EQUAL_ELEMENTS / columns + ID_TRIAL_ROWS, rows = all.n < most ? all.n : most;
    const sinpos_type type = s->table->type;
    const size_t size = sinpos_type_bytes(type);
    char *got = malloc(columns * size + 1), *want = malloc(columns * size + 1);
    sinpos_status status = got == NULL || want == NULL ? SINPOS_E_MEMORY : SINPOS_OK;
    for (size_t i = 0; i < rows && status == SINPOS_OK && *fits; i++) {
        const size_t row = id_trial_row(i, rows, all.n);
        status = identity->view == SINPOS_VIEW_ROWS ? sinpos_identity_rows(identity, row * many, many, type, got, 1)
                                                    : read_row(s, &all, row, got);
        status = status != SINPOS_OK ? status : fill_row(&all, row, type, want);
        for (size_t j = 0; j < columns && status == SINPOS_OK && memcmp(got, want, columns * size) != 0; j++) {
            double x, y;
            widen(&x, got + j * size, type, 1);
            widen(&y, want + j * size, type, 1);
            *fits = *fits && (x == y || !isfinite(x) || fabs(x - y) <= near);
        }
    }
    free(got);
    free(want);
    return status;
}

/*
 * Rows of the encoding against the array, seen as rows of as many elements. False where they do not fit. Of a sparse
 * encoding zeros are passed over: they may be columns that were not made.
 */
static sinpos_status compare(const id_trial *s, const sinpos_encoding *encoding, bool is_sparse, bool *fits)
{
    const sinpos_encoding_info *info = sinpos_encoding_info_get(encoding);
    const encoding_rows all = rows_of(s, encoding);
    const size_t columns = all.columns, rows = all.n < ID_TRIAL_ROWS ? all.n : ID_TRIAL_ROWS;
    const sinpos_type type = s->is_defined ? SINPOS_F64 : s->table->type;
    const size_t size = sinpos_type_bytes(type);
    const bool is_brief = s->is_brief && info->n_rows == ID_TRIAL_ROWS && columns == s->identity->dim;
    *fits = has_shape(s, encoding);
    if (!*fits || (s->is_brief && !is_brief))
        return SINPOS_OK;
    double *exact = malloc((columns + 1) * sizeof *exact), *off = malloc((rows * columns + 1) * sizeof *off);
    char *got = malloc(columns * size + 1);
    sinpos_status status = exact == NULL || off == NULL || got == NULL ? SINPOS_E_MEMORY : SINPOS_OK;
    size_t n = 0;
    for (size_t i = 0; i < rows && status == SINPOS_OK && *fits; i++) {
        const size_t row = id_trial_row(i, rows, is_brief ? s->identity->n : all.n), before = n;
        status = read_wanted(s, &all, row, type, got);
        status = status != SINPOS_OK ? status : fill_row(&all, is_brief ? i : row, SINPOS_F64, exact);
        for (size_t j = 0; j < columns && status == SINPOS_OK; j++) {
            double x;
            widen(&x, got + j * size, type, 1);
            if (!is_sparse || exact[j] != 0)
                off[n++] = isfinite(x) && isfinite(exact[j]) ? fabs(x - exact[j]) : INFINITY;
        }
        if (i == rows / 2 && status == SINPOS_OK && n - before > 0) /* most are far off from the beginning */
            *fits = id_select(off, n, (3 * n - 1) / 4) <= s->tolerance;
    }
    if (status == SINPOS_OK && *fits && n > 0)
        *fits = id_select(off, n, (3 * n - 1) / 4) <= s->tolerance && id_select(off, n, (n - 1) * 49 / 50) <= s->far;
    free(exact);
    free(off);
    free(got);
    return status;
}

/* Rows of zeros are few: the convention must have them, too. */
static sinpos_status compare_zeros(const id_trial *s, const sinpos_encoding *encoding, bool *fits)
{
    const sinpos_identity *identity = s->identity;
    const sinpos_encoding_info *info = sinpos_encoding_info_get(encoding);
    const size_t columns = info->n_columns, n = identity->n_zero < CHECKED_ZEROS ? identity->n_zero : CHECKED_ZEROS;
    if (n == 0 || info->n_rows != identity->n || info->is_channel_first)
        return SINPOS_OK;
    double *row = malloc((columns + 1) * sizeof *row);
    sinpos_status status = row == NULL ? SINPOS_E_MEMORY : SINPOS_OK;
    for (size_t i = 0; i < n && status == SINPOS_OK && *fits; i++) {
        status = sinpos_encoding_fill(encoding, identity->zero[i], 1, SINPOS_F64, row, columns, 1);
        for (size_t j = 0; j < columns && status == SINPOS_OK; j++)
            *fits = *fits && row[j] == 0;
    }
    free(row);
    return status;
}

static sinpos_status try_frequencies(id_trial *s, const sinpos_parameters *parameters, size_t every, bool *fits)
{
    sinpos_encoding *encoding = NULL;
    sinpos_status status = sinpos_encoding_create_sparse(&encoding, sinpos_convention_name(s->convention), parameters,
                                                         SINPOS_F64 | (unsigned)s->table->type, every, NULL);
    *fits = s->is_brief &&
            (status == SINPOS_E_SHAPE || status == SINPOS_E_AXES); /* all positions may fit a shape that a few do not */
    if (status == SINPOS_OK) {
        if (sinpos_encoding_info_get(encoding)->output <= SINPOS_OUTPUT_MATRIX) {
            status = compare(s, encoding, every > 1, fits);
            status = status == SINPOS_OK && *fits ? compare_zeros(s, encoding, fits) : status;
            s->is_strict = *fits && every == 1 && !s->is_brief && !s->is_alone;
            if (status == SINPOS_OK && s->is_strict)
                status = compare_exactly(s, encoding, &s->is_strict);
            *fits = *fits && (every > 1 || s->is_brief || s->is_strict || s->identity->total.wrong > 0);
        }
        sinpos_encoding_destroy(encoding);
    } else if (status != SINPOS_E_MEMORY) {
        status = SINPOS_OK;
    }
    return status;
}

/* Most conventions make other rows or columns, which the first and last frequencies show. */
static sinpos_status may_have_shape(const id_trial *s, const sinpos_parameters *parameters, bool *may)
{
    sinpos_encoding *encoding = NULL;
    const sinpos_status status = sinpos_encoding_create_sparse(&encoding, sinpos_convention_name(s->convention),
                                                               parameters, SINPOS_F64, SIZE_MAX, NULL);
    *may = status != SINPOS_OK
               ? s->is_brief /* a few positions may not fit a shape */
               : sinpos_encoding_info_get(encoding)->output <= SINPOS_OUTPUT_MATRIX && has_shape(s, encoding);
    sinpos_encoding_destroy(encoding);
    return status == SINPOS_E_MEMORY ? status : SINPOS_OK;
}

static sinpos_status try_parameters(id_trial *s, bool *fits)
{
    sinpos_parameters *parameters = NULL;
    const size_t every = s->identity->dim / (s->is_alone ? 4 : 16);
    bool may = false;
    *fits = false;
    sinpos_status status = sinpos_parameters_create(&parameters);
    status = status != SINPOS_OK ? status : id_trial_set(s, parameters);
    status = status != SINPOS_OK ? status : may_have_shape(s, parameters, &may);
    if (status == SINPOS_OK && may && every > 1)
        status = try_frequencies(s, parameters, every, fits);
    if (status == SINPOS_OK && may && (every <= 1 || (*fits && !s->is_brief)))
        status = try_frequencies(s, parameters, 1, fits);
    sinpos_parameters_destroy(parameters);
    return status == SINPOS_E_VALUE || status == SINPOS_E_SHAPE ? SINPOS_OK : status; /* of a parameter */
}

/* The first frequency of the convention, from its plan at the position 0: whole numbers of it are positions. */
static sinpos_status find_own_unit(id_trial *s)
{
    sinpos_parameters *parameters = NULL;
    sinpos_encoding *encoding = NULL;
    s->own_unit = 0;
    s->is_at_zero = true;
    sinpos_status status = sinpos_parameters_create(&parameters);
    status = status != SINPOS_OK ? status : id_trial_set(s, parameters);
    s->is_at_zero = false;
    status = status != SINPOS_OK
                 ? status
                 : sinpos_encoding_create_sparse(&encoding, sinpos_convention_name(s->convention), parameters,
                                                 SINPOS_F64, s->identity->dim / 2 + 1, NULL);
    double *theta = malloc((s->identity->dim + 1) * sizeof *theta);
    size_t n = 0;
    status = theta == NULL ? SINPOS_E_MEMORY : status;
    status = status != SINPOS_OK ? status
                                 : sinpos_plan_theta(sinpos_encoding_plan(encoding), theta, s->identity->dim + 1, &n);
    if (status == SINPOS_OK && n > 0)
        s->own_unit = fabs(theta[0]);
    free(theta);
    sinpos_encoding_destroy(encoding);
    sinpos_parameters_destroy(parameters);
    return status == SINPOS_E_MEMORY ? status : SINPOS_OK;
}

static bool has_own_unit(const id_trial *s)
{
    bool has = false;
    for (size_t i = 0; i < s->n_parameters; i++)
        has = has || (s->n_values[i] > 0 && s->value[i][s->chosen[i]].unit == ID_OWN_UNIT);
    return has;
}

static bool lists_positions(const id_trial *s)
{
    bool does = s->positions_outside > 0;
    for (size_t i = 0; i < s->n_parameters; i++)
        does = does || (s->n_values[i] > 0 && s->value[i][s->chosen[i]].kind == ID_POSITIONS);
    return does;
}

/* Of short positions the convention's own unit, if that is 1, leaves all as they are. */
static bool are_same_positions(const id_trial *s, const id_value *one, const id_value *other)
{
    const bool is_own = other->unit == ID_OWN_UNIT && one->unit == s->own_unit && (one->unit != 1 || s->has_short);
    return one->kind == ID_POSITIONS && other->kind == ID_POSITIONS && one->exchanged == other->exchanged &&
           one->shift == other->shift && (one->unit == other->unit || is_own);
}

/* Are positions those of a value before, with which the others were tried? */
static bool is_again(const id_trial *s)
{
    bool is = false;
    for (size_t i = 0; i < s->n_parameters; i++)
        for (size_t k = 0; k < s->chosen[i]; k++)
            is = is || are_same_positions(s, &s->value[i][k], &s->value[i][s->chosen[i]]);
    return is;
}

/* Most of what is tried does not fit, which a few positions and frequencies show. */
static sinpos_status try_chosen(id_trial *s, bool *fits)
{
    sinpos_status status = has_own_unit(s) ? find_own_unit(s) : SINPOS_OK;
    *fits = (!has_own_unit(s) || s->own_unit > 0) && !is_again(s);
    if (status == SINPOS_OK && *fits && s->identity->n > ID_MANY_POSITIONS && lists_positions(s)) {
        s->is_brief = true;
        status = try_parameters(s, fits);
        s->is_brief = false;
    }
    return status == SINPOS_OK && *fits ? try_parameters(s, fits) : status;
}

/* Does the encoding have the rows of the view, or twice as many where two tables lie side by side? */
bool id_trial_has_view(const id_trial *s, const sinpos_encoding *encoding)
{
    const encoding_rows all = rows_of(s, encoding);
    const size_t n = s->identity->view == SINPOS_VIEW_SIDE_BY_SIDE ? 2 : 1;
    return (all.are_positions || s->identity->view != SINPOS_VIEW_CHANNEL_FIRST) && all.n == n * s->identity->n &&
           n * all.columns == s->identity->dim;
}

sinpos_status id_trial_misses(const id_trial *s, const id_view *view, id_misses *m)
{
    const sinpos_identity *identity = s->identity;
    const size_t most = ID_EQUAL_ELEMENTS / identity->dim + ID_TRIAL_ROWS,
                 rows = identity->n < most ? identity->n : most;
    const sinpos_type type = s->table->type;
    const size_t size = sinpos_type_bytes(type);
    char *got = malloc(identity->dim * size + 1), *want = malloc(identity->dim * size + 1);
    sinpos_status status = got == NULL || want == NULL ? SINPOS_E_MEMORY : SINPOS_OK;
    *m = (id_misses){.elements = rows * identity->dim};
    for (size_t i = 0; i < rows && status == SINPOS_OK; i++) {
        const size_t row = id_trial_row(i, rows, identity->n);
        status = id_view_read(view, row, 1, got);
        status = status != SINPOS_OK ? status : sinpos_identity_rows_as_found(identity, row, 1, type, want, 1);
        for (size_t j = 0; j < identity->dim && status == SINPOS_OK; j++) {
            double x, y;
            widen(&x, got + j * size, type, 1);
            widen(&y, want + j * size, type, 1);
            const bool is_wrong = !(x == y) && !(identity->dropped > 0 && x == 0);
            const bool is_far = is_wrong && !(fabs(x - y) <= ALTERED * fabs(identity->amplitude));
            m->varied += !is_far && fabs(y) > PLAIN && fabs(y) < 1 - PLAIN;
            m->wrong += is_wrong;
            m->far += is_far;
            m->sum += is_wrong && !is_far ? fabs(x - y) : 0;
        }
    }
    free(got);
    free(want);
    return status;
}

/* ------------------------------------------------------------------------------------------------ searching */

static bool next_choice(id_trial *s)
{
    for (size_t i = 0; i < s->n_parameters; i++) {
        if (s->n_values[i] > 1) {
            if (++s->chosen[i] < s->n_values[i])
                return true;
            s->chosen[i] = 0;
        }
    }
    return false;
}

/* Needs positions and has no parameter for them: they can be given from outside. */
static bool may_be_outside(const id_trial *s)
{
    for (size_t i = 0; i < s->n_parameters; i++)
        if (strcmp(sinpos_convention_parameter(s->convention, i, "role"), "positions") == 0)
            return false;
    return s->identity->n_axes == 1 && s->identity->n <= ID_MOST_POSITIONS;
}

/* Values that are worth a try. Of defaults: is there a parameter whose default was none of these? */
bool id_trial_list(id_trial *s)
{
    const size_t n_all = sinpos_convention_parameters(s->convention);
    bool has_others = false;
    s->n_parameters = n_all < ID_MOST_PARAMETERS ? n_all : ID_MOST_PARAMETERS;
    for (size_t i = 0; i < s->n_parameters; i++) {
        const char *role = sinpos_convention_parameter(s->convention, i, "role");
        size_t n = id_values(s->facts, s->convention, i, s->value[i]);
        const bool is_size = strcmp(role, "dim") == 0 || strcmp(role, "length") == 0 || strcmp(role, "grid") == 0 ||
                             strcmp(role, "positions") == 0 || (n > 0 && s->value[i]->kind == ID_MASK);
        if (s->are_defaults && sinpos_convention_parameter(s->convention, i, "default") != NULL) {
            has_others = has_others || n > 0;
            n = is_size ? n : 0;
            if (n > 0 && n < ID_MOST_VALUES)
                s->value[i][n++] = (id_value){.kind = ID_WORD};
        }
        s->n_values[i] = n;
        s->chosen[i] = 0;
    }
    return has_others || !s->are_defaults;
}

sinpos_status id_trial_run(id_trial *s, bool *fits)
{
    const bool is_too_long = s->identity->n > ID_MOST_POSITIONS;
    const int outside = !may_be_outside(s) ? 0 : s->facts->start == 0 ? 1 : 2;
    sinpos_status status = SINPOS_OK;
    for (s->positions_outside = 0;; s->positions_outside++) {
        size_t own = 0;
        memset(s->chosen, 0, sizeof s->chosen);
        do {
            status = is_too_long && lists_positions(s) ? SINPOS_OK : try_chosen(s, fits);
        } while (status == SINPOS_OK && !*fits && ++own < (s->is_alone ? MOST_TRIED_ALONE : MOST_TRIED) &&
                 next_choice(s));
        if (*fits || status != SINPOS_OK || s->positions_outside == outside)
            return status;
    }
}
