/* precision.c - from which position narrow angles, positions and tables are off, and whether rows collide. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model.h"

#define SCANNED ((size_t)1 << 23) /* elements that are replayed, 130 ns each */
#define FLOAT32_UNIT 0x1p-24
enum { PIECE = 64, CAST_ROWS = 1024 };

struct roundings {
    const char *id, *arithmetic;
    double unit; /* what counts as off, of amplitude 1: a unit in the last place below 1 */
};

static const struct roundings all[] = {{"float32_angles", "float32-theta", FLOAT32_UNIT},
                                       {"bfloat16_positions", "bfloat16-positions", 0x1p-8},
                                       {"float16_positions", "float16-positions", 0x1p-11}};

struct scan {
    const sinpos_plan *plan;
    const sinpos_replay *replay;
    size_t dim, n_threads;
    float *rounded; /* (PIECE, dim) */
    double *exact;
    size_t at; /* the first position that is off; SIZE_MAX: none */
    double error;
};

static double row_error(const struct scan *s, size_t row)
{
    double most = 0;
    for (size_t j = row * s->dim; j < (row + 1) * s->dim; j++)
        most = fmax(most, fabs((double)s->rounded[j] - s->exact[j]));
    return most;
}

/* Of positions first .. first + n - 1, as far as the first with an error beyond the unit. */
static sinpos_status scan_piece(struct scan *s, size_t first, size_t n, double unit)
{
    const sinpos_rows rows = {.struct_size = sizeof rows, .n = n, .first = (int64_t)first};
    sinpos_status status =
        sinpos_replay_run(s->replay, SINPOS_FILL, &rows, SINPOS_F32, s->rounded, s->dim, s->n_threads);
    if (status == SINPOS_OK)
        status = sinpos_run(s->plan, SINPOS_FILL, &rows, SINPOS_F64, s->exact, s->dim, 1);
    for (size_t i = 0; i < n && status == SINPOS_OK && s->at == SIZE_MAX; i++) {
        s->error = row_error(s, i);
        s->at = s->error > unit ? first + i : SIZE_MAX;
    }
    return status;
}

static sinpos_status scan_all(struct scan *s, size_t n, double unit)
{
    sinpos_status status = SINPOS_OK;
    for (size_t first = 0; first < n && status == SINPOS_OK && s->at == SIZE_MAX; first += PIECE)
        status = scan_piece(s, first, n - first < PIECE ? n - first : PIECE, unit);
    return status;
}

/* The table, to be compared with the exact one. */
static void add_output(struct text_buffer *command, const struct recipe *recipe)
{
    if (recipe_is_rotary(recipe))
        buffer_text(command, " --set output=cis");
}

/* How the table is made, through which file, from which position. */
static struct text_buffer audit_command(const struct recipe *recipe, const char *how, const char *file, size_t start,
                                        size_t n)
{
    const struct recipe_rows rows = {start, 1, n};
    const bool is_pipe = strcmp(file, "-") == 0;
    struct text_buffer command = command_begin("table", recipe);
    add_output(&command, recipe);
    buffer_format(&command, " %s", how);
    command_rows(&command, &rows);
    buffer_format(&command, " --length %zu --quiet -o %s %s sinpos audit %s", n, file, is_pipe ? "|" : "&&", file);
    recipe_words(&command, recipe);
    add_output(&command, recipe);
    command_rows(&command, &rows);
    return command;
}

static void say_off(struct advice *advice, struct advice_fact *fact, const struct scan *s, const struct roundings *r,
                    double amplitude)
{
    const unsigned long long at = s->at;
    if (r->unit == FLOAT32_UNIT)
        fact_say(advice, fact,
                 "With angles in float32, elements are off by more than one unit in the last place of "
                 "float32 (%.2g) from position %llu on: there by %.3g.",
                 r->unit * amplitude, at, s->error);
    else
        fact_say(advice, fact,
                 "Position %llu is the first that %.*s cannot hold: with such positions its elements are "
                 "off by up to %.3g, and rows repeat from there on.",
                 at, (int)strcspn(r->arithmetic, "-"), r->arithmetic, s->error);
}

static void add_off(struct model *model, const struct roundings *r, const struct scan *s, size_t scanned)
{
    const bool is_off = s->at != SIZE_MAX;
    char how[80];
    struct advice_fact *fact = fact_add(model->advice, is_off ? (double)s->at : NAN, "%s", r->id);
    fact_value(fact, "first_position", is_off ? (double)s->at : NAN);
    fact_value(fact, "error", is_off ? s->error : NAN);
    fact_value(fact, "unit", r->unit * model->amplitude);
    fact_value(fact, "scanned", (double)scanned);
    if (is_off)
        say_off(model->advice, fact, s, r, model->amplitude);
    else
        fact_say(model->advice, fact,
                 "%.*s %s: no element of positions 0 to %zu is off by more than a unit in its last place (%.2g).",
                 (int)strcspn(r->arithmetic, "-"), r->arithmetic,
                 r->unit == FLOAT32_UNIT ? "angles are enough" : "holds these positions", scanned - 1,
                 r->unit * model->amplitude);
    snprintf(how, sizeof how, "--arithmetic %s", r->arithmetic);
    struct text_buffer command = audit_command(&model->recipe, how, "-", is_off ? s->at : 0, is_off ? 1 : scanned);
    fact_command(model->advice, fact, &command);
}

