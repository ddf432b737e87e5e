#include "formula_number.h"

#include <math.h>
#include <string.h>

enum { SNAP_BITS = 400 }; /* what is nearer than 2^-400 of its size to something simple is that */

void real_set(real *r, double x)
{
    r->is_wide = r->is_power = false;
    r->num = x;
    r->den = 1;
}

void real_set_wide(real *r, const wide *w)
{
    r->is_wide = true;
    r->is_power = false;
    r->w.sign = w->sign;
    r->w.exponent = w->exponent;
    if (w->sign != 0)
        memcpy(r->w.limb, w->limb, sizeof r->w.limb);
}

void real_pi(real *r)
{
    wide w;
    wide_pi_quarter(REAL_LIMBS, &w);
    w.exponent += w.sign != 0 ? 2 : 0;
    real_set_wide(r, &w);
}

bool real_is_rational(const real *a)
{
    return !a->is_wide && !a->is_power;
}

void wide_add_product(wide *sum, double x, const double parts[SINPOS_PARTS])
{
    wide left, right;
    wide_set_double(REAL_LIMBS, &left, x);
    for (size_t k = 0; k < SINPOS_PARTS && (k == 0 || parts[k] != 0) && x != 0; k++) {
        wide_set_double(REAL_LIMBS, &right, parts[k]);
        wide_mul(REAL_LIMBS, &right, &left, &right);
        wide_add(REAL_LIMBS, sum, sum, &right);
    }
}

/* ------------------------------------------------------------------------------------- exact operations on doubles */

static bool exact_product(double a, double b, double *p)
{
    *p = a * b;
    if (a == 0 || b == 0)
        return true;
    return isfinite(*p) && fabs(*p) > 0x1p-900 && fma(a, b, -*p) == 0;
}

bool exact_sum(double a, double b, double *s)
{
    *s = a + b;
    const double part = *s - a;
    return isfinite(*s) && a - (*s - part) == 0 && b - part == 0;
}

static bool is_integer(double x)
{
    return fabs(x) < 0x1p53 && x == floor(x);
}

static double greatest_divisor(double a, double b)
{
    a = fabs(a);
    b = fabs(b);
    while (b != 0) {
        const double rest = fmod(a, b);
        a = b;
        b = rest;
    }
    return a;
}

static void reduce(double *num, double *den)
{
    if (is_integer(*num) && is_integer(*den) && *den != 1) {
        const double divisor = greatest_divisor(*num, *den);
        *num /= divisor;
        *den /= divisor;
    }
}

void real_set_ratio(real *r, double num, double den)
{
    reduce(&num, &den);
    real_set(r, num);
    r->den = den;
}

/* num / den = a b as a rational of doubles, reduced only if that is needed. */
static bool rational_product(double a_num, double a_den, double b_num, double b_den, double *num, double *den)
{
    for (int attempt = 0; attempt < 2; attempt++) {
        if (exact_product(a_num, b_num, num) && exact_product(a_den, b_den, den))
            return true;
        reduce(&a_num, &b_den);
        reduce(&b_num, &a_den);
    }
    return false;
}

static bool rational_sum(double a_num, double a_den, double b_num, double b_den, double *num, double *den)
{
    double left, right;
    if (a_den == b_den) {
        *den = a_den;
        return exact_sum(a_num, b_num, num);
    }
    reduce(&a_num, &a_den);
    reduce(&b_num, &b_den);
    return exact_product(a_num, b_den, &left) && exact_product(b_num, a_den, &right) && exact_sum(left, right, num) &&
           exact_product(a_den, b_den, den);
}

/* ----------------------------------------------------------------------------------------------------- conversion */

static void quotient_wide(double num, double den, wide *w)
{
    wide d;
    wide_set_double(REAL_LIMBS, w, num);
    if (den != 1) {
        wide_set_double(REAL_LIMBS, &d, den);
        wide_div(REAL_LIMBS, w, w, &d);
    }
}

static void power_wide(const real *a, wide *w)
{
    wide base, exponent;
    quotient_wide(a->exp_num, a->exp_den, &exponent);
    quotient_wide(a->base_num, a->base_den, &base);
    wide_log(REAL_LIMBS, &base, &base);
    wide_mul(REAL_LIMBS, &exponent, &exponent, &base);
    wide_exp(REAL_LIMBS, w, &exponent);
}

