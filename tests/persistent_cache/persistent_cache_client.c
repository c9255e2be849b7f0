/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An application with a persistent cache.
 *
 *     persistent_cache_client [DIRECTORY [HOW]]
 *
 * Makes an engine, a program and two primitives on the test platform, runs them
 * and ends without destroying the engine. Without a directory it makes only the
 * one call that sets the capacity. HOW: "off": after a capacity of 0;
 * "by_hand": nothing is kept by itself; "captured": the same, and launches are
 * reported and programs captured; "holds": kernel and program are not released;
 * "includes": the program includes factor.h of the working directory;
 * "quits": ends by _exit(); "forks": a child ends first, by exit(). Prints the
 * capacity. Exits with 77 if there is no such platform.
 */
#include "test_platform.h"

#include <dnnl_cache.h>
#include <dnnl_cache/persistent_cache.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* In place of clCreateProgramWithSource() and clBuildProgram(). */
static dnnl_status_t create_program(dnnl_cache_program_t *program,
        dnnl_engine_t engine, const char *source, const char *options)
{
    dnnl_cache_program_desc_t desc;
    dnnl_status_t st = dnnl_cache_program_desc_create(
            &desc, engine, 1, &source, NULL, options);
    if (st != dnnl_success) return st;
    st = dnnl_cache_program_create(program, desc);
    dnnl_cache_program_desc_destroy(desc);
    return st;
}

enum { NO_PLATFORM = 77, ELEMENTS = 64 };

static const char *how = "";

static bool is_how(const char *word)
{
    return strcmp(how, word) == 0;
}

static void must(bool ok, const char *what)
{
    if (ok) return;
    fprintf(stderr, "persistent_cache_client: %s\n", what);
    exit(1);
}

static void launch(
        dnnl_engine_t engine, dnnl_cache_program_t program, cl_kernel kernel)
{
    cl_context context = NULL;
    cl_device_id device = NULL;
    cl_int error;
    const size_t global = ELEMENTS;
    const float factor = 2.0f;
    float data[ELEMENTS] = {1.0f};
    must(dnnl_ocl_interop_engine_get_context(engine, &context) == dnnl_success
                    && dnnl_ocl_interop_get_device(engine, &device)
                               == dnnl_success,
            "the engine's device");
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &error);
    must(error == CL_SUCCESS, "a queue");
    cl_mem buffer =
            clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                    sizeof data, data, &error);
    must(error == CL_SUCCESS, "a buffer");
    must(clSetKernelArg(kernel, 0, sizeof buffer, &buffer) == CL_SUCCESS
                    && clSetKernelArg(kernel, 1, sizeof factor, &factor)
                               == CL_SUCCESS
                    && clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global,
                               NULL, 0, NULL, NULL)
                               == CL_SUCCESS
                    && clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0,
                               sizeof data, data, 0, NULL, NULL)
                               == CL_SUCCESS,
            "a launch");
    must(!is_how("captured")
                    || dnnl_cache_program_note_launch(
                               program, "scale", 1, NULL, &global, NULL)
                               == dnnl_success,
            "reporting the launch");
    /* The fake driver launches without computing. */
    must(data[0] == 2.0f || strstr(test_platform_name(), "Fake") != NULL,
            "a wrong result");
    clReleaseMemObject(buffer);
    clReleaseCommandQueue(queue);
}

static void run_program(dnnl_engine_t engine)
{
    static const char *const source =
            "__kernel void scale(__global float *x, float a)\n"
            "{\n"
            "    x[get_global_id(0)] *= a;\n"
            "}\n";
    static const char *const including =
            "#include \"factor.h\"\n"
            "__kernel void scale(__global float *x, float a)\n"
            "{\n"
            "    x[get_global_id(0)] *= a * FACTOR;\n"
            "}\n";
    dnnl_cache_program_t program = NULL;
    cl_kernel kernel = NULL;
    const bool includes = is_how("includes");
    char here[400] = "", options[420] = "";
    must(getcwd(here, sizeof here) != NULL, "a working directory");
    if (includes) (void)snprintf(options, sizeof options, "-I%s", here);
    must(create_program(&program, engine, includes ? including : source,
                 options) == dnnl_success
                    && dnnl_cache_program_get_kernel(program, "scale", &kernel)
                               == dnnl_success,
            "a program");
    launch(engine, program, kernel);
    if (is_how("holds")) return;
    clReleaseKernel(kernel);
    dnnl_cache_program_destroy(program);
}

