/*
 * oracle_random - random specifications, positions and calls against the oracle; every element that differs is wrong.
 *
 *   --count N       elements to check (default 2000000)
 *   --seed S        also from the environment variable SINPOS_TEST_SEED (default 1)
 *   --case K        only the case of that number: the command that a failure prints
 *   --rung R        force the slow paths: 1 double-double, 2 256 bits, 3 arbitrary precision
 *   --isa NAME      cap the instruction set
 *   --mode MODE     "random" (default); "default": the common specifications, long runs of consecutive positions;
 *                   "more": lists of tones that are sums of doubles and depend on several coordinates
 *   --processes P   share the cases among processes (default 1)
 *   --reports N     how many wrong elements to describe (default 12)
 *   --progress      a line on standard error now and then
 *
 * Exit: 0 none wrong, 1 some wrong, 2 usage, 3 the oracle gave up, 77 the instruction set is not here.
 * Covers [P1] [P2] [P5] [P7].
 */
#define _DEFAULT_SOURCE
#include <inttypes.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "internal.h"
#include "subject.h"

typedef struct options {
    uint64_t count, seed;
    int64_t only;
    int rung;
    const char *isa;
    bool common, more, progress, verbose;
    unsigned processes;
    uint64_t reports;
} options;

typedef struct totals {
    uint64_t elements, wrong, cases, refused, rungs[4];
} totals;

static options opt = {.count = 2000000, .seed = 1, .only = -1, .processes = 1, .reports = 12};
static totals total;
static uint64_t current_case;

/* One call of the library, and what surrounds its output. */
typedef struct call {
    sinpos_operation operation;
    bool shift, rotate;
    sinpos_direction direction;
    size_t heads; /* lines of every row: 1 unless rotated */
    bool heads_outside;
    sinpos_rows rows;
    int64_t *integers;
    double *reals;
    size_t ld, threads;
    sinpos_type type;
    void *before, *after;
} call;

static const char *call_name(const call *c)
{
    static const char *const directions[] = {"rotate", "rotate back", "rotate by the transpose"};
    return c->rotate ? directions[c->direction] : c->shift ? "shift" : operation_name(c->operation);
}

/* Arrays hold lines: the rows, or the heads of the rows in either order. */
static size_t lines_of(const call *c)
{
    return c->rows.n * c->heads;
}

static size_t row_of(const call *c, size_t line)
{
    return c->heads_outside ? line % c->rows.n : line / c->heads;
}

/* ---------------------------------------------------------------------------------------------- Reporting */

static const char *mode_argument(void)
{
    return opt.common ? " --mode default" : opt.more ? " --mode more" : "";
}

static void report(const subject *s, const call *c, size_t line, ptrdiff_t column, size_t tone, uint64_t got,
                   uint64_t want)
{
    const size_t row = row_of(c, line);
    total.wrong++;
    if (total.wrong > opt.reports)
        return;
    const int digits = 2 * (int)type_size(c->type);
    printf("WRONG %s %s row %zu column %td: got 0x%0*" PRIx64 " (%a), want 0x%0*" PRIx64 " (%a); isa %s, %zu threads\n",
           call_name(c), type_name(c->type), line, column, digits, got, oracle_to_double(c->type, got), digits, want,
           oracle_to_double(c->type, want), sinpos_isa(), c->threads);
    for (size_t axis = 0; axis < s->n_axes; axis++)
        if (c->rows.reals)
            printf("  position[%zu] %a\n", axis, c->rows.reals[row * s->n_axes + axis]);
        else if (c->rows.integers)
            printf("  position[%zu] %" PRId64 "\n", axis, c->rows.integers[row * s->n_axes + axis]);
        else
            printf("  position %" PRId64 "\n", c->shift ? c->rows.first : c->rows.first + (int64_t)row);
    if (c->operation == SINPOS_ADD || c->shift || c->rotate)
        printf("  before 0x%0*" PRIx64 "\n", digits, load_bits(c->before, c->type, line * c->ld + (size_t)column));
    subject_print(stdout, s);
    if (tone < s->n_tones)
        print_tone(stdout, &s->tones[tone]);
    printf("  again: oracle_random --seed %" PRIu64 " --case %" PRIu64 "%s", opt.seed, current_case, mode_argument());
    if (opt.rung)
        printf(" --rung %d", opt.rung);
    if (opt.isa)
        printf(" --isa %s", opt.isa);
    printf("\n");
    fflush(stdout);
}

