/* identify_parameters.c - values that parameters of conventions may have, given what was found. */
#include "identify_parameters.h"

#include <stdio.h>

/* Digits of a base that somebody may have chosen. */
#define MOST_BASE_DIGITS 6

static void add_base(id_facts *facts, double divisor, double error)
{
    const double base = exp(fabs(facts->slope) * divisor), nice = id_simple(base, base * error * divisor);
    if (!(divisor > 0) || !isfinite(base) || id_digits(nice) > MOST_BASE_DIGITS || facts->n_bases == 4)
        return;
    for (size_t i = 0; i < facts->n_bases; i++)
        if (facts->bases[i] == nice)
            return;
    facts->bases[facts->n_bases++] = nice;
}

static void find_bases(id_facts *facts)
{
    const sinpos_identity_axis *axis = &facts->identity->axis[0];
    if (axis->law == SINPOS_LAW_LINEAR || !(axis->base > 0) || facts->m < 2) {
        facts->bases[facts->n_bases++] = 10000;
        return;
    }
    facts->slope = log(axis->base) / axis->divisor;
    const double divisors[] = {facts->m, facts->m - 1, axis->divisor, facts->dim / 2};
    for (size_t i = 0; i < sizeof divisors / sizeof divisors[0]; i++)
        add_base(facts, divisors[i], 1e-12);
    if (facts->n_bases == 0)
        facts->bases[facts->n_bases++] = axis->base;
}

double id_divisor(const sinpos_identity_axis *axis, size_t i)
{
    const double ratio = axis->theta[0] * pow(axis->base, -(double)i / axis->divisor) / axis->theta[i];
    return id_simple(ratio, 1e-9 * ratio);
}

/* One that has a single place comes before all. */
static bool is_slower(const sinpos_identity_axis *a, const sinpos_identity_axis *b)
{
    return a->size == 1 ? b->size > 1 : b->size > 1 && a->stride > b->stride;
}

/* Sizes of the grid, slowest axis first. */
static void find_sizes(id_facts *facts)
{
    const sinpos_identity *identity = facts->identity;
    size_t order[ID_MOST_AXES], n = 0;
    for (size_t a = 0; a < identity->n_axes; a++) {
        if (identity->axis[a].size == 0)
            return;
        size_t at = n++;
        for (; at > 0 && is_slower(&identity->axis[a], &identity->axis[order[at - 1]]); at--)
            order[at] = order[at - 1];
        order[at] = a;
    }
    for (size_t i = 0; i < n; i++) {
        facts->size[i] = (double)identity->axis[order[i]].size;
        facts->n_still += identity->axis[order[i]].size == 1;
    }
}

void id_facts_make(id_facts *facts, const sinpos_identity *identity, const sinpos_table *table)
{
    *facts = (id_facts){.identity = identity, .table = table};
    facts->dim = (double)table->shape[table->n_dims - 1];
    facts->dim = identity->view == SINPOS_VIEW_INNER || identity->view == SINPOS_VIEW_CHANNEL_FIRST
                     ? (double)identity->dim
                     : facts->dim;
    facts->head = identity->view == SINPOS_VIEW_SIDE_BY_SIDE ? facts->dim : (double)identity->dim;
    facts->m = (double)identity->axis[0].n_frequencies;
    facts->n = (double)identity->n;
    facts->n_grid = (double)(identity->n - identity->n_zero_first);
    facts->n_axes = identity->n_axes;
    facts->zero = identity->n_zero > 0 ? (double)identity->zero[0] : -1;
    facts->scale = identity->axis[0].scale;
    facts->start = id_position(identity, 0, 0) * facts->scale;
    facts->last = id_position(identity, identity->n - 1, 0) * facts->scale;
    find_sizes(facts);
    find_bases(facts);
}

/* ------------------------------------------------------------------------------------------------- lists */

