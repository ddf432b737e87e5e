#include "figure_csv.h"

#include <string.h>

/* A field that needs quotes gets them, as RFC 4180 has it. */
static void add_field(struct text_buffer *out, const char *text)
{
    if (strpbrk(text, ",\"\n") == NULL) {
        buffer_text(out, text);
        return;
    }
    buffer_text(out, "\"");
    for (; *text != '\0'; text++)
        buffer_add(out, *text == '"' ? "\"\"" : text, *text == '"' ? 2 : 1);
    buffer_text(out, "\"");
}

size_t figure_csv_head_lines(const struct figure *figure)
{
    (void)figure;
    return 4;
}

static void add_head(struct text_buffer *out, const struct figure *figure, const char *command)
{
    buffer_text(out, "# ");
    buffer_text(out, figure->title);
    if (figure->subtitle[0] != '\0') {
        buffer_text(out, "; ");
        buffer_text(out, figure->subtitle);
    }
    buffer_text(out, "\n# made by: ");
    buffer_text(out, command);
    buffer_text(out, "\n# ");
    buffer_text(out, figure->columns_note);
    buffer_text(out, "\n");
}

static void add_lines(struct text_buffer *out, const struct figure *figure, bool is_exact)
{
    for (size_t j = 0; j < figure->n_columns; j++) {
        buffer_text(out, j == 0 ? "" : ",");
        add_field(out, figure->columns[j].name);
    }
    for (size_t i = 0; i < figure->n_rows; i++) {
        for (size_t j = 0; j < figure->n_columns; j++) {
            buffer_text(out, j == 0 ? "\n" : ",");
            buffer_number(out, figure->columns[j].values[i], is_exact);
        }
    }
}

static void add_matrix(struct text_buffer *out, const struct figure *figure, bool is_exact)
{
    add_field(out, figure->y.name);
    for (size_t j = 0; j < figure->n_columns; j++) {
        buffer_text(out, ",");
        buffer_number(out, figure->column_at[j], is_exact);
    }
    for (size_t i = 0; i < figure->n_rows; i++) {
        buffer_text(out, "\n");
        buffer_number(out, figure->row_at[i], is_exact);
        for (size_t j = 0; j < figure->n_columns; j++) {
            buffer_text(out, ",");
            buffer_number(out, figure->cells[i * figure->n_columns + j], is_exact);
        }
    }
}

void figure_csv(struct text_buffer *out, const struct figure *figure, const char *command, bool is_exact)
{
    add_head(out, figure, command);
    if (figure->kind == FIGURE_LINES)
        add_lines(out, figure, is_exact);
    else
        add_matrix(out, figure, is_exact);
    buffer_text(out, "\n");
}
