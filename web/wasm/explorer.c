/*
 * explorer.c - what the page calls again and again: encodings that stay open, and numbers of them.
 *
 * Whole commands run through the command line's own main(). What follows moves with a slider: an encoding is stated by
 * the options of sinpos table, parsed by the one parser, and stays open in a slot. An error ends as on the command line:
 * one line and a hint on standard error, and the page starts this program anew.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "half.h"
#include "no_memory.h"
#include "request_encoding.h"

#define EXPORT(name) __attribute__((export_name(#name)))

enum { SLOTS = 4, NODES = 1 << 14, FEW = 5 };

static struct slot {
    char *text; /* of the options, which point into it */
    char **words;
    struct options options;
    struct request request;
    struct encoding encoding;
    void *rows; /* room for some rows of the type */
    size_t room;
    bool is_open;
} slots[SLOTS];

EXPORT(explorer_room) void *explorer_room(size_t bytes)
{
    return memory_take(bytes, 1);
}

EXPORT(explorer_free) void explorer_free(void *room)
{
    free(room);
}

static void slot_close(struct slot *slot)
{
    if (slot->is_open) {
        encoding_free(&slot->encoding);
        request_free(&slot->request);
    }
    free(slot->rows);
    free(slot->words);
    free(slot->text);
    *slot = (struct slot){.text = NULL};
}

/* Options that stand one after the other in text, each ended by a zero; text then belongs to the slot. */
EXPORT(explorer_open) void explorer_open(size_t number, char *text, size_t n)
{
    struct slot *slot = &slots[number];
    slot_close(slot);
    slot->text = text;
    slot->words = memory_take(n + 1, sizeof *slot->words);
    for (size_t i = 0; i < n; i++, text += strlen(text) + 1)
        slot->words[i] = text;
    options_parse(&slot->options, &table_command, (int)n, slot->words);
    request_make(&slot->request, &slot->options, NULL);
    const struct known known = {.n_default = slot->options.length};
    slot->is_open = true;
    encoding_make(&slot->encoding, &slot->request, &known, (unsigned)slot->options.type | SINPOS_F64, NULL, NULL);
    encoding_negate(&slot->encoding);
    encoding_plan(&slot->encoding);
}

/* Of what is open: rows, columns, coordinates, tones, whether roundings are replayed, whether columns come first. */
EXPORT(explorer_shape) void explorer_shape(size_t number, double shape[6])
{
    const struct encoding *encoding = &slots[number].encoding;
    const sinpos_encoding_info *info = &encoding->info;
    size_t n_tones = 0;
    expect_ok(sinpos_plan_theta(encoding->plan, NULL, 0, &n_tones));
    shape[0] = (double)info->n_rows;
    shape[1] = (double)info->n_columns;
    shape[2] = (double)info->n_axes;
    shape[3] = (double)n_tones;
    shape[4] = info->is_replayed;
    shape[5] = info->is_channel_first;
}

EXPORT(explorer_position) const char *explorer_position(size_t number, size_t row)
{
    static char text[POSITION_TEXT_BYTES];
    if (!encoding_position_text(&slots[number].encoding, row, text))
        snprintf(text, sizeof text, "%zu", row);
    return text;
}

/* Arithmetics that have a name, a line each: the name, a tab, whose code takes its steps. */
EXPORT(explorer_arithmetics) const char *explorer_arithmetics(void)
{
    static char text[1 << 14];
    size_t used = 0;
    for (size_t i = 0; i < sinpos_arithmetics_count() && used < sizeof text - 1; i++) {
        const sinpos_arithmetic *one = sinpos_arithmetic_at(i);
        const int n = snprintf(text + used, sizeof text - used, "%s\t%s\n", sinpos_arithmetic_text(one, "name"),
                               sinpos_arithmetic_text(one, "who"));
        used += n < 0 ? sizeof text : (size_t)n;
    }
    return text;
}

/* Frequencies in radians per position, in the order of the tones, rounded once. */
EXPORT(explorer_theta) void explorer_theta(size_t number, double *theta, size_t room)
{
    size_t n;
    expect_ok(sinpos_plan_theta(slots[number].encoding.plan, theta, room, &n));
}

