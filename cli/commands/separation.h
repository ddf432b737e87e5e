/* separation.h - what the two reports of sinpos separate share. */
#pragma once

#include "record.h"
#include "request_encoding.h"
#include "sinpos_analysis.h"

/* From --threads, --method, --memory and --temporary. */
sinpos_collisions_options separation_options(const struct options *options);
/* What the library refused; folder is where its temporary file was to be. */
noreturn void fail_separation(sinpos_status status, const char *folder);

void near_record(struct record *found, const sinpos_near *near);
sinpos_near near_of_record(struct record *found);

/* sinpos separate --table */
void separation_table(const struct request *request);
