/* SPDX-License-Identifier: Apache-2.0 */
#include "layer_process.h"

#include "scratch.h"

#include <stdio.h>
#include <stdlib.h>

/* Arguments of a process: task, platform (empty: any). */
enum { ARG_TASK, ARG_PLATFORM };

/* A process, and the folder that its driver's cache is in. */
struct start {
    const struct layer_process *process;
    const char *folder;
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
    const struct layer_process *process = ((const struct start *)user)->process;
    const char *folder = ((const struct start *)user)->folder;
    const bool on = process->driver_cache != NULL;
    setenv("POCL_CACHE_DIR", folder, 1);
    setenv("POCL_KERNEL_CACHE", on ? "1" : "0", 1);
    setenv("CUDA_CACHE_PATH", folder, 1);
    setenv("CUDA_CACHE_DISABLE", on ? "0" : "1", 1);
    setenv("MESA_SHADER_CACHE_DIR", folder, 1);
    setenv("MESA_SHADER_CACHE_DISABLE", on ? "false" : "true", 1);
    setenv("NEO_CACHE_DIR", folder, 1);
    setenv("NEO_CACHE_PERSISTENT", on ? "1" : "0", 1);
    set_or_unset("OPENCL_LAYERS", process->layer);
    set_or_unset("DNNL_CACHE_DIR", process->store);
    set_or_unset("DNNL_CACHE_STATS", process->statistics);
    /* Warm starts find everything. */
    setenv("DNNL_CACHE_HARVEST_SECONDS_AT_EXIT", "unlimited", 1);
}

bool layer_process_run(const struct layer_process *process,
        enum layer_task task, double values[LAYER_VALUES])
{
    char folder[4096], number[12];
    snprintf(number, sizeof number, "%d", (int)task);
    const char *const arguments[] = {
            number, process->platform != NULL ? process->platform : "", NULL};
    if (process->driver_cache == NULL && !scratch_create(folder, sizeof folder))
        return false;
    const struct start start = {process,
            process->driver_cache != NULL ? process->driver_cache : folder};
    const bool done = process_run(
            arguments, set_environment, &start, values, LAYER_VALUES);
    if (process->driver_cache == NULL) scratch_remove(folder);
    return done;
}

int layer_process_main(char **argv)
{
    double values[LAYER_VALUES] = {0};
    const char *platform = argv[ARG_PLATFORM];
    return process_answer(
            layer_task_run((enum layer_task)atoi(argv[ARG_TASK]),
                    platform[0] != '\0' ? platform : NULL, values),
            values, LAYER_VALUES);
}
