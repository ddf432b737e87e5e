/* Columns of a convention: frequencies get columns, and become plans. */
#include <stdlib.h>
#include <string.h>

#include "build.h"

/* A list of tones that grows; the frequencies own what `more` points to. */
typedef struct tones {
    sinpos_tone *all;
    replay_column *columns; /* (2 room), where there are voices */
    size_t n, room, n_columns;
} tones;

enum {
    PADDING = 0
}; /* else the frequency a tone is of, counted from 1; negative: with the sign of its values changed */

static void put_replayed(const build *b, tones *list, ptrdiff_t source, ptrdiff_t column, int component, double padding)
{
    if (column == SINPOS_NO_COLUMN)
        return;
    replay_column *c = &list->columns[list->n_columns++];
    *c = (replay_column){.column = (size_t)column, .component = component, .number = padding};
    if (source == PADDING) {
        c->component = -1;
    } else {
        c->voice = (size_t)(source < 0 ? -source : source) - 1;
        c->negated = (source < 0) != (b->is_negated && component == 0);
    }
}

static void free_tones(tones *list)
{
    free(list->all);
    free(list->columns);
    *list = (tones){0};
}

static bool grow(build *b, tones *list)
{
    const size_t room = list->room == 0 ? 64 : 2 * list->room;
    sinpos_tone *more = realloc(list->all, room * sizeof *more);
    list->all = more == NULL ? list->all : more;
    replay_column *columns = b->v == NULL ? NULL : realloc(list->columns, 2 * room * sizeof *columns);
    list->columns = columns == NULL ? list->columns : columns;
    list->room = room;
    return (more != NULL && (b->v == NULL || columns != NULL)) || scope_fail(&b->s, SINPOS_E_MEMORY, "out of memory");
}

static bool put_tone(build *b, tones *list, const sinpos_tone *tone, ptrdiff_t source, ptrdiff_t sin_column,
                     ptrdiff_t cos_column)
{
    const bool is_absent = source != PADDING && b->frequencies[(source < 0 ? -source : source) - 1].is_absent;
    if (is_absent || (sin_column == SINPOS_NO_COLUMN && cos_column == SINPOS_NO_COLUMN))
        return true;
    if (list->n == list->room && !grow(b, list))
        return false;
    if (b->v != NULL) {
        put_replayed(b, list, source, sin_column, 0, tone->amplitude);
        put_replayed(b, list, source, cos_column, 1, tone->amplitude);
    }
    sinpos_tone *place = &list->all[list->n++];
    *place = *tone;
    place->sin_column = sin_column;
    place->cos_column = cos_column;
    return true;
}

/* The list's columns become those of a replay. */
static bool to_replay(build *b, tones *list, size_t width, sinpos_replay **replay)
{
    sinpos_replay *r = calloc(1, sizeof *r);
    if (r == NULL)
        return scope_fail(&b->s, SINPOS_E_MEMORY, "out of memory");
    *r = (sinpos_replay){.v = b->v, .dim = width, .n_columns = list->n_columns, .columns = list->columns};
    list->columns = NULL;
    *replay = r;
    return true;
}

/* Frees the list, and makes it a plan if it is complete. */
static bool to_plan(build *b, bool complete, tones *list, size_t width, unsigned types, sinpos_plan **plan,
                    sinpos_replay **replay)
{
    bool ok = complete && ((width > 0 && width <= SINPOS_MAX_DIM) ||
                           scope_fail(&b->s, SINPOS_E_SHAPE, "%zu columns: there must be between 1 and 2^31", width));
    if (ok) {
        sinpos_error error = SINPOS_ERROR_INIT;
        const sinpos_status status =
            sinpos_plan_create_tones(plan, width, b->n_columns_of_x, list->all, list->n, types, &error);
        ok = status == SINPOS_OK ||
             scope_fail(&b->s, status, "the frequencies of %s cannot be used: %s", b->convention->name, error.message);
    }
    ok = ok && (b->v == NULL || to_replay(b, list, width, replay));
    free_tones(list);
    return ok;
}

bool build_word(build *b, const char *field, const char *fallback, char *word, size_t room)
{
    value v = {.text = is_blank(field) ? fallback : field};
    v.n_text = strlen(v.text);
    if (!is_blank(field) && strpbrk(field, "?'\"=") != NULL && !formula_value(&b->s, field, strlen(field), &v))
        return false;
    if (v.n_text >= room || (v.kind != VALUE_TEXT && v.kind != VALUE_NULL))
        return scope_fail(&b->s, SINPOS_E_SPEC, "the formula '%s' must give a word", field);
    memcpy(word, v.text, v.n_text);
    word[v.n_text] = '\0';
    return true;
}

