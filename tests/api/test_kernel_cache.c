/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels in memory. */
#include "kernels.h"
#include "log_capture.h"
#include "programs.h"
#include "rig.h"
#ifdef DNNL_CACHE_TEST_PRIMITIVES
#include "small_primitives.h"
#endif

#include "test.h"

#include <string.h>

/* ---- What is found ------------------------------------------------------- */

TEST_RIG(KernelCache, MakesAKernelOnceAndFindsIt)
{
    dnnl_cache_program_desc_t desc = describe(rig->engine, scale_source, NULL);
    dnnl_cache_kernel_t kernel = kernel_of(desc, "scale");
    cl_kernel object = object_of(kernel);
    EXPECT_OK(dnnl_cache_kernel_destroy(kernel));
    dnnl_cache_statistics_t before = rig_statistics();
    unsigned long calls = fake_opencl_total_calls();
    for (int i = 0; i < 100; i++) {
        kernel = kernel_of(desc, "scale");
        EXPECT_PTR_EQ(object, object_of(kernel));
        EXPECT_OK(dnnl_cache_kernel_destroy(kernel));
    }
    EXPECT_EQ(calls, fake_opencl_total_calls()); /* the driver is not asked */
    dnnl_cache_statistics_t after = rig_statistics();
    EXPECT_EQ(before.fast_kernel_hits + 100, after.fast_kernel_hits);
    EXPECT_EQ(before.kernel_hits, after.kernel_hits);
    EXPECT_EQ(before.program_hits, after.program_hits);
    EXPECT_EQ(1, fake_opencl_source_builds());
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
}

/* Two programs export a kernel of one name; each is found as its own. */
TEST_RIG(KernelCache, TellsEqualNamesOfTwoProgramsApart)
{
    dnnl_cache_program_desc_t one = describe(rig->engine, scale_source, NULL);
    dnnl_cache_program_desc_t two = describe(rig->engine, other_source, NULL);
    dnnl_cache_program_t programs[] = {create(one), create(two)};
    cl_program objects[2];
    for (int i = 0; i < 2; i++)
        EXPECT_OK(dnnl_cache_program_get_cl_program(programs[i], &objects[i]));
    for (int round = 0; round < 3; round++) {
        dnnl_cache_kernel_t fast[] = {
                kernel_of(one, "scale"), kernel_of(two, "scale")};
        for (int i = 0; i < 2; i++) {
            dnnl_cache_kernel_t named = NULL;
            EXPECT_OK(dnnl_cache_kernel_create_from_program(
                    &named, programs[i], "scale"));
            EXPECT_PTR_EQ(objects[i], program_of(fast[i]));
            EXPECT_PTR_EQ(objects[i], program_of(named));
            EXPECT_EQ(2 - i, argument_count(fast[i]));
            EXPECT_EQ(2 - i, argument_count(named));
            EXPECT_OK(dnnl_cache_kernel_destroy(named));
            EXPECT_OK(dnnl_cache_kernel_destroy(fast[i]));
        }
    }
    EXPECT_EQ(2, rig_statistics().kernel_entries);
    EXPECT_EQ(2, rig_statistics().fast_kernel_entries);
    for (int i = 0; i < 2; i++)
        EXPECT_OK(dnnl_cache_program_destroy(programs[i]));
    EXPECT_OK(dnnl_cache_program_desc_destroy(one));
    EXPECT_OK(dnnl_cache_program_desc_destroy(two));
}

/* The end of the program's key and the start of the name do not run together,
 * and every kernel of a program is kept. */
TEST_RIG(KernelCache, TellsNamesApart)
{
    dnnl_cache_program_desc_t desc = describe(rig->engine,
            "__kernel void a(int x) {}\n__kernel void ab(int x, int y) {}\n",
            NULL);
    for (int round = 0; round < 2; round++) {
        dnnl_cache_kernel_t a = kernel_of(desc, "a");
        dnnl_cache_kernel_t ab = kernel_of(desc, "ab");
        EXPECT_EQ(1, argument_count(a));
        EXPECT_EQ(2, argument_count(ab));
        EXPECT_OK(dnnl_cache_kernel_destroy(a));
        EXPECT_OK(dnnl_cache_kernel_destroy(ab));
    }
    EXPECT_EQ(2, rig_statistics().kernel_entries);
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
}