void real_to_wide(const real *a, wide *w)
{
    wide factor;
    if (a->is_wide) {
        w->sign = a->w.sign;
        w->exponent = a->w.exponent;
        if (w->sign != 0)
            memcpy(w->limb, a->w.limb, sizeof a->w.limb);
        return;
    }
    quotient_wide(a->num, a->den, w);
    if (a->is_power && w->sign != 0) {
        power_wide(a, &factor);
        wide_mul(REAL_LIMBS, w, w, &factor);
    }
}

/* Is w within 2^-SNAP_BITS of its size of the double that its leading bits are? Then x is that. */
static bool near_double(const wide *w, double *x)
{
    double parts[2];
    wide rest, part;
    *x = 0;
    if (w->sign == 0)
        return true;
    const bool may_be = w->limb[1] == 0 || w->limb[1] == UINT64_MAX; /* the double ends in the limb before */
    if (!may_be || w->exponent < -900 || w->exponent > 1000)
        return false;
    wide_to_doubles(REAL_LIMBS, w, parts, 2);
    const double unit = ldexp(w->sign, (int)w->exponent - 53);
    for (int up = 0; up < 2; up++) { /* the leading bits are truncated: just below it w may belong to the next */
        *x = parts[0] + up * unit;
        wide_set_double(REAL_LIMBS, &part, *x);
        wide_sub(REAL_LIMBS, &rest, w, &part);
        if (rest.sign == 0 || rest.exponent < w->exponent - SNAP_BITS)
            return true;
    }
    return false;
}

bool real_is_double(const real *a, double *x)
{
    wide w;
    if (!real_is_rational(a)) {
        real_to_wide(a, &w);
        return near_double(&w, x);
    }
    *x = a->num / a->den;
    return a->den == 1 || fma(*x, a->den, -a->num) == 0;
}

double real_to_double(const real *a)
{
    double parts[SINPOS_PARTS];
    real_to_parts(a, parts);
    return parts[0];
}

bool real_to_parts(const real *a, double parts[SINPOS_PARTS])
{
    double rough[SINPOS_PARTS], x;
    memset(parts, 0, SINPOS_PARTS * sizeof *parts);
    const bool rational = real_is_rational(a);
    if (rational && real_is_double(a, &x)) {
        parts[0] = x;
        return true;
    }
    wide w;
    real_to_wide(a, &w); /* once: an exponential, where a is a power */
    if (!rational && near_double(&w, &x)) {
        parts[0] = x;
        return true;
    }
    wide_to_doubles(REAL_LIMBS, &w, rough, SINPOS_PARTS);
    for (int k = SINPOS_PARTS - 1; k > 0; k--) { /* carries upward, so that each is nearest to what it begins */
        const double sum = rough[k - 1] + rough[k];
        rough[k] -= sum - rough[k - 1];
        rough[k - 1] = sum;
    }
    memcpy(parts, rough, sizeof rough);
    return false;
}

/* ----------------------------------------------------------------------------------------------------- arithmetic */

void real_set_quotient(real *r, double a, double b)
{
    const real divisor = {.num = b, .den = 1};
    real_set(r, a);
    real_divide(r, r, &divisor);
}

void real_turns_to_radians(real *r, const real *turns)
{
    real turn, two;
    if (real_sign(turns) == 0) {
        real_set(r, 0);
        return;
    }
    real_pi(&turn);
    real_set(&two, 2);
    real_multiply(&turn, &turn, &two);
    real_multiply(r, turns, &turn);
}

void real_negate(real *r)
{
    if (r->is_wide)
        r->w.sign = -r->w.sign;
    else
        r->num = -r->num;
}

void real_add(real *r, const real *a, const real *b)
{
    double num, den;
    wide x, y;
    if (real_is_rational(a) && real_is_rational(b) && rational_sum(a->num, a->den, b->num, b->den, &num, &den)) {
        real_set(r, num);
        r->den = den;
        return;
    }
    real_to_wide(a, &x);
    real_to_wide(b, &y);
    if (x.sign == 0 || y.sign == 0) {
        *r = x.sign == 0 ? *b : *a;
        return;
    }
    wide_add(REAL_LIMBS, &x, &x, &y);
    real_set_wide(r, &x);
}

