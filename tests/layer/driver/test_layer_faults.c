/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every call of the driver's fails once. A call that only the layer makes is
 * none of the application's business: it gets its program. One that it makes
 * itself may fail for it, and the next attempt is as if nothing had been.
 */
#include "application.h"

#include "test.h"

#include <stdio.h>
#include <string.h>

enum { MOST_CALLS = 200 };

/* The calls of use_somehow(). */
static const char *const own_calls[] = {"clCreateProgramWithSource",
        "clBuildProgram", "clGetProgramBuildInfo", "clGetProgramInfo",
        "clCreateKernel", "clReleaseKernel", "clReleaseProgram", NULL};

static bool is_own(const char *function)
{
    size_t i = 0;
    while (own_calls[i] != NULL && strcmp(own_calls[i], function) != 0)
        i++;
    return own_calls[i] != NULL;
}

/* What became of it: the first error, CL_SUCCESS. */
static cl_int use_program_made(
        const struct application *a, cl_program program, const char *name)
{
    cl_build_status status = CL_BUILD_NONE;
    size_t count = 0;
    cl_int error = clBuildProgram(program, 0, NULL, "", NULL, NULL);
    if (error != CL_SUCCESS) return error;
    error = clGetProgramBuildInfo(program, a->devices[0],
            CL_PROGRAM_BUILD_STATUS, sizeof status, &status, NULL);
    if (error != CL_SUCCESS) return error;
    error = clGetProgramInfo(
            program, CL_PROGRAM_NUM_KERNELS, sizeof count, &count, NULL);
    if (error != CL_SUCCESS) return error;
    cl_kernel kernel = clCreateKernel(program, name, &error);
    return kernel != NULL ? clReleaseKernel(kernel) : error;
}

static cl_int use_somehow(const struct application *a, const char *name)
{
    char source[128];
    const char *text = source;
    cl_int error = CL_SUCCESS;
    (void)snprintf(source, sizeof source,
            "kernel void %s(global float *x) { *x = 1.0f; }", name);
    cl_program program =
            clCreateProgramWithSource(a->context, 1, &text, NULL, &error);
    if (program == NULL) return error;
    error = use_program_made(a, program, name);
    const cl_int released = clReleaseProgram(program);
    return error != CL_SUCCESS ? error : released;
}

/* Which program is used with call number n failing: one that nobody has seen,
 * or one that is there. */
struct plan {
    bool is_warm;
    cl_int error;
};

/* False: fewer than n calls were made. */
static bool fail_call(
        const struct application *a, const struct plan *plan, unsigned n)
{
    char name[32];
    (void)snprintf(
            name, sizeof name, "k%d_%u", -plan->error, plan->is_warm ? 0 : n);
    fake_opencl_reset();
    fake_opencl_fail_any(n, plan->error);
    const cl_int error = use_somehow(a, name);
    expect_no_programs();
    const char *failed = fake_opencl_last_failure();
    fake_opencl_fail_any(0, 0);
    if (failed == NULL) return false;
    if (error != CL_SUCCESS && !is_own(failed))
        test_fail(__FILE__, __LINE__, "call %u, %s, made it fail with %d", n,
                failed, (int)error);
    use_program(a, name, "");
    return true;
}

static void fail_each_call(void *user)
{
    const struct plan *plan = user;
    struct application a;
    unsigned n = 1;
    application_open(&a, 1);
    if (plan->is_warm) {
        use_program(
                &a, plan->error == CL_OUT_OF_RESOURCES ? "k5_0" : "k6_0", "");
        expect_no_programs();
    }
    while (n < MOST_CALLS && !test_has_failed() && fail_call(&a, plan, n))
        n++;
    EXPECT_GT(n, 5);
    EXPECT_LT(n, MOST_CALLS);
    application_close(&a);
}

static const char *const soon[] = {"DNNL_CACHE_CAPTURE_SECONDS=0", NULL};
static struct plan cold = {false, CL_OUT_OF_HOST_MEMORY};
static struct plan cold_for_lack = {false, CL_OUT_OF_RESOURCES};
static struct plan warm = {true, CL_OUT_OF_HOST_MEMORY};
static struct plan warm_for_lack = {true, CL_OUT_OF_RESOURCES};

TEST_C(LayerFaults, OfAnyCallLeaveTheNextOneRight)
{
    EXPECT_EQ(0, run_application(soon, fail_each_call, &cold));
    EXPECT_EQ(0, run_application(soon, fail_each_call, &cold_for_lack));
}

TEST_C(LayerFaults, OfAnyCallLeaveWhatIsThereRight)
{
    EXPECT_EQ(0, run_application(soon, fail_each_call, &warm));
    EXPECT_EQ(0, run_application(soon, fail_each_call, &warm_for_lack));
}
