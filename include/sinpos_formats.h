/*
 * sinpos_formats.h - arrays in files: .npy, .safetensors, .gguf, .csv, .h, .raw, .zarr, in pieces; models.
 *
 * A reader hands out the elements of an array from first to last; a writer takes them in the same order. Neither
 * holds more than a small buffer, so that an array larger than memory passes through. A file that is written appears
 * whole or not at all: it grows beside its target under a name of its own, is synced, and is renamed at the end.
 *
 *     sinpos_array array = {.element = SINPOS_ELEMENT_F32, .n_dims = 2, .shape = {4096, 512}};
 *     sinpos_file_error error;
 *     sinpos_writer *writer;
 *     if (sinpos_writer_open(&writer, "table.npy", &array, NULL, &error) != SINPOS_FILE_OK) ...   // error.message
 *     if (sinpos_writer_write(writer, rows, 4096 * 512, &error) != SINPOS_FILE_OK) ...
 *     if (sinpos_writer_commit(writer, &error) != SINPOS_FILE_OK) ...
 *
 * The library prints nothing and keeps no state between calls. A reader or writer belongs to one thread at a time.
 * docs/formats.md describes each format byte by byte.
 */
#ifndef SINPOS_FORMATS_H
#define SINPOS_FORMATS_H

#include <stdint.h>

#include "sinpos.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------------------------------------- Status */

/* Frozen, as sinpos_status. */
typedef enum sinpos_file_status {
    SINPOS_FILE_OK = 0,
    SINPOS_FILE_E_NULL = 1,    /* a pointer that must not be NULL is NULL */
    SINPOS_FILE_E_REQUEST = 2, /* it cannot be done for any contents: unknown ending, a type the format cannot hold */
    SINPOS_FILE_E_SYSTEM = 3,  /* the system refused: no such file, no permission, disk full, closed pipe */
    SINPOS_FILE_E_CONTENT = 4, /* the file is cut short, corrupt, or holds something else */
    SINPOS_FILE_E_MEMORY = 5,  /* out of memory */
    SINPOS_FILE_E_STRUCT = 6   /* struct_size is not set, or a struct asks for what this version does not know */
} sinpos_file_status;

/*
 * What went wrong, for programs and for people. Sized, as sinpos.h explains: start from SINPOS_FILE_ERROR_INIT. A function
 * that is given one of no such size returns SINPOS_FILE_E_STRUCT and does nothing; commit then frees and abandons.
 */
typedef struct sinpos_file_error {
    size_t struct_size;
    sinpos_file_status status;
    int system_errno;   /* errno for SINPOS_FILE_E_SYSTEM, else 0 */
    char message[400];  /* one clause that does not name the file, as of sinpos_printable() */
    const char *hint;   /* what to do about it: a constant string; "" where there is no advice */
    const char *option; /* field of the options that it is about: "tensor", "dim"; a constant string, "" for none */
} sinpos_file_error;

#define SINPOS_FILE_ERROR_INIT                                                                                         \
    {                                                                                                                  \
        sizeof(sinpos_file_error), SINPOS_FILE_OK, 0, "", "", ""                                                       \
    }

/*
 * sinpos_printable() - a name as it may be shown on a terminal: '?' in place of control characters, of marks that turn the
 * direction of text, of separators of lines and of what is not UTF-8. For names of files, and for names in them.
 *   text     receives it, with a terminating zero, cut to whole characters that fit.
 *   room     bytes of text.
 *   name     only read; NULL stands for "".
 * Returns text; "" for NULL or no room.  Cost O(length).  Source: Unicode, Bidi_Control.  Since 0.1.
 * Example: cli/terminal/error_line.h
 */
SINPOS_API const char *sinpos_printable(char *text, size_t room, const char *name);

/* ------------------------------------------------------------------------------------------------- Arrays */

