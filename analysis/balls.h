/* Ball arithmetic, wherever its headers are. */
#ifndef BALLS_H
#define BALLS_H

#ifdef SINPOS_FLINT_3
#include <flint/arb.h>
#else
#include <arb.h>
#endif

#endif
