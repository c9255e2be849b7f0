/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/dnnl_cache/commands/stats.h"

#include "src/platform/file.h"
#include "tools/common/text/json.h"
#include "tools/dnnl_cache/base/state_place.h"
#include "tools/dnnl_cache/base/table.h"
#include "tools/dnnl_cache/commands/commands.h"

#include <dnnl_cache/remote_store.h>

#include <stdlib.h>
#include <string.h>

static void add(struct sum *sum, const struct dnnl_cache_store_entry *item)
{
    if (sum->entries == 0 || item->created_ns < sum->oldest_ns)
        sum->oldest_ns = item->created_ns;
    if (item->created_ns > sum->newest_ns) sum->newest_ns = item->created_ns;
    if (item->used_ns > sum->used_ns) sum->used_ns = item->used_ns;
    sum->entries++;
    sum->bytes += item->blob_size;
    sum->compile_ns += item->compile_ns;
}

static int compare_devices(const void *left, const void *right)
{
    const struct entry *a = left;
    const struct entry *b = right;
    if (a->is_working_set != b->is_working_set)
        return a->is_working_set ? 1 : -1;
    const int order = strcmp(a->device, b->device);
    return order != 0 ? order : strcmp(a->driver, b->driver);
}

size_t stats_sum_device(struct sum *sum, const struct report *report, size_t i)
{
    const struct catalog *catalog = &report->catalog;
    const struct entry *first = &catalog->entries[i];
    *sum = (struct sum){0};
    for (; i < report->device_entries; i++) {
        if (compare_devices(first, &catalog->entries[i]) != 0) break;
        add(sum, &catalog->entries[i].item);
    }
    return i;
}

/* A server of plain HTTP answers, and cannot say what it has. */
static bool visit_none(void *user, const struct dnnl_cache_store_entry *item)
{
    (void)user;
    (void)item;
    return false;
}

static bool cannot_list(struct tool *tool)
{
    if (!place_is_remote(tool->options) || tool->options->id_list != NULL)
        return false;
    tool->is_hushed = true; /* the report says it, or the next reading */
    const dnnl_status_t st =
            dnnl_cache_store_iterate(tool->store, visit_none, NULL);
    tool->is_hushed = false;
    tool->complaint[0] = '\0';
    return st == dnnl_unimplemented;
}

/* Without a list nothing was asked of the server yet. */
static enum tool_exit probe(struct tool *tool)
{
    static const uint8_t id[] = "dnnl-cache stats";
    bool is_there = false;
    return tool_check(tool, "stats",
            dnnl_cache_store_remote_has(tool->store, sizeof id, id, &is_there));
}

/* What was compiled ahead of applications. */
static struct ahead_totals read_ahead(const struct tool *tool)
{
    char path[state_place_size];
    struct ahead_totals totals = {.made = 0};
    const int folder =
            !place_is_remote(tool->options) && state_place_find(path, tool)
                    ? state_place_open(path, false)
                    : file_none;
    if (folder != file_none) totals = ahead_state_sum(folder);
    (void)file_close(folder);
    return totals;
}

static enum tool_exit gather(struct report *report, struct tool *tool)
{
    struct dnnl_cache_store_statistics statistics =
            DNNL_CACHE_STORE_STATISTICS_INIT;
    enum tool_exit code = tool_open(tool, tool_access_read);
    if (code == exit_ok) report->is_unlisted = cannot_list(tool);
    if (code == exit_ok && report->is_unlisted) code = probe(tool);
    if (code == exit_ok && !report->is_unlisted)
        code = catalog_load(&report->catalog, tool, catalog_keep_names);
    if (code != exit_ok) return code;
    (void)place_path(report->path, tool->options);
    (void)dnnl_cache_store_get_statistics(tool->store, &statistics);
    report->disk_bytes = statistics.bytes;
    report->totals.struct_size = sizeof report->totals;
    (void)dnnl_cache_store_get_totals(tool->store, &report->totals);
    report->proofs = prove_memory_read_totals(tool);
    failed_builds_count(&report->failed, tool);
    report->ahead = read_ahead(tool);
    for (size_t i = 0; i < report->catalog.count; i++) {
        const struct entry *e = &report->catalog.entries[i];
        const size_t kind = (size_t)e->item.kind;
        add(&report->all, &e->item);
        add(&report->by_kind[e->is_working_set   ? blob_kinds
                             : kind < blob_kinds ? kind
                                                 : 0],
                &e->item);
        report->device_entries += !e->is_working_set;
    }
    if (report->catalog.count > 1)
        qsort(report->catalog.entries, report->catalog.count,
                sizeof *report->catalog.entries, compare_devices);
    return exit_ok;
}

/* 0 of a store with entries is no size. */
bool stats_know_disk_bytes(const struct report *report)
{
    return report->disk_bytes != 0 || report->all.entries == 0;
}

const char *stats_kind_name(int kind)
{
    return kind == blob_kinds ? working_set_kind_name
                              : kind_name((dnnl_cache_blob_kind_t)kind);
}

