/* Threads, progress and stop of long work. */
#include "crew.h"

crew crew_of(size_t n_threads, sinpos_progress *progress, void *context)
{
    return (crew){.n_threads = n_threads == 0 ? threads_available() : n_threads,
                  .progress = progress,
                  .context = context,
                  .begin = 0,
                  .span = 1};
}

crew crew_part(const crew *c, double begin, double span)
{
    crew part = *c;
    part.begin = c->begin + begin * c->span;
    part.span = span * c->span;
    return part;
}

sinpos_status crew_report(const crew *c, double done)
{
    if (c->progress == NULL)
        return SINPOS_OK;
    return c->progress(c->context, c->begin + c->span * (done < 1 ? done : 1)) == 0 ? SINPOS_OK : SINPOS_E_STOPPED;
}

size_t crew_share(const crew *c, size_t n, size_t grain)
{
    const size_t grains = n / grain + (n % grain != 0);
    const size_t each = grains / c->n_threads + (grains % c->n_threads != 0);
    return (each == 0 ? 1 : each) * grain;
}
