/*
 * The bytes that every machine must reproduce: SHA-256 of whole arrays (hashes.txt), and a few arrays in readable hex
 * (vectors.txt, whose values come from the oracle: see golden_oracle).  [P1]
 *
 *   golden_hashes FOLDER             check both files
 *   golden_hashes FOLDER --small     without the cases that are slow on emulated processors
 *   golden_hashes FOLDER --update    write hashes.txt again
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cases.h"
#include "tap.h"

static void *array_of(const golden_case *c)
{
    void *array = calloc(golden_size(c), type_size(c->type));
    if (array == NULL)
        exit(3);
    return array;
}

static bool find_hash(FILE *f, const char *name, char hex[65])
{
    char line[256], at[160];
    rewind(f);
    while (fgets(line, sizeof line, f))
        if (sscanf(line, "%64s %159s", hex, at) == 2 && strcmp(at, name) == 0)
            return true;
    return false;
}

static void check_case(FILE *f, const golden_case *c)
{
    char want[65] = "", got[65];
    void *array = array_of(c);
    const bool made = golden_make(c, array, 1);
    golden_hash(c, array, got);
    if (!find_hash(f, c->name, want))
        (void)tap_ok(false, "%s: hashes.txt has no such case", c->name);
    else
        (void)tap_none_wrong(!made || strcmp(want, got) != 0, 1, "%s: got %s, want %s, isa %s", c->name, got, want,
                             sinpos_isa());
    free(array);
}

static void update(FILE *f)
{
    golden_case c;
    fprintf(f, "# SHA-256 of the little-endian elements in row order. Written by golden_hashes --update, confirmed\n"
               "# element by element by golden_oracle. A change of any line is a major event: see CHANGELOG.md.\n");
    for (size_t i = 0; i < golden_count(); i++) {
        char hex[65];
        golden_get(i, &c);
        void *array = array_of(&c);
        if (!golden_make(&c, array, 1))
            exit(1);
        golden_hash(&c, array, hex);
        fprintf(f, "%s %s\n", hex, c.name);
        free(array);
    }
}

/* vectors.txt: lines of  CASE ROW HEX HEX ...  */
static bool check_vector(char *line)
{
    golden_case c;
    const char *name = strtok(line, " \n");
    const char *row_text = strtok(NULL, " \n");
    if (name == NULL || row_text == NULL)
        return false;
    const size_t row = strtoul(row_text, NULL, 10);
    for (size_t i = 0; i < golden_count(); i++) {
        golden_get(i, &c);
        if (strcmp(c.name, name) == 0)
            break;
    }
    if (strcmp(c.name, name) != 0 || row >= c.n)
        return false;
    void *array = array_of(&c);
    bool fine = golden_make(&c, array, 1);
    for (size_t j = 0; fine && j < c.spec.dim; j++) {
        const char *hex = strtok(NULL, " \n");
        const uint64_t got = load_bits(array, c.type, row * c.spec.dim + j);
        fine = hex != NULL && strtoull(hex, NULL, 16) == got;
        if (!fine)
            printf("# %s row %zu column %zu: got %" PRIx64 ", want %s\n", name, row, j, got, hex ? hex : "nothing");
    }
    free(array);
    return fine;
}

static void check_vectors(const char *path)
{
    static char line[65536];
    FILE *f = fopen(path, "r");
    unsigned good = 0, bad = 0;
    while (f != NULL && fgets(line, sizeof line, f)) {
        if (line[0] == '#')
            continue;
        if (check_vector(line))
            good++;
        else
            bad++;
    }
    if (f != NULL)
        fclose(f);
    (void)tap_none_wrong(good >= 20 ? bad : 1, good + bad, "vectors.txt: %u rows as written, %u not", good, bad);
}

int main(int argc, char **argv)
{
    char path[4096];
    if (argc < 2 || argc > 3) {
        fprintf(stderr, "golden_hashes FOLDER [--small | --update]\n");
        return 2;
    }
    const bool small = argc == 3 && strcmp(argv[2], "--small") == 0;
    (void)snprintf(path, sizeof path, "%s/hashes.txt", argv[1]);
    FILE *f = fopen(path, argc == 3 && !small ? "w" : "r");
    if (f == NULL) {
        perror(path);
        return 3;
    }
    if (argc == 3 && !small) {
        update(f);
        return fclose(f) == 0 ? 0 : 3;
    }
    for (size_t i = 0; i < golden_count(); i++) {
        golden_case c;
        golden_get(i, &c);
        if (!small || !c.large)
            check_case(f, &c);
    }
    fclose(f);
    (void)snprintf(path, sizeof path, "%s/vectors.txt", argv[1]);
    check_vectors(path);
    return tap_done();
}
