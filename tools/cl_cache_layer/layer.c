/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The two functions by which a loader of OpenCL takes a layer in:
 *
 *     OPENCL_LAYERS=libdnnl_cache_layer.so program
 *
 * Calls that the layer has nothing to do with go to the next one without
 * passing here: the table that it returns has the target's own entries.
 */
#include "calls.h"
#include "harvest.h"
#include "marks.h"
#include "measure.h"
#include "objects.h"
#include "print.h"
#include "settings.h"
#include "statistics.h"
#include "storage.h"
#include "target.h"

#include "dnnl_cache.h"

#include <CL/cl_layer.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

static cl_icd_dispatch own;

EXPORT cl_int CL_API_CALL clGetLayerInfo(
        cl_layer_info param, size_t capacity, void *value, size_t *size_ret)
{
    static const cl_layer_api_version version = CL_LAYER_API_VERSION_100;
    static const char name[] = "dnnl_cache";
    switch (param) {
    case CL_LAYER_API_VERSION:
        return answer(&version, sizeof version, capacity, value, size_ret);
    case CL_LAYER_NAME:
        return answer(name, sizeof name, capacity, value, size_ret);
    default:
        return CL_INVALID_VALUE;
    }
}

/* After the harvest at exit, which was registered later. */
static void close_layer(void)
{
    statistics_report();
    storage_close();
    measure_close();
    marks_close();
}

/* An application may unload the loader before it ends (hashcat does), and with
 * it the drivers, which are asked for binaries at the end. So the loader, whose
 * code calls here, stays. */
static void keep_loaded(const void *code)
{
    Dl_info info;
    if (dladdr(code, &info) == 0 || info.dli_fname == NULL
            || dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE)
                       == NULL)
        print_failure("start", "the loader cannot be kept loaded");
}

EXPORT cl_int CL_API_CALL clInitLayer(cl_uint nentries,
        const cl_icd_dispatch *target_dispatch, cl_uint *nentries_ret,
        const cl_icd_dispatch **layer_dispatch)
{
    static const cl_uint known = sizeof own / sizeof own.clGetPlatformIDs;
    if (target_dispatch == NULL || nentries_ret == NULL
            || layer_dispatch == NULL || nentries < known)
        return CL_INVALID_VALUE;
    target = target_dispatch;
    own = *target_dispatch;
    keep_loaded(__builtin_return_address(0));
    if (layer_settings_is_on(layer_settings())) {
        objects_init();
        dnnl_cache_set_log_callback(print_log, "library");
        put_context_calls(&own);
        put_program_calls(&own);
        put_build_calls(&own);
        put_link_calls(&own);
        put_kernel_calls(&own);
        put_extension_calls(&own);
        harvest_init();
    }
    atexit(close_layer);
    *layer_dispatch = &own;
    *nentries_ret = known;
    return CL_SUCCESS;
}
