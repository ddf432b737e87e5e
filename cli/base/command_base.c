/* command_base.c - sinpos base: the smallest base with g(k) >= 0 for every offset of a context, proved. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base_file.h"
#include "base_run.h"
#include "commands.h"
#include "from_config.h"
#include "json_out.h"
#include "progress.h"

/* ------------------------------------------------------------------------------------------------------ options */

/* As many as the model takes. */
static void read_model_context(struct base *base)
{
    const struct options *options = base->options;
    const char *config = options->given[OPTION_FROM_CONFIG];
    base->contexts[0] = from_config_context(base->request->config);
    base->n_contexts = 1;
    if (base->contexts[0] > SINPOS_BASE_MAX_CONTEXT) {
        fail(EXIT_USAGE, "state fewer offsets, as in --context 65536", config,
             "takes %zu positions, more than the %zu that can be looked at", base->contexts[0],
             SINPOS_BASE_MAX_CONTEXT);
    }
    if (base->contexts[0] == 0 && config != NULL) {
        fail(EXIT_USAGE, "state them, as in --context 4096", config,
             "does not state max_position_embeddings, the number of offsets that must have g >= 0");
    }
    if (base->contexts[0] == 0) {
        fail(EXIT_USAGE, "as in 'sinpos base --context 4096 --dim 128'", "--context",
             "is needed: the number of offsets that must have g >= 0");
    }
}

static void read_contexts(struct base *base)
{
    const char *text = base->options->given[OPTION_CONTEXT];
    if (text == NULL) {
        read_model_context(base);
        return;
    }
    while (true) {
        char one[32];
        const size_t length = strcspn(text, ",");
        snprintf(one, sizeof one, "%.*s", length < sizeof one ? (int)length : 0, text);
        if (base->n_contexts == MOST_CONTEXTS ||
            parse_size(one, 1, SINPOS_BASE_MAX_CONTEXT, &base->contexts[base->n_contexts]) != NULL) {
            fail_option(base->options, OPTION_CONTEXT, "as in --context 4096 or --context 4096,32768",
                        "must be whole numbers from 1 to %zu, at most %d of them", SINPOS_BASE_MAX_CONTEXT,
                        MOST_CONTEXTS);
        }
        base->n_contexts++;
        if (text[length] == '\0')
            return;
        text += length + 1;
    }
}

/* Finds out before hours of work whether a file can be written there. */
static void check_place(const char *path)
{
    FILE *file = fopen(path, "ab");
    const int number = errno;
    struct stat there;
    if (file == NULL)
        fail_errno(path, number, "check the spelling of the path and that its folder exists");
    fclose(file);
    if (stat(path, &there) == 0 && S_ISREG(there.st_mode) && there.st_size == 0)
        remove(path);
}

/* Only a search for the smallest base makes something that a file could keep. */
static void check_kept(const struct options *options)
{
    static const enum option_id kept[] = {OPTION_OUTPUT, OPTION_RESUME, OPTION_PAUSE_AFTER};
    const char *other = options->given[OPTION_PUBLISHED] != NULL ? "published"
                        : options->given[OPTION_LENGTHS] != NULL ? "lengths"
                        : options->given[OPTION_BASE] != NULL    ? "base"
                                                                 : NULL;
    if (other != NULL) {
        refuse_options(options, kept, sizeof kept / sizeof kept[0],
                       "leave one out: only a search for the smallest base can be kept", "cannot be combined with --%s",
                       other);
    }
}

static void check_together(const struct base *base)
{
    const struct options *options = base->options;
    const char *output = options->given[OPTION_OUTPUT], *state = options->given[OPTION_RESUME];
    if (base->n_contexts > 1 && (output != NULL || state != NULL)) {
        fail_option(options, output != NULL ? OPTION_OUTPUT : OPTION_RESUME, "ask for one context at a time",
                    "holds one context");
    }
    if (output != NULL && strcmp(output, "-") == 0)
        fail_option(options, OPTION_OUTPUT, "write it to a file", "the report goes to standard output");
    if (options->given[OPTION_PAUSE_AFTER] != NULL && state == NULL)
        fail_option(options, OPTION_PAUSE_AFTER, "name a file with --resume FILE", "needs a place to keep the search");
    if (output != NULL)
        check_place(output);
    if (state != NULL)
        check_place(state);
}

/* What a convention says itself, or leaves no choice of. */
static void check_named(const struct options *options)
{
    static const enum option_id others[] = {OPTION_PARTIAL, OPTION_PUBLISHED, OPTION_VERIFY};
    const int named = options->given[OPTION_FROM_CONFIG] != NULL  ? OPTION_FROM_CONFIG
                      : options->given[OPTION_CONVENTION] != NULL ? OPTION_CONVENTION
                                                                  : OPTION_SET;
    refuse_options(options, others, sizeof others / sizeof others[0],
                   "leave one out: a convention has its own columns and base", "cannot be combined with --%s",
                   option_types[named].name);
}

static void check_query(const struct options *options, const sinpos_base_query *query)
{
    static const char hint[] = "theta_i = C b^(-(i+S)/X) must fall from a finite C with i";
    sinpos_base_certificate empty;
    if (!(query->shift >= 0))
        fail_option(options, OPTION_SHIFT, hint, "must be 0 or more");
    if (!(query->divisor > 0))
        fail_option(options, OPTION_DIVISOR, hint, "must be above 0");
    if (!(query->scale > 0 && query->scale <= 1e6))
        fail_option(options, OPTION_SCALE, hint, "must be above 0, and at most 1e6");
    if (sinpos_base_begin(&empty, query) != SINPOS_OK)
        fail(EXIT_USAGE, hint, "the base", "cannot be searched for with these numbers");
}

