/* ties.h - elements that lie within 2^-60 of a tie: the lines of ties.txt. */
#ifndef SINPOS_TESTS_TIES_H
#define SINPOS_TESTS_TIES_H

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "support.h"

typedef struct tie {
    sinpos_type type;
    int64_t position;
    double theta[3]; /* their sum */
    bool cosine;
    uint64_t bits; /* the element */
} tie;

static inline bool tie_read(FILE *f, tie *t)
{
    char line[256], type[8], component[8];
    do {
        if (fgets(line, sizeof line, f) == NULL)
            return false;
    } while (line[0] == '#');
    const int n = sscanf(line, "%7s %" SCNd64 " %la %la %la %7s %" SCNx64, type, &t->position, &t->theta[0],
                         &t->theta[1], &t->theta[2], component, &t->bits);
    t->cosine = strcmp(component, "cos") == 0;
    for (int k = 0; k < N_TYPES; k++)
        if (strcmp(type, type_name(all_types[k])) == 0) {
            t->type = all_types[k];
            return n == 7;
        }
    return false;
}

static inline void tie_write(FILE *f, const tie *t)
{
    fprintf(f, "%s %" PRId64 " %a %a %a %s %0*" PRIx64 "\n", type_name(t->type), t->position, t->theta[0], t->theta[1],
            t->theta[2], t->cosine ? "cos" : "sin", 2 * (int)type_size(t->type), t->bits);
}

/* Tone k of a row of pairs. */
static inline void tie_tone(const tie *t, size_t k, sinpos_tone *tone, sinpos_tone_more *more)
{
    *tone = (sinpos_tone)SINPOS_TONE_INIT;
    *more = (sinpos_tone_more)SINPOS_TONE_MORE_INIT;
    tone->value = t->theta[0];
    more->value[0] = t->theta[1];
    more->value[1] = t->theta[2];
    tone->more = more;
    tone->sin_column = (ptrdiff_t)(2 * k);
    tone->cos_column = (ptrdiff_t)(2 * k + 1);
}

#endif
