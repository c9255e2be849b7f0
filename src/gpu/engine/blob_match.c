/* SPDX-License-Identifier: Apache-2.0 */
#include "src/gpu/engine/blob_match.h"

#include "src/common/log.h"
#include "src/gpu/engine/statistics.h"

#include <stdio.h>
#include <string.h>

enum { MAX_NAMES = 16, NAMES_SIZE = 512 };

void blob_reject(
        dnnl_status_t status, const char *why, struct blob_reason *reason)
{
    statistics_add(&statistics.blobs_rejected, 1);
    /* Stale and newer blobs are everyday life; damage is not. */
    dnnl_cache_log_level_t level = status == dnnl_cache_blob_corrupt
                                           ? dnnl_cache_log_warning
                                           : dnnl_cache_log_info;
    const char *what = status == dnnl_cache_blob_corrupt ? "corrupt"
                       : status == dnnl_cache_blob_stale ? "stale"
                                                         : "unsupported";
    log_message(level, "blob", "%s: %s", what, why);
    if (reason != NULL)
        snprintf(reason->text, sizeof reason->text, "%.*s",
                (int)sizeof reason->text - 1, why);
}

dnnl_status_t blob_verify(const uint8_t *data, size_t size, enum blob_kind kind,
        struct blob_view *view, struct blob_reason *reason)
{
    struct blob_reason why = {""};
    struct blob_view read;
    dnnl_status_t st = blob_read(&read, data, size, &why);
    if (st == dnnl_success && read.kind != kind) {
        st = dnnl_cache_blob_stale;
        snprintf(why.text, sizeof why.text,
                "a blob of another kind (%d, not %d)", (int)read.kind,
                (int)kind);
    }
    if (st != dnnl_success) {
        blob_reject(st, why.text, reason);
        return st;
    }
    *view = read;
    return dnnl_success;
}

dnnl_status_t blob_match_id(const struct blob_view *view, const uint8_t *id,
        size_t id_size, struct blob_reason *reason)
{
    if (view->id_size == id_size && memcmp(view->id, id, id_size) == 0)
        return dnnl_success;
    const char *names[MAX_NAMES];
    char text[NAMES_SIZE];
    if (id_size == 0) {
        snprintf(text, sizeof text, "what is wanted has no identity");
    } else {
        size_t count =
                id_diff(view->id, view->id_size, id, id_size, names, MAX_NAMES);
        if (count > MAX_NAMES) count = MAX_NAMES;
        int used = snprintf(text, sizeof text, "different");
        for (size_t i = 0; i < count && (size_t)used < sizeof text; i++)
            used += snprintf(text + used, sizeof text - (size_t)used, "%s %s",
                    i > 0 ? "," : "", names[i]);
    }
    blob_reject(dnnl_cache_blob_stale, text, reason);
    return dnnl_cache_blob_stale;
}
