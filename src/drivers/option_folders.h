/* SPDX-License-Identifier: Apache-2.0 */
/*
 * option_folders.h: the absolute folders that build options search for includes
 * (option_words.h), by their numbers in the order of the options. What is made
 * with folders of other names, and the same files in them, is then told in the
 * same words: "-I /a/b -I /c" is "-I <folder 1> -I <folder 2>".
 *
 * Only for options that all drivers split in one way.
 */
#ifndef DNNL_CACHE_DRIVERS_OPTION_FOLDERS_H
#define DNNL_CACHE_DRIVERS_OPTION_FOLDERS_H

#include <stdbool.h>
#include <stddef.h>

struct option_folders {
    size_t count;
    char **list; /* without slashes at their ends; each once */
};

/* Finds the folders of options. False: no memory. Either way
 * option_folders_fini() follows; a zeroed one is fine. */
bool option_folders_init(struct option_folders *folders, const char *options);
void option_folders_fini(struct option_folders *folders);

/* The options with "<folder 1>" and so on in place of the folders, malloc'ed.
 * Slashes at their ends stay: drivers tell the options, and name files in their
 * logs, as they were given. NULL: no memory. */
char *option_folders_name(const char *options);

/* The options with "PARENT/1-", "PARENT/2-" and so on in place of the folders,
 * malloc'ed: no such name is in another. NULL: no memory. */
char *option_folders_put(const char *options, const char *parent);
#define OPTION_FOLDERS_BEHIND "-"

/* Whether options are such: of some program with folders, as a rule. */
bool option_folders_are_numbers(const char *options, size_t size);

/* Whether a text has the name of one of the folders in it. */
bool option_folders_are_in(
        const struct option_folders *folders, const char *text, size_t size);

/* A text with marks in place of the names of folders, which show() replaces by
 * the names of others: malloc'ed, with a NUL behind *size bytes. NULL: no
 * memory, or the text cannot be given back as it is: hide() refuses the bytes
 * that begin and end a mark, show() a mark without a folder. */
char *option_folders_hide(
        const struct option_folders *folders, const char *text, size_t *size);
char *option_folders_show(
        const struct option_folders *folders, const char *text, size_t *size);

/* Whether hide() would only lack memory. */
bool option_folders_can_hide(const char *text, size_t size);
/* Whether show() would only lack memory: each mark is of one of the folders. */
bool option_folders_suit(
        const struct option_folders *folders, const char *text, size_t size);

#endif /* DNNL_CACHE_DRIVERS_OPTION_FOLDERS_H */
