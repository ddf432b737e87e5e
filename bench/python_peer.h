/* PyTorch and NumPy, in a child process that makes a table on request. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

struct python {
    pid_t pid;
    int requests;  /* socket to the child */
    FILE *replies; /* the same socket */
};

struct python_job {
    struct python *python;
    const char *lines; /* "torch", "torch_in_place", "numpy32", "numpy32_in_place", "torch_distances", "torch_rotate" */
    size_t rows, dim;
};

/* Starts an interpreter; false if no program has that name. */
bool python_start(struct python *python, const char *interpreter);

/* Makes it import a module; its version as text, or false if it is not there. */
bool python_import(struct python *python, const char *module, char *version, size_t version_size);

/* The `seconds` of a side: job is a struct python_job. */
double python_seconds(void *job);

/* The first rows of the table that the job's lines made last. */
bool python_rows(const struct python_job *job, size_t rows, float *out);

void python_stop(struct python *python);
