/*
 * identify_generated - seeded arrays: what is said of them must hold.
 *
 *   --count N      arrays (default 300)
 *   --first K      from this one on (default 0)
 *   --seed S       (default 1)
 *   --from WHAT    of `formula` or `catalogue` alone
 *   --change NAME  with this change alone; `unchanged`: with none
 *   --none         arrays that are no encoding
 *   --case K       that array alone, and what is said of it
 *   --cases FILE   those whose numbers the file has
 *   --save FILE    the array of the last case, as .npy of doubles
 *   --lines        prints an object of JSON for each array
 *   --bar R W      at least R must be right, at most W wrong: what is reached, where that is not everything
 */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "cases.h"
#include "generated.h"
#include "identify_table.h"
#include "nothing_tables.h"
#include "size.h"
#include "support.h"

static struct {
    size_t count, first, only;
    const char *cases, *save;
    uint64_t seed;
    const char *from, *change;
    bool is_none, lines, has_bar;
    size_t least_right, most_wrong;
} asked = {.count = 300, .only = SIZE_MAX, .seed = 1};

static const char *const verdicts[] = {"right", "abstained", "open", "wrong"};

static sinpos_identity *identify_array(const array *a)
{
    const size_t columns = a->shape[a->n_dims - 1];
    struct memory memory = {a->data, columns * a->size};
    const sinpos_table table = {a->n_dims, a->shape, a->type, read_rows, &memory};
    sinpos_identity *found;
    assert_int_equal(sinpos_identify(&found, &table, 1), SINPOS_OK);
    return found;
}

