/* SPDX-License-Identifier: Apache-2.0 */
/*
 * crash_marker_files.h: the files in the state folder that say what a process
 * is loading; crash_markers.c writes this process's.
 *
 * Such a file is an array of keys; one that is all zeros is a free slot. Its
 * process keeps it locked while it lives.
 */
#ifndef DNNL_CACHE_TOOLS_COMMON_CRASH_MARKER_FILES_H
#define DNNL_CACHE_TOOLS_COMMON_CRASH_MARKER_FILES_H

#include "crashes.h"

#define CRASH_MARKER_FILES_PREFIX "loading-"
enum {
    crash_marker_files_slots = 64,
    crash_marker_files_size =
            crash_marker_files_slots * sizeof(struct crash_key)
};

/* Writes what dead processes were loading into the list of crashes, and removes
 * their files. tell: of each; NULL: nobody. */
void crash_marker_files_collect(
        int folder, void (*tell)(const char *file, struct crash_key key));

#endif /* DNNL_CACHE_TOOLS_COMMON_CRASH_MARKER_FILES_H */
