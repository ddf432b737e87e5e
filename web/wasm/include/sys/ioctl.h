/* ioctl.h - no terminal has a size. */
#pragma once

#include <errno.h>

enum { TIOCGWINSZ = 0x5413 };

struct winsize {
    unsigned short ws_row, ws_col, ws_xpixel, ws_ypixel;
};

static inline int ioctl(int fd, int request, ...)
{
    (void)fd, (void)request;
    errno = ENOTTY;
    return -1;
}
