/* section_arithmetics.c - how wrong the cosine becomes in the arithmetic that other code uses. */
#include <string.h>

#include "report.h"

enum { N_BELOW = 3 };

/* Positions times tones that are looked at for each arithmetic, all encodings together. */
static const double work_most = 0x1p23;

/* What rounding the exact cosine to bfloat16 costs, just below 1. */
static const double half_ulp_bf16 = 0x1p-9;

/* Taken from the numbers of the figure. */
struct errors {
    double below[N_BELOW]; /* numbers of positions */
    double error[REPORT_ENCODINGS][SINPOS_N_RECIPES][N_BELOW];
};

/* The same for all encodings: 131072 where that is quick, else less. */
static size_t choose_most(const struct report *report)
{
    double tones = 0;
    size_t most = 131072;
    for (size_t i = 0; i < report->n; i++)
        tones += (double)report->encodings[i].n_tones;
    while (most > 4096 && (double)most * tones > work_most)
        most /= 2;
    return most;
}

static void take(void *context, size_t encoding, struct figure *figure)
{
    struct errors *errors = context;
    for (size_t recipe = 0; recipe < SINPOS_N_RECIPES; recipe++) {
        size_t column = 1;
        while (column < figure->n_columns &&
               strcmp(figure->columns[column].name, sinpos_recipe_name((sinpos_recipe)recipe)) != 0)
            column++;
        for (size_t row = 0; column < figure->n_columns && row < figure->n_rows; row++) {
            for (size_t j = 0; j < N_BELOW; j++)
                if (figure->columns[0].values[row] == errors->below[j])
                    errors->error[encoding][recipe][j] = figure->columns[column].values[row];
        }
    }
}

/* ------------------------------------------------------------------------------------------------- writing */

static void add_errors(struct report *report, const struct errors *errors, size_t encoding, size_t recipe)
{
    struct text_buffer *out = &report->body;
    const double *error = errors->error[encoding][recipe];
    if (isnan(error[0]))
        return;
    buffer_format(out, "<tr><th scope=\"row\">%s%s<span class=\"sub\">%s</span></th>", LETTER(report, encoding),
                  ESCAPED(sinpos_recipe_name((sinpos_recipe)recipe)),
                  ESCAPED(sinpos_recipe_who((sinpos_recipe)recipe)));
    for (size_t j = 0; j < N_BELOW; j++)
        buffer_format(out, "<td class=\"n%s\">%s</td>", error[j] > half_ulp_bf16 ? " bad" : "", NUMBER(error[j], 2));
    buffer_text(out, "</tr>\n");
}

static void add_table(struct report *report, const struct errors *errors)
{
    struct text_buffer *out = &report->body;
    report_table_begin(report, "Errors of common arithmetics", NULL,
                       "Largest error of the cosine over all positions below <i>P</i> and all tones. In colour: more "
                       "than rounding to bfloat16 costs (2<sup>\u22129</sup>).");
    buffer_text(out, "<thead><tr><th scope=\"col\">arithmetic</th>");
    for (size_t j = 0; j < N_BELOW; j++)
        buffer_format(out, "<th scope=\"col\" class=\"n\"><i>P</i> = %s</th>", NUMBER(errors->below[j], 7));
    buffer_text(out, "</tr></thead>\n<tbody>\n");
    for (size_t i = 0; i < report->n; i++)
        for (size_t recipe = 0; recipe < SINPOS_N_RECIPES; recipe++)
            add_errors(report, errors, i, recipe);
    html_table_end(out);
}

static void add_fact(struct report *report, const struct errors *errors)
{
    struct report_fact *fact = report_fact(report, "float32_error", "Largest error of common float32 code");
    for (size_t i = 0; i < report->n; i++) {
        double worst = NAN;
        for (size_t recipe = 0; recipe <= SINPOS_RECIPE_F32_THETA; recipe++)
            worst = fmax(worst, errors->error[i][recipe][N_BELOW - 1]);
        fact_set(fact, i, worst, "%.2g below position %s", worst, COUNT(errors->below[N_BELOW - 1]));
    }
}

void section_arithmetics(struct report *report)
{
    const size_t most = choose_most(report);
    struct errors errors = {.below = {(double)most / 32, (double)most / 4, (double)most}};
    for (size_t i = 0; i < REPORT_ENCODINGS * SINPOS_N_RECIPES * N_BELOW; i++)
        (&errors.error[0][0][0])[i] = NAN;
    const struct report_figure figure = {.name = "error",
                                         .sharing = SHARE_EACH,
                                         .length = most,
                                         .is_from_zero = true,
                                         .look = take,
                                         .look_context = &errors};
    buffer_text(&report->body,
                "<p>The sine is not what goes wrong in common code, the angle is: frequency and product are rounded "
                "before the cosine is taken, and the error grows with the position.</p>\n");
    report_figure_add(report, &figure);
    add_table(report, &errors);
    add_fact(report, &errors);
}
