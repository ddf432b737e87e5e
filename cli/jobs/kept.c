#include "kept.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "interrupt.h"
#include "no_memory.h"
#include "resumed.h"

static bool resumes(const struct kept *kept)
{
    return kept->options->given[OPTION_RESUME] != NULL;
}

void kept_check(const struct options *options)
{
    const char *output = options->given[OPTION_OUTPUT];
    resumed_check(options);
    if (options->given[OPTION_RESUME] != NULL && strcmp(output, "-") == 0)
        fail_option(options, OPTION_RESUME, "name a file with -o", "keeps what is done beside the output");
}

static struct request_text request_of(const struct kept *kept)
{
    struct request_text request = {0};
    request_options(&request, kept->options);
    request_files(&request);
    for (size_t i = 0; i < kept->n_inputs; i++)
        request_input(&request, kept->inputs[i]);
    return request;
}

static void take_entry(struct kept *kept, const struct journal_entry *entry)
{
    RELEASED_BY(record_free) struct record record = {0};
    struct record *state = &kept->states[entry->block];
    const char *bytes = kept->journal.text.text + entry->at;
    if (entry->is_state) {
        record_bytes(state, bytes, entry->n);
        return;
    }
    record_bytes(&record, bytes, entry->n);
    kept->take(kept->context, entry->block, &record);
    if (record.is_bad)
        fail(EXIT_FILE, "remove it to begin again", kept->journal.path, "holds a record that cannot be read");
}

static void open_journal(struct kept *kept)
{
    const char *path = kept->options->given[OPTION_OUTPUT];
    struct journal *journal = &kept->journal;
    OWNED char *list = resumed_name(path, ".journal"), *part = resumed_name(path, ".part");
    kept->request = request_of(kept);
    journal_open(journal, list, &kept->request, kept->n_blocks, true);
    if (!journal_is_ours(journal, &kept->request, NULL))
        journal_refuse(journal, &kept->request, NULL);
    if (journal->is_new)
        resumed_refuse_stranger(journal, part);
    for (size_t i = 0; i < journal->n_entries; i++)
        take_entry(kept, &journal->entries[i]);
    if (journal->n_damaged > 0)
        warn(list, "%zu record%s damaged; made again", journal->n_damaged, journal->n_damaged == 1 ? " is" : "s are");
    resumed_message(path);
    if (kept->options->given[OPTION_QUIET] == NULL)
        fprintf(stderr, "resumed: %zu of %zu blocks\n", journal_count(journal), kept->n_blocks);
}

static bool next_block(void *context, size_t *block, struct record *state)
{
    struct kept *kept = context;
    while (kept->next < kept->n_blocks) {
        *block = kept->order == NULL ? kept->next : kept->order[kept->next];
        kept->next++;
        if (kept->journal.is_done[*block])
            continue;
        record_bytes(state, kept->states[*block].bytes, kept->states[*block].n);
        return true;
    }
    return false;
}

static void make_block(void *context, size_t block, struct record *state, struct record *found)
{
    const struct kept *kept = context;
    kept->make(kept->context, block, state, found);
}

static void take_block(void *context, size_t block, struct record *found)
{
    struct kept *kept = context;
    if (resumes(kept) && (kept->is_finished == NULL || kept->is_finished(found)))
        journal_add_record(&kept->journal, block, false, found->bytes, found->n);
    kept->take(kept->context, block, found);
}

static void keep_state(void *context, size_t block, struct record *state)
{
    struct kept *kept = context;
    journal_add_record(&kept->journal, block, true, state->bytes, state->n);
}

void kept_state(struct kept *kept, size_t block, struct record *state)
{
    if (resumes(kept))
        team_keep(&kept->job, block, state);
}

/* Blocks that are done found what the inputs were when they were. */
static void check_inputs(const struct kept *kept)
{
    struct request_text now = request_of(kept);
    const bool is_same = now.n == kept->request.n && memcmp(now.text, kept->request.text, now.n) == 0;
    free(now.text);
    if (!is_same)
        fail(EXIT_FILE, "remove the journal, and begin again", kept->journal.path,
             "an input has changed while it was read");
}

void kept_run(struct kept *kept)
{
    kept->job =
        (struct job){.context = kept, .next = next_block, .make = make_block, .take = take_block, .keep = keep_state};
    kept->states = memory_take(kept->n_blocks, sizeof *kept->states);
    if (team_is_first() && resumes(kept))
        open_journal(kept);
    else
        journal_none(&kept->journal, kept->n_blocks);
    team_run(&kept->job);
    if (team_is_first() && resumes(kept))
        check_inputs(kept);
    for (size_t i = 0; i < kept->n_blocks; i++)
        record_free(&kept->states[i]);
    free(kept->states);
}

void kept_pause(struct kept *kept)
{
    journal_close(&kept->journal);
    free(kept->request.text);
}

void kept_end(struct kept *kept)
{
    journal_remove(&kept->journal);
    free(kept->request.text);
    interrupt_forget();
}
