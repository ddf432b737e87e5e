/*
 * In place of cli/terminal/error_line.c: an error has an exit code, one line and a hint, and leads back to ending_of().
 * What was allocated until then is lost, as it would be with the program.
 */
#define _DEFAULT_SOURCE
#include "fuzz_request.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "request_encoding.h"

enum { MOST_DIM = 512, MOST_ROWS = 16, MOST_LIST = 4096 };

static jmp_buf after_error;

const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "detect_leaks=0:allocator_may_return_null=1:max_allocation_size_mb=256";
}

static void check_line(const char *what, const char *why, va_list arguments)
{
    char line[1600], shown[1600];
    const int used = snprintf(line, sizeof line, "%.900s: ", what);
    if (vsnprintf(line + used, sizeof line - (size_t)used, why, arguments) <= 0)
        abort();
    for (const char *c = sinpos_printable(shown, sizeof shown, line); *c != '\0'; c++)
        if ((unsigned char)*c < 0x20)
            abort();
}

noreturn void fail(enum exit_code code, const char *hint, const char *what, const char *why, ...)
{
    va_list arguments;
    va_start(arguments, why);
    check_line(what, why, arguments);
    va_end(arguments);
    if (code < EXIT_CHECK || code > EXIT_FILE || hint == NULL)
        abort();
    longjmp(after_error, (int)code);
}

void warn(const char *what, const char *why, ...)
{
    va_list arguments;
    va_start(arguments, why);
    check_line(what, why, arguments);
    va_end(arguments);
}

static noreturn void fail_file(const char *path, const sinpos_file_error *error)
{
    fail(error->status == SINPOS_FILE_E_REQUEST ? EXIT_USAGE : EXIT_FILE, error->hint, path, "%s", error->message);
}

noreturn void fail_read(const char *path, const sinpos_file_error *error)
{
    fail_file(path, error);
}

noreturn void fail_write(const char *path, const sinpos_file_error *error)
{
    fail_file(path, error);
}

noreturn void fail_errno(const char *what, int number, const char *hint)
{
    fail(EXIT_FILE, hint, what, "%s", strerror(number));
}

noreturn void fail_memory(void)
{
    fail(EXIT_FILE, "ask for less", "memory", "not enough of it");
}

noreturn void fail_status(sinpos_status status)
{
    fail(EXIT_USAGE, "check the numbers", "encoding", "%s", sinpos_strerror(status));
}

void expect_ok(sinpos_status status)
{
    if (status != SINPOS_OK)
        fail_status(status);
}

void fail_prepare(void (*remove_unfinished)(void))
{
    (void)remove_unfinished;
}

void finish_output(void)
{
}

void finish_output_after(const char *path)
{
    (void)path;
}

/* Rows from both ends, where a plan is small. */
static void fill_some(struct encoding *encoding, const struct options *options)
{
    static _Alignas(64) unsigned char rows[MOST_ROWS * MOST_DIM * sizeof(double)];
    const sinpos_encoding_info *info = &encoding->info;
    if (info->n_columns > MOST_DIM || info->n_rows == 0 || encoding->dim > MOST_LIST)
        return;
    encoding_plan(encoding);
    const size_t n = info->is_channel_first ? info->n_rows : info->n_rows < MOST_ROWS ? info->n_rows : MOST_ROWS;
    if (n > MOST_ROWS)
        return;
    encoding_prepare(encoding, n);
    expect_ok(encoding_run(encoding, SINPOS_FILL, 0, n, options->type, rows, 1));
    expect_ok(encoding_run(encoding, SINPOS_FILL, info->n_rows - n, n, options->type, rows, 1));
}

/* Files that an error left open, where the program would have ended. */
static int next_file(void)
{
    const int file = open("/dev/null", O_RDONLY);
    if (file < 0 || close(file) != 0)
        abort();
    return file;
}

static void close_files(int first)
{
    for (int file = first; file < first + 4; file++)
        (void)close(file);
}

int ending_of(void (*act)(void *context), void *context)
{
    const int first_file = next_file();
    const int code = setjmp(after_error);
    if (code == 0)
        act(context);
    else
        close_files(first_file);
    return code;
}

struct words {
    const struct command *command;
    int argc;
    char **argv;
};

static void take_words(void *context)
{
    static struct options options;
    static struct request request;
    static struct encoding encoding;
    const struct words *words = context;
    options_parse(&options, words->command, words->argc, words->argv);
    if (words->command != &table_command || options.given[OPTION_HELP] != NULL)
        return;
    request_make(&request, &options, NULL);
    const struct known known = {.n_default = options.length};
    encoding_make(&encoding, &request, &known, (unsigned)options.type, NULL, NULL);
    encoding_negate(&encoding);
    fill_some(&encoding, &options);
    encoding_free(&encoding);
    request_free(&request);
}

void take_options(const struct command *command, int argc, char **argv)
{
    (void)ending_of(take_words, &(struct words){command, argc, argv});
}
