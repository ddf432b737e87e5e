/* identify_table.h - tables in memory: made by a specification, and identified. Included after cases.h. */
#ifndef SINPOS_TESTS_IDENTIFY_TABLE_H
#define SINPOS_TESTS_IDENTIFY_TABLE_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "sinpos_analysis.h"

struct memory {
    const char *data;
    size_t row_bytes;
};

static inline sinpos_status read_rows(void *context, size_t first, size_t n, void *rows)
{
    const struct memory *memory = context;
    memcpy(rows, memory->data + first * memory->row_bytes, n * memory->row_bytes);
    return SINPOS_OK;
}

static inline sinpos_identity *identify(const void *data, size_t n, size_t dim, sinpos_type type)
{
    const size_t shape[] = {n, dim};
    struct memory memory = {data, dim * sinpos_type_bytes(type)};
    const sinpos_table table = {2, shape, type, read_rows, &memory};
    sinpos_identity *found;
    assert_int_equal(sinpos_identify(&found, &table, 1), SINPOS_OK);
    return found;
}

static inline void *make_table(const sinpos_spec *spec, int64_t first, size_t n, sinpos_type type)
{
    sinpos_plan *plan;
    void *data = calloc(n * spec->dim, sinpos_type_bytes(type));
    assert_non_null(data);
    assert_int_equal(sinpos_plan_create(&plan, spec), SINPOS_OK);
    assert_int_equal(sinpos_fill(plan, first, n, type, data, spec->dim), SINPOS_OK);
    sinpos_plan_destroy(plan);
    return data;
}

#endif
