/* base_file.h - certificates about bases as JSON: finished ones, and the states of searches. */
#pragma once

#include "error_line.h"
#include "record.h"
#include "sinpos_analysis.h"

/* Certificates of one file. */
struct base_list {
    sinpos_base_certificate *at; /* (n) */
    size_t n, room;
};

/* A file of them, as text. One that goes on from the steps of the one before has only what follows. */
void base_file_text(struct record *text, const sinpos_base_certificate *certificates, size_t n);
/* All of a file; base_list_free() frees them. */
void base_file_load(const char *path, struct base_list *list);
void base_list_free(struct base_list *list);

/*
 * Makes the steps of a certificate begin with those of one for a context that is not longer, and the same tones: what fails
 * there fails here. Two that have it in common need one place.
 */
void base_go_on_from(sinpos_base_certificate *certificate, const sinpos_base_certificate *before);

/* A certificate as text, without its first steps; and from one text after another, each with the steps before it. */
void base_text_add(struct record *text, const sinpos_base_certificate *certificate, size_t n_steps_before);
bool base_text_take(struct record *text, sinpos_base_certificate *certificate);

const char *base_outcome_name(sinpos_base_outcome outcome);
