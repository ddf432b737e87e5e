/* frequencies.h - what made a list of frequencies. Part of sinpos_analysis.h. */
#ifndef SINPOS_ANALYSIS_FREQUENCIES_H
#define SINPOS_ANALYSIS_FREQUENCIES_H

#include "identify.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A list of frequencies in radians per position, as models keep it (inv_freq), and the formula that makes it. */
typedef struct sinpos_frequency_list {
    int is_schedule; /* a formula makes every element to a few units in the last place; else what follows is 0 */
    size_t n;
    sinpos_type type; /* of the elements */
    int rounded_to;   /* significant bits that they have: 53, 24, 11, or 8 where all are numbers of bfloat16 */
    int is_ascending; /* the slowest comes first: theta_i = scale base^(i / divisor) */
    double scale, base, divisor; /* theta_i = scale base^(-i / divisor), then slowed down */
    double ntk_base, ntk_factor; /* 0, or base = ntk_base ntk_factor^(n / (n - 1)): NTK-aware scaling */
    sinpos_scaling scaling;
    double scaling_factor, scaling_context;
    int scaling_truncate;          /* YaRN: the bounds of its ramp are whole */
    double *exact;                 /* (n) what the formula makes, rounded once to rounded_to bits */
    sinpos_identity_errors errors; /* against these; max_relative_error is the largest over the element's size */
    size_t worst;                  /* the element of the largest error in units */
    char settings[240]; /* "key=value" lines, as --set takes them: of hf_rope, where it makes the list; else "" */
    int is_published;   /* the float32 arithmetic of hf_rope makes every element to the last bit */
} sinpos_frequency_list;

/*
 * sinpos_identify_frequencies(), sinpos_frequency_list_destroy() - the formula of a list of frequencies; free it (NULL is
 * fine).
 *
 * Tried are geometric lists with a scale of 1, a multiple of pi, or another short number, also slowed down as by linear
 * scaling, by NTK-aware scaling, by YaRN and as Llama 3 does; of these the one that makes all elements, exactly or with
 * the published arithmetic, and has the fewest digits. Lists of fewer than four elements, and of numbers that do not
 * fall or rise steadily, follow none.
 *
 *   out     receives what was found, also where is_schedule is 0; NULL on error.
 *   list    (n) elements of the type, only read.
 *   n       1 .. 8192
 * Returns SINPOS_OK; SINPOS_E_NULL; SINPOS_E_SHAPE for another n; SINPOS_E_TYPE; SINPOS_E_MEMORY.
 * Cost   O(n): some milliseconds for 64 elements.
 * Source docs/identification.md.  Since 0.1.  Example: cli/identify/command_identify.c
 */
SINPOS_API SINPOS_MUST_CHECK sinpos_status sinpos_identify_frequencies(sinpos_frequency_list **out, const void *list,
                                                                       size_t n, sinpos_type type);
SINPOS_API void sinpos_frequency_list_destroy(sinpos_frequency_list *found);

#ifdef __cplusplus
}
#endif

#endif
