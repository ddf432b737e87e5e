/* command_base.c - sinpos base: the smallest base with g(k) >= 0 for every offset of a context, proved. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base_file.h"
#include "commands.h"
#include "json_out.h"
#include "progress.h"
#include "sinpos_analysis.h"

#define MOST_CONTEXTS 64
#define SAVE_EVERY_S 5
#define ROBUST_EFFORT ((uint64_t)1 << 22)

struct base {
    const struct options *options;
    sinpos_base_query query; /* context apart */
    size_t contexts[MOST_CONTEXTS];
    size_t n_contexts;
    double saved_at;
    int save_code;
};

/* One context. */
struct answer {
    sinpos_base_certificate certificate;
    sinpos_base_verdict verdict;
    bool is_checked; /* by ball arithmetic; false where this build has none */
    bool is_paused;
    double search_s, robust_s, verify_s;
};

/* ------------------------------------------------------------------------------------------------------ options */

static int complain_context(const struct options *options)
{
    char why[120];
    snprintf(why, sizeof why, "must be whole numbers from 1 to %zu, at most %d of them", SINPOS_BASE_MAX_CONTEXT,
             MOST_CONTEXTS);
    return complain_option(options, OPTION_CONTEXT, "as in --context 4096 or --context 4096,32768", why);
}

static int read_contexts(struct base *base)
{
    const char *text = base->options->given[OPTION_CONTEXT];
    if (text == NULL) {
        return complain(EXIT_USAGE, "as in 'sinpos base --context 4096 --dim 128'", "--context",
                        "is needed: the number of offsets that must have g >= 0");
    }
    while (true) {
        char one[32];
        const size_t length = strcspn(text, ",");
        snprintf(one, sizeof one, "%.*s", length < sizeof one ? (int)length : 0, text);
        if (base->n_contexts == MOST_CONTEXTS ||
            parse_size(one, 1, SINPOS_BASE_MAX_CONTEXT, &base->contexts[base->n_contexts]) != NULL) {
            return complain_context(base->options);
        }
        base->n_contexts++;
        if (text[length] == '\0') {
            return EXIT_DONE;
        }
        text += length + 1;
    }
}

static int check_together(const struct base *base)
{
    const struct options *options = base->options;
    const char *output = options->given[OPTION_OUTPUT];
    if (base->n_contexts > 1 && (output != NULL || options->given[OPTION_RESUME] != NULL)) {
        return complain_option(options, output != NULL ? OPTION_OUTPUT : OPTION_RESUME, "ask for one context at a time",
                               "holds one context");
    }
    if (output != NULL && strcmp(output, "-") == 0) {
        return complain_option(options, OPTION_OUTPUT, "write it to a file", "the report goes to standard output");
    }
    if (options->given[OPTION_PAUSE_AFTER] != NULL && options->given[OPTION_RESUME] == NULL) {
        return complain_option(options, OPTION_PAUSE_AFTER, "name a file with --resume FILE",
                               "needs a place to keep the search");
    }
    return EXIT_DONE;
}

static int make_query(struct base *base)
{
    const struct options *options = base->options;
    const sinpos_spec *spec = &options->spec;
    if (options->partial > spec->dim) {
        return complain_option(options, OPTION_PARTIAL, "--dim D tells the columns of all",
                               "is more than there are columns");
    }
    const size_t dim = options->partial > 0 ? options->partial : spec->dim;
    const double half = spec->odd == SINPOS_ZERO ? (double)(dim / 2) : (double)dim / 2;
    base->query = (sinpos_base_query){.context = base->contexts[0],
                                      .n_tones = dim / 2,
                                      .shift = spec->shift,
                                      .divisor = options->given[OPTION_DIVISOR] != NULL ? spec->divisor : half,
                                      .scale = spec->scale};
    sinpos_base_certificate empty;
    if (dim < 2 || dim / 2 > SINPOS_BASE_MAX_TONES) {
        return complain_option(options, OPTION_DIM, "a rotated pair takes two columns",
                               "must be from 2 to 65536 for this question");
    }
    if (sinpos_base_begin(&empty, &base->query) != SINPOS_OK) {
        return complain(EXIT_USAGE, "theta_i = C b^(-(i+S)/X) must fall from a finite C with i",
                        "--shift, --divisor, --scale", "must be 0 or more, above 0, and above 0 up to 1e6");
    }
    return EXIT_DONE;
}

/* ----------------------------------------------------------------------------------------------------- searching */

static int complain_analysis(sinpos_status status)
{
    if (status == SINPOS_E_MEMORY) {
        return complain_memory();
    }
    return complain(EXIT_FILE, "build with FLINT (Debian: libflint-dev, libflint-arb-dev), or use a build that has it",
                    "proof", "%s",
                    status == SINPOS_E_UNSUPPORTED ? "this build has no ball arithmetic" : sinpos_strerror(status));
}

