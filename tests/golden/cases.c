#include "cases.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double turns[16] = {0.5,    0.25,           1.0 / 3, 0x1p-20, 1.5,    -0.75, 1e-7, 3,
                                 0.0625, 0.083333333333, 7,       0x1p-52, 0.0001, 0.9,   12,   0};
static const double radians[16] = {1,       0.5,  1e-3, 3.141592653589793, 0x1p-40, -2.75, 1e6, 0,
                                   0.69314, 1e-9, 12.5, 0x1.8p-1022,       1e-300,  2,     7e4, 0.3};
static const double factors[16] = {1, 1, 1, 1, 1.5, 2, 3, 4, 4, 4, 8, 8, 8, 8, 8, 8};

typedef struct family {
    const char *name;
    sinpos_spec spec;
} family;

#define FIELDS(size, way)                                                                                              \
    .struct_size = sizeof(sinpos_spec), .dim = (size), .schedule = (way), .base_divisor = 1, .amplitude = 1

static const family families[] = {
    {"vaswani-512", {FIELDS(512, SINPOS_GEOMETRIC), .base = 10000, .scale = 1}},
    {"halves-384-divisor-191",
     {FIELDS(384, SINPOS_GEOMETRIC), .layout = SINPOS_HALVES, .base = 10000, .divisor = 191, .scale = 1}},
    {"cos-first-halves-256-base-5e5",
     {FIELDS(256, SINPOS_GEOMETRIC), .layout = SINPOS_HALVES, .order = SINPOS_COS_SIN, .base = 5e5, .scale = 1}},
    {"truncate-7", {FIELDS(7, SINPOS_GEOMETRIC), .base = 10000, .scale = 1}},
    {"zero-halves-9",
     {FIELDS(9, SINPOS_GEOMETRIC), .odd = SINPOS_ZERO, .layout = SINPOS_HALVES, .base = 100, .scale = 1}},
    {"ratio-30-scaled-phase",
     {.struct_size = sizeof(sinpos_spec),
      .dim = 30,
      .schedule = SINPOS_GEOMETRIC,
      .base = 500,
      .base_divisor = 3,
      .divisor = 14,
      .shift = 0.5,
      .scale = -0.125,
      .amplitude = 22.627416997969522,
      .phase = 0.5,
      .phase_turns = 0.125}},
    {"base-below-1-64", {FIELDS(64, SINPOS_GEOMETRIC), .base = 0.001, .scale = 1}},
    {"factors-32", {FIELDS(32, SINPOS_GEOMETRIC), .base = 10000, .scale = 1, .factor = factors, .n_factor = 16}},
    {"power-100", {FIELDS(100, SINPOS_POWER), .base = 10000, .exponent = 2.5, .scale = 1}},
    {"octave-24", {FIELDS(24, SINPOS_OCTAVE), .base = 10000, .scale = 1}},
    {"turns-32", {FIELDS(32, SINPOS_TURNS), .base = 10000, .scale = 1, .theta = turns, .n_theta = 16}},
    {"explicit-32", {FIELDS(32, SINPOS_EXPLICIT), .base = 10000, .scale = 1, .theta = radians, .n_theta = 16}},
};
#define N_FAMILIES (sizeof families / sizeof *families)

typedef struct range {
    const char *name;
    int kind;
    int64_t first;
    size_t n;
} range;

static const range ranges[] = {
    {"0+512", 0, 0, 512}, {"2^40+200", 0, INT64_C(1) << 40, 200}, {"-300+600", 0, -300, 600}, {"scattered", 1, 0, 150},
    {"reals", 2, 0, 150}, {"top", 0, INT64_MAX - 99, 100},
};
#define N_RANGES (sizeof ranges / sizeof *ranges)

/* Beyond type x family: a large table of two types, and every operation. */
typedef struct extra {
    size_t family, range;
    size_t dim, n;
    sinpos_operation operation;
    sinpos_type type;
} extra;

static const extra extras[] = {
    {0, 0, 1024, 32768, SINPOS_FILL, SINPOS_F32},
    {0, 0, 1024, 32768, SINPOS_FILL, SINPOS_BF16},
    {0, 0, 0, 0, SINPOS_ADD, SINPOS_F32},
    {1, 2, 0, 0, SINPOS_ADD, SINPOS_BF16},
    {5, 4, 0, 0, SINPOS_ADD, SINPOS_F16},
    {2, 1, 0, 0, SINPOS_ADD, SINPOS_F64},
    {0, 2, 0, 0, SINPOS_GRADIENT_POSITION, SINPOS_F64},
    {5, 4, 0, 0, SINPOS_GRADIENT_POSITION, SINPOS_F32},
    {0, 1, 0, 0, SINPOS_GRADIENT_THETA, SINPOS_F64},
    {9, 4, 0, 0, SINPOS_GRADIENT_THETA, SINPOS_F32},
    {0, 4, 0, 0, SINPOS_FILL, SINPOS_F32},
    {0, 3, 0, 0, SINPOS_FILL, SINPOS_F32},
};
#define N_EXTRAS (sizeof extras / sizeof *extras)

/* Heads of queries or keys, by type and pairing; directions and ranges in turn. */
enum { ROTARY_HEADS = 3, ROTARY_DIM = 80, N_ROTARY = 2 * N_TYPES };

