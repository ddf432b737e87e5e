/* boundary.c: sized structs, at every public function that takes one. The floating-point environment is tested in api/. */
#include "boundary.h"
#include "sinpos_conventions.h"
#include "sized.h"

enum { DIM = 8, ROWS = 5 };

static sinpos_plan *plan; /* cosines first: rotary */
static sinpos_replay *replay;
static sinpos_encoding *encoding;

static int make_all(void **state)
{
    (void)state;
    sinpos_spec spec = SINPOS_SPEC_INIT;
    spec.dim = DIM;
    spec.order = SINPOS_COS_SIN;
    sinpos_parameters *parameters = NULL;
    if (sinpos_plan_create(&plan, &spec) != SINPOS_OK || sinpos_replay_create(&replay, plan, "ggml") != SINPOS_OK ||
        sinpos_parameters_create(&parameters) != SINPOS_OK ||
        sinpos_parameters_set_number(parameters, "length", ROWS) != SINPOS_OK ||
        sinpos_parameters_set_number(parameters, "channels", DIM) != SINPOS_OK ||
        sinpos_encoding_create(&encoding, "whisper_sinusoids", parameters, 0, NULL) != SINPOS_OK)
        return 1;
    sinpos_parameters_destroy(parameters);
    return 0;
}

static int free_all(void **state)
{
    (void)state;
    sinpos_plan_destroy(plan);
    sinpos_replay_destroy(replay);
    sinpos_encoding_destroy(encoding);
    return 0;
}

/* ---------------------------------------------------------------------------------------------- What is read */

static sinpos_status run(void *rows, unsigned char *out)
{
    return sinpos_run(plan, SINPOS_FILL, rows, SINPOS_F32, out, DIM, 1);
}

static sinpos_status gradient_position(void *rows, unsigned char *out)
{
    return sinpos_gradient_position(plan, rows, SINPOS_F32, out, DIM);
}

static sinpos_status gradient_theta(void *rows, unsigned char *out)
{
    return sinpos_gradient_theta(plan, rows, SINPOS_F32, out, DIM);
}

static sinpos_status rotate(void *rows, unsigned char *out)
{
    return sinpos_rotate(plan, rows, SINPOS_FORWARD, 1, SINPOS_F32, out, DIM, DIM, 1);
}

static sinpos_status replay_run(void *rows, unsigned char *out)
{
    return sinpos_replay_run(replay, SINPOS_FILL, rows, SINPOS_F32, out, DIM, 1);
}

static sinpos_status replay_rotate(void *rows, unsigned char *out)
{
    return sinpos_replay_rotate(replay, rows, SINPOS_FORWARD, 1, SINPOS_F32, out, DIM, DIM, 1);
}

static void rows(void **state)
{
    (void)state;
    static const int64_t positions[ROWS] = {3, 1, 4, 1, 5};
    const sinpos_rows listed = {sizeof listed, ROWS, positions, NULL, 0}, first = {sizeof first, ROWS, NULL, NULL, -7};
    static const struct {
        const char *name;
        sized_call *call;
    } calls[] = {
        {"sinpos_run", run},
        {"sinpos_gradient_position", gradient_position},
        {"sinpos_gradient_theta", gradient_theta},
        {"sinpos_rotate", rotate},
        {"sinpos_replay_run", replay_run},
        {"sinpos_replay_rotate", replay_rotate},
    };
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        try_sizes(calls[i].name, &listed, sizeof listed, calls[i].call);
        try_sizes(calls[i].name, &first, sizeof first, calls[i].call);
    }
}

static sinpos_status fill_by(sinpos_plan *made, sinpos_status status, unsigned char *out)
{
    if (status == SINPOS_OK)
        status = sinpos_fill(made, 2, ROWS, SINPOS_F64, out, DIM);
    sinpos_plan_destroy(made);
    return status;
}

static sinpos_status plan_create(void *spec, unsigned char *out)
{
    sinpos_plan *made = NULL;
    const sinpos_status status = sinpos_plan_create(&made, spec);
    return fill_by(made, status, out);
}

static sinpos_status spec_check(void *spec, unsigned char *out)
{
    (void)out;
    return sinpos_spec_check(spec, NULL);
}

static sinpos_status spec_tones(void *spec, unsigned char *out)
{
    sinpos_tone tones[DIM / 2];
    const sinpos_status status = sinpos_spec_tones(spec, tones, DIM / 2);
    if (status == SINPOS_OK)
        memcpy(out, tones, sizeof tones);
    return status;
}

