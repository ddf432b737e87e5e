/* request_parameters.h - what a request says as parameters of its convention. */
#pragma once

#include "request.h"
#include "sinpos_conventions.h"

/* What an array or a command says where the options leave it open. */
struct known {
    size_t dim;       /* columns of an array; 0: there is none */
    size_t n_rows;    /* of one block of it; 0: not known */
    size_t sizes[3];  /* its dimensions before the columns, the last of them last; 0: there are fewer */
    bool forces_rows; /* n_rows also for a convention that has rows of its own, one after the other */
    size_t n_default; /* rows without an array; 0: a convention without rows of its own needs them stated */
    size_t sequence;  /* its length, where frequencies depend on it; 0: it ends behind the last row */
};

/* Fills the parameters; output: as --set output, or NULL. */
void request_parameters(sinpos_parameters *parameters, const struct request *request, const struct known *known,
                        const char *output);

/* Sizes of a grid that an array may give: 2 or 3; 0 where there is no such grid, or the options give it. */
size_t request_grid_axes(const struct request *request);

/* Has it a parameter for the length of the sequence that is not its number of rows? */
bool has_sequence(const sinpos_convention *convention);
