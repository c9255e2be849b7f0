/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A cold or a warm start on the test platform, as an application does it.
 *
 *     warm_start_client cold|warm DIRECTORY
 *
 * Cold: makes an engine, a program and three primitives, runs them, and keeps
 * in the directory their IDs, blobs and outputs. Warm: makes them from the
 * blobs and compares. Exits with 0 if all went as it must, 77 if there is no
 * such platform.
 */
#include "dnnl_cache.h"
#include "test_platform.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NO_PLATFORM = 77, ELEMENTS = 1000 };

static const char *directory;
static bool is_warm;

static void must(bool ok, const char *what)
{
    if (ok) return;
    fprintf(stderr, "%s: %s\n", is_warm ? "warm" : "cold", what);
    exit(1);
}

static void must_succeed(dnnl_status_t status, const char *what)
{
    if (status != dnnl_success)
        fprintf(stderr, "%s\n", dnnl_status2str(status));
    must(status == dnnl_success, what);
}

/* ---- Files --------------------------------------------------------------- */

struct bytes {
    uint8_t *data;
    size_t size;
};

static struct bytes allocate(size_t size)
{
    struct bytes b = {malloc(size > 0 ? size : 1), size};
    must(b.data != NULL, "malloc");
    return b;
}

static FILE *open_file(const char *name, const char *extension, char *mode)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s.%s", directory, name, extension);
    FILE *file = fopen(path, mode);
    must(file != NULL, path);
    return file;
}

static struct bytes load(const char *name, const char *extension)
{
    FILE *file = open_file(name, extension, "rb");
    must(fseek(file, 0, SEEK_END) == 0, name);
    struct bytes b = allocate((size_t)ftell(file));
    rewind(file);
    must(fread(b.data, 1, b.size, file) == b.size, name);
    fclose(file);
    return b;
}

/* Cold: keeps the bytes. Warm: compares them with what was kept. */
static void keep(const char *name, const char *extension, struct bytes b)
{
    if (is_warm) {
        struct bytes kept = load(name, extension);
        must(kept.size == b.size, name);
        must(memcmp(kept.data, b.data, b.size) == 0, name);
        free(kept.data);
    } else {
        FILE *file = open_file(name, extension, "wb");
        must(fwrite(b.data, 1, b.size, file) == b.size, name);
        must(fclose(file) == 0, name);
    }
    free(b.data);
}

/* ---- Engine -------------------------------------------------------------- */

static void keep_engine_id(cl_device_id device)
{
    size_t size = 0;
    must_succeed(dnnl_ocl_interop_engine_get_cache_blob_id(device, &size, NULL),
            "the engine's ID");
    must(size > 0, "the device is not cacheable");
    struct bytes id = allocate(size);
    must_succeed(
            dnnl_ocl_interop_engine_get_cache_blob_id(device, &size, id.data),
            "the engine's ID");
    keep("engine", "id", id);
}

static dnnl_engine_t make_engine(cl_device_id device, cl_context context)
{
    dnnl_engine_t engine = NULL;
    size_t size = 0;
    keep_engine_id(device);
    if (is_warm) {
        struct bytes blob = load("engine", "blob");
        must_succeed(dnnl_ocl_interop_engine_create_from_cache_blob(
                             &engine, device, context, blob.size, blob.data),
                "an engine from its blob");
        free(blob.data);
    } else {
        must_succeed(dnnl_ocl_interop_engine_create(&engine, device, context),
                "an engine");
    }
    must_succeed(dnnl_ocl_interop_engine_get_cache_blob(engine, &size, NULL),
            "the engine's blob");
    struct bytes blob = allocate(size);
    must_succeed(
            dnnl_ocl_interop_engine_get_cache_blob(engine, &size, blob.data),
            "the engine's blob");
    keep("engine", "blob", blob);
    return engine;
}

/* ---- A program of the application's -------------------------------------- */

static const char *const source = "__kernel void twice(__global float *x)\n"
                                  "{\n"
                                  "    size_t i = get_global_id(0);\n"
                                  "    x[i] = x[i] * FACTOR + 0.1f;\n"
                                  "}\n";

static void run_kernel(
        cl_device_id device, cl_context context, cl_kernel kernel)
{
    cl_int error;
    const size_t global = ELEMENTS;
    struct bytes data = allocate(ELEMENTS * sizeof(float));
    for (int i = 0; i < ELEMENTS; i++)
        ((float *)(void *)data.data)[i] = 0.3f * (float)i;
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &error);
    must(error == CL_SUCCESS, "clCreateCommandQueue");
    cl_mem buffer =
            clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                    data.size, data.data, &error);
    must(error == CL_SUCCESS, "clCreateBuffer");
    must(clSetKernelArg(kernel, 0, sizeof buffer, &buffer) == CL_SUCCESS
                    && clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global,
                               NULL, 0, NULL, NULL)
                               == CL_SUCCESS
                    && clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, data.size,
                               data.data, 0, NULL, NULL)
                               == CL_SUCCESS,
            "running the kernel");
    clReleaseMemObject(buffer);
    clReleaseCommandQueue(queue);
    keep("program", "out", data);
}

