/* SPDX-License-Identifier: Apache-2.0 */
/* The process's primitive cache: what hits, what leaves, what never enters. */
#include "blob_edit.h"
#include "identity_process.h"
#include "log_capture.h"
#include "rig.h"
#include "small_primitives.h"

#include "test.h"

#include <stdlib.h>
#include <string.h>

/* ---- Capacity ------------------------------------------------------------ */

/* The capacity a process begins with. */
static void expect_first_capacity(
        const char *expected, const char *variable, const char *second)
{
    const char *const environment[] = {variable, second, NULL};
    struct identity process;
    identity_init(&process, environment, NULL);
    char *capacity = identity_value(&process, "capacity");
    EXPECT_STR_EQ(expected, capacity);
    free(capacity);
    identity_fini(&process);
}

TEST_C(PrimitiveCache, HoldsThousandAndTwentyFourByDefault)
{
    expect_first_capacity("1024", NULL, NULL);
}

TEST_C(PrimitiveCache, TakesItsCapacityFromTheEnvironment)
{
    expect_first_capacity("5", "ONEDNN_PRIMITIVE_CACHE_CAPACITY=5", NULL);
    expect_first_capacity("0", "ONEDNN_PRIMITIVE_CACHE_CAPACITY=0", NULL);
    expect_first_capacity("6", "DNNL_PRIMITIVE_CACHE_CAPACITY=6", NULL);
    expect_first_capacity("5", "ONEDNN_PRIMITIVE_CACHE_CAPACITY=5",
            "DNNL_PRIMITIVE_CACHE_CAPACITY=6");
}

TEST_C(PrimitiveCache, IgnoresACapacityThatIsTooLong)
{
    expect_first_capacity(
            "1024", "ONEDNN_PRIMITIVE_CACHE_CAPACITY=000000000005", NULL);
}

TEST_C(PrimitiveCache, CapacityIsWhatWasSet)
{
    int capacity = 77;
    EXPECT_OK(dnnl_set_primitive_cache_capacity(5));
    EXPECT_OK(dnnl_get_primitive_cache_capacity(&capacity));
    EXPECT_EQ(5, capacity);
    EXPECT_OK(dnnl_set_primitive_cache_capacity(0));
    EXPECT_OK(dnnl_get_primitive_cache_capacity(&capacity));
    EXPECT_EQ(0, capacity);
    rig_forget_primitives();
}

TEST_C(PrimitiveCache, RefusesANegativeCapacity)
{
    int capacity = 77;
    EXPECT_OK(dnnl_set_primitive_cache_capacity(5));
    EXPECT_STATUS(
            dnnl_invalid_arguments, dnnl_set_primitive_cache_capacity(-1));
    EXPECT_OK(dnnl_get_primitive_cache_capacity(&capacity));
    EXPECT_EQ(5, capacity);
    rig_forget_primitives();
}

/* ---- Hits and evictions -------------------------------------------------- */

/* Makes the relu of n elements and lets go of it. True if the cache had it. */
static bool touch(dnnl_engine_t engine, dnnl_dim_t n)
{
    dnnl_primitive_t primitive = NULL;
    dnnl_primitive_desc_t pd = relu_desc(engine, n, 0.0f);
    uint64_t hits = rig_statistics().primitive_hits;
    EXPECT_OK(dnnl_primitive_create(&primitive, pd));
    bool hit = rig_statistics().primitive_hits != hits;
    EXPECT_OK(dnnl_primitive_destroy(primitive));
    EXPECT_OK(dnnl_primitive_desc_destroy(pd));
    return hit;
}

TEST_RIG(PrimitiveCache, HitsByEqualDescriptor)
{
    dnnl_primitive_t first = NULL;
    dnnl_primitive_t second = NULL;
    dnnl_primitive_desc_t one = relu_desc(rig->engine, 16, 0.5f);
    dnnl_primitive_desc_t other = relu_desc(rig->engine, 16, 0.5f);
    EXPECT_OK(dnnl_primitive_create(&first, one));
    unsigned long builds = fake_opencl_source_builds();
    unsigned long kernels = fake_opencl_count("clCreateKernel");
    EXPECT_OK(dnnl_primitive_create(&second, other));
    EXPECT_EQ(builds, fake_opencl_source_builds());
    EXPECT_EQ(kernels, fake_opencl_count("clCreateKernel"));
    EXPECT_EQ(dnnl_cache_origin_compiled, origin_of(first));
    EXPECT_EQ(dnnl_cache_origin_memory_hit, origin_of(second));
    EXPECT_OK(dnnl_primitive_desc_destroy(one));
    EXPECT_OK(dnnl_primitive_desc_destroy(other));
    EXPECT_OK(dnnl_primitive_destroy(first));
    EXPECT_OK(run_relu(rig->engine, second, 16));
    EXPECT_OK(dnnl_primitive_destroy(second));
}

