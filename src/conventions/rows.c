/* Rows of a convention: which positions there are, and how its coordinates come from them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "build.h"

static bool too_large(build *b)
{
    return scope_fail(&b->s, SINPOS_E_SHAPE, "there are more rows than can be listed");
}

/* ------------------------------------------------------------------------------------------------------ which rows */

static bool names_others(const char *formula)
{
    static const char *const others[] = {"g1", "g2", "g3", "g4", "g5", "g6", "g7"};
    for (size_t k = 0; k < sizeof others / sizeof others[0]; k++)
        if (formula_names(formula, others[k]))
            return true;
    return false;
}

static size_t count_formulas(const char *const *formulas)
{
    size_t n = 0;
    while (formulas[n] != NULL)
        n++;
    return n;
}

/* Does one of the formulas name another coordinate than the first? NULL: all coordinates there are. */
static bool names_many(const char *const *formulas)
{
    bool many = formulas == NULL;
    for (size_t k = 0; formulas != NULL && formulas[k] != NULL; k++)
        many = many || names_others(formulas[k]);
    return many;
}

static bool any_names_many(const convention_coordinates *sets)
{
    bool many = sets == NULL;
    for (; sets != NULL && sets->condition != NULL; sets++)
        many = many || names_many(sets->formulas);
    return many;
}

static bool rows_of_list(build *b, const value *list, bool is_foreign)
{
    row_set *r = &b->rows;
    const convention_coordinates *sets = b->convention->coordinate_sets;
    const bool has_one_set = sets != NULL && sets->condition[0] == '\0';
    const bool many = is_foreign && has_one_set ? count_formulas(sets->formulas) > 1 : any_names_many(sets);
    size_t n_lead = list->n_dims;
    r->n_g = 1;
    if (list->n_dims > 1 && many)
        r->n_g = list->shape[--n_lead];
    if (r->n_g == 0 || r->n_g > SINPOS_MAX_AXES)
        return scope_fail(&b->s, SINPOS_E_SHAPE, "positions must have between 1 and %zu coordinates", SINPOS_MAX_AXES);
    r->items = list->items;
    r->n = value_items(list) / r->n_g;
    r->n_lead = n_lead;
    memcpy(r->lead, list->shape, n_lead * sizeof *r->lead);
    r->is_foreign = is_foreign;
    return true;
}

static bool add_size(build *b, double size)
{
    row_set *r = &b->rows;
    if (r->n_sizes == MAX_AXES_NAMED || r->n_sizes == MAX_LEAD_DIMS)
        return scope_fail(&b->s, SINPOS_E_SHAPE, "a grid has too many axes");
    if (!(size >= 0 && size < 0x1p53 && size == floor(size)))
        return scope_fail(&b->s, SINPOS_E_VALUE, "a grid needs whole numbers for its sizes, not %.15g", size);
    if (size != 0 && (double)r->n * size >= 0x1p53)
        return too_large(b);
    b->s.sizes[r->n_sizes] = size;
    r->lead[r->n_sizes] = r->sizes[r->n_sizes] = (size_t)size;
    r->n *= (size_t)size;
    r->n_sizes++;
    return true;
}

/* False with *known false: this convention has no grid with these parameters. */
static bool rows_of_grid(build *b, bool *known)
{
    row_set *r = &b->rows;
    value v;
    *known = true;
    r->n = 1;
    for (const char *const *size = b->convention->grid_sizes; *size != NULL; size++) {
        if (!formula_value(&b->s, *size, strlen(*size), &v))
            return false;
        if (v.kind == VALUE_NULL) {
            *known = false;
            return true;
        }
        const size_t n_items = v.kind == VALUE_LIST ? value_items(&v) : 1;
        for (size_t i = 0; i < n_items; i++)
            if (!add_size(b, v.kind == VALUE_LIST ? v.items[i] : real_to_double(&v.number)))
                return false;
    }
    r->is_grid = true;
    r->n_g = r->n_sizes;
    r->n_lead = r->n_sizes;
    b->s.n_sizes = r->n_sizes;
    return r->n_g > 0 || scope_fail(&b->s, SINPOS_E_SHAPE, "a grid needs at least one size");
}

