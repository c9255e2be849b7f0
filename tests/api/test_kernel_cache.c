/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels in memory, what is cacheable, and the statistics of it all. */
#include "log_capture.h"
#include "programs.h"
#include "rig.h"
#ifdef DNNL_CACHE_TEST_PRIMITIVES
#include "small_primitives.h"
#endif

#include "test.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const other_source =
        "__kernel void scale(__global float *x) { x[0] = 3.0f; }\n";

static dnnl_cache_statistics_t statistics_now(void)
{
    dnnl_cache_statistics_t now = DNNL_CACHE_STATISTICS_INIT;
    EXPECT_OK(dnnl_cache_get_statistics(&now));
    return now;
}

static dnnl_cache_kernel_t kernel_of(
        const_dnnl_cache_program_desc_t desc, const char *name)
{
    dnnl_cache_kernel_t kernel = NULL;
    EXPECT_OK(dnnl_cache_kernel_create(&kernel, desc, name));
    return kernel;
}

static cl_kernel object_of(const_dnnl_cache_kernel_t kernel)
{
    cl_kernel object = NULL;
    EXPECT_OK(dnnl_cache_kernel_get_cl_kernel(kernel, &object));
    return object;
}

static cl_program program_of(const_dnnl_cache_kernel_t kernel)
{
    cl_program program = NULL;
    EXPECT_EQ(CL_SUCCESS, clGetKernelInfo(object_of(kernel), CL_KERNEL_PROGRAM,
                                  sizeof program, &program, NULL));
    return program;
}

static cl_uint argument_count(const_dnnl_cache_kernel_t kernel)
{
    cl_uint count = 0;
    EXPECT_EQ(CL_SUCCESS, clGetKernelInfo(object_of(kernel), CL_KERNEL_NUM_ARGS,
                                  sizeof count, &count, NULL));
    return count;
}

/* ---- What is found ------------------------------------------------------- */

TEST_C(KernelCache, MakesAKernelOnceAndFindsIt)
{
    struct rig rig;
    rig_open(&rig, 0);
    dnnl_cache_program_desc_t desc = describe(rig.engine, scale_source, NULL);
    dnnl_cache_kernel_t kernel = kernel_of(desc, "scale");
    cl_kernel object = object_of(kernel);
    EXPECT_OK(dnnl_cache_kernel_destroy(kernel));
    dnnl_cache_statistics_t before = statistics_now();
    unsigned long calls = fake_opencl_total_calls();
    for (int i = 0; i < 100; i++) {
        kernel = kernel_of(desc, "scale");
        EXPECT_PTR_EQ(object, object_of(kernel));
        EXPECT_OK(dnnl_cache_kernel_destroy(kernel));
    }
    EXPECT_EQ(calls, fake_opencl_total_calls()); /* the driver is not asked */
    dnnl_cache_statistics_t after = statistics_now();
    EXPECT_EQ(before.fast_kernel_hits + 100, after.fast_kernel_hits);
    EXPECT_EQ(before.kernel_hits, after.kernel_hits);
    EXPECT_EQ(before.program_hits, after.program_hits);
    EXPECT_EQ(1, fake_opencl_source_builds());
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
    rig_close(&rig);
}

/* Two programs export a kernel of one name; each is found as its own. */
TEST_C(KernelCache, TellsEqualNamesOfTwoProgramsApart)
{
    struct rig rig;
    rig_open(&rig, 0);
    dnnl_cache_program_desc_t one = describe(rig.engine, scale_source, NULL);
    dnnl_cache_program_desc_t two = describe(rig.engine, other_source, NULL);
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
    EXPECT_EQ(2, statistics_now().kernel_entries);
    EXPECT_EQ(2, statistics_now().fast_kernel_entries);
    for (int i = 0; i < 2; i++)
        EXPECT_OK(dnnl_cache_program_destroy(programs[i]));
    EXPECT_OK(dnnl_cache_program_desc_destroy(one));
    EXPECT_OK(dnnl_cache_program_desc_destroy(two));
    rig_close(&rig);
}

/* The end of the program's key and the start of the name do not run together,
 * and every kernel of a program is kept. */
