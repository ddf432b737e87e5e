/* What a self-attention layer does when its inputs change places, without positions and with them. */
#include <float.h>
#include <math.h>

#include "attention.h"
#include "boundary.h"
#include "moments.h"

enum { MOST_ALL = 7, MOST_TOKENS = 256 };

static double largest_difference(const double *a, const double *b, size_t n)
{
    double most = 0;
    for (size_t i = 0; i < n; i++)
        most = fmax(most, fabs(a[i] - (b == NULL ? 0 : b[i])));
    return most;
}

static double largest(const double *a, size_t n)
{
    return largest_difference(a, NULL, n);
}

/* Place i of the sequence holds the token that was at place order[i]. */
typedef struct orders {
    size_t n;
    const uint32_t *tokens; /* NULL: all different */
    const size_t *only;     /* NULL: all orders */
    size_t *order;          /* (n) */
    size_t *inputs;         /* (n) */
    bool adds;              /* positions: the layer's inputs are the rows (token, place) */
} orders;

static void reverse(size_t *a, size_t n)
{
    for (size_t i = 0; i < n / 2; i++) {
        const size_t kept = a[i];
        a[i] = a[n - 1 - i];
        a[n - 1 - i] = kept;
    }
}

/* The next one in the order of the alphabet; false after the last. */
static bool next_order(size_t *order, size_t n)
{
    size_t i = n - 1, j = n - 1;
    while (i > 0 && order[i - 1] >= order[i])
        i--;
    if (i == 0)
        return false;
    while (order[j] <= order[i - 1])
        j--;
    const size_t kept = order[j];
    order[j] = order[i - 1];
    order[i - 1] = kept;
    reverse(order + i, n - i);
    return true;
}

static bool changes_tokens(const orders *o)
{
    for (size_t i = 0; i < o->n; i++)
        if (o->tokens == NULL ? o->order[i] != i : o->tokens[o->order[i]] != o->tokens[i])
            return true;
    return false;
}

static void run_order(const orders *o, const attention_layer *layer)
{
    for (size_t i = 0; i < o->n; i++)
        o->inputs[i] = o->adds ? o->order[i] * o->n + i : o->order[i];
    attention_run(layer, o->inputs);
}

/* Smallest and largest differences over the orders. */
typedef struct extremes {
    double equivariance[2], invariance[2];
    size_t n_orders;
    bool is_finite;
} extremes;

static void take_extremes(double both[2], double value)
{
    both[0] = fmin(both[0], value);
    both[1] = fmax(both[1], value);
}

static void compare(const orders *o, const attention_layer *first, const attention_layer *other, extremes *e)
{
    const size_t n = o->n, head = first->head;
    double moved = 0;
    for (size_t i = 0; i < n; i++)
        moved = fmax(moved, largest_difference(other->rows + i * head, first->rows + o->order[i] * head, head));
    const double equivariance = moved / largest(first->rows, n * head);
    const double invariance = largest_difference(other->pooled, first->pooled, head) / largest(first->pooled, head);
    for (size_t c = 0; c < head; c++)
        e->is_finite = e->is_finite && isfinite(first->pooled[c]) && isfinite(other->pooled[c]);
    take_extremes(e->equivariance, equivariance);
    take_extremes(e->invariance, invariance);
    e->n_orders++;
}

static extremes compare_all(const orders *o, const attention_layer *first, const attention_layer *other)
{
    extremes e = {{INFINITY, 0}, {INFINITY, 0}, 0, true};
    for (size_t i = 0; i < o->n; i++)
        o->order[i] = i;
    run_order(o, first);
    for (size_t i = 0; i < o->n && o->only != NULL; i++)
        o->order[i] = o->only[i];
    do {
        if (changes_tokens(o)) {
            run_order(o, other);
            compare(o, first, other, &e);
        }
    } while (o->only == NULL && next_order(o->order, o->n));
    return e;
}

/* All memory of one call. */
typedef struct room {
    double *tokens;    /* (n, dim) */
    double *sums;      /* (n, dim): one token at all places */
    double *projected; /* (n * n, 3 head) */
    attention_layer first, other;
    orders orders;
    blocks memory;
} room;

static attention_layer layer_make(room *r, size_t n, size_t head)
{
    return (attention_layer){.n = n,
                             .head = head,
                             .projected = r->projected,
                             .weights = blocks_take(&r->memory, n, sizeof(double)),
                             .rows = blocks_take(&r->memory, n * head, sizeof(double)),
                             .pooled = blocks_take(&r->memory, head, sizeof(double))};
}