static void refuse(const subject *s, const char *what, sinpos_status status)
{
    printf("WRONG status of %s: %s\n", what, sinpos_strerror(status));
    subject_print(stdout, s);
    printf("  again: oracle_random --seed %" PRIu64 " --case %" PRIu64 "%s\n", opt.seed, current_case, mode_argument());
    fflush(stdout);
    total.wrong++;
}

static const subject *current_subject;
static const call *current_call;
static size_t current_tone;

static void explain(void)
{
    if (current_subject == NULL)
        return;
    subject_print(stderr, current_subject);
    print_tone(stderr, &current_subject->tones[current_tone]);
    if (current_call)
        fprintf(stderr, "  %s %s\n", call_name(current_call), type_name(current_call->type));
    fprintf(stderr, "  again: oracle_random --seed %" PRIu64 " --case %" PRIu64 "%s\n", opt.seed, current_case,
            mode_argument());
}

/* ----------------------------------------------------------------------------------------------- Checking */

static void check_element(const subject *s, const call *c, size_t row, ptrdiff_t column, size_t tone, uint64_t encoding)
{
    const size_t at = row * c->ld + (size_t)column;
    const uint64_t got = load_bits(c->after, c->type, at);
    uint64_t want = encoding;
    total.elements++;
    if (c->operation == SINPOS_ADD) {
        const uint64_t x = load_bits(c->before, c->type, at);
        if (oracle_is_nan(c->type, x)) {
            if (!oracle_is_nan(c->type, got))
                report(s, c, row, column, tone, got, x);
            return;
        }
        want = oracle_add(c->type, x, encoding);
    }
    if (got != want)
        report(s, c, row, column, tone, got, want);
}

static oracle_position position_of(const subject *s, const call *c, size_t row, size_t axis)
{
    if (c->rows.reals)
        return (oracle_position){true, 0, c->rows.reals[row * s->n_axes + axis]};
    if (c->rows.integers)
        return (oracle_position){false, c->rows.integers[row * s->n_axes + axis], 0};
    return (oracle_position){false, c->rows.first + (int64_t)row, 0};
}

/* The further coordinates of a tone, at a row; the oracle keeps pointing to them. */
static void place(subject *s, const call *c, size_t row, size_t tone, oracle_position others[SUBJECT_AXES])
{
    const sinpos_tone_more *more = s->tones[tone].more;
    for (size_t i = 0; more != NULL && i < more->n_listens; i++)
        others[i] = position_of(s, c, row, more->listens[i].axis);
    oracle_tone_place(subject_oracle(s, tone), others);
}

static void check_pair(subject *s, const call *calls, size_t n_calls, size_t row, size_t tone)
{
    const sinpos_tone *t = &s->tones[tone];
    unsigned types = 0;
    current_subject = s;
    current_call = calls;
    current_tone = tone;
    for (size_t i = 0; i < n_calls; i++)
        types |= calls[i].type;
    oracle_pair pair;
    oracle_position others[SUBJECT_AXES];
    place(s, calls, row, tone, others);
    oracle_evaluate(subject_oracle(s, tone), position_of(s, calls, row, t->axis), calls->operation, types, &pair);
    for (size_t i = 0; i < n_calls; i++)
        for (int k = 0; k < ORACLE_TYPES; k++) {
            if (oracle_types[k] != calls[i].type)
                continue;
            if (t->sin_column >= 0)
                check_element(s, &calls[i], row, t->sin_column, tone, pair.sin_bits[k]);
            if (t->cos_column >= 0)
                check_element(s, &calls[i], row, t->cos_column, tone, pair.cos_bits[k]);
        }
}

/* A pair after sinpos_shift() or sinpos_rotate(). */
static void check_turned(subject *s, const call *c, size_t line, size_t tone)
{
    const sinpos_tone *t = &s->tones[tone];
    const size_t sine = line * c->ld + (size_t)t->sin_column, cosine = line * c->ld + (size_t)t->cos_column;
    const uint64_t in[2] = {load_bits(c->before, c->type, sine), load_bits(c->before, c->type, cosine)};
    const uint64_t got[2] = {load_bits(c->after, c->type, sine), load_bits(c->after, c->type, cosine)};
    const ptrdiff_t columns[2] = {t->sin_column, t->cos_column};
    uint64_t want[2] = {0, 0};
    oracle_position others[SUBJECT_AXES];
    bool poisoned = false;
    current_subject = s;
    current_call = c;
    current_tone = tone;
    for (int i = 0; i < 2; i++)
        poisoned = poisoned || oracle_is_nan(c->type, in[i]) || oracle_is_infinite(c->type, in[i]);
    if (!poisoned && c->rotate) {
        const size_t row = row_of(c, line);
        place(s, c, row, tone, others);
        oracle_rotate(subject_oracle(s, tone), position_of(s, c, row, t->axis), c->direction, c->type, in, want);
    } else if (!poisoned) {
        oracle_shift(subject_oracle(s, tone), c->rows.first, c->type, in, want);
    }
    for (int i = 0; i < 2; i++) {
        total.elements++;
        if (poisoned ? !oracle_is_nan(c->type, got[i]) : got[i] != want[i])
            report(s, c, line, columns[i], tone, got[i], poisoned ? in[i] : want[i]);
    }
}

