/* figure_words.c - what titles and legends of figures name: encodings, counts; numbers in equal ratios. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "catalogue.h"

struct words {
    char *text;
    size_t used;
};

static void add_number(struct words *words, const char *name, double value, double usual)
{
    if (value != usual && words->used < FIGURE_TITLE) {
        words->used +=
            (size_t)snprintf(words->text + words->used, FIGURE_TITLE - words->used, ", %s %.9g", name, value);
    }
}

static void add_word(struct words *words, const char *word)
{
    if (words->used < FIGURE_TITLE)
        words->used += (size_t)snprintf(words->text + words->used, FIGURE_TITLE - words->used, ", %s", word);
}

static void add_schedule(struct words *words, const sinpos_spec *spec)
{
    switch (spec->schedule) {
    case SINPOS_GEOMETRIC:
        add_number(words, "base", spec->base, NAN);
        add_number(words, "base divisor", spec->base_divisor, 1);
        break;
    case SINPOS_POWER: add_number(words, "power schedule, exponent", spec->exponent, NAN); break;
    case SINPOS_OCTAVE: add_word(words, "octaves"); break;
    case SINPOS_TURNS: add_word(words, "given frequencies in turns"); break;
    case SINPOS_EXPLICIT: add_word(words, "given frequencies"); break;
    }
}

const char *encoding_words(const sinpos_spec *spec, char text[FIGURE_TITLE])
{
    struct words words = {text, 0};
    words.used = (size_t)snprintf(text, FIGURE_TITLE, "dim %zu", spec->dim);
    add_schedule(&words, spec);
    add_number(&words, "shift", spec->shift, 0);
    add_number(&words, "divisor", spec->divisor, 0);
    add_number(&words, "scale", spec->scale, 1);
    add_number(&words, "amplitude", spec->amplitude, 1);
    add_number(&words, "phase", spec->phase, 0);
    add_number(&words, "phase in turns", spec->phase_turns, 0);
    if (spec->n_factor > 0)
        add_word(&words, "given factors");
    if (spec->layout == SINPOS_HALVES)
        add_word(&words, "halves");
    if (spec->order == SINPOS_COS_SIN)
        add_word(&words, "cosine first");
    if (spec->odd == SINPOS_ZERO && spec->dim % 2 == 1)
        add_word(&words, "last column zero");
    return text;
}

const char *request_words(const struct figure_request *request, char text[FIGURE_TITLE])
{
    char words[FIGURE_TITLE];
    if (request->name == NULL)
        return encoding_words(request->spec, text);
    if (request->is_exact)
        encoding_words(request->spec, words);
    else
        snprintf(words, sizeof words, "dim %zu", sinpos_plan_dim(request->plan));
    snprintf(text, FIGURE_TITLE, "%.60s, %.*s", request->name, FIGURE_TITLE - 64, words);
    return text;
}

const char *count_words(size_t n, char text[TIC_TEXT])
{
    struct tic tics[FIGURE_TICS];
    if (n >= 100000 && figure_tics((double)n, 2 * (double)n, true, 9, tics) > 0 && tics[0].text[0] != '\0' &&
        tics[0].at == (double)n)
        memcpy(text, tics[0].text, TIC_TEXT);
    else
        snprintf(text, TIC_TEXT, "%zu", n);
    return text;
}

int compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

sinpos_status kernel_shares(const struct figure_request *request, const sinpos_rows *offsets, double *out,
                            double *at_zero)
{
    const sinpos_rows zero = {.struct_size = sizeof zero, .n = 1};
    sinpos_status status = sinpos_kernel_values(request->plan, &zero, at_zero, 1);
    status = status == SINPOS_OK ? sinpos_kernel_values(request->plan, offsets, out, request->threads) : status;
    for (size_t i = 0; status == SINPOS_OK && i < offsets->n; i++)
        out[i] /= *at_zero > 0 ? *at_zero : 1;
    return status;
}

sinpos_status equal_ratios(double low, double high, size_t n, double *out)
{
    sinpos_spec spec = SINPOS_SPEC_INIT;
    OWNED_PLAN sinpos_plan *plan = NULL;
    size_t n_tones;
    spec.dim = 2 * n;
    spec.base = low;
    spec.base_divisor = high;
    spec.scale = low;
    spec.divisor = (double)(n - 1);
    const sinpos_status status = sinpos_plan_create(&plan, &spec);
    return status == SINPOS_OK ? sinpos_plan_theta(plan, out, n, &n_tones) : status;
}
