/*
 * Every instruction set of this machine against the portable code: every length and width up to 70, types, operations,
 * kinds of positions, layouts, misalignments; then wide and odd specifications; then pairs of heads, rotated. Whole
 * buffers are compared, canaries included, so a write outside the rows is a difference too.  [P1] [P5]
 */
#define _DEFAULT_SOURCE
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"
#include "random.h"
#include "support.h"
#include "tap.h"

#define MOST_ROWS 70
#define MOST_DIM 70
#define MOST_HEAD 576
#define CANARY 64
#define N_VARIANTS 8

typedef struct request {
    const sinpos_plan *plan;
    size_t dim, n, ld, offset; /* offset: elements before the first row */
    sinpos_operation operation;
    int kind; /* 0 consecutive, 1 integers, 2 reals */
    int64_t first;
    const int64_t *integers;
    const double *reals;
    sinpos_type type;
    unsigned variant;
    size_t heads; /* 0: not rotated, and dim, ld are those of a head */
    size_t ld_head;
    sinpos_direction direction;
    bool is_streamed; /* past the cache */
} request;

static unsigned char *buffers[2];
static size_t buffer_bytes;

static void reserve(size_t bytes)
{
    if (bytes <= buffer_bytes)
        return;
    for (int i = 0; i < 2; i++) {
        ALIGNED_FREE(buffers[i]);
        buffers[i] = ALIGNED_ALLOC((bytes + 63) / 64 * 64);
        if (buffers[i] == NULL)
            exit(3);
    }
    buffer_bytes = bytes;
}

static size_t bytes_of(const request *q)
{
    const size_t rows = q->n * q->ld, all_heads = q->heads * q->ld_head;
    return (2 * CANARY + q->offset + (rows > all_heads ? rows : all_heads)) * type_size(q->type);
}

/* embeddings of moderate size, the same for both */
static void prepare(const request *q, unsigned char *buffer)
{
    random_state r = random_seed(99, q->n * 1000 + q->dim);
    const size_t n = bytes_of(q) / type_size(q->type);
    if (q->heads > 0) {
        make_activations(&r, buffer, q->type, n, q->variant % 3 == 0 ? 3 : 0);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        const uint64_t x = random_u64(&r);
        /* exponents near that of 1 in each type, so that the sums round */
        const uint64_t bits = q->type == SINPOS_F64   ? (x >> 8) | UINT64_C(0x3f00000000000000)
                              : q->type == SINPOS_F32 ? (x >> 40) | 0x3e000000u
                              : q->type == SINPOS_F16 ? (x >> 54) | 0x3800u
                                                      : (x >> 55) | 0x3e00u;
        store_bits(buffer, q->type, i, bits);
    }
}

static sinpos_status perform(const request *q, unsigned char *buffer)
{
    const sinpos_rows rows = {sizeof(sinpos_rows), q->n, q->kind == 1 ? q->integers : NULL,
                              q->kind == 2 ? q->reals : NULL, q->first};
    unsigned char *out = buffer + (CANARY + q->offset) * type_size(q->type);
    if (q->heads > 0)
        return sinpos_rotate(q->plan, &rows, q->direction, q->heads, q->type, out, q->ld, q->ld_head, 1);
    return sinpos_run(q->plan, q->operation, &rows, q->type, out, q->ld, 1);
}

static const char *name_of(const request *q)
{
    static const char *const directions[] = {"rotate", "rotate back", "rotate by the transpose"};
    return q->heads > 0 ? directions[q->direction] : operation_name(q->operation);
}

static void describe(const request *q, const char *isa)
{
    const size_t size = type_size(q->type), n = bytes_of(q) / size;
    size_t at = 0;
    while (at + 1 < n && memcmp(buffers[0] + at * size, buffers[1] + at * size, size) == 0)
        at++;
    const size_t begin = CANARY + q->offset;
    printf("# %s differs from scalar: %s %s dim %zu n %zu ld %zu offset %zu variant %u positions %d first %" PRId64
           " at element %td (row %td, column %td): scalar 0x%" PRIx64 ", %s 0x%" PRIx64 "\n",
           isa, name_of(q), type_name(q->type), q->dim, q->n, q->ld, q->offset, q->variant, q->kind, q->first,
           (ptrdiff_t)(at - begin), (ptrdiff_t)(at - begin) / (ptrdiff_t)q->ld,
           (ptrdiff_t)(at - begin) % (ptrdiff_t)q->ld, load_bits(buffers[0], q->type, at), isa,
           load_bits(buffers[1], q->type, at));
}

