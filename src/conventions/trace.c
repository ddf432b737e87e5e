/* Arithmetic with stated roundings: docs/arithmetic.md. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "step_program.h"

enum { LINSPACE_ARGUMENTS = 4 };

/* --------------------------------------------------------------------------------------------------- one operation */

double real_round(const real *number, sinpos_type type)
{
    double parts[SINPOS_PARTS];
    real_to_parts(number, parts);
    return isfinite(parts[0]) ? round_sum(parts[0], parts[1], type) : parts[0];
}

/* The function to 300 bits, rounded once; guess where it has no such value. */
static double decided(step_kind kind, sinpos_type type, double a, double b, double guess)
{
    real x, y;
    bool ok = false;
    real_set(&x, a);
    real_set(&y, b);
    switch (kind) {
    case STEP_EXP: ok = real_exp(&x, &x); break;
    case STEP_LOG: ok = real_log(&x, &x); break;
    case STEP_LOG2: ok = real_log2(&x, &x); break;
    case STEP_POWER: ok = a > 0 && real_power(&x, &x, &y, NULL); break;
    default: break;
    }
    return ok ? real_round(&x, type) : round_double(guess, type);
}

/* libm's double decides where nothing within 2^-46 of it rounds to another number of a narrow type. */
static double function_apply(step_kind kind, sinpos_type type, double a, double b)
{
    const double guess = kind == STEP_EXP    ? exp(a)
                         : kind == STEP_LOG  ? log(a)
                         : kind == STEP_LOG2 ? log2(a)
                                             : pow(a, b);
    if (!isfinite(guess) || guess == 0 || !isfinite(a) || !isfinite(b))
        return round_double(guess, type);
    if (type != SINPOS_F64) {
        const double low = round_double(guess * (1 - 0x1p-46), type);
        if (low == round_double(guess * (1 + 0x1p-46), type))
            return low;
    }
    return decided(kind, type, a, b, guess);
}

/* Of numbers of the type: a double holds more than twice their bits, so that the second rounding does no harm. */
double step_apply(step_kind kind, sinpos_type type, double a, double b)
{
    switch (kind) {
    case STEP_CAST: return round_double(a, type);
    case STEP_NEGATE: return -a;
    case STEP_ADD: return round_double(a + b, type);
    case STEP_SUBTRACT: return round_double(a - b, type);
    case STEP_MULTIPLY: return round_double(a * b, type);
    case STEP_DIVIDE: return round_double(a / b, type);
    case STEP_REMAINDER: return round_double(a - b * floor(a / b), type);
    case STEP_TORCH_EXP:
        return type == SINPOS_F64 ? function_apply(STEP_EXP, type, a, b) : round_double(torch_exp(a), type);
    case STEP_TORCH_POW:
        return type == SINPOS_F64 || !(a >= 0x1p-126 && a < 0x1p127 && isfinite(b))
                   ? function_apply(STEP_POWER, type, a, b)
                   : round_double(torch_pow(a, b), type);
    case STEP_LESS: return a < b;
    case STEP_SQRT: return round_double(sqrt(a), type);
    default: return function_apply(kind, type, a, b);
    }
}

/* ----------------------------------------------------------------------------------------------------------- names */

void trace_clear(trace *t)
{
    t->n_names = 0;
    t->n_steps = 0;
}

void trace_bind_value(trace *t, const char *name, const value *v)
{
    if (t->n_names < MAX_TRACED_NAMES)
        t->names[t->n_names++] = (traced_name){name, *v};
}

void trace_bind_real(trace *t, const char *name, const real *number)
{
    const value v = {.kind = VALUE_NUMBER, .g = -1, .number = *number};
    trace_bind_value(t, name, &v);
}

void trace_bind_number(trace *t, const char *name, double number)
{
    real r;
    real_set(&r, number);
    trace_bind_real(t, name, &r);
}

void trace_bind_register(trace *t, const char *name, int reg)
{
    value v = {.kind = VALUE_NUMBER, .g = -1, .reg = reg};
    real_set(&v.number, 0);
    trace_bind_value(t, name, &v);
}

bool trace_variable(const scope *s, const char *name, size_t n_name, value *out)
{
    for (size_t k = s->trace->n_names; k-- > 0;) {
        const traced_name *own = &s->trace->names[k];
        if (strlen(own->name) == n_name && memcmp(own->name, name, n_name) == 0) {
            *out = own->v;
            return true;
        }
    }
    return false;
}

/* --------------------------------------------------------------------------------------------------------- emitting */

static bool fail(scope *s, const char *what)
{
    return scope_fail(s, SINPOS_E_SPEC, "%s in an arithmetic", what);
}

sinpos_type trace_type(int type)
{
    return type == 0 ? SINPOS_F64 : (sinpos_type)type;
}

static void set_typed(value *v, int type, double number)
{
    *v = (value){.kind = VALUE_NUMBER, .g = -1, .type = type};
    v->number.is_wide = v->number.is_power = false;
    real_set(&v->number, number);
}

