/* command_audit.c - sinpos audit: arrays against the exact encoding. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "difference.h"
#include "input_array.h"
#include "json_out.h"
#include "pieces.h"
#include "progress.h"

#define N_RANGES 10
#define N_WORST_COLUMNS 5

/* One element that is worth showing. */
struct place {
    bool is_set;
    size_t block, row, column;
    uint64_t ulp;
    double abs_error;
    unsigned char got[8], want[8];
};

struct audit {
    const struct options *options;
    struct input_array input;
    struct positions positions;
    struct encoding encoding;
    struct difference total;
    struct difference ranges[N_RANGES]; /* by row of the block */
    size_t n_ranges;
    struct difference *columns;
    struct place first, worst;
    char *got, *want; /* one piece */
    double *exact;
    size_t n_piece;
};

/* ---------------------------------------------------------------------------------------------- comparing */

static size_t range_of(const struct audit *audit, size_t row)
{
    return (size_t)((double)row * (double)audit->n_ranges / (double)audit->input.n);
}

static size_t range_begin(const struct audit *audit, size_t range)
{
    size_t row = (size_t)((double)range * (double)audit->input.n / (double)audit->n_ranges);
    while (row > 0 && range_of(audit, row - 1) >= range) {
        row--;
    }
    while (row < audit->input.n && range_of(audit, row) < range) {
        row++;
    }
    return row;
}

static struct place make_place(const struct audit *audit, size_t row, size_t column, size_t i, uint64_t ulp)
{
    const size_t size = sinpos_type_bytes(audit->input.type);
    struct place place = {true, row / audit->input.n, row % audit->input.n, column, ulp, 0, {0}, {0}};
    memcpy(place.got, audit->got + i * size, size);
    memcpy(place.want, audit->want + i * size, size);
    return place;
}

/* One row, which counts over all blocks. */
static void compare_row(struct audit *audit, size_t row, size_t i)
{
    struct difference sum = {0};
    const size_t dim = audit->input.dim;
    for (size_t column = 0; column < dim; column++, i++) {
        struct difference one = {0};
        const uint64_t ulp = difference_take(&one, audit->input.type, audit->got, audit->want, audit->exact, i);
        const bool is_worse = one.max_abs_error > audit->worst.abs_error || !audit->worst.is_set;
        if (ulp > 0 && !audit->first.is_set) {
            audit->first = make_place(audit, row, column, i, ulp);
            audit->first.abs_error = one.max_abs_error;
        }
        if (ulp > 0 && is_worse) {
            audit->worst = make_place(audit, row, column, i, ulp);
            audit->worst.abs_error = one.max_abs_error;
        }
        difference_join(&audit->columns[column], &one);
        difference_join(&sum, &one);
    }
    difference_join(&audit->ranges[range_of(audit, row % audit->input.n)], &sum);
    difference_join(&audit->total, &sum);
}

static int make_wanted(struct audit *audit, size_t row, size_t n, size_t at)
{
    const sinpos_rows rows = positions_rows(&audit->positions, row, n);
    const size_t dim = audit->input.dim, threads = audit->options->threads;
    sinpos_status status = sinpos_run(audit->encoding.plan, SINPOS_FILL, &rows, audit->input.type,
                                      audit->want + at * audit->input.row_bytes, dim, threads);
    if (status == SINPOS_OK) {
        status =
            sinpos_run(audit->encoding.plan, SINPOS_FILL, &rows, SINPOS_F64, audit->exact + at * dim, dim, threads);
    }
    return status == SINPOS_OK ? EXIT_DONE : complain_status(status);
}

/* Rows that may belong to several blocks. */
static int compare_piece(struct audit *audit, size_t row, size_t n)
{
    for (size_t at = 0; at < n;) {
        const size_t row_in_block = (row + at) % audit->input.n;
        const size_t left = audit->input.n - row_in_block;
        const size_t some = n - at < left ? n - at : left;
        const int code = make_wanted(audit, row_in_block, some, at);
        if (code != EXIT_DONE) {
            return code;
        }
        at += some;
    }
    for (size_t at = 0; at < n; at++) {
        compare_row(audit, row + at, at * audit->input.dim);
    }
    return EXIT_DONE;
}

static int compare_all(struct audit *audit)
{
    const size_t n_rows = audit->input.n_blocks * audit->input.n;
    for (size_t row = 0; row < n_rows; row += audit->n_piece) {
        const size_t n = n_rows - row < audit->n_piece ? n_rows - row : audit->n_piece;
        sinpos_file_error error;
        if (sinpos_reader_read(audit->input.reader, audit->got, n * audit->input.dim, &error) != SINPOS_FILE_OK) {
            return complain_read(audit->input.path, &error);
        }
        const int code = compare_piece(audit, row, n);
        if (code != EXIT_DONE) {
            return code;
        }
        progress_advance((uint64_t)n * audit->input.row_bytes);
    }
    progress_clear();
    return EXIT_DONE;
}

