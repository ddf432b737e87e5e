#include "convention_fields.h"

size_t convention_fields(const sinpos_convention *c, struct convention_field fields[CONVENTION_FIELDS])
{
    static const char *const all[CONVENTION_FIELDS][2] = {
        {"variants", "by name"},
        {"let", "where"},
        {"refuse", "refused if"},
        {"positions", "positions"},
        {"grid", "grid"},
        {"length", "length"},
        {"start", "start"},
        {"step", "step"},
        {"coordinates", "coordinates"},
        {"zero_rows_first", "zero rows first"},
        {"zero_row", "zero row"},
        {"still_rows_first", "still rows first"},
        {"still_rows_last", "still rows last"},
        {"count", "frequencies"},
        {"turns", "theta_i in turns"},
        {"theta", "theta_i"},
        {"phase", "phase"},
        {"phase_turns", "phase in turns"},
        {"amplitude", "amplitude"},
        {"mixed", "mixed axes"},
        {"nest", "nesting"},
        {"components", "components"},
        {"raw", "raw coordinates"},
        {"width", "columns"},
        {"pad", "padding"},
        {"shape", "shape"},
        {"channel_first", "channel first"},
        {"pairing", "pairing"},
        {"block", "pairs in blocks of"},
        {"axis", "axis of theta_i"},
        {"rotary_first", "first rotated"},
        {"head_width", "head width"},
        {"sign", "sign"},
        {"result", "result"},
        {"copies", "copies"},
        {"beside", "side by side"},
        {"output", "output"},
        {"published_theta", "published theta_i"},
        {"published_angle", "published angle"},
        {"published_element", "published element"},
        {"published_product", "published product"},
        {"calls", "functions"},
    };
    size_t n = 0;
    for (size_t k = 0; k < CONVENTION_FIELDS; k++) {
        const char *text = sinpos_convention_text(c, all[k][0]);
        if (text != NULL)
            fields[n++] = (struct convention_field){all[k][0], all[k][1], text};
    }
    return n;
}
