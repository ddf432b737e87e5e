/* Rows to be compared bit by bit, and what is known of equal ones. */
#include "equal_rows.h"

const unsigned char *source_rows(const row_source *s, size_t i, size_t n, void *buffer, size_t *stride_bytes)
{
    if (s->plan == NULL) {
        *stride_bytes = s->ld_bytes;
        return (const unsigned char *)s->rows + i * s->ld_bytes;
    }
    *stride_bytes = s->row_bytes;
    /* Type and range were checked before. */
    return sinpos_fill(s->plan, s->first + (int64_t)i, n, s->type, buffer, s->dim) == SINPOS_OK ? buffer : NULL;
}

const unsigned char *source_row(const row_source *s, size_t i, void *buffer)
{
    size_t stride;
    return source_rows(s, i, 1, buffer, &stride);
}

void equal_rows_add(equal_rows *sum, const equal_rows *more)
{
    sum->n_again += more->n_again;
    if (more->later < sum->later || (more->later == sum->later && more->earlier < sum->earlier)) {
        sum->later = more->later;
        sum->earlier = more->earlier;
    }
}
