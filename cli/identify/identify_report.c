/* identify_report.c - what sinpos identify found, for people and as JSON. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "difference_words.h"
#include "identified.h"
#include "json_out.h"
#include "sinpos_conventions.h"

#define ROWS_WIDTH 24

/* Characters of a command that is printed whole, and of one that is not. */
#define MOST_COMMAND 4000
#define SHORT_COMMAND 400

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

static struct scale scale_of(const sinpos_identity *identity)
{
    return (struct scale){identity->type, identity->amplitude};
}

static struct difference difference_of(const sinpos_identity *identity, const sinpos_identity_errors *errors)
{
    const struct scale scale = scale_of(identity);
    struct difference difference = {.elements = errors->elements,
                                    .wrong = errors->wrong,
                                    .max_ulp = errors->max_ulp,
                                    .max_abs_error = errors->max_abs_error};
    difference_scale(&difference, &scale);
    return difference;
}

static const char *rounded_type(const sinpos_identity_axis *axis)
{
    return axis->rounded_to == 8 ? "bfloat16" : axis->rounded_to == 11 ? "float16" : "float32";
}

static void json_axis(const sinpos_identity *identity, size_t a)
{
    static const char *const laws[] = {"geometric", "linear", "list"};
    const sinpos_identity_axis *axis = &identity->axis[a];
    emit_object(NULL);
    emit_text("schedule", laws[axis->law]);
    emit_unsigned("frequencies", axis->n_frequencies);
    emit_real("scale", axis->shift != 0 ? 1 : axis->scale);
    if (axis->law == SINPOS_LAW_GEOMETRIC) {
        emit_real("base", axis->base);
        emit_real("divisor", axis->divisor);
        emit_real("shift", axis->shift);
    } else if (axis->law == SINPOS_LAW_LINEAR) {
        emit_real("increment", axis->increment);
    } else {
        if (axis->base > 0) {
            emit_real("base", axis->base);
            emit_real("divisor", axis->divisor);
        }
        if (axis->rounded_to > 0) {
            emit_object("rounded");
            emit_text("to", rounded_type(axis));
            emit_real("scale", axis->rounded_scale);
            emit_real("base", axis->rounded_base);
            emit_real("divisor", axis->rounded_divisor);
            emit_close();
        }
        emit_reals("theta", axis->theta, axis->n_frequencies);
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

static void json_list(const char *name, const ptrdiff_t *columns, size_t n)
{
    emit_array(name);
    for (size_t i = 0; i < n; i++)
        emit_unsigned(NULL, (uint64_t)columns[i]);
    emit_close();
}

static void json_columns(const sinpos_identity *identity)
{
    emit_text("type", sinpos_element_name((sinpos_element)identity->type));
    emit_text("layout", identity->nest == SINPOS_NEST_AFC   ? "interleaved"
                        : identity->nest == SINPOS_NEST_ACF ? "halves"
                                                            : nest_names[identity->nest]);
    emit_text("nest", nest_names[identity->nest]);
    emit_text("order", identity->cos_first ? "cos-sin" : "sin-cos");
    emit_bool("twice", identity->is_twice);
    if (identity->nest == SINPOS_NEST_PERMUTED) {
        json_list("sine_columns", identity->sin_column, identity->n_tones);
        json_list("cosine_columns", identity->cos_column, identity->n_tones);
    }
    emit_unsigned("raw_columns_first", identity->n_raw_first);
    emit_unsigned("raw_columns_last", identity->n_raw_last);
    emit_unsigned("pad_columns", identity->n_pad);
    emit_real("pad_value", identity->pad_value);
    emit_real("amplitude", identity->amplitude);
}

static void json_rows(const sinpos_identity *identity)
{
    emit_array("axes");
    for (size_t a = 0; a < identity->n_axes; a++)
        json_axis(identity, a);
    emit_close();
    if (identity->positions != NULL)
        emit_reals("positions", identity->positions, identity->n * identity->n_axes);
    emit_sizes("zero_rows", identity->zero,
               identity->n_zero < SINPOS_IDENTITY_LISTED ? identity->n_zero : SINPOS_IDENTITY_LISTED);
    emit_unsigned("n_zero_rows", identity->n_zero);
}

void identify_json_scaling(sinpos_scaling scaling, double factor, double context)
{
    if (scaling == SINPOS_SCALING_NONE) {
        emit_null("scaling");
        return;
    }
    emit_object("scaling");
    emit_text("type", scaling == SINPOS_SCALING_YARN ? "yarn" : "llama3");
    emit_real("factor", factor);
    emit_real("original_context", context);
    emit_close();
}

static void json_found(const struct identified *found)
{
    const sinpos_identity *identity = found->identity;
    const struct difference total = difference_of(identity, &identity->total);
    json_columns(identity);
    identify_json_scaling(identity->scaling, identity->scaling_factor, identity->scaling_context);
    json_rows(identity);
    emit_text("arithmetic", identity->arithmetic);
    emit_real("arithmetic_share", identity->arithmetic_share);
    emit_text("arithmetic_also", identity->arithmetic_also);
    emit_unsigned("rows", identity->n);
    emit_unsigned("rows_compared", identity->rows_compared);
    emit_unsigned("altered", identity->n_altered);
    emit_unsigned("unexplained", identity->unexplained);
    emit_real("noise", identity->noise);
    emit_difference(&total);
    emit_array("conventions");
    for (size_t i = 0; i < identity->n_conventions; i++)
        emit_text(NULL, identity->conventions[i].name);
    emit_close();
    emit_text("command", found->command.bytes);
    if (found->no_command != NULL)
        emit_text("no_command", found->no_command);
    emit_text("command_as_published", found->as_published.bytes);
    identify_json_findings(identity);
}

void identify_json(const struct identified *found)
{
    const sinpos_identity *identity = found->identity;
    emit_object(NULL);
    emit_text("file", found->path);
    if (found->tensor != NULL)
        emit_text("tensor", found->tensor);
    emit_sizes("shape", found->shape, found->n_dims);
    emit_bool("sinusoidal", identity->is_sinusoidal);
    emit_real("bits", identity->bits);
    emit_real("residual", identity->residual);
    emit_unsigned("view", identity->view);
    if (identity->is_sinusoidal)
        json_found(found);
    emit_close();
}

/* ------------------------------------------------------------------------------------------------- text */

static const char *plural(size_t n)
{
    return n == 1 ? "" : "s";
}

static void print_shape(const struct identified *found)
{
    printf("%s%s%s: ", SHOWN(found->path), found->tensor == NULL ? "" : ", ", SHOWN(found->tensor));
    for (size_t i = 0; i < found->n_dims; i++)
        printf(i > 0 ? " x %zu" : "%zu", found->shape[i]);
    printf(" %s, ", sinpos_element_name((sinpos_element)found->identity->stored_type));
}

static void print_nothing(const sinpos_identity *identity)
{
    puts("not a sinusoidal encoding");
    if (isfinite(identity->residual)) {
        printf("  nearest    %s, %zu coordinate%s: three quarters of the elements are within %.2g of it\n",
               nest_words(identity), identity->n_axes, plural(identity->n_axes), identity->residual);
        printf("  evidence   %.0f bits, where 20 are asked for\n", identity->bits);
    } else {
        puts("  no columns lie on circles, as sine and cosine of one frequency do");
    }
}

/* Is column k that component of frequency k? */
static bool is_one_component(const sinpos_identity *identity, bool cosines)
{
    size_t k = 0;
    for (; k < identity->n_tones; k++) {
        const ptrdiff_t own = cosines ? identity->cos_column[k] : identity->sin_column[k];
        const ptrdiff_t other = cosines ? identity->sin_column[k] : identity->cos_column[k];
        if (own != (ptrdiff_t)k || other != SINPOS_NO_COLUMN)
            return false;
    }
    return k > 0;
}

static void print_columns(const sinpos_identity *identity)
{
    static const char *const views[] = {"", "the two tables side by side, ", "the inner dimensions as columns, ",
                                        "columns first, "};
    const bool cosines = is_one_component(identity, true), is_one = cosines || is_one_component(identity, false);
    if (is_one)
        printf("  columns    %s%s alone, fast to slow", views[identity->view], cosines ? "cosines" : "sines");
    else
        printf("  columns    %s%s, %s first", views[identity->view], nest_words(identity),
               identity->cos_first ? "cosine" : "sine");
    if (identity->is_twice)
        printf(", each frequency twice, %s", identity->is_twice_side_by_side ? "side by side" : "in halves");
    if (identity->n_raw_first + identity->n_raw_last > 0)
        printf(", coordinates themselves %s", identity->n_raw_first > 0 ? "before" : "after");
    if (identity->n_pad > 0)
        printf(", padding of %g in the last %zu", identity->pad_value, identity->n_pad);
    if (identity->nest == SINPOS_NEST_PERMUTED && !is_one) {
        printf("\n             sines and cosines, fast to slow:");
        for (size_t i = 0; i < identity->n_tones && i < 8; i++)
            printf(" %td %td,", identity->sin_column[i], identity->cos_column[i]);
        printf("%s", identity->n_tones > 8 ? " ... (--json has all)" : "");
    }
    printf("\n  amplitude  %.10g\n", identity->amplitude);
}

/* What a list of frequencies has to do with a formula. */
static void print_list(const sinpos_identity *identity, const sinpos_identity_axis *axis)
{
    if (identity->scaling != SINPOS_SCALING_NONE) {
        printf("theta_i = %.10g^(-i / %.10g), slowed down as by %s, factor %.10g, context %.10g", axis->base,
               axis->divisor, identity->scaling == SINPOS_SCALING_YARN ? "YaRN" : "Llama 3", identity->scaling_factor,
               identity->scaling_context);
        return;
    }
    if (axis->rounded_to > 0) {
        printf("theta_i = %.10g x %.10g^(-i / %.10g), each rounded to %s (--json has all)", axis->rounded_scale,
               axis->rounded_base, axis->rounded_divisor, rounded_type(axis));
        return;
    }
    if (axis->base > 0)
        printf("theta_i = %.10g^(-i / %.10g) for some of them:\n             ", axis->base, axis->divisor);
    printf("theta = %.7g", axis->theta[0]);
    for (size_t i = 1; i < axis->n_frequencies && i < 6; i++)
        printf(", %.7g", axis->theta[i]);
    printf("%s", axis->n_frequencies > 6 ? ", ... (--json has all)" : "");
}

static void print_schedule(const sinpos_identity *identity, const sinpos_identity_axis *axis)
{
    switch (axis->law) {
    case SINPOS_LAW_GEOMETRIC:
        if (axis->shift != 0)
            printf("theta_i = %.10g^(-(i + %g) / %.10g)", axis->base, axis->shift, axis->divisor);
        else
            printf("theta_i = %.10g x %.10g^(-i / %.10g)", axis->scale, axis->base, axis->divisor);
        break;
    case SINPOS_LAW_LINEAR: printf("theta_i = %.10g (1 + %.10g i)", axis->scale, axis->increment); break;
    case SINPOS_LAW_LIST: print_list(identity, axis); break;
    }
    printf(", %zu frequenc%s", axis->n_frequencies, axis->n_frequencies == 1 ? "y" : "ies");
}

static bool is_same_schedule(const sinpos_identity *identity)
{
    for (size_t a = 1; a < identity->n_axes; a++) {
        const sinpos_identity_axis *one = &identity->axis[0], *other = &identity->axis[a];
        if (!identify_same_law(one, other) || one->law == SINPOS_LAW_LIST || one->increment != other->increment)
            return false;
    }
    return true;
}

static void print_schedules(const sinpos_identity *identity)
{
    const size_t n = is_same_schedule(identity) ? 1 : identity->n_axes;
    for (size_t a = 0; a < n; a++) {
        printf(a == 0 ? "  schedule   " : "             ");
        if (n > 1)
            printf("coordinate %zu: ", a);
        print_schedule(identity, &identity->axis[a]);
        printf("%s\n", n == 1 && identity->n_axes > 1 ? " for each coordinate" : "");
    }
}

static void print_listed(const sinpos_identity *identity)
{
    const size_t axes = identity->n_axes, most = axes == 1 ? 10 : 5;
    printf("  positions  ");
    for (size_t row = 0; row < identity->n && row < most; row++) {
        printf("%s%s", row > 0 ? ", " : "", axes > 1 ? "(" : "");
        for (size_t a = 0; a < axes; a++)
            printf(a > 0 ? ", %.10g" : "%.10g", identity->positions[row * axes + a]);
        printf("%s", axes > 1 ? ")" : "");
    }
    printf("%s\n", identity->n > most ? ", ..." : "");
}

static void print_positions(const sinpos_identity *identity)
{
    const sinpos_identity_axis *axis = &identity->axis[0];
    if (identity->positions != NULL) {
        print_listed(identity);
    } else if (axis->size == 0) {
        printf("  positions  from %.10g in steps of %.10g, %zu row%s\n", axis->start, axis->step, identity->n,
               plural(identity->n));
    } else {
        for (size_t a = 0; a < identity->n_axes; a++) {
            axis = &identity->axis[a];
            printf(a == 0 ? "  grid       " : "             ");
            printf("coordinate %zu: %zu value%s from %.10g in steps of %.10g, %s\n", a, axis->size, plural(axis->size),
                   axis->start, axis->step,
                   axis->size == 1     ? "always the same"
                   : axis->stride == 1 ? "a step with each row"
                                       : "a slower one");
        }
    }
    if (identity->n_zero > 0) {
        printf("  padding    %zu row%s of zeros:", identity->n_zero, plural(identity->n_zero));
        for (size_t i = 0; i < identity->n_zero && i < 8; i++)
            printf(" %zu", identity->zero[i]);
        printf("%s\n", identity->n_zero > 8 ? " ..." : "");
    }
}

static void print_arithmetic(const sinpos_identity *identity)
{
    if (identity->arithmetic[0] != '\0') {
        const char *who = sinpos_arithmetic_text(sinpos_arithmetic_find(identity->arithmetic), "who");
        printf("  arithmetic %s%s%s", identity->arithmetic, who == NULL ? "" : ": ", who == NULL ? "" : who);
        if (identity->arithmetic_share < 1)
            printf(" (%.4g %% of the elements to one unit)", 100 * identity->arithmetic_share);
        if (identity->published != NULL)
            printf(", %.4g %% of the elements to the last bit", 100 * identity->published->published_equal);
        printf("%s%s\n",
               identity->arithmetic_also[0] == '\0' ? ""
               : identity->published == NULL        ? "; also possible: "
                                                    : ";\n             also possible: ",
               identity->arithmetic_also);
    }
    if (identity->noise > 0)
        printf("  noise      standard deviation %.2g\n", identity->noise);
    if (identity->n_altered > 0) {
        printf("  altered    %llu element%s", (unsigned long long)identity->n_altered,
               plural((size_t)identity->n_altered));
        for (size_t i = 0; i < identity->n_altered && i < 3; i++) {
            const sinpos_identity_element *one = &identity->altered[i];
            printf("%s row %zu, column %zu: %.7g, not %.7g", i == 0 ? ":" : ";", one->row, one->column, one->got,
                   one->want);
        }
        printf("%s\n", identity->n_altered > 3 ? "; ..." : "");
    }
}

static void print_ranges(const sinpos_identity *identity)
{
    const struct scale scale = scale_of(identity);
    print_difference_head("rows", ROWS_WIDTH, &scale);
    for (size_t i = 0; i < identity->n_ranges; i++) {
        const sinpos_identity_errors *range = &identity->range[i];
        const struct difference difference = difference_of(identity, range);
        char rows[60];
        snprintf(rows, sizeof rows, range->last_row > range->first_row ? "%zu to %zu" : "%zu", range->first_row,
                 range->last_row);
        print_difference(rows, ROWS_WIDTH, &difference);
    }
    putchar('\n');
}

static void print_errors(const sinpos_identity *identity)
{
    const char *compared = identity->rows_compared < identity->n ? " compared" : "";
    const struct scale scale = scale_of(identity);
    const struct difference total = difference_of(identity, &identity->total);
    const char *harmless = harmless_text(&total, &scale);
    char text[DIFFERENCE_TEXT_BYTES];
    if (total.wrong == 0) {
        printf("  errors     none: all %llu elements%s are the exact values, rounded once\n",
               (unsigned long long)total.elements, compared);
        return;
    }
    printf("  errors     %s%s%s\n             worst in row %zu, column %zu\n", harmless != NULL ? harmless : "",
           harmless != NULL ? "\n             " : "", difference_text(&total, compared, text), identity->worst_row,
           identity->worst_column);
    print_ranges(identity);
}

static void print_conventions(const sinpos_identity *identity)
{
    size_t column = 0;
    printf("  conventions");
    for (size_t i = 0; i < identity->n_conventions; i++) {
        const char *name = identity->conventions[i].name;
        if (column + strlen(name) + 2 > 96) {
            printf("\n             ");
            column = 0;
        }
        column += (size_t)printf(" %s%s", name, i + 1 < identity->n_conventions ? "," : "");
    }
    puts(identity->n_conventions == 0 ? " none with a name" : "");
}

/* Numbers that do not make the elements are near the right ones at best. */
static void print_verdict(const sinpos_identity *identity)
{
    unsigned long long unexplained = identity->unexplained, elements = identity->total.elements;
    for (size_t i = 0; i < identity->n_others; i++) {
        unexplained += identity->others[i]->unexplained;
        elements += identity->others[i]->total.elements;
    }
    if (unexplained == 0)
        puts("a sinusoidal encoding");
    else
        printf("close to a sinusoidal encoding: %llu of %llu elements differ\n", unexplained, elements);
}

/* Of one that lists a thousand positions, the beginning: lines beyond a page are for programs. */
static void print_command(const char *label, const struct text_buffer *command)
{
    if (command->n <= MOST_COMMAND)
        printf("  %s   %s\n", label, command->bytes);
    else
        printf("  %s   %.*s ... (--json has all of it, %zu characters)\n", label, SHORT_COMMAND, command->bytes,
               command->n);
}

void identify_print(const struct identified *found)
{
    const sinpos_identity *identity = found->identity;
    print_shape(found);
    if (!identity->is_sinusoidal) {
        print_nothing(identity);
        return;
    }
    print_verdict(identity);
    identify_print_findings(identity);
    identify_print_part(identity);
    print_columns(identity);
    print_schedules(identity);
    print_positions(identity);
    print_arithmetic(identity);
    print_errors(identity);
    print_conventions(identity);
    if (found->command.n > 0)
        print_command("exactly ", &found->command);
    else
        printf("  exactly    there is no command: %s\n", found->no_command);
    if (found->as_published.n > 0)
        print_command("as it is", &found->as_published);
    identify_print_others(identity);
    char compared[60];
    snprintf(compared, sizeof compared, "%zu of %zu", identity->rows_compared, identity->n);
    printf("  looked at  identified from %zu rows; %s compared%s\n", identity->rows_looked_at,
           identity->rows_compared == identity->n ? "all" : compared,
           identity->rows_compared < identity->n ? " (--all compares every row)" : "");
}
