/*
 * embed DIM OUT.npy TEXT...: word vectors learned from a text, one row for each word of it in reading order.
 *
 * Random indexing (Kanerva, Kristofersson, Holst 2000): every distinct word has a sparse random vector of -1, 0, 1, and
 * the vector of a word is the sum of those of its neighbours, brought to the length sqrt(DIM) that a trained one has.
 */
#include <ctype.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REACH = 4, NONZEROS = 8, MAX_WORDS = 1 << 16, LONGEST = 31, MAX_DIM = 4096 };

static char words[MAX_WORDS][LONGEST + 1]; /* in reading order */
static uint32_t first[MAX_WORDS];          /* where each of them was met first: its identity */
static size_t n_words;

static uint64_t hash(const char *word)
{
    uint64_t h = 14695981039346656037u;
    while (*word != '\0')
        h = (h ^ (unsigned char)*word++) * 1099511628211u;
    return h;
}

static void read_words(FILE *file)
{
    size_t length = 0;
    for (int c = 0; c != EOF && n_words < MAX_WORDS;) {
        c = fgetc(file);
        if (c != EOF && isalpha(c)) {
            words[n_words][length] = (char)tolower(c);
            length += length < LONGEST;
        } else if (length > 0) {
            words[n_words++][length] = '\0';
            length = 0;
        }
    }
}

static void find_first(void)
{
    static uint32_t slots[4 * MAX_WORDS]; /* index + 1 of the first occurrence */
    for (size_t t = 0; t < n_words; t++) {
        size_t slot = hash(words[t]) % (4 * MAX_WORDS);
        while (slots[slot] != 0 && strcmp(words[slots[slot] - 1], words[t]) != 0)
            slot = (slot + 1) % (4 * MAX_WORDS);
        if (slots[slot] == 0)
            slots[slot] = (uint32_t)t + 1;
        first[t] = slots[slot] - 1;
    }
}

/* sum += the random vector of a word; its places and signs come from the word alone. */
static void add_random(float *sum, size_t dim, const char *word)
{
    uint64_t state = hash(word);
    for (int i = 0; i < NONZEROS; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        sum[(state >> 33) % dim] += (state >> 32) & 1 ? 1.0f : -1.0f;
    }
}

static void learn(float *vectors, size_t dim)
{
    for (size_t t = 0; t < n_words; t++) {
        for (size_t u = t < REACH ? 0 : t - REACH; u <= t + REACH && u < n_words; u++)
            if (u != t)
                add_random(vectors + first[t] * dim, dim, words[u]);
    }
    for (size_t t = 0; t < n_words; t++) {
        float *vector = vectors + t * dim;
        if (first[t] != t) {
            memcpy(vector, vectors + first[t] * dim, dim * sizeof *vector);
            continue;
        }
        double squares = 0.0;
        for (size_t j = 0; j < dim; j++)
            squares += (double)vector[j] * vector[j];
        for (size_t j = 0; j < dim && squares > 0.0; j++)
            vector[j] = (float)(vector[j] * sqrt((double)dim / squares));
    }
}

static int write_npy(const char *name, const float *vectors, size_t dim)
{
    char header[118]; /* 128 with the ten bytes before it: data begins at a multiple of 64 */
    const int used = snprintf(header, sizeof header, "{'descr': '<f4', 'fortran_order': False, 'shape': (%zu, %zu), }",
                              n_words, dim);
    memset(header + used, ' ', sizeof header - (size_t)used);
    header[sizeof header - 1] = '\n';
    FILE *file = fopen(name, "wb");
    if (file == NULL)
        return -1;
    const int complete = fwrite("\x93NUMPY\x01\0\x76\0", 1, 10, file) == 10 &&
                         fwrite(header, 1, sizeof header, file) == sizeof header &&
                         fwrite(vectors, dim * sizeof *vectors, n_words, file) == n_words;
    return fclose(file) == 0 && complete ? 0 : -1;
}

int main(int argc, char **argv)
{
    const size_t dim = argc > 3 ? strtoul(argv[1], NULL, 10) : 0;
    if (dim < 1 || dim > MAX_DIM) {
        fprintf(stderr, "usage: embed DIM OUT.npy TEXT...    DIM: 1 to %d\n", MAX_DIM);
        return 2;
    }
    for (int i = 3; i < argc; i++) {
        FILE *file = fopen(argv[i], "r");
        if (file == NULL) {
            fprintf(stderr, "embed: %s cannot be read\n", argv[i]);
            return 3;
        }
        read_words(file);
        fclose(file);
    }
    find_first();

    size_t distinct = 0;
    for (size_t t = 0; t < n_words; t++)
        distinct += first[t] == t;
    float *vectors = calloc(n_words + 1, dim * sizeof *vectors);
    if (vectors == NULL) {
        fprintf(stderr, "embed: out of memory\n");
        return 3;
    }
    learn(vectors, dim);
    const int status = write_npy(argv[2], vectors, dim);
    free(vectors);
    if (status != 0) {
        fprintf(stderr, "embed: %s cannot be written\n", argv[2]);
        return 3;
    }
    printf("%zu words, %zu of them different, %zu columns\n", n_words, distinct, dim);
    return 0;
}
