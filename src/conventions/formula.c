#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace.h"

enum { MAX_NESTING = 24, MAX_ARGUMENTS = 4 };

struct list_block {
    list_block *next;
    double items[];
};

/* ---------------------------------------------------------------------------------------------------------- scope */

void scope_init(scope *s)
{
    memset(s, 0, sizeof *s);
    s->error = (sinpos_error)SINPOS_ERROR_INIT;
}

void scope_free(scope *s)
{
    while (s->lists != NULL) {
        list_block *next = s->lists->next;
        free(s->lists);
        s->lists = next;
    }
    free(s->bindings);
    memset(s, 0, sizeof *s);
    s->error = (sinpos_error)SINPOS_ERROR_INIT;
}

__attribute__((format(printf, 4, 0))) static void put_error(scope *s, sinpos_status status, const char *name,
                                                            const char *format, va_list arguments)
{
    s->error = (sinpos_error)SINPOS_ERROR_INIT;
    s->error.status = status;
    snprintf(s->error.name, sizeof s->error.name, "%s", name);
    vsnprintf(s->error.message, sizeof s->error.message, format, arguments);
}

bool scope_fail(scope *s, sinpos_status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    put_error(s, status, "", format, arguments);
    va_end(arguments);
    return false;
}

bool scope_fail_about(scope *s, sinpos_status status, const char *name, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    put_error(s, status, name, format, arguments);
    va_end(arguments);
    return false;
}

bool scope_fail_axes(scope *s, size_t n_axes, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    put_error(s, SINPOS_E_AXES, "", format, arguments);
    va_end(arguments);
    s->error.n_axes = n_axes;
    return false;
}

double *scope_list(scope *s, size_t n)
{
    if (n > (SIZE_MAX - sizeof(list_block)) / sizeof(double)) {
        return NULL;
    }
    list_block *block = malloc(sizeof *block + n * sizeof(double) + 1);
    if (block == NULL) {
        return NULL;
    }
    block->next = s->lists;
    s->lists = block;
    return block->items;
}

size_t value_items(const value *list)
{
    size_t n = 1;
    for (size_t k = 0; k < list->n_dims; k++) {
        n *= list->shape[k];
    }
    return n;
}

static binding *find_binding(const scope *s, const char *name, size_t n_name)
{
    for (size_t k = s->n_bindings; k-- > 0;) {
        const binding *one = &s->bindings[k];
        if (one->n_name == n_name && one->name[0] == name[0] && memcmp(one->name, name, n_name) == 0) {
            return &s->bindings[k];
        }
    }
    return NULL;
}

const value *scope_find(const scope *s, const char *name, size_t n_name)
{
    const binding *found = find_binding(s, name, n_name);
    return found == NULL ? NULL : &found->v;
}

void scope_mark(scope *s, const char *name, size_t n_name)
{
    binding *found = find_binding(s, name, n_name);
    if (found != NULL) {
        found->is_of_rows = true;
    }
}

bool scope_bind(scope *s, const char *name, size_t n_name, const value *v)
{
    binding *place = find_binding(s, name, n_name);
    if (place == NULL) {
        if (s->n_bindings == s->n_room) {
            const size_t room = s->n_room == 0 ? 32 : 2 * s->n_room;
            binding *more = realloc(s->bindings, room * sizeof *more);
            if (more == NULL) {
                return scope_fail(s, SINPOS_E_MEMORY, "out of memory");
            }
            s->bindings = more;
            s->n_room = room;
        }
        place = &s->bindings[s->n_bindings++];
    }
    *place = (binding){.name = name, .n_name = n_name, .v = *v};
    return true;
}

/* --------------------------------------------------------------------------------------------------------- parsing */

typedef struct parser {
    scope *s;
    const char *at, *end;
    int depth;
    bool skips; /* the text is passed over: a branch not taken */
} parser;

static bool expression(parser *p, value *out);

static bool fail(parser *p, const char *what)
{
    return scope_fail(p->s, SINPOS_E_SPEC, "%s in the formula '%.*s'", what, (int)(p->end - p->at), p->at);
}

static void blanks(parser *p)
{
    while (p->at < p->end && (*p->at == ' ' || *p->at == '\n' || *p->at == '\t' || *p->at == '\r')) {
        p->at++;
    }
}

