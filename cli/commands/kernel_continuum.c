#include "kernel_continuum.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json_out.h"
#include "no_memory.h"
#include "progress.h"

#define MOST_OFFSETS ((size_t)1 << 16)
#define CROSSING_LIMIT 1e9
#define REACHED 1e-9 /* the largest error of a printed value */
#define USUAL "t,t^2,t^3,sqrt(t),100^-t,1000^-t,10000^-t,100000^-t"
#define USUAL_OFFSETS "1,4,16,128,1024,16384"

static const char lacks_flint[] = "this sinpos was built without FLINT, which rigorous integrals need";

/* ----------------------------------------------------------------------------------------------- theta(t) */

static noreturn void fail_theta(enum option_id id, const char *text, const char *why, size_t at)
{
    char what[200], hint[120];
    snprintf(what, sizeof what, "--%s %.150s", option_types[id].name, text);
    if (at < strlen(text))
        snprintf(hint, sizeof hint, "see the text from '%.40s' on; write it as in 10000^-t or exp(-9.21*t)", text + at);
    else
        snprintf(hint, sizeof hint, "the text ends too early; write it as in 10000^-t or exp(-9.21*t)");
    fail(EXIT_USAGE, hint, what, "%s", why);
}

static sinpos_theta *parse_theta(enum option_id id, const char *text)
{
    sinpos_theta *theta;
    const char *why = "";
    size_t at = 0;
    switch (sinpos_theta_parse(&theta, text, &why, &at)) {
    case SINPOS_OK: return theta;
    case SINPOS_E_MEMORY: fail_memory();
    default: fail_theta(id, text, why, at);
    }
}

void continuum_choose(struct continuum *continuum, const struct options *options, const sinpos_spec *spec)
{
    const char *given = options->given[OPTION_CONTINUUM];
    *continuum = (struct continuum){.crossing = {NAN, INFINITY, 0}};
    if (given != NULL && strcmp(given, "none") == 0) {
        snprintf(continuum->why, sizeof continuum->why, "it was not asked for");
        continuum->is_unwanted = true;
        return;
    }
    if (given != NULL) {
        continuum->theta = parse_theta(OPTION_CONTINUUM, given);
        return;
    }
    const bool is_named = spec->schedule == SINPOS_EXPLICIT && spec->n_theta == 0; /* a convention's */
    const sinpos_status status = is_named ? SINPOS_E_VALUE : sinpos_theta_of_spec(&continuum->theta, spec);
    if (status == SINPOS_E_VALUE) {
        snprintf(continuum->why, sizeof continuum->why,
                 "the frequencies are a list; state theta(t) with --continuum, as in --continuum 'exp(-9.21*t)'");
    } else if (status != SINPOS_OK) {
        fail_status(status);
    }
}

static void offsets_as_reals(struct positions *offsets, double *x)
{
    const sinpos_rows rows = positions_rows(offsets, 0, offsets->n);
    for (size_t i = 0; i < offsets->n; i++)
        x[i] = rows_number(&rows, i);
}

static sinpos_status find_crossing(const sinpos_theta *theta, sinpos_crossing *crossing)
{
    progress_begin_part("first zero");
    const sinpos_status status = sinpos_continuum_crossing(theta, CROSSING_LIMIT, crossing, progress_watch, NULL);
    progress_clear();
    return status;
}

static sinpos_status evaluate(struct continuum *continuum, const double *x, size_t n, size_t threads)
{
    double *radius = continuum->value + n;
    progress_begin_part("continuum");
    const sinpos_status status =
        sinpos_continuum_values(continuum->theta, x, n, continuum->value, radius, threads, progress_watch, NULL);
    progress_clear();
    for (size_t i = 0; i < n && status == SINPOS_OK; i++) {
        if (radius[i] > REACHED) {
            continuum->value[i] = NAN;
            continuum->n_unreached++;
        } else {
            continuum->radius = radius[i] > continuum->radius ? radius[i] : continuum->radius;
        }
    }
    return status == SINPOS_OK ? find_crossing(continuum->theta, &continuum->crossing) : status;
}

void continuum_make(struct continuum *continuum, const struct options *options, struct positions *offsets)
{
    const size_t n = offsets->n;
    if (continuum->theta == NULL)
        return;
    if (n > MOST_OFFSETS) {
        snprintf(continuum->why, sizeof continuum->why, "it is computed for at most %zu offsets", MOST_OFFSETS);
        return;
    }
    double *x = memory_take(n, sizeof *x);
    continuum->value = memory_take(2 * n, sizeof *continuum->value);
    offsets_as_reals(offsets, x);
    const sinpos_status status = evaluate(continuum, x, n, options->threads);
    free(x);
    if (status == SINPOS_OK)
        return;
    free(continuum->value);
    continuum->value = NULL;
    if (status == SINPOS_E_UNSUPPORTED) {
        snprintf(continuum->why, sizeof continuum->why, "%s", lacks_flint);
    } else if (status == SINPOS_E_VALUE && options->given[OPTION_CONTINUUM] == NULL) {
        snprintf(continuum->why, sizeof continuum->why, "theta(t) = %.100s is not a real number for all t from 0 to 1",
                 sinpos_theta_text(continuum->theta));
    } else if (status == SINPOS_E_VALUE) {
        fail_theta(OPTION_CONTINUUM, sinpos_theta_text(continuum->theta), "is not a real number for all t from 0 to 1",
                   0);
    } else {
        fail_status(status);
    }
}

