/* The mathematics of each claim in a paragraph, with what the literature gets wrong. Sources: docs/mathematics.md. */
#ifndef CLAIMS_EXPLAIN_H
#define CLAIMS_EXPLAIN_H

#define EXPLAIN_DEFINITION                                                                                             \
    "Column 2i of row k is sin(k theta_i) and column 2i+1 is cos(k theta_i), with theta_i = 10000^(-2i/dim) unless "   \
    "something else was stated. The element stored can only be the nearest number of its type to that real number. A " \
    "sample of elements, the corners among it, is evaluated again in ball arithmetic: an interval that surely holds "  \
    "the real number is narrowed until it lies on one side of every middle between two numbers of the type. A table "  \
    "that was given is also compared, element by element, with the rows this library makes. Listing 1 of Tavares "     \
    "(2024) cannot run as printed: it imports a package 'pytorch' that is called torch, never imports torch and "      \
    "math, "                                                                                                           \
    "and uses a name time_steps that is not defined, where max_pos is meant. Where it is repaired, its angles are "    \
    "float32 products, whose error grows with the position."

#define EXPLAIN_RELATIVE                                                                                               \
    "Each tone adds A^2 (sin m theta sin n theta + cos m theta cos n theta) = A^2 cos((m - n) theta) to the product "  \
    "of rows m and n, so the product is g(m - n) with g(k) = sum A_i^2 cos(k theta_i), whatever the frequencies, the " \
    "phase and the order of the columns (Su 2021). Nothing but the sum of sines and cosines of the same angle is "     \
    "used, "                                                                                                           \
    "so the choice of frequencies has no part in it, and g is even: the product tells how far apart two positions "    \
    "are, not which is first. The threshold is what rounding can do: rows within u of the real ones have products "    \
    "within (2u + u^2) g(0)."

#define EXPLAIN_ORDER_FREE                                                                                             \
    "An inner product is a sum over columns, and a sum does not care for the order of its terms. So the columns may "  \
    "be interleaved or in halves, with the sine or the cosine first, or shuffled: g stays as it is, as long as every " \
    "row has the same order. Two rows in different orders have a product that is no function of m - n, and the size "  \
    "of that error is shown. A table in one order read by code that expects another is the most common mistake with "  \
    "these encodings: its Gram matrix is right and its shift matrices are wrong."

#define EXPLAIN_BOTH                                                                                                   \
    "With sines alone the product of rows m and n is half the sum of cos((m - n) theta) - cos((m + n) theta): the "    \
    "second part depends on where the two stand. No function of the offset fits it, no factor turns sin(t theta) "     \
    "into "                                                                                                            \
    "sin((t + k) theta) for all t, and distances wander. Every sine column is periodic all the same, so periodicity "  \
    "alone is not what makes positions relative. The number is the smallest of six failures (products, distances and " \
    "shifts, of sines alone and of cosines alone). Where every theta is a whole multiple of pi the sines vanish at "   \
    "all integers and the cosines alone do it; then the claim does not hold."

#define EXPLAIN_SCALE_INVARIANT                                                                                        \
    "|p_t - p_(t+k)|^2 = 2 g(0) - 2 g(k) = sum 4 A_i^2 sin^2(k theta_i / 2) does not contain t. Tavares (2024) calls " \
    "this scale invariance and derives it from linearity, and that is not enough: p(t) = 2^t is linear in its sense, " \
    "with M_k = 2^k, and its distances grow without bound. What is needed is that M_k is orthogonal, for then "        \
    "|M_k x - M_k y| = |x - y|; rotations are. Translation invariance would be the better name: nothing is scaled."

#define EXPLAIN_LINEAR                                                                                                 \
    "M_k has a block [cos k theta, sin k theta; -sin k theta, cos k theta] for each tone, and M_k p(t) = p(t + k) "    \
    "for "                                                                                                             \
    "every t. The matrices form a group, M_j M_k = M_(j+k), and are orthogonal; that, not linearity, is what keeps "   \
    "distances. The map p(t) -> p(t + k) is linear in the vector p. The encoding is not linear in t, as some read "    \
    "it: the part of the variance of the rows that straight lines in t leave over is shown. M_k is the same for all "  \
    "t "                                                                                                               \
    "but another one for every k, so a model does not learn one matrix 'regardless of the value of k' (Tavares 2024, " \
    "section 1.2). The blocks are also fitted to the rows themselves."

#define EXPLAIN_WAVES                                                                                                  \
    "Sine and cosine of a tone make the point z(m) = exp(i m theta) on a circle. The angle between z(m) and z(m+1), "  \
    "averaged over all rows, is theta up to whole turns; the angles over 2, 4, 8, ... rows sharpen it until rounding " \
    "is divided by half the length of the table. That finds every frequency back from the rows alone. Tavares (2024) " \
    "says of its figure 1 that the frequency is inversely proportional to i. It falls exponentially: theta_i = "       \
    "b^(-2i/dim) is divided by the same factor from each tone to the next."

#define EXPLAIN_FOURIER                                                                                                \
    "The discrete spectrum of cosine + i sine of one tone, under a Hann window, has one peak at theta_i, and at most " \
    "6.6e-4 of its energy more than two bins away from it, whatever theta_i is. That is asked of every tone whose "    \
    "period fits into the sequence. The others make no peak: over the rows they are slow drifts, which look alike to " \
    "a "                                                                                                               \
    "Fourier transform, so the likeness ends there. Columns that are the same in every row carry nothing new; two "    \
    "equal "                                                                                                           \
    "frequencies, or two that differ by 2 pi, make such columns."

#endif
