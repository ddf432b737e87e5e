/* command_report.c - sinpos report: a folder with one page about an encoding, or about several. */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "commands.h"
#include "folder.h"
#include "interrupt.h"
#include "is_missing.h"
#include "json_out.h"
#include "no_memory.h"
#include "plan_tones.h"
#include "report.h"

enum { PATH_BYTES = 4096 };

static const char page_name[] = "index.html";

/* ----------------------------------------------------------------------------------------------- encodings */

static noreturn void fail_key(const char *definition, const char *key)
{
    char hint[200];
    const char *near = nearest_name(key, option_name_at, OPTION_ARITHMETIC + 1);
    if (near != NULL) {
        snprintf(hint, sizeof hint, "did you mean %s? As in --compare base=10000 base=500000,dim=64", near);
    } else {
        snprintf(hint, sizeof hint,
                 "the options that say which encoding, as in --compare base=10000 base=500000,dim=64");
    }
    fail(EXIT_USAGE, hint, definition, "'%s' does not say which encoding", key);
}

/* One of "dim=64,base=1000"; a word alone is the name of a convention. */
static void take_part(struct options *options, const char *definition, char *part)
{
    char *equals = strchr(part, '=');
    if (equals == NULL) {
        options_set(options, OPTION_CONVENTION, part);
        return;
    }
    *equals = '\0';
    enum option_id id = 0;
    while (id <= OPTION_ARITHMETIC && strcmp(option_types[id].name, part) != 0)
        id++;
    if (id > OPTION_ARITHMETIC)
        fail_key(definition, part);
    options_set(options, id, equals + 1);
}

/* The options of all, and then those of the definition, which is copied for them. */
static void take_definition(struct report_encoding *own, const char *definition)
{
    char *part = memory_copy(definition, strlen(definition) + 1, 1), *next;
    own->given = definition;
    own->parts = part;
    for (; part != NULL; part = next) {
        next = strchr(part, ',');
        if (next != NULL)
            *next++ = '\0';
        if (part[0] == '\0') {
            fail(EXIT_USAGE, "as in --compare base=10000 base=500000,dim=64",
                 definition[0] == '\0' ? "\'\'" : definition, "a part of the definition is missing");
        }
        take_part(&own->options, definition, part);
    }
}

/* " --dim 64 --base 1000": always with the dim, because commands differ in theirs. */
static void describe_arguments(struct report_encoding *own)
{
    const bool is_stated = own->request.convention == NULL;
    if (is_stated)
        buffer_format(&own->arguments, " --dim %zu", own->encoding.dim);
    for (size_t i = 0; i < own->options.n_sets; i++) {
        buffer_format(&own->arguments, " --set ");
        buffer_shell_word(&own->arguments, own->options.sets[i]);
    }
    for (size_t id = 0; id <= OPTION_ARITHMETIC; id++) {
        const char *text = request_text(&own->request, id);
        if (id != OPTION_SET && !(id == OPTION_DIM && is_stated) && text != NULL) {
            buffer_format(&own->arguments, " --%s ", option_types[id].name);
            buffer_shell_word(&own->arguments, text);
        }
    }
    if (own->arguments.is_broken)
        fail_memory();
}

static void take_tones(struct report_encoding *own)
{
    struct plan_tones list;
    expect_ok(plan_tones_take(&list, own->encoding.plan));
    own->tones = list.tones;
    own->theta = list.theta;
    own->n_tones = list.n;
}

static void make_encoding(struct report_encoding *own, const struct request *common)
{
    const struct known known = {.n_default = own->options.length};
    request_make(&own->request, &own->options, common);
    encoding_make_sines(&own->encoding, &own->request, &known, 0);
    encoding_plan(&own->encoding);
    encoding_one_axis(&own->encoding);
    take_tones(own);
    const struct figure_request request = {.name = encoding_name(&own->encoding),
                                           .is_exact = own->encoding.is_exact,
                                           .spec = &own->encoding.spec,
                                           .plan = own->encoding.plan};
    request_words(&request, own->words);
    describe_arguments(own);
}

