#include "erring.h"

#include <math.h>

kernel_error *sinpos_internal_kernel_error;
wide_interval *sinpos_internal_wide_interval;

static erring *current;

static bool same_position(position a, position b)
{
    if (a.is_real != b.is_real)
        return false;
    return a.is_real ? a.real == b.real : a.integer == b.integer;
}

/* x + error as a double no further from x than that. */
static double within(const aim *a, double error)
{
    const double there = a->high + (a->low + error);
    return fabs((there - a->high) - a->low) > fabs(error) ? nextafter(there, a->high) : there;
}

static double within_float(const aim *a, double error)
{
    const float there = (float)(a->high + (a->low + error));
    const bool beyond = fabs(((double)there - a->high) - a->low) > fabs(error);
    return (double)(beyond ? nextafterf(there, (float)a->high) : there);
}

/* The middle of an interval of which the lower end is a float, at most |error| from where it would be without any. */
static double within_end(const aim *a, double error, double e)
{
    const double end = a->high - e;
    const float there = (float)(end + error);
    const bool beyond = fabs((double)there - end) > fabs(error);
    return (double)(beyond ? nextafterf(there, (float)end) : there) + e;
}

static double own_error(const kernel_result *r, const aim *a)
{
    return (r->value - a->high) + ((r->low == NULL ? 0 : *r->low) - a->low);
}

static double err(const kernel_result *r)
{
    if (r->plan != current->plan || !same_position(r->p, current->p))
        return r->value;
    const aim *a = &current->aims[r->plan->tone_of[r->padded]];
    const double most = a->bound[r->place], error = current->share * most;
    if (most == 0 || a->cosine != r->cosine)
        return r->value;
    current->met[r->place]++;
    current->beyond[r->place] += !(fabs(own_error(r, a)) <= most);
    /* pairs in double are judged by the bounds of their factors, to which turning adds a quarter */
    const double judged = r->place == ERROR_TURNED ? 1.25 * r->bound : r->bound;
    current->below[r->place] += !(judged >= most * (1 - 0x1p-22));
    if (error == 0)
        return r->value;
    if (r->low != NULL) {
        *r->low = (a->high - r->value) + (a->low + error);
        return r->value;
    }
    if (r->place == ERROR_ROTATED_FLOATS || r->place == ERROR_DIRECT_FLOATS)
        return within_end(a, error, r->bound);
    return r->place == ERROR_TURNED_FLOATS ? within_float(a, error) : within(a, error);
}

void erring_set(erring *e)
{
    current = e;
    sinpos_internal_kernel_error = e == NULL ? NULL : err;
}

static double share_of_all;

static double err_by_share(const kernel_result *r)
{
    const double error = share_of_all * r->bound;
    if (r->low == NULL)
        return isfinite(r->bound) ? r->value + error : r->value;
    *r->low += isfinite(r->bound) ? error : 0;
    return r->value;
}

void erring_everywhere(double share)
{
    share_of_all = share;
    sinpos_internal_kernel_error = share == 0 ? NULL : err_by_share;
}
