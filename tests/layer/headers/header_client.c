/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An application whose kernel includes files, and somebody who edits them:
 *
 *     header_client PLATFORM COMMAND...
 *
 *     write PATH TEXT        writes a file
 *     remove PATH            takes one away
 *     link OLD NEW           makes a hard link
 *     setenv NAME VALUE      sets a variable of the environment
 *     unsetenv NAME          takes one away
 *     embed NAME TEXT        from now on objects are compiled with that header,
 *                            a program; NAME "": without any
 *     build OPTIONS SOURCE   builds a program, runs its kernel "get" and prints
 *                            the number that it writes, or "error" and a code
 *     tell OPTIONS SOURCE    builds it, and prints the options and the log too
 *     twice OPTIONS OPTIONS SOURCE
 *                            builds one program in both ways, and tells of the
 *                            second
 *     compile OPTIONS SOURCE
 *                            compiles an object, links it alone, and does what
 *                            build does
 *
 * Ends with 77 where there is no such platform, 0 if all went well. With
 * header_library.c it builds through the library if HEADER_LIBRARY is set.
 */
#include "header_library.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { most_headers = 8 };

struct client {
    cl_uint header_count;
    const char *names[most_headers];
    const char *texts[most_headers];
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
};

static int client_open(struct client *client, const char *wanted)
{
    cl_platform_id platforms[16];
    cl_uint count = 0;
    char name[256];

    if (clGetPlatformIDs(16, platforms, &count) != CL_SUCCESS) return 77;
    if (count > 16) count = 16;
    for (cl_uint i = 0; i < count; i++) {
        if (clGetPlatformInfo(
                    platforms[i], CL_PLATFORM_NAME, sizeof(name), name, NULL)
                        != CL_SUCCESS
                || strstr(name, wanted) == NULL
                || clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, 1,
                           &client->device, NULL)
                           != CL_SUCCESS)
            continue;
        client->context =
                clCreateContext(NULL, 1, &client->device, NULL, NULL, NULL);
        if (client->context == NULL) return 1;
        /* Oclgrind's newer call never returns. */
        client->queue =
                clCreateCommandQueue(client->context, client->device, 0, NULL);
        return client->queue != NULL ? 0 : 1;
    }
    return 77;
}

/* What the program's kernel writes. */
static cl_int run(const struct client *client, cl_program program, cl_int *out)
{
    const size_t one = 1;
    cl_int err = CL_SUCCESS;
    cl_kernel kernel = clCreateKernel(program, "get", &err);
    cl_mem buffer = NULL;

    if (err == CL_SUCCESS)
        buffer = clCreateBuffer(
                client->context, CL_MEM_WRITE_ONLY, sizeof(*out), NULL, &err);
    if (err == CL_SUCCESS)
        err = clSetKernelArg(kernel, 0, sizeof(cl_mem), &buffer);
    if (err == CL_SUCCESS)
        err = clEnqueueNDRangeKernel(
                client->queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL);
    if (err == CL_SUCCESS)
        err = clEnqueueReadBuffer(client->queue, buffer, CL_TRUE, 0,
                sizeof(*out), out, 0, NULL, NULL);
    if (buffer != NULL) clReleaseMemObject(buffer);
    if (kernel != NULL) clReleaseKernel(kernel);
    return err;
}

static void print_outcome(cl_int err, cl_int number)
{
    if (err == CL_SUCCESS)
        printf("%d\n", number);
    else
        printf("error %d\n", err);
}

static void embed(struct client *client, const char *name, const char *text)
{
    if (name[0] == '\0') {
        client->header_count = 0;
    } else if (client->header_count < most_headers) {
        client->names[client->header_count] = name;
        client->texts[client->header_count++] = text;
    }
}

/* The headers are gone when the call returns. */
static cl_int compile_object(
        const struct client *client, cl_program object, const char *options)
{
    cl_program headers[most_headers];
    const cl_uint count = client->header_count;
    cl_int err = CL_SUCCESS;

    for (cl_uint i = 0; i < count; i++)
        headers[i] = clCreateProgramWithSource(client->context, 1,
                (const char **)(uintptr_t)&client->texts[i], NULL, &err);
    err = clCompileProgram(object, 0, NULL, options, count,
            count > 0 ? headers : NULL,
            count > 0 ? (const char **)(uintptr_t)client->names : NULL, NULL,
            NULL);
    for (cl_uint i = 0; i < count; i++)
        clReleaseProgram(headers[i]);
    return err;
}

