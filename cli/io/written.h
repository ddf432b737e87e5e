/* written.h - the end of a file that a command writes: whole and on the disk, then the report, and only then its name. */
#ifndef WRITTEN_H
#define WRITTEN_H

#include "options.h"

/* Refuses the array and a report of --hash or --json that both go to standard output. */
int written_check(const struct options *options);

/*
 * Both take the exit code so far. Where it is not EXIT_DONE, or where they fail, they remove the unfinished file, set
 * *writer to NULL, and the target stays what it was. *writer may be NULL: there is no file then.
 */

/* All elements were written: completes the file and syncs it. */
int written_prepare(sinpos_writer **writer, const char *path, int code);
/* The report was printed: sees that it is out, and gives the file its name. */
int written_finish(sinpos_writer **writer, const char *path, int code);

/* "table.npy: 4096 x 512 float32, 8.4 MB in 0.01 s, 0.8 GB/s" on standard error, unless --quiet. */
void written_talk(const struct options *options, const sinpos_array *array, uint64_t bytes, double seconds);

#endif
