/* SPDX-License-Identifier: Apache-2.0 */
/* A set of words, and whether a text may define one of them as a macro. */
#ifndef DNNL_CACHE_INCLUDES_INCLUDE_DEFINES_H
#define DNNL_CACHE_INCLUDES_INCLUDE_DEFINES_H

#include <stdbool.h>
#include <stddef.h>

/* A table that cannot grow refuses the entry instead of ending the process. */
#define HASH_NONFATAL_OOM 1
#include <uthash.h>

struct include_word {
    UT_hash_handle hh;
    char text[];
};

/* The set is a hash table; NULL is the empty one. Adds a word unless it is
 * there; false: no memory. */
bool include_words_add(
        struct include_word **words, const char *text, size_t size);
void include_words_fini(struct include_word **words);

/* True if the text may define or undefine one of the words, whatever #if that
 * stands in; also if it cannot be told, or memory ran out. */
bool include_defines_any(
        const struct include_word *words, size_t size, const char *text);

#endif /* DNNL_CACHE_INCLUDES_INCLUDE_DEFINES_H */
