/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints what identity tests compare between processes: the IDs of an engine,
 * a program and a primitive of one device, and what became of objects.
 *
 *     print_ids [device=NAME] [sub-device] [directory=PATH] [verbose]
 *         [replace=PATH]
 *
 * replace: once the driver is loaded PATH.new gets the name PATH, as when a
 * package is updated. Writes lines "key=value"; bytes are hexadecimal. Messages
 * are lines "log0=" to "log2=", by level; with verbose they are left to the
 * library. Exits with 1 if a call fails that must not.
 */
#include "queries.h"
#include "small_primitives.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_DEVICES = 8 };

static const char *const source =
        "__kernel void scale(__global float *x, float a)\n"
        "{ x[get_global_id(0)] *= a; }\n";

static void must(bool ok, const char *what)
{
    if (ok) return;
    printf("failed=%s\n", what);
    exit(1);
}

static void must_succeed(dnnl_status_t status, const char *what)
{
    if (status != dnnl_success)
        fprintf(stderr, "%s: %s\n", what, dnnl_status2str(status));
    must(status == dnnl_success, what);
}

static void log_to_output(
        dnnl_cache_log_level_t level, const char *text, void *user)
{
    (void)user;
    printf("log%d=%s\n", (int)level, text);
}

static void print_query(const char *key, size_query *query, void *object)
{
    size_t size = 0;
    must_succeed(query(object, &size, NULL), key);
    uint8_t *data = malloc(size + 1);
    must(data != NULL, "malloc");
    /* What had no ID a moment ago may have one now: it is tried again. */
    if (size > 0) must_succeed(query(object, &size, data), key);
    printf("%s=", key);
    for (size_t i = 0; i < size; i++)
        printf("%02x", data[i]);
    putchar('\n');
    free(data);
}

static void print_reason(
        const char *key, const dnnl_cache_creation_info_t *info)
{
    printf("%s=%s\n", key, info->not_cacheable_reason);
}

/* ---- Objects ------------------------------------------------------------- */

static void do_program(dnnl_engine_t engine)
{
    dnnl_cache_program_desc_t desc;
    dnnl_cache_program_t program;
    cl_kernel kernel;
    dnnl_cache_creation_info_t info = DNNL_CACHE_CREATION_INFO_INIT;
    must_succeed(dnnl_cache_program_desc_create(
                         &desc, engine, 1, &source, NULL, "-DN=1"),
            "describing a program");
    print_query("program", query_program_id, desc);
    must_succeed(dnnl_cache_program_create(&program, desc), "a program");
    must_succeed(dnnl_cache_program_get_kernel(program, "scale", &kernel),
            "a kernel");
    clReleaseKernel(kernel);
    print_query("program_blob", query_program_blob, program);
    must_succeed(dnnl_cache_program_get_creation_info(program, &info),
            "a program's info");
    print_reason("program_reason", &info);
    dnnl_cache_program_destroy(program);
    must_succeed(dnnl_cache_program_create(&program, desc), "it again");
    must_succeed(dnnl_cache_program_get_creation_info(program, &info),
            "a program's info");
    printf("program_again=%s\n", info.origin == dnnl_cache_origin_memory_hit
                                         ? "memory"
                                         : "compiled");
    dnnl_cache_program_destroy(program);
    dnnl_cache_program_desc_destroy(desc);
}

static void print_limit(void)
{
    uint64_t bytes;
    must_succeed(dnnl_cache_get_program_cache_limit(&bytes), "the limit");
    if (bytes == DNNL_CACHE_NO_LIMIT)
        puts("program_limit=none");
    else
        printf("program_limit=%llu\n", (unsigned long long)bytes);
}

#ifdef DNNL_CACHE_TEST_PRIMITIVES
static void print_capacity(void)
{
    int capacity;
    must_succeed(dnnl_get_primitive_cache_capacity(&capacity), "capacity");
    printf("capacity=%d\n", capacity);
}