static unsigned long long calls_compared;

static bool same(const request *q, const char *isa)
{
    reserve(bytes_of(q) + 64);
    const char *const names[2] = {"scalar", isa};
    for (int i = 0; i < 2; i++) {
        prepare(q, buffers[i]);
        sinpos_internal_force_stores(i == 1 && q->is_streamed); /* scalar rows are stored ordinarily */
        if (sinpos_isa_cap(names[i]) != SINPOS_OK || perform(q, buffers[i]) != SINPOS_OK) {
            printf("# %s: call refused: %s %s dim %zu n %zu\n", names[i], name_of(q), type_name(q->type), q->dim, q->n);
            return false;
        }
    }
    sinpos_internal_force_stores(0);
    calls_compared++;
    const bool equal = memcmp(buffers[0], buffers[1], bytes_of(q)) == 0;
    if (!equal)
        describe(q, isa);
    return equal;
}

static sinpos_plan *plan_of(size_t dim, unsigned variant, double base)
{
    sinpos_spec s = SINPOS_SPEC_INIT;
    sinpos_plan *plan = NULL;
    s.dim = dim;
    s.base = base;
    s.layout = (variant & 1) ? SINPOS_HALVES : SINPOS_INTERLEAVED;
    s.order = (variant & 2) ? SINPOS_COS_SIN : SINPOS_SIN_COS;
    s.odd = (variant & 4) ? SINPOS_ZERO : SINPOS_TRUNCATE;
    if (sinpos_plan_create(&plan, &s) != SINPOS_OK)
        return NULL;
    return plan;
}

static int64_t integers[4096];
static double reals[4096];

static void make_positions(void)
{
    random_state r = random_seed(5, 5);
    for (size_t i = 0; i < 4096; i++) {
        integers[i] = i % 4 == 0 ? random_int64_bits(&r) : (int64_t)random_below(&r, 1 << 20);
        reals[i] = i % 32 == 0 ? random_sign(&r) * random_spread(&r, -300, 62) : random_unit(&r) * 1000;
    }
}

static unsigned first_failures;

static void one_way(request *q, const char *isa, unsigned operation, unsigned kind)
{
    static const int64_t firsts[] = {0, -20, INT64_C(1) << 40, 123456, -(INT64_C(1) << 52), INT64_MAX - 80};
    q->operation = (sinpos_operation)operation;
    q->kind = (int)kind;
    q->first = firsts[(q->n + q->dim + operation) % 6];
    if (q->first > INT64_MAX - (int64_t)q->n)
        q->first = INT64_MAX - (int64_t)q->n;
    q->integers = integers + q->n % 13;
    q->reals = reals + q->n % 17;
    if (first_failures < 10 && !same(q, isa))
        first_failures++;
}

static void every_way(request *q, const char *isa)
{
    for (unsigned way = 0; way < 12; way++)
        one_way(q, isa, way % 4, way / 4);
}

/* A fill, and one of the twelve ways in turn: neighbouring sizes go through all of them. */
static void two_ways(request *q, const char *isa, unsigned turn)
{
    one_way(q, isa, SINPOS_FILL, turn % 3);
    one_way(q, isa, turn % 4, turn / 4 % 3);
}

static void small_sizes(const char *isa, bool brief)
{
    for (size_t dim = 1; dim <= MOST_DIM; dim += brief ? 4 : 1) {
        sinpos_plan *plans[N_VARIANTS];
        for (unsigned v = 0; v < N_VARIANTS; v++)
            plans[v] = plan_of(dim, v, 10000);
        for (size_t n = 0; n <= MOST_ROWS; n += brief ? 7 : 1)
            for (unsigned t = 0; t < N_TYPES; t++) {
                const unsigned variant = (unsigned)(n + dim + t) % N_VARIANTS;
                request q = {.plan = plans[variant],
                             .dim = dim,
                             .n = n,
                             .ld = dim + (n * 3 + t) % 5,
                             .offset = (n * 7 + dim) % 17,
                             .type = all_types[t],
                             .variant = variant};
                if (q.plan != NULL)
                    two_ways(&q, isa, (unsigned)(n + 5 * dim + 7 * t));
                else
                    first_failures++;
            }
        for (unsigned v = 0; v < N_VARIANTS; v++)
            sinpos_plan_destroy(plans[v]);
    }
}

