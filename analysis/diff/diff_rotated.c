/* diff_rotated.c - rotated queries or keys. */
#include "diff.h"

#include "boundary.h"

sinpos_status sinpos_diff_rotated(sinpos_difference **out, const sinpos_table *a, const sinpos_table *b,
                                  const sinpos_table *input, size_t n, size_t n_threads)
{
    BOUNDARY;
    (void)input;
    (void)n;
    return sinpos_diff(out, a, b, n_threads);
}
