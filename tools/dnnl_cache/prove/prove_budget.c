/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/dnnl_cache/prove/prove_budget.h"

#include "src/platform/clock.h"
#include "src/platform/file.h"
#include "tools/common/state/proof_setting.h"
#include "tools/common/state/state_folder.h"
#include "tools/common/state/state_lines.h"
#include "tools/dnnl_cache/base/place.h"
#include "tools/dnnl_cache/base/state_place.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define NAME "prove_time"
#define LOCK "prove_lock"

static const uint64_t second_ns = 1000000000u;
static const uint64_t day_seconds = 86400;

enum { lock_ms = 1000, usual_percent = 1, most_percent = 100 };

static uint64_t today(void)
{
    return clock_epoch_ns() / second_ns / day_seconds;
}

static uint64_t read_percent(struct tool *tool)
{
    static bool is_told;
    const char *text = place_setting(PROOF_SETTING);
    char *end;
    if (text == NULL) return usual_percent;
    const unsigned long percent = strtoul(text, &end, 10);
    if (text[0] >= '0' && text[0] <= '9' && *end == '\0'
            && percent <= most_percent)
        return percent;
    if (is_told) return usual_percent;
    is_told = true;
    tool_warn(tool,
            PROOF_SETTING "=%.64s: expected a number from 0 to %d; using %d",
            text, (int)most_percent, (int)usual_percent);
    return usual_percent;
}

/* Of this day; a day that is over does not count. */
static uint64_t read_spent(int folder)
{
    char *text = state_folder_read(folder, NAME, state_line_size);
    const char *at = text;
    char line[state_line_size];
    uint64_t day, ns;
    uint64_t spent = 0;
    while (at != NULL && state_lines_next(line, &at))
        if (sscanf(line, "%" SCNu64 " %" SCNu64, &day, &ns) == 2
                && day == today())
            spent = ns;
    free(text);
    return spent;
}

uint64_t prove_budget_left_ns(struct tool *tool)
{
    const uint64_t most_ns = day_seconds * second_ns / 100 * read_percent(tool);
    if (most_ns == 0) return 0;
    char path[state_place_size];
    if (!state_place_find_own(path)) return 0; /* it could not be noted */
    const int folder = state_place_open(path, false);
    const uint64_t spent = folder >= 0 ? read_spent(folder) : 0;
    if (folder >= 0) (void)file_close(folder);
    return spent < most_ns ? most_ns - spent : 0;
}

void prove_budget_spend(uint64_t ns)
{
    char text[state_line_size];
    char line[state_line_size];
    char path[state_place_size];
    if (ns == 0 || !state_place_find_own(path)) return;
    const int folder = state_place_open(path, true);
    const int lock = folder >= 0 ? state_folder_lock(folder, lock_ms) : -1;
    if (lock >= 0) {
        const uint64_t spent = read_spent(folder);
        snprintf(text, sizeof text, "%" PRIu64 " %" PRIu64, today(),
                ns < UINT64_MAX - spent ? spent + ns : UINT64_MAX);
        const size_t size = state_line_make(line, text);
        (void)state_folder_replace(folder, NAME, line, size);
        state_folder_unlock(lock);
    }
    (void)file_close(folder);
}

int prove_budget_hold(void)
{
    char path[state_place_size];
    int lock = file_none;
    if (!state_place_find_own(path)) return file_none;
    const int folder = state_place_open(path, true);
    if (folder < 0) return file_none;
    if (file_open(&lock, folder, LOCK,
                file_for_reading | file_for_writing | file_made_if_missing
                        | file_no_link | file_no_wait,
                0600)
            != 0)
        lock = file_none;
    (void)file_close(folder);
    if (lock == file_none || file_lock(lock, file_lock_alone, 0) == 0)
        return lock;
    (void)file_close(lock);
    return file_none;
}

void prove_budget_let_go(int held)
{
    if (held != file_none) file_unlock(held);
    (void)file_close(held);
}
