/* convert_model.c - the rows of q and k in a model, from half to adjacent pairing or back. */
#define _DEFAULT_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "convert.h"
#include "folder.h"
#include "interrupt.h"
#include "json_out.h"
#include "no_memory.h"
#include "progress.h"

/* Scores are sums of some hundred products of doubles; old and new differ in the order of the sum alone. */
#define TOLERANCE 1e-12
#define PATH_BYTES 4096

/* ----------------------------------------------------------------------------------------------- rewriting */

/* Room for the rows of a head, as they were and as they become. */
struct heads_room {
    unsigned char *before, *after;
};

static struct heads_room make_room(const struct model_change *change)
{
    size_t row = 0;
    for (size_t i = 0; i < change->n_moved; i++)
        row = change->moved[i].row_bytes > row ? change->moved[i].row_bytes : row;
    return (struct heads_room){memory_take(change->head_dim, row), memory_take(change->head_dim, row)};
}

/* One tensor, head by head. */
static void rewrite_tensor(struct model_change *change, struct moved_tensor *moved, sinpos_rewriter *rewriter,
                           const char *path, const struct heads_room *room)
{
    const size_t head_bytes = change->head_dim * moved->row_bytes;
    sinpos_file_error error = SINPOS_FILE_ERROR_INIT;
    for (size_t row = 0; row < moved->n_rows; row += change->head_dim) {
        if (sinpos_model_read(change->model, moved->tensor, (uint64_t)row * moved->row_bytes, room->before, head_bytes,
                              &error) != SINPOS_FILE_OK)
            fail_read(change->options->operands[0], &error);
        const enum head_role role = role_of_head(change, moved, row / change->head_dim);
        for (size_t r = 0; r < change->head_dim; r++) {
            const size_t from = role == HEAD_VALUE ? r : moved_row(change, r);
            memcpy(room->after + r * moved->row_bytes, room->before + from * moved->row_bytes, moved->row_bytes);
        }
        rows_times_seeded(change, moved, role == HEAD_KEY, change->head_dim, room->before, moved->before + row);
        if (sinpos_rewriter_replace(rewriter, moved->tensor, room->after, head_bytes, &error) != SINPOS_FILE_OK)
            fail_write(path, &error);
        progress_advance(head_bytes);
    }
}

/* All of the file, synced, but not yet under its name. */
static sinpos_rewriter *rewrite_file(struct model_change *change, size_t file, const char *path,
                                     const struct heads_room *room)
{
    sinpos_rewriter *rewriter;
    sinpos_file_error error = SINPOS_FILE_ERROR_INIT;
    if (interrupt_rewriter_open(&rewriter, change->model, file, path, &error) != SINPOS_FILE_OK)
        fail_write(path, &error);
    for (size_t i = 0; i < change->n_moved; i++)
        if (sinpos_model_tensor(change->model, change->moved[i].tensor)->file == file)
            rewrite_tensor(change, &change->moved[i], rewriter, path, room);
    if (sinpos_rewriter_prepare(rewriter, &error) != SINPOS_FILE_OK)
        fail_write(path, &error);
    return rewriter;
}

static void commit(sinpos_rewriter *rewriter, const char *path)
{
    sinpos_file_error error = SINPOS_FILE_ERROR_INIT;
    const sinpos_file_status status = sinpos_rewriter_commit(rewriter, &error);
    interrupt_forget();
    if (status != SINPOS_FILE_OK)
        fail_write(path, &error);
}

/* -------------------------------------------------------------------------------------------------- output */

static const char *ending_of(const char *path)
{
    const char *point = strrchr(last_part(path), '.');
    return point == NULL ? "" : point;
}

/* Permissions of the folder that is copied. */
static mode_t folder_mode(const struct model_change *change)
{
    const char *first = sinpos_model_file(change->model, 0);
    const size_t length = (size_t)(last_part(first) - first);
    char path[PATH_BYTES];
    struct stat there;
    snprintf(path, sizeof path, "%.*s.", (int)(length < 4000 ? length : 4000), first);
    return (file_is_there(path, &there) ? there.st_mode & 0777 : 0700) | 0700;
}

