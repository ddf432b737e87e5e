/* identify_command.c - the command line that makes the exact array of what sinpos identify found. */
#include <math.h>
#include <string.h>

#include "identify.h"

/* Longest list of positions that stands in a command. */
#define MOST_LISTED 4096

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

static bool has_one_schedule(const sinpos_identity *identity)
{
    for (size_t a = 1; a < identity->n_axes; a++) {
        const sinpos_identity_axis *one = &identity->axis[0], *other = &identity->axis[a];
        if (one->law != other->law || one->n_frequencies != other->n_frequencies || one->base != other->base ||
            one->divisor != other->divisor || one->scale != other->scale) {
            return false;
        }
    }
    return identity->axis[0].law == SINPOS_LAW_GEOMETRIC;
}

/* Can --layout, --grid and their like say it? */
static bool is_plain(const sinpos_identity *identity)
{
    const bool is_odd_zero =
        identity->n_axes == 1 && identity->n_pad == 1 && identity->pad_value == 0 && identity->dim % 2 == 1;
    return has_one_schedule(identity) && identity->first_column == 0 && identity->n_raw_last == 0 &&
           (identity->n_pad == 0 || is_odd_zero) && identity->n_zero == 0 && !identity->is_twice &&
           (identity->nest == SINPOS_NEST_AFC || identity->nest == SINPOS_NEST_ACF) &&
           (identity->n_axes == 1 || identity->width % (2 * identity->n_axes) == 0) &&
           (identity->n_axes == 1 || identity->axis[0].n_frequencies * 2 * identity->n_axes == identity->width) &&
           (identity->positions == NULL || identity->n <= MOST_LISTED);
}

static void add_encoding(struct text_buffer *out, const sinpos_identity *identity)
{
    const sinpos_identity_axis *axis = &identity->axis[0];
    buffer_format(out, " --dim %zu", identity->dim);
    buffer_text(out, identity->nest == SINPOS_NEST_ACF ? " --layout halves" : "");
    buffer_text(out, identity->cos_first ? " --order cos-sin" : "");
    buffer_text(out, identity->n_pad == 1 ? " --odd zero" : "");
    if (axis->base != 10000) {
        add_number(out, " --base ", axis->base);
    }
    const double usual =
        identity->n_pad == 1 ? floor((double)identity->dim / 2) : (double)identity->dim / 2 / (double)identity->n_axes;
    if (axis->divisor != usual) {
        add_number(out, " --divisor ", axis->divisor);
    }
    if (axis->scale != 1) {
        add_number(out, " --scale ", axis->scale);
    }
    if (identity->amplitude != 1) {
        add_number(out, " --amplitude ", identity->amplitude);
    }
}

/* --------------------------------------------------------------------------------------------- positions */

static double position(const sinpos_identity *identity, size_t row, size_t axis)
{
    const sinpos_identity_axis *own = &identity->axis[axis];
    if (identity->positions != NULL) {
        return identity->positions[row * identity->n_axes + axis];
    }
    return own->start + own->step * (double)(own->size > 0 ? row / own->stride % own->size : row);
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
            (axis->size > 1 && (axis->step != 1 || axis->stride * axis->size != stride))) {
            return false;
        }
        stride /= axis->size;
    }
    return identity->n_axes > 1 && identity->n_axes <= 3;
}

static void add_positions(struct text_buffer *out, const sinpos_identity *identity)
{
    const sinpos_identity_axis *axis = &identity->axis[0];
    if (is_plain_grid(identity)) {
        for (size_t a = 0; a < identity->n_axes; a++) {
            buffer_format(out, a == 0 ? " --grid %zu" : "x%zu", identity->axis[a].size);
        }
    } else if (identity->positions != NULL || identity->n_axes > 1) {
        add_list(out, identity);
    } else {
        if (axis->start != 0) {
            add_number(out, " --start=", axis->start);
        }
        if (axis->step != 1) {
            add_number(out, " --step=", axis->step);
        }
        buffer_format(out, " --length %zu", identity->n);
    }
}

/* " --set 'KEY=VALUE'" for every line. */
static void add_settings(struct text_buffer *out, const char *settings)
{
    struct text_buffer line = {0};
    while (*settings != '\0') {
        const size_t length = strcspn(settings, "\n");
        line.n = 0;
        buffer_add(&line, settings, length);
        buffer_text(out, " --set ");
        buffer_shell_word(out, line.bytes == NULL ? "" : line.bytes);
        settings += length + (settings[length] == '\n');
    }
    out->is_broken = out->is_broken || line.is_broken;
    buffer_free(&line);
}

static void add_type(struct text_buffer *out, sinpos_type type)
{
    buffer_text(out, type == SINPOS_F32 ? "" : " --type ");
    buffer_text(out, type == SINPOS_F32 ? "" : type_word(type));
}

static void add_convention(struct text_buffer *out, const sinpos_identity_convention *convention, sinpos_type type)
{
    buffer_format(out, "sinpos table --convention %s", convention->name);
    add_settings(out, convention->settings);
    add_type(out, type);
}

int identify_make_command(struct identified *found)
{
    const sinpos_identity *identity = found->identity;
    struct text_buffer *out = &found->command, *as_published = &found->as_published;
    if (identity->is_sinusoidal && is_plain(identity) && identity->view == SINPOS_VIEW_ROWS) {
        buffer_text(out, "sinpos table");
        add_encoding(out, identity);
        add_positions(out, identity);
        add_type(out, identity->type);
    }
    if (identity->is_sinusoidal && out->n == 0 && identity->n_conventions > 0) {
        add_convention(out, &identity->conventions[0], identity->type);
    }
    if (identity->published != NULL) {
        add_convention(as_published, identity->published, identity->type);
        buffer_text(as_published, " --arithmetic published");
    }
    return out->is_broken || as_published->is_broken ? complain_memory() : EXIT_DONE;
}
