/* base_file.c - the keys stand in the order in which they are written; blanks and line breaks may be anywhere. */
#include "base_file.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "array_file.h"
#include "no_memory.h"
#include "text_buffer.h"

enum { STEPS_A_LINE = 5 };
#define FORMAT "sinpos base certificate 1"
#define STEPS_BEFORE "\"steps_before\""

static const char *const outcomes[] = {"open", "found", "any", "none", "gap"};
#define N_OUTCOMES (sizeof outcomes / sizeof outcomes[0])

const char *base_outcome_name(sinpos_base_outcome outcome)
{
    return outcomes[outcome];
}

/* Numbers of a certificate: name and place in the file are those that are read and written. */
struct field {
    const char *name;
    enum { REAL, SIZE, OFFSET } kind;
    size_t at;
};

#define FIELD(name) offsetof(sinpos_base_certificate, name)

static const struct field query_fields[] = {{"\"context\"", SIZE, FIELD(query.context)},
                                            {"\"tones\"", SIZE, FIELD(query.n_tones)},
                                            {"\"shift\"", REAL, FIELD(query.shift)},
                                            {"\"divisor\"", REAL, FIELD(query.divisor)},
                                            {"\"scale\"", REAL, FIELD(query.scale)},
                                            {"\"constant\"", REAL, FIELD(query.constant)},
                                            {NULL, REAL, 0}};
static const struct field claim_fields[] = {{"\"base_lower\"", REAL, FIELD(base_lower)},
                                            {"\"base_upper\"", REAL, FIELD(base_upper)},
                                            {"\"violated_at\"", OFFSET, FIELD(violated_at)},
                                            {"\"robust_upper\"", REAL, FIELD(robust.upper)},
                                            {"\"robust_lower\"", REAL, FIELD(robust.lower)},
                                            {"\"robust_violated_at\"", OFFSET, FIELD(robust.offset)},
                                            {NULL, REAL, 0}};
static const struct field search_fields[] = {
    {"\"since_scan\"", SIZE, FIELD(since_scan)}, {"\"reference\"", REAL, FIELD(reference)}, {NULL, REAL, 0}};

/* ----------------------------------------------------------------------------------------------------- writing */

static void add_real(struct text_buffer *out, double value)
{
    char digits[SINPOS_DECIMAL_BYTES];
    sinpos_decimal(digits, SINPOS_F64, &value);
    buffer_text(out, digits);
}

static void add_fields(struct text_buffer *out, const sinpos_base_certificate *c, const struct field *field)
{
    for (; field->name != NULL; field++) {
        const void *at = (const char *)c + field->at;
        buffer_format(out, ",\n  %s: ", field->name);
        switch (field->kind) {
        case REAL: add_real(out, *(const double *)at); break;
        case SIZE: buffer_format(out, "%zu", *(const size_t *)at); break;
        case OFFSET: buffer_format(out, "%" PRId64, *(const int64_t *)at); break;
        }
    }
}

static void add_certificate(struct text_buffer *out, const sinpos_base_certificate *c, size_t n_before)
{
    buffer_text(out, "{\n  \"format\": \"" FORMAT "\"");
    add_fields(out, c, query_fields);
    buffer_format(out, ",\n  \"outcome\": \"%s\"", base_outcome_name(c->outcome));
    add_fields(out, c, claim_fields);
    buffer_text(out, ",\n  \"pool\": [");
    for (size_t i = 0; i < c->n_pool; i++)
        buffer_format(out, "%s%" PRId64, i == 0 ? "" : ", ", c->pool[i]);
    buffer_text(out, "]");
    add_fields(out, c, search_fields);
    if (n_before > 0)
        buffer_format(out, ",\n  " STEPS_BEFORE ": %zu", n_before);
    buffer_text(out, ",\n  \"steps\": [");
    for (size_t i = n_before; i < c->n_steps; i++) {
        const bool is_first = i == n_before;
        buffer_text(out, is_first ? "\n    [" : (i - n_before) % STEPS_A_LINE == 0 ? ",\n    [" : ", [");
        add_real(out, c->steps[i].end);
        buffer_format(out, ", %" PRId64 "]", c->steps[i].offset);
    }
    buffer_text(out, c->n_steps == n_before ? "]\n}" : "\n  ]\n}");
}

