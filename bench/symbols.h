/* Functions of libraries that are found at run time. */
#pragma once

#include <dlfcn.h>
#include <string.h>

typedef void any_function(void);

/* NULL where the library has no such name. Casting a pointer to data would be no C. */
static inline any_function *find_function(void *library, const char *name)
{
    void *address = dlsym(library, name);
    any_function *function = NULL;
    if (address != NULL)
        memcpy(&function, &address, sizeof function);
    return function;
}