static void wide_sizes(const char *isa, bool brief)
{
    static const size_t dims[] = {127, 128, 384, 511, 1023, 1024, 1026, 1100, 2050, 4099};
    static const size_t lengths[] = {1, 3, 63, 64, 65, 131};
    for (size_t d = 0; d < sizeof dims / sizeof *dims - (brief ? 2 : 0); d++)
        for (unsigned v = 0; v < N_VARIANTS; v += brief ? 5 : 3) {
            sinpos_plan *plan = plan_of(dims[d], v, d % 2 ? 5e5 : 10000);
            for (unsigned t = 0; plan != NULL && t < N_TYPES; t++) {
                request q = {.plan = plan,
                             .dim = dims[d],
                             .n = lengths[(d + t) % 6],
                             .ld = dims[d] + t,
                             .offset = (d * 5 + t) % 17,
                             .type = all_types[t],
                             .variant = v};
                two_ways(&q, isa, (unsigned)(d + 3 * t + v));
            }
            sinpos_plan_destroy(plan);
        }
}

/* Stores past the cache need rows and pieces on cache lines. */
static void stores(const char *isa)
{
    static const size_t dims[] = {32, 48, 200, 1024, 1536};
    for (size_t d = 0; d < sizeof dims / sizeof *dims; d++)
        for (unsigned v = 0; v < 4; v++) {
            sinpos_plan *plan = plan_of(dims[d], v, 10000);
            for (unsigned t = 0; plan != NULL && t < N_TYPES; t++) {
                request q = {.plan = plan,
                             .dim = dims[d],
                             .n = 40 + d,
                             .ld = dims[d] + (d == 2 ? 8 : 0),
                             .first = (int64_t)d * 1000 - 20,
                             .type = all_types[t],
                             .variant = v,
                             .is_streamed = true};
                first_failures += !same(&q, isa);
            }
            sinpos_plan_destroy(plan);
        }
}

/* Schedules, phases, amplitudes, frequencies of every size. */
static void odd_specifications(const char *isa, bool brief)
{
    random_state r = random_seed(17, 3);
    for (unsigned k = 0; k < 60; k += brief ? 3 : 1) {
        sinpos_spec s = SINPOS_SPEC_INIT;
        double theta[64];
        s.dim = 1 + random_below(&r, 100);
        s.schedule = (sinpos_schedule)(k % 5);
        s.layout = (sinpos_layout)(k / 5 % 2);
        s.phase = k % 3 ? 0 : random_sign(&r) * random_spread(&r, -20, 4);
        s.phase_turns = k % 4 ? 0 : 0.125;
        s.amplitude = k % 2 ? 1 : random_sign(&r) * random_spread(&r, -30, 10);
        s.scale = k % 7 ? 1 : random_spread(&r, -20, 20);
        s.exponent = 1.5;
        s.base = k % 11 ? 10000 : 0.25;
        for (size_t i = 0; i < 64; i++)
            theta[i] = i % 9 == 0 ? 0 : random_spread(&r, -60, 10);
        if (s.schedule == SINPOS_TURNS || s.schedule == SINPOS_EXPLICIT) {
            s.theta = theta;
            s.n_theta = (s.dim + 1) / 2;
        }
        sinpos_plan *plan = NULL;
        if (sinpos_plan_create(&plan, &s) != SINPOS_OK) {
            printf("# specification %u refused\n", k);
            first_failures++;
            continue;
        }
        for (unsigned t = 0; t < N_TYPES; t++) {
            request q = {.plan = plan,
                         .dim = s.dim,
                         .n = 1 + random_below(&r, 150),
                         .ld = s.dim,
                         .type = all_types[t],
                         .variant = 100 + k};
            if (brief)
                two_ways(&q, isa, k + t);
            else
                every_way(&q, isa);
        }
        sinpos_plan_destroy(plan);
    }
}

/* ------------------------------------------------------------------------------------------------------ Rotary */