void real_subtract(real *r, const real *a, const real *b)
{
    real minus = *b;
    real_negate(&minus);
    real_add(r, a, &minus);
}

/* The power part of a product; false where it is none. */
static bool join_powers(real *r, const real *a, const real *b)
{
    double num, den;
    if (!a->is_power || !b->is_power) {
        const real *power = a->is_power ? a : b;
        r->is_power = power->is_power;
        r->base_num = power->base_num, r->base_den = power->base_den;
        r->exp_num = power->exp_num, r->exp_den = power->exp_den;
        return true;
    }
    if (a->base_num != b->base_num || a->base_den != b->base_den ||
        !rational_sum(a->exp_num, a->exp_den, b->exp_num, b->exp_den, &num, &den))
        return false;
    r->is_power = true;
    r->base_num = a->base_num, r->base_den = a->base_den;
    r->exp_num = num, r->exp_den = den;
    return true;
}

static bool is_one(const real *a)
{
    return real_is_rational(a) && a->num == 1 && a->den == 1;
}

void real_multiply(real *r, const real *a, const real *b)
{
    real product;
    wide x, y;
    if (is_one(a) || is_one(b)) {
        const real other = is_one(a) ? *b : *a;
        *r = other;
        return;
    }
    if (!a->is_wide && !b->is_wide && rational_product(a->num, a->den, b->num, b->den, &product.num, &product.den)) {
        product.is_wide = false;
        if (product.num == 0) {
            real_set(r, 0);
            return;
        }
        if (join_powers(&product, a, b)) {
            *r = product;
            return;
        }
    }
    real_to_wide(a, &x);
    real_to_wide(b, &y);
    wide_mul(REAL_LIMBS, &x, &x, &y);
    real_set_wide(r, &x);
}

bool real_divide(real *r, const real *a, const real *b)
{
    real inverse = *b;
    wide x, y;
    if (real_sign(b) == 0)
        return false;
    if (!b->is_wide) {
        inverse.num = b->num < 0 ? -b->den : b->den;
        inverse.den = fabs(b->num);
        inverse.exp_num = b->is_power ? -b->exp_num : 0;
        if (!a->is_wide) {
            real_multiply(r, a, &inverse);
            return true;
        }
    }
    real_to_wide(a, &x);
    real_to_wide(b, &y);
    wide_div(REAL_LIMBS, &x, &x, &y);
    real_set_wide(r, &x);
    return true;
}

/* a^n by squaring, while it stays rational. */
static bool integer_power(real *r, const real *a, double n)
{
    real power, square = *a;
    real_set(&power, 1);
    for (long bits = (long)fabs(n); bits != 0 && real_is_rational(&power); bits >>= 1) {
        if (bits & 1)
            real_multiply(&power, &power, &square);
        if (bits > 1)
            real_multiply(&square, &square, &square);
    }
    if (!real_is_rational(&power))
        return false;
    if (n < 0) {
        real one;
        real_set(&one, 1);
        return real_divide(r, &one, &power);
    }
    *r = power;
    return true;
}

static void set_limbs(real_limbs *to, const wide *w)
{
    to->sign = w->sign;
    to->exponent = w->exponent;
    memset(to->limb, 0, sizeof to->limb);
    if (w->sign != 0)
        memcpy(to->limb, w->limb, sizeof to->limb);
}

/* Is this the number whose logarithm was kept, in the same words? */
static bool is_kept(const kept_log *kept, const real *a)
{
    const real *k = &kept->of;
    if (!kept->is_set || k->is_wide != a->is_wide || k->is_power != a->is_power)
        return false;
    if (a->is_wide)
        return k->w.sign == a->w.sign && k->w.exponent == a->w.exponent &&
               memcmp(k->w.limb, a->w.limb, sizeof a->w.limb) == 0;
    return k->num == a->num && k->den == a->den &&
           (!a->is_power || (k->base_num == a->base_num && k->base_den == a->base_den && k->exp_num == a->exp_num &&
                             k->exp_den == a->exp_den));
}

