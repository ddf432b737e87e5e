/* Replayed arithmetics: plain C beside them, every way of calling, arguments. */
#include <math.h>

#include "sinpos_conventions.h"
#include "unit.h"

enum { DIM = 32, N = 24, TONES = DIM / 2 };

static sinpos_plan *plan_of(size_t dim, sinpos_order order)
{
    sinpos_spec spec = SINPOS_SPEC_INIT;
    sinpos_plan *plan;
    spec.dim = dim;
    spec.order = order;
    assert_int_equal(sinpos_plan_create(&plan, &spec), SINPOS_OK);
    return plan;
}

static sinpos_replay *replay_of(const sinpos_plan *plan, const char *arithmetic)
{
    sinpos_replay *replay;
    assert_int_equal(sinpos_replay_create(&replay, plan, arithmetic), SINPOS_OK);
    return replay;
}

static void run(const sinpos_replay *replay, const sinpos_rows *rows, void *out)
{
    assert_int_equal(sinpos_replay_run(replay, SINPOS_FILL, rows, SINPOS_F32, out, DIM, 1), SINPOS_OK);
}

/* The angle as three lines of C have it. */
static float plain_angle(const char *arithmetic, float p, int i)
{
    if (strcmp(arithmetic, "float32-pow") == 0)
        return p * (1 / (float)pow(10000, (float)i / (float)TONES));
    if (strcmp(arithmetic, "float32-exp") == 0)
        return p * (float)exp((float)i * (float)(-log(10000) / TONES));
    const float ratio = (float)pow(10000, -1.0f / (float)TONES);
    for (int k = 0; k < i; k++)
        p *= ratio;
    return p;
}

static void as_plain_c(void **state)
{
    static const char *const names[] = {"float32-pow", "float32-exp", "ggml"};
    sinpos_plan *plan = plan_of(DIM, SINPOS_SIN_COS);
    const sinpos_rows rows = {.struct_size = sizeof rows, .n = N, .first = 99990};
    float out[N * DIM];
    (void)state;
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
        sinpos_replay *replay = replay_of(plan, names[k]);
        run(replay, &rows, out);
        for (int row = 0; row < N; row++) {
            for (int i = 0; i < TONES; i++) {
                const double angle = (double)plain_angle(names[k], (float)(99990 + row), i);
                assert_true(out[row * DIM + 2 * i] == (float)sin(angle));
                assert_true(out[row * DIM + 2 * i + 1] == (float)cos(angle));
            }
        }
        sinpos_replay_destroy(replay);
    }
    sinpos_plan_destroy(plan);
}

/* A bfloat16 or float16 in a float, by its bits alone; here all are normal numbers. */
static float narrow(double x, bool is_bf16)
{
    const unsigned drop = is_bf16 ? 16 : 13;
    const float as_float = (float)x;
    uint32_t bits;
    memcpy(&bits, &as_float, sizeof bits);
    bits = (bits + (UINT32_C(1) << (drop - 1)) - 1 + (bits >> drop & 1)) >> drop << drop;
    float rounded;
    memcpy(&rounded, &bits, sizeof rounded);
    return rounded;
}

static void sixteen_bits(void **state)
{
    sinpos_plan *plan = plan_of(DIM, SINPOS_SIN_COS);
    float out[N * DIM];
    (void)state;
    for (int is_bf16 = 0; is_bf16 < 2; is_bf16++) {
        sinpos_replay *replay = replay_of(plan, is_bf16 ? "bfloat16" : "float16");
        for (uint64_t first = 0; first < 5000; first += 1234) {
            run(replay, &(sinpos_rows){.struct_size = sizeof(sinpos_rows), .n = N, .first = (int64_t)first}, out);
            for (int k = 0; k < N * TONES; k++) {
                const int row = k / TONES, i = k % TONES;
                const double theta = narrow((float)pow(10000, -(double)i / TONES), is_bf16);
                const double angle = narrow(narrow((double)first + row, is_bf16) * theta, is_bf16);
                assert_true(out[row * DIM + 2 * i] == narrow(sin(angle), is_bf16));
                assert_true(out[row * DIM + 2 * i + 1] == narrow(cos(angle), is_bf16));
            }
        }
        sinpos_replay_destroy(replay);
    }
    sinpos_plan_destroy(plan);
}

/* Threads, kinds of positions, parts, order of columns and addition to zero make the same elements. */
static void same_bytes(void **state)
{
    (void)state;
    sinpos_plan *plan = plan_of(DIM, SINPOS_SIN_COS), *other = plan_of(DIM, SINPOS_COS_SIN);
    int64_t integers[N];
    double reals[N];
    for (int i = 0; i < N; i++) {
        integers[i] = 1000003 + i;
        reals[i] = (double)integers[i];
    }
    const sinpos_rows range = {.struct_size = sizeof range, .n = N, .first = 1000003},
                      listed = {.struct_size = sizeof listed, .n = N, .integers = integers},
                      real = {.struct_size = sizeof real, .n = N, .reals = reals};
    for (size_t k = 0; k < sinpos_arithmetics_count(); k++) {
        sinpos_replay *replay = replay_of(plan, sinpos_arithmetic_text(sinpos_arithmetic_at(k), "name"));
        sinpos_replay *exchanged = replay_of(other, sinpos_arithmetic_text(sinpos_arithmetic_at(k), "name"));
        float want[N * DIM], got[N * DIM] = {0};
        run(replay, &range, want);
        run(replay, &listed, got);
        assert_memory_equal(got, want, sizeof want);
        run(replay, &real, got);
        assert_memory_equal(got, want, sizeof want);
        assert_int_equal(sinpos_replay_run(replay, SINPOS_FILL, &range, SINPOS_F32, got, DIM, 4), SINPOS_OK);
        assert_memory_equal(got, want, sizeof want);
        memset(got, 0, sizeof got);
        assert_int_equal(sinpos_replay_run(replay, SINPOS_ADD, &range, SINPOS_F32, got, DIM, 3), SINPOS_OK);
        assert_memory_equal(got, want, sizeof want);
        run(exchanged, &range, got);
        for (size_t i = 0; i < (size_t)N * DIM; i++)
            assert_memory_equal(&got[i ^ 1], &want[i], sizeof got[0]);
        sinpos_replay_destroy(replay);
        sinpos_replay_destroy(exchanged);
    }
    sinpos_plan_destroy(plan);
    sinpos_plan_destroy(other);
}

