/*
 * generated_judge.c - is what was found of an array right?
 *
 * Right: every part makes its elements again to the last bit, with the arithmetic that is named where one is; what no
 * part holds is nothing that the generator made as an encoding; the findings that are due are there; and each convention
 * makes with its settings what the part should be. What is claimed and does not hold is wrong.
 */
#include "cases.h"
#include "generated.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A definition that is nearer than this, per amplitude, differs in last digits alone. It is wrong all the same. */
#define LAST_DIGITS 1e-5

typedef struct bench {
    const drawn *d;
    const array *a;
    const sinpos_identity *found;
    array meant;           /* the array with each element rounded once */
    bool *held;            /* (n, dim) elements of some part */
    bool is_exact;         /* parts make it without an arithmetic */
    double widest;         /* how far the definition is from what was meant, per amplitude */
    size_t n_off, n_wide;  /* elements that are not made; and those that are not meant either */
    bool says_unexplained; /* of some part, be it of what the generator made as noise */
    bool is_stated;        /* of each part that does not make its elements it is said that some are not explained */
} bench;

/* ------------------------------------------------------------------------------------------------------ where */

/* Element of the array that is in a row and column of a part. */
static size_t place_of(const bench *b, const sinpos_identity *part, size_t i, size_t j)
{
    const size_t row = part->first_row + i, column = part->columns == NULL ? j : part->columns[j];
    const size_t own = b->a->shape[b->a->n_dims - 1];
    switch (part->view) {
    case SINPOS_VIEW_ROWS: return row * b->a->dim + column;
    case SINPOS_VIEW_INNER: return row * part->dim + column;
    case SINPOS_VIEW_SIDE_BY_SIDE: return (column / own * part->n + row) * own + column % own;
    case SINPOS_VIEW_CHANNEL_FIRST: break;
    }
    return column * part->n + row;
}

static double at_place(const array *a, size_t k)
{
    return array_get(a, k / a->dim, k % a->dim);
}

static double position_of(const sinpos_identity *part, size_t row, size_t a)
{
    const sinpos_identity_axis *axis = &part->axis[a];
    if (part->positions != NULL)
        return part->positions[row * part->n_axes + a];
    if (axis->size == 0)
        return axis->start + axis->step * (double)row;
    if (row < part->n_zero_first)
        return 0;
    return axis->start + axis->step * (double)((row - part->n_zero_first) / axis->stride % axis->size);
}

/* ---------------------------------------------------------------------------------------------------- remaking */

/* Rows of zeros are padding: no arithmetic makes them. */
static bool is_zero_row(const array *a, size_t row)
{
    bool is = true;
    for (size_t j = 0; j < a->dim && is; j++)
        is = array_get(a, row, j) == 0;
    return is;
}

/* What the part should be, as it is, with the columns of its tones replaced by a replay. */
static bool replay_part(const sinpos_identity *part, const char *arithmetic, const array *out)
{
    double *positions = calloc(part->n * part->n_axes + 1, sizeof *positions);
    array made = array_make(part->n, part->dim, out->type);
    sinpos_replay *replay = NULL;
    assert_non_null(positions);
    for (size_t i = 0; i < part->n * part->n_axes; i++)
        positions[i] = position_of(part, i / part->n_axes, i % part->n_axes);
    const sinpos_rows rows = {.struct_size = sizeof rows, .n = part->n, .reals = positions};
    bool is_done = sinpos_replay_create(&replay, part->plan, arithmetic) == SINPOS_OK &&
                   sinpos_replay_run(replay, SINPOS_FILL, &rows, out->type, made.data, part->dim, 1) == SINPOS_OK;
    for (size_t k = 0; k < part->n_tones && is_done; k++)
        for (size_t i = 0; i < part->n; i++)
            for (int c = 0; c < 2 && !is_zero_row(out, i); c++) {
                const ptrdiff_t j = c == 0 ? part->sin_column[k] : part->cos_column[k];
                if (j != SINPOS_NO_COLUMN)
                    memcpy(out->data + (i * part->dim + (size_t)j) * out->size,
                           made.data + (i * part->dim + (size_t)j) * out->size, out->size);
            }
    sinpos_replay_destroy(replay);
    array_free(&made);
    free(positions);
    return is_done;
}

