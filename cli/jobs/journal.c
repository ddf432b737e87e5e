#include "journal.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "checksum.h"
#include "error_line.h"
#include "is_missing.h"
#include "no_memory.h"

#define FIRST_WORDS "sinpos journal "
#define FIRST_LINE FIRST_WORDS "1\n"
#define END "end "
enum { SUM_DIGITS = 16, MOST_TRIES = 100 };

/* ----------------------------------------------------------------------------------------------- the file */

static noreturn void fail_journal(const struct journal *journal, int number)
{
    const bool is_full = number == ENOSPC || number == EDQUOT || number == EFBIG;
    fail_errno(journal->path, number,
               is_full ? "make room; the same command with --resume goes on"
                       : "the journal of --resume lies beside the output: check the folder and the device");
}

static void write_text(const struct journal *journal, const char *text, size_t n)
{
    while (n > 0) {
        const ssize_t some = write(journal->fd, text, n);
        if (some < 0 && errno != EINTR)
            fail_journal(journal, errno);
        if (some > 0) {
            text += some;
            n -= (size_t)some;
        }
    }
}

static struct request_text read_text(const struct journal *journal)
{
    struct request_text text = {0};
    ssize_t some = 1;
    while (some != 0) {
        text.text = memory_grow(text.text, text.n, &text.room, 1);
        some = read(journal->fd, text.text + text.n, text.room - text.n);
        if (some < 0 && errno != EINTR)
            fail_journal(journal, errno);
        text.n += some > 0 ? (size_t)some : 0;
    }
    return text;
}

static void cut(const struct journal *journal, size_t n)
{
    while (ftruncate(journal->fd, (off_t)n) != 0)
        if (errno != EINTR)
            fail_journal(journal, errno);
}

static void sync_journal(const struct journal *journal)
{
    while (fsync(journal->fd) != 0)
        if (errno != EINTR)
            fail_journal(journal, errno);
}

/* False: another sinpos removed it meanwhile. */
static bool open_and_lock(struct journal *journal)
{
    struct stat own, there;
    journal->fd = open(journal->path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666);
    if (journal->fd < 0)
        fail_journal(journal, errno);
    if (fstat(journal->fd, &own) != 0)
        fail_journal(journal, errno);
    if (!S_ISREG(own.st_mode))
        fail(EXIT_FILE, "move it away", journal->path, "is not a regular file, as a journal is");
    while (flock(journal->fd, LOCK_EX | LOCK_NB) != 0) {
        if (errno == EWOULDBLOCK)
            fail(EXIT_FILE, "wait until it has ended", journal->path, "another sinpos is at work on this output");
        if (errno != EINTR)
            fail_journal(journal, errno);
    }
    const bool is_there = stat(journal->path, &there) == 0;
    if (is_there && there.st_ino == own.st_ino && there.st_dev == own.st_dev)
        return true;
    if (!is_there && !is_missing(errno))
        fail_journal(journal, errno);
    close(journal->fd);
    return false;
}

/* ------------------------------------------------------------------------------------------------- lines */

static void sum_text(char text[SUM_DIGITS + 1], uint64_t sum)
{
    snprintf(text, SUM_DIGITS + 1, "%016" PRIx64, sum);
}

/* The request, and what follows it; to be freed. */
static struct request_text make_head(const struct request_text *request, size_t n_blocks)
{
    struct request_text head = {0};
    char line[40], sum[SUM_DIGITS + 1];
    request_add(&head, FIRST_LINE, strlen(FIRST_LINE));
    request_add(&head, request->text, request->n);
    snprintf(line, sizeof line, "blocks %zu\n", n_blocks);
    request_add(&head, line, strlen(line));
    sum_text(sum, checksum(head.text, head.n, 0));
    snprintf(line, sizeof line, END "%s\n", sum);
    request_add(&head, line, strlen(line) + 1);
    head.n--; /* the zero */
    return head;
}