static void run_doubles(const sinpos_plan *plan, const char *arithmetic, const sinpos_rows *rows, double *out)
{
    sinpos_replay *replay = replay_of(plan, arithmetic);
    assert_int_equal(sinpos_replay_run(replay, SINPOS_FILL, rows, SINPOS_F64, out, DIM, 1), SINPOS_OK);
    sinpos_replay_destroy(replay);
}

/* All but float64 end in float32, also where the caller asks for more; float64-cast is float64, cast. */
static void last_rounding(void **state)
{
    (void)state;
    sinpos_plan *plan = plan_of(DIM, SINPOS_SIN_COS);
    const sinpos_rows rows = {.struct_size = sizeof rows, .n = N, .first = 12345};
    double whole[N * DIM], out[N * DIM];
    size_t n_between = 0;
    run_doubles(plan, "float64", &rows, whole);
    for (size_t k = 0; k < sinpos_arithmetics_count(); k++) {
        const char *name = sinpos_arithmetic_text(sinpos_arithmetic_at(k), "name");
        run_doubles(plan, name, &rows, out);
        for (size_t i = 0; i < (size_t)N * DIM && strcmp(name, "float64") != 0; i++)
            assert_true(out[i] == (double)(float)out[i]);
        for (size_t i = 0; i < (size_t)N * DIM && strcmp(name, "float64-cast") == 0; i++) {
            assert_true(out[i] == (double)(float)whole[i]);
            n_between += out[i] != whole[i];
        }
    }
    assert_true(n_between > N * DIM / 2);
    sinpos_plan_destroy(plan);
}

/* A frequency in turns per position is 2 pi times that in radians. */
static void in_turns(void **state)
{
    (void)state;
    sinpos_spec spec = SINPOS_SPEC_INIT;
    sinpos_plan *plan;
    sinpos_tone tones[TONES];
    double theta[TONES];
    size_t n;
    spec.dim = DIM;
    spec.scale = 0.125;
    assert_int_equal(sinpos_spec_tones(&spec, tones, TONES), SINPOS_OK);
    for (size_t i = 0; i < TONES; i++)
        tones[i].in_turns = 1;
    assert_int_equal(sinpos_plan_create_tones(&plan, DIM, 1, tones, TONES, 0, NULL), SINPOS_OK);
    for (size_t k = 0; k < sinpos_arithmetics_count(); k++) {
        const char *name = sinpos_arithmetic_text(sinpos_arithmetic_at(k), "name");
        sinpos_replay *replay = replay_of(plan, name);
        assert_int_equal(sinpos_replay_theta(replay, theta, TONES, &n), SINPOS_OK);
        assert_int_equal(n, TONES);
        for (size_t i = 0; i < (strcmp(name, "float32-repeated") == 0 ? 1 : n); i++) {
            const double want = 0.25 * 3.14159265358979323846 * pow(10000, -(double)i / TONES);
            const double error = fabs(theta[i] / want - 1);
            const bool is_exact = strstr(name, "positions") != NULL;
            assert_true(error < (strncmp(name, "bfloat16", 8) == 0 && !is_exact  ? 0x1p-8
                                 : strncmp(name, "float16", 7) == 0 && !is_exact ? 0x1p-11
                                 : strncmp(name, "float64", 7) == 0              ? 0x1p-50
                                                                                 : 0x1p-20));
        }
        sinpos_replay_destroy(replay);
    }
    sinpos_plan_destroy(plan);
}

enum { EACH = TONES / 2 };

/* The rows of one coordinate's tones are those that they have alone. */
static void check_alone(const sinpos_replay *both, const sinpos_replay *alone, size_t axis, const sinpos_tone *tones,
                        const int64_t positions[4])
{
    double x[2 * DIM], y[2 * DIM];
    const int64_t own[2] = {positions[axis], positions[2 + axis]};
    const sinpos_rows rows = {.struct_size = sizeof rows, .n = 2, .integers = positions},
                      own_rows = {.struct_size = sizeof own_rows, .n = 2, .integers = own};
    assert_int_equal(sinpos_replay_run(both, SINPOS_FILL, &rows, SINPOS_F64, x, DIM, 1), SINPOS_OK);
    assert_int_equal(sinpos_replay_run(alone, SINPOS_FILL, &own_rows, SINPOS_F64, y, DIM, 1), SINPOS_OK);
    for (size_t i = 0; i < 2 * EACH; i++) {
        const size_t at = i / EACH * DIM + (size_t)tones[i % EACH].sin_column;
        assert_memory_equal(&x[at], &y[at], 2 * sizeof x[0]); /* NaN where float16 ends */
    }
}

static void check_axis(const sinpos_plan *both, const sinpos_tone *tones, size_t axis)
{
    static const int64_t equal[4] = {1000003, 1000003, 77, 77}, other[4] = {1000003, 5, 77, 1 << 20};
    sinpos_tone own[EACH];
    sinpos_plan *single;
    size_t n = 0;
    for (size_t i = 0; i < TONES; i++) {
        if (tones[i].axis == axis) {
            own[n] = tones[i];
            own[n++].axis = 0;
        }
    }
    assert_int_equal(n, EACH);
    assert_int_equal(sinpos_plan_create_tones(&single, DIM, 1, own, EACH, 0, NULL), SINPOS_OK);
    for (size_t k = 0; k < sinpos_arithmetics_count(); k++) {
        sinpos_replay *r = replay_of(both, sinpos_arithmetic_text(sinpos_arithmetic_at(k), "name"));
        sinpos_replay *alone = replay_of(single, sinpos_arithmetic_text(sinpos_arithmetic_at(k), "name"));
        double theta[TONES], want[EACH];
        size_t at = 0;
        assert_int_equal(sinpos_replay_theta(r, theta, TONES, &n), SINPOS_OK);
        assert_int_equal(sinpos_replay_theta(alone, want, EACH, &n), SINPOS_OK);
        for (size_t i = 0; i < TONES; i++)
            if (tones[i].axis == axis)
                assert_true(theta[i] == want[at++]);
        check_alone(r, alone, axis, own, equal);
        check_alone(r, alone, axis, own, other);
        sinpos_replay_destroy(r);
        sinpos_replay_destroy(alone);
    }
    sinpos_plan_destroy(single);
}

