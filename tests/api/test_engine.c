/* SPDX-License-Identifier: Apache-2.0 */
/* Engines of the fake driver's devices: what they wrap, hold and tell. */
#include "bytes.h"
#include "log_capture.h"
#include "rig.h"

#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Creation ------------------------------------------------------------ */

TEST_RIG(Engine, WrapsTheGivenDevice)
{
    cl_device_id device = NULL;
    EXPECT_OK(dnnl_ocl_interop_get_device(rig->engine, &device));
    EXPECT_PTR_EQ(rig->device, device);
}

TEST_RIG(Engine, UsesTheGivenContext)
{
    cl_context context = NULL;
    EXPECT_OK(dnnl_ocl_interop_engine_get_context(rig->engine, &context));
    EXPECT_PTR_EQ(rig->context, context);
    EXPECT_EQ(1, fake_opencl_count("clCreateContext"));
}

TEST_RIG(Engine, IsOfKindGpu)
{
    dnnl_engine_kind_t kind = dnnl_any_engine;
    EXPECT_OK(dnnl_engine_get_kind(rig->engine, &kind));
    EXPECT_EQ(dnnl_gpu, kind);
}

/* oneDNN's own tests want exactly these counts. */
TEST_RIG(Engine, HoldsOneReferenceToItsContext)
{
    EXPECT_EQ(2, context_references(rig->context));
    EXPECT_OK(dnnl_engine_destroy(rig->engine));
    rig->engine = NULL;
    EXPECT_EQ(1, context_references(rig->context));
}

TEST_RIG(Engine, EveryEngineHoldsTheContext)
{
    dnnl_engine_t second = NULL;
    ASSERT_OK(
            dnnl_ocl_interop_engine_create(&second, rig->device, rig->context));
    EXPECT_EQ(3, context_references(rig->context));
    EXPECT_OK(dnnl_engine_destroy(rig->engine));
    rig->engine = NULL;
    EXPECT_EQ(2, context_references(rig->context));
    EXPECT_OK(dnnl_engine_destroy(second));
    EXPECT_EQ(1, context_references(rig->context));
}

TEST_RIG(Engine, HoldsOneReferenceToASubDevice)
{
    dnnl_engine_t engine = NULL;
    cl_int error;
    cl_device_id half = sub_device_create(rig->device);
    cl_context context = clCreateContext(NULL, 1, &half, NULL, NULL, &error);
    ASSERT_EQ(CL_SUCCESS, error);
    cl_uint before = device_references(half);
    ASSERT_OK(dnnl_ocl_interop_engine_create(&engine, half, context));
    EXPECT_EQ(before + 1, device_references(half));
    EXPECT_OK(dnnl_engine_destroy(engine));
    EXPECT_EQ(before, device_references(half));
    clReleaseContext(context);
    clReleaseDevice(half);
}

TEST_RIG(Engine, KeepsItsContextAliveForTheApplication)
{
    cl_context context = NULL;
    EXPECT_EQ(CL_SUCCESS, clReleaseContext(rig->context));
    EXPECT_OK(dnnl_ocl_interop_engine_get_context(rig->engine, &context));
    EXPECT_EQ(1, context_references(context));
    EXPECT_EQ(CL_SUCCESS, clRetainContext(context)); /* for rig_close() */
}

TEST_C(Engine, RefusesADeviceOfAnotherContext)
{
    struct rig rig;
    dnnl_engine_t engine = (dnnl_engine_t)&rig;
    fake_opencl_set("DEVICES", "2");
    rig_open(&rig, 0);
    EXPECT_STATUS(
            dnnl_invalid_arguments, dnnl_ocl_interop_engine_create(&engine,
                                            rig_device(1), rig.context));
    EXPECT_PTR_EQ(&rig, engine);
    rig_close(&rig);
}