/*
 * Of each tone the column of its sine and that of its cosine, -1 for none: (n_tones, 2). Returns 0 where the table has
 * other columns than the tones.
 */
EXPORT(explorer_pairs) int explorer_pairs(size_t number, double *columns, size_t room)
{
    const struct encoding *encoding = &slots[number].encoding;
    const bool is_plain = encoding->info.output == SINPOS_OUTPUT_TABLE && encoding->info.n_raw_columns == 0 &&
                          sinpos_plan_dim(encoding->plan) == encoding->info.n_columns;
    size_t n;
    sinpos_tone *tones = memory_take(room, sizeof *tones);
    expect_ok(sinpos_plan_tones(encoding->plan, tones, room, &n));
    for (size_t i = 0; i < n; i++) {
        columns[2 * i] = (double)tones[i].sin_column;
        columns[2 * i + 1] = (double)tones[i].cos_column;
    }
    free(tones);
    return is_plain;
}

/* ------------------------------------------------------------------------------------------------------------ rows */

static double element(sinpos_type type, const void *rows, size_t i)
{
    switch (type) {
    case SINPOS_F64: return ((const double *)rows)[i];
    case SINPOS_F32: return (double)((const float *)rows)[i];
    case SINPOS_F16: return f16_value(((const uint16_t *)rows)[i]);
    default: return bf16_value(((const uint16_t *)rows)[i]);
    }
}

/* n rows from row on, in a type, in the slot's room. */
static const void *make_rows(struct slot *slot, sinpos_type type, size_t row, size_t n)
{
    const size_t bytes = n * slot->encoding.info.n_columns * sinpos_type_bytes(type);
    if (bytes > slot->room) {
        free(slot->rows);
        slot->rows = memory_take(bytes, 1);
        slot->room = bytes;
    }
    encoding_prepare(&slot->encoding, n);
    expect_ok(encoding_run(&slot->encoding, SINPOS_FILL, row, n, type, slot->rows, 1));
    return slot->rows;
}

/* Rows row, row + step, ...: n of them, as their type holds them. Near ones are made together, which is faster than
 * one by one. */
EXPORT(explorer_rows) void explorer_rows(size_t number, size_t row, size_t step, size_t n, float *out)
{
    struct slot *slot = &slots[number];
    const sinpos_type type = slot->options.type;
    const size_t dim = slot->encoding.info.n_columns, together = step <= FEW ? n : 1;
    for (size_t i = 0; i < n; i += together) {
        const void *rows = make_rows(slot, type, row + i * step, (together - 1) * step + 1);
        for (size_t r = 0; r < together; r++)
            for (size_t j = 0; j < dim; j++)
                out[(i + r) * dim + j] = (float)element(type, rows, r * step * dim + j);
    }
}

/* |a - b| of the same rows of two slots: a as its type holds it, b in float64. */
EXPORT(explorer_errors)
void explorer_errors(size_t a, size_t b, size_t row, size_t step, size_t n, float *out)
{
    const sinpos_type type = slots[a].options.type;
    const size_t dim = slots[a].encoding.info.n_columns;
    if (slots[b].encoding.info.n_columns != dim)
        fail(EXIT_USAGE, "compare encodings of one width", "encoding", "the two have other numbers of columns");
    for (size_t i = 0; i < n; i++) {
        const void *got = make_rows(&slots[a], type, row + i * step, 1);
        const double *want = make_rows(&slots[b], SINPOS_F64, row + i * step, 1);
        for (size_t j = 0; j < dim; j++)
            out[i * dim + j] = (float)fabs(element(type, got, j) - want[j]);
    }
}