/* Tones of each coordinate are made as if they were alone: indices and running products count from its first tone. */
static void coordinates_apart(void **state)
{
    (void)state;
    enum { LATER_INDICES, EARLIER_INDICES, SAME_INDICES, IN_TURN, ARRANGEMENTS };
    for (int k = 0; k < ARRANGEMENTS; k++) {
        sinpos_spec spec = SINPOS_SPEC_INIT;
        sinpos_tone tones[TONES];
        sinpos_plan *both;
        spec.dim = DIM;
        assert_int_equal(sinpos_spec_tones(&spec, tones, TONES), SINPOS_OK);
        for (size_t i = 0; i < TONES; i++) {
            const bool later = i >= EACH;
            tones[i].axis = k == IN_TURN ? i % 2 : k == EARLIER_INDICES ? !later : later;
            tones[i].index = k == SAME_INDICES      ? (double)(1 + i % EACH)
                             : k == EARLIER_INDICES ? (double)((i + EACH) % TONES)
                                                    : (double)i;
        }
        assert_int_equal(sinpos_plan_create_tones(&both, DIM, 2, tones, TONES, 0, NULL), SINPOS_OK);
        check_axis(both, tones, 0);
        check_axis(both, tones, 1);
        sinpos_plan_destroy(both);
    }
}

/* Every arithmetic adds the phase, of geometric tones and of others: near the exact angle, and not where it is without. */
static void every_arithmetic_has_phases(void **state)
{
    (void)state;
    static const double values[TONES] = {0.5, 0.25, 1,   0.125, 2,   0.75, 0.1, 0.3,
                                         0.2, 0.6,  0.7, 0.9,   1.1, 1.2,  1.3, 1.4};
    for (int geometric = 0; geometric < 2; geometric++) {
        sinpos_spec spec = SINPOS_SPEC_INIT;
        sinpos_plan *plan;
        const sinpos_rows rows = {.struct_size = sizeof rows, .n = 8, .first = 0};
        double exact[8 * DIM], got[8 * DIM];
        spec.dim = DIM;
        spec.phase = 1;
        spec.schedule = geometric ? SINPOS_GEOMETRIC : SINPOS_EXPLICIT;
        spec.theta = geometric ? NULL : values;
        spec.n_theta = geometric ? 0 : TONES;
        assert_int_equal(sinpos_plan_create(&plan, &spec), SINPOS_OK);
        assert_int_equal(sinpos_fill(plan, 0, 8, SINPOS_F64, exact, DIM), SINPOS_OK);
        for (size_t k = 0; k < sinpos_arithmetics_count(); k++) {
            const char *name = sinpos_arithmetic_text(sinpos_arithmetic_at(k), "name");
            const bool is_rough = strcmp(name, "bfloat16") == 0 || strcmp(name, "bfloat16-angles") == 0;
            const double near = is_rough ? 0.08 : 0.04; /* of angles up to 11 */
            run_doubles(plan, name, &rows, got);
            for (size_t i = 0; i < (size_t)8 * DIM; i++)
                assert_or_say(fabs(got[i] - exact[i]) < near, "%s: column %zu of row %zu", name, i % DIM, i / DIM);
        }
        sinpos_plan_destroy(plan);
    }
}

/* A position is rounded to float32 once: 2^60 + 2^36 is a tie, what is a little more goes up. */
static void far_positions(void **state)
{
    (void)state;
    sinpos_plan *plan = plan_of(DIM, SINPOS_SIN_COS);
    const int64_t tie = (INT64_C(1) << 60) + (INT64_C(1) << 36), up = (INT64_C(1) << 60) + (INT64_C(1) << 37);
    const int64_t given[] = {tie - 1, tie, tie + 1, -tie + 1, -tie, -tie - 1};
    const int64_t rounded_to[] = {INT64_C(1) << 60,    INT64_C(1) << 60,    up,
                                  -(INT64_C(1) << 60), -(INT64_C(1) << 60), -up};
    const sinpos_rows rows = {.struct_size = sizeof rows, .n = 6, .integers = given},
                      other = {.struct_size = sizeof other, .n = 6, .integers = rounded_to};
    static const char *const names[] = {"float32-pow", "float32-exp", "float32-theta"};
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
        sinpos_replay *replay = replay_of(plan, names[k]);
        float got[6 * DIM], want[6 * DIM];
        run(replay, &rows, got);
        run(replay, &other, want);
        assert_memory_equal(got, want, sizeof got);
        sinpos_replay_destroy(replay);
    }
    sinpos_plan_destroy(plan);
}

/* Rows are made some thousand at a time. */
static void many_rows(void **state)
{
    (void)state;
    enum { ROWS = 9000, SOME = 40 };
    sinpos_plan *plan = plan_of(4, SINPOS_SIN_COS);
    int64_t *integers = malloc(ROWS * sizeof *integers);
    double *reals = malloc(ROWS * sizeof *reals);
    float *all = malloc(ROWS * 4 * sizeof *all), part[SOME * 4];
    assert_true(integers != NULL && reals != NULL && all != NULL);
    for (int i = 0; i < ROWS; i++) {
        integers[i] = 17 * i;
        reals[i] = 0.5 * i;
    }
    for (int kind = 0; kind < 3; kind++) {
        sinpos_replay *replay = replay_of(plan, "float32");
        sinpos_rows rows = {sizeof(sinpos_rows), .n = ROWS, .first = 5, .integers = kind == 1 ? integers : NULL,
                            .reals = kind == 2 ? reals : NULL};
        assert_int_equal(sinpos_replay_run(replay, SINPOS_FILL, &rows, SINPOS_F32, all, 4, 2), SINPOS_OK);
        for (int first = 4080; first < ROWS; first += 4096) {
            sinpos_rows some = {.struct_size = sizeof some,
                                .n = SOME,
                                .first = 5 + first,
                                .integers = kind == 1 ? integers + first : NULL,
                                .reals = kind == 2 ? reals + first : NULL};
            assert_int_equal(sinpos_replay_run(replay, SINPOS_FILL, &some, SINPOS_F32, part, 4, 1), SINPOS_OK);
            assert_memory_equal(part, all + 4 * first, sizeof part);
        }
        sinpos_replay_destroy(replay);
    }
    free(integers);
    free(reals);
    free(all);
    sinpos_plan_destroy(plan);
}

typedef struct number {
    const char *name;
    double value;
} number;

/* Takes the parameters. */
static sinpos_encoding *make_with(const char *name, sinpos_parameters *p, const number *numbers, const char *output,
                                  const char *arithmetic)
{
    sinpos_error error = SINPOS_ERROR_INIT;
    sinpos_encoding *e = NULL;
    for (; numbers != NULL && numbers->name != NULL; numbers++)
        assert_int_equal(sinpos_parameters_set_number(p, numbers->name, numbers->value), SINPOS_OK);
    assert_int_equal(sinpos_parameters_set_text(p, "output", output), SINPOS_OK);
    assert_int_equal(sinpos_parameters_set_text(p, "arithmetic", arithmetic), SINPOS_OK);
    if (sinpos_encoding_create(&e, name, p, 0, &error) != SINPOS_OK)
        fail_msg("%s, %s: %s", name, arithmetic, error.message);
    sinpos_parameters_destroy(p);
    return e;
}

