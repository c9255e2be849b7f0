/* SPDX-License-Identifier: Apache-2.0 */
/* What a linker may read by its options is no part of what is linked. */
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
