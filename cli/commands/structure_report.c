/* structure_report.c - the measurements of sinpos structure as text and as JSON. */
#include <math.h>
#include <stdio.h>

#include "json_out.h"
#include "structure.h"

#define DEGREES 57.29577951308232
#define NUMBER_BYTES 32

static const char *number_text(char text[NUMBER_BYTES], double number)
{
    if (isnan(number))
        snprintf(text, NUMBER_BYTES, "-");
    else if (number != 0 && fabs(number) < 1e-9)
        snprintf(text, NUMBER_BYTES, "%s", number < 0 ? "-0.000" : "0.000");
    else if (isinf(number))
        snprintf(text, NUMBER_BYTES, "infinite");
    else if (fabs(number) >= 1e5 || (number != 0 && fabs(number) < 1e-3))
        snprintf(text, NUMBER_BYTES, "%.2e", number);
    else
        snprintf(text, NUMBER_BYTES, fabs(number) >= 100 ? "%.1f" : "%.3f", number);
    return text;
}

/* Shares: 12.3 %; what would round to 0 without being rounding says so. */
static const char *share_text(char text[NUMBER_BYTES], double share)
{
    if (isnan(share))
        snprintf(text, NUMBER_BYTES, "-");
    else if (share > 1e-9 && share < 0.0005)
        snprintf(text, NUMBER_BYTES, "< 0.1 %%");
    else
        snprintf(text, NUMBER_BYTES, "%.1f %%", 100 * fabs(share));
    return text;
}

static void line_share(const char *what, double share, const char *remark)
{
    char text[NUMBER_BYTES];
    printf("  %-44s %12s%s%s\n", what, share_text(text, share), remark[0] == '\0' ? "" : "  ", remark);
}

static void line_pair(const char *what, double words, double positions)
{
    char a[NUMBER_BYTES], b[NUMBER_BYTES];
    printf("  %-44s %12s %12s\n", what, number_text(a, words), number_text(b, positions));
}

static void line_shares(const char *what, double words, double positions)
{
    char a[NUMBER_BYTES], b[NUMBER_BYTES];
    printf("  %-44s %12s %12s\n", what, share_text(a, words), share_text(b, positions));
}

static void line_counts(const char *what, size_t words, size_t positions)
{
    printf("  %-44s %12zu %12zu\n", what, words, positions);
}

/* --------------------------------------------------------------------------------------------------- the head */

static void print_matrix(const char *what, const struct matrix_file *m)
{
    printf("%-10s %s, %zu x %zu %s\n", what, SHOWN(m->path), m->n, m->dim, sinpos_element_name(m->array.element));
}

static void print_head(struct structure *s)
{
    char span[POSITIONS_SPAN_BYTES];
    if (s->words.reader != NULL) {
        print_matrix("words:", &s->words);
    } else {
        printf("%-10s %zu random tokens of %zu columns, mean 0, variance 1, seed %llu\n", "words:", s->n_words, s->dim,
               (unsigned long long)s->seed);
    }
    if (s->table.reader != NULL) {
        print_matrix("positions:", &s->table);
    } else {
        printf("%-10s %zu x %zu as defined, %s\n", "positions:", s->n_positions, s->dim,
               positions_span(&s->encoding.positions, span));
    }
    if (s->h_file.reader != NULL) {
        print_matrix("H:", &s->h_file);
    } else if (s->query.reader != NULL) {
        printf("%-10s W_q' W_k\n", "H:");
        print_matrix("  W_q:", &s->query);
        print_matrix("  W_k:", &s->key);
    } else {
        printf("%-10s the identity\n", "H:");
    }
}

/* ------------------------------------------------------------------------------------------------------ split */

static double total_of(const sinpos_coefficients *c)
{
    return c->total > 0 ? c->total : NAN;
}

static void print_decay(const struct structure *s)
{
    const double origin = s->curve[s->n_split - 1];
    char text[NUMBER_BYTES];
    printf("  its m - n part by offset, over that at 0:");
    for (size_t k = 1, n = 0; k < s->n_split && n < 5; k *= 8, n++)
        printf("  %zu: %s", k, number_text(text, s->curve[s->n_split - 1 + k] / origin));
    putchar('\n');
}

