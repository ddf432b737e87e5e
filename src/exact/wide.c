/*
 * Multi-precision arithmetic; see wide.h for what each function promises and docs/numerics.md, section 5, for why.
 * Numbers named fixed are arrays of m limbs, most significant first, that stand for fractions in [0, 1).
 */
#include "wide.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "../compiler.h"
#include "wide_constants.h"

enum { FIXED_LIMBS = WIDE_LIMBS + 2 };

/* ---------------------------------------------------------------------------------------- fixed point */

/*
 * acc[0 .. n] = a b without the products that lie wholly below limb n - 1: what is lost is less than n units of it.
 * For a constant n the loops unroll into straight code.
 */
ALWAYS_INLINE void multiply(const size_t n, uint64_t *acc, const uint64_t *a, const uint64_t *b)
{
    UNROLL
    for (size_t i = 0; i < n + 1; i++)
        acc[i] = 0;
    UNROLL
    for (size_t i = n; i-- > 0;) {
        uint64_t carry = 0;
        UNROLL
        for (size_t j = n; j-- > 0;) {
            if (i + j >= n)
                continue;
            const uint128 t = (uint128)a[i] * b[j] + acc[i + j + 1] + carry;
            acc[i + j + 1] = (uint64_t)t;
            carry = (uint64_t)(t >> 64);
        }
        acc[i] = carry;
    }
}

/* acc[0 .. n+1] = a b, with the products that reach limb n as well: the sum over n limbs of errors stays below one. */
static void multiply_long(size_t n, uint64_t *acc, const uint64_t *a, const uint64_t *b)
{
    memset(acc, 0, (n + 2) * sizeof acc[0]);
    for (size_t i = n; i-- > 0;) {
        const size_t last = n - i < n - 1 ? n - i : n - 1;
        uint64_t carry = 0;
        for (size_t j = last + 1; j-- > 0;) {
            const uint128 t = (uint128)a[i] * b[j] + acc[i + j + 1] + carry;
            acc[i + j + 1] = (uint64_t)t;
            carry = (uint64_t)(t >> 64);
        }
        acc[i] = carry;
    }
}

/* The lengths that plans and formulas are made with are constants, the others are not worth it. */
static void product(size_t n, uint64_t *acc, const uint64_t *a, const uint64_t *b)
{
    switch (n) {
    case 2: multiply(2, acc, a, b); break;
    case 3: multiply(3, acc, a, b); break;
    case 4: multiply(4, acc, a, b); break;
    case 5: multiply(5, acc, a, b); break;
    case 6: multiply(6, acc, a, b); break;
    case 7: multiply(7, acc, a, b); break;
    case 8: multiply(8, acc, a, b); break;
    case 9: multiply(9, acc, a, b); break;
    default: multiply_long(n, acc, a, b);
    }
}

/* r = a b, truncated: error in [-9, 0] units of the last limb. r may be a or b. */
static void fixed_mul(size_t m, uint64_t *r, const uint64_t *a, const uint64_t *b)
{
    uint64_t acc[FIXED_LIMBS + 2];
    product(m, acc, a, b);
    memcpy(r, acc, m * sizeof r[0]);
}

/* r = a + b; returns the carry. */
static uint64_t fixed_add(size_t m, uint64_t *r, const uint64_t *a, const uint64_t *b)
{
    uint64_t carry = 0;
    for (size_t i = m; i-- > 0;) {
        const uint128 t = (uint128)a[i] + b[i] + carry;
        r[i] = (uint64_t)t;
        carry = (uint64_t)(t >> 64);
    }
    return carry;
}

/* r = a - b; returns the borrow. */
static uint64_t fixed_sub(size_t m, uint64_t *r, const uint64_t *a, const uint64_t *b)
{
    uint64_t borrow = 0;
    for (size_t i = m; i-- > 0;) {
        const uint128 t = (uint128)a[i] - b[i] - borrow;
        r[i] = (uint64_t)t;
        borrow = (uint64_t)(t >> 64) & 1;
    }
    return borrow;
}

