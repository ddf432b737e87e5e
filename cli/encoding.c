#include "encoding.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array_file.h"
#include "commands.h"
#include "named.h"

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

/* The library's reason begins with the name of a field, which is that of an option. */
static int complain_spec(const struct options *options, const char *why)
{
    char name[40];
    size_t length = strcspn(why, " ");
    if (length < sizeof name && why[length] != '\0') {
        memcpy(name, why, length);
        name[length] = '\0';
        for (char *p = name; *p != '\0'; p++) {
            *p = *p == '_' ? '-' : *p;
        }
        for (size_t id = 0; id < N_OPTIONS; id++) {
            if (strcmp(option_types[id].name, name) == 0) {
                return complain_option(options, (enum option_id)id, "each command's --help explains its options",
                                       why + length + 1);
            }
        }
    }
    return complain(EXIT_USAGE, "check the numbers that state the encoding", "encoding", "%s", why);
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
        return needs ? complain_option(options, OPTION_SCHEDULE, "name a .npy of frequencies with --theta FILE",
                                       "needs --theta")
                     : EXIT_DONE;
    }
    if (options->given[OPTION_SCHEDULE] == NULL) {
        spec->schedule = SINPOS_EXPLICIT;
    } else if (!needs) {
        return complain_option(options, OPTION_SCHEDULE, "leave --schedule out, or use explicit or turns",
                               "cannot stand together with --theta");
    }
    const int code = load_doubles(path, &encoding->theta, &spec->n_theta);
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
    if (array_dim > 0) {
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

/* The frequencies of a convention, for commands that ask about frequencies alone. */
static int make_named(struct encoding *encoding, const struct options *options, unsigned types)
{
    if ((options->command->bit & (COMMAND_KERNEL | COMMAND_DISTANCE)) == 0) {
        return complain_option(options,
                               options->given[OPTION_FROM_CONFIG] != NULL  ? OPTION_FROM_CONFIG
                               : options->given[OPTION_CONVENTION] != NULL ? OPTION_CONVENTION
                               : options->n_sets > 0                       ? OPTION_SET
                                                                           : OPTION_PARAMETERS,
                               "state the encoding with --schedule, --shift, --layout and their like",
                               "this command does not take encodings by name");
    }
    const int code = named_make(&encoding->named, options, 0, 0, types, NULL);
    if (code != EXIT_DONE) {
        return code;
    }
    const sinpos_encoding_info *info = sinpos_encoding_info_get(encoding->named);
    encoding->plan = (sinpos_plan *)sinpos_encoding_plan(encoding->named); /* only read */
    encoding->n_axes = info->n_axes;
    encoding->dim = info->head_width > 0 ? info->head_width : info->n_columns;
    encoding->spec = (sinpos_spec)SINPOS_SPEC_INIT;
    encoding->spec.dim = encoding->dim;
    encoding->spec.types = types;
    encoding->spec.schedule = SINPOS_EXPLICIT;
    return encoding->n_axes == 1 ? EXIT_DONE
                                 : complain(EXIT_USAGE, "the offset of two rows is one number", info->convention->name,
                                            "has %zu coordinates", info->n_axes);
}

int encoding_make(struct encoding *encoding, const struct options *options, const struct positions *positions,
                  size_t array_dim, unsigned types)
{
    const char *why = "";
    if (named_is_asked(options)) {
        *encoding = (struct encoding){.n_axes = 1};
        return make_named(encoding, options, types);
    }
    *encoding = (struct encoding){.spec = options->spec, .n_axes = positions->n_axes};
    encoding->spec.types = types;
    int code = load_theta(encoding, options);
    code = code != EXIT_DONE ? code : load_factor(encoding, options);
    code = code != EXIT_DONE ? code : settle_dim(encoding, options, array_dim);
    code = code != EXIT_DONE ? code : check_list(encoding, options, OPTION_THETA, encoding->spec.n_theta);
    code = code != EXIT_DONE ? code : check_list(encoding, options, OPTION_FACTOR, encoding->spec.n_factor);
    if (code == EXIT_DONE && sinpos_spec_check(&encoding->spec, &why) != SINPOS_OK) {
        code = complain_spec(options, why);
    }
    return code;
}

/* One encoding per coordinate, side by side. */
static sinpos_status plan_axes(struct encoding *encoding)
{
    const size_t n = sinpos_spec_frequencies(&encoding->spec);
    sinpos_tone *tones = calloc(n * encoding->n_axes + 1, sizeof *tones);
    sinpos_status status = tones == NULL ? SINPOS_E_MEMORY : SINPOS_OK;
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
    if (status == SINPOS_OK) {
        status = sinpos_plan_create_tones(&encoding->plan, encoding->dim, encoding->n_axes, tones, n * encoding->n_axes,
                                          encoding->spec.types);
    }
    free(tones);
    return status;
}

int encoding_plan(struct encoding *encoding)
{
    if (encoding->named != NULL) {
        return EXIT_DONE;
    }
    const sinpos_status status =
        encoding->n_axes == 1 ? sinpos_plan_create(&encoding->plan, &encoding->spec) : plan_axes(encoding);
    return status == SINPOS_OK ? EXIT_DONE : complain_status(status);
}

void encoding_free(struct encoding *encoding)
{
    if (encoding->named == NULL) {
        sinpos_plan_destroy(encoding->plan);
    }
    sinpos_encoding_destroy(encoding->named);
    free(encoding->theta);
    free(encoding->factor);
    memset(encoding, 0, sizeof *encoding);
}
