/* format.h - what the format files share; inside formats/ only. docs/formats.md describes the formats. */
#pragma once

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "owned.h"
#include "sinpos_formats.h"

#define DEFAULT_TENSOR "position_encoding"

/* ---------------------------------------------------------------------------------------------- file_error.c */

sinpos_file_status problem_set(sinpos_file_error *error, sinpos_file_status status, const char *hint,
                               const char *message, ...) __attribute__((format(printf, 4, 5)));
sinpos_file_status problem_system(sinpos_file_error *error, int number);
/* Likewise, with a hint of its own, and words before those of the system. */
sinpos_file_status problem_of_system(sinpos_file_error *error, int number, const char *hint, const char *before);
sinpos_file_status problem_memory(sinpos_file_error *error);
/* The file is corrupt: `why` says how; its WHAT 'NAME' is, or why says how that is wrong. */
sinpos_file_status problem_corrupt(sinpos_file_error *error, const char *why);
sinpos_file_status problem_corrupt_name(sinpos_file_error *error, const char *what, const char *name, const char *why);
sinpos_file_status problem_struct(sinpos_file_error *error);
/* It is about this field of the options. Returns status. */
sinpos_file_status problem_about(sinpos_file_error *error, const char *option, sinpos_file_status status);
/* The first of every function with an error: nothing is wrong yet. False: the struct cannot be taken. */
bool problem_begin(sinpos_file_error *error);

/* ------------------------------------------------------------------------------------------------ array.c */

/* Name of a type in a format: "<f4" without its first character, or "F32". NULL where the format has none. */
enum file_names { NPY_NAMES, SAFETENSORS_NAMES };

const char *element_name_in(enum file_names names, sinpos_element element);
bool element_of_name(enum file_names names, const char *name, size_t length, sinpos_element *element);
bool machine_is_big_endian(void);
void swap_bytes(void *data, size_t n, size_t element_bytes);

/* ----------------------------------------------------------------------------------------------- output.c */

/* A file that appears whole or not at all, or a device or pipe written in place. */
struct output {
    int fd;
    bool is_standard; /* descriptor 1, not ours to close */
    char *target;     /* NULL in place */
    char *temporary;  /* NULL in place; ends as the target does, so that it can be read as what it is */
    bool is_part;     /* temporary is a name that the caller chose; written at any place */
    bool is_kept;     /* it outlives a failure */
    bool is_folder;   /* temporary is a folder, and fd that; its files are outputs of their own */
    uint64_t written;
    bool is_synced; /* complete, and on the disk */
};

/* Is this path written in place: standard output, or something that exists and is not a regular file? */
sinpos_file_status output_in_place(const char *path, bool *is_in_place, sinpos_file_error *error);
/* What the usual file may be, less the umask. */
#define ORDINARY_MODE 0666
#define FOLDER_MODE 0777
/* mode is that of a new file, less the umask; one that is replaced hands down its own. */
sinpos_file_status output_open(struct output *output, const char *path, uint64_t bytes, mode_t mode,
                               sinpos_file_error *error);
/* Goes on with the unfinished file of that name, or begins it; a failure keeps it from is_kept on. */
sinpos_file_status output_open_part(struct output *output, const char *path, const char *part, uint64_t bytes,
                                    sinpos_file_error *error);
/* A new folder; what bears its name already is refused. */
sinpos_file_status output_open_folder(struct output *output, const char *path, uint64_t bytes,
                                      sinpos_file_error *error);
/* A file in a folder that is unfinished, and its end: synced, closed. */
sinpos_file_status output_open_in(struct output *output, const struct output *folder, const char *name,
                                  sinpos_file_error *error);
sinpos_file_status output_end_in(struct output *output, sinpos_file_error *error);
/* Of a part: nothing beyond these bytes, zeros where it was shorter. */
sinpos_file_status output_resize(const struct output *output, uint64_t bytes, sinpos_file_error *error);
/* At output->written, which goes on by as many bytes. */
sinpos_file_status output_write(struct output *output, const void *data, size_t bytes, sinpos_file_error *error);
/* Bytes output->written .. end - 1 of a file, which has its own error. */
sinpos_file_status output_copy(struct output *output, int fd, uint64_t end, sinpos_file_error *read_error,
                               sinpos_file_error *error);
