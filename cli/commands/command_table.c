/* command_table.c - sinpos table: the array of encodings, written, hashed or shown. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array_pieces.h"
#include "commands.h"
#include "json_out.h"
#include "number_list.h"
#include "request_encoding.h"
#include "written.h"

#define SHOWN_ROWS 8

struct table {
    const struct options *options;
    struct encoding encoding;
    size_t n_rows, n_columns;
    struct output output;
    size_t row_bytes;
    ptrdiff_t *zero_rows;
    size_t n_zero_rows;
    struct sha256 hash;
    char hash_text[SHA256_TEXT_BYTES];
};

static void settle_size(struct table *table)
{
    const sinpos_encoding_info *info = &table->encoding.info;
    size_t elements;
    table->output.array = (sinpos_array){.element = (sinpos_element)table->options->type, .n_dims = info->n_dims};
    memcpy(table->output.array.shape, info->shape, info->n_dims * sizeof *info->shape);
    table->n_rows = info->n_rows;
    table->n_columns = info->n_columns;
    if (sinpos_array_elements(&table->output.array, &elements) != SINPOS_FILE_OK) {
        char what[80];
        snprintf(what, sizeof what, "%zu x %zu", table->n_rows, table->n_columns);
        fail(EXIT_USAGE, "ask for fewer columns or positions", what, "more elements than can be counted");
    }
    table->row_bytes = table->n_columns * sinpos_type_bytes(table->options->type);
    table->output.bytes = (uint64_t)table->row_bytes * table->n_rows;
}

static void take_zero_rows(struct table *table)
{
    struct loaded_array file = {.n = 0};
    if (table->options->given[OPTION_ZERO_ROWS] == NULL)
        return;
    index_list_load(&file, table->options, OPTION_ZERO_ROWS);
    table->zero_rows =
        index_list_make(&table->n_zero_rows, table->options, OPTION_ZERO_ROWS, table->n_rows, false, &file);
    loaded_array_free(&file);
}

/* All that can be refused before any work. */
static void prepare(struct table *table, const struct request *request)
{
    const struct options *options = table->options;
    const struct known known = {.n_default = options->length};
    written_check(options);
    encoding_make(&table->encoding, request, &known, (unsigned)options->type, NULL, NULL);
    settle_size(table);
    encoding_negate(&table->encoding);
    take_zero_rows(table);
    output_check(&table->output);
    encoding_plan(&table->encoding);
}

static void clear_zero_rows(const struct table *table, size_t row, size_t n, char *data)
{
    for (size_t i = 0; i < table->n_zero_rows; i++) {
        const size_t zero = (size_t)table->zero_rows[i];
        if (zero >= row && zero - row < n)
            memset(data + (zero - row) * table->row_bytes, 0, table->row_bytes);
    }
}

static void make_piece(void *context, size_t first, size_t n_elements, void *data)
{
    struct table *table = context;
    const size_t row = first / table->n_columns, n = n_elements / table->n_columns;
    expect_ok(encoding_run(&table->encoding, SINPOS_FILL, row, n, table->options->type, data, table->options->threads));
    clear_zero_rows(table, row, n, data);
}

/* Only an arithmetic that is not exact makes them. */
static uint64_t count_nans(void *context, const void *data, size_t n)
{
    const struct table *table = context;
    return count_nan(data, n, table->options->type);
}

/* Columns before the grid cannot be made in pieces without making all of it for each. */
static size_t n_piece_rows(const struct table *table)
{
    return table->n_rows == 0                      ? 1
           : table->encoding.info.is_channel_first ? table->n_rows
                                                   : rows_per_piece(table->row_bytes, table->n_rows);
}