/* Element types in files. The first four have the values of sinpos_type. */
typedef enum sinpos_element {
    SINPOS_ELEMENT_F64 = SINPOS_F64,
    SINPOS_ELEMENT_F32 = SINPOS_F32,
    SINPOS_ELEMENT_F16 = SINPOS_F16,
    SINPOS_ELEMENT_BF16 = SINPOS_BF16,
    SINPOS_ELEMENT_I64 = 16,
    SINPOS_ELEMENT_I32 = 32,
    SINPOS_ELEMENT_I16 = 64,
    SINPOS_ELEMENT_I8 = 128,
    SINPOS_ELEMENT_U64 = 256,
    SINPOS_ELEMENT_U32 = 512,
    SINPOS_ELEMENT_U16 = 1024,
    SINPOS_ELEMENT_U8 = 2048
} sinpos_element;

#define SINPOS_MAX_FILE_DIMS 32

/* Elements lie in row-major order, the last dimension running fastest. */
typedef struct sinpos_array {
    sinpos_element element;
    size_t n_dims; /* 0 .. SINPOS_MAX_FILE_DIMS */
    size_t shape[SINPOS_MAX_FILE_DIMS];
} sinpos_array;

/*
 * sinpos_element_bytes(), sinpos_element_name() - bytes of one element; its name ("float32").
 * Returns 0, and "unknown", for a number that is not an element type.  Cost O(1).  Source: IEEE 754.  Since 0.1.
 */
SINPOS_API size_t sinpos_element_bytes(sinpos_element element);
SINPOS_API const char *sinpos_element_name(sinpos_element element);

/*
 * sinpos_array_elements() - number of elements of an array.
 *   elements  receives the product of the shape; 1 for no dimensions.
 * Returns SINPOS_FILE_OK; SINPOS_FILE_E_NULL; SINPOS_FILE_E_REQUEST for too many dimensions, an unknown element type,
 * or where the bytes of all elements are beyond size_t or 2^63 - 1.  Cost O(n_dims).  Source: arithmetic.  Since 0.1.
 */
SINPOS_API SINPOS_MUST_CHECK sinpos_file_status sinpos_array_elements(const sinpos_array *array, size_t *elements);

/* ------------------------------------------------------------------------------------------------ Reading */

typedef struct sinpos_reader sinpos_reader;

/* How to read; NULL in place of it, or zeros, stand for the defaults. Sized; start from SINPOS_READER_OPTIONS_INIT. */
typedef struct sinpos_reader_options {
    size_t struct_size;
    const char *tensor;     /* .safetensors, .gguf, models: which tensor; NULL if there is only one */
    sinpos_element element; /* .raw: its element type ... */
    size_t dim;             /* ... and its row length; both needed there */
} sinpos_reader_options;

#define SINPOS_READER_OPTIONS_INIT                                                                                     \
    {                                                                                                                  \
        sizeof(sinpos_reader_options), NULL, (sinpos_element)0, 0                                                      \
    }

/*
 * sinpos_reader_open() - open an array and check its header against the size of the file.
 *   out      receives the reader; NULL on error.
 *   path     .npy, .safetensors, .gguf, .raw, or a model as in sinpos_model_open(); "-" is standard input. What is not a
 *            regular file may have any name; their first bytes then say .npy, .safetensors or .gguf.
 *   options  NULL, or see above.
 *   error    NULL, or receives what went wrong.
 * Returns SINPOS_FILE_OK or any of the others.  Cost O(header); a header is at most 100 MB.
 * Source docs/formats.md.  Since 0.1.  Example: cli/commands/command_add.c
 */
SINPOS_API SINPOS_MUST_CHECK sinpos_file_status sinpos_reader_open(sinpos_reader **out, const char *path,
                                                                   const sinpos_reader_options *options,
                                                                   sinpos_file_error *error);

/*
 * sinpos_reader_array() - type and shape of the array.
 * Returns a pointer valid until the reader is closed; NULL for NULL.  Cost O(1).  Source: the header.  Since 0.1.
 */
SINPOS_API const sinpos_array *sinpos_reader_array(const sinpos_reader *reader);

/*
 * sinpos_reader_tensor() - name of the tensor that is read.
 * Returns a pointer valid until the reader is closed; NULL where the format has no names.  Cost O(1).
 * Source: the header.  Since 0.1.
 */
SINPOS_API const char *sinpos_reader_tensor(const sinpos_reader *reader);

