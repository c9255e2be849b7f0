/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/dnnl_cache/prove/prove.h"

#include "src/platform/clock.h"
#include "src/platform/environment.h"
#include "src/platform/file.h"
#include "src/platform/folder.h"
#include "src/platform/process.h"
#include "tools/dnnl_cache/base/place.h"
#include "tools/dnnl_cache/prove/prove_budget.h"
#include "tools/dnnl_cache/refresh/refresh_prune.h"
#include "tools/dnnl_cache/replay/replay_list.h"

#include <dnnl_cache/recording.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *prove_state_name(enum prove_state state)
{
    static const char *const names[prove_states] = {
            [prove_no_record] = "no record",
            [prove_elsewhere] = "of a driver that is not here",
            [prove_left] = "not tried",
            [prove_young] = "too young",
            [prove_recent] = "proved before",
            [prove_refused] = "refused",
            [prove_failed] = "not compiled",
            [prove_open] = "not comparable",
            [prove_proved] = "proved",
            [prove_differed] = "differs"};
    return names[state];
}

size_t prove_count(const struct prove *p, enum prove_state state)
{
    size_t count = 0;
    for (size_t i = 0; i < p->count; i++)
        count += p->entries[i].state == state;
    return count;
}

bool prove_must_end(struct prove *p)
{
    const int signal = interrupts_take(p->pool.interrupts.fd);
    if (signal != 0) p->pool.interrupted = signal;
    p->is_interrupted = p->is_interrupted || p->pool.interrupted != 0;
    return p->is_interrupted || p->broken != exit_ok || p->lacks_means
           || tool_is_late(p->tool)
           || (p->most_ns > 0 && clock_ns() - p->began_ns >= p->most_ns)
           || (p->most_cpu_ns > 0 && p->spent_ns >= p->most_cpu_ns);
}

/* ---- The entries --------------------------------------------------------- */

static enum tool_exit load_entries(struct prove *p)
{
    const enum tool_exit code =
            catalog_load(&p->catalog, p->tool, catalog_keep_ids);
    if (code != exit_ok) return code;
    catalog_sort_by_name(&p->catalog);
    p->entries = calloc(p->catalog.count + 1, sizeof *p->entries);
    if (p->entries == NULL) return tool_no_memory(p->tool);
    for (size_t i = 0; i < p->catalog.count; i++) {
        const struct entry *entry = &p->catalog.entries[i];
        if (entry->is_working_set
                || entry->item.kind != dnnl_cache_blob_kind_program)
            continue;
        struct prove_entry *e = &p->entries[p->count++];
        *e = (struct prove_entry){.entry = entry, .state = prove_elsewhere};
        (void)driver_build_of(&e->build, entry->item.id_size, entry->item.id);
    }
    return exit_ok;
}

