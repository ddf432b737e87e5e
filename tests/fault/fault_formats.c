/*
 * libsinpos-formats without memory: every allocation of readers, writers and models fails in turn, Jansson's too. And
 * files that cannot be synced, closed or renamed.
 */
#define _DEFAULT_SOURCE
#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#ifdef SINPOS_HAVE_JANSSON
#include <jansson.h>
#endif

#include "cases.h"
#include "sinpos_formats.h"
#include "temporary.h"
#include "wrapped.h"

enum { OUT = 4096, PATH = 4096 };

static const uint8_t UNTOUCHED = 0xa5;
static const sinpos_array array = {SINPOS_ELEMENT_F32, 2, {3, 4}};
static float elements[12] = {1, 0.5F, -3, 0.25F, 5, 6, 7, 8, 9, 10, 11, 12};

static const char *models;
static char folder[TEMPORARY_SIZE];

static const char *path_of(const char *in, const char *name)
{
    static char path[PATH];
    (void)snprintf(path, sizeof path, "%s/%s", in, name);
    return path;
}

/* -------------------------------------------------------------------------------------- what is done with a file */

static sinpos_file_status write_array(const char *name, void *out, sinpos_file_error *error)
{
    sinpos_writer *writer = (sinpos_writer *)(uintptr_t)16;
    (void)out;
    sinpos_file_status status = sinpos_writer_check(path_of(folder, name), &array, NULL, error);
    if (status != SINPOS_FILE_OK)
        return status;
    status = sinpos_writer_open(&writer, path_of(folder, name), &array, NULL, error);
    if (status != SINPOS_FILE_OK) {
        assert_null(writer);
        return status;
    }
    status = sinpos_writer_write(writer, elements, 12, error);
    if (status == SINPOS_FILE_OK)
        return sinpos_writer_commit(writer, error);
    sinpos_writer_abandon(writer);
    return status;
}

static sinpos_file_status read_array(const char *name, void *out, sinpos_file_error *error)
{
    sinpos_reader *reader = (sinpos_reader *)(uintptr_t)16;
    sinpos_file_status status = sinpos_reader_open(&reader, path_of(folder, name), NULL, error);
    if (status != SINPOS_FILE_OK) {
        assert_null(reader);
        return status;
    }
    status = sinpos_reader_read(reader, out, 12, error);
    sinpos_reader_close(reader);
    return status;
}

static sinpos_file_status read_model(const char *name, void *out, sinpos_file_error *error)
{
    sinpos_model *model = (sinpos_model *)(uintptr_t)16;
    sinpos_file_status status = sinpos_model_open(&model, path_of(models, name), error);
    if (status != SINPOS_FILE_OK) {
        assert_null(model);
        return status;
    }
    status = sinpos_model_config(model, error);
    status = status != SINPOS_FILE_OK ? status : sinpos_model_read(model, 0, 0, out, 8, error);
    if (status == SINPOS_FILE_OK) {
        size_t n = 0;
        while (sinpos_model_metadata_at(model, n) != NULL)
            n++;
        ((size_t *)out)[1] = n;
        ((size_t *)out)[2] = sinpos_model_tensors(model);
    }
    sinpos_model_close(model);
    return status;
}

static sinpos_file_status read_model_tensor(const char *name, void *out, sinpos_file_error *error)
{
    const sinpos_reader_options options = {.struct_size = sizeof options, .tensor = "f32"};
    sinpos_reader *reader;
    sinpos_file_status status = sinpos_reader_open(&reader, path_of(models, name), &options, error);
    if (status != SINPOS_FILE_OK)
        return status;
    status = sinpos_reader_read(reader, out, 6, error);
    sinpos_reader_close(reader);
    return status;
}

