#include "positions.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array_file.h"
#include "no_memory.h"
#include "position_range.h"

/* --------------------------------------------------------------------------------------- lists as text */

/* Numbers read from a list or JSON, all integers until one is not. */
struct list {
    struct number *numbers;
    size_t n, room;
    size_t n_axes; /* 0: not known yet */
    const char *source;
    enum exit_code code; /* of a mistake */
};

/* About a piece of the text. */
static noreturn void fail_list(const struct list *list, const char *text, size_t length, const char *why)
{
    char what[400];
    const int n = length > 60 ? 60 : (int)length;
    snprintf(what, sizeof what, n == 0 ? "%.250s" : "%.250s: %.*s", list->source, n, text);
    fail(list->code, "positions are numbers such as 0,5,7.25 or [[0,1],[2,3]]", what, "%s", why);
}

static noreturn void fail_list_at(const struct list *list, const char *rest, const char *why)
{
    rest = *rest == '\0' ? "the end" : rest;
    fail_list(list, rest, strlen(rest), why);
}

static void list_add(struct list *list, const char *text, size_t length)
{
    list->numbers = memory_grow(list->numbers, list->n, &list->room, sizeof *list->numbers);
    const char *why = parse_number(text, length, &list->numbers[list->n++]);
    if (why != NULL)
        fail_list(list, text, length, why);
}

static void parse_commas(struct list *list, const char *text)
{
    list->n_axes = 1;
    for (;;) {
        const size_t length = strcspn(text, ",");
        list_add(list, text, length);
        if (text[length] == '\0')
            return;
        text += length + 1;
    }
}

static const char *skip_space(const char *p)
{
    while (isspace((unsigned char)*p))
        p++;
    return p;
}

/* JSON's grammar for numbers is narrower than that of strtod(). */
static bool is_json_number(const char *p, size_t length)
{
    const char *end = p + length;
    p += *p == '-' ? 1 : 0;
    const char *digits = p;
    while (p < end && isdigit((unsigned char)*p))
        p++;
    bool good = p > digits && (*digits != '0' || p == digits + 1);
    if (p < end && *p == '.') {
        const char *fraction = ++p;
        while (p < end && isdigit((unsigned char)*p))
            p++;
        good = good && p > fraction;
    }
    if (p < end && (*p == 'e' || *p == 'E')) {
        p++;
        p += p < end && (*p == '+' || *p == '-') ? 1 : 0;
        const char *exponent = p;
        while (p < end && isdigit((unsigned char)*p))
            p++;
        good = good && p > exponent;
    }
    return good && p == end;
}

/* The numbers of one bracket, which begins at *at; *at ends behind it. Returns how many. */
static size_t parse_json_numbers(struct list *list, const char **at)
{
    const char *p = skip_space(*at + 1);
    const size_t n_before = list->n;
    while (*p != ']') {
        const size_t length = strcspn(p, ",] \t\r\n");
        if (!is_json_number(p, length))
            fail_list(list, p, length, "is not a JSON number");
        list_add(list, p, length);
        p = skip_space(p + length);
        if (*p == ',') {
            p = skip_space(p + 1);
            if (*p == ']')
                fail_list(list, ",]", 2, "is not JSON");
        } else if (*p != ']') {
            fail_list_at(list, p, "is where , or ] must be");
        }
    }
    *at = p + 1;
    return list->n - n_before;
}

/* [[0, 1], [2, 3]]: one bracket per row; *at is behind the outer one. */
static void parse_json_rows(struct list *list, const char **at)
{
    const char *p = skip_space(*at + 1);
    for (;;) {
        if (*p != '[')
            fail_list_at(list, p, "is where a row [...] must be");
        const size_t n = parse_json_numbers(list, &p);
        if (n == 0 || (list->n_axes != 0 && n != list->n_axes))
            fail_list(list, *at, strlen(*at), "has rows of different lengths, or empty ones");
        list->n_axes = n;
        p = skip_space(p);
        if (*p == ']')
            break;
        if (*p != ',')
            fail_list_at(list, p, "is where , or ] must be");
        p = skip_space(p + 1);
    }
    *at = p + 1;
}

static void parse_json(struct list *list, const char *text)
{
    const char *p = skip_space(text);
    if (*p != '[')
        fail_list_at(list, p, "is not a JSON array");
    const bool has_rows = *skip_space(p + 1) == '[';
    list->n_axes = has_rows ? 0 : 1;
    if (has_rows)
        parse_json_rows(list, &p);
    else
        parse_json_numbers(list, &p);
    p = skip_space(p);
    if (*p != '\0')
        fail_list(list, p, strlen(p), "follows after the array");
}