/* r = a / d, d < 2^32, truncated: half limbs, so that no division of 128 bits by 64 is needed. */
static void fixed_div_small(size_t m, uint64_t *r, const uint64_t *a, uint64_t d)
{
    uint64_t rest = 0;
    for (size_t i = 0; i < m; i++) {
        const uint64_t high = rest << 32 | a[i] >> 32;
        const uint64_t low = high % d << 32 | (a[i] & UINT32_MAX);
        r[i] = high / d << 32 | low / d;
        rest = low % d;
    }
}

static bool fixed_is_zero(size_t m, const uint64_t *a)
{
    for (size_t i = 0; i < m; i++)
        if (a[i] != 0)
            return false;
    return true;
}

/* a <<= 1 or 2 in place; the bits that leave must be zero. */
static void fixed_shift_left(size_t m, uint64_t *a, unsigned bits)
{
    for (size_t i = 0; i < m; i++)
        a[i] = a[i] << bits | (i + 1 < m ? a[i + 1] >> (64 - bits) : 0);
}

/* r (m limbs) = a (n limbs) >> shift, truncated. */
static void fixed_shift_right(size_t m, uint64_t *r, size_t n, const uint64_t *a, uint64_t shift)
{
    const size_t words = shift / 64 < m ? (size_t)(shift / 64) : m;
    const unsigned bits = (unsigned)(shift % 64);
    for (size_t i = 0; i < m; i++) {
        if (i < words) {
            r[i] = 0;
            continue;
        }
        const size_t k = i - words;
        const uint64_t here = k < n ? a[k] : 0;
        const uint64_t before = k >= 1 && k - 1 < n ? a[k - 1] : 0;
        r[i] = bits ? here >> bits | before << (64 - bits) : here;
    }
}

/* ----------------------------------------------------------------------------- conversions and copies */

void wide_zero(wide *r)
{
    r->sign = 0;
    r->exponent = 0;
}

/* r = sign * 0.fixed * 2^exponent, normalised and truncated to n limbs; fixed has m >= n limbs. */
static void set_normalised(size_t n, wide *r, int sign, size_t m, const uint64_t *fixed, int64_t exponent)
{
    size_t first = 0;
    while (first < m && fixed[first] == 0)
        first++;
    if (first == m) {
        wide_zero(r);
        return;
    }
    const unsigned bits = (unsigned)__builtin_clzll(fixed[first]);
    for (size_t i = 0; i < n; i++) {
        const size_t k = first + i;
        const uint64_t here = k < m ? fixed[k] : 0;
        const uint64_t next = k + 1 < m ? fixed[k + 1] : 0;
        r->limb[i] = bits ? here << bits | next >> (64 - bits) : here;
    }
    r->sign = sign;
    r->exponent = exponent - (int64_t)(64 * first + bits);
}

void wide_set_double(size_t n, wide *r, double x)
{
    int exponent;
    const double significand = frexp(fabs(x), &exponent);
    const uint64_t integer = (uint64_t)ldexp(significand, 64);
    set_normalised(n, r, x < 0 ? -1 : 1, 1, &integer, exponent);
}

void wide_set_integer(size_t n, wide *r, int64_t x)
{
    const uint64_t size = x < 0 ? 0 - (uint64_t)x : (uint64_t)x;
    set_normalised(n, r, x < 0 ? -1 : 1, 1, &size, 64);
}

void wide_set_sum(size_t n, wide *r, double first, const double *more, size_t count)
{
    int top = INT_MIN, exponent;
    for (size_t k = 0; k <= count; k++) {
        const double x = k == 0 ? first : more[k - 1];
        (void)frexp(x, &exponent);
        top = x != 0 && exponent > top ? exponent : top;
    }
    uint64_t sum[FIXED_LIMBS] = {
        0}; /* two's complement: a limb for carries, then the first bits of what reaches 2^top */
    for (size_t k = 0; k <= count && top != INT_MIN; k++) {
        const double x = k == 0 ? first : more[k - 1];
        if (x == 0)
            continue;
        const uint64_t bits = (uint64_t)(frexp(fabs(x), &exponent) * 0x1p64);
        const size_t below = (size_t)(top - exponent), at = 1 + below / 64;
        if (at > n)
            continue;
        const uint128 part = (uint128)bits << 64 >> below % 64;
        uint64_t term[2] = {(uint64_t)(part >> 64), (uint64_t)part}, carry;
        carry = x < 0 ? fixed_sub(2, sum + at, sum + at, term) : fixed_add(2, sum + at, sum + at, term);
        for (size_t i = at; i-- > 0 && carry != 0;) {
            carry = x < 0 ? sum[i] == 0 : sum[i] == UINT64_MAX;
            sum[i] += x < 0 ? UINT64_MAX : 1;
        }
    }
    const bool negative = sum[0] >> 63;
    if (negative) {
        uint64_t zero[FIXED_LIMBS] = {0};
        fixed_sub(n + 2, sum, zero, sum);
    }
    set_normalised(n, r, negative ? -1 : 1, n + 2, sum, (int64_t)top + 64);
}