/* The next character that is no blank; 0 at the end. */
static char next(parser *p)
{
    blanks(p);
    return p->at < p->end ? *p->at : '\0';
}

static bool takes(parser *p, const char *token)
{
    if (next(p) != token[0]) { /* nearly always */
        return false;
    }
    const size_t n = strlen(token);
    if ((size_t)(p->end - p->at) < n || memcmp(p->at, token, n) != 0) {
        return false;
    }
    if (isalpha((unsigned char)token[0]) && p->at + n < p->end &&
        (isalnum((unsigned char)p->at[n]) || p->at[n] == '_')) {
        return false;
    }
    p->at += n;
    return true;
}

static void set_number(value *v, double x)
{
    v->kind = VALUE_NUMBER;
    v->g = -1;
    v->type = v->reg = 0;
    real_set(&v->number, x);
}

/* Decimals are what they say: 0.1 is a tenth. */
static bool decimal(parser *p, value *out)
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
        while (p->at < p->end && isdigit((unsigned char)*p->at) && exponent < 400) {
            exponent = 10 * exponent + (*p->at++ - '0');
        }
        exponent = is_negative ? -exponent : exponent;
    }
    exponent -= scale;
    if (digits > 15 || abs(exponent) > 22) {
        return fail(p, "a number with too many digits");
    }
    set_number(out, 0);
    real_set_ratio(&out->number, exponent > 0 ? mantissa * pow(10, exponent) : mantissa,
                   exponent < 0 ? pow(10, -exponent) : 1);
    return true;
}

static size_t name_length(const parser *p)
{
    const char *at = p->at;
    while (at < p->end && (isalnum((unsigned char)*at) || *at == '_' || *at == '.')) {
        at++;
    }
    return (size_t)(at - p->at);
}

/* "g2" -> 2; -1 where name is not prefix and digits. */
static int numbered(const char *name, size_t n, const char *prefix)
{
    const size_t n_prefix = strlen(prefix);
    int number = 0;
    if (n <= n_prefix || n > n_prefix + 2 || memcmp(name, prefix, n_prefix) != 0) {
        return -1;
    }
    for (size_t k = n_prefix; k < n; k++) {
        if (!isdigit((unsigned char)name[k])) {
            return -1;
        }
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
        set_number(out, s->g[k]);
        return true;
    }
    set_number(out, 0);
    out->g = k;
    real_set(&out->slope, 1);
    return true;
}

static bool variable(parser *p, const char *name, size_t n, value *out)
{
    static const char letters[] = "ianAcr";
    scope *s = p->s;
    const binding *bound = find_binding(s, name, n);
    const char *letter = n == 1 ? strchr(letters, name[0]) : NULL;
    if (s->trace != NULL && trace_variable(s, name, n, out)) {
        return true;
    }
    const int g = numbered(name, n, "g"), size = numbered(name, n, "size");
    if (letter != NULL && s->is_set[letter - letters]) {
        set_number(out, s->loop[letter - letters]);
    } else if (bound != NULL) {
        *out = bound->v;
        s->reads_rows = s->reads_rows || bound->is_of_rows;
    } else if (g >= 0 && s->n_g > 0) {
        return coordinate(s, g, out);
    } else if (size >= 0 && (size_t)size < s->n_sizes) {
        set_number(out, s->sizes[size]);
        s->reads_rows = true;
    } else if (n == 2 && memcmp(name, "pi", 2) == 0) {
        set_number(out, 0);
        real_pi(&out->number);
    } else if (n == 4 && (memcmp(name, "null", 4) == 0 || memcmp(name, "true", 4) == 0)) {
        set_number(out, 1);
        out->kind = name[0] == 'n' ? VALUE_NULL : VALUE_NUMBER;
    } else if (n == 5 && memcmp(name, "false", 5) == 0) {
        set_number(out, 0);
    } else {
        return scope_fail(s, SINPOS_E_SPEC, "nothing has the name '%.*s'", (int)n, name);
    }
    return true;
}

static bool called(scope *s, const char *name, size_t n, value *arguments, size_t n_arguments, value *out)
{
    bool known = false;
    out->type = out->reg = 0;
    if (s->trace == NULL) {
        return formula_call(s, name, n, arguments, n_arguments, out);
    }
    return trace_call(s, name, n, arguments, n_arguments, out, &known) &&
           (known || formula_call(s, name, n, arguments, n_arguments, out));
}

