/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An OpenCL layer that passes every call on and counts what makes a driver
 * compile, so that "nothing was compiled" can be said from below the library.
 *
 *     OPENCL_LAYERS=libbuild_counter_layer.so BUILD_COUNTER_FILE=file program
 *
 * appends one line of JSON to the file when the program ends. The loader puts
 * each layer of OPENCL_LAYERS above those named before it: name this one first
 * to have it next to the driver.
 *
 * A program counts as made from binaries only if clCreateProgramWithBinary
 * made it, or a link of nothing but such programs; any other, one that came
 * past the layer included, counts as source.
 */
#include "small_layer.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char layer_name[] = "build counter";

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards the rest */

static struct counts {
    unsigned long programs_from_source;
    unsigned long programs_from_il;
    unsigned long programs_from_binary;
    unsigned long binary_bytes;
    unsigned long source_builds;
    unsigned long source_compiles;
    unsigned long source_links;
    unsigned long binary_builds;
    unsigned long binary_links;
    unsigned long binaries_queries;
    unsigned long binary_sizes_queries;
} counts;

/* Programs made from binaries and alive. */
static struct binary_program {
    struct binary_program *next;
    cl_program program;
} * binary_programs;

static void count(unsigned long *counter, unsigned long by)
{
    pthread_mutex_lock(&lock);
    *counter += by;
    pthread_mutex_unlock(&lock);
}

/* Without memory for it, the program counts as source from now on. */
static void remember_binary(cl_program program)
{
    struct binary_program *entry = malloc(sizeof(*entry));

    if (entry == NULL) return;
    entry->program = program;
    pthread_mutex_lock(&lock);
    entry->next = binary_programs;
    binary_programs = entry;
    pthread_mutex_unlock(&lock);
}

static void forget_binary(cl_program program)
{
    struct binary_program **place = &binary_programs;
    struct binary_program *entry;

    pthread_mutex_lock(&lock);
    while (*place != NULL && (*place)->program != program)
        place = &(*place)->next;
    entry = *place;
    if (entry != NULL) *place = entry->next;
    pthread_mutex_unlock(&lock);
    free(entry);
}

static bool is_binary(cl_program program)
{
    struct binary_program *entry;

    pthread_mutex_lock(&lock);
    entry = binary_programs;
    while (entry != NULL && entry->program != program)
        entry = entry->next;
    pthread_mutex_unlock(&lock);
    return entry != NULL;
}

/* ---- the calls that count ---------------------------------------------------
 */

static cl_program CL_API_CALL create_with_source(cl_context context, cl_uint n,
        const char **strings, const size_t *lengths, cl_int *errcode)
{
    count(&counts.programs_from_source, 1);
    return target->clCreateProgramWithSource(
            context, n, strings, lengths, errcode);
}

static cl_program CL_API_CALL create_with_il(
        cl_context context, const void *il, size_t size, cl_int *errcode)
{
    count(&counts.programs_from_il, 1);
    return target->clCreateProgramWithIL(context, il, size, errcode);
}

static cl_program CL_API_CALL create_with_binary(cl_context context, cl_uint n,
        const cl_device_id *devices, const size_t *sizes,
        const unsigned char **binaries, cl_int *states, cl_int *errcode)
{
    cl_program program;

    count(&counts.programs_from_binary, 1);
    for (cl_uint i = 0; sizes != NULL && i < n; i++)
        count(&counts.binary_bytes, sizes[i]);
    program = target->clCreateProgramWithBinary(
            context, n, devices, sizes, binaries, states, errcode);
    if (program != NULL) remember_binary(program);
    return program;
}

static cl_int CL_API_CALL build(cl_program program, cl_uint n,
        const cl_device_id *devices, const char *options,
        void(CL_CALLBACK *notify)(cl_program, void *), void *user)
{
    count(is_binary(program) ? &counts.binary_builds : &counts.source_builds,
            1);
    return target->clBuildProgram(program, n, devices, options, notify, user);
}

