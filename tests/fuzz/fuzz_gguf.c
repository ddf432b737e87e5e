/* The input as a .gguf file: the only tensor of it read, and all of it as a model. */
#include "fuzz.h"
#include "fuzz_reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    read_as_file(data, size, ".gguf");
    read_as_model(put_file(data, size, "input.gguf"));
    return 0;
}
