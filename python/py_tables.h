/* py_tables.h - arrays of Python as tables that the second library reads. */
#pragma once

#include "py_analysis.h"

/* Rows are read all along, by the calling thread, so this is where signals are handled. */
typedef struct watched_table {
    sinpos_table table;
    size_t shape[MOST_DIMS];
    const char *data;
    size_t row_bytes;
    watch *watch;
    double asked; /* when signals were handled last */
} watched_table;

/* The table, which lives as long as `watched` and the array. */
const sinpos_table *watched_table_of(watched_table *watched, const array *a, watch *w);