/*
 * sinpos_reader_read() - the next elements, in the byte order of this machine.
 *   data     room for n elements.
 *   n        how many; not more than are left.
 *   error    NULL, or receives what went wrong.
 * Returns SINPOS_FILE_OK; SINPOS_FILE_E_NULL; SINPOS_FILE_E_REQUEST for more than are left; SINPOS_FILE_E_SYSTEM;
 * SINPOS_FILE_E_CONTENT where the file ends early; SINPOS_FILE_E_MEMORY for .npy in Fortran order, of which the first call
 * reads all elements and keeps them, row by row.  Cost O(n).  Source: the formats.  Since 0.1.
 * Example: cli/commands/command_add.c
 */
SINPOS_API SINPOS_MUST_CHECK sinpos_file_status sinpos_reader_read(sinpos_reader *reader, void *data, size_t n,
                                                                   sinpos_file_error *error);

/*
 * sinpos_reader_read_at() - elements from any place of a regular file, in the byte order of this machine. Those that
 * sinpos_reader_read() gives next stay the same.
 *   first    number of the first element, from 0.
 *   data     room for n elements.
 *   n        how many; first + n must not go beyond the array.
 *   error    NULL, or receives what went wrong.
 * Returns SINPOS_FILE_OK; SINPOS_FILE_E_NULL; SINPOS_FILE_E_REQUEST for more than there are, for what is not a regular file,
 * and for Fortran order; SINPOS_FILE_E_SYSTEM; SINPOS_FILE_E_CONTENT where the file has become shorter.  Cost O(n).
 * Source: POSIX pread().  Since 0.1.  Example: cli/identify/command_identify.c
 */
SINPOS_API SINPOS_MUST_CHECK sinpos_file_status sinpos_reader_read_at(sinpos_reader *reader, size_t first, void *data,
                                                                      size_t n, sinpos_file_error *error);

/*
 * sinpos_reader_close() - close and free; NULL is fine.
 * Returns nothing.  Cost O(1).  Source: none needed.  Since 0.1.
 */
SINPOS_API void sinpos_reader_close(sinpos_reader *reader);

/* ------------------------------------------------------------------------------------------------ Writing */

typedef struct sinpos_writer sinpos_writer;

/* How to write; NULL in place of it, or zeros, stand for the defaults. Sized; start from SINPOS_WRITER_OPTIONS_INIT. */
typedef struct sinpos_writer_options {
    size_t struct_size;
    const char
        *tensor; /* name of the tensor (.safetensors, .gguf), in UTF-8 without control characters, or of the C array
                           (.h), which gets sinpos_ before it where it is taken; NULL: "position_encoding" */
    const char *part; /* where the unfinished file lies, in the folder of the target: .npy .safetensors .gguf .raw that
                           are regular files. It is made, or gone on with, elements come at any place, and only commit
                           takes it away. NULL: a new name each time, and nothing stays after a failure */
    int zarr_format;  /* .zarr: 2 or 3; 0 stands for 2. bfloat16 needs 3 */
    size_t chunk_bytes; /* .zarr: a chunk has at most so many, in whole rows where one fits; 0: 8 MiB */
} sinpos_writer_options;

#define SINPOS_WRITER_OPTIONS_INIT                                                                                     \
    {                                                                                                                  \
        sizeof(sinpos_writer_options), NULL, NULL, 0, 0                                                                \
    }

/*
 * sinpos_writer_endings() - the endings that this build can write, separated by blanks.
 * Returns a constant string.  Cost O(1).  Source: the build.  Since 0.1.
 */
SINPOS_API const char *sinpos_writer_endings(void);

/*
 * sinpos_writer_check() - could this array be written to this path? Looks at ending, type, names and sizes, and
 * touches no file but to ask whether the path is a regular one.
 * Arguments as sinpos_writer_open().
 * Returns as sinpos_writer_open().  Cost O(1).  Source docs/formats.md.  Since 0.1.
 */
SINPOS_API SINPOS_MUST_CHECK sinpos_file_status sinpos_writer_check(const char *path, const sinpos_array *array,
                                                                    const sinpos_writer_options *options,
                                                                    sinpos_file_error *error);