/* Columns that no tone names, and the columns beyond dim. */
static void check_rest(const subject *s, const call *c, const unsigned char *named)
{
    for (size_t row = 0; row < lines_of(c); row++)
        for (size_t j = 0; j < c->ld; j++) {
            if (j < s->dim && named[j])
                continue;
            if (j < s->dim && !c->shift && !c->rotate) {
                check_element(s, c, row, (ptrdiff_t)j, s->n_tones, 0);
                continue;
            }
            const uint64_t old = load_bits(c->before, c->type, row * c->ld + j);
            const uint64_t now = load_bits(c->after, c->type, row * c->ld + j);
            if (old != now)
                report(s, c, row, (ptrdiff_t)j, s->n_tones, now, old);
        }
}

/* ------------------------------------------------------------------------------------------------- Calling */

static sinpos_status run_direct(const subject *s, const call *c)
{
    const sinpos_rows *r = &c->rows;
    if (c->operation == SINPOS_FILL) {
        if (r->reals)
            return sinpos_fill_real(s->plan, r->reals, r->n, c->type, c->after, c->ld);
        if (r->integers)
            return sinpos_fill_at(s->plan, r->integers, r->n, c->type, c->after, c->ld);
        return sinpos_fill(s->plan, r->first, r->n, c->type, c->after, c->ld);
    }
    if (c->operation == SINPOS_ADD) {
        if (r->reals)
            return sinpos_add_real(s->plan, r->reals, r->n, c->type, c->after, c->ld);
        if (r->integers)
            return sinpos_add_at(s->plan, r->integers, r->n, c->type, c->after, c->ld);
        return sinpos_add(s->plan, r->first, r->n, c->type, c->after, c->ld);
    }
    if (c->operation == SINPOS_GRADIENT_POSITION)
        return sinpos_gradient_position(s->plan, r, c->type, c->after, c->ld);
    return sinpos_gradient_theta(s->plan, r, c->type, c->after, c->ld);
}

static sinpos_status run_call(const subject *s, const call *c)
{
    if (c->rotate) {
        const size_t ld_row = c->heads_outside ? c->ld : c->heads * c->ld;
        const size_t ld_head = c->heads_outside ? c->rows.n * c->ld : c->ld;
        return sinpos_rotate(s->plan, &c->rows, c->direction, c->heads, c->type, c->after, ld_row, ld_head,
                             c->threads == 0 ? 1 : c->threads);
    }
    if (c->shift)
        return sinpos_shift(s->plan, c->rows.first, c->rows.n, c->type, c->after, c->ld);
    if (c->threads == 0)
        return run_direct(s, c);
    return sinpos_run(s->plan, c->operation, &c->rows, c->type, c->after, c->ld, c->threads);
}

static bool amplitude_fits(const subject *s, sinpos_type type)
{
    for (size_t i = 0; i < s->n_tones; i++)
        if (oracle_amplitude_overflows(&s->tones[i], type))
            return false;
    return true;
}

static bool has_both_columns(const subject *s)
{
    for (size_t i = 0; i < s->n_tones; i++)
        if (s->tones[i].sin_column < 0 || s->tones[i].cos_column < 0)
            return false;
    return true;
}

static bool has_amplitude_zero(const subject *s)
{
    for (size_t i = 0; i < s->n_tones; i++)
        if (oracle_amplitude_is_zero(&s->tones[i]))
            return true;
    return false;
}

