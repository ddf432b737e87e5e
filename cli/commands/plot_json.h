/* plot_json.h - a figure as one JSON object: what is drawn and how, for programs that draw it themselves. */
#pragma once

#include "figure.h"

/* Prints it; command makes the same figure. */
void plot_json(const struct figure *figure, const char *command);
