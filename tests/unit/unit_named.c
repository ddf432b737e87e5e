/* Encodings by name: what general words override, coordinates, rotation of rows, values worked out by hand. */
#include <math.h>

#include "sinpos_conventions.h"
#include "unit.h"

static sinpos_parameters *new_parameters(void)
{
    sinpos_parameters *p = NULL;
    assert_int_equal(sinpos_parameters_create(&p), SINPOS_OK);
    return p;
}

static void put_number(sinpos_parameters *p, const char *name, double x)
{
    assert_int_equal(sinpos_parameters_set_number(p, name, x), SINPOS_OK);
}

static void put_text(sinpos_parameters *p, const char *name, const char *text)
{
    assert_int_equal(sinpos_parameters_set_text(p, name, text), SINPOS_OK);
}

/* Takes the parameters. */
static sinpos_encoding *make(const char *name, sinpos_parameters *p)
{
    sinpos_error error = SINPOS_ERROR_INIT;
    sinpos_encoding *e = NULL;
    const sinpos_status status = sinpos_encoding_create(&e, name, p, 0, &error);
    if (status != SINPOS_OK)
        fail_msg("%s: %s", name, error.message);
    sinpos_parameters_destroy(p);
    return e;
}

static void refused(const char *name, sinpos_parameters *p, const char *message)
{
    sinpos_error error = SINPOS_ERROR_INIT;
    sinpos_encoding *e = NULL;
    assert_int_not_equal(sinpos_encoding_create(&e, name, p, 0, &error), SINPOS_OK);
    assert_null(e);
    assert_non_null(strstr(error.message, message));
    sinpos_parameters_destroy(p);
}

/* ------------------------------------------------------------------------------------------------- Overrides */

static sinpos_parameters *small_whisper(void)
{
    sinpos_parameters *p = new_parameters();
    put_number(p, "length", 3);
    put_number(p, "channels", 8);
    return p;
}

/* As a specification states it. */
static void overrides(void **state)
{
    (void)state;
    double got[3][8], want[3][8];
    for (int cosine_first = 0; cosine_first < 2; cosine_first++)
        for (int halves = 0; halves < 2; halves++) {
            sinpos_spec s = SINPOS_SPEC_INIT;
            sinpos_plan *plan;
            sinpos_parameters *p = small_whisper();
            s.dim = 8;
            s.divisor = 3;
            s.amplitude = 0.75;
            s.scale = 0.5;
            s.layout = halves ? SINPOS_HALVES : SINPOS_INTERLEAVED;
            s.order = cosine_first ? SINPOS_COS_SIN : SINPOS_SIN_COS;
            put_number(p, "override.amplitude", s.amplitude);
            put_number(p, "override.scale", s.scale);
            put_text(p, "override.layout", halves ? "halves" : "interleaved");
            put_text(p, "override.order", cosine_first ? "cos-sin" : "sin-cos");
            sinpos_encoding *e = make("whisper_sinusoids", p);
            assert_int_equal(sinpos_encoding_fill(e, 0, 3, SINPOS_F64, got, 8, 1), SINPOS_OK);
            assert_int_equal(sinpos_plan_create(&plan, &s), SINPOS_OK);
            assert_int_equal(sinpos_fill(plan, 0, 3, SINPOS_F64, want, 8), SINPOS_OK);
            assert_memory_equal(got, want, sizeof got);
            sinpos_plan_destroy(plan);
            sinpos_encoding_destroy(e);
        }
}

static void overrides_refused(void **state)
{
    (void)state;
    sinpos_parameters *p = small_whisper();
    put_number(p, "override.shift", 1);
    refused("whisper_sinusoids", p, "override.amplitude");
    p = small_whisper();
    put_text(p, "override.layout", "half");
    refused("whisper_sinusoids", p, "interleaved or halves");
    p = small_whisper();
    put_text(p, "override.amplitude", "2");
    refused("whisper_sinusoids", p, "amplitude must be a number");
    p = new_parameters();
    put_text(p, "override.layout", "halves");
    refused("mae_2d", p, "several coordinates");
    p = new_parameters();
    put_text(p, "override.order", "cos-sin");
    refused("hf_rope", p, "no order");
    static const char *const arithmetics[] = {"published", "float32", "ggml"};
    for (size_t k = 0; k < 6; k++) {
        p = small_whisper();
        put_text(p, "arithmetic", arithmetics[k / 2]);
        put_number(p, k % 2 == 0 ? "override.scale" : "override.amplitude", 2);
        refused("whisper_sinusoids", p, "no published arithmetic");
    }
}

