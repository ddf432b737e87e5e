/* identify_frequencies.c - a list of frequencies, as models keep it (inv_freq), as a formula. */
#include "boundary.h"
#include "elements.h"
#include "identify.h"
#include "owned.h"
#include "sinpos_analysis.h"
#include "sinpos_conventions.h"

#include <stdio.h>

#define MOST_FREQUENCIES 8192
#define LEAST_FREQUENCIES 4

/* Exponents of powers in float32 err: so far, relative, an element of such a list is from the formula's. */
#define SINGLE_ERROR 0x1p-20
#define DOUBLE_ERROR 0x1p-48

/* Units in the last place that arithmetic in the type of the list may cost an element. */
#define MOST_UNITS 16

/* Digits of a scale, of a factor, and of what NTK-aware scaling multiplies a base by. */
#define SCALE_DIGITS 4
#define FACTOR_DIGITS 3

/* Evidence beyond the numbers that were chosen, and what an element and a digit count. */
#define LEAST_BITS 20
#define DIGIT_BITS 3.4

static const double usual_bases[] = {1e4, 5e5, 1e6, 1e5, 1e7, 5e6, 1.5e5, 8e6, 2e5};
enum { N_USUAL = sizeof usual_bases / sizeof usual_bases[0] };

/* Numbers of one formula. */
typedef struct guess {
    double scale, base, divisor, ntk_base, ntk_factor;
    sinpos_scaling scaling;
    double factor, context;
    int truncate;
    double digits; /* that it has beyond a usual one */
} guess;

typedef struct searched {
    sinpos_frequency_list *found; /* the best so far */
    const double *x;              /* (n) the list */
    double unit;                  /* relative rounding */
    sinpos_type rounded;          /* the type whose numbers they are */
    bool is_made;                 /* found makes every element */
    double digits;                /* of found; infinite where there is none */
} searched;

/* ------------------------------------------------------------------------------------------------ making */

/* Linear scaling keeps a usual base; a list that begins at 1 / factor for any other may be anything, as slopes of heads are. */
static bool is_linear(const guess *g)
{
    const double factor = id_simple(1 / g->scale, 0);
    bool is_usual = false;
    for (size_t i = 0; i < N_USUAL; i++)
        is_usual = is_usual || g->base == usual_bases[i];
    return is_usual && g->scaling == SINPOS_SCALING_NONE && factor > 1 && id_digits(factor) <= FACTOR_DIGITS;
}

/* hf_rope makes lists that fall from 1, or from 1 / factor. */
static bool is_rope(const guess *g, const sinpos_frequency_list *found)
{
    return !found->is_ascending && g->divisor == (double)found->n && (g->scale == 1 || is_linear(g));
}

static void write_settings(const guess *g, const sinpos_frequency_list *found, char *text, size_t size)
{
    const int digits = id_digits(g->base) <= 15 ? 15 : 17;
    int used = snprintf(text, size, "head_dim=%zu\nrope_theta=%.*g\noutput=inv_freq\n", 2 * found->n, digits, g->base);
    if (g->scale != 1)
        snprintf(text + used, size - (size_t)used, "rope_type=linear\nfactor=%.15g\n", id_simple(1 / g->scale, 0));
    if (g->scaling != SINPOS_SCALING_NONE)
        snprintf(text + used, size - (size_t)used,
                 "rope_type=%s\nfactor=%.15g\noriginal_max_position_embeddings=%.15g\n%s",
                 g->scaling == SINPOS_SCALING_YARN ? "yarn" : "llama3", g->factor, g->context,
                 g->scaling == SINPOS_SCALING_YARN && !g->truncate ? "truncate=false\n" : "");
}

static sinpos_status set_one(sinpos_parameters *parameters, const char *key, const char *value)
{
    char *end;
    const double number = strtod(value, &end);
    return *end == '\0'                  ? sinpos_parameters_set_number(parameters, key, number)
           : strcmp(value, "false") == 0 ? sinpos_parameters_set_flag(parameters, key, 0)
                                         : sinpos_parameters_set_text(parameters, key, value);
}

static sinpos_status set_all(sinpos_parameters *parameters, const char *settings)
{
    char line[120];
    sinpos_status status = SINPOS_OK;
    for (const char *at = settings; *at != '\0' && status == SINPOS_OK; at += strcspn(at, "\n") + 1) {
        snprintf(line, sizeof line, "%.*s", (int)strcspn(at, "\n"), at);
        char *value = strchr(line, '=');
        *value = '\0';
        status = set_one(parameters, line, value + 1);
    }
    return status;
}

