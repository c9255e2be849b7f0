/* SPDX-License-Identifier: Apache-2.0 */
/* When an engine may compile: modes of the process and of an engine. */
#include "log_capture.h"
#include "programs.h"
#include "rig.h"
#include "small_primitives.h"

#include "test.h"

#include <stdlib.h>

/* Drops the engine and what it keeps in memory. */
static void forget(struct rig *rig)
{
    rig_forget_primitives();
    EXPECT_OK(dnnl_engine_destroy(rig->engine));
    EXPECT_OK(dnnl_ocl_interop_engine_create(
            &rig->engine, rig->device, rig->context));
}

static void cached_only(const struct rig *rig)
{
    EXPECT_OK(dnnl_cache_engine_set_compile_mode(
            rig->engine, dnnl_cache_compile_mode_cached_only));
}

/* ---- Cached only --------------------------------------------------------- */

TEST_RIG(CachedOnly, ProgramIsAMiss)
{
    dnnl_cache_program_t program = (dnnl_cache_program_t)rig;
    cached_only(rig);
    dnnl_cache_program_desc_t desc = describe(rig->engine, scale_source, NULL);
    EXPECT_STATUS(dnnl_cache_miss, dnnl_cache_program_create(&program, desc));
    EXPECT_PTR_EQ(rig, program);
    EXPECT_EQ(0, fake_opencl_count("clCreateProgramWithSource"));
    EXPECT_EQ(0, fake_opencl_source_builds());
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
}

TEST_RIG(CachedOnly, ProgramThatIsNotCacheableIsAMiss)
{
    dnnl_cache_program_t program = (dnnl_cache_program_t)rig;
    cached_only(rig);
    dnnl_cache_program_desc_t desc = describe(rig->engine,
            "#if 0\n#include \"x\"\n#endif\n__kernel void k(void) {}", NULL);
    EXPECT_STATUS(dnnl_cache_miss, dnnl_cache_program_create(&program, desc));
    EXPECT_PTR_EQ(rig, program);
    EXPECT_EQ(0, fake_opencl_source_builds());
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
}

TEST_RIG(CachedOnly, ProgramInMemoryIsAHit)
{
    dnnl_cache_program_t first = build(rig->engine, scale_source, NULL);
    cached_only(rig);
    dnnl_cache_program_t second = build(rig->engine, scale_source, NULL);
    EXPECT_EQ(dnnl_cache_origin_memory_hit, info_of(second).origin);
    EXPECT_OK(dnnl_cache_program_destroy(first));
    EXPECT_OK(dnnl_cache_program_destroy(second));
}

TEST_RIG(CachedOnly, ProgramComesFromABlob)
{
    dnnl_cache_program_t cold = build(rig->engine, scale_source, NULL);
    struct bytes blob = program_blob(cold);
    EXPECT_OK(dnnl_cache_program_destroy(cold));
    forget(rig);
    cached_only(rig);
    dnnl_cache_program_desc_t desc = describe(rig->engine, scale_source, NULL);
    dnnl_cache_program_t warm = create_from(desc, &blob);
    EXPECT_EQ(dnnl_cache_origin_blob, info_of(warm).origin);
    expect_kernel(warm, "scale");
    EXPECT_OK(dnnl_cache_program_destroy(warm));
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
    bytes_free(&blob);
}

/* A program of the application's own is no compilation of ours. */
TEST_RIG(CachedOnly, IdsAreToldAllTheSame)
{
    cached_only(rig);
    dnnl_cache_program_desc_t desc = describe(rig->engine, scale_source, NULL);
    struct bytes program = program_id(desc);
    struct bytes engine = engine_id(rig->device);
    EXPECT_GT(program.size, 0);
    EXPECT_GT(engine.size, 0);
    bytes_free(&program);
    bytes_free(&engine);
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
}