/* ----------------------------------------------------------------------------------------------- Coordinates */

static void coordinates(void **state)
{
    (void)state;
    double at[9][2];
    sinpos_parameters *p = new_parameters();
    put_number(p, "grid_size", 3);
    sinpos_encoding *e = make("mae_2d", p);
    assert_int_equal(sinpos_encoding_coordinates(e, 0, 9, at[0]), SINPOS_OK);
    assert_int_equal(sinpos_encoding_info_get(e)->n_axes, 2);
    assert_true(at[5][0] == 2 && at[5][1] == 1); /* column of the patch, then row */
    assert_int_equal(sinpos_encoding_coordinates(e, 9, 1, at[0]), SINPOS_E_RANGE);
    assert_int_equal(sinpos_encoding_coordinates(e, 0, 1, NULL), SINPOS_E_NULL);
    assert_int_equal(sinpos_encoding_coordinates(NULL, 0, 1, at[0]), SINPOS_E_NULL);
    sinpos_encoding_destroy(e);

    p = small_whisper();
    put_number(p, "start", 5);
    put_number(p, "step", 0.5);
    e = make("whisper_sinusoids", p);
    assert_int_equal(sinpos_encoding_coordinates(e, 1, 2, at[0]), SINPOS_OK);
    assert_true(at[0][0] == 5.5 && at[0][1] == 6);
    sinpos_encoding_destroy(e);
}

/* -------------------------------------------------------------------------------------------------- Rotation */

static sinpos_parameters *rotary(double dim, double length)
{
    sinpos_parameters *p = new_parameters();
    put_text(p, "output", "rotated");
    put_number(p, "dim", dim);
    put_number(p, "length", length);
    return p;
}

enum { ROWS = 3, HEADS = 2, DIM = 8, WIDE = 9 };

static void make_rows(double *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        x[i] = (double)((37 * i + 11) % 64) / 16 - 2;
}

/* Pairs are read adjacent, and the result stands in halves: a rotation of neighbours, then a permutation. */
static void result_in_halves(void **state)
{
    (void)state;
    double x[ROWS][HEADS][WIDE], plain[ROWS][HEADS][WIDE], start[ROWS][HEADS][WIDE];
    sinpos_encoding *moved = make("hf_deepseek_v3_rope", rotary(DIM, ROWS));
    sinpos_encoding *neighbours = make("llama_reference_rope", rotary(DIM, ROWS));
    for (int direction = 0; direction < 3; direction++) {
        make_rows(start[0][0], ROWS * HEADS * WIDE);
        memcpy(x, start, sizeof x);
        memcpy(plain, start, sizeof x);
        if (direction != SINPOS_FORWARD) { /* what forward gave */
            assert_int_equal(sinpos_encoding_rotate(moved, 0, ROWS, SINPOS_FORWARD, HEADS, SINPOS_F64, x,
                                                    (size_t)HEADS * WIDE, WIDE, 1),
                             SINPOS_OK);
        }
        assert_int_equal(sinpos_encoding_rotate(moved, 0, ROWS, (sinpos_direction)direction, HEADS, SINPOS_F64, x,
                                                (size_t)HEADS * WIDE, WIDE, 1),
                         SINPOS_OK);
        assert_int_equal(sinpos_encoding_rotate(neighbours, 0, ROWS, SINPOS_FORWARD, HEADS, SINPOS_F64, plain,
                                                (size_t)HEADS * WIDE, WIDE, 1),
                         SINPOS_OK);
        for (int i = 0; i < ROWS * HEADS; i++)
            for (int j = 0; j < WIDE; j++) {
                const int from = j < DIM / 2 ? 2 * j : j < DIM ? 2 * (j - DIM / 2) + 1 : j;
                const double *row = (direction == SINPOS_FORWARD ? plain : start)[i / HEADS][i % HEADS];
                const double want = row[direction == SINPOS_FORWARD ? from : j];
                const double off = x[i / HEADS][i % HEADS][j] - want;
                assert_true(off < 1e-15 && off > -1e-15);
            }
    }
    sinpos_encoding_destroy(moved);
    sinpos_encoding_destroy(neighbours);
}

