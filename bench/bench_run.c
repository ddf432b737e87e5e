#define _POSIX_C_SOURCE 200809L

#include "bench.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "bars.h"

enum { PAIRS = MAX_PAIRS, FEW_PAIRS = 5, SLOW_PAIRS = 1, N_INTERPRETERS = 2 };

/* The Python processes, and which of them has what. */
struct interpreters {
    struct python running[N_INTERPRETERS];
    size_t n;
};

const char *bench_key(size_t i)
{
    return i < n_bars ? bars[i].key : NULL;
}

static bool is_python(const struct bar *bar)
{
    return bar->against >= TORCH && bar->against <= TORCH_LISTING_4;
}

/* Does the list name the key? */
static bool listed(const char *only, const char *key)
{
    const size_t length = strlen(key);
    for (const char *item = only; item; item = strchr(item, ',') ? strchr(item, ',') + 1 : NULL)
        if (strcspn(item, ",") == length && strncmp(item, key, length) == 0)
            return true;
    return false;
}

static bool wanted(const struct bench_request *request, const struct bar *bar)
{
    return !request->only || listed(request->only, bar->key);
}

/* The first name in the list that is not a key, with its length; NULL if all are. */
static const char *unknown_key(const char *only, size_t *length)
{
    for (const char *item = only; item; item = item[*length] ? item + *length + 1 : NULL) {
        size_t i = 0;
        *length = strcspn(item, ",");
        while (i < n_bars && (strlen(bars[i].key) != *length || strncmp(bars[i].key, item, *length) != 0))
            i++;
        if (i == n_bars)
            return item;
    }
    return NULL;
}

static void describe_machine(struct bench_report *report)
{
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    char line[256];
    FILE *info = fopen("/proc/cpuinfo", "r");

    report->processors = processors > 0 ? (size_t)processors : 1;
    snprintf(report->cpu, sizeof report->cpu, "unknown");
    while (info && fgets(line, sizeof line, info)) {
        const char *colon = strchr(line, ':');
        if (strncmp(line, "model name", 10) != 0 || !colon)
            continue;
        snprintf(report->cpu, sizeof report->cpu, "%.*s", (int)strcspn(colon + 2, "\n"), colon + 2);
        break;
    }
    if (info)
        fclose(info);
}

/* The python3 of the path first, then the system's, which on Debian has the packaged modules. */
static void start_python(struct interpreters *interpreters, struct workbench *bench, struct bench_report *report)
{
    static const char *const names[N_INTERPRETERS] = {"python3", "/usr/bin/python3"};

    for (size_t i = 0; i < N_INTERPRETERS && (!bench->torch || !bench->numpy); i++) {
        struct python *python = &interpreters->running[interpreters->n];
        if (!python_start(python, names[i]))
            continue;
        interpreters->n++;
        if (!bench->torch && python_import(python, "torch", report->torch, sizeof report->torch))
            bench->torch = python;
        if (!bench->numpy && python_import(python, "numpy", report->numpy, sizeof report->numpy))
            bench->numpy = python;
    }
    if (!bench->torch)
        report->torch[0] = '\0';
    if (!bench->numpy)
        report->numpy[0] = '\0';
}

static bool plan_sizes(struct bench_report *report)
{
    sinpos_spec spec = SINPOS_SPEC_INIT;
    sinpos_plan *all, *f32;

    spec.dim = BENCH_DIM;
    if (sinpos_plan_create(&all, &spec) != SINPOS_OK)
        return false;
    spec.types = SINPOS_F32;
    const bool made = sinpos_plan_create(&f32, &spec) == SINPOS_OK;
    report->plan_bytes = sinpos_plan_bytes(all);
    report->plan_bytes_f32 = sinpos_plan_bytes(f32);
    sinpos_plan_destroy(all);
    sinpos_plan_destroy(f32);
    return made;
}

static enum bench_outcome trouble_with(struct bench_trouble *trouble, enum bench_outcome outcome, const char *what,
                                       const char *why)
{
    snprintf(trouble->what, sizeof trouble->what, "%s", what);
    snprintf(trouble->why, sizeof trouble->why, "%s", why);
    return outcome;
}