/* Asking for its ID leaves a descriptor equal to those that were not asked,
 * whichever of them makes the primitive. */
TEST_C(PrimitiveCache, HitsByADescriptorThatWasAskedForItsId)
{
    for (int asked = 0; asked < 2; asked++) {
        struct rig rig;
        dnnl_primitive_t primitives[2] = {NULL, NULL};
        dnnl_primitive_desc_t descs[2];
        size_t size = 0;
        rig_open(&rig, 0);
        const dnnl_cache_statistics_t before = rig_statistics();
        for (int i = 0; i < 2; i++)
            descs[i] = relu_desc(rig.engine, 16, 0.5f);
        EXPECT_OK(dnnl_cache_primitive_desc_get_cache_blob_id(
                descs[asked], &size, NULL));
        EXPECT_GT(size, 0);
        for (int i = 0; i < 2; i++)
            EXPECT_OK(dnnl_primitive_create(&primitives[i], descs[i]));
        EXPECT_EQ(dnnl_cache_origin_compiled, origin_of(primitives[0]));
        EXPECT_EQ(dnnl_cache_origin_memory_hit, origin_of(primitives[1]));
        /* Of the primitive, not of its program alone. */
        const dnnl_cache_statistics_t after = rig_statistics();
        EXPECT_EQ(before.primitive_hits + 1, after.primitive_hits);
        EXPECT_EQ(before.primitive_entries + 1, after.primitive_entries);
        for (int i = 0; i < 2; i++) {
            EXPECT_OK(dnnl_primitive_destroy(primitives[i]));
            EXPECT_OK(dnnl_primitive_desc_destroy(descs[i]));
        }
        rig_close(&rig);
    }
}

TEST_RIG(PrimitiveCache, MissesByAnotherDescriptor)
{
    EXPECT_FALSE(touch(rig->engine, 16));
    EXPECT_FALSE(touch(rig->engine, 17));
    EXPECT_TRUE(touch(rig->engine, 16));
}

/* Shapes are arguments of kernels: a network needs few programs. */
TEST_RIG(PrimitiveCache, SharesProgramsBetweenShapes)
{
    touch(rig->engine, 16);
    unsigned long builds = fake_opencl_source_builds();
    for (dnnl_dim_t n = 17; n < 50; n++)
        EXPECT_FALSE(touch(rig->engine, n));
    EXPECT_EQ(builds, fake_opencl_source_builds());
}

TEST_RIG(PrimitiveCache, ContextsDoNotShare)
{
    dnnl_engine_t other = NULL;
    ASSERT_OK(dnnl_engine_create(&other, dnnl_gpu, 0));
    EXPECT_FALSE(touch(rig->engine, 16));
    EXPECT_FALSE(touch(other, 16));
    EXPECT_OK(dnnl_engine_destroy(other));
}

TEST_RIG(PrimitiveCache, EnginesOfOneContextShare)
{
    dnnl_engine_t other = NULL;
    ASSERT_OK(
            dnnl_ocl_interop_engine_create(&other, rig->device, rig->context));
    EXPECT_FALSE(touch(rig->engine, 16));
    EXPECT_TRUE(touch(other, 16));
    EXPECT_OK(dnnl_engine_destroy(other));
}

TEST_C(PrimitiveCache, EqualDevicesOfAContextDoNotShare)
{
    struct rig rig;
    cl_int error;
    dnnl_engine_t engines[2];
    fake_opencl_set("DEVICES", "4");
    rig_open(&rig, 0);
    const cl_device_id devices[] = {rig_device(2), rig_device(3)};
    cl_context both = clCreateContext(NULL, 2, devices, NULL, NULL, &error);
    ASSERT_EQ(CL_SUCCESS, error);
    for (size_t i = 0; i < 2; i++) {
        dnnl_primitive_t primitive = NULL;
        ASSERT_OK(
                dnnl_ocl_interop_engine_create(&engines[i], devices[i], both));
        dnnl_primitive_desc_t pd = relu_desc(engines[i], 16, 0.0f);
        EXPECT_OK(dnnl_primitive_create(&primitive, pd));
        EXPECT_EQ(dnnl_cache_origin_compiled, origin_of(primitive));
        EXPECT_OK(run_relu(engines[i], primitive, 16));
        EXPECT_OK(dnnl_primitive_destroy(primitive));
        EXPECT_OK(dnnl_primitive_desc_destroy(pd));
    }
    for (size_t i = 0; i < 2; i++)
        EXPECT_OK(dnnl_engine_destroy(engines[i]));
    clReleaseContext(both);
    rig_close(&rig);
}

