/* command_plot.c - sinpos plot: a figure as a picture, as text, as numbers, as gnuplot source. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "catalogue.h"
#include "commands.h"
#include "figure_csv.h"
#include "folder.h"
#include "gnuplot_child.h"
#include "interrupt.h"
#include "no_memory.h"
#include "plot_json.h"
#include "progress.h"
#include "request_encoding.h"
#include "text_figure.h"

enum { LEAST_PIXELS = 160, MOST_PIXELS = 16384, MOST_LETTERS = 1000, ROWS_MOST = 1 << 22 };

struct plot {
    struct options options; /* with what stands for the figure where nothing was said */
    struct request request; /* likewise */
    const struct figure_entry *entry;
    struct positions offsets;
    struct encoding encoding;
    double *position_at, *offset_at;
    struct figure figure;
    struct picture picture;
    size_t context;
    size_t text_columns, text_lines; /* 0: as the terminal has them */
    struct text_buffer command;
};

/* ------------------------------------------------------------------------------------------------ options */

static const char *figure_name_at(size_t i)
{
    return figure_catalogue[i].name;
}

static noreturn void fail_figure(const char *name)
{
    char hint[200];
    const char *near = nearest_name(name, figure_name_at, figure_catalogue_n);
    if (near != NULL)
        snprintf(hint, sizeof hint, "did you mean '%s'? 'sinpos plot --help' lists the figures", near);
    else
        snprintf(hint, sizeof hint, "'sinpos plot --help' lists the figures");
    fail(EXIT_USAGE, hint, name, "unknown figure");
}

/* An option that would change nothing is refused. */
static void refuse_unused(const struct plot *plot)
{
    const bool has_positions = plot->entry->length > 0;
    const struct {
        enum option_id id;
        bool is_used;
        const char *what;
    } some[] = {{OPTION_START, has_positions, "positions"},
                {OPTION_LENGTH, has_positions, "positions"},
                {OPTION_STEP, has_positions, "positions"},
                {OPTION_OFFSETS, plot->entry->offsets != NULL, "offsets"},
                {OPTION_CONTEXT, plot->entry->context > 0, "context"}};
    for (size_t i = 0; i < sizeof some / sizeof some[0]; i++) {
        if (plot->options.given[some[i].id] != NULL && !some[i].is_used) {
            fail_option(&plot->options, some[i].id, "leave it out", "the figure '%s' takes no %s", plot->entry->name,
                        some[i].what);
        }
    }
}

static void take_size(struct plot *plot, bool is_text)
{
    const char *value = plot->options.given[OPTION_SIZE];
    size_t width = 900, height = 600;
    char text[20];
    if (value != NULL) {
        const size_t length = strcspn(value, "xX");
        const size_t least = is_text ? TERMINAL_LEAST_LINES : LEAST_PIXELS;
        const size_t most = is_text ? MOST_LETTERS : MOST_PIXELS;
        snprintf(text, sizeof text, "%.*s", length > 18 ? 18 : (int)length, value);
        if (value[length] == '\0' || parse_size(text, least, most, &width) != NULL ||
            parse_size(value + length + 1, least, most, &height) != NULL) {
            fail_option(&plot->options, OPTION_SIZE, "write it as in --size 1200x800",
                        "must be two numbers from %zu to %zu with an x between", least, most);
        }
    }
    plot->picture.width = width;
    plot->picture.height = height;
    if (is_text && value != NULL) {
        plot->text_columns = width < TERMINAL_LEAST_COLUMNS ? TERMINAL_LEAST_COLUMNS : width;
        plot->text_lines = height;
    }
}

static void take_context(struct plot *plot)
{
    const char *value = plot->options.given[OPTION_CONTEXT];
    plot->context = plot->entry->context;
    if (value != NULL && parse_size(value, 1, (uint64_t)1 << 40, &plot->context) != NULL) {
        fail_option(&plot->options, OPTION_CONTEXT, "write it as in --context 4096",
                    "must be a whole number from 1 to 2^40");
    }
}

