/*
 * Arithmetic with stated roundings. A formula that is traced instead of evaluated gives a program: numbers that are
 * known are folded, every operation on them rounded to its type, and what depends on the position becomes steps.
 */
#pragma once

#include "../internal.h"
#include "formula.h"

enum { TRACED_AXES = 4, MAX_STEPS = 48, MAX_TRACED_NAMES = 28 };

/* Registers: 0 is none, then what a row gives, then the results of the steps. */
enum {
    REGISTER_P = 1,
    REGISTER_X = 2,
    REGISTER_P0 = 3,
    REGISTER_G0 = REGISTER_P0 + TRACED_AXES,
    REGISTER_STEPS = REGISTER_G0 + TRACED_AXES
};

typedef enum step_kind {
    STEP_CAST,
    STEP_NEGATE,
    STEP_ADD,
    STEP_SUBTRACT,
    STEP_MULTIPLY,
    STEP_DIVIDE,
    STEP_REMAINDER,
    STEP_POWER,
    STEP_EXP,
    STEP_TORCH_EXP,
    STEP_TORCH_POW,
    STEP_LOG,
    STEP_LOG2,
    STEP_SQRT,
    STEP_SIN,
    STEP_COS,
    STEP_REPEAT,
    STEP_LESS,  /* 1 or 0 */
    STEP_SELECT /* a where register `count` holds 1, else b */
} step_kind;

/* An operand is a register, or where that is 0 the number beside it. count: of STEP_REPEAT and STEP_SELECT. */
typedef struct trace_step {
    step_kind kind;
    sinpos_type type;
    int a, b, count;
    double number_a, number_b;
} trace_step;

bool step_is_same(const trace_step *x, const trace_step *y);

typedef struct program {
    trace_step *steps; /* owned */
    int n_steps;
    int angle, result; /* registers; 0: the numbers */
    double angle_number, result_number;
    sinpos_type angle_type;
    int wave; /* the step that takes the sine or cosine of the angle and does all that is left; -1 if there is none */
} program;

void program_free(program *p);

/* ------------------------------------------------------------------------------------------------------- tracing */

typedef struct traced_name {
    const char *name;
    value v;
} traced_name;

/* What a scope that traces has. Its names go before those of the scope. */
typedef struct trace {
    traced_name names[MAX_TRACED_NAMES];
    size_t n_names;
    trace_step steps[MAX_STEPS];
    int n_steps;
} trace;

void trace_clear(trace *t);
void trace_bind_real(trace *t, const char *name, const real *number);
void trace_bind_number(trace *t, const char *name, double number);
void trace_bind_value(trace *t, const char *name, const value *v);
void trace_bind_register(trace *t, const char *name, int reg);

/* What the parser does with operators, names and functions while scope.trace is there. */
bool trace_negate(scope *s, value *v);
bool trace_binary(scope *s, char sign, value *a, const value *b);
bool trace_variable(const scope *s, const char *name, size_t n_name, value *out);
bool trace_call(scope *s, const char *name, size_t n_name, value *arguments, size_t n_arguments, value *out,
                bool *known);
/* One step on numbers of a's type; folded where they are known. b: NULL for functions of one. */
bool trace_apply(scope *s, step_kind kind, value *a, const value *b);
/* The type of a value's type, and its number if that is known, rounded to it. */
sinpos_type trace_type(int type);
double trace_number(const value *v);

/* The formulas that make one component of one frequency; a blank element has its default. trace_program.c */
typedef struct published {
    const char *theta, *angle, *element;
} published;

/* `theta` has been bound to the result of published.theta. False: scope.error. */
bool trace_theta(scope *s, trace *t, const char *formula, value *theta);
bool trace_program(scope *s, trace *t, const published *formulas, const value *theta, const real *amplitude,
                   program *out);

/* ------------------------------------------------------------------------------------------------------- running */

/* To the type; number may lack a rest that is too small for a double. */
double real_round(const real *number, sinpos_type type);
/* Everything but sine, cosine and STEP_REPEAT, rounded once. */
double step_apply(step_kind kind, sinpos_type type, double a, double b);

/* torch.c: of floats; x of the power positive and normal. */
double torch_exp(double x);
double torch_pow(double x, double y);
