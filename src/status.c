/* Version, status texts, errors, element sizes. */
#include <stdio.h>

#include "internal.h"

const char *sinpos_version(void)
{
    BOUNDARY;
    return SINPOS_VERSION;
}

unsigned sinpos_version_number(void)
{
    BOUNDARY;
    return SINPOS_VERSION_NUMBER;
}

const char *sinpos_strerror(sinpos_status status)
{
    BOUNDARY;
    switch (status) {
    case SINPOS_OK: return "success";
    case SINPOS_E_NULL: return "a pointer that must not be NULL is NULL";
    case SINPOS_E_SPEC: return "the specification is inconsistent or outside its ranges";
    case SINPOS_E_TYPE: return "no such element type, or one that the plan was not made for";
    case SINPOS_E_SHAPE: return "a shape or stride does not fit";
    case SINPOS_E_RANGE: return "a position is not finite or not below 2^63 in size";
    case SINPOS_E_MEMORY: return "out of memory";
    case SINPOS_E_OVERFLOW: return "the amplitude does not fit the element type";
    case SINPOS_E_UNSUPPORTED: return "not available here";
    case SINPOS_E_STOPPED: return "stopped on request";
    case SINPOS_E_FILE: return "a temporary file could not be made, written or read";
    case SINPOS_E_VALUE: return "an argument is outside its range or not finite";
    case SINPOS_E_NAME: return "no convention, parameter or arithmetic has this name";
    case SINPOS_E_AXES: return "another number of coordinates is needed";
    case SINPOS_E_COLUMNS: return "a tone lacks its sine or its cosine";
    case SINPOS_E_CAPACITY: return "there is room for fewer than there are";
    case SINPOS_E_STRUCT: return "struct_size is not set, or the struct asks for what this version does not know";
    }
    return "unknown status";
}

sinpos_status error_set(sinpos_error *error, const char *name, const char *message)
{
    error->status = SINPOS_E_SPEC;
    snprintf(error->name, sizeof error->name, "%s", name);
    snprintf(error->message, sizeof error->message, "%s", message);
    return SINPOS_E_SPEC;
}

bool error_is_fit(const sinpos_error *error)
{
    return error == NULL || SIZED_FITS(error, hint);
}

sinpos_status error_give(sinpos_error *error, sinpos_error *own, sinpos_status status)
{
    if (status == SINPOS_OK || own->status != status) { /* nobody wrote a message */
        *own = (sinpos_error)SINPOS_ERROR_INIT;
        own->status = status;
        if (status != SINPOS_OK)
            snprintf(own->message, sizeof own->message, "%s", sinpos_strerror(status));
    }
    if (error != NULL && !SIZED_WRITE(error, own, hint))
        return SINPOS_E_STRUCT;
    return status;
}

size_t sinpos_type_bytes(sinpos_type type)
{
    BOUNDARY;
    switch (type) {
    case SINPOS_F64: return 8;
    case SINPOS_F32: return 4;
    case SINPOS_F16: return 2;
    case SINPOS_BF16: return 2;
    }
    return 0;
}
