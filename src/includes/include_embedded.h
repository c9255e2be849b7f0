/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Headers that reach a compiler as texts with names, under these names: those
 * of clCompileProgram(). header_set.h has those that the library renames.
 */
#ifndef DNNL_CACHE_INCLUDES_INCLUDE_EMBEDDED_H
#define DNNL_CACHE_INCLUDES_INCLUDE_EMBEDDED_H

#include <stdbool.h>
#include <stddef.h>

struct include_embedded {
    const char *name;
    const char *text;
    size_t size;
};

/* Whether a relative path has a part "..": drivers write headers to folders,
 * where it may lead to any file. */
bool embedded_leads_up(size_t size, const char *path);

/* False for names that some driver makes a path of that leads elsewhere, or
 * that end a driver: "", absolute ones, with "..", a backslash or a control
 * character. */
bool embedded_name_is_plain(const char *name);

/* Whether a directive with this name may mean one of the headers, beside the
 * header that has the directive (NULL: none) or by its whole name. */
bool embedded_has(size_t count, const struct include_embedded *headers,
        const char *includer, size_t size, const char *name);

/* A header in words, for people who compare IDs: its name and the beginning of
 * a digest of its text. The ID has them of the first headers; a digest of all
 * is beside them. The caller's; NULL: no memory. */
enum { embedded_most_words = 16 };
char *embedded_words(const struct include_embedded *header);

#endif /* DNNL_CACHE_INCLUDES_INCLUDE_EMBEDDED_H */
