/* dispatch.c: which instruction set is used. The environment is tested by running this program again. */
#define _DEFAULT_SOURCE
#include <sys/wait.h>
#include <unistd.h>

#include "unit.h"

static const char *program;

static int rank(const char *isa)
{
    static const char *const order[] = {"scalar", "neon", "avx2", "avx512-base", "avx512"};
    for (int i = 0; i < 5; i++)
        if (strcmp(order[i], isa) == 0)
            return i;
    fail_msg("unknown instruction set %s", isa);
    return -1;
}

static void names(void **state)
{
    (void)state;
    assert_true(rank(sinpos_isa()) >= 0);
    assert_ptr_equal(sinpos_isa(), sinpos_isa());
}

static void caps(void **state)
{
    (void)state;
    const char *best;
    assert_int_equal(sinpos_isa_cap(NULL), SINPOS_OK);
    best = sinpos_isa();
    assert_int_equal(sinpos_isa_cap("scalar"), SINPOS_OK);
    assert_string_equal(sinpos_isa(), "scalar");
    static const char *const bad[] = {"", "sse2", "AVX2", "avx", "avx5122", "scalar "};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(sinpos_isa_cap(bad[i]), SINPOS_E_UNSUPPORTED);
        assert_string_equal(sinpos_isa(), "scalar"); /* nothing changed */
    }
    assert_int_equal(sinpos_isa_cap(NULL), SINPOS_OK);
    assert_string_equal(sinpos_isa(), best);
    for (int i = 0; isa_names[i]; i++) {
        const sinpos_status status = sinpos_isa_cap(isa_names[i]);
        if (status == SINPOS_OK)
            assert_string_equal(sinpos_isa(), isa_names[i]);
        else
            assert_int_equal(status, SINPOS_E_UNSUPPORTED);
    }
    assert_int_equal(sinpos_isa_cap(NULL), SINPOS_OK);
}

/* What has vectors also comes without rows in float, and with the same bytes. */
static void without_rows_in_float(void **state)
{
    (void)state;
    enum { N = 40, DIM = 300 };
    static uint16_t rows[2][N][DIM];
    sinpos_spec spec = SINPOS_SPEC_INIT;
    sinpos_plan *plan = NULL;
    spec.dim = DIM;
    assert_int_equal(sinpos_plan_create(&plan, &spec), SINPOS_OK);
    assert_int_equal(sinpos_isa_cap("scalar-double"), SINPOS_E_UNSUPPORTED);
    for (int i = 1; isa_names[i]; i++) {
        char name[32];
        if (strchr(isa_names[i], '-') != NULL)
            continue;
        (void)snprintf(name, sizeof name, "%s-double", isa_names[i]);
        assert_int_equal(sinpos_isa_cap(name), sinpos_isa_cap(isa_names[i]));
        if (sinpos_isa_cap(name) != SINPOS_OK)
            continue;
        assert_string_equal(sinpos_isa(), name);
        assert_int_equal(sinpos_fill(plan, -9, N, SINPOS_F16, rows[0], DIM), SINPOS_OK);
        assert_int_equal(sinpos_isa_cap(isa_names[i]), SINPOS_OK);
        assert_int_equal(sinpos_fill(plan, -9, N, SINPOS_F16, rows[1], DIM), SINPOS_OK);
        assert_memory_equal(rows[0], rows[1], sizeof rows[0]);
    }
    assert_int_equal(sinpos_isa_cap(NULL), SINPOS_OK);
    sinpos_plan_destroy(plan);
}

/* what this program prints of sinpos_isa() with SINPOS_ISA set so */
static void isa_with_environment(const char *value, char *isa, size_t room)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    const pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        (void)setenv("SINPOS_ISA", value, 1);
        (void)dup2(ends[1], 1);
        (void)execl(program, program, "--print", (char *)NULL);
        _exit(9);
    }
    close(ends[1]);
    const ssize_t n = read(ends[0], isa, room - 1);
    isa[n > 0 ? n : 0] = 0;
    close(ends[0]);
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void environment(void **state)
{
    (void)state;
    char isa[64];
    assert_int_equal(sinpos_isa_cap(NULL), SINPOS_OK);
    isa_with_environment("scalar", isa, sizeof isa);
    assert_string_equal(isa, "scalar");
    for (int i = 0; isa_names[i]; i++) {
        if (sinpos_isa_cap(isa_names[i]) != SINPOS_OK)
            continue;
        isa_with_environment(isa_names[i], isa, sizeof isa);
        assert_string_equal(isa, isa_names[i]);
    }
    isa_with_environment("nonsense", isa, sizeof isa); /* a name that is none caps nothing */
    assert_true(rank(isa) >= 0);
    assert_int_equal(sinpos_isa_cap(NULL), SINPOS_OK);
}

int main(int argc, char **argv)
{
    program = argv[0];
    if (argc > 1) {
        printf("%s", sinpos_isa());
        return 0;
    }
    (void)unsetenv("SINPOS_ISA");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names),
        cmocka_unit_test(caps),
        cmocka_unit_test(without_rows_in_float),
        cmocka_unit_test(environment),
    };
    return cmocka_run_group_tests_name("dispatch", tests, NULL, NULL);
}
