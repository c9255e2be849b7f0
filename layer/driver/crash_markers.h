/* SPDX-License-Identifier: Apache-2.0 */
/*
 * crash_markers.h: which binaries a process was loading when it ended.
 *
 * Some drivers crash on binaries that they wrote themselves. So each process
 * has a file with the IDs that it is loading, a crash marker each, which it
 * removes after the load. The process locks its file while it lives. A process
 * that finds a file without a lock knows what the owner was loading when it
 * ended, and adds that to the list of crashes (crashes.h).
 *
 * The files are in the state folder (state_folder.h). Without one, as with a
 * read-only store, there are no markers. Thread-safe; a child of fork() starts
 * with a file of its own.
 */
#ifndef DNNL_CACHE_LAYER_DRIVER_CRASH_MARKERS_H
#define DNNL_CACHE_LAYER_DRIVER_CRASH_MARKERS_H

#include "tools/common/state/crashes.h"

#include <stddef.h>
#include <stdint.h>

/* What to do with the entry of this ID, by what happened before this process
 * began. */
enum crash_state crash_markers_ask(size_t id_size, const uint8_t *id);

/* A compiled program was stored, and may have replaced an entry. */
void crash_markers_note_kept(size_t id_size, const uint8_t *id);

/* Call before the driver gets the bytes. Returns a slot for
 * crash_markers_end(), or -1 if no marker was set, which crash_markers_end()
 * accepts. */
int crash_markers_begin(size_t id_size, const uint8_t *id);

/* Call when the driver has returned, with success or not. */
void crash_markers_end(int slot);

/* Removes the process's file, at exit: loads of other threads at that time do
 * not count as crashes. */
void crash_markers_close(void);

#endif /* DNNL_CACHE_LAYER_DRIVER_CRASH_MARKERS_H */
