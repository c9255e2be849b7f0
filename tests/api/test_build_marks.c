/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the library compiles on a driver that has a cache of its own, whose key
 * lacks a header that the driver reads by itself. In this program the fake
 * driver is called rusticl.
 */
#include "programs.h"
#include "rig.h"

#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char named[] = "__kernel void NAME(__global int *x) {}";

/* The driver's compiler takes NAME for this. */
static void install_header(const char *name)
{
    char text[64];
    (void)snprintf(text, sizeof text, "#define NAME %s\n", name);
    fake_opencl_set("OWN_HEADER", text);
}

static void open_rusticl(struct rig *rig)
{
    char folder[600];
    (void)snprintf(folder, sizeof folder, "%.500s/own", test_directory());
    (void)mkdir(folder, 0700);
    fake_opencl_set("PLATFORM_NAME", "rusticl");
    fake_opencl_set("IL_VERSION", "SPIR-V_1.2");
    fake_opencl_set("OWN_CACHE", folder);
    install_header("old");
    rig_open(rig, 0);
}

static void get_mark(char mark[128], const_dnnl_cache_program_desc_t desc)
{
    size_t size = 128;
    mark[0] = '\0';
    EXPECT_OK(dnnl_cache_program_desc_get_build_mark(desc, &size, mark));
    EXPECT_EQ(size, strlen(mark) + 1);
}

static void destroy(dnnl_cache_program_desc_t desc)
{
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
}

/* As an application does without the library: the driver keeps it. */
static void compile_plainly(const struct rig *rig, const char *options)
{
    const char *source = named;
    cl_int error = CL_SUCCESS;
    cl_program program =
            clCreateProgramWithSource(rig->context, 1, &source, NULL, &error);
    EXPECT_EQ(CL_SUCCESS, error);
    EXPECT_EQ(
            CL_SUCCESS, clBuildProgram(program, 0, NULL, options, NULL, NULL));
    EXPECT_EQ(CL_SUCCESS, clReleaseProgram(program));
}

TEST_C(BuildMark, IsOneForEachID)
{
    struct rig rig;
    char mark[128];
    char again[128];
    char other[128];
    open_rusticl(&rig);
    dnnl_cache_program_desc_t desc = describe(rig.engine, named, "-DA");
    dnnl_cache_program_desc_t same = describe(rig.engine, named, "-DA");
    dnnl_cache_program_desc_t unlike = describe(rig.engine, named, "-DB");
    get_mark(mark, desc);
    get_mark(again, same);
    get_mark(other, unlike);
    EXPECT_TRUE(strncmp(mark, "-D__dnnl_cache_", 15) == 0);
    EXPECT_STR_EQ(mark, again);
    EXPECT_TRUE(strcmp(mark, other) != 0);
    destroy(desc);
    destroy(same);
    destroy(unlike);
    rig_close(&rig);
}

TEST_C(BuildMark, HasASizeQuery)
{
    struct rig rig;
    size_t size = 0;
    char mark[128] = "as it was";
    open_rusticl(&rig);
    dnnl_cache_program_desc_t desc = describe(rig.engine, named, "");
    EXPECT_OK(dnnl_cache_program_desc_get_build_mark(desc, &size, NULL));
    EXPECT_GT(size, 1);
    size--;
    EXPECT_EQ(dnnl_invalid_arguments,
            dnnl_cache_program_desc_get_build_mark(desc, &size, mark));
    EXPECT_STR_EQ("as it was", mark);
    destroy(desc);
    rig_close(&rig);
}

TEST_C(BuildMark, IsEmptyWithoutAnIDAndForIL)
{
    static const uint8_t il[] = {0x03, 0x02, 0x23, 0x07, 'x', 0, 0, 0};
    struct rig rig;
    char mark[128];
    open_rusticl(&rig);
    dnnl_cache_program_desc_t desc =
            describe(rig.engine, "#include \"unknown.h\"\n", "");
    get_mark(mark, desc);
    EXPECT_STR_EQ("", mark);
    destroy(desc);
    EXPECT_OK(dnnl_cache_program_desc_create_with_il(
            &desc, rig.engine, sizeof il, il, ""));
    get_mark(mark, desc);
    EXPECT_STR_EQ("", mark);
    destroy(desc);
    rig_close(&rig);
}

TEST_C(BuildMark, KeepsADriversCacheFromAnsweringForOthers)
{
    struct rig rig;
    open_rusticl(&rig);
    compile_plainly(&rig, "-DA");
    install_header("new");
    dnnl_cache_program_t program = build(rig.engine, named, "-DA");
    expect_kernel(program, "new");
    EXPECT_OK(dnnl_cache_program_destroy(program));
    rig_close(&rig);
}

/* How many lines of the driver's log, of which each is a call, hold this. */
static size_t count_calls(const char *log, const char *call, const char *text)
{
    char line[1024];
    size_t count = 0;
    FILE *file = fopen(log, "r");
    EXPECT_NOT_NULL(file);
    if (file == NULL) return 0;
    while (fgets(line, sizeof line, file) != NULL)
        if (strstr(line, call) != NULL && strstr(line, text) != NULL) count++;
    (void)fclose(file);
    return count;
}

static void open_log(char log[600])
{
    (void)snprintf(log, 600, "%.500s/log", test_directory());
    fake_opencl_set("LOG", log);
}

/* Headers go to the compiler in two steps, of which the second has no -D. */
TEST_C(BuildMark, IsInTheFirstStepOfProgramsWithHeaders)
{
    static const char source[] =
            "#include \"h.h\"\n__kernel void k(__global int *x) {}";
    static const char marked[] = "headers=1 options=-D__dnnl_cache_";
    struct rig rig;
    char log[600];
    open_rusticl(&rig);
    open_log(log);
    dnnl_cache_program_desc_t desc = describe(rig.engine, source, "");
    EXPECT_OK(dnnl_cache_program_desc_add_header(desc, "h.h", 0, "/* h */"));
    dnnl_cache_program_t program = create(desc);
    expect_kernel(program, "k");
    EXPECT_EQ(1, count_calls(log, "clCompileProgram", marked));
    EXPECT_EQ(1, count_calls(log, "clLinkProgram", "options="));
    EXPECT_EQ(0, count_calls(log, "clLinkProgram", "options=-"));
    EXPECT_OK(dnnl_cache_program_destroy(program));
    destroy(desc);
    rig_close(&rig);
}

/* An engine's facts are kept as well. */
TEST_C(BuildMark, IsOfTheProbe)
{
    struct rig rig;
    char log[600];
    size_t size = 0;
    open_rusticl(&rig);
    open_log(log);
    EXPECT_OK(dnnl_ocl_interop_engine_get_cache_blob(rig.engine, &size, NULL));
    EXPECT_EQ(1, count_calls(log, "clBuildProgram", "options="));
    EXPECT_EQ(1, count_calls(log, "clBuildProgram", "options=-D__dnnl_cache_"));
    rig_close(&rig);
}
