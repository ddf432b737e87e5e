/* folder.h - the entries of a folder. What cannot be read ends the program: half a list would pass for all of it. */
#pragma once

#include <dirent.h>

DIR *folder_open(const char *path, const char *hint);
/* The name of the next entry but "." and ".."; NULL behind the last, after which the folder is closed. */
const char *folder_next(DIR *folder, const char *path);
