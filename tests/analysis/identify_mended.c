/* identify_mended.c - tables that something was done to, one of each kind that was once misnamed: each is judged right. */
#include <math.h>
#include <string.h>

#include "cases.h"
#include "generated.h"
#include "identify_table.h"

static const change *named(const char *name)
{
    for (size_t i = 0; i < n_changes; i++)
        if (strcmp(changes[i].name, name) == 0)
            return &changes[i];
    return NULL;
}

/* What is said of the source with these changes must hold, and nothing be left. */
static void must_be_right(source *s, const char *first, const char *second, uint64_t seed)
{
    drawn d = {.source = *s, .seed = seed};
    const char *const names[] = {first, second}, *why = "";
    array a;
    for (size_t i = 0; i < 2 && names[i] != NULL; i++)
        d.changes[d.n_changes++] = named(names[i]);
    assert_true(drawn_make(&a, &d, false, 1));
    struct memory memory = {a.data, a.dim * a.size};
    const sinpos_table table = {a.n_dims, a.shape, a.type, read_rows, &memory};
    sinpos_identity *found;
    assert_int_equal(sinpos_identify(&found, &table, 1), SINPOS_OK);
    const verdict v = judge(&d, &a, found, &why);
    assert_or_say(v == RIGHT, "%s, seed %llu, %s, %s: %s", s->convention == NULL ? "formula" : s->convention,
                  (unsigned long long)seed, first == NULL ? "unchanged" : first, second == NULL ? "" : second, why);
    sinpos_identity_destroy(found);
    array_free(&a);
}

static source make_formula(size_t dim, size_t n, double base)
{
    source s = {.spec = SINPOS_SPEC_INIT, .type = SINPOS_F32, .n = n};
    s.spec.dim = dim;
    s.spec.base = base;
    return s;
}

static source make_named(const char *convention, const char *dim, double width)
{
    source s = {.convention = convention, .type = SINPOS_F32, .n_settings = 2};
    s.settings[0] = (setting){.name = dim, .number = width};
    s.settings[1] = (setting){.name = "output", .kind = SET_WORD, .word = "table"};
    return s;
}

/* No formula gives the slow columns where frequencies were slowed down. */
static void signs(void **state)
{
    (void)state;
    source llama = make_named("llama_reference_rope", "dim", 64);
    llama.settings[llama.n_settings++] = (setting){.name = "use_scaled", .kind = SET_FLAG, .number = 1};
    llama.settings[llama.n_settings++] = (setting){.name = "theta", .number = 500000};
    llama.settings[llama.n_settings++] = (setting){.name = "end", .number = 300};
    static const uint64_t seeds[] = {1, 4};
    for (size_t i = 0; i < sizeof seeds / sizeof seeds[0]; i++) {
        source plain = make_formula(64, 300, 10000);
        must_be_right(&plain, "sign", NULL, seeds[i]);
        must_be_right(&llama, "sign", NULL, seeds[i]);
    }
    source late = make_formula(22, 29, 10000), narrow = make_formula(16, 112, 20000);
    late.start = 100;
    narrow.type = SINPOS_F16;
    late.spec.layout = SINPOS_HALVES;
    for (uint64_t seed = 1; seed <= 4; seed++) {
        must_be_right(&late, "sign", NULL, seed);
        must_be_right(&narrow, "sign", NULL, seed);
    }
}

/* Also of columns too slow to be waves, and in few bits. */
static void constants(void **state)
{
    (void)state;
    source slow = make_formula(128, 244, 6790039.0068512997), narrow = make_formula(32, 200, 10000);
    slow.type = SINPOS_F64;
    slow.start = 1000;
    narrow.type = SINPOS_BF16;
    for (uint64_t seed = 1; seed <= 2; seed++) {
        must_be_right(&slow, "constant", NULL, seed);
        must_be_right(&narrow, "constant", NULL, seed);
    }
}

static void rows_and_columns(void **state)
{
    (void)state;
    source far = make_formula(16, 343, 20000), wide = make_formula(64, 119, 35919.92368);
    far.start = 19521;
    must_be_right(&far, "noise-rows", NULL, 1);
    must_be_right(&far, "noise-rows", NULL, 2);
    must_be_right(&wide, "noise-columns", NULL, 1);
    must_be_right(&wide, "below", NULL, 1);
    must_be_right(&wide, "beside", NULL, 1);
}

/* More digits than the rounded elements show: frequencies are listed, and the arithmetic makes the table. */
static void rounded(void **state)
{
    static const char *const recipes[] = {"float32-pow", "float32-exp"};
    (void)state;
    for (size_t i = 0; i < sizeof recipes / sizeof recipes[0]; i++) {
        source s = make_formula(64, 330, i % 2 == 0 ? 147818.16873999999 : 10000);
        s.arithmetic = recipes[i];
        must_be_right(&s, NULL, NULL, 1);
        must_be_right(&s, "sign", NULL, 2);
    }
}

/* Grids whose frequencies or positions no double has: the convention makes every element. */
static void by_conventions(void **state)
{
    (void)state;
    source dino = make_named("dinov3_rope", "dim", 64), yarn = make_named("hf_rope", "head_dim", 64);
    dino = (source){.convention = "dinov3_rope", .type = SINPOS_F32};
    must_be_right(&dino, NULL, NULL, 1);
    yarn.settings[yarn.n_settings++] = (setting){.name = "max_position_embeddings", .number = 256};
    must_be_right(&yarn, NULL, NULL, 1);
    /* Double precision, and patches whose middles are rounded. */
    source patches = make_named("hf_dinov3_rope", "head_dim", 96), mrope = make_named("timm_rotary_mrope", "dim", 64);
    patches.n_settings = 1;
    patches.settings[patches.n_settings++] = (setting){.name = "num_patches_h", .number = 12};
    patches.settings[patches.n_settings++] = (setting){.name = "num_patches_w", .number = 11};
    mrope.type = SINPOS_F64;
    mrope.settings[mrope.n_settings++] = (setting){.name = "temperature", .number = 1000000};
    must_be_right(&patches, NULL, NULL, 1);
    must_be_right(&mrope, NULL, NULL, 1);
}

/* The rows are 1 / (2 pi) apart in its unit, which nobody would state. */
static void no_other_units(void **state)
{
    (void)state;
    source s = make_formula(64, 300, 20000);
    array a;
    assert_true(source_make(&a, &s, true, 1));
    sinpos_identity *found = identify(a.data, a.n, a.dim, a.type);
    assert_true(found->n_conventions > 0);
    for (size_t i = 0; i < found->n_conventions; i++)
        assert_string_not_equal(found->conventions[i].name, "hf_grounding_dino");
    sinpos_identity_destroy(found);
    array_free(&a);
}

static size_t count_findings(const sinpos_identity *found, sinpos_defect_kind kind)
{
    size_t n = 0;
    for (size_t i = 0; i < found->n_defects; i++)
        n += found->defects[i].kind == kind;
    return n;
}

/* Numbers that do not make the elements are only near, and single elements are not blamed. */
static void near_is_said(void **state)
{
    (void)state;
    source s = make_formula(64, 300, 10000);
    array a;
    assert_true(source_make(&a, &s, true, 1));
    for (size_t i = 0; i < a.n * a.dim; i++)
        array_put(&a, i / a.dim, i % a.dim, array_get(&a, i / a.dim, i % a.dim) * (1 + 1e-6 * (double)(i * 7 % 3)));
    sinpos_identity *found = identify(a.data, a.n, a.dim, a.type);
    assert_true(found->is_sinusoidal && found->unexplained > a.n * a.dim / 4);
    assert_true(found->unexplained <= found->total.wrong && found->n_altered == 0);
    assert_true(count_findings(found, SINPOS_DEFECT_ALTERED) + count_findings(found, SINPOS_DEFECT_ANGLES) == 0);
    sinpos_identity_destroy(found);
    array_free(&a);
}

