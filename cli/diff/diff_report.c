#include "diff_report.h"

#include <inttypes.h>
#include <stdio.h>

#include "json_out.h"

static void print_shape(const struct diff_input *d)
{
    printf("%s (", SHOWN(d->name));
    for (size_t k = 0; k < d->n_dims; k++)
        printf(k > 0 ? " x %zu" : "%zu", d->shape[k]);
    printf(" %s)", sinpos_element_name((sinpos_element)d->table.type));
}

void diff_print(const struct diff_report *report)
{
    const sinpos_difference *found = report->found;
    printf("A = ");
    print_shape(report->a);
    printf("\nB = ");
    print_shape(report->b);
    printf("\n%s\n", found->same ? "the same: all elements are equal" : "not the same");
    for (size_t k = 0; k < found->n_causes; k++)
        printf("  %-12s %s\n", sinpos_diff_kind_name(found->causes[k].kind), found->causes[k].text);
    if (found->same)
        return;
    const char *what = found->n_causes == 0 ? "differ" : "differ beyond that";
    if (found->wrong == 0)
        printf("  %-12s none: this makes all %" PRIu64 " elements compared\n", "remaining", found->elements);
    else
        printf("  %-12s %" PRIu64 " of %" PRIu64 " elements %s, by up to %.3g\n", "remaining", found->wrong,
               found->elements, what, found->max_abs_error);
    if (report->command.n > 0)
        printf("  %-12s %s\n", "B is made by", report->command.bytes);
}

static void json_side(const char *name, double number, const char *word)
{
    if (word[0] != '\0')
        emit_text(name, word);
    else
        emit_real(name, number);
}

/* A list of columns, null where all are concerned; -1 for one that A lacks. */
static void json_columns(const sinpos_diff_cause *cause)
{
    if (cause->n_columns == 0) {
        emit_null("columns");
        return;
    }
    emit_array("columns");
    for (size_t j = 0; j < cause->n_columns; j++)
        emit_integer(NULL, cause->columns[j] == SINPOS_NONE ? -1 : (int64_t)cause->columns[j]);
    emit_close();
}

static void json_cause(const sinpos_diff_cause *cause)
{
    emit_object(NULL);
    emit_text("kind", sinpos_diff_kind_name(cause->kind));
    json_side("a", cause->a, cause->a_word);
    json_side("b", cause->b, cause->b_word);
    emit_sizes("rows", (const size_t[]){cause->first_row, cause->last_row}, 2);
    json_columns(cause);
    emit_text("text", cause->text);
    emit_close();
}

void diff_print_json(const struct diff_report *report)
{
    const sinpos_difference *found = report->found;
    emit_object(NULL);
    emit_text("a", report->a->name);
    emit_text("b", report->b->name);
    emit_bool("same", found->same);
    emit_array("causes");
    for (size_t k = 0; k < found->n_causes; k++)
        json_cause(&found->causes[k]);
    emit_close();
    emit_text("command", report->command.n > 0 ? report->command.bytes : NULL);
    emit_unsigned("elements", found->elements);
    emit_object("remaining");
    emit_unsigned("wrong", found->wrong);
    emit_real("max_abs_error", found->max_abs_error);
    emit_close();
    emit_close();
}
