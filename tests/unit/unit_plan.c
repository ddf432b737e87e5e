/* plan.c, plan_numbers.c, segments.c, frequency.c: plans from specifications and from lists of tones; what they hold. */
#include <math.h>

#include "internal.h"
#include "random.h"
#include "unit.h"

static sinpos_tone usual_tone(void)
{
    return (sinpos_tone){.schedule = SINPOS_EXPLICIT,
                         .value = 0.5,
                         .scale = 1,
                         .factor = 1,
                         .base = 10000,
                         .base_divisor = 1,
                         .divisor = 4,
                         .exponent = 1,
                         .amplitude = 1,
                         .sin_column = 0,
                         .cos_column = 1};
}

static void refuse(size_t dim, size_t n_axes, const sinpos_tone *tones, size_t n, unsigned types, sinpos_status want)
{
    sinpos_plan *plan = (sinpos_plan *)(uintptr_t)0x10;
    sinpos_error error = SINPOS_ERROR_INIT;
    assert_int_equal(sinpos_plan_create_tones(&plan, dim, n_axes, tones, n, types, &error), want);
    assert_null(plan);
    assert_int_equal(error.status, want);
    assert_true(error.message[0] != '\0');
}

static void sizes(void **state)
{
    (void)state;
    const sinpos_tone t = usual_tone();
    sinpos_plan *plan = NULL;
    const sinpos_spec s = SINPOS_SPEC_INIT;
    assert_int_equal(sinpos_plan_create(NULL, &s), SINPOS_E_NULL);
    assert_int_equal(sinpos_plan_create(&plan, NULL), SINPOS_E_NULL);
    assert_int_equal(sinpos_plan_create_tones(NULL, 2, 1, &t, 1, 0, NULL), SINPOS_E_NULL);
    refuse(2, 1, NULL, 1, 0, SINPOS_E_NULL);
    refuse(0, 1, &t, 1, 0, SINPOS_E_SPEC);
    refuse(SINPOS_MAX_DIM + 1, 1, &t, 1, 0, SINPOS_E_SPEC);
    refuse(2, 0, &t, 1, 0, SINPOS_E_SPEC);
    refuse(2, SINPOS_MAX_AXES + 1, &t, 1, 0, SINPOS_E_SPEC);
    refuse(2, 1, &t, 3, 0, SINPOS_E_SPEC); /* more tones than columns: before reading them */
    refuse(2, 1, &t, 1, 16, SINPOS_E_SPEC);
}

static void columns(void **state)
{
    (void)state;
    static const ptrdiff_t bad[][4] = {{0, 1, 1, 2},  {0, 0, 2, 3},           {0, 4, 2, 3},
                                       {-2, 1, 2, 3}, {0, 1, 2, PTRDIFF_MIN}, {0, 1, PTRDIFF_MAX, 3}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        sinpos_tone t[2] = {usual_tone(), usual_tone()};
        for (int k = 0; k < 2; k++) {
            t[k].sin_column = bad[i][2 * k];
            t[k].cos_column = bad[i][2 * k + 1];
        }
        refuse(4, 1, t, 2, 0, SINPOS_E_SPEC);
    }
    sinpos_tone t = usual_tone();
    t.axis = 1;
    refuse(4, 1, &t, 1, 0, SINPOS_E_SPEC);
}

static void bad_number(double *field, sinpos_tone *t)
{
    static const double bad[] = {NAN, INFINITY, -INFINITY};
    const double kept = *field;
    for (int i = 0; i < 3; i++) {
        *field = bad[i];
        refuse(4, 1, t, 1, 0, SINPOS_E_SPEC);
    }
    *field = kept;
}

static void numbers(void **state)
{
    (void)state;
    sinpos_tone t = usual_tone();
    bad_number(&t.value, &t);
    bad_number(&t.scale, &t);
    bad_number(&t.factor, &t);
    bad_number(&t.phase, &t);
    bad_number(&t.phase_turns, &t);
    bad_number(&t.amplitude, &t);
    t.factor = 0;
    refuse(4, 1, &t, 1, 0, SINPOS_E_SPEC);
    t = usual_tone();
    t.schedule = SINPOS_GEOMETRIC;
    bad_number(&t.base, &t);
    bad_number(&t.base_divisor, &t);
    bad_number(&t.index, &t);
    bad_number(&t.shift, &t);
    bad_number(&t.divisor, &t);
    t.divisor = 0;
    refuse(4, 1, &t, 1, 0, SINPOS_E_SPEC);
    t.schedule = SINPOS_OCTAVE;
    refuse(4, 1, &t, 1, 0, SINPOS_E_SPEC);
    t.schedule = SINPOS_TURNS;
    refuse(4, 1, &t, 1, 0, SINPOS_E_SPEC);
    t = usual_tone();
    t.amplitude = 1e6;
    refuse(4, 1, &t, 1, SINPOS_F16, SINPOS_E_OVERFLOW);
}

