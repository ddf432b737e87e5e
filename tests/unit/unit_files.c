/* sinpos_formats.h: sized structs, at every function that takes one. */
#define _DEFAULT_SOURCE
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sinpos_formats.h"
#include "temporary.h"

static char folder[TEMPORARY_SIZE];
static char npy[TEMPORARY_SIZE + 8], copy[TEMPORARY_SIZE + 8], gguf[TEMPORARY_SIZE + 8];
static const float data[6] = {1, 2, 3, 4, 5, 6};
static const sinpos_array array = {SINPOS_ELEMENT_F32, 2, {2, 3}};

static void write_array(const char *path)
{
    sinpos_file_error error = SINPOS_FILE_ERROR_INIT;
    sinpos_writer *writer;
    assert_int_equal(sinpos_writer_open(&writer, path, &array, NULL, &error), SINPOS_FILE_OK);
    assert_int_equal(sinpos_writer_write(writer, data, 6, &error), SINPOS_FILE_OK);
    assert_int_equal(sinpos_writer_commit(writer, &error), SINPOS_FILE_OK);
    assert_int_equal(error.status, SINPOS_FILE_OK);
}

static sinpos_writer *some_writer(void)
{
    sinpos_writer *writer;
    assert_int_equal(sinpos_writer_open(&writer, npy, &array, NULL, NULL), SINPOS_FILE_OK);
    assert_int_equal(sinpos_writer_write(writer, data, 6, NULL), SINPOS_FILE_OK);
    return writer;
}

static sinpos_model *some_model(void)
{
    sinpos_model *model;
    assert_int_equal(sinpos_model_open(&model, gguf, NULL), SINPOS_FILE_OK);
    return model;
}

/* ------------------------------------------------------------------------------------------- every function */

static sinpos_file_status try_reader(int which, sinpos_file_error *error)
{
    float room[6];
    sinpos_reader *reader = NULL, *other = (sinpos_reader *)(uintptr_t)0x10;
    sinpos_file_status status = sinpos_reader_open(&reader, npy, NULL, NULL);
    assert_int_equal(status, SINPOS_FILE_OK);
    if (which == 0) {
        status = sinpos_reader_open(&other, npy, NULL, error);
        assert_true((status == SINPOS_FILE_OK) == (other != NULL));
        sinpos_reader_close(other);
    }
    status = which == 1   ? sinpos_reader_read(reader, room, 6, error)
             : which == 2 ? sinpos_reader_read_at(reader, 2, room, 4, error)
                          : status;
    sinpos_reader_close(reader);
    return status;
}

static sinpos_file_status try_writer(int which, sinpos_file_error *error)
{
    sinpos_writer *writer = NULL;
    sinpos_file_status status = SINPOS_FILE_OK;
    switch (which) {
    case 0: return sinpos_writer_check(copy, &array, NULL, error);
    case 1:
        writer = (sinpos_writer *)(uintptr_t)0x10;
        status = sinpos_writer_open(&writer, copy, &array, NULL, error);
        assert_true((status == SINPOS_FILE_OK) == (writer != NULL));
        sinpos_writer_abandon(writer);
        return status;
    case 2:
        assert_int_equal(sinpos_writer_open(&writer, copy, &array, NULL, NULL), SINPOS_FILE_OK);
        status = sinpos_writer_write(writer, data, 6, error);
        sinpos_writer_abandon(writer);
        return status;
    case 3:
        writer = some_writer();
        status = sinpos_writer_prepare(writer, error);
        sinpos_writer_abandon(writer);
        return status;
    case 4: return sinpos_writer_commit(some_writer(), error); /* frees it, whatever comes */
    case 5: return sinpos_bytes_write(copy, data, sizeof data, error);
    default: return sinpos_file_copy(npy, copy, error);
    }
}

