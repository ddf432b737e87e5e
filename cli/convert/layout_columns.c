#include "layout_columns.h"

#include <stdlib.h>
#include <string.h>

#include "no_memory.h"

struct words {
    int n_layouts, n_orders, n_others;
    bool is_halves, is_cos_first;
};

static bool is_word(const char *text, size_t length, const char *word)
{
    return strlen(word) == length && memcmp(text, word, length) == 0;
}

static struct words read_words(const char *name)
{
    struct words words = {.n_layouts = 0};
    for (const char *at = name; at != NULL;) {
        const char *comma = strchr(at, ',');
        const size_t length = comma == NULL ? strlen(at) : (size_t)(comma - at);
        if (is_word(at, length, "interleaved") || is_word(at, length, "halves")) {
            words.n_layouts++;
            words.is_halves = at[0] == 'h';
        } else if (is_word(at, length, "sin-cos") || is_word(at, length, "cos-sin")) {
            words.n_orders++;
            words.is_cos_first = at[0] == 'c';
        } else {
            words.n_others++;
        }
        at = comma == NULL ? NULL : comma + 1;
    }
    return words;
}

const char *columns_check(const char *name)
{
    const struct words words = read_words(name);
    const bool is_good = words.n_others == 0 && words.n_layouts <= 1 && words.n_orders <= 1;
    return is_good ? NULL : "must be interleaved or halves, with ,sin-cos or ,cos-sin after it, or a convention";
}

void columns_make(const char *name, size_t dim, sinpos_odd odd, struct column *columns)
{
    const struct words words = read_words(name);
    const enum component first = words.is_cos_first ? COMPONENT_COS : COMPONENT_SIN;
    const enum component second = words.is_cos_first ? COMPONENT_SIN : COMPONENT_COS;
    const size_t used = odd == SINPOS_ZERO ? dim / 2 * 2 : dim;
    const size_t n_first = (used + 1) / 2;
    for (size_t i = 0; i < dim; i++) {
        const bool is_first = words.is_halves ? i < n_first : i % 2 == 0;
        const size_t frequency = !words.is_halves ? i / 2 : is_first ? i : i - n_first;
        columns[i] =
            i < used ? (struct column){frequency, is_first ? first : second} : (struct column){0, COMPONENT_ZERO};
    }
}

/* A list of columns, to be sorted. */
struct place {
    struct column column;
    size_t i;
};

static int compare_places(const void *a, const void *b)
{
    const struct place *p = a;
    const struct place *q = b;
    if (p->column.frequency != q->column.frequency)
        return p->column.frequency < q->column.frequency ? -1 : 1;
    return (int)p->column.component - (int)q->column.component;
}

size_t columns_match(const struct column *from, const struct column *to, size_t dim, size_t *source)
{
    OWNED struct place *places = memory_take(dim, sizeof *places);
    size_t i = 0;
    for (size_t k = 0; k < dim; k++)
        places[k] = (struct place){from[k], k};
    qsort(places, dim, sizeof *places, compare_places);
    for (; i < dim; i++) {
        const struct place wanted = {to[i], 0};
        const struct place *found = bsearch(&wanted, places, dim, sizeof *places, compare_places);
        if (found == NULL)
            break;
        source[i] = found->i;
    }
    return i;
}