TEST_RIG(PrimitiveCache, DropsTheLeastRecentlyUsed)
{
    EXPECT_OK(dnnl_set_primitive_cache_capacity(3));
    touch(rig->engine, 1);
    touch(rig->engine, 2);
    touch(rig->engine, 3);
    EXPECT_TRUE(touch(rig->engine, 1));  /* 2, 3, 1 */
    EXPECT_FALSE(touch(rig->engine, 4)); /* 3, 1, 4 */
    EXPECT_TRUE(touch(rig->engine, 3));
    EXPECT_TRUE(touch(rig->engine, 1));
    EXPECT_TRUE(touch(rig->engine, 4));
    EXPECT_FALSE(touch(rig->engine, 2)); /* 1, 4, 2 */
    EXPECT_FALSE(touch(rig->engine, 3));
    EXPECT_EQ(3, rig_statistics().primitive_entries);
}

TEST_RIG(PrimitiveCache, NeverHoldsMoreThanItsCapacity)
{
    EXPECT_OK(dnnl_set_primitive_cache_capacity(4));
    for (dnnl_dim_t n = 1; n <= 20; n++) {
        touch(rig->engine, n);
        EXPECT_EQ(n < 4 ? n : 4, rig_statistics().primitive_entries);
    }
}

/* oneDNN empties its cache when it shrinks to exactly half. */
TEST_RIG(PrimitiveCache, ShrinksToExactlyTheNewCapacity)
{
    EXPECT_OK(dnnl_set_primitive_cache_capacity(8));
    for (dnnl_dim_t n = 1; n <= 8; n++)
        touch(rig->engine, n);
    static const int capacities[] = {8, 5, 4, 3, 1};
    for (size_t i = 0; i < sizeof capacities / sizeof capacities[0]; i++) {
        EXPECT_OK(dnnl_set_primitive_cache_capacity(capacities[i]));
        EXPECT_EQ(capacities[i], rig_statistics().primitive_entries);
    }
    /* The last one used stayed. */
    EXPECT_TRUE(touch(rig->engine, 8));
    EXPECT_FALSE(touch(rig->engine, 7));
}

TEST_RIG(PrimitiveCache, GrowsWithoutLosingAnything)
{
    EXPECT_OK(dnnl_set_primitive_cache_capacity(2));
    touch(rig->engine, 1);
    touch(rig->engine, 2);
    EXPECT_OK(dnnl_set_primitive_cache_capacity(3));
    touch(rig->engine, 3);
    EXPECT_TRUE(touch(rig->engine, 1));
    EXPECT_TRUE(touch(rig->engine, 2));
    EXPECT_TRUE(touch(rig->engine, 3));
}

TEST_RIG(PrimitiveCache, OfCapacityZeroIsEmptyAndOff)
{
    touch(rig->engine, 1);
    EXPECT_EQ(1, rig_statistics().primitive_entries);
    EXPECT_OK(dnnl_set_primitive_cache_capacity(0));
    EXPECT_EQ(0, rig_statistics().primitive_entries);
    EXPECT_FALSE(touch(rig->engine, 1));
    EXPECT_FALSE(touch(rig->engine, 1));
    EXPECT_EQ(0, rig_statistics().primitive_entries);
}

TEST_RIG(PrimitiveCache, EvictedPrimitivesGoOnWorking)
{
    dnnl_primitive_t primitive = NULL;
    dnnl_primitive_desc_t pd = relu_desc(rig->engine, 16, 0.0f);
    EXPECT_OK(dnnl_primitive_create(&primitive, pd));
    EXPECT_OK(dnnl_set_primitive_cache_capacity(0));
    EXPECT_OK(run_relu(rig->engine, primitive, 16));
    struct bytes blob = primitive_blob(primitive);
    EXPECT_GT(blob.size, 0);
    bytes_free(&blob);
    EXPECT_OK(dnnl_primitive_destroy(primitive));
    EXPECT_OK(dnnl_primitive_desc_destroy(pd));
}

