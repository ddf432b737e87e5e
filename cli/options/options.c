#include "options.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "nearest_convention.h"
#include "sinpos_conventions.h"

/* ------------------------------------------------------------------------------------------------ values */

struct word {
    const char *text;
    int value;
};

static bool find_word(const struct word *words, const char *text, int *value)
{
    for (; words->text != NULL; words++) {
        if (strcmp(words->text, text) == 0) {
            *value = words->value;
            return true;
        }
    }
    return false;
}

/* A field of struct options. */
#define FIELD(name) offsetof(struct options, name)

static void *field_at(struct options *options, size_t offset)
{
    return (char *)options + offset;
}

/* Options whose value is one of some words; the fields are enums. */
static const struct word_option {
    enum option_id id;
    size_t field;
    struct word words[9];
    const char *why;
} word_options[] = {
    {OPTION_SCHEDULE,
     FIELD(spec.schedule),
     {{"geometric", SINPOS_GEOMETRIC},
      {"power", SINPOS_POWER},
      {"octave", SINPOS_OCTAVE},
      {"turns", SINPOS_TURNS},
      {"explicit", SINPOS_EXPLICIT}},
     "must be geometric, power, octave, turns or explicit"},
    {OPTION_LAYOUT,
     FIELD(spec.layout),
     {{"interleaved", SINPOS_INTERLEAVED}, {"halves", SINPOS_HALVES}},
     "must be interleaved or halves"},
    {OPTION_ORDER,
     FIELD(spec.order),
     {{"sin-cos", SINPOS_SIN_COS}, {"cos-sin", SINPOS_COS_SIN}},
     "must be sin-cos or cos-sin"},
    {OPTION_ODD, FIELD(spec.odd), {{"truncate", SINPOS_TRUNCATE}, {"zero", SINPOS_ZERO}}, "must be zero or truncate"},
    {OPTION_METHOD,
     FIELD(method),
     {{"auto", SINPOS_DISTINCT_AUTO}, {"offsets", SINPOS_DISTINCT_OFFSETS}, {"hashes", SINPOS_DISTINCT_HASHES}},
     "must be auto, offsets or hashes"},
    {OPTION_TYPE,
     FIELD(type),
     {{"f32", SINPOS_F32},
      {"f64", SINPOS_F64},
      {"f16", SINPOS_F16},
      {"bf16", SINPOS_BF16},
      {"float32", SINPOS_F32},
      {"float64", SINPOS_F64},
      {"float16", SINPOS_F16},
      {"bfloat16", SINPOS_BF16}},
     "must be f32, f64, f16 or bf16"},
};

static const char *set_word(struct options *options, enum option_id id, const char *value)
{
    const struct word_option *option = word_options;
    int found = 0;
    while (option->id != id)
        option++;
    if (!find_word(option->words, value, &found))
        return option->why;
    _Static_assert(sizeof(sinpos_schedule) == sizeof found && sizeof(sinpos_type) == sizeof found, "enums are ints");
    memcpy(field_at(options, option->field), &found, sizeof found);
    return NULL;
}

/* Options whose value is a real number. */
static const struct real_option {
    enum option_id id;
    size_t field;
    enum { ANY, ABOVE_0, FROM_0, NOT_0 } range;
} real_options[] = {
    {OPTION_BASE, FIELD(spec.base), ABOVE_0},
    {OPTION_BASE_DIVISOR, FIELD(spec.base_divisor), ABOVE_0},
    {OPTION_EXPONENT, FIELD(spec.exponent), ANY},
    {OPTION_SHIFT, FIELD(spec.shift), ANY},
    {OPTION_DIVISOR, FIELD(spec.divisor), NOT_0},
    {OPTION_SCALE, FIELD(spec.scale), ANY},
    {OPTION_AMPLITUDE, FIELD(spec.amplitude), ANY},
    {OPTION_PHASE, FIELD(spec.phase), ANY},
    {OPTION_PHASE_TURNS, FIELD(spec.phase_turns), ANY},
    {OPTION_TRAIN, FIELD(train), ABOVE_0},
    {OPTION_ALPHA, FIELD(alpha), ABOVE_0},
    {OPTION_BETA, FIELD(beta), ABOVE_0},
    {OPTION_WANTED, FIELD(wanted), FROM_0},
    {OPTION_TOLERANCE, FIELD(tolerance), FROM_0},
};

static const char *set_real(struct options *options, enum option_id id, const char *value)
{
    const struct real_option *option = real_options;
    while (option->id != id)
        option++;
    double *field = field_at(options, option->field);
    const char *why = parse_real(value, field);
    return why != NULL                               ? why
           : option->range == ABOVE_0 && *field <= 0 ? "must be above 0"
           : option->range == FROM_0 && *field < 0   ? "must not be negative"
           : option->range == NOT_0 && *field == 0   ? "must not be 0"
                                                     : NULL;
}