static void print_split(const struct structure *s)
{
    const sinpos_split_result *split = &s->split, *other = &s->attention_split;
    char a[NUMBER_BYTES], b[NUMBER_BYTES], c[NUMBER_BYTES];
    printf("\np_m' H p_n, 0 <= m, n < %zu: share of the variance\n", s->n_split);
    printf("  %-44s %12s", "", s->h == NULL ? "identity" : "this H");
    printf("%s%s\n", s->has_coefficients ? "    over all m, n" : "", s->has_attention ? "   random attention" : "");
    const double on_grid[3] = {split->difference, split->sum, split->rest};
    const double total = total_of(&s->coefficients);
    const double limit[3] = {s->coefficients.difference / total, s->coefficients.sum / total,
                             s->coefficients.rest / total};
    const double attention[3] = {other->difference, other->sum, other->rest};
    static const char *const names[3] = {"a function of m - n (relative position)", "beyond that, one of m + n",
                                         "the rest"};
    for (size_t i = 0; i < 3; i++) {
        printf("  %-44s %12s", names[i], share_text(a, on_grid[i]));
        if (s->has_coefficients)
            printf(" %16s", share_text(b, limit[i]));
        if (s->has_attention)
            printf(" %18s", share_text(c, attention[i]));
        putchar('\n');
    }
    print_decay(s);
}

/* ---------------------------------------------------------------------------------------- words and positions */

static size_t within(const sinpos_covariance_result *c, size_t bins)
{
    size_t n = 0;
    for (size_t i = SINPOS_HISTOGRAM_BINS / 2 - bins; i < SINPOS_HISTOGRAM_BINS / 2 + bins; i++)
        n += c->histogram[i];
    return n;
}

/* Share of the correlations below bins / 10 in size. */
static double share_within(const sinpos_covariance_result *c, size_t bins)
{
    const double all = (double)within(c, SINPOS_HISTOGRAM_BINS / 2);
    return all > 0 ? (double)within(c, bins) / all : NAN;
}

static void print_covariance(const struct structure *s)
{
    const sinpos_covariance_result *w = &s->covariance[0], *p = &s->covariance[1];
    printf("\n%-46s %12s %12s\n", "covariance of the columns", "words", "positions");
    line_shares("diagonal's share of the sum of squares", w->diagonal_share, p->diagonal_share);
    line_pair("mean variance over mean |covariance|", w->diagonal_ratio, p->diagonal_ratio);
    line_shares("columns that dominate all others together", w->dominant_share, p->dominant_share);
    line_pair("correlation off the diagonal, rms", w->rms_correlation, p->rms_correlation);
    line_pair("  largest in size", w->largest_correlation, p->largest_correlation);
    line_shares("  below 0.1 in size", share_within(w, 1), share_within(p, 1));
    line_shares("  below 0.2", share_within(w, 2), share_within(p, 2));
    line_shares("  below 0.5", share_within(w, 5), share_within(p, 5));
    if (w->n_constant + p->n_constant > 0)
        line_counts("columns without variance", w->n_constant, p->n_constant);
}

static void print_sizes(const struct structure *s)
{
    const sinpos_covariance_result *w = &s->covariance[0], *p = &s->covariance[1];
    char text[NUMBER_BYTES];
    printf("\n%-46s %12s %12s\n", "sizes and dimensions", "words", "positions");
    line_pair("mean norm", w->mean_norm, p->mean_norm);
    line_pair("norm of the mean", w->norm_of_mean, p->norm_of_mean);
    if (s->has_lapack) {
        line_counts("dimensions that hold 90 % of the energy", s->rank[0].dims_90, s->rank[1].dims_90);
        line_counts("  99 %", s->rank[0].dims_99, s->rank[1].dims_99);
        line_counts("  99.9 %", s->rank[0].dims_999, s->rank[1].dims_999);
        line_pair("effective rank (entropy)", s->rank[0].entropy_rank, s->rank[1].entropy_rank);
        line_counts("above rounding (d 2^-52)", s->rank[0].rank, s->rank[1].rank);
    }
    printf("  positions over words, mean norms: %s\n", number_text(text, p->mean_norm / w->mean_norm));
}

/* ---------------------------------------------------------------------------------------------- spans and sums */

