/* separation_table.c - sinpos separate --table: smallest distances by columns and length, and how many are needed. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json_out.h"
#include "kept.h"
#include "no_memory.h"
#include "progress.h"
#include "report.h"
#include "separation.h"

#define DIMS "8,16,32,64,128,256,512,1024"
#define LENGTHS "512,4096,32768,262144,1048576"

enum { DIM_MOST = 2048 };

struct sizes {
    size_t *at;
    size_t n;
};

struct line {
    double base;
    size_t dim;
    sinpos_near *near;    /* (lengths) */
    uint64_t n_different; /* lengths up to this one have no equal rows in the type */
};

struct table {
    const struct options *options;
    struct sizes dims, lengths;
    double *bases;
    size_t n_bases;
    sinpos_type type;
    double wanted;
    struct encoding encoding;
    struct line *lines; /* (n_bases, dims) */
    size_t *needed;     /* (n_bases, lengths) 0: more than DIM_MOST */
    sinpos_near *needed_near;
};

/* ------------------------------------------------------------------------------------------------- options */

/* Numbers between commas; the caller frees them. */
static double *parse_list(size_t *n, const struct options *options, enum option_id id, const char *text,
                          const char *hint)
{
    double *numbers = memory_take(strlen(text) + 1, sizeof *numbers);
    *n = 0;
    for (;;) {
        char word[64];
        const size_t length = strcspn(text, ",");
        snprintf(word, sizeof word, "%.*s", length > 60 ? 60 : (int)length, text);
        if (parse_real(word, &numbers[(*n)++]) != NULL)
            fail_option(options, id, hint, "must be numbers with commas between them");
        if (text[length] == '\0')
            return numbers;
        text += length + 1;
    }
}

static struct sizes take_sizes(const struct options *options, enum option_id id, const char *usual, double most,
                               bool even)
{
    static const char hint[] = "write it as in --dims 64,128,256";
    const char *text = options->given[id] == NULL ? usual : options->given[id];
    struct sizes sizes;
    OWNED double *numbers = parse_list(&sizes.n, options, id, text, hint);
    sizes.at = memory_take(sizes.n, sizeof *sizes.at);
    for (size_t i = 0; i < sizes.n; i++) {
        const bool fits = numbers[i] >= 2 && numbers[i] <= most && numbers[i] == floor(numbers[i]) &&
                          (!even || fmod(numbers[i], 2) == 0);
        if (!fits) {
            fail_option(options, id, hint,
                        even ? "must be even whole numbers from 2 on" : "must be whole numbers from 2 to 2^53");
        }
        sizes.at[i] = (size_t)numbers[i];
    }
    return sizes;
}

static void take_bases(struct table *t)
{
    static const char hint[] = "write it as in --bases 1e4,5e5";
    const struct options *options = t->options;
    if (options->given[OPTION_BASES] == NULL) {
        t->bases = memory_copy(&options->spec.base, 1, sizeof *t->bases);
        t->n_bases = 1;
        return;
    }
    t->bases = parse_list(&t->n_bases, options, OPTION_BASES, options->given[OPTION_BASES], hint);
    if (options->spec.schedule != SINPOS_GEOMETRIC)
        fail_option(options, OPTION_BASES, hint, "only the geometric schedule has a base");
    for (size_t i = 0; i < t->n_bases; i++)
        if (!(t->bases[i] > 0))
            fail_option(options, OPTION_BASES, hint, "must be above 0");
}

static void refuse_others(const struct options *options)
{
    static const enum option_id others[] = {OPTION_DIM,    OPTION_LENGTH,  OPTION_START,  OPTION_THETA,
                                            OPTION_FACTOR, OPTION_NEAREST, OPTION_ROUNDED};
    refuse_options(options, others, sizeof others / sizeof others[0], "--dims and --lengths say what the table has",
                   "cannot be combined with --table");
    if (options->spec.schedule == SINPOS_TURNS || options->spec.schedule == SINPOS_EXPLICIT) {
        fail_option(options, OPTION_SCHEDULE, "geometric, power and octave have any number of columns",
                    "cannot be combined with --table");
    }
}

