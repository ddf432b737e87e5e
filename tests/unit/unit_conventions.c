/* sinpos_conventions.h: parameters, what encodings refuse, rows. */
#include <ctype.h>
#include <fenv.h>
#include <math.h>

#include "environment.h"
#include "parameters.h"
#include "sinpos_conventions.h"
#include "size.h"
#include "unit.h"

enum { COLUMNS = 64, ROWS = 48, GAP = 3 };
static double memory[4][ROWS * (COLUMNS + GAP)];

static void put_list(sinpos_parameters *p, const char *name, const double *values, size_t n_dims, const size_t *shape)
{
    assert_int_equal(sinpos_parameters_set_list(p, name, values, n_dims, shape), SINPOS_OK);
}

/* Takes the parameters. */
static sinpos_encoding *make(const char *name, sinpos_parameters *p, unsigned types)
{
    sinpos_error error = SINPOS_ERROR_INIT;
    sinpos_encoding *e = NULL;
    if (sinpos_encoding_create(&e, name, p, types, &error) != SINPOS_OK)
        fail_msg("%s: %s", name, error.message);
    assert_string_equal(error.message, "");
    sinpos_parameters_destroy(p);
    return e;
}

/* Takes the parameters. The message has all that the list names. */
static void refused(const char *name, sinpos_parameters *p, sinpos_status want, const char *const *parts)
{
    sinpos_error error = SINPOS_ERROR_INIT;
    sinpos_encoding *e = (sinpos_encoding *)(uintptr_t)0x10;
    const sinpos_status status = sinpos_encoding_create(&e, name, p, 0, &error);
    assert_or_say(status == want, "%s: %s: '%s'", name, sinpos_strerror(status), error.message);
    assert_null(e);
    for (; *parts != NULL; parts++)
        assert_or_say(strstr(error.message, *parts) != NULL, "'%s' does not say '%s'", error.message, *parts);
    assert_null(strchr(error.message, '\n'));
    assert_int_equal(sinpos_encoding_create(&e, name, p, 0, NULL), want);
    sinpos_parameters_destroy(p);
}

static sinpos_parameters *whisper(double length, double channels)
{
    sinpos_parameters *p = new_parameters();
    put_number(p, "length", length);
    put_number(p, "channels", channels);
    return p;
}

/* -------------------------------------------------------------------------------------------------- Parameters */

static void parameters_refused(void **state)
{
    (void)state;
    sinpos_parameters *p = new_parameters();
    const double x = 1, bad = NAN;
    const size_t one = 1, nine[9] = {1, 1, 1, 1, 1, 1, 1, 1, 1}, huge[2] = {SIZE_MAX / 2, 3};
    assert_int_equal(sinpos_parameters_create(NULL), SINPOS_E_NULL);
    sinpos_parameters_destroy(NULL);
    assert_int_equal(sinpos_parameters_set_null(NULL, "a"), SINPOS_E_NULL);
    assert_int_equal(sinpos_parameters_set_null(p, NULL), SINPOS_E_NULL);
    assert_int_equal(sinpos_parameters_set_flag(NULL, "a", 1), SINPOS_E_NULL);
    assert_int_equal(sinpos_parameters_set_flag(p, NULL, 1), SINPOS_E_NULL);
    assert_int_equal(sinpos_parameters_set_number(NULL, "a", 1), SINPOS_E_NULL);
    assert_int_equal(sinpos_parameters_set_number(p, NULL, 1), SINPOS_E_NULL);
    assert_int_equal(sinpos_parameters_set_text(NULL, "a", "b"), SINPOS_E_NULL);
    assert_int_equal(sinpos_parameters_set_text(p, NULL, "b"), SINPOS_E_NULL);
    assert_int_equal(sinpos_parameters_set_text(p, "a", NULL), SINPOS_E_NULL);
    assert_int_equal(sinpos_parameters_set_list(NULL, "a", &x, 1, &one), SINPOS_E_NULL);
    assert_int_equal(sinpos_parameters_set_list(p, NULL, &x, 1, &one), SINPOS_E_NULL);
    assert_int_equal(sinpos_parameters_set_list(p, "a", NULL, 1, &one), SINPOS_E_NULL);
    assert_int_equal(sinpos_parameters_set_list(p, "a", &x, 1, NULL), SINPOS_E_NULL);
    assert_int_equal(sinpos_parameters_set_number(p, "a", bad), SINPOS_E_VALUE);
    assert_int_equal(sinpos_parameters_set_number(p, "a", HUGE_VAL), SINPOS_E_VALUE);
    assert_int_equal(sinpos_parameters_set_list(p, "a", &bad, 1, &one), SINPOS_E_VALUE);
    for (size_t k = 0; k < 9; k++) {
        static const double wrong[3] = {NAN, HUGE_VAL, -HUGE_VAL};
        const size_t square[2] = {3, 3};
        double items[9] = {0};
        items[k] = wrong[k % 3];
        assert_int_equal(sinpos_parameters_set_list(p, "a", items, 2, square), SINPOS_E_VALUE);
    }
    assert_int_equal(sinpos_parameters_set_list(p, "a", &x, 0, &one), SINPOS_E_SHAPE);
    assert_int_equal(sinpos_parameters_set_list(p, "a", &x, 9, nine), SINPOS_E_SHAPE);
    assert_int_equal(sinpos_parameters_set_list(p, "a", &x, 2, huge), SINPOS_E_SHAPE);
    sinpos_encoding_destroy(make("whisper_sinusoids", whisper(2, 8), 0));
    sinpos_parameters_destroy(p);
}

/* Names and values are copied, and the last of several counts, whatever its kind. */
static void parameters_replaced(void **state)
{
    (void)state;
    sinpos_parameters *p = whisper(1, 2);
    const double items[2] = {1, 2};
    const size_t two = 2;
    char name[] = "channels";
    put_number(p, name, 16);
    name[0] = 'x';
    assert_int_equal(sinpos_parameters_set_text(p, "length", "long"), SINPOS_OK);
    put_list(p, "length", items, 1, &two);
    assert_int_equal(sinpos_parameters_set_null(p, "length"), SINPOS_OK);
    assert_int_equal(sinpos_parameters_set_flag(p, "length", 7), SINPOS_OK);
    put_number(p, "length", 5);
    sinpos_encoding *e = make("whisper_sinusoids", p, 0);
    const sinpos_encoding_info *info = sinpos_encoding_info_get(e);
    assert_int_equal(info->n_rows, 5);
    assert_int_equal(info->n_columns, 16);
    sinpos_encoding_destroy(e);
}

