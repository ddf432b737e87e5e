#include "written.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "array_pieces.h"
#include "checksum.h"
#include "interrupt.h"
#include "no_memory.h"
#include "progress.h"
#include "team.h"

static const char *path_of(const struct output *output)
{
    return output->options->given[OPTION_OUTPUT];
}

static bool resumes(const struct output *output)
{
    return output->options->given[OPTION_RESUME] != NULL;
}

/* Do blocks have places, to be written in any order? */
static bool has_places(const struct output *output)
{
    return path_of(output) != NULL && (resumes(output) || team_is_many());
}

/* For sinpos_writer_check() any part will do. */
static sinpos_writer_options writing_of(const struct output *output)
{
    return (sinpos_writer_options){.struct_size = sizeof(sinpos_writer_options),
                                   .tensor = output->tensor,
                                   .zarr_format = (int)output->options->zarr_format,
                                   .chunk_bytes = output->options->chunk_bytes,
                                   .part = has_places(output) ? path_of(output) : NULL};
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
    if (team_is_many() && output == NULL && options->given[OPTION_HASH] != NULL) {
        fail_option(options, OPTION_HASH, "add -o FILE, or use sinpos",
                    "takes elements in their order, which several processes do not make");
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
    if (path_of(output) == NULL ||
        sinpos_writer_check(path_of(output), &output->array, &writing, &error) == SINPOS_FILE_OK)
        return;
    if (strcmp(error.option, "part") == 0 && !resumes(output)) {
        fail(EXIT_USAGE, "write a file .npy, .safetensors, .gguf or .raw, or use sinpos", path_of(output),
             "cannot be written by several processes: elements have no fixed places in it");
    }
    fail_write(path_of(output), &error);
}

static size_t bytes_of(const struct output *output, size_t n)
{
    return n * sinpos_element_bytes(output->array.element);
}

/* About the shared file. */
static void check_call(const struct output *output, int number)
{
    const bool is_full = number == ENOSPC || number == EDQUOT || number == EFBIG;
    char hint[100];
    if (number == 0)
        return;
    snprintf(hint, sizeof hint, "%s%s", is_full ? "make room" : "check the device",
             resumes(output) ? "; the same command with --resume goes on" : ", or choose another place");
    fail_errno(path_of(output), number, hint);
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

/* Where the elements begin: what was opened ends with the last one. */
static uint64_t first_byte_of(const struct output *output)
{
    struct stat there;
    if (stat(output->resumed->part, &there) != 0)
        fail_errno(output->resumed->part, errno, "check the folder");
    return (uint64_t)there.st_size - output->bytes;
}

static void open_shared(struct output *output)
{
    char part[4096] = "";
    if (team_is_first() && !output->is_whole) {
        if (strlen(output->resumed->part) >= sizeof part)
            fail_errno(path_of(output), ENAMETOOLONG, "choose a shorter path");
        strcpy(part, output->resumed->part);
        output->first_byte = first_byte_of(output);
    }
    team_share(part, sizeof part);
    team_share(&output->first_byte, sizeof output->first_byte);
    team_share(&output->is_whole, sizeof output->is_whole);
    if (!output->is_whole)
        check_call(output, team_file_open(part));
}

static void begin_places(struct output *output)
{
    output_check(output);
    if (team_is_first()) {
        if (resumes(output))
            output->request = request_of(output);
        output->resumed = memory_take(1, sizeof *output->resumed);
        resumed_begin(output->resumed, path_of(output), &output->array, output->tensor, output->block_elements,
                      resumes(output) ? &output->request : NULL, output->input);
        output->is_whole = output->resumed->whole != NULL;
        output->kept_bytes = output->is_whole ? output->bytes : 0;
    }
    if (team_is_many())
        open_shared(output);
}

static void begin_file(struct output *output)
{
    const sinpos_writer_options writing = writing_of(output);
    sinpos_file_error error = SINPOS_FILE_ERROR_INIT;
    if (path_of(output) != NULL &&
        interrupt_open(&output->writer, path_of(output), &output->array, &writing, &error) != SINPOS_FILE_OK)
        fail_write(path_of(output), &error);
}

void output_begin(struct output *output, const char *what)
{
    output->what = what;
    if (has_places(output) && output->make != NULL)
        begin_places(output);
    else
        begin_file(output);
    output->began = seconds_now();
    if (what != NULL)
        progress_begin(what, output->bytes);
}

void output_write(struct output *output, const void *elements, size_t n)
{
    sinpos_file_error error = SINPOS_FILE_ERROR_INIT;
    if (output->writer != NULL && sinpos_writer_write(output->writer, elements, n, &error) != SINPOS_FILE_OK)
        fail_write(path_of(output), &error);
    progress_advance(bytes_of(output, n));
}

/* --------------------------------------------------------------------------------------------------- blocks */

static size_t block_length(const struct output *output, size_t block)
{
    const size_t all = (size_t)(output->bytes / bytes_of(output, 1)), left = all - block * output->block_elements;
    return left < output->block_elements ? left : output->block_elements;
}

static uint64_t count_in(const struct output *output, const void *data, size_t n)
{
    return output->count == NULL ? 0 : output->count(output->context, data, n);
}

static void make_block(struct output *output, size_t block)
{
    output->make(output->context, block * output->block_elements, block_length(output, block), output->data);
}

static bool next_in_order(void *context, size_t *block, struct record *state)
{
    struct output *output = context;
    (void)state;
    *block = output->next;
    return output->next++ < output->n_blocks;
}

static void make_in_order(void *context, size_t block, struct record *state, struct record *found)
{
    (void)state, (void)found;
    make_block(context, block);
}

static void take_in_order(void *context, size_t block, struct record *found)
{
    struct output *output = context;
    const size_t n = block_length(output, block);
    (void)found;
    output->n_counted += count_in(output, output->data, n);
    if (output->hash != NULL)
        sha256_add_elements(output->hash, output->data, n, bytes_of(output, 1));
    output_write(output, output->data, n);
}

/* ----------------------------------------------------------------------------------------- blocks with places */

static bool is_big_endian(void)
{
    const uint16_t one = 1;
    return *(const unsigned char *)&one == 0;
}

/* From the order of this machine to that of the file, or back. */
static void turn(const struct output *output, void *data, size_t n)
{
    const size_t size = bytes_of(output, 1);
    unsigned char *p = data;
    for (size_t i = 0; is_big_endian() && i < n; i++, p += size) {
        for (size_t k = 0; k < size / 2; k++) {
            const unsigned char byte = p[k];
            p[k] = p[size - 1 - k];
            p[size - 1 - k] = byte;
        }
    }
}

static uint64_t place_of(const struct output *output, size_t block)
{
    return output->first_byte + (uint64_t)block * bytes_of(output, output->block_elements);
}

static void write_block(struct output *output, size_t block, size_t n)
{
    if (!team_is_many()) {
        resumed_write(output->resumed, block, output->data);
        return;
    }
    turn(output, output->data, n);
    check_call(output, team_file_write(place_of(output, block), output->data, bytes_of(output, n)));
}

static bool read_block(struct output *output, size_t block, size_t n)
{
    if (!team_is_many())
        return resumed_read(output->resumed, block, output->data, NULL);
    const bool is_read = team_file_read(place_of(output, block), output->data, bytes_of(output, n)) == 0;
    turn(output, output->data, n);
    return is_read;
}

static bool next_place(void *context, size_t *block, struct record *state)
{
    struct output *output = context;
    const struct journal *journal = &output->resumed->journal;
    while (output->next < output->n_blocks && journal->is_done[output->next] != output->is_look)
        output->next++;
    *block = output->next;
    if (*block == output->n_blocks)
        return false;
    record_word(state, journal->sums[output->next++]);
    return true;
}

/* Believes the journal where the data have the checksum that it states. */
static void look_at_place(void *context, size_t block, struct record *state, struct record *found)
{
    struct output *output = context;
    const size_t n = block_length(output, block);
    const bool is_right =
        read_block(output, block, n) && checksum(output->data, bytes_of(output, n), block) == record_next_word(state);
    record_word(found, is_right);
    record_word(found, is_right ? count_in(output, output->data, n) : 0);
}

static void take_look(void *context, size_t block, struct record *found)
{
    struct output *output = context;
    const uint64_t n_bytes = bytes_of(output, block_length(output, block));
    const bool is_right = record_next_word(found) != 0;
    output->resumed->journal.is_done[block] = is_right;
    output->n_counted += record_next_word(found);
    output->kept_bytes += is_right ? n_bytes : 0;
    progress_advance(n_bytes);
}

static void make_at_place(void *context, size_t block, struct record *state, struct record *found)
{
    struct output *output = context;
    const size_t n = block_length(output, block);
    (void)state;
    make_block(output, block);
    record_word(found, checksum(output->data, bytes_of(output, n), block));
    record_word(found, count_in(output, output->data, n));
    write_block(output, block, n);
}

static void take_place(void *context, size_t block, struct record *found)
{
    struct output *output = context;
    journal_add(&output->resumed->journal, block, record_next_word(found));
    output->n_counted += record_next_word(found);
    progress_advance(bytes_of(output, block_length(output, block)));
}

/* All of them, in order. */
static void read_all(struct output *output)
{
    for (size_t block = 0; block < output->n_blocks; block++) {
        sinpos_file_error error = SINPOS_FILE_ERROR_INIT;
        const size_t n = block_length(output, block);
        if (!resumed_read(output->resumed, block, output->data, &error))
            fail_read(output->is_whole ? path_of(output) : output->resumed->part, &error);
        if (output->is_whole)
            output->n_counted += count_in(output, output->data, n);
        if (output->hash != NULL)
            sha256_add_elements(output->hash, output->data, n, bytes_of(output, 1));
    }
}

static void look_at_listed(struct output *output)
{
    const struct job look = {.context = output, .next = next_place, .make = look_at_place, .take = take_look};
    if (team_is_first())
        progress_begin(output->resumed->part,
                       (uint64_t)output->resumed->n_listed * bytes_of(output, output->block_elements));
    output->is_look = true;
    team_run(&look);
    output->is_look = false;
    progress_clear();
}

static void make_places(struct output *output)
{
    const struct job make = {.context = output, .next = next_place, .make = make_at_place, .take = take_place};
    if (!output->is_whole)
        look_at_listed(output);
    if (team_is_first())
        resumed_looked(output->resumed, output->options->given[OPTION_QUIET] != NULL);
    if (!output->is_whole) {
        progress_begin(output->what, output->bytes);
        progress_advance(output->kept_bytes);
        output->next = 0;
        team_run(&make);
    }
    if (team_is_many() && !output->is_whole)
        check_call(output, team_file_close());
    if (team_is_first() && (output->hash != NULL || (output->is_whole && output->count != NULL)))
        read_all(output);
}

void output_make(struct output *output)
{
    const struct job in_order = {
        .context = output, .next = next_in_order, .make = make_in_order, .take = take_in_order};
    const size_t n = (size_t)(output->bytes / bytes_of(output, 1));
    output->n_blocks = n / output->block_elements + (n % output->block_elements != 0);
    output->data = pieces_allocate(bytes_of(output, output->block_elements));
    if (has_places(output))
        make_places(output);
    else
        team_run(&in_order);
    free(output->data);
    output->data = NULL;
}

void output_end(struct output *output)
{
    sinpos_file_error error = SINPOS_FILE_ERROR_INIT;
    if (!team_is_first())
        return;
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
    if (output->input != NULL && resumes(output) && output->resumed->writer != NULL)
        check_input(output);
    resumed_end(output->resumed);
    free(output->resumed);
    free(output->request.text);
    output->resumed = NULL;
}

void output_finish(struct output *output)
{
    sinpos_file_error error = SINPOS_FILE_ERROR_INIT;
    if (!team_is_first())
        return;
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
