#include "request_parameters.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "encoding.h"
#include "from_config.h"
#include "no_memory.h"
#include "parameters_json.h"

/* As far as every whole number is a double. */
#define MOST_WHOLE ((int64_t)1 << 53)

/* What stands where no name was given. */
static const char *usual_name(const struct options *options)
{
    return options->command->bit == COMMAND_ROTATE ? "hf_rope" : "vaswani";
}

static const char *name_of(const struct options *options)
{
    const char *name = options->given[OPTION_CONVENTION];
    return name == NULL ? usual_name(options) : name;
}

static const sinpos_convention *convention_of(const struct options *options)
{
    return sinpos_convention_find(name_of(options));
}

bool named_is_asked(const struct options *options)
{
    const bool is_named = options->given[OPTION_CONVENTION] != NULL;
    return options->n_sets > 0 || options->given[OPTION_PARAMETERS] != NULL ||
           (is_named && options->command->bit == COMMAND_ROTATE) ||
           (is_named && strcmp(sinpos_convention_name(convention_of(options)), "vaswani") != 0);
}

/* The parameter of a role; NULL if there is none. k counts those of the same role. */
static const char *name_of_role(const sinpos_convention *convention, const char *role, size_t k)
{
    for (size_t i = 0; i < sinpos_convention_parameters(convention); i++) {
        if (strcmp(sinpos_convention_parameter(convention, i, "role"), role) == 0 && k-- == 0) {
            return sinpos_convention_parameter(convention, i, "name");
        }
    }
    return NULL;
}

static int check(sinpos_status status)
{
    return status == SINPOS_OK ? EXIT_DONE : complain_status(status);
}

/* ------------------------------------------------------------------------------------ general options as parameters */

/* Parameters of conventions that say what a general option says, in their own way. */
static const struct meant {
    enum option_id id;
    const char *parameters; /* with blanks between */
} meant[] = {
    {OPTION_SHIFT, "downscale_freq_shift correction endpoint"},
    {OPTION_DIVISOR, "downscale_freq_shift correction"},
    {OPTION_SCHEDULE, "rope_type scaling freqs_for log_sampling linear_bands"},
    {OPTION_THETA, "custom_freqs bands freqs weight w positional_encoding_gaussian_matrix"},
    {OPTION_FACTOR, "freq_factors ff short_factor long_factor linear_factor scaling_factors"},
    {OPTION_PHASE, "b"},
    {OPTION_PHASE_TURNS, "b"},
    {OPTION_ODD, "pad"},
    {OPTION_BASE, "min_period max_period min_freq max_freq max_freq_log2 min_deg max_deg max_res"},
};

/* Its number, SINPOS_NONE where there is none. */
static size_t parameter_of(const sinpos_convention *convention, const char *name)
{
    const size_t n = sinpos_convention_parameters(convention);
    for (size_t i = 0; i < n; i++) {
        if (strcmp(sinpos_convention_parameter(convention, i, "name"), name) == 0) {
            return i;
        }
    }
    return SINPOS_NONE;
}

/* "--set a=... or --set b=...": the parameters that are meant; empty where there is none. */
static void name_meant(const sinpos_convention *convention, enum option_id id, char *text, size_t room)
{
    size_t used = 0;
    text[0] = '\0';
    for (size_t k = 0; k < sizeof meant / sizeof meant[0]; k++) {
        const char *at = meant[k].id == id ? meant[k].parameters : "";
        for (; *at != '\0' && used < room; at += strcspn(at, " "), at += *at == ' ') {
            char name[64];
            snprintf(name, sizeof name, "%.*s", (int)strcspn(at, " "), at);
            if (parameter_of(convention, name) != SINPOS_NONE) {
                used += (size_t)snprintf(text + used, room - used, "%s--set %s=...", used == 0 ? "" : " or ", name);
            }
        }
    }
}

static int no_such(const struct options *options, enum option_id id, const sinpos_convention *convention)
{
    const char *own = sinpos_convention_name(convention);
    char why[160], hint[500], other[300];
    name_meant(convention, id, other, sizeof other);
    if (other[0] != '\0') {
        snprintf(why, sizeof why, "%s has a parameter of its own for it", own);
        snprintf(hint, sizeof hint, "say %s; 'sinpos conventions %s' tells what it is", other, own);
    } else {
        snprintf(why, sizeof why, "%s leaves no such choice", own);
        snprintf(hint, sizeof hint,
                 "'sinpos conventions %s' lists what --set takes; without --convention all can be stated", own);
    }
    return complain_option(options, id, hint, why);
}

