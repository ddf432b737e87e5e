/* identify_conventions.c - which conventions make the table that was found. */
#include "elements.h"
#include "identify_parameters.h"

#include <stdio.h>

/* Rows that are compared, combinations of parameters that are tried, positions that are listed. */
#define COMPARED_ROWS 24
#define MOST_TRIED 96
#define MOST_POSITIONS 65536

/* Of angles, relative, where formulas with the same numbers make them in other ways. */
#define ANGLE_ERROR 0x1p-48

/* So many are not listed before those of the compared rows have shown that they may fit. */
#define MANY_POSITIONS 128

/* Digits of a position that somebody states. */
#define MOST_POSITION_DIGITS 9

/* So near, relative, are all positions to numbers of float32 where that is what they are, by how little chance. */
#define NEAR_SINGLE_F64 1e-12
#define NEAR_SINGLE 1e-10
#define LEAST_SINGLE_BITS 20

/* Off by so much, per amplitude, an element was altered. */
#define ALTERED 0.05

/* Errors that are smaller by so much are no chance. */
#define NEARER 0.8

/* Elements of an exact table that are compared to the last bit. */
#define EQUAL_ELEMENTS ((size_t)1 << 18)

/* Rows of zeros that are looked at. */
#define CHECKED_ZEROS 8

/* Frequencies that are made as published, of all conventions together: 0.1 ms each. */
#define MOST_REPLAYED 4096

typedef struct search {
    const id_facts *facts;
    const sinpos_convention *convention;
    sinpos_identity *identity;
    const sinpos_table *table;
    const id_view *view;
    id_value value[ID_MOST_PARAMETERS][ID_MOST_VALUES];
    size_t n_values[ID_MOST_PARAMETERS], chosen[ID_MOST_PARAMETERS], n_parameters;
    double tolerance, far; /* three quarters of the elements, nearly all of them, must be this near */
    int positions_outside; /* 0: none; 1: positions; 2: positions from 0 */
    bool has_short;        /* positions are short numbers already, as they are */
    bool is_defined;       /* what the array should be is known by a formula */
    bool is_brief;         /* positions are those of the compared rows alone */
    size_t n_replayed;     /* frequencies made as published */
    bool are_rotary;       /* rotary conventions, as a table of their sines and cosines */
    bool are_defaults;     /* parameters but for sizes and positions have no other value */
    bool is_strict;        /* the last that fits makes every element of what was found */
    bool is_at_zero;       /* there is one position, 0 */
    double own_unit;       /* the first frequency of the convention, with the parameters that are chosen */
} search;

/* ------------------------------------------------------------------------------------------------- setting */

/* Number i of the rows that are compared, of n. */
static size_t compared_row(size_t i, size_t rows, size_t n)
{
    return rows == 1 ? 0 : i * (n - 1) / (rows - 1);
}

/* Positions of doubles are known to their last digits. */
static double unit_error(const search *s, double angle)
{
    return s->identity->type == SINPOS_F64 ? 0x1p-51 * fabs(angle) : 1e-12 * (1 + fabs(angle));
}

static double position_in_units(const search *s, const id_value *value, size_t row, size_t column)
{
    const sinpos_identity *identity = s->identity;
    const size_t a = value->exchanged && column < 2 ? 1 - column : column;
    const double angle = id_position(identity, row, a) * identity->axis[a].scale;
    const double unit = value->unit == ID_OWN_UNIT ? s->own_unit : value->unit;
    return unit == 1 ? angle - value->shift : id_simple(angle / unit, unit_error(s, angle) / unit);
}

static size_t listed_rows(const search *s)
{
    return s->is_at_zero ? 1 : s->is_brief ? COMPARED_ROWS : s->identity->n;
}