/* The last size is that of coordinates; the others lead the shape of the result. */
static void lists_of_eight(void **state)
{
    (void)state;
    const size_t shape[8] = {1, 2, 1, 1, 3, 1, 2, 1}, none[2] = {0, 1};
    double items[12];
    for (size_t k = 0; k < 12; k++)
        items[k] = (double)(k * k);
    sinpos_parameters *p = whisper(1, 8);
    put_list(p, "positions", items, 8, shape);
    sinpos_encoding *e = make("whisper_sinusoids", p, 0);
    const sinpos_encoding_info *info = sinpos_encoding_info_get(e);
    assert_int_equal(info->n_rows, 12);
    assert_int_equal(info->n_dims, 8);
    for (size_t k = 0; k < 7; k++)
        assert_int_equal(info->shape[k], shape[k]);
    assert_int_equal(info->shape[7], 8);
    sinpos_encoding_destroy(e);
    p = whisper(1, 8);
    put_list(p, "positions", NULL, 2, none);
    sinpos_encoding_destroy(make("whisper_sinusoids", p, 0));
}

/* Case, underscores and hyphens do not count in names, and rotary is rope. */
static void spellings(void **state)
{
    (void)state;
    for (size_t k = 0; k < sinpos_conventions_count(); k++) {
        const sinpos_convention *c = sinpos_convention_at(k);
        const char *rope = strstr(sinpos_convention_name(c), "rope");
        char upper[80], hyphens[80], together[80] = "", rotary[160];
        for (size_t i = 0; i <= strlen(sinpos_convention_name(c)); i++) {
            upper[i] = (char)toupper((unsigned char)sinpos_convention_name(c)[i]);
            hyphens[i] = (char)(sinpos_convention_name(c)[i] == '_' ? '-' : sinpos_convention_name(c)[i]);
            if (sinpos_convention_name(c)[i] != '_')
                together[strlen(together)] = sinpos_convention_name(c)[i]; /* the rest is zeros */
        }
        snprintf(rotary, sizeof rotary, "%.*s%s%s", (int)(rope == NULL ? 0 : rope - sinpos_convention_name(c)),
                 sinpos_convention_name(c), rope == NULL ? sinpos_convention_name(c) : "rotary",
                 rope == NULL ? "" : rope + strlen("rope"));
        assert_ptr_equal(sinpos_convention_find(upper), c);
        assert_ptr_equal(sinpos_convention_find(hyphens), c);
        assert_ptr_equal(sinpos_convention_find(together), c);
        assert_ptr_equal(sinpos_convention_find(rotary), c);
    }
    assert_null(sinpos_convention_find("-_"));
    assert_null(sinpos_convention_find("whisper sinusoids"));
}

/* Parameters of a role, and whether one of them has its very name. */
static size_t count_of_role(const sinpos_convention *c, const char *role, bool *is_name)
{
    size_t n = 0;
    *is_name = false;
    for (size_t i = 0; i < sinpos_convention_parameters(c); i++) {
        n += strcmp(sinpos_convention_parameter(c, i, "role"), role) == 0;
        *is_name = *is_name || strcmp(sinpos_convention_parameter(c, i, "name"), role) == 0;
    }
    return n;
}

/* A usual word stands for the parameter of its role, where there is one alone. */
static void usual_words(void **state)
{
    (void)state;
    static const char *const roles[] = {"dim", "base", "grid"};
    size_t n_several = 0, n_one = 0;
    for (size_t k = 0; k < 3 * sinpos_conventions_count(); k++) {
        const sinpos_convention *c = sinpos_convention_at(k / 3);
        const char *role = roles[k % 3];
        bool is_name;
        const size_t n = count_of_role(c, role, &is_name);
        if (is_name || sinpos_convention_text(c, "apart") != NULL)
            continue;
        sinpos_error error = SINPOS_ERROR_INIT;
        sinpos_encoding *e = NULL;
        sinpos_parameters *p = new_parameters();
        put_number(p, role, 6);
        const sinpos_status status = sinpos_encoding_create(&e, sinpos_convention_name(c), p, 0, &error);
        const bool is_unknown = strstr(error.message, "has no parameter") != NULL;
        assert_or_say(is_unknown == (n != 1), "%s: %s: '%s'", sinpos_convention_name(c), role, error.message);
        assert_true(!is_unknown || (status == SINPOS_E_NAME && strcmp(error.name, role) == 0));
        n_several += n > 1;
        n_one += n == 1;
        sinpos_encoding_destroy(e);
        sinpos_parameters_destroy(p);
    }
    assert_true(n_several > 0 && n_one > 0);
}

/* Columns are counted. */
static void widths_are_whole(void **state)
{
    (void)state;
    static const double wrong[] = {0.5, 2.5, 8.5, 63.999999999999993, -8};
    size_t n_refused = 0;
    for (size_t k = 0; k < sinpos_conventions_count(); k++) {
        const sinpos_convention *c = sinpos_convention_at(k);
        for (size_t i = 0; i < sinpos_convention_parameters(c) && sinpos_convention_text(c, "apart") == NULL; i++) {
            sinpos_error error = SINPOS_ERROR_INIT;
            sinpos_encoding *e;
            sinpos_parameters *p = new_parameters();
            put_number(p, sinpos_convention_parameter(c, i, "name"), wrong[k % 5]);
            if (strcmp(sinpos_convention_parameter(c, i, "role"), "dim") == 0) {
                assert_int_equal(sinpos_encoding_create(&e, sinpos_convention_name(c), p, 0, &error), SINPOS_E_VALUE);
                assert_or_say(strstr(error.message, "whole number") != NULL ||
                                  strstr(error.message, "negative") != NULL ||
                                  strstr(error.message, "needs a value") != NULL,
                              "%s: '%s'", sinpos_convention_name(c), error.message);
                n_refused++;
            }
            sinpos_parameters_destroy(p);
        }
    }
    assert_true(n_refused > 50);
}

