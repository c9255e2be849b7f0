/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Words behind # that are known to read no file: all others are doubts, since
 * a compiler may know what this library does not.
 */
#ifndef DNNL_CACHE_INCLUDES_INCLUDE_WORDS_H
#define DNNL_CACHE_INCLUDES_INCLUDE_WORDS_H

#include <stdbool.h>

/* Room for the longest word that is told apart; a longer one is unknown, cut
 * off or not. */
enum { include_word_size = 32 };

/* True if a directive of that name reads no file: "define", "if". A number
 * (of a line) does not, either. */
bool directive_is_known(const char *word);

/* The same of a pragma by its first words, "" where there is none. */
bool pragma_is_known(const char *first, const char *second);

/* True if these words, one after the other, are a pragma that reads a file:
 * "GCC dependency". second is "" if there is none. */
bool pragma_reads_file(const char *first, const char *second);

#endif /* DNNL_CACHE_INCLUDES_INCLUDE_WORDS_H */