static void print_overlap(const struct structure *s)
{
    const sinpos_overlap_result *o = &s->overlap;
    puts("\nspans that hold 99 % of words and of positions");
    if (!s->has_overlap) {
        puts("  not defined: all rows are zero");
        return;
    }
    char remark[80];
    printf("  %-44s %12zu of %zu and %zu dimensions\n", "principal angles", o->n_angles, o->words_dims,
           o->positions_dims);
    printf("  %-44s %10.1f deg  mean %.1f, largest %.1f deg\n", "  smallest", DEGREES * o->smallest_angle_rad,
           DEGREES * o->mean_angle_rad, DEGREES * o->largest_angle_rad);
    snprintf(remark, sizeof remark, "random spans of these dimensions: %.1f %%", 100 * o->overlap_random);
    line_share("overlap (mean squared cosine)", o->overlap, remark);
    snprintf(remark, sizeof remark, "words without direction: %.1f %%", 100 * o->words_in_positions_random);
    line_share("energy of the words in the positions' span", o->words_in_positions, remark);
}

/* Rows that are all equal cannot be distinguished. */
static double told(double share, double r2)
{
    return isnan(r2) ? NAN : share;
}

static void print_recovery(const struct structure *s)
{
    const double words_r2 = s->recovery.words_r2, positions_r2 = s->recovery.positions_r2;
    if (!s->has_recovery)
        return;
    printf("\n%-46s %12s %12s\n", "recovered from the sum by least squares", "words", "positions");
    line_pair("R^2 of the best linear map, all pairs", words_r2, positions_r2);
    if (s->has_nearest) {
        line_shares("nearest row is the right one", told(s->nearest.words_recovered, words_r2),
                    told(s->nearest.positions_recovered, positions_r2));
        line_shares("  nearest to the sum itself", told(s->nearest.words_plain, words_r2),
                    told(s->nearest.positions_plain, positions_r2));
        printf("  (%zu sums; %zu word%s and %zu positions to choose from)\n", s->nearest.n_trials, s->n_sample,
               s->n_sample == 1 ? "" : "s", s->n_sampled_positions);
    }
}

static void print_cosines(const struct structure *s)
{
    printf("\n%-34s %5s %12s %18s %12s\n", "cosine of pairs of rows, rms", "dim", "words", "word and position",
           "positions");
    for (size_t i = 0; i < s->n_cosines; i++) {
        const struct cosines *c = &s->cosines[i];
        char a[NUMBER_BYTES], b[NUMBER_BYTES], d[NUMBER_BYTES];
        printf("  %-32s %5zu %12s %18s %12s\n", c->what, c->dim, number_text(a, c->words.rms),
               number_text(b, c->words_positions.rms), number_text(d, c->positions.rms));
    }
}

static const char *const term_names[4] = {"x_m' H x_n  word and word", "x_m' H p_n  word and position",
                                          "p_m' H x_n  position and word", "p_m' H p_n  position and position"};

static void print_attention(const struct structure *s)
{
    char a[NUMBER_BYTES], b[NUMBER_BYTES];
    printf("\n%-46s %12s %12s\n", "attention: (x_m + p_m)' H (x_n + p_n)", "share", "seen");
    for (size_t i = 0; i < 4; i++) {
        printf("  %-44s %12s %12s\n", term_names[i], share_text(a, s->attention.share[i]),
               share_text(b, s->attention.visible_share[i]));
    }
    puts("  share: of the mean squares; seen: without what is equal for all n, which softmax cancels");
}

static void print_grams(const struct structure *s)
{
    printf("\n%-46s %12s %12s\n", "columns of the positions, cosines of pairs", "rms", "largest");
    for (size_t i = 0; i < s->n_grams; i++) {
        char a[NUMBER_BYTES], b[NUMBER_BYTES], what[60];
        snprintf(what, sizeof what, "over %zu positions", s->grams[i].n);
        printf("  %-44s %12s %12s\n", what, number_text(a, s->grams[i].rms), number_text(b, s->grams[i].largest));
    }
}

