/*
 * json_out.h - one JSON object on standard output. Written here, so that --json works where Jansson is missing.
 * The names keep clear of Jansson's.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "owned.h"

/* name is NULL inside an array and for the outermost object. Objects and arrays nest up to 16 deep. */
void emit_object(const char *name);
void emit_array(const char *name);
void emit_close(void);

/* The same, closed at the end of the block. */
#define EMIT_OBJECT(name) EMIT_NEST(__LINE__, emit_object(name))
#define EMIT_ARRAY(name) EMIT_NEST(__LINE__, emit_array(name))
#define EMIT_NEST(line, open) EMIT_NEST_OF(line, open)
#define EMIT_NEST_OF(line, open) RELEASED_BY(emit_end) const int nest_##line = (open, 0)
void emit_end(const int *nest);

/* null for NULL. */
void emit_text(const char *name, const char *text);
void emit_unsigned(const char *name, uint64_t number);
void emit_integer(const char *name, int64_t number);
/* null for 0, which stands for none; null for the largest number, which stands for infinity. */
void emit_unless_0(const char *name, uint64_t number);
void emit_unless_infinite(const char *name, uint64_t number);
/* Shortest decimal that reads back; null for an infinity or NaN. */
void emit_real(const char *name, double number);
void emit_reals(const char *name, const double *numbers, size_t n);
void emit_sizes(const char *name, const size_t *numbers, size_t n);
/* A number that is already text; null for an infinity, NaN or NULL. */
void emit_literal(const char *name, const char *text);
void emit_null(const char *name);
void emit_bool(const char *name, int value);
