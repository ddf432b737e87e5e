/* csv.c - one line per row, shortest decimals that read back as the same element, no header line. */
#include "format.h"

static sinpos_file_status csv_elements(struct sinpos_writer *writer, const void *data, size_t n,
                                       sinpos_file_error *error)
{
    const size_t n_dims = writer->array.n_dims;
    const size_t dim = n_dims > 0 ? writer->array.shape[n_dims - 1] : 1;
    const size_t size = sinpos_element_bytes(writer->array.element);
    const char *p = data;
    sinpos_file_status status = SINPOS_FILE_OK;
    for (size_t i = 0; i < n && status == SINPOS_FILE_OK; i++, p += size) {
        char text[SINPOS_DECIMAL_BYTES + 1];
        size_t length = sinpos_decimal(text, (sinpos_type)writer->array.element, p);
        text[length++] = (writer->elements_done + i + 1) % dim == 0 ? '\n' : ',';
        status = text_put(writer, text, length, error);
    }
    return status;
}

const struct format format_csv = {
    .ending = ".csv",
    .types = SINPOS_F64 | SINPOS_F32 | SINPOS_F16 | SINPOS_BF16,
    .refusal = "",
    .elements = csv_elements,
    .end = text_flush,
};
