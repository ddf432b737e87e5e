/* Formulas, evaluated: exactly, or while the scope has a trace rounding by rounding. */
#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "formula_tree.h"
#include "step_program.h"

enum { MAX_ITEMS = 4096, MAX_CALLS = 8 };

/* What is being evaluated, and where in its text. */
typedef struct place {
    scope *s;
    formula_tree *tree;
    const node *at;
} place;

static bool eval(place *p, int at, value *out);
static bool argument(scope *s, const char *name, size_t n, value *out, bool *known);

static bool fail(const place *p, const char *what)
{
    const formula_tree *tree = p->tree;
    return scope_fail(p->s, SINPOS_E_SPEC, "%s in the formula '%.*s'", what,
                      (int)(tree->text + tree->n_text - p->at->end), p->at->end);
}

static const node *child(const place *p, const node *of, int k)
{
    int at = of->first;
    while (k-- > 0)
        at = p->tree->nodes[at].next;
    return &p->tree->nodes[at];
}

/* ------------------------------------------------------------------------------------------------------------ names */

/* "g2" -> 2; -1 where name is not prefix and digits. */
static int numbered(const char *name, size_t n, const char *prefix)
{
    const size_t n_prefix = strlen(prefix);
    int number = 0;
    if (n <= n_prefix || n > n_prefix + 2 || memcmp(name, prefix, n_prefix) != 0)
        return -1;
    for (size_t k = n_prefix; k < n; k++) {
        if (!isdigit((unsigned char)name[k]))
            return -1;
        number = 10 * number + (name[k] - '0');
    }
    return number;
}

static bool coordinate(scope *s, int k, value *out)
{
    if ((size_t)k >= s->n_g) {
        return scope_fail_axes(s, (size_t)k + 1, "the positions have %zu coordinates, too few for this convention",
                               s->n_g);
    }
    if (s->g != NULL) {
        value_number(out, s->g[k]);
        return true;
    }
    value_number(out, 0);
    out->g = k;
    real_set(&out->slope, 1);
    return true;
}

static bool variable(scope *s, const char *name, size_t n, value *out)
{
    static const char letters[] = "ianAcr";
    const char *letter = n == 1 ? strchr(letters, name[0]) : NULL;
    bool is_argument;
    const bool ok = argument(s, name, n, out, &is_argument);
    if (is_argument)
        return ok;
    if (s->trace != NULL && trace_variable(s, name, n, out))
        return true;
    const int g = numbered(name, n, "g"), size = numbered(name, n, "size");
    const binding *bound = NULL;
    if (letter != NULL || g >= 0 || size >= 0)
        s->depth_read = 0;
    if (letter != NULL && s->is_set[letter - letters]) {
        value_number(out, s->loop[letter - letters]);
    } else if ((bound = scope_binding(s, name, n)) != NULL) {
        *out = bound->v;
        s->reads_rows = s->reads_rows || bound->is_of_rows;
    } else if (g >= 0 && s->n_g > 0) {
        return coordinate(s, g, out);
    } else if (size >= 0 && (size_t)size < s->n_sizes) {
        value_number(out, s->sizes[size]);
        s->reads_rows = true;
    } else if (n == 2 && memcmp(name, "pi", 2) == 0) {
        value_number(out, 0);
        real_pi(&out->number);
    } else if (n == 4 && (memcmp(name, "null", 4) == 0 || memcmp(name, "true", 4) == 0)) {
        value_number(out, 1);
        out->kind = name[0] == 'n' ? VALUE_NULL : VALUE_NUMBER;
    } else if (n == 5 && memcmp(name, "false", 5) == 0) {
        value_number(out, 0);
    } else {
        return scope_fail(s, SINPOS_E_SPEC, "nothing has the name '%.*s'", (int)n, name);
    }
    return true;
}

/* --------------------------------------------------------------------------------------------- calls, lists and items */

static bool called(scope *s, const char *name, size_t n, value *arguments, size_t n_arguments, value *out)
{
    bool known = false;
    out->type = out->reg = 0;
    if (s->trace == NULL)
        return formula_call(s, name, n, arguments, n_arguments, out);
    return trace_call(s, name, n, arguments, n_arguments, out, &known) &&
           (known || formula_call(s, name, n, arguments, n_arguments, out));
}

static const formula_function *function_named(const scope *s, const char *name, size_t n)
{
    for (const formula_function *f = s->functions; f != NULL && f->name != NULL; f++)
        if (strlen(f->name) == n && memcmp(f->name, name, n) == 0)
            return f;
    return NULL;
}

