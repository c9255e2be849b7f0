/* SPDX-License-Identifier: Apache-2.0 */
/* Programs in memory: limited, evicted with what is made of them. */
#include "in_memory.h"
#include "log_capture.h"
#include "programs.h"
#include "rig.h"
#ifdef DNNL_CACHE_TEST_PRIMITIVES
#include "small_primitives.h"
#endif

#include "test.h"

#include <stdatomic.h>

/* ---- The limit ----------------------------------------------------------- */

TEST_C(ProgramCache, HasNoLimitAtFirst)
{
    uint64_t bytes = 0;
    EXPECT_OK(dnnl_cache_get_program_cache_limit(&bytes));
    EXPECT_TRUE(bytes == DNNL_CACHE_NO_LIMIT);
    EXPECT_OK(dnnl_cache_set_program_cache_limit(5));
    EXPECT_OK(dnnl_cache_get_program_cache_limit(&bytes));
    EXPECT_EQ(5, bytes);
    no_limit();
}

TEST_RIG(ProgramCache, LeastRecentlyUsedLeavesFirst)
{
    uint64_t one = bytes_of_one(rig->engine);
    EXPECT_OK(dnnl_cache_set_program_cache_limit(3 * one));
    for (unsigned n = 0; n < 3; n++)
        EXPECT_FALSE(touch(rig->engine, n));
    EXPECT_TRUE(touch(rig->engine, 0)); /* 1 is the oldest now */
    EXPECT_FALSE(touch(rig->engine, 3));
    EXPECT_TRUE(touch(rig->engine, 2));
    EXPECT_TRUE(touch(rig->engine, 0));
    EXPECT_TRUE(touch(rig->engine, 3));
    EXPECT_EQ(3, rig_statistics().program_entries);
    EXPECT_FALSE(touch(rig->engine, 1)); /* 2 left for it */
    EXPECT_FALSE(touch(rig->engine, 2));
    no_limit();
}

/* With room for two and three in turns, none is ever found. */
TEST_RIG(ProgramCache, CyclesThatDoNotFitMissAlways)
{
    uint64_t one = bytes_of_one(rig->engine);
    EXPECT_OK(dnnl_cache_set_program_cache_limit(2 * one));
    for (unsigned n = 0; n < 9; n++) {
        EXPECT_FALSE(touch(rig->engine, n % 3));
        EXPECT_LE(rig_statistics().program_entries, 2);
    }
    no_limit();
}

TEST_RIG(ProgramCache, WithinItsLimitKeepsAll)
{
    uint64_t one = bytes_of_one(rig->engine);
    uint64_t evictions = rig_statistics().program_evictions;
    EXPECT_OK(dnnl_cache_set_program_cache_limit(10 * one));
    for (unsigned n = 0; n < 10; n++)
        EXPECT_FALSE(touch(rig->engine, n));
    for (unsigned n = 0; n < 10; n++)
        EXPECT_TRUE(touch(rig->engine, n));
    EXPECT_EQ(evictions, rig_statistics().program_evictions);
    EXPECT_EQ(10 * one, rig_statistics().program_bytes);
    no_limit();
}

/* Programs that came while nobody asked for their size are counted then. */
TEST_RIG(ProgramCache, LimitSetLaterHoldsForWhatIsThere)
{
    uint64_t one = bytes_of_one(rig->engine);
    unsigned long queries = fake_opencl_count("clGetProgramInfo");
    for (unsigned n = 0; n < 5; n++)
        (void)touch(rig->engine, n);
    EXPECT_EQ(queries, fake_opencl_count("clGetProgramInfo"));
    EXPECT_EQ(0, rig_statistics().program_bytes);
    EXPECT_OK(dnnl_cache_set_program_cache_limit(2 * one));
    EXPECT_EQ(2, rig_statistics().program_entries);
    EXPECT_EQ(2 * one, rig_statistics().program_bytes);
    EXPECT_TRUE(touch(rig->engine, 4));
    EXPECT_TRUE(touch(rig->engine, 3));
    EXPECT_FALSE(touch(rig->engine, 2));
    no_limit();
}

