/* SPDX-License-Identifier: Apache-2.0 */
#include "test_platform.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_PLATFORMS = 16 };

const char *test_platform_name(void)
{
    const char *name = getenv("DNNL_CACHE_TEST_PLATFORM");
    return name != NULL ? name : "Portable Computing Language";
}

bool test_platform_is_interpreted(void)
{
    return strstr(test_platform_name(), "Oclgrind") != NULL;
}

bool test_platform_takes_threads(void)
{
    return !test_platform_is_interpreted();
}

cl_device_id test_platform_device(void)
{
    cl_platform_id platforms[MAX_PLATFORMS];
    cl_uint count = 0;
    if (clGetPlatformIDs(MAX_PLATFORMS, platforms, &count) != CL_SUCCESS)
        count = 0;
    if (count > MAX_PLATFORMS) count = MAX_PLATFORMS;
    for (cl_uint i = 0; i < count; i++) {
        char name[256] = "";
        cl_device_id device;
        clGetPlatformInfo(
                platforms[i], CL_PLATFORM_NAME, sizeof name, name, NULL);
        if (strstr(name, test_platform_name()) != NULL
                && clGetDeviceIDs(
                           platforms[i], CL_DEVICE_TYPE_ALL, 1, &device, NULL)
                           == CL_SUCCESS)
            return device;
    }
    fprintf(stderr, "no device of a platform like \"%s\"\n",
            test_platform_name());
    return NULL;
}

dnnl_engine_t test_platform_engine(void)
{
    cl_device_id device = test_platform_device();
    dnnl_engine_t engine = NULL;
    cl_int error;
    if (device == NULL) return NULL;
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    if (error != CL_SUCCESS) return NULL;
    if (dnnl_ocl_interop_engine_create(&engine, device, context)
            != dnnl_success)
        engine = NULL;
    clReleaseContext(context);
    return engine;
}

size_t test_platform_engine_index(void)
{
    cl_device_id wanted = test_platform_device();
    size_t count = wanted != NULL ? dnnl_engine_get_count(dnnl_gpu) : 0;
    for (size_t i = 0; i < count; i++) {
        dnnl_engine_t engine = NULL;
        cl_device_id device = NULL;
        if (dnnl_engine_create(&engine, dnnl_gpu, i) != dnnl_success) continue;
        dnnl_status_t st = dnnl_ocl_interop_get_device(engine, &device);
        dnnl_engine_destroy(engine);
        if (st == dnnl_success && device == wanted) return i;
    }
    fprintf(stderr, "no engine of the platform that is tested\n");
    return SIZE_MAX;
}
