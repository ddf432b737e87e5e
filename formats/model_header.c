/* model_header.c - the header of one file of a model. */
#define _DEFAULT_SOURCE
#include "format.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

sinpos_file_status model_read_header(const char *path, struct contents *contents, sinpos_file_error *error)
{
    struct sinpos_reader reader = {.fd = -1};
    sinpos_file_status status = reader_open_file(&reader, path, error);
    if (status == SINPOS_FILE_OK && !reader.is_regular) {
        status = problem_set(error, SINPOS_FILE_E_REQUEST, "save it as a file first", "is not a regular file");
    } else if (status == SINPOS_FILE_OK && has_ending(path, ".gguf")) {
        status = gguf_contents(&reader, contents, error);
    } else if (status == SINPOS_FILE_OK) {
#ifdef SINPOS_HAVE_JANSSON
        status = safetensors_contents(&reader, contents, error);
#else
        status = problem_set(error, SINPOS_FILE_E_REQUEST, "install Jansson and build again, or use .gguf",
                             "this sinpos was built without Jansson, which .safetensors needs");
#endif
    }
    if (reader.fd >= 0 && !reader.is_standard)
        close(reader.fd);
    return status;
}

sinpos_file_status model_add_file(struct sinpos_model *model, const char *folder, size_t folder_length,
                                  const char *name, sinpos_file_error *error)
{
    char **files = realloc(model->files, (model->n_files + 1) * sizeof *files);
    if (files == NULL)
        return problem_memory(error);
    model->files = files;
    files[model->n_files] = joined_path(folder, folder_length, "", name);
    if (files[model->n_files] == NULL)
        return problem_memory(error);
    model->n_files++;
    return SINPOS_FILE_OK;
}

/* The message, with the file of the model that it is about before it. */
sinpos_file_status model_blame(const char *path, sinpos_file_status status, sinpos_file_error *error)
{
    if (error != NULL && status != SINPOS_FILE_OK) {
        char message[sizeof error->message];
        const int number = error->system_errno;
        const char *slash = strrchr(path, '/'), *option = error->option;
        memcpy(message, error->message, sizeof message);
        problem_set(error, status, error->hint, "%.120s: %.250s", slash == NULL ? path : slash + 1, message);
        error->system_errno = number;
        error->option = option;
    }
    return status;
}
