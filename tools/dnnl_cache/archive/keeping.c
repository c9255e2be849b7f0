/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/dnnl_cache/archive/keeping.h"

#include "tools/dnnl_cache/base/place.h"

#include <string.h>

enum tool_exit keep_open(struct tool *tool, enum tool_access access)
{
    const enum tool_exit code = tool_open(tool, access);
    if (code != exit_ok || place_is_remote(tool->options)) return code;
    return tool_check(tool, "open", dnnl_cache_store_take_limits(tool->store));
}

/* What a put has changed of a store. */
static enum kept judge(const struct dnnl_cache_store_statistics *before,
        const struct dnnl_cache_store_statistics *after, const char **why)
{
    if (after->puts > before->puts) return kept_new;
    if (after->puts_unchanged > before->puts_unchanged) return kept_unchanged;
    if (after->puts_full > before->puts_full) {
        *why = "full";
        return kept_not_full;
    }
    if (after->puts_too_large > before->puts_too_large) {
        *why = "smaller than the entry";
        return kept_not_too_large;
    }
    *why = after->puts_read_only > before->puts_read_only ? "read-only"
                                                          : "failing or locked";
    return kept_not;
}

enum kept keep_entry(dnnl_cache_store_handle_t *store,
        const struct archive_entry *entry, const char **why)
{
    const dnnl_cache_store_t *s = dnnl_cache_store_get_callbacks(store);
    dnnl_cache_store_metadata_t metadata = DNNL_CACHE_STORE_METADATA_INIT;
    struct dnnl_cache_store_statistics before =
            DNNL_CACHE_STORE_STATISTICS_INIT;
    struct dnnl_cache_store_statistics after = DNNL_CACHE_STORE_STATISTICS_INIT;
    metadata.kind = entry->kind;
    metadata.compile_ns = entry->compile_ns;
    if (!dnnl_cache_store_has_room(store, entry->id_size + entry->blob_size)) {
        *why = "full";
        return kept_not_full;
    }
    (void)dnnl_cache_store_get_statistics(store, &before);
    (void)s->put(s->user, entry->id_size, entry->id, entry->blob_size,
            entry->blob, &metadata);
    (void)dnnl_cache_store_get_statistics(store, &after);
    return judge(&before, &after, why);
}

enum kept keep_or_tell(struct tool *tool, struct progress *progress,
        const struct archive_entry *entry)
{
    const char *why = "";
    tool->complaint[0] = '\0';
    tool->is_hushed = true; /* what it says comes behind the progress */
    const enum kept kept = keep_entry(tool->store, entry, &why);
    tool->is_hushed = false;
    if (kept == kept_new || kept == kept_unchanged) return kept;
    progress_clear(progress);
    if (tool->complaint[0] != '\0')
        tool_error(tool, "an entry was not stored: %s", tool->complaint);
    else
        tool_error(tool, "an entry was not stored: the store is %s%s", why,
                place_is_remote(tool->options) && strcmp(why, "read-only") == 0
                        ? " (no key_file= or sign_key_file= in its URL, or "
                          "read_only=1)"
                        : "");
    return kept;
}