struct watch {
    struct base *base;
    const sinpos_base_certificate *certificate;
    size_t most_steps;
};

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

static int watch_part(void *context, double done)
{
    (void)context;
    progress_reach(done);
    return 0;
}

static bool same_query(const sinpos_base_query *a, const sinpos_base_query *b)
{
    return a->context == b->context && a->n_tones == b->n_tones && a->shift == b->shift && a->divisor == b->divisor &&
           a->scale == b->scale && a->constant == b->constant;
}

/* The certificate that --resume holds, or an empty one. */
static int load_state(struct base *base, sinpos_base_certificate *certificate)
{
    const char *state = base->options->given[OPTION_RESUME];
    FILE *file = state == NULL ? NULL : fopen(state, "r");
    if (file == NULL) {
        return sinpos_base_begin(certificate, &base->query) == SINPOS_OK ? EXIT_DONE
                                                                         : complain_analysis(SINPOS_E_VALUE);
    }
    fclose(file);
    const int code = base_file_load(state, certificate);
    if (code == EXIT_DONE && !same_query(&certificate->query, &base->query)) {
        sinpos_base_free(certificate);
        return complain_option(base->options, OPTION_RESUME, "state the same question, or name another file",
                               "holds the search for another context or encoding");
    }
    return code;
}

static void begin_bar(const struct base *base, const char *what)
{
    if (base->options->given[OPTION_QUIET] == NULL) {
        progress_begin_part(what);
    }
}

static int search(struct base *base, struct answer *answer)
{
    sinpos_base_certificate *c = &answer->certificate;
    const char *state = base->options->given[OPTION_RESUME];
    const size_t pause = base->options->pause_after;
    struct watch watch = {base, c, pause == 0 ? SIZE_MAX : c->n_steps + pause};
    base->saved_at = seconds_now();
    begin_bar(base, "searching");
    const double began = seconds_now();
    const sinpos_status status = sinpos_base_search(c, base->options->threads, watch_search, &watch);
    progress_clear();
    answer->search_s = seconds_now() - began;
    answer->is_paused = status == SINPOS_E_STOPPED && base->save_code == EXIT_DONE;
    if (base->save_code != EXIT_DONE) {
        return base->save_code;
    }
    if (status == SINPOS_E_VALUE) {
        return complain_option(base->options, OPTION_RESUME, "begin anew with another file",
                               "holds steps that do not follow each other");
    }
    if (status != SINPOS_OK && !answer->is_paused) {
        return complain_analysis(status);
    }
    return state == NULL ? EXIT_DONE : base_file_save(state, c);
}

static int find_robust(const struct base *base, struct answer *answer)
{
    begin_bar(base, "all larger bases");
    const double began = seconds_now();
    const sinpos_status status =
        sinpos_base_robust_find(&answer->certificate, ROBUST_EFFORT, base->options->threads, watch_part, NULL);
    progress_clear();
    answer->robust_s = seconds_now() - began;
    return status == SINPOS_OK ? EXIT_DONE : complain_analysis(status);
}

static int verify(const struct base *base, struct answer *answer)
{
    begin_bar(base, "checking");
    const double began = seconds_now();
    const sinpos_status status =
        sinpos_base_verify(&answer->certificate, 1, &answer->verdict, base->options->threads, watch_part, NULL);
    progress_clear();
    answer->verify_s = seconds_now() - began;
    answer->is_checked = status == SINPOS_OK;
    return status == SINPOS_OK || status == SINPOS_E_UNSUPPORTED ? EXIT_DONE : complain_analysis(status);
}

/* ------------------------------------------------------------------------------------------------------ reports */

static void json_bound(const char *name, double value)
{
    if (value == 0) {
        emit_null(name);
    } else {
        emit_real(name, value);
    }
}

static void json_offset(const char *name, int64_t offset)
{
    if (offset == 0) {
        emit_null(name);
    } else {
        emit_unsigned(name, (uint64_t)offset);
    }
}

static void json_answer(const struct answer *answer, const char *name)
{
    const sinpos_base_certificate *c = &answer->certificate;
    emit_object(name);
    emit_unsigned("context", c->query.context);
    emit_unsigned("tones", c->query.n_tones);
    emit_real("shift", c->query.shift);
    emit_real("divisor", c->query.divisor);
    emit_real("scale", c->query.scale);
    emit_text("outcome", base_outcome_name(c->outcome));
    emit_real("base_lower", c->base_lower);
    json_bound("base_upper", c->base_upper);
    json_offset("violated_at", c->violated_at);
    json_bound("robust_base", c->robust.upper);
    json_bound("robust_fails", c->robust.lower);
    json_offset("robust_violated_at", c->robust.offset);
    emit_bool("proved", answer->is_checked && answer->verdict.holds);
    if (answer->is_checked && !answer->verdict.holds) {
        emit_text("why", answer->verdict.why);
    }
    emit_unsigned("steps", c->n_steps);
    emit_real("search_seconds", answer->search_s);
    emit_real("robust_seconds", answer->robust_s);
    emit_real("verify_seconds", answer->verify_s);
    emit_close();
}

