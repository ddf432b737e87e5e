/* command_conventions.c - sinpos conventions: the catalogue, and one entry of it. */
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "convention_fields.h"
#include "json_out.h"
#include "nearest_convention.h"
#include "request.h"
#include "sinpos_conventions.h"

static void print_parameters(const sinpos_convention *c)
{
    puts("\nparameters:");
    for (size_t k = 0; k < sinpos_convention_parameters(c); k++) {
        const char *fallback = sinpos_convention_parameter(c, k, "default");
        const char *role = sinpos_convention_parameter(c, k, "role");
        printf("  %-28s %-16s %s%s%s\n", sinpos_convention_parameter(c, k, "name"),
               fallback == NULL ? "(needed)" : fallback, sinpos_convention_parameter(c, k, "meaning"),
               role[0] == '\0' ? "" : "; --", role);
    }
}

/* Clauses that ';' separates begin lines of their own; the lines of a formula stay, below each other. */
static void print_field(const struct convention_field *field)
{
    printf("  %-18s ", field->label);
    for (const char *at = field->text; *at != '\0'; at++) {
        const bool ends_clause = *at == ';' && at[1 + strspn(at + 1, " ")] != '\0';
        if (*at == '\n' || ends_clause) {
            printf("\n%21s", "");
            at += ends_clause ? strspn(at + 1, " ") : 0;
        } else if (*at != ';') {
            putchar(*at);
        }
    }
    putchar('\n');
}

static void print_text(const sinpos_convention *c, const char *field, const char *label)
{
    const char *text = sinpos_convention_text(c, field);
    if (text != NULL)
        printf("%s%s\n", label, text);
}

static void print_one(const sinpos_convention *c)
{
    struct convention_field fields[CONVENTION_FIELDS];
    const size_t n = convention_fields(c, fields);
    printf("%s: %s\n\n", sinpos_convention_name(c), sinpos_convention_text(c, "summary"));
    printf("source:  %s, %s, %s\n", sinpos_convention_text(c, "repository"), sinpos_convention_text(c, "path"),
           sinpos_convention_text(c, "function"));
    print_text(c, "aliases", "also:    ");
    print_parameters(c);
    puts("\ndefinition:");
    for (size_t k = 0; k < n; k++)
        print_field(&fields[k]);
    print_text(c, "weaknesses", "\nknown weaknesses: ");
    print_text(c, "apart", "\nneeds more than positions: ");
}

static void json_one(const sinpos_convention *c)
{
    static const char *const texts[] = {"name", "aliases", "summary", "repository", "path", "function", "weaknesses"};
    struct convention_field fields[CONVENTION_FIELDS];
    const size_t n = convention_fields(c, fields);
    EMIT_OBJECT(NULL);
    for (size_t k = 0; k < sizeof texts / sizeof texts[0]; k++) {
        const char *text = sinpos_convention_text(c, texts[k]);
        emit_text(texts[k], text == NULL ? "" : text);
    }
    emit_text("apart", sinpos_convention_text(c, "apart"));
    emit_array("parameters");
    for (size_t k = 0; k < sinpos_convention_parameters(c); k++) {
        EMIT_OBJECT(NULL);
        emit_text("name", sinpos_convention_parameter(c, k, "name"));
        emit_literal("default", sinpos_convention_parameter(c, k, "default"));
        emit_text("role", sinpos_convention_parameter(c, k, "role"));
        emit_text("meaning", sinpos_convention_parameter(c, k, "meaning"));
    }
    emit_close();
    emit_object("definition");
    for (size_t k = 0; k < n; k++)
        emit_text(fields[k].label, fields[k].text);
    emit_close();
}

static void list_all(bool json)
{
    if (json) {
        emit_object(NULL);
        emit_array("conventions");
    }
    for (size_t k = 0; k < sinpos_conventions_count(); k++) {
        const sinpos_convention *c = sinpos_convention_at(k);
        if (json) {
            json_one(c);
        } else {
            printf("%-34s %s%s\n", sinpos_convention_name(c), sinpos_convention_text(c, "summary"),
                   sinpos_convention_text(c, "apart") == NULL ? "" : " (needs more than positions)");
        }
    }
    if (json) {
        emit_close();
        emit_close();
    }
}

static noreturn void fail_name(const char *name)
{
    char hint[400], near[NEAREST_CONVENTIONS_BYTES];
    const bool any = nearest_conventions(name, near);
    snprintf(hint, sizeof hint, "did you mean %s? 'sinpos conventions' lists all", near);
    fail(EXIT_USAGE, any ? hint : "'sinpos conventions' lists them", name, "no convention has this name");
}

static int command_run(const struct request *request)
{
    const struct options *options = request->options;
    const bool json = options->given[OPTION_JSON] != NULL;
    const sinpos_convention *c = options->n_operands == 0 ? NULL : sinpos_convention_find(options->operands[0]);
    if (options->n_operands == 0)
        list_all(json);
    else if (c == NULL)
        fail_name(options->operands[0]);
    else if (json)
        json_one(c);
    else
        print_one(c);
    return EXIT_DONE;
}

const struct command conventions_command = {
    .name = "conventions",
    .bit = COMMAND_CONVENTIONS,
    .summary = "list the named definitions, or explain one",
    .usage = "[NAME] [options]",
    .description = "Lists every definition of a position encoding that has a name here, with a line each; with\n"
                   "NAME prints its parameters with their defaults, its formulas, where it comes from and what\n"
                   "goes wrong with it in practice.",
    .examples = "  sinpos conventions\n"
                "  sinpos conventions diffusers_timestep\n"
                "  sinpos table --convention diffusers_timestep --set flip_sin_to_cos=true --positions 0,250.5\n",
    .n_operands_most = 1,
    .run = command_run,
};