static int set_number(sinpos_parameters *parameters, const struct options *options, enum option_id id, const char *role,
                      double value)
{
    const sinpos_convention *convention = convention_of(options);
    const char *name = name_of_role(convention, role, 0);
    if (name == NULL && strcmp(role, "dim") != 0 && strcmp(role, "base") != 0) {
        name = role;
    }
    return name == NULL ? no_such(options, id, convention)
                        : check(sinpos_parameters_set_number(parameters, name, value));
}

static int set_list(sinpos_parameters *parameters, const char *name, struct positions *positions)
{
    int code = positions_prepare(positions, positions->n);
    if (code != EXIT_DONE) {
        return code;
    }
    const size_t shape[2] = {positions->n, positions->n_axes}, n = positions->n * positions->n_axes;
    const sinpos_rows rows = positions_rows(positions, 0, positions->n);
    double *values = n > SIZE_MAX / 16 ? NULL : malloc((n + 1) * sizeof *values);
    if (values == NULL) {
        return complain_memory();
    }
    for (size_t i = 0; i < n && code == EXIT_DONE; i++) {
        const int64_t whole = rows.reals != NULL      ? 0
                              : rows.integers != NULL ? rows.integers[i]
                                                      : rows.first + (int64_t)i;
        values[i] = rows.reals != NULL ? rows.reals[i] : (double)whole;
        if (rows.reals == NULL && (whole > MOST_WHOLE || whole < -MOST_WHOLE)) {
            code = complain(EXIT_USAGE, "leave the convention out and state the encoding by the general options",
                            "positions", "%lld is beyond 2^53, as far as conventions take positions", (long long)whole);
        }
    }
    code = code != EXIT_DONE
               ? code
               : check(sinpos_parameters_set_list(parameters, name, values, positions->n_axes > 1 ? 2 : 1, shape));
    free(values);
    return code;
}

static const char *list_name(const struct options *options)
{
    const char *own = name_of_role(convention_of(options), "positions", 0);
    return own == NULL ? "positions" : own;
}

static int set_positions(sinpos_parameters *parameters, const struct options *options)
{
    struct positions positions = {0};
    int code = positions_make(&positions, options);
    code = code != EXIT_DONE ? code : positions_set_length(&positions, options, positions.n);
    code = code != EXIT_DONE ? code : set_list(parameters, list_name(options), &positions);
    positions_free(&positions);
    return code;
}

/* --start, --length and --step as a list, for a convention that takes its rows as one. */
static int set_steps(sinpos_parameters *parameters, const struct options *options, size_t n)
{
    struct positions positions = {0};
    int code = positions_make(&positions, options);
    code = code != EXIT_DONE ? code : positions_set_length(&positions, options, n);
    code = code != EXIT_DONE ? code : set_list(parameters, list_name(options), &positions);
    positions_free(&positions);
    return code;
}

/* How many rows, where they begin, how far apart they are. */
static int set_range(sinpos_parameters *parameters, const struct options *options, const struct named_array *array)
{
    const sinpos_rows_kind kind = sinpos_convention_rows(convention_of(options));
    const bool has_length = options->given[OPTION_LENGTH] != NULL;
    const bool has_steps = options->given[OPTION_START] != NULL || options->given[OPTION_STEP] != NULL;
    size_t n = has_length ? options->length : array->n_rows;
    int code = EXIT_DONE;
    if (n == 0 && (kind == SINPOS_ROWS_GIVEN || kind == SINPOS_ROWS_LIST)) {
        n = array->n_default;
    }
    if (kind == SINPOS_ROWS_LIST) {
        return n > 0 ? set_steps(parameters, options, n) : EXIT_DONE;
    }
    if (n > 0 && (kind != SINPOS_ROWS_OWN || has_length || array->forces_rows)) {
        code = set_number(parameters, options, OPTION_LENGTH, "length", (double)n);
    }
    if (code == EXIT_DONE && has_steps && options->given[OPTION_START] != NULL) {
        code = set_number(parameters, options, OPTION_START, "start", options->start.real);
    }
    if (code == EXIT_DONE && has_steps && options->given[OPTION_STEP] != NULL) {
        code = set_number(parameters, options, OPTION_STEP, "step", options->step.real);
    }
    return code;
}

