/* command_separate.c - sinpos separate: how near the rows of two positions come, and which types make them equal. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "commands.h"
#include "json_out.h"
#include "kept.h"
#include "no_memory.h"
#include "progress.h"
#include "report.h"
#include "separation.h"

enum { N_TYPES = 4 };
#define RANGE ((uint64_t)1 << 26)            /* offsets of a block */
#define ROUNDED_ELEMENTS ((uint64_t)1 << 28) /* beyond that many the nearest rounded rows must be asked for */

/* A type, and what is known of the rows it holds. */
struct held {
    sinpos_distinct distinct;
    sinpos_near near;
    bool has_near;
    char *why_not; /* where it has none; NULL: nothing is to be said */
};

/* The blocks of the job: ranges of offsets for the exact rows, then the types. */
struct separate {
    const struct options *options;
    struct encoding encoding;
    int64_t first;
    size_t n;
    sinpos_near *near; /* (options->nearest) */
    size_t n_near;
    struct held held[N_TYPES];
    size_t n_held;
    size_t n_ranges;
};

/* ------------------------------------------------------------------------------------------------- working */

/* Where a tone lacks a column, offsets cannot be divided. */
static size_t count_ranges(const struct separate *s)
{
    sinpos_near near;
    size_t n = 1;
    if (s->n < 2)
        return 1;
    const sinpos_status status =
        sinpos_separation_part(s->encoding.plan, s->first, s->n, 1, 1, &near, &n, s->options->threads, NULL, NULL);
    return status == SINPOS_OK ? (size_t)((s->n - 2) / RANGE + 1) : 1;
}

static void prepare(struct separate *s, const struct request *request)
{
    const struct options *options = s->options;
    static const enum option_id of_table[] = {OPTION_DIMS, OPTION_TABLE_LENGTHS, OPTION_BASES, OPTION_WANTED};
    refuse_options(options, of_table, sizeof of_table / sizeof of_table[0], "add --table", "belongs to --table");
    if (!options->start.is_integer) {
        fail_option(options, OPTION_START, "distances are those of consecutive integers",
                    "must be a whole number here");
    }
    const unsigned types = options->given[OPTION_TYPE] != NULL ? (unsigned)options->type | SINPOS_F64 : 0;
    const struct known known = {.n_default = options->length};
    encoding_make_sines(&s->encoding, request, &known, types);
    encoding_range(&s->encoding);
    s->first = positions_first(&s->encoding.positions);
    s->n = s->encoding.positions.n;
    encoding_plan(&s->encoding);
    s->near = memory_take(options->nearest, sizeof *s->near);
    s->n_ranges = count_ranges(s);
}

static uint64_t range_begin(const struct separate *s, size_t range)
{
    return range == s->n_ranges ? s->n : 1 + (uint64_t)range * RANGE;
}

static void make_nearest(const struct separate *s, size_t range, struct record *found)
{
    size_t n = s->options->nearest;
    OWNED sinpos_near *near = memory_take(n, sizeof *near);
    progress_begin_part("nearest rows");
    const sinpos_status status =
        sinpos_separation_part(s->encoding.plan, s->first, s->n, range_begin(s, range), range_begin(s, range + 1), near,
                               &n, s->options->threads, progress_watch, NULL);
    progress_clear();
    if (status != SINPOS_OK)
        fail_separation(status, "");
    record_word(found, n);
    for (size_t i = 0; i < n; i++)
        near_record(found, &near[i]);
}

static bool is_nearer(const sinpos_near *a, const sinpos_near *b)
{
    return a->distance < b->distance || (a->distance == b->distance && a->offset < b->offset);
}

/* Among the nearest so far. */
static void take_nearest(struct separate *s, struct record *found)
{
    for (uint64_t n = record_next_word(found); n > 0 && !found->is_bad; n--) {
        const sinpos_near pair = near_of_record(found);
        if (s->n_near == s->options->nearest && !is_nearer(&pair, &s->near[s->n_near - 1]))
            continue;
        size_t i = s->n_near < s->options->nearest ? s->n_near++ : s->n_near - 1;
        for (; i > 0 && is_nearer(&pair, &s->near[i - 1]); i--)
            s->near[i] = s->near[i - 1];
        s->near[i] = pair;
    }
}

