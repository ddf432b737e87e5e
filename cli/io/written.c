#include "written.h"

#include <stdio.h>
#include <string.h>

#include "array_pieces.h"
#include "interrupt.h"
#include "progress.h"

static const char *path_of(const struct output *output)
{
    return output->options->given[OPTION_OUTPUT];
}

static sinpos_writer_options writing_of(const struct output *output)
{
    return (sinpos_writer_options){.struct_size = sizeof(sinpos_writer_options), .tensor = output->tensor};
}

struct output output_of(const struct options *options)
{
    return (struct output){.options = options, .tensor = options->given[OPTION_TENSOR]};
}

void written_check(const struct options *options)
{
    const char *output = options->given[OPTION_OUTPUT];
    const char *report = options->given[OPTION_HASH] != NULL   ? "--hash"
                         : options->given[OPTION_JSON] != NULL ? "--json"
                                                               : NULL;
    if (output != NULL && strcmp(output, "-") == 0 && report != NULL) {
        fail(EXIT_USAGE, "write to a file, or run it twice", "-o -",
             "the array and %s cannot both go to standard output", report);
    }
}

void output_check(const struct output *output)
{
    const sinpos_writer_options writing = writing_of(output);
    sinpos_file_error error = SINPOS_FILE_ERROR_INIT;
    if (path_of(output) != NULL &&
        sinpos_writer_check(path_of(output), &output->array, &writing, &error) != SINPOS_FILE_OK)
        fail_write(path_of(output), &error);
}

void output_begin(struct output *output, const char *what)
{
    const sinpos_writer_options writing = writing_of(output);
    sinpos_file_error error = SINPOS_FILE_ERROR_INIT;
    if (path_of(output) != NULL &&
        interrupt_open(&output->writer, path_of(output), &output->array, &writing, &error) != SINPOS_FILE_OK)
        fail_write(path_of(output), &error);
    output->began = seconds_now();
    if (what != NULL)
        progress_begin(what, output->bytes);
}

void output_write(struct output *output, const void *elements, size_t n)
{
    sinpos_file_error error = SINPOS_FILE_ERROR_INIT;
    if (output->writer != NULL && sinpos_writer_write(output->writer, elements, n, &error) != SINPOS_FILE_OK)
        fail_write(path_of(output), &error);
    progress_advance((uint64_t)n * sinpos_element_bytes(output->array.element));
}

void output_end(struct output *output)
{
    sinpos_file_error error = SINPOS_FILE_ERROR_INIT;
    if (output->writer != NULL && sinpos_writer_prepare(output->writer, &error) != SINPOS_FILE_OK)
        fail_write(path_of(output), &error);
    output->seconds = seconds_now() - output->began;
    progress_clear();
}

double output_rate(const struct output *output)
{
    return output->seconds > 0 ? (double)output->bytes / output->seconds : 0;
}

static void print_rate(const struct output *output)
{
    char shape[SHAPE_TEXT_BYTES], amount[AMOUNT_BYTES], rate[AMOUNT_BYTES];
    const char *path = path_of(output);
    fprintf(stderr, "%s: %s %s, %s in %.3g s, %s/s\n", strcmp(path, "-") == 0 ? "standard output" : SHOWN(path),
            shape_text(&output->array, shape), sinpos_element_name(output->array.element),
            amount_text(amount, (double)output->bytes), output->seconds, amount_text(rate, output_rate(output)));
}

void output_finish(struct output *output)
{
    sinpos_file_error error = SINPOS_FILE_ERROR_INIT;
    finish_output();
    if (output->writer != NULL && sinpos_writer_commit(output->writer, &error) != SINPOS_FILE_OK)
        fail_write(path_of(output), &error);
    output->writer = NULL;
    interrupt_forget();
    if (path_of(output) != NULL && output->options->given[OPTION_QUIET] == NULL)
        print_rate(output);
}