static sinpos_parameters *no_parameters(void)
{
    sinpos_parameters *p;
    assert_int_equal(sinpos_parameters_create(&p), SINPOS_OK);
    return p;
}

/* A convention whose roundings depend on where a row lies on the grid. */
static void large_grid(void **state)
{
    (void)state;
    enum { SIDE = 70, HEAD = 8, SOME = 50 };
    const double sizes[] = {SIDE, SIDE};
    const size_t n_sizes = 2;
    sinpos_parameters *p;
    sinpos_encoding *e;
    float *all = malloc(SIDE * SIDE * 2 * HEAD * sizeof *all), part[SOME * 2 * HEAD];
    assert_non_null(all);
    assert_int_equal(sinpos_parameters_create(&p), SINPOS_OK);
    assert_int_equal(sinpos_parameters_set_list(p, "feat_shape", sizes, 1, &n_sizes), SINPOS_OK);
    assert_int_equal(sinpos_parameters_set_number(p, "dim", HEAD), SINPOS_OK);
    assert_int_equal(sinpos_parameters_set_text(p, "arithmetic", "published"), SINPOS_OK);
    assert_int_equal(sinpos_encoding_create(&e, "timm_dinov3_rope", p, 0, NULL), SINPOS_OK);
    const sinpos_encoding_info *info = sinpos_encoding_info_get(e);
    assert_true(info->n_rows == SIDE * SIDE && info->n_columns == 2 * HEAD);
    assert_int_equal(sinpos_encoding_fill(e, 0, info->n_rows, SINPOS_F32, all, 2 * HEAD, 2), SINPOS_OK);
    for (size_t first = 0; first + SOME <= info->n_rows; first += SOME) {
        assert_int_equal(sinpos_encoding_fill(e, first, SOME, SINPOS_F32, part, 2 * HEAD, 1), SINPOS_OK);
        assert_memory_equal(part, all + first * 2 * HEAD, sizeof part);
    }
    sinpos_encoding_destroy(e);
    sinpos_parameters_destroy(p);
    free(all);
}

enum { SOME_ROWS = 5 };

/* Is this element a sine, or an angle, which change their sign where angles are negated? */
static bool changes_sign(sinpos_output output, size_t row, size_t column, size_t d)
{
    switch (output) {
    case SINPOS_OUTPUT_TABLE: return column >= d / 2;
    case SINPOS_OUTPUT_COS_SIN: return row >= SOME_ROWS;
    case SINPOS_OUTPUT_SIN_COS: return row < SOME_ROWS;
    case SINPOS_OUTPUT_CIS: return column % 2 == 1;
    case SINPOS_OUTPUT_MATRIX: return column % 4 == 1 || column % 4 == 2;
    case SINPOS_OUTPUT_ANGLES: return true;
    default: return false; /* frequencies are as stated */
    }
}

static void check_negated(const sinpos_encoding *e, const sinpos_encoding *plain, sinpos_output output)
{
    enum { HEAD = 8, MOST = 2 * SOME_ROWS * 2 * HEAD };
    double x[MOST], y[MOST];
    const sinpos_encoding_info *info = sinpos_encoding_info_get(e);
    const size_t columns = info->n_columns;
    if (output == SINPOS_OUTPUT_ROTATED) { /* as the plain one turns back */
        float back[SOME_ROWS * HEAD], forward[SOME_ROWS * HEAD];
        for (size_t i = 0; i < SOME_ROWS * HEAD; i++)
            back[i] = forward[i] = (float)((i * 37 + 11) % 64) / 16 - 2;
        assert_int_equal(sinpos_encoding_rotate(e, 0, SOME_ROWS, SINPOS_FORWARD, 1, SINPOS_F32, forward, HEAD, HEAD, 1),
                         SINPOS_OK);
        assert_int_equal(
            sinpos_encoding_rotate(plain, 0, SOME_ROWS, SINPOS_TRANSPOSE, 1, SINPOS_F32, back, HEAD, HEAD, 1),
            SINPOS_OK);
        for (size_t i = 0; i < SOME_ROWS * HEAD; i++)
            assert_true(back[i] == forward[i]);
        return;
    }
    assert_true(info->n_rows * columns <= MOST);
    assert_int_equal(sinpos_encoding_fill(e, 0, info->n_rows, SINPOS_F64, x, columns, 1), SINPOS_OK);
    assert_int_equal(sinpos_encoding_fill(plain, 0, info->n_rows, SINPOS_F64, y, columns, 1), SINPOS_OK);
    for (size_t i = 0; i < info->n_rows * columns; i++) {
        const bool negated = changes_sign(output, i / columns, i % columns, columns);
        assert_or_say(x[i] == (negated ? -y[i] : y[i]), "%s: element %zu is %.17g, and %.17g where it is not negated",
                      sinpos_output_name(output), i, x[i], y[i]);
    }
}

/* nanochat turns the other way, by the same frequencies and roundings. */
static void negated_angles(void **state)
{
    const number nanochat[] = {{"head_dim", 8}, {"seq_len", SOME_ROWS}, {NULL, 0}};
    const number llama[] = {{"dim", 8}, {"end", SOME_ROWS}, {NULL, 0}};
    (void)state;
    for (size_t k = 0; k < sinpos_arithmetics_count() + 2; k++) {
        const sinpos_arithmetic *recipe = sinpos_arithmetic_at(k);
        const char *name = recipe != NULL                    ? sinpos_arithmetic_text(recipe, "name")
                           : k == sinpos_arithmetics_count() ? "exact"
                                                             : "published";
        for (int output = SINPOS_OUTPUT_TABLE; output <= SINPOS_OUTPUT_ROTATED; output++) {
            const char *word = sinpos_output_name((sinpos_output)output);
            sinpos_parameters *p = no_parameters();
            assert_int_equal(sinpos_parameters_set_text(p, "override.layout", "halves"), SINPOS_OK);
            sinpos_encoding *e = make_with("nanochat_rope", no_parameters(), nanochat, word, name);
            sinpos_encoding *plain = make_with("llama_reference_rope", p, llama, word, name);
            check_negated(e, plain, (sinpos_output)output);
            sinpos_encoding_destroy(e);
            sinpos_encoding_destroy(plain);
        }
    }
}

static const char *const float32_names[] = {"float32-pow", "float32-exp", "float32-theta"};

