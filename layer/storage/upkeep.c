/* SPDX-License-Identifier: Apache-2.0 */
#include "layer/storage/upkeep.h"

#include "layer/settings/state_place.h"
#include "src/platform/file.h"
#include "tools/common/state/state_lines.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { day_seconds = 24 * 3600, lock_timeout_ms = 50 };

static const char file_name[] = "upkeep";

/* One line: when somebody looked, and for which age. Times in the future, as
 * clocks that were put back see them, are no reason to wait. */
static bool is_recent(const char *text, uint64_t now, uint64_t max_days)
{
    char line[state_line_size];
    uint64_t looked;
    uint64_t days;
    bool recent = false;
    while (state_lines_next(line, &text))
        recent = sscanf(line, "%" SCNu64 " %" SCNu64, &looked, &days) == 2
                 && looked <= now && now - looked < day_seconds
                 && days == max_days;
    return recent;
}

static bool look_up(int folder, uint64_t now, uint64_t max_days)
{
    char *text = state_folder_read(folder, file_name, 4096);
    const bool recent = text != NULL && is_recent(text, now, max_days);
    free(text);
    return recent;
}

bool upkeep_is_due(uint64_t max_days)
{
    const uint64_t now = (uint64_t)time(NULL);
    const int folder = state_folder_open();
    if (folder < 0) return false;
    bool due = !look_up(folder, now, max_days);
    const int lock = due ? state_folder_lock(folder, lock_timeout_ms) : -1;
    due = lock >= 0 && !look_up(folder, now, max_days);
    if (due) {
        char line[state_line_size];
        char text[state_line_size];
        (void)snprintf(
                text, sizeof text, "%" PRIu64 " %" PRIu64, now, max_days);
        const size_t size = state_line_make(line, text);
        due = state_folder_replace(folder, file_name, line, size);
    }
    state_folder_unlock(lock);
    (void)file_close(folder);
    return due;
}