static size_t number(id_value *values, size_t n, double x)
{
    for (size_t i = 0; i < n; i++)
        if (values[i].kind == ID_NUMBER && values[i].number == x)
            return n;
    if (n < ID_MOST_VALUES && isfinite(x))
        values[n++] = (id_value){.kind = ID_NUMBER, .number = x};
    return n;
}

static size_t word(id_value *values, size_t n, const char *text)
{
    if (n < ID_MOST_VALUES)
        values[n++] = (id_value){.kind = ID_WORD, .word = text};
    return n;
}

static size_t sizes(id_value *values, size_t n, const double *list, size_t n_list)
{
    id_value value = {.kind = ID_SIZES, .n_sizes = n_list};
    memcpy(value.sizes, list, n_list * sizeof *list);
    for (size_t i = 0; i < n_list; i++)
        if (!(list[i] > 0))
            return n;
    values[n++] = value;
    return n;
}

static bool is_one_of(const char *name, const char *words)
{
    const size_t length = strlen(name);
    for (const char *at = words; *at != '\0'; at += strcspn(at, " "), at += *at == ' ')
        if (strcspn(at, " ") == length && memcmp(at, name, length) == 0)
            return true;
    return false;
}

static bool has_parameter(const sinpos_convention *convention, const char *words)
{
    for (size_t i = 0; i < sinpos_convention_parameters(convention); i++)
        if (is_one_of(sinpos_convention_parameter(convention, i, "name"), words))
            return true;
    return false;
}

/* ------------------------------------------------------------------------------------------------- values */

static size_t dim_values(const id_facts *f, const sinpos_convention *convention, const char *name, id_value *values)
{
    size_t n = 0;
    if (is_one_of(name, "num_freqs num_frequencies n_frequencies num_bands max_deg multires"))
        return number(values, n, f->m);
    if (is_one_of(name, "num_pos_feats num_position_features") ||
        strcmp(sinpos_convention_name(convention), "hf_bros") == 0)
        return number(values, n, 2 * f->m);
    if (sinpos_convention_text(convention, "pairing") != NULL) {
        n = number(values, n, f->head);
        if (!f->identity->is_twice && f->identity->view == SINPOS_VIEW_SIDE_BY_SIDE) /* each frequency once */
            n = number(values, n, 2 * f->head);
        if (f->identity->is_twice &&
            f->identity->view == SINPOS_VIEW_ROWS) /* sines and cosines of a head side by side */
            n = number(values, n, f->head / 2);
        return f->n_axes > 1 ? number(values, n, 2 * f->m) : n;
    }
    n = number(values, n, f->dim);
    const bool is_odd = f->identity->n_pad == 1 || (size_t)f->dim % 2 == 1;
    if (is_one_of(sinpos_convention_name(convention), "transformer_xl hf_transfo_xl"))
        n = number(values, n, f->dim - 1);
    else if (!is_odd &&
             is_one_of(sinpos_convention_name(convention), "ddpt_sinusoidal_posemb edm_positional ctranslate2 "
                                                           "tfmodels_relative"))
        n = number(values, n, f->dim + 1);
    return n;
}

static size_t base_values(const id_facts *f, const sinpos_convention *convention, id_value *values)
{
    size_t n = 0;
    const bool has_minimum = has_parameter(convention, "min_timescale min_scale");
    for (size_t i = 0; i < f->n_bases; i++)
        n = number(values, n, has_minimum ? f->bases[i] * f->scale : f->bases[i]);
    return n;
}

static size_t position_values(const id_facts *f, bool may_be_absent, id_value *values)
{
    const double units[] = {1, 1000, TWO_PI, TWO_PI / 2, f->scale};
    size_t n = 0;
    if (may_be_absent)
        n = word(values, n, NULL);
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        for (int exchanged = 0; exchanged < (f->n_axes > 1 && i != 1 ? 2 : 1) && n < ID_MOST_VALUES; exchanged++)
            values[n++] = (id_value){.kind = ID_POSITIONS, .unit = units[i], .exchanged = exchanged == 1};
    if (f->n_axes == 1)
        values[n++] = (id_value){.kind = ID_POSITIONS, .unit = ID_OWN_UNIT};
    return n;
}

