/* SPDX-License-Identifier: Apache-2.0 */
/* What is cacheable. */
#include "kernels.h"
#include "log_capture.h"
#include "programs.h"
#include "rig.h"
#ifdef DNNL_CACHE_TEST_PRIMITIVES
#include "small_primitives.h"
#endif

#include "test.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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
    dnnl_cache_statistics_t now = rig_statistics();
    EXPECT_EQ(0, now.program_entries);
    EXPECT_EQ(0, now.kernel_entries);
    EXPECT_EQ(0, now.fast_kernel_entries);
    EXPECT_OK(dnnl_cache_program_destroy(program));
}

TEST_RIG(Cacheable, ProgramsAreWithTheirKernels)
{
    int cacheable = 77;
    const char *reason = NULL;
    dnnl_cache_program_desc_t desc = describe(rig->engine, scale_source, NULL);
    expect_cacheable(desc, true, NULL);
    dnnl_cache_program_t program = create(desc);
    EXPECT_OK(dnnl_cache_program_is_cacheable(program, &cacheable, &reason));
    EXPECT_EQ(1, cacheable);
    EXPECT_STR_EQ("", reason);
    EXPECT_OK(dnnl_cache_kernel_destroy(kernel_of(desc, "scale")));
    EXPECT_OK(dnnl_cache_kernel_destroy(kernel_of(desc, "fill")));
    EXPECT_EQ(1, rig_statistics().program_entries);
    EXPECT_EQ(2, rig_statistics().kernel_entries);
    EXPECT_OK(dnnl_cache_program_destroy(program));
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
}

TEST_RIG(Cacheable, ProgramThatIncludesIsNot)
{
    dnnl_cache_program_desc_t desc = describe(rig->engine,
            "#if 0\n#include \"gone.h\"\n#endif\n__kernel void k(int x) {}\n",
            NULL);
    expect_cacheable(desc, false, "gone.h");
    expect_never_inserted(desc);
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
}

TEST_RIG(Cacheable, ProgramWhoseOptionsIncludeIsNot)
{
    dnnl_cache_program_desc_t desc = describe(
            rig->engine, "__kernel void k(int x) {}\n", "-include gone.h");
    expect_cacheable(desc, false, "options");
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
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
    EXPECT_EQ(0, rig_statistics().primitive_entries);
    EXPECT_OK(run_relu(rig.engine, primitive, 16));
    EXPECT_OK(dnnl_primitive_destroy(primitive));
    EXPECT_OK(dnnl_primitive_desc_destroy(pd));
#endif
    log_capture_stop(&log);
    rig_close(&rig);
}

TEST_RIG(Cacheable, AdoptedProgramIsNot)
{
    cl_int error;
    int cacheable = 77;
    const char *reason = "";
    const char *source = scale_source;
    dnnl_cache_program_t adopted = NULL;
    dnnl_cache_kernel_t kernel = NULL;
    dnnl_cache_program_desc_t desc = describe(rig->engine, scale_source, NULL);
    cl_program object =
            clCreateProgramWithSource(rig->context, 1, &source, NULL, &error);
    EXPECT_EQ(CL_SUCCESS, clBuildProgram(object, 0, NULL, "", NULL, NULL));
    ASSERT_OK(dnnl_cache_program_adopt(&adopted, desc, object));
    EXPECT_OK(dnnl_cache_program_is_cacheable(adopted, &cacheable, &reason));
    EXPECT_EQ(0, cacheable);
    EXPECT_STR_EQ("the application built it", reason);
    EXPECT_OK(dnnl_cache_kernel_create_from_program(&kernel, adopted, "scale"));
    EXPECT_OK(dnnl_cache_kernel_destroy(kernel));
    EXPECT_EQ(0, rig_statistics().program_entries);
    EXPECT_EQ(0, rig_statistics().kernel_entries);
    EXPECT_OK(dnnl_cache_program_destroy(adopted));
    EXPECT_EQ(CL_SUCCESS, clReleaseProgram(object));
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
}

