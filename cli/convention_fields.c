#include "convention_fields.h"

size_t convention_fields(const sinpos_convention *c, struct convention_field fields[CONVENTION_FIELDS])
{
    const struct convention_field all[CONVENTION_FIELDS] = {
        {"variants", "by name", c->variants},
        {"let", "where", c->let},
        {"refuse", "refused if", c->refuse},
        {"positions", "positions", c->positions},
        {"grid", "grid", c->grid},
        {"length", "length", c->length},
        {"start", "start", c->start},
        {"step", "step", c->step},
        {"coordinates", "coordinates", c->coordinates},
        {"zero_rows_first", "zero rows first", c->zero_rows_first},
        {"zero_row", "zero row", c->zero_row},
        {"still_rows_first", "still rows first", c->still_rows_first},
        {"still_rows_last", "still rows last", c->still_rows_last},
        {"count", "frequencies", c->count},
        {"turns", "theta_i in turns", c->turns},
        {"theta", "theta_i", c->theta},
        {"phase", "phase", c->phase},
        {"phase_turns", "phase in turns", c->phase_turns},
        {"amplitude", "amplitude", c->amplitude},
        {"mixed", "mixed axes", c->mixed},
        {"nest", "nesting", c->nest},
        {"components", "components", c->components},
        {"raw", "raw coordinates", c->raw},
        {"width", "columns", c->width},
        {"pad", "padding", c->pad},
        {"shape", "shape", c->shape},
        {"channel_first", "channel first", c->channel_first},
        {"pairing", "pairing", c->pairing},
        {"axis", "axis of theta_i", c->axis},
        {"rotary_first", "first rotated", c->rotary_first},
        {"head_width", "head width", c->head_width},
        {"sign", "sign", c->sign},
        {"result", "result", c->result},
        {"beside", "side by side", c->beside},
        {"output", "output", c->output},
        {"published_theta", "published theta_i", c->published_theta},
        {"published_angle", "published angle", c->published_angle},
        {"published_element", "published element", c->published_element},
        {"published_product", "published product", c->published_product},
    };
    size_t n = 0;
    for (size_t k = 0; k < CONVENTION_FIELDS; k++) {
        if (all[k].text != NULL && all[k].text[0] != '\0') {
            fields[n++] = all[k];
        }
    }
    return n;
}