static sinpos_file_status copy_model(const char *name, void *out, sinpos_file_error *error)
{
    sinpos_model *model;
    sinpos_rewriter *rewriter = (sinpos_rewriter *)(uintptr_t)16;
    (void)out;
    sinpos_file_status status = sinpos_model_open(&model, path_of(models, name), error);
    if (status != SINPOS_FILE_OK)
        return status;
    status = sinpos_rewriter_open(&rewriter, model, 0, path_of(folder, "copy.gguf"), error);
    if (status != SINPOS_FILE_OK)
        assert_null(rewriter);
    else
        status = sinpos_rewriter_commit(rewriter, error);
    sinpos_model_close(model);
    return status;
}

static sinpos_file_status write_bytes(const char *name, void *out, sinpos_file_error *error)
{
    (void)out;
    return sinpos_bytes_write(path_of(folder, name), "bytes", 5, error);
}

/* ------------------------------------------------------------------------------------------------- the test */

/* Files are written before they are read. */
static const struct work {
    sinpos_file_status (*call)(const char *name, void *out, sinpos_file_error *error);
    const char *what, *name, *written; /* what it leaves in the folder */
} works[] = {
    {write_array, "write", "a.npy", "a.npy"},
    {read_array, "read", "a.npy", NULL},
    {write_array, "write", "a.gguf", "a.gguf"},
    {read_array, "read", "a.gguf", NULL},
    {write_array, "write", "a.csv", "a.csv"},
    {write_array, "write", "a.h", "a.h"},
    {write_array, "write", "a.raw", "a.raw"},
    {write_array, "write", "a.zarr", "a.zarr/0.0"},
    {read_model, "model", "small.gguf", NULL},
    {read_model_tensor, "tensor of", "small.gguf", NULL},
    {copy_model, "copy", "small.gguf", "copy.gguf"},
    {write_bytes, "write", "bytes.json", "bytes.json"},
#ifdef SINPOS_HAVE_JANSSON
    {write_array, "write", "a.safetensors", "a.safetensors"},
    {read_array, "read", "a.safetensors", NULL},
    {read_model, "model", "sharded", NULL},
#endif
};
enum { N_WORKS = sizeof works / sizeof *works };

static size_t files_in_folder(void)
{
    size_t n = 0;
    DIR *entries = opendir(folder);
    assert_non_null(entries);
    while (readdir(entries) != NULL)
        n++;
    (void)closedir(entries);
    return n;
}

static void remove_written(const struct work *w)
{
    if (w->written != NULL)
        sinpos_unfinished_remove(path_of(folder, w->call == write_array ? w->name : w->written));
}

static size_t content(const char *name, uint8_t bytes[OUT])
{
    FILE *file = fopen(path_of(folder, name), "rb");
    assert_non_null(file);
    const size_t n = fread(bytes, 1, OUT, file);
    (void)fclose(file);
    return n;
}

static uint8_t wanted[OUT], got[OUT], whole[OUT], again[OUT];

static bool is_as_wanted(const struct work *w, size_t n_bytes)
{
    return memcmp(got, wanted, OUT) == 0 &&
           (w->written == NULL || (content(w->written, again) == n_bytes && memcmp(again, whole, n_bytes) == 0));
}

/* One allocation fails; false: there were fewer. */
static bool fails(const struct work *w, long n, size_t n_bytes)
{
    sinpos_file_error error = SINPOS_FILE_ERROR_INIT;
    remove_written(w);
    memset(got, UNTOUCHED, OUT);
    const size_t n_files = files_in_folder();
    const long before = live;
    reset();
    failing_allocation = n;
    const sinpos_file_status status = w->call(w->name, got, &error);
    failing_allocation = 0;
    const bool was_reached = allocations >= n;
    if (live != before)
        fail_msg("%s %s: allocation %ld fails: %ld blocks are left", w->what, w->name, n, live - before);
    if (status != SINPOS_FILE_OK && (status != SINPOS_FILE_E_MEMORY || error.status != status))
        fail_msg("%s %s: allocation %ld fails: %d, %s", w->what, w->name, n, (int)status, error.message);
    /* A folder that cannot be synced is not an error: the file is there. */
    if (status == SINPOS_FILE_OK && !is_as_wanted(w, n_bytes))
        fail_msg("%s %s: allocation %ld fails: another result", w->what, w->name, n);
    if (status != SINPOS_FILE_OK && files_in_folder() != n_files)
        fail_msg("%s %s: allocation %ld fails, and a file is left", w->what, w->name, n);
    return was_reached;
}