/* PoCL compiles when it is asked for a binary: that is part of the time. */
TEST_RIG(ProgramCache, SizesAreAskedForWhileTheTimeRuns)
{
    (void)bytes_of_one(rig->engine);
    EXPECT_OK(dnnl_cache_set_program_cache_limit(DNNL_CACHE_NO_LIMIT - 1));
    dnnl_cache_program_desc_t desc = describe_number(rig->engine, 1);
    fake_opencl_set("SIZES_MS", "20");
    dnnl_cache_program_t program = create(desc);
    fake_opencl_set("SIZES_MS", NULL);
    EXPECT_GE(info_of(program).driver_ns, 20000000);
    EXPECT_OK(dnnl_cache_program_destroy(program));
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
    no_limit();
}

/* Its bytes cannot be counted: it is not kept while they are. */
TEST_RIG(ProgramCache, ProgramOfUnknownSizeIsNotKeptWithinALimit)
{
    struct log_capture log;
    uint64_t one = bytes_of_one(rig->engine);
    EXPECT_OK(dnnl_cache_set_program_cache_limit(9 * one));
    EXPECT_FALSE(touch(rig->engine, 1));
    log_capture_start(&log);
    fake_opencl_set("SIZES_MS", "!-5"); /* CL_OUT_OF_RESOURCES */
    EXPECT_FALSE(touch(rig->engine, 2));
    EXPECT_EQ(1, rig_statistics().program_entries);
    EXPECT_EQ(one, rig_statistics().program_bytes);
    no_limit(); /* and nobody asks */
    EXPECT_FALSE(touch(rig->engine, 3));
    EXPECT_EQ(2, rig_statistics().program_entries);
    EXPECT_OK(dnnl_cache_set_program_cache_limit(9 * one));
    EXPECT_EQ(1, rig_statistics().program_entries);
    fake_opencl_set("SIZES_MS", NULL);
    EXPECT_TRUE(touch(rig->engine, 1));
    EXPECT_EQ(one, rig_statistics().program_bytes);
    log_capture_stop(&log);
    no_limit();
}

TEST_RIG(ProgramCache, LimitIsOfEachContext)
{
    dnnl_engine_t other = NULL;
    uint64_t one = bytes_of_one(rig->engine);
    ASSERT_OK(dnnl_engine_create(&other, dnnl_gpu, 0));
    EXPECT_OK(dnnl_cache_set_program_cache_limit(one));
    EXPECT_FALSE(touch(rig->engine, 1));
    EXPECT_FALSE(touch(other, 1));
    EXPECT_EQ(2, rig_statistics().program_entries);
    EXPECT_TRUE(touch(rig->engine, 1));
    EXPECT_TRUE(touch(other, 1));
    EXPECT_OK(dnnl_engine_destroy(other));
    no_limit();
}

TEST_RIG(ProgramCache, LimitOfNothingIsOff)
{
    EXPECT_FALSE(touch(rig->engine, 1));
    EXPECT_OK(dnnl_cache_set_program_cache_limit(0));
    EXPECT_EQ(0, rig_statistics().program_entries);
    EXPECT_FALSE(touch(rig->engine, 1));
    EXPECT_FALSE(touch(rig->engine, 1));
    no_limit();
    EXPECT_FALSE(touch(rig->engine, 1));
    EXPECT_TRUE(touch(rig->engine, 1));
}

static uint64_t limit_of_callback; /* to be set; 0: was, or none */

static void set_when_told(
        dnnl_cache_log_level_t level, const char *text, void *user)
{
    uint64_t bytes = limit_of_callback;
    (void)level;
    (void)text;
    (void)user;
    limit_of_callback = 0;
    if (bytes != 0) EXPECT_OK(dnnl_cache_set_program_cache_limit(bytes));
}

