/* identify_mended.c - tables that something was done to, one of each kind that was once misnamed: each is judged right. */
#include <string.h>

#include "cases.h"
#include "generated.h"
#include "identify_table.h"

static const change *named(const char *name)
{
    for (size_t i = 0; i < n_changes; i++)
        if (strcmp(changes[i].name, name) == 0)
            return &changes[i];
    return NULL;
}

/* What is said of the source with these changes must hold, and nothing be left. */
static void must_be_right(source *s, const char *first, const char *second, uint64_t seed)
{
    drawn d = {.source = *s, .seed = seed};
    const char *const names[] = {first, second}, *why = "";
    array a;
    for (size_t i = 0; i < 2 && names[i] != NULL; i++)
        d.changes[d.n_changes++] = named(names[i]);
    assert_true(drawn_make(&a, &d, false, 1));
    struct memory memory = {a.data, a.dim * a.size};
    const sinpos_table table = {a.n_dims, a.shape, a.type, read_rows, &memory};
    sinpos_identity *found;
    assert_int_equal(sinpos_identify(&found, &table, 1), SINPOS_OK);
    const verdict v = judge(&d, &a, found, &why);
    assert_or_say(v == RIGHT, "%s, seed %llu, %s, %s: %s", s->convention == NULL ? "formula" : s->convention,
                  (unsigned long long)seed, first == NULL ? "unchanged" : first, second == NULL ? "" : second, why);
    sinpos_identity_destroy(found);
    array_free(&a);
}

static source make_formula(size_t dim, size_t n, double base)
{
    source s = {.spec = SINPOS_SPEC_INIT, .type = SINPOS_F32, .n = n};
    s.spec.dim = dim;
    s.spec.base = base;
    return s;
}

static source make_named(const char *convention, const char *dim, double width)
{
    source s = {.convention = convention, .type = SINPOS_F32, .n_settings = 2};
    s.settings[0] = (setting){.name = dim, .number = width};
    s.settings[1] = (setting){.name = "output", .kind = SET_WORD, .word = "table"};
    return s;
}

/* No formula gives the slow columns where frequencies were slowed down. */
static void signs(void **state)
{
    (void)state;
    source llama = make_named("llama_reference_rope", "dim", 64);
    llama.settings[llama.n_settings++] = (setting){.name = "use_scaled", .kind = SET_FLAG, .number = 1};
    llama.settings[llama.n_settings++] = (setting){.name = "theta", .number = 500000};
    llama.settings[llama.n_settings++] = (setting){.name = "end", .number = 300};
    static const uint64_t seeds[] = {1, 4};
    for (size_t i = 0; i < sizeof seeds / sizeof seeds[0]; i++) {
        source plain = make_formula(64, 300, 10000);
        must_be_right(&plain, "sign", NULL, seeds[i]);
        must_be_right(&llama, "sign", NULL, seeds[i]);
    }
}

/* Also of columns too slow to be waves, and in few bits. */
static void constants(void **state)
{
    (void)state;
    source slow = make_formula(128, 244, 6790039.0068512997), narrow = make_formula(32, 200, 10000);
    slow.type = SINPOS_F64;
    slow.start = 1000;
    narrow.type = SINPOS_BF16;
    for (uint64_t seed = 1; seed <= 2; seed++) {
        must_be_right(&slow, "constant", NULL, seed);
        must_be_right(&narrow, "constant", NULL, seed);
    }
}

static void rows_and_columns(void **state)
{
    (void)state;
    source far = make_formula(16, 343, 20000), wide = make_formula(64, 119, 35919.92368);
    far.start = 19521;
    must_be_right(&far, "noise-rows", NULL, 1);
    must_be_right(&far, "noise-rows", NULL, 2);
    must_be_right(&wide, "noise-columns", NULL, 1);
    must_be_right(&wide, "below", NULL, 1);
    must_be_right(&wide, "beside", NULL, 1);
}

/* More digits than the rounded elements show: frequencies are listed, and the arithmetic makes the table. */
static void rounded(void **state)
{
    static const char *const recipes[] = {"float32-pow", "float32-exp"};
    (void)state;
    for (size_t i = 0; i < sizeof recipes / sizeof recipes[0]; i++) {
        source s = make_formula(64, 330, i % 2 == 0 ? 147818.16873999999 : 10000);
        s.arithmetic = recipes[i];
        must_be_right(&s, NULL, NULL, 1);
        must_be_right(&s, "sign", NULL, 2);
    }
}

