/* section_exactness.c - the hash that every machine must get. */
#include <stdlib.h>

#include "array_pieces.h"
#include "report.h"

/* More elements than this take longer to hash than a reader wants to wait. */
static const size_t elements_most = (size_t)1 << 27;

const struct report_type report_types[N_TYPES] = {
    {SINPOS_F64, "float64", "f64", "2<sup>\u221254</sup>"},
    {SINPOS_F32, "float32", "f32", "2<sup>\u221225</sup>"},
    {SINPOS_F16, "float16", "f16", "2<sup>\u221212</sup>"},
    {SINPOS_BF16, "bfloat16", "bf16", "2<sup>\u22129</sup>"},
};

static sinpos_status hash_rows(const struct report *report, const struct report_encoding *own, sinpos_type type,
                               char text[SHA256_TEXT_BYTES])
{
    const size_t dim = own->encoding.dim, bytes = sinpos_type_bytes(type);
    const size_t n_piece = rows_per_piece(dim * bytes, report->length);
    struct sha256 hash;
    OWNED void *data = pieces_allocate(n_piece * dim * bytes);
    sinpos_status status = SINPOS_OK;
    sha256_begin(&hash);
    for (size_t row = 0; row < report->length && status == SINPOS_OK; row += n_piece) {
        const size_t n = report->length - row < n_piece ? report->length - row : n_piece;
        const sinpos_rows rows = {.struct_size = sizeof rows, .n = n, .first = report->first + (int64_t)row};
        status = sinpos_run(own->encoding.plan, SINPOS_FILL, &rows, type, data, dim, report->threads);
        if (status == SINPOS_OK)
            sha256_add_elements(&hash, data, n * dim, bytes);
    }
    if (status == SINPOS_OK)
        sha256_end(&hash, text);
    return status;
}

static void hash_all(struct report *report, struct report_encoding *own, double done, double share)
{
    for (size_t i = 0; i < N_TYPES; i++) {
        const sinpos_status status = hash_rows(report, own, report_types[i].type, own->hash[i]);
        if (status != SINPOS_OK && status != SINPOS_E_OVERFLOW)
            fail_status(status);
        progress_reach(done + share * (double)(i + 1) / N_TYPES);
    }
}

static void add_hash(struct report *report, size_t encoding, size_t type)
{
    char amount[AMOUNT_BYTES];
    struct text_buffer *out = &report->body;
    const struct report_encoding *own = &report->encodings[encoding];
    const double bytes =
        (double)report->length * (double)own->encoding.dim * (double)sinpos_type_bytes(report_types[type].type);
    buffer_format(out,
                  "<tr><th scope=\"row\" class=\"k\">%s%s</th><td class=\"n\">%s</td><td class=\"n\">%s</td>"
                  "<td class=\"hash\">%s</td></tr>\n",
                  LETTER(report, encoding), report_types[type].name, amount_text(amount, bytes),
                  report_types[type].half_ulp,
                  own->hash[type][0] != '\0' ? own->hash[type] : "the amplitude does not fit this type");
}

static void add_table(struct report *report)
{
    static const struct html_column columns[] = {{"type", NULL, false},
                                                 {"size", NULL, true},
                                                 {"error", NULL, true},
                                                 {"SHA-256", NULL, false},
                                                 {NULL, NULL, false}};
    report_table_begin(report, "Hashes", columns,
                       "SHA-256 of the elements, little-endian and row by row, without any header. "
                       "An element just below 1 is within the error given, half a unit in the last "
                       "place; smaller ones are nearer.");
    for (size_t i = 0; i < report->n; i++)
        for (size_t type = 0; type < N_TYPES; type++)
            add_hash(report, i, type);
    html_table_end(&report->body);
}

static void add_facts(struct report *report)
{
    for (size_t type = 0; type < N_TYPES; type++) {
        if (report_types[type].type == report->type) {
            struct report_fact *fact = report_fact(report, "sha256", "SHA-256 of the table");
            for (size_t i = 0; i < report->n; i++)
                fact_set(fact, i, NAN, "%s", report->encodings[i].hash[type]);
        }
    }
}

void section_exactness(struct report *report)
{
    struct text_buffer *out = &report->body;
    size_t most = 0;
    for (size_t i = 0; i < report->n; i++)
        most = report->encodings[i].encoding.dim > most ? report->encodings[i].encoding.dim : most;
    buffer_text(out, "<p>Every element is the real number of the definition, rounded once to the nearest number of its "
                     "type. So there is one right table, and one hash of it, on every machine.</p>\n");
    if (report->length > elements_most / most) {
        buffer_text(out, "<p>The table is too large to be hashed for a page; this command prints its hash:</p>\n");
    } else {
        for (size_t i = 0; i < report->n; i++)
            hash_all(report, &report->encodings[i], (double)i / (double)report->n, 1 / (double)report->n);
        add_table(report);
        add_facts(report);
    }
    for (size_t type = 0; type < N_TYPES; type++) {
        if (report_types[type].type == report->type) {
            report_commands(report, "table", "%s --type %s --hash", buffer_string(&report->positions),
                            report_types[type].option);
        }
    }
}