/* table[:, ::-1] has base 10000, not 1 / 10000. */
static void backward(void **state)
{
    (void)state;
    source s = make_formula(64, 300, 10000);
    for (int layout = 0; layout < 2; layout++) {
        array a, b;
        s.spec.layout = layout == 0 ? SINPOS_HALVES : SINPOS_INTERLEAVED;
        assert_true(source_make(&a, &s, true, 1) && source_make(&b, &s, true, 1));
        for (size_t i = 0; i < a.n; i++)
            for (size_t j = 0; j < a.dim; j++)
                array_put(&b, i, a.dim - 1 - j, array_get(&a, i, j));
        sinpos_identity *found = identify(b.data, b.n, b.dim, b.type);
        assert_true(found->is_sinusoidal && found->unexplained == 0 && found->total.wrong == 0);
        assert_true(found->axis[0].base == 10000 && found->axis[0].divisor == 32 && found->n_defects == 1);
        assert_int_equal(found->defects[0].kind, SINPOS_DEFECT_ORDER);
        assert_non_null(strstr(found->defects[0].sentence, "reverse"));
        sinpos_identity_destroy(found);
        array_free(&a);
        array_free(&b);
    }
}

/* Copies are known by their elements, also where no layout has them. */
static void copies(void **state)
{
    (void)state;
    source llama = make_named("llama_reference_rope", "dim", 32), plain = make_formula(16, 130, 10000);
    llama.settings[llama.n_settings++] = (setting){.name = "end", .number = 200};
    for (uint64_t seed = 1; seed <= 2; seed++) {
        must_be_right(&llama, "doubled", "noise-columns", seed);
        must_be_right(&plain, "constant", "doubled", seed);
    }
    source narrow = make_formula(64, 421, 294.82693635539698), few = make_formula(64, 21, 500000);
    narrow.type = SINPOS_F16;
    narrow.start = 18362;
    few.start = 1;
    for (uint64_t seed = 1; seed <= 4; seed++) {
        must_be_right(&narrow, "doubled", NULL, seed);
        must_be_right(&few, "doubled", NULL, seed);
    }
}

/* A list of real positions, or of whole ones, in no order. */
static source make_listed(const char *convention, const char *dim, double width, const char *positions, size_t n,
                          double most, bool are_whole)
{
    random_state r = random_seed(5, n);
    source s = {.convention = convention, .type = SINPOS_F32, .n_settings = 2};
    s.settings[0] = (setting){.name = dim, .number = width};
    s.settings[1] = (setting){.name = positions, .kind = SET_LIST, .n_dims = 1, .shape = {n}};
    s.settings[1].list = calloc(n, sizeof(double));
    assert_non_null(s.settings[1].list);
    for (size_t i = 0; i < n; i++)
        s.settings[1].list[i] = are_whole ? floor(most * random_unit(&r)) : most * random_unit(&r);
    return s;
}

/* Dropped elements are unknown: rows need no order, and few will do. */
static void dropped(void **state)
{
    (void)state;
    source few = make_formula(64, 12, 10000);
    source listed = make_listed("diffusers_timestep", "embedding_dim", 32, "timesteps", 40, 1000, true);
    must_be_right(&few, "dropout", NULL, 3);
    must_be_right(&listed, "dropout", NULL, 3);
    source_free(&listed);
}

/* pi times a short number is meant exactly: sines of whole turns are 0, and doubles have all their bits. */
static void parts_of_a_turn(void **state)
{
    (void)state;
    source whole = make_named("hf_conditional_detr_gen_sine", "d_model", 32);
    whole.settings[1] = (setting){.name = "pos_tensor", .kind = SET_LIST, .n_dims = 1, .shape = {60}};
    whole.settings[1].list = calloc(60, sizeof(double));
    assert_non_null(whole.settings[1].list);
    for (size_t i = 0; i < 60; i++)
        whole.settings[1].list[i] = (double)i;
    source real = make_listed("hf_conditional_detr_gen_sine", "d_model", 32, "pos_tensor", 30, 1000, false);
    real.type = SINPOS_F64;
    for (int type = 0; type < 3; type++) {
        whole.type = type == 0 ? SINPOS_F64 : type == 1 ? SINPOS_F32 : SINPOS_BF16;
        must_be_right(&whole, NULL, NULL, 1);
    }
    must_be_right(&real, NULL, NULL, 1);
    source_free(&whole);
    source_free(&real);
}

/* Three frequencies of which one column is negated; no layout and no wave shows the others. */
static void signs_of_few_columns(void **state)
{
    (void)state;
    source three = make_formula(6, 29, 500000);
    three.type = SINPOS_F64;
    source turns = make_listed("mlx_sinusoidal", "dims", 64, "x", 117, 1, false);
    turns.settings[turns.n_settings++] = (setting){.name = "full_turns", .kind = SET_FLAG, .number = 1};
    for (size_t i = 0; i < 117; i++)
        turns.settings[1].list[i] = (double)i;
    for (uint64_t seed = 1; seed <= 3; seed++) {
        must_be_right(&three, "sign", NULL, seed);
        must_be_right(&turns, "sign", NULL, seed);
    }
    source_free(&turns);
}

/* Rows of noise before or behind positions that are in no order: pairs on circles say where these end. */
static void rows_by_circles(void **state)
{
    (void)state;
    source listed = make_listed("ldm_timestep", "dim", 32, "timesteps", 18, 1000, true);
    for (uint64_t seed = 1; seed <= 4; seed++)
        must_be_right(&listed, "noise-rows", NULL, seed);
    must_be_right(&listed, "noise-columns", NULL, 1);
    source_free(&listed);
}

/* A constant moves all circles alike: what stands beside, before and behind lies on none of those either. */
static void must_be_right_where_moved(void)
{
    source few = make_formula(16, 26, 8751.4203670000006), three = make_formula(6, 30, 10000);
    few.type = SINPOS_F64;
    must_be_right(&few, "constant", "noise-rows", 1);
    must_be_right(&three, "constant", "noise-columns", 1);
}

/*
 * What lies on one circle is a table, whatever stands beside, before and behind: less than half of an array, of listed
 * positions, of float16.
 */
static void circles_alone(void **state)
{
    (void)state;
    source few = make_formula(6, 187, 70.781222998184006);
    source listed = make_listed("ldm_timestep", "dim", 6, "timesteps", 50, 1000, true);
    source narrow = make_formula(32, 78, 100);
    narrow.type = SINPOS_F16;
    narrow.start = 1000;
    source padded = make_named("hf_kimi_k25_time", "hidden_size", 64);
    padded.type = SINPOS_F16;
    padded.settings[1] = (setting){.name = "pos_emb_time", .number = 146};
    must_be_right(&few, "noise-columns", "noise-rows", 14); /* six columns beside six */
    must_be_right(&padded, "doubled", "below", 2);
    for (uint64_t seed = 1; seed <= 2; seed++) {
        must_be_right(&few, "noise-columns", "noise-rows", seed);
        must_be_right(&listed, "noise-columns", "noise-rows", seed);
        must_be_right(&narrow, "noise-columns", "noise-rows", seed);
    }
    must_be_right_where_moved();
    source_free(&listed);
}

/* Two tables beside each other, of which no row follows the one before, or with single wrong elements: pairs say where one ends. */
static void beside_each_other(void **state)
{
    (void)state;
    source plain = make_formula(32, 31, 10000), grid = make_named("rt_detr_original", "embed_dim", 48);
    plain.spec.layout = SINPOS_HALVES;
    grid.settings[1] = (setting){.name = "h", .number = 8};
    grid.settings[grid.n_settings++] = (setting){.name = "w", .number = 5};
    for (uint64_t seed = 1; seed <= 2; seed++) {
        must_be_right(&plain, "corrupted", "beside", seed);
        must_be_right(&grid, "beside", NULL, seed);
    }
}

/* Signs by frequencies in proportion: no row follows the one before, or rows are those of a grid. */
static void signs_in_proportion(void **state)
{
    (void)state;
    source listed = make_listed("hf_roformer_rope", "dim", 16, "positions", 34, 1, false);
    listed.settings[listed.n_settings++] = (setting){.name = "output", .kind = SET_WORD, .word = "table"};
    source grid = make_named("timm_sincos2d", "dim", 48);
    static double sides[] = {7, 3};
    grid.settings[1] = (setting){.name = "feat_shape", .kind = SET_LIST, .list = sides, .n_dims = 1, .shape = {2}};
    for (uint64_t seed = 1; seed <= 2; seed++) {
        must_be_right(&listed, "sign", NULL, seed);
        must_be_right(&grid, "sign", NULL, seed);
    }
    source_free(&listed);
}