static bool call(parser *p, const char *name, size_t n, value *out)
{
    value *arguments = calloc(MAX_ARGUMENTS, sizeof *arguments);
    size_t n_arguments = 0;
    bool ok = arguments != NULL;
    if (!ok) {
        return scope_fail(p->s, SINPOS_E_MEMORY, "out of memory");
    }
    do {
        if (n_arguments == MAX_ARGUMENTS) {
            ok = fail(p, "too many arguments");
        } else {
            ok = expression(p, &arguments[n_arguments++]);
        }
    } while (ok && takes(p, ","));
    ok = ok && (takes(p, ")") || fail(p, "no closing parenthesis"));
    ok = ok && (p->skips || called(p->s, name, n, arguments, n_arguments, out));
    free(arguments);
    return ok;
}

/* [a, b, c] of numbers, or of lists of one shape. */
static bool list_literal(parser *p, value *out)
{
    const size_t room = 4096;
    double *items = p->skips ? NULL : scope_list(p->s, room);
    size_t n = 0, n_all = 0;
    value item = {0};
    *out = (value){.kind = VALUE_LIST, .g = -1, .items = items, .n_dims = 1};
    if (items == NULL && !p->skips) {
        return scope_fail(p->s, SINPOS_E_MEMORY, "out of memory");
    }
    if (takes(p, "]")) {
        return true;
    }
    do {
        if (!expression(p, &item)) {
            return false;
        }
        if (p->skips) {
            continue;
        }
        const size_t n_items = item.kind == VALUE_LIST ? value_items(&item) : 1;
        const bool is_deep = item.kind == VALUE_LIST && item.n_dims > 3;
        if (n_all + n_items > room || item.kind == VALUE_NULL || item.kind == VALUE_TEXT || is_deep) {
            return fail(p, "what is no list of numbers");
        }
        if (item.kind == VALUE_LIST) {
            memcpy(items + n_all, item.items, n_items * sizeof *items);
            out->n_dims = item.n_dims + 1;
            memcpy(out->shape + 1, item.shape, item.n_dims * sizeof *item.shape);
        } else {
            items[n_all] = real_to_double(&item.number);
        }
        n_all += n_items;
        n++;
    } while (takes(p, ","));
    out->shape[0] = n;
    return (p->skips || value_items(out) == n_all || fail(p, "a ragged list")) &&
           (takes(p, "]") || fail(p, "no closing bracket"));
}

static bool quoted(parser *p, value *out)
{
    const char quote = *p->at++;
    const char *end = memchr(p->at, quote, (size_t)(p->end - p->at));
    if (end == NULL) {
        return fail(p, "no closing quotation mark");
    }
    *out = (value){.kind = VALUE_TEXT, .g = -1, .text = p->at, .n_text = (size_t)(end - p->at)};
    p->at = end + 1;
    return true;
}

static bool primary(parser *p, value *out)
{
    blanks(p);
    if (p->at == p->end) {
        return fail(p, "something is missing");
    }
    if (isdigit((unsigned char)*p->at) || *p->at == '.') {
        return decimal(p, out);
    }
    if (*p->at == '\'' || *p->at == '"') {
        return quoted(p, out);
    }
    if (takes(p, "(")) {
        return expression(p, out) && (takes(p, ")") || fail(p, "no closing parenthesis"));
    }
    if (takes(p, "[")) {
        return list_literal(p, out);
    }
    const char *name = p->at;
    const size_t n = name_length(p);
    if (n == 0) {
        return fail(p, "something unexpected");
    }
    p->at += n;
    if (takes(p, "(")) {
        return call(p, name, n, out);
    }
    return p->skips || variable(p, name, n, out);
}

/* list[k]: a number, or a list of one dimension less. */
static bool item_of(parser *p, value *list, const value *index)
{
    double k;
    if (list->kind != VALUE_LIST || index->kind != VALUE_NUMBER || index->g >= 0 || index->reg != 0 ||
        !real_is_double(&index->number, &k)) {
        return fail(p, "an index of what is no list");
    }
    if (!(k >= 0 && k < (double)list->shape[0] && k == floor(k))) {
        return scope_fail(p->s, SINPOS_E_VALUE, "a list has %zu items, and item %g (from 0) is needed", list->shape[0],
                          k);
    }
    if (list->n_dims == 1) {
        set_number(list, list->items[(size_t)k]);
        return true;
    }
    list->items += value_items(list) / list->shape[0] * (size_t)k;
    list->n_dims--;
    memmove(list->shape, list->shape + 1, list->n_dims * sizeof *list->shape);
    return true;
}

