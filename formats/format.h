/* format.h - what the format files share; inside formats/ only. docs/formats.md describes the formats. */
#ifndef FORMAT_H
#define FORMAT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sinpos_formats.h"

#define DEFAULT_TENSOR "position_encoding"

/* ---------------------------------------------------------------------------------------------- problem.c */

sinpos_file_status problem_set(sinpos_file_error *error, sinpos_file_status status, const char *hint,
                               const char *message, ...) __attribute__((format(printf, 4, 5)));
sinpos_file_status problem_system(sinpos_file_error *error, int number);
sinpos_file_status problem_memory(sinpos_file_error *error);
void problem_clear(sinpos_file_error *error);

/* ------------------------------------------------------------------------------------------------ array.c */

/* Name of a type in a format: "<f4" without its first character, or "F32". NULL where the format has none. */
const char *element_npy_name(sinpos_element element);
const char *element_safetensors_name(sinpos_element element);
bool element_from_npy(const char *name, size_t length, sinpos_element *element);
bool element_from_safetensors(const char *name, sinpos_element *element);
bool machine_is_big_endian(void);
void swap_bytes(void *data, size_t n, size_t element_bytes);

/* ----------------------------------------------------------------------------------------------- output.c */

/* A file that appears whole or not at all, or a device or pipe written in place. */
struct output {
    int fd;
    bool is_standard; /* descriptor 1, not ours to close */
    char *target;     /* NULL in place */
    char *temporary;  /* NULL in place */
    uint64_t written;
};

/* Is this path written in place: standard output, or something that exists and is no regular file? */
bool output_in_place(const char *path);
sinpos_file_status output_open(struct output *output, const char *path, uint64_t bytes, sinpos_file_error *error);
sinpos_file_status output_write(struct output *output, const void *data, size_t bytes, sinpos_file_error *error);
sinpos_file_status output_commit(struct output *output, sinpos_file_error *error);
void output_abandon(struct output *output);

/* ----------------------------------------------------------------------------------------------- formats */

struct format {
    const char *ending;
    unsigned types;      /* set of sinpos_type that it can hold */
    const char *refusal; /* hint for the others */
    /* Reads the header: array, where the data begin, byte order. NULL: the format is not read. */
    sinpos_file_status (*read_header)(struct sinpos_reader *reader, sinpos_file_error *error);
    /* Checks what the header of the array would need; NULL: anything goes. */
    sinpos_file_status (*check)(const sinpos_array *array, const char *tensor, sinpos_file_error *error);
    sinpos_file_status (*begin)(struct sinpos_writer *writer, sinpos_file_error *error);
    sinpos_file_status (*elements)(struct sinpos_writer *writer, const void *data, size_t n, sinpos_file_error *error);
    sinpos_file_status (*end)(struct sinpos_writer *writer, sinpos_file_error *error);
};

extern const struct format format_npy;
extern const struct format format_safetensors;
extern const struct format format_csv;
extern const struct format format_c_header;
extern const struct format format_raw;

/* ----------------------------------------------------------------------------------------------- reader.c */

struct sinpos_reader {
    const struct format *format;
    sinpos_reader_options options;
    sinpos_array array;
    char *tensor;
    int fd;
    bool is_standard;
    bool is_regular;
    bool is_big_endian;  /* the file's elements */
    uint64_t file_bytes; /* of a regular file */
    uint64_t position;   /* bytes taken so far */
    unsigned char peeked[16];
    size_t n_peeked; /* bytes in peeked[] not yet taken */
    size_t elements;
    size_t elements_left;
};

sinpos_file_status reader_take(struct sinpos_reader *reader, void *data, size_t bytes, sinpos_file_error *error);
sinpos_file_status reader_skip(struct sinpos_reader *reader, uint64_t bytes, sinpos_file_error *error);
/* Computes elements and data bytes; with trailing data refused, checks the rest of a regular file against them. */
sinpos_file_status reader_check_size(struct sinpos_reader *reader, uint64_t data_bytes, sinpos_file_error *error);

/* ----------------------------------------------------------------------------------------------- writer.c */

#define TEXT_BYTES ((size_t)1 << 16)

struct sinpos_writer {
    const struct format *format;
    struct output output;
    sinpos_array array;
    char *tensor;
    size_t elements;
    size_t elements_done;
    char *text; /* text formats: buffer of TEXT_BYTES */
    size_t text_used;
};

sinpos_file_status write_binary(struct sinpos_writer *writer, const void *data, size_t n, sinpos_file_error *error);
sinpos_file_status text_put(struct sinpos_writer *writer, const char *text, size_t length, sinpos_file_error *error);
sinpos_file_status text_flush(struct sinpos_writer *writer, sinpos_file_error *error);
sinpos_file_status text_format(struct sinpos_writer *writer, sinpos_file_error *error, const char *text, ...)
    __attribute__((format(printf, 3, 4)));

#endif
