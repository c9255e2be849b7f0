/* SPDX-License-Identifier: Apache-2.0 */
#include "device.h"

#include "driver_cache.h"
#include "failure.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

bool environment_prepare(const char *scratch)
{
    char dir[PATH_MAX];
    char cache[PATH_MAX];
    struct stat st;
    snprintf(dir, sizeof dir, "%s/pocl", scratch);
    snprintf(cache, sizeof cache, "%s/%s", scratch, DRIVER_CACHE_FOLDER);
    bool done = mkdir(dir, 0700) == 0 && setenv("POCL_CACHE_DIR", dir, 1) == 0
                && setenv("POCL_KERNEL_CACHE", "0", 1) == 0
                && (stat(cache, &st) == 0
                                ? driver_cache_use(cache)
                                : setenv("CUDA_CACHE_DISABLE", "1", 1) == 0)
                && setenv("MESA_SHADER_CACHE_DISABLE", "true", 1) == 0
                && setenv("NEO_CACHE_PERSISTENT", "0", 1) == 0;
    if (!done) failure_set("the environment cannot be set up in %s", scratch);
    return done;
}

static void device_text(
        cl_device_id id, cl_device_info name, char *text, size_t size)
{
    if (clGetDeviceInfo(id, name, size, text, NULL) != CL_SUCCESS)
        snprintf(text, size, "?");
}

static void platform_text(
        cl_platform_id platform, cl_platform_info name, char *text, size_t size)
{
    if (clGetPlatformInfo(platform, name, size, text, NULL) != CL_SUCCESS)
        snprintf(text, size, "?");
}

/* Describes the device if it is of the wanted platform. */
static bool describe(cl_device_id id, const char *wanted, struct device *device)
{
    cl_platform_id platform;
    char first[96];
    char second[512];
    if (clGetDeviceInfo(
                id, CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL)
            != CL_SUCCESS)
        return false;
    platform_text(platform, CL_PLATFORM_NAME, first, sizeof first);
    if (wanted != NULL && strcasestr(first, wanted) == NULL) return false;
    platform_text(platform, CL_PLATFORM_VERSION, second, sizeof second);
    snprintf(
            device->platform, sizeof device->platform, "%s, %s", first, second);
    device_text(id, CL_DEVICE_NAME, first, sizeof first);
    device_text(id, CL_DRIVER_VERSION, second, sizeof second);
    snprintf(device->name, sizeof device->name, "%s, driver %s", first, second);
    device->id = id;
    return true;
}

bool device_find(const char *platform, struct device *device)
{
    size_t count = dnnl_engine_get_count(dnnl_gpu);
    for (size_t i = 0; i < count; i++) {
        dnnl_engine_t engine;
        cl_device_id id;
        if (dnnl_engine_create(&engine, dnnl_gpu, i) != dnnl_success) continue;
        bool found = dnnl_ocl_interop_get_device(engine, &id) == dnnl_success
                     && describe(id, platform, device);
        dnnl_engine_destroy(engine);
        if (found) return true;
    }
    failure_set("no OpenCL device of a platform named %s",
            platform != NULL ? platform : "anything");
    return false;
}

cl_context device_context(const struct device *device)
{
    cl_int error;
    cl_context context =
            clCreateContext(NULL, 1, &device->id, NULL, NULL, &error);
    return cl_succeeded(error, "clCreateContext") ? context : NULL;
}
