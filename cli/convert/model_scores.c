/*
 * model_scores.c - attention scores before and after, by example.
 *
 * Each layer sees two tokens with seeded random hidden vectors, x for the query and y for the key. Its score in a head
 * is (R_m W_q x)'(R_n W_k y) / sqrt(head), rotated by the old pairing with the old weights and by the new pairing with
 * the new ones. Both are the same sum in another order.
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "array_pieces.h"
#include "convert.h"
#include "no_memory.h"
#include "sinpos_analysis.h"

#define N_POSITIONS 4

static const double positions[N_POSITIONS][2] = {{1, 0}, {5, 12}, {2047, 300}, {100003, 7}};

/* splitmix64, a number in -1 .. 1. */
static double seeded(uint64_t seed, uint64_t i)
{
    uint64_t z = seed * 0xd1342543de82ef95U + (i + 1) * 0x9e3779b97f4a7c15U;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9U;
    z = (z ^ z >> 27) * 0x94d049bb133111ebU;
    z ^= z >> 31;
    return (double)(z >> 11) * 0x1p-52 - 1;
}

/* A row of a type that cannot be read stands in for itself by a number made of its bytes. */
static double stand_in(const unsigned char *row, size_t n_bytes)
{
    uint64_t hash = 0xcbf29ce484222325U;
    for (size_t i = 0; i < n_bytes; i++)
        hash = (hash ^ row[i]) * 0x100000001b3U;
    return seeded(hash, 0);
}

/* A row in double, times the vector; an element of a bias or a norm stands for itself. */
static double row_times(const struct moved_tensor *moved, sinpos_type type, const double *vector,
                        const unsigned char *row)
{
    double wide[256];
    const size_t size = sinpos_type_bytes(type), n = moved->row_bytes / size;
    double sum = 0;
    for (size_t at = 0; at < n; at += 256) {
        const size_t some = n - at < 256 ? n - at : 256;
        if (sinpos_widen(type, row + at * size, some, wide) != SINPOS_OK)
            return NAN;
        for (size_t k = 0; k < some; k++)
            sum += wide[k] * vector[at + k];
    }
    return moved->is_bias || moved->is_norm ? wide[0] : sum / sqrt((double)n);
}

void rows_times_seeded(const struct model_change *change, const struct moved_tensor *moved, bool is_key, size_t n,
                       const unsigned char *rows, double *values)
{
    OWNED double *vector = memory_take(moved->row_bytes, sizeof *vector); /* an element has a byte or more */
    const sinpos_tensor *tensor = sinpos_model_tensor(change->model, moved->tensor);
    const uint64_t seed = 2 * change->options->seed + is_key;
    for (size_t k = 0; k < moved->row_bytes; k++)
        vector[k] = seeded(seed, k);
    for (size_t i = 0; i < n; i++, rows += moved->row_bytes) {
        values[i] = is_float(tensor->array.element) ? row_times(moved, (sinpos_type)tensor->array.element, vector, rows)
                                                    : stand_in(rows, moved->row_bytes);
    }
}

/* ------------------------------------------------------------------------------------------------ layers */

/* Does the name of a tensor of k say the same as that of q, with the one letter changed? */
static bool is_counterpart(const char *query, const char *key)
{
    size_t n_changed = 0;
    for (; *query != '\0' && *key != '\0'; query++, key++)
        if (*query != *key)
            n_changed += *query == 'q' && *key == 'k' ? 1 : 2;
    return *query == *key && n_changed == 1;
}

/* Bytes of the name up to the last point but one: what belongs to one projection begins with them. */
static size_t stem(const char *name)
{
    const char *end = strrchr(name, '.');
    while (end != NULL && end > name && end[-1] != '.')
        end--;
    return end == NULL ? 0 : (size_t)(end - name);
}

static const char *name_of(const struct model_change *change, size_t i)
{
    return sinpos_model_tensor(change->model, change->moved[i].tensor)->name;
}

