/* command_audit.c - sinpos audit: arrays against the exact encoding. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array_file.h"
#include "array_pieces.h"
#include "audit.h"
#include "audit_report.h"
#include "commands.h"
#include "kept.h"
#include "narrow_exactly.h"
#include "no_memory.h"
#include "plan_tones.h"
#include "progress.h"
#include "report.h"
#include "sinpos_analysis.h"

enum {
    PIECES = 4, /* of 8 MiB as float64, in a block */
    MOST_OPEN = 200
};

/* All arrays, and the one that is looked at. */
struct audits {
    const struct options *options;
    const struct request *request;
    struct audit *at; /* (n) */
    size_t n;
    struct audit *open; /* its reader, and room for a piece of it; NULL: none */
    size_t next_row;    /* where rows can only come in turn */
    char *got, *want;
    double *exact;
    struct tally made;
};

/* ---------------------------------------------------------------------------------------------- comparing */

static size_t channel_of(const struct audit *audit, size_t row, size_t column)
{
    return audit->encoding.info.is_channel_first ? row : row / audit->n_positions * audit->input.dim + column;
}

static struct place make_place(const struct audits *all, size_t row, size_t column, size_t i, uint64_t ulp)
{
    const struct input_array *input = &all->open->input;
    const size_t size = sinpos_type_bytes(all->open->type);
    struct place place = {true, row / input->n, row % input->n, column, ulp, 0, {0}, {0}};
    memcpy(place.got, all->got + i * size, size);
    memcpy(place.want, all->want + i * size, size);
    return place;
}

enum { WIDENED = 64 }; /* elements at a time */

/* One row, which counts over all blocks of the array. */
static void compare_row(struct audits *all, size_t row, size_t i)
{
    const struct audit *audit = all->open;
    const size_t dim = audit->input.dim, row_in_block = row % audit->input.n;
    const sinpos_type type = audit->type;
    struct tally *made = &all->made;
    double value[WIDENED] = {0};
    for (size_t column = 0; column < dim; column++, i++) {
        const size_t at = column % WIDENED, left = dim - column;
        if (at == 0 && sinpos_widen(type, all->got + i * sinpos_type_bytes(type), left < WIDENED ? left : WIDENED,
                                    value) != SINPOS_OK)
            return; /* cannot be: the type was checked */
        struct difference one = {0};
        const uint64_t ulp = difference_take(&one, type, all->got, all->want, i, value[at], all->exact[i]);
        const bool is_worse = one.max_abs_error > made->worst.abs_error || !made->worst.is_set;
        if (ulp > 0 && !made->first.is_set) {
            made->first = make_place(all, row, column, i, ulp);
            made->first.abs_error = one.max_abs_error;
        }
        if (ulp > 0 && is_worse) {
            made->worst = make_place(all, row, column, i, ulp);
            made->worst.abs_error = one.max_abs_error;
        }
        difference_join(&made->columns[channel_of(audit, row_in_block, column)], &one);
        difference_join(&made->ranges[audit_range_of(audit, audit_position(audit, row_in_block, column))], &one);
        difference_join(&made->total, &one);
    }
}

static void make_wanted(struct audits *all, size_t row, size_t n, size_t at)
{
    struct audit *audit = all->open;
    const size_t dim = audit->input.dim, threads = all->options->threads;
    void *want = all->want + at * dim * sinpos_type_bytes(audit->type);
    struct encoding *encoding = &audit->encoding;
    sinpos_status status = encoding_run(encoding, SINPOS_FILL, row, n, audit->type, want, threads);
    if (status == SINPOS_OK)
        status = encoding_run(encoding, SINPOS_FILL, row, n, SINPOS_F64, all->exact + at * dim, threads);
    expect_ok(status);
}

/* Rows that may belong to several blocks of the array. */
static void compare_piece(struct audits *all, size_t row, size_t n)
{
    const struct input_array *input = &all->open->input;
    for (size_t at = 0; at < n;) {
        const size_t row_in_block = (row + at) % input->n;
        const size_t left = input->n - row_in_block;
        const size_t some = n - at < left ? n - at : left;
        make_wanted(all, row_in_block, some, at);
        at += some;
    }
    for (size_t at = 0; at < n; at++)
        compare_row(all, row + at, at * input->dim);
}

