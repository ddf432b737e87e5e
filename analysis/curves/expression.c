/* theta(t): parsed from what a user writes, or made from a specification. */
#include "expression.h"
#include "boundary.h"
#include "owned.h"

#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_NESTED = 64 };

typedef struct parser {
    const char *text, *at;
    sinpos_theta *out;
    size_t on_stack, decimals_used;
    int nested;
    const char *why; /* what is wrong; NULL so far */
} parser;

/* expression = term {(+|-) term};  term = factor {(*|/) factor};  factor = {+|-} power;  power = atom [^ factor] */
static bool parse_expression(parser *p);

static bool fail(parser *p, const char *why)
{
    if (p->why == NULL)
        p->why = why;
    return false;
}

static bool push(parser *p, step s)
{
    sinpos_theta *out = p->out;
    if (out->n == MOST_STEPS)
        return fail(p, "is too long");
    if (s.code <= PUSH_E)
        p->on_stack++;
    else if (s.code >= ADD)
        p->on_stack--;
    out->depth = p->on_stack > out->depth ? p->on_stack : out->depth;
    out->steps[out->n++] = s;
    return true;
}

static bool push_code(parser *p, operator_code code)
{
    return push(p, (step){code, 0, -1});
}

static char peek(parser *p)
{
    while (isspace((unsigned char)*p->at))
        p->at++;
    return *p->at;
}

static bool take(parser *p, char wanted)
{
    if (peek(p) != wanted)
        return false;
    p->at++;
    return true;
}

/* Digits, a point, an exponent; no sign, no hexadecimal, no words. */
static size_t number_length(const char *at)
{
    size_t n = strspn(at, "0123456789");
    size_t digits = n;
    if (at[n] == '.') {
        const size_t fraction = strspn(at + n + 1, "0123456789");
        digits += fraction;
        n += 1 + fraction;
    }
    if (digits == 0)
        return 0;
    if (at[n] == 'e' || at[n] == 'E') {
        const size_t sign = at[n + 1] == '-' || at[n + 1] == '+' ? 1 : 0;
        const size_t exponent = strspn(at + n + 1 + sign, "0123456789");
        n += exponent > 0 ? 1 + sign + exponent : 0;
    }
    return n;
}

static bool parse_number(parser *p)
{
    const size_t n = number_length(p->at);
    if (n == 0)
        return fail(p, "a number, t, pi, e, a function or ( must stand here");
    char *decimal = p->out->decimals + p->decimals_used;
    memcpy(decimal, p->at, n);
    decimal[n] = '\0';
    const step s = {PUSH_NUMBER, strtod(decimal, NULL), (ptrdiff_t)p->decimals_used};
    if (!isfinite(s.number) || n > 1000)
        return fail(p, "the number is beyond the range of a double");
    p->decimals_used += n + 1;
    p->at += n;
    return push(p, s);
}

static bool parse_arguments(parser *p, operator_code code)
{
    if (!take(p, '('))
        return fail(p, "( must follow the name of a function");
    if (!parse_expression(p))
        return false;
    if (code == RAISE) {
        if (!take(p, ','))
            return fail(p, "pow takes two arguments, as in pow(t, 2)");
        if (!parse_expression(p))
            return false;
    }
    return take(p, ')') ? push_code(p, code) : fail(p, ") is missing");
}

static bool parse_name(parser *p)
{
    static const struct {
        const char *name;
        operator_code code;
    } names[] = {{"t", PUSH_T},     {"pi", PUSH_PI},       {"e", PUSH_E},  {"exp", EXPONENTIAL}, {"log", LOGARITHM},
                 {"ln", LOGARITHM}, {"sqrt", SQUARE_ROOT}, {"pow", RAISE}, {"sin", SINE},        {"cos", COSINE}};
    size_t length = 0;
    while (isalnum((unsigned char)p->at[length]) || p->at[length] == '_')
        length++;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strlen(names[i].name) != length || strncmp(names[i].name, p->at, length) != 0)
            continue;
        p->at += length;
        return names[i].code <= PUSH_E ? push_code(p, names[i].code) : parse_arguments(p, names[i].code);
    }
    return fail(p, "unknown name: t, pi, e, exp, log, sqrt, pow, sin and cos are known");
}

static bool parse_atom(parser *p)
{
    if (take(p, '(')) {
        if (!parse_expression(p))
            return false;
        return take(p, ')') || fail(p, ") is missing");
    }
    return isalpha((unsigned char)peek(p)) ? parse_name(p) : parse_number(p);
}

static bool take_power(parser *p)
{
    if (peek(p) == '*' && p->at[1] == '*') {
        p->at += 2;
        return true;
    }
    return take(p, '^');
}