static size_t grid_values(const id_facts *f, const char *name, bool is_grid, id_value *values)
{
    const double *s = f->size, channels = f->dim;
    const size_t axes = f->n_axes;
    size_t n = 0;
    if (strcmp(name, "shape") == 0) { /* no role marks it as one of a grid: it includes the channels */
        double list[ID_MOST_AXES + 2] = {s[0], s[1], s[2], s[3]};
        if (axes == 1)
            list[0] = f->n;
        list[axes] = channels;
        return sizes(values, n, list, axes + !is_grid);
    }
    if (strcmp(name, "patches") == 0)
        return sizes(values, n, (double[]){1, s[0], s[1], s[2], channels}, 5);
    if (strcmp(name, "spatial_size") == 0)
        return sizes(values, n, (double[]){s[2], s[1]}, 2);
    if (axes == 3 && is_one_of(name, "num_frames t T"))
        return number(values, n, s[0]);
    const bool is_height = is_one_of(name, "h H height end_y len_h num_patches_h");
    if (is_height || is_one_of(name, "w W width end_x len_w num_patches_w")) {
        const double own = axes == 3 ? s[is_height ? 1 : 2] : s[is_height ? 0 : 1];
        n = number(values, n, own);
        return number(values, n, axes == 3 ? 2 * own : s[is_height ? 1 : 0]); /* films are cut into patches of 2 x 2 */
    }
    if (axes == 1)
        return n;
    if (s[0] == s[1] && axes == 2)
        n = number(values, n, s[0]);
    n = sizes(values, n, s, axes);
    if (f->n_still > 0 && axes - f->n_still > 1) /* of those that move */
        n = sizes(values, n, s + f->n_still, axes - f->n_still);
    if (axes == 2)
        n = sizes(values, n, (double[]){s[1], s[0]}, 2);
    return n;
}

static const char *scaling_word(const id_facts *f)
{
    const sinpos_identity_axis *axis = &f->identity->axis[0];
    switch (f->identity->scaling) {
    case SINPOS_SCALING_YARN: return "yarn";
    case SINPOS_SCALING_LLAMA3: return "llama3";
    case SINPOS_SCALING_NONE: break;
    }
    return axis->theta[axis->n_frequencies - 1] == 0 ? "proportional" : "longrope";
}

static double turning_share(const sinpos_identity_axis *axis)
{
    size_t n = 0;
    while (n < axis->n_frequencies && axis->theta[n] != 0)
        n++;
    return (double)n / (double)axis->n_frequencies;
}

/* Parameters of frequencies that were slowed down. */
static size_t scaling_values(const id_facts *f, const char *name, id_value *values)
{
    const sinpos_identity *identity = f->identity;
    const bool is_known = identity->scaling != SINPOS_SCALING_NONE;
    if (identity->axis[0].law != SINPOS_LAW_LIST || !(identity->axis[0].base > 0))
        return 0;
    if (is_one_of(name, "rope_type scaling"))
        return word(values, 0, scaling_word(f));
    if (is_known && is_one_of(name, "factor scaling_factor scale_factor"))
        return number(values, 0, identity->scaling_factor);
    if (is_known && is_one_of(name, "original_max_position_embeddings orig_max_position old_context_len"))
        return number(values, 0, identity->scaling_context);
    if (is_known && strcmp(name, "max_position") == 0) {
        const size_t n = number(values, 0, identity->scaling_context);
        return number(values, n, f->n);
    }
    if (identity->scaling == SINPOS_SCALING_LLAMA3 && is_one_of(name, "low_freq_factor high_freq_factor"))
        return number(values, 0, name[0] == 'l' ? 1 : 4);
    if (identity->scaling == SINPOS_SCALING_YARN && strcmp(name, "truncate") == 0)
        return identity->scaling_truncate ? 0 : word(values, 0, "false");
    if (strcmp(scaling_word(f), "longrope") == 0 && is_one_of(name, "short_factor long_factor")) {
        values[0] = (id_value){.kind = ID_DIVISORS};
        return 1;
    }
    if (strcmp(scaling_word(f), "proportional") == 0 && strcmp(name, "partial_rotary_factor") == 0)
        return number(values, 0, turning_share(&identity->axis[0]));
    return 0;
}

