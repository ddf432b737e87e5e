/*
 * Equal rows by hashes: 88 bits of hash and 40 of the row's number make a record; records are dealt out by their first
 * byte, sorted part by part, and rows whose hashes agree are compared. What memory does not hold goes to one file.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "equal_rows.h"

enum { PARTS = 256, BLOCK = 256, CHUNK = 4096, WAVE = 1 << 18, COMPARED = 64, KNOWN_MOST = 4096, LEAST_ROOM = 1 << 12 };
#define INDEX_MASK (((uint64_t)1 << INDEX_BITS) - 1)

typedef struct record {
    uint64_t high, low; /* hash; 24 bits of hash and the number of the row */
} record;

/* ------------------------------------------------------------------------------------------------- hash */

static uint64_t rotate(uint64_t x, int bits)
{
    return x << bits | x >> (64 - bits);
}

/* Two lanes of multiplications and shifts, each step a bijection of the state: the first digits of pi, made odd. */
static record hash_row(const unsigned char *row, size_t bytes, uint64_t index)
{
    uint64_t a = 0x243f6a8885a308d3, b = 0x13198a2e03707345;
    for (size_t i = 0; i < bytes; i += 16) {
        uint64_t word[2] = {0, 0};
        memcpy(word, row + i, bytes - i < 16 ? bytes - i : 16);
        a = (a ^ word[0]) * 0xa4093822299f31d1;
        b = (b ^ word[1]) * 0x082efa98ec4e6c89;
        a = (a ^ a >> 32) + rotate(b, 25);
        b ^= b >> 29 ^ a;
    }
    for (int i = 0; i < 2; i++) {
        a = (a ^ a >> 31) * 0x452821e638d01377 + b;
        b = (b ^ b >> 33) * 0xbe5466cf34e90c6d + rotate(a, 17);
    }
    a ^= a >> 32;
    b ^= b >> 29;
    return (record){a, b << INDEX_BITS | index};
}

static bool same_hash(const record *a, const record *b)
{
    return a->high == b->high && a->low >> INDEX_BITS == b->low >> INDEX_BITS;
}

/* ------------------------------------------------------------------------------------------------- sorting */

static unsigned byte_of(const record *r, int level)
{
    return (unsigned)(level < 8 ? r->high >> (56 - 8 * level) : r->low >> (120 - 8 * level)) & 0xff;
}

/* Brings n records into the order of one byte, in place; starts receives where each value begins. */
static void deal_out(record *at, size_t n, int level, size_t starts[PARTS + 1])
{
    size_t next[PARTS];
    memset(starts, 0, (PARTS + 1) * sizeof *starts);
    for (size_t i = 0; i < n; i++)
        starts[byte_of(&at[i], level) + 1]++;
    for (size_t v = 0; v < PARTS; v++) {
        starts[v + 1] += starts[v];
        next[v] = starts[v];
    }
    for (size_t v = 0; v < PARTS; v++) {
        while (next[v] < starts[v + 1]) {
            record moving = at[next[v]];
            for (unsigned to = byte_of(&moving, level); to != v; to = byte_of(&moving, level)) {
                const record met = at[next[to]];
                at[next[to]++] = moving;
                moving = met;
            }
            at[next[v]++] = moving;
        }
    }
}

static bool is_before(const record *a, const record *b)
{
    return a->high < b->high || (a->high == b->high && a->low < b->low);
}

static void sort_records(record *at, size_t n, int level)
{
    size_t starts[PARTS + 1];
    if (n > 48) {
        deal_out(at, n, level, starts);
        for (size_t v = 0; v < PARTS && level < 15; v++)
            sort_records(at + starts[v], starts[v + 1] - starts[v], level + 1);
        return;
    }
    for (size_t i = 1; i < n; i++) {
        const record moving = at[i];
        size_t j = i;
        for (; j > 0 && is_before(&moving, &at[j - 1]); j--)
            at[j] = at[j - 1];
        at[j] = moving;
    }
}

/* ------------------------------------------------------------------------------------- rows met often */

/*
 * The first rows a thread meets: what equals one of them is counted at once and leaves no record. Each thread goes
 * through the rows in ascending order, so the row it met stood before.
 */
