/* rewriter.c - a file of a model, copied byte for byte except for the data of chosen tensors. */
#include "boundary.h"
#include "format.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

struct sinpos_rewriter {
    const struct sinpos_model *model;
    size_t file;
    int fd; /* of the file that is copied */
    uint64_t file_bytes;
    struct output output;
    size_t tensor; /* that is being replaced, SINPOS_NO_TENSOR between two */
    uint64_t left; /* its bytes that are still to come */
};

static void rewriter_free(sinpos_rewriter *rewriter)
{
    if (rewriter->fd >= 0)
        close(rewriter->fd);
    free(rewriter);
}

static sinpos_file_status begin(sinpos_rewriter *rewriter, const char *path, sinpos_file_error *error)
{
    struct stat there;
    rewriter->fd = open(rewriter->model->files[rewriter->file], O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (rewriter->fd < 0 || fstat(rewriter->fd, &there) != 0)
        return problem_system(error, errno);
    rewriter->file_bytes = (uint64_t)there.st_size;
    return output_open(&rewriter->output, path, rewriter->file_bytes, there.st_mode & 0777, error);
}

sinpos_file_status sinpos_rewriter_open(sinpos_rewriter **out, const sinpos_model *model, size_t file, const char *path,
                                        sinpos_file_error *error)
{
    BOUNDARY;
    if (out != NULL)
        *out = NULL;
    if (!problem_begin(error))
        return SINPOS_FILE_E_STRUCT;
    if (out == NULL || model == NULL || path == NULL)
        return problem_set(error, SINPOS_FILE_E_NULL, "", "a model, a path and a place are needed");
    if (file >= model->n_files)
        return problem_set(error, SINPOS_FILE_E_REQUEST, "", "the model has no such file");
    sinpos_rewriter *rewriter = calloc(1, sizeof *rewriter);
    if (rewriter == NULL)
        return problem_memory(error);
    *rewriter = (sinpos_rewriter){.model = model, .file = file, .fd = -1, .tensor = SINPOS_NO_TENSOR};
    rewriter->output.fd = -1;
    const sinpos_file_status status = begin(rewriter, path, error);
    if (status != SINPOS_FILE_OK) {
        rewriter_free(rewriter);
        return status;
    }
    *out = rewriter;
    return SINPOS_FILE_OK;
}

const char *sinpos_rewriter_temporary(const sinpos_rewriter *rewriter)
{
    BOUNDARY;
    return rewriter == NULL ? NULL : rewriter->output.temporary;
}

/* Copies what stands before the tensor. */
static sinpos_file_status begin_tensor(sinpos_rewriter *rewriter, size_t i, const sinpos_tensor *tensor,
                                       sinpos_file_error *error)
{
    if (rewriter->left > 0 || tensor->file != rewriter->file || tensor->offset < rewriter->output.written) {
        return problem_set(error, SINPOS_FILE_E_REQUEST, "",
                           "tensors of one file are replaced whole, in the order of their offsets");
    }
    const sinpos_file_status status = output_copy(&rewriter->output, rewriter->fd, tensor->offset, error, error);
    rewriter->tensor = i;
    rewriter->left = tensor->bytes;
    return status;
}

sinpos_file_status sinpos_rewriter_replace(sinpos_rewriter *rewriter, size_t i, const void *data, size_t bytes,
                                           sinpos_file_error *error)
{
    BOUNDARY;
    if (!problem_begin(error))
        return SINPOS_FILE_E_STRUCT;
    const sinpos_tensor *tensor = rewriter == NULL ? NULL : sinpos_model_tensor(rewriter->model, i);
    if (tensor == NULL || (data == NULL && bytes > 0))
        return problem_set(error, SINPOS_FILE_E_NULL, "", "a rewriter, a tensor of its model and data are needed");
    if (rewriter->tensor != i) {
        const sinpos_file_status status = begin_tensor(rewriter, i, tensor, error);
        if (status != SINPOS_FILE_OK)
            return status;
    }
    if (bytes > rewriter->left)
        return problem_set(error, SINPOS_FILE_E_REQUEST, "", "more bytes than the tensor has");
    rewriter->left -= bytes;
    return output_write(&rewriter->output, data, bytes, error);
}

static sinpos_file_status prepare(sinpos_rewriter *rewriter, sinpos_file_error *error)
{
    if (rewriter->left > 0)
        return problem_set(error, SINPOS_FILE_E_REQUEST, "", "a tensor is not complete");
    const sinpos_file_status status = output_copy(&rewriter->output, rewriter->fd, rewriter->file_bytes, error, error);
    return status == SINPOS_FILE_OK ? output_prepare(&rewriter->output, error) : status;
}

sinpos_file_status sinpos_rewriter_prepare(sinpos_rewriter *rewriter, sinpos_file_error *error)
{
    BOUNDARY;
    if (!problem_begin(error))
        return SINPOS_FILE_E_STRUCT;
    if (rewriter == NULL)
        return problem_set(error, SINPOS_FILE_E_NULL, "", "a rewriter is needed");
    return prepare(rewriter, error);
}

sinpos_file_status sinpos_rewriter_commit(sinpos_rewriter *rewriter, sinpos_file_error *error)
{
    BOUNDARY;
    if (!problem_begin(error)) {
        sinpos_rewriter_abandon(rewriter);
        return SINPOS_FILE_E_STRUCT;
    }
    if (rewriter == NULL)
        return problem_set(error, SINPOS_FILE_E_NULL, "", "a rewriter is needed");
    const sinpos_file_status status = output_commit(&rewriter->output, prepare(rewriter, error), error);
    rewriter_free(rewriter);
    return status;
}

void sinpos_rewriter_abandon(sinpos_rewriter *rewriter)
{
    BOUNDARY;
    if (rewriter != NULL) {
        output_abandon(&rewriter->output);
        rewriter_free(rewriter);
    }
}
