/*
 * safetensors.c - eight bytes of header length, a JSON object, the data. JSON by Jansson.
 *
 * A header is taken only if its tensors cover the data exactly: every one inside, none overlapping, no holes.
 */
#include "json.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define MAX_HEADER ((uint64_t)100 * 1000 * 1000) /* the limit of the format's own library */
#define METADATA "__metadata__"

struct span {
    uint64_t begin, end;
    const char *name;
};

static bool to_unsigned(const json_t *value, uint64_t *number)
{
    if (!json_is_integer(value) || json_integer_value(value) < 0)
        return false;
    *number = (uint64_t)json_integer_value(value);
    return true;
}

static bool read_span(const json_t *tensor, struct span *span)
{
    const json_t *offsets = json_object_get(tensor, "data_offsets");
    return json_is_array(offsets) && json_array_size(offsets) == 2 &&
           to_unsigned(json_array_get(offsets, 0), &span->begin) &&
           to_unsigned(json_array_get(offsets, 1), &span->end) && span->begin <= span->end;
}

static bool read_shape(const json_t *tensor, sinpos_array *array)
{
    const json_t *shape = json_object_get(tensor, "shape");
    if (!json_is_array(shape) || json_array_size(shape) > SINPOS_MAX_FILE_DIMS)
        return false;
    array->n_dims = json_array_size(shape);
    for (size_t i = 0; i < array->n_dims; i++) {
        uint64_t n;
        if (!to_unsigned(json_array_get(shape, i), &n) || n > SIZE_MAX)
            return false;
        array->shape[i] = (size_t)n;
    }
    return true;
}

/* A tensor of a type that is not used here is checked as far as that goes. */
static sinpos_file_status check_tensor(const char *name, const json_t *tensor, struct span *span, sinpos_array *array,
                                       sinpos_file_error *error)
{
    const char *dtype = json_string_value(json_object_get(tensor, "dtype"));
    if (!is_good_name(name))
        return problem_corrupt_name(error, "tensor", name, "has a name with control characters, or none");
    if (!json_is_object(tensor) || json_object_size(tensor) != 3 || dtype == NULL || !is_good_name(dtype))
        return problem_corrupt_name(error, "tensor", name, "is not described by dtype, shape and data_offsets");
    *span = (struct span){0, 0, name};
    if (!read_span(tensor, span))
        return problem_corrupt_name(error, "tensor", name, "has data_offsets that are not a range");
    *array = (sinpos_array){.n_dims = 0};
    if (!read_shape(tensor, array))
        return problem_corrupt_name(error, "tensor", name, "has a shape that is not a list of up to 32 sizes");
    if (!element_of_name(SAFETENSORS_NAMES, dtype, strlen(dtype), &array->element))
        return SINPOS_FILE_OK;
    size_t elements;
    if (sinpos_array_elements(array, &elements) != SINPOS_FILE_OK)
        return problem_corrupt_name(error, "tensor", name, "has a shape larger than any file can be");
    if (span->end - span->begin != (uint64_t)elements * sinpos_element_bytes(array->element))
        return problem_corrupt_name(error, "tensor", name, "has data_offsets that do not fit its shape and dtype");
    return SINPOS_FILE_OK;
}

static int compare_spans(const void *a, const void *b)
{
    const struct span *s = a;
    const struct span *t = b;
    if (s->begin != t->begin)
        return s->begin < t->begin ? -1 : 1;
    return s->end < t->end ? -1 : s->end > t->end;
}

static sinpos_file_status check_cover(struct sinpos_reader *reader, struct span *spans, size_t n,
                                      sinpos_file_error *error)
{
    uint64_t covered = 0;
    qsort(spans, n, sizeof *spans, compare_spans);
    for (size_t i = 0; i < n; i++) {
        if (spans[i].begin != covered) {
            return problem_corrupt_name(error, "tensor", spans[i].name,
                                        spans[i].begin < covered ? "overlaps another" : "leaves a hole before it");
        }
        covered = spans[i].end;
    }
    return reader_check_size(reader, covered, error);
}

/* Checks every tensor and collects the spans. Offsets in contents are those in the file. */
static sinpos_file_status walk(struct sinpos_reader *reader, json_t *root, struct span *spans,
                               struct contents *contents, sinpos_file_error *error)
{
    size_t n = 0;
    const char *name;
    json_t *object;
    json_object_foreach(root, name, object)
    {
        sinpos_tensor tensor = {.name = name, .type = json_string_value(json_object_get(object, "dtype"))};
        if (strcmp(name, METADATA) == 0)
            continue;
        sinpos_file_status status = check_tensor(name, object, &spans[n], &tensor.array, error);
        if (status != SINPOS_FILE_OK)
            return status;
        tensor.offset = reader->position + spans[n].begin;
        tensor.bytes = spans[n].end - spans[n].begin;
        status = contents_add_tensor(contents, &tensor, error);
        if (status != SINPOS_FILE_OK)
            return status;
        n++;
    }
    return check_cover(reader, spans, n, error);
}

static sinpos_file_status add_texts(json_t *metadata, struct contents *contents, sinpos_file_error *error)
{
    const char *name;
    json_t *value;
    sinpos_file_status status = SINPOS_FILE_OK;
    json_object_foreach(metadata, name, value)
    {
        if (status == SINPOS_FILE_OK && json_is_string(value)) {
            const sinpos_metadata text = {
                .name = name, .text = json_string_value(value), .n = json_string_length(value)};
            status = contents_add_metadata(contents, &text, error);
        }
    }
    return status;
}