static void expect_apart(
        dnnl_cache_program_desc_t one, dnnl_cache_program_desc_t other)
{
    dnnl_cache_kernel_t first = kernel_of(one, "scale");
    dnnl_cache_kernel_t second = kernel_of(other, "scale");
    EXPECT_TRUE(program_of(first) != program_of(second));
    EXPECT_OK(dnnl_cache_kernel_destroy(first));
    EXPECT_OK(dnnl_cache_kernel_destroy(second));
    EXPECT_OK(dnnl_cache_program_desc_destroy(one));
    EXPECT_OK(dnnl_cache_program_desc_destroy(other));
}

TEST_RIG(KernelCache, TellsOptionsApart)
{
    expect_apart(describe(rig->engine, scale_source, NULL),
            describe(rig->engine, scale_source, "-DX=1"));
}

TEST_C(KernelCache, TellsDevicesOfAContextApart)
{
    struct rig rig;
    cl_int error;
    dnnl_engine_t engines[2] = {NULL, NULL};
    fake_opencl_set("DEVICES", "4");
    rig_open(&rig, 0);
    const cl_device_id devices[] = {rig_device(2), rig_device(3)};
    cl_context both = clCreateContext(NULL, 2, devices, NULL, NULL, &error);
    for (size_t i = 0; i < 2; i++)
        ASSERT_OK(
                dnnl_ocl_interop_engine_create(&engines[i], devices[i], both));
    expect_apart(describe(engines[0], scale_source, NULL),
            describe(engines[1], scale_source, NULL));
    for (size_t i = 0; i < 2; i++)
        EXPECT_OK(dnnl_engine_destroy(engines[i]));
    clReleaseContext(both);
    rig_close(&rig);
}

/* A program of IL with a specialization constant, or without. */
static dnnl_cache_program_desc_t describe_il(
        dnnl_engine_t engine, const uint32_t *value)
{
    dnnl_cache_program_desc_t desc = NULL;
    static const char il[] = "\x03\x02\x23\x07"
                             "__kernel void scale(__global float *x) {}";
    EXPECT_OK(dnnl_cache_program_desc_create_with_il(
            &desc, engine, sizeof il - 1, il, NULL));
    if (value != NULL)
        EXPECT_OK(dnnl_cache_program_desc_set_spec_constant(
                desc, 1, sizeof *value, value));
    return desc;
}

/* No constants are not equal to any: upstream compares too few. */
TEST_C(KernelCache, TellsSpecializationConstantsApart)
{
    struct rig rig;
    const uint32_t one = 1;
    const uint32_t two = 2;
    fake_opencl_set("IL_VERSION", "SPIR-V_1.2");
    rig_open(&rig, 0);
    expect_apart(describe_il(rig.engine, NULL), describe_il(rig.engine, &one));
    expect_apart(describe_il(rig.engine, &one), describe_il(rig.engine, &two));
    expect_apart(describe_il(rig.engine, &two), describe_il(rig.engine, NULL));
    EXPECT_EQ(3, fake_opencl_source_builds());
    EXPECT_EQ(3, rig_statistics().program_entries);
    EXPECT_EQ(3, rig_statistics().fast_kernel_entries);
    rig_close(&rig);
}

TEST_RIG(KernelCache, GivesEveryHolderAnObjectOfItsOwn)
{
    enum { HOLDERS = 40 };
    dnnl_cache_kernel_t kernels[HOLDERS];
    dnnl_cache_program_desc_t desc = describe(rig->engine, scale_source, NULL);
    for (int i = 0; i < HOLDERS; i++) {
        kernels[i] = kernel_of(desc, "scale");
        for (int j = 0; j < i; j++)
            EXPECT_TRUE(object_of(kernels[i]) != object_of(kernels[j]));
    }
    for (int i = 0; i < HOLDERS; i++)
        EXPECT_OK(dnnl_cache_kernel_destroy(kernels[i]));
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
}

