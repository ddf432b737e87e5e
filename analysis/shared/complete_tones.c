/* The complete tones of a plan, and plans made of tones. */
#include <stdlib.h>

#include "complete_tones.h"

void tones_free(tones *t)
{
    blocks_free(&t->memory);
    *t = (tones){0};
}

sinpos_status tones_read(blocks *memory, const sinpos_plan *plan, sinpos_tone **tone, size_t *n)
{
    if (plan == NULL)
        return SINPOS_E_NULL;
    if (sinpos_plan_axes(plan) != 1)
        return SINPOS_E_AXES;
    sinpos_status status = sinpos_plan_tones(plan, NULL, 0, n);
    if (status != SINPOS_OK)
        return status;
    *tone = blocks_take(memory, *n, sizeof **tone);
    status = *tone == NULL ? SINPOS_E_MEMORY : sinpos_plan_tones(plan, *tone, *n, n);
    for (size_t i = 0; i < *n && status == SINPOS_OK; i++)
        status = (*tone)[i].more == NULL ? SINPOS_OK : SINPOS_E_UNSUPPORTED;
    return status;
}

sinpos_status tones_of_plan(tones *t, const sinpos_plan *plan)
{
    size_t n = 0;
    *t = (tones){0};
    sinpos_status status = tones_read(&t->memory, plan, &t->tone, &n);
    t->weight = blocks_take(&t->memory, n, sizeof *t->weight);
    status = status == SINPOS_OK ? blocks_status(&t->memory) : status;
    for (size_t i = 0; i < n && status == SINPOS_OK; i++) {
        if (!tone_is_complete(&t->tone[i]))
            continue;
        t->weight[t->n] = t->tone[i].amplitude * t->tone[i].amplitude;
        t->tone[t->n++] = t->tone[i];
    }
    if (status != SINPOS_OK)
        tones_free(t);
    return status;
}

sinpos_status tones_plan(sinpos_plan **plan, const sinpos_tone *tone, const size_t *which, size_t n, double scale,
                         sinpos_type type)
{
    *plan = NULL;
    OWNED sinpos_tone *own = calloc(n + 1, sizeof *own);
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
    return sinpos_plan_create_tones(plan, n == 0 ? 1 : 2 * n, 1, own, n, (unsigned)type, NULL);
}