static void make_encodings(struct report *report)
{
    const struct options *options = report->options;
    const bool compares = options->given[OPTION_COMPARE] != NULL;
    report->n = compares ? options->n_operands : 1;
    for (size_t i = 0; i < report->n; i++) {
        struct report_encoding *own = &report->encodings[i];
        own->options = *options;
        if (compares) {
            own->letter[0] = (char)('A' + i);
            take_definition(own, options->operands[i]);
        }
        make_encoding(own, report->request);
    }
}

/* ------------------------------------------------------------------------------------------------- options */

static bool is_date(const char *text)
{
    static const char pattern[] = "dddd-dd-dd";
    for (size_t i = 0; i < sizeof pattern; i++) {
        const bool fits = pattern[i] == 'd' ? isdigit((unsigned char)text[i]) != 0 : text[i] == pattern[i];
        if (!fits)
            return false;
    }
    return true;
}

static void check_compared(const struct options *options)
{
    const bool compares = options->given[OPTION_COMPARE] != NULL;
    if (!compares && options->n_operands > 0) {
        fail(EXIT_USAGE, "options say which encoding; several are named by --compare base=10000 base=500000",
             options->operands[0], "one argument too many for 'sinpos report'");
    }
    if (compares && (options->n_operands < 2 || options->n_operands > REPORT_ENCODINGS)) {
        fail(EXIT_USAGE, "as in --compare base=10000 base=500000,dim=64", "--compare",
             "needs from 2 to %d definitions after it, and %zu are there", REPORT_ENCODINGS, options->n_operands);
    }
}

static void take_options(struct report *report)
{
    const struct options *options = report->options;
    const char *context = options->given[OPTION_CONTEXT], *date = options->given[OPTION_DATE];
    if (options->given[OPTION_OUTPUT] == NULL)
        fail(EXIT_USAGE, "as in 'sinpos report -o report'", "-o", "the name of the folder is missing");
    if (strcmp(options->given[OPTION_OUTPUT], "-") == 0)
        fail_option(options, OPTION_OUTPUT, "name a folder", "is standard output; a report is a folder");
    if (!options->start.is_integer) {
        fail_option(options, OPTION_START, "--phase moves all angles by a constant",
                    "must be a whole number: a report is about whole positions");
    }
    report->first = options->start.integer;
    report->length = options->length;
    report->threads = options->threads;
    report->type = options->type;
    report->context = options->length < SINPOS_BASE_MAX_CONTEXT ? options->length : SINPOS_BASE_MAX_CONTEXT;
    if (context != NULL && parse_size(context, 1, SINPOS_BASE_MAX_CONTEXT, &report->context) != NULL)
        fail_option(options, OPTION_CONTEXT, "as in --context 4096", "must be a whole number from 1 to 67108864");
    if (date != NULL && !is_date(date))
        fail_option(options, OPTION_DATE, "as in --date 2025-12-31", "must be a year, a month and a day");
    check_compared(options);
}

/* Which folder it goes to is no part of the page. */
static void describe_command(struct report *report)
{
    const struct options *options = report->options;
    buffer_text(&report->command, "sinpos report -o report");
    for (size_t id = 0; id < N_OPTIONS; id++) {
        const bool matters = id <= OPTION_TYPE || id == OPTION_CONTEXT || id == OPTION_TITLE || id == OPTION_DATE;
        const char *text = request_text(report->request, id);
        if (matters && text != NULL) {
            buffer_format(&report->command, " --%s ", option_types[id].name);
            buffer_shell_word(&report->command, text);
        }
    }
    for (size_t i = 0; i < options->n_operands; i++) {
        buffer_text(&report->command, i == 0 ? " --compare " : " ");
        buffer_shell_word(&report->command, options->operands[i]);
    }
    if (report->first != 0)
        buffer_format(&report->positions, " --start %" PRId64, report->first);
    buffer_format(&report->positions, " --length %zu", report->length);
    if (report->command.is_broken || report->positions.is_broken)
        fail_memory();
}

