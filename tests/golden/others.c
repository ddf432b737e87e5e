/*
 * Formulas of other projects, made with this library, against their 40-digit values rounded once to float64: tests/data/golden.
 * Every element must be the same double, except that those values took pi to 40 digits: an exact zero may be 1e-41 there.
 * [P1] [P2]
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"
#include "tap.h"

#define MOST_TONES 256
#define MOST_AXES 8

typedef struct other {
    char name[128];
    size_t dim, n_axes, n_tones, n_rows;
    sinpos_tone tones[MOST_TONES];
    double *positions, *want, *got;
    int *use; /* rows that the formula covers; the others are padding */
} other;

static bool read_tone(FILE *f, sinpos_tone *t)
{
    int schedule;
    *t = (sinpos_tone){.base_divisor = 1, .factor = 1};
    const int n = fscanf(f, " tone %d %d %lf %lf %lf %lf %lf %lf %lf %zu %td %td", &schedule, &t->in_turns, &t->base,
                         &t->index, &t->divisor, &t->scale, &t->value, &t->phase_turns, &t->amplitude, &t->axis,
                         &t->sin_column, &t->cos_column);
    t->schedule = (sinpos_schedule)schedule;
    return n == 12;
}

static bool read_other(FILE *f, other *o)
{
    if (fscanf(f, " case %127s %zu %zu %zu %zu", o->name, &o->dim, &o->n_axes, &o->n_tones, &o->n_rows) != 5)
        return false;
    bool fine = o->n_tones <= MOST_TONES && o->n_axes <= MOST_AXES;
    for (size_t i = 0; fine && i < o->n_tones; i++)
        fine = read_tone(f, &o->tones[i]);
    o->positions = calloc(o->n_rows * o->n_axes, sizeof(double));
    o->use = calloc(o->n_rows, sizeof(int));
    o->want = calloc(o->n_rows * o->dim, sizeof(double));
    o->got = calloc(o->n_rows * o->dim, sizeof(double));
    for (size_t i = 0; fine && i < o->n_rows; i++) {
        fine = fscanf(f, " row %d", &o->use[i]) == 1;
        for (size_t a = 0; fine && a < o->n_axes; a++)
            fine = fscanf(f, "%lf", &o->positions[i * o->n_axes + a]) == 1;
    }
    return fine;
}

static void release(other *o)
{
    free(o->positions);
    free(o->use);
    free(o->want);
    free(o->got);
}

/* A float64 .npy of version 1 with so many elements. */
static bool read_npy(const char *path, double *out, size_t n)
{
    unsigned char head[10], eight[8];
    char text[4096];
    FILE *f = fopen(path, "rb");
    if (f == NULL)
        return false;
    bool fine = fread(head, 1, 10, f) == 10 && memcmp(head, "\x93NUMPY\x01\x00", 8) == 0;
    const size_t length = fine ? head[8] + 256u * head[9] : 0;
    fine = fine && length < sizeof text && fread(text, 1, length, f) == length;
    text[fine ? length : 0] = 0;
    fine = fine && strstr(text, "'<f8'") && strstr(text, "'fortran_order': False");
    for (size_t i = 0; fine && i < n; i++) {
        fine = fread(eight, 1, 8, f) == 8;
        uint64_t bits = 0;
        for (int b = 7; b >= 0; b--)
            bits = bits << 8 | eight[b];
        memcpy(&out[i], &bits, 8);
    }
    fine = fine && fgetc(f) == EOF;
    fclose(f);
    return fine;
}

static size_t count_wrong(const other *o, size_t *compared, size_t *digits)
{
    size_t wrong = 0;
    for (size_t i = 0; i < o->n_rows; i++)
        for (size_t k = 0; o->use[i] && k < 2 * o->n_tones; k++) {
            const ptrdiff_t column = k % 2 ? o->tones[k / 2].cos_column : o->tones[k / 2].sin_column;
            if (column < 0)
                continue;
            const double got = o->got[i * o->dim + (size_t)column], want = o->want[i * o->dim + (size_t)column];
            *compared += 1;
            if (got == 0 && want != 0 && fabs(want) < 1e-38)
                *digits += 1;
            else if (got != want && wrong++ < 3)
                printf("# %s row %zu column %td: got %a, want %a\n", o->name, i, column, got, want);
        }
    return wrong;
}

int main(int argc, char **argv)
{
    char path[4096];
    if (argc != 2)
        return 2;
    (void)snprintf(path, sizeof path, "%s/others.txt", argv[1]);
    FILE *f = fopen(path, "r");
    if (f == NULL) {
        perror(path);
        return 3;
    }
    static other o;
    size_t cases = 0;
    while (read_other(f, &o)) {
        (void)snprintf(path, sizeof path, "%s/%s__exact.npy", argv[1], o.name);
        sinpos_plan *plan = NULL;
        const bool read = read_npy(path, o.want, o.n_rows * o.dim);
        sinpos_status status = sinpos_plan_create_tones(&plan, o.dim, o.n_axes, o.tones, o.n_tones, SINPOS_F64, NULL);
        if (status == SINPOS_OK)
            status = sinpos_fill_real(plan, o.positions, o.n_rows, SINPOS_F64, o.got, o.dim);
        size_t compared = 0, digits = 0;
        const size_t wrong = count_wrong(&o, &compared, &digits);
        (void)tap_none_wrong(read && status == SINPOS_OK ? wrong : 1, compared,
                             "%s: %zu of %zu elements differ, %zu are 0 except for the digits of pi%s", o.name, wrong,
                             compared, digits, read ? "" : "; the array could not be read");
        sinpos_plan_destroy(plan);
        release(&o);
        cases++;
    }
    fclose(f);
    (void)tap_ok(cases >= 80, "%zu cases", cases);
    return tap_done();
}
