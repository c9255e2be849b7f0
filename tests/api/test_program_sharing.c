/* SPDX-License-Identifier: Apache-2.0 */
/* Programs in memory: who shares them, who does not; adopted ones. */
#include "log_capture.h"
#include "programs.h"
#include "rig.h"

#include "test.h"

#include <string.h>

static cl_program object_of(const_dnnl_cache_program_t program)
{
    cl_program object = NULL;
    EXPECT_OK(dnnl_cache_program_get_cl_program(program, &object));
    return object;
}

TEST_RIG(ProgramSharing, TwoEqualProgramsAreBuiltOnce)
{
    dnnl_cache_program_t first = build(rig->engine, scale_source, NULL);
    dnnl_cache_program_t second = build(rig->engine, scale_source, NULL);
    EXPECT_EQ(1, fake_opencl_source_builds());
    EXPECT_PTR_EQ(object_of(first), object_of(second));
    EXPECT_EQ(dnnl_cache_origin_compiled, info_of(first).origin);
    EXPECT_EQ(dnnl_cache_origin_memory_hit, info_of(second).origin);
    EXPECT_EQ(0, info_of(second).driver_ns);
    EXPECT_OK(dnnl_cache_program_destroy(first));
    expect_kernel(second, "scale");
    EXPECT_OK(dnnl_cache_program_destroy(second));
}

TEST_RIG(ProgramSharing, ManyKernelsOfAProgramBuildItOnce)
{
    for (int i = 0; i < 100; i++) {
        dnnl_cache_program_t program = build(rig->engine, scale_source, NULL);
        expect_kernel(program, i % 2 == 0 ? "scale" : "fill");
        EXPECT_OK(dnnl_cache_program_destroy(program));
    }
    EXPECT_EQ(1, fake_opencl_source_builds());
}

TEST_RIG(ProgramSharing, EnginesOfOneContextShare)
{
    dnnl_engine_t other = NULL;
    ASSERT_OK(
            dnnl_ocl_interop_engine_create(&other, rig->device, rig->context));
    dnnl_cache_program_t first = build(rig->engine, scale_source, NULL);
    dnnl_cache_program_t second = build(other, scale_source, NULL);
    EXPECT_EQ(1, fake_opencl_source_builds());
    EXPECT_EQ(dnnl_cache_origin_memory_hit, info_of(second).origin);
    EXPECT_OK(dnnl_cache_program_destroy(first));
    EXPECT_OK(dnnl_cache_program_destroy(second));
    EXPECT_OK(dnnl_engine_destroy(other));
}

TEST_RIG(ProgramSharing, ContextsDoNotShare)
{
    dnnl_engine_t other = NULL;
    ASSERT_OK(dnnl_engine_create(&other, dnnl_gpu, 0));
    dnnl_cache_program_t first = build(rig->engine, scale_source, NULL);
    dnnl_cache_program_t second = build(other, scale_source, NULL);
    EXPECT_EQ(2, fake_opencl_source_builds());
    EXPECT_TRUE(object_of(first) != object_of(second));
    EXPECT_OK(dnnl_cache_program_destroy(first));
    EXPECT_OK(dnnl_cache_program_destroy(second));
    EXPECT_OK(dnnl_engine_destroy(other));
}

/* True if the program can be run on the device. */
static bool is_built_for(
        const_dnnl_cache_program_t program, cl_device_id device)
{
    cl_build_status status = CL_BUILD_NONE;
    EXPECT_EQ(CL_SUCCESS,
            clGetProgramBuildInfo(object_of(program), device,
                    CL_PROGRAM_BUILD_STATUS, sizeof status, &status, NULL));
    return status == CL_BUILD_SUCCESS;
}