static sinpos_file_status try_model(int which, sinpos_file_error *error)
{
    sinpos_model *model = some_model(), *other = (sinpos_model *)(uintptr_t)0x10;
    sinpos_rewriter *rewriter = NULL;
    sinpos_file_status status = SINPOS_FILE_OK;
    float room[6];
    if (which == 0) {
        status = sinpos_model_open(&other, gguf, error);
        sinpos_model_close(other);
    } else if (which == 1) {
        status = sinpos_model_read(model, 0, 0, room, sizeof room, error);
    } else if (which == 6) {
        status = sinpos_model_config(model, error);
    } else if (which == 2) {
        status = sinpos_rewriter_open(&rewriter, model, 0, copy, error);
        sinpos_rewriter_abandon(rewriter);
    } else {
        assert_int_equal(sinpos_rewriter_open(&rewriter, model, 0, copy, NULL), SINPOS_FILE_OK);
        status = which == 3   ? sinpos_rewriter_replace(rewriter, 0, data, sizeof data, error)
                 : which == 4 ? sinpos_rewriter_prepare(rewriter, error)
                              : sinpos_rewriter_commit(rewriter, error);
        sinpos_rewriter_abandon(which == 5 ? NULL : rewriter);
    }
    sinpos_model_close(model);
    return status;
}

typedef sinpos_file_status file_call(int which, sinpos_file_error *error);

/* Errors of an older size leave what is behind them alone; a size that cannot be is refused. */
static void errors(void **state)
{
    (void)state;
    static const struct {
        file_call *call;
        int n;
    } calls[] = {{try_reader, 3}, {try_writer, 7}, {try_model, 7}};
    static const size_t refused[] = {0, 1, sizeof(sinpos_file_error) - 1, 4097, SIZE_MAX};
    struct {
        sinpos_file_error error;
        unsigned char guard[32];
    } given, before;
    for (size_t k = 0; k < sizeof calls / sizeof calls[0]; k++)
        for (int which = 0; which < calls[k].n; which++) {
            memset(&given, 0xee, sizeof given);
            given.error.struct_size = sizeof given; /* of a later version */
            before = given;
            const sinpos_file_status status = calls[k].call(which, &given.error);
            assert_or_say(status == SINPOS_FILE_OK, "%zu, %d: %d, '%s'", k, which, (int)status, given.error.message);
            assert_true(given.error.status == status);
            assert_true(given.error.struct_size == sizeof given);
            assert_memory_equal(given.guard, before.guard, sizeof given.guard);
            for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
                memset(&given, 0xee, sizeof given);
                given.error.struct_size = refused[i];
                before = given;
                assert_or_say(calls[k].call(which, &given.error) == SINPOS_FILE_E_STRUCT, "%zu, %d: size %zu", k, which,
                              refused[i]);
                assert_memory_equal(&given, &before, sizeof given);
            }
        }
}

/* Options: larger ones are taken where the rest is zero. */
static void options(void **state)
{
    (void)state;
    struct {
        sinpos_reader_options options;
        double later;
    } reading = {SINPOS_READER_OPTIONS_INIT, 0};
    struct {
        sinpos_writer_options options;
        double later;
    } writing = {SINPOS_WRITER_OPTIONS_INIT, 0};
    for (int k = 0; k < 4; k++) {
        sinpos_file_error error = SINPOS_FILE_ERROR_INIT;
        const sinpos_file_status want = k < 2 ? SINPOS_FILE_OK : SINPOS_FILE_E_STRUCT;
        sinpos_reader *reader = NULL;
        sinpos_writer *writer = NULL;
        reading.options.struct_size = k == 0 ? sizeof reading.options : k == 3 ? 8 : sizeof reading;
        writing.options.struct_size = k == 0 ? sizeof writing.options : k == 3 ? 8 : sizeof writing;
        reading.later = writing.later = k == 2;
        reading.options.tensor = writing.options.tensor = "name";
        assert_int_equal(sinpos_reader_open(&reader, npy, &reading.options, &error), want);
        assert_int_equal(error.status, want);
        assert_int_equal(sinpos_writer_check(copy, &array, &writing.options, &error), want);
        assert_int_equal(sinpos_writer_open(&writer, copy, &array, &writing.options, &error), want);
        assert_true((error.message[0] == '\0') == (want == SINPOS_FILE_OK));
        sinpos_reader_close(reader);
        sinpos_writer_abandon(writer);
    }
}