static bool postfix(parser *p, value *out)
{
    value index;
    if (!primary(p, out)) {
        return false;
    }
    while (takes(p, "[")) {
        if (!expression(p, &index) || !(takes(p, "]") || fail(p, "no closing bracket")) ||
            !(p->skips || item_of(p, out, &index))) {
            return false;
        }
    }
    return true;
}

/* ------------------------------------------------------------------------------------------------------ arithmetic */

static bool needs_numbers(parser *p, const value *a, const value *b)
{
    if (a->kind == VALUE_NUMBER && b->kind == VALUE_NUMBER) {
        return true;
    }
    const bool has_null = a->kind == VALUE_NULL || b->kind == VALUE_NULL;
    return fail(p, has_null ? "arithmetic with null" : "arithmetic with what is no number");
}

static bool nonlinear(parser *p)
{
    p->s->is_nonlinear = true;
    return fail(p, "a coordinate that does not enter linearly");
}

/* On a coordinate, so that its value is not known yet. */
static bool depends(const value *v)
{
    return v->kind == VALUE_NUMBER && (v->g >= 0 || v->reg != 0);
}

static void negate(value *v)
{
    real_negate(&v->number);
    if (v->g >= 0) {
        real_negate(&v->slope);
    }
}

static bool sum_of(parser *p, value *a, value *b, bool minus)
{
    if (!needs_numbers(p, a, b)) {
        return false;
    }
    if (p->s->trace != NULL) {
        return trace_binary(p->s, minus ? '-' : '+', a, b);
    }
    if (minus) {
        negate(b);
    }
    real_add(&a->number, &a->number, &b->number);
    if (b->g >= 0 && a->g >= 0) {
        if (a->g != b->g) {
            return nonlinear(p);
        }
        real_add(&a->slope, &a->slope, &b->slope);
    } else if (b->g >= 0) {
        a->g = b->g;
        a->slope = b->slope;
    }
    return true;
}

static bool product_of(parser *p, value *a, value *b)
{
    if (!needs_numbers(p, a, b)) {
        return false;
    }
    if (p->s->trace != NULL) {
        return trace_binary(p->s, '*', a, b);
    }
    if (a->g >= 0 && b->g >= 0) {
        return nonlinear(p);
    }
    if (a->g >= 0) {
        real_multiply(&a->slope, &a->slope, &b->number);
    } else if (b->g >= 0) {
        real_multiply(&a->slope, &b->slope, &a->number);
        a->g = b->g;
    }
    real_multiply(&a->number, &a->number, &b->number);
    return true;
}

static bool quotient_of(parser *p, value *a, const value *b)
{
    if (!needs_numbers(p, a, b)) {
        return false;
    }
    if (p->s->trace != NULL) {
        return trace_binary(p->s, '/', a, b);
    }
    if (b->g >= 0) {
        return nonlinear(p);
    }
    if (!real_divide(&a->number, &a->number, &b->number) ||
        (a->g >= 0 && !real_divide(&a->slope, &a->slope, &b->number))) {
        return scope_fail(p->s, SINPOS_E_VALUE,
                          "these parameters divide by zero: the source fails or returns NaN with them");
    }
    return true;
}

static bool remainder_of(parser *p, value *a, const value *b)
{
    real whole;
    if (!needs_numbers(p, a, b)) {
        return false;
    }
    if (p->s->trace != NULL) {
        return trace_binary(p->s, '%', a, b);
    }
    if (a->g >= 0 || b->g >= 0) {
        return nonlinear(p);
    }
    if (!real_divide(&whole, &a->number, &b->number)) {
        return scope_fail(p->s, SINPOS_E_VALUE, "these parameters divide by zero");
    }
    real_floor(&whole, &whole);
    real_multiply(&whole, &whole, &b->number);
    real_subtract(&a->number, &a->number, &whole);
    return true;
}