/* ------------------------------------------------------------------------------------------- What is refused */

static void creation_refused(void **state)
{
    (void)state;
    sinpos_encoding *e;
    assert_int_equal(sinpos_encoding_create(NULL, "whisper", NULL, 0, NULL), SINPOS_E_NULL);
    assert_int_equal(sinpos_encoding_create(&e, NULL, NULL, 0, NULL), SINPOS_E_NULL);
    refused("no such thing", new_parameters(), SINPOS_E_NAME, (const char *[]){"no convention", NULL});
    sinpos_parameters *p = whisper(3, 8);
    put_number(p, "chanels", 8);
    refused("whisper_sinusoids", p, SINPOS_E_NAME,
            (const char *[]){"no parameter 'chanels'", "length", "channels", "max_timescale", NULL});
    refused("sam_random_fourier", new_parameters(), SINPOS_E_VALUE,
            (const char *[]){"sam_random_fourier needs a value for positional_encoding_gaussian_matrix", NULL});
    p = whisper(3, 7);
    refused("whisper_sinusoids", p, SINPOS_E_VALUE, (const char *[]){"even", NULL});
    p = whisper(3, 8);
    assert_int_equal(sinpos_parameters_set_text(p, "max_timescale", "much"), SINPOS_OK);
    refused("whisper_sinusoids", p, SINPOS_E_VALUE, (const char *[]){"max_timescale must be a number", NULL});
    p = whisper(3, 8);
    assert_int_equal(sinpos_parameters_set_text(p, "output", "cis"), SINPOS_OK);
    refused("whisper_sinusoids", p, SINPOS_E_VALUE, (const char *[]){"not rotary", NULL});
}

/* At once, and with a message that has a number in it. */
static void sizes_refused(void **state)
{
    (void)state;
    static const double sizes[] = {4194304, 4294967296, 1e15, 0x1p53, 1e300, -2};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        sinpos_error error = SINPOS_ERROR_INIT;
        sinpos_encoding *e = NULL;
        sinpos_parameters *p = whisper(3, sizes[k]);
        const sinpos_status status = sinpos_encoding_create(&e, "whisper_sinusoids", p, 0, &error);
        assert_true(status == SINPOS_E_SHAPE || status == SINPOS_E_VALUE);
        assert_non_null(strpbrk(error.message, "0123456789"));
        sinpos_parameters_destroy(p);
    }
    sinpos_encoding *e = make("whisper_sinusoids", whisper(1e15, 8), 0); /* rows that follow each other need no list */
    double row[8];
    assert_int_equal(sinpos_encoding_info_get(e)->n_rows, (size_t)1e15);
    assert_int_equal(sinpos_encoding_fill(e, (size_t)1e15 - 1, 1, SINPOS_F64, row, 8, 1), SINPOS_OK);
    sinpos_encoding_destroy(e);
}

/* With nothing given, every convention is made or says in one line what it lacks. */
static void every_convention(void **state)
{
    (void)state;
    size_t made = 0;
    for (size_t k = 0; k < sinpos_conventions_count(); k++) {
        const sinpos_convention *c = sinpos_convention_at(k);
        sinpos_error error = SINPOS_ERROR_INIT;
        sinpos_encoding *e = NULL;
        const sinpos_status status = sinpos_encoding_create(&e, sinpos_convention_name(c), NULL, SINPOS_F32, &error);
        assert_ptr_equal(sinpos_convention_find(sinpos_convention_name(c)), c);
        assert_true((status == SINPOS_OK) == (e != NULL) && (e != NULL) == (error.message[0] == '\0'));
        assert_null(strchr(error.message, '\n'));
        if (status != SINPOS_OK && status != SINPOS_E_VALUE && status != SINPOS_E_UNSUPPORTED)
            fail_msg("%s: %s: %s", sinpos_convention_name(c), sinpos_strerror(status), error.message);
        if (e != NULL)
            assert_ptr_equal(sinpos_encoding_info_get(e)->convention, c);
        made += status == SINPOS_OK;
        sinpos_encoding_destroy(e);
    }
    assert_true(made > 0);
    assert_null(sinpos_convention_at(sinpos_conventions_count()));
    assert_null(sinpos_convention_find(NULL));
}

/* Arithmetic as published is refused where no frequencies are recorded, and then nothing else is recorded either. */
static void published_where_recorded(void **state)
{
    (void)state;
    size_t n_unknown = 0;
    for (size_t k = 0; k < sinpos_conventions_count(); k++) {
        const sinpos_convention *c = sinpos_convention_at(k);
        if (sinpos_convention_text(c, "published_theta") != NULL)
            continue;
        assert_true(sinpos_convention_text(c, "published_angle") == NULL &&
                    sinpos_convention_text(c, "published_element") == NULL &&
                    sinpos_convention_text(c, "published_product") == NULL);
        sinpos_parameters *p = new_parameters();
        sinpos_encoding *e = NULL;
        assert_int_equal(sinpos_parameters_set_text(p, "arithmetic", "published"), SINPOS_OK);
        assert_int_equal(sinpos_encoding_create(&e, sinpos_convention_name(c), p, 0, NULL), SINPOS_E_UNSUPPORTED);
        assert_null(e);
        sinpos_parameters_destroy(p);
        n_unknown += sinpos_convention_text(c, "apart") == NULL;
    }
    assert_true(n_unknown > 0);
}