static size_t n_rows_of(const struct audit *audit)
{
    return audit->input.n_blocks * audit->input.n;
}

/* In place: an element of the narrower type never lies behind the one it comes from. */
static void narrow_rows(struct audits *all, size_t row, size_t n)
{
    const struct input_array *input = &all->open->input;
    const size_t from = sinpos_type_bytes(input->type), to = sinpos_type_bytes(all->open->type);
    for (size_t i = 0; i < n * input->dim && all->open->type != input->type; i++) {
        double value;
        unsigned char element[8];
        const bool is_read = sinpos_widen(input->type, all->got + i * from, 1, &value) == SINPOS_OK;
        if (!is_read || !narrow_exactly(all->open->type, value, element))
            fail_option(all->options, OPTION_TYPE, "leave --type out, or name the type of the numbers",
                        "%s: row %zu, column %zu: %.9g is no number of %s", SHOWN(input->path), row + i / input->dim,
                        i % input->dim, value, sinpos_element_name((sinpos_element)all->open->type));
        memcpy(all->got + i * to, element, to);
    }
}

static void read_stored(struct audits *all, size_t row, size_t n)
{
    const struct input_array *input = &all->open->input;
    sinpos_file_error error = SINPOS_FILE_ERROR_INIT;
    sinpos_file_status status = SINPOS_FILE_OK;
    if (all->next_row != row && sinpos_reader_read_at(input->reader, 0, all->got, 0, NULL) == SINPOS_FILE_OK) {
        status = sinpos_reader_read_at(input->reader, row * input->dim, all->got, n * input->dim, &error);
        if (status != SINPOS_FILE_OK)
            fail_read(input->path, &error);
        return;
    }
    while (all->next_row <= row && status == SINPOS_FILE_OK) {
        const size_t some = all->next_row == row ? n : all->open->n_piece;
        status = sinpos_reader_read(input->reader, all->got, some * input->dim, &error);
        all->next_row += some;
    }
    if (status != SINPOS_FILE_OK)
        fail_read(input->path, &error);
}

static void read_rows(struct audits *all, size_t row, size_t n)
{
    read_stored(all, row, n);
    narrow_rows(all, row, n);
}

/* ------------------------------------------------------------------------------------------------------ blocks */

static void place_record(struct record *found, const struct place *place)
{
    const uint64_t words[] = {place->is_set, place->block, place->row, place->column, place->ulp};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        record_word(found, words[i]);
    record_real(found, place->abs_error);
    for (size_t i = 0; i < sizeof place->got; i++)
        record_word(found, (uint64_t)place->got[i] << 8 | place->want[i]);
}

static struct place place_of_record(struct record *found)
{
    struct place place = {.is_set = record_next_word(found) != 0};
    place.block = (size_t)record_next_word(found);
    place.row = (size_t)record_next_word(found);
    place.column = (size_t)record_next_word(found);
    place.ulp = record_next_word(found);
    place.abs_error = record_next_real(found);
    for (size_t i = 0; i < sizeof place.got; i++) {
        const uint64_t word = record_next_word(found);
        place.got[i] = (unsigned char)(word >> 8);
        place.want[i] = (unsigned char)word;
    }
    return place;
}

static void difference_record(struct record *found, const struct difference *d)
{
    record_word(found, d->elements);
    record_word(found, d->wrong);
    record_word(found, d->max_ulp);
    record_real(found, d->max_abs_error);
}

static void join_record(struct difference *d, struct record *found)
{
    struct difference one = {.elements = record_next_word(found)};
    one.wrong = record_next_word(found);
    one.max_ulp = record_next_word(found);
    one.max_abs_error = record_next_real(found);
    difference_join(d, &one);
}

/* In the order of the array. */
static bool is_before(const struct place *a, const struct place *b)
{
    return a->block != b->block ? a->block < b->block : a->row != b->row ? a->row < b->row : a->column < b->column;
}

/* Blocks come in any order. */
static void take_places(struct tally *tally, const struct place *first, const struct place *worst)
{
    if (first->is_set && (!tally->first.is_set || is_before(first, &tally->first)))
        tally->first = *first;
    const bool is_worse = !tally->worst.is_set || worst->abs_error > tally->worst.abs_error ||
                          (worst->abs_error == tally->worst.abs_error && is_before(worst, &tally->worst));
    if (worst->is_set && is_worse)
        tally->worst = *worst;
}

