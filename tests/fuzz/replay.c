/* Replays the named inputs of a corpus folder, and grows a few thousand more from them by random changes. */
#define _DEFAULT_SOURCE
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "random.h"
#include "tap.h"

#define MOST_BYTES 65536

static size_t load(const char *folder, const char *name, uint8_t *data)
{
    char path[4096];
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "rb");
    const size_t n = f == NULL ? 0 : fread(data, 1, MOST_BYTES, f);
    if (f != NULL)
        fclose(f);
    return n;
}

/* The input is announced before it is tried, so that a crash has a name. */
static void try_changed(const uint8_t *data, size_t n, unsigned changes)
{
    static uint8_t changed[MOST_BYTES + 16];
    for (unsigned k = 0; k < changes; k++) {
        random_state r = random_seed(k, n);
        memcpy(changed, data, n);
        size_t size = n;
        if (random_chance(&r, 20) && n > 0)
            size = random_below(&r, n);
        for (size_t i = 1 + random_below(&r, 4); size > 0 && i > 0; i--)
            changed[random_below(&r, size)] = (uint8_t)random_u64(&r);
        (void)LLVMFuzzerTestOneInput(changed, size);
    }
}

int main(int argc, char **argv)
{
    static uint8_t data[MOST_BYTES];
    struct dirent **names;
    const unsigned changes = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : 0;
    const int n = argc > 1 ? scandir(argv[1], &names, NULL, alphasort) : -1;
    if (n < 0) {
        fprintf(stderr, "replay FOLDER [CHANGES]\n");
        return 2;
    }
    int inputs = 0;
    for (int i = 0; i < n; i++) {
        if (names[i]->d_name[0] != '.') {
            printf("# %s\n", names[i]->d_name);
            fflush(stdout);
            const size_t size = load(argv[1], names[i]->d_name, data);
            (void)LLVMFuzzerTestOneInput(data, size);
            try_changed(data, size, changes);
            inputs++;
        }
        free(names[i]);
    }
    free(names);
    (void)tap_ok(inputs > 0, "%d inputs, each with %u changes", inputs, changes);
    return tap_done();
}