/* ------------------------------------------------------------------------------------------------- folder */

static noreturn void fail_folder(const char *folder, int number)
{
    fail_errno(folder, number, "choose a folder that you may write to; its parent must exist");
}

static void path_in(char path[PATH_BYTES], const char *folder, const char *name)
{
    const size_t length = strlen(folder);
    snprintf(path, PATH_BYTES, "%s%s%s", folder, length > 0 && folder[length - 1] == '/' ? "" : "/", name);
}

/* Does the file begin with the mark, within a few lines? True where there is no such file. */
static bool is_ours_or_missing(const char *path, const char *mark)
{
    char head[1001];
    FILE *file = fopen(path, "r");
    if (file == NULL && errno == ENOMEM)
        fail_memory();
    if (file == NULL && !is_missing(errno))
        fail_errno(path, errno, "check the device and the folder");
    if (file == NULL)
        return errno == ENOENT;
    const size_t n = fread(head, 1, sizeof head - 1, file);
    const int number = ferror(file) ? errno : 0;
    fclose(file);
    if (number != 0 && number != EISDIR)
        fail_errno(path, number, "check the device and the folder");
    head[n] = '\0';
    return strstr(head, mark) != NULL;
}

static const char *const data_endings[] = {".csv", "-A.csv", "-B.csv", "-C.csv", "-D.csv", "-E.csv", "-F.csv"};
#define N_DATA_ENDINGS (sizeof data_endings / sizeof data_endings[0])

static void data_name(char name[FILE_NAME], size_t figure, size_t ending)
{
    snprintf(name, FILE_NAME, "%s%s", figure_catalogue[figure].name, data_endings[ending]);
}

/* May a report that did not come to its end have left this, even one that was killed? */
static bool is_part(const char *folder, const char *entry)
{
    char name[FILE_NAME], path[PATH_BYTES];
    bool is = strncmp(entry, ".sinpos-", 8) == 0;
    for (size_t i = 0; i < figure_catalogue_n * N_DATA_ENDINGS && !is; i++) {
        data_name(name, i / N_DATA_ENDINGS, i % N_DATA_ENDINGS);
        path_in(path, folder, name);
        is = strcmp(entry, name) == 0 && is_ours_or_missing(path, report_file_mark);
    }
    return is;
}

static bool holds_others(const char *folder)
{
    DIR *entries = folder_open(folder, "check the folder and its permissions");
    bool does = false;
    for (const char *name = folder_next(entries, folder); name != NULL; name = folder_next(entries, folder))
        does = does || !is_part(folder, name);
    return does;
}

/* A folder that is not there is made; one that holds other things than a report is left alone. */
static void prepare_folder(struct report *report, const char *folder)
{
    char path[PATH_BYTES];
    struct stat found;
    if (strlen(folder) + FILE_NAME + 2 > sizeof path)
        fail_folder(folder, ENAMETOOLONG);
    if (stat(folder, &found) != 0) {
        const int number = errno == ENOENT ? interrupt_make_folder(folder, 0777) : errno;
        report->is_first = true;
        if (number != 0)
            fail_folder(folder, number);
        return;
    }
    if (!S_ISDIR(found.st_mode))
        fail(EXIT_FILE, "name a folder that is new, empty or holds a report", folder, "is not a folder");
    if (access(folder, R_OK | W_OK | X_OK) != 0)
        fail_folder(folder, errno);
    path_in(path, folder, page_name);
    const bool has_page = access(path, F_OK) == 0;
    if (!has_page && !is_missing(errno))
        fail_folder(folder, errno);
    report->is_first = !has_page || !is_ours_or_missing(path, report_mark);
    if (report->is_first && holds_others(folder)) {
        fail(EXIT_FILE, "name a folder that is new, empty or holds a report", folder,
             "holds other files and no earlier report");
    }
}