/* Every convention, output, arithmetic and type: what is refused is refused before anything is written. */
static void refused_before_writing(void **state)
{
    (void)state;
    enum { BYTES = 1 << 19 };
    static unsigned char out[BYTES], before[BYTES];
    size_t n_refused = 0, n_made = 0;
    memset(before, 0x3c, BYTES);
    memset(out, 0x3c, BYTES);
    for (size_t k = 0; k < 2 * 8 * sinpos_conventions_count(); k += small_size() ? 29 : 1) {
        const sinpos_convention *c = sinpos_convention_at(k / 16);
        sinpos_parameters *p = new_parameters();
        sinpos_encoding *e = NULL;
        assert_int_equal(sinpos_parameters_set_text(p, "output", sinpos_output_name(k % 8)), SINPOS_OK);
        if (k % 16 >= 8)
            assert_int_equal(sinpos_parameters_set_text(p, "arithmetic", "published"), SINPOS_OK);
        if (sinpos_encoding_create(&e, sinpos_convention_name(c), p, 0, NULL) == SINPOS_OK) {
            const sinpos_encoding_info *info = sinpos_encoding_info_get(e);
            const size_t n = info->n_rows < 5 ? info->n_rows : 5,
                         width = info->head_width > info->n_columns ? info->head_width : info->n_columns;
            for (unsigned t = 0; t < N_TYPES && width * n * 8 <= BYTES; t++) {
                const sinpos_status statuses[] = {
                    sinpos_encoding_fill(e, 0, n, all_types[t], out, width, 1),
                    sinpos_encoding_add(e, 0, n, all_types[t], out, width, 1),
                    sinpos_encoding_rotate(e, 0, n < info->n_positions ? n : info->n_positions, SINPOS_FORWARD, 1,
                                           all_types[t], out, width, width, 1),
                };
                /* Each by itself, if one of them is refused. */
                for (int call = 0; call < 3; call++) {
                    if (statuses[call] == SINPOS_OK)
                        continue;
                    memset(out, 0x3c, BYTES);
                    const sinpos_status status =
                        call == 0   ? sinpos_encoding_fill(e, 0, n, all_types[t], out, width, 1)
                        : call == 1 ? sinpos_encoding_add(e, 0, n, all_types[t], out, width, 1)
                                    : sinpos_encoding_rotate(e, 0, n < info->n_positions ? n : info->n_positions,
                                                             SINPOS_FORWARD, 1, all_types[t], out, width, width, 1);
                    assert_int_equal(status, statuses[call]);
                    assert_or_say(memcmp(out, before, BYTES) == 0, "%s, %s, %s: call %d returns %s and has written",
                                  sinpos_convention_name(c), sinpos_output_name(k % 8), type_name(all_types[t]), call,
                                  sinpos_strerror(status));
                    n_refused++;
                }
                n_made++;
            }
            sinpos_encoding_destroy(e);
        }
        sinpos_parameters_destroy(p);
    }
    assert_true(n_made > (small_size() ? 50 : 1000) && n_refused > (small_size() ? 5 : 100));
}

/* The inverse of an amplitude 0 moves nothing, also where halves are made neighbours before they are turned. */
static void inverse_refused_before_moving(void **state)
{
    (void)state;
    static const char *const names[] = {"hf_rope", "hf_deepseek_v3_rope"};
    static float out[4 * 64], before[4 * 64];
    for (size_t k = 0; k < 2; k++) {
        sinpos_parameters *p = new_parameters();
        put_number(p, "override.amplitude", 0);
        put_number(p, "length", 4);
        put_number(p, "head_dim", 64);
        sinpos_encoding *e = make(names[k], p, 0);
        for (size_t i = 0; i < 4 * 64; i++)
            out[i] = before[i] = (float)i;
        assert_int_equal(sinpos_encoding_rotate(e, 0, 4, SINPOS_INVERSE, 1, SINPOS_F32, out, 64, 64, 1),
                         SINPOS_E_VALUE);
        assert_memory_equal(out, before, sizeof out);
        sinpos_encoding_destroy(e);
    }
}

/* -------------------------------------------------------------------------------------------------------- Rows */

static sinpos_parameters *with_numbers(const char *const *names, const double *values)
{
    sinpos_parameters *p = new_parameters();
    for (size_t k = 0; names[k] != NULL; k++)
        put_number(p, names[k], values[k]);
    return p;
}

/* All that have coordinates, and none behind them: rows of zeros have none. */
static void positions_that_are_there(void **state)
{
    (void)state;
    static const struct {
        const char *name, *parameters[5];
        double values[4];
        size_t n;
    } all[] = {
        {"whisper_sinusoids", {"length", "channels"}, {10, 8}, 10},
        {"whisper_sinusoids", {"length", "channels", "start"}, {7, 8, 0.5}, 7},
        {"fairseq2_rotary_table", {"encoding_dim", "max_seq_len"}, {12, 9}, 9}, /* after a row of zeros */
        {"diffusers_sincos_2d", {"embed_dim", "grid_size", "cls_token", "extra_tokens"}, {8, 3, 1, 2}, 9},
        {"hf_llama4_vision_rope", {"head_dim", "image_size"}, {16, 42}, 10}, /* and one that stays still */
    };
    double at[2 * 10];
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        sinpos_encoding *e = make(all[k].name, with_numbers(all[k].parameters, all[k].values), 0);
        const size_t n_there = all[k].n;
        const size_t some[] = {0, 1, 2, n_there - 1, n_there, n_there + 1, n_there + 2, SIZE_MAX / 2, SIZE_MAX};
        for (size_t i = 0; i < 81; i++) {
            const size_t first = some[i / 9], n = some[i % 9];
            const sinpos_status want = first <= n_there && n <= n_there - first ? SINPOS_OK : SINPOS_E_RANGE;
            sinpos_rows rows = SINPOS_ROWS_INIT;
            assert_int_equal(sinpos_encoding_positions(e, first, n, &rows), want);
            assert_true(want != SINPOS_OK || rows.n == n);
            assert_int_equal(sinpos_encoding_coordinates(e, first, n, at), want);
        }
        sinpos_encoding_destroy(e);
    }
}

