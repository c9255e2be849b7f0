/* SPDX-License-Identifier: Apache-2.0 */
/*
 * usage: unload_client [ROUNDS] [thread|late]
 * Loads OpenCL's loader, builds a program on the first device and unloads the
 * loader, ROUNDS times (1); then ends: as applications do that can do without
 * OpenCL. thread: another thread than the main one ends the process. late: a
 * handler that was registered before the first round unloads it.
 *
 * The layer that UNLOAD_CLIENT_LAYER names is told that compiling takes an
 * hour: on a busy machine loading may be no faster than the fake driver.
 */
#include <CL/cl.h>

#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void *loader;

/* A function of the loader's, by its name, into a pointer to such a function.
 */
static int find(const char *name, void *function)
{
    void *found = dlsym(loader, name);

    memcpy(function, &found, sizeof(found));
    return found != NULL;
}

static void say_that_compiling_is_slow(void)
{
    const char *path = getenv("UNLOAD_CLIENT_LAYER");
    void *layer = path != NULL ? dlopen(path, RTLD_LAZY | RTLD_NOLOAD) : NULL;
    void (*set)(uint64_t ns) = NULL;

    if (layer == NULL) return;
    *(void **)&set = dlsym(layer, "dnnl_cache_layer_set_compile_ns");
    if (set != NULL) set(UINT64_C(3600000000000));
}

static int build(int round)
{
    char text[64];
    const char *source = text;
    __typeof__(&clGetPlatformIDs) get_platforms;
    __typeof__(&clGetDeviceIDs) get_devices;
    __typeof__(&clCreateContext) create_context;
    __typeof__(&clCreateProgramWithSource) create_program;
    __typeof__(&clBuildProgram) build_program;
    cl_platform_id platform;
    cl_device_id device;

    snprintf(text, sizeof(text), "kernel void a%d() {}", round);
    if (!find("clGetPlatformIDs", &get_platforms)
            || !find("clGetDeviceIDs", &get_devices)
            || !find("clCreateContext", &create_context)
            || !find("clCreateProgramWithSource", &create_program)
            || !find("clBuildProgram", &build_program))
        return 2;
    if (get_platforms(1, &platform, NULL) != CL_SUCCESS
            || get_devices(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL)
                       != CL_SUCCESS)
        return 3;
    say_that_compiling_is_slow();
    cl_context context = create_context(NULL, 1, &device, NULL, NULL, NULL);
    cl_program program =
            context != NULL ? create_program(context, 1, &source, NULL, NULL)
                            : NULL;
    return program != NULL
                           && build_program(program, 1, &device, "", NULL, NULL)
                                      == CL_SUCCESS
                   ? 0
                   : 4;
}

static void unload(void)
{
    if (loader != NULL && dlclose(loader) != 0) _exit(5);
    loader = NULL;
}

static void *end(void *unused)
{
    (void)unused;
    exit(0);
}

int main(int argc, char **argv)
{
    const int rounds = argc > 1 ? atoi(argv[1]) : 1;
    const char *how = argc > 2 ? argv[2] : "";
    pthread_t other;

    if (strcmp(how, "late") == 0) atexit(unload);
    for (int round = 0; round < rounds; round++) {
        loader = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
        if (loader == NULL) return 1;
        const int code = build(round);
        if (code != 0) return code;
        if (strcmp(how, "late") != 0) unload();
    }
    if (strcmp(how, "thread") != 0) return 0;
    if (pthread_create(&other, NULL, end, NULL) != 0) return 6;
    (void)pthread_join(other, NULL);
    return 7;
}