/* A tone with more of which nothing is used. */
static sinpos_tone more_tone(sinpos_tone_more *more)
{
    sinpos_tone t = usual_tone();
    *more = (sinpos_tone_more){.struct_size = sizeof(sinpos_tone_more), .phase_divisor = 1};
    t.more = more;
    return t;
}

static void refuse_why(const sinpos_tone *t, const char *word)
{
    sinpos_error error = SINPOS_ERROR_INIT;
    assert_int_equal(tone_check(t, &error), SINPOS_E_SPEC);
    assert_or_say(strstr(error.message, word) != NULL, "\"%s\" does not speak of %s", error.message, word);
    refuse(4, 3, t, 1, 0, SINPOS_E_SPEC);
}

static void more_numbers(void **state)
{
    (void)state;
    static const double bad[] = {NAN, INFINITY, -INFINITY};
    sinpos_tone_more more;
    sinpos_listen listens[3] = {{.axis = 1, .coefficient = {1}, .divisor = 1},
                                {.axis = 2, .coefficient = {1}, .divisor = 1}};
    sinpos_tone t = more_tone(&more);
    more.listens = listens;
    more.n_listens = 2;
    double *const fields[] = {&more.value[0],      &more.value[5],     &more.phase[2],
                              &more.phase_divisor, &more.amplitude[5], &listens[1].coefficient[5],
                              &listens[0].divisor};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        for (int k = 0; k < 3; k++) {
            const double kept = *fields[i];
            *fields[i] = bad[k];
            refuse_why(&t, "finite");
            *fields[i] = kept;
        }
    more.phase_divisor = 0;
    refuse_why(&t, "phase_divisor");
    more.phase_divisor = 0x1p-1000;
    t.phase_turns = 0x1p100;
    refuse_why(&t, "phase_divisor");
    more.phase_divisor = 1;
    listens[1].divisor = 0;
    refuse_why(&t, "divisor");
    listens[1].divisor = 0x1p-700;
    refuse_why(&t, "2^600");
    listens[1].divisor = 1;
    more.value[3] = 0x1p-602;
    refuse_why(&t, "within 2^600");
    more.value[3] = 0;
    more.amplitude[3] = 0x1p601;
    refuse_why(&t, "within 2^600");
    more.amplitude[3] = 0;
    t.schedule = SINPOS_GEOMETRIC;
    more.value[0] = 1;
    refuse_why(&t, "explicit");
}

static void more_coordinates(void **state)
{
    (void)state;
    sinpos_plan *plan = NULL;
    sinpos_tone_more more;
    sinpos_listen listens[3] = {{.axis = 1, .coefficient = {1}, .divisor = 1},
                                {.axis = 2, .coefficient = {1}, .divisor = 1}};
    sinpos_tone t = more_tone(&more);
    more.n_listens = 2;
    refuse_why(&t, "listens");
    more.listens = listens;
    assert_int_equal(sinpos_plan_create_tones(&plan, 4, 3, &t, 1, 0, NULL), SINPOS_OK);
    sinpos_plan_destroy(plan);
    refuse(4, 2, &t, 1, 0, SINPOS_E_SPEC);
    listens[1].axis = 3;
    refuse(4, 3, &t, 1, 0, SINPOS_E_SPEC);
    listens[1].axis = 1;
    refuse_why(&t, "once");
    listens[1].axis = 0;
    refuse_why(&t, "once");
    listens[1].axis = SIZE_MAX;
    refuse_why(&t, "once");
    more.n_listens = SIZE_MAX;
    refuse_why(&t, "listens");
}

