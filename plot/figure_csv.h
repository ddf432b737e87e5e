/* figure_csv.h - the numbers of a figure, comma-separated below a head of comments. */
#pragma once

#include "figure.h"
#include "text_buffer.h"

/* Lines of the head, the names of the columns among them: gnuplot skips those. */
size_t figure_csv_head_lines(const struct figure *figure);
/* command: how to make it again. is_exact: decimals that read back as the same doubles, else what a picture needs. */
void figure_csv(struct text_buffer *out, const struct figure *figure, const char *command, bool is_exact);
