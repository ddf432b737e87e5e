/* Arithmetics that code in use has: as formulas, and of the tones of a plan. */
#include <stdlib.h>
#include <string.h>

#include "../boundary.h"
#include "parameters.h"
#include "replay.h"

/* ---------------------------------------------------------------------------------------------------------- recipes */

/*
 * theta = scale base^(-(first + i) / divisor) where it is geometric; frequency is theta as it is, unrounded. A pair of
 * neighbours has the ratio base^(-1 / divisor).
 */
#define OR_ELSE " : f32(frequency)"
#define RATIO "f32(base)^(f32(-1) / f32(divisor))"
#define REPEATED "repeat(f32(p) * (f32(scale) * (" RATIO ")^f32(first)), theta, i)"
#define ANGLE_IN(T) "phase == 0 ? " T "(p) * theta : " T "(p) * theta + " T "(phase)"
#define ELEMENT_IN(T)                                                                                                  \
    "amplitude == 1 ? (c ? cos(angle) : sin(angle)) : " T "(amplitude) * (c ? cos(angle) : sin(angle))"
#define ANGLE_F32 ANGLE_IN("f32")
#define ELEMENT_F32 ELEMENT_IN("f32")
#define ANGLE_CAST(T) "phase == 0 ? f32(" T "(p) * theta) : f32(" T "(p) * theta + " T "(phase))"
#define THETA_F64 "geometric ? f64(scale) / f64(base)^(f64(first + i) / f64(divisor)) : f64(frequency)"
#define ANGLE_F64 "phase == 0 ? f64(p) * theta : f64(p) * theta + f64(phase)"
#define WAVE_F64 "(amplitude == 1 ? (c ? cos(angle) : sin(angle)) : f64(amplitude) * (c ? cos(angle) : sin(angle)))"

static const sinpos_arithmetic recipes[] = {
    {"float32-pow", "", "1 / pow(b, 2i/d), then p times it: Llama and many after it",
     "geometric ? f32(scale) * (f32(1) / f32(base)^(f32(first + i) / f32(divisor)))" OR_ELSE, ANGLE_F32, ELEMENT_F32,
     "x"},
    {"float32-exp", "float32", "exp(-2i ln b / d), then p times it: Annotated Transformer, Fairseq",
     "geometric ? f32(scale) * exp(f32(first + i) * f32(-log(base) / divisor))" OR_ELSE, ANGLE_F32, ELEMENT_F32, "x"},
    {"float32-ratio-pow", "", "p pow(b^(-2/d), i): ggml, CUDA",
     "geometric ? f32(scale) * (" RATIO ")^f32(first + i)" OR_ELSE, ANGLE_F32, ELEMENT_F32, "f32"},
    {"float32-repeated", "ggml float32-ratio-product", "p times b^(-2/d), again and again: ggml, CPU",
     "geometric and i > 0 ? " RATIO " : geometric ? f32(scale) * (" RATIO ")^f32(first)" OR_ELSE,
     "not geometric ? (" ANGLE_F32 ") : phase == 0 ? " REPEATED " : " REPEATED " + f32(phase)", ELEMENT_F32, "f32"},
    {"float32-theta", "", "theta rounded once, then p times it", "f32(frequency)", ANGLE_F32, ELEMENT_F32, "x"},
    {"float16-theta", "", "frequencies cast to float16 with the model", "f32(f16(f32(frequency)))", ANGLE_F32,
     ELEMENT_F32, "x"},
    {"bfloat16-theta", "", "frequencies cast to bfloat16 with the model", "f32(bf16(f32(frequency)))", ANGLE_F32,
     ELEMENT_F32, "x"},
    {"bfloat16-positions", "", "positions in the type of a mixed-precision layer", "f32(frequency)",
     "phase == 0 ? f32(bf16(p)) * theta : f32(bf16(p)) * theta + f32(phase)", ELEMENT_F32, "x"},
    {"float16-positions", "", "positions in float16, which ends at 65504", "f32(frequency)",
     "phase == 0 ? f32(f16(p)) * theta : f32(f16(p)) * theta + f32(phase)", ELEMENT_F32, "x"},
    {"bfloat16", "", "frequencies, positions, their products and sines in bfloat16: rotary under autocast",
     "bf16(f32(frequency))", ANGLE_IN("bf16"), ELEMENT_IN("bf16"), "x"},
    {"float16", "", "frequencies, positions, their products and sines in float16, which ends at 65504",
     "f16(f32(frequency))", ANGLE_IN("f16"), ELEMENT_IN("f16"), "x"},
    {"float64", "", "all in float64: MAE", THETA_F64, ANGLE_F64, WAVE_F64, "x"},
    {"float64-cast", "", "in float64, the table then cast to float32: Marian, RoFormer, FLUX", THETA_F64, ANGLE_F64,
     "f32" WAVE_F64, "x"},
    {"bfloat16-angles", "", "frequencies, positions and products in bfloat16 under autocast, their sines in float32",
     "bf16(f32(frequency))", ANGLE_CAST("bf16"), ELEMENT_F32, "x"},
    {"float16-angles", "", "frequencies, positions and products in float16, their sines in float32",
     "f16(f32(frequency))", ANGLE_CAST("f16"), ELEMENT_F32, "x"},
};