/* A part: elements at any place, in several sittings; what is refused; it stays until it is committed. */
static void parts(void **state)
{
    (void)state;
    char part[sizeof copy + 8];
    float back[6];
    sinpos_writer *writer = NULL;
    sinpos_file_error error = SINPOS_FILE_ERROR_INIT;
    (void)snprintf(part, sizeof part, "%s.part", copy);
    const sinpos_writer_options options = {.struct_size = sizeof options, .part = part};
    assert_int_equal(sinpos_writer_check("x.csv", &array, &options, &error), SINPOS_FILE_E_REQUEST);
    assert_string_equal(error.option, "part");
    assert_int_equal(sinpos_writer_check("-", &array, &options, &error), SINPOS_FILE_E_REQUEST);
    assert_int_equal(sinpos_writer_open(&writer, copy, &array, &options, &error), SINPOS_FILE_OK);
    assert_int_equal(sinpos_writer_read_at(writer, 0, back, 6, &error), SINPOS_FILE_OK);
    assert_true(back[0] == 0 && back[5] == 0);
    assert_int_equal(sinpos_writer_write_at(writer, 4, data + 4, 3, &error), SINPOS_FILE_E_REQUEST);
    assert_int_equal(sinpos_writer_read_at(writer, 7, back, 0, &error), SINPOS_FILE_E_REQUEST);
    assert_int_equal(sinpos_writer_write_at(writer, 4, NULL, 2, &error), SINPOS_FILE_E_NULL);
    assert_int_equal(sinpos_writer_write_at(writer, 4, data + 4, 2, &error), SINPOS_FILE_OK);
    sinpos_writer_abandon(writer);
    assert_int_equal(access(part, F_OK), 0);
    assert_int_equal(sinpos_writer_open(&writer, copy, &array, &options, &error), SINPOS_FILE_OK);
    assert_string_equal(sinpos_writer_temporary(writer), part);
    assert_int_equal(sinpos_writer_write(writer, data, 4, &error), SINPOS_FILE_OK);
    assert_int_equal(sinpos_writer_commit(writer, &error), SINPOS_FILE_OK);
    assert_int_equal(access(part, F_OK), -1);
    sinpos_reader *reader = NULL;
    assert_int_equal(sinpos_reader_open(&reader, copy, NULL, &error), SINPOS_FILE_OK);
    assert_int_equal(sinpos_reader_read(reader, back, 6, &error), SINPOS_FILE_OK);
    assert_memory_equal(back, data, sizeof data);
    sinpos_reader_close(reader);
    writer = some_writer();
    assert_int_equal(sinpos_writer_write_at(writer, 0, data, 1, &error), SINPOS_FILE_E_REQUEST);
    sinpos_writer_abandon(writer);
    assert_int_equal(remove(copy), 0);
}