/* The layout that is asked for is that of the result, too. */
static void layout_of_the_result(void **state)
{
    (void)state;
    static const char *const layouts[] = {"interleaved", "halves"};
    for (size_t k = 0; k < 2; k++) {
        double x[2][ROWS][DIM];
        for (size_t i = 0; i < 2; i++) { /* the first has a result in halves, the second in pairs */
            sinpos_parameters *p = rotary(DIM, ROWS);
            put_text(p, "override.layout", layouts[k]);
            sinpos_encoding *e = make(i == 0 ? "hf_deepseek_v3_rope" : "llama_reference_rope", p);
            make_rows(x[i][0], (size_t)ROWS * DIM);
            assert_int_equal(sinpos_encoding_rotate(e, 0, ROWS, SINPOS_FORWARD, 1, SINPOS_F64, x[i], DIM, DIM, 1),
                             SINPOS_OK);
            sinpos_encoding_destroy(e);
        }
        assert_memory_equal(x[0], x[1], sizeof x[0]);
    }
}

/* Row 0 of fairseq2's table is zero: it erases, and nothing undoes that. */
static void rows_that_erase(void **state)
{
    (void)state;
    double x[ROWS][DIM], before[ROWS][DIM];
    sinpos_encoding *e = make("fairseq2_rotary_table", rotary(DIM, ROWS));
    make_rows(x[0], (size_t)ROWS * DIM);
    memcpy(before, x, sizeof x);
    assert_int_equal(sinpos_encoding_rotate(e, 0, ROWS, SINPOS_INVERSE, 1, SINPOS_F64, x, DIM, DIM, 1), SINPOS_E_VALUE);
    assert_memory_equal(x, before, sizeof x);
    assert_int_equal(sinpos_encoding_rotate(e, 0, ROWS, SINPOS_FORWARD, 1, SINPOS_F64, x, DIM, DIM, 1), SINPOS_OK);
    for (size_t j = 0; j < DIM; j++)
        assert_true(x[0][j] == 0);
    assert_memory_equal(x[1], before[1], sizeof x[1]); /* position 0 */
    for (size_t first = 0; first <= ROWS; first++) {
        for (size_t n = 0; n <= ROWS - first; n++) {
            const bool erases = first == 0 && n > 0;
            assert_int_equal(sinpos_encoding_rotate(e, first, n, SINPOS_INVERSE, 1, SINPOS_F64, x, DIM, DIM, 1),
                             erases ? SINPOS_E_VALUE : SINPOS_OK);
        }
    }
    sinpos_encoding_destroy(e);
}

/* The columns that turn lie within a head, also where the first of them is not the first of the head. */
static void columns_within_a_head(void **state)
{
    (void)state;
    enum { TURNING = 6, HEAD = 10 };
    static const struct {
        const char *name, *dim, *first, *head;
    } all[] = {{"ggml_rope", "n_dims", "n_offs", "ne0"}, {"rotary_embedding_torch", "dim", "start_index", "head_dim"}};
    for (size_t k = 0; k < 2; k++) {
        for (size_t first = 0; first <= HEAD + 1; first++) {
            sinpos_parameters *p = rotary(TURNING, ROWS);
            put_number(p, all[k].dim, TURNING);
            put_number(p, all[k].first, (double)first);
            put_number(p, all[k].head, HEAD);
            if (first + TURNING > HEAD) {
                sinpos_encoding *none;
                assert_int_equal(sinpos_encoding_create(&none, all[k].name, p, 0, NULL), SINPOS_E_VALUE);
                refused(all[k].name, p, "a head has 10");
                continue;
            }
            double x[ROWS][HEAD], before[ROWS][HEAD];
            sinpos_encoding *e = make(all[k].name, p);
            make_rows(x[0], (size_t)ROWS * HEAD);
            memcpy(before, x, sizeof x);
            assert_int_equal(sinpos_encoding_rotate(e, 0, ROWS, SINPOS_FORWARD, 1, SINPOS_F64, x, HEAD, HEAD, 1),
                             SINPOS_OK);
            for (size_t row = 0; row < ROWS; row++)
                for (size_t j = 0; j < HEAD; j++) {
                    const bool turns = row > 0 && j >= first && j < first + TURNING;
                    assert_true((x[row][j] == before[row][j]) == !turns);
                }
            sinpos_encoding_destroy(e);
        }
    }
}

