/*
 * npy.c - NumPy's .npy: magic, version, header length, a Python dict literal, the elements.
 *
 * The dict is read by a small parser of exactly what NumPy writes: three keys in any order, each once.
 */
#include "format.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* NumPy's own headers stay below 400 bytes with 32 dimensions. */
#define MAX_HEADER ((size_t)1 << 20)

struct cursor {
    const char *at;
    const char *end;
};

static sinpos_file_status bad(sinpos_file_error *error, const char *why)
{
    return problem_set(error, SINPOS_FILE_E_CONTENT, "the file is corrupt or no .npy; save it again with numpy.save",
                       "%s", why);
}

static void skip_blanks(struct cursor *c)
{
    while (c->at < c->end && (*c->at == ' ' || *c->at == '\t' || *c->at == '\n' || *c->at == '\r'))
        c->at++;
}

static bool is_next(struct cursor *c, char wanted)
{
    skip_blanks(c);
    return c->at < c->end && *c->at == wanted;
}

static bool take(struct cursor *c, char wanted)
{
    const bool is_there = is_next(c, wanted);
    c->at += is_there;
    return is_there;
}

static bool take_word(struct cursor *c, const char *word)
{
    const size_t length = strlen(word);
    skip_blanks(c);
    if ((size_t)(c->end - c->at) < length || memcmp(c->at, word, length) != 0)
        return false;
    c->at += length;
    return true;
}

/* A string in single or double quotes, without escapes. */
static bool take_string(struct cursor *c, const char **text, size_t *length)
{
    skip_blanks(c);
    if (c->at == c->end || (*c->at != '\'' && *c->at != '"'))
        return false;
    const char quote = *c->at++;
    const char *close = memchr(c->at, quote, (size_t)(c->end - c->at));
    if (close == NULL || memchr(c->at, '\\', (size_t)(close - c->at)) != NULL)
        return false;
    *text = c->at;
    *length = (size_t)(close - c->at);
    c->at = close + 1;
    return true;
}

static bool take_size(struct cursor *c, size_t *value)
{
    skip_blanks(c);
    const char *begin = c->at;
    size_t n = 0;
    while (c->at < c->end && isdigit((unsigned char)*c->at)) {
        const size_t digit = (size_t)(*c->at - '0');
        if (n > (SIZE_MAX - digit) / 10)
            return false;
        n = 10 * n + digit;
        c->at++;
    }
    *value = n;
    const bool any = c->at > begin;
    if (any && c->at < c->end && *c->at == 'L') /* Python 2 wrote its long integers so */
        c->at++;
    return any;
}

static sinpos_file_status take_descr(struct cursor *c, struct sinpos_reader *reader, sinpos_file_error *error)
{
    const char *text;
    size_t length;
    if (take(c, '[')) {
        return problem_set(error, SINPOS_FILE_E_CONTENT, "save one field of it as an array of its own",
                           "holds a structured array");
    }
    if (!take_string(c, &text, &length))
        return bad(error, "its header has no readable 'descr'");
    const bool has_order = length > 0 && strchr("<>|=", text[0]) != NULL;
    const size_t skip = has_order ? 1 : 0;
    const char *name = text + skip;
    size_t n_name = length - skip;
    reader->is_complex = (n_name == 2 && memcmp(name, "c8", 2) == 0) || (n_name == 3 && memcmp(name, "c16", 3) == 0);
    if (reader->is_complex) { /* a real and an imaginary part */
        name = n_name == 2 ? "f4" : "f8";
        n_name = 2;
    }
    if (!element_of_name(NPY_NAMES, name, n_name, &reader->array.element)) {
        return problem_set(error, SINPOS_FILE_E_CONTENT, "convert it with x.astype(numpy.float32) and save it again",
                           "holds elements of type '%.*s', which are not used here", length > 40 ? 40 : (int)length,
                           text);
    }
    const char order = has_order ? text[0] : '=';
    reader->is_big_endian = order == '>' || (order == '=' && machine_is_big_endian());
    if (order == '|' && sinpos_element_bytes(reader->array.element) > 1)
        return bad(error, "its header leaves the byte order open");
    return SINPOS_FILE_OK;
}