bool step_is_same(const trace_step *x, const trace_step *y)
{
    return x->kind == y->kind && x->type == y->type && x->a == y->a && x->b == y->b && x->count == y->count &&
           memcmp(&x->number_a, &y->number_a, sizeof x->number_a) == 0 &&
           memcmp(&x->number_b, &y->number_b, sizeof x->number_b) == 0;
}

/* What has been worked out once is not worked out again. */
static bool emit(scope *s, const trace_step *what, int type, value *out)
{
    trace *t = s->trace;
    for (int k = 0; k < t->n_steps; k++) {
        if (step_is_same(&t->steps[k], what)) {
            set_typed(out, type, 0);
            out->reg = REGISTER_STEPS + k;
            return true;
        }
    }
    if (t->n_steps == MAX_STEPS)
        return fail(s, "too many operations on the position");
    set_typed(out, type, 0);
    t->steps[t->n_steps] = *what;
    out->reg = REGISTER_STEPS + t->n_steps++;
    return true;
}

/* v as the type has it. */
static bool cast(scope *s, value *v, int type)
{
    if (v->type == type)
        return true;
    if (v->reg == 0) {
        set_typed(v, type, real_round(&v->number, trace_type(type)));
        return true;
    }
    const trace_step one = {.kind = STEP_CAST, .type = trace_type(type), .a = v->reg};
    return emit(s, &one, type, v);
}

double trace_number(const value *v)
{
    return v->reg == 0 ? real_round(&v->number, trace_type(v->type)) : 0;
}

bool trace_apply(scope *s, step_kind kind, value *a, const value *b)
{
    const int type = a->type;
    const double x = trace_number(a), y = b == NULL ? 0 : trace_number(b);
    const trace_step one = {
        .kind = kind, .type = trace_type(type), .a = a->reg, .b = b == NULL ? 0 : b->reg, .number_a = x, .number_b = y};
    if (one.a == 0 && one.b == 0 && kind != STEP_SIN && kind != STEP_COS) {
        set_typed(a, type, step_apply(kind, one.type, x, y));
        return true;
    }
    return emit(s, &one, type, a);
}

bool trace_negate(scope *s, value *v)
{
    if (v->reg == 0 && v->type == 0) {
        real_negate(&v->number);
        return true;
    }
    return trace_apply(s, STEP_NEGATE, v, NULL);
}

static bool binary(scope *s, step_kind kind, value *a, const value *b)
{
    value right = *b;
    const int type = a->type != 0 ? a->type : right.type;
    if (a->type != 0 && right.type != 0 && a->type != right.type)
        return fail(s, "numbers of two types meet");
    return cast(s, a, type) && cast(s, &right, type) && trace_apply(s, kind, a, &right);
}

bool trace_binary(scope *s, char sign, value *a, const value *b)
{
    switch (sign) {
    case '+': return binary(s, STEP_ADD, a, b);
    case '-': return binary(s, STEP_SUBTRACT, a, b);
    case '*': return binary(s, STEP_MULTIPLY, a, b);
    case '/': return binary(s, STEP_DIVIDE, a, b);
    case '%': return binary(s, STEP_REMAINDER, a, b);
    default: return binary(s, STEP_POWER, a, b);
    }
}

/* ------------------------------------------------------------------------------------------------------- functions */

typedef struct function {
    const char *name;
    size_t n_arguments;
    step_kind kind;
} function;

static const function functions[] = {
    {"exp", 1, STEP_EXP},
    {"torch_exp", 1, STEP_TORCH_EXP},
    {"torch_pow", 2, STEP_TORCH_POW},
    {"log", 1, STEP_LOG},
    {"log2", 1, STEP_LOG2},
    {"sqrt", 1, STEP_SQRT},
    {"sin", 1, STEP_SIN},
    {"cos", 1, STEP_COS},
    {"pow", 2, STEP_POWER},
};

static int type_named(const char *name, size_t n)
{
    static const struct {
        const char *name;
        sinpos_type type;
    } types[] = {{"f64", SINPOS_F64}, {"f32", SINPOS_F32}, {"f16", SINPOS_F16}, {"bf16", SINPOS_BF16}};
    for (size_t k = 0; k < sizeof types / sizeof types[0]; k++)
        if (strlen(types[k].name) == n && memcmp(types[k].name, name, n) == 0)
            return (int)types[k].type;
    return 0;
}

