/* SPDX-License-Identifier: Apache-2.0 */
/* Contexts of several devices and of parts of one. */
#include "answers.h"
#include "client.h"
#include "questions.h"

#include <stdio.h>
#include <string.h>

enum { MAX_DEVICES = 4 };

/* Devices in a context of their own, with a queue each. */
struct group {
    cl_uint count;
    cl_device_id devices[MAX_DEVICES];
    cl_context context;
    cl_command_queue queues[MAX_DEVICES];
};

static bool group_open(struct group *group, const char *name)
{
    char text[64];

    group->context = clCreateContext(
            NULL, group->count, group->devices, NULL, NULL, NULL);
    if (group->context == NULL) return false;
    snprintf(text, sizeof(text), "context of %s", name);
    handle_set_name(group->context, text);
    for (cl_uint i = 0; i < group->count; i++) {
        snprintf(text, sizeof(text), "%s %u", name, i);
        handle_set_name(group->devices[i], text);
        group->queues[i] = clCreateCommandQueueWithProperties(
                group->context, group->devices[i], NULL, NULL);
    }
    return true;
}

static void group_close(struct group *group)
{
    if (group->context == NULL) return;
    handle_forget(group->context);
    for (cl_uint i = 0; i < group->count; i++) {
        handle_forget(group->devices[i]);
        if (group->queues[i] != NULL) clReleaseCommandQueue(group->queues[i]);
    }
    clReleaseContext(group->context);
}

static void ask_group(
        const char *subject, const struct group *group, cl_program program)
{
    ask_program(subject, program, 0);
    for (cl_uint i = 0; i < group->count; i++)
        ask_build(subject, program, group->devices[i]);
}

/* On the devices from first to last. */
static void run_on(const struct group *group, cl_program program, cl_uint first,
        cl_uint last)
{
    cl_kernel kernel = make_kernel(program, "scale");

    if (kernel == NULL) return;
    for (cl_uint i = first; i <= last; i++) {
        ask_work_groups("scale", kernel, group->devices[i]);
        run_kernel(group->context, group->queues[i],
                handle_name(group->devices[i]), kernel);
    }
    ask_work_groups("scale", kernel, NULL);
    forget_kernel(kernel);
}

/* For all at once, for one of them, and for one after the other. */
static void build_for_all(const struct group *group)
{
    cl_program program = make_program(group->context, "shared", scale_source);

    if (program == NULL) return;
    ask_group("unbuilt", group, program);
    build_program(program, "-DBY=2");
    ask_group("built", group, program);
    run_on(group, program, 0, group->count - 1);
    forget_program(program);
}

/* The device is named, where a driver may know its parent only. */
static void build_for_first(const struct group *group)
{
    cl_program program = make_program(group->context, "named", scale_source);

    if (program == NULL) return;
    answer_status(
            "the device, named", clBuildProgram(program, 1, &group->devices[0],
                                         "-DBY=2", NULL, NULL));
    ask_group("named", group, program);
    run_on(group, program, 0, 0);
    forget_program(program);
}

/* A driver may know only the device it built for last. */
static void build_one_by_one(const struct group *group)
{
    cl_program program = make_program(group->context, "parted", scale_source);

    if (program == NULL) return;
    for (cl_uint i = 0; i < group->count; i++) {
        answer_status("one more device",
                clBuildProgram(
                        program, 1, &group->devices[i], "-DBY=3", NULL, NULL));
        ask_group("one more", group, program);
        run_on(group, program, i, i);
    }
    forget_program(program);
}

static void play_with_all(
        const struct client *client, void (*play)(const struct group *group))
{
    struct group group;

    memset(&group, 0, sizeof(group));
    handle_forget(client->device);
    clGetDeviceIDs(client->platform, CL_DEVICE_TYPE_ALL, MAX_DEVICES,
            group.devices, &group.count);
    if (group.count > MAX_DEVICES) group.count = MAX_DEVICES;
    answer("%u devices", group.count);
    if (group.count > 1 && group_open(&group, "device")) play(&group);
    group_close(&group);
    handle_set_name(client->device, "the device");
}

void scene_several(const struct client *client)
{
    play_with_all(client, build_for_all);
}

void scene_parted(const struct client *client)
{
    play_with_all(client, build_one_by_one);
}

/* The first device that has parts; NULL: none has. A driver without parts may
 * not even have the call for them. */
static cl_device_id find_whole(const struct client *client)
{
    cl_device_id devices[MAX_DEVICES];
    cl_uint count = 0;

    clGetDeviceIDs(
            client->platform, CL_DEVICE_TYPE_ALL, MAX_DEVICES, devices, &count);
    for (cl_uint i = 0; i < count && i < MAX_DEVICES; i++) {
        cl_uint most = 0;

        clGetDeviceInfo(devices[i], CL_DEVICE_PARTITION_MAX_SUB_DEVICES,
                sizeof(most), &most, NULL);
        if (most >= 2) return devices[i];
    }
    return NULL;
}

void scene_sub_device(const struct client *client)
{
    static const cl_device_partition_property by_one[] = {
            CL_DEVICE_PARTITION_EQUALLY, 1, 0};
    const cl_device_id whole = find_whole(client);
    cl_device_id parts[MAX_DEVICES];
    cl_uint count = 0;
    struct group group;

    memset(&group, 0, sizeof(group));
    memset(parts, 0, sizeof(parts));
    if (whole == NULL
            || clCreateSubDevices(whole, by_one, 0, NULL, &count) != CL_SUCCESS
            || count > MAX_DEVICES
            || clCreateSubDevices(whole, by_one, count, parts, NULL)
                       != CL_SUCCESS) {
        answer("no parts");
        return;
    }
    group.count = 1;
    group.devices[0] = parts[0];
    if (group_open(&group, "part")) {
        build_for_all(&group);
        build_for_first(&group);
    }
    group_close(&group);
    if (client->reads_parts_late) return;
    for (cl_uint i = 0; i < count; i++)
        clReleaseDevice(parts[i]);
}