static void every_allocation_fails(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_WORKS; i++) {
        const struct work *w = &works[i];
        sinpos_file_error error = SINPOS_FILE_ERROR_INIT;
        long n = 1;
        memset(wanted, UNTOUCHED, OUT);
        reset();
        if (w->call(w->name, wanted, &error) != SINPOS_FILE_OK)
            fail_msg("%s %s: %s", w->what, w->name, error.message);
        assert_true(allocations > 0);
        const size_t n_bytes = w->written == NULL ? 0 : content(w->written, whole);
        while (fails(w, n, n_bytes))
            n++;
    }
}

/* ------------------------------------------------------------------------------------ disks that fail at the end */

static enum { NOTHING, SYNC, CLOSE, RENAME, N_ENDS } failing_end;

int __real_fsync(int fd);
int __real_close(int fd);
int __real_rename(const char *from, const char *to);
int __wrap_fsync(int fd);
int __wrap_close(int fd);
int __wrap_rename(const char *from, const char *to);

static int n_syncs, failing_sync; /* the one that fails, counted from 1; 0: all or none */
static int sync_error = EIO;

int __wrap_fsync(int fd)
{
    n_syncs++;
    errno = sync_error;
    return failing_end == SYNC && (failing_sync == 0 || failing_sync == n_syncs) ? -1 : __real_fsync(fd);
}

int __wrap_close(int fd)
{
    const int status = __real_close(fd);
    if (failing_end != CLOSE)
        return status;
    errno = EIO;
    return -1;
}

int __wrap_rename(const char *from, const char *to)
{
    errno = EIO;
    return failing_end == RENAME ? -1 : __real_rename(from, to);
}

/* The target stays what it was, and nothing lies beside it. */
static void every_end_fails(void **state)
{
    (void)state;
    sinpos_file_error error = SINPOS_FILE_ERROR_INIT;
    assert_int_equal(write_array("end.npy", NULL, &error), SINPOS_FILE_OK);
    const size_t n_bytes = content("end.npy", whole), n_files = files_in_folder();
    elements[0] = 2;
    for (int end = SYNC; end < N_ENDS; end++) {
        failing_end = end;
        const sinpos_file_status status = write_array("end.npy", NULL, &error);
        failing_end = NOTHING;
        assert_int_equal(status, SINPOS_FILE_E_SYSTEM);
        assert_int_equal(error.system_errno, EIO);
        assert_int_equal(files_in_folder(), n_files);
        static uint8_t now[sizeof whole];
        assert_int_equal(content("end.npy", now), n_bytes);
        assert_memory_equal(now, whole, n_bytes);
    }
    elements[0] = 1;
    assert_int_equal(remove(path_of(folder, "end.npy")), 0);
}

/* The file has its name, and whether that reached the disk is said; not where a file system syncs no folders. */
static void a_folder_is_not_synced(void **state)
{
    (void)state;
    static const int errors[] = {EIO, ENOSPC, EDQUOT, EINVAL};
    for (size_t k = 0; k < sizeof errors / sizeof *errors; k++) {
        sinpos_file_error error = SINPOS_FILE_ERROR_INIT;
        n_syncs = 0;
        failing_end = SYNC;
        failing_sync = 2;
        sync_error = errors[k];
        const sinpos_file_status status = write_array("end.npy", NULL, &error);
        failing_end = NOTHING;
        failing_sync = 0;
        sync_error = EIO;
        assert_int_equal(n_syncs, 2);
        assert_int_equal(status, errors[k] == EINVAL ? SINPOS_FILE_OK : SINPOS_FILE_E_SYSTEM);
        assert_true(errors[k] == EINVAL ||
                    (error.system_errno == errors[k] && strstr(error.message, "folder") != NULL));
        assert_int_equal(remove(path_of(folder, "end.npy")), 0);
    }
}

