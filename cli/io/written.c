#include "written.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array_pieces.h"
#include "interrupt.h"
#include "no_memory.h"
#include "progress.h"

static const char *path_of(const struct output *output)
{
    return output->options->given[OPTION_OUTPUT];
}

static bool resumes(const struct output *output)
{
    return output->options->given[OPTION_RESUME_BLOCKS] != NULL;
}

/* For sinpos_writer_check() any part will do. */
static sinpos_writer_options writing_of(const struct output *output)
{
    return (sinpos_writer_options){.struct_size = sizeof(sinpos_writer_options),
                                   .tensor = output->tensor,
                                   .zarr_format = (int)output->options->zarr_format,
                                   .chunk_bytes = output->options->chunk_bytes,
                                   .part = resumes(output) ? path_of(output) : NULL};
}

struct output output_of(const struct options *options)
{
    return (struct output){.options = options, .tensor = options->given[OPTION_TENSOR]};
}

void written_check(const struct options *options)
{
    const char *output = options->given[OPTION_OUTPUT];
    resumed_check(options);
    if (output == NULL) {
        static const enum option_id of_zarr[] = {OPTION_ZARR, OPTION_CHUNK};
        refuse_options(options, of_zarr, 2, "add -o FILE.zarr", "is about the output, and there is none");
    }
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

static struct request_text request_of(const struct output *output)
{
    struct request_text request = {0};
    char shape[SHAPE_TEXT_BYTES], line[SHAPE_TEXT_BYTES + 80];
    request_options(&request, output->options);
    request_files(&request);
    if (output->input != NULL)
        request_input(&request, output->input);
    snprintf(line, sizeof line, "%s %s, %zu a block", shape_text(&output->array, shape),
             sinpos_element_name(output->array.element), output->block_elements);
    request_line(&request, "array", line);
    return request;
}

static void begin_resumed(struct output *output)
{
    output_check(output);
    output->request = request_of(output);
    output->resumed = memory_take(1, sizeof *output->resumed);
    resumed_begin(output->resumed, path_of(output), &output->array, output->tensor, output->block_elements,
                  &output->request, output->input, output->options->given[OPTION_QUIET] != NULL);
}

static void begin_file(struct output *output)
{
    const sinpos_writer_options writing = writing_of(output);
    sinpos_file_error error = SINPOS_FILE_ERROR_INIT;
    if (path_of(output) != NULL &&
        interrupt_open(&output->writer, path_of(output), &output->array, &writing, &error) != SINPOS_FILE_OK)
        fail_write(path_of(output), &error);
}

static size_t next_length(const struct output *output, size_t n)
{
    return n * sinpos_element_bytes(output->array.element);
}

void output_begin(struct output *output, const char *what)
{
    if (resumes(output))
        begin_resumed(output);
    else
        begin_file(output);
    output->began = seconds_now();
    if (what != NULL)
        progress_begin(what, output->bytes);
}

bool output_is_done(const struct output *output)
{
    return output->resumed != NULL && resumed_has(output->resumed, output->next);
}

void output_pass(struct output *output, void *data, size_t n)
{
    if (data != NULL)
        resumed_read(output->resumed, output->next, data, n);
    output->next += n;
    output->kept_bytes += next_length(output, n);
    progress_advance(next_length(output, n));
}

void output_write(struct output *output, const void *elements, size_t n)
{
    sinpos_file_error error = SINPOS_FILE_ERROR_INIT;
    if (output->resumed != NULL)
        resumed_write(output->resumed, output->next, elements, n);
    if (output->writer != NULL && sinpos_writer_write(output->writer, elements, n, &error) != SINPOS_FILE_OK)
        fail_write(path_of(output), &error);
    output->next += n;
    progress_advance(next_length(output, n));
}

void output_end(struct output *output)
{
    sinpos_file_error error = SINPOS_FILE_ERROR_INIT;
    if (output->resumed != NULL)
        resumed_prepare(output->resumed);
    if (output->writer != NULL && sinpos_writer_prepare(output->writer, &error) != SINPOS_FILE_OK)
        fail_write(path_of(output), &error);
    output->seconds = seconds_now() - output->began;
    progress_clear();
}

double output_rate(const struct output *output)
{
    return output->seconds > 0 ? (double)(output->bytes - output->kept_bytes) / output->seconds : 0;
}

static void print_rate(const struct output *output)
{
    char shape[SHAPE_TEXT_BYTES], amount[AMOUNT_BYTES], rate[AMOUNT_BYTES];
    const char *path = path_of(output);
    fprintf(stderr, "%s: %s %s, %s in %.3g s, %s/s\n", strcmp(path, "-") == 0 ? "standard output" : SHOWN(path),
            shape_text(&output->array, shape), sinpos_element_name(output->array.element),
            amount_text(amount, (double)output->bytes), output->seconds, amount_text(rate, output_rate(output)));
}

/* Blocks that are done hold what the input was when they were. */
static void check_input(const struct output *output)
{
    struct request_text now = request_of(output);
    const bool is_same = now.n == output->request.n && memcmp(now.text, output->request.text, now.n) == 0;
    free(now.text);
    if (!is_same) {
        fail(EXIT_FILE, "remove the unfinished file and its journal, and begin again", output->input,
             "has changed while it was read");
    }
}

static void finish_resumed(struct output *output)
{
    if (output->input != NULL && output->resumed->writer != NULL)
        check_input(output);
    resumed_end(output->resumed);
    free(output->resumed);
    free(output->request.text);
    output->resumed = NULL;
}

void output_finish(struct output *output)
{
    sinpos_file_error error = SINPOS_FILE_ERROR_INIT;
    finish_output();
    if (output->resumed != NULL)
        finish_resumed(output);
    if (output->writer != NULL && sinpos_writer_commit(output->writer, &error) != SINPOS_FILE_OK)
        fail_write(path_of(output), &error);
    output->writer = NULL;
    interrupt_forget();
    if (path_of(output) != NULL && output->options->given[OPTION_QUIET] == NULL)
        print_rate(output);
}
