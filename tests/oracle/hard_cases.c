/*
 * hard_cases - elements close to a rounding boundary, from hard_cases.txt: the element itself, its neighbours and its
 * mirror image, in every type, on every rung of the ladder and every instruction set; and the bits and the distance
 * that the file names.  [P1]
 */
#define _DEFAULT_SOURCE
#include <inttypes.h>
#include <stdlib.h>

#include "internal.h"
#include "oracle.h"
#include "support.h"
#include "tap.h"

#include <string.h>

typedef struct hard_case {
    sinpos_tone tone;
    oracle_position position;
    sinpos_type type;
    bool cosine;
    uint64_t bits;
    double hardness;
} hard_case;

static bool parse_type(const char *name, sinpos_type *type)
{
    for (int t = 0; t < N_TYPES; t++)
        if (strcmp(name, type_name(all_types[t])) == 0) {
            *type = all_types[t];
            return true;
        }
    return false;
}

/* geometric BASE DIM I POSITION TYPE sin|cos BITS HARDNESS   or   explicit THETA POSITION TYPE ... */
static bool parse(const char *line, hard_case *c)
{
    char base[64], at[64], type[8], function[8], bits[32];
    size_t dim = 2, i = 0;
    *c = (hard_case){.tone = {.base_divisor = 1, .base = 1, .scale = 1, .factor = 1, .amplitude = 1, .cos_column = 1}};
    if (sscanf(line, "geometric %63s %zu %zu %63s %7s %7s %31s %lf", base, &dim, &i, at, type, function, bits,
               &c->hardness) == 8) {
        c->tone.schedule = SINPOS_GEOMETRIC;
        c->tone.base = strtod(base, NULL);
    } else if (sscanf(line, "explicit %63s %63s %7s %7s %31s %lf", base, at, type, function, bits, &c->hardness) == 6) {
        c->tone.schedule = SINPOS_EXPLICIT;
        c->tone.value = strtod(base, NULL);
    } else {
        return false;
    }
    c->tone.index = (double)i;
    c->tone.divisor = (double)dim / 2;
    c->position.is_real = strchr(at, 'x') != NULL;
    if (c->position.is_real)
        c->position.real = strtod(at, NULL);
    else
        c->position.integer = strtoll(at, NULL, 10);
    c->cosine = strcmp(function, "cos") == 0;
    c->bits = strtoull(bits, NULL, 16);
    return parse_type(type, &c->type);
}

static bool check_at(const sinpos_plan *plan, oracle_tone *tone, oracle_position p, const char *line)
{
    bool fine = true;
    oracle_pair want;
    oracle_evaluate(tone, p, SINPOS_FILL, 15, &want);
    for (int k = 0; k < ORACLE_TYPES; k++) {
        double out[2];
        const sinpos_status status = p.is_real ? sinpos_fill_real(plan, &p.real, 1, oracle_types[k], out, 2)
                                               : sinpos_fill_at(plan, &p.integer, 1, oracle_types[k], out, 2);
        const uint64_t s = load_bits(out, oracle_types[k], 0), c = load_bits(out, oracle_types[k], 1);
        if (status == SINPOS_OK && s == want.sin_bits[k] && c == want.cos_bits[k])
            continue;
        printf("# %s# position %" PRId64 " %a %s isa %s: sine 0x%" PRIx64 " want 0x%" PRIx64 ", cosine 0x%" PRIx64
               " want 0x%" PRIx64 "\n",
               line, p.integer, p.real, type_name(oracle_types[k]), sinpos_isa(), s, want.sin_bits[k], c,
               want.cos_bits[k]);
        fine = false;
    }
    return fine;
}

/* The position, the next one on each side, and the mirror image. */
static bool check_around(const sinpos_plan *plan, oracle_tone *tone, oracle_position p, const char *line)
{
    bool fine = true;
    for (int64_t step = -1; step <= 1; step++)
        for (int sign = -1; sign <= 1; sign += 2) {
            oracle_position q = p;
            if (step == 1 && p.integer == INT64_MAX)
                continue;
            q.integer = sign * (p.integer + step);
            q.real = sign * p.real * (1 + (double)step * 0x1p-52);
            fine = check_at(plan, tone, q, line) && fine;
        }
    return fine;
}

static bool check_file(const hard_case *c, oracle_tone *tone, const char *line)
{
    oracle_pair want;
    oracle_evaluate(tone, c->position, SINPOS_FILL, 15, &want);
    const double hardness = oracle_hardness(tone, c->position, c->cosine, c->type);
    for (int k = 0; k < ORACLE_TYPES; k++) {
        const uint64_t bits = c->cosine ? want.cos_bits[k] : want.sin_bits[k];
        if (oracle_types[k] == c->type && (bits != c->bits || hardness < c->hardness - 0.1)) {
            printf("# %s# the file does not agree with the oracle: 0x%" PRIx64 ", %.1f\n", line, bits, hardness);
            return false;
        }
    }
    return true;
}

static bool check_line(const char *line)
{
    hard_case c;
    if (!parse(line, &c)) {
        printf("# cannot be read: %s", line);
        return false;
    }
    sinpos_plan *plan = NULL;
    if (sinpos_plan_create_tones(&plan, 2, 1, &c.tone, 1, 0, NULL) != SINPOS_OK)
        return false;
    oracle_tone *tone = oracle_tone_create(&c.tone);
    bool fine = check_file(&c, tone, line);
    for (int rung = 0; rung <= 3; rung++) {
        sinpos_internal_force_rung(rung);
        for (int i = 0; isa_names[i]; i++)
            if (sinpos_isa_cap(isa_names[i]) == SINPOS_OK && (rung == 0 || i == 0))
                fine = check_around(plan, tone, c.position, line) && fine;
    }
    sinpos_internal_force_rung(0);
    if (sinpos_isa_cap(NULL) != SINPOS_OK)
        fine = false;
    oracle_tone_destroy(tone);
    sinpos_plan_destroy(plan);
    return fine;
}

int main(int argc, char **argv)
{
    char line[512];
    unsigned good = 0, bad = 0;
    FILE *f = argc == 2 ? fopen(argv[1], "r") : NULL;
    if (f == NULL) {
        fprintf(stderr, "hard_cases FILE\n");
        return 2;
    }
    while (fgets(line, sizeof line, f)) {
        if (line[0] == '#' || line[0] == '\n')
            continue;
        if (check_line(line))
            good++;
        else
            bad++;
    }
    fclose(f);
    oracle_cleanup();
    (void)tap_none_wrong(good > 50 ? bad : 1, good + bad, "%u hard cases right, %u wrong", good, bad);
    return tap_done();
}
