/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/common/state/ahead_state.h"

#include "tools/common/state/state_folder.h"
#include "tools/common/state/state_lines.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME "ahead"

enum { lock_ms = 200, most_size = ahead_most_applications * state_line_size };

/* ---- A line -------------------------------------------------------------- */

/* The name is last: it may have blanks. */
static size_t make_line(
        char line[state_line_size], const struct ahead_state *state)
{
    char text[state_line_size];
    (void)snprintf(text, sizeof text,
            "%" PRIx64 " %" PRIx64 " %" PRIu64 " %" PRIx64 " %" PRIx64
            " %" PRIx64 " %" PRIx64 " %d %s",
            state->drivers, state->tried, state->tries, state->record,
            state->record_size, state->made, state->unused, state->is_stopped,
            state->application);
    return state_line_make(line, text);
}

static bool read_line(struct ahead_state *state, const char *text)
{
    int stopped = 0;
    int end = 0;
    *state = (struct ahead_state){.made = 0};
    if (sscanf(text,
                "%" SCNx64 " %" SCNx64 " %" SCNu64 " %" SCNx64 " %" SCNx64
                " %" SCNx64 " %" SCNx64 " %d%n",
                &state->drivers, &state->tried, &state->tries, &state->record,
                &state->record_size, &state->made, &state->unused, &stopped,
                &end)
                    != 8
            || text[end] != ' ')
        return false;
    const char *name = text + end + 1;
    if (name[0] == '\0' || strlen(name) >= sizeof state->application)
        return false;
    strcpy(state->application, name);
    state->is_stopped = stopped != 0;
    return true;
}

/* ---- The file ------------------------------------------------------------ */

static char *read_all(int folder)
{
    return state_folder_read(folder, NAME, most_size);
}

bool ahead_state_read(
        struct ahead_state *state, int folder, const char *application)
{
    char line[state_line_size];
    char *text;
    bool is_found = false;
    *state = (struct ahead_state){.made = 0};
    if (application[0] == '\0' || strchr(application, '\n') != NULL
            || strlen(application) >= sizeof state->application)
        return false;
    text = read_all(folder);
    const char *at = text;
    while (!is_found && at != NULL && state_lines_next(line, &at))
        is_found = read_line(state, line)
                   && strcmp(state->application, application) == 0;
    free(text);
    if (is_found) return true;
    *state = (struct ahead_state){.made = 0};
    strcpy(state->application, application);
    return true;
}

static size_t count_others(const char *at, const struct ahead_state *state)
{
    char line[state_line_size];
    struct ahead_state other;
    size_t count = 0;
    while (at != NULL && state_lines_next(line, &at))
        count += read_line(&other, line)
                 && strcmp(other.application, state->application) != 0;
    return count;
}

/* The others in their order, without the oldest if they are too many, and this
 * one behind them. */
static size_t put_all(
        char out[most_size], const char *at, const struct ahead_state *state)
{
    char line[state_line_size];
    struct ahead_state other;
    size_t size = 0;
    size_t rest = count_others(at, state);
    while (at != NULL && state_lines_next(line, &at)) {
        if (!read_line(&other, line)
                || strcmp(other.application, state->application) == 0
                || rest-- >= ahead_most_applications)
            continue;
        const size_t length = make_line(line, &other);
        memcpy(out + size, line, length);
        size += length;
    }
    const size_t length = make_line(line, state);
    memcpy(out + size, line, length);
    return size + length;
}

bool ahead_state_write(int folder, const struct ahead_state *state)
{
    char *out = malloc(most_size);
    const int lock = out != NULL ? state_folder_lock(folder, lock_ms) : -1;
    bool is_good = false;
    if (lock >= 0) {
        char *text = read_all(folder);
        const size_t size = put_all(out, text, state);
        is_good = state_folder_replace(folder, NAME, out, size);
        free(text);
        state_folder_unlock(lock);
    }
    free(out);
    return is_good;
}

struct ahead_totals ahead_state_sum(int folder)
{
    char line[state_line_size];
    struct ahead_state state;
    struct ahead_totals totals = {.made = 0};
    char *text = read_all(folder);
    const char *at = text;
    while (at != NULL && state_lines_next(line, &at)) {
        if (!read_line(&state, line)) continue;
        totals.made += state.made;
        totals.unused += state.unused;
        totals.stopped += state.is_stopped;
    }
    free(text);
    return totals;
}
