/* number.h - numbers as people type them. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A plain integer literal is an integer, anything else a real. */
struct number {
    bool is_integer;
    int64_t integer;
    double real; /* the nearest double, for integers too */
};

/*
 * These return NULL, or a constant clause that says what is wrong. The whole text must be the number. Sizes may have a point
 * and an exponent, if they are whole: 1e6, 1.5e6.
 */
const char *parse_size(const char *text, size_t least, uint64_t most, size_t *value);
const char *parse_real(const char *text, double *value);
const char *parse_number(const char *text, size_t length, struct number *number);

/* Is the integer of a number exactly a double? True for reals. */
bool number_is_double(const struct number *number);
