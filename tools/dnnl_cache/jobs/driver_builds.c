/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/dnnl_cache/jobs/driver_builds.h"

#include "src/platform/clock.h"
#include "src/platform/environment.h"
#include "src/platform/file.h"
#include "src/platform/process.h"
#include "tools/dnnl_cache/jobs/refresh_driver.h"
#include "tools/dnnl_cache/jobs/refresh_id.h"
#include "tools/dnnl_cache/jobs/refresh_output.h"

#include <dnnl_cache.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

enum { most_platforms = 64, most_devices = 64 };

/* So many fit into a pipe that nobody reads yet. */
enum { most_builds = 2048 };

/* ---- What an ID says ----------------------------------------------------- */

static uint64_t hash_of(uint64_t before, const dnnl_cache_id_field_t *field)
{
    const uint64_t hash =
            XXH3_64bits_withSeed(field->value, field->size, before);
    return hash != 0 ? hash : 1;
}

/* Processes of 32 and of 64 bits have drivers of their own, and the others'
 * cannot be seen. */
static bool is_of_our_bits(size_t id_size, const uint8_t *id)
{
    enum { bits = 8 * sizeof(void *) };
    dnnl_cache_id_field_t field;
    size_t at = 0;
    return !refresh_id_find(&field, &at, id_size, id, "process_bits")
           || (field.size > 0 && *(const uint8_t *)field.value == bits);
}

bool driver_build_of(
        struct driver_build *build, size_t id_size, const uint8_t *id)
{
    static const char *const names[] = {
            "driver_version", "driver_build", "driver_components"};
    dnnl_cache_id_field_t field;
    size_t at = 0;
    bool is_named = false;
    *build = (struct driver_build){.platform = 0};
    if (!is_of_our_bits(id_size, id)) return false;
    if (refresh_id_find(&field, &at, id_size, id, "platform_name"))
        build->platform = hash_of(0, &field);
    build->build = build->platform;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        at = 0;
        if (!refresh_id_find(&field, &at, id_size, id, names[i])) continue;
        build->build = hash_of(build->build + i + 1, &field);
        is_named = true;
    }
    return is_named;
}

/* ---- In the process ------------------------------------------------------ */

/* To descriptor process_file. False: too many, or nobody reads. */
static bool tell(const struct driver_build *build, size_t *told)
{
    return (*told)++ < most_builds
           && file_write_all(process_file, build, sizeof *build) == 0;
}

static void find_of_device(struct driver_build *build, cl_device_id device)
{
    const uint64_t platform = build->platform;
    size_t size = 0;
    uint8_t *id = NULL;
    if (dnnl_ocl_interop_engine_get_cache_blob_id(device, &size, NULL)
                    == dnnl_success
            && size > 0)
        id = malloc(size);
    if (id == NULL
            || dnnl_ocl_interop_engine_get_cache_blob_id(device, &size, id)
                       != dnnl_success
            || !driver_build_of(build, size, id))
        *build = (struct driver_build){.platform = platform};
    free(id);
}

static bool tell_platform(cl_platform_id platform, size_t *told)
{
    char name[256] = "";
    cl_device_id devices[most_devices];
    cl_uint count = 0;
    if (clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof name, name, NULL)
            != CL_SUCCESS)
        return false;
    const dnnl_cache_id_field_t field = {
            .value = (const uint8_t *)name, .size = strlen(name)};
    const struct driver_build unknown = {.platform = hash_of(0, &field)};
    /* Its devices may be off. */
    if (clGetDeviceIDs(
                platform, CL_DEVICE_TYPE_ALL, most_devices, devices, &count)
            != CL_SUCCESS)
        count = 0;
    if (count == 0 || count > most_devices) return tell(&unknown, told);
    for (cl_uint i = 0; i < count; i++) {
        struct driver_build build = unknown;
        find_of_device(&build, devices[i]);
        if (!tell(&build, told)) return false;
    }
    return true;
}

static int run_child(void *unused)
{
    cl_platform_id platforms[most_platforms];
    cl_uint count = 0;
    size_t told = 0;
    (void)unused;
    environment_unset("OPENCL_LAYERS");
    if (!refresh_driver_set_path()) return EXIT_FAILURE;
    if (clGetPlatformIDs(most_platforms, platforms, &count) != CL_SUCCESS)
        count = 0;
    if (count > most_platforms) return EXIT_FAILURE;
    for (cl_uint i = 0; i < count; i++)
        if (!tell_platform(platforms[i], &told)) return EXIT_FAILURE;
    return EXIT_SUCCESS;
}

/* ---- What it found ------------------------------------------------------- */

static bool read_all(struct driver_builds *builds, int fd)
{
    const size_t capacity = most_builds * sizeof *builds->list;
    size_t size = 0;
    size_t got = 0;
    builds->list = malloc(capacity);
    if (builds->list == NULL) return false;
    do {
        size += got;
        if (file_read_some(
                    &got, fd, (char *)builds->list + size, capacity - size)
                != 0)
            return false;
    } while (got > 0 && size + got < capacity);
    size += got;
    builds->count = size / sizeof *builds->list;
    return size % sizeof *builds->list == 0;
}

/* It is killed if it takes a minute. */
static bool wait_for(struct process *process)
{
    static const uint64_t most_ns = UINT64_C(60) * 1000000000u;
    struct process_end end = {.code = -1};
    if (process_ended(process, &end, clock_ns() + most_ns))
        return end.code == EXIT_SUCCESS;
    process_kill(process);
    (void)process_ended(process, &end, UINT64_MAX);
    return false;
}

bool driver_builds_find(struct driver_builds *builds, bool is_quiet)
{
    struct process_plan plan = PROCESS_PLAN_NONE;
    struct refresh_output output;
    struct process process;
    int reading = file_none;
    *builds = (struct driver_builds){.list = NULL};
    if (file_pipe(&reading, &plan.file) != 0) return false;
    fflush(NULL);
    refresh_output_open(&output, is_quiet, "looking at drivers");
    plan.output = plan.error = output.to;
    plan.dies_with_parent = plan.leaves_no_core = true;
    const int error = process_start_copy(&process, &plan, run_child, NULL);
    refresh_output_leave(&output);
    (void)file_close(plan.file);
    const bool is_done =
            error == 0 && wait_for(&process) && read_all(builds, reading);
    refresh_output_finish(&output);
    (void)file_close(reading);
    if (!is_done) driver_builds_fini(builds);
    return is_done;
}

void driver_builds_fini(struct driver_builds *builds)
{
    free(builds->list);
    *builds = (struct driver_builds){.list = NULL};
}

bool driver_builds_have(
        const struct driver_builds *builds, const struct driver_build *build)
{
    for (size_t i = 0; i < builds->count; i++) {
        const struct driver_build *here = &builds->list[i];
        if (here->build == build->build
                || (here->build == 0 && here->platform == build->platform))
            return true;
    }
    return false;
}