TEST_C(KernelCache, TellsNamesApart)
{
    struct rig rig;
    rig_open(&rig, 0);
    dnnl_cache_program_desc_t desc = describe(rig.engine,
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
    EXPECT_EQ(2, statistics_now().kernel_entries);
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
    rig_close(&rig);
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

TEST_C(KernelCache, TellsOptionsApart)
{
    struct rig rig;
    rig_open(&rig, 0);
    expect_apart(describe(rig.engine, scale_source, NULL),
            describe(rig.engine, scale_source, "-DX=1"));
    rig_close(&rig);
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
    EXPECT_EQ(3, statistics_now().program_entries);
    EXPECT_EQ(3, statistics_now().fast_kernel_entries);
    rig_close(&rig);
}

TEST_C(KernelCache, GivesEveryHolderAnObjectOfItsOwn)
{
    struct rig rig;
    rig_open(&rig, 0);
    enum { HOLDERS = 40 };
    dnnl_cache_kernel_t kernels[HOLDERS];
    dnnl_cache_program_desc_t desc = describe(rig.engine, scale_source, NULL);
    for (int i = 0; i < HOLDERS; i++) {
        kernels[i] = kernel_of(desc, "scale");
        for (int j = 0; j < i; j++)
            EXPECT_TRUE(object_of(kernels[i]) != object_of(kernels[j]));
    }
    for (int i = 0; i < HOLDERS; i++)
        EXPECT_OK(dnnl_cache_kernel_destroy(kernels[i]));
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
    rig_close(&rig);
}

TEST_C(KernelCache, KeepsNoNameThatIsNotThere)
{
    struct rig rig;
    struct log_capture log;
    dnnl_cache_kernel_t kernel = (dnnl_cache_kernel_t)&rig;
    rig_open(&rig, 0);
    dnnl_cache_program_desc_t desc = describe(rig.engine, scale_source, NULL);
    dnnl_cache_program_t program = create(desc);
    log_capture_start(&log);
    EXPECT_STATUS(dnnl_invalid_arguments,
            dnnl_cache_kernel_create(&kernel, desc, "nobody"));
    EXPECT_STATUS(dnnl_invalid_arguments,
            dnnl_cache_kernel_create_from_program(&kernel, program, "nobody"));
    log_capture_stop(&log);
    EXPECT_PTR_EQ(&rig, kernel);
    EXPECT_EQ(0, statistics_now().kernel_entries);
    EXPECT_EQ(0, statistics_now().fast_kernel_entries);
    EXPECT_OK(dnnl_cache_program_destroy(program));
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
    rig_close(&rig);
}

TEST_C(KernelCache, ServesCachedOnlyCallsFromMemory)
{
    struct rig rig;
    dnnl_cache_kernel_t kernel = (dnnl_cache_kernel_t)&rig;
    rig_open(&rig, 0);
    dnnl_cache_program_desc_t desc = describe(rig.engine, scale_source, NULL);
    EXPECT_OK(dnnl_cache_engine_set_compile_mode(
            rig.engine, dnnl_cache_compile_mode_cached_only));
    EXPECT_STATUS(
            dnnl_cache_miss, dnnl_cache_kernel_create(&kernel, desc, "scale"));
    EXPECT_PTR_EQ(&rig, kernel);
    EXPECT_OK(dnnl_cache_engine_set_compile_mode(
            rig.engine, dnnl_cache_compile_mode_normal));
    EXPECT_OK(dnnl_cache_kernel_destroy(kernel_of(desc, "scale")));
    EXPECT_OK(dnnl_cache_engine_set_compile_mode(
            rig.engine, dnnl_cache_compile_mode_cached_only));
    EXPECT_OK(dnnl_cache_kernel_destroy(kernel_of(desc, "scale")));
    EXPECT_OK(dnnl_cache_kernel_destroy(kernel_of(desc, "fill")));
    EXPECT_EQ(1, fake_opencl_source_builds());
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
    rig_close(&rig);
}

static void set_mode(const struct rig *rig, dnnl_cache_compile_mode_t mode)
{
    EXPECT_OK(dnnl_cache_engine_set_compile_mode(rig->engine, mode));
}

/* With the program in memory, the first one puts the kernel there. */
TEST_C(KernelCache, CachedOnlyCallsTakeOneLookUpToo)
{
    struct rig rig;
    rig_open(&rig, 0);
    dnnl_cache_program_desc_t desc = describe(rig.engine, scale_source, NULL);
    EXPECT_OK(dnnl_cache_program_destroy(create(desc)));
    set_mode(&rig, dnnl_cache_compile_mode_cached_only);
    EXPECT_OK(dnnl_cache_kernel_destroy(kernel_of(desc, "scale")));
    dnnl_cache_statistics_t before = statistics_now();
    EXPECT_EQ(1, before.fast_kernel_entries);
    EXPECT_OK(dnnl_cache_kernel_destroy(kernel_of(desc, "scale")));
    dnnl_cache_statistics_t after = statistics_now();
    EXPECT_EQ(before.fast_kernel_hits + 1, after.fast_kernel_hits);
    EXPECT_EQ(before.fast_kernel_misses, after.fast_kernel_misses);
    EXPECT_EQ(before.program_hits, after.program_hits);
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
    rig_close(&rig);
}

/* Drivers may keep alive what an idle kernel object was given. */
TEST_C(KernelCache, IdleKernelsHoldNoBuffers)
{
    struct rig rig;
    const float factor = 1.0f;
    cl_int error;
    rig_open(&rig, 0);
    cl_mem buffer =
            clCreateBuffer(rig.context, CL_MEM_READ_WRITE, 64, NULL, &error);
    dnnl_cache_program_desc_t desc =
            describe(rig.engine, scale_source, "-cl-kernel-arg-info");
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
    rig_close(&rig);
}

/* A recompiled program replaces the old one, and its kernels the old ones. */
TEST_C(KernelCache, FollowsARecompiledProgram)
{
    struct rig rig;
    rig_open(&rig, 0);
    dnnl_cache_program_desc_t desc = describe(rig.engine, scale_source, NULL);
    dnnl_cache_kernel_t old = kernel_of(desc, "scale");
    EXPECT_OK(dnnl_cache_engine_set_compile_mode(
            rig.engine, dnnl_cache_compile_mode_recompile));
    dnnl_cache_program_t program = create(desc);
    EXPECT_OK(dnnl_cache_engine_set_compile_mode(
            rig.engine, dnnl_cache_compile_mode_normal));
    cl_program object = NULL;
    EXPECT_OK(dnnl_cache_program_get_cl_program(program, &object));
    dnnl_cache_kernel_t fresh = kernel_of(desc, "scale");
    EXPECT_PTR_EQ(object, program_of(fresh));
    EXPECT_TRUE(program_of(old) != object);
    EXPECT_OK(dnnl_cache_kernel_destroy(old));
    EXPECT_OK(dnnl_cache_kernel_destroy(fresh));
    EXPECT_EQ(1, statistics_now().kernel_entries);
    EXPECT_OK(dnnl_cache_program_destroy(program));
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
    rig_close(&rig);
}

/* ---- Threads ------------------------------------------------------------- */

enum { THREADS = 32, ROUNDS = 50 };

struct user {
    pthread_t thread;
    const_dnnl_cache_program_desc_t descs[2];
};

/* The object is this thread's alone while it has it: what it sets stays. */
static void *use_kernels(void *arg)
{
    const struct user *u = arg;
    for (int i = 0; i < ROUNDS; i++) {
        dnnl_cache_kernel_t kernel = kernel_of(u->descs[i % 2], "scale");
        const float factor = 1.0f;
        EXPECT_EQ(2 - i % 2, argument_count(kernel));
        if (i % 2 == 0)
            EXPECT_EQ(CL_SUCCESS, clSetKernelArg(object_of(kernel), 1,
                                          sizeof factor, &factor));
        EXPECT_OK(dnnl_cache_kernel_destroy(kernel));
    }
    return NULL;
}

static void use_from_all_threads(struct rig *rig)
{
    struct user users[THREADS];
    dnnl_cache_program_desc_t one = describe(rig->engine, scale_source, NULL);
    dnnl_cache_program_desc_t two = describe(rig->engine, other_source, NULL);
    for (int i = 0; i < THREADS; i++) {
        users[i].descs[0] = one;
        users[i].descs[1] = two;
        if (pthread_create(&users[i].thread, NULL, use_kernels, &users[i]) != 0)
            abort();
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(users[i].thread, NULL);
    EXPECT_OK(dnnl_cache_program_desc_destroy(one));
    EXPECT_OK(dnnl_cache_program_desc_destroy(two));
}

TEST_C(KernelCache, ThreadsBuildAProgramAndKernelOnce)
{
    struct rig rig;
    rig_open(&rig, 0);
    dnnl_cache_statistics_t before = statistics_now();
    use_from_all_threads(&rig);
    dnnl_cache_statistics_t after = statistics_now();
    EXPECT_EQ(2, fake_opencl_source_builds());
    EXPECT_EQ(before.kernel_builds + 2, after.kernel_builds);
    rig_close(&rig);
}

/* Programs leave all the time, with kernels in use and about to enter. */
TEST_C(KernelCache, ThreadsLoseNothingToEvictions)
{
    struct rig rig;
    struct fake_opencl_objects alive;
    rig_open(&rig, 0);
    EXPECT_OK(dnnl_cache_set_program_cache_limit(1));
    use_from_all_threads(&rig);
    dnnl_cache_statistics_t now = statistics_now();
    EXPECT_EQ(0, now.program_entries);
    EXPECT_EQ(0, now.kernel_entries);
    EXPECT_EQ(0, now.fast_kernel_entries);
    fake_opencl_live_objects(&alive);
    EXPECT_EQ(0, alive.programs);
    EXPECT_OK(dnnl_cache_set_program_cache_limit(DNNL_CACHE_NO_LIMIT));
    rig_close(&rig);
}

/* ---- Evictions ----------------------------------------------------------- */

TEST_C(KernelCache, LosesTheKernelsOfAnEvictedProgram)
{
    struct rig rig;
    rig_open(&rig, 0);
    dnnl_cache_program_desc_t one = describe(rig.engine, scale_source, NULL);
    dnnl_cache_program_desc_t two = describe(rig.engine, other_source, NULL);
    EXPECT_OK(dnnl_cache_set_program_cache_limit(DNNL_CACHE_NO_LIMIT - 1));
    EXPECT_OK(dnnl_cache_kernel_destroy(kernel_of(one, "scale")));
    EXPECT_OK(dnnl_cache_kernel_destroy(kernel_of(one, "fill")));
    EXPECT_OK(dnnl_cache_kernel_destroy(kernel_of(two, "scale")));
    EXPECT_EQ(3, statistics_now().kernel_entries);
    EXPECT_EQ(3, statistics_now().fast_kernel_entries);
    EXPECT_OK(dnnl_cache_set_program_cache_limit(
            statistics_now().program_bytes - 1)); /* the older one goes */
    EXPECT_EQ(1, statistics_now().program_entries);
    EXPECT_EQ(1, statistics_now().kernel_entries);
    EXPECT_EQ(1, statistics_now().fast_kernel_entries);
    unsigned long builds = fake_opencl_source_builds();
    EXPECT_OK(dnnl_cache_kernel_destroy(kernel_of(two, "scale")));
    EXPECT_EQ(builds, fake_opencl_source_builds());
    EXPECT_OK(dnnl_cache_program_desc_destroy(one));
    EXPECT_OK(dnnl_cache_program_desc_destroy(two));
    EXPECT_OK(dnnl_cache_set_program_cache_limit(DNNL_CACHE_NO_LIMIT));
    rig_close(&rig);
}

/* A kernel found without its program is a use of the program. */
TEST_C(KernelCache, HitsCountAsUseOfTheProgram)
{
    struct rig rig;
    rig_open(&rig, 0);
    dnnl_cache_program_desc_t one = describe(rig.engine, scale_source, NULL);
    dnnl_cache_program_desc_t two = describe(rig.engine, other_source, NULL);
    EXPECT_OK(dnnl_cache_set_program_cache_limit(DNNL_CACHE_NO_LIMIT - 1));
    EXPECT_OK(dnnl_cache_kernel_destroy(kernel_of(one, "scale")));
    EXPECT_OK(dnnl_cache_kernel_destroy(kernel_of(two, "scale")));
    EXPECT_OK(dnnl_cache_kernel_destroy(kernel_of(one, "scale"))); /* a hit */
    EXPECT_OK(dnnl_cache_set_program_cache_limit(
            statistics_now().program_bytes - 1));
    EXPECT_EQ(1, statistics_now().program_entries);
    unsigned long builds = fake_opencl_source_builds();
    EXPECT_OK(dnnl_cache_kernel_destroy(kernel_of(one, "scale")));
    EXPECT_EQ(builds, fake_opencl_source_builds());
    EXPECT_OK(dnnl_cache_program_desc_destroy(one));
    EXPECT_OK(dnnl_cache_program_desc_destroy(two));
    EXPECT_OK(dnnl_cache_set_program_cache_limit(DNNL_CACHE_NO_LIMIT));
    rig_close(&rig);
}

/* ---- What is cacheable --------------------------------------------------- */

static void expect_cacheable(
        const_dnnl_cache_program_desc_t desc, bool expected, const char *part)
{
    int cacheable = 77;
    const char *reason = NULL;
    EXPECT_OK(dnnl_cache_program_desc_is_cacheable(desc, &cacheable, &reason));
    EXPECT_EQ(expected, cacheable);
    ASSERT_NOT_NULL(reason);
    if (expected)
        EXPECT_STR_EQ("", reason);
    else
        EXPECT_NOT_NULL(strstr(reason, part));
    EXPECT_OK(dnnl_cache_program_desc_is_cacheable(desc, &cacheable, NULL));
}

/* Neither the program nor its kernels enter. */
static void expect_never_inserted(const_dnnl_cache_program_desc_t desc)
{
    dnnl_cache_program_t program = create(desc);
    dnnl_cache_kernel_t kernel = NULL;
    int cacheable = 77;
    const char *reason = "";
    EXPECT_OK(dnnl_cache_program_is_cacheable(program, &cacheable, &reason));
    EXPECT_EQ(0, cacheable);
    EXPECT_TRUE(*reason != '\0');
    EXPECT_OK(dnnl_cache_kernel_create_from_program(&kernel, program, "k"));
    EXPECT_OK(dnnl_cache_kernel_destroy(kernel));
    EXPECT_OK(dnnl_cache_kernel_destroy(kernel_of(desc, "k")));
    dnnl_cache_statistics_t now = statistics_now();
    EXPECT_EQ(0, now.program_entries);
    EXPECT_EQ(0, now.kernel_entries);
    EXPECT_EQ(0, now.fast_kernel_entries);
    EXPECT_OK(dnnl_cache_program_destroy(program));
}

TEST_C(Cacheable, ProgramsAreWithTheirKernels)
{
    struct rig rig;
    int cacheable = 77;
    const char *reason = NULL;
    rig_open(&rig, 0);
    dnnl_cache_program_desc_t desc = describe(rig.engine, scale_source, NULL);
    expect_cacheable(desc, true, NULL);
    dnnl_cache_program_t program = create(desc);
    EXPECT_OK(dnnl_cache_program_is_cacheable(program, &cacheable, &reason));
    EXPECT_EQ(1, cacheable);
    EXPECT_STR_EQ("", reason);
    EXPECT_OK(dnnl_cache_kernel_destroy(kernel_of(desc, "scale")));
    EXPECT_OK(dnnl_cache_kernel_destroy(kernel_of(desc, "fill")));
    EXPECT_EQ(1, statistics_now().program_entries);
    EXPECT_EQ(2, statistics_now().kernel_entries);
    EXPECT_OK(dnnl_cache_program_destroy(program));
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
    rig_close(&rig);
}

TEST_C(Cacheable, ProgramThatIncludesIsNot)
{
    struct rig rig;
    rig_open(&rig, 0);
    dnnl_cache_program_desc_t desc = describe(rig.engine,
            "#if 0\n#include \"gone.h\"\n#endif\n__kernel void k(int x) {}\n",
            NULL);
    expect_cacheable(desc, false, "gone.h");
    expect_never_inserted(desc);
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
    rig_close(&rig);
}

TEST_C(Cacheable, ProgramWhoseOptionsIncludeIsNot)
{
    struct rig rig;
    rig_open(&rig, 0);
    dnnl_cache_program_desc_t desc = describe(
            rig.engine, "__kernel void k(int x) {}\n", "-include gone.h");
    expect_cacheable(desc, false, "options");
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
    rig_close(&rig);
}

TEST_C(Cacheable, DeviceWithoutIdentityHasNothing)
{
    struct rig rig;
    struct log_capture log;
    rig_open_unidentified(&rig);
    log_capture_start(&log);
    dnnl_cache_program_desc_t desc =
            describe(rig.engine, "__kernel void k(int x) {}\n", NULL);
    expect_cacheable(desc, false, "driver_version");
    expect_never_inserted(desc);
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
#ifdef DNNL_CACHE_TEST_PRIMITIVES
    int cacheable = 77;
    const char *reason = "";
    dnnl_primitive_t primitive = NULL;
    dnnl_primitive_desc_t pd = relu_desc(rig.engine, 16, 0.0f);
    EXPECT_OK(dnnl_cache_primitive_desc_is_cacheable(pd, &cacheable, &reason));
    EXPECT_EQ(0, cacheable);
    EXPECT_NOT_NULL(strstr(reason, "driver_version"));
    EXPECT_OK(dnnl_primitive_create(&primitive, pd));
    EXPECT_EQ(0, statistics_now().primitive_entries);
    EXPECT_OK(run_relu(rig.engine, primitive, 16));
    EXPECT_OK(dnnl_primitive_destroy(primitive));
    EXPECT_OK(dnnl_primitive_desc_destroy(pd));
#endif
    log_capture_stop(&log);
    rig_close(&rig);
}

TEST_C(Cacheable, AdoptedProgramIsNot)
{
    struct rig rig;
    cl_int error;
    int cacheable = 77;
    const char *reason = "";
    const char *source = scale_source;
    dnnl_cache_program_t adopted = NULL;
    dnnl_cache_kernel_t kernel = NULL;
    rig_open(&rig, 0);
    dnnl_cache_program_desc_t desc = describe(rig.engine, scale_source, NULL);
    cl_program object =
            clCreateProgramWithSource(rig.context, 1, &source, NULL, &error);
    EXPECT_EQ(CL_SUCCESS, clBuildProgram(object, 0, NULL, "", NULL, NULL));
    ASSERT_OK(dnnl_cache_program_adopt(&adopted, desc, object));
    EXPECT_OK(dnnl_cache_program_is_cacheable(adopted, &cacheable, &reason));
    EXPECT_EQ(0, cacheable);
    EXPECT_STR_EQ("the application built it", reason);
    EXPECT_OK(dnnl_cache_kernel_create_from_program(&kernel, adopted, "scale"));
    EXPECT_OK(dnnl_cache_kernel_destroy(kernel));
    EXPECT_EQ(0, statistics_now().program_entries);
    EXPECT_EQ(0, statistics_now().kernel_entries);
    EXPECT_OK(dnnl_cache_program_destroy(adopted));
    EXPECT_EQ(CL_SUCCESS, clReleaseProgram(object));
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
    rig_close(&rig);
}

#ifdef DNNL_CACHE_TEST_PRIMITIVES
TEST_C(Cacheable, PrimitivesAreUnlessThereIsNothingToCompile)
{
    struct rig rig;
    int cacheable = 77;
    const char *reason = NULL;
    dnnl_primitive_t primitive = NULL;
    rig_open(&rig, 0);
    dnnl_primitive_desc_t pd = relu_desc(rig.engine, 16, 0.0f);
    EXPECT_OK(dnnl_cache_primitive_desc_is_cacheable(pd, &cacheable, &reason));
    EXPECT_EQ(1, cacheable);
    EXPECT_STR_EQ("", reason);
    EXPECT_OK(dnnl_primitive_desc_destroy(pd));
    pd = relu_desc(rig.engine, 0, 0.0f);
    EXPECT_OK(dnnl_cache_primitive_desc_is_cacheable(pd, &cacheable, &reason));
    EXPECT_EQ(0, cacheable);
    EXPECT_STR_EQ("there is nothing to compile", reason);
    EXPECT_OK(dnnl_primitive_create(&primitive, pd));
    EXPECT_EQ(0, statistics_now().primitive_entries);
    EXPECT_OK(dnnl_primitive_destroy(primitive));
    EXPECT_OK(dnnl_primitive_desc_destroy(pd));
    rig_close(&rig);
}

/* Fifty shapes of one program have one kernel, and its objects, between them.
 */
TEST_C(KernelCache, ServesThePrimitivesOfOneProgram)
{
    struct rig rig;
    dnnl_primitive_t primitives[50];
    struct fake_opencl_objects alive;
    rig_open(&rig, 0);
    for (int i = 0; i < 50; i++) {
        dnnl_primitive_desc_t pd = relu_desc(rig.engine, 16 + i, 0.0f);
        EXPECT_OK(dnnl_primitive_create(&primitives[i], pd));
        EXPECT_OK(dnnl_primitive_desc_destroy(pd));
    }
    EXPECT_EQ(1, statistics_now().kernel_entries);
    fake_opencl_live_objects(&alive);
    EXPECT_EQ(1, alive.kernels);
    for (int i = 0; i < 50; i++) {
        EXPECT_OK(run_relu(rig.engine, primitives[i], 16 + i));
        EXPECT_OK(dnnl_primitive_destroy(primitives[i]));
    }
    rig_close(&rig);
}

/* Each sets two buffers and its parameters, and takes the buffers away. */
TEST_C(KernelCache, IdleKernelsOfPrimitivesHoldNoBuffers)
{
    struct rig rig;
    dnnl_primitive_t primitive = NULL;
    rig_open(&rig, 0);
    dnnl_primitive_desc_t pd = relu_desc(rig.engine, 16, 0.0f);
    unsigned long set = fake_opencl_count("clSetKernelArg");
    EXPECT_OK(dnnl_primitive_create(&primitive, pd)); /* launches to warm up */
    EXPECT_EQ(set + 5, fake_opencl_count("clSetKernelArg"));
    EXPECT_OK(run_relu(rig.engine, primitive, 16));
    EXPECT_EQ(set + 10, fake_opencl_count("clSetKernelArg"));
    EXPECT_OK(dnnl_primitive_destroy(primitive));
    EXPECT_OK(dnnl_primitive_desc_destroy(pd));
    rig_close(&rig);
}

/* The compiler refuses a primitive: the descriptor has its words. */
TEST_C(KernelCache, PrimitivesTellTheBuildLogToo)
{
    struct rig rig;
    struct log_capture log;
    char text[256] = "";
    size_t size = sizeof text;
    dnnl_primitive_t primitive = NULL;
    rig_open(&rig, 0);
    dnnl_primitive_desc_t pd = relu_desc(rig.engine, 16, 0.0f);
    fake_opencl_set("BUILD_LOG", "not like this");
    fake_opencl_fail("clBuildProgram", 1, CL_BUILD_PROGRAM_FAILURE);
    log_capture_start(&log);
    EXPECT_STATUS(dnnl_runtime_error, dnnl_primitive_create(&primitive, pd));
    log_capture_stop(&log);
    EXPECT_OK(dnnl_cache_primitive_desc_get_build_log(pd, &size, text));
    EXPECT_EQ(strlen(text) + 1, size);
    EXPECT_OK(dnnl_primitive_desc_destroy(pd));
    rig_close(&rig);
}
#endif

/* ---- Statistics ---------------------------------------------------------- */

TEST_C(Statistics, CountWhatIsInMemory)
{
    struct rig rig;
    rig_open(&rig, 0);
    dnnl_cache_program_desc_t desc = describe(rig.engine, scale_source, NULL);
    dnnl_cache_statistics_t before = statistics_now();
    fake_opencl_set("BUILD_MS", "20");
    EXPECT_OK(dnnl_cache_kernel_destroy(kernel_of(desc, "scale")));
    EXPECT_OK(dnnl_cache_kernel_destroy(kernel_of(desc, "scale")));
    EXPECT_OK(dnnl_cache_program_destroy(create(desc)));
    dnnl_cache_statistics_t after = statistics_now();
    EXPECT_EQ(before.program_entries + 1, after.program_entries);
    EXPECT_EQ(before.program_builds + 1, after.program_builds);
    EXPECT_EQ(before.program_failures, after.program_failures);
    EXPECT_EQ(before.program_misses + 1, after.program_misses);
    EXPECT_EQ(before.program_hits + 1, after.program_hits);
    EXPECT_EQ(before.kernel_misses + 1, after.kernel_misses);
    EXPECT_EQ(before.kernel_builds + 1, after.kernel_builds);
    EXPECT_EQ(before.fast_kernel_misses + 1, after.fast_kernel_misses);
    EXPECT_EQ(before.fast_kernel_hits + 1, after.fast_kernel_hits);
    /* Two hits of what took twenty milliseconds. */
    EXPECT_GE(after.saved_ns - before.saved_ns, 40000000);
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
    /* What is gone has been counted and is not there. */
    dnnl_engine_destroy(rig.engine);
    rig.engine = NULL;
    EXPECT_EQ(0, statistics_now().program_entries);
    EXPECT_EQ(after.program_builds, statistics_now().program_builds);
    EXPECT_EQ(after.fast_kernel_hits, statistics_now().fast_kernel_hits);
    rig_close(&rig);
}

/* Creates and expects so many builds, all of them misses, and failures. */
static void expect_builds(const_dnnl_cache_program_desc_t desc,
        dnnl_status_t expected, uint64_t builds, uint64_t failures)
{
    dnnl_cache_program_t program = NULL;
    dnnl_cache_statistics_t before = statistics_now();
    EXPECT_STATUS(expected, dnnl_cache_program_create(&program, desc));
    dnnl_cache_statistics_t after = statistics_now();
    EXPECT_EQ(before.program_builds + builds, after.program_builds);
    EXPECT_EQ(before.program_failures + failures, after.program_failures);
    EXPECT_EQ(before.program_misses + 1, after.program_misses);
    EXPECT_EQ(before.program_hits, after.program_hits);
    EXPECT_EQ(before.saved_ns, after.saved_ns);
    EXPECT_OK(dnnl_cache_program_destroy(program));
}

/* Whatever the way to a program is, it is counted, and once. */
TEST_C(Statistics, CountEveryWayToAProgram)
{
    struct rig rig;
    struct log_capture log;
    rig_open(&rig, 0);
    log_capture_start(&log);
    dnnl_cache_program_desc_t desc = describe(rig.engine, scale_source, NULL);
    dnnl_cache_program_desc_t uncacheable = describe(rig.engine,
            "#if 0\n#include \"gone.h\"\n#endif\n__kernel void k(int x) {}\n",
            NULL);
    fake_opencl_fail("clBuildProgram", 1, CL_BUILD_PROGRAM_FAILURE);
    expect_builds(desc, dnnl_runtime_error, 1, 1);
    set_mode(&rig, dnnl_cache_compile_mode_cached_only);
    expect_builds(desc, dnnl_cache_miss, 0, 0); /* it was not to build */
    set_mode(&rig, dnnl_cache_compile_mode_normal);
    expect_builds(desc, dnnl_success, 1, 0);
    expect_builds(uncacheable, dnnl_success, 1, 0);
    expect_builds(uncacheable, dnnl_success, 1, 0);
    set_mode(&rig, dnnl_cache_compile_mode_recompile);
    expect_builds(desc, dnnl_success, 1, 0);
    fake_opencl_fail("clBuildProgram", 1, CL_OUT_OF_HOST_MEMORY);
    expect_builds(desc, dnnl_success, 2, 1);
    set_mode(&rig, dnnl_cache_compile_mode_normal);
    fake_opencl_fail("clBuildProgram", 1, CL_OUT_OF_RESOURCES);
    expect_builds(uncacheable, dnnl_success, 2, 1);
    log_capture_stop(&log);
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
    EXPECT_OK(dnnl_cache_program_desc_destroy(uncacheable));
    rig_close(&rig);
}

/* What is compiled again takes its kernels along, for no lack of room; what
 * never had room was not thrown out. */
TEST_C(Statistics, CountEvictionsForLackOfRoomOnly)
{
    struct rig rig;
    rig_open(&rig, 0);
    dnnl_cache_program_desc_t desc = describe(rig.engine, scale_source, NULL);
    EXPECT_OK(dnnl_cache_kernel_destroy(kernel_of(desc, "scale")));
    dnnl_cache_statistics_t before = statistics_now();
    set_mode(&rig, dnnl_cache_compile_mode_recompile);
    EXPECT_OK(dnnl_cache_program_destroy(create(desc)));
    set_mode(&rig, dnnl_cache_compile_mode_normal);
    dnnl_cache_statistics_t after = statistics_now();
    EXPECT_EQ(0, after.kernel_entries);
    EXPECT_EQ(0, after.fast_kernel_entries);
    EXPECT_EQ(before.program_evictions, after.program_evictions);
    EXPECT_EQ(before.kernel_evictions, after.kernel_evictions);
    EXPECT_EQ(before.fast_kernel_evictions, after.fast_kernel_evictions);
    EXPECT_OK(dnnl_cache_set_program_cache_limit(1));
    EXPECT_EQ(before.program_evictions + 1, statistics_now().program_evictions);
    EXPECT_OK(dnnl_cache_kernel_destroy(kernel_of(desc, "scale")));
    EXPECT_EQ(0, statistics_now().program_entries);
    EXPECT_EQ(before.program_evictions + 1, statistics_now().program_evictions);
    EXPECT_EQ(before.kernel_evictions, statistics_now().kernel_evictions);
    EXPECT_OK(dnnl_cache_set_program_cache_limit(DNNL_CACHE_NO_LIMIT));
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
    rig_close(&rig);
}

/* One whose program is not in memory is not kept either, and counted. */
TEST_C(Statistics, CountKernelsThatAreNotKept)
{
    struct rig rig;
    dnnl_cache_kernel_t kernel = NULL;
    rig_open(&rig, 0);
    dnnl_cache_program_desc_t desc = describe(rig.engine, scale_source, NULL);
    dnnl_cache_program_t program = create(desc);
    EXPECT_OK(dnnl_cache_set_program_cache_limit(0));
    dnnl_cache_statistics_t before = statistics_now();
    EXPECT_OK(dnnl_cache_kernel_create_from_program(&kernel, program, "fill"));
    EXPECT_OK(dnnl_cache_kernel_destroy(kernel));
    dnnl_cache_statistics_t after = statistics_now();
    EXPECT_EQ(before.kernel_misses + 1, after.kernel_misses);
    EXPECT_EQ(before.kernel_builds + 1, after.kernel_builds);
    EXPECT_EQ(0, after.kernel_entries);
    EXPECT_OK(dnnl_cache_set_program_cache_limit(DNNL_CACHE_NO_LIMIT));
    EXPECT_OK(dnnl_cache_program_destroy(program));
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
    rig_close(&rig);
}

/* A caller's struct of an older header is filled as far as it goes. */
TEST_C(Statistics, FillAShorterStruct)
{
    dnnl_cache_statistics_t now = DNNL_CACHE_STATISTICS_INIT;
    now.struct_size = offsetof(dnnl_cache_statistics_t, primitive_builds);
    now.saved_ns = 77;
    now.primitive_builds = 78;
    EXPECT_OK(dnnl_cache_get_statistics(&now));
    EXPECT_EQ(77, now.saved_ns);
    EXPECT_EQ(78, now.primitive_builds);
}

/* Where the number behind "name": in an object of that group is; -1: none. */
static long long number_in(
        const char *json, const char *group, const char *name)
{
    char quoted[64];
    const char *at = json;
    const char *end = json + strlen(json);
    if (group != NULL) {
        snprintf(quoted, sizeof quoted, "\"%s\": {", group);
        at = strstr(json, quoted);
        if (at == NULL) return -1;
        end = strchr(at, '}');
    }
    snprintf(quoted, sizeof quoted, "\"%s\": ", name);
    at = strstr(at, quoted);
    if (at == NULL || at > end) return -1;
    return strtoll(at + strlen(quoted), NULL, 10);
}

TEST_C(Statistics, AreJsonToo)
{
    struct rig rig;
    char json[4096];
    char brief[8] = "before";
    size_t size = 0;
    rig_open(&rig, 0);
    dnnl_cache_program_desc_t desc = describe(rig.engine, scale_source, NULL);
    EXPECT_OK(dnnl_cache_get_statistics_json(&size, NULL));
    size_t again = size;
    for (int i = 0; i < 20; i++)
        EXPECT_OK(dnnl_cache_kernel_destroy(kernel_of(desc, "scale")));
    EXPECT_OK(dnnl_cache_get_statistics_json(&again, NULL));
    EXPECT_EQ(size, again); /* whatever the numbers */
    again = sizeof brief;
    EXPECT_STATUS(dnnl_invalid_arguments,
            dnnl_cache_get_statistics_json(&again, brief));
    EXPECT_LT(sizeof brief, again);
    EXPECT_STR_EQ("before", brief);

    again = sizeof json;
    EXPECT_OK(dnnl_cache_get_statistics_json(&again, json));
    dnnl_cache_statistics_t now = statistics_now();
    EXPECT_LT(again, size);
    EXPECT_EQ(again, strlen(json) + 1);
    EXPECT_TRUE(json[again - 2] == '\n' && json[again - 3] == '}');
    EXPECT_EQ('{', json[0]);
    EXPECT_EQ(now.program_hits, number_in(json, "programs", "hits"));
    EXPECT_EQ(now.program_entries, number_in(json, "programs", "entries"));
    EXPECT_EQ(now.program_bytes, number_in(json, "programs", "bytes"));
    EXPECT_EQ(now.program_builds, number_in(json, "programs", "builds"));
    EXPECT_EQ(now.kernel_misses, number_in(json, "kernels", "misses"));
    EXPECT_EQ(now.fast_kernel_hits, number_in(json, "fast_kernels", "hits"));
    EXPECT_EQ(now.primitive_hits, number_in(json, "primitives", "hits"));
    EXPECT_EQ(now.store_puts, number_in(json, "stores", "puts"));
    EXPECT_EQ(now.saved_ns, number_in(json, NULL, "saved_ns"));
    size_t depth = 0;
    for (const char *at = json; *at != '\0'; at++) {
        if (*at == '{') depth++;
        if (*at == '}') depth--;
    }
    EXPECT_EQ(0, depth);
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
    rig_close(&rig);
}

/* ---- Arguments ----------------------------------------------------------- */

TEST_C(KernelCache, RefusesNull)
{
    struct rig rig;
    size_t size = 77;
    int cacheable = 77;
    const char *reason = "as it was";
    cl_kernel object = NULL;
    dnnl_cache_kernel_t kernel = (dnnl_cache_kernel_t)&rig;
    rig_open(&rig, 0);
    dnnl_cache_program_desc_t desc = describe(rig.engine, scale_source, NULL);
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
    dnnl_primitive_desc_t pd = relu_desc(rig.engine, 16, 0.0f);
    REFUSED(dnnl_cache_primitive_desc_is_cacheable(NULL, &cacheable, &reason));
    REFUSED(dnnl_cache_primitive_desc_is_cacheable(pd, NULL, &reason));
    REFUSED(dnnl_cache_primitive_desc_get_build_log(NULL, &size, NULL));
    REFUSED(dnnl_cache_primitive_desc_get_build_log(pd, NULL, NULL));
    EXPECT_OK(dnnl_primitive_desc_destroy(pd));
#endif
#undef REFUSED
    EXPECT_PTR_EQ(&rig, kernel);
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
    rig_close(&rig);
}
