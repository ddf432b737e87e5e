#define _DEFAULT_SOURCE
#include "support.h"

#include <stdlib.h>
#include <string.h>
#if defined(_WIN32)
#include <windows.h>
#else
#include <sys/mman.h>
#include <unistd.h>
#endif

const sinpos_type all_types[N_TYPES] = {SINPOS_F64, SINPOS_F32, SINPOS_F16, SINPOS_BF16};
const char *const isa_names[] = {"scalar", "neon", "avx2", "avx512", "avx512-base", NULL};

sinpos_status isa_cap(const char *isa)
{
    const char *most = getenv("SINPOS_ISA");
    if (isa == NULL || most == NULL)
        return sinpos_isa_cap(isa == NULL ? most : isa);
    const bool is_beyond = strncmp(most, "avx512", 6) != 0 && strncmp(isa, "avx512", 6) == 0;
    return is_beyond ? SINPOS_E_UNSUPPORTED : sinpos_isa_cap(isa);
}

const char *type_name(sinpos_type type)
{
    switch (type) {
    case SINPOS_F64: return "f64";
    case SINPOS_F32: return "f32";
    case SINPOS_F16: return "f16";
    case SINPOS_BF16: return "bf16";
    }
    return "?";
}

const char *operation_name(sinpos_operation operation)
{
    static const char *const names[] = {"fill", "add", "gradient_position", "gradient_theta"};
    return names[operation];
}

const char *schedule_name(sinpos_schedule schedule)
{
    static const char *const names[] = {"geometric", "power", "octave", "turns", "explicit"};
    return names[schedule];
}

size_t type_size(sinpos_type type)
{
    return type == SINPOS_F64 ? 8 : type == SINPOS_F32 ? 4 : 2;
}

uint64_t load_bits(const void *array, sinpos_type type, size_t i)
{
    const unsigned char *at = (const unsigned char *)array + i * type_size(type);
    uint64_t b64;
    uint32_t b32;
    uint16_t b16;
    switch (type_size(type)) {
    case 8: memcpy(&b64, at, 8); return b64;
    case 4: memcpy(&b32, at, 4); return b32;
    default: memcpy(&b16, at, 2); return b16;
    }
}

void store_bits(void *array, sinpos_type type, size_t i, uint64_t bits)
{
    unsigned char *at = (unsigned char *)array + i * type_size(type);
    const uint32_t b32 = (uint32_t)bits;
    const uint16_t b16 = (uint16_t)bits;
    if (type_size(type) == 8)
        memcpy(at, &bits, 8);
    else if (type_size(type) == 4)
        memcpy(at, &b32, 4);
    else
        memcpy(at, &b16, 2);
}

void make_activations(random_state *r, void *x, sinpos_type type, size_t n, unsigned percent_special)
{
    for (size_t i = 0; i < n; i++) {
        const unsigned bits = (unsigned)(8 * type_size(type));
        uint64_t e = random_u64(r) >> (64 - bits);
        if (random_chance(r, percent_special))
            e = random_chance(r, 50) ? e & UINT64_C(1) << (bits - 1) : e;
        else if (type == SINPOS_F64)
            e = (e & UINT64_C(0x803fffffffffffff)) | UINT64_C(0x3fc0000000000000);
        else if (type == SINPOS_F32)
            e = (e & 0x81ffffff) | 0x3e000000;
        else
            e = type == SINPOS_F16 ? (e & 0x8fff) | 0x3000 : (e & 0x81ff) | 0x3e00;
        store_bits(x, type, i, e);
    }
}

/* The columns of the two components of frequency i; the second may be missing. */
static void place(const sinpos_spec *spec, size_t n, size_t i, sinpos_tone *tone)
{
    ptrdiff_t first, second;
    if (spec->layout == SINPOS_INTERLEAVED) {
        first = (ptrdiff_t)(2 * i);
        second = first + 1;
    } else {
        first = (ptrdiff_t)i;
        second = (ptrdiff_t)(n + i);
    }
    if ((size_t)second >= spec->dim)
        second = SINPOS_NO_COLUMN;
    tone->sin_column = spec->order == SINPOS_SIN_COS ? first : second;
    tone->cos_column = spec->order == SINPOS_SIN_COS ? second : first;
}

static double resolved_divisor(const sinpos_spec *spec)
{
    if (spec->divisor != 0)
        return spec->divisor;
    return spec->odd == SINPOS_ZERO ? (double)(spec->dim / 2) : (double)spec->dim / 2;
}

