/* Rows of a table with the roundings of somebody's code. */
#include "replay.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "build.h"

/* ---------------------------------------------------------------------------------------------------------- voices */

void voices_free(voices *v)
{
    for (size_t k = 0; v->all != NULL && k < v->n; k++) {
        program_free(&v->all[k].of[0]);
        program_free(&v->all[k].of[1]);
    }
    sinpos_plan_destroy(v->unit);
    sinpos_plan_destroy(v->far);
    free(v->all);
    free(v->axes);
    free(v->g);
    memset(v, 0, sizeof *v);
}

static bool same_steps(const program *a, const program *b, int n)
{
    for (int k = 0; k < n; k++)
        if (!step_is_same(&a->steps[k], &b->steps[k]))
            return false;
    return true;
}

static sinpos_status wave_plan(sinpos_plan **plan, double theta)
{
    sinpos_tone tone = SINPOS_TONE_INIT;
    tone.value = theta;
    tone.sin_column = 0;
    tone.cos_column = 1;
    return sinpos_plan_create_tones(plan, 2, 1, &tone, 1, 0, NULL);
}

bool voices_ready(voices *v)
{
    v->type = v->n > 0 && v->all[0].of[0].wave >= 0 ? v->all[0].of[0].angle_type : SINPOS_F32;
    for (size_t k = 0; k < v->n; k++) {
        const program *sine = &v->all[k].of[0], *cosine = &v->all[k].of[1];
        v->all[k].shares = sine->wave >= 0 && sine->wave == cosine->wave && sine->angle == cosine->angle &&
                           sine->angle_type == v->type && cosine->angle_type == v->type &&
                           same_steps(sine, cosine, sine->wave);
    }
    return wave_plan(&v->unit, 1) == SINPOS_OK && wave_plan(&v->far, 0x1p65) == SINPOS_OK;
}

/* ----------------------------------------------------------------------------------------------- one row, prepared */

/* A running product, kept from one voice to the next. */
typedef struct product {
    sinpos_type type;
    double x, factor, result;
    int count;
} product;

typedef struct row_state {
    const voices *v;
    double *coordinates, *rests, *x; /* (n_axes) p = coordinate + rest, and x */
    double *angles;                  /* (n) */
    char *waves;                     /* (n, 2) of v->type */
    double *values;                  /* (n, 3): sine, cosine, angle */
    product last;
    const double *g; /* of this row, or NULL */
} row_state;

static void row_free(row_state *s)
{
    free(s->coordinates);
    free(s->waves);
    memset(s, 0, sizeof *s);
}

static bool row_allocate(row_state *s, const voices *v)
{
    const size_t n = v->n + 1, axes = v->n_axes + 1;
    *s = (row_state){.v = v};
    if (n > SIZE_MAX / 64 || axes > SIZE_MAX / 64 - n)
        return false;
    s->coordinates = calloc(3 * axes + 4 * n, sizeof(double));
    s->waves = calloc(2 * n, sizeof(double));
    if (s->coordinates == NULL || s->waves == NULL) {
        row_free(s);
        return false;
    }
    s->rests = s->coordinates + axes;
    s->x = s->rests + axes;
    s->angles = s->x + axes;
    s->values = s->angles + n;
    return true;
}

/* Column k of x in this row as a double and what it leaves of an integer. */
static double x_of(const sinpos_rows *rows, size_t n_x, size_t row, size_t k, double *rest)
{
    *rest = 0;
    if (rows->reals != NULL)
        return rows->reals[row * n_x + k];
    const int64_t whole = rows->integers != NULL ? rows->integers[row * n_x + k] : rows->first + (int64_t)row;
    const double x = (double)whole;
    *rest = x < 0x1p63 ? (double)(whole - (int64_t)x) : (double)(whole - INT64_MAX) - 1;
    return x;
}

static void set_coordinate(row_state *s, const sinpos_rows *rows, size_t row, size_t a)
{
    const replay_axis *axis = &s->v->axes[a];
    wide sum;
    double parts[2], rest;
    s->x[a] = x_of(rows, s->v->n_x, row, axis->first, &s->rests[a]);
    s->coordinates[a] = s->x[a];
    if (axis->is_x)
        return;
    wide_zero(&sum);
    for (size_t k = 0; k < axis->n_parts; k++)
        wide_add_product(&sum, x_of(rows, s->v->n_x, row, axis->first + k, &rest), axis->scale);
    wide_add_product(&sum, 1, axis->shift);
    wide_to_doubles(REAL_LIMBS, &sum, parts, 2);
    s->coordinates[a] = parts[0] + parts[1];
    s->rests[a] = parts[1] - (s->coordinates[a] - parts[0]);
}

