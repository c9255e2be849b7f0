/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/run/ahead.h"

#include "src/platform/environment.h"
#include "src/platform/file.h"
#include "src/platform/library.h"
#include "tools/common/state/state_folder.h"
#include "tools/run/command_file.h"
#include "tools/run/drain.h"
#include "tools/run/driver_look.h"
#include "tools/run/run_log.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of commands that ended before anything was made. */
enum { most_tries = 8 };

static const char record_name[] = "DNNL_CACHE_RECORD";

/* ---- Before -------------------------------------------------------------- */

static bool is_off(void)
{
    const char *value = getenv(AHEAD_VARIABLE);
    return value != NULL && strcmp(value, "0") == 0;
}

/* The name that the command's process will have, and that records have. */
static bool find_application(char path[path_size], const char *command)
{
    char file[path_size];
    if (!command_file_find(file, command)
            || !command_file_find_program(path, file))
        return false;
    const char *slash = strrchr(path, '/');
    if (slash != NULL) memmove(path, slash + 1, strlen(slash + 1) + 1);
    return true;
}

/* A record that other users may write is not compiled ahead. */
static bool find_record(const char **path, uint64_t *size)
{
    struct file_facts facts;
    *path = getenv(record_name);
    if (*path == NULL || (*path)[0] != '/' || strlen(*path) >= ahead_record_size
            || file_facts_at(&facts, file_here, *path) != 0
            || facts.kind != file_is_plain || !file_is_own(&facts)
            || (facts.mode & file_others_write) != 0)
        return false;
    *size = facts.size;
    return true;
}

static int open_folder(const char *store)
{
    char path[path_size];
    struct file_facts facts;
    const bool is_pack = file_facts_at(&facts, file_here, store) == 0
                         && facts.kind == file_is_plain;
    if (snprintf(path, sizeof path, "%s%s", store, state_folder_suffix(is_pack))
            >= (int)sizeof path)
        return file_none;
    const int folder = state_folder_open_path(path, true);
    return folder < 0 ? file_none : folder;
}

static bool is_due(const struct run_ahead *ahead)
{
    const struct ahead_state *state = &ahead->state;
    if (state->drivers == ahead->drivers) return false;
    if (state->tried == ahead->drivers && state->tries >= most_tries)
        return false;
    return !state->is_stopped || state->record_size != ahead->record_size;
}

static bool share(struct run_ahead *ahead, const char *record)
{
    char path[64];
    ahead->fd = ahead_session_create(&ahead->session);
    if (ahead->session == NULL) return false;
    strcpy(ahead->session->record, record);
    strcpy(ahead->session->application, ahead->state.application);
    if (ahead->state.is_stopped)
        atomic_store(&ahead->session->stopped, ahead->state.record);
    (void)snprintf(
            path, sizeof path, "/proc/%ld/fd/%d", process_number(), ahead->fd);
    (void)environment_set(AHEAD_SESSION_VARIABLE, path);
    return true;
}

bool run_ahead_begin(
        struct run_ahead *ahead, const char *store, const char *command)
{
    char application[path_size];
    const char *record;
    *ahead = (struct run_ahead){.fd = file_none, .folder = file_none};
    if (is_off() || !drain_beside_is_possible()
            || !find_record(&record, &ahead->record_size)
            || !find_application(application, command))
        return false;
    ahead->folder = open_folder(store);
    if (ahead->folder == file_none
            || !ahead_state_read(&ahead->state, ahead->folder, application))
        return false;
    ahead->drivers = driver_look();
    return is_due(ahead) && share(ahead, record);
}

/* ---- After --------------------------------------------------------------- */

/* Another command of the application may have ended meanwhile. */
static void read_again(struct run_ahead *ahead)
{
    struct ahead_state state;
    if (ahead_state_read(&state, ahead->folder, ahead->state.application))
        ahead->state = state;
}

static void count(struct run_ahead *ahead, const struct ahead_counts *counts)
{
    struct ahead_state *state = &ahead->state;
    const uint64_t contents = atomic_load(&ahead->session->contents);
    const bool is_complete = atomic_load(&ahead->session->is_complete) != 0;
    if (contents != 0 && contents != state->record) {
        state->record = contents;
        state->made = 0;
        state->unused = 0;
        state->is_stopped = false;
    }
    state->record_size = ahead->record_size;
    state->made += counts->made;
    state->unused += counts->unused;
    if (is_complete) state->drivers = ahead->drivers;
    if (counts->made > 0 || state->tried != ahead->drivers) state->tries = 0;
    state->tried = ahead->drivers;
    state->tries += counts->made == 0;
}

static void stop(struct ahead_state *state, bool is_told)
{
    if (state->is_stopped || !ahead_is_mostly_unused(state)) return;
    state->is_stopped = true;
    if (is_told)
        fprintf(stderr,
                "dnnl-cache-run: of %" PRIu64
                " programs that were compiled ahead of %s it did not ask for "
                "%" PRIu64 ": no more are until its record changes\n",
                state->made, state->application, state->unused);
}

static void print(const struct run_ahead *ahead,
        const struct ahead_counts *counts, int log)
{
    struct ahead_session *session = ahead->session;
    if (log >= 0)
        run_log_print(log,
                "compiled ahead: %" PRIu64 " programs, %" PRIu64
                " not asked for; waited for %" PRIu64 ", %.3f s, in vain "
                "for %" PRIu64,
                counts->made, counts->unused,
                (uint64_t)atomic_load(&session->waits),
                (double)atomic_load(&session->wait_ns) / 1e9,
                (uint64_t)atomic_load(&session->late));
}

void run_ahead_end(struct run_ahead *ahead, bool is_told, int log)
{
    if (ahead->session != NULL) {
        const struct ahead_counts counts = ahead_session_count(ahead->session);
        environment_unset(AHEAD_SESSION_VARIABLE);
        read_again(ahead);
        count(ahead, &counts);
        stop(&ahead->state, is_told);
        print(ahead, &counts, log);
        (void)ahead_state_write(ahead->folder, &ahead->state);
    }
    ahead_session_close(ahead->session);
    (void)file_close(ahead->fd);
    (void)file_close(ahead->folder);
    *ahead = (struct run_ahead){.fd = file_none, .folder = file_none};
}