/* Bytes of the head of a journal; 0: it has none that is whole and right. */
static size_t head_length(const struct request_text *text)
{
    const char *end = text->text + text->n;
    if (strncmp(text->text, FIRST_WORDS, strlen(FIRST_WORDS)) != 0)
        return 0;
    for (const char *line = text->text; line < end;) {
        const char *next = memchr(line, '\n', (size_t)(end - line));
        if (next == NULL || memchr(line, '\0', (size_t)(next - line)) != NULL)
            return 0;
        if (strncmp(line, END, strlen(END)) == 0) {
            char sum[SUM_DIGITS + 1];
            sum_text(sum, checksum(text->text, (size_t)(line - text->text), 0));
            const bool is_right =
                (size_t)(next - line) == strlen(END) + SUM_DIGITS && memcmp(line + strlen(END), sum, SUM_DIGITS) == 0;
            return is_right ? (size_t)(next + 1 - text->text) : 0;
        }
        line = next + 1;
    }
    return 0;
}

/* What a line says, with its sum; has_record: its record follows. */
struct line {
    struct journal_entry entry;
    uint64_t sum;
    bool has_record;
};

/* A whole number of decimal digits, which *text is moved behind; false: there is none. */
static bool take_number(const char **text, size_t *number)
{
    char *end;
    errno = 0;
    const uint64_t value = strtoull(*text, &end, 10);
    const bool is_one = **text >= '0' && **text <= '9' && errno == 0 && value <= SIZE_MAX;
    *number = is_one ? (size_t)value : 0;
    *text = end;
    return is_one;
}

static bool parse_line(const struct journal *journal, const char *from, size_t length, struct line *line)
{
    char text[80], *end;
    const char *at = text;
    *line = (struct line){.sum = 0};
    if (length >= sizeof text)
        return false;
    memcpy(text, from, length);
    text[length] = '\0';
    line->entry.is_state = text[0] == '+';
    at += line->entry.is_state;
    if (!take_number(&at, &line->entry.block) || line->entry.block >= journal->n_blocks || *at != ' ' ||
        strspn(at + 1, "0123456789abcdef") != SUM_DIGITS)
        return false;
    line->sum = strtoull(at + 1, &end, 16);
    at = end;
    line->has_record = *at == ' ';
    at += line->has_record;
    return line->has_record == journal->has_records && (!line->has_record || take_number(&at, &line->entry.n)) &&
           at == text + length && (line->has_record || !line->entry.is_state);
}

static void set_done(struct journal *journal, size_t block, uint64_t sum)
{
    journal->is_done[block] = true;
    journal->sums[block] = sum;
}

/* So that a record cannot stand for another block, or a state for a result. */
static uint64_t record_sum(const char *bytes, const struct journal_entry *entry)
{
    return checksum(bytes, entry->n, 2 * (uint64_t)entry->block + entry->is_state);
}

/* n_left: bytes that follow its line. */
static bool is_whole_record(const struct request_text *text, const struct line *line, size_t n_left)
{
    return line->entry.n < n_left && record_sum(text->text + line->entry.at, &line->entry) == line->sum;
}

static void take_record(struct journal *journal, const struct line *line)
{
    const size_t block = line->entry.block;
    if (journal->is_done[block])
        return;
    journal->entries =
        memory_grow(journal->entries, journal->n_entries, &journal->entries_room, sizeof *journal->entries);
    journal->entries[journal->n_entries++] = line->entry;
    if (!line->entry.is_state)
        set_done(journal, block, line->sum);
}

/*
 * What follows the head. Behind a damaged record the next line is looked for. What a kill cut short is the last: a piece of a
 * line, or a record that would be longer than the file, with no line behind it.
 */
static void take_lines(struct journal *journal, const struct request_text *text, size_t at)
{
    size_t torn = SIZE_MAX;
    while (at < text->n) {
        struct line line;
        const char *from = text->text + at, *next = memchr(from, '\n', text->n - at);
        if (next == NULL) {
            torn = torn < at ? torn : at;
            break;
        }
        const size_t begins = at, length = (size_t)(next - from);
        const bool is_line = parse_line(journal, from, length, &line);
        at = line.entry.at = begins + length + 1;
        if (!is_line)
            continue;
        if (line.has_record && !is_whole_record(text, &line, text->n - at)) {
            const bool is_cut = line.entry.n >= text->n - at;
            torn = is_cut && begins < torn ? begins : torn;
            journal->n_damaged += !is_cut;
            continue;
        }
        journal->n_damaged += torn != SIZE_MAX;
        torn = SIZE_MAX;
        if (line.has_record)
            take_record(journal, &line);
        else
            set_done(journal, line.entry.block, line.sum);
        at += line.has_record ? line.entry.n + 1 : 0;
    }
    if (torn != SIZE_MAX && journal->head == NULL) /* that of another request stays as it is */
        cut(journal, torn);
}

