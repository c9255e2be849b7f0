/* SPDX-License-Identifier: Apache-2.0 */
/* driver_look.h: have the drivers changed since a command was started last? */
#ifndef DNNL_CACHE_TOOLS_RUN_DRIVER_LOOK_H
#define DNNL_CACHE_TOOLS_RUN_DRIVER_LOOK_H

#include <stdint.h>

/* A hash of what tells it without loading them: which are registered, the files
 * and folders that they and their libraries are in, and the variables that
 * drivers read. Another one says that drivers may have changed: the IDs of
 * programs say whether they have. Never 0. */
uint64_t driver_look(void);

#endif /* DNNL_CACHE_TOOLS_RUN_DRIVER_LOOK_H */
