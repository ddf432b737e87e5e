/*
 * section_bases.c - is the base large enough for the context, and which is the smallest that is? The second question
 * has a proof, which is made here only where it is quick: so many tones times offsets, and no clock, decide that.
 */
#include <string.h>

#include "report.h"

/* Tones times offsets of all proofs of a page: 2^22 take some 7 s of one processor. */
static const double work_most = (double)((size_t)1 << 22);

/* Likewise for the encoding's own base: 2^31 take some seconds. */
static const double own_work_most = 0x1p31;

struct proof {
    sinpos_base_query query;
    sinpos_base_certificate certificate;
    sinpos_base_verdict verdict;
    bool is_asked, is_searched, is_checked;
};

static bool has_question(const struct report_encoding *own)
{
    const sinpos_spec *spec = &own->encoding.spec;
    return spec->schedule == SINPOS_GEOMETRIC && spec->n_factor == 0 && spec->dim >= 2;
}

static void ask(const struct report *report, const struct report_encoding *own, struct proof *proof)
{
    const sinpos_spec *spec = &own->encoding.spec;
    const double half = spec->odd == SINPOS_ZERO ? (double)(spec->dim / 2) : (double)spec->dim / 2;
    proof->query = (sinpos_base_query){.context = report->context,
                                       .n_tones = spec->dim / 2,
                                       .shift = spec->shift,
                                       .divisor = spec->divisor != 0 ? spec->divisor : half,
                                       .scale = spec->scale};
    proof->is_asked = has_question(own) && sinpos_base_begin(&proof->certificate, &proof->query) == SINPOS_OK;
}

static bool is_same_question(const sinpos_base_query *a, const sinpos_base_query *b)
{
    return a->context == b->context && a->n_tones == b->n_tones && a->shift == b->shift && a->divisor == b->divisor &&
           a->scale == b->scale;
}

/* The proof of an encoding before, with the same question; NULL if there is none. */
static const struct proof *known(const struct proof *proofs, size_t encoding)
{
    for (size_t i = 0; i < encoding; i++)
        if (proofs[i].is_asked && is_same_question(&proofs[i].query, &proofs[encoding].query))
            return &proofs[i];
    return NULL;
}

static void prove(const struct report *report, struct proof *proof)
{
    sinpos_status status = sinpos_base_search(&proof->certificate, report->threads, progress_watch, NULL);
    expect_ok(status);
    proof->is_searched = true;
    status = sinpos_base_verify(&proof->certificate, 0, &proof->verdict, report->threads, progress_watch, NULL);
    if (status != SINPOS_OK && status != SINPOS_E_UNSUPPORTED)
        fail_status(status);
    proof->is_checked = status == SINPOS_OK;
}

static void prove_all(const struct report *report, struct proof *proofs)
{
    double work = 0;
    for (size_t i = 0; i < report->n; i++) {
        ask(report, &report->encodings[i], &proofs[i]);
        const struct proof *before = proofs[i].is_asked ? known(proofs, i) : NULL;
        if (before != NULL) {
            proofs[i] = *before;
            memset(&proofs[i].certificate.steps, 0, sizeof proofs[i].certificate.steps);
            continue;
        }
        work += proofs[i].is_asked ? (double)proofs[i].query.context * (double)proofs[i].query.n_tones : 0;
        if (proofs[i].is_asked && work <= work_most)
            prove(report, &proofs[i]);
    }
}

/* ------------------------------------------------------------------------------------------------- writing */

static void add_command(struct report *report, const struct report_encoding *own, const struct proof *proof)
{
    RELEASED_BY(buffer_free) struct text_buffer command = {NULL, 0, 0, false};
    const sinpos_spec *spec = &own->encoding.spec;
    buffer_format(&command, "sinpos base --context %zu --dim %zu", proof->query.context, spec->dim);
    if (spec->shift != 0)
        buffer_format(&command, " --shift %.17g", spec->shift);
    if (spec->divisor != 0)
        buffer_format(&command, " --divisor %.17g", spec->divisor);
    if (spec->scale != 1)
        buffer_format(&command, " --scale %.17g", spec->scale);
    if (spec->odd == SINPOS_ZERO && spec->dim % 2 == 1)
        buffer_text(&command, " --odd zero");
    html_command(&report->body, buffer_string(&command));
    report->body.is_broken = report->body.is_broken || command.is_broken;
}

static void add_smallest(struct text_buffer *out, const struct proof *proof)
{
    const sinpos_base_certificate *c = &proof->certificate;
    if (!proof->is_asked)
        buffer_text(out, "no base: another schedule");
    else if (!proof->is_searched)
        buffer_text(out, "not computed for this page");
    else if (c->outcome == SINPOS_BASE_FOUND)
        buffer_text(out, NUMBER(c->base_upper, 8));
    else if (c->outcome == SINPOS_BASE_ANY)
        buffer_text(out, "every base above 1 will do");
    else
        buffer_format(out, "none was found up to %s", NUMBER(c->base_lower, 4));
}

static void add_standing(struct text_buffer *out, const struct proof *proof)
{
    const bool is_proved = proof->is_checked && proof->verdict.holds;
    if (!proof->is_searched) {
        buffer_text(out, "\u2013");
    } else if (is_proved) {
        buffer_format(out,
                      "<span class=\"good verdict\">proved</span><span class=\"sub\">%zu intervals cover all smaller "
                      "bases</span>",
                      proof->certificate.n_steps);
    } else {
        buffer_text(out, proof->is_checked ? "<span class=\"bad verdict\">the proof fails</span>"
                                           : "in double precision; this build has no ball arithmetic");
    }
}