static void write_table(struct table *table)
{
    const char *path = table->options->given[OPTION_OUTPUT];
    const size_t n_piece = n_piece_rows(table);
    struct output *output = &table->output;
    output->block_elements = n_piece * table->n_columns;
    output->context = table;
    output->make = make_piece;
    output->count = table->encoding.info.is_replayed ? count_nans : NULL;
    output->hash = table->options->given[OPTION_HASH] != NULL ? &table->hash : NULL;
    sha256_begin(&table->hash);
    encoding_prepare(&table->encoding, n_piece);
    output_begin(output, path != NULL ? path : "hashing");
    output_make(output);
    output_end(output);
    sha256_end(&table->hash, table->hash_text);
}

static size_t element_text(const struct table *table, const void *data, size_t index, char *text)
{
    const sinpos_type type = table->options->type;
    return sinpos_decimal(text, type, (const char *)data + index * sinpos_type_bytes(type));
}

static size_t shown_columns(const struct table *table)
{
    const size_t most = table->options->type == SINPOS_F64 ? 3 : table->options->type == SINPOS_F32 ? 4 : 6;
    return table->n_columns < most ? table->n_columns : most;
}

/* The position of a row; its number where rows of a convention are no positions alone. */
static const char *row_text(const struct table *table, size_t row, char text[POSITION_TEXT_BYTES])
{
    if (!encoding_position_text(&table->encoding, row, text))
        snprintf(text, POSITION_TEXT_BYTES, "%zu", row);
    return text;
}

/* What stands over the positions, or the numbers, of the rows. */
static const char *first_word(const struct table *table)
{
    char text[POSITION_TEXT_BYTES];
    return encoding_position_text(&table->encoding, 0, text) ? "position" : "row";
}

/* Width that the longest position of the rows shown needs. */
static int position_width(const struct table *table, size_t n)
{
    char text[POSITION_TEXT_BYTES];
    size_t width = strlen(first_word(table));
    for (size_t row = 0; row < n; row++) {
        const size_t length = strlen(row_text(table, row, text));
        width = length > width ? length : width;
    }
    return (int)width;
}

static void print_row(const struct table *table, const void *data, size_t row, int width)
{
    char text[SINPOS_DECIMAL_BYTES];
    for (size_t column = 0; column < shown_columns(table); column++) {
        element_text(table, data, row * table->n_columns + column, text);
        printf("  %*s", width, text);
    }
    puts(shown_columns(table) < table->n_columns ? "  ..." : "");
}

/* Some conventions say only how vectors rotate: nobody should take the pattern for a table. */
static const char *rotated_note(const sinpos_encoding_info *info)
{
    return info->output == SINPOS_OUTPUT_ROTATED
               ? ": a fixed pattern, rotated\n'sinpos rotate' rotates vectors; --set output=cos_sin makes the table"
               : "";
}

static void print_preview(const struct table *table, const void *data, size_t n)
{
    const int width = table->options->type == SINPOS_F64 ? 20 : table->options->type == SINPOS_F32 ? 13 : 9;
    const int first_width = position_width(table, n);
    const size_t more = table->n_rows - n;
    char text[POSITIONS_SPAN_BYTES], shape[ENCODING_SHAPE_BYTES];
    const char *name = encoding_name(&table->encoding);
    printf("%s %s, %s%s\n\n%*s", encoding_shape_text(&table->encoding, shape),
           sinpos_element_name(table->output.array.element),
           name != NULL ? name : positions_span(&table->encoding.positions, text), rotated_note(&table->encoding.info),
           first_width, first_word(table));
    for (size_t column = 0; column < shown_columns(table); column++)
        printf("  %*zu", width, column);
    putchar('\n');
    for (size_t row = 0; row < n; row++) {
        printf("%*s", first_width, row_text(table, row, text));
        print_row(table, data, row, width);
    }
    if (more > 0)
        printf("%*s  %zu more row%s\n", first_width, "...", more, more == 1 ? "" : "s");
    puts("\n'-o table.npy' writes all of it");
}