bool build_size(build *b, const char *field, size_t fallback, size_t *size)
{
    *size = fallback;
    return is_blank(field) || formula_size(&b->s, field, size);
}

/* ----------------------------------------------------------------------------------------------- columns of a table */

typedef struct nesting {
    char order[8];      /* three of a, f, c */
    char components[4]; /* of s, c */
    size_t n_components, most_frequencies;
} nesting;

static bool read_nesting(build *b, const char *fallback, nesting *n)
{
    if (!build_word(b, b->convention->nest, fallback, n->order, sizeof n->order) ||
        !build_word(b, b->convention->components, b->convention->pairing == NULL ? "sc" : "cs", n->components,
                    sizeof n->components))
        return false;
    n->n_components = strlen(n->components);
    n->most_frequencies = 0;
    for (size_t a = 0; a < b->n_axes; a++)
        n->most_frequencies = b->counts[a] > n->most_frequencies ? b->counts[a] : n->most_frequencies;
    const bool ok = strlen(n->order) == 3 && strchr(n->order, 'a') && strchr(n->order, 'f') && strchr(n->order, 'c') &&
                    n->n_components > 0 && strspn(n->components, "sc") == n->n_components;
    return ok || scope_fail(&b->s, SINPOS_E_SPEC, "'%s' and '%s' are not an order of columns", n->order, n->components);
}

static size_t loop_size(const build *b, const nesting *n, char what)
{
    const size_t n_lists = !is_blank(b->convention->axis) || b->is_mixed ? 1 : b->n_axes;
    return what == 'a' ? n_lists : what == 'f' ? n->most_frequencies : n->n_components;
}

/* columns[2 f + component]: the channel of each, numbered by the loops; channels that are not there are passed over. */
static void number_channels(const build *b, const nesting *n, ptrdiff_t *columns, size_t first, size_t width)
{
    size_t at[3], channel = first;
    size_t *const a = &at[strchr(n->order, 'a') - n->order], *const f = &at[strchr(n->order, 'f') - n->order],
                  *const c = &at[strchr(n->order, 'c') - n->order];
    for (at[0] = 0; at[0] < loop_size(b, n, n->order[0]); at[0]++) {
        for (at[1] = 0; at[1] < loop_size(b, n, n->order[1]); at[1]++) {
            for (at[2] = 0; at[2] < loop_size(b, n, n->order[2]); at[2]++) {
                if (*f >= b->counts[*a])
                    continue;
                const size_t component = n->components[*c] == 'c';
                columns[2 * (b->offsets[*a] + *f) + component] =
                    channel < width ? (ptrdiff_t)channel : SINPOS_NO_COLUMN;
                channel++;
            }
        }
    }
}

static bool put_frequency(build *b, tones *list, const frequency *f, const ptrdiff_t columns[2])
{
    const ptrdiff_t source = f - b->frequencies + 1;
    if (!b->has_components)
        return put_tone(b, list, &f->tone[0], source, columns[0], columns[1]);
    return put_tone(b, list, &f->tone[0], source, columns[0], SINPOS_NO_COLUMN) &&
           put_tone(b, list, &f->tone[1], source, SINPOS_NO_COLUMN, columns[1]);
}

/* Padding that is not zero: the cosine of nothing. */
static bool put_padding(build *b, tones *list, size_t first, size_t width)
{
    sinpos_tone still = SINPOS_TONE_INIT;
    double pad = 0;
    if (!is_blank(b->convention->pad) && !formula_double(&b->s, b->convention->pad, &pad))
        return false;
    still.amplitude = pad;
    for (size_t column = first; column < width && pad != 0; column++)
        if (!put_tone(b, list, &still, PADDING, SINPOS_NO_COLUMN, (ptrdiff_t)column))
            return false;
    return true;
}

static void take_map(const axis_map *map, raw_column *raw)
{
    raw->first = map->column;
    raw->n_parts = map->n_parts;
    real_to_parts(&map->scale, raw->scale);
    real_to_parts(&map->shift, raw->shift);
}

