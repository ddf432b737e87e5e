/* Tones into segments: sorted by coordinate, and cut where the pattern of their columns changes. */
#include <stdlib.h>

#include "internal.h"

enum { RUN = 8 }; /* shorter runs of columns are not worth a segment of their own */

/* How many tones from `list` on have the columns of the pattern that the first of them begins. */
static size_t run_length(const sinpos_tone *tones, const uint32_t *list, size_t n, ptrdiff_t step)
{
    const sinpos_tone *first = &tones[list[0]];
    if (first->sin_column < 0 || first->cos_column < 0)
        return 0;
    if (step == 2 && labs((long)(first->sin_column - first->cos_column)) != 1)
        return 0;
    size_t k = 1;
    while (k < n && tones[list[k]].axis == first->axis &&
           tones[list[k]].sin_column == first->sin_column + step * (ptrdiff_t)k &&
           tones[list[k]].cos_column == first->cos_column + step * (ptrdiff_t)k)
        k++;
    return k;
}

static size_t same_axis(const sinpos_tone *tones, const uint32_t *list, size_t n)
{
    size_t k = 1;
    while (k < n && tones[list[k]].axis == tones[list[0]].axis)
        k++;
    return k;
}

/* The next segment of the sorted list: how many tones it takes, and which pattern they have. */
static size_t next_segment(const sinpos_tone *tones, const uint32_t *list, size_t n, segment *s)
{
    const size_t all = same_axis(tones, list, n);
    size_t listed = 0;
    *s = (segment){.axis = tones[list[0]].axis, .pattern = COLUMNS_LISTED};
    while (listed < all) {
        const size_t pairs = run_length(tones, list + listed, all - listed, 2);
        const size_t split = run_length(tones, list + listed, all - listed, 1);
        const size_t run = pairs > split ? pairs : split;
        const bool worthwhile = run >= RUN || (run > 0 && run == all);
        if (worthwhile && listed > 0)
            return listed;
        if (worthwhile) {
            const sinpos_tone *first = &tones[list[0]];
            s->pattern = pairs >= split ? COLUMNS_PAIRS : COLUMNS_SPLIT;
            s->sin_column = first->sin_column;
            s->cos_column = first->cos_column;
            s->cos_first = first->cos_column < first->sin_column;
            return run;
        }
        listed += run > 0 ? run : 1;
    }
    return all;
}

bool tones_sort(const sinpos_tone *tones, size_t n, size_t n_axes, uint32_t *list)
{
    if (n_axes == 1) {
        for (size_t i = 0; i < n; i++)
            list[i] = (uint32_t)i;
        return true;
    }
    size_t *start = calloc(n_axes + 1, sizeof *start);
    if (start == NULL)
        return false;
    for (size_t i = 0; i < n; i++)
        start[tones[i].axis + 1]++;
    for (size_t a = 0; a < n_axes; a++)
        start[a + 1] += start[a];
    for (size_t i = 0; i < n; i++)
        list[start[tones[i].axis]++] = (uint32_t)i;
    free(start);
    return true;
}

void segments_lay_out(const sinpos_tone *tones, const uint32_t *list, size_t n, segment *segments, size_t *n_segments,
                      size_t *n_padded)
{
    *n_segments = *n_padded = 0;
    for (size_t done = 0; done < n;) {
        segment *s = &segments[(*n_segments)++];
        const size_t count = next_segment(tones, list + done, n - done, s);
        s->first = *n_padded;
        s->count = count;
        *n_padded += padded_count(count);
        done += count;
    }
}
