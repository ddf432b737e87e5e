/* What the catalogue and its encodings say of themselves. */
#include "parameters.h"
#include "sinpos_conventions.h"
#include "size.h"
#include "unit.h"

enum { MOST_COLUMNS = 4096, MOST_TRIED = 4, AXES = 4 };

/* ------------------------------------------------------------------------------------------------------ as text */

static size_t number_of_field(const char *field)
{
    size_t k = 0;
    for (const char *name; (name = sinpos_convention_field(k)) != NULL; k++)
        if (strcmp(name, field) == 0)
            return k;
    return SINPOS_NONE;
}

static void fields(void **state)
{
    (void)state;
    size_t n = 0, n_given = 0;
    while (sinpos_convention_field(n) != NULL)
        n++;
    assert_int_equal(n, 50);
    assert_null(sinpos_convention_field(n));
    assert_null(sinpos_convention_field(SIZE_MAX));
    assert_int_equal(number_of_field("name"), 0);
    assert_int_equal(number_of_field("calls"), n - 1);
    for (size_t k = 0; k < sinpos_conventions_count(); k++) {
        const sinpos_convention *c = sinpos_convention_at(k);
        for (size_t i = 0; i < n; i++) {
            const char *text = sinpos_convention_text(c, sinpos_convention_field(i));
            assert_true(text == NULL || text[0] != '\0');
            n_given += text != NULL;
        }
        assert_ptr_equal(sinpos_convention_text(c, "name"), sinpos_convention_name(c));
        assert_null(sinpos_convention_text(c, "no such field"));
        assert_null(sinpos_convention_text(c, ""));
        assert_null(sinpos_convention_text(c, NULL));
    }
    assert_true(n_given > 10 * sinpos_conventions_count());
    assert_null(sinpos_convention_name(NULL));
    assert_null(sinpos_convention_text(NULL, "name"));
    assert_string_equal(sinpos_convention_text(sinpos_convention_find("vaswani"), "theta"), "base^(-2 * i / dim)");
    assert_null(sinpos_convention_text(sinpos_convention_find("vaswani"), "weaknesses"));
}

static void parameters_as_text(void **state)
{
    (void)state;
    const sinpos_convention *c = sinpos_convention_find("t2t_timing_nd");
    assert_int_equal(sinpos_convention_parameters(NULL), 0);
    assert_int_equal(sinpos_convention_parameters(c), 3);
    assert_string_equal(sinpos_convention_parameter(c, 0, "name"), "shape");
    assert_null(sinpos_convention_parameter(c, 0, "default"));
    assert_string_equal(sinpos_convention_parameter(c, 0, "role"), "");
    assert_string_equal(sinpos_convention_parameter(c, 2, "default"), "10000");
    assert_string_equal(sinpos_convention_parameter(c, 2, "role"), "base");
    assert_string_equal(sinpos_convention_parameter(c, 2, "meaning"), "> 0");
    assert_null(sinpos_convention_parameter(c, 3, "name"));
    assert_null(sinpos_convention_parameter(c, SINPOS_NONE, "name"));
    assert_null(sinpos_convention_parameter(c, 0, "fallback"));
    assert_null(sinpos_convention_parameter(c, 0, NULL));
    assert_null(sinpos_convention_parameter(NULL, 0, "name"));
}

static void arithmetics_as_text(void **state)
{
    (void)state;
    const sinpos_arithmetic *a = sinpos_arithmetic_find("ggml");
    static const char *const names[] = {"who", "theta", "angle", "element", "product"};
    assert_string_equal(sinpos_arithmetic_text(a, "name"), "float32-repeated");
    assert_non_null(strstr(sinpos_arithmetic_text(a, "aliases"), "ggml"));
    for (size_t k = 0; k < 5; k++)
        assert_true(strlen(sinpos_arithmetic_text(a, names[k])) > 0);
    assert_null(sinpos_arithmetic_text(sinpos_arithmetic_at(0), "aliases"));
    assert_null(sinpos_arithmetic_text(a, "no such field"));
    assert_null(sinpos_arithmetic_text(a, NULL));
    assert_null(sinpos_arithmetic_text(NULL, "name"));
}

