/* png_image.h - a picture of up to 256 colours as a data: address. */
#pragma once

#include <stdint.h>

#include "text_buffer.h"

enum { PNG_COLOURS = 256 };

/*
 * Adds "data:image/png;base64,..." for pixels (height, width), indices into the palette of 0xRRGGBB.
 * width and height: 1 .. 4096.
 */
void png_data_address(struct text_buffer *out, const uint8_t *pixels, size_t width, size_t height,
                      const unsigned palette[PNG_COLOURS]);
