#include "array_file.h"

#include "folder.h"
#include "no_memory.h"
#include "request_text.h"
#include "sinpos_analysis.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* The i-th element of a list of integers as an int64; false for one beyond it. */
static int to_integer(sinpos_element element, const unsigned char *p, int64_t *value)
{
    int64_t i64;
    uint64_t u64;
    int32_t i32;
    uint32_t u32;
    int16_t i16;
    uint16_t u16;
    switch (element) {
    case SINPOS_ELEMENT_I64:
        memcpy(&i64, p, 8);
        *value = i64;
        return 1;
    case SINPOS_ELEMENT_I32:
        memcpy(&i32, p, 4);
        *value = i32;
        return 1;
    case SINPOS_ELEMENT_I16:
        memcpy(&i16, p, 2);
        *value = i16;
        return 1;
    case SINPOS_ELEMENT_I8: *value = (int8_t)*p; return 1;
    case SINPOS_ELEMENT_U64:
        memcpy(&u64, p, 8);
        *value = (int64_t)u64;
        return u64 <= INT64_MAX;
    case SINPOS_ELEMENT_U32:
        memcpy(&u32, p, 4);
        *value = u32;
        return 1;
    case SINPOS_ELEMENT_U16:
        memcpy(&u16, p, 2);
        *value = u16;
        return 1;
    case SINPOS_ELEMENT_U8: *value = *p; return 1;
    default: return 0;
    }
}

static void convert_integers(struct loaded_array *loaded, const char *path, const unsigned char *raw, size_t size)
{
    loaded->integers = memory_take(loaded->n, sizeof *loaded->integers);
    for (size_t i = 0; i < loaded->n; i++)
        if (!to_integer(loaded->array.element, raw + i * size, &loaded->integers[i]))
            fail(EXIT_FILE, "positions must stay below 2^63 in size", path, "its element %zu is not below 2^63", i);
}

static void convert_reals(struct loaded_array *loaded, const unsigned char *raw)
{
    loaded->reals = memory_take(loaded->n, sizeof *loaded->reals);
    expect_ok(sinpos_widen((sinpos_type)loaded->array.element, raw, loaded->n, loaded->reals));
}

static void load(struct loaded_array *loaded, const char *path, sinpos_reader *reader)
{
    sinpos_file_error error = SINPOS_FILE_ERROR_INIT;
    const sinpos_element element = loaded->array.element;
    const size_t size = sinpos_element_bytes(element);
    if (element == SINPOS_ELEMENT_F16 || element == SINPOS_ELEMENT_BF16) {
        fail(EXIT_FILE, "save it as float64 or float32", path, "holds %s, too short for this",
             sinpos_element_name(element));
    }
    if (sinpos_array_elements(&loaded->array, &loaded->n) != SINPOS_FILE_OK || loaded->n > SIZE_MAX / 16)
        fail_memory();
    OWNED unsigned char *raw = memory_take(loaded->n, size);
    if (sinpos_reader_read(reader, raw, loaded->n, &error) != SINPOS_FILE_OK)
        fail_read(path, &error);
    request_note(raw, loaded->n * size);
    if (element == SINPOS_ELEMENT_F64 || element == SINPOS_ELEMENT_F32)
        convert_reals(loaded, raw);
    else
        convert_integers(loaded, path, raw, size);
}

bool ends_with(const char *text, const char *ending)
{
    const size_t n = strlen(text), m = strlen(ending);
    return n >= m && strcmp(text + n - m, ending) == 0;
}

bool is_array_file(const char *value)
{
    static const char *const endings[] = {".npy", ".safetensors", ".gguf", ".json"};
    struct stat there;
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++)
        if (ends_with(value, endings[i]))
            return true;
    return strcmp(value, "/dev/stdin") == 0 ||
           (file_is_there(value, &there) && !S_ISREG(there.st_mode) && !S_ISDIR(there.st_mode));
}

void array_file_load(struct loaded_array *loaded, const char *path)
{
    sinpos_file_error error = SINPOS_FILE_ERROR_INIT;
    sinpos_reader *reader;
    memset(loaded, 0, sizeof *loaded);
    if (sinpos_reader_open(&reader, path, NULL, &error) != SINPOS_FILE_OK)
        fail_read(path, &error);
    loaded->array = *sinpos_reader_array(reader);
    load(loaded, path, reader);
    sinpos_reader_close(reader);
}

void loaded_array_free(struct loaded_array *loaded)
{
    free(loaded->integers);
    free(loaded->reals);
    memset(loaded, 0, sizeof *loaded);
}

static noreturn void fail_text(const char *path, int number)
{
    fail_errno(path, number,
               number == ENOENT ? "check the spelling of the path" : "check the file and its permissions");
}

static char *read_text(FILE *file, const char *path)
{
    const size_t most = (size_t)1 << 30;
    size_t used = 0, room = 0;
    char *buffer = NULL;
    bool is_interrupted;
    do {
        buffer = memory_grow(buffer, used, &room, 1);
        used += fread(buffer + used, 1, room - used, file);
        is_interrupted = ferror(file) && errno == EINTR;
        if (is_interrupted)
            clearerr(file);
    } while ((used == room || is_interrupted) && room <= most);
    if (used == room)
        fail_memory();
    if (ferror(file))
        fail_text(path, errno);
    if (memchr(buffer, '\0', used) != NULL)
        fail(EXIT_FILE, "a .json file is plain text", path, "is not text");
    buffer[used] = '\0';
    return buffer;
}

char *text_file_load(const char *path)
{
    FILE *file = fopen(path, "r");
    if (file == NULL)
        fail_text(path, errno);
    char *text = read_text(file, path);
    fclose(file);
    request_note(text, strlen(text));
    return text;
}
