/*
 * identify_arithmetic.c - which of the arithmetics with a name reproduces a table.
 *
 * The core replays each of them (sinpos_replay_run()). The last bit of somebody's sinf is unknown: an element counts where
 * it is at most one unit away; of arithmetics that do as well, those with the most equal elements are named.
 */
#include "elements.h"
#include "identify.h"
#include "sinpos_conventions.h"

#include <stdio.h>

/* Rows, from the first of the sample to the last, and tones, from the first to the last, that are replayed. */
#define MOST_ROWS 64
#define MOST_TONES 128

/* What makes less of the elements is not named, and what makes about as many is as likely. */
#define LEAST_SHARE 0.95
#define SAME_SHARE 0.002

/* In sixteen bits the last bit of a float32 sine does not show: so many elements are equal. */
#define LEAST_EQUAL_NARROW 0.99

/* Elements that are off by this, per amplitude, are altered by something else; unless they are so many. */
#define FAR_OFF 0.5
#define MANY_FAR 0.1

typedef struct replayed {
    size_t number;
    const char *name;
    double share, equal; /* parts of the elements: to one unit, to the last bit */
} replayed;

typedef struct trial {
    const sinpos_identity *identity;
    const id_sample *sample;
    sinpos_type type; /* whose numbers the elements are */
    size_t n, m;
    size_t *at;                                     /* (n) rows of the sample */
    double *positions;                              /* (n, n_axes) */
    size_t tone[MOST_TONES + SINPOS_IDENTITY_AXES]; /* (m) */
    sinpos_plan *plan;                              /* of these tones: sine and cosine of each are neighbours */
    void *rows;                                     /* (n, 2 m) */
    double *made;                                   /* likewise */
} trial;

typedef struct count {
    size_t near, equal, far, all;
} count;

static void compare_column(const trial *t, size_t made, ptrdiff_t column, count *c)
{
    const double far = FAR_OFF * fabs(t->identity->amplitude);
    for (size_t i = 0; i < t->n && column != SINPOS_NO_COLUMN; i++) {
        const double x = t->sample->x[t->at[i] * t->sample->dim + (size_t)column], want = t->made[i * 2 * t->m + made];
        if (isnan(x))
            continue;
        c->near += fabs(x - want) <= 2.5 * t->sample->unit * fabs(want) + 1e-300;
        c->equal += x == want;
        c->far += !(fabs(x - want) <= far);
        c->all += 1;
    }
}

static void compare(const trial *t, replayed *own)
{
    count c = {0};
    widen(t->made, t->rows, t->type, t->n * 2 * t->m);
    for (size_t k = 0; k < t->m; k++) {
        compare_column(t, 2 * k, t->identity->sin_column[t->tone[k]], &c);
        compare_column(t, 2 * k + 1, t->identity->cos_column[t->tone[k]], &c);
    }
    const double all = (double)c.all - ((double)c.far <= MANY_FAR * (double)c.all ? (double)c.far : 0);
    own->share = all == 0 ? 0 : (double)c.near / all;
    own->equal = all == 0 ? 0 : (double)c.equal / all;
}

/* *own stays 0 where the arithmetic does not apply. */
static sinpos_status replay(const trial *t, replayed *own)
{
    const sinpos_rows rows = {.struct_size = sizeof rows, .n = t->n, .reals = t->positions};
    sinpos_replay *replay = NULL;
    sinpos_status status = sinpos_replay_create(&replay, t->plan, own->name);
    if (status == SINPOS_OK)
        status = sinpos_replay_run(replay, SINPOS_FILL, &rows, t->type, t->rows, 2 * t->m, 1);
    sinpos_replay_destroy(replay);
    if (status != SINPOS_OK)
        return status == SINPOS_E_MEMORY ? status : SINPOS_OK;
    compare(t, own);
    return SINPOS_OK;
}

/* What rounding each element once makes: an arithmetic explains something if it makes more. */
static sinpos_status make_exact(const trial *t, replayed *own)
{
    const sinpos_rows rows = {.struct_size = sizeof rows, .n = t->n, .reals = t->positions};
    const sinpos_status status = sinpos_run(t->plan, SINPOS_FILL, &rows, t->type, t->rows, 2 * t->m, 1);
    if (status == SINPOS_OK)
        compare(t, own);
    return status;
}

static int by_equal(const void *a, const void *b)
{
    const replayed *one = a, *other = b;
    return one->equal != other->equal ? (one->equal < other->equal) - (one->equal > other->equal)
                                      : (one->number > other->number) - (one->number < other->number);
}