/* What the numbers mean, in a few lines. */
static void print_close(const struct structure *s)
{
    char a[NUMBER_BYTES], b[NUMBER_BYTES];
    const double ratio = s->covariance[1].mean_norm / s->covariance[0].mean_norm;
    if (isnan(s->split.difference))
        printf("\np_m' H p_n is the same for all m and n: it does not depend on positions.");
    else
        printf("\n%s of the variance of p_m' H p_n is relative position.", share_text(a, s->split.difference));
    if (isfinite(ratio))
        printf(" Positions are %s times as long as words.", number_text(a, ratio));
    putchar('\n');
    if (!s->has_lapack) {
        puts("Ranks, angles and recovery need OpenBLAS: it is not here, lacks memory or threads, or was left out of "
             "this "
             "build.");
    } else if (isnan(s->recovery.words_r2)) {
        puts("All words are equal: there is nothing to distinguish.");
    } else if (isnan(s->recovery.positions_r2)) {
        puts("All positions are equal: there is nothing to distinguish.");
    } else if (s->has_recovery) {
        printf("From the sum %s of the words' variance and %s of the positions' can be recovered by a linear map.\n",
               share_text(a, s->recovery.words_r2), share_text(b, s->recovery.positions_r2));
    }
}

void structure_print(struct structure *s)
{
    print_head(s);
    print_split(s);
    print_covariance(s);
    print_sizes(s);
    if (s->has_lapack) {
        print_overlap(s);
        print_recovery(s);
    }
    print_cosines(s);
    print_attention(s);
    print_grams(s);
    print_close(s);
}

/* ------------------------------------------------------------------------------------------------------- JSON */

static void json_source(const char *name, const struct matrix_file *m, size_t n)
{
    EMIT_OBJECT(name);
    emit_text("file", m->reader == NULL ? NULL : m->path);
    if (m->reader != NULL)
        emit_text("type", sinpos_element_name(m->array.element));
    emit_unsigned("rows", n);
}

static void json_split(const char *name, const sinpos_split_result *r)
{
    EMIT_OBJECT(name);
    emit_real("difference", r->difference);
    emit_real("sum", r->sum);
    emit_real("rest", r->rest);
    emit_real("sum_alone", r->sum_alone);
    emit_real("variance", r->variance);
    emit_real("mean", r->mean);
}

static void json_coefficients(const struct structure *s)
{
    const double total = total_of(&s->coefficients);
    EMIT_OBJECT("split_over_all");
    emit_real("difference", s->coefficients.difference / total);
    emit_real("sum", s->coefficients.sum / total);
    emit_real("rest", s->coefficients.rest / total);
    emit_real("mean_square", s->coefficients.total);
}

static void json_covariance(const sinpos_covariance_result *c)
{
    EMIT_OBJECT("covariance");
    emit_real("diagonal_share", c->diagonal_share);
    emit_real("diagonal_ratio", c->diagonal_ratio);
    emit_real("dominant_share", c->dominant_share);
    emit_real("rms_correlation", c->rms_correlation);
    emit_real("mean_correlation", c->mean_correlation);
    emit_real("largest_correlation", c->largest_correlation);
    emit_unsigned("largest_i", c->largest_i);
    emit_unsigned("largest_j", c->largest_j);
    emit_unsigned("constant_columns", c->n_constant);
    emit_array("histogram");
    for (size_t i = 0; i < SINPOS_HISTOGRAM_BINS; i++)
        emit_unsigned(NULL, c->histogram[i]);
    emit_close();
}

static void json_side(const struct structure *s, const char *name, size_t side)
{
    const sinpos_covariance_result *c = &s->covariance[side];
    const sinpos_rank_result *r = &s->rank[side];
    EMIT_OBJECT(name);
    emit_real("mean_norm", c->mean_norm);
    emit_real("rms_norm", c->rms_norm);
    emit_real("norm_of_mean", c->norm_of_mean);
    json_covariance(c);
    if (s->has_lapack) {
        EMIT_OBJECT("dimensions");
        emit_unsigned("energy_90", r->dims_90);
        emit_unsigned("energy_99", r->dims_99);
        emit_unsigned("energy_999", r->dims_999);
        emit_real("effective_rank", r->entropy_rank);
        emit_real("participation", r->participation);
        emit_real("largest_share", r->largest_share);
        emit_unsigned("rank", r->rank);
    }
}

