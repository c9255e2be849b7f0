/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tool of the wheel starts without an OpenCL loader: most of its commands
 * need none. The loader is opened by the first call of OpenCL, which every
 * program begins with clGetPlatformIDs(). DNNL_CACHE_OPENCL_LIBRARY names it:
 * "python -m dnnl_cache" sets that to pyopencl's loader. Otherwise it is
 * libOpenCL.so.1.
 */
#include "layer/driver/next_layer.h"
#include "opencl_table.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;

static cl_int CL_API_CALL first_call(
        cl_uint num_entries, cl_platform_id *platforms, cl_uint *num_platforms);

static const cl_icd_dispatch before = {.clGetPlatformIDs = first_call};

/* Before main(). */
__attribute__((constructor)) static void begin(void)
{
    next_layer = &before;
}

static void open_loader(void)
{
    char why[512];
    const char *name = getenv("DNNL_CACHE_OPENCL_LIBRARY");
    const struct opencl_source source = {
            NULL, name != NULL && name[0] != '\0' ? name : "libOpenCL.so.1"};
    if (!opencl_table_fill(&source, why, sizeof why))
        fprintf(stderr,
                "dnnl-cache: %s; without one there are no devices: install "
                "pyopencl, or your system's OpenCL loader (Debian: "
                "ocl-icd-libopencl1)\n",
                why);
}

static cl_int CL_API_CALL first_call(
        cl_uint num_entries, cl_platform_id *platforms, cl_uint *num_platforms)
{
    (void)pthread_once(&once, open_loader);
    if (next_layer != &before)
        return next_layer->clGetPlatformIDs(
                num_entries, platforms, num_platforms);
    if (num_platforms != NULL) *num_platforms = 0;
    return -1001; /* CL_PLATFORM_NOT_FOUND_KHR: what a loader says, too */
}