TEST_RIG(CachedOnly, EngineBlobIsAMissBeforeTheProbe)
{
    size_t size = 77;
    cached_only(rig);
    EXPECT_STATUS(dnnl_cache_miss,
            dnnl_ocl_interop_engine_get_cache_blob(rig->engine, &size, NULL));
    EXPECT_EQ(77, size);
    EXPECT_EQ(0, fake_opencl_source_builds());
}

TEST_RIG(CachedOnly, EngineBlobIsThereAfterTheProbe)
{
    struct bytes before = engine_blob(rig->engine);
    cached_only(rig);
    struct bytes after = engine_blob(rig->engine);
    EXPECT_TRUE(bytes_equal(&before, &after));
    bytes_free(&before);
    bytes_free(&after);
}

#ifdef DNNL_CACHE_TEST_PRIMITIVES
TEST_RIG(CachedOnly, PrimitiveDescriptorIsAMissBeforeTheProbe)
{
    dnnl_primitive_desc_t pd = (dnnl_primitive_desc_t)rig;
    cached_only(rig);
    EXPECT_STATUS(dnnl_cache_miss, try_relu_desc(&pd, rig->engine, 16, 0.0f));
    EXPECT_PTR_EQ(rig, pd);
    EXPECT_EQ(0, fake_opencl_source_builds());
}

TEST_RIG(CachedOnly, PrimitiveIsAMiss)
{
    dnnl_primitive_t primitive = (dnnl_primitive_t)rig;
    dnnl_primitive_desc_t pd = relu_desc(rig->engine, 16, 0.0f);
    unsigned long builds = fake_opencl_source_builds();
    cached_only(rig);
    EXPECT_STATUS(dnnl_cache_miss, dnnl_primitive_create(&primitive, pd));
    EXPECT_PTR_EQ(rig, primitive);
    EXPECT_EQ(builds, fake_opencl_source_builds());
    EXPECT_OK(dnnl_primitive_desc_destroy(pd));
}

TEST_RIG(CachedOnly, PrimitiveInMemoryIsAHit)
{
    dnnl_primitive_t first = NULL;
    dnnl_primitive_t second = NULL;
    dnnl_primitive_desc_t pd = relu_desc(rig->engine, 16, 0.0f);
    ASSERT_OK(dnnl_primitive_create(&first, pd));
    cached_only(rig);
    ASSERT_OK(dnnl_primitive_create(&second, pd));
    EXPECT_EQ(dnnl_cache_origin_memory_hit, origin_of(second));
    EXPECT_OK(dnnl_primitive_destroy(first));
    EXPECT_OK(dnnl_primitive_destroy(second));
    EXPECT_OK(dnnl_primitive_desc_destroy(pd));
}

/* The program of another shape is all that it needs. */
TEST_RIG(CachedOnly, PrimitiveOfAProgramInMemoryIsAHit)
{
    dnnl_primitive_t first = NULL;
    dnnl_primitive_t second = NULL;
    dnnl_primitive_desc_t pd = relu_desc(rig->engine, 16, 0.0f);
    ASSERT_OK(dnnl_primitive_create(&first, pd));
    cached_only(rig);
    dnnl_primitive_desc_t other = relu_desc(rig->engine, 32, 0.0f);
    ASSERT_OK(dnnl_primitive_create(&second, other));
    EXPECT_OK(run_relu(rig->engine, second, 32));
    EXPECT_OK(dnnl_primitive_destroy(first));
    EXPECT_OK(dnnl_primitive_destroy(second));
    EXPECT_OK(dnnl_primitive_desc_destroy(pd));
    EXPECT_OK(dnnl_primitive_desc_destroy(other));
}