/* One more than the highest of the positions that --positions lists. */
static int list_end(const struct options *options, double *end)
{
    struct positions positions = {0};
    int code = positions_make(&positions, options);
    code = code != EXIT_DONE ? code : positions_set_length(&positions, options, positions.n);
    code = code != EXIT_DONE ? code : positions_prepare(&positions, positions.n);
    if (code == EXIT_DONE) {
        const sinpos_rows rows = positions_rows(&positions, 0, positions.n);
        for (size_t i = 0; i < positions.n * positions.n_axes; i++) {
            *end = fmax(*end, (rows.reals != NULL ? rows.reals[i] : (double)rows.integers[i]) + 1);
        }
    }
    positions_free(&positions);
    return code;
}

/* Has it a parameter for the length of the sequence that is not its number of rows? */
static bool has_sequence(const sinpos_convention *convention)
{
    const char *role = sinpos_convention_parameter(convention, parameter_of(convention, "seq_len"), "role");
    return role != NULL && role[0] == '\0';
}

/* Frequencies that change with the length of the sequence: it ends behind the last position. */
static int set_sequence(sinpos_parameters *parameters, const struct options *options, const struct named_array *array)
{
    const bool has_length = options->given[OPTION_LENGTH] != NULL;
    const size_t n = has_length ? options->length : array->n_rows;
    double end = 0;
    int code = EXIT_DONE;
    if (!has_sequence(convention_of(options))) {
        return EXIT_DONE;
    }
    if (options->given[OPTION_POSITIONS] != NULL) {
        code = list_end(options, &end);
    } else if (!has_length && array->sequence > 0) {
        end = (double)array->sequence;
    } else if (n > 0) {
        end = fmax(options->start.real, options->start.real + options->step.real * ((double)n - 1)) + 1;
    }
    return code == EXIT_DONE && end > 0 ? check(sinpos_parameters_set_number(parameters, "seq_len", end)) : code;
}

/* The parameter that is size k of the grid, the slowest first; NULL where no parameter alone is. */
static const char *grid_parameter(const sinpos_convention *convention, size_t k)
{
    const char *grid = sinpos_convention_text(convention, "grid"), *part = grid == NULL ? "" : grid;
    char name[64];
    for (; k > 0; k--) {
        part += strcspn(part, ",");
        part += *part == ',';
    }
    part += strspn(part, " ");
    snprintf(name, sizeof name, "%.*s", (int)strcspn(part, ", "), part);
    const size_t i = parameter_of(convention, name);
    const char *role = sinpos_convention_parameter(convention, i, "role");
    return role != NULL && strcmp(role, "grid") == 0 ? sinpos_convention_parameter(convention, i, "name") : NULL;
}

/* The mask's default, of which every item says what a cell is that counts; NULL for no mask. */
static const char *mask_of(const sinpos_convention *convention)
{
    const char *fallback = sinpos_convention_parameter(convention, parameter_of(convention, "mask"), "default");
    return fallback != NULL && strncmp(fallback, "[[", 2) == 0 ? fallback : NULL;
}

/* No cell is masked. */
static int set_mask(sinpos_parameters *parameters, const char *mask, const double *sizes)
{
    const size_t shape[2] = {(size_t)sizes[0], (size_t)sizes[1]}, n = shape[0] * shape[1];
    const double counts = strtod(mask + 2, NULL);
    double *cells = sizes[0] * sizes[1] < 0x1p40 ? malloc((n + 1) * sizeof *cells) : NULL;
    if (cells == NULL) {
        return complain_memory();
    }
    for (size_t i = 0; i < n; i++) {
        cells[i] = counts;
    }
    const int code = check(sinpos_parameters_set_list(parameters, "mask", cells, 2, shape));
    free(cells);
    return code;
}

