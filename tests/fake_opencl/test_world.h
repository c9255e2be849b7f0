/* SPDX-License-Identifier: Apache-2.0 */
/* What the fake driver's own tests begin with and end with. */
#ifndef DNNL_CACHE_TESTS_FAKE_TEST_WORLD_H
#define DNNL_CACHE_TESTS_FAKE_TEST_WORLD_H

#define CL_USE_DEPRECATED_OPENCL_1_0_APIS
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#ifndef CL_USE_DEPRECATED_OPENCL_1_2_APIS /* the build may say so too */
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#endif
#define CL_USE_DEPRECATED_OPENCL_2_2_APIS

#include "fake_opencl_control.h"
#include "test.h"

struct world {
    cl_platform_id platform;
    cl_device_id device;
    cl_context context;
    cl_command_queue queue; /* in order, with profiling */
};

/* A driver as new, with one of everything. */
void world_open(struct world *world);
/* Releases it; the test fails if anything is still alive or was misused. */
void world_close(struct world *world);
/* A program of the source, built with the options, or NULL and a failure. */
cl_program world_build(
        const struct world *world, const char *source, const char *options);

/* A test that has one, opened before and closed after it: TEST_WITH(). */
#define TEST_WORLD(suite, name)                                    \
    TEST_WITH(suite, name, struct world, world, world_open(world), \
            world_close(world))

#endif /* DNNL_CACHE_TESTS_FAKE_TEST_WORLD_H */