/* The sum is what must fit the type, not its terms. */
static void more_amplitudes(void **state)
{
    (void)state;
    sinpos_plan *plan = NULL;
    sinpos_tone_more more;
    sinpos_tone t = more_tone(&more);
    t.amplitude = 65520;
    more.amplitude[0] = -0x1p-100;
    assert_int_equal(sinpos_plan_create_tones(&plan, 4, 1, &t, 1, SINPOS_F16, NULL), SINPOS_OK);
    sinpos_plan_destroy(plan);
    more.amplitude[1] = 0x1p-100;
    refuse(4, 1, &t, 1, SINPOS_F16, SINPOS_E_OVERFLOW);
    t.amplitude = 0x1.fffffffffffffp1023;
    more.amplitude[0] = 0x1p970;
    more.amplitude[1] = -0x1p800;
    assert_int_equal(sinpos_plan_create_tones(&plan, 4, 1, &t, 1, SINPOS_F64, NULL), SINPOS_OK);
    sinpos_plan_destroy(plan);
    more.amplitude[1] = 0;
    refuse(4, 1, &t, 1, SINPOS_F64, SINPOS_E_OVERFLOW);
    double out[4];
    t.amplitude = 3;
    more.amplitude[0] = -4;
    more.amplitude[1] = 1;
    assert_int_equal(sinpos_plan_create_tones(&plan, 4, 1, &t, 1, SINPOS_F64, NULL), SINPOS_OK);
    assert_int_equal(sinpos_fill(plan, 77, 1, SINPOS_F64, out, 4), SINPOS_OK);
    assert_true(out[0] == 0 && out[1] == 0 && !signbit(out[0]) && !signbit(out[1]));
    sinpos_plan_destroy(plan);
}

/* The copies are the plan's own, and those without more pay nothing. [P3] */
static void more_is_copied(void **state)
{
    (void)state;
    sinpos_plan *plan = NULL;
    sinpos_tone got[2], t[2] = {usual_tone(), usual_tone()};
    sinpos_tone_more more = {.struct_size = sizeof more, .phase_divisor = 3, .amplitude = {0.125}};
    sinpos_listen listen = {.axis = 1, .coefficient = {0.25, 0x1p-70}, .divisor = 7};
    size_t n;
    double before[4], after[4];
    const int64_t at[2] = {5, -3};
    t[1].sin_column = 2;
    t[1].cos_column = 3;
    assert_int_equal(sinpos_plan_create_tones(&plan, 4, 2, t, 2, 0, NULL), SINPOS_OK);
    const size_t without = sinpos_plan_bytes(plan);
    sinpos_plan_destroy(plan);
    more.listens = &listen;
    more.n_listens = 1;
    t[1].more = &more;
    assert_int_equal(sinpos_plan_create_tones(&plan, 4, 2, t, 2, 0, NULL), SINPOS_OK);
    assert_true(sinpos_plan_bytes(plan) > without);
    assert_int_equal(sinpos_fill_at(plan, at, 1, SINPOS_F64, before, 4), SINPOS_OK);
    memset(&more, 0xff, sizeof more);
    memset(&listen, 0xff, sizeof listen);
    memset(t, 0xff, sizeof t);
    assert_int_equal(sinpos_fill_at(plan, at, 1, SINPOS_F64, after, 4), SINPOS_OK);
    assert_memory_equal(before, after, sizeof before);
    assert_int_equal(sinpos_plan_tones(plan, got, 2, &n), SINPOS_OK);
    assert_null(got[0].more);
    assert_true(got[1].more->phase_divisor == 3 && got[1].more->amplitude[0] == 0.125);
    assert_true(got[1].more->n_listens == 1 && got[1].more->listens->coefficient[1] == 0x1p-70);
    sinpos_plan *again = NULL;
    assert_int_equal(sinpos_plan_create_tones(&again, 4, 2, got, 2, 0, NULL), SINPOS_OK);
    sinpos_plan_destroy(plan);
    assert_int_equal(sinpos_fill_at(again, at, 1, SINPOS_F64, after, 4), SINPOS_OK);
    assert_memory_equal(before, after, sizeof before);
    sinpos_plan_destroy(again);
}

