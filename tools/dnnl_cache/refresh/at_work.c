/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/dnnl_cache/refresh/at_work.h"

#include "src/platform/clock.h"
#include "src/platform/file.h"
#include "tools/dnnl_cache/base/place.h"

#include <dnnl_cache/journal.h>

#include <errno.h>
#include <stdio.h>

#define SECOND_NS ((uint64_t)1000000000u)

/* Who refreshes has locked the file beside the journal, which is in a store's
 * folder or beside its file. */
static bool is_locked(const char *store, char between)
{
    char path[place_path_size + sizeof "/journal.lock"];
    int fd = file_none;
    (void)snprintf(path, sizeof path, "%s%cjournal.lock", store, between);
    if (file_open(&fd, file_here, path,
                file_for_reading | file_no_link | file_no_wait, 0)
            != 0)
        return false;
    const bool is = file_lock(fd, file_lock_shared, 0) == EWOULDBLOCK;
    (void)file_close(fd);
    return is;
}

static bool is_fresh(
        const struct dnnl_cache_store_journal_item *item, uint64_t now_ns)
{
    enum { most_s = 2 };
    return item->note->kind == dnnl_cache_note_made
           && item->written_ns <= now_ns
           && now_ns - item->written_ns < most_s * SECOND_NS;
}

/* dnnl-cache-run has stored what an application has just noted of the driver's
 * own cache (drain_compiled()): that process may not have the lock yet. Where
 * nobody stores it, the notes grow old. */
static bool is_about_to_begin(struct tool *tool)
{
    struct dnnl_cache_store_journal_list *list = NULL;
    bool is = false;
    const bool was_hushed = tool->is_hushed;
    tool->is_hushed = true; /* damage is told by who uses the journal */
    const dnnl_status_t st = dnnl_cache_store_journal_load(&list, tool->store);
    tool->is_hushed = was_hushed;
    const uint64_t now_ns = clock_epoch_ns();
    for (size_t i = 0; st == dnnl_success && i < list->count && !is; i++)
        is = is_fresh(list->items[i], now_ns);
    dnnl_cache_store_journal_free(list);
    return is;
}

bool at_work_await(struct tool *tool, unsigned most_seconds)
{
    enum { step_ns = 50 * 1000 * 1000 };
    char store[place_path_size];
    const uint64_t began_ns = clock_ns();
    bool is_told = false;
    bool has_waited = false;
    if (place_is_remote(tool->options) || !place_path(store, tool->options))
        return false;
    for (;; has_waited = true) {
        const bool is_at_work = is_locked(store, '/') || is_locked(store, '.');
        if (!is_at_work && !is_about_to_begin(tool)) return has_waited;
        const uint64_t waited_ns = clock_ns() - began_ns;
        if (waited_ns >= most_seconds * SECOND_NS || tool_is_late(tool)) {
            if (is_at_work)
                tool_warn(tool, "another refresh of this store is at work: "
                                "what it has not stored yet is missing");
            return has_waited;
        }
        if (is_at_work && !is_told && waited_ns > SECOND_NS) {
            tool_warn(tool, "waiting for another refresh of this store");
            is_told = true;
        }
        clock_sleep_ns(step_ns);
    }
}