static const char *const policies[] = {
        [dnnl_cache_store_policy_default] = "default",
        [dnnl_cache_store_policy_fifo] = "fifo",
        [dnnl_cache_store_policy_lru] = "lru",
        [dnnl_cache_store_policy_cost] = "cost",
        [dnnl_cache_store_policy_none] = "none"};

/* ---- Text ---------------------------------------------------------------- */

static void add_capacity(
        struct table *table, const struct dnnl_cache_store_totals *totals)
{
    if (totals->capacity_bytes != 0)
        table_add_size(table, totals->capacity_bytes);
    else
        table_add(table, "unknown (its applications decide)");
}

static void add_totals(
        struct table *table, const struct dnnl_cache_store_totals *totals)
{
    const struct {
        const char *name;
        uint64_t count;
    } counts[] = {
            {"hits", totals->hits},
            {"misses", totals->misses},
            {"puts", totals->puts},
            {"evictions", totals->evictions},
            {"refused puts", totals->refused},
    };
    if (totals->capacity_bytes != 0) {
        table_add(table, "policy");
        table_add(table, policies[totals->policy]);
    }
    if (totals->since_ns == 0) return; /* nothing is recorded */
    table_add(table, "counted since");
    table_add_time(table, totals->since_ns);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        table_add(table, counts[i].name);
        table_add_number(table, counts[i].count);
    }
}

static enum tool_exit write_summary(
        const struct report *report, struct tool *tool)
{
    struct table table;
    table_init_plain(&table, 2);
    table_add(&table, "store");
    table_add(&table, report->path);
    table_add(&table, "type");
    table_add(&table, tool->type);
    table_add(&table, "entries");
    if (report->is_unlisted) {
        table_add(&table, "unknown (name them with --id-list FILE)");
        const enum tool_exit code = table_write(&table, tool);
        table_fini(&table);
        return code;
    }
    table_add_number(&table, report->all.entries);
    table_add(&table, "blobs");
    table_add_size(&table, report->all.bytes);
    table_add(&table, "on disk");
    if (stats_know_disk_bytes(report))
        table_add_size(&table, report->disk_bytes);
    else
        table_add(&table, "not recorded");
    table_add(&table, "capacity");
    add_capacity(&table, &report->totals);
    table_add(&table, "compile time kept");
    table_add_duration(&table, report->all.compile_ns);
    table_add(&table, "oldest");
    table_add_time(&table, report->all.oldest_ns);
    table_add(&table, "newest");
    table_add_time(&table, report->all.newest_ns);
    table_add(&table, "last use noted");
    table_add_time(&table, report->all.used_ns);
    add_totals(&table, &report->totals);
    if (report->proofs.proved + report->proofs.differed > 0) {
        table_add(&table, "proved");
        table_add_number(&table, report->proofs.proved);
        table_add(&table, "differed");
        table_add_number(&table, report->proofs.differed);
    }
    if (report->failed.kept + report->failed.seen > 0) {
        table_add(&table, "failed builds");
        table_add_number(&table, report->failed.kept);
        table_add(&table, "failed once");
        table_add_number(&table, report->failed.seen);
    }
    if (report->ahead.made > 0) {
        table_add(&table, "compiled ahead");
        table_add_number(&table, report->ahead.made);
        table_add(&table, "made for nothing");
        table_add_number(&table, report->ahead.unused);
    }
    const enum tool_exit code = table_write(&table, tool);
    table_fini(&table);
    return code;
}

static void add_sum(struct table *table, const struct sum *sum)
{
    table_add_number(table, sum->entries);
    table_add_size(table, sum->bytes);
    table_add_duration(table, sum->compile_ns);
}

static enum tool_exit write_kinds(
        const struct report *report, struct tool *tool)
{
    static const char *const headers[] = {
            ">entries", ">blobs", ">compile time", "kind"};
    struct table table;
    table_init(&table, 4, headers);
    for (int kind = 0; kind < kinds; kind++) {
        if (report->by_kind[kind].entries == 0) continue;
        add_sum(&table, &report->by_kind[kind]);
        table_add(&table, stats_kind_name(kind));
    }
    fputc('\n', tool->out);
    const enum tool_exit code = table_write(&table, tool);
    table_fini(&table);
    return code;
}

static enum tool_exit write_devices(
        const struct report *report, struct tool *tool)
{
    static const char *const headers[] = {
            ">entries", ">blobs", ">compile time", "driver", "device"};
    const struct catalog *catalog = &report->catalog;
    struct table table;
    struct sum sum;
    table_init(&table, 5, headers);
    for (size_t i = 0; i < report->device_entries;) {
        const struct entry *e = &catalog->entries[i];
        i = stats_sum_device(&sum, report, i);
        add_sum(&table, &sum);
        table_add(&table, e->driver[0] != '\0' ? e->driver : "-");
        table_add(&table, e->device[0] != '\0' ? e->device : "-");
    }
    fputc('\n', tool->out);
    const enum tool_exit code = table_write(&table, tool);
    table_fini(&table);
    return code;
}

/* ---- JSON ---------------------------------------------------------------- */

