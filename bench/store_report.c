/* SPDX-License-Identifier: Apache-2.0 */
#include "store_report.h"

#include "dnnl_cache.h"
#include "json.h"

#include <stdio.h>
#include <string.h>
#include <sys/vfs.h>

#include <linux/magic.h>

bool store_line_is_met(const struct store_line *line)
{
    return line->result.measured && line->result.ratio <= line->target;
}

/* ---- For people ---------------------------------------------------------- */

void store_report_head(void)
{
    printf("%-26s %13s %13s %8s %8s %8s\n", "row", "ours", "reference", "ratio",
            "target", "samples");
    fflush(stdout);
}

void store_report_line(const struct store_line *line)
{
    const struct result *r = &line->result;
    if (r->measured)
        printf("%-26s %10.1f us %10.1f us %8.3f %8g %8zu %s\n", line->row,
                r->ours / 1e3, r->reference / 1e3, r->ratio, line->target,
                r->samples, store_line_is_met(line) ? "" : "missed");
    else
        printf("%-26s not measured: %s\n", line->row, r->reason);
    fflush(stdout);
}

/* ---- For programs -------------------------------------------------------- */

/* Times of stores are times of file systems. */
static const char *file_system_of(const char *folder)
{
    static const struct {
        long type;
        const char *name;
    } known[] = {
            {BTRFS_SUPER_MAGIC, "btrfs"},
            {EXT4_SUPER_MAGIC, "ext4"},
            {NFS_SUPER_MAGIC, "nfs"},
            {OVERLAYFS_SUPER_MAGIC, "overlayfs"},
            {TMPFS_MAGIC, "tmpfs"},
            {XFS_SUPER_MAGIC, "xfs"},
    };
    struct statfs fs;
    if (statfs(folder, &fs) != 0) return "unknown";
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (known[i].type == (long)fs.f_type) return known[i].name;
    return "another";
}

/* No text of ours needs escaping. */

static void put_numbers(FILE *file, const struct store_line *line)
{
    const struct result *r = &line->result;
    if (r->measured)
        fprintf(file, "\"ours\": %.1f, \"reference\": %.1f, \"ratio\": %.6g, ",
                r->ours, r->reference, r->ratio);
    else
        fprintf(file, "\"ours\": null, \"reference\": null, \"ratio\": null, ");
    fprintf(file, "\"target\": %g, \"met\": %s, \"samples\": %zu,\n   ",
            line->target, store_line_is_met(line) ? "true" : "false",
            r->samples);
}

static void put_line(
        FILE *file, const struct store_line *line, const char *file_system)
{
    fprintf(file, "  {");
    json_put_text(file, "row", line->row);
    fprintf(file, ", ");
    json_put_text(file, "unit", "ns");
    fprintf(file, ", ");
    put_numbers(file, line);
    json_put_text(file, "what", line->what);
    fprintf(file, ", ");
    fprintf(file, "\n   ");
    if (line->store != NULL) {
        json_put_text(file, "store", line->store);
        fprintf(file, ", ");
        json_put_text(file, "operation", line->operation);
        fprintf(file, ", ");
        json_put_text(file, "versus", line->versus);
        fprintf(file, ", ");
        fprintf(file, "\"entries\": %u, \"base\": %u,\n   ", line->entries,
                line->base);
    }
    json_put_text(file, "file_system", file_system);
    fprintf(file, ", ");
    json_put_text(file, "library", dnnl_cache_version());
    fprintf(file, ", ");
    fprintf(file, "\"git\": \"%s\"}", dnnl_version()->hash);
}

struct all {
    const struct store_line *lines;
    const char *file_system;
};

static void put_one(FILE *file, size_t index, const void *user)
{
    const struct all *all = user;
    put_line(file, &all->lines[index], all->file_system);
}

bool store_report_json(const char *path, const struct store_line *lines,
        size_t count, const char *folder)
{
    const struct all all = {lines, file_system_of(folder)};
    return json_write_list(path, count, put_one, &all);
}
