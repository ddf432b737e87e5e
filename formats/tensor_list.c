/* tensor_list.c - the tensors and metadata that a header names: kept, sorted, found. */
#include "format.h"

#include <stdlib.h>
#include <string.h>

#define NEAR 3 /* letters that a name may be away to be suggested */
#define LONGEST_NAME 255

/* A tensor has two braces and two lists in 40 bytes or more. */
bool json_is_bomb(const char *text, size_t length)
{
    size_t n = 0;
    for (size_t i = 0; i < length; i++)
        n += text[i] == '{' || text[i] == '[';
    return n > length / 10 + 100;
}

/* Room for one more of n elements; the room doubles. */
static bool grow(void **items, size_t n, size_t *room, size_t size)
{
    if (n < *room)
        return true;
    const size_t wanted = *room == 0 ? 16 : 2 * *room;
    void *larger = wanted > SIZE_MAX / size ? NULL : realloc(*items, wanted * size);
    if (larger == NULL)
        return false;
    *items = larger;
    *room = wanted;
    return true;
}

sinpos_file_status contents_add_tensor(struct contents *contents, const sinpos_tensor *tensor, sinpos_file_error *error)
{
    void *items = contents->tensors;
    if (!grow(&items, contents->n_tensors, &contents->tensors_room, sizeof *tensor))
        return problem_memory(error);
    contents->tensors = items;
    sinpos_tensor *added = &contents->tensors[contents->n_tensors];
    *added = *tensor;
    added->struct_size = sizeof *added;
    added->name = strdup(tensor->name);
    added->type = strdup(tensor->type);
    contents->n_tensors++;
    return added->name == NULL || added->type == NULL ? problem_memory(error) : SINPOS_FILE_OK;
}

static bool copy_value(sinpos_metadata *added)
{
    if (added->text != NULL) {
        char *text = malloc(added->n + 1);
        if (text != NULL) {
            memcpy(text, added->text, added->n);
            text[added->n] = '\0';
        }
        added->text = text;
        return text != NULL;
    }
    if (added->numbers != NULL) {
        double *numbers = calloc(added->n + 1, sizeof *numbers);
        if (numbers != NULL)
            memcpy(numbers, added->numbers, added->n * sizeof *numbers);
        added->numbers = numbers;
        return numbers != NULL;
    }
    return true;
}

sinpos_file_status contents_add_metadata(struct contents *contents, const sinpos_metadata *metadata,
                                         sinpos_file_error *error)
{
    void *items = contents->metadata;
    if (!grow(&items, contents->n_metadata, &contents->metadata_room, sizeof *metadata))
        return problem_memory(error);
    contents->metadata = items;
    sinpos_metadata *added = &contents->metadata[contents->n_metadata];
    *added = *metadata;
    added->struct_size = sizeof *added;
    added->name = strdup(metadata->name);
    contents->n_metadata++;
    const bool good = copy_value(added);
    return added->name == NULL || !good ? problem_memory(error) : SINPOS_FILE_OK;
}

void contents_free(struct contents *contents)
{
    for (size_t i = 0; i < contents->n_tensors; i++) {
        free((char *)contents->tensors[i].name);
        free((char *)contents->tensors[i].type);
    }
    for (size_t i = 0; i < contents->n_metadata; i++) {
        free((char *)contents->metadata[i].name);
        free((char *)contents->metadata[i].text);
        free((double *)contents->metadata[i].numbers);
    }
    free(contents->tensors);
    free(contents->metadata);
    free(contents->by_name);
    free(contents->by_key);
    *contents = (struct contents){.n_tensors = 0};
}

/* A name and its number, to be sorted. */
struct entry {
    const char *name;
    size_t i;
};

static int compare_entries(const void *a, const void *b)
{
    return strcmp(((const struct entry *)a)->name, ((const struct entry *)b)->name);
}

static const char *name_of(const struct contents *contents, bool is_key, size_t i)
{
    return is_key ? contents->metadata[i].name : contents->tensors[i].name;
}

/* Numbers in the order of the names; twice receives a name that occurs twice, or NULL. */
static size_t *sort_names(const struct contents *contents, bool is_key, size_t n, const char **twice)
{
    OWNED struct entry *entries = calloc(n + 1, sizeof *entries);
    size_t *order = entries == NULL ? NULL : calloc(n + 1, sizeof *order);
    *twice = NULL;
    if (order == NULL)
        return NULL;
    for (size_t i = 0; i < n; i++)
        entries[i] = (struct entry){name_of(contents, is_key, i), i};
    qsort(entries, n, sizeof *entries, compare_entries);
    for (size_t i = 0; i < n; i++) {
        order[i] = entries[i].i;
        if (i > 0 && strcmp(entries[i - 1].name, entries[i].name) == 0)
            *twice = entries[i].name;
    }
    return order;
}