/* Two equal devices have equal IDs, but a program is built for one. */
TEST_C(ProgramSharing, EqualDevicesOfAContextHaveTheirOwn)
{
    struct rig rig;
    cl_int error;
    dnnl_engine_t engines[2] = {NULL, NULL};
    dnnl_cache_program_t programs[2];
    fake_opencl_set("DEVICES", "4");
    rig_open(&rig, 0);
    const cl_device_id devices[] = {rig_device(2), rig_device(3)};
    cl_context both = clCreateContext(NULL, 2, devices, NULL, NULL, &error);
    ASSERT_EQ(CL_SUCCESS, error);
    for (size_t i = 0; i < 2; i++) {
        ASSERT_OK(
                dnnl_ocl_interop_engine_create(&engines[i], devices[i], both));
        programs[i] = build(engines[i], scale_source, NULL);
        EXPECT_TRUE(is_built_for(programs[i], devices[i]));
        expect_kernel(programs[i], "scale");
    }
    for (size_t i = 0; i < 2; i++) {
        EXPECT_OK(dnnl_cache_program_destroy(programs[i]));
        EXPECT_OK(dnnl_engine_destroy(engines[i]));
    }
    clReleaseContext(both);
    rig_close(&rig);
}

TEST_RIG(ProgramSharing, KeepsWhatNobodyUsesAnyMore)
{
    EXPECT_OK(
            dnnl_cache_program_destroy(build(rig->engine, scale_source, NULL)));
    dnnl_cache_program_t program = build(rig->engine, scale_source, NULL);
    EXPECT_EQ(1, fake_opencl_source_builds());
    EXPECT_OK(dnnl_cache_program_destroy(program));
}

TEST_RIG(ProgramSharing, EndsWithTheLastEngineOfTheContext)
{
    dnnl_engine_t other = NULL;
    struct fake_opencl_objects alive;
    ASSERT_OK(
            dnnl_ocl_interop_engine_create(&other, rig->device, rig->context));
    EXPECT_OK(
            dnnl_cache_program_destroy(build(rig->engine, scale_source, NULL)));
    EXPECT_OK(dnnl_engine_destroy(rig->engine));
    rig->engine = NULL;
    fake_opencl_live_objects(&alive);
    EXPECT_EQ(1, alive.programs);
    EXPECT_OK(dnnl_engine_destroy(other));
    fake_opencl_live_objects(&alive);
    EXPECT_EQ(0, alive.programs);
}

TEST_RIG(ProgramSharing, IsCountedInTheStatistics)
{
    dnnl_cache_statistics_t before = DNNL_CACHE_STATISTICS_INIT;
    dnnl_cache_statistics_t after = DNNL_CACHE_STATISTICS_INIT;
    EXPECT_OK(dnnl_cache_get_statistics(&before));
    dnnl_cache_program_t first = build(rig->engine, scale_source, NULL);
    dnnl_cache_program_t second = build(rig->engine, scale_source, NULL);
    EXPECT_OK(dnnl_cache_get_statistics(&after));
    EXPECT_EQ(before.program_hits + 1, after.program_hits);
    EXPECT_EQ(before.program_misses + 1, after.program_misses);
    EXPECT_EQ(before.programs_compiled + 1, after.programs_compiled);
    EXPECT_EQ(before.programs_loaded, after.programs_loaded);
    EXPECT_GT(after.compile_ns, before.compile_ns);
    EXPECT_OK(dnnl_cache_program_destroy(first));
    EXPECT_OK(dnnl_cache_program_destroy(second));
}

/* ---- Adopted programs ---------------------------------------------------- */

/* A program of scale_source that the application has made, not built yet. */
static cl_program application_program(cl_context context)
{
    cl_int error;
    const char *source = scale_source;
    cl_program program =
            clCreateProgramWithSource(context, 1, &source, NULL, &error);
    EXPECT_EQ(CL_SUCCESS, error);
    return program;
}

static cl_program built_program(cl_context context)
{
    cl_program program = application_program(context);
    EXPECT_EQ(CL_SUCCESS, clBuildProgram(program, 0, NULL, "", NULL, NULL));
    return program;
}

