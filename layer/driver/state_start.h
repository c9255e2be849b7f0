/* SPDX-License-Identifier: Apache-2.0 */
/*
 * state_start.h: what this process begins with of the state folder: what other
 * processes measured, how they ended, and what they loaded. A start needs all
 * of it, and the folder is opened once.
 */
#ifndef DNNL_CACHE_LAYER_DRIVER_STATE_START_H
#define DNNL_CACHE_LAYER_DRIVER_STATE_START_H

/* Reads it at the first call. Any thread, without a lock of whoever reads. */
void state_start(void);

/* Each its own, by state_start() alone, of a folder that was opened just now.
 * Crash markers come first: they read the folder's names. */
void crash_markers_start(int folder);
void measure_start(int folder);
void loaded_start(int folder);

#endif /* DNNL_CACHE_LAYER_DRIVER_STATE_START_H */