size_t expand_spec(const sinpos_spec *spec, sinpos_tone *tones)
{
    const size_t n = spec->odd == SINPOS_ZERO ? spec->dim / 2 : (spec->dim + 1) / 2;
    for (size_t i = 0; i < n; i++) {
        sinpos_tone t = {.schedule = spec->schedule,
                         .base = spec->base,
                         .base_divisor = spec->base_divisor,
                         .exponent = spec->exponent,
                         .index = (double)i,
                         .shift = spec->shift,
                         .divisor = resolved_divisor(spec),
                         .scale = spec->scale,
                         .factor = spec->factor ? spec->factor[i] : 1,
                         .phase = spec->phase,
                         .phase_turns = spec->phase_turns,
                         .amplitude = spec->amplitude};
        if (spec->schedule == SINPOS_OCTAVE) { /* pi 2^(i+s) radians: 2^(i-1+s) turns */
            t.schedule = SINPOS_GEOMETRIC;
            t.in_turns = 1;
            t.base = 2;
            t.base_divisor = 1;
            t.index = (double)i - 1;
            t.divisor = -1;
        } else if (spec->schedule == SINPOS_TURNS || spec->schedule == SINPOS_EXPLICIT) {
            t.schedule = SINPOS_EXPLICIT;
            t.in_turns = spec->schedule == SINPOS_TURNS;
            t.value = spec->theta[i];
        }
        place(spec, n, i, &t);
        tones[i] = t;
    }
    return n;
}

static void print_list(FILE *f, const char *name, const double *x, size_t n)
{
    if (x == NULL)
        return;
    fprintf(f, " %s={", name);
    for (size_t i = 0; i < n && i < 12; i++)
        fprintf(f, "%s%a", i ? "," : "", x[i]);
    fprintf(f, n > 12 ? ",...}" : "}");
}

void print_spec(FILE *f, const sinpos_spec *s)
{
    fprintf(f,
            "  spec: dim=%zu schedule=%s layout=%s order=%s odd=%s types=%u base=%a base_divisor=%a exponent=%a "
            "shift=%a divisor=%a scale=%a amplitude=%a phase=%a phase_turns=%a",
            s->dim, schedule_name(s->schedule), s->layout == SINPOS_HALVES ? "halves" : "interleaved",
            s->order == SINPOS_COS_SIN ? "cos-sin" : "sin-cos", s->odd == SINPOS_ZERO ? "zero" : "truncate", s->types,
            s->base, s->base_divisor, s->exponent, s->shift, s->divisor, s->scale, s->amplitude, s->phase,
            s->phase_turns);
    print_list(f, "theta", s->theta, s->n_theta);
    print_list(f, "factor", s->factor, s->n_factor);
    fprintf(f, "\n");
}

static void print_parts(FILE *f, const char *name, const double *parts)
{
    fprintf(f, " %s=", name);
    for (int k = 0; k < SINPOS_PARTS; k++)
        fprintf(f, "%s%a", k == 0 ? "" : ",", parts[k]);
}

static void print_more(FILE *f, const sinpos_tone_more *m)
{
    fprintf(f, "   more: phase_divisor=%a", m->phase_divisor);
    print_parts(f, "value", m->value);
    print_parts(f, "phase", m->phase);
    print_parts(f, "amplitude", m->amplitude);
    fprintf(f, "\n");
    for (size_t i = 0; i < m->n_listens; i++) {
        fprintf(f, "   listens: axis=%zu divisor=%a", m->listens[i].axis, m->listens[i].divisor);
        print_parts(f, "coefficient", m->listens[i].coefficient);
        fprintf(f, "\n");
    }
}

void print_tone(FILE *f, const sinpos_tone *t)
{
    fprintf(f,
            "  tone: schedule=%s in_turns=%d base=%a base_divisor=%a exponent=%a index=%a shift=%a divisor=%a scale=%a "
            "factor=%a value=%a phase=%a phase_turns=%a amplitude=%a axis=%zu sin_column=%td cos_column=%td\n",
            schedule_name(t->schedule), t->in_turns, t->base, t->base_divisor, t->exponent, t->index, t->shift,
            t->divisor, t->scale, t->factor, t->value, t->phase, t->phase_turns, t->amplitude, t->axis, t->sin_column,
            t->cos_column);
    if (t->more != NULL)
        print_more(f, t->more);
}

/* ------------------------------------------------------------------------------------------ Guarded memory */

#if defined(_WIN32)
static size_t page_bytes(void)
{
    return 4096;
}

static void *map_closed(size_t bytes)
{
    return VirtualAlloc(NULL, bytes, MEM_RESERVE | MEM_COMMIT, PAGE_NOACCESS);
}

static bool map_open(void *begin, size_t bytes)
{
    DWORD before;
    return VirtualProtect(begin, bytes, PAGE_READWRITE, &before);
}