static bool rows_of_range(build *b)
{
    const sinpos_convention *c = b->convention;
    row_set *r = &b->rows;
    if (is_blank(c->length) && b->needs_angles) { /* frequencies may be asked for without rows */
        r->n = 0;
        r->n_g = r->n_lead = 1;
        r->is_foreign = r->is_none = true;
        return true;
    }
    if (is_blank(c->length)) {
        return scope_fail_about(&b->s, SINPOS_E_VALUE, "positions", "%s needs positions: it has none of its own",
                                c->name);
    }
    if (!formula_size(&b->s, c->length, &r->n) ||
        (!is_blank(c->start) && !formula_number(&b->s, c->start, &r->start)) ||
        (!is_blank(c->step) && !formula_number(&b->s, c->step, &r->step)))
        return false;
    r->n_g = 1;
    r->n_lead = 1;
    r->lead[0] = r->n;
    return true;
}

/* length, start and step that are given beside the parameters, of a convention that has no such. */
static bool rows_of_outer_range(build *b, const sinpos_parameters *given, bool *known)
{
    static const char *const names[] = {"length", "start", "step"};
    const parameter *found[3];
    row_set *r = &b->rows;
    for (size_t k = 0; k < 3; k++) {
        found[k] = parameters_of_rows(given, b->convention, names[k]);
        found[k] =
            found[k] != NULL && scope_find(&b->s, found[k]->name, strlen(found[k]->name)) == NULL ? found[k] : NULL;
        if (found[k] != NULL && found[k]->v.kind != VALUE_NUMBER)
            return scope_fail_about(&b->s, SINPOS_E_VALUE, names[k], "%s must be a number", names[k]);
    }
    const double n = found[0] == NULL ? -1 : real_to_double(&found[0]->v.number);
    *known = n >= 0 && n < 0x1p53 && n == floor(n);
    if (*known) {
        r->n = (size_t)n;
        r->start = found[1] != NULL ? found[1]->v.number : r->start;
        r->step = found[2] != NULL ? found[2]->v.number : r->step;
        r->n_g = r->n_lead = 1;
        r->lead[0] = r->n;
        r->keeps_shape = true;
    }
    return true;
}

/* Coordinates that the convention's own grid has; 0 for none. */
static bool axes_of_grid(build *b, size_t *n)
{
    value v;
    *n = 0;
    for (const char *const *size = b->convention->grid_sizes; *size != NULL; size++) {
        if (!formula_value(&b->s, *size, strlen(*size), &v))
            return false;
        *n += v.kind == VALUE_LIST ? value_items(&v) : v.kind == VALUE_NUMBER;
    }
    return true;
}

/* One number for each row does not say where in a grid it is. */
static bool refuse_few(build *b)
{
    const bool all = b->convention->coordinate_sets == NULL;
    size_t n = 0;
    const bool from_outside = (b->rows.is_foreign || b->rows.keeps_shape) && !b->rows.is_none;
    if (!from_outside || b->rows.n_g > 1 || !all || b->convention->grid_sizes == NULL)
        return true;
    return axes_of_grid(b, &n) && (n < 2 || scope_fail_axes(&b->s, n, "positions have 1 coordinate, and %s takes %zu",
                                                            b->convention->name, n));
}

/* Start and step that are given beside the parameters, for rows that follow each other. */
static bool outer_steps(build *b, const sinpos_parameters *given)
{
    static const char *const names[] = {"start", "step"};
    real *const places[] = {&b->rows.start, &b->rows.step};
    for (size_t k = 0; k < 2; k++) {
        const parameter *found = parameters_of_rows(given, b->convention, names[k]);
        if (found == NULL || parameter_is_known(b->convention, names[k]))
            continue;
        if (b->rows.items != NULL || b->rows.is_grid || found->v.kind != VALUE_NUMBER) {
            return scope_fail_about(&b->s, SINPOS_E_VALUE, names[k], "%s is a number, for rows that follow each other",
                                    names[k]);
        }
        *places[k] = found->v.number;
    }
    return true;
}

