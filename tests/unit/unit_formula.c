/* conventions/formula_number.c, formula.c, functions.c: what formulas are worth, and how exactly. */
#include <math.h>

#include "conventions/formula.h"
#include "conventions/step_program.h"
#include "unit.h"

static real number_of(scope *s, const char *text)
{
    real r;
    assert_or_say(formula_number(s, text, &r), "'%s': %s", text, s->error.message);
    return r;
}

static void expect_value_of(const char *text, double want)
{
    scope s;
    double got;
    scope_init(&s);
    const real r = number_of(&s, text);
    assert_or_say(real_is_double(&r, &got) && got == want, "'%s' is %.17g, not %.17g exactly", text, real_to_double(&r),
                  want);
    scope_free(&s);
}

static void exact_values(void **state)
{
    (void)state;
    expect_value_of("1 + 2 * 3", 7);
    expect_value_of("-2^2", -4);
    expect_value_of("2^-1", 0.5);
    expect_value_of("2^3^2", 512);
    expect_value_of("(1/3) * 3", 1);
    expect_value_of("1/3 + 1/6 + 1/2", 1);
    expect_value_of("0.1 * 10", 1);
    expect_value_of("1e-6 * 1e6", 1);
    expect_value_of("7 % 3", 1);
    expect_value_of("-7 % 3", 2);
    expect_value_of("floor(7/2) + ceil(7/2)", 7);
    expect_value_of("floor(-0.5)", -1);
    expect_value_of("round(2.5) + round(3.5)", 6);
    expect_value_of("sqrt(16/9) * 3", 4);
    expect_value_of("16^(1/2)", 4);
    expect_value_of("8^(2/3)", 4);
    expect_value_of("10000^(3/8) * 10000^(-3/8)", 1);
    expect_value_of("log2(1024)", 10);
    expect_value_of("exp(0) + log(1)", 1);
    expect_value_of("floor(exp(log(5)))", 5);
    expect_value_of("min(3, 1, 2) + max(3, 1, 2)", 4);
    expect_value_of("len([1, 2, 3]) + [4, 5][1] + [[1, 2], [3, 4]][1][0]", 11);
    expect_value_of("sum([1, 2, 3]) + prod([2, 5])", 16);
    expect_value_of("len(slice([1, 2, 3, 4], 1, 3))", 2);
    expect_value_of("1 / 10000^(3/8) == 10000^(-3/8)", 1);
    expect_value_of("5 / 10000^(1/3) * 10000^(1/3)", 5);
    expect_value_of("pi / 7^(1/3) * 7^(1/3) == pi", 1);
    expect_value_of("10000^(1/3) * (10000/3)^(1/3) == (100000000/3)^(1/3)", 1);
    expect_value_of("10000^(1/3) * (10000/3)^(1/3) == 10000^(2/3)", 0);
    /* the logarithm of the last base is kept: these differ in one number each */
    expect_value_of("(7 * 2^(1/3))^(1/5) / (7 * 2^(1/3))^(1/5)", 1);
    expect_value_of("(7 * 3^(1/3))^(1/5) / (7 * 2^(1/3))^(1/5) == (3/2)^(1/15)", 1);
    expect_value_of("(7 * 2^(1/3))^(1/5) / (7 * 2^(1/4))^(1/5) == 2^(1/60)", 1);
    expect_value_of("(9 * 2^(1/3))^(1/5) / (7 * 2^(1/3))^(1/5) == (9/7)^(1/5)", 1);
    expect_value_of("(1 + 2^(1/3))^(1/5) / (2 + 2^(1/3))^(1/5) == ((1 + 2^(1/3)) / (2 + 2^(1/3)))^(1/5)", 1);
}

/* 1e-10 is one in ten thousand millions. */
static void decimals(void **state)
{
    (void)state;
    char text[60], ones[20] = "";
    for (int k = 1; k <= 15; k++) {
        ones[k - 1] = '1';
        snprintf(text, sizeof text, "1e-%d * 10^%d", k, k);
        expect_value_of(text, 1);
        snprintf(text, sizeof text, "0.%s * 10^%d - %s", ones, k, ones);
        expect_value_of(text, 0);
        snprintf(text, sizeof text, "%se-%d * 10^%d - %s", ones, k, k, ones);
        expect_value_of(text, 0);
    }
}

