/* Long work in pieces, so that Ctrl-C is checked between them. */
#include "py_core.h"

#include <time.h>

#define FIRST_ELEMENTS ((size_t)1 << 20) /* a few milliseconds */
#define MOST_ELEMENTS ((size_t)1 << 24)  /* memory that is touched first can be ten times as slow as the piece before */
#define MOST_GROWTH 8

double monotonic_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static size_t rows_of(size_t elements, size_t row_elements)
{
    return elements / (row_elements + 1) + 1;
}

size_t first_piece(size_t row_elements)
{
    return rows_of(FIRST_ELEMENTS, row_elements);
}

/* Rows of the next piece, where n of them took so long. */
static size_t next_piece(size_t n, double took, size_t row_elements)
{
    const double factor = SECONDS_OF_PIECE / (took + 1e-9);
    const double wanted = (double)n * (factor > MOST_GROWTH ? MOST_GROWTH : factor);
    const size_t most = rows_of(MOST_ELEMENTS, row_elements);
    return wanted < 1 ? 1 : wanted > (double)most ? most : (size_t)wanted;
}

sinpos_status run_pieces(piece_work *work, void *context, size_t n, size_t row_elements)
{
    size_t piece = first_piece(row_elements);
    PyThreadState *held = PyEval_SaveThread();
    sinpos_status status = SINPOS_OK;
    for (size_t done = 0; status == SINPOS_OK && done < n;) {
        const size_t now = n - done < piece ? n - done : piece;
        const double began = monotonic_seconds();
        status = work(context, done, now);
        done += now;
        if (status != SINPOS_OK || done == n)
            break;
        piece = next_piece(now, monotonic_seconds() - began, row_elements);
        PyEval_RestoreThread(held);
        status = PyErr_CheckSignals() == 0 ? SINPOS_OK : SINPOS_E_STOPPED;
        held = PyEval_SaveThread();
    }
    PyEval_RestoreThread(held);
    return status;
}
