/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds what a source includes, without preprocessing it: a tokenizer that
 * knows comments, literals and line splices, and takes every directive that
 * reads a file for one, whatever #if it stands in. It reads as clang does,
 * whose dialects (OpenCL C, C++ for OpenCL) differ in places. In doubt it
 * reports: an include too many costs caching, one too few a stale binary.
 *
 * What macros paste together is judged by its parts, and each string as if it
 * were a part of inline assembly. A program that has assembly, in any of its
 * texts, and macros that make strings is reported once, whatever the strings.
 */
#ifndef DNNL_CACHE_INCLUDES_INCLUDE_SCAN_H
#define DNNL_CACHE_INCLUDES_INCLUDE_SCAN_H

#include <stdbool.h>
#include <stddef.h>

enum include_form {
    include_quoted,  /* #include "name" */
    include_bracket, /* #include <name> */
    include_macro    /* anything else: what it names is not known */
};

/* One directive, #include or #import. name points into the source and is not
 * NUL-terminated. A quoted or bracketed name has no backslash (so no line
 * splice), no newline and no NUL in it. For include_macro it is the line or how
 * it begins, for messages. Besides the name of a macro that form stands for
 * names with a backslash or NUL or that dialects read in different ways,
 * directives and pragmas that are not known to read no file (#include_next and
 * #embed do, unknown ones may), __has_include, inline assembly that reads
 * files, and places where dialects disagree on what is a comment. */
struct include_directive {
    enum include_form form;
    const char *name;
    size_t name_size;
};

/* Walks a source, which must outlive it. One thread at a time; it owns
 * nothing. */
struct include_scan {
    const char *cursor;
    const char *end;
    const char *doubt;  /* reported before all else; NULL: none */
    bool at_line_start; /* only blanks and comments before cursor */
    unsigned seen;      /* of assembly (include_assembly.h) */
};

/* Begins a walk over size bytes; source may be NULL if there are none. Where a
 * program has several texts, seen is handed on from one to the next. */
void include_scan_init(
        struct include_scan *scan, const char *source, size_t size);

/* Steps to the next directive; false at the end of the source, and directive
 * untouched then. */
bool include_scan_next(
        struct include_scan *scan, struct include_directive *directive);

#endif /* DNNL_CACHE_INCLUDES_INCLUDE_SCAN_H */