void wide_copy(size_t n, wide *r, const wide *a)
{
    r->sign = a->sign;
    r->exponent = a->exponent;
    memcpy(r->limb, a->limb, n * sizeof a->limb[0]);
}

void wide_widen(size_t n, wide *a, size_t n_before)
{
    for (size_t i = n_before; i < n; i++)
        a->limb[i] = 0;
}

void wide_set_fraction(size_t n, wide *r, const uint64_t *limbs)
{
    set_normalised(n, r, 1, n + 2 < CONSTANT_LIMBS ? n + 2 : CONSTANT_LIMBS, limbs, 0);
}

void wide_pi_quarter(size_t n, wide *r)
{
    wide_set_fraction(n, r, pi_quarter);
}

void wide_inverse_two_pi(size_t n, wide *r)
{
    wide_set_fraction(n, r, inverse_two_pi);
}

/* 2^e as a double, for any e: exact, or 0, or infinity. */
static double power_of_two(int64_t e)
{
    if (e < -1022 || e > 1023)
        return ldexp(1.0, e < -5000 ? -5000 : e > 5000 ? 5000 : (int)e);
    const uint64_t bits = (uint64_t)(e + 1023) << 52;
    double r;
    memcpy(&r, &bits, sizeof r);
    return r;
}

/* The k-th 53 bits of a, an integer. */
ALWAYS_INLINE uint64_t bits_53(size_t n, const wide *a, size_t k)
{
    const size_t first = 53 * k / 64;
    const unsigned skip = (unsigned)(53 * k % 64);
    uint64_t bits = first < n ? a->limb[first] << skip : 0;
    if (skip > 11 && first + 1 < n)
        bits |= a->limb[first + 1] >> (64 - skip);
    return bits >> 11;
}

void wide_to_doubles(size_t n, const wide *a, double *r, size_t count)
{
    if (a->sign == 0) {
        for (size_t k = 0; k < count; k++)
            r[k] = 0.0;
        return;
    }
    if (count == 3 && n >= 3 && a->exponent > -800 && a->exponent <= 1023) {
        const double unit = a->sign * power_of_two(a->exponent - 53);
        r[0] = (double)(int64_t)bits_53(n, a, 0) * unit;
        r[1] = (double)(int64_t)bits_53(n, a, 1) * (unit * 0x1p-53);
        r[2] = (double)(int64_t)bits_53(n, a, 2) * (unit * 0x1p-106);
        return;
    }
    for (size_t k = 0; k < count; k++) {
        const double piece = (double)(int64_t)bits_53(n, a, k) * power_of_two(a->exponent - 53 * (int64_t)(k + 1));
        r[k] = a->sign < 0 ? -piece : piece;
    }
}

/* ------------------------------------------------------------------------------------------ arithmetic */

int wide_compare_size(size_t n, const wide *a, const wide *b)
{
    if (a->sign == 0 || b->sign == 0)
        return (a->sign != 0) - (b->sign != 0);
    if (a->exponent != b->exponent)
        return a->exponent > b->exponent ? 1 : -1;
    for (size_t i = 0; i < n; i++)
        if (a->limb[i] != b->limb[i])
            return a->limb[i] > b->limb[i] ? 1 : -1;
    return 0;
}

/* r = a + sign_of_b |b|, |a| >= |b| > 0. One limb below the last is kept while shifting. */
static void add_smaller(size_t n, wide *r, const wide *a, const wide *b, int sign_of_b)
{
    uint64_t x[FIXED_LIMBS], y[FIXED_LIMBS];
    const size_t m = n + 2; /* a limb above for the carry, one below for what is shifted out */
    x[0] = 0;
    memcpy(x + 1, a->limb, n * sizeof x[0]);
    x[n + 1] = 0;
    fixed_shift_right(m, y, n, b->limb, 64 + (uint64_t)(a->exponent - b->exponent));
    if (a->sign == sign_of_b)
        fixed_add(m, x, x, y);
    else
        fixed_sub(m, x, x, y);
    set_normalised(n, r, a->sign, m, x, a->exponent + 64);
}

