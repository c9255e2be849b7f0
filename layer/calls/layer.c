/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The two functions by which a loader of OpenCL takes a layer in:
 *
 *     OPENCL_LAYERS=libdnnl_cache_layer.so program
 *
 * Calls that the layer has nothing to do with go to the next one without
 * passing here: the table that it returns has the target's own entries.
 */
#include "build/identity.h"
#include "build/objects.h"
#include "calls.h"
#include "driver/measure.h"
#include "driver/target.h"
#include "harvest/harvest.h"
#include "health/crash_markers.h"
#include "health/print.h"
#include "health/statistics.h"
#include "launch/notes.h"
#include "loaders.h"
#include "storage/settings.h"
#include "storage/storage.h"

#include "dnnl_cache.h"

#include <CL/cl_layer.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

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

/* Only where somebody looks at what the layer did: the application itself works
 * as well as ever. */
static void warn_of_loaders(void)
{
    const struct layer_settings *settings = layer_settings();
    if ((settings->print_debug || settings->statistics.on)
            && loaders_count() > 1)
        print_warning("the process has %u OpenCL loaders: calls that do not go "
                      "through the one with this layer are not cached; see "
                      "LD_PRELOAD in docs/LAYER.md",
                loaders_count());
}

/* After the harvest at exit, which was registered later. */
static void close_layer(void)
{
    warn_of_loaders();
    notes_end();
    storage_count_remote();
    statistics_report();
    storage_close();
    measure_close();
    crash_markers_close();
}

/* An application may unload the loader before it ends (hashcat does), and with
 * it the drivers, which are queried for binaries at the end. So the loader,
 * which called this layer, is kept loaded. */
static void keep_loaded(const void *code)
{
    Dl_info info;
    if (dladdr(code, &info) == 0 || info.dli_fname == NULL
            || dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE)
                       == NULL)
        print_failure("start", "cannot keep the loader loaded");
}

/* What is the process's, whichever loaders it has: they share the layer. */
static void init_process(void)
{
    if (layer_settings_is_on(layer_settings())) {
        objects_init();
        (void)identity_changed_variable(); /* as the environment is now */
        dnnl_cache_set_log_callback(print_log, "library");
        /* What an application's own copy of the library is told to do. */
        dnnl_cache_set_compile_mode(dnnl_cache_compile_mode_normal);
        harvest_init();
    }
    atexit(close_layer);
}

EXPORT cl_int CL_API_CALL clInitLayer(cl_uint nentries,
        const cl_icd_dispatch *target_dispatch, cl_uint *nentries_ret,
        const cl_icd_dispatch **layer_dispatch)
{
    static const cl_uint known =
            sizeof(cl_icd_dispatch) / sizeof(void (*)(void));
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    if (target_dispatch == NULL || nentries_ret == NULL
            || layer_dispatch == NULL || nentries < known)
        return CL_INVALID_VALUE;
    /* Of each loader its own, since it finds platforms by itself. Below that
     * all come to the same drivers: the first one's serves. */
    cl_icd_dispatch *own = malloc(sizeof *own);
    if (own == NULL) return CL_OUT_OF_HOST_MEMORY;
    if (target == NULL) target = target_dispatch;
    *own = *target_dispatch;
    keep_loaded(__builtin_return_address(0));
    pthread_once(&once, init_process);
    if (layer_settings_is_on(layer_settings())) {
        put_context_calls(own);
        put_program_calls(own);
        put_build_calls(own);
        put_link_calls(own);
        put_kernel_calls(own);
        put_extension_calls(own);
    }
    *layer_dispatch = own;
    *nentries_ret = known;
    return CL_SUCCESS;
}
