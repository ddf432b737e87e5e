/* figure_means.c - a matrix with more cells than a picture has room for: means of cells, not some of them. */
#include <math.h>
#include <string.h>

#include "figure.h"

size_t figure_cells_to_draw(size_t n, double pixels, bool is_alternating)
{
    size_t in_one = 1;
    if (!is_alternating) {
        while ((double)n > pixels * (double)in_one)
            in_one++;
    } else if ((double)n > pixels / 3) {
        in_one = 2;
        while ((double)n > pixels / 1.5 * (double)in_one)
            in_one += 2;
    }
    return (n + in_one - 1) / in_one;
}

/* Where the cell begins that is drawn as the i-th of n_drawn; whole pairs of cells that alternate. */
static size_t first_cell(size_t i, size_t n_drawn, size_t n, bool is_alternating)
{
    const size_t at = i * n / n_drawn;
    return is_alternating && n_drawn < n && i < n_drawn ? at / 2 * 2 : at;
}

static double mean_cell(const struct figure *figure, size_t row, size_t row_end, size_t column, size_t column_end)
{
    double sum = 0;
    for (size_t i = row; i < row_end; i++)
        for (size_t j = column; j < column_end; j++)
            sum += figure->cells[i * figure->n_columns + j];
    return sum / (double)((row_end - row) * (column_end - column));
}

static void means_at(double *out, size_t n_drawn, const double *at, size_t n, double size)
{
    for (size_t i = 0; i < n_drawn; i++)
        out[i] = at[0] + (((double)i + 0.5) * (double)n / (double)n_drawn - 0.5) * size;
}

/* A picture of means says so. */
static void say_means(struct figure *means, const struct figure *figure)
{
    const size_t used = strlen(figure->subtitle);
    const double in_one = (double)(figure->n_rows * figure->n_columns) / (double)(means->n_rows * means->n_columns);
    if (in_one > 1) {
        figure_text(means->subtitle + used, sizeof means->subtitle - used, "; each colour is the mean of %s%.0f cells",
                    in_one == floor(in_one) ? "" : "about ", in_one);
    }
}

sinpos_status figure_means(struct figure *means, const struct figure *figure, size_t n_rows, size_t n_columns)
{
    struct figure words = *figure;
    const sinpos_status status = figure_matrix(means, n_rows, n_columns);
    if (status != SINPOS_OK)
        return status;
    words.row_at = means->row_at;
    words.column_at = means->column_at;
    words.cells = means->cells;
    words.n_rows = n_rows;
    words.n_columns = n_columns;
    *means = words;
    say_means(means, figure);
    means_at(means->row_at, n_rows, figure->row_at, figure->n_rows, figure_cell_height(figure));
    means_at(means->column_at, n_columns, figure->column_at, figure->n_columns, figure_cell_width(figure));
    for (size_t i = 0; i < n_rows; i++) {
        const size_t row = first_cell(i, n_rows, figure->n_rows, figure->rows_alternate);
        const size_t row_end = first_cell(i + 1, n_rows, figure->n_rows, figure->rows_alternate);
        for (size_t j = 0; j < n_columns; j++) {
            const size_t column = first_cell(j, n_columns, figure->n_columns, figure->columns_alternate);
            const size_t column_end = first_cell(j + 1, n_columns, figure->n_columns, figure->columns_alternate);
            means->cells[i * n_columns + j] = mean_cell(figure, row, row_end, column, column_end);
        }
    }
    return SINPOS_OK;
}
