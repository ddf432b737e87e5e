/* base_query.c - what is asked about a cell: one context, and one number of columns. */
#include "base_run.h"

static void check_query(const struct options *options, const sinpos_base_query *query)
{
    static const char hint[] = "theta_i = C b^(-(i+S)/X) must fall from a finite C with i";
    sinpos_base_certificate empty;
    if (!(query->shift >= 0))
        fail_option(options, OPTION_SHIFT, hint, "must be 0 or more");
    if (!(query->divisor > 0))
        fail_option(options, OPTION_DIVISOR, hint, "must be above 0");
    if (!(query->scale > 0 && query->scale <= 1e6))
        fail_option(options, OPTION_SCALE, hint, "must be above 0, and at most 1e6");
    if (sinpos_base_begin(&empty, query) != SINPOS_OK)
        fail(EXIT_USAGE, hint, "the base", "cannot be searched for with these numbers");
}

static void make_query(struct base *base, size_t context, size_t all)
{
    const struct options *options = base->options;
    const sinpos_spec *spec = &options->spec;
    if (options->partial > all)
        fail_option(options, OPTION_PARTIAL, "--dim D is the number of all columns", "is more than there are columns");
    const size_t dim = options->partial > 0 ? options->partial : all;
    const double half = spec->odd == SINPOS_ZERO ? (double)(dim / 2) : (double)dim / 2;
    base->query =
        (sinpos_base_query){.context = context,
                            .n_tones = dim / 2,
                            .shift = spec->shift,
                            .divisor = options->given[OPTION_DIVISOR] != NULL ? spec->divisor : half,
                            .scale = spec->scale,
                            .constant = options->given[OPTION_STILL] != NULL ? (double)(all / 2 - dim / 2) : 0};
    if (dim < 2 || dim / 2 > SINPOS_BASE_MAX_TONES) {
        fail_option(options, OPTION_DIM, "a rotated pair takes two columns",
                    "must be from 2 to 65536 for this question");
    }
    check_query(options, &base->query);
}

void base_set_cell(struct base *base, size_t cell)
{
    const size_t context = base->contexts[cell % base->n_contexts];
    if (base->request->convention == NULL) {
        make_query(base, context, base->dims[cell / base->n_contexts]);
        return;
    }
    base->query.context = context;
    base_model_take(base);
}
