/* command_audit.c - sinpos audit: arrays against the exact encoding. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array_pieces.h"
#include "audit.h"
#include "audit_report.h"
#include "commands.h"
#include "no_memory.h"
#include "plan_tones.h"
#include "progress.h"
#include "sinpos_analysis.h"

/* ---------------------------------------------------------------------------------------------- comparing */

static size_t channel_of(const struct audit *audit, size_t row, size_t column)
{
    return audit->encoding.info.is_channel_first ? row : row / audit->n_positions * audit->input.dim + column;
}

static struct place make_place(const struct audit *audit, size_t row, size_t column, size_t i, uint64_t ulp)
{
    const size_t size = sinpos_type_bytes(audit->input.type);
    struct place place = {true, row / audit->input.n, row % audit->input.n, column, ulp, 0, {0}, {0}};
    memcpy(place.got, audit->got + i * size, size);
    memcpy(place.want, audit->want + i * size, size);
    return place;
}

enum { WIDENED = 64 }; /* elements at a time */

/* One row, which counts over all blocks. */
static void compare_row(struct audit *audit, size_t row, size_t i)
{
    const size_t dim = audit->input.dim, row_in_block = row % audit->input.n;
    const sinpos_type type = audit->input.type;
    double value[WIDENED] = {0};
    for (size_t column = 0; column < dim; column++, i++) {
        const size_t at = column % WIDENED, left = dim - column;
        if (at == 0 && sinpos_widen(type, audit->got + i * sinpos_type_bytes(type), left < WIDENED ? left : WIDENED,
                                    value) != SINPOS_OK)
            return; /* cannot be: the type was checked */
        struct difference one = {0};
        const uint64_t ulp = difference_take(&one, type, audit->got, audit->want, i, value[at], audit->exact[i]);
        const bool is_worse = one.max_abs_error > audit->worst.abs_error || !audit->worst.is_set;
        if (ulp > 0 && !audit->first.is_set) {
            audit->first = make_place(audit, row, column, i, ulp);
            audit->first.abs_error = one.max_abs_error;
        }
        if (ulp > 0 && is_worse) {
            audit->worst = make_place(audit, row, column, i, ulp);
            audit->worst.abs_error = one.max_abs_error;
        }
        difference_join(&audit->columns[channel_of(audit, row_in_block, column)], &one);
        difference_join(&audit->ranges[audit_range_of(audit, audit_position(audit, row_in_block, column))], &one);
        difference_join(&audit->total, &one);
    }
}

static void make_wanted(struct audit *audit, size_t row, size_t n, size_t at)
{
    const size_t dim = audit->input.dim, threads = audit->options->threads;
    void *want = audit->want + at * audit->input.row_bytes;
    struct encoding *encoding = &audit->encoding;
    sinpos_status status = encoding_run(encoding, SINPOS_FILL, row, n, audit->input.type, want, threads);
    if (status == SINPOS_OK)
        status = encoding_run(encoding, SINPOS_FILL, row, n, SINPOS_F64, audit->exact + at * dim, threads);
    if (status != SINPOS_OK)
        fail_status(status);
}

/* Rows that may belong to several blocks. */
static void compare_piece(struct audit *audit, size_t row, size_t n)
{
    for (size_t at = 0; at < n;) {
        const size_t row_in_block = (row + at) % audit->input.n;
        const size_t left = audit->input.n - row_in_block;
        const size_t some = n - at < left ? n - at : left;
        make_wanted(audit, row_in_block, some, at);
        at += some;
    }
    for (size_t at = 0; at < n; at++)
        compare_row(audit, row + at, at * audit->input.dim);
}

static void compare_all(struct audit *audit)
{
    const size_t n_rows = audit->input.n_blocks * audit->input.n;
    for (size_t row = 0; row < n_rows; row += audit->n_piece) {
        const size_t n = n_rows - row < audit->n_piece ? n_rows - row : audit->n_piece;
        sinpos_file_error error = SINPOS_FILE_ERROR_INIT;
        if (sinpos_reader_read(audit->input.reader, audit->got, n * audit->input.dim, &error) != SINPOS_FILE_OK)
            fail_read(audit->input.path, &error);
        compare_piece(audit, row, n);
        progress_advance((uint64_t)n * audit->input.row_bytes);
    }
    progress_clear();
}

