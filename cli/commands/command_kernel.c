/* command_kernel.c - sinpos kernel: the inner product of two rows by their offset, and what it does far out. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "array_pieces.h"
#include "commands.h"
#include "json_out.h"
#include "kernel_continuum.h"
#include "owned.h"
#include "progress.h"
#include "written.h"

#define MOST_SHOWN ((size_t)1 << 20)       /* values in one report */
#define MOST_BESIDE_FILE ((size_t)1 << 10) /* values that a report shows although they are in a file */
#define SHOWN_LINES 40
#define SEARCH_LIMIT ((size_t)1 << 24)
#define ENVELOPE_LIMIT ((size_t)1 << 20)
#define DEFAULT_OFFSETS "0,1,2,4,8,16,32,64,128,256,512,1024,2048,4096,8192,16384,32768,65536,131072"

enum { N_ZEROS = 8, MOST_PEAKS = 18 };

struct kernel {
    const struct options *options;
    struct positions offsets;
    struct encoding encoding;
    struct continuum continuum;
    struct output output;
    double *g; /* of all offsets; NULL where they go to a file */
    double at_zero;
    int64_t negative; /* first offset with g < 0; 0: none below search_limit */
    double negative_g;
    size_t search_limit, envelope_limit;
    double zeros[N_ZEROS];
    size_t n_zeros;
    int64_t from[MOST_PEAKS];
    sinpos_peak peaks[MOST_PEAKS];
    size_t n_peaks;
};

/* ------------------------------------------------------------------------------------------------- making */

/* Of one column there is no product that the offset alone decides. */
static void find_zero(struct kernel *kernel)
{
    const sinpos_rows zero = {.struct_size = sizeof zero, .n = 1};
    expect_ok(sinpos_kernel_values(kernel->encoding.plan, &zero, &kernel->at_zero, 1));
    if (kernel->at_zero == 0) {
        fail(EXIT_USAGE, "it takes two columns or more, and an amplitude that is not 0", "encoding",
             "g is 0 at every offset");
    }
}

static void prepare(struct kernel *kernel, const struct request *request)
{
    const struct options *options = kernel->options;
    const char *offsets = options->given[OPTION_OFFSETS], *output = options->given[OPTION_OUTPUT];
    size_t elements;
    written_check(options);
    positions_offsets(&kernel->offsets, options, offsets == NULL ? DEFAULT_OFFSETS : offsets);
    encoding_make_alone(&kernel->encoding, request, SINPOS_F64, 1);
    continuum_choose(&kernel->continuum, options, &kernel->encoding.spec);
    kernel->output.array = (sinpos_array){.element = SINPOS_ELEMENT_F64, .n_dims = 1};
    kernel->output.array.shape[0] = kernel->offsets.n;
    if (sinpos_array_elements(&kernel->output.array, &elements) != SINPOS_FILE_OK)
        fail_option(options, OPTION_OFFSETS, "ask for fewer offsets", "more offsets than can be counted");
    if (output == NULL && elements > MOST_SHOWN) {
        fail_option(options, OPTION_OFFSETS, "-o g.npy writes any number of them to a file",
                    "more than 1048576 offsets are too many to print");
    }
    kernel->output.bytes = (uint64_t)elements * sizeof(double);
    output_check(&kernel->output);
    encoding_plan(&kernel->encoding);
    find_zero(kernel);
}

static void make_piece(struct kernel *kernel, size_t first, size_t n, double *g)
{
    const sinpos_rows rows = positions_rows(&kernel->offsets, first, n);
    expect_ok(sinpos_kernel_values(kernel->encoding.plan, &rows, g, kernel->options->threads));
}

static void write_values(struct kernel *kernel)
{
    const size_t n_all = kernel->offsets.n, n_piece = rows_per_piece(sizeof(double), n_all);
    OWNED double *g = pieces_allocate(n_piece * sizeof *g);
    output_begin(&kernel->output, kernel->options->given[OPTION_OUTPUT]);
    for (size_t first = 0; first < n_all; first += n_piece) {
        const size_t left = n_all - first, n = left < n_piece ? left : n_piece;
        make_piece(kernel, first, n, g);
        output_write(&kernel->output, g, n);
    }
    output_end(&kernel->output);
}

static void keep_values(struct kernel *kernel)
{
    kernel->g = pieces_allocate(kernel->offsets.n * sizeof *kernel->g);
    make_piece(kernel, 0, kernel->offsets.n, kernel->g);
    continuum_make(&kernel->continuum, kernel->options, &kernel->offsets);
}

