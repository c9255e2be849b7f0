/* SPDX-License-Identifier: Apache-2.0 */
#include "world.h"

#include "answers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { most_platforms = 16, name_size = 256 };

/* PoCL (3.1) dies of linking what failed to compile or is of several devices,
 * of a device that is NULL, of building what is wrong for a part of a device,
 * and of building a second time what was linked or loaded. What is not defined
 * is told in a log with the messages of all programs before. Intel's driver for
 * CPUs (2026.22) dies of being asked for the kernels of what is not linked, and
 * of compiling for a device that the context does not have, and does not know a
 * program any more that was released before its kernels; the fake one does the
 * first of these where it is told to. NVIDIA's (580) dies of linking
 * what is no object. rusticl (22.3) waits for ever for a program that is linked
 * with itself.
 */
static void note_habits(struct world *world, const char *platform)
{
    const bool is_intel = strcmp(platform, "Intel(R) OpenCL") == 0;
    world->is_frail = strcmp(platform, "Portable Computing Language") == 0;
    world->dies_of_unlinked_kernels =
            is_intel || getenv("FAKE_OPENCL_INTEL_CPU") != NULL;
    world->dies_of_blind_links = strcmp(platform, "NVIDIA CUDA") == 0;
    world->dies_of_strangers = is_intel;
    world->is_intel = is_intel;
    world->is_rusticl = strcmp(platform, "rusticl") == 0;
    world->calls_back_late = getenv("FAKE_OPENCL_CALLBACK_LATER") != NULL;
}

static bool find_platform(struct world *world, const char *wanted)
{
    cl_platform_id platforms[most_platforms];
    cl_uint count = 0;
    if (clGetPlatformIDs(most_platforms, platforms, &count) != CL_SUCCESS)
        return false;
    for (cl_uint i = 0; i < count && i < most_platforms; i++) {
        char name[name_size] = "";
        char vendor[name_size] = "";
        (void)clGetPlatformInfo(
                platforms[i], CL_PLATFORM_NAME, sizeof name, name, NULL);
        (void)clGetPlatformInfo(
                platforms[i], CL_PLATFORM_VENDOR, sizeof vendor, vendor, NULL);
        if (strstr(name, wanted) == NULL) continue;
        world->platform = platforms[i];
        note_habits(world, name);
        world->has_exact_binaries = strcmp(vendor, "Nobody") == 0;
        const char *il = getenv("FAKE_OPENCL_IL_VERSION");
        world->has_il =
                world->has_exact_binaries && il != NULL && il[0] != '\0';
        return true;
    }
    return false;
}

static bool place_open(
        struct place *place, cl_uint count, const cl_device_id *devices)
{
    place->count = count;
    memcpy(place->devices, devices, count * sizeof *devices);
    place->context = clCreateContext(NULL, count, devices, NULL, NULL, NULL);
    for (cl_uint i = 0; place->context != NULL && i < count; i++) {
        place->queues[i] = clCreateCommandQueueWithProperties(
                place->context, devices[i], NULL, NULL);
        if (place->queues[i] == NULL) return false;
    }
    return place->context != NULL;
}

static void place_close(struct place *place)
{
    for (cl_uint i = 0; i < place->count; i++)
        if (place->queues[i] != NULL) clReleaseCommandQueue(place->queues[i]);
    if (place->context != NULL) clReleaseContext(place->context);
}

/* Two parts of a device; else parts stays empty. */
static cl_uint make_parts(cl_device_id device, cl_device_id parts[2])
{
    cl_uint units = 0;
    (void)clGetDeviceInfo(
            device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL);
    const cl_device_partition_property halves[] = {
            CL_DEVICE_PARTITION_EQUALLY, (cl_device_partition_property)1, 0};
    if (units != 2
            || clCreateSubDevices(device, halves, 2, parts, NULL) != CL_SUCCESS)
        return 0;
    return 2;
}

bool world_open(struct world *world, const char *platform)
{
    cl_device_id devices[world_devices + 1] = {NULL};
    cl_device_id parts[2] = {NULL};
    cl_uint count = 0;
    memset(world, 0, sizeof *world);
    if (!find_platform(world, platform)
            || clGetDeviceIDs(world->platform, CL_DEVICE_TYPE_ALL,
                       world_devices + 1, devices, &count)
                       != CL_SUCCESS)
        return false;
    const cl_uint two = count < world_devices ? count : world_devices;
    const cl_uint part_count = make_parts(devices[0], parts);
    world->part = parts[0];
    const bool is_open =
            place_open(&world->places[context_one], 1, devices)
            && place_open(&world->places[context_two], two, devices)
            && place_open(&world->places[context_parts],
                    part_count != 0 ? part_count : 1,
                    part_count != 0 ? parts : devices)
            && place_open(&world->elsewhere, 1, &devices[count > 2 ? 2 : 0]);
    handle_set_name(devices[0], "d0");
    if (two > 1) handle_set_name(devices[1], "d1");
    handle_set_name(parts[0], "part0");
    handle_set_name(parts[1], "part1");
    return is_open;
}

void world_close(struct world *world)
{
    for (size_t i = 0; i < context_kinds; i++)
        place_close(&world->places[i]);
    place_close(&world->elsewhere);
}
