/* identify_command.c - the command line that makes the exact array of what sinpos identify found. */
#include <math.h>
#include <string.h>

#include "identified.h"

/* Longest list of positions or frequencies that stands in a command. */
#define MOST_LISTED 4096

/* Columns that are looked up one by one. */
#define MOST_COLUMNS 8192

static void add_number(struct text_buffer *out, const char *option, double number)
{
    buffer_text(out, option);
    buffer_number(out, number, true);
}

static const char *type_word(sinpos_type type)
{
    return type == SINPOS_F64 ? "f64" : type == SINPOS_F16 ? "f16" : type == SINPOS_BF16 ? "bf16" : "f32";
}

/* ------------------------------------------------------------------------------------------- one schedule */

bool identify_same_law(const sinpos_identity_axis *one, const sinpos_identity_axis *other)
{
    return one->law == other->law && one->base == other->base && one->divisor == other->divisor &&
           one->scale == other->scale && one->n_frequencies == other->n_frequencies;
}

static bool has_one_schedule(const sinpos_identity *identity)
{
    const sinpos_identity_axis *one = &identity->axis[0];
    for (size_t a = 1; a < identity->n_axes; a++) {
        const sinpos_identity_axis *other = &identity->axis[a];
        if (!identify_same_law(one, other))
            return false;
        for (size_t i = 0; one->law != SINPOS_LAW_GEOMETRIC && i < one->n_frequencies; i++)
            if (one->theta[i] != other->theta[i])
                return false;
    }
    return one->n_frequencies <= MOST_LISTED || one->law == SINPOS_LAW_GEOMETRIC;
}

static bool knows_zero_rows(const sinpos_identity *identity)
{
    return identity->n_zero <= SINPOS_IDENTITY_LISTED || identity->n_zero == identity->n_zero_first;
}

/* Do --layout, --order and --odd say which column is which? */
static bool has_plain_columns(const sinpos_identity *identity)
{
    const bool is_odd_zero = identity->n_axes == 1 && identity->n_pad == 1 && identity->dim % 2 == 1;
    return identity->first_column == 0 && (identity->n_pad == 0 || is_odd_zero) && !identity->is_twice &&
           (identity->nest == SINPOS_NEST_AFC || identity->nest == SINPOS_NEST_ACF) &&
           (identity->n_axes == 1 || identity->axis[0].n_frequencies * 2 * identity->n_axes == identity->width);
}

/* Frequencies that are parts of a turn are meant exactly, which no option states. */
static bool has_turns(const sinpos_identity *identity)
{
    bool has = false;
    for (size_t a = 0; a < identity->n_axes; a++)
        has = has || identity->axis[a].has_turns;
    return has;
}

/* Why the general options cannot state it; NULL where they can. */
static const char *obstacle(const sinpos_identity *identity)
{
    return identity->view != SINPOS_VIEW_ROWS                 ? "its rows do not lie in the last dimension alone"
           : identity->n_raw_first + identity->n_raw_last > 0 ? "coordinates themselves are among its columns"
           : identity->n_pad > 0 && identity->pad_value != 0  ? "its padding is not zero"
           : identity->dim > MOST_COLUMNS && !has_plain_columns(identity) ? "it has too many columns to list"
           : !has_one_schedule(identity)                                  ? "its coordinates have different frequencies"
           : has_turns(identity)                                          ? "its frequencies are parts of a turn"
           : !knows_zero_rows(identity)                                   ? "it has too many rows of zeros to list"
           : identity->positions != NULL && identity->n > MOST_LISTED     ? "it has too many positions to list"
                                                                          : NULL;
}

static bool is_column_negated(const sinpos_identity *identity, size_t j)
{
    return identity->column_factor != NULL && identity->column_factor[j] == -1;
}

/* Is every column? */
static bool is_negated(const sinpos_identity *identity)
{
    for (size_t j = 0; j < identity->dim; j++)
        if (!is_column_negated(identity, j))
            return false;
    return true;
}

