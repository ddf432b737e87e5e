#include "audit_report.h"

#include <stdio.h>
#include <string.h>

#include "array_pieces.h"
#include "json_out.h"

#define N_WORST_COLUMNS 5

static const char *plane_text(const struct audit *audit, size_t plane)
{
    const bool cosine_first = audit->encoding.info.output == SINPOS_OUTPUT_COS_SIN;
    return (plane == 0) == cosine_first ? "cos" : "sin";
}

static bool has_planes(const struct audit *audit)
{
    return !audit->encoding.info.is_channel_first && audit->n_channels > audit->input.dim;
}

#define CHANNEL_TEXT_BYTES 80
/* "12: cos, theta 0.000316", "12 of the sines" */
static const char *channel_text(const struct audit *audit, size_t channel, char text[CHANNEL_TEXT_BYTES])
{
    if (has_planes(audit)) {
        snprintf(text, CHANNEL_TEXT_BYTES, "%zu of %s", channel % audit->input.dim,
                 plane_text(audit, channel / audit->input.dim));
    } else if (audit->channels == NULL || isnan(audit->channels[channel].theta)) {
        snprintf(text, CHANNEL_TEXT_BYTES, "%zu", channel);
    } else {
        const struct channel *held = &audit->channels[channel];
        char axis[32] = "";
        if (audit->encoding.positions.n_axes > 1)
            snprintf(axis, sizeof axis, " of %zu", held->axis);
        snprintf(text, CHANNEL_TEXT_BYTES, "%zu: %s%s, theta %.6g", channel, held->is_sin ? "sin" : "cos", axis,
                 held->theta);
    }
    return text;
}

/* ---------------------------------------------------------------------------------------------- reporting */

static const char *ulp_text(char text[32], uint64_t ulp)
{
    if (ulp == ULP_INFINITE)
        snprintf(text, 32, "NaN");
    else
        snprintf(text, 32, "%llu ulp", (unsigned long long)ulp);
    return text;
}

static const char *error_text(char text[32], double error)
{
    snprintf(text, 32, isfinite(error) ? "%.2e" : "infinite", error);
    return text;
}

/* "row 7, column 3 (position 12)" */
static void print_where(struct audit *audit, const struct place *place)
{
    char text[POSITION_TEXT_BYTES];
    const size_t row = place->row % audit->n_positions, position = audit_position(audit, place->row, place->column);
    positions_text(&audit->encoding.positions, position, text);
    if (audit->encoding.info.is_channel_first) {
        printf("column %zu at %s %s", place->row, audit->has_positions ? "position" : "cell", text);
        if (audit->input.n_blocks > 1)
            printf(" of array %zu", place->block);
        return;
    }
    if (has_planes(audit))
        printf("%s, row %zu, column %zu", plane_text(audit, place->row / audit->n_positions), row, place->column);
    else
        printf("row %zu, column %zu", place->block * audit->input.n + place->row, place->column);
    if (audit->has_positions)
        printf(" (position %s)", text);
}

static void print_place(struct audit *audit, const char *name, const struct place *place)
{
    char ulp[32], error[32];
    char got[SINPOS_DECIMAL_BYTES], want[SINPOS_DECIMAL_BYTES];
    sinpos_decimal(got, audit->input.type, place->got);
    sinpos_decimal(want, audit->input.type, place->want);
    printf("  %-6s ", name);
    print_where(audit, place);
    printf(": got %s, %s %s", got, audit->encoding.info.is_replayed ? "replayed" : "exact", want);
    if (place->ulp == ULP_INFINITE)
        putchar('\n');
    else
        printf(", off by %s, %s\n", error_text(error, place->abs_error), ulp_text(ulp, place->ulp));
}

static void print_difference(const char *name, const struct difference *difference)
{
    char ulp[32], error[32];
    printf("  %-34s %12llu %7.2f %% %16s %12s\n", name, (unsigned long long)difference->wrong,
           100.0 * (double)difference->wrong / (double)difference->elements, ulp_text(ulp, difference->max_ulp),
           error_text(error, difference->max_abs_error));
}

