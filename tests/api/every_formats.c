/*
 * Every function of libsinpos-formats in each of the caller's modes [P6]: a case for each exported symbol.
 *
 *     every_formats SYMBOLS MODELS      the list of what the library exports; the folder tests/data/models
 */
#define _DEFAULT_SOURCE
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cases.h"
#include "modes.h"
#include "sinpos_formats.h"
#include "temporary.h"

enum { OUT = 1 << 14, MOST_SYMBOLS = 100, N = 24 };

static const char *models;
static char folder[TEMPORARY_SIZE];
static const double numbers[N] = {
    0.1,   1e300, -5e-324, 1e-310,  3,     1.0 / 3, 2e-308, 123456789.123456789, 1e22, 1e23, -0.0, 0.5, 1e-5,
    7e-10, 9.5,   2.5e15,  -1e-320, 1e100, 6e-300,  4.5,    0.30000000000000004, 1e16, 1e17, 8};
static const float floats[N] = {0.1f, 1e-45f, -1e-40f, 3e38f, 16777216, 1e-5f, 0.3f, 2};

static const char *path_of(const char *parent, const char *name)
{
    static char path[PATH_MAX];
    (void)snprintf(path, sizeof path, "%s/%s", parent, name);
    return path;
}

static size_t keep_file(const char *name, unsigned char *out)
{
    FILE *f = fopen(path_of(folder, name), "rb");
    assert_non_null(f);
    const size_t n = fread(out, 1, OUT, f);
    assert_int_equal(fclose(f), 0);
    assert_true(n > 0 && n < OUT);
    return n;
}

/* ------------------------------------------------------------------------------------------------------ Calls */

static void names_and_sizes(unsigned char *out)
{
    const sinpos_array array = {.element = SINPOS_ELEMENT_BF16, .n_dims = 3, .shape = {3, 5, 7}};
    size_t elements = 0;
    assert_int_equal(sinpos_array_elements(&array, &elements), SINPOS_FILE_OK);
    const size_t sizes[] = {elements, sinpos_element_bytes(SINPOS_ELEMENT_U16),
                            strlen(sinpos_element_name(SINPOS_ELEMENT_I8)), strlen(sinpos_writer_endings())};
    memcpy(out, sizes, sizeof sizes);
    assert_string_equal(sinpos_printable((char *)out + sizeof sizes, 100, "a\x1b[m \xe2\x80\xae"), "a?[m ?");
}

static void decimals(unsigned char *out)
{
    for (size_t i = 0; i < N; i++) {
        out += sinpos_decimal((char *)out, SINPOS_F64, &numbers[i]);
        out += sinpos_decimal((char *)out, SINPOS_F32, &floats[i]);
        const uint16_t bits = (uint16_t)(i * 1021 + 1);
        out += sinpos_decimal((char *)out, SINPOS_F16, &bits);
        out += sinpos_decimal((char *)out, SINPOS_BF16, &bits);
    }
}

/* Two chunks in a folder, which takes the place of no other, and is removed with all that is in it. */
static size_t chunked(unsigned char *out)
{
    static const char *const names[] = {"a.zarr/.zarray", "a.zarr/0.0", "a.zarr/1.0"};
    const sinpos_array array = {.element = SINPOS_ELEMENT_F64, .n_dims = 2, .shape = {4, 6}};
    const sinpos_writer_options options = {.struct_size = sizeof options, .zarr_format = 2, .chunk_bytes = 100};
    sinpos_writer *writer = NULL;
    size_t n = 0;
    assert_int_equal(sinpos_writer_open(&writer, path_of(folder, "a.zarr"), &array, &options, NULL), SINPOS_FILE_OK);
    assert_int_equal(sinpos_writer_write(writer, numbers, N, NULL), SINPOS_FILE_OK);
    assert_int_equal(sinpos_writer_commit(writer, NULL), SINPOS_FILE_OK);
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        n += keep_file(names[k], out + n);
    assert_int_equal(sinpos_writer_open(&writer, path_of(folder, "a.zarr"), &array, &options, NULL),
                     SINPOS_FILE_E_SYSTEM);
    sinpos_unfinished_remove(path_of(folder, "a.zarr"));
    assert_int_equal(access(path_of(folder, "a.zarr"), F_OK), -1);
    sinpos_unfinished_remove(NULL);
    return n;
}

