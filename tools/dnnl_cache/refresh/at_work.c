/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/dnnl_cache/refresh/at_work.h"

#include "src/platform/clock.h"
#include "src/platform/file.h"
#include "tools/dnnl_cache/base/place.h"

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

void at_work_await(struct tool *tool, unsigned most_seconds)
{
    enum { step_ns = 20 * 1000 * 1000 };
    char store[place_path_size];
    const uint64_t began_ns = clock_ns();
    bool is_told = false;
    if (place_is_remote(tool->options) || !place_path(store, tool->options))
        return;
    while (is_locked(store, '/') || is_locked(store, '.')) {
        const uint64_t waited_ns = clock_ns() - began_ns;
        if (waited_ns >= most_seconds * SECOND_NS || tool_is_late(tool)) {
            tool_warn(tool, "another refresh of this store is at work: what it "
                            "has not stored yet is missing");
            return;
        }
        if (!is_told && waited_ns > SECOND_NS) {
            tool_warn(tool, "waiting for another refresh of this store");
            is_told = true;
        }
        clock_sleep_ns(step_ns);
    }
}
