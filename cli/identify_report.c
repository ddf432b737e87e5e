/* identify_report.c - what sinpos identify found, for people and as JSON. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "identify.h"
#include "json_out.h"

static const char *const nest_names[] = {"afc", "acf", "caf", "cfa", "fca", "fac", "permuted"};

static const char *nest_words(const sinpos_identity *identity)
{
    static const char *const words[] = {
        "interleaved",
        "halves",
        "first components of all coordinates, then the second ones",
        "first components, coordinates in turn, then the second ones",
        "frequency by frequency: first components of all coordinates, then the second ones",
        "frequency by frequency, coordinate by coordinate, interleaved",
        "in no order",
    };
    return words[identity->nest];
}

/* ------------------------------------------------------------------------------------------------- JSON */

static void json_ulp(const char *name, uint64_t ulp)
{
    if (ulp == UINT64_MAX) {
        emit_null(name);
    } else {
        emit_unsigned(name, ulp);
    }
}

static void json_errors(const sinpos_identity_errors *errors)
{
    emit_unsigned("elements", errors->elements);
    emit_unsigned("wrong", errors->wrong);
    json_ulp("max_ulp", errors->max_ulp);
    emit_real("max_abs_error", errors->max_abs_error);
}

static void json_axis(const sinpos_identity *identity, size_t a)
{
    static const char *const laws[] = {"geometric", "linear", "list"};
    const sinpos_identity_axis *axis = &identity->axis[a];
    emit_object(NULL);
    emit_text("schedule", laws[axis->law]);
    emit_unsigned("frequencies", axis->n_frequencies);
    emit_real("scale", axis->scale);
    if (axis->law == SINPOS_LAW_GEOMETRIC) {
        emit_real("base", axis->base);
        emit_real("divisor", axis->divisor);
    } else if (axis->law == SINPOS_LAW_LINEAR) {
        emit_real("increment", axis->increment);
    } else {
        emit_array("theta");
        for (size_t i = 0; i < axis->n_frequencies; i++) {
            emit_real(NULL, axis->theta[i]);
        }
        emit_close();
    }
    if (identity->positions == NULL) {
        emit_real("start", axis->start);
        emit_real("step", axis->step);
    }
    if (axis->size > 0) {
        emit_unsigned("size", axis->size);
        emit_unsigned("stride", axis->stride);
    }
    emit_close();
}

static void json_columns(const sinpos_identity *identity)
{
    emit_text("layout", identity->nest == SINPOS_NEST_AFC   ? "interleaved"
                        : identity->nest == SINPOS_NEST_ACF ? "halves"
                                                            : nest_names[identity->nest]);
    emit_text("nest", nest_names[identity->nest]);
    emit_text("order", identity->cos_first ? "cos-sin" : "sin-cos");
    emit_bool("twice", identity->is_twice);
    emit_unsigned("raw_columns_first", identity->n_raw_first);
    emit_unsigned("raw_columns_last", identity->n_raw_last);
    emit_unsigned("pad_columns", identity->n_pad);
    emit_real("pad_value", identity->pad_value);
    emit_real("amplitude", identity->amplitude);
}

static void json_rows(const sinpos_identity *identity)
{
    emit_array("axes");
    for (size_t a = 0; a < identity->n_axes; a++) {
        json_axis(identity, a);
    }
    emit_close();
    if (identity->positions != NULL) {
        emit_array("positions");
        for (size_t i = 0; i < identity->n * identity->n_axes; i++) {
            emit_real(NULL, identity->positions[i]);
        }
        emit_close();
    }
    emit_array("zero_rows");
    for (size_t i = 0; i < identity->n_zero && i < SINPOS_IDENTITY_LISTED; i++) {
        emit_unsigned(NULL, identity->zero[i]);
    }
    emit_close();
    emit_unsigned("n_zero_rows", identity->n_zero);
}

static void json_found(const struct identified *found)
{
    const sinpos_identity *identity = found->identity;
    json_columns(identity);
    json_rows(identity);
    emit_text("arithmetic", identity->arithmetic);
    emit_unsigned("altered", identity->n_altered);
    emit_real("noise", identity->noise);
    json_errors(&identity->total);
    emit_array("conventions");
    emit_close();
    if (found->command.n > 0) {
        emit_text("command", found->command.bytes);
    } else {
        emit_null("command");
    }
}

void identify_json(const struct identified *found)
{
    const sinpos_identity *identity = found->identity;
    emit_text("file", found->path);
    if (found->tensor != NULL) {
        emit_text("tensor", found->tensor);
    }
    emit_array("shape");
    for (size_t i = 0; i < found->n_dims; i++) {
        emit_unsigned(NULL, found->shape[i]);
    }
    emit_close();
    emit_bool("sinusoidal", identity->is_sinusoidal);
    emit_real("bits", identity->bits);
    emit_real("residual", identity->residual);
    emit_unsigned("view", identity->view);
    if (identity->is_sinusoidal) {
        json_found(found);
    }
}

/* ------------------------------------------------------------------------------------------------- text */

void identify_print(const struct identified *found)
{
    const sinpos_identity *identity = found->identity;
    printf("%s: ", found->path);
    if (!identity->is_sinusoidal) {
        printf("not a sinusoidal encoding\n");
        return;
    }
    printf("a sinusoidal encoding\n  columns    %s, %s\n", nest_words(identity),
           identity->cos_first ? "cosine first" : "sine first");
    if (found->command.n > 0) {
        printf("  command    %s\n", found->command.bytes);
    }
}
