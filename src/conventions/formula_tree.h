/* Formulas, parsed: what both ways of evaluating them walk. */
#pragma once

#include "formula.h"

typedef enum node_kind {
    NODE_NUMBER,
    NODE_TEXT,
    NODE_NAME,
    NODE_CALL,    /* of a function: arguments */
    NODE_LIST,    /* items */
    NODE_ITEM,    /* list, index */
    NODE_NEGATE,  /* one operand */
    NODE_POWER,   /* base, exponent */
    NODE_TERM,    /* factors; each but the first has the sign before it: * / % */
    NODE_SUM,     /* terms, with + - */
    NODE_COMPARE, /* two operands; the second has the first character of == != <= >= < >, and is_or_equal */
    NODE_NOT,
    NODE_AND, /* two or more operands */
    NODE_OR,
    NODE_CHOICE /* condition, value, other value */
} node_kind;

/* Children are linked: the first is `first`, those after it `next` of the one before. 0: none. */
typedef struct node {
    node_kind kind;
    char sign;
    bool is_or_equal;
    int first, next;
    const char *text; /* NODE_TEXT, NODE_NAME, NODE_CALL: the word; NODE_NUMBER: none */
    size_t n_text;
    double num, den; /* NODE_NUMBER */
    const char *end; /* of what was read when the node was complete: the place that complaints name */
    /* What no loop, coordinate or argument entered, of the scope as it was in these generations; 0: none. formula.c */
    size_t steady_in, kept_in;
    bool kept_reads_rows;
    value *kept; /* owned; NULL until the first is kept */
} node;

typedef struct formula_tree {
    struct formula_tree *next;
    const char *text; /* the caller's, to which nodes point */
    char *copy;       /* of it, n_text bytes: a text may change where it lies */
    size_t n_text;
    node *nodes; /* nodes[0] is not used */
    int n_nodes, root;
} formula_tree;

/* The tree of a text, parsed once for each scope; NULL on failure, and scope.error says why. formula_parse.c */
formula_tree *formula_tree_of(scope *s, const char *text, size_t n_text);

/* scope.c */
void formula_trees_free(formula_tree *trees);
/* NULL: nothing has that name. */
binding *scope_binding(const scope *s, const char *name, size_t n_name);
