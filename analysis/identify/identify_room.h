/* identify_room.h - what the elements of a table leave for changes of the numbers of a formula. */
#pragma once

#include "identify.h"

enum { ID_AMPLITUDE, ID_SCALE, ID_SLOPE, ID_START, ID_NUMBERS };

/* The room of an element: low <= sum of slope[j] change[j] <= high. */
typedef struct id_element {
    double slope[ID_NUMBERS], low, high;
} id_element;

/* An element that is off by so many usual halves is altered, and leaves no room. */
#define ID_ALTERED 8

typedef struct id_room {
    id_element *elements; /* (n) */
    double *distances;    /* (n) */
    size_t *pulling;      /* (n) */
    size_t n;
    double usual;  /* half a unit in the last place of the largest elements */
    unsigned free; /* set of the numbers that may change */
} id_room;

bool id_room_is_free(const id_room *room, int j);
/* How far an element is from the middle of its room, in usual halves: what is far is no rounding. */
double id_room_distance(const id_room *room, const id_element *e, const double *change);
/* Beyond this an element is altered: ID_ALTERED times what is usual after the change. */
double id_room_far(id_room *room, const double *change);
/* *change becomes that of weighted least squares over the elements that are not farther from it than `farthest`. */
void id_room_least_squares(const id_room *room, double farthest, double *change);
/* The inverse of what least squares solves: in its metric the elements pull in all directions alike. */
void id_room_metric(const id_room *room, double metric[ID_NUMBERS][ID_NUMBERS]);
/* How far one number may change alone. */
id_interval id_room_for(const id_room *room, int j);
/* Moves into the room of every element but altered ones, well inside it where there is so much. *change is 0 before. */
void id_room_move_inside(const id_room *room, double *change);