bool build_axes(build *b, sinpos_encoding *e)
{
    e->axes = calloc(b->n_axes + 1, sizeof *e->axes);
    for (size_t a = 0; a < b->n_axes && e->axes != NULL; a++)
        take_map(&b->maps[a], &e->axes[a]);
    return e->axes != NULL || scope_fail(&b->s, SINPOS_E_MEMORY, "out of memory");
}

static bool put_raw(build *b, sinpos_encoding *e, size_t first, size_t width)
{
    e->raw = calloc(b->n_axes, sizeof *e->raw);
    if (e->raw == NULL)
        return scope_fail(&b->s, SINPOS_E_MEMORY, "out of memory");
    for (size_t a = 0; a < b->n_axes && first + a < width; a++) {
        raw_column *raw = &e->raw[e->n_raw++];
        raw->column = first + a;
        take_map(&b->maps[a], raw);
    }
    return true;
}

bool build_table(build *b, sinpos_encoding *e, unsigned types)
{
    nesting n;
    tones list = {0};
    char raw[8];
    size_t width, n_channels;
    if (!read_nesting(b, "afc", &n) || !build_word(b, b->convention->raw, "", raw, sizeof raw))
        return false;
    const bool raw_first = strcmp(raw, "first") == 0, has_raw = raw_first || strcmp(raw, "last") == 0;
    n_channels = b->n_frequencies * n.n_components;
    const size_t first = raw_first ? b->n_axes : 0, all = n_channels + (has_raw ? b->n_axes : 0);
    if (!build_size(b, b->convention->width, all, &width))
        return false;
    if (width > all && width - all > 2 * MAX_FREQUENCIES)
        return scope_fail(&b->s, SINPOS_E_SHAPE, "%zu columns are too many for %zu that are not padding", width, all);
    ptrdiff_t *columns = malloc((2 * b->n_frequencies + 1) * sizeof *columns);
    bool ok = columns != NULL || scope_fail(&b->s, SINPOS_E_MEMORY, "out of memory");
    for (size_t k = 0; ok && k < 2 * b->n_frequencies; k++)
        columns[k] = SINPOS_NO_COLUMN;
    if (ok)
        number_channels(b, &n, columns, first, width);
    for (size_t k = 0; ok && k < b->n_frequencies; k++)
        ok = put_frequency(b, &list, &b->frequencies[k], &columns[2 * k]);
    free(columns);
    ok = ok && put_padding(b, &list, all, width) && (!has_raw || put_raw(b, e, raw_first ? 0 : n_channels, width));
    e->info.n_columns = width;
    return to_plan(b, ok, &list, width, types, &e->plan, &e->replay);
}

/* ----------------------------------------------------------------------------------------------------------- rotary */

static bool read_pairing(build *b, const char *field, const char *fallback, bool *half)
{
    char word[8];
    if (!build_word(b, field, fallback, word, sizeof word))
        return false;
    *half = strcmp(word, "half") == 0;
    return *half || strcmp(word, "pair") == 0 ||
           scope_fail(&b->s, SINPOS_E_SPEC, "'%s' is not a pairing: half or pair", word);
}

static bool read_block(build *b, size_t *block)
{
    if (!build_size(b, b->convention->block, b->n_frequencies, block))
        return false;
    if (*block == 0 ? b->n_frequencies == 0 : b->n_frequencies % *block == 0)
        return true;
    return scope_fail(&b->s, SINPOS_E_VALUE, "%zu frequencies are not a whole number of blocks of %zu",
                      b->n_frequencies, *block);
}

/* The two columns of frequency k: its pair, or the two copies of its cosine. */
static void pair_columns(size_t block, bool half, size_t k, size_t columns[2])
{
    columns[0] = half ? k + k / block * block : 2 * k;
    columns[1] = half ? columns[0] + block : 2 * k + 1;
}