size_t sinpos_arithmetics_count(void)
{
    BOUNDARY;
    return sizeof recipes / sizeof recipes[0];
}

const sinpos_arithmetic *sinpos_arithmetic_at(size_t i)
{
    BOUNDARY;
    return i < sinpos_arithmetics_count() ? &recipes[i] : NULL;
}

const sinpos_arithmetic *sinpos_arithmetic_find(const char *name)
{
    BOUNDARY;
    for (size_t k = 0; name != NULL && name[0] != '\0' && k < sinpos_arithmetics_count(); k++)
        if (strcmp(recipes[k].name, name) == 0 || is_one_of(recipes[k].aliases, name))
            return &recipes[k];
    return NULL;
}

const char *sinpos_arithmetic_text(const sinpos_arithmetic *a, const char *field)
{
    BOUNDARY;
    if (a == NULL || field == NULL)
        return NULL;
    const char *const all[][2] = {{"name", a->name},      {"aliases", a->aliases}, {"who", a->who},
                                  {"theta", a->theta},    {"angle", a->angle},     {"element", a->element},
                                  {"product", a->product}};
    for (size_t k = 0; k < sizeof all / sizeof all[0]; k++)
        if (strcmp(field, all[k][0]) == 0)
            return is_blank(all[k][1]) ? NULL : all[k][1];
    return NULL;
}

/* ----------------------------------------------------------------------------------------------------------- voices */

static void bind_inputs(trace *t)
{
    static const char *const names[TRACED_AXES] = {"p0", "p1", "p2", "p3"};
    static const char *const given[TRACED_AXES] = {"g0", "g1", "g2", "g3"};
    trace_bind_register(t, "p", REGISTER_P);
    trace_bind_register(t, "x", REGISTER_X);
    for (int a = 0; a < TRACED_AXES; a++) {
        trace_bind_register(t, names[a], REGISTER_P0 + a);
        trace_bind_register(t, given[a], REGISTER_G0 + a);
    }
}

/* Both components; what t already names stays named. */
bool voice_trace(scope *s, trace *t, const published *formulas, const real *amplitude, voice *v)
{
    const size_t n_names = t->n_names;
    bool ok = true;
    s->is_set[LOOP_c] = true;
    for (int component = 0; component < 2 && ok; component++) {
        value theta = {0};
        t->n_names = n_names;
        t->n_steps = 0;
        s->loop[LOOP_c] = component;
        ok = trace_theta(s, t, formulas->theta, &theta);
        if (ok) {
            v->theta = component == 0 ? real_round(&theta.number, SINPOS_F64) : v->theta;
            bind_inputs(t);
            ok = trace_program(s, t, formulas, &theta, amplitude, &v->of[component]);
        }
    }
    s->is_set[LOOP_c] = false;
    t->n_names = n_names;
    return ok;
}

bool recipe_voice(scope *s, trace *t, const sinpos_arithmetic *recipe, const schedule_numbers *x, voice *v)
{
    const published formulas = {recipe->theta, recipe->angle, recipe->element};
    trace_clear(t);
    trace_bind_number(t, "geometric", x->is_geometric);
    trace_bind_real(t, "base", &x->base);
    trace_bind_real(t, "first", &x->first);
    trace_bind_real(t, "divisor", &x->divisor);
    trace_bind_real(t, "scale", &x->scale);
    trace_bind_real(t, "frequency", &x->theta);
    trace_bind_real(t, "phase", &x->phase);
    trace_bind_real(t, "amplitude", &x->amplitude);
    trace_bind_number(t, "i", x->i);
    return voice_trace(s, t, &formulas, &x->amplitude, v);
}

/* ------------------------------------------------------------------------------------------------- tones of a plan */

static void add_parts(real *sum, const double *parts)
{
    real part;
    for (size_t k = 0; k < SINPOS_PARTS && parts[k] != 0; k++) {
        real_set(&part, parts[k]);
        real_add(sum, sum, &part);
    }
}

static void tone_theta(const sinpos_tone *t, real *theta)
{
    wide turns;
    tone_turns(REAL_LIMBS, t, &turns);
    real_set_wide(theta, &turns);
    real_turns_to_radians(theta, theta);
}

static void phase_of_tone(const sinpos_tone *t, real *phase)
{
    static const double none[SINPOS_PARTS] = {0};
    const sinpos_tone_more *more = t->more;
    real radians;
    real_set_quotient(phase, t->phase_turns, more != NULL && more->phase_divisor != 0 ? more->phase_divisor : 1);
    if (more != NULL && t->in_turns)
        add_parts(phase, more->phase);
    real_turns_to_radians(phase, phase);
    real_set(&radians, t->phase);
    add_parts(&radians, more != NULL && !t->in_turns ? more->phase : none);
    real_add(phase, phase, &radians);
}