/* Tone i of a list that goes on counting, while one number after the other is another for four tones. */
static sinpos_tone changing_tone(size_t i)
{
    const size_t changed = i / 4 % 2 == 1 ? i / 8 + 1 : 0;
    sinpos_tone t = {.schedule = SINPOS_GEOMETRIC,
                     .base = changed == 1 ? 500 : 10000,
                     .base_divisor = changed == 2 ? 3 : 1,
                     .index = (double)i,
                     .shift = changed == 3 ? 0.3 : 0,
                     .divisor = changed == 4 ? 40 : 37,
                     .scale = changed == 5   ? 1.1
                              : changed == 6 ? 0
                                             : 1,
                     .factor = i % 3 == 0 ? 7 : 1,
                     .in_turns = changed == 7,
                     .amplitude = 1,
                     .sin_column = (ptrdiff_t)(2 * i),
                     .cos_column = (ptrdiff_t)(2 * i + 1)};
    if (i >= 60) { /* an index and the next one are the same double */
        t.index = i < 62 ? 0x1p53 : 0x1p53 - 2 + (double)(i - 62);
        t.divisor = 0x1p51;
    }
    return t;
}

/* A geometric schedule is a recurrence where tones continue one: their frequencies are those of each tone alone. */
static void tones_alone_and_in_a_list(void **state)
{
    (void)state;
    enum { TONES = 65 };
    static const int64_t positions[] = {1, -12345, INT64_C(1) << 40 | 1, INT64_MAX};
    sinpos_tone tones[TONES];
    sinpos_plan *all = NULL;
    double together[4 * 2 * TONES], alone[4 * 2];
    for (size_t i = 0; i < TONES; i++)
        tones[i] = changing_tone(i);
    assert_int_equal(sinpos_plan_create_tones(&all, 2 * TONES, 1, tones, TONES, 0, NULL), SINPOS_OK);
    assert_int_equal(sinpos_fill_at(all, positions, 4, SINPOS_F64, together, 2 * TONES), SINPOS_OK);
    for (size_t i = 0; i < TONES; i++) {
        sinpos_plan *one = NULL;
        tones[i].sin_column = 0;
        tones[i].cos_column = 1;
        assert_int_equal(sinpos_plan_create_tones(&one, 2, 1, &tones[i], 1, 0, NULL), SINPOS_OK);
        assert_int_equal(sinpos_fill_at(one, positions, 4, SINPOS_F64, alone, 2), SINPOS_OK);
        for (size_t k = 0; k < 4; k++)
            assert_or_say(memcmp(alone + 2 * k, together + 2 * TONES * k + 2 * i, 2 * sizeof *alone) == 0,
                          "tone %zu, position %lld: %a in a list, %a alone", i, (long long)positions[k],
                          together[2 * TONES * k + 2 * i], alone[2 * k]);
        sinpos_plan_destroy(one);
    }
    sinpos_plan_destroy(all);
}

/* 2^300 / 3 turns are a third of one; 1 + 2^-599 (1 + 2^-52) - 1; an octave and 2^-60 of one is not an octave. */
static void sizes_far_apart(void **state)
{
    (void)state;
    const sinpos_tone_more more = {.struct_size = sizeof more, .phase_divisor = 3 * 0x1p-300};
    sinpos_tone t = usual_tone();
    sinpos_plan *plan = NULL;
    double out[4], whole[8], beside[8];
    t.in_turns = 1;
    t.phase = 0;
    t.phase_turns = 1;
    t.amplitude = 1;
    t.more = &more;
    assert_int_equal(sinpos_plan_create_tones(&plan, 4, 1, &t, 1, 0, NULL), SINPOS_OK);
    assert_int_equal(sinpos_fill(plan, 0, 1, SINPOS_F64, out, 4), SINPOS_OK);
    assert_true(out[t.sin_column] == 0x1.bb67ae8584caap-1 && out[t.cos_column] == -0.5);
    sinpos_plan_destroy(plan);
    const sinpos_tone_more far = {.struct_size = sizeof far, .phase_divisor = 1, .value = {0x1.0000000000001p-599, -1}};
    size_t n;
    t.in_turns = 0;
    t.value = 1;
    t.more = &far;
    assert_int_equal(sinpos_plan_create_tones(&plan, 4, 1, &t, 1, 0, NULL), SINPOS_OK);
    assert_int_equal(sinpos_plan_theta(plan, out, 4, &n), SINPOS_OK);
    assert_true(out[0] == 0x1.0000000000001p-599);
    sinpos_plan_destroy(plan);
    sinpos_spec s = SINPOS_SPEC_INIT;
    s.dim = 8;
    s.schedule = SINPOS_OCTAVE;
    for (int k = 0; k < 2; k++) {
        s.shift = k * 0x1p-60;
        assert_int_equal(sinpos_plan_create(&plan, &s), SINPOS_OK);
        assert_int_equal(sinpos_fill(plan, (INT64_C(1) << 50) + 1, 1, SINPOS_F64, k == 0 ? whole : beside, 8),
                         SINPOS_OK);
        sinpos_plan_destroy(plan);
    }
    for (int k = 0; k < 8; k += 2)
        assert_true(whole[k] == 0 && beside[k] != 0);
}

