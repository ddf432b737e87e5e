/* Ball arithmetic: FLINT 3 holds Arb, older ones stand beside it. Include only where SINPOS_HAVE_FLINT. */
#pragma once

#ifdef SINPOS_FLINT_3
#include <flint/acb.h>
#include <flint/acb_calc.h>
#include <flint/acb_hypgeom.h>
#include <flint/arb.h>
#include <flint/arb_hypgeom.h>
#else
#include <acb.h>
#include <acb_calc.h>
#include <acb_hypgeom.h>
#include <arb.h>
#include <arb_hypgeom.h>
#endif
