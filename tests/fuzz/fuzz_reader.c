#define _DEFAULT_SOURCE
#include "fuzz_reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sinpos_formats.h"

static char folder[64], path[128];

static void remove_folder(void)
{
    (void)unlink(path);
    (void)rmdir(folder);
}

static void make_path(const char *ending)
{
    if (folder[0] == 0) {
        strcpy(folder, "/tmp/sinpos-fuzz-XXXXXX");
        if (mkdtemp(folder) == NULL)
            abort();
        (void)snprintf(path, sizeof path, "%s/input%s", folder, ending);
        (void)atexit(remove_folder);
    }
}

static void check_error(sinpos_file_status status, const sinpos_file_error *error)
{
    if (error->status != status || error->message[0] == 0 || error->hint == NULL)
        abort();
    for (const char *c = error->message; *c; c++)
        if ((unsigned char)*c < 0x20 || *c == 0x7f)
            abort();
}

static void read_all(sinpos_reader *reader)
{
    static unsigned char buffer[8192];
    sinpos_file_error error;
    size_t left = 0;
    const sinpos_array *array = sinpos_reader_array(reader);
    const size_t size = sinpos_element_bytes(array->element);
    if (size == 0 || array->n_dims > SINPOS_MAX_FILE_DIMS || sinpos_array_elements(array, &left) != SINPOS_FILE_OK)
        abort();
    while (left > 0) {
        const size_t n = left < sizeof buffer / size ? left : sizeof buffer / size;
        const sinpos_file_status status = sinpos_reader_read(reader, buffer, n, &error);
        if (status != SINPOS_FILE_OK) {
            check_error(status, &error);
            return;
        }
        left -= n;
    }
    if (sinpos_reader_read(reader, buffer, 1, &error) == SINPOS_FILE_OK)
        abort();
}

void read_as_file(const uint8_t *data, size_t size, const char *ending)
{
    make_path(ending);
    FILE *f = fopen(path, "wb");
    if (f == NULL || fwrite(data, 1, size, f) != size || fclose(f) != 0)
        abort();
    sinpos_reader *reader = NULL;
    sinpos_file_error error;
    const sinpos_file_status status = sinpos_reader_open(&reader, path, NULL, &error);
    if ((status == SINPOS_FILE_OK) != (reader != NULL))
        abort();
    if (status == SINPOS_FILE_OK)
        read_all(reader);
    else
        check_error(status, &error);
    sinpos_reader_close(reader);
}