/* A constant is rounded to float32 before it is added; a base of seven digits is found beside it. */
static void constants_as_added(void **state)
{
    (void)state;
    source scaled = make_named("x_transformers_scaled_sinusoidal", "dim", 64);
    scaled.n_settings = 1;
    scaled.settings[scaled.n_settings++] = (setting){.name = "theta", .number = 6878940};
    scaled.settings[scaled.n_settings++] = (setting){.name = "seq_len", .number = 39};
    for (uint64_t seed = 1; seed <= 6; seed++)
        must_be_right(&scaled, "constant", NULL, seed);
}

/*
 * Positions in no order, among which the slowest tone turns: a formula with an unusual base, frequencies that were slowed
 * down, and frequencies that follow nothing, as of Gaussian Fourier features. Both lists are found to the last bit.
 */
static void in_any_order(void **state)
{
    (void)state;
    source few = make_listed("t2t_timing_given_position", "channels", 32, "position", 8, 9000, true);
    source slowed = make_listed("hf_rope", "head_dim", 24, "positions", 133, 9000, true);
    source features = make_listed("edm_fourier", NULL, 0, "x", 99, 1000, false);
    few.settings[few.n_settings++] = (setting){.name = "max_timescale", .number = 5.13};
    slowed.settings[slowed.n_settings++] = (setting){.name = "rope_type", .kind = SET_WORD, .word = "yarn"};
    slowed.settings[slowed.n_settings++] = (setting){.name = "factor", .number = 16};
    slowed.settings[slowed.n_settings++] = (setting){.name = "original_max_position_embeddings", .number = 128};
    slowed.settings[slowed.n_settings++] = (setting){.name = "output", .kind = SET_WORD, .word = "table"};
    features.settings[0] = (setting){.name = "freqs", .kind = SET_LIST, .n_dims = 1, .shape = {13}};
    features.settings[0].list = calloc(13, sizeof(double));
    assert_non_null(features.settings[0].list);
    random_state r = random_seed(7, 13);
    for (size_t i = 0; i < 13; i++)
        features.settings[0].list[i] = 0.001 + 0.3 * random_unit(&r);
    source times = make_named("gpt_oss_rope", "head_dim", 12); /* the amplitude of YaRN, and unusual numbers */
    times.settings[times.n_settings++] = (setting){.name = "length", .number = 115};
    times.settings[times.n_settings++] = (setting){.name = "initial_context_length", .number = 512};
    times.settings[times.n_settings++] = (setting){.name = "ntk_beta", .number = 16};
    must_be_right(&few, NULL, NULL, 1);
    must_be_right(&slowed, NULL, NULL, 1);
    must_be_right(&times, NULL, NULL, 1);
    must_be_right(&features, NULL, NULL, 1);
    source_free(&few);
    source_free(&slowed);
    source_free(&features);
}

/* One ladder of frequencies that is dealt to the coordinates in turn, one of which may stand still. */
static void dealt_in_turn(void **state)
{
    (void)state;
    static const char *const conventions[] = {"timm_rotary_mrope", "hf_kimi_k25_vision_rope"};
    static const double sizes[2][2] = {{14, 3}, {4, 12}};
    for (size_t i = 0; i < 2; i++) {
        source s = {.convention = conventions[i], .type = SINPOS_F32, .n_settings = 1};
        s.settings[0] = (setting){.name = i == 0 ? "dim" : "head_dim", .number = 64};
        s.settings[s.n_settings] = (setting){.name = "grid", .kind = SET_LIST, .n_dims = 1, .shape = {2}};
        s.settings[s.n_settings].list = calloc(2, sizeof(double));
        assert_non_null(s.settings[s.n_settings].list);
        memcpy(s.settings[s.n_settings++].list, sizes[i], sizeof sizes[i]);
        s.settings[s.n_settings++] =
            (setting){.name = "output", .kind = SET_WORD, .word = i == 0 ? "table" : "cos_sin"};
        must_be_right(&s, NULL, NULL, 1);
        source_free(&s);
    }
}

/* Sixteen bits leave the slope in doubt, which a far start multiplies; the frequencies of odd widths in any order. */
static void far_and_narrow(void **state)
{
    (void)state;
    source far = make_formula(16, 126, 20000), odd = make_formula(111, 204, 23000);
    far.type = SINPOS_F16;
    far.start = 10834;
    must_be_right(&far, NULL, NULL, 1);
    odd.start = 2050;
    must_be_right(&odd, "order", NULL, 1);
}

/* Coordinates of 12 and of 18 frequencies have one base, of many digits, which all their elements settle. */
static void one_base(void **state)
{
    (void)state;
    static const char *const names[] = {"t", "h", "w", "head_dim", "rope_theta"};
    static const double numbers[] = {8, 3, 5, 96, 123.30812948};
    source llava = {.convention = "llava_onevision2_table", .type = SINPOS_F16, .n_settings = 5};
    for (size_t i = 0; i < 5; i++)
        llava.settings[i] = (setting){.name = names[i], .number = numbers[i]};
    must_be_right(&llava, NULL, NULL, 1);
}

/* Rows that repeat say how far away positions were rounded: bases of any digits, few columns, three distinct rows. */
static void rounded_far_away(void **state)
{
    static const struct {
        const char *arithmetic, *sentence;
        size_t dim, n;
        double base, scale, start;
        sinpos_type type;
        sinpos_layout layout;
    } cases[] = {
        {"bfloat16-positions", "rounded to bfloat16", 16, 256, 1500, 1, 30000, SINPOS_F32, SINPOS_INTERLEAVED},
        {"bfloat16-positions", "rounded to bfloat16", 64, 300, 12345.678, 1, 2000, SINPOS_F32, SINPOS_HALVES},
        {"bfloat16-positions", "rounded to bfloat16", 32, 400, 630.21960000000001, 1, 0, SINPOS_F32,
         SINPOS_INTERLEAVED},
        {"bfloat16-positions", "rounded to bfloat16", 24, 700, 1500, 1, 100000, SINPOS_BF16, SINPOS_HALVES},
        {"float16-positions", "rounded to float16", 64, 200, 1500, 1, 8192, SINPOS_F64, SINPOS_INTERLEAVED},
        {"float16-positions", "rounded to float16", 183, 155, 5000000, 1, 8192, SINPOS_F32, SINPOS_INTERLEAVED},
        {"float16-positions", "rounded to float16", 16, 256, 12345.678, 1, 8192, SINPOS_BF16, SINPOS_INTERLEAVED},
        {"bfloat16-positions", "rounded to bfloat16", 64, 600, 1500, 0.25, 300, SINPOS_F32, SINPOS_INTERLEAVED},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        source s = make_formula(cases[i].dim, cases[i].n, cases[i].base);
        array a;
        s.spec.layout = cases[i].layout;
        s.spec.scale = cases[i].scale;
        s.arithmetic = cases[i].arithmetic;
        s.start = cases[i].start;
        s.type = cases[i].type;
        assert_true(source_make(&a, &s, false, 1));
        sinpos_identity *found = identify(a.data, a.n, a.dim, a.type);
        assert_or_say(found->is_sinusoidal && found->unexplained == 0, "case %zu: %llu elements are left", i,
                      (unsigned long long)found->unexplained);
        assert_or_say(fabs(found->axis[0].base / cases[i].base - 1) <= (cases[i].type == SINPOS_BF16 ? 1e-6 : 0) &&
                          found->axis[0].start == cases[i].start,
                      "case %zu: base %.17g, start %.17g", i, found->axis[0].base, found->axis[0].start);
        assert_int_equal(count_findings(found, SINPOS_DEFECT_POSITIONS), 1);
        assert_non_null(strstr(found->defects[0].sentence, cases[i].sentence));
        sinpos_identity_destroy(found);
        array_free(&a);
    }
}

