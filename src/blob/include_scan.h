/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds what a source includes, without preprocessing it: a tokenizer that
 * knows comments, strings and line splices, and takes every #include, #import
 * and #include_next for one, whatever #if it stands in.
 */
#ifndef DNNL_CACHE_BLOB_INCLUDE_SCAN_H
#define DNNL_CACHE_BLOB_INCLUDE_SCAN_H

#include <stdbool.h>
#include <stddef.h>

enum include_form {
    include_quoted,  /* #include "name" */
    include_bracket, /* #include <name> */
    include_macro    /* anything else: what it names is not known */
};

/* One directive. name points into the source, is not NUL-terminated, and may
 * contain line splices if the source does; for include_macro it is the rest of
 * the line. */
struct include_directive {
    enum include_form form;
    const char *name;
    size_t name_size;
};

/* Walks a source, which must outlive it. */
struct include_scan {
    const char *cursor;
    const char *end;
    bool at_line_start; /* only blanks and comments before cursor */
};

void include_scan_init(
        struct include_scan *scan, const char *source, size_t size);

/* Steps to the next directive; false at the end of the source. */
bool include_scan_next(
        struct include_scan *scan, struct include_directive *directive);

/* True if the build options make the compiler read a file (-include, -imacros
 * and their spellings). */
bool options_include_files(const char *options);

#endif /* DNNL_CACHE_BLOB_INCLUDE_SCAN_H */
