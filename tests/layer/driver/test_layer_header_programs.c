/* SPDX-License-Identifier: Apache-2.0 */
/* Objects that are compiled with headers that are programs: what they are named
 * by, what is passed to the driver, and what the driver is given when the layer
 * has it compile once more. */
#include "application.h"

#include "test.h"

#include <string.h>

static const char source[] = "#include \"some.h\"\n"
                             "kernel void one(global float *x) { *x = 1.0f; }";

struct headers {
    cl_uint count;
    cl_program programs[2];
    const char *names[2];
};

static struct headers new_headers(
        const struct application *a, const char *some, const char *other)
{
    return (struct headers){2,
            {program_of_source(a, some), program_of_source(a, other)},
            {"some.h", "other.h"}};
}

static void release_headers(struct headers *h)
{
    for (cl_uint i = 0; i < h->count; i++)
        EXPECT_EQ(CL_SUCCESS, clReleaseProgram(h->programs[i]));
}

static cl_int compile_with(
        cl_program program, const char *options, const struct headers *h)
{
    return clCompileProgram(program, 0, NULL, options, h->count, h->programs,
            (const char **)(uintptr_t)h->names, NULL, NULL);
}

static void expect_linked(const struct application *a, cl_program object)
{
    cl_int error = CL_SUCCESS;
    cl_program linked = clLinkProgram(
            a->context, 0, NULL, "", 1, &object, NULL, NULL, &error);
    ASSERT_EQ(CL_SUCCESS, error);
    expect_built(linked, a->devices[0], "", "one");
    EXPECT_EQ(CL_SUCCESS, clReleaseProgram(linked));
}

/* Compiles, releases the headers, and links. */
static void use(
        const struct application *a, const char *some, const char *other)
{
    struct headers headers = new_headers(a, some, other);
    cl_program program = program_of_source(a, source);
    EXPECT_EQ(CL_SUCCESS, compile_with(program, "", &headers));
    release_headers(&headers);
    expect_linked(a, program);
    EXPECT_EQ(CL_SUCCESS, clReleaseProgram(program));
}

static void use_three(void *user)
{
    struct application a;
    (void)user;
    application_open(&a, 1);
    use(&a, "#define A 1\n", "#define B 1\n");
    use(&a, "#define A 2\n", "#define B 1\n");
    use(&a, "#define A 1\n", "#define B 2\n");
    application_close(&a);
}

TEST_C(LayerHeaderPrograms, NameWhatIsCompiledWithThem)
{
    ASSERT_EQ(0, run_application(NULL, use_three, NULL));
    EXPECT_EQ(6, counted("kept"));
    EXPECT_EQ(0, counted("hits"));
    ASSERT_EQ(0, run_application(NULL, use_three, NULL));
    EXPECT_EQ(6, counted("hits"));
    EXPECT_EQ(0, counted("misses"));
}

/* ---- What is not known --------------------------------------------------- */

/* A header's text is what it was made from, whatever was made of it. */
static void use_built_headers(void *user)
{
    struct application a;
    (void)user;
    application_open(&a, 1);
    static const char some[] = "kernel void some(global int *x) { *x = 1; }";
    struct headers headers = new_headers(&a, some, "#define B 1\n");
    build(headers.programs[0], "-DOTHER");
    cl_program program = program_of_source(&a, source);
    EXPECT_EQ(CL_SUCCESS, compile_with(program, "", &headers));
    build(headers.programs[0], "-DMORE");
    EXPECT_EQ(CL_SUCCESS, clReleaseProgram(program));
    release_headers(&headers);
    application_close(&a);
}

TEST_C(LayerHeaderPrograms, MayBeBuilt)
{
    ASSERT_EQ(0, run_application(NULL, use_built_headers, NULL));
    EXPECT_EQ(3, counted("kept"));
    ASSERT_EQ(0, run_application(NULL, use_built_headers, NULL));
    EXPECT_EQ(3, counted("hits"));
}

static void use_unknown(void *user)
{
    struct application a;
    cl_int error = CL_SUCCESS;
    (void)user;
    application_open(&a, 1);
    cl_program object = program_of_source(&a, source);
    struct headers headers = new_headers(&a, "/* some */", "/* other */");
    EXPECT_EQ(CL_SUCCESS, compile_with(object, "", &headers));
    cl_program linked = clLinkProgram(
            a.context, 0, NULL, "", 1, &object, NULL, NULL, &error);
    EXPECT_EQ(CL_SUCCESS, error);
    /* One that has no source; none; no name; no list. */
    struct headers wrong = headers;
    cl_program program = program_of_source(&a, source);
    wrong.programs[1] = linked;
    EXPECT_EQ(CL_INVALID_PROGRAM, compile_with(program, "", &wrong));
    wrong.programs[1] = NULL;
    EXPECT_EQ(CL_INVALID_PROGRAM, compile_with(program, "", &wrong));
    EXPECT_EQ(CL_INVALID_VALUE, clCompileProgram(program, 0, NULL, "", 1,
                                        headers.programs, NULL, NULL, NULL));
    EXPECT_EQ(CL_INVALID_VALUE,
            clCompileProgram(program, 0, NULL, "", 0, headers.programs,
                    (const char **)(uintptr_t)headers.names, NULL, NULL));
    EXPECT_EQ(CL_SUCCESS, compile_with(program, "", &headers));
    EXPECT_EQ(CL_SUCCESS, clReleaseProgram(program));
    EXPECT_EQ(CL_SUCCESS, clReleaseProgram(linked));
    EXPECT_EQ(CL_SUCCESS, clReleaseProgram(object));
    release_headers(&headers);
    application_close(&a);
}