static void print_ranges(struct audit *audit)
{
    printf("\n  %-34s %12s %9s %16s %12s\n", audit->has_positions ? "positions" : "rows", "wrong", "", "worst",
           "worst abs");
    for (size_t range = 0; range < audit->n_ranges; range++) {
        char first[POSITION_TEXT_BYTES], last[POSITION_TEXT_BYTES], name[2 * POSITION_TEXT_BYTES + 8];
        const size_t begin = audit_range_begin(audit, range), end = audit_range_begin(audit, range + 1);
        positions_text(&audit->encoding.positions, begin, first);
        positions_text(&audit->encoding.positions, end - 1, last);
        snprintf(name, sizeof name, end - begin == 1 ? "%s" : "%s to %s", first, last);
        print_difference(name, &audit->ranges[range]);
    }
}

static bool is_worse_column(const struct difference *a, const struct difference *b)
{
    if (a->max_ulp == ULP_INFINITE || b->max_ulp == ULP_INFINITE)
        return a->max_ulp > b->max_ulp;
    return a->max_abs_error > b->max_abs_error;
}

/* The columns with the largest absolute errors, worst first. Returns how many have wrong elements. */
static size_t worst_columns(const struct audit *audit, size_t worst[N_WORST_COLUMNS])
{
    size_t n = 0;
    for (size_t column = 0; column < audit->n_channels; column++) {
        if (audit->columns[column].wrong == 0)
            continue;
        size_t at = n < N_WORST_COLUMNS ? n++ : N_WORST_COLUMNS;
        while (at > 0 && is_worse_column(&audit->columns[column], &audit->columns[worst[at - 1]])) {
            if (at < N_WORST_COLUMNS)
                worst[at] = worst[at - 1];
            at--;
        }
        if (at < N_WORST_COLUMNS)
            worst[at] = column;
    }
    return n;
}

static void print_columns(const struct audit *audit)
{
    size_t worst[N_WORST_COLUMNS];
    const size_t n = worst_columns(audit, worst);
    printf("\n  %-34s %12s %9s %16s %12s\n", "worst columns", "wrong", "", "worst", "worst abs");
    for (size_t i = 0; i < n; i++) {
        char name[CHANNEL_TEXT_BYTES];
        print_difference(channel_text(audit, worst[i], name), &audit->columns[worst[i]]);
    }
}

static void print_total(const struct audit *audit)
{
    const struct difference *total = &audit->total;
    char ulp[32], error[32];
    printf("  %llu of %llu elements are wrong (%.2f %%)", (unsigned long long)total->wrong,
           (unsigned long long)total->elements, 100.0 * (double)total->wrong / (double)total->elements);
    if (total->max_ulp == ULP_INFINITE)
        puts(", some are not numbers");
    else
        printf(", by up to %s and %s\n", error_text(error, total->max_abs_error), ulp_text(ulp, total->max_ulp));
}

static void print_head(struct audit *audit)
{
    char shape[SHAPE_TEXT_BYTES], own[ENCODING_SHAPE_BYTES], span[POSITIONS_SPAN_BYTES];
    const sinpos_encoding_info *info = &audit->encoding.info;
    printf("%s: %s %s, ", SHOWN(audit->input.path), shape_text(audit->input.array, shape),
           sinpos_element_name(audit->input.array->element));
    if (info->convention != NULL) {
        printf("%s %s%s%s", sinpos_convention_name(info->convention),
               info->output == SINPOS_OUTPUT_TABLE ? "" : "output ",
               info->output == SINPOS_OUTPUT_TABLE ? "" : sinpos_output_name(info->output),
               info->output == SINPOS_OUTPUT_TABLE ? "" : " ");
        printf("%s%s", encoding_shape_text(&audit->encoding, own), audit->has_positions ? ", " : "");
    }
    puts(audit->has_positions ? positions_span(&audit->encoding.positions, span) : "");
}

/* Errors as large as the elements, and nearly everywhere. */
static bool is_another(const struct difference *total)
{
    return total->max_ulp != ULP_INFINITE && total->max_abs_error > 0.5 &&
           (double)total->wrong > 0.5 * (double)total->elements;
}

void audit_print(struct audit *audit)
{
    print_head(audit);
    if (audit->total.wrong == 0) {
        printf("  every one of the %llu elements is %s\n", (unsigned long long)audit->total.elements,
               audit->encoding.info.is_replayed ? "what that arithmetic makes" : "the exact value, rounded once");
        return;
    }
    print_total(audit);
    print_place(audit, "first:", &audit->first);
    print_place(audit, "worst:", &audit->worst);
    print_ranges(audit);
    print_columns(audit);
    if (is_another(&audit->total))
        puts("\nerrors as large as the elements: it may be another encoding; 'sinpos identify' finds out which");
}

