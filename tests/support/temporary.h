/* Names of files and folders for mkstemps and mkdtemp, where TMPDIR says: in memory, under tools/test.py. */
#ifndef SINPOS_TEST_TEMPORARY_H
#define SINPOS_TEST_TEMPORARY_H

#include <stdio.h>
#include <stdlib.h>

enum { TEMPORARY_SIZE = 100 };

static inline char *temporary_name(char path[TEMPORARY_SIZE], const char *ending)
{
    const char *at = getenv("TMPDIR");
    (void)snprintf(path, TEMPORARY_SIZE, "%s/sinpos-XXXXXX%s", at == NULL ? "/tmp" : at, ending);
    return path;
}

#endif