/* Options whose value is a whole number. */
static const struct size_option {
    enum option_id id;
    size_t field, least;
    uint64_t most;
    const char *why;
} size_options[] = {
    {OPTION_DIM, FIELD(spec.dim), 1, SINPOS_MAX_DIM, "must be a whole number from 1 to 2147483648"},
    {OPTION_LENGTH, FIELD(length), 1, INT64_MAX, "must be a whole number from 1 to 2^63 - 1"},
    {OPTION_SEED, FIELD(seed), 0, INT64_MAX, "must be a whole number from 0 to 2^63 - 1"},
    {OPTION_LIMIT, FIELD(limit), 2, (uint64_t)1 << 52, "must be a whole number from 2 to 2^52"},
    {OPTION_PARTIAL, FIELD(partial), 2, SINPOS_MAX_DIM, "must be a whole number from 2 to D"},
    {OPTION_PAUSE_AFTER, FIELD(pause_after), 1, (uint64_t)1 << 52, "must be a whole number from 1 to 2^52"},
    {OPTION_NEAREST, FIELD(nearest), 1, 4096, "must be a whole number from 1 to 4096"},
    {OPTION_HEADS, FIELD(heads), 1, 65536, "must be a whole number from 1 to 65536"},
    {OPTION_KV_HEADS, FIELD(kv_heads), 1, 65536, "must be a whole number from 1 to 65536"},
    {OPTION_ROTARY_DIM, FIELD(rotary_dim), 1, 65536, "must be a whole number from 1 to 65536"},
    {OPTION_ZARR, FIELD(zarr_format), 2, 3, "must be 2 or 3"},
    {OPTION_THREADS, FIELD(threads), 1, 1024, "must be a whole number from 1 to 1024"},
};

static const char *set_size(struct options *options, enum option_id id, const char *value)
{
    const struct size_option *option = size_options;
    while (option->id != id)
        option++;
    return parse_size(value, option->least, option->most, field_at(options, option->field)) == NULL ? NULL
                                                                                                    : option->why;
}

/* Bytes, or with one of the letters k, M, G, T after it. */
static const char *set_bytes(struct options *options, enum option_id id, const char *value)
{
    static const char letters[] = "kMGT";
    char text[40];
    const size_t length = strlen(value);
    const char *letter = length == 0 ? NULL : strchr(letters, value[length - 1]);
    const unsigned shift = letter == NULL || *letter == '\0' ? 0 : 10 * (unsigned)(letter - letters + 1);
    size_t number = 0;
    snprintf(text, sizeof text, "%.*s", length > 30 ? 30 : (int)(length - (shift > 0)), value);
    if (parse_size(text, 1, (size_t)INT64_MAX >> shift, &number) != NULL)
        return "must be a number of bytes, such as 512M or 4G";
    *(id == OPTION_CHUNK ? &options->chunk_bytes : &options->memory_bytes) = number << shift;
    return NULL;
}

static const char *set_number(struct options *options, enum option_id id, const char *value)
{
    struct number *number = id == OPTION_START ? &options->start : &options->step;
    const bool has_blanks =
        value[0] == '\0' || isspace((unsigned char)value[0]) || isspace((unsigned char)value[strlen(value) - 1]);
    const char *why = has_blanks ? "is not a number" : parse_number(value, strlen(value), number);
    return why == NULL && fabs(number->real) >= 0x1p63 && !number->is_integer ? "is not below 2^63 in size" : why;
}

static const char *set_by(struct options *options, enum option_id id, const char *value)
{
    struct number number;
    (void)id;
    if (parse_number(value, strlen(value), &number) != NULL || !number.is_integer)
        return "must be a whole number, below 2^63 in size";
    options->by = number.integer;
    return NULL;
}

static const char *set_convention(struct options *options, enum option_id id, const char *value)
{
    static char why[400];
    char near[NEAREST_CONVENTIONS_BYTES];
    (void)options;
    (void)id;
    if (sinpos_convention_find(value) != NULL)
        return NULL;
    if (!nearest_conventions(value, near))
        return "is not a convention; 'sinpos conventions' lists them";
    snprintf(why, sizeof why, "is not a convention; did you mean %s? 'sinpos conventions' lists them", near);
    return why;
}

/* The names of all arithmetics: exact, published, and those of the library. */
static const char *arithmetic_name_at(size_t i)
{
    return i == 0 ? "exact" : i == 1 ? "published" : sinpos_arithmetic_text(sinpos_arithmetic_at(i - 2), "name");
}

