/* Formulas of the catalogue: values, names, evaluation. docs/architecture.md, "Formulas". */
#pragma once

#include <stddef.h>

#include "catalogue.h"
#include "formula_number.h"

enum { LIST_DIMS = 8, MAX_AXES_NAMED = 16 };

typedef enum value_kind { VALUE_NULL, VALUE_NUMBER, VALUE_TEXT, VALUE_LIST } value_kind;

/*
 * A number may be number + slope * g, g being a coordinate that has no value yet; while a trace is kept (step_program.h) it may
 * be what a register will hold, and has the type it was rounded to.
 */
typedef struct value {
    value_kind kind;
    real number;
    int g; /* -1: no slope */
    real slope;
    const char *text; /* of VALUE_TEXT, n_text bytes */
    size_t n_text;
    const double *items; /* of VALUE_LIST, row-major */
    size_t n_dims, shape[LIST_DIMS];
    int type; /* of a number: a sinpos_type, or 0 */
    int reg;  /* 0: none */
} value;

size_t value_items(const value *list);
void value_number(value *v, double x);

typedef struct binding {
    const char *name;
    size_t n_name;
    bool is_of_rows; /* it depends on which positions, or how many, there are */
    value v;
} binding;

/* One-letter names that loops set. */
typedef enum loop_name { LOOP_i, LOOP_a, LOOP_n, LOOP_A, LOOP_c, LOOP_r, N_LOOP_NAMES } loop_name;

typedef struct list_block list_block;
struct formula_tree;

/* What a function was called with: formulas, evaluated where they are used, by those names that the caller has. */
typedef struct local_names {
    const formula_function *function;
    struct formula_tree *tree; /* of the call */
    int first;                 /* the node of its first argument */
    const struct local_names *caller;
    int depth; /* 1 for a call outside functions */
} local_names;

/* All that a formula may name. */
typedef struct scope {
    binding *bindings;
    size_t n_bindings, n_room;
    size_t generation; /* of the bindings: counts their changes, from 1 */
    bool is_set[N_LOOP_NAMES];
    double loop[N_LOOP_NAMES];
    size_t n_g;      /* coordinates that formulas may name: g0, g1, ... */
    const double *g; /* their values; NULL: each stands for itself, and results are linear in one of them */
    size_t n_sizes;
    double sizes[MAX_AXES_NAMED];
    const formula_function *functions; /* that formulas may call; NULL: none but those of functions.c */
    const local_names *locals;         /* of the function that is being evaluated */
    list_block *lists;                 /* owned */
    struct formula_tree *trees;        /* owned: of the texts that were evaluated */
    int depth_read;  /* the least depth of the names that were read: 0 loops and coordinates, then arguments */
    bool is_keeping; /* what is being evaluated will be kept as a whole */
    kept_log kept_log;
    struct trace *trace; /* NULL: formulas are evaluated exactly; else rounding by rounding */
    bool is_nonlinear;   /* evaluation failed because it is not linear in one g */
    bool reads_rows;     /* a name was read that depends on which positions, or how many, there are */
    sinpos_error error;  /* of the evaluation that failed */
} scope;

/* scope.c */
void scope_init(scope *s);
void scope_free(scope *s);
/* Adds or replaces a name; name must live as long as the scope. */
bool scope_bind(scope *s, const char *name, size_t n_name, const value *v);
const value *scope_find(const scope *s, const char *name, size_t n_name);
/* The name depends on the rows. */
void scope_mark(scope *s, const char *name, size_t n_name);
/* Room for a list; NULL without memory. */
double *scope_list(scope *s, size_t n);

/* Evaluates text, all n_text bytes of it. On failure false, and scope.error says why. */
bool formula_value(scope *s, const char *text, size_t n_text, value *out);
bool formula_number(scope *s, const char *text, real *out);
bool formula_double(scope *s, const char *text, double *out);
/* 0 .. 2^53 */
bool formula_size(scope *s, const char *text, size_t *out);
bool formula_true(scope *s, const char *text, bool *out);
bool is_blank(const char *text);
/* Does text name this variable? */
bool formula_names(const char *text, const char *name);
/* functions.c */
bool formula_call(scope *s, const char *name, size_t n_name, value *arguments, size_t n_arguments, value *out);
bool scope_fail(scope *s, sinpos_status status, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* The same about a parameter or another name. */
bool scope_fail_about(scope *s, sinpos_status status, const char *name, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* SINPOS_E_AXES: n_axes are needed. */
bool scope_fail_axes(scope *s, size_t n_axes, const char *format, ...) __attribute__((format(printf, 3, 4)));