static void kinds_of_rows(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        sinpos_rows_kind kind;
    } known[] = {{"vaswani", SINPOS_ROWS_LENGTH},
                 {"timm_sincos_2d", SINPOS_ROWS_OWN},
                 {"lucidrains_perceiver", SINPOS_ROWS_LIST},
                 {"diffusers_timestep", SINPOS_ROWS_LIST},
                 {"hf_gpt_neox_rope", SINPOS_ROWS_GIVEN}};
    size_t n[4] = {0};
    assert_int_equal(sinpos_convention_rows(NULL), SINPOS_ROWS_OWN);
    for (size_t k = 0; k < sinpos_conventions_count(); k++)
        n[sinpos_convention_rows(sinpos_convention_at(k))]++;
    assert_true(n[0] > 0 && n[1] > 0 && n[2] > 0 && n[3] > 0);
    for (size_t k = 0; k < sizeof known / sizeof known[0]; k++) {
        const sinpos_convention *c = sinpos_convention_find(known[k].name);
        assert_or_say(sinpos_convention_rows(c) == known[k].kind, "%s has rows of kind %d", known[k].name,
                      (int)sinpos_convention_rows(c));
    }
}

/* ---------------------------------------------------------------------------------------------------- of encodings */

/* The parameter that takes positions. */
static const char *list_of(const sinpos_convention *c)
{
    for (size_t i = 0; i < sinpos_convention_parameters(c); i++)
        if (strcmp(sinpos_convention_parameter(c, i, "role"), "positions") == 0)
            return sinpos_convention_parameter(c, i, "name");
    return "positions";
}

/* With one position of n_axes coordinates. */
static sinpos_status make_at(const sinpos_convention *c, const double *position, size_t n_axes, const char *output,
                             sinpos_encoding **e, sinpos_error *error)
{
    const size_t shape[2] = {1, n_axes};
    sinpos_parameters *p = new_parameters();
    assert_int_equal(sinpos_parameters_set_list(p, list_of(c), position, n_axes > 1 ? 2 : 1, shape), SINPOS_OK);
    if (output != NULL)
        assert_int_equal(sinpos_parameters_set_text(p, "output", output), SINPOS_OK);
    const sinpos_status status = sinpos_encoding_create(e, sinpos_convention_name(c), p, SINPOS_F32, error);
    sinpos_parameters_destroy(p);
    return status;
}

/* How many coordinates a position has, as the refusals say; 0 where it takes none. */
static size_t axes_of(const sinpos_convention *c, const char *output)
{
    static const double ones[AXES] = {1, 1, 1, 1};
    size_t n_axes = 1;
    for (int tried = 0; tried < MOST_TRIED; tried++) {
        sinpos_error error = SINPOS_ERROR_INIT;
        sinpos_encoding *e = NULL;
        const sinpos_status status = make_at(c, ones, n_axes, output, &e, &error);
        assert_true((status == SINPOS_E_AXES) == (error.n_axes != 0));
        if (status == SINPOS_OK) {
            const size_t found = sinpos_encoding_info_get(e)->n_axes;
            sinpos_encoding_destroy(e);
            if (found == n_axes)
                return n_axes;
            n_axes = found;
        } else if (status == SINPOS_E_AXES && error.n_axes <= AXES) {
            assert_or_say(error.n_axes != n_axes, "%s: '%s'", sinpos_convention_name(c), error.message);
            n_axes = error.n_axes;
        } else {
            return 0;
        }
    }
    fail_msg("%s: the number of coordinates is not settled", sinpos_convention_name(c));
    return 0;
}

/* The row of `other`, a position of its own, made by the plan of e. */
static void row_by_plan(const sinpos_encoding *e, const sinpos_encoding *other, float *row)
{
    const sinpos_encoding_info *info = sinpos_encoding_info_get(other);
    const sinpos_plan *plan = sinpos_encoding_plan(e);
    const size_t d = info->n_columns;
    sinpos_rows rows = SINPOS_ROWS_INIT;
    assert_int_equal(sinpos_encoding_positions(other, 0, 1, &rows), SINPOS_OK);
    if (info->output == SINPOS_OUTPUT_TABLE) {
        assert_int_equal(sinpos_run(plan, SINPOS_FILL, &rows, SINPOS_F32, row, d, 1), SINPOS_OK);
        return;
    }
    for (size_t j = 0; j < d; j++)
        row[j] = (float)((37 * j + 11) % 64) / 16 - 2;
    assert_int_equal(sinpos_rotate(plan, &rows, SINPOS_FORWARD, 1, SINPOS_F32, row, d, d, 1), SINPOS_OK);
}

