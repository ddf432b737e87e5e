/* recipe.h - a convention with values: made, and stated as options of the command line. */
#pragma once

#include "config_value.h"
#include "sinpos_conventions.h"
#include "text_buffer.h"

enum { RECIPE_SETTINGS = 24 };

struct recipe {
    const char *convention;
    const config_value *stated; /* an object, or NULL */
    const char *words;          /* options that state it; NULL: its convention and values */
    struct recipe_setting {
        const char *name;
        config_value value;  /* borrows */
    } more[RECIPE_SETTINGS]; /* after what is stated */
    size_t n_more;
};

void recipe_set(struct recipe *recipe, const char *name, config_value value);
void recipe_number(struct recipe *recipe, const char *name, double number);
void recipe_text(struct recipe *recipe, const char *name, const char *text);

/* What is stated of a parameter, or else its default as JSON has it, where that is a number; else CONFIG_NONE. */
config_value recipe_value(const struct recipe *recipe, const char *name);
double recipe_number_of(const struct recipe *recipe, const char *name, double otherwise);
bool recipe_takes(const struct recipe *recipe, const char *name);
bool recipe_is_rotary(const struct recipe *recipe);

/* Positions first, first + step, ...; output and arithmetic: NULL for what the convention has, and exact. */
struct recipe_rows {
    size_t first, step, n;
};
sinpos_status recipe_make(sinpos_encoding **out, const struct recipe *recipe, const struct recipe_rows *rows,
                          const char *output, const char *arithmetic, sinpos_error *error);
/* Frequencies and the amplitude of the first tone; to be freed. */
sinpos_status recipe_tones(double **theta, size_t *n, double *amplitude, const struct recipe *recipe,
                           sinpos_error *error);
/* Frequencies above 0 of a plan, the largest first, and the amplitude of the first tone; to be freed. */
sinpos_status plan_frequencies(double **theta, size_t *n, double *amplitude, const sinpos_plan *plan);

/* " --from-config c.json --set a=1" */
void recipe_words(struct text_buffer *out, const struct recipe *recipe);
