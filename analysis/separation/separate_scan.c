/* Offsets in waves: a sieve of a few tones in float32, then all tones in float64 for what it keeps. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "complete_tones.h"
#include "separate_scan.h"

enum { BLOCKS = 16, CHUNK = BLOCKS * SIEVE_ROWS, FULL_DOUBLES = 4096, GROUP = 32 };

/* ------------------------------------------------------------------------------------------------- the sieve */

/* Sines and cosines of the first offsets, tone by tone. */
static sinpos_status fill_rotations(sieve *s)
{
    const size_t dim = 2 * s->n;
    OWNED float *rows = malloc(SIEVE_ROWS * dim * sizeof *rows);
    if (rows == NULL)
        return SINPOS_E_MEMORY;
    const sinpos_status status = sinpos_fill(s->plan, 0, SIEVE_ROWS, SINPOS_F32, rows, dim);
    for (size_t i = 0; i < s->n && status == SINPOS_OK; i++) {
        for (size_t r = 0; r < SIEVE_ROWS; r++) {
            s->sine[i * SIEVE_ROWS + r] = rows[r * dim + i];
            s->cosine[i * SIEVE_ROWS + r] = rows[r * dim + s->n + i];
        }
    }
    return status;
}

sinpos_status sieve_make(sieve *s, const tone_set *set, const size_t *which, size_t n)
{
    *s = (sieve){.n = n};
    s->weight = blocks_take(&s->memory, n, sizeof *s->weight);
    s->sine = blocks_take(&s->memory, n, SIEVE_ROWS * sizeof *s->sine);
    s->cosine = blocks_take(&s->memory, n, SIEVE_ROWS * sizeof *s->cosine);
    if (s->memory.has_failed)
        return SINPOS_E_MEMORY;
    for (size_t i = 0; i < n; i++)
        s->weight[i] = (float)(set->ratio[which[i]] * set->ratio[which[i]]);
    const sinpos_status status = tones_plan(&s->plan, set->tone, which, n, 0.5, SINPOS_F32);
    return status == SINPOS_OK && n > 0 ? fill_rotations(s) : status;
}

void sieve_free(sieve *s)
{
    sinpos_plan_destroy(s->plan);
    blocks_free(&s->memory);
    *s = (sieve){.plan = NULL};
}

/*
 * A rotated sine is within d = 2^-22 of the real one: four inputs and three operations, 2^-25 each. So where the real
 * sum S is at most bound^2, the sum in float32 is at most (S + 2 d sqrt(n S) + n d^2)(1 + (n + 6) 2^-24) and what
 * underflows; n <= 1024. docs/mathematics.md.
 */
void sieve_bound(sieve *s, double bound)
{
    const double d = 0x1p-22, n = (double)s->n;
    s->limit = (float)((bound * bound + 2 * d * sqrt(n) * bound + n * d * d) * (1 + 0x1p-13) + 0x1p-100);
}

static void add_tone(float *restrict sum, const float *restrict sine, const float *restrict cosine, float anchor_sine,
                     float anchor_cosine, float weight)
{
    for (size_t r = 0; r < SIEVE_ROWS; r++) {
        const float x = anchor_sine * cosine[r] + anchor_cosine * sine[r];
        sum[r] += weight * (x * x);
    }
}

/* Appends the numbers, from base, of those of n sums that are within the limit; returns how many. */
static size_t keep_small(const float *sum, size_t n, float limit, uint32_t base, uint32_t *kept)
{
    size_t n_kept = 0;
    for (size_t first = 0; first < n; first += GROUP) {
        int any = 0;
        for (size_t r = first; r < first + GROUP; r++)
            any |= sum[r] <= limit;
        for (size_t r = first; any && r < first + GROUP && r < n; r++) {
            kept[n_kept] = base + (uint32_t)r;
            n_kept += sum[r] <= limit;
        }
    }
    return n_kept;
}

/* Of n offsets from anchor on, whose row is given. */
static size_t sieve_block(const sieve *s, const float *anchor, size_t n, uint32_t base, uint32_t *kept)
{
    float sum[SIEVE_ROWS] = {0};
    for (size_t i = 0; i < s->n; i++)
        add_tone(sum, s->sine + i * SIEVE_ROWS, s->cosine + i * SIEVE_ROWS, anchor[i], anchor[s->n + i], s->weight[i]);
    return keep_small(sum, n, s->limit, base, kept);
}

/* ------------------------------------------------------------------------------------------------- the scan */

static void take_buffers(offset_scan *s, scan_buffers *b, size_t n_sieve_most)
{
    b->full = blocks_take(&s->memory, s->full_rows * 2, (s->n_full + 1) * sizeof *b->full);
    b->offsets = blocks_take(&s->memory, s->full_rows + BLOCKS, sizeof *b->offsets);
    b->anchors = blocks_take(&s->memory, BLOCKS * 2, n_sieve_most * sizeof *b->anchors);
    b->kept = blocks_take(&s->memory, CHUNK, sizeof *b->kept);
}