TEST_RIG(KernelCache, KeepsNoNameThatIsNotThere)
{
    struct log_capture log;
    dnnl_cache_kernel_t kernel = (dnnl_cache_kernel_t)rig;
    dnnl_cache_program_desc_t desc = describe(rig->engine, scale_source, NULL);
    dnnl_cache_program_t program = create(desc);
    log_capture_start(&log);
    EXPECT_STATUS(dnnl_invalid_arguments,
            dnnl_cache_kernel_create(&kernel, desc, "nobody"));
    EXPECT_STATUS(dnnl_invalid_arguments,
            dnnl_cache_kernel_create_from_program(&kernel, program, "nobody"));
    log_capture_stop(&log);
    EXPECT_PTR_EQ(rig, kernel);
    EXPECT_EQ(0, rig_statistics().kernel_entries);
    EXPECT_EQ(0, rig_statistics().fast_kernel_entries);
    EXPECT_OK(dnnl_cache_program_destroy(program));
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
}

TEST_RIG(KernelCache, ServesCachedOnlyCallsFromMemory)
{
    dnnl_cache_kernel_t kernel = (dnnl_cache_kernel_t)rig;
    dnnl_cache_program_desc_t desc = describe(rig->engine, scale_source, NULL);
    EXPECT_OK(dnnl_cache_engine_set_compile_mode(
            rig->engine, dnnl_cache_compile_mode_cached_only));
    EXPECT_STATUS(
            dnnl_cache_miss, dnnl_cache_kernel_create(&kernel, desc, "scale"));
    EXPECT_PTR_EQ(rig, kernel);
    EXPECT_OK(dnnl_cache_engine_set_compile_mode(
            rig->engine, dnnl_cache_compile_mode_normal));
    EXPECT_OK(dnnl_cache_kernel_destroy(kernel_of(desc, "scale")));
    EXPECT_OK(dnnl_cache_engine_set_compile_mode(
            rig->engine, dnnl_cache_compile_mode_cached_only));
    EXPECT_OK(dnnl_cache_kernel_destroy(kernel_of(desc, "scale")));
    EXPECT_OK(dnnl_cache_kernel_destroy(kernel_of(desc, "fill")));
    EXPECT_EQ(1, fake_opencl_source_builds());
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
}

/* With the program in memory, the first one puts the kernel there. */
TEST_RIG(KernelCache, CachedOnlyCallsTakeOneLookUpToo)
{
    dnnl_cache_program_desc_t desc = describe(rig->engine, scale_source, NULL);
    EXPECT_OK(dnnl_cache_program_destroy(create(desc)));
    rig_set_mode(rig, dnnl_cache_compile_mode_cached_only);
    EXPECT_OK(dnnl_cache_kernel_destroy(kernel_of(desc, "scale")));
    dnnl_cache_statistics_t before = rig_statistics();
    EXPECT_EQ(1, before.fast_kernel_entries);
    EXPECT_OK(dnnl_cache_kernel_destroy(kernel_of(desc, "scale")));
    dnnl_cache_statistics_t after = rig_statistics();
    EXPECT_EQ(before.fast_kernel_hits + 1, after.fast_kernel_hits);
    EXPECT_EQ(before.fast_kernel_misses, after.fast_kernel_misses);
    EXPECT_EQ(before.program_hits, after.program_hits);
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
}

/* Drivers may keep alive what an idle kernel object was given. */
TEST_RIG(KernelCache, IdleKernelsHoldNoBuffers)
{
    const float factor = 1.0f;
    cl_int error;
    cl_mem buffer =
            clCreateBuffer(rig->context, CL_MEM_READ_WRITE, 64, NULL, &error);
    dnnl_cache_program_desc_t desc =
            describe(rig->engine, scale_source, "-cl-kernel-arg-info");
    for (int i = 0; i < 2; i++) {
        dnnl_cache_kernel_t kernel = kernel_of(desc, "scale");
        EXPECT_EQ(CL_SUCCESS,
                clSetKernelArg(object_of(kernel), 0, sizeof buffer, &buffer));
        EXPECT_EQ(CL_SUCCESS,
                clSetKernelArg(object_of(kernel), 1, sizeof factor, &factor));
        unsigned long set = fake_opencl_count("clSetKernelArg");
        unsigned long asked = fake_opencl_count("clGetKernelArgInfo");
        EXPECT_OK(dnnl_cache_kernel_destroy(kernel));
        EXPECT_EQ(set + 1, fake_opencl_count("clSetKernelArg"));
        /* The kinds of arguments are asked for once. */
        EXPECT_EQ(i == 0, fake_opencl_count("clGetKernelArgInfo") > asked);
    }
    clReleaseMemObject(buffer);
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
}