static void no_tones(void **state)
{
    (void)state;
    sinpos_plan *plan = NULL;
    float out[12];
    size_t n = 7;
    assert_int_equal(sinpos_plan_create_tones(&plan, 4, 1, NULL, 0, 0, NULL), SINPOS_OK);
    memset(out, 0xff, sizeof out);
    assert_int_equal(sinpos_fill(plan, 5, 3, SINPOS_F32, out, 4), SINPOS_OK);
    for (int i = 0; i < 12; i++)
        assert_true(out[i] == 0 && !signbit(out[i]));
    assert_int_equal(sinpos_plan_theta(plan, NULL, 0, &n), SINPOS_OK);
    assert_int_equal(n, 0);
    sinpos_plan_destroy(plan);
}

static void what_a_plan_says(void **state)
{
    (void)state;
    sinpos_plan_destroy(NULL);
    assert_int_equal(sinpos_plan_dim(NULL), 0);
    assert_int_equal(sinpos_plan_axes(NULL), 0);
    assert_int_equal(sinpos_plan_bytes(NULL), 0);
    sinpos_plan *plan = usual_plan(1024, 0);
    assert_int_equal(sinpos_plan_dim(plan), 1024);
    assert_int_equal(sinpos_plan_axes(plan), 1);
    assert_true(sinpos_plan_bytes(plan) > 1024);
    assert_true(sinpos_plan_bytes(plan) <= (size_t)4 << 20);
    sinpos_plan *fewer = usual_plan(1024, SINPOS_F32);
    assert_true(sinpos_plan_bytes(fewer) <= sinpos_plan_bytes(plan));
    sinpos_plan_destroy(fewer);
    sinpos_plan_destroy(plan);
}

static void theta(void **state)
{
    (void)state;
    sinpos_plan *plan = usual_plan(512, 0);
    double got[256];
    size_t n = 0;
    assert_int_equal(sinpos_plan_theta(plan, NULL, 0, &n), SINPOS_OK);
    assert_int_equal(n, 256);
    assert_int_equal(sinpos_plan_theta(plan, got, 256, &n), SINPOS_OK);
    for (size_t i = 0; i < 256; i++)
        assert_true(fabs(got[i] / pow(10000, -(double)i / 256) - 1) < 1e-14);
    assert_true(got[0] == 1 && got[64] == 0.1 && got[128] == 0.01 && got[192] == 0.001);
    sinpos_tone tones[256];
    n = 0;
    assert_int_equal(sinpos_plan_tones(plan, NULL, 0, &n), SINPOS_OK);
    assert_int_equal(n, 256);
    assert_int_equal(sinpos_plan_tones(plan, tones, 256, &n), SINPOS_OK);
    for (size_t i = 0; i < 256; i++)
        assert_true(tones[i].index == (double)i && tones[i].base == 10000 && tones[i].sin_column == (ptrdiff_t)(2 * i));
    assert_int_equal(sinpos_plan_tones(NULL, tones, 256, &n), SINPOS_E_NULL);
    assert_int_equal(sinpos_plan_tones(plan, tones, 256, NULL), SINPOS_E_NULL);
    assert_int_equal(sinpos_plan_theta(NULL, got, 256, &n), SINPOS_E_NULL);
    assert_int_equal(sinpos_plan_theta(plan, got, 256, NULL), SINPOS_E_NULL);
    sinpos_plan_destroy(plan);
}