/* ----------------------------------------------------------------------------------------------- searching */

/* 1, 10, 100, ... below the limit. */
static void choose_peaks(struct kernel *kernel)
{
    for (int64_t from = 1; from < (int64_t)kernel->envelope_limit && kernel->n_peaks < MOST_PEAKS; from *= 10)
        kernel->from[kernel->n_peaks++] = from;
}

static sinpos_status search_signs(struct kernel *kernel)
{
    const size_t threads = kernel->options->threads;
    progress_begin_part("first negative");
    sinpos_status status =
        sinpos_kernel_first_negative(kernel->encoding.plan, (int64_t)kernel->search_limit, &kernel->negative,
                                     &kernel->negative_g, threads, progress_watch, NULL);
    progress_clear();
    if (status != SINPOS_OK || kernel->negative == 0)
        return status; /* without a negative value there is no change of sign */
    progress_begin_part("zeros");
    status = sinpos_kernel_zeros(kernel->encoding.plan, 0, (int64_t)kernel->envelope_limit, kernel->zeros, N_ZEROS,
                                 &kernel->n_zeros, threads, progress_watch, NULL);
    progress_clear();
    return status;
}

static void search_all(struct kernel *kernel)
{
    const bool is_given = kernel->options->given[OPTION_LIMIT] != NULL;
    kernel->search_limit = is_given ? kernel->options->limit : SEARCH_LIMIT;
    kernel->envelope_limit = is_given ? kernel->options->limit : ENVELOPE_LIMIT;
    choose_peaks(kernel);
    sinpos_status status = search_signs(kernel);
    if (status == SINPOS_OK) {
        progress_begin_part("envelope");
        status = sinpos_kernel_envelope(kernel->encoding.plan, kernel->from, kernel->n_peaks,
                                        (int64_t)kernel->envelope_limit, kernel->peaks, kernel->options->threads,
                                        progress_watch, NULL);
        progress_clear();
    }
    expect_ok(status);
}

/* ------------------------------------------------------------------------------------------------ as JSON */

static void json_offsets(const struct kernel *kernel)
{
    if (kernel->g == NULL) {
        emit_null("offsets");
        emit_null("g");
        emit_null("normalised");
        emit_null("continuum");
        emit_text("continuum_why", "the values are in the file");
        return;
    }
    emit_array("offsets");
    for (size_t i = 0; i < kernel->offsets.n; i++) {
        char text[POSITION_TEXT_BYTES];
        emit_literal(NULL, positions_text(&kernel->offsets, i, text));
    }
    emit_close();
    emit_reals("g", kernel->g, kernel->offsets.n);
    emit_array("normalised");
    for (size_t i = 0; i < kernel->offsets.n; i++)
        emit_real(NULL, kernel->g[i] / kernel->at_zero);
    emit_close();
    continuum_json(&kernel->continuum, kernel->offsets.n);
}

static void json_findings(const struct kernel *kernel)
{
    emit_unless_0("first_negative", (uint64_t)kernel->negative);
    emit_real("first_negative_g", kernel->negative_g);
    emit_unsigned("limit", kernel->search_limit);
    emit_reals("zeros", kernel->zeros, kernel->n_zeros);
    emit_unsigned("envelope_limit", kernel->envelope_limit);
    EMIT_ARRAY("envelope");
    for (size_t i = 0; i < kernel->n_peaks; i++) {
        EMIT_OBJECT(NULL);
        emit_unsigned("from", (uint64_t)kernel->from[i]);
        emit_unsigned("offset", (uint64_t)kernel->peaks[i].offset);
        emit_real("g", kernel->peaks[i].g);
    }
}

static void json_report(const struct kernel *kernel)
{
    const char *output = kernel->options->given[OPTION_OUTPUT];
    EMIT_OBJECT(NULL);
    emit_text("file", output);
    emit_unsigned("dim", kernel->encoding.dim);
    emit_unsigned("n_offsets", kernel->offsets.n);
    emit_real("g_at_zero", kernel->at_zero);
    json_offsets(kernel);
    json_findings(kernel);
    if (output != NULL) {
        emit_real("seconds", kernel->output.seconds);
        emit_real("offsets_per_s", output_rate(&kernel->output) / sizeof(double));
    }
}

/* ------------------------------------------------------------------------------------------------ as text */

