/*
 * png_image.c - PNG as in RFC 2083 with colours from a palette. The stream is stored, not compressed (RFC 1951, 3.2.4):
 * the pictures are small, and so their bytes depend on no library.
 */
#include "png_image.h"
#include "owned.h"

enum { STORED_MOST = 65535, ADLER = 65521 };

static uint32_t crc_of(const unsigned char *bytes, size_t n)
{
    uint32_t crc = 0xFFFFFFFF;
    for (size_t i = 0; i < n; i++) {
        crc ^= bytes[i];
        for (int bit = 0; bit < 8; bit++)
            crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0xEDB88320 : 0);
    }
    return ~crc;
}

static uint32_t adler_of(const unsigned char *bytes, size_t n)
{
    uint32_t a = 1, b = 0;
    for (size_t i = 0; i < n; i++) {
        a = (a + bytes[i]) % ADLER;
        b = (b + a) % ADLER;
    }
    return b << 16 | a;
}

static void add_u32(struct text_buffer *out, uint32_t value)
{
    const unsigned char bytes[4] = {(unsigned char)(value >> 24), (unsigned char)(value >> 16),
                                    (unsigned char)(value >> 8), (unsigned char)value};
    buffer_add(out, bytes, 4);
}

static void add_chunk(struct text_buffer *out, const char type[4], const void *data, size_t n)
{
    add_u32(out, (uint32_t)n);
    const size_t begin = out->n;
    buffer_add(out, type, 4);
    buffer_add(out, data, n);
    if (!out->is_broken)
        add_u32(out, crc_of((const unsigned char *)out->bytes + begin, n + 4));
}

static void add_header(struct text_buffer *out, size_t width, size_t height)
{
    RELEASED_BY(buffer_free) struct text_buffer header = {NULL, 0, 0, false};
    add_u32(&header, (uint32_t)width);
    add_u32(&header, (uint32_t)height);
    buffer_add(&header, "\x08\x03\x00\x00\x00", 5); /* 8 bits, palette */
    add_chunk(out, "IHDR", header.bytes, header.n);
    out->is_broken = out->is_broken || header.is_broken;
}

static void add_palette(struct text_buffer *out, const unsigned palette[PNG_COLOURS])
{
    unsigned char bytes[3 * PNG_COLOURS];
    for (size_t i = 0; i < PNG_COLOURS; i++) {
        bytes[3 * i] = (unsigned char)(palette[i] >> 16);
        bytes[3 * i + 1] = (unsigned char)(palette[i] >> 8);
        bytes[3 * i + 2] = (unsigned char)palette[i];
    }
    add_chunk(out, "PLTE", bytes, sizeof bytes);
}

/* Every row begins with the number of its filter: none. */
static void add_pixels(struct text_buffer *out, const uint8_t *pixels, size_t width, size_t height)
{
    RELEASED_BY(buffer_free) struct text_buffer rows = {NULL, 0, 0, false}, stream = {NULL, 0, 0, false};
    for (size_t i = 0; i < height; i++) {
        buffer_add(&rows, "\0", 1);
        buffer_add(&rows, pixels + i * width, width);
    }
    buffer_add(&stream, "\x78\x01", 2);
    for (size_t at = 0; at < rows.n && !rows.is_broken; at += STORED_MOST) {
        const size_t n = rows.n - at < STORED_MOST ? rows.n - at : STORED_MOST;
        const unsigned char head[5] = {at + n == rows.n, (unsigned char)n, (unsigned char)(n >> 8), (unsigned char)~n,
                                       (unsigned char)(~n >> 8)};
        buffer_add(&stream, head, 5);
        buffer_add(&stream, rows.bytes + at, n);
    }
    if (!rows.is_broken)
        add_u32(&stream, adler_of((const unsigned char *)rows.bytes, rows.n));
    out->is_broken = out->is_broken || rows.is_broken || stream.is_broken;
    if (!out->is_broken)
        add_chunk(out, "IDAT", stream.bytes, stream.n);
}

static void add_base64(struct text_buffer *out, const unsigned char *bytes, size_t n)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < n; i += 3) {
        const size_t left = n - i;
        const uint32_t three =
            (uint32_t)bytes[i] << 16 | (left > 1 ? (uint32_t)bytes[i + 1] << 8 : 0) | (left > 2 ? bytes[i + 2] : 0);
        const char four[4] = {letters[three >> 18], letters[three >> 12 & 63],
                              left > 1 ? letters[three >> 6 & 63] : '=', left > 2 ? letters[three & 63] : '='};
        buffer_add(out, four, 4);
    }
}

void png_data_address(struct text_buffer *out, const uint8_t *pixels, size_t width, size_t height,
                      const unsigned palette[PNG_COLOURS])
{
    RELEASED_BY(buffer_free) struct text_buffer png = {NULL, 0, 0, false};
    buffer_add(&png, "\x89PNG\r\n\x1a\n", 8);
    add_header(&png, width, height);
    add_palette(&png, palette);
    add_pixels(&png, pixels, width, height);
    add_chunk(&png, "IEND", "", 0);
    out->is_broken = out->is_broken || png.is_broken;
    if (!png.is_broken) {
        buffer_text(out, "data:image/png;base64,");
        add_base64(out, (const unsigned char *)png.bytes, png.n);
    }
}
