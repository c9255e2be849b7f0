/* SPDX-License-Identifier: Apache-2.0 */
/*
 * default_place.h: is the place that nobody has chosen one of this user's?
 *
 * A program that root runs with a user's HOME (sudo -E, su, a container with a
 * bound home) would leave folders there that shut the user out.
 */
#ifndef DNNL_CACHE_TOOLS_COMMON_STATE_DEFAULT_PLACE_H
#define DNNL_CACHE_TOOLS_COMMON_STATE_DEFAULT_PLACE_H

#include <stdbool.h>
#include <stddef.h>

/* Is the folder that a variable names, or what there is of the path below it,
 * another user's? Then why says so, and what to do. Folders of root's are fine:
 * who is not root can spoil nothing there. */
bool default_place_is_anothers(char *why, size_t capacity, const char *variable,
        const char *base, const char *path);

#endif /* DNNL_CACHE_TOOLS_COMMON_STATE_DEFAULT_PLACE_H */