bool command_replays(const struct command *command)
{
    return (command->bit & (COMMAND_TABLE | COMMAND_ADD | COMMAND_AUDIT | COMMAND_ROTATE)) != 0;
}

static const char *set_arithmetic(struct options *options, enum option_id id, const char *value)
{
    static char why[160];
    (void)id;
    if (strcmp(value, "exact") != 0 && !command_replays(options->command))
        return "is for table, add, rotate and audit: this command computes exact numbers";
    if (strcmp(value, "exact") == 0 || strcmp(value, "published") == 0 || sinpos_arithmetic_find(value) != NULL)
        return NULL;
    const char *near = nearest_name(value, arithmetic_name_at, 2 + sinpos_arithmetics_count());
    if (near == NULL) {
        return "must be exact, published, float32-exp, float32-pow, ggml, float64-cast or another of "
               "docs/arithmetic.md";
    }
    snprintf(why, sizeof why, "is not an arithmetic; did you mean %s?", near);
    return why;
}

/* Other names of standard output: through them a file behind it would be replaced while it is written to. */
static const char *set_output(struct options *options, enum option_id id, const char *value)
{
    static const struct word words[] = {{"/dev/stdout", 1}, {"/dev/fd/1", 1}, {"/proc/self/fd/1", 1}, {NULL, 0}};
    int is_standard = 0;
    if (find_word(words, value, &is_standard))
        options->given[id] = "-";
    return NULL;
}

static const char *add_set(struct options *options, enum option_id id, const char *value)
{
    (void)id;
    const size_t room = sizeof options->sets / sizeof options->sets[0];
    const char *equals = strchr(value, '=');
    if (equals == NULL || equals == value)
        return "must be KEY=VALUE";
    if (options->n_sets == room)
        return "is one too many; put them into a file and use --parameters";
    options->sets[options->n_sets++] = value;
    return NULL;
}

static const char *add_threshold(struct options *options, enum option_id id, const char *value)
{
    (void)id;
    if (options->n_thresholds == sizeof options->thresholds / sizeof options->thresholds[0])
        return "is one too many";
    options->thresholds[options->n_thresholds++] = value;
    return NULL;
}

/* ------------------------------------------------------------------------------------------------ options */

/* Commands that make or read the rows of an array, and those that ask about an encoding. */
#define ARRAYS (COMMAND_TABLE | COMMAND_ADD | COMMAND_AUDIT | COMMAND_ROTATE)
#define CURVES (COMMAND_KERNEL | COMMAND_DISTANCE)
/* Commands whose --output is an array. */
#define ARRAY_FILES (COMMAND_TABLE | COMMAND_ADD | COMMAND_ROTATE | CURVES | COMMAND_SHIFT | COMMAND_CONVERT)
#define ENCODINGS                                                                                                      \
    (ARRAYS | CURVES | COMMAND_SHIFT | COMMAND_CHECK | COMMAND_PLOT | COMMAND_REPORT | COMMAND_STRUCTURE |             \
     COMMAND_SEPARATE)
#define NAMED (ENCODINGS | COMMAND_BASE | COMMAND_ADVISE)
#define ALL (NAMED | COMMAND_BENCH | COMMAND_CONVENTIONS | COMMAND_IDENTIFY | COMMAND_DIFF)

