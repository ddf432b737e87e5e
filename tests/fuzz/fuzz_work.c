/* A specification, positions and every operation out of the input: no crash, and the same bytes on every machine. [P1] */
#include <stdio.h>
#include <stdlib.h>

#include "fuzz.h"

#define MOST_DIM 70
#define MOST_ROWS 40

typedef struct input {
    sinpos_spec spec;
    double theta[MOST_DIM], factor[MOST_DIM], reals[MOST_ROWS];
    int64_t integers[MOST_ROWS];
    sinpos_rows rows;
    sinpos_operation operation;
    sinpos_type type;
    size_t ld, threads;
    int64_t shift;
} input;

static void take_spec(bytes *b, input *in)
{
    sinpos_spec s = SINPOS_SPEC_INIT;
    s.dim = take_u8(b) % (MOST_DIM + 1);
    s.schedule = (sinpos_schedule)(take_u8(b) % 6);
    s.layout = (sinpos_layout)(take_u8(b) % 3);
    s.order = (sinpos_order)(take_u8(b) % 3);
    s.odd = (sinpos_odd)(take_u8(b) % 3);
    s.types = take_u8(b) % 17;
    double *const fields[] = {&s.base,  &s.base_divisor, &s.exponent, &s.shift,      &s.divisor,
                              &s.scale, &s.amplitude,    &s.phase,    &s.phase_turns};
    const unsigned changed = take_u8(b) | (unsigned)take_u8(b) << 8;
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (changed >> i & 1)
            *fields[i] = take_double(b);
    if (changed >> 9 & 1 || s.schedule >= SINPOS_TURNS) {
        s.theta = in->theta;
        s.n_theta = changed >> 10 & 1 ? take_u8(b) % (MOST_DIM + 1) : sinpos_spec_frequencies(&s);
        for (size_t i = 0; i < s.n_theta; i++)
            in->theta[i] = take_double(b);
    }
    if (changed >> 11 & 1) {
        s.factor = in->factor;
        s.n_factor = sinpos_spec_frequencies(&s);
        for (size_t i = 0; i < s.n_factor; i++)
            in->factor[i] = take_double(b);
    }
    in->spec = s;
}

static void take_input(bytes *b, input *in)
{
    static const sinpos_type types[] = {SINPOS_F64, SINPOS_F32, SINPOS_F16, SINPOS_BF16, (sinpos_type)3};
    memset(in, 0, sizeof *in);
    take_spec(b, in);
    in->operation = (sinpos_operation)(take_u8(b) % 5);
    in->type = types[take_u8(b) % 5];
    in->rows.n = take_u8(b) % (MOST_ROWS + 1);
    in->ld = in->spec.dim + take_u8(b) % 4;
    in->threads = take_u8(b) % 4;
    in->shift = take_i64(b);
    const unsigned kind = take_u8(b) % 4;
    in->rows.first = take_i64(b);
    for (size_t i = 0; i < in->rows.n; i++) {
        in->integers[i] = kind == 1 ? take_i64(b) : 0;
        in->reals[i] = kind == 2 ? take_double(b) : 0;
    }
    if (kind == 1)
        in->rows.integers = in->integers;
    if (kind == 2)
        in->rows.reals = in->reals;
}

typedef struct output {
    sinpos_status run, shift, matrix, rotate;
    _Alignas(16) unsigned char table[MOST_ROWS * (MOST_DIM + 4) * 8];
    _Alignas(16) unsigned char square[MOST_DIM * (MOST_DIM + 4) * 8];
} output;

static void perform(const input *in, const sinpos_plan *plan, output *out)
{
    memset(out, 0x3c, sizeof *out);
    out->run = sinpos_run(plan, in->operation, &in->rows, in->type, out->table, in->ld, in->threads);
    out->shift = sinpos_shift(plan, in->shift, in->rows.n, in->type, out->table, in->ld);
    const sinpos_direction direction = (sinpos_direction)((uint64_t)in->shift % 4);
    const size_t heads = 1 + in->threads % 2; /* of half the rows where they are two: never beyond the table */
    sinpos_rows rows = in->rows;
    rows.n /= heads;
    out->rotate =
        sinpos_rotate(plan, &rows, direction, heads, in->type, out->table, heads * in->ld, in->ld, in->threads);
    out->matrix = sinpos_shift_matrix(plan, in->shift, in->type, out->square, in->ld);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static input in;
    static output portable, best;
    bytes b = {data, size};
    take_input(&b, &in);
    sinpos_plan *plan = NULL;
    const sinpos_status status = sinpos_plan_create(&plan, &in.spec);
    if ((status == SINPOS_OK) != (plan != NULL))
        abort();
    if (plan == NULL)
        return 0;
    if (sinpos_isa_cap(NULL) != SINPOS_OK)
        abort();
    perform(&in, plan, &best);
    if (sinpos_isa_cap("scalar") != SINPOS_OK)
        abort();
    perform(&in, plan, &portable);
    if (memcmp(&portable, &best, sizeof best) != 0) {
        fprintf(stderr, "the best instruction set gives other bytes than the portable code\n");
        abort();
    }
    sinpos_plan_destroy(plan);
    return 0;
}