static int allocate(struct audit *audit)
{
    const size_t n_rows = audit->input.n_blocks * audit->input.n, dim = audit->input.dim;
    const size_t wide_row = dim > SIZE_MAX / 64 ? SIZE_MAX / 8 : dim * 8;
    audit->n_piece = rows_per_piece(wide_row, n_rows);
    audit->n_ranges = audit->input.n < N_RANGES ? audit->input.n : N_RANGES;
    audit->got = pieces_allocate(audit->n_piece * audit->input.row_bytes);
    audit->want = pieces_allocate(audit->n_piece * audit->input.row_bytes);
    audit->exact = pieces_allocate(audit->n_piece * wide_row);
    audit->columns = calloc(dim, sizeof *audit->columns);
    if (audit->got == NULL || audit->want == NULL || audit->exact == NULL || audit->columns == NULL) {
        return complain_memory();
    }
    return positions_prepare(&audit->positions, audit->n_piece);
}

/* ---------------------------------------------------------------------------------------------- reporting */

static const char *ulp_text(char text[32], uint64_t ulp)
{
    if (ulp == ULP_INFINITE) {
        snprintf(text, 32, "NaN");
    } else {
        snprintf(text, 32, "%llu ulp", (unsigned long long)ulp);
    }
    return text;
}

static const char *error_text(char text[32], double error)
{
    snprintf(text, 32, isfinite(error) ? "%.2e" : "infinite", error);
    return text;
}

static void print_place(struct audit *audit, const char *name, const struct place *place)
{
    char position[POSITION_TEXT_BYTES], ulp[32], error[32];
    char got[SINPOS_DECIMAL_BYTES], want[SINPOS_DECIMAL_BYTES];
    sinpos_decimal(got, audit->input.type, place->got);
    sinpos_decimal(want, audit->input.type, place->want);
    printf("  %-6s row %zu, column %zu (position %s): got %s, exact %s", name,
           place->block * audit->input.n + place->row, place->column,
           positions_text(&audit->positions, place->row, position), got, want);
    if (place->ulp == ULP_INFINITE) {
        putchar('\n');
    } else {
        printf(", off by %s, %s\n", error_text(error, place->abs_error), ulp_text(ulp, place->ulp));
    }
}

static void print_difference(const char *name, const struct difference *difference)
{
    char ulp[32], error[32];
    printf("  %-34s %12llu %7.2f %% %16s %12s\n", name, (unsigned long long)difference->wrong,
           100.0 * (double)difference->wrong / (double)difference->elements, ulp_text(ulp, difference->max_ulp),
           error_text(error, difference->max_abs_error));
}

static void print_ranges(struct audit *audit)
{
    printf("\n  %-34s %12s %9s %16s %12s\n", "positions", "wrong", "", "worst", "worst abs");
    for (size_t range = 0; range < audit->n_ranges; range++) {
        char first[POSITION_TEXT_BYTES], last[POSITION_TEXT_BYTES], name[2 * POSITION_TEXT_BYTES + 8];
        const size_t begin = range_begin(audit, range), end = range_begin(audit, range + 1);
        positions_text(&audit->positions, begin, first);
        positions_text(&audit->positions, end - 1, last);
        snprintf(name, sizeof name, end - begin == 1 ? "%s" : "%s to %s", first, last);
        print_difference(name, &audit->ranges[range]);
    }
}

static bool is_worse_column(const struct difference *a, const struct difference *b)
{
    if (a->max_ulp == ULP_INFINITE || b->max_ulp == ULP_INFINITE) {
        return a->max_ulp > b->max_ulp;
    }
    return a->max_abs_error > b->max_abs_error;
}

/* The columns with the largest absolute errors, worst first. Returns how many have wrong elements. */
static size_t worst_columns(const struct audit *audit, size_t worst[N_WORST_COLUMNS])
{
    size_t n = 0;
    for (size_t column = 0; column < audit->input.dim; column++) {
        if (audit->columns[column].wrong == 0) {
            continue;
        }
        size_t at = n < N_WORST_COLUMNS ? n++ : N_WORST_COLUMNS;
        while (at > 0 && is_worse_column(&audit->columns[column], &audit->columns[worst[at - 1]])) {
            if (at < N_WORST_COLUMNS) {
                worst[at] = worst[at - 1];
            }
            at--;
        }
        if (at < N_WORST_COLUMNS) {
            worst[at] = column;
        }
    }
    return n;
}

