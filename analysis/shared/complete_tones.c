/* The complete tones of a plan, and plans made of tones. */
#include <stdlib.h>

#include "complete_tones.h"

void tones_free(tones *t)
{
    free(t->tone);
    free(t->weight);
    *t = (tones){NULL, 0, NULL};
}

/* Keeps the complete tones, in place. */
static void keep_complete(tones *t, size_t n_tones)
{
    t->n = 0;
    for (size_t i = 0; i < n_tones; i++) {
        const sinpos_tone *tone = &t->tone[i];
        if (tone->sin_column != SINPOS_NO_COLUMN && tone->cos_column != SINPOS_NO_COLUMN) {
            t->weight[t->n] = tone->amplitude * tone->amplitude;
            t->tone[t->n++] = *tone;
        }
    }
}

sinpos_status tones_are_plain(const sinpos_tone *tone, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (tone[i].more != NULL)
            return SINPOS_E_UNSUPPORTED;
    return SINPOS_OK;
}

sinpos_status tones_of_plan(tones *t, const sinpos_plan *plan)
{
    size_t n;
    *t = (tones){NULL, 0, NULL};
    if (plan == NULL)
        return SINPOS_E_NULL;
    if (sinpos_plan_axes(plan) != 1)
        return SINPOS_E_AXES;
    const sinpos_status counted = sinpos_plan_tones(plan, NULL, 0, &n);
    if (counted != SINPOS_OK)
        return counted;
    t->tone = calloc(n + 1, sizeof *t->tone);
    t->weight = calloc(n + 1, sizeof *t->weight);
    if (t->tone == NULL || t->weight == NULL) {
        tones_free(t);
        return SINPOS_E_MEMORY;
    }
    sinpos_status status = sinpos_plan_tones(plan, t->tone, n, &n);
    if (status == SINPOS_OK)
        status = tones_are_plain(t->tone, n);
    keep_complete(t, n);
    if (status != SINPOS_OK)
        tones_free(t);
    return status;
}

sinpos_status tones_plan(sinpos_plan **plan, const sinpos_tone *tone, const size_t *which, size_t n, double scale,
                         sinpos_type type)
{
    *plan = NULL;
    sinpos_tone *own = calloc(n + 1, sizeof *own);
    if (own == NULL)
        return SINPOS_E_MEMORY;
    for (size_t i = 0; i < n; i++) {
        own[i] = tone[which == NULL ? i : which[i]];
        own[i].scale *= scale;
        own[i].phase = own[i].phase_turns = 0;
        own[i].amplitude = 1;
        own[i].sin_column = (ptrdiff_t)i;
        own[i].cos_column = (ptrdiff_t)(n + i);
    }
    const sinpos_status status = sinpos_plan_create_tones(plan, n == 0 ? 1 : 2 * n, 1, own, n, (unsigned)type, NULL);
    free(own);
    return status;
}
