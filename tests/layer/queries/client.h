/* SPDX-License-Identifier: Apache-2.0 */
/* What the scenes of the query client share: a device, programs, runs. */
#ifndef DNNL_CACHE_TESTS_LAYER_QUERIES_CLIENT_H
#define DNNL_CACHE_TESTS_LAYER_QUERIES_CLIENT_H

#include <CL/cl.h>

#include <stdbool.h>
#include <stddef.h>

struct client {
    cl_platform_id platform;
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
    /* Intel's driver for CPUs (2026.22) dies of being asked for the kernels of
     * a binary that is not built, and of constants for IL that is none, which
     * it takes and cannot build. It does not know a program any more that was
     * released before its kernels. After a compilation that failed it answers
     * with parts of the build before. Nothing of that is asked then. */
    bool is_fragile;
    /* The same driver dies of clCreateKernelsInProgram() of what is compiled
     * and not linked, and the fake one dies as it does where it is told to. */
    bool dies_of_objects;
    /* NVIDIA's (580) dies of linking programs that are no objects but built,
     * linked or binaries, and of a list of programs that is NULL. */
    bool links_blindly;
    /* PoCL (3.1): its worker thread reads the sub-device of a command after
     * clFinish() has returned, and after the last reference to the sub-device
     * is gone. Nothing tells when it has done so: they are not released. */
    bool reads_parts_late;
};

/* The first device of the first platform whose name holds the text and whose
 * answers can be compared, in a context of its own; false: there is none. Its
 * handles are named. */
bool client_open(struct client *client, const char *platform);
void client_close(struct client *client);

/* A program in any context, from one string, under a name. Releasing it with
 * forget_program() forgets the name, too. A failure is told, and NULL. */
cl_program make_program(
        cl_context context, const char *name, const char *source);
void forget_program(cl_program program);

/* Builds for all devices, tells the status, and returns whether it went well.
 */
bool build_program(cl_program program, const char *options);

/* The same for kernels. */
cl_kernel make_kernel(cl_program program, const char *name);
void forget_kernel(cl_kernel kernel);

/* Launches a kernel of (__global float *x, float by) on 0 ... 7 and tells what
 * became of them. */
void run_kernel(cl_context context, cl_command_queue queue, const char *subject,
        cl_kernel kernel);

/* Build, kernel, run and release, told in few lines: does the program work? */
void try_program(const struct client *client, cl_program program,
        const char *options, const char *kernel);

/* x[i] *= by * BY, where the options may define BY: its kernel is "scale". */
extern const char scale_source[];

/* ---- The scenes ---------------------------------------------------------- */

void scene_source(const struct client *client);
void scene_arguments(const struct client *client);
void scene_rebuild(const struct client *client);
void scene_failure(const struct client *client);
void scene_no_kernels(const struct client *client);
void scene_over(const struct client *client);
void scene_callback(const struct client *client);
void scene_references(const struct client *client);
void scene_outlive(const struct client *client);
void scene_errors(const struct client *client);
void scene_several(const struct client *client);
void scene_parted(const struct client *client);
void scene_sub_device(const struct client *client);
void scene_link(const struct client *client);
void scene_parts(const struct client *client);
void scene_link_options(const struct client *client);
void scene_no_options(const struct client *client);
void scene_empty_options(const struct client *client);
void scene_compile_built(const struct client *client);
void scene_binary(const struct client *client);
void scene_input(const struct client *client);
void scene_unload(const struct client *client);
void scene_printf(const struct client *client);
void scene_extensions(const struct client *client);
void scene_threads(const struct client *client);
void scene_states(const struct client *client);
void scene_contexts(const struct client *client);

#endif /* DNNL_CACHE_TESTS_LAYER_QUERIES_CLIENT_H */