TEST_C(Engine, AcceptsAContextOfSeveralDevices)
{
    struct rig rig;
    cl_int error;
    dnnl_engine_t engine = NULL;
    fake_opencl_set("DEVICES", "2");
    rig_open(&rig, 0);
    const cl_device_id devices[] = {rig_device(0), rig_device(1)};
    cl_context both = clCreateContext(NULL, 2, devices, NULL, NULL, &error);
    ASSERT_EQ(CL_SUCCESS, error);
    ASSERT_OK(dnnl_ocl_interop_engine_create(&engine, devices[1], both));
    EXPECT_OK(dnnl_engine_destroy(engine));
    clReleaseContext(both);
    rig_close(&rig);
}

TEST_C(Engine, AcceptsEveryTypeOfDevice)
{
    static const char *const types[] = {"gpu", "cpu", "accelerator"};
    for (size_t i = 0; i < 3; i++) {
        struct rig rig;
        fake_opencl_set("DEVICE_TYPE", types[i]);
        rig_open(&rig, 0);
        rig_close(&rig);
    }
}

TEST_RIG(Engine, CompilesNothingWhenCreated)
{
    EXPECT_EQ(0, fake_opencl_source_builds());
    EXPECT_EQ(0, fake_opencl_binary_builds());
}

/* ---- By index ------------------------------------------------------------ */

static void open_count(const char *devices, struct rig *rig)
{
    fake_opencl_set("DEVICES", devices);
    rig_open(rig, 0);
}

TEST_C(Engine, CountIsTheNumberOfDevices)
{
    struct rig rig;
    open_count("3", &rig);
    EXPECT_EQ(3, dnnl_engine_get_count(dnnl_gpu));
    EXPECT_EQ(1, dnnl_engine_get_count(dnnl_cpu));
    EXPECT_EQ(0, dnnl_engine_get_count(dnnl_any_engine));
    EXPECT_EQ(0, dnnl_engine_get_count((dnnl_engine_kind_t)77));
    rig_close(&rig);
}

static void expect_device_of_index(size_t index, cl_device_id expected)
{
    dnnl_engine_t engine = NULL;
    cl_device_id device = NULL;
    ASSERT_OK(dnnl_engine_create(&engine, dnnl_gpu, index));
    EXPECT_OK(dnnl_ocl_interop_get_device(engine, &device));
    EXPECT_PTR_EQ(expected, device);
    EXPECT_OK(dnnl_engine_destroy(engine));
}

TEST_C(Engine, GpusComeFirstThenAcceleratorsThenOthers)
{
    struct rig rig;
    fake_opencl_set("DEVICE_TYPE_0", "cpu");
    fake_opencl_set("DEVICE_TYPE_1", "accelerator");
    fake_opencl_set("DEVICE_TYPE_2", "gpu");
    open_count("3", &rig);
    expect_device_of_index(0, rig_device(2));
    expect_device_of_index(1, rig_device(1));
    expect_device_of_index(2, rig_device(0));
    rig_close(&rig);
}

TEST_C(Engine, RefusesAnIndexPastTheLast)
{
    struct rig rig;
    dnnl_engine_t engine = (dnnl_engine_t)&rig;
    open_count("2", &rig);
    EXPECT_STATUS(
            dnnl_invalid_arguments, dnnl_engine_create(&engine, dnnl_gpu, 2));
    EXPECT_STATUS(dnnl_invalid_arguments,
            dnnl_engine_create(&engine, dnnl_gpu, SIZE_MAX));
    EXPECT_STATUS(
            dnnl_invalid_arguments, dnnl_engine_create(&engine, dnnl_cpu, 1));
    EXPECT_STATUS(dnnl_invalid_arguments,
            dnnl_engine_create(&engine, dnnl_any_engine, 0));
    EXPECT_PTR_EQ(&rig, engine);
    rig_close(&rig);
}

TEST_RIG(Engine, CreatedByIndexHasAContextOfItsOwn)
{
    dnnl_engine_t engines[2] = {NULL, NULL};
    cl_context contexts[2] = {NULL, NULL};
    for (size_t i = 0; i < 2; i++) {
        ASSERT_OK(dnnl_engine_create(&engines[i], dnnl_gpu, 0));
        EXPECT_OK(
                dnnl_ocl_interop_engine_get_context(engines[i], &contexts[i]));
        EXPECT_EQ(1, context_references(contexts[i]));
    }
    EXPECT_TRUE(contexts[0] != contexts[1] && contexts[0] != rig->context);
    for (size_t i = 0; i < 2; i++)
        EXPECT_OK(dnnl_engine_destroy(engines[i]));
}

