/* identify_conventions.c - which conventions make the table that was found. */
#include "elements.h"
#include "identify_trial.h"

/* Of angles, relative, where formulas with the same numbers make them in other ways. */
#define ANGLE_ERROR 0x1p-48

/* Errors that are smaller by so much are no chance. */
#define NEARER 0.8

/* Frequencies that are made as published, of all conventions together: 0.1 ms each. */
#define MOST_REPLAYED 4096

/* Was the array made as the source of the convention computes? Not asked where it is exact, nor of too many. */
static sinpos_status try_published(id_trial *s)
{
    sinpos_identity *identity = s->identity;
    sinpos_parameters *parameters = NULL;
    const bool is_known = identity->encoding != NULL && identity->conventions[0].source != NULL;
    if (is_known || identity->total.wrong == 0 || identity->noise > 0 ||
        s->n_replayed + identity->n_tones > MOST_REPLAYED)
        return SINPOS_OK;
    s->n_replayed += identity->n_tones;
    sinpos_status status = sinpos_parameters_create(&parameters);
    status = status != SINPOS_OK ? status : id_trial_set(s, parameters);
    if (status == SINPOS_OK)
        status = id_replay(identity, &identity->conventions[identity->n_conventions - 1], parameters, s->table);
    sinpos_parameters_destroy(parameters);
    return status;
}

/* All but altered elements; or, where rounded angles leave few elements right, is it nearer with numbers that are given? */
static bool is_better(const id_misses *convention, const id_misses *fit)
{
    const bool is_rounded = 2 * fit->wrong > fit->elements && convention->far <= fit->far;
    return convention->wrong <= convention->far ? convention->wrong < fit->wrong
                                                : is_rounded && convention->sum < NEARER * fit->sum;
}

/*
 * Frequencies and positions were fitted, those of the convention are exact: does it make what the fit does not, exactly
 * or as published?
 */
static sinpos_status adopt(id_trial *s)
{
    sinpos_identity *identity = s->identity;
    const bool is_published = identity->conventions[identity->n_conventions - 1].published_equal == 1 && !s->is_strict;
    sinpos_parameters *parameters = NULL;
    id_misses before = {0}, after = {0};
    if (identity->total.wrong == 0 || identity->noise > 0 || identity->encoding != NULL || id_has_levels(identity))
        return SINPOS_OK;
    sinpos_status status = id_trial_misses(s, s->view, &before);
    status = status != SINPOS_OK ? status : sinpos_parameters_create(&parameters);
    status = status != SINPOS_OK ? status : id_trial_set(s, parameters);
    if (status == SINPOS_OK)
        status = sinpos_encoding_create(&identity->encoding, sinpos_convention_name(s->convention), parameters,
                                        SINPOS_F64 | (unsigned)s->table->type, NULL);
    const bool has_rows = status == SINPOS_OK && id_trial_has_view(s, identity->encoding);
    if (has_rows)
        status = id_trial_misses(s, s->view, &after);
    if (status != SINPOS_OK || !has_rows || (!is_published && !is_better(&after, &before))) {
        sinpos_encoding_destroy(identity->encoding);
        identity->encoding = NULL;
    } else { /* it comes first */
        sinpos_identity_convention *last = &identity->conventions[identity->n_conventions - 1], own = *last;
        memmove(identity->conventions + 1, identity->conventions, (identity->n_conventions - 1) * sizeof own);
        identity->conventions[0] = own;
    }
    sinpos_parameters_destroy(parameters);
    return status == SINPOS_E_MEMORY ? status : SINPOS_OK;
}

void id_forget_conventions(sinpos_identity *identity, size_t n)
{
    while (identity->n_conventions > n) {
        sinpos_identity_convention *last = &identity->conventions[--identity->n_conventions];
        free(last->settings);
        sinpos_encoding_destroy(last->source);
    }
}

/* ------------------------------------------------------------------------------------------------ searching */

/* Can it be, by what needs no formula? */
static bool may_fit(const id_trial *s)
{
    const sinpos_convention *c = s->convention;
    const sinpos_identity *identity = s->identity;
    const bool is_table = identity->view == SINPOS_VIEW_ROWS || identity->view == SINPOS_VIEW_CHANNEL_FIRST;
    const bool is_apart = sinpos_convention_text(c, "apart") != NULL && id_mask_of(c) == NULL;
    if (s->are_rotary)
        return !is_apart && sinpos_convention_text(c, "pairing") != NULL &&
               !id_is_literal(sinpos_convention_text(c, "output"), "table");
    if (is_apart || (sinpos_convention_text(c, "pairing") == NULL) != is_table)
        return !is_apart && is_table &&
               (id_is_literal(sinpos_convention_text(c, "output"), "table") ||
                id_is_literal(sinpos_convention_text(c, "beside"), "1"));
    if (is_table && identity->n_axes == 1 && identity->n_tones > 1) {
        const char *nest = sinpos_convention_text(c, "nest"), *components = sinpos_convention_text(c, "components");
        if ((identity->nest == SINPOS_NEST_AFC && id_is_literal(nest, "acf")) ||
            (identity->nest == SINPOS_NEST_ACF && id_is_literal(nest, "afc")))
            return false;
        if ((components == NULL && identity->cos_first) || (id_is_literal(components, "cs") && !identity->cos_first))
            return false;
    }
    return true;
}

