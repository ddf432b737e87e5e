/* base_report.c - what 'sinpos base' found, as text and as JSON. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base_file.h"
#include "base_run.h"
#include "json_out.h"

void base_json_bound(const char *name, double value)
{
    emit_real(name, value == 0 ? NAN : value);
}

void base_report_fields(const struct answer *answer)
{
    const sinpos_base_certificate *c = &answer->certificate;
    emit_unsigned("context", c->query.context);
    emit_unsigned("tones", c->query.n_tones);
    emit_real("shift", c->query.shift);
    emit_real("divisor", c->query.divisor);
    emit_real("scale", c->query.scale);
    emit_real("constant", c->query.constant);
    emit_text("outcome", base_outcome_name(c->outcome));
    emit_real("base_lower", c->base_lower);
    base_json_bound("base_upper", c->base_upper);
    emit_unless_0("violated_at", (uint64_t)c->violated_at);
    base_json_bound("robust_base", c->robust.upper);
    base_json_bound("robust_fails", c->robust.lower);
    emit_unless_0("robust_violated_at", (uint64_t)c->robust.offset);
    emit_bool("proved", answer->is_checked && answer->verdict.holds);
    if (answer->is_checked && !answer->verdict.holds)
        emit_text("why", answer->verdict.why);
    emit_unsigned("steps", c->n_steps);
    emit_real("search_seconds", answer->search_s);
    emit_real("robust_seconds", answer->robust_s);
    emit_real("verify_seconds", answer->verify_s);
}

static void print_found(const sinpos_base_certificate *c)
{
    printf("  smallest base that passes   %.12g\n", c->base_upper);
    printf("  every base fails up to      %.12g\n", c->base_lower);
    printf("  where the last one fails    offset %" PRId64 "\n", c->violated_at);
}

static void print_result(const sinpos_base_certificate *c)
{
    switch (c->outcome) {
    case SINPOS_BASE_FOUND: print_found(c); return;
    case SINPOS_BASE_ANY: puts("  bases down to 1 pass"); return;
    case SINPOS_BASE_NONE: printf("  no base from 1 to %g passes\n", c->base_lower); return;
    case SINPOS_BASE_GAP:
        printf("  every base fails up to      %.12g\n  beyond it double precision cannot decide\n", c->base_lower);
        return;
    case SINPOS_BASE_OPEN:
    default: printf("  every base fails up to      %.12g so far\n", c->base_lower); return;
    }
}

/* What, printed with 10 digits, is not below the value. */
double base_rounded_up(double value)
{
    return value == 1 ? 1 : value * (1 + 5e-10);
}

static bool has_islands(const sinpos_base_certificate *c)
{
    return c->outcome == SINPOS_BASE_FOUND && c->robust.lower > c->base_upper;
}

static void print_robust(const sinpos_base_certificate *c)
{
    const sinpos_base_robust *robust = &c->robust;
    if (robust->upper == 0) {
        printf("  all larger bases            not shown to pass from any base up to %g\n", SINPOS_BASE_MAX);
        return;
    }
    printf("  every base passes from      %.10g\n", base_rounded_up(robust->upper));
    if (has_islands(c))
        printf("  below that, one fails       %.10g, at offset %" PRId64 "\n", robust->lower, robust->offset);
    if (robust->upper > robust->lower * (1 + 1e-7) && robust->lower > 0) {
        printf("  undecided                   some bases from %.9g to %.9g\n", fmax(robust->lower, c->base_upper),
               robust->upper);
    }
}

static void print_what_is_proved(const struct answer *answer)
{
    const sinpos_base_certificate *c = &answer->certificate;
    fputs("  proved in ball arithmetic   ", stdout);
    if (c->n_steps > 0) {
        printf(c->n_steps == 1 ? "one interval, with an offset where g < 0\n"
                               : "%zu intervals without a gap, each with an offset where g < 0\n",
               c->n_steps);
    }
    if (c->base_upper != 0)
        printf("%*sall %zu offsets at the base that passes\n", c->n_steps > 0 ? 30 : 0, "", c->query.context);
    if (answer->verdict.robust)
        printf("%30sall offsets at every base from %.10g on\n", "", base_rounded_up(c->robust.upper));
}

static void print_proof(const struct answer *answer)
{
    const sinpos_base_certificate *c = &answer->certificate;
    if (answer->is_paused) {
        printf("  paused after                %zu steps; the same command goes on\n", c->n_steps);
    } else if (!answer->is_checked) {
        puts("  not proved: this build has no ball arithmetic (FLINT); errors in double precision were bounded");
    } else if (!answer->verdict.holds) {
        printf("  NOT proved: %s (step %zu, offset %" PRId64 ")\n", answer->verdict.why, answer->verdict.step,
               answer->verdict.offset);
    } else {
        print_what_is_proved(answer);
    }
}

static void print_meaning(const sinpos_base_certificate *c)
{
    switch (c->outcome) {
    case SINPOS_BASE_FOUND:
        if (has_islands(c)) {
            printf("Bases between %.6g and %.6g pass and fail by turns; take the larger one to be free of that.\n",
                   c->base_upper, base_rounded_up(c->robust.upper));
        } else {
            printf("With a smaller base some offset below %zu has a negative product.\n", c->query.context);
        }
        return;
    case SINPOS_BASE_ANY: puts("The context is too short to ask anything of the base."); return;
    case SINPOS_BASE_NONE: puts("No base is large enough: more tones are needed."); return;
    case SINPOS_BASE_GAP:
    case SINPOS_BASE_OPEN:
    default: return;
    }
}

void base_print_theta(const sinpos_base_query *query)
{
    printf("%zu tone%s theta_i = ", query->n_tones, query->n_tones == 1 ? "" : "s");
    if (query->scale != 1)
        printf("%g ", query->scale);
    if (query->shift != 0)
        printf("b^(-(i + %g) / %g)", query->shift, query->divisor);
    else
        printf("b^(-i / %g)", query->divisor);
    if (query->constant != 0)
        printf(", and %g that are not rotated", query->constant);
}

void base_report_text(const struct answer *answer)
{
    const sinpos_base_certificate *c = &answer->certificate;
    printf("context %zu: g(k) >= 0 for all k < %zu, with ", c->query.context, c->query.context);
    base_print_theta(&c->query);
    putchar('\n');
    print_result(c);
    if (c->outcome != SINPOS_BASE_OPEN && c->outcome != SINPOS_BASE_NONE)
        print_robust(c);
    print_proof(answer);
    if (!answer->is_checked || answer->verdict.holds)
        print_meaning(c);
    putchar('\n');
}
