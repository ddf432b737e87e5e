/*
 * The journal of --resume, damaged: what is kept must be right, or done again, or refused in a line.
 *
 * The first byte says of which job: 'r', blocks whose records lie in it, or 'a', those of an array beside it; the second what
 * follows. 'e': changes of a true journal, or of the array, a few bytes each. 't': the text of a journal; '@' stands for the
 * request of a true one, and '?' for each digit of the sum of its first lines.
 */
#define _DEFAULT_SOURCE
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "checksum.h"
#include "fuzz.h"
#include "fuzz_reader.h"
#include "fuzz_request.h"
#include "kept.h"
#include "written.h"

enum { N_BLOCKS = 5, N_DONE = 3, BLOCK = 6, DIM = 2, MOST_TEXT = 4096, MOST_CHANGES = 6, LONGEST = 300 };

struct text {
    char bytes[MOST_TEXT + 1];
    size_t n;
    bool is_there;
};

static struct options options;
static char path[LONGEST], list[LONGEST + 20], part[LONGEST + 20];
static size_t n_made, n_taken[N_BLOCKS], stop_at;
static bool is_array, is_wrong, is_stopped;

/* ------------------------------------------------------------------------------------------------------- the jobs */

/* A record, and a state; of unequal lengths. */
static void put_record(struct record *record, size_t block, bool is_state)
{
    record_word(record, 1000 + block);
    for (size_t i = 0; i <= block; i++)
        record_text(record, is_state ? "as far as this " : i % 2 == 0 ? "found\n" : "something else");
}

/* A state that was copied is there more than once. */
static bool is_record(const struct record *record, size_t block, bool is_state)
{
    struct record right = {0};
    size_t n = 0;
    while (n == 0 || (is_state && right.n < record->n)) {
        put_record(&right, block, is_state);
        n++;
    }
    const bool is_same = record->n == right.n && memcmp(record->bytes, right.bytes, right.n) == 0;
    record_free(&right);
    return is_same;
}

static void count_made(void)
{
    is_stopped = n_made == stop_at;
    if (is_stopped)
        fail(EXIT_FILE, "go on", "the job", "is stopped");
    n_made++;
}

static void make_record(void *context, size_t block, struct record *state, struct record *found)
{
    struct record more = {0};
    if (state->n != 0 && !is_record(state, block, true))
        is_wrong = true;
    put_record(&more, block, true);
    if (state->n == 0 && block % 2 == 0)
        kept_state(context, block, &more);
    record_free(&more);
    count_made();
    put_record(found, block, false);
}

static void take_found(void *context, size_t block, struct record *found)
{
    (void)context;
    n_taken[block]++;
    if (!is_record(found, block, false))
        is_wrong = true;
}

static void run_records(void)
{
    static const size_t order[N_BLOCKS] = {3, 1, 4, 0, 2};
    static struct kept kept;
    kept = (struct kept){.options = &options,
                         .n_blocks = N_BLOCKS,
                         .order = order,
                         .context = &kept,
                         .make = make_record,
                         .take = take_found};
    kept_run(&kept);
    kept_end(&kept);
}

static float element(size_t i)
{
    return 0.5F + (float)i;
}

static void make_elements(void *context, size_t first, size_t n, void *data)
{
    (void)context;
    count_made();
    for (size_t i = 0; i < n; i++)
        ((float *)data)[i] = element(first + i);
}

static void run_array(void)
{
    static struct output output;
    output = output_of(&options);
    output.array =
        (sinpos_array){.element = (sinpos_element)SINPOS_F32, .n_dims = 2, .shape = {N_BLOCKS * BLOCK / DIM, DIM}};
    output.bytes = N_BLOCKS * BLOCK * sizeof(float);
    output.block_elements = BLOCK;
    output.make = make_elements;
    output_begin(&output, "table");
    output_make(&output);
    output_end(&output);
    output_finish(&output);
}

static void run_job(void *context)
{
    (void)context;
    if (is_array)
        run_array();
    else
        run_records();
}

/* ------------------------------------------------------------------------------------------------------- the files */

static void save(const char *at, const struct text *text)
{
    (void)unlink(at);
    if (!text->is_there)
        return;
    FILE *f = fopen(at, "wb");
    if (f == NULL || fwrite(text->bytes, 1, text->n, f) != text->n || fclose(f) != 0)
        abort();
}

static void load(const char *at, struct text *text)
{
    FILE *f = fopen(at, "rb");
    *text = (struct text){.is_there = f != NULL};
    if (f != NULL) {
        text->n = fread(text->bytes, 1, MOST_TEXT, f);
        (void)fclose(f);
    }
}

/* Runs the job on what lies there. Returns how it ended. */
static int run(const struct text *journal, const struct text *data, size_t stop)
{
    save(list, journal);
    save(part, data);
    (void)unlink(path);
    memset(n_taken, 0, sizeof n_taken);
    n_made = 0;
    is_wrong = is_stopped = false;
    stop_at = stop;
    return ending_of(run_job, NULL);
}

/* The journal, and the data, of a job that was stopped. */
static void make_true(struct text *journal, struct text *data)
{
    static const struct text none;
    if (run(&none, &none, N_DONE) != EXIT_FILE)
        abort();
    load(list, journal);
    load(part, data);
    if (!journal->is_there || data->is_there != is_array)
        abort();
}

