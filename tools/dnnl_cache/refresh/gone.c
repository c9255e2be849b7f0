/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/dnnl_cache/refresh/gone.h"

#include "src/common/array.h"
#include "src/platform/clock.h"
#include "src/platform/file.h"
#include "tools/common/id/fields.h"
#include "tools/dnnl_cache/base/place.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const uint64_t second_ns = 1000000000u;

/* 2010: what was used before was used with a clock that was not set. */
static const uint64_t least_ns = UINT64_C(1262304000) * 1000000000u;

/* ---- May it be judged? --------------------------------------------------- */

static void say(struct gone *gone, const char *why)
{
    snprintf(gone->why_not, sizeof gone->why_not, "%s", why);
}

static void say_days(struct gone *gone, const char *what, uint64_t seconds)
{
    snprintf(gone->why_not, sizeof gone->why_not,
            "%s for %" PRIu64 " days alone", what, seconds / 86400);
}

/* Of the store itself. */
static void look_at_store(struct gone *gone, struct tool *tool,
        uint64_t unused_seconds, uint64_t now_ns)
{
    struct dnnl_cache_store_totals totals = DNNL_CACHE_STORE_TOTALS_INIT;
    char path[place_path_size];
    if (place_is_remote(tool->options)) {
        say(gone, "it is on a server, which others use");
        return;
    }
    if (tool->options->shared) {
        say(gone, "other users may use it (--shared)");
        return;
    }
    if (!place_path(path, tool->options)
            || !file_may_be_written(file_here, path)) {
        say(gone, "it is read-only");
        return;
    }
    if (dnnl_cache_store_get_totals(tool->store, &totals) != dnnl_success
            || totals.users_since_ns == 0) {
        say(gone, "it is not noted who uses it");
        return;
    }
    const uint64_t noted_seconds =
            now_ns > totals.users_since_ns
                    ? (now_ns - totals.users_since_ns) / second_ns
                    : 0;
    if (totals.other_users > 0)
        say(gone, "another machine, another system or image of this one, or a "
                  "container uses it, which may have these drivers");
    else if (totals.capacity_bytes == 0
             || (totals.policy != dnnl_cache_store_policy_lru
                     && totals.policy != dnnl_cache_store_policy_cost))
        say(gone,
                "it is not noted when entries are used: its applications have "
                "no capacity, or a policy other than lru and cost");
    else if (noted_seconds < unused_seconds)
        say_days(gone, "who uses it has been noted", noted_seconds);
}

/* ---- Entries ------------------------------------------------------------- */

struct search {
    struct gone *gone;
    const struct driver_builds *here;
    uint64_t unused_ns, now_ns;
    bool out_of_memory;
};

/* NULL: no memory. */
static struct gone_driver *find_driver(struct gone *gone,
        const struct driver_build *build,
        const struct dnnl_cache_store_entry *item)
{
    for (size_t i = 0; i < gone->driver_count; i++)
        if (gone->drivers[i].build.build == build->build)
            return &gone->drivers[i];
    if (!array_grow(&gone->drivers, gone->driver_count, sizeof *gone->drivers))
        return NULL;
    struct gone_driver *driver = &gone->drivers[gone->driver_count++];
    *driver = (struct gone_driver){.build = *build,
            .platform =
                    fields_get_text(item->id_size, item->id, "platform_name"),
            .version =
                    fields_get_text(item->id_size, item->id, "driver_version"),
            .object = fields_get_text(item->id_size, item->id, "driver_build")};
    return driver->platform != NULL && driver->version != NULL
                           && driver->object != NULL
                   ? driver
                   : NULL;
}

static bool add_entry(struct gone *gone,
        const struct dnnl_cache_store_entry *item, uint64_t bytes)
{
    uint8_t *id = malloc(item->id_size);
    if (id == NULL
            || !array_grow(
                    &gone->entries, gone->entry_count, sizeof *gone->entries)) {
        free(id);
        return false;
    }
    memcpy(id, item->id, item->id_size);
    gone->entries[gone->entry_count++] =
            (struct gone_entry){.id_size = item->id_size,
                    .id = id,
                    .bytes = bytes,
                    .used_ns = item->used_ns};
    return true;
}

/* A time that is ahead counts as now. */
static bool is_unused(const struct search *s, uint64_t used_ns)
{
    return used_ns >= least_ns && used_ns <= s->now_ns
           && s->now_ns - used_ns >= s->unused_ns;
}

static bool look_at(void *user, const struct dnnl_cache_store_entry *item)
{
    struct search *s = user;
    struct driver_build build;
    if (!driver_build_of(&build, item->id_size, item->id)
            || driver_builds_have(s->here, &build))
        return true;
    const uint64_t bytes = item->blob_size + item->id_size;
    struct gone_driver *driver = find_driver(s->gone, &build, item);
    s->out_of_memory = driver == NULL;
    if (s->out_of_memory) return false;
    driver->entries++;
    driver->bytes += bytes;
    if (item->used_ns > driver->used_ns) driver->used_ns = item->used_ns;
    if (s->gone->why_not[0] != '\0' || !is_unused(s, item->used_ns))
        return true;
    driver->gone_entries++;
    driver->gone_bytes += bytes;
    s->out_of_memory = !add_entry(s->gone, item, bytes);
    return !s->out_of_memory;
}

