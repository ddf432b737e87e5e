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

int base_complain(sinpos_status status)
{
    if (status == SINPOS_E_MEMORY)
        return complain_memory();
    return complain(EXIT_FILE, "build with FLINT (Debian: libflint-dev, libflint-arb-dev), or use a build that has it",
                    "proof", "%s",
                    status == SINPOS_E_UNSUPPORTED ? "this build has no ball arithmetic" : sinpos_strerror(status));
}

static int watch_search(void *context, double done)
{
    struct watch *watch = context;
    const char *state = watch->base->options->given[OPTION_RESUME];
    progress_reach(done);
    if (state != NULL && seconds_now() - watch->base->saved_at > SAVE_EVERY_S) {
        watch->base->save_code = base_file_save(state, watch->certificate);
        watch->base->saved_at = seconds_now();
    }
    return watch->base->save_code != EXIT_DONE || watch->certificate->n_steps >= watch->most_steps;
}

static bool same_query(const sinpos_base_query *a, const sinpos_base_query *b)
{
    return a->context == b->context && a->n_tones == b->n_tones && a->shift == b->shift && a->divisor == b->divisor &&
           a->scale == b->scale && a->constant == b->constant;
}

/* The certificate that --resume holds, or an empty one. */
int base_load_state(struct base *base, sinpos_base_certificate *certificate)
{
    const char *state = base->options->given[OPTION_RESUME];
    if (state == NULL || access(state, F_OK) != 0)
        return sinpos_base_begin(certificate, &base->query) == SINPOS_OK ? EXIT_DONE : base_complain(SINPOS_E_VALUE);
    const int code = base_file_load(state, certificate);
    if (code == EXIT_DONE && !same_query(&certificate->query, &base->query)) {
        sinpos_base_free(certificate);
        return complain_option(base->options, OPTION_RESUME, "state the same question, or name another file",
                               "holds the search for another context or encoding");
    }
    return code;
}

static int search(struct base *base, struct answer *answer)
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
    answer->is_paused = status == SINPOS_E_STOPPED && base->save_code == EXIT_DONE;
    if (base->save_code != EXIT_DONE)
        return base->save_code;
    if (status == SINPOS_E_VALUE) {
        return complain_option(base->options, OPTION_RESUME, "start again with another file",
                               "holds steps that do not follow each other");
    }
    if (status != SINPOS_OK && !answer->is_paused)
        return base_complain(status);
    return EXIT_DONE;
}

static int find_robust(const struct base *base, struct answer *answer)
{
    progress_begin_part("all larger bases");
    const double began = seconds_now();
    const sinpos_status status =
        sinpos_base_robust_find(&answer->certificate, ROBUST_EFFORT, base->options->threads, progress_watch, NULL);
    progress_clear();
    answer->robust_s = seconds_now() - began;
    return status == SINPOS_OK ? EXIT_DONE : base_complain(status);
}

int base_verify(const struct base *base, struct answer *answer)
{
    progress_begin_part("checking");
    const double began = seconds_now();
    const sinpos_status status =
        sinpos_base_verify(&answer->certificate, 1, &answer->verdict, base->options->threads, progress_watch, NULL);
    progress_clear();
    answer->verify_s = seconds_now() - began;
    answer->is_checked = status == SINPOS_OK;
    return status == SINPOS_OK || status == SINPOS_E_UNSUPPORTED ? EXIT_DONE : base_complain(status);
}

static int save_state(const struct base *base, const struct answer *answer)
{
    const char *state = base->options->given[OPTION_RESUME];
    return state == NULL ? EXIT_DONE : base_file_save(state, &answer->certificate);
}

int base_find(struct base *base, struct answer *answer)
{
    int code = search(base, answer);
    code = code != EXIT_DONE ? code : save_state(base, answer);
    code = code != EXIT_DONE || answer->is_paused ? code : find_robust(base, answer);
    code = code != EXIT_DONE || answer->is_paused ? code : save_state(base, answer);
    return code != EXIT_DONE || answer->is_paused ? code : base_verify(base, answer);
}
