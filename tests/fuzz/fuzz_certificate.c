/*
 * The input as certificates about bases: a file of --verify, and a record of a journal. What is read is written and read
 * again, and what small ones prove is looked at in double precision.
 */
#include <math.h>
#include <stdlib.h>

#include "base_file.h"
#include "base_run.h"
#include "fuzz.h"
#include "fuzz_reader.h"
#include "fuzz_request.h"
#include "no_memory.h"

enum { MOST_TONES = 16, MOST_CONTEXT = 40, MOST_STEPS = 100, MOST_COPIED = 1 << 20 };
#define NEAR 1e-9 /* far above the rounding of so few tones */

static double g_at(const sinpos_base_query *q, double base, int64_t k)
{
    double g = q->constant;
    for (size_t i = 0; i < q->n_tones; i++)
        g += cos((double)k * q->scale * pow(base, -((double)i + q->shift) / q->divisor));
    return g;
}

/* Of a certificate that holds. */
static void look_at_claims(const sinpos_base_certificate *c)
{
    double from = 1;
    for (size_t i = 0; i < c->n_steps; i++) {
        const double to = c->steps[i].end, middle = from + (to - from) / 2;
        if (!(to >= from) || (to > from && g_at(&c->query, middle, c->steps[i].offset) > NEAR))
            abort();
        from = to;
    }
    for (int64_t k = 0; c->outcome == SINPOS_BASE_FOUND && k < (int64_t)c->query.context; k++)
        if (g_at(&c->query, c->base_upper, k) < -NEAR)
            abort();
}

static bool is_small(const sinpos_base_query *q)
{
    return q->n_tones <= MOST_TONES && q->context <= MOST_CONTEXT && q->scale <= 4 && q->constant <= 1e6;
}

static void look_at(struct base *base, const sinpos_base_certificate *c)
{
    struct answer answer = {.certificate = *c};
    if (!is_small(&c->query) || c->n_steps > MOST_STEPS)
        return;
    base_verify(base, &answer);
    if (answer.is_checked && answer.verdict.holds)
        look_at_claims(c);
}

/* What base_file_text() needs: all at once. */
struct list {
    sinpos_base_certificate *at;
    size_t n, n_steps;
};

static void free_list(struct list *list)
{
    for (size_t i = 0; i < list->n; i++)
        sinpos_base_free(&list->at[i]);
    free(list->at);
}

/* As far as their steps are few. */
static struct list list_of(struct base *base, const char *path)
{
    struct base_file file;
    base_file_open(&file, path);
    struct list list = {.at = memory_take(file.n, sizeof *list.at)};
    while (base_file_next(&file)) {
        sinpos_base_certificate *c = &file.certificate;
        look_at(base, c);
        list.n_steps += c->n_steps;
        if (list.n_steps > MOST_COPIED)
            break;
        list.at[list.n] = *c;
        list.at[list.n].steps = memory_copy(c->steps, c->n_steps, sizeof *c->steps);
        list.at[list.n++].room = c->n_steps;
    }
    base_file_close(&file);
    return list;
}

static void check_all(void *context)
{
    struct base base = {.options = context};
    struct record text = {0}, again = {0};
    struct list list = list_of(&base, base.options->given[OPTION_VERIFY]);
    if (list.n > 0 && list.n_steps <= MOST_COPIED) {
        base_file_text(&text, list.at, list.n);
        struct list read = list_of(&base, put_file((const uint8_t *)text.bytes, text.n, "input.json"));
        base_file_text(&again, read.at, read.n);
        if (again.n != text.n || memcmp(again.bytes, text.bytes, text.n) != 0)
            abort();
        free_list(&read);
    }
    free_list(&list);
    record_free(&text);
    record_free(&again);
}

static void take_records(void *context)
{
    struct bytes *b = context;
    struct record record = {0};
    sinpos_base_certificate certificate = {.n_steps = 0};
    record_bytes(&record, b->at, b->left);
    while (base_text_take(&record, &certificate))
        continue;
    sinpos_base_free(&certificate);
    record_free(&record);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct options options;
    const char *path = put_file(data, size, "input.json");
    options = (struct options){.command = &base_command, .threads = 1};
    options.given[OPTION_VERIFY] = path;
    const int code = ending_of(check_all, &options);
    if (code != EXIT_DONE && code != EXIT_FILE)
        abort();
    if (ending_of(take_records, &(bytes){data, size}) != EXIT_DONE)
        abort();
    return 0;
}
