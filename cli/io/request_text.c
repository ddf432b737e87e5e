#include "request_text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "checksum.h"
#include "command.h"
#include "folder.h"
#include "no_memory.h"

/* In the order in which they were read. */
static uint64_t *noted;
static size_t n_noted, noted_room;

void request_note(const void *bytes, size_t n)
{
    noted = memory_grow(noted, n_noted, &noted_room, sizeof *noted);
    noted[n_noted++] = checksum(bytes, n, 0);
}

void request_add(struct request_text *request, const char *bytes, size_t n)
{
    while (n > 0) {
        request->text = memory_grow(request->text, request->n, &request->room, 1);
        const size_t fit = request->room - request->n, some = n < fit ? n : fit;
        memcpy(request->text + request->n, bytes, some);
        request->n += some;
        bytes += some;
        n -= some;
    }
}

void request_line(struct request_text *request, const char *kind, const char *value)
{
    request_add(request, kind, strlen(kind));
    request_add(request, " ", 1);
    for (; *value != '\0'; value++) {
        const unsigned char byte = (unsigned char)*value;
        char hidden[8];
        const bool is_plain = byte >= 0x20 && byte != 0x7f && byte != '\\';
        const int n = is_plain ? 1 : snprintf(hidden, sizeof hidden, "\\x%02x", byte);
        request_add(request, is_plain ? value : hidden, (size_t)n);
    }
    request_add(request, "\n", 1);
}

static void add_option(struct request_text *request, enum option_id id, const char *value)
{
    const char *name = option_types[id].name;
    const size_t room = strlen(name) + strlen(value) + 4;
    OWNED char *line = memory_take(room, 1);
    snprintf(line, room, "--%s%s%s", name, option_types[id].argument == NULL ? "" : " ", value);
    request_line(request, "option", line);
}

/* The bytes of the output do not depend on these. */
static bool changes_nothing(enum option_id id)
{
    static const enum option_id others[] = {OPTION_OUTPUT, OPTION_RESUME,  OPTION_HASH, OPTION_JSON,
                                            OPTION_QUIET,  OPTION_THREADS, OPTION_ISA,  OPTION_PAUSE_AFTER};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (others[i] == id)
            return true;
    return id == OPTION_SET;
}

void request_options(struct request_text *request, const struct options *options)
{
    request_line(request, "version", sinpos_version());
    request_line(request, "command", options->command->name);
    for (size_t i = 0; i < N_OPTIONS; i++)
        if (options->given[i] != NULL && !changes_nothing((enum option_id)i))
            add_option(request, (enum option_id)i, options->given[i]);
    for (size_t i = 0; i < options->n_sets; i++)
        add_option(request, OPTION_SET, options->sets[i]);
}

void request_files(struct request_text *request)
{
    char sum[20];
    for (size_t i = 0; i < n_noted; i++) {
        snprintf(sum, sizeof sum, "%016" PRIx64, noted[i]);
        request_line(request, "file", sum);
    }
}

static void add_input(struct request_text *request, const char *path)
{
    struct stat there;
    const char *slash = strrchr(path, '/');
    const char *name = slash == NULL ? path : slash + 1;
    const size_t room = strlen(name) + 120;
    OWNED char *line = memory_take(room, 1);
    if (stat(path, &there) != 0)
        fail_errno(path, errno, "check the path");
    if (!S_ISREG(there.st_mode))
        fail(EXIT_FILE, "name a file", path, "is not a regular file, and --resume may have to read it again");
    snprintf(line, room, "%s, %" PRIu64 " bytes, of %lld.%09ld", name, (uint64_t)there.st_size,
             (long long)there.st_mtim.tv_sec, there.st_mtim.tv_nsec);
    request_line(request, "input", line);
}

void request_input(struct request_text *request, const char *path)
{
    struct stat there;
    sinpos_model *model = NULL;
    const bool is_folder = file_is_there(path, &there) && S_ISDIR(there.st_mode);
    const size_t n = strlen(path);
    const bool is_index = n > 5 && strcmp(path + n - 5, ".json") == 0;
    const bool is_split = n > 5 && strcmp(path + n - 5, ".gguf") == 0;
    if ((!is_folder && !is_index && !is_split) || sinpos_model_open(&model, path, NULL) != SINPOS_FILE_OK) {
        add_input(request, path);
        return;
    }
    for (size_t i = 0; i < sinpos_model_files(model); i++)
        add_input(request, sinpos_model_file(model, i));
    sinpos_model_close(model);
}
