/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An application that sets variables of its environment while it runs. Drivers
 * read them at times of their own, so what they make then is neither found nor
 * kept.
 */
#include "application.h"

#include "test.h"

#include <stdlib.h>

/* What each application does, and how many programs the driver compiles. */
struct change {
    const char *name;
    const char *value; /* NULL: unset */
    unsigned long builds;
};

static void change(const struct change *c)
{
    if (c->value != NULL)
        (void)setenv(c->name, c->value, 1);
    else
        (void)unsetenv(c->name);
}

static const char *const variables[] = {"POCL_EXTRA_BUILD_FLAGS=-DA=1",
        "HOME=/nonexistent", "OCLGRIND_BUILD_OPTIONS=-DA=1", NULL};

static const struct change changes[] = {
        {"POCL_EXTRA_BUILD_FLAGS", "-DA=2", 1},
        {"POCL_EXTRA_BUILD_FLAGS", NULL, 1},
        {"POCL_CACHE_DIR", "/nonexistent", 1},
        {"XDG_CACHE_HOME", "/nonexistent", 1},
        {"HOME", "/", 1},
        {"TMPDIR", "/nonexistent", 1},
        {"OCLGRIND_BUILD_OPTIONS", "", 1},
        {"RUSTICL_FEATURES", "fp64", 1},
        {"CPATH", "/nonexistent", 1},
};

enum { change_count = sizeof changes / sizeof *changes };

static void use_plainly(void *user)
{
    struct application a;
    const unsigned long *expected = user;
    application_open(&a, 1);
    use_program(&a, "k", "");
    EXPECT_EQ(*expected, source_builds(&a));
    application_close(&a);
}

static unsigned long one = 1;
static unsigned long none = 0;

static void change_with_a_context(void *user)
{
    struct application a;
    const struct change *c = user;
    application_open(&a, 1);
    change(c);
    use_program(&a, "k", "");
    EXPECT_EQ(c->builds, source_builds(&a));
    application_close(&a);
}

static void change_between_builds(void *user)
{
    struct application a;
    const struct change *c = user;
    application_open(&a, 1);
    use_program(&a, "k", "");
    EXPECT_EQ(0, source_builds(&a));
    change(c);
    use_program(&a, "k", "");
    EXPECT_EQ(c->builds, source_builds(&a));
    application_close(&a);
}

TEST_C(LayerChangedVariables, ServeNothing)
{
    ASSERT_EQ(0, run_application(variables, use_plainly, &one));
    EXPECT_EQ(1, counted("kept"));
    for (size_t i = 0; i < change_count; i++) {
        struct change c = changes[i];
        EXPECT_EQ(0, run_application(variables, change_with_a_context, &c));
        EXPECT_EQ(1, missed_by("environment"));
        EXPECT_EQ(0, counted("kept"));
        EXPECT_EQ(0, run_application(variables, change_between_builds, &c));
        EXPECT_EQ(1, missed_by("environment"));
        EXPECT_EQ(1, counted("hits"));
        EXPECT_EQ(0, counted("kept"));
    }
    ASSERT_EQ(0, run_application(variables, use_plainly, &none));
}

/* Before the driver has one, which is when it may read them. */
static void change_before_a_context(void *user)
{
    struct application a;
    const struct change *c = user;
    cl_uint count = 0;
    EXPECT_EQ(CL_SUCCESS, clGetPlatformIDs(0, NULL, &count));
    change(c);
    application_open(&a, 1);
    use_program(&a, "k", "");
    EXPECT_EQ(c->builds, source_builds(&a));
    application_close(&a);
}

/* The driver may have read what is gone again. */
static void change_and_back(void *user)
{
    struct application a;
    (void)user;
    application_open(&a, 1);
    (void)setenv("POCL_EXTRA_BUILD_FLAGS", "-DA=2", 1);
    use_program(&a, "k", "");
    (void)setenv("POCL_EXTRA_BUILD_FLAGS", "-DA=1", 1);
    use_program(&a, "k", "");
    EXPECT_EQ(2, source_builds(&a));
    application_close(&a);
}

static void change_and_back_around_a_context(void *user)
{
    struct application a;
    cl_uint count = 0;
    (void)user;
    EXPECT_EQ(CL_SUCCESS, clGetPlatformIDs(0, NULL, &count));
    (void)setenv("POCL_EXTRA_BUILD_FLAGS", "-DA=2", 1);
    application_open(&a, 1);
    (void)setenv("POCL_EXTRA_BUILD_FLAGS", "-DA=1", 1);
    use_program(&a, "k", "");
    EXPECT_EQ(1, source_builds(&a));
    application_close(&a);
}

TEST_C(LayerChangedVariables, ServeNothingWheneverTheyAreNoticed)
{
    struct change c = changes[0];
    ASSERT_EQ(0, run_application(variables, use_plainly, &one));
    EXPECT_EQ(0, run_application(variables, change_before_a_context, &c));
    EXPECT_EQ(1, missed_by("environment"));
    EXPECT_EQ(0, run_application(variables, change_and_back, NULL));
    EXPECT_EQ(2, missed_by("environment"));
    EXPECT_EQ(0,
            run_application(variables, change_and_back_around_a_context, NULL));
    EXPECT_EQ(1, missed_by("environment"));
}

/* Compiled before, and asked for after: some drivers compile for that, too. */
static void change_before_the_capture(void *user)
{
    static const char source[] = "kernel void k(global int *x) {}";
    struct application a;
    (void)user;
    application_open(&a, 1);
    cl_program program = program_of_source(&a, source);
    build(program, "");
    (void)setenv("POCL_WORK_GROUP_METHOD", "loops", 1);
    EXPECT_EQ(CL_SUCCESS, clReleaseProgram(program));
    application_close(&a);
}

TEST_C(LayerChangedVariables, KeepNothing)
{
    ASSERT_EQ(0, run_application(variables, change_before_the_capture, NULL));
    EXPECT_EQ(1, missed_by("missing"));
    EXPECT_EQ(0, counted("kept"));
    EXPECT_EQ(1, counted("not_kept"));
}

/* Before the first call of OpenCL it is as if another had set them. */
static void change_before_all(void *user)
{
    (void)setenv("POCL_EXTRA_BUILD_FLAGS", "-DA=3", 1);
    (void)unsetenv("HOME");
    use_plainly(user);
}

/* What no driver reads, and what is as it was. */
static void change_nothing(void *user)
{
    struct application a;
    (void)user;
    application_open(&a, 1);
    (void)setenv("PATH", "/nonexistent", 1);
    (void)setenv("POCL_EXTRA_BUILD_FLAGS", "-DA=1", 1);
    use_program(&a, "k", "");
    EXPECT_EQ(0, source_builds(&a));
    application_close(&a);
}

TEST_C(LayerChangedVariables, AreNoneBeforeTheFirstCall)
{
    ASSERT_EQ(0, run_application(variables, use_plainly, &one));
    ASSERT_EQ(0, run_application(variables, change_before_all, &one));
    ASSERT_EQ(0, run_application(variables, change_before_all, &none));
    ASSERT_EQ(0, run_application(variables, change_nothing, NULL));
}
