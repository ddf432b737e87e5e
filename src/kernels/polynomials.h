/* Printed by gen/polynomials.py; do not edit. */
#pragma once

#include "../compiler.h"

/* sin(pi/2 f) = f S(f^2) */
/* |error| <= 2^-51.06 */
static const double sin_quarter[4] = {
    0x1.921fb54442d17p+0,
    -0x1.4abbce6255d5cp-1,
    0x1.466bc5902c1e7p-4,
    -0x1.32bcc09700575p-8,
};

/* cos(pi/2 f) = 1 + f^2 C(f^2) */
/* |error| <= 2^-53.49 */
static const double cos_quarter[4] = {
    -0x1.3bd3cc9be45dep+0,
    0x1.03c1f081b3c4dp-2,
    -0x1.55d3c75289794p-6,
    0x1.e1d95189bceb0p-11,
};

/* sin(k pi / 16) and cos(k pi / 16), rounded to double */
static const double sin_sixteenths[16] ALIGNED(64) = {
    0x0.0p+0,
    0x1.8f8b83c69a60bp-3,
    0x1.87de2a6aea963p-2,
    0x1.1c73b39ae68c8p-1,
    0x1.6a09e667f3bcdp-1,
    0x1.a9b66290ea1a3p-1,
    0x1.d906bcf328d46p-1,
    0x1.f6297cff75cb0p-1,
    0x1.0000000000000p+0,
    0x1.f6297cff75cb0p-1,
    0x1.d906bcf328d46p-1,
    0x1.a9b66290ea1a3p-1,
    0x1.6a09e667f3bcdp-1,
    0x1.1c73b39ae68c8p-1,
    0x1.87de2a6aea963p-2,
    0x1.8f8b83c69a60bp-3,
};

static const double cos_sixteenths[16] ALIGNED(64) = {
    0x1.0000000000000p+0,
    0x1.f6297cff75cb0p-1,
    0x1.d906bcf328d46p-1,
    0x1.a9b66290ea1a3p-1,
    0x1.6a09e667f3bcdp-1,
    0x1.1c73b39ae68c8p-1,
    0x1.87de2a6aea963p-2,
    0x1.8f8b83c69a60bp-3,
    0x0.0p+0,
    -0x1.8f8b83c69a60bp-3,
    -0x1.87de2a6aea963p-2,
    -0x1.1c73b39ae68c8p-1,
    -0x1.6a09e667f3bcdp-1,
    -0x1.a9b66290ea1a3p-1,
    -0x1.d906bcf328d46p-1,
    -0x1.f6297cff75cb0p-1,
};

/* and rounded to float */
static const float sin_sixteenths_floats[16] ALIGNED(64) = {
    0x0.0p+0F,
    0x1.8f8b84p-3F,
    0x1.87de2ap-2F,
    0x1.1c73b4p-1F,
    0x1.6a09e6p-1F,
    0x1.a9b662p-1F,
    0x1.d906bcp-1F,
    0x1.f6297cp-1F,
    0x1.0p+0F,
    0x1.f6297cp-1F,
    0x1.d906bcp-1F,
    0x1.a9b662p-1F,
    0x1.6a09e6p-1F,
    0x1.1c73b4p-1F,
    0x1.87de2ap-2F,
    0x1.8f8b84p-3F,
};

static const float cos_sixteenths_floats[16] ALIGNED(64) = {
    0x1.0p+0F,
    0x1.f6297cp-1F,
    0x1.d906bcp-1F,
    0x1.a9b662p-1F,
    0x1.6a09e6p-1F,
    0x1.1c73b4p-1F,
    0x1.87de2ap-2F,
    0x1.8f8b84p-3F,
    0x0.0p+0F,
    -0x1.8f8b84p-3F,
    -0x1.87de2ap-2F,
    -0x1.1c73b4p-1F,
    -0x1.6a09e6p-1F,
    -0x1.a9b662p-1F,
    -0x1.d906bcp-1F,
    -0x1.f6297cp-1F,
};