/* The status must be the right one; false where there is nothing to compare. */
static bool status_is_right(const subject *s, const call *c, sinpos_status status)
{
    sinpos_status want = SINPOS_OK;
    if (c->rotate && !amplitude_fits(s, c->type))
        want = SINPOS_E_OVERFLOW;
    else if (c->shift && s->n_axes > 1)
        want = SINPOS_E_AXES;
    else if ((c->shift || c->rotate) && !has_both_columns(s))
        want = SINPOS_E_COLUMNS;
    else if (c->rotate && c->direction == SINPOS_INVERSE && has_amplitude_zero(s))
        want = SINPOS_E_VALUE;
    else if (!c->shift && !c->rows.integers && !c->rows.reals && s->n_axes > 1)
        want = SINPOS_E_AXES;
    else if (!c->shift && !amplitude_fits(s, c->type))
        want = SINPOS_E_OVERFLOW;
    if (status != want)
        refuse(s, call_name(c), status);
    return status == want && status == SINPOS_OK;
}

/* ------------------------------------------------------------------------------------------- Random calls */

static size_t random_rows(const subject *s, random_state *r)
{
    const size_t most = 1 + 1500 / s->dim;
    if (random_chance(r, 10))
        return random_below(r, 4);
    return 1 + random_below(r, most > 300 ? 300 : most);
}

static void random_positions(call *c, subject *s, random_state *r)
{
    const size_t n = c->rows.n, cells = n * s->n_axes + 1;
    const size_t kind = random_below(r, 3);
    if (kind == 1 || (kind == 0 && s->n_axes > 1)) {
        c->integers = malloc(cells * sizeof *c->integers);
        for (size_t i = 0; i < cells; i++)
            c->integers[i] = random_integer_position(s, r);
        c->rows.integers = c->integers;
    } else if (kind == 2) {
        c->reals = malloc(cells * sizeof *c->reals);
        for (size_t i = 0; i < cells; i++)
            c->reals[i] = random_real_position(s, r);
        c->rows.reals = c->reals;
    } else {
        c->rows.first = random_integer_position(s, r);
        if (c->rows.first > INT64_MAX - (int64_t)n)
            c->rows.first = INT64_MAX - (int64_t)n + (n > 0);
    }
}

static call random_call(subject *s, random_state *r)
{
    call c = {.operation = (sinpos_operation)random_below(r, 4), .threads = random_below(r, 4), .heads = 1};
    if (random_chance(r, 25))
        c.operation = SINPOS_FILL;
    c.rows = (sinpos_rows)SINPOS_ROWS_INIT;
    c.rows.n = random_rows(s, r);
    c.ld = s->dim + (random_chance(r, 60) ? 0 : random_below(r, 9));
    if (random_chance(r, 15)) {
        c.shift = true;
        c.operation = SINPOS_FILL;
        c.rows.first = random_integer_position(s, r);
    } else {
        random_positions(&c, s, r);
    }
    if (!c.shift && random_chance(r, 30)) {
        c.rotate = true;
        c.operation = SINPOS_FILL;
        c.direction = (sinpos_direction)random_below(r, 3);
        c.heads = 1 + random_below(r, 3);
        c.heads_outside = random_chance(r, 30);
    }
    return c;
}

static void random_contents(call *c, random_state *r)
{
    const size_t n = lines_of(c) * c->ld;
    c->before = malloc(n * type_size(c->type) + 1);
    c->after = malloc(n * type_size(c->type) + 1);
    for (size_t i = 0; i < n; i++)
        store_bits(c->before, c->type, i,
                   c->operation == SINPOS_ADD || c->shift || c->rotate
                       ? random_element(r, c->type)
                       : random_u64(r) >> (64 - 8 * type_size(c->type)));
    memcpy(c->after, c->before, n * type_size(c->type));
}

static void mark_named(const subject *s, unsigned char *named)
{
    for (size_t i = 0; i < s->n_tones; i++) {
        if (s->tones[i].sin_column >= 0)
            named[s->tones[i].sin_column] = 1;
        if (s->tones[i].cos_column >= 0)
            named[s->tones[i].cos_column] = 1;
    }
}

/* The same call in several types, so that one evaluation of the oracle serves them all. */
static void try_call(subject *s, random_state *r, const call *pattern, unsigned types)
{
    call calls[N_TYPES];
    size_t n_calls = 0;
    unsigned char *named = calloc(s->dim, 1);
    mark_named(s, named);
    for (int k = 0; k < N_TYPES; k++) {
        if (!(types & all_types[k]))
            continue;
        call c = *pattern;
        c.type = all_types[k];
        random_contents(&c, r);
        if (status_is_right(s, &c, run_call(s, &c))) {
            calls[n_calls++] = c;
            check_rest(s, &c, named);
        } else {
            free(c.before);
            free(c.after);
        }
    }
    const size_t pairs = lines_of(pattern) * s->n_tones;
    const size_t step = opt.common ? 1 : 1 + pairs / 2500;
    for (size_t i = step > 1 ? random_below(r, step) : 0; n_calls > 0 && i < pairs; i += step) {
        const bool in_pairs = pattern->shift || pattern->rotate;
        if (!in_pairs)
            check_pair(s, calls, n_calls, i / s->n_tones, i % s->n_tones);
        for (size_t k = 0; in_pairs && k < n_calls; k++)
            check_turned(s, &calls[k], i / s->n_tones, i % s->n_tones);
    }
    for (size_t k = 0; k < n_calls; k++) {
        free(calls[k].before);
        free(calls[k].after);
    }
    free(named);
}