TEST_C(LayerHeaderPrograms, AreTheDriversIfOneIsNotKnown)
{
    ASSERT_EQ(0, run_application(NULL, use_unknown, NULL));
    EXPECT_EQ(4, missed_by("compiled"));
}

/* ---- Compiled once more -------------------------------------------------- */

/* A program that is its own header, and one that is its header's header, end
 * with their last references. */
static void use_themselves(void *user)
{
    struct application a;
    (void)user;
    application_open(&a, 1);
    static const char plain[] = "kernel void one(global int *x) { *x = 1; }";
    struct headers one = new_headers(&a, plain, plain);
    struct headers other = {
            2, {one.programs[1], one.programs[0]}, {"some.h", "other.h"}};
    EXPECT_EQ(CL_SUCCESS, compile_with(one.programs[0], "", &one));
    EXPECT_EQ(CL_SUCCESS, compile_with(one.programs[1], "", &other));
    release_headers(&one);
    application_close(&a);
    expect_nothing_alive();
}

TEST_C(LayerHeaderPrograms, MayBeTheProgramItself)
{
    ASSERT_EQ(0, run_application(NULL, use_themselves, NULL));
    ASSERT_EQ(0, run_application(NULL, use_themselves, NULL));
    EXPECT_EQ(2, counted("hits"));
}

/* The previous object was loaded: the driver compiles it once more, with its
 * headers, which the application has released, and then says what is wrong. */
static void fail_after_a_hit(void *user)
{
    struct application a;
    (void)user;
    application_open(&a, 1);
    struct headers headers = new_headers(&a, "#define A 1\n", "/* other */");
    cl_program program = program_of_source(&a,
            "#include \"some.h\"\n"
            "#ifdef WRONG\n#error this is wrong\n#endif\n"
            "kernel void one(global float *x) { *x = 1.0f; }");
    EXPECT_EQ(CL_SUCCESS, compile_with(program, "", &headers));
    release_headers(&headers);
    EXPECT_EQ(CL_COMPILE_PROGRAM_FAILURE,
            clCompileProgram(
                    program, 0, NULL, "-DWRONG", 0, NULL, NULL, NULL, NULL));
    EXPECT_EQ(CL_SUCCESS, clReleaseProgram(program));
    application_close(&a);
}

TEST_C(LayerHeaderPrograms, AreGivenWhereTheDriverCompilesOnceMore)
{
    ASSERT_EQ(0, run_application(NULL, fail_after_a_hit, NULL));
    EXPECT_EQ(1, counted("kept"));
    ASSERT_EQ(0, run_application(NULL, fail_after_a_hit, NULL));
    EXPECT_EQ(1, counted("hits"));
}

/* A driver that lacks kernel argument info of what it links of loaded objects:
 * they are compiled for the link. */
static const char *const as_intel[] = {
        "FAKE_OPENCL_PLATFORM_NAME=Intel(R) OpenCL", "FAKE_OPENCL_INTEL_CPU=1",
        NULL};

static void link_with(void *options)
{
    struct application a;
    cl_int error = CL_SUCCESS;
    application_open(&a, 1);
    struct headers headers = new_headers(&a, "#define A 1\n", "/* other */");
    cl_program object = program_of_source(&a, source);
    EXPECT_EQ(CL_SUCCESS, compile_with(object, "", &headers));
    release_headers(&headers);
    cl_program linked = clLinkProgram(
            a.context, 0, NULL, options, 1, &object, NULL, NULL, &error);
    ASSERT_EQ(CL_SUCCESS, error);
    expect_built(linked, a.devices[0], options, "one");
    EXPECT_EQ(CL_SUCCESS, clReleaseProgram(linked));
    EXPECT_EQ(CL_SUCCESS, clReleaseProgram(object));
    application_close(&a);
}

static char no_options[] = "";
static char other_options[] = "-cl-mad-enable";

TEST_C(LayerHeaderPrograms, AreCompiledAgainForLinks)
{
    ASSERT_EQ(0, run_application(as_intel, link_with, no_options));
    EXPECT_EQ(2, counted("kept"));
    ASSERT_EQ(0, run_application(as_intel, link_with, other_options));
    EXPECT_EQ(1, counted("hits"));
    EXPECT_EQ(1, counted("kept"));
    ASSERT_EQ(0, run_application(as_intel, link_with, other_options));
    EXPECT_EQ(2, counted("hits"));
}
