/* base_run.h - what the parts of 'sinpos base' share. */
#pragma once

#include "kept.h"
#include "request.h"
#include "sinpos_analysis.h"

#define MOST_CONTEXTS 64
#define MOST_DIMS 64

/* What --convention or --from-config names. */
struct base_model {
    const char *name; /* of the convention; NULL: the general options say all */
    size_t width;     /* columns of a head or a row */
    bool is_scaled;   /* its frequencies are not those of a base */
    bool is_proved;   /* the verdict on it */
    sinpos_plan *plan;
};

struct base {
    const struct request *request;
    const struct options *options; /* the request's */
    sinpos_base_query query;
    double stated; /* the base that is asked about; 0: there is none */
    struct base_model model;
    size_t contexts[MOST_CONTEXTS], dims[MOST_DIMS];
    size_t n_contexts, n_dims;
    const char *written; /* the certificates, once they are */
};

/* One context. */
struct answer {
    sinpos_base_certificate certificate;
    sinpos_base_verdict verdict;
    bool is_checked; /* by ball arithmetic; false where this build has none */
    bool is_paused;
    double search_s, robust_s, verify_s;
};

/*
 * Keeps what a search has come to; is_far: it has ended, or what comes next takes long. Without it, only now and then.
 */
typedef void base_keeper(void *context, const sinpos_base_certificate *certificate, bool is_far);

/*
 * Searches, looks at all larger bases, and checks; the answer holds a certificate, empty or to be gone on with. keep: NULL, or
 * called with the context.
 */
void base_find(const struct base *base, struct answer *answer, base_keeper *keep, void *context);
/* An empty certificate for the query. */
void base_begin(const struct base *base, sinpos_base_certificate *certificate);
/* By ball arithmetic, where this build has it. */
void base_verify(const struct base *base, struct answer *answer);

/* Settles the query, and the model where there is one, for a cell: the contexts of the first D, then of the next (base_query.c). */
void base_set_cell(struct base *base, size_t cell);
/* The smallest bases of all cells (base_cells.c). Returns EXIT_DONE, or EXIT_CHECK where a check does not hold. */
int base_run_cells(struct base *base);

/* About the query. Returns EXIT_DONE, or EXIT_CHECK where a check does not hold. */
typedef int base_question(struct base *base);
/* Asks about each cell in turn, in JSON as a list where there are several. Returns the worst answer. */
int base_each_cell(struct base *base, base_question *ask);

int base_run_try(struct base *base);
/* Settles query, stated and model for the context in query; base_model_free() after the last. */
void base_model_take(struct base *base);
void base_model_free(struct base *base);
/* Does it pass as it is stated? */
sinpos_base_trial base_model_try(struct base *base);
/* In the object that is open; of a model or of general options. */
void base_trial_json(const struct base *base, const sinpos_base_trial *trial);
void base_model_print(const struct base *base, const sinpos_base_trial *trial);
int base_run_lengths(struct base *base);
int base_run_published(struct base *base);

noreturn void base_fail(sinpos_status status);

/* base_report.c */
/* In the object that is open. */
void base_report_fields(const struct answer *answer);
void base_report_text(const struct answer *answer);
void base_print_theta(const sinpos_base_query *query);
/* Null for 0. */
void base_json_bound(const char *name, double value);
/* What, printed with 10 digits, is not below the value. */
double base_rounded_up(double value);