const struct option_type option_types[N_OPTIONS] = {
    [OPTION_CONVENTION] = {"convention", "NAME", NAMED, "named definition to start from (vaswani)", set_convention},
    [OPTION_SET] = {"set", "KEY=VALUE", NAMED, "a parameter of the convention, as JSON or @FILE.npy; may be repeated",
                    add_set},
    [OPTION_PARAMETERS] = {"parameters", "FILE", ENCODINGS | COMMAND_BASE,
                           "the convention's parameters: one JSON object", NULL},
    [OPTION_FROM_CONFIG] = {"from-config", "PATH", NAMED,
                            "the rotary encoding of a model: its config.json, or its folder", NULL},
    [OPTION_LAYERS] = {"layers", "TYPE|I", NAMED, "with --from-config: which layers (those that have rotary positions)",
                       NULL},
    [OPTION_STRICT] = {"strict", NULL, NAMED, "with --from-config: refuse a model_type that is not known", NULL},
    [OPTION_DIM] = {"dim", "D", NAMED | COMMAND_CONVERT | COMMAND_IDENTIFY | COMMAND_DIFF, "columns (512)", set_size},
    [OPTION_BASE] = {"base", "B", NAMED, "theta_i = C B^(-(i+S)/X); any number above 0 (10000)", set_real},
    [OPTION_BASE_DIVISOR] = {"base-divisor", "Q", ENCODINGS, "B / Q in place of B (1)", set_real},
    [OPTION_SCHEDULE] = {"schedule", "NAME", ENCODINGS, "geometric, power, octave, turns or explicit (geometric)",
                         set_word},
    [OPTION_EXPONENT] = {"exponent", "A", ENCODINGS, "power: theta_i = C (1 - (i+S)/X)^A (1)", set_real},
    [OPTION_SHIFT] = {"shift", "S", ENCODINGS | COMMAND_BASE, "added to the index i (0)", set_real},
    [OPTION_DIVISOR] = {"divisor", "X", ENCODINGS | COMMAND_BASE, "divides the index (D/2)", set_real},
    [OPTION_SCALE] = {"scale", "C", ENCODINGS | COMMAND_BASE, "factor on every frequency (1)", set_real},
    [OPTION_THETA] = {"theta", "FILE|LIST", ENCODINGS,
                      "frequencies, in radians or, with turns, in turns: a .npy, or 1,0.5,0.25", NULL},
    [OPTION_FACTOR] = {"factor", "FILE", ENCODINGS, "a .npy of numbers that divide the frequencies", NULL},
    [OPTION_LAYOUT] = {"layout", "NAME", ENCODINGS, "interleaved or halves (interleaved)", set_word},
    [OPTION_ORDER] = {"order", "NAME", ENCODINGS & ~COMMAND_ROTATE, "sin-cos or cos-sin (sin-cos)", set_word},
    [OPTION_ODD] = {"odd", "NAME", (ENCODINGS & ~COMMAND_ROTATE) | COMMAND_BASE | COMMAND_CONVERT,
                    "what an odd D means: truncate or zero (truncate)", set_word},
    [OPTION_AMPLITUDE] = {"amplitude", "A", ENCODINGS, "factor on every element (1)", set_real},
    [OPTION_PHASE] = {"phase", "P", ENCODINGS, "added to every angle, in radians (0)", set_real},
    [OPTION_PHASE_TURNS] = {"phase-turns", "P", ENCODINGS, "added to every angle, in turns (0)", set_real},
    [OPTION_COLUMNS] =
        {"columns", "LIST|NAME", COMMAND_TABLE | COMMAND_ADD | COMMAND_AUDIT,
         "which of the D columns, in order: 0:4,6,5; -1 zeros, -1x3 three; cos, sin, cos-cos, sin-sin, both", NULL},
    [OPTION_NEGATE] = {"negate", "LIST", COMMAND_TABLE | COMMAND_AUDIT,
                       "columns of the output whose sign is flipped, of zeros too: 3,7:9 (none)", NULL},
    [OPTION_ARITHMETIC] = {"arithmetic", "NAME", ENCODINGS,
                           "exact, published, float32-exp, float32-pow, ggml, float64-cast ... (exact)",
                           set_arithmetic},

    [OPTION_START] = {"start", "P",
                      ARRAYS | COMMAND_CHECK | COMMAND_PLOT | COMMAND_REPORT | COMMAND_STRUCTURE | COMMAND_SEPARATE,
                      "first position, an integer or a real (0)", set_number},
    [OPTION_LENGTH] = {"length", "N",
                       ARRAYS | COMMAND_CHECK | COMMAND_DISTANCE | COMMAND_PLOT | COMMAND_REPORT | COMMAND_STRUCTURE |
                           COMMAND_SEPARATE,
                       "number of positions (4096, or that of the array)", set_size},
    [OPTION_STEP] = {"step", "S", ARRAYS | COMMAND_PLOT, "from one position to the next (1)", set_number},
    [OPTION_POSITIONS] = {"positions", "FILE|LIST", ARRAYS,
                          "a .npy or .json of positions, or 0,5,7.25 or [[0,1],[2,3]]", NULL},
    [OPTION_GRID] = {"grid", "HxW[xT]", ARRAYS, "all points of a grid, row by row; D is shared by its axes", NULL},
    [OPTION_ZERO_ROWS] = {"zero-rows", "LIST", COMMAND_TABLE, "rows of zeros, for padding: 0 or 0:3,9 (none)", NULL},
    [OPTION_TYPE] = {"type", "NAME",
                     ARRAYS | COMMAND_SHIFT | COMMAND_CHECK | COMMAND_REPORT | COMMAND_STRUCTURE | COMMAND_SEPARATE |
                         COMMAND_CONVERT | COMMAND_IDENTIFY | COMMAND_DIFF,
                     "f32, f64, f16 or bf16 (f32, or that of the array)", set_word},

    [OPTION_OUTPUT] = {"output", "FILE",
                       COMMAND_TABLE | COMMAND_ADD | COMMAND_ROTATE | CURVES | COMMAND_SHIFT | COMMAND_BASE |
                           COMMAND_PLOT | COMMAND_REPORT | COMMAND_CONVERT | COMMAND_EXPLORE | COMMAND_AUDIT |
                           COMMAND_SEPARATE | COMMAND_IDENTIFY,
                       "where to write: .npy .safetensors .gguf .csv .h .raw .zarr; - is standard output (.npy)",
                       set_output},
    [OPTION_ZARR] = {"zarr", "2|3", ARRAY_FILES, "with -o FILE.zarr: which version of Zarr; bf16 needs 3 (2)",
                     set_size},
    [OPTION_CHUNK] = {"chunk", "BYTES", ARRAY_FILES, "with -o FILE.zarr: whole rows of this many bytes are a file (8M)",
                      set_bytes},
    [OPTION_TENSOR] = {"tensor", "NAME",
                       ARRAYS | CURVES | COMMAND_SHIFT | COMMAND_CHECK | COMMAND_CONVERT | COMMAND_IDENTIFY |
                           COMMAND_DIFF,
                       "name of the tensor (position_encoding, or the only one)", NULL},
    [OPTION_HASH] = {"hash", NULL, COMMAND_TABLE, "print the SHA-256 of the elements", NULL},
    [OPTION_TOLERANCE] = {"tolerance", "ULP", COMMAND_AUDIT, "exit 1 only beyond this many ulp (0)", set_real},
    [OPTION_OFFSETS] = {"offsets", "LIST|A:B", CURVES | COMMAND_PLOT,
                        "which offsets: 0,1,2.5 or A:B without B, or a .npy (powers of 2)", NULL},
    [OPTION_BY] = {"by", "K", COMMAND_SHIFT, "by how many positions: a whole number, below 0 for back", set_by},
    [OPTION_LIMIT] = {"limit", "N", COMMAND_KERNEL, "search offsets below N for what is asked (2^24, envelope 2^20)",
                      set_size},
    [OPTION_CONTEXT] = {"context", "L,...", COMMAND_BASE | COMMAND_PLOT | COMMAND_REPORT | COMMAND_ADVISE,
                        "offsets 0 .. L-1 must have g >= 0; several are done in turn", NULL},
    [OPTION_PARTIAL] = {"partial", "P", COMMAND_BASE, "only P of the D columns are rotated; X is then P/2", set_size},
    [OPTION_STILL] = {"still", NULL, COMMAND_BASE, "count the (D-P)/2 pairs that are not rotated, 1 each", NULL},
    [OPTION_VERIFY] = {"verify", "FILE", COMMAND_BASE, "check a certificate that -o wrote, in ball arithmetic", NULL},
    [OPTION_RESUME] = {"resume", NULL, COMMAND_TABLE | COMMAND_ADD | COMMAND_AUDIT | COMMAND_SEPARATE | COMMAND_BASE,
                       "keep what is done beside FILE, and go on with what is there", NULL},
    [OPTION_PAUSE_AFTER] = {"pause-after", "N", COMMAND_BASE, "stop after N steps; --resume goes on", set_size},
    [OPTION_TEXT] = {"text", NULL, COMMAND_PLOT, "print the figure as text, as wide as the terminal", NULL},
    [OPTION_DATA] = {"data", "FILE", COMMAND_PLOT, "keep the numbers, comma-separated", set_output},
    [OPTION_SCRIPT] = {"script", "FILE", COMMAND_PLOT, "keep the gnuplot source that draws the figure", set_output},
    [OPTION_SIZE] = {"size", "WxH", COMMAND_PLOT,
                     "pixels, in .svg and .pdf 1/96 inch (900x600); of text columns and lines", NULL},
    [OPTION_TITLE] = {"title", "TEXT", COMMAND_PLOT | COMMAND_REPORT, "in place of the figure's own title", NULL},
    [OPTION_DATE] = {"date", "YYYY-MM-DD", COMMAND_REPORT, "put this date on the page (none: the same bytes each time)",
                     NULL},
    [OPTION_COMPARE] = {"compare", NULL, COMMAND_REPORT, "compare the encodings that are defined as arguments", NULL},
    [OPTION_CONTINUUM] = {"continuum", "THETA", COMMAND_KERNEL,
                          "theta(t), t from 0 to 1: 'exp(-9.21*t)', t^2, ...; or none (that of the encoding)", NULL},
    [OPTION_SCHEDULES] = {"schedules", "THETA,...", COMMAND_KERNEL,
                          "compare the continua of several theta(t) instead; or usual", NULL},
    [OPTION_PUBLISHED] = {"published", NULL, COMMAND_BASE,
                          "compare the bases of arXiv 2405.14591, table 2, with the proved ones (D 128)", NULL},
    [OPTION_LENGTHS] = {"lengths", NULL, COMMAND_BASE,
                        "no search: periods of base B against the training length and the context", NULL},
    [OPTION_TRAIN] = {"train", "T", COMMAND_BASE | COMMAND_ADVISE, "--lengths: training length (the context)",
                      set_real},
    [OPTION_ALPHA] = {"alpha", "A", COMMAND_BASE, "--lengths: below A turns in T YaRN interpolates (1)", set_real},
    [OPTION_BETA] = {"beta", "B", COMMAND_BASE, "--lengths: above B turns in T YaRN keeps a tone (32)", set_real},
    [OPTION_ONLY] = {"only", "KEY,...", COMMAND_BENCH, "measure only these", NULL},
    [OPTION_QUICK] = {"quick", NULL, COMMAND_BENCH, "a quarter of the rows and fewer repeats: rough figures", NULL},
    [OPTION_TABLE] = {"table", "FILE", COMMAND_CHECK | COMMAND_STRUCTURE,
                      "judge the rows of this array, not the exact ones", NULL},
    [OPTION_EXPLAIN] = {"explain", NULL, COMMAND_CHECK, "the mathematics of each claim, and more numbers", NULL},
    [OPTION_THRESHOLD] = {"threshold", "CLAIM=X", COMMAND_CHECK,
                          "decide by another threshold than the chosen one (*): decay=0.3; may be repeated",
                          add_threshold},
    [OPTION_WORDS] = {"words", "FILE", COMMAND_STRUCTURE | COMMAND_CHECK,
                      "embeddings of words, a row each (random tokens)", NULL},
    [OPTION_H] = {"H", "FILE", COMMAND_STRUCTURE, "the matrix of p_m' H p_n, D x D (the identity)", NULL},
    [OPTION_WQ] = {"wq", "FILE", COMMAND_STRUCTURE, "W_q, head x D: with --wk, H = W_q' W_k", NULL},
    [OPTION_WK] = {"wk", "FILE", COMMAND_STRUCTURE, "W_k, head x D", NULL},
    [OPTION_SEED] = {"seed", "N", COMMAND_STRUCTURE | COMMAND_CHECK | COMMAND_CONVERT, "of everything random (1)",
                     set_size},
    [OPTION_DIM_TABLE] = {"table", NULL, COMMAND_SEPARATE,
                          "how many columns are needed: distances by columns and length", NULL},
    [OPTION_DIMS] = {"dims", "D,...", COMMAND_SEPARATE | COMMAND_BASE,
                     "with --table: columns, even (8,16,32,64,128,256,512,1024)", NULL},
    [OPTION_TABLE_LENGTHS] = {"lengths", "N,...", COMMAND_SEPARATE,
                              "with --table: numbers of positions (512,4096,32768,262144,1048576)", NULL},
    [OPTION_BASES] = {"bases", "B,...", COMMAND_SEPARATE, "with --table: several bases in turn", NULL},
    [OPTION_WANTED] = {"wanted", "DISTANCE", COMMAND_SEPARATE,
                       "with --table: rows are to be this far apart (1, the radius of one tone)", set_real},
    [OPTION_NEAREST] = {"nearest", "K", COMMAND_SEPARATE, "list the K offsets with the smallest distances (5)",
                        set_size},
    [OPTION_ROUNDED] = {"rounded", NULL, COMMAND_SEPARATE,
                        "also the nearest rows as types hold them, however long that takes", NULL},
    [OPTION_METHOD] = {"method", "NAME", COMMAND_SEPARATE, "look for equal rows by offsets or by hashes (auto)",
                       set_word},
    [OPTION_MEMORY] = {"memory", "BYTES", COMMAND_SEPARATE, "hashes beyond this go to a temporary file (1G)",
                       set_bytes},
    [OPTION_TEMPORARY] = {"temporary", "FOLDER", COMMAND_SEPARATE, "where that is ($TMPDIR or /tmp)", NULL},
    [OPTION_FROM] = {"from", "A", COMMAND_CONVERT,
                     "what IN is: halves, interleaved,cos-sin, a convention; or half, pair", NULL},
    [OPTION_TO] = {"to", "B", COMMAND_CONVERT, "what OUT is to be", NULL},
    [OPTION_HEADS] = {"heads", "H", COMMAND_CONVERT | COMMAND_ROTATE | COMMAND_DIFF,
                      "heads of queries (what the model or its config.json says)", set_size},
    [OPTION_INVERSE] = {"inverse", NULL, COMMAND_ROTATE, "undo it: by minus the angle, divided by the amplitude", NULL},
    [OPTION_TRANSPOSE] = {"transpose", NULL, COMMAND_ROTATE, "its gradient: by minus the angle, times the amplitude",
                          NULL},
    [OPTION_KV_HEADS] = {"kv-heads", "K", COMMAND_CONVERT, "heads of keys (likewise, or H)", set_size},
    [OPTION_ROTARY_DIM] = {"rotary-dim", "R", COMMAND_CONVERT, "rows of a head that are rotated (likewise, or all)",
                           set_size},
    [OPTION_TENSORS] = {"tensors", "GLOB,...", COMMAND_CONVERT, "move the rows of these (q and k by their usual names)",
                        NULL},
    [OPTION_ALL] = {"all", NULL, COMMAND_IDENTIFY, "compare every row, however many there are", NULL},
    [OPTION_OTHER_TENSOR] = {"other-tensor", "NAME", COMMAND_DIFF, "name of B's tensor (that of --tensor)", NULL},
    [OPTION_ROTATED] = {"rotated", NULL, COMMAND_DIFF, "A and B are queries or keys that were rotated", NULL},
    [OPTION_INPUT] = {"input", "FILE", COMMAND_DIFF, "with --rotated: what A and B were before (not known)", NULL},
    [OPTION_JSON] = {"json", NULL, ALL | COMMAND_CONVERT, "print one JSON object", NULL},
    [OPTION_QUIET] = {"quiet", NULL, NAMED | COMMAND_CONVERT | COMMAND_IDENTIFY | COMMAND_DIFF, "print only errors",
                      NULL},
    [OPTION_THREADS] = {"threads", "N", ALL, "threads, 1 to 1024 (all processors)", set_size},
    [OPTION_ISA] = {"isa", "NAME", ALL, "use at most scalar, neon, avx2 or avx512", NULL},
    [OPTION_HELP] = {"help", NULL, ALL | COMMAND_CONVERT | COMMAND_EXPLORE, "print this", NULL},
};