/* The bias or norm beside projection i, or NULL. */
static const struct moved_tensor *find_beside(const struct model_change *change, size_t i, bool is_norm)
{
    const char *name = name_of(change, i);
    const size_t length = stem(name);
    const char *last = strrchr(name, '.');
    for (size_t k = 0; k < change->n_moved; k++) {
        const struct moved_tensor *other = &change->moved[k];
        const char *candidate = name_of(change, k);
        const bool is_same = other->is_key == change->moved[i].is_key && other->is_norm == is_norm &&
                             (is_norm || other->is_bias) && strncmp(name, candidate, length) == 0 &&
                             stem(candidate) == length;
        const size_t up_to = last == NULL ? 0 : (size_t)(last - name) + 1;
        if (is_same && (is_norm || strncmp(name, candidate, up_to) == 0))
            return other;
    }
    return NULL;
}

/* One side of a layer: rows of q or of k, with bias and norm. */
struct side {
    const struct moved_tensor *weight, *bias, *norm;
};

/* The vector of all heads, by the old weights or by the new ones. */
static void make_vector(const struct model_change *change, const struct side *side, bool is_new, double *out)
{
    const size_t n = side->weight->n_rows;
    const double *weight = is_new ? side->weight->after : side->weight->before;
    const double *bias = side->bias == NULL ? NULL : is_new ? side->bias->after : side->bias->before;
    for (size_t r = 0; r < n; r++)
        out[r] = weight[r] + (bias == NULL ? 0 : bias[r]);
    if (side->norm == NULL)
        return;
    const double *factors = is_new ? side->norm->after : side->norm->before;
    const size_t each = side->norm->n_rows == n ? n : change->head_dim;
    for (size_t at = 0; at < n; at += each) {
        double squares = 0;
        for (size_t r = 0; r < each; r++)
            squares += out[at + r] * out[at + r];
        const double scale = 1 / sqrt(squares / (double)each + 1e-6);
        for (size_t r = 0; r < each; r++)
            out[at + r] *= scale * factors[(at + r) % side->norm->n_rows];
    }
}

/* Turns the first rotary_dim elements of each head in place. */
static void turn(const struct model_change *change, bool is_pair, double position, double *vector, size_t n_heads)
{
    const size_t half = change->rotary_dim / 2;
    for (size_t i = 0; i < half; i++) {
        const double angle = position * pow(change->base, -2.0 * (double)i / (double)change->rotary_dim);
        const double c = cos(angle), s = sin(angle);
        const size_t a = is_pair ? 2 * i : i, b = is_pair ? 2 * i + 1 : i + half;
        for (size_t h = 0; h < n_heads; h++) {
            double *head = vector + h * change->head_dim;
            const double x = head[a], y = head[b];
            head[a] = c * x - s * y;
            head[b] = s * x + c * y;
        }
    }
}

/* Room for the vectors of a layer: q and k as they are, and as they are turned. */
struct room {
    double *q, *k, *scores[3], *sizes;
};

static void make_scores(const struct model_change *change, const struct room *room, double *scores)
{
    const size_t group = change->n_heads / change->n_kv_heads;
    const size_t d = change->head_dim;
    for (size_t h = 0; h < change->n_heads; h++) {
        const double *q = room->q + h * d;
        const double *k = room->k + (group == 0 ? 0 : h / group % change->n_kv_heads) * d;
        double sum = 0, squares_q = 0, squares_k = 0;
        for (size_t r = 0; r < d; r++) {
            sum += q[r] * k[r];
            squares_q += q[r] * q[r];
            squares_k += k[r] * k[r];
        }
        scores[h] = sum / sqrt((double)d);
        room->sizes[h] = sqrt(squares_q * squares_k / (double)d);
    }
}

/* Old weights and pairing, new weights and pairing, old weights and new pairing. */
static void score_layer(const struct model_change *change, const struct side sides[2], const double at[2],
                        const struct room *room)
{
    for (int which = 0; which < 3; which++) {
        const bool is_pair = which == 0 ? !change->to_pair : change->to_pair;
        make_vector(change, &sides[0], which == 1, room->q);
        make_vector(change, &sides[1], which == 1, room->k);
        turn(change, is_pair, at[0], room->q, change->n_heads);
        turn(change, is_pair, at[1], room->k, change->n_kv_heads);
        make_scores(change, room, room->scores[which]);
    }
}

/* A maximum in which what is not a number stays. */
static double larger(double a, double b)
{
    return isnan(a) || isnan(b) ? (double)NAN : a > b ? a : b;
}

