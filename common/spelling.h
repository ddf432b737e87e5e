/* spelling.h - which of the known words an unknown one may have meant. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Letters to insert, delete, change or swap with their neighbour; beyond the limit where a word has more than 63. */
size_t spelling_distance(const char *a, const char *b);
/* A misspelling of word lies nearer than this. */
size_t spelling_limit(const char *word);

/* Of the names, the one that word may be a misspelling of; NULL if none is near. */
const char *nearest_name(const char *word, const char *(*name_at)(size_t i), size_t n);
