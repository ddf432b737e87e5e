/* nearest_convention.h - what an unknown name of a convention may have meant. */
#pragma once

#include <stdbool.h>

#define NEAREST_CONVENTIONS_BYTES 280

/*
 * What word may have meant: of a family of conventions ("llama") those that are most likely; else the name or alias that it may be a
 * misspelling of, the alias as "a (name)"; else up to four whose names, aliases or summaries have most of its letters: "a, b or c". False
 * if there is none.
 */
bool nearest_conventions(const char *word, char text[NEAREST_CONVENTIONS_BYTES]);