/* All in bfloat16 or float16, also kept as float32; a base of many digits may be one of fewer, or a list. */
static void rounded_angles(void **state)
{
    static const struct {
        const char *arithmetic;
        size_t dim, n;
        double base, start;
        sinpos_type type;
        sinpos_layout layout;
        bool is_base_open;
    } cases[] = {
        {"bfloat16", 64, 1024, 10000, 0, SINPOS_BF16, SINPOS_HALVES, false},
        {"bfloat16", 128, 200, 500000, 1, SINPOS_BF16, SINPOS_INTERLEAVED, false},
        {"bfloat16", 32, 64, 10000, 0, SINPOS_F32, SINPOS_HALVES, false},
        {"bfloat16", 64, 300, 12345.678, 0, SINPOS_BF16, SINPOS_HALVES, true},
        {"float16", 64, 800, 10000, 0, SINPOS_F16, SINPOS_HALVES, false},
        {"float16", 96, 100, 10000, 1, SINPOS_F16, SINPOS_INTERLEAVED, false},
        {"float16", 64, 400, 1000000, 0, SINPOS_F32, SINPOS_HALVES, false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        source s = make_formula(cases[i].dim, cases[i].n, cases[i].base);
        array a;
        s.spec.layout = cases[i].layout;
        s.arithmetic = cases[i].arithmetic;
        s.start = cases[i].start;
        s.type = cases[i].type;
        assert_true(source_make(&a, &s, false, 1));
        sinpos_identity *found = identify(a.data, a.n, a.dim, a.type);
        const sinpos_identity_axis *axis = &found->axis[0];
        assert_or_say(found->is_sinusoidal && found->unexplained == 0, "case %zu: %llu elements are left", i,
                      (unsigned long long)found->unexplained);
        assert_or_say((cases[i].is_base_open || axis->base == cases[i].base) && axis->start == cases[i].start,
                      "case %zu: base %.17g, start %.17g", i, axis->base, axis->start);
        assert_string_equal(found->arithmetic, cases[i].arithmetic);
        assert_int_equal(count_findings(found, SINPOS_DEFECT_ANGLES), 1);
        sinpos_identity_destroy(found);
        s.arithmetic = NULL;
        s.type = a.type == SINPOS_F32 ? SINPOS_BF16 : a.type;
        array_free(&a);
        assert_true(source_make(&a, &s, false, 1));
        found = identify(a.data, a.n, a.dim, a.type);
        assert_or_say(found->is_sinusoidal && found->total.wrong == 0, "case %zu, exactly: %llu elements are wrong", i,
                      (unsigned long long)found->total.wrong);
        sinpos_identity_destroy(found);
        array_free(&a);
    }
}

/* Errors that go to one side more than to the other are no noise. */
static void errors_to_one_side(void **state)
{
    (void)state;
    source s = make_formula(32, 400, 10000);
    array a;
    s.type = SINPOS_F32;
    assert_true(source_make(&a, &s, true, 1));
    random_state r = random_seed(5, 1);
    for (size_t k = 0; k < a.n * a.dim; k++) {
        double normal = -6;
        for (int i = 0; i < 12; i++)
            normal += random_unit(&r);
        array_put(&a, k / a.dim, k % a.dim, array_get(&a, k / a.dim, k % a.dim) + 0.003 * (normal + 0.4));
    }
    sinpos_identity *found = identify(a.data, a.n, a.dim, a.type);
    assert_true(found->is_sinusoidal);
    assert_int_equal(count_findings(found, SINPOS_DEFECT_NOISE), 0);
    sinpos_identity_destroy(found);
    array_free(&a);
}

/* The same rows once more each, as in a batch, are no rounding; nor are repeats of noise. */
static void repeated_rows(void **state)
{
    (void)state;
    source s = make_formula(32, 200, 1500);
    for (int is_noise = 0; is_noise < 2; is_noise++) {
        array a;
        s.start = 300;
        assert_true(source_make(&a, &s, true, 1));
        random_state r = random_seed(7, 1);
        for (size_t i = 0; i < a.n; i++)
            for (size_t j = 0; j < a.dim; j++)
                array_put(&a, i, j,
                          i % 2 == 1 ? array_get(&a, i - 1, j)
                          : is_noise ? 2 * random_unit(&r) - 1
                                     : array_get(&a, i, j));
        sinpos_identity *found = identify(a.data, a.n, a.dim, a.type);
        assert_int_equal(count_findings(found, SINPOS_DEFECT_POSITIONS), 0);
        assert_true(!is_noise || !found->is_sinusoidal);
        sinpos_identity_destroy(found);
        array_free(&a);
    }
}

/* Slow pairs far away, in few bits: no constant was added, and the signs of some columns show those of others. */
static void signs_far_away(void **state)
{
    static const size_t negated[] = {3, 39, 50, 61};
    (void)state;
    source s = make_formula(64, 490, 1000000);
    s.spec.order = SINPOS_COS_SIN;
    s.start = 8663;
    s.type = SINPOS_F16;
    for (size_t n = 1; n <= 4; n++) {
        array a;
        assert_true(source_make(&a, &s, true, 1));
        for (size_t k = 0; k < n; k++)
            for (size_t i = 0; i < a.n; i++)
                array_put(&a, i, negated[k], -array_get(&a, i, negated[k]));
        sinpos_identity *found = identify(a.data, a.n, a.dim, a.type);
        assert_true(found->is_sinusoidal && found->unexplained == 0 && found->axis[0].base == 1000000);
        assert_int_equal(count_findings(found, SINPOS_DEFECT_CONSTANT), 0);
        assert_true(found->n_defects > 0 && found->defects[0].kind == SINPOS_DEFECT_SIGN &&
                    found->defects[0].n_columns == n);
        sinpos_identity_destroy(found);
        array_free(&a);
    }
}

/* A row of something else is altered, a column is near; neither is said to be somebody's arithmetic. */
static void altered_rows(void **state)
{
    static const sinpos_type types[] = {SINPOS_F32, SINPOS_F64, SINPOS_F16, SINPOS_BF16};
    (void)state;
    for (size_t k = 0; k < 8; k++) {
        const bool is_column = k % 2 == 1;
        source s = make_formula(32, 256, 10000);
        array a;
        random_state r = random_seed(7, 2);
        s.type = types[k / 2];
        assert_true(source_make(&a, &s, true, 1));
        for (size_t i = 0; i < (is_column ? a.n : a.dim); i++) {
            const size_t row = is_column ? i : 77, column = is_column ? 5 : i;
            array_put(&a, row, column, array_get(&a, row, column) + random_unit(&r) - 0.5);
        }
        sinpos_identity *found = identify(a.data, a.n, a.dim, a.type);
        assert_or_say(found->is_sinusoidal && found->published == NULL && found->axis[0].base == 10000, "case %zu", k);
        assert_int_equal(count_findings(found, SINPOS_DEFECT_ANGLES), 0);
        assert_int_equal(count_findings(found, SINPOS_DEFECT_ALTERED), !is_column);
        assert_int_equal(is_column ? found->unexplained > a.n * 9 / 10 : found->unexplained == 0, 1);
        if (!is_column) {
            assert_true(found->defects[0].first_row == 77 && found->defects[0].last_row == 77);
            assert_true(found->n_altered > a.dim * 9 / 10 && found->n_altered <= a.dim);
        }
        sinpos_identity_destroy(found);
        array_free(&a);
    }
}

/* To 8 significant bits, as bfloat16 code has each number. */
static double in_bfloat16(double x)
{
    int exponent;
    (void)frexp(x, &exponent);
    const double unit = ldexp(1, exponent - 8);
    return x == 0 ? 0 : nearbyint(x / unit) * unit;
}

/* Cosines and sines of bfloat16 angles are no table of two coordinates, which would come near to their slow columns. */
static void angles_in_bfloat16(void **state)
{
    enum { N = 2048, M = 64 };
    float *x = calloc((size_t)N * 2 * M, sizeof *x);
    (void)state;
    assert_non_null(x);
    for (size_t p = 0; p < N; p++) {
        for (size_t i = 0; i < M; i++) {
            const double theta = in_bfloat16(pow(10000, -(double)i / M));
            const double angle = in_bfloat16(in_bfloat16((double)p) * theta);
            x[p * 2 * M + i] = (float)cos(angle);
            x[p * 2 * M + M + i] = (float)sin(angle);
        }
    }
    sinpos_identity *found = identify(x, N, 2 * M, SINPOS_F32);
    assert_true(!found->is_sinusoidal || found->n_axes == 1);
    sinpos_identity_destroy(found);
    free(x);
}

/* To so many significant bits, as bfloat16 and float16 have. */
static double in_bits(double x, int bits)
{
    int exponent;
    (void)frexp(x, &exponent);
    const double unit = ldexp(1, exponent - bits);
    return x == 0 ? 0 : nearbyint(x / unit) * unit;
}

/* Float32 sines of angles that were computed under autocast, or of half a model: from any start, of any amplitude. */
static void sines_of_narrow_angles(void **state)
{
    static const struct narrow {
        size_t n, m;
        int bits;
        double start, base, amplitude;
        bool are_halves, cos_first;
        const char *arithmetic;
    } cases[] = {{300, 32, 8, 0, 10000, 1, false, false, "bfloat16-angles"},
                 {200, 32, 8, 1000, 10000, 1, true, true, "bfloat16-angles"},
                 {100, 64, 8, 1, 500000, 8, true, false, "bfloat16-angles"},
                 {300, 32, 11, 0, 10000, 1, true, true, "float16-angles"},
                 {150, 48, 11, 300, 1500, 0.5, false, false, "float16-angles"}};
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        const struct narrow *c = &cases[k];
        array a = array_make(c->n, 2 * c->m, SINPOS_F32);
        for (size_t i = 0; i < c->n * c->m; i++) {
            const size_t row = i / c->m, tone = i % c->m, step = c->are_halves ? c->m : 1;
            const double theta = in_bits(pow(c->base, -(double)tone / (double)c->m), c->bits);
            const double angle = in_bits(in_bits(c->start + (double)row, c->bits) * theta, c->bits);
            const size_t column = c->are_halves ? tone : 2 * tone;
            array_put(&a, row, column + (c->cos_first ? step : 0), c->amplitude * sin(angle));
            array_put(&a, row, column + (c->cos_first ? 0 : step), c->amplitude * cos(angle));
        }
        sinpos_identity *found = identify(a.data, a.n, a.dim, a.type);
        assert_or_say(found->is_sinusoidal && found->unexplained == 0, "%zu: %d, %llu wrong, %s", k,
                      found->is_sinusoidal, (unsigned long long)found->unexplained, found->arithmetic);
        assert_string_equal(found->arithmetic, c->arithmetic);
        assert_true(found->n_axes == 1 && found->axis[0].start == c->start && found->axis[0].step == 1);
        assert_true(found->axis[0].base == c->base && found->axis[0].divisor == (double)c->m);
        assert_true(found->amplitude == c->amplitude && count_findings(found, SINPOS_DEFECT_ANGLES) >= 1);
        sinpos_identity_destroy(found);
        array_free(&a);
    }
}