static void print_line(const struct kernel *kernel, size_t i)
{
    char text[POSITION_TEXT_BYTES];
    printf("%20s  %20.13f  %12.8f", positions_text(&kernel->offsets, i, text), kernel->g[i],
           kernel->g[i] / kernel->at_zero);
    if (kernel->continuum.value != NULL && isnan(kernel->continuum.value[i]))
        printf("  %12s", "not reached");
    else if (kernel->continuum.value != NULL)
        printf("  %12.8f", kernel->continuum.value[i]);
    putchar('\n');
}

static void print_values(const struct kernel *kernel)
{
    const size_t n = kernel->offsets.n, shown = n <= SHOWN_LINES + 1 ? n : SHOWN_LINES;
    printf("g(k) = <p_m, p_(m-k)> = sum of cos(k theta_i) over the tones;  g(0) = %.15g\n\n%20s  %20s  %12s%s\n",
           kernel->at_zero, "offset k", "g(k)", "g(k) / g(0)", kernel->continuum.value != NULL ? "     continuum" : "");
    for (size_t i = 0; i < shown; i++)
        print_line(kernel, i);
    if (shown < n)
        printf("%20s  %zu more; --json prints all, -o g.npy writes them\n", "...", n - shown);
}

static void print_envelope(const struct kernel *kernel)
{
    if (kernel->n_peaks > 0) {
        printf("\nlargest |g| from an offset on, below %zu\n%20s  %20s  %12s\n", kernel->envelope_limit, "from",
               "at offset", "|g| / g(0)");
    }
    for (size_t i = 0; i < kernel->n_peaks; i++) {
        printf("%20" PRId64 "  %20" PRId64 "  %12.8f\n", kernel->from[i], kernel->peaks[i].offset,
               fabs(kernel->peaks[i].g) / kernel->at_zero);
    }
}

static void print_findings(const struct kernel *kernel)
{
    print_envelope(kernel);
    continuum_text(&kernel->continuum);
    if (kernel->negative == 0) {
        printf("\ng is negative at no offset below %zu\n", kernel->search_limit);
        return;
    }
    printf("\nfirst negative at offset %" PRId64 ", g = %.6g\n", kernel->negative, kernel->negative_g);
    if (kernel->n_zeros > 0) {
        printf("changes its sign at");
        for (size_t i = 0; i < kernel->n_zeros; i++)
            printf("%s %.6f", i > 0 ? "," : "", kernel->zeros[i]);
        puts(kernel->n_zeros == N_ZEROS ? ", ..." : "");
    }
    printf("up to offset %" PRId64 " no two rows point away from each other; beyond, g swings about zero\n",
           kernel->negative - 1);
}

/* --------------------------------------------------------------------------------------------- the command */

static int command_run(const struct request *request)
{
    const struct options *options = request->options;
    struct kernel kernel = {.options = options, .output = output_of(options)};
    const bool wants_file = options->given[OPTION_OUTPUT] != NULL, wants_json = options->given[OPTION_JSON] != NULL;
    if (options->given[OPTION_SCHEDULES] != NULL) {
        schedules_report(options);
        return EXIT_DONE;
    }
    prepare(&kernel, request);
    if (wants_file)
        write_values(&kernel);
    if (!wants_file || (wants_json && kernel.offsets.n <= MOST_BESIDE_FILE))
        keep_values(&kernel);
    if (!wants_file || wants_json)
        search_all(&kernel);
    if (wants_json) {
        json_report(&kernel);
    } else if (!wants_file) {
        print_values(&kernel);
        print_findings(&kernel);
    }
    output_finish(&kernel.output);
    free(kernel.g);
    continuum_free(&kernel.continuum);
    encoding_free(&kernel.encoding);
    positions_free(&kernel.offsets);
    return EXIT_DONE;
}

const struct command kernel_command = {
    .name = "kernel",
    .bit = COMMAND_KERNEL,
    .summary = "print the inner product g(k) of two rows by their offset",
    .usage = "[--offsets LIST|A:B] [-o FILE] [options]",
    .description =
        "g(k) = <p_m, p_(m-k)> depends on the offset k alone: the sum of cos(k theta_i) over the tones, here to\n"
        "1e-15 of g(0). Prints it for the offsets asked for, the first offset at which it is negative, where\n"
        "it changes its sign, and how large it can become from an offset on. With -o the values of the\n"
        "offsets go to a file as float64; there may be more of them than fit in memory.",
    .examples = "  sinpos kernel --dim 128\n"
                "  sinpos kernel --dim 128 --offsets 0:1000000000 -o g.npy\n"
                "  sinpos kernel --dim 128 --offsets 1,10,0.5 --json\n"
                "  sinpos kernel --schedules 't,t^2,10000^-t,1000^-t'\n",
    .run = command_run,
};
