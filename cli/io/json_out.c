#include "json_out.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sinpos_formats.h"
#include "words.h"

static struct {
    char closer[16];
    int n_items[16];
    int depth;
} json;

static void put_text(const char *text);

/* Comma, line break, indentation and name before an item. */
static void begin_item(const char *name)
{
    if (json.depth > 0) {
        fputs(json.n_items[json.depth - 1]++ > 0 ? ",\n" : "\n", stdout);
        printf("%*s", 2 * json.depth, "");
    }
    if (name != NULL) {
        put_text(name);
        fputs(": ", stdout);
    }
}

static void open_nest(const char *name, char opener, char closer)
{
    begin_item(name);
    putchar(opener);
    json.closer[json.depth] = closer;
    json.n_items[json.depth] = 0;
    json.depth++;
}

void emit_object(const char *name)
{
    open_nest(name, '{', '}');
}

void emit_array(const char *name)
{
    open_nest(name, '[', ']');
}

void emit_close(void)
{
    json.depth--;
    if (json.n_items[json.depth] > 0)
        printf("\n%*s", 2 * json.depth, "");
    putchar(json.closer[json.depth]);
    if (json.depth == 0)
        putchar('\n');
}

void emit_end(const int *nest)
{
    (void)nest;
    emit_close();
}

/* The number of a character that a terminal should not get; -1 for any other. */
static int escaped(const unsigned char *p, int n)
{
    char one[5] = "", shown[5];
    memcpy(one, p, (size_t)n);
    if (strcmp(sinpos_printable(shown, sizeof shown, one), one) == 0)
        return -1;
    return n == 1   ? p[0]
           : n == 2 ? (p[0] & 0x1f) << 6 | (p[1] & 0x3f)
                    : (p[0] & 0x0f) << 12 | (p[1] & 0x3f) << 6 | (p[2] & 0x3f);
}

static void put_text(const char *text)
{
    const unsigned char *p = (const unsigned char *)text;
    putchar('"');
    while (*p != '\0') {
        const int n = (int)utf8_bytes((const char *)p);
        if (n == 0)
            fputs("\\ufffd", stdout);
        else if (escaped(p, n) >= 0)
            printf("\\u%04x", (unsigned)escaped(p, n));
        else
            printf("%s%.*s", *p == '"' || *p == '\\' ? "\\" : "", n, (const char *)p);
        p += n == 0 ? 1 : n;
    }
    putchar('"');
}

void emit_text(const char *name, const char *text)
{
    begin_item(name);
    if (text == NULL)
        fputs("null", stdout);
    else
        put_text(text);
}

void emit_unsigned(const char *name, uint64_t number)
{
    begin_item(name);
    printf("%" PRIu64, number);
}

void emit_integer(const char *name, int64_t number)
{
    begin_item(name);
    printf("%" PRId64, number);
}

void emit_unless_0(const char *name, uint64_t number)
{
    if (number == 0)
        emit_null(name);
    else
        emit_unsigned(name, number);
}

void emit_unless_infinite(const char *name, uint64_t number)
{
    if (number == UINT64_MAX)
        emit_null(name);
    else
        emit_unsigned(name, number);
}

void emit_real(const char *name, double number)
{
    char text[SINPOS_DECIMAL_BYTES];
    begin_item(name);
    if (!isfinite(number)) {
        fputs("null", stdout);
    } else {
        sinpos_decimal(text, SINPOS_F64, &number);
        fputs(text, stdout);
    }
}

void emit_reals(const char *name, const double *numbers, size_t n)
{
    emit_array(name);
    for (size_t i = 0; i < n; i++)
        emit_real(NULL, numbers[i]);
    emit_close();
}

void emit_sizes(const char *name, const size_t *numbers, size_t n)
{
    emit_array(name);
    for (size_t i = 0; i < n; i++)
        emit_unsigned(NULL, numbers[i]);
    emit_close();
}

void emit_literal(const char *name, const char *text)
{
    begin_item(name);
    fputs(text == NULL || strpbrk(text, "ni") != NULL ? "null" : text, stdout);
}

void emit_null(const char *name)
{
    begin_item(name);
    fputs("null", stdout);
}

void emit_bool(const char *name, int value)
{
    begin_item(name);
    fputs(value ? "true" : "false", stdout);
}
