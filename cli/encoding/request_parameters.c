#include "request_parameters.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "from_config.h"
#include "no_memory.h"

/* As far as every whole number is a double. */
#define MOST_WHOLE ((int64_t)1 << 53)

/* The parameter of a role; NULL if there is none. k counts those of the same role. */
static const char *name_of_role(const sinpos_convention *convention, const char *role, size_t k)
{
    return sinpos_convention_parameter(convention, parameter_with(convention, "role", role, k), "name");
}

static size_t parameter_of(const sinpos_convention *convention, const char *name)
{
    return parameter_with(convention, "name", name, 0);
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
            if (parameter_of(convention, name) != SINPOS_NONE)
                used += (size_t)snprintf(text + used, room - used, "%s--set %s=...", used == 0 ? "" : " or ", name);
        }
    }
}

static noreturn void fail_no_such(const struct request *request, enum option_id id)
{
    const sinpos_convention *convention = request_convention(request);
    const char *own = sinpos_convention_name(convention);
    char hint[500], other[300];
    name_meant(convention, id, other, sizeof other);
    if (other[0] != '\0')
        snprintf(hint, sizeof hint, "say %s; 'sinpos conventions %s' explains it", other, own);
    else
        snprintf(hint, sizeof hint,
                 "'sinpos conventions %s' lists what --set takes; without --convention all can be stated", own);
    fail_option(request->options, id, hint,
                other[0] != '\0' ? "%s has a parameter of its own for it" : "%s leaves no such choice", own);
}

static void set_number(sinpos_parameters *parameters, const struct request *request, enum option_id id,
                       const char *role, double value)
{
    const char *name = name_of_role(request_convention(request), role, 0);
    if (name == NULL && strcmp(role, "dim") != 0 && strcmp(role, "base") != 0)
        name = role;
    if (name == NULL)
        fail_no_such(request, id);
    expect_ok(sinpos_parameters_set_number(parameters, name, value));
}

/* Is every position exactly a double? */
static void check_whole(const sinpos_rows *rows, size_t n)
{
    for (size_t i = 0; i < n && rows->reals == NULL; i++) {
        const int64_t whole = rows->integers != NULL ? rows->integers[i] : rows->first + (int64_t)i;
        if (whole > MOST_WHOLE || whole < -MOST_WHOLE) {
            fail(EXIT_USAGE, "leave the convention out and state the encoding by the general options", "positions",
                 "%lld is beyond 2^53, as far as conventions take positions", (long long)whole);
        }
    }
}

/* The first n positions of the request as doubles, (n, axes), which the caller frees. */
static double *list_positions(const struct request *request, size_t n)
{
    const size_t n_axes = request->positions.n_axes;
    RELEASED_BY(positions_free) struct positions positions = {0};
    positions_copy(&positions, &request->positions);
    positions_set_length(&positions, request->options, n);
    positions_prepare(&positions, n);
    const sinpos_rows rows = positions_rows(&positions, 0, n);
    double *values = memory_take(n, n_axes * sizeof *values);
    check_whole(&rows, n * n_axes);
    for (size_t i = 0; i < n * n_axes; i++)
        values[i] = rows_number(&rows, i);
    return values;
}

static void set_positions(sinpos_parameters *parameters, const struct request *request, size_t n)
{
    const char *own = name_of_role(request_convention(request), "positions", 0);
    const size_t n_axes = request->positions.n_axes;
    OWNED double *values = list_positions(request, n);
    expect_ok(sinpos_parameters_set_list(parameters, own == NULL ? "positions" : own, values, n_axes > 1 ? 2 : 1,
                                         (const size_t[]){n, n_axes}));
}

/* How many rows, where they begin, how far apart they are. */
static void set_range(sinpos_parameters *parameters, const struct request *request, const struct known *known)
{
    const struct options *options = request->options;
    const sinpos_rows_kind kind = sinpos_convention_rows(request_convention(request));
    const bool has_length = options->given[OPTION_LENGTH] != NULL;
    size_t n = has_length ? options->length : known->n_rows;
    if (n == 0 && (kind == SINPOS_ROWS_GIVEN || kind == SINPOS_ROWS_LIST))
        n = known->n_default;
    if (kind == SINPOS_ROWS_LIST) {
        if (n > 0)
            set_positions(parameters, request, n);
        return;
    }
    if (n > 0 && (kind != SINPOS_ROWS_OWN || has_length || known->forces_rows))
        set_number(parameters, request, OPTION_LENGTH, "length", (double)n);
    if (options->given[OPTION_START] != NULL)
        set_number(parameters, request, OPTION_START, "start", options->start.real);
    if (options->given[OPTION_STEP] != NULL)
        set_number(parameters, request, OPTION_STEP, "step", options->step.real);
}