static bool is_folder(const char *path)
{
    struct stat there;
    return file_is_there(path, &there) && S_ISDIR(there.st_mode);
}

/* A folder that is new or empty, so that no file of another model stays in it. */
static void make_folder(const char *path, mode_t mode)
{
    size_t n = 0;
    const int number = interrupt_make_folder(path, mode);
    if (number == 0)
        return;
    if (number != EEXIST)
        fail(EXIT_FILE, "name a new folder", path, "%s", strerror(number));
    DIR *folder = folder_open(path, "name a new folder");
    while (folder_next(folder, path) != NULL)
        n++;
    if (n > 0)
        fail(EXIT_USAGE, "name a new folder", path, "is not empty");
}

/* The index of a folder, or the path itself where that is an index; NULL where there is none. */
static const char *index_path(const struct model_change *change, char path[PATH_BYTES])
{
    const char *first = sinpos_model_file(change->model, 0), *given = change->options->operands[0];
    struct stat there;
    if (strcmp(ending_of(first), ".safetensors") != 0)
        return NULL;
    snprintf(path, PATH_BYTES, "%.3900s%s", given, is_folder(given) ? "/model.safetensors.index.json" : "");
    return file_is_there(path, &there) ? path : NULL;
}

/*
 * The files one by one, then what lies beside them, the index last: a folder without it is not finished. opened receives
 * what opens the copy.
 */
static void rewrite_folder(struct model_change *change, const char *folder, const struct heads_room *room,
                           char opened[PATH_BYTES])
{
    char path[PATH_BYTES], index[PATH_BYTES];
    make_folder(folder, folder_mode(change));
    for (size_t i = 0; i < sinpos_model_files(change->model); i++) {
        snprintf(path, sizeof path, "%.3000s/%.1000s", folder, last_part(sinpos_model_file(change->model, i)));
        interrupt_file(path);
        commit(rewrite_file(change, i, path, room), path);
    }
    snprintf(opened, PATH_BYTES, "%s", path);
    beside_weights_copy(&change->beside, folder);
    if (index_path(change, index) != NULL) {
        snprintf(opened, PATH_BYTES, "%.3000s/%.1000s", folder, last_part(index));
        copy_small_file(index, opened);
    }
}

static void rewrite(struct model_change *change, const char *output, char opened[PATH_BYTES])
{
    const struct heads_room room = make_room(change);
    if (change->to_folder) {
        rewrite_folder(change, output, &room, opened);
    } else {
        change->whole = rewrite_file(change, 0, output, &room);
        snprintf(opened, PATH_BYTES, "%s", sinpos_rewriter_temporary(change->whole));
    }
    free(room.before);
    free(room.after);
}

/* --------------------------------------------------------------------------------------------------- proof */

/* The rows as they were written. */
static void read_tensor_again(const struct model_change *change, struct moved_tensor *moved, sinpos_model *written,
                              const char *path)
{
    const char *name = sinpos_model_tensor(change->model, moved->tensor)->name;
    const size_t i = sinpos_model_find(written, name), head_bytes = change->head_dim * moved->row_bytes;
    unsigned char *rows = memory_take(head_bytes, 1);
    sinpos_file_error error = SINPOS_FILE_ERROR_INIT;
    for (size_t row = 0; row < moved->n_rows; row += change->head_dim) {
        if (sinpos_model_read(written, i, (uint64_t)row * moved->row_bytes, rows, head_bytes, &error) != SINPOS_FILE_OK)
            fail_read(path, &error);
        rows_times_seeded(change, moved, role_of_head(change, moved, row / change->head_dim) == HEAD_KEY,
                          change->head_dim, rows, moved->after + row);
    }
    free(rows);
}

static void read_again(struct model_change *change, const char *path)
{
    sinpos_model *written;
    sinpos_file_error error = SINPOS_FILE_ERROR_INIT;
    if (sinpos_model_open(&written, path, &error) != SINPOS_FILE_OK)
        fail_read(path, &error);
    for (size_t i = 0; i < change->n_moved; i++)
        read_tensor_again(change, &change->moved[i], written, path);
    sinpos_model_close(written);
}