/* --------------------------------------------------------------------------------------------------- Cases */

/* A specification is asked for its amplitude even where it has no tones. */
static bool plan_fits(const subject *s, sinpos_type type)
{
    if (s->is_spec && oracle_is_infinite(type, oracle_round_double(type, s->spec.amplitude)))
        return false;
    return amplitude_fits(s, type);
}

static void random_case(random_state *r)
{
    subject s;
    if (opt.more)
        subject_more(&s, r);
    else
        subject_random(&s, r);
    const sinpos_status status = subject_plan(&s);
    const unsigned allowed = s.types ? s.types : 15;
    if (status != SINPOS_OK) {
        bool fits = true;
        for (int k = 0; k < N_TYPES; k++)
            fits = fits && (!(s.types & all_types[k]) || plan_fits(&s, all_types[k]));
        total.refused++;
        if (opt.verbose) {
            sinpos_error error = SINPOS_ERROR_INIT;
            const sinpos_status again = s.is_spec ? sinpos_spec_check(&s.spec, &error) : status;
            printf("refused: %s (%s)\n", sinpos_strerror(again), error.message);
            subject_print(stdout, &s);
        }
        if (fits && status != SINPOS_E_SPEC)
            refuse(&s, "plan creation", status);
    }
    const size_t n_calls = status == SINPOS_OK ? 1 + random_below(r, 4) : 0;
    for (size_t i = 0; i < n_calls; i++) {
        call c = random_call(&s, r);
        const unsigned some = allowed & (random_chance(r, 50) ? 15 : 1 + (unsigned)random_below(r, 15));
        try_call(&s, r, &c, some);
        free(c.integers);
        free(c.reals);
    }
    current_subject = NULL;
    subject_destroy(&s);
}

static void common_case(random_state *r)
{
    static const size_t dims[] = {64, 128, 256, 512, 1024, 2048, 4096};
    static const double bases[] = {10000, 500000, 1e6};
    static subject cache[7][3];
    const size_t d = random_below(r, 7), b = random_below(r, 3);
    subject *s = &cache[d][b];
    if (s->plan == NULL) {
        subject_default(s, dims[d], bases[b]);
        const sinpos_status status = subject_plan(s);
        if (status != SINPOS_OK) {
            refuse(s, "plan creation", status);
            return;
        }
    }
    call c = {.operation = SINPOS_FILL, .ld = s->dim, .heads = 1};
    c.rows = (sinpos_rows)SINPOS_ROWS_INIT;
    c.rows.n = 1 + random_below(r, 2 * 16384 / s->dim);
    const unsigned bits = 10 + (unsigned)random_below(r, 53);
    c.rows.first = (int64_t)(random_u64(r) >> (64 - bits));
    if (random_chance(r, 30))
        c.rows.first = (int64_t)random_below(r, 1 << 20);
    if (random_chance(r, 10))
        c.rows.first = -c.rows.first;
    c.rotate = random_chance(r, 25);
    c.direction = (sinpos_direction)random_below(r, 3);
    try_call(s, r, &c, 15);
}

static void one_case(uint64_t number)
{
    current_case = number;
    random_state r = random_seed(opt.seed, number);
    total.cases++;
    if (opt.common)
        common_case(&r);
    else
        random_case(&r);
}

static void run_share(unsigned share, uint64_t count)
{
    uint64_t next_line = 0;
    const time_t begin = time(NULL);
    for (uint64_t k = share; total.elements < count; k += opt.processes) {
        one_case(k);
        if (!opt.progress || total.elements < next_line)
            continue;
        next_line = total.elements + 5000000;
        fprintf(stderr, "process %u: %" PRIu64 " of %" PRIu64 " elements, %" PRIu64 " wrong, %ld s\n", share,
                total.elements, count, total.wrong, (long)(time(NULL) - begin));
    }
}

