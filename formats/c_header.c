/* c_header.c - a C array to be compiled in: decimals for float and double, bit patterns for the 16-bit types. */
#include "format.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* Names that the language keeps for itself. */
static bool is_keyword(const char *name)
{
    static const char *const keywords[] = {
        "auto",     "break",  "case",     "char",   "const",  "continue", "default", "do",     "double",   "else",
        "enum",     "extern", "float",    "for",    "goto",   "if",       "inline",  "int",    "long",     "register",
        "restrict", "return", "short",    "signed", "sizeof", "static",   "struct",  "switch", "typedef",  "union",
        "unsigned", "void",   "volatile", "while",  "class",  "new",      "delete",  "this",   "template", "namespace",
    };
    for (size_t i = 0; i < sizeof keywords / sizeof keywords[0]; i++) {
        if (strcmp(keywords[i], name) == 0) {
            return true;
        }
    }
    return false;
}

static bool is_identifier(const char *name)
{
    if (!isalpha((unsigned char)name[0]) && name[0] != '_') {
        return false;
    }
    for (const char *p = name; *p != '\0'; p++) {
        if (!isalnum((unsigned char)*p) && *p != '_') {
            return false;
        }
    }
    return strlen(name) <= 200 && !is_keyword(name);
}

static sinpos_file_status c_check(const sinpos_array *array, const char *tensor, sinpos_file_error *error)
{
    if (!is_identifier(tensor)) {
        return problem_set(error, SINPOS_FILE_E_REQUEST, "use letters, digits and underscores, with --tensor NAME",
                           "'%.60s' cannot be the name of a C array", tensor);
    }
    size_t elements;
    const sinpos_file_status status = sinpos_array_elements(array, &elements);
    if (status != SINPOS_FILE_OK || elements == 0 || array->n_dims == 0) {
        return problem_set(error, SINPOS_FILE_E_REQUEST, "write .npy or .safetensors",
                           "a C array needs at least one element");
    }
    return SINPOS_FILE_OK;
}

static const char *c_type(sinpos_element element)
{
    switch (element) {
    case SINPOS_ELEMENT_F64: return "double";
    case SINPOS_ELEMENT_F32: return "float";
    default: return "uint16_t";
    }
}

static sinpos_file_status c_begin(struct sinpos_writer *writer, sinpos_file_error *error)
{
    char guard[208];
    const char *name = writer->tensor;
    size_t length = 0;
    for (; name[length] != '\0'; length++) {
        guard[length] = (char)toupper((unsigned char)name[length]);
    }
    guard[length] = '\0';
    sinpos_file_status status = text_format(
        writer, error, "/* %s, %s%s; written by sinpos %s */\n#ifndef %s_H\n#define %s_H\n\n#include <%s.h>\n\n", name,
        sinpos_element_name(writer->array.element),
        sinpos_element_bytes(writer->array.element) == 2 ? " as bit patterns" : "", SINPOS_VERSION, guard, guard,
        sinpos_element_bytes(writer->array.element) == 2 ? "stdint" : "math");
    if (status == SINPOS_FILE_OK) {
        status = text_format(writer, error, "static const %s %s", c_type(writer->array.element), name);
    }
    for (size_t i = 0; i < writer->array.n_dims && status == SINPOS_FILE_OK; i++) {
        status = text_format(writer, error, "[%zu]", writer->array.shape[i]);
    }
    return status == SINPOS_FILE_OK ? text_put(writer, " = {", 4, error) : status;
}

/* A constant of the array's C type. */
static size_t c_constant(char text[2 * SINPOS_DECIMAL_BYTES], sinpos_element element, const void *data)
{
    if (sinpos_element_bytes(element) == 2) {
        uint16_t bits;
        memcpy(&bits, data, sizeof bits);
        return (size_t)snprintf(text, 2 * SINPOS_DECIMAL_BYTES, "0x%04x", bits);
    }
    size_t length = sinpos_decimal(text, (sinpos_type)element, data);
    if (strstr(text, "nan") != NULL || strstr(text, "inf") != NULL) {
        const char *word = strstr(text, "nan") != NULL ? "NAN" : text[0] == '-' ? "-INFINITY" : "INFINITY";
        return (size_t)snprintf(text, 2 * SINPOS_DECIMAL_BYTES, "%s", word);
    }
    if (strpbrk(text, ".e") == NULL) {
        memcpy(text + length, ".0", 2);
        length += 2;
    }
    if (element == SINPOS_ELEMENT_F32) {
        text[length++] = 'f';
    }
    return length;
}

/* How many inner braces open before element i, or, asked for i + 1, close after element i. */
static size_t n_braces(const sinpos_array *array, size_t i)
{
    size_t n = 0;
    size_t stride = 1;
    for (size_t k = array->n_dims; k-- > 1;) {
        stride *= array->shape[k];
        if (i % stride != 0) {
            break;
        }
        n++;
    }
    return n;
}

static sinpos_file_status c_element(struct sinpos_writer *writer, size_t i, const void *data, sinpos_file_error *error)
{
    char text[4 * SINPOS_MAX_FILE_DIMS + 2 * SINPOS_DECIMAL_BYTES];
    const size_t opening = n_braces(&writer->array, i);
    const size_t closing = n_braces(&writer->array, i + 1);
    const size_t dim = writer->array.shape[writer->array.n_dims - 1];
    size_t used = (size_t)snprintf(text, sizeof text, "%s",
                                   i % dim % 8 != 0 ? " "
                                   : opening > 0    ? "\n    "
                                                    : "\n     ");
    memset(text + used, '{', opening);
    used += opening;
    used += c_constant(text + used, writer->array.element, data);
    memset(text + used, '}', closing);
    used += closing;
    text[used++] = ',';
    return text_put(writer, text, used, error);
}

static sinpos_file_status c_elements(struct sinpos_writer *writer, const void *data, size_t n, sinpos_file_error *error)
{
    const size_t size = sinpos_element_bytes(writer->array.element);
    const char *p = data;
    sinpos_file_status status = SINPOS_FILE_OK;
    for (size_t i = 0; i < n && status == SINPOS_FILE_OK; i++, p += size) {
        status = c_element(writer, writer->elements_done + i, p, error);
    }
    return status;
}

static sinpos_file_status c_end(struct sinpos_writer *writer, sinpos_file_error *error)
{
    static const char tail[] = "\n};\n\n#endif\n";
    const sinpos_file_status status = text_put(writer, tail, sizeof tail - 1, error);
    return status == SINPOS_FILE_OK ? text_flush(writer, error) : status;
}

const struct format format_c_header = {
    .ending = ".h",
    .types = SINPOS_F64 | SINPOS_F32 | SINPOS_F16 | SINPOS_BF16,
    .refusal = "",
    .check = c_check,
    .begin = c_begin,
    .elements = c_elements,
    .end = c_end,
};
