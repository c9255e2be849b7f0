/* SPDX-License-Identifier: Apache-2.0 */
/*
 * told.h: what would be said at each start is said once a day.
 *
 * A mark is an empty file of the user's, in XDG_RUNTIME_DIR, in /run/user (of
 * root: in /run), or in the folder for temporary files: what is told is that
 * the user's own folder cannot be used.
 */
#ifndef DNNL_CACHE_TOOLS_COMMON_STATE_TOLD_H
#define DNNL_CACHE_TOOLS_COMMON_STATE_TOLD_H

#include <stdbool.h>

/* True if this was not said within a day, and makes the mark. True also if no
 * mark can be made. text: what tells it from others. */
bool told_is_due(const char *text);

#endif /* DNNL_CACHE_TOOLS_COMMON_STATE_TOLD_H */
