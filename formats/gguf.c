/*
 * gguf.c - the file format of GGML: a magic number, counts, keys with values, the tensors' names and shapes, the data.
 *
 * Versions 2 and 3, little-endian. Sizes stand fastest dimension first, so the shape is their reverse. Source: the
 * format's own description, docs/gguf.md of ggml, and its reader, ggml/src/gguf.cpp of llama.cpp.
 */
#include "format.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ALIGNMENT 32
#define MOST_DIMS 4
#define MOST_ALIGNMENT ((uint64_t)1 << 30)
#define LONGEST_NAME ((uint64_t)65535)
#define LONGEST_TEXT ((uint64_t)1 << 20) /* a longer value is skipped */
#define MOST_NUMBERS 4096
#define DEEPEST 4 /* arrays in arrays */
#define LONGEST_TENSOR_NAME 63

enum value_type { TYPE_F32 = 6, TYPE_BOOL = 7, TYPE_TEXT = 8, TYPE_ARRAY = 9, TYPE_F64 = 12, N_VALUE_TYPES = 13 };

static const unsigned char value_bytes[N_VALUE_TYPES] = {1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8};

/* Elements of a block and its bytes; numbers that GGML has given up have no name. Source: ggml-common.h. */
static const struct ggml_type {
    const char *name;
    unsigned block;
    unsigned bytes;
    sinpos_element element;
} ggml_types[] = {
    [0] = {"F32", 1, 4, SINPOS_ELEMENT_F32},
    [1] = {"F16", 1, 2, SINPOS_ELEMENT_F16},
    [2] = {"Q4_0", 32, 18, 0},
    [3] = {"Q4_1", 32, 20, 0},
    [6] = {"Q5_0", 32, 22, 0},
    [7] = {"Q5_1", 32, 24, 0},
    [8] = {"Q8_0", 32, 34, 0},
    [9] = {"Q8_1", 32, 36, 0},
    [10] = {"Q2_K", 256, 84, 0},
    [11] = {"Q3_K", 256, 110, 0},
    [12] = {"Q4_K", 256, 144, 0},
    [13] = {"Q5_K", 256, 176, 0},
    [14] = {"Q6_K", 256, 210, 0},
    [15] = {"Q8_K", 256, 292, 0},
    [16] = {"IQ2_XXS", 256, 66, 0},
    [17] = {"IQ2_XS", 256, 74, 0},
    [18] = {"IQ3_XXS", 256, 98, 0},
    [19] = {"IQ1_S", 256, 50, 0},
    [20] = {"IQ4_NL", 32, 18, 0},
    [21] = {"IQ3_S", 256, 110, 0},
    [22] = {"IQ2_S", 256, 82, 0},
    [23] = {"IQ4_XS", 256, 136, 0},
    [24] = {"I8", 1, 1, SINPOS_ELEMENT_I8},
    [25] = {"I16", 1, 2, SINPOS_ELEMENT_I16},
    [26] = {"I32", 1, 4, SINPOS_ELEMENT_I32},
    [27] = {"I64", 1, 8, SINPOS_ELEMENT_I64},
    [28] = {"F64", 1, 8, SINPOS_ELEMENT_F64},
    [29] = {"IQ1_M", 256, 56, 0},
    [30] = {"BF16", 1, 2, SINPOS_ELEMENT_BF16},
    [34] = {"TQ1_0", 256, 54, 0},
    [35] = {"TQ2_0", 256, 66, 0},
    [39] = {"MXFP4", 32, 17, 0},
};

#define N_GGML_TYPES (sizeof ggml_types / sizeof ggml_types[0])

static const struct ggml_type *find_type(uint32_t number)
{
    return number < N_GGML_TYPES && ggml_types[number].name != NULL ? &ggml_types[number] : NULL;
}

static sinpos_file_status bad(sinpos_file_error *error, const char *why)
{
    return problem_set(error, SINPOS_FILE_E_CONTENT, "the file is corrupt; copy or make it again", "%s", why);
}

