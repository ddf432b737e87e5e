/* interrupt.h - what a signal must not leave behind. */
#pragma once

#include <sys/types.h>

#include "sinpos_formats.h"

/* A closed pipe or a size limit becomes an error of write(); SIGINT, SIGTERM and SIGHUP remove the unfinished file. */
void interrupt_prepare(void);

/* Printed when a signal ends the program, until interrupt_forget(). */
void interrupt_message(const char *lines);

/* Removes the unfinished file, if there is one, and what the functions below registered. */
void interrupt_remove(void);

/*
 * Files that only have a meaning together, perhaps in a folder that is made for them: each is registered before it exists.
 * They are removed, as the unfinished file is, and so is the folder, until interrupt_keep() says that all are there.
 * interrupt_make_folder() returns 0, or errno.
 */
int interrupt_make_folder(const char *path, mode_t mode);
void interrupt_file(const char *path);
void interrupt_keep(void);

/*
 * Opens a writer whose unfinished file a signal removes, until interrupt_forget() after it was committed or abandoned: the
 * sync may take long and must stay interruptible, and the path is harmless once the file has its name. One with a part
 * stays. Arguments as sinpos_writer_open().
 */
sinpos_file_status interrupt_open(sinpos_writer **out, const char *path, const sinpos_array *array,
                                  const sinpos_writer_options *options, sinpos_file_error *error);
/* Likewise with the copy of a file of a model. */
sinpos_file_status interrupt_rewriter_open(sinpos_rewriter **out, const sinpos_model *model, size_t file,
                                           const char *path, sinpos_file_error *error);
void interrupt_forget(void);

/* A small file, with the fatal signals held back until it is there. */
sinpos_file_status interrupt_file_copy(const char *from, const char *to, sinpos_file_error *error);
sinpos_file_status interrupt_bytes_write(const char *path, const void *data, size_t n_bytes, sinpos_file_error *error);