static void make_query(struct base *base)
{
    const struct options *options = base->options;
    const sinpos_spec *spec = &options->spec;
    if (options->partial > spec->dim)
        fail_option(options, OPTION_PARTIAL, "--dim D is the number of all columns", "is more than there are columns");
    const size_t dim = options->partial > 0 ? options->partial : spec->dim;
    const double half = spec->odd == SINPOS_ZERO ? (double)(dim / 2) : (double)dim / 2;
    base->query =
        (sinpos_base_query){.context = base->contexts[0],
                            .n_tones = dim / 2,
                            .shift = spec->shift,
                            .divisor = options->given[OPTION_DIVISOR] != NULL ? spec->divisor : half,
                            .scale = spec->scale,
                            .constant = options->given[OPTION_STILL] != NULL ? (double)(spec->dim / 2 - dim / 2) : 0};
    if (dim < 2 || dim / 2 > SINPOS_BASE_MAX_TONES) {
        fail_option(options, OPTION_DIM, "a rotated pair takes two columns",
                    "must be from 2 to 65536 for this question");
    }
    check_query(options, &base->query);
}

/* --------------------------------------------------------------------------------------------------------- runs */

static void run_context(struct base *base, struct answer *answer)
{
    const char *output = base->options->given[OPTION_OUTPUT];
    base_load_state(base, &answer->certificate);
    base_find(base, answer);
    if (output != NULL && !answer->is_paused) {
        base_file_save(output, &answer->certificate);
        base->written = output;
    }
}

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

static void report_json(const struct base *base, const struct answer *answer, const sinpos_base_trial *trial)
{
    EMIT_OBJECT(NULL);
    base_report_fields(answer);
    if (base->model.name != NULL) {
        EMIT_OBJECT("stated");
        base_trial_json(base, trial);
    }
}

static void report(const struct base *base, const struct answer *answer, const sinpos_base_trial *trial)
{
    if (base->options->given[OPTION_JSON] != NULL)
        report_json(base, answer, trial);
    else
        base_report_text(answer);
}

static int run_one(struct base *base)
{
    struct answer answer = {0};
    sinpos_base_trial trial = {.passes = true};
    if (base->model.name != NULL)
        trial = judge_model(base);
    run_context(base, &answer);
    report(base, &answer, &trial);
    sinpos_base_free(&answer.certificate);
    return trial.passes && (!answer.is_checked || answer.verdict.holds) ? EXIT_DONE : EXIT_CHECK;
}

static int run_verify(struct base *base, const char *path)
{
    struct answer answer = {0};
    base_file_load(path, &answer.certificate);
    base_verify(base, &answer);
    if (!answer.is_checked)
        base_fail(SINPOS_E_UNSUPPORTED);
    report(base, &answer, NULL);
    sinpos_base_free(&answer.certificate);
    return answer.verdict.holds ? EXIT_DONE : EXIT_CHECK;
}

static int run_question(struct base *base)
{
    const struct options *options = base->options;
    const bool published = options->given[OPTION_PUBLISHED] != NULL, is_named = base->request->convention != NULL;
    if (is_named)
        check_named(options);
    check_kept(options);
    if (!published || options->given[OPTION_CONTEXT] != NULL)
        read_contexts(base);
    if (published)
        return base_run_published(base);
    check_together(base);
    if (!is_named)
        make_query(base);
    if (options->given[OPTION_LENGTHS] != NULL)
        return base_run_lengths(base);
    return options->given[OPTION_BASE] != NULL ? base_run_try(base) : base_each_context(base, run_one);
}

static int command_run(const struct request *request)
{
    const struct options *options = request->options;
    struct base base = {.request = request, .options = options, .stated = options->spec.base};
    const char *certificate = options->given[OPTION_VERIFY];
    const int code =
        certificate != NULL && request->convention == NULL ? run_verify(&base, certificate) : run_question(&base);
    finish_output_after(base.written);
    return code;
}

const struct command base_command = {
    .name = "base",
    .bit = COMMAND_BASE,
    .summary = "find the smallest base whose g(k) stays >= 0 over a context, with a proof",
    .usage = "--context L [options] | --from-config PATH [options]",
    .description =
        "Looks for the smallest base b > 1 with g(k) = sum of cos(k theta_i) >= 0 for all offsets k < L, and\n"
        "proves it: intervals that cover all smaller bases, each with an offset where g is negative, and all\n"
        "offsets at the base found. Passing bases may lie below failing ones, so nothing is bisected. With\n"
        "-o FILE the certificate is kept; --verify FILE checks it again, with exit code 1 if it is wrong.\n"
        "\n"
        "--base asks about one base: the exit code is 1 if it fails, and there is no search. --from-config and\n"
        "--convention judge the base that they state, with the columns and the scaling of the model; the search\n"
        "follows, unless --base replaces that base. Without --context the context is max_position_embeddings of\n"
        "the model. Scaled frequencies (YaRN, Llama 3, longrope) are not the powers of a base: they are judged in\n"
        "double precision, and the search is about the model without its scaling.",
    .examples = "  sinpos base --context 4096 --dim 128\n"
                "  sinpos base --context 32768 --dim 128 -o certificate.json\n"
                "  sinpos base --verify certificate.json\n"
                "  sinpos base --context 1048576 --dim 128 --resume search.json\n"
                "  sinpos base --context 4096 --dim 128 --base 10000\n"
                "  sinpos base --from-config config.json\n"
                "  sinpos base --from-config config.json --base 1000000 --context 131072\n"
                "  sinpos base --lengths --context 32768 --train 4096 --dim 128 --base 10000\n",
    .run = command_run,
};