static sinpos_file_status bad_name(sinpos_file_error *error, const char *what, const char *name, const char *why)
{
    return problem_set(error, SINPOS_FILE_E_CONTENT, "the file is corrupt; copy or make it again", "its %s '%.80s' %s",
                       what, name, why);
}

/* ------------------------------------------------------------------------------------------------ source */

/* A reader with a buffer, since a header is a hundred thousand small pieces; pipes are read piece by piece. */
struct source {
    struct sinpos_reader *reader;
    sinpos_file_error *error;
    size_t at, filled;
    unsigned char buffer[1 << 16];
};

static uint64_t position(const struct source *source)
{
    return source->reader->position - (source->filled - source->at);
}

/* Bytes of the file that are left; of a pipe nobody knows. */
static uint64_t left(const struct source *source)
{
    return source->reader->is_regular ? source->reader->file_bytes - position(source) : (uint64_t)INT64_MAX;
}

static sinpos_file_status refill(struct source *source)
{
    const uint64_t there = left(source);
    const size_t some = there == 0 ? 1 : there < sizeof source->buffer ? (size_t)there : sizeof source->buffer;
    const sinpos_file_status status = reader_take(source->reader, source->buffer, some, source->error);
    source->at = 0;
    source->filled = status == SINPOS_FILE_OK ? some : 0;
    return status;
}

static sinpos_file_status take(struct source *source, void *data, size_t n)
{
    unsigned char *p = data;
    if (!source->reader->is_regular)
        return reader_take(source->reader, data, n, source->error);
    while (n > 0) {
        if (source->at == source->filled) {
            const sinpos_file_status status = refill(source);
            if (status != SINPOS_FILE_OK)
                return status;
        }
        const size_t there = source->filled - source->at, some = n < there ? n : there;
        memcpy(p, source->buffer + source->at, some);
        source->at += some;
        p += some;
        n -= some;
    }
    return SINPOS_FILE_OK;
}

static sinpos_file_status skip(struct source *source, uint64_t n)
{
    if (n > left(source))
        return bad(source->error, "is cut short in its metadata");
    const size_t there = source->filled - source->at, some = n < there ? (size_t)n : there;
    source->at += some;
    return n == some ? SINPOS_FILE_OK : reader_skip(source->reader, n - some, source->error);
}

/* Gives back what was read ahead. */
static sinpos_file_status end_source(struct source *source)
{
    const size_t ahead = source->filled - source->at;
    if (ahead > 0 && lseek(source->reader->fd, -(off_t)ahead, SEEK_CUR) < 0)
        return problem_system(source->error, errno);
    source->reader->position -= ahead;
    source->at = source->filled = 0;
    return SINPOS_FILE_OK;
}

static sinpos_file_status take_unsigned(struct source *source, size_t n_bytes, uint64_t *number)
{
    unsigned char bytes[8];
    const sinpos_file_status status = take(source, bytes, n_bytes);
    *number = 0;
    for (size_t i = n_bytes; status == SINPOS_FILE_OK && i > 0; i--)
        *number = *number << 8 | bytes[i - 1];
    return status;
}

static sinpos_file_status take_u32(struct source *source, uint32_t *number)
{
    uint64_t wide;
    const sinpos_file_status status = take_unsigned(source, 4, &wide);
    *number = (uint32_t)wide;
    return status;
}

/* A text of up to most bytes with a zero behind it, for the caller to free. */
static sinpos_file_status take_bytes(struct source *source, size_t length, char **text)
{
    *text = malloc(length + 1);
    if (*text == NULL)
        return problem_memory(source->error);
    (*text)[length] = '\0';
    const sinpos_file_status status = take(source, *text, length);
    if (status != SINPOS_FILE_OK) {
        free(*text);
        *text = NULL;
    }
    return status;
}

