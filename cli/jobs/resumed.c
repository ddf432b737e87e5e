#define _XOPEN_SOURCE 700 /* realpath() */
#include "resumed.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "array_pieces.h"
#include "checksum.h"
#include "folder.h"
#include "interrupt.h"
#include "no_memory.h"
#include "progress.h"

#define GOES_ON "the same command with --resume goes on"
enum { MOST_HEADER = 1 << 20 };

void resumed_check(const struct options *options)
{
    if (options->given[OPTION_RESUME] == NULL)
        return;
    if (options->given[OPTION_OUTPUT] == NULL)
        fail_option(options, OPTION_RESUME, "add -o FILE", "keeps what is done beside the output, and there is none");
    for (size_t i = 0; i < options->n_operands; i++) {
        if (strcmp(options->operands[i], "-") == 0) {
            fail_option(options, OPTION_RESUME, "name a file",
                        "may have to read the input again, and standard input ends");
        }
    }
}

static noreturn void fail_kept(const struct resumed *resumed, const sinpos_file_error *error)
{
    const int number = error->system_errno;
    const bool is_full = number == ENOSPC || number == EDQUOT || number == EFBIG;
    if (error->status != SINPOS_FILE_E_SYSTEM || resumed->list == NULL)
        fail_write(resumed->path, error);
    fail(EXIT_FILE, is_full ? "make room; " GOES_ON : "check the device; " GOES_ON, resumed->path, "%s",
         error->message);
}

static char *joined(const char *path, const char *ending)
{
    const size_t n = strlen(path), m = strlen(ending);
    char *name = memory_take(n + m + 1, 1);
    memcpy(name, path, n);
    memcpy(name + n, ending, m + 1);
    return name;
}

char *resumed_name(const char *path, const char *ending)
{
    struct stat there;
    const bool is_link = link_is_there(path, &there) && S_ISLNK(there.st_mode);
    OWNED char *target = is_link ? realpath(path, NULL) : joined(path, "");
    if (target == NULL)
        fail_errno(path, errno, "name the file itself, not a link");
    return joined(target, ending);
}

/* "FOLDER/.sinpos-PID-team.npy" */
static char *hidden_name(const char *target)
{
    const char *slash = strrchr(target, '/'), *point = strrchr(target, '.');
    const size_t folder = slash == NULL ? 0 : (size_t)(slash + 1 - target), room = strlen(target) + 60;
    char *name = memory_take(room, 1);
    snprintf(name, room, "%.*s.sinpos-%ld-team%s", (int)folder, target, (long)getpid(),
             point == NULL || point < target + folder ? "" : point);
    return name;
}

/* A link's file is replaced, so what is unfinished lies beside that. */
static void name_files(struct resumed *resumed, bool has_journal)
{
    resumed->target = resumed_name(resumed->path, "");
    resumed->part = has_journal ? joined(resumed->target, ".part") : hidden_name(resumed->target);
    resumed->list = has_journal ? joined(resumed->target, ".journal") : NULL;
}

void resumed_message(const char *path)
{
    char line[1400];
    snprintf(line, sizeof line, "sinpos: %.1000s: stopped\nhint: " GOES_ON "\n", SHOWN(path));
    interrupt_message(line);
}

size_t resumed_length(const struct resumed *resumed, size_t block)
{
    const size_t left = resumed->n_elements - block * resumed->block_elements;
    return left < resumed->block_elements ? left : resumed->block_elements;
}

static size_t block_bytes(const struct resumed *resumed, size_t n)
{
    return n * sinpos_element_bytes(resumed->array.element);
}

static bool is_right(const struct resumed *resumed, size_t block, const void *data, size_t n)
{
    return checksum(data, block_bytes(resumed, n), block) == resumed->journal.sums[block];
}

/* Does FILE hold every block? Then it got its name before the kill. */
static bool is_whole(struct resumed *resumed)
{
    const sinpos_array *array = &resumed->array;
    const sinpos_reader_options reading = {
        .struct_size = sizeof reading, .element = array->element, .dim = array->shape[array->n_dims - 1]};
    size_t n = 0;
    if (sinpos_reader_open(&resumed->whole, resumed->target, &reading, NULL) != SINPOS_FILE_OK)
        return false;
    bool is_same = sinpos_reader_array(resumed->whole)->element == array->element &&
                   sinpos_array_elements(sinpos_reader_array(resumed->whole), &n) == SINPOS_FILE_OK &&
                   n == resumed->n_elements;
    OWNED void *data = pieces_allocate(block_bytes(resumed, resumed->block_elements));
    for (size_t block = 0; is_same && block < resumed->n_blocks; block++) {
        n = resumed_length(resumed, block);
        is_same = resumed_read(resumed, block, data, NULL) && is_right(resumed, block, data, n);
    }
    if (!is_same) {
        sinpos_reader_close(resumed->whole);
        resumed->whole = NULL;
    }
    return is_same;
}

static noreturn void fail_stranger(struct journal *journal, const char *part)
{
    journal_remove(journal);
    fail(EXIT_FILE, "move it away: the unfinished file needs its name", part,
         "is there, and no journal says what it holds");
}

void resumed_refuse_stranger(struct journal *journal, const char *part)
{
    struct stat there;
    if (link_is_there(part, &there))
        fail_stranger(journal, part);
}