static void print_found(const sinpos_base_certificate *c)
{
    printf("  smallest base that passes   %.12g\n", c->base_upper);
    printf("  every base fails up to      %.12g\n", c->base_lower);
    printf("  where the last one fails    offset %" PRId64 "\n", c->violated_at);
}

static void print_result(const sinpos_base_certificate *c)
{
    switch (c->outcome) {
    case SINPOS_BASE_FOUND: print_found(c); return;
    case SINPOS_BASE_ANY: puts("  bases down to 1 pass"); return;
    case SINPOS_BASE_NONE: printf("  no base from 1 to %g passes\n", c->base_lower); return;
    case SINPOS_BASE_GAP:
        printf("  every base fails up to      %.12g\n  beyond it double precision cannot tell\n", c->base_lower);
        return;
    case SINPOS_BASE_OPEN:
    default: printf("  every base fails up to      %.12g so far\n", c->base_lower); return;
    }
}

/* What, printed with 10 digits, is not below the value. */
static double rounded_up(double value)
{
    return value == 1 ? 1 : value * (1 + 5e-10);
}

static bool has_islands(const sinpos_base_certificate *c)
{
    return c->outcome == SINPOS_BASE_FOUND && c->robust.lower > c->base_upper;
}

static void print_robust(const sinpos_base_certificate *c)
{
    const sinpos_base_robust *robust = &c->robust;
    if (robust->upper == 0) {
        printf("  all larger bases            not shown to pass from any base up to %g\n", SINPOS_BASE_MAX);
        return;
    }
    printf("  every base passes from      %.10g\n", rounded_up(robust->upper));
    if (has_islands(c)) {
        printf("  below that, one fails       %.10g, at offset %" PRId64 "\n", robust->lower, robust->offset);
    }
    if (robust->upper > robust->lower * (1 + 1e-7) && robust->lower > 0) {
        printf("  undecided                   some bases from %.9g to %.9g\n", fmax(robust->lower, c->base_upper),
               robust->upper);
    }
}

static void print_what_is_proved(const struct answer *answer)
{
    const sinpos_base_certificate *c = &answer->certificate;
    fputs("  proved in ball arithmetic   ", stdout);
    if (c->n_steps > 0) {
        printf("%zu intervals without a gap, each with an offset where g < 0\n", c->n_steps);
    }
    if (c->base_upper != 0) {
        printf("%*sall %zu offsets at the base that passes\n", c->n_steps > 0 ? 30 : 0, "", c->query.context);
    }
    if (answer->verdict.robust) {
        printf("%30sall offsets at every base from %.10g on\n", "", rounded_up(c->robust.upper));
    }
}

static void print_proof(const struct answer *answer)
{
    const sinpos_base_certificate *c = &answer->certificate;
    if (answer->is_paused) {
        printf("  paused after                %zu steps; the same command goes on\n", c->n_steps);
    } else if (!answer->is_checked) {
        puts("  not proved: this build has no ball arithmetic (FLINT); errors in double precision were bounded");
    } else if (!answer->verdict.holds) {
        printf("  NOT proved: %s (step %zu, offset %" PRId64 ")\n", answer->verdict.why, answer->verdict.step,
               answer->verdict.offset);
    } else {
        print_what_is_proved(answer);
    }
}

static void print_meaning(const sinpos_base_certificate *c)
{
    switch (c->outcome) {
    case SINPOS_BASE_FOUND:
        if (has_islands(c)) {
            printf("Bases between %.6g and %.6g pass and fail by turns; take the larger one to be free of that.\n",
                   c->base_upper, rounded_up(c->robust.upper));
        } else {
            printf("With a smaller base some offset below %zu has a negative product.\n", c->query.context);
        }
        return;
    case SINPOS_BASE_ANY: puts("The context is too short to ask anything of the base."); return;
    case SINPOS_BASE_NONE: puts("No base is large enough: more tones are needed."); return;
    case SINPOS_BASE_GAP:
    case SINPOS_BASE_OPEN:
    default: return;
    }
}