static bool eval_tree(scope *s, formula_tree *tree, int at, const local_names *locals, value *out)
{
    const local_names *outer = s->locals;
    place p = {.s = s, .tree = tree};
    s->locals = locals;
    const bool ok = tree != NULL && eval(&p, at == 0 ? tree->root : at, out);
    s->locals = outer;
    return ok;
}

/* An argument of the function that is being evaluated. */
static bool argument(scope *s, const char *name, size_t n, value *out, bool *known)
{
    const local_names *own = s->locals;
    int at = own == NULL ? 0 : own->first;
    *known = false;
    for (size_t k = 0; at != 0 && !*known; k++) {
        const char *const word = own->function->arguments[k];
        *known = strlen(word) == n && memcmp(word, name, n) == 0;
        at = *known ? at : own->tree->nodes[at].next;
    }
    if (!*known)
        return true;
    s->depth_read = own->depth < s->depth_read ? own->depth : s->depth_read;
    return eval_tree(s, own->tree, at, own->caller, out);
}

static size_t count_arguments(const place *p, const node *n)
{
    size_t count = 0;
    for (int at = n->first; at != 0; at = p->tree->nodes[at].next)
        count++;
    return count;
}

static bool apply(place *p, const node *n, const formula_function *f, value *out)
{
    scope *s = p->s;
    const local_names own = {f, p->tree, n->first, s->locals, s->locals == NULL ? 1 : s->locals->depth + 1};
    if (count_arguments(p, n) != f->n_arguments || own.depth > MAX_CALLS)
        return scope_fail(s, SINPOS_E_SPEC, "%s() is called wrongly, or too deep", f->name);
    return eval_tree(s, formula_tree_of(s, f->body, strlen(f->body)), 0, &own, out);
}

static bool call(place *p, const node *n, value *out)
{
    const formula_function *own = function_named(p->s, n->text, n->n_text);
    if (own != NULL)
        return apply(p, n, own, out);
    const size_t n_arguments = count_arguments(p, n);
    size_t k = 0;
    value *arguments = calloc(n_arguments + 1, sizeof *arguments);
    bool ok = arguments != NULL || scope_fail(p->s, SINPOS_E_MEMORY, "out of memory");
    for (int at = n->first; at != 0 && ok; at = p->tree->nodes[at].next)
        ok = eval(p, at, &arguments[k++]);
    ok = ok && called(p->s, n->text, n->n_text, arguments, n_arguments, out);
    free(arguments);
    return ok;
}

/* An item of a list, of one shape with those before it. */
static bool add_item(const place *p, const value *item, value *list, double *items, size_t *n_all)
{
    const size_t n_items = item->kind == VALUE_LIST ? value_items(item) : 1;
    const bool is_deep = item->kind == VALUE_LIST && item->n_dims > 3;
    if (*n_all + n_items > MAX_ITEMS || item->kind == VALUE_NULL || item->kind == VALUE_TEXT || is_deep)
        return fail(p, "what is not a list of numbers");
    if (item->kind == VALUE_LIST) {
        memcpy(items + *n_all, item->items, n_items * sizeof *items);
        list->n_dims = item->n_dims + 1;
        memcpy(list->shape + 1, item->shape, item->n_dims * sizeof *item->shape);
    } else {
        items[*n_all] = real_to_double(&item->number);
    }
    *n_all += n_items;
    list->shape[0]++;
    return true;
}

/* [a, b, c] of numbers, or of lists of one shape. */
static bool list_literal(place *p, const node *n, value *out)
{
    double *items = scope_list(p->s, MAX_ITEMS);
    size_t n_all = 0;
    value item = {0};
    *out = (value){.kind = VALUE_LIST, .g = -1, .items = items, .n_dims = 1};
    if (items == NULL)
        return scope_fail(p->s, SINPOS_E_MEMORY, "out of memory");
    for (int at = n->first; at != 0; at = p->tree->nodes[at].next) {
        if (!eval(p, at, &item))
            return false;
        p->at = &p->tree->nodes[at];
        if (!add_item(p, &item, out, items, &n_all))
            return false;
    }
    p->at = n;
    return value_items(out) == n_all || fail(p, "a ragged list");
}

static bool nonlinear(place *p)
{
    p->s->is_nonlinear = true;
    return fail(p, "a coordinate that does not enter linearly");
}

