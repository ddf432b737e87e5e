/* Decimals of elements beside exact fractions: the fewest digits that read back, and of those the nearest. */
#include <gmp.h>
#include <math.h>
#include <string.h>

#include "cases.h"
#include "random.h"
#include "sinpos_formats.h"
#include "support.h"

enum { SEED = 20261122, RANDOM = 20000 };

static mpq_t low, high, exact, unit, candidate, off, best_off;

static unsigned mantissa_bits(sinpos_type type)
{
    return type == SINPOS_F64 ? 52 : type == SINPOS_F32 ? 23 : type == SINPOS_F16 ? 10 : 7;
}

static int bias(sinpos_type type)
{
    return type == SINPOS_F64 ? 1023 : type == SINPOS_F16 ? 15 : 127;
}

/* to = number 2^exponent */
static void set_scaled(mpq_t to, uint64_t number, int exponent)
{
    mpq_set_ui(to, number, 1);
    if (exponent >= 0)
        mpq_mul_2exp(to, to, (mp_bitcnt_t)exponent);
    else
        mpq_div_2exp(to, to, (mp_bitcnt_t)-exponent);
}

/* The element, and the ends of what is rounded to it, from its bits. */
static void set_interval(sinpos_type type, uint64_t bits)
{
    const unsigned m = mantissa_bits(type);
    const uint64_t fraction = bits & (((uint64_t)1 << m) - 1), field = bits >> m;
    const uint64_t number = field == 0 ? fraction : fraction | (uint64_t)1 << m;
    const int exponent = (field == 0 ? 1 : (int)field) - bias(type) - (int)m;
    set_scaled(exact, number, exponent);
    set_scaled(high, 2 * number + 1, exponent - 1);
    const bool is_narrow_below = fraction == 0 && field > 1;
    set_scaled(low, is_narrow_below ? 4 * number - 1 : 2 * number - 1, is_narrow_below ? exponent - 2 : exponent - 1);
}

static void power_of_ten(mpq_t to, int k)
{
    mpq_set_ui(to, 1, 1);
    mpz_ui_pow_ui(k >= 0 ? mpq_numref(to) : mpq_denref(to), 10, (unsigned long)abs(k));
}

static bool reads_back(bool is_even)
{
    const int below = mpq_cmp(low, candidate), above = mpq_cmp(candidate, high);
    return is_even ? below <= 0 && above <= 0 : below < 0 && above < 0;
}

/* exact = d.ddd 10^decade */
static int decade_of_exact(void)
{
    int decade = (int)floor(log10(mpq_get_d(exact))) + 1;
    do
        power_of_ten(unit, --decade);
    while (mpq_cmp(unit, exact) > 0);
    return decade;
}

/* Fewest digits, and the distance of the nearest such decimal: best_off. */
static int fewest_digits(bool is_even)
{
    mpz_t multiple;
    mpz_init(multiple);
    const int decade = decade_of_exact();
    int digits = 0;
    for (int n = 1; digits == 0; n++) {
        power_of_ten(unit, decade - n + 1);
        mpq_div(candidate, exact, unit);
        mpz_fdiv_q(multiple, mpq_numref(candidate), mpq_denref(candidate));
        for (int up = 0; up < 2; up++) {
            mpq_set_z(candidate, multiple);
            mpq_mul(candidate, candidate, unit);
            if (reads_back(is_even)) {
                mpq_sub(off, candidate, exact);
                mpq_abs(off, off);
                if (digits == 0 || mpq_cmp(off, best_off) < 0)
                    mpq_set(best_off, off);
                digits = n;
            }
            mpz_add_ui(multiple, multiple, 1);
        }
    }
    mpz_clear(multiple);
    return digits;
}

/* A decimal as text, exactly; returns how many digits it has without zeros at either end. */
static int parse(const char *text)
{
    char digits[40];
    size_t n = 0, point = 0;
    bool has_point = false;
    const char *p = text;
    for (; *p != '\0' && *p != 'e'; p++) {
        if (*p == '.') {
            has_point = true;
            continue;
        }
        assert_true(*p >= '0' && *p <= '9' && n + 1 < sizeof digits);
        point += has_point;
        digits[n++] = *p;
    }
    digits[n] = '\0';
    assert_int_equal(mpz_set_str(mpq_numref(candidate), digits, 10), 0);
    mpz_set_ui(mpq_denref(candidate), 1);
    power_of_ten(unit, (*p == 'e' ? atoi(p + 1) : 0) - (int)point);
    mpq_mul(candidate, candidate, unit);
    while (n > 0 && digits[n - 1] == '0')
        n--;
    return (int)(n - strspn(digits, "0"));
}

static void check(sinpos_type type, uint64_t bits)
{
    char text[SINPOS_DECIMAL_BYTES];
    uint64_t element = 0;
    store_bits(&element, type, 0, bits);
    set_interval(type, bits);
    const size_t length = sinpos_decimal(text, type, &element);
    assert_int_equal(length, strlen(text));
    const int digits = parse(text);
    mpq_sub(off, candidate, exact);
    mpq_abs(off, off);
    const bool is_back = reads_back(bits % 2 == 0);
    mpq_t got;
    mpq_init(got);
    mpq_set(got, off);
    const int want = fewest_digits(bits % 2 == 0);
    if (!is_back || digits != want || !mpq_equal(got, best_off))
        printf("type %d, bits %llx: '%s' has %d digits, the fewest are %d\n", (int)type, (unsigned long long)bits, text,
               digits, want);
    assert_true(is_back && digits == want && mpq_equal(got, best_off));
    mpq_clear(got);
}

static void every_short_element(void **state)
{
    (void)state;
    for (uint64_t bits = 1; bits < 0x7c00; bits++)
        check(SINPOS_F16, bits);
    for (uint64_t bits = 1; bits < 0x7f80; bits++)
        check(SINPOS_BF16, bits);
}

/* Below a power of two the elements are half as far apart as above it. */
static void powers_of_two(void **state)
{
    (void)state;
    for (uint64_t field = 0; field < 0xff; field++)
        check(SINPOS_F32, field << 23 | (field == 0));
    for (uint64_t field = 0; field < 0x7ff; field++)
        check(SINPOS_F64, field << 52 | (field == 0));
    for (unsigned k = 0; k < 52; k++)
        check(SINPOS_F64, (uint64_t)1 << k);
}

static void random_elements(void **state)
{
    (void)state;
    random_state random = random_seed(SEED, 0);
    printf("# seed %d\n", SEED);
    for (int i = 0; i < RANDOM; i++) {
        check(SINPOS_F32, 1 + random_below(&random, 0x7f7fffff));
        check(SINPOS_F64, 1 + random_u64(&random) % UINT64_C(0x7fefffffffffffff));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_short_element),
        cmocka_unit_test(powers_of_two),
        cmocka_unit_test(random_elements),
    };
    mpq_t *const all[] = {&low, &high, &exact, &unit, &candidate, &off, &best_off};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        mpq_init(*all[i]);
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        mpq_clear(*all[i]);
    return failed;
}
