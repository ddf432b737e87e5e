/* base_questions.c - sinpos base about one base: does it pass, and how do its periods compare with lengths. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base_run.h"
#include "json_out.h"
#include "no_memory.h"
#include "progress.h"

int base_each_cell(struct base *base, base_question *ask)
{
    const size_t n = base->n_dims * base->n_contexts;
    const bool is_list = base->options->given[OPTION_JSON] != NULL && n > 1;
    int worst = EXIT_DONE;
    if (is_list) {
        emit_object(NULL);
        emit_array("results");
    }
    for (size_t i = 0; i < n; i++) {
        base_set_cell(base, i);
        const int code = ask(base);
        worst = code != EXIT_DONE ? code : worst;
    }
    if (is_list) {
        emit_close();
        emit_close();
    }
    base_model_free(base);
    return worst;
}

/* --------------------------------------------------------------------------------------------------- one base */

static void print_trial(const struct base *base, const sinpos_base_trial *trial)
{
    printf("context %zu: base %.12g, with ", base->query.context, base->stated);
    base_print_theta(&base->query);
    if (trial->passes)
        printf("\n  passes: g(k) >= 0 for all k < %zu, shown in ball arithmetic\n", base->query.context);
    else
        printf("\n  fails: g(k) < 0 first at offset %" PRId64 ", g = %.6g\n", trial->offset, trial->g);
}

static sinpos_base_trial try_stated(const struct base *base)
{
    sinpos_base_trial trial;
    progress_begin_part("trying");
    const sinpos_status status =
        sinpos_base_try(&base->query, base->stated, &trial, base->options->threads, progress_watch, NULL);
    progress_clear();
    if (status == SINPOS_E_VALUE)
        fail_option(base->options, OPTION_BASE, "give a base above 0, up to 1e300", "cannot be decided");
    if (status != SINPOS_OK)
        base_fail(status);
    return trial;
}

/* What --base states, or a convention or a model, whose base it may replace. */
static int try_context(struct base *base)
{
    const bool is_model = base->model.name != NULL;
    const sinpos_base_trial trial = is_model ? base_model_try(base) : try_stated(base);
    if (base->options->given[OPTION_JSON] != NULL) {
        EMIT_OBJECT(NULL);
        emit_unsigned("context", base->query.context);
        emit_unsigned("tones", base->query.n_tones);
        base_trial_json(base, &trial);
    } else if (is_model) {
        base_model_print(base, &trial);
    } else {
        print_trial(base, &trial);
    }
    return trial.passes ? EXIT_DONE : EXIT_CHECK;
}

int base_run_try(struct base *base)
{
    return base_each_cell(base, try_context);
}

/* ------------------------------------------------------------------------------------------------------ lengths */

struct lengths {
    const struct base *base;
    double train, alpha, beta;
    sinpos_base_lengths of;
    sinpos_tone_length *tones;
};

static void json_tones(const struct lengths *l)
{
    EMIT_ARRAY("tones");
    for (size_t i = 0; i < l->base->query.n_tones; i++) {
        const sinpos_tone_length *tone = &l->tones[i];
        EMIT_OBJECT(NULL);
        emit_real("period", tone->period);
        emit_real("turns", tone->turns);
        emit_real("kept", tone->kept);
        emit_real("yarn_period", tone->yarn_period);
    }
}

static void json_lengths(const struct lengths *l)
{
    const size_t n = l->base->query.n_tones;
    EMIT_OBJECT(NULL);
    emit_real("base", l->base->stated);
    emit_unsigned("context", l->base->query.context);
    emit_real("train", l->train);
    emit_real("shortest_period", l->of.shortest);
    emit_real("longest_period", l->of.longest);
    emit_unsigned("critical_dimension", 2 * l->of.n_within_train);
    emit_unsigned("tones_beyond_train", n - l->of.n_within_train);
    emit_unsigned("tones_beyond_context", n - l->of.n_within_context);
    emit_real("interpolation_worst", l->of.interpolation_worst);
    emit_real("interpolation_published", l->of.interpolation_published);
    base_json_bound("ntk_base", l->of.ntk_base);
    base_json_bound("extrapolation_base", l->of.extrapolation_base);
    emit_object("yarn");
    emit_real("alpha", l->alpha);
    emit_real("beta", l->beta);
    emit_real("factor", l->of.factor);
    emit_unsigned("kept", l->of.n_kept);
    emit_unsigned("blended", l->of.n_blended);
    emit_unsigned("interpolated", l->of.n_interpolated);
    emit_real("attention_factor", l->of.attention_factor);
    emit_close();
    json_tones(l);
}

