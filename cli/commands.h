/* commands.h - the commands that main() can start. */
#pragma once

#include "command.h"

/* Each in the file of its command. */
extern const struct command table_command;
extern const struct command add_command;
extern const struct command rotate_command;
extern const struct command audit_command;
extern const struct command convert_command;
extern const struct command identify_command;
extern const struct command diff_command;
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
extern const struct command advise_command;
extern const struct command explore_command;

/* help.c */
void help_overview(const struct command *const *commands, size_t n_commands);
void help_command(const struct command *command);