static void write_json_sum(struct json *json, const struct sum *sum)
{
    json_number(json, "entries", sum->entries);
    json_number(json, "blob_bytes", sum->bytes);
    json_number(json, "compile_ns", sum->compile_ns);
    json_time(json, "oldest", sum->oldest_ns);
    json_time(json, "newest", sum->newest_ns);
    json_time(json, "used", sum->used_ns);
}

static void write_json_totals(
        struct json *json, const struct dnnl_cache_store_totals *totals)
{
    if (totals->capacity_bytes != 0) {
        json_number(json, "capacity_bytes", totals->capacity_bytes);
        json_text(json, "policy", policies[totals->policy]);
    } else {
        json_null(json, "capacity_bytes");
        json_null(json, "policy");
    }
    if (totals->since_ns == 0) {
        json_null(json, "totals");
        return;
    }
    json_begin_object(json, "totals");
    json_time(json, "since", totals->since_ns);
    json_number(json, "hits", totals->hits);
    json_number(json, "misses", totals->misses);
    json_number(json, "puts", totals->puts);
    json_number(json, "evictions", totals->evictions);
    json_number(json, "refused", totals->refused);
    json_end_object(json);
}

static void write_json(const struct report *report, struct tool *tool)
{
    const struct catalog *catalog = &report->catalog;
    struct json json;
    struct sum sum;
    tool_json_begin(&json, tool, "stats");
    json_text(&json, "store", report->path);
    json_text(&json, "type", tool->type);
    if (report->is_unlisted)
        json_null(&json, "entries");
    else
        write_json_sum(&json, &report->all);
    if (stats_know_disk_bytes(report) && !report->is_unlisted)
        json_number(&json, "disk_bytes", report->disk_bytes);
    else
        json_null(&json, "disk_bytes");
    write_json_totals(&json, &report->totals);
    json_number(&json, "proved", report->proofs.proved);
    json_number(&json, "differed", report->proofs.differed);
    json_number(&json, "failed_builds", report->failed.kept);
    json_number(&json, "failed_once", report->failed.seen);
    json_number(&json, "failed_bytes", report->failed.bytes);
    json_number(&json, "ahead_made", report->ahead.made);
    json_number(&json, "ahead_unused", report->ahead.unused);
    json_number(&json, "ahead_stopped", report->ahead.stopped);
    json_begin_array(&json, "kinds");
    for (int kind = 0; kind < kinds; kind++) {
        if (report->by_kind[kind].entries == 0) continue;
        json_begin_object(&json, NULL);
        json_text(&json, "kind", stats_kind_name(kind));
        write_json_sum(&json, &report->by_kind[kind]);
        json_end_object(&json);
    }
    json_end_array(&json);
    json_begin_array(&json, "devices");
    for (size_t i = 0; i < report->device_entries;) {
        const struct entry *e = &catalog->entries[i];
        i = stats_sum_device(&sum, report, i);
        json_begin_object(&json, NULL);
        json_text(&json, "device", e->device);
        json_text(&json, "driver", e->driver);
        write_json_sum(&json, &sum);
        json_end_object(&json);
    }
    json_end_array(&json);
    json_end_object(&json);
}

static enum tool_exit check_options(struct tool *tool)
{
    if (!tool->options->json || !tool->options->prometheus) return exit_ok;
    tool_error(tool, "stats: --json or --prometheus, not both");
    return exit_usage;
}

/* The store stays open. */
static enum tool_exit reset(struct tool *tool)
{
    const enum tool_exit code = tool_open(tool, tool_access_change);
    if (code != exit_ok) return code;
    return tool_check(
            tool, "stats --reset", dnnl_cache_store_reset_totals(tool->store));
}

static int run_stats(struct tool *tool)
{
    struct report *report = calloc(1, sizeof *report);
    if (report == NULL) return (int)tool_no_memory(tool);
    enum tool_exit code = check_options(tool);
    if (code == exit_ok && tool->options->reset) code = reset(tool);
    if (code == exit_ok) code = gather(report, tool);
    if (code == exit_ok && tool->options->json) {
        write_json(report, tool);
    } else if (code == exit_ok && tool->options->prometheus) {
        stats_write_prometheus(report, tool);
    } else if (code == exit_ok) {
        code = write_summary(report, tool);
        if (code == exit_ok && report->catalog.count > 0)
            code = write_kinds(report, tool);
        if (code == exit_ok && report->device_entries > 0)
            code = write_devices(report, tool);
    }
    if (code == exit_ok) code = tool_report_damage(tool, code);
    catalog_fini(&report->catalog);
    free(report);
    return (int)code;
}

static const char stats_help[] =
        "Sizes are those of the blobs. \"on disk\" is the size that the "
        "store\nrecords and compares with its limit. The capacity is the one "
        "that an\napplication last used the store with. Hits, misses, puts, "
        "evictions\nand refused puts are those of all processes since "
        "--reset; --reset\nchanges nothing else in the store. --prometheus is "
        "for exporters of\ntext files.\n";

const struct command command_stats = {.name = "stats",
        .arguments = "",
        .purpose = "Show what the store holds, by kind and by device",
        .details = stats_help,
        .options = "reset prometheus id-list",
        .takes_url = true,
        .run = run_stats};
