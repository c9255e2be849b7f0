/* SPDX-License-Identifier: Apache-2.0 */
#include "layer_process.h"

#include "driver_cache.h"
#include "failure.h"
#include "scratch.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

/* Arguments of a process: task, platform (empty: any). */
enum { ARG_TASK, ARG_PLATFORM };

/* A process, and the folder that its driver's cache is in. */
struct start {
    const struct layer_process *process;
    const char *folder;
    const char *nvidia; /* NVIDIA's: with what a context needs, or all */
};

static void set_or_unset(const char *name, const char *value)
{
    if (value != NULL)
        setenv(name, value, 1);
    else
        unsetenv(name);
}

/* Between fork and exec. */
static void set_environment(const void *user)
{
    const struct start *start = user;
    const struct layer_process *process = start->process;
    const char *folder = start->folder;
    const bool on = process->driver_cache != NULL;
    setenv("POCL_CACHE_DIR", folder, 1);
    setenv("POCL_KERNEL_CACHE", on ? "1" : "0", 1);
    (void)driver_cache_use(start->nvidia);
    setenv("MESA_SHADER_CACHE_DIR", folder, 1);
    setenv("MESA_SHADER_CACHE_DISABLE", on ? "false" : "true", 1);
    setenv("NEO_CACHE_DIR", folder, 1);
    setenv("NEO_CACHE_PERSISTENT", on ? "1" : "0", 1);
    set_or_unset("OPENCL_LAYERS", process->layer);
    set_or_unset("DNNL_CACHE_DIR", process->store);
    set_or_unset("DNNL_CACHE_STATS", process->statistics);
    set_or_unset("DNNL_CACHE_LAZY", process->is_eager ? "0" : NULL);
    /* Warm starts find everything. */
    setenv("DNNL_CACHE_CAPTURE_SECONDS_AT_EXIT", "unlimited", 1);
}

static char primed[PATH_MAX];
/* Where the layer reports if the process names no file. */
static char unread_statistics[PATH_MAX];

bool layer_process_prime(const char *folder, const char *platform)
{
    (void)snprintf(primed, sizeof primed, "%s/primed", folder);
    (void)snprintf(unread_statistics, sizeof unread_statistics,
            "%s/unread_statistics", folder);
    return driver_cache_prime(primed, platform);
}

/* A process that the loader started without its layer is not what is measured:
 * the layer reports at exit whenever it was there. */
static bool had_its_layer(const struct layer_process *process)
{
    struct stat st;
    if (process->layer == NULL
            || (stat(process->statistics, &st) == 0 && st.st_size > 0))
        return true;
    failure_set("%s: the OpenCL loader does not load this layer: not measured",
            process->layer);
    return false;
}

bool layer_process_run(const struct layer_process *asked, enum layer_task task,
        double values[LAYER_VALUES])
{
    struct layer_process reporting = *asked;
    const struct layer_process *const process = &reporting;
    char folder[PATH_MAX], nvidia[PATH_MAX + 8], number[12];
    snprintf(number, sizeof number, "%d", (int)task);
    const char *const arguments[] = {
            number, process->platform != NULL ? process->platform : "", NULL};
    const char *own = process->driver_cache;
    if (reporting.layer != NULL && reporting.statistics == NULL)
        reporting.statistics = unread_statistics;
    if (reporting.statistics != NULL) remove(reporting.statistics);
    if (own == NULL) {
        if (!scratch_create(folder, sizeof folder)) return false;
        (void)snprintf(nvidia, sizeof nvidia, "%s/nvidia", folder);
    }
    const struct start start = {
            process, own != NULL ? own : folder, own != NULL ? own : nvidia};
    const bool done = (own != NULL || driver_cache_copy(nvidia, primed))
                      && process_run(arguments, set_environment, &start, values,
                              LAYER_VALUES)
                      && had_its_layer(process);
    if (own == NULL) scratch_remove(folder);
    return done;
}

int layer_process_main(char **argv)
{
    if (driver_cache_is_child(argv)) return driver_cache_main(argv);
    double values[LAYER_VALUES] = {0};
    const char *platform = argv[ARG_PLATFORM];
    return process_answer(
            layer_task_run((enum layer_task)atoi(argv[ARG_TASK]),
                    platform[0] != '\0' ? platform : NULL, values),
            values, LAYER_VALUES);
}