/* list[k]: a number, or a list of one dimension less. */
static bool item_of(place *p, value *list, const value *index)
{
    double k;
    if (list->kind == VALUE_LIST && index->kind == VALUE_NUMBER && index->g >= 0)
        return nonlinear(p);
    if (list->kind != VALUE_LIST || index->kind != VALUE_NUMBER || index->reg != 0 ||
        !real_is_double(&index->number, &k))
        return fail(p, "an index of what is not a list");
    if (!(k >= 0 && k < (double)list->shape[0] && k == floor(k))) {
        return scope_fail(p->s, SINPOS_E_VALUE, "a list has %zu items, and item %g (from 0) is needed", list->shape[0],
                          k);
    }
    if (list->n_dims == 1) {
        value_number(list, list->items[(size_t)k]);
        return true;
    }
    list->items += value_items(list) / list->shape[0] * (size_t)k;
    list->n_dims--;
    memmove(list->shape, list->shape + 1, list->n_dims * sizeof *list->shape);
    return true;
}

/* ------------------------------------------------------------------------------------------------------ arithmetic */

static bool needs_numbers(place *p, const value *a, const value *b)
{
    if (a->kind == VALUE_NUMBER && b->kind == VALUE_NUMBER)
        return true;
    const bool has_null = a->kind == VALUE_NULL || b->kind == VALUE_NULL;
    return fail(p, has_null ? "arithmetic with null" : "arithmetic with what is not a number");
}

/* On a coordinate, so that its value is not known yet. */
static bool depends(const value *v)
{
    return v->kind == VALUE_NUMBER && (v->g >= 0 || v->reg != 0);
}

static void negate(value *v)
{
    real_negate(&v->number);
    if (v->g >= 0)
        real_negate(&v->slope);
}

static bool sum_of(place *p, value *a, value *b, bool minus)
{
    if (!needs_numbers(p, a, b))
        return false;
    if (p->s->trace != NULL)
        return trace_binary(p->s, minus ? '-' : '+', a, b);
    if (minus)
        negate(b);
    real_add(&a->number, &a->number, &b->number);
    if (b->g >= 0 && a->g >= 0) {
        if (a->g != b->g)
            return nonlinear(p);
        real_add(&a->slope, &a->slope, &b->slope);
    } else if (b->g >= 0) {
        a->g = b->g;
        a->slope = b->slope;
    }
    return true;
}

static bool product_of(place *p, value *a, value *b)
{
    if (!needs_numbers(p, a, b))
        return false;
    if (p->s->trace != NULL)
        return trace_binary(p->s, '*', a, b);
    if (a->g >= 0 && b->g >= 0)
        return nonlinear(p);
    if (a->g >= 0) {
        real_multiply(&a->slope, &a->slope, &b->number);
    } else if (b->g >= 0) {
        real_multiply(&a->slope, &b->slope, &a->number);
        a->g = b->g;
    }
    real_multiply(&a->number, &a->number, &b->number);
    return true;
}

static bool quotient_of(place *p, value *a, const value *b)
{
    if (!needs_numbers(p, a, b))
        return false;
    if (p->s->trace != NULL)
        return trace_binary(p->s, '/', a, b);
    if (b->g >= 0)
        return nonlinear(p);
    if (!real_divide(&a->number, &a->number, &b->number) ||
        (a->g >= 0 && !real_divide(&a->slope, &a->slope, &b->number))) {
        return scope_fail(p->s, SINPOS_E_VALUE,
                          "these parameters divide by zero: the source fails or returns NaN with them");
    }
    return true;
}

static bool remainder_of(place *p, value *a, const value *b)
{
    real whole;
    if (!needs_numbers(p, a, b))
        return false;
    if (p->s->trace != NULL)
        return trace_binary(p->s, '%', a, b);
    if (a->g >= 0 || b->g >= 0)
        return nonlinear(p);
    if (!real_divide(&whole, &a->number, &b->number))
        return scope_fail(p->s, SINPOS_E_VALUE, "these parameters divide by zero");
    real_floor(&whole, &whole);
    real_multiply(&whole, &whole, &b->number);
    real_subtract(&a->number, &a->number, &whole);
    return true;
}

static bool power_of(place *p, value *a, const value *b)
{
    if (!needs_numbers(p, a, b))
        return false;
    if (p->s->trace != NULL)
        return trace_binary(p->s, '^', a, b);
    if (a->g >= 0 || b->g >= 0)
        return nonlinear(p);
    return real_power(&a->number, &a->number, &b->number, &p->s->kept_log) ||
           scope_fail(p->s, SINPOS_E_VALUE, "these parameters ask for a power that is not a real number");
}