bool build_rotary(build *b, sinpos_encoding *e, unsigned types)
{
    const sinpos_convention *c = b->convention;
    tones list = {0};
    bool half, result_half;
    size_t head_width, first;
    if (!read_pairing(b, c->pairing, "pair", &half) || !read_block(b, &e->rotary_block) ||
        !build_size(b, c->rotary_first, 0, &first) ||
        !build_size(b, c->head_width, first + 2 * b->n_frequencies, &head_width) ||
        !read_pairing(b, c->result, half ? "half" : "pair", &result_half))
        return false;
    if (first + 2 * b->n_frequencies > head_width) {
        return scope_fail(&b->s, SINPOS_E_VALUE, "%zu columns are to be rotated, and a head has %zu",
                          first + 2 * b->n_frequencies, head_width);
    }
    bool ok = true;
    for (size_t k = 0; k < b->n_frequencies && ok; k++) {
        size_t columns[2];
        pair_columns(e->rotary_block, half, k, columns);
        ok = put_tone(b, &list, &b->frequencies[k].tone[0], (ptrdiff_t)k + 1, (ptrdiff_t)(first + columns[1]),
                      (ptrdiff_t)(first + columns[0]));
    }
    e->info.head_width = head_width;
    e->rotary_first = first;
    e->rotary_pairs = b->n_frequencies;
    e->result_is_half = result_half && !half;
    return to_plan(b, ok, &list, head_width, types, &e->plan, &e->replay) &&
           (b->v == NULL ||
            turning_read(b->recipe != NULL ? b->recipe->product : c->published_product, &e->replay->turns) ||
            scope_fail(&b->s, SINPOS_E_SPEC, "'%s' says of no types", c->published_product));
}

/* How the copies of a cosine lie in cos_sin and sin_cos. */
enum copies { COPIES_PAIR, COPIES_HALF, COPIES_NONE };

static bool read_copies(build *b, bool half, enum copies *copies)
{
    char word[8];
    if (!build_word(b, b->convention->copies, half ? "half" : "pair", word, sizeof word))
        return false;
    *copies = strcmp(word, "none") == 0 ? COPIES_NONE : strcmp(word, "half") == 0 ? COPIES_HALF : COPIES_PAIR;
    return *copies != COPIES_PAIR || strcmp(word, "pair") == 0 ||
           scope_fail(&b->s, SINPOS_E_SPEC, "copies are '%s': half, pair or none", word);
}

/* Cosines (or sines), twice each unless once, from column first on. */
static bool put_copies(build *b, const sinpos_encoding *e, tones *list, enum copies copies, bool cosine, size_t first)
{
    for (size_t k = 0; k < b->n_frequencies; k++) {
        size_t columns[2] = {k, k};
        if (copies != COPIES_NONE)
            pair_columns(e->rotary_block, copies == COPIES_HALF, k, columns);
        for (size_t copy = 0; copy < (copies == COPIES_NONE ? 1 : 2); copy++) {
            const ptrdiff_t column = (ptrdiff_t)(first + columns[copy]);
            if (!put_tone(b, list, &b->frequencies[k].tone[0], (ptrdiff_t)k + 1, cosine ? SINPOS_NO_COLUMN : column,
                          cosine ? column : SINPOS_NO_COLUMN))
                return false;
        }
    }
    return true;
}

static bool plan_cos_sin(build *b, sinpos_encoding *e, enum copies copies, unsigned types)
{
    const bool cosine_first = e->info.output == SINPOS_OUTPUT_COS_SIN;
    const size_t d = copies == COPIES_NONE ? b->n_frequencies : 2 * b->n_frequencies;
    size_t beside;
    if (!build_size(b, b->convention->beside, 0, &beside))
        return false;
    tones list = {0};
    e->n_planes = beside ? 1 : 2;
    e->info.n_columns = beside ? 2 * d : d;
    for (size_t plane = 0; plane < 2; plane++) {
        const bool ok = put_copies(b, e, &list, copies, (plane == 0) == cosine_first, beside ? plane * d : 0);
        const size_t to = beside ? 0 : plane;
        if ((!ok || !beside || plane == 1) &&
            !to_plan(b, ok, &list, e->info.n_columns, types, &e->planes[to], &e->replays[to]))
            return false;
    }
    return true;
}

/* cis: cos, sin; matrix: cos, -sin, sin, cos */
static bool plan_pairs(build *b, sinpos_encoding *e, bool matrix, unsigned types)
{
    tones list = {0};
    const size_t each = matrix ? 4 : 2;
    bool ok = true;
    for (size_t k = 0; k < b->n_frequencies && ok; k++) {
        const sinpos_tone *t = &b->frequencies[k].tone[0];
        const ptrdiff_t at = (ptrdiff_t)(each * k), source = (ptrdiff_t)k + 1;
        ok = put_tone(b, &list, t, source, at + (matrix ? 2 : 1), at);
        if (ok && matrix) {
            sinpos_tone_more *negated = &b->frequencies[k].more[1];
            sinpos_tone minus = *t;
            minus.amplitude = -minus.amplitude;
            if (t->more != NULL) {
                *negated = *t->more;
                for (size_t p = 0; p < SINPOS_PARTS; p++)
                    negated->amplitude[p] = -negated->amplitude[p];
                minus.more = negated;
            }
            ok = put_tone(b, &list, t, source, SINPOS_NO_COLUMN, at + 3) &&
                 put_tone(b, &list, &minus, -source, at + 1, SINPOS_NO_COLUMN);
        }
    }
    e->info.n_columns = each * b->n_frequencies;
    return to_plan(b, ok, &list, e->info.n_columns, types, &e->planes[0], &e->replays[0]);
}

