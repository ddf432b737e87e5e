/* The input as the config.json of a model, whose rotary table is made. */
#include "fuzz.h"
#include "fuzz_reader.h"
#include "fuzz_request.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[128];
    (void)strcpy(path, put_file(data, size, "config.json"));
    char from[] = "--from-config", length[] = "--length=3";
    char *words[] = {from, path, length};
    take_options(&table_command, 3, words);
    char output[] = "--set=output=inv_freq", layers[] = "--layers=0";
    char *others[] = {from, path, output, layers};
    take_options(&table_command, 4, others);
    return 0;
}
