/* Every function of libsinpos-analysis in each of the caller's modes [P6]: a case for each exported symbol. */
#include <stdio.h>
#include <string.h>

#include "analysis_calls.h"
#include "cases.h"
#include "modes.h"

enum { MOST_SYMBOLS = 200 };

static char symbols[MOST_SYMBOLS][80];
static struct CMUnitTest cases[MOST_SYMBOLS];

/* Does a list of words hold this one? */
static bool has_word(const char *list, const char *word)
{
    const size_t n = strlen(word);
    for (const char *at = list; (at = strstr(at, word)) != NULL; at += n)
        if ((at == list || at[-1] == ' ') && (at[n] == ' ' || at[n] == '\0'))
            return true;
    return false;
}

static void check_call(const analysis_call *c)
{
    static unsigned char want[ANALYSIS_OUT], got[ANALYSIS_OUT];
    memset(want, 0, sizeof want);
    const sinpos_status status = c->call(want);
    if (c->needs_flint && status == SINPOS_E_UNSUPPORTED)
        skip();
    assert_int_equal(status, SINPOS_OK);
    for (unsigned m = 0; m < N_MODES; m++) {
        mode_kept kept;
        memset(got, 0, sizeof got);
        mode_set(m, &kept);
        const sinpos_status again = c->call(got);
        const bool same = mode_end(&kept);
        assert_or_say(again == status && memcmp(got, want, sizeof got) == 0, "%s: other bytes %s", c->name,
                      mode_name(m));
        assert_or_say(same, "%s: leaves another mode than %s", c->name, mode_name(m));
    }
}

static void same_in_every_mode(void **state)
{
    const char *symbol = *state;
    size_t n = 0;
    for (size_t k = 0; k < n_analysis_calls; k++) {
        if (has_word(analysis_calls[k].functions, symbol + strlen("modes sinpos_"))) {
            check_call(&analysis_calls[k]);
            n++;
        }
    }
    assert_or_say(n > 0, "no call of %s", symbol);
}

/* every_analysis SYMBOLS: the list of what the library exports. */
int main(int argc, char **argv)
{
    char line[60];
    size_t n = 0;
    FILE *list = fopen(argc > 1 ? argv[1] : "tests/api/symbols_analysis.txt", "r");
    while (list != NULL && n < MOST_SYMBOLS && fgets(line, sizeof line, list) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        if (strncmp(line, "sinpos_", 7) != 0)
            continue;
        (void)snprintf(symbols[n], sizeof symbols[n], "modes %s", line);
        cases[n] = (struct CMUnitTest){symbols[n], same_in_every_mode, case_begin, case_end, symbols[n]};
        n++;
    }
    if (list == NULL || n == 0)
        return 1;
    (void)fclose(list);
    return cases_run("every_analysis", cases, n, analysis_calls_set_up, analysis_calls_tear_down);
}
