/* SPDX-License-Identifier: Apache-2.0 */
/*
 * marks.h: which binaries kill the process that loads them.
 *
 * Some drivers crash on binaries that they wrote themselves. So what is about
 * to be loaded is noted in a file of the process, which it keeps locked while
 * it lives, and the note is taken back after the load. A process that finds
 * such a file with nobody's lock on it knows what its owner was loading when it
 * died, and writes that down in the folder's list of crashes. An ID that is in
 * there twice, and was not loaded successfully in between, is in quarantine: it
 * is compiled.
 *
 * The files are in the state folder (state_folder.h). Where there is none, as
 * with a store that is read-only, nothing is noted. Any thread may call these;
 * a child of fork() starts with a file of its own.
 */
#ifndef DNNL_CACHE_LAYER_MARKS_H
#define DNNL_CACHE_LAYER_MARKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Must this ID's binary not be loaded? What crashed before this process began
 * counts. */
bool marks_is_quarantined(size_t id_size, const uint8_t *id);

/* Comes before the bytes reach the driver. A slot for marks_end(); -1 if
 * nothing was noted, which marks_end() takes as well. */
int marks_begin(size_t id_size, const uint8_t *id);

/* Comes after, whatever the driver said: the process lives. */
void marks_end(int slot);

/* Removes the process's file, at exit: what other threads load now is not what
 * ends the process. */
void marks_close(void);

#endif /* DNNL_CACHE_LAYER_MARKS_H */
