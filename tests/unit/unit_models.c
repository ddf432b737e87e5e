/* Models: what a header says, tensors read from any place, copies with a tensor changed. Files from tests/data/models. */
#define _DEFAULT_SOURCE
#include "unit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sinpos_formats.h"
#include "temporary.h"

static const char *folder;

static const char *path_of(const char *name)
{
    static char path[4096];
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static sinpos_model *open_model(const char *name)
{
    sinpos_model *model = NULL;
    sinpos_file_error error = SINPOS_FILE_ERROR_INIT;
    if (sinpos_model_open(&model, path_of(name), &error) != SINPOS_FILE_OK)
        fail_msg("%s: %s", name, error.message);
    assert_non_null(model);
    return model;
}

/* A (2, 3) tensor; its element k is k + 0.5. */
static void check_tensor(sinpos_model *model, const char *name, const char *type, sinpos_element element, size_t file)
{
    const size_t i = sinpos_model_find(model, name);
    assert_int_not_equal(i, SINPOS_NO_TENSOR);
    const sinpos_tensor *tensor = sinpos_model_tensor(model, i);
    assert_string_equal(tensor->name, name);
    assert_string_equal(tensor->type, type);
    assert_int_equal(tensor->array.element, element);
    assert_int_equal(tensor->array.n_dims, 2);
    assert_int_equal(tensor->array.shape[0], 2);
    assert_int_equal(tensor->array.shape[1], 3);
    assert_int_equal(tensor->file, file);
}

static void lists_a_gguf(void **state)
{
    (void)state;
    sinpos_model *model = open_model("small.gguf");
    assert_int_equal(sinpos_model_tensors(model), 5);
    assert_int_equal(sinpos_model_files(model), 1);
    check_tensor(model, "f32", "F32", SINPOS_ELEMENT_F32, 0);
    check_tensor(model, "bf16", "BF16", SINPOS_ELEMENT_BF16, 0);
    const sinpos_tensor *quantised = sinpos_model_tensor(model, sinpos_model_find(model, "quantised"));
    assert_string_equal(quantised->type, "Q4_K");
    assert_int_equal(quantised->array.element, 0);
    assert_int_equal(quantised->bytes, 2 * 144);
    const sinpos_tensor *unknown = sinpos_model_tensor(model, sinpos_model_find(model, "unknown"));
    assert_string_equal(unknown->type, "?");
    assert_int_equal(unknown->bytes, 32); /* up to the next */
    assert_null(sinpos_model_tensor(model, 5));
    assert_null(sinpos_model_file(model, 1));
    sinpos_model_close(model);
}

static void tells_metadata(void **state)
{
    (void)state;
    sinpos_model *model = open_model("small.gguf");
    const sinpos_metadata *value = sinpos_model_metadata(model, "llama.rope.freq_base");
    assert_non_null(value);
    assert_int_equal(value->kind, SINPOS_METADATA_REAL);
    assert_true(value->real == 500000.0);
    value = sinpos_model_metadata(model, "llama.rope.dimension_count");
    assert_int_equal(value->kind, SINPOS_METADATA_INTEGER);
    assert_int_equal(value->integer, 128);
    value = sinpos_model_metadata(model, "general.architecture");
    assert_int_equal(value->kind, SINPOS_METADATA_TEXT);
    assert_string_equal(value->text, "llama");
    assert_int_equal(value->n, 5);
    value = sinpos_model_metadata(model, "llama.rope.dimension_sections");
    assert_int_equal(value->kind, SINPOS_METADATA_NUMBERS);
    assert_int_equal(value->n, 3);
    assert_true(value->numbers[1] == 24);
    value = sinpos_model_metadata(model, "tokenizer.ggml.tokens");
    assert_int_equal(value->kind, SINPOS_METADATA_OTHER);
    assert_int_equal(value->n, 2);
    value = sinpos_model_metadata(model, "negative");
    assert_int_equal(value->integer, -5);
    value = sinpos_model_metadata(model, "flag");
    assert_int_equal(value->kind, SINPOS_METADATA_BOOL);
    assert_int_equal(value->integer, 1);
    assert_null(sinpos_model_metadata(model, "llama.rope"));
    assert_string_equal(sinpos_model_metadata_at(model, 0)->name, "general.architecture");
    sinpos_model_close(model);
}

/* The least and the largest number of every type. */
static void numbers_of_every_type(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        sinpos_metadata_kind kind;
        int64_t integer;
        double real;
    } want[] = {
        {"least.u8", SINPOS_METADATA_INTEGER, 0, 0},
        {"most.u8", SINPOS_METADATA_INTEGER, UINT8_MAX, 255},
        {"least.i8", SINPOS_METADATA_INTEGER, INT8_MIN, -128},
        {"most.i8", SINPOS_METADATA_INTEGER, INT8_MAX, 127},
        {"least.u16", SINPOS_METADATA_INTEGER, 0, 0},
        {"most.u16", SINPOS_METADATA_INTEGER, UINT16_MAX, 65535},
        {"least.i16", SINPOS_METADATA_INTEGER, INT16_MIN, -32768},
        {"most.i16", SINPOS_METADATA_INTEGER, INT16_MAX, 32767},
        {"least.u32", SINPOS_METADATA_INTEGER, 0, 0},
        {"most.u32", SINPOS_METADATA_INTEGER, UINT32_MAX, 4294967295},
        {"least.i32", SINPOS_METADATA_INTEGER, INT32_MIN, -2147483648.0},
        {"most.i32", SINPOS_METADATA_INTEGER, INT32_MAX, 2147483647},
        {"least.f32", SINPOS_METADATA_REAL, 0, -1.5},
        {"most.f32", SINPOS_METADATA_REAL, 0, 0x1p100},
        {"least.bool", SINPOS_METADATA_BOOL, 0, 0},
        {"most.bool", SINPOS_METADATA_BOOL, 1, 1},
        {"least.u64", SINPOS_METADATA_INTEGER, 0, 0},
        {"most.u64", SINPOS_METADATA_REAL, 0, 0x1p64}, /* beyond int64 */
        {"least.i64", SINPOS_METADATA_INTEGER, INT64_MIN, -0x1p63},
        {"most.i64", SINPOS_METADATA_INTEGER, INT64_MAX, 0x1p63},
        {"least.f64", SINPOS_METADATA_REAL, 0, -2.5},
        {"most.f64", SINPOS_METADATA_REAL, 0, 1e300},
    };
    sinpos_model *model = open_model("values.gguf");
    for (size_t i = 0; i < sizeof want / sizeof want[0]; i++) {
        const sinpos_metadata *value = sinpos_model_metadata(model, want[i].name);
        assert_non_null(value);
        if (value->kind != want[i].kind || value->integer != want[i].integer || value->real != want[i].real)
            printf("%s: kind %d, %lld, %.17g\n", want[i].name, (int)value->kind, (long long)value->integer,
                   value->real);
        assert_true(value->kind == want[i].kind && value->integer == want[i].integer && value->real == want[i].real);
    }
    assert_int_equal(sinpos_model_metadata(model, "nested")->kind, SINPOS_METADATA_OTHER);
    sinpos_model_close(model);
}