#ifdef DNNL_CACHE_TEST_PRIMITIVES
TEST_RIG(Cacheable, PrimitivesWithNothingToCompileAre)
{
    int cacheable = 77;
    const char *reason = NULL;
    dnnl_primitive_t primitive = NULL;
    dnnl_primitive_desc_t pd = relu_desc(rig->engine, 16, 0.0f);
    EXPECT_OK(dnnl_cache_primitive_desc_is_cacheable(pd, &cacheable, &reason));
    EXPECT_EQ(1, cacheable);
    EXPECT_STR_EQ("", reason);
    EXPECT_OK(dnnl_primitive_desc_destroy(pd));
    pd = relu_desc(rig->engine, 0, 0.0f);
    EXPECT_OK(dnnl_cache_primitive_desc_is_cacheable(pd, &cacheable, &reason));
    EXPECT_EQ(1, cacheable);
    EXPECT_STR_EQ("", reason);
    EXPECT_OK(dnnl_primitive_create(&primitive, pd));
    EXPECT_EQ(1, rig_statistics().primitive_entries);
    EXPECT_OK(dnnl_primitive_destroy(primitive));
    EXPECT_OK(dnnl_primitive_desc_destroy(pd));
}
#endif

static void expect_doubt(
        const struct rig *rig, const char *source, const char *options)
{
    dnnl_cache_program_desc_t desc = describe(rig->engine, source, options);
    EXPECT_OK(dnnl_cache_program_desc_add_header(desc, "x.h", 0, "int x;\n"));
    expect_cacheable(desc, false, options != NULL ? "options" : "includes");
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
}

/* The compiler may see an include that the embedded header does not answer. */
TEST_RIG(Cacheable, ProgramsAreNotIfACompilerMayReadThemInAnotherWay)
{
    expect_doubt(rig, "#pragma mark /*\n#include \"x.h\"\n/**/\n", NULL);
    expect_doubt(rig, "#pragma of_its_own x\n#include \"x.h\"\n", NULL);
    expect_doubt(rig, "#of_its_own x\n#include \"x.h\"\n", NULL);
    expect_doubt(rig, "int y;\n", "-foverride-record-layout=file");
    expect_doubt(rig, "int y;\n", "-mllvm -sample-profile-file=file");
    expect_doubt(rig, "int y;\n", "-fof-its-own");
}

/* rusticl reads it before its own. */
TEST_C(Cacheable, ProgramsAreNotIfAFileStandsForAHeaderOfRusticls)
{
    static const struct {
        const char *options;
        bool is_cacheable;
    } cases[] = {{"-I inc", false}, {"-Iinc", false}, {"-I \"inc\"", false},
            {"-I\"inc\"", false}, {"-w -isystem inc -O2", false},
            {"-I other", true}, {"-I incs", true}, {"-w", true}};
    struct rig rig;
    char home[4096];
    fake_opencl_set("PLATFORM_NAME", "rusticl");
    rig_open(&rig, 0);
    ASSERT_TRUE(getcwd(home, sizeof home) != NULL);
    ASSERT_EQ(0, chdir(test_directory()));
    ASSERT_EQ(0, mkdir("inc", 0700));
    for (int found = 0; found < 2; found++) {
        if (found != 0) ASSERT_EQ(0, symlink(".", "inc/opencl-c-base.h"));
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            dnnl_cache_program_desc_t desc =
                    describe(rig.engine, scale_source, cases[i].options);
            expect_cacheable(desc, found == 0 || cases[i].is_cacheable,
                    "opencl-c-base.h");
            EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
        }
    }
    EXPECT_EQ(0, chdir(home));
    rig_close(&rig);
}

/* Intel's runtime for CPUs reads its settings from the working directory. */
TEST_C(Cacheable, ProgramsAreNotIfTheWorkingDirectoryHasTheDriversSettings)
{
    struct rig rig;
    char home[4096];
    fake_opencl_set("PLATFORM_NAME", "Intel(R) OpenCL");
    rig_open(&rig, 0);
    ASSERT_TRUE(getcwd(home, sizeof home) != NULL);
    ASSERT_EQ(0, chdir(test_directory()));
    ASSERT_EQ(0, mkdir("other", 0700));
    ASSERT_EQ(0, symlink("..", "other/cl.cfg")); /* not in a folder of -I */
    for (int found = 0; found < 2; found++) {
        if (found != 0) ASSERT_EQ(0, symlink(".", "cl.cfg"));
        dnnl_cache_program_desc_t desc =
                describe(rig.engine, scale_source, "-I other");
        expect_cacheable(desc, found == 0, "cl.cfg");
        EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
    }
    EXPECT_EQ(0, chdir(home));
    rig_close(&rig);
}