static void json_crossing(const sinpos_crossing *crossing)
{
    EMIT_OBJECT("crossing");
    emit_real("x", crossing->x);
    emit_real("radius", crossing->radius);
    emit_real("searched", crossing->searched);
}

void continuum_json(const struct continuum *continuum, size_t n)
{
    if (continuum->value == NULL) {
        emit_null("continuum");
        emit_text("continuum_why", continuum->why);
        return;
    }
    emit_reals("continuum", continuum->value, n);
    emit_null("continuum_why");
    emit_text("continuum_theta", sinpos_theta_text(continuum->theta));
    emit_real("continuum_radius", continuum->radius);
    emit_unsigned("continuum_unreached", continuum->n_unreached);
    json_crossing(&continuum->crossing);
}

void continuum_text(const struct continuum *continuum)
{
    if (continuum->is_unwanted)
        return;
    if (continuum->value == NULL) {
        printf("\nno continuum: %s\n", continuum->why);
        return;
    }
    printf("\ncontinuum: the limit of g(k) / g(0) for ever more tones, theta(t) = %s\n",
           sinpos_theta_text(continuum->theta));
    if (continuum->n_unreached > 0)
        printf("values not reached: %zu; k theta(t) goes up and down too often there\n", continuum->n_unreached);
    if (isnan(continuum->crossing.x)) {
        printf("it crosses zero nowhere up to k = %.6g%s\n", continuum->crossing.searched,
               continuum->crossing.searched < CROSSING_LIMIT ? "; how it goes on was not reached" : "");
    } else {
        printf("it first crosses zero at k = %.6f\n", continuum->crossing.x);
    }
}

void continuum_free(struct continuum *continuum)
{
    sinpos_theta_destroy(continuum->theta);
    free(continuum->value);
    continuum->theta = NULL;
    continuum->value = NULL;
}

/* ---------------------------------------------------------------------------------------------- schedules */

struct schedules {
    char *texts; /* one after the other, each with its zero byte */
    sinpos_theta **theta;
    sinpos_crossing *crossing;
    size_t n;
    struct positions offsets;
    double *x, *value, *size;
    size_t *rank;
};

static void schedules_free(struct schedules *s)
{
    for (size_t i = 0; i < s->n; i++)
        sinpos_theta_destroy(s->theta[i]);
    free(s->texts);
    free(s->theta);
    free(s->crossing);
    free(s->x);
    free(s->value);
    free(s->size);
    free(s->rank);
    positions_free(&s->offsets);
}

/* Commas between schedules, not those inside ( ), become zero bytes. Returns how many schedules there are. */
static size_t split_texts(char *texts)
{
    size_t n = 1;
    int nested = 0;
    for (char *p = texts; *p != '\0'; p++) {
        nested += *p == '(' ? 1 : *p == ')' ? -1 : 0;
        if (*p == ',' && nested <= 0) {
            *p = '\0';
            n++;
        }
    }
    return n;
}

static void take_schedules(struct schedules *s, const char *given)
{
    const char *list = strcmp(given, "usual") == 0 ? USUAL : given;
    s->texts = memory_copy(list, strlen(list) + 1, 1);
    s->n = split_texts(s->texts);
    s->theta = memory_take(s->n, sizeof(sinpos_theta *));
    s->crossing = memory_take(s->n, sizeof *s->crossing);
    const char *text = s->texts;
    for (size_t i = 0; i < s->n; i++) {
        s->theta[i] = parse_theta(OPTION_SCHEDULES, text);
        text += strlen(text) + 1;
    }
}

static void take_offsets(struct schedules *s, const struct options *options)
{
    const char *given = options->given[OPTION_OFFSETS];
    const bool is_usual = strcmp(options->given[OPTION_SCHEDULES], "usual") == 0;
    positions_offsets(&s->offsets, options,
                      given != NULL ? given
                      : is_usual    ? USUAL_OFFSETS ",1048576"
                                    : USUAL_OFFSETS);
    const size_t n = s->offsets.n;
    if (n > 1000 || s->n > 1000) {
        fail_option(options, n > 1000 ? OPTION_OFFSETS : OPTION_SCHEDULES, "1000 are enough for a table",
                    "are too many to compare");
    }
    s->x = memory_take(n, sizeof *s->x);
    s->value = memory_take(s->n * n, sizeof *s->value);
    s->size = memory_take(s->n * n, sizeof *s->size);
    s->rank = memory_take(s->n * n, sizeof *s->rank);
    offsets_as_reals(&s->offsets, s->x);
    for (size_t i = 0; i < n; i++) {
        if (!(s->x[i] > 0 && s->x[i] < 0x1p62)) {
            fail_option(options, OPTION_OFFSETS, "every curve is 1 at offset 0, and even",
                        "must be above 0 to be compared");
        }
    }
}