/* Is this the beginning of a head, which a kill cut short before any block was begun? Lines of blocks begin so. */
static bool is_torn(const struct request_text *text)
{
    const size_t first = strlen(FIRST_LINE), n = text->n < first ? text->n : first;
    const char *end = strstr(text->text, "\n" END);
    bool has_blocks = strlen(text->text) < text->n; /* what follows a zero is not known */
    for (const char *line = strchr(text->text, '\n'); line != NULL; line = strchr(line + 1, '\n'))
        has_blocks = has_blocks || line[1] == '+' || (line[1] >= '0' && line[1] <= '9');
    return memcmp(text->text, FIRST_LINE, n) == 0 && !has_blocks && (end == NULL || strchr(end + 1, '\n') == NULL);
}

static void begin_journal(struct journal *journal, const struct request_text *head)
{
    cut(journal, 0);
    write_text(journal, head->text, head->n);
    sync_journal(journal);
    journal->is_new = true;
}

static void look(struct journal *journal, const struct request_text *head, struct request_text *text)
{
    request_add(text, "", 1); /* a zero behind it */
    text->n--;
    const size_t length = head_length(text);
    if (length == 0 && is_torn(text)) {
        begin_journal(journal, head);
        return;
    }
    if (length == 0) {
        const bool is_ours = strncmp(text->text, FIRST_LINE, strlen(FIRST_LINE)) == 0;
        fail(EXIT_FILE, is_ours ? "remove it, and the unfinished file beside it, to begin again" : "move it away",
             journal->path,
             is_ours ? "is damaged: its first lines do not have their checksum" : "is not a journal of sinpos");
    }
    if (length != head->n || memcmp(text->text, head->text, length) != 0) {
        journal->head = memory_copy(text->text, length + 1, 1);
        journal->head[length] = '\0';
    }
    const char *blocks = strstr(text->text, "\nblocks ");
    if (blocks != NULL && strtoull(blocks + 8, NULL, 10) == journal->n_blocks && text->n > length)
        take_lines(journal, text, length);
}

void journal_none(struct journal *journal, size_t n_blocks)
{
    *journal = (struct journal){.fd = -1, .n_blocks = n_blocks};
    journal->is_done = memory_take(n_blocks + 1, sizeof *journal->is_done);
    journal->sums = memory_take(n_blocks + 1, sizeof *journal->sums);
}

void journal_open(struct journal *journal, const char *path, const struct request_text *request, size_t n_blocks,
                  bool has_records)
{
    journal_none(journal, n_blocks);
    journal->has_records = has_records;
    journal->path = memory_copy(path, strlen(path) + 1, 1);
    for (int tried = 0; !open_and_lock(journal); tried++)
        if (tried == MOST_TRIES)
            fail(EXIT_FILE, "give the command again", path, "is made and removed again and again");
    struct request_text head = make_head(request, n_blocks);
    journal->text = read_text(journal);
    look(journal, &head, &journal->text);
    free(head.text);
}

/* ---------------------------------------------------------------------------------------------- requests */

/* The next line from *at on that is not of the kind; NULL: there is none. */
static const char *next_line(const char **at, size_t *length, const char *kind)
{
    const char *line = *at;
    while (*line != '\0') {
        *length = strcspn(line, "\n");
        *at = line + *length + (line[*length] == '\n');
        const size_t n = kind == NULL ? 0 : strlen(kind);
        if (kind == NULL || strncmp(line, kind, n) != 0 || line[n] != ' ')
            return line;
        line = *at;
    }
    return NULL;
}

struct difference {
    const char *there, *here; /* NULL: the other one goes on */
    size_t there_length, here_length;
};

/* The first lines that differ; false: there are none. */
static bool find_difference(struct difference *d, const char *there, const char *here, const char *kind)
{
    for (;;) {
        d->there = next_line(&there, &d->there_length, kind);
        d->here = next_line(&here, &d->here_length, kind);
        if (d->there == NULL && d->here == NULL)
            return false;
        if (d->there == NULL || d->here == NULL || d->there_length != d->here_length ||
            memcmp(d->there, d->here, d->here_length) != 0)
            return true;
    }
}

