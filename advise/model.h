/* model.h - what the facts are about: the subject's frequencies with and without its scaling, and its lengths. */
#pragma once

#include "advice.h"
#include "facts.h"
#include "recipe.h"

struct model {
    const struct advice_subject *subject;
    struct advice *advice;
    struct recipe recipe;   /* as stated, for sequences as long as the context; no convention: general options */
    struct recipe unscaled; /* without its scaling */
    const char *rule;       /* of scaling: "default" where there is none */
    double factor;          /* stated with it; 0: none is */
    double *theta;          /* (n) in use at that length, radians per position, the largest first */
    double *plain;          /* (n) without scaling */
    size_t n;
    double amplitude;
    double base;             /* plain is base^(-i / n); 0: of no base */
    double trained, claimed; /* positions in training, and of the configuration; 0: not stated */
    double original;         /* as rules of scaling take it from the configuration; 0: not stated */
    sinpos_encoding *encoding;
    const sinpos_plan
        *plan; /* of one coordinate, with frequencies rounded to double where they need more; NULL: none */
    const sinpos_plan *rows; /* of one coordinate, exact; NULL: none */
    sinpos_plan *own_plan, *own_rows;
    size_t n_axes;
};

sinpos_status model_open(struct model *model, sinpos_error *error);
void model_close(struct model *model);

bool model_is_scaled(const struct model *model);
/* Wanted over trained; 0 where the latter is not known. */
double model_ratio(const struct model *model);
/* Tones that turn less than once within so many positions: these, from the first that does not. */
size_t count_unfinished(const double *theta, size_t n, double positions);

/* "sinpos WHAT --from-config ..." in an empty buffer. */
struct text_buffer command_begin(const char *what, const struct recipe *recipe);
/* Adds the text; counts to the end of the rows. */
void command_rows(struct text_buffer *command, const struct recipe_rows *rows);

/* The facts, file by file. They return SINPOS_OK, or what ends all of it. */
sinpos_status advise_context(struct model *model);
sinpos_status advise_base(struct model *model);
sinpos_status advise_scaling(struct model *model);
sinpos_status advise_precision(struct model *model);
sinpos_status advise_runtimes(struct model *model);
sinpos_status advise_ignored(struct model *model);