/* The index of a geometric tone counts from that of the first tone of its axis. */
static void tone_numbers(const sinpos_tone *t, const sinpos_tone *head, schedule_numbers *x)
{
    real shift;
    x->is_geometric = t->schedule == SINPOS_GEOMETRIC && head->schedule == SINPOS_GEOMETRIC && t->index >= head->index;
    x->i = x->is_geometric ? t->index - head->index : 0;
    real_set_quotient(&x->base, t->base, t->base_divisor);
    real_set(&x->first, head->index);
    real_set(&shift, t->shift);
    real_add(&x->first, &x->first, &shift);
    real_set(&x->divisor, t->divisor);
    real_set_quotient(&x->scale, t->scale, t->factor);
    if (t->in_turns)
        real_turns_to_radians(&x->scale, &x->scale);
    tone_theta(t, &x->theta);
    phase_of_tone(t, &x->phase);
    real_set(&x->amplitude, t->amplitude);
    if (t->more != NULL)
        add_parts(&x->amplitude, t->more->amplitude);
}

static const sinpos_tone *head_of(const sinpos_tone *tones, const sinpos_tone *t)
{
    const sinpos_tone *head = tones;
    while (head->axis != t->axis)
        head++;
    return head;
}

static void put_column(sinpos_replay *r, ptrdiff_t column, size_t k, int component)
{
    if (column != SINPOS_NO_COLUMN)
        r->columns[r->n_columns++] = (replay_column){.column = (size_t)column, .voice = k, .component = component};
}

static sinpos_status trace_tones(sinpos_replay *r, const sinpos_tone *tones, const sinpos_arithmetic *recipe)
{
    scope s;
    trace *t = calloc(1, sizeof *t);
    schedule_numbers *x = calloc(1, sizeof *x);
    bool ok = t != NULL && x != NULL;
    scope_init(&s);
    s.error.status = SINPOS_E_MEMORY;
    for (size_t k = 0; k < r->own.n && ok; k++) {
        if (tones[k].more != NULL && tones[k].more->n_listens > 0) {
            s.error.status = SINPOS_E_UNSUPPORTED;
            ok = false;
            break;
        }
        tone_numbers(&tones[k], head_of(tones, &tones[k]), x);
        r->own.all[k].axis = tones[k].axis;
        ok = recipe_voice(&s, t, recipe, x, &r->own.all[k]);
        put_column(r, tones[k].sin_column, k, 0);
        put_column(r, tones[k].cos_column, k, 1);
    }
    const sinpos_status status = ok ? SINPOS_OK : s.error.status;
    scope_free(&s);
    free(t);
    free(x);
    return status;
}

static sinpos_status allocate(sinpos_replay *r, const sinpos_plan *plan, size_t n, sinpos_tone **tones)
{
    voices *v = &r->own;
    r->v = v;
    r->dim = sinpos_plan_dim(plan);
    v->n = n;
    v->n_axes = v->n_x = sinpos_plan_axes(plan);
    v->all = calloc(n + 1, sizeof *v->all);
    v->axes = calloc(v->n_axes, sizeof *v->axes);
    r->columns = calloc(2 * n + 1, sizeof *r->columns);
    *tones = calloc(n + 1, sizeof **tones);
    if (v->all == NULL || v->axes == NULL || r->columns == NULL || *tones == NULL)
        return SINPOS_E_MEMORY;
    for (size_t a = 0; a < v->n_axes; a++)
        v->axes[a] = (replay_axis){.first = a, .n_parts = 1, .is_x = true, .scale = {1}};
    return sinpos_plan_tones(plan, *tones, n, &n);
}

sinpos_status sinpos_replay_create(sinpos_replay **out, const sinpos_plan *plan, const char *arithmetic)
{
    BOUNDARY;
    size_t n;
    sinpos_tone *tones = NULL;
    if (out == NULL || plan == NULL || arithmetic == NULL)
        return SINPOS_E_NULL;
    *out = NULL;
    const sinpos_arithmetic *recipe = sinpos_arithmetic_find(arithmetic);
    if (recipe == NULL)
        return SINPOS_E_NAME;
    sinpos_replay *r = calloc(1, sizeof *r);
    sinpos_status status = r == NULL ? SINPOS_E_MEMORY : sinpos_plan_tones(plan, NULL, 0, &n);
    status = status == SINPOS_OK && !turning_read(recipe->product, &r->turns) ? SINPOS_E_SPEC : status;
    status = status == SINPOS_OK ? allocate(r, plan, n, &tones) : status;
    status = status == SINPOS_OK ? trace_tones(r, tones, recipe) : status;
    status = status == SINPOS_OK && !voices_ready(r->v) ? SINPOS_E_MEMORY : status;
    free(tones);
    if (status == SINPOS_OK)
        *out = r;
    else
        sinpos_replay_destroy(r);
    return status;
}