/* Syncs what was written; more cannot follow. */
sinpos_file_status output_prepare(struct output *output, sinpos_file_error *error);
/* Ends the output: renames it where the status so far is good, else removes it. Returns the status. */
sinpos_file_status output_commit(struct output *output, sinpos_file_status status, sinpos_file_error *error);
void output_abandon(struct output *output);

/* --------------------------------------------------------------------------------------------- tensor_list.c */

/* What the header of a file with named tensors says. Names and the rest belong to it. */
struct contents {
    sinpos_tensor *tensors;
    size_t n_tensors, tensors_room;
    sinpos_metadata *metadata;
    size_t n_metadata, metadata_room;
    size_t *by_name; /* numbers of the tensors, by name; made by contents_sort() */
    size_t *by_key;  /* numbers of the first n_keys of the metadata, by name */
    size_t n_keys;
};

/* Copies name, type, text and numbers. */
sinpos_file_status contents_add_tensor(struct contents *contents, const sinpos_tensor *tensor,
                                       sinpos_file_error *error);
sinpos_file_status contents_add_metadata(struct contents *contents, const sinpos_metadata *metadata,
                                         sinpos_file_error *error);
/* Makes them findable; refuses a name that occurs twice. */
sinpos_file_status contents_sort(struct contents *contents, sinpos_file_error *error);
size_t contents_find(const struct contents *contents, const char *name);
const sinpos_metadata *contents_metadata(const struct contents *contents, const char *name);
const char *contents_nearest(const struct contents *contents, const char *name);
/* The tensor that is wanted, or, for NULL, the only one; it must be of a type that can be read. */
sinpos_file_status contents_choose(const struct contents *contents, const char *wanted, size_t *chosen,
                                   sinpos_file_error *error);
void contents_free(struct contents *contents);

/* ------------------------------------------------------------------------------------------- characters.c */

/* Folder, separator and name as one path, to be freed; NULL without memory. */
char *joined_path(const char *folder, size_t folder_length, const char *separator, const char *name);
/* Bytes of the character at p in UTF-8, 0 where there is none; p ends in a zero, so nothing is read beyond it. */
size_t character_bytes(const unsigned char *p);
bool is_control(const unsigned char *p);
/* Is the name UTF-8 without control characters, and not empty? */
bool is_good_name(const char *name);

/* --------------------------------------------------------------------------------- safetensors.c, gguf.c */

/* Reads the header and checks it as far as the size of the file is known; the reader stands behind the header then. */
sinpos_file_status safetensors_contents(struct sinpos_reader *reader, struct contents *contents,
                                        sinpos_file_error *error);
sinpos_file_status gguf_contents(struct sinpos_reader *reader, struct contents *contents, sinpos_file_error *error);

/* ------------------------------------------------------------------------------------------------ model.c */

/* Is this a model that is more than one file with a header: a folder, an index, a .gguf in several parts? */
bool model_is_several(const char *path);
/* The reader of one tensor of such a model. */
sinpos_file_status model_read_tensor(struct sinpos_reader *reader, const char *path, sinpos_file_error *error);

struct sinpos_model {
    struct contents contents;
    char **files;
    size_t n_files;
    int fd; /* of the file that was read last; -1 for none */
    size_t open_file;
};

/* model_header.c */
sinpos_file_status model_add_file(struct sinpos_model *model, const char *folder, size_t folder_length,
                                  const char *name, sinpos_file_error *error);
/* model_json.c: the shards of an index, their tensors; config.json. */
sinpos_file_status model_read_index(struct sinpos_model *model, const char *path, sinpos_file_error *error);
sinpos_file_status model_read_config(struct sinpos_model *model, const char *path, sinpos_file_error *error);
/* The message, with the file of the model that it is about before it. Returns status. */
sinpos_file_status model_blame(const char *path, sinpos_file_status status, sinpos_file_error *error);
/* Has the text far more brackets than a list of tensors? Each costs 100 bytes and more of memory. */
bool json_is_bomb(const char *text, size_t length);
/* The header of a file of the model, into contents. */
sinpos_file_status model_read_header(const char *path, struct contents *contents, sinpos_file_error *error);

