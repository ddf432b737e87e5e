/* beside_weights.c - copies the files beside the weights, with their permissions, and nothing from another folder. */
#define _XOPEN_SOURCE 700
#include "beside_weights.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "array_file.h"
#include "error_line.h"
#include "folder.h"
#include "interrupt.h"
#include "no_memory.h"

#define PATH_BYTES 4096
/* Tokenizers of large vocabularies have some 30 MB. */
#define MOST_BYTES ((off_t)1 << 28)

const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash == NULL ? path : slash + 1;
}

static bool is_of_model(const sinpos_model *model, const char *name)
{
    for (size_t i = 0; i < sinpos_model_files(model); i++)
        if (strcmp(last_part(sinpos_model_file(model, i)), name) == 0)
            return true;
    return false;
}

/* Weights, and lists of where weights lie: copies of what is converted, as it was before. */
static bool is_weights(const char *name)
{
    static const char *const endings[] = {".safetensors", ".gguf",    ".bin",  ".pt",  ".pth", ".index.json",
                                          ".h5",          ".msgpack", ".onnx", ".npz", ".ckpt"};
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++)
        if (ends_with(name, endings[i]))
            return true;
    return false;
}

static void append(struct names *list, const char *name)
{
    list->at = memory_grow(list->at, list->n, &list->room, sizeof *list->at);
    list->at[list->n++] = memory_copy(name, strlen(name) + 1, 1);
}

/* Is whole a path in the folder, which need not end in a slash? */
static bool lies_in(const char *whole, const char *folder)
{
    const size_t n = strlen(folder);
    return strncmp(whole, folder, n) == 0 && (whole[n] == '/' || (n > 0 && folder[n - 1] == '/'));
}

/* The cache of Hugging Face has NAME/snapshots/COMMIT, with links to files in NAME/blobs. */
static bool is_blob(const char *whole, const char *folder)
{
    char blobs[PATH_BYTES];
    const char *commit = strrchr(folder, '/');
    const size_t length = commit == NULL ? 0 : (size_t)(commit - folder);
    static const char snapshots[] = "/snapshots";
    const size_t n = sizeof snapshots - 1;
    if (length < n || length > 4000 || strncmp(folder + length - n, snapshots, n) != 0)
        return false;
    snprintf(blobs, sizeof blobs, "%.*s/blobs", (int)(length - n), folder);
    return lies_in(whole, blobs);
}

/* A link that leads out of the folder could make a copy of any file that the user may read. */
static bool leads_out(const struct beside_weights *c, const char *path)
{
    struct stat there;
    if (!link_is_there(path, &there) || !S_ISLNK(there.st_mode))
        return false;
    OWNED char *whole = realpath(path, NULL), *folder = realpath(c->folder[0] == '\0' ? "." : c->folder, NULL);
    const bool is_out = whole == NULL || folder == NULL || (!lies_in(whole, folder) && !is_blob(whole, folder));
    return is_out;
}

static void take(struct beside_weights *c, const sinpos_model *model, const char *name)
{
    char path[PATH_BYTES];
    struct stat there;
    const bool is_index = strcmp(name, "model.safetensors.index.json") == 0;
    if (name[0] == '.' || is_index || is_of_model(model, name))
        return;
    snprintf(path, sizeof path, "%.3000s%.1000s", c->folder, name);
    const bool is_small = file_is_there(path, &there) && S_ISREG(there.st_mode) && there.st_size <= MOST_BYTES;
    append(!is_small || is_weights(name) ? &c->left : leads_out(c, path) ? &c->links : &c->names, name);
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void sort(struct names *list)
{
    if (list->n > 1)
        qsort(list->at, list->n, sizeof *list->at, compare_names);
}

void beside_weights_find(struct beside_weights *c, const sinpos_model *model)
{
    const char *first = sinpos_model_file(model, 0);
    const size_t n = (size_t)(last_part(first) - first);
    *c = (struct beside_weights){.folder = memory_take(n + 1, 1)};
    memcpy(c->folder, first, n);
    const char *path = n == 0 ? "." : c->folder;
    DIR *folder = folder_open(path, "check the folder and its permissions");
    for (const char *name = folder_next(folder, path); name != NULL; name = folder_next(folder, path))
        take(c, model, name);
    sort(&c->names);
    sort(&c->left);
    sort(&c->links);
}

void copy_small_file(const char *from, const char *to)
{
    sinpos_file_error error = SINPOS_FILE_ERROR_INIT;
    interrupt_file(to);
    if (interrupt_file_copy(from, to, &error) != SINPOS_FILE_OK)
        fail_write(to, &error);
}

void beside_weights_copy(const struct beside_weights *c, const char *folder)
{
    char from[PATH_BYTES], to[PATH_BYTES];
    for (size_t i = 0; i < c->names.n; i++) {
        snprintf(from, sizeof from, "%.3000s%.1000s", c->folder, c->names.at[i]);
        snprintf(to, sizeof to, "%.3000s/%.1000s", folder, c->names.at[i]);
        copy_small_file(from, to);
    }
}

static void names_free(struct names *list)
{
    for (size_t i = 0; i < list->n; i++)
        free(list->at[i]);
    free(list->at);
}

void beside_weights_free(struct beside_weights *c)
{
    names_free(&c->names);
    names_free(&c->left);
    names_free(&c->links);
    free(c->folder);
    memset(c, 0, sizeof *c);
}
