/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dnnl_cache_bench: the rows of targets.h, as ratios measured in one run.
 */
#include "child.h"
#include "driver.h"
#include "failure.h"
#include "onednn_peer.h"
#include "row.h"

#include <stdio.h>

static const struct option options[] = {DRIVER_OPTIONS,
        {"platform", required_argument, NULL, driver_platform},
        {NULL, 0, NULL, 0}};

static const struct row *row_at(size_t index)
{
    return index < ROW_COUNT ? &rows[index] : NULL;
}

/* The library's messages beside ours, on standard error. */
static void log_line(dnnl_cache_log_level_t level, const char *text, void *user)
{
    (void)user;
    if (level != dnnl_cache_log_info)
        fprintf(stderr, "dnnl_cache_bench: %s\n", text);
}

static bool measure(void *bench, size_t row, struct result *result)
{
    return row_measure(bench, &rows[row], result);
}

static bool run(struct driver *driver)
{
    static struct bench bench;
    bench.platform = driver->platform;
    bench.repeat = driver->repeat;
    bench.dir = driver->folder;
    if (!environment_prepare(bench.dir)
            || !device_find(bench.platform, &bench.device))
        return false;
    row_set_targets(&bench.device);
    report_fact(&driver->report, "platform", bench.device.platform);
    report_fact(&driver->report, "device", bench.device.name);
    report_fact(&driver->report, "onednn", onednn_peer_version());
    driver_measure(driver, measure, &bench);
    bench_fini(&bench);
    return true;
}

int main(int argc, char **argv)
{
    struct driver driver = {
            .usage = "usage: dnnl_cache_bench [options]\n"
                     "\n"
                     "Measures this library against the driver alone and "
                     "against\n"
                     "oneDNN, in one run, and prints ratios beside their "
                     "targets.\n"
                     "\n",
            .own_help = "  --platform TEXT  the first device of a platform "
                        "whose name\n"
                        "                   contains TEXT (default: of any "
                        "platform)\n"
                        "  --repeat N       exactly N samples a row, instead "
                        "of as many\n"
                        "                   as it takes to tell\n",
            .options = options,
            .row = row_at,
            .most_repeat = 100000,
            .run = run,
    };
    char **arguments = process_arguments(argc, argv);
    dnnl_cache_set_log_callback(log_line, NULL);
    if (arguments != NULL) return child_main(arguments);
    return driver_main(&driver, argc, argv);
}