static bool list_frequencies(build *b, sinpos_encoding *e)
{
    e->info.n_columns = b->n_frequencies;
    e->constants = malloc((b->n_frequencies + 1) * 2 * sizeof *e->constants);
    if (e->constants == NULL)
        return scope_fail(&b->s, SINPOS_E_MEMORY, "out of memory");
    for (size_t k = 0; k < b->n_frequencies; k++) {
        memcpy(e->constants + 2 * k, b->frequencies[k].theta, 2 * sizeof *e->constants);
        if (b->v != NULL) {
            e->constants[2 * k] = b->v->all[k].theta;
            e->constants[2 * k + 1] = 0;
        }
    }
    return true;
}

/* Angles as they are rounded. */
static bool replay_angles(build *b, sinpos_encoding *e, bool half)
{
    const size_t n = 2 * b->n_frequencies;
    tones list = {.columns = calloc(n + 1, sizeof *list.columns), .n_columns = n};
    if (list.columns == NULL)
        return scope_fail(&b->s, SINPOS_E_MEMORY, "out of memory");
    for (size_t k = 0; k < n; k++) {
        size_t columns[2];
        pair_columns(e->rotary_block, half, k / 2, columns);
        list.columns[k] =
            (replay_column){.column = columns[k % 2], .voice = k / 2, .component = 2, .negated = b->is_negated};
    }
    e->info.n_columns = n;
    const bool ok = to_replay(b, &list, n, &e->replays[0]);
    free_tones(&list);
    return ok;
}

static bool list_angles(build *b, sinpos_encoding *e, bool half)
{
    if (b->v != NULL)
        return replay_angles(b, e, half);
    e->info.n_columns = 2 * b->n_frequencies;
    e->raw = calloc(e->info.n_columns + 1, sizeof *e->raw);
    if (e->raw == NULL)
        return scope_fail(&b->s, SINPOS_E_MEMORY, "out of memory");
    for (size_t k = 0; k < b->n_frequencies; k++) {
        const frequency *f = &b->frequencies[k];
        size_t columns[2];
        pair_columns(e->rotary_block, half, k, columns);
        for (size_t copy = 0; copy < 2; copy++) {
            raw_column *raw = &e->raw[e->n_raw++];
            *raw = (raw_column){
                .column = columns[copy], .first = b->maps[f->axis].column, .n_parts = b->maps[f->axis].n_parts};
            memcpy(raw->scale, f->slope, sizeof raw->scale);
            memcpy(raw->shift, f->phase, sizeof raw->shift);
        }
    }
    return !b->is_mixed || scope_fail(&b->s, SINPOS_E_UNSUPPORTED, "angles of mixed coordinates cannot be listed");
}

bool build_output(build *b, sinpos_encoding *e, unsigned types)
{
    bool half;
    enum copies copies;
    if (!read_pairing(b, b->convention->pairing, "pair", &half) || !read_copies(b, half, &copies))
        return false;
    e->n_planes = 1;
    switch (e->info.output) {
    case SINPOS_OUTPUT_TABLE: return true;
    case SINPOS_OUTPUT_COS_SIN:
    case SINPOS_OUTPUT_SIN_COS: return plan_cos_sin(b, e, copies, types);
    case SINPOS_OUTPUT_CIS: return plan_pairs(b, e, false, types);
    case SINPOS_OUTPUT_MATRIX: return plan_pairs(b, e, true, types);
    case SINPOS_OUTPUT_ANGLES: return list_angles(b, e, half);
    case SINPOS_OUTPUT_INV_FREQ: return list_frequencies(b, e);
    case SINPOS_OUTPUT_ROTATED: e->info.n_columns = e->info.head_width; return true;
    }
    return scope_fail(&b->s, SINPOS_E_VALUE, "there is no such output");
}
