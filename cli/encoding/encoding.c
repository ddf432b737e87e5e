#include "encoding.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array_file.h"
#include "commands.h"
#include "number_list.h"
#include "spec_of_plan.h"

int complain_status(sinpos_status status)
{
    switch (status) {
    case SINPOS_E_MEMORY: return complain_memory();
    case SINPOS_E_OVERFLOW:
        return complain(EXIT_USAGE, "choose a smaller --amplitude or another --type", "--amplitude", "%s",
                        sinpos_strerror(status));
    default:
        return complain(EXIT_USAGE, "check the numbers that state the encoding and the positions", "encoding", "%s",
                        sinpos_strerror(status));
    }
}

/* The library names a field, which is that of an option; its message begins with it. */
static int complain_spec(const struct options *options, const sinpos_error *error)
{
    char name[sizeof error->name];
    const size_t n = strlen(error->name);
    for (size_t i = 0; i <= n; i++) {
        name[i] = (char)(error->name[i] == '_' ? '-' : error->name[i]);
    }
    for (size_t id = 0; id < N_OPTIONS && n > 0 && strncmp(error->message, error->name, n) == 0; id++) {
        if (strcmp(option_types[id].name, name) == 0) {
            return complain_option(options, (enum option_id)id, "each command's --help explains its options",
                                   error->message + n + 1);
        }
    }
    return complain(EXIT_USAGE, "check the numbers that state the encoding", "encoding", "%s", error->message);
}

/* A list of doubles from a file; integers become doubles where that loses nothing. */
static int load_doubles(const char *path, double **values, size_t *n)
{
    struct loaded_array loaded;
    const int code = array_file_load(&loaded, path);
    if (code != EXIT_DONE) {
        return code;
    }
    if (loaded.reals == NULL) {
        free(loaded.integers);
        return complain(EXIT_FILE, "save it as float64", path, "holds %s, not float64 or float32",
                        sinpos_element_name(loaded.array.element));
    }
    if (loaded.array.n_dims != 1 || loaded.n == 0) {
        free(loaded.reals);
        return complain(EXIT_FILE, "its shape must be (n)", path, "is no list of numbers");
    }
    *values = loaded.reals;
    *n = loaded.n;
    return EXIT_DONE;
}

static int load_theta(struct encoding *encoding, const struct options *options)
{
    sinpos_spec *spec = &encoding->spec;
    const char *path = options->given[OPTION_THETA];
    const bool needs = spec->schedule == SINPOS_TURNS || spec->schedule == SINPOS_EXPLICIT;
    if (path == NULL) {
        return needs ? complain_option(options, OPTION_SCHEDULE, "name the frequencies with --theta FILE or LIST",
                                       "needs --theta")
                     : EXIT_DONE;
    }
    if (options->given[OPTION_SCHEDULE] == NULL) {
        spec->schedule = SINPOS_EXPLICIT;
    } else if (!needs) {
        return complain_option(options, OPTION_SCHEDULE, "leave --schedule out, or use explicit or turns",
                               "cannot be combined with --theta");
    }
    const int code = is_real_list(path) ? real_list_make(&encoding->theta, &spec->n_theta, options, OPTION_THETA)
                                        : load_doubles(path, &encoding->theta, &spec->n_theta);
    spec->theta = encoding->theta;
    return code;
}

static int load_factor(struct encoding *encoding, const struct options *options)
{
    const char *path = options->given[OPTION_FACTOR];
    if (path == NULL) {
        return EXIT_DONE;
    }
    const int code = load_doubles(path, &encoding->factor, &encoding->spec.n_factor);
    encoding->spec.factor = encoding->factor;
    return code;
}

/* Columns of all coordinates together. */
static int settle_dim(struct encoding *encoding, const struct options *options, size_t array_dim)
{
    const bool is_given = options->given[OPTION_DIM] != NULL;
    char why[120];
    encoding->dim = options->spec.dim;
    if (array_dim > 0 && options->given[OPTION_COLUMNS] == NULL) {
        if (is_given && array_dim != encoding->dim) {
            snprintf(why, sizeof why, "the array has %zu columns", array_dim);
            return complain_option(options, OPTION_DIM, "leave --dim out: the array tells it", why);
        }
        encoding->dim = array_dim;
    } else if (!is_given && encoding->theta != NULL) {
        encoding->dim = 2 * encoding->spec.n_theta * encoding->n_axes;
    }
    if (encoding->dim % encoding->n_axes != 0) {
        snprintf(why, sizeof why, "%zu columns cannot be shared by %zu coordinates", encoding->dim, encoding->n_axes);
        return complain_option(options, OPTION_DIM, "choose a multiple of the number of coordinates", why);
    }
    if (encoding->dim > SINPOS_MAX_DIM || encoding->n_axes > SINPOS_MAX_AXES) {
        return complain(EXIT_USAGE, "ask for fewer", "encoding", "%zu columns and %zu coordinates are too many",
                        encoding->dim, encoding->n_axes);
    }
    encoding->spec.dim = encoding->dim / encoding->n_axes;
    return EXIT_DONE;
}

