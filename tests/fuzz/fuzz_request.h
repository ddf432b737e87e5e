/* fuzz_request.h - what the command line makes of options and files: it ends where an error would end the program. */
#ifndef SINPOS_TESTS_FUZZ_REQUEST_H
#define SINPOS_TESTS_FUZZ_REQUEST_H

#include "commands.h"

/* Runs act(context). Returns EXIT_DONE, or the exit code of the error that ended it. */
int ending_of(void (*act)(void *context), void *context);

/* The options of a command, and of table also the encoding, with some rows where they are few. argv is changed. */
void take_options(const struct command *command, int argc, char **argv);

#endif