static void compile(
        const struct client *client, const char *options, const char *source)
{
    cl_int number = -1;
    cl_int err = CL_SUCCESS;
    cl_program program = NULL;
    cl_program object =
            clCreateProgramWithSource(client->context, 1, &source, NULL, &err);

    if (err == CL_SUCCESS) err = compile_object(client, object, options);
    if (err == CL_SUCCESS)
        program = clLinkProgram(
                client->context, 0, NULL, NULL, 1, &object, NULL, NULL, &err);
    if (err == CL_SUCCESS) err = run(client, program, &number);
    if (program != NULL) clReleaseProgram(program);
    if (object != NULL) clReleaseProgram(object);
    print_outcome(err, number);
}

static void build(
        const struct client *client, const char *options, const char *source)
{
    cl_int number = -1;
    cl_int err = CL_SUCCESS;
    cl_program program = NULL;

    const bool is_librarys = header_library_build(&program, options, source);
    if (!is_librarys) { /* or it failed: the driver's error is printed */
        program = clCreateProgramWithSource(
                client->context, 1, &source, NULL, &err);
        if (err == CL_SUCCESS)
            err = clBuildProgram(program, 0, NULL, options, NULL, NULL);
    }
    if (err == CL_SUCCESS) err = run(client, program, &number);
    if (is_librarys)
        header_library_release();
    else if (program != NULL)
        clReleaseProgram(program);
    print_outcome(err, number);
}

static void print_info(const struct client *client, cl_program program,
        cl_program_build_info what)
{
    char text[4000] = "";

    if (clGetProgramBuildInfo(
                program, client->device, what, sizeof(text), text, NULL)
            == CL_SUCCESS)
        printf("%s\n", text);
}

/* first: options of a build before it; or NULL. */
static void tell(const struct client *client, const char *first,
        const char *options, const char *source)
{
    cl_int number = -1;
    cl_int err = CL_SUCCESS;
    cl_program program =
            clCreateProgramWithSource(client->context, 1, &source, NULL, &err);

    if (err == CL_SUCCESS && first != NULL)
        err = clBuildProgram(program, 0, NULL, first, NULL, NULL);
    if (err == CL_SUCCESS)
        err = clBuildProgram(program, 0, NULL, options, NULL, NULL);
    if (err == CL_SUCCESS) err = run(client, program, &number);
    print_outcome(err, number);
    if (program == NULL) return;
    print_info(client, program, CL_PROGRAM_BUILD_OPTIONS);
    print_info(client, program, CL_PROGRAM_BUILD_LOG);
    clReleaseProgram(program);
}

static int write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");

    if (file == NULL) return 0;
    fputs(text, file);
    return fclose(file) == 0;
}

int main(int argc, char **argv)
{
    struct client client = {.header_count = 0};
    int st, fine = 1;

    if (argc < 2) return 2;
    st = client_open(&client, argv[1]);
    if (st != 0) return st;
    if (header_library_is_used()
            && !header_library_open(client.context, client.device))
        return 1;
    for (int i = 2; i < argc && fine; i++) {
        const char *command = argv[i];
        const int left = argc - i - 1;
        if (strcmp(command, "write") == 0 && left >= 2) {
            fine = write_file(argv[i + 1], argv[i + 2]);
            i += 2;
        } else if (strcmp(command, "remove") == 0 && left >= 1) {
            fine = remove(argv[++i]) == 0;
        } else if (strcmp(command, "link") == 0 && left >= 2) {
            fine = link(argv[i + 1], argv[i + 2]) == 0;
            i += 2;
        } else if (strcmp(command, "setenv") == 0 && left >= 2) {
            fine = setenv(argv[i + 1], argv[i + 2], 1) == 0;
            i += 2;
        } else if (strcmp(command, "unsetenv") == 0 && left >= 1) {
            fine = unsetenv(argv[++i]) == 0;
        } else if (strcmp(command, "embed") == 0 && left >= 2) {
            embed(&client, argv[i + 1], argv[i + 2]);
            i += 2;
        } else if (strcmp(command, "build") == 0 && left >= 2) {
            build(&client, argv[i + 1], argv[i + 2]);
            i += 2;
        } else if (strcmp(command, "tell") == 0 && left >= 2) {
            tell(&client, NULL, argv[i + 1], argv[i + 2]);
            i += 2;
        } else if (strcmp(command, "twice") == 0 && left >= 3) {
            tell(&client, argv[i + 1], argv[i + 2], argv[i + 3]);
            i += 3;
        } else if (strcmp(command, "compile") == 0 && left >= 2) {
            compile(&client, argv[i + 1], argv[i + 2]);
            i += 2;
        } else {
            fine = 0;
        }
    }
    if (header_library_is_used()) header_library_close();
    clReleaseCommandQueue(client.queue);
    return clReleaseContext(client.context) == CL_SUCCESS && fine ? 0 : 1;
}