static bool holds(const struct score_check *check)
{
    return check->difference <= TOLERANCE * check->scale;
}

static void print_names(const char *what, const struct names *names)
{
    for (size_t i = 0; i < names->n; i++)
        printf("%s%s", i == 0 ? what : ", ", SHOWN(names->at[i]));
    if (names->n > 0)
        putchar('\n');
}

/* What lay beside the weights. */
static void print_beside(const struct model_change *change)
{
    const struct beside_weights *beside = &change->beside;
    print_names(change->to_folder ? "  copied as they are: " : "  in its folder, not copied: ", &beside->names);
    if (change->to_folder) {
        print_names("  not copied: ", &beside->left);
        print_names("  not copied, links that lead out of the folder: ", &beside->links);
    }
}

static void print_report(const struct model_change *change, const struct score_check *check, const char *output)
{
    printf("%s: %zu tensor%s from %s to %s pairing; heads of %zu rows, %zu of them rotated: %zu for queries, %zu for "
           "keys\n",
           SHOWN(output), change->n_moved, change->n_moved == 1 ? "" : "s", change->options->given[OPTION_FROM],
           change->options->given[OPTION_TO], change->head_dim, change->rotary_dim, change->n_heads,
           change->n_kv_heads);
    print_beside(change);
    if (check->n_layers == 0) {
        printf("  no layer has both q and k, so there are no attention scores to compare\n");
        return;
    }
    printf("  attention scores of %zu layer%s, old weights and pairing against new: %s\n", check->n_layers,
           check->n_layers == 1 ? "" : "s", holds(check) ? "the same" : "NOT the same");
    printf("    scores up to %.3g, differences up to %.2g; with unchanged weights they would be up to %.3g\n",
           check->largest, check->difference, check->without);
    if (change->has_stand_ins)
        printf("    rows of types that are not read here stand in by a number made of their bytes\n");
}

/* Empty where no folder was written. */
static void json_names(const struct model_change *change, const char *key, const struct names *names)
{
    EMIT_ARRAY(key);
    for (size_t i = 0; change->to_folder && i < names->n; i++)
        emit_text(NULL, names->at[i]);
}

static void json_report(const struct model_change *change, const struct score_check *check, const char *output)
{
    EMIT_OBJECT(NULL);
    emit_text("input", change->options->operands[0]);
    emit_text("file", output);
    emit_text("from", change->options->given[OPTION_FROM]);
    emit_text("to", change->options->given[OPTION_TO]);
    emit_unsigned("heads", change->n_heads);
    emit_unsigned("kv_heads", change->n_kv_heads);
    emit_unsigned("head_dim", change->head_dim);
    emit_unsigned("rotary_dim", change->rotary_dim);
    emit_array("tensors");
    for (size_t i = 0; i < change->n_moved; i++)
        emit_text(NULL, sinpos_model_tensor(change->model, change->moved[i].tensor)->name);
    emit_close();
    json_names(change, "copied", &change->beside.names);
    json_names(change, "not_copied", &change->beside.left);
    json_names(change, "links_not_followed", &change->beside.links);
    emit_object("scores");
    emit_unsigned("layers", check->n_layers);
    emit_real("largest", check->largest);
    emit_real("difference", check->difference);
    emit_real("with_old_weights", check->without);
    if (check->n_layers == 0)
        emit_null("same");
    else
        emit_bool("same", holds(check));
    emit_bool("rows_stand_in", change->has_stand_ins);
    emit_close();
}

static void prove(struct model_change *change, const char *opened, const char *output)
{
    read_again(change, opened);
    const struct score_check check = scores_compare(change);
    if (change->options->given[OPTION_JSON] != NULL)
        json_report(change, &check, output);
    else
        print_report(change, &check, output);
    finish_output();
    if (!holds(&check)) {
        fail(EXIT_CHECK, "weights that are NaN or infinite have no scores", output,
             "is not written: attention scores by the old and the new weights are not the same");
    }
}

