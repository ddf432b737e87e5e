/* generated_changes.c - what is done to a table, as one list; and which of it is done to a drawn one. */
#include "cases.h"
#include "generated.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_DRAWS = 200 };

/* Recipes are drawn from the first of them: with those that came later a seed would have other arrays. */
enum { DRAWN_RECIPES = 13 };

/* ----------------------------------------------------------------------------------------------- of the source */

static bool rounds_positions(const char *name)
{
    return strstr(name, "positions") != NULL;
}

/* One of the recipes that round positions, or one of the others; a convention's own now and then. */
static bool draw_recipe(source *s, random_state *r, bool positions)
{
    if (s->arithmetic != NULL)
        return false;
    do
        s->arithmetic = sinpos_arithmetic_text(sinpos_arithmetic_at(random_below(r, DRAWN_RECIPES)), "name");
    while (rounds_positions(s->arithmetic) != positions || strncmp(s->arithmetic, "float64", 7) == 0);
    if (!positions && s->convention != NULL && random_chance(r, 70))
        s->arithmetic = "published";
    s->type = s->type == SINPOS_F64 && strcmp(s->arithmetic, "published") != 0 ? SINPOS_F32 : s->type;
    return true;
}

static bool round_angles(source *s, random_state *r)
{
    return draw_recipe(s, r, false);
}

static bool round_positions(source *s, random_state *r)
{
    if (s->convention == NULL)
        s->n = s->n < 300 && s->spec.dim <= 64 ? 300 + random_below(r, 300) : s->n;
    return draw_recipe(s, r, true);
}

/* To float32, or to a few decimals. */
static bool round_frequencies(source *s, random_state *r)
{
    if (s->convention != NULL || s->spec.dim % 2 != 0)
        return false;
    const size_t m = s->spec.dim / 2, digits = 4 + random_below(r, 5);
    const double divisor = s->spec.divisor > 0 ? s->spec.divisor : (double)m;
    const bool is_single = random_chance(r, 50);
    s->theta = calloc(m, sizeof *s->theta);
    assert_non_null(s->theta);
    for (size_t i = 0; i < m; i++) {
        char text[40];
        const double theta = pow(s->spec.base, -(double)i / divisor);
        snprintf(text, sizeof text, "%.*g", (int)digits, theta);
        s->theta[i] = is_single ? (double)(float)theta : strtod(text, NULL);
    }
    s->spec.schedule = SINPOS_EXPLICIT;
    s->spec.divisor = 0;
    s->spec.n_theta = m;
    return true;
}

static bool shift_start(source *s, random_state *r)
{
    s->start = s->convention == NULL ? 1 + (int64_t)random_below(r, random_chance(r, 50) ? 3 : 50000) : 0;
    return s->convention == NULL;
}

static bool shorten_divisor(source *s, random_state *r)
{
    (void)r;
    if (s->convention != NULL || s->theta != NULL || s->spec.dim < 6)
        return false;
    s->spec.divisor = floor((double)s->spec.dim / 2) - 1;
    return true;
}

static bool multiply(source *s, random_state *r)
{
    const double root = s->convention == NULL ? sqrt((double)s->spec.dim) : 16;
    const double factor = random_chance(r, 40) ? root : draw_number(r, 0.01, 100);
    s->spec.amplitude = factor;
    if (s->convention != NULL && s->n_settings < MOST_SETTINGS)
        s->settings[s->n_settings++] = (setting){.name = "override.amplitude", .number = factor};
    return true;
}

static bool scale_frequencies(source *s, random_state *r)
{
    static const double usual[] = {0.5, 0.25, 0.125, 2};
    if (s->convention != NULL || s->theta != NULL)
        return false;
    s->spec.scale = random_chance(r, 50) ? usual[random_below(r, 4)] : draw_number(r, 0.01, 1);
    return true;
}

/* ------------------------------------------------------------------------------------------------ of elements */

static void negate(array *a, random_state *r)
{
    const bool is_every = random_chance(r, 15), is_other = random_chance(r, 20);
    const size_t n = is_every ? a->dim : 1 + random_below(r, a->dim / 4 + 1);
    const size_t first = is_every ? 0 : random_below(r, a->dim - n + 1);
    for (size_t j = is_other ? first % 2 : first; j < (is_other ? a->dim : first + n); j += is_other ? 2 : 1)
        for (size_t i = 0; i < a->n; i++)
            array_put(a, i, j, -array_get(a, i, j));
}

