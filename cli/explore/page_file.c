/*
 * page_file.c - looks beside the program first: in a build folder it is build/NAME/cli/sinpos, and the page
 * build/web/sinpos.html; installed it is PREFIX/bin/sinpos, and the page PREFIX/share/sinpos/sinpos.html.
 */
#define _GNU_SOURCE
#include "page_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "error_line.h"

enum { LONGEST = 4096, MOST_BYTES = 64 << 20 };

static const char *const beside[] = {"../../web/sinpos.html", "../share/sinpos/sinpos.html"};

/* The folder of the program, with its last slash; false where the system does not say. */
static bool program_folder(char folder[LONGEST])
{
    const ssize_t n = readlink("/proc/self/exe", folder, LONGEST - 1);
    if (n <= 0)
        return false;
    folder[n] = '\0';
    *(strrchr(folder, '/') + 1) = '\0';
    return true;
}

static int open_page(char path[2 * LONGEST])
{
    char folder[LONGEST];
    for (size_t i = 0; i < sizeof beside / sizeof beside[0] && program_folder(folder); i++) {
        snprintf(path, 2 * LONGEST, "%s%s", folder, beside[i]);
        const int fd = open(path, O_RDONLY | O_CLOEXEC);
        if (fd >= 0)
            return fd;
    }
    snprintf(path, 2 * LONGEST, "%s/sinpos.html", SINPOS_PAGE_FOLDER);
    return open(path, O_RDONLY | O_CLOEXEC);
}

void page_file_read(struct text_buffer *page)
{
    char path[2 * LONGEST], piece[1 << 14];
    ssize_t n = 0;
    const int fd = open_page(path);
    if (fd < 0)
        fail(EXIT_FILE, "'make web' builds it, from the sources of sinpos; 'meson install' puts it beside the program",
             "explorer", "its page is not there");
    while ((n = read(fd, piece, sizeof piece)) != 0 && page->n <= MOST_BYTES) {
        if (n < 0 && errno != EINTR)
            fail_errno(path, errno, "build the page again: make web");
        if (n > 0)
            buffer_add(page, piece, (size_t)n);
    }
    close(fd);
    if (page->is_broken)
        fail_memory();
    if (page->n == 0 || page->n > MOST_BYTES)
        fail(EXIT_FILE, "build it again: make web", path, "is not the page of the explorer");
}