static bool differs(const struct journal *journal, const struct request_text *request, const char *kind,
                    struct difference *d, struct request_text *head)
{
    *head = make_head(request, journal->n_blocks);
    /* The last line sums up the others. */
    *strstr(head->text, "\n" END) = '\0';
    *strstr(journal->head, "\n" END) = '\0';
    const bool found = find_difference(d, journal->head, head->text, kind);
    *strchr(journal->head, '\0') = '\n';
    return found;
}

bool journal_is_ours(const struct journal *journal, const struct request_text *request, const char *kind)
{
    struct difference d;
    struct request_text head;
    if (journal->head == NULL)
        return true;
    const bool found = differs(journal, request, kind, &d, &head);
    free(head.text);
    return !found;
}

static bool is_option(const char *line)
{
    return line != NULL && strncmp(line, "option ", 7) == 0;
}

static int shown_length(size_t length)
{
    return length > 200 ? 200 : (int)length;
}

noreturn void journal_refuse(const struct journal *journal, const struct request_text *request, const char *part)
{
    struct difference d = {0};
    struct request_text head;
    char hint[1000];
    (void)differs(journal, request, NULL, &d, &head);
    snprintf(hint, sizeof hint, "give the request that it was begun with, or remove %.300s%s%.300s to begin again",
             journal->path, part == NULL ? "" : " and ", part == NULL ? "" : part);
    const bool was_option = is_option(d.there), is_now = is_option(d.here);
    const int there = shown_length(d.there_length), here = shown_length(d.here_length);
    if (was_option && !is_now)
        fail(EXIT_USAGE, hint, journal->path, "belongs to another request: it was begun with '%.*s'", there, d.there);
    if (is_now && !was_option)
        fail(EXIT_USAGE, hint, journal->path, "belongs to another request: it was begun without '%.*s'", here, d.here);
    if (d.there == NULL || d.here == NULL || strncmp(d.there, "file ", 5) == 0)
        fail(EXIT_FILE, hint, journal->path, "belongs to another request: a file that the options name has changed");
    const bool is_usage = was_option || strncmp(d.there, "command ", 8) == 0;
    fail(is_usage ? EXIT_USAGE : EXIT_FILE, hint, journal->path,
         "belongs to another request: it has '%.*s', and this one '%.*s'", there, d.there, here, d.here);
}

/* ------------------------------------------------------------------------------------------------- blocks */

size_t journal_count(const struct journal *journal)
{
    size_t n = 0;
    for (size_t i = 0; i < journal->n_blocks; i++)
        n += journal->is_done[i];
    return n;
}

void journal_add(struct journal *journal, size_t block, uint64_t sum)
{
    char line[64];
    const int n = snprintf(line, sizeof line, "%zu %016" PRIx64 "\n", block, sum);
    if (journal->path != NULL)
        write_text(journal, line, (size_t)n);
    set_done(journal, block, sum);
}

/* All of it in one write(), as far as the system does that. */
void journal_add_record(struct journal *journal, size_t block, bool is_state, const char *bytes, size_t n)
{
    const struct journal_entry entry = {.block = block, .n = n, .is_state = is_state};
    const uint64_t sum = record_sum(bytes, &entry);
    struct request_text text = {0};
    char line[80];
    const int length = snprintf(line, sizeof line, "%s%zu %016" PRIx64 " %zu\n", is_state ? "+" : "", block, sum, n);
    request_add(&text, line, (size_t)length);
    request_add(&text, bytes, n);
    request_add(&text, "\n", 1);
    write_text(journal, text.text, text.n);
    free(text.text);
    if (!is_state)
        set_done(journal, block, sum);
}

void journal_remove(struct journal *journal)
{
    if (journal->path != NULL && unlink(journal->path) != 0) {
        if (errno != ENOENT)
            warn(journal->path, "cannot be removed: %s", strerror(errno));
        cut(journal, 0); /* then it says nothing any more */
    }
    journal_close(journal);
}

void journal_close(struct journal *journal)
{
    if (journal->path != NULL)
        close(journal->fd);
    free(journal->path);
    free(journal->is_done);
    free(journal->sums);
    free(journal->head);
    free(journal->text.text);
    free(journal->entries);
    *journal = (struct journal){.fd = -1};
}