static void json_difference(const struct difference *difference)
{
    emit_unsigned("elements", difference->elements);
    emit_unsigned("wrong", difference->wrong);
    emit_unless_infinite("max_ulp", difference->max_ulp);
    emit_real("max_abs_error", difference->max_abs_error);
}

static void json_element(const char *name, sinpos_type type, const unsigned char *element)
{
    char text[SINPOS_DECIMAL_BYTES];
    sinpos_decimal(text, type, element);
    emit_literal(name, text);
}

static void json_position(struct audit *audit, const char *name, size_t row)
{
    char text[POSITION_TEXT_BYTES];
    positions_text(&audit->encoding.positions, row, text);
    if (!audit->has_positions)
        emit_null(name);
    else if (audit->encoding.positions.n_axes == 1)
        emit_literal(name, text);
    else
        emit_text(name, text);
}

static void json_place(struct audit *audit, const char *name, const struct place *place)
{
    if (!place->is_set) {
        emit_null(name);
        return;
    }
    emit_object(name);
    emit_text("file", audit->input.path);
    emit_unsigned("block", place->block);
    emit_unsigned("row", place->row);
    emit_unsigned("column", place->column);
    json_position(audit, "position", audit_position(audit, place->row, place->column));
    json_element("got", audit->input.type, place->got);
    json_element("want", audit->input.type, place->want);
    emit_unless_infinite("ulp", place->ulp);
    emit_real("abs_error", place->abs_error);
    emit_close();
}

static void json_ranges(struct audit *audit)
{
    emit_array("positions");
    for (size_t range = 0; range < audit->n_ranges; range++) {
        const size_t begin = audit_range_begin(audit, range), end = audit_range_begin(audit, range + 1);
        emit_object(NULL);
        emit_unsigned("first_row", begin);
        emit_unsigned("last_row", end - 1);
        json_position(audit, "first_position", begin);
        json_position(audit, "last_position", end - 1);
        json_difference(&audit->ranges[range]);
        emit_close();
    }
    emit_close();
}

static void json_columns(const struct audit *audit)
{
    size_t worst[N_WORST_COLUMNS];
    const size_t n = worst_columns(audit, worst);
    emit_array("columns");
    for (size_t column = 0; column < audit->n_channels; column++) {
        emit_object(NULL);
        emit_unsigned("column", column);
        json_difference(&audit->columns[column]);
        emit_close();
    }
    emit_close();
    emit_array("worst_columns");
    for (size_t i = 0; i < n; i++) {
        emit_object(NULL);
        emit_unsigned("column", worst[i]);
        json_difference(&audit->columns[worst[i]]);
        emit_close();
    }
    emit_close();
}

/* The members of one file's object. */
static void json_members(struct audit *audit)
{
    emit_text("file", audit->input.path);
    emit_sizes("shape", audit->input.array->shape, audit->input.array->n_dims);
    emit_text("type", sinpos_element_name(audit->input.array->element));
    if (encoding_name(&audit->encoding) != NULL)
        emit_text("convention", encoding_name(&audit->encoding));
    json_difference(&audit->total);
    json_place(audit, "first_wrong", &audit->first);
    json_place(audit, "worst", &audit->worst);
    json_ranges(audit);
    json_columns(audit);
}

void audit_print_json(struct audit *audits, size_t n)
{
    struct difference total = {0};
    struct audit *first = NULL;
    emit_object(NULL);
    if (n == 1) {
        json_members(audits);
        emit_close();
        return;
    }
    for (size_t i = 0; i < n; i++) {
        difference_join(&total, &audits[i].total);
        first = first == NULL && audits[i].first.is_set ? &audits[i] : first;
    }
    json_difference(&total);
    json_place(first == NULL ? audits : first, "first_wrong", first == NULL ? &audits[0].first : &first->first);
    emit_array("files");
    for (size_t i = 0; i < n; i++) {
        emit_object(NULL);
        json_members(&audits[i]);
        emit_close();
    }
    emit_close();
    emit_close();
}