static void scale_errors(struct audit *audit)
{
    difference_scale(&audit->total, &audit->scale);
    for (size_t i = 0; i < audit->n_ranges; i++)
        difference_scale(&audit->ranges[i], &audit->scale);
    for (size_t i = 0; i < audit->n_channels; i++)
        difference_scale(&audit->columns[i], &audit->scale);
}

static void allocate(struct audit *audit)
{
    const size_t dim = audit->input.dim;
    const size_t wide_row = dim > SIZE_MAX / 64 ? SIZE_MAX / 8 : dim * 8;
    audit->n_piece = input_piece_rows(&audit->input, &audit->encoding, wide_row);
    audit->n_ranges = audit->n_positions < N_RANGES ? audit->n_positions : N_RANGES;
    audit->got = pieces_allocate(audit->n_piece * audit->input.row_bytes);
    audit->want = pieces_allocate(audit->n_piece * audit->input.row_bytes);
    audit->exact = pieces_allocate(audit->n_piece * wide_row);
    audit->columns = memory_take(audit->n_channels, sizeof *audit->columns);
    encoding_prepare(&audit->encoding, audit->n_piece);
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
    input_encoding(&audit->input, request, (unsigned)audit->input.type | SINPOS_F64, &audit->encoding);
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
    audit->scale = (struct scale){audit->input.type, audit->encoding.info.output == SINPOS_OUTPUT_INV_FREQ ? NAN : 0};
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
    free(audit->columns);
    free(audit->channels);
}

static void open_and_compare(struct audit *audit, const struct request *request, const char *path)
{
    input_open(&audit->input, path, audit->options, request->convention != NULL);
    if (audit->input.n == 0 || audit->input.n_blocks == 0)
        fail(EXIT_FILE, "there is nothing to compare", audit->input.path, "holds no elements");
    take_encoding(audit, request);
    take_tones(audit);
    allocate(audit);
    progress_begin(audit->input.path, (uint64_t)audit->input.n_blocks * audit->input.n * audit->input.row_bytes);
    compare_all(audit);
    scale_errors(audit);
    free(audit->got);
    free(audit->want);
    free(audit->exact);
}

static int report(struct audit *audits, const struct options *options)
{
    bool any_beyond = false;
    for (size_t i = 0; i < options->n_operands; i++) {
        any_beyond = any_beyond || difference_is_beyond(&audits[i].total, options->tolerance);
        if (options->given[OPTION_JSON] == NULL) {
            printf("%s", i > 0 ? "\n" : "");
            audit_print(&audits[i]);
        }
    }
    if (options->given[OPTION_JSON] != NULL)
        audit_print_json(audits, options->n_operands);
    finish_output();
    return any_beyond ? EXIT_CHECK : EXIT_DONE;
}

/* Nothing is reported before all files were read, so that a bad one leaves no half of a report. */
static int command_run(const struct request *request)
{
    const struct options *options = request->options;
    struct audit *audits = memory_take(options->n_operands, sizeof *audits);
    for (size_t i = 0; i < options->n_operands; i++) {
        audits[i].options = options;
        open_and_compare(&audits[i], request, options->operands[i]);
    }
    const int code = report(audits, options);
    for (size_t i = 0; i < options->n_operands; i++)
        audit_free(&audits[i]);
    free(audits);
    return code;
}

const struct command audit_command = {
    .name = "audit",
    .bit = COMMAND_AUDIT,
    .summary = "compare arrays with the exact encoding",
    .usage = "FILE ... [options]",
    .description = "Compares (..., n, D) arrays, element by element, with the encoding that the options state,\n"
                   "rounded once to the type of the array, and prints how many elements are wrong, by how much\n"
                   "and where. A convention has its own shape: a grid, columns first, cosines and sines. A unit\n"
                   "is the last place of a number as large as the amplitude; harmless rounding is named first.\n"
                   "Exit 1 if any element is off by more than --tolerance, in ulp: steps to the next number of\n"
                   "that type, which are tiny beside a zero.",
    .examples = "  sinpos audit table.npy\n"
                "  sinpos audit whisper.npy --layout halves --divisor 191 --start 1496\n"
                "  sinpos audit whisper.npy --convention whisper_sinusoids --tolerance 64\n",
    .n_operands_least = 1,
    .n_operands_most = (size_t)-1,
    .run = command_run,
};