/* What was written gets its name, and stays. */
static void settle(struct model_change *change, const char *output)
{
    struct stat there;
    const bool replaces = change->whole != NULL && file_is_there(output, &there);
    if (change->whole != NULL)
        commit(change->whole, output);
    interrupt_keep();
    if (replaces && change->options->given[OPTION_QUIET] == NULL)
        fprintf(stderr, "%s: replaced\n", SHOWN(output));
}

/* ---------------------------------------------------------------------------------------------------- all */

static void check_output(const struct model_change *change, const char *output)
{
    const char *ending = ending_of(sinpos_model_file(change->model, 0));
    struct stat there;
    if (change->to_folder && strcmp(output, "-") == 0) {
        fail_option(change->options, OPTION_OUTPUT, "name a new folder",
                    "is standard output; this model has several files");
    }
    if (change->to_folder)
        return;
    if (strcmp(ending_of(output), ending) != 0) {
        char hint[100];
        snprintf(hint, sizeof hint, "use a name that ends in %s", ending);
        fail(EXIT_USAGE, hint, output, "a model is written in the format that it has");
    }
    if (file_is_there(output, &there) && !S_ISREG(there.st_mode))
        fail(EXIT_USAGE, "name a file", output, "is not a regular file, which is needed to read the result again");
}

static void change_model(struct model_change *change, const char *output)
{
    char opened[PATH_BYTES];
    uint64_t bytes = 0;
    check_output(change, output);
    model_find_rows(change);
    for (size_t i = 0; i < change->n_moved; i++) {
        struct moved_tensor *moved = &change->moved[i];
        moved->before = memory_take(moved->n_rows, sizeof *moved->before);
        moved->after = memory_take(moved->n_rows, sizeof *moved->after);
        bytes += (uint64_t)moved->n_rows * moved->row_bytes;
    }
    progress_begin(output, bytes);
    rewrite(change, output, opened);
    progress_clear();
    prove(change, opened, output);
    settle(change, output);
}

/* Several files become a folder; so does the folder of one, unless a file is named. */
static bool becomes_folder(const struct model_change *change, const char *output)
{
    static const char *const files[] = {"-", ".safetensors", ".gguf", ".npy", ".csv", ".h", ".raw"};
    if (sinpos_model_files(change->model) > 1)
        return true;
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
        if (strcmp(i == 0 ? output : ending_of(output), files[i]) == 0)
            return false;
    return is_folder(change->options->operands[0]);
}

/* A folder was named, or files of one; metadata of a .gguf stand in it. */
static bool has_beside(const struct model_change *change)
{
    return strcmp(ending_of(sinpos_model_file(change->model, 0)), ".gguf") != 0 &&
           (change->to_folder || is_folder(change->options->operands[0]));
}

void convert_model(const struct options *options)
{
    struct model_change change = {.options = options, .to_pair = strcmp(options->given[OPTION_TO], "pair") == 0};
    const char *path = options->operands[0];
    sinpos_file_error error = SINPOS_FILE_ERROR_INIT;
    if (sinpos_model_open(&change.model, path, &error) != SINPOS_FILE_OK)
        fail_read(path, &error);
    const bool is_gguf = strcmp(ending_of(sinpos_model_file(change.model, 0)), ".gguf") == 0;
    if (!is_gguf && sinpos_model_config(change.model, &error) != SINPOS_FILE_OK)
        fail_read(path, &error);
    change.to_folder = becomes_folder(&change, options->given[OPTION_OUTPUT]);
    if (has_beside(&change))
        beside_weights_find(&change.beside, change.model);
    change_model(&change, options->given[OPTION_OUTPUT]);
    for (size_t i = 0; i < change.n_moved; i++) {
        free(change.moved[i].before);
        free(change.moved[i].after);
    }
    free(change.moved);
    beside_weights_free(&change.beside);
    sinpos_model_close(change.model);
}
