/*
 * Equal rows by offsets: if the rows of m and m - k are equal in a type, the angle of every complete tone has changed so
 * little that |sin(k theta / 2)| <= width / (sqrt 2 A). The few offsets that keep that are looked at, position by
 * position: first at the tones that change most, then at whole rows.
 */
#include <math.h>
#include <string.h>

#include "complete_tones.h"
#include "equal_rows.h"

enum { BLOCK = 512, QUICK_TONES = 8, FULL_BYTES = 1 << 15, WAVE = 1 << 22 };

/* What a thread works in, and what it found. */
typedef struct pair_buffers {
    unsigned char *quick[2], *full[2]; /* blocks of short rows, and of whole ones */
    int64_t *positions;
    uint32_t kept[BLOCK];
    bool is_again[BLOCK];
    equal_rows found;
} pair_buffers;

typedef struct pair_search {
    const row_source *source;
    const int64_t *offsets; /* ascending */
    size_t n_offsets;
    sinpos_plan **quick; /* (n_offsets) plans of a few tones; NULL where rows are short */
    size_t quick_dim;    /* at least that of each */
    size_t full_rows;
    pair_buffers *buffers; /* (threads) */
    size_t first, share;
    blocks memory;
} pair_search;

/* ------------------------------------------------------------------------------------------------ quick plans */

/* The tones whose change, against what rounding hides, is largest at the offset. */
static size_t most_changed(const tone_set *set, const double *limit, const double *sines, size_t *which)
{
    size_t n = 0;
    for (size_t i = 0; i < set->n_complete; i++) {
        const double change = fabs(sines[i]) / limit[i];
        size_t at = n < QUICK_TONES ? n++ : QUICK_TONES;
        while (at > 0 && change > fabs(sines[which[at - 1]]) / limit[which[at - 1]]) {
            if (at < QUICK_TONES)
                which[at] = which[at - 1];
            at--;
        }
        if (at < QUICK_TONES)
            which[at] = i;
    }
    return n;
}

static sinpos_status quick_plan(sinpos_plan **plan, const tone_set *set, const size_t *which, size_t n,
                                sinpos_type type)
{
    sinpos_tone own[QUICK_TONES];
    for (size_t i = 0; i < n; i++) {
        own[i] = set->tone[which[i]];
        own[i].sin_column = (ptrdiff_t)i;
        own[i].cos_column = (ptrdiff_t)(n + i);
    }
    return sinpos_plan_create_tones(plan, 2 * n, 1, own, n, (unsigned)type, NULL);
}

static sinpos_status quick_plans(pair_search *p, const tone_set *set, const double *limit)
{
    if (set->n_complete <= 2 * QUICK_TONES)
        return SINPOS_OK;
    OWNED_PLAN sinpos_plan *halves = NULL;
    double *sines = blocks_take(&p->memory, 2 * set->n_complete, sizeof *sines);
    p->quick = blocks_take(&p->memory, p->n_offsets, sizeof *p->quick);
    sinpos_status status = tones_plan(&halves, set->tone, NULL, set->n_complete, 0.5, SINPOS_F64);
    status = status == SINPOS_OK ? blocks_status(&p->memory) : status;
    for (size_t i = 0; i < p->n_offsets && status == SINPOS_OK; i++) {
        size_t which[QUICK_TONES];
        status = sinpos_fill(halves, p->offsets[i], 1, SINPOS_F64, sines, 2 * set->n_complete);
        if (status == SINPOS_OK)
            status = quick_plan(&p->quick[i], set, which, most_changed(set, limit, sines, which), p->source->type);
    }
    return status;
}

/* ------------------------------------------------------------------------------------------------ a block */

static void take_buffers(pair_search *p, pair_buffers *b)
{
    b->found = (equal_rows){0, NOWHERE, NOWHERE};
    b->positions = blocks_take(&p->memory, p->full_rows, sizeof *b->positions);
    for (int side = 0; side < 2; side++) {
        b->quick[side] = blocks_take(&p->memory, BLOCK, p->quick_dim * sizeof(double));
        b->full[side] = blocks_take(&p->memory, p->full_rows, p->source->row_bytes);
    }
}

/* Keeps those of n rows from position on that may equal the row offset before. */
static size_t sieve_pairs(const pair_search *p, pair_buffers *b, size_t i, int64_t position, size_t n)
{
    const sinpos_plan *plan = p->quick == NULL ? p->source->plan : p->quick[i];
    const size_t dim = sinpos_plan_dim(plan), bytes = dim * sinpos_type_bytes(p->source->type);
    size_t n_kept = 0;
    if (sinpos_fill(plan, position, n, p->source->type, b->quick[0], dim) != SINPOS_OK ||
        sinpos_fill(plan, position - p->offsets[i], n, p->source->type, b->quick[1], dim) != SINPOS_OK)
        return 0; /* cannot be: type and range were checked */
    for (size_t r = 0; r < n; r++) {
        b->kept[n_kept] = (uint32_t)r;
        n_kept += memcmp(b->quick[0] + r * bytes, b->quick[1] + r * bytes, bytes) == 0;
    }
    return n_kept;
}

