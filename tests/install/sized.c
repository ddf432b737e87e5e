/*
 * A program whose headers, or whose library, are of a later version: sized.sh builds it with structs that have grown
 * (-DGROWN), and runs it with a library whose structs have, or have not (argument "grown" for the former).
 */
#include <sinpos_conventions.h>
#include <sinpos_formats.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DIM = 8, ROWS = 3, GUARD = 64 };

static int failures;

static void expect(int holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "%s\n", what);
        failures++;
    }
}

/* ------------------------------------------------------------------------------------------- given to the library */

static sinpos_status fill(const sinpos_spec *spec, const sinpos_rows *rows, double table[ROWS][DIM])
{
    sinpos_plan *plan;
    sinpos_status status = sinpos_plan_create(&plan, spec);
    if (status == SINPOS_OK)
        status = sinpos_run(plan, SINPOS_FILL, rows, SINPOS_F64, table, DIM, 1);
    sinpos_plan_destroy(plan);
    return status;
}

static void try_given(void)
{
    static double table[ROWS][DIM];
    sinpos_spec spec = SINPOS_SPEC_INIT;
    sinpos_rows rows = SINPOS_ROWS_INIT;
    spec.dim = DIM;
    rows.n = ROWS;
    rows.first = 5;
    expect(fill(&spec, &rows, table) == SINPOS_OK, "spec and rows are refused");
    fwrite(table, sizeof table, 1, stdout);
    sinpos_tone_more more = SINPOS_TONE_MORE_INIT;
    sinpos_tone tone = SINPOS_TONE_INIT;
    sinpos_plan *plan;
    more.phase[0] = 0x1p-70;
    tone.value = 0.5;
    tone.sin_column = 0;
    tone.cos_column = DIM - 1;
    tone.more = &more;
    memset(table, 0, sizeof table);
    expect(sinpos_plan_create_tones(&plan, DIM, 1, &tone, 1, 0, NULL) == SINPOS_OK &&
               sinpos_run(plan, SINPOS_FILL, &rows, SINPOS_F64, table, DIM, 1) == SINPOS_OK,
           "a tone with more is refused");
    fwrite(table, sizeof table, 1, stdout);
    sinpos_plan_destroy(plan);
}

/* What an older library does not know is refused; what is zero is no question. */
static void try_asked(int library_has_grown)
{
#ifdef GROWN
    static double table[ROWS][DIM];
    sinpos_spec spec = SINPOS_SPEC_INIT, asking = SINPOS_SPEC_INIT;
    sinpos_rows rows = SINPOS_ROWS_INIT, rows_asking = SINPOS_ROWS_INIT;
    const sinpos_status want = library_has_grown ? SINPOS_OK : SINPOS_E_STRUCT;
    spec.dim = asking.dim = DIM;
    rows.n = rows_asking.n = ROWS;
    asking.added_later[1] = 1;
    rows_asking.added_later[1] = 1;
    expect(fill(&asking, &rows, table) == want, "a spec with a later wish");
    expect(fill(&spec, &rows_asking, table) == want, "rows with a later wish");
#else
    (void)library_has_grown;
#endif
}

/* ---------------------------------------------------------------------------------------- written by the library */

/* A caller's struct with guard bytes behind it. */
static void try_written(void)
{
    struct {
        sinpos_error error;
        unsigned char guard[GUARD];
    } failed = {SINPOS_ERROR_INIT, {0}};
    struct {
        sinpos_rows rows;
        unsigned char guard[GUARD];
    } positions = {SINPOS_ROWS_INIT, {0}};
    static const unsigned char zeros[GUARD];
    sinpos_spec spec = SINPOS_SPEC_INIT;
    spec.base = -1;
    expect(sinpos_spec_check(&spec, &failed.error) == SINPOS_E_SPEC, "a negative base");
    expect(failed.error.struct_size == sizeof failed.error && failed.error.status == SINPOS_E_SPEC,
           "size, status of an error");
    expect(memcmp(failed.guard, zeros, GUARD) == 0, "bytes behind an error");
    printf("%s: %s\n", failed.error.name, failed.error.message);
    sinpos_encoding *encoding;
    expect(sinpos_encoding_create(&encoding, "no such thing", NULL, 0, &failed.error) == SINPOS_E_NAME,
           "no convention");
    printf("%s: %s\n", failed.error.name, failed.error.message);
    expect(sinpos_encoding_create(&encoding, "whisper", NULL, 0, &failed.error) == SINPOS_OK &&
               failed.error.message[0] == '\0',
           "a convention");
    expect(sinpos_encoding_positions(encoding, 1, 2, &positions.rows) == SINPOS_OK && positions.rows.n == 2 &&
               positions.rows.first == 1 && positions.rows.struct_size == sizeof positions.rows,
           "positions");
    expect(memcmp(positions.guard, zeros, GUARD) == 0, "bytes behind the rows");
    sinpos_encoding_destroy(encoding);
}

static void try_files(int library_has_grown)
{
    struct {
        sinpos_file_error error;
        unsigned char guard[GUARD];
    } failed = {SINPOS_FILE_ERROR_INIT, {0}};
    static const unsigned char zeros[GUARD];
    static const sinpos_array array = {SINPOS_ELEMENT_F32, 2, {ROWS, DIM}};
    sinpos_writer_options writing = SINPOS_WRITER_OPTIONS_INIT;
    sinpos_reader_options reading = SINPOS_READER_OPTIONS_INIT;
    sinpos_reader *reader;
    writing.tensor = "";
    expect(sinpos_writer_check("a.gguf", &array, &writing, &failed.error) == SINPOS_FILE_E_REQUEST,
           "a name of no letters");
    expect(failed.error.struct_size == sizeof failed.error && memcmp(failed.guard, zeros, GUARD) == 0,
           "a file's error");
    printf("%s: %s, %s\n", failed.error.option, failed.error.message, failed.error.hint);
    expect(sinpos_reader_open(&reader, "nowhere/a.raw", &reading, &failed.error) == SINPOS_FILE_E_SYSTEM,
           "no such file");
    printf("%s\n", failed.error.message);
#ifdef GROWN
    writing.tensor = "name";
    writing.added_later[0] = 1;
    expect(sinpos_writer_check("a.gguf", &array, &writing, NULL) ==
               (library_has_grown ? SINPOS_FILE_OK : SINPOS_FILE_E_STRUCT),
           "options with a later wish");
#else
    (void)library_has_grown;
#endif
}

/* Structs of the library itself. */
static void try_shown(int library_has_grown)
{
    sinpos_encoding *encoding;
    if (sinpos_encoding_create(&encoding, "whisper", NULL, 0, NULL) != SINPOS_OK)
        exit(2);
    const sinpos_encoding_info *info = sinpos_encoding_info_get(encoding);
    expect(SINPOS_HAS(info, is_by_position) && info->is_by_position && info->n_rows == 1500, "what an encoding says");
#ifdef GROWN
    expect(SINPOS_HAS(info, added_later) == library_has_grown, "is a later field there?");
#else
    expect((info->struct_size > sizeof *info) == library_has_grown, "the size of what the library shows");
#endif
    sinpos_encoding_destroy(encoding);
}

int main(int argc, char **argv)
{
    const int library_has_grown = argc > 1 && strcmp(argv[1], "grown") == 0;
    try_given();
    try_asked(library_has_grown);
    try_written();
    try_files(library_has_grown);
    try_shown(library_has_grown);
    return failures > 0;
}