static void add_constant(array *a, random_state *r)
{
    static const double constants[] = {0.1, 0.5, -0.25, 1, 0.01};
    const array one = array_make(1, 1, a->type);
    array_put(&one, 0, 0, constants[random_below(r, 5)]);
    const double added = array_get(&one, 0, 0);
    for (size_t i = 0; i < a->n; i++)
        for (size_t j = 0; j < a->dim; j++)
            array_put(a, i, j, array_get(a, i, j) + added);
    free(one.data);
    free(one.is_other);
}

static void drop(array *a, random_state *r)
{
    const unsigned percent = 5 + (unsigned)random_below(r, 20);
    for (size_t i = 0; i < a->n; i++)
        for (size_t j = 0; j < a->dim; j++)
            array_put(a, i, j, random_chance(r, percent) ? 0 : array_get(a, i, j) / (1 - percent / 100.0));
}

static double largest(const array *a)
{
    double most = 0;
    for (size_t i = 0; i < a->n; i++)
        for (size_t j = 0; j < a->dim; j++)
            most = fmax(most, fabs(array_get(a, i, j)));
    return most;
}

/* One to eight elements, far from where they were. */
static void corrupt(array *a, random_state *r)
{
    const size_t n = 1 + random_below(r, 8);
    const double most = largest(a);
    for (size_t k = 0; k < n; k++) {
        const size_t i = random_below(r, a->n), j = random_below(r, a->dim);
        const double off = most * (0.7 + random_unit(r)) * random_sign(r);
        array_put(a, i, j, random_chance(r, 10) ? NAN : array_get(a, i, j) + off);
        a->is_other[i * a->dim + j] = true;
    }
}

/* -------------------------------------------------------------------------------------------------- of columns */

/* Column j of the array that is made is column from[j]. */
static void choose_columns(array *a, const size_t *from, size_t n)
{
    array to = array_make(a->n, n, a->type);
    for (size_t i = 0; i < a->n; i++) {
        for (size_t j = 0; j < n; j++) {
            memcpy(to.data + (i * n + j) * a->size, a->data + (i * a->dim + from[j]) * a->size, a->size);
            to.is_other[i * n + j] = a->is_other[i * a->dim + from[j]];
        }
    }
    array_free(a);
    *a = to;
}

/* Halves become neighbours, neighbours halves; or any order. */
static void reorder(array *a, random_state *r)
{
    const size_t n = a->dim, half = n / 2, kind = random_below(r, 3);
    size_t *from = calloc(n + 1, sizeof *from);
    assert_non_null(from);
    for (size_t j = 0; j < n; j++)
        from[j] = kind == 0 ? j % 2 * half + j / 2 : kind == 1 ? (j < half ? 2 * j : 2 * (j - half) + 1) : j;
    for (size_t j = 0; j < n && n % 2 == 1; j++)
        from[j] = j;
    for (size_t j = n; (kind == 2 || n % 2 == 1) && j-- > 1;) {
        const size_t other = random_below(r, j + 1), kept = from[j];
        from[j] = from[other];
        from[other] = kept;
    }
    choose_columns(a, from, n);
    free(from);
}

/* The first or the second half, or every other column: of the formula sines or cosines alone. */
static void take_part(array *a, const source *s, random_state *r)
{
    const bool second = random_chance(r, 50), twice = random_chance(r, 30);
    const size_t half = a->dim / 2, n = twice ? 2 * half : half;
    const bool are_halves = s->spec.layout == SINPOS_HALVES;
    size_t *from = calloc(n + 1, sizeof *from);
    assert_non_null(from);
    for (size_t j = 0; j < n; j++)
        from[j] = are_halves ? j % half + (second ? half : 0) : 2 * (j % half) + second;
    choose_columns(a, from, n);
    free(from);
}

static bool has_halves(source *s, random_state *r)
{
    (void)r;
    return s->convention == NULL && s->spec.dim % 2 == 0 && s->spec.dim >= 16;
}

