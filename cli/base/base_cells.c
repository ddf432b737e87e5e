/* base_cells.c - the smallest bases of several contexts and dims: a job whose blocks are cells. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base_file.h"
#include "base_run.h"
#include "json_out.h"
#include "no_memory.h"
#include "progress.h"
#include "report.h"

#define KEEP_EVERY_S 5

struct cells {
    struct base *base;
    struct kept kept;
    size_t n;
    struct answer *answers; /* (n) */
    char **whys;            /* (n) of the verdicts */
    size_t *order;          /* (n) the longest contexts first: they take longest */
};

static size_t context_of(const struct base *base, size_t cell)
{
    return base->contexts[cell % base->n_contexts];
}

/* Stable: dims in their order. */
static void sort_cells(struct cells *cells)
{
    for (size_t i = 0; i < cells->n; i++) {
        size_t at = i;
        for (; at > 0 && context_of(cells->base, cells->order[at - 1]) < context_of(cells->base, i); at--)
            cells->order[at] = cells->order[at - 1];
        cells->order[at] = i;
    }
}

/* ----------------------------------------------------------------------------------------------------- one cell */

struct keeper {
    struct cells *cells;
    size_t cell, n_kept; /* steps */
    double kept_at;
};

static void keep_steps(void *context, const sinpos_base_certificate *certificate, bool is_far)
{
    struct keeper *keeper = context;
    RELEASED_BY(record_free) struct record state = {0};
    if (!is_far && seconds_now() - keeper->kept_at < KEEP_EVERY_S)
        return;
    base_text_add(&state, certificate, keeper->n_kept);
    kept_state(&keeper->cells->kept, keeper->cell, &state);
    keeper->n_kept = certificate->n_steps;
    keeper->kept_at = seconds_now();
}

static void write_answer(struct record *found, const struct answer *answer)
{
    const sinpos_base_verdict *verdict = &answer->verdict;
    const uint64_t words[] = {answer->is_paused,         answer->is_checked,      (uint64_t)verdict->holds,
                              (uint64_t)verdict->robust, (uint64_t)verdict->step, (uint64_t)verdict->offset};
    const char *why = verdict->why == NULL ? "" : verdict->why;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        record_word(found, words[i]);
    record_real(found, answer->search_s);
    record_real(found, answer->robust_s);
    record_real(found, answer->verify_s);
    record_word(found, strlen(why));
    record_text(found, why);
    base_text_add(found, &answer->certificate, 0);
}

static void read_answer(struct cells *cells, size_t cell, struct record *found)
{
    struct answer *answer = &cells->answers[cell];
    sinpos_base_verdict *verdict = &answer->verdict;
    size_t n_left;
    answer->is_paused = record_next_word(found) != 0;
    answer->is_checked = record_next_word(found) != 0;
    verdict->holds = (int)record_next_word(found);
    verdict->robust = (int)record_next_word(found);
    verdict->step = (size_t)record_next_word(found);
    verdict->offset = (int64_t)record_next_word(found);
    answer->search_s = record_next_real(found);
    answer->robust_s = record_next_real(found);
    answer->verify_s = record_next_real(found);
    const size_t n = (size_t)record_next_word(found);
    const char *why = record_rest(found, &n_left);
    found->is_bad = found->is_bad || n > n_left;
    if (found->is_bad)
        return;
    cells->whys[cell] = memory_take(n + 1, 1);
    memcpy(cells->whys[cell], why, n);
    verdict->why = cells->whys[cell];
    found->at += n;
    found->is_bad = !base_text_take(found, &answer->certificate);
}

static void make_cell(void *context, size_t cell, struct record *state, struct record *found)
{
    struct cells *cells = context;
    struct keeper keeper = {.cells = cells, .cell = cell, .kept_at = seconds_now()};
    struct answer answer = {0};
    base_set_cell(cells->base, cell);
    base_begin(cells->base, &answer.certificate);
    while (base_text_take(state, &answer.certificate))
        keeper.n_kept = answer.certificate.n_steps;
    base_find(cells->base, &answer, keep_steps, &keeper);
    write_answer(found, &answer);
    sinpos_base_free(&answer.certificate);
}

static bool is_finished(struct record *found)
{
    const bool is_paused = record_next_word(found) != 0;
    found->at = 0;
    return !is_paused;
}

static void take_cell(void *context, size_t cell, struct record *found)
{
    read_answer(context, cell, found);
}

/* ------------------------------------------------------------------------------------------------------ reports */

/* Of a convention or a model the verdict comes first, and at once: the search may take long. */
static sinpos_base_trial judge_model(struct base *base)
{
    const sinpos_base_trial trial = base_model_try(base);
    if (base->options->given[OPTION_JSON] == NULL) {
        base_model_print(base, &trial);
        puts(base->model.is_scaled ? "with any base, and not scaled:" : "with any base:");
    }
    return trial;
}

