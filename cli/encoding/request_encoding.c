#include "request_encoding.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "chosen_columns.h"
#include "command.h"
#include "no_memory.h"
#include "number_list.h"
#include "spec_of_plan.h"

/* The library names a field, which is that of an option; its message begins with it. */
static noreturn void fail_spec(const struct options *options, const sinpos_error *error)
{
    char name[sizeof error->name];
    const size_t n = strlen(error->name);
    for (size_t i = 0; i <= n; i++)
        name[i] = (char)(error->name[i] == '_' ? '-' : error->name[i]);
    for (size_t id = 0; id < N_OPTIONS && n > 0 && strncmp(error->message, error->name, n) == 0; id++) {
        if (strcmp(option_types[id].name, name) == 0) {
            fail_option(options, (enum option_id)id, "each command's --help explains its options", "%s",
                        error->message + n + 1);
        }
    }
    fail(EXIT_USAGE, "check the numbers that state the encoding", "encoding", "%s", error->message);
}

/* --theta states the frequencies of two schedules, and only of these. */
static void check_theta(sinpos_spec *spec, const struct options *options)
{
    const bool needs = spec->schedule == SINPOS_TURNS || spec->schedule == SINPOS_EXPLICIT;
    if (spec->theta == NULL && needs)
        fail_option(options, OPTION_SCHEDULE, "name the frequencies with --theta FILE or LIST", "needs --theta");
    if (spec->theta != NULL && options->given[OPTION_SCHEDULE] == NULL) {
        spec->schedule = SINPOS_EXPLICIT;
    } else if (spec->theta != NULL && !needs) {
        fail_option(options, OPTION_SCHEDULE, "leave --schedule out, or use explicit or turns",
                    "cannot be combined with --theta");
    }
}

/* Columns of all coordinates together; --dim may be a part of the columns that are rotated. */
static void settle_dim(struct encoding *encoding, size_t array_dim)
{
    const struct options *options = encoding->request->options;
    const bool is_given = options->given[OPTION_DIM] != NULL, is_part = options->command->bit == COMMAND_ROTATE;
    const bool has_theta = encoding->spec.theta != NULL && !is_given;
    encoding->dim = encoding->spec.dim;
    const size_t whole_dim = chosen_from(options, array_dim);
    if (whole_dim > 0 && !(is_part && (is_given || has_theta))) {
        if (is_given && whole_dim != encoding->dim) {
            fail_option(options, OPTION_DIM, "leave --dim out: the array gives it", "the array has %zu columns",
                        array_dim);
        }
        encoding->dim = whole_dim;
    } else if (has_theta) {
        encoding->dim = 2 * encoding->spec.n_theta * encoding->n_axes;
    }
    if (encoding->dim % encoding->n_axes != 0) {
        fail_option(options, OPTION_DIM, "choose a multiple of the number of coordinates",
                    "%zu columns cannot be shared by %zu coordinates", encoding->dim, encoding->n_axes);
    }
    if (encoding->dim > SINPOS_MAX_DIM || encoding->n_axes > SINPOS_MAX_AXES) {
        fail(EXIT_USAGE, "ask for fewer", "encoding", "%zu columns and %zu coordinates are too many", encoding->dim,
             encoding->n_axes);
    }
    encoding->spec.dim = encoding->dim / encoding->n_axes;
}

/* From here on dim is that of the columns that were chosen. */
static void choose_columns(struct encoding *encoding, size_t array_dim)
{
    size_t n = 0;
    encoding->columns = chosen_columns(&n, encoding);
    if (encoding->columns == NULL)
        return;
    if (array_dim > 0 && n != array_dim) {
        fail_option(encoding->request->options, OPTION_COLUMNS, "there must be one number per column of the array",
                    "names %zu columns, and the array has %zu", n, array_dim);
    }
    encoding->dim = n;
}

static void check_list(const struct encoding *encoding, enum option_id id, size_t n)
{
    const struct options *options = encoding->request->options;
    const size_t wanted = sinpos_spec_frequencies(&encoding->spec);
    if (options->given[id] != NULL && n != wanted) {
        fail_option(options, id, "there must be one number per frequency",
                    "holds %zu numbers, where %zu frequencies are needed", n, wanted);
    }
}

