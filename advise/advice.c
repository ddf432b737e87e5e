#include "advice.h"

#include "model.h"

typedef sinpos_status advise_part(struct model *model);

sinpos_status advice_make(struct advice *advice, const struct advice_subject *subject, sinpos_error *error)
{
    static advise_part *const parts[] = {advise_context,   advise_base,     advise_scaling,
                                         advise_precision, advise_runtimes, advise_ignored};
    struct model model = {.subject = subject, .advice = advice};
    *advice = (struct advice){NULL, 0, 0, false};
    sinpos_status status = model_open(&model, error);
    for (size_t k = 0; k < sizeof parts / sizeof parts[0] && status == SINPOS_OK; k++)
        status = parts[k](&model);
    model_close(&model);
    return status == SINPOS_OK && advice->is_broken ? SINPOS_E_MEMORY : status;
}
