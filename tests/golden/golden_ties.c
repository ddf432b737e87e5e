/*
 * Elements so near a tie that the last bit of the kernels' double decides, which is wrong for half of them: only what sees
 * that they are in doubt gets all of them right. From ties.txt, on processors without MPFR too; and subnormal elements
 * where the caller flushes them to zero.  [P1] [P2] [P6]
 *
 *   golden_ties FILE
 */
#include <stdlib.h>

#include "environment.h"
#include "tap.h"
#include "ties.h"

enum { TONES = 16, AROUND = 4, ROWS = 2 * AROUND + 1, COLUMNS = 2 * TONES };

typedef struct group {
    tie ties[TONES];
    size_t n;
} group;

static bool belongs(const group *g, const tie *t)
{
    return g->n == 0 || (g->n < TONES && g->ties[0].type == t->type && g->ties[0].position == t->position);
}

static size_t count_wrong(const group *g, const void *row, const char *how)
{
    size_t wrong = 0;
    for (size_t k = 0; k < g->n; k++) {
        const tie *t = &g->ties[k];
        const uint64_t got = load_bits(row, t->type, 2 * k + t->cosine);
        if (got != t->bits && wrong++ == 0)
            printf("# %s, position %" PRId64 ", theta %a, %s: got %" PRIx64 ", want %" PRIx64 "\n", type_name(t->type),
                   t->position, t->theta[0], how, got, t->bits);
    }
    return wrong;
}

/* One row by itself, the row in the middle of a block, and both added to -0. */
static void check_group(const group *g)
{
    static double out[ROWS * COLUMNS];
    sinpos_tone tones[TONES];
    sinpos_tone_more more[TONES];
    sinpos_plan *plan;
    const tie *t = &g->ties[0];
    size_t wrong = 0;
    for (size_t k = 0; k < g->n; k++)
        tie_tone(&g->ties[k], k, &tones[k], &more[k]);
    if (sinpos_plan_create_tones(&plan, COLUMNS, 1, tones, g->n, t->type, NULL) != SINPOS_OK)
        exit(2);
    for (int k = 0; k < 4; k++) {
        const size_t around = k % 2 == 0 ? 0 : AROUND;
        sinpos_rows rows = SINPOS_ROWS_INIT;
        rows.n = 2 * around + 1;
        rows.first = t->position - (int64_t)around;
        for (size_t i = 0; i < rows.n * COLUMNS; i++)
            store_bits(out, t->type, i, (uint64_t)1 << (8 * type_size(t->type) - 1));
        if (sinpos_run(plan, k < 2 ? SINPOS_FILL : SINPOS_ADD, &rows, t->type, out, COLUMNS, 1) != SINPOS_OK)
            exit(2);
        wrong += count_wrong(g, (char *)out + around * COLUMNS * type_size(t->type),
                             k == 0   ? "alone"
                             : k == 1 ? "in a block"
                             : k == 2 ? "added"
                                      : "added in a block");
    }
    (void)tap_none_wrong(wrong, 4 * g->n, "%s at position %" PRId64 ": %zu of %zu elements wrong, isa %s",
                         type_name(t->type), t->position, wrong, 4 * g->n, sinpos_isa());
    sinpos_plan_destroy(plan);
}

/* Elements of which most are subnormal. */
static void check_flushed(sinpos_type type, double amplitude)
{
    static double rows[2][ROWS * COLUMNS];
    const size_t bytes = ROWS * COLUMNS * type_size(type);
    size_t wrong = 0, zeros = 0;
    for (int flushes = 0; flushes < 2; flushes++) {
        sinpos_plan *plan = NULL;
        sinpos_spec spec = SINPOS_SPEC_INIT;
        spec.dim = COLUMNS;
        spec.amplitude = amplitude;
        const unsigned long before = get_control();
        if (flushes)
            set_flush_to_zero();
        const unsigned long during = get_control();
        const bool made = sinpos_plan_create(&plan, &spec) == SINPOS_OK &&
                          sinpos_fill(plan, 3, ROWS, type, rows[flushes], COLUMNS) == SINPOS_OK;
        wrong += !made || control_only(get_control()) != control_only(during);
        set_control(before);
        sinpos_plan_destroy(plan);
    }
    for (size_t i = 0; i < ROWS * COLUMNS; i++)
        zeros += load_bits(rows[0], type, i) << 1 == 0;
    wrong += memcmp(rows[0], rows[1], bytes) != 0 || zeros > ROWS * COLUMNS / 4;
    (void)tap_none_wrong(wrong, ROWS * COLUMNS, "%s with amplitude %a where the caller flushes to zero, isa %s",
                         type_name(type), amplitude, sinpos_isa());
}

int main(int argc, char **argv)
{
    FILE *f = argc == 2 ? fopen(argv[1], "r") : NULL;
    group g = {.n = 0};
    tie t;
    if (f == NULL) {
        fprintf(stderr, "golden_ties FILE\n");
        return 2;
    }
    while (tie_read(f, &t)) {
        if (!belongs(&g, &t)) {
            check_group(&g);
            g.n = 0;
        }
        g.ties[g.n++] = t;
    }
    fclose(f);
    if (g.n > 0)
        check_group(&g);
    check_flushed(SINPOS_F64, 0x1p-1040);
    check_flushed(SINPOS_F32, 0x1p-130);
    check_flushed(SINPOS_F16, 0x1p-14);
    return tap_done();
}
