/* SPDX-License-Identifier: Apache-2.0 */
/* Build options that make a compiler read files. */
#ifndef DNNL_CACHE_INCLUDES_BUILD_OPTIONS_H
#define DNNL_CACHE_INCLUDES_BUILD_OPTIONS_H

#include <stdbool.h>

/* True if the build options, a string, may make the compiler read a file, or
 * read sources as other tokens than include_scan.h does: unless each of them is
 * known to do neither. Drivers split options in different ways, so that of all
 * ways counts: -include in quotes, or behind one, is -include. Folders to look
 * in (-I) do not count. Reads only options; any thread. */
bool options_include_files(const char *options);

/* True if they may define a macro that makes a string: where the source has
 * assembly, of a directive that reads a file (include_assembly.h). */
bool options_make_strings(const char *options);

#endif /* DNNL_CACHE_INCLUDES_BUILD_OPTIONS_H */