/* Frequencies near those of a formula are rounded ones only where they are numbers of the type. */
static void near_a_formula(void **state)
{
    enum { N = 500, M = 16 };
    float *x = calloc((size_t)N * 2 * M, sizeof *x);
    (void)state;
    assert_non_null(x);
    for (int is_rounded = 0; is_rounded < 2; is_rounded++) {
        for (size_t p = 0; p < N; p++) {
            for (size_t i = 0; i < M; i++) {
                const double formula = pow(10000, -(double)i / M), off = 1e-3 * ((double)(i * 7 % 5) / 2 - 1);
                const double theta = is_rounded ? in_bfloat16(formula) : formula * (1 + off);
                x[p * 2 * M + 2 * i] = (float)sin(theta * (double)p);
                x[p * 2 * M + 2 * i + 1] = (float)cos(theta * (double)p);
            }
        }
        sinpos_identity *found = identify(x, N, 2 * M, SINPOS_F32);
        assert_true(found->is_sinusoidal && found->axis[0].law == SINPOS_LAW_LIST);
        assert_int_equal(found->axis[0].rounded_to, is_rounded ? 8 : 0);
        assert_int_equal(count_findings(found, SINPOS_DEFECT_ANGLES), is_rounded);
        if (is_rounded)
            assert_true(found->axis[0].rounded_base == 10000 && found->axis[0].rounded_divisor == M);
        sinpos_identity_destroy(found);
    }
    free(x);
}

/* Gaussian Fourier features of random times, with the angles of float32: one coordinate, whatever is found in parts. */
static void features_of_one_coordinate(void **state)
{
    enum { N = 512, M = 32 };
    static const double spreads[] = {2, 16}; /* standard deviations */
    float *x = calloc((size_t)N * 2 * M, sizeof *x), frequency[M];
    (void)state;
    assert_non_null(x);
    for (size_t k = 0; k < sizeof spreads / sizeof spreads[0]; k++) {
        random_state r = random_seed(11, 1);
        for (size_t i = 0; i < M; i++)
            frequency[i] = (float)(2 * spreads[k] * (random_unit(&r) + random_unit(&r) + random_unit(&r) - 1.5));
        for (size_t p = 0; p < N; p++) {
            const float t = (float)random_unit(&r);
            for (size_t i = 0; i < M; i++) {
                const float angle = t * frequency[i] * 2 * 3.14159265F;
                x[p * 2 * M + i] = (float)sin((double)angle);
                x[p * 2 * M + M + i] = (float)cos((double)angle);
            }
        }
        sinpos_identity *found = identify(x, N, 2 * M, SINPOS_F32);
        assert_true(found->is_sinusoidal && found->n_axes == 1 && found->nest == SINPOS_NEST_ACF);
        for (size_t i = 0; i < M; i++) {
            const double want = (double)frequency[i] / (double)frequency[0];
            assert_or_say(fabs(found->axis[0].theta[i] / found->axis[0].theta[0] - want) < 1e-5 * fabs(want), "%zu", i);
        }
        sinpos_identity_destroy(found);
    }
    free(x);
}

/* Their times from 0.001 to 1 in even steps: the unit of positions is not known, and a start of 0.3 is no mistake. */
static void features_of_even_times(void **state)
{
    enum { N = 300, M = 16 };
    float *x = calloc((size_t)N * 2 * M, sizeof *x);
    random_state r = random_seed(12, 1);
    (void)state;
    assert_non_null(x);
    for (size_t i = 0; i < M; i++) {
        const float frequency = (float)(32 * (random_unit(&r) + random_unit(&r) + random_unit(&r) - 1.5));
        for (size_t p = 0; p < N; p++) {
            const float t = (float)(0.001 + 0.999 * (double)p / (N - 1)), angle = t * frequency * 2 * 3.14159265F;
            x[p * 2 * M + i] = (float)sin((double)angle);
            x[p * 2 * M + M + i] = (float)cos((double)angle);
        }
    }
    sinpos_identity *found = identify(x, N, 2 * M, SINPOS_F32);
    assert_true(found->is_sinusoidal && found->axis[0].law == SINPOS_LAW_LIST && found->positions == NULL);
    assert_true(fabs(found->axis[0].start - 0.001 / 0.999 * (N - 1)) < 1e-3);
    assert_int_equal(count_findings(found, SINPOS_DEFECT_START), 0);
    sinpos_identity_destroy(found);
    free(x);
}

/* Integers of 8 bits times a number have no noise; noise is no such step. */
static void scaled_integers(void **state)
{
    enum { N = 256, DIM = 64 };
    sinpos_spec spec = SINPOS_SPEC_INIT;
    random_state r = random_seed(3, 5);
    (void)state;
    spec.dim = DIM;
    for (int is_noise = 0; is_noise < 2; is_noise++) {
        float *x = make_table(&spec, 0, N, SINPOS_F32);
        for (size_t k = 0; k < (size_t)N * DIM; k++)
            x[k] = is_noise ? x[k] + (float)(0.01 * (random_unit(&r) - 0.5)) : roundf(x[k] * 127) / 127;
        sinpos_identity *found = identify(x, N, DIM, SINPOS_F32);
        assert_true(found->is_sinusoidal && found->axis[0].base == 10000);
        assert_int_equal(count_findings(found, SINPOS_DEFECT_TYPE), !is_noise);
        assert_int_equal(count_findings(found, SINPOS_DEFECT_NOISE), is_noise);
        assert_true(is_noise || fabs(found->defects[0].value * 127 - 1) < 1e-6);
        sinpos_identity_destroy(found);
        free(x);
    }
}

/* With the word "more" the other half, so that either is a test of its own. */
/* Of sines or cosines alone no pair gives a slow frequency: the known rule that makes the fast ones does. */
static void scaled_parts(void **state)
{
    (void)state;
    source llama = make_named("llama_reference_rope", "dim", 64);
    llama.settings[llama.n_settings++] = (setting){.name = "use_scaled", .kind = SET_FLAG, .number = 1};
    llama.settings[llama.n_settings++] = (setting){.name = "theta", .number = 500000};
    llama.settings[llama.n_settings++] = (setting){.name = "end", .number = 512};
    for (uint64_t seed = 1; seed <= 3; seed++)
        must_be_right(&llama, "part", NULL, seed);
}

