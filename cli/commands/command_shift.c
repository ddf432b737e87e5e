/* command_shift.c - sinpos shift: the matrix that moves an encoding by k positions. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "array_pieces.h"
#include "commands.h"
#include "json_out.h"
#include "request_encoding.h"
#include "written.h"

enum { SHOWN = 8 };

struct shift {
    const struct options *options;
    struct encoding encoding;
    struct output output; /* (D, D) */
    void *matrix;
    size_t n; /* elements */
};

static void prepare(struct shift *shift, const struct request *request)
{
    const struct options *options = shift->options;
    if (options->given[OPTION_BY] == NULL)
        fail(EXIT_USAGE, "as in 'sinpos shift -k 1 --dim 8'", "-k", "is needed: by how many positions");
    encoding_make_alone(&shift->encoding, request, (unsigned)options->type, 1);
    const size_t dim = shift->encoding.dim;
    shift->output.array = (sinpos_array){.element = (sinpos_element)options->type, .n_dims = 2, .shape = {dim, dim}};
    written_check(options);
    if (sinpos_array_elements(&shift->output.array, &shift->n) != SINPOS_FILE_OK)
        fail_option(options, OPTION_DIM, "ask for fewer columns", "a matrix of that size is not possible");
    shift->output.bytes = (uint64_t)shift->n * sinpos_type_bytes(options->type);
    output_check(&shift->output);
    encoding_plan(&shift->encoding);
}

static void make_matrix(struct shift *shift)
{
    const struct options *options = shift->options;
    shift->matrix = pieces_allocate(shift->n * sinpos_type_bytes(options->type));
    const sinpos_status status =
        sinpos_shift_matrix(shift->encoding.plan, options->by, options->type, shift->matrix, shift->encoding.dim);
    if (status == SINPOS_E_COLUMNS) {
        fail(EXIT_USAGE, "take an even number of columns, or --odd zero", "shift",
             "a tone lacks its sine or its cosine, and the matrix needs both");
    }
    if (status == SINPOS_E_RANGE)
        fail_option(options, OPTION_BY, "as in -k 1 or -k -4096", "is out of range");
    expect_ok(status);
}

static const char *element_at(const struct shift *shift, size_t row, size_t column, char *text)
{
    const size_t at = row * shift->encoding.dim + column, bytes = sinpos_type_bytes(shift->options->type);
    sinpos_decimal(text, shift->options->type, (const char *)shift->matrix + at * bytes);
    return text;
}

static void print_matrix(const struct shift *shift)
{
    const size_t dim = shift->encoding.dim, n = dim < SHOWN ? dim : SHOWN;
    const int width = shift->options->type == SINPOS_F64 ? 23 : 13;
    char text[SINPOS_DECIMAL_BYTES];
    printf("M_k with k = %" PRId64 ": encoding(p + k) = M_k encoding(p) for every p; %zu x %zu %s\n\n",
           shift->options->by, dim, dim, sinpos_element_name(shift->output.array.element));
    for (size_t row = 0; row < n; row++) {
        for (size_t column = 0; column < n; column++)
            printf("  %*s", width, element_at(shift, row, column, text));
        puts(n < dim ? "  ..." : "");
    }
    if (n < dim)
        printf("  %*s  %zu more rows; -o FILE writes all\n", width, "...", dim - n);
}

static void json_report(const struct shift *shift)
{
    const char *output = shift->options->given[OPTION_OUTPUT];
    const size_t dim = shift->encoding.dim;
    char text[SINPOS_DECIMAL_BYTES];
    EMIT_OBJECT(NULL);
    emit_integer("k", shift->options->by);
    emit_unsigned("dim", dim);
    emit_text("type", sinpos_element_name(shift->output.array.element));
    emit_text("file", output);
    if (output != NULL) {
        emit_real("seconds", shift->output.seconds);
    } else {
        EMIT_ARRAY("matrix");
        for (size_t row = 0; row < dim; row++) {
            EMIT_ARRAY(NULL);
            for (size_t column = 0; column < dim; column++)
                emit_literal(NULL, element_at(shift, row, column, text));
        }
    }
}

static int command_run(const struct request *request)
{
    const struct options *options = request->options;
    struct shift shift = {.options = options, .output = output_of(options)};
    prepare(&shift, request);
    output_begin(&shift.output, NULL);
    make_matrix(&shift);
    output_write(&shift.output, shift.matrix, shift.n);
    output_end(&shift.output);
    if (options->given[OPTION_JSON] != NULL)
        json_report(&shift);
    else if (options->given[OPTION_OUTPUT] == NULL)
        print_matrix(&shift);
    output_finish(&shift.output);
    free(shift.matrix);
    encoding_free(&shift.encoding);
    return EXIT_DONE;
}

const struct command shift_command = {
    .name = "shift",
    .bit = COMMAND_SHIFT,
    .summary = "make the matrix that moves an encoding by k positions",
    .usage = "-k K [-o FILE] [options]",
    .description =
        "The encoding of position p + k is M_k times that of p, for every p: M_k rotates each pair of columns by\n"
        "k theta_i. Prints the beginning of the matrix; with -o all of it goes to a file. Every element is\n"
        "rounded once. The encoding has one coordinate, and each tone both its columns.",
    .examples = "  sinpos shift -k 1 --dim 8\n"
                "  sinpos shift -k -4096 --dim 512 --type f64 -o shift.npy\n",
    .run = command_run,
};