TEST_RIG(PrimitiveCache, CountsWhatHappened)
{
    EXPECT_OK(dnnl_set_primitive_cache_capacity(2));
    dnnl_cache_statistics_t before = rig_statistics();
    touch(rig->engine, 1);
    touch(rig->engine, 2);
    touch(rig->engine, 2);
    touch(rig->engine, 3);
    dnnl_cache_statistics_t after = rig_statistics();
    EXPECT_EQ(before.primitive_misses + 3, after.primitive_misses);
    EXPECT_EQ(before.primitive_hits + 1, after.primitive_hits);
    EXPECT_EQ(before.primitive_evictions + 1, after.primitive_evictions);
    EXPECT_EQ(before.primitive_waits, after.primitive_waits);
    EXPECT_EQ(2, after.primitive_entries);
}

/* ---- Failures ------------------------------------------------------------ */

TEST_RIG(PrimitiveCache, KeepsNoFailure)
{
    struct log_capture log;
    dnnl_primitive_t primitive = (dnnl_primitive_t)rig;
    dnnl_primitive_desc_t pd = relu_desc(rig->engine, 16, 0.0f);
    log_capture_start(&log);
    fake_opencl_fail("clBuildProgram", 1, CL_BUILD_PROGRAM_FAILURE);
    EXPECT_STATUS(dnnl_runtime_error, dnnl_primitive_create(&primitive, pd));
    EXPECT_PTR_EQ(rig, primitive);
    log_capture_stop(&log);
    EXPECT_EQ(0, rig_statistics().primitive_entries);
    ASSERT_OK(dnnl_primitive_create(&primitive, pd));
    EXPECT_EQ(dnnl_cache_origin_compiled, origin_of(primitive));
    EXPECT_OK(dnnl_primitive_destroy(primitive));
    EXPECT_OK(dnnl_primitive_desc_destroy(pd));
}

/* Out of memory: everything kept is dropped, and the creation tried again. */
TEST_RIG(PrimitiveCache, IsEmptiedIfMemoryRunsOut)
{
    struct log_capture log;
    touch(rig->engine, 1);
    touch(rig->engine, 2);
    dnnl_primitive_t primitive = NULL;
    dnnl_primitive_desc_t pd = matmul_desc(rig->engine, 16);
    log_capture_start(&log);
    fake_opencl_fail("clBuildProgram", 1, CL_OUT_OF_HOST_MEMORY);
    EXPECT_OK(dnnl_primitive_create(&primitive, pd));
    log_capture_stop(&log);
    EXPECT_FALSE(touch(rig->engine, 1)); /* what was there is gone */
    EXPECT_FALSE(touch(rig->engine, 2));
    EXPECT_TRUE(touch(rig->engine, 1)); /* and the cache goes on */
    EXPECT_OK(dnnl_primitive_destroy(primitive));
    EXPECT_OK(dnnl_primitive_desc_destroy(pd));
}

/* ---- With blobs ---------------------------------------------------------- */

/* A rig with a descriptor, its blob, and nothing of it in memory. */
struct warm {
    struct rig rig;
    dnnl_primitive_desc_t pd;
    struct bytes blob;
};

static void forget(struct warm *w)
{
    EXPECT_OK(dnnl_primitive_desc_destroy(w->pd));
    rig_forget_primitives();
    EXPECT_OK(dnnl_engine_destroy(w->rig.engine));
    EXPECT_OK(dnnl_ocl_interop_engine_create(
            &w->rig.engine, w->rig.device, w->rig.context));
    w->pd = relu_desc(w->rig.engine, 16, 0.0f);
}

static void warm_open(struct warm *w)
{
    dnnl_primitive_t cold = NULL;
    rig_open(&w->rig, 0);
    w->pd = relu_desc(w->rig.engine, 16, 0.0f);
    EXPECT_OK(dnnl_primitive_create(&cold, w->pd));
    w->blob = primitive_blob(cold);
    EXPECT_OK(dnnl_primitive_destroy(cold));
    forget(w);
}

static void warm_close(struct warm *w)
{
    EXPECT_OK(dnnl_primitive_desc_destroy(w->pd));
    bytes_free(&w->blob);
    rig_close(&w->rig);
}

#define TEST_WARM(suite, name) \
    TEST_WITH(suite, name, struct warm, w, warm_open(w), warm_close(w))