static sinpos_status search_convention(id_trial *s)
{
    bool fits = false;
    sinpos_status status = SINPOS_OK;
    if (id_trial_list(s))
        status = id_trial_run(s, &fits);
    status = status == SINPOS_OK && fits ? id_trial_note(s) : status;
    status = status == SINPOS_OK && fits ? try_published(s) : status;
    const bool was_adopted = s->identity->encoding != NULL;
    status = status == SINPOS_OK && fits ? adopt(s) : status;
    if (status != SINPOS_OK || !fits)
        return status;
    sinpos_identity_convention *own =
        &s->identity->conventions[was_adopted || s->identity->encoding == NULL ? s->identity->n_conventions - 1 : 0];
    own->is_exact = own->is_exact || (!was_adopted && s->identity->encoding != NULL);
    if (!own->is_exact && own->source == NULL) /* it makes other elements all the same */
        id_forget_conventions(s->identity, s->identity->n_conventions - 1);
    return SINPOS_OK;
}

/* By an earlier pass, or adopted. */
static bool is_named(const id_trial *s)
{
    const sinpos_identity *identity = s->identity;
    for (size_t i = 0; i < identity->n_conventions; i++)
        if (strcmp(identity->conventions[i].name, sinpos_convention_name(s->convention)) == 0)
            return true;
    return false;
}

/*
 * A formula for frequencies and rows gives what the array should be, however it was rounded; but for grids whose numbers
 * make few of its elements.
 */
static bool is_defined(const sinpos_identity *identity)
{
    const bool is_made = 2 * identity->total.wrong <= identity->total.elements || identity->n_axes == 1;
    bool has_formula =
        is_made && identity->noise == 0 && identity->view == SINPOS_VIEW_ROWS && identity->positions == NULL;
    for (size_t a = 0; a < identity->n_axes; a++)
        has_formula =
            has_formula && (identity->axis[a].law != SINPOS_LAW_LIST || identity->scaling != SINPOS_SCALING_NONE);
    return has_formula;
}

static bool has_short_positions(const sinpos_identity *identity)
{
    bool are_short = true;
    for (size_t i = 0; i < ID_TRIAL_ROWS * identity->n_axes; i++)
        are_short = are_short &&
                    id_has_digits(id_position(identity, id_trial_row(i / identity->n_axes, ID_TRIAL_ROWS, identity->n),
                                              i % identity->n_axes),
                                  ID_POSITION_DIGITS);
    return are_short;
}

static double largest_angle(const sinpos_identity *identity)
{
    double most = 0;
    for (size_t a = 0; a < identity->n_axes; a++) {
        const double fast = id_largest(identity->axis[a].theta, identity->axis[a].n_frequencies);
        const double far = fmax(fabs(id_position(identity, 0, a)), fabs(id_position(identity, identity->n - 1, a)));
        most = fmax(most, fast * far);
    }
    return most;
}

/* All of them, until one was adopted: the others were compared with what was fitted. */
static sinpos_status search_all(id_trial *s, bool has_first)
{
    sinpos_identity *identity = s->identity;
    sinpos_status status = SINPOS_OK;
    for (size_t i = 0; i < sinpos_conventions_count() && status == SINPOS_OK; i++) {
        s->convention = sinpos_convention_at(i);
        if (may_fit(s) && !is_named(s))
            status = search_convention(s);
        if (status == SINPOS_OK && identity->encoding != NULL && !has_first) {
            id_forget_conventions(identity, 1);
            break;
        }
    }
    return status;
}

/* A formula of which every number is known, at positions in steps of 1: what it makes does not depend on other defaults. */
static bool is_plain(const sinpos_identity *identity)
{
    const sinpos_identity_axis *axis = &identity->axis[0];
    return identity->n_axes == 1 && identity->positions == NULL && axis->law == SINPOS_LAW_GEOMETRIC &&
           axis->scale == 1 && axis->step == 1;
}

sinpos_status id_name_conventions(sinpos_identity *identity, const sinpos_table *table, const id_view *view,
                                  bool may_be_defaults)
{
    id_facts facts;
    sinpos_status status = SINPOS_OK;
    id_facts_make(&facts, identity, table);
    id_trial *s = calloc(1, sizeof *s);
    if (s == NULL)
        return SINPOS_E_MEMORY;
    s->facts = &facts;
    s->identity = identity;
    s->table = table;
    s->view = view;
    const double unit = table->type == SINPOS_F64 ? 0x1p-50 : table->type == SINPOS_F32 ? 0x1p-23 : 0x1p-8;
    const double size = fabs(identity->amplitude);
    s->is_defined = is_defined(identity);
    s->has_short = has_short_positions(identity);
    s->tolerance =
        2 * unit * size + (s->is_defined ? ANGLE_ERROR * largest_angle(identity) * size : 2 * identity->residual);
    s->far = 4 * s->tolerance + (s->is_defined ? 0 : 2 * identity->total.max_abs_error);
    const bool has_first = identity->encoding != NULL;
    const bool may_be_rotary = identity->view == SINPOS_VIEW_ROWS && identity->total.wrong > 0 && identity->noise == 0;
    may_be_defaults = may_be_defaults && !is_plain(identity);
    for (int pass = 0; pass < (may_be_rotary ? 4 : 2) && status == SINPOS_OK; pass++) {
        s->are_rotary = pass >= 2; /* nothing else makes it */
        s->are_defaults = pass % 2 == 0;
        if ((may_be_defaults || !s->are_defaults) && (!s->are_rotary || identity->n_conventions == 0))
            status = search_all(s, has_first);
    }
    free(s);
    id_name_published(identity);
    return status;
}