/* One more than the highest of the positions that --positions lists. */
static double list_end(const struct request *request)
{
    const size_t n = request->positions.n;
    OWNED double *values = list_positions(request, n);
    double end = 0;
    for (size_t i = 0; i < n * request->positions.n_axes; i++)
        end = fmax(end, values[i] + 1);
    return end;
}

bool has_sequence(const sinpos_convention *convention)
{
    const char *role = sinpos_convention_parameter(convention, parameter_of(convention, "seq_len"), "role");
    return role != NULL && role[0] == '\0';
}

/* Frequencies that change with the length of the sequence: it ends behind the last position. */
static void set_sequence(sinpos_parameters *parameters, const struct request *request, const struct known *known)
{
    const struct options *options = request->options;
    const bool has_length = options->given[OPTION_LENGTH] != NULL;
    const size_t n = has_length ? options->length : known->n_rows;
    double end = 0;
    if (!has_sequence(request_convention(request)))
        return;
    if (request->has_list)
        end = list_end(request);
    else if (!has_length && known->sequence > 0)
        end = (double)known->sequence;
    else if (n > 0)
        end = fmax(options->start.real, options->start.real + options->step.real * ((double)n - 1)) + 1;
    if (end > 0)
        expect_ok(sinpos_parameters_set_number(parameters, "seq_len", end));
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
static void set_mask(sinpos_parameters *parameters, const char *mask, const double *sizes)
{
    const size_t shape[2] = {(size_t)sizes[0], (size_t)sizes[1]}, n = shape[0] * shape[1];
    const double counts = strtod(mask + 2, NULL);
    OWNED double *cells = memory_take(sizes[0] * sizes[1] < 0x1p40 ? n : SIZE_MAX, sizeof *cells);
    for (size_t i = 0; i < n; i++)
        cells[i] = counts;
    expect_ok(sinpos_parameters_set_list(parameters, "mask", cells, 2, shape));
}

static void set_sizes(sinpos_parameters *parameters, const struct request *request, const double *sizes, size_t n)
{
    const sinpos_convention *convention = request_convention(request);
    const char *first = name_of_role(convention, "grid", 0);
    const char *mask = mask_of(convention);
    if (mask != NULL && n == 2) {
        set_mask(parameters, mask, sizes);
        return;
    }
    if (first == NULL)
        fail_no_such(request, OPTION_GRID);
    if (name_of_role(convention, "grid", 1) == NULL) {
        expect_ok(sinpos_parameters_set_list(parameters, first, sizes, 1, &n));
        return;
    }
    for (size_t k = 0; k < n; k++) {
        const char *own = grid_parameter(convention, k);
        own = own != NULL ? own : name_of_role(convention, "grid", k);
        if (own == NULL)
            fail_no_such(request, OPTION_GRID);
        expect_ok(sinpos_parameters_set_number(parameters, own, sizes[k]));
    }
}

size_t request_grid_axes(const struct request *request)
{
    const sinpos_convention *convention = request_convention(request);
    const char *list = name_of_role(convention, "grid", 0);
    size_t n = 0;
    if (request->has_grid || request->has_list)
        return 0;
    if (mask_of(convention) != NULL)
        return 2;
    if (list == NULL)
        return 0;
    while (name_of_role(convention, "grid", n) != NULL)
        n++;
    if (n > 1)
        return n <= 3 ? n : 0;
    const char *fallback = sinpos_convention_parameter(convention, parameter_of(convention, list), "default");
    const bool is_flat = fallback != NULL && fallback[0] == '[' && fallback[1] != '[';
    for (const char *at = fallback; is_flat && *at != '\0'; at++)
        n += *at == ',';
    return is_flat && n > 1 && n <= 3 ? n : 0;
}

/* sizes: the last of them last; 0: there are fewer. */
static void set_grid(sinpos_parameters *parameters, const struct request *request, const size_t sizes[3])
{
    double reals[3];
    size_t n = 0;
    for (; n < 3 && sizes[n] > 0; n++)
        reals[n] = (double)sizes[n];
    if (n > 0)
        set_sizes(parameters, request, reals, n);
}

/* ---------------------------------------------------------------------------------------------- what is overridden */

static void override_number(sinpos_parameters *parameters, const struct options *options, enum option_id id,
                            const char *reserved, double value)
{
    if (options->given[id] != NULL)
        expect_ok(sinpos_parameters_set_number(parameters, reserved, value));
}

static void override_text(sinpos_parameters *parameters, const struct options *options, enum option_id id,
                          const char *reserved)
{
    if (options->given[id] != NULL)
        expect_ok(sinpos_parameters_set_text(parameters, reserved, options->given[id]));
}

static void set_overrides(sinpos_parameters *parameters, const struct options *options)
{
    override_number(parameters, options, OPTION_AMPLITUDE, "override.amplitude", options->spec.amplitude);
    override_number(parameters, options, OPTION_SCALE, "override.scale", options->spec.scale);
    override_text(parameters, options, OPTION_LAYOUT, "override.layout");
    override_text(parameters, options, OPTION_ORDER, "override.order");
}

/* What only a definition of one's own can have. */
static void refuse_others(const struct request *request)
{
    static const enum option_id others[] = {OPTION_SCHEDULE,    OPTION_EXPONENT,     OPTION_SHIFT,  OPTION_DIVISOR,
                                            OPTION_THETA,       OPTION_FACTOR,       OPTION_ODD,    OPTION_PHASE,
                                            OPTION_PHASE_TURNS, OPTION_BASE_DIVISOR, OPTION_COLUMNS};
    for (size_t k = 0; k < sizeof others / sizeof others[0]; k++)
        if (request->options->given[others[k]] != NULL)
            fail_no_such(request, others[k]);
}

static void set_rows(sinpos_parameters *parameters, const struct request *request, const struct known *known)
{
    if (request->has_grid) {
        set_grid(parameters, request, request->positions.grid);
    } else if (request->has_list) {
        set_positions(parameters, request, request->positions.n);
    } else {
        set_grid(parameters, request, known->sizes);
        set_range(parameters, request, known);
    }
}

static void set_general(sinpos_parameters *parameters, const struct request *request, const struct known *known)
{
    const struct options *options = request->options;
    refuse_others(request);
    if (known->dim > 0 && name_of_role(request_convention(request), "dim", 0) != NULL)
        set_number(parameters, request, OPTION_DIM, "dim", (double)known->dim);
    if (options->given[OPTION_DIM] != NULL)
        set_number(parameters, request, OPTION_DIM, "dim", (double)options->spec.dim);
    if (options->given[OPTION_BASE] != NULL)
        set_number(parameters, request, OPTION_BASE, "base", options->spec.base);
    set_rows(parameters, request, known);
    set_sequence(parameters, request, known);
    set_overrides(parameters, options);
}

/* What a configuration does not state: no width and no grid of the array. */
static struct known beside_config(const struct known *known)
{
    return (struct known){.n_rows = known->n_rows,
                          .forces_rows = known->forces_rows,
                          .n_default = known->n_default,
                          .sequence = known->sequence};
}

void request_parameters(sinpos_parameters *parameters, const struct request *request, const struct known *known,
                        const char *output)
{
    const char *arithmetic = request->options->given[OPTION_ARITHMETIC];
    const struct known other = request->config != NULL ? beside_config(known) : *known;
    if (output != NULL)
        expect_ok(sinpos_parameters_set_text(parameters, "output", output));
    if (request->config != NULL)
        from_config_parameters(parameters, request->config, request->options, request_convention(request));
    set_general(parameters, request, &other);
    parameters_set_object(parameters, &request->parameters);
    if (arithmetic != NULL)
        expect_ok(sinpos_parameters_set_text(parameters, "arithmetic", arithmetic));
    parameters_set_settings(parameters, &request->parameters);
    parameters_set_settings(parameters, &request->more);
}
