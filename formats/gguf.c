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

/* ------------------------------------------------------------------------------------------------ source */

/*
 * A reader with a buffer, since a header is a hundred thousand small pieces; pipes are read piece by piece. After the first
 * error it reads nothing more, and numbers are 0 or what a part of their bytes says.
 */
struct source {
    struct sinpos_reader *reader;
    sinpos_file_error *error;
    sinpos_file_status status;
    size_t at, filled;
    unsigned char buffer[1 << 16];
};

static bool is_good(const struct source *source)
{
    return source->status == SINPOS_FILE_OK;
}

static void fail(struct source *source, const char *why)
{
    if (is_good(source))
        source->status = problem_corrupt(source->error, why);
}

static void fail_name(struct source *source, const char *what, const char *name, const char *why)
{
    if (is_good(source))
        source->status = problem_corrupt_name(source->error, what, name, why);
}

static uint64_t position(const struct source *source)
{
    return source->reader->position - (source->filled - source->at);
}

/* Bytes of the file that are left; of a pipe nobody knows. */
static uint64_t left(const struct source *source)
{
    return source->reader->is_regular ? source->reader->file_bytes - position(source) : (uint64_t)INT64_MAX;
}

static void refill(struct source *source)
{
    const uint64_t there = left(source);
    const size_t some = there == 0 ? 1 : there < sizeof source->buffer ? (size_t)there : sizeof source->buffer;
    source->status = reader_take(source->reader, source->buffer, some, source->error);
    source->at = 0;
    source->filled = is_good(source) ? some : 0;
}

static void take(struct source *source, void *data, size_t n)
{
    unsigned char *p = data;
    if (is_good(source) && !source->reader->is_regular) {
        source->status = reader_take(source->reader, data, n, source->error);
        return;
    }
    while (n > 0 && is_good(source)) {
        const size_t there = source->filled - source->at, some = n < there ? n : there;
        if (there == 0) {
            refill(source);
            continue;
        }
        memcpy(p, source->buffer + source->at, some);
        source->at += some;
        p += some;
        n -= some;
    }
}