/* At most one of them to standard output. */
static void check_outputs(const struct plot *plot)
{
    static const enum option_id files[] = {OPTION_OUTPUT, OPTION_DATA, OPTION_SCRIPT};
    size_t n = (plot->options.given[OPTION_TEXT] != NULL) + (plot->options.given[OPTION_JSON] != NULL);
    for (size_t i = 0; i < 3; i++) {
        const char *path = plot->options.given[files[i]];
        n += path != NULL && strcmp(path, "-") == 0;
        for (size_t j = 0; j < i && path != NULL && path[0] != '-'; j++) {
            const char *other = plot->options.given[files[j]];
            if (other != NULL && strcmp(path, other) == 0)
                fail_option(&plot->options, files[i], "give each its own name", "is the name of another output too");
        }
    }
    if (n > 1) {
        fail(EXIT_USAGE, "write to files, or run it several times", "standard output",
             "only one of the picture, --text, --json, --data and --script can go there");
    }
}

static void take_format(struct plot *plot)
{
    const char *output = plot->options.given[OPTION_OUTPUT];
    plot->picture.format = PICTURE_PNG;
    struct stat target;
    const bool is_device = output != NULL && file_is_there(output, &target) && !S_ISREG(target.st_mode);
    if (output != NULL && !picture_format_of(output, &plot->picture.format) && strcmp(output, "-") != 0 && !is_device)
        fail(EXIT_USAGE, "use a name that ends in .png, .svg or .pdf", output, "unsupported file extension");
}

static void take_options(struct plot *plot, const struct options *options)
{
    if (options->n_operands == 0)
        fail(EXIT_USAGE, "'sinpos plot --help' lists the figures", "plot", "which figure? None was named");
    plot->entry = figure_find(options->operands[0]);
    if (plot->entry == NULL)
        fail_figure(options->operands[0]);
    if (options->given[OPTION_DIM] == NULL && options->given[OPTION_THETA] == NULL)
        plot->request.spec.dim = plot->entry->dim;
    if (options->given[OPTION_LENGTH] == NULL)
        plot->options.length = plot->entry->length;
    const bool has_output = options->given[OPTION_OUTPUT] != NULL || options->given[OPTION_DATA] != NULL ||
                            options->given[OPTION_SCRIPT] != NULL;
    if (!has_output && options->given[OPTION_JSON] == NULL)
        plot->options.given[OPTION_TEXT] = "";
    refuse_unused(plot);
    check_outputs(plot);
    take_format(plot);
    take_context(plot);
    take_size(plot, !has_output);
}

/* ------------------------------------------------------------------------------------------------- making */

/* The command that makes this figure again; where its outputs go is not part of it. */
static void describe_command(struct plot *plot)
{
    buffer_format(&plot->command, "sinpos plot %s", plot->entry->name);
    for (size_t id = 0; id < N_OPTIONS; id++) {
        const bool matters = id <= OPTION_TYPE || id == OPTION_OFFSETS || id == OPTION_CONTEXT || id == OPTION_TITLE;
        const char *text = request_text(&plot->request, id);
        if (matters && text != NULL) {
            buffer_format(&plot->command, " --%s ", option_types[id].name);
            buffer_shell_word(&plot->command, text);
        }
    }
    if (plot->command.is_broken)
        fail_memory();
}

/* All positions at once, and as doubles. */
static sinpos_rows take_rows(struct positions *positions, double **at)
{
    if (positions->n > ROWS_MOST)
        fail(EXIT_USAGE, "ask for fewer", "positions", "%zu are too many for a figure", positions->n);
    *at = memory_take(positions->n, sizeof **at);
    positions_prepare(positions, positions->n);
    const sinpos_rows rows = positions_rows(positions, 0, positions->n);
    for (size_t i = 0; i < rows.n; i++)
        (*at)[i] = positions->n_axes == 1 ? rows_number(&rows, i) : (double)i;
    return rows;
}

static noreturn void fail_making(const struct plot *plot, sinpos_status status)
{
    const char *why = plot->figure.why;
    if (why[0] != '\0') {
        fail(EXIT_USAGE,
             status == SINPOS_E_UNSUPPORTED ? "build sinpos with FLINT (Debian: libflint-dev, libflint-arb-dev)"
                                            : "'sinpos plot --help' explains the figures and their options",
             plot->entry->name, "%s", why);
    }
    fail_status(status);
}