static bool power_of(parser *p, value *a, const value *b)
{
    if (!needs_numbers(p, a, b)) {
        return false;
    }
    if (p->s->trace != NULL) {
        return trace_binary(p->s, '^', a, b);
    }
    if (a->g >= 0 || b->g >= 0) {
        return nonlinear(p);
    }
    return real_power(&a->number, &a->number, &b->number) ||
           scope_fail(p->s, SINPOS_E_VALUE, "these parameters ask for a power that is no real number");
}

static bool nested(parser *p)
{
    return ++p->depth <= MAX_NESTING || fail(p, "too much nesting");
}

static bool unary(parser *p, value *out);

static bool power(parser *p, value *out)
{
    value exponent;
    if (!postfix(p, out)) {
        return false;
    }
    if (!takes(p, "^")) {
        return true;
    }
    return unary(p, &exponent) && (p->skips || power_of(p, out, &exponent));
}

static bool unary(parser *p, value *out)
{
    if (!takes(p, "-")) {
        return power(p, out);
    }
    if (!nested(p) || !unary(p, out)) {
        return false;
    }
    p->depth--;
    if (p->skips) {
        return true;
    }
    if (out->kind != VALUE_NUMBER) {
        return fail(p, "a minus before what is no number");
    }
    if (p->s->trace != NULL) {
        return trace_negate(p->s, out);
    }
    negate(out);
    return true;
}

static bool term(parser *p, value *out)
{
    value right;
    if (!unary(p, out)) {
        return false;
    }
    for (;;) {
        const char sign = next(p);
        if (sign != '*' && sign != '/' && sign != '%') {
            return true;
        }
        p->at++;
        if (!unary(p, &right)) {
            return false;
        }
        if (!p->skips && !(sign == '*'   ? product_of(p, out, &right)
                           : sign == '/' ? quotient_of(p, out, &right)
                                         : remainder_of(p, out, &right))) {
            return false;
        }
    }
}

static bool sum(parser *p, value *out)
{
    value right;
    if (!term(p, out)) {
        return false;
    }
    for (;;) {
        const char sign = next(p);
        if (sign != '-' && sign != '+') {
            return true;
        }
        p->at++;
        if (!term(p, &right) || !(p->skips || sum_of(p, out, &right, sign == '-'))) {
            return false;
        }
    }
}

/* ----------------------------------------------------------------------------------------------------------- logic */

