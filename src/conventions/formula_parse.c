/* The grammar of formulas: text to tree. docs/architecture.md, "Formulas". */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "formula_tree.h"

enum { MAX_NESTING = 24, MAX_ARGUMENTS = 6 };

typedef struct parser {
    scope *s;
    formula_tree *tree;
    const char *at, *end;
    int depth, n_room;
} parser;

/* Parsers return the number of their node; 0 on failure. */
static int expression(parser *p);

static int fail(parser *p, const char *what)
{
    scope_fail(p->s, SINPOS_E_SPEC, "%s in the formula '%.*s'", what, (int)(p->end - p->at), p->at);
    return 0;
}

/* A node whose children are `first` and those linked to it. */
static int add(parser *p, node_kind kind, int first)
{
    formula_tree *tree = p->tree;
    if (tree->n_nodes == p->n_room) {
        const int room = p->n_room == 0 ? 16 : 2 * p->n_room;
        node *more = realloc(tree->nodes, (size_t)room * sizeof *more);
        if (more == NULL) {
            scope_fail(p->s, SINPOS_E_MEMORY, "out of memory");
            return 0;
        }
        tree->nodes = more;
        p->n_room = room;
        tree->n_nodes = tree->n_nodes == 0 ? 1 : tree->n_nodes;
    }
    tree->nodes[tree->n_nodes] = (node){.kind = kind, .first = first, .end = p->at};
    return tree->n_nodes++;
}

static node *node_at(const parser *p, int at)
{
    return &p->tree->nodes[at];
}

/* Links `child` behind `last`, or makes it the first of `parent`. */
static void link_child(const parser *p, int parent, int *last, int child)
{
    if (*last == 0)
        node_at(p, parent)->first = child;
    else
        node_at(p, *last)->next = child;
    *last = child;
}

/* ---------------------------------------------------------------------------------------------------------- tokens */

static void blanks(parser *p)
{
    while (p->at < p->end && *p->at <= ' ' && *p->at != '\0' && strchr(" \n\t\r", *p->at) != NULL)
        p->at++;
}

/* The next character that is not a blank; 0 at the end. */
static char next(parser *p)
{
    blanks(p);
    return p->at < p->end ? *p->at : '\0';
}

static bool takes_whole(parser *p, const char *token)
{
    const size_t n = strlen(token);
    if ((size_t)(p->end - p->at) < n || memcmp(p->at, token, n) != 0)
        return false;
    if (isalpha((unsigned char)token[0]) && p->at + n < p->end && (isalnum((unsigned char)p->at[n]) || p->at[n] == '_'))
        return false;
    p->at += n;
    return true;
}

/* Inline: nearly always it is another character. */
static inline bool takes(parser *p, const char *token)
{
    return next(p) == token[0] && takes_whole(p, token);
}

static size_t name_length(const parser *p)
{
    const char *at = p->at;
    while (at < p->end && (isalnum((unsigned char)*at) || *at == '_' || *at == '.'))
        at++;
    return (size_t)(at - p->at);
}

static int word(parser *p, node_kind kind, const char *text, size_t n_text)
{
    const int made = add(p, kind, 0);
    if (made != 0) {
        node_at(p, made)->text = text;
        node_at(p, made)->n_text = n_text;
    }
    return made;
}

/* Decimals are what they say: 0.1 is a tenth. */
static int decimal(parser *p)
{
    double mantissa = 0;
    int digits = 0, scale = 0, exponent = 0;
    for (bool after_point = false; p->at < p->end; p->at++) {
        if (*p->at == '.' && !after_point) {
            after_point = true;
        } else if (isdigit((unsigned char)*p->at)) {
            mantissa = 10 * mantissa + (*p->at - '0');
            digits += mantissa > 0;
            scale += after_point;
        } else {
            break;
        }
    }
    if (p->at + 1 < p->end && (*p->at == 'e' || *p->at == 'E')) {
        const bool is_negative = p->at[1] == '-';
        p->at += 1 + (is_negative || p->at[1] == '+');
        while (p->at < p->end && isdigit((unsigned char)*p->at) && exponent < 400)
            exponent = 10 * exponent + (*p->at++ - '0');
        exponent = is_negative ? -exponent : exponent;
    }
    exponent -= scale;
    if (digits > 15 || abs(exponent) > 22)
        return fail(p, "a number with too many digits");
    const int made = add(p, NODE_NUMBER, 0);
    if (made != 0) {
        node_at(p, made)->num = exponent > 0 ? mantissa * pow(10, exponent) : mantissa;
        node_at(p, made)->den = exponent < 0 ? pow(10, -exponent) : 1;
    }
    return made;
}