static cl_int CL_API_CALL compile(cl_program program, cl_uint n,
        const cl_device_id *devices, const char *options, cl_uint nheaders,
        const cl_program *headers, const char **names,
        void(CL_CALLBACK *notify)(cl_program, void *), void *user)
{
    count(&counts.source_compiles, 1);
    return target->clCompileProgram(program, n, devices, options, nheaders,
            headers, names, notify, user);
}

static cl_program CL_API_CALL link_programs(cl_context context, cl_uint n,
        const cl_device_id *devices, const char *options, cl_uint ninputs,
        const cl_program *inputs, void(CL_CALLBACK *notify)(cl_program, void *),
        void *user, cl_int *errcode)
{
    bool binary = ninputs != 0 && inputs != NULL;
    cl_program program;

    for (cl_uint i = 0; binary && i < ninputs; i++)
        binary = is_binary(inputs[i]);
    count(binary ? &counts.binary_links : &counts.source_links, 1);
    program = target->clLinkProgram(context, n, devices, options, ninputs,
            inputs, notify, user, errcode);
    if (program != NULL && binary) remember_binary(program);
    return program;
}

static cl_int CL_API_CALL get_program_info(cl_program program,
        cl_program_info param, size_t capacity, void *value, size_t *size_ret)
{
    if (param == CL_PROGRAM_BINARIES) count(&counts.binaries_queries, 1);
    if (param == CL_PROGRAM_BINARY_SIZES)
        count(&counts.binary_sizes_queries, 1);
    return target->clGetProgramInfo(program, param, capacity, value, size_ret);
}

/* A handle that was released may come again for another program. */
static cl_int CL_API_CALL release(cl_program program)
{
    cl_uint references = 0;

    if (is_binary(program)
            && target->clGetProgramInfo(program, CL_PROGRAM_REFERENCE_COUNT,
                       sizeof(references), &references, NULL)
                       == CL_SUCCESS
            && references == 1)
        forget_binary(program);
    return target->clReleaseProgram(program);
}

/* ---- the layer ---- */

static void before_fork(void)
{
    pthread_mutex_lock(&lock);
}
static void after_fork(void)
{
    pthread_mutex_unlock(&lock);
}

/* A child counts for itself. */
static void after_fork_in_child(void)
{
    memset(&counts, 0, sizeof(counts));
    after_fork();
}

bool layer_init(cl_icd_dispatch *own)
{
    own->clCreateProgramWithSource = create_with_source;
    own->clCreateProgramWithIL = create_with_il;
    own->clCreateProgramWithBinary = create_with_binary;
    own->clBuildProgram = build;
    own->clCompileProgram = compile;
    own->clLinkProgram = link_programs;
    own->clGetProgramInfo = get_program_info;
    own->clReleaseProgram = release;
    return pthread_atfork(before_fork, after_fork, after_fork_in_child) == 0;
}

/* As a destructor: handlers of atexit() still build and release programs. A
 * line is one write, so that processes may share the file. */
__attribute__((destructor)) static void write_counts(void)
{
    const char *path = getenv("BUILD_COUNTER_FILE");
    char line[640];
    int length, file;

    if (path == NULL || target == NULL) return;
    length = snprintf(line, sizeof(line),
            "{\"pid\":%ld,\"programs_from_source\":%lu,"
            "\"programs_from_il\":%lu,\"programs_from_binary\":%lu,"
            "\"binary_bytes\":%lu,\"source_builds\":%lu,"
            "\"source_compiles\":%lu,\"source_links\":%lu,"
            "\"binary_builds\":%lu,\"binary_links\":%lu,"
            "\"binaries_queries\":%lu,\"binary_sizes_queries\":%lu}\n",
            (long)getpid(), counts.programs_from_source,
            counts.programs_from_il, counts.programs_from_binary,
            counts.binary_bytes, counts.source_builds, counts.source_compiles,
            counts.source_links, counts.binary_builds, counts.binary_links,
            counts.binaries_queries, counts.binary_sizes_queries);
    file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (file < 0 || write(file, line, (size_t)length) != length)
        fprintf(stderr, "build counter: can't write %s\n", path);
    if (file >= 0) close(file);
}