static void unmap(void *map, size_t bytes)
{
    (void)bytes;
    VirtualFree(map, 0, MEM_RELEASE);
}
#else
static size_t page_bytes(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

static void *map_closed(size_t bytes)
{
    void *map = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return map == MAP_FAILED ? NULL : map;
}

static bool map_open(void *begin, size_t bytes)
{
    return mprotect(begin, bytes, PROT_READ | PROT_WRITE) == 0;
}

static void unmap(void *map, size_t bytes)
{
    (void)munmap(map, bytes);
}
#endif

bool guarded_create(guarded *g, size_t n)
{
    const size_t page = page_bytes();
    const size_t inside = (n + page - 1) / page * page + (n == 0 ? page : 0);
    g->map_bytes = inside + 2 * page;
    g->map = map_closed(g->map_bytes);
    if (g->map == NULL)
        return false;
    unsigned char *begin = (unsigned char *)g->map + page;
    if (!map_open(begin, inside)) {
        unmap(g->map, g->map_bytes);
        return false;
    }
    g->at_start = begin;
    g->at_end = begin + inside - n;
    return true;
}

void guarded_destroy(guarded *g)
{
    unmap(g->map, g->map_bytes);
}

/* ------------------------------------------------------------------------------------------------- SHA-256 */

static uint32_t turn_right(uint32_t x, int n)
{
    return x >> n | x << (32 - n);
}

/* the first 32 bits of the fractional parts of roots of the first primes, found by integer search: no table to mistype */
static uint32_t root_bits(unsigned prime, bool cube)
{
    uint64_t low = 0, high = (uint64_t)1 << 37; /* floor(root * 2^32), root < 32 */
    while (high - low > 1) {
        const uint64_t middle = low + (high - low) / 2;
        const long double m = (long double)middle;
        __extension__ typedef unsigned __int128 wide;
        bool above;
        if (cube) { /* middle^3 > prime 2^96, middle < 2^35 */
            const wide square = (wide)middle * middle;
            above = m > 4e10L || (square >> 64) * middle + (((square & UINT64_MAX) * middle) >> 64) >= (wide)prime
                                                                                                           << 32;
        } else {
            above = (wide)middle * middle > (wide)prime << 64;
        }
        if (above)
            high = middle;
        else
            low = middle;
    }
    return (uint32_t)low;
}

static const uint32_t *sha256_constants(uint32_t begin[8])
{
    static uint32_t k[64], h[8];
    if (k[0] == 0) {
        unsigned found = 0;
        for (unsigned p = 2; found < 64; p++) {
            bool is_prime = true;
            for (unsigned q = 2; q * q <= p; q++)
                is_prime = is_prime && p % q != 0;
            if (!is_prime)
                continue;
            if (found < 8)
                h[found] = root_bits(p, false);
            k[found++] = root_bits(p, true);
        }
    }
    if (begin != NULL)
        memcpy(begin, h, sizeof h);
    return k;
}

static void sha256_block(sha256 *s, const unsigned char *b)
{
    const uint32_t *k = sha256_constants(NULL);
    uint32_t w[64], v[8];
    for (int i = 0; i < 16; i++, b += 4)
        w[i] = (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
    for (int i = 16; i < 64; i++) {
        const uint32_t x = w[i - 15], y = w[i - 2];
        w[i] = w[i - 16] + w[i - 7] + (turn_right(x, 7) ^ turn_right(x, 18) ^ x >> 3) +
               (turn_right(y, 17) ^ turn_right(y, 19) ^ y >> 10);
    }
    memcpy(v, s->h, sizeof v);
    for (int i = 0; i < 64; i++) {
        const uint32_t e = v[4], a = v[0];
        const uint32_t t1 = v[7] + (turn_right(e, 6) ^ turn_right(e, 11) ^ turn_right(e, 25)) +
                            ((e & v[5]) ^ (~e & v[6])) + k[i] + w[i];
        const uint32_t t2 =
            (turn_right(a, 2) ^ turn_right(a, 13) ^ turn_right(a, 22)) + ((a & v[1]) ^ (a & v[2]) ^ (v[1] & v[2]));
        memmove(v + 1, v, 7 * sizeof *v);
        v[4] += t1;
        v[0] = t1 + t2;
    }
    for (int i = 0; i < 8; i++)
        s->h[i] += v[i];
}

void sha256_begin(sha256 *s)
{
    (void)sha256_constants(s->h);
    s->n = 0;
}

void sha256_update(sha256 *s, const void *data, size_t n)
{
    const unsigned char *at = data;
    while (n > 0) {
        const size_t used = s->n % 64;
        if (used == 0 && n >= 64) {
            sha256_block(s, at);
            at += 64;
            n -= 64;
            s->n += 64;
            continue;
        }
        const size_t take = n < 64 - used ? n : 64 - used;
        memcpy(s->block + used, at, take);
        at += take;
        n -= take;
        s->n += take;
        if (s->n % 64 == 0)
            sha256_block(s, s->block);
    }
}

void sha256_end(sha256 *s, char hex[65])
{
    const uint64_t bits = s->n * 8;
    const unsigned char one = 0x80, zero = 0;
    sha256_update(s, &one, 1);
    while (s->n % 64 != 56)
        sha256_update(s, &zero, 1);
    unsigned char length[8];
    for (int i = 0; i < 8; i++)
        length[i] = (unsigned char)(bits >> (56 - 8 * i));
    sha256_update(s, length, 8);
    for (int i = 0; i < 8; i++)
        (void)snprintf(hex + 8 * i, 9, "%08x", (unsigned)s->h[i]);
}