/* Rows in steps are those of the positions that the steps lead to. */
static void steps_are_positions(void **state)
{
    (void)state;
    enum { N = 9, DIM = 8 };
    static const double starts[] = {0, 1, 0.5, -0.5, 0.25, -3.75, 1.9375, -1000000.5, 7},
                        steps[] = {1, 0.5, 2, -1, 0.75};
    const size_t n = N;
    double list[N], at[N], got[N * DIM], want[N * DIM];
    for (size_t k = 0; k < sizeof starts / sizeof *starts * (sizeof steps / sizeof *steps); k++) {
        const double start = starts[k / 5], step = steps[k % 5];
        for (size_t i = 0; i < N; i++)
            list[i] = start + step * (double)i;
        sinpos_parameters *p = whisper(N, DIM), *given = whisper(1, DIM);
        put_number(p, "start", start);
        put_number(p, "step", step);
        put_list(given, "positions", list, 1, &n);
        sinpos_encoding *e = make("whisper_sinusoids", p, 0), *listed = make("whisper_sinusoids", given, 0);
        assert_int_equal(sinpos_encoding_coordinates(e, 0, N, at), SINPOS_OK);
        assert_memory_equal(at, list, sizeof at);
        assert_int_equal(sinpos_encoding_fill(e, 0, N, SINPOS_F64, got, DIM, 1), SINPOS_OK);
        assert_int_equal(sinpos_encoding_fill(listed, 0, N, SINPOS_F64, want, DIM, 1), SINPOS_OK);
        assert_memory_equal(got, want, sizeof got);
        sinpos_encoding_destroy(e);
        sinpos_encoding_destroy(listed);
    }
}

static void arguments(void **state)
{
    (void)state;
    sinpos_encoding *e = make("whisper_sinusoids", whisper(10, 8), SINPOS_F32);
    float x[10 * 8];
    set_pattern(x, sizeof x);
    assert_int_equal(sinpos_encoding_fill(NULL, 0, 1, SINPOS_F32, x, 8, 1), SINPOS_E_NULL);
    assert_int_equal(sinpos_encoding_fill(e, 0, 1, SINPOS_F32, NULL, 8, 1), SINPOS_E_NULL);
    assert_int_equal(sinpos_encoding_add(NULL, 0, 1, SINPOS_F32, x, 8, 1), SINPOS_E_NULL);
    assert_int_equal(sinpos_encoding_fill(e, 0, 1, SINPOS_F64, x, 8, 1), SINPOS_E_TYPE);
    assert_int_equal(sinpos_encoding_fill(e, 0, 1, (sinpos_type)3, x, 8, 1), SINPOS_E_TYPE);
    assert_int_equal(sinpos_encoding_fill(e, 0, 2, SINPOS_F32, x, 7, 1), SINPOS_E_SHAPE);
    assert_int_equal(sinpos_encoding_fill(e, 0, SIZE_MAX / 16, SINPOS_F32, x, 8, 1), SINPOS_E_SHAPE);
    assert_int_equal(sinpos_encoding_fill(e, 0, 11, SINPOS_F32, x, 8, 1), SINPOS_E_RANGE);
    assert_int_equal(sinpos_encoding_fill(e, 5, 6, SINPOS_F32, x, 8, 1), SINPOS_E_RANGE);
    assert_int_equal(sinpos_encoding_fill(e, 11, 0, SINPOS_F32, x, 8, 1), SINPOS_E_RANGE);
    assert_int_equal(sinpos_encoding_add(e, SIZE_MAX, 1, SINPOS_F32, x, 8, 1), SINPOS_E_RANGE);
    assert_true(is_pattern(x, sizeof x));
    assert_int_equal(sinpos_encoding_fill(e, 10, 0, SINPOS_F32, NULL, 8, 1), SINPOS_OK);
    assert_int_equal(sinpos_encoding_fill(e, 0, 0, SINPOS_F32, x, 8, 1), SINPOS_OK);
    assert_true(is_pattern(x, sizeof x));
    assert_null(sinpos_encoding_info_get(NULL));
    assert_null(sinpos_encoding_plan(NULL));
    sinpos_rows rows = SINPOS_ROWS_INIT;
    assert_int_equal(sinpos_encoding_positions(NULL, 0, 1, &rows), SINPOS_E_NULL);
    assert_int_equal(sinpos_encoding_positions(e, 0, 1, NULL), SINPOS_E_NULL);
    assert_int_equal(sinpos_encoding_positions(e, 9, 2, &rows), SINPOS_E_RANGE);
    assert_int_equal(sinpos_encoding_coordinates(e, 0, 1, NULL), SINPOS_E_NULL);
    sinpos_encoding_destroy(e);
}

/* In one piece, in several, by four threads, with room between rows, and added: the same numbers. */
static void same_rows(sinpos_encoding *e, const char *what)
{
    const sinpos_encoding_info *info = sinpos_encoding_info_get(e);
    const size_t n = info->n_rows, columns = info->n_columns, ld = columns + GAP;
    assert_true(n > 1 && n <= ROWS && columns <= COLUMNS);
    for (size_t t = 0; t < N_TYPES; t++) {
        const sinpos_type type = all_types[t];
        const size_t size = type_size(type), bytes = n * ld * size;
        char *const whole = (char *)memory[0], *const other = (char *)memory[1];
        set_pattern(memory, sizeof memory);
        assert_int_equal(sinpos_encoding_fill(e, 0, n, type, whole, ld, 1), SINPOS_OK);
        for (size_t i = 0; i < n; i++)
            assert_true(is_pattern(whole + (i * ld + columns) * size, GAP * size));
        assert_int_equal(sinpos_encoding_fill(e, 0, n, type, other, ld, 4), SINPOS_OK);
        assert_memory_equal(whole, other, bytes);
        set_pattern(other, bytes);
        for (size_t done = 0, now; done < n; done += now) {
            now = 1 + done % 5 < n - done ? 1 + done % 5 : n - done;
            assert_int_equal(sinpos_encoding_fill(e, done, now, type, other + done * ld * size, ld, 1), SINPOS_OK);
        }
        assert_or_say(memcmp(whole, other, bytes) == 0, "%s %s: pieces are not the whole", what, type_name(type));
        memset(other, 0, bytes); /* to zero: the rows themselves, except for what is beside them */
        assert_int_equal(sinpos_encoding_add(e, 0, n, type, other, ld, 4), SINPOS_OK);
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < columns; j++)
                assert_or_say(load_bits(whole, type, i * ld + j) == load_bits(other, type, i * ld + j),
                              "%s %s: row %zu column %zu is added as another number", what, type_name(type), i, j);
        for (size_t i = 0; i < n; i++) /* to one: two exact numbers, rounded once */
            for (size_t j = 0; j < columns && type == SINPOS_F64; j++)
                memory[1][i * ld + j] = 1;
        if (type != SINPOS_F64)
            continue;
        assert_int_equal(sinpos_encoding_add(e, 0, n, type, other, ld, 1), SINPOS_OK);
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < columns; j++)
                assert_true(memory[1][i * ld + j] == 1 + memory[0][i * ld + j]);
    }
    sinpos_encoding_destroy(e);
}

