/* SPDX-License-Identifier: Apache-2.0 */
/* Every call that takes a program, on programs of every kind, with right and
 * wrong arguments: the status is what is told. */
#include "answers.h"
#include "client.h"

#include <stdbool.h>
#include <stdlib.h>

/* ---- Kinds of programs --------------------------------------------------- */

static cl_program from_source(const struct client *client, const char *source)
{
    return clCreateProgramWithSource(client->context, 1, &source, NULL, NULL);
}

static cl_program make_new(const struct client *client)
{
    return from_source(client, scale_source);
}

static cl_program make_compiled(const struct client *client)
{
    cl_program program = make_new(client);

    clCompileProgram(program, 0, NULL, "", 0, NULL, NULL, NULL, NULL);
    return program;
}

static cl_program make_built(const struct client *client)
{
    cl_program program = make_new(client);

    clBuildProgram(program, 0, NULL, "", NULL, NULL);
    return program;
}

static cl_program make_failed(const struct client *client)
{
    cl_program program = from_source(client, "kernel void scale(wrong x) {}");

    clBuildProgram(program, 0, NULL, "", NULL, NULL);
    return program;
}

static cl_program make_failed_object(const struct client *client)
{
    cl_program program = from_source(client, "kernel void scale(wrong x) {}");

    clCompileProgram(program, 0, NULL, "", 0, NULL, NULL, NULL, NULL);
    return program;
}

static cl_program make_linked(const struct client *client)
{
    cl_program object = make_compiled(client);
    cl_program program = clLinkProgram(
            client->context, 0, NULL, "", 1, &object, NULL, NULL, NULL);

    clReleaseProgram(object);
    return program;
}

static cl_program make_library(const struct client *client)
{
    cl_program object = make_compiled(client);
    cl_program program = clLinkProgram(client->context, 0, NULL,
            "-create-library", 1, &object, NULL, NULL, NULL);

    clReleaseProgram(object);
    return program;
}

static cl_program make_loaded(const struct client *client)
{
    cl_program built = make_built(client), program = NULL;
    unsigned char *binary;
    size_t size = 0;

    clGetProgramInfo(built, CL_PROGRAM_BINARY_SIZES, sizeof(size), &size, NULL);
    binary = malloc(size + 1);
    if (binary == NULL) abort();
    if (clGetProgramInfo(
                built, CL_PROGRAM_BINARIES, sizeof(binary), &binary, NULL)
            == CL_SUCCESS)
        program = clCreateProgramWithBinary(client->context, 1, &client->device,
                &size, (const unsigned char **)(void *)&binary, NULL, NULL);
    free(binary);
    clReleaseProgram(built);
    return program;
}

static cl_program make_loaded_and_built(const struct client *client)
{
    cl_program program = make_loaded(client);

    if (program != NULL) clBuildProgram(program, 0, NULL, "", NULL, NULL);
    return program;
}

/* PoCL (3.1) dies of linking what did not compile. Of what is not linked, and
 * of executables, other drivers may not be asked everything (client.h). */
static const struct state {
    const char *name;
    cl_program (*make)(const struct client *client);
    bool is_not_linked;
    bool is_object;     /* or a binary that is not built */
    bool is_executable; /* or a binary of one */
} states[] = {{.name = "new", .make = make_new},
        {.name = "compiled", .make = make_compiled, .is_object = true},
        {.name = "built", .make = make_built, .is_executable = true},
        {.name = "failed", .make = make_failed},
        {.name = "failed object",
                .make = make_failed_object,
                .is_not_linked = true,
                .is_object = true},
        {.name = "linked", .make = make_linked, .is_executable = true},
        {.name = "library", .make = make_library, .is_object = true},
        {.name = "of a binary",
                .make = make_loaded,
                .is_object = true,
                .is_executable = true},
        {.name = "of a binary, built",
                .make = make_loaded_and_built,
                .is_executable = true}};

/* ---- What is asked of each ----------------------------------------------- */

static void make_each_kernel(const char *state, cl_program program)
{
    static const char *const names[] = {"scale", "nothing", NULL};

    for (size_t i = 0; i < 3; i++) {
        cl_int status = 4711;
        cl_kernel kernel = clCreateKernel(program, names[i], &status);

        answer("%s: kernel %s: %s, %s", state,
                names[i] != NULL ? names[i] : "without a name",
                status_name(status), kernel != NULL ? "there" : "none");
        if (kernel != NULL) clReleaseKernel(kernel);
        kernel = clCreateKernel(program, names[i], NULL);
        if (kernel != NULL) clReleaseKernel(kernel);
    }
}

static void make_all_kernels(const char *state, cl_program program)
{
    cl_kernel kernels[4] = {NULL};
    cl_uint count = 4711;

    answer("%s: number of kernels: %s", state,
            status_name(clCreateKernelsInProgram(program, 0, NULL, &count)));
    answer("%s: which is %u", state, count);
    count = 4711;
    answer("%s: no room: %s", state,
            status_name(clCreateKernelsInProgram(program, 0, kernels, &count)));
    answer("%s: which is %u", state, count);
    answer("%s: nothing asked: %s", state,
            status_name(clCreateKernelsInProgram(program, 0, NULL, NULL)));
    count = 4711;
    answer("%s: all kernels: %s", state,
            status_name(clCreateKernelsInProgram(program, 4, kernels, &count)));
    answer("%s: which is %u", state, count);
    for (int i = 0; i < 4; i++)
        if (kernels[i] != NULL) clReleaseKernel(kernels[i]);
}