/* From here on dim is that of the columns that were chosen. */
static int choose_columns(struct encoding *encoding, const struct options *options, size_t array_dim)
{
    size_t n = 0;
    char why[120];
    if (options->given[OPTION_COLUMNS] == NULL) {
        return EXIT_DONE;
    }
    const int code = index_list_make(&encoding->columns, &n, options, OPTION_COLUMNS, encoding->dim, true);
    if (code == EXIT_DONE && array_dim > 0 && n != array_dim) {
        snprintf(why, sizeof why, "names %zu columns, and the array has %zu", n, array_dim);
        return complain_option(options, OPTION_COLUMNS, "there must be one number per column of the array", why);
    }
    encoding->dim = n;
    return code;
}

static int check_list(const struct encoding *encoding, const struct options *options, enum option_id id, size_t n)
{
    const size_t wanted = sinpos_spec_frequencies(&encoding->spec);
    if (options->given[id] == NULL || n == wanted) {
        return EXIT_DONE;
    }
    char why[120];
    snprintf(why, sizeof why, "holds %zu numbers, where %zu frequencies are needed", n, wanted);
    return complain_option(options, id, "there must be one number per frequency", why);
}

static int make_stated(struct encoding *encoding, const struct options *options, size_t array_dim)
{
    sinpos_error error = SINPOS_ERROR_INIT;
    if (!arithmetic_is_exact(options)) {
        encoding->arithmetic = options->given[OPTION_ARITHMETIC];
    }
    if (encoding->arithmetic != NULL && strcmp(encoding->arithmetic, "published") == 0) {
        return complain_option(options, OPTION_ARITHMETIC, "name somebody's definition with --convention, or a recipe",
                               "needs a convention whose source rounds somehow");
    }
    int code = load_theta(encoding, options);
    code = code != EXIT_DONE ? code : load_factor(encoding, options);
    code = code != EXIT_DONE ? code : settle_dim(encoding, options, array_dim);
    code = code != EXIT_DONE ? code : check_list(encoding, options, OPTION_THETA, encoding->spec.n_theta);
    code = code != EXIT_DONE ? code : check_list(encoding, options, OPTION_FACTOR, encoding->spec.n_factor);
    if (code == EXIT_DONE && sinpos_spec_check(&encoding->spec, &error) != SINPOS_OK) {
        code = complain_spec(options, &error);
    }
    return code != EXIT_DONE ? code : choose_columns(encoding, options, array_dim);
}

/* Can the rows be had from the plan at the positions alone? */
static int check_named(const struct options *options, const sinpos_encoding_info *info)
{
    if (info->is_replayed) {
        char hint[120];
        snprintf(hint, sizeof hint,
                 "'sinpos table', 'add', 'rotate' and 'audit' replay roundings; 'sinpos %s' leaves them out",
                 options->command->name);
        return complain_option(options, OPTION_ARITHMETIC, hint,
                               "is about rounded elements, and this about exact ones");
    }
    const char *why = info->n_zero_rows > 0     ? "has rows that are zero by definition"
                      : info->n_raw_columns > 0 ? "has columns that are coordinates"
                                                : NULL;
    if (why == NULL) {
        return EXIT_DONE;
    }
    return complain(EXIT_USAGE,
                    "'sinpos table' makes it; give --positions without those rows, or state the sines alone",
                    sinpos_convention_name(info->convention), "%s, and 'sinpos %s' is about sines and cosines alone",
                    why, options->command->name);
}

static int take_positions(struct positions *positions, const sinpos_encoding *named)
{
    const sinpos_encoding_info *info = sinpos_encoding_info_get(named);
    sinpos_rows rows = SINPOS_ROWS_INIT;
    const sinpos_status status = sinpos_encoding_positions(named, 0, info->n_positions, &rows);
    if (status != SINPOS_OK) {
        return complain_status(status);
    }
    return positions_take(positions, &rows, sinpos_plan_axes(sinpos_encoding_plan(named))) ? EXIT_DONE
                                                                                           : complain_memory();
}