static void json_head(const struct table *table, const void *data, size_t n)
{
    emit_array("head");
    for (size_t row = 0; row < n; row++) {
        emit_array(NULL);
        for (size_t column = 0; column < shown_columns(table); column++) {
            char text[SINPOS_DECIMAL_BYTES];
            element_text(table, data, row * table->n_columns + column, text);
            emit_literal(NULL, text);
        }
        emit_close();
    }
    emit_close();
}

static void json_report(const struct table *table, const void *head, size_t n_head)
{
    const char *output = table->options->given[OPTION_OUTPUT];
    emit_object(NULL);
    emit_text("file", output);
    emit_unsigned("dim", table->n_columns);
    emit_unsigned("length", table->n_rows);
    emit_text("type", sinpos_element_name(table->output.array.element));
    emit_unsigned("bytes", table->output.bytes);
    if (table->options->given[OPTION_HASH] != NULL)
        emit_text("sha256", table->hash_text);
    if (head == NULL) {
        emit_real("seconds", table->output.seconds);
        emit_real("gb_per_s", output_rate(&table->output) / 1e9);
    } else {
        json_head(table, head, n_head);
    }
    emit_close();
}

static void show_table(struct table *table)
{
    const size_t n = table->n_rows < SHOWN_ROWS ? table->n_rows : SHOWN_ROWS;
    void *data = pieces_allocate(n * table->row_bytes);
    encoding_prepare(&table->encoding, n);
    make_piece(table, 0, n * table->n_columns, data);
    if (table->encoding.info.is_replayed)
        table->output.n_counted = count_nan(data, n * table->n_columns, table->options->type);
    if (table->options->given[OPTION_JSON] != NULL)
        json_report(table, data, n);
    else
        print_preview(table, data, n);
    free(data);
}

static void report(const struct table *table)
{
    if (table->options->given[OPTION_JSON] != NULL)
        json_report(table, NULL, 0);
    else if (table->options->given[OPTION_HASH] != NULL)
        puts(table->hash_text);
}

static int command_run(const struct request *request)
{
    const struct options *options = request->options;
    struct table table = {.options = options, .output = output_of(options)};
    const bool makes_all = options->given[OPTION_OUTPUT] != NULL || options->given[OPTION_HASH] != NULL;
    prepare(&table, request);
    if (makes_all)
        write_table(&table);
    else
        show_table(&table);
    const uint64_t n_nan = table.output.n_counted;
    if (n_nan > 0) {
        fprintf(stderr, "sinpos: table: %" PRIu64 " element%s NaN: that arithmetic has no number there\n", n_nan,
                n_nan == 1 ? " is" : "s are");
    }
    if (makes_all)
        report(&table);
    output_finish(&table.output);
    encoding_free(&table.encoding);
    free(table.zero_rows);
    return EXIT_DONE;
}

const struct command table_command = {
    .name = "table",
    .bit = COMMAND_TABLE,
    .summary = "write the encodings of many positions to a file, or show the first",
    .usage = "[-o FILE] [options]",
    .description = "Makes the (N, D) array of encodings, each element the real value rounded once. Without -o\n"
                   "prints its first rows and columns; with --hash only the SHA-256 of its elements, in row\n"
                   "order and little-endian. The array may be larger than memory. --columns cos chooses cosines,\n"
                   "frequency after frequency and coordinate after coordinate, cos-cos has them twice, as caches\n"
                   "of rotary positions do; a column that an odd D lacks is left out. --negate flips the signs of\n"
                   "the columns written: -0 for 0, where a negative --amplitude leaves 0. With --resume the same\n"
                   "command goes on after it was killed: FILE.part and FILE.journal keep what is done.",
    .examples = "  sinpos table --dim 768 --length 4096 -o table.npy\n"
                "  sinpos table --dim 1024 --type bf16 --start 1000000 -o far.safetensors\n"
                "  sinpos table --dim 4 --positions 0,0.5,1e6\n",
    .run = command_run,
};
