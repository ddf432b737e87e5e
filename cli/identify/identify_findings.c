/* identify_findings.c - findings, and other parts of an array that are encodings, for people and as JSON. */
#include <stdio.h>

#include "identified.h"
#include "json_out.h"

/* Those that do not lie side by side are listed, as far as they are known. */
static void json_columns(const sinpos_defect *defect)
{
    emit_unsigned("n_columns", defect->n_columns);
    emit_unsigned("first_column", defect->first_column);
    emit_unsigned("last_column", defect->last_column);
    if (defect->last_column - defect->first_column + 1 == defect->n_columns)
        return;
    emit_array("columns");
    for (size_t i = 0; i < defect->n_columns && i < SINPOS_IDENTITY_LISTED; i++)
        emit_unsigned(NULL, defect->column[i]);
    emit_close();
}

static void json_defect(const sinpos_defect *defect)
{
    emit_object(NULL);
    emit_text("kind", sinpos_defect_name(defect->kind));
    emit_text("what", defect->sentence);
    emit_text("repair", defect->repair);
    emit_real("value", defect->value);
    emit_unsigned("elements", defect->elements);
    emit_unsigned("first_row", defect->first_row);
    emit_unsigned("last_row", defect->last_row);
    json_columns(defect);
    emit_close();
}

/* One part of the array, with its own command. */
static void json_part(const sinpos_identity *part)
{
    struct identified own = {.identity = (sinpos_identity *)part};
    identify_make_command(&own);
    emit_object(NULL);
    emit_unsigned("first_row", part->first_row);
    emit_unsigned("rows", part->n);
    emit_array("columns");
    for (size_t j = 0; j < part->dim; j++)
        emit_unsigned(NULL, part->columns == NULL ? j : part->columns[j]);
    emit_close();
    emit_text("command", own.command.bytes);
    emit_unsigned("unexplained", part->unexplained);
    emit_close();
    identify_free_commands(&own);
}

void identify_json_findings(const sinpos_identity *identity)
{
    emit_array("defects");
    for (size_t i = 0; i < identity->n_defects; i++)
        json_defect(&identity->defects[i]);
    emit_close();
    emit_array("parts");
    for (size_t i = 0;
         i <= identity->n_others && (identity->n_others > 0 || identity->columns != NULL || identity->first_row > 0);
         i++)
        json_part(i == 0 ? identity : identity->others[i - 1]);
    emit_close();
}

void identify_print_findings(const sinpos_identity *identity)
{
    for (size_t i = 0; i < identity->n_defects; i++) {
        const sinpos_defect *defect = &identity->defects[i];
        printf("  %-10s %s: %s\n", i == 0 ? "findings" : "", sinpos_defect_name(defect->kind), defect->sentence);
        printf("             to mend it: %s\n", defect->repair);
    }
}

static void print_place(const sinpos_identity *part)
{
    printf("rows %zu to %zu", part->first_row, part->first_row + part->n - 1);
    if (part->columns != NULL && part->columns[part->dim - 1] - part->columns[0] + 1 == part->dim)
        printf(", columns %zu to %zu", part->columns[0], part->columns[part->dim - 1]);
    else if (part->columns != NULL)
        printf(", %zu columns from %zu to %zu", part->dim, part->columns[0], part->columns[part->dim - 1]);
}

void identify_print_part(const sinpos_identity *identity)
{
    if (identity->columns == NULL && identity->first_row == 0 && identity->n_others == 0)
        return;
    printf("  part       ");
    print_place(identity);
    puts(", numbered from 0 below");
}

void identify_print_others(const sinpos_identity *identity)
{
    for (size_t i = 0; i < identity->n_others; i++) {
        struct identified own = {.identity = identity->others[i]};
        identify_make_command(&own);
        printf("  other part ");
        print_place(own.identity);
        printf("\n             %s\n", own.command.n > 0 ? own.command.bytes : own.no_command);
        identify_free_commands(&own);
    }
}