static int make_named(struct encoding *encoding, const struct options *options, struct positions *positions,
                      size_t array_dim, unsigned types, size_t sequence)
{
    const bool is_list = positions->kind == POSITIONS_GRID || positions->kind == POSITIONS_INTEGERS ||
                         positions->kind == POSITIONS_REALS;
    const struct named_array array = {.dim = array_dim,
                                      .n_rows = array_dim > 0 ? positions->n : 0,
                                      .n_default = is_list ? 0 : positions->n,
                                      .sequence = sequence};
    int code = named_make(&encoding->named, options, &array, types, "table", NULL);
    if (code != EXIT_DONE) {
        return code;
    }
    encoding->plan = sinpos_encoding_plan(encoding->named);
    encoding->dim = sinpos_plan_dim(encoding->plan);
    encoding->n_axes = sinpos_plan_axes(encoding->plan);
    code = check_named(options, sinpos_encoding_info_get(encoding->named));
    if (code == EXIT_DONE && array_dim > 0 && array_dim != encoding->dim) {
        code = complain(EXIT_USAGE, "--dim and --set say how wide it is", encoding_name(encoding),
                        "makes %zu columns, where %zu are needed", encoding->dim, array_dim);
    }
    code = code != EXIT_DONE ? code : take_positions(positions, encoding->named);
    if (code == EXIT_DONE && !plain_plan(encoding->plan, types, &encoding->own_plan)) {
        return complain_memory();
    }
    encoding->plan = encoding->own_plan != NULL ? encoding->own_plan : encoding->plan;
    if (code == EXIT_DONE && !spec_of_plan(encoding->plan, &encoding->spec, &encoding->theta, &encoding->is_exact)) {
        code = complain_memory();
    }
    return code;
}

static int make_either(struct encoding *encoding, const struct options *options, struct positions *positions,
                       size_t array_dim, unsigned types, size_t sequence)
{
    *encoding = (struct encoding){.spec = options->spec, .n_axes = positions->n_axes};
    encoding->spec.types = types;
    return named_is_asked(options) ? make_named(encoding, options, positions, array_dim, types, sequence)
                                   : make_stated(encoding, options, array_dim);
}

int encoding_make(struct encoding *encoding, const struct options *options, struct positions *positions,
                  size_t array_dim, unsigned types)
{
    return make_either(encoding, options, positions, array_dim, types, 0);
}

int encoding_make_axes(struct encoding *encoding, const struct options *options, unsigned types, size_t sequence)
{
    struct positions one = {.n_axes = 1, .n = 1};
    const int code = make_either(encoding, options, &one, 0, types, sequence);
    positions_free(&one);
    return code;
}

int encoding_make_alone(struct encoding *encoding, const struct options *options, unsigned types, size_t sequence)
{
    const int code = encoding_make_axes(encoding, options, types, sequence);
    return code != EXIT_DONE ? code : encoding_one_axis(encoding, options);
}