static void take_scores(const struct model_change *change, const struct room *room, struct score_check *check)
{
    for (size_t h = 0; h < change->n_heads; h++) {
        const double score = room->scores[0][h];
        check->largest = larger(check->largest, fabs(score));
        check->scale = larger(check->scale, room->sizes[h]);
        check->difference = larger(check->difference, fabs(score - room->scores[1][h]));
        check->without = larger(check->without, fabs(score - room->scores[2][h]));
    }
}

static void compare_layer(const struct model_change *change, size_t query, size_t key, const struct room *room,
                          struct score_check *check)
{
    const struct side sides[2] = {
        {&change->moved[query], find_beside(change, query, false), find_beside(change, query, true)},
        {&change->moved[key], find_beside(change, key, false), find_beside(change, key, true)},
    };
    for (size_t i = 0; i < N_POSITIONS; i++) {
        score_layer(change, sides, positions[i], room);
        take_scores(change, room, check);
    }
    check->n_layers++;
}

static void compare_layers(const struct model_change *change, const struct room *room, struct score_check *check)
{
    for (size_t i = 0; i < change->n_moved; i++) {
        const struct moved_tensor *query = &change->moved[i];
        for (size_t k = 0; k < change->n_moved && !query->is_key && !query->is_norm && !query->is_bias; k++) {
            const struct moved_tensor *key = &change->moved[k];
            const bool is_same = query->fused != FUSED_NOT && key->tensor == query->tensor;
            if (key->is_key && !key->is_norm && !key->is_bias &&
                (is_same || is_counterpart(name_of(change, i), name_of(change, k)))) {
                compare_layer(change, i, k, room, check);
                break;
            }
        }
    }
}

static struct score_check compare_all(const struct model_change *change)
{
    const size_t n = change->n_heads * change->head_dim, m = change->n_kv_heads * change->head_dim;
    OWNED double *all = memory_take(n + m + 4 * change->n_heads, sizeof *all);
    struct score_check check = {.n_layers = 0};
    struct room room = {.q = all, .k = all + n, .sizes = all + n + m};
    for (int which = 0; which < 3; which++)
        room.scores[which] = all + n + m + (size_t)(which + 1) * change->n_heads;
    compare_layers(change, &room, &check);
    return check;
}

/* The rows of q, or of k, of a tensor that holds both. */
static void take_part(const struct model_change *change, const struct moved_tensor *fused, bool is_key,
                      struct moved_tensor *part)
{
    const size_t d = change->head_dim;
    *part = *fused;
    part->is_key = is_key;
    part->n_rows = 0;
    part->before = memory_take(fused->n_rows, sizeof *part->before);
    part->after = memory_take(fused->n_rows, sizeof *part->after);
    for (size_t row = 0; row < fused->n_rows; row += d) {
        if (role_of_head(change, fused, row / d) == (is_key ? HEAD_KEY : HEAD_QUERY)) {
            memcpy(part->before + part->n_rows, fused->before + row, d * sizeof *part->before);
            memcpy(part->after + part->n_rows, fused->after + row, d * sizeof *part->after);
            part->n_rows += d;
        }
    }
}

static void free_parts(struct model_change *parts)
{
    for (size_t i = 0; i < parts->n_moved; i++) {
        if (parts->moved[i].fused != FUSED_NOT) {
            free(parts->moved[i].before);
            free(parts->moved[i].after);
        }
    }
    free(parts->moved);
}

/* With the rows of q and of k apart. */
struct score_check scores_compare(const struct model_change *change)
{
    struct model_change parts = *change;
    parts.n_moved = 0;
    parts.moved = memory_take(2 * change->n_moved, sizeof *parts.moved);
    for (size_t i = 0; i < change->n_moved; i++) {
        const struct moved_tensor *moved = &change->moved[i];
        if (moved->fused == FUSED_NOT) {
            parts.moved[parts.n_moved++] = *moved;
            continue;
        }
        for (int is_key = 0; is_key < 2; is_key++)
            take_part(change, moved, is_key != 0, &parts.moved[parts.n_moved++]);
    }
    const struct score_check check = compare_all(&parts);
    free_parts(&parts);
    return check;
}
