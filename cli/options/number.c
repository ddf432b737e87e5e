#include "number.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LONGEST 400 /* digits of a number; no double needs more to differ from its neighbours here */

static bool is_integer_literal(const char *text)
{
    const char *p = text + (*text == '-' || *text == '+' ? 1 : 0);
    if (*p == '\0')
        return false;
    while (isdigit((unsigned char)*p))
        p++;
    return *p == '\0';
}

static const char *parse_integer(const char *text, struct number *number)
{
    char *end;
    errno = 0;
    const long long value = strtoll(text, &end, 10);
    if (errno == ERANGE || value == INT64_MIN)
        return "is not below 2^63 in size";
    *number = (struct number){true, (int64_t)value, (double)value};
    return NULL;
}

/* n = 10 n + digit. False beyond size_t. */
static bool append_digit(size_t *n, size_t digit)
{
    const bool fits = *n <= (SIZE_MAX - digit) / 10;
    *n = fits ? 10 * *n + digit : *n;
    return fits;
}

/* Digits with a point among them: their numbers before and behind it. False where something else is there before `end`. */
static bool count_digits(const char *text, const char *end, long *before, long *behind)
{
    const char *point = memchr(text, '.', (size_t)(end - text));
    *before = (long)((point == NULL ? end : point) - text);
    *behind = point == NULL ? 0 : (long)(end - point - 1);
    for (const char *p = text; p < end; p++)
        if (!isdigit((unsigned char)*p) && p != point)
            return false;
    return *before + *behind > 0;
}

const char *parse_size(const char *text, size_t least, uint64_t most, size_t *value)
{
    static const char not_whole[] = "is not a whole number", too_large[] = "is too large";
    const char *digits = text + (text[0] == '+' ? 1 : 0), *end = digits + strcspn(digits, "eE");
    struct number exponent = {.is_integer = true};
    long before, behind;
    if (text[0] == '-')
        return is_integer_literal(text) ? "must not be negative" : not_whole;
    if (strlen(text) > LONGEST || !count_digits(digits, end, &before, &behind) ||
        (*end != '\0' && (!is_integer_literal(end + 1) || parse_integer(end + 1, &exponent) != NULL ||
                          exponent.integer > LONGEST || exponent.integer < -LONGEST)))
        return not_whole;
    size_t n = 0;
    const long kept = before + (long)exponent.integer; /* digits that make the number; the others must be zeros */
    long i = 0;
    for (const char *p = digits; p < end; p++) {
        if (*p == '.')
            continue;
        if (i++ >= kept) {
            if (*p != '0')
                return not_whole;
        } else if (!append_digit(&n, (size_t)(*p - '0'))) {
            return too_large;
        }
    }
    for (; i < kept && n > 0; i++)
        if (!append_digit(&n, 0))
            return too_large;
    if (n < least)
        return "is too small";
    if (n > most)
        return too_large;
    *value = n;
    return NULL;
}

const char *parse_real(const char *text, double *value)
{
    const char *p = text + (*text == '-' || *text == '+' ? 1 : 0);
    if (!isdigit((unsigned char)*p) && *p != '.') {
        const bool is_word = strncmp(p, "inf", 3) == 0 || strncmp(p, "nan", 3) == 0 || strncmp(p, "Inf", 3) == 0 ||
                             strncmp(p, "NaN", 3) == 0;
        return is_word ? "must be finite" : "is not a number";
    }
    char *end;
    errno = 0;
    const double parsed = strtod(text, &end);
    if (end == text || *end != '\0')
        return "is not a number";
    if (!isfinite(parsed))
        return "is beyond the range of a double";
    if (parsed == 0 && errno == ERANGE)
        return "is too small for a double";
    *value = parsed;
    return NULL;
}

const char *parse_number(const char *text, size_t length, struct number *number)
{
    char copy[LONGEST + 1];
    while (length > 0 && isspace((unsigned char)text[0])) {
        text++;
        length--;
    }
    while (length > 0 && isspace((unsigned char)text[length - 1]))
        length--;
    if (length == 0)
        return "a number is missing";
    if (length > LONGEST)
        return "has too many digits";
    memcpy(copy, text, length);
    copy[length] = '\0';
    if (strlen(copy) != length)
        return "is not a number";
    if (is_integer_literal(copy))
        return parse_integer(copy, number);
    number->is_integer = false;
    number->integer = 0;
    return parse_real(copy, &number->real);
}

bool number_is_double(const struct number *number)
{
    if (!number->is_integer)
        return true;
    return fabs(number->real) < 0x1p63 && (int64_t)number->real == number->integer;
}
