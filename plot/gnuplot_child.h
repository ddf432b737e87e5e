/* gnuplot_child.h - gnuplot as a child process: source in, picture out. */
#pragma once

#include "figure.h"
#include "gnuplot_script.h"

enum gnuplot_status {
    GNUPLOT_OK,
    GNUPLOT_MISSING, /* no gnuplot on the PATH */
    GNUPLOT_FAILED,  /* it said why */
    GNUPLOT_SYSTEM,  /* the system refused; errno is in the message */
    GNUPLOT_MEMORY
};

enum { GNUPLOT_MESSAGE = 300 };

/* Draws the figure into out, which the caller frees. message receives one clause. No shell takes part. */
enum gnuplot_status gnuplot_draw(struct text_buffer *out, const struct figure *figure, const struct picture *picture,
                                 char message[GNUPLOT_MESSAGE]);
