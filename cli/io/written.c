#include "written.h"

#include <stdio.h>
#include <string.h>

#include "array_pieces.h"
#include "interrupt.h"
#include "progress.h"

int written_check(const struct options *options)
{
    const char *output = options->given[OPTION_OUTPUT];
    const char *report = options->given[OPTION_HASH] != NULL   ? "--hash"
                         : options->given[OPTION_JSON] != NULL ? "--json"
                                                               : NULL;
    if (output != NULL && strcmp(output, "-") == 0 && report != NULL) {
        return complain(EXIT_USAGE, "write to a file, or run it twice", "-o -",
                        "the array and %s cannot both go to standard output", report);
    }
    return EXIT_DONE;
}

static int give_up(sinpos_writer **writer, int code)
{
    interrupt_abandon(*writer);
    *writer = NULL;
    return code;
}

int written_prepare(sinpos_writer **writer, const char *path, int code)
{
    sinpos_file_error error = SINPOS_FILE_ERROR_INIT;
    if (code == EXIT_DONE && *writer != NULL && sinpos_writer_prepare(*writer, &error) != SINPOS_FILE_OK)
        code = complain_write(path, &error);
    return code == EXIT_DONE ? code : give_up(writer, code);
}

int written_finish(sinpos_writer **writer, const char *path, int code)
{
    sinpos_file_error error = SINPOS_FILE_ERROR_INIT;
    code = code == EXIT_DONE ? finish_output() : code;
    if (code != EXIT_DONE)
        return give_up(writer, code);
    if (*writer != NULL && interrupt_commit(*writer, &error) != SINPOS_FILE_OK)
        code = complain_write(path, &error);
    *writer = NULL;
    return code;
}

void written_talk(const struct options *options, const sinpos_array *array, uint64_t bytes, double seconds)
{
    char shape[SHAPE_TEXT_BYTES], amount[AMOUNT_BYTES], rate[AMOUNT_BYTES];
    const char *path = options->given[OPTION_OUTPUT];
    if (options->given[OPTION_QUIET] == NULL) {
        fprintf(stderr, "%s: %s %s, %s in %.3g s, %s/s\n", strcmp(path, "-") == 0 ? "standard output" : SHOWN(path),
                shape_text(array, shape), sinpos_element_name(array->element), amount_text(amount, (double)bytes),
                seconds, amount_text(rate, seconds > 0 ? (double)bytes / seconds : 0));
    }
}