/* The array that a block of the job belongs to, and its number there. */
static struct audit *audit_of(const struct audits *all, size_t *block)
{
    struct audit *audit = all->at;
    for (; *block >= audit->n_blocks; audit++)
        *block -= audit->n_blocks;
    return audit;
}

static void open_audit(struct audits *all, struct audit *audit);

static void make_block(void *context, size_t block, struct record *state, struct record *found)
{
    struct audits *all = context;
    struct audit *audit = audit_of(all, &block);
    const size_t begin = block * audit->n_block, left = n_rows_of(audit) - begin;
    const size_t end = begin + (left < audit->n_block ? left : audit->n_block);
    struct difference *columns = memory_take(audit->n_channels, sizeof *columns);
    (void)state;
    open_audit(all, audit);
    all->made = (struct tally){.columns = columns};
    for (size_t row = begin; row < end; row += audit->n_piece) {
        const size_t n = end - row < audit->n_piece ? end - row : audit->n_piece;
        read_rows(all, row, n);
        compare_piece(all, row, n);
    }
    place_record(found, &all->made.first);
    place_record(found, &all->made.worst);
    difference_record(found, &all->made.total);
    for (size_t i = 0; i < audit->n_ranges; i++)
        difference_record(found, &all->made.ranges[i]);
    for (size_t i = 0; i < audit->n_channels; i++)
        difference_record(found, &columns[i]);
    free(columns);
}

static void take_block(void *context, size_t block, struct record *found)
{
    const struct audits *all = context;
    struct audit *audit = audit_of(all, &block);
    struct tally *tally = &audit->tally;
    const struct place first = place_of_record(found), worst = place_of_record(found);
    const uint64_t before = tally->total.elements;
    if (tally->columns == NULL)
        tally->columns = memory_take(audit->n_channels, sizeof *tally->columns);
    take_places(tally, &first, &worst);
    join_record(&tally->total, found);
    for (size_t i = 0; i < audit->n_ranges; i++)
        join_record(&tally->ranges[i], found);
    for (size_t i = 0; i < audit->n_channels; i++)
        join_record(&tally->columns[i], found);
    progress_advance((tally->total.elements - before) * sinpos_type_bytes(audit->input.type));
}

static void scale_errors(struct audit *audit)
{
    difference_scale(&audit->tally.total, &audit->scale);
    for (size_t i = 0; i < audit->n_ranges; i++)
        difference_scale(&audit->tally.ranges[i], &audit->scale);
    for (size_t i = 0; i < audit->n_channels; i++)
        difference_scale(&audit->tally.columns[i], &audit->scale);
}

static size_t wide_row_bytes(const struct audit *audit)
{
    return audit->input.dim > SIZE_MAX / 64 ? SIZE_MAX / 8 : audit->input.dim * 8;
}

/* A block of the job: some pieces, so that what it finds, which goes by the columns, is little beside it. */
static void cut_into_blocks(struct audit *audit)
{
    const size_t n_rows = n_rows_of(audit);
    audit->n_piece = input_piece_rows(&audit->input, &audit->encoding, wide_row_bytes(audit));
    audit->n_ranges = audit->n_positions < N_RANGES ? audit->n_positions : N_RANGES;
    audit->n_block = audit->n_piece > n_rows / PIECES ? n_rows : PIECES * audit->n_piece;
    audit->n_blocks = n_rows / audit->n_block + (n_rows % audit->n_block != 0);
}

/* ---------------------------------------------------------------------------------- positions, rows and columns */

/* Coordinates of a convention's rows; numbers of rows where some have none. */
static void label_rows(struct audit *audit)
{
    const sinpos_encoding_info *info = &audit->encoding.info;
    const sinpos_rows numbers = {.struct_size = sizeof numbers, .n = info->n_positions};
    struct positions *positions = &audit->encoding.positions;
    audit->n_positions = info->output == SINPOS_OUTPUT_INV_FREQ ? 1 : info->n_positions;
    audit->n_channels = audit->input.dim * audit->input.n / audit->n_positions;
    audit->has_positions = info->output != SINPOS_OUTPUT_INV_FREQ && info->n_axes > 0 &&
                           info->n_positions <= SIZE_MAX / sizeof(double) / info->n_axes;
    double *at = audit->has_positions ? memory_take(info->n_positions * info->n_axes, sizeof *at) : NULL;
    if (at != NULL && sinpos_encoding_coordinates(audit->encoding.named, 0, info->n_positions, at) == SINPOS_OK) {
        positions_take_reals(positions, at, info->n_positions, info->n_axes);
        return;
    }
    free(at);
    audit->has_positions = false;
    positions_take(positions, &numbers, 1);
}

