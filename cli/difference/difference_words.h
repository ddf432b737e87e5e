/* difference_words.h - how identify and audit put errors into words and JSON. */
#pragma once

#include "difference.h"

#define DIFFERENCE_TEXT_BYTES 240
#define NUMBER_TEXT_BYTES 32

/*
 * "3 of 8 elements are wrong (37.50 %), by up to 1.03e-04, 866 units of the amplitude's last place"; which stands behind
 * "elements": "" or " compared".
 */
const char *difference_text(const struct difference *difference, const char *which, char text[DIFFERENCE_TEXT_BYTES]);
/* "harmless rounding: ..." where all errors are so small, the limit in it; else NULL. */
const char *harmless_text(const struct difference *difference, const struct scale *scale);
/*
 * "off by 1.03e-04, 866 units (13875 ulp)" about an element; ulp
 * only where it means something: the element is not far smaller than the amplitude, the error smaller than the element.
 */
const char *element_error_text(const struct scale *scale, double want, double error, uint64_t ulp,
                               char text[DIFFERENCE_TEXT_BYTES]);

/* Lines of a table with the width of its first column: what stands over them, and one for a set of elements. */
void print_difference_head(const char *name, int width, const struct scale *scale);
void print_difference(const char *name, int width, const struct difference *difference);

/* elements, wrong, max_ulp, max_abs_error, max_relative_error, max_amplitude_ulp. */
void emit_difference(const struct difference *difference);
