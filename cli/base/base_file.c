/* base_file.c - the keys stand in the order in which they are written; blanks and line breaks may be anywhere. */
#include "base_file.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array_file.h"
#include "interrupt.h"

#define FORMAT "sinpos base certificate 1"

static const char *const outcomes[] = {"open", "found", "any", "none", "gap"};
#define N_OUTCOMES (sizeof outcomes / sizeof outcomes[0])

const char *base_outcome_name(sinpos_base_outcome outcome)
{
    return outcomes[outcome];
}

/* ----------------------------------------------------------------------------------------------------- writing */

struct text {
    char *bytes;
    size_t length, room;
    bool failed;
};

static void put(struct text *text, const char *part)
{
    const size_t length = strlen(part);
    if (!text->failed && text->length + length + 1 > text->room) {
        const size_t room = 2 * (text->length + length) + 4096;
        char *bytes = realloc(text->bytes, room);
        text->failed = bytes == NULL;
        text->bytes = bytes == NULL ? text->bytes : bytes;
        text->room = bytes == NULL ? text->room : room;
    }
    if (!text->failed) {
        memcpy(text->bytes + text->length, part, length + 1);
        text->length += length;
    }
}

static void put_real(struct text *text, const char *before, double value)
{
    char digits[SINPOS_DECIMAL_BYTES];
    sinpos_decimal(digits, SINPOS_F64, &value);
    put(text, before);
    put(text, digits);
}

static void put_integer(struct text *text, const char *before, uint64_t value)
{
    char digits[32];
    snprintf(digits, sizeof digits, "%" PRIu64, value);
    put(text, before);
    put(text, digits);
}

static void put_query(struct text *text, const sinpos_base_query *query)
{
    put(text, "{\n  \"format\": \"" FORMAT "\"");
    put_integer(text, ",\n  \"context\": ", query->context);
    put_integer(text, ",\n  \"tones\": ", query->n_tones);
    put_real(text, ",\n  \"shift\": ", query->shift);
    put_real(text, ",\n  \"divisor\": ", query->divisor);
    put_real(text, ",\n  \"scale\": ", query->scale);
    put_real(text, ",\n  \"constant\": ", query->constant);
}

static void put_robust(struct text *text, const sinpos_base_robust *robust)
{
    put_real(text, ",\n  \"robust_upper\": ", robust->upper);
    put_real(text, ",\n  \"robust_lower\": ", robust->lower);
    put_integer(text, ",\n  \"robust_violated_at\": ", (uint64_t)robust->offset);
}

static void put_search(struct text *text, const sinpos_base_certificate *c)
{
    put(text, ",\n  \"pool\": [");
    for (size_t i = 0; i < c->n_pool; i++)
        put_integer(text, i == 0 ? "" : ", ", (uint64_t)c->pool[i]);
    put_integer(text, "],\n  \"since_scan\": ", c->since_scan);
    put_real(text, ",\n  \"reference\": ", c->reference);
}

int base_file_save(const char *path, const sinpos_base_certificate *c)
{
    struct text text = {0};
    sinpos_file_error error = SINPOS_FILE_ERROR_INIT;
    put_query(&text, &c->query);
    put(&text, ",\n  \"outcome\": \"");
    put(&text, base_outcome_name(c->outcome));
    put_real(&text, "\",\n  \"base_lower\": ", c->base_lower);
    put_real(&text, ",\n  \"base_upper\": ", c->base_upper);
    put_integer(&text, ",\n  \"violated_at\": ", (uint64_t)c->violated_at);
    put_robust(&text, &c->robust);
    put_search(&text, c);
    put(&text, ",\n  \"steps\": [");
    for (size_t i = 0; i < c->n_steps; i++) {
        put_real(&text, i == 0 ? "\n    [" : ",\n    [", c->steps[i].end);
        put_integer(&text, ", ", (uint64_t)c->steps[i].offset);
        put(&text, "]");
    }
    put(&text, c->n_steps == 0 ? "]\n}\n" : "\n  ]\n}\n");
    int code = text.failed ? complain_memory() : EXIT_DONE;
    if (code == EXIT_DONE && interrupt_bytes_write(path, text.bytes, text.length, &error) != SINPOS_FILE_OK)
        code = complain_write(path, &error);
    free(text.bytes);
    return code;
}

/* ----------------------------------------------------------------------------------------------------- reading */

struct reader {
    const char *text, *at;
    const char *wanted; /* what was not found; NULL while all is well */
};

static void skip_blanks(struct reader *reader)
{
    while (*reader->at != '\0' && strchr(" \t\r\n", *reader->at) != NULL)
        reader->at++;
}

static bool take(struct reader *reader, const char *token)
{
    skip_blanks(reader);
    const size_t length = strlen(token);
    if (reader->wanted != NULL || strncmp(reader->at, token, length) != 0)
        return false;
    reader->at += length;
    return true;
}

static void need(struct reader *reader, const char *token)
{
    if (!take(reader, token) && reader->wanted == NULL)
        reader->wanted = token;
}

static void need_key(struct reader *reader, const char *key)
{
    need(reader, key);
    need(reader, ":");
}

static void need_next_key(struct reader *reader, const char *key)
{
    need(reader, ",");
    need_key(reader, key);
}

static double need_real(struct reader *reader)
{
    char *end;
    skip_blanks(reader);
    if (reader->wanted != NULL || (!isdigit((unsigned char)*reader->at) && *reader->at != '-')) {
        reader->wanted = reader->wanted == NULL ? "a number" : reader->wanted;
        return 0;
    }
    const double value = strtod(reader->at, &end);
    if (!isfinite(value))
        reader->wanted = "a finite number";
    reader->at = end;
    return value;
}

