/* SPDX-License-Identifier: Apache-2.0 */
/*
 * crash_marker_files.h: the files in the state folder that say what a process
 * is loading; crash_markers.c writes this process's.
 *
 * Such a file is an array of keys; one that is all zeros is a free slot. Its
 * process keeps it locked while it lives. If the application closes the
 * descriptor the lock is gone, and the process is not: so the file says which
 * process it is of, behind the keys.
 */
#ifndef DNNL_CACHE_TOOLS_COMMON_STATE_CRASH_MARKER_FILES_H
#define DNNL_CACHE_TOOLS_COMMON_STATE_CRASH_MARKER_FILES_H

#include "tools/common/state/crashes.h"

#define CRASH_MARKER_FILES_PREFIX "loading-"
enum {
    crash_marker_files_slots = 64,
    crash_marker_files_size =
            crash_marker_files_slots * sizeof(struct crash_key)
};

/* Which process: its number, when it began, and in which namespace of numbers
 * that is. All zeros where /proc does not tell. */
struct crash_marker_owner {
    uint64_t number;
    uint64_t began; /* in ticks since the system was started */
    uint64_t numbers;
};

/* This process. */
struct crash_marker_owner crash_marker_files_self(void);

/* Writes what dead processes were loading into the list of crashes, and removes
 * their files. folder: it was opened just now, and its names were not read.
 * tell: of each; NULL: nobody. */
void crash_marker_files_collect(
        int folder, void (*tell)(const char *file, struct crash_key key));

#endif /* DNNL_CACHE_TOOLS_COMMON_STATE_CRASH_MARKER_FILES_H */
