/* Image patches: one tone list per axis, put side by side, makes the encoding of a 3 x 4 grid as a vision model has it. */
#include <stdint.h>
#include <stdio.h>

#include "sinpos.h"

enum { HEIGHT = 3, WIDTH = 4, DIM = 16, PER_AXIS = DIM / 2, TONES = PER_AXIS / 2 };

/* Tones of both axes: rows of the image in columns 0..7, columns of the image in columns 8..15. */
static sinpos_status make_tones(sinpos_tone tones[2 * TONES])
{
    sinpos_spec spec = SINPOS_SPEC_INIT;
    spec.dim = PER_AXIS;
    spec.layout = SINPOS_HALVES;
    for (size_t axis = 0; axis < 2; axis++) {
        sinpos_tone *mine = tones + axis * TONES;
        const sinpos_status status = sinpos_spec_tones(&spec, mine, TONES);
        if (status != SINPOS_OK)
            return status;
        for (size_t k = 0; k < TONES; k++) {
            mine[k].axis = axis;
            mine[k].sin_column += (ptrdiff_t)(axis * PER_AXIS);
            mine[k].cos_column += (ptrdiff_t)(axis * PER_AXIS);
        }
    }
    return SINPOS_OK;
}

int main(void)
{
    sinpos_tone tones[2 * TONES];
    int64_t positions[HEIGHT * WIDTH][2];
    float out[HEIGHT * WIDTH][DIM];
    for (int i = 0; i < HEIGHT * WIDTH; i++) {
        positions[i][0] = i / WIDTH;
        positions[i][1] = i % WIDTH;
    }

    sinpos_plan *plan = NULL;
    sinpos_status status = make_tones(tones);
    if (status == SINPOS_OK)
        status = sinpos_plan_create_tones(&plan, DIM, 2, tones, 2 * TONES, SINPOS_F32, NULL);
    if (status == SINPOS_OK)
        status = sinpos_fill_at(plan, positions[0], HEIGHT * WIDTH, SINPOS_F32, out, DIM);
    sinpos_plan_destroy(plan);
    if (status != SINPOS_OK) {
        fprintf(stderr, "grid: %s\n", sinpos_strerror(status));
        return 1;
    }
    for (int i = 0; i < HEIGHT * WIDTH; i++) {
        printf("patch (%d,%d): %12.9f %12.9f ... %12.9f %12.9f ...\n", i / WIDTH, i % WIDTH, out[i][0], out[i][4],
               out[i][8], out[i][12]);
    }
    return 0;
}
