/* SPDX-License-Identifier: Apache-2.0 */
/*
 * made_files.h: what PoCL's own cache has of a program that this process has
 * compiled, for the journal.
 *
 * With its cache on PoCL may have what it compiled in another process, with
 * other variables or another compiler. So a folder is taken only if this
 * process was seen to make it: it appeared while the driver built the program,
 * and each file of it was last changed after that began. Files are noted and
 * not opened by the driver; nothing is written there. dnnl-cache refresh copies
 * them into a folder of its own, where the driver finds the program by its own
 * name, and compiles nothing (docs/how_it_works/capture.md, "PoCL's own
 * cache").
 */
#ifndef DNNL_CACHE_LAYER_MADE_FILES_H
#define DNNL_CACHE_LAYER_MADE_FILES_H

#include "layer/programs/build.h"

/* May the files of a build be noted, as far as is known without a look at them?
 */
bool made_files_suit(const struct build *build);

/* Notes the files of a build that the journal has, if they are known to be what
 * this process made. Else the build stays there alone, and is compiled again.
 */
void made_files_note(const struct build *build);

#endif /* DNNL_CACHE_LAYER_MADE_FILES_H */