static sinpos_file_status take_name(struct source *source, const char *what, char **name)
{
    uint64_t length;
    *name = NULL;
    sinpos_file_status status = take_unsigned(source, 8, &length);
    if (status == SINPOS_FILE_OK && (length > LONGEST_NAME || length > left(source))) {
        return problem_set(source->error, SINPOS_FILE_E_CONTENT, "the file is corrupt; copy or make it again",
                           "has a %s of %llu bytes", what, (unsigned long long)length);
    }
    status = status == SINPOS_FILE_OK ? take_bytes(source, (size_t)length, name) : status;
    if (status == SINPOS_FILE_OK && (strlen(*name) != length || !is_good_name(*name))) {
        status = bad_name(source->error, what, *name, "is empty, not UTF-8, or has control characters");
        free(*name);
        *name = NULL;
    }
    return status;
}

/* ---------------------------------------------------------------------------------------------- metadata */

static double real_of(uint32_t type, uint64_t bits)
{
    float single;
    double real;
    if (type == TYPE_F32) {
        const uint32_t low = (uint32_t)bits;
        memcpy(&single, &low, sizeof single);
        return (double)single;
    }
    memcpy(&real, &bits, sizeof real);
    return real;
}

/* A value of a fixed size. Integers beyond int64 become reals. */
static void set_number(sinpos_metadata *value, uint32_t type, uint64_t bits)
{
    static const bool is_signed[N_VALUE_TYPES] = {[1] = true, [3] = true, [5] = true, [11] = true};
    if (type == TYPE_F32 || type == TYPE_F64) {
        value->kind = SINPOS_METADATA_REAL;
        value->real = real_of(type, bits);
        return;
    }
    const unsigned unused = 64 - 8U * value_bytes[type];
    const uint64_t sign = is_signed[type] ? (uint64_t)1 << (63 - unused) : 0;
    if (sign == 0 && bits > (uint64_t)INT64_MAX) {
        value->kind = SINPOS_METADATA_REAL;
        value->real = (double)bits;
        return;
    }
    value->kind = type == TYPE_BOOL ? SINPOS_METADATA_BOOL : SINPOS_METADATA_INTEGER;
    value->integer = (bits & sign) != 0 ? -(int64_t)(~bits & (sign - 1)) - 1 : (int64_t)bits;
    value->real = (double)value->integer;
}

static sinpos_file_status skip_text(struct source *source)
{
    uint64_t length;
    const sinpos_file_status status = take_unsigned(source, 8, &length);
    return status == SINPOS_FILE_OK ? skip(source, length) : status;
}

static sinpos_file_status take_array_head(struct source *source, uint32_t *type, uint64_t *n)
{
    sinpos_file_status status = take_u32(source, type);
    status = status == SINPOS_FILE_OK ? take_unsigned(source, 8, n) : status;
    if (status != SINPOS_FILE_OK)
        return status;
    if (*type >= N_VALUE_TYPES)
        return bad(source->error, "has an array of an unknown type in its metadata");
    const uint64_t each = *type == TYPE_TEXT ? 8 : *type == TYPE_ARRAY ? 12 : value_bytes[*type];
    return *n > left(source) / each ? bad(source->error, "has an array in its metadata that is longer than the file")
                                    : SINPOS_FILE_OK;
}

static sinpos_file_status skip_elements(struct source *source, uint32_t type, uint64_t n, unsigned depth)
{
    sinpos_file_status status = SINPOS_FILE_OK;
    if (type != TYPE_TEXT && type != TYPE_ARRAY)
        return skip(source, n * value_bytes[type]);
    if (type == TYPE_ARRAY && depth >= DEEPEST)
        return bad(source->error, "has arrays in its metadata that are nested too deep");
    for (uint64_t i = 0; i < n && status == SINPOS_FILE_OK; i++) {
        uint32_t inner;
        uint64_t m;
        if (type == TYPE_TEXT) {
            status = skip_text(source);
            continue;
        }
        status = take_array_head(source, &inner, &m);
        status = status == SINPOS_FILE_OK ? skip_elements(source, inner, m, depth + 1) : status;
    }
    return status;
}

static sinpos_file_status take_numbers(struct source *source, uint32_t type, size_t n, double *numbers)
{
    sinpos_file_status status = SINPOS_FILE_OK;
    for (size_t i = 0; i < n && status == SINPOS_FILE_OK; i++) {
        sinpos_metadata value = {.n = 0};
        uint64_t bits;
        status = take_unsigned(source, value_bytes[type], &bits);
        set_number(&value, type, bits);
        numbers[i] = value.real;
    }
    return status;
}

