/*
 * Text after '=' as a formula; else conventions of the catalogue with any parameters: shape and at most 16 rows, filled
 * whole and in two pieces. No crash, no huge allocation; what is refused has a message.
 */
#include <stdio.h>
#include <stdlib.h>

#include "conventions/formula.h"
#include "fuzz.h"
#include "sinpos_conventions.h"

#define MOST_ENCODINGS 4
#define MOST_GIVEN 8
#define MOST_ROWS 16
#define MOST_COLUMNS 128
#define MOST_TEXT 1000

/* ------------------------------------------------------------------------------------------------------ Formulas */

static void bind(scope *s, const char *name, value v)
{
    if (!scope_bind(s, name, strlen(name), &v))
        abort();
}

static void evaluate(const char *text, size_t n)
{
    static const double items[6] = {1, 2, 3, 4, 5, 0.5};
    static const double g[2] = {3, 0.25};
    for (int coordinates = 0; coordinates < 3; coordinates++) {
        scope s;
        value v = {.kind = VALUE_NUMBER, .g = -1};
        scope_init(&s);
        real_set(&v.number, 10000);
        bind(&s, "x", v);
        bind(&s, "none", (value){.kind = VALUE_NULL, .g = -1});
        bind(&s, "word", (value){.kind = VALUE_TEXT, .g = -1, .text = "half", .n_text = 4});
        bind(&s, "list", (value){.kind = VALUE_LIST, .g = -1, .items = items, .n_dims = 1, .shape = {6}});
        bind(&s, "rows", (value){.kind = VALUE_LIST, .g = -1, .items = items, .n_dims = 2, .shape = {2, 3}});
        bind(&s, "empty", (value){.kind = VALUE_LIST, .g = -1, .items = items, .n_dims = 2, .shape = {0, 1u << 30}});
        s.is_set[LOOP_i] = true;
        s.loop[LOOP_i] = 7;
        s.n_g = coordinates > 0 ? 2 : 0;
        s.g = coordinates > 1 ? g : NULL;
        if (!formula_value(&s, text, n, &v) && (s.error.status == SINPOS_OK || s.error.message[0] == '\0'))
            abort();
        scope_free(&s);
    }
}

/* ---------------------------------------------------------------------------------------------------- Parameters */

static const char *take_name(bytes *b, const sinpos_convention *c)
{
    static const char *const usual[] = {"dim",
                                        "base",
                                        "length",
                                        "start",
                                        "step",
                                        "positions",
                                        "output",
                                        "arithmetic",
                                        "override.amplitude",
                                        "override.scale",
                                        "override.layout",
                                        "override.order",
                                        "nothing"};
    const size_t n_usual = sizeof usual / sizeof *usual;
    size_t n = 0;
    while (n < sinpos_convention_parameters(c))
        n++;
    const size_t k = take_u8(b) % (2 * n + n_usual);
    return k < 2 * n ? sinpos_convention_parameter(c, k / 2, "name") : usual[k - 2 * n];
}

/* Small sizes, sizes that must be refused at once, and any double. */
static double take_size(bytes *b)
{
    static const double huge[] = {1e15, 0x1p53, 1e300, -1,     0.5,  0x1p31 + 2,
                                  1e12, 0x1p52, -1e15, 0x1p62, 1e10, 4294967296};
    const uint8_t kind = take_u8(b);
    if (kind < 160)
        return take_u8(b) / 2 * 2 % 200;
    return kind < 200 ? take_u8(b) : kind < 220 ? huge[kind % 12] : take_double(b);
}

static sinpos_status take_list(bytes *b, sinpos_parameters *p, const char *name)
{
    double items[64];
    size_t shape[9], n = 1;
    const size_t n_dims = take_u8(b) % 4 + (take_u8(b) > 250 ? 5 : 0);
    for (size_t k = 0; k < n_dims; k++) {
        shape[k] = take_u8(b) % 5;
        if (n * shape[k] > 64)
            shape[k] = 1;
        n *= shape[k];
    }
    if (n == 0 && take_u8(b) > 128)
        shape[n_dims - 1] = SIZE_MAX / 2;
    for (size_t k = 0; k < n && k < 64; k++)
        items[k] = take_size(b);
    return sinpos_parameters_set_list(p, name, items, n_dims, shape);
}