static void repeat_columns(array *a, random_state *r)
{
    const size_t n = a->dim;
    const bool is_inner = random_chance(r, 30);
    size_t *from = calloc(2 * n + 1, sizeof *from);
    assert_non_null(from);
    for (size_t j = 0; j < 2 * n; j++)
        from[j] = is_inner ? j / 2 : j % n;
    choose_columns(a, from, 2 * n);
    free(from);
}

/* ------------------------------------------------------------------------------------- what stands beside or below */

/* The array with its first element at a row and a column of a larger one; what is not written is noise. */
static void surround(array *a, size_t n, size_t dim, size_t row, size_t column, random_state *r)
{
    array to = array_make(n, dim, a->type);
    const double size = random_chance(r, 50) ? 1 : largest(a);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < dim; j++) {
            const bool is_own = i >= row && i < row + a->n && j >= column && j < column + a->dim;
            to.is_other[i * dim + j] = !is_own || a->is_other[(i - row) * a->dim + j - column];
            array_put(&to, i, j, is_own ? array_get(a, i - row, j - column) : size * (2 * random_unit(r) - 1));
        }
    }
    array_free(a);
    *a = to;
}

static void add_columns(array *a, random_state *r)
{
    const size_t n = 1 + random_below(r, 6);
    surround(a, a->n, a->dim + n, 0, random_chance(r, 50) ? n : 0, r);
}

static void add_rows(array *a, random_state *r)
{
    const size_t n = 1 + random_below(r, 6);
    surround(a, a->n + n, a->dim, random_chance(r, 50) ? n : 0, 0, r);
}

/* Another encoding of these rows or these columns; its base is another one, too. */
static array make_other(const array *a, bool beside, random_state *r)
{
    source s = draw_formula(r);
    array other;
    s.type = a->type;
    s.n = beside ? a->n : 24 + random_below(r, 200);
    s.spec.dim = beside ? (random_chance(r, 50) ? a->dim : 16 + 2 * random_below(r, 24)) : a->dim;
    s.spec.base = draw_number(r, 50, 1e6);
    assert_true(source_make(&other, &s, true, 1));
    source_free(&s);
    return other;
}

static void join(array *a, bool beside, random_state *r)
{
    array other = make_other(a, beside, r);
    array to = array_make(a->n + (beside ? 0 : other.n), a->dim + (beside ? other.dim : 0), a->type);
    for (size_t i = 0; i < to.n; i++) {
        for (size_t j = 0; j < to.dim; j++) {
            const bool is_own = i < a->n && j < a->dim;
            const array *from = is_own ? a : &other;
            const size_t k = i - (is_own || beside ? 0 : a->n), l = j - (is_own || !beside ? 0 : a->dim);
            memcpy(to.data + (i * to.dim + j) * a->size, from->data + (k * from->dim + l) * a->size, a->size);
            to.is_other[i * to.dim + j] = from->is_other[k * from->dim + l];
        }
    }
    array_free(&other);
    array_free(a);
    *a = to;
}

static void join_beside(array *a, random_state *r)
{
    join(a, true, r);
}

static void join_below(array *a, random_state *r)
{
    join(a, false, r);
}

/* ------------------------------------------------------------------------------------------------------ the list */

const change changes[] = {
    {"angles", "angles positions", 0, round_angles, NULL},
    {"positions", "positions angles", 0, round_positions, NULL},
    {"frequencies", NULL, 0, round_frequencies, NULL},
    {"start", NULL, 0, shift_start, NULL},
    {"divisor", NULL, 0, shorten_divisor, NULL},
    {"factor", NULL, 0, multiply, NULL},
    {"scale", NULL, 0, scale_frequencies, NULL},
    {"sign", "sign scale", 1, NULL, negate},
    {"constant", "constant", 1, NULL, add_constant},
    {"dropout", "dropout", 1, NULL, drop},
    {"corrupted", "altered", 1, NULL, corrupt},
    {"order", NULL, 2, NULL, reorder},
    {"part", "columns", 2, has_halves, NULL},
    {"doubled", "columns", 2, NULL, repeat_columns},
    {"noise-columns", "columns", 3, NULL, add_columns},
    {"noise-rows", "stacked", 3, NULL, add_rows},
    {"beside", "columns", 3, NULL, join_beside},
    {"below", "stacked", 3, NULL, join_below},
};

const size_t n_changes = sizeof changes / sizeof changes[0];

