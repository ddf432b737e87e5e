/* modes.h - the caller's rounding modes, each also with subnormals flushed to zero: they change nothing [P6]. After cases.h. */
#ifndef SINPOS_TESTS_MODES_H
#define SINPOS_TESTS_MODES_H

#include <fenv.h>
#include <stdbool.h>
#include <string.h>

#include "environment.h"

enum { N_MODES = 8 };

typedef struct mode_kept {
    fenv_t environment;
    unsigned long control;
    int rounding;
} mode_kept;

static inline void mode_set(unsigned m, mode_kept *kept)
{
    static const int modes[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    assert_int_equal(fegetenv(&kept->environment), 0);
    if (m >= 4)
        set_flush_to_zero();
    (void)fesetround(modes[m % 4]);
    kept->control = get_control();
    kept->rounding = modes[m % 4];
}

/* Puts the mode of before back; true where the mode had been left as it was. */
static inline bool mode_end(const mode_kept *kept)
{
    const bool same = fegetround() == kept->rounding && control_only(get_control()) == control_only(kept->control);
    (void)fesetenv(&kept->environment);
    return same;
}

static inline const char *mode_name(unsigned m)
{
    static const char *const names[N_MODES] = {"to nearest",
                                               "upward",
                                               "downward",
                                               "toward zero",
                                               "to nearest, flush to zero",
                                               "upward, flush to zero",
                                               "downward, flush to zero",
                                               "toward zero, flush to zero"};
    return names[m];
}

#endif
