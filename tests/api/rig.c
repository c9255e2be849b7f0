/* SPDX-License-Identifier: Apache-2.0 */
#include "rig.h"

#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_DEVICES = 8, DEFAULT_CAPACITY = 1024 };

static void must(bool ok, const char *what)
{
    if (ok) return;
    fprintf(stderr,
            "rig: %s failed; does OCL_ICD_VENDORS name the fake "
            "driver's directory?\n",
            what);
    abort();
}

cl_platform_id rig_platform(void)
{
    cl_platform_id platform;
    must(clGetPlatformIDs(1, &platform, NULL) == CL_SUCCESS,
            "clGetPlatformIDs");
    return platform;
}

cl_device_id rig_device(cl_uint index)
{
    cl_device_id devices[MAX_DEVICES];
    cl_uint count = 0;
    must(clGetDeviceIDs(rig_platform(), CL_DEVICE_TYPE_ALL, MAX_DEVICES,
                 devices, &count)
                    == CL_SUCCESS,
            "clGetDeviceIDs");
    must(index < count, "finding the device");
    return devices[index];
}

void rig_open(struct rig *rig, cl_uint index)
{
    cl_int error;
    memset(rig, 0, sizeof *rig);
    rig->objects = fake_opencl_live_objects(NULL);
    rig->device = rig_device(index);
    rig->context = clCreateContext(NULL, 1, &rig->device, NULL, NULL, &error);
    must(error == CL_SUCCESS, "clCreateContext");
    must(dnnl_ocl_interop_engine_create(&rig->engine, rig->device, rig->context)
                    == dnnl_success,
            "creating the engine");
}

void rig_open_unidentified(struct rig *rig)
{
    fake_opencl_set("DEVICES", "2");
    fake_opencl_set("DRIVER_VERSION_1", "!-5");
    rig_open(rig, 1);
}

void rig_close(struct rig *rig)
{
    EXPECT_OK(dnnl_engine_destroy(rig->engine));
    EXPECT_EQ(CL_SUCCESS, clReleaseContext(rig->context));
    rig_forget_primitives();
    EXPECT_EQ(rig->objects, fake_opencl_live_objects(NULL));
    EXPECT_EQ(0, fake_opencl_misuses());
    fake_opencl_reset();
    memset(rig, 0, sizeof *rig);
}

void rig_forget_primitives(void)
{
#ifdef DNNL_CACHE_TEST_PRIMITIVES
    EXPECT_OK(dnnl_set_primitive_cache_capacity(0));
    EXPECT_OK(dnnl_set_primitive_cache_capacity(DEFAULT_CAPACITY));
#endif
}

/* ---- References ---------------------------------------------------------- */

dnnl_cache_statistics_t rig_statistics(void)
{
    dnnl_cache_statistics_t now = DNNL_CACHE_STATISTICS_INIT;
    EXPECT_OK(dnnl_cache_get_statistics(&now));
    return now;
}

void rig_set_mode(const struct rig *rig, dnnl_cache_compile_mode_t mode)
{
    EXPECT_OK(dnnl_cache_engine_set_compile_mode(rig->engine, mode));
}

cl_uint context_references(cl_context context)
{
    cl_uint count = 0;
    EXPECT_EQ(CL_SUCCESS, clGetContextInfo(context, CL_CONTEXT_REFERENCE_COUNT,
                                  sizeof count, &count, NULL));
    return count;
}

cl_uint queue_references(cl_command_queue queue)
{
    cl_uint count = 0;
    EXPECT_EQ(CL_SUCCESS, clGetCommandQueueInfo(queue, CL_QUEUE_REFERENCE_COUNT,
                                  sizeof count, &count, NULL));
    return count;
}

cl_uint memory_references(cl_mem memory)
{
    cl_uint count = 0;
    EXPECT_EQ(CL_SUCCESS, clGetMemObjectInfo(memory, CL_MEM_REFERENCE_COUNT,
                                  sizeof count, &count, NULL));
    return count;
}

cl_uint program_references(cl_program program)
{
    cl_uint count = 0;
    EXPECT_EQ(CL_SUCCESS, clGetProgramInfo(program, CL_PROGRAM_REFERENCE_COUNT,
                                  sizeof count, &count, NULL));
    return count;
}

cl_uint device_references(cl_device_id device)
{
    cl_uint count = 0;
    EXPECT_EQ(CL_SUCCESS, clGetDeviceInfo(device, CL_DEVICE_REFERENCE_COUNT,
                                  sizeof count, &count, NULL));
    return count;
}

cl_device_id sub_device_create(cl_device_id device)
{
    const cl_device_partition_property halves[] = {
            CL_DEVICE_PARTITION_EQUALLY, 4, 0};
    cl_device_id devices[2];
    must(clCreateSubDevices(device, halves, 2, devices, NULL) == CL_SUCCESS,
            "clCreateSubDevices");
    clReleaseDevice(devices[1]);
    return devices[0];
}
