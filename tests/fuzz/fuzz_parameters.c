/* A line with the name of a convention, and its parameters as a JSON file; after "positions" a file of positions. */
#include "fuzz.h"
#include "fuzz_reader.h"
#include "fuzz_request.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *end = size == 0 ? NULL : memchr(data, '\n', size);
    const size_t n = end == NULL ? 0 : (size_t)(end - data);
    char path[128], name[80], dim[] = "--dim=8", length[] = "--length=3", convention[] = "--convention";
    char parameters[] = "--parameters", positions[] = "--positions";
    if (n == 0 || n >= sizeof name)
        return 0;
    memcpy(name, data, n);
    name[n] = '\0';
    (void)strcpy(path, put_file(end + 1, size - n - 1, "input.json"));
    if (strcmp(name, "positions") == 0) {
        char *words[] = {dim, positions, path};
        take_options(&table_command, 3, words);
    } else {
        char *words[] = {convention, name, parameters, path, length};
        take_options(&table_command, 5, words);
    }
    return 0;
}
