/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Headers embedded in a program: their names, their texts, and which of a
 * text's include directives they answer.
 *
 * Drivers disagree on what an embedded header hides: with some of them a file
 * of the same name in the working directory or along -I wins. So directives
 * are rewritten before a driver sees them: "util.h" becomes
 * "dnnl_cache_<digest of the set>/util.h", a name that no file has by chance
 * and that a file with other contents cannot have.
 *
 * A name is looked up beside the header that includes it, then from the top.
 * Angle brackets look from the top only. Belongs to one thread at a time;
 * reading it is for any number of threads.
 */
#ifndef DNNL_CACHE_INCLUDES_HEADER_SET_H
#define DNNL_CACHE_INCLUDES_HEADER_SET_H

#include "dnnl_cache/base.h"
#include "src/common/buffer.h"

#include <stddef.h>

enum {
    HEADER_NAME_SIZE = 256,  /* with NUL */
    HEADER_PREFIX_SIZE = 28, /* "dnnl_cache_", 16 digits, NUL */
    HEADER_SET_MAX = 4096
};

struct header {
    char *name; /* a relative path without "." and ".." */
    char *text; /* with a NUL behind it */
    size_t size;
};

/* By ascending name. A zeroed one is empty. */
struct header_set {
    struct header *list;
    size_t count;
};

/* What no header of the set answers, in words. */
struct header_doubt {
    char text[160]; /* "the source includes <a.h>, which is not embedded" */
};

/* Copies a header. Statuses: dnnl_success; dnnl_invalid_arguments (an
 * absolute path, a part that is empty or "." or "..", a blank or another
 * character that not every driver can take, too long, too many, a name that is
 * there already); dnnl_out_of_memory. */
dnnl_status_t header_set_add(struct header_set *set, const char *name,
        const char *text, size_t size);
void header_set_fini(struct header_set *set);

/* The folder that rewritten directives name; the same for the same headers. */
void header_set_prefix(
        const struct header_set *set, char prefix[HEADER_PREFIX_SIZE]);

/* Looks for an include directive, in the text or in one of the headers, that
 * may read anything else, and for assembly that may. True, and *doubt says
 * which, if there is one. options: all that the compiler is given, so that it
 * is known what the assembly is made of; NULL: they are not known, and a macro
 * that makes strings is a doubt where there is assembly. */
bool header_set_find_doubt(const struct header_set *set, const char *text,
        size_t size, const char *options, struct header_doubt *doubt);

/* Appends text to out, every directive that the set answers rewritten to name
 * the folder. includer is the name of the header that text is of, NULL for the
 * program itself. Statuses: dnnl_success; dnnl_out_of_memory. */
dnnl_status_t header_set_rewrite(const struct header_set *set,
        const char *folder, const char *includer, const char *text, size_t size,
        struct buffer *out);

#endif /* DNNL_CACHE_INCLUDES_HEADER_SET_H */
