/* command.h - what a command is: its name, its options and the texts of its help. */
#pragma once

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
    COMMAND_SHIFT = 1 << 16,
    COMMAND_ADVISE = 1 << 17,
    COMMAND_DIFF = 1 << 18,
    COMMAND_EXPLORE = 1 << 19
};

struct request;

struct command {
    const char *name;
    enum command_bit bit;
    const char *summary;                      /* one clause for the list of commands */
    const char *usage;                        /* what follows the name */
    const char *description;                  /* a paragraph or two */
    const char *examples;                     /* lines */
    size_t n_operands_least, n_operands_most; /* 0: none */
    bool operand_is_config;                   /* the operand stands for --from-config PATH */
    int (*run)(const struct request *request);
    void (*print_more)(void);        /* NULL, or the rest of the description */
    const char *meanings[N_OPTIONS]; /* of options that mean something of their own here; NULL: as for all */
};
