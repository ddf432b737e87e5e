/* A command, by the first byte, and its words, one a line: they are parsed, and those of table make an encoding. */
#define _DEFAULT_SOURCE
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fuzz.h"
#include "fuzz_request.h"
#include "temporary.h"

enum { MOST_WORDS = 40, MOST_TEXT = 2000 };

static const struct command *const commands[] = {
    &table_command,   &add_command,   &rotate_command, &audit_command,    &identify_command,    &diff_command,
    &convert_command, &check_command, &base_command,   &separate_command, &kernel_command,      &distance_command,
    &shift_command,   &plot_command,  &report_command, &advise_command,   &conventions_command, &structure_command};

/* Nothing is read but what stands in the words. */
static void leave_files(void)
{
    char folder[TEMPORARY_SIZE];
    if (mkdtemp(temporary_name(folder, "")) == NULL || chdir(folder) != 0 || rmdir(folder) != 0)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static bool is_prepared;
    static char text[MOST_TEXT + 1], **exact; /* as long as there are words: nothing may be written behind the last */
    char *words[MOST_WORDS];
    int n = 0;
    if (!is_prepared)
        leave_files();
    is_prepared = true;
    if (size == 0 || size > MOST_TEXT || memchr(data + 1, '/', size - 1) != NULL)
        return 0;
    memcpy(text, data + 1, size - 1);
    text[size - 1] = '\0';
    for (char *word = text; word != NULL && n < MOST_WORDS; n++) {
        words[n] = strsep(&word, "\n");
        if (strcmp(words[n], "-") == 0)
            return 0; /* standard input is not there to be read */
    }
    free(exact);
    exact = malloc((size_t)n * sizeof *exact);
    if (exact == NULL)
        abort();
    memcpy(exact, words, (size_t)n * sizeof *exact);
    take_options(commands[(data[0] + 256u - '0') % (sizeof commands / sizeof *commands)], n, exact);
    return 0;
}
