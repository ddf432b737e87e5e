/*
 * convert_named.c - how the columns of two named conventions differ.
 *
 * Both are made, exactly, at some rows; a column of one is that of the other which has the same values there. Elements
 * are rounded once from the real value, so equal functions have equal bits, whatever way they are written down.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "convert.h"
#include "no_memory.h"
#include "request_encoding.h"

#define N_SAMPLES 16

/* A column at the sampled rows. */
struct sampled {
    double values[N_SAMPLES];
    size_t i;
    bool is_taken;
};

bool is_convention(const char *name)
{
    char own[100];
    snprintf(own, sizeof own, "%.*s", (int)strcspn(name, ":") < 99 ? (int)strcspn(name, ":") : 99, name);
    return sinpos_convention_find(own) != NULL;
}

/* Where positions are given, they are those that others have by themselves: 0, 1, 2, ... */
static void make(struct encoding *encoding, const struct options *options, const char *name, size_t dim, size_t n_rows)
{
    const struct known known = {.dim = dim, .n_rows = n_rows};
    RELEASED_BY(request_free) struct request request = {0};
    OWNED char *text = memory_copy(name, strlen(name) + 1, 1);
    request_make_convention(&request, options, text, N_SAMPLES);
    encoding_make(encoding, &request, &known, SINPOS_F64, NULL, NULL);
}

/* The first half of the samples are the first rows, the others are spread to the last. */
static size_t sampled_row(size_t k, size_t n_rows)
{
    const size_t half = N_SAMPLES / 2;
    const size_t row = k < half ? k : half + (n_rows > half ? (n_rows - half - 1) / half * (k - half + 1) : 0);
    return row < n_rows ? row : n_rows - 1;
}

static void sample(struct encoding *encoding, size_t dim, size_t n_rows, struct sampled *columns)
{
    OWNED double *row = memory_take(dim, sizeof *row);
    for (size_t k = 0; k < N_SAMPLES; k++) {
        expect_ok(encoding_run(encoding, SINPOS_FILL, sampled_row(k, n_rows), 1, SINPOS_F64, row, 1));
        for (size_t i = 0; i < dim; i++) {
            columns[i].values[k] = row[i] + 0.0; /* no negative zero */
            columns[i].i = i;
            columns[i].is_taken = false;
        }
    }
}

static int compare_sampled(const void *a, const void *b)
{
    const struct sampled *s = a;
    const struct sampled *t = b;
    for (size_t k = 0; k < N_SAMPLES; k++)
        if (s->values[k] != t->values[k])
            return s->values[k] < t->values[k] ? -1 : 1;
    return 0;
}

/* Of the equal ones among the sorted columns one that was not taken yet; NULL if there is none. */
static struct sampled *take_equal(struct sampled *from, const struct sampled *wanted, size_t dim)
{
    struct sampled *found = bsearch(wanted, from, dim, sizeof *from, compare_sampled);
    while (found != NULL && found > from && compare_sampled(found - 1, wanted) == 0)
        found--;
    while (found != NULL && found->is_taken)
        found = found + 1 < from + dim && compare_sampled(found + 1, wanted) == 0 ? found + 1 : NULL;
    if (found != NULL)
        found->is_taken = true;
    return found;
}

static void match(const struct options *options, struct sampled *from, const struct sampled *to, size_t dim,
                  size_t *source)
{
    qsort(from, dim, sizeof *from, compare_sampled);
    for (size_t i = 0; i < dim; i++) {
        const struct sampled *found = take_equal(from, &to[i], dim);
        if (found == NULL) {
            fail_option(options, OPTION_TO, "make the table again with 'sinpos table --convention NAME'",
                        "differs from %.100s in more than the order of columns: its column %zu has no "
                        "counterpart there",
                        options->given[OPTION_FROM], i);
        }
        source[i] = found->i;
    }
}

static void check_width(const struct options *options, enum option_id id, const struct encoding *encoding, size_t dim)
{
    const sinpos_encoding_info *info = &encoding->info;
    if (info->n_columns != dim) {
        fail_option(options, id, "give its parameters, as in NAME:KEY=VALUE,KEY=VALUE",
                    "has %zu columns, and the array %zu", info->n_columns, dim);
    }
    if (info->n_rows <= 1) {
        fail_option(options, id, "give its parameters, as in NAME:KEY=VALUE,KEY=VALUE",
                    "has only one row, which does not distinguish its columns");
    }
}

void convert_named_columns(const struct options *options, size_t dim, size_t n_rows, size_t *source)
{
    struct encoding encodings[2];
    OWNED struct sampled *columns = memory_take(2 * dim, sizeof *columns);
    size_t common = n_rows > N_SAMPLES ? n_rows : N_SAMPLES;
    for (int k = 0; k < 2; k++) {
        const enum option_id id = k == 0 ? OPTION_FROM : OPTION_TO;
        make(&encodings[k], options, options->given[id], dim, common);
        check_width(options, id, &encodings[k], dim);
        common = encodings[k].info.n_rows < common ? encodings[k].info.n_rows : common;
    }
    for (int k = 0; k < 2; k++)
        sample(&encodings[k], dim, common, columns + (size_t)k * dim);
    match(options, columns, columns + dim, dim, source);
    encoding_free(&encodings[0]);
    encoding_free(&encodings[1]);
}
