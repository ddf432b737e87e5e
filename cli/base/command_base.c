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

/* Whole numbers between commas, at most `most` of them. */
static size_t read_sizes(const struct options *options, enum option_id id, size_t numbers[], size_t most, size_t least,
                         size_t greatest, const char *hint)
{
    const char *text = options->given[id];
    for (size_t n = 0; true; n++) {
        char one[32];
        const size_t length = strcspn(text, ",");
        snprintf(one, sizeof one, "%.*s", length < sizeof one ? (int)length : 0, text);
        if (n == most || parse_size(one, least, greatest, &numbers[n]) != NULL) {
            fail_option(options, id, hint, "must be whole numbers from %zu to %zu, at most %zu of them", least,
                        greatest, most);
        }
        if (text[length] == '\0')
            return n + 1;
        text += length + 1;
    }
}

static void read_contexts(struct base *base)
{
    if (base->options->given[OPTION_CONTEXT] == NULL) {
        read_model_context(base);
        return;
    }
    base->n_contexts = read_sizes(base->options, OPTION_CONTEXT, base->contexts, MOST_CONTEXTS, 1,
                                  SINPOS_BASE_MAX_CONTEXT, "as in --context 4096 or --context 4096,32768");
}

static void read_dims(struct base *base)
{
    const struct options *options = base->options;
    base->dims[0] = options->spec.dim;
    base->n_dims = 1;
    if (options->given[OPTION_DIMS] == NULL)
        return;
    if (options->given[OPTION_DIM] != NULL)
        fail_option(options, OPTION_DIMS, "leave one of the two out", "cannot be combined with --dim");
    base->n_dims =
        read_sizes(options, OPTION_DIMS, base->dims, MOST_DIMS, 2, 2 * SINPOS_BASE_MAX_TONES, "as in --dims 64,128");
}

/* Finds out before hours of work whether a file can be written there. */
static void check_place(const char *path)
{
    FILE *file = fopen(path, "ab");
    const int number = errno;
    struct stat there;
    if (file == NULL)
        fail_errno(path, number, "check the spelling of the path and that its folder exists");
    const bool is_empty = fstat(fileno(file), &there) == 0 && S_ISREG(there.st_mode) && there.st_size == 0;
    fclose(file);
    if (is_empty && unlink(path) != 0)
        fail_errno(path, errno, "check the device and the folder");
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
    const char *output = options->given[OPTION_OUTPUT];
    if (output != NULL && strcmp(output, "-") == 0)
        fail_option(options, OPTION_OUTPUT, "write it to a file", "the report goes to standard output");
    kept_check(options);
    if (options->given[OPTION_PAUSE_AFTER] != NULL && options->given[OPTION_RESUME] == NULL)
        fail_option(options, OPTION_PAUSE_AFTER, "add -o FILE --resume", "needs a place to keep the search");
    if (output != NULL && team_is_first())
        check_place(output);
}

/* What a convention says itself, or leaves no choice of. */
static void check_named(const struct options *options)
{
    static const enum option_id others[] = {OPTION_PARTIAL, OPTION_PUBLISHED, OPTION_VERIFY, OPTION_DIMS};
    const int named = options->given[OPTION_FROM_CONFIG] != NULL  ? OPTION_FROM_CONFIG
                      : options->given[OPTION_CONVENTION] != NULL ? OPTION_CONVENTION
                                                                  : OPTION_SET;
    refuse_options(options, others, sizeof others / sizeof others[0],
                   "leave one out: a convention has its own columns and base", "cannot be combined with --%s",
                   option_types[named].name);
}

/* --------------------------------------------------------------------------------------------------------- runs */

static int verify_one(struct base *base, const sinpos_base_certificate *certificate)
{
    struct answer answer = {.certificate = *certificate};
    base_verify(base, &answer);
    if (!answer.is_checked)
        base_fail(SINPOS_E_UNSUPPORTED);
    if (base->options->given[OPTION_JSON] == NULL) {
        base_report_text(&answer);
    } else {
        EMIT_OBJECT(NULL);
        base_report_fields(&answer);
    }
    return answer.verdict.holds ? EXIT_DONE : EXIT_CHECK;
}

static int run_verify(struct base *base, const char *path)
{
    RELEASED_BY(base_file_close) struct base_file file;
    int code = EXIT_DONE;
    base_file_open(&file, path);
    const bool is_list = base->options->given[OPTION_JSON] != NULL && file.n > 1;
    if (is_list) {
        emit_object(NULL);
        emit_array("results");
    }
    while (base_file_next(&file))
        code = verify_one(base, &file.certificate) == EXIT_DONE ? code : EXIT_CHECK;
    if (is_list) {
        emit_close();
        emit_close();
    }
    return code;
}

static void refuse_team(const struct options *options, const char *why)
{
    if (team_is_many())
        fail(EXIT_USAGE, "use sinpos", options->command->name, "%s", why);
}

static int run_question(struct base *base)
{
    const struct options *options = base->options;
    const bool published = options->given[OPTION_PUBLISHED] != NULL, is_named = base->request->convention != NULL;
    const bool is_search = !published && options->given[OPTION_LENGTHS] == NULL && options->given[OPTION_BASE] == NULL;
    if (is_named)
        check_named(options);
    check_kept(options);
    if (!is_search)
        refuse_team(options, "only the search for smallest bases is work for several processes");
    if (!published || options->given[OPTION_CONTEXT] != NULL)
        read_contexts(base);
    if (published)
        return base_run_published(base);
    check_together(base);
    read_dims(base);
    for (size_t i = 0; !is_named && i < base->n_dims; i++)
        base_set_cell(base, i * base->n_contexts);
    if (is_search)
        return base_run_cells(base);
    return options->given[OPTION_LENGTHS] != NULL ? base_run_lengths(base) : base_run_try(base);
}

static int command_run(const struct request *request)
{
    const struct options *options = request->options;
    struct base base = {.request = request, .options = options, .stated = options->spec.base};
    const char *certificate = options->given[OPTION_VERIFY];
    if (certificate != NULL)
        refuse_team(options, "checking a certificate is no work for several processes");
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
        "-o FILE the certificates are kept; --verify FILE checks them again, with exit code 1 if one is wrong.\n"
        "With --resume the same command goes on after it was killed: FILE.journal keeps what is done.\n"
        "\n"
        "--base asks about one base: the exit code is 1 if it fails, and there is no search. --from-config and\n"
        "--convention judge the base that they state, with the columns and the scaling of the model; the search\n"
        "follows, unless --base replaces that base. Without --context the context is max_position_embeddings of\n"
        "the model. Scaled frequencies (YaRN, Llama 3, longrope) are not the powers of a base: they are judged in\n"
        "double precision, and the search is about the model without its scaling.",
    .examples = "  sinpos base --context 4096 --dim 128\n"
                "  sinpos base --context 32768 --dim 128 -o certificate.json\n"
                "  sinpos base --verify certificate.json\n"
                "  sinpos base --context 4096,1048576 --dims 64,128 -o certificates.json --resume\n"
                "  sinpos base --context 4096 --dim 128 --base 10000\n"
                "  sinpos base --from-config config.json\n"
                "  sinpos base --from-config config.json --base 1000000 --context 131072\n"
                "  sinpos base --lengths --context 32768 --train 4096 --dim 128 --base 10000\n",
    .run = command_run,
    .meanings = {[OPTION_OUTPUT] = "where the certificates go", [OPTION_DIMS] = "several D in turn"},
};
