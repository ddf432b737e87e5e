/* parameters.h - parameters of conventions, in one line each. */
#ifndef SINPOS_TESTS_PARAMETERS_H
#define SINPOS_TESTS_PARAMETERS_H

#include "sinpos_conventions.h"
#include "unit.h"

static inline sinpos_parameters *new_parameters(void)
{
    sinpos_parameters *p = NULL;
    assert_int_equal(sinpos_parameters_create(&p), SINPOS_OK);
    return p;
}

static inline void put_number(sinpos_parameters *p, const char *name, double x)
{
    assert_int_equal(sinpos_parameters_set_number(p, name, x), SINPOS_OK);
}

#endif
