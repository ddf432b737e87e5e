/* advice.h - what a context asks of an encoding: facts, each with a number, a sentence and the command that shows it. */
#pragma once

#include "config_value.h"
#include "sinpos_analysis.h"
#include "sinpos_conventions.h"

/* As long as a context for which the base is asked: sinpos_base_begin(). */
#define ADVICE_MAX_CONTEXT SINPOS_BASE_MAX_CONTEXT

enum { ADVICE_ID_BYTES = 96, ADVICE_VALUES = 8 };

/* Which encoding, and for how many positions. All is borrowed. */
struct advice_subject {
    const char *convention;         /* NULL: the plan says all */
    const config_value *parameters; /* an object: values for its parameters, the last of a name wins; NULL: none */
    const sinpos_plan *plan;        /* without a convention */
    config_value *config; /* the configuration that states them; NULL: none. Its names change, and are put back */
    const char *layers;   /* as model_config_open() takes it */
    const char *words;    /* options that state the encoding on the command line; NULL: the convention's own */
    const char *path;     /* of the configuration; NULL: no file. Then words are --from-config PATH and more */
    const char *more;
    size_t context;   /* 2 .. ADVICE_MAX_CONTEXT */
    double trained;   /* positions in training; 0: as the parameters say */
    size_t n_threads; /* 0: the number of processors */
    sinpos_progress *progress;
    void *progress_context;
};

struct advice_value {
    const char *name;
    double number;
};

struct advice_fact {
    char id[ADVICE_ID_BYTES];
    double value; /* the number that the command shows; NaN: there is none */
    struct advice_value values[ADVICE_VALUES];
    size_t n_values;
    char *sentence, *command;
};

struct advice {
    struct advice_fact *facts; /* (n), important ones first */
    size_t n, room;
    bool is_broken; /* memory ran out */
};

/*
 * Fills advice, to be freed either way. Returns SINPOS_OK; SINPOS_E_MEMORY; SINPOS_E_STOPPED by progress;
 * SINPOS_E_UNSUPPORTED for rows that are no sequence of positions; what sinpos_encoding_create() refuses, with the
 * error filled.
 */
sinpos_status advice_make(struct advice *advice, const struct advice_subject *subject, sinpos_error *error);
void advice_free(struct advice *advice);