typedef struct known_rows {
    record *hash; /* (2 room), by their low bits; index NOWHERE is empty */
    uint32_t *place;
    unsigned char *rows; /* (room) */
    size_t n, room, mask;
    uint64_t asked, met;
} known_rows;

static void known_open(known_rows *k, size_t row_bytes, size_t memory_bytes, blocks *memory)
{
    size_t room = KNOWN_MOST;
    while (room > 1 && room > memory_bytes / row_bytes)
        room /= 2;
    *k = (known_rows){.room = room, .mask = 2 * room - 1};
    k->hash = blocks_take(memory, 2 * room, sizeof *k->hash);
    k->place = blocks_take(memory, 2 * room, sizeof *k->place);
    k->rows = blocks_take(memory, room, row_bytes);
}

/* Was this row met before? Then *earlier is where. Else it may be kept, and is no longer new the next time. */
static bool known_find(known_rows *k, const record *r, const unsigned char *row, size_t row_bytes, uint64_t *earlier)
{
    if (k->asked > 16 * KNOWN_MOST && k->met < k->asked / 16)
        return false; /* does not pay */
    k->asked++;
    size_t at = r->high & k->mask;
    for (; k->place[at] != 0; at = (at + 1) & k->mask) {
        const unsigned char *other = k->rows + (k->place[at] - 1) * row_bytes;
        if (same_hash(&k->hash[at], r) && memcmp(other, row, row_bytes) == 0) {
            *earlier = k->hash[at].low & INDEX_MASK;
            k->met++;
            return true;
        }
    }
    if (k->n < k->room) {
        memcpy(k->rows + k->n * row_bytes, row, row_bytes);
        k->hash[at] = *r;
        k->place[at] = (uint32_t)++k->n;
    }
    return false;
}

/* ------------------------------------------------------------------------------------------- the records */

/* Records dealt out by their first byte, in memory or in the file. */
typedef struct segment {
    record *at;       /* NULL: in the file */
    uint64_t in_file; /* where it begins, in records */
    size_t starts[PARTS + 1];
} segment;

typedef struct worker {
    known_rows known;
    unsigned char *rows; /* (BLOCK), or more than COMPARED */
    equal_rows equal;
    record *part; /* one part of the records, to be sorted */
    size_t part_room;
    sinpos_status status;
    int error; /* errno */
} worker;

typedef struct hashing {
    const row_source *source;
    const crew *crew;
    worker *workers; /* (threads) */
    record *wave;    /* (WAVE) */
    size_t *n_in_chunk;
    record *at; /* not yet dealt out */
    size_t n, room;
    segment *segments;
    size_t n_segments, segments_room;
    const char *folder;
    int file; /* -1: none */
    uint64_t in_file;
    /* of the wave or of the records being dealt out */
    size_t first, share;
    blocks memory;
} hashing;

static sinpos_status hashing_open(hashing *h, size_t memory_bytes)
{
    const size_t n_threads = h->crew->n_threads, most = memory_bytes / sizeof(record);
    h->room = most < LEAST_ROOM ? LEAST_ROOM : most;
    h->room = h->room < h->source->n ? h->room : h->source->n + 1;
    h->workers = blocks_take(&h->memory, n_threads, sizeof *h->workers);
    h->wave = blocks_take(&h->memory, WAVE, sizeof *h->wave);
    h->n_in_chunk = blocks_take(&h->memory, WAVE / CHUNK, sizeof *h->n_in_chunk);
    h->at = h->room > SIZE_MAX / sizeof *h->at ? NULL : malloc(h->room * sizeof *h->at);
    for (size_t i = 0; i < n_threads && h->workers != NULL; i++) {
        worker *w = &h->workers[i];
        w->equal = (equal_rows){0, NOWHERE, NOWHERE};
        w->rows = blocks_take(&h->memory, BLOCK > COMPARED + 2 ? BLOCK : COMPARED + 2, h->source->row_bytes);
        known_open(&w->known, h->source->row_bytes, (memory_bytes < 1 << 20 ? 1 << 20 : memory_bytes) / 16 / n_threads,
                   &h->memory);
    }
    return h->at == NULL ? SINPOS_E_MEMORY : blocks_status(&h->memory);
}

