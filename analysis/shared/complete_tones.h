/* The complete tones of a plan, and plans made of tones. */
#pragma once

#include "blocks.h"
#include "sinpos_analysis.h"
#include "threads.h"

/* Of a plan with one coordinate: its complete tones alone, in the order of the plan. */
typedef struct tones {
    sinpos_tone *tone; /* (n) */
    size_t n;
    double *weight; /* (n) amplitude^2 */
    blocks memory;
} tones;

/*
 * All tones of a plan with one coordinate. SINPOS_E_UNSUPPORTED where a tone has more: its frequency, phase or amplitude is
 * then no double.
 */
sinpos_status tones_read(blocks *memory, const sinpos_plan *plan, sinpos_tone **tone, size_t *n);

static inline bool tone_is_complete(const sinpos_tone *tone)
{
    return tone->sin_column != SINPOS_NO_COLUMN && tone->cos_column != SINPOS_NO_COLUMN;
}

sinpos_status tones_of_plan(tones *t, const sinpos_plan *plan);
void tones_free(tones *t);

/*
 * A plan of the tones which[0 .. n-1] (NULL: the first n) with frequency * scale, phase 0 and amplitude 1: the sine of the
 * i-th in column i, its cosine in column n + i. scale is a power of two.
 */
sinpos_status tones_plan(sinpos_plan **plan, const sinpos_tone *tone, const size_t *which, size_t n, double scale,
                         sinpos_type type);
