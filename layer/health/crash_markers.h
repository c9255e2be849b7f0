/* SPDX-License-Identifier: Apache-2.0 */
/*
 * crash_markers.h: which binaries a process was loading when it ended.
 *
 * Some drivers crash on binaries that they wrote themselves. So what is about
 * to be loaded is noted in a file of the process, which it keeps locked while
 * it lives, and the note is taken back after the load. A process that finds
 * such a file with nobody's lock on it knows what its owner was loading when it
 * ended, and writes that down in the folder's list of crashes, which says what
 * is to be done (crashes.h).
 *
 * The files are in the state folder (state_folder.h). Where there is none, as
 * with a store that is read-only, nothing is noted. Any thread may call these;
 * a child of fork() starts with a file of its own.
 */
#ifndef DNNL_CACHE_LAYER_CRASH_MARKERS_H
#define DNNL_CACHE_LAYER_CRASH_MARKERS_H

#include "crashes.h"

#include <stddef.h>
#include <stdint.h>

/* What is to be done with this ID's entry. What happened before this process
 * began counts. */
enum crash_state crash_markers_ask(size_t id_size, const uint8_t *id);

/* What was compiled is kept: it may be what replaces an entry. */
void crash_markers_note_kept(size_t id_size, const uint8_t *id);

/* Comes before the bytes reach the driver. A slot for crash_markers_end(); -1
 * if nothing was noted, which crash_markers_end() takes as well. */
int crash_markers_begin(size_t id_size, const uint8_t *id);

/* Comes after, whatever the driver said: the process lives. */
void crash_markers_end(int slot);

/* Removes the process's file, at exit: what other threads load now is not what
 * ends the process. */
void crash_markers_close(void);

#endif /* DNNL_CACHE_LAYER_CRASH_MARKERS_H */