/* sin and cos of (2 k + 1) pi / 32 */
static const float sin_middles_floats[32] ALIGNED(64) = {
    0x1.917a6cp-4F,
    0x1.294062p-2F,
    0x1.e2b5d4p-2F,
    0x1.44cf32p-1F,
    0x1.8bc806p-1F,
    0x1.c38b3p-1F,
    0x1.e9f416p-1F,
    0x1.fd88dap-1F,
    0x1.fd88dap-1F,
    0x1.e9f416p-1F,
    0x1.c38b3p-1F,
    0x1.8bc806p-1F,
    0x1.44cf32p-1F,
    0x1.e2b5d4p-2F,
    0x1.294062p-2F,
    0x1.917a6cp-4F,
    -0x1.917a6cp-4F,
    -0x1.294062p-2F,
    -0x1.e2b5d4p-2F,
    -0x1.44cf32p-1F,
    -0x1.8bc806p-1F,
    -0x1.c38b3p-1F,
    -0x1.e9f416p-1F,
    -0x1.fd88dap-1F,
    -0x1.fd88dap-1F,
    -0x1.e9f416p-1F,
    -0x1.c38b3p-1F,
    -0x1.8bc806p-1F,
    -0x1.44cf32p-1F,
    -0x1.e2b5d4p-2F,
    -0x1.294062p-2F,
    -0x1.917a6cp-4F,
};

static const float cos_middles_floats[32] ALIGNED(64) = {
    0x1.fd88dap-1F,
    0x1.e9f416p-1F,
    0x1.c38b3p-1F,
    0x1.8bc806p-1F,
    0x1.44cf32p-1F,
    0x1.e2b5d4p-2F,
    0x1.294062p-2F,
    0x1.917a6cp-4F,
    -0x1.917a6cp-4F,
    -0x1.294062p-2F,
    -0x1.e2b5d4p-2F,
    -0x1.44cf32p-1F,
    -0x1.8bc806p-1F,
    -0x1.c38b3p-1F,
    -0x1.e9f416p-1F,
    -0x1.fd88dap-1F,
    -0x1.fd88dap-1F,
    -0x1.e9f416p-1F,
    -0x1.c38b3p-1F,
    -0x1.8bc806p-1F,
    -0x1.44cf32p-1F,
    -0x1.e2b5d4p-2F,
    -0x1.294062p-2F,
    -0x1.917a6cp-4F,
    0x1.917a6cp-4F,
    0x1.294062p-2F,
    0x1.e2b5d4p-2F,
    0x1.44cf32p-1F,
    0x1.8bc806p-1F,
    0x1.c38b3p-1F,
    0x1.e9f416p-1F,
    0x1.fd88dap-1F,
};

/* sin x = x (1 + sum c_j z^j), z = x^2, j = 1 .. 11 */
static const double sin_series_pairs[5][2] = {
    {-0x1.5555555555555p-3, -0x1.5555555555555p-57},
    {0x1.1111111111111p-7, 0x1.1111111111111p-63},
    {-0x1.a01a01a01a01ap-13, -0x1.a01a01a01a01ap-73},
    {0x1.71de3a556c734p-19, -0x1.c154f8ddc6c00p-73},
    {-0x1.ae64567f544e4p-26, 0x1.c062e06d1f209p-80},
};
static const double sin_series_tail[6] = {
    0x1.6124613a86d09p-33,
    -0x1.ae7f3e733b81fp-41,
    0x1.952c77030ad4ap-49,
    -0x1.2f49b46814157p-57,
    0x1.71b8ef6dcf572p-66,
    -0x1.761b41316381ap-75,
};

/* cos x = 1 + sum c_j z^j, j = 1 .. 11 */
static const double cos_series_pairs[5][2] = {
    {-0x1.0000000000000p-1, 0x0.0p+0},
    {0x1.5555555555555p-5, 0x1.5555555555555p-59},
    {-0x1.6c16c16c16c17p-10, 0x1.f49f49f49f49fp-65},
    {0x1.a01a01a01a01ap-16, 0x1.a01a01a01a01ap-76},
    {-0x1.27e4fb7789f5cp-22, -0x1.cbbc05b4fa99ap-76},
};
static const double cos_series_tail[6] = {
    0x1.1eed8eff8d898p-29,
    -0x1.93974a8c07c9dp-37,
    0x1.ae7f3e733b81fp-45,
    -0x1.6827863b97d97p-53,
    0x1.e542ba4020225p-62,
    -0x1.0ce396db7f853p-70,
};

#define HALF_PI_HIGH 0x1.921fb54442d18p+0
#define HALF_PI_LOW 0x1.1a62633145c07p-54
