/* audit.h - an audit of one array, and where its elements belong. */
#pragma once

#include "difference.h"
#include "input_array.h"

#define N_RANGES 10

/* One element that is worth showing. */
struct place {
    bool is_set;
    size_t block, row, column;
    uint64_t ulp;
    double abs_error;
    unsigned char got[8], want[8];
};

/* What was found in some rows of an array. */
struct tally {
    struct difference total;
    struct difference ranges[N_RANGES]; /* by position */
    struct difference *columns;         /* (n_channels) */
    struct place first, worst;
};

struct audit {
    const struct options *options;
    struct input_array input; /* its reader is NULL while another array is looked at */
    sinpos_array array;       /* the input's */
    sinpos_type type;         /* of the elements; the input may keep them in a wider one */
    struct encoding
        encoding;       /* its positions are those of the rows; of a convention maybe no more than their numbers */
    bool has_positions; /* positions are more than numbers of rows */
    size_t n_positions, n_channels;
    struct channel {
        double theta; /* NaN: not known */
        size_t axis;
        bool is_sin;
    } * channels; /* (n_channels) what each column holds; NULL: not known */
    struct scale scale;
    struct tally tally;
    size_t n_ranges;
    size_t n_piece, n_block, n_blocks; /* rows of a piece and of a block of the job; blocks */
};

/* Which position an element of a block belongs to. */
static inline size_t audit_position(const struct audit *audit, size_t row, size_t column)
{
    return audit->encoding.info.is_channel_first ? column : row % audit->n_positions;
}

/* Which of the ranges a position is in. */
static inline size_t audit_range_of(const struct audit *audit, size_t position)
{
    return (size_t)((double)position * (double)audit->n_ranges / (double)audit->n_positions);
}

/* Range k of positions begins there. */
static inline size_t audit_range_begin(const struct audit *audit, size_t range)
{
    size_t position = (size_t)((double)range * (double)audit->n_positions / (double)audit->n_ranges);
    while (position > 0 && audit_range_of(audit, position - 1) >= range)
        position--;
    while (position < audit->n_positions && audit_range_of(audit, position) < range)
        position++;
    return position;
}