static int quoted(parser *p)
{
    const char quote = *p->at++, *start = p->at;
    const char *end = memchr(start, quote, (size_t)(p->end - start));
    if (end == NULL)
        return fail(p, "no closing quotation mark");
    p->at = end + 1;
    return word(p, NODE_TEXT, start, (size_t)(end - start));
}

/* --------------------------------------------------------------------------------------------------------- operands */

/* Expressions between commas as children of parent, up to the closing mark. */
static bool arguments(parser *p, int parent, size_t most, const char *closing, const char *missing)
{
    size_t n = 0;
    int last = 0;
    do {
        if (n++ == most)
            return fail(p, "too many arguments") != 0;
        const int child = expression(p);
        if (child == 0)
            return false;
        link_child(p, parent, &last, child);
    } while (takes(p, ","));
    return takes(p, closing) || fail(p, missing) != 0;
}

static int finished(const parser *p, int made, bool ok)
{
    if (ok)
        node_at(p, made)->end = p->at;
    return ok ? made : 0;
}

static int list_literal(parser *p)
{
    const int made = add(p, NODE_LIST, 0);
    return made == 0 ? 0 : finished(p, made, takes(p, "]") || arguments(p, made, SIZE_MAX, "]", "no closing bracket"));
}

static int primary(parser *p)
{
    blanks(p);
    if (p->at == p->end)
        return fail(p, "something is missing");
    if (isdigit((unsigned char)*p->at) || *p->at == '.')
        return decimal(p);
    if (*p->at == '\'' || *p->at == '"')
        return quoted(p);
    if (takes(p, "(")) {
        const int inner = expression(p);
        return inner == 0 || takes(p, ")") ? inner : fail(p, "no closing parenthesis");
    }
    if (takes(p, "["))
        return list_literal(p);
    const char *name = p->at;
    const size_t n = name_length(p);
    if (n == 0)
        return fail(p, "something unexpected");
    p->at += n;
    if (!takes(p, "("))
        return word(p, NODE_NAME, name, n);
    const int made = word(p, NODE_CALL, name, n);
    return made == 0 ? 0 : finished(p, made, arguments(p, made, MAX_ARGUMENTS, ")", "no closing parenthesis"));
}

static int pair(parser *p, node_kind kind, int left, int right)
{
    if (left == 0 || right == 0)
        return 0;
    node_at(p, left)->next = right;
    return add(p, kind, left);
}

static int postfix(parser *p)
{
    int made = primary(p);
    while (made != 0 && takes(p, "[")) {
        const int index = expression(p);
        if (index != 0 && !takes(p, "]"))
            return fail(p, "no closing bracket");
        made = pair(p, NODE_ITEM, made, index);
    }
    return made;
}

/* -------------------------------------------------------------------------------------------------------- operators */

static bool nested(parser *p)
{
    return ++p->depth <= MAX_NESTING || fail(p, "too much nesting") != 0;
}

static int unary(parser *p);

static int power(parser *p)
{
    const int base = postfix(p);
    return base == 0 || !takes(p, "^") ? base : pair(p, NODE_POWER, base, unary(p));
}

static int unary(parser *p)
{
    if (!takes(p, "-"))
        return power(p);
    if (!nested(p))
        return 0;
    const int operand = unary(p);
    p->depth--;
    return operand == 0 ? 0 : add(p, NODE_NEGATE, operand);
}

typedef int operand_parser(parser *p);

