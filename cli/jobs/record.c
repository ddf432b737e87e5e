#include "record.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "no_memory.h"

enum { WORD = 17 }; /* characters at most */

void record_bytes(struct record *record, const void *bytes, size_t n)
{
    const char *from = bytes;
    while (n > 0) {
        record->bytes = memory_grow(record->bytes, record->n + 1, &record->room, 1);
        const size_t fit = record->room - record->n - 1, some = n < fit ? n : fit;
        memcpy(record->bytes + record->n, from, some);
        record->n += some;
        record->bytes[record->n] = '\0';
        from += some;
        n -= some;
    }
}

void record_word(struct record *record, uint64_t word)
{
    char text[WORD + 1];
    const int n = snprintf(text, sizeof text, "%" PRIx64 " ", word);
    record_bytes(record, text, (size_t)n);
}

void record_real(struct record *record, double value)
{
    uint64_t word;
    memcpy(&word, &value, sizeof word);
    record_word(record, word);
}

void record_text(struct record *record, const char *text)
{
    record_bytes(record, text, strlen(text));
}

uint64_t record_next_word(struct record *record)
{
    const char *text = record->n == 0 ? "" : record->bytes + record->at;
    const size_t n = strspn(text, "0123456789abcdef");
    if (n == 0 || n >= WORD || text[n] != ' ') {
        record->is_bad = true;
        return 0;
    }
    record->at += n + 1;
    return strtoull(text, NULL, 16);
}

double record_next_real(struct record *record)
{
    const uint64_t word = record_next_word(record);
    double value;
    memcpy(&value, &word, sizeof value);
    return value;
}

const char *record_rest(const struct record *record, size_t *n)
{
    *n = record->n - record->at;
    return *n == 0 ? "" : record->bytes + record->at;
}

void record_clear(struct record *record)
{
    record->n = record->at = 0;
    record->is_bad = false;
}

void record_free(struct record *record)
{
    free(record->bytes);
    *record = (struct record){0};
}