/* Rows that follow each other are folded into phases, which would take any position. */
static bool refuse_far(build *b)
{
    const row_set *r = &b->rows;
    const double first = real_to_double(&r->start);
    const double last = first + real_to_double(&r->step) * (r->n > 0 ? (double)(r->n - 1) : 0);
    const bool is_range = r->items == NULL && !r->is_grid && !r->is_none;
    return !is_range || (fabs(first) < 0x1p63 && fabs(last) < 0x1p63) ||
           scope_fail(&b->s, SINPOS_E_RANGE, "positions from %.9g to %.9g are not all below 2^63 in size", first, last);
}

static bool choose_rows(build *b, const sinpos_parameters *all_given)
{
    const sinpos_convention *c = b->convention;
    const parameter *given = parameters_find(all_given, "positions");
    value v = {.kind = VALUE_NULL, .g = -1};
    bool known = false;
    if (given != NULL && scope_find(&b->s, "positions", strlen("positions")) != NULL)
        given = NULL; /* a parameter of the convention itself */
    if (given != NULL && given->v.kind != VALUE_NULL) {
        v = given->v;
    } else {
        given = NULL;
        if (!is_blank(c->positions) && !formula_value(&b->s, c->positions, strlen(c->positions), &v))
            return false;
    }
    if (v.kind == VALUE_NUMBER && given == NULL) { /* 0 .. n - 1 */
        const double n = real_to_double(&v.number);
        if (!(n >= 0 && n < 0x1p53 && n == floor(n))) {
            return scope_fail_about(&b->s, SINPOS_E_VALUE, "positions",
                                    "a number of positions must be whole, not %.15g", n);
        }
        b->rows.n = b->rows.lead[0] = (size_t)n;
        b->rows.n_g = b->rows.n_lead = 1;
        return true;
    }
    if (v.kind == VALUE_NUMBER) { /* one position */
        double *item = scope_list(&b->s, 1);
        if (item == NULL)
            return scope_fail(&b->s, SINPOS_E_MEMORY, "out of memory");
        *item = real_to_double(&v.number);
        v = (value){.kind = VALUE_LIST, .g = -1, .items = item, .n_dims = 1, .shape = {1}};
    }
    if (v.kind == VALUE_LIST)
        return rows_of_list(b, &v, given != NULL);
    if (v.kind == VALUE_TEXT)
        return scope_fail_about(&b->s, SINPOS_E_VALUE, "positions", "positions must be numbers");
    if (!rows_of_outer_range(b, all_given, &known) || known)
        return known;
    if (c->grid_sizes != NULL && (!rows_of_grid(b, &known) || known))
        return known && b->rows.is_grid;
    return rows_of_range(b);
}

/* Coordinates g0, g1, ... of row i of a grid or a list; of a range the index alone. */
static void row_g(const row_set *r, size_t i, double *g)
{
    if (r->items != NULL)
        memcpy(g, r->items + i * r->n_g, r->n_g * sizeof *g);
    else if (r->is_grid)
        for (size_t k = r->n_sizes; k-- > 0; i /= r->sizes[k])
            g[k] = (double)(i % r->sizes[k]);
    else
        g[0] = (double)i;
}

static bool mark_zero_rows(build *b)
{
    const char *formula = b->convention->zero_row;
    row_set *r = &b->rows;
    double *const g = r->g;
    bool ok = true, is_true;
    if (is_blank(formula))
        return true;
    if (r->n > MAX_LISTED)
        return too_large(b);
    r->is_zero = calloc(r->n + 1, 1);
    if (r->is_zero == NULL)
        return scope_fail(&b->s, SINPOS_E_MEMORY, "out of memory");
    const double start = real_to_double(&r->start), step = real_to_double(&r->step);
    b->s.is_set[LOOP_r] = true;
    b->s.n_g = r->n_g;
    b->s.g = g;
    for (size_t i = 0; i < r->n && ok; i++) {
        row_g(r, i, g);
        g[0] = r->items == NULL && !r->is_grid ? start + step * g[0] : g[0];
        b->s.loop[LOOP_r] = (double)i;
        ok = formula_true(&b->s, formula, &is_true);
        r->is_zero[i] = ok && is_true;
    }
    b->s.is_set[LOOP_r] = false;
    b->s.n_g = 0;
    b->s.g = NULL;
    return ok;
}

