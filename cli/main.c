/* main.c - finds the command and starts it. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "commands.h"
#include "interrupt.h"
#include "no_memory.h"
#include "progress.h"
#include "request.h"
#include "team.h"

/* In the order of the overview. */
static const struct command *const commands[] = {
    &table_command,    &add_command,   &rotate_command,      &audit_command,  &identify_command, &diff_command,
    &convert_command,  &check_command, &conventions_command, &kernel_command, &distance_command, &shift_command,
    &separate_command, &base_command,  &structure_command,   &plot_command,   &report_command,   &advise_command,
#ifdef SINPOS_HAVE_EXPLORE
    &explore_command,
#endif
#ifdef SINPOS_HAVE_BENCH
    &bench_command,
#endif
};

#define N_COMMANDS (sizeof commands / sizeof commands[0])

static const char *command_name_at(size_t i)
{
    return commands[i]->name;
}

static const struct command *find_command(const char *name)
{
    for (size_t i = 0; i < N_COMMANDS; i++)
        if (strcmp(commands[i]->name, name) == 0)
            return commands[i];
    return NULL;
}

static void print_version(void)
{
    printf("sinpos %s\n", sinpos_version());
#if defined(__clang__)
    printf("compiler: clang %s\n", __clang_version__);
#elif defined(__GNUC__)
    printf("compiler: gcc %s\n", __VERSION__);
#else
    printf("compiler: unknown\n");
#endif
    printf("instruction set: %s\nformats: %s\n%s", sinpos_isa(), sinpos_writer_endings(), team_version());
    finish_output();
}

static noreturn void fail_command(const char *name)
{
    char hint[200];
    const char *near = nearest_name(name, command_name_at, N_COMMANDS);
    if (near != NULL)
        snprintf(hint, sizeof hint, "did you mean 'sinpos %s'? 'sinpos --help' lists the commands", near);
    else
        snprintf(hint, sizeof hint, "'sinpos --help' lists the commands");
    fail(EXIT_USAGE, hint, name, name[0] == '-' ? "unknown option" : "unknown command");
}

static void print_overview(void)
{
    help_overview(commands, N_COMMANDS);
    finish_output();
}

static void take_config_operand(struct options *options)
{
    if (options->given[OPTION_FROM_CONFIG] != NULL)
        fail_option(options, OPTION_FROM_CONFIG, "name it once", "cannot be combined with a path");
    options_set(options, OPTION_FROM_CONFIG, options->operands[0]);
}

/* What several processes cannot share. */
static void check_shared(const struct options *options)
{
    if (!team_runs(options->command))
        fail(EXIT_USAGE, "use sinpos", options->command->name, "is no work for several processes");
    for (size_t i = 0; i < options->n_operands && team_is_many(); i++)
        if (strcmp(options->operands[i], "-") == 0)
            fail(EXIT_USAGE, "name a file", "standard input", "cannot be read by several processes");
}

static int start(const char *name, int argc, char **argv)
{
    struct options options;
    RELEASED_BY(request_free) struct request request = {0};
    const struct command *command = find_command(name);
    if (command == NULL)
        fail_command(name);
    options_parse(&options, command, argc, argv);
    if (options.given[OPTION_HELP] != NULL) {
        help_command(command);
        finish_output();
        return EXIT_DONE;
    }
    check_shared(&options);
    options.threads = team_threads(options.threads);
    if (options.given[OPTION_QUIET] != NULL)
        progress_silence();
    if (command->operand_is_config && options.n_operands > 0)
        take_config_operand(&options);
    request_make(&request, &options, NULL);
    const int code = command->run(&request);
    finish_output();
    return code;
}

/*
 * A standard stream that is closed would give its number to the next file that is opened, and reports would go into
 * that file. What cannot be written to takes its place, so that writing there fails.
 */
static void hold_standard_streams(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0)
            _exit(EXIT_FILE);
}

static int run(int argc, char **argv)
{
    if (argc < 2)
        fail(EXIT_USAGE, "'sinpos --help' lists the commands", "command", "none was given");
    const char *name = argv[1];
    const bool is_help = strcmp(name, "help") == 0;
    char help[] = "--help";
    if (is_help && argc > 2)
        return start(argv[2], 1, (char *[]){help});
    if (strcmp(name, "--version") == 0)
        print_version();
    else if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || is_help)
        print_overview();
    else
        return start(name, argc - 2, argv + 2);
    return EXIT_DONE;
}

int main(int argc, char **argv)
{
    hold_standard_streams();
    team_begin(&argc, &argv);
    interrupt_prepare();
    fail_prepare(interrupt_remove);
    memory_prepare();
    const int code = team_end(run(argc, argv));
    memory_done();
    return code;
}
