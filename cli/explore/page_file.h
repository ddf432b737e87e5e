/* page_file.h - the explorer's page, which make web builds and the installation puts beside the program. */
#pragma once

#include "text_buffer.h"

/* Reads it whole; fails with how to build it where there is none. */
void page_file_read(struct text_buffer *page);