/* Factors, or terms: each but the first with its sign. */
static bool chain_of_signs(place *p, const node *n, value *out)
{
    value right;
    if (!eval(p, n->first, out))
        return false;
    for (int at = child(p, n, 0)->next; at != 0; at = p->tree->nodes[at].next) {
        const node *own = &p->tree->nodes[at];
        if (!eval(p, at, &right))
            return false;
        p->at = own;
        if (!(own->sign == '*'   ? product_of(p, out, &right)
              : own->sign == '/' ? quotient_of(p, out, &right)
              : own->sign == '%' ? remainder_of(p, out, &right)
                                 : sum_of(p, out, &right, own->sign == '-')))
            return false;
    }
    return true;
}

static bool negated(place *p, const node *n, value *out)
{
    if (!eval(p, n->first, out))
        return false;
    p->at = n;
    if (out->kind != VALUE_NUMBER)
        return fail(p, "a minus before what is not a number");
    if (p->s->trace != NULL)
        return trace_negate(p->s, out);
    negate(out);
    return true;
}

static bool two_operands(place *p, const node *n, value *left, value *right)
{
    const bool ok = eval(p, n->first, left) && eval(p, child(p, n, 0)->next, right);
    p->at = n;
    return ok;
}

static bool item(place *p, const node *n, value *out)
{
    value index;
    return two_operands(p, n, out, &index) && item_of(p, out, &index);
}

static bool power(place *p, const node *n, value *out)
{
    value exponent;
    return two_operands(p, n, out, &exponent) && power_of(p, out, &exponent);
}

/* ----------------------------------------------------------------------------------------------------------- logic */

static bool equal(const value *a, const value *b)
{
    if (a->kind != b->kind)
        return false;
    switch (a->kind) {
    case VALUE_NULL: return true;
    case VALUE_NUMBER: return real_compare(&a->number, &b->number) == 0;
    case VALUE_TEXT: return a->n_text == b->n_text && memcmp(a->text, b->text, a->n_text) == 0;
    case VALUE_LIST: break;
    }
    const size_t n = value_items(a);
    return a->n_dims == b->n_dims && memcmp(a->shape, b->shape, a->n_dims * sizeof *a->shape) == 0 &&
           (n == 0 || memcmp(a->items, b->items, n * sizeof *a->items) == 0);
}

static bool compare(place *p, const node *n, value *a)
{
    value b;
    bool result;
    const node *right = child(p, n, 1);
    if (!two_operands(p, n, a, &b))
        return false;
    if (depends(a) || depends(&b))
        return nonlinear(p);
    if (right->sign == '=' || right->sign == '!') {
        result = equal(a, &b) == (right->sign == '=');
    } else if (!needs_numbers(p, a, &b)) {
        return false;
    } else {
        const int order = real_compare(&a->number, &b.number);
        result = (order == 0 && right->is_or_equal) || (right->sign == '<' ? order < 0 : order > 0);
    }
    value_number(a, result);
    return true;
}

/* Is its value, in this generation, the one that eval() kept? */
static bool is_kept(const scope *s, const node *n)
{
    return s->trace == NULL && n->kept_in == s->generation;
}

static bool is_truth(const value *v)
{
    return v->kind == VALUE_LIST || (v->kind == VALUE_TEXT && v->n_text > 0) ||
           (v->kind == VALUE_NUMBER && real_sign(&v->number) != 0);
}

static bool truth_of(place *p, int at, value *v, bool *result)
{
    const node *n = &p->tree->nodes[at];
    if (is_kept(p->s, n)) {
        *result = is_truth(n->kept);
        p->s->reads_rows = p->s->reads_rows || n->kept_reads_rows;
        return true;
    }
    if (!eval(p, at, v))
        return false;
    p->at = n;
    if (depends(v))
        return nonlinear(p);
    *result = is_truth(v);
    return true;
}

static bool opposite(place *p, const node *n, value *out)
{
    bool is_true = false;
    if (!truth_of(p, n->first, out, &is_true))
        return false;
    value_number(out, !is_true);
    return true;
}

/* `and` ends at the first that is false, `or` at the first that is true. */
static bool chain_of_words(place *p, const node *n, value *out)
{
    bool is_true = false;
    for (int at = n->first; at != 0; at = p->tree->nodes[at].next) {
        if (!truth_of(p, at, out, &is_true))
            return false;
        if (is_true == (n->kind == NODE_OR))
            break;
    }
    value_number(out, is_true);
    return true;
}

static bool choice(place *p, const node *n, value *out)
{
    bool is_true = false;
    return truth_of(p, n->first, out, &is_true) && eval(p, child(p, n, is_true ? 0 : 1)->next, out);
}

/* ----------------------------------------------------------------------------------------------------------- results */

