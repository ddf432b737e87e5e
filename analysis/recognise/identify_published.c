/* identify_published.c - arithmetic as the source of a convention has it: which of them reproduces the table? */
#include "elements.h"
#include "identify_parameters.h"

#include <stdio.h>

/* Rows that are replayed, from the first to the last. */
#define REPLAYED_ROWS 24

/* Least part of the elements that must be reproduced to one unit. */
#define LEAST_SHARE 0.98

/* Shares that differ by less decide nothing. */
#define SAME_SHARE 0.002

typedef struct count {
    size_t all, near, equal;
} count;

static void count_row(count *c, sinpos_type type, const char *got, const char *want, size_t n)
{
    const double unit = type_unit(type);
    const size_t size = sinpos_type_bytes(type);
    for (size_t j = 0; j < n; j++) {
        double x, y;
        widen(&x, got + j * size, type, 1);
        widen(&y, want + j * size, type, 1);
        c->all++;
        c->equal += x == y;
        c->near += fabs(x - y) <= 2.5 * unit * fabs(y);
    }
}

/* Rows from the first to the last; of columns that come first, of which one costs as much as all, two blocks. */
static sinpos_status count_rows(count *c, const sinpos_identity *identity, const sinpos_encoding *encoding,
                                const sinpos_table *table)
{
    const sinpos_encoding_info *info = sinpos_encoding_info_get(encoding);
    const size_t columns = info->n_columns, many = columns / table->shape[table->n_dims - 1];
    const size_t rows = info->n_rows < REPLAYED_ROWS ? info->n_rows : REPLAYED_ROWS;
    const size_t block = info->is_channel_first ? (rows + 1) / 2 : 1, n_blocks = rows / block;
    const size_t bytes = columns * sinpos_type_bytes(table->type);
    char *got = malloc(block * bytes + 1), *want = malloc(block * bytes + 1);
    sinpos_status status = got == NULL || want == NULL ? SINPOS_E_MEMORY : SINPOS_OK;
    for (size_t i = 0; i < n_blocks && status == SINPOS_OK; i++) {
        const size_t first = n_blocks == 1 ? 0 : i * (info->n_rows - block) / (n_blocks - 1);
        status = table->read(table->context, first * many, block * many, got);
        status =
            status != SINPOS_OK ? status : sinpos_encoding_fill(encoding, first, block, table->type, want, columns, 1);
        if (status == SINPOS_OK && columns == identity->dim && !info->is_channel_first)
            id_damage_rows(identity, first, block, table->type, want);
        if (status == SINPOS_OK)
            count_row(c, table->type, got, want, block * columns);
    }
    free(got);
    free(want);
    return status;
}

sinpos_status id_replay(const sinpos_identity *identity, sinpos_identity_convention *convention,
                        sinpos_parameters *parameters, const sinpos_table *table)
{
    sinpos_encoding *encoding = NULL;
    count c = {0};
    sinpos_status status = sinpos_parameters_set_text(parameters, "arithmetic", "published");
    if (status != SINPOS_OK)
        return status;
    status = sinpos_encoding_create(&encoding, convention->name, parameters, (unsigned)table->type, NULL);
    if (status != SINPOS_OK)
        return status == SINPOS_E_MEMORY ? status : SINPOS_OK; /* its arithmetic is not known */
    status = count_rows(&c, identity, encoding, table);
    if (status == SINPOS_OK && c.all > 0) {
        convention->published = (double)c.near / (double)c.all;
        convention->published_equal = (double)c.equal / (double)c.all;
    }
    if (status == SINPOS_OK && convention->published >= LEAST_SHARE)
        convention->source = encoding;
    else
        sinpos_encoding_destroy(encoding);
    return status;
}

static size_t n_settings(const sinpos_identity_convention *convention)
{
    size_t n = 0;
    for (const char *at = convention->settings; *at != '\0'; at++)
        n += *at == '\n';
    return n;
}

static bool is_same(const sinpos_identity_convention *one, const sinpos_identity_convention *other)
{
    return one->published == other->published && one->published_equal == other->published_equal;
}

/* More elements to one unit; then more to the last bit; then more parameters that have their defaults. */
static bool is_better(const sinpos_identity_convention *one, const sinpos_identity_convention *other)
{
    if (is_same(one, other))
        return n_settings(one) < n_settings(other);
    return one->published > other->published + SAME_SHARE ||
           (one->published > other->published - SAME_SHARE && one->published_equal > other->published_equal);
}

void id_add_also(sinpos_identity *identity, const char *name)
{
    const size_t used = strlen(identity->arithmetic_also), room = sizeof identity->arithmetic_also;
    const char *text = used + strlen(name) + 8 < room ? name : "...";
    if (used < 3 || strcmp(identity->arithmetic_also + used - 3, "...") != 0)
        snprintf(identity->arithmetic_also + used, room - used, "%s%s", used > 0 ? "; " : "", text);
}

void id_name_published(sinpos_identity *identity)
{
    const sinpos_identity_convention *best = NULL;
    for (size_t i = 0; i < identity->n_conventions; i++) {
        const sinpos_identity_convention *own = &identity->conventions[i];
        if (own->published >= LEAST_SHARE && (best == NULL || is_better(own, best)))
            best = own;
    }
    const bool has_recipe = identity->arithmetic[0] != '\0';
    if (best == NULL || (has_recipe && (best->published < identity->arithmetic_share - SAME_SHARE ||
                                        best->published_equal < identity->arithmetic_equal)))
        return;
    identity->arithmetic_also[0] = '\0';
    for (size_t i = 0; i < identity->n_conventions; i++) {
        const sinpos_identity_convention *own = &identity->conventions[i];
        if (own != best && is_same(own, best))
            id_add_also(identity, own->name);
    }
    snprintf(identity->arithmetic_name, sizeof identity->arithmetic_name, "as published by %s", best->name);
    identity->arithmetic = identity->arithmetic_name;
    identity->arithmetic_share = best->published;
    identity->published = best;
}