/* All types, or the one asked for, that can hold the amplitude. */
static unsigned types_wanted(const struct separate *s)
{
    static const sinpos_type all[N_TYPES] = {SINPOS_F64, SINPOS_F32, SINPOS_F16, SINPOS_BF16};
    unsigned types = 0;
    if (s->options->given[OPTION_TYPE] != NULL)
        return (unsigned)s->options->type;
    for (size_t t = 0; t < N_TYPES; t++) {
        const bool fits = sinpos_fill(s->encoding.plan, 0, 0, all[t], NULL, s->encoding.dim) == SINPOS_OK;
        types |= fits ? (unsigned)all[t] : 0;
    }
    return types;
}

static void find_collisions(const struct separate *s, sinpos_distinct *found, sinpos_type type)
{
    const sinpos_collisions_options wanted = separation_options(s->options);
    progress_begin_part("equal rows");
    const sinpos_status status = sinpos_collisions(s->encoding.plan, s->first, s->n, (unsigned)type, &wanted, found);
    if (status == SINPOS_E_UNSUPPORTED)
        fail_option(s->options, OPTION_METHOD, "use auto or hashes", "too many offsets could make rows equal");
    if (status == SINPOS_E_RANGE)
        fail_option(s->options, OPTION_LENGTH, "hashes are for up to 2^40 positions", "is too long for hashes");
    if (status != SINPOS_OK)
        fail_separation(status, wanted.folder);
    progress_clear();
}

/* Returns why not, "" where nothing is to be said. */
static const char *find_rounded(const struct separate *s, struct held *held)
{
    const sinpos_distinct *d = &held->distinct;
    const bool is_asked = s->options->given[OPTION_ROUNDED] != NULL;
    if (d->has_collision) {
        held->has_near = true;
        held->near = (sinpos_near){0, d->later - d->earlier, d->earlier, d->later};
        return "";
    }
    if (s->n < 2)
        return "";
    if (!is_asked && (uint64_t)s->n > ROUNDED_ELEMENTS / s->encoding.dim)
        return "--rounded finds it";
    progress_begin_part("nearest rounded rows");
    const sinpos_status status = sinpos_separation_rounded(s->encoding.plan, s->first, s->n, d->type, &held->near,
                                                           s->options->threads, progress_watch, NULL);
    progress_clear();
    if (status == SINPOS_E_UNSUPPORTED)
        return "too many offsets are as near";
    if (status != SINPOS_OK)
        fail_separation(status, "");
    held->has_near = true;
    return "";
}

/* -------------------------------------------------------------------------------------------------- blocks */

static void make_held(const struct separate *s, const struct held *asked, struct record *found)
{
    struct held held = {.has_near = false};
    const sinpos_distinct *d = &held.distinct;
    find_collisions(s, &held.distinct, asked->distinct.type);
    const char *why_not = find_rounded(s, &held);
    const uint64_t words[] = {
        (uint64_t)d->has_collision, (uint64_t)d->earlier, (uint64_t)d->later, d->n_distinct, d->n_offsets,
        d->temporary_bytes,         (uint64_t)d->method,  held.has_near};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        record_word(found, words[i]);
    near_record(found, &held.near);
    record_text(found, why_not);
}

static void take_held(struct held *held, struct record *found)
{
    sinpos_distinct *d = &held->distinct;
    size_t n;
    d->has_collision = (int)record_next_word(found);
    d->earlier = (int64_t)record_next_word(found);
    d->later = (int64_t)record_next_word(found);
    d->n_distinct = record_next_word(found);
    d->n_offsets = record_next_word(found);
    d->temporary_bytes = record_next_word(found);
    d->method = (sinpos_distinct_method)record_next_word(found);
    held->has_near = record_next_word(found) != 0;
    held->near = near_of_record(found);
    const char *why_not = record_rest(found, &n);
    held->why_not = n == 0 ? NULL : memory_copy(why_not, n + 1, 1);
}

static void make_block(void *context, size_t block, struct record *state, struct record *found)
{
    struct separate *s = context;
    (void)state;
    if (block < s->n_ranges)
        make_nearest(s, block, found);
    else
        make_held(s, &s->held[block - s->n_ranges], found);
}