/* The eldest first, as they are to go. */
static int compare_uses(const void *left, const void *right)
{
    const uint64_t a = ((const struct gone_entry *)left)->used_ns;
    const uint64_t b = ((const struct gone_entry *)right)->used_ns;
    return (a > b) - (a < b);
}

static int compare_drivers(const void *left, const void *right)
{
    const uint64_t a = ((const struct gone_driver *)left)->used_ns;
    const uint64_t b = ((const struct gone_driver *)right)->used_ns;
    return (a > b) - (a < b);
}

enum tool_exit gone_judge(
        struct gone *gone, struct tool *tool, uint64_t unused_seconds)
{
    struct driver_builds here;
    const uint64_t now_ns = clock_epoch_ns();
    struct search s = {.gone = gone,
            .here = &here,
            .unused_ns = unused_seconds > UINT64_MAX / second_ns
                                 ? UINT64_MAX
                                 : unused_seconds * second_ns,
            .now_ns = now_ns};
    *gone = (struct gone){.why_not = ""};
    look_at_store(gone, tool, unused_seconds, now_ns);
    if (!driver_builds_find(&here, tool->options->quiet)) {
        if (gone->why_not[0] == '\0')
            say(gone, "the drivers of this machine cannot be looked at");
        return exit_ok;
    }
    if (here.count == 0 && gone->why_not[0] == '\0')
        say(gone, "no OpenCL driver is to be seen from here");
    enum tool_exit code = tool_check(
            tool, "list", dnnl_cache_store_iterate(tool->store, look_at, &s));
    driver_builds_fini(&here);
    if (code == exit_ok && s.out_of_memory) code = tool_no_memory(tool);
    if (gone->entry_count > 1)
        qsort(gone->entries, gone->entry_count, sizeof *gone->entries,
                compare_uses);
    if (gone->driver_count > 1)
        qsort(gone->drivers, gone->driver_count, sizeof *gone->drivers,
                compare_drivers);
    return code;
}

void gone_fini(struct gone *gone)
{
    for (size_t i = 0; i < gone->driver_count; i++) {
        free(gone->drivers[i].platform);
        free(gone->drivers[i].version);
        free(gone->drivers[i].object);
    }
    for (size_t i = 0; i < gone->entry_count; i++)
        free(gone->entries[i].id);
    free(gone->drivers);
    free(gone->entries);
    *gone = (struct gone){.why_not = ""};
}

/* ---- Room ---------------------------------------------------------------- */

static void date_back(struct tool *tool)
{
    struct gone gone;
    if (gone_judge(&gone, tool, GONE_USUAL_SECONDS) == exit_ok)
        for (size_t i = 0; i < gone.entry_count; i++)
            (void)dnnl_cache_store_evict_first(tool->store,
                    gone.entries[i].id_size, gone.entries[i].id,
                    gone.entries[i].used_ns);
    gone_fini(&gone);
}

static bool add_bytes(void *user, const struct dnnl_cache_store_entry *item)
{
    *(uint64_t *)user += item->blob_size + item->id_size;
    return true;
}

/* What the store takes, and what it may take. False: not known. */
static bool measure(struct tool *tool, uint64_t *bytes, uint64_t *capacity)
{
    struct dnnl_cache_store_statistics statistics =
            DNNL_CACHE_STORE_STATISTICS_INIT;
    struct dnnl_cache_store_totals totals = DNNL_CACHE_STORE_TOTALS_INIT;
    if (place_is_remote(tool->options)
            || dnnl_cache_store_get_totals(tool->store, &totals) != dnnl_success
            || dnnl_cache_store_get_statistics(tool->store, &statistics)
                       != dnnl_success)
        return false;
    *bytes = statistics.bytes;
    *capacity = totals.capacity_bytes;
    if (*capacity == 0) return false;
    /* It is not recorded, until the next put counts. */
    return *bytes > 0
           || dnnl_cache_store_iterate(tool->store, add_bytes, bytes)
                      == dnnl_success;
}

static void make_way(struct tool *tool, uint64_t bytes, unsigned share)
{
    uint64_t present, capacity;
    if (tool->has_made_way || !measure(tool, &present, &capacity)) return;
    const uint64_t most = share > 0 ? capacity - capacity / share : capacity;
    if (present <= most && bytes <= most - present) return;
    tool->has_made_way = true;
    date_back(tool);
}

void gone_make_way(struct tool *tool, uint64_t bytes)
{
    make_way(tool, bytes, 0);
}

void gone_make_way_early(struct tool *tool)
{
    enum { quarter = 4 };
    make_way(tool, 0, quarter);
}