static void refuses_what_does_not_fit(void **state)
{
    (void)state;
    static const struct {
        const char *name, *message;
    } bad[] = {
        {"nested_five_deep.gguf", "nested too deep"},
        {"between_alignments.gguf", "its tensor 'f64' does not begin at a multiple of the alignment"},
        {"said_1-00001-of-00002.gguf", "has split.count 1, but its name says 2 parts"},
        {"said_3-00001-of-00002.gguf", "has split.count 3, but its name says 2 parts"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        sinpos_model *model = NULL;
        sinpos_file_error error = SINPOS_FILE_ERROR_INIT;
        assert_int_equal(sinpos_model_open(&model, path_of(bad[i].name), &error), SINPOS_FILE_E_CONTENT);
        assert_null(model);
        assert_non_null(strstr(error.message, bad[i].message));
    }
    sinpos_model *model = open_model("said_2-00001-of-00002.gguf");
    assert_int_equal(sinpos_model_tensors(model), 2);
    sinpos_model_close(model);
}

static void reads_from_any_place(void **state)
{
    (void)state;
    sinpos_model *model = open_model("small.gguf");
    const size_t i = sinpos_model_find(model, "f32");
    float values[6], middle[2];
    sinpos_file_error error = SINPOS_FILE_ERROR_INIT;
    assert_int_equal(sinpos_model_read(model, i, 0, values, sizeof values, &error), SINPOS_FILE_OK);
    for (int k = 0; k < 6; k++)
        assert_true(values[k] == (float)k + 0.5f);
    assert_int_equal(sinpos_model_read(model, i, 8, middle, sizeof middle, &error), SINPOS_FILE_OK);
    assert_true(middle[0] == 2.5f && middle[1] == 3.5f);
    assert_int_equal(sinpos_model_read(model, i, 20, values, 5, &error), SINPOS_FILE_E_REQUEST);
    assert_int_equal(sinpos_model_read(model, i, UINT64_MAX, values, 1, &error), SINPOS_FILE_E_REQUEST);
    assert_int_equal(sinpos_model_read(model, 99, 0, values, 1, &error), SINPOS_FILE_E_NULL);
    sinpos_model_close(model);
}

/* An array too, whatever its byte order, and whatever was read of it in order; until its file is cut short. */
static void reads_elements_from_any_place(void **state)
{
    (void)state;
    static const char header[] =
        "{'descr': '>f4', 'fortran_order': False, 'shape': (2, 3), }                           \n";
    static const unsigned char numbers[24] = {0x3f, 0x80, 0, 0, 0x40, 0,    0, 0, 0x40, 0x40, 0, 0,
                                              0x40, 0x80, 0, 0, 0x40, 0xa0, 0, 0, 0x40, 0xc0, 0, 0};
    const unsigned char begin[10] = {0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, (unsigned char)(sizeof header - 1), 0};
    char path[TEMPORARY_SIZE];
    sinpos_reader *reader = NULL;
    sinpos_file_error error = SINPOS_FILE_ERROR_INIT;
    float values[6];
    const int file = mkstemps(temporary_name(path, ".npy"), 4);
    assert_true(file >= 0 && write(file, begin, sizeof begin) == (ssize_t)sizeof begin &&
                write(file, header, sizeof header - 1) == (ssize_t)sizeof header - 1 &&
                write(file, numbers, sizeof numbers) == (ssize_t)sizeof numbers);
    assert_int_equal(sinpos_reader_open(&reader, path, NULL, &error), SINPOS_FILE_OK);
    assert_int_equal(sinpos_reader_read(reader, values, 2, &error), SINPOS_FILE_OK);
    assert_int_equal(sinpos_reader_read_at(reader, 4, values + 4, 2, &error), SINPOS_FILE_OK);
    assert_int_equal(sinpos_reader_read(reader, values + 2, 2, &error), SINPOS_FILE_OK);
    for (int k = 0; k < 6; k++)
        assert_true(values[k] == (float)(k + 1));
    assert_int_equal(sinpos_reader_read_at(reader, 6, NULL, 0, &error), SINPOS_FILE_OK);
    assert_int_equal(sinpos_reader_read_at(reader, 5, values, 2, &error), SINPOS_FILE_E_REQUEST);
    assert_int_equal(sinpos_reader_read_at(reader, SIZE_MAX, values, 1, &error), SINPOS_FILE_E_REQUEST);
    assert_int_equal(sinpos_reader_read_at(reader, 0, NULL, 1, &error), SINPOS_FILE_E_NULL);
    assert_int_equal(sinpos_reader_read_at(NULL, 0, values, 1, &error), SINPOS_FILE_E_NULL);
    assert_int_equal(ftruncate(file, (off_t)(sizeof begin + sizeof header - 1 + 20)), 0);
    assert_int_equal(sinpos_reader_read_at(reader, 4, values, 1, &error), SINPOS_FILE_OK);
    assert_int_equal(sinpos_reader_read_at(reader, 5, values, 1, &error), SINPOS_FILE_E_CONTENT);
    sinpos_reader_close(reader);
    /* As standard input, behind what somebody else has read. */
    const size_t bytes = sizeof begin + sizeof header - 1 + 20;
    char whole[200];
    assert_true(bytes < sizeof whole && pread(file, whole, bytes, 0) == (ssize_t)bytes &&
                pwrite(file, whole, bytes, 5) == (ssize_t)bytes &&
                pwrite(file, numbers + 20, 4, (off_t)bytes + 5) == 4 && lseek(file, 5, SEEK_SET) == 5 &&
                dup2(file, STDIN_FILENO) == STDIN_FILENO);
    assert_int_equal(sinpos_reader_open(&reader, "-", NULL, &error), SINPOS_FILE_OK);
    assert_int_equal(sinpos_reader_read_at(reader, 0, values, 6, &error), SINPOS_FILE_OK);
    for (int k = 0; k < 6; k++)
        assert_true(values[k] == (float)(k + 1));
    sinpos_reader_close(reader);
    close(file);
    unlink(path);
}

static void suggests_names(void **state)
{
    (void)state;
    sinpos_model *model = open_model("small.gguf");
    assert_int_equal(sinpos_model_find(model, "quantized"), SINPOS_NO_TENSOR);
    assert_string_equal(sinpos_model_nearest(model, "quantized"), "quantised");
    assert_string_equal(sinpos_model_nearest(model, "knownn"), "unknown");
    assert_string_equal(sinpos_model_nearest(model, "antis"), "quantised");
    assert_null(sinpos_model_nearest(model, "something else"));
    assert_null(sinpos_model_nearest(model, ""));
    sinpos_model_close(model);
}

static void opens_what_the_reader_opens(void **state)
{
    (void)state;
    sinpos_reader *reader = NULL;
    sinpos_file_error error = SINPOS_FILE_ERROR_INIT;
    double values[6];
    const sinpos_reader_options options = {.struct_size = sizeof options, .tensor = "f64"};
    assert_int_equal(sinpos_reader_open(&reader, path_of("small.gguf"), &options, &error), SINPOS_FILE_OK);
    assert_string_equal(sinpos_reader_tensor(reader), "f64");
    assert_int_equal(sinpos_reader_read(reader, values, 2, &error), SINPOS_FILE_OK);
    assert_int_equal(sinpos_reader_read(reader, values + 2, 4, &error), SINPOS_FILE_OK);
    assert_true(values[0] == 0.5 && values[5] == 5.5);
    sinpos_reader_close(reader);
}

#ifdef SINPOS_HAVE_JANSSON
static void follows_an_index(void **state)
{
    (void)state;
    static const char *const names[] = {"sharded", "sharded/model.safetensors.index.json"};
    for (int k = 0; k < 2; k++) {
        sinpos_model *model = open_model(names[k]);
        sinpos_file_error error = SINPOS_FILE_ERROR_INIT;
        assert_int_equal(sinpos_model_files(model), 2);
        assert_int_equal(sinpos_model_tensors(model), 3); /* a fourth is in no place of the index */
        check_tensor(model, "f16", "F16", SINPOS_ELEMENT_F16, 0);
        check_tensor(model, "f8", "F8_E4M3", 0, 1);
        assert_string_equal(sinpos_model_metadata(model, "format")->text, "pt");
        assert_null(sinpos_model_metadata(model, "config.rope_theta"));
        assert_int_equal(sinpos_model_config(model, &error), SINPOS_FILE_OK);
        assert_true(sinpos_model_metadata(model, "config.rope_theta")->real == 1e6);
        assert_int_equal(sinpos_model_metadata(model, "config.text_config.num_attention_heads")->integer, 8);
        assert_int_equal(sinpos_model_metadata(model, "config.rope_scaling.short_factor")->n, 2);
        sinpos_model_close(model);
    }
}
#endif

static long size_of(const char *path)
{
    struct stat there;
    return stat(path, &there) == 0 ? (long)there.st_size : -1;
}

/* A copy in which one tensor is changed, in two pieces; everything else is as it was. */
static void rewrites_one_tensor(void **state)
{
    (void)state;
    char copy[TEMPORARY_SIZE];
    const int fd = mkstemps(temporary_name(copy, ".gguf"), 5);
    assert_true(fd >= 0);
    (void)close(fd);
    sinpos_model *model = open_model("small.gguf");
    sinpos_rewriter *rewriter = NULL;
    sinpos_file_error error = SINPOS_FILE_ERROR_INIT;
    const float changed[6] = {9, 8, 7, 6, 5, 4};
    const size_t i = sinpos_model_find(model, "f32");
    assert_int_equal(sinpos_rewriter_open(&rewriter, model, 0, copy, &error), SINPOS_FILE_OK);
    assert_non_null(sinpos_rewriter_temporary(rewriter));
    assert_int_equal(sinpos_rewriter_replace(rewriter, i, changed, 8, &error), SINPOS_FILE_OK);
    assert_int_equal(sinpos_rewriter_replace(rewriter, i, changed + 2, 16, &error), SINPOS_FILE_OK);
    assert_int_equal(sinpos_rewriter_commit(rewriter, &error), SINPOS_FILE_OK);
    assert_int_equal(size_of(copy), size_of(path_of("small.gguf")));

    sinpos_model *written = NULL;
    assert_int_equal(sinpos_model_open(&written, copy, &error), SINPOS_FILE_OK);
    assert_string_equal(sinpos_model_metadata(written, "general.architecture")->text, "llama");
    for (size_t k = 0; k < sinpos_model_tensors(model); k++) {
        unsigned char before[512], after[512];
        const size_t n = (size_t)sinpos_model_tensor(model, k)->bytes;
        assert_int_equal(sinpos_model_read(model, k, 0, before, n, &error), SINPOS_FILE_OK);
        assert_int_equal(sinpos_model_read(written, k, 0, after, n, &error), SINPOS_FILE_OK);
        assert_memory_equal(after, k == i ? (const void *)changed : (const void *)before, n);
    }
    sinpos_model_close(written);
    sinpos_model_close(model);
    (void)unlink(copy);
}

/* What is prepared is whole, and can be read as what it will be; the target has not changed until commit. */
static void prepares_under_another_name(void **state)
{
    (void)state;
    char copy[TEMPORARY_SIZE];
    const int fd = mkstemps(temporary_name(copy, ".gguf"), 5);
    assert_true(fd >= 0);
    (void)close(fd);
    sinpos_model *model = open_model("small.gguf"), *written = NULL;
    sinpos_rewriter *rewriter = NULL;
    sinpos_file_error error = SINPOS_FILE_ERROR_INIT;
    for (int end = 0; end < 2; end++) {
        assert_int_equal(sinpos_rewriter_open(&rewriter, model, 0, copy, &error), SINPOS_FILE_OK);
        assert_int_equal(sinpos_rewriter_prepare(rewriter, &error), SINPOS_FILE_OK);
        assert_int_equal(sinpos_rewriter_prepare(rewriter, &error), SINPOS_FILE_OK);
        assert_int_equal(size_of(copy), 0);
        assert_int_equal(sinpos_model_open(&written, sinpos_rewriter_temporary(rewriter), &error), SINPOS_FILE_OK);
        assert_int_equal(sinpos_model_tensors(written), sinpos_model_tensors(model));
        sinpos_model_close(written);
        assert_int_equal(sinpos_rewriter_replace(rewriter, 0, "", 1, &error), SINPOS_FILE_E_REQUEST);
        if (end == 0)
            sinpos_rewriter_abandon(rewriter);
        else
            assert_int_equal(sinpos_rewriter_commit(rewriter, &error), SINPOS_FILE_OK);
        assert_int_equal(size_of(copy), end == 0 ? 0 : size_of(path_of("small.gguf")));
    }
    sinpos_model_close(model);

    const sinpos_array array = {.element = SINPOS_ELEMENT_F32, .n_dims = 1, .shape = {3}};
    const float numbers[3] = {1, 2, 3};
    sinpos_writer *writer = NULL;
    assert_int_equal(sinpos_writer_open(&writer, copy, &array, NULL, &error), SINPOS_FILE_OK);
    assert_int_equal(sinpos_writer_write(writer, numbers, 2, &error), SINPOS_FILE_OK);
    assert_int_equal(sinpos_writer_prepare(writer, &error), SINPOS_FILE_E_REQUEST);
    sinpos_writer_abandon(writer);
    const long before = size_of(copy);
    for (int end = 0; end < 2; end++) {
        sinpos_reader *reader = NULL;
        assert_int_equal(sinpos_writer_open(&writer, copy, &array, NULL, &error), SINPOS_FILE_OK);
        assert_int_equal(sinpos_writer_write(writer, numbers, 3, &error), SINPOS_FILE_OK);
        assert_int_equal(sinpos_writer_prepare(writer, &error), SINPOS_FILE_OK);
        assert_int_equal(sinpos_writer_prepare(writer, &error), SINPOS_FILE_OK);
        assert_int_equal(sinpos_writer_write(writer, numbers, 1, &error), SINPOS_FILE_E_REQUEST);
        assert_int_equal(sinpos_reader_open(&reader, sinpos_writer_temporary(writer), NULL, &error), SINPOS_FILE_OK);
        sinpos_reader_close(reader);
        assert_int_equal(size_of(copy), before);
        if (end == 0)
            sinpos_writer_abandon(writer);
        else
            assert_int_equal(sinpos_writer_commit(writer, &error), SINPOS_FILE_OK);
    }
    assert_int_not_equal(size_of(copy), before);
    (void)unlink(copy);
}

static void refuses_to_rewrite_out_of_order(void **state)
{
    (void)state;
    char copy[TEMPORARY_SIZE];
    const int fd = mkstemps(temporary_name(copy, ".gguf"), 5);
    assert_true(fd >= 0);
    (void)close(fd);
    sinpos_model *model = open_model("small.gguf");
    sinpos_file_error error = SINPOS_FILE_ERROR_INIT;
    const double zeros[6] = {0};
    const size_t first = sinpos_model_find(model, "f32"), second = sinpos_model_find(model, "f64");
    sinpos_rewriter *rewriter = NULL;
    assert_int_equal(sinpos_rewriter_open(&rewriter, model, 0, copy, &error), SINPOS_FILE_OK);
    assert_int_equal(sinpos_rewriter_replace(rewriter, second, zeros, 8, &error), SINPOS_FILE_OK);
    assert_int_equal(sinpos_rewriter_replace(rewriter, first, zeros, 8, &error), SINPOS_FILE_E_REQUEST);
    sinpos_rewriter_abandon(rewriter);

    assert_int_equal(sinpos_rewriter_open(&rewriter, model, 0, copy, &error), SINPOS_FILE_OK);
    assert_int_equal(sinpos_rewriter_replace(rewriter, second, zeros, 48, &error), SINPOS_FILE_OK);
    assert_int_equal(sinpos_rewriter_replace(rewriter, second, zeros, 1, &error), SINPOS_FILE_E_REQUEST);
    sinpos_rewriter_abandon(rewriter);

    assert_int_equal(sinpos_rewriter_open(&rewriter, model, 0, copy, &error), SINPOS_FILE_OK);
    assert_int_equal(sinpos_rewriter_replace(rewriter, second, zeros, 8, &error), SINPOS_FILE_OK);
    assert_int_equal(sinpos_rewriter_commit(rewriter, &error), SINPOS_FILE_E_REQUEST);
    assert_int_equal(size_of(copy), 0); /* untouched */
    assert_int_equal(sinpos_rewriter_open(&rewriter, model, 1, copy, &error), SINPOS_FILE_E_REQUEST);
    sinpos_model_close(model);
    (void)unlink(copy);
}

static void shows_names(void **state)
{
    (void)state;
    static const char *const names[][2] = {
        {"model.layers.0.q_proj", "model.layers.0.q_proj"},
        {"gr\xc3\xbc\xc3\x9f \xe4\xbd\x8d \xf0\x9f\x98\x80", "gr\xc3\xbc\xc3\x9f \xe4\xbd\x8d \xf0\x9f\x98\x80"},
        {"a\x1b[2J\x07\x7f\n\t", "a?[2J????"},
        {"a\xc2\x85\xc2\x9b\xc2\xa0z", "a??\xc2\xa0z"},
        {"\xff\xe2\x80 \xc0\xaf", "??? ??"},
        {"\xd8\x9c\xe2\x80\x8d\xe2\x80\x8e\xe2\x80\x8f", "?\xe2\x80\x8d??"},
        {"\xe2\x80\xa7\xe2\x80\xa8\xe2\x80\xa9\xe2\x80\xaa\xe2\x80\xae\xe2\x80\xaf", "\xe2\x80\xa7????\xe2\x80\xaf"},
        {"\xe2\x81\xa5\xe2\x81\xa6\xe2\x81\xa9\xe2\x81\xaa", "\xe2\x81\xa5??\xe2\x81\xaa"},
        {"", ""},
        {NULL, ""},
    };
    char text[64];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        assert_string_equal(sinpos_printable(text, sizeof text, names[i][0]), names[i][1]);
    assert_string_equal(sinpos_printable(text, 4, "ab\xc3\xbc"), "ab"); /* whole characters */
    assert_string_equal(sinpos_printable(text, 5, "ab\xc3\xbc"), "ab\xc3\xbc");
    assert_string_equal(sinpos_printable(text, 1, "ab"), "");
    assert_string_equal(sinpos_printable(NULL, 5, "ab"), "");
    assert_string_equal(sinpos_printable(text, 0, "ab"), "");
}

static mode_t mode_of(const char *path)
{
    struct stat there;
    return stat(path, &there) == 0 ? there.st_mode & 0777 : 0;
}

/* A copy is as private as what it is a copy of; a file that is replaced keeps its permissions. */
static void copies_permissions(void **state)
{
    (void)state;
    char from[TEMPORARY_SIZE];
    char to[TEMPORARY_SIZE];
    const int fds[] = {mkstemps(temporary_name(from, ".gguf"), 5), mkstemps(temporary_name(to, ".gguf"), 5)};
    static const mode_t modes[] = {0600, 0640, 0666, 0400};
    sinpos_file_error error = SINPOS_FILE_ERROR_INIT;
    const mode_t mask = umask(022);
    assert_true(fds[0] >= 0 && fds[1] >= 0);
    assert_int_equal(sinpos_file_copy(path_of("small.gguf"), from, &error), SINPOS_FILE_OK);
    assert_int_equal(mode_of(from), 0600); /* was there */
    assert_int_equal(size_of(from), size_of(path_of("small.gguf")));
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        sinpos_model *model = NULL;
        sinpos_rewriter *rewriter = NULL;
        assert_int_equal(chmod(from, modes[i]), 0);
        assert_int_equal(unlink(to), 0);
        assert_int_equal(sinpos_file_copy(from, to, &error), SINPOS_FILE_OK);
        assert_int_equal(mode_of(to), modes[i] & 0755);
        assert_int_equal(size_of(to), size_of(from));
        assert_int_equal(unlink(to), 0);
        assert_int_equal(sinpos_model_open(&model, from, &error), SINPOS_FILE_OK);
        assert_int_equal(sinpos_rewriter_open(&rewriter, model, 0, to, &error), SINPOS_FILE_OK);
        assert_int_equal(sinpos_rewriter_commit(rewriter, &error), SINPOS_FILE_OK);
        assert_int_equal(mode_of(to), modes[i] & 0755);
        sinpos_model_close(model);
    }
    (void)umask(mask);
    assert_int_equal(sinpos_file_copy(NULL, to, NULL), SINPOS_FILE_E_NULL);
    assert_int_equal(sinpos_file_copy(from, NULL, NULL), SINPOS_FILE_E_NULL);
    assert_int_equal(sinpos_file_copy("/nonexistent", to, &error), SINPOS_FILE_E_SYSTEM);
    assert_string_equal(error.message, "cannot be copied from /nonexistent: no such file or directory");
    assert_int_equal(error.system_errno, ENOENT);
    assert_int_equal(sinpos_file_copy("/dev/null", to, &error), SINPOS_FILE_E_REQUEST);
    for (size_t i = 0; i < 2; i++)
        assert_int_equal(close(fds[i]), 0);
    (void)unlink(from);
    (void)unlink(to);
}

