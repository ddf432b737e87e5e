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

/* sin(pi/2 f) = f sum c_j z^j, z = f^2, j = 0 .. 11 */
static const double sin_series_pairs[5][2] = {
    {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54},
    {-0x1.4abbce625be53p-1, 0x1.05511c68476a8p-55},
    {0x1.466bc6775aae2p-4, -0x1.6dc0cbddb0fc3p-59},
    {-0x1.32d2cce62bd86p-8, 0x1.066847a026e69p-62},
    {0x1.50783487ee782p-13, -0x1.1be14e6e8854ap-67},
};
static const double sin_series_tail[7] = {
    -0x1.e3074fde8871fp-19,
    0x1.e8f434d018d63p-25,
    -0x1.6fadb9f155744p-31,
    0x1.aaec32af93359p-38,
    -0x1.8a404211f9547p-45,
    0x1.2877020d52cf0p-52,
    -0x1.7215f879e1ac9p-60,
};

/* cos(pi/2 f) = sum c_j z^j, j = 0 .. 11 */
static const double cos_series_pairs[6][2] = {
    {0x1.0000000000000p+0, 0x0.0p+0},
    {-0x1.3bd3cc9be45dep+0, -0x1.692b71366cc04p-54},
    {0x1.03c1f081b5ac4p-2, -0x1.32b33f87fc145p-56},
    {-0x1.55d3c7e3cbffap-6, 0x1.d582920937625p-65},
    {0x1.e1f506891babbp-11, -0x1.7362f495c096dp-68},
    {-0x1.a6d1f2a204a8cp-16, 0x1.5961232276df6p-70},
};
static const double cos_series_tail[6] = {
    0x1.f9d38a3763cc3p-22,
    -0x1.b6e24f44b128fp-28,
    0x1.20c62c2f2d7f5p-34,
    -0x1.2a0c591af8314p-41,
    0x1.ef6e308d6d1c4p-49,
    -0x1.52ae4120fde27p-56,
};

#define HALF_PI_HIGH 0x1.921fb54442d18p+0
#define HALF_PI_LOW 0x1.1a62633145c07p-54