/* Rows that follow each other, rows of zeros first and among others, rows that stay still, two tables in one. */
static void kinds_of_rows(void **state)
{
    (void)state;
    static const struct {
        const char *name, *parameters[5];
        double values[4];
    } all[] = {
        {"whisper_sinusoids", {"length", "channels"}, {40, 16}},
        {"fairseq_sinusoidal", {"num_embeddings", "embedding_dim", "padding_idx"}, {40, 15, 1}},
        {"diffusers_sincos_2d", {"embed_dim", "grid_size", "cls_token", "extra_tokens"}, {16, 5, 1, 2}},
        {"hf_llama4_vision_rope", {"head_dim", "image_size"}, {16, 70}},
        {"fairseq2_rotary_table", {"encoding_dim", "max_seq_len"}, {12, 20}},
        {"llama_reference_cis", {"dim", "end"}, {12, 20}},
    };
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        same_rows(make(all[k].name, with_numbers(all[k].parameters, all[k].values), 0), all[k].name);
}

/* Columns before the grid, whose rows are those of the result; and coordinates as columns. */
static void columns_first_and_raw(void **state)
{
    (void)state;
    static const size_t shape[2] = {6, 7}, points[2] = {4, 3};
    static double mask[42], x[12];
    sinpos_parameters *p = new_parameters();
    for (size_t i = 0; i < 42; i++)
        mask[i] = i % 7 == 6 || i >= 35;
    for (size_t i = 0; i < 12; i++)
        x[i] = 0.37 * (double)i - 2;
    put_number(p, "num_pos_feats", 8);
    put_list(p, "mask", mask, 2, shape);
    sinpos_encoding *e = make("detr_sine", p, 0);
    const sinpos_encoding_info *info = sinpos_encoding_info_get(e);
    assert_true(info->is_channel_first);
    assert_int_equal(info->n_rows, 16);
    assert_int_equal(info->n_columns, 42);
    same_rows(e, "detr_sine");
    p = new_parameters();
    put_number(p, "num_freqs", 4);
    put_list(p, "x", x, 2, points);
    e = make("nerf_tf", p, 0);
    assert_int_equal(sinpos_encoding_info_get(e)->n_raw_columns, 3);
    double row[27];
    assert_int_equal(sinpos_encoding_fill(e, 1, 1, SINPOS_F64, row, 27, 1), SINPOS_OK);
    assert_memory_equal(row, x + 3, sizeof *x * 3);
    same_rows(e, "nerf_tf");
}

enum { CELLS = 680, CHANNELS = 16 };

/* Columns before the grid are the table of the other encoding, rows and columns exchanged; frees both. */
static void check_exchanged(sinpos_encoding *columns_first, sinpos_encoding *table, size_t n_cells, sinpos_type type)
{
    enum { LD = CELLS + GAP, FIRST = 3, SOME = 5 };
    static double got[CHANNELS * LD], want[CELLS * CHANNELS];
    const size_t ld = n_cells + GAP;
    const sinpos_encoding_info *info = sinpos_encoding_info_get(columns_first);
    assert_true(info->is_channel_first && info->n_rows == CHANNELS && info->n_columns == n_cells && n_cells <= CELLS);
    assert_int_equal(sinpos_encoding_info_get(table)->n_columns, CHANNELS);
    assert_int_equal(sinpos_encoding_fill(table, 0, n_cells, type, want, CHANNELS, 1), SINPOS_OK);
    assert_int_equal(sinpos_encoding_fill(columns_first, 0, CHANNELS, type, got, ld, 2), SINPOS_OK);
    for (size_t i = 0; i < CHANNELS * n_cells; i++) {
        const size_t channel = i / n_cells, cell = i % n_cells;
        assert_or_say(load_bits(got, type, channel * ld + cell) == load_bits(want, type, cell * CHANNELS + channel),
                      "channel %zu of cell %zu", channel, cell);
    }
    memset(got, 0, sizeof got);
    assert_int_equal(sinpos_encoding_add(columns_first, FIRST, SOME, type, got, ld, 1), SINPOS_OK);
    for (size_t i = 0; i < SOME * n_cells; i++) {
        const size_t channel = i / n_cells, cell = i % n_cells;
        const uint64_t x = load_bits(want, type, cell * CHANNELS + FIRST + channel);
        const uint64_t minus_zero = (uint64_t)1 << (8 * type_size(type) - 1);
        assert_true(load_bits(got, type, channel * ld + cell) == (x == minus_zero ? 0 : x));
    }
    sinpos_encoding_destroy(columns_first);
    sinpos_encoding_destroy(table);
}

static sinpos_encoding *make_detr(const char *name, const char *dim, int valid, int normalize, const char *arithmetic)
{
    static double mask[CELLS];
    static const size_t shape[2] = {17, CELLS / 17};
    sinpos_parameters *p = new_parameters();
    for (size_t i = 0; i < CELLS; i++)
        mask[i] = i % shape[1] < 37 && i / shape[1] < 15 ? valid : !valid;
    put_number(p, dim, CHANNELS / 2);
    put_list(p, "mask", mask, 2, shape);
    assert_int_equal(sinpos_parameters_set_flag(p, "normalize", normalize), SINPOS_OK);
    assert_int_equal(sinpos_parameters_set_text(p, "arithmetic", arithmetic), SINPOS_OK);
    return make(name, p, 0);
}