bool build_rows(build *b, const sinpos_parameters *given)
{
    const sinpos_convention *c = b->convention;
    row_set *r = &b->rows;
    real_set(&r->start, 0);
    real_set(&r->step, 1);
    if (!choose_rows(b, given) || !outer_steps(b, given) || !refuse_far(b) || !refuse_few(b) ||
        !build_size(b, c->zero_rows_first, 0, &r->n_zero_first) ||
        !build_size(b, c->still_rows_first, 0, &r->n_still_first) ||
        !build_size(b, c->still_rows_last, 0, &r->n_still_last))
        return false;
    if (r->is_foreign)
        r->n_zero_first = r->n_still_first = r->n_still_last = 0;
    if (r->n_zero_first + r->n_still_first + r->n_still_last > 0) {
        r->n_lead = 1;
        r->lead[0] = r->n_zero_first + r->n_still_first + r->n + r->n_still_last;
    }
    r->g = calloc(r->n_g + 1, sizeof *r->g);
    if (r->g == NULL)
        return scope_fail(&b->s, SINPOS_E_MEMORY, "out of memory");
    return mark_zero_rows(b);
}

/* ----------------------------------------------------------------------------------------------------- coordinates */

/* One axis as a column of x: x = g + k where that is exact, so that coordinate = scale * x; else shift is left. */
typedef struct column_plan {
    size_t g; /* column of the rows */
    double k;
    const char *formula; /* not NULL: evaluated row by row */
} column_plan;

static bool shifts_exactly(const row_set *r, size_t column, double k)
{
    double *const g = r->g, sum;
    if (r->items == NULL)
        return fabs(k) < 0x1p50 && k * 4096 == floor(k * 4096) && r->n < (uint64_t)1 << 40;
    for (size_t i = 0; i < r->n; i++) {
        row_g(r, i, g);
        if (!exact_sum(g[column], k, &sum))
            return false;
    }
    return true;
}

static void linear_axis(const row_set *r, const value *v, size_t axis, axis_map *map, column_plan *plan)
{
    real k;
    double exact;
    *plan = (column_plan){.g = r->is_foreign ? (axis < r->n_g ? axis : 0) : v->g >= 0 ? (size_t)v->g : 0};
    map->shift = v->number;
    if (v->g < 0) {
        real_set(&map->scale, 0);
        return;
    }
    map->scale = v->slope;
    if (r->items == NULL && !r->is_grid) { /* g = start + step * index */
        real part;
        real_multiply(&part, &v->slope, &r->start);
        real_add(&map->shift, &map->shift, &part);
        real_multiply(&map->scale, &map->scale, &r->step);
    }
    if (real_sign(&map->shift) != 0 && real_divide(&k, &map->shift, &map->scale) && real_is_double(&k, &exact) &&
        shifts_exactly(r, plan->g, exact)) {
        plan->k = exact;
        real_set(&map->shift, 0);
    }
}

static bool axis_formula(build *b, size_t axis, const char *text, axis_map *map, column_plan *plan)
{
    value v;
    map->n_parts = 1;
    b->s.n_g = b->rows.is_foreign ? MAX_AXES_NAMED : b->rows.n_g;
    b->s.g = NULL;
    const bool ok = formula_value(&b->s, text, strlen(text), &v);
    b->s.n_g = 0;
    if (ok && v.kind == VALUE_NUMBER) {
        linear_axis(&b->rows, &v, axis, map, plan);
        return true;
    }
    if (ok || !b->s.is_nonlinear)
        return ok ? scope_fail(&b->s, SINPOS_E_SPEC, "a coordinate must be a number") : false;
    *plan = (column_plan){.formula = text};
    real_set(&map->scale, 1);
    real_set(&map->shift, 0);
    map->n_parts = SINPOS_PARTS;
    return true;
}

static bool plan_columns(build *b, column_plan *plans)
{
    for (size_t a = 0; a < b->n_axes; a++) {
        if (b->coordinates == NULL) {
            value v = {.kind = VALUE_NUMBER, .g = (int)a};
            real_set(&v.number, 0);
            real_set(&v.slope, 1);
            linear_axis(&b->rows, &v, a, &b->maps[a], &plans[a]);
            b->maps[a].n_parts = 1;
        } else if (!axis_formula(b, a, b->coordinates[a], &b->maps[a], &plans[a])) {
            return false;
        }
    }
    return true;
}

