/* file_error.c - fills in sinpos_file_error. */
#include "boundary.h"
#include "format.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

bool problem_begin(sinpos_file_error *error)
{
    if (error == NULL)
        return true;
    if (!SIZED_FITS(error, option))
        return false;
    error->status = SINPOS_FILE_OK;
    error->system_errno = 0;
    error->message[0] = '\0';
    error->hint = error->option = "";
    return true;
}

sinpos_file_status problem_set(sinpos_file_error *error, sinpos_file_status status, const char *hint,
                               const char *message, ...)
{
    if (error == NULL)
        return status;
    error->status = status;
    error->system_errno = 0;
    error->hint = hint;
    error->option = "";
    char text[sizeof error->message];
    va_list arguments;
    va_start(arguments, message);
    vsnprintf(text, sizeof text, message, arguments);
    va_end(arguments);
    sinpos_printable(error->message, sizeof error->message, text);
    return status;
}

sinpos_file_status problem_about(sinpos_file_error *error, const char *option, sinpos_file_status status)
{
    if (error != NULL)
        error->option = option;
    return status;
}

sinpos_file_status problem_struct(sinpos_file_error *error)
{
    return problem_set(error, SINPOS_FILE_E_STRUCT, "start from the INIT macro of the struct",
                       "struct_size is not set, or the options ask for what this version does not know");
}

static const char *hint_for(int number)
{
    switch (number) {
    case ENOENT: return "check the spelling of the path and that its folder exists";
    case EACCES:
    case EPERM: return "check the permissions of the file and of its folder";
    case EROFS: return "the file system is mounted read-only; choose another place";
    case ENOSPC:
    case EDQUOT:
    case EFBIG: return "make room or choose another place; nothing was left behind";
    case EPIPE: return "the program that reads the output ended before all of it was written";
    case EISDIR: return "name a file in it";
    case ENOTDIR: return "a part of the path is a file, not a folder";
    default: return "check the device and the path, and try again";
    }
}

sinpos_file_status problem_of_system(sinpos_file_error *error, int number, const char *hint, const char *before)
{
    char text[200];
    snprintf(text, sizeof text, "%s", strerror(number));
    text[0] = (char)tolower((unsigned char)text[0]);
    problem_set(error, SINPOS_FILE_E_SYSTEM, hint, "%s%s", before, text);
    if (error != NULL)
        error->system_errno = number;
    return SINPOS_FILE_E_SYSTEM;
}

sinpos_file_status problem_system(sinpos_file_error *error, int number)
{
    return number == ENOMEM ? problem_memory(error) : problem_of_system(error, number, hint_for(number), "");
}

sinpos_file_status problem_memory(sinpos_file_error *error)
{
    return problem_set(error, SINPOS_FILE_E_MEMORY, "raise the memory limit, or end other programs", "out of memory");
}

static const char corrupt[] = "the file is corrupt; copy or make it again";

sinpos_file_status problem_corrupt(sinpos_file_error *error, const char *why)
{
    return problem_set(error, SINPOS_FILE_E_CONTENT, corrupt, "%s", why);
}

sinpos_file_status problem_corrupt_name(sinpos_file_error *error, const char *what, const char *name, const char *why)
{
    return problem_set(error, SINPOS_FILE_E_CONTENT, corrupt, "its %s '%.80s' %s", what, name, why);
}