/* The best, and those that are as good, if they make more than `exact`. */
static void name_best(sinpos_identity *identity, replayed *all, size_t n, const replayed *exact)
{
    double share = 0, equal = 0;
    for (size_t k = 0; k < n; k++)
        share = fmax(share, all[k].share);
    for (size_t k = 0; k < n; k++)
        equal = all[k].share >= share - SAME_SHARE ? fmax(equal, all[k].equal) : equal;
    /* What dropout left was divided, which moves last bits. */
    const bool is_better = identity->dropped > 0 ? share > exact->share : equal > exact->equal;
    const bool is_narrow = sinpos_type_bytes(identity->type) == 2 && equal < LEAST_EQUAL_NARROW;
    qsort(all, n, sizeof *all, by_equal);
    for (size_t k = 0; k < n && share > LEAST_SHARE && is_better && !is_narrow; k++) {
        const size_t used = strlen(identity->arithmetic_also);
        if (all[k].share < share - SAME_SHARE || all[k].equal < equal - SAME_SHARE)
            continue;
        if (identity->arithmetic[0] == '\0') {
            identity->arithmetic = all[k].name;
            identity->arithmetic_share = all[k].share;
            identity->arithmetic_equal = all[k].equal;
        } else {
            snprintf(identity->arithmetic_also + used, sizeof identity->arithmetic_also - used, "%s%s",
                     used > 0 ? "; " : "", all[k].name);
        }
    }
}

/* Does the arithmetic round positions, and none of these? It is then another one. */
static bool rounds_nothing(const trial *t, const char *name)
{
    const int bits = strcmp(name, "bfloat16-positions") == 0 ? 8 : strcmp(name, "float16-positions") == 0 ? 11 : 0;
    bool is_same = bits > 0;
    for (size_t i = 0; i < t->n * t->identity->n_axes; i++)
        is_same = is_same && id_to_bits(t->positions[i], bits) == t->positions[i];
    return is_same;
}

/* Some tones, the first of each coordinate among them: from it the others are counted. */
static sinpos_status choose_tones(trial *t)
{
    const sinpos_identity *identity = t->identity;
    const size_t n = identity->n_tones, step = n / MOST_TONES + 1;
    sinpos_tone list[MOST_TONES + SINPOS_IDENTITY_AXES];
    for (size_t k = 0; k < n; k++) {
        bool is_first = true;
        for (size_t i = 0; i < t->m; i++)
            is_first = is_first && identity->tone_axis[t->tone[i]] != identity->tone_axis[k];
        if (!is_first && k % step != 0 && k + 1 < n)
            continue;
        list[t->m] = id_make_tone(identity, k);
        list[t->m].sin_column = (ptrdiff_t)(2 * t->m);
        list[t->m].cos_column = (ptrdiff_t)(2 * t->m + 1);
        t->tone[t->m++] = k;
    }
    return sinpos_plan_create_tones(&t->plan, 2 * t->m, identity->n_axes, list, t->m, 0, NULL);
}

static void choose_rows(trial *t)
{
    const size_t last = t->sample->n - 1, n_axes = t->identity->n_axes;
    for (size_t i = 0; i < t->n; i++) {
        t->at[i] = t->n == 1 ? 0 : i * last / (t->n - 1);
        for (size_t a = 0; a < n_axes; a++)
            t->positions[i * n_axes + a] = id_position(t->identity, t->sample->row[t->at[i]], a);
    }
}

static sinpos_status try_all(sinpos_identity *identity, trial *t)
{
    enum { MOST = 32 };
    replayed all[MOST] = {{0}};
    const size_t n = sinpos_arithmetics_count() < MOST ? sinpos_arithmetics_count() : MOST;
    replayed exact = {0};
    sinpos_status status = choose_tones(t);
    choose_rows(t);
    status = status != SINPOS_OK ? status : make_exact(t, &exact);
    for (size_t k = 0; k < n && status == SINPOS_OK; k++) {
        all[k].number = k;
        all[k].name = sinpos_arithmetic_text(sinpos_arithmetic_at(k), "name");
        status = rounds_nothing(t, all[k].name) ? SINPOS_OK : replay(t, &all[k]);
        status = status != SINPOS_OK ? status : id_ask(t->sample->table);
    }
    sinpos_plan_destroy(t->plan);
    if (status == SINPOS_OK)
        name_best(identity, all, n, &exact);
    return status;
}

sinpos_status id_name_arithmetic(sinpos_identity *identity, const id_sample *sample)
{
    identity->arithmetic = "";
    identity->arithmetic_share = 1;
    if (identity->total.wrong == 0) {
        identity->arithmetic = "exact: each element rounded once";
        return SINPOS_OK;
    }
    if (identity->noise > 0 || sample->n == 0)
        return SINPOS_OK;
    trial t = {.identity = identity, .sample = sample, .n = sample->n < MOST_ROWS ? sample->n : MOST_ROWS};
    const size_t room = 2 * t.n * (MOST_TONES + SINPOS_IDENTITY_AXES);
    t.type = sample->unit > type_unit(identity->type) ? SINPOS_F32 : identity->type;
    t.at = malloc(t.n * sizeof *t.at);
    t.positions = malloc(t.n * identity->n_axes * sizeof *t.positions);
    t.rows = malloc(room * sizeof(double));
    t.made = malloc(room * sizeof *t.made);
    const bool has_memory = t.at != NULL && t.positions != NULL && t.rows != NULL && t.made != NULL;
    const sinpos_status status = has_memory ? try_all(identity, &t) : SINPOS_E_MEMORY;
    free(t.at);
    free(t.positions);
    free(t.rows);
    free(t.made);
    return status;
}