static void rotary_case(size_t i, golden_case *c)
{
    static const char *const directions[] = {"rotate", "rotate-back", "rotate-transpose"};
    static const size_t turn[N_ROTARY] = {4, 0, 2, 3, 1, 2, 4, 0};
    const bool halves = i >= N_TYPES;
    const range *r = &ranges[turn[i]];
    *c = (golden_case){.spec = {FIELDS(ROTARY_DIM, SINPOS_GEOMETRIC),
                                .layout = halves ? SINPOS_HALVES : SINPOS_INTERLEAVED, .order = SINPOS_COS_SIN,
                                .base = halves ? 5e5 : 10000, .scale = 1},
                       .heads = ROTARY_HEADS,
                       .direction = (sinpos_direction)(i % 3),
                       .kind = r->kind,
                       .first = r->first,
                       .n = r->n,
                       .type = all_types[i % N_TYPES]};
    if (i % 3 == SINPOS_INVERSE)
        c->spec.amplitude = 1.25;
    (void)snprintf(c->name, sizeof c->name, "rotary-%s-%dx%d/%s/%s/%s", halves ? "half" : "pair", ROTARY_HEADS,
                   ROTARY_DIM, r->name, directions[c->direction], type_name(c->type));
}

size_t golden_count(void)
{
    return N_FAMILIES * N_TYPES + N_EXTRAS + N_ROTARY;
}

size_t golden_size(const golden_case *c)
{
    return c->n * (c->heads > 0 ? c->heads : 1) * c->spec.dim;
}

void golden_get(size_t i, golden_case *c)
{
    extra e = {.operation = SINPOS_FILL};
    if (i >= N_FAMILIES * N_TYPES + N_EXTRAS) {
        rotary_case(i - N_FAMILIES * N_TYPES - N_EXTRAS, c);
        return;
    }
    if (i < N_FAMILIES * N_TYPES) {
        e.family = i / N_TYPES;
        e.type = all_types[i % N_TYPES];
        e.range = (e.family + i % N_TYPES * 5) % N_RANGES;
    } else {
        e = extras[i - N_FAMILIES * N_TYPES];
    }
    const family *f = &families[e.family];
    const range *r = &ranges[e.range];
    *c = (golden_case){.spec = f->spec,
                       .operation = e.operation,
                       .kind = r->kind,
                       .first = r->first,
                       .n = e.n ? e.n : r->n,
                       .type = e.type,
                       .large = e.n > 0};
    if (e.dim)
        c->spec.dim = e.dim;
    if (c->large)
        (void)snprintf(c->name, sizeof c->name, "vaswani-%zu/0+%zu/%s", e.dim, e.n, type_name(e.type));
    else if (e.operation == SINPOS_FILL)
        (void)snprintf(c->name, sizeof c->name, "%s/%s/%s", f->name, r->name, type_name(e.type));
    else
        (void)snprintf(c->name, sizeof c->name, "%s/%s/%s/%s", f->name, r->name, operation_name(e.operation),
                       type_name(e.type));
}

void golden_positions(const golden_case *c, int64_t *integers, double *reals)
{
    uint64_t state = 88172645463325252u;
    for (size_t i = 0; i < c->n; i++) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        const unsigned bits = (unsigned)(i * 7 % 63) + 1;
        const int64_t p = (int64_t)(state >> (64 - bits));
        if (c->kind == 1)
            integers[i] = i % 3 == 2 ? -p : p;
        else if (c->kind == 2)
            reals[i] = i % 4 == 3 ? (double)p * 0x1p-40 : ((double)i - 20) * 0.37;
    }
}

void golden_before(const golden_case *c, void *array)
{
    for (size_t i = 0; i < golden_size(c); i++) {
        const int k = (int)(i * 37 % 128) - 64; /* k / 64 has at most 7 digits: every type holds it */
        const double x = k / 64.0;
        const float f = (float)x;
        uint64_t bits64;
        uint32_t bits32;
        memcpy(&bits64, &x, 8);
        memcpy(&bits32, &f, 4);
        uint64_t bits = c->type == SINPOS_F64 ? bits64 : c->type == SINPOS_F32 ? bits32 : bits32 >> 16;
        if (c->type == SINPOS_F16) /* exponent from bias 127 to 15, 10 digits of 23 */
            bits = k == 0 ? 0 : (bits32 >> 31) << 15 | (((bits32 >> 13) & 0x3ffff) - (112u << 10));
        store_bits(array, c->type, i, bits);
    }
}

bool golden_make(const golden_case *c, void *array, size_t n_threads)
{
    sinpos_plan *plan;
    if (sinpos_plan_create(&plan, &c->spec) != SINPOS_OK)
        return false;
    int64_t *integers = malloc(c->n * sizeof *integers);
    double *reals = malloc(c->n * sizeof *reals);
    golden_positions(c, integers, reals);
    if (c->operation == SINPOS_ADD || c->heads > 0)
        golden_before(c, array);
    const sinpos_rows rows = {sizeof(sinpos_rows), c->n, c->kind == 1 ? integers : NULL, c->kind == 2 ? reals : NULL,
                              c->first};
    const size_t dim = c->spec.dim;
    const sinpos_status status = c->heads > 0 ? sinpos_rotate(plan, &rows, c->direction, c->heads, c->type, array,
                                                              c->heads * dim, dim, n_threads)
                                              : sinpos_run(plan, c->operation, &rows, c->type, array, dim, n_threads);
    free(integers);
    free(reals);
    sinpos_plan_destroy(plan);
    return status == SINPOS_OK;
}

void golden_hash(const golden_case *c, const void *array, char hex[65])
{
    sha256 s;
    unsigned char row[4096];
    const size_t size = type_size(c->type), n = golden_size(c);
    sha256_begin(&s);
    size_t used = 0;
    for (size_t i = 0; i < n; i++) {
        const uint64_t bits = load_bits(array, c->type, i);
        for (size_t b = 0; b < size; b++)
            row[used++] = (unsigned char)(bits >> (8 * b));
        if (used == sizeof row || i + 1 == n) {
            sha256_update(&s, row, used);
            used = 0;
        }
    }
    sha256_end(&s, hex);
}