/* -------------------------------------------------------------------------------------------------- sine and cosine */

/* Correctly rounded in the type. The sine of -0 is -0. */
static double one_wave(const voices *v, bool cosine, sinpos_type type, double angle)
{
    double out[2];
    if (angle == 0 && !cosine)
        return angle;
    const bool is_far = fabs(angle) >= 0x1p62;
    const double at = is_far ? angle * 0x1p-65 : angle;
    const sinpos_rows rows = {.struct_size = sizeof rows, .n = 1, .reals = &at};
    if (!(fabs(angle) < 0x1p127) ||
        sinpos_run(is_far ? v->far : v->unit, SINPOS_FILL, &rows, type, out, 2, 1) != SINPOS_OK)
        return NAN;
    return load_element(out, cosine, type);
}

static double repeated(row_state *s, const trace_step *t, double x)
{
    product *last = &s->last;
    const bool goes_on = last->type == t->type && last->x == x && last->factor == t->number_b &&
                         last->count <= t->count && last->count >= 0;
    if (!goes_on)
        *last = (product){.type = t->type, .x = x, .factor = t->number_b, .result = x};
    for (; last->count < t->count; last->count++)
        last->result = step_apply(STEP_MULTIPLY, t->type, last->result, last->factor);
    return last->result;
}

static double input(const row_state *s, size_t axis, int reg, double *rest)
{
    *rest = 0;
    if (reg == REGISTER_X)
        return s->x[axis];
    if (reg >= REGISTER_G0) {
        const size_t k = (size_t)(reg - REGISTER_G0);
        return s->g != NULL && k < s->v->n_g ? s->g[k] : 0;
    }
    const size_t a = reg == REGISTER_P ? axis : (size_t)(reg - REGISTER_P0);
    if (a >= s->v->n_axes)
        return 0;
    *rest = s->rests[a];
    return s->coordinates[a];
}

/* Steps 0 .. n - 1; where one of them is the wave, its value is known. */
static void run_steps(row_state *s, const voice *v, const program *p, int n, double wave, double *registers)
{
    for (int k = 0; k < n; k++) {
        const trace_step *t = &p->steps[k];
        double rest_a = 0, rest_b = 0;
        const double a = t->a == 0               ? t->number_a
                         : t->a < REGISTER_STEPS ? input(s, v->axis, t->a, &rest_a)
                                                 : registers[t->a - REGISTER_STEPS];
        const double b = t->b == 0               ? t->number_b
                         : t->b < REGISTER_STEPS ? input(s, v->axis, t->b, &rest_b)
                                                 : registers[t->b - REGISTER_STEPS];
        if (k == p->wave)
            registers[k] = wave;
        else if (t->kind == STEP_SIN || t->kind == STEP_COS)
            registers[k] = one_wave(s->v, t->kind == STEP_COS, t->type, a);
        else if (t->kind == STEP_REPEAT)
            registers[k] = repeated(s, t, a);
        else if (t->kind == STEP_SELECT)
            registers[k] = registers[t->count - REGISTER_STEPS] != 0 ? a : b;
        else if (t->kind == STEP_CAST)
            registers[k] = rest_a == 0 ? round_double(a, t->type) : round_sum(a, rest_a, t->type);
        else
            registers[k] = step_apply(t->kind, t->type, a, b);
    }
}

static double held(const row_state *s, const voice *v, int reg, double number, const double *registers)
{
    double rest;
    return reg == 0 ? number : reg < REGISTER_STEPS ? input(s, v->axis, reg, &rest) : registers[reg - REGISTER_STEPS];
}

/* ---------------------------------------------------------------------------------------------------------- a row */

static double angle_of(row_state *s, const voice *v, int component)
{
    double registers[MAX_STEPS];
    const program *p = &v->of[component];
    const int n = p->wave >= 0 ? p->wave : p->angle < REGISTER_STEPS ? 0 : p->angle - REGISTER_STEPS + 1;
    run_steps(s, v, p, n, 0, registers);
    return held(s, v, p->angle, p->angle_number, registers);
}