static int set_sizes(sinpos_parameters *parameters, const struct options *options, const double *sizes, size_t n)
{
    const sinpos_convention *convention = convention_of(options);
    const char *first = name_of_role(convention, "grid", 0);
    const char *mask = mask_of(convention);
    if (mask != NULL && n == 2) {
        return set_mask(parameters, mask, sizes);
    }
    if (first == NULL) {
        return no_such(options, OPTION_GRID, convention);
    }
    if (name_of_role(convention, "grid", 1) == NULL) {
        return check(sinpos_parameters_set_list(parameters, first, sizes, 1, &n));
    }
    int code = EXIT_DONE;
    for (size_t k = 0; k < n && code == EXIT_DONE; k++) {
        const char *own = grid_parameter(convention, k);
        own = own != NULL ? own : name_of_role(convention, "grid", k);
        code = own == NULL ? no_such(options, OPTION_GRID, convention)
                           : check(sinpos_parameters_set_number(parameters, own, sizes[k]));
    }
    return code;
}

static int set_grid(sinpos_parameters *parameters, const struct options *options)
{
    const char *text = options->given[OPTION_GRID];
    double sizes[3];
    size_t n = 0;
    for (char *end = NULL; n < 3 && *text != '\0'; text = *end == 'x' ? end + 1 : end) {
        sizes[n++] = (double)strtoull(text, &end, 10);
    }
    return set_sizes(parameters, options, sizes, n);
}

size_t named_grid_axes(const struct options *options)
{
    const sinpos_convention *convention = convention_of(options);
    const char *list = name_of_role(convention, "grid", 0);
    size_t n = 0;
    if (options->given[OPTION_GRID] != NULL || options->given[OPTION_POSITIONS] != NULL) {
        return 0;
    }
    if (mask_of(convention) != NULL) {
        return 2;
    }
    if (list == NULL) {
        return 0;
    }
    while (name_of_role(convention, "grid", n) != NULL) {
        n++;
    }
    if (n > 1) {
        return n <= 3 ? n : 0;
    }
    const char *fallback = sinpos_convention_parameter(convention, parameter_of(convention, list), "default");
    const bool is_flat = fallback != NULL && fallback[0] == '[' && fallback[1] != '[';
    for (const char *at = fallback; is_flat && *at != '\0'; at++) {
        n += *at == ',';
    }
    return is_flat && n > 1 && n <= 3 ? n : 0;
}

static int set_array_grid(sinpos_parameters *parameters, const struct options *options, const struct named_array *array)
{
    double sizes[3];
    size_t n = 0;
    while (n < 3 && array->sizes[n] > 0) {
        sizes[n] = (double)array->sizes[n];
        n++;
    }
    return n == 0 ? EXIT_DONE : set_sizes(parameters, options, sizes, n);
}

/* ---------------------------------------------------------------------------------------------- what is overridden */

static int override_number(sinpos_parameters *parameters, const struct options *options, enum option_id id,
                           const char *reserved, double value)
{
    return options->given[id] == NULL ? EXIT_DONE : check(sinpos_parameters_set_number(parameters, reserved, value));
}

static int override_text(sinpos_parameters *parameters, const struct options *options, enum option_id id,
                         const char *reserved)
{
    return options->given[id] == NULL ? EXIT_DONE
                                      : check(sinpos_parameters_set_text(parameters, reserved, options->given[id]));
}

static int set_overrides(sinpos_parameters *parameters, const struct options *options)
{
    const sinpos_spec *spec = &options->spec;
    int code = override_number(parameters, options, OPTION_AMPLITUDE, "override.amplitude", spec->amplitude);
    code = code != EXIT_DONE ? code : override_number(parameters, options, OPTION_SCALE, "override.scale", spec->scale);
    code = code != EXIT_DONE ? code : override_text(parameters, options, OPTION_LAYOUT, "override.layout");
    return code != EXIT_DONE ? code : override_text(parameters, options, OPTION_ORDER, "override.order");
}

/* What only a definition of one's own can have. */
static int refuse_others(const struct options *options)
{
    static const enum option_id others[] = {OPTION_SCHEDULE,    OPTION_EXPONENT,     OPTION_SHIFT,  OPTION_DIVISOR,
                                            OPTION_THETA,       OPTION_FACTOR,       OPTION_ODD,    OPTION_PHASE,
                                            OPTION_PHASE_TURNS, OPTION_BASE_DIVISOR, OPTION_COLUMNS};
    for (size_t k = 0; k < sizeof others / sizeof others[0]; k++) {
        if (options->given[others[k]] != NULL) {
            return no_such(options, others[k], convention_of(options));
        }
    }
    return EXIT_DONE;
}

