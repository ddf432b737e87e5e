#include "separation.h"

#include <errno.h>
#include <stdlib.h>

#include "progress.h"

sinpos_collisions_options separation_options(const struct options *options)
{
    sinpos_collisions_options wanted = SINPOS_COLLISIONS_OPTIONS_INIT;
    const char *folder = options->given[OPTION_TEMPORARY], *usual = getenv("TMPDIR");
    wanted.method = options->method;
    wanted.n_threads = options->threads;
    wanted.memory_bytes = options->memory_bytes;
    wanted.folder = folder != NULL ? folder : usual != NULL && usual[0] != '\0' ? usual : wanted.folder;
    wanted.progress = progress_watch;
    return wanted;
}

noreturn void fail_separation(sinpos_status status, const char *folder)
{
    if (status == SINPOS_E_FILE)
        fail_errno(folder, errno, "name a folder with room as --temporary, or raise --memory: 16 bytes a position");
    if (status == SINPOS_E_MEMORY) {
        fail(EXIT_FILE, "give a smaller --memory, such as 100M: what does not fit goes to --temporary", "memory",
             "not enough of it");
    }
    if (status == SINPOS_E_UNSUPPORTED) {
        fail(EXIT_USAGE, "ask for a shorter --length, for even columns, or --odd zero", "--length",
             "too many pairs: with a column missing, distances depend on both positions");
    }
    fail_status(status);
}

void near_record(struct record *found, const sinpos_near *near)
{
    record_real(found, near->distance);
    record_word(found, (uint64_t)near->offset);
    record_word(found, (uint64_t)near->earlier);
    record_word(found, (uint64_t)near->later);
}

sinpos_near near_of_record(struct record *found)
{
    sinpos_near near = {.distance = record_next_real(found)};
    near.offset = (int64_t)record_next_word(found);
    near.earlier = (int64_t)record_next_word(found);
    near.later = (int64_t)record_next_word(found);
    return near;
}