/* The logarithm of a, if a is positive. */
static bool log_of(const real *a, kept_log *kept, wide *w)
{
    if (kept != NULL && is_kept(kept, a)) {
        const real log = {.is_wide = true, .w = kept->log};
        real_to_wide(&log, w);
        return true;
    }
    real_to_wide(a, w);
    if (w->sign <= 0)
        return false;
    wide_log(REAL_LIMBS, w, w);
    if (kept != NULL) {
        *kept = (kept_log){.is_set = true, .of = *a};
        set_limbs(&kept->log, w);
    }
    return true;
}

/* exp(b log a); false where that is too large. */
static bool exp_of_product(const wide *log, const real *b, wide *power)
{
    wide exponent;
    real_to_wide(b, &exponent);
    wide_mul(REAL_LIMBS, &exponent, log, &exponent);
    if (exponent.sign != 0 && exponent.exponent > 19)
        return false;
    wide_exp(REAL_LIMBS, power, &exponent);
    return true;
}

static void wide_of_limbs(const real_limbs *limbs, wide *w)
{
    const real number = {.is_wide = true, .w = *limbs};
    real_to_wide(&number, w);
}

/*
 * The power after the last one, where their exponents are as far apart as those before: a product instead of an exponential.
 * Each adds 2^-500 to the relative error; after 1024 of them an exponential starts anew.
 */
static bool next_power(const wide *log, const real *b, kept_log *kept, wide *power)
{
    enum { MOST_PRODUCTS = 1024 };
    double num, den;
    if (kept == NULL || !kept->has_last || !real_is_rational(b) ||
        !rational_sum(b->num, b->den, -kept->last_num, kept->last_den, &num, &den))
        return false;
    reduce(&num, &den);
    if (!kept->has_step || num != kept->step_num || den != kept->step_den) {
        kept->has_step = true;
        kept->has_step_power = false;
        kept->step_num = num;
        kept->step_den = den;
        return false;
    }
    if (kept->n_products >= MOST_PRODUCTS)
        return false;
    const real step = {.num = num, .den = den};
    if (kept->has_step_power)
        wide_of_limbs(&kept->step_power, power);
    else if (!exp_of_product(log, &step, power))
        return false;
    set_limbs(&kept->step_power, power);
    kept->has_step_power = true;
    wide last;
    wide_of_limbs(&kept->last, &last);
    wide_mul(REAL_LIMBS, power, &last, power);
    kept->n_products++;
    return true;
}

/* exp(b log a) */
static bool wide_power(real *r, const real *a, const real *b, kept_log *kept)
{
    wide log, power;
    if (!log_of(a, kept, &log))
        return false;
    if (!next_power(&log, b, kept, &power)) {
        if (!exp_of_product(&log, b, &power))
            return false;
        if (kept != NULL)
            kept->n_products = 0;
    }
    if (kept != NULL) {
        kept->has_last = real_is_rational(b);
        kept->last_num = b->num;
        kept->last_den = b->den;
        set_limbs(&kept->last, &power);
    }
    real_set_wide(r, &power);
    return true;
}

bool real_power(real *r, const real *a, const real *b, kept_log *kept)
{
    const bool whole = real_is_rational(b) && b->den == 1 && is_integer(b->num);
    double num, den;
    if (real_sign(a) == 0) {
        const int sign = real_sign(b);
        real_set(r, sign == 0 ? 1 : 0);
        return sign >= 0;
    }
    if (whole && fabs(b->num) <= 2000 && real_is_rational(a) && (b->num >= 0 || real_sign(a) != 0) &&
        integer_power(r, a, b->num))
        return true;
    if (real_is_rational(b) && real_is_rational(a) && a->num > 0) {
        const double base_num = a->num, base_den = a->den;
        num = b->num, den = b->den;
        real_set(r, 1);
        r->is_power = true;
        r->base_num = base_num, r->base_den = base_den;
        r->exp_num = num, r->exp_den = den;
        return true;
    }
    if (real_is_rational(b) && a->is_power && a->num == 1 && a->den == 1 &&
        rational_product(a->exp_num, a->exp_den, b->num, b->den, &num, &den)) {
        *r = *a;
        r->exp_num = num, r->exp_den = den;
        return true;
    }
    return wide_power(r, a, b, kept);
}