static int set_general(sinpos_parameters *parameters, const struct options *options, const struct named_array *array)
{
    int code = refuse_others(options);
    if (code == EXIT_DONE && array->dim > 0 && name_of_role(convention_of(options), "dim", 0) != NULL) {
        code = set_number(parameters, options, OPTION_DIM, "dim", (double)array->dim);
    }
    if (code == EXIT_DONE && options->given[OPTION_DIM] != NULL) {
        code = set_number(parameters, options, OPTION_DIM, "dim", (double)options->spec.dim);
    }
    if (code == EXIT_DONE && options->given[OPTION_BASE] != NULL) {
        code = set_number(parameters, options, OPTION_BASE, "base", options->spec.base);
    }
    if (code == EXIT_DONE && options->given[OPTION_GRID] != NULL) {
        code = set_grid(parameters, options);
    } else if (code == EXIT_DONE && options->given[OPTION_POSITIONS] != NULL) {
        code = set_positions(parameters, options);
    } else if (code == EXIT_DONE) {
        code = set_array_grid(parameters, options, array);
        code = code != EXIT_DONE ? code : set_range(parameters, options, array);
    }
    code = code != EXIT_DONE ? code : set_sequence(parameters, options, array);
    return code != EXIT_DONE ? code : set_overrides(parameters, options);
}

/* --------------------------------------------------------------------------------------------------------- encodings */

static int fill_parameters(sinpos_parameters *parameters, const struct options *options,
                           const struct named_array *array, const char *output)
{
    const struct named_array no_array = {.n_rows = array->n_rows,
                                         .forces_rows = array->forces_rows,
                                         .n_default = array->n_default,
                                         .sequence = array->sequence};
    const bool has_config = options->given[OPTION_FROM_CONFIG] != NULL;
    int code = output == NULL ? EXIT_DONE : check(sinpos_parameters_set_text(parameters, "output", output));
    code = code == EXIT_DONE && has_config ? from_config_parameters(parameters, options) : code;
    if (code == EXIT_DONE) {
        code = set_general(parameters, options, has_config ? &no_array : array);
    }
    if (code == EXIT_DONE && options->given[OPTION_PARAMETERS] != NULL) {
        code = parameters_from_file(parameters, options->given[OPTION_PARAMETERS]);
    }
    if (code == EXIT_DONE && options->given[OPTION_ARITHMETIC] != NULL) {
        code = check(sinpos_parameters_set_text(parameters, "arithmetic", options->given[OPTION_ARITHMETIC]));
    }
    for (size_t k = 0; k < options->n_sets && code == EXIT_DONE; k++) {
        code = parameters_from_setting(parameters, options->sets[k]);
    }
    return code;
}

/* What --set and --parameters ask for, and the command does not make. */
static int check_made(const struct options *options, const sinpos_encoding_info *info, const char *output)
{
    if (output != NULL && strcmp(sinpos_output_name(info->output), output) != 0) {
        return complain(EXIT_USAGE, "'sinpos table' makes it", "output", "'sinpos %s' is about '%s' alone, not '%s'",
                        options->command->name, output, sinpos_output_name(info->output));
    }
    return EXIT_DONE;
}

/* Names of parameters, for nearest_name(). */
static const sinpos_convention *spelled;

static const char *parameter_name_at(size_t i)
{
    return sinpos_convention_parameter(spelled, i, "name");
}

int complain_named(const struct options *options, const sinpos_error *error)
{
    const sinpos_convention *convention = convention_of(options);
    const char *name = sinpos_convention_name(convention);
    const char *message = error->message, *near = NULL;
    const size_t n_name = strlen(name);
    char hint[300];
    if (strncmp(message, name, n_name) == 0 && message[n_name] == ' ') {
        message += n_name + 1; /* it stands before the message anyway */
    }
    if (error->status == SINPOS_E_NAME) {
        spelled = convention;
        near = nearest_name(error->name, parameter_name_at, sinpos_convention_parameters(convention));
    }
    if (near != NULL) {
        snprintf(hint, sizeof hint, "did you mean %.60s? 'sinpos conventions %s' tells what it is", near, name);
    } else {
        snprintf(hint, sizeof hint, "'sinpos conventions %s' tells its parameters and limits", name);
    }
    return complain(EXIT_USAGE, error->hint[0] != '\0' ? error->hint : hint, name, "%s", message);
}

