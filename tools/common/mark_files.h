/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mark_files.h: the files in the state folder that say what a process is
 * loading; marks.c writes this process's.
 *
 * Such a file is an array of keys; one that is all zeros is a free slot. Its
 * process keeps it locked while it lives.
 */
#ifndef DNNL_CACHE_LAYER_MARK_FILES_H
#define DNNL_CACHE_LAYER_MARK_FILES_H

#include "crashes.h"

#define MARK_FILES_PREFIX "mark-"
enum {
    mark_files_slots = 64,
    mark_files_size = mark_files_slots * sizeof(struct crash_key)
};

/* Writes what dead processes were loading into the list of crashes, and removes
 * their files. tell: of each; NULL: nobody. */
void mark_files_bury(
        int folder, void (*tell)(const char *file, struct crash_key key));

#endif /* DNNL_CACHE_LAYER_MARK_FILES_H */
