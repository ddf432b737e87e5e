#include "nearest_convention.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "sinpos_conventions.h"
#include "spelling.h"
#include "words.h"

/* Words for families of conventions, and what is most likely meant. */
static const char *const families[][2] = {
    {"llama llama2", "hf_llama (columns j and j + d/2 pair, as in Transformers) or llama_reference_rope (2j and 2j + 1 "
                     "pair, as in Meta's code)"},
    {"llama3", "hf_rope with rope_type llama3, llama_reference_rope with use_scaled, or torchtune_llama3_scaled_rope"},
    {"yarn", "hf_rope with rope_type yarn and factor, or vllm_yarn with scaling_factor"},
    {"longrope", "hf_rope with rope_type longrope, short_factor and long_factor, or vllm_longrope"},
    {"ntk dynamicntk", "hf_rope with rope_type dynamic and factor, or vllm_dynamic_ntk with scaling_factor"},
    {"gptj", "hf_gptj_rope"},
    {"marian", "hf_marian (as in Transformers) or marian_nmt_cpp"},
    {"diffusers", "diffusers_timestep (time steps), diffusers_sinusoidal_pe (sequences) or diffusers_sincos_2d "
                  "(images)"},
    {"rope rotary", "hf_rope (columns j and j + d/2 pair, as in Transformers) or llama_reference_rope (2j and 2j + 1 "
                    "pair)"},
    {"sinusoidal sincos transformer original", "vaswani (the paper's) or tensor2tensor (sines first, then cosines)"},
};

enum { MOST_NAMES = 4, SHORTEST_PIECE = 3, WORD_BYTES = 64, LONGEST = 256 /* of what is compared with names */ };

/* The first n letters of word, in either case, first in text. */
static bool begins(const char *text, const char *word, size_t n)
{
    size_t i = 0;
    while (i < n && text[i] != '\0' && tolower((unsigned char)text[i]) == tolower((unsigned char)word[i]))
        i++;
    return i == n;
}

/* ... somewhere in text. */
static bool contains(const char *text, const char *word, size_t n)
{
    for (; text != NULL && *text != '\0'; text++)
        if (begins(text, word, n))
            return true;
    return false;
}

/* How well letters fit: names and aliases count more than the summary. */
static size_t piece_score(const sinpos_convention *c, const char *piece, size_t n)
{
    const bool is_named =
        contains(sinpos_convention_name(c), piece, n) || contains(sinpos_convention_text(c, "aliases"), piece, n);
    return n < SHORTEST_PIECE ? 0 : is_named ? 2 * n : contains(sinpos_convention_text(c, "summary"), piece, n) ? n : 0;
}

/* All of the word, or else its parts between underscores, points and the like. */
static size_t score(const sinpos_convention *c, const char *word)
{
    const size_t whole = 2 * piece_score(c, word, strlen(word));
    size_t sum = 0;
    for (const char *at = word; whole == 0 && *at != '\0';) {
        size_t n = 0;
        while (isalnum((unsigned char)at[n]))
            n++;
        sum += piece_score(c, at, n);
        at += n + (at[n] != '\0');
    }
    return whole > 0 ? whole : sum;
}

/* The word of a list, with blanks between, that is nearer than *least; *least becomes how near. */
static bool nearer_word(const char *list, const char *word, size_t *least, char found[WORD_BYTES])
{
    bool any = false;
    for (const char *at = list == NULL ? "" : list; *at != '\0'; at += *at == ' ') {
        char own[WORD_BYTES];
        const size_t n = strcspn(at, " ");
        snprintf(own, sizeof own, "%.*s", (int)n, at);
        const size_t distance = n < WORD_BYTES ? spelling_distance(word, own) : *least;
        at += n;
        if (distance < *least) {
            *least = distance;
            memcpy(found, own, sizeof own);
            any = true;
        }
    }
    return any;
}

/* The name or alias that word may be a misspelling of; an alias with its name behind it. */
static bool misspelled(const char *word, char text[NEAREST_CONVENTIONS_BYTES])
{
    const size_t n = sinpos_conventions_count();
    size_t least = spelling_limit(word);
    char found[WORD_BYTES];
    bool any = false;
    for (size_t i = 0; i < n; i++) {
        if (nearer_word(sinpos_convention_name(sinpos_convention_at(i)), word, &least, found)) {
            any = true;
            snprintf(text, NEAREST_CONVENTIONS_BYTES, "%s", found);
        }
    }
    for (size_t i = 0; i < n; i++) {
        if (nearer_word(sinpos_convention_text(sinpos_convention_at(i), "aliases"), word, &least, found)) {
            any = true;
            snprintf(text, NEAREST_CONVENTIONS_BYTES, "%s (%.60s)", found,
                     sinpos_convention_name(sinpos_convention_find(found)));
        }
    }
    return any;
}

/* Is word all that stands between two underscores of some name? Then it is not a misspelling. */
static bool is_part_of_a_name(const char *word)
{
    const size_t length = strlen(word);
    for (size_t i = 0; i < sinpos_conventions_count(); i++) {
        const char *at = sinpos_convention_name(sinpos_convention_at(i));
        while (*at != '\0') {
            const size_t n = strcspn(at, "_");
            if (n == length && begins(at, word, n))
                return true;
            at += n + (at[n] == '_');
        }
    }
    return false;
}

/* word in small letters, without - and _. */
static void squeeze(const char *word, char text[WORD_BYTES])
{
    size_t n = 0;
    for (; *word != '\0' && n + 1 < WORD_BYTES; word++)
        if (*word != '-' && *word != '_' && *word != ' ')
            text[n++] = (char)tolower((unsigned char)*word);
    text[n] = '\0';
}

/* What a word for a family of conventions most likely means; NULL if it is none. */
static const char *of_family(const char *word)
{
    char squeezed[WORD_BYTES];
    squeeze(word, squeezed);
    for (size_t k = 0; squeezed[0] != '\0' && k < sizeof families / sizeof families[0]; k++)
        if (list_has_word(families[k][0], squeezed))
            return families[k][1];
    return NULL;
}

bool nearest_conventions(const char *word, char text[NEAREST_CONVENTIONS_BYTES])
{
    const char *best[MOST_NAMES];
    size_t n = 0, most = 1, used = 0;
    text[0] = '\0';
    if (strlen(word) > LONGEST)
        return false;
    if (of_family(word) != NULL) {
        snprintf(text, NEAREST_CONVENTIONS_BYTES, "%s", of_family(word));
        return true;
    }
    if (!is_part_of_a_name(word) && misspelled(word, text))
        return true;
    for (size_t i = 0; i < sinpos_conventions_count(); i++) {
        const size_t own = score(sinpos_convention_at(i), word);
        n = own > most ? 0 : n;
        most = own > most ? own : most;
        if (own == most && n < MOST_NAMES)
            best[n++] = sinpos_convention_name(sinpos_convention_at(i));
    }
    for (size_t k = 0; k < n && used < NEAREST_CONVENTIONS_BYTES; k++) {
        used += (size_t)snprintf(text + used, NEAREST_CONVENTIONS_BYTES - used, "%s%.60s",
                                 k == 0      ? ""
                                 : k + 1 < n ? ", "
                                             : " or ",
                                 best[k]);
    }
    return n > 0;
}
