/* command_distance.c - sinpos distance: how far apart two rows are, by their offset or as a matrix. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "array_pieces.h"
#include "commands.h"
#include "json_out.h"
#include "owned.h"
#include "request_encoding.h"
#include "sinpos_analysis.h"
#include "written.h"

#define EULER 0x1.2788cfc6fb619p-1
#define MOST_SHOWN ((size_t)1 << 20) /* values in one report */
#define SHOWN_LINES 40
#define DEFAULT_OFFSETS "0,1,2,5,10,20,50,100,200,500,999,2000,5000,10000"

struct distances {
    const struct options *options;
    struct positions offsets;
    struct encoding encoding;
    struct output output; /* (n, n) */
    double *value;        /* of the offsets */
    double at_zero;       /* g(0): the largest distance is 2 sqrt(g(0)) */
    double log_base;      /* ln(theta(0) / theta(1)); 0 where there is no logarithmic law */
    double first_theta;
};

/* ------------------------------------------------------------------------------------------------- making */

/*
 * Where frequencies fall geometrically from theta(0) to theta(1) = theta(0) / b, g(k) / g(0) is near
 * 1 - (ln k + 0.5772) / ln b for 1 << k << b.
 */
static void find_law(struct distances *distances)
{
    sinpos_theta *theta;
    const sinpos_spec *spec = &distances->encoding.spec;
    if (spec->schedule != SINPOS_GEOMETRIC)
        return;
    const sinpos_status status = sinpos_theta_of_spec(&theta, spec);
    if (status == SINPOS_E_MEMORY)
        fail_memory();
    if (status != SINPOS_OK)
        return;
    distances->first_theta = fabs(sinpos_theta_value(theta, 0));
    distances->log_base = log(distances->first_theta / fabs(sinpos_theta_value(theta, 1)));
    sinpos_theta_destroy(theta);
    if (!(distances->log_base > 0) || !isfinite(distances->log_base) || !(distances->first_theta > 0))
        distances->log_base = 0;
}

/* NaN where the law says nothing. */
static double law_at(const struct distances *distances, double k)
{
    const double size = log(distances->first_theta * fabs(k)) + EULER;
    return distances->log_base > 0 && size > 0 && size < distances->log_base
               ? sqrt(2 * distances->at_zero * size / distances->log_base)
               : NAN;
}

static void prepare_output(struct distances *distances)
{
    const struct options *options = distances->options;
    size_t elements;
    distances->output.array = (sinpos_array){.element = SINPOS_ELEMENT_F64, .n_dims = 2};
    distances->output.array.shape[0] = distances->output.array.shape[1] = options->length;
    written_check(options);
    if (sinpos_array_elements(&distances->output.array, &elements) != SINPOS_FILE_OK ||
        options->length > SIZE_MAX / (2 * sizeof(double))) {
        fail_option(options, OPTION_LENGTH, "ask for fewer positions",
                    "a matrix of that many rows and columns is not possible");
    }
    distances->output.bytes = (uint64_t)elements * sizeof(double);
    output_check(&distances->output);
}

static void prepare(struct distances *distances, const struct request *request)
{
    const struct options *options = distances->options;
    const char *offsets = options->given[OPTION_OFFSETS];
    const sinpos_rows zero = {.struct_size = sizeof zero, .n = 1};
    positions_offsets(&distances->offsets, options, offsets == NULL ? DEFAULT_OFFSETS : offsets);
    encoding_make_alone(&distances->encoding, request, SINPOS_F64, 1);
    if (options->given[OPTION_OUTPUT] != NULL) {
        prepare_output(distances);
    } else if (options->given[OPTION_LENGTH] != NULL) {
        fail_option(options, OPTION_LENGTH, "name a file with -o, or use --offsets",
                    "is the size of the matrix that -o writes");
    }
    if (distances->offsets.n > MOST_SHOWN) {
        fail_option(options, OPTION_OFFSETS, "ask for fewer, or for g with 'sinpos kernel -o g.npy'",
                    "more than 1048576 offsets are too many to print");
    }
    encoding_plan(&distances->encoding);
    find_law(distances);
    expect_ok(sinpos_kernel_values(distances->encoding.plan, &zero, &distances->at_zero, 1));
}

static void make_values(struct distances *distances)
{
    const size_t n = distances->offsets.n;
    distances->value = pieces_allocate(n * sizeof *distances->value);
    const sinpos_rows rows = positions_rows(&distances->offsets, 0, n);
    expect_ok(sinpos_distance_values(distances->encoding.plan, &rows, distances->value, distances->options->threads));
}

/* ------------------------------------------------------------------------------------------------- matrix */

