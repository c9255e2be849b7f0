/* SPDX-License-Identifier: Apache-2.0 */
/* place.h: which store is meant, and opening it. */
#ifndef DNNL_CACHE_TOOLS_BASE_PLACE_H
#define DNNL_CACHE_TOOLS_BASE_PLACE_H

#include "tools/dnnl_cache/base/tool.h"

/* The store's place as the options or the environment name it, a URL without
 * its options. False if neither does, or if it does not fit. */
enum { place_path_size = 4096 };
bool place_path(char path[place_path_size], const struct options *options);

/* Would a file of this path be one of the store's at place, or be taken for
 * one? */
bool place_has(const char *place, const char *file);

/* Is it a store on a server? */
bool place_is_remote(const struct options *options);

/* A setting of the environment or the layer's files; NULL: none. */
const char *place_setting(const char *name);

/* Is a flag of the layer's set, in the environment or in its files? */
bool place_flag_is_set(const char *name);

/* Opens the store on a server that refresh puts into, too; *store stays NULL if
 * none is named, or if it cannot be used, after a warning. */
void place_open_behind(struct tool *tool, dnnl_cache_store_handle_t **store);

/* Opens it into tool->store, once it is found to be a store, and tells its
 * tool->type; else a message, and exit_store, with the place as it was. One
 * that is damaged as a whole is opened for verify alone. */
enum tool_exit place_open(
        struct tool *tool, enum tool_access access, bool with_key);

#endif /* DNNL_CACHE_TOOLS_BASE_PLACE_H */
