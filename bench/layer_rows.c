/* SPDX-License-Identifier: Apache-2.0 */
#include "layer_rows.h"

#include "failure.h"
#include "layer_process.h"
#include "scratch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* One side of a comparison: processes, and which of their values counts. */
struct runs {
    struct layer_process process;
    enum layer_task task;
    int value;
    const char *fresh_store; /* emptied before each process; NULL: none is */
};

static bool measure_run(void *arg, double *value)
{
    struct runs *runs = arg;
    double values[LAYER_VALUES];
    if (runs->fresh_store != NULL) {
        scratch_remove(runs->fresh_store);
        if (mkdir(runs->fresh_store, 0700) != 0) {
            failure_set("%s cannot be made", runs->fresh_store);
            return false;
        }
    }
    if (!layer_process_run(&runs->process, runs->task, values)) return false;
    *value = values[runs->value];
    return true;
}

/* Fills the layer's store and the driver's cache, each by two processes: the
 * second one finds what the first one left, and may leave more. */
static bool prime(struct layer_bench *bench)
{
    double values[LAYER_VALUES];
    const struct layer_process under_layer = {.platform = bench->platform,
            .layer = bench->layer,
            .store = bench->store};
    const struct layer_process alone = {
            .platform = bench->platform, .driver_cache = bench->driver};
    if (bench->primed) return true;
    snprintf(bench->store, sizeof bench->store, "%s/store", bench->folder);
    snprintf(bench->driver, sizeof bench->driver, "%s/driver", bench->folder);
    if (mkdir(bench->store, 0700) != 0 || mkdir(bench->driver, 0700) != 0) {
        failure_set("no folder can be made in %s", bench->folder);
        return false;
    }
    for (int i = 0; i < 2; i++)
        if (!layer_process_run(&under_layer, layer_task_build, values)
                || !layer_process_run(&alone, layer_task_build, values))
            return false;
    bench->primed = true;
    return true;
}

/* ---- Hits ---------------------------------------------------------------- */

static bool measure_hit(struct layer_bench *bench, const struct layer_row *row,
        struct result *result)
{
    if (!prime(bench)) return false;
    struct runs ours = {{.platform = bench->platform,
                                .layer = bench->layer,
                                .store = bench->store},
            layer_task_build, row->value, NULL};
    struct runs reference = {
            {.platform = bench->platform, .driver_cache = bench->driver},
            layer_task_build, row->value, NULL};
    return measure_pairs((struct side){measure_run, &ours},
            (struct side){measure_run, &reference},
            effort_of(bench->repeat, 15, 61), row->row.target, row->row.name,
            result);
}

/* Thirty programs, three of which are used: the entries are loaded when they
 * must be, or all at once. */
static bool measure_many(struct layer_bench *bench, const struct layer_row *row,
        struct result *result)
{
    char store[4200];
    double values[LAYER_VALUES];
    (void)snprintf(store, sizeof store, "%s/many", bench->folder);
    const struct layer_process lazy = {
            .platform = bench->platform, .layer = bench->layer, .store = store};
    struct runs ours = {lazy, layer_task_many, row->value, NULL};
    struct runs reference = ours;
    reference.process.is_eager = true;
    if (mkdir(store, 0700) != 0) {
        failure_set("no folder can be made in %s", bench->folder);
        return false;
    }
    /* Stored, and loaded at once. */
    for (int i = 0; i < 2; i++)
        if (!layer_process_run(&lazy, layer_task_many, values)) return false;
    return measure_pairs((struct side){measure_run, &ours},
            (struct side){measure_run, &reference},
            effort_of(bench->repeat, 15, 61), row->row.target, row->row.name,
            result);
}

/* ---- Misses -------------------------------------------------------------- */

static bool measure_miss(struct layer_bench *bench, const struct layer_row *row,
        struct result *result)
{
    char store[4200];
    snprintf(store, sizeof store, "%s/cold", bench->folder);
    struct runs ours = {{.platform = bench->platform,
                                .layer = bench->layer,
                                .store = store},
            layer_task_build, row->value, store};
    struct runs reference = {
            {.platform = bench->platform}, layer_task_build, row->value, NULL};
    return measure_pairs((struct side){measure_run, &ours},
            (struct side){measure_run, &reference},
            effort_of(bench->repeat, 15, 101), row->row.target, row->row.name,
            result);
}

/* A number of the line that the layer writes at exit. */
static bool read_statistic(const char *path, const char *name, double *value)
{
    char line[8192] = "", key[64];
    FILE *file = fopen(path, "r");
    const char *at = NULL;
    if (file != NULL && fgets(line, sizeof line, file) != NULL) {
        snprintf(key, sizeof key, "\"%s\":", name);
        at = strstr(line, key);
    }
    if (file != NULL) fclose(file);
    if (at == NULL) {
        failure_set("the layer does not tell its %s", name);
        return false;
    }
    *value = strtod(at + strlen(key), NULL);
    return true;
}

