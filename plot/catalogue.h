/* catalogue.h - the figures there are, and how one is made. */
#pragma once

#include "figure.h"
#include "sinpos_analysis.h"

/* Everything that a figure may depend on. */
struct figure_request {
    const char *name; /* of a convention, or NULL */
    bool is_exact;    /* spec says all of it; of a convention it may list frequencies only roughly */
    const sinpos_spec *spec;
    const sinpos_plan *plan;
    const sinpos_rows *rows; /* positions */
    const double *positions; /* (rows->n) the same as doubles */
    double step;             /* from one to the next */
    const sinpos_rows *offsets;
    const double *offset_at;   /* (offsets->n) the same as doubles */
    size_t context;            /* positions that a model reads at once */
    double smallest_base;      /* that is good for the context, where it is known; else 0 */
    size_t threads;            /* 0: all processors */
    sinpos_progress *progress; /* NULL: nobody asks */
    void *progress_context;
};

struct figure_entry {
    const char *name, *summary;
    sinpos_status (*make)(struct figure *figure, const struct figure_request *request);
    /* What stands where the user said nothing: those of the documents' figures. */
    size_t dim;
    size_t length;       /* positions; 0: does not ask for positions */
    const char *offsets; /* as --offsets has them; NULL: does not ask for offsets */
    size_t context;      /* 0: does not ask for it */
};

extern const struct figure_entry figure_catalogue[];
extern const size_t figure_catalogue_n;

/* NULL for an unknown name. */
const struct figure_entry *figure_find(const char *name);

/* Makes a figure; name and, where it is still empty, why are filled in. On error there is nothing to free. */
sinpos_status figure_make(struct figure *figure, const struct figure_entry *entry,
                          const struct figure_request *request);

/* "dim 128, base 10000" in text, which is returned: what distinguishes an encoding, and no more. */
const char *encoding_words(const sinpos_spec *spec, char text[FIGURE_TITLE]);
/* The same of what is drawn; a convention by its name. */
const char *request_words(const struct figure_request *request, char text[FIGURE_TITLE]);
#define WORDS_OF(request) request_words(request, (char[FIGURE_TITLE]){""})
/* "4096", "131072" or "10⁶". */
const char *count_words(size_t n, char text[TIC_TEXT]);

/* For qsort(). */
int compare_doubles(const void *a, const void *b);

/* g of these offsets over g(0), unless that is 0. */
sinpos_status kernel_shares(const struct figure_request *request, const sinpos_rows *offsets, double *out,
                            double *at_zero);

/*
 * n > 1 numbers in equal ratios from low to high, both above 0, each rounded once: the same on every machine, which
 * exp() is not.
 */
sinpos_status equal_ratios(double low, double high, size_t n, double *out);

/* ------------------------------------------------------------------------------------- figures of rows */

sinpos_status figure_waves(struct figure *figure, const struct figure_request *request);
sinpos_status figure_heatmap(struct figure *figure, const struct figure_request *request);

/* ---------------------------------------------------------------------------------- figures of offsets */

sinpos_status figure_distance(struct figure *figure, const struct figure_request *request);
sinpos_status figure_distance_law(struct figure *figure, const struct figure_request *request);
sinpos_status figure_kernel(struct figure *figure, const struct figure_request *request);
sinpos_status figure_decay(struct figure *figure, const struct figure_request *request);
sinpos_status figure_decay_log(struct figure *figure, const struct figure_request *request);

/* ------------------------------------------------------------------------------------ figures of tones */

sinpos_status figure_wavelengths(struct figure *figure, const struct figure_request *request);
sinpos_status figure_near_far(struct figure *figure, const struct figure_request *request);
sinpos_status figure_spectrum(struct figure *figure, const struct figure_request *request);
sinpos_status figure_gram(struct figure *figure, const struct figure_request *request);

/* ----------------------------------------------------------------------------------- figures of limits */

sinpos_status figure_error(struct figure *figure, const struct figure_request *request);
sinpos_status figure_separation(struct figure *figure, const struct figure_request *request);
sinpos_status figure_base(struct figure *figure, const struct figure_request *request);