static void take_encoding(struct audit *audit, const struct request *request)
{
    input_encoding(&audit->input, request, (unsigned)audit->type | SINPOS_F64, &audit->encoding);
    encoding_negate(&audit->encoding);
    audit->has_positions = true;
    audit->n_positions = audit->input.n;
    audit->n_channels = audit->input.dim;
    if (request->convention != NULL)
        label_rows(audit);
}

/* Which tone each column holds. */
static void take_channels(struct audit *audit, const struct plan_tones *list)
{
    audit->channels = memory_take(audit->n_channels, sizeof *audit->channels);
    for (size_t column = 0; column < audit->n_channels; column++)
        audit->channels[column].theta = NAN;
    for (size_t k = 0; k < list->n; k++) {
        const ptrdiff_t columns[2] = {list->tones[k].sin_column, list->tones[k].cos_column};
        for (size_t c = 0; c < 2; c++)
            if (columns[c] != SINPOS_NO_COLUMN && (size_t)columns[c] < audit->n_channels)
                audit->channels[columns[c]] = (struct channel){list->theta[k], list->tones[k].axis, c == 0};
    }
}

/* The largest amplitude: all tones of an encoding have the same, but for constant padding. */
static void take_scale(struct audit *audit, const struct plan_tones *list)
{
    audit->scale = (struct scale){audit->type, audit->encoding.info.output == SINPOS_OUTPUT_INV_FREQ ? NAN : 0};
    for (size_t k = 0; k < list->n; k++)
        if (fabs(list->tones[k].amplitude) > audit->scale.amplitude)
            audit->scale.amplitude = fabs(list->tones[k].amplitude);
}

static void take_tones(struct audit *audit)
{
    struct plan_tones list;
    const sinpos_status status = plan_tones_take(&list, audit->encoding.plan);
    if (status == SINPOS_E_MEMORY)
        fail_memory();
    take_scale(audit, &list);
    if (status == SINPOS_OK && audit->encoding.info.output == SINPOS_OUTPUT_TABLE)
        take_channels(audit, &list);
    plan_tones_free(&list);
}

/* ------------------------------------------------------------------------------------------------ command */

static void audit_free(struct audit *audit)
{
    input_close(&audit->input);
    encoding_free(&audit->encoding);
    free(audit->tally.columns);
    free(audit->channels);
}

/* The type that --type names may be narrower than that of a file which states its own. */
static void open_input(struct input_array *input, const char *path, const struct options *options, bool may_be_row,
                       sinpos_type *type)
{
    struct options own = *options;
    if (!ends_with(path, ".raw"))
        own.given[OPTION_TYPE] = NULL;
    input_open(input, path, &own, may_be_row);
    *type = options->given[OPTION_TYPE] == NULL ? input->type : options->type;
    if (*type != input->type && sinpos_type_bytes(*type) >= sinpos_type_bytes(input->type))
        fail_option(options, OPTION_TYPE, "leave --type out, or name a narrower type", "the array holds %s",
                    sinpos_element_name(input->array->element));
}

/* Looks at all that can be refused. */
static void prepare(struct audits *all, struct audit *audit, const char *path)
{
    audit->options = all->options;
    open_input(&audit->input, path, all->options, all->request->convention != NULL, &audit->type);
    if (audit->input.n == 0 || audit->input.n_blocks == 0)
        fail(EXIT_FILE, "there is nothing to compare", audit->input.path, "holds no elements");
    take_encoding(audit, all->request);
    take_tones(audit);
    cut_into_blocks(audit);
    audit->array = *audit->input.array;
    audit->input.array = &audit->array;
    if (all->n > MOST_OPEN) /* then they are files, which can be opened again */
        input_close(&audit->input);
}

static void close_audit(struct audits *all)
{
    if (all->open != NULL)
        input_close(&all->open->input);
    all->open = NULL;
    free(all->got);
    free(all->want);
    free(all->exact);
    all->got = all->want = NULL;
    all->exact = NULL;
}

