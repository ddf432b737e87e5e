/* The input as the index of a model in several files, and as its config.json. Two files of it are there. */
#include "fuzz.h"
#include "fuzz_reader.h"

#include <stdlib.h>
#include <string.h>

#include "sinpos_formats.h"

/* A .safetensors file with two tensors, NAME.a and NAME.b. */
static const char *put_shard(const char *file, const char *header)
{
    uint8_t shard[512] = {0};
    const size_t length = strlen(header);
    shard[0] = (uint8_t)length;
    memcpy(shard + 8, header, length);
    return put_file(shard, 8 + length + 16, file);
}

static void take_config(const char *path)
{
    sinpos_model *model = NULL;
    sinpos_file_error error = SINPOS_FILE_ERROR_INIT;
    if (sinpos_model_open(&model, path, &error) != SINPOS_FILE_OK)
        abort();
    if (sinpos_model_config(model, &error) != SINPOS_FILE_OK && error.message[0] == 0)
        abort();
    for (size_t i = 0; sinpos_model_metadata_at(model, i) != NULL; i++)
        if (sinpos_model_metadata(model, sinpos_model_metadata_at(model, i)->name) == NULL)
            abort();
    sinpos_model_close(model);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char one[] = "{\"one.a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]},"
                              "\"one.b\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[8,16]}}";
    static const char two[] = "{\"two.a\":{\"dtype\":\"F16\",\"shape\":[4],\"data_offsets\":[0,8]},"
                              "\"two.b\":{\"dtype\":\"BOOL\",\"shape\":[8],\"data_offsets\":[8,16]}}";
    const char *first = put_shard("1.safetensors", one);
    (void)put_shard("2.safetensors", two);
    read_as_model(put_file(data, size, "input.index.json"));
    (void)put_file(data, size, "config.json");
    take_config(first);
    return 0;
}