/* Cosine, minus sine; sine, cosine: the bits of the complex numbers, one sign changed. Row 0 is left out: minus 0 is 0. */
static void check_matrix(const char *name, sinpos_parameters *(*parameters)(void), const char *arithmetic)
{
    enum { PAIRS = 64 };
    static double matrix[ROWS * 4 * PAIRS], cis[ROWS * 2 * PAIRS];
    sinpos_encoding *e[2];
    for (int k = 0; k < 2; k++) {
        sinpos_parameters *p = parameters();
        put_text(p, "output", k == 0 ? "matrix" : "cis");
        put_text(p, "arithmetic", arithmetic);
        e[k] = make(name, p);
    }
    const size_t n_pairs = sinpos_encoding_info_get(e[1])->n_columns / 2;
    assert_true(n_pairs <= PAIRS && sinpos_encoding_info_get(e[0])->n_columns == 4 * n_pairs);
    for (size_t t = 0; t < N_TYPES; t++) {
        const sinpos_type type = all_types[t];
        const uint64_t sign = (uint64_t)1 << (8 * type_size(type) - 1);
        assert_int_equal(sinpos_encoding_fill(e[0], 1, ROWS, type, matrix, 4 * n_pairs, 1), SINPOS_OK);
        assert_int_equal(sinpos_encoding_fill(e[1], 1, ROWS, type, cis, 2 * n_pairs, 1), SINPOS_OK);
        for (size_t i = 0; i < ROWS * n_pairs; i++) {
            const uint64_t cosine = load_bits(cis, type, 2 * i), sine = load_bits(cis, type, 2 * i + 1);
            assert_true(load_bits(matrix, type, 4 * i) == cosine && load_bits(matrix, type, 4 * i + 3) == cosine);
            assert_true(load_bits(matrix, type, 4 * i + 1) == (sine ^ sign));
            assert_true(load_bits(matrix, type, 4 * i + 2) == sine);
        }
    }
    sinpos_encoding_destroy(e[0]);
    sinpos_encoding_destroy(e[1]);
}

static sinpos_parameters *plain_head(void)
{
    sinpos_parameters *p = new_parameters();
    put_number(p, "head_dim", 32);
    put_number(p, "length", ROWS + 1);
    return p;
}

/* YaRN's amplitude, 0.1 ln f + 1, is a sum of doubles. */
static sinpos_parameters *yarn_head(void)
{
    sinpos_parameters *p = plain_head();
    put_text(p, "rope_type", "yarn");
    put_number(p, "factor", 40);
    return p;
}

static void matrices(void **state)
{
    (void)state;
    check_matrix("hf_rope", plain_head, "exact");
    check_matrix("hf_rope", yarn_head, "exact");
    check_matrix("hf_rope", plain_head, "published");
    check_matrix("hf_rope", yarn_head, "published");
    check_matrix("hf_rope", yarn_head, "ggml");
    check_matrix("nanochat_rope", plain_head, "exact");
    check_matrix("nanochat_rope", plain_head, "published");
}