const char *option_name_at(size_t i)
{
    return option_types[i].name;
}

/* ----------------------------------------------------------------------------------------------- parsing */

static noreturn void fail_value(const struct options *options, enum option_id id, const char *hint, const char *why,
                                va_list arguments)
{
    char what[300], text[1200];
    const char *value = options->given[id] == NULL ? "" : options->given[id];
    snprintf(what, sizeof what, "--%s%s%.200s", option_types[id].name, value[0] == '\0' ? "" : " ", value);
    vsnprintf(text, sizeof text, why, arguments);
    fail(EXIT_USAGE, hint, what, "%s", text);
}

noreturn void fail_option(const struct options *options, enum option_id id, const char *hint, const char *why, ...)
{
    va_list arguments;
    va_start(arguments, why);
    fail_value(options, id, hint, why, arguments);
}

void refuse_options(const struct options *options, const enum option_id *ids, size_t n, const char *hint,
                    const char *why, ...)
{
    va_list arguments;
    va_start(arguments, why);
    for (size_t i = 0; i < n; i++)
        if (options->given[ids[i]] != NULL)
            fail_value(options, ids[i], hint, why, arguments);
    va_end(arguments);
}

static noreturn void fail_unknown(const struct command *command, const char *argument, const char *name)
{
    char hint[200];
    const char *near = nearest_name(name, option_name_at, N_OPTIONS);
    if (near != NULL)
        snprintf(hint, sizeof hint, "did you mean --%s? 'sinpos %s --help' lists the options", near, command->name);
    else
        snprintf(hint, sizeof hint, "'sinpos %s --help' lists the options", command->name);
    fail(EXIT_USAGE, hint, argument, "unknown option");
}

