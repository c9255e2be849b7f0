/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stats --prometheus, in the exposition format 0.0.4. Counters are those that
 * the store records of all processes; they begin anew with --reset.
 */
#include "tools/common/text/text.h"
#include "tools/dnnl_cache/commands/stats.h"

#include <inttypes.h>
#include <string.h>

struct page {
    FILE *out;
    const struct report *report;
    const char *type; /* of the store */
};

struct label {
    const char *name; /* NULL: none */
    const char *value;
};

static void begin(const struct page *page, const char *name, const char *help)
{
    const size_t length = strlen(name);
    const bool is_counter =
            length > 6 && strcmp(name + length - 6, "_total") == 0;
    fprintf(page->out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name,
            is_counter ? "counter" : "gauge");
}

/* Bytes that are no UTF-8 become "?". */
static void write_label(FILE *out, const char *name, const char *value)
{
    const uint8_t *at = (const uint8_t *)value;
    size_t left = strlen(value);
    fprintf(out, "%s=\"", name);
    while (left > 0) {
        uint32_t code = 0;
        const size_t length = text_character(&code, at, left);
        const size_t taken = length > 0 ? length : 1;
        if (length == 0)
            fputc('?', out);
        else if (code == '\n')
            fputs("\\n", out);
        else
            fprintf(out, "%s%.*s", code == '"' || code == '\\' ? "\\" : "",
                    (int)length, (const char *)at);
        at += taken;
        left -= taken;
    }
    fputc('"', out);
}

static void begin_sample(const struct page *page, const char *name,
        struct label first, struct label second)
{
    fprintf(page->out, "%s{", name);
    write_label(page->out, "place", page->report->path);
    fputc(',', page->out);
    write_label(page->out, "type", page->type);
    if (first.name != NULL) fputc(',', page->out);
    if (first.name != NULL) write_label(page->out, first.name, first.value);
    if (second.name != NULL) fputc(',', page->out);
    if (second.name != NULL) write_label(page->out, second.name, second.value);
    fputs("} ", page->out);
}

static void number(const struct page *page, const char *name,
        struct label first, struct label second, uint64_t value)
{
    begin_sample(page, name, first, second);
    fprintf(page->out, "%" PRIu64 "\n", value);
}

static void seconds(const struct page *page, const char *name,
        struct label first, struct label second, uint64_t ns)
{
    enum { per_second = 1000000000 };
    begin_sample(page, name, first, second);
    fprintf(page->out, "%" PRIu64 ".%09" PRIu64 "\n", ns / per_second,
            ns % per_second);
}

static const struct label none = {NULL, NULL};

static void alone(const struct page *page, const char *name, uint64_t value,
        const char *help)
{
    begin(page, name, help);
    number(page, name, none, none, value);
}

static void moment(const struct page *page, const char *name, uint64_t ns,
        const char *help)
{
    begin(page, name, help);
    seconds(page, name, none, none, ns);
}

/* ---- What there is ------------------------------------------------------- */

enum what { entries, bytes, compile_time };

static const char *const by_kind[] = {[entries] = "dnnl_cache_place_entries",
        [bytes] = "dnnl_cache_place_blob_bytes",
        [compile_time] = "dnnl_cache_place_compile_seconds"};
static const char *const by_device[] = {
        [entries] = "dnnl_cache_place_device_entries",
        [bytes] = "dnnl_cache_place_device_blob_bytes",
        [compile_time] = "dnnl_cache_place_device_compile_seconds"};
static const char *const helps[] = {[entries] = "Entries that are kept.",
        [bytes] = "Bytes of their blobs.",
        [compile_time] = "Time that compiling them took."};

static void write_sum(const struct page *page, enum what what,
        const char *const names[], struct label first, struct label second,
        const struct sum *sum)
{
    if (what == compile_time)
        seconds(page, names[what], first, second, sum->compile_ns);
    else
        number(page, names[what], first, second,
                what == entries ? sum->entries : sum->bytes);
}

static void write_kinds(const struct page *page, enum what what)
{
    begin(page, by_kind[what], helps[what]);
    for (int kind = 0; kind < kinds; kind++) {
        const struct label label = {"kind", stats_kind_name(kind)};
        write_sum(
                page, what, by_kind, label, none, &page->report->by_kind[kind]);
    }
}

static void write_devices(const struct page *page, enum what what)
{
    const struct catalog *catalog = &page->report->catalog;
    begin(page, by_device[what], helps[what]);
    for (size_t i = 0; i < page->report->device_entries;) {
        const struct entry *e = &catalog->entries[i];
        struct sum sum;
        const struct label device = {"device", e->device};
        const struct label driver = {"driver", e->driver};
        i = stats_sum_device(&sum, page->report, i);
        write_sum(page, what, by_device, device, driver, &sum);
    }
}

static void write_entries(const struct page *page)
{
    for (int what = entries; what <= compile_time; what++) {
        write_kinds(page, (enum what)what);
        if (page->report->device_entries > 0)
            write_devices(page, (enum what)what);
    }
    if (page->report->all.entries > 0)
        moment(page, "dnnl_cache_place_last_use_timestamp_seconds",
                page->report->all.used_ns, "Last use that was noted.");
    if (stats_know_disk_bytes(page->report))
        alone(page, "dnnl_cache_place_disk_bytes", page->report->disk_bytes,
                "Size that the store records and compares with its limit.");
}

/* ---- What was done with it ----------------------------------------------- */

static void write_totals(const struct page *page)
{
    const struct dnnl_cache_store_totals *t = &page->report->totals;
    if (t->capacity_bytes != 0)
        alone(page, "dnnl_cache_place_capacity_bytes", t->capacity_bytes,
                "Limit that an application last used the store with.");
    if (t->since_ns == 0) return; /* nothing is recorded */
    moment(page, "dnnl_cache_place_counted_since_timestamp_seconds",
            t->since_ns, "When counting began.");
    alone(page, "dnnl_cache_place_hits_total", t->hits,
            "Gets of all processes that found a blob.");
    alone(page, "dnnl_cache_place_misses_total", t->misses,
            "Gets of all processes that found none.");
    alone(page, "dnnl_cache_place_puts_total", t->puts,
            "Blobs that processes stored.");
    alone(page, "dnnl_cache_place_evictions_total", t->evictions,
            "Entries removed to make room.");
    alone(page, "dnnl_cache_place_refused_total", t->refused,
            "Puts that were not kept.");
}

void stats_write_prometheus(const struct report *report, struct tool *tool)
{
    const struct page page = {tool->out, report, tool->type};
    alone(&page, "dnnl_cache_place_is_listed", !report->is_unlisted,
            "0: a server that cannot say what it has.");
    if (!report->is_unlisted) write_entries(&page);
    write_totals(&page);
    alone(&page, "dnnl_cache_place_proved_total", report->proofs.proved,
            "Entries that were compiled again and are the same.");
    alone(&page, "dnnl_cache_place_differed_total", report->proofs.differed,
            "Entries that were compiled again and are not the same.");
}
