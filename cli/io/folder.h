/*
 * folder.h - what is there: the entries of a folder, and files by name. What cannot be read ends the program: half a list
 * would pass for all of it, and a file of a disk that fails for one that does not exist.
 */
#pragma once

#include <dirent.h>
#include <stdbool.h>
#include <sys/stat.h>

/* Behind symbolic links, and the link itself. */
bool file_is_there(const char *path, struct stat *there);
bool link_is_there(const char *path, struct stat *there);

DIR *folder_open(const char *path, const char *hint);
/* The name of the next entry but "." and ".."; NULL behind the last, after which the folder is closed. */
const char *folder_next(DIR *folder, const char *path);
