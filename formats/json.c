/*
 * json.c - Jansson, and what it does not report: where memory fails in the middle of a word it goes on with what it has of it.
 *
 * So its memory passes here. The functions that Jansson had are called, whoever set them.
 */
#include "json.h"

#include <pthread.h>
#include <stdbool.h>

static json_malloc_t old_malloc;
static json_free_t old_free;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static _Thread_local bool has_failed;

static void *recorded_malloc(size_t n)
{
    void *room = old_malloc(n);
    has_failed |= room == NULL;
    return room;
}

static void record(void)
{
    json_get_alloc_funcs(&old_malloc, &old_free);
    json_set_alloc_funcs(recorded_malloc, old_free);
}

sinpos_file_status json_read(const char *text, size_t length, json_t **root, const char *whose,
                             sinpos_file_error *error)
{
    json_error_t why;
    pthread_once(&once, record);
    has_failed = false;
    *root = json_loadb(text, length, JSON_REJECT_DUPLICATES, &why);
    if (has_failed) {
        json_decref(*root);
        *root = NULL;
        return problem_memory(error);
    }
    if (*root == NULL) {
        return problem_set(error, SINPOS_FILE_E_CONTENT, "the file is corrupt; copy or make it again",
                           "%sis not good JSON: %.120s", whose, why.text);
    }
    return SINPOS_FILE_OK;
}
