/* array.c - element types and shapes. */
#include "boundary.h"
#include "format.h"

#include <string.h>

static const struct element_type {
    sinpos_element element;
    size_t bytes;
    const char *name;
    const char *in_file[2]; /* by enum file_names */
} element_types[] = {
    {SINPOS_ELEMENT_F64, 8, "float64", {"f8", "F64"}}, {SINPOS_ELEMENT_F32, 4, "float32", {"f4", "F32"}},
    {SINPOS_ELEMENT_F16, 2, "float16", {"f2", "F16"}}, {SINPOS_ELEMENT_BF16, 2, "bfloat16", {NULL, "BF16"}},
    {SINPOS_ELEMENT_I64, 8, "int64", {"i8", "I64"}},   {SINPOS_ELEMENT_I32, 4, "int32", {"i4", "I32"}},
    {SINPOS_ELEMENT_I16, 2, "int16", {"i2", "I16"}},   {SINPOS_ELEMENT_I8, 1, "int8", {"i1", "I8"}},
    {SINPOS_ELEMENT_U64, 8, "uint64", {"u8", "U64"}},  {SINPOS_ELEMENT_U32, 4, "uint32", {"u4", "U32"}},
    {SINPOS_ELEMENT_U16, 2, "uint16", {"u2", "U16"}},  {SINPOS_ELEMENT_U8, 1, "uint8", {"u1", "U8"}},
};

#define N_ELEMENT_TYPES (sizeof element_types / sizeof element_types[0])

static const struct element_type *find_element(sinpos_element element)
{
    for (size_t i = 0; i < N_ELEMENT_TYPES; i++)
        if (element_types[i].element == element)
            return &element_types[i];
    return NULL;
}

size_t sinpos_element_bytes(sinpos_element element)
{
    BOUNDARY;
    const struct element_type *type = find_element(element);
    return type == NULL ? 0 : type->bytes;
}

const char *sinpos_element_name(sinpos_element element)
{
    BOUNDARY;
    const struct element_type *type = find_element(element);
    return type == NULL ? "unknown" : type->name;
}

const char *element_name_in(enum file_names names, sinpos_element element)
{
    const struct element_type *type = find_element(element);
    return type == NULL ? NULL : type->in_file[names];
}

bool element_of_name(enum file_names names, const char *name, size_t length, sinpos_element *element)
{
    for (size_t i = 0; i < N_ELEMENT_TYPES; i++) {
        const char *known = element_types[i].in_file[names];
        if (known != NULL && strlen(known) == length && memcmp(known, name, length) == 0) {
            *element = element_types[i].element;
            return true;
        }
    }
    return false;
}

sinpos_file_status sinpos_array_elements(const sinpos_array *array, size_t *elements)
{
    BOUNDARY;
    if (array == NULL || elements == NULL)
        return SINPOS_FILE_E_NULL;
    const size_t bytes = sinpos_element_bytes(array->element);
    if (bytes == 0 || array->n_dims > SINPOS_MAX_FILE_DIMS)
        return SINPOS_FILE_E_REQUEST;
    const uint64_t file_limit = (uint64_t)INT64_MAX / bytes;
    const uint64_t limit = file_limit < SIZE_MAX / bytes ? file_limit : SIZE_MAX / bytes;
    uint64_t product = 1;
    bool is_empty = false;
    for (size_t i = 0; i < array->n_dims; i++) {
        const uint64_t n = array->shape[i];
        if (n == 0)
            is_empty = true;
        else if (n > limit / product)
            return SINPOS_FILE_E_REQUEST;
        else
            product *= n;
    }
    *elements = is_empty ? 0 : (size_t)product;
    return SINPOS_FILE_OK;
}

bool machine_is_big_endian(void)
{
    const uint16_t one = 1;
    unsigned char first;
    memcpy(&first, &one, 1);
    return first == 0;
}

void swap_bytes(void *data, size_t n, size_t element_bytes)
{
    unsigned char *p = data;
    for (size_t i = 0; i < n; i++, p += element_bytes) {
        for (size_t low = 0, high = element_bytes - 1; low < high; low++, high--) {
            const unsigned char byte = p[low];
            p[low] = p[high];
            p[high] = byte;
        }
    }
}
