/* SPDX-License-Identifier: Apache-2.0 */
/*
 * When the application has nothing left that a driver could work on: some must
 * be asked for binaries only then (quirks.h).
 */
#ifndef DNNL_CACHE_LAYER_IDLE_H
#define DNNL_CACHE_LAYER_IDLE_H

#include <CL/cl.h>
#include <stdbool.h>

/* True if the application has no context: none ever, or all are released. */
bool idle_is_certain(void);

/* Count the application's references to contexts. */
void idle_count_context(int references);

/* The application has set a destructor callback of the context. What waits for
 * an idle driver holds contexts, and such a callback is not to come late.
 * Without memory it may. */
void idle_watch_context(cl_context context);
bool idle_is_watched(cl_context context);

#endif /* DNNL_CACHE_LAYER_IDLE_H */
