/* SPDX-License-Identifier: Apache-2.0 */
/* Which words a compiler for OpenCL may define as macros by itself. */
#ifndef DNNL_CACHE_INCLUDES_INCLUDE_RESERVED_H
#define DNNL_CACHE_INCLUDES_INCLUDE_RESERVED_H

#include <stdbool.h>
#include <stddef.h>

/* True if the word is, or begins as, a name that OpenCL C, its extensions, C or
 * GNU C reserve, or that a driver's headers have. */
bool include_word_is_reserved(const char *word, size_t size);

/* True if no letter of the word is small, as macros are written: a compiler
 * may have it, though nothing reserves it. */
bool include_word_looks_like_macro(const char *word, size_t size);

#endif /* DNNL_CACHE_INCLUDES_INCLUDE_RESERVED_H */
