/* identify_list.c - the report of sinpos identify on a list of frequencies. */
#include <stdio.h>

#include "identified.h"
#include "json_out.h"
#include "no_memory.h"

#define TWO_PI 6.283185307179586

static const char *arithmetic_of(const sinpos_frequency_list *found)
{
    return found->errors.wrong == 0 ? "exact: each element rounded once"
           : found->is_published    ? "as published by hf_rope"
                                    : "";
}

static sinpos_type rounded_type(const sinpos_frequency_list *found)
{
    return found->rounded_to == 53   ? SINPOS_F64
           : found->rounded_to == 24 ? SINPOS_F32
           : found->rounded_to == 11 ? SINPOS_F16
                                     : SINPOS_BF16;
}

/* Empty where no convention makes the list. */
static void make_command(const sinpos_frequency_list *found, bool as_published, struct text_buffer *out)
{
    if (found->settings[0] == '\0' || (as_published && !found->is_published))
        return;
    buffer_text(out, "sinpos table --convention hf_rope");
    identify_add_settings(out, found->settings);
    identify_add_type(out, rounded_type(found));
    buffer_text(out, as_published ? " --arithmetic published" : "");
    if (out->is_broken)
        fail_memory();
}

/* ------------------------------------------------------------------------------------------------- JSON */

static void json_scalings(const sinpos_frequency_list *found)
{
    if (found->ntk_factor > 0) {
        emit_object("ntk");
        emit_real("base", found->ntk_base);
        emit_real("factor", found->ntk_factor);
        emit_close();
    } else {
        emit_null("ntk");
    }
    identify_json_scaling(found->scaling, found->scaling_factor, found->scaling_context);
}

static void json_schedule(const sinpos_frequency_list *found, const struct text_buffer *command,
                          const struct text_buffer *as_published)
{
    emit_bool("ascending", found->is_ascending);
    emit_real("scale", found->scale);
    emit_real("base", found->base);
    emit_real("divisor", found->divisor);
    json_scalings(found);
    emit_unsigned("rounded_bits", (uint64_t)found->rounded_to);
    emit_text("arithmetic", arithmetic_of(found));
    emit_unsigned("elements", found->errors.elements);
    emit_unsigned("wrong", found->errors.wrong);
    emit_unsigned("max_ulp", found->errors.max_ulp);
    emit_real("max_abs_error", found->errors.max_abs_error);
    emit_real("max_relative_error", found->errors.max_relative_error);
    emit_text("convention", found->settings[0] == '\0' ? NULL : "hf_rope");
    emit_text("command", command->bytes);
    emit_text("command_as_published", as_published->bytes);
}

/* ------------------------------------------------------------------------------------------------- text */

static void print_schedule(const sinpos_frequency_list *found)
{
    const double turn = TWO_PI / found->exact[found->is_ascending ? 0 : found->n - 1];
    const char *sign = found->is_ascending ? "" : "-";
    printf("  schedule   theta_i = ");
    if (found->scale != 1)
        printf("%.10g x ", found->scale);
    if (found->divisor == 1)
        printf("%.10g^%s, %zu frequencies\n", found->base, found->is_ascending ? "i" : "(-i)", found->n);
    else
        printf("%.10g^(%si / %.10g), %zu frequencies\n", found->base, sign, found->divisor, found->n);
    if (found->ntk_factor > 0)
        printf("             NTK-aware scaling: base %.10g, factor %.10g\n", found->ntk_base, found->ntk_factor);
    if (found->scaling != SINPOS_SCALING_NONE)
        printf("             slowed down as by %s: factor %.10g, context %.10g before\n",
               found->scaling == SINPOS_SCALING_YARN ? "YaRN" : "Llama 3", found->scaling_factor,
               found->scaling_context);
    printf(turn < 1000 || turn > 1e15 ? "             the slowest turns once in %.4g positions\n"
                                      : "             the slowest turns once in %.0f positions\n",
           turn);
}

static void print_errors(const sinpos_frequency_list *found)
{
    const sinpos_identity_errors *errors = &found->errors;
    if (arithmetic_of(found)[0] != '\0')
        printf("  arithmetic %s%s\n", arithmetic_of(found),
               errors->wrong == 0 ? "" : ", every element to the last bit");
    if (errors->wrong == 0)
        return;
    printf(
        "  errors     %llu of %zu elements are wrong (%.4g %%), by up to %.3g of their size, %llu unit%s in the last\n"
        "             place; worst is element %zu\n",
        (unsigned long long)errors->wrong, found->n, 100 * (double)errors->wrong / (double)found->n,
        errors->max_relative_error, (unsigned long long)errors->max_ulp, errors->max_ulp == 1 ? "" : "s", found->worst);
}

static void print_list(const sinpos_frequency_list *found, const struct text_buffer *command,
                       const struct text_buffer *as_published)
{
    if (!found->is_schedule) {
        puts("not a list of frequencies that a formula makes");
        return;
    }
    puts(found->settings[0] != '\0' ? "a list of frequencies" : "a geometric list, as of frequencies");
    if (rounded_type(found) != found->type)
        printf("  type       all elements are numbers of %s\n",
               sinpos_element_name((sinpos_element)rounded_type(found)));
    print_schedule(found);
    print_errors(found);
    if (command->n > 0)
        printf("  exactly    %s\n", command->bytes);
    else
        puts("  exactly    there is no command: no convention makes this list");
    if (as_published->n > 0)
        printf("  as it is   %s\n", as_published->bytes);
}

void identify_report_list(const char *path, const char *tensor, const sinpos_frequency_list *found, bool is_json)
{
    struct text_buffer command = {0}, as_published = {0};
    make_command(found, false, &command);
    make_command(found, true, &as_published);
    if (is_json) {
        emit_object(NULL);
        emit_text("file", path);
        if (tensor != NULL)
            emit_text("tensor", tensor);
        emit_sizes("shape", &found->n, 1);
        emit_bool("sinusoidal", found->is_schedule);
        emit_text("list", "frequencies");
        if (found->is_schedule)
            json_schedule(found, &command, &as_published);
        emit_close();
    } else {
        printf("%s%s%s: %zu %s, ", SHOWN(path), tensor == NULL ? "" : ", ", SHOWN(tensor), found->n,
               sinpos_element_name((sinpos_element)found->type));
        print_list(found, &command, &as_published);
    }
    buffer_free(&command);
    buffer_free(&as_published);
}