static void make_figure(struct plot *plot)
{
    const struct options *options = &plot->options;
    struct figure_request request = {.context = plot->context, .threads = options->threads};
    sinpos_rows offsets = {.struct_size = sizeof offsets, .n = 0};
    const char *asked = options->given[OPTION_OFFSETS] != NULL ? options->given[OPTION_OFFSETS] : plot->entry->offsets;
    const struct known known = {.n_default = options->length > 0 ? options->length : 1}; /* of tones alone: any */
    if (asked != NULL)
        positions_offsets(&plot->offsets, options, asked);
    encoding_make_sines(&plot->encoding, &plot->request, &known, SINPOS_F64);
    if (strcmp(plot->entry->name, "heatmap") != 0)
        encoding_one_axis(&plot->encoding);
    const sinpos_rows rows = take_rows(&plot->encoding.positions, &plot->position_at);
    if (asked != NULL)
        offsets = take_rows(&plot->offsets, &plot->offset_at);
    encoding_plan(&plot->encoding);
    request.name = encoding_name(&plot->encoding);
    request.is_exact = plot->encoding.is_exact;
    request.spec = &plot->encoding.spec;
    request.plan = plot->encoding.plan;
    request.rows = &rows;
    request.positions = plot->position_at;
    request.step = request.name == NULL ? options->step.real : 1; /* a convention's tones hold its step */
    request.offsets = &offsets;
    request.offset_at = plot->offset_at;
    progress_begin_part(plot->entry->name);
    request.progress = progress_watch;
    const sinpos_status status = figure_make(&plot->figure, plot->entry, &request);
    progress_clear();
    if (status != SINPOS_OK)
        fail_making(plot, status);
    if (options->given[OPTION_TITLE] != NULL)
        figure_set_title(&plot->figure, options->given[OPTION_TITLE]);
}

/* ------------------------------------------------------------------------------------------------- writing */

static void draw_picture(const struct plot *plot, struct text_buffer *picture)
{
    char message[GNUPLOT_MESSAGE];
    switch (gnuplot_draw(picture, &plot->figure, &plot->picture, message)) {
    case GNUPLOT_OK: return;
    case GNUPLOT_MISSING:
        fail(EXIT_FILE, "install it (Debian and Ubuntu: gnuplot-nox), or use --text, --data and --script", "gnuplot",
             "is not on the PATH, and pictures need it");
    case GNUPLOT_MEMORY: fail_memory();
    case GNUPLOT_FAILED:
        fail(EXIT_FILE, "it may be too old (5.0 is needed) or lack cairo; --script keeps the source", "gnuplot", "%s",
             message);
    default: fail(EXIT_FILE, "--script keeps the source, to draw elsewhere", "gnuplot", "%s", message);
    }
}

static void make_script(const struct plot *plot, struct text_buffer *script)
{
    const char *data = plot->options.given[OPTION_DATA], *output = plot->options.given[OPTION_OUTPUT];
    data = data == NULL || strcmp(data, "-") == 0 ? NULL : data;
    output = output == NULL || strcmp(output, "-") == 0 ? NULL : output;
    script_whole(script, &plot->figure, &plot->picture, plot->command.bytes, data, output);
}

static enum text_colours terminal_colours(void)
{
    const char *kind = getenv("TERM"), *depth = getenv("COLORTERM");
    if (!isatty(STDOUT_FILENO) || getenv("NO_COLOR") != NULL || kind == NULL || strcmp(kind, "dumb") == 0)
        return TEXT_PLAIN;
    return depth != NULL && (strcmp(depth, "truecolor") == 0 || strcmp(depth, "24bit") == 0) ? TEXT_ALL_COLOURS
                                                                                             : TEXT_256_COLOURS;
}

