/* Rows that are equal bit by bit. */
#pragma once

#include "crew.h"
#include "separate_tones.h"

/* Rows to be compared bit by bit: those of a plan, or of an array. */
typedef struct row_source {
    const sinpos_plan *plan; /* NULL: an array */
    const void *rows;
    size_t ld_bytes;
    sinpos_type type;
    int64_t first;
    size_t n, dim, row_bytes;
} row_source;

/* Rows i .. i + n - 1, at a stride of *stride_bytes: in the buffer (n, dim), or where they are. */
const unsigned char *source_rows(const row_source *source, size_t i, size_t n, void *buffer, size_t *stride_bytes);
const unsigned char *source_row(const row_source *source, size_t i, void *buffer);

/* What is known of equal rows so far. */
typedef struct equal_rows {
    uint64_t n_again;        /* rows that stood before */
    uint64_t earlier, later; /* the first of them, and where it stood; NOWHERE */
} equal_rows;

#define NOWHERE UINT64_MAX
#define INDEX_BITS 40

void equal_rows_add(equal_rows *sum, const equal_rows *more);
sinpos_status equal_by_hashes(const row_source *source, size_t memory_bytes, const char *folder, equal_rows *equal,
                              uint64_t *temporary_bytes, const crew *c);
sinpos_status equal_by_offsets(const row_source *source, const tone_set *set, const double *limit,
                               const int64_t *offsets, size_t n_offsets, equal_rows *equal, const crew *c);
