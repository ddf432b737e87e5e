/* diff_words.c - causes in words: one sentence each. */
#include "diff.h"

#include <stdio.h>

#include "boundary.h"

static const char *const kind_names[] = {
    "layout",  "order",  "base",      "divisor", "frequencies", "start",   "step",    "scale",  "sign",      "constant",
    "dropout", "angles", "positions", "type",    "permutation", "columns", "stacked", "length", "unrelated", "noise"};

const char *sinpos_diff_kind_name(sinpos_diff_kind kind)
{
    BOUNDARY;
    return (unsigned)kind <= SINPOS_DIFF_NOISE ? kind_names[kind] : NULL;
}

sinpos_diff_cause *diff_cause_add(sinpos_difference *out, sinpos_diff_kind kind, double a, double b, size_t n_rows)
{
    sinpos_diff_cause *cause = &out->causes[out->n_causes < SINPOS_DIFF_MOST ? out->n_causes++ : SINPOS_DIFF_MOST - 1];
    *cause = (sinpos_diff_cause){.kind = kind, .a = a, .b = b, .last_row = n_rows > 0 ? n_rows - 1 : 0};
    return cause;
}

void diff_cause_words(sinpos_diff_cause *cause, const char *a, const char *b)
{
    cause->a = cause->b = NAN;
    snprintf(cause->a_word, sizeof cause->a_word, "%s", a);
    snprintf(cause->b_word, sizeof cause->b_word, "%s", b);
}

/* "column 5", "columns 0, 2, 4, ... (32 of them)", "all columns". */
static const char *columns_text(const sinpos_diff_cause *cause, char text[100])
{
    size_t used = (size_t)snprintf(text, 100, cause->n_columns == 1 ? "column" : "columns");
    if (cause->n_columns == 0)
        return "all columns";
    for (size_t k = 0; k < cause->n_columns && k < 3; k++)
        used += (size_t)snprintf(text + used, 100 - used, "%s %zu", k > 0 ? "," : "", cause->columns[k]);
    if (cause->n_columns > 3)
        snprintf(text + used, 100 - used, ", ... (%zu in all)", cause->n_columns);
    return text;
}

/* "B has float32-exp angles", and where they part, which the text holds before. */
static void write_rounding(sinpos_diff_cause *c, const char *what)
{
    const bool is_a = strcmp(c->b_word, "exact") == 0, is_both = !is_a && strcmp(c->a_word, "exact") != 0;
    char where[sizeof c->text];
    memcpy(where, c->text, sizeof where);
    if (is_both)
        snprintf(c->text, sizeof c->text, "A has %s %s, B %s%.60s", c->a_word, what, c->b_word, where);
    else
        snprintf(c->text, sizeof c->text, "%s has %s %s%.60s", is_a ? "A" : "B", is_a ? c->a_word : c->b_word, what,
                 where);
}

static void write_start(sinpos_diff_cause *c)
{
    const double by = c->b - c->a;
    if (c->a == 0)
        snprintf(c->text, sizeof c->text, "B starts at %.17g", c->b);
    else
        snprintf(c->text, sizeof c->text, "B starts at %.17g, A at %.17g: %.17g position%s %s", c->b, c->a, fabs(by),
                 fabs(by) == 1 ? "" : "s", by > 0 ? "later" : "earlier");
}

static void write_columns(sinpos_diff_cause *c)
{
    size_t lacking = 0;
    if (c->b_word[0] != '\0') {
        snprintf(c->text, sizeof c->text, "B is the %s of A%s", strncmp(c->b_word, "cos", 3) == 0 ? "cosines" : "sines",
                 strlen(c->b_word) > 3 ? ", twice" : "");
        return;
    }
    for (size_t j = 0; j < c->n_columns; j++)
        lacking += c->columns[j] == SINPOS_NONE;
    if (lacking > 0)
        snprintf(c->text, sizeof c->text, "%zu of the %g columns of B are none of A's %g", lacking, c->b, c->a);
    else
        snprintf(c->text, sizeof c->text, "B is %g of the columns of A, which has %g", c->b, c->a);
}

static void write_text(sinpos_diff_cause *c)
{
    char columns[100];
    const char *name = kind_names[c->kind];
    switch (c->kind) {
    case SINPOS_DIFF_LAYOUT:
        snprintf(c->text, sizeof c->text, "B is A %s%s", strcmp(c->b_word, "halves") == 0 ? "in " : "", c->b_word);
        break;
    case SINPOS_DIFF_ORDER:
        snprintf(c->text, sizeof c->text, "B has the %s first", strcmp(c->b_word, "cos-sin") == 0 ? "cosine" : "sine");
        break;
    case SINPOS_DIFF_FREQUENCIES: snprintf(c->text, sizeof c->text, "the frequencies differ"); break;
    case SINPOS_DIFF_START: write_start(c); break;
    case SINPOS_DIFF_SIGN: snprintf(c->text, sizeof c->text, "B is negated in %s", columns_text(c, columns)); break;
    case SINPOS_DIFF_SCALE: snprintf(c->text, sizeof c->text, "B is A times %.10g", c->b / c->a); break;
    case SINPOS_DIFF_CONSTANT: snprintf(c->text, sizeof c->text, "B is A plus %.10g", c->b - c->a); break;
    case SINPOS_DIFF_DROPOUT:
        snprintf(c->text, sizeof c->text, "%.3g %% of the elements of %s are 0", 100 * (c->b > 0 ? c->b : c->a),
                 c->b > 0 ? "B" : "A");
        break;
    case SINPOS_DIFF_ANGLES: write_rounding(c, "angles"); break;
    case SINPOS_DIFF_POSITIONS: write_rounding(c, "positions"); break;
    case SINPOS_DIFF_PERMUTATION: snprintf(c->text, sizeof c->text, "B has the columns of A in another order"); break;
    case SINPOS_DIFF_COLUMNS: write_columns(c); break;
    case SINPOS_DIFF_STACKED:
        if (isnan(c->b) && c->first_row == c->last_row)
            snprintf(c->text, sizeof c->text, "row %zu of B is not in A", c->first_row);
        else if (isnan(c->b))
            snprintf(c->text, sizeof c->text, "rows %zu to %zu of B are not in A", c->first_row, c->last_row);
        else
            snprintf(c->text, sizeof c->text, "rows %zu to %zu of B repeat rows %.17g to %.17g", c->first_row,
                     c->last_row, c->b, c->b + (double)(c->last_row - c->first_row));
        break;
    case SINPOS_DIFF_NOISE:
        snprintf(c->text, sizeof c->text, "%s has noise of standard deviation %.2g", c->a > 0 ? "A" : "B",
                 c->a > 0 ? c->a : c->b);
        break;
    case SINPOS_DIFF_UNRELATED: snprintf(c->text, sizeof c->text, "nothing relates B to A"); break;
    default:
        if (c->a_word[0] != '\0')
            snprintf(c->text, sizeof c->text, "%s %s against %s", name, c->a_word, c->b_word);
        else
            snprintf(c->text, sizeof c->text, "%s %.17g against %.17g", name, c->a, c->b);
    }
}

void diff_write_texts(sinpos_difference *out)
{
    for (size_t k = 0; k < out->n_causes; k++)
        if (out->causes[k].text[0] == '\0' || out->causes[k].text[0] == ':')
            write_text(&out->causes[k]);
}