static void json_overlap(const struct structure *s)
{
    const sinpos_overlap_result *o = &s->overlap;
    if (!s->has_overlap) {
        emit_null("overlap");
        return;
    }
    EMIT_OBJECT("overlap");
    emit_real("mean_squared_cosine", o->overlap);
    emit_real("random", o->overlap_random);
    emit_unsigned("words_dims", o->words_dims);
    emit_unsigned("positions_dims", o->positions_dims);
    emit_real("words_in_positions", o->words_in_positions);
    emit_real("words_in_positions_random", o->words_in_positions_random);
    emit_real("positions_in_words", o->positions_in_words);
    emit_real("positions_in_words_random", o->positions_in_words_random);
    emit_array("angles_deg");
    for (size_t i = 0; i < o->n_angles; i++)
        emit_real(NULL, DEGREES * s->angles[i]);
    emit_close();
}

static void json_recovery(const struct structure *s)
{
    if (!s->has_recovery) {
        emit_null("recovery");
        return;
    }
    EMIT_OBJECT("recovery");
    emit_real("words_r2", s->recovery.words_r2);
    emit_real("positions_r2", s->recovery.positions_r2);
    emit_real("error_variance", s->recovery.error_variance);
    if (s->has_nearest) {
        emit_real("words_nearest", s->nearest.words_recovered);
        emit_real("positions_nearest", s->nearest.positions_recovered);
        emit_real("words_nearest_to_sum", s->nearest.words_plain);
        emit_real("positions_nearest_to_sum", s->nearest.positions_plain);
        emit_unsigned("trials", s->nearest.n_trials);
    }
}

static void json_cosine(const char *name, const sinpos_cosines_result *c)
{
    EMIT_OBJECT(name);
    emit_real("rms", c->rms);
    emit_real("largest", c->largest);
    emit_real("mean", c->mean);
    emit_unsigned("pairs", c->n);
}

static void json_cosines(const struct structure *s)
{
    EMIT_ARRAY("cosines");
    for (size_t i = 0; i < s->n_cosines; i++) {
        EMIT_OBJECT(NULL);
        emit_text("rows", s->cosines[i].what);
        emit_unsigned("dim", s->cosines[i].dim);
        json_cosine("words", &s->cosines[i].words);
        json_cosine("words_positions", &s->cosines[i].words_positions);
        json_cosine("positions", &s->cosines[i].positions);
    }
}

static void json_terms(const char *name, const double terms[4])
{
    static const char *const names[4] = {"word_word", "word_position", "position_word", "position_position"};
    EMIT_OBJECT(name);
    for (size_t i = 0; i < 4; i++)
        emit_real(names[i], terms[i]);
}

static void json_grams(const struct structure *s)
{
    EMIT_ARRAY("columns");
    for (size_t i = 0; i < s->n_grams; i++) {
        EMIT_OBJECT(NULL);
        emit_unsigned("positions", s->grams[i].n);
        emit_real("rms_cosine", s->grams[i].rms);
        emit_real("largest_cosine", s->grams[i].largest);
    }
}

void structure_json(struct structure *s)
{
    EMIT_OBJECT(NULL);
    emit_unsigned("dim", s->dim);
    json_source("words_source", &s->words, s->n_words);
    json_source("positions_source", &s->table, s->n_positions);
    emit_text("h", s->h_file.reader != NULL ? s->h_file.path : s->query.reader != NULL ? "W_q' W_k" : "identity");
    emit_unsigned("seed", s->seed);
    emit_bool("lapack", s->has_lapack);
    emit_unsigned("split_positions", s->n_split);
    json_split("split", &s->split);
    if (s->has_coefficients)
        json_coefficients(s);
    if (s->has_attention)
        json_split("split_random_attention", &s->attention_split);
    json_side(s, "words", 0);
    json_side(s, "positions", 1);
    emit_real("norm_ratio", s->covariance[1].mean_norm / s->covariance[0].mean_norm);
    json_overlap(s);
    json_recovery(s);
    json_cosines(s);
    emit_object("attention");
    json_terms("share", s->attention.share);
    json_terms("seen", s->attention.visible_share);
    emit_close();
    json_grams(s);
    emit_reals("relative_part", s->curve, 2 * s->n_split - 1);
    emit_real("seconds", s->seconds);
}
