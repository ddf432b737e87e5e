#include "companions.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "complain.h"
#include "interrupt.h"

#define PATH_BYTES 4096
/* Tokenizers of large vocabularies have some 30 MB. */
#define MOST_BYTES ((off_t)1 << 28)

static bool ends_with(const char *text, const char *end)
{
    const size_t n = strlen(text), m = strlen(end);
    return n >= m && strcmp(text + n - m, end) == 0;
}

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash == NULL ? path : slash + 1;
}

static bool is_of_model(const sinpos_model *model, const char *name)
{
    for (size_t i = 0; i < sinpos_model_files(model); i++) {
        if (strcmp(last_part(sinpos_model_file(model, i)), name) == 0) {
            return true;
        }
    }
    return false;
}

/* Weights, and lists of where weights lie: copies of what is converted, as it was before. */
static bool is_weights(const char *name)
{
    static const char *const endings[] = {".safetensors", ".gguf",    ".bin",  ".pt",  ".pth", ".index.json",
                                          ".h5",          ".msgpack", ".onnx", ".npz", ".ckpt"};
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
        if (ends_with(name, endings[i])) {
            return true;
        }
    }
    return false;
}

static bool append(char ***list, size_t *n, const char *name)
{
    char **more = realloc(*list, (*n + 1) * sizeof *more);
    if (more == NULL) {
        return false;
    }
    *list = more;
    more[*n] = malloc(strlen(name) + 1);
    if (more[*n] == NULL) {
        return false;
    }
    strcpy(more[(*n)++], name);
    return true;
}

static bool take(struct companions *c, const sinpos_model *model, const char *name)
{
    char path[PATH_BYTES];
    struct stat there;
    const bool is_index = strcmp(name, "model.safetensors.index.json") == 0;
    if (name[0] == '.' || is_index || is_of_model(model, name)) {
        return true;
    }
    snprintf(path, sizeof path, "%.3000s%.1000s", c->folder, name);
    const bool is_small = stat(path, &there) == 0 && S_ISREG(there.st_mode) && there.st_size <= MOST_BYTES;
    return is_small && !is_weights(name) ? append(&c->names, &c->n, name) : append(&c->left, &c->n_left, name);
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

int companions_find(struct companions *c, const sinpos_model *model)
{
    const char *first = sinpos_model_file(model, 0);
    const size_t n = (size_t)(last_part(first) - first);
    *c = (struct companions){.folder = malloc(n + 1)};
    if (c->folder == NULL) {
        return complain_memory();
    }
    memcpy(c->folder, first, n);
    c->folder[n] = '\0';
    DIR *folder = opendir(n == 0 ? "." : c->folder);
    if (folder == NULL) {
        return complain(EXIT_FILE, "check the folder and its permissions", c->folder, "%s", strerror(errno));
    }
    bool ok = true;
    for (const struct dirent *entry = readdir(folder); ok && entry != NULL; entry = readdir(folder)) {
        ok = take(c, model, entry->d_name);
    }
    closedir(folder);
    if (!ok) {
        return complain_memory();
    }
    if (c->n > 1) {
        qsort(c->names, c->n, sizeof *c->names, compare_names);
    }
    if (c->n_left > 1) {
        qsort(c->left, c->n_left, sizeof *c->left, compare_names);
    }
    return EXIT_DONE;
}

int copy_small_file(const char *from, const char *to)
{
    sinpos_file_error error;
    struct stat there;
    interrupt_file(to);
    FILE *file = fopen(from, "rb");
    if (file == NULL || fstat(fileno(file), &there) != 0) {
        const int code = complain(EXIT_FILE, "check the file and its permissions", from, "%s", strerror(errno));
        if (file != NULL) {
            fclose(file);
        }
        return code;
    }
    const size_t n = (size_t)there.st_size;
    char *text = malloc(n + 1);
    const bool is_whole = text != NULL && fread(text, 1, n, file) == n;
    fclose(file);
    int code = text == NULL ? complain_memory()
               : is_whole   ? EXIT_DONE
                            : complain(EXIT_FILE, "check the file and try again", from, "cannot be read whole");
    if (code == EXIT_DONE && interrupt_bytes_write(to, text, n, &error) != SINPOS_FILE_OK) {
        code = complain_write(to, &error);
    }
    free(text);
    return code;
}

int companions_copy(const struct companions *c, const char *folder)
{
    char from[PATH_BYTES], to[PATH_BYTES];
    for (size_t i = 0; i < c->n; i++) {
        snprintf(from, sizeof from, "%.3000s%.1000s", c->folder, c->names[i]);
        snprintf(to, sizeof to, "%.3000s/%.1000s", folder, c->names[i]);
        const int code = copy_small_file(from, to);
        if (code != EXIT_DONE) {
            return code;
        }
    }
    return EXIT_DONE;
}

void companions_free(struct companions *c)
{
    for (size_t i = 0; i < c->n; i++) {
        free(c->names[i]);
    }
    for (size_t i = 0; i < c->n_left; i++) {
        free(c->left[i]);
    }
    free(c->names);
    free(c->left);
    free(c->folder);
    memset(c, 0, sizeof *c);
}