/* By the layer's own clock, which no noise of the compiler hides: the part of
 * it on the application's path. */
static bool measure_part(struct layer_bench *bench, const struct layer_row *row,
        struct result *result)
{
    const char *const ours_name =
            row->value == 0 ? "overhead_ns" : "capture_ns";
    char store[4200], statistics[4200];
    snprintf(store, sizeof store, "%s/cold", bench->folder);
    snprintf(statistics, sizeof statistics, "%s/statistics", bench->folder);
    struct runs runs = {{.platform = bench->platform,
                                .layer = bench->layer,
                                .store = store,
                                .statistics = statistics},
            layer_task_build, 0, store};
    double ours[LAYER_MAX_REPEAT], reference[LAYER_MAX_REPEAT], unused;
    const size_t count = effort_of(bench->repeat, 9, 9).least;
    for (size_t i = 0; i < count; i++) {
        progress(row->row.name, i, count);
        if (!measure_run(&runs, &unused)
                || !read_statistic(statistics, ours_name, &ours[i])
                || !read_statistic(statistics, "compile_ns", &reference[i]))
            return false;
    }
    progress_end();
    set_result(result, median(ours, count), median(reference, count));
    result->samples = count;
    return true;
}

/* ---- Calls --------------------------------------------------------------- */

/* What the layer adds to a call, over 50 ns. */
static bool measure_call(struct layer_bench *bench, const struct layer_row *row,
        struct result *result)
{
    enum { LIMIT_NS = 50 };
    double more[LAYER_MAX_REPEAT], with = 0, without = 0;
    const size_t count = effort_of(bench->repeat, 9, 9).least;
    if (!prime(bench)) return false;
    struct runs ours = {{.platform = bench->platform,
                                .layer = bench->layer,
                                .store = bench->store},
            layer_task_calls, row->value, NULL};
    struct runs reference = {
            {.platform = bench->platform, .driver_cache = bench->driver},
            layer_task_calls, row->value, NULL};
    for (size_t i = 0; i < count; i++) {
        progress(row->row.name, i, count);
        if (!measure_run(&ours, &with) || !measure_run(&reference, &without))
            return false;
        more[i] = with - without;
    }
    progress_end();
    set_result(result, median(more, count), LIMIT_NS);
    result->samples = count;
    return true;
}

/* ---- The rows ------------------------------------------------------------ */

struct layer_row layer_rows[LAYER_ROW_COUNT] = {
        {{"hit", 0.2, "ns",
                 "first program of a process, until there is a kernel: from "
                 "the layer's store / from the driver's own cache"},
                measure_hit, layer_build_first},
        {{"hit_next", 0.2, "ns",
                 "the same for another program of that process"},
                measure_hit, layer_build_next},
        {{"hit_run", 0, "ns", "first run of the first program, likewise"},
                measure_hit, layer_build_run},
        {{"hit_many", 0.5, "ns",
                 "thirty programs, until there are kernels of three: hits "
                 "loaded when they must be / at once"},
                measure_many, layer_many_kernels},
        {{"miss", 1.02, "ns",
                 "first program of a process, compiled: under the layer / "
                 "without it"},
                measure_miss, layer_build_first},
        {{"miss_next", 1.02, "ns",
                 "the same for another program of that process"},
                measure_miss, layer_build_next},
        {{"miss_part", 0.02, "ns",
                 "the layer's part of both compilations / the driver's, by the "
                 "layer's clock"},
                measure_part, 0},
        {{"capture", 0, "ns",
                 "asking for the binaries, off the application's path / the "
                 "compilations"},
                measure_part, 1},
        {{"call_set_argument", 1, "ns", "clSetKernelArg, more time / 50 ns"},
                measure_call, layer_call_set_argument},
        {{"call_device_info", 1, "ns", "clGetDeviceInfo, more time / 50 ns"},
                measure_call, layer_call_device_info},
        {{"call_retain_memory", 1, "ns",
                 "clRetainMemObject and its release, more time / 50 ns"},
                measure_call, layer_call_retain_memory},
        {{"watched_kernel_info", 0, "ns",
                 "clGetKernelInfo of a kernel the layer has no part in, more "
                 "time / 50 ns"},
                measure_call, layer_call_kernel_info},
        {{"watched_program_info", 0, "ns",
                 "clGetProgramInfo of such a program, more time / 50 ns"},
                measure_call, layer_call_program_info},
        {{"watched_retain", 0, "ns",
                 "clRetainProgram and clReleaseProgram of it, more time / 50 "
                 "ns"},
                measure_call, layer_call_retain_program},
};

void layer_rows_set_targets(const char *platform)
{
    /* NVIDIA's own cache holds machine code, as our entries do. */
    if (strstr(platform, "NVIDIA") == NULL) return;
    for (size_t i = 0; i < LAYER_ROW_COUNT; i++)
        if (strcmp(layer_rows[i].row.name, "hit") == 0)
            layer_rows[i].row.target = 0.8;
}
