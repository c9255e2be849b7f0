/* SPDX-License-Identifier: Apache-2.0 */
/* What is linked: of which objects, with which options. What a linker may read
 * by its options is no part of it. */
#include "application.h"

#include "test.h"

#include <string.h>

static const char source[] = "kernel void one(global float *x) { *x = 1.0f; }";

static void link_with(void *user)
{
    const char *options = user;
    struct application a;
    cl_int error = CL_SUCCESS;
    application_open(&a, 1);
    cl_program program = program_of_source(&a, source);
    EXPECT_EQ(CL_SUCCESS,
            clCompileProgram(program, 0, NULL, "", 0, NULL, NULL, NULL, NULL));
    cl_program linked = clLinkProgram(
            a.context, 0, NULL, options, 1, &program, NULL, NULL, &error);
    EXPECT_EQ(CL_SUCCESS, error);
    expect_built(linked, a.devices[0], options, "one");
    EXPECT_EQ(CL_SUCCESS, clReleaseProgram(linked));
    EXPECT_EQ(CL_SUCCESS, clReleaseProgram(program));
    application_close(&a);
}

/* The object is found the second time, and so is what was linked, if at all. */
static void expect_hits(
        unsigned long hits, const char *const *settings, char *options)
{
    ASSERT_EQ(0, run_application(settings, link_with, options));
    ASSERT_EQ(0, run_application(settings, link_with, options));
    EXPECT_EQ(hits, counted("hits"));
    EXPECT_EQ(2 - hits, missed_by("options"));
}

TEST_C(LayerLinks, WithOrdinaryOptionsAreKept)
{
    char options[] = "-cl-fast-relaxed-math";
    expect_hits(2, NULL, options);
}

TEST_C(LayerLinks, WithOptionsThatMayReadFilesAreNot)
{
    char options[] = "-mllvm -sample-profile-file=x";
    expect_hits(1, NULL, options);
}

/* Options of the compilation and of the link, each for themselves. */
static void link_compiled_with(void *user)
{
    char **options = user;
    struct application a;
    cl_int error = CL_SUCCESS;
    application_open(&a, 1);
    cl_program program = program_of_source(&a, source);
    EXPECT_EQ(CL_SUCCESS, clCompileProgram(program, 0, NULL, options[0], 0,
                                  NULL, NULL, NULL, NULL));
    cl_program linked = clLinkProgram(
            a.context, 0, NULL, options[1], 1, &program, NULL, NULL, &error);
    EXPECT_EQ(CL_SUCCESS, error);
    expect_built(linked, a.devices[0], options[1], "one");
    EXPECT_EQ(CL_SUCCESS, clReleaseProgram(linked));
    EXPECT_EQ(CL_SUCCESS, clReleaseProgram(program));
    application_close(&a);
}

static void expect_found(unsigned long hits, char *compile, char *link)
{
    char *options[] = {compile, link};
    ASSERT_EQ(0, run_application(NULL, link_compiled_with, options));
    EXPECT_EQ(hits, counted("hits"));
    EXPECT_EQ(2 - hits, missed_by("missing"));
}

TEST_C(LayerLinks, OfOtherOptionsAreOthers)
{
    static char none[] = "";
    static char fast[] = "-cl-fast-relaxed-math";
    static char zero[] = "-cl-denorms-are-zero";
    expect_found(0, none, fast);
    expect_found(2, none, fast);
    expect_found(1, none, zero); /* linked anew of the same object */
    expect_found(1, none, none);
    expect_found(0, zero, fast); /* compiled anew, too */
    expect_found(2, none, fast);
    expect_found(2, none, zero);
    expect_found(2, none, none);
    expect_found(2, zero, fast);
}

/* Two objects are linked; the second one's source is the test's to choose. */
static void link_two(void *user)
{
    const char *const sources[] = {source, user};
    struct application a;
    cl_program objects[2];
    cl_int error = CL_SUCCESS;
    application_open(&a, 1);
    for (size_t i = 0; i < 2; i++) {
        objects[i] = program_of_source(&a, sources[i]);
        EXPECT_EQ(CL_SUCCESS, clCompileProgram(objects[i], 0, NULL, "", 0, NULL,
                                      NULL, NULL, NULL));
    }
    cl_program linked = clLinkProgram(
            a.context, 0, NULL, "", 2, objects, NULL, NULL, &error);
    EXPECT_EQ(CL_SUCCESS, error);
    cl_kernel one = clCreateKernel(linked, "one", &error);
    EXPECT_EQ(CL_SUCCESS, error);
    cl_kernel two = clCreateKernel(linked, "two", &error);
    EXPECT_EQ(CL_SUCCESS, error);
    EXPECT_EQ(CL_SUCCESS, clReleaseKernel(one));
    EXPECT_EQ(CL_SUCCESS, clReleaseKernel(two));
    EXPECT_EQ(CL_SUCCESS, clReleaseProgram(linked));
    for (size_t i = 0; i < 2; i++)
        EXPECT_EQ(CL_SUCCESS, clReleaseProgram(objects[i]));
    application_close(&a);
}

static void expect_found_of_two(unsigned long hits, char *second)
{
    ASSERT_EQ(0, run_application(NULL, link_two, second));
    EXPECT_EQ(hits, counted("hits"));
    EXPECT_EQ(3 - hits, missed_by("missing"));
}

TEST_C(LayerLinks, OfSeveralObjectsAreKept)
{
    static char second[] = "kernel void two(global float *x) { *x = 2.0f; }";
    static char other[] = "kernel void two(global float *x) { *x = 3.0f; }";
    expect_found_of_two(0, second);
    expect_found_of_two(3, second);
    expect_found_of_two(1, other); /* that object is another, so is the link */
    expect_found_of_two(3, other);
    expect_found_of_two(3, second);
}