/* Half and neighbouring pairs in all columns, or in the middle ones; listed: from both ends, by two coordinates in turn. */
static sinpos_plan *rotary_plan(size_t dim, unsigned variant, sinpos_layout layout, bool listed)
{
    static const double amplitudes[] = {1, 1, 1.25, -0x1p-9};
    const size_t rotated = variant % 3 == 0 || dim < 4 ? dim : dim / 4 * 2;
    const ptrdiff_t before = (ptrdiff_t)(dim - rotated) / 2;
    sinpos_tone tones[MOST_HEAD / 2];
    sinpos_spec s = SINPOS_SPEC_INIT;
    sinpos_plan *plan = NULL;
    s.dim = rotated;
    s.layout = layout;
    s.order = variant & 1 ? SINPOS_COS_SIN : SINPOS_SIN_COS;
    s.amplitude = amplitudes[variant / 2 % 4];
    s.phase_turns = variant % 5 == 4 ? 0.375 : 0;
    if (sinpos_spec_tones(&s, tones, rotated / 2) != SINPOS_OK)
        return NULL;
    for (size_t k = 0; k < rotated / 2; k++) {
        tones[k].axis = listed ? k % 2 : 0;
        tones[k].sin_column = before + (listed ? (ptrdiff_t)(rotated - 1 - k) : tones[k].sin_column);
        tones[k].cos_column = before + (listed ? (ptrdiff_t)k : tones[k].cos_column);
    }
    return sinpos_plan_create_tones(&plan, dim, listed ? 2 : 1, tones, rotated / 2, 0, NULL) == SINPOS_OK ? plan : NULL;
}

/* Heads within rows, or rows within heads; room between either where `gap` is not 0. */
static void lay_out(request *q, bool heads_first, size_t gap)
{
    q->ld_head = heads_first ? q->n * (q->dim + gap) : q->dim + gap;
    q->ld = heads_first ? q->dim + gap : q->heads * q->ld_head + gap;
}

static void rotations_of(size_t dim, unsigned variant, size_t n, size_t n_heads, const char *isa)
{
    const bool listed = variant % 4 == 3;
    sinpos_plan *plan = rotary_plan(dim, variant, (sinpos_layout)(variant / 4 % 2), listed);
    for (unsigned t = 0; plan != NULL && t < N_TYPES; t++) {
        request q = {.plan = plan,
                     .dim = dim,
                     .n = n,
                     .heads = n_heads,
                     .offset = (dim / 2 * 5 + variant + t) % 17,
                     .direction = (sinpos_direction)((variant / 3 + t) % 3),
                     .type = all_types[t],
                     .variant = variant + t};
        lay_out(&q, (variant + t) % 3 == 2, (variant / 2 + t) % 4);
        one_way(&q, isa, SINPOS_FILL, listed ? 1 + t % 2 : (variant + t) % 4 % 3);
    }
    first_failures += plan == NULL;
    sinpos_plan_destroy(plan);
}

static void rotations(const char *isa, bool brief)
{
    static const size_t large[] = {96, 128, 130, 254, 256, 576};
    for (size_t dim = 2; dim <= MOST_DIM; dim += 2)
        for (unsigned v = 0; v < 24; v += brief ? 5 : 1)
            rotations_of(dim, v + (unsigned)dim / 2 % 5 * brief, (dim * 3 + v * 7) % 40, 1 + (dim / 2 + v) % 4, isa);
    for (size_t d = 0; d < sizeof large / sizeof *large; d++)
        for (unsigned v = 0; v < 24; v += brief ? 7 : 1)
            rotations_of(large[d], v, 1 + (v * 11 + d) % 70, 1 + v % 3, isa);
}

int main(int argc, char **argv)
{
    const bool brief = argc > 1 && strcmp(argv[1], "--brief") == 0;
    make_positions();
    for (size_t i = 0; isa_names[i] != NULL; i++) {
        const char *isa = isa_names[i];
        char name[32];
        (void)snprintf(name, sizeof name, "cross %s", isa);
        if (sinpos_isa_cap(isa) != SINPOS_OK) {
            tap_skip(name, "this processor or this library has no such instruction set");
            continue;
        }
        if (strcmp(sinpos_isa(), isa) != 0) {
            (void)tap_ok(false, "%s: capped to it, yet %s is in use", name, sinpos_isa());
            continue;
        }
        first_failures = 0;
        calls_compared = 0;
        if (strcmp(isa, "scalar") == 0 && isa_names[i + 1] != NULL) {
            small_sizes(isa, true); /* against itself: the comparison itself must hold */
        } else {
            small_sizes(isa, brief);
            wide_sizes(isa, brief);
            odd_specifications(isa, brief);
            stores(isa);
            rotations(isa, brief);
        }
        (void)tap_none_wrong((unsigned long long)first_failures, calls_compared, "%s: same bytes as scalar", name);
    }
    for (int i = 0; i < 2; i++)
        ALIGNED_FREE(buffers[i]);
    return tap_done();
}
