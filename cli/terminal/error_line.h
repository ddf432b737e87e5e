/* error_line.h - exit codes and error lines. */
#ifndef ERROR_LINE_H
#define ERROR_LINE_H

#include "sinpos_formats.h"

enum exit_code {
    EXIT_DONE = 0,  /* done */
    EXIT_CHECK = 1, /* a check did not hold */
    EXIT_USAGE = 2, /* wrong usage */
    EXIT_FILE = 3   /* input or output failed */
};

/* Prints "sinpos: WHAT: WHY" and "hint: HINT". Returns code. */
int complain(enum exit_code code, const char *hint, const char *what, const char *why, ...)
    __attribute__((format(printf, 4, 5)));

/* A name that somebody else may have given, of a file or in it, as it may stand on a terminal; up to the end of the block. */
#define SHOWN(name) sinpos_printable((char[1024]){""}, 1024, name)

/* Prints "sinpos: warning: WHAT: WHY". */
void warn(const char *what, const char *why, ...) __attribute__((format(printf, 2, 3)));

/* What went wrong with a file; "-" is shown as the stream's name. */
int complain_read(const char *path, const sinpos_file_error *error);
int complain_write(const char *path, const sinpos_file_error *error);

/* An error of the system, by its number. */
int complain_errno(const char *what, int number, const char *hint);
int complain_memory(void);
/* What the library refused. */
int complain_status(sinpos_status status);

/* Writes out what standard output still holds. Returns EXIT_DONE, or complains. */
int finish_output(void);
/* Likewise after a file, NULL for none, was written: the hint says that it is there. */
int finish_output_after(const char *path);

#endif
