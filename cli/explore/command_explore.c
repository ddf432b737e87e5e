/* command_explore.c - sinpos explore: the explorer's page in a browser, or in a file. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "commands.h"
#include "interrupt.h"
#include "loopback_server.h"
#include "owned.h"
#include "page_file.h"
#include "request.h"

/* In a grandchild, whose end nobody must wait for, and which keeps no stream of ours. */
static noreturn void become_browser(const char *program, const char *address)
{
    char *const arguments[] = {(char *)program, (char *)address, NULL};
    const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    for (int fd = 0; fd < 3 && nothing >= 0; fd++)
        dup2(nothing, fd);
    if (fork() == 0)
        execvp(program, arguments);
    _exit(0);
}

/* $BROWSER, or what the desktop opens pages with. Where there is neither, the address is printed anyway. */
static void open_browser(const char *address)
{
    const char *named = getenv("BROWSER");
    const pid_t child = fork();
    if (child == 0)
        become_browser(named != NULL && named[0] != '\0' ? named : "xdg-open", address);
    if (child > 0)
        waitpid(child, NULL, 0);
}

static noreturn void serve(const struct text_buffer *page)
{
    char address[64];
    uint16_t port = 0;
    const int listener = loopback_listen(&port);
    snprintf(address, sizeof address, "http://127.0.0.1:%u/", (unsigned)port);
    printf("%s\n", address);
    finish_output();
    fputs("the explorer is there until Ctrl-C\n", stderr);
    open_browser(address);
    loopback_serve(listener, page->bytes, page->n);
}

static int command_run(const struct request *request)
{
    RELEASED_BY(buffer_free) struct text_buffer page = {.bytes = NULL};
    const char *output = request->options->given[OPTION_OUTPUT];
    sinpos_file_error error = SINPOS_FILE_ERROR_INIT;
    page_file_read(&page);
    if (output == NULL)
        serve(&page);
    if (interrupt_bytes_write(output, page.bytes, page.n, &error) != SINPOS_FILE_OK)
        fail_write(output, &error);
    return EXIT_DONE;
}

const struct command explore_command = {
    .name = "explore",
    .bit = COMMAND_EXPLORE,
    .summary = "open the explorer: pictures to turn, in the browser, with the same C code",
    .usage = "[-o FILE]",
    .description =
        "Serves the explorer on 127.0.0.1, at a free port that it prints, and opens the browser ($BROWSER, or\n"
        "xdg-open), until Ctrl-C. With -o writes the page: one file, which works from disk and from any web\n"
        "server, and loads nothing. 'make web' builds it.",
    .examples = "  sinpos explore\n"
                "  sinpos explore -o sinpos.html\n",
    .run = command_run,
    .meanings = {[OPTION_OUTPUT] = "write the page there, and serve nothing; - is standard output"},
};