/* Nor a folder of chunks, of which the description, the chunk, itself and the folder around it are synced. */
static void every_end_of_a_folder_fails(void **state)
{
    (void)state;
    const size_t n_files = files_in_folder();
    n_syncs = 0;
    assert_int_equal(write_array("end.zarr", NULL, NULL), SINPOS_FILE_OK);
    assert_int_equal(n_syncs, 4);
    sinpos_unfinished_remove(path_of(folder, "end.zarr"));
    for (int end = SYNC; end < N_ENDS; end++) {
        sinpos_file_error error = SINPOS_FILE_ERROR_INIT;
        failing_end = end;
        const sinpos_file_status status = write_array("end.zarr", NULL, &error);
        failing_end = NOTHING;
        assert_int_equal(status, SINPOS_FILE_E_SYSTEM);
        assert_int_equal(error.system_errno, EIO);
        assert_int_equal(files_in_folder(), n_files);
    }
}

/* ------------------------------------------------------------------------------------------------- permissions */

int __real_fchmod(int fd, mode_t mode);
int __wrap_fchmod(int fd, mode_t mode);

static unsigned seen_before; /* permissions of the new file until it has those of the old one */

int __wrap_fchmod(int fd, mode_t mode)
{
    struct stat now;
    seen_before = fstat(fd, &now) == 0 ? now.st_mode & 0777 : 0777;
    return __real_fchmod(fd, mode);
}

/* What replaces a private file is private from its first moment; what is new has what the umask leaves. */
static void private_from_the_first_moment(void **state)
{
    (void)state;
    static const mode_t modes[] = {0600, 0640, 0644, 0400, 0666};
    struct stat now;
    const mode_t before = umask(022);
    for (size_t k = 0; k < sizeof modes / sizeof *modes; k++) {
        sinpos_file_error error = SINPOS_FILE_ERROR_INIT;
        assert_int_equal(write_array("mode.npy", NULL, &error), SINPOS_FILE_OK);
        assert_int_equal(stat(path_of(folder, "mode.npy"), &now), 0);
        assert_int_equal(now.st_mode & 0777, 0644);
        assert_int_equal(chmod(path_of(folder, "mode.npy"), modes[k] | 0200), 0);
        seen_before = 0777;
        assert_int_equal(write_array("mode.npy", NULL, &error), SINPOS_FILE_OK);
        assert_int_equal(seen_before & 077, 0);
        assert_int_equal(stat(path_of(folder, "mode.npy"), &now), 0);
        assert_int_equal(now.st_mode & 0777, modes[k] | 0200);
        assert_int_equal(remove(path_of(folder, "mode.npy")), 0);
    }
    (void)umask(before);
}

static int make(void **state)
{
    (void)state;
#ifdef SINPOS_HAVE_JANSSON
    json_set_alloc_funcs(malloc, free); /* those of this program */
#endif
    return mkdtemp(temporary_name(folder, "")) == NULL;
}

static int destroy(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_WORKS; i++)
        remove_written(&works[i]);
    return rmdir(folder);
}

int main(int argc, char **argv)
{
    if (argc != 2)
        return 2;
    models = argv[1];
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_allocation_fails), cmocka_unit_test(every_end_fails),
                                       cmocka_unit_test(a_folder_is_not_synced),
                                       cmocka_unit_test(every_end_of_a_folder_fails),
                                       cmocka_unit_test(private_from_the_first_moment)};
    return cmocka_run_group_tests_name("fault_formats", tests, make, destroy);
}