static sinpos_status take_text(bytes *b, sinpos_parameters *p, const char *name)
{
    static const char *const words[] = {
        "half",     "pair",        "yarn",    "longrope", "llama3",      "linear",    "proportional", "dynamic",
        "default",  "constant",    "ntk",     "min",      "max",         "xy",        "pixel",        "mrope",
        "linspace", "lang",        "bi",      "separate", "table",       "cos_sin",   "cis",          "matrix",
        "angles",   "inv_freq",    "rotated", "sin_cos",  "halves",      "published", "cos-sin",      "slice",
        "exact",    "float32-exp", "pt",      "ij",       "interleaved", "",          "\xff'",        "factorized"};
    return sinpos_parameters_set_text(p, name, words[take_u8(b) % (sizeof words / sizeof *words)]);
}

static void take_parameter(bytes *b, sinpos_parameters *p, const sinpos_convention *c)
{
    const char *name = take_name(b, c);
    sinpos_status status;
    switch (take_u8(b) % 8) {
    case 0: status = sinpos_parameters_set_null(p, name); break;
    case 1: status = sinpos_parameters_set_flag(p, name, take_u8(b) & 1); break;
    case 2: status = take_text(b, p, name); break;
    case 3: status = take_list(b, p, name); break;
    case 4: status = sinpos_parameters_set_number(p, name, take_double(b)); break;
    default: status = sinpos_parameters_set_number(p, name, take_size(b)); break;
    }
    if (status != SINPOS_OK && status != SINPOS_E_VALUE && status != SINPOS_E_SHAPE)
        abort();
}

/* ----------------------------------------------------------------------------------------------------- Encodings */

static void check_shape(const sinpos_encoding_info *info)
{
    size_t n = 1;
    for (size_t k = 0; k < info->n_dims; k++)
        n *= info->shape[k];
    if (n != info->n_rows * info->n_columns || info->n_dims > SINPOS_MAX_ENCODING_DIMS)
        abort();
}

static void fill(const sinpos_encoding *e, sinpos_type type)
{
    static _Alignas(16) unsigned char whole[MOST_ROWS * MOST_COLUMNS * 8], pieces[MOST_ROWS * MOST_COLUMNS * 8];
    const sinpos_encoding_info *info = sinpos_encoding_info_get(e);
    check_shape(info);
    if (info->n_columns > MOST_COLUMNS)
        return;
    const size_t n = info->n_rows < MOST_ROWS ? info->n_rows : MOST_ROWS, ld = info->n_columns;
    const size_t first = info->n_rows - n, half = n / 2;
    const sinpos_status status = sinpos_encoding_fill(e, first, n, type, whole, ld, 1);
    if (status != SINPOS_OK || n < 2)
        return;
    if (sinpos_encoding_fill(e, first, half, type, pieces, ld, 1) != SINPOS_OK ||
        sinpos_encoding_fill(e, first + half, n - half, type, pieces + half * ld * sinpos_type_bytes(type), ld, 1) !=
            SINPOS_OK ||
        memcmp(whole, pieces, n * ld * sinpos_type_bytes(type)) != 0) {
        fprintf(stderr, "%s: pieces are not the whole\n", sinpos_convention_name(info->convention));
        abort();
    }
}

static void take_encoding(bytes *b)
{
    static const sinpos_type types[] = {SINPOS_F64, SINPOS_F32, SINPOS_F16, SINPOS_BF16};
    const sinpos_convention *c = sinpos_convention_at(take_u8(b) % sinpos_conventions_count());
    const uint8_t how = take_u8(b);
    sinpos_parameters *p = NULL;
    sinpos_encoding *e = NULL;
    sinpos_error error = SINPOS_ERROR_INIT;
    if (sinpos_parameters_create(&p) != SINPOS_OK)
        return;
    for (size_t k = 0; k < how / 4 % (MOST_GIVEN + 1); k++)
        take_parameter(b, p, c);
    const sinpos_type type = types[how % 4];
    if (sinpos_encoding_create(&e, sinpos_convention_name(c), p, how & 128 ? type : 0, &error) == SINPOS_OK)
        fill(e, type);
    else if (e != NULL || error.message[0] == '\0')
        abort();
    sinpos_encoding_destroy(e);
    sinpos_parameters_destroy(p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    bytes b = {data, size};
    if (size > 0 && data[0] == '=') {
        evaluate((const char *)data + 1, size - 1 < MOST_TEXT ? size - 1 : MOST_TEXT);
        return 0;
    }
    for (size_t k = 0; k < MOST_ENCODINGS && b.left > 0; k++)
        take_encoding(&b);
    return 0;
}