/* A phase in turns is rounded once, as radians, and added to the rounded product. */
static void phases_in_turns(void **state)
{
    enum { WAVES = 4 };
    const double turn = 6.28318530717958647692, t[SOME_ROWS] = {0, 1, 0.3, -7, 1234.5};
    const double w[WAVES] = {0.75, 1, -0.123, 3.1}, b[WAVES] = {0.25, -0.4, 0.1, 0};
    const size_t n = WAVES, n_rows = SOME_ROWS;
    float out[SOME_ROWS * WAVES];
    (void)state;
    for (size_t k = 0; k < sizeof float32_names / sizeof float32_names[0]; k++) {
        sinpos_parameters *p = no_parameters();
        assert_int_equal(sinpos_parameters_set_list(p, "w", w, 1, &n), SINPOS_OK);
        assert_int_equal(sinpos_parameters_set_list(p, "b", b, 1, &n), SINPOS_OK);
        assert_int_equal(sinpos_parameters_set_list(p, "t", t, 1, &n_rows), SINPOS_OK);
        sinpos_encoding *e = make_with("protenix_af3_fourier", p, NULL, "table", float32_names[k]);
        assert_int_equal(sinpos_encoding_fill(e, 0, n_rows, SINPOS_F32, out, n, 1), SINPOS_OK);
        for (size_t i = 0; i < SOME_ROWS * WAVES; i++) {
            volatile float angle = (float)t[i / n] * (float)(turn * w[i % n]);
            angle = angle + (float)(turn * b[i % n]);
            assert_true(out[i] == (float)cos((double)angle));
        }
        sinpos_encoding_destroy(e);
    }
}

/* An odd width of Marian's has cosines that are sines a quarter turn later. */
static void quarter_turns(void **state)
{
    enum { WIDTH = 9 };
    const number numbers[] = {{"dim", WIDTH}, {"rows", SOME_ROWS}, {NULL, 0}};
    float out[SOME_ROWS * WIDTH];
    (void)state;
    sinpos_encoding *e = make_with("marian_nmt_cpp", no_parameters(), numbers, "table", "float32-theta");
    assert_int_equal(sinpos_encoding_fill(e, 0, SOME_ROWS, SINPOS_F32, out, WIDTH, 1), SINPOS_OK);
    for (int i = 0; i < SOME_ROWS * WIDTH; i++) {
        const int column = i % WIDTH, half = WIDTH / 2;
        const double exponent = column < half ? column : (column - half) % half;
        volatile float angle = (float)(i / WIDTH) * (float)pow(10000, -exponent / (WIDTH / 2.0 - 1));
        angle = column < half ? angle : angle + (float)(6.28318530717958647692 / 4);
        assert_true(out[i] == (float)sin((double)angle));
    }
    sinpos_encoding_destroy(e);
}

enum scaling { LINEAR, LLAMA3, YARN, PROPORTIONAL, SCALINGS };
static const char *const scaling_names[] = {"linear", "llama3", "yarn", "proportional"};

/* What a scaling to 8 times 512 positions multiplies frequency i by, as its paper has it; base 10000, width DIM. */
static double factor_of(enum scaling scaling, int i)
{
    const double turns = 512 * pow(10000, -(double)i / TONES) / 6.28318530717958647692;
    const double low = floor(DIM * log(512 / (32 * 6.28318530717958647692)) / (2 * log(10000)));
    const double high = ceil(DIM * log(512 / 6.28318530717958647692) / (2 * log(10000)));
    const double ramp = scaling == LLAMA3 ? (turns - 1) / (4 - 1) : 1 - ((double)i - low) / (high - low);
    switch (scaling) {
    case LINEAR: return 0.125;
    case PROPORTIONAL: return i < TONES / 2 ? 0.125 : 0;
    default: return 0.125 + 0.875 * fmin(fmax(ramp, 0), 1);
    }
}

/* A frequency that is not a power of the schedule is rounded once; the others are made as the arithmetic says. */
static void scaled_frequencies(void **state)
{
    static const char *const names[] = {"float32-pow", "float32-exp", "ggml"};
    const number numbers[] = {
        {"head_dim", DIM}, {"factor", 8}, {"original_max_position_embeddings", 512}, {"length", N}, {NULL, 0}};
    static float angles[N * DIM];
    size_t n_apart = 0;
    (void)state;
    for (size_t k = 0; k < SCALINGS * sizeof names / sizeof names[0]; k++) {
        const enum scaling scaling = (enum scaling)(k % SCALINGS);
        const char *name = names[k / SCALINGS];
        sinpos_parameters *p = no_parameters();
        assert_int_equal(sinpos_parameters_set_text(p, "rope_type", scaling_names[scaling]), SINPOS_OK);
        if (scaling == PROPORTIONAL)
            assert_int_equal(sinpos_parameters_set_number(p, "partial_rotary_factor", 0.5), SINPOS_OK);
        sinpos_encoding *e = make_with("hf_rope", p, numbers, "angles", name);
        assert_int_equal(sinpos_encoding_fill(e, 0, N, SINPOS_F32, angles, DIM, 1), SINPOS_OK);
        for (int i = 0; i < N * TONES; i++) {
            const int tone = i % TONES, row = i / TONES;
            const double factor = factor_of(scaling, tone), first = factor_of(scaling, 0); /* 1 or 1/8 */
            const float plain = plain_angle(name, (float)row, tone) * (float)first;
            const float once = (float)row * (float)(pow(10000, -(double)tone / TONES) * factor);
            assert_or_say(angles[row * DIM + tone] == (factor == first ? plain : once), "%s, %s: frequency %d is %.9g",
                          scaling_names[scaling], name, tone, (double)angles[tone]);
            n_apart += factor != first;
        }
        sinpos_encoding_destroy(e);
    }
    assert_true(n_apart > (size_t)N * TONES);
}

