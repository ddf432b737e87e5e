/* array_pieces.h - arrays larger than memory pass through in pieces of whole rows. */
#pragma once

#include <stdbool.h>

#include "sinpos_formats.h"

bool is_float(sinpos_element element);
/* Fails where the array has other elements. */
void check_floats(const sinpos_array *array, const char *path);

/* Rows of one piece: as many as fit 8 MiB, at least 1, at most n_rows. */
size_t rows_per_piece(size_t row_bytes, size_t n_rows);

/* Room for one piece, aligned to 64 bytes; never NULL. */
void *pieces_allocate(size_t bytes);

/* How many of n elements are not numbers. */
uint64_t count_nan(const void *elements, size_t n, sinpos_type type);

/* "4096 x 512" in text, which is returned. */
#define SHAPE_TEXT_BYTES 200
const char *shape_text(const sinpos_array *array, char text[SHAPE_TEXT_BYTES]);
