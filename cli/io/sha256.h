/* sha256.h - FIPS 180-4. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct sha256 {
    uint32_t state[8];
    uint64_t n_bytes;
    unsigned char block[64];
};

#define SHA256_TEXT_BYTES 65

void sha256_begin(struct sha256 *hash);
void sha256_add(struct sha256 *hash, const void *data, size_t n_bytes);
/* As sha256_add(), for elements that are hashed in little-endian order on every machine. */
void sha256_add_elements(struct sha256 *hash, const void *data, size_t n, size_t element_bytes);
void sha256_end(struct sha256 *hash, char text[SHA256_TEXT_BYTES]);
