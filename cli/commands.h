/* commands.h - what main() can start. Every command gets the request of its options and returns an exit code. */
#ifndef COMMANDS_H
#define COMMANDS_H

#include "options.h"

/* A bit per command, to say which options it takes. */
enum command_bit {
    COMMAND_TABLE = 1 << 0,
    COMMAND_ADD = 1 << 1,
    COMMAND_AUDIT = 1 << 2,
    COMMAND_CHECK = 1 << 3,
    COMMAND_KERNEL = 1 << 4,
    COMMAND_DISTANCE = 1 << 5,
    COMMAND_SEPARATE = 1 << 6,
    COMMAND_BASE = 1 << 7,
    COMMAND_STRUCTURE = 1 << 8,
    COMMAND_PLOT = 1 << 9,
    COMMAND_REPORT = 1 << 10,
    COMMAND_BENCH = 1 << 11,
    COMMAND_CONVENTIONS = 1 << 12,
    COMMAND_ROTATE = 1 << 13,
    COMMAND_IDENTIFY = 1 << 14,
    COMMAND_CONVERT = 1 << 15,
    COMMAND_SHIFT = 1 << 16
};

struct request;

struct command {
    const char *name;
    enum command_bit bit;
    const char *summary;     /* one clause for the list of commands */
    const char *usage;       /* what follows the name */
    const char *description; /* a paragraph or two */
    const char *examples;    /* lines */
    size_t n_operands_least, n_operands_most;
    int (*run)(const struct request *request);
    void (*print_more)(void);        /* NULL, or the rest of the description */
    const char *meanings[N_OPTIONS]; /* of options that mean something of their own here; NULL: as for all */
};

/* Each in the file of its command. */
extern const struct command table_command;
extern const struct command add_command;
extern const struct command rotate_command;
extern const struct command audit_command;
extern const struct command convert_command;
extern const struct command identify_command;
extern const struct command check_command;
extern const struct command conventions_command;
extern const struct command kernel_command;
extern const struct command distance_command;
extern const struct command shift_command;
extern const struct command separate_command;
extern const struct command base_command;
extern const struct command structure_command;
extern const struct command plot_command;
extern const struct command report_command;
extern const struct command bench_command;

/* help.c */
void help_overview(const struct command *const *commands, size_t n_commands);
void help_command(const struct command *command);

#endif
