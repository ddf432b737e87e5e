#include "audit_report.h"

#include <stdio.h>
#include <string.h>

#include "array_pieces.h"
#include "difference_words.h"
#include "json_out.h"
#include "narrow_exactly.h"

#define N_WORST_COLUMNS 5
#define NAME_WIDTH 34

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

/* The element as a number; NaN where there is none. */
static double value_of(const struct audit *audit, const unsigned char *element)
{
    double value = NAN;
    return sinpos_widen(audit->type, element, 1, &value) == SINPOS_OK ? value : NAN;
}

static void print_place(struct audit *audit, const char *name, const struct place *place)
{
    char text[DIFFERENCE_TEXT_BYTES];
    char got[SINPOS_DECIMAL_BYTES], want[SINPOS_DECIMAL_BYTES];
    sinpos_decimal(got, audit->type, place->got);
    sinpos_decimal(want, audit->type, place->want);
    printf("  %-6s ", name);
    print_where(audit, place);
    printf(": got %s, %s %s", got, audit->encoding.info.is_replayed ? "replayed" : "exact", want);
    if (place->ulp == ULP_INFINITE)
        putchar('\n');
    else
        printf(", %s\n",
               element_error_text(&audit->scale, value_of(audit, place->want), place->abs_error, place->ulp, text));
}