static void hashing_close(hashing *h)
{
    for (size_t i = 0; i < h->crew->n_threads && h->workers != NULL; i++)
        free(h->workers[i].part);
    blocks_free(&h->memory);
    free(h->at);
    free(h->segments);
    if (h->file >= 0)
        close(h->file);
}

/* Rows first .. of a chunk: records of those not met before. */
static size_t hash_chunk(const hashing *h, worker *w, size_t first, size_t n, record *out)
{
    const row_source *s = h->source;
    size_t n_records = 0;
    for (size_t done = 0; done < n; done += BLOCK) {
        const size_t rows = n - done < BLOCK ? n - done : BLOCK;
        size_t stride;
        const unsigned char *at = source_rows(s, first + done, rows, w->rows, &stride);
        for (size_t i = 0; at != NULL && i < rows; i++) {
            const uint64_t index = first + done + i;
            const record r = hash_row(at + i * stride, s->row_bytes, index);
            uint64_t earlier;
            if (known_find(&w->known, &r, at + i * stride, s->row_bytes, &earlier))
                equal_rows_add(&w->equal, &(equal_rows){1, earlier, index});
            else
                out[n_records++] = r;
        }
    }
    return n_records;
}

static void hash_range(void *context, size_t first, size_t count)
{
    hashing *h = context;
    worker *w = &h->workers[first / h->share];
    for (size_t done = 0; done < count; done += CHUNK) {
        const size_t begin = first + done, n = count - done < CHUNK ? count - done : CHUNK;
        h->n_in_chunk[begin / CHUNK] = hash_chunk(h, w, h->first + begin, n, h->wave + begin);
    }
}

/* ---------------------------------------------------------------------------------------------- the file */

static sinpos_status open_file(hashing *h)
{
    static const char ending[] = "/sinpos-XXXXXX";
    const size_t length = strlen(h->folder);
    char *path = malloc(length + sizeof ending);
    if (path == NULL)
        return SINPOS_E_MEMORY;
    memcpy(path, h->folder, length);
    memcpy(path + length, ending, sizeof ending);
    h->file = mkstemp(path);
    const int error = errno;
    if (h->file >= 0)
        unlink(path); /* from here on it goes with its last descriptor, however the process ends */
    free(path);
    errno = error;
    return h->file >= 0 ? SINPOS_OK : SINPOS_E_FILE;
}

/* To the file, or from it. */
static sinpos_status move_records(int file, record *at, size_t n, uint64_t where, bool to_file)
{
    char *place = (char *)at;
    size_t left = n * sizeof *at;
    off_t offset = (off_t)(where * sizeof *at);
    while (left > 0) {
        const size_t some = left < 1 << 30 ? left : 1 << 30;
        const ssize_t done = to_file ? pwrite(file, place, some, offset) : pread(file, place, some, offset);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0) {
            errno = done < 0 ? errno : to_file ? ENOSPC : EIO;
            return SINPOS_E_FILE;
        }
        place += done;
        offset += done;
        left -= (size_t)done;
    }
    return SINPOS_OK;
}

/* -------------------------------------------------------------------------------------------- dealing out */

static void deal_range(void *context, size_t first, size_t count)
{
    hashing *h = context;
    const size_t slot = first / h->share;
    segment *s = &h->segments[h->n_segments + slot];
    *s = (segment){.at = h->at + first, .in_file = h->in_file + first};
    deal_out(h->at + first, count, 0, s->starts);
    if (h->file >= 0) {
        s->at = NULL;
        h->workers[slot].status = move_records(h->file, h->at + first, count, s->in_file, true);
        h->workers[slot].error = errno;
    }
}

static sinpos_status worker_status(const hashing *h)
{
    for (size_t i = 0; i < h->crew->n_threads; i++) {
        if (h->workers[i].status != SINPOS_OK) {
            errno = h->workers[i].error;
            return h->workers[i].status;
        }
    }
    return SINPOS_OK;
}