/* [1,2] or [[1,2],[3,4]]. */
static sinpos_status set_list(sinpos_parameters *p, const char *name, const char *text)
{
    const size_t n_dims = text[1] == '[' ? 2 : 1;
    size_t n = 0, rows = 0;
    double *values = calloc(strlen(text) + 1, sizeof *values);
    assert_non_null(values);
    for (const char *at = text; *at != '\0';) {
        char *end;
        const double x = strtod(at, &end);
        rows += *at == ']';
        if (end != at)
            values[n++] = x;
        at = end != at ? end : at + 1;
    }
    const size_t shape[] = {n_dims == 1 ? n : rows - 1, n_dims == 1 ? 0 : n / (rows - 1)};
    const sinpos_status status = sinpos_parameters_set_list(p, name, values, n_dims, shape);
    free(values);
    return status;
}

static sinpos_status set_text(sinpos_parameters *p, const char *name, const char *value)
{
    char *end;
    const double x = strtod(value, &end);
    if (value[0] == '[')
        return set_list(p, name, value);
    if (strcmp(value, "null") == 0)
        return sinpos_parameters_set_null(p, name);
    if (strcmp(value, "true") == 0 || strcmp(value, "false") == 0)
        return sinpos_parameters_set_flag(p, name, value[0] == 't');
    return end != value && *end == '\0' ? sinpos_parameters_set_number(p, name, x)
                                        : sinpos_parameters_set_text(p, name, value);
}

/* The array of a convention with its settings, element after element; false where it is refused or of another size. */
static bool make_named(const sinpos_identity_convention *own, bool published, const array *out)
{
    sinpos_parameters *p = NULL;
    sinpos_encoding *e = NULL;
    char *settings = calloc(strlen(own->settings) + 1, 1), *rest = settings;
    assert_non_null(settings);
    strcpy(settings, own->settings);
    assert_int_equal(sinpos_parameters_create(&p), SINPOS_OK);
    sinpos_status status = SINPOS_OK;
    while (*rest != '\0' && status == SINPOS_OK) {
        char *line = rest, *equal = strchr(rest, '='), *end = strchr(rest, '\n');
        *end = '\0';
        rest = end + 1;
        *equal = '\0';
        status = set_text(p, line, equal + 1);
    }
    if (status == SINPOS_OK && published)
        status = sinpos_parameters_set_text(p, "arithmetic", "published");
    if (status == SINPOS_OK)
        status = sinpos_encoding_create(&e, own->name, p, (unsigned)out->type, NULL);
    const sinpos_encoding_info *info = sinpos_encoding_info_get(e);
    const bool fits = status == SINPOS_OK && info->n_rows * info->n_columns == out->n * out->dim;
    if (fits)
        status = sinpos_encoding_fill(e, 0, info->n_rows, out->type, out->data, info->n_columns, 1);
    sinpos_encoding_destroy(e);
    sinpos_parameters_destroy(p);
    free(settings);
    return fits && status == SINPOS_OK;
}

/* Multiplied and added to, as the part says. */
static void damage(const sinpos_identity *part, const array *made)
{
    for (size_t i = 0; i < part->n && part->column_factor != NULL; i++) {
        for (size_t j = 0; j < part->dim; j++) {
            array_put(made, i, j, array_get(made, i, j) * part->column_factor[j]);
            if (part->column_offset != NULL) {
                const array one = array_make(1, 1, made->type);
                array_put(&one, 0, 0, part->column_offset[j]);
                array_put(made, i, j, array_get(made, i, j) + array_get(&one, 0, 0));
                free(one.data);
                free(one.is_other);
            }
        }
    }
}

/* Elements that are not those of the array, zeros of dropout aside; what the generator corrupted may be anything. */
static size_t count_off(const bench *b, const sinpos_identity *part, const array *made)
{
    const double near = part->dropped > 0 ? (b->a->type == SINPOS_F64   ? 0x1p-51
                                             : b->a->type == SINPOS_F32 ? 0x1p-22
                                                                        : 0x1p-7) *
                                                fabs(part->amplitude)
                                          : 0;
    size_t n = 0;
    for (size_t i = 0; i < part->n; i++) {
        for (size_t j = 0; j < part->dim; j++) {
            const size_t k = place_of(b, part, i, j);
            const double x = at_place(b->a, k);
            n += !b->a->is_other[k] && !(part->dropped > 0 && x == 0) && !(fabs(array_get(made, i, j) - x) <= near);
        }
    }
    return n;
}

static size_t count_replayed(const bench *b, const sinpos_identity *part, const char *arithmetic, const array *made)
{
    assert_int_equal(sinpos_identity_rows(part, 0, part->n, b->a->type, made->data, 1), SINPOS_OK);
    if (!replay_part(part, arithmetic, made))
        return SIZE_MAX;
    damage(part, made);
    return count_off(b, part, made);
}

