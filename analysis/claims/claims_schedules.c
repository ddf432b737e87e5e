/* Schedules side by side: which decay, which cross the axis, which is faster near and far. */
#include <math.h>
#include <stdlib.h>

#include "claims.h"

/* ---------------------------------------------------------------------------------------------- comparing */

enum { N_POWERS = 3, N_EXPONENTIALS = 3, N_SCHEDULES = N_POWERS + N_EXPONENTIALS, N_PLACES = 4 };

static const char *const texts[N_SCHEDULES] = {"t^2", "t", "sqrt(t)", "1000^-t", "10000^-t", "100000^-t"};
static const double places[N_PLACES] = {8, 128, 1e6,
                                        1e12}; /* near, where the document's figures end, and beyond all bases */

typedef struct comparison {
    sinpos_theta *theta[N_SCHEDULES];
    double value[N_SCHEDULES * N_PLACES], size[N_SCHEDULES * N_PLACES];
    size_t rank[N_SCHEDULES * N_PLACES];
    double crossing[N_SCHEDULES];
} comparison;

static double size_at(const comparison *m, size_t schedule, size_t place)
{
    return m->size[schedule * N_PLACES + place];
}

static sinpos_status compare(const claims *c, comparison *m)
{
    sinpos_status status = SINPOS_OK;
    for (size_t i = 0; i < N_SCHEDULES && status == SINPOS_OK; i++)
        status = sinpos_theta_parse(&m->theta[i], texts[i], NULL, NULL);
    for (size_t i = 0; i < N_SCHEDULES && status == SINPOS_OK; i++) {
        sinpos_crossing crossing;
        status = sinpos_continuum_crossing(m->theta[i], 1e6, &crossing, NULL, NULL);
        m->crossing[i] = status == SINPOS_OK ? crossing.x : NAN;
    }
    if (status == SINPOS_OK)
        status = sinpos_schedules_compare((const sinpos_theta *const *)m->theta, N_SCHEDULES, places, N_PLACES,
                                          m->value, m->size, m->rank, c->input->n_threads, NULL, NULL);
    return status;
}

enum { NEAR, FIGURES_END, DECAYED, BEYOND };

/* Is every size of the first group below every one of the second? */
static bool all_below(const comparison *m, size_t place, size_t first, size_t n_first, size_t second, size_t n_second)
{
    for (size_t i = first; i < first + n_first; i++)
        for (size_t j = second; j < second + n_second; j++)
            if (!(size_at(m, i, place) < size_at(m, j, place)))
                return false;
    return true;
}

static void tell_comparison(sinpos_claim_result *r, const comparison *m)
{
    static const char *const crossings[] = {"crossing_t^2",     "crossing_t",        "crossing_sqrt(t)",
                                            "crossing_1000^-t", "crossing_10000^-t", "crossing_100000^-t"};
    static const char *const ranks[N_PLACES][N_SCHEDULES] = {
        {"rank_at_8_t^2", "rank_at_8_t", "rank_at_8_sqrt(t)", "rank_at_8_1000^-t", "rank_at_8_10000^-t",
         "rank_at_8_100000^-t"},
        {"rank_at_128_t^2", "rank_at_128_t", "rank_at_128_sqrt(t)", "rank_at_128_1000^-t", "rank_at_128_10000^-t",
         "rank_at_128_100000^-t"},
        {"rank_at_10^6_t^2", "rank_at_10^6_t", "rank_at_10^6_sqrt(t)", "rank_at_10^6_1000^-t", "rank_at_10^6_10000^-t",
         "rank_at_10^6_100000^-t"},
        {"rank_at_10^12_t^2", "rank_at_10^12_t", "rank_at_10^12_sqrt(t)", "rank_at_10^12_1000^-t",
         "rank_at_10^12_10000^-t", "rank_at_10^12_100000^-t"}};
    for (size_t i = 0; i < N_SCHEDULES; i++)
        claim_detail(r, crossings[i], m->crossing[i]);
    for (size_t place = 0; place < N_PLACES; place++)
        for (size_t i = 0; i < N_SCHEDULES; i++)
            claim_detail(r, ranks[place][i], (double)m->rank[i * N_PLACES + place]);
}

/*
 * What is claimed: all decay; theta = t alone crosses; powers are faster near, exponentials far, in figures that end at 128;
 * smaller theta, slower.
 */
static void say_schedules(const claims *c, sinpos_claim_result *r, const comparison *m, double stated)
{
    double worst = stated;
    size_t crossing = 0;
    for (size_t i = 0; i < N_SCHEDULES; i++) {
        worst = worse(worst, size_at(m, i, DECAYED));
        crossing += m->crossing[i] == m->crossing[i];
    }
    const bool powers_near = all_below(m, NEAR, 0, N_POWERS, N_POWERS, N_EXPONENTIALS);
    const bool exponentials_far = all_below(m, FIGURES_END, N_POWERS, N_EXPONENTIALS, 0, N_POWERS);
    const bool than_square = all_below(m, BEYOND, N_POWERS, N_EXPONENTIALS, 0, 1);
    const bool than_others = all_below(m, BEYOND, N_POWERS, N_EXPONENTIALS, 1, N_POWERS - 1);
    if (!(stated <= c->chosen))
        claim_say(r, worst, c->chosen, SINPOS_DOES_NOT_HOLD,
                  "the rows do not decay: |g| reaches %.2g g(0) from offset %zu on", stated, c->kept.run / 2);
    else if (worst <= c->chosen && powers_near && exponentials_far && crossing == 1)
        claim_say(r, worst, c->chosen, SINPOS_HOLDS, "all decay as described");
    else if (worst <= c->chosen)
        claim_say(r, worst, c->chosen, SINPOS_HOLDS_ONLY_IF,
                  "no more than decay is meant: powers are faster near: %s; exponentials far, beyond their base: than "
                  "t^2 %s, than t and sqrt(t) %s; %zu of %d cross the axis, 10000^-t at %.6g",
                  powers_near ? "yes" : "no", than_square ? "yes" : "no", than_others ? "yes" : "no", crossing,
                  N_SCHEDULES, m->crossing[4]);
    else
        claim_say(r, worst, c->chosen, SINPOS_DOES_NOT_HOLD, "one of the schedules is still at %.2g at offset 10^6",
                  worst);
    claim_looked_at(r, c->kept.run, c->dim);
    claim_detail(r, "stated_rows_upper_half", stated);
    tell_comparison(r, m);
}

sinpos_status claim_schedules(claims *c, sinpos_claim_result *r)
{
    comparison m = {0};
    double stated = NAN;
    sinpos_status status = claims_last_envelope(c, &stated);
    if (status == SINPOS_OK)
        status = compare(c, &m);
    if (status == SINPOS_OK)
        say_schedules(c, r, &m, stated);
    for (size_t i = 0; i < N_SCHEDULES; i++)
        sinpos_theta_destroy(m.theta[i]);
    if (status != SINPOS_E_UNSUPPORTED)
        return status;
    claim_say(r, stated, c->chosen, stated <= c->chosen ? SINPOS_DOES_NOT_APPLY : SINPOS_DOES_NOT_HOLD, "%s",
              stated <= c->chosen ? "comparing the integrals needs FLINT, which this build lacks"
                                  : "the rows do not decay");
    return SINPOS_OK;
}
