/* error_line.h - exit codes and error lines. */
#pragma once

#include <stdnoreturn.h>

#include "sinpos_formats.h"

enum exit_code {
    EXIT_DONE = 0,  /* done */
    EXIT_CHECK = 1, /* a check did not hold */
    EXIT_USAGE = 2, /* wrong usage */
    EXIT_FILE = 3   /* input or output failed */
};

/*
 * An error ends the program where it is found: these print "sinpos: WHAT: WHY" and "hint: HINT", remove the unfinished
 * files (interrupt.h), write out what standard output holds, and end with the code. What a function took and opened goes
 * with the program. Functions of the command line that read, check or write therefore return only where all went well.
 */
noreturn void fail(enum exit_code code, const char *hint, const char *what, const char *why, ...)
    __attribute__((format(printf, 4, 5)));

/* A name that somebody else may have given, of a file or in it, as it may stand on a terminal; up to the end of the block. */
#define SHOWN(name) sinpos_printable((char[1024]){""}, 1024, name)

/* Prints "sinpos: warning: WHAT: WHY". */
void warn(const char *what, const char *why, ...) __attribute__((format(printf, 2, 3)));

/* What went wrong with a file; "-" is shown as the stream's name. */
noreturn void fail_read(const char *path, const sinpos_file_error *error);
noreturn void fail_write(const char *path, const sinpos_file_error *error);

/* An error of the system, by its number. */
noreturn void fail_errno(const char *what, int number, const char *hint);
/* No memory: nothing that standard output holds is written. */
noreturn void fail_memory(void);
/* What the library refused. */
noreturn void fail_status(sinpos_status status);
/* The same, unless nothing was. */
void expect_ok(sinpos_status status);

/* What is to be removed at such an end. */
void fail_prepare(void (*remove_unfinished)(void));
/* Where the program is one of several: who prints the lines of the error, and ends all. */
void fail_elsewhere(void (*hand_over)(enum exit_code code, const char *lines));

/* Writes out what standard output still holds. Fails where that is not possible. */
void finish_output(void);
/* Likewise after a file, NULL for none, was written: the hint says that it is there. */
void finish_output_after(const char *path);