/* Ratios so near to an integer that their quotient is that: the floor of one just below it is the integer below. */
static void floors_of_ratios(void **state)
{
    (void)state;
    expect_value_of("floor(4 * (2^52 + 2^51 - 1) / (2^53 - 1))", 2); /* 3 (2^53 - 1) - 1 is divided */
    expect_value_of("floor(4 * (2^52 + 2^51) / (2^53 - 1))", 3);
    expect_value_of("ceil(4 * (2^52 + 2^51 - 1) / (2^53 - 1))", 3);
    expect_value_of("floor(-4 * (2^52 + 2^51 - 1) / (2^53 - 1))", -3);
    expect_value_of("floor(1 - 1e-15) + floor(1 + 1e-15)", 1);
    expect_value_of("floor((2^53 - 1) / 2^26) - 2^27", -1);
}

/* Floors and roundings of numbers that a double does not hold. */
static void large_integers(void **state)
{
    (void)state;
    expect_value_of("floor(2^70 + 1/2) - 2^70", 0);
    expect_value_of("floor(2^70 - 1/2) - 2^70", -1);
    expect_value_of("floor(-(2^70) - 1/2) + 2^70", -1);
    expect_value_of("floor((2^60 + 3) / 2) - 2^59", 1);
    expect_value_of("floor((2^60 + 3) / 4) - 2^58", 0);
    expect_value_of("floor(-(2^60 + 3) / 2) + 2^59", -2);
    expect_value_of("ceil((2^60 + 3) / 2) - 2^59", 2);
    expect_value_of("round((2^60 + 3) / 2) - 2^59", 2);
    expect_value_of("round((2^60 + 1) / 2) - 2^59", 0);
    expect_value_of("floor(2^64 / 3) * 3 - 2^64", -1);
    expect_value_of("floor(pi * 2^100) - floor(pi * 2^100 - 1)", 1);
    expect_value_of("floor(2^200 + 3/4) - 2^200", 0);
    expect_value_of("(2^70 + 3) % 4", 3);
}

/* Halves go to even, as nearbyint() has them. */
static void halves_to_even(void **state)
{
    (void)state;
    char text[40];
    for (int k = -50; k <= 50; k++) {
        snprintf(text, sizeof text, "round(%d / 4)", k);
        expect_value_of(text, nearbyint(k / 4.0));
    }
    for (int k = 0; k < 20; k++) { /* known to 300 bits */
        snprintf(text, sizeof text, "round(exp(log(%d)) / 2)", k + 1);
        expect_value_of(text, nearbyint((k + 1) / 2.0));
    }
    expect_value_of("round(2.5 + 1e-15) + round(3.5 - 1e-15)", 6);
    expect_value_of("round(2^52 - 1/2) - 2^52", 0);
    expect_value_of("round(2^52 - 3/2) - 2^52", -2);
}

/* A text is parsed once for each scope; another one in the same memory is another formula. */
static void texts_in_one_buffer(void **state)
{
    (void)state;
    scope s;
    char text[] = "2 + 1 * 3";
    double got;
    scope_init(&s);
    real r = number_of(&s, text);
    assert_true(real_is_double(&r, &got) && got == 5);
    const struct formula_tree *first = s.trees;
    r = number_of(&s, text);
    assert_ptr_equal(s.trees, first);
    text[0] = '7';
    r = number_of(&s, text);
    assert_true(real_is_double(&r, &got) && got == 10);
    assert_ptr_not_equal(s.trees, first);
    scope_free(&s);
}