static bool parse_factor(parser *p)
{
    if (p->nested == MOST_NESTED)
        return fail(p, "is nested too deep");
    p->nested++;
    bool good;
    if (take(p, '-'))
        good = parse_factor(p) && push_code(p, NEGATE);
    else if (take(p, '+'))
        good = parse_factor(p);
    else
        good = parse_atom(p) && (!take_power(p) || (parse_factor(p) && push_code(p, RAISE)));
    p->nested--;
    return good;
}

static bool parse_term(parser *p)
{
    bool good = parse_factor(p);
    while (good && (peek(p) == '*' || peek(p) == '/')) {
        const operator_code code = *p->at++ == '*' ? MULTIPLY : DIVIDE;
        good = parse_factor(p) && push_code(p, code);
    }
    return good;
}

static bool parse_expression(parser *p)
{
    bool good = parse_term(p);
    while (good && (peek(p) == '+' || peek(p) == '-')) {
        const operator_code code = *p->at++ == '+' ? ADD : SUBTRACT;
        good = parse_term(p) && push_code(p, code);
    }
    return good;
}

/* ------------------------------------------------------------------------------------------------- the object */

static sinpos_theta *theta_allocate(size_t text_length)
{
    sinpos_theta *theta = calloc(1, sizeof *theta);
    if (theta == NULL)
        return NULL;
    theta->decimals = calloc(2, text_length + 1); /* a number, and its end, for each character at most */
    theta->text = calloc(1, text_length + 1);
    if (theta->decimals == NULL || theta->text == NULL) {
        sinpos_theta_destroy(theta);
        return NULL;
    }
    return theta;
}

void sinpos_theta_destroy(sinpos_theta *theta)
{
    BOUNDARY;
    if (theta == NULL)
        return;
    free(theta->decimals);
    free(theta->text);
    free(theta);
}

sinpos_status sinpos_theta_parse(sinpos_theta **out, const char *text, const char **why, size_t *at)
{
    BOUNDARY;
    if (out == NULL || text == NULL)
        return SINPOS_E_NULL;
    *out = NULL;
    const size_t length = strlen(text);
    if (length > SIZE_MAX / 4)
        return SINPOS_E_MEMORY;
    sinpos_theta *theta = theta_allocate(length);
    if (theta == NULL)
        return SINPOS_E_MEMORY;
    memcpy(theta->text, text, length);
    parser p = {.text = text, .at = text, .out = theta};
    if (parse_expression(&p) && peek(&p) != '\0')
        fail(&p, "an operator must stand here");
    if (why != NULL)
        *why = p.why == NULL ? "" : p.why;
    if (at != NULL)
        *at = (size_t)(p.at - text);
    if (p.why != NULL) {
        sinpos_theta_destroy(theta);
        return SINPOS_E_VALUE;
    }
    *out = theta;
    return SINPOS_OK;
}

const char *sinpos_theta_text(const sinpos_theta *theta)
{
    BOUNDARY;
    return theta == NULL ? NULL : theta->text;
}

static double apply(operator_code code, double a, double b)
{
    switch (code) {
    case NEGATE: return -a;
    case EXPONENTIAL: return exp(a);
    case LOGARITHM: return log(a);
    case SQUARE_ROOT: return sqrt(a);
    case SINE: return sin(a);
    case COSINE: return cos(a);
    case ADD: return a + b;
    case SUBTRACT: return a - b;
    case MULTIPLY: return a * b;
    case DIVIDE: return a / b;
    case RAISE: return pow(a, b);
    default: return NAN;
    }
}

double sinpos_theta_value(const sinpos_theta *theta, double t)
{
    BOUNDARY;
    double stack[MOST_STEPS + 1];
    size_t n = 0;
    if (theta == NULL)
        return NAN;
    for (size_t i = 0; i < theta->n; i++) {
        const step *s = &theta->steps[i];
        switch (s->code) {
        case PUSH_NUMBER: stack[n++] = s->number; break;
        case PUSH_T: stack[n++] = t; break;
        case PUSH_PI: stack[n++] = 0x1.921fb54442d18p1; break;
        case PUSH_E: stack[n++] = 0x1.5bf0a8b145769p1; break;
        default: n -= s->code >= ADD ? 1 : 0; stack[n - 1] = apply(s->code, stack[n - 1], stack[n]);
        }
    }
    return stack[0];
}

/* -------------------------------------------------------------------------------------- of a specification */

static void push_number(parser *p, double number)
{
    push(p, (step){PUSH_NUMBER, number, -1});
}

/* The index i + shift as a function of t = i / h, and that over the divisor. */
static void push_index(parser *p, const sinpos_tone *tone, double h)
{
    push_number(p, tone->shift);
    push_number(p, h);
    push_code(p, PUSH_T);
    push_code(p, MULTIPLY);
    push_code(p, ADD);
    push_number(p, tone->divisor);
    push_code(p, DIVIDE);
}

