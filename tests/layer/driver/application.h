/* SPDX-License-Identifier: Apache-2.0 */
/*
 * application.h: an application on the fake driver, under the layer, in a
 * process of its own; and what the layer says that it did for it.
 */
#ifndef DNNL_CACHE_TESTS_LAYER_DRIVER_APPLICATION_H
#define DNNL_CACHE_TESTS_LAYER_DRIVER_APPLICATION_H

#include "fake_opencl_control.h"

#include <CL/cl.h>

#include <stdbool.h>
#include <sys/types.h>

/* ---- Its process --------------------------------------------------------- */

enum { died = 128 + 6 /* SIGABRT: of the driver's abort() */ };

/* Runs body in a child that has the layer, a store in the test's folder, a
 * driver that takes 20 ms to compile, and the variables NAME=value up to a NULL
 * (NULL: none); it ends by exit(). 0 if all that body expected is so; `died`.
 * The layer is told that compiling took an hour, or it would stand aside on a
 * busy machine, unless the variables have FAKE_OPENCL_BUILD_MS. */
int run_application(
        const char *const *variables, void (*body)(void *user), void *user);

/* The same, not waited for: layer_process_wait(). */
pid_t start_application(
        const char *const *variables, void (*body)(void *user), void *user);

/* What the layer counted in the last application that ended: a number of its
 * statistics by name, one of them by the reason's; 0 if it is not there. */
unsigned long counted(const char *name);
unsigned long missed_by(const char *reason);
/* In all applications since the counts were forgotten, as run_application()
 * does first. */
unsigned long counted_by_all(const char *name);
void forget_counts(void);

/* ---- Its objects --------------------------------------------------------- */

enum { most_devices = 8 };

struct application {
    cl_uint device_count;
    cl_device_id devices[most_devices];
    cl_context context;          /* of all of them */
    unsigned long source_builds; /* of the driver, before */
    bool is_alone; /* nothing of the driver's is left when it is closed */
};

/* The platform's first devices. Notes a failure of the test if it cannot. */
void application_open(struct application *a, cl_uint device_count);
/* Releases the context. */
void application_close(struct application *a);
/* Waits for the layer to give back all that it still needed of the driver's,
 * and notes a failure if it does not. */
void expect_nothing_alive(void);
/* The same of programs: the capture is done with them. */
void expect_no_programs(void);

/* Builds from source or IL that reached the driver since it was opened. */
unsigned long source_builds(const struct application *a);

cl_program program_of_source(const struct application *a, const char *source);
cl_program program_of_il(const struct application *a, const char *text);

/* Builds for all devices, by a plain call, and expects success. */
void build(cl_program program, const char *options);

/* The program is built for the device, has this one kernel, and answers as one
 * that was built from source with the options does. */
void expect_built(cl_program program, cl_device_id device, const char *options,
        const char *kernel);

/* All of that: makes, builds, expects and releases a program of one kernel for
 * the application's devices. */
void use_program(
        const struct application *a, const char *kernel, const char *options);

#endif /* DNNL_CACHE_TESTS_LAYER_DRIVER_APPLICATION_H */
