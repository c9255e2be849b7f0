/* SPDX-License-Identifier: Apache-2.0 */
/*
 * existing_program.c: an application that builds a cl_program of its own, and
 * adds a cache blob for it.
 *
 *     existing_program ~/.cache/existing    compiled 1 program, result in ...
 *     existing_program ~/.cache/existing    from the cache, result in 3 ms, ...
 *
 * build() and launch() are the application's unchanged code, and work without
 * the library. New are find() before build(), and keep() after launch(): some
 * drivers (PoCL) compile kernels at their first launch, and only afterwards the
 * binary is complete.
 */
#include "example.h"

#include <stdio.h>
#include <stdlib.h>

enum { count = 4096, group = 64 };

/* For each number from 1 on: how many steps until it is 1. */
static const char *const source =
        "__kernel void steps(__global uint *out, uint count)\n"
        "{\n"
        "    uint i = get_global_id(0), n = i + 1, steps = 0;\n"
        "    if (i >= count) return;\n"
        "    while (n != 1) {\n"
        "        n = n % 2 == 0 ? n / 2 : 3 * n + 1;\n"
        "        steps++;\n"
        "    }\n"
        "    out[i] = steps;\n"
        "}\n";
static const char *const build_options = "-cl-std=CL1.2";

/* ---- As it was ----------------------------------------------------------- */

static cl_program build(const struct device *device)
{
    const char *text = source;
    cl_int error;
    cl_program program =
            clCreateProgramWithSource(device->context, 1, &text, NULL, &error);
    if (error != CL_SUCCESS) return NULL;
    error = clBuildProgram(program, 1, &device->id, build_options, NULL, NULL);
    if (error == CL_SUCCESS) return program;
    fprintf(stderr, "existing_program: the build fails with %d\n", (int)error);
    clReleaseProgram(program);
    return NULL;
}

static bool launch(
        const struct device *device, cl_program program, cl_uint *result)
{
    cl_int error;
    cl_kernel kernel = clCreateKernel(program, "steps", &error);
    if (error != CL_SUCCESS) return false;
    const bool done = example_run(device, kernel, count, group, result);
    clReleaseKernel(kernel);
    return done;
}

static bool check(const cl_uint *result)
{
    bool right = true;
    double sum = 0.0;
    for (cl_uint i = 0; i < count; i++) {
        cl_uint steps = 0;
        for (cl_uint n = i + 1; n != 1; steps++)
            n = n % 2 == 0 ? n / 2 : 3 * n + 1;
        if (result[i] != steps) right = false;
        sum += (double)result[i];
    }
    example_print_result(sum, right);
    return right;
}

/* ---- What is new --------------------------------------------------------- */

struct cached {
    dnnl_engine_t engine; /* the application's device and context */
    dnnl_cache_program_desc_t desc;
    dnnl_cache_program_t program;
    char path[files_path_size]; /* of the blob */
    dnnl_status_t found;        /* how creation from it went */
};

/* The program from its blob, borrowed from cached; NULL if it must be built.
 * After any failure the program is simply built. */
static cl_program find(
        struct cached *cached, const struct device *device, const char *folder)
{
    size_t id_size = 0, size = 0;
    uint8_t *id = NULL, *blob;
    cl_program program = NULL;
    cached->path[0] = '\0';
    if (dnnl_ocl_interop_engine_create(
                &cached->engine, device->id, device->context)
                    != dnnl_success
            || dnnl_cache_program_desc_create(&cached->desc, cached->engine, 1,
                       &source, NULL, build_options)
                       != dnnl_success)
        return NULL;
    dnnl_cache_program_desc_get_cache_blob_id(cached->desc, &id_size, NULL);
    id = malloc(id_size + 1);
    if (id != NULL
            && dnnl_cache_program_desc_get_cache_blob_id(
                       cached->desc, &id_size, id)
                       == dnnl_success)
        example_blob_path(cached->path, folder, id_size, id);
    free(id);

    blob = files_read(cached->path, &size);
    cached->found = dnnl_cache_program_create_from_cache_blob(
            &cached->program, cached->desc, size, blob);
    free(blob);
    if (cached->found == dnnl_success)
        dnnl_cache_program_get_cl_program(cached->program, &program);
    return program;
}

/* Keeps what the application built, now that its kernels were launched. */
static void keep(struct cached *cached, cl_program program)
{
    size_t size = 0;
    /* A blob of a newer format is left for the newer library that wrote it. */
    if (cached->path[0] == '\0' || cached->found == dnnl_cache_blob_unsupported
            || dnnl_cache_program_adopt(&cached->program, cached->desc, program)
                       != dnnl_success)
        return;
    dnnl_cache_program_get_cache_blob(cached->program, &size, NULL);
    uint8_t *blob = size > 0 ? malloc(size) : NULL;
    if (blob != NULL
            && dnnl_cache_program_get_cache_blob(cached->program, &size, blob)
                       == dnnl_success)
        files_write(cached->path, size, blob);
    free(blob);
}

static dnnl_status_t run(
        const struct device *device, const char *folder, bool *right)
{
    static cl_uint result[count];
    struct cached cached = {0};
    cl_program built = NULL;
    const double began = clock_ms();
    cl_program program = find(&cached, device, folder);
    if (program == NULL) program = built = build(device);
    const bool done = program != NULL && launch(device, program, result);
    if (done) {
        example_print_time(built != NULL, clock_ms() - began);
        *right = check(result);
    }
    if (done && built != NULL) keep(&cached, built);
    if (built != NULL) clReleaseProgram(built);
    dnnl_cache_program_destroy(cached.program);
    dnnl_cache_program_desc_destroy(cached.desc);
    dnnl_engine_destroy(cached.engine);
    return done ? dnnl_success : dnnl_runtime_error;
}

int main(int argc, char **argv)
{
    static const struct example example = {"FOLDER",
            "A program of OpenCL C, compiled by the first run and loaded by\n"
            "later ones.\n",
            run};
    return example_main(&example, argc, argv);
}
