/* commands.h - what main() can start. Every command gets its parsed options and returns an exit code. */
#ifndef COMMANDS_H
#define COMMANDS_H

#include "options.h"

/* A bit per command, to say which options it takes. */
enum command_bit { COMMAND_TABLE = 1, COMMAND_ADD = 2, COMMAND_AUDIT = 4, COMMAND_BENCH = 8 };

struct command {
    const char *name;
    enum command_bit bit;
    const char *summary;     /* one clause for the list of commands */
    const char *usage;       /* what follows the name */
    const char *description; /* a paragraph or two */
    const char *examples;    /* lines */
    size_t n_operands_least, n_operands_most;
    int (*run)(const struct options *options);
};

int command_table(const struct options *options);
int command_add(const struct options *options);
int command_audit(const struct options *options);
int command_bench(const struct options *options);

/* help.c */
void help_overview(const struct command *commands, size_t n_commands);
void help_command(const struct command *command);

#endif