static void logic(void **state)
{
    (void)state;
    expect_value_of("1 == 1 and 2 < 3 ? 5 : 6", 5);
    expect_value_of("false or not true ? 1 : 0", 0);
    expect_value_of("'half' == 'half'", 1);
    expect_value_of("null == null and 0 != null", 1);
    expect_value_of("1 == 1 ? 2 : 1 / 0", 2); /* what is not chosen is not computed */
    expect_value_of("1 == 2 and 1 / 0 > 0 ? 1 : 2", 2);
    expect_value_of("2 > 1 ? 3 > 4 ? 1 : 2 : 3", 2);
    expect_value_of("1/3 + 1/3 == 2/3", 1);
    expect_value_of("exp(1) * exp(-1) == 1", 1);
    expect_value_of("is_list([1]) and not is_list(3)", 1);
}

/* Against values of higher precision than a double: the second part of the sum. */
static void beyond_doubles(void **state)
{
    (void)state;
    const struct {
        const char *text;
        double high, low;
    } all[] = {
        {"pi", 0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53},
        {"exp(1)", 0x1.5bf0a8b145769p+1, 0x1.4d57ee2b1013ap-53},
        {"log(2)", 0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56},
        {"sqrt(2)", 0x1.6a09e667f3bcdp+0, -0x1.bdd3413b26456p-54},
        {"1/3", 0x1.5555555555555p-2, 0x1.5555555555555p-56},
    };
    for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) {
        scope s;
        double parts[SINPOS_PARTS];
        scope_init(&s);
        const real r = number_of(&s, all[k].text);
        assert_false(real_to_parts(&r, parts));
        assert_true(parts[0] == all[k].high);
        assert_true(fabs(parts[1] - all[k].low) <= fabs(all[k].low) * 0x1p-50);
        scope_free(&s);
    }
}

/* Powers stay powers, so that tones are geometric and every frequency is exact. */
static void powers_stay(void **state)
{
    (void)state;
    scope s;
    scope_init(&s);
    const real r = number_of(&s, "0.5 * 10000^(-2 * 3 / 7)");
    assert_true(r.is_power && !r.is_wide);
    assert_true(r.base_num == 10000 && r.base_den == 1 && r.exp_num == -6 && r.exp_den == 7 && r.num == 1 &&
                r.den == 2);
    const real sum = number_of(&s, "2^(1/2) + 1");
    assert_true(sum.is_wide);
    scope_free(&s);
}

static void linear_in_a_coordinate(void **state)
{
    (void)state;
    scope s;
    value v;
    double x;
    scope_init(&s);
    s.n_g = 2;
    s.n_sizes = 2;
    s.sizes[0] = 3;
    s.sizes[1] = 5;
    const char *text = "2 * (g1 + 0.5) / size1 - 1";
    assert_true(formula_value(&s, text, strlen(text), &v));
    assert_true(v.g == 1 && real_is_double(&v.number, &x) == false);
    assert_true(v.slope.num / v.slope.den == 0.4);
    text = "log(g0)";
    assert_false(formula_value(&s, text, strlen(text), &v));
    assert_true(s.is_nonlinear);
    text = "g0 * g1";
    assert_false(formula_value(&s, text, strlen(text), &v));
    assert_true(s.is_nonlinear);
    text = "[5, 7, 9][g0]";
    assert_false(formula_value(&s, text, strlen(text), &v));
    assert_true(s.is_nonlinear);
    text = "g2";
    assert_false(formula_value(&s, text, strlen(text), &v));
    const double g[2] = {8, 2};
    s.g = g;
    text = "log2(g0) * g1";
    assert_true(formula_value(&s, text, strlen(text), &v));
    assert_true(real_to_double(&v.number) == 6);
    text = "[5, 7, 9][g1]";
    assert_true(formula_value(&s, text, strlen(text), &v));
    assert_true(real_to_double(&v.number) == 9);
    text = "[5, 7, 9][g0]";
    assert_false(formula_value(&s, text, strlen(text), &v));
    scope_free(&s);
}

