/* section_claims.c - what the literature says of such encodings, decided by these rows. */
#include <stdlib.h>

#include "no_memory.h"
#include "report.h"

enum { CLAIMS_MOST = 64 };

struct judged {
    sinpos_claim_result *results; /* (n, n_claims) */
    size_t n_claims;
    size_t n_must, failed[REPORT_ENCODINGS], held[REPORT_ENCODINGS];
};

static const sinpos_claim_result *result_of(const struct judged *judged, size_t encoding, size_t claim)
{
    return &judged->results[encoding * judged->n_claims + claim];
}

static const char *verdict_class(const sinpos_claim_result *result)
{
    switch (result->verdict) {
    case SINPOS_HOLDS: return "good";
    case SINPOS_HOLDS_ONLY_IF: return "some";
    case SINPOS_DOES_NOT_HOLD: return "bad";
    default: return "none";
    }
}

static void judge(struct report *report, struct judged *judged)
{
    for (size_t i = 0; i < report->n; i++) {
        const sinpos_check_input input = {.plan = report->encodings[i].encoding.plan,
                                          .first = report->first,
                                          .n = report->length,
                                          .type = report->type,
                                          .seed = 1,
                                          .n_threads = report->threads};
        expect_ok(sinpos_check(&input, NULL, judged->n_claims, judged->results + i * judged->n_claims, NULL,
                               progress_watch, NULL));
        for (size_t j = 0; j < judged->n_claims; j++) {
            const sinpos_claim_result *result = result_of(judged, i, j);
            judged->held[i] += result->verdict == SINPOS_HOLDS;
            judged->failed[i] += result->claim->must_hold && result->verdict == SINPOS_DOES_NOT_HOLD;
        }
    }
}

/* ------------------------------------------------------------------------------------------------- writing */

static void add_verdict(struct text_buffer *out, const sinpos_claim_result *result)
{
    buffer_format(out, "<span class=\"%s verdict\">%s</span>", verdict_class(result),
                  sinpos_verdict_name(result->verdict));
}

static void add_claim_head(struct text_buffer *out, const sinpos_claim *claim)
{
    buffer_format(out, "<tr><th scope=\"row\" class=\"claim\">%s%s<span class=\"sub\">%s</span></th>",
                  ESCAPED(claim->id), claim->must_hold ? "\u00A0*" : "", ESCAPED(claim->statement));
}

/* The measured number, and below it what it is compared with. */
static void add_numbers(struct text_buffer *out, const sinpos_claim_result *result)
{
    buffer_text(out, NUMBER(result->value, 3));
    if (!isnan(result->threshold)) {
        buffer_format(out, "<span class=\"sub\">%s%s</span>", NUMBER(result->threshold, 3),
                      result->origin == SINPOS_THRESHOLD_CHOSEN ? " chosen" : "");
    }
}

static void add_alone(struct report *report, const struct judged *judged)
{
    struct text_buffer *out = &report->body;
    for (size_t i = 0; i < judged->n_claims; i++) {
        const sinpos_claim_result *result = result_of(judged, 0, i);
        add_claim_head(out, result->claim);
        buffer_text(out, "<td>");
        add_verdict(out, result);
        buffer_text(out, "</td><td class=\"n\">");
        add_numbers(out, result);
        buffer_format(out, "</td><td class=\"why\">%s</td></tr>\n", ESCAPED(result->why));
    }
}

static void add_compared(struct report *report, const struct judged *judged)
{
    struct text_buffer *out = &report->body;
    buffer_text(out, "<thead><tr><th scope=\"col\">claim</th>");
    for (size_t i = 0; i < report->n; i++)
        buffer_format(out, "<th scope=\"col\">%s</th>", LETTER(report, i));
    buffer_text(out, "</tr></thead>\n<tbody>\n");
    for (size_t j = 0; j < judged->n_claims; j++) {
        add_claim_head(out, result_of(judged, 0, j)->claim);
        for (size_t i = 0; i < report->n; i++) {
            const sinpos_claim_result *result = result_of(judged, i, j);
            buffer_text(out, "<td>");
            add_verdict(out, result);
            buffer_format(out, "<span class=\"sub\">%s</span></td>",
                          isnan(result->value) ? ESCAPED(result->why) : NUMBER(result->value, 3));
        }
        buffer_text(out, "</tr>\n");
    }
}