/* All records so far, each thread a part of them, into segments; with a file, into that. */
static sinpos_status deal_all(hashing *h)
{
    if (h->n == 0)
        return SINPOS_OK;
    h->share = crew_share(h->crew, h->n, CHUNK);
    const size_t more = h->n / h->share + (h->n % h->share != 0);
    if (more > h->segments_room - h->n_segments) {
        const size_t room = 2 * h->segments_room + more;
        segment *segments = room > SIZE_MAX / sizeof *segments ? NULL : realloc(h->segments, room * sizeof *segments);
        if (segments == NULL)
            return SINPOS_E_MEMORY;
        h->segments = segments;
        h->segments_room = room;
    }
    threads_run(h->crew->n_threads, h->n, h->share, deal_range, h);
    h->n_segments += more;
    if (h->file >= 0) {
        h->in_file += h->n;
        h->n = 0;
    }
    return worker_status(h);
}

/* Appends the records of the wave; when there is no more room, they all go to the file. */
static sinpos_status keep_wave(hashing *h, size_t n)
{
    for (size_t begin = 0; begin < n; begin += CHUNK) {
        size_t left = h->n_in_chunk[begin / CHUNK];
        const record *from = h->wave + begin;
        while (left > 0) {
            if (h->n == h->room) {
                sinpos_status status = h->file < 0 ? open_file(h) : SINPOS_OK;
                status = status == SINPOS_OK ? deal_all(h) : status;
                if (status != SINPOS_OK)
                    return status;
            }
            const size_t now = left < h->room - h->n ? left : h->room - h->n;
            memcpy(h->at + h->n, from, now * sizeof *from);
            h->n += now;
            from += now;
            left -= now;
        }
    }
    return SINPOS_OK;
}

static sinpos_status hash_all(hashing *h)
{
    const size_t n = h->source->n;
    sinpos_status status = SINPOS_OK;
    for (size_t done = 0; done < n && status == SINPOS_OK; done += WAVE) {
        const size_t now = n - done < WAVE ? n - done : WAVE;
        h->first = done;
        h->share = crew_share(h->crew, now, CHUNK);
        threads_run(h->crew->n_threads, now, h->share, hash_range, h);
        status = keep_wave(h, now);
        if (status == SINPOS_OK)
            status = crew_report(h->crew, 0.6 * (double)(done + now) / (double)n);
    }
    return status == SINPOS_OK ? deal_all(h) : status;
}

/* -------------------------------------------------------------------------------------------- comparing */

/* The rows of n records, side by side in the buffer. */
static void load_run(const row_source *s, const record *run, size_t n, unsigned char *buffer)
{
    int64_t positions[COMPARED];
    for (size_t i = 0; i < n; i++) {
        const uint64_t index = run[i].low & INDEX_MASK;
        if (s->plan == NULL)
            memcpy(buffer + i * s->row_bytes, source_row(s, (size_t)index, NULL), s->row_bytes);
        positions[i] = s->first + (int64_t)index;
    }
    /* Type and range were checked before. */
    if (s->plan != NULL && sinpos_fill_at(s->plan, positions, n, s->type, buffer, s->dim) != SINPOS_OK)
        memset(buffer, 0, n * s->row_bytes);
}

/*
 * Rows of equal hash, in ascending order: those found different from all before are kept as numbers, nearly always one,
 * and made again to be compared, the first without that.
 */
static sinpos_status compare_run(const row_source *s, worker *w, const record *run, size_t n)
{
    unsigned char *first = w->rows, *again = first + s->row_bytes, *rows = again + s->row_bytes;
    OWNED uint64_t *different = calloc(n, sizeof *different);
    size_t n_different = 0;
    if (different == NULL)
        return SINPOS_E_MEMORY;
    for (size_t i = 0; i < n; i++) {
        if (i % COMPARED == 0)
            load_run(s, run + i, n - i < COMPARED ? n - i : COMPARED, rows);
        const unsigned char *row = rows + i % COMPARED * s->row_bytes;
        const uint64_t index = run[i].low & INDEX_MASK;
        size_t j = 0;
        for (; j < n_different; j++) {
            const unsigned char *known = j == 0 ? first : source_row(s, (size_t)different[j], again);
            if (memcmp(known, row, s->row_bytes) == 0)
                break;
        }
        if (i == 0)
            memcpy(first, row, s->row_bytes);
        if (j == n_different)
            different[n_different++] = index;
        else
            equal_rows_add(&w->equal, &(equal_rows){1, different[j], index});
    }
    return SINPOS_OK;
}

