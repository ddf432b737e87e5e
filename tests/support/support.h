/* support.h - what several tests need: elements as bits, a second writing-out of specifications, guarded memory. */
#ifndef SINPOS_TESTS_SUPPORT_H
#define SINPOS_TESTS_SUPPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "random.h"
#include "sinpos.h"

#define N_TYPES 4
extern const sinpos_type all_types[N_TYPES];

const char *type_name(sinpos_type type);
const char *operation_name(sinpos_operation operation);
const char *schedule_name(sinpos_schedule schedule);
size_t type_size(sinpos_type type);

/* element i of an array, as bits */
uint64_t load_bits(const void *array, sinpos_type type, size_t i);
void store_bits(void *array, sinpos_type type, size_t i, uint64_t bits);

/* The tones of a specification, written out a second time from the words of the header. Returns how many; room for dim. */
size_t expand_spec(const sinpos_spec *spec, sinpos_tone *tones);

void print_spec(FILE *f, const sinpos_spec *spec);
void print_tone(FILE *f, const sinpos_tone *tone);

/*
 * Numbers of the size of activations; of 100, about `percent_special` are zeros, infinities, NaNs, subnormals and whatever
 * bits there are.
 */
void make_activations(random_state *r, void *x, sinpos_type type, size_t n, unsigned percent_special);

/* bytes of memory that end (or begin) at a page that cannot be touched */
typedef struct guarded {
    void *map;
    size_t map_bytes;
    unsigned char *at_end;   /* n bytes, then the wall */
    unsigned char *at_start; /* the wall, then n bytes */
} guarded;

bool guarded_create(guarded *g, size_t n);
void guarded_destroy(guarded *g);

/* SHA-256 in lower-case hexadecimal, 64 digits and a NUL */
typedef struct sha256 {
    uint32_t h[8];
    uint64_t n;
    unsigned char block[64];
} sha256;

void sha256_begin(sha256 *s);
void sha256_update(sha256 *s, const void *data, size_t n);
void sha256_end(sha256 *s, char hex[65]);

/* the instruction sets this library knows, best last, ended by NULL */
extern const char *const isa_names[];

/* sinpos_isa_cap(), but the set that SINPOS_ISA names is the best to try: some tools do not understand better ones. */
sinpos_status isa_cap(const char *isa);

#endif
