/* SPDX-License-Identifier: Apache-2.0 */
/*
 * turns.h: programs made from one binary are made and released one at a time.
 *
 * PoCL (3.1) unpacks all programs of a binary into one folder and, if its own
 * cache is off, removes that folder with any of them: a thread that loads the
 * binary while another releases it aborts the process. Other binaries are not
 * waited for, but for those few that share a lock.
 */
#ifndef DNNL_CACHE_LAYER_TURNS_H
#define DNNL_CACHE_LAYER_TURNS_H

#include <stddef.h>
#include <stdint.h>

/* Comes before all else, once, while there is one thread that knows of the
 * layer. */
void turns_init(void);

/* Any thread; at most one turn at a time. The number goes to turns_end(). */
unsigned turns_begin(size_t id_size, const uint8_t *id);
void turns_end(unsigned turn);

#endif /* DNNL_CACHE_LAYER_TURNS_H */
