#include "matrix_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "array_file.h"
#include "array_pieces.h"
#include "no_memory.h"
#include "sinpos_analysis.h"

#define LARGEST 0x1p100

/* Cuts ":TENSOR" off the path; NULL where there is none. */
static const char *cut_tensor(char *path)
{
    static const char *const endings[] = {".safetensors:", ".gguf:", ".index.json:"};
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
        char *found = strstr(path, endings[i]);
        if (found != NULL) {
            found += strlen(endings[i]);
            found[-1] = '\0';
            return found;
        }
    }
    return NULL;
}

static void check_matrix(const struct matrix_file *m)
{
    check_floats(&m->array, m->path);
    if (m->array.n_dims < 2) {
        fail(EXIT_FILE, "reshape it to (rows, columns)", m->path,
             m->array.n_dims == 0 ? "holds one number, where rows and columns are needed"
                                  : "has one dimension, where rows and columns are needed");
    }
    if (m->n == 0 || m->dim == 0)
        fail(EXIT_FILE, "there is nothing to measure", m->path, "holds no elements");
}

static void take_shape(struct matrix_file *m)
{
    m->n = 1;
    for (size_t i = 0; i + 1 < m->array.n_dims; i++)
        m->n = m->array.shape[i] == 0 ? 0 : m->n * m->array.shape[i];
    m->dim = m->array.n_dims == 0 ? 1 : m->array.shape[m->array.n_dims - 1];
}

void matrix_open(struct matrix_file *m, const struct options *options, enum option_id id)
{
    const char *value = options->given[id];
    char path[MATRIX_PATH_BYTES];
    sinpos_file_error error = SINPOS_FILE_ERROR_INIT;
    memset(m, 0, sizeof *m);
    if (value == NULL)
        return;
    if (strlen(value) >= sizeof path)
        fail_option(options, id, "give a shorter path", "is too long");
    memcpy(path, value, strlen(value) + 1);
    memcpy(m->path, path, sizeof path);
    const char *tensor = cut_tensor(path);
    const bool is_raw = ends_with(path, ".raw");
    const sinpos_reader_options reading = {
        .struct_size = sizeof reading,
        .tensor = tensor,
        .element = is_raw ? (sinpos_element)options->type : 0,
        .dim = is_raw && options->given[OPTION_DIM] != NULL ? options->spec.dim : 0,
    };
    if (sinpos_reader_open(&m->reader, path, &reading, &error) != SINPOS_FILE_OK) {
        if (strcmp(error.option, "tensor") == 0) {
            error.hint = "name one after the file: model.safetensors:NAME";
            error.option = "";
        }
        fail_read(m->path, &error);
    }
    m->array = *sinpos_reader_array(m->reader);
    take_shape(m);
    check_matrix(m);
}

static void check_elements(const struct matrix_file *m, const double *rows, size_t n)
{
    for (size_t i = 0; i < n * m->dim; i++) {
        if (!(fabs(rows[i]) <= LARGEST)) {
            fail(EXIT_FILE, "every number must be finite, and at most 2^100 in size", m->path,
                 "row %zu, column %zu is %g", m->n_read + i / m->dim, i % m->dim, rows[i]);
        }
    }
}

void matrix_read(struct matrix_file *m, size_t n, double *rows)
{
    const sinpos_type type = (sinpos_type)m->array.element;
    sinpos_file_error error = SINPOS_FILE_ERROR_INIT;
    OWNED void *piece = memory_take(n, m->dim * sinpos_type_bytes(type));
    if (sinpos_reader_read(m->reader, piece, n * m->dim, &error) != SINPOS_FILE_OK)
        fail_read(m->path, &error);
    expect_ok(sinpos_widen(type, piece, n * m->dim, rows));
    check_elements(m, rows, n);
    m->n_read += n;
}

double *matrix_load(struct matrix_file *m)
{
    double *rows = memory_take(m->n, m->dim * sizeof *rows);
    matrix_read(m, m->n, rows);
    return rows;
}

void sample_rows(struct sample *sample, const double *piece, size_t first, size_t n)
{
    for (; sample->n_taken < sample->n; sample->n_taken++) {
        const size_t row = (size_t)((double)sample->n_taken * (double)sample->n_all / (double)sample->n);
        if (row >= first + n)
            return;
        memcpy(sample->rows + sample->n_taken * sample->dim, piece + (row - first) * sample->dim,
               sample->dim * sizeof *piece);
    }
}

void matrix_close(struct matrix_file *m)
{
    sinpos_reader_close(m->reader);
    m->reader = NULL;
}