bool is_changed(const drawn *d, const char *name)
{
    for (size_t i = 0; i < d->n_changes; i++)
        if (strcmp(d->changes[i]->name, name) == 0)
            return true;
    return false;
}

/* ------------------------------------------------------------------------------------------------------- drawing */

static const change *find_change(const char *name)
{
    for (size_t i = 0; i < n_changes; i++)
        if (strcmp(changes[i].name, name) == 0)
            return &changes[i];
    return NULL;
}

static void add_change(drawn *d, const change *c)
{
    size_t at = d->n_changes;
    for (; at > 0 && d->changes[at - 1]->stage > c->stage; at--)
        d->changes[at] = d->changes[at - 1];
    d->changes[at] = c;
    d->n_changes++;
}

static bool is_finite(const array *a)
{
    for (size_t i = 0; i < a->n; i++)
        for (size_t j = 0; j < a->dim; j++)
            if (!isfinite(array_get(a, i, j)) && !a->is_other[i * a->dim + j])
                return false;
    return true;
}

/* Can it be made, of numbers that the type holds? What is done to columns needs rows of columns. */
static bool is_possible(drawn *d, random_state *r)
{
    array a;
    bool has_array_change = false;
    for (size_t i = 0; i < d->n_changes; i++) {
        if (d->changes[i]->of_source != NULL && !d->changes[i]->of_source(&d->source, r))
            return false;
        has_array_change = has_array_change || d->changes[i]->stage > 0;
    }
    if (!source_make(&a, &d->source, false, 1))
        return false;
    const bool is_table = a.n_dims == 2 || !has_array_change, is_wide = a.dim >= 4 || !has_array_change;
    array_free(&a);
    if (!is_table || !is_wide || !drawn_make(&a, d, false, 1))
        return false;
    const bool is_good = is_finite(&a);
    array_free(&a);
    return is_good;
}

/* Neither none, nor one, nor two are rarer than the others. */
static size_t draw_count(const char *changed, random_state *r)
{
    if (changed != NULL)
        return strcmp(changed, "unchanged") == 0 ? 0 : 1;
    return random_below(r, MOST_CHANGES + 1);
}

drawn draw_array(uint64_t seed, size_t k, const char *from, const char *changed)
{
    random_state r = random_seed(seed, k);
    const bool is_convention = from == NULL ? random_chance(&r, 60) : strcmp(from, "catalogue") == 0;
    const size_t n = draw_count(changed, &r), which = random_below(&r, sinpos_conventions_count());
    for (int tries = 0; tries < MOST_DRAWS; tries++) {
        drawn d = {.seed = random_u64(&r)};
        const bool uses_formula = !is_convention || (tries > 0 && tries % 5 == 0 && from == NULL);
        d.source = uses_formula ? draw_formula(&r) : draw_convention(&r, which + (size_t)(tries / 4));
        for (size_t i = 0; i < n; i++) {
            const change *c = changed != NULL ? find_change(changed) : &changes[random_below(&r, n_changes)];
            assert_non_null(c);
            if (!is_changed(&d, c->name))
                add_change(&d, c);
        }
        if (d.n_changes == n && is_possible(&d, &r))
            return d;
        drawn_free(&d);
    }
    fail_msg("seed %llu, case %zu: nothing can be drawn", (unsigned long long)seed, k);
    return (drawn){0};
}

void drawn_free(drawn *d)
{
    source_free(&d->source);
}

static bool make(array *out, const drawn *d, bool meant, double nudge, size_t without)
{
    if (!source_make(out, &d->source, meant, nudge))
        return false;
    for (size_t i = 0; i < d->n_changes; i++) {
        random_state r = random_seed(d->seed, i);
        if (i == without)
            continue;
        if (d->changes[i]->of_array != NULL)
            d->changes[i]->of_array(out, &r);
        else if (strcmp(d->changes[i]->name, "part") == 0)
            take_part(out, &d->source, &r);
    }
    return true;
}

bool drawn_make(array *out, const drawn *d, bool meant, double nudge)
{
    return make(out, d, meant, nudge, SIZE_MAX);
}

/* What was done to the source stays, but for its arithmetic. */
bool drawn_make_without(array *out, const drawn *d, size_t which)
{
    const bool has_arithmetic = d->source.arithmetic != NULL && d->changes[which]->stage == 0;
    return make(out, d, has_arithmetic, 1, which);
}