static dnnl_cache_program_t make_program(const_dnnl_cache_program_desc_t desc)
{
    dnnl_cache_program_t program = NULL;
    if (!is_warm) {
        must_succeed(dnnl_cache_program_create(&program, desc), "a program");
        return program;
    }
    struct bytes blob = load("program", "blob");
    must_succeed(dnnl_cache_program_create_from_cache_blob(
                         &program, desc, blob.size, blob.data),
            "a program from its blob");
    free(blob.data);
    return program;
}

static void keep_program(
        const_dnnl_cache_program_desc_t desc, dnnl_cache_program_t program)
{
    size_t size = 0;
    must_succeed(dnnl_cache_program_desc_get_cache_blob_id(desc, &size, NULL),
            "the program's ID");
    struct bytes id = allocate(size);
    must_succeed(
            dnnl_cache_program_desc_get_cache_blob_id(desc, &size, id.data),
            "the program's ID");
    keep("program", "id", id);
    must_succeed(dnnl_cache_program_get_cache_blob(program, &size, NULL),
            "the program's blob");
    struct bytes blob = allocate(size);
    must_succeed(dnnl_cache_program_get_cache_blob(program, &size, blob.data),
            "the program's blob");
    keep("program", "blob", blob);
}

static void do_program(
        dnnl_engine_t engine, cl_device_id device, cl_context context)
{
    dnnl_cache_program_desc_t desc = NULL;
    cl_kernel kernel = NULL;
    must_succeed(dnnl_cache_program_desc_create(
                         &desc, engine, 1, &source, NULL, "-DFACTOR=2.0f"),
            "describing a program");
    dnnl_cache_program_t program = make_program(desc);
    must_succeed(dnnl_cache_program_get_kernel(program, "twice", &kernel),
            "a kernel");
    run_kernel(device, context, kernel);
    /* After its use, so that the binary has what drivers compile late. */
    keep_program(desc, program);
    clReleaseKernel(kernel);
    dnnl_cache_program_destroy(program);
    dnnl_cache_program_desc_destroy(desc);
}

/* ---- Primitives ---------------------------------------------------------- */

static dnnl_memory_desc_t tensor(
        int ndims, dnnl_dim_t a, dnnl_dim_t b, dnnl_dim_t c, dnnl_dim_t d)
{
    const dnnl_dims_t dims = {a, b, c, d};
    dnnl_memory_desc_t md = NULL;
    must_succeed(dnnl_memory_desc_create_with_strides(
                         &md, ndims, dims, dnnl_f32, NULL),
            "a memory descriptor");
    return md;
}

static dnnl_primitive_desc_t describe_matmul(dnnl_engine_t engine)
{
    dnnl_primitive_desc_t pd = NULL;
    dnnl_memory_desc_t src = tensor(2, 40, 30, 0, 0);
    dnnl_memory_desc_t weights = tensor(2, 30, 50, 0, 0);
    dnnl_memory_desc_t dst = tensor(2, 40, 50, 0, 0);
    must_succeed(dnnl_matmul_primitive_desc_create(
                         &pd, engine, src, weights, NULL, dst, NULL),
            "describing a matrix product");
    dnnl_memory_desc_destroy(src);
    dnnl_memory_desc_destroy(weights);
    dnnl_memory_desc_destroy(dst);
    return pd;
}

static dnnl_primitive_desc_t describe_convolution(dnnl_engine_t engine)
{
    static const dnnl_dims_t ones = {1, 1};
    dnnl_primitive_desc_t pd = NULL;
    dnnl_memory_desc_t image = tensor(4, 1, 8, 12, 12);
    dnnl_memory_desc_t weights = tensor(4, 8, 8, 3, 3);
    must_succeed(dnnl_convolution_forward_primitive_desc_create(&pd, engine,
                         dnnl_forward_inference, dnnl_convolution_direct, image,
                         weights, NULL, image, ones, NULL, ones, NULL, NULL),
            "describing a convolution");
    dnnl_memory_desc_destroy(image);
    dnnl_memory_desc_destroy(weights);
    return pd;
}

static dnnl_primitive_desc_t describe_tanh(dnnl_engine_t engine)
{
    dnnl_primitive_desc_t pd = NULL;
    dnnl_memory_desc_t md = tensor(1, ELEMENTS, 0, 0, 0);
    must_succeed(dnnl_eltwise_forward_primitive_desc_create(&pd, engine,
                         dnnl_forward_inference, dnnl_eltwise_tanh, md, md,
                         0.0f, 0.0f, NULL),
            "describing a tanh");
    dnnl_memory_desc_destroy(md);
    return pd;
}

