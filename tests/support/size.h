/*
 * SINPOS_TEST_SIZE=small asks for a sample. tools/test.py sets it where a sanitizer or valgrind makes a test ten times as
 * slow; the full size runs without them.
 */
#ifndef SINPOS_TEST_SIZE_H
#define SINPOS_TEST_SIZE_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static inline bool small_size(void)
{
    const char *size = getenv("SINPOS_TEST_SIZE");
    return size != NULL && strcmp(size, "small") == 0;
}

#endif