static sinpos_file_status take_array(struct source *source, sinpos_metadata *value, double numbers[MOST_NUMBERS])
{
    uint32_t type;
    uint64_t n;
    const sinpos_file_status status = take_array_head(source, &type, &n);
    if (status != SINPOS_FILE_OK)
        return status;
    value->n = (size_t)n;
    if (type == TYPE_TEXT || type == TYPE_ARRAY || n > MOST_NUMBERS) {
        value->kind = SINPOS_METADATA_OTHER;
        return skip_elements(source, type, n, 1);
    }
    value->kind = SINPOS_METADATA_NUMBERS;
    value->numbers = numbers;
    return take_numbers(source, type, (size_t)n, numbers);
}

static sinpos_file_status add_text(struct source *source, sinpos_metadata *value, struct contents *contents)
{
    uint64_t length;
    char *text = NULL;
    sinpos_file_status status = take_unsigned(source, 8, &length);
    if (status == SINPOS_FILE_OK && length > LONGEST_TEXT) {
        value->kind = SINPOS_METADATA_OTHER;
        value->n = 1;
        status = skip(source, length);
    } else if (status == SINPOS_FILE_OK && length > left(source)) {
        status = bad(source->error, "is cut short in its metadata");
    } else if (status == SINPOS_FILE_OK) {
        status = take_bytes(source, (size_t)length, &text);
        value->text = text;
        value->n = (size_t)length;
    }
    status = status == SINPOS_FILE_OK ? contents_add_metadata(contents, value, source->error) : status;
    free(text);
    return status;
}

static sinpos_file_status add_value(struct source *source, const char *key, struct contents *contents)
{
    double numbers[MOST_NUMBERS];
    sinpos_metadata value = {.name = key};
    uint32_t type;
    uint64_t bits = 0;
    sinpos_file_status status = take_u32(source, &type);
    if (status != SINPOS_FILE_OK)
        return status;
    if (type >= N_VALUE_TYPES)
        return bad_name(source->error, "key", key, "has a value of an unknown type");
    if (type == TYPE_TEXT)
        return add_text(source, &value, contents);
    if (type == TYPE_ARRAY) {
        status = take_array(source, &value, numbers);
    } else {
        status = take_unsigned(source, value_bytes[type], &bits);
        set_number(&value, type, bits);
    }
    return status == SINPOS_FILE_OK ? contents_add_metadata(contents, &value, source->error) : status;
}

static sinpos_file_status take_metadata(struct source *source, uint64_t n, struct contents *contents)
{
    sinpos_file_status status = SINPOS_FILE_OK;
    for (uint64_t i = 0; i < n && status == SINPOS_FILE_OK; i++) {
        char *key;
        status = take_name(source, "key", &key);
        status = status == SINPOS_FILE_OK ? add_value(source, key, contents) : status;
        free(key);
    }
    return status;
}

/* ----------------------------------------------------------------------------------------------- tensors */

/* Product of the sizes in bytes; false beyond what a file can hold. */
static bool count_bytes(const struct ggml_type *type, const sinpos_array *array, uint64_t *bytes)
{
    uint64_t n = 1;
    bool is_empty = false;
    for (size_t i = 0; i < array->n_dims; i++) {
        is_empty = is_empty || array->shape[i] == 0;
        if (array->shape[i] != 0 && n > (uint64_t)INT64_MAX / array->shape[i])
            return false;
        n *= array->shape[i] == 0 ? 1 : array->shape[i];
    }
    const uint64_t blocks = is_empty ? 0 : n / type->block;
    *bytes = blocks * type->bytes;
    return blocks <= (uint64_t)INT64_MAX / type->bytes;
}

