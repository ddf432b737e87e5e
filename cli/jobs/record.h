/* record.h - what a block found, as text: numbers are hex digits and a blank, and any bytes may follow. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "owned.h"

struct record {
    char *bytes; /* n of them, and a zero behind; NULL: none */
    size_t n, room;
    size_t at;   /* what is read next */
    bool is_bad; /* something was to be read that is not there */
};

void record_bytes(struct record *record, const void *bytes, size_t n);
void record_word(struct record *record, uint64_t word);
void record_real(struct record *record, double value);
void record_text(struct record *record, const char *text);

/* The next word; 0, and a bad record, where there is none. */
uint64_t record_next_word(struct record *record);
double record_next_real(struct record *record);
/* What is left. */
const char *record_rest(const struct record *record, size_t *n);

/* Nothing in it, and nothing read. */
void record_clear(struct record *record);
void record_free(struct record *record);