static void refusals(void **state)
{
    (void)state;
    static const char *const wrong[] = {
        "",
        "1 +",
        "(1",
        "1)",
        "[1, 2",
        "[1, [2]]",
        "nothing",
        "1 / 0",
        "0 % 0",
        "log(0)",
        "sqrt(-1)",
        "(-8)^(1/3)",
        "0^-1",
        "exp(1e9)",
        "'a' + 1",
        "null + 1",
        "[1][1]",
        "[1][0.5]",
        "3[0]",
        "floor()",
        "sine(1)",
        "1 ? 2",
        "123456789012345678",
        "1e99",
        "'open",
        "slice([1], 0, 2)",
        "len(slice([1], 0, 2))",
        "slice([1, 2], 0, 3)[0]",
        "slice([1, 2], 1, 3)[0]",
        "slice([1, 2], 3, 3)[0]",
        "slice([1, 2], 2, 1)[0]",
        "slice([1, 2], -1, 1)[0]",
        "slice([[1, 2], [3, 4]], 0, 3)[0][0]",
        "columns([1, 2, 3], 2)",
        "1 2",
        "((((((((((((((((((((((((((((((((((((((1))))))))))))))))))))))))))))))))))))))",
    };
    for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++) {
        scope s;
        real r;
        scope_init(&s);
        assert_or_say(!formula_number(&s, wrong[k], &r), "'%s' was taken, as %g", wrong[k], real_to_double(&r));
        assert_true(s.error.message[0] != '\0');
        scope_free(&s);
    }
}

static void lists_of_tokens(void **state)
{
    (void)state;
    expect_value_of("token_positions([[5, 7, 1, 9], [1, 3, 2, 8]], 1)[0][3]", 4);
    expect_value_of("token_positions([[5, 7, 1, 9], [1, 3, 2, 8]], 1)[1][0]", 1);
    expect_value_of("token_positions([[5, 7, 1, 9], [1, 3, 2, 8]], 1)[1][1]", 2);
    expect_value_of("token_columns([[1, 3, 2, 8]], 1)[0][3]", 5);
    expect_value_of("mask_cells([[1, 1, 0], [1, 1, 0]], 1)[1][1][0]", 2);
    expect_value_of("mask_cells([[1, 1, 0], [1, 1, 0]], 1)[0][0][3]", 2);
    expect_value_of("len(grid_cells([[2, 2, 4], [1, 2, 2]], 2))", 20);
    expect_value_of("grid_cells([[2, 2, 4], [1, 2, 2]], 2)[15][0]", 1); /* the last cell of the second frame */
    expect_value_of("grid_cells([[2, 2, 4], [1, 2, 2]], 2)[5][1]", 0);  /* the second cell of the second block */
    expect_value_of("grid_cells([[2, 2, 4], [1, 2, 2]], 2)[5][2]", 3);
    expect_value_of("grid_cells([1, 2, 3], 1)[4][2]", 1);
    expect_value_of("columns([1, 2, 3, 4, 5, 6], 2)[1][1]", 5);
}

enum { IMAGES = 3, HEIGHT = 4, WIDTH = 5 };

static int cell_of(int image, int y, int x)
{
    return (image * 31 + y * 7 + x * x) % 3 != 0;
}

static const char *image_text(int image, char *text, size_t room)
{
    size_t n = 0;
    for (int k = 0; k < HEIGHT * WIDTH; k++) {
        const int x = k % WIDTH, y = k / WIDTH;
        n += (size_t)snprintf(text + n, room - n, "%s%d", x > 0 ? ", " : y > 0 ? "], [" : "[[", cell_of(image, y, x));
    }
    snprintf(text + n, room - n, "]]");
    return text;
}

/* Cells of a column or a row of an image that are equal to valid, from the first to number `last`. */
static int count_cells(int image, int y, int x, bool down, int last, int valid)
{
    int n = 0;
    for (int k = 0; k <= last; k++)
        n += cell_of(image, down ? k : y, down ? x : k) == valid;
    return n;
}