/* Single elements that are far off, where columns are matched one by one. */
static void altered_elements(void **state)
{
    (void)state;
    source late = make_formula(56, 86, 2212), odd = make_formula(17, 173, 350000);
    late.start = 8192;
    odd.spec.layout = SINPOS_HALVES;
    for (uint64_t seed = 1; seed <= 2; seed++) {
        must_be_right(&late, "corrupted", "sign", seed);
        must_be_right(&odd, "corrupted", "noise-columns", seed);
    }
}

/* Consecutive rows of sixteen bits, however far away: the phases of all tones together leave one start. */
static void starts_far_away(void **state)
{
    static const struct far {
        size_t dim, n;
        double base;
        int64_t start;
        sinpos_layout layout;
        const char *first, *second;
    } far[] = {{8, 256, 500, 21643, SINPOS_HALVES, NULL, NULL},
               {8, 100, 100, 18299, SINPOS_INTERLEAVED, NULL, NULL},
               {8, 256, 10000, 7455, SINPOS_HALVES, NULL, NULL}, /* returns after 1000 turns */
               {16, 170, 600000, 14096, SINPOS_INTERLEAVED, NULL, NULL},
               {16, 256, 50000, 41862, SINPOS_HALVES, NULL, NULL},
               {17, 118, 4515, 8192, SINPOS_HALVES, NULL, NULL},
               {16, 170, 600000, 14096, SINPOS_INTERLEAVED, "constant", NULL},
               {16, 118, 200, 14581, SINPOS_HALVES, "constant", "noise-rows"},
               {50, 103, 27825.1, 19595, SINPOS_HALVES, "constant", "corrupted"},
               {16, 166, 1500, 18930, SINPOS_INTERLEAVED, "part", "doubled"}};
    (void)state;
    for (size_t i = 0; i < sizeof far / sizeof far[0]; i++) {
        for (int wide = 0; wide < (far[i].first == NULL ? 2 : 1); wide++) {
            source s = make_formula(far[i].dim, far[i].n, far[i].base);
            s.type = wide ? SINPOS_F16 : SINPOS_BF16;
            s.start = far[i].start;
            s.spec.layout = far[i].layout;
            must_be_right(&s, far[i].first, far[i].second, 1);
        }
    }
}

/* Linear frequencies that turn several times from point to point, from the points themselves and without them. */
static void linear_features(void **state)
{
    enum { SIDE = 24 };
    (void)state;
    for (int has_points = 0; has_points < 2; has_points++) {
        source s = {.convention = "hf_perceiver_fourier", .type = SINPOS_F32, .n_settings = 3};
        s.settings[0] = (setting){.name = "num_bands", .number = 16};
        s.settings[1] = (setting){.name = "pos", .kind = SET_LIST, .n_dims = 2, .shape = {(size_t)SIDE * SIDE, 2}};
        s.settings[2] = (setting){.name = "concat_pos", .kind = SET_FLAG, .number = has_points};
        s.settings[1].list = calloc(2 * SIDE * SIDE, sizeof(double));
        assert_non_null(s.settings[1].list);
        for (size_t i = 0; i < SIDE * SIDE; i++) {
            s.settings[1].list[2 * i] = 2 * (double)(i / SIDE) / (SIDE - 1) - 1;
            s.settings[1].list[2 * i + 1] = 2 * (double)(i % SIDE) / (SIDE - 1) - 1;
        }
        must_be_right(&s, NULL, NULL, 1);
        source_free(&s);
    }
}

/* The same as code makes them, in double: the grid from -1 to 1 in even steps, and its points before. */
static void points_before_features(void **state)
{
    enum { SIDE = 24, BANDS = 16, DIM = 2 + 4 * BANDS };
    float *x = calloc((size_t)SIDE * SIDE * DIM, sizeof *x);
    (void)state;
    assert_non_null(x);
    for (size_t i = 0; i < (size_t)SIDE * SIDE; i++) {
        float *row = x + i * DIM;
        for (size_t a = 0; a < 2; a++) {
            const double p = 2 * (double)(a == 0 ? i / SIDE : i % SIDE) / (SIDE - 1) - 1;
            row[a] = (float)p;
            for (size_t k = 0; k < BANDS; k++) {
                const double angle = 3.141592653589793 * p * (1 + 111 * (double)k / (BANDS - 1));
                row[2 + a * BANDS + k] = (float)sin(angle);
                row[2 + (2 + a) * BANDS + k] = (float)cos(angle);
            }
        }
    }
    sinpos_identity *found = identify(x, (size_t)SIDE * SIDE, DIM, SINPOS_F32);
    assert_true(found->is_sinusoidal && found->columns == NULL && found->n_raw_first == 2);
    assert_true(found->axis[1].start == -1 && fabs(found->axis[1].step - 2.0 / (SIDE - 1)) < 1e-15);
    sinpos_identity_destroy(found);
    free(x);
}

/* Columns of both coordinates of a square grid are no copies, though 64 rows evenly apart lie on its diagonal. */
static void square_grid(void **state)
{
    (void)state;
    source s = {.convention = "timm_sincos2d", .type = SINPOS_F32, .n_settings = 2};
    s.settings[0] = (setting){.name = "dim", .number = 16};
    s.settings[1] = (setting){.name = "feat_shape", .kind = SET_LIST, .n_dims = 1, .shape = {2}};
    s.settings[1].list = calloc(2, sizeof(double));
    assert_non_null(s.settings[1].list);
    s.settings[1].list[0] = s.settings[1].list[1] = 64;
    must_be_right(&s, NULL, NULL, 1);
    array a;
    assert_true(source_make(&a, &s, false, 1));
    sinpos_identity *found = identify(a.data, a.n, a.dim, a.type);
    assert_int_equal(found->n_defects, 0);
    sinpos_identity_destroy(found);
    array_free(&a);
    source_free(&s);
}

/* After 1000 turns of the slowest of these tones all are where they were: of equal starts the whole one is meant. */
static void whole_starts(void **state)
{
    sinpos_spec spec = SINPOS_SPEC_INIT;
    (void)state;
    spec.dim = 8;
    spec.layout = SINPOS_HALVES;
    void *data = make_table(&spec, 7455, 256, SINPOS_BF16);
    sinpos_identity *found = identify(data, 256, 8, SINPOS_BF16);
    assert_true(found->is_sinusoidal && found->total.wrong == 0 && found->axis[0].start == 7455);
    sinpos_identity_destroy(found);
    free(data);
}

/* Zeros that the table has were not dropped, and columns in the usual order are in no other one. */
static void nothing_but_a_constant(void **state)
{
    enum { DIM = 16 };
    static const struct late {
        size_t n;
        double base, constant;
        int64_t start;
        sinpos_layout layout;
        sinpos_nest nest;
        size_t least_zeros;
    } late[] = {{120, 200, 1, 14581, SINPOS_HALVES, SINPOS_NEST_ACF, 30},
                {170, 600000, -0.25, 14096, SINPOS_INTERLEAVED, SINPOS_NEST_AFC, 0}};
    (void)state;
    for (size_t k = 0; k < sizeof late / sizeof late[0]; k++) {
        sinpos_spec spec = SINPOS_SPEC_INIT;
        size_t n_zeros = 0;
        spec.dim = DIM;
        spec.base = late[k].base;
        spec.layout = late[k].layout;
        double *made = make_table(&spec, late[k].start, late[k].n, SINPOS_F64);
        array a = array_make(late[k].n, DIM, SINPOS_BF16);
        for (size_t i = 0; i < late[k].n * DIM; i++) {
            array_put(&a, i / DIM, i % DIM, made[i]);
            array_put(&a, i / DIM, i % DIM, array_get(&a, i / DIM, i % DIM) + late[k].constant);
            n_zeros += array_get(&a, i / DIM, i % DIM) == 0;
        }
        assert_true(n_zeros >= late[k].least_zeros);
        sinpos_identity *found = identify(a.data, late[k].n, DIM, SINPOS_BF16);
        assert_true(found->is_sinusoidal && found->total.wrong == 0 && found->dropped == 0);
        assert_true(found->nest == late[k].nest && !found->cos_first && found->axis[0].start == (double)late[k].start);
        for (size_t i = 0; i < found->n_defects; i++)
            assert_true(found->defects[i].kind == SINPOS_DEFECT_CONSTANT ||
                        found->defects[i].kind == SINPOS_DEFECT_START);
        sinpos_identity_destroy(found);
        array_free(&a);
        free(made);
    }
}

