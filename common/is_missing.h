/* is_missing.h - is a file not there, or is it unknown whether it is? A disk that fails says neither. */
#pragma once

#include <errno.h>
#include <stdbool.h>

/* errno after a call that took a path: nothing has that name, or nothing that this user can reach. */
static inline bool is_missing(int number)
{
    return number == ENOENT || number == ENOTDIR || number == ENAMETOOLONG || number == ELOOP || number == EACCES;
}