/* A tone that depends on several coordinates has no such arithmetic. */
static void several_coordinates_in_a_tone(void **state)
{
    (void)state;
    const sinpos_listen listens[2] = {{.axis = 1, .coefficient = {0.5}, .divisor = 1},
                                      {.axis = 2, .coefficient = {0.25}, .divisor = 1}};
    for (size_t n = 0; n <= 2; n++) {
        sinpos_spec spec = SINPOS_SPEC_INIT;
        sinpos_tone_more more = {
            .struct_size = sizeof more, .phase_divisor = 1, .listens = n > 0 ? listens : NULL, .n_listens = n};
        sinpos_tone tones[TONES];
        sinpos_plan *plan;
        sinpos_replay *replay;
        spec.dim = DIM;
        assert_int_equal(sinpos_spec_tones(&spec, tones, TONES), SINPOS_OK);
        tones[TONES - 1].more = &more;
        assert_int_equal(sinpos_plan_create_tones(&plan, DIM, 3, tones, TONES, 0, NULL), SINPOS_OK);
        for (size_t k = 0; k < sinpos_arithmetics_count(); k++) {
            const sinpos_status status =
                sinpos_replay_create(&replay, plan, sinpos_arithmetic_text(sinpos_arithmetic_at(k), "name"));
            assert_int_equal(status, n == 0 ? SINPOS_OK : SINPOS_E_UNSUPPORTED);
            assert_true((replay == NULL) == (n > 0));
            sinpos_replay_destroy(replay);
        }
        sinpos_plan_destroy(plan);
    }
}

/* Angles that are zero, of no number, and too large for anything. */
static void edges(void **state)
{
    (void)state;
    sinpos_plan *plan = plan_of(2, SINPOS_SIN_COS);
    sinpos_replay *replay = replay_of(plan, "float16-positions");
    const double reals[] = {0, -0.0, 65504, 65520, 0x1p62, -1e300};
    float out[12];
    sinpos_rows rows = {.struct_size = sizeof rows, .n = 5, .reals = reals};
    assert_int_equal(sinpos_replay_run(replay, SINPOS_FILL, &rows, SINPOS_F32, out, 2, 1), SINPOS_OK);
    assert_true(out[0] == 0 && !signbit(out[0]) && out[1] == 1);
    assert_true(out[2] == 0 && signbit(out[2]) && out[3] == 1);
    assert_true(out[4] == (float)sin(65504) && out[5] == (float)cos(65504));
    assert_true(isnan(out[6]) && isnan(out[7]) && isnan(out[8]));
    rows.n = 6;
    assert_int_equal(sinpos_replay_run(replay, SINPOS_FILL, &rows, SINPOS_F32, out, 2, 1), SINPOS_E_RANGE);
    sinpos_replay_destroy(replay);
    replay = replay_of(plan, "float32");
    rows = (sinpos_rows){.struct_size = sizeof(sinpos_rows), .n = 1, .first = INT64_MAX};
    assert_int_equal(sinpos_replay_run(replay, SINPOS_FILL, &rows, SINPOS_F32, out, 2, 1), SINPOS_OK);
    assert_true(out[0] == (float)sin(0x1p63) && out[1] == (float)cos(0x1p63));
    sinpos_replay_destroy(replay);
    sinpos_plan_destroy(plan);
}

static float from_bf16(uint16_t x)
{
    const uint32_t bits = (uint32_t)x << 16;
    float result;
    memcpy(&result, &bits, sizeof result);
    return result;
}

