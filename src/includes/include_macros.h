/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Includes whose names are macros of the build options:
 *
 *     -D PLACE=/my/headers -D NAME(x)=#x -D STRING(x)=NAME(x)
 *     #include STRING(PLACE/types.h)
 *
 * That much of a preprocessor is here: macros without parameters or with one,
 * and the operator #. Whatever else could matter (##, other parameters, quotes,
 * backslashes, comments, a name that the compiler may know itself) is refused.
 * An expansion holds only if no text of the program defines any of the words in
 * it: include_macros_may_be_defined() asks that of each text.
 */
#ifndef DNNL_CACHE_INCLUDES_INCLUDE_MACROS_H
#define DNNL_CACHE_INCLUDES_INCLUDE_MACROS_H

#include <stdbool.h>
#include <stddef.h>

/* A table that cannot grow refuses the entry instead of ending the process. */
#define HASH_NONFATAL_OOM 1
#include <uthash.h>

struct include_word;

struct include_macro {
    UT_hash_handle hh;
    char *name;
    char *parameter; /* NULL: it has none */
    char *body;
    bool is_odd; /* defined twice, undefined, or in a way that is not read */
};

struct include_macros {
    struct include_macro *list; /* a hash table, by name */
    struct include_word *words; /* that were met in expansions */
};

/* Reads the options (NULL: none). With quotes or backslashes in them, which
 * drivers take in different ways, no macro is known. False: no memory. Either
 * way include_macros_fini() follows. */
bool include_macros_init(struct include_macros *macros, const char *options);
void include_macros_fini(struct include_macros *macros);

/* What stands behind #include, expanded: the name that is then between double
 * quotes, which the caller frees. NULL: that cannot be told, or no memory. */
char *include_macros_expand(
        struct include_macros *macros, const char *text, size_t size);

/* True if the text may define or undefine a word that was met. */
bool include_macros_may_be_defined(
        const struct include_macros *macros, const char *text, size_t size);

#endif /* DNNL_CACHE_INCLUDES_INCLUDE_MACROS_H */
