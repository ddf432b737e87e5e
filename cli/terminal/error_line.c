#include "error_line.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "progress.h"

/* A run prints one error: memory that fails after it, in what comes before the end, adds none. */
static atomic_bool has_complained;

static void print_line(const char *before, const char *what, const char *why, va_list arguments)
{
    char line[1600], shown[1600];
    progress_clear();
    const int used = snprintf(line, sizeof line, "%s%.900s: ", before, what);
    vsnprintf(line + used, sizeof line - (size_t)used, why, arguments);
    fprintf(stderr, "%s\n", sinpos_printable(shown, sizeof shown, line));
}

int complain(enum exit_code code, const char *hint, const char *what, const char *why, ...)
{
    char shown[1600];
    va_list arguments;
    va_start(arguments, why);
    print_line("sinpos: ", what, why, arguments);
    va_end(arguments);
    fprintf(stderr, "hint: %s\n", sinpos_printable(shown, sizeof shown, hint));
    has_complained = true;
    return (int)code;
}

void warn(const char *what, const char *why, ...)
{
    va_list arguments;
    va_start(arguments, why);
    print_line("sinpos: warning: ", what, why, arguments);
    va_end(arguments);
}

static int complain_file(const char *what, const sinpos_file_error *error)
{
    const enum exit_code code = error->status == SINPOS_FILE_E_REQUEST ? EXIT_USAGE : EXIT_FILE;
    const char *option = strcmp(error->option, "tensor") == 0 ? " (--tensor NAME)"
                         : strcmp(error->option, "dim") == 0  ? " (--dim D, --type T)"
                                                              : "";
    char hint[300];
    snprintf(hint, sizeof hint, "%s%s", error->hint, option);
    return complain(code, hint, what, "%s", error->message);
}

int complain_read(const char *path, const sinpos_file_error *error)
{
    return complain_file(strcmp(path, "-") == 0 ? "standard input" : path, error);
}

int complain_write(const char *path, const sinpos_file_error *error)
{
    return complain_file(strcmp(path, "-") == 0 ? "standard output" : path, error);
}

int complain_errno(const char *what, int number, const char *hint)
{
    char why[200];
    snprintf(why, sizeof why, "%s", strerror(number));
    why[0] = (char)tolower((unsigned char)why[0]);
    return complain(EXIT_FILE, hint, what, "%s", why);
}

int complain_memory(void)
{
    if (has_complained)
        return EXIT_FILE;
    return complain(EXIT_FILE, "ask for fewer columns or positions, or raise the memory limit", "memory",
                    "not enough of it");
}

int complain_status(sinpos_status status)
{
    switch (status) {
    case SINPOS_E_MEMORY: return complain_memory();
    case SINPOS_E_OVERFLOW:
        return complain(EXIT_USAGE, "choose a smaller --amplitude or another --type", "--amplitude", "%s",
                        sinpos_strerror(status));
    default:
        return complain(EXIT_USAGE, "check the numbers that state the encoding and the positions", "encoding", "%s",
                        sinpos_strerror(status));
    }
}

int finish_output(void)
{
    return finish_output_after(NULL);
}

int finish_output_after(const char *path)
{
    char hint[1200];
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout))
        return EXIT_DONE;
    char text[200];
    snprintf(text, sizeof text, "%s", errno == 0 ? "writing failed" : strerror(errno));
    text[0] = (char)tolower((unsigned char)text[0]);
    snprintf(hint, sizeof hint, "%.900s%s%s", path == NULL ? "" : path, path == NULL ? "" : " is written, but ",
             errno == EPIPE ? "the program that reads the output ended before all of it was written"
                            : "the report is not complete; send it elsewhere");
    return complain(EXIT_FILE, hint, "standard output", "%s", text);
}