static void compare(struct schedules *s, const struct options *options)
{
    const sinpos_theta *const *theta = (const sinpos_theta *const *)s->theta;
    progress_begin_part("schedules");
    sinpos_status status = sinpos_schedules_compare(theta, s->n, s->x, s->offsets.n, s->value, s->size, s->rank,
                                                    options->threads, progress_watch, NULL);
    progress_clear();
    for (size_t i = 0; i < s->n && status == SINPOS_OK; i++)
        status = find_crossing(s->theta[i], &s->crossing[i]);
    if (status == SINPOS_E_UNSUPPORTED)
        fail(EXIT_FILE, "build sinpos with FLINT to compare schedules", "--schedules", "%s", lacks_flint);
    if (status == SINPOS_E_VALUE) {
        fail_option(options, OPTION_SCHEDULES, "theta(t) must be real and finite for t between 0 and 1",
                    "holds one that is not a real number for all t from 0 to 1");
    }
    expect_ok(status);
}

static void schedules_json(const struct schedules *s)
{
    const size_t n = s->offsets.n;
    EMIT_OBJECT(NULL);
    emit_reals("offsets", s->x, n);
    emit_array("schedules");
    for (size_t i = 0; i < s->n; i++) {
        EMIT_OBJECT(NULL);
        emit_text("theta", sinpos_theta_text(s->theta[i]));
        emit_reals("continuum", s->value + i * n, n);
        emit_reals("size", s->size + i * n, n);
        emit_array("rank");
        for (size_t j = 0; j < n; j++)
            emit_unless_0(NULL, s->rank[i * n + j]);
        emit_close();
        json_crossing(&s->crossing[i]);
    }
    emit_close();
}

static const char *of_rank_one(const struct schedules *s, size_t column)
{
    size_t i = 0;
    while (i + 1 < s->n && s->rank[i * s->offsets.n + column] != 1)
        i++;
    return s->rank[i * s->offsets.n + column] == 1 ? sinpos_theta_text(s->theta[i]) : "not reached";
}

static void print_schedule(const struct schedules *s, size_t i, int width)
{
    const size_t n = s->offsets.n;
    char crossing[40] = "none";
    if (!isnan(s->crossing[i].x))
        snprintf(crossing, sizeof crossing, "%.4f", s->crossing[i].x);
    else if (s->crossing[i].searched < CROSSING_LIMIT)
        snprintf(crossing, sizeof crossing, "none to %.3g", s->crossing[i].searched);
    printf("%-*s  %15s", width, sinpos_theta_text(s->theta[i]), crossing);
    for (size_t j = 0; j < n; j++) {
        char rank[24] = "?";
        if (s->rank[i * n + j] > 0)
            snprintf(rank, sizeof rank, "%zu", s->rank[i * n + j]);
        if (isnan(s->value[i * n + j]))
            printf("  %11s %2s", "not reached", rank);
        else
            printf("  %11.3e %2s", s->value[i * n + j], rank);
    }
    putchar('\n');
}

static void schedules_text(const struct schedules *s)
{
    const size_t n = s->offsets.n;
    int width = 8;
    for (size_t i = 0; i < s->n; i++) {
        const size_t length = strlen(sinpos_theta_text(s->theta[i]));
        width = (int)length > width ? (int)length : width;
    }
    printf("f(k) = integral of cos(k theta(t)), t from 0 to 1: what g(k) / g(0) tends to with ever more tones\n"
           "after each value its rank by size near k: 1 decays fastest\n\n%-*s  %15s",
           width, "theta(t)", "first zero");
    for (size_t j = 0; j < n; j++) {
        char text[POSITION_TEXT_BYTES];
        printf("  k = %-10s", positions_text(&s->offsets, j, text));
    }
    putchar('\n');
    for (size_t i = 0; i < s->n; i++)
        print_schedule(s, i, width);
    printf("\nfastest at the first offset: %s; at the last: %s\n", of_rank_one(s, 0), of_rank_one(s, n - 1));
}

void schedules_report(const struct options *options)
{
    struct schedules s = {.n = 0};
    take_schedules(&s, options->given[OPTION_SCHEDULES]);
    take_offsets(&s, options);
    compare(&s, options);
    if (options->given[OPTION_JSON] != NULL)
        schedules_json(&s);
    else
        schedules_text(&s);
    schedules_free(&s);
}