sinpos_status scan_open(offset_scan *s, size_t n, size_t n_sieve_most)
{
    const size_t dim = 2 * s->n_full;
    s->room = n < SCAN_WAVE ? n + (n == 0) : SCAN_WAVE;
    const size_t n_chunks = s->room / CHUNK + (s->room % CHUNK != 0);
    s->n_buffers = s->crew->n_threads < n_chunks ? s->crew->n_threads : n_chunks;
    s->full_rows = dim == 0 ? FULL_DOUBLES : dim > FULL_DOUBLES ? 1 : FULL_DOUBLES / dim;
    s->n_in_chunk = blocks_take(&s->memory, n_chunks, sizeof *s->n_in_chunk);
    s->found = blocks_take(&s->memory, s->room, sizeof *s->found);
    s->buffers = blocks_take(&s->memory, s->n_buffers, sizeof *s->buffers);
    for (size_t i = 0; i < s->n_buffers && s->buffers != NULL; i++)
        take_buffers(s, &s->buffers[i], n_sieve_most);
    return blocks_status(&s->memory);
}

/* Numbers of the offsets of a chunk that the sieve keeps. */
static size_t sieve_chunk(const offset_scan *s, scan_buffers *b, int64_t first, size_t n)
{
    size_t n_kept = 0;
    if (s->sieve == NULL) {
        for (size_t i = 0; i < n; i++)
            b->kept[i] = (uint32_t)i;
        return n;
    }
    const size_t ld = 2 * s->sieve->n, n_blocks = n / SIEVE_ROWS + (n % SIEVE_ROWS != 0);
    for (size_t i = 0; i < n_blocks; i++)
        b->offsets[i] = first + (int64_t)(i * SIEVE_ROWS);
    const sinpos_status status = sinpos_fill_at(s->sieve->plan, b->offsets, n_blocks, SINPOS_F32, b->anchors, ld);
    b->status = status != SINPOS_OK ? status : b->status;
    for (size_t i = 0; i < n_blocks; i++) {
        const size_t begin = i * SIEVE_ROWS, rows = n - begin < SIEVE_ROWS ? n - begin : SIEVE_ROWS;
        n_kept += sieve_block(s->sieve, b->anchors + i * ld, rows, (uint32_t)begin, b->kept + n_kept);
    }
    return n_kept;
}

/* Measures those; writes what is found to out and returns how many. */
static size_t measure_chunk(const offset_scan *s, scan_buffers *b, int64_t first, size_t n_kept, offset_found *out)
{
    size_t n_found = 0;
    const size_t ld = s->n_full == 0 ? 1 : 2 * s->n_full;
    for (size_t done = 0; done < n_kept; done += s->full_rows) {
        const size_t rows = n_kept - done < s->full_rows ? n_kept - done : s->full_rows;
        for (size_t i = 0; i < rows; i++)
            b->offsets[i] = first + (int64_t)b->kept[done + i];
        const sinpos_status status = sinpos_fill_at(s->full, b->offsets, rows, SINPOS_F64, b->full, ld);
        b->status = status != SINPOS_OK ? status : b->status;
        for (size_t i = 0; i < rows; i++) {
            const double value = s->measure(s->context, b->full + i * ld);
            if (value >= 0)
                out[n_found++] = (offset_found){b->offsets[i], value};
        }
    }
    return n_found;
}

static void scan_range(void *context, size_t first, size_t count)
{
    offset_scan *s = context;
    scan_buffers *b = &s->buffers[first / s->share];
    for (size_t done = 0; done < count; done += CHUNK) {
        const size_t begin = first + done, n = count - done < CHUNK ? count - done : CHUNK;
        const size_t n_kept = sieve_chunk(s, b, s->first + (int64_t)begin, n);
        s->n_in_chunk[begin / CHUNK] = measure_chunk(s, b, s->first + (int64_t)begin, n_kept, s->found + begin);
    }
}

sinpos_status scan_wave(offset_scan *s, int64_t first, size_t n)
{
    s->first = first;
    s->n = n;
    s->n_found = 0;
    s->share = crew_share(s->crew, n, CHUNK);
    for (size_t i = 0; i < s->n_buffers; i++)
        s->buffers[i].status = SINPOS_OK;
    threads_run(s->crew->n_threads, n, s->share, scan_range, s);
    for (size_t i = 0; i < s->n_buffers; i++)
        if (s->buffers[i].status != SINPOS_OK)
            return s->buffers[i].status;
    for (size_t begin = 0; begin < n; begin += CHUNK) {
        const size_t found = s->n_in_chunk[begin / CHUNK];
        memmove(s->found + s->n_found, s->found + begin, found * sizeof *s->found);
        s->n_found += found;
    }
    return SINPOS_OK;
}

sinpos_status offset_list_add(offset_list *list, const offset_found *found, size_t n)
{
    if (n > list->room - list->n) {
        const size_t room = 2 * list->room + n;
        offset_found *at = room > SIZE_MAX / sizeof *at ? NULL : realloc(list->at, room * sizeof *at);
        if (at == NULL)
            return SINPOS_E_MEMORY;
        list->at = at;
        list->room = room;
    }
    if (n > 0)
        memcpy(list->at + list->n, found, n * sizeof *found);
    list->n += n;
    return SINPOS_OK;
}
