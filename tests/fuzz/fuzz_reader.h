/* fuzz_reader.h - a file with the input in it, opened and read to its end, or taken as a model. */
#ifndef SINPOS_TESTS_FUZZ_READER_H
#define SINPOS_TESTS_FUZZ_READER_H

#include <stddef.h>
#include <stdint.h>

#include "sinpos_formats.h"

/* ending: ".npy", ".safetensors", ".gguf" or ".index.json" */
void read_as_file(const uint8_t *data, size_t size, const char *ending);
/* Of a .raw, whose type and row length the options say: an array has as many bytes as the file. */
void read_as_raw(const uint8_t *data, size_t size, const sinpos_reader_options *options);

/* Writes a file into the folder of the inputs, which is removed at the end. Returns its path. */
const char *put_file(const uint8_t *data, size_t size, const char *name);
/* Opens the model and looks at everything in it. */
void read_as_model(const char *path);

#endif
