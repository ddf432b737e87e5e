/* text_figure.h - a figure as text: curves in Braille dots or letters, matrices in blocks. */
#pragma once

#include "figure.h"
#include "text_buffer.h"

enum text_colours { TEXT_PLAIN, TEXT_256_COLOURS, TEXT_ALL_COLOURS };

struct terminal {
    size_t columns, lines;
    enum text_colours colours;
};

enum { TERMINAL_LEAST_COLUMNS = 40, TERMINAL_LEAST_LINES = 12 };

void text_figure(struct text_buffer *out, const struct figure *figure, const struct terminal *terminal);