static void gather(const totals *t)
{
    total.elements += t->elements;
    total.wrong += t->wrong;
    total.cases += t->cases;
    total.refused += t->refused;
    for (int i = 0; i < 4; i++)
        total.rungs[i] += t->rungs[i];
}

static bool run_processes(void)
{
    int ends[2];
    if (pipe(ends) != 0)
        return false;
    for (unsigned i = 0; i < opt.processes; i++) {
        const pid_t pid = fork();
        if (pid < 0)
            return false;
        if (pid == 0) {
            run_share(i, opt.count / opt.processes);
            sinpos_internal_counters(total.rungs);
            _exit(write(ends[1], &total, sizeof total) == (ssize_t)sizeof total ? 0 : 3);
        }
    }
    bool fine = true;
    for (unsigned i = 0; i < opt.processes; i++) {
        int status;
        fine = wait(&status) > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0 && fine;
    }
    close(ends[1]);
    totals t;
    while (read(ends[0], &t, sizeof t) == (ssize_t)sizeof t)
        gather(&t);
    close(ends[0]);
    return fine;
}

/* ------------------------------------------------------------------------------------------------- Options */

static void set_mode(const char *name)
{
    opt.common = strcmp(name, "default") == 0;
    opt.more = strcmp(name, "more") == 0;
}

static bool parse(int argc, char **argv)
{
    const char *seed = getenv("SINPOS_TEST_SEED");
    if (seed)
        opt.seed = strtoull(seed, NULL, 0);
    for (int i = 1; i < argc; i++) {
        const char *name = argv[i], *value = i + 1 < argc ? argv[i + 1] : "";
        i++;
        if (strcmp(name, "--count") == 0)
            opt.count = (uint64_t)strtod(value, NULL);
        else if (strcmp(name, "--seed") == 0)
            opt.seed = strtoull(value, NULL, 0);
        else if (strcmp(name, "--case") == 0)
            opt.only = strtoll(value, NULL, 0);
        else if (strcmp(name, "--rung") == 0)
            opt.rung = atoi(value);
        else if (strcmp(name, "--isa") == 0)
            opt.isa = value;
        else if (strcmp(name, "--mode") == 0)
            set_mode(value);
        else if (strcmp(name, "--processes") == 0)
            opt.processes = (unsigned)atoi(value);
        else if (strcmp(name, "--reports") == 0)
            opt.reports = strtoull(value, NULL, 0);
        else if (i--, strcmp(name, "--progress") == 0)
            opt.progress = true;
        else if (strcmp(name, "--verbose") == 0)
            opt.verbose = true;
        else
            return false;
    }
    return opt.processes >= 1 && opt.processes <= 64 && opt.rung >= 0 && opt.rung <= 3;
}

int main(int argc, char **argv)
{
    if (!parse(argc, argv)) {
        fprintf(stderr, "oracle_random: bad option; the head of oracle_random.c lists them\n");
        return 2;
    }
    if (opt.isa && sinpos_isa_cap(opt.isa) != SINPOS_OK) {
        printf("SKIP: instruction set %s is not available here\n", opt.isa);
        return 77;
    }
    printf("oracle_random: seed %" PRIu64 ", isa %s, rung %d, %s\n", opt.seed, sinpos_isa(), opt.rung,
           opt.common ? "common specifications"
           : opt.more ? "tones with more"
                      : "random specifications");
    fflush(stdout);
    sinpos_internal_force_rung(opt.rung);
    oracle_on_failure = explain;
    bool fine = true;
    if (opt.only >= 0)
        one_case((uint64_t)opt.only);
    else if (opt.processes > 1)
        fine = run_processes();
    else
        run_share(0, opt.count);
    if (opt.processes == 1)
        sinpos_internal_counters(total.rungs);
    printf("%" PRIu64 " elements, %" PRIu64 " wrong; %" PRIu64 " cases, %" PRIu64 " refused; redone: %" PRIu64
           " exact, %" PRIu64 " by double-double, %" PRIu64 " by 256 bits, %" PRIu64 " by more\n",
           total.elements, total.wrong, total.cases, total.refused, total.rungs[0], total.rungs[1], total.rungs[2],
           total.rungs[3]);
    printf("# %" PRIu64 " comparisons\n", total.elements);
    oracle_cleanup();
    return total.wrong == 0 && fine && (opt.only >= 0 || (total.elements > 0 && total.elements >= opt.count / 2)) ? 0
                                                                                                                  : 1;
}
