/* The schedule that the stated tones follow, if they follow one. */
#pragma once

#include "claims_rows.h"

/* Are the complete tones those of one schedule in radians, in order, of one amplitude and without factors? */
bool claims_follow_law(const claims *c);
/* The stated frequencies as a function of t; NULL where they are a list, or the build cannot integrate. */
sinpos_status claims_theta(const claims *c, sinpos_theta **theta);
