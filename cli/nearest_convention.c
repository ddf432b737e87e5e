#include "nearest_convention.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "options.h"
#include "sinpos_conventions.h"

enum { MOST_NAMES = 4, SHORTEST_PIECE = 3 };

/* The first n letters of word, in either case, somewhere in text. */
static bool contains(const char *text, const char *word, size_t n)
{
    for (; text != NULL && *text != '\0'; text++) {
        size_t i = 0;
        while (i < n && text[i] != '\0' && tolower((unsigned char)text[i]) == tolower((unsigned char)word[i])) {
            i++;
        }
        if (i == n) {
            return true;
        }
    }
    return false;
}

/* How well letters fit: names and aliases count more than the summary. */
static size_t piece_score(const sinpos_convention *c, const char *piece, size_t n)
{
    const bool is_named = contains(c->name, piece, n) || contains(c->aliases, piece, n);
    return n < SHORTEST_PIECE ? 0 : is_named ? 2 * n : contains(c->summary, piece, n) ? n : 0;
}

/* All of the word, or else its parts between underscores, points and the like. */
static size_t score(const sinpos_convention *c, const char *word)
{
    const size_t whole = 2 * piece_score(c, word, strlen(word));
    size_t sum = 0;
    for (const char *at = word; whole == 0 && *at != '\0';) {
        size_t n = 0;
        while (isalnum((unsigned char)at[n])) {
            n++;
        }
        sum += piece_score(c, at, n);
        at += n + (at[n] != '\0');
    }
    return whole > 0 ? whole : sum;
}

static const char *name_at(size_t i)
{
    return sinpos_convention_at(i)->name;
}

bool nearest_conventions(const char *word, char text[NEAREST_CONVENTIONS_BYTES])
{
    const char *spelled = nearest_name(word, name_at, sinpos_conventions_count()), *best[MOST_NAMES];
    size_t n = 0, most = 1, used = 0;
    for (size_t i = 0; spelled == NULL && i < sinpos_conventions_count(); i++) {
        const size_t own = score(sinpos_convention_at(i), word);
        n = own > most ? 0 : n;
        most = own > most ? own : most;
        if (own == most && n < MOST_NAMES) {
            best[n++] = name_at(i);
        }
    }
    if (spelled != NULL) {
        best[n++] = spelled;
    }
    text[0] = '\0';
    for (size_t k = 0; k < n && used < NEAREST_CONVENTIONS_BYTES; k++) {
        used += (size_t)snprintf(text + used, NEAREST_CONVENTIONS_BYTES - used, "%s%.60s",
                                 k == 0      ? ""
                                 : k + 1 < n ? ", "
                                             : " or ",
                                 best[k]);
    }
    return n > 0;
}
