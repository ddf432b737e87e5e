/* bases.h - the bases whose kernel stays positive over a context. Part of sinpos_analysis.h. */
#ifndef SINPOS_ANALYSIS_BASES_H
#define SINPOS_ANALYSIS_BASES_H

#include "progress.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * A family of encodings that differ in their base b > 1 alone, and a context: offsets k = 0 .. context - 1. With
 *
 *     g_b(k) = constant + sum over i < n_tones of cos(k theta_i),    theta_i = scale * b^(-(i + shift) / divisor)
 *
 * a base passes if g_b(k) >= 0 for every offset of the context: then, as Xu et al. put it, a token is on average drawn
 * to tokens like itself wherever they stand. Every number is taken exactly, as in a plan.
 */
typedef struct sinpos_base_query {
    size_t context;  /* L, 1 .. SINPOS_BASE_MAX_CONTEXT */
    size_t n_tones;  /* h, 1 .. SINPOS_BASE_MAX_TONES; dim / 2 where all columns are rotated */
    double shift;    /* 0 or more */
    double divisor;  /* above 0; dim / 2 in most definitions */
    double scale;    /* above 0, at most 1e6; 1 / factor for linear interpolation */
    double constant; /* 0 or more: pairs of columns that are not rotated, where they are to count */
} sinpos_base_query;

#define SINPOS_BASE_MAX_CONTEXT ((size_t)1 << 26)
#define SINPOS_BASE_MAX_TONES ((size_t)1 << 15)
#define SINPOS_BASE_MAX 1e300 /* bases are looked for below this */
#define SINPOS_BASE_POOL 32

typedef enum sinpos_base_outcome {
    SINPOS_BASE_OPEN = 0,  /* the search has not ended */
    SINPOS_BASE_FOUND = 1, /* the smallest passing base lies between base_lower and base_upper */
    SINPOS_BASE_ANY = 2,   /* bases down to 1 pass: the context is too short to ask anything of them */
    SINPOS_BASE_NONE = 3,  /* no base up to base_lower passes, and it is SINPOS_BASE_MAX */
    SINPOS_BASE_GAP = 4    /* no base up to base_lower passes; beyond it double precision cannot decide */
} sinpos_base_outcome;

/* From the end of the step before (the first: from 1) to this end, every base has g_b(offset) < 0. */
typedef struct sinpos_base_step {
    double end;
    int64_t offset;
} sinpos_base_step;

/* From where on every base passes. */
typedef struct sinpos_base_robust {
    double upper;     /* every base from this one on passes; 0 if that was shown for none */
    double lower;     /* the largest base known to fail, 0 if none is known */
    int64_t offset;   /* where it fails */
    uint64_t n_boxes; /* looked at */
} sinpos_base_robust;

/* What a search found, and all that is needed to check it, or to go on with it. */
typedef struct sinpos_base_certificate {
    double base_lower;   /* every base from 1 to this one fails: the end of the last step, or just below it */
    double base_upper;   /* this base passes; 0 where there is none */
    int64_t violated_at; /* offset at which base_lower fails; 0 for SINPOS_BASE_ANY */
    sinpos_base_outcome outcome;
    sinpos_base_query query;
    sinpos_base_step *steps; /* (n_steps), ends rising */
    size_t n_steps, room;
    sinpos_base_robust robust; /* zeros until sinpos_base_robust_find() */
    int64_t pool[SINPOS_BASE_POOL]; /* of the search: offsets to try next */
    size_t n_pool, since_scan;
    double reference;
} sinpos_base_certificate;

/*
 * sinpos_base_begin() - an empty certificate for a query.
 *   certificate  receives it.
 *   query        only read.
 * Returns SINPOS_OK; SINPOS_E_NULL; SINPOS_E_VALUE for a number outside its range.  Cost O(1).
 * Source docs/mathematics.md.  Since 0.1.
 */
SINPOS_API SINPOS_MUST_CHECK sinpos_status sinpos_base_begin(sinpos_base_certificate *certificate,
                                                             const sinpos_base_query *query);

/*
 * sinpos_base_free() - free the steps; NULL is fine.
 * Returns nothing.  Cost O(1).  Source: none needed.  Since 0.1.
 */
SINPOS_API void sinpos_base_free(sinpos_base_certificate *certificate);

/*
 * sinpos_base_search() - look for the smallest base that passes, from 1 upward, in double precision.
 *
 *     bases 1 = b_0 < b_1 < ... < b_n: for each step an offset k < L with g_b(k) < 0 for all b in [b_(j-1), b_j]
 *
 * A passing base may lie below failing ones, so nothing is bisected: the steps leave no gap. What it finds is a proof
 * once sinpos_base_verify() has agreed.
 *   certificate  from sinpos_base_begin(), or of a search that was stopped, which then goes on as if it had not been:
 *                the same steps result. Consistent, with outcome SINPOS_BASE_OPEN, whenever progress is called.
 *   n_threads    1 .. 1024; 0 stands for the number of processors. The result does not depend on it.
 *   progress     NULL, or called several times a second.
 *   context      for progress.
 * Returns SINPOS_OK; SINPOS_E_NULL; SINPOS_E_VALUE; SINPOS_E_MEMORY; SINPOS_E_STOPPED.
 * base_upper exceeds base_lower by 1e-11 of itself or less, unless two offsets cross zero within that.
 * Cost   about O(L) steps, each O(n_tones) or, one in some 16, O(L n_tones): docs/mathematics.md has times.
 * Source Xu et al. 2024, arXiv:2405.14591, for the question.  Since 0.1.
 */
