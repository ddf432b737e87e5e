/*
 * json_out.h - one JSON object on standard output. Written here, so that --json works where Jansson is missing.
 * The names keep clear of Jansson's.
 */
#ifndef JSON_OUT_H
#define JSON_OUT_H

#include <stddef.h>
#include <stdint.h>

/* name is NULL inside an array and for the outermost object. Objects and arrays nest up to 16 deep. */
void emit_object(const char *name);
void emit_array(const char *name);
void emit_close(void);
void emit_text(const char *name, const char *text);
void emit_unsigned(const char *name, uint64_t number);
/* Shortest decimal that reads back; null for an infinity or NaN. */
void emit_real(const char *name, double number);
/* A number that is already text; null for an infinity or NaN. */
void emit_literal(const char *name, const char *text);
void emit_null(const char *name);
void emit_bool(const char *name, int value);

/* "shape": [4096, 512] */
void emit_shape(const size_t *shape, size_t n);

#endif