static void take_value(struct options *options, enum option_id id, const char *value)
{
    const struct option_type *type = &option_types[id];
    char hint[100];
    options->given[id] = value;
    const char *why = type->set == NULL ? NULL : type->set(options, id, value);
    if (why == NULL && value[0] == '\0' && type->argument != NULL)
        why = "a value is missing";
    snprintf(hint, sizeof hint, "'sinpos %s --help' explains the options", options->command->name);
    if (why != NULL)
        fail_option(options, id, hint, "%s", why);
}

/* "--name", "--name=value" or "-o"; of two with one name that of the command. N_OPTIONS where there is none. */
static enum option_id find_option(const struct command *command, const char *argument, char *name, size_t room,
                                  const char **value)
{
    static const struct word letters[] = {
        {"-o", OPTION_OUTPUT}, {"-h", OPTION_HELP}, {"-q", OPTION_QUIET}, {"-k", OPTION_BY}, {NULL, 0}};
    int letter = 0;
    *value = NULL;
    snprintf(name, room, "%s", argument);
    if (argument[1] != '-')
        return find_word(letters, argument, &letter) ? (enum option_id)letter : N_OPTIONS;
    const char *equals = strchr(argument, '=');
    const size_t length = equals == NULL ? strlen(argument) - 2 : (size_t)(equals - argument) - 2;
    snprintf(name, length + 1 < room ? length + 1 : room, "%s", argument + 2);
    *value = equals == NULL ? NULL : equals + 1;
    enum option_id found = N_OPTIONS;
    for (size_t i = 0; i < N_OPTIONS; i++) {
        const bool is_of_command = (option_types[i].commands & (unsigned)command->bit) != 0;
        if (strcmp(option_types[i].name, name) == 0 && (found == N_OPTIONS || is_of_command))
            found = (enum option_id)i;
    }
    return found;
}