struct prove_entry *prove_find(
        struct prove *p, size_t id_size, const uint8_t *id)
{
    char name[catalog_name_size];
    size_t low = 0;
    size_t high = p->count;
    entry_name(name, id_size, id);
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (strcmp(p->entries[middle].entry->name, name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low < p->count && strcmp(p->entries[low].entry->name, name) == 0
                   ? &p->entries[low]
                   : NULL;
}

/* Entries of a driver that is here could have a record. */
static void note_device(struct prove *p, const struct replay_name *engine)
{
    struct driver_build here;
    if (!driver_build_of(&here, engine->size, engine->id)) return;
    for (size_t i = 0; i < p->count; i++)
        if (p->entries[i].state == prove_elsewhere
                && p->entries[i].build.build == here.build)
            p->entries[i].state = prove_no_record;
}

/* ---- A record ------------------------------------------------------------ */

/* *is_last: there is no device of that index. */
static enum tool_exit prove_device(struct prove *p,
        const struct dnnl_cache_store_journal_list *record, size_t index,
        bool *is_last)
{
    const struct refresh_policy policy = {
            .reads_files = p->tool->options->read_files, .is_record = true};
    const struct replay_patience how = {p->tool, p->pool.interrupts.fd};
    struct replay_names names;
    struct replay_list list;
    char folder[sizeof p->pool.folder + 32];
    enum tool_exit code = exit_ok;
    snprintf(folder, sizeof folder, "%s/names%zu", p->pool.folder, index);
    const int error = folder_make(file_here, folder, 0700, false);
    if (error != 0) {
        tool_error(p->tool, "%s: %s", folder, strerror(error));
        return exit_io;
    }
    const enum replay_naming naming = replay_names_make(&names, record, &policy,
            p->tool->options->device, index, folder, &how);
    *is_last = naming != replay_named;
    p->is_interrupted = p->is_interrupted || naming == replay_interrupted;
    if (naming == replay_not_named) {
        tool_error(p->tool, "the programs of the record cannot be named: the "
                            "driver failed");
        return exit_io;
    }
    if (naming != replay_named) return exit_ok;
    note_device(p, &names.engine);
    code = replay_list_make(&list, record, &names)
                   ? prove_list(p, &list.list, &policy)
                   : tool_no_memory(p->tool);
    replay_list_fini(&list);
    replay_names_fini(&names);
    return code;
}

static enum tool_exit prove_devices(
        struct prove *p, const struct dnnl_cache_store_journal_list *record)
{
    enum tool_exit code = exit_ok;
    bool is_last = false;
    for (size_t i = 0; code == exit_ok && !is_last && !prove_must_end(p); i++)
        code = prove_device(p, record, i, &is_last);
    return code;
}

static void hear(dnnl_cache_log_level_t level, const char *text, void *user)
{
    (void)level;
    tool_error(user, "%s", text);
}

/* The list of a record that is not there is empty: the devices are looked at
 * all the same. */
static enum tool_exit prove_record(struct prove *p, const char *path)
{
    const struct dnnl_cache_recording_options options = {
            .struct_size = sizeof options,
            .path = path,
            .read_only = true,
            .log = hear,
            .log_user = p->tool};
    const struct dnnl_cache_store_journal_list none = {
            .struct_size = sizeof none};
    dnnl_cache_store_handle_t *record = NULL;
    struct dnnl_cache_store_journal_list *list = NULL;
    if (path == NULL) return prove_devices(p, &none);
    if (dnnl_cache_recording_open(&record, &options) != dnnl_success)
        return exit_store;
    enum tool_exit code = exit_ok;
    if (dnnl_cache_store_journal_load(&list, record) == dnnl_success) {
        code = prove_devices(p, list);
    } else {
        tool_error(p->tool, "%s: cannot be read", path);
        code = exit_io;
    }
    dnnl_cache_store_journal_free(list);
    dnnl_cache_store_close(record);
    return code;
}

/* What waits in the journal may have an entry, which lacks something. */
static enum tool_exit prove_journal(struct prove *p)
{
    const struct refresh_policy policy = {
            .reads_files = p->tool->options->read_files};
    struct dnnl_cache_store_journal_list *list = NULL;
    if (place_is_remote(p->tool->options)
            || dnnl_cache_store_journal_load(&list, p->tool->store)
                       != dnnl_success)
        return exit_ok;
    const enum tool_exit code = prove_list(p, list, &policy);
    dnnl_cache_store_journal_free(list);
    return code;
}

/* ---- The store ----------------------------------------------------------- */

static enum tool_exit prove_all(struct prove *p)
{
    char beside[refresh_record_path_size];
    const char *path = p->record;
    if (path == NULL && refresh_record_path(beside, p->tool)
            && file_is_there(beside))
        path = beside;
    enum tool_exit code = prove_record(p, path);
    if (code == exit_ok && !prove_must_end(p)) code = prove_journal(p);
    return code;
}

/* Refresh need not look at drivers if nothing is old enough. */
static bool has_work(const struct prove *p)
{
    for (size_t i = 0; p->is_for_refresh && i < p->count; i++)
        if (prove_look_at(p, &p->entries[i]) == prove_left) return true;
    return !p->is_for_refresh && p->count > 0;
}

static enum tool_exit prove_with_workers(struct prove *p)
{
    const int error = refresh_pool_open(&p->pool, 1, p->tool->options->layer);
    if (error != 0) {
        if (!p->is_for_refresh)
            tool_error(p->tool,
                    "no folder for workers can be made (TMPDIR): %s",
                    strerror(error));
        return exit_io;
    }
    p->pool.is_quiet = p->is_for_refresh || p->tool->options->quiet;
    p->pool.is_shared = true; /* a worker for each entry */
    const enum tool_exit code = prove_all(p);
    refresh_pool_close(&p->pool);
    return code == exit_ok ? p->broken : code;
}

static uint64_t most_ns_of_run(struct tool *tool)
{
    static const uint64_t most_ns = UINT64_C(60) * 1000000000u;
    const uint64_t left_ns = prove_budget_left_ns(tool);
    return left_ns < most_ns ? left_ns : most_ns;
}

/* What no entry is to blame for: finding devices, naming programs. */
static void note_rest(struct prove *p)
{
    const uint64_t spent_ns = process_children_ns() - p->cpu_before_ns;
    prove_budget_spend(spent_ns - p->cpu_noted_ns);
}

/* Of two refreshes one proves: what it spends and what it finds is known to the
 * next, which looks at both anew. */
static enum tool_exit prove_alone(struct prove *p)
{
    const int held = prove_budget_hold();
    if (held == file_none) return exit_ok;
    enum tool_exit code = exit_ok;
    p->most_cpu_ns = most_ns_of_run(p->tool);
    prove_memory_close(&p->memory);
    prove_memory_open(&p->memory, p->tool);
    if (p->most_cpu_ns > 0 && has_work(p)) code = prove_with_workers(p);
    note_rest(p);
    prove_budget_let_go(held);
    return code;
}

enum tool_exit prove_store(struct prove *p)
{
    p->began_ns = clock_ns();
    p->cpu_before_ns = process_children_ns();
    enum tool_exit code = load_entries(p);
    if (code != exit_ok) return code;
    prove_memory_open(&p->memory, p->tool);
    if (has_work(p))
        code = p->is_for_refresh ? prove_alone(p) : prove_with_workers(p);
    prove_memory_close(&p->memory);
    p->spent_ns = process_children_ns() - p->cpu_before_ns;
    return code;
}

void prove_fini(struct prove *p)
{
    free(p->entries);
    catalog_fini(&p->catalog);
    p->entries = NULL;
    p->count = 0;
}

/* ---- In refresh ---------------------------------------------------------- */

void prove_within_budget(struct tool *tool)
{
    enum { niceness = 19 };
    struct prove p = {.tool = tool,
            .most_cpu_ns = most_ns_of_run(tool),
            .least_seconds = 86400,
            .may_remove = true,
            .is_for_refresh = true,
            .is_open_for_change = true};
    if (p.most_cpu_ns == 0) return;
    process_be_nice(0, niceness);
    (void)prove_store(&p);
    if (p.tried > 0)
        tool_warn(tool, "proved %zu, differed %zu",
                prove_count(&p, prove_proved), prove_count(&p, prove_differed));
    prove_fini(&p);
}
