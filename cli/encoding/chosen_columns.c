#include "chosen_columns.h"

#include <stdlib.h>
#include <string.h>

#include "no_memory.h"
#include "number_list.h"

/* ------------------------------------------------------------------------------------------------- which columns */

/* Columns by name: the sines or the cosines, in the order of the frequencies, once or twice. */
static const struct named_columns {
    const char *name;
    bool is_sine;
    size_t times;
} names[] = {{"cos", false, 1}, {"sin", true, 1}, {"cos-cos", false, 2}, {"sin-sin", true, 2}};

static const struct named_columns *find_name(const struct options *options)
{
    const char *value = options->given[OPTION_COLUMNS];
    for (size_t i = 0; value != NULL && i < sizeof names / sizeof names[0]; i++)
        if (strcmp(value, names[i].name) == 0)
            return &names[i];
    return NULL;
}

static bool has_all(const struct options *options)
{
    const char *value = options->given[OPTION_COLUMNS];
    return value == NULL || strcmp(value, "both") == 0;
}

size_t chosen_from(const struct options *options, size_t array_dim)
{
    const struct named_columns *name = find_name(options);
    if (has_all(options))
        return array_dim;
    if (name == NULL || options->given[OPTION_DIM] != NULL)
        return 0;
    return name->times == 2 || array_dim > SINPOS_MAX_DIM ? array_dim : 2 * array_dim;
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

/* Of a tone that lacks the column nothing is chosen. */
static ptrdiff_t *list_named(size_t *n, const struct encoding *encoding, const struct named_columns *name)
{
    const size_t each = sinpos_spec_frequencies(&encoding->spec), all = each * encoding->n_axes;
    sinpos_tone *tones = memory_take(all, sizeof *tones);
    ptrdiff_t *list = memory_take(all, 2 * sizeof *list);
    const sinpos_status status = make_tones(encoding, tones, each);
    if (status != SINPOS_OK)
        fail_status(status);
    *n = 0;
    for (size_t k = 0; k < name->times * all; k++) {
        const sinpos_tone *tone = &tones[k % all];
        const ptrdiff_t column = name->is_sine ? tone->sin_column : tone->cos_column;
        if (column != SINPOS_NO_COLUMN)
            list[(*n)++] = column;
    }
    free(tones);
    if (*n == 0) {
        fail_option(encoding->request->options, OPTION_COLUMNS, "ask for more columns with --dim",
                    "names no column of %zu", encoding->dim);
    }
    return list;
}

ptrdiff_t *chosen_columns(size_t *n, const struct encoding *encoding)
{
    const struct options *options = encoding->request->options;
    const struct named_columns *name = find_name(options);
    return has_all(options) ? NULL
           : name != NULL
               ? list_named(n, encoding, name)
               : index_list_make(n, options, OPTION_COLUMNS, encoding->dim, true, &encoding->request->columns);
}

/* ------------------------------------------------------------------------------------------------------ their tones */

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
        if (source < 0 || owners[source].tone == SIZE_MAX)
            continue;
        const sinpos_tone *tone = &tones[owners[source].tone];
        const bool is_sine = tone->sin_column == source;
        const ptrdiff_t other = is_sine ? tone->cos_column : tone->sin_column;
        size_t at = owners[source].open;
        if (at == SIZE_MAX) {
            at = n++;
            chosen[at] = *tone;
            chosen[at].sin_column = chosen[at].cos_column = SINPOS_NO_COLUMN;
            if (other >= 0)
                owners[other].open = at;
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
    struct owner *owners = memory_take(n_columns, sizeof *owners);
    sinpos_tone *chosen = memory_take(encoding->dim, sizeof *chosen);
    for (size_t j = 0; j < n_columns; j++)
        owners[j] = (struct owner){SIZE_MAX, SIZE_MAX};
    for (size_t k = 0; k < n; k++) {
        if (tones[k].sin_column >= 0)
            owners[tones[k].sin_column].tone = k;
        if (tones[k].cos_column >= 0)
            owners[tones[k].cos_column].tone = k;
    }
    const size_t n_chosen = choose_tones(encoding, tones, owners, chosen);
    const sinpos_status status = sinpos_plan_create_tones(&encoding->own_plan, encoding->dim, encoding->n_axes, chosen,
                                                          n_chosen, encoding->spec.types, NULL);
    free(owners);
    free(chosen);
    return status;
}

sinpos_status chosen_plan(struct encoding *encoding)
{
    const size_t n = sinpos_spec_frequencies(&encoding->spec), all = n * encoding->n_axes;
    sinpos_tone *tones = memory_take(all, sizeof *tones);
    sinpos_status status = make_tones(encoding, tones, n);
    if (status == SINPOS_OK) {
        status = encoding->columns != NULL
                     ? plan_chosen(encoding, tones, all)
                     : sinpos_plan_create_tones(&encoding->own_plan, encoding->dim, encoding->n_axes, tones, all,
                                                encoding->spec.types, NULL);
    }
    free(tones);
    return status;
}
