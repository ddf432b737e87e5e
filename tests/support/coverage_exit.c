/* For builds that count lines: a program that ends by _exit() writes its counts too. */
#include <stdlib.h>

void __gcov_dump(void);
_Noreturn void __real__exit(int code);
_Noreturn void __wrap__exit(int code);

_Noreturn void __wrap__exit(int code)
{
    __gcov_dump();
    __real__exit(code);
}