static uint16_t to_bf16(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

static float rounded(float x, bool narrow)
{
    return narrow ? from_bf16(to_bf16(x)) : x;
}

/* a c + b s with each product and the sum rounded; volatile, lest a compiler fuses them. */
static float sum_of_products(float a, float c, float b, float s, bool narrow)
{
    volatile float first = a * c, second = b * s;
    first = rounded(first, narrow);
    second = rounded(second, narrow);
    volatile float sum = first + second;
    return rounded(sum, narrow);
}

enum { HEADS = 3, LD_HEAD = DIM + 1, LD_ROW = HEADS * LD_HEAD + 2 };

static float element_of(size_t k)
{
    return (float)((k * 37 + 11) % 64) / 16 - 2;
}

/* Products in the type of x, and those of ggml in float32. */
static void rotated_as_plain_c(void **state)
{
    static const char *const names[] = {"float32-pow", "ggml"};
    static uint16_t narrow[N * LD_ROW], narrow_table[N * DIM];
    static float wide[N * LD_ROW], table[N * DIM];
    sinpos_plan *plan = plan_of(DIM, SINPOS_SIN_COS);
    const sinpos_rows rows = {.struct_size = sizeof rows, .n = N, .first = 70001};
    (void)state;
    for (int k = 0; k < 4; k++) {
        const bool is_bf16 = k % 2 == 1, in_x = k < 2;
        const float sign = k == 2 ? -1 : 1;
        const sinpos_direction direction = k == 2 ? SINPOS_TRANSPOSE : SINPOS_FORWARD;
        sinpos_replay *replay = replay_of(plan, names[k / 2]);
        run(replay, &rows, table);
        assert_int_equal(sinpos_replay_run(replay, SINPOS_FILL, &rows, SINPOS_BF16, narrow_table, DIM, 1), SINPOS_OK);
        for (size_t i = 0; i < N * LD_ROW; i++) {
            wide[i] = element_of(i);
            narrow[i] = to_bf16(element_of(i));
        }
        assert_int_equal(sinpos_replay_rotate(replay, &rows, direction, HEADS, is_bf16 ? SINPOS_BF16 : SINPOS_F32,
                                              is_bf16 ? (void *)narrow : wide, LD_ROW, LD_HEAD, 1 + (size_t)k),
                         SINPOS_OK);
        for (size_t at = 0; at < N * LD_ROW; at++) {
            const size_t row = at / LD_ROW, head = at % LD_ROW / LD_HEAD, column = at % LD_ROW % LD_HEAD;
            const float got = is_bf16 ? from_bf16(narrow[at]) : wide[at];
            if (head == HEADS || column == DIM) {
                assert_true(got == element_of(at));
                continue;
            }
            const size_t cell = row * DIM + column;
            const size_t partner = column % 2 == 1 ? at - 1 : at + 1;
            const bool has_cosine = column % 2 == 1; /* u */
            const size_t c = has_cosine ? cell : cell + 1, s = has_cosine ? cell - 1 : cell;
            const bool rounds = is_bf16 && in_x;
            const float cosine = rounds ? from_bf16(narrow_table[c]) : table[c];
            const float sine = sign * (rounds ? from_bf16(narrow_table[s]) : table[s]);
            const float want =
                sum_of_products(element_of(at), cosine, element_of(partner), has_cosine ? -sine : sine, rounds);
            assert_true(got == rounded(want, is_bf16));
        }
        sinpos_replay_destroy(replay);
    }
    sinpos_plan_destroy(plan);
}

/* A factor of 8 bits whose product with c lies half way between two numbers of bfloat16; 0 if there is none. */
static float tie_with(float c)
{
    for (int m = 128; m < 256; m++) {
        volatile float product = (float)m * c;
        const float at = product;
        uint32_t bits;
        memcpy(&bits, &at, sizeof bits);
        if ((bits & 0xffff) == 0x8000)
            return (float)m;
    }
    return 0;
}

typedef struct rounding {
    const char *name, *arithmetic;
    number numbers[5];
    bool table_is_narrow, products_are_narrow;
} rounding;

/* Fills x with pairs of which one product is a tie and the other all but nothing, and says how many such there are. */
static size_t make_ties(const float *cosines, const float *sines, bool v_is_large, uint16_t *x)
{
    size_t n_ties = 0;
    for (size_t i = 0; i < (size_t)N * TONES; i++) {
        const float m = tie_with(cosines[2 * i]), large = m != 0 ? m : 1, small = i % 2 == 0 ? 0x1p-40f : -0x1p-40f;
        x[2 * i] = to_bf16(v_is_large ? small : large);
        x[2 * i + 1] = to_bf16(v_is_large ? large : small);
        n_ties += m != 0 && sines[2 * i] != 0;
    }
    return n_ties;
}

/* Cosines, then sines, (N, DIM) each, in the type of the table. */
static void table_of(const sinpos_encoding *e, bool is_narrow, float *table)
{
    static uint16_t narrow[2 * N * DIM];
    assert_int_equal(sinpos_encoding_fill(e, 0, 2 * (size_t)N, is_narrow ? SINPOS_BF16 : SINPOS_F32,
                                          is_narrow ? (void *)narrow : table, DIM, 1),
                     SINPOS_OK);
    for (size_t i = 0; is_narrow && i < (size_t)2 * N * DIM; i++)
        table[i] = from_bf16(narrow[i]);
}

/* Products and their sum are rounded to the type of the products, and the sum is rounded again to that of x. */
static void ties_of_sums(void **state)
{
    static const rounding all[] = {
        {"hf_cohere_rope", "published", {{"head_dim", DIM}, {"length", N}}, true, false},
        {"ggml_rope",
         "published",
         {{"n_dims", DIM}, {"length", N}, {"base", 1e30}, {"attn", 1.00390625}}, /* cosines that are 1 + 2^-8 */
         false,
         false},
        {"llama_reference_rope", "float32-pow", {{"dim", DIM}, {"length", N}}, true, true},
    };
    static float table[2 * N * DIM];
    static uint16_t x[N * DIM], before[N * DIM];
    (void)state;
    for (size_t k = 0; k < 2 * sizeof all / sizeof all[0]; k++) {
        const rounding *r = &all[k / 2];
        const bool v_is_large = k % 2 == 1, rounds = r->products_are_narrow;
        sinpos_encoding *e = make_with(r->name, no_parameters(), r->numbers, "cos_sin", r->arithmetic);
        table_of(e, r->table_is_narrow, table);
        assert_true(make_ties(table, table + N * DIM, v_is_large, x) > 20);
        memcpy(before, x, sizeof x);
        assert_int_equal(sinpos_encoding_rotate(e, 0, N, SINPOS_FORWARD, 1, SINPOS_BF16, x, DIM, DIM, 1), SINPOS_OK);
        for (size_t i = 0; i < (size_t)N * DIM; i += 2) {
            const float u = from_bf16(before[i]), v = from_bf16(before[i + 1]);
            const float c = table[i], s = table[N * DIM + i];
            assert_true(from_bf16(x[i]) == rounded(sum_of_products(u, c, v, -s, rounds), true));
            assert_true(from_bf16(x[i + 1]) == rounded(sum_of_products(v, c, u, s, rounds), true));
        }
        sinpos_encoding_destroy(e);
    }
}

/* Products and sums in float64 of a table in float32: all of float32's products are exact. */
static void products_in_float64(void **state)
{
    enum { FRAMES = 24, PAIRS = 8, WIDTH = 2 * PAIRS };
    static const number numbers[5] = {
        {"head_dim", WIDTH}, {"partial_rotary_factor", 0.5}, {"seq_len", FRAMES}, {"windows", 1}};
    static float table[2 * FRAMES * WIDTH], x[FRAMES * WIDTH];
    size_t n_other = 0;
    (void)state;
    sinpos_encoding *e = make_with("hf_musicflamingo_rope", no_parameters(), numbers, "cos_sin", "published");
    assert_int_equal(sinpos_encoding_fill(e, 0, 2 * (size_t)FRAMES, SINPOS_F32, table, WIDTH, 1), SINPOS_OK);
    for (size_t i = 0; i < (size_t)FRAMES * WIDTH; i++)
        x[i] = element_of(i);
    assert_int_equal(sinpos_encoding_rotate(e, 0, FRAMES, SINPOS_FORWARD, 1, SINPOS_F32, x, WIDTH, WIDTH, 1),
                     SINPOS_OK);
    for (size_t i = 0; i < (size_t)FRAMES * WIDTH; i += 2) {
        const float u = element_of(i), v = element_of(i + 1), c = table[i], s = table[FRAMES * WIDTH + i];
        const double uc = (double)u * c, vs = (double)v * s, vc = (double)v * c, us = (double)u * s;
        assert_true(x[i] == (float)(uc - vs));
        assert_true(x[i + 1] == (float)(vc + us));
        n_other += x[i] != sum_of_products(u, c, v, -s, false);
    }
    assert_true(n_other > 0); /* products in float32 would not do */
    sinpos_encoding_destroy(e);
}

/* Which types can be rotated, by the word that the catalogue has for the types of the products. */
static bool is_rotated_in(const char *product, sinpos_type type)
{
    if (product == NULL)
        return type == SINPOS_F32;
    return strcmp(product, "x, f32") != 0 || type != SINPOS_F64; /* float32 times float64 is neither */
}

static void types_of_rotations(void **state)
{
    enum { WIDE = 4096 };
    static unsigned char x[8 * WIDE];
    size_t n_mixed = 0, n_unknown = 0, n_known = 0;
    (void)state;
    for (size_t k = 0; k < sinpos_conventions_count(); k++) {
        const sinpos_convention *c = sinpos_convention_at(k);
        sinpos_parameters *p = no_parameters();
        sinpos_encoding *e = NULL;
        assert_int_equal(sinpos_parameters_set_text(p, "arithmetic", "published"), SINPOS_OK);
        assert_int_equal(sinpos_parameters_set_text(p, "output", "rotated"), SINPOS_OK);
        if (sinpos_convention_text(c, "pairing") == NULL ||
            sinpos_encoding_create(&e, sinpos_convention_name(c), p, 0, NULL) != SINPOS_OK) {
            sinpos_parameters_destroy(p);
            continue;
        }
        for (size_t t = 0; t < N_TYPES; t++) {
            const sinpos_status want =
                is_rotated_in(sinpos_convention_text(c, "published_product"), all_types[t]) ? SINPOS_OK : SINPOS_E_TYPE;
            set_pattern(x, sizeof x);
            assert_int_equal(sinpos_encoding_rotate(e, 0, 1, SINPOS_FORWARD, 1, all_types[t], x, WIDE, WIDE, 1), want);
            assert_true(want == SINPOS_OK || is_pattern(x, sizeof x));
            assert_int_equal(sinpos_encoding_fill(e, 0, 1, all_types[t], x, WIDE, 1), want);
            assert_true(want == SINPOS_OK || is_pattern(x, sizeof x));
        }
        n_unknown += sinpos_convention_text(c, "published_product") == NULL;
        n_mixed += sinpos_convention_text(c, "published_product") != NULL &&
                   strcmp(sinpos_convention_text(c, "published_product"), "x, f32") == 0;
        n_known += sinpos_convention_text(c, "published_product") != NULL;
        sinpos_encoding_destroy(e);
        sinpos_parameters_destroy(p);
    }
    assert_true(n_mixed > 0 && n_unknown > 0 && n_known > n_mixed);
}

static void rotation_arguments(void **state)
{
    sinpos_plan *plan = plan_of(DIM, SINPOS_SIN_COS);
    sinpos_replay *replay = replay_of(plan, "float32");
    const int64_t integers[2] = {0, INT64_MIN};
    const sinpos_rows rows = {.struct_size = sizeof rows, .n = 2},
                      far = {.struct_size = sizeof far, .n = 2, .integers = integers};
    float x[2 * DIM] = {0};
    (void)state;
    assert_int_equal(sinpos_replay_rotate(NULL, &rows, SINPOS_FORWARD, 1, SINPOS_F32, x, DIM, DIM, 1), SINPOS_E_NULL);
    assert_int_equal(sinpos_replay_rotate(replay, NULL, SINPOS_FORWARD, 1, SINPOS_F32, x, DIM, DIM, 1), SINPOS_E_NULL);
    assert_int_equal(sinpos_replay_rotate(replay, &rows, SINPOS_FORWARD, 1, SINPOS_F32, NULL, DIM, DIM, 1),
                     SINPOS_E_NULL);
    assert_int_equal(sinpos_replay_rotate(replay, &rows, SINPOS_INVERSE, 1, SINPOS_F32, x, DIM, DIM, 1),
                     SINPOS_E_UNSUPPORTED);
    assert_int_equal(sinpos_replay_rotate(replay, &rows, SINPOS_FORWARD, 1, SINPOS_F32, x, DIM - 1, DIM, 1),
                     SINPOS_E_SHAPE);
    assert_int_equal(sinpos_replay_rotate(replay, &rows, SINPOS_FORWARD, 1, (sinpos_type)3, x, DIM, DIM, 1),
                     SINPOS_E_TYPE);
    assert_int_equal(sinpos_replay_rotate(replay, &far, SINPOS_FORWARD, 1, SINPOS_F32, x, DIM, DIM, 1), SINPOS_E_RANGE);
    assert_int_equal(sinpos_replay_rotate(replay, &rows, SINPOS_FORWARD, 0, SINPOS_F32, NULL, DIM, DIM, 1), SINPOS_OK);
    sinpos_replay_destroy(replay);
    sinpos_plan_destroy(plan);
}

static void arguments(void **state)
{
    (void)state;
    sinpos_plan *plan = plan_of(DIM, SINPOS_SIN_COS);
    sinpos_replay *replay = NULL;
    const sinpos_rows rows = {.struct_size = sizeof rows, .n = 1};
    float out[DIM];
    size_t n;
    assert_int_equal(sinpos_replay_create(NULL, plan, "ggml"), SINPOS_E_NULL);
    assert_int_equal(sinpos_replay_create(&replay, NULL, "ggml"), SINPOS_E_NULL);
    assert_int_equal(sinpos_replay_create(&replay, plan, "published"), SINPOS_E_NAME);
    assert_null(replay);
    replay = replay_of(plan, "ggml");
    assert_int_equal(sinpos_replay_run(NULL, SINPOS_FILL, &rows, SINPOS_F32, out, DIM, 1), SINPOS_E_NULL);
    assert_int_equal(sinpos_replay_run(replay, SINPOS_FILL, &rows, SINPOS_F32, NULL, DIM, 1), SINPOS_E_NULL);
    assert_int_equal(sinpos_replay_run(replay, SINPOS_FILL, &rows, SINPOS_F32, out, DIM - 1, 1), SINPOS_E_SHAPE);
    assert_int_equal(sinpos_replay_run(replay, SINPOS_FILL, &rows, (sinpos_type)3, out, DIM, 1), SINPOS_E_TYPE);
    assert_int_equal(sinpos_replay_run(replay, SINPOS_GRADIENT_THETA, &rows, SINPOS_F32, out, DIM, 1), SINPOS_E_VALUE);
    assert_int_equal(sinpos_replay_theta(replay, NULL, 0, &n), SINPOS_OK);
    assert_int_equal(n, TONES);
    assert_int_equal(sinpos_replay_theta(NULL, NULL, 0, &n), SINPOS_E_NULL);
    assert_null(sinpos_arithmetic_at(sinpos_arithmetics_count()));
    assert_null(sinpos_arithmetic_find("exact"));
    assert_string_equal(sinpos_arithmetic_text(sinpos_arithmetic_find("float32"), "name"), "float32-exp");
    sinpos_replay_destroy(replay);
    sinpos_replay_destroy(NULL);
    sinpos_plan_destroy(plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_plain_c),
        cmocka_unit_test(sixteen_bits),
        cmocka_unit_test(same_bytes),
        cmocka_unit_test(edges),
        cmocka_unit_test(last_rounding),
        cmocka_unit_test(in_turns),
        cmocka_unit_test(coordinates_apart),
        cmocka_unit_test(negated_angles),
        cmocka_unit_test(every_arithmetic_has_phases),
        cmocka_unit_test(phases_in_turns),
        cmocka_unit_test(quarter_turns),
        cmocka_unit_test(scaled_frequencies),
        cmocka_unit_test(several_coordinates_in_a_tone),
        cmocka_unit_test(far_positions),
        cmocka_unit_test(many_rows),
        cmocka_unit_test(large_grid),
        cmocka_unit_test(rotated_as_plain_c),
        cmocka_unit_test(ties_of_sums),
        cmocka_unit_test(products_in_float64),
        cmocka_unit_test(types_of_rotations),
        cmocka_unit_test(rotation_arguments),
        cmocka_unit_test(arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