/* Hands the numbers over: integers if all are, else reals, if no integer loses by it. */
static void list_take(struct positions *positions, const struct list *list)
{
    bool all_integers = true;
    for (size_t i = 0; i < list->n; i++)
        all_integers = all_integers && list->numbers[i].is_integer;
    positions->kind = all_integers ? POSITIONS_INTEGERS : POSITIONS_REALS;
    positions->n_axes = list->n_axes;
    positions->n = list->n / list->n_axes;
    positions->integers = all_integers ? memory_take(list->n, sizeof *positions->integers) : NULL;
    positions->reals = all_integers ? NULL : memory_take(list->n, sizeof *positions->reals);
    for (size_t i = 0; i < list->n; i++) {
        const struct number *number = &list->numbers[i];
        if (all_integers) {
            positions->integers[i] = number->integer;
        } else if (number_is_double(number)) {
            positions->reals[i] = number->real;
        } else {
            char text[40];
            const int length = snprintf(text, sizeof text, "%" PRId64, number->integer);
            fail_list(list, text, (size_t)length, "among real positions an integer must fit a double");
        }
    }
}

static void take_text(struct positions *positions, const char *source, const char *text, bool is_json,
                      enum exit_code code)
{
    struct list list = {.source = source, .code = code};
    if (is_json)
        parse_json(&list, text);
    else
        parse_commas(&list, text);
    if (list.n == 0)
        fail(code, "give at least one", source, "holds no positions");
    list_take(positions, &list);
    free(list.numbers);
}

/* ------------------------------------------------------------------------------------------ from files */

static void take_json_file(struct positions *positions, const char *path)
{
    OWNED char *text = text_file_load(path);
    take_text(positions, path, text, true, EXIT_FILE);
}

static void take_array_file(struct positions *positions, const char *path)
{
    struct loaded_array loaded;
    array_file_load(&loaded, path);
    const sinpos_array *array = &loaded.array;
    if (array->n_dims < 1 || array->n_dims > 2)
        fail(EXIT_FILE, "its shape must be (n) or (n, axes)", path, "positions in %zu dimensions", array->n_dims);
    positions->integers = loaded.integers;
    positions->reals = loaded.reals;
    positions->kind = loaded.integers != NULL ? POSITIONS_INTEGERS : POSITIONS_REALS;
    positions->n = array->shape[0];
    positions->n_axes = array->n_dims == 1 ? 1 : array->shape[1];
    if (positions->n == 0 || positions->n_axes == 0)
        fail(EXIT_FILE, "its shape must be (n) or (n, axes)", path, "holds no positions");
}

static void take_list(struct positions *positions, const char *source, const char *value)
{
    if (ends_with(value, ".json"))
        take_json_file(positions, value);
    else if (is_array_file(value))
        take_array_file(positions, value);
    else
        take_text(positions, source, value, *skip_space(value) == '[', EXIT_USAGE);
}

/* ------------------------------------------------------------------------------------------------ grids */

static void take_grid(struct positions *positions, const struct options *options)
{
    static const char hint[] = "write it as in --grid 14x14 or --grid 2x14x14";
    const char *p = options->given[OPTION_GRID];
    positions->kind = POSITIONS_GRID;
    positions->n = 1;
    positions->n_axes = 0;
    for (;;) {
        char text[32];
        const size_t length = strcspn(p, "xX");
        size_t n = 0;
        snprintf(text, sizeof text, "%.*s", length > 30 ? 30 : (int)length, p);
        if (positions->n_axes == 3 || parse_size(text, 1, (size_t)INT64_MAX, &n) != NULL)
            fail_option(options, OPTION_GRID, hint, "must be two or three whole numbers above 0");
        if (n > (size_t)INT64_MAX / positions->n)
            fail_option(options, OPTION_GRID, "ask for fewer points", "has more points than can be counted");
        positions->grid[positions->n_axes++] = n;
        positions->n *= n;
        if (p[length] == '\0')
            break;
        p += length + 1;
    }
    if (positions->n_axes < 2)
        fail_option(options, OPTION_GRID, hint, "must be two or three whole numbers above 0");
}

/* ------------------------------------------------------------------------------------------- the public */