static void takes_null(void **state)
{
    (void)state;
    sinpos_model *model = NULL;
    assert_int_equal(sinpos_model_open(NULL, "x", NULL), SINPOS_FILE_E_NULL);
    assert_int_equal(sinpos_model_open(&model, NULL, NULL), SINPOS_FILE_E_NULL);
    assert_int_equal(sinpos_model_open(&model, "/nonexistent.gguf", NULL), SINPOS_FILE_E_SYSTEM);
    assert_null(model);
    assert_int_equal(sinpos_model_tensors(NULL), 0);
    assert_int_equal(sinpos_model_files(NULL), 0);
    assert_null(sinpos_model_tensor(NULL, 0));
    assert_null(sinpos_model_metadata(NULL, "x"));
    assert_int_equal(sinpos_model_find(NULL, "x"), SINPOS_NO_TENSOR);
    sinpos_model_close(NULL);
    sinpos_rewriter_abandon(NULL);
    assert_int_equal(sinpos_rewriter_prepare(NULL, NULL), SINPOS_FILE_E_NULL);
    assert_int_equal(sinpos_writer_prepare(NULL, NULL), SINPOS_FILE_E_NULL);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_a_gguf),
        cmocka_unit_test(tells_metadata),
        cmocka_unit_test(numbers_of_every_type),
        cmocka_unit_test(refuses_what_does_not_fit),
        cmocka_unit_test(reads_from_any_place),
        cmocka_unit_test(reads_elements_from_any_place),
        cmocka_unit_test(suggests_names),
        cmocka_unit_test(opens_what_the_reader_opens),
#ifdef SINPOS_HAVE_JANSSON
        cmocka_unit_test(follows_an_index),
#endif
        cmocka_unit_test(rewrites_one_tensor),
        cmocka_unit_test(prepares_under_another_name),
        cmocka_unit_test(refuses_to_rewrite_out_of_order),
        cmocka_unit_test(shows_names),
        cmocka_unit_test(copies_permissions),
        cmocka_unit_test(takes_null),
    };
    folder = argc > 1 ? argv[1] : "tests/data/models";
    return cmocka_run_group_tests(tests, NULL, NULL);
}