/* Products (0), distances (1) or cosines (2) of every two of n rows, as their type holds them. */
EXPORT(explorer_matrix) void explorer_matrix(size_t number, int what, size_t row, size_t n, float *out)
{
    struct slot *slot = &slots[number];
    const sinpos_type type = slot->options.type;
    const size_t dim = slot->encoding.info.n_columns;
    const void *rows = make_rows(slot, type, row, n);
    double *x = memory_take(n * dim, sizeof *x), *norm2 = memory_take(n, sizeof *norm2);
    for (size_t i = 0; i < n * dim; i++)
        x[i] = element(type, rows, i);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < dim; k++)
            norm2[i] += x[i * dim + k] * x[i * dim + k];
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j <= i; j++) {
            double sum = 0, square = 0;
            for (size_t k = 0; k < dim && what != 1; k++)
                sum += x[i * dim + k] * x[j * dim + k];
            for (size_t k = 0; k < dim && what == 1; k++)
                square += (x[i * dim + k] - x[j * dim + k]) * (x[i * dim + k] - x[j * dim + k]);
            const double value = what == 0 ? sum : what == 1 ? sqrt(square) : sum / sqrt(norm2[i] * norm2[j]);
            out[i * n + j] = out[j * n + i] = (float)value;
        }
    }
    free(norm2);
    free(x);
}

/* ---------------------------------------------------------------------------------------------------------- curves */

static sinpos_rows offsets_at(const double *at, size_t n)
{
    return (sinpos_rows){.struct_size = sizeof(sinpos_rows), .n = n, .reals = at};
}

/* g(k) / g(0) at real offsets. */
EXPORT(explorer_kernel) void explorer_kernel(size_t number, const double *at, size_t n, double *g)
{
    const double zero = 0;
    double whole;
    const sinpos_rows offsets = offsets_at(at, n), none = offsets_at(&zero, 1);
    encoding_one_axis(&slots[number].encoding);
    expect_ok(sinpos_kernel_values(slots[number].encoding.plan, &none, &whole, 1));
    expect_ok(sinpos_kernel_values(slots[number].encoding.plan, &offsets, g, 1));
    for (size_t i = 0; i < n; i++)
        g[i] /= whole;
}

static void fail_theta(const char *text, const char *why, size_t at)
{
    fail(EXIT_USAGE, "write it as in exp(-9.21*t), 10000^-t or 1-t", text, "%s, after %zu characters", why, at);
}

static sinpos_theta *theta_of(const char *text)
{
    sinpos_theta *theta;
    const char *why = "";
    size_t at = 0;
    const sinpos_status status = sinpos_theta_parse(&theta, text, &why, &at);
    if (status == SINPOS_E_VALUE)
        fail_theta(text, why, at);
    expect_ok(status);
    return theta;
}

/* theta(i / n), i = 0 .. n - 1: any schedule that a formula states, as frequencies. */
EXPORT(explorer_formula) void explorer_formula(const char *text, size_t n, double *out)
{
    sinpos_theta *theta = theta_of(text);
    for (size_t i = 0; i < n; i++)
        out[i] = sinpos_theta_value(theta, (double)i / (double)n);
    sinpos_theta_destroy(theta);
}

/*
 * The continuum limit of g at offsets: the mean of cos(x theta(t)) over t, by the midpoints of NODES intervals. No bound
 * of its error is proved here; sinpos kernel has one.
 */
EXPORT(explorer_continuum)
void explorer_continuum(size_t number, const char *text, const double *at, size_t n, double *out)
{
    sinpos_theta *theta = NULL;
    if (text[0] != '\0')
        theta = theta_of(text);
    else if (sinpos_theta_of_spec(&theta, &slots[number].encoding.spec) != SINPOS_OK)
        fail(EXIT_USAGE, "choose a geometric, power or octave schedule", "continuum", "a list of frequencies has none");
    double *nodes = memory_take(NODES, sizeof *nodes);
    for (size_t i = 0; i < NODES; i++)
        nodes[i] = sinpos_theta_value(theta, ((double)i + 0.5) / NODES);
    for (size_t j = 0; j < n; j++) {
        double sum = 0;
        for (size_t i = 0; i < NODES; i++)
            sum += cos(at[j] * nodes[i]);
        out[j] = sum / NODES;
    }
    free(nodes);
    sinpos_theta_destroy(theta);
}