/* While one is applied a callback sets another: as two threads may. */
TEST_RIG(ProgramCache, LimitSetWhileOneIsAppliedHolds)
{
    uint64_t limit = 0;
    uint64_t one = bytes_of_one(rig->engine);
    no_limit();
    for (unsigned n = 0; n < 20; n++)
        (void)touch(rig->engine, n);
    EXPECT_OK(dnnl_cache_set_log_callback(set_when_told, NULL));
    limit_of_callback = 2 * one + one / 2;
    fake_opencl_fail("clGetProgramInfo", 1, CL_OUT_OF_RESOURCES);
    EXPECT_OK(dnnl_cache_set_program_cache_limit(1000 * one));
    EXPECT_OK(dnnl_cache_set_log_callback(NULL, NULL));
    EXPECT_EQ(0, limit_of_callback);
    EXPECT_OK(dnnl_cache_get_program_cache_limit(&limit));
    EXPECT_EQ(2 * one + one / 2, limit);
    for (unsigned n = 20; n < 30; n++)
        (void)touch(rig->engine, n);
    EXPECT_EQ(2 * one, rig_statistics().program_bytes);
    EXPECT_EQ(2, rig_statistics().program_entries);
    no_limit();
}

/* ---- What lives on, and what leaves, too --------------------------------- */

static void launch_on(cl_command_queue queue, cl_kernel kernel, cl_mem buffer)
{
    const float factor = 2.0f;
    const size_t size = 1;
    EXPECT_EQ(CL_SUCCESS, clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    EXPECT_EQ(CL_SUCCESS, clSetKernelArg(kernel, 1, sizeof factor, &factor));
    EXPECT_EQ(CL_SUCCESS, clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &size,
                                  NULL, 0, NULL, NULL));
}

static void count_launch(const struct fake_opencl_launch *launch, size_t count,
        const struct fake_opencl_arg *arguments, void *user)
{
    (void)launch;
    (void)count;
    (void)arguments;
    atomic_fetch_add((atomic_int *)user, 1);
}

TEST_RIG(ProgramCache, EvictedWhileExecutingLivesUntilReleased)
{
    struct fake_opencl_objects alive;
    atomic_int launches = 0;
    cl_int error;
    cl_kernel object = NULL;
    dnnl_cache_kernel_t kernel = NULL;
    cl_command_queue queue =
            clCreateCommandQueue(rig->context, rig->device, 0, &error);
    cl_mem buffer =
            clCreateBuffer(rig->context, CL_MEM_READ_WRITE, 64, NULL, &error);
    dnnl_cache_program_desc_t desc = describe(rig->engine, scale_source, NULL);
    ASSERT_OK(dnnl_cache_kernel_create(&kernel, desc, "scale"));
    ASSERT_OK(dnnl_cache_kernel_get_cl_kernel(kernel, &object));
    fake_opencl_set_kernel_body("scale", count_launch, &launches);
    launch_on(queue, object, buffer);

    EXPECT_OK(dnnl_cache_set_program_cache_limit(1)); /* evicts it */
    EXPECT_EQ(0, rig_statistics().program_entries);
    EXPECT_EQ(0, rig_statistics().kernel_entries);
    EXPECT_EQ(0, rig_statistics().fast_kernel_entries);
    fake_opencl_live_objects(&alive);
    EXPECT_EQ(1, alive.programs);
    launch_on(queue, object, buffer);
    EXPECT_EQ(CL_SUCCESS, clFinish(queue));
    EXPECT_EQ(2, atomic_load(&launches));

    EXPECT_OK(dnnl_cache_kernel_destroy(kernel));
    fake_opencl_live_objects(&alive);
    EXPECT_EQ(0, alive.programs);
    EXPECT_EQ(0, alive.kernels);
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
    clReleaseMemObject(buffer);
    clReleaseCommandQueue(queue);
    no_limit();
}

#ifdef DNNL_CACHE_TEST_PRIMITIVES
TEST_RIG(ProgramCache, EvictedProgramTakesItsPrimitivesAlong)
{
    EXPECT_FALSE(touch_relu(rig->engine));
    EXPECT_TRUE(touch_relu(rig->engine));
    EXPECT_EQ(1, rig_statistics().primitive_entries);
    EXPECT_OK(dnnl_cache_set_program_cache_limit(1));
    EXPECT_EQ(0, rig_statistics().primitive_entries);
    no_limit();
    EXPECT_FALSE(touch_relu(rig->engine));
}