/*
 * sinpos_writer_open() - begin a file, or go on with the one that options->part names: its header is written again.
 *   out      receives the writer; NULL on error, and then there is no trace of it on disk but a part that was there.
 *   path     the ending chooses the format: .npy .safetensors .gguf .csv .h .raw .zarr. "-" is standard output, as .npy.
 *            A .zarr is a folder, and nothing may have its name before. Symbolic links are followed. What exists and is not a regular file is written in place; a name without a known
 *            ending is then .npy.
 *   array    type and shape; only the four floating-point types. Only read.
 *   options  NULL, or see above.
 *   error    NULL, or receives what went wrong.
 * Returns SINPOS_FILE_OK; SINPOS_FILE_E_REQUEST for an unknown ending, bfloat16 in .npy and in version 2 of .zarr, a name
 * that cannot be, sizes beyond size_t, a part of a text, of a .zarr or of what is written in place; SINPOS_FILE_E_SYSTEM, also where the file system has too
 * little room.
 * Cost O(1).  Source docs/formats.md.  Since 0.1.  Example: cli/commands/command_table.c
 */
SINPOS_API SINPOS_MUST_CHECK sinpos_file_status sinpos_writer_open(sinpos_writer **out, const char *path,
                                                                   const sinpos_array *array,
                                                                   const sinpos_writer_options *options,
                                                                   sinpos_file_error *error);

/*
 * sinpos_writer_temporary() - path of the unfinished file or folder, for sinpos_unfinished_remove() in a signal handler, and
 * to read after sinpos_writer_prepare(): it ends as the target does.
 * Returns a pointer valid until commit or abandon; NULL where the target is written in place.  Cost O(1).
 * Source: none needed.  Since 0.1.  Example: cli/terminal/interrupt.c
 */
SINPOS_API const char *sinpos_writer_temporary(const sinpos_writer *writer);

/*
 * sinpos_unfinished_remove() - removes a file, or a folder and the files in it; not folders in it. It takes no memory and
 * calls nothing that a signal handler may not call, on Linux: elsewhere a folder needs memory.
 *   path     as of sinpos_writer_temporary(); NULL, and what is not there, are fine.
 * Returns nothing.  Cost O(files).  Source: POSIX unlink().  Since 0.1.  Example: cli/terminal/interrupt.c
 */
SINPOS_API void sinpos_unfinished_remove(const char *path);

/*
 * sinpos_writer_write() - the next elements.
 *   data     n elements of the array's type in the byte order of this machine; only read.
 *   n        how many; not more than the shape leaves room for.
 *   error    NULL, or receives what went wrong.
 * Returns SINPOS_FILE_OK; SINPOS_FILE_E_NULL; SINPOS_FILE_E_REQUEST for too many; SINPOS_FILE_E_SYSTEM. After an error
 * only sinpos_writer_abandon() is left to call. Writing to a closed pipe raises SIGPIPE unless the program ignores it.
 * Cost O(n).  Source: the formats.  Since 0.1.  Example: cli/commands/command_table.c
 */
SINPOS_API SINPOS_MUST_CHECK sinpos_file_status sinpos_writer_write(sinpos_writer *writer, const void *data, size_t n,
                                                                    sinpos_file_error *error);

/*
 * sinpos_writer_write_at(), sinpos_writer_read_at() - elements at any place of an unfinished file that options->part
 * named, and what stands there: zeros where nothing was written. sinpos_writer_write() goes on where it was.
 *   first    number of the first element, from 0.
 *   data     n elements in the byte order of this machine, or room for them.
 *   n        how many; first + n must not go beyond the array.
 *   error    NULL, or receives what went wrong.
 * Returns SINPOS_FILE_OK; SINPOS_FILE_E_NULL; SINPOS_FILE_E_REQUEST for more than there are, and for a writer without a
 * part; SINPOS_FILE_E_SYSTEM; SINPOS_FILE_E_CONTENT where somebody made the file shorter. After an error of writing only
 * sinpos_writer_abandon() is left to call.  Cost O(n).  Source: POSIX pwrite(), pread().  Since 0.1.
 * Example: cli/jobs/written.c
 */
