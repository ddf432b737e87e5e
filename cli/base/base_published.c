/* base_published.c - the bases of a published table beside the proved ones. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base_run.h"
#include "json_out.h"
#include "progress.h"

/* Xu et al. 2024, "Base of RoPE Bounds Context Length", arXiv:2405.14591, table 2; dim 128. */
static const struct row {
    size_t context;
    double base;
} rows[] = {{1024, 4.3e3},  {2048, 1.6e4},   {4096, 2.7e4},   {8192, 8.4e4},   {16384, 3.1e5},  {32768, 6.4e5},
            {65536, 2.1e6}, {131072, 7.8e6}, {262144, 3.6e7}, {524288, 6.4e7}, {1048576, 5.1e8}};
#define N_ROWS (sizeof rows / sizeof rows[0])
#define DIM 128

/* Is the published base the smallest one, to its two digits? */
static bool follows(double base, double published)
{
    const double unit = pow(10, floor(log10(published)) - 1);
    return fabs(base - published) <= unit / 2;
}

static const char *verdict_of(const struct row *row, const sinpos_base_trial *trial, double base)
{
    return follows(base, row->base) ? "is the smallest, to its digits"
           : !trial->passes         ? "fails"
           : row->base > base       ? "passes, and is not the smallest"
                                    : "is below the smallest";
}

static void json_row(const struct row *row, const struct answer *answer, const sinpos_base_trial *trial)
{
    const sinpos_base_certificate *c = &answer->certificate;
    EMIT_OBJECT(NULL);
    emit_unsigned("context", row->context);
    emit_real("published", row->base);
    emit_bool("follows", follows(c->base_upper, row->base));
    emit_bool("published_passes", trial->passes);
    emit_unless_0("published_violated_at", (uint64_t)trial->offset);
    emit_real("base_lower", c->base_lower);
    base_json_bound("base_upper", c->base_upper);
    emit_unless_0("violated_at", (uint64_t)c->violated_at);
    base_json_bound("robust_base", c->robust.upper);
    emit_bool("proved", answer->is_checked && answer->verdict.holds);
}

static void print_row(const struct row *row, const struct answer *answer, const sinpos_base_trial *trial)
{
    const sinpos_base_certificate *c = &answer->certificate;
    char at[40] = "";
    if (!trial->passes)
        snprintf(at, sizeof at, " at k = %" PRId64, trial->offset);
    const bool both = follows(c->base_upper, row->base) && !trial->passes;
    printf("%8zu  %9.1e  %14.12g  %14.10g  %s%s%s\n", row->context, row->base, c->base_upper,
           base_rounded_up(c->robust.upper), verdict_of(row, trial, c->base_upper), both ? "; as written fails" : "",
           at);
    fflush(stdout);
}

/* Prints one row. Is it proved? */
static bool run_row(struct base *base, const struct row *row, struct answer *answer)
{
    sinpos_base_trial trial;
    base_find(base, answer, NULL, NULL);
    const sinpos_status status =
        sinpos_base_try(&answer->certificate.query, row->base, &trial, base->options->threads, progress_watch, NULL);
    if (status != SINPOS_OK)
        base_fail(status);
    if (base->options->given[OPTION_JSON] != NULL)
        json_row(row, answer, &trial);
    else
        print_row(row, answer, &trial);
    return answer->is_checked && answer->verdict.holds;
}

static void print_head(void)
{
    puts("arXiv 2405.14591, table 2 (dim 128), and what follows from its definition, g(k) >= 0 for all k < L\n");
    printf("%8s  %9s  %14s  %14s  %s\n", "L", "published", "smallest", "all pass from", "the published base");
}

static bool is_wanted(const struct base *base, size_t context)
{
    for (size_t i = 0; i < base->n_contexts; i++)
        if (base->contexts[i] == context)
            return true;
    return base->n_contexts == 0;
}

/* Each row goes on from the one before: what fails for a context fails for longer ones. */
int base_run_published(struct base *base)
{
    const bool json = base->options->given[OPTION_JSON] != NULL;
    struct answer answer = {0};
    bool all_hold = true, is_first = true;
    sinpos_base_trial trial;
    base->query = (sinpos_base_query){.context = 1, .n_tones = DIM / 2, .divisor = DIM / 2, .scale = 1};
    const sinpos_status can_prove = sinpos_base_try(&base->query, 2, &trial, 1, NULL, NULL);
    if (can_prove != SINPOS_OK)
        base_fail(can_prove);
    if (json) {
        emit_object(NULL);
        emit_array("published");
    } else {
        print_head();
    }
    for (size_t i = 0; i < N_ROWS; i++) {
        if (!is_wanted(base, rows[i].context))
            continue;
        base->query.context = rows[i].context;
        const sinpos_status status = is_first ? sinpos_base_begin(&answer.certificate, &base->query)
                                              : sinpos_base_extend(&answer.certificate, rows[i].context);
        is_first = false;
        if (status != SINPOS_OK)
            base_fail(status);
        all_hold = run_row(base, &rows[i], &answer) && all_hold;
    }
    sinpos_base_free(&answer.certificate);
    if (json) {
        emit_close();
        emit_close();
    } else {
        puts(all_hold ? "\nEvery number but the published ones is proved in ball arithmetic."
                      : "\nNot all of it is proved.");
    }
    return all_hold ? EXIT_DONE : EXIT_CHECK;
}