sinpos_file_status contents_sort(struct contents *contents, sinpos_file_error *error)
{
    const char *tensor, *key;
    free(contents->by_name);
    free(contents->by_key);
    contents->by_name = sort_names(contents, false, contents->n_tensors, &tensor);
    contents->by_key = sort_names(contents, true, contents->n_metadata, &key);
    contents->n_keys = contents->n_metadata;
    if (contents->by_name == NULL || contents->by_key == NULL)
        return problem_memory(error);
    if (tensor != NULL || key != NULL) {
        return problem_corrupt_name(error, tensor != NULL ? "tensor" : "key", tensor != NULL ? tensor : key,
                                    "occurs twice");
    }
    return SINPOS_FILE_OK;
}

/* Binary search in an order; SINPOS_NO_TENSOR for a name that is not there. */
static size_t find(const struct contents *contents, bool is_key, const char *name)
{
    const size_t *order = is_key ? contents->by_key : contents->by_name;
    size_t low = 0, high = is_key ? contents->n_keys : contents->n_tensors;
    while (order != NULL && low < high) {
        const size_t middle = low + (high - low) / 2;
        const int side = strcmp(name, name_of(contents, is_key, order[middle]));
        if (side == 0)
            return order[middle];
        *(side < 0 ? &high : &low) = side < 0 ? middle : middle + 1;
    }
    return SINPOS_NO_TENSOR;
}

size_t contents_find(const struct contents *contents, const char *name)
{
    return find(contents, false, name);
}

const sinpos_metadata *contents_metadata(const struct contents *contents, const char *name)
{
    const size_t i = find(contents, true, name);
    if (i != SINPOS_NO_TENSOR)
        return &contents->metadata[i];
    for (size_t k = contents->n_keys; k < contents->n_metadata; k++)
        if (strcmp(contents->metadata[k].name, name) == 0)
            return &contents->metadata[k];
    return NULL;
}

static size_t least(size_t a, size_t b, size_t c)
{
    const size_t ab = a < b ? a : b;
    return ab < c ? ab : c;
}

/* Letters to insert, delete or change; names of up to LONGEST_NAME letters. Stops where it is beyond NEAR. */
static size_t letters_apart(const char *a, const char *b)
{
    size_t row[LONGEST_NAME + 1];
    const size_t n = strlen(a), m = strlen(b);
    if (n > LONGEST_NAME || m > LONGEST_NAME || n > m + NEAR || m > n + NEAR)
        return NEAR + 1;
    for (size_t j = 0; j <= m; j++)
        row[j] = j;
    for (size_t i = 1; i <= n; i++) {
        size_t corner = row[0], smallest = i;
        row[0] = i;
        for (size_t j = 1; j <= m; j++) {
            const size_t above = row[j];
            row[j] = least(above + 1, row[j - 1] + 1, corner + (a[i - 1] != b[j - 1]));
            corner = above;
            smallest = row[j] < smallest ? row[j] : smallest;
        }
        if (smallest > NEAR)
            return NEAR + 1;
    }
    return row[m];
}

const char *contents_nearest(const struct contents *contents, const char *name)
{
    const char *best = NULL, *holder = NULL;
    size_t nearest = strlen(name) < 2 * NEAR ? 2 : NEAR + 1;
    for (size_t i = 0; i < contents->n_tensors; i++) {
        const char *candidate = contents->tensors[i].name;
        const size_t apart = letters_apart(name, candidate);
        if (apart < nearest && apart < strlen(name)) {
            nearest = apart;
            best = candidate;
        }
        if (holder == NULL && strlen(name) > NEAR && strstr(candidate, name) != NULL)
            holder = candidate;
    }
    return best != NULL ? best : holder;
}

static sinpos_file_status refuse_name(const struct contents *contents, const char *wanted, sinpos_file_error *error)
{
    const char *near = contents_nearest(contents, wanted);
    if (near != NULL) {
        problem_set(error, SINPOS_FILE_E_CONTENT, "check the name", "holds no tensor named '%.80s', but '%.80s'",
                    wanted, near);
    } else {
        problem_set(error, SINPOS_FILE_E_CONTENT, "check the name", "holds no tensor named '%.80s'", wanted);
    }
    return problem_about(error, "tensor", SINPOS_FILE_E_CONTENT);
}

sinpos_file_status contents_choose(const struct contents *contents, const char *wanted, size_t *chosen,
                                   sinpos_file_error *error)
{
    const size_t n = contents->n_tensors;
    if (n == 0)
        return problem_set(error, SINPOS_FILE_E_CONTENT, "check that this is the right file", "holds no tensor");
    if (wanted == NULL && n > 1) {
        return problem_about(error, "tensor",
                             problem_set(error, SINPOS_FILE_E_CONTENT, "choose one",
                                         "holds %zu tensors, among them '%.80s'", n, contents->tensors[n - 1].name));
    }
    *chosen = wanted == NULL ? 0 : contents_find(contents, wanted);
    if (*chosen == SINPOS_NO_TENSOR)
        return refuse_name(contents, wanted, error);
    const sinpos_tensor *tensor = &contents->tensors[*chosen];
    if (tensor->array.element == 0) {
        return problem_set(error, SINPOS_FILE_E_CONTENT, "convert it to F32, F64, F16 or BF16",
                           "its tensor '%.80s' is of type %.20s, which is not used here", tensor->name, tensor->type);
    }
    return SINPOS_FILE_OK;
}