/* Real offsets at which g changes its sign, below a limit; returns how many, at most room. */
EXPORT(explorer_zeros) size_t explorer_zeros(size_t number, double limit, double *zeros, size_t room)
{
    size_t n = 0;
    expect_ok(sinpos_kernel_zeros(slots[number].encoding.plan, 0, (int64_t)limit, zeros, room, &n, 1, NULL, NULL));
    return n;
}

/* ----------------------------------------------------------------------------------------------------------- files */

/*
 * |file - encoding| of n rows of an array, row, row + step, ..., as the array's type holds them, the encoding in float64.
 * Rows of the array that the encoding lacks are NaN.
 */
EXPORT(explorer_file_errors)
void explorer_file_errors(size_t number, const char *path, const char *tensor, size_t row, size_t step, size_t n,
                          float *out)
{
    struct slot *slot = &slots[number];
    const sinpos_encoding_info *info = &slot->encoding.info;
    const size_t dim = info->n_columns;
    sinpos_reader *reader;
    sinpos_reader_options options = SINPOS_READER_OPTIONS_INIT;
    sinpos_file_error error = SINPOS_FILE_ERROR_INIT;
    options.tensor = tensor[0] == '\0' ? NULL : tensor;
    if (sinpos_reader_open(&reader, path, &options, &error) != SINPOS_FILE_OK)
        fail_read(path, &error);
    const sinpos_type type = (sinpos_type)sinpos_reader_array(reader)->element;
    void *got = memory_take(dim, sizeof(double));
    for (size_t i = 0; i < n; i++) {
        const size_t at = row + i * step;
        const double *want = at < info->n_rows ? make_rows(slot, SINPOS_F64, at, 1) : NULL;
        if (sinpos_reader_read_at(reader, at * dim, got, dim, &error) != SINPOS_FILE_OK)
            fail_read(path, &error);
        for (size_t j = 0; j < dim; j++)
            out[i * dim + j] = want == NULL ? NAN : (float)fabs(element(type, got, j) - want[j]);
    }
    free(got);
    sinpos_reader_close(reader);
}

/* ------------------------------------------------------------------------------------------------------- a sentence */

/* Seeded: the same word has the same vector, of independent normal numbers with the mean square of an encoding's. */
static void embed(const char *word, size_t dim, double *out)
{
    uint64_t state = 0x9e3779b97f4a7c15u;
    for (; *word != '\0'; word++)
        state = (state ^ (unsigned char)*word) * 0x100000001b3u;
    for (size_t k = 0; k < dim; k++) {
        double sum = -6;
        for (int i = 0; i < 12; i++) {
            state += 0x9e3779b97f4a7c15u;
            uint64_t z = (state ^ state >> 30) * 0xbf58476d1ce4e5b9u;
            z = (z ^ z >> 27) * 0x94d049bb133111ebu;
            sum += (double)((z ^ z >> 31) >> 11) * 0x1p-53;
        }
        out[k] = sum * sqrt(0.5);
    }
}

/*
 * (x_m + p_m)'(x_n + p_n) / sqrt(dim) taken apart for n words that stand one after the other in text: the matrices x'x,
 * x'p, p'x and p'p, (n, n) each.
 */
EXPORT(explorer_terms) void explorer_terms(size_t number, const char *text, size_t n, float *out)
{
    struct slot *slot = &slots[number];
    const size_t dim = slot->encoding.info.n_columns;
    const double *p = make_rows(slot, SINPOS_F64, 0, n);
    double *x = memory_take(n * dim, sizeof *x);
    for (size_t i = 0; i < n; i++, text += strlen(text) + 1)
        embed(text, dim, x + i * dim);
    for (size_t term = 0; term < 4; term++) {
        const double *left = term < 2 ? x : p, *right = term % 2 == 0 ? x : p;
        for (size_t i = 0; i < n; i++) {
            for (size_t j = 0; j < n; j++) {
                double sum = 0;
                for (size_t k = 0; k < dim; k++)
                    sum += left[i * dim + k] * right[j * dim + k];
                out[(term * n + i) * n + j] = (float)(sum / sqrt((double)dim));
            }
        }
    }
    free(x);
}
