/* SPDX-License-Identifier: Apache-2.0 */
#include "model/compile/model_device.h"

#include <stdlib.h>
#include <string.h>

enum { max_platforms = 16, max_devices = 64 };

static void describe(struct model_device *device, cl_platform_id platform)
{
    clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof device->platform_name,
            device->platform_name, NULL);
    clGetDeviceInfo(device->id, CL_DEVICE_NAME, sizeof device->name,
            device->name, NULL);
    clGetDeviceInfo(device->id, CL_DRIVER_VERSION, sizeof device->driver,
            device->driver, NULL);
    device->is_for_one_thread = strcmp(device->platform_name, "Oclgrind") == 0;
}

/* Three groups, in which a device is once. */
static bool is_of_group(cl_device_id device, int group)
{
    cl_device_type type = 0;
    clGetDeviceInfo(device, CL_DEVICE_TYPE, sizeof type, &type, NULL);
    const int own = (type & CL_DEVICE_TYPE_GPU) != 0           ? 0
                    : (type & CL_DEVICE_TYPE_ACCELERATOR) != 0 ? 1
                                                               : 2;
    return own == group;
}

static int list_platform(cl_platform_id platform, int group,
        struct model_device *devices, int room, int count)
{
    cl_device_id ids[max_devices];
    cl_uint there = 0;
    if (clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, max_devices, ids, &there)
            != CL_SUCCESS)
        return count;
    for (cl_uint i = 0; i < there && i < max_devices; i++) {
        if (!is_of_group(ids[i], group)) continue;
        if (count < room) {
            devices[count] = (struct model_device){.id = ids[i]};
            describe(&devices[count], platform);
        }
        count++;
    }
    return count;
}

static bool has_text(const char *name, const char *text)
{
    return text == NULL || strcasestr(name, text) != NULL;
}

/* Those of platforms whose name has a text. */
static int list(const char *text, struct model_device *devices, int room)
{
    cl_platform_id platforms[max_platforms];
    cl_uint count = 0;
    int found = 0;
    if (clGetPlatformIDs(max_platforms, platforms, &count) != CL_SUCCESS)
        return 0;
    if (count > max_platforms) count = max_platforms;
    for (int group = 0; group < 3; group++)
        for (cl_uint p = 0; p < count; p++) {
            char name[128] = "";
            clGetPlatformInfo(
                    platforms[p], CL_PLATFORM_NAME, sizeof name, name, NULL);
            if (has_text(name, text))
                found = list_platform(
                        platforms[p], group, devices, room, found);
        }
    return found;
}

int model_device_list(struct model_device *devices, int room)
{
    return list(NULL, devices, room);
}

int model_device_number(cl_device_id id)
{
    struct model_device devices[max_devices];
    const int count = list(NULL, devices, max_devices);
    for (int i = 0; i < count && i < max_devices; i++)
        if (devices[i].id == id) return i;
    return -1;
}

static bool choose(struct model_device *device,
        const struct model_device_choice *choice, struct failure *failure)
{
    struct model_device devices[max_devices];
    const char *platform = choice->platform != NULL ? choice->platform : "";
    const char *text = choice->text != NULL ? choice->text : "";
    char *end = NULL;
    int count = list(choice->platform, devices, max_devices);
    if (count > max_devices) count = max_devices;
    const long number = strtol(text, &end, 10);
    const bool is_number =
            text[0] >= '0' && text[0] <= '9' && end != NULL && *end == '\0';
    for (int i = 0; i < count; i++) {
        if (is_number ? i != number : !has_text(devices[i].name, text))
            continue;
        *device = devices[i];
        return true;
    }
    return fail(failure, "no OpenCL device%s%.100s%s%.100s",
            text[0] != '\0' ? " " : "", text,
            platform[0] != '\0' ? " of a platform named " : "", platform);
}

/* The name of a device that the caller chose. */
static bool take(struct model_device *device,
        const struct model_device_choice *choice, struct failure *failure)
{
    cl_platform_id platform = NULL;
    device->id = choice->id;
    if (clGetDeviceInfo(choice->id, CL_DEVICE_PLATFORM, sizeof platform,
                &platform, NULL)
            != CL_SUCCESS)
        return fail(failure, "the OpenCL device that was given is none");
    describe(device, platform);
    return true;
}

bool model_device_open(struct model_device *device,
        const struct model_device_choice *choice, struct failure *failure)
{
    cl_int error = CL_SUCCESS;
    *device = (struct model_device){0};
    if (!(choice->id != NULL ? take(device, choice, failure)
                             : choose(device, choice, failure)))
        return false;
    if (choice->context != NULL) {
        error = clRetainContext(choice->context);
        if (error == CL_SUCCESS) device->context = choice->context;
    } else {
        device->context =
                clCreateContext(NULL, 1, &device->id, NULL, NULL, &error);
        if (error != CL_SUCCESS) device->context = NULL;
    }
    return error == CL_SUCCESS
           || fail(failure, "no context of %s: OpenCL error %d", device->name,
                   (int)error);
}

void model_device_close(struct model_device *device)
{
    if (device->context != NULL) clReleaseContext(device->context);
    device->context = NULL;
}