static noreturn void fail_missing(const struct command *command, const char *argument)
{
    char hint[100];
    snprintf(hint, sizeof hint, "'sinpos %s --help' explains the options", command->name);
    fail(EXIT_USAGE, hint, argument, "a value is missing after it");
}

/* The command must have it, and a flag no value. Returns whether it takes a value; a flag is then given. */
static bool takes_value(struct options *options, enum option_id id, const char *value, const char *argument)
{
    const struct option_type *type = &option_types[id];
    if ((type->commands & (unsigned)options->command->bit) == 0) {
        char what[220];
        snprintf(what, sizeof what, "--%s", type->name);
        fail(EXIT_USAGE, "each command's --help lists its options", what, "is not an option of 'sinpos %s'",
             options->command->name);
    }
    if (type->argument != NULL)
        return true;
    if (value != NULL)
        fail(EXIT_USAGE, "leave out the = and what follows", argument, "this option takes no value");
    options->given[id] = "";
    return false;
}

void options_set(struct options *options, enum option_id id, const char *value)
{
    if (takes_value(options, id, value, option_types[id].name))
        take_value(options, id, value);
}

/* Takes the option at argv[*at], and its value. */
static void take_option(struct options *options, int argc, char **argv, int *at)
{
    char name[200];
    const char *value;
    const char *argument = argv[*at];
    const enum option_id id = find_option(options->command, argument, name, sizeof name, &value);
    if (id == N_OPTIONS)
        fail_unknown(options->command, argument, name);
    if (!takes_value(options, id, value, argument))
        return;
    if (value == NULL && *at + 1 >= argc)
        fail_missing(options->command, argument);
    take_value(options, id, value != NULL ? value : argv[++*at]);
}