/* What made the array rounded its frequencies to float32: the formula is what is meant, unless the list makes all. */
static sinpos_identity_axis stated_axis(const sinpos_identity *identity)
{
    sinpos_identity_axis axis = identity->axis[0];
    if (axis.rounded_to == 24 && identity->total.wrong > 0) {
        axis.law = SINPOS_LAW_GEOMETRIC;
        axis.scale = axis.rounded_scale;
        axis.base = axis.rounded_base;
        axis.divisor = axis.rounded_divisor;
    }
    return axis;
}

static void add_frequencies(struct text_buffer *out, const sinpos_identity *identity, double usual)
{
    const sinpos_identity_axis stated = stated_axis(identity), *axis = &stated;
    if (axis->law != SINPOS_LAW_GEOMETRIC) {
        buffer_text(out, " --theta=");
        for (size_t i = 0; i < axis->n_frequencies; i++)
            add_number(out, i > 0 ? "," : "", axis->theta[i]);
    } else {
        if (axis->base != 10000)
            add_number(out, " --base ", axis->base);
        if (axis->divisor != usual)
            add_number(out, " --divisor ", axis->divisor);
        if (axis->shift != 0)
            add_number(out, " --shift=", axis->shift);
        else if (axis->scale != 1)
            add_number(out, " --scale ", axis->scale);
    }
    const double amplitude = is_negated(identity) ? -identity->amplitude : identity->amplitude;
    if (amplitude != 1)
        add_number(out, amplitude < 0 ? " --amplitude=" : " --amplitude ", amplitude);
}

static void add_plain_columns(struct text_buffer *out, const sinpos_identity *identity)
{
    buffer_format(out, " --dim %zu", identity->dim);
    buffer_text(out, identity->nest == SINPOS_NEST_ACF ? " --layout halves" : "");
    buffer_text(out, identity->cos_first ? " --order cos-sin" : "");
    buffer_text(out, identity->n_pad == 1 ? " --odd zero" : "");
    add_frequencies(out, identity,
                    identity->n_pad == 1 ? floor((double)identity->dim / 2)
                                         : (double)identity->dim / 2 / (double)identity->n_axes);
}

/* Which column of an interleaved table, coordinate after coordinate, column j is; -1 for zeros. */
static ptrdiff_t source_column(const sinpos_identity *identity, size_t j)
{
    const size_t each = 2 * identity->axis[0].n_frequencies;
    for (size_t k = 0; k < identity->n_tones; k++) {
        const size_t first = identity->tone_axis[k] * each + 2 * identity->tone_index[k];
        if (identity->sin_column[k] == (ptrdiff_t)j)
            return (ptrdiff_t)first;
        if (identity->cos_column[k] == (ptrdiff_t)j)
            return (ptrdiff_t)first + 1;
    }
    return -1;
}

/* "cos", "sin-sin": one component of each frequency, or both halves of it; NULL where it is another choice. */
static const char *component_word(const sinpos_identity *identity)
{
    static const char *const words[] = {"sin", "cos", "sin-sin", "cos-cos"};
    const size_t m = identity->axis[0].n_frequencies;
    for (size_t k = 0; k < sizeof words / sizeof words[0]; k++) {
        size_t j = 0;
        while (j < identity->dim && source_column(identity, j) == (ptrdiff_t)(2 * (j % m) + k % 2))
            j++;
        if (identity->n_axes == 1 && identity->dim == (k < 2 ? m : 2 * m) && j == identity->dim)
            return words[k];
    }
    return NULL;
}

static void add_chosen_columns(struct text_buffer *out, const sinpos_identity *identity)
{
    const size_t m = identity->axis[0].n_frequencies;
    buffer_format(out, " --dim %zu", 2 * m * identity->n_axes);
    add_frequencies(out, identity, (double)m);
    const char *word = component_word(identity);
    if (word != NULL) {
        buffer_format(out, " --columns %s", word);
        return;
    }
    buffer_text(out, " --columns=");
    for (size_t j = 0; j < identity->dim;) {
        const ptrdiff_t source = source_column(identity, j);
        size_t n = 1;
        while (j + n < identity->dim && source_column(identity, j + n) == (source < 0 ? source : source + (ptrdiff_t)n))
            n++;
        buffer_format(out, j > 0 ? ",%td" : "%td", source);
        if (n > 1)
            buffer_format(out, source < 0 ? "x%td" : ":%td", source < 0 ? (ptrdiff_t)n : source + (ptrdiff_t)n);
        j += n;
    }
}

