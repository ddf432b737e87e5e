/* An element type, by the first byte, a row length of one byte or nine, and behind them the bytes of a .raw file. */
#include "fuzz.h"
#include "fuzz_reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const int types[] = {SINPOS_F64, SINPOS_F32, SINPOS_F16, SINPOS_BF16};
    bytes b = {data, size};
    sinpos_reader_options options = SINPOS_READER_OPTIONS_INIT;
    const uint8_t type = take_u8(&b), dim = take_u8(&b);
    options.element = (sinpos_element)(type < 250 ? types[type % 4] : (int)take_u8(&b));
    options.dim = dim < 250 ? dim : (size_t)take_i64(&b);
    read_as_raw(b.at, b.left, &options);
    return 0;
}