/* The list of hf_rope in a type: exactly, or as published. */
static sinpos_status make_rope(const char *settings, const char *arithmetic, sinpos_type type, size_t n, double *out)
{
    sinpos_parameters *parameters = NULL;
    sinpos_encoding *encoding = NULL;
    OWNED double *row = malloc(n * sizeof *row);
    sinpos_status status = row == NULL ? SINPOS_E_MEMORY : sinpos_parameters_create(&parameters);
    status = status != SINPOS_OK ? status : set_all(parameters, settings);
    status = status != SINPOS_OK ? status : sinpos_parameters_set_text(parameters, "arithmetic", arithmetic);
    if (status == SINPOS_OK)
        status = sinpos_encoding_create(&encoding, "hf_rope", parameters, (unsigned)type | SINPOS_F64, NULL);
    status = status != SINPOS_OK ? status : sinpos_encoding_fill(encoding, 0, 1, type, row, n, 1);
    if (status == SINPOS_OK)
        widen(out, row, type, n);
    sinpos_encoding_destroy(encoding);
    sinpos_parameters_destroy(parameters);
    return status;
}

/* Any geometric list: rounded to double, and then to the type, which differs from one rounding at a tie alone. */
static sinpos_status make_list(const guess *g, const searched *s, double *out)
{
    const size_t n = s->found->n;
    OWNED_PLAN sinpos_plan *plan = NULL;
    sinpos_spec spec = SINPOS_SPEC_INIT;
    size_t n_tones;
    spec.dim = 2 * n;
    spec.types = SINPOS_F64;
    spec.base = g->base;
    spec.divisor = s->found->is_ascending ? -g->divisor : g->divisor;
    spec.scale = g->scale;
    sinpos_status status = sinpos_plan_create(&plan, &spec);
    status = status != SINPOS_OK ? status : sinpos_plan_theta(plan, out, n, &n_tones);
    for (size_t i = 0; i < n && status == SINPOS_OK; i++)
        out[i] = round_to(out[i], s->rounded);
    return status;
}

/* ------------------------------------------------------------------------------------------------ comparing */

static sinpos_identity_errors compare(const searched *s, const double *exact, size_t *worst)
{
    const size_t n = s->found->n;
    sinpos_identity_errors errors = {.last_row = 0, .elements = n};
    double most = 0;
    for (size_t i = 0; i < n; i++) {
        const double off = fabs(s->x[i] - exact[i]), units = off / ldexp(s->unit, ilogb(exact[i]) + 1);
        errors.wrong += off > 0;
        errors.max_abs_error = fmax(errors.max_abs_error, off);
        errors.max_relative_error = fmax(errors.max_relative_error, off / exact[i]);
        if (units > most) {
            most = units;
            *worst = i;
        }
    }
    errors.max_ulp = most < 0x1p60 ? (uint64_t)nearbyint(most) : UINT64_MAX;
    return errors;
}

static bool are_equal(const searched *s, const double *made)
{
    bool are = true;
    for (size_t i = 0; i < s->found->n; i++)
        are = are && round_to(made[i], s->rounded) == s->x[i];
    return are;
}

static void take(searched *s, const guess *g, const sinpos_identity_errors *errors, size_t worst, bool is_published,
                 const char *settings, const double *exact)
{
    sinpos_frequency_list *found = s->found;
    found->is_schedule = 1;
    found->scale = g->scale;
    found->base = g->base;
    found->divisor = g->divisor;
    found->ntk_base = g->ntk_base;
    found->ntk_factor = g->ntk_factor;
    found->scaling = g->scaling;
    found->scaling_factor = g->factor;
    found->scaling_context = g->context;
    found->scaling_truncate = g->truncate;
    found->errors = *errors;
    found->worst = worst;
    found->is_published = is_published;
    snprintf(found->settings, sizeof found->settings, "%s", settings);
    memcpy(found->exact, exact, found->n * sizeof *exact);
    s->is_made = errors->wrong == 0 || is_published;
    s->digits = g->digits;
}

