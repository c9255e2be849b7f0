/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a fresh process measures for dnnl_cache_layer_bench: an application that
 * knows OpenCL and nothing of any cache. Whether the layer is there is decided
 * by the environment it is started with.
 */
#ifndef BENCH_LAYER_TASK_H
#define BENCH_LAYER_TASK_H

#include <stdbool.h>

enum layer_task {
    /* Nothing but finding the device: is the layer there? */
    layer_task_start,
    /* Programs from source, until there is a kernel {first: the first one of
     * the process, run: its first run, next: another one}. */
    layer_task_build,
    /* One call, after a program was built {by enum layer_call}. */
    layer_task_calls,
    /* Thirty programs from source, all of which are built before there are
     * kernels of three {until there are, likewise with their first runs}. */
    layer_task_many
};

enum layer_build { layer_build_first, layer_build_run, layer_build_next };
enum layer_many { layer_many_kernels, layer_many_runs };

/* Pairs of calls count as one: what is retained is released. The first ones the
 * layer has nothing to do with; the others it looks at, of objects that it
 * leaves to the driver. */
enum layer_call {
    layer_call_set_argument,
    layer_call_device_info,
    layer_call_retain_memory,
    layer_call_kernel_info,
    layer_call_program_info,
    layer_call_retain_kernel,
    layer_call_retain_program
};

enum { LAYER_VALUES = layer_call_retain_program + 1 };

/* The task on the first device of a platform whose name holds the text in any
 * case of letters (NULL: any); values are nanoseconds. False: failure.h. */
bool layer_task_run(enum layer_task task, const char *platform,
        double values[LAYER_VALUES]);

#endif /* BENCH_LAYER_TASK_H */