static void refuse_together(const struct options *options, enum option_id id)
{
    static const enum option_id others[] = {OPTION_START, OPTION_STEP};
    refuse_options(options, others, 2, "leave one of the two out", "cannot be combined with --%s",
                   option_types[id].name);
}

void positions_make(struct positions *positions, const struct options *options)
{
    memset(positions, 0, sizeof *positions);
    positions->n_axes = 1;
    positions->start = options->start;
    positions->step = options->step;
    const bool has_list = options->given[OPTION_POSITIONS] != NULL;
    const bool has_grid = options->given[OPTION_GRID] != NULL;
    if (has_list && has_grid)
        fail_option(options, OPTION_GRID, "leave one of the two out", "cannot be combined with --positions");
    if (has_list || has_grid)
        refuse_together(options, has_list ? OPTION_POSITIONS : OPTION_GRID);
    if (has_list)
        take_list(positions, "--positions", options->given[OPTION_POSITIONS]);
    else if (has_grid)
        take_grid(positions, options);
    else if (!positions->start.is_integer || !positions->step.is_integer)
        positions->kind = POSITIONS_REAL_STEPS;
    else
        positions->kind = positions->step.integer == 1 ? POSITIONS_RANGE : POSITIONS_INTEGER_STEPS;
}

static double real_at(const struct positions *positions, size_t row)
{
    return range_position(&positions->start, &positions->step, (double)row);
}

/* Is start + last * step an int64 above INT64_MIN? */
static bool integers_fit(int64_t start, int64_t step, size_t last)
{
    int64_t product, sum;
    return last <= (size_t)INT64_MAX && !__builtin_mul_overflow((int64_t)last, step, &product) &&
           !__builtin_add_overflow(start, product, &sum) && sum != INT64_MIN;
}

static void check_steps(const struct positions *positions, const struct options *options)
{
    static const char hint[] = "positions must stay below 2^63 in size";
    const size_t last = positions->n == 0 ? 0 : positions->n - 1;
    bool good = true;
    if (positions->kind == POSITIONS_REAL_STEPS) {
        good =
            last < (uint64_t)1 << 53 && fabs(real_at(positions, 0)) < 0x1p63 && fabs(real_at(positions, last)) < 0x1p63;
    } else if (positions->kind != POSITIONS_GRID) {
        good = integers_fit(positions->start.integer, positions->step.integer, last);
    }
    if (!good) {
        fail_option(options, options->given[OPTION_STEP] != NULL ? OPTION_STEP : OPTION_START, hint,
                    "with %zu positions the last ones are out of range", positions->n);
    }
}

/* source: name of the file, or the list as it was typed; option: where it was given. */
static void check_reals(const struct positions *positions, const char *option, const char *source)
{
    const bool is_file = is_array_file(source);
    const size_t n = positions->n * positions->n_axes;
    for (size_t i = 0; i < n; i++) {
        const bool good = positions->kind == POSITIONS_REALS ? fabs(positions->reals[i]) < 0x1p63
                                                             : positions->integers[i] != INT64_MIN;
        if (!good) {
            char text[POSITION_TEXT_BYTES];
            fail(is_file ? EXIT_FILE : EXIT_USAGE, "positions must be finite and below 2^63 in size",
                 is_file ? source : option, "the position of row %zu is %s", i / positions->n_axes,
                 positions_text(positions, i / positions->n_axes, text));
        }
    }
}

void positions_set_length(struct positions *positions, const struct options *options, size_t n)
{
    const bool is_list = positions->kind == POSITIONS_INTEGERS || positions->kind == POSITIONS_REALS;
    if ((is_list || positions->kind == POSITIONS_GRID) && n != positions->n) {
        fail_option(options, is_list ? OPTION_POSITIONS : OPTION_GRID, "give as many positions as there are rows",
                    "gives %zu positions for %zu rows", positions->n, n);
    }
    positions->n = n;
    if (is_list)
        check_reals(positions, "--positions", options->given[OPTION_POSITIONS]);
    else
        check_steps(positions, options);
}

/* Of integers or reals; NULL of NULL. */
static void *copy_list(const void *list, size_t n)
{
    return list == NULL ? NULL : memory_copy(list, n, sizeof(double));
}

void positions_copy(struct positions *positions, const struct positions *from)
{
    const size_t n = from->n * from->n_axes;
    *positions = *from;
    positions->some_integers = NULL;
    positions->some_reals = NULL;
    positions->integers = copy_list(from->integers, n);
    positions->reals = copy_list(from->reals, n);
}

