#include <stdio.h>
#include <string.h>

#include "commands.h"

void help_overview(const struct command *const *commands, size_t n_commands)
{
    puts("sinpos " SINPOS_VERSION " - sinusoidal position encodings, exact to the last bit\n\n"
         "usage: sinpos COMMAND [options]\n\ncommands:");
    for (size_t i = 0; i < n_commands; i++) {
        printf("  %-9s %s\n", commands[i]->name, commands[i]->summary);
    }
    puts("\n'sinpos COMMAND --help' explains a command; 'sinpos --version' tells version, compiler and\n"
         "instruction set.\n\n"
         "exit codes: 0 done, 1 a check did not hold, 2 wrong usage, 3 input or output failed\n\n"
         "example:\n"
         "  sinpos table --dim 768 --length 4096 -o table.npy");
}

static void print_options(const struct command *command, const char *title, enum option_id first, enum option_id last)
{
    bool any = false;
    for (size_t i = first; i <= last; i++) {
        const struct option_type *type = &option_types[i];
        char name[40];
        if ((type->commands & (unsigned)command->bit) == 0 || type->meaning == NULL ||
            (i == OPTION_ARITHMETIC && !command_replays(command))) {
            continue;
        }
        if (!any) {
            printf("\n%s (defaults in brackets):\n", title);
            any = true;
        }
        snprintf(name, sizeof name, "%s--%s%s%s", i == OPTION_OUTPUT ? "-o, " : "", type->name,
                 type->argument == NULL ? "" : " ", type->argument == NULL ? "" : type->argument);
        printf("  %-24s %s\n", name, command->meanings[i] != NULL ? command->meanings[i] : type->meaning);
    }
}

void help_command(const struct command *command)
{
    printf("usage: sinpos %s %s\n\n%s\n", command->name, command->usage, command->description);
    if (command->print_more != NULL) {
        command->print_more();
    }
    print_options(command, "which encoding", OPTION_CONVENTION, OPTION_ARITHMETIC);
    print_options(command, "which positions and type", OPTION_START, OPTION_TYPE);
    print_options(command, "what to do", OPTION_OUTPUT, OPTION_HELP);
    printf("\n%s:\n%s", strchr(command->examples, '\n')[1] == '\0' ? "example" : "examples", command->examples);
}