/* Cells are counted within each image of a batch. */
static void masks_of_several_images(void **state)
{
    (void)state;
    char images[IMAGES][100], text[400];
    for (int k = 0; k < 2 * IMAGES * HEIGHT * WIDTH * 4; k++) {
        const int part = k % 4, x = k / 4 % WIDTH, y = k / 4 / WIDTH % HEIGHT, image = k / 4 / WIDTH / HEIGHT % IMAGES;
        const int valid = k / 4 / WIDTH / HEIGHT / IMAGES;
        const bool down = part % 2 == 0;
        const int last = part < 2 ? (down ? y : x) : (down ? HEIGHT : WIDTH) - 1;
        snprintf(text, sizeof text, "mask_cells([%s, %s, %s], %d)[%d][%d][%d][%d]",
                 image_text(0, images[0], sizeof images[0]), image_text(1, images[1], sizeof images[1]),
                 image_text(2, images[2], sizeof images[2]), valid, image, y, x, part);
        expect_value_of(text, count_cells(image, y, x, down, last, valid));
    }
}

/* --------------------------------------------------------------------------------------------- Stated roundings */

static void expect_rounded(const char *text, double want)
{
    static trace t;
    scope s;
    value v;
    scope_init(&s);
    trace_clear(&t);
    assert_or_say(trace_theta(&s, &t, text, &v), "'%s': %s", text, s.error.message);
    const double got = real_to_double(&v.number);
    assert_or_say(got == want, "'%s' is %.17g, not %.17g", text, got, want);
    scope_free(&s);
}

/* Each operation rounds to the type of its operands; a number without one takes that of the other. */
static void roundings(void **state)
{
    (void)state;
    const float tenth = 0.1F, third = 1.0F / 3;
    volatile float x = tenth + third, y = tenth * third, z = tenth / third, w = tenth - third;
    expect_rounded("f32(0.1)", tenth);
    expect_rounded("f64(0.1)", 0.1);
    expect_rounded("f32(0.1) + f32(1 / 3)", x);
    expect_rounded("0.1 + f32(1 / 3)", x);
    expect_rounded("f32(0.1) + 1 / 3", x);
    expect_rounded("0.1 * f32(1 / 3)", y);
    expect_rounded("f32(0.1) * (1 / 3)", y);
    expect_rounded("0.1 / f32(1 / 3)", z);
    expect_rounded("0.1 - f32(1 / 3)", w);
    expect_rounded("0.1 + 1 / 3", 0.1 + 1.0 / 3);
    expect_rounded("f64(0.1) * (1 / 3)", 0.1 * (1.0 / 3));
    expect_rounded("f16(0.1)", 0x1.998p-4);
    expect_rounded("1 + f16(0.0003)", 1); /* a quarter of a unit */
    expect_rounded("bf16(1) + 0.005", 1.0078125);
    expect_rounded("f32(2)^0.1", (float)pow(2, tenth));
    expect_rounded("10000^f32(0.1)", (float)pow(10000, tenth));
    expect_rounded("f32(exp(f64(0.1)))", (float)exp(0.1));
    expect_rounded("7.3 % f32(0.1)", (float)(7.3F - tenth * floor(7.3F / tenth)));
    expect_rounded("where_less(0.1, f32(0.1), 1, 2)", 2); /* 0.1 is rounded to meet it */
}

/* torch.linspace() in float32: from the start up to the middle, from the end from there on. */
static float torch_linspace(float a, float b, int n, int i)
{
    volatile float width = b - a;
    volatile float pace = width / (float)(n - 1);
    volatile float far = pace * (float)(i < n / 2 ? i : n - 1 - i);
    volatile float item = i < n / 2 ? a + far : b - far;
    return item;
}

static void items_of_linspace(void **state)
{
    (void)state;
    char text[80];
    for (int n = 2; n < 40; n++) {
        for (int i = 0; i < n; i++) {
            snprintf(text, sizeof text, "linspace(f32(0.1), f32(5.3), %d, %d)", n, i);
            expect_rounded(text, torch_linspace(0.1F, 5.3F, n, i));
            snprintf(text, sizeof text, "linspace(0.1, 5.3, %d, %d)", n, i);
            volatile double far = (5.3 - 0.1) / (n - 1) * i;
            expect_rounded(text, i == n - 1 ? 5.3 : 0.1 + far);
        }
    }
}

