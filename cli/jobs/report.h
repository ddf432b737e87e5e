/* report.h - what is printed, kept back: to be the file of -o, or a part of a larger report. */
#pragma once

#include "options.h"
#include "record.h"

/* What standard output gets from here to capture_end() goes into text instead. They do not nest. */
void capture_begin(void);
void capture_end(struct record *text);

/*
 * Writes the file of -o, whole or not at all. With --resume the unfinished file is FILE.part, so that one that is killed leaves
 * no other.
 */
void report_write(const struct options *options, const void *bytes, size_t n);

/* A report goes to the file of -o, whole or not at all; without -o these two do nothing but see that it is out. */
void report_begin(const struct options *options);
void report_end(const struct options *options);
