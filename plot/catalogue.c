#include "catalogue.h"

#include <string.h>

const struct figure_entry figure_catalogue[] = {
    {"waves", "columns of the table against the position", figure_waves, 4, 100, NULL, 0},
    {"heatmap", "the table as colours, positions by columns", figure_heatmap, 128, 100, NULL, 0},
    {"distance", "distance of every two positions, as colours", figure_distance, 1000, 1000, NULL, 0},
    {"distance-law", "distance against offset, with the logarithmic law", figure_distance_law, 1000, 0, "1:1000", 0},
    {"kernel", "g(k), its envelope and its first zero", figure_kernel, 128, 0, "0:4097", 0},
    {"decay", "decay of g for several schedules", figure_decay, 128, 0, "-128:129", 0},
    {"decay-log", "the same far out, on a log axis", figure_decay_log, 128, 0, "1:1000001", 0},
    {"spectrum", "spectra of columns, with their frequencies", figure_spectrum, 128, 1024, NULL, 0},
    {"gram", "products of the columns, as colours", figure_gram, 64, 1000, NULL, 0},
    {"wavelengths", "wavelength of each tone against the context", figure_wavelengths, 128, 0, NULL, 4096},
    {"near-far", "which tones separate near and far positions", figure_near_far, 128, 0, "1,10,100,1000,10000", 0},
    {"separation", "smallest distance below n, for several dims", figure_separation, 8, 100000, NULL, 0},
    {"base", "good and bad bases for a context", figure_base, 128, 0, NULL, 4096},
    {"error", "error of common arithmetic against the position", figure_error, 128, 131072, NULL, 0},
};

const size_t figure_catalogue_n = sizeof figure_catalogue / sizeof figure_catalogue[0];

const struct figure_entry *figure_find(const char *name)
{
    for (size_t i = 0; i < figure_catalogue_n; i++)
        if (strcmp(figure_catalogue[i].name, name) == 0)
            return &figure_catalogue[i];
    return NULL;
}

sinpos_status figure_make(struct figure *figure, const struct figure_entry *entry, const struct figure_request *request)
{
    memset(figure, 0, sizeof *figure);
    const sinpos_status status = entry->make(figure, request);
    if (status != SINPOS_OK) {
        figure_free(figure);
        return status;
    }
    FIGURE_TEXT(figure->name, "%s", entry->name);
    if (figure->kind == FIGURE_LINES)
        figure_untangle(figure);
    return SINPOS_OK;
}