static void print_columns(const struct audit *audit)
{
    size_t worst[N_WORST_COLUMNS];
    const size_t n = worst_columns(audit, worst);
    printf("\n  %-34s %12s %9s %16s %12s\n", "worst columns", "wrong", "", "worst", "worst abs");
    for (size_t i = 0; i < n; i++) {
        char name[32];
        snprintf(name, sizeof name, "%zu", worst[i]);
        print_difference(name, &audit->columns[worst[i]]);
    }
}

static void print_total(const struct audit *audit)
{
    const struct difference *total = &audit->total;
    char ulp[32], error[32];
    printf("  %llu of %llu elements are wrong (%.2f %%)", (unsigned long long)total->wrong,
           (unsigned long long)total->elements, 100.0 * (double)total->wrong / (double)total->elements);
    if (total->max_ulp == ULP_INFINITE) {
        puts(", some are no numbers");
    } else {
        printf(", by up to %s and %s\n", error_text(error, total->max_abs_error), ulp_text(ulp, total->max_ulp));
    }
}

static void print_report(struct audit *audit)
{
    char shape[SHAPE_TEXT_BYTES], span[POSITIONS_SPAN_BYTES];
    printf("%s: %s %s, %s\n", audit->input.path, shape_text(audit->input.array, shape),
           sinpos_element_name(audit->input.array->element), positions_span(&audit->positions, span));
    if (audit->total.wrong == 0) {
        printf("  every one of the %llu elements is the exact value, rounded once\n",
               (unsigned long long)audit->total.elements);
        return;
    }
    print_total(audit);
    print_place(audit, "first:", &audit->first);
    print_place(audit, "worst:", &audit->worst);
    print_ranges(audit);
    print_columns(audit);
}

static void json_ulp(const char *name, uint64_t ulp)
{
    if (ulp == ULP_INFINITE) {
        emit_null(name);
    } else {
        emit_unsigned(name, ulp);
    }
}

static void json_difference(const struct difference *difference)
{
    emit_unsigned("elements", difference->elements);
    emit_unsigned("wrong", difference->wrong);
    json_ulp("max_ulp", difference->max_ulp);
    emit_real("max_abs_error", difference->max_abs_error);
}

static void json_element(const char *name, sinpos_type type, const unsigned char *element)
{
    char text[SINPOS_DECIMAL_BYTES];
    sinpos_decimal(text, type, element);
    emit_literal(name, text);
}

static void json_position(struct audit *audit, const char *name, size_t row)
{
    char text[POSITION_TEXT_BYTES];
    positions_text(&audit->positions, row, text);
    if (audit->positions.n_axes == 1) {
        emit_literal(name, text);
    } else {
        emit_text(name, text);
    }
}

static void json_place(struct audit *audit, const char *name, const struct place *place)
{
    if (!place->is_set) {
        emit_null(name);
        return;
    }
    emit_object(name);
    emit_text("file", audit->input.path);
    emit_unsigned("block", place->block);
    emit_unsigned("row", place->row);
    emit_unsigned("column", place->column);
    json_position(audit, "position", place->row);
    json_element("got", audit->input.type, place->got);
    json_element("want", audit->input.type, place->want);
    json_ulp("ulp", place->ulp);
    emit_real("abs_error", place->abs_error);
    emit_close();
}

static void json_ranges(struct audit *audit)
{
    emit_array("positions");
    for (size_t range = 0; range < audit->n_ranges; range++) {
        const size_t begin = range_begin(audit, range), end = range_begin(audit, range + 1);
        emit_object(NULL);
        emit_unsigned("first_row", begin);
        emit_unsigned("last_row", end - 1);
        json_position(audit, "first_position", begin);
        json_position(audit, "last_position", end - 1);
        json_difference(&audit->ranges[range]);
        emit_close();
    }
    emit_close();
}

static void json_columns(const struct audit *audit)
{
    size_t worst[N_WORST_COLUMNS];
    const size_t n = worst_columns(audit, worst);
    emit_array("worst_columns");
    for (size_t i = 0; i < n; i++) {
        emit_object(NULL);
        emit_unsigned("column", worst[i]);
        json_difference(&audit->columns[worst[i]]);
        emit_close();
    }
    emit_close();
}

/* The members of one file's object. */
static void json_members(struct audit *audit)
{
    emit_text("file", audit->input.path);
    emit_array("shape");
    for (size_t i = 0; i < audit->input.array->n_dims; i++) {
        emit_unsigned(NULL, audit->input.array->shape[i]);
    }
    emit_close();
    emit_text("type", sinpos_element_name(audit->input.array->element));
    json_difference(&audit->total);
    json_place(audit, "first_wrong", &audit->first);
    json_place(audit, "worst", &audit->worst);
    json_ranges(audit);
    json_columns(audit);
}