/* The values of one row of a column that a formula makes, as doubles that add up to it. */
static bool row_parts(build *b, const column_plan *plan, size_t axis, const double *g, double parts[SINPOS_PARTS])
{
    double same[MAX_AXES_NAMED];
    value v;
    for (size_t k = 0; k < MAX_AXES_NAMED && b->rows.is_foreign; k++)
        same[k] = g[axis < b->rows.n_g ? axis : 0];
    b->s.g = b->rows.is_foreign ? same : g;
    b->s.n_g = b->rows.is_foreign ? MAX_AXES_NAMED : b->rows.n_g;
    const bool ok = formula_value(&b->s, plan->formula, strlen(plan->formula), &v);
    b->s.n_g = 0;
    b->s.g = NULL;
    if (ok)
        real_to_parts(&v.number, parts);
    return ok;
}

/* x of all rows, (n + still, n_x); still rows are zeros. */
static bool fill_x(build *b, const column_plan *plans, double *x)
{
    const row_set *r = &b->rows;
    const double start = real_to_double(&r->start), step = real_to_double(&r->step);
    double *const g = r->g, parts[SINPOS_PARTS];
    for (size_t i = 0; i < r->n; i++) {
        double *row = x + i * b->n_columns_of_x;
        row_g(r, i, g);
        for (size_t a = 0; a < b->n_axes; a++) {
            const axis_map *map = &b->maps[a];
            if (plans[a].formula == NULL) {
                row[map->column] = g[plans[a].g] + plans[a].k;
                continue;
            }
            const double index = g[0];
            g[0] = r->items == NULL && !r->is_grid ? start + step * index : index;
            if (!row_parts(b, &plans[a], a, g, parts))
                return false;
            g[0] = index;
            memcpy(row + map->column, parts, map->n_parts * sizeof *parts);
        }
    }
    return true;
}

/* Integers where all are. */
static bool settle_x(build *b, sinpos_encoding *e, double *x, size_t n_items)
{
    bool whole = true;
    for (size_t i = 0; i < n_items && whole; i++)
        whole = fabs(x[i]) < 0x1p53 && x[i] == floor(x[i]);
    e->reals = x;
    if (!whole)
        return true;
    e->integers = malloc(n_items * sizeof *e->integers + 1);
    if (e->integers == NULL)
        return scope_fail(&b->s, SINPOS_E_MEMORY, "out of memory");
    for (size_t i = 0; i < n_items; i++)
        e->integers[i] = (int64_t)x[i];
    free(e->reals);
    e->reals = NULL;
    return true;
}

/* Consecutive integers need no list. */
static bool is_consecutive(const build *b, const column_plan *plans)
{
    const row_set *r = &b->rows;
    return b->n_axes == 1 && r->items == NULL && !r->is_grid && plans[0].formula == NULL &&
           r->n_still_first + r->n_still_last == 0 && plans[0].k == floor(plans[0].k) && fabs(plans[0].k) < 0x1p53;
}

static bool x_of_rows(build *b, sinpos_encoding *e, const column_plan *plans)
{
    const size_t n_still = b->rows.n_still_first + b->rows.n_still_last, n_rows = b->rows.n + n_still;
    b->n_columns_of_x = 0;
    for (size_t a = 0; a < b->n_axes; a++) {
        b->maps[a].column = b->n_columns_of_x;
        b->n_columns_of_x += b->maps[a].n_parts;
        if (n_still > 0 && real_sign(&b->maps[a].shift) != 0)
            return scope_fail(&b->s, SINPOS_E_UNSUPPORTED, "rows of zero angles need coordinates without a phase");
    }
    if (is_consecutive(b, plans)) {
        e->first = (int64_t)plans[0].k;
        return true;
    }
    if (n_rows > MAX_LISTED / (b->n_columns_of_x + 1))
        return too_large(b);
    double *x = calloc(n_rows * b->n_columns_of_x + 1, sizeof *x);
    if (x == NULL)
        return scope_fail(&b->s, SINPOS_E_MEMORY, "out of memory");
    if (!fill_x(b, plans, x + b->rows.n_still_first * b->n_columns_of_x)) {
        free(x);
        return false;
    }
    return settle_x(b, e, x, n_rows * b->n_columns_of_x);
}

