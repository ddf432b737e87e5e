#include "folder.h"

#include <errno.h>
#include <string.h>

#include "error_line.h"
#include "is_missing.h"

static bool is_there(const char *path, int status)
{
    if (status != 0 && !is_missing(errno))
        fail_errno(path, errno, "check the device and the folder");
    return status == 0;
}

bool file_is_there(const char *path, struct stat *there)
{
    return is_there(path, stat(path, there));
}

bool link_is_there(const char *path, struct stat *there)
{
    return is_there(path, lstat(path, there));
}

DIR *folder_open(const char *path, const char *hint)
{
    DIR *folder = opendir(path);
    if (folder == NULL && errno == ENOMEM)
        fail_memory();
    if (folder == NULL)
        fail_errno(path, errno, hint);
    return folder;
}

const char *folder_next(DIR *folder, const char *path)
{
    const struct dirent *entry;
    do {
        errno = 0;
        entry = readdir(folder);
    } while (entry != NULL && (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0));
    if (entry != NULL)
        return entry->d_name;
    if (errno == ENOMEM)
        fail_memory();
    if (errno != 0)
        fail_errno(path, errno, "check the folder and its device");
    closedir(folder);
    return NULL;
}