/* sine and cosine: of the angle that both components share. */
static double value_of(row_state *s, const voice *v, int component, double sine, double cosine)
{
    double registers[MAX_STEPS], wave = 0;
    const program *p = &v->of[component];
    if (p->wave >= 0) {
        const bool is_cosine = p->steps[p->wave].kind == STEP_COS;
        wave = !v->shares  ? one_wave(s->v, is_cosine, p->angle_type, angle_of(s, v, component))
               : is_cosine ? cosine
                           : sine;
        if (p->wave == p->n_steps - 1 && p->result == p->wave + REGISTER_STEPS)
            return wave;
    }
    run_steps(s, v, p, p->n_steps, wave, registers);
    return held(s, v, p->result, p->result_number, registers);
}

/* Sines and cosines of all angles in the common type. */
static void waves_of(row_state *s)
{
    const voices *v = s->v;
    bool all_near = true;
    for (size_t k = 0; k < v->n; k++)
        all_near = all_near && fabs(s->angles[k]) < 0x1p62;
    const sinpos_rows rows = {.struct_size = sizeof rows, .n = v->n, .reals = s->angles};
    if (all_near && sinpos_run(v->unit, SINPOS_FILL, &rows, v->type, s->waves, 2, 1) == SINPOS_OK)
        return;
    for (size_t k = 0; k < v->n; k++) {
        store_element(s->waves, 2 * k, one_wave(v, false, v->type, s->angles[k]), v->type);
        store_element(s->waves, 2 * k + 1, one_wave(v, true, v->type, s->angles[k]), v->type);
    }
}

static void make_row(row_state *s, const sinpos_rows *rows, size_t first, size_t row)
{
    const voices *v = s->v;
    s->g = v->g == NULL ? NULL : v->g + (first + row) * v->n_g;
    for (size_t a = 0; a < v->n_axes; a++)
        set_coordinate(s, rows, row, a);
    s->last = (product){0};
    for (size_t k = 0; k < v->n; k++)
        s->angles[k] = angle_of(s, &v->all[k], 0);
    waves_of(s);
    s->last = (product){0};
    for (size_t k = 0; k < v->n; k++) {
        const double sine = s->angles[k] == 0 ? s->angles[k] : load_element(s->waves, 2 * k, v->type);
        const double cosine = load_element(s->waves, 2 * k + 1, v->type);
        s->values[3 * k] = value_of(s, &v->all[k], 0, sine, cosine);
        s->values[3 * k + 1] = value_of(s, &v->all[k], 1, sine, cosine);
        s->values[3 * k + 2] = s->angles[k];
    }
}

/* ------------------------------------------------------------------------------------------------------------ rows */

enum { GRAIN = 16 }; /* rows that one thread makes at least */

struct replay_room {
    size_t n_threads;
    row_state *states;    /* (n_threads) */
    _Atomic size_t taken; /* by threads of the present call */
};

replay_room *replay_room_create(const voices *v, size_t n_rows, size_t n_threads)
{
    const size_t grains = n_rows / GRAIN + 1, wanted = n_threads == 0 ? threads_available() : n_threads;
    replay_room *room = calloc(1, sizeof *room);
    bool ok = room != NULL;
    if (ok) {
        room->n_threads = wanted < grains ? wanted : grains;
        room->states = calloc(room->n_threads, sizeof *room->states);
        ok = room->states != NULL;
    }
    for (size_t k = 0; ok && k < room->n_threads; k++)
        ok = row_allocate(&room->states[k], v);
    if (!ok) {
        replay_room_destroy(room);
        return NULL;
    }
    return room;
}

void replay_room_destroy(replay_room *room)
{
    for (size_t k = 0; room != NULL && room->states != NULL && k < room->n_threads; k++)
        row_free(&room->states[k]);
    if (room != NULL)
        free(room->states);
    free(room);
}

typedef struct row_loop {
    replay_room *room;
    const sinpos_rows *rows;
    size_t first; /* row of v->g */
    row_use *use;
    void *context;
} row_loop;

static void rows_run(void *context, size_t first, size_t count)
{
    const row_loop *j = context;
    row_state *state = &j->room->states[atomic_fetch_add_explicit(&j->room->taken, 1, memory_order_relaxed)];
    for (size_t row = first; row < first + count; row++) {
        make_row(state, j->rows, j->first, row);
        j->use(j->context, row, state->values);
    }
}

void replay_each(replay_room *room, const sinpos_rows *rows, size_t first, row_use *use, void *context)
{
    row_loop j = {room, rows, first, use, context};
    atomic_store_explicit(&room->taken, 0, memory_order_relaxed);
    threads_run(room->n_threads, rows->n, GRAIN, rows_run, &j);
}

