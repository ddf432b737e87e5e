/*
 * identify_nothing.c - tables that are no sinusoidal encoding are not taken for one.
 *
 *     analysis_identify_nothing [--seeds FIRST LAST] [--kind NAME]
 *
 * looks at one table of each kind, or of one kind, for each seed. Sizes and types are drawn, too.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cases.h"

#include "identify_table.h"
#include "nothing_tables.h"
#include "random.h"
#include "support.h"

static struct {
    uint64_t first, last;
    const char *kind;
} asked = {1, 30, NULL};

/* The nearest element of the type, except for the double rounding of narrow ones. */
static uint64_t to_bits(double x, sinpos_type type)
{
    const float narrow = (float)x;
    uint64_t bits;
    uint32_t word;
    memcpy(&bits, &x, sizeof bits);
    memcpy(&word, &narrow, sizeof word);
    switch (type) {
    case SINPOS_F64: return bits;
    case SINPOS_F32: return word;
    case SINPOS_BF16: return (word + 0x7FFF + (word >> 16 & 1)) >> 16;
    case SINPOS_F16: break;
    }
    int exponent;
    (void)frexp(x, &exponent);
    const double unit = ldexp(1, exponent < -13 ? -24 : exponent - 11), size = fabs(nearbyint(x / unit) * unit);
    (void)frexp(size, &exponent);
    const double code = size < 0x1p-14 ? size * 0x1p24 : (exponent + 13) * 1024 + ldexp(size, 11 - exponent);
    return (size < 65520 ? (uint64_t)code : 0x7C00) | (x < 0 ? 0x8000 : 0);
}

/* Small shapes are as frequent as large ones. */
static size_t draw_size(random_state *state, size_t least, size_t most)
{
    return (size_t)((double)least * exp(random_unit(state) * log((double)(most + 1) / (double)least)));
}

/* Most tables are float32; every twentieth is as large as can be, every tenth has three dimensions. */
static sinpos_table draw_table(random_state *state, uint64_t seed, size_t least, size_t shape[3])
{
    static const sinpos_type types[] = {SINPOS_F32, SINPOS_F32, SINPOS_F32, SINPOS_F16, SINPOS_BF16, SINPOS_F64};
    const size_t most = seed % 20 == 0 ? 512 : 96;
    sinpos_table table = {.n_dims = seed % 10 == 3 ? 3 : 2, .shape = shape, .read = read_rows};
    table.type = types[random_below(state, sizeof types / sizeof types[0])];
    shape[0] = draw_size(state, least, most);
    shape[1] = draw_size(state, least, most);
    shape[2] = least + random_below(state, 8);
    if (table.n_dims == 3 && random_u64(state) % 2) {
        shape[0] = 2;
        shape[2] = draw_size(state, least, most / 2);
    }
    return table;
}

static void describe(const nothing_kind *kind, const sinpos_table *table, uint64_t seed, const sinpos_identity *found)
{
    printf("%s, %s", kind->name, type_name(table->type));
    for (size_t i = 0; i < table->n_dims; i++)
        printf(" %s%zu", i == 0 ? "" : "x ", table->shape[i]);
    printf(", seed %llu: %.0f bits, nest %d, %zu axes, law %d, scale %g, start %g, step %g, residual %.2g\n",
           (unsigned long long)seed, found->bits, (int)found->nest, found->n_axes, (int)found->axis[0].law,
           found->axis[0].scale, found->axis[0].start, found->axis[0].step, found->residual);
}

static int claims(size_t k, uint64_t seed)
{
    const nothing_kind *kind = &nothing_kinds[k];
    random_state state = random_seed(seed, k);
    size_t shape[3];
    sinpos_table table = draw_table(&state, seed, kind->least, shape);
    const size_t dim = shape[table.n_dims - 1], n = table.n_dims == 2 ? shape[0] : shape[0] * shape[1];
    double *x = malloc(n * dim * sizeof *x);
    char *data = malloc(n * dim * type_size(table.type));
    struct memory memory = {data, dim * type_size(table.type)};
    sinpos_identity *found;
    assert_non_null(x);
    assert_non_null(data);
    kind->make(x, n, dim, &state);
    for (size_t i = 0; i < n * dim; i++)
        store_bits(data, table.type, i, to_bits(x[i], table.type));
    table.context = &memory;
    assert_int_equal(sinpos_identify(&found, &table, 1), SINPOS_OK);
    const int is_claimed = found->is_sinusoidal;
    if (is_claimed)
        describe(kind, &table, seed, found);
    sinpos_identity_destroy(found);
    free(data);
    free(x);
    return is_claimed;
}

/* Of this process: other programs do not count. */
static double seconds(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

static void nothing_is_found(void **state)
{
    (void)state;
    int wrong = 0;
    for (size_t k = 0; k < n_nothing_kinds; k++) {
        if (asked.kind != NULL && strcmp(asked.kind, nothing_kinds[k].name) != 0)
            continue;
        const double begin = seconds();
        double slowest = 0;
        int claimed = 0;
        for (uint64_t seed = asked.first; seed <= asked.last; seed++) {
            const double before = seconds();
            claimed += claims(k, seed);
            slowest = fmax(slowest, seconds() - before);
        }
        printf("%-24s %llu tables, %d claims, %.2f s, slowest %.2f s\n", nothing_kinds[k].name,
               (unsigned long long)(asked.last - asked.first + 1), claimed, seconds() - begin, slowest);
        fflush(stdout);
        wrong += claimed;
    }
    assert_int_equal(wrong, 0);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(nothing_is_found)};
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--seeds") == 0 && i + 2 < argc) {
            asked.first = strtoull(argv[++i], NULL, 10);
            asked.last = strtoull(argv[++i], NULL, 10);
        } else if (strcmp(argv[i], "--kind") == 0 && i + 1 < argc) {
            asked.kind = argv[++i];
        } else {
            fprintf(stderr, "usage: %s [--seeds FIRST LAST] [--kind NAME]\n", argv[0]);
            return 2;
        }
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
