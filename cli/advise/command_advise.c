/* command_advise.c - sinpos advise: what a context asks of a model's positions. */
#include <math.h>
#include <stdio.h>

#include "advise_subject.h"
#include "commands.h"
#include "json_out.h"
#include "progress.h"

static size_t read_context(const struct options *options)
{
    const char *text = options->given[OPTION_CONTEXT];
    size_t context = 0;
    if (text == NULL)
        fail(EXIT_USAGE, "as in 'sinpos advise config.json --context 131072'", "--context",
             "is needed: how many positions the model is to read");
    if (parse_size(text, 2, ADVICE_MAX_CONTEXT, &context) != NULL)
        fail_option(options, OPTION_CONTEXT, "as in --context 131072", "must be a whole number from 2 to %zu",
                    ADVICE_MAX_CONTEXT);
    return context;
}

static noreturn void fail_advice(const struct request *request, sinpos_status status, const sinpos_error *error)
{
    if (status == SINPOS_E_UNSUPPORTED && error->message[0] == '\0')
        fail(EXIT_USAGE, "name an encoding of consecutive positions by sines and cosines",
             request->convention == NULL ? "the encoding" : request->convention,
             "has rows that are not the positions of a sequence");
    if (error->message[0] != '\0' && status != SINPOS_E_MEMORY)
        fail_convention(request, error);
    fail_status(status);
}

static void print_json(const struct advised *advised, const struct advice *advice)
{
    emit_object(NULL);
    emit_text("encoding", advised->subject.words);
    emit_text("convention", advised->subject.convention);
    emit_unsigned("context", advised->subject.context);
    emit_array("facts");
    for (size_t k = 0; k < advice->n; k++) {
        const struct advice_fact *fact = &advice->facts[k];
        emit_object(NULL);
        emit_text("id", fact->id);
        emit_real("value", fact->value);
        emit_object("values");
        for (size_t i = 0; i < fact->n_values; i++)
            emit_real(fact->values[i].name, fact->values[i].number);
        emit_close();
        emit_text("sentence", fact->sentence);
        emit_text("command", fact->command);
        emit_close();
    }
    emit_close();
    emit_close();
}

static void print_text(const struct advice *advice)
{
    for (size_t k = 0; k < advice->n; k++)
        printf("%s%s\n    %s\n", k == 0 ? "" : "\n", advice->facts[k].sentence, advice->facts[k].command);
}

static int command_run(const struct request *request)
{
    struct advised advised;
    struct advice advice;
    sinpos_error error = SINPOS_ERROR_INIT;
    const size_t context = read_context(request->options);
    advised_make(&advised, request);
    advised.subject.context = context;
    progress_begin_part("looking");
    const sinpos_status status = advice_make(&advice, &advised.subject, &error);
    progress_clear();
    if (status != SINPOS_OK)
        fail_advice(request, status, &error);
    if (request->options->given[OPTION_JSON] != NULL)
        print_json(&advised, &advice);
    else
        print_text(&advice);
    advice_free(&advice);
    advised_free(&advised);
    finish_output();
    return EXIT_DONE;
}

const struct command advise_command = {
    .name = "advise",
    .bit = COMMAND_ADVISE,
    .summary = "say what a longer context does to a model's positions, with numbers",
    .usage = "[PATH] --context L [options]",
    .description =
        "Of the model whose config.json, or folder, is PATH, or of the encoding that the options state: plain\n"
        "sentences about a context of L positions, each with a number, and below it the command that shows it.\n"
        "Trained against wanted length; tones that never complete a turn; the base against the smallest that\n"
        "keeps g(k) at 0 or above; what each scaling would do to near and far positions; from where on narrow\n"
        "types are off; which runtimes make other bytes; fields of the configuration without effect. This is no\n"
        "check: the exit code is 0.",
    .examples = "  sinpos advise config.json --context 131072\n"
                "  sinpos advise config.json --layers sliding_attention --context 32768 --json\n"
                "  sinpos advise --convention hf_rope --dim 128 --base 500000 --train 8192 --context 131072\n"
                "  sinpos advise --dim 128 --base 10000 --train 4096 --context 32768\n",
    .n_operands_most = 1,
    .operand_is_config = true,
    .run = command_run,
    .meanings = {[OPTION_CONTEXT] = "how many positions the model is to read: 2 to 2^26",
                 [OPTION_TRAIN] = "positions it was trained on (as the configuration says)"},
};