TEST_WARM(PrimitiveCache, TakesPrimitivesFromBlobs)
{
    dnnl_primitive_t first = NULL;
    dnnl_primitive_t second = NULL;
    unsigned long builds = fake_opencl_source_builds();
    ASSERT_OK(dnnl_primitive_create_from_cache_blob(
            &first, w->pd, w->blob.size, w->blob.data));
    ASSERT_OK(dnnl_primitive_create(&second, w->pd));
    EXPECT_EQ(dnnl_cache_origin_blob, origin_of(first));
    EXPECT_EQ(dnnl_cache_origin_memory_hit, origin_of(second));
    EXPECT_EQ(builds, fake_opencl_source_builds());
    EXPECT_OK(dnnl_primitive_destroy(first));
    EXPECT_OK(dnnl_primitive_destroy(second));
}

TEST_WARM(PrimitiveCache, GivesOutPrimitivesForBlobs)
{
    dnnl_primitive_t first = NULL;
    dnnl_primitive_t second = NULL;
    ASSERT_OK(dnnl_primitive_create(&first, w->pd));
    ASSERT_OK(dnnl_primitive_create_from_cache_blob(
            &second, w->pd, w->blob.size, w->blob.data));
    EXPECT_EQ(dnnl_cache_origin_memory_hit, origin_of(second));
    EXPECT_EQ(0, fake_opencl_binary_builds());
    EXPECT_OK(dnnl_primitive_destroy(first));
    EXPECT_OK(dnnl_primitive_destroy(second));
}

/* Creation from the blob fails so, and what follows compiles. */
static void expect_never_enters(
        struct warm *w, dnnl_status_t status, const struct bytes *blob)
{
    struct log_capture log;
    dnnl_primitive_t primitive = (dnnl_primitive_t)&log;
    log_capture_start(&log);
    EXPECT_STATUS(status, dnnl_primitive_create_from_cache_blob(
                                  &primitive, w->pd, blob->size, blob->data));
    EXPECT_PTR_EQ(&log, primitive);
    log_capture_stop(&log);
    EXPECT_EQ(0, rig_statistics().primitive_entries);
    unsigned long builds = fake_opencl_source_builds();
    ASSERT_OK(dnnl_primitive_create(&primitive, w->pd));
    EXPECT_EQ(dnnl_cache_origin_compiled, origin_of(primitive));
    EXPECT_EQ(builds + 1, fake_opencl_source_builds());
    EXPECT_OK(run_relu(w->rig.engine, primitive, 16));
    EXPECT_OK(dnnl_primitive_destroy(primitive));
}

TEST_WARM(PrimitiveCache, NeverTakesAStaleBlob)
{
    struct bytes stale = blob_with_other_field(&w->blob, id_driver_version);
    expect_never_enters(w, dnnl_cache_blob_stale, &stale);
    bytes_free(&stale);
}

TEST_WARM(PrimitiveCache, NeverTakesADamagedBlob)
{
    w->blob.data[w->blob.size - 1] ^= 1;
    expect_never_enters(w, dnnl_cache_blob_corrupt, &w->blob);
    EXPECT_EQ(0, fake_opencl_binary_bytes_seen());
}

TEST_WARM(PrimitiveCache, NeverTakesABlobTheDriverRefuses)
{
    fake_opencl_fail("clCreateProgramWithBinary", 1, CL_INVALID_BINARY);
    expect_never_enters(w, dnnl_cache_blob_stale, &w->blob);
}

/* Upstream takes any bytes where the primitive is in memory. */
TEST_WARM(PrimitiveCache, DoesNotExcuseABadBlob)
{
    struct log_capture log;
    dnnl_primitive_t first = NULL;
    dnnl_primitive_t second = (dnnl_primitive_t)w;
    struct bytes stale = blob_with_other_field(&w->blob, id_device_name);
    ASSERT_OK(dnnl_primitive_create(&first, w->pd));
    log_capture_start(&log);
    EXPECT_STATUS(dnnl_cache_blob_stale,
            dnnl_primitive_create_from_cache_blob(
                    &second, w->pd, stale.size, stale.data));
    EXPECT_STATUS(dnnl_cache_blob_corrupt,
            dnnl_primitive_create_from_cache_blob(
                    &second, w->pd, 7, (const uint8_t *)"garbage"));
    EXPECT_PTR_EQ(w, second);
    log_capture_stop(&log);
    EXPECT_OK(dnnl_primitive_destroy(first));
    bytes_free(&stale);
}