SINPOS_API SINPOS_MUST_CHECK sinpos_status sinpos_base_search(sinpos_base_certificate *certificate, size_t n_threads,
                                                              sinpos_progress *progress, void *context);

/*
 * sinpos_base_robust_find() - the base from which on every base passes, b**, which is not the smallest that passes.
 *
 *     g_b(k) >= 0 for all k < L and all b >= certificate->robust.upper
 *
 * Down from a base where that is plain, boxes [k, k'] x [ln b, ln b'] are shown to hold no negative g, or are split,
 * until a base fails: then lower and upper agree to 7 digits or more. Where the work allowed is used up before, upper is
 * as far as it came, and the bases between the two are undecided.
 *   certificate  of a search that has ended. Nothing below its base_lower is looked at. Receives robust.
 *   effort       boxes to look at in each 64th of ln b: 1e6 is a second or two.
 *   n_threads    1 .. 1024; 0 stands for the number of processors. The result does not depend on it.
 *   progress     NULL, or called now and then.
 *   context      for progress.
 * Returns SINPOS_OK; SINPOS_E_NULL; SINPOS_E_VALUE; SINPOS_E_MEMORY; SINPOS_E_STOPPED.
 * The errors of double arithmetic are bounded, given a C library whose exp is good to an ulp; sinpos_base_verify()
 * does without.
 * Cost   O(n_tones) a box.  Source docs/mathematics.md.  Since 0.1.
 */
SINPOS_API SINPOS_MUST_CHECK sinpos_status sinpos_base_robust_find(sinpos_base_certificate *certificate,
                                                                   uint64_t effort, size_t n_threads,
                                                                   sinpos_progress *progress, void *context);

typedef struct sinpos_base_verdict {
    int holds;       /* 1 or 0 */
    const char *why; /* for 0, a constant clause that says what does not hold */
    size_t step;     /* at which step */
    int64_t offset;  /* at which offset */
    int robust;      /* 1: every base from robust.upper on was shown to pass */
} sinpos_base_verdict;

/*
 * sinpos_base_verify() - check a certificate in ball arithmetic, with code that the search does not share.
 *
 *     that the steps follow each other from 1 to base_lower or beyond; for each step, by Taylor's theorem, that
 *     g_b(offset) < 0 over all of it; that g_b(k) >= 0 for all k < L at base_upper; that base_lower fails at violated_at
 *
 *   certificate  only read.
 *   robust       1: also that every base from robust.upper on passes and robust.lower fails, which takes longer; 0: not.
 *   verdict      receives what was found. holds = 1 is a proof, as far as Arb and the compiler are right.
 *   n_threads    1 .. 1024; 0 stands for the number of processors.
 *   progress     NULL, or called several times a second.
 *   context      for progress.
 * Returns SINPOS_OK, whatever the verdict; SINPOS_E_NULL; SINPOS_E_VALUE for a query outside its ranges;
 * SINPOS_E_VALUE for n_threads; SINPOS_E_MEMORY; SINPOS_E_STOPPED; SINPOS_E_UNSUPPORTED without FLINT.
 * Cost   O((L + n_steps) n_tones), about 1 us a term; with robust as many boxes as sinpos_base_robust_find(), each
 * some 100 times as long.
 * Source Johansson 2017, "Arb: efficient arbitrary-precision midpoint-radius interval arithmetic".  Since 0.1.
 */
SINPOS_API SINPOS_MUST_CHECK sinpos_status sinpos_base_verify(const sinpos_base_certificate *certificate,
                                                              int robust, sinpos_base_verdict *verdict, size_t n_threads,
                                                              sinpos_progress *progress, void *context);

/* Does one base pass? */
typedef struct sinpos_base_trial {
    int passes;         /* 1: g_b(k) >= 0 for all k < L; 0: not */
    int64_t offset;     /* the first where g is negative; 0 where there is none */
    double g;           /* g there, to some 1e-9 */
} sinpos_base_trial;

/*
 * sinpos_base_try() - does this base pass, and if not, where does it fail first? In ball arithmetic.
 *   query      only read.
 *   base       above 0, at most SINPOS_BASE_MAX; 1 and less are allowed.
 *   trial      receives the answer.
 *   n_threads, progress, context as in sinpos_base_verify().
 * Returns as sinpos_base_verify(); SINPOS_E_VALUE also for the base, and where 1280 bits cannot distinguish g from 0.
 * Cost   O(L n_tones), about 1 us a term, and less where it fails early.  Source as sinpos_base_search().  Since 0.1.
 */