static void push_tone(parser *p, const sinpos_tone *tone, double h)
{
    push_number(p, tone->scale);
    if (tone->in_turns) {
        push_number(p, 2);
        push_code(p, MULTIPLY);
        push_code(p, PUSH_PI);
        push_code(p, MULTIPLY);
    }
    if (tone->schedule == SINPOS_GEOMETRIC) {
        push_number(p, tone->base);
        push_number(p, tone->base_divisor);
        push_code(p, DIVIDE);
        push_index(p, tone, h);
        push_code(p, NEGATE);
    } else {
        push_number(p, 1);
        push_index(p, tone, h);
        push_code(p, SUBTRACT);
        push_number(p, tone->exponent);
    }
    push_code(p, RAISE);
    push_code(p, MULTIPLY);
}

enum { TEXT_BYTES = 400 };

/* The index over the size of the divisor: "t", "64*t/63", "(1+64*t)/63". */
static void write_index(char *text, size_t room, const sinpos_tone *tone, double h)
{
    const double divisor = fabs(tone->divisor);
    char sum[80], over[40] = "";
    if (tone->shift == 0 && divisor == h) {
        snprintf(text, room, "t");
        return;
    }
    snprintf(sum, sizeof sum, tone->shift == 0 ? "%.17g*t" : "(%.17g+%.17g*t)", tone->shift == 0 ? h : tone->shift, h);
    if (divisor != 1)
        snprintf(over, sizeof over, "/%.17g", divisor);
    snprintf(text, room, "%s%s", sum, over);
}

static void write_text(char *text, const sinpos_tone *tone, double h)
{
    char scale[40] = "", index[130], base[80];
    const char *sign = tone->divisor < 0 ? "" : "-", *other = tone->divisor < 0 ? "+" : "-";
    if (tone->in_turns && tone->scale == 0.5)
        snprintf(scale, sizeof scale, "pi*");
    else if (tone->in_turns || tone->scale != 1)
        snprintf(scale, sizeof scale, tone->in_turns ? "%.17g*2*pi*" : "%.17g*", tone->scale);
    write_index(index, sizeof index, tone, h);
    const bool is_t = strcmp(index, "t") == 0;
    snprintf(base, sizeof base, tone->base_divisor == 1 ? "%.17g" : "(%.17g/%.17g)", tone->base, tone->base_divisor);
    if (tone->schedule == SINPOS_GEOMETRIC)
        snprintf(text, TEXT_BYTES, is_t ? "%s%s^%s%s" : "%s%s^%s(%s)", scale, base, sign, index);
    else
        snprintf(text, TEXT_BYTES, "%s(1%s%s)^%.17g", scale, other, index, tone->exponent);
}

/* An octave is written as a geometric tone, whatever the core makes of it. */
static sinpos_status first_tone(sinpos_tone *tone, const sinpos_spec *spec)
{
    sinpos_spec one = *spec;
    const size_t n = sinpos_spec_frequencies(spec);
    OWNED sinpos_tone *tones = calloc(n + 1, sizeof *tones);
    if (tones == NULL)
        return SINPOS_E_MEMORY;
    if (spec->schedule == SINPOS_OCTAVE)
        one.schedule = SINPOS_GEOMETRIC;
    const sinpos_status status = sinpos_spec_tones(&one, tones, n);
    *tone = tones[0];
    if (spec->schedule == SINPOS_OCTAVE) {
        tone->base = 2;
        tone->base_divisor = 1;
        tone->divisor = -1;
        tone->in_turns = 1;
        tone->scale = spec->scale / 2;
    }
    return status;
}

sinpos_status sinpos_theta_of_spec(sinpos_theta **out, const sinpos_spec *given)
{
    BOUNDARY;
    sinpos_tone tone;
    sinpos_spec own;
    const sinpos_spec *spec = &own;
    if (out == NULL || given == NULL)
        return SINPOS_E_NULL;
    *out = NULL;
    if (!SIZED_READ(&own, given, n_factor))
        return SINPOS_E_STRUCT;
    sinpos_status status = sinpos_spec_check(spec, NULL);
    if (status != SINPOS_OK)
        return status;
    if (spec->schedule == SINPOS_TURNS || spec->schedule == SINPOS_EXPLICIT || spec->factor != NULL || spec->dim < 2)
        return SINPOS_E_VALUE;
    status = first_tone(&tone, spec);
    if (status != SINPOS_OK)
        return status;
    sinpos_theta *theta = theta_allocate(TEXT_BYTES);
    if (theta == NULL)
        return SINPOS_E_MEMORY;
    const double h = 0.5 * (double)(spec->odd == SINPOS_ZERO ? spec->dim / 2 * 2 : spec->dim);
    parser p = {.out = theta};
    push_tone(&p, &tone, h);
    write_text(theta->text, &tone, h);
    *out = theta;
    return SINPOS_OK;
}