const char *id_mask_of(const sinpos_convention *convention)
{
    for (size_t i = 0; i < sinpos_convention_parameters(convention); i++) {
        const char *fallback = sinpos_convention_parameter(convention, i, "default");
        if (strcmp(sinpos_convention_parameter(convention, i, "name"), "mask") == 0 && fallback != NULL &&
            strncmp(fallback, "[[", 2) == 0)
            return fallback;
    }
    return NULL;
}

/* Every cell of the grid counts. */
static size_t mask_values(const id_facts *f, const sinpos_convention *convention, id_value *values)
{
    const char *mask = id_mask_of(convention);
    if (mask == NULL || f->n_axes != 2 || !(f->size[0] * f->size[1] == f->n))
        return 0;
    values[0] =
        (id_value){.kind = ID_MASK, .n_sizes = 2, .sizes = {f->size[0], f->size[1]}, .number = strtod(mask + 2, NULL)};
    return 1;
}

/* Parameters by their own names. */
static size_t named_values(const id_facts *f, const sinpos_convention *convention, const char *name, id_value *values)
{
    const double half = floor(f->dim / 2), low = fmin(f->start, f->last);
    size_t n = 0;
    if (strcmp(sinpos_convention_name(convention), "diffusers_gligen_fourier") == 0 && strcmp(name, "embed_dim") == 0)
        return number(values, n, f->m);
    if (is_one_of(name, "min_timescale min_scale"))
        return number(values, n, f->scale);
    if (is_one_of(name, "max_freq_exp max_freq_log2") &&
        strcmp(sinpos_convention_name(convention), "nerfstudio_nerf") == 0)
        return number(values, n, f->m - 1);
    if ((strcmp(name, "min_freq") == 0 || strcmp(name, "max_freq") == 0) && f->m > 1) {
        const double ratio = strcmp(name, "min_freq") == 0 ? exp(-f->slope * (f->m - 1)) : 1;
        n = number(values, n, id_simple(ratio, ratio * 1e-12));
        n = number(values, n, id_simple(f->scale * ratio, f->scale * ratio * 1e-12));
        return number(values, n, id_simple(f->scale * ratio / TWO_PI, f->scale * ratio * 1e-12));
    }
    if (strcmp(name, "downscale_freq_shift") == 0) {
        for (size_t i = 0; i < f->n_bases; i++)
            n = number(values, n, id_simple(half - log(f->bases[i]) / f->slope, 1e-9 * half));
        return n;
    }
    if (strcmp(name, "mask") == 0)
        return mask_values(f, convention, values);
    if (strcmp(name, "padding_idx") == 0)
        return f->zero >= 0 ? number(values, n, f->zero) : 0;
    if (strcmp(name, "legacy_pad_idx") == 0) {
        n = word(values, n, NULL);
        return number(values, n, fmax(low, f->zero >= 0 ? low + 1 : 0) - 1);
    }
    if (strcmp(name, "num_positions") == 0 || strcmp(name, "table_rows") == 0)
        return number(values, n, f->n);
    if (is_one_of(name, "qlen klen")) {
        const double qlen = f->last < 0 ? 1 - f->last : 1, klen = f->last < 0 ? f->n - qlen : f->n - 1;
        return number(values, n, strcmp(name, "qlen") == 0 ? qlen : klen);
    }
    if (strcmp(name, "clamp_len") == 0) {
        n = number(values, n, -1);
        return number(values, n, f->start);
    }
    if (strcmp(name, "attn_type") == 0) {
        n = word(values, n, "bi");
        return word(values, n, "uni");
    }
    if (strcmp(name, "enc_type") == 0) {
        n = word(values, n, "SinusoidalInterleaved");
        return word(values, n, "SinusoidalConcat");
    }
    if (strcmp(name, "T") == 0)
        return number(values, n, (f->n + 1) / 2);
    if (strcmp(name, "temporal_size") == 0)
        return f->size[0] > 0 ? number(values, n, f->size[0]) : 0;
    if (strcmp(name, "extra_tokens") == 0)
        return f->identity->n_zero_first > 0 ? number(values, n, (double)f->identity->n_zero_first) : 0;
    if (strcmp(name, "pad") == 0)
        return number(values, n, (double)f->identity->n_pad);
    if (strcmp(name, "grid_offset") == 0 || strcmp(name, "ref_feat_shape") == 0) {
        const sinpos_identity_axis *axis = f->identity->axis;
        if (f->size[0] == 0)
            return 0;
        n = word(values, n, NULL);
        return strcmp(name, "grid_offset") == 0
                   ? number(values, n, axis[0].start)
                   : sizes(values, n, (double[]){f->size[0] * f->scale, f->size[1] * f->scale}, 2);
    }
    if (strcmp(name, "axes_dim") == 0) {
        double list[ID_MOST_AXES + 2] = {0};
        for (size_t a = 0; a < f->n_axes; a++)
            list[a] = 2 * (double)f->identity->axis[a].n_frequencies;
        return sizes(values, n, list, f->n_axes);
    }
    if (strcmp(sinpos_convention_name(convention), "dinov3_rope") == 0 && strcmp(name, "embed_dim") == 0)
        return number(values, n, 12 * f->head);
    if (is_one_of(name, "h H height w W width end_x end_y len_h len_w num_patches_h num_patches_w"))
        return grid_values(f, name, true, values);
    return 0;
}