/* ---- The host's engine --------------------------------------------------- */

TEST_RIG(Engine, OfTheHostHasNoOpenclAndNoBlob)
{
    dnnl_engine_t engine = NULL;
    cl_context context = (cl_context)rig;
    cl_device_id device = (cl_device_id)rig;
    size_t size = 77;
    dnnl_cache_creation_info_t info = DNNL_CACHE_CREATION_INFO_INIT;
    ASSERT_OK(dnnl_engine_create(&engine, dnnl_cpu, 0));
    EXPECT_STATUS(dnnl_invalid_arguments,
            dnnl_ocl_interop_engine_get_context(engine, &context));
    EXPECT_STATUS(dnnl_invalid_arguments,
            dnnl_ocl_interop_get_device(engine, &device));
    EXPECT_STATUS(dnnl_invalid_arguments,
            dnnl_ocl_interop_engine_get_cache_blob(engine, &size, NULL));
    EXPECT_STATUS(dnnl_invalid_arguments,
            dnnl_cache_engine_get_creation_info(engine, &info));
    EXPECT_PTR_EQ(rig, context);
    EXPECT_PTR_EQ(rig, device);
    EXPECT_EQ(77, size);
    EXPECT_OK(dnnl_engine_destroy(engine));
}

/* ---- Creation info ------------------------------------------------------- */

TEST_RIG(Engine, CreationInfoSaysNoneBeforeTheFactsAreNeeded)
{
    dnnl_cache_creation_info_t info = DNNL_CACHE_CREATION_INFO_INIT;
    EXPECT_OK(dnnl_cache_engine_get_creation_info(rig->engine, &info));
    EXPECT_EQ(dnnl_cache_origin_none, info.origin);
    EXPECT_EQ(sizeof info, info.struct_size);
    EXPECT_STR_EQ("", info.not_cacheable_reason);
    EXPECT_STR_EQ("", info.blob_reason);
    EXPECT_EQ(0, fake_opencl_source_builds());
}

TEST_C(Engine, CreationInfoTellsOfTheProbe)
{
    struct rig rig;
    dnnl_cache_creation_info_t info = DNNL_CACHE_CREATION_INFO_INIT;
    fake_opencl_set("BUILD_MS", "5");
    rig_open(&rig, 0);
    struct bytes blob = engine_blob(rig.engine);
    EXPECT_OK(dnnl_cache_engine_get_creation_info(rig.engine, &info));
    EXPECT_EQ(dnnl_cache_origin_compiled, info.origin);
    EXPECT_GE(info.driver_ns, 5000000);
    EXPECT_GE(info.total_ns, info.driver_ns);
    EXPECT_EQ(0, info.blob_bytes);
    bytes_free(&blob);
    rig_close(&rig);
}

TEST_RIG(Engine, CreationInfoTellsOfTheBlob)
{
    dnnl_engine_t warm = NULL;
    dnnl_cache_creation_info_t info = DNNL_CACHE_CREATION_INFO_INIT;
    struct bytes blob = engine_blob(rig->engine);
    ASSERT_OK(dnnl_ocl_interop_engine_create_from_cache_blob(
            &warm, rig->device, rig->context, blob.size, blob.data));
    EXPECT_OK(dnnl_cache_engine_get_creation_info(warm, &info));
    EXPECT_EQ(dnnl_cache_origin_blob, info.origin);
    EXPECT_EQ(blob.size, info.blob_bytes);
    EXPECT_GT(info.total_ns, 0);
    EXPECT_STATUS(dnnl_success, info.blob_status);
    EXPECT_OK(dnnl_engine_destroy(warm));
    bytes_free(&blob);
}