/* D(n - 1), ..., D(0), ..., D(n - 1) */
static double *make_curve(const struct distances *distances, size_t n)
{
    const sinpos_rows rows = {.struct_size = sizeof rows, .n = n};
    double *curve = pieces_allocate(2 * n * sizeof *curve);
    expect_ok(sinpos_distance_values(distances->encoding.plan, &rows, curve + n - 1, distances->options->threads));
    for (size_t i = 0; i + 1 < n; i++)
        curve[i] = curve[2 * n - 2 - i];
    return curve;
}

/* Row i is what follows D(i) in the mirrored curve. */
static void write_matrix(struct distances *distances)
{
    const size_t n = distances->options->length;
    output_begin(&distances->output, distances->options->given[OPTION_OUTPUT]);
    OWNED double *curve = make_curve(distances, n);
    for (size_t row = 0; row < n; row++)
        output_write(&distances->output, curve + n - 1 - row, n);
    output_end(&distances->output);
}

/* ----------------------------------------------------------------------------------------------- reporting */

static double offset_as_real(struct positions *offsets, size_t i)
{
    const sinpos_rows rows = positions_rows(offsets, i, 1);
    return rows_number(&rows, 0);
}

static void json_report(struct distances *distances)
{
    const char *output = distances->options->given[OPTION_OUTPUT];
    EMIT_OBJECT(NULL);
    emit_unsigned("dim", distances->encoding.dim);
    emit_array("offsets");
    for (size_t i = 0; i < distances->offsets.n; i++) {
        char text[POSITION_TEXT_BYTES];
        emit_literal(NULL, positions_text(&distances->offsets, i, text));
    }
    emit_close();
    emit_reals("distance", distances->value, distances->offsets.n);
    emit_array("logarithmic_law");
    for (size_t i = 0; i < distances->offsets.n; i++)
        emit_real(NULL, law_at(distances, offset_as_real(&distances->offsets, i)));
    emit_close();
    emit_real("uncorrelated", sqrt(2 * distances->at_zero));
    emit_real("largest_possible", 2 * sqrt(distances->at_zero));
    emit_text("file", output);
    if (output != NULL) {
        emit_unsigned("length", distances->options->length);
        emit_real("seconds", distances->output.seconds);
    }
}

static void print_line(struct distances *distances, size_t i)
{
    char text[POSITION_TEXT_BYTES];
    const double law = law_at(distances, offset_as_real(&distances->offsets, i));
    printf("%20s  %18.12f", positions_text(&distances->offsets, i, text), distances->value[i]);
    if (isnan(law))
        puts("");
    else
        printf("  %16.4f\n", law);
}

static void print_report(struct distances *distances)
{
    const size_t n = distances->offsets.n, shown = n <= SHOWN_LINES + 1 ? n : SHOWN_LINES;
    printf("D(k) = |p_m - p_(m-k)|, Euclidean, the same for every m\n\n%20s  %18s%s\n", "offset k", "D(k)",
           distances->log_base > 0 ? "   logarithmic law" : "");
    for (size_t i = 0; i < shown; i++)
        print_line(distances, i);
    if (shown < n)
        printf("%20s  %zu more; --json prints all\n", "...", n - shown);
    if (distances->log_base > 0)
        puts("\nlogarithmic law: sqrt(d (ln k + 0.5772) / ln b), for offsets that are large, and small against b");
    printf("\nrows that have nothing to do with each other are %.6g apart; no two are further apart than %.6g\n",
           sqrt(2 * distances->at_zero), 2 * sqrt(distances->at_zero));
    if (distances->log_base > 0)
        puts("the distance is not linear in k: its square grows like the logarithm of k");
}

static int command_run(const struct request *request)
{
    const struct options *options = request->options;
    struct distances distances = {.options = options, .output = output_of(options)};
    const bool wants_file = options->given[OPTION_OUTPUT] != NULL, wants_json = options->given[OPTION_JSON] != NULL;
    prepare(&distances, request);
    if (!wants_file || wants_json)
        make_values(&distances);
    if (wants_file)
        write_matrix(&distances);
    if (wants_json)
        json_report(&distances);
    else if (!wants_file)
        print_report(&distances);
    output_finish(&distances.output);
    free(distances.value);
    encoding_free(&distances.encoding);
    positions_free(&distances.offsets);
    return EXIT_DONE;
}

const struct command distance_command = {
    .name = "distance",
    .bit = COMMAND_DISTANCE,
    .summary = "print the distance of two rows by their offset",
    .usage = "[--offsets LIST|A:B] [-o FILE --length N] [options]",
    .description =
        "The Euclidean distance of two rows depends on their offset alone. Prints it for the offsets asked for,\n"
        "with the law that its square grows like the logarithm. With -o the N by N matrix of the distances\n"
        "between N consecutive positions goes to a file as float64, row by row: it may be larger than memory.",
    .examples = "  sinpos distance --dim 1000 --offsets 1,10,100,500,999\n"
                "  sinpos distance --dim 1000 --length 1000 -o distances.npy\n",
    .run = command_run,
};