/* Published elements come in the order of the array that the convention makes: that of the part, or of the whole. */
static size_t count_published(const bench *b, const sinpos_identity *part, const sinpos_identity_convention *own,
                              const array *made)
{
    const array raw = array_make(part->n, part->dim, b->a->type);
    const bool is_made = make_named(own, true, &raw);
    for (size_t i = 0; i < part->n && is_made; i++)
        for (size_t j = 0; j < part->dim; j++) {
            const size_t k = part->view == SINPOS_VIEW_ROWS ? i * part->dim + j : place_of(b, part, i, j);
            memcpy(made->data + (i * part->dim + j) * made->size, raw.data + k * raw.size, raw.size);
        }
    free(raw.data);
    free(raw.is_other);
    if (!is_made)
        return SIZE_MAX;
    damage(part, made);
    return count_off(b, part, made);
}

/* With the arithmetics that are named: the best of them. */
static size_t count_named(const bench *b, const sinpos_identity *part, const array *made)
{
    size_t least = SIZE_MAX;
    char names[300];
    if (part->arithmetic[0] == '\0')
        return least;
    for (size_t i = 0; i < part->n_conventions && least > 0; i++) {
        const sinpos_identity_convention *own = &part->conventions[i];
        const bool is_named = own == part->published || strstr(part->arithmetic_also, own->name) != NULL;
        const size_t n = is_named ? count_published(b, part, own, made) : SIZE_MAX;
        least = n < least ? n : least;
    }
    snprintf(names, sizeof names, "%s; %s", part->arithmetic, part->arithmetic_also);
    for (char *name = strtok(names, ";"); name != NULL && least > 0; name = strtok(NULL, ";")) {
        name += *name == ' ';
        const size_t n = sinpos_arithmetic_find(name) == NULL ? SIZE_MAX : count_replayed(b, part, name, made);
        least = n < least ? n : least;
    }
    return least;
}

/* --------------------------------------------------------------------------------------------------- what holds */

/* Elements of the definition that differ from what was meant, by more than the type's own rounding. */
static size_t count_wide(bench *b, const sinpos_identity *part, const array *made)
{
    const double unit = b->a->type == SINPOS_F64 ? 0x1p-51 : b->a->type == SINPOS_F32 ? 0x1p-22 : 0x1p-7;
    size_t n = 0;
    for (size_t i = 0; i < part->n; i++) {
        for (size_t j = 0; j < part->dim; j++) {
            const size_t k = place_of(b, part, i, j);
            const double x = at_place(&b->meant, k), size = fmax(fabs(part->amplitude), fabs(x));
            const double off = fabs(array_get(made, i, j) - x) / size;
            b->widest = b->a->is_other[k] || off <= b->widest ? b->widest : off;
            n += !b->a->is_other[k] && !(part->dropped > 0 && x == 0) && !(off <= unit);
        }
    }
    return n;
}

static void hold_part(bench *b, const sinpos_identity *part)
{
    const array made = array_make(part->n, part->dim, b->a->type);
    assert_int_equal(sinpos_identity_rows_as_found(part, 0, part->n, b->a->type, made.data, 1), SINPOS_OK);
    size_t off = count_off(b, part, &made);
    b->n_wide += off > 0 ? count_wide(b, part, &made) : 0;
    b->is_exact = b->is_exact && off == 0;
    if (off > 0) {
        const size_t named = count_named(b, part, &made);
        off = named < off ? named : off;
    }
    b->n_off += off;
    b->says_unexplained = b->says_unexplained || part->unexplained > 0;
    b->is_stated = b->is_stated && (off == 0 || part->unexplained > 0);
    for (size_t i = 0; i < part->n; i++)
        for (size_t j = 0; j < part->dim; j++)
            b->held[place_of(b, part, i, j)] = true;
    free(made.data);
    free(made.is_other);
}

/* Elements of encodings that no part holds. */
static size_t count_left(const bench *b)
{
    size_t n = 0;
    for (size_t k = 0; k < b->a->n * b->a->dim; k++)
        n += !b->held[k] && !b->a->is_other[k];
    return n;
}

/* Equal; of a part that holds rounded elements within the rounding of its type. */
static bool is_element(const bench *b, const sinpos_identity *part, double x, double y)
{
    const double unit = b->a->type == SINPOS_F64 ? 0x1p-50 : b->a->type == SINPOS_F32 ? 0x1p-22 : 0x1p-7;
    return x == y || (part->total.wrong > 0 && fabs(x - y) <= unit * fabs(part->amplitude));
}