static void add_signed(size_t n, wide *r, const wide *a, const wide *b, int sign_of_b)
{
    if (sign_of_b == 0) {
        wide_copy(n, r, a);
    } else if (a->sign == 0) {
        wide_copy(n, r, b);
        r->sign = sign_of_b;
    } else if (wide_compare_size(n, a, b) >= 0) {
        add_smaller(n, r, a, b, sign_of_b);
    } else {
        const int sign_of_a = a->sign;
        wide first;
        wide_copy(n, &first, b);
        first.sign = sign_of_b;
        add_smaller(n, r, &first, a, sign_of_a);
    }
}

void wide_add(size_t n, wide *r, const wide *a, const wide *b)
{
    add_signed(n, r, a, b, b->sign);
}

void wide_sub(size_t n, wide *r, const wide *a, const wide *b)
{
    add_signed(n, r, a, b, -b->sign);
}

void wide_mul(size_t n, wide *r, const wide *a, const wide *b)
{
    uint64_t acc[FIXED_LIMBS + 2];
    if (a->sign == 0 || b->sign == 0) {
        wide_zero(r);
        return;
    }
    product(n, acc, a->limb, b->limb);
    const unsigned bit = acc[0] >> 63 ? 0 : 1; /* the product of two significands is at least 1/4 */
    r->sign = a->sign * b->sign;
    r->exponent = a->exponent + b->exponent - bit;
    for (size_t i = 0; i < n; i++)
        r->limb[i] = bit ? acc[i] << 1 | acc[i + 1] >> 63 : acc[i];
}

/*
 * Long division (Knuth's algorithm D): q (k + 1 limbs) = u / v, u of k + m limbs, v of m limbs with its top bit set.
 * u is least significant first here and is left holding the remainder; v and q too.
 */
static void divide_limbs(size_t k, size_t m, uint64_t *q, uint64_t *u, const uint64_t *v)
{
    for (size_t j = k + 1; j-- > 0;) {
        const uint128 top = (uint128)u[j + m] << 64 | u[j + m - 1];
        uint128 guess = u[j + m] >= v[m - 1] ? (uint128)UINT64_MAX : top / v[m - 1];
        uint128 rest = top - guess * v[m - 1];
        while (m > 1 && rest >> 64 == 0 && guess * v[m - 2] > (rest << 64 | u[j + m - 2])) {
            guess--;
            rest += v[m - 1];
        }
        uint64_t borrow = 0, carry = 0;
        for (size_t i = 0; i < m; i++) {
            const uint128 product = guess * v[i] + carry;
            const uint128 difference = (uint128)u[i + j] - (uint64_t)product - borrow;
            carry = (uint64_t)(product >> 64);
            u[i + j] = (uint64_t)difference;
            borrow = (uint64_t)(difference >> 64) & 1;
        }
        const uint128 difference = (uint128)u[j + m] - carry - borrow;
        u[j + m] = (uint64_t)difference;
        if ((difference >> 64) & 1) {
            guess--;
            carry = 0;
            for (size_t i = 0; i < m; i++) {
                const uint128 sum = (uint128)u[i + j] + v[i] + carry;
                u[i + j] = (uint64_t)sum;
                carry = (uint64_t)(sum >> 64);
            }
            u[j + m] += carry;
        }
        q[j] = (uint64_t)guess;
    }
}

void wide_div(size_t n, wide *r, const wide *a, const wide *b)
{
    if (a->sign == 0) {
        wide_zero(r);
        return;
    }
    size_t m = n;
    while (m > 1 && b->limb[m - 1] == 0)
        m--;
    uint64_t v[FIXED_LIMBS], u[2 * FIXED_LIMBS + 4], q[FIXED_LIMBS + 2], fixed[FIXED_LIMBS + 2];
    for (size_t i = 0; i < m; i++)
        v[i] = b->limb[m - 1 - i];
    /* u = significand of a, followed by limbs of zeros so that the quotient has n + 2 limbs, the first 0 or 1. */
    const size_t k = n + 1;
    memset(u, 0, (k + m + 1) * sizeof u[0]);
    for (size_t i = 0; i < n && i < k + m; i++)
        u[k + m - 1 - i] = a->limb[i];
    divide_limbs(k, m, q, u, v);
    for (size_t i = 0; i <= k; i++)
        fixed[i] = q[k - i];
    set_normalised(n, r, a->sign * b->sign, k + 1, fixed, a->exponent - b->exponent + 64);
}

