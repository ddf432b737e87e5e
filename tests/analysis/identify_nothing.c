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

static void describe(const nothing_kind *kind, const nothing_table *table, uint64_t seed, const sinpos_identity *found)
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
    nothing_table drawn;
    nothing_draw(&drawn, k, seed);
    struct memory memory = {drawn.data, drawn.dim * type_size(drawn.type)};
    const sinpos_table table = {drawn.n_dims, drawn.shape, drawn.type, read_rows, &memory};
    sinpos_identity *found;
    assert_int_equal(sinpos_identify(&found, &table, 1), SINPOS_OK);
    const int is_claimed = found->is_sinusoidal;
    if (is_claimed)
        describe(&nothing_kinds[k], &drawn, seed, found);
    sinpos_identity_destroy(found);
    free(drawn.data);
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