static sinpos_file_status take_shape(struct source *source, const char *name, sinpos_array *array)
{
    uint32_t n_dims;
    sinpos_file_status status = take_u32(source, &n_dims);
    if (status == SINPOS_FILE_OK && n_dims > MOST_DIMS)
        return bad_name(source->error, "tensor", name, "has more than 4 dimensions");
    array->n_dims = status == SINPOS_FILE_OK ? n_dims : 0;
    for (size_t i = array->n_dims; i > 0 && status == SINPOS_FILE_OK; i--) {
        uint64_t size;
        status = take_unsigned(source, 8, &size);
        if (status == SINPOS_FILE_OK && (size > (uint64_t)INT64_MAX || size > SIZE_MAX))
            return bad_name(source->error, "tensor", name, "has a shape larger than any file can be");
        array->shape[i - 1] = (size_t)size;
    }
    return status;
}

/* What is known of the type; the bytes of one that is not are found later. */
static sinpos_file_status set_type(struct source *source, uint32_t number, sinpos_tensor *tensor)
{
    const struct ggml_type *type = find_type(number);
    const sinpos_array *array = &tensor->array;
    tensor->type = type == NULL ? "?" : type->name;
    tensor->bytes = 0;
    if (type == NULL)
        return SINPOS_FILE_OK;
    tensor->array.element = type->element;
    const size_t row = array->n_dims == 0 ? 1 : array->shape[array->n_dims - 1];
    if (row % type->block != 0)
        return bad_name(source->error, "tensor", tensor->name, "has rows that are not a whole number of blocks");
    return count_bytes(type, array, &tensor->bytes)
               ? SINPOS_FILE_OK
               : bad_name(source->error, "tensor", tensor->name, "has a shape larger than any file can be");
}

static sinpos_file_status take_tensor(struct source *source, const char *name, uint64_t alignment,
                                      struct contents *contents)
{
    sinpos_tensor tensor = {.name = name};
    uint32_t type = 0;
    sinpos_file_status status = take_shape(source, name, &tensor.array);
    status = status == SINPOS_FILE_OK ? take_u32(source, &type) : status;
    status = status == SINPOS_FILE_OK ? take_unsigned(source, 8, &tensor.offset) : status;
    status = status == SINPOS_FILE_OK ? set_type(source, type, &tensor) : status;
    if (status != SINPOS_FILE_OK)
        return status;
    if (tensor.offset % alignment != 0)
        return bad_name(source->error, "tensor", name, "does not begin at a multiple of the alignment");
    return contents_add_tensor(contents, &tensor, source->error);
}

static sinpos_file_status take_tensors(struct source *source, uint64_t n, uint64_t alignment, struct contents *contents)
{
    sinpos_file_status status = SINPOS_FILE_OK;
    for (uint64_t i = 0; i < n && status == SINPOS_FILE_OK; i++) {
        char *name;
        status = take_name(source, "tensor", &name);
        status = status == SINPOS_FILE_OK ? take_tensor(source, name, alignment, contents) : status;
        free(name);
    }
    return status;
}

static int compare_offsets(const void *a, const void *b)
{
    const sinpos_tensor *s = *(const sinpos_tensor *const *)a;
    const sinpos_tensor *t = *(const sinpos_tensor *const *)b;
    if (s->offset != t->offset)
        return s->offset < t->offset ? -1 : 1;
    return s->bytes < t->bytes ? -1 : s->bytes > t->bytes;
}

/*
 * In the order of the offsets: no tensor reaches into the next or beyond the end. One of an unknown type is taken to
 * reach to the next.
 */
static sinpos_file_status place(struct source *source, sinpos_tensor **order, size_t n, uint64_t begin)
{
    const uint64_t room = source->reader->is_regular ? source->reader->file_bytes : (uint64_t)INT64_MAX;
    if (n > 0 && begin > room)
        return bad(source->error, "is cut short before its data");
    for (size_t i = 0; i < n; i++) {
        sinpos_tensor *tensor = order[i];
        const bool is_last = i + 1 == n;
        const uint64_t end = is_last ? room - begin : order[i + 1]->offset;
        if (tensor->offset > room - begin || tensor->bytes > room - begin - tensor->offset)
            return bad_name(source->error, "tensor", tensor->name, "reaches beyond the end of the file");
        if (tensor->bytes > end - tensor->offset)
            return bad_name(source->error, "tensor", order[i + 1]->name, "overlaps another");
        tensor->bytes = tensor->type[0] == '?' ? end - tensor->offset : tensor->bytes;
        tensor->offset += begin;
    }
    return SINPOS_FILE_OK;
}

