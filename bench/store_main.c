/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dnnl_cache_store_bench: the sample stores against each other and against
 * plain files; with --scale, with more and more entries; with --copy, with the
 * entries of a store.
 */
#include "disk_format.h"
#include "driver.h"
#include "failure.h"
#include "scale.h"
#include "scale_blob.h"
#include "store_copy.h"
#include "store_rows.h"

#include <stdio.h>
#include <string.h>

enum { option_scale = driver_own, option_entries, option_stores, option_copy };

static const struct option options[] = {DRIVER_OPTIONS,
        {"copy", required_argument, NULL, option_copy},
        {"scale", no_argument, NULL, option_scale},
        {"entries", required_argument, NULL, option_entries},
        {"stores", required_argument, NULL, option_stores}, {NULL, 0, NULL, 0}};

static struct scale_options scale;
static bool is_scale;
static const char *copied; /* --copy's, or NULL */
static bool only_scale;    /* an option that only --scale has was given */

static bool take_entries(const char *list)
{
    scale.entries_count = 0;
    for (;;) {
        const size_t length = strcspn(list, ",");
        long number;
        if (!driver_number(list, length, scale_entries_least,
                    scale_entries_most, &number))
            return false;
        if (scale.entries_count == scale_points_most
                || (scale.entries_count > 0
                        && number <= scale.entries[scale.entries_count - 1])) {
            fprintf(stderr,
                    "dnnl_cache_store_bench: --entries takes at most %d "
                    "numbers, each above the one before\n",
                    scale_points_most);
            return false;
        }
        scale.entries[scale.entries_count++] = (unsigned)number;
        if (list[length] == '\0') return true;
        list += length + 1;
    }
}

static bool take_stores(const char *list)
{
    scale.kind_count = 0;
    for (;;) {
        const size_t length = strcspn(list, ",");
        const struct store_kind *kind = store_kind_find(list, length);
        if (kind == NULL || scale.kind_count == store_kind_count) {
            fprintf(stderr,
                    "dnnl_cache_store_bench: no store %.*s, or too many\n",
                    (int)length, list);
            return false;
        }
        scale.kinds[scale.kind_count++] = kind;
        if (list[length] == '\0') return true;
        list += length + 1;
    }
}

static bool take(int option, char *value)
{
    if (option == option_copy) {
        copied = value;
        return true;
    }
    is_scale |= option == option_scale;
    only_scale |= option != option_scale;
    if (option == option_entries) return take_entries(value);
    return option != option_stores || take_stores(value);
}

/* --entries and --stores are --scale's, --rows is neither its nor --copy's. */
static bool check(const struct driver *driver)
{
    if (copied != NULL) return !is_scale && !only_scale && driver->rows == NULL;
    return is_scale ? driver->rows == NULL : !only_scale;
}

static const struct row *row_at(size_t index)
{
    return index < store_row_count ? &store_rows[index].row : NULL;
}

static bool measure(void *bench, size_t row, struct result *result)
{
    return store_row_measure(bench, &store_rows[row], result);
}

static bool run(struct driver *driver)
{
    struct store_bench *bench = NULL;
    report_fact(&driver->report, "file_system", disk_format_of(driver->folder));
    if (is_scale) {
        if (driver->repeat > 0) scale.repeat = driver->repeat;
        scale_measure(&driver->report, &scale, driver->folder);
        return true;
    }
    if (copied != NULL)
        return store_copy_measure(
                &driver->report, copied, driver->folder, driver->repeat);
    if (!store_bench_open(&bench, driver->folder, driver->repeat)) return false;
    driver_measure(driver, measure, bench);
    store_bench_close(bench);
    return true;
}

int main(int argc, char **argv)
{
    struct driver driver = {
            .usage = "usage: dnnl_cache_store_bench [options]\n"
                     "       dnnl_cache_store_bench --scale [options]\n"
                     "       dnnl_cache_store_bench --copy STORE [options]\n"
                     "\n"
                     "Measures the sample stores in a folder of TMPDIR and "
                     "prints\n"
                     "ratios beside their targets. With --scale: get of 90 "
                     "KB, and put\n"
                     "of 2 KB that evicts, with more and more entries, over "
                     "plain\n"
                     "files and over the fewest entries. With --copy: the "
                     "entries of\n"
                     "STORE in a store of each type, files, bytes and "
                     "times, over\n"
                     "plain files. Progress goes to standard error.\n"
                     "\n",
            .own_help = "  --repeat N       exactly N samples a row, instead "
                        "of as many\n"
                        "                   as it takes to tell; with --scale "
                        "N of each\n"
                        "                   side (1001), and more of stores "
                        "that evict\n"
                        "                   in batches\n"
                        "  --entries N,...  with --scale: numbers of entries, "
                        "400 to\n"
                        "                   1000000 (1000,3000,10000,30000,"
                        "100000, which\n"
                        "                   needs 6 GB of disk); all are "
                        "compared with\n"
                        "                   the first\n"
                        "  --stores S,...   with --scale: of bucket,tree,flat,"
                        "pack (all)\n",
            .options = options,
            .take = take,
            .check = check,
            .row = row_at,
            .most_repeat = 100000,
            .run = run,
    };
    scale = scale_options_default();
    return driver_main(&driver, argc, argv);
}
