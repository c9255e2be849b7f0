/* SPDX-License-Identifier: Apache-2.0 */
#include "report.h"

#include "json.h"
#include "onednn_peer.h"

#include <stdio.h>
#include <string.h>

bool entry_is_met(const struct entry *entry)
{
    return entry->result.measured && entry->result.ratio <= entry->row->target;
}

/* ---- For people ---------------------------------------------------------- */

void report_head(const struct bench *bench)
{
    printf("library   dnnl_cache %s, git %s\n", dnnl_cache_version(),
            dnnl_version()->hash);
    printf("platform  %s\n", bench->device.platform);
    printf("device    %s\n", bench->device.name);
    printf("oneDNN    %s\n\n", onednn_peer_version());
    printf("%-26s %9s %9s  %-6s %14s %14s %-4s %8s\n", "row", "ratio", "target",
            "", "ours", "reference", "unit", "samples");
    fflush(stdout);
}

void report_entry(const struct entry *entry)
{
    const struct row *row = entry->row;
    const struct result *r = &entry->result;
    if (r->measured)
        printf("%-26s %9.4f %9.4f  %-6s %14.1f %14.1f %-4s %8zu\n", row->name,
                r->ratio, row->target, entry_is_met(entry) ? "met" : "MISSED",
                r->ours, r->reference, row->unit, r->samples);
    else
        printf("%-26s NOT MEASURED: %s\n", row->name, r->reason);
    fflush(stdout);
}

/* ---- For programs -------------------------------------------------------- */

static void put_numbers(FILE *file, const struct entry *entry)
{
    const struct result *r = &entry->result;
    if (r->measured) {
        fprintf(file, "\"ours\": %.1f, \"reference\": %.1f, ", r->ours,
                r->reference);
        fprintf(file, "\"ratio\": %.6g, ", r->ratio);
    } else {
        fprintf(file, "\"ours\": null, \"reference\": null, ");
        fprintf(file, "\"ratio\": null, ");
        json_put_text(file, "reason", r->reason);
        fprintf(file, ", ");
    }
    fprintf(file, "\"target\": %g, \"met\": %s, \"samples\": %zu,\n   ",
            entry->row->target, entry_is_met(entry) ? "true" : "false",
            r->samples);
}

static void put_entry(
        FILE *file, const struct bench *bench, const struct entry *entry)
{
    fprintf(file, "  {");
    json_put_text(file, "row", entry->row->name);
    fprintf(file, ", ");
    json_put_text(file, "unit", entry->row->unit);
    fprintf(file, ", ");
    put_numbers(file, entry);
    json_put_text(file, "what", entry->row->what);
    fprintf(file, ",\n   ");
    json_put_text(file, "platform", bench->device.platform);
    fprintf(file, ", ");
    json_put_text(file, "device", bench->device.name);
    fprintf(file, ",\n   ");
    json_put_text(file, "library", dnnl_cache_version());
    fprintf(file, ", ");
    json_put_text(file, "git", dnnl_version()->hash);
    fprintf(file, ", ");
    json_put_text(file, "onednn", onednn_peer_version());
    fprintf(file, "}");
}

struct all {
    const struct bench *bench;
    const struct entry *entries;
};

static void put_one(FILE *file, size_t index, const void *user)
{
    const struct all *all = user;
    put_entry(file, all->bench, &all->entries[index]);
}

bool report_json(const char *path, const struct bench *bench,
        const struct entry *entries, size_t count)
{
    const struct all all = {bench, entries};
    return json_write_list(path, count, put_one, &all);
}