static sinpos_file_status take_shape(struct cursor *c, sinpos_array *array, sinpos_file_error *error)
{
    if (!take(c, '('))
        return bad(error, "its header has no readable 'shape'");
    array->n_dims = 0;
    while (!take(c, ')')) {
        size_t n;
        if (!take_size(c, &n))
            return bad(error, "its header has a 'shape' that is not a list of sizes");
        if (array->n_dims == SINPOS_MAX_FILE_DIMS)
            return bad(error, "its header has a 'shape' of more than 32 dimensions");
        array->shape[array->n_dims++] = n;
        if (!take(c, ',') && (array->n_dims == 1 || !is_next(c, ')')))
            return bad(error, "its header has a 'shape' that is not a tuple");
    }
    return SINPOS_FILE_OK;
}

struct dict {
    bool has_descr, has_order, has_shape;
    bool is_fortran;
};

static bool once(bool *seen)
{
    const bool first = !*seen;
    *seen = true;
    return first;
}

static bool is_key(const char *text, size_t length, const char *key)
{
    return strlen(key) == length && memcmp(text, key, length) == 0;
}

static sinpos_file_status take_item(struct cursor *c, struct dict *dict, struct sinpos_reader *reader,
                                    sinpos_file_error *error)
{
    const char *key;
    size_t length;
    if (!take_string(c, &key, &length) || !take(c, ':'))
        return bad(error, "its header is not a dictionary");
    if (is_key(key, length, "descr") && once(&dict->has_descr))
        return take_descr(c, reader, error);
    if (is_key(key, length, "shape") && once(&dict->has_shape))
        return take_shape(c, &reader->array, error);
    if (is_key(key, length, "fortran_order") && once(&dict->has_order)) {
        dict->is_fortran = take_word(c, "True");
        return dict->is_fortran || take_word(c, "False") ? SINPOS_FILE_OK
                                                         : bad(error, "its header has no readable 'fortran_order'");
    }
    return bad(error, "its header has a key twice, or one that .npy does not know");
}

static sinpos_file_status parse_dict(struct cursor *c, struct dict *dict, struct sinpos_reader *reader,
                                     sinpos_file_error *error)
{
    if (!take(c, '{'))
        return bad(error, "its header is not a dictionary");
    while (!take(c, '}')) {
        const sinpos_file_status status = take_item(c, dict, reader, error);
        if (status != SINPOS_FILE_OK)
            return status;
        if (!take(c, ',') && !is_next(c, '}'))
            return bad(error, "its header is not a dictionary");
    }
    skip_blanks(c);
    if (c->at != c->end)
        return bad(error, "its header goes on after the dictionary");
    if (!dict->has_descr || !dict->has_order || !dict->has_shape)
        return bad(error, "its header lacks 'descr', 'fortran_order' or 'shape'");
    return SINPOS_FILE_OK;
}

/* The parts of complex numbers are a dimension of their own, the last. */
static sinpos_file_status add_parts(struct sinpos_reader *reader, sinpos_file_error *error)
{
    sinpos_array *array = &reader->array;
    if (reader->is_complex && array->n_dims == SINPOS_MAX_FILE_DIMS)
        return bad(error, "has complex numbers in 32 dimensions; real and imaginary parts would be one more");
    if (reader->is_complex)
        array->shape[array->n_dims++] = 2;
    return SINPOS_FILE_OK;
}

/* With at most one dimension above 1 both orders are the same. */
static bool order_matters(const sinpos_array *array)
{
    size_t n_long = 0;
    for (size_t i = 0; i < array->n_dims; i++)
        n_long += array->shape[i] > 1;
    return n_long > 1;
}