/* Blobs for the engine and the primitive: nothing compiles, all works. */
TEST_RIG(CachedOnly, WarmStartWorks)
{
    dnnl_primitive_t primitive = NULL;
    struct bytes facts = engine_blob(rig->engine);
    dnnl_primitive_desc_t pd = relu_desc(rig->engine, 16, 0.0f);
    ASSERT_OK(dnnl_primitive_create(&primitive, pd));
    struct bytes blob = primitive_blob(primitive);
    EXPECT_OK(dnnl_primitive_destroy(primitive));
    EXPECT_OK(dnnl_primitive_desc_destroy(pd));
    rig_forget_primitives();
    EXPECT_OK(dnnl_engine_destroy(rig->engine));
    fake_opencl_reset();

    EXPECT_OK(dnnl_cache_set_compile_mode(dnnl_cache_compile_mode_cached_only));
    ASSERT_OK(dnnl_ocl_interop_engine_create_from_cache_blob(
            &rig->engine, rig->device, rig->context, facts.size, facts.data));
    pd = relu_desc(rig->engine, 16, 0.0f);
    ASSERT_OK(dnnl_primitive_create_from_cache_blob(
            &primitive, pd, blob.size, blob.data));
    EXPECT_OK(run_relu(rig->engine, primitive, 16));
    EXPECT_EQ(0, fake_opencl_source_builds());
    EXPECT_OK(dnnl_cache_set_compile_mode(dnnl_cache_compile_mode_normal));
    EXPECT_OK(dnnl_primitive_destroy(primitive));
    EXPECT_OK(dnnl_primitive_desc_destroy(pd));
    bytes_free(&facts);
    bytes_free(&blob);
}
#endif

/* ---- Whose mode ---------------------------------------------------------- */

static dnnl_status_t try_build(dnnl_engine_t engine)
{
    dnnl_cache_program_t program = NULL;
    dnnl_cache_program_desc_t desc = describe(engine, scale_source, NULL);
    dnnl_status_t st = dnnl_cache_program_create(&program, desc);
    EXPECT_OK(dnnl_cache_program_destroy(program));
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
    return st;
}

TEST_RIG(CompileMode, OfTheProcessHoldsForEngines)
{
    EXPECT_OK(dnnl_cache_set_compile_mode(dnnl_cache_compile_mode_cached_only));
    EXPECT_STATUS(dnnl_cache_miss, try_build(rig->engine));
    EXPECT_OK(dnnl_cache_set_compile_mode(dnnl_cache_compile_mode_normal));
    EXPECT_STATUS(dnnl_success, try_build(rig->engine));
}

TEST_RIG(CompileMode, OfAnEngineOverridesTheProcesss)
{
    dnnl_engine_t other = NULL;
    ASSERT_OK(dnnl_engine_create(&other, dnnl_gpu, 0));
    EXPECT_OK(dnnl_cache_engine_set_compile_mode(
            rig->engine, dnnl_cache_compile_mode_normal));
    EXPECT_OK(dnnl_cache_set_compile_mode(dnnl_cache_compile_mode_cached_only));
    EXPECT_STATUS(dnnl_success, try_build(rig->engine));
    EXPECT_STATUS(dnnl_cache_miss, try_build(other));
    EXPECT_OK(dnnl_cache_set_compile_mode(dnnl_cache_compile_mode_normal));
    EXPECT_OK(dnnl_cache_engine_set_compile_mode(
            rig->engine, dnnl_cache_compile_mode_cached_only));
    EXPECT_STATUS(dnnl_success, try_build(other));
    EXPECT_OK(dnnl_engine_destroy(other));
}

TEST_RIG(CompileMode, ThatIsUnknownIsRefused)
{
    EXPECT_STATUS(dnnl_invalid_arguments,
            dnnl_cache_engine_set_compile_mode(
                    rig->engine, (dnnl_cache_compile_mode_t)3));
    EXPECT_STATUS(dnnl_invalid_arguments,
            dnnl_cache_engine_set_compile_mode(
                    rig->engine, (dnnl_cache_compile_mode_t)-1));
    EXPECT_STATUS(dnnl_invalid_arguments,
            dnnl_cache_set_compile_mode((dnnl_cache_compile_mode_t)3));
    EXPECT_STATUS(dnnl_invalid_arguments,
            dnnl_cache_set_compile_mode((dnnl_cache_compile_mode_t)-1));
    EXPECT_STATUS(dnnl_success, try_build(rig->engine));
}