TEST_RIG(ProgramAdoption, GivesAnOwnProgramABlob)
{
    dnnl_cache_program_t adopted = NULL;
    dnnl_cache_program_desc_t desc = describe(rig->engine, scale_source, NULL);
    cl_program object = built_program(rig->context);
    ASSERT_OK(dnnl_cache_program_adopt(&adopted, desc, object));
    EXPECT_EQ(dnnl_cache_origin_adopted, info_of(adopted).origin);
    EXPECT_PTR_EQ(object, object_of(adopted));
    struct bytes blob = program_blob(adopted);
    unsigned long builds = fake_opencl_source_builds();
    dnnl_cache_program_t warm = create_from(desc, &blob);
    EXPECT_EQ(builds, fake_opencl_source_builds());
    EXPECT_EQ(dnnl_cache_origin_blob, info_of(warm).origin);
    expect_kernel(warm, "scale");
    bytes_free(&blob);
    EXPECT_OK(dnnl_cache_program_destroy(warm));
    EXPECT_OK(dnnl_cache_program_destroy(adopted));
    EXPECT_EQ(CL_SUCCESS, clReleaseProgram(object));
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
}

TEST_RIG(ProgramAdoption, HoldsOneReference)
{
    dnnl_cache_program_t adopted = NULL;
    dnnl_cache_program_desc_t desc = describe(rig->engine, scale_source, NULL);
    cl_program object = built_program(rig->context);
    ASSERT_OK(dnnl_cache_program_adopt(&adopted, desc, object));
    EXPECT_EQ(2, program_references(object));
    EXPECT_OK(dnnl_cache_program_destroy(adopted));
    EXPECT_EQ(1, program_references(object));
    EXPECT_EQ(CL_SUCCESS, clReleaseProgram(object));
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
}

/* The application vouches for its own use only. */
TEST_RIG(ProgramAdoption, IsNotSharedWithOthers)
{
    dnnl_cache_program_t adopted = NULL;
    dnnl_cache_program_desc_t desc = describe(rig->engine, scale_source, NULL);
    cl_program object = built_program(rig->context);
    ASSERT_OK(dnnl_cache_program_adopt(&adopted, desc, object));
    dnnl_cache_program_t created = create(desc);
    EXPECT_TRUE(object_of(created) != object);
    EXPECT_EQ(dnnl_cache_origin_compiled, info_of(created).origin);
    EXPECT_OK(dnnl_cache_program_destroy(created));
    EXPECT_OK(dnnl_cache_program_destroy(adopted));
    EXPECT_EQ(CL_SUCCESS, clReleaseProgram(object));
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
}

/* Of the binaries of several devices, the engine's is the one. */
TEST_C(ProgramAdoption, OfSeveralDevicesTakesTheEnginesBinary)
{
    struct rig rig;
    cl_int error;
    fake_opencl_set("DEVICES", "6");
    fake_opencl_set("DEVICE_NAME_4", "One");
    fake_opencl_set("DEVICE_NAME_5", "Other");
    rig_open(&rig, 0);
    const cl_device_id devices[] = {rig_device(4), rig_device(5)};
    cl_context both = clCreateContext(NULL, 2, devices, NULL, NULL, &error);
    ASSERT_EQ(CL_SUCCESS, error);
    cl_program object = built_program(both);
    for (size_t i = 0; i < 2; i++) {
        dnnl_engine_t engine = NULL;
        dnnl_cache_program_t adopted = NULL;
        ASSERT_OK(dnnl_ocl_interop_engine_create(&engine, devices[i], both));
        dnnl_cache_program_desc_t desc = describe(engine, scale_source, NULL);
        ASSERT_OK(dnnl_cache_program_adopt(&adopted, desc, object));
        struct bytes blob = program_blob(adopted);
        /* The driver takes no binary of another device. */
        dnnl_cache_program_t warm = create_from(desc, &blob);
        expect_kernel(warm, "scale");
        bytes_free(&blob);
        EXPECT_OK(dnnl_cache_program_destroy(warm));
        EXPECT_OK(dnnl_cache_program_destroy(adopted));
        EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
        EXPECT_OK(dnnl_engine_destroy(engine));
    }
    EXPECT_EQ(CL_SUCCESS, clReleaseProgram(object));
    clReleaseContext(both);
    rig_close(&rig);
}