/* --------------------------------------------------------------------------------------------- positions */

static double position(const sinpos_identity *identity, size_t row, size_t axis)
{
    const sinpos_identity_axis *own = &identity->axis[axis];
    if (identity->positions != NULL)
        return identity->positions[row * identity->n_axes + axis];
    if (own->size == 0)
        return own->start + own->step * (double)row;
    const size_t first = identity->n_zero_first;
    return row < first ? 0 : own->start + own->step * (double)((row - first) / own->stride % own->size);
}

static void add_list(struct text_buffer *out, const sinpos_identity *identity)
{
    const size_t n_axes = identity->n_axes;
    buffer_text(out, n_axes > 1 ? " --positions '[" : " --positions=");
    for (size_t row = 0; row < identity->n; row++) {
        buffer_text(out, row > 0 ? "," : "");
        for (size_t a = 0; a < n_axes; a++) {
            buffer_text(out, n_axes == 1 ? "" : a == 0 ? "[" : ",");
            buffer_number(out, position(identity, row, a), true);
        }
        buffer_text(out, n_axes > 1 ? "]" : "");
    }
    buffer_text(out, n_axes > 1 ? "]'" : "");
}

/* All points of a grid, coordinate 0 slowest, from 0 in steps of 1. */
static bool is_plain_grid(const sinpos_identity *identity)
{
    size_t stride = identity->n;
    for (size_t a = 0; a < identity->n_axes; a++) {
        const sinpos_identity_axis *axis = &identity->axis[a];
        if (axis->size == 0 || axis->start != 0 ||
            (axis->size > 1 && (axis->step != 1 || axis->stride * axis->size != stride)))
            return false;
        stride /= axis->size;
    }
    return identity->n_axes > 1 && identity->n_axes <= 3 && identity->n_zero_first == 0;
}

/* A mask is written as a grid: every cell of it counts. */
static const char *mask_in(const char *settings)
{
    const char *mask = settings == NULL ? NULL : strstr(settings, "mask=[[");
    return mask != NULL && (mask == settings || mask[-1] == '\n') ? mask : NULL;
}

static bool has_list(const char *settings)
{
    const char *mask = mask_in(settings), *end = mask == NULL ? NULL : mask + strcspn(mask, "\n");
    const char *list = settings == NULL ? NULL : strchr(settings, '[');
    if (list != NULL && mask != NULL && list > mask && list < end)
        list = strchr(end, '[');
    return list != NULL;
}

/* Of the conventions that make the table the first that takes no list; NULL where options state the positions as well. */
static const sinpos_identity_convention *short_convention(const sinpos_identity *identity)
{
    for (size_t i = 0; i < identity->n_conventions && identity->n_axes > 1 && !is_plain_grid(identity); i++) {
        const sinpos_identity_convention *own = &identity->conventions[i];
        if (own->is_exact == identity->conventions[0].is_exact && !has_list(own->settings))
            return own;
    }
    return NULL;
}

static void add_positions(struct text_buffer *out, const sinpos_identity *identity)
{
    const sinpos_identity_axis *axis = &identity->axis[0];
    if (is_plain_grid(identity)) {
        for (size_t a = 0; a < identity->n_axes; a++)
            buffer_format(out, a == 0 ? " --grid %zu" : "x%zu", identity->axis[a].size);
    } else if (identity->positions != NULL || identity->n_axes > 1) {
        add_list(out, identity);
    } else {
        if (axis->start != 0)
            add_number(out, " --start=", axis->start);
        if (axis->step != 1)
            add_number(out, " --step=", axis->step);
        buffer_format(out, " --length %zu", identity->n);
    }
}

static void add_zero_rows(struct text_buffer *out, const sinpos_identity *identity)
{
    const size_t first = identity->n_zero_first;
    if (identity->n_zero == 0)
        return;
    buffer_text(out, " --zero-rows ");
    if (first > 1)
        buffer_format(out, "0:%zu", first);
    for (size_t i = first > 1 ? first : 0; i < identity->n_zero; i++)
        buffer_format(out, i > 0 ? ",%zu" : "%zu", identity->zero[i]);
}