size_t id_values(const id_facts *f, const sinpos_convention *convention, size_t parameter,
                 id_value values[ID_MOST_VALUES])
{
    const char *name = sinpos_convention_parameter(convention, parameter, "name");
    const char *role = sinpos_convention_parameter(convention, parameter, "role");
    const char *fallback = sinpos_convention_parameter(convention, parameter, "default");
    size_t n = scaling_values(f, name, values);
    n = n > 0 ? n : named_values(f, convention, name, values);
    if (n > 0)
        return n;
    if (strcmp(role, "dim") == 0)
        return dim_values(f, convention, name, values);
    if (strcmp(role, "base") == 0)
        return base_values(f, convention, values);
    if (strcmp(role, "length") == 0) { /* rows of zeros may count, or come before */
        n = number(values, 0, f->n);
        return f->n_grid < f->n ? number(values, n, f->n_grid) : n;
    }
    if (strcmp(role, "start") == 0) {
        n = number(values, 0, fmin(f->start, f->last));
        return number(values, n, fmin(f->start, f->last) / f->scale);
    }
    if (strcmp(role, "positions") == 0)
        return position_values(f, fallback != NULL && strcmp(fallback, "null") == 0, values);
    if (strcmp(role, "grid") == 0 || (strcmp(name, "shape") == 0 && f->n_axes > 1))
        return grid_values(f, name, strcmp(role, "grid") == 0, values);
    if (strcmp(role, "amplitude") == 0)
        return f->identity->amplitude == 1 ? 0 : number(values, word(values, 0, NULL), f->identity->amplitude);
    if (fallback != NULL && (strcmp(fallback, "true") == 0 || strcmp(fallback, "false") == 0)) {
        n = word(values, 0, NULL);
        return word(values, n, strcmp(fallback, "true") == 0 ? "false" : "true");
    }
    return 0;
}
