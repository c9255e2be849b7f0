/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program of an application's own: square matrices are multiplied, tile by
 * tile.
 */
#include "subject.h"

#include "failure.h"

#include <stdlib.h>

enum { TILE = 16 };

static const char source[] =
        "#define TILE 16\n"
        "__kernel __attribute__((reqd_work_group_size(TILE, TILE, 1)))\n"
        "void multiply(const __global float *a, const __global float *b,\n"
        "        __global float *c, int n)\n"
        "{\n"
        "    __local float left[TILE][TILE];\n"
        "    __local float right[TILE][TILE];\n"
        "    int column = get_global_id(0), x = get_local_id(0);\n"
        "    int row = get_global_id(1), y = get_local_id(1);\n"
        "    if (n == 0) return;\n"
        "    float sum = 0.0f;\n"
        "    for (int at = 0; at < n; at += TILE) {\n"
        "        left[y][x] = a[row * n + at + x];\n"
        "        right[y][x] = b[(at + y) * n + column];\n"
        "        barrier(CLK_LOCAL_MEM_FENCE);\n"
        "        for (int i = 0; i < TILE; i++)\n"
        "            sum += left[y][i] * right[i][x];\n"
        "        barrier(CLK_LOCAL_MEM_FENCE);\n"
        "    }\n"
        "    c[row * n + column] = sum;\n"
        "}\n";

static bool program_prepare(struct object *o)
{
    return o->engine != NULL;
}

static bool program_describe(struct object *o)
{
    const char *const sources[] = {source};
    return succeeded(dnnl_cache_program_desc_create(&o->program_desc, o->engine,
                             1, sources, NULL, "-cl-fast-relaxed-math"),
            "dnnl_cache_program_desc_create");
}

static bool program_id(struct object *o, const uint8_t **id, size_t *size)
{
    *size = sizeof o->id;
    *id = o->id;
    return succeeded(dnnl_cache_program_desc_get_cache_blob_id(
                             o->program_desc, size, o->id),
            "dnnl_cache_program_desc_get_cache_blob_id");
}

static bool program_kernel(struct object *o)
{
    return succeeded(
            dnnl_cache_program_get_kernel(o->program, "multiply", &o->kernel),
            "dnnl_cache_program_get_kernel");
}

static bool program_create(struct object *o)
{
    return succeeded(dnnl_cache_program_create(&o->program, o->program_desc),
                   "dnnl_cache_program_create")
           && program_kernel(o);
}

static bool program_load(struct object *o, const struct bytes *blob)
{
    return succeeded(dnnl_cache_program_create_from_cache_blob(&o->program,
                             o->program_desc, blob->size, blob->data),
                   "dnnl_cache_program_create_from_cache_blob")
           && program_kernel(o);
}

static bool program_blob(struct object *o, size_t *size, uint8_t *blob)
{
    return succeeded(dnnl_cache_program_get_cache_blob(o->program, size, blob),
            "dnnl_cache_program_get_cache_blob");
}

static bool program_keep(struct object *o)
{
    return succeeded(dnnl_cache_program_capture(o->program),
            "dnnl_cache_program_capture");
}

static bool launch(struct object *o, cl_int n)
{
    static const size_t local[] = {TILE, TILE};
    size_t side = n > 0 ? (size_t)n : TILE;
    size_t global[] = {side, side};
    cl_int error = CL_SUCCESS;
    for (cl_uint i = 0; i < OBJECT_INPUTS && error == CL_SUCCESS; i++)
        error = clSetKernelArg(
                o->kernel, i, sizeof o->buffers[i], &o->buffers[i]);
    if (error == CL_SUCCESS)
        error = clSetKernelArg(o->kernel, OBJECT_INPUTS, sizeof n, &n);
    if (!cl_succeeded(error, "clSetKernelArg")) return false;
    return cl_succeeded(clEnqueueNDRangeKernel(o->queue, o->kernel, 2, NULL,
                                global, local, 0, NULL, NULL),
                   "clEnqueueNDRangeKernel")
           && cl_succeeded(clFinish(o->queue), "clFinish");
}

static void release_memory(struct object *o)
{
    for (int i = 0; i < OBJECT_INPUTS; i++) {
        if (o->buffers[i] != NULL) clReleaseMemObject(o->buffers[i]);
        o->buffers[i] = NULL;
    }
    if (o->queue != NULL) clReleaseCommandQueue(o->queue);
    o->queue = NULL;
}

/* A queue and buffers for matrices of n x n zeros. */
static bool make_memory(struct object *o, size_t n)
{
    cl_int error;
    release_memory(o);
    o->queue = clCreateCommandQueue(o->context, o->device->id, 0, &error);
    if (!cl_succeeded(error, "clCreateCommandQueue")) return false;
    float *zeros = calloc(n * n, sizeof *zeros);
    if (zeros == NULL) error = CL_OUT_OF_HOST_MEMORY;
    for (int i = 0; i < OBJECT_INPUTS && error == CL_SUCCESS; i++)
        o->buffers[i] = clCreateBuffer(o->context,
                CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, n * n * sizeof *zeros,
                zeros, &error);
    free(zeros);
    return cl_succeeded(error, "clCreateBuffer");
}

static bool program_use(struct object *o)
{
    return make_memory(o, 1) && launch(o, 0);
}

static bool program_run_prepare(struct object *o)
{
    return make_memory(o, (size_t)o->size);
}

static bool program_run(struct object *o)
{
    return launch(o, (cl_int)o->size);
}

static void program_forget(struct object *o)
{
    dnnl_cache_program_desc_destroy(o->program_desc);
    o->program_desc = NULL;
}

static void program_drop(struct object *o)
{
    if (o->kernel != NULL) clReleaseKernel(o->kernel);
    o->kernel = NULL;
    dnnl_cache_program_destroy(o->program);
    o->program = NULL;
}

const struct subject subject_program = {
        .name = "program",
        .prepare = program_prepare,
        .describe = program_describe,
        .id = program_id,
        .create = program_create,
        .load = program_load,
        .use = program_use,
        .blob = program_blob,
        .keep = program_keep,
        .run_prepare = program_run_prepare,
        .run = program_run,
        .forget = program_forget,
        .drop = program_drop,
        .finish = release_memory,
};