static void print_answer(const struct answer *answer)
{
    const sinpos_base_certificate *c = &answer->certificate;
    printf("context %zu: g(k) >= 0 for all k < %zu, with %zu tone%s theta_i = ", c->query.context, c->query.context,
           c->query.n_tones, c->query.n_tones == 1 ? "" : "s");
    if (c->query.scale != 1) {
        printf("%g ", c->query.scale);
    }
    if (c->query.shift != 0) {
        printf("b^(-(i + %g) / %g)\n", c->query.shift, c->query.divisor);
    } else {
        printf("b^(-i / %g)\n", c->query.divisor);
    }
    print_result(c);
    if (c->outcome != SINPOS_BASE_OPEN && c->outcome != SINPOS_BASE_NONE) {
        print_robust(c);
    }
    print_proof(answer);
    if (!answer->is_checked || answer->verdict.holds) {
        print_meaning(c);
    }
    putchar('\n');
}

/* --------------------------------------------------------------------------------------------------------- runs */

static int run_context(struct base *base, size_t context, struct answer *answer)
{
    const char *output = base->options->given[OPTION_OUTPUT];
    base->query.context = context;
    int code = load_state(base, &answer->certificate);
    code = code != EXIT_DONE ? code : search(base, answer);
    code = code != EXIT_DONE || answer->is_paused ? code : find_robust(base, answer);
    code = code != EXIT_DONE || answer->is_paused ? code : verify(base, answer);
    if (code == EXIT_DONE && output != NULL && !answer->is_paused) {
        code = base_file_save(output, &answer->certificate);
    }
    return code;
}

static int run_contexts(struct base *base)
{
    const bool json = base->options->given[OPTION_JSON] != NULL, many = base->n_contexts > 1;
    int worst = EXIT_DONE;
    if (json && many) {
        emit_object(NULL);
        emit_array("results");
    }
    for (size_t i = 0; i < base->n_contexts; i++) {
        struct answer answer = {0};
        const int code = run_context(base, base->contexts[i], &answer);
        if (code == EXIT_DONE && json) {
            json_answer(&answer, NULL);
        } else if (code == EXIT_DONE) {
            print_answer(&answer);
        }
        worst = answer.is_checked && !answer.verdict.holds ? EXIT_CHECK : worst;
        sinpos_base_free(&answer.certificate);
        if (code != EXIT_DONE) {
            return code;
        }
    }
    if (json && many) {
        emit_close();
        emit_close();
    }
    return worst;
}

static int run_verify(struct base *base, const char *path)
{
    struct answer answer = {0};
    int code = base_file_load(path, &answer.certificate);
    if (code != EXIT_DONE) {
        return code;
    }
    code = verify(base, &answer);
    if (code == EXIT_DONE && !answer.is_checked) {
        code = complain_analysis(SINPOS_E_UNSUPPORTED);
    } else if (code == EXIT_DONE) {
        if (base->options->given[OPTION_JSON] != NULL) {
            json_answer(&answer, NULL);
        } else {
            print_answer(&answer);
        }
        code = answer.verdict.holds ? EXIT_DONE : EXIT_CHECK;
    }
    sinpos_base_free(&answer.certificate);
    return code;
}

static int command_run(const struct options *options)
{
    struct base base = {.options = options};
    const char *certificate = options->given[OPTION_VERIFY];
    int code;
    if (certificate != NULL) {
        code = run_verify(&base, certificate);
    } else {
        code = read_contexts(&base);
        code = code != EXIT_DONE ? code : check_together(&base);
        code = code != EXIT_DONE ? code : make_query(&base);
        code = code != EXIT_DONE ? code : run_contexts(&base);
    }
    if (code != EXIT_DONE && code != EXIT_CHECK) {
        return code;
    }
    const int finished = finish_output();
    return finished == EXIT_DONE ? code : finished;
}

const struct command base_command = {
    .name = "base",
    .bit = COMMAND_BASE,
    .summary = "find the smallest base whose g(k) stays >= 0 over a context, with a proof",
    .usage = "--context L [options]",
    .description =
        "Looks for the smallest base b > 1 with g(k) = sum of cos(k theta_i) >= 0 for all offsets k < L, and\n"
        "proves it: intervals that cover all smaller bases, each with an offset where g is negative, and all\n"
        "offsets at the base found. Passing bases may lie below failing ones, so nothing is bisected. With\n"
        "-o FILE the certificate is kept; --verify FILE checks it anew, and ends with 1 if it does not hold.",
    .examples = "  sinpos base --context 4096 --dim 128\n"
                "  sinpos base --context 32768 --dim 128 -o certificate.json\n"
                "  sinpos base --verify certificate.json\n"
                "  sinpos base --context 1048576 --dim 128 --resume search.json\n",
    .n_operands_least = 0,
    .n_operands_most = 0,
    .run = command_run,
};
