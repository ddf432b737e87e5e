/* identify.c - what made a table: one encoding, one that something was done to, or several. */
#include "boundary.h"
#include "identify_mend.h"

/* Parts that are looked at: where none of them helps, it ends. */
#define MOST_PARTS 12

static sinpos_status check(sinpos_identity *const *out, const sinpos_table *table, size_t n_threads)
{
    if (out == NULL || table == NULL || table->shape == NULL || table->read == NULL)
        return SINPOS_E_NULL;
    if (sinpos_type_bytes(table->type) == 0)
        return SINPOS_E_TYPE;
    size_t n = 1;
    for (size_t i = 0; i < table->n_dims; i++) {
        if (table->shape[i] == 0 || n > SIZE_MAX / 8 / table->shape[i])
            return SINPOS_E_SHAPE;
        n *= table->shape[i];
    }
    return n_threads > 1024 ? SINPOS_E_VALUE : table->n_dims < 2 ? SINPOS_E_SHAPE : SINPOS_OK;
}

static sinpos_status identify(sinpos_identity **out, const sinpos_table *given, bool all_rows, size_t n_threads)
{
    size_t left = MOST_PARTS, work = ID_MOST_WORK;
    const id_way way = {.all_rows = all_rows, .n_threads = n_threads, .left = &left, .work = &work, .mend = id_mend};
    sinpos_identity *identity = NULL;
    bool is_source = false;
    id_narrow own;
    sinpos_status status = check(out, given, n_threads);
    if (out != NULL)
        *out = NULL;
    status = status != SINPOS_OK ? status : id_narrow_table(&own, given);
    const sinpos_table *table = &own.table;
    status = status != SINPOS_OK ? status : id_identify(&identity, table, &way);
    if (status == SINPOS_OK && !identity->is_sinusoidal) {
        status = id_try_sources(&identity, table, &way);
        is_source = status == SINPOS_OK && identity->is_sinusoidal;
    }
    status = status != SINPOS_OK || is_source ? status : id_mend(&identity, table, &way);
    status = status != SINPOS_OK ? status : id_prove(identity, table, all_rows);
    if (status == SINPOS_OK)
        identity->stored_type = given->type;
    status = status != SINPOS_OK ? status : id_name_defects(identity, table);
    if (status == SINPOS_OK)
        *out = identity;
    else
        sinpos_identity_destroy(identity);
    return status;
}

sinpos_status sinpos_identify(sinpos_identity **out, const sinpos_table *table, size_t n_threads)
{
    BOUNDARY;
    return identify(out, table, false, n_threads);
}

sinpos_status sinpos_identify_all(sinpos_identity **out, const sinpos_table *table, size_t n_threads)
{
    BOUNDARY;
    return identify(out, table, true, n_threads);
}
