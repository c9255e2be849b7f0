/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program that makes a driver compile, for the layer to count:
 *
 *     build_counter_client PLATFORM [il] [fork]
 *
 * takes the first platform whose name holds PLATFORM and builds a program from
 * source, stores and loads its binary twice, and compiles and links another.
 * Ends with 77 where there is no such platform, 0 if all went well.
 */
#include <CL/cl.h>

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *const source = "__kernel void twice(__global float *x)\n"
                                  "{ x[get_global_id(0)] *= 2.0f; }\n";

struct client {
    cl_device_id device;
    cl_context context;
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
        return client->context != NULL ? 0 : 1;
    }
    return 77;
}

static cl_program from_source(const struct client *client)
{
    const char *text = source;

    return clCreateProgramWithSource(client->context, 1, &text, NULL, NULL);
}

static int build(cl_program program)
{
    return program != NULL
           && clBuildProgram(program, 0, NULL, "", NULL, NULL) == CL_SUCCESS;
}

/* The binary of a built program into memory of the caller's. */
static unsigned char *get_binary(cl_program program, size_t *size)
{
    unsigned char *binary;

    if (clGetProgramInfo(
                program, CL_PROGRAM_BINARY_SIZES, sizeof(*size), size, NULL)
            != CL_SUCCESS)
        return NULL;
    binary = malloc(*size);
    if (binary != NULL
            && clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof(binary),
                       &binary, NULL)
                       == CL_SUCCESS)
        return binary;
    free(binary);
    return NULL;
}

static int load(
        const struct client *client, const unsigned char *binary, size_t size)
{
    cl_program program = clCreateProgramWithBinary(
            client->context, 1, &client->device, &size, &binary, NULL, NULL);
    int fine = build(program);

    return fine && clReleaseProgram(program) == CL_SUCCESS;
}

static int store_and_load(const struct client *client)
{
    cl_program program = from_source(client);
    unsigned char *binary = NULL;
    size_t size = 0;
    int fine = build(program);

    if (fine) binary = get_binary(program, &size);
    fine = binary != NULL && load(client, binary, size)
           && load(client, binary, size);
    free(binary);
    return fine && clReleaseProgram(program) == CL_SUCCESS;
}

static int compile_and_link(const struct client *client)
{
    cl_program program = from_source(client), linked;
    int fine =
            program != NULL
            && clCompileProgram(program, 0, NULL, "", 0, NULL, NULL, NULL, NULL)
                       == CL_SUCCESS;

    if (!fine) return 0;
    linked = clLinkProgram(
            client->context, 0, NULL, "", 1, &program, NULL, NULL, NULL);
    return linked != NULL && clReleaseProgram(linked) == CL_SUCCESS
           && clReleaseProgram(program) == CL_SUCCESS;
}

/* Only the fake driver reads source behind SPIR-V's magic number. */
static int build_il(const struct client *client)
{
    static const char il[] = "\x03\x02\x23\x07"
                             "kernel void a() {}";
    cl_program program =
            clCreateProgramWithIL(client->context, il, sizeof(il) - 1, NULL);
    int fine = build(program);

    return fine && clReleaseProgram(program) == CL_SUCCESS;
}

/* A child that does nothing but end. */
static int live_and_die(void)
{
    int status = 1;
    pid_t child = fork();

    if (child == 0) exit(0);
    return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

int main(int argc, char **argv)
{
    struct client client;
    int fine, st;

    if (argc < 2) return 2;
    st = client_open(&client, argv[1]);
    if (st != 0) return st;
    fine = store_and_load(&client) && compile_and_link(&client);
    for (int i = 2; fine && i < argc; i++) {
        if (strcmp(argv[i], "il") == 0) fine = build_il(&client);
        if (strcmp(argv[i], "fork") == 0) fine = live_and_die();
    }
    return fine && clReleaseContext(client.context) == CL_SUCCESS ? 0 : 1;
}
