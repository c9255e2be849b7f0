/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Notices a file that appears or vanishes at one of the places where a compiler
 * looks, and a folder or a symbolic link on the way there, or where one leads,
 * that is renamed or replaced, while the compiler runs: afterwards all may be
 * as it was. By inotify: what happens on another machine of a network's folder
 * is not seen. What is written into a file is not seen either: its times tell,
 * and those of two changes differ once the watch has begun.
 */
#ifndef DNNL_CACHE_INCLUDES_INCLUDE_WATCH_H
#define DNNL_CACHE_INCLUDES_INCLUDE_WATCH_H

#include "src/includes/include_files.h"

struct include_watch;

/* Begins to watch all places that were looked at. NULL: it cannot be done (no
 * memory, too much is watched on this machine, or what is in a folder can be
 * opened and not listed). */
struct include_watch *include_watch_begin(const struct include_files *files);

/* True if nothing came to or left any of the places since. Frees it; watch may
 * be NULL, which is false. */
bool include_watch_end(struct include_watch *watch);

#endif /* DNNL_CACHE_INCLUDES_INCLUDE_WATCH_H */