/* ---- Recompile ----------------------------------------------------------- */

static void recompile(const struct rig *rig, bool on)
{
    EXPECT_OK(dnnl_cache_engine_set_compile_mode(
            rig->engine, on ? dnnl_cache_compile_mode_recompile
                            : dnnl_cache_compile_mode_normal));
}

static cl_program object_of(const_dnnl_cache_program_t program)
{
    cl_program object = NULL;
    EXPECT_OK(dnnl_cache_program_get_cl_program(program, &object));
    return object;
}

TEST_RIG(Recompile, ProgramIsCompiledAfreshAndReplacesTheOld)
{
    dnnl_cache_program_t old = build(rig->engine, scale_source, NULL);
    recompile(rig, true);
    dnnl_cache_program_t fresh = build(rig->engine, scale_source, NULL);
    EXPECT_EQ(2, fake_opencl_source_builds());
    EXPECT_EQ(dnnl_cache_origin_compiled, info_of(fresh).origin);
    recompile(rig, false);
    dnnl_cache_program_t later = build(rig->engine, scale_source, NULL);
    EXPECT_EQ(2, fake_opencl_source_builds());
    EXPECT_PTR_EQ(object_of(fresh), object_of(later));
    EXPECT_TRUE(object_of(old) != object_of(later));
    expect_kernel(old, "scale");
    EXPECT_OK(dnnl_cache_program_destroy(old));
    EXPECT_OK(dnnl_cache_program_destroy(fresh));
    EXPECT_OK(dnnl_cache_program_destroy(later));
}

#ifdef DNNL_CACHE_TEST_PRIMITIVES
TEST_RIG(Recompile, PrimitiveIsCompiledAfreshAndReplacesTheOld)
{
    dnnl_primitive_t old = NULL;
    dnnl_primitive_t fresh = NULL;
    dnnl_primitive_t later = NULL;
    dnnl_primitive_desc_t pd = relu_desc(rig->engine, 16, 0.0f);
    ASSERT_OK(dnnl_primitive_create(&old, pd));
    unsigned long builds = fake_opencl_source_builds();
    recompile(rig, true);
    ASSERT_OK(dnnl_primitive_create(&fresh, pd));
    EXPECT_EQ(builds + 1, fake_opencl_source_builds());
    EXPECT_EQ(dnnl_cache_origin_compiled, origin_of(fresh));
    recompile(rig, false);
    ASSERT_OK(dnnl_primitive_create(&later, pd));
    EXPECT_EQ(builds + 1, fake_opencl_source_builds());
    EXPECT_EQ(dnnl_cache_origin_memory_hit, origin_of(later));
    EXPECT_OK(run_relu(rig->engine, old, 16));
    EXPECT_OK(run_relu(rig->engine, later, 16));
    EXPECT_OK(dnnl_primitive_destroy(old));
    EXPECT_OK(dnnl_primitive_destroy(fresh));
    EXPECT_OK(dnnl_primitive_destroy(later));
    EXPECT_OK(dnnl_primitive_desc_destroy(pd));
}
#endif

TEST_RIG(Recompile, ThatFailsLeavesTheOldProgram)
{
    struct log_capture log;
    dnnl_cache_program_t old = build(rig->engine, scale_source, NULL);
    recompile(rig, true);
    log_capture_start(&log);
    fake_opencl_fail("clBuildProgram", 1, CL_BUILD_PROGRAM_FAILURE);
    EXPECT_STATUS(dnnl_runtime_error, try_build(rig->engine));
    log_capture_stop(&log);
    recompile(rig, false);
    unsigned long builds = fake_opencl_source_builds();
    EXPECT_STATUS(dnnl_success, try_build(rig->engine));
    EXPECT_EQ(builds, fake_opencl_source_builds());
    EXPECT_OK(dnnl_cache_program_destroy(old));
}