/* Arguments that are wrong in the same ways for each call that has them. PoCL
 * (3.1) dies of a NULL among devices or programs. */
static const struct devices {
    const char *what;
    cl_uint count;
    int list; /* 0: NULL, 1: the device, 2: another one */
    int user; /* without a callback */
} wrong_devices[] = {{"number without list", 1, 0, 0},
        {"list without number", 0, 1, 0}, {"user data", 0, 0, 1},
        {"user data and list", 1, 1, 1},
        {"device of another context", 1, 2, 0}};

struct arguments {
    cl_device_id list[2];
    const cl_device_id *devices;
    void *user;
};

static void fill(struct arguments *a, const struct client *client,
        const struct devices *wrong)
{
    cl_device_id all[2] = {client->device, client->device};

    clGetDeviceIDs(client->platform, CL_DEVICE_TYPE_ALL, 2, all, NULL);
    a->list[0] = wrong->list == 2 ? all[1] : client->device;
    a->list[1] = client->device;
    a->devices = wrong->list != 0 ? a->list : NULL;
    a->user = wrong->user ? a : NULL;
}

static void build_wrongly(
        const struct client *client, const char *state, cl_program program)
{
    for (size_t i = 0; i < sizeof(wrong_devices) / sizeof(wrong_devices[0]);
            i++) {
        const struct devices *wrong = &wrong_devices[i];
        struct arguments a;

        fill(&a, client, wrong);
        if (a.list[0] == client->device && wrong->list == 2) continue;
        answer("%s: build, %s: %s", state, wrong->what,
                status_name(clBuildProgram(
                        program, wrong->count, a.devices, "", NULL, a.user)));
        answer("%s: compile, %s: %s", state, wrong->what,
                status_name(clCompileProgram(program, wrong->count, a.devices,
                        "", 0, NULL, NULL, NULL, a.user)));
    }
}

/* Without a list, or names, PoCL (3.1) dies of the number. */
static void compile_wrongly(const char *state, cl_program program)
{
    const char *name = "a.h";

    answer("%s: compile, headers without number: %s", state,
            status_name(clCompileProgram(
                    program, 0, NULL, "", 0, &program, &name, NULL, NULL)));
}

static void try_link(const struct client *client, const char *state,
        const char *what, const struct devices *devices, const char *options,
        cl_uint count, const cl_program *programs)
{
    cl_int status = 4711;
    cl_program linked;
    struct arguments a;

    fill(&a, client, devices);
    if (a.list[0] == client->device && devices->list == 2) return;
    linked = clLinkProgram(client->context, devices->count, a.devices, options,
            count, programs, NULL, a.user, &status);
    answer("%s: link, %s: %s, %s", state, what, status_name(status),
            linked != NULL ? "there" : "none");
    if (linked != NULL) clReleaseProgram(linked);
}

static const struct devices right = {"", 0, 0, 0};

/* Its devices are right: the driver goes on to the program. */
static void link_alone(
        const struct client *client, const char *state, cl_program program)
{
    try_link(client, state, "alone", &right, "", 1, &program);
    try_link(client, state, "no options", &right, NULL, 1, &program);
    try_link(client, state, "wrong options", &right, "-no-such-option", 1,
            &program);
}

/* rusticl (22.3) waits for ever for a program that is linked with itself. */
static void link_wrongly(
        const struct client *client, const char *state, cl_program program)
{
    if (!client->links_blindly)
        try_link(client, state, "no list", &right, "", 1, NULL);
    try_link(client, state, "list without number", &right, "", 0, &program);
    try_link(client, state, "nothing", &right, "", 0, NULL);
    for (size_t i = 0; i < sizeof(wrong_devices) / sizeof(wrong_devices[0]);
            i++)
        try_link(client, state, wrong_devices[i].what, &wrong_devices[i], "", 1,
                &program);
}

static void link_all(const struct client *client, const struct state *state,
        cl_program program)
{
    if (state->is_not_linked) return;
    if (!state->is_executable || !client->links_blindly)
        link_alone(client, state->name, program);
    link_wrongly(client, state->name, program);
}

void scene_states(const struct client *client)
{
    for (size_t i = 0; i < sizeof(states) / sizeof(states[0]); i++) {
        const char *name = states[i].name;
        cl_program program = states[i].make(client);

        answer("%s: %s", name, program != NULL ? "there" : "none");
        if (program == NULL) continue;
        make_each_kernel(name, program);
        if (!states[i].is_object || !client->dies_of_objects)
            make_all_kernels(name, program);
        link_all(client, &states[i], program);
        build_wrongly(client, name, program);
        compile_wrongly(name, program);
        clReleaseProgram(program);
    }
}

/* Contexts that are none, and another's. */
void scene_contexts(const struct client *client)
{
    cl_program object = make_compiled(client), linked;
    cl_context other =
            clCreateContext(NULL, 1, &client->device, NULL, NULL, NULL);
    cl_int status = 4711;

    linked = clLinkProgram(NULL, 0, NULL, "", 1, &object, NULL, NULL, &status);
    answer("link in no context: %s, %s", status_name(status),
            linked != NULL ? "there" : "none");
    if (linked != NULL) clReleaseProgram(linked);
    linked = clLinkProgram(other, 0, NULL, "", 1, &object, NULL, NULL, &status);
    answer("link in another context: %s, %s", status_name(status),
            linked != NULL ? "there" : "none");
    if (linked != NULL) clReleaseProgram(linked);
    clReleaseContext(other);
    clReleaseProgram(object);
}
