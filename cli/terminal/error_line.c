#include "error_line.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "progress.h"

static void (*remove_files)(void);
static void (*hand_over_lines)(enum exit_code code, const char *lines);

enum { LINE = 1600 };
#define NO_MEMORY "sinpos: memory: not enough of it"

static void make_line(char shown[LINE], const char *before, const char *what, const char *why, va_list arguments)
{
    char line[LINE];
    const int used = snprintf(line, sizeof line, "%s%.900s: ", before, what);
    vsnprintf(line + used, sizeof line - (size_t)used, why, arguments);
    sinpos_printable(shown, LINE, line);
}

/* Of several threads that fail, only the first goes on. */
static void be_first(void)
{
    static atomic_flag has_ended = ATOMIC_FLAG_INIT;
    while (atomic_flag_test_and_set(&has_ended))
        pause();
}

static noreturn void end(enum exit_code code, const char *line, const char *hint)
{
    char shown[LINE], lines[2 * LINE + 20];
    snprintf(lines, sizeof lines, "%s\nhint: %s\n", line, sinpos_printable(shown, sizeof shown, hint));
    if (hand_over_lines != NULL)
        hand_over_lines(code, lines);
    progress_clear();
    fputs(lines, stderr);
    if (code != EXIT_FILE || strcmp(line, NO_MEMORY) != 0)
        fflush(stdout);
    if (remove_files != NULL)
        remove_files();
    _exit((int)code);
}

void fail_elsewhere(void (*hand_over)(enum exit_code code, const char *lines))
{
    hand_over_lines = hand_over;
}

void fail_prepare(void (*remove_unfinished)(void))
{
    remove_files = remove_unfinished;
}

noreturn void fail(enum exit_code code, const char *hint, const char *what, const char *why, ...)
{
    char line[LINE];
    va_list arguments;
    be_first();
    va_start(arguments, why);
    make_line(line, "sinpos: ", what, why, arguments);
    va_end(arguments);
    end(code, line, hint);
}

void warn(const char *what, const char *why, ...)
{
    char line[LINE];
    va_list arguments;
    if (hand_over_lines != NULL)
        return; /* all of them find the same */
    va_start(arguments, why);
    make_line(line, "sinpos: warning: ", what, why, arguments);
    va_end(arguments);
    progress_clear();
    fprintf(stderr, "%s\n", line);
}

static noreturn void fail_file(const char *what, const sinpos_file_error *error)
{
    const enum exit_code code = error->status == SINPOS_FILE_E_REQUEST ? EXIT_USAGE : EXIT_FILE;
    const char *option = strcmp(error->option, "tensor") == 0        ? " (--tensor NAME)"
                         : strcmp(error->option, "dim") == 0         ? " (--dim D, --type T)"
                         : strcmp(error->option, "part") == 0        ? ", or leave out --resume"
                         : strcmp(error->option, "zarr_format") == 0 ? " (--zarr)"
                         : strcmp(error->option, "chunk_bytes") == 0 ? " (--chunk)"
                                                                     : "";
    char hint[300];
    snprintf(hint, sizeof hint, "%s%s", error->hint, option);
    fail(code, hint, what, "%s", error->message);
}

noreturn void fail_read(const char *path, const sinpos_file_error *error)
{
    fail_file(strcmp(path, "-") == 0 ? "standard input" : path, error);
}

noreturn void fail_write(const char *path, const sinpos_file_error *error)
{
    fail_file(strcmp(path, "-") == 0 ? "standard output" : path, error);
}

noreturn void fail_errno(const char *what, int number, const char *hint)
{
    char why[200];
    snprintf(why, sizeof why, "%s", strerror(number));
    why[0] = (char)tolower((unsigned char)why[0]);
    fail(EXIT_FILE, hint, what, "%s", why);
}

noreturn void fail_memory(void)
{
    be_first();
    end(EXIT_FILE, NO_MEMORY, "ask for fewer columns or positions, or raise the memory limit");
}

noreturn void fail_status(sinpos_status status)
{
    switch (status) {
    case SINPOS_E_MEMORY: fail_memory();
    case SINPOS_E_OVERFLOW:
        fail(EXIT_USAGE, "choose a smaller --amplitude or another --type", "--amplitude", "%s",
             sinpos_strerror(status));
    default:
        fail(EXIT_USAGE, "check the numbers that state the encoding and the positions", "encoding", "%s",
             sinpos_strerror(status));
    }
}

void expect_ok(sinpos_status status)
{
    if (status != SINPOS_OK)
        fail_status(status);
}

void finish_output(void)
{
    finish_output_after(NULL);
}

void finish_output_after(const char *path)
{
    char hint[1200];
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout))
        return;
    char text[200];
    snprintf(text, sizeof text, "%s", errno == 0 ? "writing failed" : strerror(errno));
    text[0] = (char)tolower((unsigned char)text[0]);
    snprintf(hint, sizeof hint, "%.900s%s%s", path == NULL ? "" : path, path == NULL ? "" : " is written, but ",
             errno == EPIPE ? "the program that reads the output ended before all of it was written"
                            : "the report is not complete; send it elsewhere");
    fail(EXIT_FILE, hint, "standard output", "%s", text);
}