/* SLEEF's expf() of 1.0 ulp where multiplication and addition are fused, from its source. */
static float sleef_exp(float d)
{
    const float q = rintf(d * 1.442695040888963407F);
    float s = fmaf(q, -.693145751953125F, d);
    s = fmaf(q, -1.428606765330187045e-06F, s);
    float u = 0.000198527617612853646278381F;
    u = fmaf(u, s, 0.00139304355252534151077271F);
    u = fmaf(u, s, 0.00833336077630519866943359F);
    u = fmaf(u, s, 0.0416664853692054748535156F);
    u = fmaf(u, s, 0.166666671633720397949219F);
    u = fmaf(u, s, 0.5F);
    volatile float square = s * s;
    volatile float sum = 1 + fmaf(square, u, s);
    return ldexpf(sum, (int)q);
}

static bool are_neighbours(float a, float b)
{
    return a == b || a == nextafterf(b, a);
}

/* Those of PyTorch are wrong now and then, by one float: docs/arithmetic.md says how often. */
static void functions_of_torch(void **state)
{
    (void)state;
    enum { N = 8000 };
    static const float bases[] = {10000, 500000, 1e6F, 100, 2, 0.5F, 1.3F, 1.45F, 3, 39000};
    size_t n_exp = 0, n_pow = 0;
    for (int i = 0; i < N; i++) {
        const float x = (float)i * (-9.3F / N), base = bases[i % 10], y = (float)(i - N / 4) * (2.0F / N);
        const float power = (float)step_apply(STEP_TORCH_POW, SINPOS_F32, base, y), best = (float)pow(base, y);
        const float e = (float)step_apply(STEP_TORCH_EXP, SINPOS_F32, x, 0);
        assert_true(e == sleef_exp(x));
        assert_true(are_neighbours(e, (float)exp(x)) && are_neighbours(power, best));
        n_exp += e != (float)exp(x);
        n_pow += power != best;
    }
    assert_true(n_exp > N / 20 && n_exp < N / 8);
    assert_true(n_pow > N / 160 && n_pow < N / 40);
}

/* Powers of a number that is no ratio, one after the other, are those made alone to 2^-450, and to the last of 318 bits. */
static void powers_in_a_row(void **state)
{
    (void)state;
    enum { N = 2500 };
    static const double steps[] = {1, -1, 0, 3, -2}; /* of 128ths; each for a while */
    real base, difference;
    kept_log kept = {.is_set = false};
    real_set(&base, 12345.678);
    assert_true(real_log(&base, &base)); /* 9.4 and no end */
    double at = 0;
    size_t n_products = 0;
    for (size_t k = 0; k < N; k++) {
        real exponent, in_a_row, alone;
        double parts[2][SINPOS_PARTS];
        at += k < 1300 ? -1 : steps[k / 40 % 5];
        if (k == 2000)
            assert_true(real_sqrt(&base, &base)); /* another base */
        real_set_ratio(&exponent, at, 128);
        assert_true(real_power(&in_a_row, &base, &exponent, &kept));
        assert_true(real_power(&alone, &base, &exponent, NULL));
        real_to_parts(&in_a_row, parts[0]);
        real_to_parts(&alone, parts[1]);
        assert_memory_equal(parts[0], parts[1], sizeof parts[0]);
        real_subtract(&difference, &in_a_row, &alone);
        assert_true(!difference.is_wide || difference.w.sign == 0 || difference.w.exponent < alone.w.exponent - 450 ||
                    !alone.is_wide);
        assert_true(kept.n_products <= 1024);
        n_products += kept.n_products > 0;
    }
    assert_true(n_products > N / 2);
}

static void bind(scope *s, const char *name, double x)
{
    value v = {0};
    value_number(&v, x);
    assert_true(scope_bind(s, name, strlen(name), &v));
}

static void expect_in(scope *s, const char *text, double want)
{
    for (int k = 0; k < 4; k++) { /* the third time it may have been kept */
        double got;
        assert_or_say(formula_double(s, text, &got), "'%s': %s", text, s->error.message);
        assert_or_say(got == want, "'%s', time %d: %.17g, not %.17g", text, k, got, want);
    }
}

