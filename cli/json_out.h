/* json_out.h - one JSON object on standard output. Written here, so that --json works where Jansson is missing. */
#ifndef JSON_OUT_H
#define JSON_OUT_H

#include <stdint.h>

/* name is NULL inside an array and for the outermost object. Objects and arrays nest up to 16 deep. */
void json_object(const char *name);
void json_array(const char *name);
void json_close(void);
void json_text(const char *name, const char *text);
void json_unsigned(const char *name, uint64_t number);
void json_signed(const char *name, int64_t number);
/* Shortest decimal that reads back; null for an infinity or NaN. */
void json_real(const char *name, double number);
/* A number that is already text; null for an infinity or NaN. */
void json_literal(const char *name, const char *text);
void json_null(const char *name);
void json_bool(const char *name, int value);

#endif