SINPOS_API SINPOS_MUST_CHECK sinpos_file_status sinpos_writer_write_at(sinpos_writer *writer, size_t first,
                                                                       const void *data, size_t n,
                                                                       sinpos_file_error *error);
SINPOS_API SINPOS_MUST_CHECK sinpos_file_status sinpos_writer_read_at(sinpos_writer *writer, size_t first, void *data,
                                                                      size_t n, sinpos_file_error *error);

/*
 * sinpos_writer_prepare() - all of the file, synced, still under its temporary name: what can fail has been done, and
 * the file can be looked at before commit gives it its name. Needs not be called.
 *   error    NULL, or receives what went wrong.
 * Returns SINPOS_FILE_OK; SINPOS_FILE_E_NULL; SINPOS_FILE_E_REQUEST where elements are missing, which are not counted in
 * a part; SINPOS_FILE_E_SYSTEM. After an error only sinpos_writer_abandon() is left to call.
 * Cost O(1), and the time of the sync.  Source: POSIX fsync().  Since 0.1.  Example: cli/jobs/written.c
 */
SINPOS_API SINPOS_MUST_CHECK sinpos_file_status sinpos_writer_prepare(sinpos_writer *writer, sinpos_file_error *error);

/*
 * sinpos_writer_commit() - finish: prepare, rename, free. On error the writer is freed too and the target is untouched.
 * Returns SINPOS_FILE_OK; SINPOS_FILE_E_NULL; SINPOS_FILE_E_REQUEST where elements are missing; SINPOS_FILE_E_SYSTEM, also
 * where the file has its name and the folder, which could not be synced, may lose it in a power cut.
 * Cost O(1), and the time of the sync.  Source: POSIX rename().  Since 0.1.  Example: cli/commands/command_table.c
 */
SINPOS_API SINPOS_MUST_CHECK sinpos_file_status sinpos_writer_commit(sinpos_writer *writer, sinpos_file_error *error);

/*
 * sinpos_writer_abandon() - remove what was written, unless options->part named it, and free; NULL is fine.
 * Returns nothing.  Cost O(1).  Source: none needed.  Since 0.1.
 */
SINPOS_API void sinpos_writer_abandon(sinpos_writer *writer);

/*
 * sinpos_bytes_write() - a small file, whole or not at all: written beside, synced, renamed.
 *   path     any name; "-" is standard output. What exists and is not a regular file is written in place.
 *   data     n_bytes bytes; only read.
 *   n_bytes  how many.
 *   error    NULL, or receives what went wrong.
 * Returns SINPOS_FILE_OK; SINPOS_FILE_E_NULL; SINPOS_FILE_E_SYSTEM.  Cost O(n_bytes), and the time of the sync.
 * Source: POSIX rename().  Since 0.1.  Example: cli/base/base_file.c
 */
SINPOS_API SINPOS_MUST_CHECK sinpos_file_status sinpos_bytes_write(const char *path, const void *data, size_t n_bytes,
                                                                   sinpos_file_error *error);

/*
 * sinpos_file_copy() - a file as it is, whole or not at all, and with its permissions less the umask; a file that is
 * replaced hands down its own.
 *   from     a regular file; symbolic links are followed.
 *   to       any name, as of sinpos_bytes_write().
 *   error    NULL, or receives what went wrong; it names from where that cannot be read.
 * Returns SINPOS_FILE_OK; SINPOS_FILE_E_NULL; SINPOS_FILE_E_REQUEST; SINPOS_FILE_E_SYSTEM; SINPOS_FILE_E_CONTENT where the
 * file has become shorter; SINPOS_FILE_E_MEMORY.  Cost O(bytes), and the time of the sync.
 * Source: POSIX rename().  Since 0.1.  Example: cli/convert/beside_weights.c
 */
SINPOS_API SINPOS_MUST_CHECK sinpos_file_status sinpos_file_copy(const char *from, const char *to,
                                                                 sinpos_file_error *error);

/* ------------------------------------------------------------------------------------------------- Models */

/*
 * The tensors of a trained model, by name: a .safetensors file, a model in several of them (model.safetensors.index.json,
 * or the folder that holds it), a .gguf file, or one in several (NAME-00001-of-00003.gguf). Opening reads the headers
 * and checks them against the sizes of the files; the tensors are read, mapped or replaced afterwards.
 */