/* What is refused is refused before a row of zeros erases. */
static void refused_before_erasing(void **state)
{
    (void)state;
    static const struct request {
        sinpos_direction direction;
        size_t n, n_heads, ld_row, ld_head, n_threads;
    } requests[] = {
        {SINPOS_FORWARD, ROWS, 1, 1, DIM, 1},           {SINPOS_FORWARD, ROWS, 1, DIM - 1, DIM, 1},
        {SINPOS_FORWARD, 2, 2, 2 * DIM, 1, 1},          {SINPOS_FORWARD, 2, 2, SIZE_MAX / 8, DIM, 1},
        {SINPOS_TRANSPOSE, 1, 2, DIM, SIZE_MAX / 4, 1}, {SINPOS_TRANSPOSE, 1, 2, DIM, DIM - 1, 1},
    };
    double x[ROWS][DIM];
    sinpos_encoding *e = make("fairseq2_rotary_table", rotary(DIM, ROWS));
    set_pattern(x, sizeof x);
    for (size_t i = 0; i < sizeof requests / sizeof requests[0]; i++) {
        const struct request *r = &requests[i];
        assert_int_equal(sinpos_encoding_rotate(e, 0, r->n, r->direction, r->n_heads, SINPOS_F64, x, r->ld_row,
                                                r->ld_head, r->n_threads),
                         SINPOS_E_SHAPE);
        assert_true(is_pattern(x, sizeof x));
    }
    assert_int_equal(sinpos_encoding_fill(e, 0, ROWS, SINPOS_F64, x, DIM, 1025), SINPOS_E_VALUE);
    assert_int_equal(sinpos_encoding_rotate(e, 0, ROWS, SINPOS_FORWARD, 1, SINPOS_F64, x, DIM, DIM, 1025),
                     SINPOS_E_VALUE);
    assert_int_equal(sinpos_encoding_fill(e, 0, ROWS, SINPOS_F64, x, DIM - 1, 1), SINPOS_E_SHAPE);
    assert_true(is_pattern(x, sizeof x));
    assert_int_equal(sinpos_encoding_rotate(e, 0, 0, SINPOS_FORWARD, 1, SINPOS_F64, x, 0, 0, 1), SINPOS_OK);
    assert_int_equal(sinpos_encoding_rotate(e, 0, ROWS, SINPOS_FORWARD, 0, SINPOS_F64, x, 0, 0, 1), SINPOS_OK);
    assert_true(is_pattern(x, sizeof x));
    sinpos_encoding_destroy(e);
}

static void rotation_refused(void **state)
{
    (void)state;
    double x[ROWS][DIM];
    sinpos_encoding *e = make("hf_deepseek_v3_rope", rotary(DIM, ROWS));
    set_pattern(x, sizeof x);
    assert_int_equal(sinpos_encoding_rotate(NULL, 0, 1, SINPOS_FORWARD, 1, SINPOS_F64, x, DIM, DIM, 1), SINPOS_E_NULL);
    assert_int_equal(sinpos_encoding_rotate(e, 0, 1, SINPOS_FORWARD, 1, SINPOS_F64, NULL, DIM, DIM, 1), SINPOS_E_NULL);
    assert_int_equal(sinpos_encoding_rotate(e, 1, ROWS, SINPOS_FORWARD, 1, SINPOS_F64, x, DIM, DIM, 1), SINPOS_E_RANGE);
    assert_int_equal(sinpos_encoding_rotate(e, 0, 1, (sinpos_direction)7, 1, SINPOS_F64, x, DIM, DIM, 1),
                     SINPOS_E_VALUE);
    assert_int_equal(sinpos_encoding_rotate(e, 0, 2, SINPOS_INVERSE, 1, SINPOS_F64, x, DIM - 1, DIM, 1),
                     SINPOS_E_SHAPE);
    assert_true(is_pattern(x, sizeof x));
    sinpos_encoding_destroy(e);
    e = make("whisper_sinusoids", small_whisper());
    assert_int_equal(sinpos_encoding_rotate(e, 0, 1, SINPOS_FORWARD, 1, SINPOS_F64, x, DIM, DIM, 1),
                     SINPOS_E_UNSUPPORTED);
    sinpos_encoding_destroy(e);
    sinpos_parameters *p = new_parameters();
    put_text(p, "output", "rotated");
    refused("whisper_sinusoids", p, "not rotary");
}

/* -------------------------------------------------------------------------------------------- Values by hand */