static void expect_not_adoptable(const struct rig *rig, cl_program object)
{
    dnnl_cache_program_t adopted = (dnnl_cache_program_t)&object;
    dnnl_cache_program_desc_t desc = describe(rig->engine, scale_source, NULL);
    cl_uint references = program_references(object);
    EXPECT_STATUS(dnnl_invalid_arguments,
            dnnl_cache_program_adopt(&adopted, desc, object));
    EXPECT_PTR_EQ(&object, adopted);
    EXPECT_EQ(references, program_references(object));
    EXPECT_EQ(CL_SUCCESS, clReleaseProgram(object));
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
}

TEST_RIG(ProgramAdoption, RefusesAProgramNotBuilt)
{
    expect_not_adoptable(rig, application_program(rig->context));
}

TEST_RIG(ProgramAdoption, RefusesAProgramWhoseBuildFailed)
{
    cl_program object = application_program(rig->context);
    EXPECT_EQ(CL_BUILD_PROGRAM_FAILURE,
            clBuildProgram(
                    object, 0, NULL, "-DFAKE_BUILD_FAILURE", NULL, NULL));
    expect_not_adoptable(rig, object);
}

TEST_RIG(ProgramAdoption, RefusesAProgramOfAnotherContext)
{
    cl_int error;
    cl_context other =
            clCreateContext(NULL, 1, &rig->device, NULL, NULL, &error);
    ASSERT_EQ(CL_SUCCESS, error);
    expect_not_adoptable(rig, built_program(other));
    clReleaseContext(other);
}

TEST_C(ProgramAdoption, RefusesAProgramBuiltForAnotherDeviceOnly)
{
    struct rig rig;
    cl_int error;
    fake_opencl_set("DEVICES", "4");
    rig_open(&rig, 0);
    const cl_device_id devices[] = {rig_device(0), rig_device(3)};
    cl_context both = clCreateContext(NULL, 2, devices, NULL, NULL, &error);
    ASSERT_EQ(CL_SUCCESS, error);
    cl_program object = application_program(both);
    EXPECT_EQ(
            CL_SUCCESS, clBuildProgram(object, 1, &devices[1], "", NULL, NULL));
    EXPECT_OK(dnnl_engine_destroy(rig.engine));
    ASSERT_OK(dnnl_ocl_interop_engine_create(&rig.engine, rig.device, both));
    expect_not_adoptable(&rig, object);
    clReleaseContext(both);
    rig_close(&rig);
}

TEST_C(ProgramAdoption, OfASourceThatIncludesHasNoBlob)
{
    static const char *const source =
            "#if 0\n#include \"x\"\n#endif\n__kernel void k(void) {}";
    struct rig rig;
    size_t size = 77;
    dnnl_cache_program_t adopted = NULL;
    rig_open(&rig, 0);
    dnnl_cache_program_desc_t desc = describe(rig.engine, source, NULL);
    cl_program object = built_program(rig.context);
    ASSERT_OK(dnnl_cache_program_adopt(&adopted, desc, object));
    EXPECT_OK(dnnl_cache_program_get_cache_blob(adopted, &size, NULL));
    EXPECT_EQ(0, size);
    expect_kernel(adopted, "scale");
    EXPECT_OK(dnnl_cache_program_destroy(adopted));
    EXPECT_EQ(CL_SUCCESS, clReleaseProgram(object));
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
    rig_close(&rig);
}