typedef struct sinpos_model sinpos_model;

#define SINPOS_NO_TENSOR SIZE_MAX

/* Sized, and the library's. */
typedef struct sinpos_tensor {
    size_t struct_size;
    const char *name;
    const char *type;   /* as its format calls it: "F32", "BF16", "Q4_K", "F8_E4M3"; "?" where GGML has no such type */
    sinpos_array array; /* shape in row-major order (of .gguf the reverse of what is in the file). element is 0 for a
                           type that is none of sinpos_element: quantised, 8-bit float, bool, complex */
    uint64_t bytes;     /* as it lies in the file */
    uint64_t offset;    /* of its first byte, from the beginning of its file */
    size_t file;        /* which file: 0 .. sinpos_model_files() - 1 */
} sinpos_tensor;

typedef enum sinpos_metadata_kind {
    SINPOS_METADATA_TEXT = 0,
    SINPOS_METADATA_INTEGER = 1,
    SINPOS_METADATA_REAL = 2,
    SINPOS_METADATA_BOOL = 3,
    SINPOS_METADATA_NUMBERS = 4, /* an array of up to 4096 numbers */
    SINPOS_METADATA_OTHER = 5    /* an array of strings or arrays, or a longer one: only n is known */
} sinpos_metadata_kind;

/* What a model says of itself: the keys of .gguf ("llama.rope.freq_base"), the texts of __metadata__. Sized, and the library's. */
typedef struct sinpos_metadata {
    size_t struct_size;
    const char *name;
    sinpos_metadata_kind kind;
    const char *text;      /* TEXT: n bytes and a zero; else NULL */
    int64_t integer;       /* INTEGER, BOOL */
    double real;           /* REAL; INTEGER and BOOL too, as the nearest double */
    const double *numbers; /* NUMBERS: n of them; else NULL */
    size_t n;              /* of text, numbers, or of the elements that were skipped */
} sinpos_metadata;

/*
 * sinpos_model_open() - read the headers of a model and check them.
 *   out      receives the model; NULL on error.
 *   path     .safetensors, .gguf, .index.json, or a folder with model.safetensors.index.json or model.safetensors in it.
 *   error    NULL, or receives what went wrong.
 * Returns SINPOS_FILE_OK or any of the others.  Cost O(headers).  Source docs/formats.md.  Since 0.1.
 * Example: cli/convert/command_convert.c
 */
SINPOS_API SINPOS_MUST_CHECK sinpos_file_status sinpos_model_open(sinpos_model **out, const char *path,
                                                                  sinpos_file_error *error);

/*
 * sinpos_model_close() - close, unmap and free; NULL is fine.
 * Returns nothing.  Cost O(tensors).  Source: none needed.  Since 0.1.
 */
SINPOS_API void sinpos_model_close(sinpos_model *model);

/*
 * sinpos_model_tensors(), sinpos_model_files() - how many tensors and files there are.
 * Returns the number; 0 for NULL.  Cost O(1).  Source: the headers.  Since 0.1.
 */
SINPOS_API size_t sinpos_model_tensors(const sinpos_model *model);
SINPOS_API size_t sinpos_model_files(const sinpos_model *model);

/*
 * sinpos_model_tensor() - the i-th tensor, in the order of the headers; of several .safetensors, by name.
 * Returns a pointer valid until the model is closed; NULL beyond the last.  Cost O(1).  Source: the headers.  Since 0.1.
 */
SINPOS_API const sinpos_tensor *sinpos_model_tensor(const sinpos_model *model, size_t i);

/*
 * sinpos_model_file() - path of the i-th file.
 * Returns a pointer valid until the model is closed; NULL beyond the last.  Cost O(1).  Source: the headers.  Since 0.1.
 */
SINPOS_API const char *sinpos_model_file(const sinpos_model *model, size_t i);

/*
 * sinpos_model_find() - number of the tensor of exactly this name.
 * Returns it; SINPOS_NO_TENSOR where there is none.  Cost O(log tensors).  Source: the headers.  Since 0.1.
 */