static void run_eltwise(dnnl_engine_t engine, dnnl_alg_kind_t algorithm)
{
    const dnnl_dims_t dims = {ELEMENTS};
    dnnl_memory_desc_t md = NULL;
    dnnl_primitive_desc_t pd = NULL;
    dnnl_primitive_t primitive = NULL;
    dnnl_stream_t stream = NULL;
    dnnl_memory_t memory = NULL;
    must(dnnl_memory_desc_create_with_tag(&md, 1, dims, dnnl_f32, dnnl_a)
                            == dnnl_success
                    && dnnl_eltwise_forward_primitive_desc_create(&pd, engine,
                               dnnl_forward_inference, algorithm, md, md, 0.5f,
                               0.0f, NULL)
                               == dnnl_success
                    && dnnl_primitive_create(&primitive, pd) == dnnl_success,
            "a primitive");
    must(dnnl_stream_create(&stream, engine, dnnl_stream_default_flags)
                            == dnnl_success
                    && dnnl_memory_create(
                               &memory, md, engine, DNNL_MEMORY_ALLOCATE)
                               == dnnl_success,
            "a stream and a memory");
    const dnnl_exec_arg_t args[] = {
            {DNNL_ARG_SRC, memory}, {DNNL_ARG_DST, memory}};
    must(dnnl_primitive_execute(primitive, stream, 2, args) == dnnl_success
                    && dnnl_stream_wait(stream) == dnnl_success,
            "an execution");
    dnnl_memory_destroy(memory);
    dnnl_stream_destroy(stream);
    dnnl_primitive_destroy(primitive);
    dnnl_primitive_desc_destroy(pd);
    dnnl_memory_desc_destroy(md);
}

static dnnl_status_t start(const char *dir)
{
    if (dir == NULL) return dnnl_cache_persistent_set_capacity(256);
    if (is_how("off") && dnnl_cache_persistent_set_capacity(0) != dnnl_success)
        return dnnl_runtime_error;
    if ((is_how("by_hand") || is_how("captured"))
            && dnnl_cache_persistent_set_automatic(0) != dnnl_success)
        return dnnl_runtime_error;
    return dnnl_cache_persistent_set_dir(dir);
}

static void fork_and_exit(void)
{
    int status = -1;
    (void)fflush(stdout);
    const pid_t child = fork();
    if (child == 0) exit(0);
    must(waitpid(child, &status, 0) == child && status == 0, "a child");
}

int main(int argc, char **argv)
{
    int before = -1, capacity = -1;
    if (argc > 2) how = argv[2];
    must(dnnl_cache_persistent_get_capacity(&before) == dnnl_success,
            "no capacity");
    must(start(argc > 1 ? argv[1] : NULL) == dnnl_success,
            "no persistent cache");
    must(dnnl_cache_persistent_get_capacity(&capacity) == dnnl_success,
            "no capacity");
    printf("capacity %d, then %d\n", before, capacity);
    dnnl_engine_t engine = test_platform_engine();
    if (engine == NULL) return NO_PLATFORM;
    run_program(engine);
    run_eltwise(engine, dnnl_eltwise_relu);
    run_eltwise(engine, dnnl_eltwise_tanh);
    if (is_how("captured"))
        must(dnnl_cache_engine_capture(engine, NULL, NULL, NULL)
                        == dnnl_success,
                "keeping the programs");
    if (is_how("forks")) {
        fork_and_exit();
        _exit(0);
    }
    if (is_how("quits")) _exit(0);
    return 0;
}