void positions_take(struct positions *positions, const sinpos_rows *rows, size_t n_axes)
{
    const size_t n = rows->n * n_axes;
    positions_free(positions);
    positions->n = rows->n;
    positions->n_axes = n_axes;
    positions->start = (struct number){true, rows->first, (double)rows->first};
    positions->step = (struct number){true, 1, 1};
    positions->kind = rows->reals != NULL      ? POSITIONS_REALS
                      : rows->integers != NULL ? POSITIONS_INTEGERS
                                               : POSITIONS_RANGE;
    positions->reals = copy_list(rows->reals, n);
    positions->integers = copy_list(rows->integers, n);
}

void positions_take_reals(struct positions *positions, double *reals, size_t n, size_t n_axes)
{
    bool whole = true;
    for (size_t i = 0; whole && i < n * n_axes; i++)
        whole = fabs(reals[i]) < 0x1p53 && reals[i] == floor(reals[i]);
    positions_free(positions);
    *positions = (struct positions){.kind = POSITIONS_REALS, .n = n, .n_axes = n_axes, .reals = reals};
    if (!whole)
        return;
    positions->integers = memory_take(n * n_axes, sizeof *positions->integers);
    for (size_t i = 0; i < n * n_axes; i++)
        positions->integers[i] = (int64_t)reals[i];
    positions->kind = POSITIONS_INTEGERS;
    positions->reals = NULL;
    free(reals);
}

bool positions_are_range(const struct positions *positions)
{
    bool is_range =
        positions->n_axes == 1 && (positions->kind == POSITIONS_RANGE || positions->kind == POSITIONS_INTEGERS);
    for (size_t i = 1; is_range && positions->kind == POSITIONS_INTEGERS && i < positions->n; i++)
        is_range = positions->integers[i] == positions->integers[i - 1] + 1;
    return is_range;
}

int64_t positions_first(const struct positions *positions)
{
    return positions->kind == POSITIONS_INTEGERS && positions->n > 0 ? positions->integers[0]
                                                                     : positions->start.integer;
}

/* "A:B", with A and B integers; false if value is not a range. */
static bool split_range(const char *value, struct number *first, struct number *limit, const char **why)
{
    const char *colon = strchr(value, ':');
    if (colon == NULL || is_array_file(value))
        return false;
    *why = parse_number(value, (size_t)(colon - value), first);
    *why = *why != NULL ? *why : parse_number(colon + 1, strlen(colon + 1), limit);
    if (*why == NULL && (!first->is_integer || !limit->is_integer))
        *why = "a range goes from one integer to another";
    else if (*why == NULL && first->integer >= limit->integer)
        *why = "is empty: A must be below B, which is not part of it";
    return true;
}

void positions_offsets(struct positions *positions, const struct options *options, const char *value)
{
    const char *why = NULL;
    struct number limit;
    memset(positions, 0, sizeof *positions);
    positions->n_axes = 1;
    if (split_range(value, &positions->start, &limit, &why)) {
        if (why != NULL)
            fail_option(options, OPTION_OFFSETS, "write it as in --offsets 0:4096 or --offsets 1,10,0.5", "%s", why);
        positions->kind = POSITIONS_RANGE;
        positions->step = (struct number){true, 1, 1};
        positions->n = (size_t)limit.integer - (size_t)positions->start.integer;
        return;
    }
    take_list(positions, "--offsets", value);
    if (positions->n_axes != 1) {
        fail(EXIT_USAGE, "write it as in --offsets 0:4096 or --offsets 1,10,0.5", "--offsets",
             "are numbers, not points of %zu coordinates", positions->n_axes);
    }
    check_reals(positions, "--offsets", value);
}

void positions_prepare(struct positions *positions, size_t n)
{
    const bool is_real = positions->kind == POSITIONS_REAL_STEPS;
    const bool is_computed = is_real || positions->kind == POSITIONS_INTEGER_STEPS || positions->kind == POSITIONS_GRID;
    positions->n_some = n;
    void *room = is_computed ? memory_take(n, positions->n_axes * sizeof(double)) : NULL;
    positions->some_reals = is_real ? room : NULL;
    positions->some_integers = is_real ? NULL : room;
}

/* Coordinates of one point, the last running fastest. */
static void grid_point(const struct positions *positions, size_t row, int64_t *point)
{
    for (size_t axis = positions->n_axes; axis-- > 0;) {
        point[axis] = (int64_t)(row % positions->grid[axis]);
        row /= positions->grid[axis];
    }
}