static sinpos_file_status place_tensors(struct source *source, uint64_t begin, struct contents *contents)
{
    const size_t n = contents->n_tensors;
    sinpos_tensor **order = calloc(n + 1, sizeof *order);
    if (order == NULL)
        return problem_memory(source->error);
    for (size_t i = 0; i < n; i++)
        order[i] = &contents->tensors[i];
    qsort(order, n, sizeof(sinpos_tensor *), compare_offsets);
    const sinpos_file_status status = place(source, order, n, begin);
    free(order);
    return status;
}

/* ------------------------------------------------------------------------------------------------ header */

static sinpos_file_status take_version(struct source *source)
{
    char magic[4];
    uint32_t version = 0;
    sinpos_file_status status = take(source, magic, sizeof magic);
    if (status == SINPOS_FILE_OK && memcmp(magic, "GGUF", 4) != 0) {
        return problem_set(source->error, SINPOS_FILE_E_CONTENT, "check that this is the right file",
                           "does not begin as a .gguf file does");
    }
    status = status == SINPOS_FILE_OK ? take_u32(source, &version) : status;
    if (status != SINPOS_FILE_OK || version == 2 || version == 3)
        return status;
    if ((version & 0xffff) == 0 && version != 0) {
        return problem_set(source->error, SINPOS_FILE_E_CONTENT, "convert it to little-endian",
                           "is big-endian; only little-endian .gguf files are read");
    }
    return problem_set(source->error, SINPOS_FILE_E_CONTENT, "convert it to version 3",
                       "is .gguf of version %lu; versions 2 and 3 are read", (unsigned long)version);
}

static sinpos_file_status find_alignment(const struct contents *contents, uint64_t *alignment, sinpos_file_error *error)
{
    const sinpos_metadata *value = contents_metadata(contents, "general.alignment");
    *alignment = ALIGNMENT;
    if (value == NULL)
        return SINPOS_FILE_OK;
    if (value->kind != SINPOS_METADATA_INTEGER || value->integer <= 0 || (uint64_t)value->integer > MOST_ALIGNMENT ||
        (value->integer & (value->integer - 1)) != 0)
        return bad(error, "has a general.alignment that is not a power of 2");
    *alignment = (uint64_t)value->integer;
    return SINPOS_FILE_OK;
}

static sinpos_file_status take_header(struct source *source, struct contents *contents)
{
    uint64_t n_tensors = 0, n_keys = 0, alignment = ALIGNMENT;
    sinpos_file_status status = take_version(source);
    status = status == SINPOS_FILE_OK ? take_unsigned(source, 8, &n_tensors) : status;
    status = status == SINPOS_FILE_OK ? take_unsigned(source, 8, &n_keys) : status;
    if (status == SINPOS_FILE_OK && (n_keys > left(source) / 13 || n_tensors > left(source) / 24))
        return bad(source->error, "promises more keys or tensors than its bytes can hold");
    status = status == SINPOS_FILE_OK ? take_metadata(source, n_keys, contents) : status;
    status = status == SINPOS_FILE_OK ? contents_sort(contents, source->error) : status;
    status = status == SINPOS_FILE_OK ? find_alignment(contents, &alignment, source->error) : status;
    status = status == SINPOS_FILE_OK ? take_tensors(source, n_tensors, alignment, contents) : status;
    status = status == SINPOS_FILE_OK ? contents_sort(contents, source->error) : status;
    if (status != SINPOS_FILE_OK)
        return status;
    const uint64_t begin = (position(source) + alignment - 1) / alignment * alignment;
    return place_tensors(source, begin, contents);
}