static void written(unsigned char *out)
{
    static const char *const names[] = {"a.npy", "a.safetensors", "a.gguf", "a.csv", "a.h", "a.raw"};
    const sinpos_array array = {.element = SINPOS_ELEMENT_F64, .n_dims = 2, .shape = {4, 6}};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        sinpos_writer *writer = NULL;
        sinpos_file_error error = SINPOS_FILE_ERROR_INIT;
        if (sinpos_writer_check(path_of(folder, names[k]), &array, NULL, &error) != SINPOS_FILE_OK)
            continue; /* a build without Jansson */
        assert_int_equal(sinpos_writer_open(&writer, path_of(folder, names[k]), &array, NULL, &error), SINPOS_FILE_OK);
        assert_non_null(sinpos_writer_temporary(writer));
        assert_int_equal(sinpos_writer_write(writer, numbers, N, &error), SINPOS_FILE_OK);
        assert_int_equal(sinpos_writer_prepare(writer, &error), SINPOS_FILE_OK);
        assert_int_equal(sinpos_writer_commit(writer, &error), SINPOS_FILE_OK);
        out += keep_file(names[k], out);
    }
    sinpos_writer *writer = NULL;
    assert_int_equal(sinpos_writer_open(&writer, path_of(folder, "no.npy"), &array, NULL, NULL), SINPOS_FILE_OK);
    sinpos_writer_abandon(writer);
    out += chunked(out);
    assert_int_equal(sinpos_bytes_write(path_of(folder, "b.txt"), "some bytes", 10, NULL), SINPOS_FILE_OK);
    out += keep_file("b.txt", out);
    char from[sizeof folder + 8];
    (void)snprintf(from, sizeof from, "%s/b.txt", folder);
    assert_int_equal(sinpos_file_copy(from, path_of(folder, "c.txt"), NULL), SINPOS_FILE_OK);
    out += keep_file("c.txt", out);
}

/* The second half first, in two sittings. */
static void written_in_parts(unsigned char *out)
{
    char part[sizeof folder + 16];
    (void)snprintf(part, sizeof part, "%s/p.npy.part", folder);
    const sinpos_array array = {.element = SINPOS_ELEMENT_F64, .n_dims = 2, .shape = {4, 6}};
    const sinpos_writer_options options = {.struct_size = sizeof options, .part = part};
    for (size_t first = N / 2 + N / 2; first > 0; first -= N / 2) {
        sinpos_writer *writer = NULL;
        double back[N / 2];
        const size_t at = first - N / 2;
        assert_int_equal(sinpos_writer_open(&writer, path_of(folder, "p.npy"), &array, &options, NULL), SINPOS_FILE_OK);
        assert_int_equal(sinpos_writer_write_at(writer, at, numbers + at, N / 2, NULL), SINPOS_FILE_OK);
        assert_int_equal(sinpos_writer_read_at(writer, at, back, N / 2, NULL), SINPOS_FILE_OK);
        assert_memory_equal(back, numbers + at, sizeof back);
        if (at > 0)
            sinpos_writer_abandon(writer);
        else
            assert_int_equal(sinpos_writer_commit(writer, NULL), SINPOS_FILE_OK);
    }
    assert_int_equal(access(part, F_OK), -1);
    (void)keep_file("p.npy", out);
}

static void read_again(unsigned char *out)
{
    sinpos_reader *reader = NULL;
    sinpos_file_error error = SINPOS_FILE_ERROR_INIT;
    written(out);
    for (int way = 0; way < 2; way++) {
        assert_int_equal(sinpos_reader_open(&reader, path_of(folder, "a.npy"), NULL, &error), SINPOS_FILE_OK);
        memcpy(out, sinpos_reader_array(reader), sizeof(sinpos_array));
        assert_null(sinpos_reader_tensor(reader));
        out += sizeof(sinpos_array);
        if (way == 0)
            assert_int_equal(sinpos_reader_read(reader, out, N, &error), SINPOS_FILE_OK);
        else
            assert_int_equal(sinpos_reader_read_at(reader, 0, out, N, &error), SINPOS_FILE_OK);
        out += sizeof numbers;
        sinpos_reader_close(reader);
    }
}

static sinpos_model *open_model(void)
{
    sinpos_model *model = NULL;
    sinpos_file_error error = SINPOS_FILE_ERROR_INIT;
    assert_int_equal(sinpos_model_open(&model, path_of(models, "small.gguf"), &error), SINPOS_FILE_OK);
    return model;
}

static void a_model(unsigned char *out)
{
    sinpos_model *model = open_model();
    const size_t i = sinpos_model_find(model, "f64");
    const double rope = sinpos_model_metadata(model, "llama.rope.freq_base")->real;
    const size_t sizes[] = {sinpos_model_tensors(model),
                            sinpos_model_files(model),
                            i,
                            strlen(sinpos_model_tensor(model, i)->name),
                            strlen(sinpos_model_nearest(model, "f65")),
                            strlen(sinpos_model_metadata_at(model, 0)->name),
                            sinpos_model_file(model, 0) != NULL};
    assert_int_equal(sinpos_model_read(model, i, 0, out, 48, NULL), SINPOS_FILE_OK);
    memcpy(out + 48, &rope, sizeof rope);
    memcpy(out + 56, sizes, sizeof sizes);
    sinpos_model_close(model);
}