sinpos_rows positions_rows(struct positions *positions, size_t row, size_t n)
{
    sinpos_rows rows = {.struct_size = sizeof rows, .n = n};
    switch (positions->kind) {
    case POSITIONS_RANGE: rows.first = positions->start.integer + (int64_t)row; break;
    case POSITIONS_INTEGERS: rows.integers = positions->integers + row * positions->n_axes; break;
    case POSITIONS_REALS: rows.reals = positions->reals + row * positions->n_axes; break;
    case POSITIONS_INTEGER_STEPS:
        for (size_t i = 0; i < n; i++)
            positions->some_integers[i] = positions->start.integer + (int64_t)(row + i) * positions->step.integer;
        rows.integers = positions->some_integers;
        break;
    case POSITIONS_REAL_STEPS:
        for (size_t i = 0; i < n; i++)
            positions->some_reals[i] = real_at(positions, row + i);
        rows.reals = positions->some_reals;
        break;
    case POSITIONS_GRID:
        for (size_t i = 0; i < n; i++)
            grid_point(positions, row + i, positions->some_integers + i * positions->n_axes);
        rows.integers = positions->some_integers;
        break;
    }
    return rows;
}

double rows_number(const sinpos_rows *rows, size_t i)
{
    return rows->reals != NULL      ? rows->reals[i]
           : rows->integers != NULL ? (double)rows->integers[i]
                                    : (double)(rows->first + (int64_t)i);
}

static size_t number_text(char *text, size_t room, const struct positions *positions, size_t row, size_t axis)
{
    int64_t point[3] = {0, 0, 0};
    double real = 0;
    switch (positions->kind) {
    case POSITIONS_RANGE: point[0] = positions->start.integer + (int64_t)row; break;
    case POSITIONS_INTEGER_STEPS: point[0] = positions->start.integer + (int64_t)row * positions->step.integer; break;
    case POSITIONS_INTEGERS: point[0] = positions->integers[row * positions->n_axes + axis]; break;
    case POSITIONS_GRID:
        grid_point(positions, row, point);
        point[0] = point[axis];
        break;
    case POSITIONS_REAL_STEPS: real = real_at(positions, row); break;
    case POSITIONS_REALS: real = positions->reals[row * positions->n_axes + axis]; break;
    }
    if (positions->kind == POSITIONS_REAL_STEPS || positions->kind == POSITIONS_REALS) {
        char decimal[SINPOS_DECIMAL_BYTES];
        sinpos_decimal(decimal, SINPOS_F64, &real);
        return (size_t)snprintf(text, room, "%s", decimal);
    }
    return (size_t)snprintf(text, room, "%" PRId64, point[0]);
}

const char *positions_text(const struct positions *positions, size_t row, char text[POSITION_TEXT_BYTES])
{
    if (positions->n_axes == 1) {
        number_text(text, POSITION_TEXT_BYTES, positions, row, 0);
        return text;
    }
    size_t used = 0;
    text[used++] = '(';
    for (size_t axis = 0; axis < positions->n_axes; axis++) {
        if (used + 40 > POSITION_TEXT_BYTES) {
            used += (size_t)snprintf(text + used, POSITION_TEXT_BYTES - used, ", ...");
            break;
        }
        used += (size_t)snprintf(text + used, POSITION_TEXT_BYTES - used, axis > 0 ? ", " : "");
        used += number_text(text + used, POSITION_TEXT_BYTES - used, positions, row, axis);
    }
    snprintf(text + used, POSITION_TEXT_BYTES - used, ")");
    return text;
}

const char *positions_span(const struct positions *positions, char text[POSITIONS_SPAN_BYTES])
{
    char first[POSITION_TEXT_BYTES], last[POSITION_TEXT_BYTES];
    positions_text(positions, 0, first);
    if (positions->n == 1) {
        snprintf(text, POSITIONS_SPAN_BYTES, "position %s", first);
    } else {
        snprintf(text, POSITIONS_SPAN_BYTES, "positions %s to %s", first,
                 positions_text(positions, positions->n - 1, last));
    }
    return text;
}

void positions_free(struct positions *positions)
{
    free(positions->integers);
    free(positions->reals);
    free(positions->some_integers);
    free(positions->some_reals);
    memset(positions, 0, sizeof *positions);
}