static sinpos_file_status take_object(struct sinpos_reader *reader, json_t *root, struct contents *contents,
                                      sinpos_file_error *error)
{
    json_t *metadata = json_object_get(root, METADATA);
    if (metadata != NULL && !json_is_object(metadata))
        return problem_corrupt(error, "its __metadata__ is not an object");
    OWNED struct span *spans = calloc(json_object_size(root) + 1, sizeof *spans);
    if (spans == NULL)
        return problem_memory(error);
    sinpos_file_status status = walk(reader, root, spans, contents, error);
    status = status == SINPOS_FILE_OK ? add_texts(metadata, contents, error) : status;
    return status == SINPOS_FILE_OK ? contents_sort(contents, error) : status;
}

static sinpos_file_status parse(struct sinpos_reader *reader, const char *text, size_t length,
                                struct contents *contents, sinpos_file_error *error)
{
    json_t *root;
    if (length == 0 || text[0] != '{')
        return problem_corrupt(error, "its header is not a JSON object");
    if (json_is_bomb(text, length))
        return problem_corrupt(error, "its header is not a list of tensors");
    sinpos_file_status status = json_read(text, length, &root, "its header ", error);
    status = status == SINPOS_FILE_OK ? take_object(reader, root, contents, error) : status;
    json_decref(root);
    return status;
}

sinpos_file_status safetensors_contents(struct sinpos_reader *reader, struct contents *contents,
                                        sinpos_file_error *error)
{
    unsigned char start[8];
    uint64_t length = 0;
    sinpos_file_status status = reader_take(reader, start, sizeof start, error);
    if (status != SINPOS_FILE_OK)
        return status;
    for (int i = 7; i >= 0; i--)
        length = length << 8 | start[i];
    if (length > MAX_HEADER || (reader->is_regular && length > reader->file_bytes - reader->position))
        return problem_corrupt(error, "its header is longer than the file, or than any header can be");
    OWNED char *text = malloc((size_t)length + 1);
    if (text == NULL)
        return problem_memory(error);
    status = reader_take(reader, text, (size_t)length, error);
    if (status == SINPOS_FILE_OK)
        status = parse(reader, text, (size_t)length, contents, error);
    return status;
}

static sinpos_file_status safetensors_read_header(struct sinpos_reader *reader, sinpos_file_error *error)
{
    return reader_choose_tensor(reader, safetensors_contents, error);
}

static sinpos_file_status safetensors_check(const sinpos_array *array, const sinpos_writer_options *options,
                                            sinpos_file_error *error)
{
    const char *tensor = options->tensor;
    (void)array;
    if (!is_good_name(tensor) || strcmp(tensor, METADATA) == 0) {
        return problem_about(error, "tensor",
                             problem_set(error, SINPOS_FILE_E_REQUEST, "choose another name",
                                         "'%.60s' cannot be the name of a tensor", tensor));
    }
    return SINPOS_FILE_OK;
}

/* A text of JSON, with its quotes, at most 6 bytes for each of its own. Returns its end. */
static char *put_text(char *out, const char *text)
{
    static const char escaped[] = "\"\\\b\f\n\r\t", letters[] = "\"\\bfnrt";
    *out++ = '"';
    for (; *text != '\0'; text++) {
        const char *found = strchr(escaped, *text);
        if (found != NULL) {
            *out++ = '\\';
            *out++ = letters[found - escaped];
        } else if ((unsigned char)*text < 0x20) {
            out += sprintf(out, "\\u%04X", (unsigned)*text);
        } else {
            *out++ = *text;
        }
    }
    *out++ = '"';
    return out;
}

/* Written here, and not by Jansson, which does not report when its memory fails. Padded with blanks to a multiple of 8. */
static char *make_header(const struct sinpos_writer *writer, size_t *length)
{
    enum { NUMBER = 24, REST = 200 };
    const sinpos_array *array = &writer->array;
    const uint64_t bytes = (uint64_t)writer->elements * sinpos_element_bytes(array->element);
    char *header = malloc(6 * strlen(writer->tensor) + NUMBER * array->n_dims + REST);
    if (header == NULL)
        return NULL;
    char *p = header;
    *p++ = '{';
    p = put_text(p, writer->tensor);
    p += sprintf(p, ":{\"dtype\":\"%s\",\"shape\":[", element_name_in(SAFETENSORS_NAMES, array->element));
    for (size_t i = 0; i < array->n_dims; i++)
        p += sprintf(p, i > 0 ? ",%zu" : "%zu", array->shape[i]);
    p += sprintf(p, "],\"data_offsets\":[0,%" PRIu64 "]}}", bytes);
    while ((p - header) % 8 != 0)
        *p++ = ' ';
    *length = (size_t)(p - header);
    return header;
}

static sinpos_file_status safetensors_begin(struct sinpos_writer *writer, sinpos_file_error *error)
{
    size_t length;
    unsigned char start[8];
    OWNED char *header = make_header(writer, &length);
    if (header == NULL)
        return problem_memory(error);
    for (int i = 0; i < 8; i++)
        start[i] = (unsigned char)((uint64_t)length >> (8 * i));
    sinpos_file_status status = output_write(&writer->output, start, sizeof start, error);
    if (status == SINPOS_FILE_OK)
        status = output_write(&writer->output, header, length, error);
    return status;
}

const struct format format_safetensors = {
    .ending = ".safetensors",
    .types = SINPOS_F64 | SINPOS_F32 | SINPOS_F16 | SINPOS_BF16,
    .refusal = "",
    .read_header = safetensors_read_header,
    .check = safetensors_check,
    .begin = safetensors_begin,
    .elements = write_binary,
};
