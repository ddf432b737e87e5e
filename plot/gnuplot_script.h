/* gnuplot_script.h - a figure as gnuplot source. */
#pragma once

#include "figure.h"
#include "text_buffer.h"

enum picture_format { PICTURE_PNG, PICTURE_SVG, PICTURE_PDF };

struct picture {
    enum picture_format format;
    size_t width, height; /* pixels; of 1/96 inch in .svg and .pdf */
};

/* ".png" and so on; false for an ending that is none of these. */
bool picture_format_of(const char *path, enum picture_format *format);

/* The commands that draw the figure from the file that the gnuplot variable 'data' names. */
void script_drawing(struct text_buffer *out, const struct figure *figure, const struct picture *picture);
/* "set terminal ..." */
void script_terminal(struct text_buffer *out, const struct figure *figure, const struct picture *picture);
/*
 * A file for 'gnuplot FILE': reads data, or holds the numbers itself where that is NULL; writes output, or where that is
 * NULL a picture with the figure's name. command: what made it.
 */
void script_whole(struct text_buffer *out, const struct figure *figure, const struct picture *picture,
                  const char *command, const char *data, const char *output);
/* "$numbers << ..." with the figure's numbers, and data = '$numbers' */
void script_numbers(struct text_buffer *out, const struct figure *figure, const char *command);
/* A string as gnuplot reads it, quotes included, whatever bytes it has. */
void script_string(struct text_buffer *out, const char *text);
/* The same for the name of a file, which must not mean a pipe or a data block. */
void script_path(struct text_buffer *out, const char *path);
