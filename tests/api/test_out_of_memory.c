/* SPDX-License-Identifier: Apache-2.0 */
/* Builds that run out of memory: what is in memory is given up, and they are
 * tried once more. */
#include "in_memory.h"
#include "log_capture.h"
#include "programs.h"
#include "rig.h"
#ifdef DNNL_CACHE_TEST_PRIMITIVES
#include "small_primitives.h"
#endif

#include "test.h"

/* Whatever is in memory is given up, in other contexts, too. */
static void expect_emptied_once(cl_int error)
{
    struct rig rig;
    struct log_capture log;
    dnnl_engine_t other = NULL;
    dnnl_cache_kernel_t kernel = NULL;
    rig_open(&rig, 0);
    ASSERT_OK(dnnl_engine_create(&other, dnnl_gpu, 0));
    uint64_t one = bytes_of_one(rig.engine);
    EXPECT_OK(dnnl_cache_set_program_cache_limit(100 * one));
    (void)touch(rig.engine, 1);
    (void)touch(other, 2);
    dnnl_cache_program_desc_t desc = describe_number(rig.engine, 1);
    EXPECT_OK(dnnl_cache_kernel_create(&kernel, desc, "fill"));
    EXPECT_OK(dnnl_cache_kernel_destroy(kernel));
    EXPECT_EQ(2, rig_statistics().program_entries);
    dnnl_cache_statistics_t before = rig_statistics();
    unsigned long builds = fake_opencl_source_builds();

    log_capture_start(&log);
    fake_opencl_fail("clBuildProgram", 1, error);
    EXPECT_FALSE(touch(rig.engine, 3));
    log_capture_stop(&log);

    dnnl_cache_statistics_t after = rig_statistics();
    EXPECT_EQ(builds + 1, fake_opencl_source_builds()); /* the other failed */
    EXPECT_EQ(before.program_builds + 2, after.program_builds);
    EXPECT_EQ(before.program_failures + 1, after.program_failures);
    EXPECT_EQ(before.program_evictions + 2, after.program_evictions);
    EXPECT_EQ(1, after.program_entries);
    EXPECT_EQ(one, after.program_bytes);
    EXPECT_EQ(0, after.kernel_entries);
    EXPECT_EQ(0, after.fast_kernel_entries);
    /* The accounts are right: there is room for as many as before. */
    EXPECT_OK(dnnl_cache_set_program_cache_limit(2 * one));
    EXPECT_FALSE(touch(rig.engine, 1));
    EXPECT_TRUE(touch(rig.engine, 3));
    EXPECT_TRUE(touch(rig.engine, 1));
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
    EXPECT_OK(dnnl_engine_destroy(other));
    no_limit();
    rig_close(&rig);
}

TEST_C(ProgramCache, OutOfHostMemoryOnceIsOneBuildMoreAndEmptiesAll)
{
    expect_emptied_once(CL_OUT_OF_HOST_MEMORY);
}

TEST_C(ProgramCache, OutOfResourcesOnceIsOneBuildMoreAndEmptiesAll)
{
    expect_emptied_once(CL_OUT_OF_RESOURCES);
}

/* Without a limit and with one that is far away, it is the same. */
TEST_RIG(ProgramCache, OutOfMemoryEmptiesWithoutALimit)
{
    struct log_capture log;
    (void)touch(rig->engine, 1);
    (void)touch(rig->engine, 2);
    log_capture_start(&log);
    fake_opencl_fail("clBuildProgram", 1, CL_OUT_OF_HOST_MEMORY);
    EXPECT_FALSE(touch(rig->engine, 3));
    log_capture_stop(&log);
    EXPECT_EQ(1, rig_statistics().program_entries);
}

/* Through a kernel's look-up and a primitive's, builds are nested: only the one
 * that has run out of memory is tried again. */
TEST_RIG(ProgramCache, OutOfMemoryForGoodIsTwoBuildsHoweverDeep)
{
    struct log_capture log;
    dnnl_cache_kernel_t kernel = NULL;
    dnnl_cache_program_desc_t desc = describe_number(rig->engine, 1);
    log_capture_start(&log);
    fake_opencl_set("BUILD_ERROR", "-6");
    EXPECT_STATUS(dnnl_out_of_memory,
            dnnl_cache_kernel_create(&kernel, desc, "fill"));
    EXPECT_EQ(2, fake_opencl_source_builds());
#ifdef DNNL_CACHE_TEST_PRIMITIVES
    dnnl_primitive_t primitive = NULL;
    fake_opencl_set("BUILD_ERROR", NULL);
    dnnl_primitive_desc_t pd = relu_desc(rig->engine, 16, 0.0f);
    fake_opencl_set("BUILD_ERROR", "-6");
    unsigned long builds = fake_opencl_source_builds();
    EXPECT_STATUS(dnnl_out_of_memory, dnnl_primitive_create(&primitive, pd));
    EXPECT_EQ(builds + 2, fake_opencl_source_builds());
    EXPECT_OK(dnnl_primitive_desc_destroy(pd));
#endif
    log_capture_stop(&log);
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
}

TEST_RIG(ProgramCache, OutOfMemoryForGoodIsTwoBuildsAndAFailure)
{
    struct log_capture log;
    dnnl_cache_program_t program = (dnnl_cache_program_t)rig;
    dnnl_cache_program_desc_t desc = describe_number(rig->engine, 1);
    dnnl_cache_statistics_t before = rig_statistics();
    log_capture_start(&log);
    fake_opencl_set("BUILD_ERROR", "-6"); /* CL_OUT_OF_HOST_MEMORY */
    EXPECT_STATUS(
            dnnl_out_of_memory, dnnl_cache_program_create(&program, desc));
    EXPECT_EQ(2, fake_opencl_source_builds());
    fake_opencl_set("BUILD_ERROR", NULL);
    log_capture_stop(&log);
    EXPECT_PTR_EQ(rig, program);
    dnnl_cache_statistics_t after = rig_statistics();
    EXPECT_EQ(before.program_builds + 2, after.program_builds);
    EXPECT_EQ(before.program_failures + 2, after.program_failures);
    EXPECT_FALSE(touch(rig->engine, 1));
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
}
