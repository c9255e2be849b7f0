/* SPDX-License-Identifier: Apache-2.0 */
/* parts.h: the sections, programs and kernels of a blob, for people and for
 * programs. */
#ifndef DNNL_CACHE_TOOLS_VIEW_PARTS_H
#define DNNL_CACHE_TOOLS_VIEW_PARTS_H

#include "tools/common/text/json.h"
#include "tools/dnnl_cache/base/tool.h"

#include <dnnl_cache.h>

/* In the order of dnnl_cache_blob_describe(); pointers go into the blob. */
struct parts {
    dnnl_cache_blob_part_t *items;
    size_t count;
    size_t blob_size;
    const uint8_t *blob; /* the caller's, who keeps it */
};

/* Takes an intact blob apart; else a message, and exit_io. parts_fini() is
 * needed either way. */
enum tool_exit parts_load(struct parts *parts, struct tool *tool,
        size_t blob_size, const uint8_t *blob);
void parts_fini(struct parts *parts);

/* Tables, each after an empty line; those with nothing in them are left out. */
enum tool_exit parts_write_tables(const struct parts *parts, struct tool *tool);
/* The build logs, the same way. */
void parts_write_logs(const struct parts *parts, FILE *out);

/* Members "sections", "programs" and "included_files" of the object that was
 * begun. */
void parts_write_json(const struct parts *parts, struct json *json);

#endif /* DNNL_CACHE_TOOLS_VIEW_PARTS_H */