static void add_own(struct report *report, struct report_fact *fact, size_t encoding, const struct proof *proof)
{
    struct text_buffer *out = &report->body;
    const struct report_encoding *own = &report->encodings[encoding];
    int64_t offset = 0;
    double g;
    const double most = fmax(2, own_work_most / (double)(own->n_tones + 1));
    const int64_t limit = (double)report->context <= most ? (int64_t)report->context : (int64_t)most;
    expect_ok(
        sinpos_kernel_first_negative(own->encoding.plan, limit, &offset, &g, report->threads, progress_watch, NULL));
    buffer_format(out, "<tr><th scope=\"row\">%s%s</th><td>", LETTER(report, encoding), ESCAPED(own->words));
    if (offset == 0 && limit < (int64_t)report->context) {
        buffer_format(out, "<span class=\"none verdict\">yes up to offset %s</span>", COUNT(limit));
        fact_set(fact, encoding, NAN, "yes up to offset %s", COUNT(limit));
    } else if (offset == 0) {
        buffer_text(out, "<span class=\"good verdict\">yes</span>");
        fact_set(fact, encoding, 1, "yes");
    } else {
        buffer_format(out,
                      "<span class=\"bad verdict\">no</span><span class=\"sub\">first negative at offset %s</span>",
                      COUNT(offset));
        fact_set(fact, encoding, 0, "no, first negative at offset %s", COUNT(offset));
    }
    buffer_text(out, "</td><td class=\"n\">");
    add_smallest(out, proof);
    buffer_text(out, "</td><td>");
    add_standing(out, proof);
    buffer_text(out, "</td></tr>\n");
}

static void add_table(struct report *report, const struct proof *proofs)
{
    static const struct html_column columns[] = {{"encoding", NULL, false},
                                                 {"<i>g</i>(<i>k</i>) \u2265 0", NULL, false},
                                                 {"smallest base", NULL, true},
                                                 {"standing", NULL, false},
                                                 {NULL, NULL, false}};
    struct report_fact *fact = report_fact(report, "good_within_context", "g(k) \u2265 0 within the context");
    fact->is_verdict = true;
    report_table_begin(report, "Bases", columns,
                       "Is the product of two rows at no offset within the context of %zu positions "
                       "negative, and what is the smallest base of which that is true?",
                       report->context);
    for (size_t i = 0; i < report->n; i++)
        add_own(report, fact, i, &proofs[i]);
    html_table_end(&report->body);
}

static void add_fact(struct report *report, const struct proof *proofs)
{
    struct report_fact *fact = report_fact(report, "smallest_base", "Smallest base for the context");
    for (size_t i = 0; i < report->n; i++) {
        const sinpos_base_certificate *c = &proofs[i].certificate;
        if (proofs[i].is_searched && c->outcome == SINPOS_BASE_FOUND) {
            fact_set(fact, i, c->base_upper, "%.8g%s", c->base_upper,
                     proofs[i].is_checked && proofs[i].verdict.holds ? ", proved" : "");
        } else {
            fact_set(fact, i, NAN, "%s",
                     !proofs[i].is_asked             ? "has no base"
                     : !proofs[i].is_searched        ? "not computed"
                     : c->outcome == SINPOS_BASE_ANY ? "any above 1"
                                                     : "none");
        }
    }
}

static void add_remarks(struct report *report, const struct proof *proofs)
{
    struct text_buffer *out = &report->body;
    bool is_open = false;
    for (size_t i = 0; i < report->n; i++)
        is_open = is_open || (proofs[i].is_asked && !proofs[i].is_searched);
    buffer_text(out, is_open
                         ? "<p>For so long a context or so many tones the proof takes longer than a page should. This "
                           "command finds the smallest base and proves it:</p>\n"
                         : "<p>Good bases form islands: a larger base than the smallest one need not pass. The command "
                           "also finds from where on every base passes, and <code>-o</code> keeps the proof:</p>\n");
    for (size_t i = 0; i < report->n; i++)
        if (proofs[i].is_asked && known(proofs, i) == NULL)
            add_command(report, &report->encodings[i], &proofs[i]);
}

/* What is proved here need not be searched for again. */
static double known_smallest(const struct proof *proof)
{
    const bool is_found = proof->is_searched && proof->certificate.outcome == SINPOS_BASE_FOUND;
    return is_found ? proof->certificate.base_upper : 0;
}

void section_bases(struct report *report)
{
    struct proof proofs[REPORT_ENCODINGS] = {{.is_asked = false}};
    struct report_figure landscape = {.name = "base", .sharing = SHARE_FIRST};
    bool is_asked = false;
    prove_all(report, proofs);
    buffer_text(&report->body,
                "<p>As long as <i>g</i>(<i>k</i>) is not negative, attention is on average drawn to tokens "
                "like the one that asks, wherever in the context they stand (Xu et al. 2024, "
                "arXiv:2405.14591).</p>\n");
    add_table(report, proofs);
    add_fact(report, proofs);
    for (size_t i = 0; i < report->n; i++)
        is_asked = is_asked || proofs[i].is_asked;
    if (is_asked) {
        add_remarks(report, proofs);
        landscape.smallest_base = known_smallest(&proofs[0]);
        report_figure_add(report, &landscape);
    }
    for (size_t i = 0; i < report->n; i++)
        sinpos_base_free(&proofs[i].certificate);
}