/* ---------------------------------------------------------------------------------------------- columns.c */

/* Reads all elements of a file that has them column by column, and puts them into rows. */
sinpos_file_status columns_read(struct sinpos_reader *reader, sinpos_file_error *error);

/* ----------------------------------------------------------------------------------------------- formats */

struct format {
    const char *ending;
    unsigned types;      /* set of sinpos_type that it can hold */
    const char *refusal; /* hint for the others */
    bool is_folder;
    /* Reads the header: array, where the data begin, byte order. NULL: the format is not read. */
    sinpos_file_status (*read_header)(struct sinpos_reader *reader, sinpos_file_error *error);
    /* Checks what the header of the array would need; NULL: anything goes. begin and end may be NULL too. */
    sinpos_file_status (*check)(const sinpos_array *array, const sinpos_writer_options *options,
                                sinpos_file_error *error);
    sinpos_file_status (*begin)(struct sinpos_writer *writer, sinpos_file_error *error);
    sinpos_file_status (*elements)(struct sinpos_writer *writer, const void *data, size_t n, sinpos_file_error *error);
    sinpos_file_status (*end)(struct sinpos_writer *writer, sinpos_file_error *error);
};

extern const struct format format_npy;
extern const struct format format_safetensors;
extern const struct format format_gguf;
extern const struct format format_csv;
extern const struct format format_c_header;
extern const struct format format_raw;
extern const struct format format_zarr;

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
    uint64_t first_byte; /* of the elements, in a regular file */
    bool is_complex;     /* the last dimension is a real and an imaginary part */
    bool is_by_columns;  /* the first dimension runs fastest in the file */
    unsigned char *rows; /* all elements, row by row, where is_by_columns; NULL before the first is read */
};

/* reader_input.c */
bool has_ending(const char *path, const char *ending);
/* Opens the file and finds out what it is; does not choose a format. */
sinpos_file_status reader_open_file(struct sinpos_reader *reader, const char *path, sinpos_file_error *error);
/* One read() or pread() at a place of the file, EINTR apart; 0 at the end of the file. */
ptrdiff_t read_some(int fd, void *data, size_t bytes);
sinpos_file_status read_at(int fd, uint64_t offset, void *data, size_t bytes, sinpos_file_error *error);
sinpos_file_status reader_take(struct sinpos_reader *reader, void *data, size_t bytes, sinpos_file_error *error);
sinpos_file_status reader_skip(struct sinpos_reader *reader, uint64_t bytes, sinpos_file_error *error);
/* Reads the contents of a file with named tensors, and goes to the one that the options name. */
sinpos_file_status reader_choose_tensor(struct sinpos_reader *reader,
                                        sinpos_file_status (*read)(struct sinpos_reader *reader,
                                                                   struct contents *contents, sinpos_file_error *error),
                                        sinpos_file_error *error);
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
    uint64_t first_byte; /* of the elements, where they have fixed places */
    char *text;          /* text formats: buffer of TEXT_BYTES */
    size_t text_used;
    /* .zarr: */
    int zarr_format; /* 2 or 3 */
    size_t
        chunk_axis; /* chunks are cut along this dimension; of those before it they hold one, of those behind it all */
    size_t chunk_length; /* of that dimension */
    struct output chunk; /* the one that is written */
};

/* writer_output.c */
sinpos_file_status write_binary(struct sinpos_writer *writer, const void *data, size_t n, sinpos_file_error *error);
sinpos_file_status write_binary_to(struct sinpos_writer *writer, struct output *output, const void *data, size_t n,
                                   sinpos_file_error *error);
sinpos_file_status text_put(struct sinpos_writer *writer, const char *text, size_t length, sinpos_file_error *error);
sinpos_file_status text_flush(struct sinpos_writer *writer, sinpos_file_error *error);
sinpos_file_status text_format(struct sinpos_writer *writer, sinpos_file_error *error, const char *text, ...)
    __attribute__((format(printf, 3, 4)));