static void check_files(const struct report *report, const char *folder)
{
    for (size_t i = 0; i < report->n_files; i++) {
        char path[PATH_BYTES];
        path_in(path, folder, report->files[i].name);
        if (!is_ours_or_missing(path, report_file_mark))
            fail(EXIT_FILE, "move it away, or name another folder", path, "was not written by sinpos");
    }
}

static void write_file(const struct report *report, const char *folder, const char *name,
                       const struct text_buffer *bytes)
{
    char path[PATH_BYTES];
    sinpos_file_error error = SINPOS_FILE_ERROR_INIT;
    path_in(path, folder, name);
    if (report->is_first)
        interrupt_file(path);
    if (interrupt_bytes_write(path, bytes->bytes, bytes->n, &error) != SINPOS_FILE_OK)
        fail_write(path, &error);
}

static bool belongs(const struct report *report, const char *name)
{
    for (size_t i = 0; i < report->n_files; i++)
        if (strcmp(report->files[i].name, name) == 0)
            return true;
    return false;
}

/* Numbers of an earlier report that this one has not replaced. */
static void remove_earlier(const struct report *report, const char *folder)
{
    for (size_t i = 0; i < figure_catalogue_n * N_DATA_ENDINGS; i++) {
        char name[FILE_NAME], path[PATH_BYTES];
        data_name(name, i / N_DATA_ENDINGS, i % N_DATA_ENDINGS);
        path_in(path, folder, name);
        if (!belongs(report, name) && is_ours_or_missing(path, report_file_mark) && unlink(path) != 0 &&
            errno != ENOENT)
            fail_errno(path, errno, "remove this file of an earlier report yourself");
    }
}

/* The page comes last: where it is, everything is. */
static void write_all(const struct report *report, const char *folder, const struct text_buffer *page)
{
    for (size_t i = 0; i < report->n_files; i++)
        if (report->files[i].bytes.is_broken)
            fail_memory();
    check_files(report, folder);
    for (size_t i = 0; i < report->n_files; i++)
        write_file(report, folder, report->files[i].name, &report->files[i].bytes);
    write_file(report, folder, page_name, page);
    remove_earlier(report, folder);
}

/* ------------------------------------------------------------------------------------------------- summary */

static void json_encoding(const struct report *report, size_t encoding)
{
    const struct report_encoding *own = &report->encodings[encoding];
    EMIT_OBJECT(NULL);
    emit_text("encoding", own->words);
    if (own->given != NULL) {
        emit_text("letter", own->letter);
        emit_text("definition", own->given);
    }
    emit_unsigned("dim", own->encoding.dim);
    emit_object("sha256");
    for (size_t i = 0; i < N_TYPES; i++)
        emit_text(report_types[i].name, own->hash[i][0] == '\0' ? NULL : own->hash[i]);
    emit_close();
    emit_object("facts");
    for (size_t i = 0; i < report->n_facts; i++) {
        const struct report_fact *fact = &report->facts[i];
        if (strcmp(fact->key, "sha256") == 0)
            continue;
        EMIT_OBJECT(fact->key);
        emit_real("value", fact->value[encoding].number);
        emit_text("text", fact->value[encoding].text);
    }
    emit_close();
}

static void json_report(const struct report *report, const char *folder, const struct text_buffer *page)
{
    char path[PATH_BYTES];
    path_in(path, folder, page_name);
    EMIT_OBJECT(NULL);
    emit_text("page", path);
    emit_unsigned("bytes", page->n);
    emit_array("files");
    for (size_t i = 0; i < report->n_files; i++)
        emit_text(NULL, report->files[i].name);
    emit_close();
    emit_unsigned("length", report->length);
    emit_unsigned("context", report->context);
    emit_unsigned("figures", report->n_figures);
    emit_unsigned("tables", report->n_tables);
    emit_array("encodings");
    for (size_t i = 0; i < report->n; i++)
        json_encoding(report, i);
    emit_close();
}

