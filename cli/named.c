#include "named.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "encoding.h"
#include "from_config.h"
#include "parameters_json.h"

bool named_is_asked(const struct options *options)
{
    const char *name = options->given[OPTION_CONVENTION];
    return options->n_sets > 0 || options->given[OPTION_PARAMETERS] != NULL ||
           (name != NULL && strcmp(sinpos_convention_find(name)->name, "vaswani") != 0);
}

static const sinpos_convention *convention_of(const struct options *options)
{
    const char *name = options->given[OPTION_CONVENTION];
    return sinpos_convention_find(name == NULL ? "vaswani" : name);
}

/* The parameter of a role; NULL if there is none. k counts those of the same role. */
static const char *name_of_role(const sinpos_convention *convention, const char *role, size_t k)
{
    for (size_t i = 0; i < SINPOS_MAX_PARAMETERS && convention->parameters[i].name != NULL; i++) {
        if (strcmp(convention->parameters[i].role, role) == 0 && k-- == 0) {
            return convention->parameters[i].name;
        }
    }
    return NULL;
}

static int check(sinpos_status status)
{
    return status == SINPOS_OK ? EXIT_DONE : complain_status(status);
}

/* ------------------------------------------------------------------------------------ general options as parameters */

static int no_such(const struct options *options, enum option_id id, const sinpos_convention *convention)
{
    char why[200], hint[200];
    snprintf(why, sizeof why, "%s leaves no such choice", convention->name);
    snprintf(hint, sizeof hint, "'sinpos conventions %s' lists its parameters", convention->name);
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

static int set_positions(sinpos_parameters *parameters, const struct options *options)
{
    struct positions positions = {0};
    const char *own = name_of_role(convention_of(options), "positions", 0);
    int code = positions_make(&positions, options);
    code = code != EXIT_DONE ? code : positions_set_length(&positions, options, positions.n);
    code = code != EXIT_DONE ? code : positions_prepare(&positions, positions.n);
    if (code != EXIT_DONE) {
        positions_free(&positions);
        return code;
    }
    const size_t shape[2] = {positions.n, positions.n_axes}, n = positions.n * positions.n_axes;
    const sinpos_rows rows = positions_rows(&positions, 0, positions.n);
    double *values = malloc((n + 1) * sizeof *values);
    if (values == NULL) {
        positions_free(&positions);
        return complain_memory();
    }
    for (size_t i = 0; i < n; i++) {
        values[i] = rows.reals != NULL ? rows.reals[i] : (double)rows.integers[i];
    }
    code = check(sinpos_parameters_set_list(parameters, own == NULL ? "positions" : own, values,
                                            positions.n_axes > 1 ? 2 : 1, shape));
    free(values);
    positions_free(&positions);
    return code;
}

static int set_grid(sinpos_parameters *parameters, const struct options *options)
{
    const sinpos_convention *convention = convention_of(options);
    const char *text = options->given[OPTION_GRID];
    double sizes[3];
    size_t n = 0;
    for (char *end = NULL; n < 3 && *text != '\0'; text = *end == 'x' ? end + 1 : end) {
        sizes[n++] = (double)strtoull(text, &end, 10);
    }
    if (name_of_role(convention, "grid", 0) == NULL) {
        return no_such(options, OPTION_GRID, convention);
    }
    if (name_of_role(convention, "grid", 1) == NULL) {
        return check(sinpos_parameters_set_list(parameters, name_of_role(convention, "grid", 0), sizes, 1, &n));
    }
    int code = EXIT_DONE;
    for (size_t k = 0; k < n && code == EXIT_DONE; k++) {
        const char *name = name_of_role(convention, "grid", k);
        code = name == NULL ? no_such(options, OPTION_GRID, convention)
                            : check(sinpos_parameters_set_number(parameters, name, sizes[k]));
    }
    return code;
}

/* What only a definition of one's own can have. */
static int refuse_others(const struct options *options)
{
    static const enum option_id others[] = {OPTION_SCHEDULE,  OPTION_EXPONENT,    OPTION_SHIFT,  OPTION_DIVISOR,
                                            OPTION_SCALE,     OPTION_THETA,       OPTION_FACTOR, OPTION_LAYOUT,
                                            OPTION_ORDER,     OPTION_ODD,         OPTION_PHASE,  OPTION_PHASE_TURNS,
                                            OPTION_AMPLITUDE, OPTION_BASE_DIVISOR};
    for (size_t k = 0; k < sizeof others / sizeof others[0]; k++) {
        if (options->given[others[k]] != NULL) {
            char why[160];
            snprintf(why, sizeof why, "is part of what %s defines", convention_of(options)->name);
            return complain_option(options, others[k],
                                   "use --set for the convention's parameters, or leave --convention "
                                   "out and state all of it",
                                   why);
        }
    }
    return EXIT_DONE;
}

static int set_general(sinpos_parameters *parameters, const struct options *options, size_t array_dim, size_t n_rows)
{
    const sinpos_convention *convention = convention_of(options);
    int code = refuse_others(options);
    if (code == EXIT_DONE && array_dim > 0 && name_of_role(convention, "dim", 0) != NULL) {
        code = set_number(parameters, options, OPTION_DIM, "dim", (double)array_dim);
    }
    if (code == EXIT_DONE && n_rows > 0 && name_of_role(convention, "length", 0) != NULL) {
        code = set_number(parameters, options, OPTION_LENGTH, "length", (double)n_rows);
    }
    if (code == EXIT_DONE && options->given[OPTION_DIM] != NULL) {
        code = set_number(parameters, options, OPTION_DIM, "dim", (double)options->spec.dim);
    }
    if (code == EXIT_DONE && options->given[OPTION_BASE] != NULL) {
        code = set_number(parameters, options, OPTION_BASE, "base", options->spec.base);
    }
    if (code == EXIT_DONE && options->given[OPTION_LENGTH] != NULL) {
        code = set_number(parameters, options, OPTION_LENGTH, "length", (double)options->length);
    }
    if (code == EXIT_DONE && options->given[OPTION_START] != NULL) {
        code = set_number(parameters, options, OPTION_START, "start", options->start.real);
    }
    if (code == EXIT_DONE && options->given[OPTION_STEP] != NULL) {
        code = set_number(parameters, options, OPTION_STEP, "step", options->step.real);
    }
    if (code == EXIT_DONE && options->given[OPTION_GRID] != NULL) {
        code = set_grid(parameters, options);
    }
    if (code == EXIT_DONE && options->given[OPTION_POSITIONS] != NULL) {
        code = set_positions(parameters, options);
    }
    return code;
}

/* --------------------------------------------------------------------------------------------------------- encodings */

static int fill_parameters(sinpos_parameters *parameters, const struct options *options, size_t array_dim,
                           size_t n_rows, const char *output)
{
    const bool has_config = options->given[OPTION_FROM_CONFIG] != NULL;
    int code = has_config ? from_config_parameters(parameters, options) : EXIT_DONE;
    if (code == EXIT_DONE) {
        code = set_general(parameters, options, has_config ? 0 : array_dim, n_rows);
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
    if (code == EXIT_DONE && output != NULL) {
        code = check(sinpos_parameters_set_text(parameters, "output", output));
    }
    return code;
}

int named_make(sinpos_encoding **encoding, const struct options *options, size_t array_dim, size_t n_rows,
               unsigned types, const char *output)
{
    sinpos_parameters *parameters;
    sinpos_encoding_error error;
    *encoding = NULL;
    if (sinpos_parameters_create(&parameters) != SINPOS_OK) {
        return complain_memory();
    }
    int code = fill_parameters(parameters, options, array_dim, n_rows, output);
    if (code == EXIT_DONE) {
        const char *name = convention_of(options)->name;
        const sinpos_status status = sinpos_encoding_create(encoding, name, parameters, types, &error);
        if (status == SINPOS_E_MEMORY) {
            code = complain_memory();
        } else if (status != SINPOS_OK) {
            char hint[200];
            snprintf(hint, sizeof hint, "'sinpos conventions %s' tells its parameters and limits", name);
            code = complain(EXIT_USAGE, error.hint[0] != '\0' ? error.hint : hint, name, "%s", error.message);
        }
    }
    sinpos_parameters_destroy(parameters);
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
