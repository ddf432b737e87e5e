/* base_model.c - sinpos base about the base of a convention, or of a model's configuration. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base_run.h"
#include "json_out.h"
#include "no_memory.h"
#include "plan_tones.h"
#include "progress.h"
#include "request_encoding.h"

#define NEAR 1e-11 /* of doubles that would be the same, were they not rounded */

/* Frequencies of the pairs that turn, in their order. */
struct turning {
    double *theta;
    size_t n;
    double amplitude;
};

/* theta_i = scale base^(-(i + shift) / divisor), for any base. */
struct family {
    double shift, divisor, scale;
};

/* ------------------------------------------------------------------------------------------------- frequencies */

static int falling(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x > y ? -1 : x < y;
}

static struct turning take_turning(const struct encoding *encoding)
{
    struct plan_tones list;
    if (plan_tones_take(&list, encoding->plan) != SINPOS_OK)
        fail_memory();
    struct turning turning = {.theta = list.theta};
    for (size_t k = 0; k < list.n; k++) {
        const sinpos_tone *tone = &list.tones[k];
        const bool is_pair = tone->sin_column != SINPOS_NO_COLUMN && tone->cos_column != SINPOS_NO_COLUMN;
        turning.amplitude = tone->amplitude;
        turning.theta[turning.n] = fabs(turning.theta[k]); /* g is the same */
        turning.n += is_pair && turning.theta[k] != 0;
    }
    if (turning.n == 0 || turning.n > SINPOS_BASE_MAX_TONES) {
        fail(EXIT_USAGE, "name an encoding by sines and cosines in pairs", encoding_name(encoding),
             "has no pair of a sine and a cosine that is rotated, or more than 32768 of them");
    }
    if (encoding->n_axes > 1)
        qsort(turning.theta, turning.n, sizeof *turning.theta, falling);
    free(list.tones);
    return turning;
}

/* --set as it leaves out what scales frequencies, of conventions that have such a parameter. */
static const char *const unscaled[] = {"rope_type=\"default\"", "scaling_factor=1", "scale_factor=1", "rope_factor=1",
                                       "use_scaled=false"};

static void add_setting(struct request *request, const char *setting)
{
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(setting, "="), setting);
    if (parameter_with(request_convention(request), "name", name, 0) != SINPOS_NONE)
        parameters_add(&request->more, setting);
}

/* In the tokens of a text time, height and width are one number, so that all pairs turn by it. */
static bool has_text(const struct request *request)
{
    return parameter_with(request_convention(request), "name", "positions_thw", 0) != SINPOS_NONE;
}

static void make_encoding(struct encoding *encoding, const struct request *request, size_t context)
{
    const struct known known = {.n_default = 1, .sequence = context};
    encoding_make_sines(encoding, request, &known, SINPOS_F64);
    if (!has_text(request))
        encoding_one_axis(encoding);
}

/* Of the encoding, which may be without its scaling, with one more setting, unless that is NULL. */
static struct turning turning_of(const struct base *base, bool is_unscaled, const char *setting)
{
    RELEASED_BY(encoding_free) struct encoding encoding = {0};
    struct request other = *base->request;
    if (setting != NULL)
        add_setting(&other, setting);
    for (size_t k = 0; is_unscaled && k < sizeof unscaled / sizeof unscaled[0]; k++)
        add_setting(&other, unscaled[k]);
    make_encoding(&encoding, &other, base->query.context);
    const struct turning turning = take_turning(&encoding);
    parameters_free(&other.more);
    return turning;
}

/* ------------------------------------------------------------------------------------------------------ families */

/* A number that people would state, where there is one so near. */
static double plain_number(double x)
{
    const double twice = round(2 * x);
    return fabs(2 * x - twice) <= NEAR * fabs(twice) + NEAR ? twice / 2 : x;
}

/* Whether ln theta falls evenly with i: *ratio is by how much. */
static bool falls_evenly(const struct turning *turning, double *ratio)
{
    const size_t n = turning->n;
    const double first = log(turning->theta[0]);
    *ratio = n > 1 ? (first - log(turning->theta[n - 1])) / (double)(n - 1) : 0;
    bool evenly = n == 1 || *ratio > 0;
    for (size_t i = 0; i < n && evenly; i++) {
        evenly =
            fabs(log(turning->theta[i]) - first + (double)i * *ratio) <= NEAR * (1 + fabs(first) + (double)i * *ratio);
    }
    return evenly;
}

/* How the frequencies go with the base, by two of them: exponents (i + shift) / divisor. False where they are none. */
static bool family_between(struct family *family, const struct turning *a, const struct turning *b, double ln_quotient)
{
    const size_t n = a->n;
    double first = 0, step = 0;
    bool is_one = b->n == n;
    for (size_t i = 0; i < n && is_one; i++) {
        const double exponent = log(a->theta[i] / b->theta[i]) / ln_quotient;
        first = i == 0 ? exponent : first;
        step = i == 1 ? exponent - first : step;
        is_one = fabs(exponent - first - (double)i * step) <= NEAR * (1 + exponent) && (n == 1 || i == 0 || step > 0);
    }
    family->divisor = n > 1 ? plain_number(1 / step) : 1;
    family->shift = plain_number(first * family->divisor);
    return is_one && family->shift >= 0;
}