/* Times are numbers of float32 in most code: if all of these are near such, they are such. */
static void round_to_singles(const search *s, double *list, size_t n)
{
    const double near = s->identity->type == SINPOS_F64 ? NEAR_SINGLE_F64 : NEAR_SINGLE;
    double bits = 0;
    for (size_t i = 0; i < n; i++) {
        if (!(fabs(list[i] - (double)(float)list[i]) <= near * fabs(list[i])))
            return;
        bits += id_digits(list[i]) > MOST_POSITION_DIGITS ? -log2(near * 0x1p24) : 0;
    }
    for (size_t i = 0; i < n && bits > LEAST_SINGLE_BITS; i++)
        list[i] = id_digits(list[i]) > MOST_POSITION_DIGITS ? (double)(float)list[i] : list[i];
}

/* Positions of the rows in units, (listed_rows(), n_axes), for free(); NULL without memory. */
static double *list_positions(const search *s, const id_value *value)
{
    const sinpos_identity *identity = s->identity;
    const size_t n = listed_rows(s), axes = identity->n_axes;
    double *list = malloc((n * axes + 1) * sizeof *list);
    for (size_t i = 0; i < n * axes && list != NULL; i++) {
        const size_t row = s->is_brief ? compared_row(i / axes, n, identity->n) : i / axes;
        list[i] = s->is_at_zero ? 0 : position_in_units(s, value, row, i % axes);
    }
    if (list != NULL && value->unit != 1)
        round_to_singles(s, list, n * axes);
    return list;
}

/* (n, n_axes) or (n). */
static sinpos_status set_positions(const search *s, sinpos_parameters *parameters, const char *name,
                                   const id_value *value)
{
    const size_t n = listed_rows(s), axes = s->identity->n_axes, shape[] = {n, axes};
    double *list = list_positions(s, value);
    if (list == NULL)
        return SINPOS_E_MEMORY;
    bool are_short = true; /* nobody writes others in such units */
    for (size_t i = 0; i < n * axes; i++)
        are_short = are_short && (value->unit == 1 || !s->has_short || id_digits(list[i]) <= MOST_POSITION_DIGITS);
    const sinpos_status status =
        are_short ? sinpos_parameters_set_list(parameters, name, list, axes == 1 ? 1 : 2, shape) : SINPOS_E_VALUE;
    free(list);
    return status;
}

/* What the frequencies are divided by. */
static sinpos_status set_divisors(const search *s, sinpos_parameters *parameters, const char *name)
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

static sinpos_status set_value(const search *s, sinpos_parameters *parameters, const char *name, const id_value *value)
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

static bool is_literal(const char *formula, const char *word)
{
    return formula != NULL && strcmp(formula, word) == 0;
}

/* What the source returns is asked for as the array is: two tables, pairs, or as it stands. */
static const char *wanted_output(const search *s)
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