static void look_at_end(int code)
{
    struct text whole;
    if (is_wrong || (code != EXIT_DONE && code != EXIT_FILE))
        abort();
    for (size_t i = 0; !is_array && code == EXIT_DONE && i < N_BLOCKS; i++)
        if (n_taken[i] != 1)
            abort();
    if (!is_array || code != EXIT_DONE)
        return;
    load(path, &whole);
    if (!whole.is_there || whole.n != N_BLOCKS * BLOCK * sizeof(float))
        abort();
    for (size_t i = 0; i < N_BLOCKS * BLOCK; i++) {
        const float x = element(i);
        if (memcmp(whole.bytes + i * sizeof x, &x, sizeof x) != 0) /* the machines that fuzz are little-endian */
            abort();
    }
}

/* ----------------------------------------------------------------------------------------------------- the changes */

/* Counted from the end where the highest bit is set. */
static size_t take_place(bytes *b, const struct text *text)
{
    const size_t low = take_u8(b), high = take_u8(b), at = (low + 256 * (high & 127)) % (text->n + 1);
    return high < 128 ? at : text->n - at;
}

enum { SET, CUT, COPY, LEAVE_OUT, PUT_IN, GONE = 7 };

/* A byte set, the end cut off, a stretch copied over another, a byte left out or put in. */
static void change(bytes *b, struct text *text, int kind)
{
    const size_t at = take_place(b, text);
    if (kind == SET && at < text->n)
        text->bytes[at] = (char)take_u8(b);
    if (kind == CUT)
        text->n = at;
    if (kind == COPY) {
        const size_t to = take_place(b, text), n = take_u8(b), most = text->n - (at > to ? at : to);
        memmove(text->bytes + to, text->bytes + at, n < most ? n : most);
    }
    if (kind == LEAVE_OUT && at < text->n) {
        memmove(text->bytes + at, text->bytes + at + 1, text->n - at - 1);
        text->n--;
    }
    if (kind == PUT_IN && text->n < MOST_TEXT) {
        memmove(text->bytes + at + 1, text->bytes + at, text->n - at);
        text->bytes[at] = (char)take_u8(b);
        text->n++;
    }
}

/* One byte damages the first lines, or a record, or two lines of an array: its block, and the one that it now names. */
static void try_changes(bytes *b, struct text *journal, struct text *data)
{
    const size_t n_open = N_BLOCKS - N_DONE;
    size_t most = n_open;
    for (int i = 0; b->left > 0 && i < MOST_CHANGES; i++) {
        const uint8_t how = take_u8(b);
        const int kind = how & 7;
        struct text *text = is_array && (how & 8) != 0 ? data : journal;
        const bool is_byte = i == 0 && (kind == SET || (kind == PUT_IN && text == journal));
        most = is_byte ? n_open + (is_array ? 2 : 1) : N_BLOCKS;
        text->is_there = text->is_there && kind != GONE;
        change(b, text, kind);
    }
    /* Stopped once more, it has lost nothing. */
    int code = run(journal, data, 1);
    look_at_end(code);
    size_t n_kept = 0;
    for (size_t i = 0; i < N_BLOCKS; i++)
        n_kept += n_taken[i];
    if (is_stopped) {
        load(list, journal);
        load(part, data);
        code = run(journal, data, SIZE_MAX);
        look_at_end(code);
        if (code != EXIT_DONE || (!is_array && n_made + n_kept > N_BLOCKS) || n_made + 1 > most)
            abort();
    } else if (most == n_open) { /* nothing was changed, and there was work for two */
        abort();
    }
}

/* The request of a true journal, or the sum of what comes before it. */
static void expand(bytes *b, const struct text *journal, struct text *text)
{
    const char *end = strstr(journal->bytes, "\nend ");
    const size_t request = end == NULL ? 0 : (size_t)(end + 1 - journal->bytes);
    *text = (struct text){.is_there = true};
    while (b->left > 0 && text->n < MOST_TEXT - request - 20) {
        const char c = (char)take_u8(b);
        if (c == '@') {
            memcpy(text->bytes + text->n, journal->bytes, request);
            text->n += request;
        } else if (c == '?' && text->n >= 4) {
            (void)snprintf(text->bytes + text->n, 17, "%016" PRIx64, checksum(text->bytes, text->n - 4, 0));
            text->n += 16;
        } else {
            text->bytes[text->n++] = c;
        }
    }
}

static void begin(void)
{
    static char words[][LONGEST] = {"--dim=2", "--length=15", "--resume", "--quiet", "-o"};
    char *argv[] = {words[0], words[1], words[2], words[3], words[4], path};
    (void)snprintf(path, sizeof path, "%s", put_file(NULL, 0, "output.raw"));
    (void)snprintf(list, sizeof list, "%s", put_file(NULL, 0, "output.raw.journal"));
    (void)snprintf(part, sizeof part, "%s", put_file(NULL, 0, "output.raw.part"));
    options_parse(&options, &table_command, 6, argv);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct text true_list, true_part, text;
    bytes b = {data, size};
    if (path[0] == '\0')
        begin();
    is_array = take_u8(&b) == 'a';
    make_true(&true_list, &true_part);
    if (take_u8(&b) == 't') {
        expand(&b, &true_list, &text);
        (void)run(&text, &true_part, SIZE_MAX);
    } else {
        try_changes(&b, &true_list, &true_part);
    }
    (void)unlink(list);
    (void)unlink(part);
    return 0;
}