static bool is_same_array(const sinpos_array *a, const sinpos_array *b)
{
    return a->element == b->element && a->n_dims == b->n_dims &&
           memcmp(a->shape, b->shape, a->n_dims * sizeof *a->shape) == 0;
}

static void open_audit(struct audits *all, struct audit *audit)
{
    struct input_array again;
    if (all->open == audit)
        return;
    close_audit(all);
    if (audit->input.reader == NULL) {
        open_input(&again, audit->input.path, all->options, true, &audit->type);
        if (!is_same_array(again.array, &audit->array))
            fail(EXIT_FILE, "give the command again", audit->input.path, "has changed while it was read");
        audit->input.reader = again.reader;
    }
    all->open = audit;
    all->next_row = 0;
    all->got = pieces_allocate(audit->n_piece * audit->input.row_bytes);
    all->want = pieces_allocate(audit->n_piece * audit->input.row_bytes);
    all->exact = pieces_allocate(audit->n_piece * wide_row_bytes(audit));
    encoding_prepare(&audit->encoding, audit->n_piece);
}

static int report(struct audits *all)
{
    const struct options *options = all->options;
    bool any_beyond = false;
    report_begin(options);
    for (size_t i = 0; i < all->n; i++) {
        scale_errors(&all->at[i]);
        any_beyond = any_beyond || difference_is_beyond(&all->at[i].tally.total, options->tolerance);
        if (options->given[OPTION_JSON] == NULL) {
            printf("%s", i > 0 ? "\n" : "");
            audit_print(&all->at[i]);
        }
    }
    if (options->given[OPTION_JSON] != NULL)
        audit_print_json(all->at, all->n);
    report_end(options);
    return any_beyond ? EXIT_CHECK : EXIT_DONE;
}

/* Nothing is reported before all files were read, so that a bad one leaves no half of a report. */
static int command_run(const struct request *request)
{
    const struct options *options = request->options;
    struct audits all = {.options = options, .request = request, .n = options->n_operands};
    struct kept kept = {.options = options,
                        .inputs = options->operands,
                        .n_inputs = options->n_operands,
                        .context = &all,
                        .make = make_block,
                        .take = take_block};
    uint64_t bytes = 0;
    int code = EXIT_DONE;
    kept_check(options);
    all.at = memory_take(all.n, sizeof *all.at);
    for (size_t i = 0; i < all.n; i++) {
        prepare(&all, &all.at[i], options->operands[i]);
        kept.n_blocks += all.at[i].n_blocks;
        bytes += (uint64_t)n_rows_of(&all.at[i]) * all.at[i].input.row_bytes;
    }
    progress_begin(all.n == 1 ? all.at[0].input.path : "comparing", bytes);
    kept_run(&kept);
    progress_clear();
    if (team_is_first()) {
        code = report(&all);
        kept_end(&kept);
    }
    close_audit(&all);
    for (size_t i = 0; i < all.n; i++)
        audit_free(&all.at[i]);
    free(all.at);
    return code;
}

const struct command audit_command = {
    .name = "audit",
    .bit = COMMAND_AUDIT,
    .summary = "compare arrays with the exact encoding",
    .usage = "FILE ... [options]",
    .description = "Compares (..., n, D) arrays, element by element, with the encoding that the options state,\n"
                   "rounded once to the type of the array, and prints how many elements are wrong, by how much and\n"
                   "where. --type names the type of numbers that a wider array keeps. A convention has its own\n"
                   "shape: a grid, columns first, cosines and sines. A unit is the last place of a number as large\n"
                   "as the amplitude; harmless rounding is named first. Exit 1 if any element is off by more than\n"
                   "--tolerance, in ulp: steps to the next number of that type, which are tiny beside a zero. With\n"
                   "-o FILE --resume the same command goes on after it was killed: FILE.journal keeps what is\n"
                   "done.",
    .examples = "  sinpos audit table.npy\n"
                "  sinpos audit whisper.npy --layout halves --divisor 191 --start 1496\n"
                "  sinpos audit whisper.npy --convention whisper_sinusoids --tolerance 64\n",
    .n_operands_least = 1,
    .n_operands_most = (size_t)-1,
    .run = command_run,
    .meanings = {[OPTION_OUTPUT] = "where the report goes (standard output)"},
};