static void take_length(struct encoding *encoding, const struct known *known)
{
    const struct request *request = encoding->request;
    const struct options *options = request->options;
    const bool is_list = (request->has_list || request->has_grid) && options->given[OPTION_LENGTH] == NULL;
    positions_copy(&encoding->positions, &request->positions);
    positions_set_length(&encoding->positions, options,
                         known->dim > 0 ? known->n_rows
                         : is_list      ? request->positions.n
                                        : known->n_default);
}

static void make_stated(struct encoding *encoding, const struct known *known)
{
    const struct options *options = encoding->request->options;
    const char *arithmetic = options->given[OPTION_ARITHMETIC];
    sinpos_error error = SINPOS_ERROR_INIT;
    if (arithmetic != NULL && strcmp(arithmetic, "published") == 0) {
        fail_option(options, OPTION_ARITHMETIC, "name somebody's definition with --convention, or a recipe",
                    "is the arithmetic of a convention's source, and no convention is given");
    }
    take_length(encoding, known);
    check_theta(&encoding->spec, options);
    settle_dim(encoding, known->dim);
    check_list(encoding, OPTION_THETA, encoding->spec.n_theta);
    check_list(encoding, OPTION_FACTOR, encoding->spec.n_factor);
    if (sinpos_spec_check(&encoding->spec, &error) != SINPOS_OK)
        fail_spec(options, &error);
    choose_columns(encoding, known->dim);
    const size_t n = encoding->positions.n, dim = encoding->dim;
    encoding->is_exact = true;
    encoding->info = (sinpos_encoding_info){.struct_size = sizeof encoding->info,
                                            .output = SINPOS_OUTPUT_TABLE,
                                            .n_dims = 2,
                                            .shape = {n, dim},
                                            .n_rows = n,
                                            .n_columns = dim,
                                            .n_positions = n,
                                            .n_axes = encoding->n_axes,
                                            .is_replayed = !arithmetic_is_exact(options)};
}

/* ---------------------------------------------------------------------------------------------------- conventions */

/* What --set and --parameters ask for, and the command does not make. */
static void check_output(const struct encoding *encoding, const char *output)
{
    const char *own = sinpos_output_name(encoding->info.output);
    if (output != NULL && strcmp(own, output) != 0) {
        fail(EXIT_USAGE, "'sinpos table' makes it", "output", "'sinpos %s' is about '%s' alone, not '%s'",
             encoding->request->options->command->name, output, own);
    }
}

/* Names of parameters, for nearest_name(). */
static const sinpos_convention *spelled;

static const char *parameter_name_at(size_t i)
{
    return sinpos_convention_parameter(spelled, i, "name");
}

noreturn void fail_convention(const struct request *request, const sinpos_error *error)
{
    const sinpos_convention *convention = request_convention(request);
    const char *name = sinpos_convention_name(convention);
    const char *message = error->message, *near = NULL;
    const size_t n_name = strlen(name);
    char hint[300];
    if (strncmp(message, name, n_name) == 0 && message[n_name] == ' ')
        message += n_name + 1; /* it stands before the message anyway */
    if (error->status == SINPOS_E_NAME) {
        spelled = convention;
        near = nearest_name(error->name, parameter_name_at, sinpos_convention_parameters(convention));
    }
    if (near != NULL)
        snprintf(hint, sizeof hint, "did you mean %.60s? 'sinpos conventions %s' explains it", near, name);
    else
        snprintf(hint, sizeof hint, "'sinpos conventions %s' lists its parameters and limits", name);
    fail(EXIT_USAGE, error->hint[0] != '\0' ? error->hint : hint, name, "%s", message);
}

static bool make_once(struct encoding *encoding, const struct known *known, unsigned types, const char *output,
                      sinpos_error *error)
{
    sinpos_parameters *parameters;
    sinpos_error own = SINPOS_ERROR_INIT;
    const struct request *request = encoding->request;
    expect_ok(sinpos_parameters_create(&parameters));
    request_parameters(parameters, request, known, output);
    const sinpos_status status = sinpos_encoding_create(&encoding->named, request->convention, parameters, types, &own);
    sinpos_parameters_destroy(parameters);
    if (status == SINPOS_E_MEMORY)
        fail_memory();
    if (status != SINPOS_OK && error == NULL)
        fail_convention(request, &own);
    if (status != SINPOS_OK) {
        *error = own;
        return false;
    }
    encoding->info = *sinpos_encoding_info_get(encoding->named);
    check_output(encoding, output);
    return true;
}