int encoding_one_axis(const struct encoding *encoding, const struct options *options)
{
    return encoding->named == NULL || encoding->n_axes == 1
               ? EXIT_DONE
               : complain(EXIT_USAGE, "'sinpos table' makes it, 'sinpos plot heatmap' draws it",
                          encoding_name(encoding), "has %zu coordinates, and 'sinpos %s' is about one",
                          encoding->n_axes, options->command->name);
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

int encoding_range(const struct encoding *encoding, const struct positions *positions, const struct options *options)
{
    const int code = encoding_one_axis(encoding, options);
    return code != EXIT_DONE || encoding->named == NULL ||
                   (positions_are_range(positions) && are_coordinates(encoding->named, positions))
               ? code
               : complain(EXIT_USAGE, "'sinpos table' makes it; --start and --length may name consecutive positions",
                          encoding_name(encoding),
                          "has rows that are no consecutive whole positions, and 'sinpos %s' is about those",
                          options->command->name);
}

const char *encoding_name(const struct encoding *encoding)
{
    return encoding->named == NULL ? NULL
                                   : sinpos_convention_name(sinpos_encoding_info_get(encoding->named)->convention);
}

/* One encoding per coordinate, side by side: n tones each. */
static sinpos_status make_tones(const struct encoding *encoding, sinpos_tone *tones, size_t n)
{
    sinpos_status status = SINPOS_OK;
    for (size_t axis = 0; axis < encoding->n_axes && status == SINPOS_OK; axis++) {
        sinpos_tone *own = tones + axis * n;
        const ptrdiff_t first = (ptrdiff_t)(axis * encoding->spec.dim);
        status = sinpos_spec_tones(&encoding->spec, own, n);
        for (size_t k = 0; k < n && status == SINPOS_OK; k++) {
            own[k].axis = axis;
            own[k].sin_column += own[k].sin_column == SINPOS_NO_COLUMN ? 0 : first;
            own[k].cos_column += own[k].cos_column == SINPOS_NO_COLUMN ? 0 : first;
        }
    }
    return status;
}

/* Which tone a column of the definition belongs to, and the tone of the chosen columns that still lacks its other half. */
struct owner {
    size_t tone, open; /* SIZE_MAX: none */
};

/* Tones for the chosen columns, of which one that is chosen twice needs two. Returns how many. */
static size_t choose_tones(const struct encoding *encoding, const sinpos_tone *tones, struct owner *owners,
                           sinpos_tone *chosen)
{
    size_t n = 0;
    for (size_t j = 0; j < encoding->dim; j++) {
        const ptrdiff_t source = encoding->columns[j];
        if (source < 0 || owners[source].tone == SIZE_MAX) {
            continue;
        }
        const sinpos_tone *tone = &tones[owners[source].tone];
        const bool is_sine = tone->sin_column == source;
        const ptrdiff_t other = is_sine ? tone->cos_column : tone->sin_column;
        size_t at = owners[source].open;
        if (at == SIZE_MAX) {
            at = n++;
            chosen[at] = *tone;
            chosen[at].sin_column = chosen[at].cos_column = SINPOS_NO_COLUMN;
            if (other >= 0) {
                owners[other].open = at;
            }
        } else {
            owners[source].open = SIZE_MAX;
        }
        *(is_sine ? &chosen[at].sin_column : &chosen[at].cos_column) = (ptrdiff_t)j;
    }
    return n;
}

static sinpos_status plan_chosen(struct encoding *encoding, const sinpos_tone *tones, size_t n)
{
    const size_t n_columns = encoding->spec.dim * encoding->n_axes;
    struct owner *owners = malloc((n_columns + 1) * sizeof *owners);
    sinpos_tone *chosen = malloc((encoding->dim + 1) * sizeof *chosen);
    sinpos_status status = owners == NULL || chosen == NULL ? SINPOS_E_MEMORY : SINPOS_OK;
    for (size_t j = 0; j < n_columns && status == SINPOS_OK; j++) {
        owners[j] = (struct owner){SIZE_MAX, SIZE_MAX};
    }
    for (size_t k = 0; k < n && status == SINPOS_OK; k++) {
        if (tones[k].sin_column >= 0) {
            owners[tones[k].sin_column].tone = k;
        }
        if (tones[k].cos_column >= 0) {
            owners[tones[k].cos_column].tone = k;
        }
    }
    if (status == SINPOS_OK) {
        const size_t n_chosen = choose_tones(encoding, tones, owners, chosen);
        status = sinpos_plan_create_tones(&encoding->own_plan, encoding->dim, encoding->n_axes, chosen, n_chosen,
                                          encoding->spec.types, NULL);
    }
    free(owners);
    free(chosen);
    return status;
}

static sinpos_status plan_tones(struct encoding *encoding)
{
    const size_t n = sinpos_spec_frequencies(&encoding->spec), all = n * encoding->n_axes;
    sinpos_tone *tones = calloc(all + 1, sizeof *tones);
    sinpos_status status = tones == NULL ? SINPOS_E_MEMORY : make_tones(encoding, tones, n);
    if (status == SINPOS_OK) {
        status = encoding->columns != NULL
                     ? plan_chosen(encoding, tones, all)
                     : sinpos_plan_create_tones(&encoding->own_plan, encoding->dim, encoding->n_axes, tones, all,
                                                encoding->spec.types, NULL);
    }
    free(tones);
    return status;
}

int encoding_plan(struct encoding *encoding)
{
    if (encoding->named != NULL) {
        return EXIT_DONE;
    }
    const sinpos_status status = encoding->n_axes == 1 && encoding->columns == NULL
                                     ? sinpos_plan_create(&encoding->own_plan, &encoding->spec)
                                     : plan_tones(encoding);
    encoding->plan = encoding->own_plan;
    if (status != SINPOS_OK || encoding->arithmetic == NULL) {
        return status == SINPOS_OK ? EXIT_DONE : complain_status(status);
    }
    const sinpos_status replayed = sinpos_replay_create(&encoding->replay, encoding->plan, encoding->arithmetic);
    return replayed == SINPOS_OK ? EXIT_DONE : complain_status(replayed);
}

sinpos_status encoding_run(const struct encoding *encoding, sinpos_operation operation, const sinpos_rows *rows,
                           sinpos_type type, void *out, size_t n_threads)
{
    const size_t dim = encoding->dim;
    return encoding->replay != NULL ? sinpos_replay_run(encoding->replay, operation, rows, type, out, dim, n_threads)
                                    : sinpos_run(encoding->plan, operation, rows, type, out, dim, n_threads);
}

void encoding_free(struct encoding *encoding)
{
    sinpos_plan_destroy(encoding->own_plan);
    sinpos_replay_destroy(encoding->replay);
    sinpos_encoding_destroy(encoding->named);
    free(encoding->theta);
    free(encoding->factor);
    free(encoding->columns);
    memset(encoding, 0, sizeof *encoding);
}