static enum bench_outcome compare(const struct workbench *bench, const struct bar *bar, size_t n_pairs,
                                  struct bench_result *result, struct bench_trouble *trouble)
{
    struct contest contest;
    struct figures figures = {.ratio = 0.0};

    if (!contest_begin(&contest, bench, bar))
        return trouble_with(trouble, BENCH_FAILED, bar->key, "the library refused to make a plan");
    result->suspect = other_side_is_wrong(&contest, bench, bar);
    const char *wrong = library_is_wrong(&contest, bar);
    if (!wrong)
        result->measured = measure(&contest.ours, &contest.theirs, result->lower_is_better, n_pairs, &figures);
    contest_end(&contest);
    if (wrong)
        return trouble_with(trouble, BENCH_WRONG, bar->key, wrong);
    if (!result->measured && !result->suspect)
        result->suspect = "it stopped working";
    result->ratio = figures.ratio;
    result->lowest = figures.lowest;
    result->highest = figures.highest;
    result->ours_gb_per_s = figures.ours_gb_per_s;
    result->theirs_gb_per_s = figures.theirs_gb_per_s;
    result->wanted = bar_wanted(bar, figures.theirs_gb_per_s);
    result->ours_seconds = figures.ours_seconds;
    return BENCH_DONE;
}

/* Listing 4 takes seconds; where the ratio is in the hundreds one pair is enough. */
static size_t pairs_of(const struct bar *bar, const struct bench_report *report)
{
    return bar->against == TORCH_LISTING_4 ? SLOW_PAIRS : is_python(bar) ? FEW_PAIRS : report->n_pairs;
}

static enum bench_outcome compare_all(const struct bench_request *request, const struct workbench *bench,
                                      struct bench_report *report, void (*each)(const struct bench_result *),
                                      struct bench_trouble *trouble)
{
    enum bench_outcome outcome = BENCH_DONE;

    for (size_t i = 0; i < n_bars && outcome == BENCH_DONE; i++) {
        const struct bar *bar = &bars[i];
        struct bench_result *result = &report->results[report->n_results];
        if (!wanted(request, bar))
            continue;
        *result = (struct bench_result){.key = bar->key, .wanted = bar->wanted};
        result->lower_is_better = bar->work == MAKE_PLAN;
        result->needs = bar_needs(bench, bar);
        if (!result->needs)
            outcome = compare(bench, bar, pairs_of(bar, report), result, trouble);
        if (outcome == BENCH_DONE) {
            report->n_results++;
            each(result);
        }
    }
    return outcome;
}

enum bench_outcome bench_run(const struct bench_request *request, struct bench_report *report,
                             void (*each)(const struct bench_result *result), struct bench_trouble *trouble)
{
    struct workbench bench = {.threads = request->threads, .quick = request->quick};
    struct interpreters interpreters = {.n = 0};
    enum bench_outcome outcome = BENCH_MEMORY;
    bool python_asked = false;
    size_t length = 0;
    const char *unknown = request->only ? unknown_key(request->only, &length) : NULL;

    memset(report, 0, sizeof *report);
    report->threads = request->threads;
    report->n_pairs = request->quick ? FEW_PAIRS : PAIRS;
    describe_machine(report);
    if (unknown) {
        snprintf(trouble->what, sizeof trouble->what, "%.*s", (int)(length < 60 ? length : 60), unknown);
        return BENCH_BAD_KEY;
    }
    if (!plan_sizes(report))
        return trouble_with(trouble, BENCH_FAILED, "dim 1024", "the library refused to make a plan");
    for (size_t i = 0; i < n_bars; i++)
        python_asked = python_asked || (is_python(&bars[i]) && wanted(request, &bars[i]));

    if (workbench_make(&bench)) {
        if (bench.has_sleef)
            snprintf(report->sleef, sizeof report->sleef, "libsleef.so.3, %s", bench.sleef.f32->isa);
        if (bench.ggml != NULL)
            snprintf(report->ggml, sizeof report->ggml, "%s", ggml_version_text(bench.ggml));
        if (python_asked)
            start_python(&interpreters, &bench, report);
        outcome = compare_all(request, &bench, report, each, trouble);
    }
    for (size_t i = 0; i < interpreters.n; i++)
        python_stop(&interpreters.running[i]);
    workbench_free(&bench);
    return outcome;
}