static sinpos_status add_roundings(struct model *model, struct scan *s, const struct roundings *r)
{
    const size_t most = SCANNED / s->dim + 1, context = model->subject->context, n = context < most ? context : most;
    sinpos_replay *replay;
    sinpos_status status = sinpos_replay_create(&replay, model->rows, r->arithmetic);
    s->replay = replay;
    s->at = SIZE_MAX;
    if (status == SINPOS_OK)
        status = scan_all(s, n, r->unit * model->amplitude);
    if (status == SINPOS_OK)
        add_off(model, r, s, n);
    sinpos_replay_destroy(replay);
    return status == SINPOS_E_UNSUPPORTED ? SINPOS_OK : status;
}

/* ------------------------------------------------------------------------------------------------------------ casts */

static double number_of(uint16_t bfloat16)
{
    const uint32_t bits = (uint32_t)bfloat16 << 16;
    float number;
    memcpy(&number, &bits, sizeof number);
    return (double)number;
}

static sinpos_status cast_error(struct scan *s, size_t n, double *most)
{
    uint16_t *narrow = (uint16_t *)s->rounded;
    sinpos_status status = SINPOS_OK;
    *most = 0;
    for (size_t first = 0; first < n && status == SINPOS_OK; first += PIECE) {
        const sinpos_rows rows = {
            .struct_size = sizeof rows, .n = n - first < PIECE ? n - first : PIECE, .first = (int64_t)first};
        status = sinpos_run(s->plan, SINPOS_FILL, &rows, SINPOS_BF16, narrow, s->dim, 1);
        if (status == SINPOS_OK)
            status = sinpos_run(s->plan, SINPOS_FILL, &rows, SINPOS_F64, s->exact, s->dim, 1);
        for (size_t j = 0; j < rows.n * s->dim && status == SINPOS_OK; j++)
            *most = fmax(*most, fabs(number_of(narrow[j]) - s->exact[j]));
    }
    return status;
}

static sinpos_status add_cast(struct model *model, struct scan *s)
{
    const size_t n = model->subject->context < CAST_ROWS ? model->subject->context : CAST_ROWS;
    double most;
    const sinpos_status status = cast_error(s, n, &most);
    if (status != SINPOS_OK)
        return status == SINPOS_E_TYPE ? SINPOS_OK : status;
    struct advice_fact *fact = fact_add(model->advice, most, "bfloat16_table");
    fact_value(fact, "error", most);
    fact_value(fact, "first_position", 1);
    fact_value(fact, "scanned", (double)n);
    fact_say(model->advice, fact,
             "A table in bfloat16 is off by up to %.3g (half a unit in its last place) from "
             "position 1 on; one in float32 by %.2g.",
             most, 0x1p-25 * model->amplitude);
    struct text_buffer command = audit_command(&model->recipe, "--type bf16", "bfloat16.gguf", 0, n);
    buffer_text(&command, " --json");
    fact_command(model->advice, fact, &command);
    return SINPOS_OK;
}

/* ------------------------------------------------------------------------------------------------------- collisions */

static sinpos_status add_collisions(struct model *model)
{
    const struct advice_subject *subject = model->subject;
    const size_t n = subject->context;
    sinpos_collisions_options options = SINPOS_COLLISIONS_OPTIONS_INIT;
    sinpos_distinct found[1];
    options.n_threads = subject->n_threads;
    options.progress = subject->progress;
    options.context = subject->progress_context;
    if (model->n_axes > 1)
        return SINPOS_OK;
    const sinpos_status status = sinpos_collisions(model->plan, 0, n, SINPOS_BF16, &options, found);
    if (status != SINPOS_OK)
        return status == SINPOS_E_MEMORY || status == SINPOS_E_STOPPED ? status : SINPOS_OK;
    const double distinct = (double)found[0].n_distinct;
    struct advice_fact *fact = fact_add(model->advice, distinct, "collisions");
    fact_value(fact, "distinct", distinct);
    fact_value(fact, "rows", (double)n);
    fact_value(fact, "earlier", found[0].has_collision ? (double)found[0].earlier : NAN);
    fact_value(fact, "later", found[0].has_collision ? (double)found[0].later : NAN);
    if (found[0].has_collision)
        fact_say(model->advice, fact,
                 "In bfloat16 only %.15g of %zu rows differ: positions %lld and %lld have the "
                 "same one.",
                 distinct, n, (long long)found[0].earlier, (long long)found[0].later);
    else
        fact_say(model->advice, fact, "All %.15g rows differ, even in bfloat16: no two positions look the same.",
                 distinct);
    struct text_buffer command = command_begin("separate", &model->recipe);
    buffer_format(&command, " --length %zu --type bf16 --nearest 1", n);
    fact_command(model->advice, fact, &command);
    return SINPOS_OK;
}

sinpos_status advise_precision(struct model *model)
{
    const size_t dim = model->rows == NULL ? 0 : sinpos_plan_dim(model->rows);
    struct scan s = {.plan = model->rows, .dim = dim, .n_threads = model->subject->n_threads};
    if (dim == 0 || dim > SCANNED)
        return SINPOS_OK;
    s.rounded = malloc(PIECE * dim * sizeof *s.rounded);
    s.exact = malloc(PIECE * dim * sizeof *s.exact);
    sinpos_status status = s.rounded == NULL || s.exact == NULL ? SINPOS_E_MEMORY : SINPOS_OK;
    for (size_t k = 0; k < sizeof all / sizeof all[0] && status == SINPOS_OK; k++)
        status = add_roundings(model, &s, &all[k]);
    if (status == SINPOS_OK)
        status = add_cast(model, &s);
    free(s.rounded);
    free(s.exact);
    return status == SINPOS_OK ? add_collisions(model) : status;
}
