#include "array_pieces.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "error_line.h"
#include "no_memory.h"

#define PIECE_BYTES ((size_t)8 << 20)

bool is_float(sinpos_element element)
{
    const unsigned floats = SINPOS_F64 | SINPOS_F32 | SINPOS_F16 | SINPOS_BF16;
    return ((unsigned)element & floats) != 0;
}

int check_floats(const sinpos_array *array, const char *path)
{
    return is_float(array->element)
               ? EXIT_DONE
               : complain(EXIT_FILE, "convert it to float32, float64, float16 or bfloat16", path,
                          "holds %s, not floating-point numbers", sinpos_element_name(array->element));
}

size_t rows_per_piece(size_t row_bytes, size_t n_rows)
{
    const size_t fit = PIECE_BYTES / row_bytes;
    const size_t rows = fit > 0 ? fit : 1;
    return rows < n_rows ? rows : n_rows;
}

void *pieces_allocate(size_t bytes)
{
    void *room = bytes > SIZE_MAX - 64 ? NULL : aligned_alloc(64, (bytes / 64 + 1) * 64);
    if (room == NULL)
        memory_end();
    return room;
}

const char *shape_text(const sinpos_array *array, char text[SHAPE_TEXT_BYTES])
{
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < array->n_dims && used + 32 < SHAPE_TEXT_BYTES; i++)
        used += (size_t)snprintf(text + used, SHAPE_TEXT_BYTES - used, i > 0 ? " x %zu" : "%zu", array->shape[i]);
    return text;
}

uint64_t count_nan(const void *elements, size_t n, sinpos_type type)
{
    const size_t size = sinpos_type_bytes(type);
    const uint64_t infinity = type == SINPOS_F64   ? 0x7ff0000000000000
                              : type == SINPOS_F32 ? 0x7f800000
                              : type == SINPOS_F16 ? 0x7c00
                                                   : 0x7f80;
    const uint64_t sign = (uint64_t)1 << (8 * size - 1);
    uint64_t count = 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t bits = 0;
        uint32_t word = 0;
        uint16_t half = 0;
        const char *at = (const char *)elements + i * size;
        if (size == 8) {
            memcpy(&bits, at, sizeof bits);
        } else if (size == 4) {
            memcpy(&word, at, sizeof word);
            bits = word;
        } else {
            memcpy(&half, at, sizeof half);
            bits = half;
        }
        count += (bits & ~sign) > infinity;
    }
    return count;
}