static bool equal(const value *a, const value *b)
{
    if (a->kind != b->kind) {
        return false;
    }
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

static bool compared(parser *p, const char *sign, value *a, const value *b)
{
    bool result;
    if (depends(a) || depends(b)) {
        return nonlinear(p);
    }
    if (sign[1] == '=' && (sign[0] == '=' || sign[0] == '!')) {
        result = equal(a, b) == (sign[0] == '=');
    } else {
        if (!needs_numbers(p, a, b)) {
            return false;
        }
        const int order = real_compare(&a->number, &b->number);
        result =
            sign[0] == '<' ? order < 0 || (order == 0 && sign[1] == '=') : order > 0 || (order == 0 && sign[1] == '=');
    }
    set_number(a, result);
    return true;
}

static bool comparison(parser *p, value *out)
{
    static const char *const operators[] = {"==", "!=", "<=", ">=", "<", ">"};
    value right;
    if (!sum(p, out)) {
        return false;
    }
    const char first = next(p);
    if (first != '=' && first != '!' && first != '<' && first != '>') {
        return true;
    }
    for (size_t k = 0; k < sizeof operators / sizeof operators[0]; k++) {
        if (takes(p, operators[k])) {
            return sum(p, &right) && (p->skips || compared(p, operators[k], out, &right));
        }
    }
    return true;
}

static bool truth(parser *p, const value *v, bool *result)
{
    if (depends(v)) {
        return nonlinear(p);
    }
    *result = v->kind == VALUE_LIST || (v->kind == VALUE_TEXT && v->n_text > 0) ||
              (v->kind == VALUE_NUMBER && real_sign(&v->number) != 0);
    return true;
}

static bool negation(parser *p, value *out)
{
    bool is_true = false;
    if (!takes(p, "not")) {
        return comparison(p, out);
    }
    if (!nested(p) || !negation(p, out) || !(p->skips || truth(p, out, &is_true))) {
        return false;
    }
    p->depth--;
    set_number(out, !is_true);
    return true;
}

/* `and` (stops at false) or `or` (stops at true): what comes after is passed over. */
static bool chain(parser *p, value *out, bool is_and)
{
    value right;
    if (!(is_and ? negation(p, out) : chain(p, out, true))) {
        return false;
    }
    while (takes(p, is_and ? "and" : "or")) {
        const bool skipped = p->skips;
        bool left = false, is_true = false;
        if (!skipped && !truth(p, out, &left)) {
            return false;
        }
        p->skips = skipped || left != is_and;
        const bool ok =
            (is_and ? negation(p, &right) : chain(p, &right, true)) && (p->skips || truth(p, &right, &is_true));
        const bool decided = p->skips;
        p->skips = skipped;
        if (!ok) {
            return false;
        }
        set_number(out, decided ? left : is_true);
    }
    return true;
}

static bool expression(parser *p, value *out)
{
    value other;
    if (!nested(p) || !chain(p, out, false)) {
        return false;
    }
    if (takes(p, "?")) {
        const bool skipped = p->skips;
        bool is_true = false;
        if (!skipped && !truth(p, out, &is_true)) {
            return false;
        }
        p->skips = skipped || !is_true;
        bool ok = expression(p, out) && (takes(p, ":") || fail(p, "no ':' after '?'"));
        p->skips = skipped || is_true;
        ok = ok && expression(p, &other);
        p->skips = skipped;
        if (!ok) {
            return false;
        }
        if (!skipped && !is_true) {
            *out = other;
        }
    }
    p->depth--;
    return true;
}

/* ---------------------------------------------------------------------------------------------------------- results */

bool formula_value(scope *s, const char *text, size_t n_text, value *out)
{
    parser p = {.s = s, .at = text, .end = text + n_text};
    s->is_nonlinear = false;
    out->g = -1;
    if (!expression(&p, out)) {
        return false;
    }
    blanks(&p);
    return p.at == p.end || fail(&p, "something unexpected");
}

bool formula_number(scope *s, const char *text, real *out)
{
    value v;
    if (!formula_value(s, text, strlen(text), &v)) {
        return false;
    }
    if (v.kind != VALUE_NUMBER || v.g >= 0) {
        return scope_fail(s, SINPOS_E_VALUE, "the formula '%s' gives no number with these parameters", text);
    }
    *out = v.number;
    return true;
}

bool formula_double(scope *s, const char *text, double *out)
{
    real number;
    if (!formula_number(s, text, &number)) {
        return false;
    }
    *out = real_to_double(&number);
    return true;
}

bool formula_size(scope *s, const char *text, size_t *out)
{
    double x;
    if (!formula_double(s, text, &x)) {
        return false;
    }
    if (!(x >= 0 && x < 0x1p53 && x == floor(x))) {
        return scope_fail(s, SINPOS_E_VALUE, "'%s' must be a whole number and not negative; it is %.15g", text, x);
    }
    *out = (size_t)x;
    return true;
}

bool formula_true(scope *s, const char *text, size_t n_text, bool *out)
{
    value v;
    if (!formula_value(s, text, n_text, &v)) {
        return false;
    }
    *out = v.kind == VALUE_LIST || (v.kind == VALUE_TEXT && v.n_text > 0) ||
           (v.kind == VALUE_NUMBER && real_sign(&v.number) != 0);
    return true;
}

bool is_blank(const char *text)
{
    return text == NULL || text[0] == '\0';
}

bool formula_names(const char *text, const char *name)
{
    const size_t n = strlen(name);
    for (const char *at = text; !is_blank(at); at++) {
        if ((isalnum((unsigned char)*at) || *at == '_') &&
            (at == text || !(isalnum((unsigned char)at[-1]) || at[-1] == '_' || at[-1] == '.'))) {
            const size_t length = strspn(at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.");
            if (length == n && memcmp(at, name, n) == 0) {
                return true;
            }
        }
    }
    return false;
}

bool formula_part(const char *text, size_t k, const char **part, size_t *n_part)
{
    int depth = 0;
    const char *start = text;
    for (const char *at = text;; at++) {
        depth += *at == '(' || *at == '[' ? 1 : *at == ')' || *at == ']' ? -1 : 0;
        if (*at == '\0' || (*at == ',' && depth == 0)) {
            if (k-- == 0) {
                *part = start;
                *n_part = (size_t)(at - start);
                return *n_part > 0;
            }
            if (*at == '\0') {
                return false;
            }
            start = at + 1;
        }
    }
}