/* x * factor * factor ..., `count` times, each product rounded. */
static bool repeat(scope *s, value *v, value *out)
{
    double count;
    const int type = v[0].type != 0 ? v[0].type : v[1].type;
    if (v[1].reg != 0 || v[2].reg != 0 || !real_is_double(&v[2].number, &count) || !(count >= 0 && count <= 0x1p30))
        return fail(s, "repeat() without a known factor and number");
    if (!cast(s, &v[0], type) || !cast(s, &v[1], type))
        return false;
    const double factor = trace_number(&v[1]);
    if (v[0].reg == 0) {
        double x = trace_number(&v[0]);
        for (double k = 0; k < count; k++)
            x = step_apply(STEP_MULTIPLY, trace_type(type), x, factor);
        set_typed(out, type, x);
        return true;
    }
    const trace_step one = {
        .kind = STEP_REPEAT, .type = trace_type(type), .a = v[0].reg, .number_b = factor, .count = (int)count};
    return emit(s, &one, type, out);
}

/* Item i of n from a to b: of a type as PyTorch's, from both ends; else as NumPy's. */
static bool linspace(scope *s, value *v, value *out)
{
    const int type = v[0].type != 0 ? v[0].type : v[1].type;
    for (size_t k = 0; k < LINSPACE_ARGUMENTS; k++)
        if (v[k].reg != 0)
            return fail(s, "linspace() of what is not known");
    if (!cast(s, &v[0], type) || !cast(s, &v[1], type))
        return false;
    const double a = trace_number(&v[0]), b = trace_number(&v[1]);
    const double n = real_to_double(&v[2].number), i = real_to_double(&v[3].number);
    const sinpos_type t = trace_type(type);
    const double width = step_apply(STEP_SUBTRACT, t, b, a), pace = step_apply(STEP_DIVIDE, t, width, n - 1);
    const bool from_end = type != 0 ? i >= floor(n / 2) : i == n - 1 && n > 1;
    const double far = step_apply(STEP_MULTIPLY, t, from_end ? n - 1 - i : i, pace);
    set_typed(out, type,
              n == 1     ? a
              : from_end ? step_apply(STEP_SUBTRACT, t, b, far)
                         : step_apply(STEP_ADD, t, a, far));
    return true;
}

/* where_less(a, b, x, y): x where a < b, else y. */
static bool where_less(scope *s, value *v, value *out)
{
    value condition = v[0];
    const int type = v[2].type != 0 ? v[2].type : v[3].type;
    if (!binary(s, STEP_LESS, &condition, &v[1]) || !cast(s, &v[2], type) || !cast(s, &v[3], type))
        return false;
    if (condition.reg == 0) {
        *out = real_sign(&condition.number) != 0 ? v[2] : v[3];
        return true;
    }
    const trace_step one = {.kind = STEP_SELECT,
                            .type = trace_type(type),
                            .a = v[2].reg,
                            .b = v[3].reg,
                            .count = condition.reg,
                            .number_a = trace_number(&v[2]),
                            .number_b = trace_number(&v[3])};
    return emit(s, &one, type, out);
}

static bool keeps_type(const char *name, size_t n)
{
    static const char *const names[] = {"floor", "ceil", "round", "abs", "min", "max"};
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++)
        if (strlen(names[k]) == n && memcmp(names[k], name, n) == 0)
            return true;
    return false;
}

static bool is_call(const char *name, size_t n, size_t n_arguments, const char *wanted, size_t n_wanted)
{
    return n_arguments == n_wanted && strlen(wanted) == n && memcmp(wanted, name, n) == 0;
}

static bool of_numbers(scope *s, const char *name, size_t n_name, value *v, size_t n, value *out, bool *known)
{
    const int type = n == 1 ? type_named(name, n_name) : 0;
    *known = true;
    if (type != 0) {
        *out = v[0];
        return cast(s, out, type);
    }
    if (is_call(name, n_name, n, "repeat", 3))
        return repeat(s, v, out);
    if (is_call(name, n_name, n, "where_less", 4))
        return where_less(s, v, out);
    if (is_call(name, n_name, n, "linspace", LINSPACE_ARGUMENTS))
        return linspace(s, v, out);
    for (size_t k = 0; k < sizeof functions / sizeof functions[0]; k++) {
        if (is_call(name, n_name, n, functions[k].name, functions[k].n_arguments)) {
            *out = v[0];
            return n == 2 ? binary(s, functions[k].kind, out, &v[1]) : trace_apply(s, functions[k].kind, out, NULL);
        }
    }
    *known = false;
    return true;
}

bool trace_call(scope *s, const char *name, size_t n_name, value *v, size_t n, value *out, bool *known)
{
    bool all_numbers = n > 0, depends = false;
    for (size_t k = 0; k < n; k++) {
        all_numbers = all_numbers && v[k].kind == VALUE_NUMBER;
        depends = depends || (v[k].kind == VALUE_NUMBER && v[k].reg != 0);
    }
    *known = false;
    if (all_numbers && !of_numbers(s, name, n_name, v, n, out, known))
        return false;
    if (*known)
        return true;
    if (depends)
        return fail(s, "a function that cannot be taken of the position");
    const int type = all_numbers && keeps_type(name, n_name) ? v[0].type : 0;
    *known = true;
    if (!formula_call(s, name, n_name, v, n, out))
        return false;
    out->type = type;
    out->reg = 0;
    return true;
}