/* Is the row of one position the row that the plan of another makes? */
static bool same_rows(const sinpos_convention *c, size_t n_axes, const char *output, bool *is_by_position)
{
    static const double here[AXES] = {3, 1, 4, 2}, there[AXES] = {11, 6, 5, 9};
    static float own[MOST_COLUMNS], by_plan[MOST_COLUMNS];
    sinpos_encoding *e[2] = {NULL, NULL};
    bool same = true;
    assert_int_equal(make_at(c, here, n_axes, output, &e[0], NULL), SINPOS_OK);
    assert_int_equal(make_at(c, there, n_axes, output, &e[1], NULL), SINPOS_OK);
    const sinpos_encoding_info *info = sinpos_encoding_info_get(e[0]);
    *is_by_position = info->is_by_position != 0;
    assert_int_equal(info->is_by_position, sinpos_encoding_info_get(e[1])->is_by_position);
    assert_true(!*is_by_position || !info->depends_on_rows);
    if (*is_by_position) {
        const size_t d = info->n_columns;
        sinpos_rows rows = SINPOS_ROWS_INIT;
        assert_true(d <= MOST_COLUMNS && info->n_rows == 1);
        assert_int_equal(sinpos_encoding_fill(e[1], 0, 1, SINPOS_F32, own, d, 1), SINPOS_OK);
        row_by_plan(e[0], e[1], by_plan);
        assert_int_equal(sinpos_encoding_positions(e[1], 0, 1, &rows), SINPOS_OK);
        for (size_t a = 0; a < n_axes; a++)
            same = same && (rows.reals != NULL      ? rows.reals[a]
                            : rows.integers != NULL ? (double)rows.integers[a]
                                                    : (double)rows.first) == there[a];
        same = same && memcmp(own, by_plan, d * sizeof(float)) == 0;
    }
    sinpos_encoding_destroy(e[0]);
    sinpos_encoding_destroy(e[1]);
    return same;
}

static void plans_of_any_position(void **state)
{
    (void)state;
    static const char *const outputs[] = {"table", "rotated"};
    size_t n[2][2] = {{0}};
    for (size_t k = 0; k < 2 * sinpos_conventions_count(); k += small_size() ? 7 : 1) {
        const sinpos_convention *c = sinpos_convention_at(k / 2);
        if (k % 2 == 1 && sinpos_convention_text(c, "pairing") == NULL)
            continue;
        const size_t n_axes = axes_of(c, outputs[k % 2]);
        bool is_by_position;
        if (n_axes == 0)
            continue;
        assert_or_say(same_rows(c, n_axes, outputs[k % 2], &is_by_position), "%s, %s: the plan makes another row",
                      sinpos_convention_name(c), outputs[k % 2]);
        n[k % 2][is_by_position]++;
    }
    if (!small_size())
        assert_true(n[0][1] > 60 && n[0][0] > 5 && n[1][1] > 30 && n[1][0] > 0);
    assert_true(n[0][1] > 5 && n[1][1] > 0);
}

/* Rows of a convention's own: those at positions start + i, or not. */
static void plans_of_own_rows(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int depends, by_position;
    } known[] = {
        {"vaswani", 0, 1},      {"whisper_sinusoids", 0, 1},       {"hf_xglm", 1, 0}, {"fairseq_sinusoidal", 0, 0},
        {"timm_fourier", 1, 0}, {"deepseek_reference_rope", 1, 0},
    };
    for (size_t k = 0; k < sizeof known / sizeof known[0]; k++) {
        sinpos_encoding *e = NULL;
        assert_int_equal(sinpos_encoding_create(&e, known[k].name, NULL, SINPOS_F32, NULL), SINPOS_OK);
        const sinpos_encoding_info *info = sinpos_encoding_info_get(e);
        assert_or_say(info->depends_on_rows == known[k].depends && info->is_by_position == known[k].by_position,
                      "%s: depends_on_rows %d, is_by_position %d", known[k].name, info->depends_on_rows,
                      info->is_by_position);
        sinpos_encoding_destroy(e);
    }
    for (int k = 0; k < 3; k++) { /* positions 7, 8, ...; the same by halves; and times 2 */
        static const double steps[] = {1, 0.5, 1}, scales[] = {1, 1, 2};
        sinpos_parameters *p = new_parameters();
        sinpos_encoding *e = NULL;
        put_number(p, "start", 7);
        put_number(p, "step", steps[k]);
        put_number(p, "override.scale", scales[k]);
        assert_int_equal(sinpos_encoding_create(&e, "vaswani", p, SINPOS_F32, NULL), SINPOS_OK);
        assert_int_equal(sinpos_encoding_info_get(e)->is_by_position, steps[k] == 1);
        sinpos_encoding_destroy(e);
        sinpos_parameters_destroy(p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fields),        cmocka_unit_test(parameters_as_text),    cmocka_unit_test(arithmetics_as_text),
        cmocka_unit_test(kinds_of_rows), cmocka_unit_test(plans_of_any_position), cmocka_unit_test(plans_of_own_rows),
    };
    return cmocka_run_group_tests_name("facts", tests, NULL, NULL);
}