/* Less room than there are tones: nothing is written, but how many there are. */
static void too_little_room(void **state)
{
    (void)state;
    sinpos_plan *plan = usual_plan(8, 0);
    sinpos_tone tones[5];
    double theta[5];
    for (size_t capacity = 0; capacity < 6; capacity++) {
        const sinpos_status want = capacity < 4 ? SINPOS_E_CAPACITY : SINPOS_OK;
        size_t n = 99;
        set_pattern(theta, sizeof theta);
        assert_int_equal(sinpos_plan_theta(plan, theta, capacity, &n), want);
        assert_true(n == 4 && (want == SINPOS_OK || is_pattern(theta, sizeof theta)));
        n = 99;
        set_pattern(tones, sizeof tones);
        assert_int_equal(sinpos_plan_tones(plan, tones, capacity, &n), want);
        assert_true(n == 4 && (want == SINPOS_OK || is_pattern(tones, sizeof tones)));
    }
    sinpos_plan_destroy(plan);
}

/* Which tone is wrong, and which of its fields. */
static void what_is_refused(void **state)
{
    (void)state;
    static const sinpos_listen far = {.axis = 3, .coefficient = {1}, .divisor = 1},
                               nothing = {.axis = 1, .coefficient = {1}};
    sinpos_tone_more more[7];
    for (int k = 0; k < 7; k++)
        more[k] = (sinpos_tone_more)SINPOS_TONE_MORE_INIT;
    more[0].value[2] = NAN;
    more[1].phase[5] = INFINITY;
    more[2].phase_divisor = 0;
    more[3].amplitude[0] = 0x1p-1000;
    more[4].listens = &far, more[4].n_listens = 1;
    more[5].listens = &nothing, more[5].n_listens = 1;
    more[6].struct_size = 8;
    static const char *const more_fields[] = {"more.value",      "more.phase",   "more.phase_divisor",
                                              "more.amplitude",  "more.listens", "more.listens[0].divisor",
                                              "more.struct_size"};
    for (int k = 0; k < 19; k++) {
        sinpos_tone t[3] = {usual_tone(), usual_tone(), usual_tone()};
        t[1].sin_column = 2, t[1].cos_column = 3;
        t[2].sin_column = 4, t[2].cos_column = 5;
        sinpos_tone *bad = &t[k % 3];
        const char *field = "";
        sinpos_status want = SINPOS_E_SPEC;
        size_t which = (size_t)(k % 3);
        switch (k) {
        case 0: bad->base = NAN, field = "base"; break;
        case 1: bad->phase_turns = INFINITY, field = "phase_turns"; break;
        case 2: bad->amplitude = -INFINITY, field = "amplitude"; break;
        case 3: bad->factor = 0, field = "factor"; break;
        case 4: bad->schedule = SINPOS_GEOMETRIC, bad->divisor = 0, field = "divisor"; break;
        case 5: bad->schedule = SINPOS_GEOMETRIC, bad->base = -2, field = "base"; break;
        case 6: bad->schedule = SINPOS_OCTAVE, field = "schedule"; break;
        case 7: bad->value = 0x1p601, field = "value"; break;
        case 8: bad->axis = 3, field = "axis"; break;
        case 9: bad->sin_column = 6, field = "sin_column"; break;
        case 10: bad->cos_column = -2, field = "cos_column"; break;
        case 11: t[2].cos_column = 0, field = "cos_column"; break;
        default: bad->more = &more[k - 12], field = more_fields[k - 12]; break;
        }
        want = k == 18 ? SINPOS_E_STRUCT : want;
        sinpos_plan *plan = (sinpos_plan *)(uintptr_t)0x10;
        sinpos_error error = SINPOS_ERROR_INIT;
        assert_int_equal(sinpos_plan_create_tones(&plan, 6, 3, t, 3, 0, &error), want);
        assert_null(plan);
        assert_or_say(error.tone == which && strcmp(error.name, field) == 0 && error.status == want,
                      "case %d: tone %zu, field %s, want %zu, %s", k, error.tone, error.name, which, field);
    }
    sinpos_tone loud = usual_tone();
    sinpos_plan *plan;
    sinpos_error error = SINPOS_ERROR_INIT;
    loud.amplitude = 65520;
    assert_int_equal(sinpos_plan_create_tones(&plan, 6, 1, &loud, 1, SINPOS_F16, &error), SINPOS_E_OVERFLOW);
    assert_true(error.tone == 0 && strcmp(error.name, "amplitude") == 0);
    assert_int_equal(sinpos_plan_create_tones(&plan, 6, 1, &loud, 1, SINPOS_F64, &error), SINPOS_OK);
    assert_true(error.tone == SINPOS_NONE && error.name[0] == '\0' && error.message[0] == '\0' && error.status == 0);
    sinpos_plan_destroy(plan);
    assert_int_equal(sinpos_plan_create_tones(&plan, 0, 1, &loud, 1, 0, &error), SINPOS_E_SPEC);
    assert_true(error.tone == SINPOS_NONE && strcmp(error.name, "dim") == 0);
}