static int make_once(sinpos_encoding **encoding, const struct options *options, const struct named_array *array,
                     unsigned types, const char *output, sinpos_error *error)
{
    sinpos_parameters *parameters;
    sinpos_error own = SINPOS_ERROR_INIT;
    *encoding = NULL;
    if (sinpos_parameters_create(&parameters) != SINPOS_OK) {
        return complain_memory();
    }
    int code = fill_parameters(parameters, options, array, output);
    if (code == EXIT_DONE) {
        const sinpos_status status = sinpos_encoding_create(encoding, name_of(options), parameters, types, &own);
        if (status == SINPOS_E_MEMORY) {
            memory_end(); /* others would try another shape */
        }
        if (status != SINPOS_OK) {
            code = error == NULL ? complain_named(options, &own) : EXIT_USAGE;
        } else {
            code = check_made(options, sinpos_encoding_info_get(*encoding), output);
        }
        if (error != NULL) {
            *error = own;
        }
    }
    sinpos_parameters_destroy(parameters);
    return code;
}

/* Rows that the convention chose itself, of frequencies that change with the length of the sequence: how many; else 0. */
static size_t own_sequence(const sinpos_encoding *encoding, const struct options *options,
                           const struct named_array *array)
{
    const sinpos_encoding_info *info = sinpos_encoding_info_get(encoding);
    const bool is_stated = options->given[OPTION_LENGTH] != NULL || options->given[OPTION_POSITIONS] != NULL ||
                           array->n_rows > 0 || array->sequence > 0;
    return is_stated || !has_sequence(convention_of(options)) || info->output == SINPOS_OUTPUT_INV_FREQ
               ? 0
               : info->n_positions;
}

int named_make(sinpos_encoding **encoding, const struct options *options, const struct named_array *array,
               unsigned types, const char *output, sinpos_error *error)
{
    struct named_array known = {0};
    if (array != NULL) {
        known = *array;
    }
    int code = make_once(encoding, options, &known, types, output, error);
    known.sequence = code == EXIT_DONE ? own_sequence(*encoding, options, &known) : 0;
    if (known.sequence > 0) {
        sinpos_encoding_destroy(*encoding);
        code = make_once(encoding, options, &known, types, output, error);
    }
    return code;
}

const char *named_shape_text(const sinpos_encoding_info *info, char text[NAMED_SHAPE_BYTES])
{
    size_t used = 0;
    text[0] = '\0';
    for (size_t k = 0; k < info->n_dims && used < NAMED_SHAPE_BYTES - 24; k++) {
        used += (size_t)snprintf(text + used, NAMED_SHAPE_BYTES - used, "%s%zu", k == 0 ? "" : " x ", info->shape[k]);
    }
    return text;
}

bool named_position_text(const sinpos_encoding *encoding, size_t row, char *text)
{
    const sinpos_encoding_info *info = sinpos_encoding_info_get(encoding);
    double at[SINPOS_MAX_AXES];
    size_t used = 0;
    const bool are_positions = !info->is_channel_first && info->n_zero_rows == 0 && info->n_positions > 0 &&
                               info->output != SINPOS_OUTPUT_INV_FREQ && info->n_axes <= SINPOS_MAX_AXES;
    if (!are_positions || sinpos_encoding_coordinates(encoding, row % info->n_positions, 1, at) != SINPOS_OK) {
        return false;
    }
    text[0] = '\0';
    for (size_t a = 0; a < info->n_axes && used < POSITION_TEXT_BYTES - 30; a++) {
        used += (size_t)snprintf(text + used, POSITION_TEXT_BYTES - used, "%s%.9g",
                                 a > 0              ? ", "
                                 : info->n_axes > 1 ? "("
                                                    : "",
                                 at[a]);
    }
    if (info->n_axes > 1) {
        snprintf(text + used, POSITION_TEXT_BYTES - used, ")");
    }
    return true;
}