/* Rows that the convention chose itself, of frequencies that change with the length of the sequence: how many; else 0. */
static size_t own_sequence(const struct encoding *encoding, const struct known *known)
{
    const struct request *request = encoding->request;
    const sinpos_encoding_info *info = &encoding->info;
    const bool is_stated =
        request->options->given[OPTION_LENGTH] != NULL || request->has_list || known->n_rows > 0 || known->sequence > 0;
    return is_stated || !has_sequence(info->convention) || info->output == SINPOS_OUTPUT_INV_FREQ ? 0
                                                                                                  : info->n_positions;
}

static bool make_named(struct encoding *encoding, const struct known *known, unsigned types, const char *output,
                       sinpos_error *error)
{
    struct known again = *known;
    bool is_made = make_once(encoding, known, types, output, error);
    again.sequence = is_made ? own_sequence(encoding, known) : 0;
    if (again.sequence > 0) {
        sinpos_encoding_destroy(encoding->named);
        is_made = make_once(encoding, &again, types, output, error);
    }
    encoding->plan = sinpos_encoding_plan(encoding->named);
    return is_made;
}

bool encoding_make(struct encoding *encoding, const struct request *request, const struct known *known, unsigned types,
                   const char *output, sinpos_error *error)
{
    *encoding = (struct encoding){.request = request, .spec = request->spec, .n_axes = request->positions.n_axes};
    encoding->spec.types = types;
    if (request->convention != NULL)
        return make_named(encoding, known, types, output, error);
    make_stated(encoding, known);
    return true;
}

/* ----------------------------------------------------------------------------------------------- sines and cosines */

/* Can the rows be had from the plan at the positions alone? */
static void check_sines(const struct options *options, const sinpos_encoding_info *info)
{
    if (info->is_replayed) {
        char hint[120];
        snprintf(hint, sizeof hint,
                 "'sinpos table', 'add', 'rotate' and 'audit' replay roundings; 'sinpos %s' leaves them out",
                 options->command->name);
        fail_option(options, OPTION_ARITHMETIC, hint, "is for rounded elements; this command uses exact ones");
    }
    const char *why = info->n_zero_rows > 0     ? "has rows that are zero by definition"
                      : info->n_raw_columns > 0 ? "has columns that are coordinates"
                                                : NULL;
    if (why != NULL) {
        fail(EXIT_USAGE, "'sinpos table' makes it; give --positions without those rows, or state the sines alone",
             sinpos_convention_name(info->convention), "%s; 'sinpos %s' takes sines and cosines only", why,
             options->command->name);
    }
}

static void take_positions(struct encoding *encoding)
{
    sinpos_rows rows = SINPOS_ROWS_INIT;
    expect_ok(sinpos_encoding_positions(encoding->named, 0, encoding->info.n_positions, &rows));
    positions_take(&encoding->positions, &rows, encoding->n_axes);
}

void encoding_make_sines(struct encoding *encoding, const struct request *request, const struct known *known,
                         unsigned types)
{
    encoding_make(encoding, request, known, types, "table", NULL);
    if (encoding->named == NULL)
        return;
    encoding->dim = sinpos_plan_dim(encoding->plan);
    encoding->n_axes = sinpos_plan_axes(encoding->plan);
    check_sines(request->options, &encoding->info);
    if (known->dim > 0 && known->dim != encoding->dim) {
        fail(EXIT_USAGE, "--dim and --set say how wide it is", encoding_name(encoding),
             "makes %zu columns, where %zu are needed", encoding->dim, known->dim);
    }
    take_positions(encoding);
    if (!plain_plan(encoding->plan, types, &encoding->own_plan))
        fail_memory();
    encoding->plan = encoding->own_plan != NULL ? encoding->own_plan : encoding->plan;
    if (!spec_of_plan(encoding->plan, &encoding->spec, &encoding->own_theta, &encoding->is_exact))
        fail_memory();
}

