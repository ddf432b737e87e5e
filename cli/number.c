#include "number.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LONGEST 400 /* digits of a number; no double needs more to be told from its neighbours here */

static bool is_integer_literal(const char *text)
{
    const char *p = text + (*text == '-' || *text == '+' ? 1 : 0);
    if (*p == '\0') {
        return false;
    }
    while (isdigit((unsigned char)*p)) {
        p++;
    }
    return *p == '\0';
}

const char *parse_size(const char *text, size_t least, size_t most, size_t *value)
{
    if (!is_integer_literal(text)) {
        return "is no whole number";
    }
    size_t n = 0;
    if (text[0] == '-') {
        return "must not be negative";
    }
    for (const char *p = text + (text[0] == '+' ? 1 : 0); *p != '\0'; p++) {
        const size_t digit = (size_t)(*p - '0');
        if (n > (SIZE_MAX - digit) / 10) {
            return "is too large";
        }
        n = 10 * n + digit;
    }
    if (n < least) {
        return "is too small";
    }
    if (n > most) {
        return "is too large";
    }
    *value = n;
    return NULL;
}

const char *parse_real(const char *text, double *value)
{
    const char *p = text + (*text == '-' || *text == '+' ? 1 : 0);
    if (!isdigit((unsigned char)*p) && *p != '.') {
        const bool is_word = strncmp(p, "inf", 3) == 0 || strncmp(p, "nan", 3) == 0 || strncmp(p, "Inf", 3) == 0 ||
                             strncmp(p, "NaN", 3) == 0;
        return is_word ? "must be finite" : "is no number";
    }
    char *end;
    errno = 0;
    const double parsed = strtod(text, &end);
    if (end == text || *end != '\0') {
        return "is no number";
    }
    if (!isfinite(parsed)) {
        return "is beyond the range of a double";
    }
    if (parsed == 0 && errno == ERANGE) {
        return "is too small for a double";
    }
    *value = parsed;
    return NULL;
}

static const char *parse_integer(const char *text, struct number *number)
{
    char *end;
    errno = 0;
    const long long value = strtoll(text, &end, 10);
    if (errno == ERANGE || value == INT64_MIN) {
        return "is not below 2^63 in size";
    }
    *number = (struct number){true, (int64_t)value, (double)value};
    return NULL;
}

const char *parse_number(const char *text, size_t length, struct number *number)
{
    char copy[LONGEST + 1];
    while (length > 0 && isspace((unsigned char)text[0])) {
        text++;
        length--;
    }
    while (length > 0 && isspace((unsigned char)text[length - 1])) {
        length--;
    }
    if (length == 0) {
        return "a number is missing";
    }
    if (length > LONGEST) {
        return "has too many digits";
    }
    memcpy(copy, text, length);
    copy[length] = '\0';
    if (strlen(copy) != length) {
        return "is no number";
    }
    if (is_integer_literal(copy)) {
        return parse_integer(copy, number);
    }
    number->is_integer = false;
    number->integer = 0;
    return parse_real(copy, &number->real);
}

bool number_is_double(const struct number *number)
{
    if (!number->is_integer) {
        return true;
    }
    return fabs(number->real) < 0x1p63 && (int64_t)number->real == number->integer;
}