static void add_grid(struct text_buffer *out, const char *mask)
{
    size_t rows = 1, cells = 1;
    for (const char *at = mask; *at != '\0' && *at != '\n'; at++) {
        rows += at[0] == ',' && at[1] == '[';
        cells += at[0] == ',';
    }
    buffer_format(out, " --grid %zux%zu", rows, cells / rows);
}

void identify_add_settings(struct text_buffer *out, const char *settings)
{
    const char *mask = mask_in(settings);
    struct text_buffer line = {0};
    while (*settings != '\0') {
        const size_t length = strcspn(settings, "\n");
        if (settings == mask) {
            add_grid(out, mask);
        } else {
            line.n = 0;
            buffer_add(&line, settings, length);
            buffer_text(out, " --set ");
            buffer_shell_word(out, line.bytes == NULL ? "" : line.bytes);
        }
        settings += length + (settings[length] == '\n');
    }
    out->is_broken = out->is_broken || line.is_broken;
    buffer_free(&line);
}

void identify_add_type(struct text_buffer *out, sinpos_type type)
{
    buffer_text(out, type == SINPOS_F32 ? "" : " --type ");
    buffer_text(out, type == SINPOS_F32 ? "" : type_word(type));
}

/* Columns of the table whose sign is another. */
static void add_negated(struct text_buffer *out, const sinpos_identity *identity)
{
    const char *before = " --negate ";
    for (size_t j = 0; j < identity->dim && !is_negated(identity);) {
        size_t end = j;
        while (end < identity->dim && is_column_negated(identity, end))
            end++;
        if (end > j) {
            buffer_format(out, end > j + 1 ? "%s%zu:%zu" : "%s%zu", before, j, end);
            before = ",";
        }
        j = end + 1;
    }
}

static void add_convention(struct text_buffer *out, const sinpos_identity_convention *convention, sinpos_type type)
{
    buffer_format(out, "sinpos table --convention %s", convention->name);
    identify_add_settings(out, convention->settings);
    identify_add_type(out, type);
}

static void add_stated(struct text_buffer *out, const sinpos_identity *identity)
{
    buffer_text(out, "sinpos table");
    if (has_plain_columns(identity))
        add_plain_columns(out, identity);
    else
        add_chosen_columns(out, identity);
    add_positions(out, identity);
    add_zero_rows(out, identity);
    add_negated(out, identity);
    identify_add_type(out, identity->type);
}

/* The convention that the command names; NULL where options say it in as few words, or can state it at all. */
static const sinpos_identity_convention *named_convention(const sinpos_identity *identity, const char *obstacle)
{
    const sinpos_identity_convention *few_words = short_convention(identity);
    const bool is_simple = obstacle == NULL && has_plain_columns(identity) && identity->n_zero == 0 &&
                           stated_axis(identity).law != SINPOS_LAW_LIST;
    if (identity->encoding != NULL)
        return &identity->conventions[0];
    if (identity->n_conventions == 0 || (identity->column_factor != NULL && obstacle == NULL))
        return NULL;
    return few_words != NULL ? few_words : is_simple ? NULL : &identity->conventions[0];
}

void identify_make_command(struct identified *found)
{
    const sinpos_identity *identity = found->identity;
    struct text_buffer *out = &found->command, *as_published = &found->as_published;
    const char *why = identity->is_sinusoidal ? obstacle(identity) : "";
    const sinpos_identity_convention *named = named_convention(identity, why);
    if (named != NULL)
        add_convention(out, named, identity->type);
    else if (why == NULL)
        add_stated(out, identity);
    else
        found->no_command = why;
    if (identity->encoding != NULL)
        add_negated(out, identity);
    if (identity->published != NULL && identity->column_factor == NULL) {
        add_convention(as_published, identity->published, identity->type);
        buffer_text(as_published, " --arithmetic published");
    }
    if (out->is_broken || as_published->is_broken)
        fail_memory();
}

void identify_free_commands(struct identified *found)
{
    buffer_free(&found->command);
    buffer_free(&found->as_published);
}
