/* generated.h - seeded arrays: an encoding with no, one or two changes, or none at all, and what is right to say of it. */
#ifndef SINPOS_TESTS_GENERATED_H
#define SINPOS_TESTS_GENERATED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "random.h"
#include "sinpos_analysis.h"
#include "sinpos_conventions.h"

/* --------------------------------------------------------------------------------------------------- arrays */

enum { MOST_DIMS = SINPOS_MAX_ENCODING_DIMS };

/* n rows of dim columns; an array of more dimensions has its own shape. */
typedef struct array {
    char *data;
    size_t n, dim, size; /* size: bytes of an element */
    sinpos_type type;
    size_t n_dims, shape[MOST_DIMS];
    bool *is_other; /* (n, dim) elements that no part of the array makes: noise, corrupted ones */
} array;

array array_make(size_t n, size_t dim, sinpos_type type);
void array_free(array *a);
double array_get(const array *a, size_t row, size_t column);
/* Rounds once. */
void array_put(const array *a, size_t row, size_t column, double x);
/* Element k as bits of the type, nearest to x. */
uint64_t bits_of(double x, sinpos_type type);
bool array_is_same(const array *a, const array *b);

/* -------------------------------------------------------------------------------------------------- sources */

/* A value of a convention's parameter. */
typedef struct setting {
    const char *name;
    enum { SET_NUMBER, SET_FLAG, SET_WORD, SET_LIST } kind;
    double number;
    const char *word;
    double *list;
    size_t n_dims, shape[2];
} setting;

enum { MOST_SETTINGS = 32 };

/* What makes the table before anything is done to it: the general formula, or a convention. */
typedef struct source {
    const char *convention; /* NULL: the formula */
    setting settings[MOST_SETTINGS];
    size_t n_settings;
    sinpos_spec spec;
    double *theta; /* of a list */
    int64_t start;
    size_t n;
    const char *arithmetic; /* NULL: exact */
    sinpos_type type;
} source;

/* As somebody writes it: few digits, or as many as a double has. */
double draw_number(random_state *r, double low, double high);
source draw_formula(random_state *r);
/* A convention with values that it takes. */
source draw_convention(random_state *r, size_t which);
void source_free(source *s);
/* The table; with `meant` each element rounded once, whatever the arithmetic. The base is multiplied by `nudge`. */
bool source_make(array *out, const source *s, bool meant, double nudge);
/* Does another base make other elements? False also where there is none. */
bool source_has_base(const source *s);
void source_print(const source *s, char *text, size_t room);

/* -------------------------------------------------------------------------------------------------- changes */

typedef struct change {
    const char *name;
    const char *findings; /* one of them is due; NULL: none need be */
    int stage;            /* 0: to the source; 1: elements; 2: columns; 3: what stands beside or below */
    bool (*of_source)(source *s, random_state *r);
    void (*of_array)(array *a, random_state *r);
} change;

extern const change changes[];
extern const size_t n_changes;

enum { MOST_CHANGES = 2 };

typedef struct drawn {
    source source;
    const change *changes[MOST_CHANGES]; /* by stage */
    size_t n_changes;
    uint64_t seed;  /* of what is done to the array */
    double dropped; /* part of the elements */
} drawn;

/* Seed and case give the array: from the formula or the catalogue, with so many changes; SIZE_MAX draws these. */
drawn draw_array(uint64_t seed, size_t k, const char *from, const char *changed);
void drawn_free(drawn *d);
bool drawn_make(array *out, const drawn *d, bool meant, double nudge);
/* As it is, without one of its changes. */
bool drawn_make_without(array *out, const drawn *d, size_t which);
bool is_changed(const drawn *d, const char *name);

/* -------------------------------------------------------------------------------------------------- verdicts */

typedef enum verdict { RIGHT, ABSTAINED, OPEN, WRONG } verdict;

/* Does the nearest alternative, a base that is 0.1 % larger, make other elements? True also where there is no base. */
bool drawn_differs(const drawn *d, const array *a);
/* *why: a few words. OPEN: it abstains, and the nearest alternative makes the same elements. */
verdict judge(const drawn *d, const array *a, const sinpos_identity *found, const char **why);

#endif