typedef struct table {
    const sinpos_replay *r;
    sinpos_operation operation;
    sinpos_type type;
    char *out;
    size_t ld;
} table;

static void put_row(void *context, size_t row, const double *values)
{
    const table *t = context;
    const size_t bytes = sinpos_type_bytes(t->type);
    char *out = t->out + row * t->ld * bytes;
    if (t->operation == SINPOS_FILL)
        memset(out, 0, t->r->dim * bytes);
    for (size_t k = 0; k < t->r->n_columns; k++) {
        const replay_column *c = &t->r->columns[k];
        double x = c->component < 0 ? c->number : values[3 * c->voice + (size_t)c->component];
        x = round_double(c->negated ? -x : x, t->type);
        if (t->operation == SINPOS_ADD)
            x = round_sum(load_element(out, c->column, t->type), x, t->type);
        store_element(out, c->column, x, t->type);
    }
}

void replay_rows(const sinpos_replay *r, replay_room *room, sinpos_operation operation, const sinpos_rows *rows,
                 size_t first, sinpos_type type, void *out, size_t ld)
{
    table t = {.r = r, .operation = operation, .type = type, .out = out, .ld = ld};
    replay_each(room, rows, first, put_row, &t);
}

/* ------------------------------------------------------------------------------------------------- of a plan: calls */

static bool are_positions(const sinpos_rows *rows, size_t n_axes)
{
    const size_t n = rows->n * n_axes;
    for (size_t k = 0; rows->reals != NULL && k < n; k++)
        if (!(fabs(rows->reals[k]) < 0x1p63))
            return false;
    for (size_t k = 0; rows->integers != NULL && k < n; k++)
        if (rows->integers[k] == INT64_MIN)
            return false;
    return rows->integers != NULL || rows->reals != NULL || rows->n == 0 ||
           (rows->first > INT64_MIN && rows->n - 1 <= (size_t)INT64_MAX &&
            (rows->first <= 0 || (int64_t)(rows->n - 1) <= INT64_MAX - rows->first));
}

sinpos_status replay_check(const sinpos_replay *r, const sinpos_rows *rows)
{
    if (rows->integers == NULL && rows->reals == NULL && r->v->n_x != 1)
        return SINPOS_E_AXES;
    if (rows->n > SIZE_MAX / sizeof(double) / r->v->n_x)
        return SINPOS_E_SHAPE;
    return are_positions(rows, r->v->n_x) ? SINPOS_OK : SINPOS_E_RANGE;
}

sinpos_status sinpos_replay_run(const sinpos_replay *r, sinpos_operation operation, const sinpos_rows *given,
                                sinpos_type type, void *out, size_t ld, size_t n_threads)
{
    BOUNDARY;
    sinpos_rows own;
    const sinpos_rows *rows = &own;
    sinpos_status status = r == NULL ? SINPOS_E_NULL : rows_read(&own, given);
    if (status == SINPOS_OK && ((operation != SINPOS_FILL && operation != SINPOS_ADD) || n_threads > MAX_THREADS))
        status = SINPOS_E_VALUE;
    if (status != SINPOS_OK)
        return status;
    const size_t bytes = sinpos_type_bytes(type);
    status = bytes == 0 ? SINPOS_E_TYPE : check_array(rows->n, r->dim, ld, bytes);
    if (status != SINPOS_OK || rows->n == 0)
        return status;
    status = out == NULL ? SINPOS_E_NULL : replay_check(r, rows);
    if (status != SINPOS_OK)
        return status;
    replay_room *room = replay_room_create(r->v, rows->n, n_threads);
    if (room == NULL)
        return SINPOS_E_MEMORY;
    replay_rows(r, room, operation, rows, 0, type, out, ld);
    replay_room_destroy(room);
    return SINPOS_OK;
}

sinpos_status sinpos_replay_theta(const sinpos_replay *r, double *theta, size_t capacity, size_t *n_tones)
{
    BOUNDARY;
    if (r == NULL || n_tones == NULL)
        return SINPOS_E_NULL;
    *n_tones = r->v->n;
    if (theta != NULL && capacity < r->v->n)
        return SINPOS_E_CAPACITY;
    for (size_t k = 0; theta != NULL && k < r->v->n; k++)
        theta[k] = r->v->all[k].theta;
    return SINPOS_OK;
}

void sinpos_replay_destroy(sinpos_replay *r)
{
    BOUNDARY;
    if (r == NULL)
        return;
    voices_free(&r->own);
    free(r->columns);
    free(r);
}
