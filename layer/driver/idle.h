/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether the driver is idle, that is, the application has no context: some
 * drivers may be queried for binaries only then (quirks.h).
 */
#ifndef DNNL_CACHE_LAYER_IDLE_H
#define DNNL_CACHE_LAYER_IDLE_H

#include <CL/cl.h>
#include <stdbool.h>

/* True if the application has no context: none ever, or all are released. */
bool idle_is_certain(void);

/* Count the application's references to contexts. */
void idle_count_context(int references);

/* The application has set a destructor callback of the context. Builds that
 * wait for an idle driver hold contexts, which would delay the callback. If
 * memory runs out it may come late. */
void idle_watch_context(cl_context context);
bool idle_is_watched(cl_context context);

/* The drivers are about to be closed: forgets all contexts. */
void idle_forget(void);

#endif /* DNNL_CACHE_LAYER_IDLE_H */