static uint64_t need_integer(struct reader *reader)
{
    const uint64_t most = (uint64_t)1 << 53;
    const double value = need_real(reader);
    if (reader->wanted == NULL && !(value >= 0 && value <= (double)most && value == floor(value)))
        reader->wanted = "a whole number from 0 to 2^53";
    return reader->wanted == NULL ? (uint64_t)value : 0;
}

static void read_query(struct reader *reader, sinpos_base_query *query)
{
    need(reader, "{");
    need_key(reader, "\"format\"");
    need(reader, "\"" FORMAT "\"");
    need_next_key(reader, "\"context\"");
    query->context = (size_t)need_integer(reader);
    need_next_key(reader, "\"tones\"");
    query->n_tones = (size_t)need_integer(reader);
    need_next_key(reader, "\"shift\"");
    query->shift = need_real(reader);
    need_next_key(reader, "\"divisor\"");
    query->divisor = need_real(reader);
    need_next_key(reader, "\"scale\"");
    query->scale = need_real(reader);
    need_next_key(reader, "\"constant\"");
    query->constant = need_real(reader);
}

static void read_outcome(struct reader *reader, sinpos_base_certificate *c)
{
    need_next_key(reader, "\"outcome\"");
    need(reader, "\"");
    for (size_t i = 0; i < N_OUTCOMES && reader->wanted == NULL; i++) {
        if (take(reader, outcomes[i])) {
            c->outcome = (sinpos_base_outcome)i;
            need(reader, "\"");
            return;
        }
    }
    reader->wanted = reader->wanted == NULL ? "open, found, any, none or gap" : reader->wanted;
}

static void read_claims(struct reader *reader, sinpos_base_certificate *c)
{
    read_outcome(reader, c);
    need_next_key(reader, "\"base_lower\"");
    c->base_lower = need_real(reader);
    need_next_key(reader, "\"base_upper\"");
    c->base_upper = need_real(reader);
    need_next_key(reader, "\"violated_at\"");
    c->violated_at = (int64_t)need_integer(reader);
}

static void read_robust(struct reader *reader, sinpos_base_robust *robust)
{
    need_next_key(reader, "\"robust_upper\"");
    robust->upper = need_real(reader);
    need_next_key(reader, "\"robust_lower\"");
    robust->lower = need_real(reader);
    need_next_key(reader, "\"robust_violated_at\"");
    robust->offset = (int64_t)need_integer(reader);
}

static void read_search(struct reader *reader, sinpos_base_certificate *c)
{
    need_next_key(reader, "\"pool\"");
    need(reader, "[");
    c->n_pool = 0;
    while (reader->wanted == NULL && !take(reader, "]")) {
        if (c->n_pool > 0)
            need(reader, ",");
        if (c->n_pool == SINPOS_BASE_POOL) {
            reader->wanted = "a shorter pool";
            return;
        }
        c->pool[c->n_pool++] = (int64_t)need_integer(reader);
    }
    need_next_key(reader, "\"since_scan\"");
    c->since_scan = (size_t)need_integer(reader);
    need_next_key(reader, "\"reference\"");
    c->reference = need_real(reader);
}

/* Returns false where memory is short. */
static bool add_step(sinpos_base_certificate *c, double end, int64_t offset)
{
    if (c->n_steps == c->room) {
        const size_t room = c->room == 0 ? 256 : 2 * c->room;
        sinpos_base_step *steps = realloc(c->steps, room * sizeof *steps);
        if (steps == NULL)
            return false;
        c->steps = steps;
        c->room = room;
    }
    c->steps[c->n_steps++] = (sinpos_base_step){end, offset};
    return true;
}

static bool read_steps(struct reader *reader, sinpos_base_certificate *c)
{
    need_next_key(reader, "\"steps\"");
    need(reader, "[");
    while (reader->wanted == NULL && !take(reader, "]")) {
        if (c->n_steps > 0)
            need(reader, ",");
        need(reader, "[");
        const double end = need_real(reader);
        need(reader, ",");
        const int64_t offset = (int64_t)need_integer(reader);
        need(reader, "]");
        if (reader->wanted == NULL && !add_step(c, end, offset))
            return false;
    }
    need(reader, "}");
    skip_blanks(reader);
    if (reader->wanted == NULL && *reader->at != '\0')
        reader->wanted = "the end of the file";
    return true;
}

static int complain_wanted(const char *path, const struct reader *reader)
{
    size_t line = 1;
    for (const char *p = reader->text; p < reader->at; p++)
        line += *p == '\n';
    return complain(EXIT_FILE, "give a file that 'sinpos base -o' or '--resume' wrote, as it is", path,
                    "is not a certificate: line %zu should have %s", line, reader->wanted);
}

int base_file_load(const char *path, sinpos_base_certificate *c)
{
    char *text;
    memset(c, 0, sizeof *c);
    const int loaded = text_file_load(path, &text);
    if (loaded != EXIT_DONE)
        return loaded;
    struct reader reader = {.text = text, .at = text};
    sinpos_base_query query = {0};
    read_query(&reader, &query);
    int code = EXIT_DONE;
    if (reader.wanted == NULL && sinpos_base_begin(c, &query) != SINPOS_OK) {
        code = complain(EXIT_FILE, "give a file that 'sinpos base' wrote, as it is", path,
                        "asks for a context, tones or numbers outside their ranges");
    }
    read_claims(&reader, c);
    read_robust(&reader, &c->robust);
    read_search(&reader, c);
    if (code == EXIT_DONE && !read_steps(&reader, c))
        code = complain_memory();
    if (code == EXIT_DONE && reader.wanted != NULL)
        code = complain_wanted(path, &reader);
    free(text);
    if (code != EXIT_DONE)
        sinpos_base_free(c);
    return code;
}
