/* command_conventions.c - sinpos conventions: the catalogue, and one entry of it. */
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "convention_fields.h"
#include "json_out.h"
#include "nearest_convention.h"
#include "sinpos_conventions.h"

static bool is_blank(const char *text)
{
    return text == NULL || text[0] == '\0';
}

static void print_parameters(const sinpos_convention *c)
{
    puts("\nparameters:");
    for (size_t k = 0; k < SINPOS_MAX_PARAMETERS && c->parameters[k].name != NULL; k++) {
        const sinpos_parameter *p = &c->parameters[k];
        printf("  %-28s %-16s %s%s%s\n", p->name, p->fallback == NULL ? "(needed)" : p->fallback, p->meaning,
               p->role[0] == '\0' ? "" : "; --", p->role);
    }
}

/* Clauses that ';' separates stand on lines of their own. */
static void print_field(const struct convention_field *field)
{
    const char *at = field->text, *name = field->label;
    while (*at != '\0') {
        const size_t n = strcspn(at, ";");
        printf("  %-18s %.*s\n", name, (int)n, at);
        at += n + (at[n] == ';');
        at += strspn(at, " ");
        name = "";
    }
}

static void print_one(const sinpos_convention *c)
{
    struct convention_field fields[CONVENTION_FIELDS];
    const size_t n = convention_fields(c, fields);
    printf("%s: %s\n\n", c->name, c->summary);
    printf("source:  %s, %s, %s\n", c->repository, c->path, c->function);
    if (!is_blank(c->aliases)) {
        printf("also:    %s\n", c->aliases);
    }
    print_parameters(c);
    puts("\ndefinition:");
    for (size_t k = 0; k < n; k++) {
        print_field(&fields[k]);
    }
    if (!is_blank(c->weaknesses)) {
        printf("\nknown weaknesses: %s\n", c->weaknesses);
    }
    if (!is_blank(c->apart)) {
        printf("\nstands apart: %s\n", c->apart);
    }
}

static void json_one(const sinpos_convention *c)
{
    struct convention_field fields[CONVENTION_FIELDS];
    const size_t n = convention_fields(c, fields);
    emit_object(NULL);
    emit_text("name", c->name);
    emit_text("aliases", is_blank(c->aliases) ? "" : c->aliases);
    emit_text("summary", c->summary);
    emit_text("repository", c->repository);
    emit_text("path", c->path);
    emit_text("function", c->function);
    emit_text("weaknesses", is_blank(c->weaknesses) ? "" : c->weaknesses);
    if (is_blank(c->apart)) {
        emit_null("apart");
    } else {
        emit_text("apart", c->apart);
    }
    emit_array("parameters");
    for (size_t k = 0; k < SINPOS_MAX_PARAMETERS && c->parameters[k].name != NULL; k++) {
        const sinpos_parameter *p = &c->parameters[k];
        emit_object(NULL);
        emit_text("name", p->name);
        if (p->fallback == NULL) {
            emit_null("default");
        } else {
            emit_literal("default", p->fallback);
        }
        emit_text("role", p->role);
        emit_text("meaning", p->meaning);
        emit_close();
    }
    emit_close();
    emit_object("definition");
    for (size_t k = 0; k < n; k++) {
        emit_text(fields[k].label, fields[k].text);
    }
    emit_close();
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
            printf("%-34s %s%s\n", c->name, c->summary, is_blank(c->apart) ? "" : " (stands apart)");
        }
    }
    if (json) {
        emit_close();
        emit_close();
    }
}

static int command_run(const struct options *options)
{
    const bool json = options->given[OPTION_JSON] != NULL;
    if (options->n_operands == 0) {
        list_all(json);
        return finish_output();
    }
    const sinpos_convention *c = sinpos_convention_find(options->operands[0]);
    if (c == NULL) {
        char hint[400], near[NEAREST_CONVENTIONS_BYTES];
        const bool any = nearest_conventions(options->operands[0], near);
        snprintf(hint, sizeof hint, "did you mean %s? 'sinpos conventions' lists all", near);
        return complain(EXIT_USAGE, any ? hint : "'sinpos conventions' lists them", options->operands[0],
                        "there is no convention of that name");
    }
    if (json) {
        json_one(c);
    } else {
        print_one(c);
    }
    return finish_output();
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
    .n_operands_least = 0,
    .n_operands_most = 1,
    .run = command_run,
};
