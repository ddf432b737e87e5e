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
};

static const char *add(struct index_list *indices, ptrdiff_t value)
{
    if (indices->n == MOST_INDICES)
        return "is too long a list";
    indices->list = memory_grow(indices->list, indices->n, &indices->room, sizeof *indices->list);
    indices->list[indices->n++] = value;
    return NULL;
}

/* "" for one that is none, "x500" for so many. */
static const char *add_none(struct index_list *indices, const char *times)
{
    size_t n = 1;
    const char *why = NULL;
    if (times[0] != '\0' && (times[0] != 'x' || parse_size(times + 1, 1, MOST_INDICES, &n) != NULL))
        return "";
    for (; n > 0 && why == NULL; n--)
        why = add(indices, -1);
    return why;
}

/* One piece between commas: "7", "3:8", "-1" or "-1x500". */
static const char *add_piece(struct index_list *indices, const char *piece, size_t end, bool has_none)
{
    size_t first, last;
    char text[40];
    const char *colon = strchr(piece, ':');
    if (has_none && strncmp(piece, "-1", 2) == 0)
        return add_none(indices, piece + 2);
    snprintf(text, sizeof text, "%.*s", colon == NULL ? 39 : (int)(colon - piece > 39 ? 39 : colon - piece), piece);
    if (parse_size(text, 0, end - 1, &first) != NULL)
        return "";
    last = first + 1;
    if (colon != NULL && parse_size(colon + 1, first + 1, end, &last) != NULL)
        return "";
    const char *why = NULL;
    for (; first < last && why == NULL; first++)
        why = add(indices, (ptrdiff_t)first);
    return why;
}

static const char *add_text(struct index_list *indices, const char *text, size_t end, bool has_none)
{
    const char *why = NULL;
    while (why == NULL) {
        char piece[80];
        const size_t length = strcspn(text, ",");
        snprintf(piece, sizeof piece, "%.*s", length > 79 ? 79 : (int)length, text);
        why = add_piece(indices, piece, end, has_none);
        if (text[length] == '\0')
            break;
        text += length + 1;
    }
    return why;
}

static const char *add_numbers(struct index_list *indices, const struct loaded_array *file, size_t end, bool has_none)
{
    const char *why = file->integers == NULL ? "holds no integers" : NULL;
    for (size_t i = 0; i < file->n && why == NULL; i++) {
        const int64_t value = file->integers[i];
        const bool is_index = value >= 0 && (uint64_t)value < end;
        why = is_index || (has_none && value == -1) ? add(indices, (ptrdiff_t)value) : "";
    }
    return why;
}

int index_list_load(struct loaded_array *file, const struct options *options, enum option_id id)
{
    const char *value = options->given[id];
    return value != NULL && is_array_file(value) ? array_file_load(file, value) : EXIT_DONE;
}

int index_list_make(ptrdiff_t **list, size_t *n, const struct options *options, enum option_id id, size_t end,
                    bool has_none, const struct loaded_array *file)
{
    static const char hint[] = "such as 0,2,5 or 0:8,12; or a .npy of integers";
    struct index_list indices = {.list = NULL};
    int code = EXIT_DONE;
    const bool is_file = file->integers != NULL || file->reals != NULL;
    const char *why =
        is_file ? add_numbers(&indices, file, end, has_none) : add_text(&indices, options->given[id], end, has_none);
    if (why == NULL && indices.n == 0)
        why = "holds no numbers";
    if (why != NULL && why[0] == '\0')
        code = complain_option(options, id, hint, "must be whole numbers from 0 to %zu%s", end - 1,
                               has_none ? ", or -1 for zeros, -1x5 for five" : "");
    else if (why != NULL)
        code = complain_option(options, id, hint, "%s", why);
    if (code != EXIT_DONE) {
        free(indices.list);
        indices = (struct index_list){.list = NULL};
    }
    *list = indices.list;
    *n = indices.n;
    return code;
}

bool is_real_list(const char *value)
{
    return strchr("+-.0123456789", value[0]) != NULL && value[strspn(value, "+-.,0123456789eE")] == '\0';
}

int real_list_make(double **list, size_t *n, const struct options *options, enum option_id id)
{
    const char *text = options->given[id];
    *n = 0;
    *list = memory_take(strlen(text), sizeof **list);
    for (;;) {
        char piece[400];
        const size_t length = strcspn(text, ",");
        snprintf(piece, sizeof piece, "%.*s", length > 399 ? 399 : (int)length, text);
        const char *why = length > 399 ? "is not a number" : parse_real(piece, &(*list)[*n]);
        if (why != NULL) {
            free(*list);
            *list = NULL;
            return complain_option(options, id, "numbers such as 1,0.5,0.25; or a .npy", "%s", why);
        }
        ++*n;
        if (text[length] == '\0')
            return EXIT_DONE;
        text += length + 1;
    }
}