int64_t wide_round_to_integer(size_t n, wide *fraction, const wide *a)
{
    if (a->sign == 0 || a->exponent < 0) { /* |a| < 1/2 */
        wide_copy(n, fraction, a);
        return 0;
    }
    const unsigned bits = (unsigned)a->exponent; /* 0 .. 62 bits of integer part */
    const uint64_t whole = bits ? a->limb[0] >> (64 - bits) : 0;
    const uint64_t half = a->limb[0] << bits >> 63;
    const int64_t integer = (int64_t)(whole + half) * a->sign;
    wide rounded;
    wide_set_integer(n, &rounded, integer);
    wide_sub(n, fraction, a, &rounded);
    return integer;
}

/* The fraction of a without its leading `dropped` bits. */
static void drop_leading(size_t n, const wide *a, uint64_t dropped, uint64_t *limbs)
{
    const size_t words = (size_t)(dropped / 64);
    const unsigned bits = (unsigned)(dropped % 64);
    for (size_t i = 0; i < n; i++) {
        const uint64_t here = words < n && i < n - words ? a->limb[i + words] : 0;
        const uint64_t next = words < n && i + 1 < n - words ? a->limb[i + words + 1] : 0;
        limbs[i] = bits ? here << bits | next >> (64 - bits) : here;
    }
}

void wide_reduce_mod_4(size_t n, wide *a)
{
    if (a->sign == 0 || a->exponent <= 60)
        return;
    uint64_t limbs[WIDE_LIMBS];
    drop_leading(n, a, (uint64_t)a->exponent - 2, limbs);
    set_normalised(n, a, a->sign, n, limbs, 2);
}

void wide_nearest_to_zero_mod_4(size_t n, wide *a)
{
    if (a->sign == 0 || a->exponent <= 1)
        return;
    uint64_t limbs[WIDE_LIMBS];
    limbs[0] = 0; /* n > 0, which compilers do not know */
    drop_leading(n, a, (uint64_t)a->exponent - 2, limbs);
    const bool is_upper = limbs[0] >> 63 != 0; /* half of 4 or more: 4 less */
    uint64_t carry = is_upper;
    for (size_t i = n; i-- > 0 && is_upper;) {
        limbs[i] = ~limbs[i] + carry;
        carry = carry && limbs[i] == 0;
    }
    set_normalised(n, a, is_upper ? -a->sign : a->sign, n, limbs, 2);
}

/* ----------------------------------------------------------------------------------- elementary functions */

/* fixed (m limbs) = |a|, which must be below 1. */
static void to_fixed(size_t m, uint64_t *fixed, size_t n, const wide *a)
{
    if (a->sign == 0)
        memset(fixed, 0, m * sizeof fixed[0]);
    else
        fixed_shift_right(m, fixed, n, a->limb, (uint64_t)-a->exponent);
}

static size_t horner_limbs(size_t m, size_t j)
{
    return m - 12 * j / 64;
}

/*
 * e = exp(y) - 1 for 0 <= y < 2^-12, by Taylor. Up to EXP_LIMBS limbs y + y^2 h(y) by Horner's scheme: the 4 m + 1 terms
 * leave out less than one unit of the last limb, and the j-th, which y^j multiplies, needs 12 j bits less than the first.
 * Beyond, term after term until they vanish.
 */
