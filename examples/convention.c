/* An encoding by name: the time steps of a diffusion model, as diffusers makes them, and the error for a wrong value. */
#include <stdio.h>

#include "sinpos_conventions.h"

enum { STEPS = 3, DIM = 8 };

static sinpos_status set_parameters(sinpos_parameters *parameters)
{
    const double times[STEPS] = {0, 7.5, 999};
    const size_t shape[1] = {STEPS};
    sinpos_status status = sinpos_parameters_set_list(parameters, "timesteps", times, 1, shape);
    if (status == SINPOS_OK)
        status = sinpos_parameters_set_number(parameters, "embedding_dim", DIM);
    if (status == SINPOS_OK)
        status = sinpos_parameters_set_flag(parameters, "flip_sin_to_cos", 1);
    return status;
}

int main(void)
{
    sinpos_parameters *parameters = NULL;
    sinpos_encoding *encoding = NULL;
    sinpos_error error = SINPOS_ERROR_INIT;
    float table[STEPS][DIM];
    sinpos_status status = sinpos_parameters_create(&parameters);
    if (status == SINPOS_OK)
        status = set_parameters(parameters);
    if (status == SINPOS_OK)
        status = sinpos_encoding_create(&encoding, "diffusers_timestep", parameters, SINPOS_F32, &error);
    if (status == SINPOS_OK)
        status = sinpos_encoding_fill(encoding, 0, STEPS, SINPOS_F32, table, DIM, 1);
    for (size_t row = 0; status == SINPOS_OK && row < STEPS; row++)
        printf("cos %.7f %.7f ...  sin %.7f %.7f ...\n", table[row][0], table[row][1], table[row][4], table[row][5]);
    sinpos_encoding_destroy(encoding);
    encoding = NULL;
    if (status == SINPOS_OK && sinpos_parameters_set_number(parameters, "embedding_dim", 2) == SINPOS_OK &&
        sinpos_encoding_create(&encoding, "diffusers_timestep", parameters, SINPOS_F32, &error) != SINPOS_OK)
        printf("refused: %s\n", error.message);
    sinpos_encoding_destroy(encoding);
    sinpos_parameters_destroy(parameters);
    if (status != SINPOS_OK)
        fprintf(stderr, "convention: %s: %s\n", sinpos_strerror(status), error.message);
    return status != SINPOS_OK;
}
