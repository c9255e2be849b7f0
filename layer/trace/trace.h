/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trace.h: DNNL_CACHE_TRACE: which programs were found, by which ingredients,
 * and why others were not. A record is written at one stroke, so that those of
 * threads and processes do not mix. Slow on a miss: the whole store is looked
 * through for the entry that is most like the one that was not found.
 */
#ifndef DNNL_CACHE_LAYER_TRACE_TRACE_H
#define DNNL_CACHE_LAYER_TRACE_TRACE_H

#include "layer/settings/statistics.h"

#include <stddef.h>

bool trace_is_on(void);

/* All of these do nothing while it is off. Any thread may call them. */

/* A program that was loaded. options: those of the build, if its ID tells their
 * folders by numbers: which folders these are here; else NULL. */
void trace_hit(size_t id_size, const uint8_t *id, bool from_memory,
        const char *options);

/* A program that was loaded, and has to be compiled for a launch of this class
 * of a kernel. */
void trace_incomplete(size_t id_size, const uint8_t *id, const char *kernel,
        const char *launch);

/* A program that was compiled. id: NULL if it has none; detail: more about the
 * reason, such as the file that could not be found; NULL: nothing. options: as
 * above. */
void trace_miss(enum layer_reason reason, const char *detail, size_t id_size,
        const uint8_t *id, const char *options);

/* A build that fails, and what became of it: "kept", or "answered". */
void trace_failed(size_t id_size, const uint8_t *id, const char *what);

/* What became of a program that was compiled. */
void trace_kept(size_t id_size, const uint8_t *id);
void trace_not_kept(enum layer_reason reason, const char *detail,
        size_t id_size, const uint8_t *id);

#endif /* DNNL_CACHE_LAYER_TRACE_TRACE_H */
