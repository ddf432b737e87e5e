/*
 * The golden arrays against the oracle, element by element (of the large ones 20000 elements each), and the readable
 * vectors.  [P1]
 *
 *   golden_oracle                    check
 *   golden_oracle --vectors FILE     write vectors.txt: the oracle's values, nothing of the library's
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cases.h"
#include "oracle.h"
#include "tap.h"

typedef struct witness {
    golden_case c;
    sinpos_tone *tones;
    oracle_tone **oracles;
    size_t n_tones;
    int64_t *integers;
    double *reals;
    void *before;
    int index; /* of the type in oracle_types */
} witness;

static void witness_begin(witness *w, size_t i)
{
    golden_get(i, &w->c);
    w->tones = calloc(w->c.spec.dim, sizeof *w->tones);
    w->oracles = calloc(w->c.spec.dim, sizeof(oracle_tone *));
    w->integers = calloc(w->c.n, sizeof *w->integers);
    w->reals = calloc(w->c.n, sizeof *w->reals);
    w->before = calloc(golden_size(&w->c), type_size(w->c.type));
    w->n_tones = expand_spec(&w->c.spec, w->tones);
    golden_positions(&w->c, w->integers, w->reals);
    golden_before(&w->c, w->before);
    for (size_t k = 0; k < w->n_tones; k++)
        w->oracles[k] = oracle_tone_create(&w->tones[k]);
    for (w->index = 0; oracle_types[w->index] != w->c.type;)
        w->index++;
}

static void witness_end(witness *w)
{
    for (size_t k = 0; k < w->n_tones; k++)
        oracle_tone_destroy(w->oracles[k]);
    free(w->tones);
    free(w->oracles);
    free(w->integers);
    free(w->reals);
    free(w->before);
}

/* The elements of tone k in a line of the array, sine first; a column that is missing is -1. */
static void witness_pair(witness *w, size_t line, size_t k, ptrdiff_t columns[2], uint64_t bits[2])
{
    const golden_case *c = &w->c;
    const size_t row = c->heads > 0 ? line / c->heads : line;
    const oracle_position p = {c->kind == 2, c->kind == 1 ? w->integers[row] : c->first + (int64_t)row, w->reals[row]};
    uint64_t before[2] = {0, 0};
    columns[0] = w->tones[k].sin_column;
    columns[1] = w->tones[k].cos_column;
    for (int i = 0; i < 2; i++)
        if (columns[i] >= 0)
            before[i] = load_bits(w->before, c->type, line * c->spec.dim + (size_t)columns[i]);
    if (c->heads > 0) {
        oracle_rotate(w->oracles[k], p, c->direction, c->type, before, bits);
        return;
    }
    oracle_pair pair;
    oracle_evaluate(w->oracles[k], p, c->operation, c->type, &pair);
    bits[0] = pair.sin_bits[w->index];
    bits[1] = pair.cos_bits[w->index];
    for (int i = 0; i < 2 && c->operation == SINPOS_ADD; i++)
        if (columns[i] >= 0)
            bits[i] = oracle_add(c->type, before[i], bits[i]);
}

static void check_case(size_t i)
{
    witness w;
    witness_begin(&w, i);
    const golden_case *c = &w.c;
    void *array = calloc(golden_size(c), type_size(c->type));
    const bool made = golden_make(c, array, 2);
    const size_t pairs = golden_size(c) / c->spec.dim * w.n_tones,
                 step = c->large ? pairs / 10000 + 1 : 1 + pairs / 20000;
    size_t wrong = 0, seen = 0;
    for (size_t at = 0; made && at < pairs; at += step) {
        ptrdiff_t columns[2];
        uint64_t bits[2];
        const size_t row = at / w.n_tones;
        witness_pair(&w, row, at % w.n_tones, columns, bits);
        for (int k = 0; k < 2; k++) {
            if (columns[k] < 0)
                continue;
            const uint64_t got = load_bits(array, c->type, row * c->spec.dim + (size_t)columns[k]);
            seen++;
            if (got != bits[k] && wrong++ < 3)
                printf("# row %zu column %td: got 0x%" PRIx64 ", want 0x%" PRIx64 "\n", row, columns[k], got, bits[k]);
        }
    }
    (void)tap_none_wrong(made ? wrong : 1, seen, "%s: %zu of %zu elements wrong, isa %s", c->name, wrong, seen,
                         sinpos_isa());
    free(array);
    witness_end(&w);
}

static void write_row(FILE *f, witness *w, size_t row)
{
    const golden_case *c = &w->c;
    uint64_t *line = calloc(c->spec.dim, sizeof *line);
    for (size_t k = 0; k < w->n_tones; k++) {
        ptrdiff_t columns[2];
        uint64_t bits[2];
        witness_pair(w, row, k, columns, bits);
        for (int i = 0; i < 2; i++)
            if (columns[i] >= 0)
                line[columns[i]] = bits[i];
    }
    fprintf(f, "%s %zu", c->name, row);
    for (size_t j = 0; j < c->spec.dim; j++)
        fprintf(f, " %0*" PRIx64, 2 * (int)type_size(c->type), line[j]);
    fprintf(f, "\n");
    free(line);
}

static int write_vectors(const char *path)
{
    FILE *f = fopen(path, "w");
    if (f == NULL)
        return 3;
    fprintf(f, "# CASE ROW BITS...   the elements of one row, in hexadecimal; written by golden_oracle --vectors\n");
    for (size_t i = 0; i < golden_count(); i++) {
        witness w;
        witness_begin(&w, i);
        if (w.c.spec.dim <= 32 && w.c.operation != SINPOS_ADD)
            for (size_t row = 0; row < w.c.n; row += 1 + w.c.n / 2)
                write_row(f, &w, row);
        witness_end(&w);
    }
    return fclose(f) == 0 ? 0 : 3;
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "--vectors") == 0)
        return write_vectors(argv[2]);
    for (size_t i = 0; i < golden_count(); i++)
        check_case(i);
    oracle_cleanup();
    return tap_done();
}