/* Does each convention make what the part should be, or what it is? */
static const char *false_convention(const bench *b, const sinpos_identity *part)
{
    const size_t bytes = part->n * part->dim * b->a->size;
    const array exact = array_make(part->n, part->dim, b->a->type), own = array_make(part->n, part->dim, b->a->type);
    const char *is_false = NULL;
    assert_int_equal(sinpos_identity_rows(part, 0, part->n, b->a->type, exact.data, 1), SINPOS_OK);
    for (size_t c = 0; c < part->n_conventions && is_false == NULL; c++) {
        const sinpos_identity_convention *named = &part->conventions[c];
        bool holds = make_named(named, false, &own);
        for (size_t i = 0; i < part->n && holds && part->view != SINPOS_VIEW_ROWS; i++)
            for (size_t j = 0; j < part->dim && holds; j++)
                holds = is_element(b, part, array_get(&exact, i, j), at_place(&own, place_of(b, part, i, j)));
        if (holds && part->view == SINPOS_VIEW_ROWS)
            for (size_t k = 0; k < own.n * own.dim && holds; k++)
                holds = is_element(b, part, at_place(&exact, k), at_place(&own, k));
        holds = holds || (make_named(named, true, &own) && part == b->found &&
                          bytes == b->a->n * b->a->dim * b->a->size && memcmp(own.data, b->a->data, bytes) == 0);
        is_false = holds ? NULL : named->name;
    }
    free(exact.data);
    free(exact.is_other);
    free(own.data);
    free(own.is_other);
    return is_false;
}

/* ------------------------------------------------------------------------------------------------------ findings */

static bool has_finding(const sinpos_identity *found, const char *names)
{
    for (size_t i = 0; i < found->n_defects; i++)
        if (strstr(names, sinpos_defect_name(found->defects[i].kind)) != NULL)
            return true;
    return false;
}

static bool are_equal(const array *a, size_t j, size_t k)
{
    size_t i = 0;
    while (i < a->n && array_get(a, i, j) == array_get(a, i, k))
        i++;
    return i == a->n;
}

/* Are there columns that others equal? Of an array twice, half of it may have been taken. */
static bool has_copies(const array *a)
{
    for (size_t j = 0; j < a->dim; j++)
        for (size_t k = 0; k < j; k++)
            if (are_equal(a, j, k))
                return true;
    return false;
}

/* Does the change show? Columns may be negated that a later change leaves out, and copies too. */
static bool is_visible(const drawn *d, const array *a, size_t which)
{
    array other;
    if (strcmp(d->changes[which]->name, "doubled") == 0 && !has_copies(a))
        return false;
    const bool is_made = drawn_make_without(&other, d, which);
    const bool is = !is_made || !array_is_same(a, &other);
    if (is_made)
        array_free(&other);
    return is;
}

/* Do all parts go from the first column to the last? */
static bool hold_all_columns(const sinpos_identity *found)
{
    bool all = found->columns == NULL;
    for (size_t i = 0; i < found->n_others; i++)
        all = all && found->others[i]->columns == NULL;
    return all;
}

/*
 * Of roundings nothing is due where the parts make the array without any: frequencies or positions are then listed. Nor
 * is it of parts and neighbours where one list or formula makes every element of a row.
 */
static const char *missing_finding(const bench *b)
{
    bool is_negative = false, is_twice = false;
    for (size_t i = 0; i <= b->found->n_others; i++) {
        const sinpos_identity *part = i == 0 ? b->found : b->found->others[i - 1];
        is_twice = is_twice || part->is_twice;
        for (size_t a = 0; a < part->n_axes; a++)
            is_negative = is_negative || part->axis[a].step < 0 || part->axis[a].scale < 0 || part->axis[a].start < 0;
        for (size_t k = 0; k < part->n_tones; k++)
            is_negative = is_negative || part->axis[part->tone_axis[k]].theta[part->tone_index[k]] < 0;
        for (size_t k = 0; part->positions != NULL && k < part->n * part->n_axes; k++)
            is_negative = is_negative || part->positions[k] < 0;
    }
    for (size_t i = 0; i < b->d->n_changes; i++) {
        const change *c = b->d->changes[i];
        const bool is_place = strcmp(c->name, "part") == 0 || strcmp(c->name, "beside") == 0;
        const bool is_whole = hold_all_columns(b->found);
        const bool is_exact = b->is_exact && (c->stage == 0 || (is_place && is_whole));
        const bool is_said = c->findings == NULL || has_finding(b->found, c->findings) || is_exact ||
                             (strcmp(c->name, "sign") == 0 && is_negative) ||
                             (strcmp(c->name, "doubled") == 0 && is_twice);
        if (!is_said && is_visible(b->d, b->a, i))
            return c->name;
    }
    return NULL;
}

