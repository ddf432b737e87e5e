/*
 * report.h - the page of sinpos report: one encoding, or several side by side.
 *
 * A page is a list of sections (page.c). Each is a function that computes what it shows, writes HTML, and may leave
 * facts for the summary on top of the page, for the terminal and for --json. A new section: a function here, a line
 * there.
 */
#pragma once

#include <math.h>

#include "catalogue.h"
#include "html.h"
#include "progress.h"
#include "request_encoding.h"
#include "sha256.h"
#include "sinpos_analysis.h"
#include "text_buffer.h"

enum { REPORT_ENCODINGS = 6, REPORT_FACTS = 24, REPORT_FILES = 64, FACT_TEXT = 160, FILE_NAME = 64, N_TYPES = 4 };

/* One of the encodings that the page is about. */
struct report_encoding {
    char letter[2];    /* "A"; "" where there is only one */
    const char *given; /* as the user wrote it in --compare; NULL where there is only one */
    char *parts;       /* the same, cut into its parts */
    struct options options;
    struct request request;
    struct encoding encoding;
    char words[FIGURE_TITLE];     /* "dim 512, base 10000" */
    struct text_buffer arguments; /* " --dim 64 --base 1000": what makes it, for a shell */
    double *theta;                /* (n_tones) radians per position */
    sinpos_tone *tones;
    size_t n_tones;
    char hash[N_TYPES][SHA256_TEXT_BYTES]; /* in the order of report_types; "" where there is none */
};

/* The element types, in the order of tables. */
extern const struct report_type {
    sinpos_type type;
    const char *name, *option, *half_ulp; /* half_ulp: HTML, of numbers just below 1 */
} report_types[N_TYPES];

/* One line of the summary: a number or words for each encoding. */
struct report_fact {
    const char *key;   /* of --json */
    const char *label; /* for people */
    bool is_verdict;   /* words that say good or bad */
    struct {
        char text[FACT_TEXT]; /* plain UTF-8 */
        double number;        /* NAN where the words are all there is */
    } value[REPORT_ENCODINGS];
};

/* A file beside the page. */
struct report_file {
    char name[FILE_NAME];
    struct text_buffer bytes;
};

struct report {
    const struct request *request;
    const struct options *options; /* the request's */
    struct report_encoding encodings[REPORT_ENCODINGS];
    size_t n;
    int64_t first; /* positions first .. first + length - 1 */
    size_t length, context, threads;
    sinpos_type type;
    struct text_buffer command;   /* that makes the page */
    struct text_buffer positions; /* " --length 8192": for commands about these positions */
    struct text_buffer body;      /* what sections write to */
    struct report_fact facts[REPORT_FACTS];
    size_t n_facts;
    struct report_file files[REPORT_FILES];
    size_t n_files;
    size_t n_figures, n_tables;
    bool is_first; /* no report was in the folder before */
};

/* Computes all and writes the page into page. */
void report_make(struct report *report, struct text_buffer *page);

/* The mark by which a page of this program is known, near its beginning. */
extern const char report_mark[];
/* The mark of the files beside it, likewise. */
extern const char report_file_mark[];

/* style.c: the style sheet, in lines that end with NULL. */
extern const char *const report_style[];

/* ------------------------------------------------------------------------------------------------ sections */

void section_definition(struct report *report);
void section_exactness(struct report *report);
void section_claims(struct report *report);
void section_rows(struct report *report);
void section_curves(struct report *report);
void section_separation(struct report *report);
void section_frequencies(struct report *report);
void section_bases(struct report *report);
void section_arithmetics(struct report *report);

/* --------------------------------------------------------------------------------------- tools of sections */

/* A fact with nothing in it yet; the last one is used again where there is no more room. */
struct report_fact *report_fact(struct report *report, const char *key, const char *label);
void fact_set(struct report_fact *fact, size_t encoding, double number, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* "Table 3. " in bold goes before what the caption says. columns: NULL where the caller adds the head. */
void report_table_begin(struct report *report, const char *label, const struct html_column *columns,
                        const char *caption, ...) __attribute__((format(printf, 4, 5)));
/* The letter of an encoding in its colour, with a blank; nothing where there is only one. */
enum { LETTER_TEXT = 60 };
const char *letter_text(char text[LETTER_TEXT], const struct report *report, size_t encoding);
#define LETTER(report, encoding) letter_text((char[LETTER_TEXT]){""}, report, encoding)

/* "sinpos COMMAND", the encoding's options and what is given after them, a line for each encoding. */
void report_commands(struct report *report, const char *command, const char *more, ...)
    __attribute__((format(printf, 3, 4)));
/* A parameter in the fewest digits that read back as the same double. */
const char *parameter_text(char text[NUMBER_TEXT], double number);
#define PARAMETER(number) parameter_text((char[NUMBER_TEXT]){""}, number)

/* A bar while the terminal waits. */
void report_stage(const struct report *report, const char *what);

/* A figure of the catalogue, how it is asked for here, and how several encodings share it. */
enum sharing { SHARE_EACH, SHARE_OVERLAY, SHARE_FIRST };
struct report_figure {
    const char *name;
    enum sharing sharing;
    size_t length;        /* 0: the catalogue's; no more than that of the report */
    bool is_from_zero;    /* its positions are 0 .. length - 1, whatever those of the report are */
    const char *offsets;  /* NULL: the catalogue's */
    size_t column;        /* of SHARE_OVERLAY */
    size_t dim_most;      /* 0: any */
    double smallest_base; /* that is good for the context, of the first encoding; 0: not known */
    /* NULL, or is shown the figure of each encoding before it is drawn, and may change it */
    void (*look)(void *context, size_t encoding, struct figure *figure);
    void *look_context;
};
/* Makes and adds it, with its numbers as a file; passes over what the catalogue lacks. */
void report_figure_add(struct report *report, const struct report_figure *wanted);
