/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A driver that has a cache of its own, whose key lacks something that is in
 * our IDs: the layer keeps nothing that the driver compiled for another ID, and
 * the application sees nothing of what it does for that.
 */
#include "application.h"

#include "layer_process.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { path_size = 600 };

/* What an application does on such a driver. Its version is in IDs, and not in
 * the key of its cache; nor is what NAME is to its compiler. */
struct step {
    const char *platform;
    const char *version;
    const char *name;
    const char *store;
    const char *options;
    /* What came of it. */
    const char *kernel;
    unsigned long builds; /* from source */
    void (*build)(const struct application *a, cl_program program,
            const char *options, const char *kernel);
};

static const char source[] = "__kernel void NAME(__global int *x) {}";

static void use_it(void *user)
{
    struct application a;
    const struct step *step = user;
    application_open(&a, 2);
    cl_program program = program_of_source(&a, source);
    step->build(&a, program, step->options, step->kernel);
    EXPECT_EQ(step->builds, source_builds(&a));
    EXPECT_EQ(CL_SUCCESS, clReleaseProgram(program));
    application_close(&a);
}

static void expect_of(const struct step *step)
{
    char platform[path_size];
    char version[path_size];
    char name[path_size];
    char cache[path_size];
    char store[path_size];
    const char *variables[] = {"FAKE_OPENCL_DEVICES=2", platform, version, name,
            cache, store, NULL};
    (void)snprintf(platform, sizeof platform, "FAKE_OPENCL_PLATFORM_NAME=%s",
            step->platform);
    (void)snprintf(version, sizeof version, "FAKE_OPENCL_DRIVER_VERSION=%s",
            step->version);
    (void)snprintf(name, sizeof name,
            "FAKE_OPENCL_OWN_HEADER=#define NAME %s\n", step->name);
    (void)snprintf(cache, sizeof cache, "FAKE_OPENCL_OWN_CACHE=%.400s/own",
            test_directory());
    (void)mkdir(strchr(cache, '=') + 1, 0700);
    (void)snprintf(store, sizeof store, "DNNL_CACHE_DIR=%.400s/%s",
            test_directory(), step->store);
    EXPECT_EQ(0, run_application(variables, use_it, (void *)(uintptr_t)step));
}

/* ---- Ways to build ------------------------------------------------------- */

static void build_at_once(const struct application *a, cl_program program,
        const char *options, const char *kernel)
{
    EXPECT_EQ(
            CL_SUCCESS, clBuildProgram(program, 0, NULL, options, NULL, NULL));
    for (cl_uint i = 0; i < a->device_count; i++)
        expect_built(
                program, a->devices[i], options != NULL ? options : "", kernel);
}

static void CL_CALLBACK count_call(cl_program program, void *user)
{
    (void)program;
    ++*(int *)user;
}

static void build_with_callback(const struct application *a, cl_program program,
        const char *options, const char *kernel)
{
    int calls = 0;
    EXPECT_EQ(CL_SUCCESS,
            clBuildProgram(program, 0, NULL, options, count_call, &calls));
    EXPECT_EQ(1, calls);
    for (cl_uint i = 0; i < a->device_count; i++)
        expect_built(program, a->devices[i], options, kernel);
}

static void compile_and_link(const struct application *a, cl_program program,
        const char *options, const char *kernel)
{
    cl_int error = CL_SUCCESS;
    char answer[64] = "";
    EXPECT_EQ(CL_SUCCESS, clCompileProgram(program, 0, NULL, options, 0, NULL,
                                  NULL, NULL, NULL));
    EXPECT_EQ(CL_SUCCESS,
            clGetProgramBuildInfo(program, a->devices[0],
                    CL_PROGRAM_BUILD_OPTIONS, sizeof answer, answer, NULL));
    EXPECT_STR_EQ(options, answer);
    cl_program linked = clLinkProgram(
            a->context, 0, NULL, "", 1, &program, NULL, NULL, &error);
    EXPECT_EQ(CL_SUCCESS, error);
    for (cl_uint i = 0; i < a->device_count; i++)
        expect_built(linked, a->devices[i], "", kernel);
    EXPECT_EQ(CL_SUCCESS, clReleaseProgram(linked));
}

/* ---- Tests --------------------------------------------------------------- */

/* The driver's cache has the program of the first version. */
static void expect_none_of_the_first(struct step step)
{
    step.platform = "rusticl";
    step.version = "1";
    step.name = "first";
    step.kernel = "first";
    step.store = "store";
    expect_of(&step);
    step.version = "2";
    step.name = "second";
    step.kernel = "second";
    expect_of(&step);
    /* And so has the layer, of both. */
    step.builds = 0;
    expect_of(&step);
    EXPECT_EQ(counted("misses"), 0);
    step.version = "1";
    step.kernel = "first";
    expect_of(&step);
    EXPECT_EQ(counted("misses"), 0);
}

TEST_C(LayerOwnCache, OfADriverDoesNotAnswerForAnotherID)
{
    expect_none_of_the_first((struct step){
            .options = "-DA", .builds = 1, .build = build_at_once});
}

TEST_C(LayerOwnCache, DoesNotAnswerWithoutOptions)
{
    expect_none_of_the_first(
            (struct step){.builds = 1, .build = build_at_once});
}

TEST_C(LayerOwnCache, DoesNotAnswerBuildsWithACallback)
{
    expect_none_of_the_first((struct step){
            .options = "-DA -DB", .builds = 1, .build = build_with_callback});
}

TEST_C(LayerOwnCache, DoesNotAnswerWhatIsLinkedLater)
{
    expect_none_of_the_first((struct step){
            .options = "-DA", .builds = 2, .build = compile_and_link});
}

/* Users have it on: where the layer has no entry, it spares a compilation. */
TEST_C(LayerOwnCache, AnswersForTheSameID)
{
    struct step step = {
            "rusticl", "1", "first", "store", "-DA", "first", 1, build_at_once};
    expect_of(&step);
    step.store = "other";
    step.name = "second"; /* what is in no ID shows who answered */
    expect_of(&step);
}
