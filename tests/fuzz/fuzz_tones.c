/* Lists of tones with several coordinates out of the input: no crash, and the same bytes on every machine. [P1] */
#include <stdio.h>
#include <stdlib.h>

#include "fuzz.h"

#define MOST_TONES 24
#define MOST_DIM 50
#define MOST_ROWS 8
#define MOST_LISTENS 9

typedef struct additions {
    sinpos_tone_more more;
    sinpos_listen listens[MOST_LISTENS];
} additions;

static void take_parts(bytes *b, double parts[SINPOS_PARTS])
{
    const uint8_t given = take_u8(b);
    for (int k = 0; k < SINPOS_PARTS; k++)
        parts[k] = given >> k & 1 ? take_double(b) : 0;
}

static void take_more(bytes *b, sinpos_tone *t, additions *to)
{
    const uint8_t what = take_u8(b);
    to->more = (sinpos_tone_more){.struct_size = sizeof(sinpos_tone_more),
                                  .phase_divisor = what & 1 ? take_double(b) : 3,
                                  .listens = to->listens};
    if (what & 2)
        take_parts(b, to->more.value);
    if (what & 4)
        take_parts(b, to->more.phase);
    if (what & 8)
        take_parts(b, to->more.amplitude);
    to->more.n_listens = (what >> 4) % (MOST_LISTENS + 1);
    for (size_t k = 0; k < to->more.n_listens; k++) {
        const uint8_t how = take_u8(b);
        to->listens[k] = (sinpos_listen){.axis = how & 0x40 ? how & 15 : t->axis + 1 + k, .divisor = 12};
        take_parts(b, to->listens[k].coefficient);
        if (how & 0x80)
            to->listens[k].divisor = take_double(b);
    }
    t->more = &to->more;
}

static void take_tone(bytes *b, sinpos_tone *t, additions *more, size_t i)
{
    *t = (sinpos_tone){.base = 10000,
                       .base_divisor = 1,
                       .exponent = 1,
                       .divisor = 8,
                       .scale = 1,
                       .factor = 1,
                       .amplitude = 1,
                       .value = 0.5,
                       .index = (double)i};
    t->schedule = (sinpos_schedule)(take_u8(b) % 6);
    t->in_turns = take_u8(b) & 1;
    double *const fields[] = {&t->base,  &t->base_divisor, &t->exponent, &t->index, &t->shift,       &t->divisor,
                              &t->scale, &t->factor,       &t->value,    &t->phase, &t->phase_turns, &t->amplitude};
    const unsigned changed = take_u8(b) | (unsigned)take_u8(b) << 8;
    for (size_t k = 0; k < sizeof fields / sizeof *fields; k++)
        if (changed >> k & 1)
            *fields[k] = take_double(b);
    const uint8_t where = take_u8(b);
    t->axis = where & 7;
    t->sin_column = changed >> 12 & 1 ? (ptrdiff_t)(int8_t)take_u8(b) : (ptrdiff_t)(2 * i);
    t->cos_column = changed >> 13 & 1 ? (ptrdiff_t)(int8_t)take_u8(b) : (ptrdiff_t)(2 * i + 1);
    if (changed >> 14 & 1)
        take_more(b, t, more);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static sinpos_tone tones[MOST_TONES];
    static additions more[MOST_TONES];
    static double reals[MOST_ROWS * 8];
    static _Alignas(16) unsigned char out[2][MOST_ROWS * MOST_DIM * 8];
    static const sinpos_type types[] = {SINPOS_F64, SINPOS_F32, SINPOS_F16, SINPOS_BF16};
    bytes b = {data, size};
    const size_t dim = take_u8(&b) % (MOST_DIM + 1), n_axes = take_u8(&b) % 9, n = take_u8(&b) % (MOST_TONES + 1);
    const sinpos_type type = types[take_u8(&b) % 4];
    const sinpos_operation operation = (sinpos_operation)(take_u8(&b) % 4);
    for (size_t i = 0; i < n; i++)
        take_tone(&b, &tones[i], &more[i], i);
    for (size_t i = 0; i < MOST_ROWS * 8; i++)
        reals[i] = take_double(&b);
    sinpos_plan *plan = NULL;
    if (sinpos_plan_create_tones(&plan, dim, n_axes, tones, n, 0, NULL) != SINPOS_OK)
        return plan == NULL ? 0 : (abort(), 0);
    const sinpos_rows rows = {sizeof(sinpos_rows), MOST_ROWS, NULL, reals, 0};
    static const char *const isas[] = {NULL, "scalar"};
    sinpos_status status[2];
    for (int i = 0; i < 2; i++) {
        memset(out[i], 0x3c, sizeof out[i]);
        if (sinpos_isa_cap(isas[i]) != SINPOS_OK)
            abort();
        status[i] = sinpos_run(plan, operation, &rows, type, out[i], dim, 1);
    }
    if (status[0] != status[1] || memcmp(out[0], out[1], sizeof out[0]) != 0) {
        fprintf(stderr, "the best instruction set gives other bytes than the portable code\n");
        abort();
    }
    sinpos_plan_destroy(plan);
    return 0;
}
