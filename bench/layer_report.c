/* SPDX-License-Identifier: Apache-2.0 */
#include "layer_report.h"

#include "json.h"

#include <stdio.h>
#include <string.h>

/* ---- For people ---------------------------------------------------------- */

void layer_report_head(const struct device *device)
{
    printf("library   dnnl_cache %s, git %s\n", dnnl_cache_version(),
            dnnl_version()->hash);
    printf("platform  %s\n", device->platform);
    printf("device    %s\n\n", device->name);
    printf("%-22s %9s %7s  %-6s %13s %13s %8s\n", "row", "ratio", "target", "",
            "ours ns", "reference ns", "samples");
    fflush(stdout);
}

void layer_report_entry(const struct layer_entry *entry)
{
    const struct layer_row *row = entry->row;
    const struct result *r = &entry->result;
    char target[16] = "";
    if (row->target > 0) snprintf(target, sizeof target, "%g", row->target);
    if (r->measured)
        printf("%-22s %9.4f %7s  %-6s %13.1f %13.1f %8zu\n", row->name,
                r->ratio, target,
                row->target <= 0            ? "told"
                : layer_entry_is_met(entry) ? "met"
                                            : "MISSED",
                r->ours, r->reference, r->samples);
    else
        printf("%-22s NOT MEASURED: %s\n", row->name, r->reason);
    fflush(stdout);
}

/* ---- For programs -------------------------------------------------------- */

static void put_numbers(FILE *file, const struct layer_entry *entry)
{
    const struct result *r = &entry->result;
    if (r->measured) {
        fprintf(file, "\"ours\": %.1f, \"reference\": %.1f, \"ratio\": %.6g, ",
                r->ours, r->reference, r->ratio);
    } else {
        fprintf(file, "\"ours\": null, \"reference\": null, \"ratio\": null, ");
        json_put_text(file, "reason", r->reason);
        fprintf(file, ", ");
    }
    if (entry->row->target > 0)
        fprintf(file, "\"target\": %g, ", entry->row->target);
    else
        fprintf(file, "\"target\": null, ");
    fprintf(file, "\"met\": %s, \"samples\": %zu,\n   ",
            layer_entry_is_met(entry) ? "true" : "false", r->samples);
}

static void put_entry(FILE *file, const struct device *device,
        const struct layer_entry *entry)
{
    fprintf(file, "  {");
    json_put_text(file, "row", entry->row->name);
    fprintf(file, ", \"unit\": \"ns\", ");
    put_numbers(file, entry);
    json_put_text(file, "what", entry->row->what);
    fprintf(file, ",\n   ");
    json_put_text(file, "platform", device->platform);
    fprintf(file, ", ");
    json_put_text(file, "device", device->name);
    fprintf(file, ",\n   ");
    json_put_text(file, "library", dnnl_cache_version());
    fprintf(file, ", ");
    json_put_text(file, "git", dnnl_version()->hash);
    fprintf(file, "}");
}

struct all {
    const struct device *device;
    const struct layer_entry *entries;
};

static void put_one(FILE *file, size_t index, const void *user)
{
    const struct all *all = user;
    put_entry(file, all->device, &all->entries[index]);
}

bool layer_report_json(const char *path, const struct device *device,
        const struct layer_entry *entries, size_t count)
{
    const struct all all = {device, entries};
    return json_write_list(path, count, put_one, &all);
}
