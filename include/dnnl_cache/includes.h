/* SPDX-License-Identifier: Apache-2.0 */
/*
 * includes.h: for who resolves the includes of a program himself.
 *
 * dnnl_cache_program_desc_set_include_following() has the library do it.
 */
#ifndef DNNL_CACHE_INCLUDES_H
#define DNNL_CACHE_INCLUDES_H

#include "dnnl_cache/objects.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How a source names a file it includes. */
typedef enum {
    dnnl_cache_include_quoted = 1,  /* #include "name" */
    dnnl_cache_include_bracket = 2, /* #include <name> */
    /* Anything else that may read a file: a macro as name, #include_next,
     * #embed, __has_include, .incbin, unknown directives and pragmas, and text
     * that compilers read in different ways. The file is not known. */
    dnnl_cache_include_unknown = 3
} dnnl_cache_include_form_t;

/* One directive of a source that reads a file. The library fills it in, and
 * sets struct_size to the size that it knows; later releases may have more
 * members. */
typedef struct {
    size_t struct_size;             /* sizeof the struct */
    dnnl_cache_include_form_t form; /* how the file is named */
    /* Points into the source, not NUL-terminated: the name between its quotes
     * or brackets, which contains no backslash, line end or NUL; for an unknown
     * form the line or its beginning, for messages. */
    size_t name_size;
    const char *name;
} dnnl_cache_include_t;

/* Receives one directive, which is valid during the call. Called on the thread
 * of dnnl_cache_find_includes(), with no lock of the library held. Any status
 * but dnnl_success ends the search. */
typedef dnnl_status_t (*dnnl_cache_include_callback_t)(
        const dnnl_cache_include_t *include, void *user);

/* Declares that the caller has resolved all includes of the program, in its
 * sources and its options (dnnl_cache_find_includes(),
 * dnnl_cache_options_read_files()), and has added the files' contents to its
 * keys (dnnl_cache_program_desc_add_key()). Includes then no longer prevent
 * caching. The caller guarantees that equal keys mean equal files; the compiler
 * reads the files as the options say. Statuses: dnnl_success;
 * dnnl_invalid_arguments (NULL, or the ID was computed already). Since 0.1.0.
 */
dnnl_status_t DNNL_API dnnl_cache_program_desc_set_includes_known(
        dnnl_cache_program_desc_t program_desc);

/* Calls callback, with user, for each place in size bytes of OpenCL C that
 * reads a file, or may read one, in the source's order. Nothing is
 * preprocessed. So places that #if excludes are reported, too, and so are
 * places that only some compilers read as an include, and directives and
 * pragmas that this library does not know. Resolving the includes of the files
 * themselves is up to the caller. Of assembly it judges this text alone: where
 * one file has asm and another a macro that makes strings (#x), the caller
 * should take the program for one that reads unknown files.
 * source may be NULL if size is 0. Statuses:
 * dnnl_success; dnnl_invalid_arguments (NULL; user may be NULL); what callback
 * returned, if not dnnl_success. Since 0.1.0. */
dnnl_status_t DNNL_API dnnl_cache_find_includes(size_t size, const char *source,
        dnnl_cache_include_callback_t callback, void *user);

/* Writes 1 to *reads_files if build options (NULL is "") may make the compiler
 * read a file in any spelling: -include, -imacros, precompiled headers, inputs,
 * response files and the like, and options that this library does not know;
 * 2 if they have but a macro that makes strings (-D "S(x)=#x"), of which
 * assembly in the source could make a file's name; else 0. Search folders (-I)
 * do not count. Statuses: dnnl_success;
 * dnnl_invalid_arguments (reads_files NULL). Since 0.1.0. */
dnnl_status_t DNNL_API dnnl_cache_options_read_files(
        const char *options, int *reads_files);

#ifdef __cplusplus
}
#endif

#endif /* DNNL_CACHE_INCLUDES_H */