void encoding_make_alone(struct encoding *encoding, const struct request *request, unsigned types, size_t sequence)
{
    const struct known known = {.n_default = 1, .sequence = sequence};
    encoding_make_sines(encoding, request, &known, types);
    encoding_one_axis(encoding);
}

void encoding_one_axis(const struct encoding *encoding)
{
    if (encoding->named != NULL && encoding->n_axes != 1) {
        fail(EXIT_USAGE, "'sinpos table' makes it, 'sinpos plot heatmap' draws it", encoding_name(encoding),
             "has %zu coordinates, and 'sinpos %s' is about one", encoding->n_axes,
             encoding->request->options->command->name);
    }
}

/* Is what the user would call the position of the first and the last row that of the plan? */
static bool are_coordinates(const sinpos_encoding *named, const struct positions *positions)
{
    const int64_t first = positions_first(positions);
    double ends[2];
    return positions->n > 0 && sinpos_encoding_coordinates(named, 0, 1, &ends[0]) == SINPOS_OK &&
           sinpos_encoding_coordinates(named, positions->n - 1, 1, &ends[1]) == SINPOS_OK && ends[0] == (double)first &&
           ends[1] == (double)first + (double)(positions->n - 1);
}

void encoding_range(const struct encoding *encoding)
{
    const struct positions *positions = &encoding->positions;
    encoding_one_axis(encoding);
    if (encoding->named != NULL && !(positions_are_range(positions) && are_coordinates(encoding->named, positions))) {
        fail(EXIT_USAGE, "'sinpos table' makes it; --start and --length may name consecutive positions",
             encoding_name(encoding),
             "has rows that are not consecutive whole positions, and 'sinpos %s' is about those",
             encoding->request->options->command->name);
    }
}

const char *encoding_name(const struct encoding *encoding)
{
    return encoding->named == NULL ? NULL : sinpos_convention_name(encoding->info.convention);
}

/* ----------------------------------------------------------------------------------------------------------- plan */

void encoding_plan(struct encoding *encoding)
{
    if (encoding->named != NULL)
        return;
    sinpos_status status = encoding->n_axes == 1 && encoding->columns == NULL
                               ? sinpos_plan_create(&encoding->own_plan, &encoding->spec)
                               : chosen_plan(encoding);
    encoding->plan = encoding->own_plan;
    if (status == SINPOS_OK && encoding->info.is_replayed) {
        status = sinpos_replay_create(&encoding->replay, encoding->plan,
                                      encoding->request->options->given[OPTION_ARITHMETIC]);
    }
    expect_ok(status);
}

/* ----------------------------------------------------------------------------------------------------------- rows */

void encoding_negate(struct encoding *encoding)
{
    const struct options *options = encoding->request->options;
    const sinpos_encoding_info *info = &encoding->info;
    size_t n;
    if (options->given[OPTION_NEGATE] == NULL)
        return;
    if (info->is_channel_first) {
        fail_option(options, OPTION_NEGATE, "leave it out: what has rows of columns can be negated",
                    "flips columns of rows, and %s has its columns first", encoding_name(encoding));
    }
    ptrdiff_t *list = index_list_make(&n, options, OPTION_NEGATE, info->n_columns, false, &encoding->request->negated);
    encoding->is_negated = memory_take(info->n_columns, sizeof *encoding->is_negated);
    for (size_t i = 0; i < n; i++)
        encoding->is_negated[list[i]] = true;
    free(list);
}

/* Flips the signs of n rows, which are the last bit of little-endian elements. */
static void negate_rows(const struct encoding *encoding, size_t n, sinpos_type type, void *rows)
{
    const size_t dim = encoding->info.n_columns, size = sinpos_type_bytes(type);
    unsigned char *row = rows;
    for (; n > 0; n--, row += dim * size)
        for (size_t j = 0; j < dim; j++)
            if (encoding->is_negated[j])
                row[j * size + size - 1] ^= 0x80;
}

void encoding_prepare(struct encoding *encoding, size_t n)
{
    if (encoding->named == NULL)
        positions_prepare(&encoding->positions, n);
}