/* Gathers one part from all segments. */
static sinpos_status gather_part(const hashing *h, worker *w, size_t part, size_t *n)
{
    *n = 0;
    for (size_t i = 0; i < h->n_segments; i++)
        *n += h->segments[i].starts[part + 1] - h->segments[i].starts[part];
    if (*n > w->part_room) {
        free(w->part);
        w->part_room = *n;
        w->part = *n > SIZE_MAX / sizeof *w->part ? NULL : malloc(*n * sizeof *w->part);
        if (w->part == NULL) {
            w->part_room = 0;
            return SINPOS_E_MEMORY;
        }
    }
    const size_t n_segments = *n == 0 ? 0 : h->n_segments;
    record *to = w->part;
    sinpos_status status = SINPOS_OK;
    for (size_t i = 0; i < n_segments && status == SINPOS_OK; i++) {
        const segment *s = &h->segments[i];
        const size_t count = s->starts[part + 1] - s->starts[part];
        if (s->at == NULL)
            status = move_records(h->file, to, count, s->in_file + s->starts[part], false);
        else if (count > 0)
            memcpy(to, s->at + s->starts[part], count * sizeof *to);
        to += count;
    }
    return status;
}

static sinpos_status compare_part(const hashing *h, worker *w, size_t part)
{
    size_t n;
    sinpos_status status = gather_part(h, w, part, &n);
    if (status != SINPOS_OK)
        return status;
    sort_records(w->part, n, 1);
    for (size_t i = 0, end; i < n && status == SINPOS_OK; i = end) {
        for (end = i + 1; end < n && same_hash(&w->part[i], &w->part[end]); end++)
            continue;
        if (end - i > 1)
            status = compare_run(h->source, w, w->part + i, end - i);
    }
    return status;
}

static void compare_range(void *context, size_t first, size_t count)
{
    hashing *h = context;
    worker *w = &h->workers[first / h->share];
    for (size_t i = 0; i < count && w->status == SINPOS_OK; i++) {
        w->status = compare_part(h, w, h->first + first + i);
        w->error = errno;
    }
}

/* Several parts at a time, as many as memory allows. */
static sinpos_status compare_all(hashing *h)
{
    uint64_t n = 0;
    for (size_t i = 0; i < h->n_segments; i++)
        n += h->segments[i].starts[PARTS];
    const size_t fits = (size_t)(h->room / (n / PARTS + 1)), n_threads = h->crew->n_threads;
    const size_t at_once = fits < 1 ? 1 : fits < n_threads ? fits : n_threads;
    const crew some = {.n_threads = at_once};
    const size_t wave = 4 * at_once;
    if (h->file >= 0) {
        free(h->at);
        h->at = NULL;
    }
    for (size_t part = 0; part < PARTS; part += wave) {
        const size_t now = PARTS - part < wave ? PARTS - part : wave;
        h->first = part;
        h->share = crew_share(&some, now, 1);
        threads_run(at_once, now, h->share, compare_range, h);
        sinpos_status status = worker_status(h);
        if (status == SINPOS_OK)
            status = crew_report(h->crew, 0.6 + 0.4 * (double)(part + now) / PARTS);
        if (status != SINPOS_OK)
            return status;
    }
    return SINPOS_OK;
}

sinpos_status equal_by_hashes(const row_source *source, size_t memory_bytes, const char *folder, equal_rows *equal,
                              uint64_t *temporary_bytes, const crew *c)
{
    hashing h = {.source = source, .crew = c, .folder = folder, .file = -1};
    *equal = (equal_rows){0, NOWHERE, NOWHERE};
    if ((uint64_t)source->n >> INDEX_BITS != 0)
        return SINPOS_E_RANGE;
    sinpos_status status = hashing_open(&h, memory_bytes);
    if (status == SINPOS_OK)
        status = hash_all(&h);
    if (status == SINPOS_OK)
        status = compare_all(&h);
    for (size_t i = 0; i < c->n_threads && status == SINPOS_OK; i++)
        equal_rows_add(equal, &h.workers[i].equal);
    *temporary_bytes = h.in_file * sizeof(record);
    const int error = errno;
    hashing_close(&h);
    errno = error;
    return status;
}