/* By the bases 4 and 16. */
static bool find_family(struct family *family, const struct base *base, bool is_unscaled, const char *name)
{
    char four[80], sixteen[80];
    snprintf(four, sizeof four, "%.70s=4", name);
    snprintf(sixteen, sizeof sixteen, "%.70s=16", name);
    const struct turning a = turning_of(base, is_unscaled, four), b = turning_of(base, is_unscaled, sixteen);
    const bool is_found = family_between(family, &a, &b, log(4));
    if (is_found) {
        const double scale = a.theta[0] * pow(4, family->shift / family->divisor);
        family->scale = fabs(scale - 1) <= NEAR ? 1 : scale;
    }
    free(a.theta);
    free(b.theta);
    return is_found;
}

/* A base that nobody can change: it goes with half the columns. */
static bool fixed_family(struct family *family, const struct turning *turning)
{
    double ratio;
    *family = (struct family){.divisor = (double)turning->n, .scale = turning->theta[0]};
    return falls_evenly(turning, &ratio);
}

static noreturn void fail_no_base(const struct base *base)
{
    fail(EXIT_USAGE, "'sinpos kernel' finds the first offset at which g is negative", base->model.name,
         "has no base: its frequencies do not fall by one ratio from pair to pair");
}

/* The base of frequencies that are exactly of the family; else 0. */
static double base_in(const struct family *family, const struct turning *turning, double *scale)
{
    double ratio;
    if (!falls_evenly(turning, &ratio))
        return 0;
    const double base = exp(ratio * family->divisor), whole = round(base);
    const double nearest = fabs(base - whole) <= NEAR * whole ? whole : base;
    const double found = turning->theta[0] * pow(nearest, family->shift / family->divisor);
    *scale = fabs(found - 1) <= NEAR ? 1 : found;
    return nearest;
}

/* ------------------------------------------------------------------------------------------------------- the model */

/* Columns of a head, of which a part may turn; of what is added, those of a row. Whatever output the options state. */
static void take_width(struct base *base, const struct encoding *encoding)
{
    const struct known known = {.n_default = 1, .sequence = base->query.context};
    sinpos_parameters *parameters;
    sinpos_encoding *rotary = NULL;
    expect_ok(sinpos_parameters_create(&parameters));
    request_parameters(parameters, base->request, &known, NULL);
    sinpos_status status = sinpos_parameters_set_text(parameters, "output", "rotated");
    if (status == SINPOS_OK)
        status = sinpos_encoding_create(&rotary, base->request->convention, parameters, SINPOS_F64, NULL);
    if (status == SINPOS_E_MEMORY)
        fail_memory();
    const size_t width = status == SINPOS_OK ? sinpos_encoding_info_get(rotary)->head_width : 0; /* 0: not rotary */
    base->model.width = width > 0 ? width : encoding->dim;
    sinpos_encoding_destroy(rotary);
    sinpos_parameters_destroy(parameters);
}

/* Pairs of columns that do not turn: they count with --still. */
static double constant_of(const struct base *base, const struct turning *turning, size_t width)
{
    return base->options->given[OPTION_STILL] != NULL ? (double)(width / 2 - turning->n) : 0;
}

static struct family settle_family(const struct base *base, const struct turning *turning)
{
    const sinpos_convention *convention = request_convention(base->request);
    const char *name = sinpos_convention_parameter(convention, parameter_with(convention, "role", "base", 0), "name");
    struct family family = {.divisor = 1, .scale = 1};
    double ratio;
    const bool is_found = name != NULL ? find_family(&family, base, !falls_evenly(turning, &ratio), name)
                                       : fixed_family(&family, turning);
    if (!is_found)
        fail_no_base(base);
    return family;
}

/* The base of what is scaled, as it is stated. */
static double unscaled_base(const struct base *base, const struct family *family)
{
    const struct turning turning = turning_of(base, true, NULL);
    double scale;
    const double stated = base_in(family, &turning, &scale);
    free(turning.theta);
    return stated;
}

static void settle_query(struct base *base, const struct turning *turning)
{
    struct family family = settle_family(base, turning);
    sinpos_base_certificate empty;
    base->stated = base_in(&family, turning, &family.scale);
    base->model.is_scaled = base->stated == 0;
    if (base->model.is_scaled)
        base->stated = unscaled_base(base, &family);
    base->query.n_tones = turning->n;
    base->query.shift = family.shift;
    base->query.divisor = family.divisor;
    base->query.scale = family.scale;
    base->query.constant = constant_of(base, turning, base->model.width);
    if (sinpos_base_begin(&empty, &base->query) != SINPOS_OK)
        fail_no_base(base);
}