static void set_list(source *s, const char *name, size_t n, size_t columns)
{
    setting *own = &s->settings[s->n_settings++];
    *own = (setting){.name = name, .kind = SET_LIST, .n_dims = columns > 0 ? 2 : 1, .shape = {n, columns}};
    own->list = calloc(n * (columns > 0 ? columns : 1), sizeof *own->list);
    assert_non_null(own->list);
}

/* A constant that is small beside the amplitude, a first pair that stands still, an odd width. */
static void constants_beside_amplitudes(void **state)
{
    (void)state;
    source s = {.convention = "hf_conditional_detr_gen_sine", .type = SINPOS_F64, .n_settings = 2};
    s.settings[0] = (setting){.name = "d_model", .number = 96};
    s.settings[1] = (setting){.name = "override.amplitude", .number = 30.346502999999998};
    set_list(&s, "pos_tensor", 88, 1);
    for (size_t i = 0; i < 88; i++)
        s.settings[2].list[i] = (double)i;
    source odd = make_formula(83, 26, 227186.60999999999);
    odd.start = 1000;
    odd.type = SINPOS_F64;
    odd.spec.layout = SINPOS_HALVES;
    for (uint64_t seed = 1; seed <= 3; seed++) {
        must_be_right(&s, "constant", NULL, seed);
        must_be_right(&odd, "constant", NULL, seed);
    }
    source_free(&s);
}

/* What dropout left of angles in float32: each frequency shows, though last bits were divided away. */
static void dropped_and_rounded(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 2; seed++) {
        source s = make_formula(128, 47, 4992.5187198093899);
        s.spec.layout = SINPOS_HALVES;
        s.arithmetic = seed == 1 ? "float32-theta" : "float32-exp";
        must_be_right(&s, "dropout", NULL, seed);
    }
}

/* The layout of this grid is the 24th that is tried: those before it must not spend all the work. */
static void work_for_each_layout(void **state)
{
    (void)state;
    source s = make_named("timm_rotary", "dim", 48);
    s.settings[s.n_settings++] = (setting){.name = "temperature", .number = 1500};
    set_list(&s, "feat_shape", 2, 0);
    s.settings[3].list[0] = 14;
    s.settings[3].list[1] = 7;
    for (uint64_t seed = 1; seed <= 2; seed++)
        must_be_right(&s, "constant", NULL, seed);
    source_free(&s);
}

/* One array at a row and a column of another one. */
static void put_array(const array *to, const array *from, size_t row, size_t column)
{
    for (size_t i = 0; i < from->n; i++)
        for (size_t j = 0; j < from->dim; j++)
            array_put(to, row + i, column + j, array_get(from, i, j));
}

static void put_noise(const array *to, size_t n_columns)
{
    random_state r = random_seed(7, 0);
    for (size_t i = 0; i < to->n; i++)
        for (size_t j = 0; j < n_columns; j++)
            array_put(to, i, j, 2 * random_unit(&r) - 1);
}

/* All elements but those of the first columns are in parts, which make them. */
static void must_be_made_by_parts(const array *a, size_t noise, const char *what)
{
    sinpos_identity *found = identify(a->data, a->n, a->dim, a->type);
    size_t held = found->is_sinusoidal ? found->n * found->dim : 0, unexplained = found->unexplained;
    for (size_t i = 0; i < found->n_others; i++) {
        held += found->others[i]->n * found->others[i]->dim;
        unexplained += found->others[i]->unexplained;
    }
    assert_or_say(found->is_sinusoidal && held == a->n * (a->dim - noise) && unexplained == 0,
                  "%s: %zu parts, %zu of %zu elements held", what, 1 + found->n_others, held, a->n * (a->dim - noise));
    sinpos_identity_destroy(found);
}

/* What was left of an array: rows of two coordinates, columns of which a part took some, one coordinate of three. */
static void left_beside_parts(void **state)
{
    (void)state;
    random_state r = random_seed(1, 0);
    source detr = {.convention = "hf_conditional_detr_gen_sine", .type = SINPOS_F32, .n_settings = 1};
    detr.settings[0] = (setting){.name = "d_model", .number = 128};
    set_list(&detr, "pos_tensor", 66, 2);
    for (size_t i = 0; i < 132; i++)
        detr.settings[1].list[i] = (double)random_below(&r, 10000);
    source under = make_formula(128, 216, 2267.8346396769998);
    under.spec.divisor = 63;
    array above, below, all = array_make(282, 128, SINPOS_F32);
    assert_true(source_make(&above, &detr, true, 1) && source_make(&below, &under, true, 1));
    put_array(&all, &above, 0, 0);
    put_array(&all, &below, 66, 0);
    must_be_made_by_parts(&all, 0, "rows of two coordinates");
    array_free(&all);
    array_free(&above);
    array_free(&below);
    source_free(&detr);

    source first = make_formula(8, 32, 200000), second = make_formula(8, 48, 441400);
    first.type = second.type = SINPOS_BF16;
    first.start = 1;
    first.spec.layout = second.spec.layout = SINPOS_HALVES;
    first.spec.order = SINPOS_COS_SIN;
    assert_true(source_make(&above, &first, true, 1) && source_make(&below, &second, true, 1));
    all = array_make(80, 11, SINPOS_BF16);
    put_noise(&all, 3);
    put_array(&all, &above, 0, 3);
    put_array(&all, &below, 32, 3);
    must_be_made_by_parts(&all, 3, "columns of a part");
    array_free(&all);
    array_free(&above);
    array_free(&below);

    source flux = {.convention = "flux_rope", .type = SINPOS_F32, .n_settings = 2};
    flux.settings[0] = (setting){.name = "theta", .number = 10};
    flux.settings[1] = (setting){.name = "output", .kind = SET_WORD, .word = "table"};
    set_list(&flux, "ids", 38, 3);
    for (size_t i = 0; i < 114; i++)
        flux.settings[2].list[i] = (double)(i / 3 + 3 * (i % 3));
    assert_true(source_make(&above, &flux, true, 1));
    all = array_make(38, above.dim + 5, SINPOS_F32);
    put_noise(&all, 5);
    put_array(&all, &above, 0, 5);
    must_be_made_by_parts(&all, 5, "a coordinate");
    array_free(&all);
    array_free(&above);
    source_free(&flux);
}

/* ------------------------------------------------------------------------------------- sines or cosines alone */

enum { ALONE_ROWS = 160 };
typedef enum order { PACKED, BACKWARD, SHUFFLED, DRAWN, TIMES, MOST_ORDERS } order;

/* Packed sequences, steps of -20, whole numbers in no order, twice some, and times that are real. */
static void draw_positions(order kind, double *p)
{
    random_state r = random_seed(11, kind);
    for (size_t i = 0; i < ALONE_ROWS; i++) {
        const size_t other = (size_t)(random_unit(&r) * (double)(i + 1));
        p[i] = kind == PACKED     ? (double)(i % 71)
               : kind == BACKWARD ? 4000 - 20 * (double)i
               : kind == DRAWN    ? floor(8192 * random_unit(&r))
               : kind == TIMES    ? 1000 * random_unit(&r)
                                  : (double)i;
        if (kind == SHUFFLED) {
            p[i] = p[other];
            p[other] = (double)i;
        }
    }
}

/* One component of each frequency, `copies` times. */
static array make_alone(const double *p, const double *theta, size_t m, size_t copies, bool is_sine, sinpos_type type)
{
    array a = array_make(ALONE_ROWS, copies * m, type);
    for (size_t i = 0; i < ALONE_ROWS; i++)
        for (size_t j = 0; j < copies * m; j++)
            array_put(&a, i, j, is_sine ? sin(theta[j % m] * p[i]) : cos(theta[j % m] * p[i]));
    return a;
}

static double position_of(const sinpos_identity *found, size_t row)
{
    return found->positions != NULL ? found->positions[row] : found->axis[0].start + found->axis[0].step * (double)row;
}