static const char *false_finding(const bench *b)
{
    static const struct {
        const char *finding, *changes[3];
    } needs[] = {{"altered", {"corrupted", NULL, NULL}},    {"noise", {NULL, NULL, NULL}},
                 {"dropout", {"dropout", NULL, NULL}},      {"constant", {"constant", NULL, NULL}},
                 {"angles", {"angles", "positions", NULL}}, {"positions", {"positions", "angles", NULL}}};
    for (size_t i = 0; i < sizeof needs / sizeof needs[0]; i++) {
        bool is_due = false;
        for (size_t k = 0; k < 3 && needs[i].changes[k] != NULL; k++)
            is_due = is_due || is_changed(b->d, needs[i].changes[k]);
        for (size_t k = 0; k < b->found->n_defects && !is_due; k++)
            if (strcmp(sinpos_defect_name(b->found->defects[k].kind), needs[i].finding) == 0)
                return needs[i].finding;
    }
    return NULL;
}

/* ------------------------------------------------------------------------------------------------------- verdict */

static const char *say(const char *what, const char *name)
{
    static char text[120];
    snprintf(text, sizeof text, "%s%s%s", what, name == NULL ? "" : ": ", name == NULL ? "" : name);
    return text;
}

/* A base as near as this to the one that was drawn is the nearest alternative. */
#define NUDGE (1 + 0x1p-10)
#define FAR_BASE 4

/* Of so few values, as sines of whole turns have, nothing can be told. */
enum { FEW_VALUES = 4 };

static bool has_values(const array *a)
{
    double value[FEW_VALUES];
    size_t n = 0;
    for (size_t k = 0; k < a->n * a->dim; k++) {
        const double x = at_place(a, k);
        size_t i = 0;
        while (i < n && value[i] != x)
            i++;
        if (a->is_other[k] || isnan(x) || i < n)
            continue;
        if (n == FEW_VALUES)
            return true;
        value[n++] = x;
    }
    return false;
}

bool drawn_differs(const drawn *d, const array *a)
{
    array other;
    bool differs = true;
    if (source_has_base(&d->source) && drawn_make(&other, d, false, NUDGE)) {
        differs = !array_is_same(a, &other);
        array_free(&other);
    }
    if (!differs && drawn_make(&other, d, false, FAR_BASE)) { /* a base that does not matter shows nothing */
        differs = array_is_same(a, &other);
        array_free(&other);
    }
    return differs && has_values(a);
}

static verdict judge_parts(bench *b, const char **why)
{
    hold_part(b, b->found);
    for (size_t i = 0; i < b->found->n_others; i++)
        hold_part(b, b->found->others[i]);
    const size_t left = count_left(b);
    const char *false_one = b->n_off + left > 0 ? false_finding(b) : NULL;
    if (false_one != NULL)
        return *why = say("false finding", false_one), WRONG;
    if (b->n_off > 0 && b->is_stated)
        return *why = b->n_wide > 0 ? "numbers not settled" : "arithmetic not found", ABSTAINED;
    if (b->n_off > 0 && b->n_wide > 0)
        return *why = b->widest < LAST_DIGITS ? "other last digits" : "other numbers", WRONG;
    if (b->n_off > 0)
        return *why = "elements differ, which is not said", WRONG;
    if (left > 0)
        return *why = "parts unexplained", ABSTAINED;
    const char *missing = missing_finding(b);
    if (missing != NULL)
        return *why = say("finding missing", missing), b->says_unexplained ? ABSTAINED : WRONG;
    for (size_t i = 0; i <= b->found->n_others; i++) {
        const char *name = false_convention(b, i == 0 ? b->found : b->found->others[i - 1]);
        if (name != NULL)
            return *why = say("false convention", name), WRONG;
    }
    return *why = "", RIGHT;
}

verdict judge(const drawn *d, const array *a, const sinpos_identity *found, const char **why)
{
    bench b = {.d = d, .a = a, .found = found, .is_exact = true, .is_stated = true};
    if (!found->is_sinusoidal)
        return *why = "not an encoding", drawn_differs(d, a) ? ABSTAINED : OPEN;
    assert_true(drawn_make(&b.meant, d, true, 1));
    b.held = calloc(a->n * a->dim + 1, sizeof *b.held);
    assert_non_null(b.held);
    const verdict v = judge_parts(&b, why);
    array_free(&b.meant);
    free(b.held);
    return v == ABSTAINED && !drawn_differs(d, a) ? OPEN : v;
}
