/* reader_input.c - what the formats share of reading: a file or standard input, taken from its beginning on. */
#include "format.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool has_ending(const char *path, const char *ending)
{
    const size_t length = strlen(path);
    const size_t tail = strlen(ending);
    return length >= tail && strcmp(path + length - tail, ending) == 0;
}

ptrdiff_t read_some(int fd, void *data, size_t bytes)
{
    const size_t most = (size_t)1 << 30;
    for (;;) {
        const ssize_t n = read(fd, data, bytes < most ? bytes : most);
        if (n >= 0 || errno != EINTR)
            return n;
    }
}

sinpos_file_status read_at(int fd, uint64_t offset, void *data, size_t bytes, sinpos_file_error *error)
{
    const size_t most = (size_t)1 << 30;
    unsigned char *p = data;
    while (bytes > 0) {
        const ssize_t n = pread(fd, p, bytes < most ? bytes : most, (off_t)offset);
        if (n < 0 && errno != EINTR)
            return problem_system(error, errno);
        if (n == 0) {
            return problem_set(error, SINPOS_FILE_E_CONTENT, "the file is cut short; copy or make it again",
                               "ends after %llu bytes, where more must follow", (unsigned long long)offset);
        }
        if (n > 0) {
            p += n;
            offset += (uint64_t)n;
            bytes -= (size_t)n;
        }
    }
    return SINPOS_FILE_OK;
}

/* The other names may lead to a file, whose own name has no extension either. */
static bool is_standard_input(const char *path)
{
    return strcmp(path, "-") == 0 || strcmp(path, "/dev/stdin") == 0 || strcmp(path, "/dev/fd/0") == 0 ||
           strcmp(path, "/proc/self/fd/0") == 0;
}

sinpos_file_status reader_open_file(struct sinpos_reader *reader, const char *path, sinpos_file_error *error)
{
    reader->is_standard = is_standard_input(path);
    reader->fd = reader->is_standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    struct stat status;
    if (reader->fd < 0 || fstat(reader->fd, &status) != 0)
        return problem_system(error, errno);
    if (S_ISDIR(status.st_mode) && has_ending(path, ".zarr")) {
        return problem_set(error, SINPOS_FILE_E_REQUEST, "open it with Zarr and save a .npy",
                           "this format is written but not read");
    }
    if (S_ISDIR(status.st_mode))
        return problem_system(error, EISDIR);
    const off_t offset = S_ISREG(status.st_mode) ? lseek(reader->fd, 0, SEEK_CUR) : -1;
    if (S_ISREG(status.st_mode) && offset < 0 && errno != ESPIPE)
        return problem_system(error, errno);
    reader->is_regular = offset >= 0 && offset <= status.st_size;
    reader->file_bytes = reader->is_regular ? (uint64_t)(status.st_size - offset) : 0;
#ifdef POSIX_FADV_SEQUENTIAL
    (void)posix_fadvise(reader->fd, 0, 0, POSIX_FADV_SEQUENTIAL);
#endif
    return SINPOS_FILE_OK;
}

sinpos_file_status reader_take(struct sinpos_reader *reader, void *data, size_t bytes, sinpos_file_error *error)
{
    unsigned char *p = data;
    size_t left = bytes;
    const size_t early = left < reader->n_peeked ? left : reader->n_peeked;
    if (early > 0) {
        memcpy(p, reader->peeked, early);
        memmove(reader->peeked, reader->peeked + early, reader->n_peeked - early);
        reader->n_peeked -= early;
        p += early;
        left -= early;
    }
    while (left > 0) {
        const ssize_t n = read_some(reader->fd, p, left);
        if (n < 0)
            return problem_system(error, errno);
        if (n == 0) {
            return problem_set(error, SINPOS_FILE_E_CONTENT, "the file is cut short; copy or make it again",
                               "ends after %llu bytes, where more must follow",
                               (unsigned long long)(reader->position + (bytes - left)));
        }
        p += n;
        left -= (size_t)n;
    }
    reader->position += bytes;
    return SINPOS_FILE_OK;
}

sinpos_file_status reader_skip(struct sinpos_reader *reader, uint64_t bytes, sinpos_file_error *error)
{
    unsigned char scrap[4096];
    if (reader->is_regular && reader->n_peeked == 0) {
        if (lseek(reader->fd, (off_t)bytes, SEEK_CUR) < 0)
            return problem_system(error, errno);
        reader->position += bytes;
        return SINPOS_FILE_OK;
    }
    while (bytes > 0) {
        const size_t some = bytes < sizeof scrap ? (size_t)bytes : sizeof scrap;
        const sinpos_file_status status = reader_take(reader, scrap, some, error);
        if (status != SINPOS_FILE_OK)
            return status;
        bytes -= some;
    }
    return SINPOS_FILE_OK;
}

sinpos_file_status reader_check_size(struct sinpos_reader *reader, uint64_t data_bytes, sinpos_file_error *error)
{
    if (!reader->is_regular)
        return SINPOS_FILE_OK;
    const uint64_t there = reader->file_bytes - reader->position;
    if (there != data_bytes) {
        return problem_set(error, SINPOS_FILE_E_CONTENT,
                           there < data_bytes ? "the file is cut short; copy or make it again"
                                              : "the file is corrupt, or several were joined; make it again",
                           "its header promises %llu bytes of data, and %llu are there", (unsigned long long)data_bytes,
                           (unsigned long long)there);
    }
    return SINPOS_FILE_OK;
}

sinpos_file_status reader_choose_tensor(struct sinpos_reader *reader,
                                        sinpos_file_status (*read)(struct sinpos_reader *reader,
                                                                   struct contents *contents, sinpos_file_error *error),
                                        sinpos_file_error *error)
{
    RELEASED_BY(contents_free) struct contents contents = {.n_tensors = 0};
    size_t chosen = 0;
    sinpos_file_status status = read(reader, &contents, error);
    status = status == SINPOS_FILE_OK ? contents_choose(&contents, reader->options.tensor, &chosen, error) : status;
    if (status == SINPOS_FILE_OK) {
        const sinpos_tensor *tensor = &contents.tensors[chosen];
        reader->array = tensor->array;
        reader->tensor = strdup(tensor->name);
        status = reader->tensor == NULL ? problem_memory(error)
                                        : reader_skip(reader, tensor->offset - reader->position, error);
    }
    return status;
}
