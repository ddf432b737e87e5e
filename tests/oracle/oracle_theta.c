/* sinpos_plan_theta() against the oracle: frequencies rounded once.  [P2] */
#include <stdlib.h>

#include "subject.h"
#include "tap.h"

int main(void)
{
    size_t checked = 0, wrong = 0;
    for (uint64_t k = 0; checked < 60000; k++) {
        random_state r = random_seed(31, k);
        subject s;
        subject_random(&s, &r);
        double *theta = calloc(s.n_tones + 1, sizeof *theta);
        size_t n = 0;
        if (subject_plan(&s) == SINPOS_OK && sinpos_plan_theta(s.plan, theta, s.n_tones, &n) == SINPOS_OK) {
            wrong += n != s.n_tones;
            for (size_t i = 0; i < n && i < s.n_tones; i++, checked++) {
                const double want = oracle_theta(subject_oracle(&s, i));
                if (memcmp(&theta[i], &want, sizeof want) == 0)
                    continue;
                if (wrong++ < 5) {
                    printf("# seed 31 case %llu tone %zu: got %a, want %a\n", (unsigned long long)k, i, theta[i], want);
                    print_tone(stdout, &s.tones[i]);
                }
            }
        }
        free(theta);
        subject_destroy(&s);
    }
    oracle_cleanup();
    (void)tap_none_wrong(wrong, checked, "%zu of %zu frequencies wrong", wrong, checked);
    return tap_done();
}
