/* The angle of a tone at a position, to any precision, with a bound of its error. */
#include "ladder.h"

OWN_FRAME int64_t split_quarters(size_t n, const wide *turns, wide *eighth)
{
    wide quarters;
    wide_copy(n, &quarters, turns);
    if (quarters.sign != 0)
        quarters.exponent += 2;
    wide_reduce_mod_4(n, &quarters);
    const int64_t k = wide_round_to_integer(n, eighth, &quarters);
    if (eighth->sign != 0)
        eighth->exponent -= 2;
    return k;
}

/* Frequency of a padded tone to n limbs: the plan's own for n = EXACT_LIMBS, else made again. */
static void frequency(const sinpos_plan *plan, size_t padded, size_t n, wide *turns)
{
    if (n == EXACT_LIMBS)
        turns_to_wide(&plan->turns[padded], 0, turns);
    else
        tone_turns(n, &plan->tones[plan->tone_of[padded]], turns);
}

/* turns += the further coordinates times their frequencies; size: all terms are below 2^*size. */
static OWN_FRAME void add_further(const sinpos_plan *plan, size_t padded, size_t n, position p, wide *turns,
                                  int64_t *size)
{
    const sinpos_tone *t = &plan->tones[plan->tone_of[padded]];
    const further *all = plan->more->further + plan->more->further_of[padded];
    for (size_t k = 0; k < t->more->n_listens; k++) {
        wide f, number;
        if (n == EXACT_LIMBS)
            turns_to_wide(&all[k].turns, 0, &f);
        else
            listen_turns(n, t, &t->more->listens[k], &f);
        wide_position(n, position_on(p.integers, p.reals, all[k].axis), &number);
        wide_mul(n, &number, &number, &f);
        *size = number.sign == 0 ? *size : larger(*size, number.exponent);
        wide_add(n, turns, turns, &number);
    }
}

void angle_turns(const sinpos_plan *plan, size_t padded, size_t n, position p, bool with_phase, wide *f, wide *turns,
                 int64_t *error)
{
    const sinpos_tone *t = &plan->tones[plan->tone_of[padded]];
    wide number;
    frequency(plan, padded, n, f);
    wide_position(n, p, &number);
    wide_mul(n, turns, f, &number);
    int64_t size = turns->sign ? turns->exponent : INT32_MIN, terms = TERMS_LOG2;
    if (t->more != NULL && t->more->n_listens > 0) {
        add_further(plan, padded, n, p, turns, &size);
        terms = FURTHER_TERMS_LOG2;
    }
    if (with_phase && tone_has_phase(t)) {
        tone_phase(n, t, &number);
        size = larger(size, tone_phase_exponent(t)); /* they may cancel */
        wide_add(n, turns, turns, &number);
    }
    *error = size + terms + relative_error_exponent(n);
}