static void prepare(struct table *t, const struct request *request)
{
    const struct options *options = t->options;
    if (request->convention != NULL) {
        fail_option(options, OPTION_DIM_TABLE, "state the encoding by --base, --divisor and so on",
                    "makes encodings of many widths, which a convention does not define");
    }
    refuse_others(options);
    t->dims = take_sizes(options, OPTION_DIMS, DIMS, SINPOS_MAX_DIM, true);
    t->lengths = take_sizes(options, OPTION_TABLE_LENGTHS, LENGTHS, 0x1p53, false);
    take_bases(t);
    t->type = options->given[OPTION_TYPE] == NULL ? SINPOS_BF16 : options->type;
    t->wanted = options->given[OPTION_WANTED] == NULL ? fabs(options->spec.amplitude) : options->wanted;
    t->lines = memory_take(t->n_bases * t->dims.n, sizeof *t->lines);
    t->needed = memory_take(t->n_bases * t->lengths.n, sizeof *t->needed);
    t->needed_near = memory_take(t->n_bases * t->lengths.n, sizeof *t->needed_near);
    encoding_make_alone(&t->encoding, request, (unsigned)t->type | SINPOS_F64, 1);
}

/* ------------------------------------------------------------------------------------------------- working */

static size_t longest(const struct sizes *lengths)
{
    size_t most = 0;
    for (size_t i = 0; i < lengths->n; i++)
        most = lengths->at[i] > most ? lengths->at[i] : most;
    return most;
}

static void make_line(const struct table *t, const struct line *line, struct record *found)
{
    sinpos_spec spec = t->encoding.spec;
    const sinpos_collisions_options wanted = separation_options(t->options);
    sinpos_distinct distinct;
    OWNED_PLAN sinpos_plan *plan = NULL;
    OWNED sinpos_near *near = memory_take(t->lengths.n, sizeof *near);
    spec.base = line->base;
    spec.dim = line->dim;
    sinpos_status status = sinpos_plan_create(&plan, &spec);
    if (status == SINPOS_OK) {
        status = sinpos_separation_lengths(plan, 0, t->lengths.at, t->lengths.n, near, t->options->threads,
                                           progress_watch, NULL);
    }
    if (status == SINPOS_OK)
        status = sinpos_collisions(plan, 0, longest(&t->lengths), (unsigned)t->type, &wanted, &distinct);
    if (status != SINPOS_OK)
        fail_separation(status, wanted.folder);
    record_word(found, distinct.has_collision ? (uint64_t)distinct.later : UINT64_MAX);
    for (size_t i = 0; i < t->lengths.n; i++)
        near_record(found, &near[i]);
}

static void make_needed(const struct table *t, size_t at, struct record *found)
{
    sinpos_spec spec = t->encoding.spec;
    sinpos_near near;
    size_t needed;
    spec.base = t->bases[at / t->lengths.n];
    const sinpos_status status =
        sinpos_dim_needed(&spec, t->lengths.at[at % t->lengths.n], t->wanted, (unsigned)t->type, DIM_MOST, &needed,
                          &near, t->options->threads, progress_watch, NULL);
    if (status != SINPOS_OK)
        fail_separation(status, separation_options(t->options).folder);
    record_word(found, needed);
    near_record(found, &near);
}

/* Blocks are the lines, and then what is needed. */
static void make_block(void *context, size_t block, struct record *state, struct record *found)
{
    const struct table *t = context;
    const size_t n_lines = t->n_bases * t->dims.n;
    (void)state;
    progress_begin_part("table");
    if (block < n_lines)
        make_line(t, &t->lines[block], found);
    else
        make_needed(t, block - n_lines, found);
    progress_clear();
}

static void take_block(void *context, size_t block, struct record *found)
{
    struct table *t = context;
    const size_t n_lines = t->n_bases * t->dims.n;
    if (block >= n_lines) {
        t->needed[block - n_lines] = (size_t)record_next_word(found);
        t->needed_near[block - n_lines] = near_of_record(found);
        return;
    }
    struct line *line = &t->lines[block];
    line->n_different = record_next_word(found);
    for (size_t i = 0; i < t->lengths.n; i++)
        line->near[i] = near_of_record(found);
}

static void name_lines(struct table *t)
{
    for (size_t b = 0; b < t->n_bases; b++) {
        for (size_t d = 0; d < t->dims.n; d++) {
            struct line *line = &t->lines[b * t->dims.n + d];
            *line = (struct line){.base = t->bases[b], .dim = t->dims.at[d]};
            line->near = memory_take(t->lengths.n, sizeof *line->near);
        }
    }
}

/* ------------------------------------------------------------------------------------------------- as JSON */

