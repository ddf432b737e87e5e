#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "commands.h"
#include "json_out.h"
#include "request.h"

/* For show(), which is called from within the benchmark. */
static struct {
    bool json, begun;
} output;

static void print_heading(void)
{
    printf("%-37s %7s %10s %8s %8s  %s\n", "", "ratio", "wanted", "ours", "theirs", "lowest .. highest ratio");
}

static void print_rate(double gb_per_s)
{
    if (gb_per_s > 0.0)
        printf(" %8.2f", gb_per_s);
    else
        printf(" %8s", "");
}

static bool falls_short(const struct bench_result *result)
{
    return result->wanted > 0.0 &&
           (result->lower_is_better ? result->ratio > result->wanted : result->ratio < result->wanted);
}

static void print_result(const struct bench_result *result)
{
    printf("%-37s", result->key);
    if (!result->measured) {
        printf(" %7s\n", "-");
        return;
    }
    printf(" %7.2f", result->ratio);
    if (result->wanted > 0.0)
        printf(" %s %7.4g", result->lower_is_better ? "<=" : ">=", result->wanted);
    else
        printf(" %10s", "");
    print_rate(result->ours_gb_per_s);
    print_rate(result->theirs_gb_per_s);
    printf("  %.2f .. %.2f%s%s\n", result->lowest, result->highest, falls_short(result) ? "  short" : "",
           result->suspect != NULL ? "  suspect" : "");
}

static void show(const struct bench_result *result)
{
    if (!output.json) {
        if (!output.begun)
            print_heading();
        output.begun = true;
        print_result(result);
        fflush(stdout);
    }
    if (result->needs != NULL)
        fprintf(stderr, "%s: not measured: needs %s\n", result->key, result->needs);
    if (result->suspect != NULL)
        fprintf(stderr, "%s: the side it is measured against: %s\n", result->key, result->suspect);
}

static void print_summary(const struct bench_report *report)
{
    printf("\nRatios are medians over pairs of neighbouring runs (%zu; Python 5); rates are GB/s written.\n"
           "%s, %zu processors, %s, %zu thread%s unless said; dim 1024, base 10000.\n"
           "A plan of dim 1024 holds %.2f MiB for all types, %.2f MiB for float32.\n",
           report->n_pairs, report->cpu, report->processors, sinpos_isa(), report->threads,
           report->threads == 1 ? "" : "s", (double)report->plan_bytes / 1048576.0,
           (double)report->plan_bytes_f32 / 1048576.0);
}

/* Timings are not worth more digits. null for 0: not measured. */
static void write_rounded(const char *name, double number)
{
    char text[32];
    snprintf(text, sizeof text, "%.4g", number);
    emit_real(name, number > 0.0 ? strtod(text, NULL) : NAN);
}

static void write_rates(const struct bench_report *report)
{
    EMIT_OBJECT("gb_per_s");
    for (size_t i = 0; i < report->n_results; i++) {
        const struct bench_result *result = &report->results[i];
        if (!result->measured) {
            emit_null(result->key);
            continue;
        }
        EMIT_OBJECT(result->key);
        write_rounded("ours", result->ours_gb_per_s);
        write_rounded("theirs", result->theirs_gb_per_s);
    }
}

static void write_spread(const struct bench_report *report)
{
    EMIT_OBJECT("spread");
    for (size_t i = 0; i < report->n_results; i++) {
        const struct bench_result *result = &report->results[i];
        if (!result->measured) {
            emit_null(result->key);
            continue;
        }
        EMIT_ARRAY(result->key);
        write_rounded(NULL, result->lowest);
        write_rounded(NULL, result->highest);
    }
}

static void write_missing(const struct bench_report *report)
{
    emit_object("not_measured");
    for (size_t i = 0; i < report->n_results; i++)
        if (report->results[i].needs != NULL)
            emit_text(report->results[i].key, report->results[i].needs);
    emit_close();
    EMIT_OBJECT("suspect");
    for (size_t i = 0; i < report->n_results; i++)
        if (report->results[i].suspect != NULL)
            emit_text(report->results[i].key, report->results[i].suspect);
}

static void write_peer(const char *name, const char *version)
{
    emit_text(name, version[0] == '\0' ? NULL : version);
}

static void write_machine(const struct bench_report *report)
{
    emit_object("machine");
    emit_text("cpu", report->cpu);
    emit_text("isa", sinpos_isa());
    emit_unsigned("threads", report->threads);
    emit_unsigned("processors", report->processors);
    emit_close();
    EMIT_OBJECT("peers");
    write_peer("sleef", report->sleef);
    write_peer("ggml", report->ggml);
    write_peer("torch", report->torch);
    write_peer("numpy", report->numpy);
}

static void write_report(const struct bench_report *report, bool quick)
{
    EMIT_OBJECT(NULL);
    for (size_t i = 0; i < report->n_results; i++)
        write_rounded(report->results[i].key, report->results[i].measured ? report->results[i].ratio : 0);
    emit_unsigned("plan_bytes_d1024", report->plan_bytes);
    emit_unsigned("plan_bytes_d1024_f32", report->plan_bytes_f32);
    write_rates(report);
    write_spread(report);
    write_missing(report);
    write_machine(report);
    emit_unsigned("pairs", report->n_pairs);
    emit_bool("quick", quick);
    emit_text("version", sinpos_version());
}

static noreturn void fail_key(const struct bench_trouble *trouble)
{
    char hint[120];
    size_t n = 0;
    while (bench_key(n) != NULL)
        n++;
    const char *near = nearest_name(trouble->what, bench_key, n);
    if (near != NULL)
        snprintf(hint, sizeof hint, "did you mean %s?", near);
    else
        snprintf(hint, sizeof hint, "the keys are those of the report, such as %s,%s", bench_key(0), bench_key(2));
    fail(EXIT_USAGE, hint, trouble->what, "names nothing that is measured");
}

static int command_run(const struct request *wanted)
{
    const struct options *options = wanted->options;
    static struct bench_report report;
    struct bench_trouble trouble = {"", ""};
    const struct bench_request request = {.only = options->given[OPTION_ONLY],
                                          .threads = options->threads == 0 ? 1 : options->threads,
                                          .quick = options->given[OPTION_QUICK] != NULL};

    output.json = options->given[OPTION_JSON] != NULL;
    const enum bench_outcome outcome = bench_run(&request, &report, show, &trouble);
    switch (outcome) {
    case BENCH_DONE: break;
    case BENCH_WRONG:
        fail(EXIT_CHECK, "the library does not work on this machine: please report it", trouble.what, "%s",
             trouble.why);
    case BENCH_BAD_KEY: fail_key(&trouble);
    case BENCH_MEMORY: fail_memory();
    case BENCH_FAILED: fail(EXIT_FILE, "", trouble.what, "%s", trouble.why);
    }
    if (output.json)
        write_report(&report, request.quick);
    else
        print_summary(&report);
    return EXIT_DONE;
}

const struct command bench_command = {
    .name = "bench",
    .bit = COMMAND_BENCH,
    .summary = "measure speed against the machine's limits and other libraries",
    .usage = "[--json] [options]",
    .description = "Times the library in one run against memset and the other libraries that are installed.",
    .examples = "  sinpos bench --json\n",
    .run = command_run,
};
