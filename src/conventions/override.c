/* What general words change in a convention: the fields of a copy of it. */
#include <string.h>

#include "build.h"

static bool number_given(build *b, const sinpos_parameters *given, const char *name, bool *is_given, real *number)
{
    const parameter *p = parameters_find(given, name);
    *is_given = p != NULL;
    if (p != NULL && p->v.kind != VALUE_NUMBER)
        return scope_fail_about(&b->s, SINPOS_E_VALUE, name, "%s must be a number", name + strlen("override."));
    if (p != NULL)
        *number = p->v.number;
    return true;
}

/* *choice: 0 for the first word, 1 for the second, -1 where nothing is given. */
static bool word_given(build *b, const sinpos_parameters *given, const char *name, const char *const words[2],
                       int *choice)
{
    const parameter *p = parameters_find(given, name);
    *choice = -1;
    for (int k = 0; p != NULL && p->v.kind == VALUE_TEXT && k < 2; k++)
        if (p->v.n_text == strlen(words[k]) && memcmp(p->v.text, words[k], p->v.n_text) == 0)
            *choice = k;
    return p == NULL || *choice >= 0 ||
           scope_fail_about(&b->s, SINPOS_E_VALUE, name, "%s must be %s or %s", name + strlen("override."), words[0],
                            words[1]);
}

static bool override_layout(build *b, const sinpos_parameters *given)
{
    static const char *const layouts[2] = {"interleaved", "halves"};
    int choice;
    if (!word_given(b, given, "override.layout", layouts, &choice) || choice < 0)
        return choice < 0 && b->s.error.status == SINPOS_OK;
    b->one_axis_only = "layout";
    if (b->own.pairing != NULL) {
        b->own.pairing = choice == 0 ? "pair" : "half";
        b->own.result = b->own.copies = b->own.block = NULL;
    }
    b->own.nest = choice == 0 ? "afc" : "acf";
    return true;
}

static bool override_order(build *b, const sinpos_parameters *given)
{
    static const char *const orders[2] = {"sin-cos", "cos-sin"};
    int choice;
    if (!word_given(b, given, "override.order", orders, &choice) || choice < 0)
        return choice < 0 && b->s.error.status == SINPOS_OK;
    if (b->own.pairing != NULL) {
        return scope_fail_about(&b->s, SINPOS_E_VALUE, "override.order",
                                "a rotation has no order of sines and cosines");
    }
    char word[4];
    if (!build_word(b, b->own.components, "sc", word, sizeof word))
        return false;
    b->own.components = choice == 0 ? "sc" : "cs";
    return strlen(word) == 2 || scope_fail_about(&b->s, SINPOS_E_VALUE, "override.order",
                                                 "%s has one component only: it has no order", b->own.name);
}

bool build_override(build *b, const sinpos_parameters *given)
{
    static const char *const known[] = {"override.amplitude", "override.scale", "override.layout", "override.order"};
    size_t n_known = 0;
    for (size_t k = 0; k < sizeof known / sizeof known[0]; k++)
        n_known += parameters_find(given, known[k]) != NULL;
    for (size_t k = 0; given != NULL && k < given->n; k++)
        n_known -= is_override(given->all[k].name);
    if (n_known != 0)
        return scope_fail(&b->s, SINPOS_E_NAME, "override.amplitude, .scale, .layout and .order can be given");
    const parameter *arithmetic = parameters_find(given, "arithmetic");
    const bool is_exact = arithmetic == NULL || arithmetic->v.kind != VALUE_TEXT ||
                          (arithmetic->v.n_text == 5 && memcmp(arithmetic->v.text, "exact", 5) == 0);
    if (!is_exact &&
        (parameters_find(given, "override.scale") != NULL || parameters_find(given, "override.amplitude") != NULL))
        return scope_fail(&b->s, SINPOS_E_VALUE, "another scale or amplitude has no published arithmetic");
    b->own = *b->convention;
    b->convention = &b->own;
    return number_given(b, given, "override.amplitude", &b->has_amplitude, &b->amplitude) &&
           number_given(b, given, "override.scale", &b->has_scale, &b->scale) && override_layout(b, given) &&
           override_order(b, given);
}
