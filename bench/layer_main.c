/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dnnl_cache_layer_bench: what the OpenCL layer saves an application that knows
 * nothing of it, and what it costs.
 */
#include "device.h"
#include "driver.h"
#include "layer_process.h"
#include "layer_rows.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

enum { option_layer = driver_own };

static const struct option options[] = {DRIVER_OPTIONS,
        {"platform", required_argument, NULL, driver_platform},
        {"layer", required_argument, NULL, option_layer}, {NULL, 0, NULL, 0}};

static struct layer_bench bench = {.layer = LAYER};

/* There is one. */
static bool take(int option, char *value)
{
    (void)option;
    bench.layer = value;
    return true;
}

static const struct row *row_at(size_t index)
{
    return index < LAYER_ROW_COUNT ? &layer_rows[index].row : NULL;
}

static bool measure(void *user, size_t row, struct result *result)
{
    return layer_rows[row].measure(user, &layer_rows[row], result);
}

/* Before minutes of measuring, of which no row would have a result. */
static bool has_layer(const struct layer_bench *of)
{
    double unused[LAYER_VALUES];
    char store[PATH_MAX];
    const struct layer_process process = {
            .platform = of->platform, .layer = of->layer, .store = store};
    (void)snprintf(store, sizeof store, "%s/start", of->folder);
    return layer_process_run(&process, layer_task_start, unused);
}

static bool run(struct driver *driver)
{
    static struct device device;
    unsetenv("OPENCL_LAYERS");
    if (!device_find(driver->platform, &device)) return false;
    layer_rows_set_targets(device.platform);
    report_fact(&driver->report, "platform", device.platform);
    report_fact(&driver->report, "device", device.name);
    bench.platform = driver->platform;
    bench.repeat = driver->repeat;
    bench.folder = driver->folder;
    if (!layer_process_prime(bench.folder, bench.platform)
            || !has_layer(&bench))
        return false;
    driver_measure(driver, measure, &bench);
    return true;
}

int main(int argc, char **argv)
{
    struct driver driver = {
            .usage = "usage: dnnl_cache_layer_bench [options]\n"
                     "\n"
                     "Measures the OpenCL layer in processes of its own, "
                     "alternating\n"
                     "with ones that run without it, and prints ratios beside "
                     "their\n"
                     "targets. Progress goes to standard error.\n"
                     "\n",
            .own_help = "  --platform TEXT  a part of the platform's name "
                        "(any)\n"
                        "  --layer FILE     the layer (that of the build); if "
                        "the OpenCL loader\n"
                        "                   does not load it, nothing is "
                        "measured\n"
                        "  --repeat N       so many samples of each row, at "
                        "most 101\n",
            .options = options,
            .take = take,
            .row = row_at,
            .most_repeat = LAYER_MAX_REPEAT,
            .run = run,
    };
    char **arguments = process_arguments(argc, argv);
    if (arguments != NULL) return layer_process_main(arguments);
    return driver_main(&driver, argc, argv);
}