static void print_summary(const struct report *report, const char *folder, const struct text_buffer *page)
{
    char path[PATH_BYTES], amount[AMOUNT_BYTES];
    path_in(path, folder, page_name);
    for (size_t i = 0; i < report->n; i++) {
        const struct report_encoding *own = &report->encodings[i];
        printf("%s%s%s\n", own->letter, own->letter[0] == '\0' ? "" : "  ", own->words);
    }
    putchar('\n');
    for (size_t i = 0; i < report->n_facts; i++) {
        const struct report_fact *fact = &report->facts[i];
        for (size_t j = 0; j < report->n; j++) {
            const char *letter = report->encodings[j].letter;
            const char *label = j == 0 ? fact->label : "";
            const int more =
                (int)(strlen(label) - count_letters(label)); /* the narrow blank of numbers is three bytes */
            printf("  %-*s  %s%s%s\n", 50 + more, label, letter, letter[0] == '\0' ? "" : "  ", fact->value[j].text);
        }
    }
    printf("\n%s: %s, %zu figures, %zu tables; open it in a browser\n", SHOWN(path),
           amount_text(amount, (double)page->n), report->n_figures, report->n_tables);
}

/* ------------------------------------------------------------------------------------------------- command */

static void report_free(struct report *report)
{
    for (size_t i = 0; i < report->n; i++) {
        struct report_encoding *own = &report->encodings[i];
        encoding_free(&own->encoding);
        request_free(&own->request);
        free(own->parts);
        buffer_free(&own->arguments);
        free(own->tones);
        free(own->theta);
    }
    for (size_t i = 0; i < report->n_files; i++)
        buffer_free(&report->files[i].bytes);
    buffer_free(&report->body);
    buffer_free(&report->command);
    buffer_free(&report->positions);
    free(report);
}

static int command_run(const struct request *request)
{
    const char *folder = request->options->given[OPTION_OUTPUT];
    struct report *report = memory_take(1, sizeof *report);
    struct text_buffer page = {NULL, 0, 0, false};
    report->request = request;
    report->options = request->options;
    take_options(report);
    make_encodings(report);
    prepare_folder(report, folder);
    describe_command(report);
    report_make(report, &page);
    write_all(report, folder, &page);
    if (report->options->given[OPTION_JSON] != NULL)
        json_report(report, folder, &page);
    else
        print_summary(report, folder, &page);
    interrupt_keep();
    buffer_free(&page);
    report_free(report);
    finish_output_after(folder);
    return EXIT_DONE;
}

const struct command report_command = {
    .name = "report",
    .bit = COMMAND_REPORT,
    .summary = "write a page about one encoding, or about several side by side, with figures",
    .usage = "-o FOLDER [--compare DEFINITION DEFINITION ...] [options]",
    .description =
        "Writes FOLDER/index.html, a page that loads nothing else: definition, hashes, claims with\n"
        "their verdicts, curves, wavelengths, the smallest base for the context, errors of common arithmetics,\n"
        "and under each the command that makes it again. The numbers of its figures lie beside it. FOLDER is\n"
        "made where it is missing; one that holds other things is left alone.\n"
        "\n"
        "With --compare there are 2 to 6 definitions: options without their dashes, joined by commas, which\n"
        "stand before those of all. The command only describes: 'sinpos check' is what fails by its exit code.",
    .examples = "  sinpos report -o report --dim 768 --length 4096\n"
                "  sinpos report -o compared --dim 128 --compare base=10000 base=500000 schedule=power,exponent=2\n",
    .n_operands_most = 1000,
    .run = command_run,
    .meanings =
        {
            [OPTION_OUTPUT] = "the folder to write to",
            [OPTION_CONTEXT] = "positions that a model reads at once, for the advice on the base (--length)",
            [OPTION_TITLE] = "in place of the page's own title",
            [OPTION_LENGTH] = "number of positions (4096)",
            [OPTION_TYPE] = "f32, f64, f16 or bf16, of the elements shown and the claims (f32)",
        },
};