static void print_ranges(struct audit *audit)
{
    print_difference_head(audit->has_positions ? "positions" : "rows", NAME_WIDTH, &audit->scale);
    for (size_t range = 0; range < audit->n_ranges; range++) {
        char first[POSITION_TEXT_BYTES], last[POSITION_TEXT_BYTES], name[2 * POSITION_TEXT_BYTES + 8];
        const size_t begin = audit_range_begin(audit, range), end = audit_range_begin(audit, range + 1);
        positions_text(&audit->encoding.positions, begin, first);
        positions_text(&audit->encoding.positions, end - 1, last);
        snprintf(name, sizeof name, end - begin == 1 ? "%s" : "%s to %s", first, last);
        print_difference(name, NAME_WIDTH, &audit->tally.ranges[range]);
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
        if (audit->tally.columns[column].wrong == 0)
            continue;
        size_t at = n < N_WORST_COLUMNS ? n++ : N_WORST_COLUMNS;
        while (at > 0 && is_worse_column(&audit->tally.columns[column], &audit->tally.columns[worst[at - 1]])) {
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
    print_difference_head("worst columns", NAME_WIDTH, &audit->scale);
    for (size_t i = 0; i < n; i++) {
        char name[CHANNEL_TEXT_BYTES];
        print_difference(channel_text(audit, worst[i], name), NAME_WIDTH, &audit->tally.columns[worst[i]]);
    }
}

static void print_total(const struct audit *audit)
{
    char text[DIFFERENCE_TEXT_BYTES];
    const char *harmless = harmless_text(&audit->tally.total, &audit->scale);
    if (harmless != NULL)
        printf("  %s\n", harmless);
    printf("  %s\n", difference_text(&audit->tally.total, "", text));
}

/* Why the exit code says so: the tolerance counts what the text above leaves out near zeros. */
static void print_tolerance(const struct audit *audit)
{
    const char *tolerance = audit->options->given[OPTION_TOLERANCE];
    if (tolerance != NULL && difference_is_beyond(&audit->tally.total, audit->options->tolerance) &&
        audit->tally.total.max_ulp != ULP_INFINITE)
        printf("\nbeyond --tolerance %s: up to %llu ulp, steps of each element's own size, tiny beside a zero\n",
               tolerance, (unsigned long long)audit->tally.total.max_ulp);
}

static void print_head(struct audit *audit)
{
    char shape[SHAPE_TEXT_BYTES], own[ENCODING_SHAPE_BYTES], span[POSITIONS_SPAN_BYTES];
    const sinpos_encoding_info *info = &audit->encoding.info;
    printf("%s: %s %s, ", SHOWN(audit->input.path), shape_text(audit->input.array, shape),
           sinpos_element_name(audit->input.array->element));
    if (audit->type != audit->input.type)
        printf("as %s, ", sinpos_element_name((sinpos_element)audit->type));
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

/* Where most elements are wrong: the narrowest type that has both that are shown, if the array's is wider. */
static const char *narrow_type(const struct audit *audit)
{
    static const struct {
        sinpos_type type;
        const char *name;
    } types[] = {{SINPOS_BF16, "bf16"}, {SINPOS_F16, "f16"}, {SINPOS_F32, "f32"}};
    const double values[] = {value_of(audit, audit->tally.first.got), value_of(audit, audit->tally.worst.got)};
    const struct difference *total = &audit->tally.total;
    unsigned char room[8];
    if (2 * total->wrong < total->elements || !isfinite(values[0]) || !isfinite(values[1]) || values[0] == values[1])
        return NULL;
    for (size_t k = 0; k < sizeof types / sizeof types[0]; k++)
        if (sinpos_type_bytes(types[k].type) < sinpos_type_bytes(audit->type) &&
            narrow_exactly(types[k].type, values[0], room) && narrow_exactly(types[k].type, values[1], room))
            return types[k].name;
    return NULL;
}

void audit_print(struct audit *audit)
{
    print_head(audit);
    if (audit->tally.total.wrong == 0) {
        printf("  every one of the %llu elements is %s\n", (unsigned long long)audit->tally.total.elements,
               audit->encoding.info.is_replayed ? "what that arithmetic makes" : "the exact value, rounded once");
        return;
    }
    print_total(audit);
    print_place(audit, "first:", &audit->tally.first);
    print_place(audit, "worst:", &audit->tally.worst);
    print_ranges(audit);
    print_columns(audit);
    print_tolerance(audit);
    const char *narrow = narrow_type(audit);
    if (narrow != NULL)
        printf("\nthe first wrong element and the worst are numbers of a narrower type: try --type %s\n", narrow);
    if (is_another(&audit->tally.total))
        puts("\nerrors as large as the elements: it may be another encoding; 'sinpos identify' finds out which");
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
    struct difference one = {.max_abs_error = place->abs_error};
    if (!place->is_set) {
        emit_null(name);
        return;
    }
    difference_scale(&one, &audit->scale);
    emit_object(name);
    emit_text("file", audit->input.path);
    emit_unsigned("block", place->block);
    emit_unsigned("row", place->row);
    emit_unsigned("column", place->column);
    json_position(audit, "position", audit_position(audit, place->row, place->column));
    json_element("got", audit->type, place->got);
    json_element("want", audit->type, place->want);
    emit_unless_infinite("ulp", place->ulp);
    emit_real("abs_error", place->abs_error);
    emit_real("relative_error", one.max_relative_error);
    emit_real("amplitude_ulp", one.max_amplitude_ulp);
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
        emit_difference(&audit->tally.ranges[range]);
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
        emit_difference(&audit->tally.columns[column]);
        emit_close();
    }
    emit_close();
    emit_array("worst_columns");
    for (size_t i = 0; i < n; i++) {
        emit_object(NULL);
        emit_unsigned("column", worst[i]);
        emit_difference(&audit->tally.columns[worst[i]]);
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
    if (audit->type != audit->input.type)
        emit_text("compared_type", sinpos_element_name((sinpos_element)audit->type));
    if (encoding_name(&audit->encoding) != NULL)
        emit_text("convention", encoding_name(&audit->encoding));
    emit_real("amplitude", audit->scale.amplitude);
    emit_difference(&audit->tally.total);
    json_place(audit, "first_wrong", &audit->tally.first);
    json_place(audit, "worst", &audit->tally.worst);
    json_ranges(audit);
    json_columns(audit);
}

void audit_print_json(struct audit *audits, size_t n)
{
    struct difference total = {.max_relative_error = NAN, .max_amplitude_ulp = NAN};
    struct audit *first = NULL;
    emit_object(NULL);
    if (n == 1) {
        json_members(audits);
        emit_close();
        return;
    }
    for (size_t i = 0; i < n; i++) {
        const struct difference *one = &audits[i].tally.total;
        difference_join(&total, one);
        total.max_relative_error = fmax(total.max_relative_error, one->max_relative_error);
        total.max_amplitude_ulp = fmax(total.max_amplitude_ulp, one->max_amplitude_ulp);
        first = first == NULL && audits[i].tally.first.is_set ? &audits[i] : first;
    }
    emit_difference(&total);
    json_place(first == NULL ? audits : first, "first_wrong",
               first == NULL ? &audits[0].tally.first : &first->tally.first);
    emit_array("files");
    for (size_t i = 0; i < n; i++) {
        emit_object(NULL);
        json_members(&audits[i]);
        emit_close();
    }
    emit_close();
    emit_close();
}