/* A recompiled program replaces the old one, and its kernels the old ones. */
TEST_RIG(KernelCache, FollowsARecompiledProgram)
{
    dnnl_cache_program_desc_t desc = describe(rig->engine, scale_source, NULL);
    dnnl_cache_kernel_t old = kernel_of(desc, "scale");
    EXPECT_OK(dnnl_cache_engine_set_compile_mode(
            rig->engine, dnnl_cache_compile_mode_recompile));
    dnnl_cache_program_t program = create(desc);
    EXPECT_OK(dnnl_cache_engine_set_compile_mode(
            rig->engine, dnnl_cache_compile_mode_normal));
    cl_program object = NULL;
    EXPECT_OK(dnnl_cache_program_get_cl_program(program, &object));
    dnnl_cache_kernel_t fresh = kernel_of(desc, "scale");
    EXPECT_PTR_EQ(object, program_of(fresh));
    EXPECT_TRUE(program_of(old) != object);
    EXPECT_OK(dnnl_cache_kernel_destroy(old));
    EXPECT_OK(dnnl_cache_kernel_destroy(fresh));
    EXPECT_EQ(1, rig_statistics().kernel_entries);
    EXPECT_OK(dnnl_cache_program_destroy(program));
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
}

#ifdef DNNL_CACHE_TEST_PRIMITIVES
/* ---- Of primitives ------------------------------------------------------- */

/* Fifty shapes of one program have one kernel, and its objects, between them.
 */
TEST_RIG(KernelCache, ServesThePrimitivesOfOneProgram)
{
    dnnl_primitive_t primitives[50];
    struct fake_opencl_objects alive;
    for (int i = 0; i < 50; i++) {
        dnnl_primitive_desc_t pd = relu_desc(rig->engine, 16 + i, 0.0f);
        EXPECT_OK(dnnl_primitive_create(&primitives[i], pd));
        EXPECT_OK(dnnl_primitive_desc_destroy(pd));
    }
    EXPECT_EQ(1, rig_statistics().kernel_entries);
    fake_opencl_live_objects(&alive);
    EXPECT_EQ(1, alive.kernels);
    for (int i = 0; i < 50; i++) {
        EXPECT_OK(run_relu(rig->engine, primitives[i], 16 + i));
        EXPECT_OK(dnnl_primitive_destroy(primitives[i]));
    }
}

/* Each sets two buffers and its parameters, and takes the buffers away. */
TEST_RIG(KernelCache, IdleKernelsOfPrimitivesHoldNoBuffers)
{
    dnnl_primitive_t primitive = NULL;
    dnnl_primitive_desc_t pd = relu_desc(rig->engine, 16, 0.0f);
    unsigned long set = fake_opencl_count("clSetKernelArg");
    EXPECT_OK(dnnl_primitive_create(&primitive, pd)); /* launches to warm up */
    EXPECT_EQ(set + 5, fake_opencl_count("clSetKernelArg"));
    EXPECT_OK(run_relu(rig->engine, primitive, 16));
    EXPECT_EQ(set + 10, fake_opencl_count("clSetKernelArg"));
    EXPECT_OK(dnnl_primitive_destroy(primitive));
    EXPECT_OK(dnnl_primitive_desc_destroy(pd));
}

