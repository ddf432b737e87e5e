#include "spelling.h"

#include <string.h>

static size_t smallest(size_t a, size_t b, size_t c)
{
    const size_t ab = a < b ? a : b;
    return ab < c ? ab : c;
}

size_t spelling_distance(const char *a, const char *b)
{
    size_t rows[3][65];
    const size_t n = strlen(a), m = strlen(b);
    if (n > 63 || m > 63)
        return 99;
    for (size_t j = 0; j <= m; j++)
        rows[0][j] = j;
    for (size_t i = 1; i <= n; i++) {
        const size_t *above = rows[(i - 1) % 3];
        size_t *row = rows[i % 3];
        row[0] = i;
        for (size_t j = 1; j <= m; j++) {
            row[j] = smallest(above[j] + 1, row[j - 1] + 1, above[j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = smallest(row[j], rows[(i - 2) % 3][j - 2] + 1, row[j]);
        }
    }
    return rows[n % 3][m];
}

size_t spelling_limit(const char *word)
{
    const size_t n = strlen(word);
    return n < 4 ? smallest(n, n, 2) : n < 5 ? 2 : 3;
}

const char *nearest_name(const char *word, const char *(*name_at)(size_t i), size_t n)
{
    const char *best = NULL;
    size_t least = spelling_limit(word);
    for (size_t i = 0; i < n; i++) {
        const size_t distance = spelling_distance(word, name_at(i));
        if (distance < least) {
            least = distance;
            best = name_at(i);
        }
    }
    return best;
}
