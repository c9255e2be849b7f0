/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An application that runs while its driver is updated: the layer keeps nothing
 * of what was compiled, whenever the update comes before the entry is written.
 */
#include "application.h"

#include "layer_process.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { path_size = 600 };

static char vendors[path_size]; /* OCL_ICD_VENDORS of the copy */
static const char *variables[] = {vendors, NULL};

static const char *copy_name = "libfake_copy.so";

static const char *copy_path(char path[path_size])
{
    (void)snprintf(path, path_size, "%.400s/%s", test_directory(), copy_name);
    return path;
}

/* The copy of the driver, or a new file with the same bytes in its place. */
static void install_driver(void)
{
    char command[6 * path_size];
    char path[path_size];
    copy_path(path);
    (void)snprintf(command, sizeof command,
            "cp '%s' '%s.new' && mv '%s.new' '%s'", FAKE_DRIVER, path, path,
            path);
    EXPECT_EQ(0, system(command));
}

static void make_copy(void)
{
    char command[6 * path_size];
    char path[path_size];
    install_driver();
    (void)snprintf(vendors, sizeof vendors, "OCL_ICD_VENDORS=%.400s/vendors",
            test_directory());
    (void)snprintf(command, sizeof command,
            "mkdir '%.400s/vendors' && echo '%s' >'%.400s/vendors/one.icd'",
            test_directory(), copy_path(path), test_directory());
    EXPECT_EQ(0, system(command));
}

static void open_application(struct application *a)
{
    char path[path_size];
    fake_opencl_control_open(copy_path(path));
    application_open(a, 1);
}

struct step {
    const char *kernel;
    unsigned long builds; /* of the driver */
};

static void use(void *user)
{
    struct application a;
    const struct step *s = user;
    open_application(&a);
    use_program(&a, s->kernel, "");
    EXPECT_EQ(s->builds, source_builds(&a));
    application_close(&a);
}

/* The capture comes later than the build: once the program is released. */
static void update_before_release(void *user)
{
    struct application a;
    (void)user;
    open_application(&a);
    cl_program program =
            program_of_source(&a, "__kernel void third(__global int *x) {}");
    build(program, "");
    install_driver();
    expect_built(program, a.devices[0], "", "third");
    EXPECT_EQ(CL_SUCCESS, clReleaseProgram(program));
    application_close(&a);
}

static void update_and_use(void *user)
{
    struct application a;
    const struct step *s = user;
    open_application(&a);
    use_program(&a, "first", "");
    expect_no_programs(); /* it is kept, or was */
    install_driver();
    use_program(&a, s->kernel, "");
    EXPECT_EQ(s->builds, source_builds(&a));
    application_close(&a);
}

TEST_C(LayerChangedDriver, KeepsNothingThatWasCompiledAfterwards)
{
    make_copy();
    EXPECT_EQ(0, run_application(variables, update_and_use,
                         &(struct step){"second", 2}));
    EXPECT_EQ(1, counted("kept"));
    EXPECT_EQ(1, counted("driver_changed"));
    /* The first one is a hit, before and after. */
    EXPECT_EQ(0, run_application(variables, update_and_use,
                         &(struct step){"first", 0}));
    EXPECT_EQ(2, counted("hits"));
    /* The driver's bytes are the same, and so is its identity. */
    EXPECT_EQ(0, run_application(variables, use, &(struct step){"second", 1}));
    EXPECT_EQ(1, counted("kept"));
    EXPECT_EQ(0, counted("driver_changed"));
}

/* A folder of PATH whose name no file can have, or which the user may not
 * search: neither the compiler nor the layer finds anything there. */
TEST_C(LayerChangedDriver, IsNotAFolderThatCannotBeSearched)
{
    static char path[2 * path_size];
    static const char *with_path[] = {vendors, path, NULL};
    const char *usual = getenv("PATH");
    copy_name = "libpocl.so.2.99.0"; /* it looks for a linker */
    make_copy();
    (void)snprintf(path, sizeof path, "PATH=/%0300d:%.400s", 0,
            usual != NULL ? usual : "/usr/bin");
    EXPECT_EQ(0, run_application(with_path, use, &(struct step){"first", 1}));
    EXPECT_EQ(1, counted("kept"));
    EXPECT_EQ(0, counted("driver_changed"));
    copy_name = "libfake_copy.so";
}

TEST_C(LayerChangedDriver, KeepsNothingThatWasNotKeptBefore)
{
    make_copy();
    EXPECT_EQ(0, run_application(variables, update_before_release, NULL));
    EXPECT_EQ(0, counted("kept"));
    EXPECT_EQ(1, counted("driver_changed"));
}

/* ---- Two drivers --------------------------------------------------------- */

static void add_second_driver(void)
{
    char command[6 * path_size];
    (void)snprintf(command, sizeof command,
            "cp '%s' '%.400s/libsecond.so' && "
            "echo '%.400s/libsecond.so' >'%.400s/vendors/two.icd'",
            FAKE_DRIVER, test_directory(), test_directory(), test_directory());
    EXPECT_EQ(0, system(command));
}

static void open_on(struct application *a, cl_platform_id platform)
{
    cl_int error = CL_SUCCESS;
    memset(a, 0, sizeof *a);
    a->device_count = 1;
    ASSERT_EQ(CL_SUCCESS,
            clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, a->devices, NULL));
    a->context = clCreateContext(NULL, 1, a->devices, NULL, NULL, &error);
    EXPECT_EQ(CL_SUCCESS, error);
}

/* The copy, whose objects can be counted, is updated. */
static void update_one_of_two(void *unused)
{
    char path[path_size];
    cl_platform_id platforms[2] = {NULL, NULL};
    struct application copy;
    struct application second;
    (void)unused;
    fake_opencl_control_open(copy_path(path));
    ASSERT_EQ(CL_SUCCESS, clGetPlatformIDs(2, platforms, NULL));
    open_on(&copy, platforms[0]);
    open_on(&second, platforms[1]);
    /* The first has a context if it is the copy. */
    EXPECT_EQ(CL_SUCCESS, clReleaseContext(second.context));
    const bool is_first = fake_opencl_live_objects(NULL) > 0;
    EXPECT_EQ(CL_SUCCESS, clReleaseContext(copy.context));
    open_on(&copy, platforms[is_first ? 0 : 1]);
    open_on(&second, platforms[is_first ? 1 : 0]);
    use_program(&copy, "copy_before", "");
    use_program(&second, "second_before", "");
    expect_no_programs();
    install_driver();
    use_program(&copy, "copy_after", "");
    use_program(&second, "second_after", "");
    EXPECT_EQ(CL_SUCCESS, clReleaseContext(copy.context));
    EXPECT_EQ(CL_SUCCESS, clReleaseContext(second.context));
}

TEST_C(LayerChangedDriver, DoesNotStopAnother)
{
    make_copy();
    add_second_driver();
    EXPECT_EQ(0, run_application(variables, update_one_of_two, NULL));
    EXPECT_EQ(3, counted("kept"));
    EXPECT_EQ(1, counted("driver_changed"));
}
