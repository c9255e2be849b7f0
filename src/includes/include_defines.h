/* SPDX-License-Identifier: Apache-2.0 */
/* Which words a text may define as macros. */
#ifndef DNNL_CACHE_INCLUDES_INCLUDE_DEFINES_H
#define DNNL_CACHE_INCLUDES_INCLUDE_DEFINES_H

#include <stdbool.h>
#include <stddef.h>

/* True if the text may define or undefine one of the words, whatever #if that
 * stands in; also if it cannot be told, or memory ran out. */
bool include_defines_any(
        size_t count, const char *const *words, size_t size, const char *text);

#endif /* DNNL_CACHE_INCLUDES_INCLUDE_DEFINES_H */