TEST_RIG(ProgramCache, PrimitiveWhoseProgramHasNoRoomIsNotKept)
{
    struct fake_opencl_objects alive;
    dnnl_primitive_desc_t pd = relu_desc(rig->engine, 16, 0.0f); /* the probe */
    EXPECT_OK(dnnl_primitive_desc_destroy(pd));
    EXPECT_OK(dnnl_cache_set_program_cache_limit(1));
    EXPECT_FALSE(touch_relu(rig->engine));
    EXPECT_EQ(0, rig_statistics().primitive_entries);
    fake_opencl_live_objects(&alive);
    EXPECT_EQ(0, alive.programs);
    no_limit();
}

/* With no room for any program, primitives do not keep them either. */
TEST_RIG(ProgramCache, LimitReachesWhatOnlyPrimitivesKeep)
{
    struct fake_opencl_objects alive;
    EXPECT_FALSE(touch_relu(rig->engine));
    EXPECT_OK(dnnl_cache_set_program_cache_limit(0));
    EXPECT_FALSE(touch_relu(rig->engine));
    EXPECT_FALSE(touch_relu(rig->engine));
    EXPECT_EQ(0, rig_statistics().primitive_entries);
    EXPECT_OK(dnnl_cache_set_program_cache_limit(1));
    fake_opencl_live_objects(&alive);
    EXPECT_EQ(0, alive.programs);
    no_limit();
}

/* Primitives that share a program would keep its older generations alive. */
TEST_RIG(ProgramCache, CompiledAgainWithinALimitTheOldOneLeaves)
{
    enum { COUNT = 4 };
    struct fake_opencl_objects alive;
    dnnl_primitive_desc_t descs[COUNT];
    dnnl_primitive_t primitive = NULL;
    EXPECT_OK(dnnl_cache_set_program_cache_limit(DNNL_CACHE_NO_LIMIT - 1));
    for (int i = 0; i < COUNT; i++) {
        descs[i] = relu_desc(rig->engine, 100 + i, 0.5f);
        EXPECT_OK(dnnl_primitive_create(&primitive, descs[i]));
        EXPECT_OK(dnnl_primitive_destroy(primitive));
    }
    EXPECT_EQ(1, rig_statistics().program_entries);
    uint64_t evictions = rig_statistics().primitive_evictions;
    EXPECT_OK(dnnl_cache_engine_set_compile_mode(
            rig->engine, dnnl_cache_compile_mode_recompile));
    for (int i = 0; i < COUNT; i++) {
        EXPECT_OK(dnnl_primitive_create(&primitive, descs[i]));
        EXPECT_OK(dnnl_primitive_destroy(primitive));
        EXPECT_EQ(1, rig_statistics().program_entries);
        fake_opencl_live_objects(&alive);
        EXPECT_EQ(1, alive.programs);
    }
    EXPECT_EQ(evictions, rig_statistics().primitive_evictions);
    for (int i = 0; i < COUNT; i++)
        EXPECT_OK(dnnl_primitive_desc_destroy(descs[i]));
    no_limit();
}

/* A primitive that is found in memory is a use of its program. */
TEST_RIG(ProgramCache, HitsOfPrimitivesCountAsUse)
{
    uint64_t one = bytes_of_one(rig->engine);
    EXPECT_OK(dnnl_cache_set_program_cache_limit(DNNL_CACHE_NO_LIMIT - 1));
    EXPECT_FALSE(touch_relu(rig->engine));
    uint64_t relu = rig_statistics().program_bytes;
    EXPECT_OK(dnnl_cache_set_program_cache_limit(relu + one));
    EXPECT_FALSE(touch(rig->engine, 1));
    EXPECT_TRUE(touch_relu(rig->engine));
    EXPECT_FALSE(touch(rig->engine, 2)); /* 1 left for it, not the relu's */
    EXPECT_TRUE(touch_relu(rig->engine));
    EXPECT_FALSE(touch(rig->engine, 1));
    no_limit();
}
#endif
