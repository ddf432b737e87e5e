#include "number_list.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array_file.h"
#include "no_memory.h"

/* Of a list of indices; more are a mistake. */
#define MOST_INDICES ((size_t)1 << 24)

struct index_list {
    ptrdiff_t *list;
    size_t n, room;
    const struct options *options;
    enum option_id id;
    size_t end;
    bool has_none;
};

static noreturn void fail_list(const struct index_list *indices, const char *why)
{
    fail_option(indices->options, indices->id,
                indices->id == OPTION_COLUMNS
                    ? "such as 0,2,5 or 0:8,12; a .npy of integers; or both, cos, sin, cos-cos or sin-sin"
                    : "such as 0,2,5 or 0:8,12; or a .npy of integers",
                "%s", why);
}

static noreturn void fail_index(const struct index_list *indices)
{
    char why[100];
    snprintf(why, sizeof why, "must be whole numbers from 0 to %zu%s", indices->end - 1,
             indices->has_none ? ", or -1 for zeros, -1x5 for five" : "");
    fail_list(indices, why);
}

static void add(struct index_list *indices, ptrdiff_t value)
{
    if (indices->n == MOST_INDICES)
        fail_list(indices, "is too long a list");
    indices->list = memory_grow(indices->list, indices->n, &indices->room, sizeof *indices->list);
    indices->list[indices->n++] = value;
}

/* "" for one that is none, "x500" for so many. */
static void add_none(struct index_list *indices, const char *times)
{
    size_t n = 1;
    if (times[0] != '\0' && (times[0] != 'x' || parse_size(times + 1, 1, MOST_INDICES, &n) != NULL))
        fail_index(indices);
    for (; n > 0; n--)
        add(indices, -1);
}

/* One piece between commas: "7", "3:8", "-1" or "-1x500". */
static void add_piece(struct index_list *indices, const char *piece)
{
    size_t first, last;
    char text[40];
    const char *colon = strchr(piece, ':');
    if (indices->has_none && strncmp(piece, "-1", 2) == 0) {
        add_none(indices, piece + 2);
        return;
    }
    snprintf(text, sizeof text, "%.*s", colon == NULL ? 39 : (int)(colon - piece > 39 ? 39 : colon - piece), piece);
    if (parse_size(text, 0, indices->end - 1, &first) != NULL)
        fail_index(indices);
    last = first + 1;
    if (colon != NULL && parse_size(colon + 1, first + 1, indices->end, &last) != NULL)
        fail_index(indices);
    for (; first < last; first++)
        add(indices, (ptrdiff_t)first);
}

static void add_text(struct index_list *indices, const char *text)
{
    for (;;) {
        char piece[80];
        const size_t length = strcspn(text, ",");
        snprintf(piece, sizeof piece, "%.*s", length > 79 ? 79 : (int)length, text);
        add_piece(indices, piece);
        if (text[length] == '\0')
            return;
        text += length + 1;
    }
}

static void add_numbers(struct index_list *indices, const struct loaded_array *file)
{
    if (file->integers == NULL)
        fail_list(indices, "holds no integers");
    for (size_t i = 0; i < file->n; i++) {
        const int64_t value = file->integers[i];
        const bool is_index = value >= 0 && (uint64_t)value < indices->end;
        if (!is_index && !(indices->has_none && value == -1))
            fail_index(indices);
        add(indices, (ptrdiff_t)value);
    }
}

void index_list_load(struct loaded_array *file, const struct options *options, enum option_id id)
{
    const char *value = options->given[id];
    if (value != NULL && is_array_file(value))
        array_file_load(file, value);
}

ptrdiff_t *index_list_make(size_t *n, const struct options *options, enum option_id id, size_t end, bool has_none,
                           const struct loaded_array *file)
{
    struct index_list indices = {.options = options, .id = id, .end = end, .has_none = has_none};
    if (file->integers != NULL || file->reals != NULL)
        add_numbers(&indices, file);
    else
        add_text(&indices, options->given[id]);
    if (indices.n == 0)
        fail_list(&indices, "holds no numbers");
    *n = indices.n;
    return indices.list;
}

bool is_real_list(const char *value)
{
    return strchr("+-.0123456789", value[0]) != NULL && value[strspn(value, "+-.,0123456789eE")] == '\0';
}

double *real_list_make(size_t *n, const struct options *options, enum option_id id)
{
    const char *text = options->given[id];
    double *list = memory_take(strlen(text), sizeof *list);
    for (*n = 0;;) {
        char piece[400];
        const size_t length = strcspn(text, ",");
        snprintf(piece, sizeof piece, "%.*s", length > 399 ? 399 : (int)length, text);
        const char *why = length > 399 ? "is not a number" : parse_real(piece, &list[*n]);
        if (why != NULL)
            fail_option(options, id, "numbers such as 1,0.5,0.25; or a .npy", "%s", why);
        ++*n;
        if (text[length] == '\0')
            return list;
        text += length + 1;
    }
}
