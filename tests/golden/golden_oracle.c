/*
 * The golden arrays against the oracle, element by element (of the large ones 20000 elements each), the readable
 * vectors and the ties.  [P1]
 *
 *   golden_oracle TIES               check; TIES is ties.txt
 *   golden_oracle --vectors FILE     write vectors.txt: the oracle's values, nothing of the library's
 *   golden_oracle --ties FILE        write ties.txt likewise
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <mpfr.h>

#include "cases.h"
#include "near_values.h"
#include "oracle.h"
#include "tap.h"
#include "ties.h"

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

/* ------------------------------------------------------------------------------------------------------ ties */

static uint64_t bits_of(const tie *t)
{
    sinpos_tone tone;
    sinpos_tone_more more;
    oracle_pair pair;
    tie_tone(t, 0, &tone, &more);
    oracle_tone *oracle = oracle_tone_create(&tone);
    oracle_evaluate(oracle, (oracle_position){.integer = t->position}, SINPOS_FILL, t->type, &pair);
    oracle_tone_destroy(oracle);
    for (int k = 0; k < ORACLE_TYPES; k++)
        if (oracle_types[k] == t->type)
            return t->cosine ? pair.cos_bits[k] : pair.sin_bits[k];
    return 0;
}

/* theta such that the element at the position is a tie, except for 2^-62 of it; float64: 2^-112. */
static void aim(tie *t, random_state *r)
{
    double half;
    mpfr_t x, turns;
    mpfr_inits2(500, x, turns, (mpfr_ptr)0);
    const double below = near_tie(r, t->type, 0.05 + 0.9 * random_unit(r), &half);
    mpfr_set_d(x, below, MPFR_RNDN);
    mpfr_add_d(x, x, half, MPFR_RNDN);
    mpfr_mul_2si(turns, x, t->type == SINPOS_F64 ? -112 : -62, MPFR_RNDN);
    mpfr_mul_d(turns, turns, random_sign(r) * (0.5 + random_unit(r)), MPFR_RNDN);
    mpfr_add(x, x, turns, MPFR_RNDN);
    if (t->cosine)
        mpfr_acos(x, x, MPFR_RNDN);
    else
        mpfr_asin(x, x, MPFR_RNDN);
    mpfr_const_pi(turns, MPFR_RNDN);
    mpfr_mul_d(turns, turns, 2 * floor(0.1 * random_unit(r) * (double)t->position), MPFR_RNDN);
    mpfr_add(x, x, turns, MPFR_RNDN);
    mpfr_div_d(x, x, (double)t->position, MPFR_RNDN);
    near_parts(x, &t->theta[0], &t->theta[1], 2);
    mpfr_clears(x, turns, (mpfr_ptr)0);
}

static int write_ties(const char *path)
{
    static const int64_t positions[] = {5, 12345, 1000003};
    enum { EACH = 16 };
    FILE *f = fopen(path, "w");
    random_state r = random_seed(1, 0);
    if (f == NULL)
        return 3;
    fprintf(f, "# TYPE POSITION THETA (as a sum of three) sin|cos BITS: elements within 2^-60 of a tie, float64 "
               "2^-110; written by\n"
               "# golden_oracle --ties\n");
    for (int i = 0; i < N_TYPES * 3 * EACH; i++) {
        tie t = {.type = all_types[i / 3 / EACH], .position = positions[i / EACH % 3], .cosine = i % 2 != 0};
        aim(&t, &r);
        t.bits = bits_of(&t);
        tie_write(f, &t);
    }
    return fclose(f) == 0 ? 0 : 3;
}

static void check_ties(const char *path)
{
    FILE *f = fopen(path, "r");
    size_t n = 0, wrong = 0;
    tie t;
    while (f != NULL && tie_read(f, &t)) {
        wrong += bits_of(&t) != t.bits;
        n++;
    }
    if (f != NULL)
        fclose(f);
    (void)tap_none_wrong(n >= 100 ? wrong : 1, n, "ties.txt: %zu of %zu elements wrong", wrong, n);
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "--ties") == 0)
        return write_ties(argv[2]);
    if (argc == 3 && strcmp(argv[1], "--vectors") == 0)
        return write_vectors(argv[2]);
    for (size_t i = 0; i < golden_count(); i++)
        check_case(i);
    check_ties(argc == 2 ? argv[1] : "");
    oracle_cleanup();
    return tap_done();
}