/* Of the rows that were kept, compares all columns. */
static size_t compare_rows(const pair_search *p, pair_buffers *b, size_t i, int64_t position, size_t n_kept)
{
    const row_source *s = p->source;
    size_t n_equal = 0;
    for (size_t done = 0; done < n_kept; done += p->full_rows) {
        const size_t n = n_kept - done < p->full_rows ? n_kept - done : p->full_rows;
        for (int side = 0; side < 2; side++) {
            for (size_t r = 0; r < n; r++)
                b->positions[r] = position + (int64_t)b->kept[done + r] - (side == 0 ? 0 : p->offsets[i]);
            if (sinpos_fill_at(s->plan, b->positions, n, s->type, b->full[side], s->dim) != SINPOS_OK)
                return 0;
        }
        for (size_t r = 0; r < n; r++) {
            const uint32_t row = b->kept[done + r];
            if (memcmp(b->full[0] + r * s->row_bytes, b->full[1] + r * s->row_bytes, s->row_bytes) == 0)
                b->kept[n_equal++] = row;
        }
    }
    return n_equal;
}

/* Rows index .. index + n - 1 against those every offset before. */
static void search_block(const pair_search *p, pair_buffers *b, size_t index, size_t n)
{
    memset(b->is_again, 0, n * sizeof *b->is_again);
    for (size_t i = 0; i < p->n_offsets; i++) {
        const size_t offset = (size_t)p->offsets[i];
        const size_t skipped = index >= offset ? 0 : offset - index;
        if (skipped >= n)
            continue;
        const int64_t position = p->source->first + (int64_t)(index + skipped);
        size_t n_kept = sieve_pairs(p, b, i, position, n - skipped);
        if (p->quick != NULL)
            n_kept = compare_rows(p, b, i, position, n_kept);
        for (size_t r = 0; r < n_kept; r++) {
            const size_t row = skipped + b->kept[r];
            const equal_rows pair = {1, index + row - offset, index + row};
            const equal_rows again = {0, pair.earlier, pair.later};
            equal_rows_add(&b->found, b->is_again[row] ? &again : &pair);
            b->is_again[row] = true;
        }
    }
}

static void search_range(void *context, size_t first, size_t count)
{
    const pair_search *p = context;
    for (size_t done = 0; done < count; done += BLOCK) {
        const size_t n = count - done < BLOCK ? count - done : BLOCK;
        search_block(p, &p->buffers[first / p->share], p->first + first + done, n);
    }
}

/* ------------------------------------------------------------------------------------------------ all blocks */

static sinpos_status search_waves(pair_search *p, const crew *c)
{
    sinpos_status status = SINPOS_OK;
    const size_t n = p->source->n, wave = WAVE / (p->n_offsets + 1) / BLOCK * BLOCK + BLOCK * c->n_threads;
    for (size_t done = (size_t)p->offsets[0]; done < n && status == SINPOS_OK; done += wave) {
        const size_t now = n - done < wave ? n - done : wave;
        p->first = done;
        p->share = crew_share(c, now, BLOCK);
        threads_run(c->n_threads, now, p->share, search_range, p);
        status = crew_report(c, (double)(done + now) / (double)n);
    }
    return status;
}

sinpos_status equal_by_offsets(const row_source *source, const tone_set *set, const double *limit,
                               const int64_t *offsets, size_t n_offsets, equal_rows *equal, const crew *c)
{
    pair_search p = {.source = source, .offsets = offsets, .n_offsets = n_offsets};
    *equal = (equal_rows){0, NOWHERE, NOWHERE};
    if (n_offsets == 0)
        return SINPOS_OK;
    p.full_rows = FULL_BYTES / source->row_bytes == 0 ? 1 : FULL_BYTES / source->row_bytes;
    sinpos_status status = quick_plans(&p, set, limit);
    p.quick_dim = p.quick == NULL ? source->dim : 2 * (size_t)QUICK_TONES;
    p.buffers = blocks_take(&p.memory, c->n_threads, sizeof *p.buffers);
    for (size_t i = 0; i < c->n_threads && p.buffers != NULL; i++)
        take_buffers(&p, &p.buffers[i]);
    status = status == SINPOS_OK ? blocks_status(&p.memory) : status;
    if (status == SINPOS_OK)
        status = search_waves(&p, c);
    for (size_t i = 0; i < c->n_threads && status == SINPOS_OK; i++)
        equal_rows_add(equal, &p.buffers[i].found);
    for (size_t i = 0; i < n_offsets && p.quick != NULL; i++)
        sinpos_plan_destroy(p.quick[i]);
    blocks_free(&p.memory);
    return status;
}
