/* Version, status texts, element sizes. */
#include "boundary.h"
#include "sinpos.h"

const char *sinpos_version(void)
{
    BOUNDARY;
    return SINPOS_VERSION;
}

const char *sinpos_strerror(sinpos_status status)
{
    BOUNDARY;
    switch (status) {
    case SINPOS_OK: return "success";
    case SINPOS_E_NULL: return "a pointer that must not be NULL is NULL";
    case SINPOS_E_SPEC: return "the specification is inconsistent or outside its ranges";
    case SINPOS_E_TYPE: return "no such element type, or one that the plan was not made for";
    case SINPOS_E_SHAPE: return "the shape, stride or number of coordinates does not fit";
    case SINPOS_E_RANGE: return "a position is not finite or not below 2^63 in size";
    case SINPOS_E_MEMORY: return "out of memory";
    case SINPOS_E_OVERFLOW: return "the amplitude does not fit the element type";
    case SINPOS_E_UNSUPPORTED: return "not available here";
    case SINPOS_E_STOPPED: return "stopped on request";
    case SINPOS_E_FILE: return "a temporary file could not be made, written or read";
    case SINPOS_E_VALUE: return "an argument is outside its range or not finite";
    }
    return "unknown status";
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