/* Standard input that is a file, from its middle on: places are counted from there. */
static void middle_of_a_file(void **state)
{
    (void)state;
    char bytes[4096];
    float back[6];
    sinpos_reader *reader = NULL;
    sinpos_file_error error = SINPOS_FILE_ERROR_INIT;
    FILE *from = fopen(npy, "rb"), *to = fopen(copy, "w+b");
    assert_true(from != NULL && to != NULL);
    const size_t n = fread(bytes, 1, sizeof bytes, from);
    assert_true(fwrite("what came before", 1, 16, to) == 16 && fwrite(bytes, 1, n, to) == n && fflush(to) == 0);
    const int old = dup(STDIN_FILENO);
    assert_true(lseek(fileno(to), 16, SEEK_SET) == 16 && dup2(fileno(to), STDIN_FILENO) == STDIN_FILENO);
    assert_int_equal(sinpos_reader_open(&reader, "-", NULL, &error), SINPOS_FILE_OK);
    assert_int_equal(sinpos_reader_read_at(reader, 4, back, 2, &error), SINPOS_FILE_OK);
    assert_memory_equal(back, data + 4, 2 * sizeof *back);
    assert_int_equal(sinpos_reader_read(reader, back, 6, &error), SINPOS_FILE_OK);
    assert_memory_equal(back, data, sizeof data);
    sinpos_reader_close(reader);
    assert_true(old < 0 ? close(STDIN_FILENO) == 0 : dup2(old, STDIN_FILENO) == STDIN_FILENO && close(old) == 0);
    (void)fclose(from);
    (void)fclose(to);
    assert_int_equal(remove(copy), 0);
}

/* A folder of chunks: what is refused, and where the array ends within a chunk, or before its first. */
static void chunks(void **state)
{
    (void)state;
    char zarr[sizeof copy + 8];
    sinpos_writer *writer = NULL;
    sinpos_file_error error = SINPOS_FILE_ERROR_INIT;
    sinpos_writer_options options = {.struct_size = sizeof options, .zarr_format = 4};
    const sinpos_array narrow = {SINPOS_ELEMENT_BF16, 1, {3}}, none = {SINPOS_ELEMENT_F32, 2, {0, 3}};
    (void)snprintf(zarr, sizeof zarr, "%s.zarr", copy);
    assert_int_equal(sinpos_writer_check(zarr, &array, &options, &error), SINPOS_FILE_E_REQUEST);
    assert_string_equal(error.option, "zarr_format");
    options.zarr_format = 2;
    assert_int_equal(sinpos_writer_check(zarr, &narrow, &options, &error), SINPOS_FILE_E_REQUEST);
    assert_int_equal(sinpos_writer_check(npy, &array, &options, &error), SINPOS_FILE_E_REQUEST);
    assert_string_equal(error.option, "zarr_format");
    options.zarr_format = 0;
    options.chunk_bytes = 1;
    assert_int_equal(sinpos_writer_check(npy, &array, &options, &error), SINPOS_FILE_E_REQUEST);
    assert_string_equal(error.option, "chunk_bytes");
    assert_int_equal(sinpos_writer_check("/dev/null", &array, &options, &error), SINPOS_FILE_E_REQUEST);
    options.part = zarr;
    assert_int_equal(sinpos_writer_check(zarr, &array, &options, &error), SINPOS_FILE_E_REQUEST);
    assert_string_equal(error.option, "part");
    options.part = NULL;
    assert_int_equal(sinpos_writer_open(&writer, zarr, &array, &options, &error), SINPOS_FILE_OK);
    assert_int_equal(sinpos_writer_write(writer, data, 4, &error), SINPOS_FILE_OK);
    assert_int_equal(sinpos_writer_commit(writer, &error), SINPOS_FILE_E_REQUEST); /* two elements are missing */
    assert_int_equal(sinpos_writer_open(&writer, zarr, &array, &options, &error), SINPOS_FILE_OK);
    sinpos_writer_abandon(writer);
    assert_int_equal(access(zarr, F_OK), -1);
    assert_int_equal(sinpos_writer_open(&writer, zarr, &none, &options, &error), SINPOS_FILE_OK);
    assert_int_equal(sinpos_writer_commit(writer, &error), SINPOS_FILE_OK);
    sinpos_unfinished_remove(zarr);
    assert_int_equal(access(zarr, F_OK), -1);
}