SINPOS_API size_t sinpos_model_find(const sinpos_model *model, const char *name);

/*
 * sinpos_model_nearest() - the name that may have been meant: up to three letters away, or one that holds this one.
 * Returns a pointer valid until the model is closed; NULL where none is near.  Cost O(bytes of all names).
 * Source: Damerau 1964, without exchanges.  Since 0.1.
 */
SINPOS_API const char *sinpos_model_nearest(const sinpos_model *model, const char *name);

/*
 * sinpos_model_read() - bytes of a tensor, as they lie in the file (little-endian).
 *   i        which tensor, of any type.
 *   from     first byte, counted from the beginning of the tensor.
 *   data     room for bytes.
 *   bytes    how many; from + bytes must not go beyond the tensor.
 *   error    NULL, or receives what went wrong.
 * Returns SINPOS_FILE_OK; SINPOS_FILE_E_NULL; SINPOS_FILE_E_REQUEST; SINPOS_FILE_E_SYSTEM; SINPOS_FILE_E_CONTENT where
 * the file has become shorter.  Cost O(bytes).  Source: the formats.  Since 0.1.  Example: cli/convert/command_convert.c
 */
SINPOS_API SINPOS_MUST_CHECK sinpos_file_status sinpos_model_read(sinpos_model *model, size_t i, uint64_t from,
                                                                  void *data, size_t bytes, sinpos_file_error *error);

/*
 * sinpos_model_config() - add what config.json beside the model says to its metadata, as "config.hidden_size",
 * "config.text_config.rope_theta" and so on: texts, numbers, booleans, arrays of numbers. Without such a file nothing
 * happens.
 *   error    NULL, or receives what went wrong.
 * Returns SINPOS_FILE_OK; SINPOS_FILE_E_NULL; SINPOS_FILE_E_REQUEST in a build without Jansson; SINPOS_FILE_E_SYSTEM;
 * SINPOS_FILE_E_CONTENT; SINPOS_FILE_E_MEMORY.  Cost O(file), which may be 10 MB long.
 * Source: Hugging Face Transformers, PretrainedConfig.  Since 0.1.  Example: cli/convert/command_convert.c
 */
SINPOS_API SINPOS_MUST_CHECK sinpos_file_status sinpos_model_config(sinpos_model *model, sinpos_file_error *error);

/*
 * sinpos_model_metadata() - what the model says under this name.
 * Returns a pointer valid until the model is closed; NULL where it says nothing.  Cost O(log metadata), and more after
 * sinpos_model_config().  Source: the headers.  Since 0.1.  Example: cli/convert/command_convert.c
 */
SINPOS_API const sinpos_metadata *sinpos_model_metadata(const sinpos_model *model, const char *name);

/*
 * sinpos_model_metadata_at() - the i-th of all, to list them.
 * Returns a pointer valid until the model is closed; NULL beyond the last.  Cost O(1).  Source: the headers.  Since 0.1.
 */
SINPOS_API const sinpos_metadata *sinpos_model_metadata_at(const sinpos_model *model, size_t i);

/* One file of a model, copied byte for byte except for the data of some tensors. */
typedef struct sinpos_rewriter sinpos_rewriter;

/*
 * sinpos_rewriter_open() - begin a copy of one file of a model.
 *   out      receives the rewriter; NULL on error, and then there is no trace of it on disk.
 *   model    must stay open until the rewriter is closed.
 *   file     which of its files.
 *   path     any name, that of the model too: the copy replaces it at the end. A new file gets the permissions of the
 *            one that is copied, less the umask.
 *   error    NULL, or receives what went wrong.
 * Returns SINPOS_FILE_OK; SINPOS_FILE_E_NULL; SINPOS_FILE_E_REQUEST; SINPOS_FILE_E_SYSTEM; SINPOS_FILE_E_MEMORY.
 * Cost O(1).  Source docs/formats.md.  Since 0.1.  Example: cli/convert/command_convert.c
 */
SINPOS_API SINPOS_MUST_CHECK sinpos_file_status sinpos_rewriter_open(sinpos_rewriter **out, const sinpos_model *model,
                                                                     size_t file, const char *path,
                                                                     sinpos_file_error *error);