static bool eval_node(place *p, const node *n, value *out)
{
    switch (n->kind) {
    case NODE_NUMBER:
        value_number(out, 0);
        real_set_ratio(&out->number, n->num, n->den);
        return true;
    case NODE_TEXT: *out = (value){.kind = VALUE_TEXT, .g = -1, .text = n->text, .n_text = n->n_text}; return true;
    case NODE_NAME: return variable(p->s, n->text, n->n_text, out);
    case NODE_CALL: return call(p, n, out);
    case NODE_LIST: return list_literal(p, n, out);
    case NODE_ITEM: return item(p, n, out);
    case NODE_NEGATE: return negated(p, n, out);
    case NODE_POWER: return power(p, n, out);
    case NODE_TERM:
    case NODE_SUM: return chain_of_signs(p, n, out);
    case NODE_COMPARE: return compare(p, n, out);
    case NODE_NOT: return opposite(p, n, out);
    case NODE_AND:
    case NODE_OR: return chain_of_words(p, n, out);
    case NODE_CHOICE: return choice(p, n, out);
    }
    return false;
}

static bool keep(scope *s, node *n, const value *v)
{
    n->kept = n->kept != NULL ? n->kept : malloc(sizeof *n->kept);
    if (n->kept == NULL)
        return scope_fail(s, SINPOS_E_MEMORY, "out of memory");
    *n->kept = *v;
    n->kept_reads_rows = s->reads_rows;
    n->kept_in = s->generation;
    return true;
}

/*
 * What reads neither loops nor coordinates, nor arguments of the function it stands in, is the same until the names change. The
 * second time it is kept: most formulas are evaluated once.
 */
static bool eval(place *p, int at, value *out)
{
    scope *s = p->s;
    node *n = &p->tree->nodes[at];
    p->at = n;
    if (s->trace != NULL || n->kind == NODE_NUMBER || n->kind == NODE_TEXT)
        return eval_node(p, n, out);
    if (is_kept(s, n)) {
        *out = *n->kept;
        s->reads_rows = s->reads_rows || n->kept_reads_rows;
        return true;
    }
    const bool read_rows = s->reads_rows, will_keep = n->steady_in == s->generation && !s->is_keeping;
    const int depth = s->locals == NULL ? 0 : s->locals->depth, depth_read = s->depth_read;
    s->depth_read = INT_MAX;
    s->reads_rows = false;
    s->is_keeping = s->is_keeping || will_keep;
    bool ok = eval_node(p, n, out);
    s->is_keeping = s->is_keeping && !will_keep;
    if (ok && s->depth_read > depth) {
        n->steady_in = s->generation;
        ok = !will_keep || keep(s, n, out);
    }
    s->reads_rows = s->reads_rows || read_rows;
    s->depth_read = depth_read < s->depth_read ? depth_read : s->depth_read;
    return ok;
}

bool formula_value(scope *s, const char *text, size_t n_text, value *out)
{
    s->is_nonlinear = false;
    out->g = -1;
    place p = {.s = s, .tree = formula_tree_of(s, text, n_text)};
    return p.tree != NULL && eval(&p, p.tree->root, out);
}

bool formula_number(scope *s, const char *text, real *out)
{
    value v;
    if (!formula_value(s, text, strlen(text), &v))
        return false;
    if (v.kind != VALUE_NUMBER || v.g >= 0)
        return scope_fail(s, SINPOS_E_VALUE, "the formula '%s' gives no number with these parameters", text);
    *out = v.number;
    return true;
}

bool formula_double(scope *s, const char *text, double *out)
{
    real number;
    if (!formula_number(s, text, &number))
        return false;
    *out = real_to_double(&number);
    return true;
}

bool formula_size(scope *s, const char *text, size_t *out)
{
    double x;
    if (!formula_double(s, text, &x))
        return false;
    if (!(x >= 0 && x < 0x1p53 && x == floor(x)))
        return scope_fail(s, SINPOS_E_VALUE, "'%s' must be a whole number and not negative; it is %.15g", text, x);
    *out = (size_t)x;
    return true;
}

bool formula_true(scope *s, const char *text, bool *out)
{
    value v;
    if (!formula_value(s, text, strlen(text), &v))
        return false;
    *out = is_truth(&v);
    return true;
}

bool is_blank(const char *text)
{
    return text == NULL || text[0] == '\0';
}

static bool is_of_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '.';
}

bool formula_names(const char *text, const char *name)
{
    const size_t n = strlen(name);
    for (const char *at = text == NULL ? NULL : strstr(text, name); at != NULL; at = strstr(at + 1, name))
        if ((at == text || !is_of_word(at[-1])) && !is_of_word(at[n]))
            return true;
    return false;
}