static void fixed_exp_minus_1(size_t m, uint64_t *e, const uint64_t *y)
{
    uint64_t term[FIXED_LIMBS];
    if (m <= EXP_LIMBS) {
        memset(term, 0, m * sizeof term[0]);
        memcpy(term, inverse_factorial[4 * m + 1], horner_limbs(m, 4 * m + 1) * sizeof term[0]);
        for (size_t j = 4 * m; j >= 2; j--) {
            const size_t limbs = horner_limbs(m, j);
            fixed_mul(limbs, term, term, y);
            fixed_add(limbs, term, term, inverse_factorial[j]);
        }
        fixed_mul(m, term, term, y);
        fixed_mul(m, term, term, y);
        fixed_add(m, e, y, term);
        return;
    }
    memcpy(term, y, m * sizeof y[0]);
    memcpy(e, y, m * sizeof y[0]);
    for (uint64_t j = 2; !fixed_is_zero(m, term); j++) {
        fixed_mul(m, term, term, y);
        fixed_div_small(m, term, term, j);
        fixed_add(m, e, e, term);
    }
}

/* exp a = 2^k exp(x), x = a - k ln 2; expm1(x / 2^12) by Taylor, then e <- e^2 + 2 e twelve times. */
void wide_exp(size_t n, wide *r, const wide *a)
{
    enum { HALVINGS = 12 };
    const size_t m = n + 1;
    wide x, ln2, k_wide;
    double approximation;
    if (a->sign != 0 && a->exponent > 20) { /* out of the domain: nothing that a number could be made of */
        wide_zero(r);
        return;
    }
    wide_to_doubles(n, a, &approximation, 1);
    /* the floor or thereabouts, so that 0 <= x: fixed point has no sign */
    int64_t k = (int64_t)floor(approximation * 0x1.71547652b82fep0);
    wide_set_fraction(m, &ln2, ln_two);
    wide_copy(n, &x, a);
    wide_widen(m, &x, n);
    wide_set_integer(m, &k_wide, k);
    wide_mul(m, &k_wide, &k_wide, &ln2);
    wide_sub(m, &x, &x, &k_wide);
    while (x.sign < 0) {
        wide_add(m, &x, &x, &ln2);
        k--;
    }
    if (x.sign == 0) {
        wide_set_integer(n, r, 1);
        r->exponent += k;
        return;
    }
    x.exponent -= HALVINGS;
    uint64_t y[FIXED_LIMBS] = {0}, e[FIXED_LIMBS], square[FIXED_LIMBS];
    to_fixed(m, y, m, &x);
    fixed_exp_minus_1(m, e, y);
    uint64_t whole = 0; /* exp(x) - 1 < 1.01 when x < ln 2 (1 + tiny): the last doubling may carry */
    for (int i = 0; i < HALVINGS; i++) {
        fixed_mul(m, square, e, e);
        whole = fixed_add(m, e, e, e);
        whole += fixed_add(m, e, e, square);
    }
    uint64_t result[FIXED_LIMBS + 1];
    result[0] = 1 + whole;
    memcpy(result + 1, e, m * sizeof e[0]);
    set_normalised(n, r, 1, m + 1, result, 64 + k);
}

/* e = f exp(-y) - 1 for a = f 2^k, f in [0.70, 1.42), and y = *guess, a double near ln f or 0; to n + 1 limbs. */
static OWN_FRAME int64_t log_remainder(size_t n, const wide *a, double *guess, wide *e)
{
    const size_t m = n + 1;
    wide number;
    wide_copy(n, e, a);
    wide_widen(m, e, n);
    e->exponent = a->limb[0] < 0xb504f333f9de6484u ? 1 : 0;
    const int64_t k = a->exponent - e->exponent;
    double approximation;
    wide_to_doubles(m, e, &approximation, 1);
    *guess = fabs(approximation - 1) < 0x1p-10 ? 0 : log(approximation);
    if (*guess != 0) {
        wide_set_double(n, &number, -*guess);
        wide_exp(n, &number, &number);
        wide_widen(m, &number, n);
        wide_mul(m, e, e, &number);
    }
    wide_set_integer(m, &number, 1);
    wide_sub(m, e, e, &number);
    return k;
}

/* ln(1 + e) by its series, |e| < 2^-9: of its j-th term as many limbs as matter. */
static OWN_FRAME void log_series(size_t m, const wide *e, wide *sum)
{
    wide power, term;
    uint64_t quotient[FIXED_LIMBS];
    wide_copy(m, &power, e);
    wide_copy(m, sum, e);
    for (uint64_t j = 2; power.sign != 0 && power.exponent > e->exponent - 64 * (int64_t)m; j++) {
        const size_t limbs = m - (size_t)(e->exponent - power.exponent) / 64;
        wide_mul(limbs, &power, &power, e);
        fixed_div_small(limbs, quotient, power.limb, j);
        set_normalised(m, &term, j % 2 == 0 ? -power.sign : power.sign, limbs, quotient, power.exponent);
        wide_add(m, sum, sum, &term);
    }
}