static sinpos_status set_all(const search *s, sinpos_parameters *parameters)
{
    const char *output = wanted_output(s);
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

static encoding_rows rows_of(const search *s, const sinpos_encoding *encoding)
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
static sinpos_status read_row(const search *s, const encoding_rows *rows, size_t row, void *out)
{
    const size_t many = rows->columns / s->table->shape[s->table->n_dims - 1];
    return rows->are_positions ? id_view_read(s->view, row, 1, out)
                               : s->table->read(s->table->context, row * many, many, out);
}

/* Of as many elements, if all positions were listed? Some conventions have rows for other reasons than positions. */
static bool may_be_whole(const search *s, const sinpos_encoding_info *info)
{
    return info->n_rows % COMPARED_ROWS != 0 || info->n_rows / COMPARED_ROWS * info->n_columns == s->identity->dim;
}

/* A row as it should be where a formula says so, else that of the array. */
static sinpos_status read_wanted(const search *s, const encoding_rows *rows, size_t row, sinpos_type type, void *out)
{
    const size_t many = rows->columns / s->table->shape[s->table->n_dims - 1];
    return s->is_defined ? sinpos_identity_rows(s->identity, row * many, many, type, out, 1)
                         : read_row(s, rows, row, out);
}

/* Is every element of these rows the convention's, too; to the rounding of the type, where the table is not exact? */
static sinpos_status compare_exactly(const search *s, const sinpos_encoding *encoding, bool *fits)
{
    const sinpos_identity *identity = s->identity;
    const double unit = identity->type == SINPOS_F64 ? 0x1p-50 : identity->type == SINPOS_F32 ? 0x1p-22 : 0x1p-7;
    const double near = identity->total.wrong > 0 ? unit * fabs(identity->amplitude) : 0;
    const encoding_rows all = rows_of(s, encoding);
    const size_t columns = all.columns, many = columns / s->table->shape[s->table->n_dims - 1];
    const size_t most = EQUAL_ELEMENTS / columns + COMPARED_ROWS, rows = all.n < most ? all.n : most;
    const sinpos_type type = s->table->type;
    const size_t size = sinpos_type_bytes(type);
    char *got = malloc(columns * size + 1), *want = malloc(columns * size + 1);
    sinpos_status status = got == NULL || want == NULL ? SINPOS_E_MEMORY : SINPOS_OK;
    for (size_t i = 0; i < rows && status == SINPOS_OK && *fits; i++) {
        const size_t row = compared_row(i, rows, all.n);
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
static sinpos_status compare(const search *s, const sinpos_encoding *encoding, bool is_sparse, bool *fits)
{
    const sinpos_encoding_info *info = sinpos_encoding_info_get(encoding);
    const encoding_rows all = rows_of(s, encoding);
    const size_t last = s->table->shape[s->table->n_dims - 1], columns = all.columns;
    const size_t rows = all.n < COMPARED_ROWS ? all.n : COMPARED_ROWS;
    const sinpos_type type = s->is_defined ? SINPOS_F64 : s->table->type;
    const size_t size = sinpos_type_bytes(type), total = s->identity->n * s->identity->dim;
    const bool is_whole =
        (all.are_positions || columns % last == 0) && all.n <= SIZE_MAX / columns && all.n * columns == total;
    const bool is_brief = s->is_brief && info->n_rows == COMPARED_ROWS && columns == s->identity->dim;
    *fits = s->is_brief ? may_be_whole(s, info) : is_whole;
    if (!*fits || (s->is_brief && !is_brief))
        return SINPOS_OK;
    double *exact = malloc((columns + 1) * sizeof *exact), *off = malloc((rows * columns + 1) * sizeof *off);
    char *got = malloc(columns * size + 1);
    sinpos_status status = exact == NULL || off == NULL || got == NULL ? SINPOS_E_MEMORY : SINPOS_OK;
    size_t n = 0;
    for (size_t i = 0; i < rows && status == SINPOS_OK && *fits; i++) {
        const size_t row = compared_row(i, rows, is_brief ? s->identity->n : all.n), before = n;
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
static sinpos_status compare_zeros(const search *s, const sinpos_encoding *encoding, bool *fits)
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

static sinpos_status try_frequencies(search *s, const sinpos_parameters *parameters, size_t every, bool *fits)
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
            s->is_strict = *fits && every == 1 && !s->is_brief;
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

static sinpos_status try_parameters(search *s, bool *fits)
{
    sinpos_parameters *parameters = NULL;
    const size_t every = s->identity->dim / 16;
    *fits = false;
    sinpos_status status = sinpos_parameters_create(&parameters);
    status = status != SINPOS_OK ? status : set_all(s, parameters);
    if (status == SINPOS_OK && every > 1)
        status = try_frequencies(s, parameters, every, fits);
    if (status == SINPOS_OK && (every <= 1 || (*fits && !s->is_brief)))
        status = try_frequencies(s, parameters, 1, fits);
    sinpos_parameters_destroy(parameters);
    return status == SINPOS_E_VALUE || status == SINPOS_E_SHAPE ? SINPOS_OK : status; /* of a parameter */
}

/* The first frequency of the convention, from its plan at the position 0: whole numbers of it are positions. */
static sinpos_status find_own_unit(search *s)
{
    sinpos_parameters *parameters = NULL;
    sinpos_encoding *encoding = NULL;
    s->own_unit = 0;
    s->is_at_zero = true;
    sinpos_status status = sinpos_parameters_create(&parameters);
    status = status != SINPOS_OK ? status : set_all(s, parameters);
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

static bool has_own_unit(const search *s)
{
    bool has = false;
    for (size_t i = 0; i < s->n_parameters; i++)
        has = has || (s->n_values[i] > 0 && s->value[i][s->chosen[i]].unit == ID_OWN_UNIT);
    return has;
}

static bool lists_positions(const search *s)
{
    bool does = s->positions_outside > 0;
    for (size_t i = 0; i < s->n_parameters; i++)
        does = does || (s->n_values[i] > 0 && s->value[i][s->chosen[i]].kind == ID_POSITIONS);
    return does;
}

/* Most of what is tried does not fit, which a few positions and frequencies show. */
static sinpos_status try_chosen(search *s, bool *fits)
{
    sinpos_status status = has_own_unit(s) ? find_own_unit(s) : SINPOS_OK;
    *fits = !has_own_unit(s) || s->own_unit > 0;
    if (status == SINPOS_OK && *fits && s->identity->n > MANY_POSITIONS && lists_positions(s)) {
        s->is_brief = true;
        status = try_parameters(s, fits);
        s->is_brief = false;
    }
    return status == SINPOS_OK && *fits ? try_parameters(s, fits) : status;
}

/* ------------------------------------------------------------------------------------------------- naming */

typedef struct text {
    char *bytes;
    size_t n, room;
    bool is_broken;
} text;

static void add_text(text *t, const char *more)
{
    const size_t n = strlen(more);
    if (t->n + n + 1 > t->room && !t->is_broken) {
        const size_t room = 2 * (t->n + n) + 64;
        char *bytes = realloc(t->bytes, room);
        t->is_broken = bytes == NULL;
        t->bytes = bytes == NULL ? t->bytes : bytes;
        t->room = bytes == NULL ? t->room : room;
    }
    if (!t->is_broken) {
        memcpy(t->bytes + t->n, more, n + 1);
        t->n += n;
    }
}

static void add_number(text *t, double x)
{
    char decimal[40];
    snprintf(decimal, sizeof decimal, "%.15g", x);
    if (strtod(decimal, NULL) != x)
        snprintf(decimal, sizeof decimal, "%.17g", x);
    add_text(t, decimal);
}

static void add_positions(text *t, const search *s, const id_value *value)
{
    const size_t axes = s->identity->n_axes;
    double *list = list_positions(s, value);
    t->is_broken = t->is_broken || list == NULL;
    for (size_t i = 0; i < s->identity->n * axes && list != NULL; i++) {
        add_text(t, i == 0 ? axes > 1 ? "[[" : "[" : i % axes == 0 && axes > 1 ? "],[" : ",");
        add_number(t, list[i]);
    }
    add_text(t, axes > 1 ? "]]" : "]");
    free(list);
}

static bool is_default(const char *fallback, const id_value *value)
{
    if (fallback == NULL)
        return false;
    char *end;
    const double number = strtod(fallback, &end);
    return value->kind == ID_WORD
               ? value->word == NULL
               : value->kind == ID_NUMBER && *end == '\0' && end != fallback && number == value->number;
}

static void add_value(text *t, const search *s, const char *name, const id_value *value)
{
    add_text(t, name);
    add_text(t, "=");
    switch (value->kind) {
    case ID_NUMBER: add_number(t, value->number); break;
    case ID_WORD: add_text(t, value->word); break;
    case ID_POSITIONS: add_positions(t, s, value); break;
    case ID_DIVISORS:
        for (size_t i = 0; i < s->identity->axis[0].n_frequencies; i++) {
            add_text(t, i == 0 ? "[" : ",");
            add_number(t, id_divisor(&s->identity->axis[0], i));
        }
        add_text(t, "]");
        break;
    case ID_MASK:
        for (size_t i = 0; i < (size_t)(value->sizes[0] * value->sizes[1]); i++) {
            const bool is_first = i % (size_t)value->sizes[1] == 0;
            add_text(t, i == 0 ? "[[" : is_first ? "],[" : ",");
            add_number(t, value->number);
        }
        add_text(t, "]]");
        break;
    case ID_SIZES:
        for (size_t i = 0; i < value->n_sizes; i++) {
            add_text(t, i == 0 ? "[" : ",");
            add_number(t, value->sizes[i]);
        }
        add_text(t, "]");
    }
    add_text(t, "\n");
}

static sinpos_status note(const search *s)
{
    sinpos_identity *identity = s->identity;
    const size_t n = identity->n_conventions;
    sinpos_identity_convention *more = realloc(identity->conventions, (n + 1) * sizeof *more);
    text t = {0};
    if (more == NULL)
        return SINPOS_E_MEMORY;
    identity->conventions = more;
    add_text(&t, "");
    for (size_t i = 0; i < s->n_parameters; i++)
        if (s->n_values[i] > 0 &&
            !is_default(sinpos_convention_parameter(s->convention, i, "default"), &s->value[i][s->chosen[i]]))
            add_value(&t, s, sinpos_convention_parameter(s->convention, i, "name"), &s->value[i][s->chosen[i]]);
    if (s->positions_outside > 0) {
        const id_value outside = {
            .kind = ID_POSITIONS, .unit = 1, .shift = s->positions_outside == 2 ? s->facts->start : 0};
        add_value(&t, s, "positions", &outside);
    }
    if (wanted_output(s) != NULL)
        add_value(&t, s, "output", &(id_value){.kind = ID_WORD, .word = wanted_output(s)});
    if (t.is_broken) {
        free(t.bytes);
        return SINPOS_E_MEMORY;
    }
    more[n] = (sinpos_identity_convention){sinpos_convention_name(s->convention), t.bytes, -1, -1, NULL, s->is_strict};
    identity->n_conventions = n + 1;
    return SINPOS_OK;
}

/* Was the array made as the source of the convention computes? Not asked where it is exact, nor of too many. */
static sinpos_status try_published(search *s)
{
    sinpos_identity *identity = s->identity;
    sinpos_parameters *parameters = NULL;
    if (identity->total.wrong == 0 || identity->noise > 0 || identity->encoding != NULL ||
        s->n_replayed + identity->n_tones > MOST_REPLAYED)
        return SINPOS_OK;
    s->n_replayed += identity->n_tones;
    sinpos_status status = sinpos_parameters_create(&parameters);
    status = status != SINPOS_OK ? status : set_all(s, parameters);
    if (status == SINPOS_OK)
        status = id_replay(identity, &identity->conventions[identity->n_conventions - 1], parameters, s->table);
    sinpos_parameters_destroy(parameters);
    return status;
}

/* Elements of some rows that are not those of the array. */
typedef struct misses {
    size_t elements, wrong;
    size_t far; /* no rounding explains them */
    double sum; /* of the errors of the others */
} misses;

static sinpos_status count_misses(const search *s, const id_view *view, misses *m)
{
    const sinpos_identity *identity = s->identity;
    const size_t most = EQUAL_ELEMENTS / identity->dim + COMPARED_ROWS, rows = identity->n < most ? identity->n : most;
    const sinpos_type type = s->table->type;
    const size_t size = sinpos_type_bytes(type);
    char *got = malloc(identity->dim * size + 1), *want = malloc(identity->dim * size + 1);
    sinpos_status status = got == NULL || want == NULL ? SINPOS_E_MEMORY : SINPOS_OK;
    *m = (misses){.elements = rows * identity->dim};
    for (size_t i = 0; i < rows && status == SINPOS_OK; i++) {
        const size_t row = compared_row(i, rows, identity->n);
        status = id_view_read(view, row, 1, got);
        status = status != SINPOS_OK ? status : sinpos_identity_rows_as_found(identity, row, 1, type, want, 1);
        for (size_t j = 0; j < identity->dim && status == SINPOS_OK; j++) {
            double x, y;
            widen(&x, got + j * size, type, 1);
            widen(&y, want + j * size, type, 1);
            const bool is_wrong = !(x == y) && !(identity->dropped > 0 && x == 0);
            const bool is_far = is_wrong && !(fabs(x - y) <= ALTERED * fabs(identity->amplitude));
            m->wrong += is_wrong;
            m->far += is_far;
            m->sum += is_wrong && !is_far ? fabs(x - y) : 0;
        }
    }
    free(got);
    free(want);
    return status;
}

/* Does the encoding have the rows of the view, or twice as many where two tables lie side by side? */
static bool has_view(const search *s, const sinpos_encoding *encoding)
{
    const encoding_rows all = rows_of(s, encoding);
    const size_t n = s->identity->view == SINPOS_VIEW_SIDE_BY_SIDE ? 2 : 1;
    return (all.are_positions || s->identity->view != SINPOS_VIEW_CHANNEL_FIRST) && all.n == n * s->identity->n &&
           n * all.columns == s->identity->dim;
}

/* All but altered elements; or, where rounded angles leave few elements right, is it nearer with numbers that are given? */
static bool is_better(const misses *convention, const misses *fit)
{
    const bool is_rounded = 2 * fit->wrong > fit->elements && convention->far <= fit->far;
    return convention->wrong <= convention->far ? convention->wrong < fit->wrong
                                                : is_rounded && convention->sum < NEARER * fit->sum;
}

/*
 * Frequencies and positions were fitted, those of the convention are exact: does it make what the fit does not, exactly
 * or as published?
 */
static sinpos_status adopt(search *s)
{
    sinpos_identity *identity = s->identity;
    const bool is_published = identity->conventions[identity->n_conventions - 1].published_equal == 1 && !s->is_strict;
    sinpos_parameters *parameters = NULL;
    misses before = {0}, after = {0};
    if (identity->total.wrong == 0 || identity->noise > 0 || identity->encoding != NULL || id_has_levels(identity))
        return SINPOS_OK;
    sinpos_status status = count_misses(s, s->view, &before);
    status = status != SINPOS_OK ? status : sinpos_parameters_create(&parameters);
    status = status != SINPOS_OK ? status : set_all(s, parameters);
    if (status == SINPOS_OK)
        status = sinpos_encoding_create(&identity->encoding, sinpos_convention_name(s->convention), parameters,
                                        SINPOS_F64 | (unsigned)s->table->type, NULL);
    const bool has_rows = status == SINPOS_OK && has_view(s, identity->encoding);
    if (has_rows)
        status = count_misses(s, s->view, &after);
    if (status != SINPOS_OK || !has_rows || (!is_published && !is_better(&after, &before))) {
        sinpos_encoding_destroy(identity->encoding);
        identity->encoding = NULL;
    } else { /* it comes first */
        sinpos_identity_convention *last = &identity->conventions[identity->n_conventions - 1], own = *last;
        memmove(identity->conventions + 1, identity->conventions, (identity->n_conventions - 1) * sizeof own);
        identity->conventions[0] = own;
    }
    sinpos_parameters_destroy(parameters);
    return status == SINPOS_E_MEMORY ? status : SINPOS_OK;
}

void id_forget_conventions(sinpos_identity *identity, size_t n)
{
    while (identity->n_conventions > n) {
        sinpos_identity_convention *last = &identity->conventions[--identity->n_conventions];
        free(last->settings);
        sinpos_encoding_destroy(last->source);
    }
}

/* ------------------------------------------------------------------------------------------------ searching */

static bool next_choice(search *s)
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

/* Can it be, by what needs no formula? */
static bool may_fit(const search *s)
{
    const sinpos_convention *c = s->convention;
    const sinpos_identity *identity = s->identity;
    const bool is_table = identity->view == SINPOS_VIEW_ROWS || identity->view == SINPOS_VIEW_CHANNEL_FIRST;
    const bool is_apart = sinpos_convention_text(c, "apart") != NULL && id_mask_of(c) == NULL;
    if (s->are_rotary)
        return !is_apart && sinpos_convention_text(c, "pairing") != NULL &&
               !is_literal(sinpos_convention_text(c, "output"), "table");
    if (is_apart || (sinpos_convention_text(c, "pairing") == NULL) != is_table)
        return !is_apart && is_table &&
               (is_literal(sinpos_convention_text(c, "output"), "table") ||
                is_literal(sinpos_convention_text(c, "beside"), "1"));
    if (is_table && identity->n_axes == 1 && identity->n_tones > 1) {
        const char *nest = sinpos_convention_text(c, "nest"), *components = sinpos_convention_text(c, "components");
        if ((identity->nest == SINPOS_NEST_AFC && is_literal(nest, "acf")) ||
            (identity->nest == SINPOS_NEST_ACF && is_literal(nest, "afc")))
            return false;
        if ((components == NULL && identity->cos_first) || (is_literal(components, "cs") && !identity->cos_first))
            return false;
    }
    return true;
}

/* Needs positions and has no parameter for them: they can be given from outside. */
static bool may_be_outside(const search *s)
{
    for (size_t i = 0; i < s->n_parameters; i++)
        if (strcmp(sinpos_convention_parameter(s->convention, i, "role"), "positions") == 0)
            return false;
    return s->identity->n_axes == 1 && s->identity->n <= MOST_POSITIONS;
}

/* Values that are worth a try. Of defaults: is there a parameter whose default was none of these? */
static bool list_values(search *s)
{
    bool has_others = false;
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

static sinpos_status try_values(search *s, bool *fits)
{
    const bool is_too_long = s->identity->n > MOST_POSITIONS;
    const int outside = may_be_outside(s) ? 2 : 0;
    sinpos_status status = SINPOS_OK;
    for (s->positions_outside = 0;; s->positions_outside++) {
        size_t own = 0;
        memset(s->chosen, 0, sizeof s->chosen);
        do {
            status = is_too_long && lists_positions(s) ? SINPOS_OK : try_chosen(s, fits);
        } while (status == SINPOS_OK && !*fits && ++own < MOST_TRIED && next_choice(s));
        if (*fits || status != SINPOS_OK || s->positions_outside == outside)
            return status;
    }
}

static sinpos_status search_convention(search *s)
{
    bool fits = false;
    sinpos_status status = SINPOS_OK;
    s->n_parameters = sinpos_convention_parameters(s->convention);
    s->n_parameters = s->n_parameters < ID_MOST_PARAMETERS ? s->n_parameters : ID_MOST_PARAMETERS;
    if (list_values(s))
        status = try_values(s, &fits);
    status = status == SINPOS_OK && fits ? note(s) : status;
    status = status == SINPOS_OK && fits ? try_published(s) : status;
    const bool was_adopted = s->identity->encoding != NULL;
    status = status == SINPOS_OK && fits ? adopt(s) : status;
    if (status != SINPOS_OK || !fits)
        return status;
    sinpos_identity_convention *own =
        &s->identity->conventions[was_adopted || s->identity->encoding == NULL ? s->identity->n_conventions - 1 : 0];
    own->is_exact = own->is_exact || (!was_adopted && s->identity->encoding != NULL);
    if (!own->is_exact && own->source == NULL) /* it makes other elements all the same */
        id_forget_conventions(s->identity, s->identity->n_conventions - 1);
    return SINPOS_OK;
}

/* By an earlier pass, or adopted. */
static bool is_named(const search *s)
{
    const sinpos_identity *identity = s->identity;
    for (size_t i = 0; i < identity->n_conventions; i++)
        if (strcmp(identity->conventions[i].name, sinpos_convention_name(s->convention)) == 0)
            return true;
    return false;
}

/*
 * A formula for frequencies and rows gives what the array should be, however it was rounded; but for grids whose numbers
 * make few of its elements.
 */
static bool is_defined(const sinpos_identity *identity)
{
    const bool is_made = 2 * identity->total.wrong <= identity->total.elements || identity->n_axes == 1;
    bool has_formula =
        is_made && identity->noise == 0 && identity->view == SINPOS_VIEW_ROWS && identity->positions == NULL;
    for (size_t a = 0; a < identity->n_axes; a++)
        has_formula =
            has_formula && (identity->axis[a].law != SINPOS_LAW_LIST || identity->scaling != SINPOS_SCALING_NONE);
    return has_formula;
}

static bool has_short_positions(const sinpos_identity *identity)
{
    bool are_short = true;
    for (size_t i = 0; i < COMPARED_ROWS * identity->n_axes; i++)
        are_short =
            are_short && id_digits(id_position(identity, compared_row(i / identity->n_axes, COMPARED_ROWS, identity->n),
                                               i % identity->n_axes)) <= MOST_POSITION_DIGITS;
    return are_short;
}

static double largest_angle(const sinpos_identity *identity)
{
    double most = 0;
    for (size_t a = 0; a < identity->n_axes; a++) {
        const double fast = id_largest(identity->axis[a].theta, identity->axis[a].n_frequencies);
        const double far = fmax(fabs(id_position(identity, 0, a)), fabs(id_position(identity, identity->n - 1, a)));
        most = fmax(most, fast * far);
    }
    return most;
}

/* All of them, until one was adopted: the others were compared with what was fitted. */
static sinpos_status search_all(search *s, bool has_first)
{
    sinpos_identity *identity = s->identity;
    sinpos_status status = SINPOS_OK;
    for (size_t i = 0; i < sinpos_conventions_count() && status == SINPOS_OK; i++) {
        s->convention = sinpos_convention_at(i);
        if (may_fit(s) && !is_named(s))
            status = search_convention(s);
        if (status == SINPOS_OK && identity->encoding != NULL && !has_first) {
            id_forget_conventions(identity, 1);
            break;
        }
    }
    return status;
}

/* A formula of which every number is known, at positions in steps of 1: what it makes does not depend on other defaults. */
static bool is_plain(const sinpos_identity *identity)
{
    const sinpos_identity_axis *axis = &identity->axis[0];
    return identity->n_axes == 1 && identity->positions == NULL && axis->law == SINPOS_LAW_GEOMETRIC &&
           axis->scale == 1 && axis->step == 1;
}

sinpos_status id_name_conventions(sinpos_identity *identity, const sinpos_table *table, const id_view *view,
                                  bool may_be_defaults)
{
    id_facts facts;
    sinpos_status status = SINPOS_OK;
    id_facts_make(&facts, identity, table);
    search *s = calloc(1, sizeof *s);
    if (s == NULL)
        return SINPOS_E_MEMORY;
    *s = (search){.facts = &facts, .identity = identity, .table = table, .view = view};
    const double unit = table->type == SINPOS_F64 ? 0x1p-50 : table->type == SINPOS_F32 ? 0x1p-23 : 0x1p-8;
    const double size = fabs(identity->amplitude);
    s->is_defined = is_defined(identity);
    s->has_short = has_short_positions(identity);
    s->tolerance =
        2 * unit * size + (s->is_defined ? ANGLE_ERROR * largest_angle(identity) * size : 2 * identity->residual);
    s->far = 4 * s->tolerance + (s->is_defined ? 0 : 2 * identity->total.max_abs_error);
    const bool has_first = identity->encoding != NULL;
    const bool may_be_rotary = identity->view == SINPOS_VIEW_ROWS && identity->total.wrong > 0 && identity->noise == 0;
    may_be_defaults = may_be_defaults && !is_plain(identity);
    for (int pass = 0; pass < (may_be_rotary ? 4 : 2) && status == SINPOS_OK; pass++) {
        s->are_rotary = pass >= 2; /* nothing else makes it */
        s->are_defaults = pass % 2 == 0;
        if ((may_be_defaults || !s->are_defaults) && (!s->are_rotary || identity->n_conventions == 0))
            status = search_all(s, has_first);
    }
    free(s);
    id_name_published(identity);
    return status;
}
