/* Two small arrays, encodings that are changed or any numbers: what sinpos_diff() and sinpos_identify() say of them; and of a
   list what sinpos_identify_frequencies() does. */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "fuzz.h"
#include "sinpos_analysis.h"

enum { MOST_ROWS = 12, MOST_COLUMNS = 10, MOST_CHANGES = 6 };

struct array {
    size_t shape[2];
    sinpos_type type;
    unsigned char elements[MOST_ROWS * MOST_COLUMNS * 8];
};

static sinpos_status read_rows(void *context, size_t first, size_t n, void *rows)
{
    const struct array *array = context;
    const size_t row = array->shape[1] * sinpos_type_bytes(array->type);
    if (first > array->shape[0] || n > array->shape[0] - first)
        abort();
    memcpy(rows, array->elements + first * row, n * row);
    return SINPOS_OK;
}

static sinpos_table table_of(struct array *array)
{
    return (sinpos_table){.n_dims = 2, .shape = array->shape, .type = array->type, .read = read_rows, .context = array};
}

static void encode(bytes *b, struct array *array)
{
    sinpos_spec spec = SINPOS_SPEC_INIT;
    sinpos_plan *plan = NULL;
    const uint8_t how = take_u8(b);
    spec.dim = array->shape[1];
    spec.odd = SINPOS_ZERO;
    spec.layout = how & 1 ? SINPOS_HALVES : SINPOS_INTERLEAVED;
    spec.order = how & 2 ? SINPOS_COS_SIN : SINPOS_SIN_COS;
    spec.base = how & 4 ? 2 + take_u8(b) : 10000;
    if (how & 8)
        spec.amplitude = take_double(b);
    if (how & 16)
        spec.scale = take_double(b);
    if (sinpos_plan_create(&plan, &spec) == SINPOS_OK &&
        sinpos_fill(plan, how & 32 ? take_i64(b) % 100000 : 0, array->shape[0], array->type, array->elements,
                    array->shape[1]) != SINPOS_OK)
        memset(array->elements, 0, sizeof array->elements);
    sinpos_plan_destroy(plan);
}

static void take_array(bytes *b, struct array *array)
{
    static const sinpos_type types[] = {SINPOS_F32, SINPOS_F64, SINPOS_F16, SINPOS_BF16};
    memset(array, 0, sizeof *array);
    array->shape[0] = take_u8(b) % (MOST_ROWS + 1);
    array->shape[1] = 1 + take_u8(b) % MOST_COLUMNS;
    array->type = types[take_u8(b) % 4];
    const size_t size = sinpos_type_bytes(array->type), n = array->shape[0] * array->shape[1];
    const uint8_t kind = take_u8(b);
    if (kind & 1)
        take(b, array->elements, n * size);
    else
        encode(b, array);
    for (int i = kind / 2 % MOST_CHANGES; i > 0 && n > 0; i--)
        take(b, array->elements + take_u8(b) % n * size, size);
}

static void check_text(const char *text, size_t room)
{
    const char *end = memchr(text, '\0', room);
    if (end == NULL || end == text)
        abort();
    for (; text < end; text++)
        if ((unsigned char)*text < 0x20)
            abort();
}

static size_t elements_of(const struct array *array)
{
    return array->shape[0] * array->shape[1];
}

static void check_difference(const sinpos_difference *d, const struct array *a, const struct array *b)
{
    const size_t most = elements_of(a) > elements_of(b) ? elements_of(a) : elements_of(b);
    if (d->n_causes > SINPOS_DIFF_MOST || d->wrong > d->elements || d->elements > most || (d->same && d->wrong > 0))
        abort();
    for (size_t i = 0; i < d->n_causes; i++) {
        const sinpos_diff_cause *cause = &d->causes[i];
        check_text(cause->text, sizeof cause->text);
        for (size_t k = 0; cause->columns != NULL && k < cause->n_columns; k++)
            if (cause->columns[k] != SINPOS_NONE && cause->columns[k] >= MOST_COLUMNS)
                abort();
    }
}

static void compare(struct array *a, struct array *b, bool are_same)
{
    const sinpos_table first = table_of(a), second = table_of(b);
    sinpos_difference *difference = NULL;
    const sinpos_status status = sinpos_diff(&difference, &first, &second, 1);
    if ((status == SINPOS_OK) != (difference != NULL))
        abort();
    if (status == SINPOS_OK)
        check_difference(difference, a, b);
    if (are_same && status == SINPOS_OK && !difference->same)
        abort();
    sinpos_difference_destroy(difference);
}

/* The elements of an array as a list, or a geometric one of which some elements are changed. */
static void look_at_list(bytes *b, struct array *array)
{
    double list[MOST_ROWS * MOST_COLUMNS];
    const uint8_t how = take_u8(b);
    const double base = 1 + take_u8(b) + take_u8(b) / 256.0, scale = how & 1 ? 1 : 1.0 / (1 + take_u8(b));
    size_t n = elements_of(array);
    sinpos_frequency_list *found = NULL;
    if (how & 2) {
        n = 1 + take_u8(b) % (MOST_ROWS * MOST_COLUMNS);
        for (size_t i = 0; i < n; i++)
            list[i] = scale * pow(base, -(double)i / (how & 4 ? 1 : (double)n));
        for (int i = how / 64; i > 0; i--)
            list[take_u8(b) % n] = take_double(b);
    }
    const sinpos_status status = how & 2 ? sinpos_identify_frequencies(&found, list, n, SINPOS_F64)
                                         : sinpos_identify_frequencies(&found, array->elements, n, array->type);
    if ((status == SINPOS_OK) != (found != NULL) || (status == SINPOS_OK) != (n > 0))
        abort();
    if (found != NULL && found->is_schedule) {
        if (found->errors.wrong > n || found->worst >= n ||
            memchr(found->settings, '\0', sizeof found->settings) == NULL)
            abort();
        for (size_t i = 0; i < n; i++)
            if (!(found->exact[i] > 0 && isfinite(found->exact[i])))
                abort();
    }
    sinpos_frequency_list_destroy(found);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct array a, b;
    bytes input = {data, size};
    take_array(&input, &a);
    take_array(&input, &b);
    compare(&a, &b, false);
    compare(&a, &a, true);
    look_at_list(&input, &a);
    return 0;
}