static void measure_terminal(const struct plot *plot, struct terminal *terminal)
{
    struct winsize size = {0};
    *terminal = (struct terminal){80, 24, terminal_colours()};
    if (plot->text_columns > 0) {
        terminal->columns = plot->text_columns;
        terminal->lines = plot->text_lines;
    } else if (isatty(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
        terminal->columns = size.ws_col < TERMINAL_LEAST_COLUMNS ? TERMINAL_LEAST_COLUMNS : size.ws_col;
        terminal->lines = size.ws_row <= TERMINAL_LEAST_LINES ? TERMINAL_LEAST_LINES : (size_t)size.ws_row - 1;
    }
}

static void make_text(const struct plot *plot, struct text_buffer *text)
{
    struct terminal terminal;
    measure_terminal(plot, &terminal);
    text_figure(text, &plot->figure, &terminal);
}

/* What is asked for, in the order in which it is written. */
enum part { PART_DATA, PART_SCRIPT, PART_PICTURE, PART_TEXT, N_PARTS };
static const enum option_id part_options[N_PARTS] = {OPTION_DATA, OPTION_SCRIPT, OPTION_OUTPUT, OPTION_TEXT};

static void make_part(const struct plot *plot, enum part part, struct text_buffer *out)
{
    switch (part) {
    case PART_DATA: figure_csv(out, &plot->figure, plot->command.bytes, true); break;
    case PART_SCRIPT: make_script(plot, out); break;
    case PART_PICTURE: draw_picture(plot, out); break;
    default: make_text(plot, out); break;
    }
    if (out->is_broken)
        fail_memory();
}

static bool goes_to_standard_output(const struct plot *plot, enum part part)
{
    return part == PART_TEXT || strcmp(plot->options.given[part_options[part]], "-") == 0;
}

static void write_part(const struct plot *plot, enum part part, const struct text_buffer *text)
{
    sinpos_file_error error = SINPOS_FILE_ERROR_INIT;
    const char *path = plot->options.given[part_options[part]];
    if (part == PART_TEXT)
        fwrite(text->bytes, 1, text->n, stdout);
    else if (interrupt_bytes_write(path, text->bytes, text->n, &error) != SINPOS_FILE_OK)
        fail_write(path, &error);
}

/*
 * All is made before anything is written: then only a file system can still refuse. Files come after what goes to
 * standard output, so that none is replaced where that fails.
 */
static void write_all(const struct plot *plot)
{
    struct text_buffer parts[N_PARTS] = {{.bytes = NULL}};
    for (enum part i = 0; i < N_PARTS; i++)
        if (plot->options.given[part_options[i]] != NULL)
            make_part(plot, i, &parts[i]);
    for (int files = 0; files < 2; files++) {
        for (enum part i = 0; i < N_PARTS; i++)
            if (parts[i].bytes != NULL && goes_to_standard_output(plot, i) == (files == 0))
                write_part(plot, i, &parts[i]);
        finish_output();
    }
    for (enum part i = 0; i < N_PARTS; i++)
        buffer_free(&parts[i]);
}

static int command_run(const struct request *request)
{
    struct plot plot = {.options = *request->options, .request = *request};
    take_options(&plot, request->options);
    describe_command(&plot);
    make_figure(&plot);
    write_all(&plot);
    if (plot.options.given[OPTION_JSON] != NULL)
        plot_json(&plot.figure, plot.command.bytes);
    figure_free(&plot.figure);
    buffer_free(&plot.command);
    encoding_free(&plot.encoding);
    positions_free(&plot.offsets);
    free(plot.position_at);
    free(plot.offset_at);
    return EXIT_DONE;
}

static void print_figures(void)
{
    puts("\nfigures (what they show, and their defaults):");
    for (size_t i = 0; i < figure_catalogue_n; i++) {
        const struct figure_entry *entry = &figure_catalogue[i];
        printf("  %-13s %s (dim %zu", entry->name, entry->summary, entry->dim);
        if (entry->length > 0)
            printf(", length %zu", entry->length);
        if (entry->offsets != NULL)
            printf(", offsets %s", entry->offsets);
        if (entry->context > 0)
            printf(", context %zu", entry->context);
        puts(")");
    }
}

const struct command plot_command = {
    .name = "plot",
    .bit = COMMAND_PLOT,
    .summary = "draw a figure of the encoding, or print it as text",
    .usage = "FIGURE [-o FILE] [--data FILE] [--script FILE] [--text | --json] [options]",
    .description =
        "Draws one of the figures below, through gnuplot, which must be installed: -o a file that ends in\n"
        ".png, .svg or .pdf. --text needs no gnuplot, and is what happens where no file is named. --data keeps\n"
        "the numbers with a head that says what they are, --script the gnuplot source; 'gnuplot FILE' draws\n"
        "it again, from the data file if one was kept. --json prints the numbers, and how they are drawn.",
    .examples = "  sinpos plot waves\n"
                "  sinpos plot heatmap -o heatmap.png --size 1600x900\n"
                "  sinpos plot kernel --dim 256 --offsets 0:8192 -o kernel.svg --data kernel.csv\n",
    .n_operands_most = 1,
    .run = command_run,
    .print_more = print_figures,
    .meanings =
        {
            [OPTION_DIM] = "columns (those of the figure)",
            [OPTION_CONTEXT] = "positions that a model reads at once (those of the figure)",
            [OPTION_LENGTH] = "number of positions (those of the figure)",
            [OPTION_OUTPUT] = "where to draw: .png .svg .pdf; - is standard output (.png)",
            [OPTION_OFFSETS] = "which offsets: 0,1,2.5 or A:B without B, or a .npy (those of the figure)",
        },
};