/* Folded away: for those who doubt. */
static void add_explanations(struct report *report, const struct judged *judged)
{
    struct text_buffer *out = &report->body;
    buffer_text(out, "<details>\n<summary>What is measured, and the mathematics of each claim</summary>\n<dl "
                     "class=\"prose\">\n");
    for (size_t j = 0; j < judged->n_claims; j++) {
        const sinpos_claim *claim = result_of(judged, 0, j)->claim;
        buffer_format(out, "<dt>%s</dt>\n<dd><span class=\"note\">Measured: %s.</span> ", ESCAPED(claim->id),
                      ESCAPED(claim->measure));
        html_text(out, claim->explain);
        buffer_text(out, "</dd>\n");
    }
    buffer_text(out, "</dl>\n</details>\n");
}

static void add_reasons(struct report *report, const struct judged *judged)
{
    struct text_buffer *out = &report->body;
    size_t n = 0;
    for (size_t i = 0; i < report->n; i++) {
        for (size_t j = 0; j < judged->n_claims; j++) {
            const sinpos_claim_result *result = result_of(judged, i, j);
            if (result->verdict != SINPOS_DOES_NOT_HOLD || !result->claim->must_hold)
                continue;
            buffer_text(out, n++ == 0 ? "<p>What must hold and does not:</p>\n<ul class=\"plain\">\n" : "");
            buffer_format(out, "<li>%s%s: %s.</li>\n", LETTER(report, i), ESCAPED(result->claim->id),
                          ESCAPED(result->why));
        }
    }
    buffer_text(out, n > 0 ? "</ul>\n" : "");
}

static void add_fact(struct report *report, const struct judged *judged)
{
    struct report_fact *fact = report_fact(report, "claims_that_must_hold", "Claims that must hold");
    struct report_fact *all = report_fact(report, "claims_that_hold", "Claims that hold without condition");
    fact->is_verdict = true;
    for (size_t i = 0; i < report->n; i++) {
        if (judged->failed[i] == 0)
            fact_set(fact, i, 1, "all %zu do", judged->n_must);
        else
            fact_set(fact, i, 0, "%zu of %zu do not", judged->failed[i], judged->n_must);
        fact_set(all, i, (double)judged->held[i], "%zu of %zu", judged->held[i], judged->n_claims);
    }
}

void section_claims(struct report *report)
{
    static const struct html_column columns[] = {{"claim", NULL, false},
                                                 {"verdict", NULL, false},
                                                 {"measured", "threshold", true},
                                                 {"why", NULL, false},
                                                 {NULL, NULL, false}};
    struct judged judged = {.n_claims = 0};
    for (; judged.n_claims < CLAIMS_MOST && sinpos_claim_at(judged.n_claims) != NULL; judged.n_claims++)
        judged.n_must += (size_t)sinpos_claim_at(judged.n_claims)->must_hold;
    judged.results = memory_take(report->n * judged.n_claims, sizeof *judged.results);
    judge(report, &judged);
    report_table_begin(report, report->n == 1 ? "Claims" : "Claims compared", report->n == 1 ? columns : NULL,
                       "What is claimed of sinusoidal encodings, decided by the %s rows. An encoding of which a "
                       "claim with * is false is broken, or not the one that was stated. A threshold that is chosen "
                       "decides a vague claim; another may change the verdict (sinpos check --threshold).",
                       sinpos_element_name((sinpos_element)report->type));
    if (report->n == 1)
        add_alone(report, &judged);
    else
        add_compared(report, &judged);
    html_table_end(&report->body);
    add_reasons(report, &judged);
    report_commands(report, "check", "%s%s%s", buffer_string(&report->positions),
                    report->options->given[OPTION_TYPE] != NULL ? " --type " : "",
                    report->options->given[OPTION_TYPE] != NULL ? report->options->given[OPTION_TYPE] : "");
    add_explanations(report, &judged);
    add_fact(report, &judged);
    free(judged.results);
}