/* Are the coordinates of the plan those of the rows, each in its place? */
static bool takes_as_given(const build *b, const column_plan *plans)
{
    const row_set *r = &b->rows;
    const bool is_range = r->items == NULL && !r->is_grid;
    double start, step;
    if (is_range) { /* the start is where x begins */
        return b->n_axes == 1 && plans[0].formula == NULL && real_is_double(&r->start, &start) &&
               real_is_double(&r->step, &step) && step == 1 && plans[0].k == start && real_sign(&b->maps[0].shift) == 0;
    }
    bool same = r->n_g == b->n_axes;
    for (size_t a = 0; a < b->n_axes && same; a++)
        same = plans[a].formula == NULL && plans[a].g == a && plans[a].k == 0;
    return same;
}

/* The formulas of the first set whose condition holds. */
static bool choose_coordinates(build *b)
{
    const convention_coordinates *set = b->convention->coordinate_sets;
    value columns = {.kind = VALUE_NUMBER, .g = -1};
    bool holds = set == NULL;
    real_set(&columns.number, (double)b->rows.n_g);
    if (!scope_bind(&b->s, "G", 1, &columns))
        return false;
    for (; !holds && set->condition != NULL; set += !holds) {
        holds = set->condition[0] == '\0';
        if (!holds && !formula_true(&b->s, set->condition, &holds))
            return false;
    }
    b->coordinates = set == NULL || !holds ? NULL : set->formulas;
    return holds || scope_fail_axes(&b->s, b->rows.n_g + 1, "%s does not take positions of %zu coordinates",
                                    b->convention->name, b->rows.n_g);
}

bool build_maps(build *b, sinpos_encoding *e)
{
    if (!choose_coordinates(b))
        return false;
    b->n_axes = b->coordinates == NULL ? b->rows.n_g : count_formulas(b->coordinates);
    const bool share_one = b->rows.n_g == 1 && !names_many(b->coordinates);
    if (b->rows.is_foreign && !b->rows.is_none && b->rows.n_g != b->n_axes && !share_one) {
        return scope_fail_axes(&b->s, b->n_axes, "positions have %zu coordinates, and %s takes %zu", b->rows.n_g,
                               b->convention->name, b->n_axes);
    }
    b->maps = calloc(b->n_axes, sizeof *b->maps);
    column_plan *plans = calloc(b->n_axes, sizeof *plans);
    bool ok = (b->maps != NULL && plans != NULL) || scope_fail(&b->s, SINPOS_E_MEMORY, "out of memory");
    ok = ok && plan_columns(b, plans) && x_of_rows(b, e, plans);
    b->takes_as_given = ok && takes_as_given(b, plans);
    free(plans);
    if (ok) {
        e->n_x = b->n_columns_of_x;
        e->n_zero_first = b->rows.n_zero_first;
        e->n_core = b->rows.n;
        e->n_still = b->rows.n_still_first + b->rows.n_still_last;
        e->is_zero = b->rows.is_zero;
        b->rows.is_zero = NULL;
    }
    return ok;
}

bool build_given(build *b)
{
    const row_set *r = &b->rows;
    const char *angle = b->convention->published_angle;
    voices *v = b->v;
    if (b->recipe != NULL || !(formula_names(angle, "g0") || formula_names(angle, "g1")))
        return true;
    v->n_g = r->n_g < TRACED_AXES ? r->n_g : TRACED_AXES;
    if (v->n_g > 0 && r->n + r->n_still_last > MAX_LISTED / v->n_g)
        return too_large(b);
    v->g = calloc((r->n + r->n_still_last) * v->n_g + 1, sizeof *v->g);
    if (v->g == NULL)
        return scope_fail(&b->s, SINPOS_E_MEMORY, "out of memory");
    for (size_t i = 0; i < r->n; i++) {
        row_g(r, i, r->g);
        memcpy(v->g + i * v->n_g, r->g, v->n_g * sizeof *r->g);
    }
    return true;
}
