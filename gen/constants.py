#!/usr/bin/env python3
"""Prints src/exact/wide_constants.h: pi, 1/(2 pi), ln 2 and the first 1/j! as limbs, from integer arithmetic alone.

Each constant is floor(c * 2^(64 * LIMBS)) for a c in [0, 1), most significant limb first. pi by Machin's formula,
ln 2 by 18 atanh(1/26) - 2 atanh(1/4801) + 8 atanh(1/8749); both are checked against a second formula."""
LIMBS = 76
GUARD = 256
EXP_LIMBS, EXP_TERMS = 9, 38
BITS = 64 * LIMBS
ONE = 1 << (BITS + GUARD)


def arctan_inverse(n, sign):
    """sum of (sign)^k / ((2k+1) n^(2k+1)), scaled by ONE: atan(1/n) for sign -1, atanh(1/n) for +1."""
    power = ONE // n
    total, k, s = 0, 1, 1
    while power:
        total += s * (power // k)
        power //= n * n
        k += 2
        s *= sign
    return total


pi = 4 * (4 * arctan_inverse(5, -1) - arctan_inverse(239, -1))
pi_again = 4 * (arctan_inverse(2, -1) + arctan_inverse(3, -1))
ln2 = 18 * arctan_inverse(26, 1) - 2 * arctan_inverse(4801, 1) + 8 * arctan_inverse(8749, 1)
ln2_again = 2 * arctan_inverse(3, 1)
assert abs(pi - pi_again) >> 64 == 0 and abs(ln2 - ln2_again) >> 64 == 0


def limbs(name, what, scaled):
    value = scaled >> GUARD
    assert 0 < value < 1 << BITS
    digits = [(value >> (64 * (LIMBS - 1 - i))) & (2**64 - 1) for i in range(LIMBS)]
    print(f"/* {what} */")
    print(f"static const uint64_t {name}[CONSTANT_LIMBS] = {{")
    for i in range(0, LIMBS, 4):
        print("    " + " ".join(f"0x{d:016x}," for d in digits[i:i + 4]))
    print("};\n")


print("/* Printed by gen/constants.py; do not edit. Most significant limb first. */")
print("#pragma once\n\n#include <stdint.h>\n")
print(f"#define CONSTANT_LIMBS {LIMBS}\n")
limbs("pi_quarter", "pi / 4", pi // 4)
limbs("inverse_two_pi", "1 / (2 pi)", ONE * ONE // (2 * pi))
limbs("ln_two", "ln 2", ln2)
print(f"/* 1 / j!, j = 0 .. {EXP_TERMS - 1}, for exponentials of up to EXP_LIMBS limbs; the first two are not fractions and stand as 0 */")
print(f"enum {{ EXP_LIMBS = {EXP_LIMBS}, EXP_TERMS = {EXP_TERMS} }};")
print("static const uint64_t inverse_factorial[EXP_TERMS][EXP_LIMBS] = {")
factorial = 1
for j in range(EXP_TERMS):
    factorial *= max(j, 1)
    value = (1 << 64 * EXP_LIMBS) // factorial if j > 1 else 0
    digits = [(value >> (64 * (EXP_LIMBS - 1 - i))) & (2**64 - 1) for i in range(EXP_LIMBS)]
    print("    {" + ", ".join(f"0x{d:x}" for d in digits) + "},")
print("};")