static void json_line(const struct table *t, const struct line *line)
{
    EMIT_OBJECT(NULL);
    emit_real("base", line->base);
    emit_unsigned("dim", line->dim);
    emit_array("distances");
    for (size_t i = 0; i < t->lengths.n; i++)
        emit_real(NULL, line->near[i].distance);
    emit_close();
    emit_array("offsets");
    for (size_t i = 0; i < t->lengths.n; i++)
        emit_unsigned(NULL, (uint64_t)line->near[i].offset);
    emit_close();
    emit_array("all_distinct");
    for (size_t i = 0; i < t->lengths.n; i++)
        emit_bool(NULL, t->lengths.at[i] <= line->n_different);
    emit_close();
}

static void json_needed(const struct table *t, size_t base)
{
    for (size_t i = 0; i < t->lengths.n; i++) {
        const size_t at = base * t->lengths.n + i;
        EMIT_OBJECT(NULL);
        emit_real("base", t->bases[base]);
        emit_unsigned("length", t->lengths.at[i]);
        const bool is_found = t->needed[at] > 0;
        emit_unless_0("dim", t->needed[at]);
        emit_real("distance", is_found ? t->needed_near[at].distance : NAN);
        emit_unless_0("offset", is_found ? (uint64_t)t->needed_near[at].offset : 0);
    }
}

static void json_report(const struct table *t)
{
    EMIT_OBJECT(NULL);
    emit_text("type", sinpos_element_name((sinpos_element)t->type));
    emit_real("wanted", t->wanted);
    emit_sizes("lengths", t->lengths.at, t->lengths.n);
    emit_array("table");
    for (size_t i = 0; i < t->n_bases * t->dims.n; i++)
        json_line(t, &t->lines[i]);
    emit_close();
    emit_array("dim_needed");
    for (size_t b = 0; b < t->n_bases; b++)
        json_needed(t, b);
    emit_close();
}

/* ------------------------------------------------------------------------------------------------- as text */

static void print_line(const struct table *t, const struct line *line)
{
    printf("%8zu", line->dim);
    for (size_t i = 0; i < t->lengths.n; i++) {
        char text[40];
        const bool differ = t->lengths.at[i] <= line->n_different;
        snprintf(text, sizeof text, "%.4g%s", line->near[i].distance, differ ? " " : "*");
        printf("  %11s", text);
    }
    putchar('\n');
}

static void print_needed(const struct table *t, size_t base)
{
    printf("%8s", "needed");
    for (size_t i = 0; i < t->lengths.n; i++) {
        const size_t needed = t->needed[base * t->lengths.n + i];
        char text[40];
        snprintf(text, sizeof text, needed == 0 ? "> %zu " : "%zu ", needed == 0 ? (size_t)DIM_MOST : needed);
        printf("  %11s", text);
    }
    putchar('\n');
}

static void print_base(const struct table *t, size_t base)
{
    if (t->encoding.spec.schedule == SINPOS_GEOMETRIC)
        printf("\nbase %.15g\n", t->bases[base]);
    else
        putchar('\n');
    printf("%8s", "D \\ N");
    for (size_t i = 0; i < t->lengths.n; i++)
        printf("  %10zu ", t->lengths.at[i]);
    putchar('\n');
    for (size_t d = 0; d < t->dims.n; d++)
        print_line(t, &t->lines[base * t->dims.n + d]);
    print_needed(t, base);
}

static void text_report(const struct table *t)
{
    const char *type = sinpos_element_name((sinpos_element)t->type);
    printf("smallest distance between the exact rows of two of the first N positions, by columns D\n"
           "* some rows are equal in %s\n",
           type);
    for (size_t b = 0; b < t->n_bases; b++)
        print_base(t, b);
    printf("\n'needed' is the least even D whose rows are all at least %.6g apart and all differ in %s.\n", t->wanted,
           type);
}

void separation_table(const struct request *request)
{
    struct table t = {.options = request->options};
    prepare(&t, request);
    name_lines(&t);
    struct kept kept = {.options = t.options,
                        .n_blocks = t.n_bases * (t.dims.n + t.lengths.n),
                        .context = &t,
                        .make = make_block,
                        .take = take_block};
    kept_run(&kept);
    if (team_is_first()) {
        report_begin(t.options);
        if (t.options->given[OPTION_JSON] != NULL)
            json_report(&t);
        else
            text_report(&t);
        report_end(t.options);
        kept_end(&kept);
    }
    for (size_t i = 0; i < t.n_bases * t.dims.n; i++)
        free(t.lines[i].near);
    free(t.lines);
    free(t.needed);
    free(t.needed_near);
    free(t.dims.at);
    free(t.lengths.at);
    free(t.bases);
    encoding_free(&t.encoding);
}