/* Whole positions are found as they are, times as near as the type shows them; of float64 the C library rounds angles. */
static void must_be_alone(const sinpos_identity *found, const double *p, bool are_times, sinpos_type type)
{
    assert_true(found->is_sinusoidal && found->n == ALONE_ROWS && found->n_tones > 0);
    for (size_t k = 0; k < found->n_tones; k++)
        assert_true((found->sin_column[k] < 0) != (found->cos_column[k] < 0));
    for (size_t i = 0; i < ALONE_ROWS; i++)
        assert_true(fabs(position_of(found, i) - p[i]) <= (are_times ? 0.01 : 0));
    assert_true(type == SINPOS_F64 || found->total.wrong <= 2);
}

static void alone_in_any_order(void **state)
{
    static const sinpos_type types[] = {SINPOS_F64, SINPOS_F32, SINPOS_F16, SINPOS_BF16};
    enum { TONES = 24 };
    double p[ALONE_ROWS], theta[TONES];
    (void)state;
    for (size_t i = 0; i < TONES; i++)
        theta[i] = pow(10000, -(double)i / TONES);
    for (size_t k = 0; k < 2 * MOST_ORDERS; k++) {
        for (size_t t = 0; t < 4; t += 2) {
            draw_positions((order)(k / 2), p);
            array a = make_alone(p, theta, TONES, 1, k % 2 == 1, types[(t + k % 2 + k / 4) % 4]);
            sinpos_identity *found = identify(a.data, a.n, a.dim, a.type);
            must_be_alone(found, p, k / 2 == TIMES, a.type);
            if (k / 2 != BACKWARD || a.type != SINPOS_F64)
                assert_true(found->axis[0].base == 10000 && found->axis[0].divisor == TONES);
            sinpos_identity_destroy(found);
            array_free(&a);
        }
    }
}

/* No column turns half a turn: the first is where reading starts, with none before it. */
static void alone_and_slow(void **state)
{
    enum { TONES = 24 };
    double p[ALONE_ROWS], theta[TONES];
    (void)state;
    random_state r = random_seed(12, 0);
    for (size_t i = 0; i < ALONE_ROWS; i++)
        p[i] = 3 * random_unit(&r);
    for (size_t i = 0; i < TONES; i++)
        theta[i] = pow(10000, -(double)i / TONES);
    array a = make_alone(p, theta, TONES, 1, false, SINPOS_F64);
    sinpos_identity *found = identify(a.data, a.n, a.dim, a.type);
    must_be_alone(found, p, true, a.type);
    assert_true(found->axis[0].base == 10000 && found->axis[0].divisor == TONES);
    sinpos_identity_destroy(found);
    array_free(&a);
}

/* Each column twice, as rotary caches are kept; and frequencies that Llama 3 slowed down. */
static void alone_as_caches(void **state)
{
    enum { TONES = 32 };
    double p[ALONE_ROWS], theta[TONES];
    (void)state;
    draw_positions(DRAWN, p);
    for (size_t i = 0; i < TONES; i++) {
        const double plain = pow(500000, -(double)i / TONES), turns = 8192 * plain / (2 * acos(-1));
        theta[i] = plain * (1 - 7.0 / 8 * (1 - fmax(0, fmin(1, (turns - 1) / 3))));
    }
    for (size_t copies = 1; copies <= 2; copies++) {
        for (size_t t = 0; t < 2; t++) {
            array a = make_alone(p, theta, TONES, copies, false, t == 0 ? SINPOS_F32 : SINPOS_BF16);
            sinpos_identity *found = identify(a.data, a.n, a.dim, a.type);
            must_be_alone(found, p, false, a.type);
            assert_true(found->scaling == SINPOS_SCALING_LLAMA3 && found->scaling_factor == 8);
            assert_true(found->axis[0].base == 500000 && found->n_others == copies - 1);
            sinpos_identity_destroy(found);
            array_free(&a);
        }
    }
}

/* Rows of a cosine transform are cosines alone too: their frequencies are in even steps, and no encoding's. */
static void transforms_are_none(void **state)
{
    enum { SIZE = 64, ROWS = 56 }; /* the slowest of which turns less than half a turn in these */
    (void)state;
    for (size_t k = 0; k < 4; k++) {
        const size_t dim = k < 2 ? SIZE : 8;
        random_state r = random_seed(3, k);
        array a = array_make(ROWS, dim, SINPOS_F64);
        for (size_t i = 0; i < ROWS; i++) {
            const size_t row = k % 2 == 0 ? i : (size_t)(random_unit(&r) * ROWS);
            for (size_t j = 0; j < dim; j++)
                array_put(&a, i, j, cos(acos(-1) * (double)(2 * row + 1) * (double)(dim - j) / (2 * SIZE)));
        }
        sinpos_identity *found = identify(a.data, a.n, a.dim, a.type);
        assert_false(found->is_sinusoidal);
        sinpos_identity_destroy(found);
        array_free(&a);
    }
}

/* Frequencies that float32 rounded: Llama 3 with a context of 262144 slows none of these. */
static void none_is_slowed(void **state)
{
    enum { TONES = 16, ROWS = 200 };
    (void)state;
    array a = array_make(ROWS, 2 * TONES, SINPOS_F64);
    for (size_t i = 0; i < ROWS; i++) {
        for (size_t j = 0; j < 2 * TONES; j++) {
            const double angle = (double)i * (double)(float)pow(10000, -(double)(j % TONES) / TONES);
            array_put(&a, i, j, j < TONES ? sin(angle) : cos(angle));
        }
    }
    sinpos_identity *found = identify(a.data, a.n, a.dim, a.type);
    assert_true(found->is_sinusoidal && found->scaling == SINPOS_SCALING_NONE);
    sinpos_identity_destroy(found);
    array_free(&a);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(signs),           cmocka_unit_test(constants),       cmocka_unit_test(rows_and_columns),
        cmocka_unit_test(rounded),         cmocka_unit_test(by_conventions),  cmocka_unit_test(no_other_units),
        cmocka_unit_test(near_is_said),    cmocka_unit_test(backward),        cmocka_unit_test(copies),
        cmocka_unit_test(dropped),         cmocka_unit_test(parts_of_a_turn), cmocka_unit_test(signs_of_few_columns),
        cmocka_unit_test(rows_by_circles), cmocka_unit_test(in_any_order),    cmocka_unit_test(dealt_in_turn),
        cmocka_unit_test(far_and_narrow),  cmocka_unit_test(one_base),
    };
    const struct CMUnitTest more[] = {
        cmocka_unit_test(rounded_far_away),
        cmocka_unit_test(rounded_angles),
        cmocka_unit_test(errors_to_one_side),
        cmocka_unit_test(repeated_rows),
        cmocka_unit_test(altered_rows),
        cmocka_unit_test(signs_far_away),
        cmocka_unit_test(near_a_formula),
        cmocka_unit_test(angles_in_bfloat16),
        cmocka_unit_test(sines_of_narrow_angles),
        cmocka_unit_test(features_of_one_coordinate),
        cmocka_unit_test(features_of_even_times),
        cmocka_unit_test(scaled_integers),
        cmocka_unit_test(scaled_parts),
        cmocka_unit_test(altered_elements),
        cmocka_unit_test(circles_alone),
        cmocka_unit_test(beside_each_other),
        cmocka_unit_test(signs_in_proportion),
        cmocka_unit_test(constants_as_added),
        cmocka_unit_test(starts_far_away),
        cmocka_unit_test(whole_starts),
        cmocka_unit_test(linear_features),
        cmocka_unit_test(points_before_features),
        cmocka_unit_test(square_grid),
        cmocka_unit_test(nothing_but_a_constant),
        cmocka_unit_test(constants_beside_amplitudes),
        cmocka_unit_test(work_for_each_layout),
        cmocka_unit_test(left_beside_parts),
        cmocka_unit_test(dropped_and_rounded),
        cmocka_unit_test(alone_in_any_order),
        cmocka_unit_test(alone_and_slow),
        cmocka_unit_test(alone_as_caches),
        cmocka_unit_test(transforms_are_none),
        cmocka_unit_test(none_is_slowed),
    };
    if (argc > 1 && strcmp(argv[1], "more") == 0)
        return cmocka_run_group_tests_name("identify_mended", more, NULL, NULL);
    return cmocka_run_group_tests_name("identify_mended", tests, NULL, NULL);
}
