#!/usr/bin/env python3
"""Prints src/kernels/polynomials.h: the polynomials of the kernels, and their errors.

Double: sin(pi/2 f) = f S(z), cos(pi/2 f) = 1 + z C(z), z = f^2, |f| <= 0.064, by interpolation at Chebyshev nodes in
70-digit arithmetic, coefficients rounded to double; and sin, cos of k pi/16. The errors printed are the largest over 20001 points of the
polynomial with rounded coefficients, evaluated exactly, plus 1 % for what lies between the points.
Double-double: Taylor coefficients of sin(pi/2 f)/f and cos(pi/2 f) in z = f^2, high + low."""
import struct
from decimal import Decimal as D, getcontext

getcontext().prec = 70
LIMIT = D("0.064")


def arctan_inverse(n):
    total, power, k, sign = D(0), D(1) / n, 1, 1
    while power > D(10) ** -75:
        total += sign * power / k
        power /= n * n
        k += 2
        sign = -sign
    return total


PI = 4 * (4 * arctan_inverse(5) - arctan_inverse(239))


def series(z, k):
    """sum of (-1)^j z^j k! / (2j + k)!, k = 1: sin(x)/x; k = 2: 2 (1 - cos x)/x^2; z = x^2."""
    total, term, j = D(0), D(1), k
    while abs(term) > D(10) ** -72:
        total += term
        term *= -z / ((j + 1) * (j + 2))
        j += 2
    return total


HALF_PI = PI / 2


def sin_part(z):
    return HALF_PI * series(HALF_PI ** 2 * z, 1)


def cos_part(z):
    return -HALF_PI ** 2 / 2 * series(HALF_PI ** 2 * z, 2)


def cosine(x):
    return 1 - x * x / 2 * series(x * x, 2)


def interpolate(function, n):
    """Coefficients of the polynomial of degree n - 1 through n Chebyshev nodes of [0, LIMIT^2]."""
    nodes = [LIMIT ** 2 / 2 * (1 + cosine(PI * (2 * i + 1) / (2 * n))) for i in range(n)]
    rows = [[z ** j for j in range(n)] + [function(z)] for z in nodes]
    for i in range(n):
        pivot = max(range(i, n), key=lambda r: abs(rows[r][i]))
        rows[i], rows[pivot] = rows[pivot], rows[i]
        rows[i] = [x / rows[i][i] for x in rows[i]]
        for r in range(n):
            if r != i:
                rows[r] = [x - rows[r][i] * y for x, y in zip(rows[r], rows[i])]
    return [row[n] for row in rows]


def largest_error(function, coefficients):
    worst = D(0)
    for i in range(20001):
        z = LIMIT ** 2 * i / 20000
        value = D(0)
        for c in reversed(coefficients):
            value = value * z + D(float(c))
        worst = max(worst, abs(value - function(z)))
    return worst * D("1.01")


def log2(x):
    import math
    return math.log2(float(x))


def print_double(name, function, n):
    c = interpolate(function, n)
    print(f"/* |error| <= 2^{log2(largest_error(function, c)):.2f} */")
    print(f"static const double {name}[{n}] = {{")
    for x in c:
        print(f"    {float(x).hex()},")
    print("};\n")


def print_pair(name, value):
    high = float(value)
    print(f"#define {name}_HIGH {high.hex()}\n#define {name}_LOW {float(value - D(high)).hex()}")


def print_series(name, first, count, exact):
    """(-1)^j (pi/2)^(2j + first) / (2j + first)! for j = 0 .. count: `exact` of them as pairs, the rest as doubles."""
    values, term = [], HALF_PI ** first
    for j in range(count + 1):
        values.append(term)
        term *= -HALF_PI ** 2 / ((2 * j + first + 1) * (2 * j + first + 2))
    print(f"static const double {name}_pairs[{exact}][2] = {{")
    for v in values[:exact]:
        print(f"    {{{float(v).hex()}, {float(v - D(float(v))).hex()}}},")
    print(f"}};\nstatic const double {name}_tail[{count + 1 - exact}] = {{")
    for v in values[exact:]:
        print(f"    {float(v).hex()},")
    print("};\n")


print("/* Printed by gen/polynomials.py; do not edit. */")
print("#pragma once\n\n#include \"../compiler.h\"\n")
def sine(x):
    return x * series(x * x, 1)


def as_float(x):
    """The hexadecimal digits of the nearest float."""
    digits, power = struct.unpack("f", struct.pack("f", x))[0].hex().split("p")
    return f"{digits.rstrip('0') if '.' in digits else digits}{'0' if digits.rstrip('0').endswith('.') else ''}p{power}F"


def print_table(name, function, of_floats=False):
    print(f"static const {'float' if of_floats else 'double'} {name}[16] ALIGNED(64) = {{")
    for k in range(16):
        x = PI * (k if k <= 8 else 16 - k) / 16
        value = function(x) if x != PI / 2 or function is sine else D(0)
        value = -value if k > 8 and function is cosine else value
        print(f"    {as_float(value) if of_floats else float(value).hex()},")
    print("};\n")


def print_middles(name, first):
    """Of 32nds of a turn: sines of odd multiples of pi / 32, from the first one."""
    print(f"static const float {name}[32] ALIGNED(64) = {{")
    for k in range(32):
        odd = (first + 2 * k) % 64  # of a turn of 64
        least = min(odd % 32, 32 - odd % 32)
        value = sine(PI * least / 32)
        print(f"    {as_float(-value if odd > 32 else value)},")
    print("};\n")


print("/* sin(pi/2 f) = f S(f^2) */")
print_double("sin_quarter", sin_part, 4)
print("/* cos(pi/2 f) = 1 + f^2 C(f^2) */")
print_double("cos_quarter", cos_part, 4)
print("/* sin(k pi / 16) and cos(k pi / 16), rounded to double */")
print_table("sin_sixteenths", sine)
print_table("cos_sixteenths", cosine)
print("/* and rounded to float */")
print_table("sin_sixteenths_floats", sine, True)
print_table("cos_sixteenths_floats", cosine, True)
print("/* sin and cos of (2 k + 1) pi / 32 */")
print_middles("sin_middles_floats", 1)
print_middles("cos_middles_floats", 17)
print("/* sin(pi/2 f) = f sum c_j z^j, z = f^2, j = 0 .. 11 */")
print_series("sin_series", 1, 11, 5)
print("/* cos(pi/2 f) = sum c_j z^j, j = 0 .. 11 */")
print_series("cos_series", 0, 11, 6)
print_pair("HALF_PI", HALF_PI)
