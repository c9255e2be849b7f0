/* SPDX-License-Identifier: Apache-2.0 */
/* Links of objects that were loaded, by a driver that knows less of those: it
 * compiles them after all, if they are still what was loaded. */
#include "application.h"

#include "test.h"

#include <stdio.h>

enum { path_size = 1024 };

static const char *const as_intel[] = {
        "FAKE_OPENCL_PLATFORM_NAME=Intel(R) OpenCL", "FAKE_OPENCL_INTEL_CPU=1",
        NULL};

static const char *header_path(void)
{
    static char path[path_size];
    (void)snprintf(path, sizeof path, "%s/header.h", test_directory());
    return path;
}

static void write_header(const char *text)
{
    FILE *out = fopen(header_path(), "we");
    ASSERT_NOT_NULL(out);
    EXPECT_GE(fputs(text, out), 0);
    EXPECT_EQ(0, fclose(out));
}

/* What the application does, and what it is to see. */
struct steps {
    const char *link_options; /* NULL: it does not link */
    const char *header;       /* NULL: as it is; else written before the link */
    unsigned long source_builds; /* of the object and of what is linked */
    cl_int argument_status;
};

static void link_object(
        const struct application *a, cl_program object, const struct steps *s)
{
    char name[16] = "";
    cl_int error = CL_SUCCESS;
    cl_program linked = clLinkProgram(a->context, 0, NULL, s->link_options, 1,
            &object, NULL, NULL, &error);
    ASSERT_EQ(CL_SUCCESS, error);
    expect_built(linked, a->devices[0], s->link_options, "one");
    cl_kernel kernel = clCreateKernel(linked, "one", &error);
    EXPECT_EQ(CL_SUCCESS, error);
    EXPECT_EQ(s->argument_status,
            clGetKernelArgInfo(
                    kernel, 0, CL_KERNEL_ARG_NAME, sizeof name, name, NULL));
    EXPECT_STR_EQ(s->argument_status == CL_SUCCESS ? "x" : "", name);
    EXPECT_EQ(CL_SUCCESS, clReleaseKernel(kernel));
    EXPECT_EQ(CL_SUCCESS, clReleaseProgram(linked));
}

/* The header is looked at, whatever the condition is. */
static void compile_and_link(void *user)
{
    const struct steps *s = user;
    char source[path_size + 128];
    struct application a;
    application_open(&a, 1);
    (void)snprintf(source, sizeof source,
            "#ifdef NEVER\n#include \"%s\"\n#endif\n"
            "kernel void one(global float *x) { *x = 1.0f; }",
            header_path());
    cl_program object = program_of_source(&a, source);
    EXPECT_EQ(CL_SUCCESS,
            clCompileProgram(object, 0, NULL, "", 0, NULL, NULL, NULL, NULL));
    if (s->header != NULL) write_header(s->header);
    if (s->link_options != NULL) link_object(&a, object, s);
    EXPECT_EQ(s->source_builds, source_builds(&a));
    EXPECT_EQ(CL_SUCCESS, clReleaseProgram(object));
    application_close(&a);
}

static void run_steps(struct steps steps)
{
    ASSERT_EQ(0, run_application(as_intel, compile_and_link, &steps));
}

TEST_C(LayerLinksOfLoaded, AreOfWhatIsCompiledAgain)
{
    write_header("/* one */\n");
    run_steps((struct steps){.source_builds = 1});
    EXPECT_EQ(1, counted("kept"));
    run_steps((struct steps){
            .link_options = "-cl-mad-enable", .source_builds = 2});
    EXPECT_EQ(1, counted("hits"));
    EXPECT_EQ(1, counted("kept"));
    run_steps((struct steps){.link_options = "-cl-mad-enable"});
    EXPECT_EQ(2, counted("hits"));
}

/* What is compiled then is something else. */
TEST_C(LayerLinksOfLoaded, AreOfThatOnceAHeaderHasChanged)
{
    write_header("/* one */\n");
    run_steps((struct steps){.source_builds = 1});
    run_steps((struct steps){.link_options = "-cl-mad-enable",
            .header = "/* two */\n",
            .argument_status = CL_KERNEL_ARG_INFO_NOT_AVAILABLE});
    EXPECT_EQ(1, counted("hits"));
}