static void specifications(void **state)
{
    (void)state;
    static const double factors[DIM / 2] = {1, 2, 3, 4};
    static sinpos_spec spec = SINPOS_SPEC_INIT;
    spec.dim = DIM;
    spec.factor = factors;
    spec.n_factor = DIM / 2;
    try_sizes("sinpos_plan_create", &spec, sizeof spec, plan_create);
    try_sizes("sinpos_spec_check", &spec, sizeof spec, spec_check);
    try_sizes("sinpos_spec_tones", &spec, sizeof spec, spec_tones);
}

static sinpos_status plan_of_more(void *more, unsigned char *out)
{
    sinpos_plan *made = NULL;
    sinpos_tone tone = SINPOS_TONE_INIT;
    tone.value = 0.25;
    tone.sin_column = 0;
    tone.cos_column = 1;
    tone.more = more;
    const sinpos_status status = sinpos_plan_create_tones(&made, DIM, 2, &tone, 1, 0, NULL);
    static const double at[2 * ROWS] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
    const sinpos_status filled = status == SINPOS_OK ? sinpos_fill_real(made, at, ROWS, SINPOS_F64, out, DIM) : status;
    sinpos_plan_destroy(made);
    return filled;
}

static void more_of_tones(void **state)
{
    (void)state;
    const sinpos_listen listens[1] = {{.axis = 1, .coefficient = {0.5}, .divisor = 3}};
    static sinpos_tone_more more = SINPOS_TONE_MORE_INIT;
    more.phase[0] = 0x1p-80;
    more.listens = listens;
    more.n_listens = 1;
    try_sizes("sinpos_plan_create_tones", &more, sizeof more, plan_of_more);
}

/* ---------------------------------------------------------------------------------------------- What is written */

static sinpos_status check_bad_spec(void *error, unsigned char *out)
{
    sinpos_spec spec = SINPOS_SPEC_INIT;
    (void)out;
    spec.base = -1;
    const sinpos_status status = sinpos_spec_check(&spec, error);
    return status == SINPOS_E_SPEC ? SINPOS_OK : status;
}

static sinpos_status create_bad_tones(void *error, unsigned char *out)
{
    sinpos_plan *made = (sinpos_plan *)(uintptr_t)0x10;
    (void)out;
    sinpos_tone tone = SINPOS_TONE_INIT;
    tone.axis = 1;
    const sinpos_status status = sinpos_plan_create_tones(&made, DIM, 1, &tone, 1, 0, error);
    assert_null(made);
    return status == SINPOS_E_SPEC ? SINPOS_OK : status;
}

static sinpos_status create_unknown(void *error, unsigned char *out)
{
    sinpos_encoding *made = (sinpos_encoding *)(uintptr_t)0x10;
    (void)out;
    const sinpos_status status = sinpos_encoding_create(&made, "no such thing", NULL, 0, error);
    assert_null(made);
    return status == SINPOS_E_NAME ? SINPOS_OK : status;
}

static sinpos_status create_no_frequency(void *error, unsigned char *out)
{
    sinpos_encoding *made = (sinpos_encoding *)(uintptr_t)0x10;
    (void)out;
    const sinpos_status status = sinpos_encoding_create_sparse(&made, "whisper_sinusoids", NULL, 0, 0, error);
    assert_null(made);
    return status == SINPOS_E_VALUE ? SINPOS_OK : status;
}

static sinpos_status positions_of(void *where, unsigned char *out)
{
    (void)out;
    return sinpos_encoding_positions(encoding, 1, 2, where);
}

/* The fields of before are all written, struct_size and what is beyond is not. */
static void try_written(const char *what, const void *start, size_t bytes, sized_call *call)
{
    unsigned char room[2][1024];
    const size_t refused[] = {0, 1, bytes - 1, 4097, SIZE_MAX};
    for (size_t later = 0; later < 40; later += 8) {
        const size_t size = bytes + later;
        memset(room, 0xee, sizeof room);
        for (int k = 0; k < 2; k++) {
            memcpy(room[k], start, bytes);
            memcpy(room[k], &size, sizeof size);
        }
        assert_or_say(call(room[0], NULL) == SINPOS_OK, "%s refuses %zu bytes", what, size);
        assert_memory_equal(room[0], &size, sizeof size);
        assert_memory_not_equal(room[0], start, bytes);
        assert_memory_equal(room[0] + bytes, room[1] + bytes, sizeof room[0] - bytes);
    }
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        memset(room, 0xee, sizeof room);
        memcpy(room[0], &refused[i], sizeof refused[i]);
        memcpy(room[1], &refused[i], sizeof refused[i]);
        assert_or_say(call(room[0], NULL) == SINPOS_E_STRUCT, "%s takes %zu bytes", what, refused[i]);
        assert_memory_equal(room[0], room[1], sizeof room[0]);
    }
}