/* Grids whose frequencies or positions no double has: the convention makes every element. */
static void by_conventions(void **state)
{
    (void)state;
    source dino = make_named("dinov3_rope", "dim", 64), yarn = make_named("hf_rope", "head_dim", 64);
    dino = (source){.convention = "dinov3_rope", .type = SINPOS_F32};
    must_be_right(&dino, NULL, NULL, 1);
    yarn.settings[yarn.n_settings++] = (setting){.name = "max_position_embeddings", .number = 256};
    must_be_right(&yarn, NULL, NULL, 1);
}

/* The rows are 1 / (2 pi) apart in its unit, which nobody would state. */
static void no_other_units(void **state)
{
    (void)state;
    source s = make_formula(64, 300, 20000);
    array a;
    assert_true(source_make(&a, &s, true, 1));
    sinpos_identity *found = identify(a.data, a.n, a.dim, a.type);
    assert_true(found->n_conventions > 0);
    for (size_t i = 0; i < found->n_conventions; i++)
        assert_string_not_equal(found->conventions[i].name, "hf_grounding_dino");
    sinpos_identity_destroy(found);
    array_free(&a);
}

static size_t count_findings(const sinpos_identity *found, sinpos_defect_kind kind)
{
    size_t n = 0;
    for (size_t i = 0; i < found->n_defects; i++)
        n += found->defects[i].kind == kind;
    return n;
}

/* Numbers that do not make the elements are only near, and single elements are not blamed. */
static void near_is_said(void **state)
{
    (void)state;
    source s = make_formula(64, 300, 10000);
    array a;
    assert_true(source_make(&a, &s, true, 1));
    for (size_t i = 0; i < a.n * a.dim; i++)
        array_put(&a, i / a.dim, i % a.dim, array_get(&a, i / a.dim, i % a.dim) * (1 + 1e-6 * (double)(i * 7 % 3)));
    sinpos_identity *found = identify(a.data, a.n, a.dim, a.type);
    assert_true(found->is_sinusoidal && found->unexplained > a.n * a.dim / 4);
    assert_true(found->unexplained <= found->total.wrong && found->n_altered == 0);
    assert_true(count_findings(found, SINPOS_DEFECT_ALTERED) + count_findings(found, SINPOS_DEFECT_ANGLES) == 0);
    sinpos_identity_destroy(found);
    array_free(&a);
}

/* table[:, ::-1] has base 10000, not 1 / 10000. */
static void backward(void **state)
{
    (void)state;
    source s = make_formula(64, 300, 10000);
    for (int layout = 0; layout < 2; layout++) {
        array a, b;
        s.spec.layout = layout == 0 ? SINPOS_HALVES : SINPOS_INTERLEAVED;
        assert_true(source_make(&a, &s, true, 1) && source_make(&b, &s, true, 1));
        for (size_t i = 0; i < a.n; i++)
            for (size_t j = 0; j < a.dim; j++)
                array_put(&b, i, a.dim - 1 - j, array_get(&a, i, j));
        sinpos_identity *found = identify(b.data, b.n, b.dim, b.type);
        assert_true(found->is_sinusoidal && found->unexplained == 0 && found->total.wrong == 0);
        assert_true(found->axis[0].base == 10000 && found->axis[0].divisor == 32 && found->n_defects == 1);
        assert_int_equal(found->defects[0].kind, SINPOS_DEFECT_ORDER);
        assert_non_null(strstr(found->defects[0].sentence, "reverse"));
        sinpos_identity_destroy(found);
        array_free(&a);
        array_free(&b);
    }
}

/* Copies are known by their elements, also where no layout has them. */
static void copies(void **state)
{
    (void)state;
    source llama = make_named("llama_reference_rope", "dim", 32), plain = make_formula(16, 130, 10000);
    llama.settings[llama.n_settings++] = (setting){.name = "end", .number = 200};
    for (uint64_t seed = 1; seed <= 2; seed++) {
        must_be_right(&llama, "doubled", "noise-columns", seed);
        must_be_right(&plain, "constant", "doubled", seed);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(signs),        cmocka_unit_test(constants),      cmocka_unit_test(rows_and_columns),
        cmocka_unit_test(rounded),      cmocka_unit_test(by_conventions), cmocka_unit_test(no_other_units),
        cmocka_unit_test(near_is_said), cmocka_unit_test(backward),       cmocka_unit_test(copies),
    };
    return cmocka_run_group_tests_name("identify_mended", tests, NULL, NULL);
}
