/* SPDX-License-Identifier: Apache-2.0 */
/* state_lines.h: lines of text that tell whether they are whole. */
#ifndef DNNL_CACHE_TOOLS_COMMON_STATE_STATE_LINES_H
#define DNNL_CACHE_TOOLS_COMMON_STATE_STATE_LINES_H

#include <stdbool.h>
#include <stddef.h>

enum { state_line_size = 256 };

/* The text, a blank, its check-sum, the end of a line, a NUL. The size without
 * the NUL; 0: it is too long. */
size_t state_line_make(char line[state_line_size], const char *text);

/* The text of the next whole line; moves *at behind it, past damaged ones.
 * False behind the last. */
bool state_lines_next(char text[state_line_size], const char **at);

#endif /* DNNL_CACHE_TOOLS_COMMON_STATE_STATE_LINES_H */