static dnnl_primitive_t make_primitive(
        const char *name, const_dnnl_primitive_desc_t pd)
{
    dnnl_primitive_t primitive = NULL;
    if (!is_warm) {
        must_succeed(dnnl_primitive_create(&primitive, pd), name);
        return primitive;
    }
    struct bytes blob = load(name, "blob");
    must_succeed(dnnl_primitive_create_from_cache_blob(
                         &primitive, pd, blob.size, blob.data),
            name);
    free(blob.data);
    return primitive;
}

/* A tensor of the primitive with numbers in it; NULL if it has none. */
static dnnl_memory_t make_memory(
        dnnl_engine_t engine, const_dnnl_primitive_desc_t pd, dnnl_query_t what)
{
    dnnl_memory_t memory = NULL;
    float *mapped = NULL;
    const_dnnl_memory_desc_t md = dnnl_primitive_desc_query_md(pd, what, 0);
    size_t size = dnnl_memory_desc_get_size(md);
    if (size == 0) return NULL;
    must_succeed(dnnl_memory_create(&memory, md, engine, DNNL_MEMORY_ALLOCATE),
            "a memory");
    must_succeed(dnnl_memory_map_data(memory, (void **)&mapped), "mapping");
    for (size_t i = 0; i < size / sizeof *mapped; i++)
        mapped[i] = 0.01f * (float)(i % 97) - 0.4f;
    must_succeed(dnnl_memory_unmap_data(memory, mapped), "unmapping");
    return memory;
}

static void keep_output(const char *name, dnnl_memory_t memory)
{
    void *mapped = NULL;
    const_dnnl_memory_desc_t md = NULL;
    must_succeed(dnnl_memory_get_memory_desc(memory, &md), name);
    struct bytes out = allocate(dnnl_memory_desc_get_size(md));
    must_succeed(dnnl_memory_map_data(memory, &mapped), "mapping");
    memcpy(out.data, mapped, out.size);
    must_succeed(dnnl_memory_unmap_data(memory, mapped), "unmapping");
    keep(name, "out", out);
}

static void execute(const char *name, dnnl_engine_t engine,
        const_dnnl_primitive_desc_t pd, dnnl_primitive_t primitive)
{
    dnnl_stream_t stream = NULL;
    must_succeed(dnnl_stream_create(&stream, engine, dnnl_stream_default_flags),
            "a stream");
    const dnnl_exec_arg_t args[] = {
            {DNNL_ARG_SRC, make_memory(engine, pd, dnnl_query_src_md)},
            {DNNL_ARG_WEIGHTS, make_memory(engine, pd, dnnl_query_weights_md)},
            {DNNL_ARG_DST, make_memory(engine, pd, dnnl_query_dst_md)}};
    must_succeed(dnnl_primitive_execute(primitive, stream, 3, args), name);
    must_succeed(dnnl_stream_wait(stream), name);
    keep_output(name, args[2].memory);
    for (size_t i = 0; i < 3; i++)
        dnnl_memory_destroy(args[i].memory);
    dnnl_stream_destroy(stream);
}

static void keep_primitive(const char *name, const_dnnl_primitive_desc_t pd,
        const_dnnl_primitive_t primitive)
{
    size_t size = 0;
    must_succeed(
            dnnl_cache_primitive_desc_get_cache_blob_id(pd, &size, NULL), name);
    struct bytes id = allocate(size);
    must_succeed(
            dnnl_cache_primitive_desc_get_cache_blob_id(pd, &size, id.data),
            name);
    keep(name, "id", id);
    must_succeed(dnnl_primitive_get_cache_blob(primitive, &size, NULL), name);
    struct bytes blob = allocate(size);
    must_succeed(
            dnnl_primitive_get_cache_blob(primitive, &size, blob.data), name);
    keep(name, "blob", blob);
}

static void do_primitive(
        const char *name, dnnl_engine_t engine, dnnl_primitive_desc_t pd)
{
    dnnl_primitive_t primitive = make_primitive(name, pd);
    execute(name, engine, pd, primitive);
    keep_primitive(name, pd, primitive);
    dnnl_primitive_destroy(primitive);
    dnnl_primitive_desc_destroy(pd);
}

int main(int argc, char **argv)
{
    cl_int error;
    must(argc == 3, "usage: warm_start_client cold|warm DIRECTORY");
    is_warm = strcmp(argv[1], "warm") == 0;
    directory = argv[2];
    cl_device_id device = test_platform_device();
    if (device == NULL) return NO_PLATFORM;
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    must(error == CL_SUCCESS, "clCreateContext");
    dnnl_engine_t engine = make_engine(device, context);
    do_program(engine, device, context);
    do_primitive("matmul", engine, describe_matmul(engine));
    do_primitive("convolution", engine, describe_convolution(engine));
    do_primitive("tanh", engine, describe_tanh(engine));
    dnnl_engine_destroy(engine);
    clReleaseContext(context);
    return 0;
}
