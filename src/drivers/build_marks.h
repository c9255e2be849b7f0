/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Drivers have caches of their own, whose keys cover less than our IDs do. A
 * build mark is an option that makes their keys differ where IDs do: it defines
 * a macro that no program knows, named by a digest.
 * docs/how_it_works/identity.md, "Caches of drivers", has the rule.
 */
#ifndef DNNL_CACHE_DRIVERS_BUILD_MARKS_H
#define DNNL_CACHE_DRIVERS_BUILD_MARKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { build_mark_bytes = 16 };

/* A mark, with its NUL. */
enum { build_mark_size = sizeof "-D__dnnl_cache_" + 2 * build_mark_bytes };

/* Whether the driver of the platform has such a cache of programs from source,
 * or from IL. */
bool build_marks_are_needed(const char *platform_name, bool is_il);

void build_mark_write(
        char mark[build_mark_size], const uint8_t digest[build_mark_bytes]);

/* The marks (several have blanks between), then the options; options may be
 * NULL. malloc'ed; NULL: no memory. */
char *build_marks_put(const char *marks, const char *options);

/* Marks in place of no options at all, where those ask for names of arguments
 * and "" does not (PoCL). build_marks_remove() makes "" of it. malloc'ed; NULL:
 * no memory. */
char *build_marks_put_for_none(const char *marks);

/* OpenCL C that has an effect on an object's code, and none on that of kernels:
 * for a driver whose cache knows what is linked by its code alone, and whose
 * linker takes no mark (PoCL). It goes behind a source. */
enum { build_mark_variable_size = 288 };
void build_mark_write_variable(
        char text[build_mark_variable_size], const char *mark);

/* A function that the layer has, and no driver, under this name for
 * clGetExtensionFunctionAddressForPlatform(). Who compiles under an ID of its
 * own tells it the mark, just before and in the same thread: what the layer
 * keeps has names of its own, which are to be the same on all machines, and the
 * mark is another one on each. */
#define BUILD_MARK_NOTE_NAME "dnnl_cache_layer_note_build_mark"
typedef void (*build_mark_note_function)(const char *mark);

/* Takes all marks out of a text of a driver's, each with one blank behind it,
 * and of the last one the blank before it if there is none. */
void build_marks_remove(char *text);

#endif /* DNNL_CACHE_DRIVERS_BUILD_MARKS_H */