static sinpos_parameters *with(const char *const *words)
{
    sinpos_parameters *p = new_parameters();
    for (; words[0] != NULL; words += 2) {
        char *end;
        const double x = strtod(words[1], &end);
        if (*end == '\0')
            put_number(p, words[0], x);
        else if (strcmp(words[1], "true") == 0)
            assert_int_equal(sinpos_parameters_set_flag(p, words[0], 1), SINPOS_OK);
        else
            put_text(p, words[0], words[1]);
    }
    return p;
}

/* Elements that the formulas of the sources give, in float64. */
static void elements_by_hand(void **state)
{
    (void)state;
    const double k = 0.1 * log(40); /* of YaRN */
    const struct {
        const char *name, *words[13];
        size_t row, column;
        double want;
    } all[] = {
        /* the last frequency is min_timescale^2 / max_timescale, and the first min_timescale */
        {"t2t_timing_1d", {"channels", "8", "min_timescale", "2", "max_timescale", "512"}, 1, 3, sin(4.0 / 512)},
        {"t2t_timing_1d", {"channels", "8", "min_timescale", "2", "max_timescale", "512"}, 1, 0, sin(2)},
        {"t2t_timing_1d", {"channels", "8", "min_timescale", "2", "max_timescale", "512"}, 3, 7, cos(12.0 / 512)},
        /* the two kinds differ in the schedule, too */
        {"onmtpy", {"dim", "8", "enc_type", "SinusoidalConcat"}, 7, 3, sin(7e-4)},
        {"onmtpy", {"dim", "8", "enc_type", "SinusoidalConcat"}, 1, 1, sin(pow(10000, -1.0 / 3))},
        {"onmtpy", {"dim", "8"}, 7, 6, sin(7e-3)},
        {"onmtpy", {"dim", "8"}, 1, 2, sin(0.1)},
        {"espnet_pe", {"d_model", "8", "max_len", "5", "reverse", "true"}, 0, 0, sin(4)},
        {"espnet_pe", {"d_model", "8", "max_len", "5", "reverse", "true"}, 1, 3, cos(0.3)},
        {"espnet_pe", {"d_model", "8", "max_len", "5", "reverse", "true"}, 4, 1, 1},
        {"espnet_pe", {"d_model", "8", "max_len", "5"}, 4, 0, sin(4)},
        /* YaRN's amplitudes, DeepSeek's with two scales */
        {"hf_rope", {"head_dim", "8", "rope_type", "yarn", "factor", "40", "output", "cis"}, 0, 0, 1 + k},
        {"hf_rope",
         {"head_dim", "8", "rope_type", "yarn", "factor", "40", "output", "cis", "mscale", "2", "mscale_all_dim",
          "0.5"},
         0,
         2,
         (1 + 2 * k) / (1 + 0.5 * k)},
        {"hf_rope", {"head_dim", "8", "rope_type", "yarn", "factor", "0.5", "output", "cis"}, 0, 0, 1},
        /* the base of dynamic scaling stays up to the trained context of 2048, and grows behind it */
        {"hf_rope", {"head_dim", "8", "rope_type", "dynamic", "factor", "4", "output", "inv_freq"}, 0, 1, 0.1},
        {"hf_rope",
         {"head_dim", "8", "rope_type", "dynamic", "factor", "4", "output", "inv_freq", "seq_len", "1000"},
         0,
         2,
         0.01},
        {"hf_rope",
         {"head_dim", "8", "rope_type", "dynamic", "factor", "4", "output", "inv_freq", "seq_len", "8192"},
         0,
         1,
         pow(10000 * pow(4.0 * 8192 / 2048 - 3, 8.0 / 6), -0.25)},
        {"modded_nanogpt_rope", {"head_dim", "24", "output", "inv_freq"}, 0, 1, 0.25},
        {"modded_nanogpt_rope", {"head_dim", "24", "output", "inv_freq"}, 0, 5, 1.0 / 1024},
        {"modded_nanogpt_rope", {"head_dim", "24", "output", "inv_freq"}, 0, 6, 0},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        double row[32];
        sinpos_encoding *e = make(all[i].name, with(all[i].words));
        assert_true(sinpos_encoding_info_get(e)->n_columns <= 32);
        assert_int_equal(sinpos_encoding_fill(e, all[i].row, 1, SINPOS_F64, row, 32, 1), SINPOS_OK);
        const double got = row[all[i].column];
        assert_or_say(fabs(got - all[i].want) <= 1e-15 * fabs(all[i].want), "%s: element %zu, %zu is %.17g, not %.17g",
                      all[i].name, all[i].row, all[i].column, got, all[i].want);
        sinpos_encoding_destroy(e);
    }
}