/* Does it make the list? Then it is kept if no other that does has fewer digits. */
static sinpos_status try_guess(searched *s, const guess *g)
{
    sinpos_frequency_list *found = s->found;
    const size_t n = found->n;
    const double bits = (double)n * (-log2(s->unit) - 2) - DIGIT_BITS * (g->digits + 2);
    char settings[sizeof found->settings] = "";
    size_t worst = 0;
    bool is_published = false;
    if (bits < LEAST_BITS || !(g->base > 1) || !isfinite(g->base) || (s->is_made && s->digits <= g->digits))
        return SINPOS_OK;
    OWNED double *exact = malloc(n * sizeof *exact), *made = malloc(n * sizeof *made);
    if (exact == NULL || made == NULL)
        return SINPOS_E_MEMORY;
    const bool is_named = is_rope(g, found);
    if (is_named)
        write_settings(g, found, settings, sizeof settings);
    sinpos_status status = is_named ? make_rope(settings, "exact", s->rounded, n, exact) : make_list(g, s, exact);
    if (status != SINPOS_OK)
        return status == SINPOS_E_MEMORY ? status : SINPOS_OK;
    const sinpos_identity_errors errors = compare(s, exact, &worst);
    if (errors.max_ulp > MOST_UNITS || errors.max_relative_error > fmax(SINGLE_ERROR, 2 * s->unit))
        return SINPOS_OK;
    if (is_named && errors.wrong > 0 && found->type != SINPOS_F64) {
        status = make_rope(settings, "published", SINPOS_F32, n, made);
        is_published = status == SINPOS_OK && are_equal(s, made);
    }
    if (status == SINPOS_OK && (errors.wrong == 0 || is_published || (!s->is_made && g->digits < s->digits)))
        take(s, g, &errors, worst, is_published, settings, exact);
    return status == SINPOS_E_MEMORY ? status : SINPOS_OK;
}

/* ------------------------------------------------------------------------------------------------ proposing */

static double digits_of_base(double base)
{
    for (size_t i = 0; i < N_USUAL; i++)
        if (base == usual_bases[i])
            return 0;
    return (double)id_digits(base);
}

/* y_i = slope i for a scale; to within *error. */
static double slope_for(const searched *s, double scale, double *error)
{
    const double n = (double)s->found->n, sign = s->found->is_ascending ? -1 : 1;
    double over = 0, under = 0;
    for (size_t i = 1; i < s->found->n; i++) {
        over += (double)i * sign * log(scale / s->x[i]);
        under += (double)i * (double)i;
    }
    const double own = s->rounded == SINPOS_F64 ? DOUBLE_ERROR : fmax(SINGLE_ERROR, s->unit);
    *error = own / n + 4 * s->unit / sqrt(under);
    return over / under;
}

/* NTK-aware scaling of a usual base: base = b factor^(n / (n - 1)) with a short factor. */
static sinpos_status try_ntk(searched *s, guess g, double error)
{
    const double n = (double)s->found->n;
    sinpos_status status = SINPOS_OK;
    for (size_t i = 0; i < N_USUAL && status == SINPOS_OK; i++) {
        const double factor = pow(g.base / usual_bases[i], (n - 1) / n), nice = id_nice(factor, factor * error);
        guess own = g;
        own.ntk_base = usual_bases[i];
        own.ntk_factor = nice;
        own.base = usual_bases[i] * pow(nice, n / (n - 1));
        own.digits = g.digits - (double)id_digits(g.base) + (double)id_digits(nice) + 1;
        if (factor > 1 && id_digits(nice) <= FACTOR_DIGITS)
            status = try_guess(s, &own);
    }
    return status;
}

/* Bases for a divisor, with as few digits as make the list. */
static sinpos_status try_divisor(searched *s, double scale, double divisor, double cost)
{
    double error;
    const double slope = slope_for(s, scale, &error), middle = exp(slope * divisor);
    sinpos_status status = SINPOS_OK;
    guess g = {.scale = scale, .divisor = divisor};
    double last = 0;
    if (!(slope > 0) || !isfinite(middle))
        return SINPOS_OK;
    for (double room = error * divisor; room > 0x1p-54 && status == SINPOS_OK; room /= 10) {
        g.base = id_nice(middle, middle * room);
        g.digits = digits_of_base(g.base) + cost;
        if (g.base != last)
            status = try_guess(s, &g);
        last = g.base;
    }
    g.base = middle;
    g.digits = 17 + cost;
    return status != SINPOS_OK || scale != 1 || divisor != (double)s->found->n ? status
                                                                               : try_ntk(s, g, error * divisor);
}

static sinpos_status try_scale(searched *s, double scale)
{
    const double n = (double)s->found->n, divisors[] = {n, n - 1, 1};
    const double digits = scale == 1 ? 0 : 1 + (double)id_digits(scale);
    sinpos_status status = SINPOS_OK;
    for (size_t i = 0; i < sizeof divisors / sizeof divisors[0] && status == SINPOS_OK; i++)
        status = try_divisor(s, scale, divisors[i], (double)i / 2 + fmin(digits, 5));
    return status;
}

