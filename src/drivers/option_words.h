/* SPDX-License-Identifier: Apache-2.0 */
/*
 * option_words.h: how drivers split build options into words, and which words
 * name folders. Drivers differ (at blanks alone, at those between no quotes,
 * which PoCL then makes spaces, with backslashes), and which driver will read
 * them is not always known: what matters is read in each way.
 */
#ifndef DNNL_CACHE_DRIVERS_OPTION_WORDS_H
#define DNNL_CACHE_DRIVERS_OPTION_WORDS_H

#include <stdbool.h>
#include <stddef.h>

enum option_way {
    option_way_blanks, /* older PoCL: a quote is a character as any other */
    option_way_quotes, /* rusticl: double quotes, each of which ends a word */
    option_way_shell,  /* quotes of both kinds inside words, and backslashes */
    option_way_pocl,   /* spaces between double quotes, which become spaces */
    option_way_count
};

/* Are all ways one for these options? */
bool option_ways_are_one(const char *options);

/* Copies the word at *p or behind its blanks, for which there must be room, and
 * moves *p past it; false at the end. */
bool option_word_next(enum option_way way, const char **p, char *word);

/* The size of the option that the word begins with, if that names a folder:
 * -I, -isystem, -iquote, -idirafter. 0: none. */
size_t option_folder_size(const char *word);

/* The folder that an option of that size names: in `word` behind it or, if that
 * is its end, the next word, which is read there. NULL: there is none. */
const char *option_folder_read(
        enum option_way way, const char **p, char *word, size_t option_size);

/* What is asked of a word of options, or of a folder that they name. */
typedef bool (*option_check)(const char *text, void *user);

/* True if the check is, for each word that any driver makes of the options, or
 * for each folder that any takes from them. False, too, if memory runs out. */
bool option_words_are(const char *options, option_check check, void *user);
bool option_folders_are(const char *options, option_check check, void *user);

#endif /* DNNL_CACHE_DRIVERS_OPTION_WORDS_H */