/*
 * With f = a / 2^k in [0.70, 1.42) and y a double near ln f:  ln a = k ln 2 + y + ln(1 + e),  1 + e = f exp(-y).
 * |e| < 2^-40 whatever the C library's log is worth, so that a few terms of its series do. y = 0 where f is so near 1
 * that subtracting y would cost digits: then e = f - 1 is exact and small itself, or the series is merely longer.
 */
void wide_log(size_t n, wide *r, const wide *a)
{
    const size_t m = n + 1;
    wide e, sum;
    double guess;
    const int64_t k = log_remainder(n, a, &guess, &e);
    log_series(m, &e, &sum);
    wide_set_double(m, &e, guess);
    wide_add(m, &sum, &sum, &e);
    wide_set_integer(m, &e, k);
    wide_set_fraction(m, r, ln_two);
    wide_mul(m, r, r, &e);
    wide_add(m, r, &sum, r);
}

/* One series: t = w / first_divisor, then t <- t w / ((d + 1) (d + 2)), summed with alternating signs. */
static void alternating_series(size_t m, uint64_t *sum, const uint64_t *w, uint64_t d)
{
    uint64_t term[FIXED_LIMBS];
    fixed_div_small(m, term, w, d * (d - 1));
    memcpy(sum, term, m * sizeof term[0]);
    for (bool add = false; !fixed_is_zero(m, term); add = !add) {
        fixed_mul(m, term, term, w);
        fixed_div_small(m, term, term, (d + 1) * (d + 2));
        d += 2;
        if (add)
            fixed_add(m, sum, sum, term);
        else
            fixed_sub(m, sum, sum, term);
    }
}

/*
 * With y = x / 2^h:  D = 1 - cos y,  T = 1 - sin(y) / y  by their series in y^2; then h doublings
 *     T <- T + D - T D,   D <- 4 D - 2 D^2      (sin 2y / 2y = sin y / y cos y;  1 - cos 2y = 2 (1 - cos^2 y)).
 */
void wide_sincos_turns(size_t n, int64_t quarters, const wide *eighth, wide *sine, wide *cosine)
{
    enum { HALVINGS = 8 };
    const size_t m = n + 1;
    wide x, y, square;
    wide_pi_quarter(m, &x);
    wide_copy(n, &y, eighth);
    wide_widen(m, &y, n);
    wide_mul(m, &x, &x, &y);
    if (x.sign != 0)
        x.exponent += 3; /* x = 2 pi eighth */
    wide_copy(m, &y, &x);
    y.exponent -= HALVINGS;
    wide_mul(m, &square, &y, &y);

    uint64_t w[FIXED_LIMBS], d[FIXED_LIMBS], t[FIXED_LIMBS], product[FIXED_LIMBS];
    to_fixed(m, w, m, &square);
    alternating_series(m, d, w, 2);
    alternating_series(m, t, w, 3);
    for (int i = 0; i < HALVINGS; i++) {
        fixed_mul(m, product, t, d);
        fixed_add(m, t, t, d);
        fixed_sub(m, t, t, product);
        fixed_mul(m, product, d, d);
        fixed_shift_left(m, product, 1);
        fixed_shift_left(m, d, 2);
        fixed_sub(m, d, d, product);
    }
    wide small, near_one, one;
    set_normalised(m, &small, 1, m, t, 0);
    wide_mul(m, &small, &small, &x);
    wide_sub(m, &small, &x, &small);
    wide_set_integer(m, &one, 1);
    set_normalised(m, &near_one, 1, m, d, 0);
    wide_sub(m, &near_one, &one, &near_one);

    const unsigned q = (unsigned)(quarters & 3);
    wide_copy(n, sine, q & 1 ? &near_one : &small);
    wide_copy(n, cosine, q & 1 ? &small : &near_one);
    sine->sign = q & 2 ? -sine->sign : sine->sign;
    cosine->sign = q == 1 || q == 2 ? -cosine->sign : cosine->sign;
}