/* How many of its first steps are all that the one before has. */
static size_t steps_in_common(const sinpos_base_certificate *c, const sinpos_base_certificate *before)
{
    size_t n = before == NULL || before->n_steps > c->n_steps ? 0 : before->n_steps;
    for (size_t i = 0; i < n; i++)
        if (c->steps[i].end != before->steps[i].end || c->steps[i].offset != before->steps[i].offset)
            return 0;
    return n;
}

void base_file_text(struct record *text, const sinpos_base_certificate *c, size_t n)
{
    RELEASED_BY(buffer_free) struct text_buffer out = {NULL, 0, 0, false};
    for (size_t i = 0; i < n; i++) {
        buffer_text(&out, n == 1 ? "" : i == 0 ? "[\n" : ",\n");
        add_certificate(&out, &c[i], steps_in_common(&c[i], i == 0 ? NULL : &c[i - 1]));
    }
    buffer_text(&out, n == 1 ? "\n" : "\n]\n");
    if (out.is_broken)
        fail_memory();
    record_bytes(text, out.bytes, out.n);
}

void base_go_on_from(sinpos_base_certificate *c, const sinpos_base_certificate *before)
{
    const double end = before->n_steps == 0 ? 1 : before->steps[before->n_steps - 1].end;
    size_t first = 0;
    while (first < c->n_steps && c->steps[first].end <= end)
        first++;
    const size_t n = before->n_steps + c->n_steps - first;
    sinpos_base_step *steps = memory_take(n, sizeof *steps);
    if (before->n_steps > 0)
        memcpy(steps, before->steps, before->n_steps * sizeof *steps);
    if (c->n_steps > first)
        memcpy(steps + before->n_steps, c->steps + first, (c->n_steps - first) * sizeof *steps);
    free(c->steps);
    c->steps = steps;
    c->n_steps = c->room = n;
}