/* The pairs that turn and those that are to count besides, for frequencies that no base makes. */
static void make_plan(struct base *base, const struct turning *turning)
{
    const size_t n_still = (size_t)base->query.constant, n = turning->n + n_still;
    OWNED sinpos_tone *tones = memory_take(n, sizeof *tones);
    for (size_t k = 0; k < n; k++) {
        tones[k] = (sinpos_tone)SINPOS_TONE_INIT;
        tones[k].value = k < turning->n ? turning->theta[k] : 0;
        tones[k].amplitude = k < turning->n ? turning->amplitude : 1;
        tones[k].cos_column = (ptrdiff_t)(2 * k);
        tones[k].sin_column = (ptrdiff_t)(2 * k + 1);
    }
    const sinpos_status status = sinpos_plan_create_tones(&base->model.plan, 2 * n, 1, tones, n, SINPOS_F64, NULL);
    if (status != SINPOS_OK)
        base_fail(status);
}

void base_model_take(struct base *base)
{
    RELEASED_BY(encoding_free) struct encoding encoding = {0};
    base_model_free(base);
    make_encoding(&encoding, base->request, base->query.context);
    base->model.name = encoding_name(&encoding);
    take_width(base, &encoding);
    const struct turning turning = take_turning(&encoding);
    settle_query(base, &turning);
    make_plan(base, &turning);
    free(turning.theta);
}

void base_model_free(struct base *base)
{
    sinpos_plan_destroy(base->model.plan);
    base->model.plan = NULL;
}

/* ------------------------------------------------------------------------------------------------------ its verdict */

static sinpos_status look_for_negative(const struct base *base, sinpos_base_trial *trial)
{
    const sinpos_status status =
        base->query.context < 2
            ? SINPOS_OK
            : sinpos_kernel_first_negative(base->model.plan, (int64_t)base->query.context, &trial->offset, &trial->g,
                                           base->options->threads, progress_watch, NULL);
    trial->passes = trial->offset == 0;
    return status;
}

/* In ball arithmetic where the frequencies are those of a base and the build has it, else in double precision. */
sinpos_base_trial base_model_try(struct base *base)
{
    sinpos_status status = SINPOS_E_UNSUPPORTED;
    sinpos_base_trial trial = {0};
    progress_begin_part("trying");
    if (!base->model.is_scaled)
        status = sinpos_base_try(&base->query, base->stated, &trial, base->options->threads, progress_watch, NULL);
    base->model.is_proved = status == SINPOS_OK;
    status = status == SINPOS_E_UNSUPPORTED ? look_for_negative(base, &trial) : status;
    progress_clear();
    if (status == SINPOS_E_VALUE) {
        fail(EXIT_USAGE, "give a base above 0, up to 1e300, with --base", base->model.name,
             "its base cannot be decided");
    }
    if (status != SINPOS_OK)
        base_fail(status);
    return trial;
}

void base_trial_json(const struct base *base, const sinpos_base_trial *trial)
{
    const bool is_model = base->model.name != NULL;
    if (is_model)
        emit_text("convention", base->model.name);
    base_json_bound("base", base->stated);
    if (is_model) {
        emit_unsigned("rotated_columns", 2 * base->query.n_tones);
        emit_unsigned("columns", base->model.width);
        emit_bool("scaled", base->model.is_scaled);
    }
    emit_bool("passes", trial->passes);
    emit_unless_0("violated_at", (uint64_t)trial->offset);
    emit_real("g", trial->offset == 0 ? NAN : trial->g);
    emit_bool("proved", !is_model || base->model.is_proved);
}

static void print_name(const struct base *base)
{
    const size_t turning = 2 * base->query.n_tones;
    const char *config = base->options->given[OPTION_FROM_CONFIG];
    printf("%s%s%s: ", config != NULL ? config : "", config != NULL ? ", " : "", base->model.name);
    if (turning < base->model.width)
        printf("%zu of %zu columns", turning, base->model.width);
    else
        printf("%zu columns", turning);
    if (base->stated > 0)
        printf(", base %.12g", base->stated);
    fputs(base->model.is_scaled ? ", frequencies scaled" : "", stdout);
    fputs(has_text(base->request) ? ", tokens of text" : "", stdout);
}

void base_model_print(const struct base *base, const sinpos_base_trial *trial)
{
    const char *how = base->model.is_proved ? "shown in ball arithmetic" : "in double precision";
    print_name(base);
    if (trial->passes) {
        printf("\n  passes: g(k) >= 0 for all k < %zu, %s\n", base->query.context, how);
    } else {
        printf("\n  fails for context %zu: g(k) < 0 first at offset %" PRId64 ", g = %.6g\n", base->query.context,
               trial->offset, trial->g);
    }
}