static sinpos_status room_make(room *r, size_t n, size_t dim)
{
    const size_t head = attention_head(dim);
    r->tokens = blocks_take(&r->memory, n * dim, sizeof(double));
    r->sums = blocks_take(&r->memory, n * dim, sizeof(double));
    r->projected = blocks_take(&r->memory, n * n * 3 * head, sizeof(double));
    r->orders.order = blocks_take(&r->memory, n, sizeof(size_t));
    r->orders.inputs = blocks_take(&r->memory, n, sizeof(size_t));
    r->first = layer_make(r, n, head);
    r->other = layer_make(r, n, head);
    return blocks_status(&r->memory);
}

/* Projects every token at every place: row token * n + place. */
static void project_sums(room *r, const double *p, size_t dim, size_t ld_p, uint64_t seed)
{
    const size_t n = r->first.n;
    for (size_t a = 0; a < n; a++) {
        for (size_t i = 0; i < n; i++)
            for (size_t c = 0; c < dim; c++)
                r->sums[i * dim + c] = r->tokens[a * dim + c] + p[i * ld_p + c];
        attention_project(r->sums, n, dim, dim, seed, r->projected + a * n * 3 * r->first.head);
    }
}

static sinpos_status compare_layers(room *r, const double *p, size_t dim, size_t ld_p, uint64_t seed,
                                    sinpos_symmetry_result *result)
{
    const size_t n = r->first.n;
    attention_tokens(r->orders.tokens, n, dim, seed, r->tokens);
    attention_project(r->tokens, n, dim, dim, seed, r->projected);
    const extremes without = compare_all(&r->orders, &r->first, &r->other);
    project_sums(r, p, dim, ld_p, seed);
    r->orders.adds = true;
    const extremes with = compare_all(&r->orders, &r->first, &r->other);
    if (with.n_orders == 0 || !with.is_finite)
        return SINPOS_E_VALUE;
    *result = (sinpos_symmetry_result){
        without.equivariance[1], without.invariance[1], with.equivariance[1], with.invariance[1],
        with.equivariance[0],    with.invariance[0],    with.n_orders};
    return SINPOS_OK;
}

static sinpos_status check_order(const size_t *order, size_t n)
{
    unsigned char seen[MOST_TOKENS] = {0};
    for (size_t i = 0; i < n; i++) {
        if (order[i] >= n || seen[order[i]])
            return SINPOS_E_VALUE;
        seen[order[i]] = 1;
    }
    return SINPOS_OK;
}

static sinpos_status check(const double *p, size_t n, size_t dim, size_t ld_p, const size_t *order,
                           const sinpos_symmetry_result *result)
{
    if (p == NULL || result == NULL)
        return SINPOS_E_NULL;
    if (n < 2 || n > (order == NULL ? (size_t)MOST_ALL : (size_t)MOST_TOKENS) || dim == 0 || dim > SINPOS_MAX_DIM ||
        ld_p < dim || dim > SIZE_MAX / sizeof(double) / MOST_TOKENS / 4)
        return SINPOS_E_SHAPE;
    if (!rows_are_below(p, n, dim, ld_p, DBL_MAX))
        return SINPOS_E_VALUE;
    return order == NULL ? SINPOS_OK : check_order(order, n);
}

sinpos_status sinpos_symmetry(const double *p, size_t n, size_t dim, size_t ld_p, const uint32_t *tokens,
                              const size_t *order, uint64_t seed, sinpos_symmetry_result *result)
{
    BOUNDARY;
    room r = {.orders = {.n = n, .tokens = tokens, .only = order}};
    sinpos_status status = check(p, n, dim, ld_p, order, result);
    if (status != SINPOS_OK)
        return status;
    status = room_make(&r, n, dim);
    if (status == SINPOS_OK)
        status = compare_layers(&r, p, dim, ld_p, seed, result);
    blocks_free(&r.memory);
    return status;
}

/* the chef who had prepared the meal with great care served the dish to the guests */
static const uint32_t chef_tokens[] = {0, 1, 2, 3, 4, 0, 5, 6, 7, 8, 9, 0, 10, 11, 0, 12};
/* the chef served the dish to the guests who had prepared the meal with great care */
static const size_t chef_order[] = {0, 1, 10, 11, 12, 13, 14, 15, 2, 3, 4, 5, 6, 7, 8, 9};

size_t sinpos_symmetry_example(const uint32_t **tokens, const size_t **order)
{
    BOUNDARY;
    if (tokens != NULL)
        *tokens = chef_tokens;
    if (order != NULL)
        *order = chef_order;
    return sizeof chef_tokens / sizeof chef_tokens[0];
}