static void check_operands(const struct options *options)
{
    const struct command *command = options->command;
    char usage[300];
    snprintf(usage, sizeof usage, "sinpos %s %s", command->name, command->usage);
    if (options->n_operands < command->n_operands_least)
        fail(EXIT_USAGE, usage, command->name, "the name of a file is missing");
    if (options->n_operands > command->n_operands_most) {
        fail(EXIT_USAGE, usage, options->operands[command->n_operands_most], "one argument too many for 'sinpos %s'",
             command->name);
    }
}

static void apply_isa(const struct options *options)
{
    const char *isa = options->given[OPTION_ISA];
    if (isa == NULL || sinpos_isa_cap(isa) == SINPOS_OK)
        return;
    static const struct word words[] = {{"scalar", 1}, {"neon", 1}, {"avx2", 1}, {"avx512", 1}, {NULL, 0}};
    int found = 0;
    fail_option(options, OPTION_ISA, "'sinpos --version' prints the one in use", "%s",
                find_word(words, isa, &found) ? "this processor or this build does not have it"
                                              : "must be scalar, neon, avx2 or avx512");
}

bool arithmetic_is_exact(const struct options *options)
{
    const char *name = options->given[OPTION_ARITHMETIC];
    return name == NULL || strcmp(name, "exact") == 0;
}

void options_parse(struct options *options, const struct command *command, int argc, char **argv)
{
    const sinpos_spec spec = SINPOS_SPEC_INIT;
    const struct number zero = {true, 0, 0}, one = {true, 1, 1};
    *options = (struct options){.command = command,
                                .spec = spec,
                                .type = SINPOS_F32,
                                .start = zero,
                                .step = one,
                                .length = 4096,
                                .wanted = 1,
                                .nearest = 5,
                                .memory_bytes = (size_t)1 << 30,
                                .seed = 1,
                                .operands = (const char **)argv};
    bool only_operands = false;
    for (int at = 0; at < argc; at++) {
        const char *argument = argv[at];
        if (!only_operands && strcmp(argument, "--") == 0)
            only_operands = true;
        else if (!only_operands && argument[0] == '-' && argument[1] != '\0')
            take_option(options, argc, argv, &at);
        else
            options->operands[options->n_operands++] = argument; /* never overtakes at */
    }
    if (options->given[OPTION_HELP] != NULL)
        return;
    check_operands(options);
    apply_isa(options);
}
