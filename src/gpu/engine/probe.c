/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The probe: two kernels that are compiled and asked about, never launched.
 * What the compiler accepts is told by a kernel's required work-group size,
 * which the preprocessor computes.
 */
#include "src/gpu/engine/engine.h"

#include "src/common/log.h"
#include "src/gpu/device/build_mark.h"
#include "src/gpu/device/cl_status.h"
#include "src/gpu/device/device.h"
#include "src/gpu/kernels/kernel_sources.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The options, with a mark before them where the facts are to be kept. */
static dnnl_status_t mark_options(
        const struct dnnl_engine *engine, const char *options, char **out)
{
    const struct device_identity *identity = NULL;
    char mark[build_mark_size];
    dnnl_status_t st = device_identify(engine->device, &identity);
    if (st == dnnl_success)
        st = build_mark_make(mark, engine->device, identity->fields.data,
                identity->fields.size, false);
    if (st != dnnl_success) return st;
    build_mark_announce(mark, engine->device);
    *out = mark[0] != '\0' ? build_marks_put(mark, options) : strdup(options);
    return *out != NULL ? dnnl_success : dnnl_out_of_memory;
}

/* The probe program with all features, or, with -DNO_HALF, without half. */
static dnnl_status_t build_probe(
        struct dnnl_engine *engine, const char *wanted, cl_program *out)
{
    char *options = NULL;
    cl_int error;
    const char *source = kernel_probe_cl;
    cl_program program = clCreateProgramWithSource(
            engine->context, 1, &source, NULL, &error);
    dnnl_status_t st = cl_status(error, "clCreateProgramWithSource");
    if (st != dnnl_success) return st;
    st = mark_options(engine, wanted, &options);
    if (st != dnnl_success) {
        clReleaseProgram(program);
        return st;
    }
    error = clBuildProgram(program, 1, &engine->device, options, NULL, NULL);
    free(options);
    if (error != CL_SUCCESS) {
        clReleaseProgram(program);
        if (error == CL_BUILD_PROGRAM_FAILURE) return dnnl_unimplemented;
        return cl_status(error, "clBuildProgram");
    }
    *out = program;
    return dnnl_success;
}

/* Reads one property of a kernel of the probe. */
static dnnl_status_t kernel_info(const struct dnnl_engine *engine,
        cl_kernel kernel, cl_kernel_work_group_info name, size_t size,
        void *value)
{
    return cl_status(clGetKernelWorkGroupInfo(
                             kernel, engine->device, name, size, value, NULL),
            "clGetKernelWorkGroupInfo");
}

/* Whether the driver has clGetKernelSubGroupInfo at all: through a loader, a
 * driver of an older OpenCL has no entry for it in its table. */
static dnnl_status_t has_sub_groups(
        const struct dnnl_engine *engine, bool *has, bool *certain)
{
    unsigned major = 0;
    unsigned minor = 0;
    cl_uint most = 0;
    char *version;
    dnnl_status_t st =
            device_string(engine->device, CL_DEVICE_VERSION, &version);
    *has = false;
    *certain = st == dnnl_success;
    if (st == dnnl_out_of_memory) return st;
    if (st != dnnl_success) return dnnl_success;
    bool knows = sscanf(version, "OpenCL %u.%u", &major, &minor) == 2
                 && (major > 2 || (major == 2 && minor >= 1));
    free(version);
    if (!knows) return dnnl_success;
    *certain = clGetDeviceInfo(engine->device, CL_DEVICE_MAX_NUM_SUB_GROUPS,
                       sizeof most, &most, NULL)
               == CL_SUCCESS;
    *has = *certain && most > 0;
    return dnnl_success;
}

/* The sub-group size of groups of that many work-items, 0 if there are no
 * sub-groups or a query failed: then it is not certain. */
static dnnl_status_t sub_group_size(const struct dnnl_engine *engine,
        cl_kernel kernel, size_t group, size_t *size, bool *certain)
{
    bool has;
    *size = 0;
    dnnl_status_t st = has_sub_groups(engine, &has, certain);
    if (st != dnnl_success || !has) return st;
    *certain = clGetKernelSubGroupInfo(kernel, engine->device,
                       CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, sizeof group,
                       &group, sizeof *size, size, NULL)
               == CL_SUCCESS;
    if (!*certain) *size = 0;
    return dnnl_success;
}