/* Without a journal a file of that name may be anything; but one of another size is not ours. */
static void refuse_other_size(struct resumed *resumed, const struct stat *there)
{
    const uint64_t size = (uint64_t)there->st_size, least = block_bytes(resumed, resumed->n_elements);
    if (!S_ISREG(there->st_mode) || (size != 0 && (size < least || size - least > MOST_HEADER)))
        fail_stranger(&resumed->journal, resumed->part);
}

static void open_part(struct resumed *resumed, const char *tensor)
{
    sinpos_file_error error = SINPOS_FILE_ERROR_INIT;
    const sinpos_writer_options writing = {.struct_size = sizeof writing, .tensor = tensor, .part = resumed->part};
    if (resumed->list == NULL)
        interrupt_file(resumed->part);
    if (interrupt_open(&resumed->writer, resumed->path, &resumed->array, &writing, &error) == SINPOS_FILE_OK)
        return;
    if (!resumed->journal.is_new)
        fail_kept(resumed, &error);
    journal_remove(&resumed->journal);
    fail_write(resumed->path, &error);
}

/* In place the input is the output by now, and not what it was. */
static bool is_in_place(const struct resumed *resumed, const char *input)
{
    struct stat own, other;
    return input != NULL && file_is_there(input, &own) && file_is_there(resumed->target, &other) &&
           own.st_ino == other.st_ino && own.st_dev == other.st_dev;
}

static void find_done(struct resumed *resumed, const struct request_text *request, const char *tensor,
                      const char *input)
{
    struct journal *journal = &resumed->journal;
    struct stat there;
    const char *others = is_in_place(resumed, input) ? "input" : NULL;
    const bool has_part = link_is_there(resumed->part, &there);
    if (!journal->is_new && !has_part && journal->n_blocks > 0 && journal_is_ours(journal, request, others) &&
        resumed->n_listed == journal->n_blocks && is_whole(resumed)) {
        resumed->n_kept = journal->n_blocks;
        return;
    }
    if (!journal_is_ours(journal, request, NULL))
        journal_refuse(journal, request, resumed->part);
    if (journal->is_new && has_part)
        refuse_other_size(resumed, &there);
    open_part(resumed, tensor);
}

void resumed_begin(struct resumed *resumed, const char *path, const sinpos_array *array, const char *tensor,
                   size_t block_elements, const struct request_text *request, const char *input)
{
    *resumed = (struct resumed){.path = path, .array = *array, .block_elements = block_elements};
    if (sinpos_array_elements(array, &resumed->n_elements) != SINPOS_FILE_OK)
        fail_memory();
    name_files(resumed, request != NULL);
    const size_t n = resumed->n_elements;
    resumed->n_blocks = n / block_elements + (n % block_elements != 0);
    if (request == NULL) {
        journal_none(&resumed->journal, resumed->n_blocks);
        open_part(resumed, tensor);
        return;
    }
    journal_open(&resumed->journal, resumed->list, request, resumed->n_blocks, false);
    resumed->n_listed = journal_count(&resumed->journal);
    find_done(resumed, request, tensor, input);
    resumed_message(path);
}

bool resumed_read(struct resumed *resumed, size_t block, void *data, sinpos_file_error *error)
{
    const size_t first = block * resumed->block_elements, n = resumed_length(resumed, block);
    return (resumed->whole != NULL ? sinpos_reader_read_at(resumed->whole, first, data, n, error)
                                   : sinpos_writer_read_at(resumed->writer, first, data, n, error)) == SINPOS_FILE_OK;
}

void resumed_write(struct resumed *resumed, size_t block, const void *data)
{
    sinpos_file_error error = SINPOS_FILE_ERROR_INIT;
    const size_t first = block * resumed->block_elements, n = resumed_length(resumed, block);
    if (sinpos_writer_write_at(resumed->writer, first, data, n, &error) != SINPOS_FILE_OK)
        fail_kept(resumed, &error);
}

void resumed_looked(struct resumed *resumed, bool is_quiet)
{
    resumed->n_kept = journal_count(&resumed->journal);
    const size_t n_damaged = resumed->n_listed - resumed->n_kept;
    if (n_damaged > 0)
        warn(resumed->part, "%zu block%s damaged; made again", n_damaged, n_damaged == 1 ? " is" : "s are");
    if (resumed->list != NULL && !is_quiet)
        fprintf(stderr, "resumed: %zu of %zu blocks\n", resumed->n_kept, resumed->n_blocks);
}

void resumed_prepare(struct resumed *resumed)
{
    sinpos_file_error error = SINPOS_FILE_ERROR_INIT;
    if (resumed->writer != NULL && sinpos_writer_prepare(resumed->writer, &error) != SINPOS_FILE_OK)
        fail_kept(resumed, &error);
}

void resumed_end(struct resumed *resumed)
{
    sinpos_file_error error = SINPOS_FILE_ERROR_INIT;
    if (resumed->writer != NULL && sinpos_writer_commit(resumed->writer, &error) != SINPOS_FILE_OK)
        fail_kept(resumed, &error);
    interrupt_keep();
    sinpos_reader_close(resumed->whole);
    journal_remove(&resumed->journal);
    interrupt_forget();
    free(resumed->target);
    free(resumed->part);
    free(resumed->list);
    *resumed = (struct resumed){.path = NULL};
}
