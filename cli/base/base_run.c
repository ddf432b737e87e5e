/* base_run.c - one context: the search, its state kept in a file, the proof. */
#include "base_run.h"

#include <unistd.h>

#include "base_file.h"
#include "progress.h"

#define SAVE_EVERY_S 5
#define ROBUST_EFFORT ((uint64_t)1 << 22)

struct watch {
    struct base *base;
    const sinpos_base_certificate *certificate;
    size_t most_steps;
};

noreturn void base_fail(sinpos_status status)
{
    if (status == SINPOS_E_MEMORY)
        fail_memory();
    fail(EXIT_FILE, "build with FLINT (Debian: libflint-dev, libflint-arb-dev), or use a build that has it", "proof",
         "%s", status == SINPOS_E_UNSUPPORTED ? "this build has no ball arithmetic" : sinpos_strerror(status));
}

static int watch_search(void *context, double done)
{
    struct watch *watch = context;
    const char *state = watch->base->options->given[OPTION_RESUME];
    progress_reach(done);
    if (state != NULL && seconds_now() - watch->base->saved_at > SAVE_EVERY_S) {
        base_file_save(state, watch->certificate);
        watch->base->saved_at = seconds_now();
    }
    return watch->certificate->n_steps >= watch->most_steps;
}

static bool same_query(const sinpos_base_query *a, const sinpos_base_query *b)
{
    return a->context == b->context && a->n_tones == b->n_tones && a->shift == b->shift && a->divisor == b->divisor &&
           a->scale == b->scale && a->constant == b->constant;
}

/* The certificate that --resume holds, or an empty one. */
void base_load_state(struct base *base, sinpos_base_certificate *certificate)
{
    const char *state = base->options->given[OPTION_RESUME];
    if (state == NULL || access(state, F_OK) != 0) {
        if (sinpos_base_begin(certificate, &base->query) != SINPOS_OK)
            base_fail(SINPOS_E_VALUE);
        return;
    }
    base_file_load(state, certificate);
    if (!same_query(&certificate->query, &base->query)) {
        fail_option(base->options, OPTION_RESUME, "state the same question, or name another file",
                    "holds the search for another context or encoding");
    }
}

static void search(struct base *base, struct answer *answer)
{
    sinpos_base_certificate *c = &answer->certificate;
    const size_t pause = base->options->pause_after;
    struct watch watch = {base, c, pause == 0 ? SIZE_MAX : c->n_steps + pause};
    base->saved_at = seconds_now();
    progress_begin_part("searching");
    const double began = seconds_now();
    const sinpos_status status = sinpos_base_search(c, base->options->threads, watch_search, &watch);
    progress_clear();
    answer->search_s = seconds_now() - began;
    answer->is_paused = status == SINPOS_E_STOPPED;
    if (status == SINPOS_E_VALUE) {
        fail_option(base->options, OPTION_RESUME, "start again with another file",
                    "holds steps that do not follow each other");
    }
    if (status != SINPOS_OK && !answer->is_paused)
        base_fail(status);
}

static void find_robust(const struct base *base, struct answer *answer)
{
    progress_begin_part("all larger bases");
    const double began = seconds_now();
    const sinpos_status status =
        sinpos_base_robust_find(&answer->certificate, ROBUST_EFFORT, base->options->threads, progress_watch, NULL);
    progress_clear();
    answer->robust_s = seconds_now() - began;
    if (status != SINPOS_OK)
        base_fail(status);
}

void base_verify(const struct base *base, struct answer *answer)
{
    progress_begin_part("checking");
    const double began = seconds_now();
    const sinpos_status status =
        sinpos_base_verify(&answer->certificate, 1, &answer->verdict, base->options->threads, progress_watch, NULL);
    progress_clear();
    answer->verify_s = seconds_now() - began;
    answer->is_checked = status == SINPOS_OK;
    if (status != SINPOS_OK && status != SINPOS_E_UNSUPPORTED)
        base_fail(status);
}

static void save_state(const struct base *base, const struct answer *answer)
{
    const char *state = base->options->given[OPTION_RESUME];
    if (state != NULL)
        base_file_save(state, &answer->certificate);
}

void base_find(struct base *base, struct answer *answer)
{
    search(base, answer);
    save_state(base, answer);
    if (answer->is_paused)
        return;
    find_robust(base, answer);
    save_state(base, answer);
    base_verify(base, answer);
}
