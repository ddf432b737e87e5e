/* OpenBLAS uses as many threads as it was set to, unless a caller asks for a number. */
#define _POSIX_C_SOURCE 200809L
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "cases.h"

#include "linear.h"
#include "owned.h"
#include "threads.h"

enum { N = 256 };

static size_t threads_of_this_process(void)
{
    DIR *folder = opendir("/proc/self/task");
    if (folder == NULL)
        skip();
    size_t n = 0;
    for (const struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder))
        n += entry->d_name[0] != '.';
    closedir(folder);
    return n;
}

static void multiply(size_t n_threads)
{
    OWNED double *a = calloc(2 * N * N, sizeof *a);
    assert_non_null(a);
    const linear_matrix square = {.data = a, .ld = N};
    RELEASED_BY(linear_end) const int kept = linear_begin(n_threads);
    linear_product(N, N, N, 1, square, square, 0, a + N * N, N);
}

static void the_environment_decides(void **state)
{
    (void)state;
    const size_t before = threads_of_this_process();
    assert_int_equal(setenv("OPENBLAS_NUM_THREADS", "1", 1), 0);
    if (!linear_available())
        skip();
    multiply(0);
    assert_int_equal(threads_of_this_process(), before);
    if (threads_available() < 2)
        skip();
    multiply(2);
    assert_int_equal(threads_of_this_process(), before + 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_environment_decides)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