/* Of this process: other programs do not count. */
static double seconds(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

/* --------------------------------------------------------------------------------------------------- saying */

static void say_found(const sinpos_identity *found)
{
    const sinpos_identity_axis *axis = &found->axis[0];
    printf("  found %d, view %d, %zu axes, nest %d, %llu wrong, law %d, base %.17g, divisor %g, start %.17g, step "
           "%.17g,\n",
           found->is_sinusoidal, (int)found->view, found->n_axes, (int)found->nest,
           (unsigned long long)found->total.wrong, (int)axis->law, axis->base, axis->divisor, axis->start, axis->step);
    printf("  amplitude %.17g, scale %.17g, noise %g, %llu altered, %zu others, arithmetic %s (%s) %.4f, %.0f bits\n",
           found->amplitude, axis->scale, found->noise, (unsigned long long)found->n_altered, found->n_others,
           found->arithmetic, found->arithmetic_also, found->arithmetic_share, found->bits);
    for (size_t i = 0; i < found->n_defects; i++)
        printf("  %s: %s\n", sinpos_defect_name(found->defects[i].kind), found->defects[i].sentence);
    for (size_t i = 0; i < found->n_conventions; i++) {
        printf("  %s", found->conventions[i].name);
        for (const char *at = found->conventions[i].settings; *at != '\0'; at++)
            putchar(*at == '\n' ? ' ' : *at);
        printf(" %.4f\n", found->conventions[i].published);
    }
}

static void say_array(const drawn *d, const array *a, size_t k, verdict v, const char *why, double took)
{
    char text[1200];
    source_print(&d->source, text, sizeof text);
    printf("%zu %s (%s): %zu x %zu %s, %s, %s", k, verdicts[v], why, a->n, a->dim, type_name(a->type), text,
           d->source.arithmetic == NULL ? "exact" : d->source.arithmetic);
    for (size_t i = 0; i < d->n_changes; i++)
        printf(", %s", d->changes[i]->name);
    printf(": %.2f s\n", took);
}

static void write_line(const drawn *d, const array *a, size_t k, verdict v, const char *why, double took)
{
    printf("{\"case\": %zu, \"verdict\": \"%s\", \"why\": \"%s\", \"source\": \"%s\", \"type\": \"%s\", ", k,
           verdicts[v], why, d->source.convention == NULL ? "formula" : d->source.convention, type_name(a->type));
    printf("\"rows\": %zu, \"columns\": %zu, \"seconds\": %.4f, \"differs\": %s, \"changes\": [", a->n, a->dim, took,
           drawn_differs(d, a) ? "true" : "false");
    for (size_t i = 0; i < d->n_changes; i++)
        printf("%s\"%s\"", i > 0 ? ", " : "", d->changes[i]->name);
    printf("]}\n");
}

/* The array as doubles, to look at. */
static void save(const array *a)
{
    char header[120];
    FILE *file = fopen(asked.save, "wb");
    assert_non_null(file);
    const int n = snprintf(header, sizeof header, "{'descr': '<f8', 'fortran_order': False, 'shape': (%zu, %zu), }",
                           a->n, a->dim);
    fwrite("\x93NUMPY\1\0\x76\0", 1, 10, file);
    fprintf(file, "%s%*s\n", header, 117 - n, "");
    for (size_t i = 0; i < a->n; i++) {
        for (size_t j = 0; j < a->dim; j++) {
            const double x = array_get(a, i, j);
            fwrite(&x, sizeof x, 1, file);
        }
    }
    assert_int_equal(fclose(file), 0);
}

/* -------------------------------------------------------------------------------------------------- encodings */

static verdict look(size_t k)
{
    drawn d = draw_array(asked.seed, k, asked.from, asked.change);
    const char *why;
    array a;
    assert_true(drawn_make(&a, &d, false, 1));
    if (asked.only != SIZE_MAX)
        say_array(&d, &a, k, OPEN, "drawn", 0);
    if (asked.save != NULL)
        save(&a);
    const double before = seconds();
    sinpos_identity *found = identify_array(&a);
    const double took = seconds() - before;
    const verdict v = judge(&d, &a, found, &why);
    if (asked.lines)
        write_line(&d, &a, k, v, why, took);
    else if (v != RIGHT || asked.only != SIZE_MAX)
        say_array(&d, &a, k, v, why, took);
    if (asked.only != SIZE_MAX)
        say_found(found);
    sinpos_identity_destroy(found);
    array_free(&a);
    drawn_free(&d);
    return v;
}

static void look_at_cases(size_t n[4])
{
    FILE *file = fopen(asked.cases, "r");
    assert_non_null(file);
    for (size_t k; fscanf(file, "%zu", &k) == 1; fflush(stdout))
        n[look(k)]++;
    fclose(file);
}

static void what_is_said_holds(void **state)
{
    (void)state;
    size_t n[4] = {0};
    if (asked.cases != NULL) {
        look_at_cases(n);
        asked.count = 0;
    }
    for (size_t k = asked.first; k < asked.first + asked.count; k++)
        if (asked.only == SIZE_MAX || k == asked.only) {
            n[look(k)]++;
            fflush(stdout);
        }
    if (!asked.lines)
        printf("%zu right, %zu abstained, %zu open, %zu wrong, seed %llu\n", n[RIGHT], n[ABSTAINED], n[OPEN], n[WRONG],
               (unsigned long long)asked.seed);
    assert_true(n[WRONG] <= (asked.has_bar ? asked.most_wrong : 0));
    assert_true(asked.has_bar ? n[RIGHT] >= asked.least_right : 100 * n[ABSTAINED] <= asked.count);
}

/* ------------------------------------------------------------------------------------------------------ none */

static bool is_claimed(size_t k)
{
    nothing_table table;
    nothing_draw(&table, k % n_nothing_kinds, asked.seed + k / n_nothing_kinds);
    const double before = seconds();
    sinpos_identity *found;
    struct memory memory = {table.data, table.shape[table.n_dims - 1] * type_size(table.type)};
    const sinpos_table read = {table.n_dims, table.shape, table.type, read_rows, &memory};
    assert_int_equal(sinpos_identify(&found, &read, 1), SINPOS_OK);
    const bool claims = found->is_sinusoidal;
    const char *name = nothing_kinds[k % n_nothing_kinds].name;
    if (asked.lines)
        printf("{\"case\": %zu, \"verdict\": \"%s\", \"why\": \"%s\", \"source\": \"none\", \"type\": \"%s\", "
               "\"rows\": %zu, "
               "\"columns\": %zu, \"seconds\": %.4f, \"changes\": []}\n",
               k, claims ? "wrong" : "right", name, type_name(table.type), table.n, table.dim, seconds() - before);
    else if (claims || asked.only != SIZE_MAX)
        printf("%zu %s, %s %zu x %zu\n", k, name, type_name(table.type), table.n, table.dim);
    if (claims && !asked.lines)
        say_found(found);
    sinpos_identity_destroy(found);
    free(table.data);
    return claims;
}

static void nothing_is_claimed(void **state)
{
    (void)state;
    size_t n = 0;
    for (size_t k = asked.first; k < asked.first + asked.count; k++)
        n += (asked.only == SIZE_MAX || k == asked.only) && is_claimed(k);
    if (!asked.lines)
        printf("%zu of %zu arrays of none are claimed, seed %llu\n", n, asked.count, (unsigned long long)asked.seed);
    assert_int_equal(n, 0);
}

/* Exact tables whose base had been named with too few digits, or whose start was 3e-14. */
static void bases_of_few_digits(void **state)
{
    static const double bases[] = {220, 620, 720, 5000, 12345.678};
    (void)state;
    for (size_t i = 0; i < sizeof bases / sizeof bases[0]; i++) {
        sinpos_spec spec = SINPOS_SPEC_INIT;
        spec.dim = 64;
        spec.base = bases[i];
        void *data = make_table(&spec, 0, 512, SINPOS_F64);
        sinpos_identity *found = identify(data, 512, 64, SINPOS_F64);
        assert_true(found->is_sinusoidal && found->total.wrong == 0 && found->n_defects == 0);
        assert_true(found->axis[0].base == bases[i] && found->axis[0].start == 0);
        sinpos_identity_destroy(found);
        free(data);
    }
}

static void read_arguments(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        const bool has_value = i + 1 < argc;
        if (strcmp(argv[i], "--none") == 0)
            asked.is_none = true;
        else if (strcmp(argv[i], "--lines") == 0)
            asked.lines = true;
        else if (strcmp(argv[i], "--count") == 0 && has_value)
            asked.count = strtoull(argv[++i], NULL, 10);
        else if (strcmp(argv[i], "--first") == 0 && has_value)
            asked.first = strtoull(argv[++i], NULL, 10);
        else if (strcmp(argv[i], "--seed") == 0 && has_value)
            asked.seed = strtoull(argv[++i], NULL, 10);
        else if (strcmp(argv[i], "--from") == 0 && has_value)
            asked.from = argv[++i];
        else if (strcmp(argv[i], "--cases") == 0 && has_value)
            asked.cases = argv[++i];
        else if (strcmp(argv[i], "--save") == 0 && has_value)
            asked.save = argv[++i];
        else if (strcmp(argv[i], "--change") == 0 && has_value)
            asked.change = argv[++i];
        else if (strcmp(argv[i], "--bar") == 0 && i + 2 < argc) {
            asked.has_bar = true;
            asked.least_right = strtoull(argv[++i], NULL, 10);
            asked.most_wrong = strtoull(argv[++i], NULL, 10);
        } else if (strcmp(argv[i], "--case") == 0 && has_value)
            asked.first = asked.only = strtoull(argv[++i], NULL, 10);
        else {
            fprintf(stderr, "%s: not an option, or one without its value; see docs/identification.md\n", argv[i]);
            exit(2);
        }
    }
    asked.count = asked.only != SIZE_MAX ? 1 : asked.count;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_is_said_holds), cmocka_unit_test(bases_of_few_digits)};
    const struct CMUnitTest none[] = {cmocka_unit_test(nothing_is_claimed)};
    asked.count = small_size() ? 20 : 300;
    read_arguments(argc, argv);
    if (asked.is_none)
        return cmocka_run_group_tests_name("identify_generated", none, NULL, NULL);
    return cmocka_run_group_tests_name("identify_generated", tests, NULL, NULL);
}