/* One operand, or a chain of them with one of the signs before each further one. */
static int chain_of_signs(parser *p, node_kind kind, const char *signs, operand_parser *operand)
{
    int last = operand(p), made = 0;
    while (last != 0) {
        const char sign = next(p);
        if (sign == '\0' || strchr(signs, sign) == NULL)
            return made == 0 ? last : made;
        p->at++;
        const int right = operand(p);
        if (right == 0 || (made == 0 && (made = add(p, kind, last)) == 0))
            return 0;
        node_at(p, right)->sign = sign;
        node_at(p, right)->end = p->at;
        link_child(p, made, &last, right);
    }
    return 0;
}

static int term(parser *p)
{
    return chain_of_signs(p, NODE_TERM, "*/%", unary);
}

static int sum(parser *p)
{
    return chain_of_signs(p, NODE_SUM, "+-", term);
}

static int comparison(parser *p)
{
    static const char *const operators[] = {"==", "!=", "<=", ">=", "<", ">"};
    const int left = sum(p);
    if (left == 0 || strchr("=!<>", next(p)) == NULL)
        return left;
    for (size_t k = 0; k < sizeof operators / sizeof operators[0]; k++) {
        if (takes(p, operators[k])) {
            const int right = sum(p), made = pair(p, NODE_COMPARE, left, right);
            if (made != 0) {
                node_at(p, right)->sign = operators[k][0];
                node_at(p, right)->is_or_equal = operators[k][1] == '=';
            }
            return made;
        }
    }
    return left;
}

static int negation(parser *p)
{
    if (!takes(p, "not"))
        return comparison(p);
    if (!nested(p))
        return 0;
    const int operand = negation(p);
    p->depth--;
    return operand == 0 ? 0 : add(p, NODE_NOT, operand);
}

static int chain_of_words(parser *p, node_kind kind, const char *between, operand_parser *operand)
{
    int last = operand(p), made = 0;
    while (last != 0 && takes(p, between)) {
        const int right = operand(p);
        if (right == 0 || (made == 0 && (made = add(p, kind, last)) == 0))
            return 0;
        link_child(p, made, &last, right);
    }
    return last == 0 || made == 0 ? last : made;
}

static int conjunction(parser *p)
{
    return chain_of_words(p, NODE_AND, "and", negation);
}

static int expression(parser *p)
{
    if (!nested(p))
        return 0;
    int made = chain_of_words(p, NODE_OR, "or", conjunction);
    if (made != 0 && takes(p, "?")) {
        const int condition = made, yes = expression(p);
        if (yes != 0 && !takes(p, ":"))
            return fail(p, "no ':' after '?'");
        const int no = yes == 0 ? 0 : expression(p);
        if (no == 0)
            return 0;
        node_at(p, condition)->next = yes;
        node_at(p, yes)->next = no;
        made = add(p, NODE_CHOICE, condition);
    }
    p->depth--;
    return made;
}

/* ------------------------------------------------------------------------------------------------------------ trees */

static bool parse(scope *s, formula_tree *tree)
{
    parser p = {.s = s, .tree = tree, .at = tree->text, .end = tree->text + tree->n_text};
    tree->root = expression(&p);
    blanks(&p);
    return tree->root != 0 && (p.at == p.end || fail(&p, "something unexpected") != 0);
}

/* Those that were used last come first. */
static formula_tree *find_tree(scope *s, const char *text, size_t n_text)
{
    for (formula_tree **place = &s->trees; *place != NULL; place = &(*place)->next) {
        formula_tree *tree = *place;
        if (tree->text == text && tree->n_text == n_text && memcmp(tree->copy, text, n_text) == 0) {
            *place = tree->next;
            tree->next = s->trees;
            return s->trees = tree;
        }
    }
    return NULL;
}

formula_tree *formula_tree_of(scope *s, const char *text, size_t n_text)
{
    formula_tree *tree = find_tree(s, text, n_text);
    if (tree != NULL)
        return tree;
    tree = calloc(1, sizeof *tree);
    char *copy = tree == NULL ? NULL : malloc(n_text + 1);
    if (copy == NULL) {
        free(tree);
        scope_fail(s, SINPOS_E_MEMORY, "out of memory");
        return NULL;
    }
    memcpy(copy, text, n_text);
    tree->text = text;
    tree->n_text = n_text;
    tree->copy = copy;
    if (!parse(s, tree)) {
        formula_trees_free(tree);
        return NULL;
    }
    tree->next = s->trees;
    return s->trees = tree;
}
