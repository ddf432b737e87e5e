/* identify_arithmetic.c - roundings of common code that reproduce a table. */
#include "identify.h"

sinpos_status id_name_arithmetic(sinpos_identity *identity, const id_sample *sample)
{
    (void)sample;
    identity->arithmetic = identity->total.wrong == 0 ? "exact" : "";
    return SINPOS_OK;
}