static void report_cell(const struct base *base, const struct answer *answer, const sinpos_base_trial *trial)
{
    if (base->options->given[OPTION_JSON] == NULL) {
        base_report_text(answer);
        return;
    }
    EMIT_OBJECT(NULL);
    base_report_fields(answer);
    if (base->model.name != NULL) {
        EMIT_OBJECT("stated");
        base_trial_json(base, trial);
    }
}

/* Certificates of a dim share their first steps where the contexts grow. */
static void write_certificates(struct cells *cells)
{
    struct base *base = cells->base;
    RELEASED_BY(record_free) struct record text = {0};
    OWNED sinpos_base_certificate *all = memory_take(cells->n, sizeof *all);
    for (size_t i = 0; i < cells->n; i++) {
        sinpos_base_certificate *c = &cells->answers[i].certificate;
        const bool goes_on = i % base->n_contexts > 0 && context_of(base, i) >= context_of(base, i - 1) &&
                             base->model.name == NULL && cells->answers[i - 1].certificate.n_steps > 0;
        if (goes_on)
            base_go_on_from(c, &cells->answers[i - 1].certificate);
        all[i] = *c;
    }
    base_file_text(&text, all, cells->n);
    report_write(base->options, text.bytes, text.n);
    base->written = base->options->given[OPTION_OUTPUT];
}

static bool any_is_paused(const struct cells *cells)
{
    for (size_t i = 0; i < cells->n; i++)
        if (cells->answers[i].is_paused)
            return true;
    return false;
}

/* What the report of a cell needs: made before the certificates are written, as memory may not suffice. */
struct reported {
    struct base base;
    sinpos_base_trial trial;
};

static void settle_cells(const struct cells *cells, const sinpos_base_trial *first, struct reported *reported)
{
    for (size_t i = 0; i < cells->n; i++) {
        struct base *base = &reported[i].base;
        *base = *cells->base;
        base->model.plan = NULL;
        base_set_cell(base, i);
        reported[i].trial = (sinpos_base_trial){.passes = true};
        if (base->model.name != NULL)
            reported[i].trial = first != NULL ? *first : judge_model(base);
    }
}

static int report_cells(const struct cells *cells, const struct reported *reported)
{
    const bool is_list = cells->base->options->given[OPTION_JSON] != NULL && cells->n > 1;
    int code = EXIT_DONE;
    if (is_list) {
        emit_object(NULL);
        emit_array("results");
    }
    for (size_t i = 0; i < cells->n; i++) {
        const struct answer *answer = &cells->answers[i];
        report_cell(&reported[i].base, answer, &reported[i].trial);
        code = reported[i].trial.passes && (!answer->is_checked || answer->verdict.holds) ? code : EXIT_CHECK;
    }
    if (is_list) {
        emit_close();
        emit_close();
    }
    return code;
}

static int finish_cells(struct cells *cells, const sinpos_base_trial *first)
{
    const bool is_paused = any_is_paused(cells);
    OWNED struct reported *reported = memory_take(cells->n, sizeof *reported);
    settle_cells(cells, first, reported);
    if (cells->base->options->given[OPTION_OUTPUT] != NULL && !is_paused)
        write_certificates(cells);
    const int code = report_cells(cells, reported);
    if (is_paused)
        kept_pause(&cells->kept);
    else
        kept_end(&cells->kept);
    for (size_t i = 0; i < cells->n; i++) {
        base_model_free(&reported[i].base);
        sinpos_base_free(&cells->answers[i].certificate);
        free(cells->whys[i]);
    }
    return code;
}

int base_run_cells(struct base *base)
{
    struct cells cells = {.base = base, .n = base->n_dims * base->n_contexts};
    sinpos_base_trial trial;
    const bool is_alone = base->request->convention != NULL && cells.n == 1;
    OWNED struct answer *answers = cells.answers = memory_take(cells.n, sizeof *cells.answers);
    OWNED char **whys = cells.whys = memory_take(cells.n, sizeof *cells.whys);
    OWNED size_t *order = cells.order = memory_take(cells.n, sizeof *cells.order);
    sort_cells(&cells);
    base_set_cell(base, 0);
    if (is_alone && team_is_first())
        trial = judge_model(base);
    cells.kept = (struct kept){.options = base->options,
                               .n_blocks = cells.n,
                               .order = cells.order,
                               .context = &cells,
                               .make = make_cell,
                               .take = take_cell,
                               .is_finished = is_finished};
    kept_run(&cells.kept);
    const int code = team_is_first() ? finish_cells(&cells, is_alone ? &trial : NULL) : EXIT_DONE;
    base_model_free(base);
    return code;
}