sinpos_file_status gguf_contents(struct sinpos_reader *reader, struct contents *contents, sinpos_file_error *error)
{
    struct source *source = malloc(sizeof *source);
    if (source == NULL)
        return problem_memory(error);
    source->reader = reader;
    source->error = error;
    source->at = source->filled = 0;
    sinpos_file_status status = take_header(source, contents);
    status = status == SINPOS_FILE_OK ? end_source(source) : status;
    free(source);
    return status;
}

static sinpos_file_status gguf_read_header(struct sinpos_reader *reader, sinpos_file_error *error)
{
    return reader_choose_tensor(reader, gguf_contents, error);
}

/* ----------------------------------------------------------------------------------------------- writing */

static sinpos_file_status gguf_check(const sinpos_array *array, const char *tensor, sinpos_file_error *error)
{
    if (!is_good_name(tensor) || strlen(tensor) > LONGEST_TENSOR_NAME) {
        return problem_about(error, "tensor",
                             problem_set(error, SINPOS_FILE_E_REQUEST, "choose a name of 1 to 63 bytes",
                                         "'%.80s' cannot be the name of a tensor", tensor));
    }
    if (array->n_dims > MOST_DIMS) {
        return problem_set(error, SINPOS_FILE_E_REQUEST, "write .npy or .safetensors",
                           ".gguf files cannot hold more than 4 dimensions");
    }
    return SINPOS_FILE_OK;
}

/* Room for what begin writes: about 250 bytes and the name. */
struct head {
    unsigned char bytes[1024];
    size_t used;
};

static void put_unsigned(struct head *head, uint64_t number, size_t n_bytes)
{
    for (size_t i = 0; i < n_bytes; i++)
        head->bytes[head->used++] = (unsigned char)(number >> (8 * i));
}

static void put_text(struct head *head, const char *text)
{
    const size_t length = strlen(text);
    put_unsigned(head, length, 8);
    memcpy(head->bytes + head->used, text, length);
    head->used += length;
}

static uint32_t type_number(sinpos_element element)
{
    uint32_t number = 0;
    while (ggml_types[number].name == NULL || ggml_types[number].element != element)
        number++;
    return number;
}

static sinpos_file_status gguf_begin(struct sinpos_writer *writer, sinpos_file_error *error)
{
    const sinpos_array *array = &writer->array;
    struct head head = {.used = 0};
    memcpy(head.bytes, "GGUF", 4);
    head.used = 4;
    put_unsigned(&head, 3, 4);
    put_unsigned(&head, 1, 8);
    put_unsigned(&head, 2, 8);
    put_text(&head, "general.architecture");
    put_unsigned(&head, TYPE_TEXT, 4);
    put_text(&head, "sinpos");
    put_text(&head, "general.alignment");
    put_unsigned(&head, 4, 4); /* uint32 */
    put_unsigned(&head, ALIGNMENT, 4);
    put_text(&head, writer->tensor);
    put_unsigned(&head, array->n_dims, 4);
    for (size_t i = array->n_dims; i > 0; i--)
        put_unsigned(&head, array->shape[i - 1], 8);
    put_unsigned(&head, type_number(array->element), 4);
    put_unsigned(&head, 0, 8);
    while (head.used % ALIGNMENT != 0)
        put_unsigned(&head, 0, 1);
    return output_write(&writer->output, head.bytes, head.used, error);
}

/* GGML reads the data up to a multiple of the alignment. */
static sinpos_file_status gguf_end(struct sinpos_writer *writer, sinpos_file_error *error)
{
    static const unsigned char zeros[ALIGNMENT];
    const size_t over = (size_t)(writer->output.written % ALIGNMENT);
    return over == 0 ? SINPOS_FILE_OK : output_write(&writer->output, zeros, ALIGNMENT - over, error);
}

const struct format format_gguf = {
    .ending = ".gguf",
    .types = SINPOS_F64 | SINPOS_F32 | SINPOS_F16 | SINPOS_BF16,
    .refusal = "",
    .read_header = gguf_read_header,
    .check = gguf_check,
    .begin = gguf_begin,
    .elements = write_binary,
    .end = gguf_end,
};