static sinpos_file_status parse_header(struct sinpos_reader *reader, const char *text, size_t length,
                                       sinpos_file_error *error)
{
    struct cursor cursor = {text, text + length};
    struct dict dict = {0};
    sinpos_file_status status = parse_dict(&cursor, &dict, reader, error);
    reader->is_by_columns = status == SINPOS_FILE_OK && dict.is_fortran && order_matters(&reader->array);
    status = status == SINPOS_FILE_OK ? add_parts(reader, error) : status;
    if (status != SINPOS_FILE_OK)
        return status;
    size_t elements;
    if (sinpos_array_elements(&reader->array, &elements) != SINPOS_FILE_OK)
        return bad(error, "its header states an array larger than any file can be");
    return reader_check_size(reader, (uint64_t)elements * sinpos_element_bytes(reader->array.element), error);
}

/* Magic, version and header length. */
static sinpos_file_status take_preamble(struct sinpos_reader *reader, size_t *length, sinpos_file_error *error)
{
    unsigned char start[8];
    unsigned char size[4] = {0};
    sinpos_file_status status = reader_take(reader, start, sizeof start, error);
    if (status != SINPOS_FILE_OK)
        return status;
    if (memcmp(start, "\x93NUMPY", 6) != 0)
        return bad(error, "does not begin as a .npy file does");
    if (start[6] < 1 || start[6] > 3 || start[7] != 0) {
        return problem_set(error, SINPOS_FILE_E_CONTENT, "save it again with numpy.save",
                           "is .npy of version %d.%d; versions 1.0, 2.0 and 3.0 are read", start[6], start[7]);
    }
    status = reader_take(reader, size, start[6] == 1 ? 2 : 4, error);
    *length = (size_t)size[0] | (size_t)size[1] << 8 | (size_t)size[2] << 16 | (size_t)size[3] << 24;
    return status;
}

static sinpos_file_status npy_read_header(struct sinpos_reader *reader, sinpos_file_error *error)
{
    size_t length = 0;
    sinpos_file_status status = take_preamble(reader, &length, error);
    if (status != SINPOS_FILE_OK)
        return status;
    if (length > MAX_HEADER || (reader->is_regular && length > reader->file_bytes - reader->position))
        return bad(error, "its header is longer than the file, or than any header can be");
    OWNED char *text = malloc(length + 1);
    if (text == NULL)
        return problem_memory(error);
    status = reader_take(reader, text, length, error);
    if (status == SINPOS_FILE_OK)
        status = parse_header(reader, text, length, error);
    return status;
}

/* Version 1.0, padded with blanks so that the elements begin at a multiple of 64, as NumPy does. */
static sinpos_file_status npy_begin(struct sinpos_writer *writer, sinpos_file_error *error)
{
    char header[1024] = "\x93NUMPY\x01";
    const sinpos_array *array = &writer->array;
    size_t used = 10;
    used += (size_t)snprintf(header + used, sizeof header - used, "{'descr': '<%s', 'fortran_order': False, 'shape': (",
                             element_name_in(NPY_NAMES, array->element));
    for (size_t i = 0; i < array->n_dims; i++)
        used += (size_t)snprintf(header + used, sizeof header - used, i > 0 ? ", %zu" : "%zu", array->shape[i]);
    used += (size_t)snprintf(header + used, sizeof header - used, array->n_dims == 1 ? ",), }" : "), }");
    const size_t total = (used + 1 + 63) / 64 * 64;
    memset(header + used, ' ', total - used - 1);
    header[total - 1] = '\n';
    header[8] = (char)((total - 10) & 0xff);
    header[9] = (char)((total - 10) >> 8);
    return output_write(&writer->output, header, total, error);
}

const struct format format_npy = {
    .ending = ".npy",
    .types = SINPOS_F64 | SINPOS_F32 | SINPOS_F16,
    .refusal = "NumPy has no bfloat16; use a name that ends in .safetensors",
    .read_header = npy_read_header,
    .begin = npy_begin,
    .elements = write_binary,
};
