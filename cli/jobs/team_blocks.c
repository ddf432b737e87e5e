/* team_blocks.c - the blocks of a job in one process, in a team of one whichever it is. */
#include "team.h"

void team_make_here(const struct job *job)
{
    RELEASED_BY(record_free) struct record state = {0};
    RELEASED_BY(record_free) struct record found = {0};
    size_t block;
    while (job->next(job->context, &block, &state)) {
        job->make(job->context, block, &state, &found);
        job->take(job->context, block, &found);
        record_clear(&state);
        record_clear(&found);
    }
}