/* Numbers of config.json: decimals. */
static void a_config(unsigned char *out)
{
    sinpos_model *model = NULL;
    if (sinpos_model_open(&model, path_of(models, "sharded"), NULL) != SINPOS_FILE_OK)
        skip(); /* a build without Jansson */
    assert_int_equal(sinpos_model_config(model, NULL), SINPOS_FILE_OK);
    memcpy(out, &sinpos_model_metadata(model, "config.rope_theta")->real, sizeof(double));
    memcpy(out + 8, sinpos_model_metadata(model, "config.rope_scaling.short_factor")->numbers, 2 * sizeof(double));
    sinpos_model_close(model);
}

static void rewritten(unsigned char *out)
{
    sinpos_model *model = open_model();
    sinpos_rewriter *rewriter = NULL;
    const size_t i = sinpos_model_find(model, "f32");
    char copy[PATH_MAX];
    (void)snprintf(copy, sizeof copy, "%s/c.gguf", folder);
    assert_int_equal(sinpos_rewriter_open(&rewriter, model, 0, copy, NULL), SINPOS_FILE_OK);
    assert_non_null(sinpos_rewriter_temporary(rewriter));
    assert_int_equal(sinpos_rewriter_replace(rewriter, i, floats, 24, NULL), SINPOS_FILE_OK);
    assert_int_equal(sinpos_rewriter_prepare(rewriter, NULL), SINPOS_FILE_OK);
    assert_int_equal(sinpos_rewriter_commit(rewriter, NULL), SINPOS_FILE_OK);
    (void)keep_file("c.gguf", out);
    assert_int_equal(sinpos_rewriter_open(&rewriter, model, 0, copy, NULL), SINPOS_FILE_OK);
    sinpos_rewriter_abandon(rewriter);
    sinpos_model_close(model);
}

static const struct call {
    void (*make)(unsigned char *out);
    const char *functions;
} calls[] = {
    {names_and_sizes, "array_elements element_bytes element_name writer_endings printable"},
    {decimals, "decimal"},
    {written, "writer_check writer_open writer_temporary writer_write writer_prepare writer_commit writer_abandon "
              "bytes_write file_copy unfinished_remove"},
    {written_in_parts, "writer_write_at writer_read_at"},
    {read_again, "reader_open reader_array reader_tensor reader_read reader_read_at reader_close"},
    {a_model,
     "model_open model_find model_metadata model_metadata_at model_tensors model_files model_file model_tensor "
     "model_nearest model_read model_close"},
    {a_config, "model_config"},
    {rewritten, "rewriter_open rewriter_temporary rewriter_replace rewriter_prepare rewriter_commit rewriter_abandon"},
};

/* ------------------------------------------------------------------------------------------------------ Cases */

static bool has_word(const char *list, const char *word)
{
    const size_t n = strlen(word);
    for (const char *at = list; (at = strstr(at, word)) != NULL; at += n)
        if ((at == list || at[-1] == ' ') && (at[n] == ' ' || at[n] == '\0'))
            return true;
    return false;
}

static void same_in_every_mode(void **state)
{
    static unsigned char want[OUT], got[OUT];
    const char *symbol = *state;
    const struct call *c = NULL;
    for (size_t k = 0; k < sizeof calls / sizeof *calls && c == NULL; k++)
        c = has_word(calls[k].functions, symbol + strlen("modes sinpos_")) ? &calls[k] : NULL;
    if (c == NULL)
        fail_msg("no call of %s", symbol);
    memset(want, 0, OUT);
    c->make(want);
    for (unsigned m = 0; m < N_MODES; m++) {
        mode_kept kept;
        memset(got, 0, OUT);
        mode_set(m, &kept);
        c->make(got);
        const bool same = mode_end(&kept);
        assert_or_say(memcmp(got, want, OUT) == 0, "%s: other bytes %s", symbol, mode_name(m));
        assert_or_say(same, "%s: leaves another mode than %s", symbol, mode_name(m));
    }
}

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(temporary_name(folder, "")) == NULL;
}

static int remove_folder(void **state)
{
    static const char *const names[] = {"a.npy", "a.safetensors", "a.gguf", "a.csv",  "a.h",
                                        "a.raw", "b.txt",         "c.txt",  "c.gguf", "p.npy"};
    (void)state;
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        (void)unlink(path_of(folder, names[k]));
    return rmdir(folder);
}

int main(int argc, char **argv)
{
    static char symbols[MOST_SYMBOLS][80];
    static struct CMUnitTest cases[MOST_SYMBOLS];
    char line[60];
    size_t n = 0;
    FILE *list = fopen(argc > 1 ? argv[1] : "tests/api/symbols_formats.txt", "r");
    models = argc > 2 ? argv[2] : "tests/data/models";
    while (list != NULL && n < MOST_SYMBOLS && fgets(line, sizeof line, list) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        if (strncmp(line, "sinpos_", 7) != 0)
            continue;
        (void)snprintf(symbols[n], sizeof symbols[n], "modes %s", line);
        cases[n] = (struct CMUnitTest){symbols[n], same_in_every_mode, case_begin, case_end, symbols[n]};
        n++;
    }
    if (list == NULL || n == 0)
        return 1;
    (void)fclose(list);
    return cases_run("every_formats", cases, n, make_folder, remove_folder);
}
