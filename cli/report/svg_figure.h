/*
 * svg_figure.h - a figure as SVG inside a page: its colours are those of the page, so that light and dark both show it,
 * and no bytes depend on a drawing program.
 */
#pragma once

#include "figure.h"
#include "text_buffer.h"

/* The drawing, twice: for wide screens and for phones; the style sheet shows one. Title and description are for those who do not see it. */
void svg_figure(struct text_buffer *out, const struct figure *figure);
/* A sentence for the caption, where the drawing has not room for all cells. */
void svg_means_note(struct text_buffer *out, const struct figure *figure);
/* Its legend, a list; nothing where no series has a label. */
void svg_legend(struct text_buffer *out, const struct figure *figure);