static dnnl_status_t read_limits(struct dnnl_engine *engine, cl_program program,
        struct engine_facts *facts, bool *certain)
{
    cl_int error;
    size_t multiple = 0;
    size_t group = 0;
    size_t sub_group = 0;
    cl_kernel kernel = clCreateKernel(program, "probe_limits", &error);
    dnnl_status_t st = cl_status(error, "clCreateKernel");
    if (st != dnnl_success) return st;
    st = kernel_info(engine, kernel,
            CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE, sizeof multiple,
            &multiple);
    if (st == dnnl_success)
        st = kernel_info(engine, kernel, CL_KERNEL_WORK_GROUP_SIZE,
                sizeof group, &group);
    if (st == dnnl_success)
        st = sub_group_size(engine, kernel, group, &sub_group, certain);
    if (st == dnnl_success) {
        /* One as large as the group (PoCL 5) says nothing of SIMD units. */
        if (sub_group > multiple && sub_group < group) multiple = sub_group;
        facts->simd_width = (uint32_t)multiple;
        facts->max_work_group_size = (uint32_t)group;
    }
    clReleaseKernel(kernel);
    return st;
}

static dnnl_status_t read_accepts(struct dnnl_engine *engine,
        cl_program program, struct engine_facts *facts)
{
    cl_int error;
    size_t size[3] = {0, 0, 0};
    cl_kernel kernel = clCreateKernel(program, "probe_accepts", &error);
    dnnl_status_t st = cl_status(error, "clCreateKernel");
    if (st != dnnl_success) return st;
    st = kernel_info(engine, kernel, CL_KERNEL_COMPILE_WORK_GROUP_SIZE,
            sizeof size, size);
    /* The kernel's size is one more than the bits, since 0 is no size. */
    if (st == dnnl_success && size[0] >= 1)
        facts->accepts = (uint32_t)(size[0] - 1);
    clReleaseKernel(kernel);
    return st;
}

/* What no compiler is asked for. */
static void read_local_memory(const struct dnnl_engine *engine,
        struct engine_facts *facts, bool *certain)
{
    static const cl_ulong large = 64 << 10;
    cl_ulong size = 0;
    if (clGetDeviceInfo(engine->device, CL_DEVICE_LOCAL_MEM_SIZE, sizeof size,
                &size, NULL)
            != CL_SUCCESS)
        *certain = false;
    else if (size >= large)
        facts->accepts |= engine_accepts_large_tiles;
}

dnnl_status_t probe_run(
        struct dnnl_engine *engine, struct engine_facts *facts, bool *certain)
{
    struct engine_facts read;
    cl_program program = NULL;
    memset(&read, 0, sizeof read);
    dnnl_status_t st = build_probe(engine, "", &program);
    if (st == dnnl_unimplemented)
        st = build_probe(engine, "-DNO_HALF", &program);
    if (st == dnnl_unimplemented) {
        log_message(dnnl_cache_log_error, "engine",
                "the compiler refuses the probe kernel");
        st = dnnl_runtime_error;
    }
    if (st != dnnl_success) return st;
    st = read_limits(engine, program, &read, certain);
    if (st == dnnl_success) st = read_accepts(engine, program, &read);
    clReleaseProgram(program);
    if (st != dnnl_success) return st;
    /* The last feature is not the compiler's to tell. */
    if (!engine_facts_are_valid(&read)
            || (read.accepts & engine_accepts_large_tiles) != 0) {
        log_message(dnnl_cache_log_error, "engine",
                "the driver reports impossible facts: work-group multiple %u, "
                "work-group size %u, features 0x%x",
                read.simd_width, read.max_work_group_size, read.accepts);
        return dnnl_runtime_error;
    }
    read_local_memory(engine, &read, certain);
    *facts = read;
    return dnnl_success;
}
