/* SPDX-License-Identifier: Apache-2.0 */
/* Each miss is told of, and what became of it is counted. */
#include "application.h"

#include "layer_process.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char source[] = "kernel void k(global int *x) {}";

static void use_binary(const struct application *a, cl_program built)
{
    unsigned char bytes[4096];
    unsigned char *binary = bytes;
    const unsigned char *given = bytes;
    size_t size = 0;
    cl_int err = CL_SUCCESS;
    EXPECT_EQ(CL_SUCCESS, clGetProgramInfo(built, CL_PROGRAM_BINARY_SIZES,
                                  sizeof size, &size, NULL));
    ASSERT_TRUE(size > 0 && size <= sizeof bytes);
    EXPECT_EQ(CL_SUCCESS, clGetProgramInfo(built, CL_PROGRAM_BINARIES,
                                  sizeof binary, &binary, NULL));
    cl_program program = clCreateProgramWithBinary(
            a->context, 1, a->devices, &size, &given, NULL, &err);
    EXPECT_EQ(CL_SUCCESS, err);
    EXPECT_EQ(CL_SUCCESS, clReleaseProgram(program));
}

/* One of each kind: one that is kept, one that fails, one that includes what
 * cannot be followed, one of a binary, an object with a header that is a
 * program, and a link of it. */
static void use_all(void *user)
{
    struct application a;
    const char *name = "../header.h";
    cl_int err = CL_SUCCESS;
    (void)user;
    application_open(&a, 1);
    cl_program good = program_of_source(&a, source);
    build(good, "");
    use_binary(&a, good);
    EXPECT_EQ(CL_SUCCESS, clReleaseProgram(good));

    cl_program bad = program_of_source(&a, "#error this fails\n");
    EXPECT_EQ(CL_BUILD_PROGRAM_FAILURE,
            clBuildProgram(bad, 0, NULL, "", NULL, NULL));
    EXPECT_EQ(CL_SUCCESS, clReleaseProgram(bad));

    cl_program vague = program_of_source(
            &a, "#if 0\n#include MACRO\n#endif\nkernel void k(int x) {}");
    build(vague, "");
    EXPECT_EQ(CL_SUCCESS, clReleaseProgram(vague));

    cl_program object = program_of_source(&a, source);
    cl_program header = program_of_source(&a, "");
    cl_program none = NULL;
    EXPECT_EQ(CL_INVALID_PROGRAM,
            clCompileProgram(object, 0, NULL, "", 1, &none, &name, NULL, NULL));
    EXPECT_EQ(CL_SUCCESS, clReleaseProgram(object));
    object = program_of_source(&a, source);
    EXPECT_EQ(CL_SUCCESS, clCompileProgram(object, 0, NULL, "", 1, &header,
                                  &name, NULL, NULL));
    cl_program linked =
            clLinkProgram(a.context, 0, NULL, "", 1, &object, NULL, NULL, &err);
    EXPECT_EQ(CL_SUCCESS, err);
    EXPECT_EQ(CL_SUCCESS, clReleaseProgram(linked));
    EXPECT_EQ(CL_SUCCESS, clReleaseProgram(header));
    EXPECT_EQ(CL_SUCCESS, clReleaseProgram(object));
    application_close(&a);
}

static unsigned long count_lines_with(const char *text, const char *part)
{
    unsigned long count = 0;
    for (const char *at = text; (at = strstr(at, part)) != NULL; at++)
        count++;
    return count;
}

TEST_C(LayerAccounts, TellOfEachMiss)
{
    char path[512];
    char variable[600];
    const char *const variables[] = {variable, NULL};
    (void)snprintf(path, sizeof path, "%s/trace", test_directory());
    (void)snprintf(variable, sizeof variable, "DNNL_CACHE_TRACE=%s", path);
    ASSERT_EQ(0, run_application(variables, use_all, NULL));
    EXPECT_EQ(7, counted("misses"));
    EXPECT_EQ(2, missed_by("missing"));
    EXPECT_EQ(2, missed_by("includes"));
    EXPECT_EQ(1, missed_by("binary"));
    EXPECT_EQ(1, missed_by("compiled"));
    EXPECT_EQ(1, missed_by("linked"));
    EXPECT_EQ(1, counted("kept"));
    EXPECT_EQ(0, counted("not_kept"));
    EXPECT_EQ(6, counted("nothing_to_keep"));
    EXPECT_EQ(0, counted("kept_by_others"));
    char *text = layer_process_read_file(path);
    ASSERT_NOT_NULL(text);
    EXPECT_EQ(7, count_lines_with(text, "miss, "));
    EXPECT_EQ(1, count_lines_with(
                         text, "miss, compiled: headers that are programs"));
    EXPECT_EQ(1,
            count_lines_with(text, "miss, binary: clCreateProgramWithBinary"));
    free(text);
}
