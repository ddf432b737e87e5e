/* narrow_exactly.h - numbers of a narrow type that a wider one keeps. */
#pragma once

#include <stdbool.h>

#include "sinpos.h"

/* The number in the type, native bytes; false where the type does not hold it. A NaN becomes one. */
bool narrow_exactly(sinpos_type type, double x, unsigned char *to);
