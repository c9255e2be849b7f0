/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What of a text may see where its files are: a program that has any of it may
 * be another one if its headers are moved. Words count wherever they stand, in
 * comments and strings, too: in doubt a text sees. Of clang, up to version 18.
 */
#ifndef DNNL_CACHE_INCLUDES_INCLUDE_SIGHT_H
#define DNNL_CACHE_INCLUDES_INCLUDE_SIGHT_H

#include <stdbool.h>
#include <stddef.h>

/* As bits. Macros may paste words together across the texts of a program. */
enum {
    sight_sure = 1,
    sight_part = 2,  /* a word that may be the begin of one that sees */
    sight_pastes = 4 /* the operator ## */
};

/* What a text has. In a file that is included, struct, union, enum and class
 * without a name count, too: compilers name these by the file's path. Not so
 * "typedef struct { ... } name;", whose name clang takes, and what is inside
 * another one and declares nothing, as in "typedef union { struct { ... }; }".
 */
unsigned include_sight_of(const char *text, size_t size, bool is_included);

/* True if a program whose texts and options have all this may see a path. */
bool include_sight_is_open(unsigned seen);

#endif /* DNNL_CACHE_INCLUDES_INCLUDE_SIGHT_H */