void base_text_add(struct record *text, const sinpos_base_certificate *certificate, size_t n_steps_before)
{
    RELEASED_BY(buffer_free) struct text_buffer out = {NULL, 0, 0, false};
    add_certificate(&out, certificate, n_steps_before);
    if (out.is_broken)
        fail_memory();
    record_bytes(text, out.bytes, out.n);
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

static void read_fields(struct reader *reader, sinpos_base_certificate *c, const struct field *field)
{
    for (; field->name != NULL; field++) {
        void *at = (char *)c + field->at;
        need_next_key(reader, field->name);
        switch (field->kind) {
        case REAL: *(double *)at = need_real(reader); break;
        case SIZE: *(size_t *)at = (size_t)need_integer(reader); break;
        case OFFSET: *(int64_t *)at = (int64_t)need_integer(reader); break;
        }
    }
}

static void read_query(struct reader *reader, sinpos_base_query *query)
{
    sinpos_base_certificate c = {.query = *query};
    need(reader, "{");
    need_key(reader, "\"format\"");
    need(reader, "\"" FORMAT "\"");
    read_fields(reader, &c, query_fields);
    *query = c.query;
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

static void read_pool(struct reader *reader, sinpos_base_certificate *c)
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
}

static void add_step(sinpos_base_certificate *c, double end, int64_t offset)
{
    c->steps = memory_grow(c->steps, c->n_steps, &c->room, sizeof *c->steps);
    c->steps[c->n_steps++] = (sinpos_base_step){end, offset};
}

/* Those that this certificate leaves out are taken from the one before, which is left without steps. */
static void read_steps_before(struct reader *reader, sinpos_base_certificate *c, sinpos_base_certificate *before)
{
    need(reader, ",");
    if (!take(reader, STEPS_BEFORE))
        return;
    need(reader, ":");
    const char *at = reader->at;
    const uint64_t n = need_integer(reader);
    if (reader->wanted == NULL && n > before->n_steps) {
        reader->at = at;
        reader->wanted = "a number of steps that the certificate before it has";
    }
    if (reader->wanted == NULL) {
        c->steps = before->steps;
        c->room = before->room;
        c->n_steps = (size_t)n;
        before->steps = NULL;
        before->n_steps = before->room = 0;
    }
    need(reader, ",");
}

static void read_steps(struct reader *reader, sinpos_base_certificate *c)
{
    bool is_first = true;
    need_key(reader, "\"steps\"");
    need(reader, "[");
    while (reader->wanted == NULL && !take(reader, "]")) {
        if (!is_first)
            need(reader, ",");
        is_first = false;
        need(reader, "[");
        const double end = need_real(reader);
        need(reader, ",");
        const int64_t offset = (int64_t)need_integer(reader);
        need(reader, "]");
        if (reader->wanted == NULL)
            add_step(c, end, offset);
    }
    need(reader, "}");
}

/* False: the query is outside its ranges. */
static bool read_certificate(struct reader *reader, sinpos_base_certificate *c, sinpos_base_certificate *before)
{
    sinpos_base_query query = {0};
    read_query(reader, &query);
    if (sinpos_base_begin(c, &query) != SINPOS_OK && reader->wanted == NULL)
        return false;
    read_outcome(reader, c);
    read_fields(reader, c, claim_fields);
    read_pool(reader, c);
    read_fields(reader, c, search_fields);
    read_steps_before(reader, c, before);
    read_steps(reader, c);
    return true;
}

static noreturn void fail_wanted(const char *path, const struct reader *reader)
{
    size_t line = 1;
    for (const char *p = reader->text; p < reader->at; p++)
        line += *p == '\n';
    fail(EXIT_FILE, "give a file that 'sinpos base -o' wrote, as it is", path,
         "is not a certificate: line %zu should have %s", line, reader->wanted);
}

static void end_file(const struct base_file *file, struct reader *reader)
{
    if (file->is_list)
        need(reader, "]");
    skip_blanks(reader);
    if (reader->wanted == NULL && *reader->at != '\0')
        reader->wanted = "the end of the file";
    if (reader->wanted != NULL)
        fail_wanted(file->path, reader);
}

bool base_file_next(struct base_file *file)
{
    struct reader reader = {.text = file->text, .at = file->at};
    sinpos_base_certificate next = {.n_steps = 0};
    const bool is_first = file->n_read == 0;
    if (is_first)
        file->is_list = take(&reader, "[");
    if (!is_first && !(file->is_list && take(&reader, ","))) {
        end_file(file, &reader);
        return false;
    }
    if (!read_certificate(&reader, &next, &file->certificate)) {
        fail(EXIT_FILE, "give a file that 'sinpos base' wrote, as it is", file->path,
             "asks for a context, tones or numbers outside their ranges");
    }
    if (reader.wanted != NULL)
        fail_wanted(file->path, &reader);
    sinpos_base_free(&file->certificate);
    file->certificate = next;
    file->at = reader.at;
    file->n_read++;
    return true;
}

void base_file_open(struct base_file *file, const char *path)
{
    *file = (struct base_file){.path = path, .text = text_file_load(path)};
    file->at = file->text;
    while (base_file_next(file))
        continue;
    sinpos_base_free(&file->certificate);
    file->n = file->n_read;
    file->n_read = 0;
    file->at = file->text;
}

void base_file_close(struct base_file *file)
{
    sinpos_base_free(&file->certificate);
    free(file->text);
    file->text = NULL;
}

bool base_text_take(struct record *text, sinpos_base_certificate *certificate)
{
    size_t n;
    const char *rest = record_rest(text, &n);
    struct reader reader = {.text = rest, .at = rest};
    if (n == 0)
        return false;
    /* The text takes steps from a copy: the certificate stays as it is until all has been read. */
    RELEASED_BY(sinpos_base_free)
    sinpos_base_certificate next = {.n_steps = 0}, before = {.n_steps = certificate->n_steps};
    before.steps = memory_copy(certificate->steps, certificate->n_steps, sizeof *before.steps);
    before.room = before.n_steps;
    if (!read_certificate(&reader, &next, &before) || reader.wanted != NULL) {
        text->is_bad = true;
        return false;
    }
    text->at += (size_t)(reader.at - rest);
    sinpos_base_free(certificate);
    *certificate = next;
    next = (sinpos_base_certificate){.n_steps = 0};
    return true;
}
