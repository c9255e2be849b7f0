/* SPDX-License-Identifier: Apache-2.0 */
/*
 * replay_headers.h: the headers that a record brings for a build.
 *
 * They are written to a private folder in which the build is then made: their
 * names are relative paths that stay in it. What was in a folder of the options
 * is named by its number, "<folder 1>/a.h", and is written to a folder that the
 * build has in place of that one; "<folder 1>/." is the folder alone.
 */
#ifndef DNNL_CACHE_TOOLS_JOBS_REPLAY_HEADERS_H
#define DNNL_CACHE_TOOLS_JOBS_REPLAY_HEADERS_H

#include <dnnl_cache/journal.h>

/* True if the compiler finds all that the sources, the headers and the options
 * name among the headers, and looks nowhere but in the folder. Options may name
 * folders elsewhere, as Python's pyopencl does, if the sources name nothing
 * that could be there. */
bool replay_headers_are_complete(const dnnl_cache_note_t *note);

/* The first file that the sources or the headers name and that is not among the
 * headers, else the first folder of the options that makes
 * replay_headers_are_complete() false: ": 'NAME'", cut to its room, or "". */
enum { replay_missing_size = 128 };
void replay_headers_print_missing(
        char text[replay_missing_size], const dnnl_cache_note_t *note);

/* True if all that the sources and the headers name is among the headers, those
 * that are programs included, and no assembly of theirs may read a file. */
bool replay_includes_are_given(const dnnl_cache_note_t *note);

/* True if no driver makes a path of the name of a header that is a program that
 * leads out of its own folder, where drivers write such headers. */
bool replay_header_programs_are_safe(const dnnl_cache_note_t *note);

/* True if every folder that a driver may take from the options stays in the
 * working directory, a private one, or, if nothing is looked for there, is
 * none that a compiler would read. */
bool replay_folders_are_safe(const char *options, bool names_nothing);

/* Writes them below a private folder, which others may have theirs in, and
 * works in it from then on. What is in folders of the options is in folders of
 * that part. *options, which the caller frees, are those to build with. False:
 * they cannot be written, or there is no memory. */
bool replay_headers_enter(char **options, const dnnl_cache_note_t *note,
        const char *folder, size_t part);

#endif /* DNNL_CACHE_TOOLS_JOBS_REPLAY_HEADERS_H */
