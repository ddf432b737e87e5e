/* beside_weights.h - what lies beside the weights in the folder of a model: its configuration, tokenizer, licence. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "sinpos_formats.h"

/* In the order of letters. */
struct names {
    char **at;
    size_t n, room;
};

struct beside_weights {
    char *folder;       /* with a slash at its end, or empty */
    struct names names; /* to be copied */
    struct names left;  /* weights in other formats, folders, what is larger than a small file */
    struct names links; /* symbolic links to what lies elsewhere: nothing is copied that the folder does not hold */
};

/* The name of a file without its folder. */
const char *last_part(const char *path);

/* The files beside those of the model, but for its index and hidden ones. */
void beside_weights_find(struct beside_weights *c, const sinpos_model *model);
/* Copies them into a folder; what fails is removed by interrupt_remove(). */
void beside_weights_copy(const struct beside_weights *c, const char *folder);
void beside_weights_free(struct beside_weights *c);

/* A small file as it is, permissions too, to a name that interrupt_remove() removes. */
void copy_small_file(const char *from, const char *to);
