/* advise_subject.h - what the options say, as advice takes it. */
#pragma once

#include "advice.h"
#include "parameter_list.h"
#include "request_encoding.h"
#include "text_buffer.h"

struct advised {
    struct advice_subject subject;
    struct parameter_list parameters;
    struct text_buffer words, more;
    struct encoding encoding; /* of general options */
};

void advised_make(struct advised *advised, const struct request *request);
void advised_free(struct advised *advised);
