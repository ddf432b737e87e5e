/* request_text.h - what a command was asked for, as lines that a journal keeps: all that its output depends on. */
#pragma once

#include "options.h"

/* Lines, each ended by a line break; control characters and backslashes of values are \xHH. */
struct request_text {
    char *text; /* not ended by a zero */
    size_t n, room;
};

void request_add(struct request_text *request, const char *bytes, size_t n);
void request_line(struct request_text *request, const char *kind, const char *value);

/* Command, version, and each option that the bytes depend on, as it was typed. */
void request_options(struct request_text *request, const struct options *options);
/* Checksums of the files that request_note() was given. */
void request_files(struct request_text *request);
/* Name, size and time of change of a large file, or of the files of a model. */
void request_input(struct request_text *request, const char *path);

/* What a small file held that an option names. */
void request_note(const void *bytes, size_t n);