/*
 * sinpos_rewriter_temporary() - path of the unfinished file, for a signal handler to unlink, and to read after
 * sinpos_rewriter_prepare(): it ends as the target does.
 * Returns a pointer valid until commit or abandon; NULL where the target is written in place.  Cost O(1).
 * Source: none needed.  Since 0.1.  Example: cli/terminal/interrupt.c
 */
SINPOS_API const char *sinpos_rewriter_temporary(const sinpos_rewriter *rewriter);

/*
 * sinpos_rewriter_replace() - the next bytes of a tensor's new data; what stands before it is copied first.
 *   i        which tensor of the model; of one file they must come in the order of their offsets.
 *   data     bytes bytes, little-endian; only read.
 *   bytes    how many. A tensor may be given in pieces, and all of it must be.
 *   error    NULL, or receives what went wrong.
 * Returns SINPOS_FILE_OK; SINPOS_FILE_E_NULL; SINPOS_FILE_E_REQUEST for another file's tensor, wrong order or too many
 * bytes; SINPOS_FILE_E_SYSTEM; SINPOS_FILE_E_CONTENT. After an error only sinpos_rewriter_abandon() is left to call.
 * Cost O(bytes written).  Source docs/formats.md.  Since 0.1.  Example: cli/convert/command_convert.c
 */
SINPOS_API SINPOS_MUST_CHECK sinpos_file_status sinpos_rewriter_replace(sinpos_rewriter *rewriter, size_t i,
                                                                        const void *data, size_t bytes,
                                                                        sinpos_file_error *error);

/*
 * sinpos_rewriter_prepare() - copy the rest and sync it, still under its temporary name; see sinpos_writer_prepare().
 *   error    NULL, or receives what went wrong.
 * Returns SINPOS_FILE_OK; SINPOS_FILE_E_NULL; SINPOS_FILE_E_REQUEST where a tensor is not complete; SINPOS_FILE_E_SYSTEM;
 * SINPOS_FILE_E_CONTENT. After an error only sinpos_rewriter_abandon() is left to call.
 * Cost O(bytes left).  Source: POSIX fsync().  Since 0.1.  Example: cli/convert/convert_model.c
 */
SINPOS_API SINPOS_MUST_CHECK sinpos_file_status sinpos_rewriter_prepare(sinpos_rewriter *rewriter,
                                                                        sinpos_file_error *error);

/*
 * sinpos_rewriter_commit() - prepare, rename, free. On error the rewriter is freed too and the target is
 * untouched.
 * Returns SINPOS_FILE_OK; SINPOS_FILE_E_NULL; SINPOS_FILE_E_REQUEST where a tensor is not complete; SINPOS_FILE_E_SYSTEM;
 * SINPOS_FILE_E_CONTENT.  Cost O(bytes left).  Source: POSIX rename().  Since 0.1.  Example: cli/convert/command_convert.c
 */
SINPOS_API SINPOS_MUST_CHECK sinpos_file_status sinpos_rewriter_commit(sinpos_rewriter *rewriter,
                                                                       sinpos_file_error *error);

/*
 * sinpos_rewriter_abandon() - remove what was written and free; NULL is fine.
 * Returns nothing.  Cost O(1).  Source: none needed.  Since 0.1.
 */
SINPOS_API void sinpos_rewriter_abandon(sinpos_rewriter *rewriter);

/* ----------------------------------------------------------------------------------------------- Decimals */

/* Room for any decimal with its terminating zero. */
#define SINPOS_DECIMAL_BYTES 32

/*
 * sinpos_decimal() - the shortest decimal that reads back as the same element; of those, the nearest to it.
 *   text     room for SINPOS_DECIMAL_BYTES.
 *   type     element type.
 *   element  one element.
 * Returns the length; "0.5", "1e-07", "-0", "nan", "inf". 0 for NULL or no type.  Cost under a microsecond.
 * Source: Steele and White 1990, "How to print floating-point numbers accurately".  Since 0.1.
 */
SINPOS_API size_t sinpos_decimal(char text[SINPOS_DECIMAL_BYTES], sinpos_type type, const void *element);

#ifdef __cplusplus
}
#endif

#endif
