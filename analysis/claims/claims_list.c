/* The claims, each with its mathematics in a paragraph and what the literature gets wrong: docs/mathematics.md. */
#include <math.h>

#include "claims.h"

const listed_claim claims_list[N_CLAIMS] = {
    {{claim_definition, 0, 0, false, THRESHOLD_NONE},
     {"definition", 1, "an element is sin or cos of position times theta_i", "elements that are not that, rounded once",
      "Column 2i of row k is sin(k theta_i) and column 2i+1 is cos(k theta_i), with theta_i = 10000^(-2i/dim) unless "
      "something else was stated. The element stored can only be the nearest number of its type to that real number. "
      "A sample of elements, the corners among it, is evaluated again in ball arithmetic: an interval that surely "
      "holds the real number is narrowed until it lies on one side of every middle between two numbers of the type. A "
      "table that was given is also compared, element by element, with the rows this library makes. Listing 1 of "
      "Tavares (2024) cannot run as printed: it imports a package 'pytorch' that is called torch, imports neither "
      "torch nor math, which it uses, and reads a name time_steps that is nowhere defined, where max_pos is meant. "
      "Repaired, its angles are float32 products, whose error grows with the position.",
      NAN, 0}},
    {{claim_symmetry, 2, 0, false, THRESHOLD_NONE},
     {"symmetry", 1, "attention without positions cannot distinguish orders, with them it can",
      "least change of the outputs that reordering makes",
      "Self-attention without a mask sums over its inputs, so permuting them permutes the outputs (equivariance), and "
      "a read-out that adds up the outputs does not change at all (invariance). Su (2021) writes f(x, y) = f(y, x) "
      "for the model; that is true of the pooled read-out, not of a single output. Here one layer with seeded random "
      "weights is run on all orders of five tokens: without positions the difference is rounding, with the rows of "
      "the table added both measures must distinguish every order from the first. Two equal rows among them would "
      "leave one order unseen. The two sentences about the chef and the guests in Tavares (2024), which have the same "
      "words in another order, are run through the same layer: without positions their pooled outputs are equal.",
      NAN, 0}},
    {{claim_taylor, 2, 0, false, THRESHOLD_CHOSEN},
     {"taylor", 1, "to second order only p_m' H p_n knows both positions",
      "how far the order of what is left over is from 3",
      "Adding p_m and p_n to two inputs and expanding a smooth f to second order gives f, four terms that know one "
      "position each, and the cross term p_m' H p_n with H = d2f / dx_m dx_n, the only one that knows both. What is "
      "left over is of third order in the size of p: scaling p by e, it shrinks like e^3, and the exponent is "
      "measured with exact derivatives of an attention layer. That the expansion is right does not make it useful: at "
      "full size what is left over can exceed the cross term, because sinusoidal rows have norm sqrt(dim / 2), hardly "
      "less than that of tokens of unit variance. Then the argument holds only if positions are scaled down, and the "
      "claim states by how much. For tokens and positions of a trained model 'sinpos structure' compares the norms.",
      0.1, 0}},
    {{claim_relative, 0, 0, false, THRESHOLD_NONE},
     {"relative", 1, "<p_m, p_n> depends on m - n alone", "largest |<p_m, p_n> - g(m - n)|",
      "Each tone adds A^2 (sin m theta sin n theta + cos m theta cos n theta) = A^2 cos((m - n) theta) to the product "
      "of rows m and n, so the product is g(m - n) with g(k) = sum A_i^2 cos(k theta_i), whatever the frequencies, "
      "the phase and the order of the columns (Su 2021). So the choice of frequencies has no part in it. And g is "
      "even: the product shows how far apart two positions are, not which comes first. The threshold is what rounding "
      "can do: rows whose elements are within a part u of the real ones have products within (2u + u^2) g(0) of g.",
      NAN, 0}},
    {{claim_order_free, 0, 0, false, THRESHOLD_NONE},
     {"order-free", 1, "columns may stand in any order", "largest |<p_m, p_n> - g(m - n)| over orders of the columns",
      "An inner product is a sum over columns, and a sum does not care for the order of its terms. So the columns may "
      "be interleaved or in halves, with the sine or the cosine first, or shuffled: g stays as it is, as long as "
      "every row has the same order. Two rows in different orders have a product that is not a function of m - n, and "
      "the size of that error is shown. A table in one order read by code that expects another is a common mistake "
      "with these encodings: its Gram matrix is right, and its shift matrices are wrong.",
      NAN, 0}},
    {{claim_decay, 16, 1, true, THRESHOLD_CHOSEN},
     {"decay", 0, "g(k) tends to 0 as k grows", "largest |g| / g(0) in the upper half of the offsets",
      "g(k) / g(0) is a mean of cosines. Where the frequencies are spread smoothly, those that have turned often "
      "cancel, and it tends to the integral of cos(k theta_t) over t, which goes to 0 as k grows, by Riemann and "
      "Lebesgue. For theta_t = b^-t that integral is (Ci(k) - Ci(k / b)) / ln b: it falls like 1 - (ln k + 0.577) / "
      "ln b up to k = b or so, and crosses zero; for b = 10000 at k = 6166.03. But a finite table has a finite sum of "
      "cosines, which is almost periodic (Bohr): it comes back arbitrarily near to g(0), and arbitrarily often. So "
      "the decay holds over a range of offsets only. The number is the largest |g| in the upper half of the offsets "
      "the rows have, measured in the rows; the largest beyond them is that of the stated frequencies.",
      0.5, 0}},
    {{claim_schedules, 16, 1, true, THRESHOLD_CHOSEN},
     {"schedules", 0, "almost any smooth monotone theta_t decays, and they differ as described",
      "largest size left: of the rows' upper half, of the schedules at 10^6",
      "Su (2021) compares theta_t = t^a, 10000^-t, 1000^-t in figures up to offset 128 and finds little difference, "
      "but that theta_t = t is abnormal: it crosses the axis. It is not an exception: the integral for t crosses at "
      "pi, for sqrt(t) at 2.33, for 1000^-t at 618, for 10000^-t at 6166.03; of those compared only t^2, a Fresnel "
      "integral, stays positive. What differs is how they decay. t and sqrt(t) fall like 1/k, t^2 like 0.63 k^(-1/2), "
      "and b^-t like 1 - (ln k + 0.577) / ln b until k is near b; only beyond its base it falls like b / (k ln b). So "
      "powers are faster near, and still at 128. Exponentials are faster far only if far means beyond the base, and "
      "only than t^2, from about k = 2.5 (b / ln b)^2 on: 5e4 for 1000, 3e6 for 10000. They are never faster than t "
      "and sqrt(t). The ranks by the root mean square around 8, 128, 10^6 and 10^12 are shown. That smaller theta_t "
      "decays later is true, as f(k) only depends on k theta. What is needed of the stated schedule is that its "
      "frequencies differ: equal ones do not cancel. A decay is what leaves at most the threshold of g(0), and that "
      "is a choice.",
      0.5, 0}},
    {{claim_diagonal, 2, 1, true, THRESHOLD_NONE},
     {"diagonal", 1, "for diagonal H, p_m' H p_n is a part in m - n and one in m + n", "largest error of that",
      "For a diagonal H the products to sums formulas give p_m' H p_n = sum A^2 (H_c + H_s) / 2 cos((m - n) theta) + "
      "A^2 (H_c - H_s) / 2 cos((m + n) theta + 2 phase), one sum over tones in the difference and one in the sum of "
      "the positions; the second vanishes where H_s = H_c for each tone (Su 2021). Both are checked on the rows with "
      "seeded random H, against cosines computed apart. The decay of the first stays for smooth coefficients h_t, as "
      "the integral of h_t cos(k theta_t) goes to 0 by Riemann and Lebesgue for any integrable h; a linear h is shown.",
      NAN, 0}},
    {{claim_general_h, 8, 1, true, THRESHOLD_CHOSEN},
     {"general-H", 0, "of a full H only a dominant diagonal keeps m - n",
      "part of the variance, for a random H, that is not a function of m - n",
      "For a full H the product of rows m and n has terms in all m theta_i +- n theta_j, and no function of m - n "
      "comes near: the part of the variance over a grid of positions that the best such function leaves over is "
      "measured. A dominant diagonal keeps most of it, as Su (2021) hopes. But diagonal is not the whole truth: "
      "exactly those H keep all of it that commute with the rotations, which for different frequencies are H = [a b; "
      "-b a] in the two columns of each tone. Their second parameter adds b sin((m - n) theta), an odd function: it "
      "shows which position comes first, which no diagonal H can.",
      0.5, 0}},
    {{claim_covariance, 32, 1, false, THRESHOLD_NONE},
     {"covariance", 0, "the covariance of the columns is nearly diagonal",
      "part of the columns whose variance exceeds their covariances",
      "Su (2021) saw that the covariances of the columns of BERT's word and position embeddings are nearly diagonal. "
      "Of a sinusoidal table this is false for the slow half: columns whose period is longer than the sequence all "
      "drift the same way, and correlate near 1. A column counts as dominant where its variance exceeds the sizes of "
      "its covariances with all others together. The words' covariance is not here: 'sinpos structure' measures it "
      "for files of your own. No trained embeddings come with sinpos.",
      1, 1}},
    {{claim_periodic, 4, 1, true, THRESHOLD_NONE},
     {"periodic", 0, "every column is periodic", "columns that repeat on integers, of those that change at all",
      "Column i repeats after 2 pi / theta_i, from 2 pi to nearly b 2 pi. Positions are integers, and no whole number "
      "but 0 is a multiple of 2 pi / theta if theta is algebraic, as pi is not: then no column ever repeats on them, "
      "however long the table is. Only frequencies that are rational turns (octaves; NeRF) repeat. Tavares (2024) has "
      "periodicity give relative positions. It does not: the sines alone are just as periodic, and their products "
      "depend on where the two rows stand; by how much is shown. The periods are found back in the rows, and columns "
      "are searched for a repetition within the rows, to the last bit.",
      NAN, 0}},
    {{claim_both, 0, 0, false, THRESHOLD_NONE},
     {"both", 1, "sine and cosine are both needed", "how badly one alone fails, as a part of the full size",
      "With sines alone the product of rows m and n is half the sum of cos((m - n) theta) - cos((m + n) theta): the "
      "second part depends on where the two stand. No function of the offset fits it, no factor turns sin(t theta) "
      "into sin((t + k) theta) for all t, and distances wander. The number is the smallest of six failures (products, "
      "distances and shifts, of sines alone and of cosines alone), each of which must exceed what rounding explains, "
      "while both together stay within it. Where every theta is a whole multiple of pi the sines vanish at all "
      "integers and the cosines alone do it; then the claim does not hold.",
      NAN, 0}},
    {{claim_injective, 2, 0, false, THRESHOLD_ZERO},
     {"injective", 1, "no two positions share a row", "smallest distance of two rows",
      "Tavares (2024) proves it by noting that 2 pi k b^(2i/dim) is 'generally not an integer'; generally is not a "
      "proof. The right one needs one tone: equal sine and equal cosine at t1 and t2 force (t1 - t2) theta = 2 pi k "
      "for a whole k; theta is algebraic and not 0, pi is transcendental, so k = 0 and t1 = t2. With rational turns "
      "it is false: with octaves all integers of one parity share a row. Its figure 2 cannot show it either, and "
      "'decay of the frequencies' has no part in it. Numbers of a type are another matter: there are finitely many "
      "rows, so some two must be equal; whether any are among these rows is decided to the last bit, and the distance "
      "of the nearest two is printed.",
      NAN, 0}},
    {{claim_scale_invariant, 0, 0, false, THRESHOLD_NONE},
     {"scale-invariant", 1, "|p_t - p_(t+k)| does not depend on t", "largest ||p_t - p_(t+k)| - D(k)|",
      "|p_t - p_(t+k)|^2 = 2 g(0) - 2 g(k) = sum 4 A_i^2 sin^2(k theta_i / 2) does not contain t: what holds is "
      "translation invariance. Tavares (2024) calls it scale invariance, and that is the wrong word: scaling both "
      "positions by 2 turns D(k) into D(2k), which is another number, shown below. It also derives the property from "
      "linearity, and that is not enough: p(t) = 2^t is linear in its sense, with M_k = 2^k, and its distances grow "
      "without bound. What is needed is that M_k is orthogonal, for then |M_k x - M_k y| = |x - y|; rotations are. "
      "The claim keeps the document's name so that it can be found.",
      NAN, 0}},
    {{claim_linear, 0, 0, false, THRESHOLD_NONE},
     {"linear", 1, "p(t+k) = M_k p(t) with M_k of rotations", "largest |M_k p(t) - p(t+k)|",
      "M_k has a block [cos k theta, sin k theta; -sin k theta, cos k theta] for each tone, and M_k p(t) = p(t + k) "
      "for every t. The matrices form a group, M_j M_k = M_(j+k), and are orthogonal; that, not linearity, is what "
      "keeps distances. The map p(t) -> p(t + k) is linear in the vector p. The encoding is not linear in t: the part "
      "of the variance of the rows that straight lines in t leave over is shown. M_k is the same for all t but "
      "another one for every k, so a model does not learn one matrix 'regardless of the value of k' (Tavares 2024, "
      "section 1.2). The blocks are also fitted to the rows themselves.",
      NAN, 0}},
    {{claim_waves, 2, 1, true, THRESHOLD_NONE},
     {"waves", 0, "the columns are waves of the frequencies stated", "largest error of a frequency found back, radians",
      "Sine and cosine of a tone make the point z(m) = exp(i m theta) on a circle. The angle between z(m) and z(m+1), "
      "averaged over all rows, is theta up to whole turns; the angles over 2, 4, 8, ... rows sharpen it until "
      "rounding is divided by half the length of the table. That finds every frequency back from the rows alone. "
      "Tavares (2024) says of its figure 1 that the frequency is inversely proportional to i. It falls exponentially: "
      "theta_i = b^(-2i/dim) is divided by the same factor from each tone to the next.",
      NAN, 0}},
    {{claim_heatmap, 2, 2, true, THRESHOLD_ZERO},
     {"heatmap", 0, "later columns vary less", "tones that vary more than the one before",
      "From one row to the next the point (cos, sin) of a tone moves by 2 A |sin(theta / 2)|, which grows with theta "
      "up to pi. So in a heat map of the table the columns vary less and less from left to right as long as the "
      "frequencies fall, and that is counted: neighbours among the tones of which the later one varies more, beyond "
      "what rounding can make. Tavares (2024) concludes from the picture that rows are all different; a picture "
      "cannot show that, see injective, nor that distant rows differ only on the right, see near-far.",
      NAN, 0}},
    {{claim_distance, 16, 0, false, THRESHOLD_CHOSEN},
     {"distance", 0, "distances grow linearly with the offset",
      "part of their variance that a straight line leaves over",
      "Tavares (2024) reads from its figure 3 that distances change linearly with the offset (and says both that they "
      "do and that they decrease). |p_t - p_(t+k)|^2 = 2 g(0) - 2 g(k), and with g falling like a logarithm its "
      "square grows like one: D(k)^2 is near dim (ln k + 0.5772) / ln b between 1 and b. For dim = 1000 that is "
      "17.68, 23.72, 27.16, 28.51 at offsets 10, 100, 500, 999; the rows give 17.87, 23.73, 27.06, 28.34. Most of it "
      "is reached at once, 17.87 of 28.34 at the tenth position. A straight line fits only where k theta is small for "
      "all tones. The number is the part of the variance of the distances that the best straight line leaves over.",
      0.01, 0}},
    {{claim_near_far, 0, 0, false, THRESHOLD_NONE},
     {"near-far", 0, "near positions differ in low dimensions, far ones only in high",
      "part of the first half of the tones in |p_0 - p_k|^2, at the longest k",
      "Neighbours differ in the fast columns, which come first: a slow tone moves by theta. That half is right. The "
      "other half, that distant positions differ only in the slow columns, is false: once k theta is beyond a turn, "
      "fast columns differ as if at random, by 2 A^2 in the mean, and never stop differing. So the first half of the "
      "tones makes nearly all of the squared difference of neighbours, and half of it far away; never less than that, "
      "except for chance. The fast columns cannot distinguish far positions, which is what the slow ones are for.",
      0.25, 0}},
    {{claim_more_dims, 16, 2, true, THRESHOLD_COLUMNS},
     {"more-dims", 0, "longer inputs need more dimensions", "fewest columns with which neighbours are the nearest rows",
      "'The longer the inputs, the higher the dimension has to be' (Tavares 2024). In real numbers one tone suffices "
      "for any length, see injective. What more tones buy is distance: with few of them some far row comes closer "
      "than a neighbour, and the longer the table the closer. From some number of columns on the nearest row is "
      "always a neighbour, and then longer inputs need nothing more, as long as the slowest tone does not turn within "
      "them: what long inputs need is a larger base. The encoding is made with 2, 4, 6, ... columns, each with its "
      "own frequencies by the same rule; where they are a list, evenly chosen ones of it are taken. The nearest two "
      "of all rows are found by their offset, up to 2^24. Of a table, two and all of its columns are measured, from "
      "its first row. The number is the first width from which on the nearest rows are neighbours; 24 wider ones and "
      "some beyond are tried as well. 'sinpos separate' makes a table of length against width and base.",
      NAN, 0}},
    {{claim_additive, 32, 1, false, THRESHOLD_NONE},
     {"additive", 0, "adding positions does not spoil the tokens",
      "part of the tokens' variance that least squares recover",
      "Adding p to x loses nothing if tokens and positions can be separated in the sum. Positions lie in few "
      "dimensions: the number that holds 99 % of the rows' energy is printed. Random directions in dim dimensions "
      "have a mean |cosine| of sqrt(2 / (pi dim)): 0.041 at 384, 0.029 at 768, so twice the width makes overlaps "
      "smaller by sqrt 2, not by 2. Tokens here are seeded random vectors, as no trained ones come with sinpos; "
      "'sinpos structure' takes your own. How much of each comes back from the sum by least squares is printed: what "
      "positions do not fill carries the token untouched, and in the few dimensions that they fill they stand out.",
      0.5, 1}},
    {{claim_fourier, 8, 1, false, THRESHOLD_NONE},
     {"fourier", 1, "the columns are tones of different frequencies",
      "largest part of a tone's energy more than two bins away from theta_i",
      "The discrete spectrum of cosine + i sine of one tone, under a Hann window, has one peak at theta_i, and at "
      "most 6.6e-4 of its energy more than two bins away from it, whatever theta_i is. That is asked of every tone "
      "whose period fits into the sequence. The others make no peak: over the rows they are slow drifts, which look "
      "alike to a Fourier transform, so the likeness ends there. Nor are the frequencies multiples of one another, as "
      "those of a Fourier series are. Columns that are the same in every row carry nothing new; two equal "
      "frequencies, or two that differ by 2 pi, make such columns.",
      6.6e-4, 0}},
    {{claim_orthogonal, 32, 1, false, THRESHOLD_NONE},
     {"orthogonal", 0, "the columns are orthogonal", "largest correlation of two columns",
      "Over n rows the product of two columns of frequencies a and b is at most about 1 / (n |sin((a - b) / 2)|) of "
      "their sizes, plus the same for a + b: it falls like 1 / n, and is never exactly 0 except for frequencies that "
      "are multiples of 2 pi / n, as in the discrete Fourier transform. Two columns slower than the sequence do not "
      "get to differ in it, and correlate near 1. So sine and cosine 'bring orthogonality' in the limit only, and the "
      "slow half not in any sequence in use. Sine and cosine of one tone are no exception: they are orthogonal over "
      "whole turns.",
      0, 0}},
    {{claim_attention, 32, 1, false, THRESHOLD_NONE},
     {"attention", 0, "tokens and positions both take part in attention",
      "part of the squares of the scores in terms with positions",
      "The score of two inputs is (x_m + p_m)' W (x_n + p_n): token with token, token with position, position with "
      "token, position with position. The part of each in the squares of the scores is measured, for W = I and for "
      "the product of two seeded random matrices, on seeded random tokens of unit variance. That all four take part "
      "is all that can be said without training; how they are weighed is what W_q and W_k learn. For your own "
      "matrices and tokens see 'sinpos structure'.",
      NAN, 1}},
    {{claim_trainable, 0, 0, false, THRESHOLD_ZERO},
     {"trainable", 0, "trained from 10000^(-2i/dim), frequencies serve better than fixed ones",
      "by how much the loss is lower, nats for a character",
      "Su (2021) proposes to begin with theta_i = 10000^(-2i/dim) and to train them. Gradients by theta are exact here "
      "(sinpos_fill_gradient(), sinpos.torch), so they can be; whether it serves is a question for trained models, "
      "not for rows. Small transformers were trained to predict characters of a text, with frequencies fixed, trained "
      "as they are, and trained as logarithms: differences of the loss are paired by seed, with 95 % intervals by "
      "Student's t and Holm's correction for all that was planned. The verdict is about these models alone: "
      "docs/lab.md, which 'make lab' measures again. For other encodings nothing was measured.",
      NAN, 0}},
    {{claim_learned, 0, 0, false, THRESHOLD_ZERO},
     {"learned", 0, "a learned table does slightly better than the sinusoidal one",
      "by how much the loss is lower within the trained length, nats for a character",
      "Su (2021) and others report that in models such as BERT a table of learned rows does slightly better than "
      "sinusoidal ones. Small transformers were trained to predict characters of a text, with either, and measured "
      "within the length they were trained with and up to four times beyond it, where the rows of a learned table "
      "were never trained. Differences are paired by seed, with 95 % intervals by Student's t and Holm's correction. "
      "The verdict is about these models alone: docs/lab.md, which 'make lab' measures again. For other encodings "
      "nothing was measured.",
      NAN, 0}},
};