static void take_block(void *context, size_t block, struct record *found)
{
    struct separate *s = context;
    if (block < s->n_ranges)
        take_nearest(s, found);
    else
        take_held(&s->held[block - s->n_ranges], found);
}

/*
 * A range first, which refuses what is too long; then the types, which may take longest, from the coarsest on, which refuses
 * most.
 */
static size_t *order_blocks(const struct separate *s)
{
    size_t *order = memory_take(s->n_ranges + s->n_held, sizeof *order), n = 1;
    for (size_t i = s->n_held; i > 0; i--)
        order[n++] = s->n_ranges + i - 1;
    for (size_t i = 1; i < s->n_ranges; i++)
        order[n++] = i;
    return order;
}

/* ------------------------------------------------------------------------------------------------- as JSON */

static void json_pair(const char *name, const sinpos_near *near)
{
    EMIT_OBJECT(name);
    emit_real("distance", near->distance);
    emit_unsigned("offset", (uint64_t)near->offset);
    emit_integer("earlier", near->earlier);
    emit_integer("later", near->later);
}

static void json_held(const struct held *held)
{
    static const char *const methods[] = {"auto", "offsets", "hashes"};
    const sinpos_distinct *d = &held->distinct;
    EMIT_OBJECT(NULL);
    emit_text("type", sinpos_element_name((sinpos_element)d->type));
    emit_unsigned("distinct", d->n_distinct);
    emit_bool("all_distinct", !d->has_collision);
    if (d->has_collision) {
        EMIT_OBJECT("first_collision");
        emit_integer("earlier", d->earlier);
        emit_integer("later", d->later);
    } else {
        emit_null("first_collision");
    }
    if (held->has_near)
        json_pair("nearest", &held->near);
    else
        emit_null("nearest");
    emit_text("method", methods[d->method]);
    emit_unsigned("offsets", d->n_offsets);
    emit_unsigned("temporary_bytes", d->temporary_bytes);
}

static void json_report(const struct separate *s)
{
    EMIT_OBJECT(NULL);
    emit_unsigned("dim", s->encoding.dim);
    emit_unsigned("length", s->n);
    emit_integer("start", s->first);
    if (s->n_near > 0) {
        emit_real("smallest_distance", s->near[0].distance);
        emit_unsigned("offset", (uint64_t)s->near[0].offset);
    } else {
        emit_null("smallest_distance");
        emit_null("offset");
    }
    emit_array("nearest");
    for (size_t i = 0; i < s->n_near; i++)
        json_pair(NULL, &s->near[i]);
    emit_close();
    emit_array("types");
    for (size_t i = 0; i < s->n_held; i++)
        json_held(&s->held[i]);
    emit_close();
}

/* ------------------------------------------------------------------------------------------------- as text */

static void pair_text(char *text, size_t room, int64_t earlier, int64_t later)
{
    snprintf(text, room, "%" PRId64 " and %" PRId64, earlier, later);
}

static void print_nearest(const struct separate *s)
{
    char pair[64];
    if (s->n_near > 0)
        printf("\nnearest rows, exact\n%15s  %12s  %s\n", "offset", "distance", "for example");
    for (size_t i = 0; i < s->n_near; i++) {
        pair_text(pair, sizeof pair, s->near[i].earlier, s->near[i].later);
        printf("%15" PRId64 "  %12.7g  %s\n", s->near[i].offset, s->near[i].distance, pair);
    }
}

static void print_held(const struct held *held)
{
    const sinpos_distinct *d = &held->distinct;
    char pair[64] = "none", near[100];
    if (d->has_collision)
        pair_text(pair, sizeof pair, d->earlier, d->later);
    if (held->has_near && d->has_collision) {
        snprintf(near, sizeof near, "%12d", 0);
    } else if (held->has_near) {
        char at[64];
        pair_text(at, sizeof at, held->near.earlier, held->near.later);
        snprintf(near, sizeof near, "%12.7g  at %s", held->near.distance, at);
    } else {
        snprintf(near, sizeof near, "%12s  %s", "-", held->why_not == NULL ? "" : held->why_not);
    }
    printf("%-8s  %14" PRIu64 "  %-28s  %s\n", sinpos_element_name((sinpos_element)d->type), d->n_distinct, pair, near);
}