/* What the library shows has its own size; which option an error is about. */
static void shown(void **state)
{
    (void)state;
    sinpos_model *model = some_model();
    const sinpos_tensor *tensor = sinpos_model_tensor(model, 0);
    assert_true(tensor->struct_size == sizeof *tensor && SINPOS_HAS(tensor, file));
    sinpos_model_close(model);
    sinpos_reader_options reading = SINPOS_READER_OPTIONS_INIT;
    sinpos_file_error error = SINPOS_FILE_ERROR_INIT;
    sinpos_reader *reader;
    reading.tensor = "another";
    assert_int_equal(sinpos_reader_open(&reader, gguf, &reading, &error), SINPOS_FILE_E_CONTENT);
    assert_string_equal(error.option, "tensor");
    assert_null(strstr(error.hint, "--"));
    assert_int_equal(sinpos_reader_open(&reader, "/nowhere/there.raw", NULL, &error), SINPOS_FILE_E_SYSTEM);
    assert_string_equal(error.option, "");
}

/* .npy column by column, of three dimensions, real or complex: item k of the file is the one whose first index runs fastest. */
static void by_columns(void **state)
{
    (void)state;
    enum { A = 3, B = 4, C = 5, N = A * B * C };
    for (size_t parts = 1; parts <= 2; parts++) {
        char header[128];
        static float stored[2 * N], got[2 * N];
        memset(header, ' ', sizeof header);
        memcpy(header, "\x93NUMPY\x01\0\x76\0", 10);
        const int n = snprintf(header + 10, sizeof header - 10,
                               "{'descr': '<%s', 'fortran_order': True, 'shape': (3, 4, 5)}", parts == 1 ? "f4" : "c8");
        header[10 + n] = ' ';
        header[sizeof header - 1] = '\n';
        for (size_t k = 0; k < N * parts; k++)
            stored[k] = (float)k;
        FILE *f = fopen(copy, "wb");
        assert_non_null(f);
        assert_int_equal(fwrite(header, sizeof header, 1, f), 1);
        assert_int_equal(fwrite(stored, sizeof(float), N * parts, f), N * parts);
        assert_int_equal(fclose(f), 0);
        sinpos_reader *reader;
        assert_int_equal(sinpos_reader_open(&reader, copy, NULL, NULL), SINPOS_FILE_OK);
        assert_int_equal(sinpos_reader_array(reader)->n_dims, 2 + parts);
        assert_int_equal(sinpos_reader_read_at(reader, 0, got, 1, NULL), SINPOS_FILE_E_REQUEST);
        assert_int_equal(sinpos_reader_read(reader, got, 7, NULL), SINPOS_FILE_OK);
        assert_int_equal(sinpos_reader_read(reader, got + 7, N * parts - 7, NULL), SINPOS_FILE_OK);
        sinpos_reader_close(reader);
        for (size_t a = 0; a < A; a++)
            for (size_t b = 0; b < B; b++)
                for (size_t c = 0; c < C; c++)
                    for (size_t p = 0; p < parts; p++)
                        assert_true(got[((a * B + b) * C + c) * parts + p] ==
                                    (float)((a + A * (b + B * c)) * parts + p));
    }
}

static int make_files(void **state)
{
    (void)state;
    if (mkdtemp(temporary_name(folder, "")) == NULL)
        return 1;
    snprintf(npy, sizeof npy, "%s/a.npy", folder);
    snprintf(copy, sizeof copy, "%s/b.npy", folder);
    snprintf(gguf, sizeof gguf, "%s/c.gguf", folder);
    write_array(npy);
    write_array(gguf);
    return 0;
}

static int remove_files(void **state)
{
    (void)state;
    remove(npy);
    remove(copy);
    remove(gguf);
    return remove(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(errors), cmocka_unit_test(options),
                                       cmocka_unit_test(shown),  cmocka_unit_test(by_columns),
                                       cmocka_unit_test(parts),  cmocka_unit_test(middle_of_a_file),
                                       cmocka_unit_test(chunks)};
    return cmocka_run_group_tests_name("files", tests, make_files, remove_files);
}
