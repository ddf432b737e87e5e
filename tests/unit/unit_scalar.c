/* vector_scalar.h: a fused product without hardware is exact where the result is a double (docs/numerics.md, section 1). */
#include <math.h>
#include <stdbool.h>

#include "unit.h"

#include "kernels/vector_scalar.h"

/* What a product of two doubles loses: numbers just below a power of two split worst. */
static void lost_of_a_product(void **state)
{
    (void)state;
    random_state r = random_seed(12, 1);
    for (int k = 0; k < 400000; k++) {
        const double a = k % 2 ? 2 - (double)random_below(&r, 1 << 30) * 0x1p-52 : 1 + random_unit(&r);
        const double b = k % 4 < 2 ? 2 - (double)random_below(&r, 1 << 30) * 0x1p-52 : 1 + random_unit(&r);
        const double product = a * b;
        assert_or_say(vd_fma(a, b, -product) == fma(a, b, -product), "%a %a: %a, want %a", a, b, vd_fma(a, b, -product),
                      fma(a, b, -product));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lost_of_a_product),
    };
    return cmocka_run_group_tests_name("scalar", tests, NULL, NULL);
}