static void print_conclusion(const struct separate *s)
{
    size_t n_equal = 0;
    const struct held *worst = NULL;
    for (size_t i = 0; i < s->n_held; i++) {
        if (s->held[i].distinct.has_collision) {
            n_equal++;
            worst = worst == NULL || s->held[i].distinct.n_distinct < worst->distinct.n_distinct ? &s->held[i] : worst;
        }
    }
    if (s->n_near > 0 && s->near[0].distance == 0) {
        printf("\nPositions %" PRId64 " apart have the same row, exactly: this encoding cannot distinguish them.\n",
               s->near[0].offset);
    } else if (n_equal == 0) {
        puts(s->n_held == 1 ? "\nAll rows differ." : "\nAll rows differ, in every type.");
    } else {
        printf("\nThe exact rows all differ, but %s merges some: %" PRIu64
               " of %zu are left. More columns would help;\n"
               "'sinpos separate --table' shows how many.\n",
               sinpos_element_name((sinpos_element)worst->distinct.type), worst->distinct.n_distinct, s->n);
    }
}

static void text_report(const struct separate *s)
{
    char text[POSITIONS_SPAN_BYTES];
    printf("%zu x %zu, %s\n", s->n, s->encoding.dim, positions_span(&s->encoding.positions, text));
    print_nearest(s);
    printf("\nrows as each type holds them\n%-8s  %14s  %-28s  %12s\n", "type", "different rows", "first equal rows",
           "nearest rows");
    for (size_t i = 0; i < s->n_held; i++)
        print_held(&s->held[i]);
    if (s->options->given[OPTION_TYPE] == NULL && s->n_held < N_TYPES)
        puts("(the amplitude is beyond the types that are left out)");
    print_conclusion(s);
}

static int command_run(const struct request *request)
{
    const struct options *options = request->options;
    struct separate s = {.options = options};
    struct kept kept = {.options = options, .context = &s, .make = make_block, .take = take_block};
    kept_check(options);
    if (options->given[OPTION_DIM_TABLE] != NULL) {
        separation_table(request);
        return EXIT_DONE;
    }
    prepare(&s, request);
    for (unsigned types = types_wanted(&s); types != 0; types &= types - 1)
        s.held[s.n_held++].distinct.type = (sinpos_type)(types & -types);
    kept.n_blocks = s.n_ranges + s.n_held;
    OWNED size_t *order = order_blocks(&s);
    kept.order = order;
    kept_run(&kept);
    if (team_is_first()) {
        report_begin(options);
        if (options->given[OPTION_JSON] != NULL)
            json_report(&s);
        else
            text_report(&s);
        report_end(options);
        kept_end(&kept);
    }
    for (size_t i = 0; i < s.n_held; i++)
        free(s.held[i].why_not);
    free(s.near);
    encoding_free(&s.encoding);
    return EXIT_DONE;
}

const struct command separate_command = {
    .name = "separate",
    .bit = COMMAND_SEPARATE,
    .summary = "find the nearest positions, and the rows that a type makes equal",
    .usage = "[options]",
    .description =
        "Among N consecutive positions finds those whose exact rows are nearest, by Euclidean distance, and\n"
        "in each type which rows are equal in every bit and how many differ. The results are proved, not\n"
        "probable. It searches offsets, not pairs, so that a billion positions take a minute. With\n"
        "--table it finds how many columns are needed, by length: the least even D whose rows are at least\n"
        "--wanted apart and all differ in --type (bf16). With -o FILE --resume the same command goes on after\n"
        "it was killed: FILE.journal keeps what is done.",
    .examples = "  sinpos separate --dim 128 --length 1000000\n"
                "  sinpos separate --dim 8 --type bf16 --length 10000000 --memory 512M\n"
                "  sinpos separate --table --bases 1e4,5e5 --lengths 4096,131072\n",
    .run = command_run,
    .meanings = {[OPTION_OUTPUT] = "where the report goes (standard output)",
                 [OPTION_TYPE] = "f32, f64, f16 or bf16 (all; with --table bf16)",
                 [OPTION_START] = "first position, an integer (0)",
                 [OPTION_LENGTH] = "number of positions (4096)"},
};
