/* identify_waves.h - a sine wave in one column. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* x[r] = offset + amplitude sin(theta r + phase). */
typedef struct id_wave {
    double theta, amplitude, phase, offset;
    double error;       /* of theta, one standard deviation */
    double residual;    /* typical, per amplitude; infinite where there is no wave */
    double far_outside; /* largest residual, per amplitude */
} id_wave;

/* NaN stands for an element that is missing. theta is 0 .. pi; the amplitude is positive. */
id_wave id_wave_find(const double *x, size_t n, bool has_offset);
/*
 * Single elements that are far from what their neighbours lead one to expect become NaN, if they are few. room: (2 n)
 */
void id_wave_clean(double *x, size_t n, double *room);
/* Amplitude and offset for a known angle of each element, and how far off the elements are then, root mean square. */
double id_wave_level(const double *x, const double *wave, size_t n, bool has_offset, double *amplitude, double *offset);
