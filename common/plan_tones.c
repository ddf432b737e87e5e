#include "plan_tones.h"

#include <stdlib.h>

sinpos_status plan_tones_take(struct plan_tones *list, const sinpos_plan *plan)
{
    size_t n = 0;
    *list = (struct plan_tones){NULL, NULL, 0};
    sinpos_status status = sinpos_plan_tones(plan, NULL, 0, &n);
    if (status != SINPOS_OK)
        return status;
    list->tones = calloc(n + 1, sizeof *list->tones);
    list->theta = calloc(n + 1, sizeof *list->theta);
    if (list->tones == NULL || list->theta == NULL)
        return SINPOS_E_MEMORY;
    status = sinpos_plan_tones(plan, list->tones, n, &list->n);
    return status == SINPOS_OK ? sinpos_plan_theta(plan, list->theta, n, &n) : status;
}

void plan_tones_free(struct plan_tones *list)
{
    free(list->tones);
    free(list->theta);
    *list = (struct plan_tones){NULL, NULL, 0};
}