static void skip(struct source *source, uint64_t n)
{
    if (n > left(source))
        fail(source, "is cut short in its metadata");
    if (!is_good(source))
        return;
    const size_t there = source->filled - source->at, some = n < there ? (size_t)n : there;
    source->at += some;
    if (n > some)
        source->status = reader_skip(source->reader, n - some, source->error);
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

static uint64_t take_unsigned(struct source *source, size_t n_bytes)
{
    unsigned char bytes[8] = {0};
    uint64_t number = 0;
    take(source, bytes, n_bytes);
    for (size_t i = n_bytes; i > 0; i--)
        number = number << 8 | bytes[i - 1];
    return number;
}

static uint32_t take_u32(struct source *source)
{
    return (uint32_t)take_unsigned(source, 4);
}

/* So many bytes with a zero behind them, for the caller to free, also after an error. */
static char *take_bytes(struct source *source, size_t length)
{
    char *text = is_good(source) ? malloc(length + 1) : NULL;
    if (text != NULL) {
        take(source, text, length);
        text[length] = '\0';
    } else if (is_good(source)) {
        source->status = problem_memory(source->error);
    }
    return text;
}

static char *take_name(struct source *source, const char *what)
{
    const uint64_t length = take_unsigned(source, 8);
    if (is_good(source) && (length > LONGEST_NAME || length > left(source))) {
        source->status = problem_set(source->error, SINPOS_FILE_E_CONTENT, "the file is corrupt; copy or make it again",
                                     "has a %s of %llu bytes", what, (unsigned long long)length);
    }
    char *name = take_bytes(source, (size_t)length);
    if (is_good(source) && (strlen(name) != length || !is_good_name(name)))
        fail_name(source, what, name, "is empty, not UTF-8, or has control characters");
    return name;
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

/* The type of the elements, and how many; none after an error. */
static uint32_t take_array_head(struct source *source, uint64_t *n)
{
    const uint32_t type = take_u32(source);
    *n = take_unsigned(source, 8);
    const uint64_t each = type == TYPE_TEXT      ? 8
                          : type == TYPE_ARRAY   ? 12
                          : type < N_VALUE_TYPES ? value_bytes[type]
                                                 : 1;
    if (type >= N_VALUE_TYPES)
        fail(source, "has an array of an unknown type in its metadata");
    else if (*n > left(source) / each)
        fail(source, "has an array in its metadata that is longer than the file");
    *n = is_good(source) ? *n : 0;
    return is_good(source) ? type : 0;
}

static void skip_elements(struct source *source, uint32_t type, uint64_t n, unsigned depth)
{
    if (type != TYPE_TEXT && type != TYPE_ARRAY) {
        skip(source, n * value_bytes[type]);
        return;
    }
    if (type == TYPE_ARRAY && depth >= DEEPEST)
        fail(source, "has arrays in its metadata that are nested too deep");
    for (uint64_t i = 0; i < n && is_good(source); i++) {
        uint64_t m;
        if (type == TYPE_TEXT) {
            skip(source, take_unsigned(source, 8));
            continue;
        }
        const uint32_t inner = take_array_head(source, &m);
        skip_elements(source, inner, m, depth + 1);
    }
}

static void take_array(struct source *source, sinpos_metadata *value, double numbers[MOST_NUMBERS])
{
    uint64_t n;
    const uint32_t type = take_array_head(source, &n);
    value->n = (size_t)n;
    if (type == TYPE_TEXT || type == TYPE_ARRAY || n > MOST_NUMBERS) {
        value->kind = SINPOS_METADATA_OTHER;
        skip_elements(source, type, n, 1);
        return;
    }
    for (size_t i = 0; i < n && is_good(source); i++) {
        set_number(value, type, take_unsigned(source, value_bytes[type]));
        numbers[i] = value->real;
    }
    *value =
        (sinpos_metadata){.name = value->name, .kind = SINPOS_METADATA_NUMBERS, .numbers = numbers, .n = (size_t)n};
}

static void take_text(struct source *source, sinpos_metadata *value)
{
    const uint64_t length = take_unsigned(source, 8);
    value->n = (size_t)length;
    if (length > LONGEST_TEXT) {
        value->kind = SINPOS_METADATA_OTHER;
        value->n = 1;
        skip(source, length);
    } else if (length > left(source)) {
        fail(source, "is cut short in its metadata");
    } else {
        value->text = take_bytes(source, (size_t)length);
    }
}

static void add_value(struct source *source, const char *key, struct contents *contents)
{
    double numbers[MOST_NUMBERS];
    sinpos_metadata value = {.name = key};
    const uint32_t type = take_u32(source);
    if (type >= N_VALUE_TYPES)
        fail_name(source, "key", key, "has a value of an unknown type");
    else if (type == TYPE_TEXT)
        take_text(source, &value);
    else if (type == TYPE_ARRAY)
        take_array(source, &value, numbers);
    else
        set_number(&value, type, take_unsigned(source, value_bytes[type]));
    if (is_good(source))
        source->status = contents_add_metadata(contents, &value, source->error);
    free((char *)value.text);
}

static void take_metadata(struct source *source, uint64_t n, struct contents *contents)
{
    for (uint64_t i = 0; i < n && is_good(source); i++) {
        OWNED char *key = take_name(source, "key");
        if (is_good(source))
            add_value(source, key, contents);
    }
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

static void take_shape(struct source *source, const char *name, sinpos_array *array)
{
    const uint32_t n_dims = take_u32(source);
    if (n_dims > MOST_DIMS)
        fail_name(source, "tensor", name, "has more than 4 dimensions");
    array->n_dims = is_good(source) ? n_dims : 0;
    for (size_t i = array->n_dims; i > 0; i--) {
        const uint64_t size = take_unsigned(source, 8);
        if (size > (uint64_t)INT64_MAX || size > SIZE_MAX)
            fail_name(source, "tensor", name, "has a shape larger than any file can be");
        array->shape[i - 1] = (size_t)size;
    }
}

/* What is known of the type; the bytes of one that is not are found later. */
static void set_type(struct source *source, uint32_t number, sinpos_tensor *tensor)
{
    const struct ggml_type *type = find_type(number);
    const sinpos_array *array = &tensor->array;
    tensor->type = type == NULL ? "?" : type->name;
    tensor->bytes = 0;
    if (type == NULL)
        return;
    tensor->array.element = type->element;
    const size_t row = array->n_dims == 0 ? 1 : array->shape[array->n_dims - 1];
    if (row % type->block != 0)
        fail_name(source, "tensor", tensor->name, "has rows that are not a whole number of blocks");
    if (!count_bytes(type, array, &tensor->bytes))
        fail_name(source, "tensor", tensor->name, "has a shape larger than any file can be");
}

static void take_tensor(struct source *source, const char *name, uint64_t alignment, struct contents *contents)
{
    sinpos_tensor tensor = {.name = name};
    take_shape(source, name, &tensor.array);
    const uint32_t type = take_u32(source);
    tensor.offset = take_unsigned(source, 8);
    set_type(source, type, &tensor);
    if (tensor.offset % alignment != 0)
        fail_name(source, "tensor", name, "does not begin at a multiple of the alignment");
    if (is_good(source))
        source->status = contents_add_tensor(contents, &tensor, source->error);
}

static void take_tensors(struct source *source, uint64_t n, uint64_t alignment, struct contents *contents)
{
    for (uint64_t i = 0; i < n && is_good(source); i++) {
        OWNED char *name = take_name(source, "tensor");
        if (is_good(source))
            take_tensor(source, name, alignment, contents);
    }
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
static void place(struct source *source, sinpos_tensor **order, size_t n, uint64_t begin)
{
    const uint64_t room = source->reader->is_regular ? source->reader->file_bytes : (uint64_t)INT64_MAX;
    if (n > 0 && begin > room)
        fail(source, "is cut short before its data");
    for (size_t i = 0; i < n && is_good(source); i++) {
        sinpos_tensor *tensor = order[i];
        const bool is_last = i + 1 == n;
        const uint64_t end = is_last ? room - begin : order[i + 1]->offset;
        if (tensor->offset > room - begin || tensor->bytes > room - begin - tensor->offset)
            fail_name(source, "tensor", tensor->name, "reaches beyond the end of the file");
        else if (tensor->bytes > end - tensor->offset)
            fail_name(source, "tensor", order[i + 1]->name, "overlaps another");
        tensor->bytes = tensor->type[0] == '?' ? end - tensor->offset : tensor->bytes;
        tensor->offset += begin;
    }
}

static void place_tensors(struct source *source, uint64_t begin, struct contents *contents)
{
    const size_t n = contents->n_tensors;
    OWNED sinpos_tensor **order = calloc(n + 1, sizeof *order);
    if (order == NULL) {
        source->status = problem_memory(source->error);
        return;
    }
    for (size_t i = 0; i < n; i++)
        order[i] = &contents->tensors[i];
    qsort(order, n, sizeof(sinpos_tensor *), compare_offsets);
    place(source, order, n, begin);
}

/* ------------------------------------------------------------------------------------------------ header */

static void take_version(struct source *source)
{
    char magic[4];
    take(source, magic, sizeof magic);
    if (is_good(source) && memcmp(magic, "GGUF", 4) != 0) {
        source->status = problem_set(source->error, SINPOS_FILE_E_CONTENT, "check that this is the right file",
                                     "does not begin as a .gguf file does");
    }
    const uint32_t version = take_u32(source);
    if (!is_good(source) || version == 2 || version == 3)
        return;
    source->status = (version & 0xffff) == 0 && version != 0
                         ? problem_set(source->error, SINPOS_FILE_E_CONTENT, "convert it to little-endian",
                                       "is big-endian; only little-endian .gguf files are read")
                         : problem_set(source->error, SINPOS_FILE_E_CONTENT, "convert it to version 3",
                                       "is .gguf of version %lu; versions 2 and 3 are read", (unsigned long)version);
}

static uint64_t find_alignment(struct source *source, const struct contents *contents)
{
    const sinpos_metadata *value = is_good(source) ? contents_metadata(contents, "general.alignment") : NULL;
    if (value == NULL)
        return ALIGNMENT;
    if (value->kind != SINPOS_METADATA_INTEGER || value->integer <= 0 || (uint64_t)value->integer > MOST_ALIGNMENT ||
        (value->integer & (value->integer - 1)) != 0) {
        fail(source, "has a general.alignment that is not a power of 2");
        return ALIGNMENT;
    }
    return (uint64_t)value->integer;
}

static void sort(struct source *source, struct contents *contents)
{
    if (is_good(source))
        source->status = contents_sort(contents, source->error);
}

static void take_header(struct source *source, struct contents *contents)
{
    take_version(source);
    const uint64_t n_tensors = take_unsigned(source, 8), n_keys = take_unsigned(source, 8);
    if (n_keys > left(source) / 13 || n_tensors > left(source) / 24)
        fail(source, "promises more keys or tensors than its bytes can hold");
    take_metadata(source, n_keys, contents);
    sort(source, contents);
    const uint64_t alignment = find_alignment(source, contents);
    take_tensors(source, n_tensors, alignment, contents);
    sort(source, contents);
    if (is_good(source))
        place_tensors(source, (position(source) + alignment - 1) / alignment * alignment, contents);
}

sinpos_file_status gguf_contents(struct sinpos_reader *reader, struct contents *contents, sinpos_file_error *error)
{
    OWNED struct source *source = malloc(sizeof *source);
    if (source == NULL)
        return problem_memory(error);
    source->reader = reader;
    source->error = error;
    source->status = SINPOS_FILE_OK;
    source->at = source->filled = 0;
    take_header(source, contents);
    const sinpos_file_status status = is_good(source) ? end_source(source) : source->status;
    return status;
}

static sinpos_file_status gguf_read_header(struct sinpos_reader *reader, sinpos_file_error *error)
{
    return reader_choose_tensor(reader, gguf_contents, error);
}

/* ----------------------------------------------------------------------------------------------- writing */

static sinpos_file_status gguf_check(const sinpos_array *array, const sinpos_writer_options *options,
                                     sinpos_file_error *error)
{
    const char *tensor = options->tensor;
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