/* What is the same until a name changes is evaluated twice, then kept. */
static void kept_until_names_change(void **state)
{
    (void)state;
    static const char *const x_and_y[] = {"x", "y"};
    static const formula_function functions[] = {
        {.name = "both", .n_arguments = 2, .arguments = x_and_y, .body = "x * base + y + log2(8)"},
        {.name = "inner", .n_arguments = 1, .arguments = x_and_y, .body = "both(x, 1) + both(i, x)"},
        {0},
    };
    scope s;
    scope_init(&s);
    s.functions = functions;
    bind(&s, "base", 10);
    static const char text[] =
        "base^2 + (kind == 2 ? both(base, i) : both(i, base)) + (not (base == 10) or i > 1 ? 1000 : 0)";
    for (int kind = 1; kind <= 2; kind++) {
        bind(&s, "kind", kind);
        for (int base = 10; base <= 11; base++) {
            bind(&s, "base", base);
            for (int i = 0; i < 3; i++) {
                s.is_set[LOOP_i] = true;
                s.loop[LOOP_i] = i;
                const double called = kind == 2 ? base * base + i + 3 : i * base + base + 3;
                expect_in(&s, text, base * base + called + (base != 10 || i > 1 ? 1000 : 0));
                expect_in(&s, "inner(i) + inner(base)",
                          (i * base + 4 + i * base + i + 3) + (base * base + 4 + i * base + base + 3));
                expect_in(&s, "both(base, base) + inner(2)", base * base + base + 3 + 2 * base + 4 + i * base + 5);
            }
        }
    }
    /* a letter that a loop sets later, a coordinate, a size */
    bind(&s, "r", 5);
    expect_in(&s, "r * base", 55);
    s.is_set[LOOP_r] = true;
    s.loop[LOOP_r] = 2;
    expect_in(&s, "r * base", 22);
    double g = 3;
    s.g = &g;
    s.n_g = 1;
    s.n_sizes = 1;
    s.sizes[0] = 7;
    expect_in(&s, "g0 * base + size0", 40);
    g = 4;
    s.sizes[0] = 8;
    expect_in(&s, "g0 * base + size0", 52);
    scope_free(&s);
}

/* The mark of a name that depends on the rows is read from what is kept too, and from no other. */
static void kept_with_their_mark(void **state)
{
    (void)state;
    scope s;
    scope_init(&s);
    bind(&s, "length", 7);
    bind(&s, "base", 10);
    for (int marked = 0; marked < 2; marked++) {
        for (int k = 0; k < 4; k++) {
            double x;
            s.reads_rows = false;
            assert_true(formula_double(&s, "base > 1 ? base * 2 : length", &x));
            assert_false(s.reads_rows);
            assert_true(formula_double(&s, "length > 5 ? base * 3 : 2", &x));
            assert_int_equal(s.reads_rows, marked);
            assert_true(formula_double(&s, "base", &x)); /* which takes nothing back */
            assert_int_equal(s.reads_rows, marked);
        }
        scope_mark(&s, "length", strlen("length"));
    }
    scope_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exact_values),
        cmocka_unit_test(decimals),
        cmocka_unit_test(floors_of_ratios),
        cmocka_unit_test(halves_to_even),
        cmocka_unit_test(large_integers),
        cmocka_unit_test(texts_in_one_buffer),
        cmocka_unit_test(logic),
        cmocka_unit_test(beyond_doubles),
        cmocka_unit_test(powers_stay),
        cmocka_unit_test(linear_in_a_coordinate),
        cmocka_unit_test(refusals),
        cmocka_unit_test(lists_of_tokens),
        cmocka_unit_test(masks_of_several_images),
        cmocka_unit_test(roundings),
        cmocka_unit_test(items_of_linspace),
        cmocka_unit_test(functions_of_torch),
        cmocka_unit_test(powers_in_a_row),
        cmocka_unit_test(kept_until_names_change),
        cmocka_unit_test(kept_with_their_mark),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
