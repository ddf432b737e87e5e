/* fuzz_reader.h - a file with the input in it, opened and read to its end. */
#ifndef SINPOS_TESTS_FUZZ_READER_H
#define SINPOS_TESTS_FUZZ_READER_H

#include <stddef.h>
#include <stdint.h>

/* ending: ".npy" or ".safetensors" */
void read_as_file(const uint8_t *data, size_t size, const char *ending);

#endif