SINPOS_API SINPOS_MUST_CHECK sinpos_status sinpos_base_try(const sinpos_base_query *query, double base,
                                                           sinpos_base_trial *trial, size_t n_threads,
                                                           sinpos_progress *progress, void *context);

/*
 * sinpos_base_extend() - take a certificate to a longer context: its steps hold there too, and the search goes on.
 *   certificate  of a search that has ended.
 *   context      not below that of the certificate, up to SINPOS_BASE_MAX_CONTEXT.
 * Returns SINPOS_OK; SINPOS_E_NULL; SINPOS_E_VALUE.  Cost O(1).  Source docs/mathematics.md.  Since 0.1.
 */
SINPOS_API SINPOS_MUST_CHECK sinpos_status sinpos_base_extend(sinpos_base_certificate *certificate, size_t context);

/* One tone of a base at a training length. */
typedef struct sinpos_tone_length {
    double period; /* 2 pi / theta, in positions */
    double turns;  /* train / period */
    double kept;   /* YaRN: 1 its frequency is kept, 0 it is divided by the factor, between: blended */
    double yarn_period;
} sinpos_tone_length;

/* What the literature's formulas say. */
typedef struct sinpos_base_lengths {
    size_t n_within_train;          /* tones whose period fits into the training length; twice that is the critical dimension */
    size_t n_within_context;        /* into the context */
    double shortest, longest;       /* periods */
    double factor;                  /* context / train */
    double interpolation_worst;     /* of sum h_j e^(i s theta_j), |h_j| <= 1, taken as linear between integers s: the largest
                                       error, sum of 1 - cos(theta_j / 2) */
    double interpolation_published; /* d / (32 ln b), given for it as a bound, which it is not */
    double ntk_base;                /* b factor^(X / (X - 1)): the slowest tone slows down by the factor; 0 for X <= 1 */
    double extrapolation_base;      /* base whose first tone beyond the critical dimension has the context for its period; or 0 */
    size_t n_kept, n_blended, n_interpolated; /* by YaRN */
    double attention_factor;        /* YaRN's factor on the logits' square root: 0.1 ln factor + 1 */
} sinpos_base_lengths;

/*
 * sinpos_base_lengths_at() - periods against lengths, by formula.
 *
 *     period_i = 2 pi / theta_i;  kept_i = clamp((train / period_i - alpha) / (beta - alpha), 0, 1)
 *     yarn_period_i = 2 pi / (theta_i (kept_i + (1 - kept_i) / factor)), factor = context / train where above 1
 *
 *   query      tones; context is the one wanted. Only read.
 *   base       above 1.
 *   train      training length in positions, 1 .. 2^53.
 *   alpha, beta  0 < alpha < beta: tones that turn less than alpha times within train are interpolated, those that turn more
 *              than beta times are kept. Published for Llama: 1 and 32.
 *   lengths    receives the answer.
 *   tones      NULL, or room for (n_tones).
 * Returns SINPOS_OK; SINPOS_E_NULL; SINPOS_E_VALUE.  Relative errors 1e-13.  Cost O(n_tones).
 * Source critical dimension and extrapolation: Liu et al. 2023, arXiv:2310.05209; interpolation: Chen et al. 2023,
 * arXiv:2306.15595, theorem 2.1; YaRN, NTK: Peng et al. 2023, arXiv:2309.00071.  Since 0.1.
 */
SINPOS_API SINPOS_MUST_CHECK sinpos_status sinpos_base_lengths_at(const sinpos_base_query *query, double base,
                                                                  double train, double alpha, double beta,
                                                                  sinpos_base_lengths *lengths,
                                                                  sinpos_tone_length *tones);

/*
 * sinpos_random_tokens() - rows first .. first + n - 1 of the seeded tokens that the functions above make: independent
 * entries, uniform with mean 0 and variance 1.
 *   rows       (n, dim), receives them.
 * Returns SINPOS_OK; SINPOS_E_NULL.  Cost O(n dim).  Source: SplitMix64.  Since 0.1.
 */
SINPOS_API SINPOS_MUST_CHECK sinpos_status sinpos_random_tokens(uint64_t first, size_t n, size_t dim, uint64_t seed,
                                                                double *rows);

/*
 * sinpos_query_key() - H = W_q' W_k, so that x' H y is the score of query W_q x and key W_k y.
 *   w_q, w_k   (head, dim) with strides ld_q, ld_k >= dim: a row makes one number of the query or key.
 *   h          (dim, dim), receives H.
 * Returns SINPOS_OK; SINPOS_E_NULL; SINPOS_E_SHAPE; SINPOS_E_VALUE for numbers that are not finite or beyond 2^40.
 * Cost   O(head dim^2).  Source Vaswani et al. 2017, arXiv:1706.03762, section 3.2.1.  Since 0.1.
 */
SINPOS_API SINPOS_MUST_CHECK sinpos_status sinpos_query_key(const double *w_q, size_t ld_q, const double *w_k, size_t ld_k,
                                                            size_t head, size_t dim, size_t n_threads, double *h);

#ifdef __cplusplus
}
#endif

#endif