bool real_sqrt(real *r, const real *a)
{
    real half;
    if (real_sign(a) < 0)
        return false;
    if (real_is_rational(a)) {
        const double num = sqrt(a->num), den = sqrt(a->den);
        if (fma(num, num, -a->num) == 0 && fma(den, den, -a->den) == 0) {
            real_set(r, num);
            r->den = den;
            return true;
        }
    }
    real_set(&half, 0.5);
    return real_power(r, a, &half, NULL);
}

bool real_exp(real *r, const real *a)
{
    wide x;
    real_to_wide(a, &x);
    if (x.sign == 0) {
        real_set(r, 1);
        return true;
    }
    if (x.exponent > 19)
        return false;
    wide_exp(REAL_LIMBS, &x, &x);
    real_set_wide(r, &x);
    return true;
}

bool real_log(real *r, const real *a)
{
    wide x;
    real one;
    real_set(&one, 1);
    if (real_sign(a) <= 0)
        return false;
    if (real_compare(a, &one) == 0) {
        real_set(r, 0);
        return true;
    }
    real_to_wide(a, &x);
    wide_log(REAL_LIMBS, &x, &x);
    real_set_wide(r, &x);
    return true;
}

bool real_log2(real *r, const real *a)
{
    real two, log_two;
    int exponent;
    double x;
    if (real_sign(a) > 0 && real_is_double(a, &x) && frexp(x, &exponent) == 0.5) {
        real_set(r, exponent - 1);
        return true;
    }
    real_set(&two, 2);
    return real_log(r, a) && real_log(&log_two, &two) && real_divide(r, r, &log_two);
}

/* The integer at or below w, of any size; what is nearer than 2^-SNAP_BITS to the one above is that. */
static void floor_wide(wide *w)
{
    wide rest, one;
    if (w->sign == 0 || w->exponent >= 64 * REAL_LIMBS)
        return;
    rest = *w;
    if (w->exponent <= 60) {
        const int64_t nearest = wide_round_to_integer(REAL_LIMBS, &rest, w);
        const bool below = rest.sign < 0 && rest.exponent > w->exponent - SNAP_BITS;
        wide_set_integer(REAL_LIMBS, w, nearest - below);
        return;
    }
    for (int64_t k = 0, whole = w->exponent; k < REAL_LIMBS; k++, whole -= 64) /* the bits of the fraction go */
        w->limb[k] &= whole >= 64 ? UINT64_MAX : whole <= 0 ? 0 : ~(UINT64_MAX >> whole);
    wide_sub(REAL_LIMBS, &rest, &rest, w);
    if (rest.sign < 0) {
        wide_set_integer(REAL_LIMBS, &one, 1);
        wide_sub(REAL_LIMBS, w, w, &one);
    }
}

void real_floor(real *r, const real *a)
{
    wide w;
    if (real_is_rational(a) && fabs(a->num / a->den) < 0x1p52) {
        double q = floor(a->num / a->den);
        q -= fma(-q, a->den, a->num) < 0;
        q += fma(-q, a->den, a->num) >= a->den;
        real_set(r, q);
        return;
    }
    real_to_wide(a, &w);
    floor_wide(&w);
    double x;
    if (near_double(&w, &x))
        real_set(r, x);
    else
        real_set_wide(r, &w);
}

int real_sign(const real *a)
{
    return a->is_wide ? a->w.sign : (a->num > 0) - (a->num < 0);
}

int real_compare(const real *a, const real *b)
{
    real difference;
    wide x, y;
    real_subtract(&difference, a, b);
    if (!difference.is_wide)
        return real_sign(&difference);
    real_to_wide(a, &x);
    real_to_wide(b, &y);
    const int64_t size = x.sign == 0 ? y.exponent : y.sign == 0 || x.exponent > y.exponent ? x.exponent : y.exponent;
    return difference.w.sign == 0 || difference.w.exponent < size - SNAP_BITS ? 0 : difference.w.sign;
}