static void errors(void **state)
{
    (void)state;
    const sinpos_error error = SINPOS_ERROR_INIT;
    try_written("sinpos_spec_check", &error, sizeof error, check_bad_spec);
    try_written("sinpos_plan_create_tones", &error, sizeof error, create_bad_tones);
    try_written("sinpos_encoding_create", &error, sizeof error, create_unknown);
    try_written("sinpos_encoding_create_sparse", &error, sizeof error, create_no_frequency);
}

static void rows_of_encodings(void **state)
{
    (void)state;
    const sinpos_rows none = SINPOS_ROWS_INIT;
    try_written("sinpos_encoding_positions", &none, sizeof none, positions_of);
}

/* ------------------------------------------------------------------------------------------------ Sizes, macros */

/* No padding at the end, which a field of a later version would take with what the caller left there. */
#define ENDS_WITH(type, field) (offsetof(type, field) + sizeof(((type *)0)->field) == sizeof(type))

static void sizes(void **state)
{
    (void)state;
    assert_true(ENDS_WITH(sinpos_spec, n_factor));
    assert_true(ENDS_WITH(sinpos_tone_more, n_listens));
    assert_true(ENDS_WITH(sinpos_rows, first));
    assert_true(ENDS_WITH(sinpos_error, hint));
    const sinpos_encoding_info *info = sinpos_encoding_info_get(encoding);
    assert_int_equal(info->struct_size, sizeof *info);
    assert_true(SINPOS_HAS(info, is_by_position) && SINPOS_HAS(info, convention));
    sinpos_encoding_info older = *info;
    older.struct_size = offsetof(sinpos_encoding_info, head_width);
    assert_true(!SINPOS_HAS(&older, head_width) && SINPOS_HAS(&older, is_replayed));
}

/* A struct that has grown since: what the caller's lacks is zero, and is not written. */
static void smaller(void **state)
{
    (void)state;
    struct {
        size_t struct_size;
        double first, second, third;
    } own, given[2];
    for (size_t fields = 1; fields <= 3; fields++) {
        memset(&own, 0x55, sizeof own);
        given[0].struct_size = sizeof(size_t) + fields * sizeof(double);
        given[0].first = 1;
        given[0].second = 2;
        given[0].third = 3;
        assert_true(sized_read(&own, sizeof own, 2 * sizeof(size_t), &given[0]));
        assert_true(own.struct_size == sizeof own && own.first == 1 && own.second == (fields > 1 ? 2 : 0) &&
                    own.third == (fields > 2 ? 3 : 0));
        own.first = own.second = own.third = 7;
        given[1] = given[0];
        assert_true(sized_fits(&given[0], 2 * sizeof(size_t)));
        assert_true(sized_write(&given[0], &own, sizeof own, 2 * sizeof(size_t)));
        assert_true(given[0].struct_size == given[1].struct_size && given[0].first == 7 &&
                    given[0].second == (fields > 1 ? 7 : 2) && given[0].third == (fields > 2 ? 7 : 3));
        assert_false(sized_fits(&given[0], given[0].struct_size + 1));
        assert_false(sized_read(&own, sizeof own, given[0].struct_size + 1, &given[0]));
    }
}

/* A tone from SINPOS_TONE_INIT alone is accepted, and is 0 + the cosine of nothing. */
static void initial_tone(void **state)
{
    (void)state;
    sinpos_tone tone = SINPOS_TONE_INIT;
    sinpos_tone_more more = SINPOS_TONE_MORE_INIT;
    sinpos_plan *made = NULL;
    double out[2];
    tone.sin_column = 0;
    tone.cos_column = 1;
    for (int k = 0; k < 2; k++) {
        assert_int_equal(sinpos_plan_create_tones(&made, 2, 1, &tone, 1, 0, NULL), SINPOS_OK);
        assert_int_equal(sinpos_fill(made, 12345, 1, SINPOS_F64, out, 2), SINPOS_OK);
        assert_true(out[0] == 0 && out[1] == 1);
        sinpos_plan_destroy(made);
        tone.more = &more;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows),    cmocka_unit_test(specifications),    cmocka_unit_test(more_of_tones),
        cmocka_unit_test(errors),  cmocka_unit_test(rows_of_encodings), cmocka_unit_test(sizes),
        cmocka_unit_test(smaller), cmocka_unit_test(initial_tone),
    };
    return cmocka_run_group_tests_name("boundary", tests, make_all, free_all);
}