static sinpos_status run_rows(struct encoding *encoding, sinpos_operation operation, size_t row, size_t n,
                              sinpos_type type, void *out, size_t n_threads)
{
    const size_t dim = encoding->info.n_columns;
    if (encoding->named != NULL) {
        return operation == SINPOS_FILL ? sinpos_encoding_fill(encoding->named, row, n, type, out, dim, n_threads)
                                        : sinpos_encoding_add(encoding->named, row, n, type, out, dim, n_threads);
    }
    const sinpos_rows rows = positions_rows(&encoding->positions, row, n);
    return encoding->replay != NULL ? sinpos_replay_run(encoding->replay, operation, &rows, type, out, dim, n_threads)
                                    : sinpos_run(encoding->plan, operation, &rows, type, out, dim, n_threads);
}

sinpos_status encoding_run(struct encoding *encoding, sinpos_operation operation, size_t row, size_t n,
                           sinpos_type type, void *out, size_t n_threads)
{
    const sinpos_status status = run_rows(encoding, operation, row, n, type, out, n_threads);
    if (status == SINPOS_OK && encoding->is_negated != NULL)
        negate_rows(encoding, n, type, out);
    return status;
}

sinpos_status encoding_rotate(struct encoding *encoding, size_t row, size_t n, sinpos_direction direction,
                              size_t n_heads, sinpos_type type, void *data, size_t ld_row, size_t ld_head,
                              size_t n_threads)
{
    if (encoding->named != NULL) {
        return sinpos_encoding_rotate(encoding->named, row, n, direction, n_heads, type, data, ld_row, ld_head,
                                      n_threads);
    }
    const sinpos_rows rows = positions_rows(&encoding->positions, row, n);
    return encoding->replay != NULL
               ? sinpos_replay_rotate(encoding->replay, &rows, direction, n_heads, type, data, ld_row, ld_head,
                                      n_threads)
               : sinpos_rotate(encoding->plan, &rows, direction, n_heads, type, data, ld_row, ld_head, n_threads);
}

/* ---------------------------------------------------------------------------------------------------------- texts */

const char *encoding_shape_text(const struct encoding *encoding, char text[ENCODING_SHAPE_BYTES])
{
    const sinpos_encoding_info *info = &encoding->info;
    size_t used = 0;
    text[0] = '\0';
    for (size_t k = 0; k < info->n_dims && used < ENCODING_SHAPE_BYTES - 24; k++) {
        used +=
            (size_t)snprintf(text + used, ENCODING_SHAPE_BYTES - used, "%s%zu", k == 0 ? "" : " x ", info->shape[k]);
    }
    return text;
}

bool encoding_position_text(const struct encoding *encoding, size_t row, char text[POSITION_TEXT_BYTES])
{
    const sinpos_encoding_info *info = &encoding->info;
    double at[SINPOS_MAX_AXES];
    size_t used = 0;
    if (encoding->named == NULL) {
        positions_text(&encoding->positions, row, text);
        return true;
    }
    const bool are_positions = !info->is_channel_first && info->n_zero_rows == 0 && info->n_positions > 0 &&
                               info->output != SINPOS_OUTPUT_INV_FREQ && info->n_axes <= SINPOS_MAX_AXES;
    if (!are_positions || sinpos_encoding_coordinates(encoding->named, row % info->n_positions, 1, at) != SINPOS_OK)
        return false;
    text[0] = '\0';
    for (size_t a = 0; a < info->n_axes && used < POSITION_TEXT_BYTES - 30; a++) {
        used += (size_t)snprintf(text + used, POSITION_TEXT_BYTES - used, "%s%.9g",
                                 a > 0              ? ", "
                                 : info->n_axes > 1 ? "("
                                                    : "",
                                 at[a]);
    }
    if (info->n_axes > 1)
        snprintf(text + used, POSITION_TEXT_BYTES - used, ")");
    return true;
}

void encoding_free(struct encoding *encoding)
{
    sinpos_plan_destroy(encoding->own_plan);
    sinpos_replay_destroy(encoding->replay);
    sinpos_encoding_destroy(encoding->named);
    positions_free(&encoding->positions);
    free(encoding->own_theta);
    free(encoding->columns);
    free(encoding->is_negated);
    memset(encoding, 0, sizeof *encoding);
}