/* The plan keeps nothing of the caller's. [P3] */
static void copies_its_input(void **state)
{
    (void)state;
    double list[4] = {1, 0.5, 0.25, 3}, factor[4] = {1, 2, 3, 4};
    double before[16], after[16];
    sinpos_spec s = SINPOS_SPEC_INIT;
    sinpos_plan *plan = NULL;
    s.dim = 8;
    s.schedule = SINPOS_EXPLICIT;
    s.theta = list;
    s.n_theta = 4;
    s.factor = factor;
    s.n_factor = 4;
    assert_int_equal(sinpos_plan_create(&plan, &s), SINPOS_OK);
    assert_int_equal(sinpos_fill(plan, 9, 2, SINPOS_F64, before, 8), SINPOS_OK);
    memset(list, 0xff, sizeof list);
    memset(factor, 0xff, sizeof factor);
    memset(&s, 0xff, sizeof s);
    assert_int_equal(sinpos_fill(plan, 9, 2, SINPOS_F64, after, 8), SINPOS_OK);
    assert_memory_equal(before, after, sizeof before);
    sinpos_plan_destroy(plan);
}

/* Fewer types asked for, same bytes. */
static void types_do_not_change_bytes(void **state)
{
    (void)state;
    static unsigned char all[40 * 96 * 8], one[40 * 96 * 8];
    sinpos_plan *plan = usual_plan(96, 0);
    for (int t = 0; t < N_TYPES; t++) {
        sinpos_plan *single = usual_plan(96, all_types[t]);
        assert_int_equal(sinpos_fill(plan, -7, 40, all_types[t], all, 96), SINPOS_OK);
        assert_int_equal(sinpos_fill(single, -7, 40, all_types[t], one, 96), SINPOS_OK);
        assert_memory_equal(all, one, 40 * 96 * type_size(all_types[t]));
        sinpos_plan_destroy(single);
    }
    sinpos_plan_destroy(plan);
}

/* Whole turns go, and half a turn is left at most: exactly, where the number has few bits. */
static void whole_turns_go(void **state)
{
    (void)state;
    random_state r = random_seed(11, 1);
    for (size_t k = 0; k < 4000; k++) {
        const double far = ldexp(1, (int)random_below(&r, 40)), turns = far * (2 * random_unit(&r) - 1);
        const double x = k % 2 == 0 ? turns : nearbyint(32 * turns) / 32;
        const double left = fmod(4 * x, 4);
        const double want = left > 2 ? left - 4 : left < -2 ? left + 4 : left;
        double parts[3];
        wide w;
        exact_turns f;
        wide_set_double(EXACT_LIMBS, &w, x);
        turns_from_wide(&f, &w);
        plan_quarters(&f, 0, parts, 3);
        assert_true(parts[0] == want || (fabs(want) == 2 && parts[0] == -want));
        assert_true(parts[1] == 0 && parts[2] == 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes),
        cmocka_unit_test(columns),
        cmocka_unit_test(numbers),
        cmocka_unit_test(more_numbers),
        cmocka_unit_test(more_coordinates),
        cmocka_unit_test(more_amplitudes),
        cmocka_unit_test(more_is_copied),
        cmocka_unit_test(tones_alone_and_in_a_list),
        cmocka_unit_test(sizes_far_apart),
        cmocka_unit_test(no_tones),
        cmocka_unit_test(what_a_plan_says),
        cmocka_unit_test(theta),
        cmocka_unit_test(too_little_room),
        cmocka_unit_test(what_is_refused),
        cmocka_unit_test(copies_its_input),
        cmocka_unit_test(types_do_not_change_bytes),
        cmocka_unit_test(whole_turns_go),
    };
    return cmocka_run_group_tests_name("plan", tests, NULL, NULL);
}
