/* dlfcn.h - no library can be loaded. */
#pragma once

enum { RTLD_LAZY = 1, RTLD_NOW = 2, RTLD_LOCAL = 0 };

static inline void *dlopen(const char *path, int flags)
{
    (void)path, (void)flags;
    return 0;
}

static inline void *dlsym(void *library, const char *name)
{
    (void)library, (void)name;
    return 0;
}
