/* The input as a .safetensors file. */
#include "fuzz.h"
#include "fuzz_reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    read_as_file(data, size, ".safetensors");
    return 0;
}
