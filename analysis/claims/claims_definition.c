/* Every element against the definition: all of a given table, and a sample by arithmetic of another kind. */
#include <math.h>
#include <stdlib.h>

#include "claims.h"
#include "claims_element.h"
#include "seeded.h"

enum { SAMPLE = 4096, CORNERS = 64 };

typedef struct definition {
    size_t judged, wrong, undecided; /* of the sample */
    size_t compared, different;      /* of a given table, with what the plan makes */
    double largest;                  /* difference of those */
    size_t row, column;              /* the first that is wrong or different */
} definition;

static void blame(definition *d, size_t row, size_t column)
{
    if (d->wrong + d->different == 0) {
        d->row = row;
        d->column = column;
    }
}

/* ------------------------------------------------------------------------------------- a given table, all of it */

static void compare_row(const claims *c, const double *got, const double *want, size_t row, definition *d)
{
    for (size_t j = 0; j < c->dim; j++) {
        if (got[j] == want[j])
            continue;
        blame(d, row, j);
        d->different++;
        d->largest = worse(d->largest, fabs(got[j] - want[j]));
    }
    d->compared += c->dim;
}

static sinpos_status compare_table(const claims *c, definition *d)
{
    sinpos_check_input made_input = *c->input;
    claims made = *c;
    made.input = &made_input;
    made_input.table = NULL;
    const size_t piece = ((size_t)1 << 18) / c->dim + 1;
    if (piece > SIZE_MAX / 2 / sizeof(double) / c->dim)
        return SINPOS_E_MEMORY;
    OWNED double *got = malloc(2 * piece * c->dim * sizeof *got);
    if (got == NULL)
        return SINPOS_E_MEMORY;
    double *want = got + piece * c->dim;
    sinpos_status status = SINPOS_OK;
    for (size_t row = 0; row < c->input->n && status == SINPOS_OK; row += piece) {
        const size_t n = c->input->n - row < piece ? c->input->n - row : piece;
        status = claims_read(c, row, n, got);
        if (status == SINPOS_OK)
            status = claims_read(&made, row, n, want);
        for (size_t i = 0; i < n && status == SINPOS_OK; i++)
            compare_row(c, got + i * c->dim, want + i * c->dim, row + i, d);
    }
    return status;
}

/* --------------------------------------------------------------------------------------------- the sample */

/* Which tone's which component column j is; NULL: a column of zeros. */
typedef struct owner {
    const sinpos_tone *tone;
    bool is_cosine;
} owner;

static owner *find_owners(const claims *c)
{
    owner *owners = calloc(c->dim, sizeof *owners);
    for (size_t i = 0; i < c->n_tones && owners != NULL; i++) {
        const sinpos_tone *tone = &c->tone[i];
        if (tone->sin_column != SINPOS_NO_COLUMN)
            owners[tone->sin_column] = (owner){tone, false};
        if (tone->cos_column != SINPOS_NO_COLUMN)
            owners[tone->cos_column] = (owner){tone, true};
    }
    return owners;
}

static void judge(const claims *c, const owner *owners, element_judge *judge_one, size_t i, size_t column,
                  definition *d)
{
    const double got = claims_row(c, i)[column];
    const owner *o = &owners[column];
    const element e = {o->tone, o->is_cosine, claims_position(c, i), c->input->type, got};
    const element_verdict verdict = o->tone == NULL ? (got == 0 ? ELEMENT_RIGHT : ELEMENT_WRONG) : judge_one(&e);
    if (verdict == ELEMENT_WRONG) {
        const size_t run = c->kept.run;
        blame(d, i / run * c->kept.stride + i % run, column);
        d->wrong++;
    }
    d->undecided += verdict == ELEMENT_UNDECIDED;
    d->judged++;
}

/* First, middle and last rows and columns, then seeded ones. */
static void judge_sample(const claims *c, const owner *owners, element_judge *judge_one, definition *d)
{
    const size_t n = c->kept.n_rows, dim = c->dim;
    const size_t rows[] = {0, 1, n / 2, n - 1}, columns[] = {0, 1, dim / 2, dim - 2, dim - 1};
    for (size_t i = 0; i < 4; i++)
        for (size_t j = 0; j < 5; j++)
            if (rows[i] < n && columns[j] < dim)
                judge(c, owners, judge_one, rows[i], columns[j], d);
    const bool is_small = n <= SAMPLE / dim;
    for (size_t i = 0; i < (is_small ? n * dim : SAMPLE); i++) {
        const uint64_t bits = seeded_bits(c->input->seed, 21, i);
        const size_t at = is_small ? i : 0;
        judge(c, owners, judge_one, is_small ? at / dim : (size_t)((bits >> 32) % n),
              is_small ? at % dim : (size_t)((bits & UINT32_MAX) % dim), d);
    }
}

static void say_definition(const claims *c, sinpos_claim_result *r, const definition *d)
{
    const double wrong = (double)(c->input->table == NULL   ? d->wrong
                                  : d->different > d->wrong ? d->different
                                                            : d->wrong);
    if (d->different > 0)
        claim_say(r, wrong, 0, SINPOS_DOES_NOT_HOLD,
                  "%zu of %zu elements are not the value rounded once, by up to %.3g; the first: row %zu, column %zu",
                  d->different, d->compared, d->largest, d->row, d->column);
    else if (d->wrong > 0)
        claim_say(r, wrong, 0, SINPOS_DOES_NOT_HOLD,
                  "%zu of %zu elements looked at are wrong; one: row %zu, column %zu", d->wrong, d->judged, d->row,
                  d->column);
    else if (d->undecided == d->judged)
        claim_say(r, NAN, 0, SINPOS_DOES_NOT_APPLY, "%s decides none of the %zu elements looked at", element_arithmetic,
                  d->judged);
    else
        claim_say(r, wrong, 0, SINPOS_HOLDS, "%zu elements are the real value rounded once, by %s; %zu are undecided",
                  d->judged - d->undecided, element_arithmetic, d->undecided);
    claim_detail(r, "judged", (double)d->judged);
    claim_detail(r, "wrong", (double)d->wrong);
    claim_detail(r, "undecided", (double)d->undecided);
    if (c->input->table != NULL) {
        claim_detail(r, "compared", (double)d->compared);
        claim_detail(r, "different", (double)d->different);
        claim_detail(r, "largest_difference", d->largest);
    }
}

sinpos_status claim_definition(claims *c, sinpos_claim_result *r)
{
    definition d = {0};
    OWNED owner *owners = find_owners(c);
    sinpos_status status = owners == NULL ? SINPOS_E_MEMORY : SINPOS_OK;
    if (status == SINPOS_OK && c->input->table != NULL)
        status = compare_table(c, &d);
    if (status == SINPOS_OK)
        judge_sample(c, owners, element_judge_best, &d);
    if (status == SINPOS_OK)
        say_definition(c, r, &d);
    return status;
}