/* "i = 0 .. 20", or "none" */
static const char *range_text(char text[60], size_t first, size_t n)
{
    if (n == 0)
        snprintf(text, 60, "none");
    else
        snprintf(text, 60, "%zu: i = %zu .. %zu", n, first, first + n - 1);
    return text;
}

static void print_periods(const struct lengths *l)
{
    const size_t n = l->base->query.n_tones, within = l->of.n_within_train, seen = l->of.n_within_context;
    char text[60];
    printf("  periods                     %.6g to %.6g positions\n", l->of.shortest, l->of.longest);
    printf("  shorter than training       %s; critical dimension %zu\n", range_text(text, 0, within), 2 * within);
    printf("  longer than training        %s\n", range_text(text, within, n - within));
    printf("  longer than the context     %s\n", range_text(text, seen, n - seen));
}

static void print_advice(const struct lengths *l)
{
    const size_t n = l->base->query.n_tones;
    char text[60];
    if (l->of.factor <= 1)
        return;
    printf("  YaRN, factor %-14.6g kept %s\n", l->of.factor, range_text(text, 0, l->of.n_kept));
    printf("%30sblended %s\n", "", range_text(text, l->of.n_kept, l->of.n_blended));
    printf("%30sinterpolated %s\n", "", range_text(text, n - l->of.n_interpolated, l->of.n_interpolated));
    printf("%30slogits times %.6g twice\n", "", l->of.attention_factor);
    if (l->of.ntk_base > 0) {
        printf("  NTK-aware base              %.6g: the slowest tone slows down by %.6g, the fastest not\n",
               l->of.ntk_base, l->of.factor);
    }
    if (l->of.extrapolation_base > 0) {
        printf("  extrapolation base          %.6g: the first tone beyond the critical dimension turns once in the "
               "context\n",
               l->of.extrapolation_base);
    }
}

static void print_lengths(const struct lengths *l)
{
    printf("base %.12g, trained on %.12g positions, for a context of %zu, with ", l->base->stated, l->train,
           l->base->query.context);
    base_print_theta(&l->base->query);
    putchar('\n');
    print_periods(l);
    print_advice(l);
    printf("  linear between integers     off by at most %.6g times the largest |h_j|", l->of.interpolation_worst);
    printf(" (published: %.6g)\n", l->of.interpolation_published);
    puts("Tones longer than training have been seen on part of their circle alone: beyond it they show angles never "
         "met.\n");
}

static int lengths_of(struct base *base)
{
    const struct options *options = base->options;
    struct lengths l = {.base = base,
                        .alpha = options->alpha > 0 ? options->alpha : 1,
                        .beta = options->beta > 0 ? options->beta : 32,
                        .train = options->train > 0 ? options->train : (double)base->query.context};
    l.tones = memory_take(base->query.n_tones, sizeof *l.tones);
    const sinpos_status status =
        sinpos_base_lengths_at(&base->query, base->stated, l.train, l.alpha, l.beta, &l.of, l.tones);
    if (status != SINPOS_OK) {
        fail(EXIT_USAGE, "as in --base 10000 --train 4096 --alpha 1 --beta 32", "--lengths",
             "needs a base above 1, a training length of 1 or more, and alpha below beta");
    }
    if (options->given[OPTION_JSON] != NULL)
        json_lengths(&l);
    else
        print_lengths(&l);
    free(l.tones);
    return EXIT_DONE;
}

int base_run_lengths(struct base *base)
{
    return base_each_cell(base, lengths_of);
}