/* One file: its object. Several: their sums, and a list of their objects. */
static void json_report(struct audit *audits, size_t n)
{
    struct difference total = {0};
    struct audit *first = NULL;
    emit_object(NULL);
    if (n == 1) {
        json_members(audits);
        emit_close();
        return;
    }
    for (size_t i = 0; i < n; i++) {
        difference_join(&total, &audits[i].total);
        first = first == NULL && audits[i].first.is_set ? &audits[i] : first;
    }
    json_difference(&total);
    json_place(first == NULL ? audits : first, "first_wrong", first == NULL ? &audits[0].first : &first->first);
    emit_array("files");
    for (size_t i = 0; i < n; i++) {
        emit_object(NULL);
        json_members(&audits[i]);
        emit_close();
    }
    emit_close();
    emit_close();
}

/* ------------------------------------------------------------------------------------------------ command */

static void free_pieces(struct audit *audit)
{
    free(audit->got);
    free(audit->want);
    free(audit->exact);
    audit->got = NULL;
    audit->want = NULL;
    audit->exact = NULL;
}

static void audit_free(struct audit *audit)
{
    free_pieces(audit);
    input_close(&audit->input);
    encoding_free(&audit->encoding);
    positions_free(&audit->positions);
    free(audit->columns);
}

static int open_and_compare(struct audit *audit, const char *path)
{
    int code = input_open(&audit->input, path, audit->options);
    if (code != EXIT_DONE) {
        return code;
    }
    if (audit->input.n == 0 || audit->input.n_blocks == 0) {
        return complain(EXIT_FILE, "there is nothing to compare", audit->input.path, "holds no elements");
    }
    code = input_encoding(&audit->input, audit->options, (unsigned)audit->input.type | SINPOS_F64, &audit->positions,
                          &audit->encoding);
    code = code != EXIT_DONE ? code : allocate(audit);
    if (code == EXIT_DONE) {
        if (audit->options->given[OPTION_QUIET] == NULL) {
            progress_begin(audit->input.path,
                           (uint64_t)audit->input.n_blocks * audit->input.n * audit->input.row_bytes);
        }
        code = compare_all(audit);
    }
    free_pieces(audit);
    return code;
}

static bool is_beyond(const struct difference *total, double tolerance)
{
    return total->max_ulp == ULP_INFINITE || (double)total->max_ulp > tolerance;
}

static int report(struct audit *audits, const struct options *options)
{
    bool any_beyond = false;
    for (size_t i = 0; i < options->n_operands; i++) {
        any_beyond = any_beyond || is_beyond(&audits[i].total, options->tolerance);
        if (options->given[OPTION_JSON] == NULL) {
            printf("%s", i > 0 ? "\n" : "");
            print_report(&audits[i]);
        }
    }
    if (options->given[OPTION_JSON] != NULL) {
        json_report(audits, options->n_operands);
    }
    const int code = finish_output();
    return code != EXIT_DONE ? code : any_beyond ? EXIT_CHECK : EXIT_DONE;
}

/* Nothing is reported before all files were read, so that a bad one leaves no half of a report. */
static int command_run(const struct options *options)
{
    struct audit *audits = calloc(options->n_operands, sizeof *audits);
    if (audits == NULL) {
        return complain_memory();
    }
    int code = EXIT_DONE;
    for (size_t i = 0; i < options->n_operands && code == EXIT_DONE; i++) {
        audits[i].options = options;
        code = open_and_compare(&audits[i], options->operands[i]);
    }
    code = code != EXIT_DONE ? code : report(audits, options);
    for (size_t i = 0; i < options->n_operands; i++) {
        audit_free(&audits[i]);
    }
    free(audits);
    return code;
}

const struct command audit_command = {
    .name = "audit",
    .bit = COMMAND_AUDIT,
    .summary = "compare arrays with the exact encoding",
    .usage = "FILE ... [options]",
    .description = "Compares (..., n, D) arrays, element by element, with the encoding that the options state,\n"
                   "rounded once to the type of the array, and tells how many elements are wrong, by how much\n"
                   "and where. One ulp is one step to the next number of that type. Exit 1 if any element is\n"
                   "off by more than --tolerance.",
    .examples = "  sinpos audit table.npy\n"
                "  sinpos audit whisper.npy --layout halves --divisor 191 --start 1496\n",
    .n_operands_least = 1,
    .n_operands_most = (size_t)-1,
    .run = command_run,
};