/* DETR has columns first, and a 1 where Transformers, with rows first, has a 0. */
static void many_cells_behind_columns(void **state)
{
    (void)state;
    for (unsigned k = 0; k < 2 * 2 * N_TYPES; k++) {
        const char *arithmetic = k % 2 == 0 ? "exact" : "published";
        const int normalize = k / 2 % 2;
        check_exchanged(make_detr("detr_sine", "num_pos_feats", 0, normalize, arithmetic),
                        make_detr("hf_detr", "num_position_features", 1, normalize, arithmetic), CELLS,
                        all_types[k / 4]);
    }
}

/* Frequencies of x and y together: a grid is as the list of the middles of its cells. */
static void mixed_coordinates_of_a_grid(void **state)
{
    (void)state;
    static const double sizes[][2] = {{16, 32}, {32, 16}, {1, 512}, {4, 4}, {8, 2}};
    static const size_t two = 2, of_matrix[2] = {2, CHANNELS / 2};
    static double matrix[CHANNELS], points[2 * CELLS];
    for (size_t i = 0; i < CHANNELS; i++)
        matrix[i] = 0.37 * (double)i - 2.1;
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        const double height = sizes[k][0], width = sizes[k][1];
        const size_t n = (size_t)(height * width), shape[2] = {n, 2}, across = (size_t)width;
        for (size_t i = 0; i < n; i++) { /* exact: sizes are powers of 2 */
            points[2 * i] = (2 * (double)(i % across) + 1) / width - 1;
            points[2 * i + 1] = (2 * (double)(i / across) + 1) / height - 1;
        }
        sinpos_parameters *grid = new_parameters(), *given = new_parameters();
        put_list(grid, "positional_encoding_gaussian_matrix", matrix, 2, of_matrix);
        put_list(grid, "size", sizes[k], 1, &two);
        put_list(given, "positional_encoding_gaussian_matrix", matrix, 2, of_matrix);
        put_list(given, "positions", points, 2, shape);
        check_exchanged(make("sam_random_fourier", grid, 0), make("sam_random_fourier", given, 0), n, SINPOS_F64);
    }
}

/* SAM moves both coordinates of a point by -1: no more than whole turns where the two frequencies add up to a number. */
static void mixed_coordinates_moved(void **state)
{
    (void)state;
    enum { N = 12, WAVES = CHANNELS / 2 };
    static const size_t of_matrix[2] = {2, WAVES}, shape[2] = {N, 2};
    double matrix[2 * WAVES], points[2 * N], doubled[2 * N], got[N * CHANNELS], want[N * CHANNELS];
    for (size_t i = 0; i < WAVES; i++) {
        matrix[i] = (double)(2 * i + 1) * 0.046875 - 1;
        matrix[WAVES + i] = (double)i - matrix[i];
    }
    for (int exact = 0; exact < 4; exact++) { /* of x, of y: is the middle taken from it without a rounding? */
        for (size_t i = 0; i < 2 * (size_t)N; i++) {
            points[i] = (exact >> i % 2 & 1) != 0 ? (double)i / 32 : (double)(i + 1) / 30;
            doubled[i] = 2 * points[i];
        }
        sinpos_parameters *p = new_parameters(), *given = new_parameters();
        put_list(p, "positional_encoding_gaussian_matrix", matrix, 2, of_matrix);
        put_list(p, "coords", points, 2, shape);
        put_list(given, "positional_encoding_gaussian_matrix", matrix, 2, of_matrix);
        put_list(given, "positions", doubled, 2, shape);
        sinpos_encoding *e = make("sam_random_fourier", p, 0), *other = make("sam_random_fourier", given, 0);
        assert_int_equal(sinpos_encoding_fill(e, 0, N, SINPOS_F64, got, CHANNELS, 1), SINPOS_OK);
        assert_int_equal(sinpos_encoding_fill(other, 0, N, SINPOS_F64, want, CHANNELS, 1), SINPOS_OK);
        for (size_t i = 0; i < (size_t)N * CHANNELS; i++)
            assert_true(got[i] == want[i]);
        sinpos_encoding_destroy(e);
        sinpos_encoding_destroy(other);
    }
}

/* Every frequency twice, as SAM 2 has them, is not a progression: the elements are those of a width half as large. */
static void repeated_frequencies(void **state)
{
    (void)state;
    enum { N = 6, ONCE = 8, TWICE = 16 };
    double got[N * TWICE], want[N * ONCE], at[N];
    const size_t n = N;
    sinpos_spec spec = SINPOS_SPEC_INIT;
    sinpos_plan *plan;
    sinpos_parameters *p = new_parameters();
    for (size_t i = 0; i < N; i++)
        at[i] = 12.75 * (double)(i * i);
    spec.dim = ONCE;
    spec.layout = SINPOS_HALVES;
    assert_int_equal(sinpos_plan_create(&plan, &spec), SINPOS_OK);
    assert_int_equal(sinpos_fill_real(plan, at, N, SINPOS_F64, want, ONCE), SINPOS_OK);
    put_number(p, "dim", TWICE);
    put_list(p, "pos", at, 1, &n);
    sinpos_encoding *e = make("hf_sam2_1d_sine", p, 0);
    assert_int_equal(sinpos_encoding_fill(e, 0, N, SINPOS_F64, got, TWICE, 1), SINPOS_OK);
    for (size_t i = 0; i < (size_t)N * TWICE; i++)
        assert_true(got[i] == want[i / 2]);
    sinpos_encoding_destroy(e);
    sinpos_plan_destroy(plan);
}

