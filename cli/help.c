#include <stdio.h>
#include <string.h>

#include "commands.h"

void help_overview(const struct command *const *commands, size_t n_commands)
{
    puts("sinpos " SINPOS_VERSION " - sinusoidal position encodings, exact to the last bit\n\n"
         "usage: sinpos COMMAND [options]\n\ncommands:");
    for (size_t i = 0; i < n_commands; i++)
        printf("  %-9s %s\n", commands[i]->name, commands[i]->summary);
    puts("\n'sinpos COMMAND --help' explains a command; 'sinpos --version' prints version, compiler and\n"
         "instruction set.\n\n"
         "exit codes: 0 done, 1 a check did not hold, 2 wrong usage, 3 input or output failed\n\n"
         "example:\n"
         "  sinpos table --dim 768 --length 4096 -o table.npy");
}

/* Few commands have it. */
enum { MOST_OF_ITS_OWN = 4 };

static bool is_its_own(const struct option_type *type)
{
    int n = 0;
    for (unsigned commands = (unsigned)type->commands; commands != 0; commands &= commands - 1)
        n++;
    return n <= MOST_OF_ITS_OWN;
}

static bool is_shown(const struct command *command, size_t i)
{
    const struct option_type *type = &option_types[i];
    return (type->commands & (unsigned)command->bit) != 0 && type->meaning != NULL &&
           (i != OPTION_ARITHMETIC || command_replays(command));
}

static void print_option(const struct command *command, size_t i)
{
    const struct option_type *type = &option_types[i];
    char name[40];
    snprintf(name, sizeof name, "%s--%s%s%s",
             i == OPTION_OUTPUT ? "-o, "
             : i == OPTION_BY   ? "-k, "
                                : "",
             type->name, type->argument == NULL ? "" : " ", type->argument == NULL ? "" : type->argument);
    printf("  %-24s %s\n", name, command->meanings[i] != NULL ? command->meanings[i] : type->meaning);
}

/* Those between first and last that few commands have, or that many have. */
static void print_options(const struct command *command, const char *title, enum option_id first, enum option_id last,
                          bool its_own)
{
    bool any = false;
    for (size_t i = first; i <= last; i++) {
        if (!is_shown(command, i) || is_its_own(&option_types[i]) != its_own)
            continue;
        if (!any) {
            printf("\n%s (defaults in brackets):\n", title);
            any = true;
        }
        print_option(command, i);
    }
}

void help_command(const struct command *command)
{
    printf("usage: sinpos %s %s\n\n%s\n", command->name, command->usage, command->description);
    if (command->print_more != NULL)
        command->print_more();
    char own[40];
    snprintf(own, sizeof own, "options of '%s'", command->name);
    print_options(command, own, 0, N_OPTIONS - 1, true);
    print_options(command, "as in other commands", OPTION_OUTPUT, OPTION_HELP, false);
    print_options(command, "which positions and type", OPTION_START, OPTION_TYPE, false);
    print_options(command, "which encoding", OPTION_CONVENTION, OPTION_ARITHMETIC, false);
    printf("\n%s:\n%s", strchr(command->examples, '\n')[1] == '\0' ? "example" : "examples", command->examples);
}
