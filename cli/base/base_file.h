/* base_file.h - certificates about bases as JSON: finished ones, and the states of searches. */
#pragma once

#include <stdbool.h>

#include "error_line.h"
#include "record.h"
#include "sinpos_analysis.h"

/* A file of certificates, which are read one after another: two are in memory at most. */
struct base_file {
    const char *path;
    char *text;
    const char *at;
    bool is_list;
    size_t n, n_read;
    sinpos_base_certificate certificate; /* the last one read */
};

/* A file of them, as text. One that goes on from the steps of the one before has only what follows. */
void base_file_text(struct record *text, const sinpos_base_certificate *certificates, size_t n);
/* Reads all of it once, counts, and fails if it is no file of certificates; then base_file_next() begins with the first one. */
void base_file_open(struct base_file *file, const char *path);
/* False behind the last one. */
bool base_file_next(struct base_file *file);
void base_file_close(struct base_file *file);

/*
 * Makes the steps of a certificate begin with those of one for a context that is not longer, and the same tones: what fails
 * there fails here. Two that have it in common need one place.
 */
void base_go_on_from(sinpos_base_certificate *certificate, const sinpos_base_certificate *before);

/* A certificate as text, without its first steps; and from one text after another, each with the steps before it. */
void base_text_add(struct record *text, const sinpos_base_certificate *certificate, size_t n_steps_before);
bool base_text_take(struct record *text, sinpos_base_certificate *certificate);

const char *base_outcome_name(sinpos_base_outcome outcome);