/* [P6]: as the caller rounds, and with subnormal numbers taken for zeros, the same bytes. */
static void rounding_modes_of_encodings(void **state)
{
    (void)state;
    static const int modes[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    static const char *const outputs[] = {"table", "angles", "inv_freq", "cos_sin"};
    static const size_t points[2] = {4, 3};
    static unsigned char out[2][2 * 8 * COLUMNS * 8];
    double x[12];
    for (size_t i = 0; i < 12; i++)
        x[i] = 0.37 * (double)i - 2;
    for (size_t k = 0; k < 8 * 4 * 2 * N_TYPES; k++) {
        const size_t mode = k % 8, output = k / 8 % 4, t = k / 64;
        fenv_t kept;
        sinpos_encoding *e;
        sinpos_parameters *p = new_parameters();
        unsigned char *place = out[mode > 0];
        if (output == 0) {
            put_number(p, "num_freqs", 4);
            put_list(p, "x", x, 2, points);
        } else {
            put_number(p, "head_dim", 16);
            put_number(p, "length", 4);
            assert_int_equal(sinpos_parameters_set_text(p, "output", outputs[output]), SINPOS_OK);
            assert_int_equal(sinpos_parameters_set_text(p, "arithmetic", k / 32 % 2 == 0 ? "exact" : "float32"),
                             SINPOS_OK);
        }
        set_pattern(place, sizeof out[0]);
        assert_int_equal(fegetenv(&kept), 0);
        if (mode >= 4)
            set_flush_to_zero();
        (void)fesetround(modes[mode % 4]);
        const unsigned long before = get_control();
        const sinpos_status made = sinpos_encoding_create(&e, output == 0 ? "nerf_tf" : "hf_rope", p, 0, NULL);
        const size_t n = made == SINPOS_OK ? sinpos_encoding_info_get(e)->n_rows : 0;
        const sinpos_status filled = sinpos_encoding_fill(e, 0, n, all_types[t], place, COLUMNS, 1);
        const sinpos_status added = sinpos_encoding_add(e, 0, n, all_types[t], place, COLUMNS, 1);
        const unsigned long after = get_control();
        (void)fesetenv(&kept);
        assert_true(made == SINPOS_OK && filled == SINPOS_OK && added == SINPOS_OK && n > 0 && n <= 8);
        assert_int_equal(control_only(before), control_only(after));
        assert_or_say(memcmp(out[mode > 0], out[0], sizeof out[0]) == 0, "%s %s: other bytes in rounding mode %zu",
                      outputs[output], type_name(all_types[t]), mode);
        sinpos_encoding_destroy(e);
        sinpos_parameters_destroy(p);
    }
}

/* Every third frequency: its columns as of the whole encoding, the others 0. */
static void sparse(void **state)
{
    enum { DIM = 60, EVERY = 3 };
    static const char *const names[] = {"vaswani", "tatp22"};
    double all[DIM], some[DIM];
    (void)state;
    for (size_t k = 0; k < 2; k++) {
        sinpos_encoding *e = NULL;
        sinpos_parameters *p = new_parameters();
        const sinpos_convention *c = sinpos_convention_find(names[k]);
        for (size_t i = 0; sinpos_convention_parameter(c, i, "name") != NULL; i++)
            if (strcmp(sinpos_convention_parameter(c, i, "role"), "dim") == 0)
                put_number(p, sinpos_convention_parameter(c, i, "name"), DIM);
        assert_int_equal(sinpos_encoding_create_sparse(&e, names[k], p, SINPOS_F64, EVERY, NULL), SINPOS_OK);
        sinpos_encoding *whole = make(names[k], p, SINPOS_F64);
        assert_int_equal(sinpos_encoding_fill(whole, 5, 1, SINPOS_F64, all, DIM, 1), SINPOS_OK);
        assert_int_equal(sinpos_encoding_fill(e, 5, 1, SINPOS_F64, some, DIM, 1), SINPOS_OK);
        for (size_t j = 0; j < DIM; j++) {
            const size_t i = j / 2;
            assert_true(some[j] == (i % EVERY == 0 || i == DIM / 2 - 1 ? all[j] : 0));
        }
        sinpos_encoding_destroy(whole);
        sinpos_encoding_destroy(e);
    }
}

static void sparse_refused(void **state)
{
    sinpos_parameters *p = whisper(4, 8);
    sinpos_error error = SINPOS_ERROR_INIT;
    sinpos_encoding *e = (sinpos_encoding *)(uintptr_t)0x10;
    (void)state;
    assert_int_equal(sinpos_encoding_create_sparse(&e, "whisper_sinusoids", p, 0, 0, &error), SINPOS_E_VALUE);
    assert_null(e);
    assert_int_equal(sinpos_parameters_set_text(p, "arithmetic", "published"), SINPOS_OK);
    assert_int_equal(sinpos_encoding_create_sparse(&e, "whisper_sinusoids", p, 0, 2, &error), SINPOS_E_UNSUPPORTED);
    assert_int_equal(sinpos_encoding_create_sparse(&e, "whisper_sinusoids", p, 0, 1, &error), SINPOS_OK);
    sinpos_encoding_destroy(e);
    sinpos_parameters_destroy(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parameters_refused),
        cmocka_unit_test(parameters_replaced),
        cmocka_unit_test(lists_of_eight),
        cmocka_unit_test(spellings),
        cmocka_unit_test(usual_words),
        cmocka_unit_test(widths_are_whole),
        cmocka_unit_test(creation_refused),
        cmocka_unit_test(sizes_refused),
        cmocka_unit_test(every_convention),
        cmocka_unit_test(published_where_recorded),
        cmocka_unit_test(refused_before_writing),
        cmocka_unit_test(inverse_refused_before_moving),
        cmocka_unit_test(arguments),
        cmocka_unit_test(positions_that_are_there),
        cmocka_unit_test(steps_are_positions),
        cmocka_unit_test(kinds_of_rows),
        cmocka_unit_test(columns_first_and_raw),
        cmocka_unit_test(many_cells_behind_columns),
        cmocka_unit_test(mixed_coordinates_of_a_grid),
        cmocka_unit_test(mixed_coordinates_moved),
        cmocka_unit_test(repeated_frequencies),
        cmocka_unit_test(rounding_modes_of_encodings),
        cmocka_unit_test(sparse),
        cmocka_unit_test(sparse_refused),
    };
    return cmocka_run_group_tests_name("conventions", tests, NULL, NULL);
}