static void do_primitive(dnnl_engine_t engine)
{
    dnnl_cache_creation_info_t info = DNNL_CACHE_CREATION_INFO_INIT;
    dnnl_primitive_desc_t pd = relu_desc(engine, 64, 0.5f);
    dnnl_primitive_t primitive;
    must(pd != NULL, "describing a primitive");
    print_query("primitive", query_primitive_id, pd);
    must_succeed(dnnl_primitive_create(&primitive, pd), "a primitive");
    must_succeed(run_relu(engine, primitive, 64), "executing");
    print_query("primitive_blob", query_primitive_blob, primitive);
    must_succeed(dnnl_cache_primitive_get_creation_info(primitive, &info),
            "a primitive's info");
    print_reason("primitive_reason", &info);
    dnnl_primitive_destroy(primitive);
    dnnl_primitive_desc_destroy(pd);
}
#endif

static void do_engine(cl_device_id device)
{
    cl_int error;
    dnnl_engine_t engine;
    dnnl_cache_creation_info_t info = DNNL_CACHE_CREATION_INFO_INIT;
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    must(error == CL_SUCCESS, "clCreateContext");
    print_query("engine", query_engine_id, device);
    must_succeed(dnnl_ocl_interop_engine_create(&engine, device, context),
            "an engine");
    do_program(engine);
    print_query("engine_blob", query_engine_blob, engine);
    must_succeed(dnnl_cache_engine_get_creation_info(engine, &info),
            "an engine's info");
    print_reason("engine_reason", &info);
    print_limit();
#ifdef DNNL_CACHE_TEST_PRIMITIVES
    do_primitive(engine);
    print_capacity();
#endif
    dnnl_engine_destroy(engine);
    clReleaseContext(context);
}

/* ---- Arguments ----------------------------------------------------------- */

/* The platform's device of that name, or its first one. */
static cl_device_id find_device(const char *wanted)
{
    cl_platform_id platform;
    cl_device_id devices[MAX_DEVICES];
    cl_uint count = 0;
    must(clGetPlatformIDs(1, &platform, NULL) == CL_SUCCESS, "platforms");
    must(clGetDeviceIDs(
                 platform, CL_DEVICE_TYPE_ALL, MAX_DEVICES, devices, &count)
                    == CL_SUCCESS,
            "devices");
    if (wanted == NULL) return devices[0];
    for (cl_uint i = 0; i < count; i++) {
        char name[128] = "";
        clGetDeviceInfo(devices[i], CL_DEVICE_NAME, sizeof name, name, NULL);
        if (strcmp(name, wanted) == 0) return devices[i];
    }
    must(false, wanted);
    return NULL;
}

static cl_device_id half_of(cl_device_id device)
{
    const cl_device_partition_property halves[] = {
            CL_DEVICE_PARTITION_EQUALLY, 4, 0};
    cl_device_id devices[2];
    must(clCreateSubDevices(device, halves, 2, devices, NULL) == CL_SUCCESS,
            "clCreateSubDevices");
    return devices[1];
}

static void replace(const char *path)
{
    char fresh[1024];
    snprintf(fresh, sizeof fresh, "%s.new", path);
    must(rename(fresh, path) == 0, "rename");
}

/* The value of "key=value", NULL if the argument is something else. */
static const char *value_of(const char *argument, const char *key)
{
    size_t length = strlen(key);
    if (strncmp(argument, key, length) != 0 || argument[length] != '=')
        return NULL;
    return argument + length + 1;
}

int main(int argc, char **argv)
{
    const char *name = NULL;
    const char *replaced = NULL;
    bool sub_device = false;
    bool is_verbose = false;
    for (int i = 1; i < argc; i++) {
        const char *directory = value_of(argv[i], "directory");
        if (directory != NULL)
            must(chdir(directory) == 0, "chdir");
        else if (strcmp(argv[i], "sub-device") == 0)
            sub_device = true;
        else if (strcmp(argv[i], "verbose") == 0)
            is_verbose = true;
        else if (value_of(argv[i], "replace") != NULL)
            replaced = value_of(argv[i], "replace");
        else if ((name = value_of(argv[i], "device")) == NULL)
            must(false, argv[i]);
    }
    if (!is_verbose) dnnl_cache_set_log_callback(log_to_output, NULL);
    cl_device_id device = find_device(name);
    if (replaced != NULL) replace(replaced);
    do_engine(sub_device ? half_of(device) : device);
    return 0;
}
