/* SPDX-License-Identifier: Apache-2.0 */
/* subject.h: what an argument ENTRY|FILE names: an ID, and mostly a blob. */
#ifndef DNNL_CACHE_TOOLS_VIEW_SUBJECT_H
#define DNNL_CACHE_TOOLS_VIEW_SUBJECT_H

#include "tools/dnnl_cache/view/catalog.h"

#include <dnnl_cache.h>

struct subject {
    const char *argument;
    char name[catalog_name_size]; /* of its ID; "" if there is none */
    bool is_entry;
    struct dnnl_cache_store_entry item; /* of an entry: but for its ID */
    size_t id_size;
    const uint8_t *id;   /* NULL: the file holds no intact blob and no ID */
    bool is_working_set; /* an entry that is the list of one, and no blob */
    bool has_blob;
    size_t blob_size;
    const uint8_t *blob;
    size_t tail_size;     /* what a store has put behind it in its file */
    dnnl_status_t status; /* of the blob */
    char reason[tool_reason_size]; /* why it is not dnnl_success */
    dnnl_cache_blob_info_t info;   /* if it is */
    uint8_t *id_memory;
    uint8_t *blob_memory;
};

/* Reads what the argument names. A damaged blob is no failure: status tells.
 * Else a message and exit_store, exit_io or exit_no_entry. */
enum tool_exit subject_load(
        struct subject *subject, struct tool *tool, const char *argument);
void subject_fini(struct subject *subject);

/* Its kind; undef if nothing is known of it but an ID. */
dnnl_cache_blob_kind_t subject_kind(const struct subject *subject);

/* Checks that a blob is intact and that of an ID. Statuses: as
 * dnnl_cache_blob_inspect(), and dnnl_cache_blob_stale for one of another ID;
 * but for dnnl_success, tool->reason says more. */
dnnl_status_t subject_check_blob(struct tool *tool,
        dnnl_cache_blob_info_t *info, size_t id_size, const uint8_t *id,
        size_t blob_size, const uint8_t *blob);

#endif /* DNNL_CACHE_TOOLS_VIEW_SUBJECT_H */