/* fairseq counts the tokens that are not padding, ESM the columns. */
static void positions_of_tokens(void **state)
{
    (void)state;
    static const double tokens[8] = {1, 1, 7, 9, 5, 1, 3, 1};
    static const double ranks[8] = {1, 1, 2, 3, 2, 1, 3, 1}, columns[8] = {1, 1, 4, 5, 2, 1, 4, 1};
    static const size_t shape[2] = {2, 4};
    for (size_t k = 0; k < 2; k++) {
        double at[8], rows[8][DIM];
        sinpos_parameters *p = new_parameters();
        put_number(p, "padding_idx", 1);
        put_number(p, k == 0 ? "embedding_dim" : "embed_dim", DIM);
        assert_int_equal(sinpos_parameters_set_list(p, "tokens", tokens, 2, shape), SINPOS_OK);
        sinpos_encoding *e = make(k == 0 ? "fairseq_sinusoidal" : "esm_sinusoidal", p);
        assert_int_equal(sinpos_encoding_coordinates(e, 0, 8, at), SINPOS_OK);
        assert_memory_equal(at, k == 0 ? ranks : columns, sizeof at);
        assert_int_equal(sinpos_encoding_fill(e, 0, 8, SINPOS_F64, rows[0], DIM, 1), SINPOS_OK);
        for (size_t i = 0; i < 8; i++) /* sine and cosine of frequency 0, which is 1; rows of padding are zero */
            assert_true(tokens[i] == 1 ? rows[i][0] == 0 && rows[i][DIM / 2] == 0
                                       : fabs(rows[i][0] - sin(at[i])) < 1e-15 && rows[i][DIM / 2] != 0);
        sinpos_encoding_destroy(e);
    }
}

/* FLUX: angles in float64, the matrices in float32. */
static void float32_of_float64_angles(void **state)
{
    (void)state;
    static const double ids[6] = {0, 31, 77, 1000003, 5, 12}, widths[3] = {4, 4, 4};
    static const size_t shape[2] = {2, 3}, three = 3;
    double got[2][24];
    sinpos_parameters *p = new_parameters();
    assert_int_equal(sinpos_parameters_set_list(p, "ids", ids, 2, shape), SINPOS_OK);
    assert_int_equal(sinpos_parameters_set_list(p, "axes_dim", widths, 1, &three), SINPOS_OK);
    put_text(p, "arithmetic", "published");
    sinpos_encoding *e = make("flux_rope", p);
    assert_int_equal(sinpos_encoding_fill(e, 0, 2, SINPOS_F64, got[0], 24, 1), SINPOS_OK);
    for (size_t row = 0; row < 2; row++)
        for (size_t j = 0; j < 24; j++) {
            const double angle = ids[row * 3 + j / 8] * (j / 4 % 2 == 0 ? 1 : 0.01);
            const float cosine = (float)cos(angle), sine = (float)sin(angle);
            assert_true(got[row][j] == (double)(j % 4 == 1 ? -sine : j % 4 == 2 ? sine : cosine));
        }
    sinpos_encoding_destroy(e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(overrides),
        cmocka_unit_test(overrides_refused),
        cmocka_unit_test(coordinates),
        cmocka_unit_test(result_in_halves),
        cmocka_unit_test(layout_of_the_result),
        cmocka_unit_test(rows_that_erase),
        cmocka_unit_test(columns_within_a_head),
        cmocka_unit_test(matrices),
        cmocka_unit_test(rotation_refused),
        cmocka_unit_test(refused_before_erasing),
        cmocka_unit_test(elements_by_hand),
        cmocka_unit_test(positions_of_tokens),
        cmocka_unit_test(float32_of_float64_angles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