/* The compiler refuses a primitive: the descriptor has its words. */
TEST_RIG(KernelCache, PrimitivesTellTheBuildLogToo)
{
    struct log_capture log;
    char text[256] = "";
    size_t size = sizeof text;
    dnnl_primitive_t primitive = NULL;
    dnnl_primitive_desc_t pd = relu_desc(rig->engine, 16, 0.0f);
    fake_opencl_set("BUILD_LOG", "not like this");
    fake_opencl_fail("clBuildProgram", 1, CL_BUILD_PROGRAM_FAILURE);
    log_capture_start(&log);
    EXPECT_STATUS(dnnl_runtime_error, dnnl_primitive_create(&primitive, pd));
    log_capture_stop(&log);
    EXPECT_OK(dnnl_cache_primitive_desc_get_build_log(pd, &size, text));
    EXPECT_EQ(strlen(text) + 1, size);
    EXPECT_OK(dnnl_primitive_desc_destroy(pd));
}
#endif

/* ---- Arguments ----------------------------------------------------------- */

TEST_RIG(KernelCache, RefusesNull)
{
    size_t size = 77;
    int cacheable = 77;
    const char *reason = "as it was";
    cl_kernel object = NULL;
    dnnl_cache_kernel_t kernel = (dnnl_cache_kernel_t)rig;
    dnnl_cache_program_desc_t desc = describe(rig->engine, scale_source, NULL);
    dnnl_cache_program_t program = create(desc);
#define REFUSED(call) EXPECT_STATUS(dnnl_invalid_arguments, call)
    REFUSED(dnnl_cache_kernel_create(NULL, desc, "scale"));
    REFUSED(dnnl_cache_kernel_create(&kernel, NULL, "scale"));
    REFUSED(dnnl_cache_kernel_create(&kernel, desc, NULL));
    REFUSED(dnnl_cache_kernel_create_from_program(NULL, program, "scale"));
    REFUSED(dnnl_cache_kernel_create_from_program(&kernel, NULL, "scale"));
    REFUSED(dnnl_cache_kernel_create_from_program(&kernel, program, NULL));
    REFUSED(dnnl_cache_kernel_get_cl_kernel(NULL, &object));
    REFUSED(dnnl_cache_program_desc_is_cacheable(NULL, &cacheable, &reason));
    REFUSED(dnnl_cache_program_desc_is_cacheable(desc, NULL, &reason));
    REFUSED(dnnl_cache_program_is_cacheable(NULL, &cacheable, &reason));
    REFUSED(dnnl_cache_program_is_cacheable(program, NULL, &reason));
    REFUSED(dnnl_cache_program_desc_get_build_log(NULL, &size, NULL));
    REFUSED(dnnl_cache_program_desc_get_build_log(desc, NULL, NULL));
    REFUSED(dnnl_cache_get_program_cache_limit(NULL));
    REFUSED(dnnl_cache_get_statistics_json(NULL, NULL));
#ifdef DNNL_CACHE_TEST_PRIMITIVES
    dnnl_primitive_desc_t pd = relu_desc(rig->engine, 16, 0.0f);
    REFUSED(dnnl_cache_primitive_desc_is_cacheable(NULL, &cacheable, &reason));
    REFUSED(dnnl_cache_primitive_desc_is_cacheable(pd, NULL, &reason));
    REFUSED(dnnl_cache_primitive_desc_get_build_log(NULL, &size, NULL));
    REFUSED(dnnl_cache_primitive_desc_get_build_log(pd, NULL, NULL));
    EXPECT_OK(dnnl_primitive_desc_destroy(pd));
#endif
#undef REFUSED
    EXPECT_PTR_EQ(rig, kernel);
    EXPECT_EQ(77, size);
    EXPECT_EQ(77, cacheable);
    EXPECT_STR_EQ("as it was", reason);
    EXPECT_OK(dnnl_cache_kernel_destroy(NULL));
    kernel = kernel_of(desc, "scale");
    EXPECT_STATUS(dnnl_invalid_arguments,
            dnnl_cache_kernel_get_cl_kernel(kernel, NULL));
    EXPECT_OK(dnnl_cache_kernel_destroy(kernel));
    EXPECT_OK(dnnl_cache_program_destroy(program));
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
}
