/* base_run.c - one context: the search, its state kept, the proof. */
#include "base_run.h"

#include "progress.h"

#define ROBUST_EFFORT ((uint64_t)1 << 22)

struct watch {
    const sinpos_base_certificate *certificate;
    size_t most_steps;
    base_keeper *keep;
    void *context;
};

noreturn void base_fail(sinpos_status status)
{
    if (status == SINPOS_E_MEMORY)
        fail_memory();
    fail(EXIT_FILE, "build with FLINT (Debian: libflint-dev, libflint-arb-dev), or use a build that has it", "proof",
         "%s", status == SINPOS_E_UNSUPPORTED ? "this build has no ball arithmetic" : sinpos_strerror(status));
}

static void keep(const struct watch *watch, bool is_far)
{
    if (watch->keep != NULL)
        watch->keep(watch->context, watch->certificate, is_far);
}

static int watch_search(void *context, double done)
{
    const struct watch *watch = context;
    progress_reach(done);
    keep(watch, false);
    return watch->certificate->n_steps >= watch->most_steps;
}

void base_begin(const struct base *base, sinpos_base_certificate *certificate)
{
    if (sinpos_base_begin(certificate, &base->query) != SINPOS_OK)
        base_fail(SINPOS_E_VALUE);
}

static void search(const struct base *base, struct answer *answer, struct watch *watch)
{
    progress_begin_part("searching");
    const double began = seconds_now();
    const sinpos_status status = sinpos_base_search(&answer->certificate, base->options->threads, watch_search, watch);
    progress_clear();
    answer->search_s = seconds_now() - began;
    answer->is_paused = status == SINPOS_E_STOPPED;
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

void base_find(const struct base *base, struct answer *answer, base_keeper *keeper, void *context)
{
    const size_t pause = base->options->pause_after, n = answer->certificate.n_steps;
    struct watch watch = {&answer->certificate, pause == 0 ? SIZE_MAX : n + pause, keeper, context};
    search(base, answer, &watch);
    keep(&watch, true);
    if (answer->is_paused)
        return;
    if (answer->certificate.robust.upper == 0) {
        find_robust(base, answer);
        keep(&watch, true);
    }
    base_verify(base, answer);
}