static sinpos_status try_scales(searched *s)
{
    const double first = s->x[0], unit = 2 * s->unit, half_turn = acos(-1.0);
    const double nice = id_nice(first, unit * first), turns = id_nice(first / half_turn, unit * first);
    const double factor = id_simple(1 / first, 2 * unit / first);
    sinpos_status status = fabs(first - 1) <= unit ? try_scale(s, 1) : SINPOS_OK;
    if (status == SINPOS_OK && id_digits(turns) <= 2)
        status = try_scale(s, turns * half_turn);
    if (status == SINPOS_OK && nice != 1 && id_digits(nice) <= SCALE_DIGITS)
        status = try_scale(s, nice);
    if (status == SINPOS_OK && factor > 1 && id_digits(factor) <= FACTOR_DIGITS)
        status = try_scale(s, 1 / factor);
    return status;
}

/* Slowed down as by Llama 3 or YaRN. */
static sinpos_status try_scalings(searched *s)
{
    const size_t n = s->found->n;
    sinpos_identity identity = {0};
    OWNED double *theta = malloc(n * sizeof *theta);
    if (theta == NULL)
        return SINPOS_E_MEMORY;
    memcpy(theta, s->x, n * sizeof *theta);
    sinpos_identity_axis axis = {.n_frequencies = n, .theta = theta};
    if (s->is_made || s->found->is_ascending || !(fabs(s->x[0] - 1) <= 2 * s->unit) || s->unit > 0x1p-20 ||
        !id_name_scaling(&identity, &axis, 0))
        return SINPOS_OK;
    const guess g = {.scale = 1,
                     .base = axis.base,
                     .divisor = axis.divisor,
                     .scaling = identity.scaling,
                     .factor = identity.scaling_factor,
                     .context = identity.scaling_context,
                     .truncate = identity.scaling_truncate,
                     .digits = 6};
    return try_guess(s, &g);
}

/* ------------------------------------------------------------------------------------------------ the list */

/* Positive numbers that fall, or rise, from each to the next. */
static bool is_steady(sinpos_frequency_list *found, const double *x)
{
    bool falls = x[0] > 0 && isfinite(x[0]), rises = falls;
    for (size_t i = 1; i < found->n; i++) {
        falls = falls && x[i] > 0 && x[i] < x[i - 1];
        rises = rises && x[i] > x[i - 1] && isfinite(x[i]);
    }
    found->is_ascending = rises;
    return (falls || rises) && found->n >= LEAST_FREQUENCIES;
}

static sinpos_status search(sinpos_frequency_list *found, const double *x)
{
    const sinpos_type rounded = narrowest_type(found->type, types_that_hold(x, found->n, ~0U));
    searched s = {found, x, type_unit(rounded), rounded, false, INFINITY};
    found->rounded_to = type_facts_of(rounded).precision;
    if (!is_steady(found, x))
        return SINPOS_OK;
    const sinpos_status status = try_scales(&s);
    return status != SINPOS_OK ? status : try_scalings(&s);
}

sinpos_status sinpos_identify_frequencies(sinpos_frequency_list **out, const void *list, size_t n, sinpos_type type)
{
    BOUNDARY;
    if (out == NULL || list == NULL)
        return SINPOS_E_NULL;
    *out = NULL;
    if (sinpos_type_bytes(type) == 0)
        return SINPOS_E_TYPE;
    if (n == 0 || n > MOST_FREQUENCIES)
        return SINPOS_E_SHAPE;
    sinpos_frequency_list *found = calloc(1, sizeof *found);
    OWNED double *x = malloc(n * sizeof *x);
    sinpos_status status = found == NULL || x == NULL ? SINPOS_E_MEMORY : SINPOS_OK;
    if (status == SINPOS_OK) {
        widen(x, list, type, n);
        found->n = n;
        found->type = type;
        found->exact = calloc(n, sizeof *found->exact);
        status = found->exact == NULL ? SINPOS_E_MEMORY : search(found, x);
    }
    if (status == SINPOS_OK)
        *out = found;
    else
        sinpos_frequency_list_destroy(found);
    return status;
}

void sinpos_frequency_list_destroy(sinpos_frequency_list *found)
{
    BOUNDARY;
    if (found != NULL)
        free(found->exact);
    free(found);
}
