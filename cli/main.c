/* main.c - finds the command and starts it. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "commands.h"
#include "interrupt.h"

static const struct command commands[] = {
    {
        .name = "table",
        .bit = COMMAND_TABLE,
        .summary = "write the encodings of many positions to a file, or show the first",
        .usage = "[-o FILE] [options]",
        .description = "Makes the (N, D) array of encodings, each element the real value rounded once. Without -o\n"
                       "prints its first rows and columns; with --hash only the SHA-256 of its elements, in row\n"
                       "order and little-endian. The array may be larger than memory.",
        .examples = "  sinpos table --dim 768 --length 4096 -o table.npy\n"
                    "  sinpos table --dim 1024 --type bf16 --start 1000000 -o far.safetensors\n"
                    "  sinpos table --dim 4 --positions 0,0.5,1e6\n",
        .n_operands_least = 0,
        .n_operands_most = 0,
        .run = command_table,
    },
    {
        .name = "add",
        .bit = COMMAND_ADD,
        .summary = "add the encoding to an array of embeddings",
        .usage = "IN -o OUT [options]",
        .description = "IN holds embeddings, (..., n, D), as .npy, .safetensors or .raw (with --dim and --type); - is\n"
                       "standard input. OUT = IN + encoding, in the type of IN, as if the table rounded to that type\n"
                       "had been added. Positions begin anew with every (n, D) block. The array may be larger than\n"
                       "memory, and OUT may be IN. Of a .safetensors file with several tensors only the one chosen\n"
                       "by --tensor is written.",
        .examples = "  sinpos add embeddings.npy -o encoded.npy\n"
                    "  sinpos add model.safetensors --tensor embed.weight --start 512 -o encoded.safetensors\n",
        .n_operands_least = 1,
        .n_operands_most = 1,
        .run = command_add,
    },
    {
        .name = "audit",
        .bit = COMMAND_AUDIT,
        .summary = "compare arrays with the exact encoding",
        .usage = "FILE ... [options]",
        .description = "Compares (..., n, D) arrays, element by element, with the encoding that the options state,\n"
                       "rounded once to the type of the array, and tells how many elements are wrong, by how much\n"
                       "and where. One ulp is one step to the next number of that type. Exit 1 if any element is\n"
                       "off by more than --tolerance.",
        .examples = "  sinpos audit table.npy\n"
                    "  sinpos audit whisper.npy --layout halves --divisor 191 --start 1496\n",
        .n_operands_least = 1,
        .n_operands_most = (size_t)-1,
        .run = command_audit,
    },
#ifdef SINPOS_HAVE_BENCH
    {
        .name = "bench",
        .bit = COMMAND_BENCH,
        .summary = "measure speed against the machine's limits and other libraries",
        .usage = "[--json] [options]",
        .description = "Times the library in one run against memset and the other libraries that are installed.",
        .examples = "  sinpos bench --json\n",
        .n_operands_least = 0,
        .n_operands_most = 0,
        .run = command_bench,
    },
#endif
};

#define N_COMMANDS (sizeof commands / sizeof commands[0])

static const char *command_name_at(size_t i)
{
    return commands[i].name;
}

static const struct command *find_command(const char *name)
{
    for (size_t i = 0; i < N_COMMANDS; i++) {
        if (strcmp(commands[i].name, name) == 0) {
            return &commands[i];
        }
    }
    return NULL;
}

static int print_version(void)
{
    printf("sinpos %s\n", sinpos_version());
#if defined(__clang__)
    printf("compiler: clang %s\n", __clang_version__);
#elif defined(__GNUC__)
    printf("compiler: gcc %s\n", __VERSION__);
#else
    printf("compiler: unknown\n");
#endif
    printf("instruction set: %s\nformats: %s\n", sinpos_isa(), sinpos_writer_endings());
    return finish_output();
}

static int complain_command(const char *name)
{
    char hint[200];
    const char *near = nearest_name(name, command_name_at, N_COMMANDS);
    if (near != NULL) {
        snprintf(hint, sizeof hint, "did you mean 'sinpos %s'? 'sinpos --help' lists the commands", near);
    } else {
        snprintf(hint, sizeof hint, "'sinpos --help' lists the commands");
    }
    return complain(EXIT_USAGE, hint, name, name[0] == '-' ? "unknown option" : "unknown command");
}

static int print_overview(void)
{
    help_overview(commands, N_COMMANDS);
    return finish_output();
}

static int start(const char *name, int argc, char **argv)
{
    struct options options;
    const struct command *command = find_command(name);
    if (command == NULL) {
        return complain_command(name);
    }
    const int code = options_parse(&options, command, argc, argv);
    if (code != EXIT_DONE) {
        return code;
    }
    if (options.given[OPTION_HELP] != NULL) {
        help_command(command);
        return finish_output();
    }
    return command->run(&options);
}

/*
 * A standard stream that is closed would give its number to the next file that is opened, and reports would go into
 * that file. What cannot be written to takes its place, so that writing there fails.
 */
static void hold_standard_streams(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0) {
            _exit(EXIT_FILE);
        }
    }
}

int main(int argc, char **argv)
{
    hold_standard_streams();
    interrupt_prepare();
    if (argc < 2) {
        return complain(EXIT_USAGE, "'sinpos --help' lists the commands", "command", "none was given");
    }
    const char *name = argv[1];
    if (strcmp(name, "--version") == 0) {
        return print_version();
    }
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || (strcmp(name, "help") == 0 && argc == 2)) {
        return print_overview();
    }
    if (strcmp(name, "help") == 0) {
        char help[] = "--help";
        char *arguments[] = {help};
        return start(argv[2], 1, arguments);
    }
    return start(name, argc - 2, argv + 2);
}
